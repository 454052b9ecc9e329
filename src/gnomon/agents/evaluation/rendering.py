"""An evaluation as text: the figures, the table by kind, and the development cases that went wrong."""

from __future__ import annotations

from collections.abc import Iterator

from gnomon.agents.evaluation.grading import Outcome
from gnomon.agents.evaluation.report import CaseResult, EvaluationReport
from gnomon.agents.evaluation.truth import Truth
from gnomon.core.answer import Answer

_SHOWN_ROWS = 4
_SHOWN_FACTS = 4


def render(report: EvaluationReport) -> str:
    """The figures of a report and its table by kind."""
    asked, refusable = len(report.answerable), len(report.refusable)
    lines = [
        f"{asked} questions to answer, {refusable} to refuse or ask back",
        f"question-level accuracy  {report.accuracy:7.1%}   relevance {report.relevance:.3f} · "
        f"correctness {report.correctness:.3f} · completeness {report.completeness:.3f}",
        f"wrong answers stated     {report.count(Outcome.WRONG):7d}   of {asked}; "
        f"{report.count(Outcome.UNREFUSED)} of {refusable} answered that should be refused",
        f"refusals right           {report.refusals_right:7.1%}   false refusals {report.false_refusals:.1%}",
        f"latency                  P50 {report.latency(50):.3f} s · P90 {report.latency(90):.3f} s · "
        f"P99 {report.latency(99):.3f} s",
        "",
        f"{'kind':<20}{'cases':>7}{'right':>7}{'wrong':>7}{'refused':>9}",
    ]
    if len({r.case.split for r in report.results}) > 1:
        lines.insert(2, _by_split(report))
    lines += [f"{k.kind:<20}{k.cases:>7}{k.passed:>7}{k.wrong:>7}{k.refused:>9}" for k in report.by_kind()]
    return "\n".join(lines)


def _by_split(report: EvaluationReport) -> str:
    """Both splits side by side: far apart, they tell of mending questions rather than kinds of questions."""
    parts = (report.only("dev"), report.only("held"))
    told = [
        f"{name} {part.accuracy:.1%} of {len(part.answerable)}, {part.wrong_numbers} wrong"
        for name, part in zip(("development", "held out"), parts, strict=True)
    ]
    return f"  {' · '.join(told)}"


def render_failures(report: EvaluationReport) -> str:
    """Question, expected and got of each development case that went wrong; held-out ones are only counted."""
    shown = [r for r in report.failures if r.case.split == "dev"]
    hidden = len(report.failures) - len(shown)
    blocks = ["\n".join(_failure(r)) for r in shown]
    if hidden:
        blocks.append(f"{hidden} held-out cases went wrong; they are counted, not shown.")
    return "\n\n".join(blocks)


def _failure(result: CaseResult) -> Iterator[str]:
    case, metrics = result.case, result.grade.metrics
    yield (
        f"{case.id} [{case.kind}] {result.grade.outcome.value} "
        f"(relevance {metrics.relevance:.2f}, correctness {metrics.correctness:.2f}, "
        f"completeness {metrics.completeness:.2f})"
    )
    for earlier in case.history:
        yield f"  before    {earlier}"
    yield f"  question  {case.question}   (today {case.today})"
    if result.truths:
        yield from (f"  expected  {_truth(truth)}" for truth in result.truths)
    else:
        yield f"  expected  {' or '.join(s.value for s in case.accepted)}"
    yield f"  got       {_answer(result.answer)}"
    if result.answer.request and result.answer.request.unexplained:
        yield f"  left out  {', '.join(result.answer.request.unexplained)}"


def _truth(truth: Truth) -> str:
    if len(truth.rows) == 1:
        return ", ".join(f"{c} = {v}" for c, v in zip(truth.columns, truth.rows[0], strict=True))
    rows = "; ".join(str(tuple(str(v) for v in row)) for row in truth.rows[:_SHOWN_ROWS])
    return f"{len(truth.rows)} rows: {rows}{' …' if len(truth.rows) > _SHOWN_ROWS else ''}"


def _answer(answer: Answer) -> str:
    parts = [answer.status.value, " ".join(answer.prose.split())[:200]]
    parts += [f"{f.name} = {f.value}" for f in answer.facts[:_SHOWN_FACTS]]
    for table in answer.tables[:2]:
        rows = "; ".join(str(tuple(str(v) for v in row)) for row in table.rows[:_SHOWN_ROWS])
        parts.append(f"{len(table.rows)} rows {table.columns}: {rows}")
    return " | ".join(parts)
