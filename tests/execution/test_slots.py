"""Worker processes as an executor: signals and results arrive in the order in which they were sent."""

from __future__ import annotations

from gnomon.execution import ProcessSlots, worker


def reports_and_ends(parts: int) -> int:
    """Say how far it is until the very end."""
    for part in range(parts):
        worker._channel.send(part / parts, "on the way")  # pyright: ignore[reportPrivateUsage]
    return parts


def test_every_signal_is_heard_before_the_result_is_there() -> None:
    slots = ProcessSlots(max_workers=1)
    try:
        for _ in range(40):
            heard: list[float | None] = []
            future = slots.submit_watched(lambda fraction, _: heard.append(fraction), reports_and_ends, 50)  # noqa: B023
            assert future.result(30) == 50
            assert heard == [None, *(part / 50 for part in range(50))]
    finally:
        slots.shutdown()
