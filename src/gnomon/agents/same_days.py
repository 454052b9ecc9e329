"""Two periods of which the data cuts the later one short: what the earlier one had over the same days is told too."""

from __future__ import annotations

from gnomon.agents.figures import PERCENT, sentence
from gnomon.agents.telling import Telling
from gnomon.agents.telling_period_groups import tell_periods_by_group
from gnomon.agents.telling_periods import in_range
from gnomon.agents.telling_values import cell, moved, settled, tell_periods
from gnomon.agents.telling_words import is_plural
from gnomon.agents.whole_periods import SAME_DAYS, earlier_part
from gnomon.agents.workflow_post import frame_rows
from gnomon.agents.workflow_scope import Scope


def tell_two_periods(t: Telling) -> None:
    """The same metric in two periods, and over the same days of both where the later one is not over."""
    if t.request.dimensions:
        tell_periods_by_group(t)
        return
    tell_periods(t)
    earlier = t.result.retrieved.get(SAME_DAYS)
    part = earlier_part(t.request, t.model, Scope(coverage=t.plan.coverage))
    columns, rows = frame_rows(t.result.calculated.get(f"change_{SAME_DAYS}", {}).get("rows"))
    if earlier is None or part is None or not rows:
        return
    metric, row = t.metric(), dict(zip(columns, rows[0], strict=True))
    before = settled(cell(earlier, t.request.metrics[0]), metric, earlier)
    change, percent = row.get("change"), row.get("change_pct")
    if not isinstance(before, (int, float)) or not isinstance(change, (int, float)) or percent is None:
        return
    name, role = f"{t.name()}.{SAME_DAYS}", f"change_{SAME_DAYS}"
    then = t.fact(name, before, metric.unit, role=SAME_DAYS, period=part)
    size = t.fact(f"{name}.change_pct", percent, PERCENT, role=role)
    are = "are" if is_plural(metric.label) else "is"
    # A period that is not over is no fall against a whole one, so the days that both have come first.
    t.told.more.insert(0, t.told.lead)
    t.told.lead = sentence(
        f"over the same days {t.subject()} {are} {moved(change, size)}, from {t.say(then)} {in_range(part)}"
    )
