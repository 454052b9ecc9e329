"""What conditions were held against, where the data gave the bound."""

from __future__ import annotations

from gnomon.agents.figures import group_name, listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.workflow_bounds import Bound, bounds_of
from gnomon.core.answer import ResultTable
from gnomon.core.query import TimeGranularity
from gnomon.semantic.model import plural
from gnomon.semantic.wording import AGAINST


def tell_bounds(t: Telling) -> None:
    """A sentence and a fact for each bound that was computed."""
    for i, bound in enumerate(bounds_of(t.request, t.model)):
        given = t.result.retrieved.get(f"bound{i}")
        if given is None or not given.rows:
            continue
        if bound.query.dimensions:
            _tell_each(t, bound, i)
        elif given.rows[0][-1] is not None:
            _tell_one(t, bound, f"bound{i}", given.rows[0][-1])


def _tell_one(t: Telling, bound: Bound, role: str, value: float) -> None:
    metric = t.model.metric(bound.metric)
    of_groups = metric.inner is not None and metric.per is not None
    inside = (
        bound.condition.having and bound.metric not in t.request.metrics
    )  # the answer has a metric of its own
    name = "bound" if inside else f"{slug(bound.metric)}.bound"
    own = "" if inside else bound.metric
    made = t.fact(name, value, metric.unit, role=role, metric=own, filters=())
    said = f"the {metric.label}{'' if bound.condition.having else ' over all rows'}"
    if of_groups and bound.condition.relative is not None:
        per = (
            t.model.dimension(str(metric.per)).label if metric.per not in set(TimeGranularity) else metric.per
        )
        said = f"{AGAINST[bound.condition.relative.how]} per {per}"
    elif inside and bound.condition.relative is not None:
        said = AGAINST[bound.condition.relative.how]
    said += f" is {t.say(made)}"
    if bound.condition.values:
        times = float(str(bound.condition.values[0]))
        t.fact("multiplied_by", times, None, role=role, metric="", filters=())
        whole = t.fact("limit", value * times, metric.unit, role=role, metric="", filters=())
        said += f"; the bound is {t.say(whole)}"
    t.told.more.append(sentence(said))


def _tell_each(t: Telling, bound: Bound, i: int) -> None:
    """One bound for each group, as a table beside the answer."""
    given = t.result.retrieved[f"bound{i}"]
    by = [t.model.dimension(d).label for d in bound.query.dimensions]
    label = t.model.metric(bound.metric).label
    rows = tuple((*(group_name(v) for v in row[:-1]), row[-1]) for row in given.rows)
    t.told.tables.append(ResultTable(name="bounds", columns=(*by, label), rows=rows))
    t.told.caveats.append(
        f"Each is held against the {label} of its own {listed(by)}, not of all {plural(by[0])}"
    )
