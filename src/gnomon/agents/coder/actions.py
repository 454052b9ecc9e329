"""What a model may do in a round: write code, choose figures, or finish."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from gnomon.llm import Rejected


class ActionKind(StrEnum):
    """The three things that can be done."""

    GENERATE_CODE = "generate_code"
    COLLECT_FIGURES = "collect_figures"
    ANALYSIS_COMPLETE = "analysis_complete"


class Action(BaseModel):
    """One move of the model; flat, since small models fill in flat objects best."""

    model_config = ConfigDict(extra="forbid")

    action: ActionKind
    description: str = Field(default="", max_length=160, description="What you do, in one short line.")
    code: str = Field(default="", description="generate_code: the Python code of this round.")
    figures: list[int] = Field(
        default_factory=list[int],
        max_length=20,
        description="collect_figures: the numbers of the figures to keep.",
    )
    conclusion: str = Field(
        default="",
        description="analysis_complete: sentences with findings as slots in double braces, and no digits.",
    )

    def said(self) -> str:
        """The move as the conversation keeps it."""
        return self.model_dump_json(exclude_defaults=True)


def check_action(action: Action) -> None:
    """Whether a move has what it needs.

    Raises:
        Rejected: It has not; the message tells the model what is missing.
    """
    if action.action is ActionKind.GENERATE_CODE and not action.code.strip():
        raise Rejected("generate_code needs Python code in the field code.")
    if action.action is ActionKind.COLLECT_FIGURES and not action.figures:
        raise Rejected("collect_figures needs the numbers of figures; use generate_code to draw some.")
