"""Units that end a column's name: ``consumption_kwh`` is the consumption, in kWh."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from gnomon.core.figures import currency
from gnomon.core.patterns import late_pattern, regex
from gnomon.data.currencies import SYMBOLS
from gnomon.semantic.labels import entity_of, label_of, lower_words, table_entity
from gnomon.semantic.model import singular
from gnomon.semantic.money_units import scaled_money
from gnomon.semantic.per_table import once_per_table

if TYPE_CHECKING:
    from gnomon.data import ColumnProfile, TableProfile

# What a name may end in, the unit that numbers are shown in, and what else people call it.
_UNITS: dict[str, tuple[str, tuple[str, ...]]] = {
    "kwh": ("kWh", ("kwh", "kilowatt hour")), "mwh": ("MWh", ("mwh", "megawatt hour")), "wh": ("Wh", ()),
    "gwh": ("GWh", ("gwh", "gigawatt hour")), "twh": ("TWh", ("twh", "terawatt hour")), "mw": ("MW", ("megawatt",)),
    "kw": ("kW", ("kw", "kilowatt")), "km": ("km", ("km", "kilometre", "kilometer")), "cm": ("cm", ("centimetre",)),
    "mm": ("mm", ("millimetre",)), "miles": ("miles", ("mile",)), "mi": ("miles", ("mile",)), "ft": ("ft", ()),
    "nm": ("nm", ("nanometre", "nanometer")), "ghz": ("GHz", ("gigahertz",)), "mhz": ("MHz", ("megahertz",)),
    "watts": ("W", ("watt",)), "knots": ("knots", ("knot",)),
    "kg": ("kg", ("kg", "kilo", "kilogram")), "mg": ("mg", ()), "lbs": ("lb", ()), "lb": ("lb", ()), "oz": ("oz", ()),
    "tonnes": ("tonnes", ("tonne", "ton")), "tons": ("tons", ("ton",)), "litres": ("litres", ("litre", "liter")),
    "liters": ("liters", ("liter", "litre")), "ml": ("ml", ()), "gallons": ("gallons", ("gallon",)),
    "hl": ("hl", ("hectolitre", "hectoliter")),
    "m2": ("square metres", ("square metre", "square meter", "m2", "sqm")),
    "sqm": ("square metres", ("square metre", "square meter", "m2", "sqm")),
    "sq m": ("square metres", ("square metre", "square meter", "m2", "sqm")),
    "sqft": ("sq ft", ("square foot", "square feet", "sqft", "sq ft")),
    "sq ft": ("sq ft", ("square foot", "square feet", "sqft", "sq ft")),
    "square feet": ("sq ft", ("square foot", "square feet", "sqft", "sq ft")),
    "km2": ("square kilometres", ("square kilometre", "square kilometer", "km2")), "ha": ("hectares", ("hectare",)),
    "hectares": ("hectares", ("hectare",)), "acres": ("acres", ("acre",)), "m3": ("cubic metres", ("cubic metre", "cubic meter")),
    "kmh": ("kph", ()), "kph": ("kph", ()), "mph": ("mph", ()), "kcal": ("kcal", ("calorie", "kcal")),
    "mb": ("MB", ("megabyte",)), "gb": ("GB", ("gigabyte",)), "tb": ("TB", ()), "ms": ("ms", ()), "db": ("dB", ("decibel",)),
    "seconds": ("seconds", ()), "secs": ("seconds", ()), "sec": ("seconds", ()), "minutes": ("minutes", ()),
    "mins": ("minutes", ()), "hours": ("hours", ()), "hrs": ("hours", ()), "days": ("days", ()), "weeks": ("weeks", ()),
    "months": ("months", ()), "years": ("years", ()), "bpm": ("bpm", ()), "ppm": ("ppm", ()), "rpm": ("rpm", ()), "hpa": ("hPa", ()), "kpa": ("kPa", ()), "mbar": ("mbar", ()),
    "celsius": ("°C", ()), "fahrenheit": ("°F", ()), "degc": ("°C", ()), "degf": ("°F", ()),
    "usd": ("USD", ()), "eur": ("EUR", ()), "gbp": ("GBP", ()), "jpy": ("JPY", ()), "chf": ("CHF", ()),
    "inr": ("INR", ()), "cad": ("CAD", ()), "aud": ("AUD", ()), "sek": ("SEK", ()), "pct": ("%", ()),
    "percent": ("%", ()), "%": ("%", ()),
}  # fmt: skip
_LETTERS = frozenset({"c", "f", "g", "k", "m", "min"})
_AMOUNTS = frozenset(
    {"kg", "lb", "tonnes", "tons", "t", "litres", "liters", "hl", "gallons", "cubic metres", "kWh", "MWh", "Wh", "GWh", "TWh"}
)  # fmt: skip
_RATES = frozenset({"per", "of", "by", "to"})
_SPANS = frozenset(
    {"duration", "time", "delay", "wait", "waiting", "late", "lateness", "response", "stay", "length", "elapsed",
     "travel", "latency", "play", "played", "worked", "spent", "visit", "session", "call", "ride", "trip", "dwell",
     "handling", "resolution", "processing", "commute", "break", "exposure", "age", "lead", "dur", "finish"}
)  # fmt: skip
_LENGTHS = frozenset(
    {
        "height",
        "ht",
        "distance",
        "dist",
        "length",
        "width",
        "depth",
        "elevation",
        "altitude",
        "diameter",
        "radius",
    }
)
_WEIGHTS = frozenset({"weight", "wt", "mass", "dose", "sugar", "fat", "protein", "carbs", "fibre", "fiber"})
_CROPS = frozenset({"yield", "harvest", "tonnage", "cargo", "catch", "freight", "production", "waste"})
_POWERS = frozenset({"power", "load", "draw", "demand", "consumption", "output"})
_VOLUMES = frozenset({"volume", "vol", "capacity", "fuel", "water", "milk", "tank"})
_HEATS = frozenset({"temp", "temperature", "dewpoint", "chill"})
_PRESSURES, _TENSIONS, _CURRENTS = frozenset({"pressure"}), frozenset({"voltage"}), frozenset({"current"})
# Short endings that are a unit only behind words for what is measured in it.
_AFTER: dict[str, tuple[frozenset[str], str]] = {
    "min": (_SPANS, "minutes"), "s": (_SPANS, "seconds"), "h": (_SPANS, "hours"), "hr": (_SPANS, "hours"),
    "m": (_LENGTHS, "metres"), "g": (_WEIGHTS, "g"), "w": (_POWERS, "W"), "l": (_VOLUMES, "litres"),
    "t": (_WEIGHTS | _CROPS, "tonnes"), "c": (_HEATS, "°C"), "f": (_HEATS, "°F"),
    "bar": (_PRESSURES, "bar"), "psi": (_PRESSURES, "psi"), "v": (_TENSIONS, "V"), "a": (_CURRENTS, "A"),
}  # fmt: skip
_SHORT = {"t": "tonnes", "w": "W", "v": "V", "s": "seconds", "h": "hours", "hr": "hours", "min": "minutes", "m": "metres", "g": "g", "l": "litres",
          "c": "°C", "f": "°F", "°c": "°C", "°f": "°F", "º": "°", "deg": "°", "°": "°"}  # fmt: skip
_IN_BRACKETS = {"t": "tonnes", "tonne": "tonnes", "litre": "litres", "liter": "liters"}
_SPOKEN = {
    "g": "g",
    "gram": "g",
    "grams": "g",
    "metre": "metres",
    "metres": "metres",
    "meter": "metres",
    "meters": "metres",
}
_SPEEDS = frozenset({"speed", "velocity"})
_MONEY = frozenset({"$", "€", "£", "¥", "₹", "us$", "$us"})
_OVER = frozenset(
    {"mg", "g", "kg", "ug", "µg", "ng", "mmol", "umol", "cfu", "kcal", "kwh", "ml", "l", "mm", "cm", "km"}
)
_UNDER = {"l": "l", "ml": "ml", "dl": "dl", "m3": "m³", "m2": "m²", "kg": "kg", "100g": "100 g", "ha": "ha", "h": "h",
          "hr": "h", "min": "min", "day": "day", "d": "day", "s": "s", "sec": "s"}  # fmt: skip
_SLASHED = late_pattern(r"(?P<label>.*\w)[\s_]+(?P<over>[A-Za-zµ°]{1,6}) ?/ ?(?P<under>[A-Za-z]{1,6})\s*")
_BRACKETS = regex(r"(?P<label>[^()\[\]]+?)\s*[(\[](?P<inside>[^()\[\]]{1,28})[)\]]\s*[?:*]?")
_SCALE = regex(r"\d+ ?(?:-|–|to) ?\d+")
_LIKE_UNIT = late_pattern(
    r"[A-Z]{2,5}|[a-z°µ]{1,2}|[a-zµ]{1,2}[A-Z][A-Za-z]{0,2}|[A-Za-z%°µ€$£]{1,5}[23]? ?/ ?[\w°µ²³ ]{1,8}"
)


@dataclass(frozen=True)
class Measured:
    """What a column is called without its unit, the unit, and other words for that unit."""

    label: str
    unit: str | None = None
    called: tuple[str, ...] = ()


UNTIL = frozenset({"to", "until", "till", "since", "before", "after", "between"})
CLOCK = frozenset({"seconds", "minutes", "hours", "days", "weeks"})


@lru_cache(maxsize=20_000)
def measured(name: str) -> Measured:
    """A column's name as a label and the unit that it ends in."""
    if (bracketed := _in_brackets(name)) is not None:
        return bracketed
    if (slashed := _SLASHED.fullmatch(name.strip())) is not None:  # CO2 g/km
        over, under = slashed["over"], slashed["under"]
        if {over.lower(), under.lower()} <= _UNITS.keys() | _SHORT.keys() | _OVER | _UNDER.keys():
            return Measured(label_of(slashed["label"]), f"{over}/{under}")
    plain = name.strip()
    for symbol, code in SYMBOLS.items():
        if (
            not symbol.isalpha()
            and plain.endswith(symbol)
            and (rest := label_of(plain.removesuffix(symbol).strip(" _-")))
        ):
            return Measured(rest, code)  # Parts £
    words = label_of(name).split()
    low = [w.lower() for w in words]
    if (alone := _UNITS.get(plain.lower())) is not None and alone[0].lower() == plain.lower():
        return Measured(alone[0])  # kWh, as it is written
    if len(low) > 1 and (whole := _UNITS.get(" ".join(low))) is not None:
        return Measured(" ".join(words), *whole)  # SqFt: what is measured goes without saying
    if len(low) > 2 and low[-2] in _OVER and low[-1] in _UNDER:
        return Measured(" ".join(words[:-2]), f"{low[-2]}/{_UNDER[low[-1]]}")
    for n in (2, 1):
        if len(low) > n and (scaled := scaled_money(" ".join(low[-n:]))) is not None:
            return Measured(" ".join(words[:-n]), scaled)
        held = _UNITS.get(" ".join(low[-n:])) if len(low) > n else None
        if held is not None and low[-n - 1] in _RATES:
            break  # a price per sq ft is no price in sq ft
        if held is not None and held[0] == "ms" and {*low} & _SPEEDS:
            held = ("m/s", ("metres per second",))  # milliseconds elsewhere
        if held is not None:
            rest = " ".join(words[: -n - (low[-n - 1] == "in" and len(low) > n + 1)])
            return Measured(rest if held[0] != "%" else f"{rest} percentage", *held)
    about, unit = _AFTER.get(low[-1], (frozenset[str](), "")) if len(low) > 1 else (frozenset[str](), "")
    placed = len(low) > 1 and low[-2] in {"on", "at", "of", "by", "per"}  # the age on that day
    if not placed and any(w in about or (about is _SPANS and w.endswith("time")) for w in low[:-1]):
        return Measured(" ".join(words[:-1]), unit)
    if len(low) > 2 and low[1] in UNTIL and (held := _UNITS.get(low[0])) is not None and held[0] in CLOCK:
        return Measured(" ".join(["time", *words[1:]]), *held)  # days to decision
    return Measured(label_of(name))


def _in_brackets(name: str) -> Measured | None:
    """The label before brackets that hold a unit: Nitrate (mg/L), Load [kW]; None where they hold words."""
    found = _BRACKETS.fullmatch(name.strip())
    label = label_of(found["label"]) if found else ""
    inside = found["inside"].strip() if found else ""
    if not label or not inside:
        return None
    low = inside.lower()
    held = _UNITS.get(_IN_BRACKETS.get(low, low)) or _UNITS.get(low.removeprefix("in "))
    if held is not None:
        return Measured(label if held[0] != "%" else f"{label} percentage", *held)
    if (scaled := scaled_money(low)) is not None:
        return Measured(label, scaled)
    if low in _SHORT:
        return Measured(label, _SHORT[low])
    *said, last = inside.split()
    if said and (code := _money(last)) is not None:
        return Measured(label, code)  # current US$, constant 2015 EUR
    if low in _MONEY or _SCALE.fullmatch(low):
        return Measured(label)
    if _is_word(low) or not _LIKE_UNIT.fullmatch(inside):
        return None
    # Digits of a unit would read as a number of the answer.
    return Measured(label, None if any(c.isdigit() for c in inside) else inside)


def _money(word: str) -> str | None:
    """The currency of a sign, or of a code in capitals."""
    return SYMBOLS.get(word) or (currency(word) if word.isupper() else None)


def _is_word(text: str) -> bool:
    from gnomon.embedding.lexicon import get_lexicon

    lexicon = get_lexicon()
    return any(lexicon.met(w) > 0 for w in re.findall(r"[a-z]{3,}", text))


@once_per_table
def measured_names(table: TableProfile) -> dict[str, Measured]:
    """The names of a table's columns without units, where that leaves each with a name of its own."""
    return _measured_names(table.name, tuple(c.name for c in table.columns))


@lru_cache(maxsize=64)
def _measured_names(table: str, columns: tuple[str, ...]) -> dict[str, Measured]:
    found = {c: measured(c) for c in columns}
    if not any("max" in lower_words(c) for c in columns):
        found |= {
            c: _in_minutes(c) for c, m in found.items() if m.unit is None and c.lower().endswith("_min")
        }
    things = {
        entity_of(c)
        for c in columns
        if entity_of(c) != " ".join(w for w in lower_words(c) if not w.isdigit())
    } | {table_entity(table)}
    taken = Counter(m.label.lower() for m in found.values())
    return {
        c: m
        if taken[m.label.lower()] == 1 and singular(m.label.lower()) not in things
        else Measured(label_of(c), m.unit)
        for c, m in found.items()
    }


# What a column holds that is called by nothing but its unit.
_QUANTITIES = (
    (("kwh", "mwh", "wh", "gwh", "twh"), ("energy", "consumption", "usage", "energy consumption", "energy use", "electricity", "power consumption", "power use", "power usage")),
    (("km", "miles", "mi", "kilometres", "kilometers", "metres", "meters"), ("distance", "length")),
    (("kg", "lbs", "lb", "tonnes", "tons", "kilos", "grams"), ("weight", "quantity")),
    (("litres", "liters", "ml", "gallons", "hl", "m3"), ("volume", "quantity")),
    (("minutes", "mins", "seconds", "secs", "hours", "hrs"), ("duration", "time", "length")),
    (("usd", "eur", "gbp", "chf", "jpy", "inr", "cad", "aud", "sek", "dollars", "euros"), ("amount", "money")),
    (("celsius", "fahrenheit", "degc", "degf"), ("temperature",)),
    (("kcal", "calories"), ("energy", "calories")),
    (("ha", "hectares", "acres", "sqft", "sqm", "m2", "km2"), ("area", "size")),
)  # fmt: skip


# What may be said behind a name that has only its unit to say what is measured: solar_kwh is the solar generation.
_HEADS = (
    (("Wh", "kWh", "MWh", "GWh", "TWh"), ("generation", "production", "output", "yield", "use", "usage", "consumption", "energy")),
    (("kW", "MW"), ("load", "demand", "power", "output", "draw")),
    (("cubic metres", "litres", "liters", "gallons", "hl", "ml"), ("volume", "use", "usage", "consumption", "output")),
    (("kg", "g", "lb", "tonnes", "tons", "t"), ("weight", "mass", "production", "output")),
    (("km", "miles"), ("distance", "length")),
    (("seconds", "minutes", "hours", "days"), ("time", "duration", "length")),
    (("°C", "°F"), ("temperature",)),
    (("%",), ("percentage", "percent", "rate")),
)  # fmt: skip


def heads_of(unit: str | None) -> tuple[str, ...]:
    """The nouns that name what is measured in a unit: the load in kW, the temperature in °C."""
    return next((heads for units, heads in _HEADS if unit in units), ())


def quantities_of(name: str) -> tuple[str, ...]:
    """What people call a column whose whole name is a unit: ``kwh`` is the energy, ``km`` the distance."""
    low = name.strip().lower()
    return next((called for units, called in _QUANTITIES if low in units), ())


def _in_minutes(column: str) -> Measured:
    """``finish_min``, where no column is a maximum: what it takes, in minutes."""
    return Measured(label_of(column).rpartition(" ")[0] or label_of(column), "minutes")


@lru_cache(maxsize=1)
def _called() -> frozenset[str]:
    return frozenset(name for _, called in _UNITS.values() for name in called)


def names_unit(text: str) -> bool:
    """Whether words are the name of a unit: square feet, kWh."""
    low = text.lower()
    return low in _called() or singular(low) in _called() or low in _SPOKEN


_SCALES = (
    {"ms": 0.001, "seconds": 1.0, "minutes": 60.0, "hours": 3_600.0, "days": 86_400.0, "weeks": 604_800.0},
    {
        "mg": 0.001,
        "g": 1.0,
        "kg": 1_000.0,
        "tonnes": 1_000_000.0,
        "t": 1_000_000.0,
        "lb": 453.59237,
        "oz": 28.349523125,
    },
    {
        "mm": 0.001,
        "cm": 0.01,
        "metres": 1.0,
        "km": 1_000.0,
        "miles": 1_609.344,
        "ft": 0.3048,
        "inches": 0.0254,
    },
    {"ml": 0.001, "litres": 1.0, "liters": 1.0, "cubic metres": 1_000.0},
    {"Wh": 1.0, "kWh": 1_000.0, "MWh": 1_000_000.0},
)


def times_as_many(held: str | None, said: str) -> float | None:
    """How many of the unit that was said make one of the unit that numbers are in; None where one is not the other."""
    scale = next((s for s in _SCALES if held in s and said in s), None)
    return scale[held] / scale[said] if scale is not None and held is not None else None


# What a month and a year are on average, in seconds: lengths of time are told in them, nothing is bounded by them.
_CALENDAR = {"months": 2_629_746.0, "years": 31_556_952.0}


def told_in(held: str | None, said: str) -> float | None:
    """``times_as_many``, for telling: lengths of time also in months and years, which are no whole number of days."""
    exact = times_as_many(held, said)
    if exact is None and held is not None and {held, said} & {*_CALENDAR}:
        lasting = _SCALES[0] | _CALENDAR
        return lasting[held] / lasting[said] if held in lasting and said in lasting else None
    return exact


def is_amount(unit: str | None) -> bool:
    """Whether a unit tells how much there is of some stuff: kilos, litres."""
    return unit in _AMOUNTS


def unit_of(column: ColumnProfile, name: Measured) -> str | None:
    """The unit of a column's numbers: that of its values, else that of its name."""
    return column.unit or name.unit


def is_unit(word: str) -> bool:
    """Whether the last word of a name is a unit, letters included that say so only there: weight g."""
    return word in _UNITS or word in _LETTERS or scaled_money(word) is not None


def without_unit(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a name but for the unit at its end; a minimum is no number of minutes."""
    return words[:-1] if len(words) > 1 and words[-1] != "min" and is_unit(words[-1]) else words


@lru_cache(maxsize=4096)
def unit_called(text: str) -> str | None:
    """The unit that a word names, as columns have it: kg, for kilos."""
    low = text.lower()
    if low in _UNITS:
        return _UNITS[low][0]
    if (plain := _SPOKEN.get(low)) is not None:
        return plain
    return next((unit for unit, called in _UNITS.values() if {low, singular(low)} & {*called}), None)


# What people call units behind a number, where no column need be called so.
_BEHIND_NUMBERS = {
    "m": "metres", "metre": "metres", "meter": "metres", "foot": "ft", "feet": "ft", "inch": "inches", "g": "g",
    "gram": "g", "gramme": "g", "mg": "mg", "milligram": "mg", "l": "litres", "t": "tonnes", "lb": "lb", "lbs": "lb",
    "ounce": "oz", "millilitre": "ml", "milliliter": "ml", "centimeter": "cm", "millimeter": "mm",
}  # fmt: skip


def unit_behind(word: str) -> str | None:
    """The unit that a word right behind a number names, letters included: 10 km, 500 g, 2 metres."""
    low = word.lower()
    return _BEHIND_NUMBERS.get(low) or _BEHIND_NUMBERS.get(singular(low)) or unit_called(low)
