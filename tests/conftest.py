"""What every test can use: system parts that skip with a reason or, where required, fail."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.homes import Homes, share_in, warmed
from tests.parts import leave_to_the_long_run

# Each worker has a core of its own: more threads for arithmetic would only wait for each other, busily. Libraries read
# this when they are loaded.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

# Machines differ in speed: how long an example takes is no property of the code. The same code is asked the same
# examples everywhere, so that a run that passed passes again; HYPOTHESIS_SEED=random asks others.
settings.register_profile(
    "gnomon",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("HYPOTHESIS_SEED") != "random",
)
settings.load_profile("gnomon")


SHORT = "not long"
"""What `make test` picks."""

LONG = {"server", "mcp_server", "llm", "coder", "cli"}


def _postgres_bin() -> Path | None:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda p: int(p.parts[-3]))
    if versions:
        return versions[-1].parent
    found = shutil.which("postgres")
    return Path(found).parent if found else None


PARTS = {
    "bwrap": lambda: shutil.which("bwrap"),
    "chromium": lambda: shutil.which("chromium"),
    "postgres": _postgres_bin,
    "node": lambda: shutil.which("node"),
}


def required_parts() -> frozenset[str]:
    """The system parts whose absence is a failure here."""
    return frozenset(filter(None, os.environ.get("GNOMON_REQUIRE", "").split(",")))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of many like cases one or two are for `make test`; rooms whose single tests take longest go first, so that no worker waits
    for another at the end."""
    leave_to_the_long_run(items)
    items.sort(key=lambda item: item.path.parent.name not in LONG)


def pytest_collection_finish() -> None:
    """What is loaded stays: looking through it for garbage again and again takes longer than many tests."""
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        (part,) = marker.args
        if not PARTS[part]():
            reason = f"the system part '{part}' is not installed (apt-get install {part})"
            if part in required_parts():
                pytest.fail(f"GNOMON_REQUIRE names it, but {reason}")
            pytest.skip(reason)


def _live_in(home: Path, patch: pytest.MonkeyPatch, config: pytest.Config) -> None:
    for name in list(os.environ):
        if name.startswith(("GNOMON_", "APP_")) and name != "GNOMON_REQUIRE":
            patch.delenv(name)
    patch.setenv("GNOMON_HOME", str(home))
    patch.setenv("GNOMON_LOG_DIR", str(home / "logs"))
    patch.setenv("GNOMON_MODEL_MEASURE", "false")  # no test begins a process that it does not know of
    if config.option.markexpr == SHORT:
        # For a few rows a second thread takes longer to begin than it saves; the long run queries on all cores.
        patch.setenv("GNOMON_THREADS", "1")


@pytest.fixture(scope="session", autouse=True)
def _homes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Homes]:
    """Homes that share one place with those of all workers; what lives longer than a test has one too."""
    base = tmp_path_factory.getbasetemp()
    share_in(request.config.cache.mkdir("made"))
    with pytest.MonkeyPatch.context() as patch:
        _live_in(warmed(base / "homes" / "longer"), patch, request.config)
        yield Homes(base / "homes")


@pytest.fixture(autouse=True)
def _own_home(_homes: Homes, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    """No test reads or writes the user's own store, logs or settings, nor what another test wrote."""
    _live_in(_homes.fresh(), monkeypatch, pytestconfig)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A private Postgres server on a unix socket, stopped when the tests end."""
    folder = Path(
        tempfile.mkdtemp(prefix="gnomon-postgres-")
    )  # pytest's own folders are closed to other users
    bin_dir = _postgres_bin()
    assert bin_dir is not None, "ask for this fixture together with @pytest.mark.needs('postgres')"
    as_user: list[str] = []
    if os.geteuid() == 0:  # Postgres refuses to run as root
        shutil.chown(folder, "postgres")
        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    data = folder / "data"
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder)}

    def run(*command: str) -> None:
        subprocess.run([*as_user, *command], check=True, capture_output=True, env=environment, cwd=folder)

    run(str(bin_dir / "initdb"), "-D", str(data), "-U", "gnomon", "-A", "trust", "-E", "UTF8", "--no-sync")
    settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    run(str(bin_dir / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log"), "-o", settings, "start")
    try:
        yield f"postgresql://gnomon@/postgres?host={folder}"
    finally:
        run(str(bin_dir / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def small_model() -> str:
    """The file of a real, very small language model; fetched once, and skipped where it cannot be."""
    script = Path(__file__).parents[1] / "scripts" / "fetch_small_model.py"
    reason = "the optional part 'local' is not installed"
    if find_spec("xllamacpp") is not None:
        try:
            command = [sys.executable, str(script)]
            return subprocess.run(
                command, check=True, capture_output=True, text=True, timeout=240
            ).stdout.strip()
        except subprocess.SubprocessError as e:
            said = str(getattr(e, "stderr", None) or e).strip().splitlines()
            reason = f"{script.name} could not fetch the small language model: {said[-1]}"
    if "model" in required_parts():
        pytest.fail(f"GNOMON_REQUIRE names it, but {reason}")
    pytest.skip(reason)
