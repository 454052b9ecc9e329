from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.core.errors import GnomonError, InvalidInput, PolicyViolation
from gnomon.tools import Frame, ToolContext
from gnomon.tools.frames import PREVIEW_ROWS, Listed
from gnomon.tools.resolve import read_arrow, read_frame

SAME = {"a": [1, 2], "b": ["x", None]}


@pytest.mark.parametrize(
    "value",
    [
        [{"a": 1, "b": "x"}, {"a": 2, "b": None}],
        {"rows": [{"a": 1, "b": "x"}, {"a": 2}]},
        SAME,
        pa.table(SAME),
        pd.DataFrame(SAME),
        pl.DataFrame(SAME),
    ],
    ids=lambda v: type(v).__name__,
)
def test_rows_come_in_many_shapes(value: object) -> None:
    assert Frame.of(value).to_rows() == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]


def test_numbers_of_mixed_kinds_become_floats_and_the_rest_text() -> None:
    frame = Frame.of([{"x": 1, "y": 1}, {"x": 2.5, "y": "two"}])
    assert frame.to_rows() == [{"x": 1.0, "y": "1"}, {"x": 2.5, "y": "two"}]


@given(
    st.lists(
        st.dictionaries(
            st.text(max_size=5), st.none() | st.integers(-9, 9) | st.text(max_size=5), max_size=4
        ),
        max_size=6,
    )
)
def test_any_rows_are_read_or_refused_by_type(rows: list[dict[str, object]]) -> None:
    try:
        frame = Frame.of(rows)
    except GnomonError:
        return
    assert len(frame) == len(rows) or not any(rows)


def test_a_long_result_is_cut_and_says_so() -> None:
    shown = Frame.of([{"i": i} for i in range(PREVIEW_ROWS + 5)]).to_json()
    assert len(shown["rows"]) == PREVIEW_ROWS
    assert shown["row_count"] == PREVIEW_ROWS + 5
    assert shown["truncated"] is True


def test_a_cut_preview_is_not_taken_for_the_data() -> None:
    shown = Frame.of([{"i": i} for i in range(PREVIEW_ROWS + 5)]).to_json()
    with pytest.raises(InvalidInput, match="cut preview"):
        Frame.of(shown)


def test_a_caller_from_outside_opens_files_only_under_its_roots(tmp_path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "t.csv").write_text("a,b\n1,2\n3,4\n")
    context = ToolContext(roots=(inside,))
    assert read_frame(Frame.of({"source": str(inside / "t.csv")}), context)["a"].tolist() == [1, 3]
    for address in (outside / "t.csv", inside / ".." / "out" / "t.csv"):
        with pytest.raises(PolicyViolation, match="may not be opened"):
            read_frame(Frame.of({"source": str(address)}), context)
    link = inside / "link.csv"
    link.symlink_to(outside / "t.csv")
    with pytest.raises(PolicyViolation):
        read_frame(Frame.of({"source": str(link)}), context)
    with pytest.raises(PolicyViolation):
        read_frame(Frame.of({"source": "postgresql://127.0.0.1/x"}), context)


_CELLS = st.one_of(
    st.none(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=5),
    st.booleans(),
    st.dates(),
)


@given(st.lists(st.lists(_CELLS, min_size=3, max_size=3), min_size=1, max_size=3))
def test_plain_columns_are_what_arrow_gives_back(columns: list[list[Any]]) -> None:
    given = {str(i): values for i, values in enumerate(columns)}
    if (listed := Listed.of(given)) is not None:
        frame, through = Frame(listed), Frame(listed.arrow)
        assert frame.columns == through.columns and len(frame) == len(through) == 3
        for name in given:
            assert frame.values(name) == through.values(name)
            assert [*map(type, frame.values(name))] == [*map(type, through.values(name))]
        assert frame.to_rows() == through.to_rows()


@pytest.mark.parametrize("rows", [1, 7])
def test_rows_of_which_no_column_is_wanted_are_as_many(rows: int) -> None:
    frame = Frame.of({"rows": [{"a": i, "b": "x"} for i in range(rows)]})
    assert read_arrow(frame, ToolContext(), []).num_rows == rows
