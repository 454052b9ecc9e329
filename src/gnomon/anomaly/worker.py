"""A process that fits one detector and can be stopped: ``python -m gnomon.anomaly.worker FOLDER``.

The folder holds the matrix as ``X.npy`` (mapped, not copied) and the job as ``job.pickle``; the answer is
written to ``done.pickle``. Both pickles are written by the parent's own user in a private folder.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

ORPHAN_CHECK_SECONDS = 0.25


def fit(job: dict[str, Any], X: np.ndarray) -> dict[str, Any]:
    """Fit the detector of a job; an exception becomes the text of an error."""
    from gnomon.anomaly.registry import build

    started = time.perf_counter()
    try:
        detector = job.get("detector") or build(job["name"], job["params"], job["seed"])
        detector.fit(X)
    except Exception as failed:  # noqa: BLE001  any failure of a foreign detector is a typed result
        return {"error": describe(failed), "seconds": time.perf_counter() - started}
    return {"detector": detector, "seconds": time.perf_counter() - started}


def describe(failed: BaseException) -> str:
    """An exception in one line, with its kind."""
    text = str(failed).strip().splitlines()
    return f"{type(failed).__name__}: {text[0] if text else 'no message'}"


def end_with(parent: int) -> None:
    """End this process when its parent is gone, however busy it is: nobody is left to take the answer."""
    while os.getppid() == parent:
        time.sleep(ORPHAN_CHECK_SECONDS)
    os._exit(1)


def main(folder: Path) -> None:
    """Do the job of a folder."""
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    job = pickle.loads((folder / "job.pickle").read_bytes())  # noqa: S301  written by the parent process
    X = np.load(folder / "X.npy", mmap_mode="r")
    answer = fit(job, np.asarray(X))
    partial = folder / f"{job['id']}.partial"
    try:
        partial.write_bytes(pickle.dumps(answer))
    except Exception as failed:  # noqa: BLE001  a detector that cannot be pickled is reported, not lost
        partial.write_bytes(pickle.dumps({"error": describe(failed), "seconds": answer["seconds"]}))
    partial.rename(folder / "done.pickle")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
