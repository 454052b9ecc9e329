"""What a reader makes of a question: requests, or why there is none and what to ask back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.algebra import Ask
from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind, Scalar
from gnomon.core.request import Checked, Request
from gnomon.planning.trees import requests_of
from gnomon.semantic.model import SemanticModel


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


class PickSort(StrEnum):
    """What an option puts another name in place of."""

    METRIC = "metric"
    DIMENSION = "dimension"
    FIELD = "field"
    TIME = "time"


class Pick(BaseModel):
    """What one option means for the requests: a name in place of the one that was taken, and nothing else changes.

    Args:
        sort: What the names are of.
        taken: The name that stands in the requests; empty where none was taken.
        name: The one that the option means.
        said: For a field, the values that the words were taken for; of no other condition on it is anything changed.
        values: What they are in the column of the option.
        operator: How that column is compared with them, where it is another one.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    sort: PickSort
    taken: str = ""
    name: str
    said: tuple[Scalar, ...] = ()
    values: tuple[Scalar, ...] = ()
    operator: FilterOperator | None = None

    def put(self, request: Parts) -> Parts | None:
        """What is asked as the option means it; None where it has nothing that the option is about."""
        if self.sort is PickSort.TIME:
            return request.model_copy(update={"time_dimension": self.name})
        if self.sort is PickSort.FIELD:
            return self._narrowed(request)
        held = "metrics" if self.sort is PickSort.METRIC else "dimensions"
        names: tuple[str, ...] = getattr(request, held)
        if self.taken and self.taken not in names:
            return None
        put = tuple(self.name if n == self.taken else n for n in names) if self.taken else (*names, self.name)
        # Groups that were compared by nothing so far are compared by what is picked.
        first = self.sort is PickSort.METRIC and not request.metrics and request.comparison is not None
        kind = QuestionKind.COMPARISON if first else request.kind
        return request.model_copy(update={held: put, "kind": kind})

    def _narrowed(self, request: Parts) -> Parts | None:
        meant = [f for f in (*request.filters, *request.part) if self._is_meant(f)]
        if not meant:
            return None
        groups = tuple(self.name if d == self.taken else d for d in request.dimensions)
        against = request.comparison
        if against is not None and {*against.groups} & {*map(str, self.said)} and self.said != self.values:
            return None  # what is compared is told by the names that it has in the first column
        filters, part = (
            tuple(self._moved(f) if f in meant else f for f in given)
            for given in (request.filters, request.part)
        )
        return request.model_copy(update={"filters": filters, "part": part, "dimensions": groups})

    def _is_meant(self, given: Filter) -> bool:
        if given.field != self.taken or given.having:
            return False
        # In another column only all of a list can be meant; in the same one, any of its values.
        if self.operator is not None:
            return {*self.said} == {*given.values}
        return given.operator in _SEVERAL and {*self.said} <= {*given.values}

    def _moved(self, given: Filter) -> Filter:
        if self.operator is not None:
            return given.model_copy(
                update={"field": self.name, "values": self.values, "operator": self.operator}
            )
        kept = tuple(v for v in given.values if v not in self.said)
        values = tuple(dict.fromkeys((*kept, *self.values)))
        alone, several = _SEVERAL[given.operator]
        return given.model_copy(update={"values": values, "operator": alone if len(values) == 1 else several})


_SEVERAL = {
    how: pair
    for pair in (
        (FilterOperator.EQUALS, FilterOperator.IN),
        (FilterOperator.NOT_EQUALS, FilterOperator.NOT_IN),
    )
    for how in pair
}


class Asked(BaseModel):
    """Words that fit several things: what is asked back, and what each reply means.

    Args:
        text: The words.
        names: What they may mean, as it is told.
        options: The question as a whole, once for each of them.
        picks: What each of them changes in the requests; None where the question has to be read anew for it.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    text: str
    names: tuple[str, ...]
    options: tuple[str, ...]
    picks: tuple[Pick | None, ...] = ()


class _Understood(BaseModel):
    """A question as it was understood.

    Args:
        status: How well.
        missing: What was asked for and is not in the data, in the words of the question.
        held: Those of them that the data does have, and that only found no part to play.
        message: For every status but ``CLEAR``, one or two sentences to tell the asker.
        options: For ``AMBIGUOUS``, whole questions that would be clear; for ``PARTIAL``, such questions where nothing is
            missing, else names that are near to what is.
        explained: Share of the content words that the requests account for.
        notes: What the asker should know about how the question was taken, one sentence each.
        continues: Whether it leans on the question before, so that its own words say little about what is asked.
        asked: What is in doubt, the first of which is asked back; for ``CLEAR``, what was until it was settled.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    status: ReadingStatus
    missing: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    message: str = ""
    options: tuple[str, ...] = ()
    explained: float = Field(default=1.0, ge=0, le=1)
    notes: tuple[str, ...] = ()
    continues: bool = False
    asked: tuple[Asked, ...] = ()


class Drafted(_Understood):
    """A question as the grammar understood it; ``requests`` are the parts of each part of the question, in order."""

    requests: tuple[Parts, ...] = ()

    def reading(self, model: SemanticModel) -> Reading:
        """The same with trees."""
        told = {name: getattr(self, name) for name in _Understood.model_fields}
        return Reading(**told, requests=requests_of(self.requests, model))


class Reading(_Understood):
    """A question as whoever reads it gives it: with trees.

    Args:
        requests: One for each part of the question, in order; empty where nothing could be read.
        privacy: The level at which a language model was asked about it; None where none was.
        ask: What was made of the question, as a checked tree of columns. Where a language model made it, ``requests`` are
            what the local reader makes of the same question in other words, as a second opinion.
        second: That opinion as a whole, where there is one.
        unsure: Whether that opinion took words otherwise than they stand, so that it weighs little against the tree.
        own: Whether the tree was read here, from the words alone.
        restated: The question in those words.
        local: What the local reader made of the question itself, where a model was asked for more.
        alone: Those of the options that mean the same to somebody who has not heard the question before.
        ways: The readings that ``options`` stand for, each of which was found to lead to an answer; empty before that.
    """

    requests: tuple[Request, ...] = ()
    privacy: str | None = None
    ask: Annotated[Ask | None, Checked] = None
    second: Reading | None = None
    unsure: bool = False
    own: bool = False
    restated: str = ""
    local: Reading | None = None
    ways: tuple[Reading, ...] = ()
    alone: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[Parts, ...]:
        """What each part of the question asks, part by part."""
        return tuple(r.parts for r in self.requests)

    def asking(self, parts: Iterable[Parts], model: SemanticModel, **changes: Any) -> Reading:
        """The reading with other requests."""
        return self.model_copy(update={"requests": requests_of(parts, model), **changes})


class Reads(Protocol):
    """What reads questions over one model."""

    def read(self, question: str, *, today: date, previous: Request | None = None) -> Reading:
        """The reading of a question."""
        ...


def asked_back(asked: tuple[Asked, ...], requests: tuple[Parts, ...], explained: float = 1.0) -> Drafted:
    """The reading of a question of which something is in doubt; the first of it is asked back."""
    return Drafted(
        status=ReadingStatus.AMBIGUOUS,
        requests=requests,
        message=which_one(asked[0].text, asked[0].names),
        options=asked[0].options,
        explained=explained,
        asked=asked,
    )


def which_one(text: str, names: Sequence[str]) -> str:
    """What is asked back."""
    return f"“{text}” could mean {quoted(names, 'and')}. Which one do you mean?"


def quoted(names: Sequence[str], joint: str) -> str:
    """Names in a row, each in quotes."""
    return in_a_row([f"“{n}”" for n in names], joint)


def in_a_row(names: Sequence[str], joint: str = "and") -> str:
    """Names one after the other, the last behind “and” or “or”."""
    return f"{', '.join(names[:-1])} {joint} {names[-1]}" if len(names) > 1 else "".join(names) or "nothing"
