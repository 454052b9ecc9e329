"""Plans and what identifies them: choosing detectors, naming a fit and a run, guarding the order of steps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from gnomon.anomaly import detection
from gnomon.anomaly.consensus import DEFAULT_METHOD, METHODS
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.state import MAX_DETECTORS, DetectionPlan, InvestigationState
from gnomon.core.errors import InvalidInput, NotFound

_ORDER: Final = "start -> plan -> run -> analyze -> iterate/report"


def require_phase(state: InvestigationState, *expected: str) -> None:
    """Refuse a step that comes too early or too late.

    Raises:
        InvalidInput: The state is in another phase.
    """
    if state.phase not in expected:
        wanted = " or ".join(repr(p) for p in expected)
        raise InvalidInput(
            f"Expected phase {wanted}, got {state.phase!r}. Call the workflow methods in order: {_ORDER}.",
            suggestions=[
                f"state.next_action says what comes next: {state.next_action.get('action', 'plan')!r}."
            ],
        )


def prepared_of(state: InvestigationState) -> Prepared:
    """The data as detectors see it, prepared again where the state was loaded from JSON."""
    if state.prepared is None:
        if state.data is None:
            from gnomon.anomaly.serialise import load

            state.data = load(state.source)
        state.prepared = detection.prepare_data(state.data, state.profile.get("data_type"))
    return state.prepared


def choose_plans(
    state: InvestigationState, knowledge: Any, avoid: tuple[str, ...] = ()
) -> list[DetectionPlan]:
    """Plans for the state under its priority and constraints, without the detectors to ``avoid``."""
    constraints = dict(state.constraints)
    constraints["exclude_detectors"] = [*constraints.get("exclude_detectors", []), *avoid]
    plans = detection.choose(prepared_of(state), state.priority, constraints, knowledge)
    most = max(1, min(int(constraints.get("max_detectors", MAX_DETECTORS)), MAX_DETECTORS))
    for plan in plans:
        set_contamination(plan, state.contamination)
    return plans[:most]


def set_contamination(plan: DetectionPlan, value: float | None) -> None:
    params = {k: v for k, v in plan["params"].items() if k != "contamination"}
    if value is not None:
        params["contamination"] = value
    plan["params"] = params


def check_contamination(value: Any) -> float:
    """A share of rows to flag.

    Raises:
        InvalidInput: It is not a number between 0 (exclusive) and 0.5.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 0.5:
        raise InvalidInput(
            f"contamination is the share of rows to flag, above 0 and at most 0.5; got {value!r}."
        )
    return float(value)


def consensus_method(state: InvestigationState) -> str:
    """How the scores of the detectors become one: what the constraints ask for, else what was measured best.

    Raises:
        NotFound: There is no such way.
    """
    asked = str(state.constraints.get("consensus") or DEFAULT_METHOD)
    if asked not in METHODS:
        raise NotFound.among("consensus", asked, METHODS)
    return asked


def combination(state: InvestigationState) -> str:
    """What identifies a run: detectors, parameters, seed, share to flag, rows marked, way to combine."""
    plans = sorted(fit_key(p, state.seed) for p in state.plans)
    parts = [plans, state.contamination, sorted(state.labels.items()), consensus_method(state)]
    return json.dumps(parts, default=str)


def fit_key(plan: Mapping[str, Any], seed: int) -> str:
    """What identifies a fitted detector; the share to flag needs no new fit."""
    params = {k: v for k, v in plan.get("params", {}).items() if k != "contamination"}
    return json.dumps([plan["detector_name"], params, seed], sort_keys=True, default=str)
