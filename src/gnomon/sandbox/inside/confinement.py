"""The worker gives up what it will not need, before it runs a line that nobody reviewed.

Everything here is one way: user, limits, files (Landlock), system calls (seccomp).
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from typing import Any

NOBODY = 65534
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_GET_SECCOMP = 1, 4, 8, 21
_PR_SET_SECCOMP, _PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS, _PR_GET_NO_NEW_PRIVS = 22, 36, 38, 39
_CLONE_NEWUSER, _CAP_DAC_READ_SEARCH = 0x10000000, 2
# The three calls of Landlock have the same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READS = 0b1101  # execute, read file, read folder
_NEVER = 1 | 1 << 6 | 1 << 11  # execute what was written, make device files
_ON_FILES = 0b111 | 1 << 14 | 1 << 15  # what a rule about a file, not a folder, may say


def confine(order: dict[str, Any], program: bytes) -> dict[str, Any]:
    """Do what the ``order`` says and tell what holds now.

    Raises:
        OSError: Something could not be given up; nothing must be run then.
    """
    mode = order["mode"]
    linux = sys.platform == "linux"
    libc = ctypes.CDLL(None, use_errno=True) if linux else None
    if libc is not None and mode != "unsafe":
        _become_nobody(libc, keep_reading=mode == "landlock", own_namespace=mode == "bubblewrap")
    if libc is not None:  # becoming another user has undone what bubblewrap asked for
        _call(libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "end with the parent")
        _call(libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "adopt orphans")
    if linux:
        _be_first_out_of_memory()
    _limit(order["rlimits"], order["scratch"])
    report: dict[str, Any] = {"uid": os.getuid(), "landlock": 0, "seccomp": 0, "no_new_privs": 0}
    if libc is not None and mode != "unsafe":
        _call(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "forbid new privileges")
        if mode == "landlock":
            report["landlock"] = _landlock(libc, order["readable"], order["writable"])
        _seccomp(libc, program)
        report["seccomp"] = libc.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0)
        report["no_new_privs"] = libc.prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
    report["forbidden_file_opens"] = _opens(order["forbidden"])
    return report


def _call(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"the worker could not {what}: {os.strerror(number)}")
    return result


def _become_nobody(libc: Any, *, keep_reading: bool, own_namespace: bool) -> None:
    """Root inside is root outside where there is no user namespace: become a user who owns nothing.

    In a namespace of its own the processes of this worker are counted apart from those of other workers.
    """
    if os.getuid() != 0:
        return
    if keep_reading:
        _call(libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0), "keep a capability")
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    # Without this /proc/self belongs to root, and the next lines may not write there.
    _call(libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "be told apart in /proc")
    if own_namespace and libc.unshare(_CLONE_NEWUSER) == 0:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{NOBODY} {NOBODY} 1"),
            ("gid_map", f"{NOBODY} {NOBODY} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as f:  # noqa: PTH123 - pathlib is not loaded yet
                f.write(text)
    _set_capabilities(libc, 1 << _CAP_DAC_READ_SEARCH if keep_reading else 0)


def _set_capabilities(libc: Any, kept: int) -> None:
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0)
    _call(libc.capset(header, data), "give up its capabilities")


def _be_first_out_of_memory() -> None:
    try:
        with open("/proc/self/oom_score_adj", "w") as f:  # noqa: PTH123
            f.write("1000")
    except OSError:
        pass  # a wish, not a wall


def _limit(rlimits: dict[str, int], scratch: str) -> None:
    for name, value in rlimits.items():
        number = getattr(resource, name, None)
        if number is None:
            continue
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            # A second more for the hard limit of processor time, so that the signal tells what ended it.
            above = value + (name == "RLIMIT_CPU" and hard == resource.RLIM_INFINITY)
            resource.setrlimit(number, (value, above))
        except (OSError, ValueError):
            if sys.platform == "linux":
                raise
    os.umask(0o077)
    os.chdir(scratch)


def _landlock(libc: Any, readable: list[str], writable: list[str]) -> int:
    """Close every file but those named; gives the version of Landlock that did it."""
    version = _call(libc.syscall(_CREATE_RULESET, None, 0, 1), "use Landlock")
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    network = 3 if version >= 4 else 0
    scoped = 3 if version >= 6 else 0  # abstract unix sockets and signals
    attributes = (ctypes.c_uint64 * 3)(files, network, scoped)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _call(libc.syscall(_CREATE_RULESET, attributes, size, 0), "make rules")
    # Libraries ask about their own process; the descriptor stays open so that the kernel keeps the entry it stands for.
    itself = f"/proc/{os.getpid()}"
    _allow(libc, ruleset, itself, _READS & files)
    os.open(itself, os.O_PATH | os.O_CLOEXEC)  # pyright: ignore[reportAttributeAccessIssue,reportUnknownArgumentType]
    for paths, rights in ((readable, _READS & files), (writable, files & ~_NEVER)):
        for path in paths:
            _allow(libc, ruleset, path, rights)
    _call(libc.syscall(_RESTRICT_SELF, ruleset, 0), "keep to the rules")
    os.close(ruleset)
    return version


def _allow(libc: Any, ruleset: int, path: str, rights: int) -> None:
    class Beneath(ctypes.Structure):
        _pack_ = 1
        _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]

    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)  # pyright: ignore[reportAttributeAccessIssue,reportUnknownArgumentType]
    except FileNotFoundError:
        return
    try:
        folder = os.path.isdir(path)  # noqa: PTH112
        rule = Beneath(rights if folder else rights & _ON_FILES, fd)
        _call(libc.syscall(_ADD_RULE, ruleset, 1, ctypes.byref(rule), 0), f"allow {path}")
    finally:
        os.close(fd)


def _seccomp(libc: Any, program: bytes) -> None:
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    whole = Program(len(program) // 8, program)
    _call(libc.prctl(_PR_SET_SECCOMP, 2, ctypes.byref(whole), 0, 0), "load the filter of system calls")


def _opens(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True
