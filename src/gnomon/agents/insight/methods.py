"""The analytical methods of a domain path: each looks at retrieved data and gives findings and sentences with facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from gnomon.agents.insight.exposition import Explained, is_worse
from gnomon.agents.insight.findings import WHAT, WHY, Finding, Ledger, Statement, moved, named
from gnomon.agents.insight.paths import AnalyticalMethod
from gnomon.agents.insight.topic import Topic
from gnomon.answering.conditions import conditions
from gnomon.answering.words import fact_figure, was
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.errors import GnomonError
from gnomon.core.figures import PERCENT, POINTS, POINTS_IN, capital, group_name, listed, told_apart
from gnomon.core.parts import Filter
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.language.time_names import as_day, in_range
from gnomon.semantic.model import Aggregation, Metric, SemanticModel
from gnomon.semantic.query import RetrievalQuery, Retrieved
from gnomon.tools.calculations import change_pct

if TYPE_CHECKING:
    from gnomon.analytics.diagnosis import Diagnosis
    from gnomon.semantic.retrieve import Retriever

Fetch = Callable[[Mapping[str, RetrievalQuery]], Mapping[str, Retrieved]]
MOST_GROUPS = 200
HISTORY_DAYS, FEWEST_DAYS = 728, 60


@dataclass
class Work:
    """What the methods share: the topic, its periods, how to retrieve, and what was found so far."""

    topic: Topic
    model: SemanticModel
    current: TimeRange
    previous: TimeRange
    coverage: tuple[date, date]
    fetch: Fetch
    ledger: Ledger
    retriever: Retriever
    told: Explained = field(default_factory=Explained)
    diagnosis: Diagnosis | None = None

    @property
    def metric(self) -> Metric:
        """The main measure."""
        return self.model.metric(self.topic.metrics[0])

    @property
    def about(self) -> str:
        """The conditions, with a blank before them."""
        said = conditions(self.topic.filters, self.model)
        return f" {said}" if said else ""

    def say(self, section: str, text: str, facts: Sequence[Fact], *names: str) -> None:
        """Add a sentence with its facts."""
        self.told.statements.append(
            Statement(section, capital(text), tuple(facts), tuple(n for n in names if n))
        )

    def find(self, kind: str, method: AnalyticalMethod, metric: str, **given: Any) -> None:
        """Add a finding."""
        self.told.findings.append(Finding(kind, method.value, metric, **given))

    def allowed(self, metric: Metric) -> tuple[Filter, ...]:
        """The conditions that a metric can be looked at under."""
        return tuple(
            f for f in self.topic.filters if self.model.reaches(metric, self.model.dimension(f.field))
        )


# The sides of a business, side by side


def levels(work: Work, metrics: Sequence[Metric], *, tested: bool = False) -> None:
    """The main figures of every side of the data in both periods, retrieved side by side.

    Args:
        work: What is worked on.
        metrics: The figures.
        tested: Whether each is held against its own past, so that what is out of the ordinary can be told.
    """
    queries: dict[str, RetrievalQuery] = {}
    metrics = [m for m in metrics if m.name in work.topic.metrics or _was_recorded(work, m)]
    for i, metric in enumerate(metrics):
        for role, days in (("now", work.current), ("before", work.previous)):
            queries[f"{role}_{i}"] = RetrievalQuery(
                metrics=(metric.name,), filters=work.allowed(metric), time_range=days
            )
    given = work.fetch(queries)
    unusual = _judged(work, metrics) if tested else {}
    rows: list[tuple[Any, ...]] = []
    changes: list[tuple[Metric, Fact, Fact, Fact]] = []
    for i, metric in enumerate(metrics):
        now, before = _only(given.get(f"now_{i}")), _only(given.get(f"before_{i}"))
        if now is None or before is None:
            continue
        (scale, apart), name = told_apart(metric.unit) or (0, metric.unit), named(metric.name)
        about: dict[str, Any] = {"metric": metric.name, "step": f"retrieve_now_{i}"}
        current = work.ledger.fact(
            f"{name}.current", now, metric.unit, period=work.current, query=given[f"now_{i}"].query, **about
        )
        previous = work.ledger.fact(
            f"{name}.previous",
            before,
            metric.unit,
            period=work.previous,
            query=given[f"before_{i}"].query,
            **about,
        )
        percent = None if scale else change_pct(now, before)
        change = percent if percent is not None else (now - before) * (scale or 1)
        unit = PERCENT if percent is not None else apart
        moves = work.ledger.fact(f"{name}.change{'' if percent is None else '_pct'}", change, unit, **about)
        rows.append((metric.label, previous.value, current.value, change, unit))
        changes.append((metric, current, previous, moves))
        work.find(
            "level", AnalyticalMethod.TIME_SERIES_ANALYSIS, metric.name, area=metric.business_dimension, verdict=unusual.get(metric.name),
            worse=is_worse(now - before, metric.direction), words={"metric": metric.label},
            facts={"current": current, "previous": previous, "change": moves},
        )  # fmt: skip
    columns = ("figure", "before", "after", "change", "change in")
    if len(rows) > 1:
        units = tuple(metric.unit for metric, *_ in changes)
        work.told.tables.append(
            ResultTable(name="main figures", columns=columns, rows=tuple(rows), units=units)
        )
    _tell_levels(work, changes)
    if unusual:
        _tell_unusual(work, changes, unusual)


def _was_recorded(work: Work, metric: Metric) -> bool:
    """Whether rows of a figure were kept at the time of both periods: where they end before, none is no figure of it."""
    time = work.model.time_dimension(metric)
    if time is None or time.coverage is None:
        return True
    return time.coverage[0] <= work.previous.end and time.coverage[1] >= work.current.start


def _judged(work: Work, metrics: Sequence[Metric]) -> dict[str, str]:
    """For each figure that has a history by day, whether it moved more than it usually does."""
    from gnomon.analytics.significance import ChangeVerdict, change_test

    start = max(work.coverage[0], work.previous.start - timedelta(days=HISTORY_DAYS))
    days = TimeRange(start=start, end=work.current.end)
    queries = {
        f"daily_{i}": RetrievalQuery(
            metrics=(m.name,), grain=TimeGranularity.DAY, filters=work.allowed(m), time_range=days
        )
        for i, m in enumerate(metrics)
        if (t := work.model.time_dimension(m)) is not None and t.grain in (None, TimeGranularity.DAY)
    }
    given, found = work.fetch(queries), dict[str, str]()
    for i, metric in enumerate(metrics):
        rows = [
            (as_day(r[0]), float(r[-1]))
            for r in (given[f"daily_{i}"].rows if f"daily_{i}" in given else ())
            if r[0] is not None and isinstance(r[-1], (int, float))
        ]
        if len(rows) < FEWEST_DAYS:
            continue
        adds = metric.aggregation in (Aggregation.SUM, Aggregation.COUNT) and metric.formula is None
        try:
            tested = change_test(
                [r[0] for r in rows], [r[1] for r in rows], work.current, work.previous, mean=not adds
            )
        except GnomonError:
            continue
        if tested.verdict is not ChangeVerdict.UNTESTED:
            found[metric.name] = "unusual" if tested.verdict is ChangeVerdict.UNUSUAL else "usual"
    return found


def _tell_unusual(
    work: Work, changes: Sequence[tuple[Metric, Fact, Fact, Fact]], unusual: Mapping[str, str]
) -> None:
    """Which of the figures moved more than they usually do."""
    far = [(m, c) for m, _, _, c in changes if unusual.get(m.name) == "unusual" and c.value is not None]
    usual = [m for m, *_ in changes if unusual.get(m.name) == "usual"]
    if far:
        said = listed([f"{m.label} ({moved(c)})" for m, c in far])
        work.say(
            WHAT,
            f"Beyond normal variation: {said}",
            [c for _, c in far],
            *[m.label for m, _ in far],
        )
    elif len(usual) > 1:
        work.say(
            WHAT, f"None of these moved more than it usually does: {listed([m.label for m in usual])}", []
        )


def _tell_levels(work: Work, changes: Sequence[tuple[Metric, Fact, Fact, Fact]]) -> None:
    """One sentence for the figure that matters most, one for those that moved against it or with it."""
    if not changes:
        return
    for metric, current, previous, moves in changes[:4]:
        change = (
            f", {moved(moves)} from {fact_figure(previous)} {in_range(work.previous)}"
            if moves.value is not None
            else ""
        )
        when = f" {in_range(work.current)}"
        work.say(
            WHAT, f"{metric.label}{work.about} {was(metric.label)} {fact_figure(current)}{when}{change}",
            [current, previous, moves], metric.label,
        )  # fmt: skip
    rest = [(m, c) for m, _, _, c in changes[4:] if c.value is not None]
    if rest:
        said = listed([f"{m.label} {moved(c)}" for m, c in rest])
        work.say(WHAT, f"Besides: {said}", [c for _, c in rest], *[m.label for m, _ in rest])


def _only(given: Retrieved | None) -> float | None:
    value = given.rows[0][-1] if given is not None and given.rows else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def changes_by(work: Work, dimension: str) -> None:
    """The change group by group, where the asker wants to see it by something: the table, and what moved most."""
    known = work.model.dimension(dimension)
    if known.personal or not work.model.reaches(work.metric, known):
        return
    named_by = str(known.label_at) if known.label_at is not None else None
    dims = (
        (dimension, named_by)
        if named_by and work.model.reaches(work.metric, work.model.dimension(named_by))
        else (dimension,)
    )
    queries = {
        role: RetrievalQuery(metrics=(work.metric.name,), dimensions=dims, filters=work.allowed(work.metric), time_range=days)
        for role, days in (("by_now", work.current), ("by_before", work.previous))
    }  # fmt: skip
    given = work.fetch(queries)
    if len(given) < 2:
        return
    now, before = (
        {" · ".join(map(group_name, r[:-1])): r[-1] or 0 for r in given[k].rows}
        for k in ("by_now", "by_before")
    )
    rows = [
        (g, before.get(g, 0), now.get(g, 0), now.get(g, 0) - before.get(g, 0))
        for g in dict.fromkeys([*now, *before])
    ]
    parts = _contributions(work, dimension)
    if parts:  # what a group does to a rate depends on how much there is of it, not on its own rate alone
        rows = [
            (g, b, n, parts[g.partition(" · ")[0]]) for g, b, n, _ in rows if g.partition(" · ")[0] in parts
        ]
    rows.sort(key=lambda r: -abs(r[3]))
    if not rows:
        return
    columns = (known.label, "before", "after", "adds to the change" if parts else "change")
    work.told.tables.insert(
        0, ResultTable(name=f"change by {known.label}", columns=columns, rows=tuple(rows[:MOST_GROUPS]))
    )
    scale = POINTS_IN.get(work.metric.unit or "")
    facts = [
        work.ledger.fact(
            named(work.metric.name, g, "change"), change * scale if scale else change, POINTS if scale else work.metric.unit,
            metric=work.metric.name, group={dimension: g}, query=given["by_now"].query, step="retrieve_by_now",
        )
        for g, _, _, change in rows[:3]
    ]  # fmt: skip
    said = listed([f"{g} {moved(f)}" for (g, *_), f in zip(rows, facts, strict=False)])
    work.say(
        WHY,
        f"By {known.label}, the change in {work.metric.label}: {said}",
        facts,
        *[g for g, *_ in rows[:3]],
        known.label,
    )


def _contributions(work: Work, dimension: str) -> dict[str, float]:
    """What each group adds to the change of an average or a rate; nothing for what adds up by itself."""
    metric = work.metric
    if metric.formula is None and metric.aggregation in (Aggregation.SUM, Aggregation.COUNT):
        return {}
    cuts = work.diagnosis.cuts if work.diagnosis is not None else ()
    cut = next((c for c in cuts if c.dimensions == (dimension,)), None)
    return {group_name(e.segment[0][1]): e.contribution for e in cut.effects} if cut is not None else {}


# Relations


def correlations(work: Work, metrics: Sequence[Metric]) -> None:
    """Which other figures moved with the main one, week by week; changes are related, so that trends are no relation."""
    import pandas as pd

    from gnomon.analytics import correlation

    main = work.metric
    home = set(work.model.base_tables(main))
    others = [m for m in metrics if not home & set(work.model.base_tables(m))]
    if not others:
        return
    span = TimeRange(
        start=max(work.coverage[0], work.current.end - timedelta(days=728)), end=work.current.end
    )
    queries = {
        f"week_{i}": RetrievalQuery(metrics=(m.name,), grain=TimeGranularity.WEEK, filters=work.allowed(m), time_range=span)
        for i, m in enumerate([main, *others])
    }  # fmt: skip
    given = work.fetch(queries)
    held: dict[str, dict[date, float]] = {}
    for i, m in enumerate([main, *others]):
        rows = given[f"week_{i}"].rows if f"week_{i}" in given else ()
        held[m.name] = {
            as_day(r[0]): float(r[-1]) for r in rows if r[0] is not None and isinstance(r[-1], (int, float))
        }
    frame = pd.DataFrame(held).sort_index().iloc[1:-1]
    changes = frame.diff().dropna()
    if len(changes) < 16:
        return
    found = correlation(changes, target=main.name)
    for pair in [p for p in found.pairs if p.significant and abs(p.coefficient) >= 0.3][:3]:
        other = work.model.metric(pair.second if pair.first == main.name else pair.first)
        fact = work.ledger.fact(
            named(other.name, "correlation"),
            round(pair.coefficient, 2),
            None,
            metric=None,
            query=given["week_0"].query,
            step="correlation",
        )
        way = "the same way" if pair.coefficient > 0 else "opposite ways"
        work.say(
            WHY,
            f"Correlated, week by week: {other.label} and {main.label} move {way} (correlation {fact_figure(fact)})",
            [fact],
            other.label,
            main.label,
        )
        work.find(
            "correlation", AnalyticalMethod.CORRELATION_ANALYSIS, main.name, area=other.business_dimension, verdict="correlated",
            words={"metric": main.label, "other": other.label}, facts={"correlation": fact}, weight=abs(pair.coefficient),
        )  # fmt: skip
