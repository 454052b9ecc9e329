"""The HTTP service: parse, call the workbench, render. ``gnomon serve`` starts it."""

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
    from gnomon.server.app import create_app

__all__ = ["create_app"]

__getattr__ = exports(__name__, {"create_app": "gnomon.server.app"})
