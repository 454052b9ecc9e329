"""Views of a database that were not read in time: they are not tried again until it changes or there is more time.

A server does not tell whether it has changed, so that what is known of its views holds for an hour.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gnomon.core import clock
from gnomon.core.errors import UnreadableSource
from gnomon.core.private import private_file, private_folder
from gnomon.core.settings import Settings

MAX_DATABASES = 64
SERVER_SECONDS = 3_600.0
# Where SQLite and DuckDB write what the file itself does not hold yet.
_BESIDE = ("", "-wal", ".wal")


class SlowViews:
    """What is known of the views of one database as it is now.

    Args:
        settings: Where it is kept, and how long a view may take.
        address: The path of the database, or the URL of a server.
    """

    def __init__(self, settings: Settings, address: str) -> None:
        self._settings = settings
        self._server = "://" in address
        self._file = _place(settings, address)
        self._tries = self._read()

    def late(self, name: str, what: str) -> UnreadableSource | None:
        """Why a view is not tried; None where it is, as it has more time now or is not known to be slow."""
        seconds, at = self._tries.get(name, (0.0, 0.0))
        if self._settings.view_timeout_seconds > seconds:
            return None
        minutes = math.ceil((at + SERVER_SECONDS - clock.now().timestamp()) / 60)
        until = (
            f"within the last hour; it is tried again in {minutes} minute{'s' if minutes != 1 else ''}"
            if self._server
            else "before, and its database has not changed since"
        )
        return UnreadableSource(
            f"{what} is not read: it took longer than {seconds:g} seconds {until}.",
            suggestions=[
                "Allow more time with GNOMON_VIEW_TIMEOUT_SECONDS to try again, or store the rows that are needed as a table."
            ],
        )

    def add(self, name: str) -> None:
        """Remember that a view took longer than it may."""
        if self._file is None:
            return
        self._tries[name] = self._settings.view_timeout_seconds, clock.now().timestamp()
        with suppress(OSError):  # a home that cannot be written costs the time again, and nothing else
            folder = private_folder(self._file.parent)
            part = private_file(self._file.with_suffix(f".{os.getpid()}.part"))
            part.write_text(json.dumps(self._tries), encoding="utf-8")
            part.replace(self._file)
            for old in sorted(folder.glob("*.json"), key=lambda f: f.stat().st_mtime)[:-MAX_DATABASES]:
                old.unlink(missing_ok=True)

    def _read(self) -> dict[str, tuple[float, float]]:
        if self._file is None:
            return {}
        try:
            told: Any = json.loads(self._file.read_bytes())
            tries = {str(name): (float(seconds), float(at)) for name, (seconds, at) in told.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}
        since = clock.now().timestamp() - SERVER_SECONDS
        return {
            n: (s, at)
            for n, (s, at) in tries.items()
            if not self._server or since < at <= since + SERVER_SECONDS
        }


def _place(settings: Settings, address: str) -> Path | None:
    path = Path(address)
    if "://" in address:
        server = urlsplit(address)
        marks = [
            f"{server.scheme}://{server.username}@{server.hostname}:{server.port}{server.path}?{server.query}"
        ]
    elif path.is_file():
        marks = [str(path.resolve())]
    else:
        return None
    for ending in _BESIDE if "://" not in address else ():
        with suppress(FileNotFoundError):
            stat = path.with_name(path.name + ending).stat()
            if ending == "" or stat.st_size:  # readers leave an empty one behind
                marks.append(f"{ending}|{stat.st_size}|{stat.st_mtime_ns}|{stat.st_ctime_ns}|{stat.st_ino}")
    digest = hashlib.sha256("\n".join(marks).encode()).hexdigest()[:32]
    return settings.home.expanduser() / "slow_views" / f"{digest}.json"
