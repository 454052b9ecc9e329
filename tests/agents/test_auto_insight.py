"""Insights as people get them: sentences bound to facts, tables, charts, and an answer made of them."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from gnomon.agents.auto_insight import Insights, tell_insights
from gnomon.core.answer import AnswerStatus
from gnomon.core.figures import figure
from gnomon.data import open_sources, profile_dataset
from gnomon.reporting.charts import render_svg
from gnomon.semantic.infer import infer_model


def tickets(seed: int = 3, rows: int = 1_200) -> pd.DataFrame:
    """Tickets with a leading category, a slow region and a busy month."""
    rng = np.random.default_rng(seed)
    opened = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 720, rows), unit="D")
    opened = opened.where(rng.random(rows) > 0.12, pd.Timestamp("2024-05-11"))
    region = rng.choice(["north", "south", "east"], rows)
    took = rng.gamma(3, 2, rows) * np.where(region == "south", 2.2, 1)
    return pd.DataFrame(
        {
            "category": rng.choice(
                ["network", "printer", "database", "email"], rows, p=[0.55, 0.15, 0.15, 0.15]
            ),
            "region": region,
            "cost": (20 + 9 * took + rng.normal(0, 15, rows)).round(2),
            "opened_at": opened,
            "closed_at": opened + pd.to_timedelta(took.round(2), unit="D"),
        }
    )


@pytest.fixture(scope="module")
def told() -> Insights:
    with open_sources({"tickets": tickets()}) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        return tell_insights(dataset, model, top=15)


def test_each_insight_has_a_title_one_sentence_facts_a_table_and_a_chart(told: Insights) -> None:
    assert len(told) >= 6
    for insight in told:
        assert insight.title[0].isupper() and not insight.title.endswith(".")
        assert insight.sentence.endswith(".") and insight.facts and insight.table.rows
        assert insight.chance is not None and insight.chance < 0.01 and insight.test
        assert " ".join(insight.chart["title"]["text"]) == insight.title


def test_every_number_of_a_sentence_is_a_fact(told: Insights) -> None:
    for insight in told:
        said = {figure(f.value, f.unit).replace("+", "") for f in insight.facts if f.value is not None}
        values = [abs(f.value) for f in insight.facts if isinstance(f.value, (int, float))]
        text = re.sub(r"95 % sure|[A-Z][a-z]+ \d{4}", " ", insight.sentence)
        for names in [*insight.table.rows]:
            text = text.replace(str(names[0]), " ") if isinstance(names[0], str) else text
        for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text):
            value = float(number.replace(",", ""))
            near = any(
                abs(v - value) <= max(0.006 * v, 0.006) or abs(100 * v - value) <= max(0.6 * v, 0.06)
                for v in values
            )
            assert near or number in " ".join(said), (number, insight.sentence)


def test_groups_that_are_listed_have_their_figures_in_brackets(told: Insights) -> None:
    """A group may be called 2 or end in a number: "under 2 $101, 2 to 3 $201" reads as nothing."""
    listed = [x.sentence.split("; then ")[1] for x in told.insights if "; then " in x.sentence]
    assert listed
    for text in listed:
        parts = text.rstrip(".").removesuffix(" and others").split("), ")
        assert all("(" in p for p in parts), text
        assert "…" not in text


def test_what_was_planted_is_told(told: Insights) -> None:
    sentences = " ".join(i.sentence for i in told)
    assert "network has most of the tickets" in sentences
    assert "resolution time is highest for south (region)" in sentences
    assert "May 2024" in sentences


def test_the_answer_carries_prose_facts_tables_and_charts_in_order(told: Insights) -> None:
    answer = told.to_answer()
    assert answer.status is AnswerStatus.ANSWERED
    lines = answer.prose.split("\n\n")[0].split("\n")
    assert [line.partition(". ")[2] for line in lines] == [i.sentence for i in told]
    assert [t.name for t in answer.tables[:-1]] == [i.title for i in told]
    assert len(answer.charts) == len(told) and answer.suggestions
    assert json.loads(json.dumps(answer.to_dict()))["status"] == "answered"
    assert json.loads(json.dumps(told.to_dict()))["tests"] == told.tests


def test_every_chart_can_be_drawn_and_names_its_axes(told: Insights) -> None:
    for insight in told:
        assert render_svg(insight.chart).startswith("<svg")
        parts = insight.chart.get("vconcat", [insight.chart])
        drawn = [p.get("encoding", {}) for p in parts] + [
            layer["encoding"] for p in parts for layer in p.get("layer", [])
        ]
        for side in ("x", "y"):
            assert any(encoding.get(side, {}).get("title") for encoding in drawn), insight.title


def test_noise_is_answered_with_no_evidence() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"team": rng.choice(["a", "b", "c"], 200), "score": rng.normal(50, 9, 200).round(1)})
    with open_sources({"games": frame}) as dataset:
        found = tell_insights(dataset, infer_model(profile_dataset(dataset), dataset))
    assert not found.insights and "no evidence" in found.to_answer().prose


def test_with_a_goal_it_is_told_what_was_looked_for_in_vain() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"team": rng.choice(["a", "b", "c"], 300), "score": rng.normal(50, 9, 300).round(1)})
    with open_sources({"games": frame}) as dataset:
        model = infer_model(profile_dataset(dataset), dataset)
        found = tell_insights(dataset, model, goal="Does the score differ between teams?")
    assert any("no evidence that the average game score differs by team" in i.sentence.lower() for i in found)
    assert all(i.chance is None for i in found)


def test_a_group_that_fell_silent_is_told_with_what_the_others_let_expect() -> None:
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-06-01", "2025-05-31")
    closed = (days >= pd.Timestamp("2025-03-10")) & (days <= pd.Timestamp("2025-03-23"))
    rates = {"Harbour": 40, "Old Town": np.where(closed, 0, 55), "Station": 30}
    parts = [
        pd.DataFrame({"checked_in": np.repeat(days, rng.poisson(rate, len(days))), "club": club})
        for club, rate in rates.items()
    ]
    with open_sources({"visits": pd.concat(parts)}) as dataset:
        told = tell_insights(dataset, infer_model(profile_dataset(dataset), dataset))
    spell = next(i for i in told.insights if i.title.startswith("No visits"))
    assert spell.title == "No visits with club Old Town between 10 March 2025 and 23 March 2025"
    assert spell.sentence.startswith("Between 10 March 2025 and 23 March 2025, there were none of the visits")
    assert spell.sentence.endswith("were to be expected from the other visits.")
    assert not [i.title for i in told.insights if "Station was unusually" in i.title]


def test_no_rows_are_not_called_no_evidence() -> None:
    with open_sources({"visits": pd.DataFrame({"club": ["a"], "n": [1]})}) as dataset:
        told = tell_insights(dataset, infer_model(profile_dataset(dataset), dataset))
    assert (
        "no table with enough rows" in told.to_answer().prose
        and "beyond chance" not in told.to_answer().prose
    )
