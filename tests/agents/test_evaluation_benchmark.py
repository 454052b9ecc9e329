"""The shipped benchmark is sound: every truth can be computed, and the grader tells an oracle from a liar."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from gnomon.agents.evaluation import Case, EvaluationReport, Outcome, TruthTables, evaluate, load_cases
from gnomon.agents.evaluation.rendering import render, render_failures
from gnomon.core.answer import Answer, AnswerStatus, Fact, ResultTable
from gnomon.core.errors import InvalidInput
from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.data.demo_store import write_demo_store
from gnomon.planning.trees import request_of
from gnomon.semantic.model import SemanticModel

CASES = load_cases()
SOME = CASES[::3]
"""Enough of every kind to try the grader on; each truth is a query over the whole store."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TruthTables]:
    folder = tmp_path_factory.mktemp("demo")
    write_demo_store(folder)
    with TruthTables(folder) as found:
        yield found


class Oracle:
    """Knows the truth of every case, and can be told to bend it."""

    def __init__(self, cases: list[Case], tables: TruthTables, lie: bool = False) -> None:
        self.tables = tables
        self.lie = lie
        self.cases = {(c.question, c.history, c.today): c for c in cases}
        self.heard: tuple[str, ...] = ()
        self.talking = False

    def conversation(self) -> Oracle:
        other = Oracle([], self.tables, self.lie)
        other.cases = self.cases
        other.talking = True
        return other

    def ask(self, question: str, *, today: date | None = None) -> Answer:
        case = self.cases.get((question, self.heard, today))
        self.heard = (*self.heard, question) if self.talking else ()
        if case is None or not case.answerable:
            status = AnswerStatus.ANSWERED if case is None or self.lie else case.accepted[0]
            return Answer(status=status, prose="", facts=(Fact(name="made.up", value=1.0, step="s0"),))
        facts: list[Fact] = []
        told: list[ResultTable] = []
        for number, part in enumerate(case.parts):
            truth = self.tables.of(part)[-1]
            rows = tuple(tuple(self._bent(v) for v in row) for row in truth.rows)
            if part.compare in {"scalar", "row"}:
                facts += [
                    Fact(name=f"m.{column}", value=value, step=f"s{number}")
                    for column, value in zip(truth.columns, rows[0], strict=True)
                ]
            else:
                told.append(ResultTable(name=f"t{number}", columns=truth.columns, rows=rows))
        numbers = (float(w.replace(",", "")) for w in re.findall(r"\d[\d,.]*\d|\d", question))
        said = Filter(field="words", operator=FilterOperator.IN, values=(question, *numbers))
        request = Parts(question=question, kind=QuestionKind.VALUE, filters=(said,))
        return Answer(
            status=AnswerStatus.ANSWERED,
            prose="",
            facts=tuple(facts),
            tables=tuple(told),
            request=request_of(request, SemanticModel()),
        )

    def _bent(self, value: Any) -> Any:
        if not self.lie:
            return value
        if isinstance(value, bool):
            return not value
        if isinstance(value, date):
            return value + timedelta(days=1)
        return value + "x" if isinstance(value, str) else value * 1.01 + 0.5


def test_there_are_enough_questions_of_every_kind() -> None:
    answerable = Counter(c.kind for c in CASES if c.answerable)
    refusable = Counter(c.kind for c in CASES if not c.answerable)
    assert answerable.total() >= 170
    assert refusable.total() >= 70
    assert min(answerable.values()) >= 5
    assert min(refusable.values()) >= 5
    wanted = "value derived drill_across filter breakdown ranking share comparison trend distinct list distribution"
    assert set(answerable) >= {
        *wanted.split(),
        "correlation",
        "having",
        "parts",
        "follow_up",
        "time",
        "style",
    }
    assert set(refusable) >= {
        "chit_chat",
        "general_knowledge",
        "adjacent",
        "missing_metric",
        "missing_period",
    }
    assert set(refusable) >= {"missing_value", "injection", "gibberish", "language", "ambiguous"}


def test_no_question_is_asked_twice() -> None:
    asked = Counter((c.question.casefold(), c.history, c.today) for c in CASES)
    assert [words for words, times in asked.items() if times > 1] == []


def test_the_splits_are_apart() -> None:
    held = load_cases(split="held")
    assert len(held) + len(load_cases(split="dev")) == len(CASES)
    assert len(held) == sum(c.split == "held" for c in CASES)


@pytest.mark.long
@pytest.mark.parametrize("case", [c for c in CASES if c.answerable], ids=lambda c: c.id)
def test_every_truth_can_be_computed_and_has_the_shape_of_its_comparison(
    case: Case, tables: TruthTables
) -> None:
    for part in case.parts:
        for truth in tables.of(part):
            assert truth.rows
            assert all(value is not None for row in truth.rows for value in row)
            if part.compare in {"scalar", "row"}:
                assert len(truth.rows) == 1
            if part.compare == "scalar":
                assert len(truth.columns) == 1
            if part.compare == "ordered":
                assert len({row[-1] for row in truth.rows}) == len(truth.rows)


EXTENTS = pytest.mark.parametrize(
    "cases", [SOME, pytest.param(CASES, marks=pytest.mark.long)], ids=["some", "all"]
)


@pytest.mark.long
@EXTENTS
def test_who_tells_the_truth_is_right_everywhere(cases: list[Case], tables: TruthTables) -> None:
    truthful = evaluate(Oracle(cases, tables), cases, tables)
    assert [r.case.id for r in truthful.failures] == []
    assert truthful.accuracy == truthful.refusals_right == 1.0
    assert truthful.wrong_numbers == 0
    assert truthful.false_refusals == 0.0


@pytest.mark.long
@EXTENTS
def test_who_lies_is_right_nowhere(cases: list[Case], tables: TruthTables) -> None:
    report = evaluate(Oracle(cases, tables, lie=True), cases, tables)
    assert [r.case.id for r in report.results if r.grade.passed] == []
    assert report.wrong_numbers == len(cases)
    assert report.accuracy == report.refusals_right == 0.0


def test_a_question_that_breaks_the_analyst_is_a_failed_case(tables: TruthTables) -> None:
    class Broken(Oracle):
        def ask(self, question: str, *, today: date | None = None) -> Answer:
            raise RuntimeError("no such luck")

    report = evaluate(Broken([], tables), CASES[:3], tables)
    assert report.count(Outcome.FAILED) == 3
    assert "RuntimeError: no such luck" in report.results[0].answer.prose


def test_latency_is_the_nearest_rank(tables: TruthTables) -> None:
    report = evaluate(Oracle(SOME, tables), SOME, tables)
    times = sorted(r.seconds for r in report.results)
    assert report.latency(50) == times[-(-len(times) // 2) - 1]
    assert report.latency(100) == times[-1]
    assert EvaluationReport(()).latency(90) == 0.0


def test_the_rendering_shows_figures_and_hides_held_out_questions(tables: TruthTables) -> None:
    cases = [c.model_copy(update={"split": "held" if i % 3 else "dev"}) for i, c in enumerate(SOME)]
    report = evaluate(Oracle(cases, tables, lie=True), cases, tables)
    shown = render_failures(report)
    assert cases[0].question in shown
    held = [c for c in cases if c.split == "held"]
    assert not any(f"{c.id} [" in shown for c in held)
    assert f"{len(held)} held-out cases went wrong" in shown
    assert "question-level accuracy     0.0%" in render(report)
    asked = sum(c.answerable for c in held)
    assert f"held out 0.0% of {asked}, {len(held)} wrong" in render(report)
    assert json.loads(json.dumps(report.summary()))["wrong_numbers"] == len(cases)


def test_a_line_that_is_no_case_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "a", "question": "q", "kind": "value", "expect": "answered"}\n')
    with pytest.raises(InvalidInput, match="line 1 of cases"):
        load_cases(file)
    refusal = '{"id": "a", "question": "q", "kind": "value", "expect": "clarify"}\n'
    file.write_text(refusal * 2)
    with pytest.raises(InvalidInput, match="two cases have the id 'a'"):
        load_cases(file)
    with pytest.raises(InvalidInput, match="no file of cases"):
        load_cases(tmp_path / "missing.jsonl")
