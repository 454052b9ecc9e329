"""One client over any OpenAI-compatible endpoint or a GGUF file: a task in words goes out, typed and checked output comes back."""

from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import AsyncIterable, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import urlsplit

from gnomon.core.errors import Cancelled, ConfigurationError, MissingExtra, TimedOut
from gnomon.core.settings import Settings
from gnomon.llm.budget import Budget, Usage
from gnomon.llm.failures import translated
from gnomon.llm.gguf import Address, GgufModel, borrow, is_file_name
from gnomon.llm.install import INSTALLED, installed_model
from gnomon.llm.privacy import Privacy
from gnomon.llm.transport import SENDING
from gnomon.llm.window import Message

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model

    from gnomon.llm.ledger import EgressLedger

T = TypeVar("T")
TRIES = 2
TRANSIENT_TRIES = 2


class Rejected(Exception):
    """Output that does not hold; the message tells the model what to change."""


@dataclass(frozen=True)
class Purpose:
    """What a task is done for, as the ledger tells it.

    Args:
        why: In a few words.
        run: The run that it belongs to.
        privacy: The level of this data, where it is not the client's own.
    """

    why: str = ""
    run: str = ""
    privacy: Privacy | None = None


class ModelCall(Generic[T]):
    """A task that is under way.

    Args:
        future: Its result.
        seconds: The budget, retries included.
    """

    def __init__(self, future: Future[T], seconds: float) -> None:
        self._future = future
        self._seconds = seconds

    def cancel(self) -> None:
        """Stop it: the connection is closed."""
        self._future.cancel()

    def result(self) -> T:
        """The output.

        Raises:
            TimedOut: It took longer than its time.
            Cancelled: Somebody stopped it.
            ApiFailure: The endpoint failed, or the output did not hold after a second try.
            RateLimited: The endpoint asks to wait.
            AuthenticationFailed: The endpoint refused the key.
            ConfigurationError: There is no such model, or it does not give typed output in the configured way.
            PolicyViolation: The budget of the run is used up.
        """
        try:
            return self._future.result(self._seconds)
        except CancelledError:
            raise Cancelled("The call of the language model was stopped.") from None
        except TimeoutError:
            self.cancel()
            raise TimedOut(
                f"The language model took longer than {self._seconds:g} seconds.",
                suggestions=["Set GNOMON_MODEL_TIMEOUT_SECONDS or GNOMON_LOCAL_MODEL_TIMEOUT_SECONDS."],
            ) from None


class ModelClient:
    """Asks a language model; made by :meth:`of`, or over any model of pydantic-ai.

    Args:
        model: The model, or a file that is served when it is first needed.
        privacy: What it may see; those who write prompts keep to it.
        timeout: Seconds that one task may take, its second try included.
        output: How typed output is asked for.
        ledger: Where what is sent is written down, for whoever wants to read it.
        name: How the model is called, for those who read errors.
        identity: What tells this model from others: its name and address, or its file and size.
        measurable: Whether how far it is believed can be measured; replies that were kept cannot.
        budget: Makes the budget of a run.
    """

    def __init__(
        self,
        model: Model | GgufModel,
        *,
        privacy: Privacy = Privacy.SCHEMA,
        timeout: float = 12.0,
        output: str = "json_schema",
        ledger: EgressLedger | None = None,
        name: str = "",
        identity: str = "",
        measurable: bool = False,
        budget: Callable[[], Budget] = Budget,
    ) -> None:
        self._model = model
        self.name = name
        self._identity = identity or name
        self.measurable = measurable
        self.new_budget = budget
        self.privacy = privacy
        self.timeout = timeout
        self._output = output
        self.ledger = ledger
        self._loop = _Loop()

    @property
    def identity(self) -> str:
        """What tells this model, as it is used, from others; one that sees no names is another."""
        return self._identity if self.privacy.names else f"{self._identity}, without names"

    @classmethod
    def of(cls, settings: Settings) -> ModelClient | None:
        """The client of the configured model; None where none is configured.

        Raises:
            ConfigurationError: The settings name a model and no usable address or file.
            MissingExtra: The optional part ``llm``, or ``local`` for a file, is not installed.
        """
        if settings.model is None:
            return None
        from gnomon.llm.ledger import EgressLedger
        from gnomon.llm.transport import is_local

        ledger = EgressLedger.of(settings)
        named = settings.model
        if named == INSTALLED:
            named = str(installed_model(settings))
            if not Path(named).is_file():
                raise ConfigurationError(
                    "No language model is installed on this machine.", suggestions=["gnomon llm install"]
                )
        identity, kept = named, named.startswith("replay:")
        if kept:
            model, local = _kept(settings, ledger), True
        elif named != settings.model or (settings.model_url is None and is_file_name(named)):
            model, local = _file(named, settings, ledger), True
            file = Path(named).expanduser()
            identity = f"{file.name} ({file.stat().st_size:,} bytes)"
        else:
            url = _address(settings)
            key = settings.model_key.get_secret_value() if settings.model_key else None
            model, local = _endpoint(settings.model, url, key, ledger), is_local(url)
            identity = f"{named} at {_place(url)}"
        return cls(
            model,
            privacy=Privacy(settings.privacy),
            timeout=settings.local_model_timeout_seconds if local else settings.model_timeout_seconds,
            output=settings.model_output,
            ledger=ledger,
            name=settings.model,
            identity=identity,
            measurable=not kept,
            budget=lambda: Budget.of(settings),
        )

    def start(
        self,
        instructions: str,
        prompt: str | Sequence[Message],
        output: type[T],
        check: Callable[[T], None] | None = None,
        *,
        purpose: Purpose | None = None,
        budget: Budget | None = None,
        on_text: Callable[[str], None] | None = None,
        tries: int = TRIES,
    ) -> ModelCall[T]:
        """Begin a task.

        Args:
            instructions: What the task is.
            prompt: What it is about, or a conversation that ends with what the user said last.
            output: The type of what comes back.
            check: Raises :class:`Rejected` where the output does not hold; the model is told.
            purpose: What it is done for, as the ledger tells it.
            budget: What the run may use; one of its own by default.
            on_text: Called with what the model writes, as it writes it.
            tries: How often it may try in all.

        Raises:
            PolicyViolation: The budget of the run is used up; nothing was sent.
        """
        messages = [Message("user", prompt)] if isinstance(prompt, str) else list(prompt)
        budget = budget or self.new_budget()
        budget.check(len(instructions.encode()) + sum(len(m.content.encode()) for m in messages))
        work = self._run(instructions, messages, output, check, purpose or Purpose(), budget, on_text, tries)
        return ModelCall(self._loop.submit(work), self.timeout)

    def ask(
        self,
        instructions: str,
        prompt: str | Sequence[Message],
        output: type[T],
        check: Callable[[T], None] | None = None,
        *,
        purpose: Purpose | None = None,
        budget: Budget | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> T:
        """Do a task; see :meth:`start` and :meth:`ModelCall.result`."""
        call = self.start(
            instructions, prompt, output, check, purpose=purpose, budget=budget, on_text=on_text
        )
        return call.result()

    def close(self) -> None:
        """Stop what runs and let go of the connections; a file is no longer served."""
        self._loop.close()
        if isinstance(self._model, GgufModel):
            self._model.close()

    async def _run(
        self,
        instructions: str,
        messages: list[Message],
        output: type[T],
        check: Callable[[T], None] | None,
        purpose: Purpose,
        budget: Budget,
        on_text: Callable[[str], None] | None,
        tries: int,
    ) -> T:
        from pydantic_ai import Agent, ModelRetry, NativeOutput, PromptedOutput, ToolOutput
        from pydantic_ai.exceptions import AgentRunError, UserError
        from pydantic_ai.usage import RunUsage

        kind: Any = {"json_schema": NativeOutput, "tool": ToolOutput, "prompted": PromptedOutput}[
            self._output
        ]
        model = await self._model.model() if isinstance(self._model, GgufModel) else self._model
        agent: Agent[object, Any] = Agent(
            model,
            name="gnomon",
            output_type=output if output is str else kind(output),
            instructions=instructions,
            retries=tries - 1,
            model_settings={"temperature": 0.0, "timeout": self.timeout},
        )

        async def checked(found: T) -> T:
            try:
                if check is not None:
                    check(found)
            except Rejected as e:
                raise ModelRetry(str(e)) from e
            return found

        agent.output_validator(checked)
        task = uuid.uuid4().hex
        SENDING.set(_about(task, purpose))
        used = RunUsage()
        try:
            done = await agent.run(
                messages[-1].content,
                message_history=_history(messages[:-1]),
                usage=used,
                event_stream_handler=_telling(on_text) if on_text is not None else None,
            )
            return done.output
        except (AgentRunError, UserError) as e:
            raise translated(e, self.name) from e
        finally:
            self._count(task, used, budget)

    def _count(self, task: str, used: Any, budget: Budget) -> None:
        usage = Usage(used.requests, used.input_tokens, used.cache_read_tokens, used.output_tokens)
        budget.add(usage)
        if self.ledger is not None and usage.requests:
            self.ledger.record_usage(task, usage.to_dict())


def _about(task: str, purpose: Purpose) -> dict[str, str]:
    about = {"task": task, "why": purpose.why, "run": purpose.run, "level": purpose.privacy or ""}
    return {name: str(value) for name, value in about.items() if value}


def _history(messages: Sequence[Message]) -> list[ModelMessage] | None:
    """Earlier messages of a conversation, as the library takes them."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

    said: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart(m.content)])
        if m.role == "user"
        else ModelResponse(parts=[TextPart(m.content)])
        for m in messages
    ]
    return said or None


def _telling(on_text: Callable[[str], None]) -> Any:
    """Passes on what the model writes; asking for it makes the request a stream."""
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    async def tell(_: object, events: AsyncIterable[object]) -> None:
        async for event in events:
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart) and event.part.content:
                on_text(event.part.content)
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                on_text(event.delta.content_delta)

    return tell


def _address(settings: Settings) -> str:
    """The address that the settings name, where one can be asked at it."""
    url = settings.model_url or ""
    if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
        raise ConfigurationError(
            f"GNOMON_MODEL names a model, and GNOMON_MODEL_URL={url!r} does not say where it is.",
            suggestions=[
                "Set GNOMON_MODEL_URL to an address such as http://127.0.0.1:8080/v1.",
                "Or set GNOMON_MODEL to the path of a GGUF file, and no address.",
            ],
        )
    if find_spec("pydantic_ai") is None or find_spec("openai") is None:
        raise MissingExtra.named("llm", "A language model")
    return url


def _place(url: str) -> str:
    """Where an address leads, without what may be secret in it."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port is not None else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path.rstrip('/')}"


def _kept(settings: Settings, ledger: EgressLedger) -> Model:
    """A folder of kept replies, with the model at the address behind it where one is named."""
    from gnomon.llm.replay import PREFIX, ReplayTransport
    from gnomon.llm.transport import sender

    folder = Path((settings.model or "").removeprefix(PREFIX)).expanduser()
    if settings.model_url is None and not folder.is_dir():
        raise ConfigurationError(
            f"GNOMON_MODEL names replies in {folder}, which is no folder.",
            suggestions=[
                "Name a folder of kept replies, or set GNOMON_MODEL_URL so that replies are recorded there."
            ],
        )
    url = _address(settings) if settings.model_url is not None else "http://127.0.0.1/v1"
    key = settings.model_key.get_secret_value() if settings.model_key else None
    inner = ReplayTransport(folder, sender(url) if settings.model_url is not None else None)
    return _endpoint(folder.name, url, key, ledger, inner)


def _file(path: str, settings: Settings, ledger: EgressLedger) -> GgufModel:
    server = borrow(path, settings.threads)

    def at(address: Address) -> Model:
        return _endpoint(server.path.stem, address.url, address.key, ledger)

    return GgufModel(server, at)


def _endpoint(
    name: str, url: str, key: str | None, ledger: EgressLedger, inner: httpx2.AsyncBaseTransport | None = None
) -> Model:
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    from gnomon.llm.transport import RecordingTransport, sender

    http = httpx2.AsyncClient(
        transport=RecordingTransport(ledger, key, inner or sender(url)), follow_redirects=False
    )
    # The transport adds the key itself, so that it never passes through anything that writes or logs requests. The
    # library tries again what may pass (no answer, 408, 409, 429, 5xx) and waits as long as it is asked to.
    client = AsyncOpenAI(
        base_url=url, api_key="added-by-the-transport", http_client=http, max_retries=TRANSIENT_TRIES
    )
    provider = OpenAICompatibleProvider("configured", openai_client=client)
    return OpenAIChatModel(name, provider=provider)


class _Loop:
    """An event loop in a thread of its own, so that connections live as long as the client."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="gnomon-model", daemon=True).start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None:
            return

        def stop() -> None:
            for task in asyncio.all_tasks(loop):
                task.cancel()
            loop.call_soon(loop.stop)

        loop.call_soon_threadsafe(stop)
