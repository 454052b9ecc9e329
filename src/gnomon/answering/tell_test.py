"""A test between groups: yes or no first, then the test, the p-value and each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.answering.plan import PERIOD, compared_dimension
from gnomon.answering.plan_studies import DIFFERENCE, groups_of
from gnomon.answering.telling import Telling
from gnomon.answering.words import (
    are,
    column_of,
    counted,
    is_number,
    is_plural,
    labelled,
    slug,
    without_value,
)
from gnomon.core.answer import Fact
from gnomon.core.figures import PERCENT, listed, sentence
from gnomon.core.studies import GroupTest
from gnomon.semantic.model import Aggregation, DimensionType, plural
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
Output = dict[str, Any]


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
    p = t.plain("p_value", output["p_value"], role=DIFFERENCE)
    t.plain("statistic", output["statistic"], role=DIFFERENCE)
    how = f"({TESTS[output['test']]}, {t.chance(p)})"
    groups = _groups(t, output)
    related = len(t.request.dimensions) > 1 and not t.request.metrics
    t.lead(_related(t, output, how) if related else _apart(t, output, groups, how))
    if (largest := max(groups, key=lambda g: g.count)).share is not None:
        t.more(f"{_named(t, largest.name)} has a share of {t.say(largest.share)}")
    _tell_further(t, output)
    _show(t, groups, output)
    if output["missing"]:
        _tell_missing(t, output, output["missing"])
    if output["single"]:
        t.plain("groups_of_one_row", output["single"], role=DIFFERENCE)
        t.note(f"{counted(output['single'], 'group')} of one row {are(output['single'])} left out")


def _tell_missing(t: Telling, output: Output, count: int) -> None:
    """Rows that have no value of what is compared, in the words in which other answers tell them."""
    if not t.request.metrics:
        t.plain("rows_without_value", count, role=DIFFERENCE)
        t.note(f"{counted(count, 'row')} without a value {are(count)} left out")
        return
    reference = _reference(t, "median" if _by_rank(t, output) else "mean")
    t.fact(f"{slug(reference)}.rows_without_value", count, None, role=DIFFERENCE, metric=reference)
    t.note(without_value(count, t.model.metric(reference).label))


def _about(t: Telling) -> str:
    """The conditions that hold for all groups."""
    named, own, against = set(t.groups), _dimension(t), t.request.comparison
    filters = (f for f in t.request.filters if f.field != own and not named & {str(v) for v in f.values})
    when = t.when() if against is None or against.kind != "period" else ""
    return f"{t.where(tuple(filters))}{when}"


def _verdict(t: Telling, yes: bool) -> str:
    """Yes or no to what was asked: that groups differ, or that they are all alike."""
    yes = not yes if t.request.options(GroupTest).even else yes
    return f"{'yes' if yes else 'no'}: " if t.request.claim.whether else ""


def _related(t: Telling, output: Output, how: str) -> str:
    """Two categories: whether they have to do with each other."""
    first, second = (t.label(d) for d in t.request.dimensions[:2])
    yes = output["significant"] != t.request.options(GroupTest).independent
    said = "are significantly associated" if output["significant"] else "show no significant association"
    return f"{_verdict(t, yes)}{first} and {second}{_about(t)} {said} {how}"


def _apart(t: Telling, output: Output, groups: Sequence[_Group], how: str) -> str:
    """A measure, or the number of rows, between groups; or which group stands out."""
    label, significant, high = _label(t, output), output["significant"], t.request.descending
    ends = sorted((g for g in groups if g.figure is not None), key=_size)
    if t.request.options(GroupTest).ranked:
        first, last = ("highest", "lowest") if high else ("lowest", "highest")
        top, low = (ends[-1], ends[0]) if high else (ends[0], ends[-1])
        judged = f"{'are significant' if significant else 'are not significant'} {how}"
        what = f"{_verdict(t, significant)}{label.removeprefix('the ')}{_about(t)}"
        span = f"is {first} for {_said(t, top)} and {last} for {_said(t, low)}"
        return f"{what} {span}; the differences between {_things(t)} {judged}"
    differ = f"{label}{_about(t)} {_differ(label, significant)} between"
    if len(groups) == 2:
        both = f"{_said(t, groups[0])} and {_said(t, groups[1])}"
        return f"{_pair_verdict(t, output, groups)}{differ} {both} {how}"
    span = f", from {_said(t, ends[-1])} to {_said(t, ends[0])}" if ends else ""
    return f"{_verdict(t, significant)}{differ} {_things(t)}{span} {how}"


def _size(group: _Group) -> float:
    value = group.figure.value if group.figure is not None else None
    return float(value) if is_number(value) else 0.0


def _differ(label: str, significant: bool) -> str:
    verb = "differ" if is_plural(label) else "differs"
    none = "do not differ" if is_plural(label) else "does not differ"
    return f"{verb if significant else none} significantly"


def _pair_verdict(t: Telling, output: Output, groups: Sequence[_Group]) -> str:
    """Yes or no; where the first is claimed to be more, or less, only a significant difference of that sign is a yes."""
    claim, yes = t.request.claim.side, bool(output["significant"])
    first, second = (g.figure.value if g.figure is not None else None for g in groups)
    if claim is not None and is_number(first) and is_number(second):
        yes = yes and ((first > second) if claim == ">" else (first < second))
    return _verdict(t, yes)


def _label(t: Telling, output: Output) -> str:
    metric, column = t.metric(), column_of(t.metric(), t.model)
    if metric.aggregation is Aggregation.COUNT:
        return f"the {metric.label}"
    if output["test"] == "levene":
        return f"the spread of {column.label if column is not None else metric.label}"
    how = "median" if _by_rank(t, output) else "mean"
    return t.model.metric(_reference(t, how)).label if column is not None else metric.label


def _by_rank(t: Telling, output: Output) -> bool:
    """Whether what is typical was compared, which the median tells."""
    return output["test"] in _BY_RANK and column_of(t.metric(), t.model) is not None


def _reference(t: Telling, how: str) -> str:
    """The metric that a figure of a group is a value of."""
    metric, column = t.metric(), column_of(t.metric(), t.model)
    if metric.aggregation == how or column is None:
        return t.request.metrics[0]
    return f"{how}({metric.table}.{column.at(metric.table or '')})"


def _things(t: Telling) -> str:
    return plural(t.label(t.request.dimensions[0]) if t.request.dimensions else str(t.request.grain))


def _groups(t: Telling, output: Output) -> list[_Group]:
    """Each group with the figure that the test compares, in the order in which they were named."""
    rows = t.records(DIFFERENCE, "groups")
    order = [n for n, _ in groups_of(t.request, t.model)]
    rows.sort(key=lambda r: order.index(r["group"]) if r["group"] in order else len(order))
    if not t.request.metrics or t.metric().aggregation is Aggregation.COUNT:
        return [_counted(t, row) for row in rows]
    key = "median" if _by_rank(t, output) else "mean"
    key = "share" if all(r["mean"] is None for r in rows) else key
    return [_measured(t, row, key) for row in rows]


def _counted(t: Telling, row: dict[str, Any]) -> _Group:
    """A group with how many rows it has, and their share."""
    name, of = slug(row["group"]), t.request.metrics[0] if t.request.metrics else ""
    own: dict[str, Any] = {"role": DIFFERENCE, "group": {_dimension(t): _named(t, row["group"])}}
    figure = t.fact(f"{slug(of) if of else 'rows'}.{name}", row["count"], None, metric=of, **own)
    share = t.fact(f"{slug(of)}.{name}_share", row["share"], PERCENT, **own) if of and row["share"] is not None else None  # fmt: skip
    return _Group(row["group"], row["count"], figure, share)


def _measured(t: Telling, row: dict[str, Any], key: str) -> _Group:
    """A group with its figure, how many rows it has, and what else is known of it."""
    name, unit = slug(row["group"]), PERCENT if key == "share" else t.metric().unit
    own: dict[str, Any] = {"role": DIFFERENCE, "group": {_dimension(t): _named(t, row["group"])}}
    of, median = _reference(t, "mean" if key == "share" else key), _reference(t, "median")
    figure = t.fact(f"{slug(of)}.{name}", row[key], unit, metric=of, **own)
    if key == "mean" and row["median"] is not None and median != of:
        t.fact(f"{slug(median)}.{name}", row["median"], unit, metric=median, **own)
    t.fact(f"size.{name}", row["count"], None, metric="", **own)
    return _Group(row["group"], row["count"], figure)


def _dimension(t: Telling) -> str:
    return compared_dimension(t.request) or PERIOD


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
        return labelled(int(name) if name.isdigit() else float(name), t.label(held))
    return name


def _tell_further(t: Telling, output: Output) -> None:
    """How large the effect is, and what sister tests say."""
    told: list[str] = []
    if output["effect"] is not None and output["effect_size"] and output["significant"]:
        effect = t.plain("effect", output["effect"], role=DIFFERENCE)
        told.append(f"the effect is {output['effect_size']} ({output['effect_name']} = {t.say(effect)})")
    for name, p in output["further"].items():
        t.plain(f"p_value.{_FURTHER.get(name, name)}", p, role=DIFFERENCE)
    level, judged = output["significance"], output["significant"]
    against = [TESTS[n] for n, p in output["further"].items() if (p < level) != judged]
    if against:
        told.append(f"{listed(against)} would judge otherwise, so the evidence is thin")
    if t.request.options(GroupTest).alpha is not None:
        told.append(
            f"the level of significance is {t.say(t.plain('significance_level', level, role=DIFFERENCE))}"
        )
    t.told.more += [sentence(text) for text in told]


def _show(t: Telling, groups: Sequence[_Group], output: Output) -> None:
    """The groups as a table and as bars."""
    names, rows = t.rows(DIFFERENCE, "groups")
    kept = [i for i in range(len(names)) if any(r[i] is not None for r in rows)]
    columns = [{"count": "rows", "share": "share in %"}.get(names[i], names[i]) for i in kept]
    t.plain_table("groups", columns, [[r[i] for i in kept] for r in rows])
    bars = [(g.name, g.figure.value) for g in groups if g.figure is not None and is_number(g.figure.value)]
    if len(bars) > 1:
        what = _label(t, output).removeprefix("the ") if t.request.metrics else "number of rows"
        t.draw(bar_chart(t.told.lead, bars, "group", what))
