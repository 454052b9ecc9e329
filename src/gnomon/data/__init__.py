"""Where rows come from: files, databases and frames as typed relations, their profiles, and what may be told of them."""

from gnomon.data.csv_source import CsvFile
from gnomon.data.sources import open_sources
from gnomon.data.table import Column, Conversion, ConversionKind, Dataset, Table

__all__ = ["Column", "Conversion", "ConversionKind", "CsvFile", "Dataset", "Table", "open_sources"]
