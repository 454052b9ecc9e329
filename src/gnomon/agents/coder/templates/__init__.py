"""Analyses that are asked for again and again: each has a prompt for a model, and a plan that needs none."""

from __future__ import annotations

from gnomon.agents.coder.templates.along_time import (
    groups_that_moved,
    latest_against_before,
    level_changes,
    outlook,
    seasons,
    trends,
)
from gnomon.agents.coder.templates.groups import activity, cohorts, groups, segments
from gnomon.agents.coder.templates.state import (
    completeness,
    contents,
    duplicates,
    extreme_values,
    gaps_in_time,
    key_figures,
    references,
    suspicious_columns,
)
from gnomon.agents.coder.templates.template import AnalysisTemplate
from gnomon.agents.coder.templates.unusual import unusual_groups, unusual_periods, unusual_rows
from gnomon.core.errors import NotFound

__all__ = ["TEMPLATE_REGISTRY", "AnalysisTemplate", "get_template", "list_templates"]

TEMPLATE_REGISTRY: dict[str, AnalysisTemplate] = {
    t.name: t
    for t in (
        AnalysisTemplate(
            "health_check",
            "Health check",
            "What the data holds, its key figures, how they moved lately, and in what state it is.",
            (contents, key_figures, latest_against_before, completeness, duplicates),
        ),
        AnalysisTemplate(
            "trend_and_seasonality",
            "Trend and seasonality",
            "Where the measures are heading, what repeats, and when they changed their level.",
            (trends, seasons, level_changes),
        ),
        AnalysisTemplate(
            "anomaly_investigation",
            "Anomaly investigation",
            "Periods, rows and values that stand out, and whether that is more than chance.",
            (unusual_periods, unusual_groups, unusual_rows, extreme_values),
        ),
        AnalysisTemplate(
            "cohort_retention",
            "Cohorts and retention",
            "Who came first when, and how many of them came back later.",
            (cohorts, activity),
        ),
        AnalysisTemplate(
            "segmentation",
            "Segmentation",
            "Groups that the rows fall into by themselves, and how the named groups differ.",
            (segments, groups),
        ),
        AnalysisTemplate(
            "forecasting",
            "Forecast",
            "What comes next, how sure that is, and how well the method did on the past.",
            (outlook, trends, seasons),
        ),
        AnalysisTemplate(
            "period_comparison",
            "Period comparison",
            "The last whole period against the one before, and where the difference comes from.",
            (latest_against_before, groups_that_moved),
        ),
        AnalysisTemplate(
            "data_quality",
            "Data quality",
            "Missing and repeated rows, columns to look at, extreme values, gaps in time and broken references.",
            (
                contents,
                completeness,
                duplicates,
                suspicious_columns,
                extreme_values,
                gaps_in_time,
                references,
            ),
        ),
    )
}


def get_template(name: str) -> AnalysisTemplate:
    """The template of that name.

    Raises:
        NotFound: There is none; the error lists the names.
    """
    if name not in TEMPLATE_REGISTRY:
        error = NotFound.among("template", name, TEMPLATE_REGISTRY)
        raise NotFound(
            f"{error.message} The templates are {', '.join(sorted(TEMPLATE_REGISTRY))}.",
            suggestions=["gnomon templates"],
        )
    return TEMPLATE_REGISTRY[name]


def list_templates() -> list[dict[str, str]]:
    """The name, display name and description of each template."""
    return [
        {"name": t.name, "display_name": t.display_name, "description": t.description}
        for t in TEMPLATE_REGISTRY.values()
    ]
