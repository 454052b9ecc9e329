"""What one row of each table is, what the table is about, and which of its columns periods refer to."""

from __future__ import annotations

import math

from gnomon.data import ColumnProfile, DatasetProfile, Role, TableProfile, column_names
from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.infer_dimensions import dimension_type, written_as
from gnomon.semantic.labels import (
    both_numbers,
    entity_of,
    entity_of_values,
    lower_words,
    others,
    table_entity,
)
from gnomon.semantic.measures import flow_told, is_measure, is_snapshot
from gnomon.semantic.model import DimensionType, TableMeaning, singular
from gnomon.semantic.vocabulary import vocabulary

_EVENT_WORDS = (
    "date", "order", "ordered", "opened", "created", "timestamp", "time", "datetime", "day", "sale", "transaction",
    "purchase", "invoice", "event", "start",
)  # fmt: skip
FEW_THINGS = 60
_DENSE = 0.8
_NEARLY = 0.9
_COUNTERS = frozenset({"row", "column", "unnamed", "index"})
_LATER_WORDS = frozenset(
    [
        "updated",
        "modified",
        "closed",
        "resolved",
        "end",
        "ended",
        "due",
        "shipped",
        "ship",
        "delivered",
        "delivery",
        "birth",
        "dob",
        "expiry",
        "expiration",
        "launch",
        "termination",
        "last",
        "completed",
        "processed",
        "hire",
    ]
)


def infer_tables(profile: DatasetProfile) -> dict[str, TableMeaning]:
    """The meaning of each table, without its time dimension's final name."""
    prefix = _common_prefix(profile)
    return {t.name: _meaning(t, profile, prefix) for t in profile.tables}


def _meaning(table: TableProfile, profile: DatasetProfile, prefix: str) -> TableMeaning:
    label, synonyms = _label(table, profile, prefix)
    words = set(lower_words(table.name)) | {label}
    sides = vocabulary().business
    return TableMeaning(
        name=table.name,
        label=label,
        synonyms=synonyms,
        rows=table.rows,
        key=_key(table, label),
        business_dimension=next((side for side, known in sides.items() if words & known), None),
    )


def _key(table: TableProfile, label: str) -> tuple[str, ...]:
    """What tells the rows apart: the column that is called as they are (county, of counties), before a code beside it."""
    if not table.keys:
        return ()
    alone = [c for c in table.columns if c.distinct == table.rows and c.distinct_exact and not c.nulls]
    called = [(c.name,) for c in alone if " ".join(lower_words(c.name)) == label.split()[-1]]
    numbered = column_names.names_identifier(table.keys[0].columns[0])
    return called[0] if called and not numbered else table.keys[0].columns


def _label(table: TableProfile, profile: DatasetProfile, prefix: str) -> tuple[str, tuple[str, ...]]:
    stems = [t.name for t in profile.tables if t is not table and table.name.startswith(f"{t.name}_")]
    name = table.name[len(max(stems, key=len)) + 1 :] if stems else table.name.removeprefix(prefix)
    label, key_entity = table_entity(name), _key_entity(table)
    alone = len(profile.tables) == 1
    if label is not None and key_entity is None and (_counts_elsewhere(table, label) or _is_panel(table)):
        # rows are figures about such things, not the things
        label, name = ("", "") if alone else (f"{label} row", name)
    if label and key_entity is None and _repeated(table, label):
        return f"{label} record", ("row", *vocabulary().row_words)  # several rows for each of the things
    singular_name = bool(label) and label.split()[-1] in lower_words(name)
    if not label or (alone and (singular_name or len(label.split()) > 2)):
        extra = (
            [singular(said)] if (said := " ".join(w for w in lower_words(name) if not w.isdigit())) else []
        )
        label = key_entity or "row"
    else:
        extra = [key_entity] if key_entity else []
    if alone or label == "row":
        extra += ["row", *vocabulary().row_words]
    if not is_countable(table, label):
        return label, tuple(extra)
    money = set(label.split()) & (column_names.MONEY | column_names.MONEY_MAYBE)
    own = _head(table, label) if alone else ()
    more = [*extra, *both_numbers(label), *own, *(() if money else others(label))]
    return label, tuple(dict.fromkeys(m for m in more if m and m != label))


def _common_prefix(profile: DatasetProfile) -> str:
    """What all tables begin with and no column speaks of: the name of their workbook, or of a schema; else nothing."""
    named = [t.name.split("_") for t in profile.tables]
    if len(named) < 2 or any(n[0] != named[0][0] or not n[1:] for n in named):
        return ""
    shared, rests = named[0][0], {" ".join(n[1:]) for n in named}
    if len(rests) < len(named) or not all(any(map(str.isalpha, r)) for r in rests):
        return ""
    spoken = {w for t in profile.tables for c in t.columns for w in lower_words(c.name)}
    return "" if {shared, singular(shared)} & {*spoken, *map(singular, spoken)} else f"{shared}_"


def _head(table: TableProfile, label: str) -> tuple[str, ...]:
    """The last word of what rows are called, where it is a thing and no figure: houses, of a table of town houses."""
    head, known = label.split()[-1], vocabulary()
    figures = known.flows | known.intensive | known.stocks
    if head == label or not get_lexicon().knows(head):
        return ()
    called = [c for c in table.columns if head in map(singular, lower_words(c.name))]
    if called and all(_names_rows(c, table) for c in called):
        return (head, *both_numbers(head))
    if called or {head, *both_numbers(head)} & figures or is_snapshot(table):
        return ()
    return (head, *both_numbers(head))


def _names_rows(column: ColumnProfile, table: TableProfile) -> bool:
    """Whether a column of texts is what the rows are called, though some of them have the same name."""
    return column.role in (Role.CATEGORY, Role.TEXT) and _NEARLY * table.rows <= column.distinct < table.rows


def _counts_elsewhere(table: TableProfile, label: str) -> bool:
    """Whether a column holds how many of the things there are that the table is named after."""
    last = label.split()[-1]
    return flow_told(table) is not None or any(
        is_measure(c) and c.distinct > 0 and last in map(singular, lower_words(c.name)) for c in table.columns
    )


def _is_panel(table: TableProfile) -> bool:
    """Whether there is a row for each thing and step of time, whatever happened then: its rows are no happenings."""
    ticking = {g.column for g in table.time if g.regular}
    for key in table.keys:
        if key.exact and len(key.columns) > 1 and ticking & {*key.columns}:
            cells = math.prod(c.distinct for c in table.columns if c.name in key.columns)
            if table.rows >= _DENSE * cells and cells > max(
                c.distinct for c in table.columns if c.name in key.columns
            ):
                return True
    return False


def _repeated(table: TableProfile, label: str) -> bool:
    """Whether rows are readings of a few things that a column names, one for each at every moment.

    The table is called by the things (turbines), which tick side by side: a row is not one of them. Flights that a
    number names again on another day are flights each.
    """
    ticks = {g.column: g.periods for g in table.time if g.regular}
    for column in table.columns:
        named = singular(" ".join(lower_words(column.name))) == label
        if not named or column.role is not Role.CATEGORY or not 0 < column.distinct <= FEW_THINGS:
            continue
        beside = [
            k.columns for k in table.keys if k.exact and column.name in k.columns and len(k.columns) == 2
        ]
        moments = max((ticks.get(c, 0) for pair in beside for c in pair), default=0)
        if moments and table.rows >= 0.8 * column.distinct * moments:
            return True
    return False


def is_countable(table: TableProfile, label: str) -> bool:
    """Whether rows are things of their own (orders, employees) rather than figures of something (traffic)."""
    return (
        label == "row" or _key_entity(table) is not None or lower_words(table.name)[-1] != label.split()[-1]
    )


def _key_entity(table: TableProfile) -> str | None:
    """What the identifier that names the rows identifies."""
    for key in table.keys:
        column = table.column(key.columns[0])
        if len(key.columns) == 1 and column.role is Role.ID:
            entity = entity_of(column.name) or entity_of_values(column.minimum, column.maximum)
            if entity or not set(lower_words(column.name)) & _COUNTERS:
                return entity
    return None


def main_time(table: TableProfile) -> str | None:
    """The column that periods refer to by default: when the thing happened that a row is about."""
    times = [c for c in table.columns if dimension_type(c) is DimensionType.TIME and c.distinct > 0]
    times = [c for c in times if c.role is Role.TIME]
    if not times:
        return None
    keyed = {name for k in table.keys for name in k.columns}
    order = {c.name: i for i, c in enumerate(table.columns)}
    return min(times, key=lambda c: (_unfit(c, table, keyed), order[c.name])).name


def _unfit(column: ColumnProfile, table: TableProfile, keyed: set[str]) -> float:
    """The larger, the less it is when things happened."""
    words = lower_words(column.name)
    entity = (table_entity(table.name) or "").split()
    done = _is_done_then(words, entity)
    score = 4.0 * column.null_rate  # what has not happened to most rows is not when they did
    score += 2.0 if set(words) & _LATER_WORDS and not (done or entity[-1:] == words[:1]) else 0.0
    score += 0.0 if set(words) & set(_EVENT_WORDS) or done else 0.5
    score -= 1.0 if column.name in keyed else 0.0
    called = any(w == e or _is_cut_from(w, e) for w in words for e in entity)
    score -= 1.0 if done else 0.5 if called else 0.0
    score += 0.5 if written_as(column) is not None else 0.0
    return score + (1.0 if column.distinct < 2 else 0.0)


def _is_cut_from(name: str, word: str) -> bool:
    """Whether a name that is no word has the first, the last and some more letters of a word: appt, appointment."""
    if not 2 < len(name) < len(word) - 1 or name[0] != word[0] or get_lexicon().met(name):
        return False
    rest = iter(word)
    return (name[-1] == word[-1] or word.startswith(name)) and all(c in rest for c in name)


def _is_done_then(words: list[str], entity: list[str]) -> bool:
    """Whether a date says by its verb that the rows happened then: harvests were ``harvested_on`` it, whenever sown."""
    lexicon = get_lexicon()
    called = entity[-1] if entity else ""
    verbs = {base for base, part in lexicon.bases(called) if part == "v"}
    done = {base for w in words if lexicon.is_participle(w) for base, part in lexicon.bases(w) if part == "v"}
    return bool(done & verbs) or any(len(base) >= 4 and called.startswith(base) for base in done)
