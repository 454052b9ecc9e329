"""A question that was read is not read again, and nothing of a conversation stays in what is remembered."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.planning.readers import reader_over

from gnomon.planning.reader import GrammarReader

DAY = date(2025, 3, 15)
ROWS = ["day,region,sales", *(f"2025-0{1 + i % 3}-1{i % 9},{'NS'[i % 2]}orth,{i}" for i in range(40))]


@pytest.fixture
def reader(tmp_path: Path) -> GrammarReader:
    return reader_over(tmp_path, {"orders": ROWS})


def test_the_same_words_on_the_same_day_are_read_once(reader: GrammarReader) -> None:
    first = reader.read("total sales last month by region", today=DAY)
    assert reader.read("total sales last month by region", today=DAY) is first
    assert (
        GrammarReader(reader.model, reader.index).read("total sales last month by region", today=DAY) == first
    )


def test_on_another_day_they_are_read_anew(reader: GrammarReader) -> None:
    (before,) = reader.read("total sales last month", today=DAY).parts
    (after,) = reader.read("total sales last month", today=date(2025, 2, 15)).parts
    assert before.time_range is not None and after.time_range is not None
    assert (before.time_range.start.month, after.time_range.start.month) == (2, 1)


def test_what_continues_a_conversation_is_read_by_what_came_before(reader: GrammarReader) -> None:
    alone = reader.read("and by region?", today=DAY)
    (sales,) = reader.read("total sales", today=DAY).requests
    (count,) = reader.read("how many orders are there", today=DAY).requests
    after_sales = reader.read("and by region?", today=DAY, previous=sales)
    after_count = reader.read("and by region?", today=DAY, previous=count)
    assert after_sales.requests != after_count.requests
    assert reader.read("and by region?", today=DAY, previous=sales) == after_sales
    assert reader.read("and by region?", today=DAY) == alone
