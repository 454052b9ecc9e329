"""The worker: takes cells from one pipe, runs them in one namespace, answers on the other."""

from __future__ import annotations

import ast
import linecache
import os
import signal
import sys
import threading
import time
import traceback
from contextlib import suppress
from importlib import import_module
from types import CodeType, FrameType
from typing import Any

from gnomon.sandbox.inside.confinement import confine
from gnomon.sandbox.inside.display import PICTURES, Shown, open_figures
from gnomon.sandbox.inside.frames import FrameReader, pack, read_frame, write_frame
from gnomon.sandbox.inside.variables import LIBRARIES, DataFiles

_WARM = ("numpy", "pandas", "duckdb", "pyarrow", "gnomon.data", "gnomon.data.sources")
_MORE_THAN_ANY_ORDER = 1 << 32


def main(control: int, results: int) -> None:
    """Confine this process, say that it is ready, and serve cells until the pipe closes."""
    for fd in (control, results):
        os.set_inheritable(fd, False)
    reader = FrameReader(_MORE_THAN_ANY_ORDER)
    first = read_frame(control, reader)
    if first is None:
        return
    order, blobs = first
    try:
        report = confine(order, blobs[0])
    except OSError as e:
        write_frame(results, pack({"refused": str(e)}))
        return
    session = Session(order)
    write_frame(results, pack({"ready": report}))
    if order["warm"]:
        threading.Thread(target=_warm, daemon=True).start()
    while (message := read_frame(control, reader)) is not None:
        header, blobs = message
        frame = session.run(header) if header["do"] == "run" else session.define(header, blobs)
        write_frame(results, frame)
    os._exit(0)


def _warm() -> None:
    for name in _WARM:
        try:
            import_module(name)
        except Exception:  # noqa: BLE001 - the cell that needs it will tell
            return


class Session:
    """The namespace that cells share.

    Args:
        order: ``limits``, ``files``, ``chunk_size`` and where the cell's own folder is.
    """

    def __init__(self, order: dict[str, Any]) -> None:
        self._limits: dict[str, Any] = order["limits"]
        self._scratch: str = order["scratch"]
        self._pid = os.getpid()
        self._count = 0
        self._running = False
        self._shown = Shown(self._limits)
        self._known = {"__name__": "__main__", "__builtins__": __builtins__, "display": self._display}
        self._names: dict[Any, Any] = dict(self._known)  # a cell may put anything there
        files = DataFiles(order["files"], order["chunk_size"], max(64, self._limits["memory_mb"] // 2))
        self._makers = files.makers()
        sys.path[:] = [p for p in sys.path if p] + [p for p in order["paths"] if p not in sys.path]
        sys.modules["__main__"].__dict__.pop("root", None)
        sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True, errors="replace", encoding="utf-8")  # pyright: ignore[reportAttributeAccessIssue]
        for link, target in order["links"].items():
            os.symlink(target, link)  # noqa: PTH211 - as light as it can be
        signal.signal(signal.SIGINT, self._interrupted)

    def define(self, header: dict[str, Any], blobs: list[bytes]) -> bytes:
        """Set variables to plain values, or to frames that came as Arrow."""
        for name, value in header["values"].items():
            self._names[name] = self._known[name] = value
        for name, blob in zip(header["frames"], blobs, strict=True):
            import pyarrow

            frame = pyarrow.ipc.open_stream(blob).read_all().to_pandas()
            self._names[name] = self._known[name] = frame
        return pack({"id": header["id"]})

    def run(self, header: dict[str, Any]) -> bytes:
        """Run one cell; the answer is a frame."""
        self._count += 1
        self._shown = Shown(self._limits)
        before = self._pictures()
        saved_figures: set[int] = set()
        error: dict[str, Any] | None = None
        started = time.perf_counter()
        signal.signal(signal.SIGINT, self._interrupted)
        self._running = True
        try:
            self._execute(header["code"], saved_figures)
        except BaseException as e:  # noqa: BLE001 - whatever a cell raises is its result
            self._running = False
            error = self._error(e, header["code"])
        self._running = False
        if os.getpid() != self._pid:
            os._exit(0)  # a copy of the worker that the cell made must not answer
        self._collect(before, saved_figures)
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # a cell may have replaced or closed it
                stream.flush()
        answer = {
            "id": header["id"],
            "error": error,
            "artefacts": self._shown.artefacts,
            "variables": self._variables(),
            "truncated": self._shown.truncated[:50],
            "seconds": time.perf_counter() - started,
        }
        return pack(answer, self._shown.blobs)

    def _execute(self, code: str, saved_figures: set[int]) -> None:
        place = f"<cell {self._count}>"
        linecache.cache[place] = (len(code), None, code.splitlines(keepends=True), place)
        tree = ast.parse(code, place)
        self._prepare(tree, saved_figures)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        body: CodeType = compile(tree, place, "exec")
        exec(body, self._names)  # noqa: S102 - this is what the walls are for
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), place, "eval"), self._names)  # noqa: S307
            name = last.value.id if isinstance(last.value, ast.Name) else "table"
            if value is not None:
                self._names["_"] = value
                self._shown.show(value, name)

    def _prepare(self, tree: ast.Module, saved_figures: set[int]) -> None:
        """Make the variables and load the libraries that the cell names and does not have yet."""
        nodes = list(ast.walk(tree))
        used = {n.id for n in nodes if isinstance(n, ast.Name)}
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        imported = {a.name.partition(".")[0] for n in nodes if isinstance(n, ast.Import) for a in n.names}
        imported |= {(n.module or "").partition(".")[0] for n in nodes if isinstance(n, ast.ImportFrom)}
        wanted = {name for name in used if name in self._makers and name not in self._names}
        for name in wanted:
            if name not in stored or name in self._read_first(tree, name):
                self._names[name] = self._known[name] = self._makers[name]()
        for name in (used & LIBRARIES.keys()) - stored - self._names.keys():
            self._names[name] = self._known[name] = import_module(LIBRARIES[name])
        if "plt" in used or imported & {"matplotlib", "seaborn"} or "matplotlib.figure" in sys.modules:
            _remember_saved(saved_figures)

    @staticmethod
    def _read_first(tree: ast.Module, name: str) -> set[str]:
        """The name, where the cell reads it before it sets it (in the order of lines; a value before its target)."""
        places = [
            (n.lineno, 0 if isinstance(n.ctx, ast.Load) else 1)
            for n in ast.walk(tree)
            if isinstance(n, ast.Name) and n.id == name
        ]
        return {name} if min(places)[1] == 0 else set()

    def _collect(self, before: dict[str, tuple[int, int]], saved_figures: set[int]) -> None:
        """Pictures that the cell drew or wrote; a failure here is told, not raised."""
        try:
            written = [p for p, mark in self._pictures().items() if before.get(p) != mark]
            self._shown.saved(sorted(written, key=lambda p: os.stat(p).st_mtime_ns))  # noqa: PTH116
            for figure in open_figures():
                if not (written and id(figure) in saved_figures):
                    self._shown.picture(figure)
        except Exception as e:  # noqa: BLE001
            self._shown.truncated.append(f"a figure could not be taken over: {type(e).__name__}: {e}"[:300])

    def _pictures(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        try:
            with os.scandir(self._scratch) as entries:
                for entry in entries:
                    if len(found) < 100 and os.path.splitext(entry.name)[1].lower() in PICTURES and entry.is_file(follow_symlinks=False):  # noqa: PTH122  # fmt: skip
                        facts = entry.stat(follow_symlinks=False)
                        found[entry.path] = (facts.st_mtime_ns, facts.st_size)
        except OSError:
            pass
        return found

    def _variables(self) -> dict[str, str]:
        told: dict[str, str] = {}
        for name, value in list(self._names.items()):
            if len(told) >= self._limits["variables"]:
                self._shown.truncated.append(f"variables: only {len(told)} are told")
                break
            if not isinstance(name, str) or name.startswith("_") or type(value).__name__ == "module":
                continue
            if name in {"display", "load", "sql"} and self._known.get(name) is value:
                continue
            told[name[:200]] = _described(value)
        return told

    def _error(self, error: BaseException, code: str) -> dict[str, Any]:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith("<cell ")]
        line = frames[-1].lineno if frames else None
        if isinstance(error, SyntaxError) and (error.filename or "").startswith("<cell "):
            line = error.lineno
        here = [f for f in frames if f.filename == f"<cell {self._count}>"]
        line = here[-1].lineno if here else line
        lines = code.splitlines()
        source = lines[line - 1].strip() if line and line <= len(lines) and (here or not frames) else None
        try:
            message = str(error)
        except Exception:  # noqa: BLE001 - the class is the cell's own
            message = ""
        told = "".join(
            f"{f.filename}, line {f.lineno}, in {f.name}\n    {f.line or ''}\n" for f in frames[-20:]
        )
        return {
            "kind": type(error).__name__[:200],
            "message": message[:4000],
            "line": line,
            "source_line": source[:1000] if source else None,
            "traceback": told[:8000],
        }

    def _display(self, *values: Any) -> None:
        for value in values:
            self._shown.show(value)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self._running:
            raise KeyboardInterrupt


def _described(value: Any) -> str:
    kind = type(value).__name__
    try:
        shape = value.shape if kind in {"DataFrame", "Series", "ndarray"} else ()
        if shape:
            return f"{kind} ({' × '.join(str(int(n)) for n in shape)})"[:200]
        if isinstance(value, (list, dict, set, tuple, str)):
            return f"{kind} ({len(value)})"[:200]
    except Exception:  # noqa: BLE001, S110 - the object may be of any class
        pass
    return kind[:200]


def _remember_saved(saved: set[int]) -> None:
    """Tell figures that were written to a file, which are shown from there, from those that were not."""
    figure = import_module("matplotlib.figure").Figure
    original = getattr(figure.savefig, "original", figure.savefig)

    def savefig(self: Any, target: Any, *args: Any, **more: Any) -> Any:
        result = original(self, target, *args, **more)
        if isinstance(target, (str, os.PathLike)):
            saved.add(id(self))
        return result

    savefig.original = original  # pyright: ignore[reportFunctionMemberAccess]
    figure.savefig = savefig
