"""Outputs as JSON values: whatever a cell holds, it is written down."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from gnomon.execution.plain import plain, preview
from gnomon.tools import Frame


@pytest.mark.parametrize(
    ("cell", "written"),
    [(b"\x00\xfa\xff", "\x00\\xfa\\xff"), (b"abc", "abc"), ("ä".encode(), "ä"), (b"", "")],
)
def test_bytes_that_are_no_text_are_written_down(cell: bytes, written: str) -> None:
    rows = Frame(pa.table({"picture": pa.array([cell, None], pa.binary())}))
    for told in (plain(cell), plain({"deep": [cell]})["deep"][0], preview(rows)["rows"][0]["picture"]):
        assert told == written
    assert json.dumps(plain(bytearray(cell)))
