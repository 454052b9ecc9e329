"""Plans without an investigation: from a profile, from a caller's choice, or from a language model's."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.state import DetectionPlan
from gnomon.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from gnomon.anomaly.catalogue import Catalogue

_HINT = (
    "To commit a choice call make_plan(detector_choices=[...], justifications=[...]) with up to {k} names from "
    "available_detectors[*].name and one short sentence each."
)


def plan_from_profile(
    catalogue: Catalogue,
    profile: Mapping[str, Any],
    priority: str,
    constraints: Mapping[str, Any] | None,
    top_k: int,
    llm_client: Callable[[str], str] | None,
    llm_strict: bool | None,
) -> DetectionPlan:
    """The first choice with its alternatives.

    The measured choice rests on the shape that the profile tells; data is not looked at.
    """
    top_k = max(1, int(top_k))
    if llm_client is not None:
        try:
            return _ask(catalogue, profile, top_k, llm_client, constraints)
        except Exception as error:  # a caller's function may fail in any way; the measured choice stands in
            strict = os.environ.get("PYOD3_LLM_STRICT") == "1" if llm_strict is None else llm_strict
            if strict:
                raise
            warnings.warn(
                f"plan_detection: llm_client failed ({type(error).__name__}: {error}); the measured choice stands in. "
                "Pass llm_strict=True to raise instead.",
                RuntimeWarning,
                stacklevel=3,
            )
    from gnomon.anomaly import detection

    rules = {**(constraints or {}), "max_detectors": min(top_k, 3), "alternatives": top_k}
    plans = detection.choose(_shape(profile), priority, rules, catalogue.knowledge)
    if not plans:
        return plan("", "Every detector is excluded.", 0.0, note="no_valid_plan")
    first = plans[0]
    spare = [*plans[1:], *first["alternatives"]]
    for p in spare:
        p["alternatives"] = []
    first["alternatives"] = spare[: top_k - 1]
    return first


def _shape(profile: Mapping[str, Any]) -> Prepared:
    """A stand-in with the size of the data but none of its values."""
    n = int(profile.get("n_samples", 0))
    width = max(1, int(profile.get("matrix_columns") or profile.get("n_features") or 1))
    matrix = np.broadcast_to(np.zeros(1), (n, width))
    names = tuple(f"column_{j}" for j in range(width))
    kind = str(profile.get("data_type", "tabular"))
    return Prepared(
        kind,
        matrix,
        names,
        names,
        None,
        None,
        (),
        lambda data: np.asarray(data),
    )


def plan(
    name: str,
    reason: str,
    confidence: float,
    *,
    params: Mapping[str, Any] | None = None,
    evidence: Sequence[str] = (),
    note: str | None = None,
) -> DetectionPlan:
    """One plan in the published shape."""
    made: dict[str, Any] = {
        "detector_name": name,
        "params": dict(params or {}),
        "reason": reason,
        "evidence": list(evidence),
        "confidence": confidence,
        "alternatives": [],
    }
    if note:
        made["note"] = note
    return cast(DetectionPlan, made)


def plan_from_names(
    catalogue: Catalogue,
    choices: Sequence[str],
    justifications: Sequence[str] | None,
    params: Sequence[Mapping[str, Any]] | None,
) -> DetectionPlan:
    """A plan from names that a caller chose.

    Raises:
        InvalidInput: There is no choice, or a name is unknown or cannot run here.
    """
    if not isinstance(choices, list) or not choices:
        raise InvalidInput(f"detector_choices must be a list of at least one name; got {choices!r}.")
    known = catalogue.plannable(None)
    for name in choices:
        if name not in known:
            raise NotFound.among("detector", str(name), known)
    said = [*(justifications or []), *[""] * len(choices)]
    given = [*(params or []), *[{}] * len(choices)]
    plans = [
        plan(
            name,
            said[i] or "Chosen by the caller.",
            0.7 if i == 0 else 0.5,
            params=given[i],
            evidence=["caller_selection"],
        )
        for i, name in enumerate(choices)
    ]
    plans[0]["alternatives"] = plans[1:]
    plans[0]["note"] = "caller-driven via make_plan"
    return plans[0]


def knowledge_for(
    catalogue: Catalogue, profile: Any, top_k: int, constraints: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The detectors that suit a profile with what was measured, best first."""
    if not isinstance(profile, Mapping):
        raise InvalidInput("profile must be what profile_data() returned.")
    rules = dict(constraints or {})
    banned = set(rules.get("exclude_detectors") or ())
    kind = str(profile.get("data_type", "tabular"))
    strict = rules.get("data_type_strict", True)
    entries = [e for e in catalogue.ranked(kind if strict else None) if e["name"] not in banned]
    available = [
        {
            "name": e["name"],
            "category": e["category"],
            "complexity_time": e["complexity"]["time"],
            "complexity_space": e["complexity"]["space"],
            "strengths": e["strengths"],
            "weaknesses": e["weaknesses"],
            "best_for": e["best_for"],
            "avoid_when": e["avoid_when"],
            "benchmark_rank": e["benchmark_rank"],
            "modality_match": kind in e["data_types"],
            "resolved_rank": next(iter(e["benchmark_rank"].values()), None),
            "resolved_rank_key": next(iter(e["benchmark_rank"]), None),
        }
        for e in entries
    ]
    top_k = max(1, int(top_k))
    return {
        "task_profile": {k: v for k, v in profile.items() if k != "data"},
        "available_detectors": available,
        "top_k_requested": top_k,
        "response_format_hint": _HINT.format(k=top_k),
        "n_available": len(available),
    }


def _ask(
    catalogue: Catalogue,
    profile: Mapping[str, Any],
    top_k: int,
    llm_client: Callable[[str], str],
    constraints: Mapping[str, Any] | None,
) -> DetectionPlan:
    """A plan that a language model chose; what it says is checked like any other caller's choice."""
    context = knowledge_for(catalogue, profile, top_k, constraints)
    allowed = [d["name"] for d in context["available_detectors"]]
    lines = [
        f"- {d['name']} ({d['category']}): {d['best_for']}. Avoid: {d['avoid_when']}."
        for d in context["available_detectors"]
    ]
    told = {
        k: v
        for k, v in context["task_profile"].items()
        if k in ("data_type", "n_samples", "n_features", "has_nan")
    }
    prompt = (
        f"Choose up to {top_k} anomaly detectors for this data: {json.dumps(told)}.\n"
        + "\n".join(lines)
        + '\nAnswer with JSON only: {"detectors": ["..."], "justifications": ["..."]}'
    )
    found = re.search(r"\{.*\}", llm_client(prompt), re.DOTALL)
    if found is None:
        raise InvalidInput("The answer holds no JSON object.")
    answer = json.loads(found.group())
    choices = list(answer.get("detectors", []))[:top_k]
    for name in choices:
        if name not in allowed:
            raise NotFound.among("detector", str(name), allowed)
    made = plan_from_names(catalogue, choices, answer.get("justifications"), None)
    made["note"], made["evidence"] = "llm-driven via plan_detection(llm_client=...)", ["llm_routing"]
    return made
