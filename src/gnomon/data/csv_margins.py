"""Lines of a text table that are no rows of it: rulers, a line of units, remarks below it, and another table further down."""

from __future__ import annotations

import math
import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, islice
from typing import NamedTuple

from gnomon.core.patterns import regex
from gnomon.data.csv_dialect import Dialect
from gnomon.data.csv_header import TYPED
from gnomon.data.null_tokens import is_null
from gnomon.data.summary_words import is_total

Row = tuple[int, int, Sequence[str]]
"""The lines before a row, the line that it ends in, and its cells."""

_LEARNED = 1000
_NEARLY_ALL = 0.9
_REMARKS = 10
_BESIDE = 3
_AHEAD = 24
_MOST_BETWEEN = 2000
_RULER = regex(r"[\s|+:=_-]*(?:-{3}|={3})[\s|+:=_-]*")
_DAY = regex(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].*)?")
_SPOKEN = regex(r"\(.+\)|.*[\s:].*|\x1a+")
_UNIT = regex(
    r"[\[(][^\])]{1,15}[\])]|%|‰|°[CF]?|[$€£¥]|[kMG]?(?:USD|EUR|GBP|CHF|JPY|INR|CNY|CAD|AUD|SEK|NOK|DKK|PLN)"
    r"|(?:[kmcµn]?(?:m|g|l|L|s|W|V|A|Hz|Pa|J|mol|Wh)|h|hr|hrs|min|sec|d|days?|hours?|minutes?|seconds?|years?|pcs|units?"
    r"|t|lb|lbs|oz|ft|in|mi|mph|km/h|kmh|K|bar|hPa|ppm|ppb|dB|count|number|no\.?)(?:[²³23]|\^[23])?(?:/\w{1,6}[²³23]?)?"
)


_TYPE = regex(
    r"(?:big|small|tiny|u|long)?int(?:eger)?\d*|float\d*|double(?: precision)?|real|dec(?:imal)?(?:\s*\(.*\))?|num(?:ber|eric)?(?:\s*\(.*\))?|bool(?:ean)?"
    r"|date(?:time)?\d*|time(?:stamp)?(?:tz)?|(?:n?var)?char(?:\s*\(.*\))?|str(?:ing)?|text|object|money|currency",
    re.IGNORECASE,
)
_PAGE = regex(
    r"\W*(?:(?:page|pag|pg|seite|página|pagina|strona|stránka|sida|side|sivu|oldal|sayfa|страница|стр|ページ)\.?\s*(?:n[or]\.?\s*)?\d+"
    r"(?:\s*(?:of|/|von|de|di|du|sur|z|ze|av|af|van|из)\s*\d+)?|第?\s*\d+\s*[页頁]"
    r"|\(?(?:continued|cont(?:'?d)?|fortsetzung|forts|suite|continuación|continua|ciąg dalszy)(?:\W.*)?)\W*",
    re.IGNORECASE,
)  # how pages begin and end
_MARKED = ("#", "//", "--", "%", "!", "*", ";")  # how remarks begin
_SEVERAL = 2


class Kind(StrEnum):
    """What a cell looks like."""

    NUMBER = "number"
    DAY = "day"
    TEXT = "text"


def kind_of(cell: str) -> Kind | None:
    """What a cell looks like; None where it holds no value."""
    text = cell.strip()
    if not text or is_null(text):
        return None
    if _DAY.fullmatch(text):
        return Kind.DAY
    return Kind.NUMBER if TYPED.fullmatch(text) else Kind.TEXT


@dataclass(frozen=True)
class Margins:
    """Where the rows of a table begin and end.

    Args:
        skip: Lines before the first row.
        end: The line that the last row ends in; infinite where only empty lines are left out, None where none is.
        said: What every figure of the table has to say.
        warnings: What to tell the reader.
        between: Lines between the rows that are none, by the line they end in.
        above: How many rows stand above another table, where there is one.
        below: How many stand below its names.
    """

    skip: int
    end: float | None = None
    said: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    between: frozenset[int] = frozenset()
    above: int = 0
    below: int = 0


class Look(NamedTuple):
    """What a quick look at the lines of a file gives reason for.

    Args:
        closer: To look for rows that are none.
        empty: To leave out lines of separators alone.
    """

    closer: bool
    empty: bool


def look_at(lines: Iterable[bytes], dialect: Dialect) -> Look:
    """Whether a file that is read line by line may hold more than the rows of one table."""
    if dialect.width < 2:
        return Look(False, False)
    mark = dialect.delimiter.encode()
    signs = b" \r\n" + mark + dialect.quote.encode()
    quote, edges = dialect.quote.encode(), b" \r\n" + mark
    closer = empty = gap = held = False
    last, near = b"", list[bool]()
    for number, line in enumerate(lines):
        if number < dialect.skip:
            continue
        if line[0] in signs and not line.strip(signs):
            gap, empty = True, empty or mark in line
            continue
        closer = closer or (gap and last != b"")
        if len(near) < _BESIDE:
            near.append(
                any(TYPED.fullmatch(c) for c in line.decode("utf-8", "replace").split(dialect.delimiter))
            )
            closer = closer or not any(48 <= sign <= 57 for sign in line) or (not all(near) and any(near))
        if not closer and not held:  # too few cells, or one alone
            closer = line.count(mark) < dialect.width - 1 or mark not in line.strip(edges)
        held ^= line.count(quote) % 2 == 1
        gap, last = False, line
    wordy = last != b"" and not any(48 <= sign <= 57 for sign in last)
    return Look(closer or wordy or last.count(mark) < dialect.width - 1 or _is_ruler(last), empty)


def _is_ruler(line: bytes) -> bool:
    return len(line) < 10_000 and _RULER.fullmatch(line.decode("utf-8", "replace")) is not None


@dataclass
class _Body:
    """What the rows of a table look like, learned from the first of them."""

    width: int
    kinds: list[Counter[Kind]] = field(default_factory=list[Counter[Kind]])
    filled: Counter[bool] = field(default_factory=Counter[bool])
    first: Counter[str] = field(default_factory=Counter[str])
    full: set[str] = field(default_factory=set[str])  # what rows of several cells begin with
    rows: int = 0
    grouped: bool = False  # whether rows go on below a blank line

    def meet(self, cells: Sequence[str]) -> None:
        """Take note of the first row below a blank line."""
        self.grouped = self.grouped or not (self.misfits(cells) or any(is_total(c) for c in cells))

    def learn(self, cells: Sequence[str]) -> None:
        self.rows += 1
        if self.rows > _LEARNED:
            return
        while len(self.kinds) < min(len(cells), self.width):
            self.kinds.append(Counter())
        for seen, cell in zip(self.kinds, cells, strict=False):
            if (kind := kind_of(cell)) is not None:
                seen[kind] += 1
        several = sum(1 for c in cells if c.strip()) > 1
        self.filled[several] += 1
        if several and len(cells) >= self.width:
            self.full.add(cells[0].strip()[:1])
        self.first[cells[0].strip() if cells else ""] += 1

    def kind(self, at: int) -> Kind | None:
        """The kind of number or day that a column holds nearly everywhere."""
        seen = self.kinds[at] if at < len(self.kinds) else Counter[Kind]()
        most, many = seen.most_common(1)[0] if seen else (Kind.TEXT, 0)
        return most if most is not Kind.TEXT and many >= _NEARLY_ALL * seen.total() else None

    def is_lone(self, cells: Sequence[str]) -> bool:
        """Whether a row has one cell where others have several."""
        usual = self.filled[True] >= _NEARLY_ALL * self.filled.total()
        return usual and sum(1 for c in cells if c.strip()) == 1

    def misfits(self, cells: Sequence[str]) -> bool:
        """Whether a cell is of another kind than its column, or there is one cell only.

        Where blank lines stand between rows, a cell of another kind is a cell like others.
        """
        kinds = [(self.kind(i), kind_of(c)) for i, c in enumerate(cells)]
        other = not self.grouped and any(k and found and k is not found for k, found in kinds)
        return other or self.is_lone(cells)

    def is_between(self, cells: Sequence[str]) -> bool:
        """Whether a row anywhere is words alone: where others have a number or a day, or behind a mark that begins no row."""
        at = next(i for i, c in enumerate(cells) if c.strip())
        said = cells[at].strip()
        if self.filled[True] < _NEARLY_ALL * self.filled.total():
            return False
        marked = said.startswith(_MARKED) and said[0] not in self.full and kind_of(said) is Kind.TEXT
        misfit = kind_of(said) is Kind.TEXT and at < self.width and self.kind(at) is not None
        lone = sum(1 for c in cells if c.strip()) == 1
        return marked or (lone and (misfit or _PAGE.fullmatch(said) is not None))

    def is_remark(self, cells: Sequence[str]) -> bool:
        """Whether a row at the end is words alone (“(60 rows affected)”, “Source: ERP”) or the mark by which old files end.

        One that separators follow, like those behind an empty cell, says words where others have a number or a day.
        """
        said = cells[0].strip() if cells else ""
        alone = self.is_lone(cells) and kind_of(said) is Kind.TEXT and self.first[said] < 2
        aside = len(cells) == 1 or self.kind(0) is not None
        return alone and aside and _SPOKEN.fullmatch(said) is not None


def margins_of(rows: Iterable[Row], dialect: Dialect) -> Margins:
    """Where the table among ``rows``, the whole file below its header, begins and ends.

    A blank line before names that stand over numbers begins another table; up to ten rows below a blank line that do
    not fit the columns are remarks, and so is a line of words at the very end.
    """
    rows = iter(rows)
    body, names = _Body(dialect.width), tuple(n.strip().casefold() for n in dialect.names)
    ahead, skip, units = list(islice(rows, _AHEAD)), dialect.skip, ""
    while names and ahead and _RULER.fullmatch("|".join(ahead[0][2])):
        skip = ahead.pop(0)[1]
    first = [r for r in ahead if any(c.strip() for c in r[2])]
    if names and len(first) >= _BESIDE and (units := told_below(first[0][2], [r[2] for r in first[1:]])):
        skip = first[0][1]
        ahead = ahead[ahead.index(first[0]) + 1 :]
    block: list[Row] = []  # the rows since a blank line, while they are few and may be remarks
    head: Row | None = None  # the first below the last blank line
    recent: deque[Row] = deque(maxlen=_REMARKS + _BESIDE)
    lone: list[Row] = []
    gap = False
    for row in chain(ahead, rows):
        cells = row[2]
        if not any(c.strip() for c in cells):
            gap = True
            continue
        if head is not None and not gap and begins_table(head[2], cells, body, names):
            below = 1 + sum(1 for r in rows if any(c.strip() for c in r[2]))
            return _another(skip, block[0], head, units, body.rows, below)
        head = row if gap and body.rows else None
        if head is not None and 0 < len(block) < _REMARKS and all(body.misfits(b[2]) for b in block):
            block.append(row)  # remarks may have blank lines between them
            body.meet(cells)
        elif head is not None or not 0 < len(block) <= _REMARKS:
            for held in block:
                body.learn(held[2])
            block = [row] if head is not None else []
            if block:
                body.meet(cells)
            else:
                body.learn(cells)
        else:
            block.append(row)
        recent.append(row)
        gap = False
        if len(lone) <= _MOST_BETWEEN and (
            sum(1 for c in cells if c.strip()) == 1 or _is_marked(row, dialect)
        ):
            lone.append(row)
    found = _ended(skip, block, recent, body, units)
    between = [r[1] for r in lone if body.is_between(r[2]) and (found.end is None or r[1] <= found.end)]
    if not 0 < len(between) <= _MOST_BETWEEN:
        return found
    n = len(between)
    said = f"{n:,} line{'s' * (n > 1)} between the rows hold{'s' * (n == 1)} words alone and {'is' if n == 1 else 'are'} left out of every figure."
    return replace(found, between=frozenset(between), said=(*found.said, said))


def _is_marked(row: Row, dialect: Dialect) -> bool:
    """Whether a row has too few cells and begins as remarks do."""
    return len(row[2]) < dialect.width and row[2][0].lstrip().startswith(_MARKED)


def begins_table(cells: Sequence[str], below: Sequence[str], body: _Body, names: Sequence[str]) -> bool:
    """Whether ``cells`` are names over the numbers or days ``below``, other than those of the table above."""
    said = [c.strip() for c in cells if c.strip()]
    if len(said) < 2 or len(set(said)) < len(said) or any(kind_of(c) is not Kind.TEXT for c in said):
        return False
    if tuple(c.strip().casefold() for c in cells) == tuple(names):
        return False  # the same table goes on
    typed = any(kind_of(c) in (Kind.NUMBER, Kind.DAY) for c in below)
    return typed and (body.misfits(cells) or len(cells) != body.width)


def told_below(cells: Sequence[str], below: Sequence[Sequence[str]]) -> str:
    """What a row between the names and the rows tells of columns: units, types, or what they are; empty for a row like others."""
    if units := units_in(cells, below[: _BESIDE - 1]):
        return f"units ({units})"
    seen = [[kind_of(r[i]) for r in below if i < len(r)] for i in range(len(cells))]
    typed = [i for i, kinds in enumerate(seen) if _is_typed(kinds)]
    said = [cells[i].strip() for i in typed]
    if any(kind_of(c) in (Kind.NUMBER, Kind.DAY) for c in cells) or not all(
        kind_of(s) is Kind.TEXT for s in said
    ):
        return ""
    if said and all(_TYPE.fullmatch(s) for s in said):
        return f"types ({', '.join(said)})"
    return "what the columns are" if len(typed) >= _SEVERAL and len({*said}) == len(said) else ""


def _is_typed(kinds: Sequence[Kind | None]) -> bool:
    """Whether a column holds numbers or days and nothing else."""
    return sum(k is not None for k in kinds) >= _BESIDE - 1 and {*kinds} <= {Kind.NUMBER, Kind.DAY, None}


def units_in(cells: Sequence[str], below: Sequence[Sequence[str]]) -> str:
    """The units that a row names over columns of numbers, one after the other; empty where it is a row like others."""
    if any(kind_of(c) in (Kind.NUMBER, Kind.DAY) for c in cells):
        return ""
    numbers = [
        i for i in range(len(cells)) if all(i < len(r) and kind_of(r[i]) is Kind.NUMBER for r in below)
    ]
    said = [cells[i].strip() for i in numbers]
    named = [s for s in said if s and s != "-"]
    return ", ".join(named) if named and all(_UNIT.fullmatch(s) for s in named) else ""


def _another(skip: int, first: Row, head: Row, units: str, above: int, below: int) -> Margins:
    said = (
        f"Another table begins in line {head[0] + 1:,} of the file; only the first one is read. Save the other as a file of "
        "its own to ask about it."
    )
    return Margins(skip, first[0], (said,), _told_units(units), above=above, below=below)


def _ended(skip: int, block: Sequence[Row], recent: Sequence[Row], body: _Body, units: str) -> Margins:
    lines, said, last = 0, (), math.inf
    end: float | None = None
    if 0 < len(block) <= _REMARKS and body.rows > 1 and all(body.misfits(cells) for _, _, cells in block):
        n, end = len(block), block[0][0]
        said = (f"{n:,} {'line' if n == 1 else 'lines'} below the table {'does' if n == 1 else 'do'} not fit its columns and {'is' if n == 1 else 'are'} left out of every figure.",)  # fmt: skip
        last = end
    for before, until, cells in reversed(recent):
        if until > last:
            continue
        if not (body.is_remark(cells) or _RULER.fullmatch("|".join(cells))):
            break
        end, lines = before, lines + 1
    warnings = [f"{lines:,} line(s) below the table were left out."] if lines else []
    return Margins(skip, end, said, (*_told_units(units), *warnings))


def _told_units(units: str) -> tuple[str, ...]:
    return (f"The line below the names of the columns tells {units}, and is no row.",) if units else ()
