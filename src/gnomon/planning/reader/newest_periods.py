"""“The most recent month in the data”, “the first year on record”: the periods in which the rows begin and end."""

from __future__ import annotations

import re
from datetime import date

from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language import calendar as cal
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Dimension

_UNITS = {u.grain: u for u in (cal.DAY, cal.WEEK, cal.MONTH, cal.QUARTER, cal.YEAR)}
_ONE = regex(
    r"\b(?P<how>most recent|latest|newest|last|final|first|earliest) (?P<unit>day|week|month|quarter|year)"
    r"(?P<data>(?: that)?(?: is| are)? (?:available|on record|recorded|covered)"
    r"| (?:in|of|within|covered by|available in) (?:the |this |our |my )?(?:whole |entire |available |full )?"
    r"(?:data|data ?set|file|table|sheet|records?|time series|series)\b)?",
    re.IGNORECASE,
)
_WHOLE = 0.8


def place_newest(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Set the period to that in which the data begin or end, where the question asks for it."""
    column = _column(draft, sentence, names)
    said = _said(draft, sentence)
    if said is None or column is None or column.coverage is None or draft.comparison is not None:
        return
    how, grain = said["how"].lower(), TimeGranularity(said["unit"].lower())
    newest = how in {"most recent", "latest", "newest"}
    told = [x for x in sentence.items if f"{how} {grain}" in x.text.lower() and x.time is not None]
    if not (said["data"] or newest) or (draft.time_range is not None and not told):
        return
    first = how in {"first", "earliest"}
    found = _holding(grain, column.coverage[0 if first else 1], whole=not said["data"])
    if found is not None and found != draft.time_range:
        draft.time_range = found
        draft.grain = None if draft.grain is grain else draft.grain
        draft.notes.append(f"{how} {grain}: the one in which the data {'begin' if first else 'end'}")
    for item in sentence.items if found is not None else ():
        item.used = item.used or item.text.lower() in {how, str(grain), f"{how} {grain}"}


def _said(draft: Draft, sentence: Sentence) -> re.Match[str] | None:
    """What the part of the question that the sentence is says of it; one such period alone can be the one."""
    if not len(sentence):
        return None
    first, last = (
        sentence.words[sentence[0].start].start,
        sentence.words[sentence[len(sentence) - 1].end - 1].end,
    )
    found = [m for m in _ONE.finditer(draft.question) if first <= m.start() < last]
    return found[0] if len(found) == 1 else None


def _column(draft: Draft, sentence: Sentence, names: Names) -> Dimension | None:
    if draft.time_dimension is not None:
        return names.model.dimension(draft.time_dimension)
    model = names.model
    usual = [model.time_dimension(model.metric(m)) for m in draft.metrics]
    if not usual:  # rows are counted, or what is measured was said before
        named = {link.name for x in sentence.items if (link := x.named(LinkKind.TABLE)) is not None}
        told = [t for t in model.tables if t.name in named] or model.tables
        usual = [model.dimension(t.time_dimension) for t in told if t.time_dimension]
    return usual[0] if len({d.name if d is not None else "" for d in usual}) == 1 else None


def _holding(grain: TimeGranularity, day: date, *, whole: bool) -> TimeRange | None:
    """The period that holds a day; None where it has only begun and that was not asked for."""
    unit = _UNITS[grain]
    start = unit.floor(day)
    end = unit.last_day(start)
    covered = ((day - start).days + 1) / ((end - start).days + 1)
    return None if whole and covered < _WHOLE else TimeRange(start=start, end=end, granularity=grain)
