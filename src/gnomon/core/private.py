"""Files and folders that only their owner may read: whatever Gnomon keeps may hold a cell of somebody's data."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Generator
from pathlib import Path

logger = logging.getLogger(__name__)

FOLDER = 0o700
FILE = 0o600


def private_folder(folder: Path) -> Path:
    """``folder``, made where it is missing with all that leads to it, with access for its owner only; one of somebody else
    stays as it is."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True, mode=FOLDER)
    folder.mkdir(exist_ok=True, mode=FOLDER)  # what is no folder is told of
    _restrict(folder, FOLDER)
    return folder


def private_file(file: Path) -> Path:
    """``file``, made empty where it is missing, with access for its owner only."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT, FILE))
    _restrict(file, FILE)
    return file


@contextlib.contextmanager
def in_turn(file: Path, seconds: float) -> Generator[None]:
    """Make ``file`` alone: who comes while another process or thread makes it waits, so as to find it made.

    It is a courtesy and no guard: after ``seconds``, and where there are no such locks, both go on.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    lock = file.with_suffix(".lock")
    try:
        private_folder(lock.parent)
        held = os.open(lock, os.O_RDWR | os.O_CREAT, FILE)
    except OSError:  # a home that cannot be written: nothing is kept there either
        yield
        return
    try:
        until, pause = time.monotonic() + seconds, 0.01
        while time.monotonic() < until:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                time.sleep(pause)
                pause = min(2 * pause, 0.25)
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.unlink(missing_ok=True)  # who waits holds the file itself, and finds what was made
        os.close(held)


def remember(file: Path, content: bytes, *, most: int | None = None) -> bool:
    """Keep what can be made again, whole or not at all; whether there was room and leave to.

    Nothing that is only kept to be faster may stop an answer: a full disk, a home that cannot be written.

    Args:
        file: Where.
        content: What.
        most: How many files of this kind the folder holds at most; the oldest go.
    """
    part = file.with_suffix(f".{os.getpid()}.{threading.get_ident()}.part")
    try:
        private_folder(file.parent)
        private_file(part).write_bytes(content)
        part.replace(file)
    except OSError as e:
        logger.warning("%s is not kept: %s", file.name, e.strerror or type(e).__name__)
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        return False
    if most is not None:
        for old in sorted(file.parent.glob(f"*{file.suffix}"), key=_age)[:-most]:
            old.unlink(missing_ok=True)
    return True


def _age(file: Path) -> float:
    """When a file was written; another process may have removed it meanwhile."""
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _restrict(path: Path, mode: int) -> None:
    facts = path.stat()
    if hasattr(os, "getuid") and facts.st_uid == os.getuid() and facts.st_mode & 0o077:
        path.chmod(mode)
