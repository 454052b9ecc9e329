"""Calls that come due where a block lasts too long, and never after it has ended."""

from __future__ import annotations

import threading

from gnomon.core.stopping import Alarms


def test_a_block_that_lasts_too_long_is_told_once() -> None:
    alarms, told, count = Alarms(), threading.Event(), []
    with alarms.after(0.01, lambda: (count.append(1), told.set())):  # type: ignore[func-returns-value]
        assert told.wait(10)
    with alarms.after(0.01, told.set):
        pass
    assert count == [1]


def test_a_block_that_ends_in_time_is_not_told() -> None:
    alarms, late, other = Alarms(), threading.Event(), threading.Event()
    with alarms.after(0.2, late.set):
        pass
    with alarms.after(0.4, other.set):
        assert other.wait(10)
    assert not late.is_set()


def test_the_shorter_of_two_is_told_first_whichever_began_first() -> None:
    alarms, order, done = Alarms(), list[str](), threading.Event()

    def tell(name: str) -> None:
        order.append(name)
        if len(order) == 2:
            done.set()

    with alarms.after(0.5, lambda: tell("long")), alarms.after(0.05, lambda: tell("short")):
        assert done.wait(10)
    assert order == ["short", "long"]


def test_alarms_from_many_threads_are_told_to_those_who_wait_alone() -> None:
    alarms = Alarms()
    late: list[int] = []

    def work(i: int) -> None:
        told = threading.Event()
        with alarms.after(0.05 if i % 2 else 30, told.set):
            if i % 2 and told.wait(10):
                late.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(40)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(late) == list(range(1, 40, 2))
    assert not alarms._calls  # pyright: ignore[reportPrivateUsage]
