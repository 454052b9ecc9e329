"""What stands around the rows of a file: averages under numbers, footnotes, names that come again, objects around records."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from gnomon.data import open_sources

HEAD = ["lot", "tree", "amount", "felled"]
Rows = list[list[Any]]


def lots(seed: object, count: int = 90) -> Rows:
    """Lots of wood, with a running number, a word, a number and a day."""
    rng = random.Random(str(seed))
    return [
        [i + 1, rng.choice(["oak", "elm", "ash"]), rng.randint(1, 400), f"2024-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"]
        for i in range(count)
    ]  # fmt: skip


def written(path: Path, rows: Rows, quoting: Any = csv.QUOTE_MINIMAL) -> Path:
    with path.open("w", newline="", encoding="utf-8") as f:
        csv.writer(f, quoting=quoting).writerows([HEAD, *rows])
    return path


def read(path: Path) -> tuple[int, float, str]:
    """Rows, the total of the amounts, and what was said of how the file was read."""
    with open_sources(path) as dataset:
        (table,) = dataset
        with dataset.cursor() as cursor:
            rows, total = cursor.execute(f"SELECT count(*), sum(amount) FROM {table.relation}").fetchall()[0]
        return rows, float(total), " ".join([*(s.said for s in table.set_aside), *table.warnings])


@pytest.mark.parametrize("place", [0, 1, 3], ids=["number", "word", "day"])
@pytest.mark.parametrize("digits", [0, 1, 2, 4])
@pytest.mark.parametrize("word", ["Average", "Mean:", "avg", "Durchschnitt"])
def test_an_average_is_no_row_wherever_it_is_named_and_however_it_is_rounded(
    tmp_path: Path, word: str, digits: int, place: int
) -> None:
    rows = lots((word, digits, place))
    mean = sum(r[2] for r in rows) / len(rows)
    last: list[Any] = ["", "", f"{mean:.{digits}f}", ""]
    last[place] = word
    count, total, said = read(written(tmp_path / "lots.csv", [*rows, last]))
    assert (count, total) == (len(rows), sum(r[2] for r in rows))
    assert "average" in said


@pytest.mark.parametrize("word", ["Average", "Mean"])
def test_a_row_that_is_called_so_and_is_none_stays(tmp_path: Path, word: str) -> None:
    rows = lots(word)
    mean = sum(r[2] for r in rows) / len(rows)
    near = round(mean) + 3
    last = [91, word, near, "2024-05-05"]
    count, total, _ = read(written(tmp_path / "lots.csv", [*rows, last]))
    assert (count, total) == (len(rows) + 1, sum(r[2] for r in rows) + near)


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize(
    "said", ["(c) Forestry, all rights reserved", "Source: the forester's book", "all amounts in cords"]
)
def test_a_footnote_with_separators_behind_it_is_no_row(tmp_path: Path, said: str, quoting: Any) -> None:
    rows = lots(said)
    count, total, told = read(written(tmp_path / "lots.csv", [*rows, [said, "", "", ""]], quoting))
    assert (count, total) == (len(rows), sum(r[2] for r in rows))
    assert "below the table" in told


@pytest.mark.parametrize("end", ["\x1a", "\r\n\x1a", "\x1a\n", "\x1a\x1a"])
def test_the_mark_by_which_old_files_end_is_no_row(tmp_path: Path, end: str) -> None:
    rows = lots(end)
    path = written(tmp_path / "lots.csv", rows)
    path.write_bytes(path.read_bytes() + end.encode())
    assert read(path)[:2] == (len(rows), sum(r[2] for r in rows))


@pytest.mark.parametrize("again", [str.upper, str.title, str.lower], ids=["upper", "title", "lower"])
def test_names_that_come_again_in_other_letters_are_no_row(tmp_path: Path, again: Any) -> None:
    rows = lots(again("x"))
    count, total, said = read(
        written(tmp_path / "lots.csv", [*rows[:40], [again(h) for h in HEAD], *rows[40:]])
    )
    assert (count, total) == (len(rows), sum(r[2] for r in rows))
    assert "repeats the names of the columns" in said


@pytest.mark.parametrize(
    "around", [("data", "items"), ("response", "result", "rows"), ("a", "b", "c", "lots")]
)
@pytest.mark.parametrize("beside", [{}, {"meta": {"page": 1}}, {"status": "ok", "next": None}])
def test_records_inside_of_objects_are_the_rows(
    tmp_path: Path, around: tuple[str, ...], beside: dict[str, Any]
) -> None:
    rows = lots(around)
    whole: Any = [dict(zip(HEAD, r, strict=True)) for r in rows]
    for key in reversed(around):
        whole = {**beside, key: whole}
    (path := tmp_path / "lots.json").write_text(json.dumps(whole))
    count, total, said = read(path)
    assert (count, total) == (len(rows), sum(r[2] for r in rows))
    assert ".".join(around) in said
