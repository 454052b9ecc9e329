"""A view that cannot be read is told of where a question needs it, and nowhere else."""

from pathlib import Path

import duckdb
import pytest

import gnomon
from gnomon.core.answer import AnswerStatus
from gnomon.core.settings import Settings
from gnomon.opening import open_tables


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as file:
        file.execute(
            "CREATE TABLE orders AS SELECT range AS order_id, 'r' || range % 3 AS region, range * 2.5 AS amount FROM range(90)"
        )
        file.execute(
            "CREATE VIEW loyal_members AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c"
        )
    return path


@pytest.mark.long
def test_a_view_that_never_ends_is_noted_where_a_question_needs_it(store: Path) -> None:
    with gnomon.open(store, settings=Settings.load(view_timeout_seconds=2)) as analyst:
        plain = analyst.ask("total amount")
        assert plain.status is AnswerStatus.ANSWERED
        assert 2.5 * sum(range(90)) in {f.value for f in plain.facts}
        assert "loyal_members" not in plain.prose
        for question in ("how many loyal members are there?", "total satisfaction by branch"):
            told = analyst.ask(question)
            assert "loyal_members of shop.duckdb takes too long" in told.prose
            assert "GNOMON_VIEW_TIMEOUT_SECONDS" in told.prose


@pytest.mark.long
def test_what_cannot_be_profiled_in_time_ends_within_the_deadline(tmp_path: Path) -> None:
    path = tmp_path / "large.duckdb"
    with duckdb.connect(str(path)) as file:
        file.execute("CREATE TABLE small AS SELECT range AS n, 'a' || range % 3 AS grp FROM range(50)")
        file.execute(
            "CREATE TABLE large AS SELECT range AS n, hash(range) AS h, hash(range + 1)::VARCHAR AS t FROM range(4000000)"
        )
    with open_tables(path, settings=Settings.load(open_timeout_seconds=1.5))[0] as dataset:
        assert set(dataset.tables) == {"small"}
        assert "GNOMON_OPEN_TIMEOUT_SECONDS" in dataset.left_out["large"]
