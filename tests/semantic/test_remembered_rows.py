"""Rows of a query are remembered as long as no file that they come from changes."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from gnomon.data import Dataset, open_sources
from gnomon.semantic import backends
from gnomon.semantic.backends import DuckDBBackend


def written(path: Path, numbers: range, time: int) -> Path:
    duckdb.sql(f"SELECT * FROM range({numbers.start}, {numbers.stop}) t(n)").write_parquet(str(path))
    os.utime(path, (time, time))
    return path


def counted(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> tuple[DuckDBBackend, list[str]]:
    backend, ran = DuckDBBackend(dataset), list[str]()
    fetch = backend._fetched  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(backend, "_fetched", lambda sql, *rest: (ran.append(sql), fetch(sql, *rest))[1])
    return backend, ran


def test_the_same_query_runs_once_until_the_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "t.parquet", range(10), 1)
    with open_sources(path) as dataset:
        backend, ran = counted(dataset, monkeypatch)
        sql = "SELECT sum(n) FROM t"
        first = backend.run(sql, None, None)
        first.append((0,))  # what a caller does with its rows is its own
        assert backend.run(sql, None, None) == [(45,)] and len(ran) == 1
        written(path, range(20), 2)
        assert backend.run(sql, None, None) == [(190,)] and len(ran) == 2


def test_many_rows_and_few_queries_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "_FEW_ROWS", 5)
    monkeypatch.setattr(backends, "_REMEMBERED", 3)
    with open_sources(written(tmp_path / "t.parquet", range(10), 1)) as dataset:
        backend, ran = counted(dataset, monkeypatch)
        for _ in range(2):
            backend.run("FROM t", None, None)
        assert len(ran) == 2
        for n in (*range(5), 4, 3, 2, 1):
            assert backend.run(f"SELECT {n}", None, None) == [(n,)]
        assert len(ran) == 2 + 5 + 1


def test_rows_that_come_from_elsewhere_are_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_sources({"t": pd.DataFrame({"n": [1, 2]})}) as dataset:
        backend, ran = counted(dataset, monkeypatch)
        for _ in range(2):
            assert backend.run("SELECT sum(n) FROM t", None, None) == [(3,)]
        assert len(ran) == 2
