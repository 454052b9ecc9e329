"""Finds the content of cells in what is about to be sent, wherever it stands, and takes it out.

The net under the rule of release: a text or a long number that fewer than ``MIN_ROWS`` source rows share is
somebody's cell. Closed columns (personal data, identifiers, free text) never pass, however many rows share them.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, cast

from gnomon.core.errors import DataUnavailable
from gnomon.core.patterns import regex
from gnomon.data.connection import in_memory
from gnomon.data.table import quote
from gnomon.guardrails.release.origin import Origin

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from gnomon.data import Dataset, Table

MIN_ROWS = 5
WITHHELD = "[withheld]"
_SHORTEST = 3
_PREFIX = 24
_LONG_NUMBER = 5
_CLOSED_NUMBER = 4
KEPT_DIGITS = 3
_BATCH = 400
_NUMBER_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
                 "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL")  # fmt: skip
_NO_TEXT = (*_NUMBER_TYPES, "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "INTERVAL")
_MARKS = "“”‘’\"'.,;:!?()"
_LONGEST_NAME = 6
_QUOTED = 2_000
NUMERAL = regex(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w])")
_HIGHEST, _MOST_POWER = 1e300, 300.0
_FEW_HOLD = regex(rf"\b[1-{MIN_ROWS - 1}] cells? holds? [^\s,]+(?=, (?:which|far))")
_COUNTS = regex(r"(?:^|_)(?:count|rows|kept|removed|total|offset|limit|index|position|iteration)$")


@dataclass(frozen=True, eq=False)
class TableCells:
    """The cells of an open table."""

    dataset: Dataset
    table: Table
    origin: Origin

    @property
    def key(self) -> tuple[int, str]:
        """Which table it is."""
        return id(self.dataset), self.table.name

    def columns(self) -> list[tuple[str, str]]:
        """Its columns with their types."""
        return [(c.name, c.type) for c in self.table.columns]

    def names(self) -> set[str]:
        """Its name and the names of its columns: those are no cells."""
        return {self.table.name, *(c.name for c in self.table.columns)}

    def query(self, run: Callable[[duckdb.DuckDBPyConnection, str], None]) -> None:
        """Call ``run`` with a connection and the relation to select from."""
        with self.dataset.cursor() as cursor:
            run(cursor, self.table.relation)

    def support(self, column: str) -> str:
        """How many source rows, or persons, stand behind a group of rows, in SQL."""
        found = [
            f"count(DISTINCT {quote(s.persons)}) + count(*) FILTER ({quote(s.persons)} IS NULL)"
            for s in self.origin.slots
            if s.persons and s.persons != column
        ]
        return f"least({', '.join(found)}, count(*))" if found else "count(*)"


@dataclass(frozen=True, eq=False)
class FrameCells:
    """The cells of rows that a tool made, counted by the source rows behind them."""

    rows: pa.Table
    origin: Origin

    @property
    def key(self) -> tuple[int, str]:
        """Which rows they are."""
        return id(self.rows), ""

    def columns(self) -> list[tuple[str, str]]:
        """Its columns with the types that they have in queries."""
        found: list[tuple[str, str]] = []

        def run(connection: duckdb.DuckDBPyConnection, relation: str) -> None:
            described = connection.execute(f"DESCRIBE FROM {relation}").fetchall()
            found.extend((str(r[0]), str(r[1])) for r in described if not str(r[0]).startswith("\0"))

        self.query(run)
        return found

    def names(self) -> set[str]:
        """The names of its columns."""
        return set(self.rows.column_names)

    def query(self, run: Callable[[duckdb.DuckDBPyConnection, str], None]) -> None:
        """Call ``run`` with a connection and the relation to select from."""
        with in_memory() as connection:
            connection.register("cells", with_source_rows(self.rows, self.origin))
            run(connection, "cells")

    def support(self, column: str) -> str:
        """How many source rows stand behind a group of rows, in SQL; of several tables, the fewest."""
        slots = [i for i in self.origin.behind([column]) if self.origin.slots[i].rows is not None]
        counts = [f"count(DISTINCT {quote(slot_column(i))}) FILTER ({quote(slot_column(i))} IS NOT NULL)" for i in slots]  # fmt: skip
        return f"least({', '.join(counts)}, count(*))" if counts else "count(*)"


def slot_column(slot: int) -> str:
    """The name under which the source rows of a slot stand beside rows."""
    return f"gnomon_source_row_{slot}"


def with_source_rows(rows: pa.Table, origin: Origin) -> pa.Table:
    """``rows`` with one column more for each slot, where they are not the source's own rows in order."""
    import pyarrow as pa

    for i, slot in enumerate(origin.slots):
        if slot.rows is not None:
            held = pa.array(slot.rows, mask=slot.rows < 0)
            rows = rows.append_column(slot_column(i), held)
    return rows


Cells = TableCells | FrameCells


class CellGuard:
    """Takes the cells of some tables out of messages.

    Args:
        sources: The tables whose cells must not leave.
    """

    def __init__(self, sources: Iterable[Cells] = ()) -> None:
        self.sources: tuple[Cells, ...] = tuple({s.key: s for s in sources}.values())
        self._lock = threading.Lock()

    def joined(self, others: Iterable[CellGuard]) -> CellGuard:
        """A guard over the tables of this and the others."""
        return CellGuard([*self.sources, *(s for o in others for s in o.sources)])

    def shares_day(self, day: date) -> bool:
        """Whether enough rows of one of the tables have this day, so that it tells nobody's."""
        found = [False]

        def run(connection: duckdb.DuckDBPyConnection, relation: str) -> None:
            for name, kind in source.columns():
                if kind.upper().startswith(("DATE", "TIMESTAMP")) and not source.origin.closed(name):
                    query = (
                        f"SELECT {source.support(name)} FROM {relation} WHERE CAST({quote(name)} AS DATE) = ?"
                    )
                    (count,) = connection.execute(query, [day]).fetchone() or (0,)
                    found[0] = found[0] or int(count) >= MIN_ROWS

        with self._lock:
            for source in self.sources:
                source.query(run)
        return found[0]

    def masked(self, message: Any, known: Iterable[str] = (), *, digits: int = _LONG_NUMBER) -> Any:
        """``message`` (JSON data) without rare texts and rare long numbers of cells.

        Args:
            message: What is about to be sent.
            known: Texts that may pass: words of the schema, and what the receiver itself has sent.
            digits: How long a number has to be to be taken for a cell's.
        """
        texts = sorted(set(strings(message)))
        if not self.sources:
            return message
        exempt = {k.lower() for k in known} | {n.lower() for source in self.sources for n in source.names()}
        haystack = "\n".join(t for t in texts if t.lower() not in exempt)
        whole = {t.strip().lower() for t in texts}
        given = {t.replace(",", "") for k in known for t in NUMERAL.findall(k)}
        numbers = sorted(
            {n for n in _numerals(message) if digits_of(n) >= min(digits, _CLOSED_NUMBER)} - given
        )
        found = _Found()
        with self._lock:
            for source in self.sources:
                _search(source, haystack, whole, numbers, digits, found)
        cells = sorted(found.withheld(exempt), key=lambda c: (-len(c.text), c.text))
        few = any(_FEW_HOLD.search(t) for t in texts)
        return _replaced(message, cells, found.numbers) if cells or found.numbers or few else message


@dataclass(frozen=True)
class _Cell:
    """A text to take out: a whole cell, or the beginning of one that was cut."""

    text: str
    cut: bool


@dataclass
class _Found:
    """What a search found: cells that few rows share, texts that many do, and numbers with what replaces them."""

    rare: set[_Cell] = field(default_factory=set[_Cell])
    closed: set[_Cell] = field(default_factory=set[_Cell])
    frequent: set[str] = field(default_factory=set[str])
    numbers: dict[str, float | None] = field(default_factory=dict[str, "float | None"])

    def withheld(self, exempt: set[str]) -> set[_Cell]:
        """The cells to take out; what is frequent in one of the tables is a category."""
        rare = {c for c in self.rare if c.text.lower() not in self.frequent} | self.closed
        return {c for c in rare if not _is_known(c, exempt)}


def _is_known(cell: _Cell, exempt: set[str]) -> bool:
    text = cell.text.lower()
    return any(e.startswith(text) for e in exempt) if cell.cut else text in exempt


def _search(
    source: Cells, haystack: str, whole: set[str], numbers: Sequence[str], digits: int, found: _Found
) -> None:
    """Note the cells of ``source`` that stand in the haystack, whole or by their beginning, and its numbers."""
    import duckdb

    columns = source.columns()
    texts = [name for name, kind in columns if _may_hold_text(kind)] if haystack else []
    figures = [name for name, kind in columns if kind.upper().startswith(_NUMBER_TYPES)] if numbers else []

    def run(connection: duckdb.DuckDBPyConnection, relation: str) -> None:
        (lowered,) = connection.execute("SELECT lower(?)", [haystack]).fetchone() or ("",)
        for column in texts:
            closed = source.origin.closed(column)
            query = _query(column, relation, source.support(column))
            for text, least, cut in connection.execute(query, [lowered, lowered, lowered]).fetchall():
                cell = _Cell(text, cut)
                if len(text) < _SHORTEST and text.lower() not in whole:
                    continue
                if closed:
                    found.closed.add(cell)
                elif least < MIN_ROWS:
                    found.rare.add(cell)
                else:
                    found.frequent.add(text.lower())
        for column in figures:
            closed = source.origin.closed(column)
            least_digits = min(digits, _CLOSED_NUMBER) if closed else digits
            candidates = [n for n in numbers if digits_of(n) >= least_digits]
            for start in range(0, len(candidates), _BATCH):
                batch = candidates[start : start + _BATCH]
                query = _number_query(column, relation, source.support(column), batch)
                for place, least in connection.execute(query).fetchall():
                    text = batch[place]
                    if closed or digits < _LONG_NUMBER:
                        found.numbers[text] = None
                    elif least < MIN_ROWS and text not in found.numbers:
                        found.numbers[text] = rounded(float(text))

    if not texts and not figures:
        return
    try:
        source.query(run)
    except duckdb.Error:
        raise DataUnavailable(
            "The data that this result came from is closed, so it cannot be checked for cells any more.",
            suggestions=["Open the data set again and repeat the call."],
        ) from None


def _query(column: str, relation: str, support: str) -> str:
    """Texts of a column that the haystack holds, with how many source rows share them, and beginnings of long ones."""
    text = f"CAST({quote(column)} AS VARCHAR)"
    # Trimming every cell would take longer than the search itself: only what was found is trimmed.
    return f"""
        WITH hits AS MATERIALIZED (
            SELECT {text} AS t, * FROM {relation}
            WHERE contains(?, lower(left({text}, {_PREFIX}))) OR starts_with({text}, ' ') OR suffix({text}, ' ')
        ), cells AS MATERIALIZED (
            SELECT v, {support} AS n FROM (SELECT trim(t) AS v, * FROM hits)
            WHERE v <> '' AND contains(?, lower(left(v, {_PREFIX}))) GROUP BY v
        ), judged AS MATERIALIZED (
            SELECT v, n, length(v) <= {_PREFIX} OR contains(?, lower(v)) AS complete FROM cells
        )
        SELECT v, n, false FROM judged WHERE complete
        UNION ALL
        SELECT left(v, {_PREFIX}), min(n), true FROM judged WHERE NOT complete GROUP BY 1
    """


def _number_query(column: str, relation: str, support: str, numbers: Sequence[str]) -> str:
    """Which numbers are, to the digits that are written, cells of a column, and how many source rows share them."""
    ranges = ", ".join(f"({i}, {low!r}::DOUBLE, {high!r}::DOUBLE)" for i, (low, high) in enumerate(map(_range, numbers)))  # fmt: skip
    value = f"CAST({quote(column)} AS DOUBLE)"
    return f"""
        SELECT i, {support} FROM {relation} JOIN (VALUES {ranges}) AS asked(i, low, high)
        ON {value} BETWEEN low AND high GROUP BY i
    """


def _range(text: str) -> tuple[float, float]:
    value = float(text)
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    # "0e38012" may be a part of a name that was drawn: no cell is as large or small as its exponent says.
    power = min(max(float(exponent or 0), -_MOST_POWER), _MOST_POWER)
    half = 0.5 * 10.0 ** (power - decimals)
    slack = min(half, max(half * 1e-6, abs(value) * 1e-9)) if decimals >= _LONG_NUMBER else half
    return value - slack, value + slack


def digits_of(text: str) -> int:
    """How many digits a numeral has, leading zeros aside."""
    return len(re.sub(r"[eE].*|\D", "", text).lstrip("0"))


def is_count(key: str) -> bool:
    """Whether a field of this name counts rows, or says where one stands."""
    return _COUNTS.search(key) is not None


def rounded(value: float) -> float:
    """``value`` to as many digits as may be told of a cell's."""
    if value == 0 or not math.isfinite(value):
        return value
    return float(f"{value:.{KEPT_DIGITS}g}")


def _numerals(message: Any, key: str = "") -> Iterator[str]:
    """Every number in JSON data that is no count, as it is written."""
    if isinstance(message, str):
        found = (n.replace(",", "").replace("−", "-") for n in NUMERAL.findall(message))
        yield from (n for n in found if abs(float(n)) < _HIGHEST)
    elif isinstance(message, (int, float)) and not isinstance(message, bool):
        if not is_count(key) and abs(message) < _HIGHEST:
            yield repr(message)
    elif isinstance(message, Mapping):
        for name, item in cast("Mapping[Any, Any]", message).items():
            yield from _numerals(item, str(name))
    elif isinstance(message, (list, tuple)):
        for item in cast("Sequence[Any]", message):
            yield from _numerals(item, key)


def strings(value: Any) -> Iterator[str]:
    """Every text in JSON data, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[Any, Any]", value).items():
            yield str(key)
            yield from strings(item)
    elif isinstance(value, (list, tuple)):
        for item in cast("Sequence[Any]", value):
            yield from strings(item)


def spoken(text: str) -> set[str]:
    """A text, its words and what up to six of them say: what was asked is quoted back alike, whether it is a cell or not."""
    words = [w.strip(_MARKS) for w in text[:_QUOTED].split()]
    spans = {" ".join(words[i : i + n]) for n in range(1, _LONGEST_NAME + 1) for i in range(len(words))}
    return {text, *text[:_QUOTED].split(), *spans}


def _replaced(message: Any, cells: Sequence[_Cell], numbers: Mapping[str, float | None]) -> Any:
    patterns = [_pattern(c) for c in cells if len(c.text) >= _SHORTEST]
    short = {c.text.lower() for c in cells if len(c.text) < _SHORTEST}

    def numeral(match: re.Match[str]) -> str:
        text = match.group().replace(",", "").replace("−", "-")
        if text not in numbers:
            return match.group()
        instead = numbers[text]
        return WITHHELD if instead is None else f"{instead:,.10g}"

    def clean(text: str) -> str:
        if text.strip().lower() in short:
            return WITHHELD
        # A number that stands for no value, or may do so, is in no cell that a search would find, or is too short for one.
        text = _FEW_HOLD.sub("a few cells hold a value", text)
        for pattern in patterns:
            text = pattern.sub(WITHHELD, text)
        return NUMERAL.sub(numeral, text) if numbers else text

    def walk(value: Any, key: str = "") -> Any:
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            text = repr(value)
            if text not in numbers or is_count(key):
                return value
            instead = numbers[text]
            return int(instead) if instead is not None and isinstance(value, int) else instead
        if isinstance(value, Mapping):
            return {clean(str(k)): walk(v, str(k)) for k, v in cast("Mapping[Any, Any]", value).items()}
        if isinstance(value, (list, tuple)):
            return [walk(v, key) for v in cast("Sequence[Any]", value)]
        return value

    return walk(message)


def _pattern(cell: _Cell) -> re.Pattern[str]:
    """The cell where it does not stand within a longer word; of one that was cut, what follows up to a border."""
    before = r"(?<!\w)" if re.match(r"\w", cell.text) else ""
    after = r"(?!\w)" if re.search(r"\w$", cell.text) else ""
    rest = r"[^\n\"'…|;]*" if cell.cut else after
    return re.compile(before + re.escape(cell.text) + rest, re.IGNORECASE)


def _may_hold_text(type_name: str) -> bool:
    return not type_name.upper().startswith(_NO_TEXT) or type_name.endswith("]")
