"""The egress ledger and the handles: what is bounded stays bounded, what is recorded is exact."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from gnomon.core import clock
from gnomon.core.errors import NotFound
from gnomon.mcp_server import EgressLedger
from gnomon.mcp_server.handles import Handles


def test_what_was_sent_can_be_read_back_byte_for_byte(tmp_path: Path) -> None:
    ledger = EgressLedger(tmp_path / "egress", "aggregates")
    sent = [b'{"a": "\xc3\xa4\\n"}\n', b"\xff\x00raw", "line\u2028separator\r\n".encode(), b""]
    for content in sent:
        ledger.record("mcp-http", content)
    assert ledger.content() == b"".join(sent)
    assert [e["bytes"] for e in ledger.entries()] == [len(c) for c in sent if c]


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    ledger = EgressLedger(tmp_path / "egress", "full")
    ledger.record("mcp-stdio", b"x")
    (file,) = ledger.files
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_files_rotate_and_the_oldest_are_removed(tmp_path: Path) -> None:
    ledger = EgressLedger(tmp_path, "full", file_bytes=1000, keep_files=3)
    for i in range(100):
        ledger.record("mcp-stdio", f"message {i:03d} {'x' * 100}\n".encode())
    assert len(ledger.files) == 3
    assert sum(f.stat().st_size for f in ledger.files) <= 3000
    kept = ledger.content().decode().splitlines()
    assert kept[-1].startswith("message 099")
    assert [int(k.split()[1]) for k in kept] == list(range(100 - len(kept), 100))


def test_a_disk_that_refuses_stops_the_sender(tmp_path: Path) -> None:
    blocked = tmp_path / "egress"
    blocked.write_text("a file where the folder should be")
    with pytest.raises(OSError, match="egress"):
        EgressLedger(blocked, "full").record("mcp-stdio", b"x")


def test_handles_are_bounded_expire_and_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(clock, "elapsed", lambda: now[0])
    dropped: list[str] = []
    handles: Handles[str] = Handles("x", "thing", 2, expires_seconds=60, dropped=dropped.append)
    first, second = handles.add("first"), handles.add("second")
    assert handles.get(first) == "first"
    third = handles.add("third")
    assert dropped == ["second"]
    with pytest.raises(NotFound, match="no thing"):
        handles.get(second)
    now[0] += 50
    assert handles.get(third) == "third"
    now[0] += 50
    assert [v for _, v in handles.items()] == ["third"]
    assert dropped == ["second", "first"]
    handles.close()
    assert dropped == ["second", "first", "third"]
