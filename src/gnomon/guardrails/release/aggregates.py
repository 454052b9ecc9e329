"""What may be told of aggregated rows: groups of enough source rows, all of which are judged before a top is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from gnomon.guardrails.release.apart import leaves_few_out
from gnomon.guardrails.release.cells import MIN_ROWS
from gnomon.guardrails.release.days import coarse
from gnomon.guardrails.release.groups import told_groups, values_told
from gnomon.guardrails.release.traced import carrying
from gnomon.guardrails.release.view import View, refusal, text_of, to_few_digits
from gnomon.tools.frames import Frame

_MOST_GROUPS = 100_000


def aggregate_rule(view: View) -> None:
    given, rows = view.arguments, cast("Frame", view.output["rows"])
    grain, groups = given.get("grain"), [str(g) for g in given.get("group_by") or []]
    how, value = str(view.output["aggregate"]), view.output.get("value")
    _conditions_leave_enough(view)
    origin = view.data.origin
    if value and how not in {"nunique", "count"} and origin.closed(str(value)):
        raise refusal([str(value)])  # without 'aggregate', numbers are added up
    time = [view.time_column() or ""] if grain else []
    closed = [c for c in [*groups, *time] if origin.closed(c)]
    behind = {} if closed else _aggregated(view, [*time, *groups], None if how == "nunique" else value, [])
    keys = len(groups) + bool(grain)
    if value and how not in {"nunique", "count"} and not closed and not view.data.frame.is_reference:
        each = _aggregated(view, [*time, *groups], value, [str(value)])
        for key, count in carrying(each, 2 if how == "stddev" else 1).items():
            behind[key] = min(count, behind.get(key, count))
    top = int(given.get("top") or 0) if keys else 0
    if top:
        rows = _all_groups(view)
    if how == "nunique" and not view.whole and not closed:
        rows = _values_counted(view, rows, [*time, *groups], str(value))
        view.output["summary"] = (
            f"Values of {value} were counted, of those that at least {MIN_ROWS} rows hold."
        )
    named = _keys(rows, keys)
    absent = _absent(view, named, [*time, *groups]) if keys and not closed else []
    moved = bool(absent) or _moves(view)
    told = told_groups(
        [*(behind.get(k, 0) for k in named), *(0 for _ in absent)], [*named, *absent], moved=moved
    )
    told = told[: len(named)]
    if how in {"min", "max"} and value and any(told):
        shared = _aggregated(view, [*time, *groups], value, [str(value)])
        ends = [(*k, text_of(v)) for k, v in zip(named, _last(rows), strict=True)]
        ends_told = [shared.get(e, 0) >= MIN_ROWS for e in ends]
        if not all(ends_told):
            view.note(f"A {'smallest' if how == 'min' else 'largest'} value is told where at least {MIN_ROWS} rows share it.")  # fmt: skip
        told = [a and b for a, b in zip(told, ends_told, strict=True)]
    if how == "median":
        rows = _with_last(rows, [to_few_digits(v) for v in _last(rows)])
    shown = rows.arrow.filter(told) if len(rows) else rows.arrow
    small = len(rows) - shown.num_rows
    shown = shown.slice(0, top) if top else shown
    view.output["rows"] = Frame(shown)
    periods = {str(p)[:10] for p in shown.column(0).to_pylist()} if grain else set[str]()
    view.output["open_periods"] = [p for p in view.output["open_periods"] if str(p)[:10] in periods]
    view.sizes("row_count", "null_count")
    if not view.whole and not any(told):  # six rows of one person are too few to be counted
        view.output |= {"row_count": None, "null_count": None}
    # Where the rows of a condition begin and end, and how many groups it leaves, would tell of single rows.
    view.output["notes"] = [coarse(str(n)) for n in view.output["notes"]] if view.whole and not closed else []
    if keys and not view.whole:
        view.note(f"rows: groups of fewer than {MIN_ROWS} source rows, or of a closed column, are withheld.")
        view.output["group_count"] = shown.num_rows
        view.output["summary"] = f"{shown.num_rows:,} groups are told."
    elif keys and small:
        view.note(
            f"rows: {small:,} groups of fewer than {MIN_ROWS} source rows, or of a closed column, are withheld."
        )
        view.output["summary"] = f"{shown.num_rows:,} of {len(rows):,} groups are told."
    elif small:
        view.note(f"rows: what fewer than {MIN_ROWS} source rows stand behind is withheld.")
        view.output["summary"] = (
            f"The figure is withheld: too few source rows (under {MIN_ROWS}) stand behind it."
        )


def _all_groups(view: View) -> Frame:
    """The groups of which a top was taken, all of them in its order."""
    from gnomon.tools.aggregate_tool import AggregateInput, run_aggregate

    given = {k: v for k, v in view.arguments.items() if k in AggregateInput.model_fields and v is not None}
    asked = AggregateInput.model_validate({**given, "data": view.data.frame, "top": _MOST_GROUPS})
    return cast("Frame", run_aggregate(asked, view.data.context).rows)  # pyright: ignore[reportAttributeAccessIssue]


def _values_counted(view: View, rows: Frame, keys: Sequence[str], value: str) -> Frame:
    """How many different values some rows hold in each group: of those that enough of them hold.

    Else a condition that is moved would tell where the last row of a value lies.
    """
    import pyarrow as pa

    held: dict[tuple[Any, ...], list[int]] = {}
    for (*key, _), count in _aggregated(view, keys, value, [value]).items():
        held.setdefault(tuple(key), []).append(count)
    closed = view.data.origin.closed(value)
    width = rows.arrow.num_columns - 1
    counts = [values_told(held.get(k, []), closed=closed) for k in _keys(rows, width)]
    view.note(f"Values of fewer than {MIN_ROWS} rows are not counted.")
    counted = rows.arrow.set_column(width, rows.arrow.schema.field(width), pa.array(counts, pa.int64()))
    if view.arguments.get("grain") and not view.arguments.get("top"):
        return Frame(counted)
    way = "ascending" if view.arguments.get("ascending") else "descending"
    names = counted.column_names
    return Frame(counted.sort_by([(names[-1], way), *((n, "ascending") for n in names[:-1])]))


def _absent(view: View, named: Sequence[tuple[Any, ...]], keys: Sequence[str]) -> list[tuple[Any, ...]]:
    """The groups that a condition which can be moved, or the making of these rows, left no row of."""
    if _moves(view):
        here = set(named)
        return [k for k in _aggregated(view, keys, None, [], whole=True) if k not in here]
    if view.arguments.get("grain"):
        return []
    texts = {tuple(None if v is None else str(v) for v in k) for k in named}
    return [k for k in view.data.absent(keys) if k not in texts]


def _moves(view: View) -> bool:
    """Whether a condition can be moved from row to row."""
    where: list[Any] = list(view.arguments.get("where") or [])
    operators = [w.get("operator") if isinstance(w, Mapping) else getattr(w, "operator", "") for w in where]
    return any(str(o) in {"<", "<=", ">", ">="} for o in operators)


def _aggregated(
    view: View, keys: Sequence[str], value: Any, more: Sequence[str], *, whole: bool = False
) -> dict[tuple[Any, ...], int]:
    """How many source rows stand behind each group, counted by the tool that made the groups; of the ``whole``, also of
    those that meet no condition."""
    from gnomon.tools.aggregate_tool import AggregateInput, run_aggregate

    given = view.arguments
    where: list[Any] = [] if whole else list(given.get("where") or [])
    if value:
        where = [*where, {"column": value, "operator": "is not null"}]
    asked = {k: given[k] for k in ("time", "grain") if given.get(k)}
    asked["group_by"] = [*(given.get("group_by") or []), *more]
    used = [k for k in [*keys, *([str(value)] if value else [])] if k]
    found: dict[tuple[Any, ...], int] = {}
    rows = view.data.counted()
    for slot in view.data.slots(used):
        there = [*where, {"column": slot, "operator": "is not null"}] if slot else where
        counted = run_aggregate(
            AggregateInput.model_validate(
                {"data": rows, **asked, "where": there}
                | ({"value": slot, "aggregate": "nunique"} if slot else {"aggregate": "count"})
            ),
            view.data.context,
        )
        table = cast("Frame", counted.rows)  # pyright: ignore[reportAttributeAccessIssue]
        width = table.arrow.num_columns - 1
        for key, count in zip(_keys(table, width), _last(table), strict=True):
            named = (*key[: width - len(more)], *(text_of(k) for k in key[width - len(more) :]))
            found[named] = min(int(count), found.get(named, int(count)))
    return found


def _conditions_leave_enough(view: View) -> None:
    """Refuse a condition that only a few rows, or none, fail to meet: the whole less the others would tell them."""
    where: list[Any] = list(view.arguments.get("where") or [])
    if not where:
        return
    persons = view.data.persons()
    columns = [str(c.get("column") if isinstance(c, Mapping) else getattr(c, "column", "")) for c in where]
    for slot in view.data.slots(columns):
        everything, met = _rows_met(view, slot, []), _rows_met(view, slot, where)
        each = [_rows_met(view, slot, [c]) for c in where] if len(where) > 1 else [met]
        # That nobody is left out who has other rows tells nothing, but that a few are does.
        least = 1 if slot in persons else 0
        if met >= MIN_ROWS and any(least <= everything - n < MIN_ROWS for n in each):
            raise leaves_few_out()


def _rows_met(view: View, slot: str | None, where: Sequence[Any]) -> int:
    from gnomon.tools.aggregate_tool import AggregateInput, run_aggregate

    there = [*where, {"column": slot, "operator": "is not null"}] if slot else list(where)
    how = {"value": slot, "aggregate": "nunique"} if slot else {"aggregate": "count"}
    asked = AggregateInput.model_validate({"data": view.data.counted(), "where": there, **how})
    counted = run_aggregate(asked, view.data.context)
    return int(_last(cast("Frame", counted.rows))[0] or 0)  # pyright: ignore[reportAttributeAccessIssue]


def _keys(rows: Frame, count: int) -> list[tuple[Any, ...]]:
    columns = [rows.arrow.column(i).to_pylist() for i in range(count)]
    return list(zip(*columns, strict=True)) if columns else [()] * len(rows)


def _with_last(rows: Frame, values: list[Any]) -> Frame:
    import pyarrow as pa

    at = rows.arrow.num_columns - 1
    kept = rows.arrow.schema.field(at)
    return Frame(rows.arrow.set_column(at, kept, pa.array(values).cast(kept.type)), rows.lineage)


def _last(rows: Frame) -> list[Any]:
    return rows.arrow.column(rows.arrow.num_columns - 1).to_pylist()
