"""How far a model's queries are believed: measured on questions whose answers are known, kept for each model."""

from __future__ import annotations

import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gnomon.core import clock
from gnomon.core.errors import GnomonError
from gnomon.core.private import private_file, private_folder
from gnomon.core.settings import Settings

MOST_WRONG = 0.02
LEAST_RIGHT = 0.85
LEAST_ASKED = 20
# One that has not told anything for so long has ended, however that came about.
SILENT_SECONDS = 900.0


@dataclass(frozen=True)
class Measured:
    """What came of the questions that one model was asked.

    Args:
        asked: How many there were.
        right: How many of its queries gave the right figures.
        wrong: How many gave other figures.
        on: The day.
    """

    asked: int
    right: int
    wrong: int
    on: str = ""

    @property
    def has_earned(self) -> bool:
        """Whether its queries answer by themselves: nearly always right, and hardly ever wrong."""
        enough = self.asked >= LEAST_ASKED
        return enough and self.right / self.asked >= LEAST_RIGHT and self.wrong / self.asked <= MOST_WRONG


class Trust:
    """What is known of each model, in a folder: one file for what was measured, one while that goes on.

    Models are told apart by what they are called and where they are, or by a file and its size (``ModelClient.identity``).

    Args:
        folder: Where it is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of(cls, settings: Settings) -> Trust:
        """The one that the settings' home folder holds."""
        return cls(settings.home.expanduser() / "trust")

    @property
    def home(self) -> Path:
        """The home folder that it is in."""
        return self._folder.parent

    def known(self) -> list[str]:
        """The models of which something is known, by their names."""
        held = [_read(file) for file in sorted(self._folder.glob("*.json"))]
        return sorted({str(found["model"]) for found in held if "model" in found})

    def measured(self, model: str) -> Measured | None:
        """What was measured of a model; None where nothing was."""
        found = _read(self._file(model))
        try:
            return Measured(**found["measured"])
        except (KeyError, TypeError):
            return None

    def has_earned(self, model: str) -> bool:
        """Whether a model's queries are believed by themselves."""
        found = self.measured(model)
        return found is not None and found.has_earned

    def standing(self, model: str) -> str:
        """What is known of a model, in a sentence."""
        name, so = model or "This model", "so its query is offered, not stated."
        done = self.progress(model)
        if done is not None:
            return f"{name} is being measured ({done[0]} of {done[1]} questions with known answers so far); until then its query is offered, not stated."
        found = self.measured(model)
        if found is None:
            why = _read(self._file(model)).get("failed")
            told = f"could not be measured ({why})" if why else "has not been measured yet"
            return f"{name} {told}; 'gnomon doctor --measure' does it, until then its query is offered, not stated."
        told = f"{name} was right in {found.right} and wrong in {found.wrong} of {found.asked} questions with known answers"
        return f"{told}; its queries answer." if found.has_earned else f"{told}, {so}"

    def is_open(self, model: str) -> bool:
        """Whether a model should be measured: it never was, nobody is at it, and it did not fail earlier today."""
        found = _read(self._file(model))
        failed = "failed" in found and found.get("on") == clock.today().isoformat()
        return "measured" not in found and not failed and self.progress(model) is None

    def keep(self, model: str, found: Measured) -> None:
        """Write down what was measured.

        Raises:
            GnomonError: The file cannot be written.
        """
        self._write(self._file(model), {"model": model, "measured": asdict(found)})

    def keep_failure(self, model: str, why: str) -> None:
        """Write down why nothing could be measured; what was measured before stays.

        Raises:
            GnomonError: The file cannot be written.
        """
        before = _read(self._file(model))
        said = {"model": model, "failed": why.rstrip("."), "on": clock.today().isoformat()}
        self._write(self._file(model), {**before, **said})

    def claim(self, model: str, questions: int) -> bool:
        """Whether the caller is the one who measures a model from now on; others see how far it is.

        Raises:
            GnomonError: The folder cannot be written to.
        """
        file = self._underway(model)
        try:
            private_folder(self._folder)
            if self.progress(model) is None:
                file.unlink(missing_ok=True)  # of one that has ended without a word
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return False
        except OSError as e:
            raise GnomonError(f"What is measured of {model} cannot be kept ({type(e).__name__}).") from e
        self.tell(model, 0, questions)
        return True

    def tell(self, model: str, done: int, questions: int) -> None:
        """Write down how far measuring is."""
        self._write(self._underway(model), {"done": done, "of": questions})

    def release(self, model: str) -> None:
        """Measuring has ended, whatever came of it."""
        self._underway(model).unlink(missing_ok=True)

    def progress(self, model: str) -> tuple[int, int] | None:
        """How many questions were asked so far, and of how many; None where nobody measures."""
        file = self._underway(model)
        try:
            if time.time() - file.stat().st_mtime > SILENT_SECONDS:
                return None
        except OSError:
            return None
        found = _read(file)
        return int(found.get("done", 0)), int(found.get("of", 0))

    def _file(self, model: str) -> Path:
        return self._folder / f"{hashlib.sha256(model.encode()).hexdigest()[:16]}.json"

    def _underway(self, model: str) -> Path:
        return self._file(model).with_suffix(".underway")

    def _write(self, file: Path, told: dict[str, Any]) -> None:
        try:
            private_folder(self._folder)
            part = private_file(file.with_suffix(f"{file.suffix}.{os.getpid()}.part"))
            part.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
            part.replace(file)
        except OSError as e:
            raise GnomonError(f"What is measured of a model cannot be kept ({type(e).__name__}).") from e


def _read(file: Path) -> dict[str, Any]:
    """What a file tells; nothing where it is damaged, which is no reason to believe."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
