"""A small, safe expression language for derived columns: parsed into its own tree, never run as code."""

from gnomon.analytics.expression.evaluation import DerivedColumn, derive, is_plain, looks_across
from gnomon.analytics.expression.functions import FUNCTIONS
from gnomon.analytics.expression.nodes import Node, columns_of, to_text
from gnomon.analytics.expression.parser import parse
from gnomon.analytics.expression.parting import Parting
from gnomon.analytics.expression.tokens import ExpressionError, RowsError

__all__ = [
    "FUNCTIONS",
    "DerivedColumn",
    "ExpressionError",
    "Node",
    "Parting",
    "RowsError",
    "columns_of",
    "derive",
    "is_plain",
    "looks_across",
    "parse",
    "to_text",
]
