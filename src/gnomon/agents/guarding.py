"""The guardrails as the manager applies them: questions on their way in, answers on their way out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from gnomon.answering.conditions import condition
from gnomon.answering.plan import with_names
from gnomon.answering.telling import bare, plain_line
from gnomon.answering.words import slug
from gnomon.core.algebra import Ask, Column
from gnomon.core.answer import Answer, AnswerStatus, Fact, Option, ResultTable
from gnomon.core.figures import group_name, moment, sentence
from gnomon.core.parts import FilterOperator, Parts
from gnomon.guardrails import Action, Guardrails
from gnomon.guardrails.guard import MASK
from gnomon.guardrails.moments import read_period
from gnomon.guardrails.policy_checks import PersonsBehind
from gnomon.guardrails.results import GuardResult
from gnomon.guardrails.subjects import view
from gnomon.guardrails.trees import is_name, tables_of_persons, told_by_tree
from gnomon.language.time_grammar import describe_period
from gnomon.planning.reader.words import name_words
from gnomon.planning.reading import Reading
from gnomon.semantic import SemanticModel
from gnomon.semantic.model import plural, singular

if TYPE_CHECKING:
    from gnomon.agents.insight.findings import Statement
    from gnomon.guardrails import Claim


_BY_NAME = (FilterOperator.EQUALS, FilterOperator.IN, FilterOperator.CONTAINS, FilterOperator.LISTS)
_OWN = {"mean", "median", "sum", "min", "max", "quantile"}
"""What is the figure of a single person where no other stands behind it."""


class Guarded(NamedTuple):
    """An answer as it may leave, and what its prose was found to claim; None where that was not looked at as a whole."""

    answer: Answer
    claims: tuple[Claim, ...] | None = None


def _columns(reading: Reading) -> list[str]:
    """The columns that a model's query names, by their dimensions."""
    if reading.ask is None:
        return []
    return [f"{n.table}.{n.column}" for n in reading.ask.walk() if isinstance(n, Column)]


def words_of(model: SemanticModel) -> frozenset[str]:
    """The words by which tables call their rows and columns, one and many."""
    labels = [x.label for x in (*model.tables, *model.metrics, *model.dimensions)]
    called = {w for label in labels for w in name_words(label) if w.isalpha() and len(w) > 2}
    return frozenset(form for w in called for form in (w, singular(w), plural(w)))


class Guard:
    """Applies guardrails to whole answers.

    A personal column is shown where the question asked for it and ``allow_personal`` names it. Names of people
    that were asked for are shown without: who the best customers are is what the question wants to know. What
    identifies a person by itself (addresses, numbers, dates of birth) stays hidden until policy allows it.

    Args:
        rails: The checks themselves.
        model: Tells which columns hold personal data, and the names that may occur in prose.
        allow_personal: Personal columns that may be shown when they are asked for.
        own_words: Whether all sentences are made by templates here, none by a language model. Their directions are
            made together with the facts, so that one whose every number is a fact stands, whatever else its names
            may be mistaken for.
        fewest: Counts the persons behind the smallest group of an answer, of whom each may have many rows.
        fewest_of_tree: Counts those behind the smallest figure of a tree, those behind the rows that it lists, and how
            many rows its result has.
    """

    def __init__(
        self,
        rails: Guardrails,
        model: SemanticModel,
        *,
        allow_personal: Collection[str] = (),
        own_words: bool = False,
        fewest: Callable[[Reading], int | None] | None = None,
        fewest_of_tree: Callable[[Ask], tuple[int | None, int | None, int]] | None = None,
    ) -> None:
        self._own_words = own_words
        self._fewest, self._fewest_of_tree = fewest, fewest_of_tree
        self._rails = rails
        self._model = model
        self._allowed = frozenset(a.casefold() for a in allow_personal)
        self._personal = {n for d in model.dimensions if d.personal for n in (d.name, d.label)}
        self._names = tuple(
            dict.fromkeys([m.label for m in model.metrics] + [d.label for d in model.dimensions])
        )

    def question(self, text: str) -> Answer | None:
        """The refusal of a question that may not be answered; None where it may."""
        found = self._rails.check_question(text)
        if found.action is not Action.REJECT:
            return None
        messages = " ".join(dict.fromkeys(v.message for v in found.violations))
        return Answer(
            status=AnswerStatus.OUT_OF_DOMAIN,
            prose=messages or "This request is not allowed by the policies in force.",
        )

    def answer(
        self,
        answer: Answer,
        reading: Reading,
        statements: Sequence[Statement] = (),
        singles_out: bool = True,
    ) -> Guarded:
        """The answer as it may leave: unchanged, with parts masked, or replaced by the reason why not.

        Args:
            answer: The answer.
            reading: The question as it was read.
            statements: Its sentences with the facts of each, where it was made of such; each is then checked
                against its own facts alone, and one that does not pass is left out.
            singles_out: Whether it may be said that a single person stands behind a figure. Where the answer goes through
                the rule of release, which says alike of one person and of four, it may not.
        """
        if (refusal := self._protected(answer, reading, singles_out=singles_out)) is not None:
            return Guarded(refusal)
        asked = {n for r in reading.parts for d in with_names(self._model, r) for n in self._called(d)}
        asked |= {n for c in _columns(reading) for n in self._called(c)}
        shown = self._shown(answer, asked)
        hidden = self._hidden(answer, shown)
        said = self._said(answer, reading)
        if statements:
            from gnomon.agents.insight.findings import prose_of

            kept = [s for s in statements if self._is_bound(s, asked)]
            answer = answer.model_copy(update={"prose": prose_of(kept)})
            found = self._rails.check(answer.prose, answer.facts, asked=asked, parts=[("", answer.facts)])
        else:
            found = self._rails.check(
                answer.prose, answer.facts, asked=asked, names=said, parts=_parts(answer, reading)
            )
        if found.action is Action.REJECT and all(v.guard == "numbers" for v in found.violations):
            from gnomon.agents.insight.findings import Statement

            whole = Statement("", answer.prose, answer.facts, (*said, *_days(answer.tables)))
            # Every number of a query's prose is a slot that a fact filled.
            bound = reading.ask is not None or (self._own_words and whole.is_bound)
            found = GuardResult.of(answer.prose, []) if bound else self._plain(answer, asked, said) or found
        if found.action is Action.REJECT:
            rules = ", ".join(sorted({f"{v.guard} ({v.rule})" for v in found.violations}))
            return Guarded(
                Answer(
                    status=AnswerStatus.ERROR,
                    prose=f"The answer was computed but held back by a check before it was shown: {rules}.",
                    request=answer.request,
                    plan=answer.plan,
                    timings=answer.timings,
                )
            )
        shown_as = answer.model_copy(
            update={
                "prose": _without(found.text, hidden),
                "tables": tuple(self._masked(t, shown, hidden) for t in answer.tables),
                "charts": tuple(c for c in answer.charts if not any(v in str(c) for v in hidden)),
                "facts": tuple(_nameless(f, hidden) for f in answer.facts),
                "options": tuple(self._as_shown(o, hidden, asked, said) for o in answer.options),
            }
        )
        return Guarded(shown_as, None if statements else found.claims)

    def _as_shown(
        self, option: Option, hidden: Sequence[str], asked: Collection[str], said: Sequence[str]
    ) -> Option:
        """A reading to pick from, which may tell no more than the answer that offers it."""
        found = self._rails.check(option.prose, option.facts, asked=asked, names=said)
        # Every number of it is a slot that a fact filled; the other guards decide.
        bound = not found.allowed and all(v.guard == "numbers" for v in found.violations)
        told = option.prose if bound else found.text
        facts = tuple(_nameless(f, hidden) for f in option.facts)
        return option.model_copy(update={"prose": _without(told, hidden), "facts": facts})

    def _protected(self, answer: Answer, reading: Reading, *, singles_out: bool) -> Answer | None:
        """The refusal of what would tell something protected of too few persons; None where it would not."""
        found: GuardResult | None = None
        if (answer.facts or answer.tables) and any(map(self._is_about_persons, reading.parts)):
            behind = self._behind(answer, reading)
            behind = behind if singles_out else replace(behind, average=False)
            # Counted only where it matters: it takes a query.
            if self._fewest is not None and self._rails.minds_one_person(behind):
                counts = [n for n in (behind.least, self._fewest(reading)) if n is not None]
                behind = replace(behind, least=min(counts, default=None))
            found = self._rails.check_persons(behind)
        # What a tree comes to is told without facts, too.
        if (
            (found is None or found.action is not Action.REJECT)
            and reading.ask is not None
            and _tells(answer)
        ):
            found = self._protected_tree(reading.ask, singles_out=singles_out) or found
        if found is None or found.action is not Action.REJECT:
            return None
        return Answer(
            status=AnswerStatus.OUT_OF_SCOPE,
            prose=" ".join(v.message for v in found.violations),
            request=answer.request,
            timings=answer.timings,
        )

    def _protected_tree(self, ask: Ask, *, singles_out: bool) -> GuardResult | None:
        """The same of a tree of columns: by its columns and texts, and by the rows behind all that it shows."""
        told = told_by_tree(self._model, ask)
        if told is None:
            return None
        averages = singles_out and told.statistic and not told.named
        behind = PersonsBehind(told.about, least=None, listed=told.listed, average=averages)
        if not self._rails.minds_one_person(behind) or self._fewest_of_tree is None:
            return self._rails.check_persons(behind)
        counted = self._fewest_of_tree(ask)
        few = self._rails.check_persons(
            replace(behind, least=min((n for n in counted[:2] if n is not None), default=None), average=False)
        )
        if few.action is Action.REJECT or (told.groups and counted[2] > 1):
            return few
        return self._rails.check_persons(replace(behind, least=counted[0]))

    def _is_about_persons(self, request: Parts) -> bool:
        """Whether the rows that a request is about are persons: their table says so, or holds names and the like."""
        tables = {t for m in request.metrics for t in self._model.base_tables(self._model.metric(m))}
        named = [*request.dimensions, *request.columns, *(f.field for f in request.filters if not f.having)]
        tables |= {d.home.table for d in self._model.dimensions if d.name in named}
        return bool(tables & tables_of_persons(self._model))

    def _behind(self, answer: Answer, reading: Reading) -> PersonsBehind:
        about: list[str] = []
        for request in reading.parts:
            for given in (*request.filters, *request.part):
                about += [
                    *reversed(self._called(given.field)),
                    *(v for v in given.values if isinstance(v, str)),
                ]
            for name in (*request.dimensions, *request.columns):
                about += reversed(self._called(name))
            about += [n for m in request.metrics for n in (self._model.metric(m).label, m)]
        counts = [f.rows for f in answer.facts if f.rows is not None]
        counts += [n for t in answer.tables for n in t.behind]
        # Somebody who is asked about by name is asked about openly; an average only pretends to be about many.
        given = (f for r in reading.parts for f in (*r.filters, *r.part))
        named = any(f.field in self._personal and f.operator in _BY_NAME for f in given)
        # A single group is no more than its one average.
        groups = max([len(t.behind) for t in answer.tables], default=len(counts))
        grouped = named or (groups > 1 and any(r.dimensions or r.grain for r in reading.parts))
        held = {c for t in answer.tables for c in t.columns} | {
            g for f in answer.facts for g in f.about.group
        }
        kinds = {self._model.metric(m).aggregation for r in reading.parts for m in r.metrics}
        return PersonsBehind(
            about=tuple(dict.fromkeys(about)),
            least=min(counts) if counts else None,
            listed=bool(held & self._personal),
            average=not grouped and bool({str(k) for k in kinds} & _OWN),
        )

    def _is_bound(self, statement: Statement, asked: Collection[str]) -> bool:
        """Whether everything that a sentence claims is one of its own facts, as it was made or as it reads."""
        named = [str(v) for f in statement.facts for v in f.about.group.values()]
        names = (*self._names, *statement.names, *(n for n in named if read_period(n) is None))
        if replace(statement, names=names).is_bound:
            return True
        found = self._rails.check(sentence(statement.text), statement.facts, asked=asked, names=names)
        return found.action is not Action.REJECT

    def _plain(self, answer: Answer, asked: Collection[str], said: Sequence[str]) -> GuardResult | None:
        """The facts told one by one, each line checked against its own fact; sentences that pass stay."""
        lines: list[str] = []
        for fact in answer.facts:
            about, value = plain_line(fact, self._model)
            line = f"{about}: {value}"
            parts = [(f"Value: {value}.", [bare(fact)])]
            checked = self._rails.check(line, [fact], asked=asked, names=(about,), parts=parts)
            lines += [checked.text] if checked.action is not Action.REJECT else []
        if not lines:
            return None
        paragraphs = ["\n".join(lines)]
        for paragraph in answer.prose.split("\n\n")[1:]:
            head, _, rest = paragraph.partition(": ")
            told = [f"{head}: {s}" for s in re.split(r"(?<=\.) (?=[A-Z])", rest)]
            checks = [self._rails.check(s, answer.facts, asked=asked, names=said) for s in told]
            kept = [c.text.removeprefix(f"{head}: ") for c in checks if c.action is not Action.REJECT]
            paragraphs += [f"{head}: {' '.join(kept)}"] if kept else []
        return GuardResult.of("\n\n".join(paragraphs), [])

    def _masked(self, table: ResultTable, shown: Collection[str], hidden: Collection[str]) -> ResultTable:
        """A table without what may not be seen, in columns that hold it and in those that name groups of any kind."""
        masked = self._rails.mask_table(table, self._personal, shown)
        rows = tuple(tuple(MASK if v in hidden else v for v in row) for row in masked.rows)
        return masked.model_copy(update={"rows": rows}) if hidden else masked

    def _called(self, dimension: str) -> tuple[str, ...]:
        """A dimension by its name and by its label, as tables head it."""
        known = next(
            (d for d in self._model.dimensions if dimension in (d.name, *map(str, d.locations))), None
        )
        return (dimension, known.label) if known is not None else (dimension,)

    def _shown(self, answer: Answer, asked: Collection[str]) -> set[str]:
        """The personal columns that may be seen: those asked for that policy allows, or that hold names."""
        values = self._values(answer)
        shown: set[str] = set()
        for dimension in self._model.dimensions:
            called = {dimension.name, dimension.label}
            held = [v for n in called for v in values.get(n, ())]
            allowed = {n.casefold() for n in called} & self._allowed
            if dimension.personal and called & set(asked) and (allowed or all(map(is_name, held))):
                shown |= called
        return shown

    def _hidden(self, answer: Answer, shown: Collection[str]) -> list[str]:
        """The personal values that may not be seen anywhere in the answer."""
        hidden = (vs for n, vs in self._values(answer).items() if n not in shown)
        return list(dict.fromkeys(str(v) for vs in hidden for v in vs if v is not None and len(str(v)) > 2))

    def _values(self, answer: Answer) -> dict[str, list[Any]]:
        """What the answer holds of each personal column, in its tables and in what its facts are about."""
        found: dict[str, list[Any]] = {}
        for table in answer.tables:
            for i, column in enumerate(table.columns):
                if column in self._personal:
                    found.setdefault(column, []).extend(row[i] for row in table.rows)
        for fact in answer.facts:
            for column, value in fact.about.group.items():
                if column in self._personal:
                    found.setdefault(column, []).append(value)
        return found

    def _said(self, answer: Answer, reading: Reading) -> tuple[str, ...]:
        """What prose may repeat without claiming anything: names, keys of rows, and how the question was read."""
        if not answer.facts:
            return (*self._names, answer.prose)  # a refusal tells what was asked and what there is, no result
        labels = (str(v) for f in answer.facts for v in f.about.group.values())
        # A group that is a period is a claim, as every other period is: it tells which fact a number belongs to.
        said = [label for label in labels if read_period(label) is None]
        asked = {d for r in reading.parts for d in (*r.dimensions, *with_names(self._model, r))}
        grouped = {n for d in asked for n in self._called(d)}
        claimed = {view(f).period for f in answer.facts}
        for request in reading.parts:
            said += [condition(f, self._model) for f in (*request.filters, *request.part)]
            said += [self._model.metric(m).label for m in request.metrics]
            said += [v for f in (*request.filters, *request.part) for v in f.values if isinstance(v, str)]
            compared = request.comparison.period if request.comparison is not None else None
            for days in (request.time_range, compared):
                # A period that facts are about is a claim of its own; only one that none has is just repeated.
                if days is not None and (days.start, days.end) not in claimed:
                    said.append(describe_period(days))
            if request.limit is not None:
                said += [f"{end} {request.limit}" for end in ("top", "bottom", "best", "worst")]
        for table in answer.tables:
            heads = [c.partition(" (")[0] for c in table.columns]
            keys = [i for i, c in enumerate(heads) if c in grouped or not _is_measure(table, i)]
            named = [row[i] for row in table.rows[:20] for i in keys]
            said += [group_name(v) for v in named if not isinstance(v, date)]
        said += [sentence(n) for n in reading.notes]
        said += re.findall(r"^Read as: (.*)$", answer.prose, re.MULTILINE)
        said += re.findall(r"A part is missing: (.*?)(?:\. (?=[A-Z])|\.?$)", answer.prose, re.MULTILINE)
        return (*self._names, *dict.fromkeys(said))


def _tells(answer: Answer) -> bool:
    """Whether an answer tells what a tree comes to, as the answer or for the asker to choose."""
    return answer.status in (AnswerStatus.ANSWERED, AnswerStatus.PARTIAL, AnswerStatus.CLARIFY)


def _parts(answer: Answer, reading: Reading) -> list[tuple[str, Sequence[Fact]]]:
    """The lines that tell the parts of a question, each with the facts of its own steps, and the rest.

    A line without facts of its own tells why there is no result, and claims none.
    """
    first, _, rest = answer.prose.partition("\n\n")
    lines = first.split("\n")
    if len(lines) < 2 or len(lines) != len(reading.parts):
        return []
    found: list[tuple[str, Sequence[Fact]]] = []
    for i, line in enumerate(lines, start=1):
        own = [f for f in answer.facts if f.step.startswith(f"part{i}_")]
        found += [(line, own)] if own else []
    return [*found, (rest, answer.facts)]


def _days(tables: Sequence[ResultTable]) -> list[str]:
    """The days and moments in the cells that are told one by one, as sentences name them."""
    cells = [c for t in tables for row in t.rows[:20] for c in row]
    return list(dict.fromkeys(moment(c) for c in cells if isinstance(c, date)))


def _is_measure(table: ResultTable, column: int) -> bool:
    return any(isinstance(row[column], float) for row in table.rows[:20])


def _without(text: str, hidden: Collection[str]) -> str:
    """``text`` with every hidden value masked, longer ones first."""
    for value in sorted(hidden, key=len, reverse=True):
        text = text.replace(value, MASK)
    return text


def _nameless(fact: Fact, hidden: Sequence[str]) -> Fact:
    """A fact that tells its value, but not about which person it is."""
    about = [v for v in fact.about.group.values() if v in hidden]
    if not about:
        return fact
    name = fact.name
    for value in about:
        name = name.replace(slug(value), f"person_{hidden.index(value) + 1}")
    group = {k: MASK if v in hidden else v for k, v in fact.about.group.items()}
    return fact.model_copy(update={"name": name, "about": fact.about.model_copy(update={"group": group})})
