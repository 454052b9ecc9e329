"""Regular expressions of the code, whose compiled form is kept beside it as that of the modules is.

Compiling the four hundred that a question meets takes longer than reading it. What ``re`` made of them is kept in
``__pycache__``, for this version of Python and of its matching engine; where that cannot be read or written, nothing
is different but the time. Only expressions that stand in the code or in a policy come here, never one made
of a name or a cell.
"""

from __future__ import annotations

import atexit
import json
import os
import re
from array import array
from base64 import b64decode, b64encode
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, cast
from zlib import crc32

_FILE = Path(cache_from_source(__file__)).with_suffix(".regex")
_INSIDE = cast("Any", re)
_SRE = _INSIDE._compiler._sre
_ENGINE = [_SRE.MAGIC, _SRE.CODESIZE]
_MOST = 4_000
_UNUSABLE = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class _Kept:
    """What the engine is to be given for each text and its flags: as found, and what this process added."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.programs: dict[str, list[Any]] = {}
        self.added = 0
        with suppress(OSError, *_UNUSABLE):
            whole = file.read_bytes()
            engine, programs = (
                json.loads(whole[4:]) if crc32(whole[4:]) == int.from_bytes(whole[:4]) else ([], {})
            )
            self.programs = programs if engine == _ENGINE and len(programs) <= _MOST else {}

    def write(self) -> None:
        """Put all of them where the next process finds them, whole or not at all."""
        if not self.added:
            return
        draft = self.file.with_name(f"{self.file.name}.{os.getpid()}")
        with suppress(OSError):
            whole = json.dumps([_ENGINE, self.programs]).encode()
            draft.write_bytes(crc32(whole).to_bytes(4) + whole)
            draft.replace(self.file)


@cache
def _kept() -> _Kept:
    kept = _Kept(_FILE)
    atexit.register(kept.write)
    return kept


def _program(text: str, flags: int) -> list[Any]:
    """What the compiler of ``re`` hands to the engine."""
    parsed = _INSIDE._parser.parse(text, flags)
    code = array("I", _INSIDE._compiler._code(parsed, flags)).tobytes()
    return [
        flags | parsed.state.flags,
        b64encode(code).decode(),
        parsed.state.groups - 1,
        parsed.state.groupdict,
    ]


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` gives for an expression that stands in the code."""
    kept, key = _kept(), f"{int(flags)} {text}"
    try:
        program = kept.programs.get(key)
        if program is None:
            program = kept.programs[key] = _program(text, int(flags))
            kept.added += 1
        found, code, groups, names = program
        numbered: list[str | None] = [None] * (groups + 1)
        for name, number in names.items():
            numbered[number] = name
        steps = array("I", b64decode(code)).tolist()
        return cast("re.Pattern[str]", _SRE.compile(text, found, steps, groups, names, tuple(numbered)))
    except re.error:
        raise
    except _UNUSABLE:  # A Python whose ``re`` is made otherwise: as if nothing were kept.
        kept.programs.pop(key, None)
        return re.compile(text, flags)


class _Late:
    """Stands for a compiled expression, and gives what that has."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern, self.flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(regex(self.pattern, self.flags), name)
        setattr(self, name, found)
        return found


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """What ``regex`` gives, compiled at its first search; wrong text is an error only then."""
    return cast("re.Pattern[str]", _Late(text, flags))
