"""Texts that stand for no value."""

from __future__ import annotations

from gnomon.data.table import literal

TOKENS = frozenset(
    {
        "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "null", "none", "nil", "missing", "#null!", "#value!",
        "#div/0!", "#ref!", "-", "--", "---", "–", "—", "?", "??", ".", "\\n", "n.a.", "(null)", "<null>", "(blank)",
    }
)  # fmt: skip
"""Compared in lower case and without the spaces around."""

_LISTED = ", ".join(literal(t) for t in sorted(TOKENS))
_LONGEST = max(map(len, TOKENS)) + 4


def is_null(text: str) -> bool:
    """Whether ``text`` stands for no value."""
    return text.strip().lower() in TOKENS


def condition(column: str) -> str:
    """SQL that tells whether the text of the quoted ``column`` stands for no value; never null."""
    return f"coalesce(length({column}) <= {_LONGEST} AND lower(trim({column})) IN ({_LISTED}), false)"
