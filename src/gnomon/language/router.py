"""Who answers a question: the worker that presents data, or the one that explains it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.core.errors import InvalidInput
from gnomon.core.query import AgentType
from gnomon.language.judgements import RoutingDecision
from gnomon.language.logistic import probability
from gnomon.language.router_head import RouterHead
from gnomon.language.router_tuned import shipped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

SHIPPED = Path(__file__).parent / "data" / "router.npz"


# Of two judges that err in different places the better one counts double.
LINEAR_WEIGHT = 0.5


class AgentRouter:
    """Tells questions that ask what the data says from those that ask what is behind it.

    The shipped router adds up two log-odds: those of an encoder fine-tuned for this decision, and half of
    those of a linear head on the general encoder's vector and the wording. A router that was trained by
    its user, or has another head or encoder, decides by its linear head alone.

    Args:
        encoder: Turns texts into vectors; the shipped one by default. A head fits the encoder it was
            trained with: with another encoder, train anew.
        head: File with trained weights; the shipped ones by default.
    """

    def __init__(self, encoder: SentenceEncoder | None = None, head: Path | None = None) -> None:
        self._encoder = encoder
        self._file = head or SHIPPED
        self._head: RouterHead | None = None
        self._tuned = encoder is None and head is None

    def train(self, training_data: Sequence[tuple[str, AgentType]]) -> AgentRouter:
        """Learn from labelled questions, in a few seconds for a few thousand.

        Raises:
            InvalidInput: One of the two classes is missing.
        """
        if {label for _, label in training_data} != set(AgentType):
            raise InvalidInput(
                "Training a router needs questions of both classes.",
                suggestions=["Pass (question, AgentType) pairs; load_questions gives the shipped ones."],
            )
        texts = [text for text, _ in training_data]
        diagnostic = np.array([label is AgentType.INSIGHT_GENERATOR for _, label in training_data])
        self._head = RouterHead.fit(texts, self._encode(texts), diagnostic)
        self._tuned = False
        return self

    def load(self) -> None:
        """Read what the first question would wait for."""
        if self._tuned:
            shipped().encoder.load()
        self._loaded()
        self._used_encoder().load()

    def route(self, query: str) -> RoutingDecision:
        """Decide from the text."""
        # The tuned network first: what the gate encodes beside it is there when it is done.
        tuned = shipped().score(query) if self._tuned else None
        score = self._loaded().score(query, self._used_encoder().encode_question(query))
        return _decision(score if tuned is None else tuned + LINEAR_WEIGHT * score)

    def route_vector(self, vector: NDArray[Any]) -> RoutingDecision:
        """Decide from the vector alone, where the text is not at hand; less sure than :meth:`route`."""
        return _decision(self._loaded().vector_score(vector))

    def save(self, path: Path) -> None:
        """Write the trained weights as plain arrays."""
        self._loaded().save(path)

    def _loaded(self) -> RouterHead:
        if self._head is None:
            self._head = RouterHead.load(self._file)
        return self._head

    def _used_encoder(self) -> SentenceEncoder:
        if self._encoder is None:
            from gnomon.embedding import get_encoder

            self._encoder = get_encoder()
        return self._encoder

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return self._used_encoder().encode(texts).astype(np.float64)


def _decision(score: float) -> RoutingDecision:
    diagnostic = probability(score)
    presenter = 1.0 - diagnostic
    # A tie goes to the presenter: showing the numbers is never wrong, explaining what was not asked is.
    agent_type = AgentType.INSIGHT_GENERATOR if diagnostic > 0.5 else AgentType.DATA_PRESENTER
    return RoutingDecision(agent_type, max(diagnostic, presenter), (presenter, diagnostic))
