"""What the demo prints of a profile, kept beside the store so that a second run need not profile again."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import __version__
from gnomon.core.file_state import quick_state

if TYPE_CHECKING:
    from gnomon.data.demo_store import DemoStore
    from gnomon.data.profile_model import DatasetProfile, TableProfile

FILE = Path(".cache") / "profile.json"


@dataclass(frozen=True)
class TableSummary:
    """A table in two lines."""

    name: str
    rows: int
    key: str
    period: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Summary:
    """The tables and the joins between them."""

    tables: tuple[TableSummary, ...]
    joins: tuple[str, ...]

    @classmethod
    def of(cls, profile: DatasetProfile) -> Summary:
        """Take from a profile what the demo prints."""
        return cls(
            tuple(_table(t) for t in profile.tables),
            tuple(f"{j.table}.{j.column} → {j.to_table}.{j.to_column}" for j in profile.joins),
        )

    @classmethod
    def recall(cls, store: DemoStore) -> Summary | None:
        """The summary of an earlier run, where neither the files nor Gnomon changed since."""
        try:
            kept = json.loads((store.folder / FILE).read_text(encoding="utf-8"))
            if kept["of"] != _fingerprint(store):
                return None
            tables = tuple(
                TableSummary(
                    t["name"], t["rows"], t["key"], t["period"], tuple((n, r) for n, r in t["columns"])
                )
                for t in kept["tables"]
            )
            return cls(tables, tuple(kept["joins"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def remember(self, store: DemoStore) -> None:
        """Keep the summary for the next run."""
        content = {"of": _fingerprint(store), **asdict(self)}
        (store.folder / FILE).parent.mkdir(exist_ok=True)
        (store.folder / FILE).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _fingerprint(store: DemoStore) -> list[Any]:
    return [__version__, {name: quick_state(path) for name, path in store.tables.items()}]


def _table(table: TableProfile) -> TableSummary:
    time = table.time[0] if table.time else None
    return TableSummary(
        name=table.name,
        rows=table.rows,
        key=" + ".join(table.keys[0].columns) if table.keys else "",
        period=f"{time.start[:10]} … {time.end[:10]}" if time else "",
        columns=tuple((c.name, c.role.value) for c in table.columns),
    )
