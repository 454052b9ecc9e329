"""Files that may take a process down are opened first in a process of their own, within limits of time and memory.

Most files show that they cannot: their lines are short, their objects flat. The others may crash a parser or hold cells
beyond measure, which neither an interruption nor the memory limit of the embedded database always ends. ``python -m
gnomon.data.probing`` is that process; views of databases have one of theirs, in :mod:`gnomon.data.views`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import GnomonError, UnreadableSource
from gnomon.data.encoding import open_bytes
from gnomon.data.kinds import Kind
from gnomon.data.opening_limit import limit_process, limited_environment

if TYPE_CHECKING:
    from gnomon.core.settings import Settings
    from gnomon.data.raw import Workspace

_DEEP = 200
_LONG = 1 << 20
_STEP = 8 << 20
_MARKS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}"]', re.DOTALL)


def probe(workspace: Workspace, paths: Sequence[Path], kind: Kind) -> None:
    """Let a process of their own read ``paths`` where they may take a process down.

    Raises:
        UnreadableSource: Reading them took that process down, too long, or was an error there.
    """
    if kind is Kind.JSON:
        for path in paths:
            _refuse_deep(path)
    if workspace.apart is not None or not any(_is_suspect(p, kind, workspace.settings) for p in paths):
        return
    from gnomon.data.views import PASSED_ON

    settings, deadline = workspace.settings, workspace.deadline
    given: dict[str, Any] = {"paths": [str(p) for p in paths], "seconds": deadline.left(others=True)}
    given["settings"] = {name: getattr(settings, name) for name in PASSED_ON}
    label = paths[0].name
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=json.dumps(given).encode(),
            capture_output=True,
            env=limited_environment(),
            timeout=deadline.left(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise deadline.late(label) from None
    if done.returncode or not done.stdout:
        raise UnreadableSource(
            f"{label} cannot be read within {settings.open_memory_mb:,} MB: it is damaged, nests very deeply, or its "
            "cells are very large.",
            suggestions=["Check where it comes from, or allow more with GNOMON_OPEN_MEMORY_MB."],
        )
    told: dict[str, Any] = json.loads(done.stdout)
    if "error" in told:
        raise UnreadableSource(told["error"], suggestions=told["suggestions"])


def _is_suspect(path: Path, kind: Kind, settings: Settings) -> bool:
    if kind is Kind.JSON:
        return _nests_deeply(path)
    if kind is Kind.CSV:
        return _has_long_lines(path)
    if kind is Kind.PARQUET:
        return _unpacks_to(path) > settings.memory_limit_mb << 18  # a quarter of it in one column of a part
    return kind is Kind.ARROW


def _refuse_deep(path: Path) -> None:
    """Refuse what lies deeper in each other than any table does: reading it takes very long, and ends in an error.

    Raises:
        UnreadableSource: It does.
    """
    if not _nests_deeply(path):
        return
    depth, rest, start = 0, b"", 0
    with open_bytes(path) as file:
        while chunk := file.read(_LONG):
            text = rest + chunk
            start = 0
            for found in _MARKS.finditer(text):
                mark = found.group()
                if mark == b'"':  # a text that goes on
                    break
                start = found.end()
                depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(mark, 0)
                if depth > _DEEP:
                    raise UnreadableSource(
                        f"{path.name} nests more than {_DEEP} objects or lists in each other, as no table does.",
                        suggestions=["Check where it comes from, or export the records that it holds."],
                    )
            rest = text[start:]
            if len(rest) > 16 * _LONG:  # one text that does not end: told by who reads it
                return


def _nests_deeply(path: Path) -> bool:
    """Whether objects or lists lie deep in each other, or a text is very long; brackets within texts count too."""
    import numpy as np

    depth, since_quote = 0, 0
    with open_bytes(path) as file:
        while chunk := file.read(_LONG):
            since_quote = 0 if b'"' in chunk or b"," in chunk else since_quote + len(chunk)
            if since_quote >= 16 * _LONG:
                return True
            seen = np.frombuffer(chunk, dtype=np.uint8) & 0xDF  # [ and {, ] and } differ in this bit only
            steps = (seen == 0x5B).astype(np.int32) - (seen == 0x5D)
            levels = np.cumsum(steps, dtype=np.int64) + depth
            if levels.max() > _DEEP:
                return True
            depth = max(int(levels[-1]), 0)
    return False


def _has_long_lines(path: Path) -> bool:
    """Whether no line ends for a long stretch, at any of the places looked at."""
    with open_bytes(path) as file:
        while chunk := file.read(_LONG):
            if len(chunk) == _LONG and b"\n" not in chunk and b"\r" not in chunk:
                return True
            if not file.seekable() or not file.seek(_STEP - _LONG, 1):
                break
    return False


def _unpacks_to(path: Path) -> int:
    """The size of the largest part of a Parquet file when it is unpacked; 0 where it does not say."""
    import duckdb

    from gnomon.data.connection import in_memory
    from gnomon.data.table import literal

    query = f"SELECT max(total_uncompressed_size) FROM parquet_metadata({literal(str(path))})"
    try:
        with in_memory() as connection:
            found = connection.execute(query).fetchone()
    except duckdb.Error:  # the reader tells what is wrong with it
        return 0
    return int(found[0] or 0) if found else 0


def main() -> None:
    """Open what standard input names, look at every table as a question would, and say what was wrong with it."""
    from gnomon.core.settings import Settings
    from gnomon.data.profile import profile_dataset
    from gnomon.data.sources import open_apart

    given = json.load(sys.stdin)
    settings = Settings.load(**given["settings"], cache_mb=0)
    limit_process(settings.open_memory_mb + settings.memory_limit_mb)
    try:
        with open_apart([Path(p) for p in given["paths"]], settings, given["seconds"]) as dataset:
            profile_dataset(dataset)
            told: dict[str, Any] = {}
    except GnomonError as e:
        told = {"error": e.message, "suggestions": list(e.suggestions)}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
