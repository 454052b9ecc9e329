"""What was made of our own code once, kept beside it in ``__pycache__`` as the compiled modules are.

Where that cannot be read or written, nothing is different but the time. Only what stands in the code or in a policy comes
here, never anything made of a name or a cell.
"""

from __future__ import annotations

import atexit
import marshal
import os
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, cast
from zlib import crc32

_MOST = 8_000
_UNUSABLE = (ArithmeticError, EOFError, LookupError, RuntimeError, TypeError, ValueError)


def beside(source: str, ending: str) -> Path:
    """Where the compiled form of a module is, with another ending."""
    return Path(cache_from_source(source)).with_suffix(ending)


class Kept:
    """What was made of each text, as found in ``file`` and as this process added to it.

    Args:
        file: Where it is kept.
        maker: What made it, such as a version; what another made is as none.
    """

    def __init__(self, file: Path, maker: list[Any]) -> None:
        self.file, self.maker = file, maker
        self.made: dict[str, Any] = {}
        self.added = 0
        with suppress(OSError, *_UNUSABLE):
            whole = file.read_bytes()
            if crc32(whole[4:]) == int.from_bytes(whole[:4]):
                by, made = cast("tuple[list[Any], dict[str, Any]]", marshal.loads(whole[4:]))  # noqa: S302
                self.made = made if by == maker and len(made) <= _MOST else {}
        atexit.register(self.write)

    def add(self, text: str, made: Any) -> None:
        """Keep what was made of a text."""
        self.made[text] = made
        self.added += 1

    def write(self) -> None:
        """Put all of it where the next process finds it, whole or not at all."""
        if not self.added:
            return
        draft = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        with suppress(OSError):
            whole = marshal.dumps((self.maker, self.made))
            draft.write_bytes(crc32(whole).to_bytes(4) + whole)
            draft.replace(self.file)
