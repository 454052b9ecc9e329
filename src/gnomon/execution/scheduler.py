"""Runs the steps of one plan: each as soon as what it needs has ended, until every step is accounted for.

One loop on the calling thread owns all state; threads only send messages to its inbox. Listeners are
called from this loop alone, so they need no locks.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from dataclasses import replace
from typing import Any

from gnomon.core import clock
from gnomon.core.errors import Cancelled, GnomonError, TimedOut
from gnomon.core.events import EventKind
from gnomon.core.plan import Step
from gnomon.execution.binding import bind
from gnomon.execution.failures import typed_error
from gnomon.execution.places import here
from gnomon.execution.progress import thinned
from gnomon.execution.results import StepResult, StepStatus
from gnomon.execution.track import Machinery, Message, Track, is_absent, usable
from gnomon.tools.contract import CancelToken, Cost, ToolContext, ToolSpec
from gnomon.tools.frames import Frame

GRACE_SECONDS = 0.5
IMPORT_SECONDS = (
    15.0  # what the first call of a light tool may take to import its libraries, beyond its limit
)

Emit = Callable[..., None]


class PlanRun:
    """One run of one plan.

    Args:
        steps: The steps, sound as a plan checks them.
        machinery: The tools, and where they run.
        context: What each call may use; its ``cancel`` stops the whole run.
        data: The rows of the request.
        emit: Takes an event kind with the fields of the event.
        budget_seconds: Time limit of the whole run.
    """

    def __init__(
        self,
        steps: Iterable[Step],
        machinery: Machinery,
        context: ToolContext,
        data: Frame | None,
        emit: Emit,
        budget_seconds: float,
    ) -> None:
        self._m = machinery
        self._context = context
        self._data = data
        self._emit = emit
        self._end = clock.elapsed() + budget_seconds
        self._budget = budget_seconds
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._open = {s.id: Track(s, set(s.needs), s.tool) for s in steps}
        self._active: dict[str, Track] = {}
        self._order = list(self._open)
        self._dependents: dict[str, list[str]] = {i: [] for i in self._open}
        for track in self._open.values():
            for needed in track.waiting_for:
                self._dependents[needed].append(track.step.id)
        self._outputs: dict[str, tuple[ToolSpec, dict[str, Any]]] = {}
        self._results: dict[str, StepResult] = {}

    def run(self) -> tuple[StepResult, ...]:
        """Run to the end; every step has exactly one result, in the order of the plan."""
        for track in self._open.values():
            self._emit(EventKind.QUEUED, step=track.step.id, tool=track.step.tool)
        try:
            with self._context.cancel.interrupting(lambda: self._inbox.put(Message("cancel"))):
                for track in [t for t in self._open.values() if not t.waiting_for]:
                    self._launch(track)
                while self._open:
                    self._turn()
        except Cancelled:
            self._stop_all(Cancelled("The work was cancelled."))
        finally:
            self._abandon_all()
        return tuple(self._results[i] for i in self._order)

    def _turn(self) -> None:
        """Handle one message, or the deadline that comes first."""
        due = min((t.deadline for t in self._active.values() if t.deadline is not None), default=self._end)
        left = min(due, self._end) - clock.elapsed()
        try:
            if left <= 0:
                raise queue.Empty
            message = self._inbox.get(timeout=left)
        except queue.Empty:
            self._deadlines(clock.elapsed())
            return
        if message.kind == "cancel":
            raise Cancelled("The work was cancelled.")
        track = self._active.get(message.step)
        if track is None or track.serial != message.serial:
            return
        if message.kind == "began":
            self._began(track)
        elif message.kind == "progress":
            fraction, text = message.value
            self._tell(EventKind.PROGRESS, track, fraction=fraction, message=text)
        elif message.kind == "paused":
            self._launch(track)
        else:
            self._ended(track, message.value)

    def _launch(self, track: Track) -> None:
        """Start one attempt of a step."""
        self._active[track.step.id] = track
        track.serial += 1
        track.stopping, track.deadline = None, None
        track.token = CancelToken()
        try:
            tool = usable(self._m.registry, track.tool_name)
            track.spec = tool.spec
            params = bind(track.step, tool.spec, self._outputs, self._data)
        except GnomonError as e:
            self._failed(track, e)
            return
        except Exception as e:  # noqa: BLE001 - tools of others are asked about themselves here; their faults are theirs
            self._failed(track, typed_error(track.tool_name, e))
            return
        track.attempts += 1
        place = self._m.places.of(tool)
        computes_here = place is here and tool.spec.cost is Cost.LIGHT
        track.pool = self._m.threads if computes_here else self._m.waiters
        step, serial = track.step.id, track.serial

        def tell(kind: str, value: Any = None) -> None:
            self._inbox.put(Message(kind, step, serial, value))

        progress = thinned(lambda fraction, text: tell("progress", (fraction, text)))
        context = replace(self._context, cancel=track.token, progress=progress)
        track.future = track.pool.submit(place, tool, params, context, lambda: tell("began"))
        track.future.add_done_callback(lambda future: tell("ended", future))

    def _began(self, track: Track) -> None:
        if track.began is None:
            track.began = clock.elapsed()
            self._tell(EventKind.STARTED, track)
        if track.stopping is None:
            track.deadline = clock.elapsed() + self._timeout(track)

    def _timeout(self, track: Track) -> float:
        usual = self._m.settings.step_timeout_seconds
        asked = track.step.timeout_seconds
        if asked is not None and asked < usual:
            return asked
        if asked is None and track.spec is not None and track.spec.timeout_seconds is not None:
            return track.spec.timeout_seconds
        cost = track.spec.cost if track.spec is not None else Cost.LIGHT
        if asked is None and cost is Cost.HEAVY:
            return self._m.settings.compute_timeout_seconds
        # What a tool loads when it is called first is not its own time, also where a plan says how long it may take.
        first = cost is Cost.LIGHT and track.tool_name not in self._m.called
        limit = usual if asked is None else asked
        return limit + IMPORT_SECONDS if first else limit

    def _ended(self, track: Track, future: Future[Any]) -> None:
        error = future.exception() if not future.cancelled() else Cancelled("The work was cancelled.")
        if track.began is None and not isinstance(error, Cancelled):
            self._began(track)  # it ended before the word of its start arrived
        if error is None:
            self._succeeded(track, future.result())
            return
        typed = typed_error(track.tool_name, error)
        if track.stopping is not None and isinstance(typed, Cancelled):
            typed = track.stopping
        self._failed(track, typed)

    def _succeeded(self, track: Track, output: dict[str, Any]) -> None:
        assert track.spec is not None
        self._m.called.add(track.tool_name)
        self._outputs[track.step.id] = (track.spec, output)
        self._close(track, StepStatus.SUCCESS, output=output)
        for name in self._dependents[track.step.id]:
            dependent = self._open.get(name)
            if dependent is not None:
                dependent.waiting_for.discard(track.step.id)
                if not dependent.waiting_for:
                    self._launch(dependent)

    def _failed(self, track: Track, error: GnomonError, *, again: bool = True) -> None:
        """Try again, try the fallback, or give the step up."""
        track.deadline, track.future = None, None
        track.failures += 1
        if isinstance(error, TimedOut) and track.spec is not None and track.spec.cost is Cost.HEAVY:
            again = False  # the same computation takes the same time
        delay = self._m.policy.delay(error, track.failures, track.step.retry_count) if again else None
        if delay is not None and clock.elapsed() + delay < self._end:
            data = {"retry": track.failures, "delay_seconds": delay, "code": str(error.code)}
            self._tell(EventKind.PROGRESS, track, message=f"trying again in {delay:g} s", data=data)
            self._pause(track, delay)
        elif track.step.fallback not in (None, track.tool_name) and not isinstance(error, Cancelled):
            assert track.step.fallback is not None
            data = {"code": str(error.code), "fallback": track.step.fallback}
            self._tell(EventKind.PROGRESS, track, message=f"trying {track.step.fallback} instead", data=data)
            track.first_error = error
            track.tool_name, track.failures = track.step.fallback, 0
            self._launch(track)
        else:
            self._give_up(track, error)

    def _give_up(self, track: Track, error: GnomonError) -> None:
        if track.first_error is not None and is_absent(error) and track.failures <= 1:
            error, track.tool_name = track.first_error, track.step.tool
        status = StepStatus.FAILED
        if isinstance(error, Cancelled):
            status = StepStatus.CANCELLED
        elif is_absent(error):
            status = StepStatus.UNAVAILABLE
        self._close(track, status, error=error)
        self._skip_dependents(track, status)

    def _skip_dependents(self, track: Track, status: StepStatus) -> None:
        lost = [(track.step, status)]
        while lost:
            step, ended = lost.pop()
            for name in self._dependents[step.id]:
                if (dependent := self._open.get(name)) is not None:
                    why = GnomonError(f"Not run, because step {step.id!r} ({step.tool}) ended as {ended}.")
                    self._close(dependent, StepStatus.SKIPPED, error=why)
                    lost.append((dependent.step, StepStatus.SKIPPED))

    def _pause(self, track: Track, delay: float) -> None:
        track.serial += 1
        track.token = CancelToken()
        step, serial = track.step.id, track.serial
        waiting = self._m.waiters.submit(self._m.sleeper, delay, track.token)
        waiting.add_done_callback(lambda _: self._inbox.put(Message("paused", step, serial)))

    def _deadlines(self, now: float) -> None:
        if now >= self._end:
            self._stop_all(
                TimedOut(
                    f"The plan used up its {self._budget:g} s.",
                    suggestions=["Allow more with GNOMON_PLAN_BUDGET_SECONDS, or ask for less."],
                )
            )
            return
        for track in [t for t in self._active.values() if t.deadline is not None and now >= t.deadline]:
            if track.stopping is None:
                limit = self._timeout(track)
                heavy = track.spec is not None and track.spec.cost is Cost.HEAVY
                allowed = "GNOMON_COMPUTE_TIMEOUT_SECONDS" if heavy else "GNOMON_STEP_TIMEOUT_SECONDS"
                track.stopping = TimedOut(
                    f"{track.tool_name} took longer than the {limit:g} s it was allowed.",
                    suggestions=[f"Ask for less, or allow more time with {allowed}."],
                )
                track.deadline = now + GRACE_SECONDS
                track.token.cancel()
            else:  # it does not stop: a second attempt would only double the load
                self._abandon(track)
                self._failed(track, track.stopping, again=False)

    def _stop_all(self, error: GnomonError) -> None:
        """End every step that is still open: those that run are stopped, the others never start."""
        stopped = StepStatus.CANCELLED if isinstance(error, Cancelled) else StepStatus.FAILED
        running = [t for t in self._open.values() if t.step.id in self._active]
        for track in running:
            future = track.future
            if future is not None and future.done() and not future.cancelled() and not future.exception():
                self._close(track, StepStatus.SUCCESS, output=future.result())
            else:
                track.token.cancel()
        wait([t.future for t in running if t.future is not None], timeout=GRACE_SECONDS)
        for track in running:
            self._close(track, stopped, error=error)
        for track in list(self._open.values()):
            status = stopped if stopped is StepStatus.CANCELLED else StepStatus.SKIPPED
            self._close(track, status, error=error)

    def _close(
        self,
        track: Track,
        status: StepStatus,
        *,
        output: dict[str, Any] | None = None,
        error: GnomonError | None = None,
    ) -> None:
        """Write the one result of a step."""
        step = track.step
        if self._open.pop(step.id, None) is None:
            return
        if status is not StepStatus.SUCCESS and track.future is not None and not track.future.done():
            self._abandon(track)
        self._active.pop(step.id, None)
        taken = clock.elapsed() - track.began if track.began is not None else 0.0
        result = StepResult(
            step.id, track.tool_name, step.tool, status, output or {}, error, track.attempts, taken
        )
        self._results[step.id] = result
        self._tell_end(track, result)

    def _tell_end(self, track: Track, result: StepResult) -> None:
        kind = {StepStatus.SUCCESS: EventKind.FINISHED, StepStatus.CANCELLED: EventKind.CANCELLED}.get(
            result.status, EventKind.FAILED
        )
        data: dict[str, Any] = {
            "status": str(result.status),
            "attempts": result.attempts,
            "duration_seconds": round(result.duration_seconds, 6),
        }
        if result.error is not None and result.status is not StepStatus.SKIPPED:
            data["code"] = str(result.error.code)
        self._tell(kind, track, data=data)

    def _tell(self, kind: EventKind, track: Track, **fields: Any) -> None:
        self._emit(kind, step=track.step.id, tool=track.tool_name, **fields)

    def _abandon(self, track: Track) -> None:
        if track.future is not None and track.pool is not None:
            track.pool.abandon(track.future)
        track.serial += 1

    def _abandon_all(self) -> None:
        for track in list(self._active.values()):
            track.token.cancel()
            self._abandon(track)
