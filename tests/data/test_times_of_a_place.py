"""Times with an offset are told by the clock of their place, unless they come from several places or are in UTC."""

from pathlib import Path

import pytest

import gnomon


@pytest.mark.parametrize("offset", ["-05:00", "+09:30", "+0100", "-08"])
def test_a_month_has_the_rows_that_its_place_saw(offset: str, tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    lines = [f"2024-03-{day:02d}T{hour}:30:00{offset},1" for day in range(1, 32) for hour in ("00", "23")]
    path.write_text("sold at,amount\n" + "\n".join(lines))
    with gnomon.open(path) as analyst:
        answer = analyst.ask("total amount in March 2024")
    assert answer.facts[0].value == 62, answer.prose
    assert "as they are written" in answer.prose


def test_winter_and_summer_are_one_place(tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    lines = ["2024-01-31T23:30:00+00:00,1"] * 3 + [
        "2024-06-30T23:30:00+01:00,1",
        "2024-07-01T00:10:00+01:00,1",
    ] * 2
    path.write_text("sold at,amount\n" + "\n".join(lines))
    with gnomon.open(path) as analyst:
        assert analyst.ask("total amount in June 2024").facts[0].value == 2
        assert analyst.ask("total amount in July 2024").facts[0].value == 2


@pytest.mark.parametrize("offsets", [("Z", "Z"), ("-05:00", "+09:00")])
def test_several_places_and_utc_are_told_in_utc(offsets: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("sold at,amount\n" + "".join(f"2024-03-10T12:00:00{z},1\n" for z in offsets * 10))
    with gnomon.open(path) as analyst:
        answer = analyst.ask("total amount in March 2024")
    assert "as they are written" not in answer.prose
