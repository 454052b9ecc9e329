"""Clauses that make a column: “create a new column called X by …”, “categorise X into …”, “X = (A - B) / C”."""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.clauses import Clause, is_opening
from gnomon.planning.reader.parts_of_time import parts_of_time
from gnomon.planning.reader.row_arithmetic import RowArithmetic
from gnomon.planning.reader.row_tokens import number_of
from gnomon.planning.reader.row_words import Expression
from gnomon.planning.reader.said_bands import SaidBands
from gnomon.planning.reader.said_columns import SaidColumns
from gnomon.planning.reader.wider_model import Made
from gnomon.semantic import SemanticModel
from gnomon.semantic.derived import Derived, derived

_MAKING = r"(?:creat|generat|mak|add|deriv|engineer|introduc|build|construct|form|defin|comput|calculat)(?:e|ing|ed|es|s)?"
_KINDS = r"(?:binary|numeric|numerical|categorical|boolean|dummy)"
_NOUN = r"(?:feature|column|variable|field|attribute|metric|measure|indicator|flag)s?"
_NEW = regex(
    rf"\b{_MAKING}\s+(?:(?:a|an|the|another|one)\s+)?(?:{_KINDS}\s+)?(?:new|additional|derived|extra|calculated)\s+(?:{_KINDS}\s+)?{_NOUN}\b"
    rf"|\b(?:creat|generat|mak|add|deriv|engineer|introduc|construct)(?:e|ing|es)?\s+(?:a|an|another|one)\s+(?:{_KINDS}\s+)?{_NOUN}\b",
    re.IGNORECASE,
)
_CALLED = r"(?:called|named|titled|labell?ed|known\s+as)"
_QUOTED_NAME = late_pattern(rf"[\s,]*(?:{_CALLED})?[\s,]*[\"“'‘`]([^\"”'’`]{{1,60}})[\"”'’`]", re.IGNORECASE)
_BARE_NAME = late_pattern(
    rf"\s*(?:{_CALLED}\s+)([A-Za-z]\w*(?:\s(?!by\b|as\b|that\b|which\b|where\b|with\b|from\b|using\b|to\b|is\b|for\b|in\b|and\b|equal\b|representing\b|indicating\b|containing\b)\w+){{0,3}})"
    r"|\s+([A-Za-z]\w*)(?=\s*(?:=|:|\(|,?\s+(?:as|by|that|which|where|equal|defined|representing|indicating|using)\b))",
    re.IGNORECASE,
)
_LEADING = frozenset(
    {"by", "as", "that", "which", "is", "are", "was", "calculated", "computed", "defined", "represents", "representing",
     "calculates", "calculating", "computes", "computing", "equals", "equal", "to", "being", "obtained", "given", "the",
     "from", "using", "taking", "contains", "containing", "shows", "showing", "measures", "measuring", "holds", "with",
     "where", "it", "derived", "made", "extracting", "extracts", "capturing", "captures", "stores", "storing", "tells",
     "=", ":", ",", "(", "each", "row", "has", "row's", "a", "an", "value", "of", "for", "indicates", "indicating", "gives", "formula", "following", "expression", "via"}
)  # fmt: skip
_ASKING = frozenset({"whether", "if", "when"})
_TRUTHS = frozenset({"1", "true", "yes", "y", "one"})
_CATEGORISING = regex(
    r"\b(?:categori[sz]|group|bin|divid|split|classif|bucket|segment|band|discreti[sz])(?:e|es|ing|y|ies|ying|s|ning|ting)?\b",
    re.IGNORECASE,
)
_COMPARING: dict[tuple[str, ...], str] = {
    ("is", "greater", "than", "or", "equal", "to"): ">=", ("is", "less", "than", "or", "equal", "to"): "<=",
    ("is", "greater", "than"): ">", ("is", "more", "than"): ">", ("is", "above"): ">", ("is", "over"): ">", ("exceeds",): ">",
    ("is", "less", "than"): "<", ("is", "below"): "<", ("is", "under"): "<", ("is", "at", "least"): ">=",
    ("is", "at", "most"): "<=", ("is", "equal", "to"): "==", ("equals",): "==", ("is", "not"): "!=", ("is",): "==",
    ("are",): "==", (">=",): ">=", ("<=",): "<=", (">",): ">", ("<",): "<", ("=",): "==", ("!=",): "!=",
}  # fmt: skip
_AS = r"(?:is|are|be|being|as|equals)\b(?:\s+(?:defined|calculated|computed|given)\s+(?:as|by)\b)?|=|:="
_FORMULA = regex(
    rf"\b(?:calculate|compute|create|derive|add|make|generate)\s+(?:(?:the|a|an)\s+)?[\"“'‘`]?([A-Za-z]\w*(?:\s\w+){{0,3}}?)[\"”'’`]?\s*(?:as\b|by\b|:?=)\s*"
    rf"|\b(?:let|where|with|define|call|given)\s+(?:the\s+)?[\"“'‘`]?([A-Za-z]\w*(?:\s\w+){{0,3}}?)[\"”'’`]?\s*(?:{_AS})\s*"
    r"|[\"“'‘`]?\b([A-Za-z]\w*(?:\s\w+){0,2})[\"”'’`]?\s*:?=(?!=)\s*",
    re.IGNORECASE,
)
_EXPLAINED = late_pattern(
    r"^\s*,?\s*(?:which|that)\s+(?:represents?|indicates?|is|means|shows|measures|reflects|denotes|gives|captures|stands\s+for|tells)\b[^.;?!\d]*|^\s*\([^()\d]*\)",
    re.IGNORECASE,
)
_OF_EACH = late_pattern(
    r"^[\s,)]*(?:(?:for|of|in|on|across)\s+(?:each|every|all|the|any|a|this)\s+[\w-]+(?:\s+(?:in|of)\s+the\s+\w+)?|columns?|values?|row[- ]wise|per\s+row|otherwise|respectively|(?:and|or|else)\s+0(?:\s+otherwise)?|and\s+0\s+otherwise)(?=\W|$)",
    re.IGNORECASE,
)


class ColumnClauses:
    """Reads the clauses of one question that make columns.

    Args:
        model: What the tables mean.
        columns: The columns that they may speak of; those that are made are added.
        bands: Reads ranges of a column.
    """

    def __init__(self, model: SemanticModel, columns: SaidColumns, bands: SaidBands) -> None:
        self._model = model
        self._columns = columns
        self._bands = bands

    def read(self, clause: str) -> Clause | None:
        """What a clause makes; None where it makes nothing, or something that is not understood."""
        opening = _NEW.search(clause)
        if opening is not None and is_opening(clause[: opening.start()]):
            name, at = _name(clause, opening.end())
            found = self._ranges(clause, name) or self._arithmetic(clause, at, name)
            wanted = f"“{name}”" if name else "the new column"
            return found or Clause(refused=f"how {wanted} is to be computed was not understood")
        if (categorising := _CATEGORISING.search(clause)) is not None and is_opening(
            clause[: categorising.start()]
        ):
            return self._ranges(clause, None)
        return (
            self._formula(clause)
            or self._for_each_row(clause)
            or parts_of_time(clause, self._columns, self._model)
        )

    def _arithmetic(self, clause: str, at: int, name: str | None) -> Clause | None:
        again = re.compile(rf"[\"“'‘`]?{re.escape(name)}[\"”'’`]?\s*=").search(clause, at) if name else None
        at = again.end() if again is not None else at
        reads = RowArithmetic(clause, self._columns, self._model)
        begin = _token_at(reads, at)
        if begin is None:
            return None
        for start in _starts(reads, begin):
            flag = reads.said(start) in _ASKING
            found = _compared(reads, start + 1) if flag else _longest(reads, start)
            if found is not None and (flag or found.is_made) and found.table is not None:
                return self._made(clause, reads, found, name)
        return None

    def _made(self, clause: str, reads: RowArithmetic, found: Expression, name: str | None) -> Clause | None:
        rest = _tail(clause, reads, found.end)
        if rest is None or found.table is None:
            return None
        made = self._one(found.table, name or found.label, found)
        return Clause((made,), rest)

    def _one(self, table: str, name: str, found: Expression) -> Made:
        made = Derived(name, found.text)
        self._columns.define(made, table)
        told = "" if name == found.label else f"“{name}” was computed for each row as {found.label}"
        return Made(table, made, told)

    def _formula(self, clause: str) -> Clause | None:
        """“Volatility = (High - Low) / Open”, “let X be A times B”, “where X is A minus B”."""
        reads = RowArithmetic(clause, self._columns, self._model)
        for match in _FORMULA.finditer(clause):
            name, begin = (match[1] or match[2] or match[3]).strip(), _token_at(reads, match.end())
            found = _longest(reads, begin) if begin is not None else None
            if found is None or not found.is_made or found.table is None:
                continue
            rest, known = _tail(clause, reads, found.end), self._columns.find(name)
            if rest is None or (known is not None and derived(known.column) is None):
                return None
            before = re.sub(r"[\s,(]+$", "", clause[: match.start()])
            return Clause((self._one(found.table, name, found),), f"{before} {rest}".strip())
        return None

    def _for_each_row(self, clause: str) -> Clause | None:
        """“Calculate the difference between A and B for each row (and call it X)”."""
        opening = re.match(rf"\s*(?:{_MAKING}|find|determine|take)\s+", clause, re.IGNORECASE)
        if opening is None:
            return None
        reads = RowArithmetic(clause, self._columns, self._model)
        begin = _token_at(reads, opening.end()) or 0
        found = reads.read(begin)
        if found is None or not found.is_made or found.table is None or found.end >= len(reads.tokens):
            return None
        behind = clause[reads.tokens[found.end - 1].end :]
        if not re.match(
            r"\s*(?:for|of|in)\s+(?:each|every)\s+(?:row|record|entry|observation|line)\b|\s*row[- ]wise|\s*per\s+row",
            behind,
            re.IGNORECASE,
        ):
            return None
        named = re.search(
            rf"\b(?:and\s+)?(?:{_CALLED}|call(?:ing)?\s+(?:it|this|that)|name(?:d)?\s+(?:it|this))\s+[\"“'‘`]?([\w ]{{1,40}}?)[\"”'’`]?(?=[.,;?!]|$)",
            behind,
            re.IGNORECASE,
        )
        name = named[1] if named else None
        rest = behind[: named.start()] + behind[named.end() :] if named else behind
        left = _OF_EACH.sub("", rest).strip(" ,.;")
        made = self._one(found.table, name or found.label, found)
        return Clause((made,), re.sub(r"^(?:and|then|,)\s+", "", left))

    def _ranges(self, clause: str, name: str | None) -> Clause | None:
        """“categorise passengers into age groups: 'Child' (0-12), …”: which column, and which ranges."""
        made = self._bands.made(clause, name)
        if made is None:
            return None
        one, _start, end = made
        rest = re.sub(r"^[\s,.;:)]*(?:(?:and|then)\s+)?", "", clause[end:]).strip(" .")
        return Clause((one,), re.sub(r"^years?( old)?\)?[ ,.]*", "", rest))


def _name(clause: str, at: int) -> tuple[str | None, int]:
    match = _QUOTED_NAME.match(clause, at)
    if match is not None:
        return match[1].strip(), match.end()
    match = _BARE_NAME.match(clause, at)
    if match is None:
        return None, at
    return (match[1] or match[2]).strip(), match.end()


def _token_at(reads: RowArithmetic, place: int) -> int | None:
    """The first token from a place on."""
    return next((i for i, t in enumerate(reads.tokens) if t.start >= place), None)


def _starts(reads: RowArithmetic, begin: int) -> list[int]:
    """Where an expression may begin: as soon as possible, behind words that only lead up to it."""
    found: list[int] = []
    at = begin
    while at < len(reads.tokens) and at < begin + 10:
        found.append(at)
        if reads.said(at) in _TRUTHS and reads.said(at + 1) in _ASKING:
            at += 1  # "1 if A is 0"
            continue
        if reads.said(at) not in _LEADING or reads.tokens[at].kind == "quoted":
            break
        at += 1
    return found[::-1] if reads.said(found[-1]) in _ASKING else found


def _longest(reads: RowArithmetic, at: int) -> Expression | None:
    """The expression there; a comparison with a number where one is spelled out."""
    found = reads.read(at)
    if found is None or reads.said(found.end) not in (">", "<", ">=", "<=", "!="):
        return found
    return _compared(reads, at)


def _compared(reads: RowArithmetic, at: int) -> Expression | None:
    """“A plus B is 0”: whether it is so."""
    left = reads.read(at)
    if left is None:
        return None
    for words, sign in _COMPARING.items():
        if not reads.follows(left.end, words):
            continue
        at = left.end + len(words)
        number = reads.tokens[at] if at < len(reads.tokens) else None
        zero = number is not None and number.plain == "zero"
        if number is None or (number.kind != "number" and not zero):
            right = reads.read(at) if number is not None else None
            if right is None or right.table != left.table:
                continue
            text, label = f"{left.text} {sign} {right.text}", f"{left.label} {' '.join(words)} {right.label}"
            return Expression(text, label, (*left.columns, *right.columns), right.end)
        value = 0 if zero else number_of(number)
        text, label = f"{left.text} {sign} {value!r}", f"{left.label} {' '.join(words)} {number.text}"
        return Expression(text, label, left.columns, at + 1)
    return None


def _tail(clause: str, reads: RowArithmetic, end: int) -> str | None:
    """What follows an expression as a question of its own; None where it changes what was said."""
    rest = clause[reads.tokens[end - 1].end :]
    rest = _EXPLAINED.sub("", rest)
    shorter = _OF_EACH.sub("", rest)
    while shorter != rest:
        rest, shorter = shorter, _OF_EACH.sub("", shorter)
    asked = re.match(
        r"[\s).]*(?:$|[?!.;,]\s*$|(?:[.;?!,]\s*)+(?:and\s+|then\s+)*|\s(?:and\s+then|and|then)\s+)", rest
    )
    if asked is None:
        return None if rest.strip(" ).") else ""
    return rest[asked.end() :].strip()
