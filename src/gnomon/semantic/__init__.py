"""Meaning over tables: metrics, dimensions, joins and values, inferred from a profile or written by a user."""

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
    from gnomon.semantic.infer import infer_model
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
    from gnomon.semantic.questions import generate_questions
    from gnomon.semantic.registry import APIDescriptor, APIRegistry, ColumnSchema, ParameterSchema
    from gnomon.semantic.retrieve import Retriever
    from gnomon.semantic.values import ValueIndex, ValueMatch
    from gnomon.semantic.yaml_io import dump_changes, dump_model, load_model, with_correction

__all__ = [
    "APIDescriptor",
    "APIRegistry",
    "Additivity",
    "Aggregation",
    "BusinessDimension",
    "ColumnRef",
    "ColumnSchema",
    "Dimension",
    "DimensionType",
    "Direction",
    "Join",
    "Metric",
    "ParameterSchema",
    "RetrievalQuery",
    "Retrieved",
    "Retriever",
    "SemanticModel",
    "TableMeaning",
    "ValueIndex",
    "ValueMatch",
    "dump_changes",
    "dump_model",
    "generate_questions",
    "infer_model",
    "load_model",
    "with_correction",
]

_HOMES = {
    "gnomon.semantic.infer": "infer_model",
    "gnomon.semantic.model": "Additivity Aggregation BusinessDimension ColumnRef Dimension DimensionType Direction Join Metric SemanticModel TableMeaning",
    "gnomon.semantic.query": "RetrievalQuery Retrieved",
    "gnomon.semantic.questions": "generate_questions",
    "gnomon.semantic.registry": "APIDescriptor APIRegistry ColumnSchema ParameterSchema",
    "gnomon.semantic.retrieve": "Retriever",
    "gnomon.semantic.values": "ValueIndex ValueMatch",
    "gnomon.semantic.yaml_io": "dump_changes dump_model load_model with_correction",
}

__getattr__ = exports(__name__, {name: home for home, names in _HOMES.items() for name in names.split()})
