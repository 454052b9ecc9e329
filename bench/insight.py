"""Diagnoses judged against planted truth, and timed against the scans they need.

``python bench/insight.py [--set dev|held|fresh|demo] [--stores N] [--timing ROWS …]``. Questions name a metric, two periods
and perhaps a filter; the truth is what the generator planted (``insight_stores.py`` and the demo store's manifest).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gnomon.analytics.causes import Cause, CauseKind
from gnomon.analytics.diagnosis import Diagnosis, DiagnosisStatus, diagnose
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeRange
from gnomon.data import open_sources, profile_dataset
from gnomon.semantic import Retriever, SemanticModel, infer_model
from insight_fresh import FRESH, FreshWorld
from insight_stores import FIRST, KNOWN, UNKNOWN, Planted, Store, make_store

QUIET_A_STORE = 3


@dataclass(frozen=True)
class Question:
    """What is asked, and what the truth is (none: nothing happened)."""

    metric: str
    current: TimeRange
    previous: TimeRange
    filters: tuple[Filter, ...]
    truth: tuple[Planted, ...]


@dataclass(frozen=True)
class Marked:
    """A question with its marks."""

    question: Question
    first: bool
    second: bool
    wrong_numbers: int
    seconds: float
    told: str


def main() -> None:
    """Run what is asked for and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=["dev", "held", "fresh", "demo"], nargs="*", default=[])
    parser.add_argument("--stores", type=int, default=0, help="only so many stores of each set")
    parser.add_argument(
        "--timing", type=int, nargs="*", default=[], help="order rows, such as 100000 2000000"
    )
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    sets = given.set or ([] if given.timing else ["dev", "held", "demo"])
    for name in sets:
        marked = demo_marks() if name == "demo" else store_marks(name, given.stores, given.verbose)
        report(name, marked, given.verbose)
    if given.timing:
        timings(given.timing)


# Stores


def stores_of(name: str) -> list[tuple[int, tuple[str, ...], dict[str, Any]]]:
    """The stores of a set: seed, mechanisms, and how noisy."""
    if name == "dev":
        kinds = [KNOWN[i:] + KNOWN[:i] for i in range(len(KNOWN))]
        return [(s, kinds[s % len(kinds)][:3] if s % 4 else (), {"decoys": s % 3 == 0}) for s in range(1, 13)]
    if name == "fresh":
        return [
            (900 + i, () if i % 5 == 4 else tuple(FRESH[(i + k) % len(FRESH)] for k in range(3)),
             {"heavy": i % 3 == 2, "decoys": i % 2 == 1, "made_by": FreshWorld})
            for i in range(15)
        ]  # fmt: skip
    made: list[tuple[int, tuple[str, ...], dict[str, Any]]] = []
    every = UNKNOWN + KNOWN
    for i in range(18):
        rng = np.random.default_rng([i, 31])
        kinds = tuple(str(k) for k in rng.permutation(every)[:3])
        kinds = tuple(sorted(kinds, key=lambda k: k == "rating_drift"))  # what lasts to the end comes last
        options: dict[str, Any] = {"heavy": i % 3 == 1, "decoys": i % 2 == 0}
        if i % 6 == 5:
            kinds = ()
        elif i % 6 == 4:
            local = [
                k for k in every if k not in ("season", "rating_drift", "returns", "ad_fraud", "slow_price")
            ]
            kinds, options["together"] = tuple(str(k) for k in rng.permutation(local)[:2]), True
        made.append((500 + i, kinds, options))
    return made


def store_marks(name: str, most: int, verbose: bool) -> list[Marked]:
    """Every question of a set of stores, marked."""
    marked: list[Marked] = []
    model: SemanticModel | None = None
    for seed, kinds, options in stores_of(name)[: most or None]:
        store = make_store(seed, kinds, **options)
        with open_sources(store.tables) as dataset:
            # All stores have the same tables over the same days, so that one inference serves them.
            model = model or infer_model(profile_dataset(dataset), dataset)
            retriever = Retriever.over(dataset, model)
            for question in questions(store, bool(options.get("together"))):
                marked.append(mark(retriever, question, store))
                if verbose:
                    print(seed, marked[-1].told, flush=True)
    return marked


def questions(store: Store, together: bool) -> list[Question]:
    """One question for each planted thing (one for all that happened together), and some of quiet weeks."""
    asked: list[Question] = []
    groups = [tuple(store.planted)] if together and store.planted else [(p,) for p in store.planted]
    for i, group in enumerate(groups):
        main = group[0]
        length = 14 if min(p.days for p in group) >= 14 else 7
        start = main.start + (7 if main.kind == "slow_price" else 0)
        before = main.start
        metric = {"amount": "revenue", "came_back": "came_back_rate", "conversion": "sales_count / visits"}[
            main.metric
        ]
        if metric == "revenue" and i == 1:
            metric = "sales_count"
        filters: tuple[Filter, ...] = ()
        current, previous = _range(start, length), _range(before - length, length)
        alone = len(group) == 1 and main.metric == "amount" and bool(main.scope)
        if alone and not visible(store, main, current, previous):
            field, value = next(iter(main.scope.items()))
            filters = (Filter(field=field, operator=FilterOperator.EQUALS, values=(value,)),)
        asked.append(Question(metric, current, previous, filters, group))
    first = min((p.start for p in store.planted if p.kind != "season"), default=store.days)
    rng = np.random.default_rng([store.seed, 5])
    season = next((p.start for p in store.planted if p.kind == "season"), None)
    for k in range(QUIET_A_STORE):
        at = int(rng.integers(150, min(first, store.days - 7) - 7))
        if season is not None and any(abs(at - s) < 35 for s in (season, season - 364)):
            continue
        metric = ("revenue", "sales_count", "came_back_rate")[k % 3]
        asked.append(Question(metric, _range(at, 7), _range(at - 7, 7), (), ()))
    return asked


def visible(store: Store, planted: Planted, current: TimeRange, previous: TimeRange) -> bool:
    """Whether what happened moved the whole by a twentieth: else people ask about whom it happened to."""
    own = [figure(store.tables, "revenue", p, planted.scope) or 0.0 for p in (previous, current)]
    whole = figure(store.tables, "revenue", previous, {}) or 1.0
    return abs(own[1] - own[0]) >= 0.05 * whole


def _range(start: int, length: int) -> TimeRange:
    first = FIRST + timedelta(days=start)
    return TimeRange(start=first, end=first + timedelta(days=length - 1))


def mark(retriever: Retriever, question: Question, store: Store) -> Marked:
    """Ask one question and judge the answer."""
    started = time.perf_counter()
    found = diagnose(retriever, question.metric, question.current, question.previous, question.filters)
    seconds = time.perf_counter() - started
    wrong = wrong_numbers(found, question, store.tables, retriever.model)
    first, second = judged(found, question, retriever.model)
    what = ", ".join(p.kind for p in question.truth) or "nothing"
    said = (
        "; ".join(f"{c.kind.value}:{c.measure}@{dict(c.segment)}" for c in found.causes[:3])
        or found.status.value
    )
    told = f"{'ok ' if first else 'NO '} {what} {[p.scope for p in question.truth]} {question.current.start} {question.metric}: {found.status.value} | {said} | wrong {wrong}"
    return Marked(question, first, second, wrong, seconds, told)


def judged(found: Diagnosis, question: Question, model: SemanticModel) -> tuple[bool, bool]:
    """Whether the planted cause is named first, and whether within the first two."""
    if not question.truth:
        right = found.status is DiagnosisStatus.NORMAL
        return right, right
    if question.truth[0].kind == "season":
        right = found.status is DiagnosisStatus.SEASONAL and found.causes[0].kind is CauseKind.SEASON
        return right, right
    ended = question.truth[0].kind == "ended" and found.earlier is not None
    causes = found.earlier.causes if ended and found.earlier is not None else found.causes
    hits = [any(names(c, p, model) for p in question.truth) for c in causes[:2]]
    return bool(hits) and hits[0], any(hits)


def names(cause: Cause, planted: Planted, model: SemanticModel) -> bool:
    """Whether a cause is the planted one: the right series, in the right place."""
    where = {d: str(v) for d, v in cause.segment}
    placed = all(where.get(k) == v for k, v in planted.scope.items())
    if cause.measure is None:
        return (
            cause.kind is CauseKind.UNRECORDED
            and placed
            and (not planted.recorded or planted.kind == "site_outage")
        )
    metric = model.metric(cause.measure)
    column = (metric.expression or "").strip("`")
    recorded = (str(metric.table), column) in planted.recorded
    wider = not where and planted.kind in ("suspension", "site_outage", "rating_drift")
    return recorded and (placed or wider)


def wrong_numbers(
    found: Diagnosis, question: Question, tables: dict[str, pd.DataFrame], model: SemanticModel
) -> int:
    """How many stated numbers differ from what pandas computes."""
    wrong = 0
    focus = {f.field: f.values[0] for f in question.filters}
    for period, stated in ((question.previous, found.change.before), (question.current, found.change.after)):
        wrong += not _same(figure(tables, question.metric, period, focus), stated)
    for part in found.explanation.parts:
        where = {**focus, **dict(part.segment)}
        wrong += not _same(figure(tables, question.metric, question.previous, where), part.before)
        wrong += not _same(figure(tables, question.metric, question.current, where), part.after)
    for cause in found.causes[:3]:
        if cause.kind is CauseKind.SERIES:
            for period, stated in ((question.previous, cause.before), (question.current, cause.after)):
                wrong += not _same(
                    series_figure(tables, model, str(cause.measure), period, dict(cause.segment)), stated
                )
    if found.tree is not None:
        total = sum(e.contribution for e in found.tree.effects) + found.tree.residual
        wrong += not _same(found.change.change, total)
    for cut in found.cuts:
        wrong += not _same(found.change.change, sum(e.contribution for e in cut.effects))
    return wrong


def _same(expected: float | None, stated: float | None) -> bool:
    if expected is None or stated is None:
        return expected is None and stated is None
    return bool(np.isclose(expected, stated, rtol=1e-6, atol=1e-6))


def _rows(
    tables: dict[str, pd.DataFrame], table: str, period: TimeRange, where: dict[str, Any]
) -> pd.DataFrame:
    rows = tables[table]
    time_column = next(c for c in ("sold_on", "day", "written_on") if c in rows)
    rows = rows[
        (rows[time_column] >= pd.Timestamp(period.start)) & (rows[time_column] <= pd.Timestamp(period.end))
    ]
    if any(k not in rows for k in where):
        rows = rows.merge(tables["articles"], on="article")
    for k, v in where.items():
        rows = rows[rows[k] == v]
    return rows


def figure(
    tables: dict[str, pd.DataFrame], metric: str, period: TimeRange, where: dict[str, Any]
) -> float | None:
    """The metric by pandas."""
    sales = _rows(tables, "sales", period, where)
    if metric == "revenue":
        return float((sales["pieces"] * sales["price"]).sum())
    if metric == "sales_count":
        return float(len(sales))
    if metric == "came_back_rate":
        return float(sales["came_back"].mean()) if len(sales) else None
    visits = _rows(tables, "visits", period, where)["visits"].sum()
    return len(sales) / visits if visits else None


def series_figure(
    tables: dict[str, pd.DataFrame],
    model: SemanticModel,
    measure: str,
    period: TimeRange,
    where: dict[str, Any],
) -> float | None:
    """A candidate by pandas."""
    metric = model.metric(measure)
    rows = _rows(tables, str(metric.table), period, where)
    if metric.expression is None:
        return float(len(rows))
    column = rows[metric.expression.strip("`")]
    if metric.aggregation == "sum":
        per = period.days if metric.additivity == "semi_additive" else 1
        return float(column.sum()) / per
    return float(column.mean()) if len(column) else None


# The demo store


def demo_marks() -> list[Marked]:
    """The events of the demo store's manifest, asked for the whole store or for whom they concern."""
    from gnomon.data.demo_store import DemoStore, write_demo_store

    folder = Path(tempfile.gettempdir()) / "gnomon-bench-insight-demo"
    store = DemoStore.find(folder) or write_demo_store(folder)
    events = json.loads(store.manifest_path.read_text(encoding="utf-8"))["events"]
    recorded = {
        "stockout": {"stockout_hours", "on_hand", "inbound"}, "competitor_price_cut": {"average_competitor_price", "average_buy_box_share"},
        "ad_pause": {"ad_spend"}, "review_wave": {"reviews", "average_review_rating"},
        "listing_suspension": {"sessions", "page_views", "policy_warnings"}, "regional_outage": {None, "average_late_shipment_rate"},
        "returns_spike": {None, "average_defect_rate"},
    }  # fmt: skip
    marked: list[Marked] = []
    with open_sources(folder) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        retriever = Retriever.over(dataset, model)
        for event in events:
            start, end = date.fromisoformat(event["start"]), date.fromisoformat(event["end"])
            length = min(14, (end - start).days + 1)
            metric = "return_rate" if event["kind"] == "returns_spike" else "orders"
            if event["kind"] == "returns_spike":
                length = 21
            focus = event["scope"] if "product_id" in event["scope"] else {}
            filters = tuple(
                Filter(field=k, operator=FilterOperator.EQUALS, values=(v,)) for k, v in focus.items()
            )
            current = TimeRange(start=start, end=start + timedelta(days=length - 1))
            previous = TimeRange(start=start - timedelta(days=length), end=start - timedelta(days=1))
            if event["event_id"] == "august-2024":
                continue  # the first August of the data: nobody can know yet that it comes back
            begun = time.perf_counter()
            found = diagnose(retriever, metric, current, previous, filters)
            seconds = time.perf_counter() - begun
            if event["kind"] == "seasonal_dip":
                hits = [found.status is DiagnosisStatus.SEASONAL]
            else:
                wanted = recorded[event["kind"]]
                scope = event["scope"].items()
                hits = [
                    c.measure in wanted
                    and (not c.segment or all(dict(c.segment).get(k) == v for k, v in scope))
                    for c in found.causes[:2]
                ]
            question = Question(
                metric, current, previous, filters, (Planted(event["kind"], 0, length, event["scope"], ()),)
            )
            said = "; ".join(f"{c.measure}@{dict(c.segment)}" for c in found.causes[:3]) or found.status.value
            told = (
                f"{'ok ' if hits[:1] == [True] else 'NO '} {event['event_id']}: {found.status.value} | {said}"
            )
            marked.append(Marked(question, hits[:1] == [True], any(hits), 0, seconds, told))
    return marked


def report(name: str, marked: list[Marked], verbose: bool) -> None:
    """One table."""
    asked = [m for m in marked if m.question.truth]
    quiet = [m for m in marked if not m.question.truth]
    print(f"\n### {name}: {len(asked)} planted, {len(quiet)} quiet\n")
    print("| mechanism | questions | named first | within two |\n|---|---:|---:|---:|")
    kinds = dict.fromkeys(" + ".join(sorted(p.kind for p in m.question.truth)) for m in asked)
    for kind in sorted(kinds):
        own = [m for m in asked if " + ".join(sorted(p.kind for p in m.question.truth)) == kind]
        print(f"| {kind} | {len(own)} | {sum(m.first for m in own)} | {sum(m.second for m in own)} |")
    if asked:
        first, second = (sum(getattr(m, a) for m in asked) / len(asked) for a in ("first", "second"))
        print(f"| **all** | {len(asked)} | {first:.1%} | {second:.1%} |")
    if quiet:
        print(
            f"\nNothing beyond normal variation, where nothing happened: {sum(m.first for m in quiet)} of {len(quiet)}."
        )
    print(f"Questions with a wrong number: {sum(m.wrong_numbers > 0 for m in marked)} of {len(marked)}.")
    print(f"Seconds for a diagnosis: median {np.median([m.seconds for m in marked]):.2f}.")
    if verbose:
        print("\n".join(m.told for m in marked if not m.first or m.wrong_numbers))


# Timing


def timings(sizes: list[int]) -> None:
    """A full diagnosis of the demo store's last week at several sizes, beside the raw scans that it needs."""
    from gnomon.data.demo_store import write_demo_store

    print(
        "\n| order rows | all rows | diagnosis s | raw scans s | ratio | queries |\n|---:|---:|---:|---:|---:|---:|"
    )
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            store = write_demo_store(folder, scale=rows / 213_000)
            with open_sources(folder) as dataset:
                model = infer_model(profile_dataset(dataset), dataset)
                retriever = Retriever.over(dataset, model)
                current = TimeRange(start=date(2025, 10, 27), end=date(2025, 11, 2))
                previous = TimeRange(start=date(2025, 10, 20), end=date(2025, 10, 26))
                diagnose(retriever, "revenue", current, previous)  # the tables are in memory after this
                started = time.perf_counter()
                found = diagnose(retriever, "revenue", current, previous)
                seconds = time.perf_counter() - started
                cursor = dataset.cursor()
                started = time.perf_counter()
                for query in found.queries:
                    cursor.execute(query).to_arrow_table()
                raw = time.perf_counter() - started
                print(
                    f"| {store.rows['orders']:,} | {sum(store.rows.values()):,} | {seconds:.2f} | {raw:.2f} |"
                    f" {seconds / raw:.1f} | {len(found.queries)} |", flush=True,
                )  # fmt: skip


if __name__ == "__main__":
    main()
