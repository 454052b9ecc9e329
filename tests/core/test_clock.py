from datetime import UTC, date, datetime

from gnomon.core import clock


def test_frozen_time_stands_still_and_is_let_go() -> None:
    with clock.frozen(date(2024, 2, 29)):
        assert clock.today() == date(2024, 2, 29)
        assert clock.now() == datetime(2024, 2, 29, 12, tzinfo=UTC)
    assert clock.today() != date(2024, 2, 29)


def test_a_moment_without_a_zone_is_utc() -> None:
    with clock.frozen(datetime(2025, 1, 1, 23, 30)):
        assert clock.now().tzinfo is UTC


def test_durations_go_on_while_time_is_frozen() -> None:
    with clock.frozen(date(2024, 1, 1)):
        start = clock.elapsed()
        sum(range(10_000))
        assert clock.elapsed() > start
