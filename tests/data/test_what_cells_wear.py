"""Cells that wear marks, unseen signs, digits of another script or days in other words say what they say."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gnomon
from gnomon.core.settings import Settings
from gnomon.data import Dataset, open_sources
from gnomon.data.cell_dress import dress_of
from gnomon.data.proposing import words_among

_DAYS = [dt.date(2023, 1, 1) + dt.timedelta(days=4 * i) for i in range(120)]
_ROWS = [
    (d, ("north", "south", "east")[i % 3], (i * 37 % 101) + 0.25, i * 7 % 23 + 1) for i, d in enumerate(_DAYS)
]
_PATIENT = Settings.load().model_copy(
    update={"step_timeout_seconds": 60.0}
)  # what is told is tried, not how fast
_NAMES = ("day", "region", "amount", "units")


def _held(dataset: Dataset) -> list[tuple[object, ...]]:
    (table,) = dataset.tables.values()
    return dataset.connection.execute(f"FROM {table.relation}").fetchall()


def _column(tmp_path: Path, name: str, texts: list[str]) -> list[object]:
    (path := tmp_path / "rows.csv").write_text(
        "\n".join([f"k,{name}", *(f'{i},"{t}"' for i, t in enumerate(texts))]) + "\n"
    )
    with open_sources(path) as dataset:
        return [row[1] for row in _held(dataset)]


_WORN = {
    "curly": "“{}”", "low": "„{}“", "angled": "«{}»", "back": "`{}`", "formula": '="{}"', "apostrophe": "'{}", "behind": "{}   ", "before": "   {}",
    "no-break": "\u00a0{}\u00a0", "no width": "\u200b{}", "mark": "\ufeff{}", "wide": "\u3000{}\u2003",
}  # fmt: skip


@pytest.mark.parametrize("mark", [",", ";", "¦"])
@pytest.mark.parametrize("worn", _WORN)
def test_marks_around_every_cell_are_none_of_what_it_says(tmp_path: Path, worn: str, mark: str) -> None:
    lines = [mark.join(_WORN[worn].format(c) for c in row) for row in (_NAMES, *_ROWS)]
    (path := tmp_path / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with open_sources(path) as dataset:
        (table,) = dataset.tables.values()
        assert [c.name.strip("'") for c in table.columns] == list(_NAMES)
        assert _held(dataset) == _ROWS


def test_a_mark_around_some_cells_stays(tmp_path: Path) -> None:
    texts = ["“so called”", "plain", "«mixed»", "'quoted'"] * 5
    assert _column(tmp_path, "note", texts) == texts


_SCRIPTS = {"arabic": "٠", "persian": "۰", "devanagari": "०", "bengali": "০", "thai": "๐", "full width": "０"}


@pytest.mark.parametrize("script", _SCRIPTS)
@pytest.mark.parametrize("minus", ["-", "–", "\u2212"])
def test_digits_of_every_script_are_numbers(tmp_path: Path, script: str, minus: str) -> None:
    digits = str.maketrans("0123456789", "".join(chr(ord(_SCRIPTS[script]) + i) for i in range(10)))
    numbers = [(i * 37 % 101 - 50) * 7 for i in range(100)]
    assert (
        _column(tmp_path, "amount", [str(n).translate(digits).replace("-", minus) for n in numbers])
        == numbers
    )


_MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
}


@pytest.mark.parametrize("form", ["{d} {m} {y}", "{d}. {m} {y}", "{d} de {m} de {y}", "{d:02d}-{m}-{y}"])
@pytest.mark.parametrize("language", _MONTHS)
def test_months_of_other_languages_are_dates(tmp_path: Path, language: str, form: str) -> None:
    names = _MONTHS[language].split()
    texts = [form.format(d=d.day, m=names[d.month - 1], y=d.year) for d in _DAYS]
    assert _column(tmp_path, "day", texts) == _DAYS


def _ordinal(n: int) -> str:
    return f"{n}{'th' if 10 <= n % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


_WRITTEN: dict[str, Callable[[dt.date], str]] = {
    **{f: (lambda d, f=f: d.strftime(f)) for f in ("%d%b%Y", "%d %B, %Y", "%Y年%m月%d日", "%Y년 %m월 %d일", "%Y. %m. %d.", "%Y %m %d", "%Y_%m_%d", "%d|%m|%Y", "%Y-%m-%d UTC", "%d. %B %Y", "%a, %d %b %Y")},
    "ordinal": lambda d: f"{_ordinal(d.day)} {d:%B %Y}",
    "ordinal of": lambda d: f"the {_ordinal(d.day)} of {d:%B %Y}".removeprefix("the "),
    "ordinal behind": lambda d: f"{d:%B} {_ordinal(d.day)}, {d.year}",
}  # fmt: skip


@pytest.mark.parametrize("way", _WRITTEN)
def test_days_are_read_in_the_words_they_are_written_in(tmp_path: Path, way: str) -> None:
    assert _column(tmp_path, "day", [_WRITTEN[way](d) for d in _DAYS]) == _DAYS


@pytest.mark.parametrize("form", ["%a, %d %b %Y 07:05:09 GMT", "%a, %d %b %Y 07:05:09 +0000", "%d/%b/%Y:07:05:09 +0000", "%Y-%m-%dT070509Z", "%Y-%m-%d 07:05:09 AM"])  # fmt: skip
def test_times_of_mail_and_of_logs_are_times(tmp_path: Path, form: str) -> None:
    told = [dt.datetime(d.year, d.month, d.day, 7, 5, 9) for d in _DAYS]
    assert _column(tmp_path, "at", [d.strftime(form) for d in _DAYS]) == told


def test_months_before_years_are_the_first_of_the_month(tmp_path: Path) -> None:
    months = [dt.date(2020 + i // 12, i % 12 + 1, 1) for i in range(40)]
    assert _column(tmp_path, "month", [f"{m:%m/%Y}" for m in months]) == months


@pytest.mark.parametrize(
    "word", ["unknown", "TBD", "not recorded", "k.A.", "нет", "below detection", "*", "error", "inf", "∅"]
)
@pytest.mark.parametrize("every", [3, 10])
def test_a_word_among_many_numbers_is_no_value_and_said(tmp_path: Path, word: str, every: int) -> None:
    numbers = [20 + i * 7 % 31 for i in range(200)]
    lines = [f"{'ab'[i % 2]},{word if i % every == 0 else n}" for i, n in enumerate(numbers)]
    (path := tmp_path / "rows.csv").write_text(
        "\n".join(["site,temperature", *lines]) + "\n", encoding="utf-8"
    )
    kept = [n for i, n in enumerate(numbers) if i % every]
    with gnomon.open(path, settings=_PATIENT) as analyst:
        (table,) = analyst.dataset.tables.values()
        assert any("one of a few words" in w for w in table.warnings)
        assert not any(word in w for w in table.warnings if len(word) > 3)  # cells are told nowhere
        answer = analyst.ask("average temperature")
        assert sum(kept) / len(kept) in [pytest.approx(f.value) for f in answer.facts]
        assert "one of a few words" in answer.prose


@pytest.mark.parametrize("texts", [["S", "M", "L", *map(str, range(34, 48, 2))] * 9, ["G", *map(str, range(1, 9))] * 9, ["K", *map(str, range(1, 13))] * 9])  # fmt: skip
def test_names_beside_a_few_numbers_stay(tmp_path: Path, texts: list[str]) -> None:
    assert _column(tmp_path, "size", texts) == texts


@given(
    st.lists(st.integers(0, 10**6), min_size=20, max_size=60, unique=True),
    st.lists(st.text("abc?", min_size=1, max_size=5), max_size=6),
)
def test_words_are_told_only_where_they_are_few(numbers: list[int], words: list[str]) -> None:
    found = words_among([*map(str, numbers), *words])
    assert set(found) == set(words) or (not found and (len({*words}) > 3 or not words))


_FIRST = ["1900-01-01", "1970-01-01", "1899-12-30", "1753-01-01"]


@pytest.mark.parametrize("day", _FIRST)
@pytest.mark.parametrize("clock", ["", " 00:00:00"])
def test_the_first_day_of_a_calendar_stands_for_no_day_and_is_said(
    tmp_path: Path, day: str, clock: str
) -> None:
    lines = [f"{day if i % 20 == 3 else d}{clock},1" for i, d in enumerate(_DAYS)]
    (path := tmp_path / "rows.csv").write_text("\n".join(["day,amount", *lines]) + "\n")
    with gnomon.open(path, settings=_PATIENT) as analyst:
        told = analyst.ask("earliest day").prose
        assert "2023" in told.splitlines()[0]
        assert "stands for no value" in told


def test_a_day_far_ahead_is_taken_as_it_is_and_said(tmp_path: Path) -> None:
    lines = [f"{'9999-12-31' if i % 20 == 3 else d},1" for i, d in enumerate(_DAYS)]
    (path := tmp_path / "rows.csv").write_text("\n".join(["ends,amount", *lines]) + "\n")
    with open_sources(path) as dataset:
        (table,) = dataset.tables.values()
        assert any("may stand for no end" in s.said for s in table.set_aside)
        assert max(r[0] for r in _held(dataset)) == dt.date(9999, 12, 31)  # pyright: ignore[reportArgumentType]


def test_days_of_birth_in_1900_are_days(tmp_path: Path) -> None:
    days = [dt.date(1900, 1, 1), *(dt.date(1900 + i, 3, 1 + i % 28) for i in range(60))]
    assert _column(tmp_path, "born", [d.isoformat() for d in days]) == days


def test_codes_with_a_letter_e_are_no_numbers(tmp_path: Path) -> None:
    codes = [f"{i}E{i % 10}" for i in range(1, 151)]
    assert _column(tmp_path, "code", codes) == codes
    numbers = [f"{i % 9 + 1}.5E{i % 4}" for i in range(50)]
    assert _column(tmp_path, "size", numbers) == [float(n) for n in numbers]


@pytest.mark.parametrize("digits", [16, 18, 20, 23, 40])
@pytest.mark.parametrize("name", ["code", "order_id"])
def test_long_numbers_that_name_things_are_told_apart_to_their_last_digit(
    tmp_path: Path, digits: int, name: str
) -> None:
    codes = [str(10 ** (digits - 1) + 7 * i) for i in range(120)]
    assert _column(tmp_path, name, codes) == codes
    with gnomon.open(_sold(tmp_path, name, codes), settings=_PATIENT) as analyst:
        for i in (3, 57):
            assert i in [
                f.value for f in analyst.ask(f"total amount for {name.replace('_', ' ')} {codes[i]}").facts
            ]


def _sold(folder: Path, name: str, codes: list[str]) -> Path:
    (path := folder / "sold.csv").write_text(
        "\n".join([f"{name},amount", *(f"{c},{i}" for i, c in enumerate(codes))]) + "\n"
    )
    return path


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20), max_size=20))
def test_what_cells_wear_comes_off_and_nothing_else(texts: list[str]) -> None:
    dress = dress_of(texts)
    for text in texts:
        said = dress.off(text) if dress else text
        assert len(said) <= len(text)
        assert not (dress is None and said != text)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["12 kg", "300 g", "1.5 kg", "1 t"], True),
        (["1.2k", "3k", "900", "4.5k"], True),
        (["1,2 Mio", "3,4 Mio", "5 Tsd"], True),
        (["500ml", "250ml", "750ml"], True),
        (["-4 °C", "12 °C", "13.5 °C"], True),
        (["<5 h", "10 h", "20 h"], True),
        (["3A", "4B", "5C"], False),
        (["1st", "2nd", "3rd"], False),
        (["M", "L", "XL"], False),
        (["2024-W05", "2024-W06", "2024-W07"], False),
    ],
)
def test_numbers_with_units_stay_text_and_say_so(tmp_path: Path, cells: list[str], told: bool) -> None:
    (tmp_path / "rows.csv").write_text(
        "grp;val\n" + "".join(f"{'ab'[i % 2]};{c}\n" for i, c in enumerate(cells * 4))
    )
    with open_sources(tmp_path / "rows.csv") as dataset:
        (table,) = dataset
        assert table.columns[1].type == "VARCHAR"
        assert any("numbers with units" in s.said for s in table.set_aside if s.column == "val") == told
