"""The phrases that a name stands for: spelt out, without its unit, turned around at a total, apart where it is glued."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.planning.reader.cut_names import in_full
from gnomon.planning.reader.words import name_words, segments
from gnomon.semantic.units import without_unit

_AVERAGES = frozenset({"avg", "average", "mean"})
_TOTALS = {
    "total": "total",
    "tot": "total",
    "mean": "mean",
    "avg": "average",
    "average": "average",
    "median": "median",
}
_NUMBERS = frozenset({"num", "nr", "cnt", "n"})


def phrases(names: Iterable[str], synonyms: Iterable[str]) -> list[tuple[float, str]]:
    """The phrases that name a thing, each with how surely it does: names, spelt out, then synonyms."""
    own = list(dict.fromkeys(names))
    found = [(1.0, n) for n in own]
    for name in own:
        words = name_words(name)
        bare = without_unit(words)
        for quality, said in ((0.97, bare), (0.97, in_full(words)), (0.965, in_full(bare))):
            if said != words:
                found.append((quality, " ".join(said)))
        if len(bare) > 1 and bare[0] in _NUMBERS:
            found.append((0.96, " ".join(in_full(bare[1:]))))  # the number of moves is the moves
        if len(bare) > 1 and bare[0] in _AVERAGES:
            found.append((0.91, " ".join(in_full(bare[1:]))))  # a daily average of the temperature is one
        if len(bare) > 1 and bare[-1] in _TOTALS:  # the sleep total is the total sleep, and the sleep
            found += [
                (0.96, " ".join((_TOTALS[bare[-1]], *in_full(bare[:-1])))),
                (0.91, " ".join(in_full(bare[:-1]))),
            ]
        if len(words) == 1 and (parts := segments(words[0])):
            found += _apart(parts)
    return found + [(0.95, s) for s in synonyms]


def _apart(parts: tuple[str, ...]) -> list[tuple[float, str]]:
    """The phrases that a name glued of several words stands for: the population density, of popdensity."""
    whole = in_full(("percent", *parts[1:]) if parts[0] == "per" else parts)
    found = [(0.96, " ".join(parts)), (0.957, " ".join(whole))]
    if len(parts) > 1 and parts[-1] in _TOTALS:
        found += [(0.957, " ".join((_TOTALS[parts[-1]], *whole[:-1]))), (0.91, " ".join(whole[:-1]))]
    return found
