"""Errors that come of not knowing the data, and hints that help without telling any of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from gnomon.agents.coder.names import Names
from gnomon.core.errors import did_you_mean
from gnomon.core.patterns import regex
from gnomon.data.feedback import passes_by_name
from gnomon.data.safe import SafeColumn, SafeProfile, SafeTable
from gnomon.sandbox import CellError

RETRY_PREFIX = "[retry context]"
MOST_COLUMNS = 6
MOST_NAMES = 40


class Fault(StrEnum):
    """What kind of mistake an error is; all but the last come of not knowing the data."""

    MISSING_COLUMN = "a column that is not there"
    UNKNOWN_VARIABLE = "a variable that is not there"
    WRONG_VALUES = "values that are not of the kind the code takes them for"
    NOTHING_LEFT = "no rows left to compute with"
    WRONG_TYPE = "a column of another type than the code takes it for"
    MERGE_KEY = "a join on columns that do not fit"
    OTHER = "a mistake in the code itself"

    @property
    def data_context(self) -> bool:
        """Whether knowing more of the data can help."""
        return self is not Fault.OTHER


# The first pattern that is found in "Kind: message" decides; the order goes from the special to the general.
_SIGNS: tuple[tuple[Fault, str], ...] = (
    (Fault.MERGE_KEY, r"MergeError|You are trying to merge on|columns overlap but no suffix|not in index.*merge"
                      r"|incompatible merge|merge keys? (?:must|contains)"),
    (Fault.NOTHING_LEFT, r"zero-size array|empty sequence|No objects to concatenate|Found array with 0 sample"
                         r"|out-of-bounds|out of bounds for axis 0 with size 0|empty (?:data ?frame|vocabulary|slice|range)"
                         r"|no numeric data to plot|arg(?:min|max) of an empty|EmptyDataError|No non-null|size 0"
                         r"|at least one (?:array|sample|element)|cannot (?:take|get) .* from an empty|Input is empty"
                         r"|zero sample|n_samples=0|Must have at least 1 row|has no rows"),
    (Fault.UNKNOWN_VARIABLE, r"^NameError|UnboundLocalError|UndefinedVariableError|Table with name .* does not exist"),
    (Fault.MISSING_COLUMN, r"^KeyError|not in index|not found in axis|Referenced column|None of \[|are in the \[columns\]"
                           r"|ColumnNotFound|Column not found|do not match any|Usecols|has no column|Length mismatch"
                           r"|object has no attribute"),
    (Fault.WRONG_TYPE, r"Can only use \.(?:dt|str|cat)|not supported between instances|unsupported operand"
                       r"|agg function failed|No numeric types|Could not convert .* to numeric|Cannot perform reduction"
                       r"|can only concatenate|not supported for (?:the )?dtype|does not support (?:operation|reduction)"
                       r"|Invalid comparison between dtype|ufunc .* not supported|must be real number|dtype .* cannot"
                       r"|cannot perform .* with (?:this|type)|Cannot compare|Binder Error: No function matches|bad operand type"
                       r"|Cannot subtract tz|isn't numeric|is not numeric|unorderable|Cannot interpret"),
    (Fault.WRONG_VALUES, r"could not convert|invalid literal|does(?:n't| not) match format|time data|Unknown (?:string|datetime)"
                         r"|cannot convert|Cannot convert|DateParseError|ParserError|Out of bounds|OutOfBounds|NaN|infinity"
                         r"|IntCastingNaN|Conversion Error|contains NaN|is not a valid|unparseable|Unable to parse"
                         r"|is not in list|duplicate (?:labels|entries|values)|cannot reindex|Bin edges must be unique"
                         r"|y contains|The least populated class|ConversionException|not enough values to unpack"),
)  # fmt: skip
_COMPILED = tuple((fault, regex(signs)) for fault, signs in _SIGNS)
_CODE_FAULTS = frozenset(
    [
        "SyntaxError",
        "IndentationError",
        "TabError",
        "ImportError",
        "ModuleNotFoundError",
        "RecursionError",
        "MemoryError",
        "TimedOut",
        "Interrupted",
        "WorkerKilled",
        "ProtocolError",
        "PermissionError",
        "FileNotFoundError",
        "OSError",
        "NotImplementedError",
        "SystemExit",
    ]
)
_ATTRIBUTE = regex(r"'(?:DataFrame|Series|DataFrameGroupBy|SeriesGroupBy)' object has no attribute '([^']+)'")


def classify(error: CellError) -> Fault:
    """What kind of mistake an error is."""
    if error.kind in _CODE_FAULTS or error.killed or error.timed_out or error.interrupted:
        return Fault.OTHER
    text = f"{error.kind}: {error.message}"
    if error.kind == "AttributeError" and "has no attribute" in text and not _ATTRIBUTE.search(text):
        return Fault.OTHER  # a slip about Python, not about the data
    if error.kind == "IndexError" and re.search(r"out[ -]of[ -](?:range|bounds)", text):
        return Fault.NOTHING_LEFT
    return next((fault for fault, signs in _COMPILED if signs.search(text)), Fault.OTHER)


@dataclass(frozen=True)
class Hinting:
    """Makes hints from what may be told of the data.

    Args:
        profile: The tables without their values.
        names: What they are called to the model.
    """

    profile: SafeProfile
    names: Names

    def hint(self, error: CellError, code: str) -> str:
        """What helps with an error: the columns that the failing code speaks of, and names close to those it gets wrong.

        Only words that the code itself wrote are repeated: a key that was computed may be a cell.

        Args:
            error: Why the code failed.
            code: The code as the model wrote it.
        """
        fault = classify(error)
        spoken = list(dict.fromkeys(_spoken(code, error.line)))
        lines = [f"{RETRY_PREFIX} The code failed with {_kind(error)}: {fault.value}."]
        if error.line is not None and error.source_line:
            lines.append(f"It failed in line {error.line} of your code.")
        wrong = self._wrong(error, spoken)
        for name, close in wrong.items():
            lines.append(f"There is no {name!r}.{_meant(close)}")
        told = list(
            dict.fromkeys(
                [*self._known(spoken), *(c for close in wrong.values() for c in self._known(close))]
            )
        )
        lines += [f"Column {c.name} of {t.name}: {_described(c)}" for t, c in told[:MOST_COLUMNS]]
        if fault is Fault.UNKNOWN_VARIABLE:
            lines.append(f"Tables are in the variables {', '.join(t.name for t in self._shown)}.")
        elif fault in (Fault.MISSING_COLUMN, Fault.MERGE_KEY) or not told:
            lines += [f"Columns of {t.name}: {_listed(t)}" for t in self._shown]
        lines.append(_ADVICE[fault])
        return "\n".join(lines)

    @property
    def _shown(self) -> tuple[SafeTable, ...]:
        return self.names.shown(self.profile).tables

    def _known(self, spoken: list[str]) -> Iterator[tuple[SafeTable, SafeColumn]]:
        for name in spoken:
            for table in self._shown:
                yield from ((table, c) for c in table.columns if c.name == name)

    def _wrong(self, error: CellError, spoken: list[str]) -> dict[str, list[str]]:
        """The names in the code that the error complains about, and the known names close to each."""
        text = self.names.hide(f"{error.kind}: {error.message}")
        columns = {c.name for t in self._shown for c in t.columns}
        tables = {t.name for t in self._shown}
        found: dict[str, list[str]] = {}
        for name in spoken:
            if name in columns or name in tables or len(name) < 2:
                continue
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                found[name] = close_names(name, [*columns, *tables])
        return found


_ADVICE = {
    Fault.MISSING_COLUMN: "Use only the names of columns as they are listed, with the same letters and spaces.",
    Fault.UNKNOWN_VARIABLE: "Use only the variables that are listed, and those that earlier code of yours has set.",
    Fault.WRONG_VALUES: "Some values are not of that kind: use pd.to_numeric or pd.to_datetime with errors='coerce', and drop "
    "what is missing.",
    Fault.NOTHING_LEFT: "A filter may match no rows: check len() before computing, and do not guess how values are spelled.",
    Fault.WRONG_TYPE: "Check the type of the column above, and convert it before using it that way.",
    Fault.MERGE_KEY: "Join on columns of both tables that have the same type; convert one where they differ.",
    Fault.OTHER: "Mend the code.",
}


def close_names(name: str, known: list[str]) -> list[str]:
    """Known names that ``name`` may be meant for: the same letters, a part, or a slip of the pen."""
    plain = _letters(name)
    same = [k for k in known if _letters(k) == plain]
    part = [
        k
        for k in known
        if len(plain) > 3 and (plain in _letters(k) or (_letters(k) in plain and len(_letters(k)) > 3))
    ]
    return list(dict.fromkeys([*same, *did_you_mean(name, known), *part]))[:3]


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _meant(close: list[str]) -> str:
    return f" Did you mean {' or '.join(repr(c) for c in close)}?" if close else ""


def _kind(error: CellError) -> str:
    """The class of an error, where it is a known one: code can make classes that are called like a cell."""
    return error.kind if passes_by_name(error.kind) else "an error"


def _described(column: SafeColumn) -> str:
    return f"{column.type}, {column.unique:,} different values, {column.null_rate:.1%} missing, {column.descriptor}"


def _listed(table: SafeTable) -> str:
    shown = ", ".join(c.name for c in table.columns[:MOST_NAMES])
    return f"{shown}, …" if len(table.columns) > MOST_NAMES else shown


def _spoken(code: str, line: int | None) -> Iterator[str]:
    """The names and short strings that the code wrote, those of the failing statement first."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return
    statements = sorted(
        tree.body, key=lambda s: not (line is not None and s.lineno <= line <= (s.end_lineno or s.lineno))
    )
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= 80:
                yield node.value
            elif isinstance(node, ast.Attribute):
                yield node.attr
            elif isinstance(node, ast.Name):
                yield node.id
