"""What may be told of tools that describe columns and relate them: distributions, tests, models, segments, places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from gnomon.guardrails.release.cells import MIN_ROWS
from gnomon.guardrails.release.groups import told_groups
from gnomon.guardrails.release.origin import Origin
from gnomon.guardrails.release.traced import MOST, TracedRows
from gnomon.guardrails.release.view import (
    View,
    members,
    number_of,
    numbers_of,
    quantiles_told,
    times_of,
    to_few_digits,
    too_few,
)
from gnomon.tools.frames import Frame

if TYPE_CHECKING:
    import pandas as pd


def correlation_rule(view: View) -> None:
    origin = view.data.origin

    def told(pair: Mapping[str, Any]) -> bool:
        both = [str(pair["first"]), str(pair["second"])]
        return (
            not any(origin.closed(c) for c in both) and view.data.behind(both, power=2).get((), 0) >= MIN_ROWS
        )

    pairs = members(view.output["pairs"])
    kept = [told(p) for p in pairs]
    view.output["pairs"] = [p for p, keep in zip(pairs, kept, strict=True) if keep]
    rows = cast("Frame", view.output["rows"])
    view.output["rows"] = Frame(rows.arrow.filter(kept) if len(rows) else rows.arrow)
    if not all(kept):
        view.note(f"pairs: {kept.count(False):,} with a closed column or too few rows are withheld.")
        view.output["summary"] = f"{sum(kept)} of {len(kept)} pairs are told."
    view.output["left_out"] = dict.fromkeys(view.output["left_out"], "left out")


def distribution_rule(view: View) -> None:
    values = view.value_columns()
    view.require(values, "The distribution")
    present = view.data.behind(values).get((), 0)
    shared = {k[0]: n for k, n in view.data.behind(values, values).items()} if values else {}
    for end in ("minimum", "maximum"):
        common = {number_of(k) for k, n in shared.items() if n >= MIN_ROWS}
        if view.output[end] not in common:
            view.drop(end, why=f"told only where at least {MIN_ROWS} rows share it.")
    view.output["quantiles"] = quantiles_told(view.output["quantiles"], present) or {}
    for name in ("zeros", "negatives", "outliers"):
        share = view.output[name]
        if share is not None and share * present < MIN_ROWS:
            view.output[name] = None
    view.output["histogram"] = _histogram(view, values)
    for name in ("best", "families"):
        found = view.output[name]
        if isinstance(found, list):
            view.output[name] = [{**f, "parameters": {}} for f in members(found)]
        elif found:
            view.output[name] = {**members([found])[0], "parameters": {}}
    view.output["iqr"] = to_few_digits(view.output["iqr"])
    view.output["outlier_low"], view.output["outlier_high"] = (
        to_few_digits(view.output[n]) for n in ("outlier_low", "outlier_high")
    )
    view.output["notes"] = []
    view.sizes("missing", "count")
    view.of_a_whole("distinct")
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
    behind = sorted(_grouped(counted, bins).items())
    told = told_groups([n for _, n in behind], [(f"{b:030.9f}",) for b, _ in behind])
    return [
        {"low": float(f"{b * step:.10g}"), "high": float(f"{(b + 1) * step:.10g}"), "count": n}
        for (b, n), keep in zip(behind, told, strict=True)
        if keep
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


def clusters_rule(view: View) -> None:
    rows = TracedRows(cast("Frame", view.output["rows"]), view.made["rows"], view.data.settings)
    behind = {number_of(k[0]): n for k, n in rows.behind([], ["segment"]).items()}
    told: list[dict[str, Any]] = []
    found = [(s, behind.get(float(s["segment"]), 0)) for s in members(view.output["segments"])]
    # What holds for all rows is told beside them, so that the last segment would follow from the others.
    kept = told_groups([n for _, n in found], [(s["segment"],) for s, _ in found])
    for (segment, number), keep in zip(found, kept, strict=True):
        if keep:
            columns = [_described(c, number, view) for c in members(segment["columns"])]
            told.append({**segment, "columns": [c for c in columns if c]})
    if len(told) < len(found):
        view.note(
            f"segments: those of fewer than {MIN_ROWS} source rows, and what would tell them, are withheld."
        )
        view.output["summary"] = f"{len(told)} of {view.output['k']} segments are told."
    view.output["segments"] = told
    view.counts("left_out_rows")
    view.output["left_out_columns"] = dict.fromkeys(view.output["left_out_columns"], "left out")


def _described(column: dict[str, Any], rows: int, view: View) -> dict[str, Any] | None:
    if view.data.origin.closed(str(column["column"])):
        return None
    if column.get("top_share") is not None and column["top_share"] * rows < MIN_ROWS:
        column |= {"top_value": None, "top_share": None}
    return {**column, "median": to_few_digits(column.get("median"))}


def test_rule(view: View) -> None:
    origin, (groups, used) = view.data.origin, _tested(view.arguments)
    if any(origin.closed(c) for c in [*groups, *used]) or not used:
        raise too_few("A test of closed columns, or of columns that are not named,")
    within = _in_large_groups(view.data, groups, used)
    given = view.arguments.get("data")
    if not within.all() and not (isinstance(given, Frame) and len(given) == within.sum()):
        raise too_few("One of the groups")
    behind = view.data.behind(used, groups, within=within)
    for column in _categories(view.data, used):  # each value is a group of its own
        behind |= view.data.behind([column], [column], within=within)
    if not behind or min(behind.values()) < MIN_ROWS:
        raise too_few("One of the groups")
    if groups or _categories(view.data, used):
        # Always said: where all groups are large, that tells something too.
        view.note(
            f"Groups of fewer than {MIN_ROWS} source rows, and what would tell them, were left out of the test."
        )
    view.output["samples"] = [
        {**s, "median": to_few_digits(s.get("median"))} for s in members(view.output["samples"])
    ]


def rows_to_test(rows: TracedRows, arguments: Mapping[str, Any]) -> Frame:
    """The rows of groups that may be told: whether others are there decides neither that a test is made nor what it says."""
    import pyarrow as pa

    groups, used = _tested(arguments)
    if any(rows.origin.closed(c) for c in [*groups, *used]):
        return rows.frame  # the tool says which column it does not know, the rule refuses the others
    within = _in_large_groups(rows, groups, used)
    if within.all():
        return rows.frame
    kept = rows.read([*used, *groups])[within]
    return Frame(pa.Table.from_pandas(kept, preserve_index=False))


def _tested(arguments: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The columns whose groups a test compares, and those that it looks at."""
    groups = [str(g) for g in arguments.get("group_by") or []]
    value = [str(arguments["value"])] if arguments.get("value") else []
    return groups, [*value, *(str(c) for c in arguments.get("columns") or [])]


def _categories(rows: TracedRows, columns: Sequence[str]) -> list[str]:
    open_ended = {*numbers_of(rows), *times_of(rows)}
    return [c for c in columns if c not in open_ended]


def _in_large_groups(rows: TracedRows, groups: Sequence[str], used: Sequence[str]) -> Any:
    """Which rows belong to groups that may be told, by the groups and by each column of categories."""
    import numpy as np

    within = np.ones(rows.size(), dtype=np.bool_)
    for keys in ([list(groups)] if groups else []) + [[c] for c in _categories(rows, used)]:
        kept = rows.told(used, keys)
        within &= np.array([k in kept for k in rows.keys(keys)], dtype=np.bool_)
    return within


def regression_rule(view: View) -> None:
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
    if not view.data.frame.is_reference and _rests_on_few(view.data.read(used).dropna(), features):
        raise too_few("A coefficient")
    view.counts("left_out_rows")
    view.output["left_out"] = dict.fromkeys(view.output["left_out"], "left out")


def _rests_on_few(rows: pd.DataFrame, features: Sequence[str]) -> bool:
    """Whether what some feature has beside all others lies in fewer rows than may be spoken of.

    Two features that differ in one row alone tell that row, though each of them differs everywhere.
    """
    import numpy as np
    import pandas as pd

    dated = rows[list(features)].select_dtypes(["datetime", "datetimetz"])
    given = rows[list(features)].assign(**{str(c): dated[c].astype("int64") for c in dated})
    columns = pd.get_dummies(given, drop_first=True).to_numpy(np.float64)
    columns = (columns - columns.mean(axis=0)) / np.maximum(columns.std(axis=0), 1e-300)
    for i in range(columns.shape[1]):
        others = np.column_stack([np.ones(len(columns)), np.delete(columns, i, axis=1)])
        own = (columns[:, i] - others @ np.linalg.lstsq(others, columns[:, i], rcond=None)[0]) ** 2
        if np.sort(own)[1 - MIN_ROWS :].sum() > MOST[2] * own.sum():
            return True
    return False


def geo_rule(view: View) -> None:
    view.drop("nearest", "farthest", "invalid", why="single places are withheld.")
    view.drop(
        "south", "north", "west", "east", "diagonal_km", "reference", why="the outermost places are withheld."
    )
    columns = [str(view.arguments[k]) for k in ("latitude", "longitude", "value") if view.arguments.get(k)]
    if view.data.behind(columns).get((), 0) < MIN_ROWS:
        raise too_few("The middle of the places")
    identity = all(s.persons is None and s.rows is None for s in view.data.origin.slots)
    spots = members(view.output["hotspots"])
    # The places outside of them are one group more: all less the others would tell it.
    held = [
        *(int(s["count"]) for s in spots),
        int(view.output["count"]) - sum(int(s["count"]) for s in spots),
    ]
    told = told_groups(held, [(f"{i:09}",) for i in range(len(held))])
    kept = [identity and keep for keep in told[:-1]]
    view.output["hotspots"] = [s for s, keep in zip(spots, kept, strict=True) if keep]
    rows = cast("Frame", view.output["rows"])
    view.output["rows"] = Frame(rows.arrow.filter(kept) if len(rows) else rows.arrow)
    view.counts("invalid_count", "count", "unclustered")
    view.of_a_whole("distinct")
    if not all(told):
        view.output["unclustered"] = None
    view.output["notes"] = []
    view.output["summary"] = f"{len(view.output['hotspots'])} hotspots are told."
