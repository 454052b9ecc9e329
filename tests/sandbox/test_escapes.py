"""Nothing that code tries inside the sandbox reaches the machine, and the executor goes on after each attempt."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.sandbox.attempts import EVERYWHERE, ONLY_BUBBLEWRAP
from tests.sandbox.conftest import TIGHT, landlock_version

from gnomon.sandbox import CellResult, CodeExecutor, Figure

MARKER = "marker-5b1f0c9e"
BUBBLEWRAP = pytest.param("bubblewrap", marks=pytest.mark.needs("bwrap"))
LANDLOCK = pytest.param(
    "landlock", marks=pytest.mark.skipif(landlock_version() < 1, reason="this kernel has no Landlock")
)
BOTH = pytest.mark.parametrize("mode", [BUBBLEWRAP, LANDLOCK])


class Bait:
    """Things outside that belong to this test and that code inside must not reach."""

    def __init__(self, folder: Path) -> None:
        self.secret = folder / "secret.txt"
        self.secret.write_text(f"{MARKER}\n")
        self.secret.chmod(0o644)
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.path = str(folder / "socket")
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(self.path)
        Path(self.path).chmod(0o777)
        self.abstract_name = f"gnomon-{os.getpid()}"
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind("\0" + self.abstract_name)
        for listener in (self.tcp, self.unix, self.abstract):
            listener.listen()
            listener.setblocking(False)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        self.victim = subprocess.Popen(["sleep", "300"], **nobody)  # type: ignore[call-overload]

    def prologue(self) -> str:
        values = {
            "MARKER": MARKER[::-1],  # the marker itself is never sent inside
            "SECRET_PATH": str(self.secret),
            "PORT": self.tcp.getsockname()[1],
            "SOCKET_PATH": self.path,
            "ABSTRACT": self.abstract_name,
            "HOST_PID": os.getpid(),
            "VICTIM_PID": self.victim.pid,
        }
        return "\n".join(f"{k} = {v!r}" for k, v in values.items()) + "\nMARKER = MARKER[::-1]\n"

    def untouched(self) -> bool:
        for listener in (self.tcp, self.unix, self.abstract):
            try:
                listener.accept()
            except BlockingIOError:
                continue
            return False
        return self.victim.poll() is None and self.secret.read_text() == f"{MARKER}\n"

    def close(self) -> None:
        self.victim.kill()
        self.victim.wait()
        for listener in (self.tcp, self.unix, self.abstract):
            listener.close()


@pytest.fixture(scope="module")
def bait(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bait]:
    folder = tmp_path_factory.mktemp("outside")
    for parent in [folder, *folder.parents][:3]:  # so that permissions alone would not keep code out
        if parent.stat().st_uid == os.geteuid():
            parent.chmod(0o755)
    os.environ["BAIT_SECRET"] = MARKER
    thing = Bait(folder)
    yield thing
    thing.close()
    del os.environ["BAIT_SECRET"]


def said(result: CellResult) -> str:
    return result.stdout + result.stderr + repr(result.error) + repr(result.artefacts)


def still_works(executor: CodeExecutor) -> None:
    result = executor.run("21 * 2")
    if not result.ok or not result.artefacts:  # a worker that was patched from inside can be begun anew
        executor.restart()
        result = executor.run("21 * 2")
    assert [getattr(a, "text", None) for a in result.artefacts] == ["42"]


def attempt(executor: CodeExecutor, bait: Bait, sales_file: Path, code: str) -> None:
    before = sales_file.read_bytes()
    result = executor.run(bait.prologue() + code)
    assert "ESCAPED" not in result.stdout + repr(result.artefacts), said(result)
    assert MARKER not in said(result)
    assert bait.untouched()
    assert sales_file.read_bytes() == before
    still_works(executor)


@BOTH
@pytest.mark.parametrize("name", sorted(EVERYWHERE))
def test_no_attempt_gets_out(
    mode: str, name: str, workers: Callable[[str], CodeExecutor], bait: Bait, sales_file: Path
) -> None:
    attempt(workers(mode), bait, sales_file, EVERYWHERE[name])


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("name", sorted(ONLY_BUBBLEWRAP))
def test_with_namespaces_the_machine_is_not_even_seen(
    name: str, workers: Callable[[str], CodeExecutor], bait: Bait, sales_file: Path
) -> None:
    attempt(workers("bubblewrap"), bait, sales_file, ONLY_BUBBLEWRAP[name])


@pytest.mark.needs("bwrap")
def test_the_attempts_would_be_noticed(
    workers: Callable[[str], CodeExecutor], bait: Bait, sales_file: Path
) -> None:
    with pytest.raises(AssertionError):
        attempt(workers("bubblewrap"), bait, sales_file, "print(open(sales_path).read(), 'ESCAPED')")


BOMBS = {
    "processes": "import os, time\nmade = 0\ntry:\n    while True:\n        if os.fork() == 0:\n            time.sleep(30)\n        made += 1\nexcept OSError as e:\n    print('made', made)",
    "threads": "import threading, time\nmade = 0\ntry:\n    while True:\n        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()\n        made += 1\nexcept RuntimeError:\n    print('made', made)",
    "memory": "kept = []\ntry:\n    while len(kept) < 10**5: kept.append(bytearray(16 << 20))\nexcept MemoryError:\n    print('made', len(kept) * 16 // 100)",
    "one huge file": "made = 0\ntry:\n    with open('big', 'wb') as f:\n        while made < 10**5:\n            f.write(bytes(1 << 20))\n            made += 1\nexcept OSError:\n    print('made', made // 10)",
    "open files": "import os\nmade = []\ntry:\n    while True: made.append(os.dup(1))\nexcept OSError:\n    print('made', len(made) // 10)\nfor fd in made: os.close(fd)",
    "a file with a hole": "try:\n    open('hole', 'wb').truncate(1 << 40)\n    print('made', 10**9)\nexcept OSError:\n    print('made 0')",
}


@BOTH
@pytest.mark.parametrize("name", sorted(BOMBS))
def test_a_bomb_stops_at_its_limit(mode: str, name: str, workers: Callable[[str], CodeExecutor]) -> None:
    executor = workers(mode)
    result = executor.run(BOMBS[name])
    made = int(result.stdout.split("made")[1].split()[0]) if "made" in result.stdout else 0
    assert "made" in result.stdout or (result.error is not None and result.error.killed), said(result)
    assert made <= max(TIGHT.processes, 100)
    executor.restart()
    still_works(executor)


@BOTH
def test_memory_of_many_processes_is_counted_together(
    mode: str, workers: Callable[[str], CodeExecutor]
) -> None:
    code = "import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        kept = bytearray(250 << 20)\n        time.sleep(8)\n        os._exit(0)\ntime.sleep(8)"
    result = workers(mode).run(code)
    assert result.error is not None
    assert "memory" in result.error.message
    assert result.state_lost
    still_works(workers(mode))


@BOTH
def test_a_flood_of_small_files_ends_the_worker(mode: str, workers: Callable[[str], CodeExecutor]) -> None:
    code = "import os\nos.mkdir('many')\nfor i in range(10**7): open(f'many/{i}', 'w').close()"
    result = workers(mode).run(code)
    assert result.error is not None
    assert "files" in result.error.message
    still_works(workers(mode))


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_many_files_cannot_fill_the_private_folder_beyond_its_size(
    place: str, workers: Callable[[str], CodeExecutor]
) -> None:
    code = f"written = 0\ntry:\n    for i in range(1000):\n        with open(f'{place}/fill{{i}}', 'wb') as f: written += f.write(bytes(4 << 20))\nexcept OSError: pass\nprint(written)"
    executor = workers("bubblewrap")
    result = executor.run(code)
    assert int(result.stdout) <= TIGHT.files_mb << 20
    executor.restart()


@BOTH
def test_processes_left_behind_end_with_the_worker(mode: str, workers: Callable[[str], CodeExecutor]) -> None:
    executor = workers(mode)
    word = f"left-behind-{os.getpid()}-{mode}"
    result = executor.run(
        f"import subprocess, sys\nfor _ in range(3): subprocess.Popen([sys.executable, '-Sc', 'import time; time.sleep(60)', {word!r}])\n"
    )
    assert result.ok, said(result)
    executor.restart()
    deadline = time.monotonic() + 5  # a process that was killed is gone when the kernel has come round to it
    while (left := commands_with(word)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left
    still_works(executor)


def commands_with(word: str) -> list[bytes]:
    """The commands of processes that run and name a word."""
    found: list[bytes] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            found.append(path.read_bytes())
    return [c for c in found if word.encode() in c]


STUBBORN = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"


def gone(pid: int) -> bool:
    """Whether the process ends within some seconds."""
    limit = time.monotonic() + 5
    while Path(f"/proc/{pid}").exists() and time.monotonic() < limit:
        time.sleep(0.02)
    return not Path(f"/proc/{pid}").exists()


@BOTH
def test_a_worker_that_was_killed_is_really_gone(mode: str, workers: Callable[[str], CodeExecutor]) -> None:
    executor = workers(mode)
    assert executor.run("1").ok
    assert executor._worker is not None
    pid = executor._worker._pid
    assert Path(f"/proc/{pid}").exists()
    result = executor.run(STUBBORN, seconds=0.2)
    assert result.error is not None
    assert result.error.killed
    assert gone(pid)


@pytest.mark.long
@BOTH
def test_a_busy_worker_ends_with_the_program_that_started_it(mode: str, tmp_path: Path) -> None:
    program = (
        "import threading, time\nfrom gnomon.core.settings import Settings\nfrom gnomon.sandbox import CodeExecutor\n"
        f"executor = CodeExecutor(settings=Settings(sandbox={mode!r}), warm=False)\nexecutor.run('1')\n"
        "print(executor._worker._pid, flush=True)\n"
        f"executor.run({STUBBORN!r}, seconds=60)"
    )
    command, env = [sys.executable, "-c", program], {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as host:
        assert host.stdout is not None
        pid = int(host.stdout.readline())
        host.kill()
    assert gone(pid)


FLOODS = {
    "print": "for i in range(60_000): print('x' * 100)",
    "stderr": "import sys\nfor i in range(60_000): print('x' * 100, file=sys.stderr)",
    "the descriptor": "import os\nfor i in range(300): os.write(1, b'x' * 100_000)",
}


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("name", sorted(FLOODS))
def test_a_flood_of_output_is_cut(name: str, workers: Callable[[str], CodeExecutor]) -> None:
    result = workers("bubblewrap").run(FLOODS[name])
    assert result.ok
    assert len(result.stdout) + len(result.stderr) < TIGHT.output_chars + 200
    assert "bytes left out" in result.stdout + result.stderr
    assert set(result.truncated) == {"stderr" if name == "stderr" else "stdout"}


@pytest.mark.needs("bwrap")
def test_endless_output_ends_at_the_deadline(workers: Callable[[str], CodeExecutor]) -> None:
    result = workers("bubblewrap").run("while True: print('x' * 1000)", seconds=0.5)
    assert result.error is not None
    assert result.error.timed_out
    still_works(workers("bubblewrap"))


# What follows is code that speaks on the worker's own pipe, as the host would hear it.
SPEAK = """
import gc, inspect, json, os, struct, sys, threading, time
frame = sys._getframe()
while frame.f_code.co_name != "main": frame = frame.f_back
pipe = frame.f_locals["results"]
identity = frame.f_locals["header"]["id"]
def send(text, *blobs): os.write(pipe, struct.pack(">I", len(text)) + text + b"".join(blobs))
good = {"id": identity, "error": None, "artefacts": [], "variables": {}, "truncated": [], "seconds": 0, "blobs": []}
def lie(*blobs, **changes): send(json.dumps({**good, "blobs": [len(b) for b in blobs], **changes}).encode(), *blobs)
"""
LIES = {
    "noise": "os.write(pipe, os.urandom(4096))",
    "a huge length": "os.write(pipe, b'\\xff\\xff\\xff\\xff')",
    "a huge blob": "lie(blobs=[1 << 40])",
    "a negative blob": "lie(blobs=[-5])",
    "another answer": "lie(id='0000000000000000')",
    "many answers": "for _ in range(50): lie(id='0000000000000000')",
    "not JSON": "send(b'{nothing')",
    "not UTF-8": "send(b'\\xff\\xfe\\xfd')",
    "a number that is none": "send(json.dumps({**good, 'seconds': float('nan')}).encode())",
    "nested too deeply": "send(b'[' * 200_000)",
    "a number without end": "send(b'{\"id\": ' + b'9' * 100_000 + b'}')",
    "a list": "send(b'[]')",
    "artefacts that are none": "lie(artefacts=[5], blobs=[1])\nos.write(pipe, b'x')",
    "an artefact of no known type": "lie(b'x', artefacts=[{'type': 'path', 'path': '/etc/passwd'}])",
    "a figure by its path": "lie(b'x', artefacts=[{'type': 'figure', 'kind': '../../etc/passwd', 'title': ''}])",
    "a table with other columns": "lie(b'[[1, 2, 3]]', artefacts=[{'type': 'table', 'name': 't', 'columns': ['a'], 'dtypes': ['int'], 'total': 1}])",
    "a table with objects": "lie(b'[[{}]]', artefacts=[{'type': 'table', 'name': 't', 'columns': ['a'], 'dtypes': ['int'], 'total': 1}])",
    "a million headings": "lie(b'[]', artefacts=[{'type': 'table', 'name': 't', 'columns': ['a'] * 100_000, 'dtypes': ['a'] * 100_000, 'total': 1}])",
    "an error that is none": "lie(error=[1])",
    "variables that are none": "lie(variables=[1, 2])",
    "variables of other types": "lie(variables={'a': {'b': 1}})",
    "notes that are none": "lie(truncated={'a': 1})",
}


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("name", sorted(LIES))
def test_a_worker_that_breaks_the_protocol_is_ended(
    name: str, workers: Callable[[str], CodeExecutor]
) -> None:
    executor = workers("bubblewrap")
    result = executor.run(SPEAK + LIES[name] + "\ntime.sleep(5)", seconds=3)
    assert not result.ok
    assert result.error is not None
    assert result.error.killed, said(result)
    assert result.error.kind in {"ProtocolError", "TimedOut"}
    assert result.artefacts == ()
    still_works(executor)


@pytest.mark.needs("bwrap")
def test_a_worker_that_lies_in_good_form_gives_a_wrong_text_and_no_more(
    workers: Callable[[str], CodeExecutor],
) -> None:
    executor = workers("bubblewrap")
    result = executor.run(
        SPEAK + "lie(b'all is well', artefacts=[{'type': 'text'}], variables={'a': 'int'})\ntime.sleep(0.2)"
    )
    assert result.ok
    assert [getattr(a, "text", None) for a in result.artefacts] == ["all is well"]
    executor.run("1")  # hears the true answer to the first cell, takes it for a broken worker, and says so
    still_works(executor)


@pytest.mark.needs("bwrap")
def test_a_pickle_is_never_opened(workers: Callable[[str], CodeExecutor], tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    code = f"import pickle\nclass Evil:\n    def __reduce__(self): return (open, ({str(proof)!r}, 'w'))\nbomb = pickle.dumps(Evil())\n"
    sent = "lie(bomb, artefacts=[{'type': 'figure', 'kind': 'png', 'title': 'x'}])\ntime.sleep(5)"
    result = workers("bubblewrap").run(code + SPEAK + sent, seconds=3)
    assert result.artefacts == ()
    assert result.truncated == ("figure: a picture that is no PNG, or too large to be shown, was left out",)
    assert not proof.exists()
    workers("bubblewrap").restart()


@pytest.mark.needs("bwrap")
def test_a_picture_that_is_a_link_is_not_followed(workers: Callable[[str], CodeExecutor], bait: Bait) -> None:
    code = f"import os\nos.symlink({str(bait.secret)!r}, 'a.png')\nos.symlink('/usr/lib/os-release', 'b.svg')\nos.mkdir('c.png')"
    result = workers("bubblewrap").run(code)
    assert result.ok
    assert result.artefacts == ()
    workers("bubblewrap").restart()


CHARTS = {
    "data from an address": "chart({'data': {'url': 'http://127.0.0.1/x.csv'}, 'mark': 'bar'})",
    "data from a file": "chart({'data': {'url': '/etc/passwd'}, 'mark': 'bar'})",
    "pictures for rows": "chart({'mark': {'type': 'image'}, 'encoding': {'url': {'field': 'u'}}})",
    "links for rows": "chart({'mark': 'point', 'encoding': {'href': {'field': 'u'}}})",
    "a picture behind a plot": "chart({'data': [], 'layout': {'images': [{'source': 'https://127.0.0.1/x.png'}]}}, 'plotly')",
    "a map": "chart({'data': [{'type': 'choropleth'}], 'layout': {}}, 'plotly')",
    "a link in a title": "chart({'data': [], 'layout': {'title': {'text': '<a href=\"//x\">x</a>'}}}, 'plotly')",
    "a script in a picture": "picture('<svg xmlns=\"http://www.w3.org/2000/svg\"><script>1</script></svg>')",
    "a handler in a picture": "picture('<svg onload=\"x()\"></svg>')",
    "an address in a picture": "picture('<svg><image href=\"http://127.0.0.1/x\"/></svg>')",
    "an entity in a picture": "picture('<!DOCTYPE s [<!ENTITY a \"b\">]><svg>&a;</svg>')",
    "a picture of billions of pixels": "lie(b'\\x89PNG\\r\\n\\x1a\\n\\0\\0\\0\\rIHDR' + (10**5).to_bytes(4, 'big') * 2, artefacts=[{'type': 'figure', 'kind': 'png', 'title': ''}])",
    "a picture in another encoding": "picture('<svg><script>1</script></svg>', 'utf-16')",
}


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("name", sorted(CHARTS))
def test_a_chart_that_fetches_or_runs_something_is_left_out(
    name: str, workers: Callable[[str], CodeExecutor]
) -> None:
    helpers = (
        "def chart(spec, kind='vega-lite'):\n    lie(json.dumps(spec).encode(), artefacts=[{'type': 'figure', 'kind': kind, 'title': ''}])\n"
        "def picture(text, encoding='utf-8'):\n    lie(text.encode(encoding), artefacts=[{'type': 'figure', 'kind': 'svg', 'title': ''}])\n"
    )
    result = workers("bubblewrap").run(SPEAK + helpers + CHARTS[name] + "\ntime.sleep(5)", seconds=3)
    assert not [a for a in result.artefacts if isinstance(a, Figure)]
    assert any("left out" in note for note in result.truncated)
    workers("bubblewrap").restart()


@pytest.mark.needs("bwrap")
def test_more_artefacts_than_allowed_are_cut(workers: Callable[[str], CodeExecutor]) -> None:
    result = workers("bubblewrap").run(
        SPEAK + "lie(*[b'x'] * 5000, artefacts=[{'type': 'text'}] * 5000)\ntime.sleep(5)", seconds=3
    )
    assert len(result.artefacts) == TIGHT.artefacts
    assert result.truncated
    workers("bubblewrap").restart()


@BOTH
def test_the_worker_is_nobody_without_capabilities(mode: str, workers: Callable[[str], CodeExecutor]) -> None:
    result = workers(mode).run("print(open('/proc/self/status').read())")
    status = dict(line.split(":", 1) for line in result.stdout.splitlines() if ":" in line)
    own = 65534 if mode == "bubblewrap" or os.geteuid() == 0 else os.getuid()
    assert {int(n) for n in status["Uid"].split()} == {own}
    assert status["NoNewPrivs"].strip() == "1"
    assert status["Seccomp"].strip() == "2"
    reading = (
        4 if mode == "landlock" and os.geteuid() == 0 else 0
    )  # what Landlock allows may be read, whoever owns it
    assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == reading
    assert int(status["CapAmb"], 16) == int(status["CapInh"], 16) == 0


if sys.platform != "linux":
    pytest.skip("walls are only built on Linux", allow_module_level=True)
