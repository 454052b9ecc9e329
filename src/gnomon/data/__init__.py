"""Where rows come from: files, databases and frames as typed relations, their profiles, and what may be told of them."""

from gnomon.data.csv_source import CsvFile
from gnomon.data.profile import profile_dataset, profile_table
from gnomon.data.profile_model import (
    ColumnProfile,
    DatasetProfile,
    Gap,
    JoinCandidate,
    Key,
    PersonalKind,
    Role,
    SourceFailure,
    TableProfile,
    TimeGrain,
    TopValue,
)
from gnomon.data.sources import open_sources
from gnomon.data.table import Column, Conversion, ConversionKind, Dataset, Table

__all__ = [
    "Column",
    "ColumnProfile",
    "Conversion",
    "ConversionKind",
    "CsvFile",
    "Dataset",
    "DatasetProfile",
    "Gap",
    "JoinCandidate",
    "Key",
    "PersonalKind",
    "Role",
    "SourceFailure",
    "Table",
    "TableProfile",
    "TimeGrain",
    "TopValue",
    "open_sources",
    "profile_dataset",
    "profile_table",
]
