"""Frames arrive whole whatever the pieces, and nothing else is taken for one."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.sandbox.inside.frames import HEADER_BYTES, BrokenFrame, FrameReader, pack

HEADERS = st.dictionaries(
    st.text(max_size=8).filter(lambda k: k != "blobs"), st.integers() | st.text(max_size=20), max_size=5
)
BLOBS = st.lists(st.binary(max_size=200), max_size=4)


@settings(max_examples=50)
@given(st.lists(st.tuples(HEADERS, BLOBS), max_size=4), st.lists(st.integers(1, 60), min_size=1, max_size=50))
def test_frames_survive_any_cutting(
    messages: list[tuple[dict[str, object], list[bytes]]], cuts: list[int]
) -> None:
    stream = b"".join(pack(header, blobs) for header, blobs in messages)
    reader, heard, at, turn = FrameReader(10_000), [], 0, 0
    while at < len(stream):
        size = cuts[turn % len(cuts)]
        heard += reader.feed(stream[at : at + size])
        at, turn = at + size, turn + 1
    assert [({k: v for k, v in h.items() if k != "blobs"}, b) for h, b in heard] == messages


@given(st.binary(max_size=400))
def test_noise_is_refused_or_waited_on_but_never_believed_beyond_the_limit(noise: bytes) -> None:
    reader = FrameReader(100)
    try:
        for header, blobs in reader.feed(noise):
            assert isinstance(header, dict)
            assert sum(map(len, blobs)) <= 100
    except BrokenFrame:
        pass


@pytest.mark.parametrize(
    "header",
    [b"[]", b"{", b'{"blobs": 5}', b'{"blobs": [-1]}', b'{"blobs": [true]}', b'{"blobs": [101]}', b'{"a": NaN}',
     b'{"a": Infinity}', b'"x"', b"\xff", b"[" * 100_000, b'{"a": ' + b"1" * 5000 + b"}"],
)  # fmt: skip
def test_headers_that_are_none_are_refused(header: bytes) -> None:
    with pytest.raises(BrokenFrame):
        FrameReader(100).feed(struct.pack(">I", len(header)) + header)


def test_a_length_beyond_the_limit_is_refused_at_once() -> None:
    with pytest.raises(BrokenFrame):
        FrameReader(100).feed(struct.pack(">I", HEADER_BYTES + 1))


def test_numbers_that_json_does_not_have_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        pack({"a": float("nan")})
    assert json.loads(pack({"a": 1})[4:]) == {"a": 1, "blobs": []}
