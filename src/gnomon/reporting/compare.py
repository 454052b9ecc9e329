"""Two computations of one report side by side: fact by fact, table by table, and whether the data is still the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from gnomon.core.figures import figure
from gnomon.reporting.document import Document, ReportFact, ReportTable, Source, source_file

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
        notes: What else is different: how it ended, and the versions of what computed.
        status: How it ended, then and now.
    """

    facts: tuple[Difference, ...]
    tables: tuple[Difference, ...]
    changed: tuple[str, ...]
    notes: tuple[str, ...] = ()
    status: tuple[str, str] = ("", "")

    @property
    def is_same(self) -> bool:
        """Whether every value is the same and the data did not change."""
        return (
            not self.changed
            and self.status[0] == self.status[1]
            and all(d.outcome == "same" for d in (*self.facts, *self.tables))
        )

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON-ready data."""
        listed = {
            kind: [vars(d) for d in found] for kind, found in (("facts", self.facts), ("tables", self.tables))
        }
        status = dict(zip(("then", "now"), self.status, strict=True))
        told = {"changed": list(self.changed), "notes": list(self.notes), "status": status}
        return {"same": self.is_same, **told, **listed}


def compare(then: Document, now: Document, changed: tuple[str, ...] = ()) -> Comparison:
    """Compare what a bundle holds with what was computed again."""
    before, after = (_by_name(d.facts) for d in (then, now))
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
    tables = tuple(_tables(then, now))
    differ = then.status != now.status or any(d.outcome != "same" for d in (*facts, *tables))
    notes = (*_ending(then, now), *(_versions(then, now) if differ else ()))
    changed = (*changed, *_added(then, now))
    return Comparison(tuple(facts), tables, changed, notes, (then.status, now.status))


def _by_name(facts: Sequence[ReportFact]) -> dict[str, ReportFact]:
    """Facts by their names; where parts of a report use the same name, the second is told apart by its number."""
    held: dict[str, ReportFact] = {}
    for fact in facts:
        name, number = fact.name, 2
        while name in held:
            name, number = f"{fact.name} ({number})", number + 1
        held[name] = fact
    return held


def _ending(then: Document, now: Document) -> list[str]:
    """That it ended otherwise, with what is said now."""
    if then.status == now.status:
        return []
    said = next((p for s in now.sections for p in s.paragraphs), "")
    return [f"It ended as {then.status or 'nothing'} then, and as {now.status} now. {said}".strip()]


def _versions(then: Document, now: Document) -> list[str]:
    """What computes and is not what it was: a difference may come from there."""
    told = [
        f"{name} {then.versions[name]} then, {now.versions.get(name, 'none')} now"
        for name in then.versions
        if then.versions[name] != now.versions.get(name)
    ]
    return [f"Computed with other versions: {'; '.join(told)}."] if told else []


def _added(then: Document, now: Document) -> list[str]:
    """Files that a folder holds now, and did not hold then."""
    known = {s.name for s in then.sources if s.size is not None}
    fresh = [s.name for s in now.sources if s.size is not None and s.name not in known] if known else []
    return [f"{name} was not among the data then." for name in fresh]


def _said(value: Any, unit: str | None) -> str:
    exact = repr(value) if isinstance(value, float) else str(value)
    shown = figure(value, unit)
    return exact if exact == shown else f"{exact} ({shown})"


def same_value(then: Any, now: Any) -> bool:
    """Whether two values are the same, but for the last digits of a fraction."""
    if isinstance(then, bool) or isinstance(now, bool):
        return then is now
    then, now = _number(then), _number(now)
    if isinstance(then, (int, float)) and isinstance(now, (int, float)):
        return then == now or math.isclose(then, now, rel_tol=RELATIVE, abs_tol=1e-12)
    if isinstance(then, date) or isinstance(now, date):  # which a page tells as text
        return _moment(then) == _moment(now)
    return type(then) is type(now) and then == now


def _number(value: Any) -> Any:
    """A number as JSON can carry it: what is not finite is nothing."""
    if isinstance(value, Decimal):
        value = float(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _moment(value: Any) -> Any:
    """A day or a moment as text; midnight is a day."""
    text = value.isoformat() if isinstance(value, date) else value
    return text.removesuffix("T00:00:00") if isinstance(text, str) else text


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
