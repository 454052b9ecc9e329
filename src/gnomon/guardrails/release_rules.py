"""What may be told of the output of each tool: one short rule for each, over the same few judgements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from gnomon.core.errors import PolicyViolation
from gnomon.guardrails.cells import MIN_ROWS, rounded
from gnomon.guardrails.evidence_rows import TracedRows
from gnomon.guardrails.origin import Origin
from gnomon.tools.frames import Frame

OPEN_ROWS: Mapping[str, frozenset[str]] = {
    "aggregate": frozenset({"rows"}),
    "correlation": frozenset({"rows"}),
    "geo_summary": frozenset({"rows"}),
    "regression": frozenset({"used"}),
    "seasonality": frozenset({"rows"}),
}
"""Fields whose rows are results and were judged one by one: groups, pairs of columns, coefficients, phases, places."""

_DATE = re.compile(r"\b(\d{4}-\d{2})-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?")
_NUMBERS = ("tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint",
            "uhugeint", "int", "uint", "float", "double", "decimal", "halffloat")  # fmt: skip


@dataclass
class View:
    """An output that is being judged.

    Args:
        tool: The tool that gave it.
        output: Field by field; a rule changes it in place.
        arguments: What the tool was called with.
        inputs: The rows that it was given, by parameter.
        made: The origins of the rows that it made, by field.
        notes: What was withheld.
    """

    tool: str
    output: dict[str, Any]
    arguments: Mapping[str, Any]
    inputs: Mapping[str, TracedRows]
    made: dict[str, Origin]
    notes: list[str] = field(default_factory=list[str])

    @property
    def data(self) -> TracedRows:
        """The first rows."""
        return self.inputs["data"]

    def note(self, text: str) -> None:
        """Say what was withheld."""
        self.notes.append(text)

    @property
    def whole(self) -> bool:
        """Whether a whole table of this machine was looked at: what is missing in it is told of it anyhow."""
        return self.data.frame.is_reference and not self.arguments.get("where")

    def counts(self, *names: str) -> None:
        """Withhold counts of fewer rows than may be spoken of; none at all is one of them."""
        for name in names:
            self.output[name] = self.count(self.output.get(name))

    def sizes(self, *names: str) -> None:
        """The same for counts that, of a whole table, are no secret."""
        if not self.whole:
            self.counts(*names)

    def size(self, value: Any) -> Any:
        """The same for one of them."""
        return value if self.whole else self.count(value)

    def count(self, value: Any) -> Any:
        """``value``, where it counts enough rows."""
        if isinstance(value, int) and not isinstance(value, bool) and value < MIN_ROWS:
            self.note(f"Counts below {MIN_ROWS} are withheld.")
            return None
        return value

    def drop(self, *names: str, why: str) -> None:
        """Withhold fields."""
        for name in names:
            value = self.output.get(name)
            if value is None or value == [] or value == {}:
                continue
            self.note(f"{name}: {why}")
            self.output[name] = [] if isinstance(value, list) else {} if isinstance(value, Mapping) else None

    def require(self, columns: Sequence[str], what: str) -> None:
        """Refuse a figure over too few source rows.

        Raises:
            PolicyViolation: Fewer stand behind the columns than may be spoken of.
        """
        if self.data.behind(columns).get((), 0) < MIN_ROWS:
            raise too_few(what)

    def value_columns(self) -> list[str]:
        """The column of numbers that a series tool worked on."""
        given = self.arguments.get("value")
        return [str(given)] if given else []

    def time_column(self) -> str | None:
        """The column of time stamps that a series tool worked on: the one named, else the first there is."""
        if given := self.arguments.get("time"):
            return str(given)
        return next(iter(times_of(self.data)), None)


def too_few(what: str) -> PolicyViolation:
    """The refusal of a figure over too few rows."""
    return PolicyViolation(
        f"{what} rests on fewer than {MIN_ROWS} rows, so it is not told.",
        suggestions=["Ask about more rows at once.", "The user can allow it with GNOMON_PRIVACY=full."],
    )


def withheld(value: Any) -> Any:
    """``value`` with nothing left of it but its shape."""
    if isinstance(value, Mapping):
        return {k: withheld(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    return [] if isinstance(value, (list, tuple)) else None


def numbers_of(rows: TracedRows) -> list[str]:
    """The columns of numbers among rows."""
    return [name for name, kind in _types(rows) if kind.startswith(_NUMBERS)]


def times_of(rows: TracedRows) -> list[str]:
    """The columns of dates and times among rows."""
    return [name for name, kind in _types(rows) if kind.startswith(("timestamp", "date"))]


def _types(rows: TracedRows) -> list[tuple[str, str]]:
    if rows.frame.is_reference:
        assert rows.dataset is not None
        return [(c.name, c.type.lower()) for c in rows.dataset.table(str(rows.frame.content)).columns]
    return [(f.name, str(f.type)) for f in rows.frame.arrow.schema]


# -- tables -----------------------------------------------------------------------------------------------------


def _profile(view: View) -> None:
    origin, shown = view.data.origin, dict(view.output["profile"])
    for name in ("sample_rows", "keys", "time"):
        shown.pop(name, None)
    shown["source"] = re.split(r"[/\\]", str(shown.get("source", "")))[-1]
    shown["duplicate_rows"] = view.size(shown.get("duplicate_rows"))
    shown["warnings"] = []
    columns: list[dict[str, Any]] = []
    for column in map(dict, shown.get("columns", [])):
        columns.append(_column(view, column, closed=origin.closed(str(column["name"]))))
    shown["columns"] = columns
    view.output["profile"] = shown
    view.output["summary"] = (
        f"{shown['rows']:,} rows × {len(columns)} columns."
        if shown["rows"] >= MIN_ROWS
        else f"Fewer than {MIN_ROWS} rows × {len(columns)} columns."
    )
    shown["rows"] = view.size(shown["rows"])
    shown.pop("basis", None)


def _column(view: View, column: dict[str, Any], *, closed: bool) -> dict[str, Any]:
    name = str(column["name"])
    common = {} if closed else {k[0]: n for k, n in view.data.behind([name], [name]).items() if n >= MIN_ROWS}
    present = 0 if closed else view.data.behind([name]).get((), 0)
    column["nulls"], column["distinct"] = view.size(column.get("nulls")), view.size(column.get("distinct"))
    column["null_rate"] = None if column["nulls"] is None else column.get("null_rate")
    column["warnings"], column["conversion"] = [], None
    for end in ("minimum", "maximum"):
        column[end] = column.get(end) if _text(column.get(end)) in common else None
    for figure in ("mean", "stddev"):
        column[figure] = column.get(figure) if present >= MIN_ROWS else None
    column["quantiles"] = None if closed else _quantiles(column.get("quantiles"), present)
    column["top_values"] = [
        {"value": v["value"], "count": common[_text(v["value"])]}
        for v in column.get("top_values") or []
        if _text(v["value"]) in common
    ]
    if str(column.get("type", "")).upper().startswith("ENUM"):
        column["type"] = "ENUM"
    return column


def _quantiles(given: Any, present: int) -> dict[str, Any] | None:
    """Quantiles with enough rows beyond them, as round numbers; of dates, none: each is somebody's day."""
    if not isinstance(given, Mapping):
        return None
    found: dict[str, Any] = {}
    for name, value in cast("Mapping[str, Any]", given).items():
        share = float(name.lstrip("p")) / 100
        beyond = min(share, 1 - share) * present
        told = isinstance(value, (int, float)) and beyond >= MIN_ROWS
        found[name] = rounded(value) if told else None
    return found


def _aggregate(view: View) -> None:
    given, rows = view.arguments, cast("Frame", view.output["rows"])
    grain, groups = given.get("grain"), [str(g) for g in given.get("group_by") or []]
    how, value = str(view.output["aggregate"]), view.output.get("value")
    origin = view.data.origin
    time = [view.time_column() or ""] if grain else []
    closed = [c for c in [*groups, *time] if origin.closed(c)]
    behind = {} if closed else _aggregated(view, [*time, *groups], None if how == "nunique" else value, [])
    keys = len(groups) + bool(grain)
    held = [behind.get(k, 0) for k in _keys(rows, keys)]
    told = [n >= MIN_ROWS for n in held]
    if how in {"min", "max"} and value and any(told):
        shared = _aggregated(view, [*time, *groups], value, [str(value)])
        ends = [(*k, _text(v)) for k, v in zip(_keys(rows, keys), _last(rows), strict=True)]
        ends_told = [shared.get(e, 0) >= MIN_ROWS for e in ends]
        if not all(ends_told):
            view.note(f"A {'smallest' if how == 'min' else 'largest'} value is told where at least {MIN_ROWS} rows share it.")  # fmt: skip
        told = [a and b for a, b in zip(told, ends_told, strict=True)]
    shown = rows.arrow.filter(told) if len(rows) else rows.arrow
    small = len(rows) - shown.num_rows
    view.output["rows"] = Frame(shown)
    if small:
        view.note(
            f"rows: {small:,} groups of fewer than {MIN_ROWS} source rows, or of a closed column, are withheld."
        )
    view.sizes("row_count", "null_count")
    if small and keys:
        view.output["summary"] = f"{shown.num_rows:,} of {len(rows):,} groups are told."
    elif small:
        view.output["summary"] = (
            f"The figure is withheld: too few source rows (under {MIN_ROWS}) stand behind it."
        )


def _aggregated(
    view: View, keys: Sequence[str], value: Any, more: Sequence[str]
) -> dict[tuple[Any, ...], int]:
    """How many source rows stand behind each group, counted by the tool that made the groups."""
    from gnomon.tools.aggregate_tool import AggregateInput, run_aggregate

    given = view.arguments
    where: list[Any] = list(given.get("where") or [])
    if value:
        where = [*where, {"column": value, "operator": "is not null"}]
    asked = {k: given[k] for k in ("time", "grain") if given.get(k)}
    asked["group_by"] = [*(given.get("group_by") or []), *more]
    used = [k for k in [*keys, *([str(value)] if value else [])] if k]
    found: dict[tuple[Any, ...], int] = {}
    rows = view.data.counted()
    for slot in view.data.slots(used):
        there = [*where, {"column": slot, "operator": ">=", "value": 0}] if slot else where
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
            named = (*key[: width - len(more)], *(_text(k) for k in key[width - len(more) :]))
            found[named] = min(int(count), found.get(named, int(count)))
    return found


def _keys(rows: Frame, count: int) -> list[tuple[Any, ...]]:
    columns = [rows.arrow.column(i).to_pylist() for i in range(count)]
    return list(zip(*columns, strict=True)) if columns else [()] * len(rows)


def _last(rows: Frame) -> list[Any]:
    return rows.arrow.column(rows.arrow.num_columns - 1).to_pylist()


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return (
        str(float(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
    )


def _filter(view: View) -> None:
    view.output["summary"] = "The rows that meet the condition are kept under the handle."
    view.counts("kept", "removed")
    if view.output["kept"] is None or view.output["removed"] is None:
        view.output["kept"] = view.output["removed"] = None


def _derive(view: View) -> None:
    view.counts("missing")
    if view.output["missing"] is None and "summary" in view.output:
        view.output["summary"] = f"{view.arguments.get('new_column')} was added."


def _bin(view: View) -> None:
    rows = cast("Frame", view.output["rows"])
    column = str(view.arguments.get("new_column") or _only_new(view, rows) or "")
    tells_ends = rows.lineage is not None and column in rows.lineage.edges
    given = bool(view.arguments.get("labels"))
    names = {str(b["label"]): f"bin {i}" for i, b in enumerate(_plain(view.output["bins"]), 1)}
    if tells_ends and not given:
        labels = rows.arrow.column(column).to_pylist()
        at = rows.arrow.column_names.index(column)
        import pyarrow as pa

        replaced = rows.arrow.set_column(
            at, column, pa.array([names.get(str(v)) for v in labels], pa.string())
        )
        view.output["rows"] = Frame(replaced, rows.lineage)
    made = TracedRows(cast("Frame", view.output["rows"]), view.made["rows"], view.data.settings)
    behind = {k[0]: n for k, n in made.behind([], [column]).items()} if column else {}
    told: list[dict[str, Any]] = []
    for found in _plain(view.output["bins"]):
        label = names[str(found["label"])] if tells_ends and not given else str(found["label"])
        if behind.get(label, 0) >= MIN_ROWS:
            told.append({**found, "label": label} | ({"low": None, "high": None} if tells_ends else {}))
    if len(told) < len(view.output["bins"]):
        view.note(f"bins: those of fewer than {MIN_ROWS} source rows are withheld.")
    if tells_ends:
        view.note("bins: borders are withheld, since they tell the ends of the data; choose them as 'edges'.")
    view.output["bins"], view.output["notes"] = told, []
    view.counts("missing", "outside")
    view.output["summary"] = f"{len(told)} bins are told."


def _only_new(view: View, rows: Frame) -> str | None:
    before = set(view.data.origin.columns)
    return next((c for c in reversed(rows.columns) if c not in before), rows.columns[-1])


def _clean(view: View) -> None:
    view.drop("removed", why="single rows are withheld.")
    if view.data.behind([b["column"] for b in _plain(view.output["bounds"])]).get((), 0) < MIN_ROWS:
        raise too_few("What counts as usual")
    bounds = [
        {**b, "outliers": view.count(b["outliers"]), "note": None} for b in _plain(view.output["bounds"])
    ]
    view.output["bounds"] = [{**b, "low": _round(b["low"]), "high": _round(b["high"])} for b in bounds]
    before, after = view.output["rows_before"], view.output["rows_after"]
    if before - after < MIN_ROWS or after < MIN_ROWS:
        view.note(f"Counts below {MIN_ROWS} are withheld.")
        view.output["rows_after"] = None
    view.counts("rows_before")
    view.output["summary"] = "The rows without outliers are kept under the handle."


def _join(view: View) -> None:
    view.drop("repeated_keys", why="keys are cells, and are withheld.")
    left, right = (view.output[f"{s}_rows"] - view.output[f"{s}_matched"] for s in ("left", "right"))
    for side, rest in (("left", left), ("right", right)):
        few = 0 < rest < MIN_ROWS or view.output[f"{side}_matched"] < MIN_ROWS
        if few:
            view.note(f"Counts below {MIN_ROWS} are withheld.")
            view.output[f"{side}_matched"] = view.output[f"{side}_match_rate"] = None
    if view.output["left_matched"] is None or view.output["right_matched"] is None:
        view.output["fan_out"] = None
    view.counts("left_rows", "right_rows")
    for name in ("left_missing_keys", "right_missing_keys"):
        if view.output[name]:
            view.counts(name)
    keys = ", ".join(a if a == b else f"{a} = {b}" for a, b in view.output["keys"])
    view.output["notes"] = [n for n in view.output["notes"] if "compared as text" in n]
    view.output["summary"] = f"Joined on {keys}; the rows are kept under the handle."


def _compare(view: View) -> None:
    view.drop("added_examples", "removed_examples", "changed_examples", why="examples of rows are withheld.")
    rest = {n: view.output[n] for n in ("added", "removed", "changed", "unchanged")}
    for name, count in rest.items():
        if 0 < count < MIN_ROWS:
            view.output[name] = view.count(count)
    if any(view.output[n] is None for n in rest):
        for name, count in rest.items():
            view.output[name] = count if count >= 2 * MIN_ROWS and name == "unchanged" else view.output[name]
    columns: list[dict[str, Any]] = []
    for column in _plain(view.output["columns"]):
        few = column["changed"] < MIN_ROWS or any(
            t.origin.closed(column["column"]) for t in view.inputs.values()
        )
        hidden = dict.fromkeys(("changed", "share", "sum_before", "sum_after", "mean_change"))
        columns.append({**column, **hidden} if few else column)
        columns[-1] |= {n: view.count(column[n]) for n in ("became_missing", "was_missing")}
    view.output["columns"], view.output["notes"] = columns, []
    view.output["type_changes"] = dict(view.output["type_changes"])
    view.counts("rows_before", "rows_after")
    view.output["summary"] = "The two versions are identical." if view.output["identical"] else "The two versions differ."  # fmt: skip


def _chart(view: View) -> None:
    shown = dict(view.output["spec"])
    if "data" in shown:
        shown["data"] = {"values": []}
        view.note("spec.data.values: the rows of the chart are withheld.")
    view.output["spec"] = shown
    view.counts("points")
    view.output["summary"] = f"A {view.output['chart']} chart; its rows stay on this machine."


# -- columns ----------------------------------------------------------------------------------------------------


def _correlation(view: View) -> None:
    origin = view.data.origin

    def told(pair: Mapping[str, Any]) -> bool:
        both = [str(pair["first"]), str(pair["second"])]
        return not any(origin.closed(c) for c in both) and view.data.behind(both).get((), 0) >= MIN_ROWS

    pairs = _plain(view.output["pairs"])
    kept = [told(p) for p in pairs]
    view.output["pairs"] = [p for p, keep in zip(pairs, kept, strict=True) if keep]
    rows = cast("Frame", view.output["rows"])
    view.output["rows"] = Frame(rows.arrow.filter(kept) if len(rows) else rows.arrow)
    if not all(kept):
        view.note(f"pairs: {kept.count(False):,} with a closed column or too few rows are withheld.")
        view.output["summary"] = f"{sum(kept)} of {len(kept)} pairs are told."
    view.output["left_out"] = {k: "left out" for k in view.output["left_out"]}


def _distribution(view: View) -> None:
    values = view.value_columns()
    view.require(values, "The distribution")
    present = view.data.behind(values).get((), 0)
    shared = {k[0]: n for k, n in view.data.behind(values, values).items()} if values else {}
    for end in ("minimum", "maximum"):
        common = {_number(k) for k, n in shared.items() if n >= MIN_ROWS}
        if view.output[end] not in common:
            view.drop(end, why=f"told only where at least {MIN_ROWS} rows share it.")
    view.output["quantiles"] = _quantiles(view.output["quantiles"], present) or {}
    for name in ("zeros", "negatives", "outliers"):
        share = view.output[name]
        if share is not None and share * present < MIN_ROWS:
            view.output[name] = None
    view.output["histogram"] = _histogram(view, values)
    for name in ("best", "families"):
        found = view.output[name]
        if isinstance(found, list):
            view.output[name] = [{**f, "parameters": {}} for f in _plain(found)]
        elif found:
            view.output[name] = {**_plain([found])[0], "parameters": {}}
    view.output["iqr"] = _round(view.output["iqr"])
    view.output["outlier_low"], view.output["outlier_high"] = (
        _round(view.output[n]) for n in ("outlier_low", "outlier_high")
    )
    view.output["notes"] = []
    view.sizes("missing", "distinct", "count")
    view.output["summary"] = f"{', '.join(values) or 'The column'} is {view.output['shape']}."


def _histogram(view: View, values: Sequence[str]) -> list[dict[str, Any]]:
    """Bins with round borders that depend on no single value; those of too few source rows are left out."""
    import math

    import numpy as np

    if not values:
        return []
    frame = view.data.read(values)
    column = frame[values[0]].astype(float)
    finite = column[np.isfinite(column)]
    if finite.empty:
        return []
    low, high = (float(finite.quantile(q)) for q in (0.05, 0.95))
    step = 10 ** math.floor(math.log10(max(high - low, 1e-9)))
    step = next(step * f for f in (0.1, 0.2, 0.5, 1, 2) if (high - low) / (step * f) <= 20)
    bins = np.floor(column / step)
    origin = Origin(
        view.data.origin.slots, {**view.data.origin.columns, "\0bin": view.data.origin.columns[values[0]]}
    )
    import pyarrow as pa

    held = pa.table({"\0bin": pa.array([None if not np.isfinite(b) else float(b) for b in bins])})
    counted = TracedRows(Frame(held), origin, view.data.settings)
    behind = _grouped(counted, bins)
    return [
        {"low": float(f"{b * step:.10g}"), "high": float(f"{(b + 1) * step:.10g}"), "count": n}
        for b, n in sorted(behind.items())
        if n >= MIN_ROWS
    ]


def _grouped(rows: TracedRows, codes: Any) -> dict[float, int]:
    """How many source rows stand behind each code."""
    import numpy as np
    import pandas as pd

    found: dict[float, int] = {}
    for i in rows.origin.behind(["\0bin"]):
        ids = rows.origin.slots[i].rows
        table = pd.DataFrame({"id": np.arange(len(codes)) if ids is None else ids, "code": np.asarray(codes)})
        counts = table[table["id"] >= 0].groupby("code")["id"].nunique()
        for code, count in counts.items():
            key = float(cast("float", code))
            found[key] = min(int(count), found.get(key, int(count)))
    return found


def _clusters(view: View) -> None:
    rows = TracedRows(cast("Frame", view.output["rows"]), view.made["rows"], view.data.settings)
    behind = {_number(k[0]): n for k, n in rows.behind([], ["segment"]).items()}
    told: list[dict[str, Any]] = []
    for segment in _plain(view.output["segments"]):
        number = behind.get(float(segment["segment"]), 0)
        if number >= MIN_ROWS:
            columns = [_described(c, number, view) for c in _plain(segment["columns"])]
            told.append({**segment, "columns": [c for c in columns if c]})
    if len(told) < len(view.output["segments"]):
        view.note(f"segments: those of fewer than {MIN_ROWS} source rows are withheld.")
        view.output["summary"] = f"{len(told)} of {view.output['k']} segments are told."
    view.output["segments"] = told
    view.counts("left_out_rows")
    view.output["left_out_columns"] = {k: "left out" for k in view.output["left_out_columns"]}


def _described(column: dict[str, Any], rows: int, view: View) -> dict[str, Any] | None:
    if view.data.origin.closed(str(column["column"])):
        return None
    if column.get("top_share") is not None and column["top_share"] * rows < MIN_ROWS:
        column |= {"top_value": None, "top_share": None}
    return {**column, "median": _round(column.get("median"))}


def _test(view: View) -> None:
    given = view.arguments
    groups = [str(g) for g in given.get("group_by") or []]
    columns = [str(c) for c in given.get("columns") or []]
    origin = view.data.origin
    used = [*view.value_columns(), *columns]
    if any(origin.closed(c) for c in [*groups, *used]) or not used:
        raise too_few("A test of closed columns, or of columns that are not named,")
    behind = view.data.behind(used, groups)
    for column in used:  # of categories, each value is a group of its own
        if column not in numbers_of(view.data) and column not in times_of(view.data):
            behind |= view.data.behind([column], [column])
    if not behind or min(behind.values()) < MIN_ROWS:
        raise too_few("One of the groups")
    for sample in _plain(view.output["samples"]):
        sample["median"] = _round(sample.get("median"))
    view.output["samples"] = [
        {**s, "median": _round(s.get("median"))} for s in _plain(view.output["samples"])
    ]


def _regression(view: View) -> None:
    import numpy as np

    features = [str(f) for f in view.arguments.get("features") or []]
    target = str(view.arguments["target"])
    used = [target, *features]
    if any(view.data.origin.closed(c) for c in used) or not features:
        raise too_few("A model over closed columns")
    behind = view.data.behind(used).get((), 0)
    if behind < MIN_ROWS + len(view.output["coefficients"]) + 1:
        raise too_few("The model, beside what it estimates,")
    numbers = set(numbers_of(view.data))
    for column in [c for c in used if c not in times_of(view.data)]:
        sizes = [n for k, n in view.data.behind([column], [column]).items() if k[0] is not None]
        rare = min(sizes, default=0) if column not in numbers else int(np.sum(sizes)) - max(sizes, default=0)
        # Where a column sets apart fewer rows than may be spoken of, its coefficient tells their values.
        if rare < MIN_ROWS and len(sizes) > 1:
            raise too_few(f"What {column!r} sets apart")
    view.counts("left_out_rows")
    view.output["left_out"] = {k: "left out" for k in view.output["left_out"]}


def _geo(view: View) -> None:
    view.drop("nearest", "farthest", "invalid", why="single places are withheld.")
    view.drop(
        "south", "north", "west", "east", "diagonal_km", "reference", why="the outermost places are withheld."
    )
    columns = [str(view.arguments[k]) for k in ("latitude", "longitude", "value") if view.arguments.get(k)]
    if view.data.behind(columns).get((), 0) < MIN_ROWS:
        raise too_few("The middle of the places")
    identity = all(s.rows is None for s in view.data.origin.slots)
    spots = _plain(view.output["hotspots"])
    kept = [identity and s["count"] >= MIN_ROWS for s in spots]
    view.output["hotspots"] = [s for s, keep in zip(spots, kept, strict=True) if keep]
    rows = cast("Frame", view.output["rows"])
    view.output["rows"] = Frame(rows.arrow.filter(kept) if len(rows) else rows.arrow)
    view.counts("invalid_count", "count", "distinct", "unclustered")
    view.output["notes"] = []
    view.output["summary"] = f"{len(view.output['hotspots'])} hotspots are told."


# -- series -----------------------------------------------------------------------------------------------------


class _Calendar:
    """Moments as coarse as they have to be: the day, month or year that enough source rows share."""

    def __init__(self, view: View) -> None:
        import pandas as pd

        self._periods: list[tuple[str, dict[str, int]]] = []
        self._last: Any = None
        name = view.time_column()
        if name is None or view.data.origin.closed(name):
            return
        times = pd.to_datetime(view.data.read([name])[name], errors="coerce", utc=True)
        self._last = times.max()
        slots = view.data.origin.behind([name])
        for pattern in ("%Y-%m-%d", "%Y-%m", "%Y"):
            labels = times.dt.strftime(pattern)
            counts: dict[str, int] = {}
            for i in slots:
                rows = view.data.origin.slots[i].rows
                table = pd.DataFrame({"label": labels, "id": range(len(labels)) if rows is None else rows})
                for label, count in table[table["id"] >= 0].groupby("label")["id"].nunique().items():
                    counts[str(label)] = min(int(count), counts.get(str(label), int(count)))
            self._periods.append((pattern, counts))

    def told(self, value: Any) -> str | None:
        """A moment, as exactly as it may be told; one beyond the last is told as exactly as the last."""
        import pandas as pd

        moment = pd.to_datetime(value, errors="coerce", utc=True) if value is not None else None
        if moment is None or pd.isna(moment) or self._last is None or isinstance(value, (int, float)):
            return None
        known = min(moment, self._last)
        for pattern, counts in self._periods:
            if counts.get(known.strftime(pattern), 0) >= MIN_ROWS:
                return moment.strftime(pattern)
        return None


def _series(view: View) -> None:
    """What all series tools have in common: enough rows in all and in each group, coarse moments."""
    values = view.value_columns() or [c for c in numbers_of(view.data) if not view.data.origin.closed(c)][:1]
    view.require(values, "The series")
    calendar = _Calendar(view)
    _judged(view.output, calendar)
    groups = [str(g) for g in view.arguments.get("group_by") or []]
    if groups:
        closed = any(view.data.origin.closed(g) for g in groups)
        behind = {} if closed else view.data.behind(values, groups)
        told: list[dict[str, Any]] = []
        for group in _plain(view.output.get("groups") or []):
            key = tuple(group["group"].get(g) for g in groups)
            if behind.get(key, 0) >= MIN_ROWS:
                result = dict(group["result"])
                _judged(result, calendar)
                told.append({**group, "result": result, "summary": _coarse(group["summary"])})
        if len(told) < len(view.output.get("groups") or []):
            view.note(f"groups: those of fewer than {MIN_ROWS} source rows are withheld.")
        view.output["groups"] = told
    view.output["summary"] = _coarse(str(view.output["summary"]))


def _judged(found: dict[str, Any], calendar: _Calendar) -> None:
    """The fields of one series: moments made coarse, levels of few steps and copies of the last value left out."""
    if "points" in found:
        copies = str(found.get("model")) in {"naive", "seasonal naive", "drift"}
        found["points"] = [
            {**p, "time": calendar.told(p.get("time"))}
            | ({"value": None, "lower": None, "upper": None} if copies else {})
            for p in _plain(found["points"])
        ]
    if "changes" in found:
        counts = [int(s["count"]) for s in _plain(found.get("segments") or [])]
        changes = _plain(found["changes"])
        found["changes"] = [
            {**c, "time": calendar.told(c.get("time"))}
            for i, c in enumerate(changes)
            if min(counts[i : i + 2], default=0) >= MIN_ROWS
        ]
        found["segments"] = [
            {**s, "start": calendar.told(s.get("start")), "end": calendar.told(s.get("end"))}
            for s in _plain(found.get("segments") or [])
            if int(s["count"]) >= MIN_ROWS
        ]
    if "profile" in found and isinstance(found["profile"], list):
        phases = _plain(cast("list[Any]", found["profile"]))
        found["profile"] = [p for p in phases if int(p["count"]) >= MIN_ROWS]
        if len(found["profile"]) < len(phases):
            found["peak"] = found["trough"] = found["amplitude"] = None
    for name in ("start", "end"):
        if isinstance(found.get(name), float):
            found[name] = rounded(found[name])
    if "notes" in found:
        found["notes"] = [_coarse(str(n)) for n in found["notes"]]


def _forecast(view: View) -> None:
    _series(view)
    model = view.output["model"]
    view.output["summary"] = f"A forecast of {len(view.output['points'])} steps, by {model}."
    if any(p["value"] is None for p in view.output["points"]):
        view.note("points: this model repeats single values of the series, which are withheld.")
    for group in view.output.get("groups") or []:
        group["summary"] = f"A forecast, by {group['result'].get('model', 'no model')}."


def _seasonality(view: View) -> None:
    _series(view)
    rows, phases = cast("Frame", view.output["rows"]), view.output["profile"]
    labels = {str(p["label"]) for p in phases}
    kept = [str(v) in labels for v in rows.arrow.column(0).to_pylist()]
    view.output["rows"] = Frame(rows.arrow.filter(kept) if len(rows) else rows.arrow)


def _change_points(view: View) -> None:
    _series(view)
    changes = view.output["changes"]
    view.output["summary"] = f"The level changed {len(changes)} times." if changes else "No change of the level is told."  # fmt: skip
    for group in view.output.get("groups") or []:
        group["summary"] = f"The level changed {len(group['result'].get('changes') or [])} times."


def _zscore(view: View) -> None:
    origin = view.data.origin
    columns = view.value_columns() or numbers_of(view.data)
    if any(origin.closed(c) for c in columns):
        raise too_few("A score over closed columns")
    view.drop("anomalies", why="the values of single rows are withheld; their rows have a handle.")
    groups = [str(g) for g in view.arguments.get("group_by") or []]
    closed = any(origin.closed(g) for g in groups)
    behind = {} if closed else view.data.behind(view.value_columns(), groups)
    names = {" · ".join(str(p) for p in k): n for k, n in behind.items()}
    told: list[dict[str, Any]] = []
    for series in _plain(view.output["series"]):
        name = str(series.get("group") or "")
        own = next((n for k, n in names.items() if name in {k, ""} or name.endswith(f" · {k}")), 0)
        own = min(names.values(), default=0) if not groups else own
        if own >= MIN_ROWS:
            anomalies = view.count(series["anomalies"])
            told.append({**series, "anomalies": anomalies, "center": _round(series["center"]), "scale": _round(series["scale"]), "missing": view.size(series["missing"])})  # fmt: skip
    view.output["series"] = told
    view.sizes("checked", "missing")
    view.output["notes"] = []
    view.output["summary"] = f"{len(told)} series were checked; the rows with their scores have a handle."


def _investigate(view: View) -> None:
    origin = view.data.origin
    columns = [str(c) for c in view.arguments.get("columns") or []]
    if not columns or any(origin.closed(c) for c in columns):
        raise too_few("An investigation of closed columns")
    view.require([], "The investigation")
    view.output["anomalies"] = [
        {**a, "why": without_numbers(str(a["why"]))} for a in _plain(view.output["anomalies"])
    ]
    view.output["next_action"] = {
        k: without_numbers(v) if isinstance(v, str) else v
        for k, v in dict(view.output["next_action"]).items()
        if isinstance(v, (str, bool))
    }
    view.output["summary"] = without_numbers(str(view.output["summary"]))


def without_numbers(text: str) -> str:
    """A sentence about single rows, without the figures in it."""
    return re.sub(r"[-−]?\d[\d,.]*", "…", text)


def _coarse(text: str) -> str:
    return _DATE.sub(r"\1", text)


def _round(value: Any) -> Any:
    return rounded(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _number(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def _plain(items: Any) -> list[dict[str, Any]]:
    """Members of a list as dictionaries that may be changed."""
    return [dict(i) if isinstance(i, Mapping) else dict(i.model_dump()) for i in items]  # pyright: ignore[reportUnknownArgumentType]


RULES: Mapping[str, Callable[[View], None]] = {
    "profile_table": _profile,
    "aggregate": _aggregate,
    "anomaly_zscore": _zscore,
    "timeseries_forecaster": _forecast,
    "trend": _series,
    "seasonality": _seasonality,
    "change_points": _change_points,
    "anomaly_investigate": _investigate,
    "correlation": _correlation,
    "cluster_segmentation": _clusters,
    "distribution": _distribution,
    "geo_summary": _geo,
    "hypothesis_test": _test,
    "regression": _regression,
    "derive_column": _derive,
    "filter_rows": _filter,
    "bin_column": _bin,
    "clean_outliers": _clean,
    "join_tables": _join,
    "compare_tables": _compare,
    "render_chart": _chart,
}
