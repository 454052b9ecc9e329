"""The tools that only an MCP client needs: opening data sets, listing them, reading the rest of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gnomon.agents.releasing import AnswerRelease
from gnomon.agents.set_aside import with_notes
from gnomon.core.answer import TREE_STEP
from gnomon.core.errors import InvalidInput
from gnomon.guardrails.release.cells import MIN_ROWS, CellGuard, TableCells
from gnomon.guardrails.release.rule import AGGREGATES, FULL
from gnomon.mcp_server.calls import Choice, Control, Desk
from gnomon.mcp_server.datasets import OpenDataset
from gnomon.mcp_server.results import MAX_PAGE, PAGE_ITEMS, page
from gnomon.tools.contract import invalid_parameters

if TYPE_CHECKING:
    from gnomon.agents.outcome import Outcome
    from gnomon.core.answer import Option
    from gnomon.core.query import AgentType
    from gnomon.semantic import SemanticModel


class Input(BaseModel):
    """Parameters of a tool."""

    model_config = ConfigDict(extra="forbid")


class OpenInput(Input):
    """Files to open as one data set."""

    paths: list[str] = Field(
        min_length=1,
        max_length=100,
        description="Paths of files or folders (CSV, Parquet, JSON, Excel, DuckDB, SQLite) that this server may read.",
    )


class NoInput(Input):
    """Nothing to choose."""


class ReadInput(Input):
    """Which part of which result."""

    result: str = Field(description="The handle that a result gave, with or without '.field'.")
    field: str | None = Field(
        default=None, description="The field to read, such as rows or segments[0].columns."
    )
    offset: int = Field(default=0, ge=0, description="The first item.")
    limit: int = Field(default=PAGE_ITEMS, ge=1, le=MAX_PAGE, description="How many items.")


class InsightsInput(Input):
    """What to look for insights in."""

    dataset: str = Field(description="Handle of an open data set, as open_dataset gave it.")
    goal: str | None = Field(
        default=None,
        max_length=2_000,
        description="What the insights are for, in words; it steers their order.",
    )
    top: int = Field(default=10, ge=1, le=50, description="How many insights at most.")


class WhyInput(Input):
    """A question about a data set."""

    question: str = Field(
        min_length=1,
        max_length=2000,
        description="In plain English, such as 'total revenue by month in 2024'.",
    )
    dataset: str | None = Field(
        default=None,
        description="Handle of a data set, or the name of a table; the only one that is open by default.",
    )


class AskInput(WhyInput):
    """A question about a data set, or one of the choices that an answer gave."""

    question: str | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride]
        default=None,
        min_length=1,
        max_length=2000,
        description="In plain English, such as 'total revenue by month in 2024'; left out where 'pick' says it.",
    )
    pick: str | None = Field(
        default=None,
        max_length=100,
        description="The 'pick' of one of the options of an answer: its question is answered as that option means it.",
    )


@dataclass(frozen=True)
class OwnTool:
    """A tool of the server itself.

    Args:
        name: Its name.
        description: One or two sentences.
        takes: Its parameters.
        gives: JSON Schema of its result.
        run: Does it.
        read_only: Whether it changes nothing, not even what is open.
    """

    name: str
    description: str
    takes: type[BaseModel]
    gives: dict[str, Any]
    run: Callable[[Any, Desk, Control], dict[str, Any]]
    read_only: bool = True

    def __call__(self, arguments: dict[str, Any], desk: Desk, control: Control) -> dict[str, Any]:
        """Validate and run.

        Raises:
            InvalidInput: The arguments do not fit.
        """
        try:
            given = self.takes.model_validate(arguments)
        except ValidationError as e:
            raise invalid_parameters(self.name, e, dict(self.takes.model_fields)) from None
        return self.run(given, desk, control)


_TABLES: dict[str, Any] = {
    "type": "array",
    "description": "Tables without their values: rows, and for each column type, null rate, distinct values, what it is.",
    "items": {"type": "object", "required": ["name", "rows", "columns"]},
}
DATASET_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "dataset": {"type": "string", "description": "Handle of the data set."},
        "tables": _TABLES,
        "failures": {"type": "array", "items": {"type": "string"}},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["dataset", "tables"],
}
LIST_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "datasets": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "dataset": {"type": "string"},
                    "files": {"type": "array", "items": {"type": "string"}},
                    "tables": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["dataset", "files", "tables"],
            },
        }
    },
    "required": ["datasets"],
}
PAGE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "field": {"type": "string"},
        "offset": {"type": "integer"},
        "total": {"type": "integer"},
        "items": {"type": "array"},
        "next_offset": {"type": ["integer", "null"], "description": "Where to read on; null at the end."},
    },
    "required": ["field", "offset", "total", "items", "next_offset"],
}


INSIGHTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "insights": {
            "type": "array",
            "description": "The most telling first; empty where nothing is more than chance.",
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "sentence": {"type": "string"},
                    "kind": {"type": "string"},
                    "effect": {"type": "number"},
                    "effect_name": {"type": "string"},
                    "chance": {"type": ["number", "null"], "description": "Corrected for every test made."},
                    "test": {"type": "string"},
                    "rows": {"type": "integer"},
                },
                "required": ["title", "sentence", "kind", "effect", "effect_name", "chance", "test", "rows"],
            },
        },
        "tests": {"type": "integer"},
        "rows": {"type": "integer"},
        "notes": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["insights", "tests", "rows", "notes"],
}

ANSWER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "description": "answered, partial, clarify, out_of_domain, out_of_scope or error."},
        "prose": {"type": "string", "description": "The answer in words; every number in it was computed."},
        "facts": {"type": "array", "items": {"type": "object", "required": ["name", "value"]}},
        "tables": {"type": "array", "items": {"type": "object", "required": ["name", "columns", "rows"]}},
        "suggestions": {"type": "array", "items": {"type": "string"}},
        "options": {
            "type": "array",
            "description": "What the question may mean, the likeliest first: pass 'pick' of the one that is meant to 'ask'.",
            "items": {
                "type": "object",
                "properties": {
                    "pick": {"type": "string"},
                    "said": {"type": "string", "description": "What is taken for what, and what is left out."},
                    "question": {"type": "string"},
                    "leaves": {"type": "array", "items": {"type": "string"}},
                    "word": {"type": "string", "description": "The word that is remembered when it is picked; empty for none."},
                    "name": {"type": "string", "description": "What that word then means."},
                },
                "required": ["pick", "said", "question", "leaves", "word", "name"],
            },
        },
        "privacy": {"type": "object"},
    },
    "required": ["status", "prose", "facts", "tables", "suggestions", "privacy"],
}  # fmt: skip


def dataset_summary(handle: str, opened: OpenDataset, *, share_rows: bool) -> dict[str, Any]:
    """A data set as it may be told of: its safe profile, under its handle."""
    profile = opened.profile.to_dict()
    warnings = [w for t in opened.dataset for w in t.warnings] + list(opened.dataset.warnings)
    if not share_rows:
        guard = CellGuard(TableCells(opened.dataset, t, opened.origin(t.name)) for t in opened.dataset)
        warnings = guard.masked(warnings)
    return {
        "dataset": handle,
        "tables": profile["tables"],
        "failures": profile["failures"],
        "warnings": warnings[:50],
    }


def _open(given: OpenInput, desk: Desk, control: Control) -> dict[str, Any]:
    control.progress(0.0, "opening")
    handle, opened = desk.datasets.open(given.paths)
    control.cancel.check()
    control.progress(0.5, "profiling")
    return dataset_summary(handle, opened, share_rows=desk.share_rows)


def _list(given: NoInput, desk: Desk, control: Control) -> dict[str, Any]:
    return {
        "datasets": [
            {
                "dataset": handle,
                "files": [
                    PurePath(p).name if "://" not in p else p.partition("://")[0] for p in opened.paths
                ],
                "tables": list(opened.dataset.tables),
            }
            for handle, opened in desk.datasets.items()
        ]
    }


def _read(given: ReadInput, desk: Desk, control: Control) -> dict[str, Any]:
    handle, _, rest = given.result.partition(".")
    kept = desk.results.get(handle)
    path = given.field or rest or next(iter(kept.output))
    return page(kept, path, given.offset, given.limit, share_rows=desk.share_rows)


def _insights(given: InsightsInput, desk: Desk, control: Control) -> dict[str, Any]:
    """Insights as an agent may be told them: no persons, no free text, no group of fewer than five rows."""
    from gnomon.agents.auto_insight import tell_insights
    from gnomon.agents.persons_behind import tables_of_persons, whose_rows
    from gnomon.semantic.rare_values import sets_few_apart, without_few

    opened = desk.datasets.get(given.dataset)
    control.progress(0.0, "profiling")
    model = opened.understood
    control.cancel.check()
    control.progress(0.3, "searching")
    free = desk.share_rows
    persons, whose = ((), {}) if free else (tables_of_persons(model), whose_rows(model))
    told = tell_insights(
        opened.dataset, without_few(opened.dataset, model, MIN_ROWS, whose), goal=given.goal, top=given.top, may_name_persons=free, from_texts=free,
        fewest_rows=0 if free else MIN_ROWS, cancel=control.cancel,
        at_home=sets_few_apart(opened.dataset, model, MIN_ROWS, persons),
    )  # fmt: skip
    fields = ("title", "sentence", "kind", "effect", "effect_name", "chance", "test", "rows")
    result = {
        "insights": [{k: getattr(i, k) for k in fields} for i in told],
        "tests": told.tests,
        "rows": told.rows,
        "notes": list(told.notes),
    }
    if free:
        return result
    guard = CellGuard(TableCells(opened.dataset, t, opened.origin(t.name)) for t in opened.dataset)
    return guard.masked(result, [given.goal] if given.goal else [])


def _ask(given: AskInput, desk: Desk, control: Control) -> dict[str, Any]:
    if (given.question is None) == (given.pick is None):
        raise InvalidInput("Pass either a question, or the 'pick' of an option.")
    if given.pick is None:
        return _processed(given.question or "", desk.datasets.chosen(given.dataset), desk, control)
    choice = desk.choices.get(given.pick)
    return _processed(choice.option.question, choice.opened, desk, control, picked=choice.option)


def _why(given: WhyInput, desk: Desk, control: Control) -> dict[str, Any]:
    from gnomon.core.query import AgentType

    opened = desk.datasets.chosen(given.dataset)
    return _processed(given.question, opened, desk, control, AgentType.INSIGHT_GENERATOR)


def _processed(
    question: str,
    opened: OpenDataset,
    desk: Desk,
    control: Control,
    worker: AgentType | None = None,
    picked: Option | None = None,
) -> dict[str, Any]:
    from gnomon.agents.offers import as_agreed
    from gnomon.core.query import AgentType

    control.progress(0.0, "reading")
    analyst = opened.analyst(desk.workbench.settings, share_rows=desk.share_rows)
    control.cancel.check()
    agreed = as_agreed(picked) if picked is not None else None
    if picked is not None and desk.learns:
        analyst.learn(picked)
    outcome = analyst.process(question, worker=worker, agreed=agreed, tries=desk.share_rows)
    control.cancel.check()
    explained = AgentType.INSIGHT_GENERATOR in (worker, outcome.agent)
    if explained and not desk.share_rows:
        from gnomon.agents.support import with_counts
        from gnomon.semantic.retrieve import Retriever

        retriever = Retriever.over(opened.dataset, analyst.model)
        outcome = replace(outcome, answer=with_counts(outcome.answer, retriever, outcome.reading))
    return answered(outcome, opened, analyst.model, desk, question)


def answered(
    outcome: Outcome, opened: OpenDataset, model: SemanticModel, desk: Desk, question: str
) -> dict[str, Any]:
    """An answer as it may be sent; every tool that gives answers ends here."""
    answer = outcome.answer
    if desk.share_rows:
        kept = ("status", "prose", "facts", "tables", "charts", "suggestions")
        body = {k: v for k, v in answer.to_dict().items() if k in kept}
        options = [{"pick": _kept(o, opened, desk), **o.model_dump(mode="json")} for o in answer.options]
        return {**body, "options": options, "privacy": {"level": FULL, "withheld": []}}
    from gnomon.agents.judged_groups import judged_groups
    from gnomon.semantic.retrieve import Retriever

    release = AnswerRelease(model, {t.name: opened.origin(t.name) for t in opened.dataset}, outcome.reading)
    release.check()
    guard = CellGuard(TableCells(opened.dataset, t, opened.origin(t.name)) for t in opened.dataset)
    body = release.nothing()
    if not (_is_of_a_tree(outcome) or _rests_on_few(outcome, opened, model)):
        retriever = Retriever.over(opened.dataset, model)
        groups = judged_groups(retriever, outcome.reading, release.closed)
        body = release.told(answer, guard, question, groups)
    withheld = body.pop("withheld")
    told: list[dict[str, Any]] = body.pop("options", [])
    options = [
        {"pick": _kept(o, opened, desk), **said} for o, said in zip(answer.options, told, strict=False)
    ]
    if (
        body["facts"] or body["tables"]
    ):  # what is told anew of single facts still rests on what was left out or in doubt
        noted = with_notes(answer.model_copy(update={"prose": ""}), opened.dataset).prose.split("\n\n")
        notes = [n for n in guard.masked(noted) if n and n not in body["prose"]]
        body["prose"] = "\n\n".join([body["prose"], *notes])
    return {**body, "options": options, "privacy": {"level": AGGREGATES, "withheld": withheld}}


def _kept(option: Option, opened: OpenDataset, desk: Desk) -> str:
    """The handle under which an option can be picked."""
    return desk.choices.add(Choice(option, opened))


def _is_of_a_tree(outcome: Outcome) -> bool:
    """Whether an answer is what a tree came to, alone or for the asker to choose: which groups of it may be told is not judged."""
    if outcome.reading is None or outcome.reading.ask is None or outcome.agent is None:
        return False
    return not outcome.answer.facts or any(f.step == TREE_STEP for f in outcome.answer.facts)


def _rests_on_few(outcome: Outcome, opened: OpenDataset, model: SemanticModel) -> bool:
    """Whether too few rows meet what was asked, or fail to, or nothing came of it for a reason that would tell how many do."""
    from gnomon.agents.support import is_bounded, rests_on_few
    from gnomon.core.answer import AnswerStatus
    from gnomon.planning.reading import ReadingStatus
    from gnomon.semantic.retrieve import Retriever

    reading = outcome.reading
    if reading is None or outcome.answer.status is AnswerStatus.CLARIFY:
        return False
    clear = reading.status is ReadingStatus.CLEAR
    if not clear and outcome.agent is None:
        return False  # a no to words that were not understood, whatever the rows are
    failed = outcome.answer.status in (AnswerStatus.ERROR, AnswerStatus.OUT_OF_SCOPE)
    if failed and any(is_bounded(r) for r in reading.parts):
        return True
    return rests_on_few(Retriever.over(opened.dataset, model), reading, MIN_ROWS)


def data_tools() -> Sequence[OwnTool]:
    """The tools of this file."""
    return [
        OwnTool(
            "open_dataset",
            "Opens files as typed tables and describes them (names, types, counts, null rates; never a value). "
            'Other tools then take {"table": "name"} as data. Call this first.',
            OpenInput, DATASET_SCHEMA, _open, read_only=True,
        ),
        OwnTool(
            "list_datasets", "Lists the data sets that are open, with their tables.", NoInput, LIST_SCHEMA, _list
        ),
        OwnTool(
            "read_result",
            "Reads further items of a result that was cut: pages through a field by offset and limit.",
            ReadInput, PAGE_SCHEMA, _read,
        ),
        OwnTool(
            "insights",
            "Searches a data set for what is surprising, significant and useful: leading groups, differences, trends, "
            "changes, odd periods, correlations, associations; each with its size, its chance and the test.",
            InsightsInput, INSIGHTS_SCHEMA, _insights,
        ),
        OwnTool(
            "ask",
            "Answers a question in words about an open data set, with figures that were computed; says no where the "
            "data cannot answer. Where it says what could be meant, pass 'pick' of an option to have that answered.",
            AskInput, ANSWER_SCHEMA, _ask,
        ),
        OwnTool(
            "why",
            "Explains a figure of an open data set: what happened, why, what was ruled out, what to do next, how sure.",
            WhyInput, ANSWER_SCHEMA, _why,
        ),
    ]  # fmt: skip
