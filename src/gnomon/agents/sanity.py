"""Whether computed results can be true: shares within the whole, counts that are not negative, changes that add up.

What cannot be is computed again in the simplest way; where that does not help either it is left out,
and the answer says so.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from gnomon.agents.workflow import PartResult
from gnomon.agents.workflow_post import frame_rows
from gnomon.core.patterns import regex
from gnomon.semantic.labels import label_of
from gnomon.semantic.model import Aggregation, SemanticModel
from gnomon.tools.calculations import change_pct, share_pct
from gnomon.tools.frames import Frame

TOLERANCE = 1e-6
_COUNTS = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)


def checked(result: PartResult, model: SemanticModel) -> PartResult:
    """The result with what cannot be true put right or left out, and said."""
    for check in (_counts, _shares, _changes, _times):
        result = check(result, model)
    return result


def _counts(result: PartResult, model: SemanticModel) -> PartResult:
    """A count is never negative."""
    counts = [m for m in result.plan.request.metrics if model.metric(m).aggregation in _COUNTS]
    retrieved, doubts = dict(result.retrieved), list(result.doubts)
    for role, given in result.retrieved.items():
        places = [given.columns.index(m) for m in counts if m in given.columns]
        bad = [r for r in given.rows if any(_below_zero(r[i]) for i in places)]
        if bad:
            kept = tuple(r for r in given.rows if r not in bad)
            retrieved[role] = given.model_copy(update={"rows": kept})
            doubts.append("a count came back negative, which cannot be, and was left out")
    return replace(result, retrieved=retrieved, doubts=tuple(doubts))


_BETWEEN = regex(r"(?:days|hours|minutes)\(`?([^`,]+)`?, `?([^`)]+)`?\)")


def _times(result: PartResult, model: SemanticModel) -> PartResult:
    """Something that ends before it begins is told as it is recorded, and said."""
    doubts = list(result.doubts)
    for reference in result.plan.request.metrics:
        ends = _BETWEEN.fullmatch(model.metric(reference).expression or "")
        given = [g for g in result.retrieved.values() if reference in g.columns]
        if ends and any(_below_zero(r[g.columns.index(reference)]) for g in given for r in g.rows):
            last, first = (label_of(end) for end in ends.groups())
            doubts.append(f"in some rows {last} lies before {first}, which makes these times negative")
    return replace(result, doubts=tuple(doubts))


def _below_zero(value: Any) -> bool:
    return isinstance(value, (int, float)) and value < 0


def _shares(result: PartResult, model: SemanticModel) -> PartResult:
    """A share lies between nothing and the whole; the whole is no smaller than a part."""
    output = result.calculated.get("shares")
    if output is None or not result.plan.request.metrics:
        return result
    names, rows = frame_rows(output.get("rows"))
    if not rows or "share" not in names:
        return result
    at = names.index("share")
    if not any(_impossible(row[at]) for row in rows):
        return result
    simple = _simple_shares(result, names, rows)
    calculated = dict(result.calculated)
    if simple is not None:
        calculated["shares"] = {**output, "rows": simple}
        told = "shares came back outside 0 to 100 and were computed again from the parts and the whole"
    else:
        del calculated["shares"]
        told = "shares of the total are left out, because the parts do not lie within the whole"
    return replace(result, calculated=calculated, doubts=(*result.doubts, told))


def _impossible(share: Any) -> bool:
    return isinstance(share, (int, float)) and not -TOLERANCE <= share <= 100 + TOLERANCE


def _simple_shares(result: PartResult, names: tuple[str, ...], rows: tuple[Any, ...]) -> Frame | None:
    """Each part over the whole as retrieved; None where that is no better."""
    metric = result.plan.request.metrics[0]
    if "part" in names and "whole" in names:
        pairs = [(r[names.index("part")], r[names.index("whole")]) for r in rows]
    elif metric in names:
        parts = [r[names.index(metric)] for r in rows]
        whole = result.retrieved.get("whole")
        total = whole.rows[0][whole.columns.index(metric)] if whole and whole.rows else None
        total = total if total is not None else math.fsum(p for p in parts if p is not None)
        pairs = [(p, total) for p in parts]
    else:
        return None
    shares = [share_pct(p, w) for p, w in pairs]
    if any(_impossible(s) for s in shares):
        return None
    at = names.index("share")
    columns = {n: [r[i] for r in rows] if i != at else shares for i, n in enumerate(names)}
    return Frame.of([{n: columns[n][k] for n in names} for k in range(len(rows))])


def _changes(result: PartResult, model: SemanticModel) -> PartResult:
    """A change in percent follows from the two values that it leads between."""
    calculated, doubts = dict(result.calculated), list(result.doubts)
    for role, output in result.calculated.items():
        names, rows = frame_rows(output.get("rows"))
        if not role.startswith("change") or not {"current", "previous", "change", "change_pct"} <= set(names):
            continue
        now, before, by, pct = (names.index(n) for n in ("current", "previous", "change", "change_pct"))
        put_right: list[dict[str, Any]] = []
        wrong = False
        for row in rows:
            known = row[now] is not None and row[before] is not None
            change = row[now] - row[before] if known else None
            percent = change_pct(row[now], row[before])
            wrong = wrong or not (_same(row[by], change) and _same(row[pct], percent))
            put_right.append({**dict(zip(names, row, strict=True)), "change": change, "change_pct": percent})
        if wrong:
            calculated[role] = {**output, "rows": Frame.of(put_right)}
            doubts.append("a change did not follow from its values and was computed again")
    return replace(result, calculated=calculated, doubts=tuple(doubts))


def _same(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-9)
