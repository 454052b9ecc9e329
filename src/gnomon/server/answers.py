"""Answers as the API tells them: the reading, facts with where they came from, tables that are bounded, what to ask next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gnomon.agents.offers import choices
from gnomon.agents.telling_words import reading_of
from gnomon.core.errors import NotFound
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Request
from gnomon.semantic.model import PARTS_OF_TIME

if TYPE_CHECKING:
    from gnomon.agents.manager import Outcome
    from gnomon.core.answer import Answer
    from gnomon.semantic import SemanticModel
    from gnomon.semantic.model import Dimension

MAX_ROWS = 1000
_VALUES = 40


def told(question: str, outcome: Outcome, model: SemanticModel) -> dict[str, Any]:
    """An outcome as plain data."""
    reading = outcome.reading
    requests = reading.requests if reading is not None else ()
    return {
        **answered(outcome.answer),
        "question": question,
        "reading": {
            "status": str(reading.status) if reading is not None else None,
            "said": [s for s in (said(r, model) for r in requests) if s],
            "requests": [r.model_dump(mode="json") for r in requests],
            "labels": _labels(requests, model),
            "notes": list(reading.notes) if reading is not None else [],
            "missing": list(reading.missing) if reading is not None else [],
            "continues": bool(reading is not None and reading.continues),
        },
        "options": _offered(question, outcome),
        "picks": [
            o.model_dump(mode="json", include={"said", "question", "leaves", "prose"})
            for o in outcome.answer.options
        ],
        "agent": str(outcome.agent) if outcome.agent else None,
        "privacy": outcome.privacy,
        "error_code": str(outcome.error) if outcome.error else None,
        "accuracy": outcome.accuracy.model_dump() if outcome.accuracy else None,
    }


def _labels(requests: Iterable[Request], model: SemanticModel) -> dict[str, str]:
    """What the figures and groups of readings are called, also those that were made up for one question."""
    found: dict[str, str] = {}
    for request in requests:
        for names, known in ((request.metrics, model.metric), (request.dimensions, model.dimension)):
            for name in names:
                with suppress(NotFound):
                    found[name] = known(name).label
    return found


def _offered(question: str, outcome: Outcome) -> list[str]:
    """Whole questions of which one is meant."""
    if outcome.answer.options:
        return [o.question for o in outcome.answer.options]
    return list(choices(question, outcome.reading)) if not outcome.answer.facts else []


def answered(answer: Answer) -> dict[str, Any]:
    """An answer as plain data, its tables cut to what a page can show."""
    whole = answer.model_dump(mode="json", exclude={"request", "tables", "options"})
    tables = [
        {
            "name": t.name,
            "columns": list(t.columns),
            "rows": t.model_copy(update={"rows": t.rows[:MAX_ROWS]}).model_dump(mode="json")["rows"],
            "rates": list(t.rates),
            "units": list(t.units),
            "total_rows": len(t.rows),
        }
        for t in answer.tables
    ]
    return {**whole, "tables": tables}


def said(request: Request, model: SemanticModel) -> str:
    """A request in words; nothing where it names what the model does not know."""
    try:
        return reading_of(request, model, str(request.grain) if request.grain else None)
    except NotFound:
        return ""


def vocabulary(model: SemanticModel) -> dict[str, Any]:
    """What can be asked about: metrics and dimensions with their labels, for correcting a reading by hand."""
    return {
        "metrics": [{"name": m.name, "label": m.label, "unit": m.unit} for m in model.metrics],
        "dimensions": [
            {
                "name": d.name,
                "label": d.label,
                "type": str(d.type),
                "distinct": d.distinct,
                "personal": bool(d.personal),
                "coverage": [str(day) for day in d.coverage] if d.coverage else None,
            }
            for d in (*model.dimensions, *_parts_of_time(model))
        ],
    }


def _parts_of_time(model: SemanticModel) -> list[Dimension]:
    """What repeats in the dates: weekdays, months, quarters, and hours where the data tells them."""
    if not any(t.time_dimension for t in model.tables):
        return []
    hours = any(d.grain is TimeGranularity.HOUR for d in model.dimensions)
    return [model.dimension(f"@{part}") for part in PARTS_OF_TIME if part != "hour" or hours]


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What two answers tell differently, fact by fact and table by table; empty where they are the same."""
    found: list[dict[str, Any]] = []
    if before.get("status") != after.get("status"):
        found.append({"what": "status", "before": before.get("status"), "after": after.get("status")})
    facts = [{f["name"]: f for f in a.get("facts", [])} for a in (before, after)]
    for name in sorted({*facts[0], *facts[1]}):
        old, new = (f.get(name, {}) for f in facts)
        if (old.get("value"), old.get("unit")) != (new.get("value"), new.get("unit")):
            found.append({"what": f"fact {name}", "before": old.get("value"), "after": new.get("value")})
    tables = [[(t["columns"], t["rows"]) for t in a.get("tables", [])] for a in (before, after)]
    if tables[0] != tables[1]:
        rows = [[len(r) for _, r in t] for t in tables]
        found.append({"what": "tables", "before": rows[0], "after": rows[1]})
    return found[:_VALUES]
