"""From items to a draft: which names are measured, which group, which filter, and what kind of answer is asked."""

from __future__ import annotations

from datetime import date

from gnomon.core.parts import Filter, FilterOperator, QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.asked_periods import is_described
from gnomon.planning.reader.both_values import keep_both
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.counted_subjects import told_in
from gnomon.planning.reader.dated import Dates
from gnomon.planning.reader.differences import take_level
from gnomon.planning.reader.doers import is_doer, is_ranked_by
from gnomon.planning.reader.draft import Doubt, Draft, PickSort, picks
from gnomon.planning.reader.edges import Edges
from gnomon.planning.reader.events import count_events
from gnomon.planning.reader.extremes import Extremes, at_its_end
from gnomon.planning.reader.figure_differences import set_figures
from gnomon.planning.reader.fitting import Fitting
from gnomon.planning.reader.group_questions import read_groups
from gnomon.planning.reader.groupings import count_days_once, lay_over, name_groups
from gnomon.planning.reader.kinds import decide_kind
from gnomon.planning.reader.kinds_of_things import asks_kind
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.leftovers import Leftovers
from gnomon.planning.reader.likelihoods import tell_likelihood
from gnomon.planning.reader.listed_columns import list_columns, list_rows, listed_columns
from gnomon.planning.reader.listed_values import directed
from gnomon.planning.reader.measures import Measures
from gnomon.planning.reader.named_items import name_items
from gnomon.planning.reader.named_rows import ranked_thing
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.people import add_person
from gnomon.planning.reader.period_changes import find_period_change, tell_period_change
from gnomon.planning.reader.places import SORTING, read_order
from gnomon.planning.reader.ranks import Rank, Ranking
from gnomon.planning.reader.ratios import is_one_of, is_over_things
from gnomon.planning.reader.row_attributes import tell_attributes
from gnomon.planning.reader.running import read_running
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.share_wholes import known_whole
from gnomon.planning.reader.things_told import tell_things
from gnomon.planning.reader.timed_ratios import count_those_with_rows, tell_date
from gnomon.planning.reader.times import Times, read_times
from gnomon.planning.reader.typical_periods import find_typical
from gnomon.planning.reader.value_filters import ValueFilters
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.where_things_are import add_place
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.values import ValueIndex

_GROUPING = (Op.BY, Op.EACH, Op.PER)
_GROUPABLE = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TEXT)


def _is_relative(item: Item, noun: Item) -> bool:
    """“senators who voted nay”: right behind a noun “who” asks for nothing."""
    said = item.op(Op.WHICH) and item.text.lower() in {"who", "whose", "that"}
    return said and noun.end == item.start and bool(noun.links or noun.values)


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
        self.ranked: list[Metric] = []
        self.counted: list[Metric] = []

    def compose(self, question: str, sentence: Sentence, left_over: list[str]) -> Draft:
        """The draft that the sentence makes."""
        draft = Draft(question, unexplained=list(left_over), heard=sentence)
        name_groups(sentence, self.names)
        name_items(sentence, self.names, self.index)
        set_figures(draft, sentence, self.names)
        take_level(sentence)
        lay_over(sentence, self.names)
        typical = find_typical(sentence)
        times = read_times(sentence, self.today)
        draft.unexplained += self._undated(sentence, times)
        times.grain = None if typical is not None and typical.grain is times.grain else times.grain
        stepped = find_period_change(sentence, self.names, times)
        ranking = Ranking(self.names)
        ranks = ranking.find(sentence)
        extremes = Extremes(sentence, self.names)
        extreme = extremes.find(ranks)
        if ranks:
            draft.unexplained = [text for text in draft.unexplained if text.lower() not in SORTING]
        columns = [] if ranks else listed_columns(sentence, self.names)
        self.ranked = [r.measure for r in ranks if r.measure is not None]
        nouns = [x for _, x in sentence if x.named(LinkKind.TABLE) is not None] if ranks else []
        self.counted = [m for x in nouns if (m := self.names.countable(x)) is not None]
        conditions = Conditions(sentence, self.names, self.index)
        draft.unexplained = [text for text in draft.unexplained if text not in conditions.heard]
        bounded = any(n.metric is not None and n.subject_at is not None for n in conditions.numbers)
        bounded = bounded or any(r.measure is not None for r in ranks)  # "who brought the most orders"
        tables = self._tables_of(conditions, sentence)
        measures = Measures(sentence, self.names, times, tables, bounded=bounded)
        draft.metrics = [
            typical.of(m.reference, self.names) if typical is not None else m.reference
            for m in measures.found
        ]
        draft.time_dimension = measures.time_dimension
        draft.unexplained = [text for text in draft.unexplained if text not in measures.called]
        count_events(draft, sentence, self.names, times)
        edges = Edges(self.names)
        edges.find(draft, sentence)
        edges.when(draft, sentence, bool(ranks))
        self._groups(draft, sentence, times, measures)
        self._targets(draft, sentence, conditions, ranks)
        self._persons(draft, sentence, ranks)
        self._times(draft, times)
        read_running(draft, sentence)
        dates = Dates(self.names)
        dates.bind(draft, sentence)
        filters = ValueFilters(self.names, self.index)
        if ranks:
            filters.rank_listed(draft, conditions)
        ranking.apply(draft, sentence, ranks, times)
        filters.apply(draft, conditions)
        dates.mark(draft)
        decide_kind(draft, sentence, times, conditions, self.names, ranked=bool(ranks))
        if typical is not None:  # counts of nouns are only added with the kind of question
            draft.metrics = [typical.of(m, self.names) for m in draft.metrics]
        tell_likelihood(draft, sentence, self.names)
        keep_both(draft, sentence, conditions, self.names)
        read_groups(draft, sentence, self.names)
        list_columns(draft, columns)
        read_order(draft, sentence)
        count_those_with_rows(draft, self.names)
        Fitting(self.names).fit(draft, sentence)
        tell_date(draft, self.names)
        known_whole(draft, self.names)
        extremes.tell(draft, extreme)
        at_its_end(draft, sentence, self.names)
        tell_attributes(draft, sentence, ranks, self.names)
        tell_period_change(draft, stepped)
        tell_things(draft, sentence, self.names, self.index)
        filters.note_lists(draft)
        count_days_once(draft, self.names)
        Leftovers(self.names).note(draft, sentence)
        list_rows(draft, sentence, self.names)
        return draft

    # groups

    def _groups(self, draft: Draft, sentence: Sentence, times: Times, measures: Measures) -> None:
        for i, item in sentence:
            if item.used or not item.op(*_GROUPING) or item.links:
                continue
            j = sentence.after(i, (Op.OF, Op.IN, Op.FILLER, Op.COUNT))
            if j is not None and is_doer(sentence, i, j, draft, self.names):
                continue
            while j is not None:
                following = sentence[j]
                if any(m.at == j for m in measures.found) or is_ranked_by(sentence, following):
                    break
                if not self._group_by(draft, sentence, i, j, following, times):
                    break
                item.used = True
                joint = sentence.after(j, (Op.FILLER,))
                if joint is None or not sentence[joint].op(Op.AND, Op.BY, Op.EACH):
                    break
                j = sentence.after(joint)
                if j is not None and sentence[joint].text == "," and self._is_measured(sentence[j], draft):
                    break
        if times.group_by_part:
            draft.add_dimension(f"@{times.group_by_part}")

    def _is_measured(self, item: Item, draft: Draft) -> bool:
        """“rating by category, reviews of 2025 only”: the rows that are measured are no second group."""
        dimension = self.names.dimension(item)
        if dimension is None or dimension.type is not DimensionType.ID:
            return False
        model = self.names.model
        return any(
            model.table(table).key == (dimension.at(table),)
            for m in draft.metrics
            for table in model.base_tables(model.metric(m))
        )

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
        dimension = self.names.dimension(item) or self.names.scale(item)
        if dimension is None or (item.used and dimension.type not in _GROUPABLE):
            return False
        if item.links and item.links[0].quality < 0.62:
            return False
        if dimension.type is DimensionType.NUMBER and item.links and item.links[0].quality < 0.85:
            return False  # a part of a measure's name is no group: "energy per unit"
        if sentence[i].op(Op.PER) and is_one_of(item, dimension) and draft.metrics:
            shown = " and ".join(self.names.model.metric(m).label for m in draft.metrics)
            options = (f"{shown} by {dimension.label}", f"{shown} divided by {dimension.label}")
            draft.doubts.append(Doubt(f"per {item.text}", options))
        if dimension.type is DimensionType.TIME:
            self._by_date(draft, dimension, item, following, times)
            return True
        if item.used and not item.links:
            return False
        if is_over_things(sentence, i, dimension) and draft.metrics:
            metric = self.names.model.metric(draft.metrics[-1])
            if metric.additivity is not Additivity.NON_ADDITIVE or is_count(metric):
                draft.metrics[-1] = f"{metric.name} / {self.names.count_of_dimension(dimension).name}"
                item.used = True
                return True
            if metric.aggregation is Aggregation.MEAN and self._is_measured(item, draft):
                item.used = True  # "who stays longer per visit": an average of visits is one per visit
                return True
        self._doubt_dimension(draft, sentence, item)
        draft.add_dimension(self._spoken(sentence, item, dimension, draft).name)
        item.used = True
        return True

    @staticmethod
    def _by_date(
        draft: Draft, dimension: Dimension, item: Item, following: Item | None, times: Times
    ) -> None:
        """“by ship date”, “by hire month”: periods of that date, as long as is said, else as long as it ticks."""
        draft.time_dimension = dimension.name
        unit = (
            following
            if following is not None and following.start == item.end and following.op(Op.UNIT)
            else None
        )
        said = unit.operator.payload if unit is not None and unit.operator is not None else None
        item.used = True
        if unit is not None and str(said).startswith("@"):
            draft.add_dimension(str(said))
            unit.used = True
            return
        if unit is not None:
            times.grain, unit.used = TimeGranularity(str(said)), True
        ticks = dimension.grain if dimension.grain is not TimeGranularity.HOUR else None
        draft.grain = draft.grain or times.grain or ticks or TimeGranularity.DAY

    def _spoken(self, sentence: Sentence, item: Item, dimension: Dimension, draft: Draft) -> Dimension:
        """Among dimensions that fit alike, the one that the metrics reach and that the words lead to."""
        reached = self._fitting(item, draft)
        if len(reached) > 1 and (place := self._led_to(sentence, item, reached)) is not None:
            return reached[place]
        return reached[0] if reached else dimension

    def _fitting(self, item: Item, draft: Draft) -> list[Dimension]:
        metrics = [self.names.model.metric(m) for m in draft.metrics] or self.ranked
        fitting = self.names.dimensions(item)
        return [d for d in fitting if all(self.names.model.reaches(m, d) for m in metrics)]

    @staticmethod
    def _led_to(sentence: Sentence, item: Item, fitting: list[Dimension]) -> int | None:
        """“from which town”, “which town … come from”: of a start and an end, the one that the preposition leads to."""
        words = [w.lower for w in sentence.words if w.kind == "word"]
        asked = sentence.words[item.start - 1].lower if item.start else ""
        before = words[0] if asked == "which" else asked
        labels = [d.label for d in fitting]
        places = (directed(p, labels) for p in (before, words[-1]))
        return next((p for p in places if p is not None), None)

    def _doubt_dimension(self, draft: Draft, sentence: Sentence, item: Item) -> None:
        reached = self._fitting(item, draft)
        twins = len({str(d.home) for d in reached if d.via is not None}) < len([d for d in reached if d.via])
        twins = twins and self._led_to(sentence, item, reached) is None
        if len(reached) > 1 and (item.links[0].quality < 0.9 or twins):
            meant = picks(PickSort.DIMENSION, reached[0].name, (d.name for d in reached[:4]))
            draft.doubts.append(Doubt(item.text, tuple(d.label for d in reached[:4]), picks=meant))

    def _targets(self, draft: Draft, sentence: Sentence, conditions: Conditions, ranks: list[Rank]) -> None:
        """Nouns that are asked for or ranked: "which region", "top 5 products", "list the brands"."""
        for i, item in sentence:
            if item.used or not (item.links or item.op(Op.UNIT)) or sentence.is_owned(i):
                continue
            asked = self._is_asked(sentence, i) or any(self._is_ranked(sentence, r, i) for r in ranks)
            asked = asked or self._is_who(sentence, item) or (item.op(Op.UNIT) and is_described(sentence, i))
            told = bool(draft.dimensions) and self._has_asked(sentence, i)
            if asked and not self._is_asked(sentence, i) and (told or self._is_graded_part(sentence, item)):
                item.used = True  # "which ward has the oldest patients": they tell of the ward
                continue
            if asked and self._is_named_behind(sentence, i):
                item.used = True  # "which species (scientific name)"
                continue
            subject = any(n.subject_at == i for n in conditions.numbers) and not draft.metrics
            if item.op(Op.UNIT) and item.operator is not None and not self._reached(item, draft):
                if sentence.is_of_the(i):
                    continue  # "the strongest gust of the year"
                if (asked or str(item.operator.payload).startswith("@")) and (
                    ranks or sentence.has(Op.WHICH)
                ):
                    self._by_unit(draft, item)
                continue
            dimension = ranked_thing(item, self.names) if ranks else self.names.dimension(item)
            if dimension is None or (
                dimension.type is DimensionType.NUMBER
                and not (self._is_asked(sentence, i) and self._is_scale(item, dimension))
            ):
                continue
            flag = dimension.type is DimensionType.BOOLEAN and sentence.words[0].lower == "who"
            done = flag or dimension.type in (DimensionType.TIME, DimensionType.ID)
            if done and get_lexicon().is_participle(item.text.lower()):
                continue  # "who rented the most", "the highest invoiced amount": no day, yes or invoice is asked for
            if asked or subject or (ranks and not draft.dimensions and dimension.type in _GROUPABLE):
                if draft.dimensions and not asked:
                    continue
                if dimension.type is DimensionType.ID and asks_kind(sentence, i):
                    draft.unexplained.append("kind")  # nothing here tells kinds of them
                self._doubt_dimension(draft, sentence, item)
                draft.add_dimension(self._spoken(sentence, item, dimension, draft).name)
                item.used = True

    def _persons(self, draft: Draft, sentence: Sentence, ranks: list[Rank]) -> None:
        """“who earns the most” asks for persons, “where do we sell most” for places."""
        measures = draft.metrics or [m.name for r in ranks if (m := r.measure) is not None]
        if not ranks or draft.dimensions or not measures:
            return
        asked = sentence.words[0].lower
        if asked == "where":
            add_place(draft, measures, self.names)
        elif asked in {"who", "whose"} and not add_person(draft, measures, self.names):
            draft.unexplained.append("who")

    @staticmethod
    def _is_scale(item: Item, dimension: Dimension) -> bool:
        """Whether a column of numbers holds few enough to ask for one of them by its name."""
        return item.links[0].quality >= 0.7 and (dimension.distinct or 99) <= 30

    def _has_asked(self, sentence: Sentence, i: int) -> bool:
        """Whether another noun before is what “which” asks for."""
        return any(
            x.links and self._is_asked(sentence, j) and ranked_thing(x, self.names) is not None
            for j, x in enumerate(sentence.items[:i])
        )

    @staticmethod
    def _is_graded_part(sentence: Sentence, item: Item) -> bool:
        """“who has the longest foot”, of a column that only ends so: what is graded is no group beside whom is asked for."""
        return (
            sentence.words[0].lower in {"who", "whose"} and bool(item.links) and item.links[0].quality < 0.7
        )

    def _is_named_behind(self, sentence: Sentence, i: int) -> bool:
        """Whether brackets behind a noun name the column that is meant."""
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        bracket = (
            sentence.words[sentence[i].end].lower == "(" if sentence[i].end < len(sentence.words) else False
        )
        return bracket and following is not None and self.names.dimension(following) is not None

    def _is_who(self, sentence: Sentence, item: Item) -> bool:
        """“who closed …” asks for the column “closed by”."""
        dimension = self.names.dimension(item)
        last = dimension.label.split()[-1:] if dimension is not None else []
        return sentence.words[0].lower == "who" and last in (["by"], ["to"])

    def _undated(self, sentence: Sentence, times: Times) -> list[str]:
        """Parts of time that are asked by, where no table says when its rows were; a column that is called so is one."""
        if any(t.time_dimension for t in self.names.model.tables):
            return []
        parts = [
            x for _, x in sentence if x.op(Op.UNIT) and x.operator and str(x.operator.payload)[:1] == "@"
        ]
        lost = [item.text for item in parts if not item.links]
        for item in parts:
            item.operator, item.used = None, not item.links
        if times.group_by_part is not None:
            lost.append(str(times.group_by_part))
            times.group_by_part = None
        return lost

    def _reached(self, item: Item, draft: Draft) -> bool:
        """Whether a word for a period is a column here that the measures can be grouped by."""
        dimension = self.names.dimension(item) if item.links else None
        metrics = [self.names.model.metric(m) for m in draft.metrics] or self.ranked or self.counted
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
        if before and _is_relative(item, sentence[before - 1]):
            return False
        listing = (
            item.op(Op.KIND) and item.operator is not None and item.operator.payload is QuestionKind.LIST
        )
        if listing:
            return True
        between = {w.lower for w in sentence.words[item.end : sentence[i].start]}
        if item.text.lower() == "what" and between & {"do", "does", "did"}:
            return False  # "what did products bring in": they do it, they are not asked for
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

    def _times(self, draft: Draft, times: Times) -> None:
        draft.time_range = times.period
        draft.other_periods = list(times.other_periods)
        draft.recurring = times.recurring
        draft.comparison = times.comparison
        draft.shift = times.shift
        draft.other_recurring = list(times.other_recurring)
        draft.listed = times.listed_part
        draft.filters += [
            Filter(field=f"@{unit}", operator=FilterOperator.IN, values=values) for unit, values in times.also
        ]
        draft.unexplained += times.unread
        if times.group_dimension:
            draft.add_dimension(times.group_dimension)
        draft.grain = draft.grain or times.grain
        draft.notes += times.notes
        draft.confidence = min(draft.confidence, times.confidence)

    def _tables_of(self, conditions: Conditions, sentence: Sentence) -> list[str]:
        """The tables that conditions and nouns speak of, for counts without a noun."""
        model = self.names.model
        tables = [model.dimension(f.field).home.table for _, f in conditions.filters]
        tables += [n.dimension.home.table for n in conditions.numbers if n.dimension is not None]
        for v in conditions.values:
            homes = {model.dimension(m.dimension).home.table for choice in v.choices for m in choice[:1]}
            tables += [told_in(home, model) for home in sorted(homes)]
        for _, item in sentence:
            if (link := item.named(LinkKind.TABLE)) is not None:
                tables.insert(0, link.name)
        return list(dict.fromkeys(tables))
