"""Execution output without the data in it: only words that are known not to be values pass."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable

from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary
from gnomon.data.profile_model import DatasetProfile, TableProfile
from gnomon.data.safe import SafeProfile
from gnomon.data.table import Dataset

MARKER = "‹value›"
_MAX_CHARS = 8_000
_EXCEPTIONS = frozenset(
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
) | vocabulary(
    "ParserError EmptyDataError MergeError UndefinedVariableError OutOfBoundsDatetime OutOfBoundsTimedelta "
    "SettingWithCopyWarning PerformanceWarning InvalidIndexError IntCastingNaNError DataError SpecificationError "
    "LinAlgError AxisError BinderException CatalogException ParserException ConversionException "
    "InvalidInputException OutOfRangeException OutOfMemoryException ConvergenceWarning NotFittedError "
    "ColumnNotFoundError ComputeError SchemaError ShapeError ArrowInvalid ArrowTypeError DateParseError JSONDecodeError"
)
_TYPES = vocabulary(
    "int int8 int16 int32 int64 uint8 uint16 uint32 uint64 float float16 float32 float64 bool boolean str string object "
    "category datetime datetime64 datetime64[ns] datetime64[us] timedelta timedelta64 date time bytes complex dict list "
    "tuple set NoneType DataFrame Series Index RangeIndex MultiIndex DatetimeIndex ndarray Timestamp Timedelta Period "
    "Categorical DataFrameGroupBy SeriesGroupBy GroupBy Figure Axes BIGINT INTEGER SMALLINT TINYINT HUGEINT DOUBLE FLOAT "
    "DECIMAL VARCHAR DATE TIMESTAMP BOOLEAN INTERVAL UUID dtype dtypes array"
)
_PHRASES = """
Traceback (most recent call last)
could not convert string to float|could not convert string to|cannot convert float NaN to integer
invalid literal for int() with base 10|is not defined|is not in list|not in index|not found in axis
None of|are in the|are in the [columns]|Columns must be same length as key|has no attribute|object has no attribute
object is not callable|object is not iterable|object is not subscriptable|unhashable type|unsupported operand type(s) for
not supported between instances of|can only concatenate|must be str, not|unexpected keyword argument
missing 1 required positional argument|positional arguments but|takes no arguments|got multiple values for argument
list index out of range|index out of range|is out of bounds for axis|single positional indexer is out-of-bounds
division by zero|integer division or modulo by zero|math domain error|No such file or directory|Permission denied
arrays must all be same length|All arrays must be of the same length|Length of values|does not match length of index
operands could not be broadcast together with|setting an array element with a sequence|cannot reshape array of size
The truth value of a Series is ambiguous|The truth value of an array with more than one element is ambiguous
cannot reindex on an axis with duplicate labels|You are trying to merge on|columns overlap but no suffix specified
No objects to concatenate|No columns to parse from file|Error tokenizing data|Unknown string format|time data
does not match format|doesn't match format|Cannot compare tz-naive and tz-aware|Out of bounds|not understood
Can only use .dt accessor with datetimelike values|Can only use .str accessor with string values|data type
no numeric data to plot|No numeric types to aggregate|agg function failed|cannot perform|with type|with this index type
Cannot convert non-finite values (NA or inf) to integer|NaN or infinity|Input contains NaN|contains infinity
zero-size array to reduction operation|attempt to get argmax of an empty sequence|max() arg is an empty sequence
min() arg is an empty sequence|Found array with 0 sample(s)|Expected 2D array, got 1D array instead|invalid syntax
unexpected indent|unterminated string literal|expected an indented block|cannot import name|No module named|was never closed
Referenced column|not found in FROM clause|does not exist|Table with name|syntax error at or near|Conversion Error
Binder Error|Catalog Error|Parser Error|must appear in the GROUP BY clause|timed out|out of memory|in <module>
"""
_PHRASE = regex(
    r"(?<!\w)(?:"
    + "|".join(re.escape(p) for p in sorted(re.split(r"[|\n]", _PHRASES.strip()), key=lambda p: (-len(p), p)))
    + r")(?!\w)"
)
_MESSAGE = regex(r"^\s*(?:[\w.]+\.)?(\w+)(?::|\s*$)")
_TRACE = regex(r"^\s*(Traceback \(most recent call last\):|File |Cell |Input In|-+>|~+|\^+)")
_FRAME_SIZE = regex(r"^\[\d+ rows x \d+ columns\]$")
_SHAPE = regex(r"(?<!\w)shapes? (?:\(\d+,(?: ?\d+)*\)[ ,and]*)+|(?<!\w)line \d{1,5}(?!\w)")
_FIXED = regex(f"{_SHAPE.pattern}|{_PHRASE.pattern}")
_MISSING_NAMES = regex(r"^\w+: ([\"'])(.*?\[.*\].*?(?:not in index|in the \[columns\]|not found in axis))\1$")
_QUOTED = regex(r"(?<!\w)'[^'\n]*'(?!\w)|(?<!\w)\"[^\"\n]*\"(?!\w)")
_EDGES = "'\"`()[]{}<>,:;.=|!?"


def sanitize_execution_feedback(
    text: str,
    known: Dataset | DatasetProfile | TableProfile | SafeProfile | Iterable[str] | None = None,
    *,
    max_chars: int = _MAX_CHARS,
) -> str:
    """``text`` with everything that could be a cell replaced by a marker.

    This is an allow-list: exception types, names of columns and tables, names of types, shapes, line numbers and,
    in error messages, the sentences that libraries use to complain. Quoted strings that are no known name, numbers,
    dates, printed tables and words nobody listed become ``‹value›``.

    Args:
        text: Output or error text of executed code.
        known: Where the names come from: a data set, a profile, or the names themselves.
        max_chars: Longer results are cut in the middle.
    """
    names = {n for n in _names(known) if re.search(r"[^\W\d_]", n)}
    pattern = _name_pattern(names)
    lines: list[str] = []
    removed = 0
    for line in text.splitlines():
        clean = _line(line, names, pattern)
        if line.strip() and not re.sub(rf"{MARKER}|[\s\W_]", "", clean):
            removed += 1
            continue
        if removed:
            lines.append(_removed(removed))
            removed = 0
        lines.append(clean)
    if removed:
        lines.append(_removed(removed))
    result = "\n".join(lines)
    if len(result) <= max_chars:
        return result
    half = max_chars // 2
    return f"{result[:half]}\n‹cut›\n{result[-half:]}"


def passes_by_name(word: str) -> bool:
    """Whether a word is kept wherever it stands, as the name of a type or an exception."""
    return MARKER not in _word(word)


def _removed(lines: int) -> str:
    return MARKER if lines == 1 else f"{MARKER} ({lines} lines)"


def _names(known: object) -> set[str]:
    if isinstance(known, Dataset):
        return {
            n
            for t in known
            for n in (t.name, *(c.name for c in t.columns), *(c.original_name for c in t.columns))
        }
    if isinstance(known, TableProfile):
        known = DatasetProfile((known,))
    if isinstance(known, DatasetProfile | SafeProfile):
        return {n for t in known for n in (t.name, *(c.name for c in t.columns))}
    return {str(n) for n in known} if isinstance(known, Iterable) else set()


def _name_pattern(names: set[str]) -> re.Pattern[str] | None:
    if not names:
        return None
    longest_first = sorted(names, key=lambda n: (-len(n), n))
    return re.compile(r"(?<!\w)(?:" + "|".join(re.escape(n) for n in longest_first) + r")(?!\w)")


def _line(line: str, names: set[str], pattern: re.Pattern[str] | None) -> str:
    """One line, cut at what is kept whole (shapes, quoted strings, names) and filtered between the cuts."""
    head = _MESSAGE.match(line)
    complaint = bool(head and head[1] in _EXCEPTIONS) or _TRACE.match(line) is not None
    if _FRAME_SIZE.match(line):
        return line
    listing = _MISSING_NAMES.match(line) if complaint else None
    if head and listing:  # pandas quotes a whole sentence that quotes names
        return f"{head[1]}: " + _pieces(listing[2], names, pattern, complaint=True)
    return _pieces(line, names, pattern, complaint=complaint)


def _pieces(line: str, names: set[str], pattern: re.Pattern[str] | None, *, complaint: bool) -> str:
    kept: list[str] = []
    for piece, whole in _cut(line, _FIXED) if complaint else [(line, False)]:
        if whole:
            kept.append(piece)
            continue
        for part, quoted in _cut(piece, _QUOTED):
            if quoted:
                inside = part[1:-1]
                allowed = inside in names or inside in _TYPES
                kept.append(part if allowed else part[0] + MARKER + part[-1])
                continue
            for bit, named in _cut(part, pattern) if pattern else [(part, False)]:
                kept.append(bit if named else _filter(bit))
    joined = "".join(kept)
    return re.sub(rf"{MARKER}(?:[\s,;]*{MARKER})+", MARKER, joined)


def _cut(text: str, pattern: re.Pattern[str]) -> list[tuple[str, bool]]:
    pieces: list[tuple[str, bool]] = []
    last = 0
    for match in pattern.finditer(text):
        pieces += [(text[last : match.start()], False), (match[0], True)]
        last = match.end()
    return [*pieces, (text[last:], False)]


def _filter(text: str) -> str:
    """Keep allowed words and the brackets, quotes and commas around them."""
    return "".join(chunk if chunk.isspace() else _word(chunk) for chunk in re.findall(r"\s+|\S+", text))


def _word(chunk: str) -> str:
    core = chunk.strip(_EDGES)
    if not core:
        return chunk
    start = chunk.index(core)
    before, after = chunk[:start], chunk[start + len(core) :]
    bare = core.rsplit(".", 1)[-1]
    if core in _TYPES or bare in _EXCEPTIONS:
        return before + (core if core in _TYPES else bare) + after
    if set(core) <= set("-+*/~^→>=|"):
        return chunk
    return before + MARKER + after
