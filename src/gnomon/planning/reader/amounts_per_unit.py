"""Amounts per unit: “dollars per hour of session time”, “minutes per kilometre”, “revenue per ticket”.

A unit names the one column that is held in it; hours over a column of minutes are told in hours.
"""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeGranularity
from gnomon.data.currencies import CODES, SYMBOLS
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item, is_filler
from gnomon.planning.reader.lengths import CLOCK, unit_of_time
from gnomon.planning.reader.naming import Names, is_count, is_intensive
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.ratios import adds_up
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.derived import derived
from gnomon.semantic.model import plural
from gnomon.semantic.money_units import is_money
from gnomon.semantic.units import times_as_many, unit_called

_MONEY = {
    "dollar": "USD", "dollars": "USD", "bucks": "USD", "euro": "EUR", "euros": "EUR", "pound": "GBP", "pounds": "GBP",
    "quid": "GBP", "yen": "JPY", "rupees": "INR", "francs": "CHF", **{code.lower(): code for code in CODES}, **SYMBOLS,
}  # fmt: skip
_ARTICLES = frozenset({"the", "a", "an", "all", "their", "its", "our", "his", "her"})
_STEPS = frozenset({"day", "week", "month", "quarter", "year"})
_LONGEST = 4
_ENDING = frozenset({"each", "by", "per", "for", "in", "does", "do", "did", "at", "and"})


@dataclass(frozen=True)
class _Under:
    """What something is told per one of: the reference to its total, its table, and where its words end."""

    reference: str
    table: str
    end: int
    metric: Metric | None = None
    told: str = ""


class AmountsPerUnit:
    """Puts one measure for an amount per unit; the words of both become one item.

    Args:
        sentence: The items.
        names: The names of the model.
    """

    def __init__(self, sentence: Sentence, names: Names) -> None:
        self._sentence = sentence
        self._names = names
        self._words = [w.lower for w in sentence.words]

    def put(self, draft: Draft) -> None:
        """Find “A per UNIT” and units beside “divided by”; what names them is put for the words."""
        span = self._span()
        for p in range(span[0], span[1]):
            if self._words[p] == "per" and p + 1 < len(self._words):
                self._put_ratio(draft, p)
        for i, item in list(self._sentence):
            if item.op(Op.BY) and item.text.lower() == "divided by":
                self._name_beside(draft, i)

    def _span(self) -> tuple[int, int]:
        items = self._sentence.items
        return (items[0].start, items[-1].end) if items else (0, 0)

    def _put_ratio(self, draft: Draft, p: int) -> None:
        under = self._under(p + 1)
        money = self._words[p - 1] in _MONEY if p else False
        start, over = self._over(p, under.table if under is not None else None)
        if over is None:
            draft.unexplained += [self._sentence.words[p - 1].text] if money else []
            return
        if under is None:
            if start == p - 1 and not any(x.end == p and x.links for x in self._sentence.items):
                self._replace(start, p, over.name)  # "euros per customer": the rest is read as any ratio
                draft.unexplained = [w for w in draft.unexplained if w.lower() != self._words[start]]
            return
        if start < p - 1 and not money and not adds_up(over) and self._is_rate(over):
            return
        self._replace(start, under.end, f"{self._total(over)} / {under.reference}")
        draft.unexplained = [
            w for w in draft.unexplained
            if w.lower() not in self._words[start : under.end] and not self._is_called(w, start)
        ]  # fmt: skip
        if under.told:
            draft.notes.append(
                f"“per {self._words[p + 1]}” was taken as per {self._words[p + 1]} of {under.told}"
            )
        self._states(over)
        self._keep_known(draft, over)
        if under.metric is not None:
            self._keep_known(draft, under.metric)

    def _is_called(self, word: str, start: int) -> bool:
        """“the pace in minutes per kilometre”: a noun before the units is what the asker calls it."""
        at = self._words.index(word.lower()) if word.lower() in self._words else len(self._words)
        return self._words[start - 1 : start] == ["in"] and at < start

    def _states(self, over: Metric) -> None:
        """“the pace of finishers”: what is measured already is a state where else it is said, if there is one."""
        column = self._names.column_of(over)
        for item in self._sentence.items:
            measure = self._names.measure(item) if item.links and item.values else None
            if measure is not None and column is not None and self._names.column_of(measure) == column:
                item.links = ()

    def _keep_known(self, draft: Draft, over: Metric) -> None:
        """Rows that lack the amount take no part below the line either, unless a missing amount is none."""
        column = self._names.column_of(over)
        if column is not None and column.nullable and not adds_up(over):
            known = Filter(field=column.name, operator=FilterOperator.NOT_NULL)
            draft.filters += [known] if known not in draft.filters else []

    def _is_rate(self, metric: Metric) -> bool:
        column = self._names.column_of(metric)
        return column is None or is_intensive(column)

    def _total(self, metric: Metric) -> str:
        column = self._names.column_of(metric)
        whole = adds_up(metric) or column is None
        return metric.name if whole or column is None else f"{Aggregation.SUM}({column.home})"

    # what it is per

    def _under(self, at: int) -> _Under | None:
        for size in (2, 1):
            said = " ".join(self._words[at : at + size])
            unit = self._unit(said) if at + size <= len(self._words) else None
            if unit is not None:
                return self._of_unit(unit, at + size)
        return self._one_of(at)

    @staticmethod
    def _unit(said: str) -> str | None:
        time = unit_of_time(said) if len(said) > 2 else None
        if time is not None:
            return f"{time}s" if time in CLOCK else None
        return _MONEY.get(said) or (unit_called(said) if len(said) > 1 else None)

    def _of_unit(self, unit: str, end: int) -> _Under | None:
        held = [c for c in self._numbers() if self._is_in(c, unit)]
        named, behind = self._said_of(end, held)
        if named is None and (unit.removesuffix("s") in _STEPS or is_money(unit) or len(held) != 1):
            return None  # a step of the calendar, unless a column of days is named
        if named is None and self._ticks_in(held[0]):
            return None
        column = named or held[0]
        metric = self._names.metric_of(column)
        total, own = self._total(metric), _unit_of(column)
        other = own != unit and times_as_many(own, unit) is not None
        return _Under(
            f"({total} in {unit})" if other else total,
            column.home.table,
            behind,
            metric,
            column.label if other else "",
        )

    def _is_in(self, column: Dimension, unit: str) -> bool:
        own = _unit_of(column)
        same = own == unit or (is_money(unit) and is_money(own))
        return same or times_as_many(own, unit) is not None

    def _ticks_in(self, column: Dimension) -> bool:
        """Whether rows have a time of day, so that an hour may be one of the clock."""
        table = self._names.model.table(column.home.table)
        time = self._names.model.dimension(table.time_dimension) if table.time_dimension else None
        return time is not None and time.grain is TimeGranularity.HOUR

    def _said_of(self, end: int, held: list[Dimension]) -> tuple[Dimension | None, int]:
        """“per hour of session time”: what is measured in the unit, or what only says so again."""
        if end >= len(self._words) or self._words[end] != "of":
            return None, end
        begin = end + 1
        while begin < len(self._words) and self._words[begin] in _ARTICLES:
            begin += 1
        for size in range(min(_LONGEST, len(self._words) - begin), 0, -1):
            links = self._names.vocabulary.named(" ".join(self._words[begin : begin + size]))
            fields = [
                x.name for x in links if x.quality > 0.6 and x.kind in (LinkKind.DIMENSION, LinkKind.METRIC)
            ]
            named = [c for c in held if c.name in fields or self._names.metric_of(c).name in fields]
            if len(named) == 1:
                return named[0], begin + size
            if fields and any(self._is_other_number(f, held) for f in fields):
                return None, end
        stop = begin
        while stop < len(self._words) and stop < begin + 2 and self._is_noun(stop):
            stop += 1
        return (held[0], stop) if len(held) == 1 and stop > begin else (None, end)

    def _is_other_number(self, name: str, held: list[Dimension]) -> bool:
        model = self._names.model
        column = next((d for d in model.dimensions if d.name == name), None)
        if column is None and any(m.name == name for m in model.metrics):
            column = self._names.column_of(model.metric(name))
        return column is not None and column.type is DimensionType.NUMBER and column not in held

    def _is_noun(self, at: int) -> bool:
        """A noun that names nothing else, and that the data or everybody uses for its rows: session time, work."""
        word = self._sentence.words[at]
        if word.kind != "word" or word.lower in _ENDING or get_lexicon().met(word.lower, "n") <= 0:
            return False
        known = is_filler(word) or word.stem in {stem(w) for w in self._names.vocabulary.words}
        return known and not self._groups(at)

    def _groups(self, at: int) -> bool:
        return any(x.values and x.start <= at < x.end for x in self._sentence.items)

    def _one_of(self, at: int) -> _Under | None:
        """“per ticket”, of a column of tickets sold: one of what the numbers count."""
        word = self._words[at]
        if any(x.start <= at < x.end and x.links and x.links[0].quality > 0.85 for x in self._sentence.items):
            return None
        fitting = [c for c in self._numbers() if c.unit is None and _counts(c.label, word)]
        if len(fitting) != 1:
            return None
        return _Under(self._total(self._names.metric_of(fitting[0])), fitting[0].home.table, at + 1)

    # what is told per one of it

    def _over(self, p: int, table: str | None) -> tuple[int, Metric | None]:
        word = self._words[p - 1] if p else ""
        items = [x for x in self._sentence.items if x.end <= p]
        if word in _MONEY and not any(x.end == p and x.links for x in items):
            return p - 1, self._money(_MONEY[word], table)
        unit = self._unit(word) if word.endswith("s") else None
        if unit is not None and not any(x.end == p and x.links for x in items):
            return p - 1, self._held_in(unit, table)
        last = next((x for x in reversed(items) if x.links or x.values), None)
        measure = self._names.measure(last) if last is not None and last.links else None
        if last is None or measure is None or not all(self._is_idle(k) for k in range(last.end, p)):
            return p, None
        return last.start, measure

    def _is_idle(self, at: int) -> bool:
        """“honey did we take per hive”: words between that say no more."""
        return is_filler(self._sentence.words[at]) or self._words[at] in associations()

    def _money(self, code: str, table: str | None) -> Metric | None:
        summed = [
            m for m in self._names.model.metrics
            if m.aggregation is Aggregation.SUM and m.formula is None and m.inner is None and is_money(m.unit)
        ]  # fmt: skip
        near = [m for m in summed if table in (None, m.table)] or summed
        if len(near) > 1:
            earned = {m.name for m in self._names.associated(associations()["money"])}
            near = [m for m in near if m.name in earned]
        return near[0] if len(near) == 1 and code in str(near[0].unit) else None

    def _held_in(self, unit: str, table: str | None) -> Metric | None:
        held = [c for c in self._numbers() if _unit_of(c) == unit]
        near = [c for c in held if table in (None, c.home.table)] or held
        metric = self._names.metric_of(near[0]) if len(near) == 1 else None
        return metric if metric is not None and not is_count(metric) else None

    def _numbers(self) -> list[Dimension]:
        """The columns of numbers that the data holds itself."""
        numbers = [d for d in self._names.model.dimensions if d.type is DimensionType.NUMBER]
        return [d for d in numbers if derived(d.home.column) is None]

    # units beside a division

    def _name_beside(self, draft: Draft, i: int) -> None:
        """“all their minutes divided by all the kilometres”: each unit is the column that is held in it."""
        sign = self._sentence[i]
        for at, step in ((sign.start - 1, -1), (sign.end, 1)):
            while 0 <= at < len(self._words) and self._words[at] in _ARTICLES:
                at += step
            word = self._words[at] if 0 <= at < len(self._words) else ""
            unit = self._unit(word) if word.endswith("s") else None
            metric = self._held_in(unit, None) if unit is not None else None
            covering = next((x for x in self._sentence.items if x.start <= at < x.end), None)
            if metric is None or (
                covering is not None and covering.links and covering.links[0].quality > 0.9
            ):
                continue
            self._replace(at, at + 1, self._total(metric))
            draft.unexplained = [w for w in draft.unexplained if w.lower() != word]
            if step < 0:
                self._keep_known(draft, metric)

    def _replace(self, start: int, end: int, reference: str) -> None:
        text = " ".join(w.text for w in self._sentence.words[start:end])
        made = Item(start, end, links=(Link(LinkKind.METRIC, reference, 1.0),), text=text)
        kept = [x for x in self._sentence.items if x.end <= start or x.start >= end]
        place = len([x for x in kept if x.end <= start])
        self._sentence.items[:] = [*kept[:place], made, *kept[place:]]


def _unit_of(column: Dimension) -> str | None:
    """The unit of a column, which may be all that it is called: minutes."""
    return column.unit or unit_called(column.label)


def _counts(label: str, word: str) -> bool:
    """Whether a column tells how many of something there were: tickets sold, meals served."""
    first, *rest = name_words(label) or ("",)
    done = all(get_lexicon().is_participle(w) for w in rest)
    return bool(rest) and done and first == plural(word) and stem(first) == stem(word)
