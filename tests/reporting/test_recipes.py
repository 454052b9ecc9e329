"""What a recipe keeps of a result comes back as it was, whatever a language model had to do with it."""

from pathlib import Path

import pytest
from tests.planning.test_select import CASES, MODEL, shop

from gnomon.core.errors import InvalidInput
from gnomon.planning.model_reader.select import read_select
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.recipes import AskedLast, read_by_model, recipe_of, record_recipe
from gnomon.replaying import recompute
from gnomon.reporting import Document, Recipe, bundle_of, load_bundle
from gnomon.reporting.compare import same_value


@pytest.mark.parametrize("sql", list(CASES)[::5])
def test_what_a_model_made_of_a_question_is_kept_as_it_was(sql: str, tmp_path: Path) -> None:
    _, retriever = shop()
    ask = read_select(sql, MODEL, retriever.columns()).ask
    reading = Reading(
        status=ReadingStatus.CLEAR, ask=ask, privacy="schema", local=Reading(status=ReadingStatus.PARTIAL)
    )
    asked = AskedLast(question="how many?", reading=read_by_model(reading))
    recipe = recipe_of("answer", ["shop.csv"], asked)
    kept = tmp_path / "out.json"
    kept.write_text(bundle_of(Document(kind="answer", title="How many?", recipe=recipe)))
    back = load_bundle(kept).recipe
    assert back is not None
    again = AskedLast.model_validate(back.arguments)
    assert again == asked
    assert again.reading is not None and again.reading.ask == ask and again.reading.privacy is None


def cell(number: int, action: str, ok: bool = True) -> dict[str, object]:
    told = {"description": "d", "code": f"x = {number}", "language": "python", "ok": ok}
    return {"number": number, "round": number, "action": action, **told}


def test_an_analysis_is_done_again_by_what_made_its_findings() -> None:
    coded, failed, planned = cell(1, "generate_code"), cell(2, "generate_code", ok=False), cell(3, "template")
    kinds = {
        "template": record_recipe("health_check", "", [planned], ["a.csv"]),
        "code": record_recipe("health_check", "", [coded, failed], ["a.csv"]),
        "fallback": record_recipe("health_check", "", [coded, planned], ["a.csv"]),
    }
    assert {k: r and r.kind for k, r in kinds.items()} == {
        "template": "template",
        "code": "code",
        "fallback": "template",
    }
    assert kinds["code"] is not None
    assert [c["code"] for c in kinds["code"].arguments["cells"]] == ["x = 1"]
    assert record_recipe(None, "what?", [failed], ["a.csv"]) is None


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(kind="answer", sources=("x.csv",), arguments={}),
        Recipe(kind="answer", sources=("x.csv",), arguments={"question": "q", "today": "never"}),
        Recipe(kind="answer", sources=("x.csv",), arguments={"question": "q", "before": [{"asked": 1}]}),
        Recipe(kind="investigation", sources=("x.csv",), arguments={"name": "x"}),
        Recipe(kind="code", sources=("x.csv",), arguments={"requirement": "r", "cells": [{"code": 1}]}),
        Recipe(kind="template", sources=("x.csv",), arguments={"template": 5}),
    ],
)
def test_a_recipe_that_was_tampered_with_is_told_plainly(recipe: Recipe) -> None:
    with pytest.raises(InvalidInput, match="does not say how to compute it again"):
        recompute(recipe)


def test_values_are_the_same_whichever_way_they_were_carried() -> None:
    from datetime import date, datetime
    from decimal import Decimal

    alike = [
        (1, 1.0), (0.1 + 0.2, 0.3), (Decimal("1.5"), 1.5), (float("nan"), None),
        (date(2024, 5, 1), "2024-05-01"), (datetime(2024, 5, 1), date(2024, 5, 1)), ("a", "a"), (None, None),
    ]  # fmt: skip
    assert all(same_value(a, b) and same_value(b, a) for a, b in alike)
    apart = [(1, 2), (1, True), ("1", 1), (None, 0), (date(2024, 5, 1), "2024-05-02"), (1.0, 1.0 + 1e-6)]
    assert not any(same_value(a, b) or same_value(b, a) for a, b in apart)
