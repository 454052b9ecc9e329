"""Carries out feedback: structured changes at once, words after they have been read.

A sentence that is read with less than 0.8 confidence changes nothing; ``next_action`` then asks, with
the change it would make. Fitted detectors are kept, so a change of threshold or of marks refits nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np

from gnomon.anomaly.explain import explain_rows, narrative
from gnomon.anomaly.feedback_grammar import CONFIDENT, Context, Reading, read
from gnomon.anomaly.plans import (
    check_contamination,
    choose_plans,
    combination,
    prepared_of,
    require_phase,
    set_contamination,
)
from gnomon.anomaly.results import top_rows
from gnomon.anomaly.state import FEEDBACK_ACTIONS, MAX_DETECTORS, InvestigationState, NextAction
from gnomon.core.errors import InvalidInput, NotFound

REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "adjust_contamination": ("value",),
    "exclude": ("detectors",),
    "include": ("detectors",),
    "explain": ("rows",),
    "batch": ("changes",),
}
_KEEPS_RESULTS: Final = ("explain", "accept", "report")
_REMEMBERED: Final = ("plans", "contamination", "labels", "seed", "priority", "constraints")


class Editor:
    """Applies changes to one state.

    Args:
        state: The investigation to change, in place.
        knowledge: What is known about detectors, for choosing others.
        names: Every detector that may be planned.
    """

    def __init__(self, state: InvestigationState, knowledge: Any, names: Sequence[str]) -> None:
        self.state = state
        self.knowledge = knowledge
        self.names = list(names)

    def words(self, sentence: str) -> InvestigationState:
        """Feedback in words: carried out where it is certain, else proposed."""
        state = self.state
        require_phase(state, "detected", "analyzed")
        reading = read(sentence, self._context())
        if reading.change is not None and reading.confidence >= CONFIDENT:
            return self.change(reading.change, said=reading.reason)
        state.next_action = _ask(sentence, reading)
        state.log(
            "iterate_nl", f"{sentence!r} read with confidence {reading.confidence:.2f}: {reading.reason}"
        )
        return state

    def _context(self) -> Context:
        state = self.state
        consensus = state.consensus
        scores = consensus["scores"] if consensus is not None else np.empty(0)
        flagged = int(consensus["labels"].sum()) if consensus is not None else 0
        return Context(
            detectors=self.names,
            planned=[p["detector_name"] for p in state.plans],
            n_rows=prepared_of(state).n_rows,
            flagged=flagged,
            ranking=[int(i) for i in top_rows(scores, max(flagged, 100))],
            failed=[r["detector_name"] for r in state.results if r["status"] != "success"],
        )

    def change(self, feedback: Mapping[str, Any], said: str = "") -> InvestigationState:
        """A structured change, carried out at once."""
        state = self.state
        self._check(feedback)
        action = feedback["action"]
        require_phase(state, *(("detected", "analyzed") if action == "recover" else ("analyzed",)))
        if action in _KEEPS_RESULTS:
            return self._answer(feedback)
        if action == "recover" and not _failed(state):
            return self._nothing_failed()
        before = {k: copy.deepcopy(getattr(state, k)) for k in _REMEMBERED}
        detail = self._apply(feedback)
        if not state.plans:
            for k, v in before.items():
                setattr(state, k, v)
            state.next_action = _stuck(detail)
            state.log("iterate", f"Nothing changed: {detail}")
            return state
        if action != "undo":
            state.earlier.append(before)
        return self._planned(detail, said)

    def _planned(self, detail: str, said: str) -> InvestigationState:
        state = self.state
        state.iteration += 1
        state.phase = "planned"
        state.clear_results()
        known = [t for t in state.tried if t["combination"] == combination(state)]
        if known:
            detail += f" (tried in iteration {known[-1]['iteration']}, verdict {known[-1]['verdict']}; kept, not fitted again)"
        state.next_action = {
            "action": "run",
            "reason": f"{said} Plan adjusted: {detail}.".strip(),
            "adjustment": detail,
        }
        state.log("iterate", detail)
        return state

    def _check(self, feedback: Mapping[str, Any]) -> None:
        """Refuse what cannot be carried out, before anything is changed."""
        action = feedback.get("action")
        if action not in FEEDBACK_ACTIONS:
            raise InvalidInput(
                f"Unknown feedback action {action!r}; valid actions: {', '.join(FEEDBACK_ACTIONS)}.",
                suggestions=["Feedback is a sentence or a dict such as {'action': 'rerun'}."],
            )
        missing = [f for f in REQUIRED.get(str(action), ()) if f not in feedback]
        if missing:
            raise InvalidInput(
                f"Action {action!r} requires {', '.join(repr(m) for m in missing)}; got {sorted(feedback)}."
            )
        if action == "adjust_contamination" and feedback["value"] != "auto":
            check_contamination(feedback["value"])
        for name in _names(feedback) if action in ("exclude", "include", "recover") else ():
            if name not in self.names:
                raise NotFound.among("detector", str(name), self.names)
        if action in ("label", "explain"):
            self._check_rows(feedback)
        for change in feedback["changes"] if action == "batch" else ():
            self._check(change)

    def _check_rows(self, feedback: Mapping[str, Any]) -> None:
        rows = (
            [r for part in _marks(feedback) for r in part]
            if feedback["action"] == "label"
            else list(feedback["rows"])
        )
        n = prepared_of(self.state).n_rows
        if not rows:
            raise InvalidInput("Name at least one row: {'action': 'label', 'normal': [7], 'anomalous': [3]}.")
        for row in rows:
            if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < n:
                raise InvalidInput(f"There is no row {row!r}: rows go from 0 to {n - 1}.")

    def _apply(self, feedback: Mapping[str, Any]) -> str:
        apply: dict[str, Callable[[Mapping[str, Any]], str]] = {
            "adjust_contamination": self._adjust,
            "exclude": self._exclude,
            "include": self._include,
            "rerun": self._rerun,
            "recover": self._recover,
            "label": self._label,
            "replan": self._replan,
            "undo": self._undo,
            "batch": lambda f: "; ".join(self._apply(c) for c in f["changes"]),
        }
        return apply[feedback["action"]](feedback)

    def _adjust(self, feedback: Mapping[str, Any]) -> str:
        state, value = self.state, feedback["value"]
        state.contamination = None if value == "auto" else check_contamination(value)
        for plan in state.plans:
            set_contamination(plan, state.contamination)
        if state.contamination is None:
            return "Share of rows to flag is estimated from the scores again"
        return f"Adjusted contamination to {state.contamination:.4g}"

    def _exclude(self, feedback: Mapping[str, Any]) -> str:
        state, out = self.state, _names(feedback)
        state.plans = [p for p in state.plans if p["detector_name"] not in out]
        state.constraints["exclude_detectors"] = sorted(
            {*state.constraints.get("exclude_detectors", []), *out}
        )
        detail = f"Excluded {', '.join(out)}" if out else "Excluded nothing"
        if not state.plans:
            state.plans = choose_plans(state, self.knowledge)
            chosen = ", ".join(p["detector_name"] for p in state.plans) or "nothing, no detector is left"
            detail += f", chose {chosen}"
        return detail

    def _include(self, feedback: Mapping[str, Any]) -> str:
        state = self.state
        said: list[str] = []
        wanted = list(dict.fromkeys(_names(feedback)))[:MAX_DETECTORS]
        banned = state.constraints.get("exclude_detectors", [])
        state.constraints["exclude_detectors"] = [n for n in banned if n not in wanted]
        for name in wanted:
            if any(p["detector_name"] == name for p in state.plans):
                said.append(f"Already present: {name}")
                continue
            said.append(f"Included {name}" + self._make_room(wanted))
            state.plans.append(self._plan(name, "Added by the user"))
        return ", ".join(said) or "Included nothing"

    def _make_room(self, wanted: Sequence[str]) -> str:
        """Drop the plan with the least confidence where three are planned."""
        state = self.state
        if len(state.plans) < MAX_DETECTORS:
            return ""
        weakest = min(
            (p for p in state.plans if p["detector_name"] not in wanted), key=lambda p: p["confidence"]
        )
        state.plans.remove(weakest)
        return f" in place of {weakest['detector_name']} (at most {MAX_DETECTORS} run together)"

    def _plan(self, name: str, reason: str) -> Any:
        plan: Any = {
            "detector_name": name,
            "params": {},
            "reason": reason,
            "evidence": ["caller_selection"],
            "confidence": 0.5,
            "alternatives": [],
        }
        set_contamination(plan, self.state.contamination)
        return plan

    def _rerun(self, feedback: Mapping[str, Any]) -> str:
        self.state.seed += 1
        return f"Same plan, fitted again with seed {self.state.seed}"

    def _recover(self, feedback: Mapping[str, Any]) -> str:
        state, failed = self.state, _failed(self.state)
        running = [p["detector_name"] for p in state.plans]
        spare = _names(feedback) or [
            p["detector_name"] for p in choose_plans(state, self.knowledge, tuple(running))
        ]
        spare = [n for n in dict.fromkeys(spare) if n not in running]
        plans: list[Any] = []
        said: list[str] = []
        for plan in state.plans:
            name = plan["detector_name"]
            if name not in failed:
                plans.append(plan)
            elif spare:
                said.append(f"Replaced {name} with {spare[0]}")
                plans.append(self._plan(spare.pop(0), f"Substitute for {name}, which failed"))
            else:
                said.append(f"Dropped {name} (no substitute is left)")
        state.plans = plans
        return "; ".join(said)

    def _label(self, feedback: Mapping[str, Any]) -> str:
        normal, anomalous = _marks(feedback)
        self.state.labels.update({int(r): 0 for r in normal} | {int(r): 1 for r in anomalous})
        said = [
            f"{_rows(part)} {word}" for part, word in ((normal, "normal"), (anomalous, "anomalous")) if part
        ]
        return f"Marked {' and '.join(said)}; detectors are weighted by how well they rank the marked rows"

    def _replan(self, feedback: Mapping[str, Any]) -> str:
        state = self.state
        state.priority = feedback.get("priority", state.priority)
        state.constraints = {**state.constraints, **dict(feedback.get("constraints", {}))}
        tried = [frozenset(t["detectors"]) for t in state.tried]
        used = tuple(sorted({n for t in tried for n in t}))
        directed = "priority" in feedback or "constraints" in feedback
        state.plans = choose_plans(state, self.knowledge, () if directed else used)
        if not state.plans or frozenset(p["detector_name"] for p in state.plans) in tried:
            state.plans = choose_plans(state, self.knowledge, used if directed else ())
        if frozenset(p["detector_name"] for p in state.plans) in tried:
            state.plans = []
        names = ", ".join(p["detector_name"] for p in state.plans)
        return (
            f"Chose {names} with priority {state.priority}"
            if names
            else "Every suitable detector has been tried"
        )

    def _undo(self, feedback: Mapping[str, Any]) -> str:
        state = self.state
        if not state.earlier:
            raise InvalidInput("There is no earlier change to undo.")
        for name, value in state.earlier.pop().items():
            setattr(state, name, value)
        return "Took back the last change"

    def _answer(self, feedback: Mapping[str, Any]) -> InvestigationState:
        """Feedback that changes nothing: a question, thanks, or a wish for the report."""
        state, action = self.state, feedback["action"]
        if action == "accept":
            state.next_action = {
                "action": "done",
                "reason": "The result was accepted. report(state) writes it up.",
            }
        elif action == "report" or state.consensus is None:
            state.next_action = self._report_action("Ready: report(state) gives the report.", "")
        else:
            rows = [int(r) for r in feedback["rows"]]
            prepared = prepared_of(state)
            reasons = explain_rows(prepared, rows)
            scores, labels = state.consensus["scores"], state.consensus["labels"]
            told = [
                {
                    "index": r,
                    "score": float(scores[r]),
                    "percentile": 100.0 * float(np.mean(scores <= scores[r])),
                    "label": "anomaly" if labels[r] else "normal",
                    "reasons": why,
                    "narrative": narrative(prepared, r, why),
                }
                for r, why in zip(rows, reasons, strict=True)
            ]
            text = " ".join(
                f"{t['narrative']} It scores higher than {t['percentile']:.1f} % of the rows: {t['label']}."
                for t in told
            )
            state.next_action = self._report_action("Asked for the reasons.", text)
            state.next_action["explanations"] = told
        state.log("iterate", f"{action}: {state.next_action['reason']}")
        return state

    def _report_action(self, reason: str, summary: str) -> NextAction:
        state = self.state
        known = state.analysis["summary"] if state.analysis is not None else reason
        confidence = float(state.quality["overall"]) if state.quality is not None else 0.0
        return {
            "action": "report_to_user",
            "reason": reason,
            "summary": summary or known,
            "confidence": confidence,
        }

    def _nothing_failed(self) -> InvestigationState:
        state = self.state
        reason = "No detector failed; there is nothing to recover."
        if state.phase == "detected":
            state.next_action = {"action": "analyze", "reason": reason}
        else:
            state.next_action = self._report_action(reason, "")
        state.log("iterate", f"recover: {reason}")
        return state


def _ask(sentence: str, reading: Reading) -> NextAction:
    if reading.change is None:
        return {
            "action": "confirm_with_user",
            "reason": f'"{sentence}" changes nothing yet: {reading.reason}',
            "suggestion": "Say it in other words, or pass a structured change.",
        }
    return {
        "action": "confirm_with_user",
        "reason": f'Interpreted "{sentence}" as: {reading.reason} (confidence {reading.confidence:.2f}).',
        "suggestion": f"{reading.reason} Proceed?",
        "proposed_change": cast("Any", reading.change),
        "confidence": reading.confidence,
    }


def _stuck(detail: str) -> NextAction:
    return {
        "action": "confirm_with_user",
        "reason": f"{detail}. Nothing was changed.",
        "suggestion": "Fit the same plan with a new seed?",
        "proposed_change": {"action": "rerun"},
    }


def _names(feedback: Mapping[str, Any]) -> list[str]:
    given = feedback.get("detectors") or []
    return [given] if isinstance(given, str) else list(given)


def _marks(feedback: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    """The rows called normal and those called anomalous, also from ``rows`` with one ``label``."""
    normal, anomalous = list(feedback.get("normal") or []), list(feedback.get("anomalous") or [])
    rows = list(feedback.get("rows") or [])
    if rows:
        label = feedback.get("label", feedback.get("value"))
        if label not in ("normal", "anomalous", "anomaly", 0, 1):
            raise InvalidInput(f"label must be 'normal' or 'anomalous'; got {label!r}.")
        (normal if label in ("normal", 0) else anomalous).extend(rows)
    return normal, anomalous


def _failed(state: InvestigationState) -> list[str]:
    return [r["detector_name"] for r in state.results if r["status"] != "success"]


def _rows(rows: Sequence[int]) -> str:
    shown = ", ".join(str(r) for r in list(rows)[:6]) + (", …" if len(rows) > 6 else "")
    return ("row " if len(rows) == 1 else "rows ") + shown
