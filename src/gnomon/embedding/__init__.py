"""Text to vectors: the shipped sentence encoder, or any other one by the path of its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
    from gnomon.embedding.encoder import SentenceEncoder, get_encoder
    from gnomon.embedding.vocabulary import known_words

__all__ = ["SentenceEncoder", "get_encoder", "known_words"]

__getattr__ = exports(
    __name__,
    {
        "SentenceEncoder": "gnomon.embedding.encoder",
        "get_encoder": "gnomon.embedding.encoder",
        "known_words": "gnomon.embedding.vocabulary",
    },
)
