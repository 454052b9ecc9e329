"""The template for what is named against all other groups: the rest together, each of them, and the place among all."""

from __future__ import annotations

from typing import Any

from gnomon.agents.figures import PERCENT, figure, group_name, listed, ordinal, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_values import cell, part_name
from gnomon.agents.telling_words import cased, conditions, was
from gnomon.agents.workflow_groups import rest_name
from gnomon.agents.workflow_kinds import compared_dimension
from gnomon.agents.workflow_post import table_of
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.request import Filter
from gnomon.semantic.model import Additivity, DimensionType, plural
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart

_FEW = 6
_FLAGS = {"true": "yes", "1": "yes", "false": "no", "0": "no"}


def tell_rest(t: Telling) -> None:
    """The figure of the group, of all others together, and where it stands among them."""
    dimension = compared_dimension(t.request) or ""
    label = t.model.dimension(dimension).label
    groups = t.request.comparison.groups if t.request.comparison is not None else ()
    flag = t.model.dimension(dimension).type is DimensionType.BOOLEAN
    named = tuple(f"{label} {_FLAGS.get(g.lower(), g)}" for g in groups) if flag else groups
    rows = [(f"{label} {group_name(r[0])}" if flag else str(r[0]), r[-1]) for r in _by_group(t, dimension)]
    t.told.tables.append(table_of(t.result, slug(t.metric().label), t.main.columns, t.main.rows))
    known = [(g, v) for g, v in rows if isinstance(v, (int, float))]
    ours = [(g, v) for g, v in known if g in named]
    others = [(g, v) for g, v in known if g not in named]
    about = conditions(_others(t, dimension), t.model)
    subject = f"{t.metric().label}{' ' + about if about else ''}{t.when()}"
    if not ours or not others:
        t.told.lead = sentence(
            f"there is nothing to compare {listed(list(named))} with: {subject} is known for one side only"
        )
        return
    own = [_fact(t, dimension, g, v) for g, v in ours]
    told = [f"{t.say(f)} for {g}" for f, (g, _) in zip(own, ours, strict=True)]
    lead = f"{_yes(t, ours, others)}{subject} {was(t.metric().label)} {listed(told)}"
    t.told.lead = sentence(f"{lead}, against {_together(t, dimension, label, others)}")
    if len(others) > 1:
        t.told.more.append(sentence(_each(t, dimension, label, ours, others)))
    t.told.charts.append(bar_chart(t.told.lead, known, label, Axis(t.metric().label, t.metric().unit)))


def _by_group(t: Telling, dimension: str) -> list[tuple[Any, ...]]:
    columns = t.main.columns
    at, value = columns.index(dimension), columns.index(t.request.metrics[0])
    found = [(r[at], r[value]) for r in t.main.rows if r[at] is not None]
    return sorted(found, key=lambda r: -r[1] if isinstance(r[1], (int, float)) else 0)


def _others(t: Telling, dimension: str) -> tuple[Filter, ...]:
    return tuple(f for f in t.request.filters if f.having or f.field != dimension)


def _fact(t: Telling, dimension: str, group: str, value: Any) -> Fact:
    place = {dimension: group}
    filters = _others(t, dimension)
    return t.fact(f"{t.name()}.{slug(group)}", value, t.metric().unit, group=place, filters=filters)


def _adds_up(t: Telling) -> bool:
    return t.metric().additivity is Additivity.ADDITIVE


def _together(t: Telling, dimension: str, label: str, others: list[tuple[str, Any]]) -> str:
    """The rest: what adds up by the average of the other groups, anything else computed over all their rows."""
    filters = _others(t, dimension)
    if len(others) == 1 and t.model.dimension(dimension).type is DimensionType.BOOLEAN:
        return f"{t.say(_fact(t, dimension, *others[0]))} for {others[0][0]}"
    if len(others) == 1:
        return f"{t.say(_fact(t, dimension, *others[0]))} for {others[0][0]}, the only other {label}"
    rest = cell(t.result.retrieved.get("rest"), t.request.metrics[0])
    whole = t.fact(f"{t.name()}.rest", rest, t.metric().unit, role="rest", filters=filters)
    name = rest_name(label)
    if not _adds_up(t):
        return f"{t.say(whole)} for {name} together"
    each = t.fact(
        f"{t.name()}.rest_average", sum(v for _, v in others) / len(others), t.metric().unit, filters=filters
    )
    return f"an average of {t.say(each)} for each of {name} and {t.say(whole)} for all of them"


def _each(
    t: Telling, dimension: str, label: str, ours: list[tuple[str, Any]], others: list[tuple[str, Any]]
) -> str:
    """The place of the first that is named, and the figures of the others, as many as can be read."""
    ranked = sorted([*ours, *others], key=lambda g: -g[1])
    place = 1 + sum(v > ours[0][1] for _, v in ranked)
    number = t.fact("groups.count", len(ranked), None, metric="")
    t.fact(f"{t.name()}.rank", place, None, group={dimension: ours[0][0]})
    ends = {1: "is the highest", len(ranked): "is the lowest"}
    which = ends.get(place, f"comes {ordinal(place)}")
    shown = others if len(others) <= _FEW else [others[0], others[-1]]
    told = [f"{g} {figure(_fact(t, dimension, g, v).value, t.metric().unit)}" for g, v in shown]
    rest = (
        f"the others: {listed(told)}"
        if len(others) <= _FEW
        else f"the others reach from {told[1]} to {told[0]}"
    )
    return f"{cased(ours[0][0])} {which} of {t.say(number)} {plural(label)}; {rest}"


def _yes(t: Telling, ours: list[tuple[str, Any]], others: list[tuple[str, Any]]) -> str:
    """Yes or no to “more than the others”: for amounts more than any of them, for averages more than all together."""
    claim = t.request.claim.side
    if claim is None:
        return ""
    rest = cell(t.result.retrieved.get("rest"), t.request.metrics[0])
    bound = [v for _, v in others] if _adds_up(t) or not isinstance(rest, (int, float)) else [rest]
    more = claim == ">"
    met = all((v > max(bound)) if more else (v < min(bound)) for _, v in ours)
    return "yes: " if met else "no: "


def tell_rest_shares(t: Telling) -> None:
    """The share in what is named, in all other groups together, and in each of them."""
    dimension = t.request.dimensions[0]
    label = t.model.dimension(dimension).label
    named = t.request.comparison.groups if t.request.comparison is not None else ()
    part = _amounts(t, "main", dimension)
    whole = {g: n for g, n in _amounts(t, "whole", dimension).items() if n}
    shares = {g: 100 * part.get(g, 0) / n for g, n in whole.items()}
    ours, others = ([g for g in shares if (g in named) is held] for held in (True, False))
    if not ours or not others:
        t.told.lead = sentence(f"there is nothing to compare {listed(list(named))} with")
        return
    rest = 100 * sum(part.get(g, 0) for g in others) / sum(whole[g] for g in others)
    name = slug(part_name(t, t.request.part))
    facts = {
        g: t.fact(f"{name}.{slug(g)}_share", s, PERCENT, role="shares", metric="", group={dimension: g})
        for g, s in shares.items()
    }
    together = t.fact(f"{name}.rest_share", rest, PERCENT, role="shares", metric="")
    told = listed([f"{t.say(facts[g])} for {g}" for g in ours])
    t.told.lead = sentence(
        f"the share of {part_name(t, t.request.part)}{t.when()} {was('share')} {told}, "
        f"against {t.say(together)} for {rest_name(label)} together"
    )
    shown = sorted(others, key=lambda g: -shares[g])[:_FEW]
    t.told.more.append(sentence(f"the others: {listed([f'{g} {t.say(facts[g])}' for g in shown])}"))
    rows = tuple((g, part.get(g, 0), whole[g], shares[g]) for g in sorted(shares, key=lambda g: -shares[g]))
    t.told.tables.append(
        ResultTable(name="shares", columns=(label, "part", "whole", "share in %"), rows=rows)
    )
    t.told.charts.append(bar_chart(t.told.lead, [(r[0], r[3]) for r in rows], label, Axis("share", PERCENT)))


def _amounts(t: Telling, role: str, dimension: str) -> dict[str, float]:
    """The amount of each group that a retrieval gave."""
    given = t.result.retrieved.get(role)
    if given is None:
        return {}
    at, value = given.columns.index(dimension), given.columns.index(t.request.metrics[0])
    return {
        str(r[at]): r[value] for r in given.rows if r[at] is not None and isinstance(r[value], (int, float))
    }
