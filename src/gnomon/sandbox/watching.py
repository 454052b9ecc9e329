"""Looking after a worker from outside: how much its processes use together, and what ended it."""

from __future__ import annotations

import os
from pathlib import Path

from gnomon.sandbox.limits import Limits

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_SLACK = 1.25  # each process has its own limit; together they may have a little more than one


def family(pid: int, limit: int = 4096) -> list[int]:
    """The process and all that descend from it."""
    found = [pid]
    for parent in found:
        for child in _children(parent):
            if len(found) >= limit:
                return found
            found.append(child)
    return found


def _children(pid: int) -> list[int]:
    try:
        texts = [(thread / "children").read_text() for thread in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []
    return [int(word) for text in texts for word in text.split()]


def excess(pid: int, scratch: str | None, limits: Limits) -> str | None:
    """What the worker ``pid`` has too much of, in words; none where all is well.

    Args:
        pid: Its first process.
        scratch: Its private folder as this process sees it.
        limits: What it may have.
    """
    allowed = limits.memory_mb * 1024 * 1024 * _SLACK
    pids = family(pid)
    if sum(_resident(p) for p in pids) > allowed and sum(_proportional(p) for p in pids) > allowed:
        return f"its processes used more than {limits.memory_mb:,} MB of memory together"
    return _folder_excess(scratch, limits) if scratch else None


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    """Memory with shared pages divided among those that share them."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return _resident(pid)
    return 0


def _folder_excess(scratch: str, limits: Limits) -> str | None:
    """A private file system tells its use at once; a plain folder is walked, not following links."""
    if scratch.startswith("/proc/"):
        try:
            facts = os.statvfs(scratch)
        except OSError:
            return None
        entries = facts.f_files - facts.f_ffree
        return f"it made more than {limits.files:,} files" if entries > limits.files else None
    size = count = 0
    pending = [scratch]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    count += 1
                    if count > limits.files:
                        return f"it made more than {limits.files:,} files"
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return (
        f"it wrote more than {limits.files_mb:,} MB of files"
        if size > limits.files_mb * 1024 * 1024
        else None
    )


def tasks_of(uid: int) -> int:
    """How many processes and threads a user has, where the kernel counts them all against the limit."""
    count = 0
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit() and entry.stat().st_uid == uid:
                count += sum(1 for _ in Path(entry.path, "task").iterdir())
        except OSError:
            continue
    return count
