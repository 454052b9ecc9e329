"""Things that a table speaks of in several rows are told with the rows; hours of the day are told in a sentence."""

import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import gnomon


@pytest.fixture(scope="module", params=[3, 8])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    draw = random.Random(request.param)
    first = datetime(2023, 1, 1)
    frame = pd.DataFrame(
        {
            "ferry_no": [draw.randint(100, 130) for _ in range(400)],
            "departs_at": [first + timedelta(minutes=draw.randint(0, 500_000)) for _ in range(400)],
            "delay_min": [max(0, round(draw.gauss(10, 20))) for _ in range(400)],
            "cancelled": [draw.choice("YNNNNN") for _ in range(400)],
        }
    )
    path: Path = tmp_path_factory.mktemp("ferries") / "ferry_runs.csv"
    frame.to_csv(path, index=False)
    return frame, gnomon.open(path)


def told(answer: Any) -> dict[str, Any]:
    return {f.name: f.value for f in answer.facts}


def test_a_number_of_things_says_in_how_many_rows_they_are(runs: Any) -> None:
    frame, analyst = runs
    off = frame[frame.cancelled == "Y"]
    answer = analyst.ask("How many ferries were cancelled?")
    assert answer.facts[0].value == off.ferry_no.nunique() and told(answer)["rows"] == len(off)
    assert (
        f"There were {off.ferry_no.nunique()} " in answer.prose
        and f", in {len(off)} ferry runs" in answer.prose
    )
    some = analyst.ask("How many ferries had a delay of more than 30 minutes?")
    assert some.facts[0].value == frame[frame.delay_min > 30].ferry_no.nunique() and "rows" not in told(some)
    every = analyst.ask("How many ferries are there?")
    assert every.facts[0].value == frame.ferry_no.nunique() and "rows" not in told(every)


def test_a_share_of_things_is_told_by_rows_as_well(runs: Any) -> None:
    frame, analyst = runs
    off = frame[frame.cancelled == "Y"]
    answer = analyst.ask("What share of ferries was cancelled?")
    assert told(answer)["rows.share"] == pytest.approx(100 * len(off) / len(frame))
    assert answer.facts[0].value == pytest.approx(100 * off.ferry_no.nunique() / frame.ferry_no.nunique())
    assert f"{len(off)} of {len(frame)}" in answer.prose


def test_hours_of_the_day_are_told_in_a_sentence(runs: Any) -> None:
    frame, analyst = runs
    early = frame[frame.departs_at.dt.hour.between(6, 8)]
    answer = analyst.ask("average delay between 6 and 9 am")
    assert answer.facts[0].value == pytest.approx(early.delay_min.mean())
    assert answer.prose.startswith("Average delay was ") and "from 06:00 to 09:00." in answer.prose
