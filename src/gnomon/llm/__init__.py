"""Language models: one client over any OpenAI-compatible endpoint, a GGUF file, or none; what may be sent, and what was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports
from gnomon.llm.privacy import Privacy, Pseudonyms
from gnomon.llm.prompts import load_prompt

if TYPE_CHECKING:
    from gnomon.llm.budget import Budget, Usage
    from gnomon.llm.client import ModelCall, ModelClient, Purpose, Rejected
    from gnomon.llm.ledger import EgressLedger
    from gnomon.llm.window import ConversationWindow

__all__ = [
    "Budget",
    "ConversationWindow",
    "EgressLedger",
    "ModelCall",
    "ModelClient",
    "Privacy",
    "Pseudonyms",
    "Purpose",
    "Rejected",
    "Usage",
    "load_prompt",
]

__getattr__ = exports(
    __name__,
    {
        "Budget": "gnomon.llm.budget",
        "ConversationWindow": "gnomon.llm.window",
        "EgressLedger": "gnomon.llm.ledger",
        "ModelCall": "gnomon.llm.client",
        "ModelClient": "gnomon.llm.client",
        "Purpose": "gnomon.llm.client",
        "Rejected": "gnomon.llm.client",
        "Usage": "gnomon.llm.budget",
    },
)
