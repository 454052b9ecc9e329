"""Views of a database file that were not read in time: they are not tried again until the file changes or there is more time."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from gnomon.core.errors import UnreadableSource
from gnomon.core.private import private_file, private_folder
from gnomon.core.settings import Settings

MAX_DATABASES = 64
# Where SQLite and DuckDB write what the file itself does not hold yet.
_BESIDE = ("", "-wal", ".wal")


class SlowViews:
    """What is known of the views of one database as it is now.

    Args:
        settings: Where it is kept, and how long a view may take.
        address: The path of the database; nothing is kept of one that is no file, whose changes cannot be seen.
    """

    def __init__(self, settings: Settings, address: str) -> None:
        self._settings = settings
        self._file = _place(settings, address)
        self._seconds = self._read()

    def late(self, name: str, what: str) -> UnreadableSource | None:
        """Why a view is not tried; None where it is, as it has more time now or is not known to be slow."""
        seconds = self._seconds.get(name, 0.0)
        if self._settings.view_timeout_seconds > seconds:
            return None
        return UnreadableSource(
            f"{what} is not read: it took longer than {seconds:g} seconds before, and its database has not changed since.",
            suggestions=[
                "Allow more time with GNOMON_VIEW_TIMEOUT_SECONDS to try again, or store the rows that are needed as a table."
            ],
        )

    def add(self, name: str) -> None:
        """Remember that a view took longer than it may."""
        if self._file is None:
            return
        self._seconds[name] = self._settings.view_timeout_seconds
        with suppress(OSError):  # a home that cannot be written costs the time again, and nothing else
            folder = private_folder(self._file.parent)
            part = private_file(self._file.with_suffix(f".{os.getpid()}.part"))
            part.write_text(json.dumps(self._seconds), encoding="utf-8")
            part.replace(self._file)
            for old in sorted(folder.glob("*.json"), key=lambda f: f.stat().st_mtime)[:-MAX_DATABASES]:
                old.unlink(missing_ok=True)

    def _read(self) -> dict[str, float]:
        if self._file is None:
            return {}
        try:
            told: Any = json.loads(self._file.read_bytes())
            return {str(name): float(seconds) for name, seconds in told.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}


def _place(settings: Settings, address: str) -> Path | None:
    path = Path(address)
    if not path.is_file():
        return None
    marks = [str(path.resolve())]
    for ending in _BESIDE:
        with suppress(FileNotFoundError):
            stat = path.with_name(path.name + ending).stat()
            if ending == "" or stat.st_size:  # readers leave an empty one behind
                marks.append(f"{ending}|{stat.st_size}|{stat.st_mtime_ns}|{stat.st_ino}")
    digest = hashlib.sha256("\n".join(marks).encode()).hexdigest()[:32]
    return settings.home.expanduser() / "slow_views" / f"{digest}.json"
