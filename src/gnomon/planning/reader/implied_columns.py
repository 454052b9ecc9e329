"""What a bound is about where no column is named: invoices over 500 euros, flights an hour late, priced under 25."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.core.parts import FilterOperator
from gnomon.core.query import TimeGranularity
from gnomon.data.column_names import MONEY, MONEY_MAYBE
from gnomon.data.currencies import CODES, SYMBOLS
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, kindred, relate
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.condition_finder import SURE, ConditionFinder, NumberCondition
from gnomon.planning.reader.lengths import in_unit, unit_of_time
from gnomon.planning.reader.naming import head_of
from gnomon.planning.reader.number_items import DEGREES
from gnomon.planning.reader.operators import FILLERS
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import ABBREVIATIONS, name_words, stem
from gnomon.semantic import Additivity, Dimension, DimensionType, Metric
from gnomon.semantic.money_units import as_held, is_money
from gnomon.semantic.units import names_unit, times_as_many, unit_called

MONEY_UNIT = "money"
_HEAT = "degrees"
_CURRENCIES = frozenset(
    w
    for unit in ("dollar", "euro", "pound", "buck", "cent", "franc", "rupee", "peso")
    for w in (unit, f"{unit}s")
)
# What stands behind a measure and says of what it is: sixty minutes late, ten percent off.
_BEHIND = {
    "late": ("delay", "lateness"),
    "off": ("discount", "reduction", "rebate"),
    "old": ("age",),
    "tall": ("height",),
    "high": ("height", "elevation", "altitude"),
    "long": ("length", "duration", "runtime"),
    "wide": ("width",),
    "deep": ("depth",),
    "thick": ("thickness",),
    "away": ("distance",),
    "heavy": ("weight", "mass"),
    "value": associations()["worth"].nouns,
}


class ImpliedColumns(ConditionFinder):
    """Finds the column that a bound speaks of by its unit, by the verb before it or by the adjective behind it."""

    def unit_said(self, first: int, last: int) -> str | None:
        """The unit of the numbers from one item to another: money, a unit of time, degrees or what columns call it."""
        words = self.sentence.words
        start, end = self.sentence[first].start, self.sentence[last].end
        if any(w.text[:1] in SYMBOLS for w in words[start:end]):
            return MONEY_UNIT
        numbers = [x.number for x in self.sentence.items[first : last + 1] if x.number is not None]
        if numbers and numbers[-1].unit is not None:
            return numbers[-1].unit
        for word in (*words[end - 1 : end], *words[end : end + 1]):
            low = word.lower
            if low in _CURRENCIES or low.upper() in CODES:
                return MONEY_UNIT
            if low in DEGREES:
                return _HEAT
            if unit := unit_of_time(low) or unit_called(low):
                return unit
        return None

    def as_held(
        self, values: tuple[float, ...], held: str | None, start: int, end: int
    ) -> tuple[float, ...] | None:
        """“200 million dollars” of a column in millions, “2 tonnes” of one in kg; None where they do not convert."""
        said = self.unit_said(start, end)
        for item in self.sentence.items[start : end + 1]:  # "between 1 and 2 hours" says the unit of both
            if item.number is not None and said not in (None, MONEY_UNIT):
                item.number = replace(item.number, unit=said)
        if said is None or held is None or said in (MONEY_UNIT, _HEAT, "%", held) or unit_of_time(said):
            text = " ".join(x.text for x in self.sentence.items[start : end + 1])
            return as_held(values, held, text, money=said == MONEY_UNIT)
        size = times_as_many(held, said)
        return tuple(round(v / size, 9) for v in values) if size is not None else None

    def _unit_items(self, end: int) -> list[int]:
        """The item right behind a number that only says its unit."""
        following = self.sentence[end + 1] if end + 1 < len(self.sentence) else None
        if following is None or following.start != self.sentence[end].end:
            return []
        return [end + 1] if unit_of_time(following.text) or names_unit(following.text) else []

    def _implied(
        self, i: int, start: int, end: int, operator: FilterOperator, values: tuple[float, ...]
    ) -> NumberCondition | None:
        """The bound on the one column that everything around it points to."""
        number = self.sentence[i].number
        assert number is not None
        noun_at, table = self._rows_bounded(start)
        unit = self.unit_said(start, end)
        columns = self._columns(table, unit, percent=number.percent)
        told, behind = self._told_behind(end)
        following = self.sentence[end + 1] if end + 1 < len(self.sentence) else None
        beside = following is not None and following.start == self.sentence[end].end and not following.used
        if beside and following is not None and following.links and not told:
            return None  # "4 or more pumps" bounds pumps, or nothing
        of = self.sentence[start].start and self.sentence.words[self.sentence[start].start - 1].lower == "of"
        if told == associations()["worth"].nouns or (of and unit is None and not told):
            columns, told = self._worth(columns), associations()["worth"].nouns
        elif told:
            columns = _called(columns, told)
        elif (adjective := self.sentence[start].association) is not None and adjective.nouns[0] != "size":
            own = _called(self._columns(table, None, percent=False), adjective.nouns)
            others = columns if unit and not own else []  # "longer than 3 months", of a duration in minutes
            columns = _called(columns, adjective.nouns) or others
        columns = self._hinted(columns, noun_at, start, sure=bool(told or unit))
        column = columns[0] if len(columns) == 1 else None
        if column is None or not self._fits_purpose(end, column):
            return None
        if unit is not None and unit_of_time(unit) is not None:
            if self._ends_otherwise(start, column):
                return None
            if (converted := in_unit(values, unit, _length(column))) is None:
                return None
            values = converted
        if (told_as := self.as_held(values, column.unit, start, end)) is None:
            return None
        values = told_as
        if unit_of_time(unit) is not None:
            self.sentence[start].association = None  # "took longer than 2 days", of their resolution
        self._use(*range(start, end + 1), *behind, *self._unit_items(end))
        self._lead_up(noun_at, start, column)
        at, period = self._subject(start, self.names.metric_of(column), column)
        if isinstance(period, TimeGranularity):
            whole = self.names.metric_of(column)
            return NumberCondition(i, operator, values, number.percent, whole, column, period, at, None)
        metric, subject = self._shared_out(noun_at, table, column)
        return NumberCondition(i, operator, values, number.percent, metric, column, subject, noun_at, None)

    def _ends_otherwise(self, start: int, column: Dimension) -> bool:
        """“closed within 24 hours”, where a date says when: no time until the first response."""
        first = self.sentence[start].start
        said = {stem(w.lower) for w in self.sentence.words[max(0, first - 2) : first]}
        times = [d for d in self.names.model.dimensions if d.type is DimensionType.TIME]
        dated = {stem(w) for d in times for w in name_words(d.label)} & said
        return bool(dated) and not dated & {stem(w) for w in name_words(column.label)}

    def _fits_purpose(self, end: int, column: Dimension) -> bool:
        """“took two days to resolve”: what it is for must be what the column is about."""
        words = self.sentence.words
        at = self.sentence[end].end
        while at < len(words) and (unit_of_time(words[at].lower) or unit_called(words[at].lower)):
            at += 1
        if at + 1 >= len(words) or words[at].lower != "to" or words[at + 1].kind != "word":
            return True
        verb = words[at + 1].lower
        if not any(part == "v" for _, part in get_lexicon().bases(verb)):
            return True
        self._hear([at + 1])
        self._use(*(j for j, x in self.sentence if x.start == at + 1))
        return _is_kin(verb, column)

    def _shared_out(
        self, noun_at: int | None, table: str | None, column: Dimension
    ) -> tuple[Metric | None, Dimension | None]:
        """“clients billed over 500 euros”: of what rows are about, all their rows together, where they add up."""
        if noun_at is None or self.sentence[noun_at].values or self.sentence[noun_at].named(LinkKind.TABLE):
            return None, None
        subject = self.names.dimension(self.sentence[noun_at], DimensionType.ID, DimensionType.CATEGORY)
        metric = self.names.metric_of(column)
        key = self.names.model.table(table).key if table is not None else ()
        if subject is None or metric.additivity is not Additivity.ADDITIVE:
            return None, None
        return (metric, subject) if key != (subject.at(table or ""),) else (None, None)

    def _lead_up(self, noun_at: int | None, start: int, column: Dimension) -> None:
        """A verb of paying before an amount of money says nothing more: “shipments that cost over 300 dollars”."""
        paying = {*associations()["cost"].nouns, *associations()["worth"].nouns}
        for j in range((noun_at if noun_at is not None else -1) + 1, start):
            said = self.sentence[j].association
            if (
                said is not None
                and not self.sentence[j].links
                and {*said.nouns} & paying
                and _is_money(column)
            ):
                self.sentence[j].association = None
                self._use(j)
        rows = name_words(self.names.model.table(column.home.table).label)
        first = self.sentence[noun_at].end if noun_at is not None else 0
        verbs = range(first, self.sentence[start].start)
        self._hear(k for k in verbs if any(_is_doing(self.sentence.words[k].lower, w) for w in rows))

    def _rows_bounded(self, before: int) -> tuple[int | None, str | None]:
        """The noun before a bound, and the table whose rows, things or values it names."""
        model = self.names.model
        for j in range(before - 1, -1, -1):
            item = self.sentence[j]
            link = item.named(LinkKind.TABLE)
            if link is not None and link.quality >= SURE:
                return j, link.name
            count = self.names.count(item) if item.links else self._events(item)
            if count is not None and count.table is not None:
                return j, count.table
        for j in range(before - 1, -1, -1):
            if self.sentence[j].values:  # "condos under 300,000"
                return j, model.dimension(self.sentence[j].values[0].dimension).home.table
        return None, model.tables[0].name if len(model.tables) == 1 else None

    def _columns(self, table: str | None, unit: str | None, *, percent: bool) -> list[Dimension]:
        """The columns of numbers that can be told in a unit."""
        numbers = [
            d for d in self.names.model.dimensions
            if d.type is DimensionType.NUMBER and (table is None or d.at(table) is not None)
        ]  # fmt: skip
        if percent:
            return [d for d in numbers if d.unit in ("fraction", "%")]
        numbers = [d for d in numbers if d.unit != "fraction"]
        if unit is None:
            return numbers
        if unit == MONEY_UNIT:
            return [d for d in numbers if _is_money(d)]
        if unit == _HEAT:
            return [d for d in numbers if (d.unit or "").startswith("°")]
        if unit_of_time(unit) is not None:
            return [d for d in numbers if (held := _length(d)) and in_unit((1.0,), unit, held) is not None]
        return [d for d in numbers if d.unit == unit or times_as_many(d.unit, unit) is not None]

    def _told_behind(self, end: int) -> tuple[tuple[str, ...], list[int]]:
        """The nouns that a word right behind a measure stands for, and the items that it takes up."""
        words = self.sentence.words
        at = self.sentence[end].end
        for k in range(at, min(at + 3, len(words))):
            low = words[k].lower
            if low == "value" and words[k - 1].lower != "in":
                continue
            if low in _BEHIND:
                items = [j for j, x in self.sentence if x.start <= k < x.end and not x.links]
                self._hear(range(at, k + 1))
                return _BEHIND[low], items
            if low not in FILLERS and unit_of_time(low) is None and unit_called(low) is None:
                break
        return (), []

    def _hinted(
        self, columns: list[Dimension], noun_at: int | None, start: int, *, sure: bool
    ) -> list[Dimension]:
        """The columns whose names share a word with the verb before a bound, else with what is bounded."""
        words = self.sentence.words
        first = self.sentence[noun_at].end if noun_at is not None else 0
        until = self.sentence[start].start
        verbs = [k for k in range(first, until) if words[k].kind == "word" and len(words[k].lower) > 3]
        kin = {k: [d for d in columns if _is_kin(words[k].lower, d)] for k in verbs}
        told = [k for k in verbs if kin[k]]
        if told:
            shared = [d for d in columns if all(d in kin[k] for k in told)]
            self._hear(told)
            self._use(*(j for j, x in self.sentence if x.start in told and x.end == x.start + 1))
            return shared
        if len(columns) > 1 and noun_at is not None:
            own = [d for d in columns if _is_kin(words[self.sentence[noun_at].end - 1].lower, d)]
            columns = own if len(own) == 1 else self._worth(columns)
        return columns if sure or all(is_money(d.unit) for d in columns) else []

    def _worth(self, columns: list[Dimension]) -> list[Dimension]:
        """Of several amounts, the one that says what a thing comes to."""
        added = [(d, m) for d in columns if (m := self.names.metric_of(d)).additivity is Additivity.ADDITIVE]
        for noun in associations()["worth"].nouns:
            if found := [d for d, m in added if noun in (m.label, *m.synonyms) or head_of(m.label) == noun]:
                return found
        return columns


def _length(column: Dimension) -> str | None:
    """The unit of time that a column is in, by its own word or by its name: days to pay."""
    named = (unit_of_time(w) for w in name_words(column.label) if w.endswith("s"))
    return unit_of_time(column.unit) or (next((u for u in named if u), None) if column.unit is None else None)


def _is_money(column: Dimension) -> bool:
    words = set(name_words(column.label))
    return is_money(column.unit) or (column.unit is None and bool(words & (MONEY | MONEY_MAYBE)))


def _called(columns: Sequence[Dimension], nouns: Sequence[str]) -> list[Dimension]:
    """The columns that are about the first of the nouns that any is about."""
    for noun in nouns:
        if found := [d for d in columns if head_of(d.label) == noun or noun in d.synonyms]:
            return found
    return next(
        (found for noun in nouns if (found := [d for d in columns if noun in name_words(d.label)])), []
    )


def _is_doing(verb: str, noun: str) -> bool:
    """Whether a verb is what makes something what a noun calls it: billed, of invoices."""
    wider = (Relation.SAME, Relation.BROADER)
    related = any(r.relation in wider and r.steps < 2 and r.strength >= 0.02 for r in relate(verb, noun))
    return verb.endswith("ed") and (related or kindred(verb, noun))


def _is_kin(said: str, column: Dimension) -> bool:
    """Whether a word is a form of one in a column's name, written out."""
    if said in FILLERS and not said.endswith("ed"):
        return False
    return any(
        kindred(said, ABBREVIATIONS.get(w, w)) for w in name_words(column.label) if len(w) > 2 and w.isalpha()
    )
