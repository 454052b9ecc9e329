"""What was found and how it is said: every sentence is made together with the facts that its numbers come from."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gnomon.answering.words import fact_figure, slug
from gnomon.core.answer import About, Fact, FactValue
from gnomon.core.figures import group_name, sentence
from gnomon.core.parts import Filter
from gnomon.core.query import TimeRange
from gnomon.guardrails.moments import find_moments
from gnomon.guardrails.numerals import Numeral, NumeralKind, find_numerals
from gnomon.guardrails.subjects import CHANGES
from gnomon.language.time_names import in_range, range_name

WHAT, WHY, RULED_OUT, NEXT, SURE, SURER = "what", "why", "ruled_out", "next", "sure", "surer"
KNOWN, NOTE = "known", "note"
SECTIONS = (WHAT, WHY, RULED_OUT, NEXT, SURE, SURER, KNOWN, NOTE)
HEADINGS = {
    WHAT: "",
    WHY: "Why",
    RULED_OUT: "Ruled out",
    NEXT: "What to do next",
    SURE: "How sure",
    SURER: "What would make it surer",
    KNOWN: "Worth knowing",
    NOTE: "Note",
}


@dataclass(frozen=True)
class Statement:
    """One or two sentences and the only facts that they speak of.

    Args:
        section: The part of the answer that it belongs to.
        text: The sentences.
        facts: What its numbers, dates and directions come from.
        names: Names of things in the data that it repeats; their digits and directions are no claims.
    """

    section: str
    text: str
    facts: tuple[Fact, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def is_bound(self) -> bool:
        """Whether every number and date in it is, as it stands there, the value of one of its own facts.

        Sentences are made of words and of facts, so this holds for whatever a template says; a number that was
        written into a template, or made up by whoever wrote the words, has no fact and shows here.
        """
        groups = {v for f in self.facts for v in f.about.group.values()}
        figures = {said for f in self.facts for said in (fact_figure(f), size(f))}
        if any(said in self.text for f in self.facts for said in _wrong_ways(f)):
            return False
        rest = self.text
        for said in sorted(
            {*self.names, *groups, *spoken_periods(self.facts), *figures}, key=len, reverse=True
        ):
            if said.strip():  # "0" is no part of "800"
                rest = re.sub(rf"(?<![\d.,]){re.escape(said)}(?!\d)", " ", rest, flags=re.IGNORECASE)
        return not any(_tells(n, rest) for n in find_numerals(rest)) and not find_moments(rest)


def _tells(numeral: Numeral, text: str) -> bool:
    """Whether a number is a figure: “the first year” and “at least half” are words of the template itself."""
    worded = not any(c.isdigit() for c in text[numeral.start : numeral.end])
    return not (worded and numeral.kind in (NumeralKind.ORDINAL, NumeralKind.FRACTION))


def spoken_periods(facts: Sequence[Fact]) -> list[str]:
    """How the periods of facts are named in sentences."""
    periods = [f.about.period for f in facts if f.about.period is not None]
    return [said for p in periods for said in (in_range(p), range_name(p))]


def _wrong_ways(fact: Fact) -> list[str]:
    """What must not be said of a change: up where it went down."""
    value = fact.value
    words = set(re.findall(r"[a-z]+", fact.name.rpartition(".")[2].lower()))
    if not words & CHANGES or not isinstance(value, (int, float)) or not value:
        return []
    told = size(fact)
    before, after = (
        (("down", "fell"), ("less", "below", "fewer")) if value > 0 else (("up", "rose"), ("more", "above"))
    )
    return [*(f"{w} {told}" for w in before), *(f"{told} {w}" for w in after)]


@dataclass(frozen=True)
class Finding:
    """Something that an analytical method found.

    Args:
        kind: What sort of thing: ``driver``, ``cause``, ``benchmark``, ``peer``, ``trend``, ``step``, ``season``,
            ``range``, ``correlation`` or ``level``.
        method: The analytical method that found it.
        metric: The measure that it is about.
        words: What it is called, for the sentences of playbook rules.
        facts: Its figures by the part they play, for conditions and sentences of rules.
        area: The side of the business that it lies in.
        verdict: What was found about it.
        worse: Whether it is bad news; None where that cannot be said.
        weight: How much it matters beside the others, in the units of the main measure or in percent.
    """

    kind: str
    method: str
    metric: str
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    facts: Mapping[str, Fact] = field(default_factory=dict[str, Fact])
    area: str | None = None
    verdict: str | None = None
    worse: bool | None = None
    weight: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        figures = {k: f.value for k, f in self.facts.items()}
        return {
            "kind": self.kind, "metric": self.metric, "words": dict(self.words), "figures": figures,
            "area": self.area, "verdict": self.verdict, "worse": self.worse,
        }  # fmt: skip


class Ledger:
    """Makes facts, each under a name of its own.

    Args:
        step: What made them, as the plan calls it.
        filters: Conditions that hold for all of them.
    """

    def __init__(self, step: str = "diagnose", filters: Sequence[Filter] = ()) -> None:
        self.facts: dict[str, Fact] = {}
        self.step = step
        self.filters = tuple(filters)

    def fact(
        self,
        name: str,
        value: FactValue,
        unit: str | None = None,
        *,
        metric: str | None = None,
        period: TimeRange | None = None,
        group: Mapping[str, Any] | None = None,
        query: str = "",
        step: str | None = None,
    ) -> Fact:
        """A fact about a metric, in a period, for a group."""
        made = Fact(
            name=name,
            value=value,
            unit=unit,
            about=About(
                metric=metric,
                filters=self.filters,
                period=period,
                group={k: v if isinstance(v, str) else group_name(v) for k, v in (group or {}).items()},
            ),
            step=step or self.step,
            query=query,
        )
        count, known = 1, name
        while known in self.facts and not _alike(self.facts[known], made):
            count += 1
            known = f"{name}_{count}"
        return self.facts.setdefault(known, made.model_copy(update={"name": known}))


def _alike(one: Fact, other: Fact) -> bool:
    """Whether two facts say the same of the same, whichever query told it: sums come out alike but for rounding."""
    if one.about != other.about or one.unit != other.unit:
        return False
    a, b = one.value, other.value
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def named(*parts: Any) -> str:
    """A fact's name out of parts."""
    return ".".join(slug(str(p)) for p in parts if p is not None and str(p))


def size(fact: Fact) -> str:
    """A change without its sign, which a word beside it tells."""
    value = fact.value
    return (
        fact_figure(fact.model_copy(update={"value": abs(value)}))
        if isinstance(value, (int, float))
        else fact_figure(fact)
    )


def moved(fact: Fact) -> str:
    """A change in words: up 5 %, down 1,200, unchanged."""
    value = fact.value
    if not isinstance(value, (int, float)) or value == 0:
        return "unchanged"
    return f"{'up' if value > 0 else 'down'} {size(fact)}"


def prose_of(statements: Sequence[Statement]) -> str:
    """The statements in the order of the answer's parts, each part a paragraph; advice is numbered."""
    paragraphs: list[str] = []
    for section in SECTIONS:
        said = [sentence(s.text) for s in statements if s.section == section]
        if not said:
            continue
        if section == NEXT and len(said) > 1:
            said = [f"{i}. {text}" for i, text in enumerate(said, start=1)]
        separator = "\n" if section in (WHY, NEXT) else " "
        head = f"{HEADINGS[section]}:{separator}" if HEADINGS[section] else ""
        paragraphs.append(head + separator.join(said))
    return "\n\n".join(paragraphs)
