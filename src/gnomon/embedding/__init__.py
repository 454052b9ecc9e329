"""Text to vectors: the shipped sentence encoder, or any other one by the path of its folder."""

from gnomon.embedding.encoder import SentenceEncoder, get_encoder

__all__ = ["SentenceEncoder", "get_encoder"]
