"""Where the data of a report is now: where it was, beside the bundle, or where somebody says that it is."""

from __future__ import annotations

import glob
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlsplit

from gnomon.core.errors import DataUnavailable, InvalidInput
from gnomon.data.locate import locate
from gnomon.reporting.document import Document, Source, source_file

_LOCAL = frozenset({"file", "sqlite", "duckdb"})


class Place(NamedTuple):
    """One source of a recipe: where it can be opened now, the name it had, and the pattern below it, if any."""

    at: str
    name: str
    pattern: str = ""


@dataclass(frozen=True)
class Places:
    """What to open in order to compute a report again.

    Args:
        sources: The sources of the recipe.
        now: Where the files of the report are now, by where they were.
    """

    sources: tuple[Place, ...]
    now: dict[str, str] = field(default_factory=dict[str, str])

    @contextmanager
    def opened_as(self) -> Generator[tuple[str, ...]]:
        """What to open; what was renamed appears under its old name, after which its table is called."""
        with TemporaryDirectory(prefix="gnomon-replay-") as folder:
            named: list[str] = []
            for i, (at, name, pattern) in enumerate(self.sources):
                place = Path(at)
                if "://" not in at and place.name != name:
                    place = Path(folder) / str(i) / name
                    place.parent.mkdir()
                    place.symlink_to(Path(at).resolve())
                named.append(at if "://" in at else str(place / pattern))
            yield tuple(named)

    def where(self, then: Sequence[Source]) -> tuple[str, ...]:
        """Where each of the files is now, in the same order."""
        return tuple(self.now.get(s.location, s.location) for s in then)


def absolute(source: str) -> str:
    """A source that means the same in another folder, and holds no password."""
    parts = urlsplit(source)
    if "://" in source and parts.scheme.lower() not in _LOCAL:
        from gnomon.data.postgres_source import without_password

        return without_password(source)
    bare = source.partition("://")[2] if "://" in source else source
    bare = bare[1:] if bare.startswith("//") else bare
    return str(Path(bare).expanduser().absolute())


def find_data(then: Document, given: Sequence[str], beside: Path) -> Places:
    """Where the data of a report is.

    Args:
        then: The report.
        given: Files and folders that hold the data now; none where nothing was said.
        beside: The folder that the bundle lies in.

    Raises:
        InvalidInput: The data is at an address, which a bundle may not open.
        DataUnavailable: Some of it is not there; the message says which.
    """
    sources = then.recipe.sources if then.recipe is not None else ()
    if any("://" in g for g in given):
        return Places(tuple(Place(g, Path(g).name) for g in given))
    if not given and (foreign := [s for s in sources if "://" in s]):
        raise InvalidInput(
            f"The data of this report is not on this machine ({foreign[0]}), and a bundle may not open addresses.",
            suggestions=["Name the data with --data if you trust it."],
        )
    files = {s.location: s for s in then.sources if s.size is not None}
    found = _Search(files, [Path(g) for g in given], beside)
    opened = [place for source in sources for place in found.source(source)]
    if found.missing:
        raise _gone(found.missing, found.among)
    return Places(tuple(opened), found.now)


class _Search:
    """One search for the data of a report."""

    def __init__(self, files: dict[str, Source], given: Sequence[Path], beside: Path) -> None:
        self._files = files
        self._given = given
        self._beside = beside
        self._pool = [p for g in given for p in _inside(g)]
        self.now: dict[str, str] = {}
        self.missing: list[Source] = []

    @property
    def among(self) -> list[str]:
        """What was searched, where somebody said where to."""
        return [str(g) for g in self._given]

    def source(self, source: str) -> list[Place]:
        """What to open in place of one source of the recipe."""
        if (file := self._files.get(source)) is not None:
            return self._file(file)
        base, pattern = _parted(source)
        below = {at: f for at, f in self._files.items() if Path(at).is_relative_to(base)}
        folders = self._given or [base, self._beside / base.name]
        folder = next((f for f in folders if f.is_dir()), None)
        if folder is not None and len(self._given) < 2:
            self.now |= {at: str(folder / Path(at).relative_to(base)) for at in below}
            return [Place(str(folder), base.name, pattern)]
        if self._given:
            return [place for file in below.values() for place in self._file(file)]
        self.missing += list(below.values()) or [Source(name=base.name, location=source)]
        return []

    def _file(self, file: Source) -> list[Place]:
        """Where a file of the report is now."""
        if self._given:
            at = self._in_pool(file)
        else:
            was = Path(file.location)
            places = [was if was.is_absolute() else self._beside / was, self._beside / was.name, was]
            at = next((p for p in places if p.is_file()), None)
        if at is None:
            self.missing.append(file)
            return []
        self.now[file.location] = str(at)
        return [Place(str(at), file.name)]

    def _in_pool(self, file: Source) -> Path | None:
        """The file among those that were named: by its name, else by its content, else because there is no other."""
        free = [p for p in self._pool if str(p) not in self.now.values()]
        named = [p for p in free if p.name == file.name]
        same = [p for p in named or free if p.stat().st_size == file.size and _is_same(p, file)]
        alone = free if len(self._files) == 1 and len(free) == 1 else []
        return next(iter((*same, *named, *alone)), None)


def _parted(source: str) -> tuple[Path, str]:
    """A folder, and the pattern below it where there is one."""
    parts = Path(source).parts
    fixed = next((i for i, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    return Path(*parts[:fixed]), "/".join(parts[fixed:])


def _inside(given: Path) -> list[Path]:
    """The files that a path stands for.

    Raises:
        DataUnavailable: There is nothing.
    """
    if given.is_file():
        return [given]
    return [p for found in locate(str(given)) for p in found.paths]


def _is_same(path: Path, file: Source) -> bool:
    return file.sha256 is not None and source_file(path).sha256 == file.sha256


def _gone(missing: Sequence[Source], searched: Sequence[str]) -> DataUnavailable:
    told = [f"{s.name} ({s.size:,} bytes)" if s.size is not None else s.name for s in missing[:5]]
    more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
    where = f"in {', '.join(searched)}" if searched else "here"
    first = missing[0]
    was = f" It was at {first.location}." if len(missing) == 1 and Path(first.location).is_absolute() else ""
    return DataUnavailable(
        f"The data of this report is not {where}: {', '.join(told)}{more}.{was}",
        suggestions=[
            "Say where it is now with --data: the file, or the folder that holds it.",
            "Or put it beside the bundle, under the same name.",
        ],
    )
