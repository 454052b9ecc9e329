"""One question on its way through a language model: what is sent, and what becomes of the query that comes back."""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core import algebra as al
from gnomon.core.operations import Verb
from gnomon.core.parts import Parts
from gnomon.llm import Rejected, load_prompt
from gnomon.planning.check import left_out
from gnomon.planning.model_reader.card import Card
from gnomon.planning.model_reader.examples import examples
from gnomon.planning.model_reader.meant_values import meant_value
from gnomon.planning.model_reader.select import Compared, Objections, Selected, read_select
from gnomon.planning.model_reader.shown import ShownQuestion
from gnomon.planning.model_reader.studies import studied
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reader.items import candidate_items
from gnomon.planning.reader.reader import MAX_WORDS
from gnomon.planning.reader.words import split_words
from gnomon.semantic.additivity import NotAdded, not_added
from gnomon.semantic.value_text import normalised

TRIES = 3
# Numbers that a query may hold without the question saying them: counts of calendars and clocks, and powers of ten.
PLAIN_NUMBERS = frozenset(
    {
        *range(13),
        23,
        24,
        28,
        29,
        30,
        31,
        52,
        60,
        100,
        365,
        366,
        1000,
        1440,
        3600,
        86400,
        1_000_000,
        0.5,
        -1,
        30.4,
        30.44,
        365.2,
        365.25,
    }
)


# How a text says a value that it is not: in another form, or by another of a closed set of words.
_SAID = ("exact", "stem")
# Texts that a query may hold without the question saying them: names of months and weekdays.
_CALENDAR = frozenset(n.casefold() for n in (*calendar.month_name, *calendar.day_name) if n)


class SaidQuery(BaseModel):
    """What a model may say of a question."""

    model_config = ConfigDict(extra="forbid")

    restated: str = Field(
        description="The question again, in the names of the tables and columns; marks as they are."
    )
    query: str = Field(description="One SELECT that answers it, or nothing where the tables cannot.")
    study: Literal["", "drivers", "forecast", "outliers"] = Field(
        default="",
        description="What is done with the figure of the query where no query answers; else empty.",
    )
    ignored: list[str] = Field(
        default_factory=list[str],
        description="Words of the question that the query does not use and that change nothing.",
    )
    missing: list[str] = Field(
        default_factory=list[str],
        description="Words of the question for something that the tables do not have.",
    )


@dataclass(frozen=True)
class Answerable:
    """What a model made of a question.

    Args:
        selected: Its query, checked; None where it found none, or asks for a study.
        restated: The question in the names of the data, marks filled in again.
        ignored: What it left aside.
        missing: What it did not find in the data.
        study: What is to be looked into, where that is more than a query.
        taken: What its texts were taken for, where the data writes them otherwise.
    """

    selected: Selected | None
    restated: str
    ignored: tuple[str, ...]
    missing: tuple[str, ...]
    study: Parts | None = None
    taken: tuple[str, ...] = ()


class QueryTask:
    """Asks about one question.

    Args:
        grammar: Whose vocabulary and values are used.
        card: How the data is shown.
        question: As it was typed.
        today: What relative times refer to.
        before: The question before it, where this one continues it.
    """

    def __init__(
        self, grammar: GrammarReader, card: Card, question: str, today: date, before: str = ""
    ) -> None:
        self._grammar = grammar
        self._card = card
        self._today = today
        self._before = before
        plain = split_words(question)[:MAX_WORDS]
        spoken = [w.lower for w in plain]
        values = {w for m in grammar.index.find(spoken) for w in spoken[m.start : m.end]}
        words, _ = grammar.vocabulary.corrected(plain, values)
        self._items = candidate_items(question, words, grammar.vocabulary, grammar.index, today)
        self.shown = ShownQuestion(
            question, self._items, grammar.index, grammar.vocabulary, card, card.privacy
        )
        self.question = question

    def prompt(self) -> str:
        """What is sent beside the instructions: the data first, so that a server can keep it."""
        return load_prompt(
            "question",
            data="\n\n".join(
                filter(None, [self._card.text(self.shown.text), examples(self._card, self._grammar.model)])
            ),
            before=self._before or "none",
            question=self.shown.text,
            marks="\n".join(f"- {m}" for m in self.shown.legend) or "none",
        )

    def check(self, said: SaidQuery) -> None:
        """Whether what the model said holds.

        Raises:
            Rejected: It does not; the message tells the model everything at once.
        """
        try:
            self.taken(said)
        except Objections as e:
            raise Rejected(
                "\n".join(
                    ["This query cannot be taken.", *e.found, "Write it again, or say what is missing."]
                )
            ) from e

    def taken(self, said: SaidQuery) -> Answerable:
        """The query as a tree over the tables, with the values of the data in it.

        Raises:
            Objections: It names what is not there.
        """
        restated = self.shown.filled(said.restated)
        ignored, missing = (
            tuple(self.shown.filled(w) for w in words) for words in (said.ignored, said.missing)
        )
        if not said.query.strip():
            return Answerable(None, restated, ignored, missing)
        selected = read_select(
            said.query, self._grammar.model, self._card.columns,
            marks=self.shown.marks, today=self._today, names=self._card.meant,
        )  # fmt: skip
        replaced, wrong = self._checked(selected.values)
        if wrong:
            raise Objections(wrong)
        ask = with_values(selected.ask, replaced)
        if added := not_added(ask, self._grammar.model):
            raise Objections([self._instead(one) for one in added])
        if not said.study:
            aside = " ".join([*ignored, *missing]).casefold()
            if lost := [x for x in left_out(self._items, [ask]) if x.text.casefold() not in aside]:
                named = dict.fromkeys(map(self.shown.named, lost))
                raise Objections(
                    [f"The question says {n}, and nothing in the query stands for it." for n in named]
                )
            taken = tuple(
                f"“{said}” was taken as {held}."
                for (_, said), held in replaced.items()
                if normalised(said) != normalised(held)
            )
            return Answerable(Selected(ask, selected.values), restated, ignored, missing, taken=taken)
        if not isinstance(ask, al.Query):
            raise Objections(["A study takes a query of one figure, without windows."])
        study = al.Study(verb=Verb(said.study), query=ask)
        request = studied(study, self._grammar.model, self.question, self.shown.periods)
        return Answerable(None, restated, ignored, missing, request)

    def _instead(self, one: NotAdded) -> str:
        """What to do about a sum that would tell nothing."""
        column, shown = self._card.shown(one.column), self._card.shown
        if one.kind == "level":
            time, table = shown(one.time or ""), shown(one.table)
            return (
                f"SUM of {column} counts the same again for every {time}, since it is a level. Add it up on the last one "
                f"(WHERE {time} = (SELECT MAX({time}) FROM {table})), or average what it comes to on each "
                f"(SELECT AVG(t) FROM (SELECT {time}, SUM({column}) t FROM {table} GROUP BY {time}))."
            )
        if one.kind == "code":
            return f"{column} is a code or a time and no amount, so it is not added up; COUNT(DISTINCT {column}) counts them."
        return f"{column} is never added up, as it is a price, a rate or the like of each row; use AVG({column})."

    def _checked(self, values: Sequence[Compared]) -> tuple[dict[tuple[str, str], str], list[str]]:
        """Each text as the data writes it, and objections to whatever neither the question nor the data has."""
        replaced: dict[tuple[str, str], str] = {}
        wrong: list[str] = []
        made = {v.value.casefold() for v in values if isinstance(v.value, str) and not v.tested} | _CALENDAR
        for given in values:
            value = given.value
            if isinstance(value, (bool, type(None))):
                continue
            if isinstance(value, (int, float)):
                if value not in PLAIN_NUMBERS | self._card.numbers and value not in self.shown.numbers:
                    wrong.append(f"The number {value} does not stand in the question; use its mark.")
            elif isinstance(value, (date, datetime)):
                if not self._is_said(value):
                    wrong.append(f"The day {value} does not stand in the question; use the mark of its time.")
            elif isinstance(value, str) and given.tested and not self._looks_like_a_day(value):
                held = self._as_held(value, given.column) if given.column is not None else None
                if held is not None and given.column is not None:
                    replaced[f"{given.column.table}.{given.column.column}", value] = held
                elif given.column is not None and given.whole and self._knows_all(given.column):
                    wrong.append(
                        f"{self._card.shown(given.column.column)} has no such value as the question names; say that it is missing."
                    )
                elif value.casefold() not in self.question.casefold() and value.casefold() not in made:
                    what = self._card.shown(given.column.column) if given.column is not None else "Something"
                    wrong.append(
                        f"{what} is compared with a text that neither the question nor the data has; use a mark."
                    )
            elif (
                isinstance(value, str)
                and self._looks_like_a_day(value)
                and not self._is_said(datetime.fromisoformat(value))
            ):
                wrong.append(f"The day {value} does not stand in the question; use the mark of its time.")
        return replaced, wrong

    def _as_held(self, value: str, column: al.Column) -> str | None:
        """The value as the column writes it."""
        known = next(
            (
                d
                for d in self._grammar.model.dimensions
                if d.via is None and d.at(column.table) == column.column
            ),
            None,
        )
        if known is None:
            return None
        held = [v for v in self._grammar.index.values(known.name) if isinstance(v, str)]
        exact = next((v for v in held if v == value), None)
        exact = exact or next((v for v in held if v.casefold() == value.casefold()), None)
        return exact or self._as_said(value, known.name) or meant_value(value, held)

    def _as_said(self, value: str, dimension: str) -> str | None:
        """The one value of a column that a text says otherwise than it is written: passed, of Pass; male, of M."""
        words = split_words(value)
        items = candidate_items(value, words, self._grammar.vocabulary, self._grammar.index, self._today)
        whole = [i for i in items if (i.start, i.end) == (0, len(words))]
        meant = {m.value for i in whole for m in i.values if m.dimension == dimension and m.kind in _SAID}
        found = meant.pop() if len(meant) == 1 else None
        return found if isinstance(found, str) else None

    def _knows_all(self, column: al.Column) -> bool:
        """Whether the index has every value of a column, so that one that it does not have is nowhere."""
        dimensions = self._grammar.model.dimensions
        known = next((d for d in dimensions if d.via is None and d.at(column.table) == column.column), None)
        return known is not None and 0 < (known.distinct or 0) <= len(self._grammar.index.values(known.name))

    @staticmethod
    def _looks_like_a_day(value: str) -> bool:
        try:
            datetime.fromisoformat(value)
        except ValueError:
            return False
        return True

    def _is_said(self, value: date | datetime) -> bool:
        day = value.date() if isinstance(value, datetime) else value
        days = [d for p in self.shown.periods for d in (p.start, p.end)]
        return day == self._today or any(abs(day.toordinal() - d.toordinal()) <= 1 for d in days)


def with_values(ask: al.Query | al.Along, replaced: Mapping[tuple[str, str], str]) -> al.Query | al.Along:
    """The tree with texts as the data writes them, where they are held against a column that has them."""
    if not replaced:
        return ask
    return type(ask).model_validate(_rewritten(ask.model_dump(), replaced, ""))


def _rewritten(held: object, replaced: Mapping[tuple[str, str], str], column: str) -> object:
    if isinstance(held, (list, tuple)):
        return [_rewritten(v, replaced, column) for v in held]
    if not isinstance(held, dict):
        return held
    if held.get("node") in ("test", "among"):
        sides = [held.get("left"), held.get("right")]
        named = next((s for s in sides if isinstance(s, dict) and s.get("node") == "column"), None)
        column = f"{named['table']}.{named['column']}" if named is not None else ""
    if held.get("node") == "literal" and isinstance(held.get("value"), str):
        return {**held, "value": replaced.get((column, held["value"]), held["value"])}
    return {k: _rewritten(v, replaced, column) for k, v in held.items()}
