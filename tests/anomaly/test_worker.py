"""A process that fits a detector ends with the one that asked for it."""

import pickle
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil

PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-m", "gnomon.anomaly.worker", sys.argv[1]])
print(child.pid, flush=True)
child.wait()
"""


class Endless:
    """A detector that never comes to an end."""

    def fit(self, X: np.ndarray) -> None:
        while True:
            np.linalg.svd(X)


def test_a_worker_whose_parent_was_killed_ends_too(tmp_path: Path) -> None:
    import cloudpickle

    np.save(tmp_path / "X.npy", np.random.default_rng(0).normal(size=(200, 20)))
    module = sys.modules[__name__]
    cloudpickle.register_pickle_by_value(module)
    (tmp_path / "job.pickle").write_bytes(cloudpickle.dumps({"id": "1", "detector": Endless()}))
    cloudpickle.unregister_pickle_by_value(module)
    assert pickle.loads((tmp_path / "job.pickle").read_bytes())["id"] == "1"
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    worker = psutil.Process(int(parent.stdout.readline()))
    deadline = time.monotonic() + 60
    while worker.cpu_times().user < 0.5 and time.monotonic() < deadline:
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    _, alive = psutil.wait_procs([worker], timeout=20)
    assert alive == []
