"""The composition root: settings in, wired parts out, and the way from a prompt to its result."""

from __future__ import annotations

import logging
import threading
import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.core import Conflict, ConflictType, Plan, Resolution, Settings, clock
from gnomon.core.errors import InvalidInput
from gnomon.core.events import EventListener
from gnomon.core.settings import DEFAULT_TENANT
from gnomon.execution import InvocationResult, LogWriter, MCPToolsInvocationLayer, PipelineLog
from gnomon.guardrails.release.cells import MIN_ROWS
from gnomon.guardrails.release.origin import is_closed
from gnomon.guardrails.release.rule import shares_rows
from gnomon.planning import ContextExtractor, ExtractedContext, MCPToolsChainingManager, published_plan
from gnomon.planning.characteristics import SAMPLE_ROWS
from gnomon.planning.nouns import ClosedColumns
from gnomon.store import Store
from gnomon.tools import CancelToken, Frame, ToolContext, ToolRegistry
from gnomon.tools.builtin import builtin_registry
from gnomon.tools.mcp_client_config import read_config
from gnomon.tools.resolve import opened, querying
from gnomon.tools.saved import SavedPlanTool

if TYPE_CHECKING:
    from gnomon.data import Dataset
    from gnomon.tools.mcp_client import ExternalServers

logger = logging.getLogger("gnomon.workbench")

PIPELINE_VERSION = "v2_simplified"
MAX_TENANTS = 256


@dataclass(frozen=True)
class Analysis:
    """A prompt on its way: what it was read as, what was planned, what came of it."""

    request_id: str
    context: Mapping[str, Any]
    plan: Plan | None
    result: InvocationResult
    duration_seconds: float


class Workbench:
    """Everything wired together for one process.

    Args:
        settings: How it behaves; read from the environment by default.
        store: Where runs are kept; the one in the settings' home folder by default.
        tenant: Whose declared tools, runs and open questions these are.

    Raises:
        ConfigurationError: The settings name files or folders that cannot be used, or the store cannot be opened.
    """

    def __init__(
        self, settings: Settings | None = None, *, store: Store | None = None, tenant: str = DEFAULT_TENANT
    ) -> None:
        self.settings = settings or Settings.load()
        self.settings.check_places()
        if self.settings.mcp_config is not None:  # what is wrong with it is said before anything listens
            read_config(self.settings.mcp_config)
        self.tenant = tenant
        self._external: ExternalServers | None = None
        self.store = store or Store.open(self.settings)
        self._others: OrderedDict[str, Workbench] = OrderedDict()
        self._wiring = threading.RLock()

    def of(self, tenant: str) -> Workbench:
        """The workbench of a tenant: the same machinery, with the tools, runs and questions of that tenant only."""
        if tenant == self.tenant:
            return self
        with self._wiring:
            if tenant not in self._others:
                self._others[tenant] = self._other(tenant)
            self._others.move_to_end(tenant)
            while len(self._others) > MAX_TENANTS:
                self._others.popitem(last=False)
            return self._others[tenant]

    def _other(self, tenant: str) -> Workbench:
        other = Workbench(self.settings, store=self.store, tenant=tenant)
        # What is shared is made here; what the tenant declared is its own.
        other.base, other.log, other.extractor = self.base, self.log, self.extractor
        other.layer = self.layer.over(other.registry, other.declare_tool, tenant)
        return other

    @cached_property
    def base(self) -> ToolRegistry:
        """The tools that every tenant has: built in, and of external MCP servers."""
        with self._wiring:
            registry = builtin_registry(self.settings)
            if self.settings.mcp_config is not None:
                from gnomon.tools.mcp_client import connect_servers

                self._external = connect_servers(registry, self.settings)
            return registry

    @cached_property
    def registry(self) -> ToolRegistry:
        """Every tool of this tenant: those that all have, and those that it declared."""
        registry = ToolRegistry(base=self.base)
        self._load_saved_tools(registry)
        return registry

    @cached_property
    def log(self) -> LogWriter:
        """Where the pipeline writes its lines."""
        return LogWriter.of(self.settings)

    @cached_property
    def extractor(self) -> ContextExtractor:
        """Step one."""
        return ContextExtractor()

    @cached_property
    def planner(self) -> MCPToolsChainingManager:
        """Step two."""
        return MCPToolsChainingManager(self.registry)

    @cached_property
    def layer(self) -> MCPToolsInvocationLayer:
        """Step three."""
        return MCPToolsInvocationLayer(
            self.registry,
            settings=self.settings,
            listeners=[self.log],
            store=self.store,
            tool_creator=self.declare_tool,
            tenant=self.tenant,
        )

    def declare_tool(self, declaration: Mapping[str, Any]) -> SavedPlanTool:
        """Make a tool from a user's declaration, keep it, and put it to use at once.

        Raises:
            InvalidInput: The declaration is not sound; nothing was kept.
        """
        checked = SavedPlanTool.declared(declaration, self.registry)
        version = self.store.save_tool(checked.spec.name, checked.declaration, tenant=self.tenant)
        tool = SavedPlanTool.declared(declaration, self.registry, version)
        self.registry.register(tool, replace=True)
        return tool

    def _load_saved_tools(self, registry: ToolRegistry) -> None:
        for saved in self.store.tools(tenant=self.tenant):
            try:
                tool = SavedPlanTool.declared(saved.spec, registry, saved.version)
            except InvalidInput as e:  # a step names a tool that is gone, such as one of an external server
                logger.warning("the declared tool %s is left out: %s", saved.name, e.message)
                continue
            registry.register(tool, replace=True)

    def analyze(
        self,
        prompt: str,
        data: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
        dataset: Dataset | None = None,
        request_id: str | None = None,
        cancel: CancelToken | None = None,
        roots: tuple[Path, ...] | None = None,
        listeners: Sequence[EventListener] = (),
        owner: str = "",
    ) -> Analysis:
        """From a prompt and rows to results: extract, plan, invoke.

        Args:
            prompt: What to do, in words.
            data: The rows, as :class:`~gnomon.tools.Frame` takes them.
            params: Parameters that win over those in the words.
            dataset: Open tables that steps may name.
            request_id: Marks every event and log line; one is made when it is left out.
            cancel: Stops the work when it is cancelled.
            roots: Folders whose files may be opened by address; None allows every address.
            listeners: Called with every event of this request.
            owner: Who asks: a question that comes back may be answered by nobody else.

        Raises:
            InvalidInput: The prompt or the rows cannot be read.
        """
        request = request_id or str(uuid.uuid4())
        log = PipelineLog(self.log, request)
        log.starting()
        started = clock.elapsed()
        try:
            with log.stage(1):
                sample = self._sample(data, dataset, roots)
                closed = self._closed(data, roots)
                context = self.extractor.extract(prompt, sample, cancel=cancel, closed=closed)
                published = context.to_dict()
                log.context_extracted(published["goal"], published["data_type"])
            with log.stage(2):
                plan = self.planner.plan(context, choices=params)
                log.planned(plan.strategy.value, [s.tool for s in plan.steps])
            with log.stage(3):
                limit = context.parameters.get("max_seconds")
                result = self.layer.invoke(
                    plan, data, request_id=request, dataset=dataset, cancel=cancel, roots=roots,
                    budget_seconds=float(limit) if limit else None, listeners=listeners,
                    replan=lambda conflict, option: self._settled(context, params or {}, conflict, option),
                    owner=owner, reading=published,
                )  # fmt: skip
        except Exception:
            log.finished("error")
            raise
        log.finished(str(result.status))
        return Analysis(request, published, plan, result, clock.elapsed() - started)

    def _settled(
        self, context: ExtractedContext, params: Mapping[str, Any], conflict: Conflict, option: str
    ) -> Plan | None:
        """The plan that an answer to one conflict leads to."""
        names = {
            ConflictType.AMBIGUOUS_GOAL: "goal",
            ConflictType.TOOL_UNAVAILABLE: "tool",
            ConflictType.DEPENDENCY_CYCLE: "first",
            ConflictType.MISSING_PARAMETER: conflict.subject.partition(".")[2],
        }
        name = names.get(conflict.type)
        return self.planner.plan(context, choices={**params, name: option}) if name else None

    def _closed(self, data: Any, roots: tuple[Path, ...] | None) -> ClosedColumns | None:
        """The columns of this machine's files whose values nobody who asks from outside is told of, nor finds by guessing."""
        outside = roots is not None and data is not None and Frame.of(data).is_reference
        if not outside or shares_rows(self.settings):
            return None
        return ClosedColumns(
            lambda profile: {c.name for c in profile.columns if is_closed(c, profile.rows)}, MIN_ROWS
        )

    def _sample(self, data: Any, dataset: Dataset | None, roots: tuple[Path, ...] | None) -> Any:
        """Rows to plan from: those given, or the first of the table that is named."""
        if data is None or not (frame := Frame.of(data)).is_reference:
            return data
        context = ToolContext(dataset=dataset, settings=self.settings, roots=roots)
        with opened(frame, context) as (opened_set, table), querying(opened_set, context) as cursor:
            return Frame(cursor.sql(f"SELECT * FROM {table.relation} LIMIT {SAMPLE_ROWS}").to_arrow_table())

    def answer(
        self,
        request_id: str,
        feedback: Mapping[str, Any],
        data: Any = None,
        *,
        cancel: CancelToken | None = None,
        roots: tuple[Path, ...] | None = None,
        owner: str = "",
    ) -> Analysis:
        """Continue a request that asked for feedback, in this process or in one before it.

        Raises:
            InvalidInput: The feedback holds no answer.
            NotFound: Nothing waits under that request id, or the answer is not on offer.
        """
        if not request_id:
            raise InvalidInput("Feedback needs the request_id that asked for it.")
        reading = self.layer.waiting(request_id, owner).context
        log = PipelineLog(self.log, request_id)
        log.starting()
        started = clock.elapsed()
        with log.stage(3):
            result = self.layer.invoke(
                None, data, request_id=request_id, feedback=feedback, cancel=cancel, roots=roots,
                owner=owner, reading=reading,
            )  # fmt: skip
        log.finished(str(result.status))
        return Analysis(request_id, reading, result.plan, result, clock.elapsed() - started)

    def published(self, analysis: Analysis) -> dict[str, Any]:
        """An analysis in the published structure of ``/v2/analyze``."""
        invoked = analysis.result.to_dict()
        feedback = invoked.pop("user_feedback_required", None)
        status = str(analysis.result.status)
        settled = (
            [c for c in analysis.plan.conflicts if c.resolution is Resolution.AUTO_SELECT]
            if analysis.plan
            else []
        )
        notes = {"notes": [c.description for c in settled]} if settled else {}
        return {
            "request_id": analysis.request_id,
            "status": {"failed": "error", "needs_feedback": "needs_feedback"}.get(status, "ok"),
            "result": {**invoked, "user_feedback": feedback, **notes},
            "tool_meta": {
                "pipeline_version": PIPELINE_VERSION,
                "context_extraction": dict(analysis.context),
                "execution_plan": published_plan(analysis.plan, self.registry) if analysis.plan else {},
                "invocation_status": status,
                "duration_seconds": round(analysis.duration_seconds, 6),
            },
        }

    def close(self) -> None:
        """End the workers and close the store."""
        if "layer" in self.__dict__:
            self.layer.close()
        if self._external is not None:
            self._external.close()
        if "log" in self.__dict__:
            self.log.close()
        self.store.close()

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
