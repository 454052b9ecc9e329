"""What may be told of tools that describe, make, join and compare tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from gnomon.core.errors import PolicyViolation
from gnomon.guardrails.release.apart import apart, sets_few_apart, tells_of_few
from gnomon.guardrails.release.cells import MIN_ROWS
from gnomon.guardrails.release.view import (
    View,
    members,
    numbers_of,
    quantiles_told,
    refusal,
    text_of,
    to_few_digits,
    too_few,
)
from gnomon.tools.frames import Frame


def profile_rule(view: View) -> None:
    origin, shown = view.data.origin, dict(view.output["profile"])
    for name in (
        "sample_rows",
        "keys",
        "time",
        "size_bytes",
    ):  # the size of a file tells the length of a cell
        shown.pop(name, None)
    shown["source"] = re.split(r"[/\\]", str(shown.get("source", "")))[-1]
    shown["duplicate_rows"] = view.size(shown.get("duplicate_rows"))
    shown["warnings"] = []
    given = [dict(c) for c in shown.get("columns", [])]
    columns = [_column(view, c, closed=origin.closed(str(c["name"]))) for c in given]
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
    column["nulls"] = view.size(column.get("nulls"))
    column["distinct"] = column.get("distinct") if view.whole else view.count(0)
    column["null_rate"] = None if column["nulls"] is None else column.get("null_rate")
    column["warnings"], column["conversion"] = [], None
    for end in ("minimum", "maximum"):
        column[end] = column.get(end) if text_of(column.get(end)) in common else None
    for figure in ("mean", "stddev"):
        column[figure] = column.get(figure) if present >= MIN_ROWS else None
    column["quantiles"] = None if closed else quantiles_told(column.get("quantiles"), present)
    column["top_values"] = [
        {"value": v["value"], "count": common[text_of(v["value"])]}
        for v in column.get("top_values") or []
        if text_of(v["value"]) in common
    ]
    if str(column.get("type", "")).upper().startswith("ENUM"):
        column["type"] = "ENUM"
    return column


def filter_rule(view: View) -> None:
    if view.arguments.get("latest"):
        view.along_time()
    lineage = cast("Frame", view.output["rows"]).lineage
    if lineage is None or (lineage.parted and tells_of_few(view.data, lineage.parted)):
        raise apart()
    view.output["summary"] = "The rows that meet the condition are kept under the handle."
    view.counts("kept", "removed")
    kept = view.made["rows"].least(len(cast("Frame", view.output["rows"])))
    if kept < MIN_ROWS or view.output["kept"] is None or view.output["removed"] is None:
        view.output["kept"] = view.output["removed"] = None
        view.uncounted.add("rows")


def derive_rule(view: View) -> None:
    lineage = cast("Frame", view.output["rows"]).lineage
    if lineage is None or sets_few_apart(view.data, lineage.parted):
        raise apart()
    view.counts("missing")
    if view.output["missing"] is None and "summary" in view.output:
        view.output["summary"] = f"{view.arguments.get('new_column')} was added."


def bin_rule(view: View) -> None:
    rows = cast("Frame", view.output["rows"])
    column = str(view.arguments.get("new_column") or _only_new(view, rows) or "")
    tells_ends = rows.lineage is not None and column in rows.lineage.edges
    bins = members(view.output["bins"])
    names = [
        f"bin {i}" if tells_ends and not view.arguments.get("labels") else str(b["label"])
        for i, b in enumerate(bins, 1)
    ]
    place = _places(view, rows.arrow.column(column).to_pylist(), bins)
    groups = _wide_enough(view, place, len(bins), chosen=not view.arguments.get("grain"))
    labels = [names[g[0]] if len(g) == 1 else f"{names[g[0]]} to {names[g[-1]]}" for g in groups]
    group_of = {i: n for n, g in enumerate(groups) for i in g}
    import pyarrow as pa

    shown = pa.array([labels[group_of[p]] if p in group_of else None for p in place], pa.string())
    at = rows.arrow.column_names.index(column)
    view.output["rows"] = Frame(rows.arrow.set_column(at, column, shown), rows.lineage)
    behind = [_source_count(view, [p in g for p in place]) for g in groups]
    told = [
        {
            "label": label,
            "low": None if tells_ends else bins[g[0]]["low"],
            "high": None if tells_ends else bins[g[-1]]["high"],
            "count": sum(p in g for p in place),
        }
        for g, label, n in zip(groups, labels, behind, strict=True)
        if n >= MIN_ROWS
    ]
    # Always said: where all bins are full, that tells something too.
    view.note(
        f"bins: those of fewer than {MIN_ROWS} source rows, and values outside, are put to the bin beside them."
    )
    if tells_ends:
        view.note("bins: borders are withheld, since they tell the ends of the data; choose them as 'edges'.")
    view.output["bins"], view.output["notes"] = told, []
    view.output["outside"] = view.count(0)
    view.counts("missing")
    view.output["summary"] = f"{len(told)} bins are told."


def _places(view: View, labels: Sequence[Any], bins: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """The bin of each row, where what lies outside counts to the first or the last one."""
    at = {str(b["label"]): i for i, b in enumerate(bins)}
    named = view.arguments.get("column") or next(iter(numbers_of(view.data)), "")
    values = view.data.read([str(named)])
    outside: list[int | None] = [None] * len(labels)
    if bins and str(named) in values and not view.arguments.get("grain"):
        import pandas as pd

        numbers = pd.to_numeric(values[str(named)], errors="coerce").tolist()
        outside = [None if v != v else 0 if v < bins[0]["low"] else len(bins) - 1 for v in numbers]
    return [o if label is None else at[str(label)] for label, o in zip(labels, outside, strict=True)]


def _wide_enough(view: View, place: Sequence[int | None], count: int, *, chosen: bool) -> list[list[int]]:
    """The bins, put together from the lowest on until each holds enough rows; those of a calendar as they are."""
    if not chosen:
        return [[i] for i in range(count)]
    groups: list[list[int]] = []
    held: list[int] = []
    for i in range(count):
        held.append(i)
        if _source_count(view, [p in held for p in place]) >= MIN_ROWS:
            groups.append(held)
            held = []
    if held and groups:
        groups[-1] += held
    return groups or [held]


def _source_count(view: View, within: Sequence[bool]) -> int:
    return view.data.behind([], within=within).get((), 0)


def _only_new(view: View, rows: Frame) -> str | None:
    before = set(view.data.origin.columns)
    return next((c for c in reversed(rows.columns) if c not in before), rows.columns[-1])


def clean_rule(view: View) -> None:
    view.drop("removed", why="single rows are withheld.")
    if view.data.behind([b["column"] for b in members(view.output["bounds"])]).get((), 0) < MIN_ROWS:
        raise too_few("What counts as usual")
    bounds = [
        {**b, "outliers": view.count(b["outliers"]), "note": None} for b in members(view.output["bounds"])
    ]
    view.output["bounds"] = [
        {**b, "low": to_few_digits(b["low"]), "high": to_few_digits(b["high"])} for b in bounds
    ]
    before, after = view.output["rows_before"], view.output["rows_after"]
    if before - after < MIN_ROWS or after < MIN_ROWS:
        view.note(f"Counts below {MIN_ROWS} are withheld.")
        view.output["rows_after"] = None
        view.uncounted.add("rows")
    view.counts("rows_before")
    view.output["summary"] = "The rows without outliers are kept under the handle."


def _own_keys(view: View, keys: Sequence[tuple[str, str]]) -> None:
    """Refuse to match a closed column with values that the asker brought: that tells whether it holds them."""
    sides = [view.inputs[p].origin for p in ("data", "other")]
    if any(s.own for s in sides):
        closed = [c for pair in keys for c, side in zip(pair, sides, strict=True) if side.closed(c)]
        if closed:
            raise refusal(closed, "Matched with values from outside, it would tell which of them it holds")


def _met_by_few(view: View, brought: str, held: str) -> bool:
    """Whether one of the rows that the asker brought meets fewer source rows than may be spoken of; none are as few."""
    import numpy as np
    import pandas as pd

    joined = view.output["joined"]
    lineage = joined.lineage if isinstance(joined, Frame) else None
    if lineage is None:
        return True
    everywhere = np.arange(len(joined))
    mine, theirs = (
        everywhere if (held_at := lineage.rows[p]) is None else np.asarray(held_at) for p in (brought, held)
    )
    met = (mine >= 0) & (theirs >= 0)
    for slot in view.inputs[held].origin.slots:
        ids = theirs[met] if slot.rows is None else slot.rows[theirs[met]]
        pairs = pd.DataFrame({"mine": mine[met], "source": ids}).drop_duplicates()
        counts = pairs.groupby("mine").size().reindex(range(len(view.inputs[brought].frame)), fill_value=0)
        if int(counts.min()) < MIN_ROWS:
            return True
    return False


def join_rule(view: View) -> None:
    _own_keys(view, view.output["keys"])
    for brought, held in (("data", "other"), ("other", "data")):
        own = view.inputs[brought].origin.own and not view.inputs[held].origin.own
        if own and _met_by_few(view, brought, held):
            raise PolicyViolation(
                f"Rows from outside are joined only where each of them meets at least {MIN_ROWS} rows: whether fewer or none "
                "are met would tell which values there are.",
                suggestions=[
                    "Bring only rows for groups that are told, such as those of an aggregate.",
                    "The user can allow it with GNOMON_PRIVACY=full.",
                ],
            )
    view.output["repeated_keys"] = []
    matched = {
        side: (view.output[f"{side}_matched"], view.output[f"{side}_rows"]) for side in ("left", "right")
    }
    if any(n < MIN_ROWS or 0 < rows - n < MIN_ROWS for n, rows in matched.values()):
        # What one side found tells what the other did, and so does how often a row found its partners.
        view.note(f"Counts below {MIN_ROWS}, and what would tell them, are withheld.")
        hidden = [f"{side}_{what}" for side in matched for what in ("matched", "match_rate")]
        view.output |= dict.fromkeys([*hidden, "fan_out", "cardinality"])
        view.uncounted.add("joined")
    view.counts("left_rows", "right_rows")
    for name in ("left_missing_keys", "right_missing_keys"):
        if view.output[name]:
            view.counts(name)
    keys = ", ".join(a if a == b else f"{a} = {b}" for a, b in view.output["keys"])
    view.output["notes"] = [n for n in view.output["notes"] if "compared as text" in n]
    view.output["summary"] = f"Joined on {keys}; the rows are kept under the handle."


def compare_rule(view: View) -> None:
    sides = [t.origin for t in view.inputs.values()]
    if any(o.own for o in sides):
        raise PolicyViolation(
            "Rows from outside are not compared with rows of this machine: that would tell which of them it holds.",
            suggestions=["Compare two tables of this machine."],
        )
    view.output |= {f"{kind}_examples": [] for kind in ("added", "removed", "changed")}
    view.note("Examples of rows are withheld.")  # always: where there are none, that tells something too
    given = {n: view.output[n] for n in ("added", "removed", "changed", "unchanged")}
    for version in (("removed", "changed", "unchanged"), ("added", "changed", "unchanged")):
        parts = {n: given[n] for n in version if given[n] is not None}
        small = [n for n, count in parts.items() if count < MIN_ROWS]
        # The rows of a version less the others would tell a part.
        if small or len(parts) < len(version):
            most = max(parts, key=lambda n: parts[n], default="")
            view.output |= {n: view.count(0) for n in {*small, most} if n}
    columns: list[dict[str, Any]] = []
    for column in members(view.output["columns"]):
        if column["changed"] < MIN_ROWS:
            continue
        hidden = dict.fromkeys(("changed", "share", "sum_before", "sum_after", "mean_change"))
        closed = any(o.closed(column["column"]) for o in sides)
        columns.append({**column, **hidden} if closed else column)
        columns[-1] |= {n: view.count(column[n]) for n in ("became_missing", "was_missing")}
    view.output["columns"], view.output["notes"] = columns, []
    view.output["type_changes"] = dict(view.output["type_changes"])
    view.counts("rows_before", "rows_after")
    differ = sum(given[n] or 0 for n in ("added", "removed", "changed"))
    other = any(view.output[n] for n in ("columns_added", "columns_removed", "type_changes"))
    view.output["identical"] = None if differ < MIN_ROWS and not other else False
    view.output["summary"] = (
        "The two versions differ." if differ >= MIN_ROWS or other
        else f"The two versions are identical, or differ in fewer than {MIN_ROWS} rows."
    )  # fmt: skip


def chart_rule(view: View) -> None:
    spec = cast("Mapping[str, Any]", view.output["spec"])
    view.output["spec"] = {"$schema": spec.get("$schema"), "data": {"values": []}, **_outline(spec)}
    view.note("spec: the rows of the chart, and what is said of them, are withheld.")
    view.counts("points")
    view.of_a_whole("points")
    view.output["summary"] = f"A {view.output['chart']} chart; its rows stay on this machine."


def _outline(part: Mapping[str, Any]) -> dict[str, Any]:
    """Marks and axes of a chart; titles, scales and alternative texts speak of the rows."""
    shown: dict[str, Any] = {}
    if isinstance(part.get("mark"), Mapping):
        shown["mark"] = {"type": part["mark"].get("type")}
    if isinstance(part.get("encoding"), Mapping):
        shown["encoding"] = {
            name: {k: channel[k] for k in ("type", "title") if k in channel}
            for name, channel in part["encoding"].items()
            if isinstance(channel, Mapping)
        }
    for nested in ("layer", "vconcat", "hconcat"):
        if isinstance(part.get(nested), list):
            shown[nested] = [_outline(p) for p in part[nested]]
    return shown
