"""A draft made to fit the data: things are counted where they act, levels have a day, doubts are written down."""

from __future__ import annotations

from gnomon.core.parts import FilterOperator, QuestionKind
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.calendar import OF_GRAIN
from gnomon.planning.reader.amounts import average_known, average_list, rank_in_all, subtract_totals
from gnomon.planning.reader.counts_per_thing import counted_thing, ratio_of, seen_together
from gnomon.planning.reader.date_names import done_on
from gnomon.planning.reader.draft import Doubt, Draft, PickSort, picks
from gnomon.planning.reader.framing import NEWLY
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.present_rows import keep_present, keep_those_of_a_day
from gnomon.planning.reader.relatedness import deed_of, enacts, is_verb
from gnomon.planning.reader.running_levels import doubt_running, place_level
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.spread_years import miss_year
from gnomon.planning.reader.tables_of_counts import add_up_counts
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import ABBREVIATIONS, name_words, stem
from gnomon.semantic import Additivity, Aggregation, DimensionType, Metric
from gnomon.semantic.model import plural
from gnomon.semantic.units import told_in, unit_called

_COARSE = (TimeGranularity.WEEK, TimeGranularity.MONTH, TimeGranularity.QUARTER, TimeGranularity.YEAR)
_NOW = frozenset({"now", "moment", "currently", "current", "presently"})
_ENDS = {
    Aggregation.MIN: frozenset({"min", "minimum", "lowest", "low"}),
    Aggregation.MAX: frozenset({"max", "maximum", "highest", "high"}),
}
_COPULAS = frozenset({"was", "were", "is", "are", "been", "be", "being", "got"})


def _once(sentence: Sentence) -> bool:
    """Whether something happened at least once."""
    said = [w.lower for w in sentence.words]
    return any(said[i : i + 3] == ["at", "least", "once"] for i in range(len(said)))


def _is_any_row(item: Item, table: str, sentence: Sentence) -> bool:
    """“customers who placed an order”: that there is a row, of which no more is said."""
    link = item.named(LinkKind.TABLE)
    before = sentence.words[item.start - 1].lower if item.start else ""
    return link is not None and link.name == table and before in {"a", "an", "any"}


class Fitting:
    """Fits a finished draft to the model.

    Args:
        names: The names of the model.
    """

    def __init__(self, names: Names) -> None:
        self.names = names

    def fit(self, draft: Draft, sentence: Sentence) -> None:
        """Everything of this file, in order."""
        self._step_once(draft, sentence)
        self._count_rows(draft)
        add_up_counts(draft, sentence, self.names)
        rank_in_all(draft, sentence, self.names)
        average_list(draft, sentence, self.names)
        average_known(draft, self.names)
        subtract_totals(draft, sentence, self.names)
        miss_year(draft, sentence, self.names)
        self._count_once(draft)
        self._count_where_done(draft, sentence)
        self._count_doers(draft, sentence)
        self._fit(draft, sentence)
        keep_present(draft, sentence, self.names)
        keep_those_of_a_day(draft, sentence, self.names)
        self._level(draft, sentence)
        self._tell_in(draft, sentence)
        self._doubt_measures(draft, sentence)
        self._doubt_list(draft, sentence)
        self._doubt_when(draft, sentence)
        self._doubt_done(draft, sentence)
        self._doubt_owner(draft, sentence)

    def _step_of_column(self, draft: Draft, sentence: Sentence) -> None:
        """“busiest check in day of the week”: a part of that day, not each of its days in each part of another one."""
        if draft.time_dimension is not None or not (
            draft.grain or any(d.startswith("@") for d in draft.dimensions)
        ):
            return
        for i, item in sentence:
            column = self.names.dimension(item, DimensionType.TIME) if item.links else None
            after = sentence[i + 1] if i + 1 < len(sentence) else None
            stepped = after is not None and after.start == item.end and after.op(Op.UNIT)
            if column is not None and stepped and column.name in draft.dimensions:
                draft.dimensions.remove(column.name)
                draft.time_dimension = column.name

    def _step_once(self, draft: Draft, sentence: Sentence) -> None:
        """“which months had fewer than 7,800 orders”: steps of the orders' own days, not a month that is told of other rows."""
        self._step_of_column(draft, sentence)
        if draft.grain is None or not draft.metrics:
            return
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        for name in [d for d in draft.dimensions if not d.startswith("@")]:
            column = self.names.model.dimension(name)
            told = column.type is DimensionType.TIME and name_words(column.label) == (str(draft.grain),)
            if told and not all(self.names.model.reaches(m, column) for m in metrics):
                draft.dimensions.remove(name)

    def _count_rows(self, draft: Draft) -> None:
        """“how many are in good condition”: of rows with one condition the rows are counted, never the conditions."""
        same = (FilterOperator.EQUALS, FilterOperator.IN)
        fixed = {f.field for f in (*draft.filters, *draft.part) if f.operator in same and not f.having}
        for n, reference in enumerate(draft.metrics):
            metric = self.names.model.metric(reference)
            distinct = metric.aggregation is Aggregation.COUNT_DISTINCT and metric.inner is None
            column = self.names.column_of(metric) if distinct else None
            if column is not None and column.name in fixed and metric.table is not None:
                draft.metrics[n] = self.names.count_of_table(metric.table).name
                draft.rows_counted = True

    def _count_once(self, draft: Draft) -> None:
        """“how many hives are there, going by the hive codes”: the number of things is not told for each of them."""
        metric = self.names.model.metric(draft.metrics[0]) if len(draft.metrics) == 1 else None
        distinct = (
            metric is not None and metric.aggregation is Aggregation.COUNT_DISTINCT and metric.inner is None
        )
        column = self.names.column_of(metric) if metric is not None and distinct else None
        if column is not None and draft.dimensions == [column.name] and draft.kind is QuestionKind.BREAKDOWN:
            draft.dimensions, draft.kind = [], QuestionKind.VALUE

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
        said = next((x for _, x in sentence if x.links and self.names.measure(x) == other), None)
        before = sentence.words[said.start - 1].lower if said is not None and said.start else ""
        rows = any(
            w[:5] == said.text.lower()[:5]
            for w in name_words(model.table(other.table).label)
            if said is not None
        )
        if held is not None and before in _COPULAS and rows:
            draft.metrics = [f"{Aggregation.COUNT_DISTINCT}({other.table}.{held})"]

    def _count_doers(self, draft: Draft, sentence: Sentence) -> None:
        """“how many products were reviewed”, “donors who gave in May”: they are counted where it was done."""
        model = self.names.model
        metric = model.metric(draft.metrics[0]) if len(draft.metrics) == 1 else None
        if (
            metric is None
            or metric.table is None
            or metric.aggregation is not Aggregation.COUNT
            or metric.expression
        ):
            return
        key = model.table(metric.table).key
        thing = self.names.at(metric.table, key[0]) if len(key) == 1 else None
        users = dict.fromkeys(
            j.table for j in model.joins if j.to_table == metric.table and j.table != metric.table
        )
        for table in users if thing is not None else ():
            label = deed_of(model.table(table).label)
            named = {label, plural(label)}
            verbs = [
                w
                for w in sentence.words[2:]
                if w.kind == "word" and w.lower not in named and is_verb(w.lower)
            ]
            said = [w for w in verbs if enacts(w.lower, label)]
            # Who left is told by their own days, not by rows of leaves.
            said = [w for w in said if not any(d.at(metric.table) for d in done_on(w.lower, model))]
            once = len(users) == 1 and draft.time_range is not None and _once(sentence)
            any_of = [x for i, x in sentence if i > 1 and _is_any_row(x, table, sentence)]
            if (said or once or any_of) and thing is not None and (held := thing.at(table)) is not None:
                draft.metrics = [self.names.count_at(table, held).name]
                spoken = {w.text for w in said} | ({"at least", "once"} if once else set[str]())
                spoken |= {x.text for x in any_of} | ({"made", "make"} if any_of else set[str]())
                draft.unexplained = [u for u in draft.unexplained if u not in spoken]
                for _, item in sentence:
                    item.used = item.used or item.text in spoken
                return

    def _fit(self, draft: Draft, sentence: Sentence) -> None:
        """A count of things is taken where they act: products sold by channel are counted among the orders."""
        model = self.names.model
        needed = [model.dimension(d) for d in draft.dimensions]
        needed += [model.dimension(f.field) for f in (*draft.filters, *draft.part) if not f.having]
        acted = [
            t
            for _, item in sentence
            if item.association and not item.links and not item.values
            for m in self.names.metrics(item)
            for t in model.base_tables(m)
        ]
        for n, reference in enumerate(draft.metrics):
            metric = model.metric(reference)
            thing = counted_thing(metric, self.names)
            reached = all(model.reaches(metric, d) for d in needed)
            if thing is not None and not reached and metric.aggregation is Aggregation.COUNT_DISTINCT:
                draft.metrics[n] = seen_together(thing, needed, self.names) or metric.name
                continue
            if metric.aggregation is not Aggregation.COUNT or metric.table is None:
                continue
            elsewhere = bool(acted) and acted[0] != metric.table
            if thing is None or (reached and not elsewhere):
                continue
            done = next(
                (
                    m
                    for _, item in sentence
                    if item.association and not item.links and not item.values
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
                and draft.kind is not QuestionKind.SHARE
            ):
                draft.metrics[n] = done.name  # "how many items did we sell" asks for units
                continue
            for ref in sorted(thing.locations, key=lambda r: r.table not in acted):
                other = model.metric(f"{Aggregation.COUNT_DISTINCT}({ref})")
                if ref.table != metric.table and all(model.reaches(other, d) for d in needed):
                    draft.metrics[n] = other.name
                    break
            else:
                draft.metrics[n] = seen_together(thing, needed, self.names) or metric.name

    def _level(self, draft: Draft, sentence: Sentence) -> None:
        """A stock level asked for without a period is that of the last day, not an average over all of them."""
        place_level(draft, self.names)
        doubt_running(draft, sentence, self.names)
        now = any(w.lower in _NOW for w in sentence.words)
        if (
            draft.time_range is not None
            or draft.grain is not None
            or draft.recurring is not None
            or not draft.metrics
        ):
            return
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        if not all(m.additivity is Additivity.SEMI_ADDITIVE or (now and self._of_level(m)) for m in metrics):
            return
        time = self.names.model.time_dimension(metrics[0])
        if time is not None and time.coverage is not None:
            step, coarse = time.grain or TimeGranularity.DAY, time.grain in _COARSE
            first = OF_GRAIN[step].floor(time.coverage[1]) if coarse else time.coverage[1]
            last = OF_GRAIN[step].last_day(first) if coarse else first
            draft.time_range = TimeRange(
                start=first, end=last, granularity=step if coarse else TimeGranularity.DAY
            )
            draft.notes.append(
                f"the level {f'in the last {step}' if coarse else 'on the last day'} of the data"
            )

    def _tell_in(self, draft: Draft, sentence: Sentence) -> None:
        """“resolution time in days”, “how many hours does it take”: told in the unit that was asked for."""
        said = [w.lower for w in sentence.words]
        for i, word in enumerate(said):
            asked = said[max(0, i - 1) : i] == ["in"] or said[max(0, i - 2) : i] == ["how", "many"]
            asked = asked or any(x.end == i and x.links for x in sentence.items)  # "average trip hours"
            unit = unit_called(word) if asked and word.endswith("s") else None
            if unit is None or any(f.having for f in draft.filters):
                continue
            for n, reference in enumerate(draft.metrics):
                held = self.names.model.metric(reference).unit
                if held != unit and told_in(held, unit) is not None:
                    draft.metrics[n] = f"{reference} in {unit}"
                    draft.unexplained = [text for text in draft.unexplained if text.lower() != word]

    def _of_level(self, metric: Metric) -> bool:
        """Whether a metric is another aggregation of a stock level: the average on hand at the moment."""
        column = self.names.column_of(metric)
        return column is not None and any(
            m.additivity is Additivity.SEMI_ADDITIVE and self.names.column_of(m) == column
            for m in self.names.model.metrics
        )

    def _doubt_measures(self, draft: Draft, sentence: Sentence) -> None:
        """Words that are only the end of several names ("the rates") do not say which one is meant."""
        for _, item in sentence:
            if not item.links or item.links[0].quality >= 0.85:
                continue
            fitting = [self.names.model.metric(x.name) for x in item.links if x.kind is LinkKind.METRIC]
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
            if len(fitting) < 2 or not any(self._is_used(m, draft) for m in fitting):
                continue
            if not self._own_end(draft, fitting):
                taken = next((m.name for m in fitting if m.name in draft.metrics), "")
                meant = picks(PickSort.METRIC, taken, (m.name for m in fitting[:4])) if taken else ()
                draft.doubts.append(Doubt(item.text, tuple(m.label for m in fitting[:4]), picks=meant))

    def _is_used(self, metric: Metric, draft: Draft) -> bool:
        """Whether a draft has a metric, or another aggregation of its column."""
        column = self.names.column_of(metric)
        model = self.names.model
        told = [part for r in draft.metrics for part in (r, *ratio_of(r)[::2]) if part]
        others = [self.names.column_of(model.metric(r)) for r in told]
        bounded = {f.field for f in (*draft.filters, *draft.part) if not f.having}
        return metric.name in told or (column is not None and (column in others or column.name in bounded))

    def _own_end(self, draft: Draft, fitting: list[Metric]) -> bool:
        """“the lowest temperature”, of a lowest and a highest one of each day: the one that is called so."""
        how = self.names.model.metric(draft.metrics[0]).aggregation if len(draft.metrics) == 1 else None
        if how is None or how not in _ENDS:
            return False
        called = [
            m for m in fitting
            if _ENDS[how] & {part for w in name_words(m.label) for part in ABBREVIATIONS.get(w, w).split()}
        ]  # fmt: skip
        if len(called) != 1:
            return False
        draft.metrics = [self.names.aggregated(called[0], how)]
        return True

    def _doubt_list(self, draft: Draft, sentence: Sentence) -> None:
        """Several measures are meant where they are listed or compared; otherwise one of them was misread."""
        if (
            len(draft.metrics) < 2
            or draft.kind is QuestionKind.CORRELATION
            or any(f.having for f in draft.filters)
        ):
            return
        if sentence.has(Op.AND, Op.OR, Op.VERSUS, Op.BETWEEN, Op.WITH) or draft.claim.measures:
            return
        labels = tuple(self.names.model.metric(m).label for m in draft.metrics[:4])
        draft.doubts.append(Doubt(" … ".join(labels), labels, together=True))

    def _doubt_done(self, draft: Draft, sentence: Sentence) -> None:
        """“customers churned in 2024”, of customers dated by when they came: the year is that of the churn, maybe."""
        if draft.time_range is None or draft.time_dimension is not None or len(draft.metrics) != 1:
            return
        model = self.names.model
        metric = model.metric(draft.metrics[0])
        column, time = self.names.column_of(metric), model.time_dimension(metric)
        if column is None or column.type is not DimensionType.BOOLEAN or time is None:
            return
        if metric.aggregation is not Aggregation.SUM or draft.grain is not None:
            return
        others = [
            d for d in model.dimensions
            if d.type is DimensionType.TIME and d.nullable and d.home.table == metric.table and d.name != time.name
        ]  # fmt: skip
        spoken = {w.stem for w in sentence.words}
        named = any(
            stem(w) in spoken for w in name_words(time.label) if w not in {"date", "day", "dt", "time"}
        )
        if others and not named:
            things = metric.label.removeprefix("number of ")
            options = tuple(f"{things} by {d.label}" for d in (time, *others))
            meant = picks(PickSort.TIME, "", (d.name for d in (time, *others)))
            draft.doubts.append(Doubt(things, options[:4], picks=meant[:4]))

    @staticmethod
    def _doubt_owner(draft: Draft, sentence: Sentence) -> None:
        """“whose batches taste better”: an answer names somebody, or it is none."""
        asked = [x.text for i, x in sentence if i + 1 < len(sentence) and sentence.is_owned(i + 1)]
        if asked and not draft.dimensions and draft.comparison is None:
            draft.unexplained.append(asked[0])

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
        time = model.time_dimension(metric)
        users = [
            j.table
            for j in model.joins
            if j.to_table == metric.table
            if model.table(j.table).time_dimension not in (None, time.name if time else None)
        ]
        if not users or time is None:
            return
        spoken = {w.stem for w in sentence.words}
        if any(stem(w) in spoken for w in name_words(time.label) if w not in {"date", "day", "time"}):
            return
        if any(w.lower == NEWLY for w in sentence.words):
            return  # new ones are those that began then
        things = plural(model.table(metric.table).label)
        options = (
            f"{things} by {time.label}",
            *(f"{things} with {plural(model.table(u).label)}" for u in dict.fromkeys(users)),
        )
        meant = (*picks(PickSort.TIME, "", (time.name,)), None, None, None)
        draft.doubts.append(Doubt(things, options[:4], picks=meant[: len(options[:4])]))
