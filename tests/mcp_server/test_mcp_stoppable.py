"""Work in a process of its own: what it gives, how it fails, and that nothing of it survives a cancellation."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from mcp_harness import assert_ends

from gnomon.core.errors import Cancelled, GnomonError, InvalidInput
from gnomon.mcp_server.calls import Control
from gnomon.mcp_server.stoppable import StoppableWork
from gnomon.tools import CancelToken

Progress = Callable[[float, str], None]


@pytest.fixture(scope="module")
def work() -> Iterator[StoppableWork]:
    made = StoppableWork()
    yield made
    made.close()


def doubled(subject: list[int], progress: Progress) -> list[int]:
    progress(0.5, "half")
    return [2 * n for n in subject]


def refused(subject: list[int], progress: Progress) -> list[int]:
    raise InvalidInput("Not these.", suggestions=["Others."])


def crashed(subject: list[int], progress: Progress) -> list[int]:
    return [1 // 0]


def endless(file: str, subject: list[int], progress: Progress) -> list[int]:
    """Start a child in a session of its own, then burn."""
    import os

    child = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
    Path(file).write_text(f"{os.getpid()} {child.pid}")
    progress(0.25, "burning")
    while True:
        sum(range(10_000))


@pytest.mark.long
def test_it_gives_what_the_work_makes_and_reports_progress(work: StoppableWork) -> None:
    told: list[float] = []
    mine = [1, 2, 3]
    control = Control(CancelToken(), lambda fraction, _: told.append(fraction))
    assert work.run(doubled, mine, control) == [2, 4, 6]
    assert mine == [1, 2, 3]
    assert 0.5 in told


@pytest.mark.long
def test_failures_come_back_typed(work: StoppableWork) -> None:
    control = Control(CancelToken(), lambda *_: None)
    with pytest.raises(InvalidInput, match="Not these") as error:
        work.run(refused, [1], control)
    assert error.value.suggestions == ("Others.",)
    with pytest.raises(GnomonError, match="ZeroDivisionError"):
        work.run(crashed, [1], control)


@pytest.mark.long
def test_cancelling_ends_the_process_and_what_it_started(work: StoppableWork, tmp_path: Path) -> None:
    cancel, burning = CancelToken(), threading.Event()
    ended: list[type[BaseException]] = []

    def told(fraction: float, message: str) -> None:
        if fraction >= 0.25:
            burning.set()

    def call() -> None:
        try:
            work.run(partial(endless, str(tmp_path / "pids")), [1], Control(cancel, told))
        except GnomonError as e:
            ended.append(type(e))

    thread = threading.Thread(target=call)
    thread.start()
    assert burning.wait(60)
    cancel.cancel()
    thread.join(10)
    assert ended == [Cancelled]
    for pid in (tmp_path / "pids").read_text().split():
        assert_ends(int(pid))
    assert work.run(doubled, [4], Control(CancelToken(), lambda *_: None)) == [8]


@pytest.mark.long
def test_an_investigation_of_nothing_but_text_runs_in_its_process(tmp_path: Path) -> None:
    from chains import calling
    from mcp_harness import server_over

    file = tmp_path / "remarks.csv"
    lines = [f'"the customer number {i} said that all of it was fine and left"' for i in range(40)]
    file.write_text("\n".join(["remark", *lines]) + "\n")
    with server_over(file, share_rows=True) as server, calling(server) as call:
        state = call("investigation_start", {"data": {"table": "remarks"}}).structured_content
        for step in ("plan", "run", "analyze"):
            result = call(f"investigation_{step}", {"investigation": state["investigation"]})
            assert not result.is_error, result.content[0].text
    assert result.structured_content["phase"] == "analyzed"
