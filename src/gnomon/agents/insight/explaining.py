"""A diagnosis in words: what happened, why, what was ruled out, and how sure that is; each number with its fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gnomon.agents.figures import (
    PERCENT,
    POINTS,
    POINTS_IN,
    fact_figure,
    group_name,
    labelled,
    listed,
    moment,
)
from gnomon.agents.insight.findings import (
    RULED_OUT,
    SURE,
    SURER,
    WHAT,
    WHY,
    Finding,
    Ledger,
    Statement,
    moved,
    named,
    size,
)  # fmt: skip
from gnomon.agents.insight.paths import AnalyticalMethod
from gnomon.agents.telling_periods import in_range, range_name
from gnomon.agents.telling_words import cased, conditions, was
from gnomon.analytics.causes import Cause, CauseKind, Verdict
from gnomon.analytics.diagnosis import Diagnosis, DiagnosisStatus
from gnomon.analytics.drivers import Segment
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.query import TimeRange
from gnomon.core.request import Filter
from gnomon.guardrails.directions import find_directions
from gnomon.guardrails.numerals import find_numerals
from gnomon.reporting.insight_charts import compared_periods_chart
from gnomon.semantic.model import Aggregation, Direction, Metric, SemanticModel
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import waterfall_chart

CAUSES_TOLD = 3
MOST_ROWS = 8
PARTS_TOLD = 3
RULED_OUT_TOLD = 5
_VERDICTS = {Verdict.LIKELY: "likely", Verdict.CONTRIBUTING: "contributing", Verdict.COINCIDENT: "coincident"}


@dataclass
class Explained:
    """A diagnosis, told."""

    statements: list[Statement] = field(default_factory=list[Statement])
    findings: list[Finding] = field(default_factory=list[Finding])
    tables: list[ResultTable] = field(default_factory=list[ResultTable])
    charts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def is_worse(change: float | None, direction: Direction) -> bool | None:
    """Whether a change is bad news; None where nothing says which way is good."""
    if not change or direction is Direction.NEUTRAL:
        return None
    return (change > 0) is (direction is Direction.LOWER_IS_BETTER)


def place_name(segment: Segment, model: SemanticModel) -> str:
    """A segment in words: north (region); north and web."""
    said: list[str] = []
    for dimension, value in segment:
        label = model.dimension(dimension).label
        spoken = labelled(value, label)
        said.append(f"{spoken} ({label})" if spoken == group_name(value) else spoken)
    return listed(said)


class Explainer:
    """Tells one diagnosis.

    Args:
        found: The diagnosis.
        model: What the names mean.
        ledger: Where facts are made.
        filters: The conditions that it was made under.
        question: The words, for what they take for granted.
        seasonal: Whether the season was asked about, so that it is told in any case.
        cut: Which end of the data cuts the periods short (``end``, ``start``), so that only some days are compared.
    """

    def __init__(
        self,
        found: Diagnosis,
        model: SemanticModel,
        ledger: Ledger,
        filters: tuple[Filter, ...] = (),
        *,
        question: str = "",
        seasonal: bool = False,
        cut: str = "",
    ) -> None:
        self._question = question
        self._seasonal = seasonal
        self._d = found
        self._model = model
        self._ledger = ledger
        self._metric = model.metric(found.metric)
        self._about = conditions(filters, model)
        self._cut = cut
        self._told = Explained()

    def explain(self) -> Explained:
        """Everything that there is to say, in order."""
        lead = self._what_happened()
        self._premise()
        self._whether_unusual()
        self._where()
        self._factors()
        if self._d.earlier is not None:
            self._came_back(self._d.earlier)
        strong = [c for c in self._d.causes if c.verdict is not Verdict.COINCIDENT]
        weak = [c for c in self._d.causes if c.verdict is Verdict.COINCIDENT]
        for place, cause in enumerate([*strong, *weak[: 0 if strong else 1]][:CAUSES_TOLD], start=1):
            self._cause(place, cause)
        self._nothing_found()
        self._ruled_out()
        self._how_sure()
        self._tables()
        self._charts(lead)
        return self._told

    # What happened

    def _what_happened(self) -> str:
        d, metric = self._d, self._metric
        name = named(d.metric)
        current = self._fact(f"{name}.current", d.change.after, metric.unit, period=d.current)
        previous = self._fact(f"{name}.previous", d.change.before, metric.unit, period=d.previous)
        scale = POINTS_IN.get(metric.unit or "")
        change = self._fact(
            f"{name}.change",
            scale * d.change.change if scale else d.change.change,
            POINTS if scale else metric.unit,
        )
        percent = self._fact(f"{name}.change_pct", d.change.change_percent, PERCENT)
        told = change if scale or d.change.change_percent is None else percent
        subject = f"{metric.label}{' ' + self._about if self._about else ''}"
        text = (
            f"{subject} {was(metric.label)} {fact_figure(current)} {in_range(d.current)}, {moved(told)} from "
            f"{fact_figure(previous)} {in_range(d.previous)}"
        )
        self._say(WHAT, text, [current, previous, change, percent], subject)
        if self._cut:
            ends = self._cut == "end"
            day = d.current.end if ends else d.previous.start
            known = self._ledger.fact("data.end_day" if ends else "data.first_day", day)
            verb = "ends" if ends else "begins"
            self._say(
                WHAT,
                f"The data {verb} on {moment(day)}, so only the days that both periods have are compared",
                [known],
            )
        return text

    def _premise(self) -> None:
        """Where the question takes for granted what did not happen, that is said before anything else."""
        claims = {d.way.sign for d in find_directions(self._question) if d.way.sign and not d.superlative}
        change = self._d.change.change
        if len(claims) != 1 or not change or next(iter(claims)) * change > 0:
            return
        thought, seen = ("fall", "rise") if change > 0 else ("rise", "fall")
        text = f"So it did not {thought}, as the question has it: compared with the period before it was a {seen}"
        self._say(WHAT, text, [], text)

    def _whether_unusual(self) -> None:
        d = self._d
        low, high = d.change.low, d.change.high
        if low is not None and d.change.before >= 0 and d.change.after >= 0:
            low = max(low, 0.0)
        known = low is not None and high is not None
        if d.status is DiagnosisStatus.UNTESTED or not known:
            if d.status is DiagnosisStatus.UNTESTED:
                self._say(
                    WHAT,
                    "There is too little history to tell whether that is more than the usual variation",
                    [],
                )
            return
        name = named(d.metric)
        ends = [
            self._fact(f"{name}.range.low", self._estimate(low), self._metric.unit, period=d.current),
            self._fact(f"{name}.range.high", self._estimate(high), self._metric.unit, period=d.current),
        ]
        within = low <= d.change.after <= high  # type: ignore[operator]
        between = f"from {fact_figure(ends[0])} to {fact_figure(ends[1])} would be ordinary"
        edge = "" if within else "at the edge of "
        label = self._metric.label
        said = {
            DiagnosisStatus.NORMAL: f"For {label} that is {edge}normal variation: {between}",
            DiagnosisStatus.SEASONAL: f"For {label} the season does that: {between} at other times of the year",
            DiagnosisStatus.LOCAL: f"For {label} as a whole that is {edge}normal variation, {between}, but a part of it stands out",
            DiagnosisStatus.UNUSUAL: f"For {label} that is beyond normal variation: {between}",
        }
        if d.status is DiagnosisStatus.UNUSUAL and within:
            said[d.status] = (
                f"For {label} such a value is ordinary, {between}, but it moved apart from the rest"
            )
        self._say(WHAT, said[d.status], ends)
        verdict = "inside" if d.status in (DiagnosisStatus.NORMAL, DiagnosisStatus.LOCAL) else "outside"
        self._find(
            "range", AnalyticalMethod.TIME_SERIES_ANALYSIS, verdict=verdict, worse=is_worse(d.change.change, self._metric.direction),
            words={"metric": self._metric.label, "when": in_range(d.current)}, facts={"low": ends[0], "high": ends[1]},
        )  # fmt: skip
        self._season()

    def _season(self) -> None:
        season = self._d.season
        ordinary = self._d.status in (DiagnosisStatus.NORMAL, DiagnosisStatus.LOCAL)
        if season.usual is None or not season.years or (ordinary and not self._seasonal):
            return
        name = named(self._d.metric)
        years = self._ledger.fact(f"{name}.season.years", season.years, "years")
        usual = self._fact(f"{name}.season.usual.change", 100 * season.usual, PERCENT)
        now = self._fact(f"{name}.season.now.change", 100 * season.change, PERCENT)
        said = {
            "seasonal": "The season explains it",
            "partly seasonal": "The season explains a part of it",
            "not seasonal": "The season does not explain it",
        }.get(str(season.verdict))
        if said is None:
            return
        if ordinary:
            said = "There is nothing unusual for the season to explain"
        count = "the year before" if season.years == 1 else f"the {fact_figure(years)} before"
        self._say(
            WHAT,
            f"{said}: the same change was {_signed(usual)} in {count}, now {_signed(now)}",
            [years, usual, now],
        )
        verdict = {"seasonal": "seasonal", "partly seasonal": "beyond", "not seasonal": "beyond"}[
            str(season.verdict)
        ]
        rest = self._effect(f"{name}.season.rest.effect", self._d.change.change * (1 - season.explained))
        self._find(
            "season", AnalyticalMethod.SEASONAL_ANALYSIS, verdict=verdict, worse=is_worse(self._d.change.change, self._metric.direction),
            words={"metric": self._metric.label}, facts={"expected": usual, "change": now, "effect": rest},
            weight=abs(self._d.change.change) * (1 - season.explained),
        )  # fmt: skip

    # Why

    def _where(self) -> None:
        for place, part in enumerate(self._d.explanation.parts[:PARTS_TOLD], start=1):
            if not part.segment:
                continue
            group = self._group(part.segment)
            where = place_name(part.segment, self._model)
            effect = self._effect(f"driver{place}.effect", part.excess, group)
            share = self._share(f"driver{place}.share", part.share, group)
            facts = [effect]
            text = f"Where: in {where}, {self._metric.label}"
            if part.before is not None and part.after is not None:
                now = self._fact(
                    f"driver{place}.current",
                    part.after,
                    self._metric.unit,
                    period=self._d.current,
                    group=group,
                )
                then = self._fact(
                    f"driver{place}.previous",
                    part.before,
                    self._metric.unit,
                    period=self._d.previous,
                    group=group,
                )
                facts += [now, then]
                text += f" went to {fact_figure(now)} from {fact_figure(then)}"
                text += (
                    f"; the whole came out {size(effect)} {_side(effect)}"
                    if self._is_ratio
                    else f", {size(effect)} {_side(effect)}"
                )
            else:
                text += f" came out {size(effect)} {_side(effect)}"
            text += " than if it had moved like the rest"
            if share is not None and 1 <= abs(share.value) <= 300:  # type: ignore[operator]
                text += f", which is {fact_figure(share)} of the change"
                facts.append(share)
            self._say(WHY, text, facts, where)
            self._find(
                "driver", AnalyticalMethod.DRIVER_ANALYSIS, worse=is_worse(part.excess, self._metric.direction),
                words={"segment": where, "metric": self._metric.label}, facts={"effect": effect, **({"share": share} if share else {})},
                weight=abs(part.excess),
            )  # fmt: skip

    @property
    def _is_ratio(self) -> bool:
        """Whether the measure is an average or a rate, of which a part has its own and not a share."""
        return self._metric.formula is not None or self._metric.aggregation not in (
            Aggregation.SUM,
            Aggregation.COUNT,
        )

    def _factors(self) -> None:
        tree = self._d.tree
        if tree is None or len(tree.effects) < 2:
            return
        said: list[str] = []
        facts: list[Fact] = []
        for effect in sorted(tree.effects, key=lambda e: -abs(e.contribution)):
            fact = self._effect(
                named("factor", effect.name, "contribution"), effect.contribution, {"factor": effect.name}
            )
            facts.append(fact)
            said.append(f"{effect.name} {moved(fact)}")
        self._say(
            WHY,
            f"Its factors contribute to the change in {self._metric.label}: {listed(said)}",
            facts,
            *[e.name for e in tree.effects],
        )

    def _cause(self, place: int, cause: Cause) -> None:
        metric, own = self._metric, self._model.metric(cause.measure) if cause.measure else None
        group = self._group(cause.segment)
        where = place_name(cause.segment, self._model)
        effect = self._effect(f"cause{place}.effect", cause.effect, group)
        share = self._share(f"cause{place}.share", cause.share, group)
        lead = {Verdict.LIKELY: "Likely cause", Verdict.CONTRIBUTING: "Contributing"}.get(
            cause.verdict, "Only correlated"
        )
        if cause.correlated_only:
            lead = "Only correlated"
        if cause.kind is CauseKind.SEASON:
            lead, label = "Season", "the same came in the same season before"
        elif cause.kind is CauseKind.UNRECORDED:
            lead, label = "Unrecorded", "something that these tables do not record"
        else:
            label = cause.label
        inside = f" in {where}" if where else ""
        facts: list[Fact] = [effect]
        moves = self._moves(place, cause, own, group, facts)
        text = f"{lead}: {label}{inside}{moves}"
        self._say(WHY, text, [f for f in facts if f is not effect], label, where)
        known = bool(cause.effect)
        told = (
            f"Its effect on {metric.label}: {moved(effect)}"
            if known
            else f"Its effect on {metric.label} cannot be sized"
        )
        facts = [effect] if known else []
        if share is not None and 1 <= abs(share.value) <= 300:  # type: ignore[operator]
            told += f", {fact_figure(share)} of the change"
            facts.append(share)
        evidence = [e.says for e in cause.evidence if e.holds and _is_plain(e.says)][:3]
        self._say(WHY, ". ".join([told, *(e.rstrip(".") for e in evidence)]), facts, where, label, *evidence)
        if cause.kind is CauseKind.SEASON:
            return  # nothing is to be put right; what to do about a season follows from its own finding
        area = own.business_dimension if own is not None else None
        kind = "unrecorded" if cause.kind is CauseKind.UNRECORDED else "cause"
        self._find(
            kind, AnalyticalMethod.CAUSE_ANALYSIS, verdict="coincident" if cause.correlated_only else _VERDICTS.get(cause.verdict),
            worse=is_worse(cause.effect, metric.direction), area=area,
            words={"cause": label, "metric": metric.label, "segment": where or "all of it", "where": f"in {where}" if where else ""},
            facts={"effect": effect, **({"share": share} if share else {})}, weight=2 * abs(cause.effect),
        )  # fmt: skip

    def _moves(
        self, place: int, cause: Cause, own: Metric | None, group: dict[str, str], facts: list[Fact]
    ) -> str:
        """How the cause itself moved, and when."""
        text = ""
        if own is not None and cause.before is not None and cause.after is not None:
            before = self._ledger.fact(
                f"cause{place}.previous",
                cause.before,
                own.unit,
                metric=own.name,
                period=self._d.previous,
                group=group,
            )
            after = self._ledger.fact(
                f"cause{place}.current",
                cause.after,
                own.unit,
                metric=own.name,
                period=self._d.current,
                group=group,
            )
            facts += [after, before]
            text = f" went to {fact_figure(after)} from {fact_figure(before)}"
        if cause.onset is not None:
            facts.append(self._ledger.fact(f"cause{place}.day", cause.onset))
            text += f", beginning on {moment(cause.onset)}"
        return text

    def _came_back(self, then: Diagnosis) -> None:
        """The earlier period was the one out of the ordinary: where, why, and that it is over."""
        label, parts = self._metric.label, [p for p in then.explanation.parts if p.segment][:2]
        self._say(WHY, "The period before was the one out of the ordinary, and that is over", [])
        for place, part in enumerate(parts, start=1):
            where, group = place_name(part.segment, self._model), self._group(part.segment)
            seen = self._fact(
                f"earlier{place}.value", part.after, self._metric.unit, period=then.current, group=group
            )
            usual = self._fact(
                f"earlier{place}.expected", self._estimate(part.expected), self._metric.unit, period=then.current, group=group
            )  # fmt: skip
            back = self._effect(f"earlier{place}.effect", -part.excess, group)
            text = (
                f"Then, in {where}, {label} {was(label)} {fact_figure(seen)} {in_range(then.current)} where {fact_figure(usual)} "
                f"would have been usual; its return makes {label} {size(back)} {_side(back)}"
            )
            self._say(WHY, text, [seen, usual, back], where, label)
            self._find(
                "rebound", AnalyticalMethod.DRIVER_ANALYSIS, words={"segment": where, "metric": label}, facts={"effect": back},
                weight=abs(part.excess),
            )  # fmt: skip
        if not parts and then.change.low is not None and then.change.high is not None:
            name = named(self._d.metric)
            ends = [
                self._fact(
                    f"{name}.earlier.low",
                    self._estimate(then.change.low),
                    self._metric.unit,
                    period=then.current,
                ),
                self._fact(
                    f"{name}.earlier.high",
                    self._estimate(then.change.high),
                    self._metric.unit,
                    period=then.current,
                ),
            ]
            text = f"From {fact_figure(ends[0])} to {fact_figure(ends[1])} would have been ordinary {in_range(then.current)}"
            self._say(WHY, text, ends)
        cause = next((c for c in then.causes if c.kind is CauseKind.SERIES and not c.correlated_only), None)
        if cause is not None and cause.measure and cause.before is not None and cause.after is not None:
            own, where = self._model.metric(cause.measure), place_name(cause.segment, self._model)
            group = self._group(cause.segment)
            known: dict[str, Any] = {"metric": own.name, "group": group}
            after = self._ledger.fact(
                "earlier.cause.current", cause.after, own.unit, period=then.current, **known
            )
            before = self._ledger.fact(
                "earlier.cause.previous", cause.before, own.unit, period=then.previous, **known
            )
            inside = f" in {where}" if where else ""
            text = f"Likely cause then: {cause.label}{inside} went to {fact_figure(after)} from {fact_figure(before)}"
            self._say(WHY, text, [after, before], cause.label, where)

    def _nothing_found(self) -> None:
        if (
            self._d.earlier is not None
            or self._d.causes
            or (self._told.findings and any(f.kind == "driver" for f in self._told.findings))
        ):
            return
        if self._d.status is DiagnosisStatus.NORMAL:
            self._say(WHY, "Nothing beyond normal variation needs an explanation", [])
        else:
            self._say(
                WHY, "No evidence for a cause: nothing recorded moved in a way that would account for it", []
            )

    def _ruled_out(self) -> None:
        reasons: dict[str, list[str]] = {}
        for cause in self._d.ruled_out:
            against = next((e.says for e in cause.evidence if e.holds is False and _is_plain(e.says)), "")
            told = [label for labels in reasons.values() for label in labels]
            if cause.label not in told and len(told) < RULED_OUT_TOLD:
                reasons.setdefault(against.rstrip(".").removeprefix("It "), []).append(cause.label)
        if reasons:
            said = [f"{listed(labels)} ({why})" if why else listed(labels) for why, labels in reasons.items()]
            self._say(RULED_OUT, "; ".join(said), [], *[x for v in reasons.values() for x in v], *said)

    def _how_sure(self) -> None:
        d = self._d
        sure = self._ledger.fact("confidence", round(100 * d.confidence), PERCENT)
        word = (
            "well supported"
            if d.confidence >= 0.75
            else "fairly supported"
            if d.confidence >= 0.5
            else "weakly supported"
        )
        about = "the main cause" if d.causes else "this"
        looked = self._ledger.fact("segments.looked_at", d.explanation.looked_at)
        text = f"{about} is {word} ({fact_figure(sure)} confidence)"
        facts = [sure]
        if d.explanation.looked_at:
            text += f"; {fact_figure(looked)} segments were looked at, with chance findings allowed for"
            facts.append(looked)
        self._say(SURE, text, facts)
        for line in (*d.surer, *d.notes)[:3]:
            if _is_plain(line):
                self._say(SURER, line, [], line)

    # Tables and charts

    def _tables(self) -> None:
        unit = self._metric.label
        rows = [
            (c.label, place_name(c.segment, self._model) or "everywhere", str(c.verdict).replace("_", " "), c.effect, _percent(c.share))
            for c in self._d.causes[:MOST_ROWS]
        ]  # fmt: skip
        if rows:
            columns = ("candidate", "where", "verdict", f"effect on {unit}", "share of the change (%)")
            self._told.tables.append(ResultTable(name="causes", columns=columns, rows=tuple(rows)))
        parts = [
            (place_name(p.segment, self._model) or "everywhere", p.before, p.after, p.excess, _percent(p.share))
            for p in self._d.explanation.parts
        ]  # fmt: skip
        if parts:
            columns = ("part", "before", "after", "more or less than the rest", "share of the change (%)")
            self._told.tables.append(ResultTable(name="drivers", columns=columns, rows=tuple(parts)))

    def _charts(self, lead: str) -> None:
        d, title = self._d, lead[0].upper() + lead[1:]
        unit = {"fraction": "share"}.get(self._metric.unit or "", self._metric.unit)
        axis = f"{self._metric.label}{f' ({unit})' if unit else ''}"
        note = (
            f"{range_name(d.current)} is not over: only its days so far are compared."
            if self._cut == "end"
            else ""
        )
        if len(d.waterfall) > 2:
            first, last = d.waterfall[0], d.waterfall[-1]
            self._told.charts.append(
                waterfall_chart(
                    title, [(w.label, w.amount) for w in d.waterfall[1:-1]], Axis(self._metric.label, self._metric.unit),
                    start=(range_name(d.previous), first.total), end=(range_name(d.current), last.total),
                    lower_is_better=self._metric.direction is Direction.LOWER_IS_BETTER, notes=[note] if note else [],
                )
            )  # fmt: skip
        if len(d.series) > 2:
            points = [(p.day, p.value, p.usual, p.period) for p in d.series]
            marks = [(a.day, f"{a.label} moved") for a in d.annotations]
            usual = (
                "Dashed: what is usual for the day of the week."
                if any(p.usual is not None for p in d.series)
                else ""
            )
            first = d.causes[0] if d.causes else None
            if first is not None and first.onset is not None:
                title = f"{title}; {first.label} moved on {moment(first.onset)}"
            self._told.charts.append(
                compared_periods_chart(title, points, marks, axis, note=f"{usual} {note}".strip())
            )

    # Parts of all of these

    def _fact(
        self,
        name: str,
        value: float | None,
        unit: str | None,
        *,
        period: TimeRange | None = None,
        group: dict[str, str] | None = None,
    ) -> Fact:
        query = self._d.queries[0] if self._d.queries else ""
        return self._ledger.fact(
            name, value, unit, metric=self._d.metric, period=period, group=group, query=query
        )

    def _effect(self, name: str, value: float | None, group: dict[str, str] | None = None) -> Fact:
        """A part of the change; of a rate in percentage points, since "up 10 %" would say two things."""
        scale = POINTS_IN.get(self._metric.unit or "")
        if scale and value is not None:
            return self._fact(name, scale * value, POINTS, group=group)
        return self._fact(name, self._estimate(value), self._metric.unit, group=group)

    def _estimate(self, value: float | None) -> float | None:
        """What is estimated, with no more digits than the measure itself has: there are no halves of orders."""
        whole = float(self._d.change.before).is_integer() and float(self._d.change.after).is_integer()
        large = abs(self._d.change.after) >= 10_000
        return float(round(value)) if value is not None and (whole or large) and abs(value) >= 1 else value

    def _share(self, name: str, share: float | None, group: dict[str, str]) -> Fact | None:
        return self._fact(name, 100 * share, PERCENT, group=group) if share is not None else None

    def _group(self, segment: Segment) -> dict[str, str]:
        return {dimension: group_name(value) for dimension, value in segment}

    def _say(self, section: str, text: str, facts: Sequence[Fact], *names: str) -> None:
        self._told.statements.append(
            Statement(section, cased(text), tuple(facts), tuple(n for n in names if n))
        )

    def _find(self, kind: str, method: AnalyticalMethod, **given: Any) -> None:
        self._told.findings.append(Finding(kind, method.value, self._d.metric, **given))


def _percent(share: float | None) -> float | None:
    return 100 * share if share is not None else None


def _side(effect: Fact) -> str:
    return "more" if isinstance(effect.value, (int, float)) and effect.value > 0 else "less"


def _signed(fact: Fact) -> str:
    return moved(fact)


def _is_plain(text: str) -> bool:
    """Whether a sentence of the engine claims nothing in numbers or directions, so that it needs no fact."""
    return bool(text.strip()) and not find_numerals(text) and not find_directions(text)
