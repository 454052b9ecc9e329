"""Who is there now: “current employees”, “members who are still here”, where a date tells which of them have left."""

from __future__ import annotations

from gnomon.core.request import Filter, FilterOperator
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.people import is_person_noun
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.sides import leaves, on_one_side
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
    person = is_person_noun(label)
    return [
        d for d in names.model.dimensions
        if d.type is DimensionType.TIME and d.nullable and d.home.table == table
        and (leaves(d.label, label) or on_one_side("left", _event(d.label)) or (person and _ENDED & {*name_words(d.label)}))
    ]  # fmt: skip


def _event(label: str) -> str:
    return " ".join(w for w in name_words(label) if w not in {"on", "at", "date", "day", "time"})
