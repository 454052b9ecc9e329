"""Prompts and column names that generated requests have tripped over."""

import pytest
from tests.planning.fake_models import TODAY, VALUES, parcels

from gnomon.planning import ContextExtractor
from gnomon.planning.reader import GrammarReader
from gnomon.planning.reading import ReadingStatus
from gnomon.semantic.values import ValueIndex


def test_columns_named_by_signs_alone_do_not_grow_the_text() -> None:
    rows = [
        dict.fromkeys(
            ("", "-", "--", "…", "!!", "??", "**", "::", ";;", "//", "##", "&&", "$$", "..", "~~"), 1.0
        )
    ]
    rows[0]["weekly total"] = 2.0
    context = ContextExtractor().extract("total by week " * 40, rows)
    assert context.parameters.get("grain") == "week"


@pytest.mark.parametrize(
    "question", ["3 services", "3 towns", "4 origin", "2 damaged", "3 depots", "0 staff"]
)
def test_a_number_and_a_name_alone_are_read(question: str) -> None:
    assert GrammarReader(parcels(), ValueIndex(VALUES)).read(question, today=TODAY).status in ReadingStatus
