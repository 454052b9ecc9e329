"""What was sent to MCP clients, on record byte for byte."""

from __future__ import annotations

from gnomon.core.settings import Settings
from gnomon.store import ledger

FILE_BYTES, KEEP_FILES = ledger.FILE_BYTES, ledger.KEEP_FILES


class EgressLedger(ledger.EgressLedger):
    """The ledger of one MCP server; its level is ``aggregates`` or ``full``."""

    receiver = "mcp"

    @classmethod
    def of(cls, settings: Settings, level: str) -> EgressLedger:
        """The ledger in the home folder of these settings."""
        return cls(settings.home.expanduser() / "egress", level)
