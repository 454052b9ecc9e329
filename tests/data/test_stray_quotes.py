"""Quotes without their pair: whatever stands in a cell, a file has as many rows as it has lines that are rows."""

import csv
import io
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.core.errors import GnomonError
from gnomon.data import open_sources


def _count(path: Path) -> tuple[int, tuple[str, ...]]:
    with open_sources(path) as dataset:
        (table,) = dataset
        found = dataset.cursor().execute(f"SELECT count(*) FROM {table.relation}").fetchone()
        assert found is not None
        return int(found[0]), table.warnings


@pytest.mark.long
@given(
    rows=st.integers(30, 400),
    strays=st.lists(st.integers(0, 10**6), min_size=1, max_size=3),
    quoted=st.booleans(),
    delimiter=st.sampled_from([",", ";", "\t"]),
    where=st.sampled_from(["start", "inside"]),
)
def test_no_row_is_lost_to_a_quote_without_its_pair(
    tmp_path_factory: pytest.TempPathFactory,
    rows: int,
    strays: list[int],
    quoted: bool,
    delimiter: str,
    where: str,
) -> None:
    rng = random.Random(rows)
    lines = []
    for i in range(rows):
        name = f"name {rng.randrange(10**6)}"
        lines.append(delimiter.join([str(i), f'"{name}"' if quoted else name, f"{rng.uniform(1, 99):.2f}"]))
    for place in {s % rows for s in strays}:
        cell = '"broken' if where == "start" else '5" pipe'
        lines[place] = delimiter.join([str(place), cell, "7.5"])
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    path.write_text(delimiter.join(["id", "name", "amount"]) + "\n" + "\n".join(lines) + "\n")
    found, _ = _count(path)
    assert found == rows


@pytest.mark.long
def test_a_stray_quote_far_down_is_found_and_told(tmp_path: Path) -> None:
    lines = [f"{i},a name that is somewhat longer {i},{i * 1.5}" for i in range(20_000)]
    lines[15_000] = '15000,"stray,2'
    path = tmp_path / "late.csv"
    path.write_text("id,name,amount\n" + "\n".join(lines))
    found, warnings = _count(path)
    assert found == 20_000
    assert any("quotation mark" in w for w in warnings)


def test_cells_of_several_lines_stay_whole(tmp_path: Path) -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["id", "note", "amount"])
    for i in range(300):
        writer.writerow([i, f"first, line\nsecond line {i}\nthird" if i % 7 == 0 else f"note {i}", i])
    path = tmp_path / "notes.csv"
    path.write_text(out.getvalue())
    found, warnings = _count(path)
    assert found == 300
    assert not any("quotation mark" in w for w in warnings)


@pytest.mark.long
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(5, 200),
    width=st.integers(2, 9),
    delimiter=st.sampled_from([",", ";", "\t"]),
    ends=st.sampled_from(["\n", "\r\n"]),
)
def test_text_of_several_lines_stays_in_its_cell(
    tmp_path_factory: pytest.TempPathFactory, seed: int, rows: int, width: int, delimiter: str, ends: str
) -> None:
    """A file that reads strictly is read so, whatever its texts hold: quotes, inches, commas, lines, lists."""
    rng = random.Random(seed)
    pieces = [
        "the crew",
        'a 5" pipe',
        'said "no"',
        "well, then",
        "item; two",
        "a, b, c, d",
        "",
        "it's",
        "end.",
        "7",
    ]

    def text() -> str:
        lines = [
            " ".join(rng.choices(pieces, k=rng.randint(0, 6))) for _ in range(rng.choice([0, 0, 1, 2, 9]))
        ]
        return rng.choice(["\n", "\n\n", "\r\n"]).join(["note", *lines])

    written = [
        [str(i), *(text() if c == 1 else str(rng.randrange(100)) for c in range(1, width))]
        for i in range(rows)
    ]
    path = tmp_path_factory.mktemp("csv") / "notes.csv"
    with path.open("w", newline="") as f:
        writer = csv.writer(f, delimiter=delimiter, lineterminator=ends)
        writer.writerow(["id", "note", *(f"n{c}" for c in range(2, width))])
        writer.writerows(written)
    found, warnings = _count(path)
    assert found == rows, warnings
    with open_sources(path) as dataset:
        (table,) = dataset
        notes = dataset.cursor().execute(f"SELECT note FROM {table.relation} ORDER BY id").fetchall()
    held = [(n or "").replace("\r\n", "\n").strip() for (n,) in notes]
    assert sum(a != r[1].replace("\r\n", "\n").strip() for a, r in zip(held, written, strict=True)) == 0


@pytest.mark.long
@given(
    pieces=st.lists(
        st.sampled_from(
            [
                '"',
                '""',
                ",",
                ";",
                "\t",
                "\r",
                "\n",
                "\r\n",
                "a",
                "7",
                "x y",
                "\0",
                "\\",
                "é",
                "\x85",
                "#",
                " ",
            ]
        ),
        max_size=120,
    ),
    ends=st.sampled_from(["csv", "tsv", "txt", "json", "jsonl"]),
)
def test_whatever_a_text_file_holds_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], ends: str
) -> None:
    path = tmp_path_factory.mktemp("text") / f"some.{ends}"
    path.write_text("id,note\n1,one\n" + "".join(pieces), newline="")
    try:
        _count(path)
    except GnomonError as e:
        assert e.message and e.suggestions


PROSE = [
    "first line\nsecond, line",
    "a\nb, c\n\nd",
    'said ""so"",\nand, left',
    "one\ntwo, three\nfour, five\nsix",
    "x",
]


@pytest.mark.parametrize("rows", [3, 40, 1500])
@pytest.mark.parametrize("prose", [[p] for p in PROSE] + [PROSE])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_with_a_comma_inside_every_cell_are_no_rows(
    tmp_path: Path, prose: list[str], rows: int, end: str
) -> None:
    lines = [f'{i},"{prose[i % len(prose)]}",{i}.5' for i in range(rows)]
    (tmp_path / "notes.csv").write_text(
        "\n".join(["id,note,amount", *lines, ""]).replace("\n", end), encoding="utf-8", newline=""
    )
    with open_sources(tmp_path / "notes.csv") as dataset, dataset.cursor() as cursor:
        count, total = cursor.execute("SELECT count(*), sum(amount) FROM notes").fetchall()[0]
    assert (count, total) == (rows, sum(i + 0.5 for i in range(rows)))
