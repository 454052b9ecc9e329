"""Whether the numbers of a column add up: flows are summed, levels are not summed over time, rates never."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from gnomon.data.column_kinds import Role
from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.labels import full_words, lower_words, table_entity
from gnomon.semantic.model import plural
from gnomon.semantic.per_table import once_per_table
from gnomon.semantic.sold_things import sold_thing
from gnomon.semantic.units import CLOCK, UNTIL, is_amount, measured, unit_called
from gnomon.semantic.vocabulary import vocabulary

if TYPE_CHECKING:
    from gnomon.data import ColumnProfile, TableProfile

_NUMERIC = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
            "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL")  # fmt: skip
_MEASURED = frozenset({Role.MEASURE, Role.MONEY, Role.PERCENT})
_SUMMARY = frozenset(["avg", "average", "mean", "median", "min", "max", "minimum", "maximum", "std", "stdev"])
_SPANS = frozenset({"years", "yrs", "months"})
_OF_PERSONS = frozenset(
    {
        "age",
        "sex",
        "gender",
        "education",
        "educ",
        "marital",
        "married",
        "occupation",
        "race",
        "female",
        "male",
    }
)
_EARNED = frozenset({"income", "incomes", "earnings"})
_PACES = frozenset({"hourly", "daily", "weekly", "monthly", "annual", "yearly"})
_ENERGIES = frozenset({"Wh", "kWh", "MWh", "GWh", "TWh"})
_JOINING = frozenset({"new", "added", "lost"})  # of what is counted at a moment, those that came or went
_GOODS = frozenset({"inventory", "stock", "hand", "onhand"})
_PRODUCTS = frozenset({"sku", "product", "item", "article", "part", "material"})
_PLAIN = frozenset({"value", "values", "amount", "number", "count", "total", "quantity", "n"})
_SCALE_VALUES = 11
_FEW = 5
_DESCRIBING = 12


class Measure(StrEnum):
    """How the values of many rows become one."""

    FLOW = "flow"
    LEVEL = "level"
    RATE = "rate"


def is_numeric(column: ColumnProfile) -> bool:
    """Whether a column holds numbers."""
    return column.type.upper().startswith(_NUMERIC)


def is_whole(column: ColumnProfile) -> bool:
    """Whether a column holds whole numbers."""
    return column.type.upper().startswith(_NUMERIC[:10])


def is_measure(column: ColumnProfile) -> bool:
    """Whether a column holds quantities, not codes, dates or places."""
    return column.role in _MEASURED and is_numeric(column)


def measure_of(column: ColumnProfile, table: TableProfile) -> Measure:
    """What the numbers of a column are, from its role, the words of its name and the shape of its values."""
    known, words = vocabulary(), full_words(column.name)
    if column.role is Role.PERCENT or "%" in words or column.unit in ("%", "fraction"):
        return Measure.RATE
    if words and (words[0] in _SUMMARY or words[0] == "unit" or "per" in words[1:]):
        return Measure.RATE
    if words and _SPANS & {words[0], words[-1]}:
        return Measure.RATE  # years of service, months since: how long, of each thing
    if words[1:2] and words[1] in UNTIL and (words[0] == "time" or unit_called(words[0]) in CLOCK):
        return Measure.RATE  # days to decision, minutes until departure: how long each took
    if words[:1] and words[0] in _PACES and column.role is Role.MONEY and not is_snapshot(table):
        return Measure.RATE
    if words[:1] in (["no"], ["num"], ["number"]) and len(words) > 1:
        return Measure.FLOW
    told = flow_told(table)
    if told is not None and told[0] is column:
        return Measure.FLOW
    name = measured(column.name)
    words = full_words(name.label) or words
    if _is_traded(name.unit, table) or _is_stuff(name.unit, words, table):
        return Measure.FLOW
    if words and (words[-1] in known.intensive or _ends_in(words[-1], known.intensive)):
        return Measure.RATE
    if name.unit in _ENERGIES and not _mentions(words, known.intensive):
        return Measure.FLOW
    if _is_stock(words) and words[0] not in _JOINING and _times(table):
        if lies_there(column, table):
            return Measure.FLOW  # what there is of each thing, told once
        return (
            Measure.LEVEL if is_snapshot(table) else Measure.RATE
        )  # a running balance is read, not added up
    if words and words[-1] in _EARNED and _is_of_persons(table):
        return Measure.RATE  # what each person earns, told once
    if any(map(_is_flow, words)):
        adds_up = _is_flow(words[-1]) or not _mentions(words, known.intensive)
        return Measure.FLOW if adds_up else Measure.RATE
    if _mentions(words, known.intensive):
        return Measure.RATE
    if column.role is Role.MONEY:
        thing = sold_thing(table)
        return Measure.RATE if thing is not None and thing.price is column else Measure.FLOW
    done = _names_deed(words, column) and _times(table) > 0
    return Measure.FLOW if done or _counts(column) or _names_many(words, column) else Measure.RATE


def counted_as(column: ColumnProfile) -> list[str]:
    """“number of cylinders”, of no_cylinders or num_doors; where there may be none, “no” denies: no shows, no claims."""
    words = lower_words(column.name)
    low = _number(column.minimum)
    several = len(words) > 1 and words[-1].endswith("s") and is_whole(column) and low is not None
    if not several or words[1] == "of" or words[0] not in {"no", "num", "nbr", "nr"}:
        return []
    if words[0] == "no" and (low is None or low < 1 or get_lexicon().knows("-".join(words))):
        return []
    return [f"number of {' '.join(words[1:])}", " ".join(words[1:])]


@once_per_table
def flow_told(table: TableProfile) -> tuple[ColumnProfile, str] | None:
    """The one column of plain values of a table that is named after what adds up, and that name: imports, of a value."""
    thing = table_entity(table.name)
    many = plural(thing.split()[-1]) if thing else ""
    plain = [c for c in table.columns if is_measure(c) and {*lower_words(c.name)} <= _PLAIN]
    measured_too = [c for c in table.columns if is_measure(c)]
    yearly = any(c.role is Role.TIME and is_numeric(c) for c in table.columns)
    dated = is_snapshot(table) or (
        yearly and not table.keys
    )  # figures of places in years, not things with a day
    told = len(plain) == len(measured_too) == 1 and dated and many in vocabulary().flows
    return (plain[0], many) if told else None


@once_per_table
def _is_of_persons(table: TableProfile) -> bool:
    """Whether each row describes a person, at no particular time."""
    told = [c for c in table.columns if _OF_PERSONS & {*lower_words(c.name)}]
    return len(told) > 1 and not any(c.role is Role.TIME for c in table.columns)


def names_stock(column: str) -> bool:
    """Whether a column's name says that it holds how much there is at a moment: a balance, what is on hand."""
    words = measured(column).label.lower().split() or lower_words(column)
    return _is_stock(words) and words[0] not in _JOINING


def _is_traded(unit: str | None, table: TableProfile) -> bool:
    """Whether the same rows have a price per such a unit: then they say how many of them changed hands."""
    return is_amount(unit) and unit in _priced_units(table)


@once_per_table
def _priced_units(table: TableProfile) -> frozenset[str | None]:
    """The units that columns of a table tell a price per."""
    names = [measured(c.name).label.lower().split() for c in table.columns if is_measure(c)]
    return frozenset(unit_called(words[-1]) for words in names if len(words) > 2 and words[-2] == "per")


@once_per_table
def _times(table: TableProfile) -> int:
    """How many columns of a table are times."""
    return sum(c.role is Role.TIME for c in table.columns)


def _is_stuff(unit: str | None, words: list[str], table: TableProfile) -> bool:
    """Whether what happens on a day is told in kilos or litres of something: honey, fuel; a weight describes a thing."""
    dated = _times(table) > 1 or (
        _times(table) == 1 and not is_snapshot(table)
    )  # what begins and ends is no reading
    return is_amount(unit) and dated and not _mentions(words, vocabulary().intensive) and not _is_stock(words)


def _is_flow(word: str) -> bool:
    """Whether a word says that numbers add up, also at the end of a longer one (pageviews, homeruns)."""
    long, short = _flow_ends()
    return word in vocabulary().flows or (len(word) > 6 and word.endswith(long)) or _ends_in(word, short)


@cache
def _flow_ends() -> tuple[tuple[str, ...], frozenset[str]]:
    """The words for what adds up that end longer words, and those that do where what stands before them is a word."""
    flows = vocabulary().flows
    return tuple(f for f in flows if len(f) > 4), frozenset(
        f for f in flows if len(f) == 4 and f.endswith("s")
    )


def _ends_in(word: str, known: frozenset[str]) -> bool:
    """Whether a word that is none is one of these, glued behind another: homeruns, windspeed."""
    if len(word) < 7 or not word.isalpha() or get_lexicon().knows(word):
        return False
    return any(
        word.endswith(k) and len(first := word[: -len(k)]) > 2 and get_lexicon().knows(first)
        for k in known
        if len(k) > 3
    )


def may_be_none(column: ColumnProfile) -> bool:
    """Whether the amount of some row is nothing, or less."""
    low = _number(column.minimum)
    return low is None or low <= 0


def _names_many(words: list[str], column: ColumnProfile) -> bool:
    """Whether whole numbers under a plural noun count what it names; a few different ones describe each row instead."""
    low = _number(column.minimum)
    last = words[-1] if words else ""
    plural = len(last) > 3 and last.endswith("s") and not last.endswith(("ss", "us", "is"))
    counted = low is not None and low >= 0 and is_whole(column) and column.distinct > _DESCRIBING
    return plural and counted


def _names_deed(words: list[str], column: ColumnProfile) -> bool:
    """Books lent, fines collected, fuel used: what was done to things, which adds up whatever the things are."""
    low = _number(column.minimum)
    noun = len(words) > 1 and not words[-2].endswith(("ed", "ly"))
    return noun and low is not None and low >= 0 and get_lexicon().is_participle(words[-1])


def _mentions(words: list[str], known: frozenset[str]) -> bool:
    return any(w in known for w in words)


def _is_stock(words: list[str]) -> bool:
    stocks = vocabulary().stocks
    at_end = words[-2:] == ["at", "end"] or words[:1] in (["closing"], ["opening"], ["ending"])  # cash at end
    return at_end or any(w in stocks for w in words) or "_".join(words) in stocks


def lies_there(column: ColumnProfile, table: TableProfile) -> bool:
    """Whether a column says how much there is of goods, each row being goods of its own."""
    return bool(_GOODS & {*lower_words(column.name)}) and not is_snapshot(table) and _has_things(table)


@once_per_table
def _has_things(table: TableProfile) -> bool:
    """Whether each row is a thing of its own, by its number or its name, and not one of many moments of it."""
    keys = {k.columns[0] for k in table.keys if len(k.columns) == 1}
    things = [c for c in table.columns if c.name in keys and c.role is not Role.TIME]
    return any(not is_numeric(c) or _PRODUCTS & {*lower_words(c.name)} for c in things)


@once_per_table
def is_snapshot(table: TableProfile) -> bool:
    """Whether rows are named by a moment, alone or together with something else."""
    times = {c.name for c in table.columns if c.role is Role.TIME}
    return any(times & set(k.columns) for k in table.keys)


def _is_scale(column: ColumnProfile) -> bool:
    """Few small whole numbers from 0 or 1 up, none much more frequent at the low end: a scale people mark."""
    low, high = _number(column.minimum), _number(column.maximum)
    if low is None or high is None or column.mean is None:
        return False
    small = column.distinct <= _SCALE_VALUES and low in (0, 1) and 3 <= high <= 10
    return small and column.mean - low > 0.45 * (high - low)


def _counts(column: ColumnProfile) -> bool:
    """Whether unnamed whole numbers look like counts: from 0 or 1 up, spread out as counts are."""
    low = _number(column.minimum)
    if low is None or not is_whole(column) or column.mean is None or column.stddev is None:
        return False
    many = (_number(column.maximum) or 0) > _FEW  # fewer are as likely codes
    return many and 0 <= low <= 1 and column.stddev >= 0.7 * column.mean and not _is_scale(column)


def _number(value: object) -> float | None:
    try:
        return float(value)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError):
        return None
