"""The process dies in the middle of ten runs: nothing is lost, and all are shown as they are."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from tests.homes import warmed
from tests.server.shop import ROWS, ended, uploaded

from gnomon.store import Store

GNOMON = [sys.executable, "-c", "from gnomon.cli import main; main()"]
TOTAL = sum(r["sales"] for r in ROWS)


class Served:
    """A service in a process of its own, started as a user does."""

    def __init__(self, home: Path) -> None:
        environment = os.environ | {"GNOMON_HOME": str(warmed(home)), "GNOMON_LOG_DIR": str(home / "logs")}
        command = [*GNOMON, "serve", "--port", "0", "--no-browser"]
        self.process = subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        address = re.search(r"http://[\d.:]+", line)
        assert address, line + self.process.stderr.read()
        self.client = httpx.Client(base_url=address[0], timeout=240)

    def kill(self) -> None:
        """As the machine does when memory runs out."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        """As Ctrl+C does."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60)


def begun(client: Any, path: str, body: dict[str, Any]) -> str:
    answer = client.post(path, json=body)
    assert answer.status_code == 202, answer.text
    return answer.json()["run_id"]


@pytest.mark.long
def test_nothing_is_lost_when_the_process_is_killed_in_the_middle_of_ten_runs(tmp_path: Path) -> None:
    from gnomon.data.demo_store import write_demo_store

    write_demo_store(tmp_path / "demo", scale=0.01)
    first = Served(tmp_path)
    try:
        shop = uploaded(first.client)
        done = [
            begun(first.client, "/api/ask", {"question": "total sales", "dataset_id": shop, "session_id": f"s{i}", "wait": False})
            for i in range(3)
        ]  # fmt: skip
        assert {ended(first.client, run)["status"] for run in done} == {"success"}
        long = [
            begun(first.client, "/api/start", {"requirement": "", "files": [shop], "template": name})
            for name in ("health_check", "data_quality", "trend_and_seasonality", "forecasting") * 2
        ]
        short = [
            begun(
                first.client, "/api/ask", {"question": "sales by region", "dataset_id": shop, "wait": False}
            )
            for _ in range(2)
        ]
        time.sleep(0.3)
    finally:
        first.kill()

    with Store.open(tmp_path / "gnomon.db") as store:  # what is on disk, before any server touches it
        kept = {r.id: r for r in store.runs(100)}
    assert set(done + long + short) <= set(kept)
    assert not [r for r in kept.values() if r.status == "running"]

    second = Served(tmp_path)
    try:
        shown = {r["id"]: r for r in second.client.get("/api/runs", params={"limit": 100}).json()["runs"]}
        assert set(done + long + short) <= set(shown)
        for run in done:
            assert second.client.get(f"/api/runs/{run}").json()["answer"]["facts"][0]["value"] == TOTAL
        broken = [run for run in long + short if shown[run]["status"] == "interrupted"]
        assert broken, "the process was killed too late to interrupt anything"
        assert {shown[run]["status"] for run in long + short} <= {"interrupted", "success"}
        status = second.client.get("/api/status", params={"run_id": broken[0]}).json()
        assert (status["is_running"], status["status"]) == (False, "interrupted")
        assert "Resume" in status["status_message"]
        resumed = second.client.post(f"/api/runs/{broken[0]}/resume")
        assert resumed.status_code == 202, resumed.text
        assert ended(second.client, broken[0], 120)["status"] == "success"
        events = second.client.get(f"/api/runs/{broken[0]}").json()["events"]
        assert [e["kind"] for e in events].count("started") >= 1
        assert events[-1]["kind"] == "finished"
        follow = second.client.post(
            "/api/ask", json={"question": "and by region?", "session_id": "s1"}
        ).json()
        assert follow["status"] == "answered"
        assert second.stop() in (0, -signal.SIGINT)
        said = second.process.stderr.read() if second.process.stderr else ""
        assert "Traceback" not in said
        assert "stopped" in said
    finally:
        if second.process.poll() is None:
            second.kill()


def test_a_port_in_use_is_told_plainly(tmp_path: Path) -> None:
    from gnomon.server.listening import listening

    taken = listening("127.0.0.1", 0)
    try:
        port = str(taken.getsockname()[1])
        said = subprocess.run(
            [*GNOMON, "serve", "--port", port],
            env=os.environ | {"GNOMON_HOME": str(tmp_path)}, capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
    finally:
        taken.close()
    assert said.returncode == 1
    assert f"Port {port} of 127.0.0.1 is taken" in said.stderr
    assert "Traceback" not in said.stderr
