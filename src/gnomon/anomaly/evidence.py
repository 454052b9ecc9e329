"""How far detectors see more in the data than in rows drawn from the null model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from gnomon.anomaly.consensus import Combination
from gnomon.anomaly.contamination import among, global_p, looked_at, p_values, p_values_from_bulk
from gnomon.anomaly.null import NullModel, Population
from gnomon.anomaly.prepared import Prepared
from gnomon.anomaly.scaling import sample_rows
from gnomon.anomaly.ways import DETECTORS, ways_of

FEWEST_ROWS: Final = 20
MODELS: Final = 6
_DRAWN: Final = (6_000, 20_000)
_CELLS: Final = 1_500_000
# From this width on all rows are one population, described by this many of them: telling groups apart takes
# more rows than wide tables have, and the price of a description is per column and population.
_WIDE: Final = 200
_WIDE_ROWS: Final = 500
SIGNIFICANT: Final = 0.05
# A model of the tail is never exact: rows may be this much rarer in it than in truth.
LENIENT: Final = 1.5
# In leading zeros of a p-value: what counts as clearly seen by one detector.
CLEAR: Final = 2.0
# Where the middle of the scores is compared with the null, and how much it may differ.
_BODY: Final = (0.4, 0.6, 0.8)
_GAP: Final = 0.08


def null_rows(prepared: Prepared, seed: int) -> np.ndarray | None:
    """Rows without anomalies to compare with, or None where there is too little data to model.

    They come in ``MODELS`` blocks of equal size, each under another of the models that the data allows.
    """
    n, p = prepared.matrix.shape
    if n < FEWEST_ROWS:
        return None
    rng = np.random.default_rng([seed, 7])
    size = max(1_000, min(int(np.clip(n // 2, *_DRAWN)), _CELLS // p))
    if prepared.surrogate is not None:
        return _from_surrogates(prepared.surrogate, size // MODELS, rng)
    return blocks_of(null_model(prepared.matrix, rng), size, rng)


def null_model(X: np.ndarray, rng: np.random.Generator) -> NullModel:
    """A model of the rows without anomalies at a price that stays bounded for wide tables."""
    if X.shape[1] <= _WIDE:
        return NullModel.fit(X, rng)
    return NullModel((Population.fit(sample_rows(X, _WIDE_ROWS, rng).astype(float), 1.0),))


def blocks_of(model: NullModel, size: int, rng: np.random.Generator) -> np.ndarray:
    """About ``size`` rows in ``MODELS`` equal blocks."""
    return np.concatenate([model.draw(max(50, size // MODELS), rng) for _ in range(MODELS)])


def _from_surrogates(
    surrogate: Callable[[np.random.Generator], np.ndarray], size: int, rng: np.random.Generator
) -> np.ndarray:
    drawn = [surrogate(rng) for _ in range(MODELS)]
    least = min(max(size, 6_000), *(len(d) for d in drawn))
    return np.concatenate([d[:least] for d in drawn])


def peaks(scores: np.ndarray, reach: int, parts: int = 1) -> np.ndarray:
    """The highest score of every ``reach`` neighbouring rows, in each of ``parts`` equal stretches.

    Neighbours in a series depart together: counted one by one, a single event would look like many.
    """
    if reach <= 1:
        return scores
    stretches = scores.reshape(parts, -1)
    size = max(1, stretches.shape[1] // min(reach, max(1, stretches.shape[1] // 20)))
    return np.concatenate([[chunk.max() for chunk in np.array_split(x, size)] for x in stretches])


def highest(
    prepared: Prepared, scores: Sequence[np.ndarray], nulls: Sequence[np.ndarray | None]
) -> tuple[list[np.ndarray], list[np.ndarray | None]]:
    """Scores of rows and of the null with neighbours that tell the same counted once."""
    reach = prepared.reach
    return (
        [peaks(s, reach) for s in scores],
        [None if m is None else peaks(m, reach, MODELS) for m in nulls],
    )


def null_scores(detector: Any, rows: np.ndarray) -> np.ndarray | None:
    """The detector's scores of the null, or None where it cannot score rows it was not fitted on."""
    try:
        scores = np.asarray(detector.decision_function(rows), dtype=float)
    except Exception:  # noqa: BLE001  some detectors of PyOD score only the rows they were fitted on
        return None
    return scores if scores.shape == (len(rows),) and bool(np.isfinite(scores).all()) else None


def strength(p: float) -> float:
    """A p-value as its number of leading zeros."""
    return float(-np.log10(max(p, 1e-30))) if p < 1 else 0.0


def beyond_chance(scores: np.ndarray, null: np.ndarray, lenient: float = LENIENT) -> float:
    """One p-value that ``scores`` hold more than the null does: the mean over the models it was drawn from.

    What one plausible model explains is not beyond chance, however surprising it is under the others.
    """
    total = len(scores)
    scores = np.sort(scores)[
        -looked_at(total) :
    ]  # only these count, and sorted they are looked up far faster
    if len(null) < 50 * MODELS:
        return global_p(p_values(scores, null), lenient, total)
    # All models together tell the form of the tail: on the scale of their surprise it falls like an exponential.
    seen, drawn = (-np.log(p_values(x, null)) for x in (scores, null))
    blocks = np.array_split(drawn, MODELS)
    return float(np.mean([global_p(p_values(seen, block, expected=1.0), lenient, total) for block in blocks]))


def significance(
    scores: Sequence[np.ndarray],
    nulls: Sequence[np.ndarray | None],
    total: np.ndarray,
    null_total: np.ndarray | None,
    lenient: float = LENIENT,
) -> float:
    """One p-value that something stands out, corrected for the rows and for the number of looks.

    Args:
        scores: Of each detector.
        nulls: What each detector says about the null, None where it cannot.
        total: The consensus.
        null_total: The consensus on the null.
        lenient: How much rarer rows may be in the null than in truth before that counts.
    """
    together = (
        global_p(p_values_from_bulk(total), lenient)
        if null_total is None
        else beyond_chance(total, null_total, lenient)
    )
    alone = [beyond_chance(s, m, lenient) for s, m in zip(scores, nulls, strict=True) if m is not None]
    if len(scores) < 2 or not alone:
        return together
    return among(min(together, among(min(alone), len(alone))), 2)


def either(p: float, prepared: Prepared) -> float:
    """``p``, or what single columns, rows and places of a table say, whichever is clearer."""
    if prepared.surrogate is not None or prepared.data_type != "tabular":
        return p
    return float(min(1.0, p / DETECTORS, *(way.corrected for way in ways_of(prepared.matrix))))


def evidence(scores: np.ndarray, null: np.ndarray) -> float:
    """Strength of the evidence that ``scores`` hold more than the null does."""
    return strength(beyond_chance(scores, null))


def clear_evidence(scores: np.ndarray, null: np.ndarray) -> float:
    """The same where the null describes all but the top rows well, else 0.

    A detector whose ordinary scores differ from those of the null sees that the model is too simple, not
    that some rows are odd.
    """
    usual = 1 - np.array([np.mean(scores <= q) for q in np.quantile(null, _BODY)])
    gap = float(np.abs(usual - (1 - np.array(_BODY))).max())
    return evidence(scores, null) if gap <= _GAP + 1 / np.sqrt(len(scores)) else 0.0


def weights_by_evidence(
    scores: Sequence[np.ndarray], nulls: Sequence[np.ndarray | None], method: str
) -> list[float] | None:
    """Unequal weights where equal ones show nothing but single detectors do, else None.

    On most data equal weights are best. Where an anomaly is visible in one way only (a broken dependence,
    an odd place between dense and sparse), averaging with detectors that cannot see it would hide it.
    """
    known = [(s, m) for s, m in zip(scores, nulls, strict=True) if m is not None]
    if len(known) < len(scores) or len(scores) < 2:
        return None
    made = Combination.fit(scores, method)
    together = evidence(made.apply(scores), made.apply([m for _, m in known]))
    alone = np.array([clear_evidence(s, m) for s, m in known])
    clearest = float(alone.max()) - float(np.log10(len(alone)))
    if together >= CLEAR or clearest < max(CLEAR, 2 * together):
        return None
    return [float(w) for w in np.where(alone >= 0.5 * alone.max(), alone, 0.05 * alone.max())]
