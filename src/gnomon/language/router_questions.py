"""The questions that ship with Gnomon: what the router learned from, what the gate takes for data questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gnomon.core.errors import UnreadableSource
from gnomon.core.query import AgentType

DATA = Path(__file__).parent / "data"
FILES = {
    "descriptive.txt": AgentType.DATA_PRESENTER,
    "diagnostic.txt": AgentType.INSIGHT_GENERATOR,
    "held_out_descriptive.txt": AgentType.DATA_PRESENTER,
    "held_out_diagnostic.txt": AgentType.INSIGHT_GENERATOR,
}
TRAINING_SPLITS = ("balanced", "extra")


@dataclass(frozen=True)
class LabelledQuestion:
    """A question about data, who answers it, and how it is put.

    ``split`` is ``balanced`` (300 of each class), ``extra`` (more to learn from), ``held_out`` (other
    domains and wordings, to compare routers with) or ``unseen`` (written when the router was finished, to
    measure it with); ``style`` says what makes the wording easy or hard.
    """

    text: str
    agent_type: AgentType
    split: str
    style: str


@cache
def load_questions() -> Sequence[LabelledQuestion]:
    """Every labelled question that ships, in the order of its file."""
    return tuple(
        LabelledQuestion(text, agent_type, split, style)
        for name, agent_type in FILES.items()
        for text, split, style in read_sections(DATA / name)
    )


def training_questions() -> Sequence[LabelledQuestion]:
    """The questions that models may learn from."""
    return tuple(q for q in load_questions() if q.split in TRAINING_SPLITS)


def read_sections(path: Path) -> Iterator[tuple[str, str, str]]:
    """Lines of a text file as (line, split, style), as its ``[split style]`` headings say.

    Raises:
        UnreadableSource: A line stands before the first heading, or a heading is not two words.
    """
    heading: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("["):
            heading = line.strip("[]").split()
        if not line.startswith(("[", "#")) and line.strip() and len(heading) == 2:
            yield line.strip(), heading[0], heading[1]
        elif not line.startswith("#") and line.strip() and len(heading) != 2:
            raise UnreadableSource(
                f"{path.name}, line {number}: expected a heading such as [balanced short] before it."
            )
