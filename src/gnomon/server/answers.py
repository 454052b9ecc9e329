"""Answers as the API tells them: the reading, facts with where they came from, tables that are bounded, what to ask next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from gnomon.agents.offers import choices
from gnomon.answering.conditions import reading_of as in_words
from gnomon.core.errors import NotFound
from gnomon.core.query import TimeGranularity
from gnomon.core.request import Request
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.reporting.compare import same_value
from gnomon.semantic.model import PARTS_OF_TIME

if TYPE_CHECKING:
    from gnomon.agents.outcome import Outcome
    from gnomon.core.answer import Answer
    from gnomon.semantic import SemanticModel
    from gnomon.semantic.model import Dimension

MAX_ROWS = 1000
_VALUES = 40
_PASSING = frozenset(
    {"runtime_seconds", "seconds", "timings", "at", "timestamp", "created_at", "run_id", "session_id"}
)
"""What is told of a run and is another each time."""


def told(question: str, outcome: Outcome, model: SemanticModel) -> dict[str, Any]:
    """An outcome as plain data."""
    reading = outcome.reading
    requests = reading.requests if reading is not None else ()
    return {
        **answered(outcome.answer),
        "question": question,
        "reading": {
            "status": str(reading.status) if reading is not None else None,
            "said": [outcome.answer.read_as]
            if reading is not None and reading.ask and outcome.answer.read_as
            else [s for s in (said(r, model) for r in requests) if s],
            "requests": [r.model_dump(mode="json") for r in requests],
            "parts": [r.parts.model_dump(mode="json") for r in requests],
            "labels": _labels(requests, model),
            "notes": list(reading.notes) if reading is not None else [],
            "missing": list(reading.missing) if reading is not None else [],
            "continues": bool(reading is not None and reading.continues),
            "ask": reading.ask.model_dump(mode="json") if reading is not None and reading.ask else None,
            "own": bool(reading is not None and reading.own),
        },
        "options": _offered(question, outcome),
        "picks": [
            {"place": n, "id": o.id, **o.model_dump(mode="json", exclude={"chance"})}
            for n, o in enumerate(outcome.answer.options, 1)
        ],
        "agent": str(outcome.agent) if outcome.agent else None,
        "privacy": outcome.privacy,
        "error_code": str(outcome.error) if outcome.error else None,
        "accuracy": outcome.accuracy.model_dump() if outcome.accuracy else None,
    }


def reading_of(answer: Mapping[str, Any]) -> Reading | None:
    """How the question of an answer was read, where it was clear and is written as it is today; else there are its words."""
    told = answer.get("reading") or {}
    if told.get("status") != ReadingStatus.CLEAR or not (told.get("requests") or told.get("own")):
        return None
    fields = {k: told.get(k) for k in ("status", "requests", "notes", "continues", "ask", "own")}
    with suppress(ValidationError):
        return Reading.model_validate({k: v for k, v in fields.items() if v is not None})
    return None


def _labels(requests: Iterable[Request], model: SemanticModel) -> dict[str, str]:
    """What the figures and groups of readings are called, also those that were made up for one question."""
    found: dict[str, str] = {}
    for request in (r.parts for r in requests):
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
        parts = request.parts
        return in_words(parts, model, str(parts.grain) if parts.grain else None)
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
    """What two runs tell differently, fact by fact, table by table, or part by part; empty where they are the same."""
    if before.get("status") != after.get("status"):
        found = [{"what": "status", "before": before.get("status"), "after": after.get("status")}]
        return found if "facts" not in before else [*found, *_facts_apart(before, after)][:_VALUES]
    if "phase" in after:  # an investigation
        return list(islice(_apart("", before, after), _VALUES))
    return [*_facts_apart(before, after), *_tables_apart(before, after)][:_VALUES]


def _facts_apart(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    facts = [{f["name"]: f for f in a.get("facts", [])} for a in (before, after)]
    found: list[dict[str, Any]] = []
    for name in sorted({*facts[0], *facts[1]}):
        old, new = (f.get(name, {}) for f in facts)
        if not same_value(old.get("value"), new.get("value")) or old.get("unit") != new.get("unit"):
            found.append({"what": f"fact {name}", "before": old.get("value"), "after": new.get("value")})
    return found


def _tables_apart(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for old, new in zip_longest(before.get("tables", []), after.get("tables", []), fillvalue={}):
        keys = ("columns", "rows", "total_rows")
        parts = ({k: t[k] for k in keys if k in t} for t in (old, new))
        if any(_apart("", *parts)):
            name = (old or new)["name"]
            rows = [t.get("total_rows", len(t.get("rows", []))) for t in (old, new)]
            found.append({"what": f"table {name}", "before": rows[0], "after": rows[1]})
    return found


def _apart(place: str, before: Any, after: Any) -> Iterator[dict[str, Any]]:
    """Where two pieces of plain data differ, but for the last digits of fractions and how long things took."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        old, new = cast("Mapping[str, Any]", before), cast("Mapping[str, Any]", after)
        for key in sorted({*old, *new} - _PASSING):
            yield from _apart(f"{place}.{key}".lstrip("."), old.get(key), new.get(key))
    elif isinstance(before, list) and isinstance(after, list):
        pairs = zip_longest(cast("list[Any]", before), cast("list[Any]", after))
        for number, (old, new) in enumerate(pairs):
            yield from _apart(f"{place}[{number}]", old, new)
    elif not same_value(before, after):
        yield {"what": place, "before": before, "after": after}
