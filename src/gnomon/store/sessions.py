"""Conversations with their turns, data sets and investigations: what a session of the service is made of."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, Table, bindparam, delete, insert, select, update
from sqlalchemy.engine import Connection

from gnomon.core.errors import NotFound, PolicyViolation
from gnomon.store import schema
from gnomon.store.database import utc
from gnomon.store.records import StoredConversation, StoredDataset, StoredInvestigation, Turn

if TYPE_CHECKING:
    from gnomon.store.database import Store

KEEP_CONVERSATIONS = 1000
KEEP_TURNS = 500
KEEP_INVESTIGATIONS = 500
FORGET_EVERY = 50

# What every question runs is made once: making a statement takes longer than running it.
_TALKS, _TURNS = schema.conversations, schema.turns
_MINE = (_TALKS.c.tenant == bindparam("of")) & (_TALKS.c.session_id == bindparam("session"))
_TALK = select(_TALKS).where(_MINE)
_BOUND_TO = select(_TALKS.c.dataset_id).where(_MINE)
_BEGIN, _ADD = insert(_TALKS), insert(_TURNS)
_USED = update(_TALKS).where(_MINE)
_TURN_OF = delete(_TURNS).where(
    _TURNS.c.tenant == bindparam("of"),
    _TURNS.c.session_id == bindparam("session"),
    _TURNS.c.run_id == bindparam("run"),
)


class Sessions:
    """What a session is made of, each part for its tenant only.

    Args:
        store: Where it is kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._added = 0

    def save_dataset(self, dataset: StoredDataset) -> None:
        """Write a data set, or write it anew."""
        values = dataset.model_dump(mode="python")
        values["files"] = [f.model_dump() for f in dataset.files]
        table = schema.datasets
        with self._store.writing() as c:
            c.execute(delete(table).where(table.c.id == dataset.id, table.c.tenant == dataset.tenant))
            c.execute(insert(table).values(values))

    def datasets(self, tenant: str) -> list[StoredDataset]:
        """The data sets of a tenant, newest first."""
        table = schema.datasets
        with self._store.reading() as c:
            found = c.execute(
                select(table).where(table.c.tenant == tenant).order_by(table.c.created_at.desc(), table.c.id)
            )
            return [_dataset(row) for row in found]

    def dataset(self, dataset_id: str, tenant: str) -> StoredDataset | None:
        """One data set of a tenant, if it has it."""
        table = schema.datasets
        with self._store.reading() as c:
            row = c.execute(
                select(table).where(table.c.id == dataset_id, table.c.tenant == tenant)
            ).one_or_none()
        return None if row is None else _dataset(row)

    def add_turn(self, tenant: str, session_id: str, dataset_id: str, turn: Turn) -> None:
        """Write a turn, and the conversation with its first; that of a run which is done again takes its place.

        Raises:
            PolicyViolation: The session is about another data set.
        """
        mine = {"of": tenant, "session": session_id}
        whose = {"tenant": tenant, "session_id": session_id, "dataset_id": dataset_id}
        with self._store.writing() as c:
            known = c.execute(_BOUND_TO, mine).scalar()
            if known is None:
                begun = {"title": turn.question[:120], "created_at": turn.at, "updated_at": turn.at}
                c.execute(_BEGIN, whose | begun)
                self._added += 1
                if self._added % FORGET_EVERY == 1:
                    _forget_oldest(c, tenant)
            elif known != dataset_id:
                raise PolicyViolation(
                    "This session is about another data set.", suggestions=["Begin another session for it."]
                )
            else:
                c.execute(_USED, mine | {"updated_at": turn.at})
            c.execute(_TURN_OF, mine | {"run": turn.run_id})
            c.execute(_ADD, whose | turn.model_dump(exclude={"seq"}))

    def conversations(self, tenant: str, limit: int = 50) -> list[StoredConversation]:
        """The conversations of a tenant, the latest used first."""
        table = schema.conversations
        with self._store.reading() as c:
            found = c.execute(
                select(table)
                .where(table.c.tenant == tenant)
                .order_by(table.c.updated_at.desc(), table.c.session_id)
                .limit(limit)
            )
            return [_conversation(row) for row in found]

    def conversation(self, tenant: str, session_id: str) -> StoredConversation | None:
        """One conversation of a tenant, if there is one under this id."""
        with self._store.reading() as c:
            row = c.execute(_TALK, {"of": tenant, "session": session_id}).one_or_none()
        return None if row is None else _conversation(row)

    def turns(self, tenant: str, session_id: str, limit: int = KEEP_TURNS) -> list[Turn]:
        """The latest turns of a conversation, in the order in which they were asked."""
        table = schema.turns
        with self._store.reading() as c:
            found = c.execute(
                select(table)
                .where(table.c.tenant == tenant, table.c.session_id == session_id)
                .order_by(table.c.seq.desc())
                .limit(limit)
            ).all()
        return [_turn(row) for row in reversed(found)]

    def drop_conversation(self, tenant: str, session_id: str) -> None:
        """Forget a conversation with its turns."""
        with self._store.writing() as c:
            for table in (schema.turns, schema.conversations):
                c.execute(delete(table).where(table.c.tenant == tenant, table.c.session_id == session_id))
        self._store.wipe()

    def save_investigation(self, kept: StoredInvestigation) -> None:
        """Write an investigation, or where it stands now."""
        table = schema.investigations
        values = kept.model_dump()
        with self._store.writing() as c:
            mine = (table.c.id == kept.id) & (table.c.tenant == kept.tenant)
            if c.execute(update(table).where(mine).values(values)).rowcount == 0:
                c.execute(insert(table).values(values))
                newest = (
                    select(table.c.id)
                    .where(table.c.tenant == kept.tenant)
                    .order_by(table.c.updated_at.desc())
                    .limit(KEEP_INVESTIGATIONS)
                    .scalar_subquery()
                )
                c.execute(delete(table).where(table.c.tenant == kept.tenant, table.c.id.not_in(newest)))

    def investigation(self, tenant: str, investigation_id: str) -> StoredInvestigation:
        """One investigation of a tenant.

        Raises:
            NotFound: The tenant has none under this id.
        """
        table = schema.investigations
        with self._store.reading() as c:
            row = c.execute(
                select(table).where(table.c.id == investigation_id, table.c.tenant == tenant)
            ).one_or_none()
        if row is None:
            raise NotFound(
                "There is no investigation under this id.",
                suggestions=["GET /api/investigations lists them."],
            )
        return _investigation(row)

    def investigations(
        self, tenant: str, session_id: str | None = None, limit: int = 50
    ) -> list[StoredInvestigation]:
        """The investigations of a tenant, or of one of its sessions, the latest used first."""
        table = schema.investigations
        wanted = [table.c.session_id == session_id] if session_id is not None else []
        with self._store.reading() as c:
            found = c.execute(
                select(table)
                .where(table.c.tenant == tenant, *wanted)
                .order_by(table.c.updated_at.desc(), table.c.id)
                .limit(limit)
            )
            return [_investigation(row) for row in found]

    def forget_dataset(self, tenant: str, dataset_id: str) -> None:
        """Remove a data set and everything that was said or found about it."""
        with self._store.writing() as c:
            for table in (
                schema.turns, schema.conversations, schema.investigations, schema.violations, schema.accuracy,
            ):  # fmt: skip
                c.execute(delete(table).where(table.c.tenant == tenant, table.c.dataset_id == dataset_id))
            known = schema.datasets
            c.execute(delete(known).where(known.c.tenant == tenant, known.c.id == dataset_id))
        self._store.wipe()


def _forget_oldest(c: Connection, tenant: str) -> None:
    """Forget the conversations of a tenant that were used longest ago, with their turns."""
    table, turns = schema.conversations, schema.turns
    latest = select(table.c.session_id).where(table.c.tenant == tenant).order_by(table.c.updated_at.desc())
    kept = latest.limit(KEEP_CONVERSATIONS).scalar_subquery()
    for one in (table, turns):
        c.execute(delete(one).where(one.c.tenant == tenant, one.c.session_id.not_in(kept)))


def _dataset(row: Row[Any]) -> StoredDataset:
    return StoredDataset.model_validate(_values(row, schema.datasets))


def _conversation(row: Row[Any]) -> StoredConversation:
    return StoredConversation(**_values(row, schema.conversations))


def _turn(row: Row[Any]) -> Turn:
    given = _values(row, schema.turns)
    return Turn(**{k: v for k, v in given.items() if k in Turn.model_fields})


def _investigation(row: Row[Any]) -> StoredInvestigation:
    return StoredInvestigation(**_values(row, schema.investigations))


def _values(row: Row[Any], table: Table) -> dict[str, Any]:
    found = {column.name: getattr(row, column.name) for column in table.columns}
    return {k: utc(v) if isinstance(v, datetime) else v for k, v in found.items()}
