"""A template: a structured prompt for a model, and a plan of its own that needs none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.agents.coder.record import Cell, Section
from gnomon.agents.coder.templates.desk import Desk
from gnomon.data import Dataset, DatasetProfile
from gnomon.llm import load_prompt
from gnomon.semantic.reread import reread
from gnomon.tools import CancelToken

Part = Callable[[Desk], Section]


@dataclass(frozen=True)
class AnalysisTemplate:
    """A kind of analysis that is asked for again and again.

    Args:
        name: How it is asked for.
        display_name: How it is called.
        description: What it finds, in a sentence.
        plan: The parts of it, each a section that is computed from the tables.
    """

    name: str
    display_name: str
    description: str
    plan: tuple[Part, ...]

    def get_full_prompt(self) -> str:
        """What a model that follows the template is told, before the request itself."""
        steps = load_prompt(f"template_{self.name}")
        return f"Follow this plan: {self.display_name}. {self.description}\n{steps}"

    def run(
        self,
        dataset: Dataset,
        profile: DatasetProfile,
        *,
        cancel: CancelToken | None = None,
        tell: Callable[..., None] = lambda *_, **__: None,
    ) -> tuple[tuple[Section, ...], tuple[Cell, ...]]:
        """Follow the plan without a model.

        Raises:
            Cancelled: Somebody asked to stop.
        """
        desk = Desk(dataset, reread(profile, dataset), cancel, tell)
        sections = tuple(part(desk) for part in self.plan)
        return sections, tuple(desk.cells)
