"""Values, measures, days and periods in words: sides of a flag, what a count counts, from 3 to 30 March 2025."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any, TypeGuard

from gnomon.core.answer import Fact
from gnomon.core.figures import figure, group_name, listed, moment, number
from gnomon.core.parts import Parts
from gnomon.core.patterns import late_pattern, regex
from gnomon.core.query import TimeGranularity
from gnomon.embedding.lexicon import get_lexicon
from gnomon.language.time_names import in_range, recurring
from gnomon.planning.reader.people import is_person_noun
from gnomon.semantic.derived import by_name
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
from gnomon.semantic.wording import has_own_plural

_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMERIC = regex(r"[-+]?\d[\d.,]*")
_SIDES = {"True": True, "False": False}
_COUNTS = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
_PERCENTILE = regex(r"^(\d+)(?:st|nd|rd|th) percentile of ")
_UNIT_BEHIND = regex(r"(?<=\d) [A-Z]{3}\b")  # a bound is told as the plain number that it is
_DAY = regex(r"\d{4}-\d{2}-\d{2}")
_SINGULAR_S = regex(r"(ss|us|is|\bbias|\bgas|\blens)$")
_NOT_WORD = regex(r"\W+")
_HOWS = "|".join(how for how in Aggregation if how not in _COUNTS)
_OF_MADE = late_pattern(rf"({_HOWS})\(\w+\.([^()]+)\)")
_OF_COLUMN = regex(rf"({_HOWS})\(\w+\.(\w+)\)")
_G = TimeGranularity


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value can be computed with."""
    return isinstance(value, (int, float))


def way(change: float) -> str:
    """Where something went."""
    return "up" if change > 0 else "down"


def are(count: int) -> str:
    """The verb that goes with a count."""
    return "is" if count == 1 else "are"


def and_others(names: Sequence[str], most: int) -> str:
    """The first of many names."""
    return f"{listed(names[:most])} and others" if len(names) > most else listed(names)


def without_value(count: int, label: str) -> str:
    """That rows are left out for want of a value."""
    return f"{counted(count, 'row')} {'has' if count == 1 else 'have'} no value for {label} and {are(count)} left out"


def column_of(metric: Metric, model: SemanticModel) -> Dimension | None:
    """The column that a metric is computed from, where it is one."""
    column = (metric.expression or "").strip("`")
    return next((d for d in model.dimensions if metric.table and d.at(metric.table) == column), None)


def fact_figure(fact: Fact) -> str:
    """The value of a fact in its unit."""
    return figure(fact.value, fact.unit)


def labelled(value: Any, label: str) -> str:
    """The value of a dimension as a sentence names it; one that is only digits stands behind what it is: zone 4."""
    if str(value) in _SIDES:
        return side_of(label, _SIDES[str(value)])
    name = group_name(value)
    return f"{label} {name}" if _NUMERIC.fullmatch(name) else name


def side_of(label: str, holds: bool) -> str:
    """One side of a flag as a sentence names it: members and non-members, premium yes and premium no."""
    if is_person_noun(label) and not label.endswith("ed"):  # the insured are no insureds
        return plural(label) if holds else f"non-{plural(label)}"
    return f"{label} {group_name(holds)}"


def counted(count: int, noun: str) -> str:
    """A count with its noun: no rows, 1 row, 2 rows."""
    return f"no {plural(noun)}" if count == 0 else f"{count:,} {noun if count == 1 else plural(noun)}"


def ordinal(place: int) -> str:
    """A place in an order: second, third, 11th, 22nd."""
    if place <= len(_PLACES):
        return _PLACES[place - 1]
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


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
    head, behind, rest = things.partition(" where " if " where " in things else " with ")
    return f"{singular(head)}{behind}{rest}"


def is_plural(label: str) -> bool:
    """Whether a label takes "were"."""
    head = label.split(" per ")[0].split(" of ")[0].split(" in ")[0]
    words = head.split()
    while len(words) > 1 and _stands_behind(words[-1]):
        words.pop()  # "tickets sold", "minutes late"
    head = " ".join(words)
    return has_own_plural(head) or (head.endswith("s") and not _SINGULAR_S.search(head))


def _stands_behind(word: str) -> bool:
    """Whether a word says more of the noun before it: sold, late, available."""
    lexicon = get_lexicon()
    parts = {part for _, part in lexicon.bases(word)}
    return lexicon.is_participle(word) or (bool(parts) and parts <= {"a", "r"})


def was(label: str) -> str:
    """The verb that goes with a label."""
    return "were" if is_plural(label) else "was"


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


def spoken_label(metric: Metric, model: SemanticModel) -> str:
    """The label of a metric; days are earliest and latest rather than lowest and highest."""
    label = _UNIT_BEHIND.sub("", _PERCENTILE.sub(r"p\1 of ", metric.label))
    held = column_of(metric, model)
    if held is None or held.type is not DimensionType.TIME:
        return label
    return label.replace("highest ", "latest ", 1).replace("lowest ", "earliest ", 1)


def plain_extreme(label: str) -> str:
    """“Highest price” as “maximum price”, beside which it can be said for whom it is highest and lowest."""
    plain = re.sub(r"^highest ", "maximum ", label, flags=re.IGNORECASE)
    return re.sub(r"^lowest ", "minimum ", plain, flags=re.IGNORECASE)


def slug(reference: str) -> str:
    """A metric or group as part of a fact's name; max(orders.price) is called price.max."""
    made, reference = "{" in reference, by_name(reference)
    if match := (_OF_MADE if made else _OF_COLUMN).fullmatch(reference):
        return f"{slug(match[2])}.{match[1]}"
    return _NOT_WORD.sub("_", reference.strip()).strip("_").lower() or "value"


def when(request: Parts) -> str:
    """When, as a phrase with a blank before it, or nothing."""
    words = [in_range(request.time_range)] if request.time_range is not None else []
    if request.recurring is not None:
        words.append(recurring(request.recurring))
    if words and request.time_dimension is not None:
        words.append(
            f"by {as_thing(label_of(request.time_dimension.rpartition('.')[2]), DimensionType.TIME)}"
        )
    return "".join(f" {w}" for w in words)
