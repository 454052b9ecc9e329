"""The template for a measure by ranges of a column: where it is highest and lowest, and each range where there are few."""

from __future__ import annotations

from gnomon.agents.figures import counted, listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_words import was
from gnomon.agents.workflow_groups import BRACKETS
from gnomon.agents.workflow_post import frame_rows
from gnomon.core.answer import ResultTable
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart

_FEW = 8


def tell_brackets(t: Telling) -> None:
    """The measure in each range of the column."""
    output, cut = t.result.calculated.get(BRACKETS), t.request.brackets
    if output is None or cut is None:
        t.fail("the ranges could not be formed")
        return
    column = t.model.dimension(cut.column)
    _, rows = frame_rows(output["rows"], ("range", "value", "rows"))
    metric, key = t.metric(), f"{column.label} range"
    label = metric.label
    t.told.tables.append(ResultTable(name=slug(label), columns=(key, label, "rows"), rows=rows))
    known = [(str(r[0]), r[1]) for r in rows if isinstance(r[1], (int, float))]
    if not known:
        t.told.lead = sentence(f"{t.subject()}{t.when()} is unknown for every {key}")
        return
    facts = {
        name: t.fact(f"{t.name()}.{slug(name)}", value, metric.unit, role=BRACKETS, group={key: name})
        for name, value in known
    }
    top, bottom = (pick(known, key=lambda k: k[1])[0] for pick in (max, min))
    verb = was(label)
    lead = f"{t.subject()}{t.when()} {verb} highest for {column.label} {top} ({t.say(facts[top])})"
    if top != bottom:
        lead += f" and lowest for {column.label} {bottom} ({t.say(facts[bottom])})"
    t.told.lead = sentence(lead)
    if len(known) <= _FEW:
        each = listed([f"{t.say(facts[n])} for {n}" for n, _ in known])
        t.told.more.append(sentence(f"by {column.label}: {each}"))
    t.told.charts.append(bar_chart(t.told.lead, known, key, Axis(label, metric.unit)))
    if output["missing"]:
        t.fact("rows_without_value", output["missing"], None, role=BRACKETS, metric="")
        t.told.caveats.append(
            f"{counted(output['missing'], 'row')} without a value of {column.label} left out"
        )
