"""A document from an answer: its sentences, facts, tables and charts, and how each was computed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gnomon.core.answer import READ_AS, Answer, Fact
from gnomon.core.figures import capital, figure, group_name, listed
from gnomon.core.patterns import regex
from gnomon.core.plan import Plan
from gnomon.data.profile_model import plain
from gnomon.language.time_periods import describe_period
from gnomon.reporting.document import (
    MAX_FACTS,
    Document,
    Recipe,
    ReportChart,
    ReportFact,
    ReportTable,
    Section,
    Source,
    Step,
    versions,
)
from gnomon.tools.chart_frame import words

# "Why:" at the beginning of a paragraph heads it; what answers comes first, and is headed by nothing.
_HEADED = regex(r"([A-Z][a-z]+(?: [a-z]+){0,4}):\s")
_QUERY = regex(r"\s*(SELECT|WITH)\b", re.I)
_ROLES = {
    "change_pct": "change", "top": "highest", "bottom": "lowest", "start": "first", "end": "last", "current": "now",
    "previous": "before", "top_share": "share of the highest", "rows_without_value": "rows without a value",
}  # fmt: skip


def document_of_answer(
    answer: Answer,
    question: str,
    *,
    sources: Sequence[Source] = (),
    privacy: str | None = None,
    recipe: Recipe | None = None,
) -> Document:
    """The answer to one question as a report.

    Args:
        answer: The answer.
        question: The question, as it was asked.
        sources: The data it was computed from.
        privacy: The level at which a language model was used; None where none was.
        recipe: How to compute it again.
    """
    parts, reading, notes = _parts(answer.prose)
    charts = tuple(ReportChart.of(c) for c in answer.charts)
    tables = tuple(ReportTable.of(capital(words(t.name)), t.columns, t.rows, t.rates, t.units) for t in answer.tables)  # fmt: skip
    (_, said), *others = parts
    sections = [Section(heading="Answer", paragraphs=said, charts=charts, tables=() if others else tables)]
    sections += [Section(heading=heading, paragraphs=lines) for heading, lines in others]
    if others and tables:
        sections.append(Section(heading="Tables", tables=tables))
    if answer.suggestions:
        sections.append(Section(heading="What to ask next", notes=tuple(map(capital, answer.suggestions))))
    return Document(
        kind="answer",
        title=capital(question.strip()),
        status=str(answer.status),
        reading=reading,
        sections=tuple(sections),
        facts=tuple(_fact(f) for f in answer.facts[:MAX_FACTS]),
        steps=_steps(answer.plan, answer.facts) if answer.plan else (),
        notes=tuple(notes),
        sources=tuple(sources),
        privacy=privacy,
        versions=versions(),
        recipe=recipe,
    )


def _parts(prose: str) -> tuple[list[tuple[str, tuple[str, ...]]], str, list[str]]:
    """The sentences that answer, those under headings of their own, how the question was read, and what limits it."""
    said: list[tuple[str, tuple[str, ...]]] = [("", ())]
    reading, notes = "", list[str]()
    for part in filter(None, (p.strip() for p in prose.split("\n\n"))):
        if part.startswith(READ_AS):
            reading = part.removeprefix(READ_AS)
        elif part.startswith("Note: "):
            notes += re.split(r"(?<=[a-z)%\d]\.) (?=[A-Z])", part.removeprefix("Note: "))
        elif (headed := _HEADED.match(part)) and said[0][1]:
            said.append((headed[1], tuple(part[headed.end() :].split("\n"))))
        else:
            said[0] = ("", (*said[0][1], *part.split("\n")))
    return said, reading, notes


def _fact(fact: Fact) -> ReportFact:
    return ReportFact(
        name=fact.name,
        label=_label(fact),
        value=fact.value,
        unit=fact.unit,
        shown=figure(fact.value, fact.unit),
        step=fact.step,
        computation=fact.query,
    )


def _label(fact: Fact) -> str:
    """What a fact is, in words: revenue, highest (region north, March 2025)."""
    parts = [_ROLES.get(p) or words(p) for p in fact.name.split(".")]
    about = [
        f"{words(k.split('.')[-1])} {group_name(v)}" for k, v in fact.about.group.items() if k != "period"
    ]
    if (days := fact.about.period) is not None:
        about.append(describe_period(days))
    return f"{capital(', '.join(dict.fromkeys(parts)))}{f' ({listed(about)})' if about else ''}"


def _steps(plan: Plan, facts: Sequence[Fact]) -> tuple[Step, ...]:
    queries = {f.step: f.query for f in facts if _QUERY.match(f.query)}
    made: list[Step] = []
    for s in plan.steps:
        parameters: dict[str, Any] = {k: plain(v) for k, v in s.params.items() if v not in (None, [], {})}
        made.append(Step(id=s.id, tool=s.tool, parameters=parameters, inputs=tuple(sorted(s.needs)), query=queries.get(s.id, "")))  # fmt: skip
    return tuple(made)
