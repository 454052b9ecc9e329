"""What of this machine a worker may see: the interpreter, the system's libraries, and the data files of its run."""

from __future__ import annotations

import os
import shutil
import site
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gnomon.core.errors import DataUnavailable, InvalidInput
from gnomon.core.settings import Settings
from gnomon.sandbox.inside import loop
from gnomon.sandbox.limits import Limits

DATA = Path("/data")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
# Where the loader finds libraries, and fonts; nothing that names users, hosts or secrets.
_ETC = ("ld.so.cache", "fonts", "alternatives")
_OF_PREFIX = ("bin", "lib", "lib64", "pyvenv.cfg")
PACKAGE = Path(__file__).resolve().parents[1]
# Imported here so that the worker, which may write nothing, finds its own modules compiled.
MAIN = Path(loop.__file__).with_name("__main__.py")


@dataclass(frozen=True)
class DataFile:
    """A file of this run: what code calls it, where it lies, and how it is called inside."""

    name: str
    source: Path
    shown: str
    large: bool


def data_files(files: Mapping[str, Path], settings: Settings, limits: Limits) -> tuple[DataFile, ...]:
    """The files with the names they have inside.

    Raises:
        InvalidInput: A name cannot be a variable.
        DataUnavailable: A file is not there.
    """
    found: list[DataFile] = []
    for name, path in files.items():
        check_name(name)
        try:
            source = Path(path).expanduser().resolve(strict=True)
        except (OSError, RuntimeError):
            raise DataUnavailable(
                f"There is no file {str(path)!r}.", suggestions=["Check the path."]
            ) from None
        if not (source.is_file() or source.is_dir()):
            raise InvalidInput(f"{str(path)!r} is neither a file nor a folder.")
        shown = Path(path).name
        if any(f.shown == shown for f in found):
            shown = f"{name}-{shown}"
        bound = min(settings.max_file_size_mb, max(1, limits.memory_mb // 4)) * 1024 * 1024
        found.append(DataFile(name, source, shown, _size(source) > bound))
    return tuple(found)


def check_name(name: str) -> None:
    """Names of variables are identifiers, and none that the worker uses itself.

    Raises:
        InvalidInput: It is not.
    """
    import keyword

    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise InvalidInput(
            f"{name!r} cannot be the name of a variable.",
            suggestions=["Use letters, digits and underscores, a letter first."],
        )
    if name in {"display", "load", "sql"}:
        raise InvalidInput(
            f"{name!r} is a function that cells have already.", suggestions=["Choose another name."]
        )


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file())


def interpreter() -> list[Path]:
    """What Python needs to start and to find the libraries, without anything else that lies beside it."""
    parts = [Path(prefix) / part for prefix in {sys.base_prefix, sys.prefix} for part in _OF_PREFIX]
    parts += [Path(p) for p in library_paths()]
    parts += [Path(os.path.realpath(sys.executable)), PACKAGE]
    return [p for p in parts if p.exists()]


def library_paths() -> list[str]:
    """The folders of installed libraries that this process has."""
    known = {*site.getsitepackages(), site.getusersitepackages()}
    return [p for p in sys.path if p in known and Path(p).is_dir()]


def system() -> list[Path]:
    """The system's libraries and the few settings that they read."""
    return [Path(p) for p in _SYSTEM if Path(p).exists()] + [
        Path("/etc") / p for p in _ETC if (Path("/etc") / p).exists()
    ]


def limits_of_this_group() -> list[Path]:
    """Where the kernel tells how much memory and time the group of this process has; DuckDB insists on reading it."""
    try:
        groups = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    except OSError:
        return []
    root = Path("/sys/fs/cgroup")
    folders = {root / kind for _, kinds, _ in groups for kind in ["", "unified", *kinds.split(",")]}
    folders |= {folder / path.lstrip("/") for folder in list(folders) for _, _, path in groups}
    names = ("memory.max", "memory.limit_in_bytes", "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")
    return sorted(f / name for f in folders for name in names if (f / name).is_file())


def environment(scratch: str) -> dict[str, str]:
    """All that the worker has of an environment; nothing of it comes from this process."""
    threads = str(min(os.cpu_count() or 1, 8))
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return {
        "HOME": scratch,
        "TMPDIR": scratch,
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": f"{scratch}/.matplotlib",
        "MALLOC_ARENA_MAX": "4",
        **dict.fromkeys(names, threads),
    }


def readable_copy(source: Path, folder: Path, *, by_path: bool = False) -> Path:
    """``source`` itself where everybody may read it, else a copy in ``folder`` that the unprivileged user may read.

    Args:
        source: A file or folder.
        folder: Where a copy goes.
        by_path: Whether it is opened where it lies, so that every folder above it has to let others through.
    """
    reached = not by_path or all(p.stat().st_mode & 0o001 for p in source.parents)
    if not source.is_dir():
        if reached and source.stat().st_mode & 0o004:
            return source
        copy = folder / source.name
        shutil.copyfile(source, copy)
        copy.chmod(0o444)
        return copy
    everything = [source, *source.rglob("*")]
    if reached and all(
        p.is_symlink() or p.stat().st_mode & (0o005 if p.is_dir() else 0o004) for p in everything
    ):
        return source
    copy = folder / source.name
    shutil.copytree(source, copy, symlinks=True)
    _open_up([copy, *copy.rglob("*")])
    return copy


def _open_up(paths: Iterable[Path]) -> None:
    for p in paths:
        if not p.is_symlink():
            p.chmod(0o555 if p.is_dir() else 0o444)
