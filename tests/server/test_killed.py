"""The process dies in the middle of ten runs: nothing is lost, and all are shown as they are."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
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


def investigation(client: Any, dataset: str) -> str:
    """Where an investigation is whose detectors are about to run."""
    told = client.post("/api/investigations", json={"dataset_id": dataset, "columns": ["sales"]}).json()
    place = f"/api/investigations/{told['investigation_id']}"
    assert client.post(f"{place}/plan", json={"priority": "speed"}).status_code == 200
    return place


@pytest.mark.long
def test_nothing_is_lost_when_the_process_is_killed_in_the_middle_of_ten_runs(tmp_path: Path) -> None:
    from gnomon.data.demo_store import write_demo_store

    write_demo_store(tmp_path / "demo", scale=0.01)
    first = Served(tmp_path)
    try:
        shop = uploaded(first.client)
        about = {"dataset_id": shop, "wait": False}
        done = [
            begun(first.client, "/api/ask", {"question": "total sales", "session_id": f"s{i}", **about})
            for i in range(3)
        ]
        assert {ended(first.client, run)["status"] for run in done} == {"success"}
        places = [investigation(first.client, shop) for _ in range(3)]
        going = {
            "analysis": [
                begun(first.client, "/api/start", {"requirement": "", "files": [shop], "template": name})
                for name in ("health_check", "data_quality", "trend_and_seasonality", "forecasting")
            ],
            "investigation": [begun(first.client, f"{place}/run", {"wait": False}) for place in places],
            "ask": [
                begun(first.client, "/api/ask", {"question": question, "session_id": f"s{i}", **about})
                for i, question in enumerate(("and by region?", "why did it rise in April 2024?", "and for north?"))
            ],
        }  # fmt: skip
    finally:
        first.kill()

    everything = [*done, *(run for runs in going.values() for run in runs)]
    with Store.open(tmp_path / "gnomon.db") as store:  # what is on disk, before any server touches it
        kept = {r.id: r for r in store.runs(100)}
    assert set(everything) <= set(kept)
    assert not [r for r in kept.values() if r.status == "running"]

    second = Served(tmp_path)
    try:
        shown = {r["id"]: r for r in second.client.get("/api/runs", params={"limit": 100}).json()["runs"]}
        assert set(everything) <= set(shown)
        for run in done:
            assert second.client.get(f"/api/runs/{run}").json()["answer"]["facts"][0]["value"] == TOTAL
        assert {shown[run]["status"] for runs in going.values() for run in runs} <= {"interrupted", "success"}
        broken = {k: [r for r in runs if shown[r]["status"] == "interrupted"] for k, runs in going.items()}
        assert all(broken.values()), f"the process was killed too late to interrupt one of each: {broken}"
        for run in (run for runs in broken.values() for run in runs):
            status = second.client.get("/api/status", params={"run_id": run}).json()
            assert (status["is_running"], status["status"]) == (False, "interrupted")
            assert "Resume" in status["status_message"]
            no_report = second.client.get(f"/api/runs/{run}/report.html")
            assert no_report.status_code == 422 and "interrupted" in no_report.json()["message"]
            resumed = second.client.post(f"/api/runs/{run}/resume")
            assert resumed.status_code == 202, resumed.text
            assert ended(second.client, run, 120)["status"] == "success"
            events = second.client.get(f"/api/runs/{run}").json()["events"]
            assert [e["kind"] for e in events].count("started") >= 1
            assert events[-1]["kind"] == "finished"
        for kind, runs in going.items():
            told = second.client.post(f"/api/runs/{runs[0]}/replay").json()
            assert told["same"], (kind, told)
        for place in places:
            assert second.client.get(place).json()["phase"] == "detected"
            assert second.client.post(f"{place}/analyze", json={}).json()["phase"] == "analyzed"
        for i, run in enumerate(going["ask"]):
            turns = second.client.get(f"/api/conversations/s{i}").json()["turns"]
            assert [t["run_id"] for t in turns] == [done[i], run]
        north = second.client.get(f"/api/runs/{going['ask'][2]}").json()["answer"]
        assert north["facts"][0]["value"] == sum(r["sales"] for r in ROWS if r["region"] == "north")
        follow = second.client.post(
            "/api/ask", json={"question": "and for south?", "session_id": "s2"}
        ).json()
        assert follow["facts"][0]["value"] == TOTAL - north["facts"][0]["value"]
        assert second.stop() in (0, -signal.SIGINT)
        said = second.process.stderr.read() if second.process.stderr else ""
        assert "Traceback" not in said
        assert "stopped" in said
    finally:
        if second.process.poll() is None:
            second.kill()


@pytest.mark.long
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


def test_replies_are_sent_at_once() -> None:
    """The event loop asks for it where the socket names its protocol; else a body waits for its head to be acknowledged."""
    from gnomon.server.listening import listening

    async def connected() -> int:
        seen: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def look(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            held = writer.get_extra_info("socket")
            seen.set_result(held.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listens = listening("127.0.0.1", 0)
        async with await asyncio.start_server(look, sock=listens):
            _, writer = await asyncio.open_connection(*listens.getsockname())
            writer.close()
            return await asyncio.wait_for(seen, 10)

    assert asyncio.run(connected()) == 1
