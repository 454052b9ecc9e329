"""Every snippet of the skill runs, in order, as an agent would run it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import yaml
from anomaly_cases import payments

from gnomon.anomaly import ACTION_TYPES
from gnomon.anomaly.state import FEEDBACK_ACTIONS

SKILL = Path(__file__).parents[2] / "skills" / "od-expert" / "SKILL.md"


def snippets() -> list[str]:
    return re.findall(r"```python\n(.*?)```", SKILL.read_text(encoding="utf-8"), re.DOTALL)


def test_the_front_matter_names_the_skill() -> None:
    front = yaml.safe_load(SKILL.read_text(encoding="utf-8").split("---")[1])
    assert front["name"] == "od-expert" and len(front["description"]) > 50


def test_every_snippet_runs_in_order() -> None:
    scope: dict[str, object] = {"data": payments(), "new_data": payments().sample(200, random_state=1)}
    out = io.StringIO()
    parts = snippets()
    assert len(parts) >= 7
    with contextlib.redirect_stdout(out):
        for i, part in enumerate(parts):
            exec(compile(part, f"snippet {i}", "exec"), scope)
    said = out.getvalue()
    assert "report_to_user" in said
    assert "Amount 8,200 where 95 % lie below 98.9; Total 9,758 where 95 % lie below 119" in said
    assert "4 rows: Amount is unusually high" in said
    assert "Proceed?" in said
    assert "# Investigation Report ['best_detector', 'session']" in said
    assert "analyzed" in said


def test_the_skill_covers_every_action() -> None:
    text = SKILL.read_text(encoding="utf-8")
    assert all(f"`{action}`" in text for action in ACTION_TYPES)
    assert all(f"`{action}`" in text for action in FEEDBACK_ACTIONS)
