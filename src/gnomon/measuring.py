"""How far the configured language model is believed: asked questions about the demo store, whose answers are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from gnomon.core.settings import Settings
from gnomon.llm.trust import Measured, Trust

# Every so many of the shipped questions, so that all kinds of them are among those that are asked.
EVERY = 12


def measure_model(
    settings: Settings,
    *,
    store: Path | None = None,
    most: int = 30,
    told: Callable[[int, str, str], None] | None = None,
) -> Measured | None:
    """Ask the configured model alone, names and types only, and keep what came of it; None where none is configured.

    Args:
        settings: Which model, and where what is measured is kept.
        store: The demo store, where it is written already.
        most: How many questions are asked.
        told: Called with the number of each question, its words and what came of it.

    Raises:
        GnomonError: The model cannot be reached, or what was measured cannot be kept.
    """
    if settings.model is None:
        return None
    if store is None:
        from gnomon.data.demo_store import write_demo_store

        with TemporaryDirectory() as folder:
            write_demo_store(Path(folder))
            return measure_model(settings, store=Path(folder), most=most, told=told)
    from gnomon.agents.evaluation import TruthTables, load_cases
    from gnomon.agents.evaluation.trusting import measure_trust
    from gnomon.answering import Answering
    from gnomon.opening import open_analyst
    from gnomon.planning.model_reader import ModelReader
    from gnomon.semantic.retrieve import Retriever

    with open_analyst(store, settings=settings) as analyst, TruthTables(store) as truths:
        reader = analyst.manager.reader
        assert isinstance(reader, ModelReader)
        answering = Answering(Retriever.over(analyst.dataset, analyst.model))
        cases = load_cases(None, "dev")[::EVERY]
        found = measure_trust(reader, answering, cases, truths, most=most, told=told)
        Trust.of(settings).keep(reader.model_name, found)
    return found
