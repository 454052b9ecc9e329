"""A diagnosis in words: what happened, why, what was ruled out, and how sure that is; each number with its fact."""

from __future__ import annotations

from gnomon.agents.insight.composing import by_day, composition, odd_time
from gnomon.agents.insight.exposition import Explained, Exposition, is_worse, place_name, side
from gnomon.agents.insight.findings import (
    RULED_OUT,
    SURE,
    SURER,
    WHAT,
    WHY,
    Ledger,
    moved,
    named,
    size,
)  # fmt: skip
from gnomon.agents.insight.paths import AnalyticalMethod
from gnomon.agents.insight.showing import MOST_SHARE, came_back, charts, tables
from gnomon.analytics.causes import Cause, CauseKind, Verdict
from gnomon.analytics.diagnosis import Diagnosis, DiagnosisStatus
from gnomon.answering.conditions import conditions
from gnomon.answering.words import fact_figure, was
from gnomon.core.answer import Fact
from gnomon.core.figures import PERCENT, listed, moment, told_apart
from gnomon.core.parts import Filter
from gnomon.guardrails.directions import find_directions
from gnomon.guardrails.numerals import find_numerals
from gnomon.language.time_names import in_range
from gnomon.semantic.model import Metric, SemanticModel

CAUSES_TOLD = 3
MOST_ROWS = 8
PARTS_TOLD = 3
RULED_OUT_TOLD = 5
_MANIFOLD = 1000.0  # percent beyond which a change is told as an amount
_VERDICTS = {Verdict.LIKELY: "likely", Verdict.CONTRIBUTING: "contributing", Verdict.COINCIDENT: "coincident"}


class Explainer(Exposition):
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
        super().__init__(found, model, ledger, cut)
        self._question = question
        self._seasonal = seasonal
        self._about = conditions(filters, model)

    def explain(self) -> Explained:
        """Everything that there is to say, in order."""
        lead = self._what_happened()
        a_day = by_day(self)
        self._premise(self.found.change.change if a_day is None else a_day)
        self._whether_unusual()
        self._where()
        self._factors()
        composition(self)
        if self.found.earlier is not None:
            came_back(self, self.found.earlier)
        strong = [c for c in self.found.causes if c.verdict is not Verdict.COINCIDENT]
        weak = [c for c in self.found.causes if c.verdict is Verdict.COINCIDENT]
        for place, cause in enumerate([*strong, *weak[: 0 if strong else 1]][:CAUSES_TOLD], start=1):
            self._cause(place, cause)
        self._nothing_found()
        self._ruled_out()
        self._how_sure()
        tables(self)
        charts(self, lead)
        return self.told

    # What happened

    def _what_happened(self) -> str:
        d, metric = self.found, self.metric
        name = named(d.metric)
        current = self.fact(f"{name}.current", d.change.after, metric.unit, period=d.current)
        previous = self.fact(f"{name}.previous", d.change.before, metric.unit, period=d.previous)
        scale, unit = told_apart(metric.unit) or (0, metric.unit)
        change = self.fact(f"{name}.change", (scale or 1) * d.change.change, unit)
        percent = self.fact(f"{name}.change_pct", d.change.change_percent, PERCENT)
        plain = scale or d.change.change_percent is None or abs(d.change.change_percent) > _MANIFOLD
        told = change if plain else percent
        subject = f"{metric.label}{' ' + self._about if self._about else ''}"
        text = (
            f"{subject} {was(metric.label)} {fact_figure(current)} {in_range(d.current)}, {moved(told)} from "
            f"{fact_figure(previous)} {in_range(d.previous)}"
        )
        self.say(WHAT, text, [current, previous, change, percent], subject)
        if self.cut:
            ends = self.cut == "end"
            day = d.current.end if ends else d.previous.start
            known = self.ledger.fact("data.end_day" if ends else "data.first_day", day)
            verb = "ends" if ends else "begins"
            self.say(
                WHAT,
                f"The data in whole days {verb} on {moment(day)}, so only the days that both periods have are compared",
                [known],
            )
        return text

    def _premise(self, change: float) -> None:
        """Where the question takes for granted what did not happen, that is said before anything else."""
        claims = {d.way.sign for d in find_directions(self._question) if d.way.sign and not d.superlative}
        if len(claims) != 1 or not change or next(iter(claims)) * change > 0:
            return
        thought, seen = ("fall", "rise") if change > 0 else ("rise", "fall")
        text = f"So it did not {thought}, as the question has it: compared with the period before it was a {seen}"
        self.say(WHAT, text, [], text)

    def _whether_unusual(self) -> None:
        d = self.found
        low, high = d.change.low, d.change.high
        if low is not None and d.change.before >= 0 and d.change.after >= 0:
            low = max(low, 0.0)
        known = low is not None and high is not None
        if d.status is DiagnosisStatus.UNTESTED or not known:
            if d.status is DiagnosisStatus.UNTESTED:
                self.say(
                    WHAT,
                    "There is too little history to tell whether that is more than the usual variation",
                    [],
                )
            return
        name = named(d.metric)
        ends = [
            self.fact(f"{name}.range.low", self.estimate(low), self.metric.unit, period=d.current),
            self.fact(f"{name}.range.high", self.estimate(high), self.metric.unit, period=d.current),
        ]
        within = low <= d.change.after <= high  # type: ignore[operator]
        between = f"from {fact_figure(ends[0])} to {fact_figure(ends[1])} would be ordinary"
        edge = "" if within else "at the edge of "
        label = self.metric.label
        normal = f"For {label} that is normal variation: {between}"
        if d.status is DiagnosisStatus.NORMAL and not within and d.change.p_value is not None:
            chance = self.fact(f"{name}.range.chance", 100 * d.change.p_value, PERCENT)
            ends.append(chance)
            normal = f"For {label} that is more than usual ({between}), yet chance alone brings as much in {fact_figure(chance)} of cases"
        said = {
            DiagnosisStatus.NORMAL: normal,
            DiagnosisStatus.SEASONAL: f"For {label} the season does that: {between} at other times of the year",
            DiagnosisStatus.LOCAL: f"For {label} as a whole that is {edge}normal variation ({between}), but a part of it stands out",
            DiagnosisStatus.UNUSUAL: f"For {label} that is beyond normal variation: {between}",
        }
        if d.status is DiagnosisStatus.UNUSUAL and within:
            said[d.status] = (
                f"For {label} such a value is ordinary ({between}), but it moved apart from the rest"
            )
        self.say(WHAT, said[d.status], ends)
        verdict = "inside" if d.status in (DiagnosisStatus.NORMAL, DiagnosisStatus.LOCAL) else "outside"
        self.find(
            "range", AnalyticalMethod.TIME_SERIES_ANALYSIS, verdict=verdict, worse=is_worse(d.change.change, self.metric.direction),
            words={"metric": self.metric.label, "when": in_range(d.current)}, facts={"low": ends[0], "high": ends[1]},
        )  # fmt: skip
        self._season()

    def _season(self) -> None:
        season = self.found.season
        ordinary = self.found.status in (DiagnosisStatus.NORMAL, DiagnosisStatus.LOCAL)
        if season.usual is None or not season.years or (ordinary and not self._seasonal):
            return
        name = named(self.found.metric)
        years = self.ledger.fact(f"{name}.season.years", season.years, "years")
        scale, unit = (100, PERCENT) if season.relative else (1, self.metric.unit)
        usual = self.fact(f"{name}.season.usual.change", scale * season.usual, unit)
        now = self.fact(f"{name}.season.now.change", scale * season.change, unit)
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
        self.say(
            WHAT,
            f"{said}: the same change was {_signed(usual)} in {count}, now {_signed(now)}",
            [years, usual, now],
        )
        verdict = {"seasonal": "seasonal", "partly seasonal": "beyond", "not seasonal": "beyond"}[
            str(season.verdict)
        ]
        rest = self.effect(f"{name}.season.rest.effect", self.found.change.change * (1 - season.explained))
        self.find(
            "season", AnalyticalMethod.SEASONAL_ANALYSIS, verdict=verdict, worse=is_worse(self.found.change.change, self.metric.direction),
            words={"metric": self.metric.label}, facts={"expected": usual, "change": now, "effect": rest},
            weight=abs(self.found.change.change) * (1 - season.explained),
        )  # fmt: skip

    # Why

    def _where(self) -> None:
        for place, part in enumerate(self.found.explanation.parts[:PARTS_TOLD], start=1):
            if not part.segment:
                continue
            group = self.group(part.segment)
            where = place_name(part.segment, self.model)
            effect = self.effect(f"driver{place}.effect", part.excess, group)
            share = self.share(f"driver{place}.share", part.share, group)
            facts = [effect]
            text = f"Where: in {where}, {self.metric.label}"
            if part.before is not None and part.after is not None:
                now = self.fact(
                    f"driver{place}.current",
                    part.after,
                    self.metric.unit,
                    period=self.found.current,
                    group=group,
                )
                then = self.fact(
                    f"driver{place}.previous",
                    part.before,
                    self.metric.unit,
                    period=self.found.previous,
                    group=group,
                )
                facts += [now, then]
                text += f" went to {fact_figure(now)} from {fact_figure(then)}"
                text += (
                    f"; the whole came out {size(effect)} {side(effect)}"
                    if self.is_ratio
                    else f", {size(effect)} {side(effect)}"
                )
            else:
                text += f" came out {size(effect)} {side(effect)}"
            text += " than if it had moved like the rest"
            if share is not None and 1 <= share.value <= 100 * MOST_SHARE:  # type: ignore[operator]
                text += f", which is {fact_figure(share)} of the change"
                facts.append(share)
            self.say(WHY, text, facts, where)
            self.find(
                "driver", AnalyticalMethod.DRIVER_ANALYSIS, worse=is_worse(part.excess, self.metric.direction),
                words={"segment": where, "metric": self.metric.label}, facts={"effect": effect, **({"share": share} if share else {})},
                weight=abs(part.excess),
            )  # fmt: skip

    def _factors(self) -> None:
        tree = self.found.tree
        if tree is None or len(tree.effects) < 2:
            return
        said: list[str] = []
        facts: list[Fact] = []
        for effect in sorted(tree.effects, key=lambda e: -abs(e.contribution)):
            fact = self.effect(
                named("factor", effect.name, "contribution"), effect.contribution, {"factor": effect.name}
            )
            facts.append(fact)
            said.append(f"{effect.name} {moved(fact)}")
        self.say(
            WHY,
            f"Its factors contribute to the change in {self.metric.label}: {listed(said)}",
            facts,
            *[e.name for e in tree.effects],
        )

    def _cause(self, place: int, cause: Cause) -> None:
        metric, own = self.metric, self.model.metric(cause.measure) if cause.measure else None
        group = self.group(cause.segment)
        where = place_name(cause.segment, self.model)
        effect = self.effect(f"cause{place}.effect", cause.effect, group)
        share = self.share(f"cause{place}.share", cause.share, group)
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
        self.say(WHY, text, [f for f in facts if f is not effect], label, where)
        known = bool(cause.effect)
        told = (
            f"Its effect on {metric.label}: {moved(effect)}"
            if known
            else f"Its effect on {metric.label} cannot be sized"
        )
        facts = [effect] if known else []
        if share is not None and 1 <= share.value <= 100 * MOST_SHARE:  # type: ignore[operator]
            told += f", {fact_figure(share)} of the change"
            facts.append(share)
        evidence = [e.says for e in cause.evidence if e.holds and _is_plain(e.says)][:3]
        self.say(WHY, ". ".join([told, *(e.rstrip(".") for e in evidence)]), facts, where, label, *evidence)
        if cause.kind is CauseKind.SEASON:
            return  # nothing is to be put right; what to do about a season follows from its own finding
        area = own.business_dimension if own is not None else None
        kind = "cause"
        if cause.kind is CauseKind.UNRECORDED:
            kind = "unrecorded" if where else "unrecorded everywhere"
        self.find(
            kind, AnalyticalMethod.CAUSE_ANALYSIS, verdict="coincident" if cause.correlated_only else _VERDICTS.get(cause.verdict),
            worse=is_worse(cause.effect, metric.direction), area=area,
            words={"cause": label, "metric": metric.label, "segment": where or "all of it", "when": odd_time(self), "where": f"in {where}" if where else ""},
            facts={"effect": effect, **({"share": share} if share else {})}, weight=2 * abs(cause.effect),
        )  # fmt: skip

    def _moves(
        self, place: int, cause: Cause, own: Metric | None, group: dict[str, str], facts: list[Fact]
    ) -> str:
        """How the cause itself moved, and when."""
        text = ""
        if own is not None and cause.before is not None and cause.after is not None:
            before = self.ledger.fact(
                f"cause{place}.previous",
                cause.before,
                own.unit,
                metric=own.name,
                period=self.found.previous,
                group=group,
            )
            after = self.ledger.fact(
                f"cause{place}.current",
                cause.after,
                own.unit,
                metric=own.name,
                period=self.found.current,
                group=group,
            )
            facts += [after, before]
            text = f" went to {fact_figure(after)} from {fact_figure(before)}"
        if cause.onset is not None:
            facts.append(self.ledger.fact(f"cause{place}.day", cause.onset))
            text += f", beginning on {moment(cause.onset)}"
        return text

    def _nothing_found(self) -> None:
        if (
            self.found.earlier is not None
            or self.found.causes
            or any(f.kind in ("driver", "mix", "gap", "copies") for f in self.told.findings)
        ):
            return
        if self.found.status is DiagnosisStatus.NORMAL and self.found.change.is_usual:
            self.say(WHY, "Nothing beyond normal variation needs an explanation", [])
        else:
            self.say(
                WHY, "No evidence for a cause: nothing recorded moved in a way that would account for it", []
            )

    def _ruled_out(self) -> None:
        reasons: dict[str, list[str]] = {}
        for cause in self.found.ruled_out:
            against = next((e.says for e in cause.evidence if e.holds is False and _is_plain(e.says)), "")
            told = [label for labels in reasons.values() for label in labels]
            if cause.label not in told and len(told) < RULED_OUT_TOLD:
                reasons.setdefault(against.rstrip(".").removeprefix("It "), []).append(cause.label)
        if reasons:
            each = {why: "each " if len(labels) > 1 else "" for why, labels in reasons.items()}
            said = [
                f"{listed(labels)} ({each[why]}{why})" if why else listed(labels)
                for why, labels in reasons.items()
            ]
            self.say(RULED_OUT, "; ".join(said), [], *[x for v in reasons.values() for x in v], *said)

    def _how_sure(self) -> None:
        d = self.found
        sure = self.ledger.fact("confidence", round(100 * d.confidence), PERCENT)
        word = (
            "well supported"
            if d.confidence >= 0.75
            else "fairly supported"
            if d.confidence >= 0.5
            else "weakly supported"
        )
        about = "the main cause" if d.causes else "this"
        looked = self.ledger.fact("segments.looked_at", d.explanation.looked_at)
        text = f"{about} is {word} ({fact_figure(sure)} confidence)"
        facts = [sure]
        if d.explanation.looked_at:
            text += f"; {fact_figure(looked)} segments were looked at, with chance findings allowed for"
            facts.append(looked)
        self.say(SURE, text, facts)
        for line in (*d.surer, *d.notes)[:3]:
            if _is_plain(line):
                self.say(SURER, line, [], line)


def _signed(fact: Fact) -> str:
    return moved(fact)


def _is_plain(text: str) -> bool:
    """Whether a sentence of the engine claims nothing in numbers or directions, so that it needs no fact."""
    return bool(text.strip()) and not find_numerals(text) and not find_directions(text)
