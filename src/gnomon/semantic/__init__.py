"""Meaning over tables: metrics, dimensions, joins and values, inferred from a profile or written by a user."""

from gnomon.semantic.model import (
    Additivity,
    Aggregation,
    BusinessDimension,
    ColumnRef,
    Dimension,
    DimensionType,
    Direction,
    Join,
    Metric,
    SemanticModel,
    TableMeaning,
)
from gnomon.semantic.query import RetrievalQuery, Retrieved

__all__ = [
    "Additivity",
    "Aggregation",
    "BusinessDimension",
    "ColumnRef",
    "Dimension",
    "DimensionType",
    "Direction",
    "Join",
    "Metric",
    "RetrievalQuery",
    "Retrieved",
    "SemanticModel",
    "TableMeaning",
]
