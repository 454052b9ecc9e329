"""Two of the correctness properties: guardrails are applied to every response, and they are enforced."""

from __future__ import annotations

import random
from pathlib import Path

from guard_mutations import mutate
from guard_prose import write
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gnomon.core import Fact
from gnomon.guardrails import Action, Guardrails, NumberBinding, PiiDetector, ToxicityDetector

GUARD = Guardrails(policies=Path(__file__).parents[2] / "src/gnomon/guardrails/data/policies.yaml")
LAWS = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])

EMAILS = st.from_regex(r"[a-z]{2,8}\.[a-z]{2,8}@[a-z]{3,9}\.(com|org|net)", fullmatch=True)
PHONES = st.from_regex(r"\+[1-9][0-9] [1-9][0-9]{1,2} [0-9]{3,4} [0-9]{4}", fullmatch=True)
SSNS = st.builds("{:03d}-{:02d}-{:04d}".format, st.integers(1, 665), st.integers(1, 99), st.integers(1, 9999))
PERSONAL = st.one_of(EMAILS, PHONES, SSNS)
ABUSE = st.builds(
    "{} {} {}".format,
    st.sampled_from(["You are a", "You're such a", "What a", "Shut up, you"]),
    st.sampled_from(["stupid", "pathetic", "worthless", "disgusting"]),
    st.sampled_from(["idiot.", "moron!", "pig.", "loser!"]),
)
FORBIDDEN = st.sampled_from(
    [
        "You should buy shares of this company.",
        "It is stored in /home/ann/private/orders.csv.",
        "The password: Tr0ub4dor&3 is needed.",
        "Peter Miller is Catholic.",
    ]
)


# Feature: insight-agents-system, Property 32: Guardrails Application
@LAWS
@given(seed=st.integers(0, 10**6), personal=PERSONAL, abuse=ABUSE, forbidden=FORBIDDEN)
def test_every_response_is_checked_by_every_guard(
    seed: int, personal: str, abuse: str, forbidden: str
) -> None:
    sample = write(seed)
    clean = GUARD.check(sample.prose, sample.facts, names=sample.names)
    assert (clean.action, clean.text, clean.violations) == (Action.ALLOW, sample.prose, ())
    spoiled = f"{sample.prose} Ask {personal} about it. {abuse} {forbidden} There were 987,654,321 more."
    found = {v.guard for v in GUARD.check(spoiled, sample.facts, names=sample.names).violations}
    assert found == {"pii", "toxicity", "policy", "numbers"}


# Feature: insight-agents-system, Property 33: Guardrails Enforcement
@LAWS
@given(seed=st.integers(0, 10**6), personal=PERSONAL)
def test_personal_data_never_leaves(seed: int, personal: str) -> None:
    sample = write(seed)
    result = GUARD.check(f"{sample.prose} Ask {personal} about it.", sample.facts, names=sample.names)
    assert result.action is not Action.ALLOW
    assert personal not in result.text
    assert PiiDetector().find(result.text) == []
    assert all(personal not in v.message for v in result.violations)


# Feature: insight-agents-system, Property 33: Guardrails Enforcement
@LAWS
@given(seed=st.integers(0, 10**6), bad=st.one_of(ABUSE, FORBIDDEN), first=st.booleans())
def test_abuse_and_breaches_of_policy_never_leave(seed: int, bad: str, first: bool) -> None:
    sample = write(seed)
    prose = f"{bad} {sample.prose}" if first else f"{sample.prose} {bad}"
    result = GUARD.check(prose, sample.facts, names=sample.names)
    assert result.action is not Action.ALLOW
    assert result.text != prose
    assert bad not in result.text
    assert not ToxicityDetector().is_toxic(result.text)


# Feature: insight-agents-system, Property 33: Guardrails Enforcement
@LAWS
@given(seed=st.integers(0, 10**6), chance=st.integers(0, 10**6))
def test_a_wrong_number_or_direction_never_leaves(seed: int, chance: int) -> None:
    sample = write(seed)
    wrong = mutate(sample, random.Random(chance))
    assume(wrong is not None)
    assert wrong is not None
    result = GUARD.check(wrong[1], sample.facts, names=sample.names)
    assert (result.action, result.text) == (Action.REJECT, "")
    assert {v.guard for v in result.violations} == {"numbers"}


@LAWS
@given(text=st.text(max_size=300))
def test_any_text_can_be_checked(text: str) -> None:
    facts: list[Fact] = []
    result = GUARD.check(text, facts)
    assert GUARD.check_question(text).action in Action
    assert (result.text == "") if result.action is Action.REJECT else True
    assert all(0 <= c.start < c.end <= len(text) for c in NumberBinding().bind(text, facts))
