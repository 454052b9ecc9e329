"""Several aggregations of one measure, before it or behind it: each is told, and nothing that was not asked for."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from gnomon import open as open_data
from gnomon.agents.analyst import Analyst

COSTS = [100 + 7 * (i % 41) + i / 10 for i in range(300)]


@pytest.fixture(scope="module")
def repairs(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    folder: Path = tmp_path_factory.mktemp("repairs")
    rows = [
        f"R{i:04d},2024-{1 + i % 12:02d}-11,{('roof', 'lift')[i % 2]},{c:.2f}" for i, c in enumerate(COSTS)
    ]
    (folder / "repairs.csv").write_text("repair_id,done_on,part,labour_cost_eur\n" + "\n".join(rows) + "\n")
    return open_data(folder)


@pytest.mark.parametrize(
    ("words", "shares"),
    [
        ("minimum, median and maximum of labour cost", (0.0, 0.5, 1.0)),
        ("Labour cost: minimum, median and maximum", (0.0, 0.5, 1.0)),
        ("10th, 50th and 90th percentiles of labour cost", (0.1, 0.5, 0.9)),
        ("What are the lower quartile, the median and the upper quartile of labour cost?", (0.25, 0.5, 0.75)),
    ],
)
def test_each_is_told_and_nothing_else(repairs: Analyst, words: str, shares: tuple[float, ...]) -> None:
    ordered = sorted(COSTS)
    answer = repairs.ask(words, today=date(2025, 1, 5))
    values = [f.value for f in answer.facts]
    assert len(values) == len(shares)
    for value, share in zip(values, shares, strict=True):
        place = share * (len(ordered) - 1)
        low = ordered[int(place)]
        high = ordered[min(int(place) + 1, len(ordered) - 1)]
        assert value == pytest.approx(low + (place - int(place)) * (high - low))


def test_a_total_stays_where_it_was_asked_for(repairs: Analyst) -> None:
    answer = repairs.ask("total and average labour cost", today=date(2025, 1, 5))
    assert [f.value for f in answer.facts] == [
        pytest.approx(sum(COSTS)),
        pytest.approx(sum(COSTS) / len(COSTS)),
    ]
