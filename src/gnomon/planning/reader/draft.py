"""A reading in the making: what composition has bound so far, and what it could not decide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from gnomon.core.operations import Side, Tell
from gnomon.core.parts import (
    Brackets,
    Claim,
    Comparison,
    Course,
    Filter,
    Listing,
    Parts,
    QuestionKind,
    Share,
    overlaid,
)
from gnomon.core.query import Recurring, TimeGranularity, TimeRange
from gnomon.core.studies import GroupTest, Study
from gnomon.language.time_grammar import TimeMention
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.words import split_words
from gnomon.planning.reading import Drafted, Pick, PickSort


@dataclass(frozen=True)
class Doubt:
    """Words that fit two things equally well, and what each choice would mean.

    ``fields`` are the dimensions of which it may be a value, where that is the doubt; ``picks`` what each option
    changes in the request, where that is the name of something and nothing else. ``together`` says that the options
    are no alternatives: each was said, and how they belong together was not.
    """

    text: str
    options: tuple[str, ...]
    fields: tuple[str, ...] = ()
    picks: tuple[Pick | None, ...] = ()
    together: bool = False


def picks(sort: PickSort, taken: str, names: Iterable[str]) -> tuple[Pick, ...]:
    """What options change that each are another name of something."""
    return tuple(Pick(sort=sort, taken=taken, name=name) for name in names)


@dataclass
class Draft:
    """The parts of a request as they are found.

    ``listed`` is a dimension of which several values were named one by one, and how they were joined;
    ``shift`` is a step back in time that has no period of its own to start from; ``rows_counted`` says that rows
    are counted which no noun names, ``coordinated`` that it hangs on the part before by “and”.
    """

    question: str
    kind: QuestionKind | None = None
    metrics: list[str] = field(default_factory=list[str])
    dimensions: list[str] = field(default_factory=list[str])
    filters: list[Filter] = field(default_factory=list[Filter])
    part: list[Filter] = field(default_factory=list[Filter])
    time_range: TimeRange | None = None
    time_dimension: str | None = None
    recurring: Recurring | None = None
    comparison: Comparison | None = None
    grain: TimeGranularity | None = None
    descending: bool = True
    limit: int | None = None
    limit_per: str | None = None
    place: int | None = None
    each: bool = False
    beside: str | None = None
    tells: tuple[Tell, ...] = ()
    claim: Claim = field(default_factory=Claim)
    course: Course = field(default_factory=Course)
    share: Share = field(default_factory=Share)
    brackets: Brackets | None = None
    listing: Listing | None = None
    study: Study | None = None
    unexplained: list[str] = field(default_factory=list[str])
    doubts: list[Doubt] = field(default_factory=list[Doubt])
    notes: list[str] = field(default_factory=list[str])
    confidence: float = 1.0
    both_ends: bool = False
    shift: TimeMention | None = None
    listed: tuple[str, str] | None = None
    other_periods: list[TimeRange] = field(default_factory=list[TimeRange])
    other_recurring: list[Recurring] = field(default_factory=list[Recurring])
    heard: Sentence | None = None
    rows_counted: bool = False
    coordinated: bool = False

    def add_dimension(self, name: str) -> None:
        """Break down by ``name`` too, once."""
        if name not in self.dimensions:
            self.dimensions.append(name)

    def add_metric(self, reference: str) -> None:
        """Compute ``reference`` too, once."""
        if reference not in self.metrics:
            self.metrics.append(reference)

    @property
    def is_plain(self) -> bool:
        """Whether figures, groups and rows are all that is asked for."""
        named = (self.place, self.each, self.beside, self.tells, self.brackets, self.listing, self.study)
        return not any(named) and (self.claim, self.course, self.share) == (Claim(), Course(), Share())

    def tell(self, what: Tell) -> None:
        """Ask for ``what`` of two figures too, once."""
        self.tells = tuple(dict.fromkeys((*self.tells, what)))

    def claims(self, side: Side | None) -> None:
        """Claim that one figure is on a side of another, where that is said."""
        self.claim = self.claim.model_copy(update={"side": side}) if side is not None else self.claim

    def adopt(self, *others: Draft | Parts) -> None:
        """Ask what others ask beside figures, groups and rows; what the last of them asks holds, and what this does."""
        everyone = (*others, self)
        walks = dict.fromkeys(w for x in everyone for w in x.course.walks)
        course = overlaid(*(x.course for x in everyone)).model_copy(update={"walks": tuple(walks)})
        self.course, self.claim = course, overlaid(*(x.claim for x in everyone))
        self.share = overlaid(*(x.share for x in everyone))
        self.tells = tuple(dict.fromkeys(t for x in everyone for t in x.tells))
        self.each = any(x.each for x in everyone)
        for x in reversed(others):
            self.place, self.beside = self.place or x.place, self.beside or x.beside
            self.brackets, self.listing = self.brackets or x.brackets, self.listing or x.listing
            if isinstance(self.study, GroupTest) and isinstance(x.study, GroupTest):
                self.study = overlaid(x.study, self.study)
            self.study = self.study or x.study

    def request(self) -> Parts:
        """The parts as they were found."""
        return Parts(
            question=self.question,
            kind=self.kind or QuestionKind.VALUE,
            metrics=tuple(self.metrics),
            dimensions=tuple(self.dimensions),
            filters=tuple(dict.fromkeys(self.filters)),
            part=tuple(dict.fromkeys(self.part)),
            time_range=self.time_range,
            time_dimension=self.time_dimension,
            recurring=self.recurring,
            comparison=self.comparison,
            grain=self.grain,
            descending=self.descending,
            limit=self.limit,
            limit_per=self.limit_per,
            place=self.place,
            each=self.each,
            beside=self.beside,
            tells=self.tells,
            claim=self.claim,
            course=self.course,
            share=self.share,
            brackets=self.brackets,
            listing=self.listing,
            study=self.study,
            unexplained=tuple(self.unexplained),
            confidence=self.confidence,
        )


def said_so(question: str, text: str, option: str) -> str:
    """The question with an option in place of the words that are in doubt, or of the first value of a list that is.

    They are looked for as words, where they stand; a question that does not say them so is followed by the option.
    """
    rank = operators().get(tuple(text.lower().split()))
    put = f"{text} {option}" if rank is not None and rank.op is Op.RANK else option  # "the most": of what
    words = option.split()
    for said in (text, *(" ".join(words[i:]) for i in range(1, len(words)))):
        if (at := _place(question, said)) is not None:
            return f"{question[: at[0]]}{put}{question[at[1] :]}"
    return f"{question.rstrip('?.! ')}: {option}"


def _place(question: str, said: str) -> tuple[int, int] | None:
    """Where words stand in a question, as whole words."""
    wanted = [w.lower for w in split_words(said)]
    words = split_words(question)
    size = len(wanted)
    for i in range(len(words) - size + 1 if size else 0):
        if [w.lower for w in words[i : i + size]] == wanted:
            return words[i].start, words[i + size - 1].end
    return None


class Drafts(Protocol):
    """What reads questions over one model."""

    def drafted(self, question: str, *, today: date, previous: Parts | None = None) -> Drafted:
        """The reading of a question."""
        ...
