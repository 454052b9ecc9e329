"""Conditions in words, and a whole request as the asker sees it was read."""

from __future__ import annotations

from typing import Any

from gnomon.answering.words import (
    as_thing,
    column_of,
    is_count,
    noun,
    plain_extreme,
    spoken_label,
    value_name,
)
from gnomon.core.figures import MONTHS, group_name, listed
from gnomon.core.operations import Way
from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind, Relative
from gnomon.core.studies import Inspection, Outliers, Relation, Shape
from gnomon.language.time_names import WEEKDAYS, in_range, range_name, recurring
from gnomon.semantic.derived import derived
from gnomon.semantic.model import Aggregation, Dimension, DimensionType, Metric, SemanticModel, plural
from gnomon.semantic.wording import AGAINST, number_in_words

_O = FilterOperator
_OPERATORS = {
    _O.LESS: "<", _O.AT_MOST: "≤", _O.GREATER: ">", _O.AT_LEAST: "≥", _O.CONTAINS: "containing", _O.LISTS: "including",
    _O.EQUALS: "", _O.IN: "", _O.NOT_EQUALS: "other than", _O.NOT_IN: "other than",
}  # fmt: skip
_SPANS = {_O.BETWEEN: "from", _O.OUTSIDE: "outside"}
_ABOUT = {
    "missing": "missing values of", "duplicates": "repeated values of", "distinct": "different values of",
    "types": "the kinds of",
}  # fmt: skip
_SHAPES = {"normality": "whether the distribution is normal:", "skewness": "the skew of"}
_STEPS = {Way.UP: "the largest rise", Way.DOWN: "the largest fall", Way.EITHER: "the largest change"}

# Conditions -----------------------------------------------------------------------------------------------------------


def condition(f: Filter, model: SemanticModel) -> str:
    """One condition in words: region West, revenue > $10,000."""
    if f.is_apart:
        return _apart(f, model)
    dimension = None if f.having else model.dimension(f.field)
    if f.having and (number := _number_of(model.metric(f.field), f)) is not None:
        return number
    if dimension is not None and _is_met(dimension, f):
        return dimension.label
    label = dimension.label if dimension is not None else model.metric(f.field).label
    if f.relative is not None:
        return _against(label, f, f.relative, model)
    names = {"@weekday": WEEKDAYS, "@month": ("", *MONTHS)}.get(f.field)
    values = tuple(names[int(v)] if names and isinstance(v, int) else v for v in f.values)
    return compared(label, f.operator, values, dimension.type if dimension is not None else None)


def _is_met(dimension: Dimension, f: Filter) -> bool:
    """Whether one column is compared with another, which the name of the result says: “discount above price”."""
    compares = dimension.type is DimensionType.BOOLEAN and derived(dimension.home.column) is not None
    return compares and f.operator in (_O.EQUALS, _O.IN) and f.values == (True,)


def _number_of(metric: Metric, f: Filter) -> str | None:
    """A condition on how many there are of what is counted."""
    return number_in_words(f, noun(metric)) if is_count(metric) else None


def _apart(f: Filter, model: SemanticModel) -> str:
    """A condition on other rows than those of the answer: some visits in 2023, no visits with status Cancelled."""
    metric = model.metric(f.field)
    told = f" {conditions(f.among, model)}" if f.among else ""
    told += f" {in_range(f.within)}" if f.within is not None else ""
    if (number := _number_of(metric, f)) is not None:
        return f"{number}{told}"
    return f"{compared(metric.label, f.operator, f.values, None)}{told}"


def _against(label: str, f: Filter, relative: Relative, model: SemanticModel) -> str:
    """A condition with a bound that the data gives: salary > the average of its department, the highest age."""
    within = f" of its {model.dimension(relative.per).label}" if relative.per is not None else ""
    if f.operator is _O.EQUALS and not f.values:
        return f"{AGAINST[relative.how]} {label}{within}"
    times = f" multiplied by {f.values[0]:g}" if f.values else ""
    return f"{label} {_OPERATORS[f.operator]} {AGAINST[relative.how]}{within}{times}"


def compared(
    label: str, operator: FilterOperator, values: tuple[Any, ...], kind: DimensionType | None
) -> str:
    """A comparison in words."""
    if operator in (_O.IS_NULL, _O.NOT_NULL):
        return f"{'no' if operator is _O.IS_NULL else 'a known'} {as_thing(label, kind)}"
    said = list(dict.fromkeys(value_name(v, kind).strip() for v in values))  # blanks around it are not seen
    if operator is _O.NOT_BY:
        return f"no {as_thing(label, kind)} by {said[0]}"
    if operator in _SPANS:
        return f"{label} {_SPANS[operator]} {said[0]} to {said[-1]}"
    return " ".join([label, *filter(None, [_OPERATORS[operator]]), listed(said, "or")])


def conditions(filters: tuple[Filter, ...], model: SemanticModel) -> str:
    """Conditions as a phrase behind what they limit: for West; with unit price > $20; among customers with …."""
    rows = [f for f in filters if f.by is None and not f.is_apart]
    phrases: list[str] = []
    if len(rows) == 1 and is_named(rows[0], model):
        named = list(dict.fromkeys(group_name(v).strip() for v in rows[0].values))
        phrases.append(f"for {listed(named, 'or')}")
    elif rows:
        phrases.append(f"with {listed([condition(f, model) for f in rows])}")
    if apart := [condition(f, model) for f in filters if f.is_apart]:
        phrases.append(f"(only those with {listed(apart)})")
    grouped = [(f.by, f) for f in filters if f.by is not None and not f.is_apart]
    phrases += [f"among {plural(model.dimension(by).label)} with {condition(f, model)}" for by, f in grouped]
    return " ".join(phrases)


def said_filters(request: Parts) -> tuple[Filter, ...]:
    """The conditions of a request; one on the groups that are listed needs not name them again."""
    plain = {"by": None}
    return tuple(f.model_copy(update=plain) if f.by in request.dimensions else f for f in request.filters)


def is_named(f: Filter, model: SemanticModel) -> bool:
    """Whether naming the values says it all: values of a category that cannot be mistaken for numbers."""
    if f.having or f.operator not in (_O.EQUALS, _O.IN) or not f.values:
        return False
    named = model.dimension(f.field).type in (DimensionType.CATEGORY, DimensionType.ID, DimensionType.TEXT)
    return named and all(isinstance(v, str) and not v.strip().replace(".", "").isdigit() for v in f.values)


# A request ------------------------------------------------------------------------------------------------------------


def reading_of(request: Parts, model: SemanticModel, grain: str | None) -> str:
    """The request in words, so that the asker sees what was computed."""
    days = request.time_range
    parts = [f"{_what(request, model, grain)}{_share(request, model)}"]
    named = [condition(f, model) for f in said_filters(request) if f.by is None]
    if named:
        parts.append(f"with {listed(named)}")
    if grouped := conditions(tuple(f for f in said_filters(request) if f.by is not None), model):
        parts.append(grouped)
    dated = any(model.time_dimension(model.metric(m)) for m in request.metrics)
    if days is not None or dated:
        parts.append(range_name(days) if days is not None else "all days")
    timed = days or request.grain or request.recurring or any(d.startswith("@") for d in request.dimensions)
    if timed and (day := _dated_by(request, model)) is not None:
        parts.append(f"dated by {as_thing(day.label, day.type)}")
    if request.recurring is not None:
        parts.append(recurring(request.recurring))
    if request.comparison is not None:
        parts.append(compared_with(request))
    return ", ".join(parts)


def _share(request: Parts, model: SemanticModel) -> str:
    """What a share is of."""
    share = request.share
    said = [f" with {listed([condition(f, model) for f in request.part])}"] if request.part else []
    said += [""] if share.whole is not None else []
    said += [f" {in_range(share.days)}"] if share.days is not None else []
    said += [f" {recurring(share.recurring)}"] if share.recurring is not None else []
    said += [f" within each {model.dimension(share.within).label}"] if share.within is not None else []
    return "".join(f", the share{s}" for s in said)


def _dated_by(request: Parts, model: SemanticModel) -> Dimension | None:
    """The date that was named; else the one that the measured rows are dated by where it is one of several, or that
    of other rows: order items by the day of the order."""
    if request.time_dimension:
        return model.dimension(request.time_dimension)
    dates = [d for d in model.dimensions if d.type is DimensionType.TIME]
    for metric in map(model.metric, request.metrics):
        own, tables = model.time_dimension(metric), model.base_tables(metric)
        held = [d for d in dates if any(d.at(t) is not None for t in tables)]
        if own is not None and (own not in held or len(held) > 1):
            return own
    return None


def _plain_label(metric: Metric, model: SemanticModel) -> str:
    """The label of a metric without a superlative, which only a finding may use: minimum unit price."""
    label = spoken_label(metric, model)
    made = metric.aggregation in (Aggregation.MIN, Aggregation.MAX) and metric.formula is None
    return plain_extreme(label) if made else label


def _what(request: Parts, model: SemanticModel, grain: str | None) -> str:
    """The measures and what they are split by, in the form that the kind of question asks for."""
    measures = [_plain_label(model.metric(m), model) for m in request.metrics]
    by = [*([grain] if grain else []), *(model.dimension(d).label for d in request.dimensions)]
    what, groups, kind = listed(measures), listed(by), request.kind
    if request.columns:
        return _related(request, model)
    if isinstance(request.study, Outliers | Shape) and measures:
        return _of_column(request.study, request, model, what) + (f" for each {groups}" if by else "")
    if kind is QuestionKind.CORRELATION:
        if len(measures) < 2:
            return f"the correlation of {listed([*measures, *by])}"
        return f"the correlation of {what}{f' by {groups}' if by else ''}"
    study = request.options(Inspection)
    if study.about is not None and (about := _ABOUT.get(study.about)) is not None:
        return (
            f"{about} {listed(study.columns)}"
            if study.columns
            else f"{about.removesuffix(' of')} in all columns"
        )
    words = f"{what} by {groups}" if what and by else what or groups or "what the data holds"
    if kind is QuestionKind.DISTRIBUTION:
        return f"the distribution of {words if words != groups else what}"
    if request.brackets is not None:
        return f"{what} by ranges of {model.dimension(request.brackets.column).label}"
    if kind is QuestionKind.DIFFERENCE and not what:
        return f"a test of whether {groups} depend on each other"
    if kind is QuestionKind.DIFFERENCE:
        return f"a test of {what} between {listed([plural(b) if ' of ' not in b else b for b in by]) or 'groups'}"
    if request.course.steps is not None:
        unit = grain or "period"
        return f"the {unit} with {_STEPS[request.course.steps]} in {what}, against the {unit} before"
    if kind is QuestionKind.RANKING and what:
        return f"{words}, in {'descending' if request.descending else 'ascending'} order"
    return words


def _of_column(study: Outliers | Shape, request: Parts, model: SemanticModel, what: str) -> str:
    """What is asked of a column's shape: its outliers, its normality, figures without the outliers."""
    metric = model.metric(request.metrics[0])
    held = column_of(metric, model)
    label = held.label if held is not None else metric.label
    if isinstance(study, Shape):
        return f"{_SHAPES[study.of]} {label}"
    if study.told in (None, "left"):
        return f"outliers in {label}"
    if study.told != "without":
        return f"values of {label} {study.told} the standard deviations that are named"
    return f"{what} without outliers"


def _related(request: Parts, model: SemanticModel) -> str:
    """Columns that are related row by row: what is correlated, or predicted from what."""
    labels = [model.dimension(c).label for c in request.columns]
    groups = listed([model.dimension(d).label for d in request.dimensions])
    by = f" for each {groups}" if groups else ""
    if request.kind is QuestionKind.REGRESSION:
        return f"{labels[0]} predicted from {listed(labels[1:])}{by}"
    target = request.options(Relation).target
    if target is None:
        return f"the correlation of {listed(labels)}{by}"
    label = model.dimension(target).label
    return f"the correlation of {label} with {listed([n for n in labels if n != label])}{by}"


def compared_with(request: Parts) -> str:
    """What a comparison is with."""
    comparison = request.comparison
    if comparison is None:
        return ""
    if comparison.period is not None:
        return f"compared with {range_name(comparison.period)}"
    sides = listed([{"True": "yes", "False": "no"}.get(g) or group_name(g) for g in comparison.groups])
    if sides:
        return f"comparing {sides}{' with all others' if comparison.rest else ''}"
    return f"compared with {comparison.label or 'the whole'}"
