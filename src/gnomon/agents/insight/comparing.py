"""Methods of comparison: a measure against published benchmarks, its own past, and its peers; gaps sized in money."""

from __future__ import annotations

import statistics
from typing import Any

from gnomon.agents.insight.exposition import is_worse
from gnomon.agents.insight.findings import WHAT, WHY, named, size
from gnomon.agents.insight.methods import Work
from gnomon.agents.insight.paths import AnalyticalMethod
from gnomon.analytics.benchmarking import Benchmarked, Placed
from gnomon.analytics.benchmarks import BenchmarkPosition, Standing
from gnomon.answering.scope import reachable
from gnomon.answering.words import fact_figure, was
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.figures import PERCENT, POINTS, POINTS_IN, group_name
from gnomon.language.time_names import in_range
from gnomon.semantic.model import Direction, Metric, plural
from gnomon.semantic.query import RetrievalQuery
from gnomon.semantic.yardsticks import PREFIX
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart

PEERS_LOOKED_AT = 60
MOST_COMPARED = 4


def benchmarks(work: Work) -> None:
    """Against benchmark tables where the data has them, against peers, and against the own past."""
    known = {m.name for m in work.model.metrics}
    asked = [work.model.metric(m) for m in work.topic.metrics] if work.topic.named else []
    measured = [m for m in work.model.metrics if f"{PREFIX}{m.name}" in known]
    chosen = [m for m in asked if m in measured] if asked else measured
    for metric in chosen[:MOST_COMPARED]:
        _against_table(work, metric)
    if not any(f.kind == "benchmark" for f in work.told.findings):
        _among_peers(work, asked[0] if asked else work.metric)


def _against_table(work: Work, metric: Metric) -> None:
    from gnomon.analytics.benchmarking import benchmark_metric

    found = benchmark_metric(work.retriever, metric.name, work.current, work.allowed(metric))
    place = found.published
    if place is None:
        return
    name, facts = named(metric.name), _figures(work, metric, place, named(metric.name), {})
    current, mark, gap = facts["current"], facts["benchmark"], facts["gap"]
    by = _label(work, found)
    mixed = f" for your mix of {plural(by)}" if by else ""
    lead = f"{metric.label}{work.about} {was(metric.label)} {fact_figure(current)} {in_range(work.current)}"
    way = f"{size(gap)} {'above' if place.gap > 0 else 'below'} the benchmark{mixed} ({fact_figure(mark)})"
    same = place.standing is Standing.MIDDLE
    if same:
        way = f"level with the benchmark{mixed} ({fact_figure(mark)})"
    work.say(
        WHAT, f"{lead}, {way}", [current, gap, mark], metric.label
    )  # fmt: skip
    if place.percentile is not None:
        share = work.ledger.fact(
            f"{name}.percentile", round(place.percentile), PERCENT, metric=metric.name, period=work.current, step="benchmark"
        )  # fmt: skip
        work.say(
            WHAT,
            f"About {fact_figure(share)} of the field have a lower {metric.label}",
            [share],
            metric.label,
        )
    _tell_past(work, metric, found)
    worse = None if same else is_worse(place.gap, metric.direction)
    worth = _worth(work, metric, place, found.worth_label, name)
    if worth is not None:
        facts["worth"] = worth
        work.say(
            WHAT, f"At the benchmark, {found.worth_label} would have been about {fact_figure(worth)} more", [worth], str(found.worth_label)
        )  # fmt: skip
    work.find(
        "benchmark", AnalyticalMethod.BENCHMARK_ANALYSIS, metric.name, area=metric.business_dimension, worse=worse, verdict=str(place.standing),
        words={"metric": metric.label, "where": "", "worth_of": found.worth_label or ""}, facts=facts,
        weight=abs(place.gap_percent or 0.0) + (1000 if worse else 0),
    )  # fmt: skip
    _by_group(work, metric, found)


def _label(work: Work, found: Benchmarked) -> str:
    """What the benchmark is published by, where several groups of it count."""
    named_by = [p.segment[0][0] for p in found.by_segment if p.segment]
    return work.model.dimension(named_by[0]).label if len(named_by) > 1 else ""


def _figures(
    work: Work, metric: Metric, place: BenchmarkPosition, name: str, group: dict[str, Any]
) -> dict[str, Fact]:
    about: dict[str, Any] = {
        "metric": metric.name,
        "period": work.current,
        "group": group,
        "step": "benchmark",
    }
    scale = POINTS_IN.get(metric.unit or "")
    return {
        "current": work.ledger.fact(f"{name}.current", place.value, metric.unit, **about),
        "benchmark": work.ledger.fact(f"{name}.benchmark", place.middle, metric.unit, **about),
        "gap": work.ledger.fact(
            f"{name}.gap.difference", place.gap * scale if scale else round(place.gap, 2) or place.gap,
            POINTS if scale else metric.unit, **about,
        ),
    }  # fmt: skip


def _worth(
    work: Work,
    metric: Metric,
    place: BenchmarkPosition,
    label: str | None,
    name: str,
    group: dict[str, Any] | None = None,
) -> Fact | None:
    """What closing the gap would bring, where the measure is chained to an amount and is behind."""
    if label is None or not place.worth:
        return None
    amount = next(m for m in work.model.metrics if m.label == label)
    return work.ledger.fact(
        f"{name}.gap.worth", place.worth, amount.unit, metric=metric.name, period=work.current, group=group, step="benchmark"
    )  # fmt: skip


def _tell_past(work: Work, metric: Metric, found: Benchmarked) -> None:
    past = found.past
    if past is None or past.percentile is None or past.count is None or past.count < 6:
        return
    count = work.ledger.fact(
        f"{named(metric.name)}.past.periods", past.count, None, metric=metric.name, step="benchmark"
    )
    share = work.ledger.fact(
        f"{named(metric.name)}.past.percentile", round(past.percentile), PERCENT, metric=metric.name, period=work.current, step="benchmark"
    )  # fmt: skip
    work.say(
        WHAT, f"Against its own past: {metric.label} was lower than that in {fact_figure(share)} of the {fact_figure(count)} earlier periods of the same length",
        [share, count], metric.label,
    )  # fmt: skip


def _by_group(work: Work, metric: Metric, found: Benchmarked) -> None:
    """Group by group against its own benchmark: the table, the picture, and the gap that costs most."""
    if len(found.by_segment) < 2:
        return
    by = found.by_segment[0].segment[0][0]
    label, higher = work.model.dimension(by).label, metric.direction is not Direction.LOWER_IS_BETTER

    def behind(placed: Placed) -> float:
        return -placed.position.gap if higher else placed.position.gap

    ordered = sorted(found.by_segment, key=behind, reverse=True)
    columns = (label, metric.label, f"benchmark of {metric.label}", "gap")
    rows = [
        (group_name(p.segment[0][1]), p.position.value, p.position.middle, p.position.gap) for p in ordered
    ]
    rates = columns[1:] if metric.unit == "fraction" else ()
    work.told.tables.append(
        ResultTable(
            name=f"{metric.label} against the benchmark", columns=columns, rows=tuple(rows), rates=rates
        )
    )
    worst = max(ordered, key=lambda p: (p.position.worth or 0.0, behind(p)))
    if behind(worst) <= 0:
        return
    group, place = group_name(worst.segment[0][1]), worst.position
    name = named(metric.name, group)
    facts = _figures(work, metric, place, name, {by: group})
    told = (
        f"For {metric.label}, {group} ({label}) is farthest behind: {fact_figure(facts['current'])}, "
        f"{size(facts['gap'])} {'below' if place.gap < 0 else 'above'} its benchmark ({fact_figure(facts['benchmark'])})"
    )
    said = [facts["current"], facts["gap"], facts["benchmark"]]
    worth = _worth(work, metric, place, found.worth_label, name, {by: group})
    if worth is not None:
        facts["worth"] = worth
        told += f"; at the benchmark, {found.worth_label} would have been about {fact_figure(worth)} more"
        said.append(worth)
    work.say(WHY, told, said, group, label, metric.label, found.worth_label or "")
    work.find(
        "benchmark", AnalyticalMethod.BENCHMARK_ANALYSIS, metric.name, area=metric.business_dimension, worse=True,
        words={"metric": metric.label, "where": f"for {group}", "segment": group, "worth_of": found.worth_label or ""}, facts=facts,
        weight=1000 + abs(place.gap_percent or 0.0),
    )  # fmt: skip
    scale = POINTS_IN.get(metric.unit or "")
    gaps = [(g, round(gap * scale, 2) if scale else round(gap, 2) or gap) for g, *_, gap in rows]
    axis = Axis(f"gap to the benchmark of {metric.label}", POINTS if scale else metric.unit)
    work.told.charts.append(bar_chart(told, gaps, label, axis, highlighted=[group]))


def _among_peers(work: Work, metric: Metric) -> None:
    """The groups of the data against each other; the group that the question names against all others."""
    groups = [
        d
        for d in reachable(work.model, metric)
        if not d.personal and 3 <= (d.distinct or 0) <= PEERS_LOOKED_AT
    ]
    own = next(
        (f for f in work.allowed(metric) if len(f.values) == 1 and any(d.name == f.field for d in groups)),
        None,
    )
    wanted = own.field if own is not None else next(iter(work.topic.dimensions), None)
    chosen = next((d for d in groups if d.name == wanted), groups[0] if groups else None)
    if chosen is None:
        work.say(
            WHAT,
            f"The data holds no benchmark and no groups to compare {metric.label} with",
            [],
            metric.label,
        )
        return
    query = RetrievalQuery(
        metrics=(metric.name,), dimensions=(chosen.name,), time_range=work.current,
        filters=tuple(f for f in work.allowed(metric) if f.field != chosen.name),
    )  # fmt: skip
    given = work.fetch({"peers": query}).get("peers")
    rows = [
        (group_name(r[0]), float(r[-1]))
        for r in (given.rows if given else ())
        if isinstance(r[-1], (int, float))
    ]
    if given is None or len(rows) < 3:
        work.say(WHAT, f"There are too few groups to compare {metric.label} with", [], metric.label)
        return
    better = metric.direction is not Direction.LOWER_IS_BETTER
    rows.sort(key=lambda r: -r[1] if better else r[1])
    named_by = ResultTable(
        name=f"{metric.label} by {chosen.label}", columns=(chosen.label, metric.label), rows=tuple(rows)
    )
    work.told.tables.append(named_by)
    work.say(
        WHAT, f"The data holds no benchmark of {metric.label}, so its groups are compared with each other", [], metric.label
    )  # fmt: skip
    focus = group_name(own.values[0]) if own is not None else rows[-1][0]
    value = dict(rows).get(focus)
    if value is None:
        return
    middle = statistics.median(v for g, v in rows if g != focus)
    about: dict[str, Any] = {
        "metric": metric.name,
        "period": work.current,
        "query": given.query,
        "step": "peers",
    }
    name = named(metric.name)
    mine = work.ledger.fact(
        f"{named(metric.name, focus)}.current", value, metric.unit, group={chosen.name: focus}, **about
    )
    centre = work.ledger.fact(f"{name}.others.median", middle, metric.unit, **about)
    first = work.ledger.fact(
        f"{name}.{'top' if better else 'bottom'}",
        rows[0][1],
        metric.unit,
        group={chosen.name: rows[0][0]},
        **about,
    )
    place = work.ledger.fact(f"{name}.rank", [g for g, _ in rows].index(focus) + 1, None, **about)
    count = work.ledger.fact(f"{name}.groups", len(rows), None, **about)
    work.say(
        WHAT, f"{metric.label} {in_range(work.current)}: {focus} ({chosen.label}) has {fact_figure(mine)}, the median of the others is {fact_figure(centre)}",
        [mine, centre], metric.label, chosen.label, focus,
    )  # fmt: skip
    neutral = metric.direction is Direction.NEUTRAL
    work.say(
        WHAT,
        f"That is place {fact_figure(place)} of {fact_figure(count)}, the {'highest' if neutral else 'best'} being {rows[0][0]} with {fact_figure(first)}",
        [place, count, first],
        rows[0][0],
    )
    if neutral:
        work.say(
            WHAT, f"Nothing here says whether a higher or a lower {metric.label} is better, so this is no judgement", [], metric.label
        )  # fmt: skip
    elif focus != rows[0][0]:
        worse = is_worse(value - middle, metric.direction)
        work.find(
            "peer", AnalyticalMethod.BENCHMARK_ANALYSIS, metric.name, worse=True if worse is None else worse, area=metric.business_dimension,
            words={"metric": metric.label, "segment": focus, "best": rows[0][0]}, facts={"current": mine, "benchmark": first},
            weight=abs(rows[0][1] - value),
        )  # fmt: skip
    else:
        work.find(
            "peer", AnalyticalMethod.BENCHMARK_ANALYSIS, metric.name, worse=False, area=metric.business_dimension,
            words={"metric": metric.label, "segment": focus, "best": focus}, facts={"current": mine, "benchmark": centre},
        )  # fmt: skip
