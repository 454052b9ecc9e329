"""The correctness properties of the Insight Generator: routing, paths, retrieval, methods, causes and advice."""

import json
import re
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from tests.agents.insight_store import LAST_DAY, result_of, stocked

from gnomon.agents.insight import DomainAwareRouter, DomainPathRegistry, InsightResult
from gnomon.agents.insight.findings import KNOWN, NEXT, WHAT, WHY, prose_of
from gnomon.agents.insight.writing import InsightWriter
from gnomon.llm import ModelClient, Privacy

LAWS = settings(max_examples=100, deadline=None)
HELD = Path(__file__).with_name("insight_routing.tsv")
SOURCE_DOMAINS = ("performance", "benchmarking", "recommendation", "trend", "seasonal")
QUESTIONS = {
    "performance": "Why did revenue drop in the week of 18 November 2024?",
    "benchmarking": "How does the north compare with the other regions?",
    "recommendation": "What should I do about revenue?",
    "trend": "Is there a long-term trend in revenue?",
    "seasonal": "Is revenue seasonal?",
}


@cache
def router() -> DomainAwareRouter:
    """The shipped one."""
    return DomainAwareRouter(DomainPathRegistry.load_from_config())


def held_out() -> list[tuple[tuple[str, ...], str]]:
    """Labelled questions that nothing was learned from."""
    lines = [x.split("\t") for x in HELD.read_text(encoding="utf-8").splitlines() if not x.startswith("#")]
    return [(tuple(domains.split(",")), question) for domains, question in lines]


@cache
def explained(domain: str) -> InsightResult:
    """The insight that a question of a domain gets over the store with a planted stock-out."""
    return result_of(QUESTIONS[domain], (domain,))


# Feature: insight-agents-system, Property 25: Domain-Specific Decomposition
@LAWS
@given(
    asked=st.sampled_from([q for _, q in held_out()]), end=st.sampled_from(["", "?", " please", ", thanks"])
)
def test_any_question_for_an_insight_is_put_into_one_or_more_domains(asked: str, end: str) -> None:
    chosen = router().choose(asked.rstrip("?.") + end)
    assert set(SOURCE_DOMAINS) <= set(router().registry.domains)
    assert 1 <= len(chosen.domains) <= 3 and set(chosen.domains) <= set(router().registry.domains)
    assert sum(chosen.probabilities.values()) == pytest.approx(1)
    assert chosen.domains[0] == max(chosen.probabilities, key=lambda d: chosen.probabilities[d])
    assert router().route(asked).domains == router().choose(asked).domains


# Feature: insight-agents-system, Property 26: Few-Shot Domain Routing
def test_questions_in_other_words_than_the_examples_reach_their_domain() -> None:
    held = held_out()
    learned = {text.casefold() for text, _ in router().registry.asks}
    assert not learned & {q.casefold() for _, q in held}
    chosen = [(wanted, router().choose(q).domains) for wanted, q in held]
    first = sum(got[0] == wanted[0] for wanted, got in chosen)
    assert first >= 0.87 * len(held)
    assert sum(wanted[0] in got for wanted, got in chosen) >= 0.9 * len(held)


# Feature: insight-agents-system, Property 26: Few-Shot Domain Routing
def test_a_domain_that_a_user_adds_is_learned_from_its_few_questions(tmp_path: Path) -> None:
    asks = ["Who should work on Saturday?", "Is the night shift short of staff?", "How many nurses do we need?",
            "Plan the rota for next week.", "Do we have enough people on duty?", "Which ward is understaffed?"]  # fmt: skip
    (tmp_path / "staffing.yaml").write_text(
        json.dumps(
            {"domain": "staffing", "methods": ["time_series"], "asks": asks, "knowledge": "Rest counts."}
        )
    )
    added = DomainAwareRouter(DomainPathRegistry.load_from_config(tmp_path))
    assert "staffing" in added.registry.domains
    assert added.choose("Are there too few people on the late shift?").domains[0] == "staffing"
    assert added.choose("Why did sales drop last week?").domains[0] == "performance"


# Feature: insight-agents-system, Property 27: Domain Path Completeness
@LAWS
@given(st.lists(st.sampled_from(list(DomainPathRegistry.load_from_config().domains)), min_size=1, max_size=4))
def test_any_path_has_methods_knowledge_a_prompt_and_examples(domains: list[str]) -> None:
    path = router().registry.get_path(domains)
    assert path.domains == tuple(dict.fromkeys(domains))
    assert path.analytical_methods and path.domain_knowledge.strip() and path.knowledge
    assert path.prompt_template.strip() and path.few_shot_examples
    for domain in domains:
        own = router().registry.get_path([domain])
        assert set(own.analytical_methods) <= set(path.analytical_methods)
        assert set(own.knowledge) <= set(path.knowledge)


# Feature: insight-agents-system, Property 28: Dynamic Domain Knowledge Injection
@pytest.mark.long
@pytest.mark.parametrize("domain", SOURCE_DOMAINS)
def test_what_is_known_of_the_domain_goes_into_the_insight(domain: str) -> None:
    result = explained(domain)
    own = router().registry.get_path([domain]).knowledge
    assert result.knowledge == own
    said = [s.text for s in result.statements if s.section == KNOWN]
    assert len(said) == 1 and said[0] in own and said[0].rstrip(".") in result.insights


class Echo:
    """A model that gives the lines back in other words, and remembers what it was sent."""

    def __init__(self, change: Any = lambda line: line) -> None:
        self.sent: list[str] = []
        self._change = change

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [str(getattr(p, "content", p)) for m in messages for p in m.parts]
        self.sent.append("\n".join([info.instructions or "", *parts]))
        given = self.sent[-1].rpartition("Lines:\n")[2].strip().splitlines()
        lines = [self._change(line.partition(". ")[2]) for line in given]
        return ModelResponse(parts=[TextPart(json.dumps({"lines": lines}))])


# Feature: insight-agents-system, Property 29: Insight Generation with CoT and Domain Examples
@pytest.mark.parametrize("domain", SOURCE_DOMAINS)
def test_a_model_writes_by_the_examples_of_the_domain_and_around_slots_alone(domain: str) -> None:
    result, path = explained(domain), router().registry.get_path([domain])
    echo = Echo(lambda line: f"Here is the thing: {line}")
    written = InsightWriter(ModelClient(FunctionModel(echo), privacy=Privacy.SCHEMA)).rewrite(
        result.statements, path
    )
    sent = echo.sent[0]
    assert all(example.strip().splitlines()[0] in sent for example in path.few_shot_examples)
    assert all(line in sent for line in path.knowledge) and "step by step" in sent
    lines = sent.rpartition("Lines:\n")[2]
    assert not any(
        c.isdigit() for c in lines.replace("slot", "").translate(str.maketrans("", "", "0123456789{}. "))
    )
    assert "P03" not in lines and "north" not in lines  # what the cells hold stays here
    assert [s.facts for s in written] == [s.facts for s in result.statements]
    assert any(w.text.startswith("Here is the thing") for w in written)
    assert all(w.is_bound for w in written if w.facts)


# Feature: insight-agents-system, Property 29: Insight Generation with CoT and Domain Examples
def test_a_model_that_adds_a_number_or_a_direction_is_not_listened_to() -> None:
    result, path = explained("performance"), router().registry.get_path(["performance"])
    for invented in (" That is 40 more.", " It is the highest ever.", " Two of three agree."):
        echo = Echo(lambda line, more=invented: line + more)
        client = ModelClient(FunctionModel(echo), privacy=Privacy.SCHEMA)
        assert InsightWriter(client).rewrite(result.statements, path) == list(result.statements)


# Feature: insight-agents-system, Property 34: Multi-Dimensional Data Retrieval
@pytest.mark.parametrize("domain", ["performance", "recommendation"])
def test_a_diagnosis_looks_at_several_sides_of_the_data_side_by_side(domain: str) -> None:
    result = explained(domain)
    assert len(result.dimensions) >= 2, result.dimensions
    plan = result.answer.plan
    assert plan is not None
    retrieved = [s for s in plan.steps if s.id.startswith("retrieve")]
    assert len(retrieved) >= 4 and not any(s.needs for s in retrieved)
    assert len({s.tool for s in retrieved}) >= 2


# Feature: insight-agents-system, Property 35: Analytical Techniques Application
@pytest.mark.parametrize(
    ("domain", "method"),
    [("performance", "causes"), ("benchmarking", "benchmark"), ("trend", "trend"), ("seasonal", "seasonal")],
)
def test_the_methods_of_the_path_are_applied_and_no_others(domain: str, method: str) -> None:
    result = explained(domain)
    allowed = {m.value for m in router().registry.get_path([domain]).analytical_methods}
    assert set(result.analysis) <= allowed | {"time_series"}
    if domain != "trend":  # a flat series with noise has no trend to find, which is said
        assert result.analysis.get(method)
    assert result.domain == (domain,)


# Feature: insight-agents-system, Property 36: Causal Analysis Output
def test_the_planted_cause_is_named_first_and_the_figures_are_those_of_the_data() -> None:
    result = explained("performance")
    causes = [
        f for f in result.analysis["causes"] if f.kind == "cause" and f.verdict in ("likely", "contributing")
    ]
    assert causes and "stockout" in causes[0].words["cause"]
    assert causes[0].worse is True and causes[0].facts["effect"].value < 0  # type: ignore[operator]
    truth = stocked()
    week = truth["orders"]["order_date"].between(date(2024, 11, 18), date(2024, 11, 24))
    now = next(f for f in result.answer.facts if f.name == "revenue.current")
    names = [f.name for d in SOURCE_DOMAINS for f in explained(d).answer.facts]
    assert not [n for n in names if re.search(r"_\d$", n)], names  # each fact has a name of its own
    assert now.value == pytest.approx(truth["orders"].loc[week, "revenue"].sum())


# Feature: insight-agents-system, Property 37: Insight Response Completeness
@pytest.mark.parametrize("domain", SOURCE_DOMAINS)
def test_every_insight_says_what_happened_why_and_what_to_do(domain: str) -> None:
    result = explained(domain)
    sections = {s.section for s in result.statements}
    assert {WHAT, WHY, NEXT} <= sections
    assert "\n\nWhy:\n" in result.insights and "What to do next:" in result.insights
    assert result.insights == prose_of(result.statements)
    assert all(s.facts for s in result.recommendations if ":" in s.text)


# Feature: insight-agents-system, Property 38: Domain Expert Knowledge Usage
def test_a_rule_that_an_expert_writes_is_followed_where_its_condition_holds(tmp_path: Path) -> None:
    rule = {
        "id": "call_supplier",
        "when": {
            "finding": "cause",
            "verdict": ["likely", "contributing"],
            "worse": True,
            "words": ["stockout"],
        },
        "advice": "Call the supplier about {segment}",
        "effect": "it costs {effect}",
    }
    other = {
        **rule,
        "id": "never",
        "when": {**rule["when"], "words": ["weather"]},
        "advice": "Wait for the sun",
    }
    (tmp_path / "own.yaml").write_text(json.dumps({"domain": "performance", "playbook": [rule, other]}))
    told = result_of(QUESTIONS["performance"], ("performance",), tmp_path)
    advice = [s.text for s in told.recommendations]
    assert any(a.startswith("Call the supplier about") for a in advice), advice
    assert not any("sun" in a for a in advice)
    assert not any("Call the supplier" in s.text for s in explained("performance").recommendations)
    assert date(2024, 11, 18) < LAST_DAY
