"""Every Python snippet of the user guide runs, in order."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest
from anomaly_cases import PLANTED, payments

GUIDE = Path(__file__).parents[2] / "docs" / "anomaly.md"


@pytest.mark.long
def test_every_snippet_of_the_guide_runs_in_order() -> None:
    parts = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(parts) >= 9
    known = np.zeros(600, dtype=int)
    known[list(PLANTED)] = 1
    scope: dict[str, object] = {
        "payments": payments(),
        "todays_payments": payments().sample(150, random_state=2),
        "known_labels": known,
    }
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for i, part in enumerate(parts):
            exec(compile(part, f"snippet {i} of the guide", "exec"), scope)
    said = out.getvalue()
    assert "Amount 7,900 where 95 % lie below" in said
    assert "confirm_with_user {'action': 'adjust_contamination'" in said
    assert "\n12\n" in said and "\nTrue\n" in said
