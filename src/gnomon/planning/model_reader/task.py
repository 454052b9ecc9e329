"""One question on its way through a language model: what is asked, and what becomes of what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from gnomon.core.request import Request
from gnomon.llm import Privacy, Rejected, load_prompt
from gnomon.planning.model_reader.account import left_over
from gnomon.planning.model_reader.compose import PartComposer
from gnomon.planning.model_reader.names import COLUMN, METRIC, Catalogue, Line
from gnomon.planning.model_reader.output import SaidPart, SaidReading, output_type
from gnomon.planning.model_reader.shown import ShownQuestion
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.followup import continued
from gnomon.planning.reader.items import candidate_items
from gnomon.planning.reader.lattice import best_cover
from gnomon.planning.reader.reader import MAX_WORDS
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.validate import Judge
from gnomon.planning.reader.words import split_words
from gnomon.planning.reading import Reading


class ReadingTask:
    """Asks about one question.

    Args:
        grammar: Whose vocabulary, values and judge are used.
        catalogue: How the names of the data are shown.
        privacy: What of the question may be seen.
        question: As it was typed.
        today: What relative times refer to.
        previous: The request before it.
    """

    def __init__(
        self,
        grammar: GrammarReader,
        catalogue: Catalogue,
        privacy: Privacy,
        question: str,
        today: date,
        previous: Request | None,
    ) -> None:
        self._grammar = grammar
        self._catalogue = catalogue
        self._question = question
        self._today = today
        self._previous = previous
        plain = split_words(question)[:MAX_WORDS]
        spoken = [w.lower for w in plain]
        values = {w for m in grammar.index.find(spoken) for w in spoken[m.start : m.end]}
        self._words, self._corrections = grammar.vocabulary.corrected(plain, values)
        self._items = candidate_items(question, self._words, grammar.vocabulary, grammar.index, today)
        self.shown = ShownQuestion(
            question,
            self._items,
            grammar.index,
            grammar.vocabulary,
            privacy,
            catalogue.shown,
            catalogue.holds,
        )
        self._tried = False
        self._left: list[int] = []
        self._lines = catalogue.relevant(self.shown.text)

    @property
    def output(self) -> type[SaidReading]:
        """The type of what the model may say."""
        return output_type(*([line.shown for line in lines] for lines in self._lines))

    def prompt(self) -> str:
        """What is sent beside the instructions."""
        metrics, columns, tables = (_listing(lines) for lines in self._lines)
        return load_prompt(
            "question",
            metrics=metrics,
            columns=columns,
            tables=tables,
            before=self._before(),
            question=self.shown.text,
            marks="\n".join(f"- {m}" for m in self.shown.legend) or "none",
        )

    def check(self, said: SaidReading) -> None:
        """Whether what the model said holds; the first time also, whether it leaves no word out.

        Raises:
            Rejected: It does not; the message tells the model why.
        """
        first, self._tried = not self._tried, True
        self.reading(said)
        if first and self._left:
            words = ", ".join(self.shown.sent(self._left))
            raise Rejected(
                f"Not accounted for: {words}. Say what these words ask for, or list them in not_in_data."
            )

    def reading(self, said: SaidReading) -> Reading | None:
        """The reading that the model's words make; None where it finds nothing about the data in the question.

        Raises:
            Rejected: What it said does not hold.
        """
        if not said.parts:
            return None
        cover, _ = best_cover(self._words, self._items)
        sentence = Sentence(self._words, cover)
        drafts: list[Draft] = []
        explained: set[int] = set()
        admitted = {i for echo in said.not_in_data for i in self._repeated(echo)}
        unknown = self.shown.phrases(sorted(admitted))
        for part in said.parts:
            draft, composer = self._draft(part, sentence)
            drafts.append(draft)
            explained |= composer.explained
            admitted |= composer.unknown
            unknown += self.shown.phrases(sorted(composer.unknown))
        found = left_over(drafts, self._words, cover, explained, self._grammar.model)
        self._left = [i for i in found if i not in admitted]
        left = self.shown.phrases(self._left)
        drafts[0].unexplained = list(dict.fromkeys(filter(None, [*unknown, *left])))
        judge = Judge(self._grammar.names, self._grammar.index)
        return judge.reading(self._question, drafts, self._words, self._corrections)

    def _draft(self, part: SaidPart, sentence: Sentence) -> tuple[Draft, PartComposer]:
        composer = PartComposer(
            self._grammar.names, self._grammar.index, self._catalogue, self.shown, self._items, self._today
        )
        draft = composer.draft(part)
        if part.continues and self._previous is not None:
            names, index = self._grammar.names, self._grammar.index
            draft = continued(draft, self._previous, sentence, names, index)
        composer.check(draft)
        return draft, composer

    def _repeated(self, echo: str) -> list[int]:
        places = self.shown.locate(echo)
        if places is None:
            raise Rejected(f"“{echo}” does not stand in the question. Repeat its words exactly.")
        return places

    def _before(self) -> str:
        """The request before, without its values and days."""
        if self._previous is None:
            return "none"
        known = {m.name for m in self._grammar.model.metrics}
        measured = [self._catalogue.shown(METRIC, m) for m in self._previous.metrics if m in known]
        groups = [self._catalogue.shown(COLUMN, d) for d in self._previous.dimensions if d[:1] != "@"]
        by = f" by {', '.join(groups)}" if groups else ""
        return f"{self._previous.kind} of {', '.join(measured) or 'a measure'}{by}"


def _listing(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines) or "none"
