"""Places that the data writes otherwise: Texas where a column holds TX, the UK where it holds United Kingdom."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon.language.place_names import countries, states
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.value_lists import as_written
from gnomon.semantic.values import ValueIndex

_FEWEST = 2
_KNOWN = 0.8
_LONGEST_CODE = 3
# What is called by its name and its kind, Ohio County, where something larger has the same name.
_NAMED_IN_FULL = frozenset({"county", "parish", "borough", "district"})


@dataclass(frozen=True)
class _Place:
    """What the data calls a place, and the column that does."""

    column: str
    value: str


class PlaceCodes:
    """Puts the names of places as the data writes them.

    Args:
        model: What the tables mean.
        index: The values that they hold.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex) -> None:
        self._called: dict[str, set[_Place]] = {}
        self._own: dict[str, set[str]] = {}
        for dimension in model.dimensions:
            if dimension.type in (DimensionType.CATEGORY, DimensionType.TEXT):
                cells = index.lists.get(dimension.name, {})
                held = [str(v) for v in index.values(dimension.name) if v is not None]
                held = [as_written(part, cells) for part in cells] or held
                for value in held:
                    self._own.setdefault(value.lower(), set()).add(dimension.label)
                self._take(dimension.label, held)
        taken = (n for n in self._called if self._own.get(n, set()) <= _NAMED_IN_FULL)
        names = sorted(taken, key=len, reverse=True)
        said = "|".join(re.escape(n) for n in names)
        self._names = re.compile(rf"(?<![\w-])(?:the )?({said})(?![\w-])", re.IGNORECASE) if names else None

    def _take(self, label: str, held: list[str]) -> None:
        """Learn a column, where nearly all of its values are places of one kind."""
        for kind in (states(), countries()):
            by_name = {name: names for names in kind for name in names}
            places = [(v, by_name[v.lower()]) for v in held if v.lower() in by_name]
            if len(places) < max(_FEWEST, _KNOWN * len(held)):
                continue
            for value, names in places:
                for name in names:
                    self._called.setdefault(name, set()).add(_Place(label, value))
            return

    def put(self, question: str) -> tuple[str, dict[str, str]]:
        """The question with places called as the data calls them, and what was put otherwise."""
        told: dict[str, str] = {}

        def spelt(said: str) -> bool:
            """Whether letters are a code: written large where the other words are not."""
            return said.isupper() and not question.isupper()

        def plain(match: re.Match[str]) -> str:
            said = match[1]
            found = self._called[said.lower()]
            short = len(said.replace(".", "")) <= _LONGEST_CODE
            around = {
                *question[: match.start()].lower().split()[-1:],
                *question[match.end() :].lower().split()[:1],
            }
            if self._own.get(said.lower(), set()) & {w.strip("?.,") for w in around}:
                return match[0]
            if len(found) != 1 or not said[0].isupper() or (short and not spelt(said)):
                return match[0]
            place = next(iter(found))
            told[said] = f"{place.column} {place.value}"
            return told[said]

        put = self._names.sub(plain, question) if self._names else question
        for value in {named.rpartition(" ")[2] for named in told.values()}:  # "Florida (FL)"
            put = put.replace(f" {value} ({value})", f" {value}")
        return put, told
