"""Readings to pick from: what a question may mean of which one or two words have no place in the data, already computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from gnomon.agents.clarifying import Clarifying
from gnomon.agents.offers import as_agreed
from gnomon.core.answer import Answer, AnswerStatus, Option
from gnomon.core.errors import GnomonError
from gnomon.core.request import Request
from gnomon.planning.compared_periods import made_whole
from gnomon.planning.reader.operators import operators
from gnomon.planning.reading import Pick, PickSort, Reading, ReadingStatus, Reads
from gnomon.semantic import SemanticModel
from gnomon.semantic.values import ValueIndex

if TYPE_CHECKING:
    from gnomon.reading.search import Search, Way

MOST = 3
MOST_MEANT = 4
MOST_COMPUTED = 10
EMPTY = 0.2
WEAK = 0.01
MEANT_SO = "\n\nIt may be meant so:\n"


@dataclass(frozen=True)
class _Settled:
    """A question of which every doubt was settled: what was taken for what, in which words, and how it is read."""

    taken: tuple[tuple[str, str, Pick | None], ...]
    question: str
    reading: Reading

    def option(self, answer: Answer) -> Option:
        """What is offered of it; a name that one word was taken for is remembered when it is picked."""
        said = [
            f"“{text}” as {name}" if pick is not None else f"it as {name}" for text, name, pick in self.taken
        ]
        text, _, pick = self.taken[0]
        # “The most” is meant otherwise in the next question, “breed” is not.
        names = operators().get(tuple(text.lower().removeprefix("the ").split())) is None
        teaches = names and len(self.taken) == 1 and pick is not None and pick.sort in _TAUGHT
        word, name = (text, pick.name) if pick is not None and teaches else ("", "")
        return Option(
            said=f"taking {' and '.join(said)}", question=self.question, prose=answer.prose, facts=answer.facts,
            word=word, name=name, requests=self.reading.requests, notes=self.reading.notes,
        )  # fmt: skip


_TAUGHT = (PickSort.METRIC, PickSort.DIMENSION)


def _settled_ways(question: str, reading: Reading) -> Iterator[_Settled]:
    """The ways in which all that is in doubt can be meant, as they were found to lead to answers."""
    if not reading.asked:
        return
    asked = reading.asked[0]
    meant = {q: (n, p) for n, q, p in zip(asked.names, asked.options, asked.picks, strict=True)}
    for option, way in zip(reading.options, reading.ways, strict=False):
        if option not in meant:
            continue
        name, pick = meant[option]
        put = question.replace(asked.text, name, 1) if pick is not None and asked.text in question else option
        taken = (asked.text, name, pick)
        if way.status is ReadingStatus.CLEAR:
            yield _Settled((taken,), put, way)
        else:
            for further in _settled_ways(put, way):
                yield replace(further, taken=(taken, *further.taken))


@dataclass(frozen=True)
class _Whole:
    """Reads what may be picked as it is read when it is asked."""

    reader: Reads
    model: SemanticModel

    def read(self, question: str, *, today: date, previous: Request | None = None) -> Reading:
        return made_whole(self.reader.read(question, today=today, previous=previous), self.model, today)


@dataclass
class Picks:
    """Finds and computes what an asker may pick from.

    Args:
        reader: Reads questions, without a language model.
        present: Computes a reading.
        model: What the tables mean.
        index: The values that they hold.
    """

    reader: Reads
    present: Callable[[Reading, date], Answer]
    model: SemanticModel
    index: ValueIndex

    def clarified(self, reading: Reading, today: date, previous: Request | None, *, tries: bool) -> Reading:
        """A reading in doubt with the options that lead to answers, which are tried first or believed."""
        return Clarifying(self._reads, self.model, self.present, tries).of(reading, today, previous)

    def of(
        self, question: str, reading: Reading | None, today: date, *, tries: bool = True
    ) -> tuple[Option, ...]:
        """Up to three readings, the likeliest first; none where too little was understood.

        Without ``tries`` they are not computed, so that what is offered tells nothing of the rows.
        """
        if reading is None or reading.status not in (ReadingStatus.PARTIAL, ReadingStatus.NOT_ABOUT_DATA):
            return ()
        if reading.options and reading.asked:  # what its words may mean was tried
            return ()
        found: list[Option] = []
        ways = self._search.ways(question, reading, today)
        ways = (
            ways if tries else (w for w in ways if all(self._is_name(word, m.label) for word, m in w.taken))
        )
        for way in islice(ways, MOST_COMPUTED):
            answer = self._answer(way.reading, today) if tries else _UNTRIED
            if answer is None:
                continue
            option = _option(way, answer)
            if tries and not any(f.value for f in option.facts):  # what comes to nothing is seldom asked
                option = option.model_copy(update={"chance": round(option.chance * EMPTY, 3)})
            same = next((n for n, o in enumerate(found) if tries and _figures(option) == _figures(o)), None)
            if same is None:
                found.append(option)
            else:  # that it comes to this is as likely as all ways in which it does
                likely = round(found[same].chance + option.chance, 3)
                found[same] = found[same].model_copy(update={"chance": likely})
        likely = [o for o in found if o.chance >= WEAK]  # a guess has to be more than one of many
        return tuple(sorted(likely, key=lambda o: -o.chance)[:MOST])

    def meant(
        self, question: str, reading: Reading | None, today: date, *, tries: bool = True
    ) -> tuple[Option, ...]:
        """What a question that is asked back about may mean, all doubts settled, already computed.

        Without ``tries`` nothing is computed, and no value of the data is named: what is offered tells nothing of the rows.
        """
        found: list[Option] = []
        ways = _settled_ways(question, reading) if reading is not None else iter(())
        ways = ways if tries else (w for w in ways if all(self._is_name(t, n) for t, n, _ in w.taken))
        for way in islice(ways, MOST_COMPUTED):
            answer = self._answer(way.reading, today) if tries else _UNTRIED
            option = way.option(answer) if answer is not None else None
            if option is not None and all(not tries or _figures(option) != _figures(o) for o in found):
                found.append(option)
            if len(found) == MOST_MEANT:
                break
        return tuple(found) if len(found) > 1 else ()

    def _is_name(self, word: str, label: str) -> bool:
        """Whether what a word is taken for is no value but its own: nothing, or what tables and columns are called."""
        said = {"", word.lower()}
        return label.lower() in {*said, *self._labels} or any(
            label.lower() == f"{name} {word.lower()}" for name in self._labels
        )

    @property
    def _labels(self) -> set[str]:
        named = (*self.model.metrics, *self.model.dimensions, *self.model.tables)
        return {said.lower() for x in named for said in (x.name, x.label, *x.synonyms)}

    @property
    def _reads(self) -> Reads:
        return _Whole(self.reader, self.model)

    @cached_property
    def _search(self) -> Search:
        from gnomon.reading.search import Search
        from gnomon.reading.senses import Senses

        return Search(self._reads, Senses(self.model, self.index))

    def _answer(self, reading: Reading, today: date) -> Answer | None:
        try:
            answer = self.present(reading, today)
        except GnomonError:
            return None
        return answer if answer.status is AnswerStatus.ANSWERED and answer.facts else None


_UNTRIED = Answer(status=AnswerStatus.CLARIFY, prose="")


def _option(way: Way, answer: Answer) -> Option:
    """What is offered: the question with its words so meant, and what that comes to."""
    taken = [(w, m) for w, m in way.taken if m.label not in ("", w)]
    left = tuple(w for w, m in way.taken if not m.label)
    said = [f"taking {' and '.join(f'“{w}” as {m.label}' for w, m in taken)}"] if taken else []
    said += [f"leaving out {' and '.join(f'“{w}”' for w in left)}"] if left else []
    names = [(w, m.name) for w, m in taken if m.kind in ("metric", "dimension", "rows")]
    word, name = names[0] if len(names) == 1 and len(taken) == 1 else ("", "")
    return Option(
        said=", ".join(said), question=way.question, leaves=left, prose=answer.prose,
        facts=answer.facts, word=word, name=name, chance=round(way.score, 3),
    )  # fmt: skip


def with_options(answer: Answer, options: tuple[Option, ...]) -> Answer:
    """A no that says what could be meant, and what each of that comes to."""
    if not options:
        return answer
    lines = [f"{n}. {o.said}: {o.prose.split(chr(10))[0]}" for n, o in enumerate(options, 1)]
    prose = f"{answer.prose}{MEANT_SO}" + "\n".join(lines)
    return answer.model_copy(update={"prose": prose, "options": options})


def without_figures(answer: Answer) -> str:
    """What is said with options, without what they come to: those that are a question by themselves can be asked."""
    if not answer.options:
        return answer.prose
    lines = [
        f"{n}. {o.said}: ask “{o.question}”." if as_agreed(o) is None else f"{n}. {o.said}."
        for n, o in enumerate(answer.options, 1)
    ]
    before, _, behind = answer.prose.partition(MEANT_SO)
    _, gap, rest = behind.partition("\n\n")
    return before + MEANT_SO + "\n".join(lines) + gap + rest


def _figures(option: Option) -> list[object]:
    return [f.value for f in option.facts]
