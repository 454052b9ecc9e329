"""How a text table is written: its delimiter, quotes, preamble and header, found from a sample of its text."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gnomon.core.patterns import regex
from gnomon.data.cell_dress import around_all, unwrapped
from gnomon.data.csv_header import TYPED, Header, heading_of, judge

if TYPE_CHECKING:
    from _csv import Reader

_LIKELY = 0.3
_DELIMITERS = {
    ",": 1.0,
    "\t": 1.0,
    ";": 1.0,
    "|": 1.0,
    "¦": 0.8,
    "\x01": 1.0,
    "\x1f": 1.0,
    "~": 0.7,
    "^": 0.7,
    ":": 0.55,
    " ": 0.6,
}
_MARKS = regex(r"[,;\t|]")
_SAID = regex(r'\ufeff?"?sep=(.)"?\r?\n', re.IGNORECASE)
_ROWS = 1000
_TOP = 30  # rows among which the names are looked for


@dataclass(frozen=True)
class Dialect:
    """How a text table is written.

    Args:
        delimiter: What separates cells.
        quote: What encloses a cell that holds a delimiter or a line break.
        escape: What precedes a quote inside a quoted cell: the quote itself, or a backslash.
        skip: Physical lines before the first row of data, the header among them.
        names: Names in the header; empty without one.
        width: Cells in a row.
        preamble: Lines that belong to no row.
        comments: Whether lines that start with ``#`` are remarks.
        spaced: Whether a space after a delimiter belongs to nothing.
        simple: Whether DuckDB can skip to the first row by counting lines.
        stray: Whether some quotes have no pair, so that lines are read one by one.
        doubtful: Whether the first row, which is read as data, may be the header.
        end: The line that the last row ends in; None where every line below the header is one.
        between: Lines between the rows that are none.
        fewer: How many cells the rows have more than the header names.
    """

    delimiter: str
    quote: str
    escape: str
    skip: int
    names: tuple[str, ...]
    width: int
    preamble: int = 0
    comments: bool = False
    spaced: bool = False
    simple: bool = True
    stray: bool = False
    doubtful: bool = False
    end: float | None = None
    between: frozenset[int] = frozenset()
    fewer: int = 0

    def reader(self, lines: Iterable[str]) -> Reader:
        """Python's reader for this dialect."""
        return _reader(lines, self.delimiter, self.quote, self.escape, self.spaced)

    def is_sound(self, lines: Iterable[str]) -> bool:
        """Whether strict reading leaves no doubt: every row as wide as the header, no rows of data inside a cell."""
        reader = _reader(lines, self.delimiter, self.quote, self.escape, self.spaced, strict=True)
        try:
            rows = (row for row in reader if row and reader.line_num > self.skip)
            return all(len(r) == self.width and not _holds_rows(r, self.delimiter, self.width) for r in rows)
        except csv.Error:
            return False

    def rows(self, lines: Iterable[str]) -> Iterator[tuple[int, list[str], bool]]:
        """Rows with the number of their last line; a quote without its pair is a sign like any other (and told)."""
        last = 0
        for record, count, plain in records(lines, self.quote, self.delimiter, self.width):
            last += count
            if plain:
                yield last, record.rstrip("\r\n").split(self.delimiter), True
            else:
                # Held lines may still be several rows: a quote inside a cell that none encloses holds nothing.
                found = list(self.reader(io.StringIO(record, newline="")))
                yield from ((last, row, False) for row in found or [[]])


MAX_LINES_IN_A_CELL = 1000


def records(lines: Iterable[str], quote: str, delimiter: str, width: int) -> Iterator[tuple[str, int, bool]]:
    """Lines that belong to one row each, with how many they are, and whether a quote among them has no pair.

    A line that leaves a quote open, is a whole row all the same and is followed by a whole row that does not close the
    quote where a cell ends does not go on there: its quote is a sign like any other. Otherwise it encloses what follows.
    """
    held: list[str] = []
    ahead = iter(lines)
    line = next(ahead, None)
    while line is not None:
        following = next(ahead, None)
        odd = line.count(quote) % 2 == 1
        if held:
            held.append(line)
            if odd or len(held) > MAX_LINES_IN_A_CELL:
                yield "".join(held), len(held), False
                held = []
        elif odd and _is_whole(line, delimiter, width) and not _closes(following, quote, delimiter, width):
            yield line, 1, True
        elif odd:
            held = [line]
        else:
            yield line, 1, False
        line = following
    yield from ((line, 1, line.count(quote) % 2 == 1) for line in held)


def _closes(line: str | None, quote: str, delimiter: str, width: int) -> bool:
    """Whether a line goes on with the cell that the line before it left open."""
    if line is None:
        return False
    if not _is_whole(line, delimiter, width):
        return True
    at = line.find(quote)
    if at < 0:
        return False
    opens = at == 0 or line[at - 1] == delimiter
    return not opens and line[at + 1 : at + 2] in (delimiter, "\r", "\n", "")


def _holds_rows(row: Sequence[str], delimiter: str, width: int) -> bool:
    """Whether the lines inside a cell are rows by the look of them, as they are where a quote has no pair.

    Prose has a comma here and there. Rows have as many in each line, and numbers or days where the row around them has such.
    """
    for place, cell in enumerate(row):
        inside = cell.split("\n")[1:-1] if "\n" in cell else []
        if not inside:
            continue
        around = [(i, _is_typed(c)) for i, c in enumerate(row) if i != place and c.strip()]
        alike = sum(_is_like(line.split(delimiter), around, width) for line in inside)
        enough = 1 if sum(typed for _, typed in around) > 1 else 3
        if alike >= max(enough, 0.8 * len(inside)):
            return True
    return False


def _is_like(cells: Sequence[str], around: Sequence[tuple[int, bool]], width: int) -> bool:
    if len(cells) != width:
        return False
    return all(not cells[i].strip() or _is_typed(cells[i]) == typed for i, typed in around if i < width)


def _is_typed(cell: str) -> bool:
    return TYPED.fullmatch(cell.strip().strip('"')) is not None


def _is_whole(line: str, delimiter: str, width: int) -> bool:
    return line.count(delimiter) >= max(width - 1, 1)


def _reads_well(text: str, quote: str, delimiter: str, width: int) -> bool:
    """Whether the start of a file reads strictly, but for a cell that its end cuts and lines before the table.

    Rows may be wider than the lines that they are made of: a line inside a cell is a part of one.
    """
    rows: list[list[str]] = []
    try:
        for row in _reader(io.StringIO(text, newline=""), delimiter, quote, quote, spaced=False, strict=True):
            rows += [row] if row else []
    except csv.Error as e:
        if "end of data" not in str(e):
            return False
    whole, many = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
    if len(rows) < 2 or whole < width or many < 0.98 * len(rows):
        return False
    return not any(_holds_rows(row, delimiter, whole) for row in rows)


def _with_strays_mended(text: str, quote: str) -> str | None:
    """The text without quotes that have no pair, where strict reading would take rows into a cell; None elsewhere."""
    lines = text.splitlines(keepends=True)
    if not any(line.count(quote) % 2 for line in lines):
        return None
    even = [line for line in lines if line.count(quote) % 2 == 0 and line.strip()]
    for delimiter in (",", "\t", ";", "|"):
        counts = Counter(line.count(delimiter) for line in even)
        most, many = counts.most_common(1)[0] if counts else (0, 0)
        if most == 0 or many < 0.8 * len(even):
            continue
        parts = list(records(lines, quote, delimiter, most + 1))
        if not any(plain for _, _, plain in parts) or _reads_well(text, quote, delimiter, most + 1):
            return None
        return "".join(record.replace(quote, "") if plain else record for record, _, plain in parts)
    return None


def sniff(
    text: str,
    *,
    complete: bool,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
) -> Dialect:
    """The dialect of ``text``, the start of a table; what is passed in is taken as given.

    Args:
        text: The start of the file.
        complete: Whether ``text`` is the whole file; its last line is left out otherwise.
        delimiter: What separates cells, where known.
        quote: What encloses cells, where known.
        header: Whether the first row names the columns, where known.
    """
    if not complete and (cut := max(text.rfind("\n"), text.rfind("\r"))) > 0:
        text = text[: cut + 1]
    said = _SAID.match(text)  # how a spreadsheet is told what separates cells
    delimiter = delimiter or (said[1] if said else None)
    marked = quote or _quote_of(text)
    escape = "\\" if _backslashed(text, marked) else marked
    mended = _with_strays_mended(text, marked) if escape == marked else None
    text = mended or text
    found = delimiter or _delimiter_of(text, marked, escape)
    spaced = f"{found} {marked}" in text and f"{found}{marked}" not in text and found != " "
    rows = _parse(text, found, marked, escape, spaced, _ROWS)
    if not complete and len(rows) > 2:
        rows = rows[:-1]
    rows = rows[1:] if said and len(rows) > 1 else rows
    framed = _frame(rows, found, marked, escape, spaced, header)
    return replace(framed, stray=True, simple=False) if mended is not None else framed


@dataclass(frozen=True)
class _Row:
    cells: list[str]
    first_line: int
    last_line: int


def _reader(
    lines: Iterable[str], delimiter: str, quote: str, escape: str, spaced: bool, *, strict: bool = False
) -> Reader:
    csv.field_size_limit(2**31 - 1)
    doubled = escape == quote
    return csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=quote,
        doublequote=doubled,
        escapechar=None if doubled else escape,
        skipinitialspace=spaced,
        strict=strict,
    )


def _parse(text: str, delimiter: str, quote: str, escape: str, spaced: bool, limit: int) -> list[_Row]:
    rows: list[_Row] = []
    reader = _reader(io.StringIO(text, newline=""), delimiter, quote, escape, spaced)
    before = 0
    try:
        for cells in reader:
            rows.append(_Row(cells, before, reader.line_num))
            before = reader.line_num
            if len(rows) >= limit:
                break
    except csv.Error:
        pass
    return rows


def _quote_of(text: str) -> str:
    if '"' in text:
        return '"'
    opened = len(re.findall(r"(?:^|[,;\t|])'", text, re.MULTILINE))
    closed = len(re.findall(r"'(?:$|[,;\t|\r])", text, re.MULTILINE))
    return "'" if opened >= 4 and closed >= 0.8 * opened else '"'


def _backslashed(text: str, quote: str) -> bool:
    """Whether a backslash before a quote makes it a sign: more rows are whole so than where it ends the cell."""
    if f"\\{quote}" not in text:
        return False
    marks = [d for d in (",", "\t", ";", "|") if d in text]
    return any(_whole_rows(text, d, quote, "\\") > _whole_rows(text, d, quote, quote) for d in marks)


def _whole_rows(text: str, delimiter: str, quote: str, escape: str) -> int:
    """How many of the first rows have as many cells as most have, read strictly; a row that cannot be is none."""
    widths: Counter[int] = Counter()
    reader = _reader(io.StringIO(text, newline=""), delimiter, quote, escape, spaced=False, strict=True)
    while reader.line_num < _ROWS:
        try:
            widths[len(next(reader))] += 1
        except csv.Error:
            continue
        except StopIteration:
            break
    return max((n for width, n in widths.items() if width > 1), default=0)


def _delimiter_of(text: str, quote: str, escape: str) -> str:
    scores: dict[str, float] = {}
    widths: dict[str, list[int]] = {}
    for candidate, weight in _DELIMITERS.items():
        if candidate in text:
            rows = _parse(text, candidate, quote, escape, False, 300)
            scores[candidate] = weight * _score(rows)
            widths[candidate] = [len(r.cells) for r in rows if any(c.strip() for c in r.cells)]
    likely = [c for c, score in scores.items() if score > _LIKELY]
    best = max(likely, key=lambda c: scores[c], default="")
    if best and widths[best][0] != Counter(widths[best]).most_common(1)[0][0]:
        # It takes the first line for no row; where all lines are rows by another, its own stand inside of cells.
        whole = [c for c in scores if len(widths[c]) > 2 and len({*widths[c]}) == 1 and widths[c][0] > 1]
        best = max(whole, key=lambda c: scores[c], default=best)
    return best or next((d for d in (",", "\t", ";", "|") if d not in text), "\x1f")


def _score(rows: list[_Row]) -> float:
    """How well a delimiter explains the rows: same width everywhere, and cells that hold no other delimiter."""
    filled = [r.cells for r in rows if any(c.strip() for c in r.cells)]
    filled = [c for c in filled if not c[0].lstrip().startswith("#")] or filled
    if not filled:
        return 0.0
    widths = Counter(len(c) for c in filled)
    width = max(widths, key=lambda w: (widths[w] * (1 if w > 1 else 0.9), w))
    if width == 1:
        return 0.0
    # A few lines before the table are a preamble, not evidence against the delimiter.
    first = next(i for i, c in enumerate(filled) if len(c) == width)
    if first <= 10 and widths[width] >= 2:
        filled, widths = filled[first:], Counter(len(c) for c in filled[first:])
    match = widths[width]
    partial = sum(n for w, n in widths.items() if w > 1) - match
    cells = [c for row in filled[:100] for c in row]
    clean = sum(1 for c in cells if not _MARKS.search(c) or TYPED.fullmatch(c)) / len(cells)
    return ((match + 0.5 * partial) / len(filled)) ** 2 * (0.25 + 0.75 * clean**2) * (1 - 0.5 / width)


def _frame(
    rows: list[_Row], delimiter: str, quote: str, escape: str, spaced: bool, header: bool | None
) -> Dialect:
    """Where the table starts among ``rows``, and whether its first row names the columns."""
    comments = bool(rows) and rows[0].cells[:1] != [] and rows[0].cells[0].lstrip().startswith("#")
    filled = [r for r in rows if any(c.strip() for c in r.cells)]
    if not filled:
        return Dialect(delimiter, quote, escape, rows[-1].last_line if rows else 0, (), 0)
    widths = Counter(len(r.cells) for r in filled)
    width = max(widths, key=lambda w: (widths[w], w))
    if _names_more(filled[0].cells, filled[1:2], width):  # most rows are cut where nothing follows
        width = len(filled[0].cells)
    filled = [_cut(r, width) for r in filled]
    heading = heading_of([r.cells for r in filled[:_TOP]], width) if header is not False else None
    start = heading.at if heading else _start(filled, width, comments)
    comments = comments and start > 0
    body = [r for r in filled[start:] if len(r.cells) == width]
    first = filled[start]
    judged = Header.NAMES if heading else judge(first.cells, [r.cells for r in body if r is not first])
    named = judged is Header.NAMES if header is None else header
    names = heading.names if heading else _header_names(first.cells, body, width) if named else ()
    if around := around_all(names):
        names = tuple(unwrapped(n, around) for n in names)
    if not named:
        width = max(width, len(first.cells))
    skip = first.last_line if named else first.first_line
    simple = first.last_line - first.first_line == 1 and all(
        r.last_line - r.first_line == 1 for r in rows if r.last_line <= first.first_line
    )
    doubt = header is None and judged is Header.DOUBT
    width = max(width, len(names))
    fewer = max(width - len(first.cells), 0) if named and not heading else 0
    found = Dialect(delimiter, quote, escape, skip, names, width, start, comments, spaced, simple)
    return replace(found, doubtful=doubt, fewer=fewer)


def _cut(row: _Row, width: int) -> _Row:
    """A row without the empty cells behind the last column: separators that an export wrote too many."""
    if len(row.cells) > width and not any(c.strip() for c in row.cells[width:]):
        return _Row(row.cells[:width], row.first_line, row.last_line)
    return row


def _names_more(cells: list[str], below: list[_Row], width: int) -> bool:
    """Whether the first row names columns of which most rows hold only the first; a title stands over names."""
    said = [c.strip().casefold() for c in cells]
    words = all(said) and len(set(said)) == len(said) and not any(TYPED.fullmatch(c) for c in said)
    return len(cells) > width > 1 and words and any(TYPED.fullmatch(c) for r in below for c in r.cells)


def _start(filled: list[_Row], width: int, comments: bool) -> int:
    """The first row that belongs to the table."""
    for i, row in enumerate(filled[: min(len(filled), 60)]):
        cells = row.cells
        if comments and cells[0].lstrip().startswith("#") and (len(cells) != width or width == 1):
            continue
        present = sum(1 for c in cells if c.strip())
        following = [r for r in filled[i + 1 : i + 4] if len(r.cells) == width]
        if (
            width >= 3
            and len(cells) == width
            and present <= 1
            and any(sum(1 for c in r.cells if c.strip()) > max(2, width // 2) for r in following)
        ):
            continue
        if len(cells) == width or (
            len(cells) == width - 1 and len(following) >= 1 and present == len(cells) and width > 2
        ):
            return i
    return 0


def _header_names(cells: list[str], body: list[_Row], width: int) -> tuple[str, ...]:
    if len(cells) == width - 1 and width > 1:
        rest = [r.cells for r in body if r.cells is not cells]
        if all(not r[-1].strip() for r in rest):
            return (*cells, "")
        return ("", *cells)
    return (*cells, *[""] * (width - len(cells)))
