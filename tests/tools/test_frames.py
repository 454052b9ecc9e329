import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.core.errors import GnomonError, InvalidInput, PolicyViolation
from gnomon.tools import Frame, ToolContext
from gnomon.tools.frames import PREVIEW_ROWS
from gnomon.tools.resolve import read_frame

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
