"""The code analyst: a language model writes code, it runs next to the data, and the model never sees a cell."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gnomon.agents.coder.cells import CellRunner
from gnomon.agents.coder.record import AnalysisRecord, OnProgress, Progress, RecordStatus
from gnomon.agents.coder.rounds import Rounds
from gnomon.agents.coder.templates import AnalysisTemplate, get_template
from gnomon.agents.coder.workspace import FilePath, Workspace, open_workspace
from gnomon.core import clock
from gnomon.core.errors import Cancelled, ConfigurationError, InvalidInput
from gnomon.core.settings import Settings
from gnomon.llm.privacy import Privacy

if TYPE_CHECKING:
    from gnomon.llm import ModelClient
    from gnomon.sandbox import CodeExecutor
    from gnomon.store import Store
    from gnomon.tools import CancelToken

logger = logging.getLogger("gnomon.coder")
MOST_CHARACTERS = 4000


class DataAnalysisAgent:
    """Analyses files in rounds of code, or by the plan of a template where there is no model.

    Args:
        client: The language model; that of the settings by default, which may be none.
        settings: Read from the environment by default: rounds, recoveries within a round, and the window of the
            conversation are theirs.
        store: Where the run is kept, for those who look it up later.
        executor: Makes the worker that code runs in.
    """

    def __init__(
        self,
        client: ModelClient | None = None,
        *,
        settings: Settings | None = None,
        store: Store | None = None,
        executor: Callable[..., CodeExecutor] | None = None,
    ) -> None:
        self.settings = settings or Settings.load()
        self.max_rounds = self.settings.max_rounds
        self.max_data_context_retries = self.settings.max_data_context_retries
        self.conversation_window_size = self.settings.conversation_window_size
        self._client = client
        self._own: ModelClient | None = None
        self._store = store
        self._executor = executor

    def analyze(
        self,
        requirement: str,
        files: Sequence[FilePath],
        template: str | None = None,
        *,
        privacy: Privacy | str | None = None,
        cancel: CancelToken | None = None,
        on_progress: OnProgress | None = None,
        run_id: str | None = None,
    ) -> AnalysisRecord:
        """Do an analysis.

        Args:
            requirement: What is wanted, in words; a template needs none.
            files: Files, folders, globs or database URLs.
            template: The name of a template to follow.
            privacy: How much the model may see; by default what the settings say for this data.
            cancel: Stops it; what was found until then is in the record.
            on_progress: Called as it goes on.
            run_id: Marks the record, the run in the store and the entries in the ledger.

        Raises:
            NotFound: There is no template of that name; the names are listed.
            InvalidInput: Nothing is asked for, or it is too long.
            ConfigurationError: There is neither a model nor a template.
            DataUnavailable: No file could be opened.
        """
        started = clock.elapsed()
        plan = get_template(template) if template else None
        requirement = self._checked(requirement, plan)
        run = run_id or uuid.uuid4().hex
        tell = _telling(on_progress, self.max_rounds)
        client = self._model()
        if client is None and plan is None:
            raise ConfigurationError(
                "A free analysis needs a language model, and none is configured.",
                suggestions=[
                    "Choose a template, which needs none: gnomon templates",
                    "Fetch a model: gnomon llm install",
                    "Or set GNOMON_MODEL and GNOMON_MODEL_URL.",
                ],
            )
        tell(0, "Profiling the data")
        level = Privacy(privacy) if privacy is not None else None
        with open_workspace(
            files, self.settings, privacy=level, for_code=client is not None,
            progress=lambda name, done, total: tell(0, f"Profiled {name} ({done} of {total})"),
        ) as workspace:  # fmt: skip
            timings = {"profiling": clock.elapsed() - started}
            if client is None:
                assert plan is not None
                record = _planned(plan, workspace, requirement, run, cancel, tell)
            else:
                record = self._with_model(client, workspace, requirement, plan, run, cancel, tell)
        total = {**timings, "total": clock.elapsed() - started}
        record = _finished(record, tuple(str(f) for f in files), total, workspace)
        if self._store is not None:
            self._store.save_run(as_run(record))
        tell(self.max_rounds, "Done", finished=True)
        return record

    def _checked(self, requirement: str, plan: AnalysisTemplate | None) -> str:
        text = " ".join(requirement.split())
        if not text and plan is None:
            raise InvalidInput("Say what to analyse, or name a template.", suggestions=["gnomon templates"])
        if len(text) > MOST_CHARACTERS:
            raise InvalidInput(f"The request is longer than {MOST_CHARACTERS:,} characters; say it in fewer.")
        from gnomon.guardrails import Action, Guardrails

        checked = Guardrails().check_question(text) if text else None
        if checked is not None and checked.action is Action.REJECT:
            raise InvalidInput(" ".join(dict.fromkeys(v.message for v in checked.violations)))
        return text or (plan.description if plan is not None else "")

    def _model(self) -> ModelClient | None:
        from gnomon.llm import ModelClient

        if self._client is None and self._own is None:
            self._own = ModelClient.of(self.settings)
        return self._client or self._own

    def close(self) -> None:
        """Let go of the model, where the settings named it."""
        if self._own is not None:
            self._own.close()
            self._own = None

    def __enter__(self) -> DataAnalysisAgent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _with_model(
        self,
        client: ModelClient,
        workspace: Workspace,
        requirement: str,
        plan: AnalysisTemplate | None,
        run: str,
        cancel: CancelToken | None,
        tell: Callable[..., None],
    ) -> AnalysisRecord:
        with self._worker(workspace) as executor:
            rounds = Rounds(
                client=client,
                executor=executor,
                workspace=workspace,
                requirement=requirement,
                template=plan,
                run=run,
                max_rounds=self.max_rounds,
                max_retries=self.max_data_context_retries,
                window_size=self.conversation_window_size,
                cancel=cancel,
                tell=tell,
            )
            record = rounds.go()
        if plan is None or record.findings or record.tables or record.status is RecordStatus.CANCELLED:
            return record
        # The template has a plan of its own: a model that got nowhere does not leave the user without a report.
        fallback = _planned(plan, workspace, requirement, run, cancel, tell)
        note = "The language model found nothing, so the template's own plan was followed."
        return _merged(record, fallback).with_notes(note)

    def _worker(self, workspace: Workspace) -> CodeExecutor:
        from gnomon.sandbox import CodeExecutor

        make = self._executor or CodeExecutor
        return make(files=workspace.files, settings=self.settings)


def run_again(record: AnalysisRecord, settings: Settings | None = None) -> AnalysisRecord:
    """The same cells on the files as they are now, without a model; see :meth:`AnalysisRecord.rerun`."""
    from gnomon.agents.coder.rounds import sections_of
    from gnomon.sandbox import CodeExecutor

    settings = settings or Settings.load()
    started = clock.elapsed()
    coded = [c for c in record.cells if c.action == "generate_code" and c.ok]
    with open_workspace(record.sources, settings, for_code=bool(coded)) as workspace:
        if not coded and record.template is not None:
            plan = get_template(record.template)
            again = _planned(plan, workspace, record.requirement, record.id, None, lambda *_, **__: None)
        else:
            with CodeExecutor(files=workspace.files, settings=settings) as executor:
                runner = CellRunner(executor)
                again = sections_of(record, [(cell, *runner.run(cell.code)) for cell in coded], workspace)
    return _finished(again, record.sources, {"total": clock.elapsed() - started}, workspace)


def _planned(
    plan: AnalysisTemplate,
    workspace: Workspace,
    requirement: str,
    run: str,
    cancel: CancelToken | None,
    tell: Callable[..., None],
) -> AnalysisRecord:
    """What a template finds with its own plan."""
    try:
        sections, cells = plan.run(workspace.dataset, workspace.profile, cancel=cancel, tell=tell)
        status = RecordStatus.COMPLETE
    except Cancelled:
        sections, cells, status = (), (), RecordStatus.CANCELLED
    if status is RecordStatus.COMPLETE and all(s.refused for s in sections):
        status = RecordStatus.INCOMPLETE
    return AnalysisRecord(run, requirement, plan.name, (), status, sections, cells)


def _merged(model: AnalysisRecord, plan: AnalysisRecord) -> AnalysisRecord:
    from dataclasses import replace

    first = len(model.cells)
    cells = (*model.cells, *(replace(c, number=first + c.number) for c in plan.cells))
    return replace(model, status=plan.status, sections=plan.sections, cells=cells)


def _finished(
    record: AnalysisRecord, sources: tuple[str, ...], timings: dict[str, float], workspace: Workspace
) -> AnalysisRecord:
    from dataclasses import replace

    failures = tuple(f"{f.source} could not be used: {f.message}" for f in workspace.profile.failures)
    rounded = {k: round(v, 4) for k, v in {**timings, **record.timings}.items()}
    return replace(record, sources=sources, timings=rounded, notes=(*record.notes, *failures))


def _telling(on_progress: OnProgress | None, max_rounds: int) -> Callable[..., None]:
    def tell(current_round: int, message: str, *, share: float | None = None, finished: bool = False) -> None:
        if on_progress is None:
            return
        done = share if share is not None else max(0, current_round - 1) / max_rounds
        percent = 100.0 if finished else min(99.0, round(100 * done, 1))
        on_progress(Progress(min(current_round, max_rounds), max_rounds, percent, message))

    return tell


def as_run(record: AnalysisRecord) -> Any:
    """The record as the store keeps a run: what was done and how it went, no value of a cell."""
    from datetime import timedelta

    from gnomon.store.records import Run

    seconds = record.timings.get("total", 0.0)
    done = clock.now()
    status = {RecordStatus.COMPLETE: "success", RecordStatus.INCOMPLETE: "partial_success"}
    results = [
        {"step": f"cell_{c.number}", "tool_id": c.action, "status": "success" if c.ok else "failed",
         "attempts": 1, "duration_seconds": c.seconds, "error": c.error.kind if c.error else None}
        for c in record.cells
    ]  # fmt: skip
    steps = [
        {"id": f"cell_{c.number}", "tool": c.action, "params": {"round": c.round}, "inputs": {}, "depends_on": []}
        for c in record.cells
    ]  # fmt: skip
    return Run(
        id=record.id,
        status=status.get(record.status, "failed"),
        strategy="template" if record.model is None else "code",
        tools=(record.template or "code",),
        started_at=done - timedelta(seconds=seconds),
        finished_at=done,
        duration_seconds=seconds,
        plan={"reasoning": f"Analysis of {len(record.sources)} files", "steps": steps},
        results=results,
    )
