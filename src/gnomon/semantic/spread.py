"""Figures that are spread over one column for each month or year: the total of all, and each under its name."""

from __future__ import annotations

from gnomon.data import ColumnProfile, Role, TableProfile
from gnomon.semantic.infer_metrics import direction_of
from gnomon.semantic.labels import lower_words, slug
from gnomon.semantic.measures import is_measure, is_numeric
from gnomon.semantic.model import Additivity, Aggregation, Metric, quoted, singular
from gnomon.semantic.units import Measured, measured
from gnomon.semantic.vocabulary import vocabulary

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_FEWEST = 4
_FEWEST_YEARS = 3
_FIRST, _LAST = 1900, 2100
_UNNAMED = "total of the months"
_PERIODS = frozenset(
    {"month", "months", "monthly", "year", "years", "yearly", "annual", "by", "per", "of", "the", "data", "table", "wide",
     "report", "figures", "stats", "raw", "clean", "all", "history", "historical", "long", "term"}
)  # fmt: skip


def months_of(table: TableProfile) -> dict[str, ColumnProfile]:
    """The columns that each hold the figures of one month, by the month; none where they are not several."""
    found: dict[str, ColumnProfile] = {}
    for column in table.columns:
        words = [w for w in lower_words(column.name) if not w.isdigit()]
        month = next((m for m in _MONTHS if len(words) == 1 and words[0] in (m, m[:3], m[:4])), None)
        if month is None or not is_measure(column):
            continue
        if month in found:
            return {}  # the same month of several years
        found[month] = column
    return found if len(found) >= _FEWEST else {}


def spread_metrics(table: TableProfile, own: list[Metric]) -> list[Metric]:
    """The metrics of a table, with those over columns of months in place of a mean of each.

    Args:
        table: What the table holds.
        own: The metrics of its single columns and rows.
    """
    if years := years_of(table):
        return _over_years(table, own, years)
    months = months_of(table)
    if not months:
        return own
    held = _held(table)
    noun = held.label
    columns = {quoted(c.name) for c in months.values()}
    kept = [_unnamed(m, noun) for m in own if m.expression not in columns]
    level = bool({*lower_words(noun)} & vocabulary().intensive)
    each = [_month(table, held, month, column, level=level) for month, column in months.items()]
    if level:
        return [*kept, *each]  # temperatures of months do not add up to anything
    whole = Metric(
        name=slug(noun),
        label=noun,
        table=table.name,
        aggregation=Aggregation.SUM,
        expression=" + ".join(f"known({quoted(c.name)})" for c in months.values()),
        unit=each[0].unit,
        direction=direction_of(noun.split()),
        synonyms=tuple(
            dict.fromkeys((f"total {noun}", f"{noun} of the year", f"annual {noun}", f"yearly {noun}"))
        ),
        description=f"The {noun} of all months together.",
    )
    return [*kept, whole, *each]


def _month(table: TableProfile, held: Measured, month: str, column: ColumnProfile, *, level: bool) -> Metric:
    short, noun = month[:3], held.label
    ways = [f"{noun} {link} {m}" for m in (month, short) for link in ("in", "for", "of", "during")]
    return Metric(
        name=slug(f"{noun} {month}"),
        label=f"{noun} in {month.capitalize()}",
        table=table.name,
        aggregation=Aggregation.MEAN if level else Aggregation.SUM,
        expression=quoted(column.name),
        unit=column.unit or held.unit,
        additivity=Additivity.NON_ADDITIVE if level else Additivity.ADDITIVE,
        direction=direction_of(noun.split()),
        synonyms=tuple(dict.fromkeys((*ways, *(f"{m} {noun}" for m in (month, short)), month, short))),
        description=f"The {'mean' if level else 'sum'} of {noun} in {month.capitalize()}.",
    )


def years_of(table: TableProfile) -> dict[int, ColumnProfile]:
    """The columns that each hold the figures of one year, by the year: 2019, sales_2020; none where they are not several."""
    found: dict[int, ColumnProfile] = {}
    called: set[tuple[str, ...]] = set()
    for column in table.columns:
        words = lower_words(column.name)
        years = [w for w in words if len(w) == 4 and w.isdigit() and _FIRST <= int(w) <= _LAST]
        if len(years) != 1 or column.role is Role.TIME or not is_numeric(column):
            continue
        if int(years[0]) in found:
            return {}  # two figures of the same year
        found[int(years[0])] = column
        called.add(tuple(w for w in words if w != years[0] and w not in _PERIODS))
    return found if len(found) >= _FEWEST_YEARS and len(called) == 1 else {}


def _over_years(table: TableProfile, own: list[Metric], years: dict[int, ColumnProfile]) -> list[Metric]:
    """The metrics of a table with a column for each year; what adds up over rows is summed."""
    first = next(iter(years.values()))
    said = [w for w in lower_words(first.name) if not w.isdigit() and w not in _PERIODS]
    held = Measured(" ".join(said), measured(first.name).unit) if said else _held(table)
    noun = held.label if held.label != _UNNAMED else "value"
    level = bool({*lower_words(noun)} & vocabulary().intensive) or noun == "value"
    columns = {quoted(c.name) for c in years.values()}
    kept = [_unnamed(m, noun) for m in own if m.expression not in columns]
    return kept + [_year(table, noun, held.unit, year, column, level=level) for year, column in years.items()]


def _year(
    table: TableProfile, noun: str, unit: str | None, year: int, column: ColumnProfile, *, level: bool
) -> Metric:
    return Metric(
        name=slug(f"{noun} {year}"),
        label=f"{'average ' if level else ''}{noun} in {year}",
        table=table.name,
        aggregation=Aggregation.MEAN if level else Aggregation.SUM,
        expression=quoted(column.name),
        unit=column.unit or unit,
        additivity=Additivity.NON_ADDITIVE if level else Additivity.ADDITIVE,
        direction=direction_of(noun.split()),
        synonyms=tuple(
            dict.fromkeys(
                (
                    f"{noun} in {year}",
                    f"{noun} {year}",
                    f"{year} {noun}",
                    f"{noun} for {year}",
                    noun,
                    "value",
                    "figure",
                )
            )
        ),
        description=f"The {'mean' if level else 'sum'} of {noun} in {year}.",
    )


def _held(table: TableProfile) -> Measured:
    """What the figures are: a word of the table's name for something that adds up, else the name without its unit."""
    flows = vocabulary().flows
    flow = next((w for w in lower_words(table.name) if w in flows), None)
    if flow is not None:
        return Measured(flow)
    name = measured(table.name)
    words = [w for w in lower_words(name.label) if w not in _PERIODS and not w.isdigit()]
    named = {singular(w) for c in table.columns for w in lower_words(c.name)}
    if not words or any(singular(w) in named for w in words):
        return Measured(_UNNAMED)
    return Measured(" ".join(words), name.unit)


def _unnamed(metric: Metric, noun: str) -> Metric:
    """A count of rows, which does not answer to what the figures are called."""
    synonyms = tuple(s for s in metric.synonyms if noun not in s.split())
    return metric.model_copy(update={"synonyms": synonyms})
