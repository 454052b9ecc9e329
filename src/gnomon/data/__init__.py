"""Where rows come from: files, databases and frames as typed relations, their profiles, and what may be told of them."""

from typing import TYPE_CHECKING

from gnomon.core.lazy import exports

if TYPE_CHECKING:
    from gnomon.data.column_kinds import PersonalKind, Role
    from gnomon.data.csv_source import CsvFile
    from gnomon.data.feedback import sanitize_execution_feedback
    from gnomon.data.loading import LoadedData, load_and_profile_data, load_data_chunked, load_data_with_cache
    from gnomon.data.profile import profile_dataset, profile_table
    from gnomon.data.profile_model import (
        ColumnProfile,
        DatasetProfile,
        Gap,
        JoinCandidate,
        Key,
        SourceFailure,
        TableProfile,
        TimeGrain,
        TopValue,
    )
    from gnomon.data.safe import (
        LocalProfile,
        SafeColumn,
        SafeProfile,
        SafeTable,
        build_local_profile,
        build_safe_profile,
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
    "LoadedData",
    "LocalProfile",
    "PersonalKind",
    "Role",
    "SafeColumn",
    "SafeProfile",
    "SafeTable",
    "SourceFailure",
    "Table",
    "TableProfile",
    "TimeGrain",
    "TopValue",
    "build_local_profile",
    "build_safe_profile",
    "load_and_profile_data",
    "load_data_chunked",
    "load_data_with_cache",
    "open_sources",
    "profile_dataset",
    "profile_table",
    "sanitize_execution_feedback",
]

_HOMES = {
    "gnomon.data.csv_source": "CsvFile",
    "gnomon.data.feedback": "sanitize_execution_feedback",
    "gnomon.data.loading": "LoadedData load_and_profile_data load_data_chunked load_data_with_cache",
    "gnomon.data.column_kinds": "PersonalKind Role",
    "gnomon.data.profile": "profile_dataset profile_table",
    "gnomon.data.profile_model": "ColumnProfile DatasetProfile Gap JoinCandidate Key SourceFailure TableProfile TimeGrain TopValue",
    "gnomon.data.safe": "LocalProfile SafeColumn SafeProfile SafeTable build_local_profile build_safe_profile",
    "gnomon.data.sources": "open_sources",
    "gnomon.data.table": "Column Conversion ConversionKind Dataset Table",
}

__getattr__ = exports(__name__, {name: home for home, names in _HOMES.items() for name in names.split()})
