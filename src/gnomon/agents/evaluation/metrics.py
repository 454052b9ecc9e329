"""How good an answer is without knowing the truth: words addressed, claims that rest on facts, requests answered."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.parts import Parts
from gnomon.core.patterns import regex
from gnomon.core.query import AccuracyMetrics

if TYPE_CHECKING:
    from gnomon.guardrails import Claim

_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?(?:[.,]\d+)*")
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
_ANSWERING = frozenset({AnswerStatus.ANSWERED, AnswerStatus.PARTIAL})


def measure(question: str, answer: Answer, claims: Sequence[Claim] | None = None) -> AccuracyMetrics:
    """Measure an answer by itself.

    Args:
        question: The words that were asked.
        answer: What was said.
        claims: What the prose claims, where that has been bound to the facts already.

    Returns:
        ``relevance``: the share of the question's key words that the reading accounts for; ``correctness``: the
        share of the prose's claims that a fact stands behind (1 where it claims nothing); ``completeness``: the
        share of what was asked for that came.
    """
    return AccuracyMetrics(
        relevance=relevance(question, answer),
        correctness=correctness(answer, claims),
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
    return sum(w not in left and _number_used(w, answer.request.parts) for w in words) / len(words)


def _number_used(word: str, request: Parts) -> bool:
    """A number that was asked for has to be in the reading somewhere, not only not be complained of."""
    try:
        number = float(word.replace(",", ""))
    except ValueError:
        return True
    if request.time_range or request.recurring or request.comparison:
        return True
    values = [v for f in (*request.filters, *request.part) for v in f.values]
    options = request.model_dump_json(include={"limit", "place", "course", "share", "brackets", "study"})
    written = " ".join(str(v) for v in (*values, options, *request.metrics, *request.dimensions)).casefold()
    # A condition may be part of an ad hoc metric, and a number part of a name.
    numbers = [v for v in values if isinstance(v, (int, float))]
    numbers += [float(n) for n in re.findall(r"\d+(?:\.\d+)?", written)]
    return any(_matches(number, v) for v in numbers) or word in re.findall(r"\w+", written)


def _matches(number: float, value: float) -> bool:
    return any(math.isclose(number * scale, value, rel_tol=1e-9) for scale in (1.0, 0.01, 1e3, 1e6, 1e9))


def correctness(answer: Answer, claims: Sequence[Claim] | None = None) -> float:
    """The share of the prose's claims that a fact stands behind; 1 where it claims nothing."""
    if claims is None:
        from gnomon.guardrails import NumberBinding

        claims = NumberBinding().bind(answer.prose, answer.facts, _names(answer))
    return sum(claim.ok for claim in claims) / len(claims) if claims else 1.0


def _names(answer: Answer) -> set[str]:
    """Words of the user and labels of the data: numbers within them are no claims."""
    labels = {v for table in answer.tables for row in table.rows for v in row if isinstance(v, str)}
    labels |= {v for fact in answer.facts for v in fact.about.group.values()}
    return labels | ({answer.request.question} if answer.request else set())


def completeness(answer: Answer) -> float:
    """The share of the requested figures that came; 0 where nothing was answered."""
    if answer.status not in _ANSWERING or not (answer.facts or answer.tables):
        return 0.0
    wanted = answer.request.parts.metrics if answer.request else ()
    told = {fact.about.metric for fact in answer.facts} | {c for t in answer.tables for c in t.columns}
    came = sum(metric in told for metric in wanted)
    whole = 1.0 if answer.status is AnswerStatus.ANSWERED else 0.5
    return came / len(wanted) if came else whole
