"""From a tree of the algebra to an answer: it is computed, said in words, and every figure is a fact."""

from gnomon.core.lazy import exports

__all__ = ["Answering", "Words"]

__getattr__ = exports(
    __name__, {"Answering": "gnomon.answering.answer", "Words": "gnomon.answering.say"}
)
