"""The journal: rules that were broken, how accurate answers are, and who changed or took what."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Integer, Table, cast, delete, func, insert, select
from sqlalchemy.engine import Connection

from gnomon.core import clock
from gnomon.core.query import AccuracyMetrics
from gnomon.store import schema
from gnomon.store.database import utc
from gnomon.store.records import AccuracySoFar, AuditEntry, StoredViolation

if TYPE_CHECKING:
    from gnomon.store.database import Store

KEEP = 100_000
PRUNE_EVERY = 500


class Journal:
    """What is written down about the work itself; bounded, the oldest goes first.

    Args:
        store: Where it is kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._added = 0

    def violation(
        self, tenant: str, run_id: str, dataset_id: str | None, rules: Iterable[tuple[str, str, str]]
    ) -> None:
        """Write rules that were broken, each as guard, rule and action."""
        at = clock.now()
        rows = [
            {"tenant": tenant, "run_id": run_id, "dataset_id": dataset_id, "guard": g, "rule": r, "action": a, "at": at}
            for g, r, a in rules
        ]  # fmt: skip
        if rows:
            self._add(schema.violations, rows)

    def violations(self, tenant: str, limit: int = 100) -> list[StoredViolation]:
        """The latest violations, newest first."""
        return [StoredViolation(**v) for v in self._latest(schema.violations, tenant, limit, StoredViolation)]

    def accuracy(
        self, tenant: str, run_id: str, dataset_id: str | None, metrics: AccuracyMetrics, *, answered: bool
    ) -> None:
        """Write how good one answer is."""
        values = metrics.model_dump() | {"accurate": answered and metrics.is_accurate(), "answered": answered}
        row = {"tenant": tenant, "run_id": run_id, "dataset_id": dataset_id, "at": clock.now(), **values}
        self._add(schema.accuracy, [row])

    def accuracy_so_far(self, tenant: str, dataset_id: str | None = None) -> AccuracySoFar:
        """How the questions of a tenant went, all or those about one data set."""
        table = schema.accuracy
        wanted = [table.c.dataset_id == dataset_id] if dataset_id is not None else []
        told = [
            func.avg(table.c[n]).filter(table.c.answered)
            for n in ("relevance", "correctness", "completeness")
        ]
        query = select(
            func.count(),
            func.coalesce(func.sum(cast(table.c.answered, Integer)), 0),
            func.coalesce(func.sum(cast(table.c.accurate, Integer)), 0),
            *told,
        ).where(table.c.tenant == tenant, *wanted)
        with self._store.reading() as c:
            questions, answered, accurate, relevance, correctness, completeness = tuple(c.execute(query).one())
        return AccuracySoFar(
            questions=questions,
            answered=answered,
            accurate=accurate,
            accuracy=accurate / answered if answered else None,
            relevance=relevance,
            correctness=correctness,
            completeness=completeness,
        )

    def audit(self, entries: Iterable[AuditEntry]) -> None:
        """Write who changed or took what."""
        rows = [e.model_dump() for e in entries]
        if rows:
            self._add(schema.audit, rows)

    def audited(self, tenant: str, limit: int = 100) -> list[AuditEntry]:
        """The latest entries of a tenant, newest first."""
        return [AuditEntry(**v) for v in self._latest(schema.audit, tenant, limit, AuditEntry)]

    def _add(self, table: Table, rows: list[dict[str, Any]]) -> None:
        with self._store.writing() as c:
            c.execute(insert(table), rows)
            self._added += 1
            if self._added % PRUNE_EVERY == 1:
                self._prune(c, table)

    @staticmethod
    def _prune(c: Connection, table: Table) -> None:
        """Now and then forget what is too old."""
        newest = c.execute(select(func.max(table.c.seq))).scalar() or 0
        if newest > KEEP:
            c.execute(delete(table).where(table.c.seq <= newest - KEEP))

    def _latest(self, table: Table, tenant: str, limit: int, record: Any) -> list[dict[str, Any]]:
        with self._store.reading() as c:
            found = c.execute(
                select(table).where(table.c.tenant == tenant).order_by(table.c.seq.desc()).limit(limit)
            ).mappings()
            return [
                {
                    k: utc(v) if isinstance(v, datetime) else v
                    for k, v in row.items()
                    if k in record.model_fields
                }
                for row in found
            ]
