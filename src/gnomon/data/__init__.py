"""Where rows come from: files, databases and frames as typed relations, their profiles, and what may be told of them."""

from gnomon.data.table import Column, Conversion, ConversionKind, Dataset, Table

__all__ = ["Column", "Conversion", "ConversionKind", "Dataset", "Table"]
