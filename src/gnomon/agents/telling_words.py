"""Parts of sentences: what is measured, under which conditions, when."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from gnomon.agents.figures import group_name, listed, moment, number
from gnomon.agents.telling_periods import in_range, range_name
from gnomon.core.figures import capital
from gnomon.core.patterns import regex
from gnomon.core.request import Filter, FilterOperator, QuestionKind, Relative, Request, Way
from gnomon.core.studies import Inspection, Outliers, Relation, Shape
from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.labels import label_of
from gnomon.semantic.model import (
    Aggregation,
    Dimension,
    DimensionType,
    Metric,
    SemanticModel,
    plural,
    singular,
)
from gnomon.semantic.money_units import is_money
from gnomon.semantic.wording import AGAINST

_O = FilterOperator
_OPERATORS = {
    _O.LESS: "<",
    _O.AT_MOST: "≤",
    _O.GREATER: ">",
    _O.AT_LEAST: "≥",
    _O.CONTAINS: "containing",
    _O.LISTS: "including",
}
_COUNTS = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_PERCENTILE = regex(r"^(\d+)(?:st|nd|rd|th) percentile of ")
_UNIT_BEHIND = regex(r"(?<=\d) [A-Z]{3}\b")  # a bound is told as the plain number that it is
_DAY = regex(r"\d{4}-\d{2}-\d{2}")
_ABOUT = {
    "missing": "missing values of",
    "duplicates": "repeated values of",
    "distinct": "different values of",
    "types": "the kinds of",
}
_SHAPES = {"normality": "whether the distribution is normal:", "skewness": "the skew of"}
_SINGULAR_S = regex(r"(ss|us|is|\bbias|\bgas|\blens)$")


def is_count(metric: Metric) -> bool:
    """Whether the metric counts things, so that "there were … of them" is how it is said."""
    return metric.formula is None and (metric.aggregation in _COUNTS or metric.label.startswith("number of "))


def is_many(metric: Metric) -> bool:
    """Whether there can be more or fewer of it, rather than a higher or lower value."""
    summed = metric.aggregation is Aggregation.SUM and not is_money(metric.unit) and is_plural(metric.label)
    return is_count(metric) or summed


def noun(metric: Metric) -> str:
    """What a count counts, in the plural: orders, different products."""
    label = re.sub(r"^(the )?(total )?(number|count) of ", "", metric.label)
    if label != metric.label:
        return _UNIT_BEHIND.sub("", label)
    return label.removeprefix("total ") if is_plural(label) else plural(label)


def one(things: str) -> str:
    """A plural noun in the singular, whatever stands behind it: customers with …, customer with …."""
    head, behind, rest = things.partition(" with ")
    return f"{singular(head)}{behind}{rest}"


def is_plural(label: str) -> bool:
    """Whether a label takes "were"."""
    head = label.split(" per ")[0].split(" of ")[0].split(" in ")[0]
    words = head.split()
    while len(words) > 1 and _stands_behind(words[-1]):
        words.pop()  # "tickets sold", "minutes late"
    head = " ".join(words)
    return head.endswith("s") and not _SINGULAR_S.search(head)


def _stands_behind(word: str) -> bool:
    """Whether a word says more of the noun before it: sold, late, available."""
    lexicon = get_lexicon()
    parts = {part for _, part in lexicon.bases(word)}
    return lexicon.is_participle(word) or (bool(parts) and parts <= {"a", "r"})


def was(label: str) -> str:
    """The verb that goes with a label."""
    return "were" if is_plural(label) else "was"


def cased(text: str) -> str:
    """The text with a capital first letter."""
    return capital(text)


def condition(f: Filter, model: SemanticModel) -> str:
    """One condition in words: region West, revenue > $10,000."""
    if f.having:
        metric = model.metric(f.field)
        label, kind = metric.label, None
    else:
        dimension = model.dimension(f.field)
        label, kind = dimension.label, dimension.type
    if f.is_apart:
        return _apart(f, model)
    if f.relative is not None:
        return _against(label, f, f.relative, model)
    return compared(label, f.operator, _part_names(f) if f.field.startswith("@") else f.values, kind)


def _apart(f: Filter, model: SemanticModel) -> str:
    """A condition on other rows than those of the answer: some visits in 2023, no visits with status Cancelled."""
    metric = model.metric(f.field)
    told = f" {conditions(f.among, model)}" if f.among else ""
    told += f" {in_range(f.within)}" if f.within is not None else ""
    none, some = (
        (f.operator is _O.EQUALS and f.values == (0,)),
        (f.operator is _O.GREATER and f.values == (0,)),
    )
    if none or some:
        return f"{'no' if none else 'some'} {noun(metric)}{told}"
    return f"{compared(metric.label, f.operator, f.values, None)}{told}"


def _against(label: str, f: Filter, relative: Relative, model: SemanticModel) -> str:
    """A condition with a bound that the data gives: salary > the average of its department, the highest age."""
    within = f" of its {model.dimension(relative.per).label}" if relative.per is not None else ""
    if f.operator is _O.EQUALS and not f.values:
        return f"{AGAINST[relative.how]} {label}{within}"
    times = f" multiplied by {f.values[0]:g}" if f.values else ""
    return f"{label} {_OPERATORS[f.operator]} {AGAINST[relative.how]}{within}{times}"


def _part_names(f: Filter) -> tuple[Any, ...]:
    """The weekdays or months that a condition on a part of time lists."""
    names = {"@weekday": _WEEKDAYS, "@month": ("", *_MONTHS)}.get(f.field)
    return tuple(names[int(v)] if names and isinstance(v, int) else v for v in f.values)


def said_filters(request: Request) -> tuple[Filter, ...]:
    """The conditions of a request; one on the groups that are listed needs not name them again."""
    return tuple(
        f.model_copy(update={"by": None}) if f.by in request.dimensions else f for f in request.filters
    )


def compared(
    label: str, operator: FilterOperator, values: tuple[Any, ...], kind: DimensionType | None
) -> str:
    """A comparison in words."""
    said = list(dict.fromkeys(value_name(v, kind).strip() for v in values))  # blanks around it are not seen
    if operator in (_O.IS_NULL, _O.NOT_NULL):
        thing = as_thing(label, kind)
        return f"no {thing}" if operator is _O.IS_NULL else f"a known {thing}"
    if operator in (_O.EQUALS, _O.IN):
        return f"{label} {listed(said, 'or')}"
    if operator in (_O.NOT_EQUALS, _O.NOT_IN):
        return f"{label} other than {listed(said, 'or')}"
    if operator is _O.BETWEEN:
        return f"{label} from {said[0]} to {said[-1]}"
    if operator is _O.OUTSIDE:
        return f"{label} outside {said[0]} to {said[-1]}"
    return f"{label} {_OPERATORS[operator]} {listed(said, 'or')}"


def as_thing(label: str, kind: DimensionType | None) -> str:
    """The label of a column as a noun: the day on which something was resolved is its resolved date."""
    deed = label.removesuffix(" at").removesuffix(" on") if kind is DimensionType.TIME else ""
    if deed.endswith(" dt"):
        return f"{deed[:-3]} date"
    return f"{deed} date" if deed and get_lexicon().is_participle(deed.split()[-1]) else label


def value_name(value: Any, kind: DimensionType | None) -> str:
    """A value of a condition as prose names it."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if kind in (DimensionType.ID, DimensionType.CATEGORY):
            return group_name(value)
        # As it is in the data: the asker sees which of 0.1 and 10 % was meant.
        return number(value)
    if kind is DimensionType.TIME and isinstance(value, str) and _DAY.fullmatch(value):
        return moment(date.fromisoformat(value))
    return group_name(value)


def conditions(filters: tuple[Filter, ...], model: SemanticModel) -> str:
    """Conditions as a phrase behind what they limit: for West; with unit price > $20; among customers with …."""
    rows = [f for f in filters if f.by is None and not f.is_apart]
    phrases: list[str] = []
    if len(rows) == 1 and is_named(rows[0], model):
        named = list(dict.fromkeys(group_name(v).strip() for v in rows[0].values))
        phrases.append(f"for {listed(named, 'or')}")
    elif rows:
        phrases.append(f"with {listed([condition(f, model) for f in rows])}")
    apart = [condition(f, model) for f in filters if f.is_apart]
    phrases += [f"(only those with {listed(apart)})"] if apart else []
    phrases += [
        f"among {plural(model.dimension(f.by).label)} with {condition(f, model)}"
        for f in filters
        if f.by is not None and not f.is_apart
    ]
    return " ".join(phrases)


def is_named(f: Filter, model: SemanticModel) -> bool:
    """Whether naming the values says it all: values of a category that cannot be mistaken for numbers."""
    if f.having or f.operator not in (_O.EQUALS, _O.IN) or not f.values:
        return False
    kind = model.dimension(f.field).type
    named = kind in (DimensionType.CATEGORY, DimensionType.ID, DimensionType.TEXT)
    return named and all(isinstance(v, str) and not v.strip().replace(".", "").isdigit() for v in f.values)


def recurring(part: tuple[str, tuple[int, ...]]) -> str:
    """A part of time that repeats: on Saturday and Sunday, in December of any year."""
    unit, values = part
    if unit == "weekday":
        return f"on {listed([plural(_WEEKDAYS[v]) for v in values])}"
    if unit == "month" and len(values) > 6:
        return f"without {listed([_MONTHS[v - 1] for v in range(1, 13) if v not in values])}"
    if unit == "month":
        return f"in {listed([_MONTHS[v - 1] for v in values])} of any year"
    if unit == "quarter":
        return f"in {listed([f'Q{v}' for v in values])} of any year"
    if unit in ("hour", "minute"):
        return listed(
            [_clock_span(first, last) for first, last in _runs(values, 60 if unit == "hour" else 1)]
        )
    return f"in {unit} {listed([str(v) for v in values])}"


def _runs(values: tuple[int, ...], size: int) -> list[tuple[int, int]]:
    """Stretches of a day in minutes, the one over midnight as one."""
    runs: list[tuple[int, int]] = []
    for v in sorted(values):
        if runs and runs[-1][1] == v * size:
            runs[-1] = (runs[-1][0], (v + 1) * size)
        else:
            runs.append((v * size, (v + 1) * size))
    if len(runs) > 1 and runs[0][0] == 0 and runs[-1][1] == 24 * 60:
        runs = [*runs[1:-1], (runs[-1][0], runs[0][1])]
    return runs


def _clock_span(first: int, last: int) -> str:
    if last - first == 1:
        return f"at {first // 60:02d}:{first % 60:02d}"
    return f"from {first // 60:02d}:{first % 60:02d} to {last // 60:02d}:{last % 60:02d}"


def when(request: Request) -> str:
    """When, as a phrase with a blank before it, or nothing."""
    words = [in_range(request.time_range)] if request.time_range is not None else []
    if request.recurring is not None:
        words.append(recurring(request.recurring))
    if words and request.time_dimension is not None:
        words.append(
            f"by {as_thing(label_of(request.time_dimension.rpartition('.')[2]), DimensionType.TIME)}"
        )
    return "".join(f" {w}" for w in words)


def _worth_naming(request: Request, model: SemanticModel) -> Dimension | None:
    """The date that the measured rows are dated by where it is one of several, or that of other rows: order items by
    the day of the order."""
    dates = [d for d in model.dimensions if d.type is DimensionType.TIME]
    for metric in map(model.metric, request.metrics):
        own, tables = model.time_dimension(metric), model.base_tables(metric)
        held = [d for d in dates if any(d.at(t) is not None for t in tables)]
        if own is not None and (own not in held or len(held) > 1):
            return own
    return None


def reading_of(request: Request, model: SemanticModel, grain: str | None) -> str:
    """The request in words, so that the asker sees what was computed."""
    parts = [_what(request, model, grain)]
    if request.part:
        parts[0] += f", the share with {listed([condition(f, model) for f in request.part])}"
    share = request.share
    if share.whole is not None:
        parts[0] += ", the share"
    if share.days is not None:
        parts[0] += f", the share {in_range(share.days)}"
    if share.recurring is not None:
        parts[0] += f", the share {recurring(share.recurring)}"
    if share.within is not None:
        parts[0] += f", the share within each {model.dimension(share.within).label}"
    if request.filters:
        named = [f for f in said_filters(request) if f.by is None]
        if named:
            parts.append(f"with {listed([condition(f, model) for f in named])}")
        if grouped := conditions(tuple(f for f in said_filters(request) if f.by is not None), model):
            parts.append(grouped)
    parts.append(range_name(request.time_range) if request.time_range is not None else "all days")
    timed = (
        request.time_range
        or request.grain
        or request.recurring
        or any(d.startswith("@") for d in request.dimensions)
    )
    if timed and (
        day := model.dimension(request.time_dimension)
        if request.time_dimension
        else _worth_naming(request, model)
    ):
        parts.append(f"dated by {as_thing(day.label, day.type)}")
    if not request.metrics or not any(model.time_dimension(model.metric(m)) for m in request.metrics):
        parts = [p for p in parts if p != "all days"]
    if request.recurring is not None:
        parts.append(recurring(request.recurring))
    if request.comparison is not None:
        parts.append(compared_with(request))
    return ", ".join(parts)


def spoken_label(metric: Metric, model: SemanticModel) -> str:
    """The label of a metric; days are earliest and latest rather than lowest and highest."""
    label = _UNIT_BEHIND.sub("", _PERCENTILE.sub(r"p\1 of ", metric.label))
    column = (metric.expression or "").strip("`")
    held = next((d for d in model.dimensions if metric.table and d.at(metric.table) == column), None)
    if held is None or held.type is not DimensionType.TIME:
        return label
    return label.replace("highest ", "latest ", 1).replace("lowest ", "earliest ", 1)


def plain_extreme(label: str) -> str:
    """“Highest price” as “maximum price”, beside which it can be said for whom it is highest and lowest."""
    plain = re.sub(r"^highest ", "maximum ", label, flags=re.IGNORECASE)
    return re.sub(r"^lowest ", "minimum ", plain, flags=re.IGNORECASE)


def _plain_label(metric: Metric, model: SemanticModel) -> str:
    """The label of a metric without a superlative, which only a finding may use: min(unit price)."""
    label = spoken_label(metric, model)
    if metric.aggregation in (Aggregation.MIN, Aggregation.MAX) and metric.formula is None:
        rest = re.sub(r"^(highest|lowest|maximum|minimum) ", "", label)
        return f"{metric.aggregation}({rest})" if rest != label else label
    return label


_STEPS = {Way.UP: "the largest rise", Way.DOWN: "the largest fall", Way.EITHER: "the largest change"}


def _what(request: Request, model: SemanticModel, grain: str | None) -> str:
    """The measures and what they are split by, in the form that the kind of question asks for."""
    measures = [_plain_label(model.metric(m), model) for m in request.metrics]
    by = [*([grain] if grain else []), *(model.dimension(d).label for d in request.dimensions)]
    if request.columns:
        return _related(request, model)
    if isinstance(request.study, Outliers | Shape) and request.metrics:
        return _of_column(request.study, request, model) + (f" for each {listed(by)}" if by else "")
    if request.kind is QuestionKind.CORRELATION:
        return f"the correlation of {listed([*measures, *by] if len(measures) < 2 else measures)}" + (
            f" by {listed(by)}" if len(measures) > 1 and by else ""
        )
    study = request.options(Inspection)
    if study.about is not None and (about := _ABOUT.get(study.about)) is not None:
        of = listed(study.columns) if study.columns else "in all columns"
        return f"{about} {of}".replace("of in all", "in all")
    what = listed(measures)
    words = f"{what} by {listed(by)}" if what and by else what or listed(by) or "what the data holds"
    if request.kind is QuestionKind.DISTRIBUTION:
        return f"the distribution of {words if what != listed(by) else what}"
    if request.brackets is not None:
        return f"{what} by ranges of {model.dimension(request.brackets.column).label}"
    if request.kind is QuestionKind.DIFFERENCE:
        over = listed([plural(b) if " of " not in b else b for b in by]) or "groups"
        return (
            f"a test of {what} between {over}"
            if what
            else f"a test of whether {listed(by)} depend on each other"
        )
    if request.course.steps is not None:
        unit = grain or "period"
        return f"the {unit} with {_STEPS[request.course.steps]} in {what}, against the {unit} before"
    if request.kind is QuestionKind.RANKING and what:
        return f"{words}, in {'descending' if request.descending else 'ascending'} order"
    return words


def _of_column(study: Outliers | Shape, request: Request, model: SemanticModel) -> str:
    """What is asked of a column's shape: its outliers, its normality, figures without the outliers."""
    metric = model.metric(request.metrics[0])
    column = (metric.expression or "").strip("`")
    held = next((d for d in model.dimensions if metric.table and d.at(metric.table) == column), None)
    label = held.label if held is not None else metric.label
    if isinstance(study, Shape):
        return f"{_SHAPES[study.of]} {label}"
    if study.told in (None, "left"):
        return f"outliers in {label}"
    if study.told != "without":
        return f"values of {label} {study.told} the standard deviations that are named"
    measures = listed([_plain_label(model.metric(m), model) for m in request.metrics])
    return f"{measures} without outliers"


def _related(request: Request, model: SemanticModel) -> str:
    """Columns that are related row by row: what is correlated, or predicted from what."""
    labels = [model.dimension(c).label for c in request.columns]
    by = (
        f" for each {listed([model.dimension(d).label for d in request.dimensions])}"
        if request.dimensions
        else ""
    )
    if request.kind is QuestionKind.REGRESSION:
        return f"{labels[0]} predicted from {listed(labels[1:])}{by}"
    target = request.options(Relation).target
    if target is not None:
        label = model.dimension(target).label
        return f"the correlation of {label} with {listed([n for n in labels if n != label])}{by}"
    return f"the correlation of {listed(labels)}{by}"


def _side(group: str) -> str:
    """A group that is compared; the sides of a flag are yes and no."""
    return {"True": "yes", "False": "no"}.get(group) or group_name(group)


def compared_with(request: Request) -> str:
    """What a comparison is with."""
    comparison = request.comparison
    if comparison is None:
        return ""
    if comparison.period is not None:
        return f"compared with {range_name(comparison.period)}"
    if comparison.groups and comparison.rest:
        return f"comparing {listed([_side(g) for g in comparison.groups])} with all others"
    if comparison.groups:
        return f"comparing {listed([_side(g) for g in comparison.groups])}"
    return f"compared with {comparison.label or 'the whole'}"
