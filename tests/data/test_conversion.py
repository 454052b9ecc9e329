"""Text that is really something else is recognised, converted and reported; what only looks like it stays text."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from gnomon.core.settings import Settings
from gnomon.data import ConversionKind, Table, open_sources
from gnomon.data.date_reading import read_date


def _read(values: Sequence[str | None], name: str = "x") -> tuple[Table, list[object]]:
    with open_sources({"t": {"row": list(range(len(values))), name: list(values)}}) as data:
        table = data.table("t")
        return table, [r[1] for r in data.connection.execute("FROM t ORDER BY 1").fetchall()]


DAY = dt.date(2018, 11, 8)
MORNING = dt.datetime(2018, 11, 8, 10, 0)


@pytest.mark.parametrize(
    ("text", "expected", "kind"),
    [
        ("2018-11-08", DAY, "date"),
        ("2018/11/08", DAY, "date"),
        ("2018.11.08", DAY, "date"),
        ("11/8/2018", DAY, "date"),
        ("11/08/18", DAY, "date"),
        ("8 Nov 2018", DAY, "date"),
        ("08-Nov-2018", DAY, "date"),
        ("8-Nov-18", DAY, "date"),
        ("8 November 2018", DAY, "date"),
        ("Nov 8, 2018", DAY, "date"),
        ("November 8, 2018", DAY, "date"),
        ("Thu, 8 Nov 2018", DAY, "date"),
        ("Thursday, November 8, 2018", DAY, "date"),
        ("Nov 2018", dt.date(2018, 11, 1), "date"),
        ("2018-11", dt.date(2018, 11, 1), "date"),
        ("2018-11-08 10:00", MORNING, "timestamp"),
        ("2018-11-08T10:00:00", MORNING, "timestamp"),
        ("2018-11-08T10:00:00+02:00", MORNING, "timestamp"),
        ("2018-11-08T10:00:00.000Z", MORNING, "timestamp"),
        ("11/8/2018 10:00", MORNING, "timestamp"),
        ("11/8/2018 10:00:00 AM", MORNING, "timestamp"),
        ("11/8/2018  10:00:00 AM", MORNING, "timestamp"),
        ("8 Nov 2018 10:00", MORNING, "timestamp"),
        ("$1,234.50", 1234.5, "money"),
        ("(12.00)", -12.0, "money"),
        ("($1,234.50)", -1234.5, "money"),
        ("-$5.25", -5.25, "money"),
        ("$-5.25", -5.25, "money"),
        ("€ 1.234,50", 1234.5, "money"),
        ("1.234,50 €", 1234.5, "money"),
        ("1,234 USD", 1234.0, "money"),
        ("EUR 99", 99.0, "money"),
        ("£3.4M", 3_400_000.0, "money"),
        ("12%", 0.12, "percent"),
        ("-3.5 %", -0.035, "percent"),
        ("1,234", 1234, "number"),
        ("1,234,567.25", 1234567.25, "number"),
        ("1.234,56", 1234.56, "number"),
        ("3,14", 3.14, "number"),
        ("1 234 567", 1234567, "number"),
        ("1\u202f234,5", 1234.5, "number"),
        ("1'234.5", 1234.5, "number"),
        ("12,34,567", 1234567, "number"),
        ("42", 42, "number"),
        ("-1.5e3", -1500.0, "number"),
        ("No", False, "boolean"),
    ],
)
def test_one_way_of_writing_is_read(text: str, expected: object, kind: str) -> None:
    table, values = _read([text, None, text])
    assert values == [expected, None, expected]
    conversion = table.column("x").conversion
    assert conversion is not None
    assert (conversion.kind, conversion.converted, conversion.failed) == (ConversionKind(kind), 2, 0)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("zip", ["02134", "90210", "10001"]),
        ("code", ["007", "123", "456"]),
        ("phone", ["5551234567", "5559876543"]),
        ("contact", ["+15551234567", "+15559876543"]),
        ("release", ["1.2.3", "1.10.0", "2.0.1"]),
        ("version", ["1.2", "1.10", "1.11"]),
        ("ip", ["10.0.0.1", "192.168.1.1"]),
        ("score", ["3-1", "2-2", "0-4"]),
        ("clock", ["10:30", "23:59"]),
        ("word", ["may", "march", "june"]),
        ("mixed", ["1", "2", "three", "four", "5"]),
        ("letter", ["T", "T", "T"]),
        ("sizes", ["10 kg", "12 kg"]),
        ("prices", ["$5", "€6", "£7"]),
        ("digits", ["1" * 45, "2" * 45]),
        ("sex", ["M", "F", "M"]),
        ("range", ["1-2", "10-11"]),
        ("card", ["4111 1111 1111 1111", "5500 0000 0000 0004"]),
    ],
)
def test_what_only_looks_like_something_else_stays_text(name: str, values: list[str]) -> None:
    table, found = _read(values, name)
    assert found == values
    assert table.column(name).type == "VARCHAR"
    assert table.conversions == ()


def test_one_value_beyond_twelve_decides_day_first_for_the_whole_column() -> None:
    table, values = _read(["01/02/2020"] * 500 + ["25/12/2020"])
    assert values[0] == dt.date(2020, 2, 1)
    assert values[-1] == dt.date(2020, 12, 25)
    conversion = table.column("x").conversion
    assert conversion is not None and conversion.detail == "day first"
    assert table.warnings == ()


def test_without_evidence_the_month_comes_first_and_a_warning_says_so() -> None:
    table, values = _read(["01/02/2020", "03/04/2020"])
    assert values == [dt.date(2020, 1, 2), dt.date(2020, 3, 4)]
    assert any(w.startswith("x: no value tells day from month") for w in table.warnings)


def test_dates_with_points_are_day_first_without_evidence() -> None:
    _, values = _read(["01.02.2020", "03.04.2020"])
    assert values == [dt.date(2020, 2, 1), dt.date(2020, 4, 3)]


def test_another_column_of_the_table_decides_what_one_leaves_open() -> None:
    rows = {"start": ["01/02/2020", "03/04/2020"], "end": ["13/02/2020", "28/04/2020"]}
    with open_sources({"t": rows}) as data:
        assert data.connection.execute("SELECT start FROM t").fetchall() == [
            (dt.date(2020, 2, 1),),
            (dt.date(2020, 4, 3),),
        ]
        assert data.table("t").warnings == ()


def test_a_mix_of_dates_with_and_without_time_keeps_both() -> None:
    _, values = _read(["11/8/2018", "11/28/2018 10:30"])
    assert values == [dt.datetime(2018, 11, 8), dt.datetime(2018, 11, 28, 10, 30)]


def test_a_late_time_of_day_is_not_cut_off() -> None:
    _, values = _read(["2018-11-08"] * 400 + ["2018-11-08 10:00"])
    assert values[-1] == MORNING


def test_a_late_fraction_is_not_rounded_away() -> None:
    table, values = _read(["7"] * 400 + ["1.5"])
    assert values[-1] == 1.5
    assert table.column("x").type == "DOUBLE"


def test_whole_numbers_beyond_64_bits_are_kept_exactly() -> None:
    _, values = _read(["12345678901234567890123", "7"])
    assert values == [12345678901234567890123, 7]


def test_cells_that_fail_are_counted_and_their_text_is_kept() -> None:
    texts = [f"2020-01-{d:02d}" for d in range(1, 29)] * 2 + ["soon"]
    with open_sources({"t": {"x": texts}}) as data:
        table = data.table("t")
        conversion = table.column("x").conversion
        assert conversion is not None
        assert (conversion.converted, conversion.failed) == (56, 1)
        assert any("1 of 57 cells" in w for w in table.warnings)
        assert data.connection.execute(
            f"SELECT r.x FROM {table.raw_relation} r WHERE TRY_CAST(r.x AS DATE) IS NULL"
        ).fetchall() == [("soon",)]
        assert data.connection.execute("SELECT count(*), count(x) FROM t").fetchone() == (57, 56)


def test_too_many_failures_leave_the_column_as_text() -> None:
    table, values = _read(["2020-01-01"] * 9 + ["soon"])
    assert values[-1] == "soon"
    assert table.column("x").type == "VARCHAR"


def test_signs_for_no_value_become_null_and_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("n,s\n1,a\nN/A,None\n-,b\n?,NULL\n5,n/a\n,c\n")
    with open_sources(path) as data:
        table = data.table("t")
        assert data.connection.execute("FROM t").fetchall() == [
            (1, "a"), (None, None), (None, "b"), (None, None), (5, None), (None, "c"),
        ]  # fmt: skip
        assert [w for w in table.warnings if w.startswith("n: 3 cells")]
        assert [w for w in table.warnings if w.startswith("s: 3 cells")]


def test_two_letter_codes_keep_na(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("country,n\nDE,1\nNA,2\nFR,3\nUS,4\n")
    with open_sources(path) as data:
        assert data.connection.execute("SELECT country FROM t WHERE n = 2").fetchone() == ("NA",)


def test_a_percent_says_that_it_is_a_fraction() -> None:
    table, _ = _read(["12%", "50%"])
    conversion = table.column("x").conversion
    assert conversion is not None
    assert (conversion.unit, "0.12" in conversion.detail) == ("%", True)


def test_money_tells_its_currency() -> None:
    table, _ = _read(["€ 1.234,50", "12,00 €"])
    conversion = table.column("x").conversion
    assert conversion is not None
    assert (conversion.unit, conversion.detail) == ("EUR", "decimal comma")


def test_marks_that_can_mean_two_things_are_warned_of() -> None:
    table, values = _read(["1,234", "5,678"])
    assert values == [1234, 5678]
    assert any("thousands or as decimals" in w for w in table.warnings)


def test_the_sibling_with_a_decimal_comma_decides() -> None:
    with open_sources({"t": {"a": ["1,234", "5,678"], "b": ["1,5", "22,75"]}}) as data:
        assert data.connection.execute("SELECT a, b FROM t").fetchall() == [(1.234, 1.5), (5.678, 22.75)]


def test_no_cell_value_reaches_the_warnings() -> None:
    texts = [f"2020-01-{d:02d}" for d in range(1, 29)] * 2 + ["canary-4711"]
    table, _ = _read(texts)
    assert table.warnings and not any("canary" in w for w in table.warnings)


def test_a_large_file_is_understood_from_a_sample_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    line = "2020-01-01,12%,some words to fill the line\n"
    path.write_text("day,rate,text\n" + line * 40_000)
    with open_sources(path, settings=Settings.load(max_file_size_mb=1)) as data:
        table = data.table("large")
        assert not table.verified and table.rows is None
        assert [c.type for c in table.columns] == ["DATE", "DOUBLE", "VARCHAR"]
        assert any("spread over it" in w for w in table.warnings)
        assert data.connection.execute("SELECT count(*), sum(rate) FROM large").fetchone() == (
            40_000,
            pytest.approx(4800.0),
        )


@pytest.mark.parametrize("stray", range(7))
def test_a_column_is_dates_where_nine_of_ten_texts_are_wherever_the_others_stand(stray: int) -> None:
    rng = random.Random(stray)
    days = [f"{1 + i % 28}/{1 + i % 12}/2024" for i in range(40 - stray)]
    for _ in range(20):
        texts = [*days, *(f"no date {i}" for i in range(stray))]
        rng.shuffle(texts)
        assert bool(read_date("c", texts)) == (len(days) >= 0.9 * len(texts))


def test_an_empty_cell_of_a_mark_is_no() -> None:
    assert _read(["true", None, "true"])[1] == [True, False, True]
    assert _read(["true", None, "false"])[1] == [True, None, False]


@pytest.mark.parametrize("minus", ["-", "\u2212", " -"])
@pytest.mark.parametrize("written", ["{:,.2f}", "{:.2f}", "{:,.0f}"])
def test_a_minus_behind_a_number_makes_it_negative(tmp_path: Path, written: str, minus: str) -> None:
    values = [1234.5 * i * (-1 if i % 5 == 0 else 1) for i in range(1, 41)]
    cells = [written.format(abs(v)) + (minus if v < 0 else "") for v in values]
    lines = "".join(f'{i},"{c}"\n' for i, c in enumerate(cells))
    (tmp_path / "ledger.csv").write_text(f"id,posted\n{lines}", encoding="utf-8")
    with open_sources(tmp_path / "ledger.csv") as dataset, dataset.cursor() as cursor:
        ((total,),) = cursor.execute("SELECT sum(posted) FROM ledger").fetchall()
    said = [float(written.format(v).replace(",", "")) for v in values]
    assert total == pytest.approx(sum(said))


def test_school_marks_with_a_minus_are_no_negative_numbers(tmp_path: Path) -> None:
    lines = "".join(f"{i},{m}\n" for i, m in enumerate(["1", "2-", "3", "2", "1-"] * 8))
    (tmp_path / "marks.csv").write_text(f"id,mark\n{lines}", encoding="utf-8")
    with open_sources(tmp_path / "marks.csv") as dataset, dataset.cursor() as cursor:
        assert cursor.execute("SELECT count(DISTINCT mark) FROM marks").fetchall() == [(5,)]
