"""Tables written as one JSON object: lists under keys, columns as arrays, records by key; what is none says so."""

import gzip
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gnomon.core.errors import UnreadableSource
from gnomon.data import open_sources

Records = list[dict[str, Any]]
TOWNS = ["Ulm", "Bonn", "Kiel", None]


def _records(seed: int, count: int) -> Records:
    rng = random.Random(seed)
    made: Records = [{"town": rng.choice(TOWNS), "sales": rng.randint(0, 999)} for _ in range(count)]
    for record in made:
        record["share"] = record["sales"] / 7
    return made


SHAPES: dict[str, Callable[[Records], Any]] = {
    "columns as arrays": lambda rs: {f: [r[f] for r in rs] for f in rs[0]},
    "columns as objects": lambda rs: {f: {str(i): r[f] for i, r in enumerate(rs)} for f in rs[0]},
    "rows that were picked": lambda rs: {f: {str(3 * i): r[f] for i, r in enumerate(rs)} for f in rs[0]},
    "records by key": lambda rs: {f"id-{i}": r for i, r in enumerate(rs)},
    "records by number": lambda rs: {str(i): r for i, r in enumerate(rs)},
    "records by key that lack fields": lambda rs: {
        f"id-{i}": {k: v for k, v in r.items() if v is not None} for i, r in enumerate(rs)
    },
    "one list in an object": lambda rs: {"page": 1, "rows": rs},
    "a list": lambda rs: rs,
    "rows as arrays below their names": lambda rs: [[*rs[0]], *([*r.values()] for r in rs)],
    "names and rows": lambda rs: {"columns": [*rs[0]], "rows": [[*r.values()] for r in rs]},
    "names told as objects": lambda rs: {
        "data": [[*r.values()] for r in rs],
        "fields": [{"name": n, "type": "any"} for n in rs[0]],
    },
    "rows below their names under a key": lambda rs: {"rows": [[*rs[0]], *([*r.values()] for r in rs)]},
    "names and rows further inside": lambda rs: {
        "status": "ok",
        "result": {"header": [*rs[0]], "values": [[*r.values()] for r in rs]},
    },
}


def _totals(path: Path) -> dict[Any, int]:
    with open_sources(path) as dataset:
        (table,) = dataset
        return dict(
            dataset.connection.execute(f"SELECT town, sum(sales) FROM {table.relation} GROUP BY 1").fetchall()
        )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("seed", "count"), [(1, 4), (2, 30), (3, 700)])
def test_a_table_has_its_rows_however_its_object_is_written(
    tmp_path: Path, shape: str, seed: int, count: int
) -> None:
    records = _records(seed, count)
    truth: dict[Any, int] = {}
    for record in records:
        truth[record["town"]] = truth.get(record["town"], 0) + record["sales"]
    text = json.dumps(SHAPES[shape](records))
    (tmp_path / "rows.json").write_text(text)
    assert _totals(tmp_path / "rows.json") == truth
    (tmp_path / "packed.json.gz").write_bytes(gzip.compress(text.encode("utf-8-sig")))
    assert _totals(tmp_path / "packed.json.gz") == truth


@pytest.mark.parametrize("orient", ["columns", "index", "records", "split", "table"])
def test_what_pandas_writes_is_read(tmp_path: Path, orient: Any) -> None:
    frame = pd.DataFrame(_records(5, 40))
    frame.to_json(tmp_path / "rows.json", orient=orient)
    with open_sources(tmp_path / "rows.json") as dataset:
        found = dataset.connection.execute("SELECT count(*), sum(sales), sum(share) FROM rows").fetchone()
    assert found == (40, frame["sales"].sum(), pytest.approx(frame["share"].sum()))


def test_arrays_on_lines_are_rows_below_the_first(tmp_path: Path) -> None:
    records = _records(3, 20)
    lines = [[*records[0]], *([*r.values()] for r in records)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    with open_sources(tmp_path / "rows.jsonl") as dataset:
        found = dataset.connection.execute("SELECT count(*), sum(sales) FROM rows").fetchone()
    assert found == (20, sum(r["sales"] for r in records))


@pytest.mark.parametrize(
    ("rows", "names", "count", "said"),
    [
        ([[1, 2], [3, 4], [5, 6]], ["column_1", "column_2"], 3, "which nothing names"),
        ([["a", "a", None], ["x", 1, 2.5], ["y", 2, 3.5]], ["a", "a_2", "column_3"], 2, "first of them"),
        ([["a", "b"], ["x", 1], ["y", 2, "more"], ["z"]], ["a", "b", "column_3"], 3, "2 of 3 rows"),
        ([["town", "state"], ["Ulm", "BW"], ["Ulm", "BW"], ["Kiel", "SH"]], ["town", "state"], 3, "first of"),
    ],
)
def test_rows_as_arrays_say_how_they_were_read(
    tmp_path: Path, rows: Any, names: list[str], count: int, said: str
) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    with open_sources(tmp_path / "rows.json") as dataset:
        (table,) = dataset
        assert [c.name for c in table.columns] == names
        assert dataset.connection.execute("SELECT count(*) FROM rows").fetchone() == (count,)
        assert any(said in w for w in table.warnings)


def test_lists_of_records_are_tables_of_their_names(tmp_path: Path) -> None:
    orders, users = _records(1, 10), [{"user": i} for i in range(4)]
    (tmp_path / "all.json").write_text(json.dumps({"page": 1, "orders": orders, "users": users}))
    with open_sources(tmp_path / "all.json") as dataset:
        assert list(dataset.tables) == ["orders", "users"]
        counts = [
            dataset.connection.execute(f"SELECT count(*) FROM {t.relation}").fetchone() for t in dataset
        ]
        assert counts == [(10,), (4,)]
        assert any("left out" in w for w in dataset.table("orders").warnings)


@pytest.mark.parametrize(
    "whole",
    [
        {"name": "x", "tags": ["a", "b"], "sizes": [1, 2, 3]},
        {"x": [1, 2], "y": [1, 2, 3]},
        {"status": "ok", "x": [1, 2], "y": [3, 4]},
        {"a": {"p": {"n": 1}, "q": {"n": 2}, "r": {"n": 3}}, "b": {"z": {"m": 1}}},
        {"a": [[1, 2], [3, 4]], "b": [[1], [2]]},
    ],
)
def test_an_object_that_is_no_plain_table_is_one_row_and_says_so(tmp_path: Path, whole: Any) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(whole))
    with open_sources(tmp_path / "rows.json") as dataset:
        (table,) = dataset
        assert dataset.connection.execute(f"SELECT count(*) FROM {table.relation}").fetchone() == (1,)
        assert [s.said for s in table.set_aside] == [
            "The file is one object, read as one row with several things in its cells."
        ]


@pytest.mark.parametrize(
    "text",
    [
        '{"town": "Ulm", "sales": 5}',
        '{"town": "Ulm", "at": {"street": "x", "number": 5}}',
        '{"a": {"city": "x"}, "b": {"city": "y"}}',
        '{"town": "Ulm", "sales": 5}\n{"town": "Bonn", "sales": 6}\n',
        '{"rows": [{"sales": 5}], "page": 1}',
    ],
)
def test_plain_records_say_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "rows.json").write_text(text)
    with open_sources(tmp_path / "rows.json") as dataset:
        (table,) = dataset
        assert table.set_aside == ()
        rows = dataset.connection.execute(f"SELECT count(*) FROM {table.relation}").fetchone()
        assert rows == (text.count("\n") or 1,)


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
@pytest.mark.parametrize("depth", [250, 5_000, 200_000])
def test_what_nests_beyond_measure_is_refused_at_once(
    tmp_path: Path, opening: bytes, closing: bytes, depth: int
) -> None:
    (tmp_path / "deep.json").write_bytes(opening * depth + b"1" + closing * depth)
    begun = time.process_time()
    with pytest.raises(UnreadableSource, match=r"deep\.json nests more than 200"):
        open_sources(tmp_path / "deep.json")
    assert time.process_time() - begun < 2


@pytest.mark.long
def test_brackets_within_texts_are_no_depth(tmp_path: Path) -> None:
    text = json.dumps([{"sales": i, "note": '[{"' * 300 + "\\"} for i in range(2_000)])
    (tmp_path / "rows.json").write_text(text)
    with open_sources(tmp_path / "rows.json") as dataset:
        assert dataset.connection.execute("SELECT sum(sales) FROM rows").fetchone() == (sum(range(2_000)),)


@pytest.mark.parametrize("nothing", [{}, None, {"town": None}])
@pytest.mark.parametrize("lines", [False, True])
def test_a_record_without_a_value_is_no_row_and_is_told(tmp_path: Path, nothing: Any, lines: bool) -> None:
    records = [*_records(3, 20), nothing, nothing]
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps(records)
    (tmp_path / "rows.json").write_text(text)
    with open_sources(tmp_path / "rows.json") as dataset:
        (table,) = dataset
        assert dataset.connection.execute(f"SELECT count(*) FROM {table.relation}").fetchone() == (20,)
        assert any("2 records hold nothing" in said.said for said in table.set_aside)


@pytest.mark.parametrize("text", ["{}", "[{}]", "[{}, {}]", "null", "[null]"])
def test_a_file_that_holds_nothing_has_no_rows(tmp_path: Path, text: str) -> None:
    (tmp_path / "rows.json").write_text(text)
    with open_sources(tmp_path / "rows.json") as dataset:
        (table,) = dataset
        assert dataset.connection.execute(f"SELECT count(*) FROM {table.relation}").fetchone() == (0,)
