"""A layer over the test tools, closed when the test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from step_tools import ALL

from gnomon.core.events import Event
from gnomon.core.settings import Settings
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.tools import CancelToken, Tool, ToolRegistry

MakeLayer = Callable[..., MCPToolsInvocationLayer]


class Pauses:
    """Stands in for waiting: notes how long it would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float, cancel: CancelToken) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def make_layer(pauses: Pauses, events: list[Event]) -> Iterator[MakeLayer]:
    """Makes layers whose pauses and events are noted."""
    made: list[MCPToolsInvocationLayer] = []

    def make(*tools: Tool, disabled: tuple[str, ...] = (), **options: Any) -> MCPToolsInvocationLayer:
        settings = Settings.load(**options.pop("settings", {}))
        layer = MCPToolsInvocationLayer(
            ToolRegistry([*ALL, *tools], disabled=disabled),
            settings=settings,
            listeners=[events.append],
            **{"sleeper": pauses, **options},
        )
        made.append(layer)
        return layer

    yield make
    for layer in made:
        layer.close()
