"""Which walls this machine has, found out by building them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TypeVar

from gnomon.core.errors import ToolUnavailable
from gnomon.core.settings import Settings
from gnomon.sandbox.limits import Limits
from gnomon.sandbox.results import Strength
from gnomon.sandbox.worker import Mode, Worker

T = TypeVar("T")
_INSTALL = "Install bubblewrap, for instance with `apt install bubblewrap` or `dnf install bubblewrap`."
_BEST = Strength("bubblewrap+seccomp", weaker=False)
_LANDLOCK_LEAVES = (
    "code can learn which files exist and how large they are, though not read them",
    "code shares the machine's list of processes and its clock of limits with your other programs",
    "the private folder is an ordinary one; its size is checked several times a second",
)
_UNSAFE = Strength(
    "unsafe",
    weaker=True,
    reasons=("code runs without walls and can do whatever you can: read every file, use the network",),
    fix="Unset GNOMON_SANDBOX and run on Linux with bubblewrap.",
)


def build(settings: Settings, allow_unsafe: bool, start: Callable[[Mode], T]) -> tuple[T, Strength]:
    """Start something behind the best walls there are.

    Args:
        settings: ``sandbox`` names the walls, or ``auto``.
        allow_unsafe: Whether none will do where there are none.
        start: Starts it behind the walls named, or raises :class:`ToolUnavailable`.

    Raises:
        ToolUnavailable: It could be started behind none of those that are allowed.
    """
    if os.name != "posix":
        raise ToolUnavailable(
            "Generated code cannot be run on this system: a worker needs Linux or another POSIX system.",
            suggestions=["On Windows, use the Windows Subsystem for Linux and install bubblewrap there."],
        )
    wanted = settings.sandbox
    if wanted == "unsafe":
        return start("unsafe"), _UNSAFE
    reasons: list[str] = []
    if sys.platform == "linux":
        for mode in ("bubblewrap", "landlock") if wanted == "auto" else (wanted,):
            try:
                return start(mode), _strength(mode, tuple(reasons))
            except ToolUnavailable as e:
                reasons.append(f"{mode}: {e.message}")
    else:
        reasons.append(f"{sys.platform} has neither bubblewrap nor Landlock")
    if allow_unsafe:
        return start("unsafe"), Strength(_UNSAFE.name, True, (*_UNSAFE.reasons, *reasons), _UNSAFE.fix)
    raise ToolUnavailable(
        "Generated code is not run here, because nothing would keep it in. " + "; ".join(reasons) + ".",
        suggestions=[
            _INSTALL
            if sys.platform == "linux"
            else "Run Gnomon on Linux, in a virtual machine or a container host.",
            "GNOMON_SANDBOX=unsafe runs it without walls; do that only for code you would run yourself.",
        ],
    )


def _strength(mode: Mode, reasons: tuple[str, ...]) -> Strength:
    if mode == "bubblewrap":
        return _BEST
    return Strength("landlock+seccomp", True, (*reasons, *_LANDLOCK_LEAVES), _INSTALL)


def check_strength(settings: Settings | None = None) -> Strength:
    """How strong the sandbox is here, found out by starting a worker and ending it; never raises for a weak one."""
    settings = settings or Settings.load()
    try:
        worker, strength = build(
            settings, False, lambda mode: Worker(mode, (), settings, Limits.of(settings), warm=False)
        )
    except ToolUnavailable as e:
        return Strength("none", True, (e.message,), " ".join(e.suggestions) or None)
    worker.end()
    return strength
