"""What a name in a question is good for: as a measure, as something to count, to group by or to filter on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gnomon.core.query import TimeGranularity
from gnomon.data.column_names import names_identifier
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.associations import Association, associations, hints
from gnomon.planning.reader.held_columns import field_names, held_columns
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import DAYS, counted_days, is_between, timed_column, unit_of_time
from gnomon.planning.reader.money_coming_in import money_coming_in
from gnomon.planning.reader.planned_columns import PLANNED
from gnomon.planning.reader.vocabulary import Link, LinkKind, Vocabulary
from gnomon.planning.reader.words import ABBREVIATIONS, Word, name_words, stem
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.derived import derived
from gnomon.semantic.model import TableMeaning, quoted, singular
from gnomon.semantic.units import is_amount, without_unit
from gnomon.semantic.vocabulary import vocabulary
from gnomon.semantic.wording import DAY_OF_MONTH

_TOLD_BY = frozenset({"number", "no", "code"})
_SHOWING = frozenset({"give", "show", "list", "tell", "display"})
COUNTS = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)

_HELD = frozenset({"balance", "funds"})


class Names:
    """The names of a model, asked for by the role they are to play.

    Args:
        model: Whose names.
        vocabulary: How people may say them.
    """

    def __init__(self, model: SemanticModel, vocabulary: Vocabulary) -> None:
        self.model = model
        self.vocabulary = vocabulary
        self._held, self.fields = held_columns(model), field_names(model)

    def metrics(self, item: Item) -> list[Metric]:
        """The metrics that the words fit about equally well, or that their association leads to."""
        found = [self.model.metric(link.name) for link in item.all_named(LinkKind.METRIC)]
        if not found and item.association:
            found = self.associated(item.association, item.text)
            if item.association.nouns[0] == "production":
                found = [self.in_all(m, surely=True) for m in found]  # what is produced adds up
        return found

    def measure(self, item: Item) -> Metric | None:
        """The metric that the words name, unless it only counts things; a column of numbers is one too."""
        found = next((m for m in self.metrics(item) if not is_count(m)), None)
        if found is not None or item.named(LinkKind.METRIC) is not None:
            return found
        link = item.named(LinkKind.DIMENSION)
        column = self.model.dimension(link.name) if link is not None and link.quality >= 0.85 else None
        if column is None or column.type is not DimensionType.NUMBER:
            return None
        return self.metric_of(column)

    def coded(self, item: Item) -> Dimension | None:
        """The column of codes, grades or flags written in numbers that the words are the heading of.

        Whoever asks for its mean by name gets it; a noun for what rows are never means its numbers.
        """
        column = self.dimension(item)
        if column is None or not column.numeric:
            return None
        whole = column.type is DimensionType.CATEGORY and name_words(item.text) == name_words(
            column.home.column
        )
        return column if item.outright or whole else None

    def metric_of(self, column: Dimension) -> Metric:
        """The metric over a column of numbers; its mean where it has none of its own."""
        own = next((m for m in self.model.metrics if not is_count(m) and self.column_of(m) == column), None)
        return own or self.model.metric(f"{Aggregation.MEAN}({column.home})")

    def count(self, item: Item) -> Metric | None:
        """The metric that counts what the words name."""
        for link in item.links:
            if link.kind is LinkKind.METRIC and is_count(self.model.metric(link.name)):
                return self.model.metric(link.name)
        if table := item.named(LinkKind.TABLE):
            return self.count_of_table(table.name)
        dimension = self.dimension(item)
        if dimension is None:
            return None
        if item.links[0].quality < 0.85 and not self._is_head(item, dimension):
            # a noun that only modifies a column's name ("storms", for "max storm category") is what the rows are
            said = name_words(item.text)[-1:]
            root = stem(said[0]) if said and said[0].endswith("s") else ""
            many = bool(root) and any(
                stem(w) == root or w.startswith(root) for w in name_words(dimension.label)
            )
            table = self.model.table(dimension.home.table)
            if many and len(table.key) > 1 and dimension.home.column in table.key:
                return self.count_of_dimension(
                    dimension
                )  # each of them has many rows, told apart by the rest of the key
            return self.count_of_table(table.name) if many else None
        if item.links[0].quality < 0.85 or dimension.type in (DimensionType.NUMBER, DimensionType.BOOLEAN):
            return None
        if dimension.type is DimensionType.TIME and not DAYS & set(name_words(item.text)):
            return None  # "reported", "hires": what was done on a day is no day
        return self.count_of_dimension(dimension)

    @staticmethod
    def _is_head(item: Item, dimension: Dimension) -> bool:
        last, label = name_words(item.text)[-1:], [*name_words(dimension.label)]
        if (
            dimension.type is DimensionType.NUMBER
            and len(label) > 1
            and get_lexicon().is_participle(label[-1])
        ):
            label.pop()  # the fine paid is a fine
        return bool(last and label) and stem(last[0]) == stem(label[-1])

    def countable(self, item: Item) -> Metric | None:
        """The metric that counts what a noun names: rows, or different things; numbers are not things."""
        dimension = self.dimension(item)
        number = dimension is not None and dimension.type in (DimensionType.NUMBER, DimensionType.BOOLEAN)
        return None if number and item.named(LinkKind.TABLE) is None else self.count(item)

    def count_of_table(self, table: str) -> Metric:
        """The metric that counts the rows of a table."""
        for m in self.model.metrics:
            if (
                m.table == table
                and m.aggregation is Aggregation.COUNT
                and m.expression is None
                and not m.where
            ):
                return m
        return self.model.metric(f"count({table})")

    def count_of_dimension(self, dimension: Dimension) -> Metric:
        """The metric that counts the different values of a dimension: rows, where each row is one of them."""
        dimension = self._calendar_day(dimension)
        table = self.model.table(dimension.home.table)
        if table.key == (dimension.home.column,) or self._calls_rows(dimension, table):
            return self.count_of_table(dimension.home.table)
        for m in self.model.metrics:
            if m.aggregation is Aggregation.COUNT_DISTINCT and any(
                m.table == ref.table and m.expression == quoted(ref.column) for ref in dimension.locations
            ):
                return m
        return self.model.metric(f"count_distinct({dimension.home})")

    def _calls_rows(self, dimension: Dimension, table: TableMeaning) -> bool:
        """Whether a column is called as the rows that it names: of two clients of one name each is one."""
        if dimension.label not in (table.label, *table.synonyms) or len(table.key) != 1:
            return False
        key = next((d for d in self.model.dimensions if d.at(table.name) == table.key[0]), None)
        return key is not None and key.label_at == dimension.home

    def _calendar_day(self, dimension: Dimension) -> Dimension:
        """The day itself, for the column that has its number in the month."""
        time = self.model.table(dimension.home.table).time_dimension
        whole = self.model.dimension(time) if dimension.label == DAY_OF_MONTH and time is not None else None
        return whole if whole is not None and whole.written is None else dimension

    def count_at(self, table: str, column: str) -> Metric:
        """The metric that counts the different things that a table speaks of."""
        different = [m for m in self.model.metrics if m.aggregation is Aggregation.COUNT_DISTINCT]
        own = (m for m in different if m.table == table and m.expression == quoted(column))
        return next(own, None) or self.model.metric(f"{Aggregation.COUNT_DISTINCT}({table}.{column})")

    def dimension(self, item: Item, *types: DimensionType) -> Dimension | None:
        """The dimension that the words name, or the one that identifies the rows of the table they name."""
        for link in item.links:
            if link.kind is LinkKind.DIMENSION:
                found = self.model.dimension(link.name)
                if not types or found.type in types:
                    return found
        for link in item.links:
            found = self.identifier(link)
            if found and (not types or found.type in types):
                return found
        return None

    def scale(self, item: Item) -> Dimension | None:
        """The column of few numbers behind a measure that the words name: stars, which reviews can be grouped by."""
        measure = self.measure(item)
        column = self.column_of(measure) if measure is not None else None
        return column if column is not None and 1 < (column.distinct or 99) <= 12 else None

    def dimensions(self, item: Item) -> list[Dimension]:
        """The dimensions that the words fit about equally well."""
        return [self.model.dimension(link.name) for link in item.all_named(LinkKind.DIMENSION)]

    def identifier(self, link: Link) -> Dimension | None:
        """The dimension that tells apart what a table or a counting metric is about."""
        if link.kind is LinkKind.TABLE:
            key = self.model.table(link.name).key
            return self.at(link.name, key[0]) if len(key) == 1 else None
        if link.kind is LinkKind.METRIC:
            metric = self.model.metric(link.name)
            if metric.aggregation is Aggregation.COUNT and metric.expression is None and metric.table:
                key = self.model.table(metric.table).key
                return self.at(metric.table, key[0]) if len(key) == 1 else None
            if metric.aggregation is Aggregation.COUNT_DISTINCT and metric.table and metric.expression:
                return self.at(metric.table, metric.expression.strip("`"))
        return None

    def is_told_by(self, item: Item, words: Sequence[Word]) -> bool:
        """“give me the member numbers of …”: the column that tells things apart is to be shown, not counted."""
        last = name_words(item.text)[-1:]
        plain = singular(ABBREVIATIONS.get(last[0], last[0])) if last else ""
        named = self.dimension(item, DimensionType.ID) is not None and item.end - item.start > 1
        shown = any(w.lower in _SHOWING for w in words[: item.start])
        return named and shown and (plain in _TOLD_BY or names_identifier(plain))

    def tells_apart(self, metric: Metric, dimension: Dimension) -> bool:
        """Whether a metric can be grouped by a dimension, its things counted where they act if need be."""
        if self.model.reaches(metric, dimension):
            return True
        if metric.aggregation is not Aggregation.COUNT or metric.expression or metric.table is None:
            return False
        key = self.model.table(metric.table).key
        thing = self.at(metric.table, key[0]) if len(key) == 1 else None
        return thing is not None and any(
            self.model.reaches(self.count_at(ref.table, ref.column), dimension) for ref in thing.locations
        )

    def at(self, table: str, column: str) -> Dimension | None:
        """The dimension that a column holds."""
        return self._held.get((table, column))

    def column_of(self, metric: Metric) -> Dimension | None:
        """The dimension behind a metric that aggregates one plain column."""
        if metric.table is None or metric.expression is None:
            return None
        return self.at(metric.table, metric.expression.strip("`"))

    def associated(self, association: Association, said: str = "") -> list[Metric]:
        """The metric that a verb or adjective stands for: one with the verb in its name, else the first fitting noun."""
        if association.descending is None and said and (own := self._with_verb(said)):
            return own
        if said.lower() == "money" and any(head_of(d.label) in _HELD for d in self.model.dimensions):
            return []  # balances tell what is held: what came in may not be meant
        timed = "duration" in association.nouns and timed_column(self.model) is not None
        told = [m for m in self.model.metrics if said and not is_count(m) and head_of(m.label) == said]
        for noun in association.nouns if not told else (n for n in association.nouns if n not in PLANNED):
            links = [link for link in self.vocabulary.named(noun) if link.kind is LinkKind.METRIC]
            found = [m for link in links if not is_count(m := self.model.metric(link.name))]
            found = [m for m in found if _fits(association, m) and not (timed and is_between(m))]
            found = [m for m in found if "per" not in name_words(m.label) or "per" in name_words(noun)]
            counted = [m for link in links if is_count(m := self.model.metric(link.name))]
            if found or counted:
                return found[:1] or (association.rows and self.happened()) or counted[:1]
            column = self._numbers_named(noun)
            if column is not None and _fits(association, column) and not (timed and is_between(column)):
                return [column]
        if told:
            return told  # "gross pay", "overtime pay": pay is one of these before it is a salary
        for noun in association.nouns:
            headed = [m for m in self.model.metrics if not is_count(m) and head_of(m.label) == noun]
            headed = [m for m in headed if _fits(association, m) and not (timed and is_between(m))]
            if len({m.name for m in headed}) == 1:
                return headed  # "base salary", where only "salary" was thought of
            if headed:
                break  # two prices: neither is meant for sure, and a fee still less
        for noun in association.nouns if association.derived else ():
            told = [
                m
                for m in self.model.metrics
                if not is_count(m) and stem(noun) in map(stem, name_words(m.label))
            ]
            told = [m for m in told if all(o.label.startswith(m.label) for o in told)]
            if len(told) == 1:
                return told  # "the noisiest", by the noise level; the snowiest, by the snow of all months
        if association.rows:
            return self.happened()
        if association.nouns[0] == "revenue" and association.descending is None:
            return money_coming_in(self.model)
        graded = association.superlative or association.comparative
        return self._lengths(graded=graded) if "duration" in association.nouns else []

    def happened(self) -> list[Metric]:
        """How much happened where no measure tells it: the rows of the one table that keeps what happens."""
        kept = {join.to_table for join in self.model.joins}
        dated = [t for t in self.model.tables if t.time_dimension is not None and t.name not in kept]
        most = sorted(dated, key=lambda t: -(t.rows or 0))[:2]
        if not most or (len(most) > 1 and (most[0].rows or 0) < 3 * (most[1].rows or 1)):
            return []
        if most[0].label.split()[-1] == "row":  # figures of something, no things: one of them tells how much
            told = [m for m in self.model.metrics if m.table == most[0].name and _counts_many(m)]
            return told if len(told) == 1 else []
        return [self.count_of_table(most[0].name)]

    def is_panel(self, table: TableMeaning) -> bool:
        """Whether rows that are no things of their own are told apart by time: visitors of a branch on a day."""
        time = self.model.dimension(table.time_dimension) if table.time_dimension is not None else None
        return time is not None and len(table.key) > 1 and time.at(table.name) in table.key

    def _lengths(self, *, graded: bool) -> list[Metric]:
        """How long things are where nothing is called so; how quick, by the one time on a clock that is held."""
        column = (timed_column(self.model) if graded else None) or counted_days(self.model)
        return [self.metric_of(column)] if column is not None else []

    def _with_verb(self, said: str) -> list[Metric]:
        """The one amount whose name has a form of the verb: “paid amount”, for what we pay."""
        verbs = _verbs(said.lower())
        found = [
            m for m in self.model.metrics
            if not is_count(m) and m.unit != "fraction"
            and any(_verbs(w) & verbs and w not in _verbs(w) for w in name_words(m.label))
        ]  # fmt: skip
        return found if len(found) == 1 else []

    def rate_of(self, count: Metric) -> Metric | None:
        """The share of rows that a flag marks, for the number of those that it marks."""
        column = self.column_of(count)
        if column is None or column.type is not DimensionType.BOOLEAN:
            return None
        rates = (m for m in self.model.metrics if m.aggregation is Aggregation.MEAN)
        return next((m for m in rates if self.column_of(m) == column), None)

    def own(self, association: Association, table: str, said: Iterable[str] = ()) -> Dimension | None:
        """The column of a thing's own table that a verb or adjective speaks of: what products cost is their price.

        Of several prices the one that is hinted at: the sale price, of what was sold.
        """
        held = [d for d in self.model.dimensions if d.type is DimensionType.NUMBER and d.home.table == table]
        held = [d for d in held if derived(d.home.column) is None]
        for noun in association.nouns:
            if fitting := [d for d in held if head_of(d.label) == head_of(noun)]:
                told = [
                    d for d in fitting if any(hints(w, h) for w in said for h in name_words(d.label)[:-1])
                ]
                chosen = told if len(told) == 1 else fitting
                return chosen[0] if len(chosen) == 1 else None
        return None

    def _numbers_named(self, noun: str) -> Metric | None:
        """The metric over the column of numbers that a noun names ("duration", for duration_min)."""
        for link in self.vocabulary.named(noun):
            column = self.model.dimension(link.name) if link.kind is LinkKind.DIMENSION else None
            rate = column is not None and "per" in name_words(column.label) and "per" not in name_words(noun)
            if column is not None and column.type is DimensionType.NUMBER and not rate:
                return self.metric_of(column)
        return None

    def aggregated(self, metric: Metric, how: Aggregation) -> str:
        """The reference for another aggregation of a metric's column; the metric's own name where it is the same."""
        if metric.aggregation is how or metric.inner is not None:
            return metric.name
        if metric.formula is not None:
            return self._of_each(metric, how) or metric.name
        column = self.column_of(metric)
        if column is not None:
            return (
                f"{how}({metric.table}.{metric.expression.strip('`')})" if metric.expression else metric.name
            )
        if how in (Aggregation.SUM, *COUNTS) or metric.aggregation is None:
            return metric.name
        return metric.name

    def _of_each(self, metric: Metric, how: Aggregation) -> str | None:
        """“median order value”, “highest revenue per order”: of an amount per thing, what the things are summed up to."""
        parts = (metric.formula or "").replace("`", "").split(" / ")
        if len(parts) != 2 or how in (Aggregation.MEAN, Aggregation.SUM, *COUNTS):
            return None
        over, under = map(self.model.metric, parts)
        if not is_count(under) or under.table is None or under.table != over.table:
            return None
        return self.over_things(over, how, under)

    def over_things(self, metric: Metric, how: Aggregation, count: Metric) -> str | None:
        """An aggregation over the things that ``count`` counts of what each of them has of ``metric``."""
        thing = self.identifier(Link(LinkKind.METRIC, count.name, 1.0))
        key = self.model.table(count.table).key if count.table else ()
        column = self.column_of(metric)
        alone = count.table == metric.table and (
            count.aggregation is Aggregation.COUNT or key == (count.expression,)
        )
        if alone and column is not None and metric.expression is not None:
            return (
                metric.name
                if metric.aggregation is how
                else f"{how}({metric.table}.{metric.expression.strip('`')})"
            )
        if thing is None or not self.model.reaches(metric, thing):
            return None
        return f"{metric.name} / {count.name}" if how is Aggregation.MEAN else self.per(metric, how, thing)

    def worth_of(self, count: Metric) -> Metric | None:
        """The one amount that says what a thing comes to: the revenue of an order, the total of its lines."""
        thing = self.identifier(Link(LinkKind.METRIC, count.name, 1.0))
        held = [
            m for m in self.model.metrics
            if m.aggregation is Aggregation.SUM and m.additivity is Additivity.ADDITIVE and m.table is not None
            and (m.table == count.table or (thing is not None and thing.at(m.table) is not None))
        ]  # fmt: skip
        for noun in associations()["worth"].nouns:
            if found := [m for m in held if noun in (m.label, *m.synonyms) or head_of(m.label) == noun]:
                return found[0] if len(found) == 1 else None
        return None

    def in_all(self, metric: Metric, *, surely: bool = False) -> Metric:
        """All of what is told in kilos or litres, where the metric itself is the mean of them; or surely of anything."""
        column = self.column_of(metric)
        added = (
            surely and column is not None and not is_intensive(column) and column.type is DimensionType.NUMBER
        )
        added = added or is_amount(metric.unit)
        mean = metric.aggregation is Aggregation.MEAN and column is not None and added
        return (
            self.model.metric(f"{Aggregation.SUM}({column.home})") if mean and column is not None else metric
        )

    def per(self, metric: Metric, how: Aggregation, group: Dimension | TimeGranularity) -> str:
        """The reference for an aggregation of a metric over groups."""
        name = group.name if isinstance(group, Dimension) else group.value
        return f"{how}({metric.name} per {name})"

    def default_table(self, used: Iterable[str]) -> str | None:
        """The table that rows are counted in when none is named: the only one, or the one already spoken of."""
        named = list(dict.fromkeys(used))
        if len(named) == 1:
            return named[0]
        return self.model.tables[0].name if len(self.model.tables) == 1 else None


_TIMES = frozenset(
    {"time", "duration", "latency", "delay", "wait", "runtime", "minutes", "seconds", "hours", "days", "pace"}
)


def upward(association: Association, metric: Metric, said: Iterable[str] = ()) -> bool:
    """Whether an adjective points to large values of a metric: the fastest is the one that takes the least time."""
    lasting = bool(_TIMES & {*name_words(metric.label), metric.unit or "", *said})
    return bool(association.descending) != (association.nouns[0] == "speed" and lasting)


def _fits(association: Association, metric: Metric) -> bool:
    """What lasts has a length of time, never one in metres."""
    lasts = association.descending is None and association.nouns[0] == "duration"
    return not lasts or metric.unit is None or unit_of_time(metric.unit) is not None


def _verbs(word: str) -> set[str]:
    """The verbs that a word may be a form of."""
    return {base for base, part in get_lexicon().bases(word) if part == "v"}


_ENDS_OF_DAY = frozenset({"max", "min", "maximum", "minimum", "avg", "mean"})
_SETTING = frozenset({"of", "on", "at", "before", "after", "during"})


def head_of(label: str) -> str:
    """The noun that a label is about: the last word but for a unit, or that before “of”, “on” … (length of stay days)."""
    words = without_unit(name_words(label))
    while len(words) > 1 and words[-1] in _ENDS_OF_DAY:
        words = words[:-1]  # "temp max" is a temperature
    until = next((i for i, w in enumerate(words) if i and w in _SETTING), len(words))
    return words[until - 1] if words else ""


def is_intensive(column: Dimension) -> bool:
    """Whether a column says how strong something is, so that its values do not add up."""
    return column.unit in ("%", "fraction") or bool(
        vocabulary().intensive & set(column.label.lower().split())
    )


def is_count(metric: Metric) -> bool:
    """Whether a metric counts rows or different values."""
    return metric.aggregation in COUNTS and metric.inner is None


def _counts_many(metric: Metric) -> bool:
    """Whether a metric adds up numbers of things that are not the rows themselves: visitors, calls."""
    summed = metric.aggregation is Aggregation.SUM and metric.unit is None and metric.formula is None
    return summed and not metric.label.startswith("number of ") and metric.label.endswith("s")
