"""Advice by the rules of a domain path: a condition over a finding, a recommendation, and what it would bring."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gnomon.agents.insight.findings import NEXT, Finding, Statement, size
from gnomon.agents.insight.paths import PlaybookRule, When
from gnomon.answering.words import fact_figure
from gnomon.core.answer import Fact
from gnomon.core.figures import sentence
from gnomon.core.patterns import regex
from gnomon.guardrails.subjects import CHANGES
from gnomon.planning.reader.words import name_words

MOST_ADVICE = 4
_SLOT = regex(r"\{(\w+)\}")
_BLANKS = regex(r"\s{2,}")


def advise(
    findings: Sequence[Finding], rules: Sequence[PlaybookRule], most: int = MOST_ADVICE
) -> list[Statement]:
    """What to do, the weightiest finding first; each piece of advice names the fact that it rests on."""
    given: list[Statement] = []
    rules = sorted(rules, key=lambda r: -_particular(r.when))
    used: set[str] = set()
    for finding in sorted(findings, key=lambda f: -f.weight):
        for rule in rules:
            if rule.id in used and rule.when.finding != "cause":
                continue
            if holds(rule.when, finding) and (told := _told(rule, finding)) is not None:
                if all(told.text != g.text for g in given):
                    given.append(told)
                used.add(rule.id)
                break
    return given[:most]


def holds(when: When, finding: Finding) -> bool:
    """Whether the condition of a rule is met by a finding."""
    if when.finding != finding.kind or (when.worse is not None and when.worse is not finding.worse):
        return False
    if when.area and finding.area not in when.area:
        return False
    if when.verdict and finding.verdict not in when.verdict:
        return False
    named = {w for name in (finding.metric, *finding.words.values()) for w in name_words(name)}
    if when.words and not named & {w.casefold() for w in when.words}:
        return False
    return all(_size(finding.facts.get(k)) >= v for k, v in when.at_least.items())


def _particular(when: When) -> int:
    """How much a condition asks for: advice for a stock-out goes before advice for any cause."""
    return 2 * bool(when.area) + 2 * bool(when.words) + bool(when.at_least)


def _size(fact: Fact | None) -> float:
    value = fact.value if fact is not None else None
    return abs(value) if isinstance(value, (int, float)) else -1.0


def _told(rule: PlaybookRule, finding: Finding) -> Statement | None:
    """The advice with its effect; None where the finding lacks what the sentence needs, or no fact is in it."""
    advice, facts = _filled(rule.advice, finding)
    if advice is None:
        return None
    effect, more = _filled(rule.effect, finding) if rule.effect else (None, [])
    if not facts and not more:
        return None
    text = f"{sentence(advice).rstrip('.')}: {effect}" if effect else advice
    return Statement(
        NEXT,
        text,
        tuple({f.name: f for f in [*facts, *more]}.values()),
        (advice, *filter(None, finding.words.values())),
    )


def _filled(template: str, finding: Finding) -> tuple[str | None, list[Fact]]:
    facts: list[Fact] = []
    known = {**finding.words}
    for slot in _SLOT.findall(template):
        fact = finding.facts.get(slot)
        if fact is not None and fact.value is not None:
            facts.append(fact)
            role = set(re.findall(r"[a-z]+", fact.name.rpartition(".")[2]))
            known[slot] = size(fact) if role & CHANGES else fact_figure(fact)
            if fact.unit is None and slot == "effect" and finding.words.get("metric"):
                known[slot] += f" ({finding.words['metric']})"
        elif slot not in known:
            return None, []
    text = _SLOT.sub(lambda m: known[m[1]], template)
    return _BLANKS.sub(" ", text).strip(), facts
