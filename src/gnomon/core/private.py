"""Files and folders that only their owner may read: whatever Gnomon keeps may hold a cell of somebody's data."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = 0o700
FILE = 0o600


def private_folder(folder: Path) -> Path:
    """``folder``, made where it is missing, with access for its owner only; one of somebody else stays as it is."""
    folder.mkdir(parents=True, exist_ok=True, mode=FOLDER)
    _restrict(folder, FOLDER)
    return folder


def private_file(file: Path) -> Path:
    """``file``, made empty where it is missing, with access for its owner only."""
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT, FILE))
    _restrict(file, FILE)
    return file


def _restrict(path: Path, mode: int) -> None:
    facts = path.stat()
    if hasattr(os, "getuid") and facts.st_uid == os.getuid() and facts.st_mode & 0o077:
        path.chmod(mode)
