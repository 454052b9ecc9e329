"""What a result says: one sentence plan for each shape, every number in it a fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from gnomon.answering.say import Words
from gnomon.core import algebra as al
from gnomon.core.answer import About, Fact, ResultTable
from gnomon.core.figures import capital, figure, group_name, listed, moment, sentence
from gnomon.core.query import TimeGranularity
from gnomon.core.shapes import Shape, shape
from gnomon.semantic.kinds import DimensionType
from gnomon.semantic.lower import Lowered, Part
from gnomon.semantic.model import Dimension, plural, singular
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart
from gnomon.tools.chart_series import line_chart

NAMED_ROWS = 3
LISTED = 8


@dataclass
class Telling:
    """A result on its way to an answer.

    Args:
        ask: What was asked.
        lowered: What the columns of the result are.
        rows: The result.
        query: What was run.
        words: How nodes are said.
        step: The step that ran it.
    """

    ask: al.Query | al.Along | al.Against
    lowered: Lowered
    rows: Sequence[tuple[Any, ...]]
    query: str
    words: Words
    step: str = "ask"
    facts: list[Fact] = field(default_factory=list[Fact])
    tables: list[ResultTable] = field(default_factory=list[ResultTable])
    charts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def prose(self) -> str:
        """The sentences, with their facts, tables and charts made on the way."""
        if not self.rows:
            return "No rows of the data meet these conditions."
        tell = {
            Shape.SCALAR: self._scalar,
            Shape.RECORD: self._record,
            Shape.TABLE: self._table,
            Shape.SERIES: self._series,
            Shape.PAIR: self._pair,
        }[shape(self.ask)]
        return tell()

    # Shapes ---------------------------------------------------------------------------------------------------------

    def _scalar(self) -> str:
        said: list[str] = []
        figures = sorted(self._figures(), key=lambda f: _verdict(self.rows[0][f[0]]) is None)
        for place, part in figures:
            value = self.rows[0][place]
            if (verdict := _verdict(value)) is not None and len(figures) > 1:
                self._fact(part, value)
                said.append(f"{verdict}.")
                continue
            if verdict is not None:
                self._fact(part, value)
                said.append(f"{verdict}: {self._called(part)}." if self._called(part) else f"{verdict}.")
                continue
            if value is None:
                said.append(f"There is no {self._called(part)}: no row has a value.")
                continue
            fact = self._fact(part, value)
            said.append(self._was(part, fact))
        return " ".join(said)

    def _was(self, part: Part, fact: Fact) -> str:
        node = part.node
        plain = isinstance(node, al.Aggregate) and node.of is None and node.where is None
        if plain and isinstance(fact.value, int):
            where = self._query.rows.where
            which = f" where {self.words.predicate(where)}" if where is not None else ""
            noun = self.words.rows(self._query.rows)
            verb = "was" if fact.value == 1 else "were"
            number = figure(fact.value)
            return sentence(f"there {verb} {number} {noun if fact.value != 1 else _one(noun)}{which}")
        return sentence(f"{self._called(part)} was {self._said(part, fact)}")

    def _record(self) -> str:
        keys, figures = self._keys(), self._figures()
        if not figures:
            return self._single(keys)
        self._show()
        first = self.rows[0]
        name = listed([self._group(first[i], p) for i, p in keys[:4]])
        told = [
            f"{self._called(p)} {self._said(p, self._fact(p, first[i], self._at(first)))}" for i, p in figures
        ]
        which = " and ".join(self.words.key(p.node) for _, p in keys if isinstance(p.node, al.Key)) or "it"
        return sentence(f"the {which} is {name}, with {listed(told)}")

    def _single(self, keys: Sequence[tuple[int, Part]]) -> str:
        """One row, column by column: “The city is Aberdeen and the country Scotland.”"""
        self._show()
        row, end = self.rows[0], self._end()
        told: list[str] = []
        for n, (i, p) in enumerate(keys[:8]):
            label, value = self._called(p), self._held(row[i], p)
            if isinstance(row[i], (int, float)) and not isinstance(row[i], bool):
                self.facts.append(self._fact_of(p, row[i], unit=self._held_unit(p)))
            verb = (" are" if is_plural(label) else " is") if n == 0 else ""
            told.append(f"the {label}{verb} {value}")
        left = f"; {len(keys) - 8} more columns are in the table" if len(keys) > 8 else ""
        return sentence(f"{end}{listed(told)}{left}")

    def _end(self) -> str:
        """At which end of which column the only row stands: “with the highest price, ”."""
        query = self._query
        if query.limit != 1 or not query.order or not isinstance(query.order[0].by, al.Column):
            return ""
        known = self.words.dimension(query.order[0].by)
        timed = known is not None and known.coverage is not None
        ends = ("latest", "earliest") if timed else ("highest", "lowest")
        return f"with the {ends[0] if query.order[0].descending else ends[1]} {self.words.expression(query.order[0].by)}, "

    def _table(self) -> str:
        keys, figures = self._keys(), self._figures()
        self._show()
        if not figures:
            return self._listing(keys)
        place, part = next(((i, p) for i, p in figures if not _is_place(p)), figures[0])
        known = [
            r for r in self.rows if isinstance(r[place], (int, float)) and not isinstance(r[place], bool)
        ]
        if not known:
            return sentence(f"there are {len(self.rows):,} rows")
        self._bar(keys, place, part)
        limit = self._query.limit if isinstance(self.ask, al.Query) else None
        if limit is not None:
            named = [self._named(r, place, part, keys) for r in self.rows[: max(NAMED_ROWS, min(limit, 5))]]
            return sentence(f"{self._called(part)}: {listed(named)}")
        ordered = sorted(known, key=lambda r: r[place])
        if len(ordered) <= NAMED_ROWS:
            return sentence(
                f"{self._called(part)} was {listed([self._for(r, place, part, keys) for r in self.rows if r in known])}"
            )
        top, low = self._named(ordered[-1], place, part, keys), self._named(ordered[0], place, part, keys)
        return sentence(
            f"of {len(self.rows):,} groups, {self._called(part)} was highest for {top} and lowest for {low}"
        )

    def _listing(self, keys: Sequence[tuple[int, Part]]) -> str:
        """Rows as they are: how many, and the first of them by name."""
        if len(self.rows) == 1:
            self.tables.clear()
            return self._single(keys)
        many = len(self.rows)
        self.facts.append(Fact(name="rows", value=many, step=self.step, query=self.query))
        alone = len(keys) == 1
        noun = plural(self._called(keys[0][1])) if alone else self.words.rows(self._query.rows)
        where = self._query.rows.where
        which = f" where {self.words.predicate(where)}" if where is not None else ""
        different = "different " if alone and self._query.distinct and not which else ""
        names = [self._row(r, keys) for r in self.rows]
        if many <= NAMED_ROWS or (alone and many <= LISTED):
            return sentence(f"there are {many} {different}{noun}{which}: {listed(names)}")
        first = "the first are" if self._query.order else "among them are"
        cut = f", of which {first} " if alone else f"; {first} "
        tail = "; all of them are in the table"
        return sentence(f"there are {many:,} {different}{noun}{which}{cut}{listed(names[:NAMED_ROWS])}{tail}")

    def _row(self, row: Sequence[Any], keys: Sequence[tuple[int, Part]]) -> str:
        """A row by its first columns: “Aberdeen (Scotland, 12)”."""
        first, *rest = [self._held(row[i], p) for i, p in keys[:4]]
        return f"{first} ({', '.join(rest)})" if rest else first

    def _held(self, value: Any, part: Part) -> str:
        """A value of a row for people: amounts in their unit, years and codes as they are."""
        amount = isinstance(value, (int, float)) and not isinstance(value, bool)
        if (
            amount
            and (known := self._dimension(part)) is not None
            and known.type is DimensionType.NUMBER
            and not known.numeric
        ):
            return figure(value, known.unit)
        return self._group(value, part)

    def _held_unit(self, part: Part) -> str | None:
        known = self._dimension(part)
        return known.unit if known is not None else None

    def _dimension(self, part: Part) -> Dimension | None:
        of = part.node.of if isinstance(part.node, al.Key) else None
        return self.words.dimension(of) if isinstance(of, al.Column) else None

    def _series(self) -> str:
        keys, figures = self._keys(), self._figures()
        self._show()
        time = next(i for i, p in keys if isinstance(p.node, al.Key) and p.node.grain is not None)
        place, part = figures[-1] if isinstance(self.ask, al.Along) else figures[0]
        known = [r for r in self.rows if r[place] is not None]
        if not known:
            return sentence(f"there is no {self._called(part)}")
        grain = next(p.node.grain for i, p in keys if i == time and isinstance(p.node, al.Key))
        groups = [(i, p) for i, p in keys if i != time]
        title = f"{self._called(part)} by {grain}"
        shown = [(r[time], *((group_name(r[groups[0][0]]),) if groups else ()), r[place]) for r in known]
        colour = self._called(groups[0][1]) if groups else None
        self.charts.append(
            line_chart(capital(title), shown, str(grain), self._axis(part), group=colour, grain=grain)
        )
        top, low = max(known, key=lambda r: r[place]), min(known, key=lambda r: r[place])
        if groups:
            return sentence(
                f"{self._called(part)} was highest for {self._named(top, place, part, keys)} "
                f"and lowest for {self._named(low, place, part, keys)}"
            )
        ends = [self._for(r, place, part, keys) for r in (known[0], known[-1])]
        if len(known) == 1:
            return sentence(f"{self._called(part)} was {ends[0]}")
        return sentence(
            f"{self._called(part)} went from {ends[0]} to {ends[1]}; "
            f"it was highest in {self._named(top, place, part, keys)} and lowest in {self._named(low, place, part, keys)}"
        )

    def _pair(self) -> str:
        assert isinstance(self.ask, al.Against)
        keys, figures = self._keys(), self._figures()
        self._show()
        (a, one), (b, _), (d, difference), (c, change) = figures[:4]
        row = self.rows[0]
        if keys:
            return self._table()
        left, right = self.ask.left_name or "the first", self.ask.right_name or "the second"
        values = [self._fact(one, row[i], {"side": side}) for i, side in ((a, left), (b, right))]
        if row[d] is None:
            return sentence(
                f"{self._called(one)} was {self._said(one, values[0])} for {left}; {right} has none"
            )
        gap = self._fact(difference, abs(row[d]), {"side": "difference"})
        word = "the same as" if row[d] == 0 else "more than" if row[d] > 0 else "less than"
        by = "" if row[d] == 0 or row[c] is None else f" ({figure(abs(row[c]), 'fraction')})"
        if by:
            self.facts.append(self._fact_of(change, abs(row[c]), unit="fraction"))
        gap_said = "" if row[d] == 0 else f"{self._said(one, gap)}{by} "
        told = f"{self._called(one)} was {self._said(one, values[0])} for {left}, {gap_said}{word} for {right} ({self._said(one, values[1])})"
        if self.ask.claim is not None:
            holds = {"<": row[d] < 0, ">": row[d] > 0, "=": row[d] == 0}[self.ask.claim]
            told = f"{'yes' if holds else 'no'}: {told}"
        return sentence(told)

    # Parts ----------------------------------------------------------------------------------------------------------

    @property
    def _query(self) -> al.Query:
        ask = self.ask
        return ask.query if isinstance(ask, al.Along) else ask.left if isinstance(ask, al.Against) else ask

    def _keys(self) -> list[tuple[int, Part]]:
        return [(i, p) for i, p in enumerate(self.lowered.parts) if p.is_key]

    def _figures(self) -> list[tuple[int, Part]]:
        return [(i, p) for i, p in enumerate(self.lowered.parts) if not p.is_key]

    def _called(self, part: Part) -> str:
        node = part.node
        if isinstance(node, al.Key):
            computed = node.name is not None and node.grain is None and not isinstance(node.of, al.Column)
            return (node.name or "").replace("_", " ") if computed else self.words.key(node)
        if isinstance(node, al.Along):
            inner = node.query.measures[node.measure].measure
            return f"{node.step.value} of {self.words.measure(inner, node.query.rows)}"
        if isinstance(node, al.Against):
            return part.name.rpartition("_")[0] or part.name
        return self.words.measure(node, self._query.rows)

    def _unit(self, part: Part) -> str | None:
        node = part.node
        if isinstance(node, al.Along):
            inner = self.words.unit(node.query.measures[node.measure].measure)
            return "fraction" if node.step in (al.Walk.GROWTH, al.Walk.SHARE) else inner
        if isinstance(node, al.Against):
            first = node.left.measures[0].measure
            return "fraction" if part.name.startswith("change") else self.words.unit(first)
        return self.words.unit(node) if not isinstance(node, al.Key) else None

    def _axis(self, part: Part) -> Axis:
        return Axis(self._called(part), self._unit(part))

    def _fact_of(
        self, part: Part, value: Any, group: dict[str, str] | None = None, unit: str | None = None
    ) -> Fact:
        name = ".".join(filter(None, [_slug(self._called(part)), *map(_slug, (group or {}).values())]))
        return Fact(
            name=name or "value", value=value, unit=unit or self._unit(part), about=About(group=group or {}),
            step=self.step, query=self.query,
        )  # fmt: skip

    def _fact(self, part: Part, value: Any, group: dict[str, str] | None = None) -> Fact:
        fact = self._fact_of(part, value, group)
        if all(f.name != fact.name for f in self.facts):
            self.facts.append(fact)
        return fact

    def _said(self, part: Part, fact: Fact) -> str:
        return figure(fact.value, fact.unit)

    def _at(self, row: Sequence[Any]) -> dict[str, str]:
        return {self._called(p): self._group(row[i], p) for i, p in self._keys()}

    def _group(self, value: Any, part: Part) -> str:
        node = part.node
        if isinstance(node, al.Key) and node.grain is not None and isinstance(value, (date, datetime)):
            return period(value, node.grain)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and isinstance(node, al.Key):
            return group_name(value)
        return group_name(value)

    def _named(self, row: Sequence[Any], place: int, part: Part, keys: Sequence[tuple[int, Part]]) -> str:
        name = ", ".join(self._group(row[i], p) for i, p in keys) or "all"
        return f"{name} ({self._said(part, self._fact(part, row[place], self._at(row)))})"

    def _for(self, row: Sequence[Any], place: int, part: Part, keys: Sequence[tuple[int, Part]]) -> str:
        name = ", ".join(self._group(row[i], p) for i, p in keys)
        timed = any(isinstance(p.node, al.Key) and p.node.grain is not None for _, p in keys)
        said = self._said(part, self._fact(part, row[place], self._at(row)))
        return f"{said} {'in' if timed else 'for'} {name}"

    def _show(self) -> None:
        columns = _distinct([capital(self._called(p)) for p in self.lowered.parts])
        rates = tuple(
            c for c, p in zip(columns, self.lowered.parts, strict=True) if self._unit(p) == "fraction"
        )
        shown = tuple(
            tuple(self._cell(v, p) for v, p in zip(r, self.lowered.parts, strict=True)) for r in self.rows
        )
        self.tables.append(ResultTable(name="result", columns=columns, rows=shown, rates=rates))

    def _cell(self, value: Any, part: Part) -> Any:
        node = part.node
        if isinstance(node, al.Key) and node.grain is not None and isinstance(value, (date, datetime)):
            return period(value, node.grain)
        return value

    def _bar(self, keys: Sequence[tuple[int, Part]], place: int, part: Part) -> None:
        if len(keys) != 1 or len(self.rows) < 2:
            return
        key, label = keys[0][0], self._called(keys[0][1])
        shown = [(self._group(r[key], keys[0][1]), r[place]) for r in self.rows]
        self.charts.append(
            bar_chart(capital(f"{self._called(part)} by {label}"), shown, label, self._axis(part))
        )


def is_plural(label: str) -> bool:
    """Whether a name is one of many things."""
    return singular(label) != label


def period(value: date, grain: TimeGranularity) -> str:
    """A period by its first day, as people write it."""
    if grain is TimeGranularity.YEAR:
        return str(value.year)
    if grain is TimeGranularity.QUARTER:
        return f"Q{(value.month + 2) // 3} {value.year}"
    if grain is TimeGranularity.MONTH:
        return f"{value:%B %Y}"
    said = moment(value)
    return f"the week of {said}" if grain is TimeGranularity.WEEK else said


def _verdict(value: Any) -> str | None:
    """Yes or no, where that is what a figure says."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return value.capitalize() if isinstance(value, str) and value.lower() in ("yes", "no") else None


def _is_place(part: Part) -> bool:
    """Whether a column only tells the place of a row, which is no figure to speak of."""
    held = part.node.of if isinstance(part.node, al.Key) else part.node
    return isinstance(held, al.Windowed) and held.of is None


def _one(noun: str) -> str:
    from gnomon.semantic.model import singular

    return singular(noun)


def _slug(text: str) -> str:
    return "_".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    taken: list[str] = []
    for name in names:
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name} {number}"
        taken.append(free)
    return tuple(taken)
