"""How well nouns fit the columns of a table, by the sentence encoder: a list of such things has such columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gnomon.semantic.model import plural

_MANY_COLUMNS = 24


class RowLikeness:
    """Likeness of nouns to what one table holds.

    Args:
        columns: What its columns are called.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = ", ".join(columns[:_MANY_COLUMNS])
        self._known: dict[str, float] = {}

    def of(self, noun: str) -> float:
        """How well a noun fits; about 0.3 for what rows are, below 0.12 for what has nothing to do with them."""
        self._learn([noun])
        return self._known[noun]

    def best(self, nouns: Iterable[str]) -> float:
        """How well the best of several nouns fits."""
        nouns = list(nouns)
        self._learn(nouns)
        return max(self._known[n] for n in nouns)

    def _learn(self, nouns: Sequence[str]) -> None:
        new = [n for n in nouns if n not in self._known]
        if not new:
            return
        from gnomon.embedding import get_encoder

        # One by one, since the encoder remembers them: most nouns are weighed for every table.
        vector = get_encoder().encode_one
        columns, table = vector(self._columns), vector(f"table with columns {self._columns}")
        for noun in new:
            alone, told = vector(plural(noun)) @ columns, vector(f"list of {plural(noun)}") @ table
            self._known[noun] = float(alone + told) / 2
