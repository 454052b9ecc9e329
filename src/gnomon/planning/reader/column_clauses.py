"""Clauses that make a column: “create a new column called X by …”, “categorise X into …”, “X = (A - B) / C”."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon.planning.reader.row_arithmetic import RowArithmetic
from gnomon.planning.reader.row_tokens import number_of
from gnomon.planning.reader.row_words import Expression
from gnomon.planning.reader.said_columns import Said, SaidColumns
from gnomon.planning.reader.said_ranges import ranges_in
from gnomon.planning.reader.wider_model import Made
from gnomon.semantic import SemanticModel
from gnomon.semantic.derived import Derived, derived

_MAKING = r"(?:creat|generat|mak|add|deriv|engineer|introduc|build|construct|form|defin|comput|calculat)(?:e|ing|ed|es|s)?"
_KINDS = r"(?:binary|numeric|numerical|categorical|boolean|dummy)"
_NOUN = r"(?:feature|column|variable|field|attribute|metric|measure|indicator|flag)s?"
_NEW = re.compile(
    rf"\b{_MAKING}\s+(?:(?:a|an|the|another|one)\s+)?(?:{_KINDS}\s+)?(?:new|additional|derived|extra|calculated)\s+(?:{_KINDS}\s+)?{_NOUN}\b"
    rf"|\b(?:creat|generat|mak|add|deriv|engineer|introduc|construct)(?:e|ing|es)?\s+(?:a|an|another|one)\s+(?:{_KINDS}\s+)?{_NOUN}\b",
    re.IGNORECASE,
)
_CALLED = r"(?:called|named|titled|labell?ed|known\s+as)"
_QUOTED_NAME = re.compile(rf"[\s,]*(?:{_CALLED})?[\s,]*[\"“'‘`]([^\"”'’`]{{1,60}})[\"”'’`]", re.IGNORECASE)
_BARE_NAME = re.compile(
    rf"\s*(?:{_CALLED}\s+)([A-Za-z]\w*(?:\s(?!by\b|as\b|that\b|which\b|where\b|with\b|from\b|using\b|to\b|is\b|for\b|in\b|and\b|equal\b|representing\b|indicating\b|containing\b)\w+){{0,3}})"
    r"|\s+([A-Za-z]\w*)(?=\s*(?:=|:|\(|,?\s+(?:as|by|that|which|where|equal|defined|representing|indicating|using)\b))",
    re.IGNORECASE,
)
_LEADING = frozenset(
    {"by", "as", "that", "which", "is", "are", "was", "calculated", "computed", "defined", "represents", "representing",
     "calculates", "calculating", "computes", "computing", "equals", "equal", "to", "being", "obtained", "given", "the",
     "from", "using", "taking", "contains", "containing", "shows", "showing", "measures", "measuring", "holds", "with",
     "where", "it", "derived", "made", "extracting", "extracts", "capturing", "captures", "stores", "storing", "tells",
     "=", ":", ",", "(", "each", "row", "has", "row's", "a", "an", "value", "of", "for", "indicates", "indicating", "gives"}
)  # fmt: skip
_ASKING = frozenset({"whether", "if", "when"})
_TRUTHS = frozenset({"1", "true", "yes", "y", "one"})
_CATEGORISING = re.compile(
    r"\b(?:categori[sz]|group|bin|divid|split|classif|bucket|segment|band|discreti[sz])(?:e|es|ing|y|ies|ying|s|ning|ting)?\b",
    re.IGNORECASE,
)
_BANDS = re.compile(
    r"\b(\w+(?:[ _]\w+)?)[ -](?:groups?|bands?|brackets?|ranges?|bins?|categor(?:y|ies)|classes|segments?)\b",
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
_FORMULA = re.compile(
    rf"\b(?:let|where|with|define|call|given)\s+(?:the\s+)?[\"“'‘`]?([A-Za-z]\w*(?:\s\w+){{0,3}}?)[\"”'’`]?\s*(?:{_AS})\s*"
    r"|[\"“'‘`]?\b([A-Za-z]\w*(?:\s\w+){0,2})[\"”'’`]?\s*:?=(?!=)\s*",
    re.IGNORECASE,
)
_OF_EACH = re.compile(
    r"^[\s,)]*(?:(?:for|of|in|on|across)\s+(?:each|every|all|the|any|a|this)\s+[\w-]+(?:\s+(?:in|of)\s+the\s+\w+)?|columns?|values?|row[- ]wise|per\s+row|otherwise|respectively|(?:and|or|else)\s+0(?:\s+otherwise)?|and\s+0\s+otherwise)(?=\W|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Clause:
    """What a clause makes, and what of it is left to be read as part of the question.

    Args:
        made: The columns.
        rest: What is left.
        refused: What it wants to make and is not understood, in words.
    """

    made: tuple[Made, ...] = ()
    rest: str = ""
    refused: str = ""


class ColumnClauses:
    """Reads the clauses of one question that make columns.

    Args:
        model: What the tables mean.
        columns: The columns that they may speak of; those that are made are added.
    """

    def __init__(self, model: SemanticModel, columns: SaidColumns) -> None:
        self._model = model
        self._columns = columns

    def read(self, clause: str) -> Clause | None:
        """What a clause makes; None where it makes nothing, or something that is not understood."""
        opening = _NEW.search(clause)
        if opening is not None and _is_opening(clause[: opening.start()]):
            name, at = _name(clause, opening.end())
            found = self._ranges(clause, name) or self._arithmetic(clause, at, name)
            wanted = f"“{name}”" if name else "the new column"
            return found or Clause(refused=f"how {wanted} is to be computed was not understood")
        if (categorising := _CATEGORISING.search(clause)) is not None and _is_opening(
            clause[: categorising.start()]
        ):
            return self._ranges(clause, None)
        return self._formula(clause) or self._for_each_row(clause)

    def _arithmetic(self, clause: str, at: int, name: str | None) -> Clause | None:
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
            name, begin = (match[1] or match[2]).strip(), _token_at(reads, match.end())
            found = _longest(reads, begin) if begin is not None else None
            if found is None or len(found.columns) < 2 or found.table is None:
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
        ranges = ranges_in(clause)
        if not ranges:
            return None
        start, end = min(r.start for r in ranges), max(r.end for r in ranges)
        column = self._binned(clause[:start], clause[end:])
        if column is None:
            return None
        label = name or f"{column.dimension.label} group"
        text = f"ranges({column.expression}, {', '.join(r.written() for r in ranges)})"
        new = Derived(label, text)
        self._columns.define(new, column.table)
        told = f"“{label}” of {column.dimension.label}: {', '.join(r.told() for r in ranges)}"
        made = Made(column.table, new, told, labels=tuple(r.label for r in ranges))
        rest = re.sub(r"^[\s,.;:)]*(?:(?:and|then)\s+)?", "", clause[end:]).strip(" .")
        return Clause((made,), re.sub(r"^years?( old)?\)?[ ,.]*", "", rest))

    def _binned(self, before: str, behind: str) -> Said | None:
        """The one column of numbers that the words before ranges speak of, “age groups” included."""
        del behind
        found: dict[str, Said] = {}
        reads = RowArithmetic(before, self._columns, self._model)
        bands = [m[1].split()[-1] for m in _BANDS.finditer(before)] + [m[1] for m in _BANDS.finditer(before)]
        spoken = [reads.read(i) for i in range(len(reads.tokens))]
        said = [e.columns[0] for e in spoken if e is not None and len(e.columns) == 1 and not e.is_made]
        for column in [*said, *(c for b in bands if (c := self._columns.find(b)) is not None)]:
            if column.is_number:
                found[column.column] = column
        return next(iter(found.values())) if len(found) == 1 else None


def _is_opening(before: str) -> bool:
    """Whether what stands before only leads up to making a column."""
    words = re.findall(r"\w+", before.lower())
    return all(w in _OPENING for w in words)


_OPENING = frozenset(
    {"please", "also", "now", "first", "next", "then", "finally", "additionally", "let", "lets", "us", "s", "perform", "apply",
     "do", "conduct", "use", "some", "feature", "engineering", "techniques", "technique", "to", "the", "dataset", "data", "on",
     "by", "and", "can", "you", "could", "i", "want", "we", "would", "like", "need", "comprehensive", "after", "that", "a",
     "preprocessing", "step", "steps", "this", "table", "set", "in", "order", "for"}
)  # fmt: skip


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
            continue
        value = 0 if zero else number_of(number)
        text, label = f"{left.text} {sign} {value!r}", f"{left.label} {' '.join(words)} {number.text}"
        return Expression(text, label, left.columns, at + 1)
    return None


def _tail(clause: str, reads: RowArithmetic, end: int) -> str | None:
    """What follows an expression as a question of its own; None where it changes what was said."""
    rest = clause[reads.tokens[end - 1].end :]
    shorter = _OF_EACH.sub("", rest)
    while shorter != rest:
        rest, shorter = shorter, _OF_EACH.sub("", shorter)
    asked = re.match(
        r"[\s).]*(?:$|[?!.;,]\s*$|(?:[.;?!,]\s*)+(?:and\s+|then\s+)*|\s(?:and\s+then|and|then)\s+)", rest
    )
    if asked is None:
        return None if rest.strip(" ).") else ""
    return rest[asked.end() :].strip()
