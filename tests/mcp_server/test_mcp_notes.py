"""Figures that an agent is told say what they leave out and what is in doubt, also where a part of the answer is withheld."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from chains import calling
from mcp_harness import server_over


@pytest.mark.parametrize(
    "question", ["total amount by month", "total amount in 2023", "average amount by shop"]
)
def test_what_is_in_doubt_is_told_with_the_answer(question: str, tmp_path: Path) -> None:
    days = [dt.date(2023, 1, 1) + dt.timedelta(days=i) for i in range(300)]
    written = [d.strftime("%d/%m/%Y" if i in range(49, 59) else "%m/%d/%Y") for i, d in enumerate(days)]
    cells = [-999 if i % 40 == 0 else i % 17 + 1 for i in range(300)]
    rows = "".join(f"{d},{'AB'[i % 2]},{c}\n" for i, (d, c) in enumerate(zip(written, cells, strict=True)))
    (tmp_path / "orders.csv").write_text(f"order_date,shop,amount\n{rows}")
    with server_over(tmp_path / "orders.csv") as server, calling(server) as call:
        told = call("ask", {"question": question}).structured_content
    assert told["facts"], told["prose"]
    assert "-999" in told["prose"]
    assert ("fit both and are read with the month first" in told["prose"]) == ("shop" not in question)
