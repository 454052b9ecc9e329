"""Reports with the way to compute them again, and that way gone once more: what ``gnomon replay`` does."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.core.errors import InvalidInput
from gnomon.reporting.bundle import load_bundle
from gnomon.reporting.compare import Comparison, changed_sources, compare
from gnomon.reporting.document import Document, Recipe, source_file, sources_of

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst
    from gnomon.agents.manager import Outcome
    from gnomon.anomaly import InvestigationState
    from gnomon.data import Dataset
    from gnomon.workbench import Analysis, Workbench


def answer_report(
    analyst: Analyst,
    outcome: Outcome,
    question: str,
    *,
    sources: Sequence[str] = (),
    today: date | None = None,
    model: Path | None = None,
) -> Document:
    """An answer as a report that can be replayed.

    Args:
        analyst: Who answered.
        outcome: The answer with what was decided on the way.
        question: The question.
        sources: The data, as it was opened; without it, the report cannot be replayed.
        today: The day it was asked on, where one was given.
        model: The YAML model that was used, where one was given.
    """
    from gnomon.reporting.from_answer import document_of_answer

    arguments: dict[str, Any] = {"question": question, "today": analyst.day(today).isoformat()}
    if model is not None:
        (arguments["model"],) = _absolute([str(model)])
    recipe = Recipe(kind="answer", sources=_absolute(sources), arguments=arguments) if sources else None
    return document_of_answer(
        outcome.answer,
        question,
        sources=sources_of(analyst.dataset),
        privacy=outcome.privacy,
        recipe=recipe,
    )


def investigation_report(
    state: InvestigationState, file: Path, columns: Sequence[str] | None = None
) -> Document:
    """An investigation of a file as a report that can be replayed, whatever was said in between."""
    from gnomon.data.profile_model import plain
    from gnomon.reporting.from_investigation import document_of_investigation

    arguments = {"name": file.name, "columns": list(columns or ()), "steps": plain(state.steps)}
    recipe = Recipe(kind="investigation", sources=_absolute([str(file)]), arguments=arguments)
    return document_of_investigation(state, file.name, sources=(source_file(file),), recipe=recipe)


def analysis_report(
    workbench: Workbench, analysis: Analysis, dataset: Dataset, *, source: str, table: str, task: str
) -> Document:
    """A planned analysis as a report that can be replayed."""
    from gnomon.reporting.from_analysis import document_of_analysis

    recipe = Recipe(kind="analysis", sources=_absolute([source]), arguments={"table": table, "task": task})
    return document_of_analysis(
        workbench.published(analysis), task, sources=sources_of(dataset), recipe=recipe
    )


def _absolute(sources: Sequence[str]) -> tuple[str, ...]:
    """Paths that mean the same in another folder; addresses and patterns stay as they are."""
    return tuple(str(Path(s).resolve()) if Path(s).exists() else s for s in sources)


def replay(bundle: Path, sources: Sequence[str] = ()) -> Comparison:
    """Compute a report again from its bundle, and compare fact by fact.

    Args:
        bundle: The bundle that ``--report out.json`` wrote.
        sources: Where the data is now, where it moved.

    Raises:
        InvalidInput: The file is no bundle, or holds no way to compute it again.
        DataUnavailable: The data is not there any more.
    """
    then = load_bundle(bundle)
    if then.recipe is None or then.recipe.kind == "record":
        raise InvalidInput(
            "This report holds no way to compute it again.",
            suggestions=["Reports of 'ask', 'investigate' and 'analyze' on files can be replayed."],
        )
    if not sources and (foreign := [s for s in then.recipe.sources if "://" in s]):
        raise InvalidInput(
            f"The data of this report is not on this machine ({foreign[0]}), and a bundle may not open addresses.",
            suggestions=["Name the data with --data if you trust it."],
        )
    moved = _moved(then, sources)
    changed = changed_sources(then.sources, moved)
    now = recompute(then.recipe, sources)
    return compare(then, now, changed)


def _moved(then: Document, sources: Sequence[str]) -> tuple[str, ...]:
    """Where each file of the report is now: the same name below the folders and files that were named."""
    if not sources:
        return ()
    found: list[str] = []
    for source in then.sources:
        places = [Path(s) / source.name if Path(s).is_dir() else Path(s) for s in sources]
        same = [p for p in places if p.name == source.name and p.is_file()]
        found.append(str(same[0] if same else places[0] if len(then.sources) == 1 else source.location))
    return tuple(found)


def recompute(recipe: Recipe, sources: Sequence[str] = ()) -> Document:
    """The document that a recipe makes now."""
    data = tuple(sources) or recipe.sources
    try:
        if recipe.kind == "answer":
            return _answer(recipe, data)
        return _investigation(recipe, data) if recipe.kind == "investigation" else _analysis(recipe, data)
    except (KeyError, IndexError, TypeError) as e:
        raise InvalidInput(f"The bundle does not say how to compute it again: {e} is missing.") from e


def _answer(recipe: Recipe, sources: Sequence[str]) -> Document:
    from gnomon.opening import open_analyst

    given = recipe.arguments
    today, model = date.fromisoformat(given["today"]), given.get("model")
    with open_analyst(*sources, model=model) as analyst:
        outcome = analyst.process(str(given["question"]), today=today)
        return answer_report(analyst, outcome, str(given["question"]), today=today)


def _investigation(recipe: Recipe, sources: Sequence[str]) -> Document:
    from gnomon.anomaly import ADEngine
    from gnomon.reporting.notebook import CALLS

    given, file = recipe.arguments, Path(sources[0])
    columns = [str(c) for c in given.get("columns") or ()]
    first, *rest = given["steps"]
    engine = ADEngine(random_state=first["seed"])
    state = engine.start(chosen(file, columns) if columns else str(file), first["data_type"])
    for step in rest:
        if step["call"] not in CALLS:
            raise InvalidInput(f"An investigation has no step {step['call']!r}.")
        state = getattr(engine, step["call"])(state, **{k: v for k, v in step.items() if k != "call"})
    return investigation_report(state, file, columns)


def _analysis(recipe: Recipe, sources: Sequence[str]) -> Document:
    from gnomon.data import open_sources
    from gnomon.tools import Frame
    from gnomon.workbench import Workbench

    table, task = str(recipe.arguments["table"]), str(recipe.arguments["task"])
    with Workbench() as workbench, open_sources(sources[0], settings=workbench.settings) as dataset:
        frame = Frame.of({"table": dataset.table(table).name})
        analysis = workbench.analyze(task, frame, dataset=dataset)
        return analysis_report(workbench, analysis, dataset, source=sources[0], table=table, task=task)


def chosen(file: Path, columns: Sequence[str]) -> Any:
    """The named columns of the file's only table."""
    from gnomon.tools import Frame, ToolContext
    from gnomon.tools.resolve import read_frame

    return read_frame(Frame.of({"source": str(file)}), ToolContext(), list(columns))
