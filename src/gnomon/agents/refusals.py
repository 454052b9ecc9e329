"""Answers that say no: why, and what can be asked instead."""

from __future__ import annotations

from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import GnomonError, TimedOut
from gnomon.core.figures import sentence
from gnomon.language import OODResult
from gnomon.planning.reading import Reading, ReadingStatus


def refused(domain: OODResult, reading: Reading) -> Answer:
    """The question is not about data."""
    reason = domain.reason or "The request does not ask about data."
    return Answer(
        status=AnswerStatus.OUT_OF_DOMAIN,
        prose=f"{reason} I answer questions about the tables that are open here. {reading.message}".strip(),
        suggestions=reading.options,
    )


def unclear(reading: Reading) -> Answer:
    """The question is about data, but cannot be answered as it stands: asked back where nothing is missing."""
    whole = reading.status is ReadingStatus.PARTIAL and not reading.missing
    asked = reading.status is ReadingStatus.AMBIGUOUS or whole
    return Answer(
        status=AnswerStatus.CLARIFY if asked else AnswerStatus.OUT_OF_SCOPE,
        prose=sentence(reading.message or "I could not read this as a question about the data."),
        request=reading.requests[0] if reading.requests else None,
        suggestions=reading.alone if reading.ways else reading.options,
    )


def foreign(language: str) -> Answer:
    """The question is in a language that is not read here."""
    return Answer(
        status=AnswerStatus.OUT_OF_DOMAIN,
        prose=f"This looks like {language}. I read questions in English only, so far.",
        suggestions=("Ask the same question in English.",),
    )


def timed_out(error: TimedOut, reading: Reading | None) -> Answer:
    """The work took longer than it may."""
    return Answer(
        status=AnswerStatus.ERROR,
        prose=error.message,
        request=reading.requests[0] if reading and reading.requests else None,
        suggestions=error.suggestions or ("Ask for a shorter period or fewer groups.",),
    )


def in_part(answer: Answer, error: TimedOut) -> Answer:
    """What was done before the time was up, with why there is no more."""
    return answer.model_copy(
        update={
            "status": AnswerStatus.PARTIAL,
            "prose": f"{answer.prose}\n\nThis is not all: there was no time for the rest.",
            "suggestions": tuple(dict.fromkeys([*error.suggestions, *answer.suggestions])),
        }
    )


def failed(error: Exception) -> Answer:
    """Something went wrong: an error of our own says what, any other only that it is no fault of the question."""
    if isinstance(error, GnomonError):
        return Answer(status=AnswerStatus.ERROR, prose=error.message, suggestions=error.suggestions)
    return Answer(
        status=AnswerStatus.ERROR,
        prose=f"An unexpected error ({type(error).__name__}) stopped the answer. The question is not at fault.",
        suggestions=("Ask it in other words, and report the error if it comes again.",),
    )
