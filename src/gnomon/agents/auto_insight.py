"""What a search over tables found, told: insights in order, each with its facts, table and chart."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.agents.auto_telling import Telling
from gnomon.agents.set_aside import notes_on
from gnomon.analytics.insight import Finding, Kind, Scan, Space, find
from gnomon.core.answer import About, Answer, AnswerStatus, Fact, ResultTable
from gnomon.core.parts import Filter, FilterOperator
from gnomon.data.table import quote
from gnomon.semantic.time_columns import usual_step

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.semantic import SemanticModel
    from gnomon.semantic.backends import Stoppable

STEP = "insights"
_COUNTED = 1_000_000  # the most rows that are held against each other


@dataclass(frozen=True)
class Insight:
    """One thing worth knowing.

    Args:
        title: The finding in a few words.
        sentence: The finding with its figures.
        kind: Its shape: leader, difference, trend, …
        facts: Every figure of the sentence and of the table, exact.
        table: The figures behind it.
        chart: A Vega-Lite specification.
        effect: How large it is, on the scale ``effect_name``.
        chance: The chance of it where there is nothing, corrected for everything that was looked at; None where
            the finding is that there is no evidence.
        test: What tells it from chance.
        rows: How many rows it rests on.
        smallest_group: The rows of its smallest group.
        score: Where it stands among the others.
    """

    title: str
    sentence: str
    kind: str
    facts: tuple[Fact, ...]
    table: ResultTable
    chart: dict[str, Any]
    effect: float
    effect_name: str
    chance: float | None
    test: str
    rows: int
    smallest_group: int
    score: float

    def to_dict(self) -> dict[str, Any]:
        """The insight as JSON-ready data."""
        return {
            "title": self.title,
            "sentence": self.sentence,
            "kind": self.kind,
            "facts": [f.model_dump(mode="json") for f in self.facts],
            "table": self.table.model_dump(mode="json"),
            "chart": self.chart,
            "effect": self.effect,
            "effect_name": self.effect_name,
            "chance": self.chance,
            "test": self.test,
            "rows": self.rows,
            "smallest_group": self.smallest_group,
            "score": self.score,
        }


@dataclass(frozen=True)
class Insights:
    """The insights of a data set, the most telling first.

    Args:
        insights: They.
        goal: What they were looked for.
        tests: How many tests were made; every chance is corrected for them.
        rows: How many rows were read.
        notes: What was left out, in sentences.
        suggestions: What could be asked next.
        seconds: How long it took.
    """

    insights: tuple[Insight, ...]
    goal: str | None = None
    tests: int = 0
    rows: int = 0
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    seconds: float = 0.0

    def __iter__(self) -> Iterator[Insight]:
        return iter(self.insights)

    def __len__(self) -> int:
        return len(self.insights)

    def to_dict(self) -> dict[str, Any]:
        """The insights as JSON-ready data."""
        return {
            "goal": self.goal,
            "insights": [i.to_dict() for i in self.insights],
            "tests": self.tests,
            "rows": self.rows,
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    def to_answer(self) -> Answer:
        """The insights as an answer, for reports and the page: prose, facts, tables and charts in order."""
        looked = f"{self.rows:,} rows were read and {self.tests:,} tests made; only what stands up to all of them is told."
        if not self.rows:
            prose = "There is nothing to search: this data has no table with enough rows."
        elif not self.insights:
            prose = "There is no evidence of anything beyond chance in this data."
        else:
            lines = [f"{i}. {x.sentence}" for i, x in enumerate(self.insights, start=1)]
            prose = "\n".join(lines)
        how = (
            Fact(name="insights.rows", value=self.rows, step=STEP),
            Fact(name="insights.tests", value=self.tests, step=STEP),
        )
        return Answer(
            status=AnswerStatus.ANSWERED,
            prose="\n\n".join([prose, looked, *self.notes]),
            facts=(*(f for x in self.insights for f in x.facts), *how),
            tables=tuple(x.table for x in self.insights) + ((self._evidence(),) if self.insights else ()),
            charts=tuple(x.chart for x in self.insights),
            suggestions=self.suggestions,
            timings={"total": self.seconds},
        )

    def _evidence(self) -> ResultTable:
        """How large and how sure each is, and by which test."""
        columns = ("insight", "effect", "measured as", "chance", "test", "rows")
        rows = tuple((x.title, x.effect, x.effect_name, x.chance, x.test, x.rows) for x in self.insights)
        return ResultTable(name="evidence", columns=columns, rows=rows)


def tell_insights(
    dataset: Dataset,
    model: SemanticModel,
    *,
    goal: str | None = None,
    top: int = 10,
    allow_personal: Collection[str] = (),
    may_name_persons: bool = True,
    fewest_rows: int = 0,
    from_texts: bool = True,
    at_home: Collection[str] = (),
    cancel: Stoppable | None = None,
) -> Insights:
    """Search open tables and tell what is surprising, significant and useful.

    Args:
        dataset: The tables.
        model: What they mean.
        goal: What it is for, in words.
        top: How many insights at most.
        allow_personal: Personal columns that may be told of.
        may_name_persons: Whether columns of names that the goal asks for may be told of too.
        fewest_rows: Only insights whose smallest group has at least so many rows.
        from_texts: Whether words of free text may be told.
        at_home: Dimensions by which only the rows of their own table are grouped.
        cancel: Asks the search to stop.

    Raises:
        InvalidInput: ``top`` or the goal is not acceptable.
    """
    scan = find(
        dataset, model, goal=goal, top=top, allow_personal=allow_personal, may_name_persons=may_name_persons,
        fewest_rows=fewest_rows, from_texts=from_texts, at_home=at_home, cancel=cancel,
    )  # fmt: skip
    told = tuple(_insight(i, f, scan) for i, f in enumerate(scan.findings, start=1))
    notes = [*scan.notes, *notes_on(dataset), *_repeated(dataset, model)]
    if scan.left_out:
        named = ", ".join(scan.left_out)
        notes.append(
            f"Columns that tell of persons were left out ({named}); a goal that names one includes it."
        )
    return Insights(told, goal, scan.tests, scan.rows, tuple(notes), _next(scan, model), scan.seconds)


def _repeated(dataset: Dataset, model: SemanticModel) -> list[str]:
    """Tables whose rows a column would tell apart, were some not there twice."""
    said: list[str] = []
    cursor = dataset.cursor()
    try:
        for table in dataset:
            meant = model.table(table.name)
            if meant.key or not 2 <= (rows := meant.rows or 0) <= _COUNTED:
                continue
            different = f"(SELECT DISTINCT * FROM {table.relation})"
            (apart,) = cursor.execute(f"SELECT count(*) FROM {different}").fetchone() or (0,)
            if not 0 < apart < rows:
                continue
            # Column by column: all at once take more memory than a wide table may.
            counts = (
                (
                    c.name,
                    cursor.execute(f"SELECT count(DISTINCT {quote(c.name)}) FROM {different}").fetchone(),
                )
                for c in table.columns
            )
            key = next((name for name, held in counts if held == (apart,)), None)
            if key is not None:
                said.append(
                    f"{rows - apart:,} of {rows:,} rows of {table.name} repeat another row exactly, {key} included; "
                    "they look as if they were loaded twice, and every figure counts them."
                )
    finally:
        cursor.close()
    return said


def _insight(place: int, finding: Finding, scan: Scan) -> Insight:
    space = scan.spaces[finding.table]
    telling = Telling(finding, space, scan.labels)
    columns, rows, rates = telling.table()
    title = telling.title()
    return Insight(
        title=title,
        sentence=telling.sentence(),
        kind=finding.kind.value,
        facts=_facts(place, finding, space, scan),
        table=ResultTable(name=title, columns=columns, rows=rows, rates=rates),
        chart=telling.chart(),
        effect=float(finding.effect),
        effect_name=finding.effect_name,
        chance=None if finding.kind in (Kind.NOTHING, Kind.EVEN) else finding.q_value,
        test=finding.test,
        rows=finding.rows,
        smallest_group=finding.fewest,
        score=finding.score,
    )


def _facts(place: int, finding: Finding, space: Space, scan: Scan) -> tuple[Fact, ...]:
    metric = finding.measure.name if finding.measure is not None else space.counted or None
    filters = tuple(
        Filter(field=scan.columns.get(a, a), operator=FilterOperator.EQUALS, values=(v,))
        for a, v in finding.subset
    )
    query = scan.queries.get(finding.table, "")
    prefix = f"insight{place}"
    facts = [
        Fact(
            name=f"{prefix}.{name}",
            value=n.value,
            unit=n.unit,
            about=About(metric=metric, filters=filters, group=n.group),
            step=STEP,
            query=f"{n.name}, over: {query}",
        )
        for name, n in finding.numbers.items()
    ]
    facts += [
        Fact(name=f"{prefix}.{key}", value=text, step=STEP)
        for key, text in finding.detail.items()
        if key in ("from", "to", "when", "first", "last") and text
    ]
    facts.append(
        Fact(name=f"{prefix}.effect", value=float(finding.effect), step=STEP, query=finding.effect_name)
    )
    if finding.kind not in (Kind.NOTHING, Kind.EVEN):
        facts.append(
            Fact(name=f"{prefix}.chance", value=float(finding.q_value), step=STEP, query=finding.test)
        )
    return tuple(facts)


def _next(scan: Scan, model: SemanticModel) -> tuple[str, ...]:
    """Questions that follow from what was found: the same figure by what it differs in."""
    asked: dict[str, None] = {}
    for finding in scan.findings:
        name = finding.measure.name if finding.measure is not None else scan.spaces[finding.table].counted
        known = next((m for m in model.metrics if m.name == name), None)
        if known is None:
            continue
        axes = [a for a in finding.axes if a in scan.labels and scan.columns.get(a) == a]
        time = model.time_dimension(known) if "time" in finding.axes else None
        step = f"by {usual_step(time.grain, time.coverage)}" if time is not None else ""
        by = f"by {scan.labels[axes[0]]}" if axes else step
        if by:
            asked[f"{known.label} {by}"] = None
    return tuple(asked)[:3]
