"""Roles, personal data, warnings and time grains on small tables with a known answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from gnomon.data import PersonalKind, Role, TableProfile, TimeGrain, open_sources, profile_table
from gnomon.data.personal import is_card, is_iban, is_ip, is_phone

ROWS = 120


def _profile(**columns: object) -> TableProfile:
    return profile_table(open_sources({"t": pd.DataFrame(columns)}), "t")


def _cycle(*values: object) -> list[object]:
    return [values[i % len(values)] for i in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("customerId", list(range(500, 500 + ROWS)), Role.ID),
        ("ref", [f"A-{i:05d}" for i in range(ROWS)], Role.ID),
        ("year", _cycle(2019, 2020, 2021), Role.TIME),
        ("start_date", _cycle(20240131, 20240229), Role.TIME),
        ("ticket_class", _cycle(1, 2, 3), Role.CATEGORY),
        ("siblings", _cycle(0, 1, 2, 3, 5), Role.MEASURE),
        ("unitPrice", np.linspace(1, 90, ROWS), Role.MONEY),
        ("discount", np.linspace(0, 0.4, ROWS), Role.PERCENT),
        ("growth_pct", np.linspace(-12, 35, ROWS), Role.PERCENT),
        ("lat", np.linspace(47, 55, ROWS), Role.GEOGRAPHIC),
        ("lon", np.linspace(5, 15, ROWS), Role.GEOGRAPHIC),
        ("long_term_growth", np.linspace(-3.5, 8, ROWS), Role.MEASURE),
        ("length_long", np.linspace(1.5, 80, ROWS), Role.MEASURE),
        ("long", np.linspace(1.5, 80, ROWS), Role.MEASURE),
        ("zip_code", _cycle(80331, 10115, 20095), Role.GEOGRAPHIC),
        ("home", _cycle("France", "Japan", "Peru", "Kenya"), Role.GEOGRAPHIC),
        ("state", _cycle("NY", "TX", "WA"), Role.GEOGRAPHIC),
        ("state", _cycle("Open", "Closed", "Resolved"), Role.CATEGORY),
        ("department", _cycle("HR", "IT", "Sales"), Role.CATEGORY),
        ("survived", _cycle(0, 1), Role.BOOLEAN),
        (
            "comment",
            [f"the parcel number {i} came late and was wet inside the box" for i in range(ROWS)],
            Role.TEXT,
        ),
        ("grid", _cycle(0.5, 1.5, 2.25), Role.MEASURE),
    ],
)
def test_role(name: str, values: object, role: Role) -> None:
    assert _profile(**{name: values}).columns[0].role is role


@pytest.mark.parametrize(
    ("lat", "long"), [("lat", "long"), ("start_lat", "start_long"), ("Latitude", "Long")]
)
def test_long_is_a_longitude_beside_the_latitude_of_the_same_thing(lat: str, long: str) -> None:
    places = {lat: np.linspace(47.1, 55, ROWS), long: np.linspace(5.1, 15, ROWS)}
    found = _profile(**places, long_term_growth=np.linspace(-3.5, 8, ROWS))
    assert [c.role for c in found.columns] == [Role.GEOGRAPHIC, Role.GEOGRAPHIC, Role.MEASURE]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("contact", [f"p{i}@mail.example" for i in range(ROWS)], PersonalKind.EMAIL),
        ("phone", [f"+49 30 {1234567 + i}" for i in range(ROWS)], PersonalKind.PHONE),
        ("reach", [f"(212) 555-{1000 + i}" for i in range(ROWS)], PersonalKind.PHONE),
        ("account", _cycle("DE89370400440532013000", "GB82 WEST 1234 5698 7654 32"), PersonalKind.IBAN),
        ("number", _cycle("4111 1111 1111 1111", "5500 0000 0000 0004"), PersonalKind.CARD),
        ("tax", _cycle("123-45-6789", "219-09-9999"), PersonalKind.NATIONAL_ID),
        ("client", _cycle("10.0.0.1", "192.168.1.7", "2001:db8::1"), PersonalKind.IP_ADDRESS),
        ("customer_name", _cycle("Ada Lovelace", "Grace Hopper"), PersonalKind.NAME),
        ("home_address", _cycle("12 High Street", "7 Low Road"), PersonalKind.ADDRESS),
        ("date_of_birth", pd.date_range("1950-01-01", periods=ROWS, freq="91D"), PersonalKind.BIRTH_DATE),
    ],
)
def test_personal_data(name: str, values: object, kind: PersonalKind) -> None:
    column = _profile(**{name: values}).columns[0]
    assert (column.role, column.personal) == (Role.PERSONAL, kind)


def test_what_only_looks_personal_is_not() -> None:
    game = [f"00{20200000 + i}" for i in range(ROWS)]
    products = [
        f"{a} {b}" for a in ("Blue", "Red", "Green") for b in ("Chair", "Table", "Lamp", "Shelf")
    ] * 10
    profile = _profile(
        game_id=game, name=products, price=np.linspace(1, 9, ROWS), version=_cycle("1.2.3", "2.0.1")
    )
    assert [c.personal for c in profile.columns] == [None] * 4


def test_checksums_decide() -> None:
    assert is_card("4111111111111111") and not is_card("4111111111111112")
    assert is_iban("DE89 3704 0044 0532 0130 00") and not is_iban("DE89 3704 0044 0532 0130 01")
    assert is_ip("::1") and not is_ip("300.1.1.1") and not is_ip("7")
    assert is_phone("+1 212-555-0100 x42") and not is_phone("2024-01-31") and not is_phone("3.14159265")


def test_warnings_name_what_misleads() -> None:
    values = [float(v) for v in np.linspace(10, 30, ROWS - 6)] + [-999.0] * 6
    profile = _profile(
        reading=values,
        constant=["same"] * ROWS,
        sparse=[1.5] * 10 + [None] * (ROWS - 10),
        padded=_cycle(" left", "right"),
        spelled=_cycle("Berlin", "BERLIN", "Rome"),
        holes=_cycle("good", "unknown"),
        since=[pd.Timestamp("1900-01-01")] * 5 + list(pd.date_range("2023-01-01", periods=ROWS - 5)),
        broken=[float("inf"), *np.linspace(0, 1, ROWS - 1)],
    )
    text = {c.name: " | ".join(c.warnings) for c in profile.columns}
    assert "6 cells hold -999, which stands for no value" in text["reading"]
    assert "constant" in text["constant"]
    assert "mostly empty: 92%" in text["sparse"]
    assert "60 cells have spaces" in text["padded"]
    assert "differ only by case" in text["spelled"]
    assert "'unknown' in 60 rows" in text["holes"]
    assert "5 cells hold 1900-01-01, which stands for no value" in text["since"]
    assert "1 cells are not finite" in text["broken"]
    assert profile.column("broken").maximum == 1.0
    since = next(g for g in profile.time if g.column == "since")
    assert since.start == "2023-01-01" and since.missing == 0


def test_ordinary_numbers_raise_no_suspicion() -> None:
    rng = np.random.default_rng(5)
    profile = _profile(
        count=rng.integers(0, 1000, ROWS), change=rng.normal(0, 50, ROWS), share=rng.random(ROWS)
    )
    assert [w for c in profile.columns for w in c.warnings] == []


def _grain(moments: object) -> TimeGrain:
    return _profile(at=moments).time[0]


@pytest.mark.parametrize(
    ("moments", "grain"),
    [
        (pd.date_range("2024-01-01", periods=90, freq="D"), "day"),
        (pd.date_range("2024-01-01", periods=60, freq="B"), "business day"),
        (pd.date_range("2024-01-03", periods=40, freq="7D"), "week"),
        (pd.date_range("2020-01-01", periods=40, freq="MS"), "month"),
        (pd.date_range("2020-01-31", periods=40, freq="ME"), "month"),
        (pd.date_range("2010-01-01", periods=30, freq="QS"), "quarter"),
        (pd.date_range("1990-01-01", periods=30, freq="YS"), "year"),
        (pd.date_range("2024-01-01 00:30", periods=200, freq="h"), "hour"),
        (pd.date_range("2024-01-01", periods=300, freq="15min"), "15 minutes"),
        (pd.date_range("2024-01-01", periods=300, freq="s"), "second"),
    ],
)
def test_a_regular_grain_is_recognised_without_gaps(moments: object, grain: str) -> None:
    found = _grain(moments)
    assert (found.grain, found.regular, found.missing, found.gaps) == (grain, True, 0, ())


def test_gaps_are_listed() -> None:
    days = pd.date_range("2024-01-01", periods=60).delete([10, 11, 12, 40])
    found = _grain(days)
    assert (found.grain, found.missing) == ("day", 4)
    assert [(g.start, g.end, g.periods) for g in found.gaps] == [
        ("2024-01-11", "2024-01-13", 3),
        ("2024-02-10", "2024-02-10", 1),
    ]


def test_gaps_of_an_offset_grid_are_on_the_grid() -> None:
    hours = pd.date_range("2024-01-01 00:30", periods=100, freq="h").delete([50])
    gap = _grain(hours).gaps[0]
    assert (gap.start, gap.end, gap.periods) == ("2024-01-03T02:30:00", "2024-01-03T02:30:00", 1)


def test_events_at_any_time_are_counted_in_a_period() -> None:
    rng = np.random.default_rng(2)
    found = _grain(
        pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 40 * 86400, 400)), "s")
    )
    assert (found.grain, found.regular) == ("day", False)
