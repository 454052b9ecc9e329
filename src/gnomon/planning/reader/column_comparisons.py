"""Columns compared row by row: “delivered after the promised date”, “spent more than their budget”, “shipped late”.

What is compared becomes a column of yes and no, and the rest of the question asks about it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.planned_columns import PlannedColumns
from gnomon.planning.reader.row_arithmetic import RowArithmetic
from gnomon.planning.reader.row_tokens import number_of
from gnomon.planning.reader.row_words import ARTICLES, Expression, by_first, is_date, is_number
from gnomon.planning.reader.said_columns import Said, SaidColumns
from gnomon.planning.reader.wider_model import Made
from gnomon.semantic import SemanticModel
from gnomon.semantic.derived import Derived
from gnomon.semantic.values import ValueIndex

_MORE = "more than|greater than|higher than|larger than|bigger than|above|over|exceed|exceeds|exceeded|exceeding|surpass|surpassed|surpasses|later than|after|beyond|longer than|past"
_LESS = "less than|lower than|smaller than|fewer than|below|under|before|earlier than|shorter than|ahead of"
_PHRASES: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): sign
    for sign, phrases in (
        (">", _MORE),
        ("<", _LESS),
        (">=", "at least|no less than|no earlier than|greater than or equal to|more than or equal to"),
        ("<=", "at most|no more than|no later than|less than or equal to|by"),
        ("==", "equal to|equals|equal|the same as|identical to"),
        ("!=", "different from|differs from|differ from|differed from|not equal to|unequal to"),
    )
    for phrase in phrases.split("|")
}
_SIGNS = by_first(dict(sorted(_PHRASES.items(), key=lambda x: -len(x[0]))))  # the longest first
_OPPOSITE = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "==": "!=", "!=": "=="}
_SAID = {">": "above", "<": "below", ">=": "at least", "<=": "at most", "==": "equal to", "!=": "unlike"}
_SAID_OF_DAYS = {
    ">": "after",
    "<": "before",
    ">=": "not before",
    "<=": "not after",
    "==": "on",
    "!=": "not on",
}
_COPULAS = vocabulary("is are was were be been being has have had did does do went go")
_WIDTH = frozenset({"more", "over", "at", "least", "than", "exactly", "by", "less", "fewer"})
_UNITS = {"day": 1.0, "week": 7.0}
_OF_THEIRS = frozenset({"their", "its", "the", "his", "her", "a"})


@dataclass(frozen=True)
class _Found:
    begin: int
    end: int
    left: Expression
    right: Expression
    sign: str
    by: float | None = None
    denied: bool = False


class ColumnComparisons:
    """Finds one comparison of two columns of a table.

    Args:
        columns: The columns that a question may speak of.
        model: What the tables mean.
        index: The values of the data.
    """

    def __init__(self, columns: SaidColumns, model: SemanticModel, index: ValueIndex) -> None:
        self._columns = columns
        self._model = model
        self._index = index
        self._planned = PlannedColumns(model)

    def inline(self, question: str) -> tuple[str, Made] | None:
        """The question with what is compared replaced by the name of a column, and that column."""
        reads = RowArithmetic(question, self._columns, self._model)
        found = self._compared(reads) or self._more_of(reads) or self._in_time(reads)
        if found is None:
            return None
        sign = _OPPOSITE[found.sign] if found.denied else found.sign
        dated = is_date(found.left)
        name, text = _written(found, sign, dated)
        made = Derived(name, text)
        self._columns.define(made, found.left.table or "")
        start, end = reads.tokens[found.begin].start, reads.tokens[found.end - 1].end
        before = re.sub(
            r"\b(?:where|whose|in which|for which|when|whenever)\s*(?:the|a|an)?\s*$",
            "with ",
            question[:start],
            flags=re.IGNORECASE,
        )
        told = f"“{name}” was judged for each row"
        asked = f'{before}"{name}"{question[end:]}'
        return re.sub(r"\s+", " ", asked), Made(found.left.table or "", made, told)

    def _compared(self, reads: RowArithmetic) -> _Found | None:
        """“A is above B”, “exceeded their B”, each by how much where that is said."""
        for at in range(1, len(reads.tokens)):
            for words, sign in _SIGNS.get(reads.said(at), ()):
                if not reads.follows(at, words):
                    continue
                found = self._around(reads, at, at + len(words), sign)
                if found is not None:
                    return found
        return None

    def _around(self, reads: RowArithmetic, at: int, behind: int, sign: str) -> _Found | None:
        right = reads.read(_past_theirs(reads, behind))
        if right is None or right.table is None:
            return None
        if reads.said(at) == "ahead" and not is_date(right):
            sign = ">"  # in votes; in days it is before
        start, by, wide = at, None, False
        if sign in "<>":
            start, by = _width(reads, at, is_date(right))
        verb, denied = _past_copulas(reads, start)
        begin, left = self._left(reads, verb)
        elided = left is None
        if left is None and (len(right.columns) != 1 or right.is_made):
            return None
        if left is None:
            partner = self._planned.actual_of(right.columns[0])
            begin, left = verb, (_of(partner, verb) if partner is not None else None)
        if (
            left is None
            or not _fit(left, right)
            or (sign == "<=" and reads.said(at) == "by" and not is_date(right))
        ):
            return None
        end = right.end
        if by is None and sign in "<>" and reads.said(end) == "by":
            end, by, wide = _behind(reads, end)
            if wide is None:
                return None
        if elided and not _may_stand_alone(reads, begin):
            return None
        return _Found(begin, end, left, right, sign, by, denied)

    def _more_of(self, reads: RowArithmetic) -> _Found | None:
        """“counties with more votes than people”: the first column stands within the comparison."""
        for at in range(1, len(reads.tokens)):
            sign = {"more": ">", "fewer": "<", "less": "<", "higher": ">", "lower": "<", "larger": ">"}.get(
                reads.said(at)
            )
            left = reads.read(at + 1) if sign is not None else None
            right = None
            if left is not None and left.table is not None and reads.said(left.end) == "than":
                right = reads.read(_past_theirs(reads, left.end + 1))
            if sign is None or left is None or right is None or not right.columns or not _fit(left, right):
                continue
            begin, denied = _past_copulas(reads, _with_articles(reads, at))
            had = begin > 0 and reads.said(begin - 1) in {"with", "having"}
            return _Found(begin - had, right.end, left, right, sign, denied=denied)
        return None

    def _left(self, reads: RowArithmetic, until: int) -> tuple[int, Expression | None]:
        """The column that ends right before, the longest name of it."""
        for begin in range(max(0, until - 7), until):
            found = reads.read(begin)
            if found is not None and found.end == until and found.table is not None:
                return _with_articles(reads, begin), found
        return until, None

    def _in_time(self, reads: RowArithmetic) -> _Found | None:
        """“delivered late”, “on time”: of the day by which it was to be done, where the data has one."""
        for at in range(1, len(reads.tokens)):
            late = reads.said(at) in {"late", "overdue"}
            timely = reads.follows(at, ("on", "time")) or reads.follows(at, ("in", "time"))
            early = reads.said(at) == "early"
            if not (late or timely or early) or self._is_known(reads.said(at) if not timely else "on time"):
                continue
            verb, denied = _past_copulas(reads, at)
            begin, left = self._left(reads, verb)
            done = left.columns[0] if left is not None and is_date(left) else None
            due = self._planned.due_of(done) if done is not None else None
            pair = (done, due) if done is not None and due is not None else self._planned.dates()
            if pair is None:
                return None
            begin = begin if done is not None and due is not None else at
            end = at + (2 if timely else 1)
            sign = ">" if late else "<=" if timely else "<"
            return _Found(begin, end, _of(pair[0], begin), _of(pair[1], end), sign, denied=denied)
        return None

    def _is_known(self, word: str) -> bool:
        """Whether the data has a word of its own for it."""
        return bool(self._index.find(word.split())) or self._columns.find(word) is not None


def _of(said: Said, end: int) -> Expression:
    return Expression(said.expression, said.dimension.label, (said,), end)


def _fit(left: Expression, right: Expression) -> bool:
    """Whether two columns of a table can be set against each other: two dates, or two of a unit."""
    if left.table != right.table or {c.column for c in left.columns} & {c.column for c in right.columns}:
        return False
    if is_date(left) or is_date(right):
        return is_date(left) and is_date(right)
    units = {c.dimension.unit for e in (left, right) for c in e.columns} - {None}
    return is_number(left) and is_number(right) and bool(left.columns) and len(units) < 2


def _written(found: _Found, sign: str, dated: bool) -> tuple[str, str]:
    """What a comparison is called, and how it is written for each row."""
    one, other = found.left, found.right
    said = (_SAID_OF_DAYS if dated else _SAID)[sign]
    if found.by is None:
        return f"{one.label} {said} {other.label}", f"{one.text} {sign} {other.text}"
    larger, smaller = (one, other) if found.sign == ">" else (other, one)
    apart = f"days({larger.text}, {smaller.text})" if dated else f"{larger.text} - {smaller.text}"
    more = "<=" if found.denied else ">"
    amount = f"{found.by:g} days" if dated else f"{found.by:g}"
    name = f"{one.label} more than {amount} {_SAID_OF_DAYS[found.sign] if dated else _SAID[found.sign]} {other.label}"
    return ("not " if found.denied else "") + name, f"{apart} {more} {found.by!r}"


def _past_theirs(reads: RowArithmetic, at: int) -> int:
    while reads.said(at) in _OF_THEIRS:
        at += 1
    return at


def _past_copulas(reads: RowArithmetic, at: int) -> tuple[int, bool]:
    """Where what is compared ends, and whether it is denied to be so."""
    denied = False
    while at > 0 and reads.said(at - 1) in _COPULAS | {"not", "never", "n't", "t", "to"}:
        denied = denied or reads.said(at - 1) in {"not", "never"}
        at -= 1
    return at, denied


def _with_articles(reads: RowArithmetic, begin: int) -> int:
    while begin > 0 and reads.said(begin - 1) in ARTICLES - {"of", "row", "rows", "values"}:
        begin -= 1
    return begin


def _width(reads: RowArithmetic, at: int, dated: bool) -> tuple[int, float | None]:
    """“more than 3 days after”: where that begins, and how far apart both have to be."""
    unit = dated and reads.said(at - 1).removesuffix("s") in _UNITS
    number = at - 1 - (unit or reads.said(at - 1) in {"degrees", "points", "units"})
    if number < 0 or reads.tokens[number].kind != "number":
        return at, None
    begin = number
    while begin > 0 and reads.said(begin - 1) in _WIDTH:
        begin -= 1
    if reads.follows(begin, ("more", "than")) or reads.said(begin) == "over":
        size = _UNITS[reads.said(at - 1).removesuffix("s")] if unit else 1.0
        return begin, number_of(reads.tokens[number]) * size
    return at, None


def _behind(reads: RowArithmetic, at: int) -> tuple[int, float | None, bool | None]:
    """“by more than 50”, behind the second column; None at last where it is said otherwise."""
    begin = at + 1
    more = reads.follows(begin, ("more", "than")) or reads.follows(begin, ("over",))
    begin += 2 if reads.follows(begin, ("more", "than")) else 1
    if (
        reads.tokens[at + 1 :]
        and not more
        and not any(t.kind == "number" for t in reads.tokens[at + 1 : at + 5])
    ):
        return at, None, False  # "by channel"
    if not more or begin >= len(reads.tokens) or reads.tokens[begin].kind != "number":
        return at, None, None
    unit = reads.said(begin + 1).removesuffix("s")
    size = _UNITS.get(unit, 1.0)
    return begin + 1 + (unit in _UNITS), number_of(reads.tokens[begin]) * size, True


def _may_stand_alone(reads: RowArithmetic, begin: int) -> bool:
    """Whether what is compared may be left out there: behind a noun or “that”, not behind a measure that is asked for."""
    return begin > 0 and reads.tokens[begin - 1].kind == "word"
