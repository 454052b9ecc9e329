"""Folders that are made for what is kept are their owner's only, with all that leads to them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import gnomon
from gnomon.core.private import private_folder, remember


@pytest.fixture(autouse=True)
def open_to_all() -> Iterator[None]:
    """New folders are open to everybody unless something else is asked for."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_folders_on_the_way_are_private_too(tmp_path: Path, depth: int) -> None:
    made = private_folder(tmp_path.joinpath(*"abcde"[:depth]))
    while made != tmp_path:
        assert made.stat().st_mode & 0o077 == 0
        made = made.parent


def test_a_folder_that_was_there_before_is_left_as_it_is(tmp_path: Path) -> None:
    (given := tmp_path / "given").mkdir(mode=0o755)
    assert remember(given / "kept" / "one.json", b"{}")
    assert given.stat().st_mode & 0o777 == 0o755
    assert (given / "kept").stat().st_mode & 0o077 == 0


def test_what_a_question_leaves_behind_is_for_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file := tmp_path / "t.csv").write_text("town,sales\n" + "".join(f"t{i % 5},{i}\n" for i in range(50)))
    home = tmp_path / "of" / "mine"
    monkeypatch.setenv("GNOMON_HOME", str(home))
    with gnomon.open(file) as analyst:
        analyst.ask("total sales by town")
    kept = [home.parent, home, *home.rglob("*")]
    assert len(kept) > 3
    assert not [p for p in kept if not p.is_symlink() and p.stat().st_mode & 0o077]
