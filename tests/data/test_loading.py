"""Chunks, the cache, and profiling several files at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gnomon.core.errors import DataUnavailable, InvalidInput, UnreadableSource
from gnomon.core.settings import Settings
from gnomon.data import (
    build_local_profile,
    build_safe_profile,
    load_and_profile_data,
    load_data_chunked,
    load_data_with_cache,
    open_sources,
)
from gnomon.data.chunk_profile import profile_in_chunks
from gnomon.data.opening_limit import Deadline

ONE_MB = Settings(max_file_size_mb=1, chunk_size=10_000)


def _sales(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    return pd.DataFrame(
        {
            "sale_id": [f"S{i:07d}" for i in range(rows)],
            "day": (
                pd.Timestamp("2023-01-01") + pd.to_timedelta(np.arange(rows) * 700 // rows, "D")
            ).strftime("%d/%m/%Y"),
            "region": rng.choice(["north", "south", "east"], rows, p=[0.5, 0.3, 0.2]),
            "paid": [f"${v:,.2f}" for v in rng.gamma(2, 900, rows)],
        }
    )


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "sales.csv"
    _sales(60_000).to_csv(path, index=False)
    assert path.stat().st_size > 2 * 1024 * 1024
    return path


@pytest.mark.long
def test_chunks_have_the_size_asked_for_and_lose_nothing(large: Path) -> None:
    chunks = list(load_data_chunked(large, 25_000))
    assert [len(c) for c in chunks] == [25_000, 25_000, 10_000]
    whole = pd.concat(chunks, ignore_index=True)
    expected = _sales(60_000)
    assert whole["sale_id"].tolist() == expected["sale_id"].tolist()
    assert whole["paid"].sum() == pytest.approx(
        expected["paid"].str.replace(r"[$,]", "", regex=True).astype(float).sum()
    )
    assert pd.Timestamp(whole["day"].max()) == pd.Timestamp("2024-11-30")


@pytest.mark.long
def test_the_chunk_size_comes_from_the_settings(large: Path) -> None:
    assert len(next(load_data_chunked(large, settings=ONE_MB))) == 10_000


def test_a_chunk_size_of_nothing_is_refused(large: Path) -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        load_data_chunked(large, 0)


def test_a_file_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    with pytest.raises(DataUnavailable, match="gone"):
        load_data_chunked(tmp_path / "gone.csv")


@pytest.mark.parametrize("seconds", [1e-6, 0.02, 0.1])
def test_a_large_file_is_profiled_from_its_chunks_in_time_or_given_up(large: Path, seconds: float) -> None:
    hurried = ONE_MB.model_copy(update={"open_timeout_seconds": seconds, "chunk_size": 100})
    with open_sources(large, settings=ONE_MB) as dataset:
        with pytest.raises(UnreadableSource, match="takes too long to read") as e:
            profile_in_chunks(dataset, "sales", 100, deadline=Deadline(hurried))
        assert "GNOMON_OPEN_TIMEOUT_SECONDS" in e.value.suggestions[0]
        assert dataset.connection.execute("SELECT count(*) FROM sales").fetchone() == (60_000,)


def test_a_large_file_is_profiled_from_its_chunks_and_says_so(large: Path) -> None:
    with load_and_profile_data([large], settings=ONE_MB).dataset as dataset:
        profile = profile_in_chunks(dataset, "sales", 10_000, deadline=Deadline(ONE_MB))
    assert profile.rows == 60_000
    assert profile.basis.startswith("The first 10,000 rows and ")
    region = profile.column("region")
    counts = _sales(60_000)["region"].value_counts()
    assert region.distinct == 3 and not region.top_values_exact
    for top in region.top_values:
        assert top.count == pytest.approx(counts[top.value], rel=0.05)
    assert profile.column("sale_id").distinct == pytest.approx(60_000, rel=0.05)
    day = next(g for g in profile.time if g.column == "day")
    assert (day.grain, day.periods, day.missing) == ("day", 700, 0)


def test_the_size_limit_decides_and_full_overrides(large: Path) -> None:
    sampled = load_and_profile_data([large], settings=ONE_MB).profile.table("sales")
    full = load_and_profile_data([large], settings=ONE_MB, full=True).profile.table("sales")
    assert "estimates" in sampled.basis
    assert full.basis == "All 60,000 rows, counted exactly."
    assert [c.role for c in sampled.columns] == [c.role for c in full.columns]


def test_chunked_profiles_are_the_same_every_time(large: Path) -> None:
    first, second = (load_and_profile_data([large], settings=ONE_MB).profile.to_dict() for _ in range(2))
    assert json.dumps(first) == json.dumps(second)


def _several(folder: Path) -> list[Path]:
    paths: list[Path] = []
    for i in range(6):
        frame = _sales(500 + i)
        path = folder / f"part_{i}.csv"
        frame.to_csv(path, index=False)
        paths.append(path)
    return paths


@pytest.mark.long
def test_parallel_and_sequential_profiles_are_byte_identical(tmp_path: Path) -> None:
    paths = _several(tmp_path)
    parallel = load_and_profile_data(paths, settings=Settings(max_parallel_profiles=4)).profile
    sequential = load_and_profile_data(paths, parallel=False).profile
    assert str(build_local_profile(parallel)) == str(build_local_profile(sequential))
    assert str(build_safe_profile(parallel)) == str(build_safe_profile(sequential))
    assert [t.name for t in parallel] == [p.stem for p in paths]


def test_a_failed_file_becomes_an_entry_and_the_others_go_on(tmp_path: Path) -> None:
    good = _several(tmp_path)[:2]
    bad = tmp_path / "broken.parquet"
    bad.write_bytes(b"PAR1 this is no parquet file PAR1")
    profile = load_and_profile_data([good[0], bad, tmp_path / "gone.csv", good[1]]).profile
    assert [t.name for t in profile] == ["part_0", "part_1"]
    assert [Path(f.source).name for f in profile.failures] == ["broken.parquet", "gone.csv"]
    assert all(f.message for f in profile.failures)
    assert "Not available: broken.parquet" in str(build_safe_profile(profile))


def test_when_every_file_fails_the_profile_lists_only_failures(tmp_path: Path) -> None:
    profile = load_and_profile_data([tmp_path / "gone.csv"]).profile
    assert profile.tables == () and len(profile.failures) == 1


def test_nothing_to_profile_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing to profile"):
        load_and_profile_data([])


@pytest.mark.long
def test_progress_counts_every_table(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    load_and_profile_data(_several(tmp_path), progress=lambda *step: seen.append(step))
    assert [done for _, done, _ in seen] == [1, 2, 3, 4, 5, 6]
    assert {name for name, _, _ in seen} == {f"part_{i}" for i in range(6)}


def test_the_cache_serves_a_file_until_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("n\n1\n2\n")
    first = load_data_with_cache(path)
    first.loc[0, "n"] = 99
    assert load_data_with_cache(path)["n"].tolist() == [1, 2]
    stamp = path.stat()
    path.write_text("n\n3\n4\n")
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert load_data_with_cache(path)["n"].tolist() == [3, 4]  # of the same size and time
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1))
    assert load_data_with_cache(path)["n"].tolist() == [3, 4]


def test_a_large_file_is_not_loaded_whole(large: Path) -> None:
    with pytest.raises(InvalidInput, match="max_file_size_mb=1"):
        load_data_with_cache(large, settings=ONE_MB)


@pytest.mark.long
def test_a_file_with_several_tables_asks_which(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    with pd.ExcelWriter(book) as writer:
        pd.DataFrame({"a": [1]}).to_excel(writer, sheet_name="one", index=False)
        pd.DataFrame({"b": [2]}).to_excel(writer, sheet_name="two", index=False)
    names = list(open_sources(book).tables)
    with pytest.raises(InvalidInput, match="2 tables"):
        load_data_with_cache(book)
    assert load_data_with_cache(book, table=names[1])["b"].tolist() == [2]
