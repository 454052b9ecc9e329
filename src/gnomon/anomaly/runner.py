"""Running planned detectors side by side, within a time budget that is kept.

A detector that is surely quick runs in this process; any other runs in a process of its own, which is
killed when the budget ends. What was stopped is an error with its reason, what never began is skipped.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from gnomon.anomaly.cost import estimate_seconds
from gnomon.anomaly.registry import build, lookup
from gnomon.anomaly.worker import fit

Progress = Callable[[str, str], None]
PARALLEL: Final = 3
_QUICK_SECONDS: Final = 20.0
_SURE: Final = 0.25


@dataclass
class _Running:
    index: int
    process: subprocess.Popen[bytes]
    folder: Path
    started: float


@dataclass
class Outcome:
    """What became of one planned detector: a fitted ``detector``, or the reason why there is none."""

    status: str
    detector: Any = None
    error: str | None = None
    seconds: float = 0.0


@dataclass
class _Job:
    index: int
    name: str
    params: dict[str, Any]
    estimate: float
    apart: bool = field(default=False)


def run_all(
    X: np.ndarray,
    plans: Sequence[Mapping[str, Any]],
    *,
    seed: int = 0,
    max_seconds: float | None = None,
    progress: Progress | None = None,
    knowledge: Mapping[str, Any] | None = None,
) -> list[Outcome]:
    """Fit every plan's detector to ``X``.

    Args:
        X: The prepared matrix.
        plans: At least ``detector_name`` each, ``params`` where wanted.
        seed: For detectors that are random.
        max_seconds: Wall-clock budget for all of them together.
        progress: Called with the detector's name and ``started``, ``success``, ``error`` or ``skipped``.
        knowledge: Measured costs.

    Returns:
        One outcome per plan, in order.
    """
    deadline = None if max_seconds is None else time.monotonic() + max_seconds
    tell = progress or (lambda name, event: None)
    outcomes: list[Outcome] = [Outcome("skipped", error="Not started.") for _ in plans]
    jobs: list[_Job] = []
    for i, plan in enumerate(plans):
        try:
            name = lookup(plan["detector_name"]).name
            job = _Job(
                i, name, dict(plan.get("params") or {}), estimate_seconds(name, len(X), X.shape[1], knowledge)
            )
        except ValueError as unknown:
            outcomes[i] = Outcome("error", error=str(unknown))
            tell(str(plan["detector_name"]), "error")
            continue
        job.apart = _needs_process(job, max_seconds)
        jobs.append(job)
    here, apart = [j for j in jobs if not j.apart], [j for j in jobs if j.apart]
    with (
        tempfile.TemporaryDirectory(prefix="gnomon-anomaly-") as folder,
        ThreadPoolExecutor(PARALLEL) as pool,
    ):
        watcher = pool.submit(_run_apart, X, apart, outcomes, seed, deadline, tell, Path(folder))
        for job in here:
            _run_here(X, job, outcomes, seed, deadline, tell)
        watcher.result()
    return outcomes


def _needs_process(job: _Job, max_seconds: float | None) -> bool:
    if lookup(job.name).factory is not None and max_seconds is None:
        return False
    limit = _QUICK_SECONDS if max_seconds is None else _SURE * max_seconds
    if lookup(job.name).native and max_seconds is None:
        return False
    return job.estimate > limit


def _run_here(
    X: np.ndarray, job: _Job, outcomes: list[Outcome], seed: int, deadline: float | None, tell: Progress
) -> None:
    if deadline is not None and time.monotonic() >= deadline:
        outcomes[job.index] = Outcome("skipped", error="The time budget ended before it could start.")
        tell(job.name, "skipped")
        return
    tell(job.name, "started")
    outcomes[job.index] = _outcome(fit({"name": job.name, "params": job.params, "seed": seed}, X))
    tell(job.name, outcomes[job.index].status)


def _outcome(answer: Mapping[str, Any]) -> Outcome:
    if "error" in answer:
        return Outcome("error", error=str(answer["error"]), seconds=float(answer["seconds"]))
    return Outcome("success", detector=answer["detector"], seconds=float(answer["seconds"]))


def _run_apart(
    X: np.ndarray,
    jobs: list[_Job],
    outcomes: list[Outcome],
    seed: int,
    deadline: float | None,
    tell: Progress,
    folder: Path,
) -> None:
    """Processes for the jobs, as many at once as there are cores, each killed at the deadline."""
    if not jobs:
        return
    np.save(folder / "X.npy", np.ascontiguousarray(X))
    slots = max(1, min(PARALLEL, os.cpu_count() or 1))
    waiting, running = list(jobs), list[_Running]()
    by_index = {j.index: j for j in jobs}
    try:
        while waiting or running:
            late = deadline is not None and time.monotonic() >= deadline
            while waiting and not late and len(running) < slots:
                running.append(_start(waiting.pop(0), seed, folder, slots, tell))
            if late:
                _give_up(waiting, running, outcomes, by_index, tell)
                return
            running = [r for r in running if not _collect(r, outcomes, by_index, tell)]
            _pause(running, deadline)
    finally:
        for r in running:
            _kill(r.process)


def _pause(running: list[_Running], deadline: float | None) -> None:
    """Wait until a process may have ended, without overrunning the deadline."""
    if not running:
        return
    left = 0.2 if deadline is None else max(0.0, min(0.2, deadline - time.monotonic()))
    with suppress(subprocess.TimeoutExpired):
        running[0].process.wait(timeout=left)


def _start(job: _Job, seed: int, folder: Path, slots: int, tell: Progress) -> _Running:
    own = folder / f"job-{job.index}"
    own.mkdir()
    (own / "X.npy").symlink_to(folder / "X.npy")
    content: dict[str, Any] = {"id": job.index, "name": job.name, "params": job.params, "seed": seed}
    if lookup(job.name).factory is not None:
        content["detector"] = build(job.name, job.params, seed)
    (own / "job.pickle").write_bytes(pickle.dumps(content))
    threads = str(max(1, (os.cpu_count() or 1) // slots))
    limits = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), threads
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "gnomon.anomaly.worker", str(own)],
        env={**os.environ, **limits, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=(own / "stderr").open("wb"),
        start_new_session=True,
    )
    tell(job.name, "started")
    return _Running(job.index, process, own, time.monotonic())


def _collect(r: _Running, outcomes: list[Outcome], jobs: Mapping[int, _Job], tell: Progress) -> bool:
    """Take the answer of a process that has ended."""
    if r.process.poll() is None:
        return False
    done = r.folder / "done.pickle"
    if done.exists():
        outcomes[r.index] = _outcome(pickle.loads(done.read_bytes()))  # noqa: S301  our own worker wrote it
    else:
        said = (r.folder / "stderr").read_text(errors="replace").strip().splitlines()
        why = said[-1] if said else f"its process ended with code {r.process.returncode}"
        outcomes[r.index] = Outcome("error", error=why, seconds=time.monotonic() - r.started)
    tell(jobs[r.index].name, outcomes[r.index].status)
    return True


def _give_up(
    waiting: list[_Job],
    running: list[_Running],
    outcomes: list[Outcome],
    jobs: Mapping[int, _Job],
    tell: Progress,
) -> None:
    for r in running:
        if _collect(r, outcomes, jobs, tell):
            continue
        _kill(r.process)
        spent = time.monotonic() - r.started
        outcomes[r.index] = Outcome(
            "error", error=f"Stopped after {spent:.1f} s: the time budget ended.", seconds=spent
        )
        tell(jobs[r.index].name, "error")
    for job in waiting:
        outcomes[job.index] = Outcome("skipped", error="The time budget ended before it could start.")
        tell(job.name, "skipped")
    running.clear()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and everything it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
