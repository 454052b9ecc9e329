"""Who is there now: “current employees”, “members who are still here”, where a date tells which of them have left."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator
from gnomon.planning.reader.date_names import done_on
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.people import rows_of_persons
from gnomon.planning.reader.running_levels import THIRD
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.sides import leaves, on_one_side
from gnomon.planning.reader.states import LASTING
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Dimension, DimensionType
from gnomon.semantic.wording import an

_NOW = frozenset({"currently", "current", "now", "still", "presently"})
_ENDED = frozenset({"end", "ended", "ends", "until", "termination", "terminated", "closed", "closure", "expired", "discharged"})  # fmt: skip
_IDLE = frozenset({"the", "are", "is", "we", "have", "with", "here", "at", "in"})


def keep_present(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Keep the rows without a date of leaving, where those of now are asked for and nothing else says which they are."""
    said = _said_now(sentence)
    if said is None or not draft.metrics:
        return
    tables = {t for m in draft.metrics for t in names.model.base_tables(names.model.metric(m))}
    columns = [d for t in tables for d in leaving_dates(t, names)]
    if len(tables) != 1 or len(columns) != 1 or any(f.field == columns[0].name for f in draft.filters):
        return
    draft.filters.append(Filter(field=columns[0].name, operator=FilterOperator.IS_NULL))
    draft.notes.append(f"“{said}” was read as without {an(columns[0].label)}")


def keep_those_of_a_day(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“how many employees at the end of 2023”: who had come by that day and not left, not those who came on it."""
    model, span = names.model, draft.time_range
    third = next((n for n in draft.notes if n.endswith(THIRD)), "")
    word = third.removesuffix(THIRD).lower()
    if span is None or draft.grain is not None or draft.comparison is not None or not draft.metrics:
        return
    if word not in {"end", "start", "beginning"} and (third or span.start != span.end):
        return
    tables = {t for m in draft.metrics for t in model.base_tables(model.metric(m))}
    came = model.table(next(iter(tables))).time_dimension if len(tables) == 1 else None
    none = [model.dimension(f.field) for f in draft.filters if f.operator is FilterOperator.IS_NULL]
    leaving = [d for d in none if d.type is DimensionType.TIME and d.home.table in tables]
    leaving = leaving or [d for t in tables for d in leaving_dates(t, names)]
    if len(leaving) != 1 or came in (None, leaving[0].name) or draft.time_dimension not in (None, came):
        return
    gone = leaving[0].name
    still = [f for f in draft.filters if f.field == gone]
    if not (still or _of_persons(next(iter(tables)), names)) or any(
        f.operator is not FilterOperator.IS_NULL for f in still
    ):
        return
    timed = {i for x in sentence.items if x.time is not None for i in range(x.start, x.end)}
    said = [w.lower for i, w in enumerate(sentence.words) if w.kind == "word" and i not in timed]
    deeds = {d.name for w in said if w not in LASTING for d in done_on(w, model)}
    if "new" in said or came in deeds or (gone in deeds and not still):
        return  # “hired on”, “left at the end of”: the day on which it was done
    day = span.start if word in {"start", "beginning"} else span.end
    draft.filters = [f for f in draft.filters if f not in still]
    draft.filters += [
        Filter(field=str(came), operator=FilterOperator.AT_MOST, values=(day,)),
        Filter(field=gone, operator=FilterOperator.NOT_BY, values=(day,)),
    ]
    draft.time_range, draft.notes = None, [n for n in draft.notes if n is not third and n != third]


def _of_persons(table: str, names: Names) -> bool:
    """Whether the rows of a table are persons: employees, staff."""
    return names.model.table(table).label in rows_of_persons(names.model)


def _said_now(sentence: Sentence) -> str | None:
    """The word for now, unless it belongs to a time, a state or a name: this year, currently open, current account."""
    words = sentence.words
    for k, word in enumerate(words):
        moment = (
            word.lower == "moment" and k > 1 and words[k - 1].lower == "the" and words[k - 2].lower == "at"
        )
        if not k and word.lower != "current" and word.lower != "currently":
            continue
        if word.lower not in _NOW and not moment:
            continue
        held = any(x.start <= k < x.end and (x.time or x.values or x.links) for x in sentence.items)
        behind = next((i for i in range(k + 1, len(words)) if words[i].lower not in _IDLE), None)
        state = any(
            x.start == behind and (x.values or x.association is not None)
            for x in sentence.items
            if x.start >= k
        )
        if not held and (not state or word.lower == "current"):
            return word.text
    return None


def leaving_dates(table: str, names: Names) -> list[Dimension]:
    """The dates that only rows of those have who have left, or of what has ended."""
    label = names.model.table(table).label
    person = _of_persons(table, names)
    return [
        d for d in names.model.dimensions
        if d.type is DimensionType.TIME and d.nullable and d.home.table == table
        and (leaves(d.label, label) or on_one_side("left", _event(d.label)) or (person and _ENDED & {*name_words(d.label)}))
    ]  # fmt: skip


def _event(label: str) -> str:
    return " ".join(w for w in name_words(label) if w not in {"on", "at", "date", "day", "time"})
