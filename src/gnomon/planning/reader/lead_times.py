"""How long before or after: “how many days ahead do people book”, “reported more than 7 days after the incident”, “on the same day”.

The two dates are those that the verb and the noun say something happened on, in the order in which they are said to lie;
where several pairs fit it is asked back, and where none does nothing is told without the condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import permutations

from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern, regex
from gnomon.core.query import TimeGranularity
from gnomon.data.column_names import vocabulary
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.clause_reader import ClauseReader
from gnomon.planning.reader.people import PEOPLE, is_person_noun
from gnomon.planning.reader.spans_between import tells
from gnomon.planning.reader.speech import PEOPLE as ACTING
from gnomon.planning.reader.words import name_words
from gnomon.planning.reading import Asked, Drafted, ReadingStatus, asked_back
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.derived import Derived, column_in
from gnomon.semantic.durations import ends_of, happening
from gnomon.semantic.labels import label_of, slug
from gnomon.semantic.model import ColumnRef, quoted, singular
from gnomon.semantic.values import ValueIndex

_UNIT = r"(?P<unit>days?|weeks?|hours?|minutes?|months?|years?)"
_AHEAD = r"ahead(?:\s+of\s+time)?|in\s+advance|beforehand"
_NOUN = r"(?:(?:the|their|its|his|her|a|an|it|they|was|were|being|getting|actual|scheduled)\s+)*"
_ENDS_NOUN = r"on|in|by|for|at|per|and|or|do|does|did|are|is|was|were|have|has|had|with|of|to|if|when"
_OBJECT = rf"{_NOUN}(?P<object>\w+(?:\s+(?!(?:{_ENDS_NOUN})\b)\w+){{0,2}})"
_WHERE = rf"(?:(?P<toward>before|prior\s+to|ahead\s+of|in\s+advance\s+of|after|following)\s+{_OBJECT}|(?P<alone>{_AHEAD}))"
_HELPS = r"(?:do|does|did|are|is|was|were|have|has|had)"
_HOW = r"^\s*(?:on\s+average,?\s+)?how\s+(?:many\s+(?P<unit>days|weeks|hours|minutes|months)|long|far|much\s+time|soon)\s+"
_FRONTED = regex(rf"{_HOW}{_WHERE}\s+{_HELPS}\s+(?P<clause>.+)$", re.IGNORECASE)
_TRAILING = regex(
    rf"{_HOW}{_HELPS}\s+(?P<clause>\w+(?:\s+\w+){{1,5}}?)\s+{_WHERE}(?P<rest>\b.*)$", re.IGNORECASE
)
_NUMBER = r"(?P<number>\d+(?:\.\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|fourteen|thirty)"
_BOUND = regex(
    rf"\b(?:(?P<how>more\s+than|over|longer\s+than|less\s+than|fewer\s+than|under|at\s+least|at\s+most|up\s+to|within|no\s+more\s+than|exactly)\s+"
    rf"{_NUMBER}(?P<plus>\+)?\s+(?:or\s+(?P<or>more|fewer|less)\s+)?|(?P<exact>\d+|an?|one|two|three)(?P<more>\+)?\s+(?:or\s+(?P<either>more|fewer|less)\s+)?)"
    rf"{_UNIT}\s+(?:or\s+(?P<behind>more|fewer|less)\s+)?(?:(?P<of>of|from)\s+{_OBJECT.replace('object', 'from')}|{_WHERE})\b",
    re.IGNORECASE,
)
_WITHIN = regex(rf"\b(?P<how>within)\s+{_NUMBER}\s+{_UNIT}(?!\s+(?:of|from|after|before)\b)", re.IGNORECASE)
_SAME_DAY = regex(
    rf"\b(?:on\s+)?the\s+(?:very\s+)?same\s+day(?:\s+(?:as|of|that)\s+{_OBJECT})?", re.IGNORECASE
)
_ON_DATE = regex(
    r"\bon\s+(?:the|their|its)\s+(?:very\s+)?(?:day\s+of\s+(?:the\s+)?)?(?P<object>\w+(?:\s+\w+)?)\s+(?:date|day)\b",
    re.IGNORECASE,
)
_VERB = late_pattern(
    r"(?P<link>(?:\b(?:that|which|who)\s+)?(?:\b(?:were|was|are|is|have|has|had|been|be|got|get|being|did|do)\s+)*)\b(?P<verb>\w+)\s+(?:only\s+)?$",
    re.IGNORECASE,
)
_SHARE = late_pattern(
    r"^\s*(?:what(?:'s|\s+is)?\s+(?:the\s+)?)?(?:share|percent(?:age)?|proportion|fraction|%)\s+of\s+(?:all\s+)?(?:the\s+)?",
    re.IGNORECASE,
)
_BETWEEN = regex(
    r"\b(?:delay|gap|lag|wait|waiting\s+time|interval|time\s+lag)s?\s+(?:in\s+days\s+)?(?P<joint>between|from)\s+(?P<ends>.+)$",
    re.IGNORECASE,
)
_FORECAST = regex(r"\b(?:predict|forecast|project|expect|will|going\s+to)\w*", re.IGNORECASE)
_GROUPED = regex(r"\b(?:by|per|each|every|which|over)\b", re.IGNORECASE)
_ON_AVERAGE = late_pattern(
    r"\s*,?\s*\b(?:on\s+average|usually|typically|normally|generally|in\s+general|as\s+a\s+rule)\b",
    re.IGNORECASE,
)
_LIGHT = vocabulary(
    """made make placed done taken take took given wait waits waited stay stays stayed last lasts remain it
    pass"""
)
_EVERYBODY = PEOPLE | ACTING | frozenset({"we", "they", "you", "it", "i", "one", "our", "the", "most"})
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_NUMBERS = {
    "a": 1.0,
    "an": 1.0,
    "fourteen": 14.0,
    "thirty": 30.0,
    **{w: float(n) for n, w in enumerate(_WORDS)},
}
_SECONDS = {"minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0}
_EARLIER = ("before", "prior", "ahead", "in advance", "beforehand")
_ORDERS = {
    "more than": FilterOperator.GREATER, "over": FilterOperator.GREATER, "longer than": FilterOperator.GREATER,
    "less than": FilterOperator.LESS, "fewer than": FilterOperator.LESS, "under": FilterOperator.LESS,
    "at least": FilterOperator.AT_LEAST, "more": FilterOperator.AT_LEAST, "+": FilterOperator.AT_LEAST,
    "at most": FilterOperator.AT_MOST, "up to": FilterOperator.AT_MOST, "within": FilterOperator.AT_MOST,
    "no more than": FilterOperator.AT_MOST, "fewer": FilterOperator.AT_MOST, "less": FilterOperator.AT_MOST,
}  # fmt: skip


@dataclass(frozen=True)
class _Pair:
    """What is said of two dates: the verb, the noun, and whether the verb comes first (None where it is not said)."""

    verb: tuple[str, ...]
    noun: tuple[str, ...]
    earlier: bool | None


class LeadTimes(ClauseReader):
    """Reads questions about the time between two dates of a row that are told by what happened on them.

    Args:
        model: What the tables mean.
        index: The values of the data.
        reads: Reads a question about figures.
    """

    def __init__(
        self, model: SemanticModel, index: ValueIndex, reads: Callable[[str, date], Drafted]
    ) -> None:
        super().__init__(model, reads)
        self._index = index
        self._spans = [(m, ends) for m in model.metrics if (ends := ends_of(m)) is not None]

    def read(self, question: str, today: date) -> Drafted | None:
        """The reading; None where no such time is spoken of. A condition that is not understood is refused."""
        text = question.strip().rstrip("?.! ")
        for found in (_FRONTED.match(text), _TRAILING.match(text)):
            if found is not None:
                return self._asked(question, found, today)
        if _FORECAST.search(text):
            return None
        if (bound := _BOUND.search(text)) is not None:
            return self._bounded(question, text, bound, today)
        if (same := _SAME_DAY.search(text)) is not None and not self._index.find(["same", "day"]):
            return self._bounded(question, text, same, today)
        if (on := _ON_DATE.search(text)) is not None and self._is_another(text[: on.start()], on["object"]):
            return self._bounded(question, text, on, today)
        if (within := _WITHIN.search(text)) is not None and self._is_done(text[: within.start()]):
            return self._bounded(question, text, within, today)
        if (between := _BETWEEN.search(text)) is not None and self._spans:
            return self._between(question, text, between, today)
        return None

    def _asked(self, question: str, found: re.Match[str], today: date) -> Drafted | None:
        """“how long after the incident are claims reported”: the mean of that time."""
        said = found.groupdict()
        clause = _ON_AVERAGE.sub("", found["clause"])
        spoken = clause.replace(",", " ").split()
        subject, verb, rest = self._parted(spoken, bool(said.get("rest")) or found.re is _TRAILING)
        if verb is None:
            return None
        rest = f"{rest} {_ON_AVERAGE.sub('', said.get('rest') or '')}".strip(" ,")
        noun = tuple(name_words(said["object"] or ""))
        earlier = (said["toward"] or said["alone"]).lower().startswith(_EARLIER)
        spans = self._between_events(_Pair((verb,), noun, earlier), tuple(name_words(" ".join(subject))))
        if not spans:
            return self._unsettled(question, [], found[0]) if self._are_dates(verb, noun) else None
        unit = (said["unit"] or "").lower()
        if unit and spans[0].unit != unit:
            return None
        how = "median" if re.search(r"\bmedian\b", question, re.IGNORECASE) else "average"
        whole = _time_between(spans[0], how)
        whose = [w for w in subject if w.lower() not in _EVERYBODY]
        object_, *more = rest.split() or [""]
        rest = " ".join(more) if self._are_rows([object_], spans[0]) else rest
        everybody = not whose or self._are_rows(whose, spans[0]) or _does(whose)
        if len(spans) > 1:
            behind = rest if everybody else f"for {' '.join(whose)} {rest}"
            wholes = [f"{_time_between(m, how)} {behind}".strip() for m in spans]
            return self._unsettled(question, spans, found[0], wholes)
        reading = self._told(whole, "" if everybody else " ".join(whose), rest, spans[0], today)
        if reading is None and len(whose) == 1 and whose[0].lower().endswith("s") and _is_passive(found[0]):
            reading = self._told(whole, "", rest, spans[0], today)  # "are books returned": what is returned
            note = f"“{whose[0]}” was taken to say no more than the rest of the question"
            reading = reading and reading.model_copy(update={"notes": (*reading.notes, note)})
        return _under(reading, question) if reading is not None else self._unsettled(question, [], found[0])

    def _told(self, whole: str, whose: str, rest: str, span: Metric, today: date) -> Drafted | None:
        """The reading of that time; None where it is not understood, or told apart though nothing asks for it."""
        reading = self._reads(f"{whole} {f'for {whose} ' if whose else ''}{rest}".strip(), today)
        if reading.status is not ReadingStatus.CLEAR or not _measures(reading, span):
            return None
        grouped = any(r.dimensions or r.grain for r in reading.requests)
        return None if grouped and not _GROUPED.search(rest) else reading

    def _are_rows(self, subject: list[str], span: Metric) -> bool:
        """Whether those of whom it is told are simply the rows that hold both dates."""
        named = self._model.table(span.table or "")
        rows = {w for name in (named.label, *named.synonyms) for w in name_words(name)}
        words = [w.lower() for w in subject]
        return len(words) == 1 and (singular(words[0]) in rows or self._happens(words[0]))

    def _parted(self, words: list[str], ends: bool) -> tuple[list[str], str | None, str]:
        """Who does it, the verb, and what stands behind it; in front of what it comes before the verb stands last."""
        if ends:
            return words[:-1], words[-1].lower(), ""
        places = range(1, min(6, len(words)))
        verbs = [k for k in places if words[k].lower() in _LIGHT or self._happens(words[k].lower())]
        verbs += [k for k in places if _may_be_verb(words[k].lower())]
        if not verbs:
            return words, None, ""
        k = verbs[0]
        return words[:k], words[k].lower(), " ".join(words[k + 1 :])

    def _bounded(self, question: str, text: str, found: re.Match[str], today: date) -> Drafted | None:
        """“reported more than 7 days after the incident”: a condition on the time between."""
        said = found.groupdict()
        before, behind = text[: found.start()], text[found.end() :]
        if said.get("of") and (said["how"] or "").lower() != "within":
            return None  # "more than 3 days of leave"
        verb = _VERB.search(before)
        word = verb["verb"].lower() if verb is not None else ""
        noun = tuple(name_words(said.get("object") or said.get("from") or ""))
        where = said.get("toward") or said.get("alone")
        earlier = where.lower().startswith(_EARLIER) if where else None
        rows = tuple(name_words(before[: verb.start("link")] if verb is not None else before))
        pair = _Pair((word,), noun, earlier)
        spans = self._between_events(pair, rows) or self._unnamed(pair)
        if len(spans) != 1:
            told = bool(said.get("alone")) and (bool(said.get("how")) or self._happens(word))
            dated = bool(noun) and not noun[0][0].isdigit() and bool(said.get("how"))
            sure = found.re is _SAME_DAY or told or dated
            return self._unsettled(question, spans, found[0]) if sure else None
        condition = self._condition(spans[0], said)
        if condition is None:
            return self._unsettled(question, [], found[0])
        done = verb is not None and (word in _LIGHT or self._happens(word))
        rest = f"{before[: verb.start()] if done and verb is not None else before} {behind}"
        return self._narrowed(question, rest, condition, found[0], today)

    def _is_another(self, before: str, noun: str) -> bool:
        """“returned on the due date”: on the day of one date happened what another one dates."""
        verb = _VERB.search(before)
        return verb is not None and bool(
            self._unnamed(_Pair((verb["verb"].lower(),), tuple(name_words(noun)), None))
        )

    def _is_done(self, before: str) -> bool:
        """“were returned within 14 days”: of what came before it, where one time ends in what was done."""
        verb = _VERB.search(before)
        ends = [
            e for _, e in self._spans if verb is not None and tells((verb["verb"].lower(),), happening(e[1]))
        ]
        return verb is not None and bool(verb["link"].strip()) and len(ends) == 1

    def _narrowed(self, question: str, rest: str, condition: Filter, said: str, today: date) -> Drafted:
        """The rest of the question with the condition; the part of a share where one is asked for."""
        share = _SHARE.match(rest)
        plain = f"how many {rest[share.end() :]}" if share is not None else rest
        reading = self._reads(" ".join(plain.split()), today)
        if reading.status is not ReadingStatus.CLEAR:
            return reading if reading.missing else self._unsettled(question, [], said)
        if any(r.kind is QuestionKind.SHARE or r.part for r in reading.requests):
            return self._unsettled(question, [], said)
        return _under(reading.model_copy(update={"requests": tuple(_with(r, condition, share is not None) for r in reading.requests)}), question)  # fmt: skip

    def _between(self, question: str, text: str, found: re.Match[str], today: date) -> Drafted | None:
        """“the average delay between incident and report”: the time between them."""
        reading = self._reads(f"{text[: found.start()]}time {found['joint']} {found['ends']}", today)
        names = {m.name for m, _ in self._spans}
        timed = any(names & {*r.metrics} for r in reading.requests)
        return _under(reading, question) if reading.status is ReadingStatus.CLEAR and timed else None

    def _condition(self, span: Metric, said: dict[str, str | None]) -> Filter | None:
        ends = ends_of(span)
        assert ends is not None
        unit, last, first = ends
        column = Derived(
            span.label.removeprefix("average "), f"{unit}({column_in(last)}, {column_in(first)})"
        )
        field = f"{span.table}.{column.spelling}"
        if "unit" not in said:  # on the same day
            equal = FilterOperator.EQUALS
            return (
                Filter(field=field, operator=equal, values=(0.0,))
                if unit == "days" and self._whole(span)
                else None
            )
        size = _SECONDS.get((said["unit"] or "").lower().removesuffix("s"))
        if size is None:
            return None
        either = next((w for k in ("or", "either", "behind", "plus", "more") if (w := said.get(k))), None)
        how = _ORDERS.get(either.lower() if either else " ".join((said["how"] or "").lower().split()))
        number = (said["number"] or said.get("exact") or "").lower()
        value = _NUMBERS.get(number) if number in _NUMBERS else float(number)
        value = (value or 0.0) * size / _SECONDS[unit.removesuffix("s")]
        return Filter(field=field, operator=how or FilterOperator.EQUALS, values=(value,))

    def _whole(self, span: Metric) -> bool:
        """Whether both ends are days, so that none between them means the same day."""
        ends = ends_of(span)
        found = [self._model.dimension(f"{span.table}.{column}") for column in (ends or ("", "", ""))[1:]]
        return all(d.grain is not TimeGranularity.HOUR or d.beside for d in found)

    def _between_events(self, pair: _Pair, rows: tuple[str, ...]) -> list[Metric]:
        """The times whose ends are what the words say happened, in the order that they say."""
        light = pair.verb[0] in _LIGHT
        event = pair.verb if not light and self._happens(pair.verb[0]) else ()
        if not event:
            event = next(((w,) for w in reversed(rows) if self._happens(w)), ())
        if not (event or pair.noun):
            return []
        found: list[Metric] = []
        for metric, (_, last, first) in self._spans:
            ends = (happening(first), happening(last))
            orders = [ends] if pair.earlier else [ends[::-1]] if pair.earlier is False else [ends, ends[::-1]]
            if any(
                (not event or tells(event, a)) and (not pair.noun or tells(pair.noun, b)) for a, b in orders
            ):
                found.append(metric)
        sure = light or not pair.verb[0] or bool(event)
        return found if sure else []

    def _unnamed(self, pair: _Pair) -> list[Metric]:
        """Times between two dates of a row that the model does not know, as one may come before or after the other."""
        dates = [d for d in self._model.dimensions if d.type is DimensionType.TIME and d.written is None]
        ends = [
            (a.home, b.home)
            for a, b in permutations(dates, 2)
            if a.home.table == b.home.table and pair.noun
            and tells(pair.verb, happening(a.home.column)) and tells(pair.noun, happening(b.home.column))
        ]  # fmt: skip
        return [_span(*((b, a) if pair.earlier is False else (a, b))) for a, b in ends]

    def _happens(self, word: str) -> bool:
        """Whether something is told to have happened so."""
        return any(tells((word,), happening(end)) for _, ends in self._spans for end in ends[1:])

    def _are_dates(self, verb: str, noun: tuple[str, ...]) -> bool:
        """Whether both are dated in the data, if not in this order or in the same table."""
        return bool(noun) and all(any(_dates(w, d) for d in self._model.dimensions) for w in (verb, noun[0]))

    @staticmethod
    def _unsettled(question: str, spans: list[Metric], said: str, options: Sequence[str] = ()) -> Drafted:
        """Which of several times is meant is asked back, the whole question once for each of them."""
        if len(spans) > 1:
            names = tuple(m.label for m in spans)
            asked = Asked(
                text=said.strip(), names=names, options=tuple(options), picks=(None,) * len(options)
            )
            return asked_back((asked,), ())
        message = f"I could not tell which two dates “{said.strip()}” is about."
        return Drafted(status=ReadingStatus.PARTIAL, missing=(said.strip(),), message=message)


def _time_between(span: Metric, how: str) -> str:
    """A time between two dates, in words that name both."""
    _, last, first = ends_of(span) or ("", "", "")
    return f"{how} time between {label_of(first)} and {label_of(last)}"


def _is_passive(asked: str) -> bool:
    return re.search(r"\b(?:are|is|was|were|been|get|got)\b", asked, re.IGNORECASE) is not None


def _measures(reading: Drafted, span: Metric) -> bool:
    """Whether a reading tells of that time, in whichever way it is averaged."""
    ends = ends_of(span)
    last = ends[1] if ends is not None else span.name
    told = [" ".join(r.metrics) for r in reading.requests]
    return all(span.name in t or last in t for t in told)


def _span(first: ColumnRef, last: ColumnRef) -> Metric:
    name = f"time from {happening(first.column)} to {happening(last.column)}"
    return Metric(
        name=slug(name),
        label=name,
        table=first.table,
        aggregation=Aggregation.MEAN,
        expression=f"days({quoted(last.column)}, {quoted(first.column)})",
        unit="days",
        additivity=Additivity.NON_ADDITIVE,
    )


def _dates(word: str, column: Dimension) -> bool:
    return column.type is DimensionType.TIME and tells((word,), happening(column.home.column))


def _does(subject: list[str]) -> bool:
    """Whether those who do it are nobody in particular: one noun for persons, who are all that do it."""
    return len(subject) == 1 and is_person_noun(subject[0].lower()) and not _tells_apart(subject[0].lower())


def _tells_apart(noun: str) -> bool:
    """Women, children and students are some of those who do it."""
    some = ("woman", "man", "child", "student", "adult", "senior", "male", "female")
    return any(kindred(noun, s) for s in some)


def _may_be_verb(word: str) -> bool:
    return any(part == "v" for _, part in get_lexicon().bases(word))


def _with(request: Parts, condition: Filter, share: bool) -> Parts:
    if share:
        return request.model_copy(update={"kind": QuestionKind.SHARE, "part": (condition,)})
    return request.model_copy(update={"filters": (*request.filters, condition)})


def _under(reading: Drafted, question: str) -> Drafted:
    """The reading with its requests under the words in which the question was put."""
    requests = tuple(r.model_copy(update={"question": question}) for r in reading.requests)
    return reading.model_copy(update={"requests": requests})
