"""From what happens to those who watch."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from gnomon.core.events import Event, EventKind, EventListener

_log = logging.getLogger(__name__)


class Broadcast:
    """Makes the events of one request and hands each to every listener.

    Args:
        request_id: Marks every event.
        listeners: A listener that fails is reported once and left out from then on; the work goes on.
    """

    def __init__(self, request_id: str, listeners: Sequence[EventListener]) -> None:
        self._request_id = request_id
        self._listeners = list(listeners)

    def __call__(self, kind: EventKind, **fields: Any) -> None:
        """Make one event and hand it on."""
        if not self._listeners:
            return
        event = Event(request_id=self._request_id, kind=kind, **fields)
        for listener in list(self._listeners):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - a watcher's fault must not end the work it watches
                _log.exception("A listener failed and is left out for the rest of this request.")
                self._listeners.remove(listener)
