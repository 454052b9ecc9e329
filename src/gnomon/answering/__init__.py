"""From a tree of the algebra to an answer: it is computed, said in words, and every figure is a fact."""

from gnomon.answering.answer import Answering
from gnomon.answering.say import Words

__all__ = ["Answering", "Words"]
