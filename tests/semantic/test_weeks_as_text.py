"""Weeks written as text, such as 2024-W05, are days that can be grouped and filtered."""

import datetime as dt
import random
from collections import Counter
from pathlib import Path

import pytest

import gnomon


def _first_day(year: int, week: int) -> dt.date:
    return dt.date.fromisocalendar(year, week, 1)


@pytest.mark.parametrize("written", ["{y}-W{w:02d}", "{y}W{w:02d}", "KW {w}/{y}"])
def test_amounts_of_weeks_are_told_by_month_and_week(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path / "home"))
    rng = random.Random(written)
    rows = [(y, w, rng.randint(1, 99)) for y in (2023, 2024) for w in range(1, 53)]
    lines = "".join(f"{written.format(y=y, w=w)},{v}\n" for y, w, v in rows)
    (tmp_path / "sales.csv").write_text("period,amount\n" + lines)
    months: Counter[str] = Counter()
    for y, w, v in rows:
        months[_first_day(y, w).strftime("%Y-%m")] += v
    with gnomon.open(str(tmp_path / "sales.csv")) as analyst:
        answer = analyst.ask("amount by month")
        assert answer.status == "answered", answer.prose
        told = {str(r[0])[:7]: int(r[1]) for r in answer.tables[0].rows}
        assert told == dict(months)
        weekly = analyst.ask("amount by week")
        assert weekly.status == "answered", weekly.prose
        assert {str(r[0])[:10]: int(r[1]) for r in weekly.tables[0].rows} == {
            _first_day(y, w).isoformat(): v for y, w, v in rows
        }
        march = sum(v for y, w, v in rows if (y, _first_day(y, w).month) == (2024, 3))
        assert str(march) in analyst.ask("total amount in March 2024").prose
