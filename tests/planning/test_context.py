"""The extractor: the published structure, methods that do what their names say, and its score on labelled prompts."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.planning.scoring import score
from tests.tools.rows import daily_sales

from gnomon.core.errors import GnomonError, InvalidInput
from gnomon.planning import ContextExtractor

PROMPTS = Path(__file__).parent / "prompts"
ROWS = daily_sales(days=30)


def extract(prompt: str, data: Any, method: str = "hybrid") -> dict[str, Any]:
    context = ContextExtractor(method).extract(prompt, data)
    return {**context.to_dict(), "goals": [g.value for g in context.reading.goals]}


def test_the_published_structure_exactly() -> None:
    found = ContextExtractor().extract("Detect anomalies in sales data with threshold 2.5", ROWS).to_dict()
    assert set(found) == {
        "goal", "constraints", "data_type", "data_characteristics", "parameters", "user_preferences",
    }  # fmt: skip
    assert found["data_characteristics"] == {
        "row_count": 30,
        "has_timestamps": True,
        "numeric_columns": ["sales", "units", "lat", "lon"],
        "categorical_columns": ["region"],
    }
    assert found["goal"] == "detect_anomalies"
    assert found["parameters"] == {"metric": "sales", "threshold": 2.5}
    assert found["user_preferences"] == {"output_format": "json", "visualization": False}


def test_the_methods_differ_as_their_names_say() -> None:
    prompt = "forecast sales for the next 14 days with 95 % confidence, under 5 seconds"
    words = extract(prompt, ROWS, "rule_based")
    patterns = extract(prompt, ROWS, "regex")
    both = extract(prompt, ROWS)
    assert words["goals"] == ["forecast"]
    assert words["constraints"] == []
    assert "horizon" not in words["parameters"]
    assert patterns["goals"] == []
    assert patterns["parameters"] == {
        "horizon": 14,
        "horizon_unit": "day",
        "confidence": 0.95,
        "max_seconds": 5.0,
    }
    assert both["goals"] == ["forecast"]
    assert both["parameters"] == words["parameters"] | patterns["parameters"]
    assert both["constraints"] == patterns["constraints"] != []


def test_meaning_helps_where_no_word_does() -> None:
    prompt = "are saturdays always the busiest?"
    assert extract(prompt, ROWS, "rule_based")["goals"] == []
    assert extract(prompt, ROWS)["goals"] == ["seasonality_analysis"]


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'hybrid'"):
        ContextExtractor("hybird")


@pytest.mark.parametrize("prompt", ["", "   ", "x" * 20_000])
def test_a_prompt_that_cannot_be_read_is_refused(prompt: str) -> None:
    with pytest.raises(InvalidInput):
        ContextExtractor().extract(prompt)


@given(st.text(max_size=120), st.sampled_from(["rule_based", "regex"]))
def test_any_prompt_is_read_or_refused(prompt: str, method: str) -> None:
    try:
        found = extract(prompt, None, method)
    except GnomonError:
        return
    assert isinstance(found["constraints"], list)


LEAST = {
    "goals": 0.82, "goals_set": 0.84, "data_type": 0.95, "parameters": 0.87, "constraints": 0.84, "visualization": 0.95,
    "output_format": 0.85,
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", ["development", "held_out"])
def test_it_reads_prompts_that_it_was_not_written_from(name: str) -> None:
    found = score(extract, PROMPTS / f"{name}.jsonl")
    assert found["prompts"] == 110
    short = {k: (round(found[k], 3), least) for k, least in LEAST.items() if found[k] < least}
    assert short == {}


@pytest.mark.parametrize("module", ["context", "chaining"])
def test_a_component_shows_itself_at_work(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", f"gnomon.planning.{module}", "Forecast", "sales", "after", "removing", "outliers"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "forecast" in done.stdout
