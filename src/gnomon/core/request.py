"""The narrow waist: a typed reading of a question, the same whoever read it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic_core import CoreSchema, core_schema

from gnomon.core.algebra import Ask, Node
from gnomon.core.parts import Parts
from gnomon.core.shapes import parts_of


class Checked:
    """A tree is taken as it is, checked when it was made: what it may hold is worked out only where JSON is read."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> CoreSchema:
        def read(given: Any) -> Any:
            return given if isinstance(given, Node) else TypeAdapter(source).validate_python(given)

        return core_schema.no_info_plain_validator_function(read)


class Request(BaseModel):
    """A reading of one question.

    Args:
        question: The words.
        ask: What they ask, as a tree of the algebra whose leaves are the names of the semantic model.
        unexplained: Content words that bind to nothing in the data.
        confidence: How sure the reader is.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid", ignored_types=(cached_property,))

    question: str
    ask: Annotated[Ask, Checked]
    unexplained: tuple[str, ...] = ()
    confidence: float = Field(default=1.0, ge=0, le=1)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy whose parts are its own."""
        copied = super().model_copy(update=update, deep=deep)
        vars(copied).pop("parts", None)
        return copied

    def asking(self, ask: Ask) -> Self:
        """The same, asked by a tree that asks no more and no less: one whose nodes know their words."""
        copied = super().model_copy(update={"ask": ask})
        vars(copied)["parts"] = self.parts
        return copied

    @cached_property
    def parts(self) -> Parts:
        """What is asked, part by part."""
        return parts_of(self.ask, self.question, self.unexplained, self.confidence)
