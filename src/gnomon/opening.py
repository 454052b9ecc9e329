"""``gnomon.open``: sources in, an analyst that answers questions about them out."""

from __future__ import annotations

import atexit
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.core.private import in_turn, remember
from gnomon.core.settings import Settings
from gnomon.kept_files import model_file, queries_file, taught_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import date

    from gnomon.agents.analyst import Analyst
    from gnomon.agents.guarding import Guard
    from gnomon.agents.insight import DomainAwareRouter, InsightGeneratorExecutor
    from gnomon.agents.insight.writing import InsightWriter
    from gnomon.agents.judges import Judges
    from gnomon.agents.model_writer import ModelWriter
    from gnomon.agents.opinions import Opinions
    from gnomon.answering import Answering
    from gnomon.core.answer import Answer
    from gnomon.data import Dataset
    from gnomon.data.opening_limit import Deadline
    from gnomon.data.raw import Progress
    from gnomon.execution import MCPToolsInvocationLayer
    from gnomon.llm import ModelClient
    from gnomon.llm.trust import Trust
    from gnomon.planning.model_reader import ModelReader
    from gnomon.planning.reader import GrammarReader
    from gnomon.planning.reading import Reading
    from gnomon.reading import LocalReader, TreeReader
    from gnomon.semantic import SemanticModel
    from gnomon.semantic.registry import APIRegistry
    from gnomon.semantic.retrieve import Retriever
    from gnomon.semantic.values import ValueIndex
    from gnomon.tools.contract import Tool
    from gnomon.tools.registry import ToolRegistry

MAX_MODELS = 64


def open_analyst(
    *sources: Any,
    model: SemanticModel | str | PathLike[str] | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
    trust: Trust | None = None,
    warm: bool = True,
) -> Analyst:
    """Open tables and get ready to answer questions about them.

    Args:
        sources: What :func:`gnomon.open_sources` takes: files, folders, globs, URLs, frames.
        model: What the tables mean: a model, or the path of a YAML file that corrects or completes the
            inferred one; inferred from the data by default.
        settings: How it behaves; read from the environment by default.
        progress: Called with what is being opened, how much is done, and how much there is.
        trust: How far language models are believed; what the home folder knows of them by default.
        warm: Whether the networks that judge questions are loaded beside the rest; else when a question needs them.

    Raises:
        InvalidInput: A source or the model is not acceptable.
        DataUnavailable: A file is not there or cannot be read.
    """
    from gnomon.data import open_sources

    settings = settings or Settings.load()
    dataset = open_sources(*sources, settings=settings, progress=progress)
    try:
        return analyst_over(dataset, settings, model=model, progress=progress, trust=trust, warm=warm)
    except BaseException:
        dataset.close()
        raise


def analyst_over(
    dataset: Dataset,
    settings: Settings,
    *,
    model: SemanticModel | str | PathLike[str] | None = None,
    progress: Progress | None = None,
    trust: Trust | None = None,
    warm: bool = True,
    untold: Callable[[SemanticModel], Collection[str]] | None = None,
    fewest_rows: int = 0,
) -> Analyst:
    """An analyst over tables that are open already; closing it closes them.

    Args:
        dataset: The tables.
        settings: How it behaves.
        model: What the tables mean; inferred from the data by default.
        progress: Called with what is being looked at, how much is done, and how much there is.
        trust: How far language models are believed; what the home folder knows of them by default.
        warm: Whether the networks that judge questions are loaded beside the rest; else when a question needs them.
        untold: The dimensions whose values a question is not to be read by, where whoever asks may not learn whether
            there is such a value.
        fewest_rows: With ``untold``, values that fewer rows hold are not known either.
    """
    from gnomon.agents.persons_behind import tables_of_persons, whose_rows
    from gnomon.data.opening_limit import Deadline, in_time
    from gnomon.semantic import SemanticModel
    from gnomon.semantic.rare_values import rare_values
    from gnomon.semantic.values import ValueIndex
    from gnomon.semantic.yardsticks import with_yardsticks

    taught = (
        taught_file(dataset, settings)
        if model is None
        else model
        if not isinstance(model, SemanticModel)
        else None
    )
    given = taught if model is None and taught is not None and Path(taught).is_file() else model
    deadline = Deadline(settings)
    kept = model_file(dataset, settings)
    dataset, inferred = _inferred(dataset, settings, kept, progress, deadline)
    meaning = _model(given, inferred)
    with in_time("What the tables hold", dataset.interrupt, deadline=deadline):
        index = ValueIndex.build(dataset, meaning)
        if untold is not None:
            persons, whose = tables_of_persons(meaning), whose_rows(meaning)
            rare = rare_values(dataset, meaning, index, fewest_rows, persons, whose)
            index = index.without(untold(meaning), rare)
        meaning = with_yardsticks(meaning, index)
    with in_time("What questions need of the tables", dataset.interrupt, deadline=deadline):
        queries = queries_file(kept, meaning) if kept is not None else None
        analyst = _wired(dataset, meaning, index, settings, trust, warm, queries, untold is None)
    analyst.meaning_file = Path(taught) if taught is not None else None
    return analyst


def open_tables(
    *sources: Any,
    model: SemanticModel | str | PathLike[str] | None = None,
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> tuple[Dataset, SemanticModel]:
    """Open tables and understand them, without getting ready for questions; takes what :func:`open_analyst` takes.

    Raises:
        InvalidInput: A source or the model is not acceptable.
        DataUnavailable: A file is not there or cannot be read.
    """
    from gnomon.data import open_sources
    from gnomon.data.opening_limit import Deadline

    settings = settings or Settings.load()
    dataset = open_sources(*sources, settings=settings, progress=progress)
    try:
        kept = model_file(dataset, settings)
        dataset, inferred = _inferred(dataset, settings, kept, progress, Deadline(settings))
        return dataset, _model(model, inferred)
    except BaseException:
        dataset.close()
        raise


def _inferred(
    dataset: Dataset, settings: Settings, kept: Path | None, progress: Progress | None, deadline: Deadline
) -> tuple[Dataset, SemanticModel]:
    """The tables that can be understood in time, and their model; that of files that have not changed is remembered."""
    if (known := _remembered(kept)) is not None:
        return dataset, known
    if kept is None:
        return _inferred_anew(dataset, settings, kept, progress, deadline)
    with in_turn(kept, deadline.left(others=True)):
        if (known := _remembered(kept)) is not None:
            return dataset, known
        return _inferred_anew(dataset, settings, kept, progress, deadline)


def _remembered(kept: Path | None) -> SemanticModel | None:
    from gnomon.semantic import SemanticModel

    if kept is None or not kept.is_file():
        return None
    try:
        return SemanticModel.model_validate_json(kept.read_bytes())
    except (ValueError, OSError):
        kept.unlink(missing_ok=True)
        return None


def _inferred_anew(
    dataset: Dataset, settings: Settings, kept: Path | None, progress: Progress | None, deadline: Deadline
) -> tuple[Dataset, SemanticModel]:
    from gnomon.data import profile_dataset
    from gnomon.data.opening_limit import in_time
    from gnomon.semantic.infer import infer_model

    profile = profile_dataset(
        dataset, progress=progress, workers=settings.max_parallel_profiles, deadline=deadline
    )
    complete = profile.warnings == dataset.warnings and not profile.failures
    failed = {f.source: " ".join([f.message, *f.suggestions[:1]]) for f in profile.failures}
    dataset = replace(dataset, warnings=profile.warnings).without(
        {t.name: failed[t.source] for t in dataset if t.source in failed}
    )
    with in_time("What the tables mean", dataset.interrupt, deadline=deadline):
        model = infer_model(profile, dataset)
    if kept is not None and complete:
        remember(kept, model.model_dump_json().encode(), most=MAX_MODELS)
    return dataset, model


def _model(given: SemanticModel | str | PathLike[str] | None, inferred: SemanticModel) -> SemanticModel:
    from gnomon.semantic import SemanticModel

    if given is None:
        return inferred
    if isinstance(given, SemanticModel):
        return given
    from gnomon.semantic.yaml_io import load_model

    return load_model(Path(given).read_text(encoding="utf-8"), inferred)


def _wired(
    dataset: Dataset,
    model: SemanticModel,
    index: ValueIndex,
    settings: Settings,
    trust: Trust | None,
    warm: bool,
    queries: Path | None,
    rows: bool,
) -> Analyst:
    """The analyst over tables that are understood; what takes long gets ready beside the rest."""
    from gnomon.agents.judges import Judges

    judges = Judges(model, index, settings)
    if not warm:
        return _together(dataset, model, index, settings, trust, judges, queries, rows)
    with ThreadPoolExecutor(2, thread_name_prefix="gnomon-opening") as threads:
        begun = threads.submit(lambda: judges.gate), threads.submit(lambda: judges.router.load())
        analyst = _together(dataset, model, index, settings, trust, judges, queries, rows)
        for each in begun:
            each.result()
        return analyst


def _domains(model: SemanticModel, settings: Settings) -> DomainAwareRouter:
    """Who chooses the paths of what is explained, of this kind of data."""
    from gnomon.agents.insight import DomainAwareRouter, DomainPathRegistry

    sides = {t.business_dimension for t in model.tables if t.business_dimension}
    paths = DomainPathRegistry.load_from_config(settings.domains, sides)
    return DomainAwareRouter(paths, cache=settings.home.expanduser() / "domains")


def _together(
    dataset: Dataset,
    model: SemanticModel,
    index: ValueIndex,
    settings: Settings,
    trust: Trust | None,
    judges: Judges,
    queries: Path | None,
    rows: bool,
) -> Analyst:
    from gnomon.agents.analyst import Analyst
    from gnomon.agents.insight import InsightWorker
    from gnomon.agents.manager import READ_SECONDS, Manager
    from gnomon.agents.picks import Picks
    from gnomon.agents.plain_question import PlainQuestions
    from gnomon.agents.presenter import DataPresenter
    from gnomon.agents.suggestions import ideas
    from gnomon.answering.plan_kinds import DataWorkflowPlanner
    from gnomon.execution import MCPToolsInvocationLayer
    from gnomon.planning.reader import GrammarReader
    from gnomon.semantic.registry import APIRegistry
    from gnomon.semantic.retrieve import Retriever
    from gnomon.tools.calculations import CALCULATIONS
    from gnomon.tools.registry import ToolRegistry
    from gnomon.tools.retrieval_tools import retrieval_tool

    retriever = Retriever.over(dataset, model, queries)
    apis = APIRegistry.of(model)
    tools = ToolRegistry(
        disabled=settings.disabled_tools,
        late={name: partial(_calculation, name) for name in CALCULATIONS}
        | {api.name: partial(retrieval_tool, api, retriever) for api in apis},
        more=lambda: _analyses(model, retriever, settings),
    )
    layer = MCPToolsInvocationLayer(tools, settings=settings)
    client = _client(dataset, settings)
    presenter = DataPresenter(
        model, apis, layer, writer=_writer(client, model, settings),
        opinions=_opinions(client, retriever, settings, trust),
        answering=cache(partial(_answering, retriever, settings)),
        planner=DataWorkflowPlanner(apis, model, api_timeout_seconds=settings.step_timeout_seconds),
    )  # fmt: skip

    @cache
    def explaining() -> InsightGeneratorExecutor:
        return _explaining(model, apis, layer, retriever, client, settings)

    grammar = GrammarReader(model, index)
    guard = _guard(model, settings, retriever, own_words=client is None or not settings.model_prose)

    def checked(reading: Reading, today: date) -> Answer:
        """What a reading to pick from comes to, as it could be told if it was asked for."""
        return guard.answer(presenter.present(reading, today=today), reading).answer

    manager = Manager(
        reader=_reader(client, grammar, judges, retriever, settings, trust, rows),
        presenter=presenter,
        insight=InsightWorker(presenter, partial(_domains, model, settings), explaining, model, index),
        gate=judges,
        router=judges,
        guard=guard,
        read_seconds=READ_SECONDS + (client.timeout if client else 0.0),
        worker_seconds=settings.answer_seconds + (client.timeout if client and settings.model_prose else 0.0),
        insight_seconds=settings.insight_seconds,
        ideas=lambda question, today, insight: ideas(question, model, today, insight=insight),
        model=model,
        picks=Picks(grammar, checked, model, index),
        plain=PlainQuestions(model, index),
    )

    def close() -> None:
        layer.close()
        retriever.keep()
        if client is not None:
            client.close()

    analyst = Analyst(dataset, model, index, manager, close, frozenset(settings.allow_personal))
    atexit.register(_close_at_exit, weakref.ref(analyst))
    return analyst


def _client(dataset: Dataset, settings: Settings) -> ModelClient | None:
    """The configured language model, at the level of privacy that the tables allow."""
    from gnomon.llm.privacy import level_of, names_of

    level = level_of(settings, [names_of(t.name, t.source) for t in dataset])
    if settings.model is None:
        return None
    from gnomon.llm import ModelClient

    return ModelClient.of(settings.model_copy(update={"privacy": level.value}))


def _calculation(name: str) -> Tool:
    """A tool that computes with retrieved rows; one such step does not need all the others."""
    from gnomon.tools.calculation_tools import calculation_tool

    return calculation_tool(name)


def _analyses(model: SemanticModel, retriever: Retriever, settings: Settings) -> ToolRegistry:
    """The tools that most questions do without: statistics, charts, and calculations over rows."""
    from gnomon.tools.builtin import builtin_registry
    from gnomon.tools.calculation_tools import calculation_tools
    from gnomon.tools.row_calculations import row_tools
    from gnomon.tools.row_ranges import range_tools
    from gnomon.tools.row_regression import regression_row_tools
    from gnomon.tools.row_relations import relation_row_tools
    from gnomon.tools.row_shape import shape_row_tools
    from gnomon.tools.row_tests import group_test_tools

    tools = builtin_registry(settings)
    over_rows = [
        *row_tools(model, retriever),
        *relation_row_tools(model, retriever),
        *regression_row_tools(retriever),
        *shape_row_tools(retriever),
        *group_test_tools(model, retriever),
        *range_tools(model, retriever),
    ]
    for tool in [*over_rows, *calculation_tools()]:
        tools.register(tool, replace=True)
    return tools


def _close_at_exit(held: weakref.ref[Analyst]) -> None:
    """Let a query that is still being interrupted end before the interpreter does."""
    if (analyst := held()) is not None:
        analyst.close()


def _guard(model: SemanticModel, settings: Settings, retriever: Retriever, *, own_words: bool) -> Guard:
    """The checks on the way in and out; what they may show of persons is a setting."""
    from gnomon.agents.guarding import Guard, words_of
    from gnomon.agents.persons_behind import fewest_of_tree, fewest_persons
    from gnomon.guardrails import Guardrails

    allowed = settings.allow_personal
    rails = Guardrails(allow_personal=allowed, called=words_of(model))
    fewest = partial(fewest_persons, retriever)
    return Guard(
        rails, model, allow_personal=allowed, own_words=own_words, fewest=fewest,
        fewest_of_tree=partial(fewest_of_tree, retriever),
    )  # fmt: skip


def _reader(
    client: ModelClient | None,
    grammar: GrammarReader,
    judges: Judges,
    retriever: Retriever,
    settings: Settings,
    trust: Trust | None,
    rows: bool,
) -> LocalReader:
    """The grammar, with trees beside it where rows may be told, and a language model where one is configured."""
    model = _model_reader(client, grammar, judges, retriever, settings, trust) if client is not None else None
    from gnomon.reading.local import LocalReader

    def trees(grammar: GrammarReader) -> TreeReader:
        from gnomon.reading.reader import TreeReader

        return TreeReader(retriever.meanings, grammar.vocabulary, grammar.index)

    return LocalReader(grammar, trees, model, tells_rows=rows)


def _model_reader(
    client: ModelClient,
    grammar: GrammarReader,
    judges: Judges,
    retriever: Retriever,
    settings: Settings,
    trust: Trust | None,
) -> ModelReader:
    """What reads with a language model."""
    from gnomon.guardrails.injection import neutral_name
    from gnomon.guardrails.release.origin import is_untold
    from gnomon.llm.measuring_process import begin_measuring
    from gnomon.llm.trust import Trust
    from gnomon.planning.model_reader import ModelReader

    known = trust or Trust.of(settings)

    def trusted(name: str) -> bool:
        return neutral_name(name) == name

    def in_domain(question: str) -> bool:
        return not judges.judge(question).is_out_of_domain

    return ModelReader(
        client,
        grammar.model,
        grammar.index,
        grammar,
        retriever.columns(),
        trusted=trusted,
        untold=is_untold,
        in_domain=in_domain,
        on_use=lambda: begin_measuring(settings, client, known),
        earned=lambda: known.has_earned(client.identity),
    )


def _answering(retriever: Retriever, settings: Settings) -> Answering:
    """What computes and tells trees."""
    from gnomon.answering import Answering
    from gnomon.guardrails.trees import veiled

    veil = partial(veiled, retriever.model, settings.allow_personal)
    return Answering(retriever, settings.step_timeout_seconds, veil)


def _opinions(
    client: ModelClient | None, retriever: Retriever, settings: Settings, trust: Trust | None
) -> Opinions | None:
    """How far what a model reads is believed; nothing where none is configured."""
    if client is None:
        return None
    from gnomon.agents.opinions import Opinions
    from gnomon.llm.trust import Trust

    known, model = trust or Trust.of(settings), client.identity
    return Opinions(
        _answering(retriever, settings), lambda: known.has_earned(model), lambda: known.standing(model)
    )


def _explaining(
    model: SemanticModel,
    apis: APIRegistry,
    layer: MCPToolsInvocationLayer,
    retriever: Retriever,
    client: ModelClient | None,
    settings: Settings,
) -> InsightGeneratorExecutor:
    """Who works out why things moved; its analyses are loaded for the first question that asks for one."""
    from gnomon.agents.insight.executor import QUERY_SECONDS, InsightGeneratorExecutor

    writer, seconds = _insight_writer(client, settings), max(QUERY_SECONDS, settings.step_timeout_seconds)
    return InsightGeneratorExecutor(model, apis, layer, retriever, writer, query_seconds=seconds)


def _insight_writer(client: ModelClient | None, settings: Settings) -> InsightWriter | None:
    """The language model as a writer of insights, where it is asked for."""
    if client is None or not settings.model_prose:
        return None
    from gnomon.agents.insight.writing import InsightWriter

    return InsightWriter(client)


def _writer(client: ModelClient | None, model: SemanticModel, settings: Settings) -> ModelWriter | None:
    """The language model as a writer, where it is asked for."""
    if client is None or not settings.model_prose:
        return None
    from gnomon.agents.model_writer import ModelWriter

    return ModelWriter(client, model)


open = open_analyst
