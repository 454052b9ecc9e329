"""Gate and router of opened data."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gnomon.core.settings import Settings
from gnomon.language.judgements import OODResult, RoutingDecision
from gnomon.semantic.model import SemanticModel
from gnomon.semantic.values import ValueIndex

if TYPE_CHECKING:
    from gnomon.language import AgentRouter, DataGate


class Judges:
    """Who judges a question before it is answered: loaded when the first one has to be judged."""

    def __init__(self, model: SemanticModel, index: ValueIndex, settings: Settings) -> None:
        self._model, self._index, self._settings = model, index, settings

    def judge(self, question: str) -> OODResult:
        """Whether a text is about data at all."""
        return self.gate.judge(question)

    def route(self, query: str) -> RoutingDecision:
        """Which worker answers."""
        return self.router.route(query)

    @cached_property
    def gate(self) -> DataGate:
        """The gate of this data."""
        from gnomon.embedding import get_encoder
        from gnomon.language import gate_of
        from gnomon.semantic.questions import generate_questions

        kept = self._settings.home.expanduser() / "gates"
        return gate_of(
            lambda: generate_questions(self._model, self._index), kept, get_encoder(self._settings.encoder)
        )

    @cached_property
    def router(self) -> AgentRouter:
        """The shipped router."""
        from gnomon.language import AgentRouter

        return AgentRouter()
