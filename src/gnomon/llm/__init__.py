"""Language models: one client over any OpenAI-compatible endpoint, a GGUF file, or none; what may be sent, and what was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports
from gnomon.llm.privacy import Privacy, Pseudonyms
from gnomon.llm.prompts import load_prompt

if TYPE_CHECKING:
    from gnomon.llm.client import ModelCall, ModelClient, Rejected
    from gnomon.llm.ledger import EgressLedger

__all__ = ["EgressLedger", "ModelCall", "ModelClient", "Privacy", "Pseudonyms", "Rejected", "load_prompt"]

__getattr__ = exports(
    __name__,
    {
        "EgressLedger": "gnomon.llm.ledger",
        "ModelCall": "gnomon.llm.client",
        "ModelClient": "gnomon.llm.client",
        "Rejected": "gnomon.llm.client",
    },
)
