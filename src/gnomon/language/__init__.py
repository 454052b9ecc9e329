"""Words, without data: numbers and units in text."""

from gnomon.language.quantities import Quantity, Unit, find_quantities

__all__ = ["Quantity", "Unit", "find_quantities"]
