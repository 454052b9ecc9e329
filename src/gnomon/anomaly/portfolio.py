"""Which detectors to run: what was measured best on data like this, adjusted by a look at this data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import numpy as np

from gnomon.anomaly.consensus import DEFAULT_METHOD, Combination
from gnomon.anomaly.cost import estimate_seconds
from gnomon.anomaly.evidence import CLEAR, blocks_of, clear_evidence, evidence, null_model
from gnomon.anomaly.measured import best_first, merits, quickest_first
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.registry import build, lookup, names
from gnomon.anomaly.scaling import sample_rows
from gnomon.anomaly.state import DetectionPlan
from gnomon.core.errors import InvalidInput

MOST_DETECTORS: Final = 3
PRIORITIES: Final = ("balanced", "speed", "accuracy")
_CORE: Final = ("NeighbourMix", "TailMix", "ProjectionMix")
_SPECIALIST: Final = "LocalDensity"
_RELATIVE: Final = "NeighbourMix"
_FURTHER: Final = ("IForest", "RobustCovariance", "LocalNeighbours", "ECOD", "HBOS", "LODA", "COPOD", "PCA", "CBLOF", "KNN", "INNE", "MCD", "LOF")  # fmt: skip
# Ours that look at random rows or directions: averaged over several draws where accuracy matters most.
_DRAWN: Final = ("NeighbourMix", "ProjectionMix", "LocalNeighbours", "LocalDensity")
_ROUNDS: Final = 3
_LOOK_ROWS: Final = 2000
_LOOK_COLUMNS: Final = 200
_LOOK_NULL: Final = 4800
_WHY: Final = {
    "NeighbourMix": "distance to random rows, in measured units and on scales of each column",
    "TailMix": "rare values column by column",
    "ProjectionMix": "rare combinations along random directions, also after removing dependence",
    "RobustCovariance": "distance from the bulk in units of its own spread",
    "LocalDensity": "distance to neighbours compared with theirs",
}


def choose(
    prepared: Prepared,
    priority: str = "balanced",
    constraints: Mapping[str, Any] | None = None,
    knowledge: Mapping[str, Any] | None = None,
) -> list[DetectionPlan]:
    """Plans for the data, most useful first.

    Args:
        prepared: The data.
        priority: ``balanced``, ``speed`` (two quick detectors, no look at the data first) or ``accuracy``
            (random detectors averaged over several draws).
        constraints: ``exclude_detectors``, ``include_detectors``, ``max_detectors`` (at most 3),
            ``max_seconds`` and ``alternatives`` (how many more to name).
        knowledge: The knowledge base; its measured results and costs decide the order.

    Raises:
        InvalidInput: The priority is unknown, or nothing is left to plan.
        NotFound: A detector that has to be included does not exist.
    """
    if priority not in PRIORITIES:
        raise InvalidInput(f"priority must be one of {', '.join(PRIORITIES)}; got {priority!r}.")
    rules = dict(constraints or {})
    most = max(1, min(int(rules.get("max_detectors") or MOST_DETECTORS), MOST_DETECTORS))
    if priority == "speed":
        most = min(most, 2)
    wanted = [lookup(n).name for n in rules.get("include_detectors") or ()]
    banned = {str(n).casefold() for n in rules.get("exclude_detectors") or ()}
    reasons: dict[str, str] = {}
    order = _order(prepared, priority, most, banned, reasons, knowledge)
    ranked = [n for n in _unique([*wanted, *order]) if n.casefold() not in banned]
    fitting = [
        n for n in ranked if n in wanted or _affordable(n, prepared, rules.get("max_seconds"), knowledge)
    ]
    chosen = (fitting or ranked[:1])[:most]
    if not chosen:
        raise InvalidInput(
            "Every detector is excluded.", suggestions=["Allow at least one of exclude_detectors again."]
        )
    rest = [n for n in fitting if n not in chosen][: int(rules.get("alternatives") or MOST_DETECTORS - 1)]
    plans = [_plan(n, i, reasons, knowledge) for i, n in enumerate(chosen)]
    for plan in plans if priority == "accuracy" else ():
        plan["params"] = {"rounds": _ROUNDS} if plan["detector_name"] in _DRAWN else {}
    plans[0]["alternatives"] = [_plan(n, len(chosen) + i, reasons, knowledge) for i, n in enumerate(rest)]
    return plans


def _order(
    prepared: Prepared,
    priority: str,
    most: int,
    banned: set[str],
    reasons: dict[str, str],
    knowledge: Mapping[str, Any] | None,
) -> list[str]:
    """Every candidate, best first: by what was measured on data of this width, and by a look at this data."""
    others = [*_CORE, _SPECIALIST, *_FURTHER, *names()]
    if prepared.surrogate is not None or prepared.data_type != "tabular":
        return _unique(others)  # what was measured are tables
    known = {n: m for n, m in merits(knowledge, prepared.n_columns).items() if n in names()}
    if priority == "speed":
        return _unique([*quickest_first(known, prepared.n_rows, prepared.n_columns, knowledge), *others])
    best = _unique([*best_first({n: m for n, m in known.items() if n.casefold() not in banned}), *others])
    core = best[:MOST_DETECTORS]
    if most == MOST_DETECTORS and prepared.n_rows >= 100 and 2 <= prepared.n_columns <= _LOOK_COLUMNS:
        core = _after_a_look(prepared.matrix, core, banned, reasons)
    return _unique([*core, *best])


def _after_a_look(X: np.ndarray, core: list[str], banned: set[str], reasons: dict[str, str]) -> list[str]:
    """The core, with the specialist in place of its nearest relative where it alone sees something.

    Equal parts of the core hold up best on measured data, however sure a specialist is of itself; the one
    exception is what no member of the core can see, rows that are odd only for where they lie.
    """
    if _SPECIALIST.casefold() in banned or _SPECIALIST in core:
        return core
    rng = np.random.default_rng(11)
    S = sample_rows(X, _LOOK_ROWS, rng)
    N = blocks_of(null_model(S, rng), _LOOK_NULL, rng)
    found = clear_evidence(*_both_scores(_SPECIALIST, S, N)) - float(np.log10(len(core) + 1))
    if found < CLEAR:
        return core
    seen = [_both_scores(n, S, N) for n in core]
    made = Combination.fit([s for s, _ in seen], DEFAULT_METHOD)
    together = evidence(made.apply([s for s, _ in seen]), made.apply([m for _, m in seen]))
    alone = max(clear_evidence(*both) for both in seen) - float(np.log10(len(core)))
    if found < 2 * max(together, alone):
        return core
    reasons[_SPECIALIST] = (
        f"{_WHY[_SPECIALIST]}; on a sample it alone separates rows from chance (p about {10**-found:.1g})"
    )
    relative = _RELATIVE if _RELATIVE in core else core[-1]
    return [_SPECIALIST, *(n for n in core if n != relative)]


def _both_scores(name: str, S: np.ndarray, N: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    detector = build(name).fit(S)
    return detector.decision_scores_, detector.decision_function(N)


def _affordable(name: str, prepared: Prepared, max_seconds: Any, knowledge: Mapping[str, Any] | None) -> bool:
    entry = lookup(name)
    if not entry.available or (entry.score_rows is not None and prepared.n_rows > entry.score_rows):
        return False
    if max_seconds is None:
        return True
    return estimate_seconds(name, prepared.n_rows, prepared.n_columns, knowledge) <= float(max_seconds)


def _plan(
    name: str, position: int, reasons: Mapping[str, str], knowledge: Mapping[str, Any] | None
) -> DetectionPlan:
    known = (knowledge or {}).get("detectors", {}).get(name, {})
    measured = known.get("measured") or {}
    says: list[str] = []
    if measured:
        says.append(
            f"mean AUC {measured['auc']:.3f}, mean average precision {measured['ap']:.3f} "
            f"on {measured['datasets']} data sets"
        )
    plan: dict[str, Any] = {
        "detector_name": name,
        "params": {},
        "reason": reasons.get(name) or _WHY.get(name) or str(known.get("best_for") or "an alternative view"),
        "evidence": says,
        "confidence": round(max(0.3, float(measured.get("auc", 0.75)) - 0.02 * position), 3),
        "alternatives": [],
    }
    return cast(DetectionPlan, plan)


def _unique(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))
