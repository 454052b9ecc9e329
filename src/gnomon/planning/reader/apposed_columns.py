"""A word that a question explains itself: “the margin, list price minus unit cost, of each product”."""

from __future__ import annotations

from gnomon.planning.reader.operators import FILLERS, Op, operators
from gnomon.planning.reader.row_arithmetic import RowArithmetic
from gnomon.planning.reader.said_columns import SaidColumns
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.wider_model import Made
from gnomon.planning.reader.words import stem
from gnomon.semantic import SemanticModel
from gnomon.semantic.derived import Derived

_OPENING = frozenset({",", "("})
_SURE = 0.9
_CLOSING = frozenset({",", ")", "?", ".", "!", ";", "", "by", "for", "of", "in", "per"})
_EXPLAINING = frozenset({"i", "e", "ie", "that", "is", "meaning", "defined", "as", "namely", "."})


def apposed(
    question: str, columns: SaidColumns, model: SemanticModel, vocabulary: Vocabulary
) -> tuple[str, Made] | None:
    """The question with an explained word in quotes and its explanation cut out, and the column that it names."""
    reads = RowArithmetic(question, columns, model)
    for at, token in enumerate(reads.tokens[:-3]):
        if token.kind != "word" or reads.said(at + 1) not in _OPENING:
            continue
        first = _phrase(reads, at) if reads.said(at + 1) == "(" else at
        if not _is_new(token.plain, vocabulary) and (first is None or reads.said(at + 1) != "("):
            continue
        begin = at + 2
        while reads.said(begin) in _EXPLAINING:
            begin += 1
        found = reads.read(begin)
        if found is None or found.table is None or len(found.columns) < 2:
            continue
        if reads.said(found.end) not in _CLOSING:
            continue
        start = reads.tokens[at if first is None else first].start
        said = question[start : token.end]
        known = [x for x in vocabulary.named(said.lower()) if x.kind is LinkKind.METRIC and x.quality > _SURE]
        if known and not _is_new(token.plain, vocabulary) and " * " not in found.text:
            continue  # "gross profit (revenue minus cost)" only says again what the data has
        made = Derived(said, found.text)
        columns.define(made, found.table)
        closed = reads.said(found.end) in {",", ")"}
        rest = question[reads.tokens[found.end - 1 + closed].end :]
        told = f"“{said}” was computed for each row as {found.label}"
        return f'{question[:start]}"{said}"{rest}', Made(found.table, made, told, explained=True)
    return None


def _phrase(reads: RowArithmetic, at: int) -> int | None:
    """Where the words begin that brackets explain: “ordered value (quantity times price)”; whatever they mean elsewhere."""
    first = None
    for i in range(at, max(-1, at - 3), -1):
        word = reads.said(i)
        idle = i < at and word in FILLERS
        if reads.tokens[i].kind != "word" or idle or _does_something(word):
            break
        first = i
    return first


def _does_something(word: str) -> bool:
    operator = operators().get((word,))
    return operator is not None and operator.op is not Op.FILLER


def _is_new(word: str, vocabulary: Vocabulary) -> bool:
    """Whether nothing in the data is called so, and the word does nothing in questions."""
    known = word in FILLERS or (word,) in operators() or bool(vocabulary.named(word))
    return len(word) > 3 and not known and stem(word) not in {stem(w) for w in vocabulary.words}
