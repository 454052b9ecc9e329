"""What was sent to language models, on record byte for byte before it is sent."""

from __future__ import annotations

from gnomon.core.settings import Settings
from gnomon.store import ledger


class EgressLedger(ledger.EgressLedger):
    """The ledger of requests to a language model; a channel is its address."""

    receiver = "model"

    @classmethod
    def of(cls, settings: Settings) -> EgressLedger:
        """The ledger in the home folder of these settings."""
        return cls(settings.home.expanduser() / "egress", settings.privacy)
