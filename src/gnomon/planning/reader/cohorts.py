"""Who came in one period and came again, or never again, in another: two clauses about the same things.

Each clause is read by itself, as a question of its own; the second one becomes a condition on the things of the first that
looks at other rows than theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern, regex
from gnomon.core.query import TimeRange
from gnomon.data.column_names import vocabulary
from gnomon.embedding.lexicon import get_lexicon
from gnomon.language.time_grammar import find_times
from gnomon.language.time_mention import TimeMention
from gnomon.planning.reader.clause_reader import ClauseReader
from gnomon.planning.reader.done_elsewhere import DoneElsewhere
from gnomon.planning.reader.relatedness import is_verb
from gnomon.planning.reader.repeated_things import THINGS
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, Dimension, SemanticModel
from gnomon.semantic.model import singular

_SHARE = r"(?:what|which)\s+(?:share|percent(?:age)?|proportion|fraction)"
_FRONTED = regex(
    rf"^(?:out\s+)?(?:of|among)\s+(?P<things>(?:all\s+)?(?:the\s+|our\s+|those\s+)?.+?),\s*(?P<ask>how\s+many|{_SHARE})(?:\s+of\s+them)?\s+",
    re.IGNORECASE,
)
_HEAD = regex(
    rf"^(?P<ask>how\s+many|{_SHARE}\s+of|which|list|name)\s+(?:of\s+)?(?:all\s+)?(?:the\s+|our\s+|those\s+)?(?:different\s+)?",
    re.IGNORECASE,
)
_AGAIN = late_pattern(
    r"\b(?:(?:c[ao]me|comes|coming|went|were|was)\s+back|returned|return|again|also|too|as\s+well)\b",
    re.IGNORECASE,
)
_SURELY = regex(r"\bagain\b|\bc[ao]me\s+back\b", re.IGNORECASE)
_NOT = late_pattern(r"\b(?:not|never|no\s+longer|nor|stopped)\b|\b\w+n['’]t\b", re.IGNORECASE)
_LATER = late_pattern(
    r"\b(?:(?:in|during|for)\s+)?(?:(?:a|any|some|all)\s+)?(?:later|subsequent)(?:\s+(?:years?|months?|quarters?|on))?\b"
    r"|\b(?:ever\s+since|since(?:\s+then)?|afterwards?|after\s+that|thereafter|ever)\b",
    re.IGNORECASE,
)
_NEXT = late_pattern(
    r"\b(?:in\s+)?the\s+(?:following|next)\s+year\b|\b(?:in\s+)?the\s+year\s+after\b", re.IGNORECASE
)
_BOTH = late_pattern(r"(?:\b(?:in|during)\s+)?\bboth\s+(?:in\s+)?(?:years\s*,?\s*)?$", re.IGNORECASE)
_JOINTS = late_pattern(
    r"^(?:[\s,;]|and\b|but\b|then\b|who\b|that\b|have\b|has\b|had\b|did\b|do\b|does\b|were\b|was\b|are\b|they\b|then\b)+",
    re.IGNORECASE,
)
_BEFORE_TIME = late_pattern(r"(?:\b(?:in|during|on|of|for|from)\s+)?(?:the\s+)?(?:year\s+)?$", re.IGNORECASE)
_ENDS_NOUN = vocabulary("who that which whose in of from with have had has did do were was are never")
_OTHER_QUESTION = late_pattern(
    r"\bhow\s+many\b|\bhow\s+much\b|\bwhat\b|\bwhich\b|\bcompared\b|\bversus\b|\bthan\b", re.IGNORECASE
)


@dataclass(frozen=True)
class _Said:
    """A question in its parts: what it asks for, the things, both clauses with their periods, and what stands behind."""

    ask: str
    things: str
    first: str
    second: str
    period: TimeRange
    when: str
    denied: bool
    behind: str
    again: bool


class Cohorts(ClauseReader):
    """Reads questions about things of one period and what became of them in another.

    Args:
        model: What the tables mean.
        reads: Reads a question about figures.
    """

    def __init__(self, model: SemanticModel, reads: Callable[[str, date], Drafted]) -> None:
        super().__init__(model, reads)
        self._elsewhere = DoneElsewhere(model, reads)

    def read(self, question: str, today: date) -> Drafted | None:
        """The reading; None where the question speaks of no such things. It is refused where a clause is not understood."""
        said = _parts(question, today)
        base = self._base(said, today) if said is not None else None
        if base is None and (elsewhere := self._elsewhere.read(question, today)) is not None:
            return elsewhere
        if said is None or base is None:
            plain = self._reads(question, today) if said is not None and said.again else None
            mixed = plain is not None and plain.status is ReadingStatus.CLEAR
            rows = plain is not None and said is not None and self._are_rows(said.things, plain)
            return _refused(said, None) if said is not None and mixed and not rows else None
        request, thing = base
        table = self._table(request)
        again = self._reads(f"How many different {said.things} {said.second} {said.when}".rstrip(), today)
        if again.status is ReadingStatus.AMBIGUOUS and len(again.requests) == 1:
            told = self._things.by_events(again.requests[0])
            again = Drafted(status=ReadingStatus.CLEAR, requests=(told,)) if told is not None else again
        found = (
            again.requests[0] if again.status is ReadingStatus.CLEAR and len(again.requests) == 1 else None
        )
        if found is None or table is None or not self._counts(found):
            return _refused(said, again)
        if said.period.end != date.max and _is_outside(said.period, self._time(request)):
            return again.model_copy(update={"requests": (found.model_copy(update={"question": question}),)})
        bound = Filter(
            field=self._things.rows(table).name,
            operator=FilterOperator.EQUALS if said.denied else FilterOperator.GREATER,
            values=(0,),
            having=True,
            by=thing.name,
            among=tuple(
                f for f in found.filters if f not in request.filters or not _is_own(f, thing, self._model)
            ),
            within=said.period,
        )
        return Drafted(status=ReadingStatus.CLEAR, requests=(_bounded(request, bound, said, question),))

    def _are_rows(self, things: str, reading: Drafted) -> bool:
        """“orders in both years”: what has one date each, so that both years are meant one by one."""
        metrics = [self._model.metric(m) for r in reading.requests for m in r.metrics]
        tables = [
            self._model.table(m.table) for m in metrics if m.table and m.aggregation is Aggregation.COUNT
        ]
        noun = singular(things.split()[-1].lower())
        return len(tables) == len(metrics) > 0 and all(noun == t.label.split()[-1].lower() for t in tables)

    def _base(self, said: _Said, today: date) -> tuple[Parts, Dimension] | None:
        """The request that the first clause makes, and the things that it is about."""
        asked = said.ask if said.ask in ("which", "list", "name") else "How many different"
        reading = self._reads(f"{asked} {said.things} {said.first} {said.behind}".strip(), today)
        doubtful = (
            reading.status is ReadingStatus.AMBIGUOUS
        )  # by their own date, or by that of what happened to them
        if not (doubtful or reading.status is ReadingStatus.CLEAR) or len(reading.requests) != 1:
            return None
        request = self._things.by_events(reading.requests[0]) if doubtful else reading.requests[0]
        if (
            request is None
            or request.time_range is None
            or request.comparison is not None
            or request.grain is not None
        ):
            return None
        if asked == said.ask:
            things = [self._model.dimension(d) for d in request.dimensions if not d.startswith("@")]
            listed = request.kind in (QuestionKind.LIST, QuestionKind.BREAKDOWN) and len(things) == 1
            return (request, things[0]) if listed and things[0].type in THINGS else None
        metrics = [self._model.metric(m) for m in request.metrics]
        return self._things.told(request, said.things) if len(metrics) == 1 else None

    def _counts(self, request: Parts) -> bool:
        metrics = [self._model.metric(m) for m in request.metrics]
        counting = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
        plain = request.comparison is None and not request.dimensions and request.grain is None
        return plain and len(metrics) == 1 and metrics[0].aggregation in counting and metrics[0].inner is None

    def _table(self, request: Parts) -> str | None:
        """The table whose rows say that somebody came."""
        tables = [t for m in request.metrics for t in self._model.base_tables(self._model.metric(m))]
        tables = tables or [
            self._model.dimension(d).home.table for d in request.dimensions if not d.startswith("@")
        ]
        return tables[0] if len(set(tables)) == 1 else None

    def _time(self, request: Parts) -> Dimension | None:
        table = self._table(request)
        name = request.time_dimension or (
            self._model.table(table).time_dimension if table is not None else None
        )
        return self._model.dimension(name) if name is not None else None


def _parts(question: str, today: date) -> _Said | None:
    """The parts of a question of two clauses and two periods; None where it is none."""
    text = question.strip().rstrip("?.! ")
    if (fronted := _FRONTED.match(text)) is not None:
        joint = " of " if "how" not in fronted["ask"].lower() else " of the "
        text = f"{fronted['ask']}{joint}{re.sub(r'^(?:all )?(?:the|our|those) ', '', fronted['things'])} {text[fronted.end() :]}"
    head = _HEAD.match(text)
    times = [
        m
        for m in find_times(text, today)
        if m.kind == "period" and m.period is not None and m.confidence >= 0.5
    ]
    if head is None or not times or times[0].period is None:
        return None
    both = _BOTH.search(text[: times[0].start])
    if both is not None and len(times) == 2:  # "gave in both 2021 and 2024": in the one, and in the other too
        joint = text[times[0].end : times[1].start].strip()
        if joint != "and":
            return None
        text = f"{text[: both.start()]}in {text[times[0].start : times[0].end]} and again in {text[times[1].start :]}"
        return _parts(text, today)
    first, rest = text[head.end() : times[0].end], text[times[0].end :]
    if _NOT.search(first) or _OTHER_QUESTION.search(rest):
        return None
    denied = _NOT.search(rest) is not None
    period, when, behind, rest = _later(rest, times, len(text) - len(rest))
    again = _AGAIN.search(rest) is not None or (len(times) > 1 and _goes_on(first, rest))
    if period is None or not (denied or again):
        return None
    if len(times) == 1 and not (again or when == "later"):
        return None
    things = _noun(first)
    if things is None:
        return None
    verb = " ".join(_JOINTS.sub("", _NOT.sub(" ", _AGAIN.sub(" ", rest)).strip()).split())
    if not verb:  # "gave by post in 2022 but not in 2023": the same in the other period
        verb = _BEFORE_TIME.sub("", text[head.end() : times[0].start])[len(things) :].strip()
    return _Said(
        re.sub(r"\s+", " ", head["ask"].lower()),
        things,
        first[len(things) :].strip(),
        verb,
        period,
        "" if when == "later" else when,
        denied,
        behind,
        _SURELY.search(rest) is not None,
    )


def _goes_on(first: str, rest: str) -> bool:
    """“who gave by post in 2022 gave online in 2024”: behind a relative clause comes what those did."""
    verb = rest.split()[:1]
    told = re.search(r"\b(?:who|that)\b", first, re.IGNORECASE) is not None
    return told and bool(verb) and (is_verb(verb[0].lower()) or get_lexicon().is_participle(verb[0].lower()))


def _later(rest: str, times: list[TimeMention], offset: int) -> tuple[TimeRange | None, str, str, str]:
    """The other period, how it is said, what stands behind it, and the clause without it."""
    start = times[0].period
    assert start is not None
    following = _NEXT.search(rest)
    if following is None and len(times) > 1:
        others = [m.period for m in times[1:] if m.period is not None]
        ordered = sorted(others, key=lambda p: p.start)
        follow = all(a.end + timedelta(days=1) == b.start for a, b in pairwise(ordered))
        if not follow:
            return None, "", "", rest
        first, last = times[1].start - offset, times[-1].end - offset
        whole = ordered[0] if len(ordered) == 1 else TimeRange(start=ordered[0].start, end=ordered[-1].end)
        clause = _BEFORE_TIME.sub("", rest[:first])
        when = f"in {times[1].text.removeprefix('in ')}"
        return whole, when, rest[last:].strip(" ,"), clause
    if following is not None:
        year = start.end.year + 1
        period = TimeRange(start=date(year, 1, 1), end=date(year, 12, 31), granularity=start.granularity)
        return period, f"in {year}", rest[following.end() :].strip(" ,"), rest[: following.start()]
    later = TimeRange(start=start.end + timedelta(days=1), end=date.max)
    said = list(_LATER.finditer(rest))
    if not said:
        return later, "", "", rest
    return later, "later", rest[said[-1].end() :].strip(" ,"), _LATER.sub(" ", rest[: said[-1].end()])


def _noun(clause: str) -> str | None:
    """The noun that a clause begins with: what stands before a verb or a relative clause."""
    words = clause.split()
    size = next(
        (i for i, w in enumerate(words) if w.lower() in _ENDS_NOUN or (i > 0 and is_verb(w.lower()))),
        len(words),
    )
    return " ".join(words[:size]) if 0 < size <= 4 else None


def _bounded(request: Parts, bound: Filter, said: _Said, question: str) -> Parts:
    """The request with the condition: of what it counts or lists, or of the part that a share is of."""
    if said.ask.startswith(("what", "which ")) and said.ask != "which":
        return request.model_copy(update={"question": question, "kind": QuestionKind.SHARE, "part": (bound,)})
    return request.model_copy(update={"question": question, "filters": (*request.filters, bound)})


def _is_own(given: Filter, thing: Dimension, model: SemanticModel) -> bool:
    return model.dimension(given.field).parent == thing.name


def _is_outside(period: TimeRange, time: Dimension | None) -> bool:
    days = time.coverage if time is not None else None
    return days is not None and (period.start > days[1] or period.end < days[0])


def _refused(said: _Said, again: Drafted | None) -> Drafted:
    """Nothing is told of one clause where the other is not understood."""
    if again is not None and again.missing:
        return Drafted(
            status=ReadingStatus.PARTIAL, missing=again.missing, message=again.message, options=again.options
        )
    message = f"I could not tell which {said.things} are meant: those of one period that are, or are not, there in another."
    return Drafted(status=ReadingStatus.PARTIAL, missing=(said.second or "again",), message=message)
