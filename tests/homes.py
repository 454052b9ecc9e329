"""Homes for tests: each its own, but for folders whose files are named after what they were made from.

The same tables give the same gate and the same domains the same vectors, and making either takes longer than most
tests: all tests, on whichever worker and in whichever run, share them while the code that makes them is the same.
"""

import shutil
from hashlib import sha256
from itertools import count
from pathlib import Path

SHARED = ("gates", "domains")
MAKERS = ("language", "embedding", "agents/insight")
_places: list[Path] = []


def share_in(place: Path) -> None:
    """Keep what is shared in this place from now on, apart from what other code made, which is removed."""
    code = sha256()
    for maker in MAKERS:
        for file in sorted((Path(__file__).parents[1] / "src" / "gnomon" / maker).rglob("*.py")):
            code.update(file.read_bytes())
    folder = place / code.hexdigest()[:16]
    for other in place.glob("*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    for name in SHARED:
        (folder / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    _places[:] = [folder]


def warmed(home: Path) -> Path:
    """The home, which finds what other tests have made already."""
    home.mkdir(parents=True, exist_ok=True)
    for name in SHARED:
        if not (home / name).exists():
            (home / name).symlink_to(_places[0] / name)
    return home


class Homes:
    """Homes in a folder: a new one for each who asks, but that of the last where nothing was written into it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()
        self._last: Path | None = None

    def fresh(self) -> Path:
        """A home that holds nothing but what all share."""
        if self._last is None or {p.name for p in self._last.iterdir()} != set(SHARED):
            self._last = warmed(self._folder / str(next(self._numbers)))
        return self._last
