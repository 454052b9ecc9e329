"""Reading questions: words linked to names, values, times and numbers, composed into typed requests."""

from gnomon.planning.reader.reader import GrammarReader

__all__ = ["GrammarReader"]
