"""Regular expressions of the code, whose compiled form is kept beside it as that of the modules is.

Compiling the four hundred that a question meets takes longer than reading it. What ``re`` made of them is kept for
this version of its matching engine. Only expressions that stand in the code or in a policy come here, never one made
of a name or a cell.
"""

from __future__ import annotations

import re
from array import array
from functools import cache
from typing import Any, cast

from gnomon.core.beside import Kept, beside

_FILE = beside(__file__, ".regex")
_INSIDE = cast("Any", re)
_SRE = _INSIDE._compiler._sre
_UNUSABLE = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@cache
def _kept() -> Kept:
    return Kept(_FILE, [_SRE.MAGIC, _SRE.CODESIZE])


def _program(text: str, flags: int) -> list[Any]:
    """What the compiler of ``re`` hands to the engine."""
    parsed = _INSIDE._parser.parse(text, flags)
    code = array("I", _INSIDE._compiler._code(parsed, flags)).tobytes()
    return [
        flags | parsed.state.flags,
        code,
        parsed.state.groups - 1,
        parsed.state.groupdict,
    ]


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` gives for an expression that stands in the code."""
    kept, key = _kept(), f"{int(flags)} {text}"
    try:
        program = kept.made.get(key)
        if program is None:
            program = _program(text, int(flags))
            kept.add(key, program)
        found, code, groups, names = program
        numbered: list[str | None] = [None] * (groups + 1)
        for name, number in names.items():
            numbered[number] = name
        steps = array("I", code).tolist()
        return cast("re.Pattern[str]", _SRE.compile(text, found, steps, groups, names, tuple(numbered)))
    except re.error:
        raise
    except _UNUSABLE:  # A Python whose ``re`` is made otherwise: as if nothing were kept.
        kept.made.pop(key, None)
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
