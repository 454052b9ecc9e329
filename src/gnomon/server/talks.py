"""Conversations that outlive the process: a session's questions lean on those before, even after a restart."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from gnomon.agents.conversation import Conversation
from gnomon.agents.stages import Watcher, watcher
from gnomon.core import clock
from gnomon.core.answer import Option
from gnomon.core.errors import NotFound
from gnomon.core.parts import Parts
from gnomon.core.request import Request
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.server.answers import reading_of, told
from gnomon.store import Sessions, StoredDataset, Turn

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst
    from gnomon.agents.outcome import Outcome
    from gnomon.semantic import SemanticModel

MAX_TALKS = 512
MAX_RECALLED = 12


class _Voice:
    """The analyst of the moment behind a conversation: a data set may be closed and opened again in between."""

    def __init__(self, analyst: Analyst) -> None:
        self.learns = False
        self.analyst = analyst
        self.model: SemanticModel = analyst.model
        self.outcome: Outcome | None = None
        self.asked = ""

    def speak_for(self, analyst: Analyst) -> None:
        """Let another analyst of the same data answer."""
        self.analyst, self.model = analyst, analyst.model

    def process(
        self,
        question: str,
        *,
        today: date | None = None,
        previous: Request | None = None,
        agreed: Reading | None = None,
    ) -> Outcome:
        self.asked = question
        self.outcome = self.analyst.process(question, today=today, previous=previous, agreed=agreed)
        return self.outcome

    def learn(self, option: Option) -> None:
        """Remember what was picked, for this data set of this tenant; what is only asked again teaches nothing."""
        if self.learns:
            self.analyst.learn(option)
            self.model = self.analyst.model

    def told(self, question: str, picked: Option | None = None) -> dict[str, Any]:
        """What came of a question; one that was taken as another ("yes", "the first one") leans on those before."""
        assert self.outcome is not None
        answer = told(question, self.outcome, self.model)
        if self.asked != question or picked is not None:
            answer["reading"]["continues"] = True
        return {**answer, "picked": picked.id if picked is not None else None}


@dataclass
class _Talk:
    voice: _Voice
    conversation: Conversation
    lock: threading.Lock = field(default_factory=threading.Lock)


class Talks:
    """The conversations of the service.

    Args:
        sessions: Where they are kept.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], _Talk] = OrderedDict()

    def ask(
        self,
        dataset: StoredDataset,
        session_id: str,
        question: str,
        analyst: Analyst,
        run_id: str,
        *,
        today: date | None = None,
        corrected: Parts | None = None,
        picked: Option | None = None,
        watch: Watcher | None = None,
    ) -> tuple[dict[str, Any], Outcome]:
        """Answer a question in the light of those before it, or as it was picked, and put both on record; ``watch`` hears
        how far it is."""
        talk = self._talk(dataset.tenant, session_id, analyst)
        with talk.lock:
            talk.voice.speak_for(analyst)
            hearing = watcher.set(watch)
            talk.voice.learns = True
            try:
                _put(talk.conversation, question, today, picked, _agreed(corrected, analyst))
            finally:
                watcher.reset(hearing)
                talk.voice.learns = False
            outcome = talk.voice.outcome
            assert outcome is not None
            answer = talk.voice.told(question, talk.conversation.picked)
            self.note(dataset, session_id, run_id, "ask", question, answer)
        return answer, outcome

    def repeat(
        self,
        dataset: StoredDataset,
        session_id: str,
        run_id: str,
        question: str,
        analyst: Analyst,
        *,
        today: date | None = None,
        corrected: Parts | None = None,
        picked: Option | None = None,
        until: datetime | None = None,
    ) -> tuple[dict[str, Any], Outcome]:
        """Answer a question of a session again, in the light of those that were before it; nothing is put on record."""
        voice = _Voice(analyst)
        talk = _Talk(voice, Conversation(voice))
        self._again(talk, self.before(dataset.tenant, session_id, run_id, until))
        agreed = _agreed(corrected, analyst) or self._as_replied(dataset.tenant, session_id, run_id)
        _put(talk.conversation, question, today, picked, agreed)
        assert voice.outcome is not None
        return voice.told(question, talk.conversation.picked), voice.outcome

    def offered(self, tenant: str, session_id: str, pick: int | str) -> Option:
        """The choice that is picked: by its place in the last answer of a session, or by its id.

        Raises:
            NotFound: No answer of the session offers it.
        """
        turns = [t for t in self._sessions.turns(tenant, session_id, MAX_RECALLED) if t.kind == "ask"]
        offers: list[list[dict[str, Any]]] = [t.answer.get("picks") or [] for t in reversed(turns)]
        last = offers[0] if offers else []
        if isinstance(pick, int):
            found = next((p for p in last if p.get("place") == pick), None)
        else:
            found = next((p for offer in offers for p in offer if p.get("id") == pick), None)
        if found is None:
            there = (
                f"The last answer offers 1 to {len(last)}."
                if last
                else "The last answer offers nothing to pick."
            )
            raise NotFound(f"There is no choice {str(pick)[:40]!r} in this session.", suggestions=[there])
        return Option.model_validate({k: v for k, v in found.items() if k in Option.model_fields})

    def _as_replied(self, tenant: str, session_id: str, run_id: str) -> Reading | None:
        """How a question was read that was a reply to what was asked back: it is remembered, and not asked back again."""
        turns = self._sessions.turns(tenant, session_id)
        replied = next((t for t in turns if t.run_id == run_id and t.answer.get("picked")), None)
        return reading_of(replied.answer) if replied is not None else None

    def before(self, tenant: str, session_id: str, run_id: str, until: datetime | None = None) -> list[Turn]:
        """The questions that the one of a run may lean on, from the last that stood on its own."""
        turns = [t for t in self._sessions.turns(tenant, session_id) if until is None or t.at < until]
        place = next((i for i, t in enumerate(turns) if t.run_id == run_id), len(turns))
        return _leaned_on(turns[:place])

    def note(
        self,
        dataset: StoredDataset,
        session_id: str,
        run_id: str,
        kind: str,
        question: str,
        answer: dict[str, Any],
    ) -> None:
        """Put a question with its answer on record."""
        turn = Turn(
            run_id=run_id, kind=kind, question=question, answer=answer, at=clock.now(),
            continues=bool(answer.get("reading", {}).get("continues")),
        )  # fmt: skip
        self._sessions.add_turn(dataset.tenant, session_id, dataset.id, turn)

    def forget(self, tenant: str, session_id: str | None = None) -> None:
        """Forget one conversation of a tenant in memory, or all of them; they are read from the store again."""
        with self._lock:
            for key in [k for k in self._kept if k[0] == tenant and session_id in (None, k[1])]:
                del self._kept[key]

    def _talk(self, tenant: str, session_id: str, analyst: Analyst) -> _Talk:
        key = (tenant, session_id)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        voice = _Voice(analyst)
        made = _Talk(voice, Conversation(voice))
        self._recall(tenant, session_id, made)
        with self._lock:
            found = self._kept.setdefault(key, made)
            while len(self._kept) > MAX_TALKS:
                self._kept.popitem(last=False)
        return found

    def _recall(self, tenant: str, session_id: str, talk: _Talk) -> None:
        """Come back to where the conversation was."""
        self._again(talk, _leaned_on(self._sessions.turns(tenant, session_id, MAX_RECALLED)))

    @staticmethod
    def _again(talk: _Talk, turns: list[Turn]) -> None:
        """Ask questions again, as they were read then: the same answers, the same context."""
        for turn in turns:
            talk.conversation.ask(turn.question, agreed=reading_of(turn.answer))


def _put(
    talk: Conversation, question: str, today: date | None, picked: Option | None, agreed: Reading | None
) -> None:
    if picked is not None:
        talk.pick(picked, today=today)
    else:
        talk.ask(question, today=today, agreed=agreed)


def _agreed(corrected: Parts | None, analyst: Analyst) -> Reading | None:
    from gnomon.planning.trees import request_of

    if corrected is None:
        return None
    return Reading(status=ReadingStatus.CLEAR, requests=(request_of(corrected, analyst.model),))


def _leaned_on(turns: list[Turn]) -> list[Turn]:
    asked = [t for t in turns if t.kind == "ask"][-MAX_RECALLED:]
    starts = [i for i, t in enumerate(asked) if not t.continues]
    return asked[starts[-1] if starts else 0 :]
