"""What an insight is asked about: measures, places and days, from the reading, the words, or what matters in the data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from gnomon.agents.insight.paths import DomainPathRegistry
from gnomon.answering.words import as_thing
from gnomon.core.figures import currency
from gnomon.core.parts import Comparison, Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern
from gnomon.core.query import TimeRange
from gnomon.language.calendar import OF_GRAIN
from gnomon.language.time_grammar import find_times
from gnomon.planning.reader.words import name_words, root
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic.model import Aggregation, Dimension, DimensionType, Direction, Metric, SemanticModel
from gnomon.semantic.values import ValueIndex

MAIN_METRICS = 8
_MONEY = frozenset(
    root(w)
    for w in (
        "revenue",
        "sales",
        "turnover",
        "income",
        "profit",
        "amount",
        "earnings",
        "takings",
        "fees",
        "payments",
    )
)
_PLAIN = frozenset(
    root(w)
    for w in [
        "average",
        "mean",
        "total",
        "rate",
        "number",
        "count",
        "share",
        "rows",
        "per",
        "of",
        "with",
        "and",
        "the",
        "for",
        "from",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "our",
        "your",
        "their",
        "its",
        "this",
        "that",
        "these",
        "those",
        "which",
        "what",
        "when",
        "where",
        "how",
        "why",
        "who",
        "much",
        "many",
        "any",
        "some",
        "all",
        "not",
        "into",
        "than",
        "too",
        "can",
        "there",
    ]
)


_LEANS = late_pattern(r"\b(?:it|them|they|ones?|those|these)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Topic:
    """What an insight is about.

    Args:
        question: The words.
        metrics: References of the measures, the main one first.
        named: Whether the question named one.
        filters: Conditions on everything that is told.
        time_range: The days asked about; None where none were.
        time_dimension: The date that they mean, where it is not the measure's own: those that churned in April.
        comparison: What the asker wants it compared with, where that was said.
        dimensions: What the question wants to see it by, or compares within.
        unknown: Words that stand for nothing, neither in the data nor in how insights are asked for.
        kind: What the reader took the question for.
        notes: What the asker should know about how the question was taken.
    """

    question: str
    metrics: tuple[str, ...]
    named: bool
    filters: tuple[Filter, ...] = ()
    time_range: TimeRange | None = None
    time_dimension: str | None = None
    comparison: Comparison | None = None
    dimensions: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    kind: QuestionKind | None = None
    notes: tuple[str, ...] = ()

    def parts(self, kind: QuestionKind, metric: str | None = None) -> Parts:
        """What the topic asks, part by part."""
        return Parts(
            question=self.question,
            kind=kind,
            metrics=(metric,) if metric else self.metrics[:1],
            dimensions=self.dimensions if kind is QuestionKind.BREAKDOWN else (),
            filters=self.filters,
            time_range=self.time_range,
            time_dimension=self.time_dimension,
            comparison=self.comparison if self.comparison and self.comparison.kind == "period" else None,
        )


def topic_of(
    question: str,
    reading: Reading,
    model: SemanticModel,
    index: ValueIndex,
    registry: DomainPathRegistry,
    today: date,
) -> Topic:
    """The topic of a question; ``unknown`` is not empty where it asks for what the data does not have."""
    unknown = tuple(m for m in reading.missing if not all(_is_asking(w, registry) for w in name_words(m)))
    found = _from_request(question, reading, model) or Topic(question, (), False)
    found = replace(found, unknown=unknown, notes=reading.notes)
    if not found.metrics:
        labels = [model.dimension(d).label for d in found.dimensions]
        said = _content(question, registry, today)
        words = said - {root(w) for label in labels for w in name_words(label)}
        found = replace(found, metrics=_called(words, model, index), named=True)
        if (event := _happened(said, model)) is not None:
            metric, day = event
            metrics = (metric, *(m for m in found.metrics if m != metric))
            by = tuple(d for d in found.dimensions if d != day)
            found = replace(found, metrics=metrics, time_dimension=day, dimensions=by)
    if not found.metrics and (leans := _LEANS.search(question)) is not None:
        return replace(found, unknown=(*unknown, leans[0]))  # it stands for something that nobody named
    if not found.metrics:
        mains = main_metrics(model, _tables_of(found.filters, model))
        found = replace(found, metrics=tuple(m.name for m in mains), named=False)
    if found.time_range is None and not reading.requests:
        days, against = _days(question, today), _against(question, today)
        now, before = against if days is None and against is not None else (days, None)
        compared = Comparison(kind="period", period=before) if before is not None else found.comparison
        found = replace(found, time_range=now, comparison=compared)
    if not found.filters and not reading.requests:
        places = _places(question, model, index, found.metrics)
        named = {w for f in places for v in f.values for w in name_words(str(v))}
        rest = tuple(m for m in found.unknown if not set(name_words(m)) <= named)
        found = replace(found, filters=places, unknown=rest)
    return found


def _is_asking(word: str, registry: DomainPathRegistry) -> bool:
    """Whether a word only asks: one of those by which insights are asked for, or one that names nothing anywhere."""
    return registry.speaks(word) or is_plain(word)


def is_plain(word: str) -> bool:
    """Whether a word names nothing anywhere."""
    return root(word) in _PLAIN or (word.isalpha() and len(word) <= 2)


def _from_request(question: str, reading: Reading, model: SemanticModel) -> Topic | None:
    """What the reader found, without what only counts the things that a question mentions."""
    if reading.status is ReadingStatus.NOT_ABOUT_DATA or not reading.requests:
        return None
    request = reading.requests[-1].parts
    mentioned = tuple(
        d.name for m in request.metrics if request.kind is QuestionKind.VALUE and (d := _counted(m, model))
    )
    metrics = tuple(
        m for m in request.metrics
        if request.kind not in (QuestionKind.VALUE, QuestionKind.COMPARISON)
        or (not (request.kind is QuestionKind.VALUE and _counted(m, model)) and (reading.continues or not is_unsaid_count(m, question, model)))
    )  # fmt: skip
    dimensions = (*request.dimensions, *mentioned)
    if not metrics:
        about = [m.name for d in dimensions for m in _measuring(model, model.dimension(d))]
        metrics = tuple(dict.fromkeys(about))
        dimensions = tuple(d for d in dimensions if not _measuring(model, model.dimension(d)))
    comparison = request.comparison
    return Topic(
        question,
        metrics,
        bool(metrics),
        request.filters,
        request.time_range,
        request.time_dimension,
        comparison,
        dimensions,
        kind=request.kind,
    )


def is_unsaid_count(reference: str, question: str, model: SemanticModel) -> bool:
    """Whether a metric counts the rows of a table that the question does not name: “how does Audio compare?”."""
    metric = next((m for m in model.metrics if m.name == reference), None)
    if metric is None or metric.aggregation is not Aggregation.COUNT or metric.expression is not None:
        return False
    said = {root(w) for w in name_words(question)}
    own = {
        root(w)
        for n in (metric.label, metric.name, *metric.synonyms, str(metric.table))
        for w in name_words(n)
    }
    return not (own - _PLAIN) & said and not said & {root(w) for w in ("many", "number", "count")}


def _counted(reference: str, model: SemanticModel) -> Dimension | None:
    """The dimension that a metric merely counts the values of: a question that names it asks within it."""
    prefix = f"{Aggregation.COUNT_DISTINCT}("
    if not reference.startswith(prefix) or any(m.name == reference for m in model.metrics):
        return None
    return model.dimension(reference.removeprefix(prefix).removesuffix(")"))


def _measuring(model: SemanticModel, dimension: Dimension) -> list[Metric]:
    """The metrics that measure a column, rates before sums; what only names or groups rows measures nothing."""
    if dimension.type not in (DimensionType.NUMBER, DimensionType.BOOLEAN):
        return []
    held = {(ref.table, ref.column) for ref in dimension.locations}
    found = [
        m for m in model.metrics if m.table and m.expression and (m.table, m.expression.strip("`")) in held
    ]
    return sorted(found, key=lambda m: m.unit != "fraction")


def _content(question: str, registry: DomainPathRegistry, today: date) -> frozenset[str]:
    """The roots of the words that say what a question is about, without those of time and of asking."""
    text = question
    for mention in reversed(find_times(question, today)):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return frozenset(root(w) for w in name_words(text) if len(w) > 2 and not registry.speaks(w)) - _PLAIN


def _called(words: frozenset[str], model: SemanticModel, index: ValueIndex) -> tuple[str, ...]:
    """The metrics that share a word with the question, the closest first."""
    found: list[tuple[float, bool, int, str]] = []
    for place, metric in enumerate(model.metrics):
        if model.time_dimension(metric) is None or metric.aggregation is Aggregation.COUNT_DISTINCT:
            continue
        names = [metric.label, metric.name, *metric.synonyms]
        parts = [{root(w) for w in name_words(n)} - _PLAIN for n in names]
        shared = max((len(words & p) / len(p) for p in parts if p), default=0.0)
        if shared >= 0.5:
            found.append((-shared, metric.unit != "fraction", place, metric.name))
    return tuple(name for *_, name in sorted(found)[:3])


def _happened(words: frozenset[str], model: SemanticModel) -> tuple[str, str] | None:
    """What is asked about where words name only what happens to things: how many, by the date of it.

    “Why did churn rise?” is about the number of subscriptions by the date on which they churned.
    """
    for day in (d for d in model.dimensions if d.type is DimensionType.TIME):
        named = {root(w) for w in name_words(as_thing(day.label, day.type))} - _PLAIN - {root("date")}
        table = next((t for t in model.tables if day.at(t.name) is not None), None)
        if not named or not named <= words or table is None or table.time_dimension in (None, day.name):
            continue
        counts = (
            m.name
            for m in model.metrics
            if m.table == table.name
            and m.aggregation is Aggregation.COUNT
            and not m.expression
            and not m.where
        )
        if (counted := next(counts, None)) is not None:
            return counted, day.name
    return None


def main_metrics(model: SemanticModel, tables: Iterable[str] = (), most: int = MAIN_METRICS) -> list[Metric]:
    """What matters most in the data, money first, then one after the other from every side of the business.

    Args:
        model: What the tables mean.
        tables: Only metrics over these tables; all by default.
        most: How many.
    """
    wanted = set(tables)
    timed = [
        m for m in model.metrics
        if (t := model.time_dimension(m)) is not None and t.coverage and not m.name.startswith("benchmark_")
        and (not wanted or wanted & set(model.base_tables(m)))
    ]  # fmt: skip
    ranked = sorted(timed, key=lambda m: _weight(m, model), reverse=True)
    chosen: list[Metric] = ranked[:1]
    taken: dict[str, int] = {}
    for metric in ranked[1:]:
        side = metric.business_dimension or (model.base_tables(metric) or ("",))[0]
        if _weight(metric, model) > 0 and taken.get(side, 0) < (3 if side == _side(chosen[0], model) else 2):
            taken[side] = taken.get(side, 0) + 1
            chosen.append(metric)
    return chosen[:most]


def _side(metric: Metric, model: SemanticModel) -> str:
    return metric.business_dimension or (model.base_tables(metric) or ("",))[0]


def _weight(metric: Metric, model: SemanticModel) -> float:
    """How much people care: money, what has a good direction, amounts before averages; counts of rows last."""
    words = {root(w) for w in name_words(metric.label)}
    money = currency(metric.unit) is not None or bool(words & _MONEY)
    directed = metric.direction is not Direction.NEUTRAL
    added = metric.aggregation is Aggregation.SUM
    counts = metric.aggregation in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
    good = metric.direction is Direction.HIGHER_IS_BETTER
    plain = metric.formula is None
    score = 8 * (money and added) + 2 * money + 3 * directed + 1.5 * added + good + 0.5 * plain
    return score + (0.5 if counts and directed else -2.0 if counts else 0.0) - 0.01 * len(metric.name)


def _tables_of(filters: tuple[Filter, ...], model: SemanticModel) -> set[str]:
    """The tables whose metrics conditions can hold for."""
    tables = {t.name for t in model.tables}
    for condition in filters:
        dimension = model.dimension(condition.field)
        tables = {t for t in tables if model.path(t, dimension) is not None}
    return tables if filters else set()


def _days(question: str, today: date) -> TimeRange | None:
    found = [
        m for m in find_times(question, today) if m.kind == "period" and m.period and m.confidence >= 0.5
    ]
    return found[0].period if found else None


def _against(question: str, today: date) -> tuple[TimeRange, TimeRange] | None:
    """The period that goes on and the one that the question sets it against: “are we doing better than last year?”."""
    for m in find_times(question, today):
        grain = m.shift.unit if m.shift is not None and m.shift.count == 1 else None
        unit = OF_GRAIN.get(grain) if grain is not None else None
        if m.kind != "comparison" or m.confidence < 0.5 or unit is None:
            continue
        starts = unit.floor(today), unit.step(unit.floor(today), -1)
        now, before = (TimeRange(start=s, end=unit.last_day(s), granularity=unit.grain) for s in starts)
        return now, before
    return None


def _places(
    question: str, model: SemanticModel, index: ValueIndex, metrics: tuple[str, ...]
) -> tuple[Filter, ...]:
    """Conditions for the values that a question names: “how is Kitchen doing?”."""
    words = name_words(question)
    found: dict[str, Filter] = {}
    for match in index.find(words):
        dimension = model.dimension(match.dimension)
        near = not metrics or model.reaches(model.metric(metrics[0]), dimension)
        if match.score >= 1.0 and dimension.type is DimensionType.CATEGORY and near and not match.personal:
            found.setdefault(
                dimension.name,
                Filter(field=dimension.name, operator=FilterOperator.EQUALS, values=(match.value,)),
            )
    return tuple(found.values())


def drilled(reading: Reading, previous: Parts | None, model: SemanticModel) -> Reading:
    """A fragment after an explanation asks for the explanation of that part: “only the north”, “what about returns?”.

    What names its own sort of answer (a ranking, a breakdown) is left as it is.
    """
    if previous is None or previous.kind is not QuestionKind.CAUSE or len(reading.requests) != 1:
        return reading
    request = reading.requests[0].parts
    if reading.status is not ReadingStatus.CLEAR or request.kind not in (
        QuestionKind.VALUE,
        QuestionKind.LIST,
    ):
        return reading
    if not reading.continues:
        by = _mentioned(request, model)
        if by is None or request.filters or request.time_range is not None:
            return reading
        kept = previous.model_copy(update={"question": request.question, "dimensions": (by,)})
        return reading.asking([kept], model, continues=True)
    added = [f for f in request.filters if f not in previous.filters]
    measured = [m for f in added for m in _measuring(model, model.dimension(f.field)) if f.values == (True,)]
    if measured:  # a flag that has a rate of its own: "what about returns?" asks about that
        changed = {
            "metrics": (measured[0].name,),
            "filters": tuple(f for f in request.filters if f not in added),
        }
        request = request.model_copy(update=changed)
    return reading.asking([request.model_copy(update={"kind": QuestionKind.CAUSE})], model)


def _mentioned(request: Parts, model: SemanticModel) -> str | None:
    """What a request merely counts or lists, as something to see a change by."""
    if request.dimensions:
        return request.dimensions[0]
    metric = model.metric(request.metrics[0]) if len(request.metrics) == 1 else None
    if metric is None:
        return None
    if (dimension := _counted(metric.name, model)) is not None:
        return dimension.name
    if metric.aggregation is not Aggregation.COUNT or metric.table is None or metric.expression is not None:
        return None
    label = model.table(metric.table).label
    return next((d.name for d in model.dimensions if d.label == label), None)
