"""Reports that hold the way to compute them again: what each kind of result needs for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from gnomon.core.parts import Parts
from gnomon.planning.reading import Reading
from gnomon.reporting.document import Document, Recipe, Source, Way, source_file, sources_of
from gnomon.reporting.places import absolute

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst
    from gnomon.agents.auto_insight import Insights
    from gnomon.agents.coder import AnalysisRecord
    from gnomon.agents.outcome import Outcome
    from gnomon.anomaly import InvestigationState
    from gnomon.core.settings import Settings
    from gnomon.data import Dataset
    from gnomon.workbench import Analysis, Workbench


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def told(self) -> dict[str, Any]:
        """As plain data, without what was left out."""
        return {k: v for k, v in self.model_dump(mode="json").items() if v not in (None, [])}


class Asked(_Arguments):
    """A question of a conversation.

    Args:
        question: The words.
        today: The day that "last month" refers to.
        corrected: How somebody said that it is meant.
        reading: How a language model read it.
    """

    question: str
    today: date | None = None
    corrected: Parts | None = None
    reading: Reading | None = None


class AskedLast(Asked):
    """A question, with those it may lean on and the file that says what the tables mean."""

    before: tuple[Asked, ...] = ()
    model: str | None = None


class Searched(_Arguments):
    """A search for what stands out."""

    goal: str | None = None
    top: int
    model: str | None = None


class Investigated(_Arguments):
    """An investigation: what was looked at, and every call."""

    name: str
    table: str | None = None
    columns: tuple[str, ...] = ()
    steps: tuple[dict[str, Any], ...]


class Planned(_Arguments):
    """A task for planned tools on one table."""

    table: str
    task: str


class Templated(_Arguments):
    """A template's own plan."""

    template: str
    requirement: str = ""


class CodeRun(_Arguments):
    """A cell that a language model wrote and that ran."""

    number: int
    round: int
    action: str
    description: str
    code: str
    language: str = "python"


class Coded(_Arguments):
    """Cells that a language model wrote, in order."""

    template: str | None = None
    requirement: str
    cells: tuple[CodeRun, ...]


def answer_report(
    analyst: Analyst,
    outcome: Outcome,
    question: str,
    *,
    sources: Sequence[str] = (),
    today: date | None = None,
    model: Path | None = None,
    why: bool = False,
) -> Document:
    """An answer as a report that can be replayed.

    Args:
        analyst: Who answered.
        outcome: The answer with what was decided on the way.
        question: The question.
        sources: The data, as it was opened; without it, the report cannot be replayed.
        today: The day it was asked on, where one was given.
        model: The YAML model that was used, where one was given.
        why: Whether an explanation was asked for by name.
    """
    from gnomon.reporting.from_answer import document_of_answer

    read = outcome.reading if outcome.reading is not None and outcome.reading.privacy is not None else None
    arguments = AskedLast(
        question=question, today=analyst.day(today), reading=read_by_model(read), model=_named(model)
    )
    return document_of_answer(
        outcome.answer,
        question,
        sources=(*sources_of(analyst.dataset), *_meaning(model)),
        privacy=outcome.privacy,
        recipe=recipe_of("why" if why else "answer", _lasting(sources), arguments),
    )


def insights_report(
    found: Insights,
    dataset: Dataset,
    *,
    goal: str | None = None,
    top: int = 10,
    sources: Sequence[str] = (),
    model: Path | None = None,
) -> Document:
    """What stands out in data as a report that can be replayed; the arguments are those it was searched with."""
    from gnomon.reporting.from_answer import document_of_answer

    arguments = Searched(goal=goal, top=top, model=_named(model))
    return document_of_answer(
        found.to_answer(),
        goal or "What stands out",
        sources=(*sources_of(dataset), *_meaning(model)),
        recipe=recipe_of("insights", _lasting(sources), arguments),
    )


def investigation_report(
    state: InvestigationState,
    name: str,
    *,
    sources: Sequence[Source],
    opened: Sequence[str],
    table: str | None = None,
    columns: Sequence[str] | None = None,
) -> Document:
    """An investigation as a report that can be replayed, whatever was said in between.

    Args:
        state: The investigation.
        name: What the data is called.
        sources: The files behind it.
        opened: The data, as it can be opened from anywhere.
        table: The table that was looked into; None for a file that was read as a whole.
        columns: Those that were looked at; all by default.
    """
    from gnomon.data.profile_model import plain
    from gnomon.reporting.from_investigation import document_of_investigation

    arguments = Investigated(name=name, table=table, columns=tuple(columns or ()), steps=plain(state.steps))
    recipe = recipe_of("investigation", opened, arguments)
    return document_of_investigation(state, name, sources=sources, recipe=recipe)


def analysis_report(
    workbench: Workbench,
    analysis: Analysis,
    dataset: Dataset,
    *,
    sources: Sequence[str],
    table: str,
    task: str,
) -> Document:
    """A planned analysis as a report that can be replayed."""
    from gnomon.reporting.from_analysis import document_of_analysis

    recipe = recipe_of("analysis", _lasting(sources), Planned(table=table, task=task))
    return document_of_analysis(
        workbench.published(analysis), task, sources=sources_of(dataset), recipe=recipe
    )


def record_report(record: AnalysisRecord, settings: Settings) -> Document:
    """An analysis by a template or with a language model as a report that can be replayed without one."""
    from gnomon.data import open_sources
    from gnomon.reporting.from_analysis import document_of_record

    told = record.to_dict()
    with open_sources(*record.sources, settings=settings) as dataset:
        files = [s.model_dump() for s in sources_of(dataset)]
    recipe = record_recipe(record.template, record.requirement, told["cells"], _lasting(record.sources))
    return document_of_record({**record.to_report(), "sources": files, "recipe": recipe})


def record_recipe(
    template: str | None, requirement: str, cells: Sequence[Mapping[str, Any]], sources: Sequence[str]
) -> Recipe | None:
    """How an analysis by a template or with a language model is done again: its plan, or the cells that ran well.

    Args:
        template: The template that was followed.
        requirement: What was asked for.
        cells: Every cell as plain data.
        sources: The data, as it was opened.
    """
    coded = [c for c in cells if c["ok"] and c["action"] == "generate_code"]
    # Where a template's own plan stood in for a model that found nothing, its cells come last and made the findings.
    planned = not coded or cells[-1]["action"] == "template"
    if template is not None and planned:
        return recipe_of("template", sources, Templated(template=template, requirement=requirement))
    if not coded:
        return None
    runs = tuple(CodeRun(**{k: c[k] for k in CodeRun.model_fields}) for c in coded)
    return recipe_of("code", sources, Coded(template=template, requirement=requirement, cells=runs))


def recipe_of(way: Way, sources: Sequence[str], arguments: _Arguments) -> Recipe | None:
    """The recipe of a report; none where nothing says what to open."""
    if not sources:
        return None
    return Recipe(kind=way, sources=tuple(sources), arguments=arguments.told())


def read_by_model(reading: Reading | None) -> Reading | None:
    """What of a model's reading it takes to answer the question again without the model."""
    return None if reading is None else reading.model_copy(update={"local": None, "privacy": None})


def _lasting(sources: Sequence[str]) -> list[str]:
    return [absolute(s) for s in sources]


def _named(model: Path | None) -> str | None:
    return None if model is None else absolute(str(model))


def _meaning(model: Path | None) -> tuple[Source, ...]:
    """The file that says what the tables mean: where it changes, figures may."""
    return () if model is None else (source_file(Path(absolute(str(model)))),)


def file_sources(file: Path) -> tuple[Source, ...]:
    """The file that an investigation read; a folder is named only."""
    return (source_file(file) if file.is_file() else Source(name=file.name, location=str(file)),)
