"""How good an answer is without knowing the truth: words addressed, claims that rest on facts, requests answered."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.query import AccuracyMetrics
from gnomon.core.request import Request
from gnomon.language.quantities import Quantity, Unit, find_quantities

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?(?:[.,]\d+)*")
# Words of the closed classes and of courtesy: they say how something is asked, not what.
_GRAMMAR = frozenset(
    """a about above across all also am among an and any anyone are as asked at be been before being below between both
    but by can could did do does doing done down during each either else ever every everything few for from get gets
    getting give given go goes got had has have having he hello help her here hey hi him his how i if in into is it its
    just kindly know let like list look many may me might mine more most much must my need needs no nor not now of off
    ok on one ones only onto or our ours out over own part per please quick quickly she should show so some something
    such tell than thank thanks that the their them then there these they thing things this those through to too under
    until up upon us very want wants was we were what what's whats when where whether which while who whom whose why
    will wish with within without wonder would you your yours see find compare vs versus against""".split()  # noqa: SIM905
)
_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9, "mn": 1e6}
_ANSWERING = frozenset({AnswerStatus.ANSWERED, AnswerStatus.PARTIAL})


def measure(question: str, answer: Answer) -> AccuracyMetrics:
    """Measure an answer by itself.

    Args:
        question: The words that were asked.
        answer: What was said.

    Returns:
        ``relevance``: the share of the question's key words that the reading accounts for; ``correctness``: the
        share of numbers in the prose that are the value of a fact or of a cell of a table, as far as they are
        written out (1 where the prose claims none); ``completeness``: the share of what was asked for that came.
    """
    return AccuracyMetrics(
        relevance=relevance(question, answer),
        correctness=correctness(answer),
        completeness=completeness(answer),
    )


def key_words(question: str) -> list[str]:
    """The content words of a question, as written but for case; numbers are among them."""
    words = [m.group(0).casefold().replace("’", "'") for m in _WORD.finditer(question)]
    return [w for w in dict.fromkeys(words) if w not in _GRAMMAR and w.removesuffix("'s") not in _GRAMMAR]


def relevance(question: str, answer: Answer) -> float:
    """The share of the key words that the reading accounts for; 1 where a question has none, 0 without a reading."""
    words = key_words(question)
    if answer.request is None:
        return 0.0
    if not words:
        return 1.0
    left = {w for text in answer.request.unexplained for w in key_words(text)}
    return sum(w not in left and _number_used(w, answer.request) for w in words) / len(words)


def _number_used(word: str, request: Request) -> bool:
    """A number that was asked for has to be in the reading somewhere, not only not be complained of."""
    try:
        number = float(word.replace(",", ""))
    except ValueError:
        return True
    if request.time_range or request.recurring or request.comparison:
        return True
    values = [v for f in (*request.filters, *request.part) for v in f.values]
    values += [request.limit, *request.parameters.values()]
    written = " ".join(str(v) for v in values) + " " + " ".join((*request.metrics, *request.dimensions))
    close = (isinstance(v, (int, float)) and _matches(number, v) for v in values)
    return any(close) or word in re.findall(r"\w+", written.casefold())


def _matches(number: float, value: float) -> bool:
    return any(math.isclose(number * scale, value, rel_tol=1e-9) for scale in (1.0, 0.01, 1e3, 1e6, 1e9))


def correctness(answer: Answer) -> float:
    """The share of numbers in the prose that rest on a fact or a cell; 1 where there are none."""
    claims = [q for q in find_quantities(answer.prose) if not _is_year(q)]
    if not claims:
        return 1.0
    known = [float(v) for v in _known(answer) if isinstance(v, (int, float)) and not isinstance(v, bool)]
    known += _asked_numbers(answer)
    return sum(_rests(claim, known) for claim in claims) / len(claims)


def _is_year(claim: Quantity) -> bool:
    """Years and days of the month belong to dates, which are named, not claimed."""
    return claim.is_whole and (1900 <= claim.value <= 2100 or claim.value <= 31) and claim.unit is Unit.NONE


def _known(answer: Answer) -> Iterable[Any]:
    yield from (fact.value for fact in answer.facts)
    for table in answer.tables:
        yield len(table.rows)
        for row in table.rows:
            yield from row


def _asked_numbers(answer: Answer) -> list[float]:
    """Numbers of the question itself may be repeated."""
    return [q.value for q in find_quantities(answer.request.question)] if answer.request else []


def _rests(claim: Quantity, known: list[float]) -> bool:
    """Whether a known value, rounded as far as the claim is written out, is the claim, whatever its sign."""
    written = re.match(r"[-+]?[\d,]*(?:\.(\d+))?\s*([a-zA-Z]*)", claim.text)
    digits = len(written[1] or "") if written else 0
    suffix = written[2].lower() if written else ""
    scale = _SCALES.get(suffix, 1e3 if "thousand" in suffix else 1e6 if "million" in suffix else 1.0)
    stated = abs(claim.value)
    if stated < scale and suffix in _SCALES:
        stated *= scale
    half = 0.5 * scale * 10.0**-digits * (1 + 1e-9)
    factors = (1.0, 100.0) if claim.unit is Unit.PERCENT else (1.0,)
    return any(abs(stated - abs(value) * f) <= half for value in known for f in factors)


def completeness(answer: Answer) -> float:
    """The share of the requested figures that came; 0 where nothing was answered."""
    if answer.status not in _ANSWERING or not (answer.facts or answer.tables):
        return 0.0
    wanted = answer.request.metrics if answer.request else ()
    told = {fact.about.metric for fact in answer.facts} | {c for t in answer.tables for c in t.columns}
    came = sum(metric in told for metric in wanted)
    whole = 1.0 if answer.status is AnswerStatus.ANSWERED else 0.5
    return came / len(wanted) if came else whole
