"""How far the configured language model is believed: asked questions about the demo store, whose answers are known.

python -m gnomon.measuring      # as begun beside the first question that a model is asked; see llm/measuring_process.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gnomon.core.errors import ConfigurationError, GnomonError
from gnomon.core.settings import Settings
from gnomon.llm.measuring_process import QUESTIONS
from gnomon.llm.trust import Measured, Trust

if TYPE_CHECKING:
    from gnomon.llm import ModelClient

# Every so many of the shipped questions, so that all kinds of them are among those that are asked.
EVERY = 12
PATIENCE = 10
# A model sees names and types alone, so a small store asks as much of it as a large one.
SCALE = 0.01


def measure_model(
    settings: Settings,
    *,
    store: Path | None = None,
    most: int = QUESTIONS,
    told: Callable[[int, str, str], None] | None = None,
) -> Measured:
    """Ask the configured model alone, names and types only, and keep what came of it, or why nothing did.

    Args:
        settings: Which model, and where what is measured is kept.
        store: The demo store, where it is written already.
        most: How many questions are asked.
        told: Called with the number of each question, its words and what came of it.

    Raises:
        ConfigurationError: No model is configured, or one of kept replies.
        GnomonError: The model cannot be reached, or what was measured cannot be kept.
    """
    from gnomon.llm import ModelClient

    client = ModelClient.of(as_measured(settings))
    if client is None or not client.measurable:
        raise ConfigurationError(
            "Replies that were kept are not measured." if client else "No language model is configured.",
            suggestions=["Set GNOMON_MODEL to the name of a model at GNOMON_MODEL_URL, or to a GGUF file."],
        )
    trust, model = Trust.of(settings), client.identity

    def telling(number: int, question: str, outcome: str) -> None:
        trust.tell(model, number, most)
        if told is not None:
            told(number, question, outcome)

    trust.tell(model, 0, most)
    try:
        found = _measured(settings, client, store, most, telling)
        trust.keep(model, found)
        return found
    except GnomonError as e:
        trust.keep_failure(model, e.message)
        raise
    finally:
        trust.release(model)
        client.close()


def as_measured(settings: Settings) -> Settings:
    """Settings under which a model is measured: names and types, or less where less is what it sees."""
    level = "strict" if settings.privacy == "strict" else "schema"
    return settings.model_copy(update={"privacy": level, "data_privacy": {}, "model_measure": False})


def _measured(
    settings: Settings,
    client: ModelClient,
    store: Path | None,
    most: int,
    told: Callable[[int, str, str], None],
) -> Measured:
    if store is None:
        from gnomon.data.demo_store import write_demo_store

        with TemporaryDirectory() as folder:
            write_demo_store(Path(folder), scale=SCALE)
            return _measured(settings, client, Path(folder), most, told)
    from gnomon.agents.evaluation import TruthTables, load_cases
    from gnomon.agents.evaluation.trusting import measure_trust
    from gnomon.answering import Answering
    from gnomon.opening import open_analyst
    from gnomon.reading import LocalReader
    from gnomon.semantic.retrieve import Retriever

    with open_analyst(store, settings=as_measured(settings)) as analyst, TruthTables(store) as truths:
        local = analyst.manager.reader
        assert isinstance(local, LocalReader)
        reader = local.model_reader
        assert reader is not None, "a model is configured"
        answering = Answering(Retriever.over(analyst.dataset, analyst.model))
        cases = load_cases(None, "dev")[::EVERY]
        budget = client.new_budget()
        return measure_trust(reader, answering, cases, truths, most=most, budget=budget, told=told)


def main() -> int:
    """Measure the configured model; what comes of it is kept, and told nowhere else."""
    if hasattr(os, "nice"):
        os.nice(PATIENCE)
    try:
        measure_model(Settings.load())
    except GnomonError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
