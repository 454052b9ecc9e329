"""The measures of a question: what is counted, totalled or averaged, and over what."""

from __future__ import annotations

from gnomon.core.patterns import late_pattern
from gnomon.core.query import TimeGranularity
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.counts import CountFinder
from gnomon.planning.reader.doers import moves
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import COUNTS, Names, is_count, is_intensive
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.payments import all_paid
from gnomon.planning.reader.ratios import Measure, adds_up, is_one_of
from gnomon.planning.reader.sentence import LINKING, Sentence
from gnomon.planning.reader.share_parts import shared_rows
from gnomon.planning.reader.taken_together import is_of_the_whole
from gnomon.planning.reader.times import Times
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.durations import ends_of
from gnomon.semantic.units import names_unit

_COPULAS = frozenset({"is", "are", "was", "were", "do", "does", "did"})
_COMES_TO = frozenset({"value", "values", "worth", "come", "comes", "came", "amount", "amounts", "amounted"})
_IN_ONE = late_pattern(r"(in|on|within|during|for) (an?|one|any)\b")
_NESTING = tuple(how for how in Aggregation if how not in (Aggregation.SUM, *COUNTS, Aggregation.MODE))


class Measures(CountFinder):
    """Finds the measures of one sentence; items that name one are marked used.

    Args:
        sentence: The items, those of times and conditions already marked used.
        names: The names of the model.
        times: What the question says about time.
        subjects: Tables that the conditions speak of, for counts without a noun.
        bounded: Whether a condition bounds a measure, which everyday verbs then only lead up to.
    """

    def __init__(
        self, sentence: Sentence, names: Names, times: Times, subjects: list[str], *, bounded: bool = False
    ) -> None:
        super().__init__(sentence, names, times, subjects)
        self.bounded = bounded
        self._drop_units()
        self._drop_counters()
        self._ratio_of()
        self._turned_into()
        self._differences()
        self._counts()
        self._aggregates()
        self._ratios()
        self._definitions()
        self._plain()
        self._on_average()

    # aggregating

    def _aggregates(self) -> None:
        for i in self.sentence.find(Op.AGGREGATE):
            item = self.sentence[i]
            if item.used or item.operator is None:
                continue
            how: Aggregation = item.operator.payload
            if self.sentence.is_said_again(i):
                item.operator = None
                continue
            at = self._object(i)
            if at is None:
                at = self._topic(i)
                if how is Aggregation.SUM and (them := self.sentence.asked_of_them(i)) is not None:
                    item.used = self._add_worth(them)
                    continue
                if at is None or not self._is_measure(at):
                    continue
                # "students per teacher overall": a ratio of totals as it is
                item.used = how is Aggregation.SUM and at > 0 and self.sentence[at - 1].op(Op.PER)
                verb = item.used or self._is_verb(at, self.sentence[at])
                if verb or (not self.sentence[at].links and self.sentence.has(Op.PER)):
                    continue  # "what do products cost on average", "units per order they buy on average"
            if item.links and not self._is_measure(at):
                continue
            references = self._aggregated(at, how)
            for reference in references:
                self._add(reference, at, replace=at not in self.aggregated)
            self.aggregated.add(at)
            own = self.names.measure(self.sentence[at])
            between = [self.sentence[j] for j in range(i, at)]
            summed = any(
                x.op(Op.AGGREGATE) and x.operator and x.operator.payload is Aggregation.SUM for x in between
            )
            listed = any(x.op(Op.AND) for x in between)
            if (
                listed
                and (summed or self.sentence.says_how(at))
                and own is not None
                and own.label == self.sentence[at].text.lower()
            ):
                self._add(own.name, at)  # "total and average discount"
            if references:
                item.used = True
                self._continue_list(at, how)

    def _topic(self, i: int) -> int | None:
        """What stands before an aggregation; behind a list of them, what the first was said of: cost: lowest, median."""
        earlier = self.sentence.before(i, (*LINKING, Op.AND))
        if earlier is None or not (self.sentence[earlier].used and self.sentence[earlier].op(Op.AGGREGATE)):
            before = self.sentence.before(i, (*LINKING, Op.THOSE, Op.EDGE))  # "did they last on average"
            if before is None or not self.sentence[before].op(Op.WHICH):
                return before
            return self.sentence.before(before, (*LINKING, Op.AND))  # "for the price, what is the mean"
        return max((j for j in self.aggregated if j < earlier), default=None)

    def _on_average(self) -> None:
        """“what does a visit cost on average”: at the end of a question it holds for the one thing that is measured."""
        left = [i for i in self.sentence.find(Op.AGGREGATE) if not self.sentence[i].used]
        grains = [x.time.grain for _, x in self.sentence if x.time is not None and x.time.kind == "grain"]
        if len(left) == 1 and grains and not self.found:
            counted = [(j, self.names.count(x)) for j, x in self.sentence if x.links and not x.used]
            for j, count in [(j, count) for j, count in counted if count is not None][:1]:
                self._add(count.name, j)  # "orders per day on average"
        if len(left) != 1 or len(self.found) != 1 or self.sentence[left[0]].links:
            return
        operator, only = self.sentence[left[0]].operator, self.found[0]
        metric = self.names.model.metric(only.reference)
        column = self.names.column_of(metric) if metric.aggregation is Aggregation.MEAN else None
        if operator is not None and operator.payload is Aggregation.SUM and column is not None:
            said = self.sentence[only.at].text.lower().startswith(("average", "mean"))
            if column.type is DimensionType.NUMBER and not is_intensive(column) and not said:
                self.found = [Measure(f"{Aggregation.SUM}({column.home})", only.at)]
                self.sentence[left[0]].used = True  # "parcels to France in total"
            return
        if operator is None or operator.payload not in _NESTING or metric.inner is not None:
            return
        if metric.formula is not None or metric.aggregation is Aggregation.MEAN:
            self.sentence[left[0]].used = operator.payload is Aggregation.MEAN
            return
        if adds_up(metric) and grains and grains[0] is not None:
            self.found = [Measure(self.names.per(metric, operator.payload, grains[0]), only.at)]
            self.sentence[left[0]].used, self.times.grain = True, None  # "weight shipped per day on average"
            return
        for _, item in self.sentence:
            count = self.names.countable(item) if item.links else None
            timed = self.names.dimension(item, DimensionType.TIME) is not None
            if count is None or timed or not adds_up(metric) or is_count(metric):
                continue
            if (reference := self.names.over_things(metric, operator.payload, count)) is not None:
                self.found = [Measure(reference, only.at)]
                self.sentence[left[0]].used = item.used = True
                return

    def _add_worth(self, at: int) -> bool:
        """“how many are there and what do they add up to”: what the things that were counted are worth."""
        counted = [m for x in self.found if is_count(m := self.names.model.metric(x.reference))]
        rows = len(counted) == 1 and counted[0].aggregation is Aggregation.COUNT
        worth = self.names.worth_of(counted[0]) if rows else None
        if worth is not None and adds_up(worth):
            self._add(worth.name, at)
            return True
        return False

    def _worth(self, at: int, how: Aggregation, count: Metric) -> str | None:
        """“an average order comes to”, “the median order value”: of a thing that rows are, what one is worth."""
        if how not in _NESTING or self.sentence[at].text.lower().endswith("s"):
            return None
        behind = self.sentence.words[self.sentence[at].end :]
        value = any(w.lower in _COMES_TO for w in behind)
        said = next((j for j in range(at + 1, len(self.sentence)) if self._measures_thing(j)), None)
        named = self.names.metrics(self.sentence[said]) if said is not None else []
        if said is not None and self.sentence[said].links:
            meant = [m for m in [self.names.measure(self.sentence[said])] if m is not None]
        else:
            meant = [m for m in [self.names.worth_of(count), *named] if m is not None and adds_up(m)]
        references = [self.names.over_things(m, how, count) for m in meant if value or said is not None]
        reference = next((r for r in references if r is not None), None)
        for j in range(at + 1, len(self.sentence)) if reference is not None else ():
            self.sentence[j].used |= self._measures_thing(j)
        return reference

    def _measures_thing(self, j: int) -> bool:
        """Whether words behind a thing say what of it is measured: its worth, its revenue."""
        item, worth = self.sentence[j], associations()["worth"]
        if item.links:
            measure = self.names.measure(item)
            return measure is not None and adds_up(measure) and not self._is_grouping(j, item)
        return item.association is not None and bool({*item.association.nouns} & {*worth.nouns})

    def _continue_list(self, at: int, how: Aggregation) -> None:
        """“average price and rating”: the aggregation holds for the whole list."""
        j = at + 1
        while j + 1 < len(self.sentence) and self.sentence[j].op(Op.AND) and self._is_measure(j + 1):
            following = self.sentence[j + 1]
            taken = following.used and j + 1 not in self.aggregated
            if following.op(Op.AGGREGATE, Op.COUNT) or taken or self.sentence.says_how(j + 1):
                return
            for reference in self._aggregated(j + 1, how):
                self._add(reference, j + 1, replace=j + 1 not in self.aggregated)
            self.aggregated.add(j + 1)
            j += 2

    def _is_measure(self, at: int) -> bool:
        item = self.sentence[at]
        column = self.names.dimension(item, DimensionType.NUMBER, DimensionType.TIME)
        return self.names.measure(item) is not None or (column or self.names.coded(item)) is not None

    def _aggregated(self, at: int, how: Aggregation) -> list[str]:
        item = self.sentence[at]
        metrics = self.names.metrics(item)
        metric = self.names.measure(item) or (metrics[0] if metrics else None)
        column = self.names.dimension(item, DimensionType.NUMBER, DimensionType.TIME)
        if metric is None and column is None and (coded := self.names.coded(item)) is not None:
            return [f"{how}({coded.home})"]
        if metric is None and column is not None and column.type is DimensionType.TIME:
            return [f"{how}({column.home})"] if how in (Aggregation.MIN, Aggregation.MAX) else []
        if metric is None and column is not None:
            table = self.names.model.table(column.home.table)
            time = self.names.model.dimension(table.time_dimension) if table.time_dimension else None
            if time is not None and table.key == (time.at(table.name),):
                self._grain_beside(at)  # rows are such periods already: "average trades per day"
            return [f"{how}({column.home})"]
        if how is Aggregation.MODE and (held := self.names.dimension(item)) is not None and metric is None:
            return [f"{how}({held.home})"]
        metric = metric or self.names.count(item)
        if metric is None:
            return []
        paced = any(x.time is not None and x.time.kind == "grain" for _, x in self.sentence)
        if how in _NESTING and paced and self._is_moved(at, metric):
            metric = self.names.in_all(metric)  # "weight shipped per day on average"
        if how in _NESTING and (nested := self._nested(metric, how, at)):
            return [nested]
        if is_count(metric):
            return [self._worth(at, how, metric) or metric.name]
        if how is Aggregation.SUM and is_of_the_whole(metric, item, self.sentence):
            return [metric.name]
        return [self.names.aggregated(metric, how)]

    def _nested(self, metric: Metric, how: Aggregation, at: int) -> str | None:
        """The mean of daily revenue, the average spend per customer: an aggregation of totals per something."""
        if metric.additivity is Additivity.NON_ADDITIVE and not is_count(metric):
            if how is Aggregation.MEAN and self._ticks(metric, at):
                return metric.name if metric.aggregation is how else self.names.aggregated(metric, how)
            return None
        if metric.additivity is Additivity.SEMI_ADDITIVE and self._in_each(at):
            return metric.name  # "the average stock in each month": a level is a mean of days already
        if grain := self._grain_beside(at):
            return self.names.per(metric, how, grain)
        per = next(
            (j for j in range(at + 1, min(at + 4, len(self.sentence))) if self.sentence[j].op(Op.PER)), None
        )
        if per is None:
            return None
        following = self.sentence.after(per)
        if following is None:
            return None
        noun = self.sentence[following]
        under = self.names.measure(noun)
        if under is not None and adds_up(under) and is_one_of(noun, self.names.dimension(noun)):
            self.sentence[per].used = noun.used = True
            return f"{metric.name} / {under.name}" if how is Aggregation.MEAN else None
        group = self.names.dimension(noun, DimensionType.ID, DimensionType.CATEGORY)
        if group is None or (group.type is DimensionType.CATEGORY and not self.names.count(noun)):
            return None
        if group.type is DimensionType.CATEGORY:
            return None
        self.sentence[per].used = noun.used = True
        return self.ratio_or_nested(metric, how, group)

    def _in_each(self, at: int) -> bool:
        """Whether each period is asked for by itself: “in each month”, “for every quarter”."""
        for j, item in self.sentence:
            stepped = item.time is not None and item.time.kind == "grain" and item.time.grain is not None
            before = self.sentence.words[item.start - 1].lower if item.start else ""
            said = item.text.lower().split()
            if stepped and j > at and (said[0] in {"for", "in"} or before in {"for", "in"}):
                return bool({"each", "every"} & set(said))
        return False

    def _ticks(self, metric: Metric, at: int) -> bool:
        """“average price per day” of rows that are days is their mean, not a trend; of many rows a day it is one."""
        time = self.names.model.time_dimension(metric)
        rows = self.names.model.table(time.home.table).rows if time is not None else None
        if time is not None and rows and rows > 1.5 * (time.distinct or rows):
            return False
        kept = self.times.grain
        grain = self._grain_beside(at)
        if grain is not None and time is not None and time.grain == grain:
            return True
        self.times.grain = kept
        return False

    def ratio_or_nested(self, metric: Metric, how: Aggregation, group: Dimension) -> str:
        """“average X per Y” is the total of X over the number of Y; other aggregations need each Y's total."""
        if how is Aggregation.MEAN:
            return f"{metric.name} / {self.names.count_of_dimension(group).name}"
        return self.names.per(metric, how, group)

    def _grain_beside(self, at: int) -> TimeGranularity | None:
        """A grain said as an adjective ("daily revenue") or after "per", which belongs to the measure."""
        for j, item in self.sentence:
            mention = item.time
            if mention is None or mention.kind != "grain" or mention.grain is None or abs(j - at) > 3:
                continue
            said = mention.text.lower()
            if (
                said.startswith(("per ", "a ", "each ", "every "))
                or said.endswith("ly")
                or _IN_ONE.match(said)
            ):
                self.times.grain = None
                return mention.grain
        return None

    # plain names

    def _plain(self) -> None:
        shared = shared_rows(self.sentence, self.names)
        explicit = bool(self.found) or self.bounded or shared is not None
        explicit = explicit or any(
            (self.names.measure(item) is not None or self._explicit_count(i, item) is not None)
            and (_is_sure(item) or _outright(item))
            and not item.used
            and not self._is_asked_for(i, item)
            for i, item in self.sentence
        )
        for i, item in self.sentence:
            if item.used or item.op(Op.RANK):
                continue
            if item.links and not _is_sure(item):
                continue  # too little of a name to be sure that it is meant
            if self._is_verb(i, item):
                self._done(i, item)
                continue
            measure = self.names.measure(item) or self._explicit_count(i, item)
            if measure is not None and not item.links and self._are_done(i, item):
                measure, item.association = None, None
            if measure is None or (item.association and not item.links and not _outright(item) and explicit):
                continue
            if item.links and item.links[0].name != measure.name and self._better_as_group(item):
                continue
            if self._is_grouping(i, item) or self._is_asked_for(i, item):
                continue
            if item.association is not None and not item.links:
                measure = self._own_length(measure)
            if self._is_moved(i, measure):
                measure = self.names.in_all(measure, surely=self._is_used(item) or names_unit(item.text))
            if not self.sentence.has(Op.AGGREGATE):
                measure = all_paid(measure, self.sentence, self.names)
            self._add(measure.name, i)
        counted = self.names.countable(self.sentence[shared]) if shared is not None else None
        if not self.found and shared is not None and counted is not None:
            self._add(counted.name, shared)

    def _own_length(self, measure: Metric) -> Metric:
        """“how long do staff stay”: the time that the rows in question take themselves, not that of what they do."""
        links = [link for _, x in self.sentence if (link := x.named(LinkKind.TABLE)) is not None]
        tables = {link.name for link in links}
        if ends_of(measure) is None or measure.table in tables:
            return measure
        own = [m for m in self.names.model.metrics if m.table in tables and ends_of(m) is not None]
        return own[0] if len(own) == 1 else measure

    def _are_done(self, i: int, item: Item) -> bool:
        """“bookings made in May”: a participle right behind rows says that there were some, not what they brought."""
        rows = self.sentence[i - 1] if i else None
        beside = rows is not None and rows.end == item.start and rows.named(LinkKind.TABLE) is not None
        return beside and get_lexicon().is_participle(item.text.lower())

    def _is_used(self, item: Item) -> bool:
        """“how much coffee did we use”: somebody did something with it."""
        words = [w.lower for w in self.sentence.words]
        did, who = (*words[item.end : item.end + 2], "", "")[:2]
        much = words[max(0, item.start - 2) : item.start] == ["how", "much"]
        return much and did in {"did", "do", "have"} and who in {"we", "they", "i", "you"}

    def _is_moved(self, i: int, measure: Metric) -> bool:
        """“how much weight”, “weight landed”, “the most weight”: all of it, not what one row has."""
        words, item = self.sentence.words, self.sentence[i]
        before = [w.lower for w in words[: item.start]]
        behind = words[item.end].text.lower() if item.end < len(words) else ""
        asked = before[-2:] == ["how", "much"] or before[-1:] in (["most"], ["least"])
        return asked or (measure.table is not None and moves(behind, measure.table, self.names))

    def _is_verb(self, i: int, item: Item) -> bool:
        """“what does it cost”: a name that is also a verb, with an auxiliary before its subject."""
        if item.association is None or not item.links or item.association.descending is not None:
            return False
        words = self.sentence.words
        before = [w.lower for w in words[: item.start]]
        asked = any(w in {"do", "does", "did"} for w in before[:-1])
        last = self.sentence[i - 1] if i else None
        named = last is not None and bool(last.values or last.links or _outright(last))
        bare = named and last is not None and last.end == item.start
        return asked and bare and last is not None and not last.op(Op.AGGREGATE, Op.RANK)

    def _done(self, i: int, item: Item) -> None:
        """What a verb asks for: what else is measured, or a column that its subject itself has."""
        named = any(
            j != i and x.links and not x.used and self.names.measure(x) is not None for j, x in self.sentence
        )
        subject = self.sentence[i - 1]
        if _outright(subject) and not subject.links:
            item.links, item.association = (), None  # "what do ads cost": they are named by what they cost
            return
        homes = [self.names.model.dimension(v.dimension).home.table for v in subject.values[:1]]
        homes += [table.name for table in [subject.named(LinkKind.TABLE)] if table is not None]
        own = self.names.own(item.association, homes[0]) if homes and item.association is not None else None
        measure = self.names.metric_of(own) if own is not None else self.names.measure(item)
        item.used = True
        if not named and not self.found and measure is not None:
            self._add(measure.name, i)

    def _is_asked_for(self, i: int, item: Item) -> bool:
        """“which storm category had …” asks for one of them where something else is measured."""
        before = self.sentence.before(i, ())
        if before is None or not self.sentence[before].op(Op.WHICH) or self.names.dimension(item) is None:
            return False
        between = {w.lower for w in self.sentence.words[self.sentence[before].end : item.start]}
        if self.sentence[before].text.lower() == "what" and between & _COPULAS:
            return False  # "what were revenue and units" asks for both
        return self._ranks_by_number(i) or any(
            j != i and ((x.links and not x.used) or x.association) and self.names.measure(x) is not None
            for j, x in self.sentence
        )

    def _ranks_by_number(self, i: int) -> bool:
        """“which plot has the most records”, “the most different species”: things are counted, and plots ranked."""
        for rank in self.sentence.find(Op.RANK):
            j = self.sentence.after(rank, (Op.FILLER, Op.DISTINCT))
            thing = self.sentence[j] if j is not None and j > i else None
            most = self.sentence[rank].text.lower().split()[-1] in {"most", "least", "fewest"}
            if most and thing is not None and (thing.op(Op.ROWS) or self.names.countable(thing) is not None):
                return True
        return False

    def _better_as_group(self, item: Item) -> bool:
        best = item.links[0]
        dimension = self.names.dimension(item)
        return (
            dimension is not None
            and best.name == dimension.name
            and dimension.type is not DimensionType.NUMBER
        )

    def _is_grouping(self, i: int, item: Item) -> bool:
        """A numeric column after "by" groups where something is measured already: average pay by age."""
        if i in self.groups:
            return True
        before = self.sentence.before(i)
        if before is None or not self.sentence[before].op(Op.BY, Op.EACH, Op.PER):
            return False
        column = self.names.dimension(item, DimensionType.NUMBER, DimensionType.CATEGORY, DimensionType.TIME)
        column = column or self.names.scale(item)
        ranked = self.sentence.has(Op.RANK) or any(
            x.association is not None and x.association.superlative for _, x in self.sentence
        )
        few = column is not None and column.unit is None and (column.distinct or 99) <= 30
        rows = any(x.named(LinkKind.TABLE) is not None for x in self.sentence.items[:before])
        counted = few and rows  # "orders by units"; "regions by revenue" measures
        return column is not None and (bool(self.found) or counted) and not ranked


def _outright(item: Item) -> bool:
    return item.association is not None and item.association.noun


def _is_sure(item: Item) -> bool:
    """Whether enough of a name was said to be sure that it is meant."""
    return bool(item.links) and item.links[0].quality >= 0.62
