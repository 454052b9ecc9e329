"""A layer over the test tools, closed when the test ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from step_tools import ALL, MakeLayer, Pauses

from gnomon.core.events import Event
from gnomon.core.settings import Settings
from gnomon.execution import MCPToolsInvocationLayer, ProcessSlots
from gnomon.tools import Tool, ToolRegistry


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture(scope="session")
def warm_processes() -> Iterator[ProcessSlots]:
    """Worker processes that the tests share: starting one takes longer than most tests."""
    slots = ProcessSlots()
    yield slots
    slots.shutdown(wait=False)


@pytest.fixture
def make_layer(pauses: Pauses, events: list[Event], warm_processes: ProcessSlots) -> Iterator[MakeLayer]:
    """Makes layers whose pauses and events are noted; ``executor=None`` gives one processes of its own."""
    made: list[MCPToolsInvocationLayer] = []

    def make(*tools: Tool, disabled: tuple[str, ...] = (), **options: Any) -> MCPToolsInvocationLayer:
        settings = Settings.load(**options.pop("settings", {}))
        layer = MCPToolsInvocationLayer(
            ToolRegistry([*ALL, *tools], disabled=disabled),
            settings=settings,
            listeners=[events.append],
            **{"sleeper": pauses, "executor": warm_processes, **options},
        )
        made.append(layer)
        return layer

    yield make
    for layer in made:
        layer.close()
