"""What a reader makes of a question: requests, or why there is none and what to ask back."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic_core import CoreSchema, core_schema

from gnomon.core.algebra import Ask, Node
from gnomon.core.request import Request


class ReadingStatus(StrEnum):
    """How well a question was understood.

    ``CLEAR``: every content word is accounted for. ``AMBIGUOUS``: two readings that give different numbers.
    ``PARTIAL``: something that was asked for is not in the data, or was not understood.
    ``NOT_ABOUT_DATA``: nothing in the question binds to the data.
    """

    CLEAR = "clear"
    AMBIGUOUS = "ambiguous"
    PARTIAL = "partial"
    NOT_ABOUT_DATA = "not_about_data"


class _Checked:
    """A tree is taken as it is, checked when it was made: what it may hold is worked out only where JSON is read."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        def read(given: Any) -> Any:
            return given if isinstance(given, Node) else TypeAdapter(source).validate_python(given)

        return core_schema.no_info_plain_validator_function(read)


class Reading(BaseModel):
    """A question as it was understood.

    Args:
        status: How well.
        requests: One for each part of the question, in order; empty where nothing could be read.
        missing: What was asked for and is not in the data, in the words of the question.
        held: Those of them that the data does have, and that only found no part to play.
        message: For every status but ``CLEAR``, one or two sentences to tell the asker.
        options: For ``AMBIGUOUS``, whole questions that would be clear; for ``PARTIAL``, such questions where nothing is
            missing, else names that are near to what is.
        explained: Share of the content words that the requests account for.
        notes: What the asker should know about how the question was taken, one sentence each.
        privacy: The level at which a language model was asked about it; None where none was.
        ask: What a language model made of the question, as a checked tree; ``requests`` are then what the local reader
            makes of the same question in other words, as a second opinion.
        restated: The question in those words.
        local: What the local reader made of the question itself, where a model was asked for more.
        continues: Whether it leans on the question before, so that its own words say little about what is asked.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    status: ReadingStatus
    requests: tuple[Request, ...] = ()
    missing: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    message: str = ""
    options: tuple[str, ...] = ()
    explained: float = Field(default=1.0, ge=0, le=1)
    notes: tuple[str, ...] = ()
    privacy: str | None = None
    continues: bool = False
    ask: Annotated[Ask | None, _Checked] = None
    restated: str = ""
    local: Reading | None = None


class Reads(Protocol):
    """What reads questions over one model."""

    def read(self, question: str, *, today: date, previous: Request | None = None) -> Reading:
        """The reading of a question."""
        ...
