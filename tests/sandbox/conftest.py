"""Small, tight workers for the tests: nothing here can put the machine at risk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gnomon.core.settings import Settings
from gnomon.sandbox import CodeExecutor, Limits

TIGHT = Limits(
    seconds=10,
    grace_seconds=0.5,
    memory_mb=512,
    processes=32,
    files_mb=64,
    files=1_000,
    open_files=128,
    output_chars=20_000,
    artefacts=6,
    artefacts_mb=4,
)


@pytest.fixture(scope="session")
def sales_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "sales 2024.csv"
    rows = [f"2024-01-{d:02d},{'North' if d % 2 else 'South'},{d * 10}" for d in range(1, 11)]
    path.write_text("\n".join(["day,region,amount", *rows]) + "\n")
    return path


@pytest.fixture(scope="module")
def workers(sales_file: Path) -> Iterator[Callable[[str], CodeExecutor]]:
    """One executor for each kind of walls, shared by the tests of a module."""
    made: dict[str, CodeExecutor] = {}

    def of(mode: str) -> CodeExecutor:
        if mode not in made:
            settings = Settings(sandbox=mode)  # type: ignore[arg-type]
            made[mode] = CodeExecutor(
                files={"sales": sales_file}, settings=settings, limits=TIGHT, warm=False
            )
        return made[mode]

    yield of
    for executor in made.values():
        executor.close()


def landlock_version() -> int:
    """The version of Landlock in this kernel; 0 where there is none."""
    import ctypes
    import sys

    return max(0, ctypes.CDLL(None).syscall(444, None, 0, 1)) if sys.platform == "linux" else 0
