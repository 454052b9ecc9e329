"""A GGUF file as a language model: served on loopback by a process of its own, started when it is first needed."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from gnomon.core.errors import ApiFailure, Cancelled, ConfigurationError, MissingExtra, TimedOut
from gnomon.llm import gguf_process

if TYPE_CHECKING:
    from pydantic_ai.models import Model

SUFFIX = ".gguf"
MAGIC = b"GGUF"
CONTEXT = 8192
MOST_TOKENS = 1024
MOST_THREADS = 8
MOST_STARTS = 3
START_SECONDS = 120.0
# As the system calls what a processor can, and as llama.cpp does.
_INSTRUCTIONS = {"asimddp": "DOTPROD", "i8mm": "MATMUL_INT8", "avx2": "AVX2"}


@dataclass(frozen=True)
class Address:
    """Where a file is served, and what has to be said there."""

    url: str
    key: str = field(repr=False)


class GgufServer:
    """Serves one file for as long as somebody needs it; made by :func:`borrow`.

    Args:
        path: The file.
        threads: How many it may use.
        start_seconds: How long loading may take.
    """

    def __init__(self, path: Path, *, threads: int, start_seconds: float = START_SECONDS) -> None:
        self.path = path
        self._threads = threads
        self._start_seconds = start_seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._ready: Future[Address] | None = None
        self._starts = 0
        self._closed = False
        self.holders = 0

    @property
    def process_id(self) -> int | None:
        """The process that serves; None where none was needed yet, or it has ended."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def ready(self) -> Future[Address]:
        """The address, once it is there; the first call starts the process, and so does one after it has died."""
        with self._lock:
            if self._closed:
                raise Cancelled("The language model was closed.")
            if self._ready is None or (self._died() and self._starts < MOST_STARTS):
                self._starts += 1
                self._ready = Future()
                # Running futures cannot be cancelled: a task that waits no longer leaves the start to the next one.
                self._ready.set_running_or_notify_cancel()
                threading.Thread(
                    target=self._start, args=(self._ready,), name="gnomon-gguf", daemon=True
                ).start()
            return self._ready

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            _kill(process)
            process.wait()
            _let_go(process)

    def _died(self) -> bool:
        ready = self._ready
        served = ready is not None and ready.done() and ready.exception() is None
        return served and self._process is not None and self._process.poll() is not None

    def _start(self, ready: Future[Address]) -> None:
        try:
            ready.set_result(self._started())
        except Exception as e:  # noqa: BLE001 - it is raised where the address is waited for
            ready.set_exception(e)

    def _started(self) -> Address:
        key = secrets.token_urlsafe(32)
        process = self._spawned()
        late = threading.Event()
        timer = threading.Timer(self._start_seconds, lambda: (late.set(), _kill(process)))
        timer.daemon = True
        timer.start()
        try:
            said = _told(process, self._order(key))
        finally:
            timer.cancel()
        if "address" in said:
            return Address(f"{said['address']}/v1", key)
        _kill(process)
        process.wait()
        _let_go(process)
        if self._closed:
            raise Cancelled("The language model was closed.")
        if late.is_set():
            raise TimedOut(
                f"{self.path.name} was not loaded within {self._start_seconds:g} seconds.",
                suggestions=["Use a smaller model, or serve it yourself and set GNOMON_MODEL_URL."],
            )
        raise self._unusable(said.get("error"), process.returncode)

    def _spawned(self) -> subprocess.Popen[str]:
        environment = {k: v for k, v in os.environ.items() if not k.endswith(("_KEY", "_TOKEN"))}
        with self._lock:
            if self._closed:
                raise Cancelled("The language model was closed.")
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(gguf_process.__file__)],
                env={**environment, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                start_new_session=True,  # an interrupt at the terminal is for us to handle
            )
            return self._process

    def _order(self, key: str) -> str:
        order = {
            "path": str(self.path),
            "name": self.path.stem,
            "key": key,
            "context": CONTEXT,
            "tokens": MOST_TOKENS,
            "threads": self._threads,
            "seconds": self._start_seconds,
            "server": executable(),
        }
        return json.dumps(order) + "\n"

    def _unusable(self, reason: str | None, code: int | None) -> ConfigurationError:
        what = reason or f"the process that loads it ended with {code}"
        return ConfigurationError(
            f"GNOMON_MODEL={str(self.path)!r} cannot be loaded ({what.rstrip('.')}): the file is damaged or cut short, "
            "of a kind that xllamacpp does not know, or larger than the memory.",
            suggestions=["Fetch the file again and compare its size.", "pip install --upgrade xllamacpp"],
        )


class GgufModel:
    """A model behind a borrowed server.

    Args:
        server: What serves the file.
        at: The model at an address.
    """

    def __init__(self, server: GgufServer, at: Callable[[Address], Model]) -> None:
        self.server: GgufServer | None = server
        self._at = at
        self._known: tuple[Address, Model] | None = None

    async def model(self) -> Model:
        """The model, as soon as the file is served.

        Raises:
            ConfigurationError: The file cannot be loaded.
            TimedOut: It takes too long to load.
            ApiFailure: The process that served it ended too often.
        """
        if self.server is None:
            raise Cancelled("The language model was closed.")
        address = await asyncio.wrap_future(self.server.ready())
        if self.server.process_id is None:
            raise ApiFailure(
                "The process that serves the language model has ended.",
                suggestions=["Check that there is memory for it, or use a smaller model."],
            )
        if self._known is None or self._known[0] != address:
            self._known = address, self._at(address)
        return self._known[1]

    def close(self) -> None:
        """Give the server back; it ends with its last borrower."""
        server, self.server = self.server, None
        if server is not None:
            _give_back(server)


_borrowed: dict[Path, GgufServer] = {}
_borrowing = threading.Lock()


def is_file_name(model: str) -> bool:
    """Whether the name of a model is that of a file."""
    return model.lower().endswith(SUFFIX) or Path(model).expanduser().is_file()


def borrow(model: str, threads: int = 0) -> GgufServer:
    """The server of a file, the same one for everybody in this process; nothing is started yet.

    Args:
        model: The path of the file.
        threads: How many it may use; 0 takes one for each core, eight at most, since those of one core that wait for
            one another slow all down.

    Raises:
        ConfigurationError: It is no GGUF file.
        MissingExtra: The optional part ``local`` is not installed.
    """
    path = Path(model).expanduser().absolute()
    _check(path)
    needed = ("pydantic_ai", "openai") if executable() else ("xllamacpp", "pydantic_ai", "openai")
    if any(find_spec(part) is None for part in needed):
        raise MissingExtra.named("local", "A language model from a file")
    with _borrowing:
        if path not in _borrowed:
            _borrowed[path] = GgufServer(path, threads=min(threads or cores(), MOST_THREADS))
        _borrowed[path].holders += 1
        return _borrowed[path]


def executable() -> str | None:
    """llama.cpp's own server, where one is installed: it is built for this processor, or for what computes beside it."""
    return shutil.which("llama-server")


def unused_instructions() -> list[str]:
    """Instructions of this processor that make a model several times as fast, and that xllamacpp was built without."""
    try:
        has = set(Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split())
        built = str(import_module("xllamacpp").get_system_info())
    except (OSError, ImportError):
        return []
    return [name for flag, name in _INSTRUCTIONS.items() if flag in has and f"{name} = 1" not in built]


def cores() -> int:
    """How many cores may be used, those that show as two counted once."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(psutil.cpu_count(logical=False) or usable, usable)


def _give_back(server: GgufServer) -> None:
    with _borrowing:
        server.holders -= 1
        last = server.holders == 0
        if last:
            del _borrowed[server.path]
    if last:
        server.close()


def _check(path: Path) -> None:
    """Whether a file can be a model at all, so that a slip is told when it is made."""
    try:
        with path.open("rb") as f:
            begins = f.read(len(MAGIC))
    except OSError as e:
        raise ConfigurationError(
            f"GNOMON_MODEL={str(path)!r} cannot be opened ({e.strerror or type(e).__name__}).",
            suggestions=[
                "Give the path of a GGUF file, or set GNOMON_MODEL_URL where a server has the model."
            ],
        ) from None
    if begins != MAGIC:
        raise ConfigurationError(
            f"GNOMON_MODEL={str(path)!r} is no GGUF file: it does not begin with the letters GGUF.",
            suggestions=["Models for llama.cpp are GGUF files; fetch one, or convert yours with its tools."],
        )


def _told(process: subprocess.Popen[str], order: str) -> dict[str, str]:
    """What the process answers to the order; nothing where it ends without a word."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(order)
        process.stdin.flush()
        return json.loads(process.stdout.readline())
    except (OSError, ValueError):
        return {}


def _kill(process: subprocess.Popen[str]) -> None:
    """End a process that leads a session of its own, with whatever serves for it."""
    if sys.platform == "win32":
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _let_go(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
