"""Templates for questions about the data itself: missing values, repeats, rows, columns and their kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gnomon.agents.figures import PERCENT, listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_words import cased
from gnomon.agents.workflow_post import frame_rows
from gnomon.core import studies
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.patterns import late_pattern
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
        self.study = telling.request.options(studies.Inspection)
        self.asked = [c for c in self.columns if c.name in self.study.columns]
        self.rows = sum(o["rows"] for o in self.outputs.values())

    def _columns(self, role: str, output: dict[str, Any]) -> list[_Column]:
        names, rows = frame_rows(output["columns"])
        found: list[_Column] = []
        for row in rows:
            held = dict(zip(names, row, strict=True))
            kind = "empty" if held["missing"] == output["rows"] else held["kind"]
            found.append(
                _Column(
                    role,
                    output["table"],
                    held["column"],
                    kind,
                    held["missing"],
                    output["rows"],
                    held.get("distinct", 0),
                )
            )
        return found

    def name(self, column: _Column) -> str:
        """How a column is called; with its table where there are several."""
        return column.name if len(self.outputs) == 1 else f"{column.table}.{column.name}"

    def fact(self, what: str, value: Any, unit: str | None = None, column: _Column | None = None) -> str:
        """A figure in words, as a fact."""
        return self.t.say(self.made(what, value, unit, column))

    def made(self, what: str, value: Any, unit: str | None = None, column: _Column | None = None) -> Fact:
        """A fact about the tables, or about one column."""
        role = column.role if column is not None else next(iter(self.outputs))
        name = f"{slug(column.name)}.{what}" if column is not None else what
        group = {"column": self.name(column)} if column is not None else None
        return self.t.fact(name, value, unit, role=role, metric="", group=group)

    def share(self, part: int, whole: int, what: str, column: _Column | None = None) -> str:
        """A part of a whole in percent."""
        return self.fact(what, 100 * part / whole if whole else 0.0, PERCENT, column)

    def table(self, title: str, columns: list[_Column], *, distinct: bool = False) -> None:
        """The columns as a table of the answer."""
        heads = ("column", "kind", "missing", *(("different values",) if distinct else ()))
        rows = tuple((self.name(c), c.kind, c.missing, *((c.distinct,) if distinct else ())) for c in columns)
        self.t.told.tables.append(ResultTable(name=title, columns=heads, rows=rows))


def tell_inspection(t: Telling) -> None:
    """What the data holds, told by what is asked about it."""
    found = Inspection(t)
    if not found.outputs:
        t.fail("the data could not be inspected")
    elif found.study.about is not None:
        t.told.lead = sentence(_TEMPLATES[found.study.about](found))


def _missing(found: Inspection) -> str:
    t, gaps = found.t, found.study.gaps
    lead = _missing_in(found) if found.asked else _MISSING[gaps](found)
    if gaps not in ("rows", "complete"):
        found.table("missing_values", found.asked or found.columns)
    holes = sorted((c for c in found.columns if c.missing), key=lambda c: -c.missing)
    if len(holes) > 1 and not found.asked:
        worst = f"{cased(found.name(holes[0]))} has the most missing values ({holes[0].missing:,})"
        bars = [(found.name(c), c.missing) for c in holes]
        t.told.charts.append(bar_chart(worst, bars, "column", Axis("number of missing values")))
    _tell_markers(found)
    return lead


def _missing_in(found: Inspection) -> str:
    """Of the columns that were named."""
    parts: list[str] = []
    for c in found.asked:
        if found.study.share:
            share = found.share(c.missing, c.rows, "missing_share", c)
            many = found.fact("missing", c.missing, None, c)
            parts.append(
                f"{share} of the values of {found.name(c)} are missing: {many} of {found.fact('rows', c.rows)}"
            )
            continue
        many = found.fact("missing", c.missing, None, c) if c.missing else _none(found, c)
        share = found.share(c.missing, c.rows, "missing_share", c)
        of = f" of {found.fact('rows', c.rows)} ({share})" if c.missing else ""
        parts.append(
            f"the column {found.name(c)} has {many} missing {'value' if c.missing == 1 else 'values'}{of}"
        )
    return listed(parts) if len(parts) < 3 else "; ".join(parts)


def _none(found: Inspection, column: _Column | None = None, what: str = "missing") -> str:
    """No such things, with the fact that there are none."""
    found.fact(what, 0, None, column)
    return "no"


def _ranked(found: Inspection) -> list[_Column]:
    return sorted((c for c in found.columns if c.missing), key=lambda c: -c.missing)


def _each(found: Inspection, columns: list[_Column], most: int = _TOLD) -> str:
    """Columns with their missing values: soil 40 and height 23."""
    told = [f"{found.name(c)} {found.fact('missing', c.missing, None, c)}" for c in columns[:most]]
    return f"{', '.join(told)} and others" if len(columns) > most else listed(told)


def _total(found: Inspection) -> str:
    total, holes = sum(c.missing for c in found.columns), _ranked(found)
    if not total:
        return _nothing_missing(found)
    many = found.fact("missing_values", total)
    share = ""
    if found.study.share:
        cells = sum(c.rows for c in found.columns)
        share = found.share(total, cells, "missing_share")
        lead = f"{share} of all values are missing: {many} of {found.fact('values', cells)}"
        return f"{lead}, in {_some(found, holes)}: {_each(found, holes)}"
    word = "value is" if total == 1 else "values are"
    return f"{many} {word} missing, in {_some(found, holes)}: {_each(found, holes)}"


def _some(found: Inspection, columns: list[_Column]) -> str:
    """So many of the columns."""
    found.fact("columns", len(found.columns))
    return found.fact("columns_with_missing_values", len(columns), "columns")


def _nothing_missing(found: Inspection) -> str:
    _none(found, what="missing_values")
    _none(found, what="columns_with_missing_values")
    rows, columns = found.fact("rows", found.rows), found.fact("columns", len(found.columns))
    return f"there are no missing values: each of the {rows} rows has a value in all {columns} columns"


def _with_holes(found: Inspection) -> str:
    holes = _ranked(found)
    if not holes:
        return _nothing_missing(found)
    some = _some(found, holes)
    has = "has" if len(holes) == 1 else "have"
    lead = f"{some} {has} missing values: {_each(found, holes)}"
    found.fact("missing_values", sum(c.missing for c in holes))
    return lead


def _full(found: Inspection) -> str:
    whole = [c for c in found.columns if not c.missing]
    some = found.fact("columns_without_missing_values", len(whole), "columns")
    of = found.fact("columns", len(found.columns))
    if not whole:
        return f"all {of} columns have missing values"
    names = listed([found.name(c) for c in whole])
    return f"{some} {'has' if len(whole) == 1 else 'have'} no missing values: {names}"


def _extreme(found: Inspection, most: bool) -> str:
    if not _ranked(found):
        return _nothing_missing(found)
    end = (max if most else min)(c.missing for c in found.columns)
    there = [c for c in found.columns if c.missing == end]
    names = f"the column{'' if len(there) == 1 else 's'} {listed([found.name(c) for c in there])}"
    many = [found.made("missing", end, None, c) for c in there]
    share = found.share(end, there[0].rows, "missing_share", there[0])
    verb, each = ("has", "") if len(there) == 1 else ("have", " each")
    rows = found.fact("rows", there[0].rows)
    lead = f"{names} {verb} the {'most' if most else 'fewest'} missing values: {found.t.say(many[0])} of {rows} ({share}){each}"
    others = [c for c in _ranked(found) if c.missing != end]
    if others and most:
        found.t.told.more.append(sentence(f"after it {_each(found, others)}"))
    return lead


def _by_column(found: Inspection) -> str:
    if not _ranked(found):
        return _nothing_missing(found)
    columns = [*_ranked(found), *(c for c in found.columns if not c.missing)]
    if found.study.share:
        told = [
            f"{found.name(c)} {found.share(c.missing, c.rows, 'missing_share', c)}" for c in columns[:_LISTED]
        ]
        lead = f"missing values by column: {listed(told)}"
    else:
        lead = f"missing values by column: {_each(found, columns, _LISTED)}"
    return lead


def _rows(found: Inspection, complete: bool) -> str:
    whole = sum(o["complete"] for o in found.outputs.values())
    many = whole if complete else found.rows - whole
    said = found.fact("complete_rows" if complete else "rows_with_missing_values", many, "rows")
    share = found.share(many, found.rows, "share")
    rows = found.fact("rows", found.rows)
    what = "no missing value" if complete else "a missing value somewhere"
    if not many:
        return (
            f"none of the {rows} rows {'is without a missing value' if complete else 'has a missing value'}"
        )
    return f"{said} {'has' if many == 1 else 'have'} {what}, {share} of all {rows}"


def _tell_markers(found: Inspection) -> None:
    """What was written in cells that were read as missing."""
    told = {c.name: c for c in found.asked or found.columns}
    for role, output in found.outputs.items():
        for note in output.get("notes", ()):
            match = _READ.match(note)
            column = told.get(match["column"]) if match else None
            if match and column is not None and column.role == role:
                found.fact("read_as_missing", int(match["cells"].replace(",", "")), None, column)
                found.t.told.caveats.append(f"In {column.name}, {note[match.start('cells') :].rstrip('.')}")


_MISSING = {
    None: _total,
    "columns": _with_holes,
    "full": _full,
    "most": lambda found: _extreme(found, True),
    "least": lambda found: _extreme(found, False),
    "each": _by_column,
    "rows": lambda found: _rows(found, False),
    "complete": lambda found: _rows(found, True),
}


def _shape(found: Inspection) -> str:
    rows = found.fact("rows", found.rows)
    columns = found.fact("columns", len(found.columns))
    if len(found.outputs) == 1:
        return f"{cased(found.columns[0].table)} has {rows} rows and {columns} columns"
    tables = found.fact("tables", len(found.outputs))
    widths = {r: len([c for c in found.columns if c.role == r]) for r in found.outputs}
    each = tuple((o["table"], o["rows"], widths[r]) for r, o in found.outputs.items())
    found.t.told.tables.append(ResultTable(name="tables", columns=("table", "rows", "columns"), rows=each))
    return f"the {tables} tables have {rows} rows and {columns} columns in all"


def _names(found: Inspection) -> str:
    found.table("columns", found.columns)
    many = found.fact("columns", len(found.columns))
    if len(found.outputs) > 1:
        tables = found.fact("tables", len(found.outputs))
        return f"the {tables} tables have {many} columns"
    names = [c.name for c in found.columns]
    return f"{cased(found.columns[0].table)} has {many} columns: {listed(names)}"


def _types(found: Inspection) -> str:
    holding = found.study.holding
    found.table("columns", found.asked or found.columns)
    if holding:
        there = [c for c in found.columns if c.kind in _HELD[holding]]
        many = found.fact(f"{holding}_columns", len(there), "columns")
        found.fact("columns", len(found.columns))
        names = f": {listed([found.name(c) for c in there])}" if there else ""
        holds = "holds" if len(there) == 1 else "hold"
        return f"{many} {holds} {_WORDS[holding]}{names}" if there else f"no column holds {_WORDS[holding]}"
    kinds: dict[str, list[str]] = {}
    for c in found.asked or found.columns:
        kinds.setdefault(c.kind, []).append(found.name(c))
    told = [
        f"the column{' ' if len(names) == 1 else 's '}{listed(names)} {'holds' if len(names) == 1 else 'hold'} {_MANY.get(kind, kind)}"
        for kind, names in kinds.items()
    ]
    for kind, names in kinds.items():
        found.fact(f"{slug(kind)}_columns", len(names))
    return "; ".join(told)


def _distinct(found: Inspection) -> str:
    columns = found.asked or found.columns
    found.table("different_values", columns, distinct=True)
    told = [f"{found.name(c)} {found.fact('distinct', c.distinct, None, c)}" for c in columns[:_TOLD]]
    more = " and others" if len(columns) > _TOLD else ""
    return f"different values by column: {', '.join(told) if more else listed(told)}{more}"


def _duplicates(found: Inspection) -> str:
    if found.asked:
        parts: list[str] = []
        for c in found.asked:
            again = c.rows - c.missing - c.distinct
            many = found.fact("duplicates", again, "rows", c)
            rows = found.fact("rows", c.rows)
            verb = "repeats" if again == 1 else "repeat"
            some = f"{many} {verb} a value of {found.name(c)} that an earlier row has"
            none = f"no value of {found.name(c)} occurs in two rows"
            parts.append(f"{some}, of {rows} in all" if again else none)
        return "; ".join(parts)
    again = sum(o["duplicates"] or 0 for o in found.outputs.values())
    many = found.fact("duplicate_rows", again, "rows")
    rows = found.fact("rows", found.rows)
    if not again:
        return f"there are no duplicate rows: none of the {rows} rows is the same as another in every column"
    share = found.share(again, found.rows, "duplicate_share")
    return f"{many} {'repeats' if again == 1 else 'repeat'} an earlier row in every column, {share} of all {rows}"


_TEMPLATES = {
    "missing": _missing,
    "shape": _shape,
    "columns": _names,
    "types": _types,
    "distinct": _distinct,
    "duplicates": _duplicates,
}
