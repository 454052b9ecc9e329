"""Which date column the times of a question belong to, where rows have several: received in May, reported in June."""

from __future__ import annotations

from datetime import date

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeRange
from gnomon.planning.reader.date_names import done_on, is_called_after
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.newest_periods import place_newest
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.stated_columns import is_yes
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Dimension, DimensionType

_BETWEEN = frozenset({"in", "on", "at", "during", "the", "from", "back", "by", "within", "over", "sometime"})
_REACH = 3


class Dates:
    """Binds times to the date columns that verbs and nouns beside them name.

    Args:
        names: The names of the model.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self._named = False

    def bind(self, draft: Draft, sentence: Sentence) -> None:
        """“launched in 2024”, “by month of discharge”: a date that is named is the one that its times refer to."""
        if any(item.time for item in sentence.items) or draft.grain is not None:
            self._bind(draft, sentence)
        place_newest(draft, sentence, self.names)

    def mark(self, draft: Draft) -> None:
        """Rows that a mark or a state singles out are dated by the day that is called as it is: transplant and transplant
        date, termination reason and termination date."""
        if self._named or draft.time_dimension is not None or not (draft.time_range or draft.grain):
            return
        reached = [d for d in self._reached(draft) if any(self._dates(d, f) for f in draft.filters)]
        if len(reached) == 1:
            self._refer(draft, reached[0])

    def _dates(self, day: Dimension, condition: Filter) -> bool:
        """Whether a day is when that came about which a condition asks for."""
        if condition.having or condition.operator not in (FilterOperator.EQUALS, FilterOperator.IN):
            return False
        column = self.names.model.dimension(condition.field)
        word = name_words(column.label)[0]
        if column.home.table != day.home.table or column.name == day.name:
            return False
        if is_yes(condition.values[0]):
            return is_called_after(word, day)
        return column.nullable and day.nullable and is_called_after(word, day, cut=True)

    def _bind(self, draft: Draft, sentence: Sentence) -> None:
        self._add_plain(draft, sentence)
        named = [(i, d) for i, item in sentence if (d := self._column(item, draft)) is not None]
        near = {
            i: j for i, _ in named if (j := self._time_of(sentence, i, [k for k, _ in named])) is not None
        }
        if not near and len(named) == 1 and self._holds_for_all(sentence, named[0][0]):
            near = {named[0][0]: next(j for j, x in sentence if x.time)}
        bound = [(i, d, near[i]) for i, d in named if i in near]
        for i, column, _ in bound[:1]:
            self._refer(draft, column)
            sentence[i].used = True
            draft.unexplained = [text for text in draft.unexplained if text != sentence[i].text]
        for column in {d.name: d for _, d, _ in bound}.values():
            if not any(self._groups(sentence, i) for i, d in named if d.name == column.name):
                draft.dimensions = [
                    d for d in draft.dimensions if d != column.name
                ]  # “where paid on is in 2024”
        if len({d.name for _, d, _ in bound}) > 1 and draft.comparison is None:
            self._apart(draft, sentence, bound)
        elif len(bound) == 1 and draft.time_dimension is not None and draft.comparison is None:
            self._for_another(draft, sentence, bound[0][1], bound[0][2])
        for i, column in named:
            owned = bound or self._is_owned(sentence)
            if i not in near and owned and self._is_done(sentence, i, column):
                draft.filters.append(Filter(field=column.name, operator=FilterOperator.NOT_NULL))
                sentence[i].used = True  # "received in May and reported": whenever that was
        if not bound:
            self._done_by(draft, sentence)
            self._behind(draft, sentence)
        self._named = bool(bound)

    @staticmethod
    def _groups(sentence: Sentence, i: int) -> bool:
        """Whether a column stands right behind a word that tells groups apart."""
        before = sentence[i - 1] if i else None
        leads = (
            before is not None
            and before.op(Op.BY, Op.PER, Op.EACH, Op.WHICH)
            and before.text.lower() != "where"
        )
        return leads and before is not None and before.end == sentence[i].start

    def _add_plain(self, draft: Draft, sentence: Sentence) -> None:
        """“made in the 1920s”: a plain word right before a time, where one date alone is called so."""
        taken = {k for x in sentence.items if x.links or x.values for k in range(x.start, x.end)}
        valued = {k for x in sentence.items if x.values and not x.links for k in range(x.start, x.end)}
        for time in [x for x in sentence.items if x.time is not None]:
            k = time.start - 1
            while k > 0 and (sentence.words[k].lower in _BETWEEN or k in valued):
                k -= 1
            if k < 0 or k in taken or sentence.words[k].kind != "word":
                continue
            said, reached = sentence.words[k].lower, self._reached(draft)
            columns = [d for d in reached if is_called_after(said, d)]
            columns = columns or [d for d in reached if d in done_on(said, self.names.model)]
            if len(columns) == 1:
                link = Link(LinkKind.DIMENSION, columns[0].name, 0.9)
                told = next((x for x in sentence.items if x.start == k and x.association is not None), None)
                if told is not None:
                    told.links, told.association = (link,), None
                else:
                    item = Item(k, k + 1, links=(link,), text=sentence.words[k].text)
                    sentence.items.insert(sentence.items.index(time), item)

    def _reached(self, draft: Draft) -> list[Dimension]:
        model = self.names.model
        metrics = [model.metric(m) for m in draft.metrics]
        return [
            d
            for d in model.dimensions
            if d.type is DimensionType.TIME and all(model.reaches(m, d) for m in metrics)
        ]

    def _column(self, item: Item, draft: Draft) -> Dimension | None:
        """The date column that an item names before anything else, where the measures reach it."""
        column = None if item.used or item.time else self.names.dimension(item, DimensionType.TIME)
        if column is None or item.links[0].name != column.name:
            return None
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        return column if all(self.names.model.reaches(m, column) for m in metrics) else None

    @staticmethod
    def _time_of(sentence: Sentence, i: int, others: list[int]) -> int | None:
        """The time that stands behind a date's name with no other in between, or before it and “of”."""
        end = min((k for k in others if k > i), default=len(sentence))
        behind = next((j for j in range(i + 1, min(i + _REACH + 1, end)) if sentence[j].time), None)
        if behind is not None:
            return behind
        before = sentence.before(i)
        linked = before is not None and any(sentence[k].op(Op.OF) for k in range(before, i))
        return before if before is not None and linked and sentence[before].time else None

    @staticmethod
    def _holds_for_all(sentence: Sentence, i: int) -> bool:
        """“In May, how many were shipped?”, “monthly shipped orders”: the time stands before all else."""
        first = next((j for j, x in sentence if x.time or x.links or x.values), None)
        done = sentence[i].text.lower().endswith("ed")
        if first is None or sentence[first].time is None or not done:
            return False
        return i == first + 1 or not Dates._is_owned(sentence)

    @staticmethod
    def _is_owned(sentence: Sentence) -> bool:
        """“the May orders that were shipped”: the time belongs to the noun right behind it."""
        pairs = zip(sentence.items, sentence.items[1:], strict=False)
        return any(a.time and a.end == b.start and b.named(LinkKind.TABLE) for a, b in pairs)

    def _refer(self, draft: Draft, column: Dimension) -> None:
        model = self.names.model
        usual = {d.name for m in draft.metrics if (d := model.time_dimension(model.metric(m)))}
        kept = column.name in usual and not self._is_moved(draft)
        draft.time_dimension = None if kept else column.name

    def _is_moved(self, draft: Draft) -> bool:
        """Whether things are counted that other tables speak of too, where their own date might be lost."""
        model = self.names.model
        tables = {m.table for r in draft.metrics if is_count(m := model.metric(r)) and m.expression is None}
        return any(j.to_table in tables for j in model.joins)

    def _apart(self, draft: Draft, sentence: Sentence, bound: list[tuple[int, Dimension, int]]) -> None:
        """Two dates with a time of their own each: the first is that of the rows, the other a condition."""
        periods = {j: mention.period for _, _, j in bound if (mention := sentence[j].time) is not None}
        if any(period is None for period in periods.values()):
            return
        draft.time_range = periods[bound[0][2]]
        taken = [*periods.values(), draft.time_range]
        draft.other_periods = [p for p in draft.other_periods if p not in taken]
        for i, column, j in bound[1:]:
            period = periods[j]
            if period is not None and column.name != bound[0][1].name:
                draft.filters.append(_within(column, period))
                sentence[i].used = True

    @staticmethod
    def _for_another(draft: Draft, sentence: Sentence, column: Dimension, at: int) -> None:
        """“booked in March for April”: the time that no date is named beside is that of the rows themselves."""
        rest = [j for j, x in sentence if j != at and x.time is not None and x.time.period is not None]
        mine = sentence[at].time
        if len(rest) != 1 or mine is None or mine.period is None or mine.grain is None:
            return
        between = range(min(at, rest[0]) + 1, max(at, rest[0]))
        own, other = mine.period, sentence[rest[0]].time
        if (
            any(sentence[k].op(Op.AND, Op.OR, Op.VERSUS) for k in between)
            or other is None
            or own == other.period
        ):
            return
        draft.time_dimension, draft.time_range, draft.other_periods = None, other.period, []
        draft.filters.append(_within(column, own))

    def _done_by(self, draft: Draft, sentence: Sentence) -> None:
        """“closed by Ann in March”: a column that tells who did it has the verb of the date on which it was done."""
        for i, item in sentence:
            words = name_words(item.text)
            time = next((j for j in range(i + 1, len(sentence)) if sentence[j].time), None)
            if time is None or words[-1:] != ("by",) or len(words) != 2 or not item.links:
                continue
            between = [sentence[j] for j in range(i + 1, time)]
            if not any(x.values for x in between) or any(x.links and not x.values for x in between):
                continue
            reached = [d for d in self._reached(draft) if is_called_after(words[0], d)]
            if len(reached) == 1:
                self._refer(draft, reached[0])

    @staticmethod
    def _is_done(sentence: Sentence, i: int, column: Dimension) -> bool:
        before = sentence.before(i, (Op.FILLER,))
        undone = before is not None and sentence[before].op(Op.NOT, Op.WITHOUT)
        return sentence[i].text.lower().endswith("ed") and column.nullable and not undone

    def _behind(self, draft: Draft, sentence: Sentence) -> None:
        """“by weekday of report”: a word behind a time and “of”, as the name of a date has it."""
        for _, item in sentence:
            words = sentence.words[item.end : item.end + 3] if item.time else []
            told = [w for w in words[1:] if w.lower not in {"the", "their", "its"}]
            if not told or words[0].lower != "of":
                continue
            reached = [d for d in self._reached(draft) if is_called_after(told[0].lower, d)]
            if len(reached) == 1:
                self._refer(draft, reached[0])
                for x in sentence.items:
                    x.used |= x.start <= item.end + 1 + words[1:].index(told[0]) < x.end
                draft.unexplained = [text for text in draft.unexplained if text != told[0].text]


def _within(column: Dimension, period: TimeRange) -> Filter:
    """The days of a period as a condition on a date column."""
    if period.end == date.max:
        return Filter(field=column.name, operator=FilterOperator.AT_LEAST, values=(period.start.isoformat(),))
    if period.start == date.min:
        return Filter(field=column.name, operator=FilterOperator.AT_MOST, values=(period.end.isoformat(),))
    days = (period.start.isoformat(), period.end.isoformat())
    return Filter(field=column.name, operator=FilterOperator.BETWEEN, values=days)
