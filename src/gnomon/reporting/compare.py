"""Two computations of one report side by side: fact by fact, table by table, and whether the data is still the same."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gnomon.core.figures import figure
from gnomon.reporting.document import Document, ReportTable, Source, source_file

# Sums of fractions differ in their last digits with the order in which threads add them.
RELATIVE = 1e-9
MAX_CELLS_TOLD = 3
Outcome = Literal["same", "different", "missing", "new"]


@dataclass(frozen=True)
class Difference:
    """One fact or table, then and now."""

    name: str
    outcome: Outcome
    then: str = ""
    now: str = ""


@dataclass(frozen=True)
class Comparison:
    """What a replay found.

    Args:
        facts: Every fact of either computation.
        tables: Every table of either computation.
        changed: What changed about the data since, in sentences.
    """

    facts: tuple[Difference, ...]
    tables: tuple[Difference, ...]
    changed: tuple[str, ...]

    @property
    def is_same(self) -> bool:
        """Whether every value is the same and the data did not change."""
        return not self.changed and all(d.outcome == "same" for d in (*self.facts, *self.tables))

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON-ready data."""
        listed = {
            kind: [vars(d) for d in found] for kind, found in (("facts", self.facts), ("tables", self.tables))
        }
        return {"same": self.is_same, "changed": list(self.changed), **listed}


def compare(then: Document, now: Document, changed: tuple[str, ...] = ()) -> Comparison:
    """Compare what a bundle holds with what was computed again."""
    before, after = ({f.name: f for f in d.facts} for d in (then, now))
    facts: list[Difference] = []
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            facts.append(Difference(name, "missing", then=_said(before[name].value, before[name].unit)))
        elif name not in before:
            facts.append(Difference(name, "new", now=_said(after[name].value, after[name].unit)))
        else:
            a, b = before[name], after[name]
            outcome: Outcome = "same" if same_value(a.value, b.value) and a.unit == b.unit else "different"
            facts.append(Difference(name, outcome, _said(a.value, a.unit), _said(b.value, b.unit)))
    return Comparison(tuple(facts), tuple(_tables(then, now)), changed)


def _said(value: Any, unit: str | None) -> str:
    exact = repr(value) if isinstance(value, float) else str(value)
    shown = figure(value, unit)
    return exact if exact == shown else f"{exact} ({shown})"


def same_value(then: Any, now: Any) -> bool:
    """Whether two values are the same, but for the last digits of a fraction."""
    if isinstance(then, bool) or isinstance(now, bool):
        return then is now
    if isinstance(then, (int, float)) and isinstance(now, (int, float)):
        return then == now or math.isclose(then, now, rel_tol=RELATIVE, abs_tol=1e-12)
    return type(then) is type(now) and then == now


def _tables(then: Document, now: Document) -> list[Difference]:
    before, after = then.tables, now.tables
    found = [_table(a, b) for a, b in zip(before, after, strict=False)]
    found += [Difference(t.name, "missing") for t in before[len(after) :]]
    return found + [Difference(t.name, "new") for t in after[len(before) :]]


def _table(then: ReportTable, now: ReportTable) -> Difference:
    if then.columns != now.columns:
        return Difference(then.name, "different", ", ".join(then.columns), ", ".join(now.columns))
    if then.total != now.total:
        return Difference(then.name, "different", f"{then.total:,} rows", f"{now.total:,} rows")
    cells = [
        (f"row {r}, {then.columns[c]}: ", a, b)
        for r, (old, new) in enumerate(zip(then.rows, now.rows, strict=False), 1)  # of as many as both hold
        for c, (a, b) in enumerate(zip(old, new, strict=True))
        if not same_value(a, b)
    ]
    if not cells:
        return Difference(then.name, "same")
    more = f" and {len(cells) - MAX_CELLS_TOLD:,} more cells" if len(cells) > MAX_CELLS_TOLD else ""
    told = cells[:MAX_CELLS_TOLD]
    return Difference(
        then.name,
        "different",
        "; ".join(f"{where}{a}" for where, a, _ in told) + more,
        "; ".join(f"{where}{b}" for where, _, b in told) + more,
    )


def changed_sources(sources: tuple[Source, ...], now: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What changed about the files since, in sentences; a file that was only touched has not changed.

    Args:
        sources: The files as they were.
        now: Where they are now, in the same order, where they moved.
    """
    found: list[str] = []
    for i, source in enumerate(sources):
        if source.size is None:
            continue
        path = Path(now[i] if i < len(now) else source.location)
        if not path.is_file():
            found.append(f"{source.location} is not there any more.")
            continue
        current = source_file(path)
        if source.sha256 is not None and source.sha256 == current.sha256:
            continue
        if current.size != source.size:
            found.append(f"{path} has changed: {source.size:,} bytes then, {current.size:,} bytes now.")
        elif source.sha256 is not None:
            found.append(f"{path} has changed: the same size, but other content (SHA-256 {str(current.sha256)[:12]}…, then {source.sha256[:12]}…).")  # fmt: skip
        elif current.modified != source.modified:
            found.append(f"{path} may have changed: written {source.modified} then, {current.modified} now.")
    return tuple(found)
