"""Which walls there are is found out by building them, and no walls means no code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.sandbox.conftest import TIGHT, landlock_version

import gnomon
from gnomon.core.errors import ConfigurationError, ToolUnavailable
from gnomon.core.settings import Settings
from gnomon.sandbox import CodeExecutor, check_strength

needs_landlock = pytest.mark.skipif(landlock_version() < 1, reason="this kernel has no Landlock")


@pytest.fixture
def no_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.needs("bwrap")
def test_with_bubblewrap_the_walls_are_the_best() -> None:
    strength = check_strength(Settings())
    assert (strength.name, strength.weaker, strength.reasons, strength.fix) == (
        "bubblewrap+seccomp",
        False,
        (),
        None,
    )


@needs_landlock
def test_without_bubblewrap_landlock_is_used_and_every_result_says_that_it_is_weaker(
    no_bubblewrap: None,
) -> None:
    strength = check_strength(Settings())
    assert (strength.name, strength.weaker) == ("landlock+seccomp", True)
    assert "bubblewrap is not installed" in strength.reasons[0]
    assert strength.fix is not None
    assert "bubblewrap" in strength.fix
    with CodeExecutor(settings=Settings(), limits=TIGHT, warm=False) as executor:
        assert executor.run("1").strength == strength


@needs_landlock
def test_a_bubblewrap_that_does_not_work_is_told_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    strength = check_strength(Settings())
    assert strength.name == "landlock+seccomp"
    assert "setting up uid map: Permission denied" in strength.reasons[0]


def test_what_was_asked_for_by_name_is_not_replaced_by_less(no_bubblewrap: None) -> None:
    strength = check_strength(Settings(sandbox="bubblewrap"))
    assert (strength.name, strength.weaker) == ("none", True)
    with (
        CodeExecutor(settings=Settings(sandbox="bubblewrap"), warm=False) as executor,
        pytest.raises(ToolUnavailable, match="bubblewrap is not installed") as refused,
    ):
        executor.run("1")
    assert "GNOMON_SANDBOX=unsafe" in refused.value.suggestions[-1]


def test_a_system_without_walls_refuses_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    strength = check_strength(Settings())
    assert (strength.name, strength.weaker) == ("none", True)
    assert strength.fix is not None
    assert "Linux" in strength.fix


@pytest.mark.parametrize("way", ["setting", "argument"])
def test_running_without_walls_must_be_asked_for_and_is_told(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "setting":
        monkeypatch.setenv("GNOMON_SANDBOX", "unsafe")
    else:
        monkeypatch.setenv("PATH", "/nowhere")
        monkeypatch.setenv("GNOMON_SANDBOX", "bubblewrap")
    with CodeExecutor(limits=TIGHT, allow_unsafe=way == "argument", warm=False) as executor:
        result = executor.run("6 * 7")  # harmless: there are no walls here
        assert result.ok
        assert (result.strength.name, result.strength.weaker) == ("unsafe", True)
        assert "without walls" in result.strength.reasons[0]


def test_a_word_that_names_no_walls_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_SANDBOX", "strong")
    with pytest.raises(ConfigurationError, match="GNOMON_SANDBOX"):
        check_strength()


@pytest.mark.needs("bwrap")
def test_a_checkout_below_tmp_has_the_same_walls(tmp_path: Path) -> None:
    package = Path(gnomon.__file__).parent
    for room in ("core", "sandbox"):
        shutil.copytree(package / room, tmp_path / "gnomon" / room)
    (tmp_path / "gnomon" / "__init__.py").touch()
    code = "from gnomon.core.settings import Settings; from gnomon.sandbox import check_strength; print(check_strength(Settings()).name)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "bubblewrap+seccomp", done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    "mode",
    [
        pytest.param("bubblewrap", marks=pytest.mark.needs("bwrap")),
        pytest.param("landlock", marks=needs_landlock),
    ],
)
def test_a_file_that_only_its_owner_may_reach_is_read_behind_either_walls(mode: str, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    file = closed / "t.csv"
    file.write_text("a\n1\n2\n")
    file.chmod(0o600)
    with CodeExecutor(
        files={"t": file}, settings=Settings(sandbox=mode), limits=TIGHT, warm=False
    ) as executor:  # type: ignore[arg-type]
        assert executor.run("print(int(t.a.sum()))").stdout.strip() == "3"
