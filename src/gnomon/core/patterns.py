"""Regular expressions that are compiled when they are first used: a question meets few of those that long words make."""

from __future__ import annotations

import re
from typing import Any, cast


class _Late:
    """Stands for a compiled expression, and gives what that has."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern, self.flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, found)
        return found


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` gives, compiled at its first search; wrong text is an error only then."""
    return cast("re.Pattern[str]", _Late(text, flags))
