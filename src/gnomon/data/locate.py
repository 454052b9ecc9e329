"""Finding files: paths, folders and globs as the tables they stand for."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gnomon.core.errors import DataUnavailable, InvalidInput, UnreadableSource, did_you_mean
from gnomon.core.patterns import regex
from gnomon.data import naming
from gnomon.data.kinds import Kind, kind_of, kind_of_name

_DEPTH = 4
_MOST_FILES = 500  # beyond, nobody means all of them, and opening them takes minutes
_MOST_FOLDERS = 20_000
_NUMBERS = regex(r"\d+(?:[-_.]\d+)*")
_IN_COMMON = 0.6
_PART = regex(r"part[-_.]?\d", re.IGNORECASE)


@dataclass(frozen=True)
class Located:
    """Files that make up one source.

    Args:
        paths: Absolute paths; several where they are parts of one table.
        name: Name for the table.
        shown: What to call it to the reader.
        kind: What the files hold.
        optional: Whether the others go on where this one cannot be read.
        partitioned: Whether folder names such as ``year=2024`` are columns.
        together: Whether the files become one table only if their columns are the same.
    """

    paths: tuple[Path, ...]
    name: str
    shown: str
    kind: Kind
    optional: bool = False
    partitioned: bool = False
    together: bool = False


def locate(text: str) -> list[Located]:
    """The files that ``text``, a path of a file or folder or a glob, stands for.

    Raises:
        DataUnavailable: Nothing is there.
        UnreadableSource: It is there, but is no kind of data that can be read.
    """
    path = _absolute(text)
    try:
        if path.is_dir():
            return _folder(path)
        if path.is_file():
            return [Located((path,), naming.readable(naming.stem(path)), str(path), kind_of(path))]
        if glob.has_magic(text):
            return _globbed(text)
        there = path.exists()
        looping = path.is_symlink()
    except (OSError, RuntimeError) as e:
        raise UnreadableSource(f"{text!r} cannot be followed: {getattr(e, 'strerror', None) or e}.") from e
    if there:
        raise UnreadableSource(f"{text!r} is not a regular file.", suggestions=["Name a file or a folder."])
    if looping:
        raise UnreadableSource(
            f"{text!r} is a link that leads nowhere.", suggestions=["Name the file itself, or mend the link."]
        )
    raise _missing(text, path)


def existing_file(text: str) -> Path:
    """The absolute path of the file ``text``.

    Raises:
        DataUnavailable: It is not there.
    """
    path = _absolute(text)
    if not path.is_file():
        raise _missing(text, path)
    return path


def _absolute(text: str) -> Path:
    if not text.strip() or "\0" in text:
        raise InvalidInput(
            "A path must have characters, and no zero byte.", suggestions=["Name a file or a folder."]
        )
    return Path(os.path.abspath(Path(text).expanduser()))  # noqa: PTH100 - resolve() would follow links


def _missing(text: str, path: Path) -> DataUnavailable:
    parent = path.parent
    if not parent.is_dir():
        return DataUnavailable(
            f"There is no file {text!r}: its folder does not exist.",
            suggestions=[f"Check the folder {str(parent)!r}."],
        )
    siblings = [p.name for p in parent.iterdir()]
    close = did_you_mean(path.name, siblings)
    if close:
        return DataUnavailable(
            f"There is no file {text!r}. Did you mean {' or '.join(repr(c) for c in close)}?",
            suggestions=[str(parent / c) for c in close],
        )
    readable = sorted(s for s in siblings if kind_of_name(Path(s)))[:8]
    return DataUnavailable(
        f"There is no file {text!r}.",
        suggestions=[f"In that folder: {', '.join(readable)}"] if readable else ["Check the path."],
    )


def _folder(folder: Path) -> list[Located]:
    """One source per file; folders of parts and folders named ``key=value`` are one table."""
    found: list[Located] = []
    for directory, files in _walk(folder):
        whole = directory == folder or not any("=" in part for part in directory.relative_to(folder).parts)
        if not whole:
            continue
        hive = _hive_files(directory)
        if hive:
            found.append(_partition(directory, hive, partitioned=True))
        kinds = {kind_of_name(f) for f in files}
        if len(files) > 1 and len(kinds) == 1 and all(_PART.match(f.name) for f in files):
            found.append(_partition(directory, files, partitioned=False))
            continue
        for f in files:
            prefix = [*directory.relative_to(folder).parts]
            name = naming.readable("_".join([*prefix, naming.stem(f)]))
            kind = kind_of_name(f)
            assert kind is not None
            found.append(Located((f,), name, str(f), kind, optional=True))
        if len(found) > _MOST_FILES:
            raise _too_much(folder, f"more than {_MOST_FILES:,} files of data")
    if not found:
        raise DataUnavailable(
            f"The folder {str(folder)!r} holds no data that can be read.",
            suggestions=[
                "Put CSV, Parquet, JSON, Excel, DuckDB or SQLite files in it, or name another folder."
            ],
        )
    return found


def _too_much(folder: Path, what: str) -> InvalidInput:
    return InvalidInput(
        f"The folder {str(folder)!r} holds {what}.",
        suggestions=[
            "Name the files or the folder below it that you mean.",
            "Name a glob such as 'folder/*.parquet' to open files of the same columns as one table.",
        ],
    )


def _walk(folder: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Folders with their files of data, in order; links to folders are not followed."""
    for number, (current, folders, names) in enumerate(os.walk(folder, followlinks=False)):
        if number >= _MOST_FOLDERS:
            raise _too_much(folder, f"more than {_MOST_FOLDERS:,} folders")
        here = Path(current)
        folders[:] = sorted(d for d in folders if d[0] not in "._")
        if len(here.relative_to(folder).parts) >= _DEPTH:
            folders[:] = []
        files = [here / n for n in sorted(names) if n[0] not in "._~" and kind_of_name(Path(n))]
        yield here, [f for f in files if os.path.isfile(f)]  # noqa: PTH113 - says no where it may not look


def _hive_files(directory: Path) -> list[Path]:
    try:
        held = [d for d in sorted(directory.iterdir()) if "=" in d.name]
        roots = [d for d in held if d.is_dir() and not d.is_symlink()]
    except OSError:  # it went, or is somebody else's
        return []
    files = [
        Path(c) / n for r in roots for c, _, names in os.walk(r, followlinks=False) for n in sorted(names)
    ]
    return [f for f in files if kind_of_name(f) is Kind.PARQUET and f.name[0] not in "._"]


def _partition(directory: Path, files: Sequence[Path], *, partitioned: bool) -> Located:
    kind = kind_of_name(files[0])
    assert kind is not None
    name = naming.readable(naming.stem(directory))
    return Located(
        tuple(files),
        name,
        str(directory),
        kind,
        optional=True,
        partitioned=partitioned,
        together=not partitioned,
    )


def _globbed(text: str) -> list[Located]:
    pattern = str(_absolute(text))
    paths = [Path(p) for p in sorted(glob.glob(pattern, recursive=True)) if Path(p).is_file()]  # noqa: PTH207
    if not paths:
        raise DataUnavailable(
            f"No file matches {text!r}.",
            suggestions=["Check the pattern, and that it is quoted in the shell."],
        )
    if len(paths) == 1:
        return [
            Located((paths[0],), naming.readable(naming.stem(paths[0])), str(paths[0]), kind_of(paths[0]))
        ]
    kinds = {kind_of(p) for p in paths}
    if len(kinds) == 1 and (kind := next(iter(kinds))) in {Kind.CSV, Kind.PARQUET, Kind.JSON}:
        return [Located(tuple(paths), _glob_name(pattern), text, kind, together=True)]
    return [separate(p) for p in paths]


def separate(path: Path) -> Located:
    """``path`` as a source of its own."""
    return Located((path,), naming.readable(naming.stem(path)), str(path), kind_of(path))


def are_parts(paths: Sequence[Path], heads: Sequence[Sequence[str]]) -> bool:
    """Whether files are parts of one table: the same columns in another order, or most in common and numbered names.

    Args:
        paths: The files.
        heads: Their columns, as they are compared.
    """
    sets = [{*h} for h in heads]
    if any(not h or len(h) != len(s) for h, s in zip(heads, sets, strict=True)):
        return False  # without names, or with names used twice, columns cannot be matched
    common, every = set[str].intersection(*sets), set[str].union(*sets)
    if common == every:
        return True
    names = {c.partition(":")[0] for c in every}
    numbered = len({_NUMBERS.sub("#", naming.stem(p)) for p in paths}) == 1
    return numbered and len(names) == len(every) and len(common) >= _IN_COMMON * len(every)


def _glob_name(pattern: str) -> str:
    fixed = re.sub(r"\[[^\]]*\]|[*?]+", " ", naming.stem(Path(pattern))).strip(" _-.")
    return naming.readable(fixed) if fixed else naming.readable(Path(pattern).parent.name)
