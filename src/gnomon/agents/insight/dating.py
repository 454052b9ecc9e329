"""A measure by another date than its own: the subscriptions that churned in April, not those that began in it."""

from __future__ import annotations

from typing import Any

from gnomon.agents.insight.topic import Topic
from gnomon.answering.words import as_thing
from gnomon.planning.reader.words import name_words
from gnomon.semantic.infer_metrics import direction_of
from gnomon.semantic.model import Metric, SemanticModel


def by_date(model: SemanticModel, topic: Topic) -> SemanticModel:
    """What the tables mean where rows are dated as the question dates them; the model itself where they are already.

    All measures of the table are dated alike, so that what is compared with each other is of the same rows; those that are
    asked about say by which date.
    """
    if topic.time_dimension is None:
        return model
    day, asked = model.dimension(topic.time_dimension), set(topic.metrics)
    tables = {t.name for t in model.tables if day.at(t.name) is not None and t.time_dimension != day.name}
    if not any(model.metric(m).table in tables for m in asked):
        return model
    said = as_thing(day.label, day.type)

    def redated(metric: Metric) -> Metric:
        update: dict[str, Any] = {"time_dimension": day.name}
        if metric.name in asked:
            update |= {
                "label": f"{metric.label} by {said}",
                "direction": direction_of(list(name_words(said))),
            }
        return metric.model_copy(update=update)

    metrics = tuple(redated(m) if m.table in tables else m for m in model.metrics)
    dated = tuple(
        t.model_copy(update={"time_dimension": day.name}) if t.name in tables else t for t in model.tables
    )
    return model.model_copy(update={"metrics": metrics, "tables": dated})
