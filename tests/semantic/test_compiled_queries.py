"""Queries that an earlier process compiled: the same figures without compiling, and none where anything changed."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from tests.parts import mostly_long

import gnomon
from gnomon.semantic.compiled import KEPT, MAX_BYTES, Compiled, CompiledQueries

ASK = """
import sys, gnomon
with gnomon.open(sys.argv[1]) as analyst:
    answer = analyst.ask(sys.argv[2])
print(answer.prose)
print("ibis" in sys.modules)
"""


def asked(file: Path, question: str, home: Path) -> tuple[str, bool]:
    """What another process answers, and whether it had to compile anything."""
    run = subprocess.run(
        [sys.executable, "-c", ASK, str(file), question],
        env={**os.environ, "GNOMON_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    prose, compiled = run.stdout.rstrip().rsplit("\n", 1)
    return prose, compiled == "True"


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    rng = random.Random(5)
    rows = [(rng.choice(["North", "South", "East"]), rng.randint(1, 90)) for _ in range(60)]
    file = tmp_path / "sales.csv"
    pd.DataFrame(rows, columns=["region", "amount"]).to_csv(file, index=False)
    return file


@pytest.mark.long
def test_a_question_that_was_asked_before_is_not_compiled_again(sales: Path, tmp_path: Path) -> None:
    home, question = tmp_path / "home", "total amount by region"
    first, compiled = asked(sales, question, home)
    assert compiled
    assert asked(sales, question, home) == (first, False)
    assert asked(sales, "average amount by region", home)[1]  # another one is


@pytest.mark.long
def test_rows_that_changed_are_asked_anew(sales: Path, tmp_path: Path) -> None:
    home, question = tmp_path / "home", "what is the total amount?"
    before, _ = asked(sales, question, home)
    frame = pd.read_csv(sales)
    frame.loc[0, "amount"] += 1000
    frame.to_csv(sales, index=False)
    after, compiled = asked(sales, question, home)
    assert compiled
    assert f"{frame.amount.sum():,}" in after
    assert after != before


@pytest.mark.long
@pytest.mark.parametrize(
    "damage", mostly_long([b'{"a": {"sql": 1}}', b"", b"[1]", b'{"a": {}}', b"\xff" * 50], kept=1)
)
def test_what_a_damaged_file_holds_is_not_run(sales: Path, tmp_path: Path, damage: bytes) -> None:
    home, question = tmp_path / "home", "what is the total amount?"
    first, _ = asked(sales, question, home)
    [kept] = (home / "queries").glob("*.json")
    assert kept.stat().st_mode & 0o077 == 0
    kept.write_bytes(damage)
    assert asked(sales, question, home) == (first, True)


@pytest.mark.long
def test_a_corrected_model_does_not_meet_the_queries_of_the_other(
    sales: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that was corrected by hand has queries of its own."""
    home = tmp_path / "home"
    asked(sales, "what is the total amount?", home)
    model = tmp_path / "meaning.yaml"
    model.write_text("metrics:\n  - name: amount\n    aggregation: max\n")
    monkeypatch.setenv("GNOMON_HOME", str(home))
    told = []
    for given in (None, model, None):
        with gnomon.open(sales, model=given) as analyst:
            [metric] = [m for m in analyst.model.metrics if m.name == "amount"]
            told.append((metric.aggregation, analyst.ask("amount by region").tables[0].rows))
    assert told[0] == told[2]
    groups = pd.read_csv(sales).groupby("region").amount
    assert dict(told[1][1]) == groups.max().to_dict()
    assert dict(told[0][1]) == groups.sum().to_dict()


def made(number: int, sql: str = "SELECT 1") -> Compiled:
    return Compiled(sql, ("a", "b"), (0, 1), 2, {"m": (2, number)}, number % 2 == 0, (2,), ("a note",))


def test_they_come_back_as_they_were_and_the_latest_stay(tmp_path: Path) -> None:
    file = tmp_path / "queries" / "q.json"
    queries = CompiledQueries(file)
    for i in range(KEPT + 20):
        assert queries.of(f"k{i}", lambda i=i: made(i)) == made(i)
    queries.keep()
    again = CompiledQueries(file)

    def never() -> Compiled:
        raise AssertionError("compiled again")

    for i in range(20, KEPT + 20):
        assert again.of(f"k{i}", never) == made(i)
    assert again.of("k0", lambda: made(999)) == made(999)


def test_no_file_grows_beyond_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "queries" / "q.json"
    queries = CompiledQueries(file)
    queries.of("small", lambda: made(1))
    queries.keep()
    kept = json.loads(file.read_bytes())
    queries.of("huge", lambda: made(2, "x" * MAX_BYTES))
    queries.keep()
    assert json.loads(file.read_bytes()) == kept


def test_the_oldest_files_go(tmp_path: Path) -> None:
    from gnomon.semantic.compiled import MAX_FILES

    folder = tmp_path / "queries"
    for i in range(MAX_FILES + 3):
        queries = CompiledQueries(folder / f"{i}.json")
        queries.of("k", lambda: made(1))
        queries.keep()
        os.utime(folder / f"{i}.json", (1_000 + i, 1_000 + i))
    assert len(list(folder.glob("*.json"))) <= MAX_FILES + 1
    assert not (folder / "0.json").exists()
