"""One worker process: started behind walls, spoken to over pipes, watched, and ended for certain."""

from __future__ import annotations

import os
import secrets
import select
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from gnomon.core.errors import ToolUnavailable
from gnomon.core.settings import Settings
from gnomon.sandbox import bubblewrap
from gnomon.sandbox.inside.confinement import NOBODY
from gnomon.sandbox.inside.frames import BrokenFrame, FrameReader, pack
from gnomon.sandbox.limits import Limits
from gnomon.sandbox.output import KeptOutput
from gnomon.sandbox.seccomp import syscall_filter
from gnomon.sandbox.surroundings import (
    DATA,
    MAIN,
    DataFile,
    environment,
    interpreter,
    library_paths,
    limits_of_this_group,
    readable_copy,
    system,
)
from gnomon.sandbox.watching import excess, family, tasks_of

Mode = Literal["bubblewrap", "landlock", "unsafe"]
_MB = 1024 * 1024
_TICK, _WALKING_TICK, _IDLE_TICK = 0.05, 0.2, 0.5
_INSIST = 0.2


@dataclass
class Exchange:
    """What came of one message: the answer, or why there is none."""

    header: dict[str, Any] | None = None
    blobs: list[bytes] = field(default_factory=list[bytes])
    stdout: KeptOutput = field(default_factory=KeptOutput)
    stderr: KeptOutput = field(default_factory=KeptOutput)
    died: str | None = None
    stopped: Literal["deadline", "asked"] | None = None


class Worker:
    """A started worker.

    Args:
        mode: Which walls.
        files: The data files that it may read.
        settings: For the size of chunks.
        limits: What it may use.
        warm: Whether it loads the usual libraries while it waits.

    Raises:
        ToolUnavailable: It did not start behind these walls; the message says why.
    """

    def __init__(
        self, mode: Mode, files: tuple[DataFile, ...], settings: Settings, limits: Limits, *, warm: bool
    ) -> None:
        self.mode, self._files, self._settings, self._limits, self._warm = mode, files, settings, limits, warm
        # Private to this user; what is inside is never opened by a name that the worker chose.
        self._folder = Path(tempfile.mkdtemp(prefix="gnomon-sandbox-"))
        self._busy, self._ended, self._started = threading.Event(), threading.Event(), threading.Event()
        self._reason: str | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._sources = {f.shown: f.source for f in files}
        self._pidfd: int | None = None
        self._watched: str | None = None
        self._reader = FrameReader(limits.artefacts_mb * _MB + _MB)
        control, self._control = os.pipe()
        self._results, results = os.pipe()
        self._child_fds: tuple[int, ...] = (control, results)
        os.set_blocking(self._control, False)
        self.report: dict[str, Any] = {}
        try:
            self._start()
        except BaseException:
            self.end()
            raise

    def _start(self) -> None:
        command, scratch, env = self._command()
        order, program = self._order(scratch)
        failure: list[BaseException] = []

        def guard() -> None:
            # The kernel ends the worker with the *thread* that started it, so one stays for as long as it lives.
            try:
                self._process = self._spawn(command, env)
            except BaseException as e:  # noqa: BLE001 - raised again in the thread that waits
                failure.append(e)
                return
            finally:
                self._started.set()
            self._guard(self._process)

        threading.Thread(target=guard, daemon=True, name="gnomon-sandbox").start()
        self._started.wait()
        for fd in self._child_fds:
            os.close(fd)
        self._child_fds = ()
        if failure:
            raise ToolUnavailable(f"The sandbox could not be started: {failure[0]}")
        said = self.exchange(order, [program], seconds=self._limits.start_seconds)
        ready = (said.header or {}).get("ready")
        if not isinstance(ready, dict):
            why = (
                (said.header or {}).get("refused")
                or said.stderr.text()[0].strip()
                or said.died
                or "it did not answer in time"
            )
            raise ToolUnavailable(f"The sandbox could not be started: {str(why).splitlines()[-1][:500]}")
        self.report = ready
        self._check(ready)
        self._find()

    def _check(self, ready: dict[str, Any]) -> None:
        """The worker says this before it runs any code of others, so it can be believed."""
        if self.mode == "unsafe":
            return
        holds = (
            ready.get("seccomp") == 2
            and ready.get("no_new_privs") == 1
            and ready.get("uid") != 0
            and ready.get("forbidden_file_opens") is False
            and (self.mode != "landlock" or ready.get("landlock", 0) >= 1)
        )
        if not holds:
            raise ToolUnavailable(f"The sandbox started, but its walls do not hold: {ready}")

    def _find(self) -> None:
        """The process that runs the cells, as this process knows it; it alone is interrupted."""
        assert self._process is not None
        pids = family(self._process.pid) if sys.platform == "linux" else [self._process.pid]
        self._pid = pids[-1] if self.mode == "bubblewrap" else pids[0]
        if hasattr(os, "pidfd_open"):
            self._pidfd = os.pidfd_open(self._pid)
        if self.mode == "bubblewrap":
            for space in ("net", "pid", "mnt", "ipc", "uts"):
                with suppress(PermissionError):
                    if (
                        Path(f"/proc/{self._pid}/ns/{space}").readlink()
                        == Path(f"/proc/self/ns/{space}").readlink()
                    ):
                        raise ToolUnavailable(f"The sandbox has no {space} namespace of its own.")
            self._watched = f"/proc/{self._pid}/root/tmp"
        else:
            self._watched = str(self._folder / "cell")

    def _command(self) -> tuple[list[str], str, dict[str, str]]:
        (self._folder / "canary").write_text("no worker can read this\n")
        if os.geteuid() == 0 and self.mode != "unsafe":
            by_path = self.mode == "landlock"
            self._sources = {
                shown: readable_copy(source, self._staging(shown), by_path=by_path)
                for shown, source in self._sources.items()
            }
        if self.mode != "bubblewrap":
            scratch = self._folder / "cell"
            scratch.mkdir(mode=0o700)
            if os.geteuid() == 0 and self.mode == "landlock":
                os.chown(scratch, NOBODY, NOBODY)
                self._folder.chmod(0o711)
            fds = map(str, self._child_fds)
            return [sys.executable, "-I", "-B", str(MAIN), *fds], str(scratch), environment(str(scratch))
        found = bubblewrap.find()
        if found is None:
            raise ToolUnavailable("bubblewrap is not installed.")
        arguments = bubblewrap.arguments(self._sources, self._limits, self._child_fds)
        # Handed over in memory: a command line could be read in /proc and names every folder.
        memory = os.memfd_create("arguments")
        own, worker = arguments[: arguments.index("--")], arguments[arguments.index("--") :]
        os.write(memory, b"".join(os.fsencode(a) + b"\0" for a in own))
        os.lseek(memory, 0, os.SEEK_SET)
        self._child_fds = (*self._child_fds, memory)
        return [found, "--args", str(memory), *worker], bubblewrap.SCRATCH, {}

    def _staging(self, shown: str) -> Path:
        folder = self._folder / "copies" / shown
        folder.mkdir(parents=True)
        for part in (folder, folder.parent):
            part.chmod(0o711)
        return folder

    def _order(self, scratch: str) -> tuple[dict[str, Any], bytes]:
        inside = self.mode == "bubblewrap"
        paths = {f.name: str(DATA / f.shown if inside else self._sources[f.shown]) for f in self._files}
        readable = [*map(str, [*system(), *interpreter()]), *map(str, self._sources.values())]
        readable += map(str, limits_of_this_group())
        readable += [
            "/dev/urandom",
            "/dev/random",
            "/dev/zero",
            "/proc/cpuinfo",
            "/proc/meminfo",
            "/proc/stat",
        ]
        order = {
            "mode": self.mode,
            "rlimits": self._rlimits(),
            "readable": readable,
            "writable": [scratch, "/dev/null"],
            "forbidden": str(self._folder / "canary"),
            "scratch": scratch,
            "limits": asdict(self._limits),
            "files": {f.name: {"path": paths[f.name], "large": f.large} for f in self._files},
            "links": {f"{scratch}/{f.shown}": paths[f.name] for f in self._files},
            "chunk_size": self._settings.chunk_size,
            "paths": library_paths(),
            "warm": self._warm,
        }
        if self.mode == "unsafe":
            return order, b""
        # Since version 6 Landlock keeps signals in; before that the worker may send none at all.
        scoped = inside or _landlock_version() >= 6
        return order, syscall_filter(own_files=inside, own_processes=scoped)

    def _rlimits(self) -> dict[str, int]:
        shared = 0
        if sys.platform == "linux" and not (self.mode == "bubblewrap" and _counts_by_namespace()):
            root = os.geteuid() == 0 and self.mode != "unsafe"
            shared = tasks_of(NOBODY if root else os.getuid())
        return {
            "RLIMIT_DATA": self._limits.memory_mb * _MB,
            "RLIMIT_CPU": self._limits.cpu_seconds,
            "RLIMIT_NPROC": self._limits.processes + shared,
            "RLIMIT_FSIZE": self._limits.files_mb * _MB,
            "RLIMIT_NOFILE": self._limits.open_files,
            "RLIMIT_STACK": 8 * _MB,
            "RLIMIT_CORE": 0,
            "RLIMIT_MEMLOCK": 0,
            "RLIMIT_MSGQUEUE": 0,
        }

    def _spawn(self, command: list[str], env: dict[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd="/",
            pass_fds=self._child_fds,
            start_new_session=True,
        )

    def _guard(self, process: subprocess.Popen[bytes]) -> None:
        """Watch until the process has ended; runs in a thread of its own."""
        while process.poll() is None and not self._ended.is_set():
            why = excess(process.pid, self._watched, self._limits) if sys.platform == "linux" else None
            if why:
                self._reason = why
                self._kill()
            often = _TICK if self.mode == "bubblewrap" else _WALKING_TICK
            self._ended.wait(often if self._busy.is_set() else _IDLE_TICK)

    def exchange(
        self,
        header: dict[str, Any],
        blobs: list[bytes] | None = None,
        *,
        seconds: float,
        asked: Callable[[], bool] = lambda: False,
    ) -> Exchange:
        """Send a message and wait for its answer, taking up what is printed meanwhile.

        Args:
            header: The message.
            blobs: Bytes that go with it.
            seconds: Time until it is interrupted.
            asked: Whether somebody asked to stop.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        keep = self._limits.output_chars
        said = Exchange(stdout=KeptOutput(keep), stderr=KeptOutput(keep))
        identity = secrets.token_hex(8)
        outgoing = memoryview(pack({**header, "id": identity}, blobs))
        streams = {self._process.stdout.fileno(): said.stdout, self._process.stderr.fileno(): said.stderr}
        stop_at, kill_at, next_signal = time.monotonic() + seconds, None, 0.0
        self._busy.set()
        try:
            with selectors.DefaultSelector() as selector:
                for fd in (*streams, self._results):
                    os.set_blocking(fd, False)
                    selector.register(fd, selectors.EVENT_READ)
                selector.register(self._control, selectors.EVENT_WRITE)
                while True:
                    for key, _ in selector.select(_TICK):
                        if key.fd == self._control:
                            outgoing = self._push(outgoing)
                            if not outgoing:
                                selector.unregister(self._control)
                        elif key.fd in streams:
                            data = _read(key.fd, 1 << 16)
                            streams[key.fd].add(data or b"")
                            if data == b"":
                                selector.unregister(key.fd)
                        elif self._answer(said, identity):
                            self._drain(streams)
                            return said
                    now = time.monotonic()
                    if kill_at is None and (now >= stop_at or asked()):
                        said.stopped = "deadline" if now >= stop_at else "asked"
                        kill_at = now + self._limits.grace_seconds
                    if kill_at is not None and now >= kill_at:
                        self._reason = self._reason or "it did not stop when it was interrupted"
                        self.end()
                        said.died = self._reason
                        return said
                    if kill_at is not None and now >= next_signal:
                        self.interrupt()
                        next_signal = now + _INSIST
        finally:
            self._busy.clear()

    def _push(self, outgoing: memoryview) -> memoryview:
        try:
            return outgoing[os.write(self._control, outgoing[: 1 << 16]) :]
        except BlockingIOError:
            return outgoing
        except OSError:
            return outgoing[:0]  # it is gone; the other pipe tells so

    def _answer(self, said: Exchange, identity: str) -> bool:
        """Take what came on the pipe of results; whether the exchange is over."""
        data = _read(self._results, 1 << 20)
        if data is None:
            return False
        try:
            frames = self._reader.feed(data) if data else []
            if len(frames) > 1 or (frames and frames[0][0].get("id", identity) != identity):
                raise BrokenFrame("an answer to something that was not asked")
        except BrokenFrame as e:
            self._reason = f"it did not keep to the protocol: {e}"
            self.end()
            said.died = self._reason
            return True
        if frames:
            said.header, said.blobs = frames[0]
            return True
        if not data:
            said.died = self._post_mortem()
            self.end()
            return True
        return False

    def _drain(self, streams: dict[int, KeptOutput]) -> None:
        """What was printed before the answer is in the pipes by now; endless printing is not waited for."""
        for fd, kept in streams.items():
            for _ in range(64):
                data = _read(fd, 1 << 16)
                if not data:
                    break
                kept.add(data)

    def _post_mortem(self) -> str:
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        code = self._process.returncode
        if self._reason:
            return self._reason
        number = code - 128 if code is not None and code > 128 else -(code or 0)
        if number == signal.SIGXCPU:
            return f"it used its {self._limits.cpu_seconds:,} seconds of processor time"
        if number == signal.SIGKILL:
            return "it was killed, by its own code or because the machine had no memory left"
        if number > 0:
            with suppress(ValueError):
                return f"it ended with the signal {signal.Signals(number).name}"
        return f"it ended by itself with code {code}"

    def interrupt(self) -> None:
        """Ask the running cell to stop."""
        with suppress(OSError, ValueError):
            if self._pidfd is not None:
                signal.pidfd_send_signal(self._pidfd, signal.SIGINT)
            elif self._process is not None and not hasattr(os, "pidfd_open"):
                self._process.send_signal(signal.SIGINT)

    @property
    def alive(self) -> bool:
        """Whether it can be spoken to."""
        return not self._ended.is_set() and self._process is not None and self._process.poll() is None

    def _kill(self) -> None:
        process = self._process
        if process is None:
            return
        if self.mode != "bubblewrap" and process.poll() is None:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)  # it leads its own group and cannot leave it
        # The first process inside ends with bubblewrap, and everything in its namespace with it.
        process.kill()
        if self._pidfd is not None:
            with suppress(OSError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def end(self) -> None:
        """Kill it with all its processes and remove its folder. Safe to call twice."""
        if self._ended.is_set():
            return
        self._kill()
        self._ended.set()
        if self._process is not None:
            self._process.wait(10)
            if self._pidfd is not None:
                select.select([self._pidfd], [], [], 10)  # until the worker itself is gone too
            for stream in (self._process.stdout, self._process.stderr):
                if stream:
                    stream.close()
        for fd in (
            self._control,
            self._results,
            *self._child_fds,
            *([self._pidfd] if self._pidfd is not None else []),
        ):
            with suppress(OSError):
                os.close(fd)
        self._pidfd = None
        shutil.rmtree(self._folder, ignore_errors=True)


def _read(fd: int, size: int) -> bytes | None:
    """Bytes that are there; none where there are none yet, empty where there will be no more."""
    try:
        return os.read(fd, size)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _counts_by_namespace() -> bool:
    """Whether the kernel counts processes for every user namespace apart (Linux 5.14)."""
    major, minor = os.uname().release.split(".")[:2]
    return (int(major), int("".join(c for c in minor if c.isdigit()) or 0)) >= (5, 14)


def _landlock_version() -> int:
    """The version of Landlock in this kernel; 0 where there is none."""
    import ctypes

    if sys.platform != "linux":
        return 0
    return max(0, ctypes.CDLL(None).syscall(444, None, 0, 1))
