"""What is kept beside the code is found again, and a file that is damaged is as none."""

from pathlib import Path
from zlib import crc32

import pytest

from gnomon.core.beside import Kept, beside


def test_it_lies_where_compiled_modules_do() -> None:
    assert beside("/somewhere/noun.py", ".kept").parts[-2] == "__pycache__"
    assert beside("/somewhere/noun.py", ".kept").suffix == ".kept"


def test_what_was_added_is_found(tmp_path: Path) -> None:
    first = Kept(tmp_path / "x.kept", ["maker", 1])
    first.add("text", [1, b"made", {"name": 2}])
    first.write()
    found = Kept(tmp_path / "x.kept", ["maker", 1])
    assert found.made == {"text": [1, b"made", {"name": 2}]}
    assert found.added == 0
    assert [f.name for f in tmp_path.iterdir()] == ["x.kept"]


def test_nothing_is_written_where_nothing_was_added(tmp_path: Path) -> None:
    Kept(tmp_path / "x.kept", []).write()
    assert not list(tmp_path.iterdir())


def test_where_nothing_can_be_written_nothing_is_said(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "no folder" / "x.kept", [])
    kept.add("text", 1)
    kept.write()
    assert kept.made == {"text": 1} and not list(tmp_path.iterdir())


def test_what_another_made_is_as_none(tmp_path: Path) -> None:
    other = Kept(tmp_path / "x.kept", ["maker", 1])
    other.add("text", 1)
    other.write()
    assert not Kept(tmp_path / "x.kept", ["maker", 2]).made


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "foreign", "folder", "other data"])
def test_a_file_that_is_damaged_is_as_none(tmp_path: Path, damage: str) -> None:
    file = tmp_path / "x.kept"
    kept = Kept(file, ["maker"])
    kept.add("text", "what was made of it, which is long enough to be cut in two")
    kept.write()
    whole = file.read_bytes()
    if damage == "cut":
        file.write_bytes(whole[: len(whole) // 2])
    elif damage == "changed":
        file.write_bytes(whole[:-10] + bytes([whole[-10] ^ 1]) + whole[-9:])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "foreign":
        file.write_bytes(b"not what was kept")
    elif damage == "folder":
        file.unlink()
        file.mkdir()
    else:
        body = b"N"  # None, as marshal writes it
        file.write_bytes(crc32(body).to_bytes(4) + body)
    assert not Kept(file, ["maker"]).made
