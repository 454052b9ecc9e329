"""A caller who hangs up cancels the work, even in the middle of a model fit."""

import json
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import psutil
import pytest
from tests.server.running import running_service


def busy_children(since: dict[int, float]) -> list[psutil.Process]:
    """Child processes that used the processor for more than half a second since the first look."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            spent = child.cpu_times().user
        except psutil.NoSuchProcess:
            continue
        if spent - since.get(child.pid, 0.0) > 0.5:
            found.append(child)
    return found


@pytest.mark.long
def test_hanging_up_ends_the_process_that_computes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [dict(zip("abcdefgh", map(float, r), strict=True)) for r in rng.normal(size=(20_000, 8)).round(3)]
    body = json.dumps({"data_pointer": {"rows": rows}, "context": {"task": "cluster the rows"}}).encode()
    with running_service(tmp_path) as address:
        where = urlsplit(address)
        caller = socket.create_connection((where.hostname, where.port))
        head = f"POST /v2/analyze HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        caller.sendall(head.encode() + body)
        deadline = time.monotonic() + 90
        log = tmp_path / "logs" / "agent_v2.log"
        while (
            not (log.exists() and "Invoking tool: cluster_segmentation" in log.read_text())
            and time.monotonic() < deadline
        ):
            time.sleep(0.05)
        start = {c.pid: c.cpu_times().user for c in psutil.Process().children(recursive=True)}
        while not (workers := busy_children(start)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert workers, "the fit never began"
        caller.close()
        _, alive = psutil.wait_procs(workers, timeout=10)
        assert alive == []
        assert "cancelled" in log.read_text()
