"""What answers rest on, computed twice: by the steps of their plans, and as one tree of the algebra each.

    python bench/ask_trees.py [--set demo|worlds|exam|public …] [--every N] [--data DIR] [--public DIR] [--show]

Only questions that have been opened for development are asked. For every part of an answer the retrieval is asked for as a
tree that went to JSON and back, and what tools compute from retrievals as one tree too: shares and changes of periods as
one result against another or along it, growth and running values along a series, two groups as two conditions. Figures
are the same within 1e-9, labels and order exactly. Prints how many are equal, different and not yet said, by kind.
"""

from __future__ import annotations

import argparse
import calendar
import json
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import ask_exam
import ask_public
import ask_worlds
import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.agents.evaluation import load_cases
from gnomon.agents.evaluation.demo import demo_folder
from gnomon.agents.presenter import DataPresenterGenerator
from gnomon.answering.plan import DataWorkflowPlan, PartResult
from gnomon.core import algebra as al
from gnomon.core.errors import GnomonError
from gnomon.core.parts import Filter, FilterOperator
from gnomon.semantic import RetrievalQuery, Retriever
from gnomon.semantic.asks import Asks
from gnomon.semantic.backends import DuckDBBackend
from gnomon.semantic.group_figures import GroupFigures
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.relations import Tables
from gnomon.tools.frames import Frame

Rows = list[tuple[Any, ...]]
SETS = ("demo", "worlds", "exam", "public")
NAMED: dict[str, Callable[[int], str]] = {
    "@weekday": lambda n: calendar.day_name[n],
    "@month": lambda n: calendar.month_name[n],
    "@quarter": lambda n: f"Q{n}",
}


class Trees:
    """Asks queries as trees over the tables of an analyst."""

    def __init__(self, analyst: Analyst) -> None:
        self.model = analyst.model
        backend = DuckDBBackend(analyst.dataset)
        self._tables = Tables(backend.table, lambda e: backend.run(backend.compile(e), None, None)[0])
        self._retriever = Retriever(self.model, backend)

    def query(self, query: RetrievalQuery) -> al.Query:
        """A retrieval as a tree that went to JSON and back."""
        tree = Asks(GroupFigures(Meanings(self.model, self._tables))).asked(query).query
        return al.Query.model_validate_json(tree.model_dump_json())

    def rows(self, ask: al.Query | al.Along | al.Against, keys: list[str]) -> Rows:
        """The result of a tree; parts of time by their names."""
        _, rows, _ = self._retriever.ask(ask)
        told = [NAMED.get(k, lambda v: v) for k in keys]
        return [
            (*(f(v) if v is not None else v for f, v in zip(told, r, strict=False)), *r[len(keys) :])
            for r in rows
        ]


def close(one: Any, other: Any) -> bool:
    """The same value."""
    if isinstance(one, int | float) and isinstance(other, int | float) and not isinstance(one, bool):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return one == other


def alike(one: Rows, other: Rows, *, ordered: bool) -> bool:
    """The same rows."""
    if not ordered:
        one, other = (sorted(rows, key=lambda r: tuple(map(str, r[:-1]))) for rows in (one, other))
    return len(one) == len(other) and all(
        len(a) == len(b) and all(map(close, a, b)) for a, b in zip(one, other, strict=True)
    )


def taken(frame: Any, columns: list[str]) -> Rows:
    """Columns of what a calculation gave."""
    assert isinstance(frame, Frame)
    return list(zip(*(frame.values(c) for c in columns), strict=True))


def percent(value: float | None) -> float | None:
    """A fraction in percent."""
    return None if value is None else 100 * value


class Gate:
    """Compares what parts of answers rest on with what trees give, and counts."""

    def __init__(self, show: bool) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._show = show
        self._question = ""
        self._trees: Trees | None = None

    def ask(self, analyst: Analyst, question: str, trees: Trees) -> None:
        """Answer a question; whatever its answer rests on is compared."""
        self._question, self._trees = question, trees
        analyst.ask(question)

    def part(self, plan: DataWorkflowPlan, part: PartResult) -> None:
        """One part of an answer."""
        trees, kind = self._trees, part.plan.request.kind.value
        if trees is None or part.plan.reason is not None:
            return
        calls = {c.step: RetrievalQuery.model_validate(c.payload) for c in plan.api_calls}
        queries = {role: calls[step] for role, step in part.plan.retrievals.items() if role in part.retrieved}
        if not queries:
            self.counts[kind, "not yet said"] += 1
        for role, query in queries.items():
            found = list(part.retrieved[role].rows)
            self._hold(f"{kind}", query, trees, lambda q=query: trees.query(q), found, ordered=True)
        for role, ask, keys, wanted, read in self._computed(part, queries, trees):
            self._hold(f"{kind}, {role}", keys, trees, ask, wanted, read=read)

    def _hold(
        self, kind: str, query: RetrievalQuery | list[str], trees: Trees, ask: Callable[[], Any], wanted: Rows, *,
        ordered: bool = False, read: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None,
    ) -> None:  # fmt: skip
        keys = query if isinstance(query, list) else _keys(query)
        try:
            given = trees.rows(ask(), keys)
        except GnomonError as e:
            self.counts[kind, "not yet said"] += 1
            print(f"{kind} not said: {self._question}\n  {e}") if self._show else None
            return
        given = [read(r) for r in given] if read is not None else given
        same = alike(given, wanted, ordered=ordered)
        self.counts[kind, "equal" if same else "different"] += 1
        if not same and self._show:
            print(f"{kind} differs: {self._question}\n  steps {wanted[:4]}\n  tree  {given[:4]}")

    def _computed(
        self, part: PartResult, queries: dict[str, RetrievalQuery], trees: Trees
    ) -> Iterator[
        tuple[str, Callable[[], Any], list[str], Rows, Callable[[tuple[Any, ...]], tuple[Any, ...]]]
    ]:
        """What tools computed of retrievals: its name, the same as a tree, the keys, its rows, how to read the tree's."""
        main = queries.get("main")
        if main is None or not main.metrics:
            return
        done, keys, n = part.calculated, _keys(main), len(_keys(main))
        width = len(main.metrics)
        if "change" in done and "previous" in queries:
            columns = [*keys, "current", "previous", "change"]
            pair = lambda: al.Against(left=trees.query(main), right=trees.query(queries["previous"]))  # noqa: E731
            wanted = taken(done["change"]["rows"], columns)
            yield "change", pair, keys, wanted, lambda r: r[: n + 3]
        if "shares" in done and "whole" not in queries:
            share = lambda: al.Along(query=_uncut(trees.query(main)), step=al.Walk.SHARE)  # noqa: E731
            wanted = taken(done["shares"]["rows"], [*keys, "share"])
            yield "shares", share, keys, wanted, lambda r: (*r[:n], percent(r[-1]))
        if "shares" in done and "whole" in queries and _keys(queries["whole"]) == keys:
            pair = lambda: al.Against(left=trees.query(main), right=trees.query(queries["whole"]))  # noqa: E731
            wanted = taken(done["shares"]["rows"], [*keys, "share"])
            yield "shares", pair, keys, wanted, lambda r: (*r[:n], _ratio(r[n], r[n + 1]))
        if "growth" in done and (series := queries.get("series", main)).grain is not None:
            within = tuple(k for k in trees.query(series).keys if k.name != "k_period")
            grown = lambda: al.Along(query=_uncut(trees.query(series)), step=al.Walk.GROWTH, within=within)  # noqa: E731
            wanted = taken(done["growth"]["rows"], [*keys, "change_pct"])
            yield "growth", grown, keys, wanted, lambda r: (*r[:n], percent(r[n + width]))
        if "running" in done and "cumulative" in done["running"]["rows"].columns:
            series = queries.get("series", main)
            within = tuple(k for k in trees.query(series).keys if k.name != "k_period")
            total = lambda: al.Along(query=_uncut(trees.query(series)), step=al.Walk.RUNNING, within=within)  # noqa: E731
            wanted = taken(done["running"]["rows"], [*keys, "cumulative"])
            yield "running", total, keys, wanted, lambda r: (*r[:n], r[n + width])
        comparison = part.plan.request.comparison
        if "difference" in done and comparison is not None and len(main.dimensions) == 1:
            sides = [_narrowed(main, group) for group in comparison.groups[:2]]
            pair = lambda: al.Against(left=trees.query(sides[0]), right=trees.query(sides[1]))  # noqa: E731
            wanted = [tuple(done["difference"][k] for k in ("first", "second", "difference"))]
            yield "difference", pair, [], wanted, lambda r: r[:3]


def _keys(query: RetrievalQuery) -> list[str]:
    return [*(["period"] if query.grain else []), *query.dimensions]


def _uncut(query: al.Query) -> al.Query:
    return query.model_copy(update={"order": ()})


def _ratio(part: float | None, whole: float | None) -> float | None:
    return 100 * (part or 0) / whole if whole else None


def _narrowed(query: RetrievalQuery, group: str) -> RetrievalQuery:
    """The rows of one group, as a condition."""
    (field,) = query.dimensions
    others = tuple(f for f in query.filters if f.field != field)
    one = Filter(field=field, operator=FilterOperator.EQUALS, values=(group,))
    return query.model_copy(update={"dimensions": (), "filters": (*others, one), "order_by": None})


def asked(name: str, data: Path, public: Path, folder: Path) -> Iterator[tuple[list[Path], list[str]]]:
    """The opened questions of a set, by the files that they are about."""
    if name == "demo":
        yield [demo_folder()], [c.question for c in load_cases(None, "dev")]
    elif name == "worlds":
        for world in ask_worlds.WORLDS:
            cases = load_cases(ask_worlds.QUESTIONS / f"{world}.jsonl", "dev")
            yield [ask_worlds.write_world(world, folder)], [c.question for c in cases]
    elif name == "public":
        cases = [json.loads(line) for line in ask_public.QUESTIONS.read_text().splitlines()]
        for held, group in groupby(cases, key=lambda c: c["set"]):
            group = list(group)
            yield [public / held / f for f in group[0]["files"]], [c["question"] for c in group]
    else:
        for part in ask_exam.PARTS:
            root = data if part == "foreign" else folder / part
            if (made := ask_exam.MAKERS.get(part)) is not None:
                made(root)
            cases = [json.loads(line) for line in (ask_exam.EXAM / f"{part}.jsonl").read_text().splitlines()]
            for source, group in groupby(
                (c for c in cases if c.get("open")), key=lambda c: c.get("file") or c["world"]
            ):
                paths = [root / n for n in ([source] if isinstance(source, str) else source)]
                yield paths, [c["question"] for c in group]


def main() -> int:
    """Ask, compare and print; fails where something differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", choices=SETS, action="append", help="only these; all by default")
    parser.add_argument("--every", type=int, default=1, help="every n-th question only")
    parser.add_argument("--data", type=Path, default=Path(), help="folder with dabench and insightbench")
    parser.add_argument("--public", type=Path, default=Path(), help="folder of the tables of ask_public.py")
    parser.add_argument("--show", action="store_true", help="show what differs")
    given = parser.parse_args()
    gate = Gate(given.show)
    generate = DataPresenterGenerator.generate

    def watched(self: DataPresenterGenerator, reading: Any, plan: Any, result: Any, today: Any) -> Any:
        for part in result.data:
            gate.part(plan, part)
        return generate(self, reading, plan, result, today)

    DataPresenterGenerator.generate = watched
    with tempfile.TemporaryDirectory() as folder:
        for name in given.set or SETS:
            for paths, questions in asked(name, given.data, given.public, Path(folder)):
                if missing := [p for p in paths if not p.exists()]:
                    print(f"{missing[0]} is missing", file=sys.stderr)
                    continue
                with gnomon.open(*paths) as analyst:
                    trees = Trees(analyst)
                    for question in questions[:: given.every]:
                        gate.ask(analyst, question, trees)
    kinds = sorted({k for k, _ in gate.counts})
    print(f"{'kind':<28}{'equal':>8}{'different':>11}{'not yet said':>14}")
    for kind in [*kinds]:
        numbers = [gate.counts[kind, e] for e in ("equal", "different", "not yet said")]
        print(f"{kind:<28}{numbers[0]:>8}{numbers[1]:>11}{numbers[2]:>14}")
    return int(any(e == "different" for _, e in gate.counts))


if __name__ == "__main__":
    sys.exit(main())
