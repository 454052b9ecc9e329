"""Texts that stand for no value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gnomon.core.patterns import regex
from gnomon.data.table import literal

TOKENS = frozenset(
    {
        "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "none", "nil", "missing", "#null!", "#value!",
        "#div/0!", "#ref!", "-", "--", "---", "–", "—", "?", "??", ".", "\\n", "n.a.", "(null)", "<null>", "(blank)",
    }
)  # fmt: skip
"""Compared in lower case and without the spaces around."""

_LONGEST = max(map(len, TOKENS)) + 2


_FIRST = literal("".join(sorted({c for t in TOKENS for c in (t[0], t[0].upper())})) + " ")
_CODE = regex(r"[A-Z]{2}")
_NAME = regex(r"[^\W\d_a-z](?:[^\W\d_]|['’.-])*[^\W\d_A-Z][’'.]?|[^\W\d_a-z]\.?")
_NAMES = ", ".join(
    literal(t.capitalize()) for t in ("missing", "na", "nan", "nil", "null")
)  # None is how Python writes it
_MOSTLY = 0.9


def is_null(text: str) -> bool:
    """Whether ``text`` stands for no value."""
    return text.strip().lower() in TOKENS


def is_coded(texts: Iterable[str]) -> bool:
    """Whether ``texts`` are codes of two capitals, among which ``NA`` is a code too (Namibia, North America)."""
    codes: set[str] = set()
    for text in texts:
        if is_null(text):
            continue
        if not _CODE.fullmatch(code := text.strip()):
            return False
        codes.add(code)
    return len(codes) >= 2


def is_of_names(texts: Sequence[str]) -> bool:
    """Whether ``texts`` are capitalised words, among which ``Null`` and ``Nan`` are names: nobody writes no value so."""
    most = (1 - _MOSTLY) * len(texts)
    names, others = set[str](), set[str]()
    for text in dict.fromkeys(texts):
        if not (told := text.strip()) or is_null(told):
            continue
        (names if all(_NAME.fullmatch(word) for word in told.split()) else others).add(told)
        if len(others) > most:
            return False
    return len(names) > 0 and len(names) >= _MOSTLY * (len(names) + len(others))


def condition(column: str, *, coded: bool = False, named: bool = False) -> str:
    """SQL that tells whether the text of the quoted ``column`` stands for no value; never null.

    Args:
        column: The quoted column.
        coded: Whether ``NA`` is a value in it.
        named: Whether words for no value are names in it where they are written as such.
    """
    listed = ", ".join(literal(t) for t in sorted(TOKENS) if not (coded and t == "na"))
    # Length and first letter are tested first: a list behind cheap tests is many times faster than IN behind AND.
    found = f"CASE WHEN contains({_FIRST}, left({column}, 1)) THEN list_contains([{listed}], lower(trim({column}))) ELSE false END"
    if named:
        found = f"CASE WHEN list_contains([{_NAMES}], trim({column})) THEN false ELSE {found} END"
    return f"CASE WHEN length({column}) <= {_LONGEST} THEN {found} ELSE false END"
