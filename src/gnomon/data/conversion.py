"""Understanding text: which columns of text are really dates, money, percents, booleans or numbers.

Ways to read a column are proposed from rows spread over the table, tried on every cell in one pass,
and become an expression in the view of the table, so that nothing is copied. The text itself stays
in the raw relation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gnomon.data import naming
from gnomon.data.date_doubts import other_order, years_ahead
from gnomon.data.lettering import as_read, letterings, said_of
from gnomon.data.period_reading import counted_days, names_counted_days
from gnomon.data.proposing import DATED, is_zero_day, proposals_of
from gnomon.data.raw import WIDE, RawTable, Workspace
from gnomon.data.reading import Reading
from gnomon.data.repeated_heads import without_heads
from gnomon.data.reserved_days import reserved_days
from gnomon.data.reserved_values import reserved_values
from gnomon.data.table import RAW_SCHEMA, Column, Conversion, ConversionKind, SetAside, Table, quote
from gnomon.data.tally import Proposal, Tally, count, tallied
from gnomon.data.total_rows import fingerprint, total_rows

FAILURES_ALLOWED = 0.05
"""Share of cells that may hold something else; a column with more stays text."""

_NOTES = 40  # beyond, nobody reads them
_SIGNS = 4
_PASSES = 2  # what is a day is seen once the rows below the table are gone
_REALS = frozenset({"DOUBLE", "FLOAT"})
_COUNTS = _REALS | {"BIGINT", "INTEGER", "UINTEGER", "UBIGINT", "HUGEINT"}
_NESTED = ("STRUCT", "MAP", "UNION")  # and lists: things within a cell, which are told as text
_AS_THEY_ARE = frozenset({"postgres", "duckdb", "sqlite"})  # databases have nulls, and reports of their own


def understand(workspace: Workspace, raw: RawTable) -> Table:
    """Make the view of ``raw`` in which text is what it means, and tell what was done.

    Rows that sum up others are left out, and so are numbers that stand for no value.
    """
    if raw.held:
        _hold(workspace, raw)
    raw, heads = without_heads(workspace, raw)
    table, select = _understood(workspace, raw)
    said = list[SetAside]()
    if raw.format in _AS_THEY_ARE:
        return _lettered(workspace, raw, _finite(workspace, raw, table, select), select)
    for _ in range(_PASSES):
        if not (totals := total_rows(workspace, raw, table)).marks:
            break
        listed = ", ".join(str(t) for t in totals.marks)
        rest = f"{fingerprint(raw.columns)} NOT IN ({listed})"
        raw = replace(raw, kept=f"{rest} AND {raw.kept}" if raw.kept else rest)
        said = [*said, SetAside(totals.said)]
        table, select = _understood(workspace, raw)
    for each in said:
        table = _noted(table, each)
    if heads is not None:
        table = _noted(table, heads)
    reserved = reserved_values(workspace.connection, table)
    for column, values in reserved.items():
        at = [c.name for c in table.columns].index(column)
        for value in values:
            table = _noted(table, SetAside(value.said(column), column))
            if value.kept:
                continue
            select[at] = f"NULLIF({select[at]}, CAST({value.value!r} AS {table.columns[at].type}))"
    for column, days in reserved_days(workspace.connection, table).items():
        at = [c.name for c in table.columns].index(column)
        for day in days:
            table = _noted(table, SetAside(day.said(column), column))
            if not day.ahead:
                select[at] = f"CASE WHEN ({select[at]})::DATE <> DATE '{day.day}' THEN {select[at]} END"
                reserved |= {column: ()}
    if reserved:
        _view(workspace, raw, table.columns, select)
    return _lettered(workspace, raw, _finite(workspace, raw, table, select), select)


def _lettered(workspace: Workspace, raw: RawTable, table: Table, select: list[str]) -> Table:
    """The table in which texts that nobody can tell apart are one; a source that is large or elsewhere is as it is."""
    if raw.format == "postgres" or (
        raw.format != "frame" and (raw.size_bytes or math.inf) > workspace.large_bytes
    ):
        return table
    rows = table.rows if table.rows is not None else count(workspace, raw.relation)
    found = letterings(workspace.connection, table, rows)
    at = {c.name: i for i, c in enumerate(table.columns)}
    for column, lettering in found.items():
        if lettering.unseen:
            select[at[column]] = as_read(select[at[column]])
            said = f"{column}: cells that differ by unseen signs or spaces alone are read as one."
            table = replace(table, warnings=(*table.warnings, said))
        if lettering.capitals:
            table = _noted(table, said_of(column))
    if any(lettering.unseen for lettering in found.values()):
        _view(workspace, raw, table.columns, select)
    return table


def _finite(workspace: Workspace, raw: RawTable, table: Table, select: list[str]) -> Table:
    """The table without numbers that are none, of which one alone would make every total unknown.

    They are counted where the rows are at hand, and looked for by every query of a source that is large or elsewhere.
    """
    reals = [i for i, c in enumerate(table.columns) if c.type in _REALS and select[i] == quote(c.name)]
    if not reals:
        return table
    if raw.format == "frame" or (raw.size_bytes or math.inf) <= workspace.large_bytes:
        counts = ", ".join(f"count(*) FILTER (NOT isfinite({select[i]}))" for i in reals)
        found = workspace.connection.execute(f"SELECT {counts} FROM {raw.relation}").fetchone() or ()
        odd = {i: int(n) for i, n in zip(reals, found, strict=True) if n}
        for i, n in odd.items():
            said = f"{table.columns[i].name}: {n:,} cells are not finite and are read as missing."
            table = _noted(table, SetAside(said, table.columns[i].name))
    else:
        odd = dict.fromkeys(reals, 0)
    for i in odd:
        select[i] = f"CASE WHEN isfinite({select[i]}) THEN {select[i]} END"
    if odd:
        _view(workspace, raw, table.columns, select)
    return table


def _noted(table: Table, left: SetAside) -> Table:
    return replace(table, set_aside=(*table.set_aside, left), warnings=(*table.warnings, left.said))


def _view(workspace: Workspace, raw: RawTable, columns: Sequence[Column], select: Sequence[str]) -> None:
    listed = ", ".join(f"{e} AS {quote(c.name)}" for e, c in zip(select, columns, strict=True))
    kind = "TABLE" if raw.held else "VIEW"
    wide = workspace.own_connection and len(columns) > WIDE
    if wide:  # looking for what thousands of expressions share takes longer than computing it twice
        workspace.connection.execute("SET disabled_optimizers = 'common_subexpressions'")
    try:
        workspace.connection.execute(
            f"CREATE OR REPLACE {kind} {quote(raw.name)} AS SELECT {listed} FROM {raw.relation}"
        )
    finally:
        if wide:
            workspace.connection.execute("RESET disabled_optimizers")


def _hold(workspace: Workspace, raw: RawTable) -> None:
    """Make the raw view of a small or wide source a table: a view is read and planned anew by every query."""
    con, whole = workspace.connection, f"{RAW_SCHEMA}.{quote(raw.name)}"
    scanned = quote(f"gnomon_scan_{raw.name}")
    con.execute(f"ALTER VIEW {whole} RENAME TO {scanned}")
    con.execute(f"CREATE TABLE {whole} AS FROM {RAW_SCHEMA}.{scanned}")
    con.execute(f"DROP VIEW {RAW_SCHEMA}.{scanned}")


def _understood(workspace: Workspace, raw: RawTable) -> tuple[Table, list[str]]:
    """The table with its view, and the expressions of its columns."""
    typed = workspace.describe(raw.relation)
    text = [c for c, t in typed if t == "VARCHAR"]
    checked = _sample_relation(workspace, raw) if raw.sample is not None else raw.relation
    proposals = proposals_of(workspace, raw, checked, text)
    watched = [c for c in text if proposals[c].readings or raw.loose]
    rows, tallies = tallied(workspace, raw, checked, watched, proposals)
    chosen = {c: _choose(proposals[c].readings, tallies[c]) for c in watched}
    worded = _without_words(workspace, raw, checked, chosen, proposals, tallies)
    _settle_by_siblings(chosen, proposals, tallies)
    doubts = {c: _doubts(workspace, checked, c, chosen, proposals[c].readings, tallies[c]) for c in watched}
    for column, said in worded.items():
        doubts[column].append(said)
    for column, counted in _counted(workspace, raw, typed).items():
        chosen[column] = counted
        doubts[column] = [counted.reading.doubt] if counted.reading and counted.reading.doubt else []
    for column in watched:
        if chosen[column].reading is None and proposals[column].measured:
            doubts[column].append(
                "its cells are numbers with units or lengths of time; they stay text, and no total is made of them."
            )
    table, select = _finish(workspace, raw, checked, typed, proposals, chosen, tallies, rows)
    for column, said in doubts.items():
        for sentence in said:
            table = _noted(table, SetAside(f"{column}: {sentence}", column))
    return table, select


def _counted(workspace: Workspace, raw: RawTable, typed: Sequence[tuple[str, str]]) -> dict[str, _Choice]:
    """Columns of numbers that are named as days and count them from the first one of a calendar."""
    named = [(c, t) for c, t in typed if t in _COUNTS and names_counted_days(c)]
    if not named or raw.format == "postgres":
        return {}
    parts = (
        f"min({q}), max({q}), count({q}), bool_and({q} = floor({q})), bool_and({q} + 0.5 = floor({q} + 0.5))"
        for q in (f"{quote(c)}::DOUBLE" for c, _ in named)
    )
    found = [
        *(workspace.connection.execute(f"SELECT {', '.join(parts)} FROM {raw.relation}").fetchone() or ())
    ]
    chosen: dict[str, _Choice] = {}
    for i, (column, _) in enumerate(named):
        low, high, filled, whole, midnights = found[5 * i : 5 * i + 5]
        if low is not None and (reading := counted_days(column, "{c}", low, high, whole, midnights)):
            chosen[column] = _Choice(reading, int(filled))
    return chosen


def _without_words(
    workspace: Workspace,
    raw: RawTable,
    relation: str,
    chosen: dict[str, _Choice],
    proposals: dict[str, Proposal],
    tallies: dict[str, Tally],
) -> dict[str, str]:
    """Read columns that stayed text for a word or two among their numbers, and what figures of them have to say."""
    again = [c for c, choice in chosen.items() if choice.reading is None and proposals[c].among]
    if not again:
        return {}
    tried = {c: replace(proposals[c], words=proposals[c].among) for c in again}
    said: dict[str, str] = {}
    for column, tally in tallied(workspace, raw, relation, again, tried)[1].items():
        choice = _choose(proposals[column].readings, tally)
        zeros = all(map(is_zero_day, proposals[column].among))
        if choice.reading is None or choice.failed or (not zeros and 2 * tally.tokens > tally.filled):
            continue
        words = tally.tokens - tallies[column].tokens
        chosen[column], tallies[column] = (
            choice,
            replace(tally, tokens=tallies[column].tokens, filled=tally.filled - words),
        )
        kind = "day" if choice.reading.kind in DATED else "number"
        said[column] = (
            f"{words:,} of {tally.filled:,} cells hold {'a day of zeros' if zeros else f'one of a few words and no {kind}'}; they are read as missing."
        )
    return said


def _doubts(
    workspace: Workspace,
    relation: str,
    column: str,
    chosen: dict[str, _Choice],
    readings: Sequence[Reading],
    tally: Tally,
) -> list[str]:
    """What figures of a column have to say of how its text was read; dates in another order are taken in where few."""
    choice = chosen[column]
    if choice.reading is None:
        tried = max(zip(readings, tally.read, strict=True), key=lambda of: of[1], default=None)
        if tried and (orders := other_order(workspace.connection, relation, column, tried[0])):
            meant = tally.filled - tally.tokens
            if tried[1] + orders.only >= (1 - FAILURES_ALLOWED) * meant:
                return [orders.refused]
        return []
    said: list[str] = []
    orders = None
    if choice.failed and (orders := other_order(workspace.connection, relation, column, choice.reading)):
        both = replace(choice.reading, sql=f"coalesce({choice.reading.sql}, {choice.reading.swapped})")
        chosen[column] = replace(
            choice, reading=both, converted=choice.converted + orders.only, failed=choice.failed - orders.only
        )
        said.append(orders.said)
    if failed := chosen[column].failed:
        kind = "date" if choice.reading.kind in DATED else choice.reading.kind.value
        said.append(
            f"{failed:,} of {tally.filled - tally.tokens:,} cells are not a {kind} and are read as missing."
        )
    if choice.reading.doubt:
        said.append(choice.reading.doubt)
    elif choice.tied and choice.reading.ambiguous and orders is None:  # which is said already
        said.append(f"{choice.reading.ambiguous}.")
    ahead = years_ahead(workspace.connection, relation, column, choice.reading)
    return [*said, ahead] if ahead else said


def _sample_relation(workspace: Workspace, raw: RawTable) -> str:
    """The sample that came with ``raw``, as a relation."""
    import pyarrow as pa

    rows = raw.sample or []
    columns = {c: pa.array([r[i] for r in rows], pa.string()) for i, c in enumerate(raw.columns)}
    workspace.connection.register("gnomon_sample", pa.table(columns))
    return "gnomon_sample"


@dataclass(frozen=True)
class _Choice:
    reading: Reading | None
    converted: int = 0
    failed: int = 0
    tied: bool = False


def _choose(readings: Sequence[Reading], tally: Tally) -> _Choice:
    """The reading that leaves the fewest cells unread, if those are few enough."""
    meant = tally.filled - tally.tokens
    if not readings or meant <= 0:
        return _Choice(None)
    best = max(range(len(readings)), key=lambda i: tally.read[i])
    reading, converted = readings[best], tally.read[best]
    failed = meant - converted
    strict = reading.kind is ConversionKind.BOOLEAN
    if converted == 0 or failed > (0 if strict else FAILURES_ALLOWED) * meant:
        return _Choice(None)
    if reading.kind is ConversionKind.NUMBER and tally.leading_zeros:
        return _Choice(None)
    if reading.finer and tally.finer[best]:
        reading = replace(reading.finer, ambiguous=reading.ambiguous, doubt=reading.doubt)
    elif reading.plain and tally.too_wide:
        return _Choice(None)
    elif reading.plain:
        kind = "HUGEINT" if tally.wide else reading.type
        whole = f"TRY_CAST({{c}} AS {kind})"
        if failed:  # a cast to whole numbers takes 0x1f too, which is a name for something
            whole = f"CASE WHEN TRY_CAST({{c}} AS DOUBLE) IS NOT NULL THEN {whole} END"
        reading = replace(reading, type=kind, sql=whole)
    if strict and reading.detail.endswith("/"):
        return _Choice(_marked(reading), converted, failed)
    tied = sum(1 for n in tally.read if n == converted) > 1
    return _Choice(reading, converted, failed, tied)


def _marked(reading: Reading) -> Reading:
    """A mark that rows have or have not: where nothing but yes is written, an empty cell says no."""
    sql = f"coalesce({reading.sql}, CASE WHEN {{c}} IS NULL OR trim({{c}}) = '' THEN false END)"
    said = f"nothing but {reading.detail[:-1]} is written in it, so that empty cells are read as no"
    return replace(reading, sql=sql, doubt=said)


def _settle_by_siblings(
    chosen: dict[str, _Choice], proposals: dict[str, Proposal], tallies: dict[str, Tally]
) -> None:
    """Where a column leaves two readings open, take the one that the other columns of the table decided for."""
    sure = (c.reading for c in chosen.values() if c.reading and not (c.tied or c.reading.doubt))
    decided = {r.detail for r in sure}
    for name, choice in chosen.items():
        if not (choice.reading and choice.tied):
            continue
        for i, other in enumerate(proposals[name].readings):
            finer = other.finer if other.finer and tallies[name].finer[i] else other
            if finer.detail in decided and choice.reading.detail not in decided:
                taken = replace(finer, ambiguous=None, doubt=None)
                chosen[name] = _Choice(taken, choice.converted, choice.failed)
        if choice.reading.detail in decided:
            settled = replace(choice.reading, ambiguous=None, doubt=None)
            chosen[name] = replace(choice, reading=settled, tied=False)


def _finish(
    workspace: Workspace,
    raw: RawTable,
    checked: str,
    typed: Sequence[tuple[str, str]],
    proposals: dict[str, Proposal],
    chosen: dict[str, _Choice],
    tallies: dict[str, Tally],
    rows: int | None,
) -> tuple[Table, list[str]]:
    """Create the view and describe it; the expressions of its columns."""
    verified = raw.sample is None
    warnings = list(raw.warnings)
    columns: list[Column] = []
    select: list[str] = []
    for (name, kind), original in zip(typed, raw.originals, strict=True):
        choice = chosen.get(name, _Choice(None))
        tokens = tallies[name].tokens if name in tallies else 0
        token = proposals[name].token(quote(name)) if tokens else None
        lasting = kind == "INTERVAL"
        expression, kind = _expression(raw, name, kind, choice, token)
        if not choice.reading and name in proposals and (dress := proposals[name].dress):
            expression = dress.sql.replace("{c}", expression)
        conversion = _in_seconds(name, rows) if lasting else _conversion(name, choice, verified, raw)
        signs = _signs(workspace, checked, name, token) if token and len(warnings) < _NOTES else ""
        warnings.extend(_notes(raw, name, choice, tokens, signs))
        select.append(expression)
        columns.append(Column(name, kind, original, conversion))
    if not verified:
        warnings.append(
            f"The file is large: types were decided on {len(raw.sample or ()):,} rows spread over it, and cells that "
            "do not fit are read as missing. Raise APP_MAX_FILE_SIZE_MB above its size to check every cell."
        )
    _view(workspace, raw, columns, select)
    table = Table(
        raw.name, raw.source, raw.format, tuple(columns), tuple(warnings), raw.size_bytes, rows, verified
    )
    zoned = [name for name, kind in typed if kind == "TIMESTAMP WITH TIME ZONE"]
    for left in (
        *raw.aside,
        *_namesakes(raw),
        *(SetAside(f"{c}: times with a time zone are given in UTC.", c) for c in zoned),
    ):
        table = _noted(table, left)
    return table, select


def _namesakes(raw: RawTable) -> list[SetAside]:
    """What figures of a column have to say after whose name others are called as well."""
    return [
        SetAside(f"{first}: {len(later) + 1} columns have this name; this is the first, {quoted} the other{'s' * (len(later) > 1)}.", first)
        for first, later in naming.namesakes(raw.originals, raw.columns).items()
        if (quoted := f"{', '.join(later[:4])}{' …' if len(later) > 4 else ''} {'is' if len(later) == 1 else 'are'}")
    ]  # fmt: skip


def _expression(raw: RawTable, name: str, kind: str, choice: _Choice, token: str | None) -> tuple[str, str]:
    """The SQL for a column of the view, and its type; ``token`` tells cells that stand for no value."""
    c = quote(name)
    if choice.reading:
        return choice.reading.expression(c), choice.reading.type
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"{c} AT TIME ZONE 'UTC'", "TIMESTAMP"
    if kind == "INTERVAL":
        return f"epoch({c})", "DOUBLE"
    if kind.endswith("]") or kind.startswith(_NESTED):
        return f"CASE WHEN {c} IS NOT NULL THEN CAST(to_json({c}) AS VARCHAR) END", "VARCHAR"
    return (f"CASE WHEN NOT {token} THEN {c} END" if raw.loose and token else c), kind


def _conversion(name: str, choice: _Choice, verified: bool, raw: RawTable) -> Conversion | None:
    reading = choice.reading
    if reading is None or (reading.plain and raw.loose and not choice.failed):
        return None
    detail = (
        reading.detail
        if verified
        else f"{reading.detail} (counted on a sample of {len(raw.sample or ()):,} rows)"
    )
    return Conversion(name, reading.kind, detail, choice.converted, choice.failed, reading.unit)


def _in_seconds(name: str, rows: int | None) -> Conversion:
    """How durations are read, so that they add up."""
    return Conversion(name, ConversionKind.NUMBER, "durations, in seconds", rows or 0, 0, "s")


def _signs(workspace: Workspace, relation: str, name: str, token: str) -> str:
    """The signs for no value in a column, the most frequent first, and how often they stand there."""
    c = quote(name)
    found = workspace.connection.execute(
        f"SELECT trim({c}), count(*) FROM {relation} WHERE {token} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {_SIGNS + 1}"
    ).fetchall()
    told = [f"{sign}: {n:,}" for sign, n in found[:_SIGNS]]
    return ", ".join([*told, "others"] if len(found) > _SIGNS else told)


def _notes(raw: RawTable, name: str, choice: _Choice, tokens: int, signs: str) -> list[str]:
    notes: list[str] = []
    reading = choice.reading
    if tokens and (reading or raw.loose):
        notes.append(
            f"{name}: {tokens:,} cells hold a sign for no value ({signs or 'such as NA or -'}) and are read as missing."
        )
    return notes
