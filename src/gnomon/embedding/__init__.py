"""Text to vectors: the shipped sentence encoder, or any other one by the path of its folder."""

from gnomon.embedding.encoder import SentenceEncoder, get_encoder
from gnomon.embedding.vocabulary import known_words

__all__ = ["SentenceEncoder", "get_encoder", "known_words"]
