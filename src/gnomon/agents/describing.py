"""A language model reads names and types once and says what they mean; what holds becomes part of the semantic model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.guardrails.injection import neutral_name
from gnomon.guardrails.release.origin import is_untold
from gnomon.llm import Purpose, load_prompt
from gnomon.planning.model_reader.card import Card
from gnomon.semantic import SemanticModel
from gnomon.semantic.values import ValueIndex

if TYPE_CHECKING:
    from gnomon.data import LoadedData
    from gnomon.llm import ModelClient

MOST_TABLES = 60
MOST_COLUMNS = 200
MOST_STATES = 40
MOST_WORDS = 12


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SaidTable(_Said):
    """What a model says of a table."""

    table: str
    row: str = Field(default="", description="What one row is, one noun in the singular.")
    synonyms: list[str] = Field(default_factory=list[str], max_length=MOST_WORDS)


class SaidColumn(_Said):
    """What a model says of a column."""

    table: str
    column: str
    label: str = ""
    unit: str = ""
    synonyms: list[str] = Field(default_factory=list[str], max_length=MOST_WORDS)
    adds: Literal["added", "averaged", ""] = ""


class SaidState(_Said):
    """What a model says rows are called by the state of a column."""

    table: str
    called: str
    column: str
    condition: Literal["present", "missing", "true", "false", "equals"]
    value: int | None = Field(default=None, description="For equals alone.")


class SaidMeaning(_Said):
    """All that a model may say of tables."""

    tables: list[SaidTable] = Field(default_factory=list[SaidTable], max_length=MOST_TABLES)
    columns: list[SaidColumn] = Field(default_factory=list[SaidColumn], max_length=MOST_COLUMNS)
    states: list[SaidState] = Field(default_factory=list[SaidState], max_length=MOST_STATES)


@dataclass(frozen=True)
class Proposal:
    """One thing that a model said, and what became of it.

    Args:
        what: In words.
        accepted: Whether it is part of the semantic model now.
        because: The evidence for it, or against it.
    """

    what: str
    accepted: bool
    because: str

    def __str__(self) -> str:
        return f"{'accepted' if self.accepted else 'turned down'}: {self.what}, because {self.because}"


@dataclass(frozen=True)
class Enriched:
    """What tables mean, with what a model could add.

    Args:
        model: What they mean now.
        proposals: Everything that was proposed, in the order of the tables, columns and states.
    """

    model: SemanticModel
    proposals: tuple[Proposal, ...]


def enrich(loaded: LoadedData, model: SemanticModel, client: ModelClient) -> Enriched:
    """Ask a language model once what the names of tables and columns mean, and keep what holds.

    It is told names and types as the client's level allows, and no value at any level.

    Args:
        loaded: The tables and their profile.
        model: What they mean so far.
        client: The language model.

    Raises:
        GnomonError: The model gave no usable output.
    """
    from gnomon.agents.proposals import Judge
    from gnomon.semantic.retrieve import Retriever

    columns = Retriever.over(loaded.dataset, model).columns()
    card = Card(
        model, columns, client.privacy, ValueIndex({}), lambda name: neutral_name(name) == name, is_untold
    )
    said = client.ask(
        load_prompt("describe_tables"),
        f"The data\n\n{card.text('')}",
        SaidMeaning,
        purpose=Purpose("what the tables mean", privacy=client.privacy),
    )
    judge = Judge(loaded, model, card)
    judge.hear(said)
    if misread := judge.misread():
        judge = Judge(loaded, model, card, misread)
        judge.hear(said)
    return Enriched(judge.model, tuple(judge.proposals))
