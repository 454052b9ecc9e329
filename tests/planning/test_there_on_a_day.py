"""Who was there, and what was open, on a day: those who had come by then and not gone, against pandas."""

import random
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import gnomon

THEMES = {
    "staff": ("start_date", "leave_date", "people did we have", "team"),
    "members": ("joined_on", "left_on", "members did we have", "branch"),
    "tickets": ("opened_on", "closed_on", "tickets were open", "queue"),
    "cases": ("reported_at", "resolved_at", "cases were still open", "office"),
}


@pytest.fixture(scope="module", params=THEMES)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    theme, draw = request.param, random.Random(request.param)
    came, gone, _, group = THEMES[theme]
    first = date(2022, 1, 3)
    starts = sorted(first + timedelta(days=draw.randint(0, 1000)) for _ in range(240))
    ends = [s + timedelta(days=draw.randint(1, 300)) if draw.random() < 0.7 else None for s in starts]
    frame = pd.DataFrame(
        {
            f"{theme.removesuffix('s')}_id": range(1, 241),
            came: pd.to_datetime(pd.Series(starts)),
            gone: pd.to_datetime(pd.Series(ends)),
            group: [draw.choice(["North", "South", "West"]) for _ in starts],
        }
    )
    path: Path = tmp_path_factory.mktemp(theme) / f"{theme}.csv"
    frame.to_csv(path, index=False)
    return theme, frame, gnomon.open(path)


def there(theme: str, frame: pd.DataFrame, day: str) -> pd.DataFrame:
    came, gone, _, _ = THEMES[theme]
    at = pd.Timestamp(day)
    return frame[(frame[came] <= at) & (frame[gone].isna() | (frame[gone] > at))]


@pytest.mark.parametrize(
    ("said", "day"),
    [("on 14 May 2023", "2023-05-14"), ("at the end of 2023", "2023-12-31"), ("at the end of June 2024", "2024-06-30"),
     ("at the start of 2024", "2024-01-01")],
)  # fmt: skip
def test_the_number_on_a_day(opened: Any, said: str, day: str) -> None:
    theme, frame, analyst = opened
    answer = analyst.ask(f"How many {THEMES[theme][2]} {said}?")
    assert answer.facts[0].value == len(there(theme, frame, day)), answer.prose
    by = THEMES[theme][3]
    of_each = analyst.ask(f"How many {THEMES[theme][2]} {said} by {by}?")
    told = {r[0]: r[1] for r in of_each.tables[0].rows}
    assert told == there(theme, frame, day).groupby(by).size().to_dict(), of_each.prose


def test_what_happened_on_a_day_is_still_that(opened: Any) -> None:
    theme, frame, analyst = opened
    came = THEMES[theme][0]
    day = frame[came].iloc[100]
    verb = {"staff": "started", "members": "joined", "tickets": "were opened", "cases": "were reported"}[
        theme
    ]
    answer = analyst.ask(f"How many {theme} {verb} on {day:%-d %B %Y}?")
    assert answer.facts[0].value == int((frame[came] == day).sum()), answer.prose


def test_people_are_those_that_rows_are(tmp_path: Path) -> None:
    rows = [f"{n},{('Sales', 'Lab')[n % 2]},{20000 + n * 531 % 7919},{n % 7 + 1}" for n in range(1, 71)]
    path = tmp_path / "staff.csv"
    path.write_text("\n".join(["staff_no,dept,training_hours,mgr_no", *rows]) + "\n", encoding="utf-8")
    frame = pd.read_csv(path)
    with gnomon.open(path) as analyst:
        assert analyst.ask("How many people are there?").facts[0].value == 70
        heads = analyst.ask("headcount by dept")
        assert {r[0]: r[1] for r in heads.tables[0].rows} == frame.groupby("dept").size().to_dict()
        top = analyst.ask("Who has the most training hours?")
        assert f"staff {frame.loc[frame.training_hours.idxmax(), 'staff_no']}" in top.prose.lower(), top.prose
        most = analyst.ask("Who manages the most people?")
        assert most.facts[0].value == frame.groupby("mgr_no").size().max(), most.prose
