"""Tables full of marker values, and code that does its worst to tell them: none of them is ever sent."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.llm.endpoint import endpoint

from gnomon.agents.coder.rounds import Rounds
from gnomon.agents.coder.templates import get_template
from gnomon.agents.coder.workspace import Workspace, open_workspace
from gnomon.core.settings import Settings
from gnomon.llm import EgressLedger, ModelClient, Privacy
from gnomon.sandbox import CodeExecutor

pytestmark = pytest.mark.needs("bwrap")
RUNS = 200
ROWS = 24


def marked(seed: int) -> pd.DataFrame:
    """Every cell is like no other, and like nothing that a program says."""
    draw = random.Random(seed)
    word = [f"Qz{''.join(draw.choices('bcdfghjklmnpqrstvwxz', k=7))}" for _ in range(3 * ROWS)]
    return pd.DataFrame(
        {
            "client": word[:ROWS],
            "town": word[ROWS : ROWS + 6] * (ROWS // 6),
            "amount": [round(draw.uniform(31_000, 99_000), 3) for _ in range(ROWS)],
            "pieces": [draw.randrange(700_001, 999_999) for _ in range(ROWS)],
            "sent_on": [date(1871, 1, 1) + timedelta(days=draw.randrange(9000)) for _ in range(ROWS)],
            "remark": [f"{a} und {b}" for a, b in zip(word[ROWS:], word[2 * ROWS :], strict=False)],
        }
    )


def markers(frame: pd.DataFrame) -> list[str]:
    found = {w for c in ("client", "town") for w in frame[c]} | {
        w for r in frame.remark for w in r.split(" und ")
    }
    found |= {str(v) for c in ("amount", "pieces") for v in frame[c]} | {str(int(v)) for v in frame.amount}
    return sorted({m.lower() for m in found} | {d.isoformat() for d in frame.sent_on})


CELL = ["t.client.iloc[{i}]", "t.town.iloc[{i}]", "t.amount.iloc[{i}]", "t.pieces.iloc[{i}]", "t.sent_on.iloc[{i}]", "t.remark.iloc[{i}]"]  # fmt: skip
TRICKS = [
    "print(t)", "print(t.head().to_string())", "print({cell})", "t", "t.describe()", "print(t.to_dict())",
    "raise ValueError(f'bad value {{{cell}}}')", "raise KeyError({cell})", "t[{cell}]", "{{}}[{cell}]", "t.loc[{cell}]",
    "raise type(str({cell}), (Exception,), {{}})('x')", "raise type('KeyError', (Exception,), {{}})(str({cell}))",
    "int(str({cell}))", "float('x' + str({cell}))", "pd.to_datetime(t.client)", "pd.to_datetime(str({cell}), format='%H')",
    "assert False, {cell}", "finding(str({cell}), 1)", "finding('x', {cell}, str({cell}))", "finding('x', t)",
    "finding('rows', t.set_index('client').T)", "finding('p', t.pivot_table(index='sent_on', columns='town', values='amount'))",
    "globals()[str({cell})] = t", "globals()['v_' + str({cell})] = 1", "import warnings; warnings.warn(str({cell}))",
    "import sys; print({cell}, file=sys.stderr)", "raise ValueError('shape (' + str({cell}) + ',)')",
    "raise ValueError('operands could not be broadcast together with shapes (' + str({cell}) + ',) (3,)')",
    "raise ValueError('line ' + str({cell}))", "print('[' + str({cell}) + ' rows x 3 columns]')",
    "raise KeyError(\"None of [Index(['\" + str({cell}) + \"'])] are in the [columns]\")", "t.nope_{i}", "undefined_{i}",
    "x = pd.DataFrame(index=range(int(float(str(t.pieces.iloc[{i}])))))", "print('\\n' * 50)", "getattr(t, str({cell}))",
    "import nothing; nothing.x", "exec(str({cell}))", "eval('a b ' + str({cell}))", "open(str({cell}))",
    "raise NameError(\"name '\" + str({cell}) + \"' is not defined\")", "raise SystemExit(str({cell}))",
    "raise AttributeError(\"'DataFrame' object has no attribute '\" + str({cell}) + \"'\")", "t.merge(t, on={cell})",
    "result[str({cell})] = {cell}", "result['ok'] = t.amount.mean()", "finding('total', t.amount.sum())", "t.query('client == ' + str({cell}))",
    "raise Exception(*list(t.client))", "try:\n    1/0\nexcept Exception as e:\n    raise RuntimeError(str({cell})) from e",
    "import altair as alt\nalt.Chart(t).mark_bar().encode(x='client', y='amount').properties(title=str({cell}))",
    "class A:\n    def __repr__(self):\n        return str({cell})\nA()", "finding('obj', type(str({cell}), (), {{}})())",
]  # fmt: skip


def move(draw: random.Random) -> dict[str, Any]:
    if draw.random() < 0.2:
        slot = draw.choice(["total", "x", "finding_1", "ok", "mean_amount"])
        return {"action": "analysis_complete", "description": "done", "conclusion": f"It is {{{{{slot}}}}}."}
    if draw.random() < 0.1:
        return {"action": "collect_figures", "description": "keep", "figures": [draw.randrange(4)]}
    lines = ["import pandas as pd"]
    for _ in range(draw.randrange(1, 3)):
        cell = draw.choice(CELL).format(i=draw.randrange(ROWS))
        lines.append(draw.choice(TRICKS).format(cell=cell, i=draw.randrange(ROWS)))
    return {
        "action": "generate_code",
        "description": draw.choice(["look", "sum up", "count"]),
        "code": "\n".join(lines),
    }


@contextmanager
def opened(
    folder: Path, seed: int, privacy: Privacy
) -> Iterator[tuple[pd.DataFrame, Workspace, CodeExecutor]]:
    frame = marked(seed)
    path = folder / "t.parquet"
    frame.assign(sent_on=pd.to_datetime(frame.sent_on)).to_parquet(path)
    with (
        open_workspace([path], Settings.load(), privacy=privacy) as workspace,
        CodeExecutor(files=workspace.files) as executor,
    ):
        yield frame, workspace, executor


@pytest.mark.long
@pytest.mark.parametrize(("privacy", "runs"), [(Privacy.SCHEMA, RUNS * 3 // 4), (Privacy.STRICT, RUNS // 4)])
def test_no_marker_is_ever_sent(privacy: Privacy, runs: int, tmp_path: Path) -> None:
    draw = random.Random(f"canary {privacy}")
    with opened(tmp_path, 17, privacy) as (frame, workspace, executor):
        with endpoint(lambda: json.dumps(move(draw))) as served:
            settings = Settings.load(model="small", model_url=served.url, privacy=privacy.value)
            client = ModelClient.of(settings)
            assert client is not None
            failed = worked = 0
            for n in range(runs):
                asked = f"look at {frame[draw.choice(['client', 'town'])].iloc[draw.randrange(ROWS)]} and {frame.pieces.iloc[n % ROWS]}"
                rounds = Rounds(
                    client=client, executor=executor, workspace=workspace, requirement=asked,
                    template=get_template("health_check") if n % 5 == 0 else None, run=f"run-{n}",
                    max_rounds=2, max_retries=1, window_size=1, cancel=None, tell=lambda *_, **__: None,
                )  # fmt: skip
                record = rounds.go()
                failed += sum(not c.ok for c in record.cells)
                worked += sum(c.ok for c in record.cells)
            client.close()
        sent = EgressLedger.of(settings).bodies()
    assert sent == served.bodies
    assert len(sent) >= 1.5 * runs and failed > runs / 2 and worked > runs / 4, (
        "the runs did what they are for"
    )
    text = b"\n".join(sent).decode().lower()
    assert [m for m in markers(frame) if m in text] == []
    if privacy is Privacy.STRICT:
        names = ("client", "town", "pieces", "sent_on", "remark")
        first = [json.loads(b)["messages"][1]["content"] for b in sent]
        assert [n for n in names if any(n in f for f in first)] == []


def test_the_markers_would_be_found_where_they_are_sent(tmp_path: Path) -> None:
    frame = marked(17)
    shown = json.dumps({"content": f"{frame.head()} {frame.pieces.iloc[3]}"}).lower()
    assert len([m for m in markers(frame) if m in shown]) > 5
