"""The command line that puts a worker into namespaces of its own."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from gnomon.sandbox.inside.confinement import NOBODY
from gnomon.sandbox.limits import Limits
from gnomon.sandbox.surroundings import DATA, MAIN, environment, interpreter, system

SCRATCH = "/tmp/cell"  # noqa: S108 - inside, where it belongs to the worker alone
# What the kernel tells about the whole machine, and what could change it. Most is closed to an unprivileged user anyway;
# a cover costs about a millisecond of the start, so that numbers anybody may know, such as uptime, have none.
_HIDDEN_FOLDERS = ("sys", "fs", "bus", "acpi", "scsi", "driver")
_HIDDEN_FILES = (
    "kcore",
    "kallsyms",
    "keys",
    "key-users",
    "kmsg",
    "sysrq-trigger",
    "timer_list",
    "modules",
    "iomem",
    "ioports",
    "cmdline",
    "config.gz",
)
_SHM_MB = 64


def find() -> str | None:
    """Where bubblewrap is installed."""
    return shutil.which("bwrap")


def arguments(files: Mapping[str, Path], limits: Limits, fds: tuple[int, ...]) -> list[str]:
    """Everything after ``bwrap``, the worker's own command included.

    Args:
        files: Names inside ``/data`` and the files that they show.
        limits: For the size of the private folder.
        fds: The worker's ends of the two pipes.
    """
    size = str(limits.files_mb * 1024 * 1024)
    command = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if os.geteuid() == 0:  # the worker becomes nobody itself, once it has found what only root may open
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        # The worker is the first process inside: bubblewrap's own would be one of the same user without a filter,
        # whose memory it could write. (Root's it cannot; and only that one can end another user with itself.)
        command += ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY), "--as-pid-1"]
    command += ["--hostname", "sandbox", "--die-with-parent", "--new-session", "--clearenv"]
    for name, value in environment(SCRATCH).items():
        command += ["--setenv", name, value]
    # Before what is readable, so that a checkout below the system's /tmp is not covered by the private one.
    command += ["--size", size, "--perms", "1777", "--tmpfs", "/tmp", "--perms", "1777", "--dir", SCRATCH]  # noqa: S108
    command += _readable([*system(), *interpreter()], files)
    command += [
        "--dev",
        "/dev",
        "--size",
        str(_SHM_MB * 1024 * 1024),
        "--perms",
        "1777",
        "--tmpfs",
        "/dev/shm",  # noqa: S108
    ]
    command += ["--remount-ro", "/dev", "--proc", "/proc", *_hidden()]
    command += ["--remount-ro", "/", "--chdir", "/"]
    return [*command, "--", sys.executable, "-I", "-B", str(MAIN), *map(str, fds)]


def _readable(paths: list[Path], files: Mapping[str, Path]) -> list[str]:
    """Mounts that can only be read, with folders above them that everybody may enter."""
    command: list[str] = []
    folders: set[Path] = {Path("/"), Path("/tmp")}  # noqa: S108
    mounted: list[Path] = []

    def parents(path: Path) -> None:
        for folder in reversed(path.parents):
            if folder not in folders and not any(folder.is_relative_to(m) for m in mounted):
                folders.add(folder)
                command.extend(["--perms", "0755", "--dir", str(folder)])

    for path in sorted(set(paths)):
        if any(path.is_relative_to(m) for m in mounted):
            continue
        parents(path)
        if path.is_symlink() and path.parent in {Path("/"), Path(sys.prefix)}:
            command += ["--symlink", str(path.readlink()), str(path)]  # /lib → usr/lib
        else:
            command += ["--ro-bind", str(path), str(path)]
            mounted.append(path)
    parents(DATA / "x")
    for shown, source in files.items():
        command += ["--ro-bind", str(source), str(DATA / shown)]
    return command


def _hidden() -> list[str]:
    """Covers for parts of /proc, where the kernel has them."""
    command: list[str] = []
    for folder in _HIDDEN_FOLDERS:
        if Path("/proc", folder).is_dir():
            command += ["--tmpfs", f"/proc/{folder}", "--remount-ro", f"/proc/{folder}"]
    for file in _HIDDEN_FILES:
        if Path("/proc", file).exists():
            command += ["--ro-bind", "/dev/null", f"/proc/{file}"]
    return command
