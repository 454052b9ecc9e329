"""Gnomon for AI agents: its tools, data sets and investigations over the Model Context Protocol.

An agent is a language model: it gets facts, aggregates and profiles, and rows only where the server was
started with ``--share-rows``. What was sent is kept, byte for byte, in an egress ledger.
"""

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
    from gnomon.mcp_server.ledger import EgressLedger
    from gnomon.mcp_server.server import GnomonServer, create_mcp_server
    from gnomon.mcp_server.transports import mcp_routes, serve_stdio

__all__ = ["EgressLedger", "GnomonServer", "create_mcp_server", "mcp_routes", "serve_stdio"]

__getattr__ = exports(
    __name__,
    {
        "EgressLedger": "gnomon.mcp_server.ledger",
        "GnomonServer": "gnomon.mcp_server.server",
        "create_mcp_server": "gnomon.mcp_server.server",
        "mcp_routes": "gnomon.mcp_server.transports",
        "serve_stdio": "gnomon.mcp_server.transports",
    },
)
