"""What a question counts: rows, different things, and the noun that a word such as "how many" speaks of."""

from __future__ import annotations

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.doers import moves
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.naming import Names, is_count, is_intensive
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.payments import is_paid
from gnomon.planning.reader.ratios import RatioFinder
from gnomon.planning.reader.relatedness import is_plural, topic_of
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.times import Times
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.model import singular
from gnomon.semantic.units import names_unit
from gnomon.semantic.vocabulary import vocabulary

_FEW = 60
_NUMBERED = frozenset({14, 28})  # groups and periods have numbers, and nobody has three seasons of them
_HAPPENING = frozenset({4, 10, 11})  # what is done, told or happens
_PLACING = frozenset({"in", "at", "on", "from", "within", "of", "to", "into", "belong"})
_WHOLE = 0.98  # called so, whatever else is


class CountFinder(RatioFinder):
    """Finds what is counted; items that name it are marked used.

    Args:
        sentence: The items, those of times and conditions already marked used.
        names: The names of the model.
        times: What the question says about time.
        subjects: Tables that the conditions speak of, for counts without a noun.
    """

    def __init__(self, sentence: Sentence, names: Names, times: Times, subjects: list[str]) -> None:
        super().__init__(sentence, names)
        self.times = times
        self.subjects = subjects
        self.time_dimension: str | None = None
        self.aggregated: set[int] = set()

    def _counts(self) -> None:
        for i in self.sentence.find(Op.COUNT):
            item = self.sentence[i]
            if item.used or (item.links and not self._counts_next(i)):
                continue
            following = self.sentence.after(i, ())
            if following is not None and self.sentence[following].op(Op.SHARE, Op.UNIT, Op.CHANGE):
                continue
            before = self.sentence.before(i, ())
            averaged = (
                self.sentence[before].operator
                if before is not None and self.sentence[before].op(Op.AGGREGATE)
                else None
            )
            if averaged is not None and averaged.payload is not Aggregation.SUM:
                item.used = True  # "the average number of guests"
                continue
            if (taken := self._taken(i)) is not None:
                self._add(taken.name, i)  # "how many strudels were ordered"
                continue
            if self._counts_groups(i):
                item.used = True  # "orders by how many units they contain"
                continue
            if (home := self._of_each(i)) is not None:
                self._add(self.names.count_of_table(home).name, i)
                item.used = True
                continue
            at = self._object(i)
            if at is not None and (rows := self._told_by_value(i, at)) is not None:
                self._add(self.names.count_of_table(rows).name, i)  # "how many girls are in private schools"
                item.used = True
                continue
            if at is None and self._is_flagged_elsewhere(i):
                item.used = True  # "returned orders in 2025: how many?"
                continue
            if at is None:
                if (table := self._valued(i) or next(iter(self.subjects), None)) is not None:
                    self._add(self.names.count_of_table(table).name, i)
                continue
            flag = self.names.dimension(self.sentence[at], DimensionType.BOOLEAN)
            if flag is not None and self.sentence[at].used:
                self._add(self.names.count_of_table(flag.home.table).name, i)  # "the number of smokers"
                item.used = True
                continue
            reference = self._counted(i, at)
            if reference is not None:
                self._add(reference, at)
                item.used = True

    def _of_each(self, i: int) -> str | None:
        """“which reasons are there, and how many of each”, “how many of each reason”: the rows of what is told apart."""
        each = self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        if each is None or not each.op(Op.EACH) or not each.text.lower().startswith("of "):
            return None
        behind = self.sentence[i + 2] if i + 2 < len(self.sentence) else None
        asked = [behind] if behind is not None and behind.links else self.sentence.items[:i]
        kinds = (DimensionType.CATEGORY, DimensionType.BOOLEAN)
        told = [d for x in asked if x.links and (d := self.names.dimension(x, *kinds)) is not None]
        each.used = len(told) == 1 and asked[0] is not behind
        return told[0].home.table if len(told) == 1 and told[0].via is None else None

    def _told_by_value(self, i: int, at: int) -> str | None:
        """The table of a plural that is a value, right behind a count, where the noun behind it only says where they are."""
        last = i
        while last + 1 < at and self.sentence[last + 1].start == self.sentence[last].end:
            told = self.sentence[last + 1]
            if not told.values or told.links or told.values[0].kind not in ("exact", "stem"):
                break
            last += 1
        words = self.sentence.words[self.sentence[last].end : self.sentence[at].start]
        if last == i or not is_plural(self.sentence[last].text) or not _PLACING & {w.lower for w in words}:
            return None
        home = self.names.model.dimension(self.sentence[last].values[0].dimension).home
        held = self.names.dimension(self.sentence[at])
        reached = held is not None and self.names.model.path(home.table, held) is not None
        return home.table if reached else None

    def _valued(self, i: int) -> str | None:
        """“how many no-shows did each therapist have”: a value right behind says which rows are counted."""
        told = self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        if told is None or told.links or told.start != self.sentence[i].end:
            return None
        if not told.text.lower().endswith("s"):
            return None
        homes = {
            self.names.model.dimension(v.dimension).home.table
            for v in told.values
            if v.kind in ("exact", "stem")
        }
        dated = [t for t in homes if self.names.model.table(t).time_dimension is not None]
        return dated[0] if len(homes) == len(dated) == 1 else None

    def _taken(self, i: int) -> Metric | None:
        """The one quantity of a thing that is named right behind and had something done to it."""
        thing = self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        if thing is None or not thing.values or thing.links or thing.start != self.sentence[i].end:
            return None
        behind = [w.lower for w in self.sentence.words[thing.end : thing.end + 2]]
        verb = self.sentence[i + 2] if i + 2 < len(self.sentence) else None
        if (
            behind[:1] not in (["were"], ["was"], ["are"], ["got"])
            or verb is None
            or verb.start != thing.end + 1
        ):
            return None
        dimension = self.names.model.dimension(thing.values[0].dimension)
        known = {*vocabulary().phrases["quantity"]}
        found = [
            m for m in self.names.model.metrics
            if m.aggregation is Aggregation.SUM and m.unit is None and {m.label, *m.synonyms} & known
            and self.names.model.reaches(m, dimension)
        ]  # fmt: skip
        moved = (
            len(found) == 1 and found[0].table is not None and moves(behind[1], found[0].table, self.names)
        )
        verb.used = verb.used or moved
        return found[0] if moved else None

    def _is_flagged_elsewhere(self, i: int) -> bool:
        for x in self.sentence.items[:i]:
            measure = self.names.measure(x) if x.links and not x.used else None
            column = self.names.column_of(measure) if measure is not None else None
            if measure is not None and column is not None and column.type is DimensionType.BOOLEAN:
                return measure.aggregation is Aggregation.SUM
        return False

    def _counts_groups(self, i: int) -> bool:
        before = self.sentence.before(i, ())
        if (
            before is None
            or not self.sentence[before].op(Op.BY, Op.EACH, Op.PER)
            or self.sentence.has(Op.RANK)
        ):
            return False
        at = self._object(i)
        column = self.names.dimension(self.sentence[at], DimensionType.NUMBER) if at is not None else None
        counted = any(
            x.links and (self.names.countable(x) is not None or self.names.measure(x) is not None)
            for x in self.sentence.items[:before]
        )
        grouping = column is not None and (column.distinct or 99) <= 30 and counted
        if grouping and at is not None:
            self.groups.add(at)
        return grouping

    def _counts_next(self, i: int) -> bool:
        """Whether a word that is also a column's name ("count") counts what follows it."""
        following = self.sentence.after(i, ())
        return following is not None and self.sentence[following].op(Op.OF) and self._object(i) is not None

    def _object(self, i: int) -> int | None:
        """The noun that a word such as "average" or "number of" speaks of; else what happened on a date."""
        done: int | None = None
        listed = i  # "mean, median, skewness and kurtosis of …": the others of the list stand between
        while listed + 1 < len(self.sentence) and self._is_listed(listed + 1):
            listed += 1
        for j in range(i + 1, min(listed + 7, len(self.sentence))):
            item = self.sentence[j]
            if item.op(Op.BY, Op.EACH, Op.PER, Op.VERSUS) and not item.links:
                return None
            if item.op(Op.THAT, Op.WHICH) and not item.links:
                return None
            free = (
                not item.used or j in self.aggregated or (self._is_subject(item) and not self._qualifies(j))
            )
            if free and self._is_done(item):
                done = j if done is None else done
                continue
            if (item.links or item.op(Op.ROWS)) and free:
                return self._head(j)
            if item.association and self.names.metrics(item) and not item.used:
                return j
        asked = self._asked_how_much(i)
        return asked if asked is not None else None if self.subjects else done

    def _is_listed(self, j: int) -> bool:
        item = self.sentence[j]
        return item.op(Op.AND, Op.AGGREGATE, Op.FILLER) and not item.links

    def _asked_how_much(self, i: int) -> int | None:
        """“what volume did they add up to”: a column of numbers that “what” asks for, totalled at the end."""
        summed = self.sentence[i].operator
        if summed is None or summed.op is not Op.AGGREGATE or summed.payload is not Aggregation.SUM:
            return None
        for j in range(i - 1, 0, -1):
            item, before = self.sentence[j], self.sentence[j - 1]
            column = self.names.dimension(item, DimensionType.NUMBER) if not item.used else None
            if column is not None and before.op(Op.WHICH) and before.end == item.start:
                return None if is_intensive(column) else j
        return None

    def _is_done(self, item: Item) -> bool:
        """“how many condos are listed”: what was done to them on a date is not what is counted."""
        done = get_lexicon().is_participle(item.text.lower())
        date = self.names.dimension(item, DimensionType.TIME) if done else None
        return date is not None and item.links[0].name == date.name

    def _qualifies(self, j: int) -> bool:
        """Whether a condition stands before the noun that it narrows: closed requests, priority 1 requests."""
        if self.sentence[j].named(LinkKind.TABLE) is not None:
            return False
        for k in range(j + 1, len(self.sentence)):
            item = self.sentence[k]
            if item.start - self.sentence[k - 1].end > 0:
                return False
            if not item.used:
                return item.named(LinkKind.TABLE) is not None
        return False

    def _head(self, j: int) -> int:
        """In "order revenue" the last noun is meant, the one before it only says whose it is."""
        following = self.sentence[j + 1] if j + 1 < len(self.sentence) else None
        if (
            following is None
            or following.used
            or not following.links
            or following.start != self.sentence[j].end
        ):
            return j
        done = get_lexicon().is_participle(following.text.lower()) and following.links[0].quality < 0.85
        if done:
            return j  # "how many members joined", beside a time from joining to leaving
        if self.names.measure(self.sentence[j]) is None and self.names.measure(following) is not None:
            self.sentence[j].used = True
            return j + 1
        return j

    def _is_subject(self, item: Item) -> bool:
        return self.names.count(item) is not None

    def _counted(self, i: int, at: int) -> str | None:
        item = self.sentence[at]
        if item.op(Op.ROWS) and not item.links:
            table = self.names.default_table(self.subjects)
            return self.names.count_of_table(table).name if table else None
        distinct = any(self.sentence[j].op(Op.DISTINCT) for j in range(i, at))
        time = self.names.dimension(item, DimensionType.TIME)
        if (
            time is not None
            and not distinct
            and self.times.period is not None
            and item.links[0].name == time.name
        ):
            self.time_dimension = time.name  # "how many warranties expire in 2025": rows, by that date
            return self.names.count_of_table(time.home.table).name
        measure = self.names.measure(item)
        count = self.names.count(item)
        best_is_measure = measure is not None and any(
            link.name == measure.name and link.quality >= item.links[0].quality - 0.01 for link in item.links
        )
        if distinct:
            dimension = self.names.dimension(item)
            return self.names.count_of_dimension(dimension).name if dimension else None
        if (numbering := self._numbering(item)) is not None:
            numbered = self._numbered(numbering, item)
            doubtful = numbering.type is DimensionType.NUMBER and topic_of(numbering.label) in _HAPPENING
            if numbered is not None or doubtful:
                return numbered  # the numbers of games may number them or say how many there were
        column = self.names.dimension(item, DimensionType.NUMBER) or self._numbers(measure)
        rows = item.named(LinkKind.TABLE)
        if column is not None and rows is not None and rows == item.links[0] and rows.quality > _WHOLE:
            return self.names.count_of_table(
                rows.name
            ).name  # fines that are listed, beside a fine of each loan
        if column is not None and not distinct and item.links and item.links[0].quality > 0.85:
            if item.used:
                return self.names.count_of_table(column.home.table).name  # "how many are missing a score"
            if (
                measure is not None
                and measure.additivity is Additivity.NON_ADDITIVE
                and (names_unit(item.text) or not is_intensive(column))
                and not is_paid(column)  # what fines come to is no number of them
            ):
                return f"{Aggregation.SUM}({column.home})"  # "how many yellow cards", "how many kilos"
        if measure is not None and (best_is_measure or count is None):
            if measure.additivity is not Additivity.NON_ADDITIVE:
                return measure.name
            column = self.names.column_of(measure)
            if unit_of_time(measure.unit) is not None:
                return count.name if count is not None else None  # nobody counts how long things took
            if column is not None and column.type is DimensionType.BOOLEAN:
                return self.names.count_of_table(column.home.table).name
            if column is not None and column.zeros and is_paid(column):
                return None  # a fine of 0 is none
            return f"{Aggregation.COUNT}({column.home})" if column else measure.name
        return count.name if count is not None else None

    def _numbering(self, item: Item) -> Dimension | None:
        """The column that numbers or tells apart what a plural names: season, of seasons; not one that holds how many."""
        column = self.names.dimension(item, DimensionType.NUMBER, DimensionType.CATEGORY)
        if column is None or item.links[0].name != column.name or item.links[0].quality < 0.9 or item.used:
            return None
        said = item.text.lower()
        if said == column.label:  # "how many series"
            return column if topic_of(said) in _NUMBERED and not is_plural(said) else None
        rows = item.named(LinkKind.TABLE) is not None
        return column if singular(said) == column.label and not rows else None

    def _numbered(self, column: Dimension, item: Item) -> str | None:
        """“how many seasons”: different ones; “how many episodes”, numbered anew in each of them: rows."""
        model, topic = self.names.model, topic_of(column.label)
        rows, many = model.table(column.home.table).rows or 0, column.distinct or 0
        others = [d for d in model.dimensions if d.home.table == column.home.table and d.name != column.name]
        wider = [d for d in others if d.numeric or d.type is DimensionType.NUMBER]
        sizes = [d.distinct or 0 for d in wider if topic_of(d.label) in _NUMBERED | _HAPPENING]
        anew = column.numeric and any(rows <= n * many < 2 * rows for n in sizes)
        if topic in _HAPPENING and (anew or self._is_outcome(column)):
            item.links = (Link(LinkKind.TABLE, column.home.table, 0.9),)
            return self.names.count_of_table(column.home.table).name
        few = 1 < many <= _FEW and 2 * many < rows
        return self.names.count_of_dimension(column).name if topic in _NUMBERED and few else None

    def _is_outcome(self, column: Dimension) -> bool:
        """“shots”, of a column shot that holds H and M: how each of them ended, not which there are."""
        spoken = self.names.vocabulary.spoken
        held = spoken.values_of(column.name) if spoken is not None and (column.distinct or 0) == 2 else ()
        return bool(held) and all(isinstance(v, str) and len(v) == 1 for v in held)

    def _numbers(self, measure: Metric | None) -> Dimension | None:
        column = self.names.column_of(measure) if measure is not None else None
        return column if column is not None and column.type is DimensionType.NUMBER else None

    def _explicit_count(self, i: int, item: Item) -> Metric | None:
        """A count that is said in so many words ("order count"), or listed beside another measure."""
        link = item.links[0] if item.links else None
        if (
            link is None
            or link.kind is not LinkKind.METRIC
            or not is_count(self.names.model.metric(link.name))
        ):
            return None
        said = item.end - item.start > 1 and any(
            w in item.text.lower().split() for w in ("number", "count", "counts", "total", "how")
        )
        listed = any(
            0 <= j < len(self.sentence) and self.sentence[j].op(Op.AND) and 0 <= k < len(self.sentence)
            and (self.names.measure(self.sentence[k]) is not None) and self.sentence[k].links
            for j, k in ((i - 1, i - 2), (i + 1, i + 2))
        )  # fmt: skip
        if i > 2 and self.sentence[i - 1].op(Op.BY) and self.sentence[i - 2].op(Op.AND):
            listed = (
                listed or self.names.measure(self.sentence[i - 3]) is not None
            )  # "by revenue and by orders"
        before = self.sentence[i - 1] if i else None
        grouped = before is not None and before.op(Op.EACH)  # "across products, …" groups
        listed = listed and not grouped
        spoken = self.sentence.words[item.start - 1].lower if item.start else ""
        if before is not None and before.op(Op.BY) and self._is_counted_by(i):
            return self.names.model.metric(link.name)  # "compare A and B by orders", "regions by orders"
        if spoken in {"more", "fewer"} and not self._is_bounded(i):
            return self.names.model.metric(link.name)  # "which of them brought more orders"
        ranked_for = self.sentence.has(Op.RANK) and before is not None and before.text.lower() == "for"
        return self.names.model.metric(link.name) if said or listed or ranked_for else None

    def _is_bounded(self, i: int) -> bool:
        """“more orders than 5” bounds their number."""
        following = self.sentence.items[i + 1 : i + 4]
        return any(x.number is not None and x.time is None for x in following)

    def _is_counted_by(self, i: int) -> bool:
        """Whether rows behind “by” are what groups before it are told by: nobody groups by every row."""
        rows = self.sentence[i].named(LinkKind.TABLE)
        earlier = self.sentence.items[: i - 1]
        measured = any(x.links and self.names.measure(x) is not None for x in earlier)
        if rows is None or rows.quality < 0.85 or measured or not self.sentence[i].text.lower().endswith("s"):
            return False
        kinds = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.ID)
        groups = [d for x in earlier if x.links and (d := self.names.dimension(x, *kinds)) is not None]
        count, model = self.names.count_of_table(rows.name), self.names.model
        reached = any(model.reaches(count, d) and d != self.names.identifier(rows) for d in groups)
        return reached or any(x.values for x in earlier)
