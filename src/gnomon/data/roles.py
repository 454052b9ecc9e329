"""What each column is for, decided from its values first and its name second."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gnomon.core.patterns import regex
from gnomon.data import column_names as names
from gnomon.data.column_kinds import PersonalKind, Role
from gnomon.data.geography import share_of_places
from gnomon.data.measurement import Family, Figures
from gnomon.data.naming import says_nothing
from gnomon.data.number_reading import are_lengths
from gnomon.data.personal import birth_date, personal_kind
from gnomon.data.table import ConversionKind

_UUID = regex(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
_TOKEN = regex(r"[\w@.:/#\-]+")
_FLAGS = ({"0", "1"}, {"y", "n"}, {"yes", "no"}, {"true", "false"}, {"t", "f"}, {"on", "off"})

_FAR, _CLOSE = 10_000, 1.5  # days since some beginning are far from it, and near to each other

Decision = tuple[Role, str, PersonalKind | None]


def decide_role(figures: Figures, rows: int, neighbours: Sequence[str] = ()) -> Decision:
    """The role of a column, the evidence in a few words, and the kind of personal data it holds.

    Args:
        figures: What was measured of the column.
        rows: Rows of the table.
        neighbours: Names of all columns of the table.
    """
    name, family = figures.column.name, figures.family
    if family is Family.BOOLEAN:
        return Role.BOOLEAN, "boolean type", None
    if family in (Family.DATE, Family.TIMESTAMP):
        if birth_date(name):
            return Role.PERSONAL, "a date of birth by its name", PersonalKind.BIRTH_DATE
        return Role.TIME, "date or time type", None
    if family is Family.OTHER:
        clock = figures.column.type.upper().startswith(("TIME", "INTERVAL"))
        return (
            (Role.TIME, "time of day or duration", None) if clock else (Role.TEXT, "nested or binary", None)
        )
    kind = personal_kind(name, figures.values, text=family is Family.TEXT, neighbours=neighbours)
    if kind:
        return Role.PERSONAL, f"values and name read as {kind.value.replace('_', ' ')}", kind
    if figures.distinct == 2 and {str(v).strip().lower() for v in figures.values} in _FLAGS:
        return Role.BOOLEAN, "two values that mean yes and no", None
    numeric = family is Family.NUMBER
    role, reason = _of_number(figures, rows, neighbours) if numeric else _of_text(figures, rows)
    return role, reason, None


def unit_of(figures: Figures, role: Role) -> str | None:
    """The unit that the text or the name carries."""
    conversion = figures.column.conversion
    if conversion and conversion.unit and role is not Role.PERCENT:
        return conversion.unit
    if role is Role.MONEY:
        known = {
            "usd": "USD",
            "$": "USD",
            "eur": "EUR",
            "€": "EUR",
            "gbp": "GBP",
            "£": "GBP",
            "jpy": "JPY",
            "inr": "INR",
        }
        return next((known[w] for w in names.words(figures.column.name) if w in known), None)
    if role is Role.PERCENT:
        low, high = _bounds(figures)
        return "fraction" if low >= -1 and high <= 1 else "%"
    return None


def _bounds(figures: Figures) -> tuple[float, float]:
    low = float(figures.minimum) if figures.minimum is not None else 0.0
    high = float(figures.maximum) if figures.maximum is not None else 0.0
    return low, high


def _of_number(figures: Figures, rows: int, neighbours: Sequence[str]) -> tuple[Role, str]:
    name, conversion = figures.column.name, figures.column.conversion
    low, high = _bounds(figures)
    if conversion and conversion.kind is ConversionKind.MONEY:
        return Role.MONEY, "text with a currency"
    if conversion and conversion.kind is ConversionKind.PERCENT:
        return Role.PERCENT, "text with a percent sign"
    if figures.distinct == 0:
        return Role.MEASURE, "numeric type, no values"
    if figures.integral:
        decided = _of_integer(figures, rows, low, high, neighbours)
        if decided:
            return decided
    if names.has(name, names.LATITUDE) and low >= -90 and high <= 90:
        return Role.GEOGRAPHIC, "latitude by name and range"
    longitude = names.names_longitude(name, neighbours)
    if longitude and low >= -180 and high <= 180 and not figures.integral:
        return Role.GEOGRAPHIC, "longitude by name and range"
    if names.has(name, names.PERCENT) and low >= -1000 and high <= 1000:
        return Role.PERCENT, "percent by its name"
    if names.has(name, names.SHARE) and low >= -1 and high <= 1 and not figures.integral:
        return Role.PERCENT, "share by its name, values within one"
    if names.has(name, names.MONEY) and not names.has(
        name, frozenset({"count", "qty", "quantity", "id", "rank"})
    ):
        return Role.MONEY, "money by its name"
    if names.has(name, names.MONEY_MAYBE) and not figures.integral and not _is_other_quantity(name):
        return Role.MONEY, "amount by its name, values with decimals"
    return Role.MEASURE, "numeric type"


def _of_integer(
    figures: Figures, rows: int, low: float, high: float, neighbours: Sequence[str]
) -> tuple[Role, str] | None:
    """Roles that whole numbers can have besides a measure."""
    name = figures.column.name
    count = rows - figures.nulls
    unique = figures.distinct >= count * (1.0 if figures.distinct_exact else 0.95) and count > 1
    if names.has(name, names.YEAR) and low >= 1000 and high <= 2300:
        return Role.TIME, "years by name and range"
    if names.names_day_of_year(name) and 0 <= low <= high <= 366:
        return Role.CATEGORY, "days of the year by name and range"
    weekly = names.has(name, names.WEEK) and low % 100 <= 53 and high % 100 <= 53
    if weekly and 190_001 <= low <= high <= 220_053:
        return Role.CATEGORY, "years with the numbers of their weeks"
    if names.has(name, names.TIME) and (_is_compact_date(low, high) or 1000 <= low <= high <= 2200):
        return Role.TIME, "dates written as numbers"
    if names.has(name, names.TIME | frozenset({"start", "end", "starttime", "endtime"})) and _is_epoch(
        low, high
    ):
        return Role.TIME, "seconds or milliseconds since 1970"
    if names.names_moment(name) and _FAR <= low <= high <= _CLOSE * low:
        return Role.CATEGORY, "named as a moment, and counted in a way that is not known"
    if names.names_identifier(name) or (unique and says_nothing(figures.column.original_name)):
        return Role.ID, "identifier by its name"
    if names.has(name, names.PLACE) and low >= 0 and figures.distinct > 1:
        return Role.GEOGRAPHIC, "place code by its name"
    if names.words(name)[-1:] and names.words(name)[-1] in names.ID_ENDS and unique and count >= 20:
        return Role.ID, "a different number in every row"
    consecutive = unique and low in (0, 1) and high - low + 1 == count
    if consecutive and count >= 20 and _may_number_rows(name, neighbours):
        return Role.ID, "numbers every row in turn"
    if low >= 100 and (names.words(name)[-1:] or ("",))[0] in names.CODES:
        return (Role.ID if unique else Role.CATEGORY), "numbers that name things by the column's name"
    if (names.words(name)[-1:] or ("",))[0] in names.NAMING_ENDS:
        centers = names.words(name)[-1] in ("center", "centre") and low >= 100
        if centers or (names.ends_like_category(name) and figures.distinct <= 50):
            return Role.CATEGORY, "whole numbers that name a group"
    if names.ends_like_category(name) and figures.distinct <= 50 and not names.has(name, names.MONEY):
        return Role.CATEGORY, "few whole numbers that name a group"
    return None


def _may_number_rows(name: str, neighbours: Sequence[str]) -> bool:
    """Whether a column could number the rows: it stands first or has a name beside it, and measures nothing."""
    if names.has(name, names.QUANTITY | names.MONEY | names.MONEY_MAYBE | names.PERCENT | names.SHARE):
        return False
    described = any(other != name and other.lower().startswith(f"{name.lower()}_") for other in neighbours)
    return described or not neighbours or neighbours[0] == name or names.has(name, names.PERSON)


def _is_other_quantity(name: str) -> bool:
    return names.has(name, _OTHER_QUANTITIES)


_OTHER_QUANTITIES = names.vocabulary(
    "weight distance area length votes score time units km kilometers kilometres miles m meters metres kg g grams tons tonnes l liters "
    "litres ml kwh mwh watts seconds secs minutes mins hours hrs days weeks points"
)


def _is_compact_date(low: float, high: float) -> bool:
    """Whether the range fits dates written as 20240131 or 202401."""
    if 19_000_101 <= low <= high <= 22_001_231:
        return True
    return 190_001 <= low <= high <= 220_012 and low % 100 <= 12 and high % 100 <= 12


def _is_epoch(low: float, high: float) -> bool:
    return any(3e8 * f <= low <= high <= 4.2e9 * f for f in (1, 1e3, 1e6, 1e9))


def _of_text(figures: Figures, rows: int) -> tuple[Role, str]:
    name = figures.column.name
    count = rows - figures.nulls
    share = figures.distinct / count if count else 0.0
    token_like = _share_of(figures.values, lambda v: _TOKEN.fullmatch(v) is not None)
    digits = _share_of(figures.values, lambda v: any(c.isdigit() for c in v))
    if figures.distinct == 0:
        return Role.TEXT, "text type, no values"
    if _are_places(figures):
        return Role.GEOGRAPHIC, "values are places"
    if _share_of(figures.values, lambda v: _UUID.fullmatch(v) is not None) >= 0.9:
        return Role.ID, "values are universally unique identifiers"
    if names.names_identifier(name) and token_like >= 0.8:
        return Role.ID, "identifier by its name"
    if names.has(name, names.PLACE) and figures.mean_words <= 8:
        return Role.GEOGRAPHIC, "place by its name"
    lengths = are_lengths(name, [str(v) for v in figures.values])
    if not lengths and token_like >= 0.9 and digits >= 0.9 and figures.mean_length <= 64:
        if share >= 0.95 and count >= 10:
            return Role.ID, "a different code in every row"
        if share >= 0.05 and figures.distinct >= 1000:
            return Role.ID, "thousands of different codes"
    long = figures.mean_length > 60 or figures.mean_words > 6
    if long and (share > 0.05 or figures.distinct > 50):
        return Role.TEXT, "long text"
    if figures.distinct > 100 and figures.mean_words >= 3.5:
        return Role.TEXT, "many sentences"
    if share >= 0.8 and count >= 20 and figures.mean_words >= 2.5:
        return Role.TEXT, "text that hardly repeats"
    if share >= 0.5 and count >= 20 and figures.mean_length >= 20:
        return Role.TEXT, "text that hardly repeats"
    return Role.CATEGORY, "text that repeats" if share < 0.5 else "short text"


def _are_places(figures: Figures) -> bool:
    """Names of places speak for themselves; two-letter codes need the column's name, or to be many."""
    named, coded = share_of_places(figures.values)
    expected = names.has(figures.column.name, names.PLACE | names.PLACE_MAYBE)
    if named >= 0.6 and (figures.distinct >= 2 or expected):
        return True
    return coded >= 0.6 and (expected or figures.distinct >= 12)


def _share_of(values: Sequence[object], test: Callable[[str], bool]) -> float:
    cells = [str(v).strip() for v in values]
    return sum(1 for c in cells if test(c)) / len(cells) if cells else 0.0
