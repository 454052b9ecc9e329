"""The inquiry: for each part of an explanation, every candidate is judged and the best are told first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from gnomon.analytics.casefile import Candidates, CaseFile
from gnomon.analytics.cause_evidence import Candidate, Effect, Onset, departures, onset
from gnomon.analytics.causes import Cause, CauseKind, Evidence, Timing, Verdict, judge, ranked
from gnomon.analytics.composition import sum_parts
from gnomon.analytics.drivers import Segment, decompose_tree
from gnomon.analytics.inputs import Bools, Floats, Ints, added_up
from gnomon.analytics.metric_trees import factors
from gnomon.analytics.parts import Part
from gnomon.analytics.segment_field import Field
from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.query import TimeRange
from gnomon.semantic.model import Aggregation, Direction, Metric
from gnomon.semantic.panel import Panel, PanelQuery, SumForm, Terms

_MOST_PARTS = 4
_LEAD_IN = 28
_SUSPECT, _MOST_SUSPECTS = 6.0, 24
_SAME, _QUIET_DAYS = 0.8, 20  # how closely, over how many days, one thing under two names goes together


@dataclass(frozen=True, slots=True)
class _Units:
    """The units that the metric and another table share."""

    of_leaf: Ints
    of_cell: Ints
    count: int


class Inquiry:
    """Judges every candidate for every part.

    Args:
        case: What was read.
        field: The metric by period and leaf.
        change: The whole change of the metric.
        chain: The measures that make up the metric, the volume first.
        pulls: For other metrics, +1 where more of them is known to raise this one, -1 where it lowers it.
    """

    def __init__(
        self,
        case: CaseFile,
        field: Field,
        change: float,
        chain: tuple[str, ...],
        pulls: Mapping[str, int] | None = None,
    ) -> None:
        self._pulls = pulls or {}
        self._case, self._field, self._change, self._chain = case, field, change, chain
        self._days = np.array([w.days for w in case.windows], dtype=np.float64)
        self._variance = field.leaf_variance()
        self._in_focus = {f.field for f in case.focus}
        own = {c.metric for c in case.form.components}
        mean_of_own = {m.name for m in case.model.metrics if m.expression and m.table in case.tables
                       and m.expression in {case.model.metric(n).expression for n in own}}  # fmt: skip
        self._tables, self._factors = case.candidates(
            own | mean_of_own | set(chain), [n for n in chain if n not in own]
        )

    @property
    def looked_at(self) -> int:
        """How many series were looked at."""
        return sum(len(t.metrics) for t in self._tables)

    def causes(self, parts: Sequence[Part]) -> tuple[tuple[Cause, ...], tuple[Cause, ...]]:
        """Causes, the best of each part first, and what was ruled out."""
        first: list[Cause] = []
        more: list[Cause] = []
        out: list[Cause] = []
        others = [p.leaves for p in parts]
        for i, part in enumerate(parts[:_MOST_PARTS]):
            apart = np.zeros_like(part.leaves)
            for j, leaves in enumerate(others):
                apart |= leaves if j != i else False
            found = ranked(self._judged(part, apart & ~part.leaves))
            good = [c for c in found if c.verdict in (Verdict.LIKELY, Verdict.CONTRIBUTING)]
            weak = [c for c in found if c.verdict is Verdict.COINCIDENT]
            out += [c for c in found if c.verdict is Verdict.RULED_OUT]
            if not good and (own := self._own(part, bool(weak))) is not None:
                good = [own]
            best = good or weak
            first += best[:1]
            more += [*best[1:], *(weak if good else [])]
        told = {(c.kind, c.measure, c.segment): c for c in reversed((*first, *ranked(more)))}
        seen = {(measure, segment) for _, measure, segment in told}
        kept_out = {(c.measure, c.segment): c for c in reversed(out) if (c.measure, c.segment) not in seen}
        return tuple(reversed(told.values())), tuple(reversed(kept_out.values()))

    def suspects(self) -> tuple[Segment, ...]:
        """Segments in which some other series left its usual course by far, the farthest first."""
        far: dict[Segment, float] = {}
        for table in self._tables:
            for name in table.shared:
                held = table.panel.dimensions[name]
                units = _Units(np.zeros(0, dtype=np.int64), held.codes, max(1, len(held.values)))
                for metric, form in table.metrics:
                    candidate = self._candidate(metric, form, table.panel, units)
                    if table.table in self._case.tables or _is_roll(candidate):
                        continue
                    for unit, score in departures(candidate, _SUSPECT).items():
                        segment: Segment = ((name, held.values[unit]),)
                        far[segment] = max(score, far.get(segment, 0.0))
        return tuple(sorted(far, key=lambda s: -far[s])[:_MOST_SUSPECTS])

    # One part

    def _judged(self, part: Part, apart: Bools) -> list[Cause]:
        began = self._began(part)
        found: list[Cause] = []
        for table in self._tables:
            units = self._units(table)
            effect = self._effect(part, table, units, apart)
            daily = self._daily(table, part.segment)
            own = self._own_days(part) if table.table in self._case.tables else None
            echoes = self._echoes(part, table, units, effect)
            for metric, form in table.metrics:
                candidate = self._candidate(metric, form, table.panel, units)
                if metric.aggregation is Aggregation.COUNT and _is_roll(candidate):
                    continue
                moved = self._moved(daily, form)
                same = self._is_same(table, daily, form, own, began)
                where = part.segment if effect.inside is not None else _told(part.segment, table)
                found.append(
                    judge(
                        candidate,
                        effect,
                        segment=where,
                        began=began,
                        moved=moved,
                        echoes=echoes,
                        same=same,
                        tests=self.looked_at,
                    )
                )
        return found

    def _units(self, table: Candidates) -> _Units:
        """The combinations of shared dimensions that the metric or the table has."""
        leaf = np.zeros(self._field.values.shape[1], dtype=np.int64)
        cell = np.zeros(len(table.panel), dtype=np.int64)
        for name in table.shared:
            known = {v: i for i, v in enumerate(self._field.labels[name])}
            held = table.panel.dimensions[name]
            place = np.array([known.setdefault(v, len(known)) for v in held.values], dtype=np.int64)
            both = np.concatenate([leaf, cell]) * max(1, len(known))
            both += np.concatenate([self._field.codes[name], place[held.codes] if len(place) else held.codes])
            _, both = np.unique(both, return_inverse=True)
            leaf, cell = both[: len(leaf)].astype(np.int64), both[len(leaf) :].astype(np.int64)
        count = int(max(leaf.max(initial=-1), cell.max(initial=-1))) + 1
        return _Units(leaf, cell, max(1, count))

    def _effect(self, part: Part, table: Candidates, units: _Units, apart: Bools) -> Effect:
        def by_unit(column: Floats) -> Floats:
            return added_up(units.of_leaf, column, units.count)

        shareable = [d for d, _ in part.segment if d in table.shared]
        located = len(shareable) == len(part.segment)
        chosen = np.ones(units.count, dtype=np.bool_)
        wanted = dict(part.segment)
        for d in shareable:
            leaf_hit = np.array([v == wanted[d] for v in self._field.labels[d]], dtype=np.bool_)
            held = table.panel.dimensions[d]
            cell_hit = np.array([v == wanted[d] for v in held.values], dtype=np.bool_)
            hit = np.zeros(units.count, dtype=np.bool_)
            hit[units.of_leaf[leaf_hit[self._field.codes[d]]]] = True
            if len(held.values):
                hit[units.of_cell[cell_hit[held.codes]]] = True
            chosen &= hit
        return Effect(
            actual=by_unit(self._field.values[0]),
            expected=by_unit(part.expected),
            variance=by_unit(self._variance),
            inside=chosen if located and (table.shared or part.everything) else None,
            wider=chosen,
            size=part.size,
            change=self._change,
            apart=by_unit(apart.astype(np.float64)) > 0,
            everything=part.everything,
            same_rows=table.table in self._case.tables,
        )

    def _candidate(self, metric: Metric, form: SumForm, panel: Panel, units: _Units) -> Candidate:
        return Candidate(
            metric.name, metric.label, self._spread(panel, form.above, units),
            self._spread(panel, form.below, units) if form.below else None, self._days, self._pulls.get(metric.name), self._good(metric),
            form.per_day,
        )  # fmt: skip

    def _spread(self, panel: Panel, terms: Terms, units: _Units) -> Floats:
        windows = len(self._case.windows)
        assert panel.window is not None, "candidates are read by period"
        flat = added_up(panel.window * units.count + units.of_cell, panel.total(terms), windows * units.count)
        return flat.astype(np.float64).reshape(windows, units.count)

    def _good(self, metric: Metric) -> int | None:
        """Whether the model calls more of it good where it calls more of the metric good."""
        good = {Direction.HIGHER_IS_BETTER: 1, Direction.LOWER_IS_BETTER: -1}
        mine, its = good.get(self._case.metric.direction), good.get(metric.direction)
        return None if mine is None or its is None else mine * its

    def _echoes(
        self, part: Part, table: Candidates, units: _Units, effect: Effect
    ) -> list[tuple[str, Floats]]:
        """The metric and its factors over the same units by day, which a candidate may merely follow."""
        leaves = effect.wider[units.of_leaf]
        above = self._field.values if self._field.weights is None else self._field.weights
        found = [("", above[:, leaves].sum(axis=1) / self._days)]
        for name, measure in self._factors.items():
            if set(measure.shared) >= {d for d, _ in part.segment if d in table.shared}:
                own = self._units(measure)
                inside = self._effect(part, measure, own, np.zeros_like(part.leaves)).wider
                held = self._spread(measure.panel, measure.metrics[0][1].above, own)
                found.append((name, held[:, inside].sum(axis=1) / self._days))
        return found

    # Time

    def _span(self) -> TimeRange:
        return TimeRange(
            start=self._case.previous.start - timedelta(days=_LEAD_IN), end=self._case.current.end
        )

    def _daily(self, table: Candidates, segment: Segment) -> Panel:
        """The candidates of a table by day, where the segment lets itself be told."""
        filters = tuple(_equals(d, v) for d, v in segment if d in table.shared)
        parts = tuple(table.panel.sums)
        return self._case.scan(PanelQuery(table.table, parts, (), (self._span(),), True, filters))

    def _moved(self, daily: Panel, form: SumForm) -> Onset | None:
        days, values = self._series(daily, form)
        return onset(days, values, usual=_LEAD_IN)

    def _series(self, daily: Panel, form: SumForm) -> tuple[list[date], Floats]:
        span = self._span()
        count = span.days
        assert daily.day is not None, "read by day"
        at = daily.day - span.start.toordinal()
        above = added_up(at, daily.total(form.above), count)[:count].astype(np.float64)
        days = [span.start + timedelta(days=i) for i in range(count)]
        if form.below is None:
            return days, above
        below = added_up(at, daily.total(form.below), count)[:count].astype(np.float64)
        return days, np.divide(above, below, out=np.full(count, np.nan), where=below > 0)

    def _is_same(
        self, table: Candidates, daily: Panel, form: SumForm, own: tuple[Floats, Floats] | None, began: Onset | None
    ) -> bool:  # fmt: skip
        """Whether an average over the metric's own rows is the metric under another name: tonnes beside pallets.

        It goes with the metric day by day even while nothing happens; a price does not.
        """
        if own is None or form.below is None:
            return False
        _, average = self._series(daily, form)
        quiet = self._case.current.start if began is None else min(began.earliest, self._case.current.start)
        before = max(0, (quiet - self._span().start).days)
        known = ~np.isnan(average[:before])
        x, y = average[:before][known], own[0][:before][known]
        if len(x) < _QUIET_DAYS or np.ptp(x) == 0 or np.ptp(y) == 0:
            return False
        return float(np.corrcoef(x, y)[0, 1]) > _SAME

    def _own_days(self, part: Part) -> tuple[Floats, Floats]:
        """The sums of the metric by day, above and below."""
        filters = tuple(_equals(d, v) for d, v in part.segment)
        if not part.segment:
            filters = self._case.focus
        held: dict[Any, Floats] = {}
        days: list[date] = []
        for table, components in self._case.tables.items():
            panel = self._case.scan(PanelQuery(table, components, (), (self._span(),), True, filters))
            for c in components:
                days, held[c] = self._series(panel, SumForm(((c, 1.0),)))
        above = sum((held[c] * f for c, f in self._case.form.above), np.zeros(len(days)))
        below = sum((held[c] * f for c, f in self._case.form.below or ()), np.zeros(len(days)))
        return above, below

    def _began(self, part: Part) -> Onset | None:
        """When the effect began."""
        above, below = self._own_days(part)
        days = [self._span().start + timedelta(days=i) for i in range(len(above))]
        if self._case.form.below is None:
            return onset(days, above, usual=_LEAD_IN)
        return onset(
            days, np.divide(above, below, out=np.full(len(days), np.nan), where=below > 0), usual=_LEAD_IN
        )

    # What the metric itself tells

    def _own(self, part: Part, weak: bool) -> Cause | None:
        """Where no other series accounts for it: the factor that carries it, or that nothing is recorded."""
        if part.everything and weak:
            return None
        driver = self._driver(part)
        confidence = 0.5 if driver else 0.4
        evidence = Evidence(
            "specificity", True, None, None, "departure of the segment from how the rest moved",
            "Only this part changed so; the rest kept its course." if not part.everything
            else "Everything changed alike.",
        )  # fmt: skip
        began = self._began(part)
        return Cause(
            kind=CauseKind.DRIVER if driver else CauseKind.UNRECORDED,
            measure=driver[0] if driver else None,
            label=driver[1] if driver else "",
            segment=part.segment,
            verdict=Verdict.CONTRIBUTING,
            correlated_only=False,
            before=driver[2] if driver else None,
            after=driver[3] if driver else None,
            effect=part.size,
            share=part.size / self._change if self._change else None,
            confidence=confidence,
            onset=began.day if began and driver else None,
            effect_onset=began.day if began else None,
            timing=Timing.SAME if driver else Timing.UNKNOWN,
            evidence=(evidence,),
        )

    def _driver(self, part: Part) -> tuple[str, str, float | None, float | None] | None:
        """The part of a sum, or the factor, that carries at least half of the part's change; a factor only of another table."""
        parts = sum_parts(
            self._case, tuple(_equals(d, v) for d, v in part.segment if d not in self._in_focus)
        )
        whole = math.fsum(p.contribution for p in parts)
        if parts and whole:
            top = max(parts, key=lambda p: p.contribution / whole)
            if top.contribution / whole >= 0.5:
                return top.metric, top.label, top.before, top.after
        totals = self.measures(part.segment)
        if totals is None or len(self._chain) < 2:
            return None
        tree = decompose_tree(totals[1], totals[0], factors(self._case.model, self._chain))
        best = max(range(len(tree.effects)), key=lambda i: abs(tree.effects[i].contribution))
        effect = tree.effects[best]
        if effect.share is None or effect.share < 0.5 or best > 0 or self._chain[0] not in self._factors:
            return None
        return self._chain[0], effect.name, effect.before, effect.after

    def measures(self, segment: Segment) -> tuple[dict[str, float], dict[str, float]] | None:
        """The measures of the tree in both periods within a segment; None where one cannot be told there."""
        own = {c.metric for c in self._case.form.components}
        wanted = dict(segment)
        held: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for name in self._chain:
            if name in own:
                chosen = np.ones(self._field.values.shape[1], dtype=np.bool_)
                for d, v in wanted.items():
                    hit = np.array([x == v for x in self._field.labels[d]], dtype=np.bool_)
                    chosen &= hit[self._field.codes[d]]
                for w in (0, 1):
                    held[w][name] = math.fsum(self._field.values[w][chosen])
                continue
            measure = self._factors[name]
            if not set(wanted) <= set(measure.shared):
                return None
            chosen = np.ones(len(measure.panel), dtype=np.bool_)
            for d, v in wanted.items():
                coded = measure.panel.dimensions[d]
                hit = np.array([x == v for x in coded.values], dtype=np.bool_)
                chosen &= hit[coded.codes]
            column = measure.panel.total(measure.metrics[0][1].above)
            for w in (0, 1):
                held[w][name] = math.fsum(column[chosen & (measure.panel.window == w)])
        return held


def _told(segment: Segment, table: Candidates) -> Segment:
    """What of a segment a table can tell."""
    return tuple((d, v) for d, v in segment if d in table.shared)


def _is_roll(candidate: Candidate) -> bool:
    """Whether rows are a roll kept once a day for each unit, whose number says nothing."""
    a_day = candidate.by_unit()
    seen = a_day[a_day > 0]
    return len(seen) > 0 and float(seen.max()) <= 1.0 and float(np.median(seen)) == 1.0


def _equals(dimension: str, value: Any) -> Filter:
    if value is None:
        return Filter(field=dimension, operator=FilterOperator.IS_NULL)
    return Filter(field=dimension, operator=FilterOperator.EQUALS, values=(value,))
