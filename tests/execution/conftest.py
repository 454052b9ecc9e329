"""A layer over the test tools, closed when the test ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from step_tools import ALL, MakeLayer, Pauses

from gnomon.core.events import Event
from gnomon.core.settings import Settings
from gnomon.execution import MCPToolsInvocationLayer
from gnomon.tools import Tool, ToolRegistry


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
