"""Every column as a dimension: what its values are, what people call it, and which columns hold the same thing."""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from typing import Any

from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity
from gnomon.data import ColumnProfile, DatasetProfile, PersonalKind, Role, TableProfile, TimeGrain
from gnomon.data.column_names import MONEY, MONEY_MAYBE, is_unnamed
from gnomon.data.geography import kind_of_places
from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.labels import (
    as_written,
    both_numbers,
    entity_of,
    full_entity,
    is_beginning,
    is_cut_from,
    label_of,
    lower_words,
    others,
    spelt_out,
    table_entity,
)
from gnomon.semantic.measures import counted_as, is_numeric, may_be_none
from gnomon.semantic.model import ColumnRef, Dimension, DimensionType, TableMeaning
from gnomon.semantic.per_table import once_per_table
from gnomon.semantic.time_columns import Written
from gnomon.semantic.units import Measured, measured_names, unit_of
from gnomon.semantic.vocabulary import vocabulary
from gnomon.semantic.wording import DAY_OF_MONTH

_TYPES = {
    Role.ID: DimensionType.ID,
    Role.TIME: DimensionType.TIME,
    Role.MEASURE: DimensionType.NUMBER,
    Role.MONEY: DimensionType.NUMBER,
    Role.PERCENT: DimensionType.NUMBER,
    Role.CATEGORY: DimensionType.CATEGORY,
    Role.TEXT: DimensionType.TEXT,
    Role.BOOLEAN: DimensionType.BOOLEAN,
    Role.GEOGRAPHIC: DimensionType.CATEGORY,
    Role.PERSONAL: DimensionType.CATEGORY,
}
_SHARED = frozenset({DimensionType.ID, DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TIME})
_OVERLAP = 0.3
_MARKED = regex(r"[\d@/\\_]")


def infer_dimensions(profile: DatasetProfile, tables: dict[str, TableMeaning]) -> list[Dimension]:
    """The dimensions of all tables; columns that hold the same thing become one."""
    groups = _conformed(profile)
    made: list[Dimension] = []
    taken: set[str] = set()
    for refs in groups:
        home = profile.table(refs[0].table)
        column = home.column(refs[0].column)
        plain = next((r.column for r in refs if entity_of(r.column)), column.name)
        name = plain if column.role is Role.ID else column.name
        name = name if name not in taken else f"{home.name}.{column.name}"
        taken.add(name)
        made.append(_dimension(name, column, home, refs, profile, tables))
    naming = {str(d.label_at) for d in made if d.label_at}
    return [_as_category(d) if str(d.home) in naming else d for d in made]


def _as_category(dimension: Dimension) -> Dimension:
    """Names of things are few enough to group by, however long they are."""
    return dimension.model_copy(update={"type": DimensionType.CATEGORY})


def dimension_type(column: ColumnProfile) -> DimensionType:
    """What the values of a column are, as something to group or filter by."""
    if column.role is Role.TIME and not _has_calendar(column):
        return DimensionType.CATEGORY if not is_numeric(column) else DimensionType.NUMBER
    if column.role is Role.PERSONAL and _is_date(column):
        return DimensionType.TIME
    if column.role is Role.GEOGRAPHIC and column.type.upper().startswith(("DOUBLE", "FLOAT", "DECIMAL")):
        return DimensionType.NUMBER
    return _TYPES[column.role]


def _is_date(column: ColumnProfile) -> bool:
    return column.type.upper().startswith(("DATE", "TIMESTAMP"))


def _has_calendar(column: ColumnProfile) -> bool:
    return _is_date(column) or written_as(column) is not None


def period_text(column: ColumnProfile) -> Written | None:
    """How a column of text writes quarters or weeks down, where it does."""
    ends = [v for v in (column.minimum, column.maximum) if v is not None]
    text = column.type.upper().startswith(("VARCHAR", "TEXT", "STRING"))
    return Written.of_texts(str(v) for v in (*ends, *(t.value for t in column.top_values))) if text else None


def written_as(column: ColumnProfile) -> Written | None:
    """How a column of numbers or text writes moments down, where it does."""
    if column.role is Role.TIME and not is_numeric(column) and not _is_date(column):
        return period_text(column)
    if not is_numeric(column) or column.minimum is None or column.role is not Role.TIME:
        return None
    low, high = float(column.minimum), float(column.maximum)
    if 1000 <= low <= high <= 2300:
        return Written.YEAR
    if 190_001 <= low <= high <= 220_012:
        return Written.MONTH
    if 19_000_101 <= low <= high <= 22_001_231:
        return Written.DAY
    return next(
        (
            w
            for w, f in ((Written.SECONDS, 1), (Written.MILLISECONDS, 1e3), (Written.MICROSECONDS, 1e6))
            if 3e8 * f <= low <= high <= 4.2e9 * f
        ),
        None,
    )


def _conformed(profile: DatasetProfile) -> list[list[ColumnRef]]:
    """Columns in the order of the tables, those that hold the same thing together, their home first."""
    groups: list[list[ColumnRef]] = []
    by_name: dict[str, list[list[ColumnRef]]] = defaultdict(list)
    joined = {frozenset({(j.table, j.column), (j.to_table, j.to_column)}) for j in profile.joins}
    for table in profile.tables:
        for column in table.columns:
            ref = ColumnRef(table=table.name, column=column.name)
            for group in by_name[column.name.casefold()]:
                if any(_same(profile, ref, other, joined) for other in group):
                    group.append(ref)
                    break
            else:
                group = [ref]
                groups.append(group)
                by_name[column.name.casefold()].append(group)
    groups = _with_keys(groups, profile)
    homes = {(j.to_table, j.to_column) for j in profile.joins}
    looked_up = {j.to_table for j in profile.joins}
    for group in groups:
        group.sort(key=lambda r: ((r.table, r.column) not in homes, r.table not in looked_up))
    return groups


def _with_keys(groups: list[list[ColumnRef]], profile: DatasetProfile) -> list[list[ColumnRef]]:
    """``orders.user_id`` and the ``users.id`` it leads to are one dimension; ``manager_id`` is another role."""
    place = {str(ref): group for group in groups for ref in group}
    for j in profile.joins:
        many, one = place[f"{j.table}.{j.column}"], place[f"{j.to_table}.{j.to_column}"]
        ids = (profile.table(j.table).column(j.column), profile.table(j.to_table).column(j.to_column))
        entity, home = entity_of(j.column), table_entity(j.to_table)
        ways = sum((k.table, k.to_table) == (j.table, j.to_table) for k in profile.joins)
        if entity is not None and ways == 1 and j.table != j.to_table:
            entity = entity.split()[-1]  # the attending doctor is the doctor where there is no other one
        same = entity is not None and home is not None and is_cut_from(entity, home)
        apart = {r.table for r in many}.isdisjoint(r.table for r in one)
        if many is not one and same and all(c.role is Role.ID for c in ids) and apart:
            many.extend(one)
            place.update((str(ref), many) for ref in one)
            groups = [g for g in groups if g is not one]
    return groups


def _same(
    profile: DatasetProfile, a: ColumnRef, b: ColumnRef, joined: set[frozenset[tuple[str, str]]]
) -> bool:
    if a.table == b.table:
        return False
    left, right = profile.table(a.table).column(a.column), profile.table(b.table).column(b.column)
    kind = dimension_type(left)
    if kind is not dimension_type(right) or kind not in _SHARED:
        return False
    if frozenset({(a.table, a.column), (b.table, b.column)}) in joined:
        return True
    if kind is DimensionType.TIME:
        return written_as(left) == written_as(right)
    if kind is DimensionType.ID:
        return len(lower_words(a.column)) > 1 and left.type == right.type
    if left.type != right.type or lower_words(a.column)[-1:] in (["name"], ["type"], ["status"], ["title"]):
        return False
    mine, theirs = ({t.value for t in c.top_values} for c in (left, right))
    smaller = min(len(mine), len(theirs))
    return smaller > 0 and len(mine & theirs) >= _OVERLAP * smaller


@once_per_table
def _labels(table: TableProfile) -> frozenset[str]:
    """What the columns of a table are called."""
    return frozenset(n.label for n in measured_names(table).values())


def _dimension(
    name: str,
    column: ColumnProfile,
    table: TableProfile,
    refs: list[ColumnRef],
    profile: DatasetProfile,
    tables: dict[str, TableMeaning],
) -> Dimension:
    kind = dimension_type(column)
    alone = len(refs) == 1 and len(profile.tables) > 1
    name_of = (
        measured_names(table)[column.name] if kind is DimensionType.NUMBER else Measured(_said(column, table))
    )
    label, synonyms = _names(column, kind, tables[table.name], name_of, _labels(table), qualify=alone)
    if kind is DimensionType.ID and (whole := _whole(label, refs, tables)) != label:
        label, synonyms = whole, (*synonyms, label, *both_numbers(whole))
    if kind is DimensionType.ID:
        synonyms = tuple(dict.fromkeys((*synonyms, *_called_elsewhere(label, refs))))
    return Dimension(
        name=name,
        label=label,
        type=kind,
        locations=tuple(refs),
        label_at=_named_at(column, table, profile) if kind is DimensionType.ID else None,
        grain=_grain(column, table) if kind is DimensionType.TIME else None,
        written=written_as(column) if kind is DimensionType.TIME else None,
        synonyms=synonyms,
        personal=column.role is Role.PERSONAL or column.personal is not None,
        unit=unit_of(column, name_of),
        coverage=_coverage(refs, profile) if kind is DimensionType.TIME else None,
        years=_years(column) if kind is DimensionType.TIME and len(refs) == 1 else (),
        distinct=column.distinct,
        nullable=column.nulls > 0,
        zeros=kind is DimensionType.NUMBER and may_be_none(column),
        numeric=is_numeric(column) and kind not in (DimensionType.NUMBER, DimensionType.TIME),
    )


def _said(column: ColumnProfile, table: TableProfile) -> str:
    """A column's name as people say it; one without a heading holds the names of the rows or their numbers."""
    times = any(c is not column and c.role is Role.TIME for c in table.columns)
    if lower_words(column.name) == ["day"] and times and is_numeric(column) and column.distinct <= 31:
        return DAY_OF_MONTH  # beside a date, days are those of the calendar
    if not is_unnamed(column.name) or any(lower_words(c.name) == ["name"] for c in table.columns):
        return label_of(column.name)
    if (column.name,) not in [k.columns for k in table.keys]:
        return label_of(column.name)
    if column.role is Role.GEOGRAPHIC and (place := kind_of_places((column.minimum, column.maximum))):
        return place
    return "row number" if is_numeric(column) else "name"


_CODED = regex(r"(?P<code>[A-Za-z]{1,3}\d{1,3}[a-z]?)\b[\s._:)-]+(?P<rest>[^\W\d_].{3,})")


def _names(
    column: ColumnProfile,
    kind: DimensionType,
    table: TableMeaning,
    name: Measured,
    neighbours: frozenset[str],
    *,
    qualify: bool,
) -> tuple[str, tuple[str, ...]]:
    """The label and the other names of a dimension."""
    plain = name.label
    label, more = (
        spelt_out(plain, table.label),
        [plain, label_of(column.name), as_written(column.name), *counted_as(column)],
    )
    if (coded := _CODED.match(column.name)) is not None:
        more += [coded["code"].lower(), label_of(coded["rest"])]  # Q1 I feel valued at work
    if kind is DimensionType.ID:
        entity = entity_of(column.name)
        if entity is None and table.key == (column.name,) and table.label != "row":
            entity = table.label
        label = entity or plain
        if entity and is_beginning(entity, table.label) and not is_cut_from(entity, table.label):
            label, entity = f"{table.label} number", None
        more = [plain, f"{label} id", f"{label} number"] if entity else [f"{table.label} {plain}"]
    elif plain.endswith((" id", " ID")) and kind is DimensionType.CATEGORY:
        label = plain[:-3]
    elif plain in vocabulary().generic_columns and qualify and table.label != "row":
        label = f"{table.label} {plain}" if plain not in table.label.split() else plain
        label = plain if label in neighbours else label
    elif kind is DimensionType.BOOLEAN:
        label = re.sub(r"^(is|has|was) ", "", label)
    if (
        kind is DimensionType.TIME
        and (short := re.sub(r" (date|at|time|timestamp|on|dt|ts|datetime)$", "", plain)) != plain
    ):
        more += [
            f"{short} date",
            f"date of {short}",
            *([short] if get_lexicon().is_participle(short) else []),
        ]
    if not (kind is DimensionType.ID and set(label.split()) & (MONEY | MONEY_MAYBE)):
        more += others(label)  # what tells expenses apart is no cost
    if kind in (DimensionType.CATEGORY, DimensionType.ID, DimensionType.TEXT, DimensionType.TIME):
        more += both_numbers(label)
    if label.split(" ")[-1] == "name" and kind is not DimensionType.ID and len(label.split()) > 1:
        more.append(label.rsplit(" ", 1)[0])
    return label, tuple(dict.fromkeys(m.lower() for m in more if m and m != label))


def _whole(label: str, refs: list[ColumnRef], tables: dict[str, TableMeaning]) -> str:
    """What an identifier stands for in full; one that other columns call by its thing (a plate, vehicle) is that thing."""
    thing = tables[refs[0].table].label
    if len(refs) > 1 and all(entity_of(r.column) == thing for r in refs[1:]):
        return thing
    return full_entity(label, [t.label for t in tables.values()]) or label


def _called_elsewhere(label: str, refs: list[ColumnRef]) -> list[str]:
    """What the tables that point to a thing call it: the attending doctor."""
    said = [(entity_of(r.column) or "").lower() for r in refs[1:]]
    return [s for e in said if e and label in e.split() for s in (e, *both_numbers(e)) if s != label]


def _named_at(column: ColumnProfile, table: TableProfile, profile: DatasetProfile) -> ColumnRef | None:
    """The column that names what an id identifies, beside it or in the one table that it leads to."""
    if (found := _label_at(column, table)) is not None:
        return found
    ways = [j for j in profile.joins if j.table == table.name]
    led = [j for j in ways if j.column == column.name and j.to_table != table.name]
    if len(led) != 1 or sum(j.to_table == led[0].to_table for j in ways) > 1:
        return None
    home = profile.table(led[0].to_table)
    return _label_at(home.column(led[0].to_column), home)


def _label_at(column: ColumnProfile, table: TableProfile) -> ColumnRef | None:
    """The column beside an id that names what it identifies."""
    entity = entity_of(column.name)
    whole = full_entity(entity, [table_entity(table.name) or ""])
    said = [e.split() for e in dict.fromkeys((entity, whole)) if e]
    own_key = any(k.columns == (column.name,) for k in table.keys)
    thing = table_entity(table.name) if own_key else None
    said += [thing.split()] if thing and thing.split() not in said else []
    named = [[*e, *more] for e in said for more in (["name"], ["title"], [])]
    texts = [c for c in table.columns if c.role in (Role.CATEGORY, Role.TEXT, Role.PERSONAL, Role.GEOGRAPHIC)]
    texts = [c for c in texts if not is_numeric(c)]
    for c in texts:
        words = lower_words(c.name)
        own = words in (["name"], ["title"], ["full", "name"]) and own_key
        if own or words in named:
            return ColumnRef(table=table.name, column=c.name)
    telling = [c for c in texts if own_key and c.name != column.name and _tells_apart(c, table)]
    return ColumnRef(table=table.name, column=telling[0].name) if len(telling) == 1 else None


def _tells_apart(column: ColumnProfile, table: TableProfile) -> bool:
    """Whether each row has a text of its own that is made of words, as a description is and no address or code."""
    if column.personal not in (None, PersonalKind.NAME) or column.nulls or column.distinct < table.rows:
        return False
    ends = [v for v in (column.minimum, column.maximum) if v is not None]
    texts = [str(v) for v in (*(t.value for t in column.top_values), *ends)]
    return bool(texts) and all(any(ch.islower() for ch in t) and not _MARKED.search(t) for t in texts)


def _grain(column: ColumnProfile, table: TableProfile) -> TimeGranularity | None:
    written = written_as(column)
    if written is not None and written.value in set(TimeGranularity):
        return TimeGranularity(written.value)
    for g in table.time:
        if g.column == column.name:
            if not g.regular:  # rows fall anywhere: on any day, and at any hour where they have one
                return TimeGranularity.HOUR if _has_clock(column, g) else TimeGranularity.DAY
            if g.grain in set(TimeGranularity):
                return TimeGranularity(g.grain)
            if g.grain == "business day" or g.grain.endswith("days"):
                return TimeGranularity.DAY
            if re.search(r"(hour|minute|second)s?$", g.grain):
                return TimeGranularity.HOUR
    return TimeGranularity.DAY if _has_calendar(column) else None


def _has_clock(column: ColumnProfile, ticks: TimeGrain) -> bool:
    """Whether moments have a time of day; all of them at midnight are days."""
    ends = [str(end)[11:19] for end in (ticks.start, ticks.end)]
    return column.type.upper().startswith("TIMESTAMP") and any(end.strip("0:") for end in ends)


def _coverage(refs: list[ColumnRef], profile: DatasetProfile) -> tuple[dt.date, dt.date] | None:
    """The first and the last day over all columns that hold the dimension."""
    ends: list[tuple[dt.date, dt.date]] = []
    for ref in refs:
        column = profile.table(ref.table).column(ref.column)
        first, last = (_day(v, written_as(column)) for v in (column.minimum, column.maximum))
        grain = next((g for g in profile.table(ref.table).time if g.column == ref.column), None)
        if grain:  # without the dates that stand for "unknown"
            first, last = _day(grain.start, None) or first, _day(grain.end, None) or last
        if first and last:
            ends.append((first, period_end(last, written_as(column))))
    return (min(a for a, _ in ends), max(b for _, b in ends)) if ends else None


def _years(column: ColumnProfile) -> tuple[int, ...]:
    """The years that a column has, where all are known and some between them are missing."""
    if written_as(column) is not Written.YEAR or not column.distinct_exact:
        return ()
    found = sorted(int(t.value) for t in column.top_values)
    whole = len(found) == column.distinct > 1
    return tuple(found) if whole and found[-1] - found[0] + 1 > len(found) else ()


def period_end(day: dt.date, written: Written | None) -> dt.date:
    """The last day of the period that begins on ``day``, as it is written down."""
    if written is Written.YEAR:
        return dt.date(day.year, 12, 31)
    if written is Written.WEEK:
        return day + dt.timedelta(days=6)
    if written in (Written.MONTH, Written.QUARTER):
        last = day.month + (2 if written is Written.QUARTER else 0)
        return dt.date(day.year + last // 12, last % 12 + 1, 1) - dt.timedelta(days=1)
    return day


def _day(value: Any, written: Written | None) -> dt.date | None:
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    try:
        if written is not None:
            return written.day(str(value) if written.is_text else int(value))
        return dt.date.fromisoformat(str(value)[:10]) if value is not None else None
    except (ValueError, OverflowError):
        return None
