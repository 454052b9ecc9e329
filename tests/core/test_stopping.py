"""An interruption is repeated until the work has ended, and never after."""

from __future__ import annotations

import threading
import time

import duckdb
import pytest

from gnomon.core.stopping import insisting

ENDLESS = "SELECT sum(sqrt(a.range * b.range)) FROM range(2000000) a, range(2000000) b"


def test_an_interruption_before_the_query_starts_is_not_lost() -> None:
    connection = duckdb.connect()
    began = time.perf_counter()
    with pytest.raises(duckdb.InterruptException), insisting(connection.interrupt) as end:
        end()
        threading.Event().wait(0.1)  # the first interruption finds nothing to interrupt
        connection.execute(ENDLESS).fetchall()
    assert time.perf_counter() - began < 5


def test_nothing_is_interrupted_once_the_block_has_ended() -> None:
    calls: list[float] = []
    with insisting(lambda: calls.append(time.perf_counter())) as end:
        end()
        threading.Event().wait(0.1)
    ended = time.perf_counter()
    end()
    threading.Event().wait(0.1)
    assert len(calls) > 1
    assert max(calls) <= ended


def test_what_follows_on_the_same_connection_is_left_alone() -> None:
    connection = duckdb.connect()
    for _ in range(20):
        with insisting(connection.interrupt) as end:
            end()
        assert connection.execute("SELECT count(*) FROM range(100000)").fetchall() == [(100000,)]
