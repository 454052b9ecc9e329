"""What a column's name suggests, read as words: ``orderUnitPrice_USD`` is order, unit, price, usd."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gnomon.core.patterns import regex

_SPLIT = regex(r"[^0-9A-Za-zÀ-ÿ%$€£]+|(?<=[a-zà-ÿ0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])")
# Names given to columns that came without one, and those of the numbers that programs write before rows.
_UNNAMED = regex(r"(column_\d+|unnamed[\s:_]*\d*|row[\s_.]?names?|index|\.{3}\d+)")


def vocabulary(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


ID = vocabulary("id ids uuid guid key pk fk sku isbn ean upc asin hash index identifier serial vin nr")
ID_ENDS = vocabulary("number no num code ref reference ticket")
CODES = vocabulary(
    "naics sic fips isic icd ndc npi imei imsi iccid siret siren duns cusip isin sedol gtin cnpj cpf account acct"
)  # what offices, trades and makers number things by
YEAR = vocabulary("year yr yyyy fy season vintage")
WEEK = vocabulary("week yearweek isoweek wk kw yyyyww yw")
TIME = vocabulary("date time timestamp datetime day month week quarter period at on created updated modified")
CALENDAR = vocabulary("year yr quarter qtr month week weekday dow day hour of the name number no num")
MONEY = vocabulary(
    "price prices cost costs revenue revenues salary salaries income fare fares fee fees budget spend spent "
    "profit profits tax taxes payment payments balance wage wages usd eur gbp jpy chf inr cny earnings expense "
    "expenses expenditure turnover gmv msrp rent tuition debt loan capital premium refund refunds charge charges "
    "money dollars euros amount amt $ € £ gdp"
)
MONEY_MAYBE = vocabulary("sales sale total subtotal worth bill discount margin")
PERCENT = vocabulary("pct percent percentage perc % percentile")
SHARE = vocabulary("rate ratio share fraction proportion probability prob discount margin conversion ctr")
CATEGORY_ENDS = (
    "class", "type", "code", "group", "category", "level", "grade", "status", "stage", "tier", "zone", "district",
    "cluster", "label", "segment", "quarter", "month", "weekday", "dow", "priority", "impact", "urgency", "severity",
    "kind", "mode", "band", "department", "team", "bucket", "quality", "gender", "sex", "race", "ethnicity",
)  # fmt: skip
# Words of their own that only end so.
_NO_CATEGORIES = (
    "husband",
    "waistband",
    "headband",
    "trace",
    "terrace",
    "grace",
    "brace",
    "steam",
    "equality",
    "upgrade",
)
NAMING_ENDS = vocabulary(
    "type code class category kind mode status band bracket tier group level segment center centre"
)
"""Last words after which numbers tell kinds apart, also of money: the type of a payment, a cost center."""
QUANTITY = vocabulary(
    "count counts qty quantity units number num total sum avg average mean median min max amount score rating "
    "size length width height weight depth area volume age duration distance speed temperature days hours "
    "minutes seconds views clicks sessions visits population votes points"
)
_COUNTED = vocabulary("per reorder stock inventory fill water noise sound")
LATITUDE = vocabulary("lat latitude")
LONGITUDE = vocabulary("lon lng longitude")
PLACE = vocabulary(
    "country countries city cities town village county province region zip zipcode postcode postal continent nation "
    "municipality borough prefecture territory fips location locality neighborhood neighbourhood airport"
)
PLACE_MAYBE = vocabulary("state states origin destination place area market site nationality code iso")
PERSON = vocabulary(
    "first last full given family sur middle maiden nick user customer client patient employee contact person "
    "member student passenger driver author owner manager seller buyer caller agent assigned opened closed "
    "requester requestor recipient sender applicant tenant guest player"
)
_MOMENTS = vocabulary(
    "date dates datum fecha day datetime timestamp ts epoch dt week yearweek isoweek wk month yearmonth yyyymm yyyyww period quarter"
)
FLAG = vocabulary("is has was flag bool boolean indicator dummy active enabled deleted")


def words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case."""
    return tuple(w.lower() for w in _SPLIT.split(name) if w)


def has(name: str, known: frozenset[str]) -> bool:
    """Whether one of the name's words is known."""
    return any(w in known for w in words(name))


def names_day_of_year(name: str) -> bool:
    """Whether a column's numbers count the days of a year: ``doy``, ``day_of_year``, ``julian_day``."""
    said = " ".join(words(name))
    return said.endswith(
        ("doy", "day of year", "day of the year", "yearday", "year day", "julian", "julian day", "jday")
    )


def names_moment(name: str) -> bool:
    """Whether the name says when something was, and not how long: ``order_date``, ``yearweek``, ``reporting_period``."""
    last = words(name)[-1:]
    return bool(last) and last[0] in _MOMENTS


def names_longitude(name: str, neighbours: Iterable[str]) -> bool:
    """Whether a name means a longitude; "long" does so only beside the latitude of the same thing.

    Args:
        name: The name.
        neighbours: Names of all columns of the table.
    """
    if has(name, LONGITUDE):
        return True
    found = words(name)
    if "long" not in found:
        return False
    thing = [w for w in found if w != "long"]
    return any(has(n, LATITUDE) and [w for w in words(n) if w not in LATITUDE] == thing for n in neighbours)


def ends_like_category(name: str) -> bool:
    """Whether the name ends the way names of coded categories do (``pclass``, ``risk_level``)."""
    found = words(name)
    if found[-2:-1] and found[-2] in _COUNTED:
        return False  # visits per month and the level to reorder at are numbers of things
    if found[-1:] and found[-1].endswith(_NO_CATEGORIES):
        return False
    return bool(found) and (found[-1].endswith(CATEGORY_ENDS) or found[0] in CATEGORY_ENDS)


def names_identifier(name: str) -> bool:
    """Whether the name reads as an identifier: ``id``, ``order_id``, ``PassengerId``, ``Unnamed: 0``."""
    found = words(name)
    if not found:
        return True
    plain = name.lower() if name.isupper() else name
    glued = re.fullmatch(r"[a-z]+(id|uuid|guid|key)", plain) is not None and not plain.endswith(
        ("paid", "valid", "bid", "grid", "fluid", "solid", "rapid", "avoid", "acid", "hybrid", "covid", "mid",
         "android", "said", "aid", "kid", "lid", "raid", "braid", "amid", "void", "humid", "liquid", "monkey",
         "turkey", "hockey", "stupid", "arid", "squid", "orchid", "steroid", "euclid", "thyroid")
    )  # fmt: skip
    numbered = name.rstrip().endswith("#")
    return numbered or found[-1] in ID or found[0] in ("id", "uuid", "guid") or found[0] == "unnamed" or glued


def is_unnamed(name: str) -> bool:
    """Whether a column has no heading of its own: what a program wrote before the rows, or left empty."""
    return _UNNAMED.fullmatch(name.strip().lower()) is not None
