"""Reports computed again from their bundles and compared: what ``gnomon replay`` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from gnomon.core.errors import DataUnavailable, GnomonError, InvalidInput, PolicyViolation
from gnomon.recipes import (
    Asked,
    AskedLast,
    Coded,
    Investigated,
    Planned,
    Searched,
    Templated,
    analysis_report,
    answer_report,
    file_sources,
    insights_report,
    investigation_report,
    record_report,
)
from gnomon.reporting.bundle import as_written, load_bundle
from gnomon.reporting.compare import Comparison, changed_sources, compare
from gnomon.reporting.document import Document, Recipe, sources_of
from gnomon.reporting.places import find_data

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst
    from gnomon.agents.outcome import Outcome
    from gnomon.anomaly import InvestigationState
    from gnomon.core.query import AgentType
    from gnomon.core.request import Request
    from gnomon.core.settings import Settings
    from gnomon.data import Dataset
    from gnomon.planning.reading import Reading
    from gnomon.semantic.model import SemanticModel


def replay(bundle: Path, sources: Sequence[str] = ()) -> Comparison:
    """Compute a report again from its bundle, and compare fact by fact; no language model is asked.

    Args:
        bundle: The bundle that ``--report out.json`` or the page wrote.
        sources: Where the data is now, where it moved.

    Raises:
        InvalidInput: The file is no bundle, or holds no way to compute it again.
        DataUnavailable: The data is not there any more, or is not such that it could be computed again.
    """
    then = load_bundle(bundle)
    if then.recipe is None:
        raise InvalidInput(
            "This report holds no way to compute it again.",
            suggestions=["Rows that came with a request are not kept: reports of files can be replayed."],
        )
    places = find_data(then, sources, bundle.absolute().parent)
    changed = changed_sources(then.sources, places.where(then.sources))
    try:
        with places.opened_as() as data:
            now = as_written(recompute(then.recipe, data))
    except GnomonError as e:
        if not changed:
            raise
        raise DataUnavailable(
            f"{' '.join(changed)} It cannot be computed again from that: {e.message}",
            suggestions=e.suggestions,
        ) from e
    return compare(then, now, changed)


def recompute(recipe: Recipe, sources: Sequence[str] = ()) -> Document:
    """The document that a recipe makes now.

    Args:
        recipe: The recipe.
        sources: What to open in place of what it names.
    """
    from gnomon.core.settings import Settings

    # Nothing is sent because somebody looks whether figures still hold: what a model read or wrote is in the recipe.
    settings = Settings.load().model_copy(update={"model": None})
    ways = {
        "answer": _answer,
        "why": _answer,
        "insights": _insights,
        "investigation": _investigation,
        "analysis": _analysis,
        "template": _template,
        "code": _code,
    }
    try:
        return ways[recipe.kind](recipe, tuple(sources) or recipe.sources, settings)
    except ValidationError as e:
        wrong = ", ".join(sorted({".".join(str(p) for p in w["loc"]) for w in e.errors()})[:5])
        raise InvalidInput(
            f"The bundle does not say how to compute it again: {wrong} does not fit."
        ) from None


class _Asker:
    """An analyst that answers, and learns nothing from being asked again."""

    def __init__(self, analyst: Analyst, worker: AgentType | None) -> None:
        self.model = analyst.model
        self._analyst, self._worker = analyst, worker

    def process(
        self,
        question: str,
        *,
        today: date | None = None,
        previous: Request | None = None,
        agreed: Reading | None = None,
    ) -> Outcome:
        """The answer with everything that was decided on the way."""
        return self._analyst.process(
            question, today=today, previous=previous, agreed=agreed, worker=self._worker
        )


def _answer(recipe: Recipe, sources: Sequence[str], settings: Settings) -> Document:
    from gnomon.agents.conversation import Conversation
    from gnomon.core.query import AgentType
    from gnomon.opening import open_analyst

    given, why = AskedLast.model_validate(recipe.arguments), recipe.kind == "why"
    with open_analyst(*sources, model=given.model, settings=settings) as analyst:
        talk = Conversation(_Asker(analyst, AgentType.INSIGHT_GENERATOR if why else None))
        for turn in given.before:
            talk.process(turn.question, today=turn.today, agreed=_agreed(turn, analyst.model))
        outcome = talk.process(given.question, today=given.today, agreed=_agreed(given, analyst.model))
        return answer_report(analyst, outcome, given.question, today=given.today, model=_path(given.model))


def _path(named: str | None) -> Path | None:
    return None if named is None else Path(named)


def _agreed(given: Asked, model: SemanticModel) -> Reading | None:
    """How a question is to be read: as somebody corrected it, or as a language model read it."""
    from gnomon.planning.reading import Reading, ReadingStatus
    from gnomon.planning.trees import request_of

    if given.corrected is not None:
        return Reading(status=ReadingStatus.CLEAR, requests=(request_of(given.corrected, model),))
    return given.reading


def _insights(recipe: Recipe, sources: Sequence[str], settings: Settings) -> Document:
    from gnomon.agents.auto_insight import tell_insights
    from gnomon.opening import open_tables

    given = Searched.model_validate(recipe.arguments)
    dataset, meaning = open_tables(*sources, model=given.model, settings=settings)
    with dataset:
        found = tell_insights(
            dataset, meaning, goal=given.goal, top=given.top, allow_personal=settings.allow_personal
        )
        return insights_report(found, dataset, goal=given.goal, top=given.top, model=_path(given.model))


def _investigation(recipe: Recipe, sources: Sequence[str], settings: Settings) -> Document:
    from gnomon.data import open_sources

    given = Investigated.model_validate(recipe.arguments)
    if given.table is not None:
        with open_sources(*sources, settings=settings) as dataset:
            rows, files = rows_of(dataset, given.table, given.columns), sources_of(dataset)
    else:
        file = Path(sources[0])
        rows, files = chosen(file, given.columns) if given.columns else str(file), file_sources(file)
    state = steps_again(rows, given.steps)
    return investigation_report(state, given.name, sources=files, opened=())


def steps_again(rows: Any, steps: Sequence[Mapping[str, Any]]) -> InvestigationState:
    """Where the recorded steps of an investigation lead from these rows.

    Raises:
        InvalidInput: One of them is no step.
    """
    from gnomon.anomaly import ADEngine
    from gnomon.reporting.notebook import CALLS

    try:
        first, *rest = steps
        engine = ADEngine(random_state=first["seed"])
        state = engine.start(rows, first["data_type"])
        for step in rest:
            if step["call"] not in CALLS:
                raise InvalidInput(f"An investigation has no step {step['call']!r}.")
            state = getattr(engine, step["call"])(state, **{k: v for k, v in step.items() if k != "call"})
    except (KeyError, TypeError) as e:
        raise InvalidInput(f"The steps of the investigation cannot be taken again: {e}.") from e
    return state


def _analysis(recipe: Recipe, sources: Sequence[str], settings: Settings) -> Document:
    from gnomon.data import open_sources
    from gnomon.tools import Frame
    from gnomon.workbench import Workbench

    given = Planned.model_validate(recipe.arguments)
    with Workbench(settings) as workbench, open_sources(*sources, settings=settings) as dataset:
        frame = Frame.of({"table": dataset.table(given.table).name})
        analysis = workbench.analyze(given.task, frame, dataset=dataset)
        return analysis_report(
            workbench, analysis, dataset, sources=sources, table=given.table, task=given.task
        )


def _template(recipe: Recipe, sources: Sequence[str], settings: Settings) -> Document:
    from gnomon.agents.coder import DataAnalysisAgent

    given = Templated.model_validate(recipe.arguments)
    with DataAnalysisAgent(settings=settings) as agent:
        record = agent.analyze(given.requirement, list(sources), given.template)
    return record_report(record, settings)


def _code(recipe: Recipe, sources: Sequence[str], settings: Settings) -> Document:
    from gnomon.agents.coder import AnalysisRecord, Cell, RecordStatus

    if settings.sandbox == "unsafe":
        raise PolicyViolation(
            "This report was computed by code, and a bundle's code runs behind walls only.",
            suggestions=["Unset GNOMON_SANDBOX, and run it where bubblewrap or Landlock is."],
        )
    given = Coded.model_validate(recipe.arguments)
    cells = tuple(Cell(**c.model_dump()) for c in given.cells)
    record = AnalysisRecord(
        "replay", given.requirement, given.template, tuple(sources), RecordStatus.COMPLETE, cells=cells
    )
    return record_report(record.rerun(settings), settings)


def rows_of(dataset: Dataset, table: str, columns: Sequence[str] = (), limit: int | None = None) -> Any:
    """The rows of a table as a frame, in the order in which they lie there."""
    from gnomon.data.table import quote

    found = dataset.table(table)
    names = [found.column(c).name for c in columns] or [c.name for c in found.columns]
    query = f"SELECT {', '.join(quote(n) for n in names)} FROM {found.relation}"
    with dataset.cursor() as cursor:
        return cursor.execute(query if limit is None else f"{query} LIMIT {limit}").df()


def chosen(file: Path, columns: Sequence[str]) -> Any:
    """The named columns of the file's only table."""
    from gnomon.tools import Frame, ToolContext
    from gnomon.tools.resolve import read_frame

    return read_frame(Frame.of({"source": str(file)}), ToolContext(), list(columns))
