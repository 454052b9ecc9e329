"""Cells of generated code, and the findings that they report."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from gnomon.core.answer import Fact, FactValue, ResultTable
from gnomon.sandbox import CellResult, CodeExecutor, Table
from gnomon.tools import CancelToken

MOST_FINDINGS = 60
MOST_ROWS = 200
MOST_COLUMNS = 30
_MARK = "gnomon-findings:"

# Runs inside the worker, before any other cell. What it captures in closures, later cells do not replace by accident.
PRELUDE = f'''
def _gnomon():
    import datetime, json, math, sys, types
    kept, said, known = {{}}, sys.stdout.write, set()
    def scalar(v):
        if hasattr(v, "item") and getattr(v, "ndim", 0) == 0:
            try:
                v = v.item()
            except Exception:
                pass
        if v is None or type(v).__name__ in ("NaTType", "NAType"):
            return ("nothing", None)
        if isinstance(v, bool):
            return ("yes or no", v)
        if isinstance(v, (int, float)):
            return ("number", v) if math.isfinite(v) else ("nothing", None)
        if isinstance(v, (datetime.datetime, datetime.date)):
            return ("time", v.isoformat())
        if isinstance(v, (str, bytes)):
            return ("text", str(v)[:500])
        if type(v).__name__ == "Decimal":
            return ("number", float(v))
        return None
    def rows(v):
        kind = type(v).__name__
        if kind in ("Series", "Index", "DatetimeIndex"):
            v = v.to_frame(name=str(getattr(v, "name", None) or "value")) if kind == "Series" else list(v)
            kind = type(v).__name__
        if kind == "DataFrame":
            total, index = len(v), v.index
            told = list(index.names) != [None] or kind == "DataFrame" and str(index.dtype) in ("object", "str", "string", "category")
            v = v.head({MOST_ROWS})
            v = v.reset_index() if told else v
            v = v.iloc[:, :{MOST_COLUMNS}]
            heads = [" ".join(map(str, c)) if isinstance(c, tuple) else str(c) for c in v.columns]
            return heads, [list(r) for r in v.itertuples(index=False, name=None)], total
        if isinstance(v, dict):
            return ["name", "value"], [list(i) for i in list(v.items())[:{MOST_ROWS}]], len(v)
        if hasattr(v, "tolist"):
            v = v.tolist()
        if isinstance(v, (list, tuple, set, frozenset)):
            v = list(v)
            first = [list(r) if isinstance(r, (list, tuple)) else [r] for r in v[:{MOST_ROWS}]]
            return [f"value {{i + 1}}" for i in range(max(map(len, first), default=0))], first, len(v)
        return None
    def shown(v):
        found = scalar(v)
        return found[1] if found else str(v)[:200]
    def finding(name, value, unit=None):
        """Report a result under a name, with its unit."""
        plain = scalar(value)
        entry = dict(unit=None if unit is None else str(unit)[:24])
        if plain is None:
            table = rows(value)
            if table is None:
                plain = ("text", str(value)[:500])
            else:
                entry.update(kind="table", columns=table[0], rows=[[shown(c) for c in r] for r in table[1]], total=table[2])
        if plain is not None:
            entry.update(kind=plain[0], value=plain[1])
        if len(kept) < {MOST_FINDINGS} or str(name) in kept:
            kept[str(name)[:80]] = entry
        return value
    class Results(dict):
        """Anything that is put in here is a finding."""
        def __setitem__(self, name, value):
            dict.__setitem__(self, name, value)
            finding(name, value)
    def take(space):
        out = dict(kept)
        kept.clear()
        fresh = {{k: v for k, v in list(space.items()) if not k.startswith("_") and k not in known}}
        known.update(fresh)
        plain = {{k: scalar(v) for k, v in fresh.items() if not isinstance(v, (types.ModuleType, type)) and not callable(v)}}
        loose = {{k: dict(kind=p[0], value=p[1], unit=None) for k, p in plain.items() if p and p[0] != "nothing"}}
        said("{_MARK}" + json.dumps([out, dict(list(loose.items())[:{MOST_FINDINGS}])], default=str) + chr(10))
    return finding, Results(), take
finding, result, _gnomon_take = _gnomon()
_gnomon_take(globals())
'''  # fmt: skip
_TAKE = "_gnomon_take(globals())"


@dataclass(frozen=True)
class Finding:
    """Something that code reported.

    Args:
        name: As the code called it.
        slot: How prose refers to it.
        kind: ``number``, ``text``, ``yes or no``, ``time``, ``table`` or ``nothing``.
        value: The value, where it is a single one.
        unit: Its unit, where the code told one.
        table: The rows, where it is a table.
        total_rows: How many rows the table has in all.
        loose: Whether the code did not report it, but left it in a variable.
    """

    name: str
    slot: str
    kind: str
    value: FactValue = None
    unit: str | None = None
    table: ResultTable | None = None
    total_rows: int = 0
    loose: bool = False

    def fact(self, step: str, code: str) -> Fact | None:
        """The finding as a fact; None for tables and for what has no value."""
        if self.table is not None or self.value is None:
            return None
        return Fact(name=self.slot, value=self.value, unit=self.unit, step=step, query=code)


class CellRunner:
    """Runs cells and takes what they find.

    Args:
        executor: The worker.
        seconds: Time of one cell; that of the worker's limits by default.
    """

    def __init__(self, executor: CodeExecutor, seconds: float | None = None) -> None:
        self._executor = executor
        self._seconds = seconds
        self._prepared = False

    def run(self, code: str, cancel: CancelToken | None = None) -> tuple[CellResult, tuple[Finding, ...]]:
        """Run one cell; findings are those it reported or, where there are none, single values it left in variables."""
        self._prepare()
        result = self._executor.run(code, seconds=self._seconds, cancel=cancel)
        if result.state_lost:
            self._prepared = False
            return result, ()
        taken = self._executor.run(_TAKE)
        if taken.state_lost:
            self._prepared = False
        reported, loose = _taken(taken.stdout)
        found = _findings(reported, loose=False) if reported else _findings(loose, loose=True)
        shown = tuple(f for t in result.tables if (f := _shown(t)) is not None) if result.ok else ()
        return result, (*found, *(s for s in shown if s.slot not in {f.slot for f in found}))

    def _prepare(self) -> None:
        if not self._prepared:
            self._executor.run(PRELUDE)
            self._prepared = True


def _taken(printed: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the worker says it found; code that meddles with it reports nothing."""
    line = next((p for p in reversed(printed.splitlines()) if p.startswith(_MARK)), None)
    try:
        reported, loose = json.loads(line.removeprefix(_MARK)) if line else ({}, {})
    except ValueError:
        return {}, {}
    return (reported, loose) if isinstance(reported, dict) and isinstance(loose, dict) else ({}, {})


def _findings(entries: dict[str, Any], *, loose: bool) -> tuple[Finding, ...]:
    found: dict[str, Finding] = {}
    for name, entry in list(entries.items())[:MOST_FINDINGS]:
        slot = slot_name(name, found)
        if isinstance(entry, dict) and (made := _finding(name, slot, entry, loose)) is not None:
            found[slot] = made
    return tuple(found.values())


def _finding(name: str, slot: str, entry: dict[str, Any], loose: bool) -> Finding | None:
    kind, unit = entry.get("kind"), entry.get("unit")
    unit = unit if isinstance(unit, str) and unit else None
    if kind == "table":
        columns, rows = entry.get("columns"), entry.get("rows")
        if not isinstance(columns, list) or not isinstance(rows, list):
            return None
        heads = tuple(str(c) for c in columns)
        cut = tuple(tuple(_cell(v) for v in row[: len(heads)]) for row in rows if isinstance(row, list))
        even = tuple((*row, *([None] * (len(heads) - len(row)))) for row in cut)
        total = entry.get("total")
        return Finding(
            name, slot, kind, table=ResultTable(name=name, columns=heads, rows=even),
            total_rows=total if isinstance(total, int) else len(even), loose=loose,
        )  # fmt: skip
    value = _cell(entry.get("value"))
    if kind == "time" and isinstance(value, str):
        value = _moment(value)
    known = kind if kind in ("number", "text", "yes or no", "time", "nothing") else "text"
    return Finding(name, slot, known if value is not None else "nothing", value, unit, loose=loose)


def _shown(table: Table) -> Finding | None:
    """A frame that a cell showed in a notebook's way."""
    if table.name == "table" or not table.columns:
        return None
    rows = tuple(tuple(row) for row in table.rows)
    shown = ResultTable(name=table.name, columns=table.columns, rows=rows)
    return Finding(
        table.name, slot_name(table.name, ()), "table", table=shown, total_rows=table.total_rows, loose=True
    )


def slot_name(name: str, taken: Iterable[str]) -> str:
    """How prose refers to a finding: letters, digits and underscores."""
    plain = re.sub(r"\W+", "_", name).strip("_").lower()[:60] or "finding"
    plain = f"f_{plain}" if plain[0].isdigit() else plain
    found, n, used = plain, 1, set(taken)
    while found in used:
        n += 1
        found = f"{plain}_{n}"
    return found


def _cell(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _moment(text: str) -> date | datetime | str:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return text
    return found.date() if (found.hour, found.minute, found.second) == (0, 0, 0) else found
