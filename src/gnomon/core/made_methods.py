"""Methods that dataclasses write as text, whose compiled form is kept beside the code.

A command loads some two hundred dataclasses, each of which compiles six methods: an eighth of its time.
"""

from __future__ import annotations

import dataclasses
import marshal
from functools import cache
from importlib.util import MAGIC_NUMBER
from types import CodeType
from typing import Any, cast

from gnomon.core.beside import Kept, beside

_FILE = beside(__file__, ".methods")


@cache
def _kept() -> Kept:
    return Kept(_FILE, [MAGIC_NUMBER])


def _run(text: str, globals: dict[str, Any] | None = None, locals: dict[str, Any] | None = None) -> None:
    """What ``exec`` does, with text that was compiled before where it was."""
    kept = _kept()
    made = kept.made.get(text)
    if made is None:
        code = compile(text, "<string>", "exec")
        kept.add(text, marshal.dumps(code))
    else:
        code = cast("CodeType", marshal.loads(made))  # noqa: S302 - a file of __pycache__, as that of a module
    exec(code, globals, locals)  # noqa: S102 - as dataclasses do


def keep_methods() -> None:
    """Let the dataclasses of this process, ours and those of libraries, use what was compiled before."""
    # A name of the module comes before the one that is built in.
    setattr(dataclasses, "exec", _run)  # noqa: B010 - no attribute that dataclasses names
