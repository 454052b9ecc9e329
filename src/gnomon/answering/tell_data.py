"""Questions about the data itself: missing values, repeats, rows, columns and their kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.answering.telling import Row, Telling
from gnomon.answering.words import and_others, slug
from gnomon.core import studies
from gnomon.core.answer import Fact
from gnomon.core.figures import PERCENT, capital, listed, moment
from gnomon.core.patterns import late_pattern
from gnomon.semantic.model import DimensionType, plural
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart

_TOLD = 12
_LISTED = 40
_READ = late_pattern(r"^(?P<column>.+?): (?P<cells>[\d,]+) ")
_HELD = {
    "numeric": ("whole number", "number"),
    "categorical": ("text", "yes or no"),
    "dated": ("date", "date and time", "time"),
}
_WORDS = {"numeric": "numbers", "categorical": "text or categories", "dated": "dates or times"}
_MANY = {"whole number": "whole numbers", "number": "numbers", "date": "dates", "date and time": "dates with times",
         "time": "times of day", "yes or no": "yes or no", "empty": "no value at all"}  # fmt: skip


def _has(many: Any) -> str:
    return "has" if (many if isinstance(many, int) else len(many)) == 1 else "have"


@dataclass(frozen=True)
class _Column:
    """A column as it was inspected, by the role of the step that did it."""

    role: str
    table: str
    name: str
    kind: str
    missing: int
    rows: int
    distinct: int = 0


class Inspection:
    """What was found in the tables that a question is about.

    Args:
        telling: The result that is told.
    """

    def __init__(self, telling: Telling) -> None:
        self.t = telling
        self.outputs = {r: o for r, o in telling.result.calculated.items() if "complete" in o}
        self.columns = [c for role, output in self.outputs.items() for c in self._columns(role, output)]
        self.holes = sorted((c for c in self.columns if c.missing), key=lambda c: -c.missing)
        self.study = telling.request.options(studies.Inspection)
        self.asked = [c for c in self.columns if c.name in self.study.columns]
        self.rows = sum(o["rows"] for o in self.outputs.values())

    def _columns(self, role: str, output: dict[str, Any]) -> list[_Column]:
        found: list[_Column] = []
        for held in self.t.records(role, "columns"):
            kind = "empty" if held["missing"] == output["rows"] else held["kind"]
            own = (output["table"], held["column"], kind, held["missing"], output["rows"])
            found.append(_Column(role, *own, held.get("distinct", 0)))
        return found

    def name(self, column: _Column) -> str:
        """How a column is called; with its table where there are several."""
        return column.name if len(self.outputs) == 1 else f"{column.table}.{column.name}"

    def names(self, columns: Sequence[_Column]) -> str:
        """How columns are called."""
        return listed([self.name(c) for c in columns])

    def fact(self, what: str, value: Any, unit: str | None = None, column: _Column | None = None) -> str:
        """A figure about the tables, or about one column, in words, as a fact."""
        role = column.role if column is not None else next(iter(self.outputs))
        name = f"{slug(column.name)}.{what}" if column is not None else what
        group = {"column": self.name(column)} if column is not None else None
        return self.t.say(self.t.fact(name, value, unit, role=role, metric="", group=group))

    def share(self, part: int, whole: int, what: str, column: _Column | None = None) -> str:
        """A part of a whole in percent."""
        return self.fact(what, 100 * part / whole if whole else 0.0, PERCENT, column)

    def each(self, columns: Sequence[_Column], what: str = "missing", most: int = _TOLD) -> str:
        """Columns with a number of each: soil 40 and height 23."""
        value = {c: c.missing if what == "missing" else c.distinct for c in columns}
        told = [f"{self.name(c)} {self.fact(what, value[c], None, c)}" for c in columns[:most]]
        return f"{', '.join(told)} and others" if len(columns) > most else listed(told)

    def table(self, title: str, columns: Sequence[_Column], *, distinct: bool = False) -> None:
        """The columns as a table of the answer."""
        heads = ("column", "kind", "missing", "different values")
        rows = [(self.name(c), c.kind, c.missing, c.distinct) for c in columns]
        self.t.plain_table(
            title, heads if distinct else heads[:3], rows if distinct else [r[:3] for r in rows]
        )


def tell_inspection(t: Telling) -> None:
    """What the data holds, told by what is asked about it."""
    found = Inspection(t)
    if not found.outputs:
        t.fail("the data could not be inspected")
    elif found.study.about is not None:
        t.lead(_TEMPLATES[found.study.about](found))


# Missing values -------------------------------------------------------------------------------------------------------


def _missing(found: Inspection) -> str:
    t, gaps = found.t, found.study.gaps
    if found.asked:
        lead = _missing_in(found)
    elif gaps in ("rows", "complete"):
        lead = _rows(found, gaps == "complete")
    elif gaps == "full":
        lead = _full(found)
    else:
        lead = _MISSING[gaps](found) if found.holes else _nothing_missing(found)
    if gaps not in ("rows", "complete"):
        found.table("missing_values", found.asked or found.columns)
    if len(found.holes) > 1 and not found.asked:
        first = found.holes[0]
        worst = f"{capital(found.name(first))} has the most missing values ({first.missing:,})"
        bars = [(found.name(c), c.missing) for c in found.holes]
        t.draw(bar_chart(worst, bars, "column", Axis("number of missing values")))
    _tell_markers(found)
    return lead


def _missing_in(found: Inspection) -> str:
    """Of the columns that were named."""
    parts: list[str] = []
    for c in found.asked:
        name = found.name(c)
        if found.study.share:
            share = found.share(c.missing, c.rows, "missing_share", c)
            many = found.fact("missing", c.missing, None, c)
            parts.append(
                f"{share} of the values of {name} are missing: {many} of {found.fact('rows', c.rows)}"
            )
            continue
        many = found.fact("missing", c.missing, None, c)
        share = found.share(c.missing, c.rows, "missing_share", c)
        of = f" of {found.fact('rows', c.rows)} ({share})" if c.missing else ""
        values = "value" if c.missing == 1 else "values"
        parts.append(f"the column {name} has {many if c.missing else 'no'} missing {values}{of}")
    return listed(parts) if len(parts) < 3 else "; ".join(parts)


def _nothing_missing(found: Inspection) -> str:
    found.fact("missing_values", 0)
    found.fact("columns_with_missing_values", 0)
    rows, columns = found.fact("rows", found.rows), found.fact("columns", len(found.columns))
    return f"there are no missing values: each of the {rows} rows has a value in all {columns} columns"


def _some(found: Inspection) -> str:
    """In how many of the columns values are missing."""
    found.fact("columns", len(found.columns))
    return found.fact("columns_with_missing_values", len(found.holes), "columns")


def _total(found: Inspection) -> str:
    total = sum(c.missing for c in found.columns)
    many = found.fact("missing_values", total)
    lead = f"{many} {'value is' if total == 1 else 'values are'} missing"
    if found.study.share:
        cells = sum(c.rows for c in found.columns)
        share = found.share(total, cells, "missing_share")
        lead = f"{share} of all values are missing: {many} of {found.fact('values', cells)}"
    return f"{lead}, in {_some(found)}: {found.each(found.holes)}"


def _with_holes(found: Inspection) -> str:
    lead = f"{_some(found)} {_has(found.holes)} missing values: {found.each(found.holes)}"
    found.fact("missing_values", sum(c.missing for c in found.holes))
    return lead


def _full(found: Inspection) -> str:
    whole = [c for c in found.columns if not c.missing]
    some = found.fact("columns_without_missing_values", len(whole), "columns")
    of = found.fact("columns", len(found.columns))
    if not whole:
        return f"all {of} columns have missing values"
    return f"{some} {_has(whole)} no missing values: {found.names(whole)}"


def _extreme(found: Inspection, most: bool) -> str:
    end = (max if most else min)(c.missing for c in found.columns)
    there = [c for c in found.columns if c.missing == end]
    many = [found.fact("missing", end, None, c) for c in there]
    share = found.share(end, there[0].rows, "missing_share", there[0])
    rows = found.fact("rows", there[0].rows)
    others = [c for c in found.holes if c.missing != end]
    if others and most:
        found.t.more(f"after it {found.each(others)}")
    names, fewest = found.names(there), "most" if most else "fewest"
    columns, each = ("column", "") if len(there) == 1 else ("columns", " each")
    have = f"{_has(there)} the {fewest} missing values"
    return f"the {columns} {names} {have}: {many[0]} of {rows} ({share}){each}"


def _by_column(found: Inspection) -> str:
    columns = [*found.holes, *(c for c in found.columns if not c.missing)]
    said = found.each(columns, most=_LISTED) if not found.study.share else listed(
        [f"{found.name(c)} {found.share(c.missing, c.rows, 'missing_share', c)}" for c in columns[:_LISTED]]
    )  # fmt: skip
    return f"missing values by column: {said}"


def _rows(found: Inspection, complete: bool) -> str:
    whole = sum(o["complete"] for o in found.outputs.values())
    many = whole if complete else found.rows - whole
    said = found.fact("complete_rows" if complete else "rows_with_missing_values", many, "rows")
    share = found.share(many, found.rows, "share")
    rows = found.fact("rows", found.rows)
    if not many:
        none = "is without a missing value" if complete else "has a missing value"
        return f"none of the {rows} rows {none}"
    what = "no missing value" if complete else "a missing value somewhere"
    return f"{said} {_has(many)} {what}, {share} of all {rows}"


def _tell_markers(found: Inspection) -> None:
    """What was written in cells that were read as missing."""
    told = {c.name: c for c in found.asked or found.columns}
    for role, output in found.outputs.items():
        for note in output.get("notes", ()):
            match = _READ.match(note)
            column = told.get(match["column"]) if match else None
            if match and column is not None and column.role == role:
                found.fact("read_as_missing", int(match["cells"].replace(",", "")), None, column)
                found.t.note(f"In {column.name}, {note[match.start('cells') :].rstrip('.')}")


_MISSING = {
    None: _total,
    "columns": _with_holes,
    "most": lambda found: _extreme(found, True),
    "least": lambda found: _extreme(found, False),
    "each": _by_column,
}


# Rows, columns, kinds, repeats ----------------------------------------------------------------------------------------


def _shape(found: Inspection) -> str:
    rows, columns = found.fact("rows", found.rows), found.fact("columns", len(found.columns))
    if len(found.outputs) == 1:
        return f"{capital(found.columns[0].table)} has {rows} rows and {columns} columns"
    tables = found.fact("tables", len(found.outputs))
    widths = {r: len([c for c in found.columns if c.role == r]) for r in found.outputs}
    each = [(o["table"], o["rows"], widths[r]) for r, o in found.outputs.items()]
    found.t.plain_table("tables", ("table", "rows", "columns"), each)
    return f"the {tables} tables have {rows} rows and {columns} columns in all"


def _names(found: Inspection) -> str:
    found.table("columns", found.columns)
    many = found.fact("columns", len(found.columns))
    if len(found.outputs) > 1:
        return f"the {found.fact('tables', len(found.outputs))} tables have {many} columns"
    return f"{capital(found.columns[0].table)} has {many} columns: {found.names(found.columns)}"


def _types(found: Inspection) -> str:
    holding, columns = found.study.holding, found.asked or found.columns
    found.table("columns", columns)
    if holding:
        there = [c for c in found.columns if c.kind in _HELD[holding]]
        many = found.fact(f"{holding}_columns", len(there), "columns")
        found.fact("columns", len(found.columns))
        holds = "holds" if len(there) == 1 else "hold"
        if not there:
            return f"no column holds {_WORDS[holding]}"
        return f"{many} {holds} {_WORDS[holding]}: {found.names(there)}"
    kinds: dict[str, list[_Column]] = {}
    for c in columns:
        kinds.setdefault(c.kind, []).append(c)
    told: list[str] = []
    for kind, those in kinds.items():
        s, holds = ("", "holds") if len(those) == 1 else ("s", "hold")
        told.append(f"the column{s} {found.names(those)} {holds} {_MANY.get(kind, kind)}")
        found.fact(f"{slug(kind)}_columns", len(those))
    return "; ".join(told)


def _distinct(found: Inspection) -> str:
    columns = found.asked or found.columns
    found.table("different_values", columns, distinct=True)
    return f"different values by column: {found.each(columns, 'distinct')}"


def _duplicates(found: Inspection) -> str:
    parts: list[str] = []
    for c in found.asked:
        again, name = c.rows - c.missing - c.distinct, found.name(c)
        many, rows = found.fact("duplicates", again, "rows", c), found.fact("rows", c.rows)
        some = f"{many} {_repeat(again)} a value of {name} that an earlier row has, of {rows} in all"
        parts.append(some if again else f"no value of {name} occurs in two rows")
    if parts:
        return "; ".join(parts)
    again = sum(o["duplicates"] or 0 for o in found.outputs.values())
    many, rows = found.fact("duplicate_rows", again, "rows"), found.fact("rows", found.rows)
    if not again:
        return f"there are no duplicate rows: none of the {rows} rows is the same as another in every column"
    share = found.share(again, found.rows, "duplicate_share")
    return f"{many} {_repeat(again)} an earlier row in every column, {share} of all {rows}"


def _repeat(many: int) -> str:
    return "repeats" if many == 1 else "repeat"


_TEMPLATES = {
    "missing": _missing,
    "shape": _shape,
    "columns": _names,
    "types": _types,
    "distinct": _distinct,
    "duplicates": _duplicates,
}


# Rows and tables as they are ------------------------------------------------------------------------------------------


def tell_listed_rows(t: Telling) -> None:
    """Rows as they are, with how many there are in all and in which order they come."""
    main, whole, listing = t.main, t.result.retrieved.get("whole"), t.request.listing
    if not main.rows or listing is None:
        t.nothing()
        return
    noun = t.model.table(listing.table).label
    total, name = whole.rows[0][0] if whole is not None and whole.rows else len(main.rows), slug(plural(noun))
    t.table(main.columns, main.rows, name)
    count = t.plain(f"{name}.count", total, role="whole")
    things, verb = (plural(noun), "are") if total != 1 else (noun, "is")
    said = f"{t.say(count)} {things}{t.where()}{t.when()}"
    if len(main.rows) >= total:
        t.lead(f"here {verb} {said}")
        return
    order = t.model.dimension(listing.order)
    shown = t.fact(f"{name}.shown", len(main.rows), None, metric="")
    end = "latest" if t.request.descending else "earliest"
    by = "in the order of" if order.type is not DimensionType.TIME else f"the {end} by"
    some = f"{t.say(shown)} of them {'is' if len(main.rows) == 1 else 'are'} shown"
    t.lead(f"there are {said}; {some}, {by} {order.label}")
    if len(main.rows) < (t.request.limit or total):
        t.note("Rows that are alike in all of these columns are shown once")


def tell_profile(t: Telling) -> None:
    """What the data holds: tables, rows, columns, days."""
    rows: list[Row] = []
    asked = t.request.options(studies.Inspection).table
    for table in t.model.tables:
        if asked not in (None, table.name):
            continue
        own = [d for d in t.model.dimensions if d.at(table.name) is not None]
        time = t.model.dimension(table.time_dimension) if table.time_dimension else None
        days = time.coverage if time is not None and time.coverage is not None else (None, None)
        rows.append((table.name, _row_count(t, table.name), len(own), *days))
    t.lead(_profile_lead(t, rows, t.request.options(studies.Inspection).about))
    if asked is not None and len(rows) == 1:
        own = [d for d in t.model.dimensions if d.at(asked) is not None]
        meant = [(d.at(asked), str(d.type), d.label) for d in own]
        t.plain_table("columns", ("column", "type", "meaning"), meant)
    t.plain_table("tables", ("table", "rows", "columns", "from", "to"), rows)


def _row_count(t: Telling, table: str) -> int | None:
    reference = f"count({table})"
    for given in t.result.retrieved.values():
        if given.columns == (reference,) and given.rows:
            return given.rows[0][0]
    return t.model.table(table).rows


def _profile_lead(t: Telling, rows: list[Row], about: studies.Aspect | None) -> str:
    made = {"rows": sum(r[1] or 0 for r in rows), "columns": sum(r[2] for r in rows), "tables": len(rows)}
    first = "rows" if about == "rows" else "tables"
    said = {n: t.say(t.fact(n, made[n])) for n in (first, *(m for m in made if m != first))}
    days, span = [d for r in rows for d in r[3:] if d is not None], ""
    if days:
        ends: list[Fact] = [t.fact("first_day", min(days)), t.fact("last_day", max(days))]
        span = f", from {moment(min(days))} to {moment(max(days))}"
        if about == "period":
            t.told.facts[:] = [*ends, *(f for f in t.told.facts if f not in ends)]
            return f"the data covers {moment(min(days))} to {moment(max(days))}"
    if about == "period":
        return "this data has no dates, so it covers no period"
    what = f"{said['rows']} rows and {said['columns']} columns"
    if len(rows) == 1:
        return f"{capital(rows[0][0])} has {what}{span}"
    return f"the data has {said['tables']} tables ({and_others([r[0] for r in rows], 8)}) with {what} in all{span}"
