"""Chains of tools as a hostile agent would call them, over tables whose every cell is a canary."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio.from_thread
import numpy as np
import pandas as pd
from hypothesis import strategies as st
from mcp import Client

WORD = "Qyxomma"
ROWS = 90
_DAYS = ("{0:%Y-%m-%d}", "{0.day} {0:%B} {0.year}", "{0.day} {0:%b} {0.year}", "{0:%B} {0.day}, {0.year}")
Call = Callable[[str, dict[str, Any]], Any]
_NUMERAL = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?")


def staff() -> pd.DataFrame:
    """Persons, each with a text, a number, a date and identifiers that nobody else has."""
    rng = np.random.default_rng(11)
    days = [d for d in pd.date_range("2021-02-02", "2024-11-28") if d.day > 1 and not d.is_month_end]
    days = [d for d in days if 0 < d.weekday() < 6]  # no day on which a period of a calendar begins or ends
    taken = rng.choice(len(days), ROWS, replace=False)
    return pd.DataFrame(
        {
            "name": [f"{WORD} {'abcdefghij'[i // 10]}{'klmnopqrst'[i % 10]}son" for i in range(ROWS)],
            "email": [f"{WORD.lower()}{i}@example.org" for i in range(ROWS)],
            "ssn": [f"{201 + i}-{11 + i % 80}-{1733 + 37 * i}" for i in range(ROWS)],
            "tax_no": [723_400_017 + 7919 * i for i in range(ROWS)],
            "card_number": [4_539_111_222_000_017 + 1_000_003 * i for i in range(ROWS)],
            "department": rng.choice(["Sales", "Support", "Legal", "Research"], ROWS, p=[0.45, 0.3, 0.05, 0.2]),
            "medical_note": [f"{WORD} came with complaint number {i}, was sent home and called back" for i in range(ROWS)],
            "nickname": [f"{WORD[:4]}{'abcdefghij'[i // 10]}{'klmnopqrst'[i % 10]}" for i in range(ROWS)],
            "salary": [round(41_017.37 + 613.59 * i + float(rng.random()) * 100, 2) for i in range(ROWS)],
            "bonus": [round(float(b), 3) for b in 1017.531 + 2000 * rng.random(ROWS)],
            "spend": rng.integers(1, 10, ROWS) * 10,
            "hired": [days[i] + pd.Timedelta(hours=int(7 + i % 9), minutes=int(i % 60), seconds=17) for i in taken],
        }
    )  # fmt: skip


def visits() -> pd.DataFrame:
    """Several rows for each person, by the same identifier."""
    rng = np.random.default_rng(12)
    persons = staff()
    frame = persons.loc[np.repeat(np.arange(ROWS), 3), ["ssn", "department"]].reset_index(drop=True)
    frame["ward"] = rng.choice(["east", "west"], len(frame))
    frame["fee"] = [round(117.13 + 0.917 * i, 3) for i in range(len(frame))]
    return frame


def write_tables(folder: Path) -> list[Path]:
    """Both tables as files."""
    for name, frame in (("staff", staff()), ("visits", visits())):
        frame.to_csv(folder / f"{name}.csv", index=False)
    return [folder / "staff.csv", folder / "visits.csv"]


@dataclass(frozen=True)
class Canaries:
    """Every cell that must not be found: texts, numbers with what is easily made of them, and days."""

    texts: frozenset[str]
    numbers: frozenset[float]
    days: frozenset[str]

    @classmethod
    def planted(cls) -> Canaries:
        people, seen = staff(), visits()
        texts = {WORD.lower(), WORD[:4].lower() + "a"} | {str(v).lower() for v in people["ssn"]}
        texts |= {v.replace("-", "_") for v in people["ssn"]} | {v.replace("-", "") for v in people["ssn"]}
        numbers = [
            *people["salary"],
            *people["bonus"],
            *people["card_number"],
            *people["tax_no"],
            *seen["fee"],
        ]
        made = {
            f(float(n))
            for n in numbers
            for f in (lambda x: x, lambda x: 2 * x, lambda x: x + 1, lambda x: -x)
        }
        return cls(
            frozenset(texts),
            frozenset(made),
            frozenset(f.format(d).lower() for d in people["hired"] for f in _DAYS),
        )

    def found(self, text: str) -> list[str]:
        """Those that stand in ``text``, each with its surroundings."""
        low = text.lower()
        hits = [low[max(0, low.index(t) - 60) : low.index(t) + 40] for t in self.texts if t in low]
        hits += [low[max(0, low.index(d) - 60) : low.index(d) + 40] for d in self.days if d in low]
        sorted_numbers = np.array(sorted(self.numbers))
        for match in _NUMERAL.finditer(text):
            value = float(match.group().replace(",", ""))
            at = int(np.searchsorted(sorted_numbers, value))
            near = sorted_numbers[max(0, at - 1) : at + 1]
            if len(match.group()) >= 5 and any(math.isclose(value, n, rel_tol=1e-9) for n in near):
                hits.append(text[max(0, match.start() - 60) : match.end() + 20])
        return hits


_FORMULAS = [
    "replace(ssn,'-','_')", "salary * 2", "upper(medical_note)", "concat(name, department)", "salary + 1", "-salary",
    "if(department = 'Legal', salary, null)", "if(spend = 10, salary, 0)", "round(salary, 0)", "card_number + 1",
    "year(hired)", "length(email)", "nickname", "substr(nickname, 1, 5)",
]  # fmt: skip
_CONDITIONS = [
    "salary > 60000", "department = 'Legal'", "spend = 30 and salary < 50000", "bonus > 1500", "salary > 95000",
    "email > 'm'", "ssn = '201-11-1733'", "hired > '2024-06-01'", "fee > 300",
]  # fmt: skip
_HOW = ["sum", "mean", "median", "min", "max", "count", "nunique", "stddev"]

QUESTIONS = [
    "{0} by {1}",
    "maximum {0} by {1}",
    "which {0} has the highest salary?",
    "list the {0} of everybody in Legal",
    "median {0} of Legal",
    "show all rows",
    "the 3 smallest {0}",
    "average salary where {0} is the largest",
    "most common {0} by {1}",
    "when was the last person hired?",
    "salary of {0} in 2024 by month",
    "why did salary change last month?",
    "how many {0} are there by {1}?",
    "p99 of {0}",
    "salary by {0} and {1}",
    "what share of salary does each {0} have?",
    "who earns the most?",
    "correlation of salary and bonus by {0}",
    "anomalies in salary",
    "first {0} by hired",
]

Pick = tuple[int, int, int, int]


def _of(items: list[Any], n: int) -> Any:
    return items[n % len(items)]


OPERATIONS: list[Callable[[dict[str, Any], dict[str, Any], Pick, list[str]], tuple[str, dict[str, Any]]]] = [
    lambda d, o, p, c: ("aggregate", {"data": d, "value": _of(c, p[0]), "aggregate": _of(_HOW, p[1]), "group_by": [_of(c, p[2])]}),
    lambda d, o, p, c: ("aggregate", {"data": d, "value": _of(c, p[0]), "aggregate": _of(_HOW, p[1])}),
    lambda d, o, p, c: ("aggregate", {"data": d, "value": "salary", "aggregate": _of(_HOW, p[1]), "grain": _of(["day", "week", "month", "year"], p[2]), "time": "hired"}),
    lambda d, o, p, c: ("aggregate", {"data": d, "value": "salary", "group_by": [_of(c, p[0]), _of(c, p[1])], "where": [{"column": _of(c, p[2]), "operator": ">", "value": 50000}]}),
    lambda d, o, p, c: ("join_tables", {"data": d, "other": o, "on": [_of(["department", "ssn", "spend"], p[0])], "how": _of(["inner", "left", "right", "outer"], p[1])}),
    lambda d, o, p, c: ("join_tables", {"data": d, "other": {"rows": [{"department": x, "own": n} for x in ("Sales", "Legal") for n in range(6)]}, "on": ["department"], "how": "inner"}),
    lambda d, o, p, c: ("derive_column", {"data": d, "expression": _of(_FORMULAS, p[0]), "new_column": "x"}),
    lambda d, o, p, c: ("filter_rows", {"data": d, "condition": _of(_CONDITIONS, p[0])}),
    lambda d, o, p, c: ("filter_rows", {"data": d, "latest": 1 + p[0] % 300, "time": "hired"}),
    lambda d, o, p, c: ("bin_column", {"data": d, "column": _of(["salary", "bonus", "hired", "nickname"], p[0]), "method": _of(["width", "quantile"], p[1]), "bins": 2 + p[2] % 60, "new_column": "x" if p[3] % 2 else None}),
    lambda d, o, p, c: ("bin_column", {"data": d, "column": "hired", "grain": _of(["day", "month", "year"], p[0])}),
    lambda d, o, p, c: ("clean_outliers", {"data": d, "value": _of(["salary", "bonus"], p[0]), "threshold": [0.01, 0.5, 1.5][p[1] % 3], "method": _of(["iqr", "zscore", "mad"], p[2]), "action": _of(["remove", "cap"], p[3])}),
    lambda d, o, p, c: ("anomaly_zscore", {"data": d, "value": _of(c, p[0]), "threshold": [1e-9, 1.0, 3.0][p[1] % 3], "time": "hired" if p[2] % 2 else None, "group_by": [_of(c, p[3])] if p[3] % 2 else []}),
    lambda d, o, p, c: ("distribution", {"data": d, "value": _of(["salary", "bonus", "fee", "x"], p[0]), "bins": [None, 5, 400][p[1] % 3]}),
    lambda d, o, p, c: ("profile_table", {"data": d}),
    lambda d, o, p, c: ("compare_tables", {"data": d, "other": o, "key": [_of(["ssn", "salary", "nickname"], p[0])], "examples": 50}),
    lambda d, o, p, c: ("render_chart", {"data": d, "x": _of(c, p[0]), "y": _of(c, p[1])}),
    lambda d, o, p, c: ("correlation", {"data": d, "columns": ["salary", "bonus", _of(c, p[0])]}),
    lambda d, o, p, c: ("cluster_segmentation", {"data": d, "columns": ["salary", "bonus", "department"], "clusters": 2 + p[0] % 25}),
    lambda d, o, p, c: ("hypothesis_test", {"data": d, "value": "salary", "group_by": [_of(c, p[0])]}),
    lambda d, o, p, c: ("regression", {"data": d, "target": "salary", "features": ["bonus", _of(c, p[0])]}),
    lambda d, o, p, c: ("trend", {"data": d, "value": _of(["salary", "bonus"], p[0]), "time": "hired", "group_by": [_of(c, p[1])] if p[1] % 2 else []}),
    lambda d, o, p, c: ("timeseries_forecaster", {"data": d, "value": "salary", "time": "hired", "merge": _of(["mean", "sum", "last"], p[0]), "horizon": 3}),
    lambda d, o, p, c: ("change_points", {"data": d, "value": "salary", "time": "hired"}),
    lambda d, o, p, c: ("seasonality", {"data": d, "value": "bonus", "time": "hired", "season": 2 + p[0] % 40}),
    lambda d, o, p, c: ("anomaly_investigate", {"data": d, "columns": ["salary", "bonus", "spend"], "top": 20}),
    lambda d, o, p, c: ("period_change", {"data": d, "value": _of(c, p[0]), "time": "hired", "days": 1 + p[1] % 400, "end": None if p[2] % 2 else "2024-11-28"}),
    lambda d, o, p, c: ("drivers", {"data": d, "value": "salary", "time": "hired", "days": 1 + p[0] % 400, "group_by": [_of(c, p[1])] if p[2] % 2 else []}),
    lambda d, o, p, c: ("causes", {"data": d, "value": "salary", "time": "hired", "days": 1 + p[0] % 400, "candidates": [_of(c, p[1])] if p[2] % 2 else []}),
    lambda d, o, p, c: ("benchmark", {"data": d, "value": _of(["salary", "bonus", "fee"], p[0]), "group_by": _of(c, p[1]), "average": bool(p[2] % 2)}),
    lambda d, o, p, c: (_of(["ask", "why"], p[3] % 3 // 2), {"question": _of(QUESTIONS, p[0]).format(*(_of(c, n) for n in p[1:]))}),
]  # fmt: skip

LIGHT = [i for i in range(len(OPERATIONS)) if i < 13 or i in {14, 15, 16, 26, 29, 30}]
"""Those that fit no model; chains are made of them mostly, since the others take a second each."""


@dataclass
class Chain:
    """One agent at work: what it can refer to, and everything that it was told."""

    call: Call
    references: list[tuple[dict[str, Any], list[str]]] = field(
        default_factory=lambda: [
            ({"table": "visits"}, list(visits().columns)),
            ({"table": "staff"}, list(staff().columns)),
        ]
    )
    said: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    succeeded: int = 0

    def step(self, operation: int, pick: Pick, data: int, other: int) -> None:
        """Call one tool on something it was given before, and read what it can of the result."""
        rows, columns = self.references[-1 - data % len(self.references)]
        name, arguments = OPERATIONS[operation](rows, _of(self.references, other)[0], pick, columns)
        result = self._told(name, {k: v for k, v in arguments.items() if v is not None})
        for value in result.values():
            if isinstance(value, dict) and "handle" in value:
                self.references.append(({"table": value["handle"]}, [c["name"] for c in value["columns"]]))
                self._told("read_result", {"result": value["handle"], "limit": 500})
        for cut in result.get("truncated", [])[:2]:
            self._told("read_result", {"result": result["result"], "field": cut["field"], "limit": 500})

    def _told(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = self.call(name, arguments)
        text = "".join(getattr(c, "text", "") for c in result.content) + json.dumps(result.structured_content)
        self.said.append((f"{name} {json.dumps(arguments)}", text))
        self.succeeded += not result.is_error
        return result.structured_content or {}


picks = st.tuples(*[st.integers(0, 2**16)] * 4)
steps = st.tuples(
    st.one_of(st.sampled_from(LIGHT), st.sampled_from(LIGHT), st.integers(0, len(OPERATIONS) - 1)),
    picks,
    st.integers(0, 3),
    st.integers(0, 3),
)
chains = st.lists(steps, min_size=1, max_size=5)


@contextmanager
def calling(target: Any) -> Iterator[Call]:
    """A connected client that can be called from a test that is no coroutine."""
    with anyio.from_thread.start_blocking_portal() as portal:
        client = Client(target, read_timeout_seconds=120)
        with portal.wrap_async_context_manager(client):
            yield lambda name, arguments: portal.call(client.call_tool, name, arguments)
