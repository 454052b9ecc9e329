"""Lists inside of cells are no columns: what separates the names of the columns separates the cells."""

import random
from pathlib import Path

import pytest

from gnomon.data import open_sources

INNER = {";": "|/", "|": ",;", ",": "|;", "\t": "|;,"}


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize(
    ("outer", "inner"), [(outer, inner) for outer, signs in INNER.items() for inner in signs]
)
@pytest.mark.parametrize("columns", [2, 3])
def test_a_list_in_every_cell_is_one_column(
    tmp_path: Path, outer: str, inner: str, columns: int, count: int
) -> None:
    rng = random.Random(f"{outer}{inner}{columns}{count}")
    names = ["tags", "amount", "shop"][:columns]
    rows = [
        [
            inner.join(rng.sample(["red", "blue", "green", "grey", "pink"], count)),
            str(rng.randint(1, 500)),
            "Kiel",
        ][:columns]
        for _ in range(60)
    ]
    (path := tmp_path / "rows.csv").write_text("\n".join(outer.join(r) for r in [names, *rows]) + "\n")
    with open_sources(path) as dataset:
        (table,) = dataset
        assert [c.name for c in table.columns] == names
        found = dataset.connection.execute(f"SELECT count(*), sum(amount) FROM {table.relation}").fetchone()
    assert found == (60, sum(int(r[1]) for r in rows))
