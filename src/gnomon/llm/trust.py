"""How far a model's queries are believed: measured on questions whose answers are known, kept for each model."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from gnomon.core.errors import GnomonError
from gnomon.core.settings import Settings

MOST_WRONG = 0.02
LEAST_RIGHT = 0.85
LEAST_ASKED = 20


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
    """What is known of each model, in a file of the home folder.

    Args:
        file: Where it is kept.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    @classmethod
    def of(cls, settings: Settings) -> Trust:
        """The one that the settings' home folder holds."""
        return cls(settings.home.expanduser() / "trust.json")

    def measured(self, model: str) -> Measured | None:
        """What was measured of a model; None where nothing was."""
        try:
            held = json.loads(self._file.read_text(encoding="utf-8"))
            return Measured(**held[model]) if model in held else None
        except (OSError, ValueError, TypeError):
            return None

    def has_earned(self, model: str) -> bool:
        """Whether a model's queries are believed by themselves."""
        found = self.measured(model)
        return found is not None and found.has_earned

    def standing(self, model: str) -> str:
        """What is known of a model, in a sentence."""
        found = self.measured(model)
        name = model or "This model"
        if found is None:
            return f"{name} has not been measured yet ('gnomon doctor' does it), so its query is offered, not stated."
        told = f"{name} was right in {found.right} and wrong in {found.wrong} of {found.asked} questions with known answers"
        return (
            f"{told}; its queries answer."
            if found.has_earned
            else f"{told}, so its query is offered, not stated."
        )

    def keep(self, model: str, found: Measured) -> None:
        """Write down what was measured.

        Raises:
            GnomonError: The file cannot be written.
        """
        try:
            held = json.loads(self._file.read_text(encoding="utf-8")) if self._file.is_file() else {}
        except ValueError:
            held = {}
        held[model] = asdict(found)
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part = self._file.with_suffix(f".{os.getpid()}.part")
            part.write_text(json.dumps(held, indent=1, sort_keys=True), encoding="utf-8")
            part.chmod(0o600)
            part.replace(self._file)
        except OSError as e:
            raise GnomonError(f"What was measured of {model} cannot be kept ({type(e).__name__}).") from e
