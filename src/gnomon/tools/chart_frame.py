"""What every chart has in common: axes in words with units, moments, notes, alternative text, safe colours."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from unicodedata import east_asian_width

from gnomon.core.figures import COMPACT, FRACTION, PERCENT, SYMBOLS, capital, currency, figure, moment
from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity, TimeRange

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
# Okabe and Ito's colours, which people with any kind of colour vision tell apart; yellow and black are left out,
# because neither shows on both a light and a dark page.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9",
)  # fmt: skip
GREY = "#8a8f98"
PALETTE = [BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY]
WIDTH, HEIGHT = 560, 300
MAX_TITLE = 200
MAX_NOTES = 6
MAX_POINTS = 3000
_LINE = 78
_NOTE_LINE = 96
_UNIT = regex(r"^(?P<label>.+?)\s*(?:\((?P<unit>[^()]{1,20})\)|\bin (?P<percent>%))$")
_SENTENCE_END = regex(r"(?<=[^\W\d_]{2}[.!?])\s+(?=[^\W\da-z])|(?<=[\d)%][.!?])\s+(?=[^\W\da-z])|\n+")
_VERDICT = regex(r"^(?:Yes|No): (\S)")  # an answer to the question, which no chart has beside it
_PAUSE = regex(r"[,;:] ")  # where a sentence may be cut, so that no name and no figure is
# Between a number and what belongs to it no line is broken.
_KEPT = regex(
    r"(?<=[a-z]{3}) (?=(?:19|20)\d\d\b)|(?<=\d) (?=(?:%|[MBT]\b))|(?<=\br) (?==)|(?<=[=<>]) (?=[\d-])"
)
_AGGREGATES = {
    "sum": "total",
    "mean": "average",
    "avg": "average",
    "nunique": "number of distinct",
    "stddev": "standard deviation of",
}
_CONFIG = {
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "maxExtent": 420,
        "labelLimit": 0,
    },
    "axisQuantitative": {"gridColor": "#88888840", "domain": False, "ticks": False},
    "axisTemporal": {"grid": False},
    "line": {"strokeJoin": "round"},
    "legend": {
        "labelFontSize": 11,
        "titleFontSize": 11,
        "orient": "top",
        "labelLimit": 0,
        "titleLimit": 0,
        "symbolSize": 90,
    },
    "header": {"labelLimit": 0, "labelFontSize": 11, "labelFontWeight": "bold", "titleFontSize": 11},
}

Spec = dict[str, Any]
Rows = Sequence[Sequence[Any]]
Row = Sequence[Any]


@dataclass(frozen=True)
class Axis:
    """What an axis shows: its name in words, and the unit of its numbers."""

    label: str
    unit: str | None = None

    @classmethod
    def of(cls, given: Axis | str) -> Axis:
        """An axis from a heading such as ``revenue (USD)`` or ``share in %``."""
        if isinstance(given, Axis):
            return given
        match = _UNIT.match(given)
        unit = (match["unit"] or match["percent"]) if match else None
        return cls(match["label"], unit) if match and (unit == PERCENT or currency(unit)) else cls(given)

    @property
    def title(self) -> str:
        """The words beside the axis; a unit that its numbers carry themselves is not said twice."""
        label = capital(words(self.label))
        code = currency(self.unit)
        carried = self.unit in (None, "", FRACTION, PERCENT) or (code is not None and code in SYMBOLS)
        return label if carried else f"{label} ({self.unit})"


def words(name: str) -> str:
    """The name of a column as people write it: unit_price and unitPrice become unit price, sum_revenue total revenue."""
    text = re.sub(r"(?<=[a-z\d]{2})(?=[A-Z][a-z])", "_", name) if " " not in name else name
    parts = [p if p[:2].isupper() or name.istitle() else p[:1].lower() + p[1:] for p in text.split("_") if p]
    if len(parts) > 1 and parts[0] in _AGGREGATES:
        parts[0] = _AGGREGATES[parts[0]]
    return " ".join(" ".join(parts).split()) or name


def headline(text: str) -> str:
    """The first sentence of a finding, as a title: without its full stop, and short enough to read at a glance."""
    first = _SENTENCE_END.split(text.strip(), maxsplit=1)[0].strip()
    first = _VERDICT.sub(lambda m: m[1].upper(), first)
    first = first[:-1] if first.endswith(".") and not first.endswith("..") else first
    if len(first) <= MAX_TITLE:
        return first
    kept = first[:MAX_TITLE]
    ends = [
        m.start()
        for m in _PAUSE.finditer(kept)
        if kept.count("(", 0, m.start()) == kept.count(")", 0, m.start())
    ]
    cut = kept[: ends[-1]] if ends and 3 * ends[-1] > MAX_TITLE else kept.rsplit(" ", 1)[0]
    return f"{cut.rstrip(',;:')} …"


def frame(title: str, records: list[dict[str, Any]], described: str, notes: Iterable[str] = ()) -> Spec:
    """The part that all charts share: title, notes below it, alternative text, size and data."""
    head = headline(title)
    heading: dict[str, Any] = {
        "text": _balanced(_KEPT.sub("\u00a0", head)) or [head], "anchor": "start", "fontSize": 14, "offset": 12,
        "subtitleFontSize": 11, "subtitleColor": GREY, "subtitlePadding": 5,
    }  # fmt: skip
    spec: Spec = {
        "$schema": SCHEMA,
        "title": heading,
        "description": " ".join(filter(None, (full_stop(head), full_stop(described)))),
        "width": WIDTH,
        "height": HEIGHT,
        "config": _CONFIG,
        "data": {"values": records},
    }
    return with_notes(spec, notes)


def _balanced(text: str) -> list[str]:
    """Lines of about the same length: no last line of one word."""
    count = len(textwrap.wrap(text, _LINE))
    width = next(
        (w for w in range(len(text) // max(count, 1), _LINE) if len(textwrap.wrap(text, w)) <= count), _LINE
    )
    return textwrap.wrap(text, max(width, 1))


def with_notes(chart: Spec, notes: Iterable[str]) -> Spec:
    """The chart with what its reader has to know below its title, also in its alternative text."""
    said = [full_stop(n) for n in dict.fromkeys(notes) if n][:MAX_NOTES]
    if not said:
        return chart
    lines = [line for note in said for line in textwrap.wrap(note, _NOTE_LINE)]
    told = [*chart["title"].get("subtitle", []), *lines]
    return {
        **chart,
        "title": {**chart["title"], "subtitle": told},
        "description": " ".join([chart["description"], *said]),
    }


def full_stop(text: str) -> str:
    """The text as a sentence that ends."""
    text = text.strip()
    return text if not text or text[-1] in ".!?…" else f"{text}."


_FEW = 6


def number_axis(given: Axis | str, values: Iterable[Any], *, zero: bool | None = None) -> dict[str, Any]:
    """The channel of a measure: separators, millions shortened, currency and percent at the numbers.

    Args:
        given: The axis.
        values: What it shows; they decide the scale.
        zero: Whether it begins at zero; None lets it begin there where the values come near enough.
    """
    axis, known = Axis.of(given), numbers(values)
    begins = near_zero(known) if zero is None else zero
    return {
        "type": "quantitative",
        "title": axis.title,
        "scale": {"zero": begins, "nice": True},
        "axis": {
            "labelExpr": _label(axis.unit, known),
            "tickCount": 6,
            "labelFlush": False,
            "labelSeparation": 6,
            # Between 1 and 2 of what is counted there is nothing to mark.
            **({"tickMinStep": 1} if _are_few(known, axis.unit) else {}),
        },
    }


def _are_few(known: Sequence[float], unit: str | None) -> bool:
    """Whether these are whole numbers so near to each other that ticks would come to lie between them."""
    counted = bool(known) and unit != FRACTION and all(float(v).is_integer() for v in known)
    return counted and max(known) - min(0.0, *known) < _FEW


def _label(unit: str | None, known: Sequence[float]) -> str:
    """How Vega writes a tick; only texts of this file get into the expression."""
    factor = 100 if unit == FRACTION else 1
    size = factor * max((abs(v) for v in known), default=0)
    scale, letter = next(((s, f" {le}") for s, le in COMPACT if size >= s), (1, ""))
    symbol = SYMBOLS.get(currency(unit) or "", "")
    ending = f"{letter} %" if unit in (FRACTION, PERCENT) else letter
    written = f"format(abs(datum.value) * {factor} / {scale:.0f}, ',.8~g')"
    return (
        f"datum.value === 0 ? '0' : (datum.value < 0 ? '−' : '') + '{symbol}' + {written} + '{ending}'"
        if symbol or ending or scale > 1 or factor > 1
        else "format(datum.value, ',.8~g')"
    )


def near_zero(known: Sequence[float]) -> bool:
    """Whether an axis that begins at zero still shows the differences between the values, or there are none."""
    if not known or min(known) < 0 < max(known):
        return True
    low, high = sorted((abs(min(known)), abs(max(known))))
    return low < 0.7 * high or low == high


def numbers(values: Iterable[Any]) -> list[float]:
    """The finite numbers among the values."""
    return [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v)]


_TIME_FORMATS = {
    TimeGranularity.YEAR: "'%Y'",
    TimeGranularity.DECADE: "'%Y'",
    TimeGranularity.MONTH: "'%b %Y'",
    TimeGranularity.WEEK: "'%-d %b %Y'",
    TimeGranularity.DAY: "'%-d %b %Y'",
    TimeGranularity.HOUR: "'%-d %b %H:%M'",
}


def time_axis(
    given: Axis | str, grain: TimeGranularity | str | None, moments: Sequence[Any]
) -> dict[str, Any]:
    """The channel of time; always in UTC, so that a chart is the same on every machine."""
    length = grain_of(grain) or _span_grain(moments)
    if length is TimeGranularity.QUARTER:
        expression = "'Q' + utcquarter(datum.value) + ' ' + utcFormat(datum.value, '%Y')"
    else:
        expression = f"utcFormat(datum.value, {_TIME_FORMATS[length]})"
    few = len(set(moments)) <= 7
    return {
        "type": "temporal",
        "title": Axis.of(given).title,
        "scale": {"type": "utc"},
        "axis": {
            "labelExpr": expression,
            "labelOverlap": True,
            "labelSeparation": 8,
            **({"values": sorted(set(moments))} if few else {"tickCount": 6}),
        },
    }


def grain_of(grain: TimeGranularity | str | None) -> TimeGranularity | None:
    """The length of periods that a word names, None for any other word."""
    try:
        return TimeGranularity(str(grain)) if grain else None
    except ValueError:
        return None


def _span_grain(moments: Sequence[Any]) -> TimeGranularity:
    days = [datetime.fromisoformat(str(m).removesuffix("Z")) for m in (min(moments), max(moments))]
    span = (days[1] - days[0]).days
    if span <= 3:
        return TimeGranularity.HOUR
    return TimeGranularity.DAY if span <= 400 else TimeGranularity.MONTH


def instant(value: date | datetime) -> str:
    """A moment as Vega reads it the same everywhere: the wall clock's time, taken as UTC."""
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat()
        return text.removesuffix("T00:00:00") if text.endswith("T00:00:00") else f"{text}Z"
    return value.isoformat()


def period_label(value: Any, grain: TimeGranularity | str | None) -> str:
    """The period that begins at ``value``, in words: December 2024, the week of 3 March 2025, 3 March 2025."""
    length = grain_of(grain)
    if not isinstance(value, date):
        return str(value)
    if length in (None, TimeGranularity.DAY, TimeGranularity.HOUR):
        return moment(value)
    from gnomon.language.calendar import OF_GRAIN
    from gnomon.language.time_periods import describe_period

    day = value.date() if isinstance(value, datetime) else value
    if OF_GRAIN[length].floor(day) != day:
        return moment(day)
    return describe_period(TimeRange(start=day, end=OF_GRAIN[length].last_day(day), granularity=length))


def plain(value: Any) -> Any:
    """A value as JSON carries it; what is no number is told as nothing."""
    if isinstance(value, (date, datetime)):
        return instant(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def shown(value: Any, axis: Axis) -> str:
    """A value beside its mark or in a tooltip."""
    return figure(value, axis.unit)


def brief(value: Any, axis: Axis) -> str:
    """A value beside its mark, without the unit that the axis names."""
    said = axis.unit in (FRACTION, PERCENT) or currency(axis.unit)
    return figure(value, axis.unit if said else None)


def between(known: Sequence[float], axis: Axis) -> str:
    """How far the values reach, for alternative text."""
    return f"from {shown(min(known), axis)} to {shown(max(known), axis)}" if known else "without values"


def evenly(rows: Rows, most: int = MAX_POINTS) -> tuple[Rows, list[str]]:
    """As many rows as a picture can show, at even distances; what is left out is told."""
    if len(rows) <= most:
        return rows, []
    step = -(-len(rows) // most)
    which = {2: "second", 3: "third"}.get(step, f"{step}th")
    return rows[::step], [f"Every {which} of {len(rows):,} points is drawn"]


def tooltips(fields: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"field": name, "type": "nominal", "title": title} for name, title in fields]


def labels(names: Sequence[str], width: int = 44) -> list[str]:
    """Names that fit beside their marks, all different: two bars of one name would be drawn as one.

    They are cut here and not by Vega, which would cut a sign that takes two of its own in the middle.
    """
    found: list[str] = []
    for name in names:
        text = short = _fitting(" ".join(name.split()), width)
        count = 1
        while text in found:
            count += 1
            text = f"{short} ({count})"
        found.append(text)
    return found


def _fitting(text: str, width: int) -> str:
    """As much of the text as so many columns hold; the signs of some scripts are two columns wide."""
    columns = 0
    for place, sign in enumerate(text):
        columns += 2 if east_asian_width(sign) in "WF" else 1
        if columns > width:
            kept = text[: place - 1]
            words_kept = kept.rsplit(" ", 1)[0]
            return f"{(words_kept if 3 * len(words_kept) > 2 * len(kept) else kept).rstrip(' ,;(–-')} …"
    return text
