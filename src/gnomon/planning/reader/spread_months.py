"""Months that are columns: “rain in March 2010” is the column of March, in the year 2010."""

from __future__ import annotations

import calendar
from dataclasses import replace
from datetime import date, timedelta

from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.time_grammar import TimeMention
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.spread_years import place_years
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Metric, SemanticModel

_FEWEST = 4


def months_held(model: SemanticModel) -> dict[int, Metric]:
    """The metrics that are each of one month, by its number; none where months are no columns."""
    found: dict[int, Metric] = {}
    for metric in model.metrics:
        noun, joint, month = metric.label.rpartition(" in ")
        if noun and joint and month in _NAMES and metric.expression is not None:
            found.setdefault(_NAMES.index(month), metric)
    return found if len(found) >= _FEWEST else {}


_NAMES = list(calendar.month_name)


def place_months(sentence: Sentence, names: Names) -> None:
    """A month names its column, and its year the rows; a month without a year is that of any. Years may be columns too."""
    place_years(sentence, names)
    held = months_held(names.model)
    named = [(item, mention) for _, item in sentence if held and (mention := _month(item, held)) is not None]
    if not named:
        return
    nouns = [x for x in sentence.items if x.time is None and _is_noun(x, held)]
    years = [m for x in sentence.items if (m := x.time) is not None and _is_year(m)]
    months = {m.period.start.month for _, m in named if m.period is not None}
    dated = [(item, mention) for item, mention in named if mention.recurring is None]
    if len(named) > 1 and len(months) == 1 and len(dated) == len(named) and nouns:
        nouns[0].links = (Link(LinkKind.METRIC, held[months.pop()].name, 0.95),)
        for item, mention in named:  # "March 2010 and March 2011": one column, two years
            item.links, item.time = (), _whole_year(mention)
        return
    if len(months) > 1 and len({m.period.start.year for _, m in dated if m.period is not None}) > 1:
        return  # different months of different years are not told apart in one request
    for item, mention in named:
        assert mention.period is not None
        link = Link(LinkKind.METRIC, held[mention.period.start.month].name, 0.95)
        year = None if mention.recurring is not None or years else _whole_year(mention)
        if len(named) == 1 and nouns:
            nouns[0].links, item.links, item.time, item.used = (link,), (), year, year is None
            continue
        item.links, item.time = (link,), None
        for noun in nouns:
            noun.links, noun.used = (), True
        if year is not None:
            sentence.items.insert(sentence.items.index(item) + 1, Item(item.end - 1, item.end, time=year))
            years.append(year)


def _month(item: Item, held: dict[int, Metric]) -> TimeMention | None:
    """The time of an item, where it is one whole month that is a column."""
    period = item.time.period if item.time is not None and item.time.kind == "period" else None
    if period is None or period.start.day != 1 or period.start.month not in held:
        return None
    return item.time if period.end == _last_day(period.start) else None


def _last_day(first: date) -> date:
    return (first + timedelta(days=32)).replace(day=1) - timedelta(days=1)


def _is_noun(item: Item, held: dict[int, Metric]) -> bool:
    """Whether an item names what the columns hold, whatever the month."""
    linked = {x.name for x in item.links if x.kind is LinkKind.METRIC}
    return bool(linked & {m.name.rpartition("_")[0] for m in held.values()}) or (
        len(linked & {m.name for m in held.values()}) > 1
    )


def _is_year(mention: TimeMention) -> bool:
    period = mention.period
    return period is not None and (period.start.month, period.start.day) == (1, 1) and period.days > 360


def _whole_year(mention: TimeMention) -> TimeMention:
    assert mention.period is not None
    year = mention.period.start.year
    period = TimeRange(start=date(year, 1, 1), end=date(year, 12, 31), granularity=TimeGranularity.YEAR)
    return replace(mention, period=period, grain=TimeGranularity.YEAR, recurring=None)
