"""What may be told of data, and what may not: the safe profile without a value in it, and the local one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from gnomon.core.errors import NotFound
from gnomon.data.column_kinds import PersonalKind, Role
from gnomon.data.profile import profile_dataset
from gnomon.data.profile_model import ColumnProfile, DatasetProfile, TableProfile
from gnomon.data.table import Dataset

Profiled = Dataset | DatasetProfile | TableProfile
_CLASSES = ((12, "low-cardinality"), (100, "medium-cardinality"))


@dataclass(frozen=True)
class SafeColumn:
    """A column without its values.

    Args:
        name: Name of the column.
        type: DuckDB type.
        null_rate: Share of the cells without a value.
        unique: How many different values there are.
        descriptor: What the column is, such as ``low-cardinality category with 5 classes``.
    """

    name: str
    type: str
    null_rate: float
    unique: int
    descriptor: str

    def __str__(self) -> str:
        return f"{self.name} | {self.type} | nulls {self.null_rate:.1%} | unique {self.unique:,} | {self.descriptor}"


@dataclass(frozen=True)
class SafeTable:
    """A table without its values: its name, how many rows, and its columns."""

    name: str
    rows: int
    columns: tuple[SafeColumn, ...]

    def column(self, name: str) -> SafeColumn:
        """The column of that name.

        Raises:
            NotFound: No column has that name.
        """
        for c in self.columns:
            if c.name == name:
                return c
        raise NotFound.among("column", name, [c.name for c in self.columns])


@dataclass(frozen=True)
class SafeProfile:
    """Tables without their values, for readers that must not see any; ``str()`` is the text form."""

    tables: tuple[SafeTable, ...]
    failures: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[SafeTable]:
        return iter(self.tables)

    def find_column(self, name: str) -> tuple[SafeTable, SafeColumn] | None:
        """The first column of that name in any table."""
        return next(((t, c) for t in self.tables for c in t.columns if c.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can carry."""
        tables = [
            {"name": t.name, "rows": t.rows, "columns": [vars(c) for c in t.columns]} for t in self.tables
        ]
        return {"tables": tables, "failures": list(self.failures)}

    def __str__(self) -> str:
        lines: list[str] = []
        for t in self.tables:
            lines.append(f"Table {t.name}: {t.rows:,} rows, {len(t.columns)} columns")
            lines.extend(f"  {c}" for c in t.columns)
        lines.extend(f"Not available: {f}" for f in self.failures)
        return "\n".join(lines)


@dataclass(frozen=True)
class LocalProfile:
    """Everything known about the tables, values and sample rows included: for this machine only."""

    profile: DatasetProfile

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can carry."""
        return self.profile.to_dict()

    def __str__(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)


def build_safe_profile(data: Profiled) -> SafeProfile:
    """Names, types, null rates, unique counts and descriptors; nothing that was read from a cell.

    Args:
        data: A data set, or a profile of one.
    """
    profile = _profile(data)
    tables = tuple(
        SafeTable(t.name, t.rows, tuple(_safe_column(c, t.rows) for c in t.columns)) for t in profile.tables
    )
    # A reason may quote the cell that broke the reading: only the file's name and the kind of failure pass.
    failures = tuple(f"{PurePath(f.source).name} ({f.code.replace('_', ' ')})" for f in profile.failures)
    return SafeProfile(tables, failures)


def build_local_profile(data: Profiled) -> LocalProfile:
    """Everything, with sample rows; never to be sent to a model.

    Args:
        data: A data set, or a profile of one.
    """
    return LocalProfile(_profile(data))


def _profile(data: Profiled) -> DatasetProfile:
    if isinstance(data, TableProfile):
        return DatasetProfile((data,))
    return profile_dataset(data) if isinstance(data, Dataset) else data


def _safe_column(column: ColumnProfile, rows: int) -> SafeColumn:
    return SafeColumn(
        name=column.name,
        type=_safe_type(column.type),
        null_rate=round(column.null_rate, 4),
        unique=column.distinct,
        descriptor=descriptor(column, rows),
    )


def _safe_type(type_name: str) -> str:
    """The type, without the values that an ENUM lists."""
    return "ENUM" if type_name.upper().startswith("ENUM") else type_name


_PERSONAL: Mapping[PersonalKind, str] = {
    PersonalKind.EMAIL: "e-mail addresses",
    PersonalKind.PHONE: "telephone numbers",
    PersonalKind.CARD: "card numbers",
    PersonalKind.IBAN: "bank account numbers",
    PersonalKind.NATIONAL_ID: "national identification numbers",
    PersonalKind.IP_ADDRESS: "network addresses",
    PersonalKind.NAME: "names of people",
    PersonalKind.ADDRESS: "postal addresses",
    PersonalKind.BIRTH_DATE: "dates of birth",
}


def descriptor(column: ColumnProfile, rows: int) -> str:
    """A column in words that carry no value of it."""
    if column.distinct == 0:
        return "empty column"
    unique = column.distinct >= rows - column.nulls and rows > 1
    if column.role in (Role.CATEGORY, Role.GEOGRAPHIC) and column.quantiles is None:
        what = "category" if column.role is Role.CATEGORY else "place name"
        return f"{_cardinality(column.distinct)} {what} with {column.distinct:,} classes"
    if column.role is Role.PERSONAL:
        return f"personal data: {_PERSONAL[column.personal or PersonalKind.NAME]}"
    described = {
        Role.ID: "identifier, one per row" if unique else "identifier that repeats",
        Role.TIME: "time",
        Role.MEASURE: "numeric measure",
        Role.MONEY: "money amount",
        Role.PERCENT: "percentage or share",
        Role.TEXT: "free text",
        Role.BOOLEAN: "yes/no flag",
        Role.GEOGRAPHIC: "geographic number",
        Role.CATEGORY: f"{_cardinality(column.distinct)} category with {column.distinct:,} classes",
    }
    constant = ", constant" if column.distinct == 1 else ""
    return described[column.role] + constant


def _cardinality(distinct: int) -> str:
    return next((name for limit, name in _CLASSES if distinct <= limit), "high-cardinality")
