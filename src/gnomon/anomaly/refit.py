"""Fitted detectors for a state that was loaded from JSON: fitted again from plan and seed."""

from __future__ import annotations

from typing import Any

from gnomon.anomaly import detection
from gnomon.anomaly.plans import fit_key, prepared_of
from gnomon.anomaly.state import ConsensusResult, InvestigationState
from gnomon.core.errors import InvalidInput


def fitted_of(state: InvestigationState) -> list[Any]:
    """The fitted detectors of the last run; after loading from JSON they are fitted again from plan and seed."""
    good = [r for r in state.results if r["status"] == "success"]
    if not good or state.consensus is None:
        raise InvalidInput("There is no fitted consensus to score with. Call run() first.")
    missing = [r["plan"] for r in good if r.get("detector") is None and "plan" in r]
    if missing:
        fresh = detection.fit(prepared_of(state), missing, state.seed)
        for plan, result in zip(missing, fresh, strict=True):
            if result["status"] != "success":
                raise InvalidInput(f"{plan['detector_name']} could not be fitted again: {result['error']}")
            state.fitted[fit_key(plan, state.seed)] = result
            next(r for r in good if r.get("plan") is plan)["detector"] = result.get("detector")
    return [r.get("detector") for r in good]


def full_consensus(state: InvestigationState) -> ConsensusResult:
    """The consensus with everything that a judgement needs; what JSON left out is made again."""
    if state.consensus is None:
        raise InvalidInput("There is no consensus: every detector failed.")
    if "null" not in state.consensus:
        fitted_of(state)
        made = detection.combine(
            prepared_of(state), state.results, state.contamination, state.labels, state.seed
        )
        state.results, state.consensus = made
        assert state.consensus is not None
    return state.consensus
