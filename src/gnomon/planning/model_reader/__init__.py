"""Reading with a language model what the grammar does not: same request, same checks, no value of a cell sent."""

from gnomon.planning.model_reader.reader import ModelReader

__all__ = ["ModelReader"]
