"""The template for a test between groups: yes or no first, then the test, the p-value and each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.agents.figures import PERCENT, counted, labelled, listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_words import conditions, is_plural
from gnomon.agents.workflow_groups import DIFFERENCE, groups_of
from gnomon.agents.workflow_post import frame_rows
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.studies import GroupTest
from gnomon.semantic.model import Aggregation, Dimension, DimensionType, plural
from gnomon.tools.chart_groups import bar_chart

TESTS = {
    "student_t": "Student's t-test", "welch_t": "Welch's t-test", "mann_whitney": "the Mann–Whitney U test",
    "anova": "a one-way ANOVA", "welch_anova": "Welch's ANOVA", "kruskal": "the Kruskal–Wallis test",
    "chi2": "the chi-square test of independence", "chi2_uncorrected": "the chi-square test without correction",
    "fisher": "Fisher's exact test", "levene": "Levene's test", "chi2_even": "the chi-square test of equal counts",
    "proportions": "a z-test of proportions",
}  # fmt: skip
# Facts are not called by words of the prose, which would take them for what it speaks of.
_FURTHER = {
    "student_t": "ttest_ind", "welch_t": "ttest_welch", "mann_whitney": "mannwhitneyu", "anova": "f_oneway", "kruskal": "kruskal_h",
}  # fmt: skip
_BY_RANK = ("mann_whitney", "kruskal")


@dataclass(frozen=True)
class _Group:
    name: str
    count: int
    figure: Fact | None
    share: Fact | None = None


def tell_difference(t: Telling) -> None:
    """Whether the groups differ, by which test, and what each of them has."""
    output = t.result.calculated.get(DIFFERENCE)
    if output is None:
        t.fail("the test could not be made")
        return
    p = t.fact("p_value", output["p_value"], None, role=DIFFERENCE, metric="")
    t.fact("statistic", output["statistic"], None, role=DIFFERENCE, metric="")
    how = f"{TESTS[output['test']]}, {t.chance(p)}"
    groups = _groups(t, output)
    related = len(t.request.dimensions) > 1 and not t.request.metrics
    t.told.lead = sentence(_related(t, output, how) if related else _apart(t, output, groups, how))
    if (largest := max(groups, key=lambda g: g.count)).share is not None:
        t.told.more.append(sentence(f"{_named(t, largest.name)} has a share of {t.say(largest.share)}"))
    t.told.more += [sentence(text) for text in _further(t, output)]
    _show(t, groups, output)
    if output["missing"]:
        _tell_missing(t, output, output["missing"])
    if output["single"]:
        t.fact("groups_of_one_row", output["single"], None, role=DIFFERENCE, metric="")
        t.told.caveats.append(
            f"{counted(output['single'], 'group')} of one row {_are(output['single'])} left out"
        )


def _tell_missing(t: Telling, output: dict[str, Any], count: int) -> None:
    """Rows that have no value of what is compared, in the words in which other answers tell them."""
    if not t.request.metrics:
        t.fact("rows_without_value", count, None, role=DIFFERENCE, metric="")
        t.told.caveats.append(f"{counted(count, 'row')} without a value {_are(count)} left out")
        return
    reference = _reference(t, "median" if _by_rank(t, output) else "mean")
    t.fact(f"{slug(reference)}.rows_without_value", count, None, role=DIFFERENCE, metric=reference)
    verb, label = "has" if count == 1 else "have", t.model.metric(reference).label
    t.told.caveats.append(f"{counted(count, 'row')} {verb} no value for {label} and {_are(count)} left out")


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _about(t: Telling) -> str:
    """The conditions that hold for all groups."""
    comparison = t.request.comparison
    named = set(comparison.groups) if comparison is not None else set[str]()
    filters = tuple(
        f for f in t.request.filters if f.field != _dimension(t) and not named & {str(v) for v in f.values}
    )
    about = conditions(filters, t.model)
    when = t.when() if comparison is None or comparison.kind != "period" else ""
    return f"{' ' + about if about else ''}{when}"


def _verdict(t: Telling, yes: bool) -> str:
    """Yes or no to what was asked: that groups differ, or that they are all alike."""
    yes = not yes if t.request.options(GroupTest).even else yes
    return f"{'yes' if yes else 'no'}: " if t.request.claim.whether else ""


def _related(t: Telling, output: dict[str, Any], how: str) -> str:
    """Two categories: whether they have to do with each other."""
    first, second = (t.model.dimension(d).label for d in t.request.dimensions[:2])
    yes = output["significant"] != t.request.options(GroupTest).independent
    said = "are significantly associated" if output["significant"] else "show no significant association"
    return f"{_verdict(t, yes)}{first} and {second}{_about(t)} {said} ({how})"


def _apart(t: Telling, output: dict[str, Any], groups: Sequence[_Group], how: str) -> str:
    """A measure, or the number of rows, between groups."""
    label = _label(t, output)
    differ = _differ(label, output["significant"])
    if t.request.options(GroupTest).ranked:
        return _ranked(t, output, groups, how)
    if len(groups) == 2:
        return f"{_pair_verdict(t, output, groups)}{label}{_about(t)} {differ} between {_said(t, groups[0])} and {_said(t, groups[1])} ({how})"
    ends = sorted((g for g in groups if g.figure is not None), key=_size)
    span = f", from {_said(t, ends[-1])} to {_said(t, ends[0])}" if ends else ""
    return (
        f"{_verdict(t, output['significant'])}{label}{_about(t)} {differ} between {_things(t)}{span} ({how})"
    )


def _ranked(t: Telling, output: dict[str, Any], groups: Sequence[_Group], how: str) -> str:
    """Which group stands out, and whether the groups differ by more than chance."""
    ends = sorted((g for g in groups if g.figure is not None), key=_size)
    highest = t.request.descending
    first, last = (ends[-1], ends[0]) if highest else (ends[0], ends[-1])
    label = _label(t, output).removeprefix("the ")
    judged = "are significant" if output["significant"] else "are not significant"
    which = "highest" if highest else "lowest"
    return (
        f"{_verdict(t, output['significant'])}{label}{_about(t)} is {which} for {_said(t, first)} and {'lowest' if highest else 'highest'} for "
        f"{_said(t, last)}; the differences between {_things(t)} {judged} ({how})"
    )


def _size(group: _Group) -> float:
    value = group.figure.value if group.figure is not None else None
    return float(value) if isinstance(value, (int, float)) else 0.0


def _differ(label: str, significant: bool) -> str:
    many = is_plural(label)
    if significant:
        return "differ significantly" if many else "differs significantly"
    return "do not differ significantly" if many else "does not differ significantly"


def _pair_verdict(t: Telling, output: dict[str, Any], groups: Sequence[_Group]) -> str:
    """Yes or no; where the first is claimed to be more, or less, only a significant difference of that sign is a yes."""
    claim = t.request.claim.side
    yes = bool(output["significant"])
    first, second = (g.figure.value if g.figure is not None else None for g in groups)
    if claim is not None and isinstance(first, (int, float)) and isinstance(second, (int, float)):
        yes = yes and ((first > second) if claim == ">" else (first < second))
    return _verdict(t, yes)


def _label(t: Telling, output: dict[str, Any]) -> str:
    metric = t.metric()
    if metric.aggregation is Aggregation.COUNT:
        return f"the {metric.label}"
    column = _column(t)
    if output["test"] == "levene":
        return f"the spread of {column.label if column is not None else metric.label}"
    if _by_rank(t, output) and column is not None:
        return t.model.metric(_reference(t, "median")).label
    return t.model.metric(_reference(t, "mean")).label if column is not None else metric.label


def _column(t: Telling) -> Dimension | None:
    """The column that is compared, where it is one."""
    metric = t.metric()
    column = (metric.expression or "").strip("`")
    held = (d for d in t.model.dimensions if metric.table is not None and d.at(metric.table) == column)
    return next(held, None)


def _by_rank(t: Telling, output: dict[str, Any]) -> bool:
    """Whether what is typical was compared, which the median tells."""
    return output["test"] in _BY_RANK and _column(t) is not None


def _reference(t: Telling, how: str) -> str:
    """The metric that a figure of a group is a value of."""
    metric, column = t.metric(), _column(t)
    if metric.aggregation == how or column is None:
        return t.request.metrics[0]
    return f"{how}({metric.table}.{column.at(metric.table or '')})"


def _things(t: Telling) -> str:
    if t.request.dimensions:
        return plural(t.model.dimension(t.request.dimensions[0]).label)
    return plural(str(t.request.grain))


def _groups(t: Telling, output: dict[str, Any]) -> list[_Group]:
    """Each group with the figure that the test compares, in the order in which they were named."""
    names, rows = frame_rows(output["groups"])
    rows = [dict(zip(names, r, strict=True)) for r in rows]
    order = [n for n, _ in groups_of(t.request, t.model)]
    rows.sort(key=lambda r: order.index(r["group"]) if r["group"] in order else len(order))
    return [_group(t, row, _compared(t, output, rows)) for row in rows]


def _group(t: Telling, row: dict[str, Any], key: str) -> _Group:
    """One group: its figure, how many rows it has, and what else is known of it."""
    name, place = slug(row["group"]), {_dimension(t): _named(t, row["group"])}
    own: dict[str, Any] = {"role": DIFFERENCE, "group": place}
    if key == "count":
        counted_as = t.request.metrics[0] if t.request.metrics else ""
        figure = t.fact(
            f"{slug(counted_as) if counted_as else 'rows'}.{name}", row[key], None, metric=counted_as, **own
        )
        share = row["share"] if counted_as else None
        told = (
            t.fact(f"{slug(counted_as)}.{name}_share", share, PERCENT, **own) if share is not None else None
        )
        return _Group(row["group"], row["count"], figure, told)
    unit = t.metric().unit if key != "share" else PERCENT
    how = key if key != "share" else "mean"
    figure = t.fact(f"{slug(_reference(t, how))}.{name}", row[key], unit, metric=_reference(t, how), **own)
    median = _reference(t, "median")
    if key == "mean" and row["median"] is not None and median != _reference(t, how):
        t.fact(f"{slug(median)}.{name}", row["median"], unit, metric=median, **own)
    t.fact(f"size.{name}", row["count"], None, metric="", **own)
    return _Group(row["group"], row["count"], figure)


def _dimension(t: Telling) -> str:
    comparison = t.request.comparison
    named = set(comparison.groups) if comparison is not None else set[str]()
    held = [f.field for f in t.request.filters if named & {str(v) for v in f.values}]
    return (*held, *t.request.dimensions, "period")[0]


def _compared(t: Telling, output: dict[str, Any], rows: Sequence[dict[str, Any]]) -> str:
    """Which figure of a group the test is about."""
    if not t.request.metrics or t.metric().aggregation is Aggregation.COUNT:
        return "count"
    if all(r["mean"] is None for r in rows):
        return "share"
    return "median" if _by_rank(t, output) else "mean"


def _said(t: Telling, group: _Group) -> str:
    named = _named(t, group.name)
    return f"{named} ({t.say(group.figure)})" if group.figure is not None else named


def _named(t: Telling, name: str) -> str:
    """A group as prose names it: yes of a flag is said with its flag."""
    if len(t.request.dimensions) == 1 and name in {"yes", "no"}:
        dimension = t.model.dimension(t.request.dimensions[0])
        if dimension.type is DimensionType.BOOLEAN:
            return f"{dimension.label} {name}"
    held = _dimension(t)
    if name.replace(".", "", 1).isdigit() and any(d.name == held for d in t.model.dimensions):
        return labelled(int(name) if name.isdigit() else float(name), t.model.dimension(held).label)
    return name


def _further(t: Telling, output: dict[str, Any]) -> list[str]:
    """Why this test, how large the effect is, and what sister tests say."""
    told: list[str] = []
    if output["effect"] is not None and output["effect_size"] and output["significant"]:
        effect = t.fact("effect", output["effect"], None, role=DIFFERENCE, metric="")
        told.append(f"the effect is {output['effect_size']} ({output['effect_name']} = {t.say(effect)})")
    for name, p in output["further"].items():
        t.fact(f"p_value.{_FURTHER.get(name, name)}", p, None, role=DIFFERENCE, metric="")
    against = [
        n for n, p in output["further"].items() if (p < output["significance"]) != output["significant"]
    ]
    if against:
        said = listed([TESTS[n] for n in against])
        told.append(f"{said} would judge otherwise, so the evidence is thin")
    if t.request.options(GroupTest).alpha is not None:
        alpha = t.fact("significance_level", output["significance"], None, role=DIFFERENCE, metric="")
        told.append(f"the level of significance is {t.say(alpha)}")
    return told


def _show(t: Telling, groups: Sequence[_Group], output: dict[str, Any]) -> None:
    """The groups as a table and as bars."""
    names, rows = frame_rows(output["groups"])
    kept = [i for i in range(len(names)) if any(r[i] is not None for r in rows)]
    columns = tuple({"count": "rows", "share": "share in %"}.get(names[i], names[i]) for i in kept)
    t.told.tables.append(
        ResultTable(name="groups", columns=columns, rows=tuple(tuple(r[i] for i in kept) for r in rows))
    )
    bars = [
        (g.name, g.figure.value)
        for g in groups
        if g.figure is not None and isinstance(g.figure.value, (int, float))
    ]
    if len(bars) > 1:
        what = _label(t, output).removeprefix("the ") if t.request.metrics else "number of rows"
        t.told.charts.append(bar_chart(t.told.lead, bars, "group", what))
