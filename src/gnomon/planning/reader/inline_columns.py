"""Arithmetic over rows inside of a question: “the average difference between A and B”, “the highest A minus B”."""

from __future__ import annotations

import re

from gnomon.planning.reader.row_arithmetic import RowArithmetic
from gnomon.planning.reader.row_words import Expression
from gnomon.planning.reader.said_columns import SaidColumns
from gnomon.planning.reader.wider_model import Made
from gnomon.semantic import Aggregation, SemanticModel
from gnomon.semantic.derived import Derived

_HOW = frozenset(
    {"average", "mean", "median", "typical", "highest", "largest", "biggest", "greatest", "maximum", "max", "lowest",
     "smallest", "minimum", "min", "deviation", "std", "variance", "distribution", "skewness", "kurtosis", "outliers",
     "correlation", "range", "total", "sum", "normality", "histogram", "percentile", "quantile", "mode", "spread"}
)  # fmt: skip
_HEADS = frozenset({"difference", "product", "ratio", "sum", "quotient"})
_OVER_ROWS = frozenset(
    {"correlation", "correlate", "correlated", "relationship", "distribution", "outliers", "histogram"}
)
_LINKING = frozenset({"of", "the", "in", "for", "a", "an", "between", "value", "and", "number"})
_TOTALS = frozenset({"total", "average", "mean", "median"})
_SUMS = frozenset({"sum", "total"})
_TOGETHER = frozenset({"combined", "together", "altogether"})
_PLUS = frozenset({"plus", "+"})
_SIGNS = frozenset(
    {
        "minus",
        "-",
        "times",
        "*",
        "×",
        "/",
        "divided",
        "over",
        "multiplied",
        "%",
        "percent",
        "than",
        "(",
        ")",
    }
)
_HAVING = frozenset({"have", "has", "had", "with", "where", "whose", "having"})
_FIGURES = frozenset({"mean", "average", "median", "min", "max", "minimum", "maximum", "std"})


def inline(question: str, columns: SaidColumns, model: SemanticModel) -> tuple[str, list[Made]]:
    """The question with arithmetic that is to be aggregated replaced by the name of a column, and those columns."""
    question, made = _combined(question, columns, model)
    if not made:
        question, made = _added(question, columns, model)
    at = 0
    while True:
        reads = RowArithmetic(question, columns, model)
        found = next(
            (
                (i, e)
                for i in range(at, len(reads.tokens))
                if _may_begin(reads, i) and (e := _aggregated(reads, i)) is not None
            ),
            None,
        )
        if found is None:
            return question, made
        begin, expression = found
        name = expression.label
        derived = Derived(name, expression.text)
        columns.define(derived, expression.table or "")
        made.append(Made(expression.table or "", derived))
        start, end = reads.tokens[begin].start, reads.tokens[expression.end - 1].end
        question = re.sub(r"\s+", " ", f'{question[:start]}"{name}"{question[end:]}')
        question = re.sub(r'(")\s*(?:per|for each|for every|of each) row\b', r"\1", question)
        at = begin + 1


def _combined(question: str, columns: SaidColumns, model: SemanticModel) -> tuple[str, list[Made]]:
    """“the sum of A and B”, “A and B combined”: the total of both, and each of them beside it.

    A row that lacks one of them counts with the other, so that the total is that of the two totals.
    """
    reads = RowArithmetic(question, columns, model)
    for at, token in enumerate(reads.tokens):
        if token.plain not in _SUMS or reads.said(at + 1) != "of" or _is_aggregated(reads, at):
            continue
        operands = reads.listed(at + 2, frozenset({"and"}))
        if len(operands) < 2 or any(e.is_made or not e.columns[0].is_number for e in operands if e.columns):
            continue
        if any(not e.columns for e in operands) or len({e.table for e in operands}) != 1:
            continue
        end = operands[-1].end
        together = reads.said(end) in _TOGETHER
        if token.plain == "total" and not together:
            continue  # "the total of A and B" may as well be two totals
        name = " plus ".join(e.label for e in operands)
        derived = Derived(name, " + ".join(f"known({e.text})" for e in operands))
        columns.define(derived, operands[0].table or "")
        each = "" if together else "".join(f", total {e.label}" for e in operands)
        start, stop = token.start, reads.tokens[end - 1 + together].end
        told = f"“{name}” was computed for each row, where a missing value counts as nothing"
        return f'{question[:start]}total "{name}"{each}{question[stop:]}', [
            Made(operands[0].table or "", derived, told)
        ]
    return question, []


def _added(question: str, columns: SaidColumns, model: SemanticModel) -> tuple[str, list[Made]]:
    """“rent plus parking”, “total rent plus parking”: what both add up to, where one of them is added up by itself.

    As in a sum of two totals, a row that lacks one of them counts with the other.
    """
    reads = RowArithmetic(question, columns, model)
    said = [t.plain for t in reads.tokens]
    for at in range(len(said)):
        operands = reads.listed(at, _PLUS) if said[at] not in _LINKING else []
        plain = len(operands) > 1 and all(
            e.columns and not e.is_made and e.columns[0].is_number for e in operands
        )
        if not plain or len({e.table for e in operands}) != 1 or not _PLUS & {*said[at : operands[-1].end]}:
            continue
        end, before = operands[-1].end, at - 1
        if {",", "and", "&"} & {*said[at:end]} or reads.said(end) in _SIGNS or reads.said(at - 1) in _SIGNS:
            continue
        while before >= 0 and said[before] in _LINKING:
            before -= 1
        total = before >= 0 and said[before] in _SUMS
        others = {*said[:at], *said[end:]} & (_HOW - _SUMS | _HAVING)
        texts = [e.text for e in operands]
        bare = {e.columns[0].column for e in operands}
        if others or not (
            total
            or any(
                (m.expression or "").strip('"') in bare and m.aggregation is Aggregation.SUM
                for m in model.metrics
            )
        ):
            continue
        name = " plus ".join(e.label for e in operands)
        derived = Derived(name, " + ".join(f"known({text})" for text in texts))
        columns.define(derived, operands[0].table or "")
        start, stop = reads.tokens[before if total else at].start, reads.tokens[end - 1].end
        told = f"“{name}” was computed for each row, where a missing value counts as nothing"
        return f'{question[:start]}total "{name}"{question[stop:]}', [
            Made(operands[0].table or "", derived, told)
        ]
    return question, []


def _is_aggregated(reads: RowArithmetic, at: int) -> bool:
    """Whether the sum of each row is aggregated once more: the average sum of A and B."""
    before = at - 1
    while before >= 0 and reads.said(before) in _LINKING:
        before -= 1
    return before >= 0 and reads.said(before) in _HOW


def _may_begin(reads: RowArithmetic, at: int) -> bool:
    """Whether arithmetic may begin there: right behind what aggregates it, articles aside, or said to be of each row."""
    if reads.said(at) in _LINKING:
        return False
    if (
        at
        and reads.said(at - 1) in _HAVING | {"a", "the"}
        and reads.said(at - 2 + (reads.said(at - 1) in _HAVING)) in _HAVING
    ):
        return True
    if reads.said(at) in _HEADS and any(reads.said(i) in _OVER_ROWS for i in range(at)):
        return True
    before = at - 1
    while before >= 0 and reads.said(before) in _LINKING:
        before -= 1
    return before >= 0 and reads.said(before) in _HOW and before < at


def _aggregated(reads: RowArithmetic, at: int) -> Expression | None:
    """Arithmetic over two columns or more of one table, none of which is meant by itself."""
    found = reads.read(at)
    if found is None or found.table is None or (len(found.columns) < 2 and not found.is_step):
        return None
    if reads.said(at) in _FIGURES and reads.said(at) in _HOW:
        return None  # “the mean and median of A and B” are figures of each
    called = " ".join(str(c).lower() for c in found.columns)
    if any(reads.said(i) in _TOTALS and reads.said(i) not in called for i in range(at + 1, found.end)):
        return None  # “total A divided by total B” divides what both add up to
    return found
