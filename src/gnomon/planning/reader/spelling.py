"""How close two spellings are, and the one known word that a misspelt one is closest to."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.planning.reader.words import stem


def closest(word: str, known: Iterable[str]) -> str | None:
    """The one known word within an edit or two of ``word``; None where there is none or more than one."""
    allowed = 1 if len(word) < 9 else 2
    scored = sorted(
        (distance, k[-1] != word[-1], k)
        for k in known
        if k.isalpha() and len(k) >= 4 and abs(len(k) - len(word)) <= 1
        if (distance := edit_distance(word, k, allowed)) <= allowed
        and (k[0] == word[0] or k[1:3] == word[1:3])
    )
    if not scored or (
        len(scored) > 1 and scored[1][0] == scored[0][0] and stem(scored[1][2]) != stem(scored[0][2])
    ):
        return None
    return scored[0][2]


def edit_distance(a: str, b: str, limit: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two words, counted up to ``limit`` + 1."""
    before: list[int] = []
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, previous = previous, row
    return previous[-1]
