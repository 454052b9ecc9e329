"""From items to a draft: which names are measured, which group, which filter, and what kind of answer is asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Comparison, Filter, FilterOperator, QuestionKind
from gnomon.planning.reader.conditions import Conditions, ValueCondition, as_filter
from gnomon.planning.reader.draft import Doubt, Draft
from gnomon.planning.reader.kinds import decide_kind
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.measures import Measures
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.times import Times, read_times
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Direction, Metric
from gnomon.semantic.model import plural
from gnomon.semantic.values import ValueIndex, ValueMatch

_GROUPING = (Op.BY, Op.EACH, Op.PER)
_GROUPABLE = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TEXT)


@dataclass
class Rank:
    """A ranking word: which end, how many, which place, and the measure it carries itself ("cheapest")."""

    at: int
    descending: bool
    limit: int | None = None
    place: int | None = None
    measure: Metric | None = None
    all: bool = False
    both: bool = False


class Composer:
    """Binds the items of one sentence to a draft of a request.

    Args:
        names: The names of the model.
        index: The values of the data.
        today: What relative times refer to.
    """

    def __init__(self, names: Names, index: ValueIndex, today: date) -> None:
        self.names = names
        self.index = index
        self.today = today

    def compose(self, question: str, sentence: Sentence, left_over: list[str]) -> Draft:
        """The draft that the sentence makes."""
        draft = Draft(question, unexplained=list(left_over))
        times = read_times(sentence, self.today)
        ranks = self._ranks(sentence)
        conditions = Conditions(sentence, self.names, self.index)
        bounded = any(n.metric is not None and n.subject_at is not None for n in conditions.numbers)
        tables = self._tables_of(conditions, sentence)
        measures = Measures(sentence, self.names, times, tables, bounded=bounded)
        draft.metrics = [m.reference for m in measures.found]
        draft.time_dimension = measures.time_dimension
        self._edges(draft, sentence)
        self._when(draft, sentence, bool(ranks))
        self._groups(draft, sentence, times, measures)
        self._targets(draft, sentence, conditions, ranks)
        self._times(draft, times)
        self._running(draft, sentence)
        self._named_time(draft, sentence)
        self._rank(draft, sentence, ranks, times)
        self._filters(draft, conditions)
        decide_kind(
            draft,
            sentence,
            times,
            conditions,
            self.names,
            ranked=bool(ranks),
        )
        self._count_where_done(draft, sentence)
        self._fit(draft, sentence)
        self._level(draft)
        self._doubt_measures(draft, sentence)
        self._doubt_list(draft, sentence)
        self._doubt_when(draft, sentence)
        self._leftovers(draft, sentence)
        return draft

    def _doubt_list(self, draft: Draft, sentence: Sentence) -> None:
        """Several measures are meant where they are listed or compared; otherwise one of them was misread."""
        if (
            len(draft.metrics) < 2
            or draft.kind is QuestionKind.CORRELATION
            or any(f.having for f in draft.filters)
        ):
            return
        if sentence.has(Op.AND, Op.OR, Op.VERSUS, Op.BETWEEN, Op.WITH):
            return
        labels = tuple(self.names.model.metric(m).label for m in draft.metrics[:4])
        draft.doubts.append(Doubt(" … ".join(labels), labels))

    def _doubt_when(self, draft: Draft, sentence: Sentence) -> None:
        """“customers in 2024”: those that began then, or those that did something then? The data has both."""
        if draft.time_range is None or draft.time_dimension is not None or len(draft.metrics) != 1:
            return
        model = self.names.model
        metric = model.metric(draft.metrics[0])
        if (
            metric.aggregation is not Aggregation.COUNT
            or metric.expression is not None
            or metric.table is None
        ):
            return
        users = [
            j.table for j in model.joins if j.to_table == metric.table and model.table(j.table).time_dimension
        ]
        time = model.time_dimension(metric)
        if not users or time is None:
            return
        spoken = {w.stem for w in sentence.words}
        if any(stem(w) in spoken for w in name_words(time.label) if w not in {"date", "day", "time"}):
            return
        things = plural(model.table(metric.table).label)
        options = (
            f"{things} by {time.label}",
            *(f"{things} with {plural(model.table(u).label)}" for u in dict.fromkeys(users)),
        )
        draft.doubts.append(Doubt(things, options[:4]))

    def _count_where_done(self, draft: Draft, sentence: Sentence) -> None:
        """“how many employees were absent in May” counts them among the absences, which is no measure to show."""
        if len(draft.metrics) != 2 or not sentence.has(Op.COUNT) or sentence.has(Op.AND):
            return
        model = self.names.model
        counted, other = (model.metric(m) for m in draft.metrics)
        if (
            counted.table is None
            or other.table is None
            or counted.table == other.table
            or not is_count(counted)
        ):
            return
        key = model.table(counted.table).key
        thing = self.names.at(counted.table, key[0]) if len(key) == 1 else None
        held = thing.at(other.table) if thing is not None else None
        if held is not None:
            draft.metrics = [f"{Aggregation.COUNT_DISTINCT}({other.table}.{held})"]

    def _level(self, draft: Draft) -> None:
        """A stock level asked for without a period is that of the last day, not an average over all of them."""
        if (
            draft.time_range is not None
            or draft.grain is not None
            or draft.recurring is not None
            or not draft.metrics
        ):
            return
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        if not all(m.additivity is Additivity.SEMI_ADDITIVE for m in metrics):
            return
        time = self.names.model.time_dimension(metrics[0])
        if time is not None and time.coverage is not None:
            draft.time_range = TimeRange(start=time.coverage[1], end=time.coverage[1])
            draft.notes.append("the level on the last day of the data")

    def _doubt_measures(self, draft: Draft, sentence: Sentence) -> None:
        """Words that are only the end of several names ("the rates") do not say which one is meant."""
        for _, item in sentence:
            if not item.links or item.links[0].quality >= 0.85:
                continue
            fitting = [
                self.names.model.metric(link.name) for link in item.links if link.kind is LinkKind.METRIC
            ]
            total = next((m for m in fitting if m.label.startswith("total ")), None)
            summed = any(
                x.op(Op.AGGREGATE) and x.operator and x.operator.payload is Aggregation.SUM
                for _, x in sentence
            )
            if total is not None and summed:
                draft.metrics = [
                    total.name if any(m.name == r for m in fitting) else r for r in draft.metrics
                ]
                continue
            if len(fitting) > 1 and any(m.name in draft.metrics for m in fitting):
                draft.doubts.append(Doubt(item.text, tuple(m.label for m in fitting[:4])))

    def _fit(self, draft: Draft, sentence: Sentence) -> None:
        """A count of things is taken where they act: products sold by channel are counted among the orders."""
        model = self.names.model
        needed = [model.dimension(d) for d in draft.dimensions]
        needed += [model.dimension(f.field) for f in (*draft.filters, *draft.part) if not f.having]
        acted = [
            t
            for _, item in sentence
            if item.association and not item.links
            for m in self.names.metrics(item)
            for t in model.base_tables(m)
        ]
        for n, reference in enumerate(draft.metrics):
            metric = model.metric(reference)
            if (
                metric.aggregation is not Aggregation.COUNT
                or metric.table is None
                or metric.expression is not None
            ):
                continue
            key = model.table(metric.table).key
            thing = self.names.at(metric.table, key[0]) if len(key) == 1 else None
            reached = all(model.reaches(metric, d) for d in needed)
            elsewhere = bool(acted) and acted[0] != metric.table
            if thing is None or (reached and not elsewhere):
                continue
            done = next(
                (
                    m
                    for _, item in sentence
                    if item.association and not item.links
                    for m in self.names.metrics(item)
                ),
                None,
            )
            if (
                done is not None
                and elsewhere
                and done.unit is None
                and done.additivity is Additivity.ADDITIVE
                and not sentence.has(Op.DISTINCT)
            ):
                draft.metrics[n] = done.name  # "how many items did we sell" asks for units
                continue
            for ref in sorted(thing.locations, key=lambda r: r.table not in acted):
                other = model.metric(f"{Aggregation.COUNT_DISTINCT}({ref})")
                if ref.table != metric.table and all(model.reaches(other, d) for d in needed):
                    draft.metrics[n] = other.name
                    break

    # rankings

    def _ranks(self, sentence: Sentence) -> list[Rank]:
        found: list[Rank] = []
        for i, item in sentence:
            adjective = item.association
            if item.op(Op.RANK) and not item.links and item.operator is not None:
                rank = Rank(i, bool(item.operator.payload))
                self._most_of(sentence, i, rank)
                following = sentence[i + 1] if i + 1 < len(sentence) else None
                if (
                    following is not None
                    and following.association
                    and following.association.descending is not None
                ):
                    metrics = self.names.metrics(following)
                    rank.measure = metrics[0] if metrics else None
                    rank.descending = rank.descending == following.association.descending
                    following.used = rank.measure is not None
            elif adjective is not None and adjective.superlative and not item.links:
                metrics = self.names.metrics(item)
                rank = Rank(i, bool(adjective.descending), measure=metrics[0] if metrics else None)
                item.used = rank.measure is not None
            else:
                continue
            self._how_many(sentence, i, rank)
            found.append(rank)
        if found and not any(r.limit for r in found):
            self._asked_number(sentence, found[0])
        if len(found) > 1 and {r.descending for r in found} == {True, False}:
            between = [x.text.lower() for x in sentence.items[found[0].at + 1 : found[1].at]]
            # "from best to worst" orders, it does not cut off; "the best and the worst" asks for both ends
            found[0].all = "to" in between
            found[0].both = not found[0].all
            for rank in found:
                sentence[rank.at].used = True
        return found

    def _asked_number(self, sentence: Sentence, rank: Rank) -> None:
        """“which two products had the most …”: the number before the noun says how many places."""
        for j, item in sentence:
            number = item.number
            if (
                number is None
                or item.time
                or item.used
                or number.percent
                or not float(number.value).is_integer()
            ):
                continue
            following = sentence.after(j, ())
            before = sentence.before(j, ())
            compared = before is not None and sentence[before].op(
                Op.COMPARE_NUMBER, Op.BETWEEN, Op.OUTSIDE, Op.EQUALS
            )
            noun = sentence[following] if following is not None else None
            if noun is None or compared or not (noun.op(Op.UNIT) or self.names.dimension(noun, *_GROUPABLE)):
                continue
            if 1 <= number.value <= 1000 and noun.text.lower().endswith("s"):
                rank.limit = int(number.value)
                item.used = True
                return

    def _most_of(self, sentence: Sentence, i: int, rank: Rank) -> None:
        """“the most orders” ranks by their number; “the most negative” turns the order around."""
        if i + 1 >= len(sentence) or sentence[i].text.lower() not in {
            "most",
            "the most",
            "least",
            "fewest",
            "fewer",
        }:
            return
        following = sentence[i + 1]
        if following.values and i + 2 < len(sentence):
            following = sentence[i + 2]  # "the most Enterprise customers"
        if following.op(Op.SIGN) and following.operator is not None:
            rank.descending = rank.descending == (following.operator.payload is FilterOperator.GREATER)
            following.used = True
        elif following.links and self.names.measure(following) is None and not following.association:
            rank.measure = self.names.countable(following)
            following.used = rank.measure is not None

    @staticmethod
    def _how_many(sentence: Sentence, i: int, rank: Rank) -> None:
        for j in (i + 1, i - 1):
            if not 0 <= j < len(sentence):
                continue
            near = sentence[j]
            number = near.number
            if (
                number is not None
                and not number.percent
                and number.value >= 1
                and float(number.value).is_integer()
                and not near.time
            ):
                rank.limit = int(number.value)
                near.used = True
                return
            if near.op(Op.ORDINAL) and j == i - 1 and near.operator is not None and near.operator.payload > 1:
                rank.place = int(near.operator.payload)
                near.used = True
                return

    def _rank(self, draft: Draft, sentence: Sentence, ranks: list[Rank], times: Times) -> None:
        if not ranks:
            return
        rank = ranks[0]
        if (rank.measure is not None and not draft.metrics) or (
            rank.measure is not None and rank.measure.name not in draft.metrics and not draft.dimensions
        ):
            draft.add_metric(rank.measure.name)
        item = sentence[rank.at]
        item.used = True
        if draft.dimensions or draft.grain is not None:
            draft.descending = rank.descending
            if draft.comparison is not None and any(w.lower in _FALLING for w in sentence.words):
                draft.descending = not rank.descending
            if sentence[rank.at].text.lower() in {"best", "worst"} and draft.metrics:
                metric = self.names.model.metric(draft.metrics[0])
                if metric.direction is Direction.LOWER_IS_BETTER:
                    draft.descending = not rank.descending
            draft.limit = (
                rank.limit or rank.place or (None if rank.all else self._implied_limit(sentence, rank))
            )
            if rank.place:
                draft.parameters["place"] = rank.place
            draft.both_ends = rank.both
            if not draft.metrics:
                self._default_measure(draft, sentence, rank)
            return
        if not draft.metrics:
            # a fragment: "just the top 3", "and which the least"
            draft.limit, draft.descending = rank.limit or 1, rank.descending
            return
        # nothing to rank: the highest price is the maximum of the column
        how = Aggregation.MAX if rank.descending else Aggregation.MIN
        if draft.metrics and draft.metrics[0].startswith(("min(", "max(")):
            return
        if rank.both and draft.metrics:
            column = self.names.column_of(self.names.model.metric(draft.metrics[0]))
            if column is not None:
                draft.metrics = [f"{Aggregation.MAX}({column.home})", f"{Aggregation.MIN}({column.home})"]
                return
        if draft.metrics:
            metric = self.names.model.metric(draft.metrics[0])
            column = self.names.column_of(metric)
            if column is not None and column.type is DimensionType.BOOLEAN:
                draft.unexplained.append(sentence[rank.at].text)  # a rate has no highest value without groups
            elif times.grain is None and column is not None:
                draft.metrics[0] = f"{how}({metric.table}.{column.at(metric.table or '')})"
            elif is_count(metric) or metric.formula:
                draft.unexplained.append(sentence[rank.at].text)

    @staticmethod
    def _implied_limit(sentence: Sentence, rank: Rank) -> int | None:
        """“which region had the highest …” asks for one; “rank the regions by …” for all."""
        listed = any(
            item.op(Op.KIND) and item.operator and item.operator.payload is QuestionKind.LIST
            for _, item in sentence
        )
        said = sentence[rank.at].text.lower()
        if listed:
            return None
        if said in {"top", "bottom", "leading", "best", "worst"} and _plural_target(sentence, rank.at):
            return 10 if said in {"top", "bottom"} else 5
        return 1

    def _default_measure(self, draft: Draft, sentence: Sentence, rank: Rank) -> None:
        """A ranking with nothing to rank by counts ("most often", "most returned"), or takes the main total."""
        often = any(w in sentence[rank.at].text.lower() for w in ("common", "often", "frequent", "rare"))
        flagged = any(
            item.used and (d := self.names.dimension(item)) and d.type is DimensionType.BOOLEAN
            for _, item in sentence
        )
        if (often or flagged) and draft.dimensions:
            tables = [
                d.home.table
                for _, item in sentence
                if item.used and (d := self.names.dimension(item)) and d.type is DimensionType.BOOLEAN
            ]
            home = self.names.model.dimension(draft.dimensions[0]).home.table
            draft.add_metric(self.names.count_of_table((tables or [home])[0]).name)
            return
        model = self.names.model
        dimensions = [model.dimension(d) for d in draft.dimensions]
        totals = [
            m for m in model.metrics
            if m.additivity is Additivity.ADDITIVE and not is_count(m) and m.inner is None
            and all(model.reaches(m, d) for d in dimensions)
        ]  # fmt: skip
        main = sorted(totals, key=lambda m: (m.direction != Direction.HIGHER_IS_BETTER, not _is_money(m)))
        if main:
            draft.add_metric(main[0].name)
            draft.confidence = min(draft.confidence, 0.8)
            draft.notes.append(f"ranked by {main[0].label}, as no measure was named")

    # groups

    def _edges(self, draft: Draft, sentence: Sentence) -> None:
        """“the latest review”, “first order date”, “when was the last order”: an end of a time column."""
        if draft.metrics:
            return
        for i, item in sentence:
            how = self._edge_of(item) or self._oldest(sentence, i)
            j = sentence.after(i, ()) if how is not None and not item.used and not item.links else None
            if j is None or how is None or not sentence[j].links:
                continue
            noun = sentence[j]
            column = self.names.dimension(noun, DimensionType.TIME)
            if column is None or noun.links[0].name != column.name:
                table = noun.named(LinkKind.TABLE)
                time = self.names.model.table(table.name).time_dimension if table is not None else None
                column = self.names.model.dimension(time) if time else None
            if column is not None:
                named = noun.named(LinkKind.TABLE)
                table_name = named.name if named is not None else column.home.table
                held = column.at(table_name) or column.home.column
                home = table_name if column.at(table_name) else column.home.table
                draft.add_metric(f"{how}({home}.{held})")
                for k in (i, j, *sentence.find(Op.WHEN)):
                    sentence[k].used = True

    def _oldest(self, sentence: Sentence, i: int) -> Aggregation | None:
        """“the oldest publication year”: of dates, age has an end too."""
        age = sentence[i].association
        if age is None or not age.superlative or age.nouns[0] != "age":
            return None
        following = sentence.after(i, ())
        timed = (
            following is not None
            and self.names.dimension(sentence[following], DimensionType.TIME) is not None
        )
        return (Aggregation.MIN if age.descending else Aggregation.MAX) if timed else None

    @staticmethod
    def _edge_of(item: Item) -> Aggregation | None:
        if item.op(Op.EDGE) and item.operator is not None:
            return item.operator.payload
        first = item.op(Op.ORDINAL) and item.operator is not None and item.operator.payload == 1
        return Aggregation.MIN if first else None

    def _when(self, draft: Draft, sentence: Sentence, ranked: bool) -> None:
        """“when was it launched” asks for a day of a time column; “when was it highest” for the best period."""
        for i in sentence.find(Op.WHEN):
            if ranked and draft.metrics:
                draft.grain = TimeGranularity.DAY
                sentence[i].used = True
                continue
            for _, item in sentence:
                column = None if item.used else self.names.dimension(item, DimensionType.TIME)
                if column is not None and item.links and item.links[0].name == column.name:
                    draft.add_metric(f"{Aggregation.MIN}({column.home})")
                    item.used = sentence[i].used = True

    def _groups(self, draft: Draft, sentence: Sentence, times: Times, measures: Measures) -> None:
        for i, item in sentence:
            if item.used or not item.op(*_GROUPING) or item.links:
                continue
            j = sentence.after(i, (Op.OF, Op.IN, Op.FILLER, Op.COUNT))
            while j is not None:
                following = sentence[j]
                if any(m.at == j for m in measures.found):
                    break
                if not self._group_by(draft, sentence, i, j, following, times):
                    break
                item.used = True
                joint = sentence.after(j, (Op.FILLER,))
                if joint is None or not sentence[joint].op(Op.AND, Op.BY, Op.EACH):
                    break
                j = sentence.after(joint)
        if times.group_by_part:
            draft.add_dimension(f"@{times.group_by_part}")

    def _is_owner(self, item: Item) -> bool:
        dimension = self.names.dimension(item)
        return item.named(LinkKind.TABLE) is not None or (
            dimension is not None and dimension.type is DimensionType.ID
        )

    def _group_by(self, draft: Draft, sentence: Sentence, i: int, j: int, item: Item, times: Times) -> bool:
        if item.op(Op.UNIT) and item.operator is not None and not self._reached(item, draft):
            self._by_unit(draft, item)
            return True
        following = sentence[j + 1] if j + 1 < len(sentence) else None
        beside = (
            following is not None
            and following.start == item.end
            and self.names.dimension(following) is not None
        )
        if beside and following is not None and self._is_owner(item):
            # "passenger class": the last noun groups, the one before it only says whose it is
            item.used = True
            item = following
        dimension = self.names.dimension(item)
        if dimension is None or (item.used and dimension.type not in _GROUPABLE):
            return False
        if item.links and item.links[0].quality < 0.62:
            return False
        if dimension.type is DimensionType.TIME:
            draft.time_dimension = dimension.name
            draft.grain = draft.grain or times.grain or dimension.grain or TimeGranularity.DAY
            item.used = True
            return True
        if item.used and not item.links:
            return False
        if sentence[i].op(Op.PER) and dimension.type is DimensionType.ID and draft.metrics:
            metric = self.names.model.metric(draft.metrics[-1])
            if metric.additivity is not Additivity.NON_ADDITIVE or is_count(metric):
                draft.metrics[-1] = f"{metric.name} / {self.names.count_of_dimension(dimension).name}"
                item.used = True
                return True
        self._doubt_dimension(draft, item)
        draft.add_dimension(self._spoken(item, dimension, draft).name)
        item.used = True
        return True

    def _spoken(self, item: Item, dimension: Dimension, draft: Draft) -> Dimension:
        """Among dimensions that fit alike, the one that the metrics reach."""
        fitting = self.names.dimensions(item) or [dimension]
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        reached = [d for d in fitting if all(self.names.model.reaches(m, d) for m in metrics)]
        return reached[0] if reached else dimension

    def _doubt_dimension(self, draft: Draft, item: Item) -> None:
        fitting = self.names.dimensions(item)
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        reached = [d for d in fitting if all(self.names.model.reaches(m, d) for m in metrics)]
        if len(reached) > 1 and item.links[0].quality < 0.9:
            draft.doubts.append(Doubt(item.text, tuple(d.label for d in reached[:4])))

    def _targets(self, draft: Draft, sentence: Sentence, conditions: Conditions, ranks: list[Rank]) -> None:
        """Nouns that are asked for or ranked: "which region", "top 5 products", "list the brands"."""
        for i, item in sentence:
            if item.used or not (item.links or item.op(Op.UNIT)):
                continue
            asked = self._is_asked(sentence, i) or any(self._is_ranked(sentence, r, i) for r in ranks)
            asked = asked or self._is_who(sentence, item)
            subject = any(n.subject_at == i for n in conditions.numbers) and not draft.metrics
            if item.op(Op.UNIT) and item.operator is not None and not self._reached(item, draft):
                if (asked or str(item.operator.payload).startswith("@")) and (
                    ranks or sentence.has(Op.WHICH)
                ):
                    self._by_unit(draft, item)
                continue
            dimension = self.names.dimension(item)
            if dimension is None or (
                dimension.type is DimensionType.NUMBER and not self._is_asked(sentence, i)
            ):
                continue
            if asked or subject or (ranks and not draft.dimensions and dimension.type in _GROUPABLE):
                if draft.dimensions and not asked:
                    continue
                self._doubt_dimension(draft, item)
                draft.add_dimension(self._spoken(item, dimension, draft).name)
                item.used = True

    def _is_who(self, sentence: Sentence, item: Item) -> bool:
        """“who closed …” asks for the column “closed by”."""
        dimension = self.names.dimension(item)
        last = dimension.label.split()[-1:] if dimension is not None else []
        return sentence.words[0].lower == "who" and last in (["by"], ["to"])

    def _reached(self, item: Item, draft: Draft) -> bool:
        """Whether a word for a period is a column here that the measures can be grouped by."""
        dimension = self.names.dimension(item) if item.links else None
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        return dimension is not None and all(self.names.model.reaches(m, dimension) for m in metrics)

    @staticmethod
    def _by_unit(draft: Draft, item: Item) -> None:
        assert item.operator is not None
        payload = str(item.operator.payload)
        if payload.startswith("@"):
            draft.add_dimension(payload)
        else:
            draft.grain = draft.grain or TimeGranularity(payload)
        item.used = True

    @staticmethod
    def _is_asked(sentence: Sentence, i: int) -> bool:
        before = sentence.before(i, (Op.OF, Op.FILLER, Op.DISTINCT, Op.RANK))
        if before is None:
            return False
        item = sentence[before]
        listing = (
            item.op(Op.KIND) and item.operator is not None and item.operator.payload is QuestionKind.LIST
        )
        if listing:
            return True
        near = sentence[i].start - item.end <= 1 or any(sentence[j].op(Op.RANK) for j in range(before, i))
        return (item.op(Op.WHICH) and item.text.lower() not in {"what"}) or (item.op(Op.WHICH) and near)

    @staticmethod
    def _is_ranked(sentence: Sentence, rank: Rank, i: int) -> bool:
        between = [sentence[j] for j in range(rank.at + 1, i)]
        return (
            0 < i - rank.at <= 4
            and all(b.used or b.op(Op.FILLER, Op.OF) for b in between)
            and not any(b.links and not b.used for b in between)
        )

    # times, filters

    def _running(self, draft: Draft, sentence: Sentence) -> None:
        """Running totals, and averages over a window that moves along."""
        if sentence.has(Op.CUMULATIVE):
            draft.parameters["cumulative"] = True
            draft.grain = draft.grain or TimeGranularity.DAY
        for i in sentence.find(Op.MOVING):
            near = [j for j in range(max(0, i - 3), i) if sentence[j].number is not None]
            units = [j for j in range(max(0, i - 3), i) if sentence[j].op(Op.UNIT)]
            if not near or not draft.metrics:
                continue
            number = sentence[near[-1]].number
            assert number is not None
            draft.parameters["moving_average"] = int(number.value)
            unit = sentence[units[-1]].operator if units else None
            draft.grain = draft.grain or TimeGranularity(unit.payload if unit is not None else "day")
            for j in (i, near[-1], *units[-1:]):
                sentence[j].used = True

    def _times(self, draft: Draft, times: Times) -> None:
        draft.time_range = times.period
        draft.other_periods = list(times.other_periods)
        draft.recurring = times.recurring
        draft.comparison = times.comparison
        draft.grain = draft.grain or times.grain
        draft.notes += times.notes
        draft.confidence = min(draft.confidence, times.confidence)

    def _named_time(self, draft: Draft, sentence: Sentence) -> None:
        """“launched in 2024”, “by ship date”: a time column that is named is the one that periods refer to."""
        if draft.time_range is None and draft.grain is None and draft.recurring is None:
            return
        for i, item in sentence:
            column = None if item.used else self.names.dimension(item, DimensionType.TIME)
            if column is None or item.links[0].name != column.name:
                continue
            near = [j for j, other in sentence if other.time and 0 <= j - i <= 3]
            metrics = [self.names.model.metric(m) for m in draft.metrics]
            usual = {d.name for m in metrics if (d := self.names.model.time_dimension(m))}
            reached = all(self.names.model.reaches(m, column) for m in metrics)
            if near and reached:
                draft.time_dimension = None if column.name in usual else column.name
                item.used = True

    def _filters(self, draft: Draft, conditions: Conditions) -> None:
        rates = {
            m.expression
            for m in (self.names.model.metric(r) for r in draft.metrics)
            if m.aggregation is Aggregation.MEAN
        }
        # a rate of a yes-or-no column is not taken over its yes rows only
        draft.filters += [f for _, f in conditions.filters if f.field not in rates]
        draft.filters += [as_filter(n, self.names) for n in conditions.numbers]
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        for condition in conditions.values:
            self._value_filter(draft, condition, metrics)

    def _value_filter(self, draft: Draft, condition: ValueCondition, metrics: list[Metric]) -> None:
        dimension, doubt = self._dimension_of(condition, metrics)
        if dimension is None:
            draft.unexplained += condition.texts
            return
        if doubt:
            draft.doubts.append(doubt)
        values = [best for choice in condition.choices if (best := _best(choice, dimension))]
        kept = tuple(dict.fromkeys(v.value for v in values))
        weakest = min((v.score for v in values), default=1.0)
        if weakest < 0.75:
            draft.confidence = min(draft.confidence, 0.7)
        earlier = next(
            (n for n, f in enumerate(draft.filters) if f.field == dimension and not f.having
             and f.operator in (FilterOperator.EQUALS, FilterOperator.IN)), None,
        )  # fmt: skip
        if condition.negated:
            operator = FilterOperator.NOT_EQUALS if len(kept) == 1 else FilterOperator.NOT_IN
        else:
            operator = FilterOperator.EQUALS if len(kept) == 1 else FilterOperator.IN
            if earlier is not None:
                kept = tuple(dict.fromkeys((*draft.filters[earlier].values, *kept)))
                draft.filters[earlier] = Filter(field=dimension, operator=FilterOperator.IN, values=kept)
                if condition.versus or condition.joined:
                    self._compare_groups(draft, dimension, kept)
                return
        draft.filters.append(Filter(field=dimension, operator=operator, values=kept))
        if len(kept) > 1 and condition.versus and not condition.negated:
            self._compare_groups(draft, dimension, kept)

    @staticmethod
    def _compare_groups(draft: Draft, dimension: str, values: tuple[object, ...]) -> None:
        draft.add_dimension(dimension)
        draft.comparison = draft.comparison or Comparison(kind="group", groups=tuple(str(v) for v in values))

    def _dimension_of(
        self, condition: ValueCondition, metrics: list[Metric]
    ) -> tuple[str | None, Doubt | None]:
        """The dimension that holds the values: the one named beside them, else one that the metrics reach."""
        shared = set.intersection(*({v.dimension for v in choice} for choice in condition.choices))
        if not shared:
            return None, None
        if condition.hint in shared:
            return condition.hint, None
        best = {name: min(_score(choice, name) for choice in condition.choices) for name in shared}
        top = max(best.values())
        fitting = sorted(n for n, score in best.items() if score >= top - 0.08)
        model = self.names.model
        reached = [n for n in fitting if all(model.reaches(m, model.dimension(n)) for m in metrics)]
        choices = reached or fitting
        doubt = None
        if len(choices) > 1:
            doubt = Doubt(
                " and ".join(condition.texts),
                tuple(f"{model.dimension(n).label} {condition.texts[0]}" for n in choices[:4]),
            )
        return choices[0], doubt

    def _tables_of(self, conditions: Conditions, sentence: Sentence) -> list[str]:
        """The tables that conditions and nouns speak of, for counts without a noun."""
        tables: list[str] = []
        model = self.names.model
        tables += [model.dimension(f.field).home.table for _, f in conditions.filters]
        tables += [n.dimension.home.table for n in conditions.numbers if n.dimension is not None]
        for v in conditions.values:
            homes = {model.dimension(m.dimension).home.table for choice in v.choices for m in choice[:1]}
            tables += [self._told_in(home) for home in sorted(homes)]
        for _, item in sentence:
            if (link := item.named(LinkKind.TABLE)) is not None:
                tables.insert(0, link.name)
        return list(dict.fromkeys(tables))

    def _told_in(self, table: str) -> str:
        """Where things of a list are used: a code of a small table is counted in the large one that refers to it."""
        model = self.names.model
        if model.table(table).time_dimension is not None:
            return table
        rows = model.table(table).rows or 0
        users = [
            j.table for j in model.joins if j.to_table == table and (model.table(j.table).rows or 0) > rows
        ]
        return users[0] if len(set(users)) == 1 else table

    # what is left

    def _leftovers(self, draft: Draft, sentence: Sentence) -> None:
        """Names that nothing used are context where the measures reach them; bounds and exclusions may not be lost."""
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        for i, item in sentence:
            if item.used:
                continue
            if (
                (item.number is not None and item.text.lower() != "one")
                or item.literal is not None
                or item.op(Op.EXCLUDE, Op.OUTSIDE, Op.MOVING)
                or (item.op(Op.WITHOUT) and self._negates(sentence, i))
                or (item.op(Op.EDGE) and bool(draft.metrics) and self._before_noun(sentence, i))
                or (item.op(Op.COMPARE_NUMBER) and not self._is_idle(sentence, i, draft))
                or (item.op(Op.NOT) and self._negates(sentence, i))
                or (item.values and not item.links)
                or (item.links and not self._is_context(item, metrics, draft))
                or (item.association and not item.links and not draft.metrics)
            ):
                draft.unexplained.append(item.text)

    @staticmethod
    def _before_noun(sentence: Sentence, i: int) -> bool:
        following = sentence.after(i, ())
        return (
            following is not None
            and bool(sentence[following].links)
            and sentence[i].end == sentence[following].start
        )

    @staticmethod
    def _is_idle(sentence: Sentence, i: int, draft: Draft) -> bool:
        """Whether a comparing word bounds nothing: in a comparison, before a time, or “over” for “across”."""
        following = sentence.after(i)
        item = sentence[following] if following is not None else None
        timed = item is not None and item.time is not None
        across = item is not None and bool(item.links) and sentence[i].text.lower() == "over"
        return draft.comparison is not None or timed or across

    @staticmethod
    def _negates(sentence: Sentence, i: int) -> bool:
        following = sentence.after(i)
        return following is not None and bool(sentence[following].links or sentence[following].values)

    def _is_context(self, item: Item, metrics: list[Metric], draft: Draft) -> bool:
        """Whether a name says no more than what is counted or measured anyway."""
        if item.links[0].quality < (0.6 if item.links[0].kind is LinkKind.TABLE else 0.75):
            return False
        tables = {t for m in metrics for t in self.names.model.base_tables(m)}
        table = item.named(LinkKind.TABLE)
        if table is not None and (not tables or table.name in tables):
            return True
        dimension = self.names.dimension(item)
        if dimension is not None:
            return all(self.names.model.reaches(m, dimension) for m in metrics)
        measure = self.names.measure(item)
        return measure is not None and any(measure.name in m for m in draft.metrics)


def _plural_target(sentence: Sentence, at: int) -> bool:
    following = sentence.after(at)
    return following is not None and sentence[following].text.lower().endswith("s")


def _best(choice: tuple[ValueMatch, ...], dimension: str) -> ValueMatch | None:
    return max((v for v in choice if v.dimension == dimension), key=lambda v: v.score, default=None)


def _score(choice: tuple[ValueMatch, ...], dimension: str) -> float:
    found = _best(choice, dimension)
    return found.score if found else 0.0


_MONEY = frozenset({"revenue", "sales", "turnover", "income", "amount", "total"})


def _is_money(metric: Metric) -> bool:
    return bool(_MONEY & {metric.label, *metric.synonyms})


_FALLING = frozenset(
    {
        "fell",
        "fall",
        "fallen",
        "drop",
        "dropped",
        "decline",
        "declined",
        "decrease",
        "decreased",
        "lost",
        "shrank",
        "worsened",
    }
)
