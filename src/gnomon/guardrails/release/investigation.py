"""What may be told of an anomaly investigation: how it went and which rows stand out, not what is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from gnomon.core.errors import PolicyViolation
from gnomon.core.patterns import regex
from gnomon.guardrails.release.cells import MIN_ROWS, CellGuard, rounded
from gnomon.guardrails.release.origin import Origin
from gnomon.guardrails.release.view import too_few, without_numbers

_FIGURES = frozenset(
    [
        "index",
        "flagged",
        "n_anomalies",
        "anomaly_ratio",
        "n_detectors",
        "agreement",
        "separation",
        "stability",
        "overall",
        "significance",
        "significant",
        "confidence",
        "contamination",
        "contamination_given",
        "runtime_seconds",
        "n_samples",
        "n_features",
        "n_rows",
        "n_columns",
        "rank",
        "iteration",
        "size",
        "share",
        "support",
        "max_detectors",
        "max_seconds",
        "best_detector_index",
        "found",
        "is_series",
    ]
)
"""The numbers that speak of rows and detectors; every other one may be a cell, or made of one, as the score of a row is."""
_TWO_DIGITS = 2
_QUOTED = regex(r"\"[^\"\n]*\"|'(?:[^'\n]|(?<=\w)'(?=\w))*'")
_ONCE = regex(r"\bseen once\b")
_SCORED = regex(r"(?m)^(?:\||- \*\*(?:Threshold|Score)).*$")
_DECIMALS = regex(r"[-−]?\d[\d,]*\.\d+")


def investigated_columns(asked: Sequence[str] | None, origin: Origin, rows: int) -> list[str] | None:
    """The columns that may be looked at: those asked for, or every one that is not closed.

    Raises:
        PolicyViolation: One that is asked for is closed, or there are too few rows.
    """
    if origin.own:
        return list(asked) if asked else None
    if origin.least(rows) < MIN_ROWS:
        raise too_few("An investigation")
    closed = [c for c in asked or [] if c in origin.columns and origin.closed(c)]
    if closed or not origin.known:
        raise PolicyViolation(
            f"{', '.join(map(repr, closed)) or 'What these rows are made of'} holds personal data, identifiers or free text.",
            suggestions=[f"Investigate others: {', '.join(origin.open_columns()[:8])}."],
        )
    return list(asked) if asked else origin.open_columns()


def told(value: Any, guard: CellGuard, known: frozenset[str], readings: Sequence[str] = ()) -> Any:
    """A part of an investigation without figures and texts of single rows.

    Args:
        value: The part.
        guard: Knows the cells.
        known: Texts that may pass.
        readings: Sentences about single rows. They tell rounded figures and dates in words, which no cell equals,
            figures too short to be found, and groups that many share but which are those of one row here, so every
            figure and group in them is taken out.
    """
    hidden = sorted({r for r in readings if r}, key=len, reverse=True)
    return guard.masked(_blinded(_without_figures(value), hidden), known, digits=_TWO_DIGITS)


def without_cells(sentence: str) -> str:
    """A sentence about a single row, without the figures and the groups in it."""
    return without_numbers(_QUOTED.sub("'…'", _ONCE.sub("seen … times", sentence)))


def _blinded(value: Any, hidden: Sequence[str]) -> Any:
    if isinstance(value, str):
        for sentence in hidden:
            value = value.replace(sentence, without_cells(sentence))
        # The score of a row tells, beside those of others and the mean of all, what is in it.
        return _SCORED.sub(lambda line: _DECIMALS.sub("…", line[0]), value)
    if isinstance(value, Mapping):
        return {k: _blinded(v, hidden) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_blinded(v, hidden) for v in cast("Sequence[Any]", value)]
    return value


def _without_figures(value: Any, key: str = "") -> Any:
    if isinstance(value, Mapping):
        return {
            str(k): _without_figures(v, str(k))
            for k, v in cast("Mapping[Any, Any]", value).items()
            if not isinstance(v, (int, float)) or isinstance(v, bool) or str(k) in _FIGURES
        }
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[Any]", value)
        if key not in _FIGURES and any(isinstance(v, (int, float)) for v in items):
            return []
        return [_without_figures(v, key) for v in items]
    return rounded(value) if isinstance(value, float) else value
