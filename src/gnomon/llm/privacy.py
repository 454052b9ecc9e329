"""What a language model may see, and names that stand for names it may not."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from gnomon.core.errors import NotFound
from gnomon.core.settings import Settings


class Privacy(StrEnum):
    """How much may leave for a language model; each level includes the ones before it.

    ``STRICT``: types, units and counts, under names that mean nothing. ``SCHEMA``: the names too.
    ``AGGREGATES``: the question as it was typed, and the days that the data covers. ``FULL``: the commonest
    values of the columns. The last two are only ever chosen by name.
    """

    STRICT = "strict"
    SCHEMA = "schema"
    AGGREGATES = "aggregates"
    FULL = "full"

    @property
    def names(self) -> bool:
        """Whether the names of columns may be seen."""
        return self is not Privacy.STRICT

    @property
    def wording(self) -> bool:
        """Whether a question may be seen as it was typed, values included."""
        return self in (Privacy.AGGREGATES, Privacy.FULL)

    @property
    def values(self) -> bool:
        """Whether values of columns may be seen."""
        return self is Privacy.FULL


class Pseudonyms:
    """Names and what stands for them, both ways.

    Args:
        prefix: How the names that stand in begin; a running number follows.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._shown: dict[str, str] = {}
        self._meant: dict[str, str] = {}

    def show(self, name: str, *, openly: bool = False) -> str:
        """What stands for ``name``, the same each time; ``openly`` it is the name itself."""
        if name not in self._shown:
            shown = name if openly and name not in self._meant else f"{self._prefix}{len(self._shown) + 1}"
            while shown in self._meant:
                shown += "_"
            self._shown[name], self._meant[shown] = shown, name
        return self._shown[name]

    def meant(self, shown: str) -> str:
        """The name that ``shown`` stands for.

        Raises:
            NotFound: Nothing was shown under that name.
        """
        if shown not in self._meant:
            raise NotFound.among("name", shown, self._meant)
        return self._meant[shown]

    @property
    def pairs(self) -> dict[str, str]:
        """What was shown, and the name that each stands for."""
        return dict(self._meant)

    def __len__(self) -> int:
        return len(self._shown)


def strictest(*levels: Privacy) -> Privacy:
    """The level that tells least."""
    return min(levels, key=list(Privacy).index)


def level_of(settings: Settings, tables: Iterable[Iterable[str]]) -> Privacy:
    """The level for tables that are open together: the strictest of theirs.

    Each has the level of the settings, unless one is named for it there by one of its names.

    Args:
        settings: Name the level, and those of single files or tables.
        tables: The names of each table: its own, and those of its file.
    """
    named = {n.casefold(): Privacy(level) for n, level in settings.data_privacy.items()}
    usual = Privacy(settings.privacy)
    levels = [next((named[n.casefold()] for n in names if n.casefold() in named), usual) for names in tables]
    return strictest(*levels) if levels else usual
