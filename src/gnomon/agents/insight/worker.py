"""The Insight Generator's place: diagnostic questions, answered with the trend and anomaly tools over the data."""

from __future__ import annotations

from datetime import date

from gnomon.agents.presenter import DataPresenter
from gnomon.core.answer import Answer
from gnomon.core.request import QuestionKind
from gnomon.planning.augment import AugmentedQuery
from gnomon.planning.reading import Reading
from gnomon.tools.contract import CancelToken

DIAGNOSTIC = frozenset({QuestionKind.CAUSE, QuestionKind.ANOMALY, QuestionKind.FORECAST})


class InsightWorker:
    """Answers why and what is going on: each request becomes a look at how its measure moved.

    Args:
        presenter: Runs the analytics tools over retrieved series and tells what they found.
    """

    def __init__(self, presenter: DataPresenter) -> None:
        self._presenter = presenter

    def explain(
        self, reading: Reading, *, query: AugmentedQuery, cancel: CancelToken | None, today: date
    ) -> Answer:
        """Answer what was read as a question about causes, unless it already asks for something analytic."""
        requests = tuple(
            r
            if r.kind in DIAGNOSTIC or r.columns
            else r.model_copy(update={"kind": QuestionKind.CAUSE, "limit": None})
            for r in reading.requests
        )
        asked = reading.model_copy(update={"requests": requests})
        return self._presenter.present(asked, query=query, cancel=cancel, today=today)
