"""One way to read the text of a column as something else."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gnomon.data.table import ConversionKind


@dataclass(frozen=True)
class Reading:
    """A way to read text: the SQL that does it, and how to tell what was done.

    Args:
        kind: What the text holds.
        type: DuckDB type of the result.
        sql: An expression with ``{c}`` for the column; null where the cell holds something else.
        detail: How it is read, in words.
        unit: Unit found in the text.
        plain: Whether this is how such values are usually written, so that it needs no mention.
        finer: The reading to take instead where :attr:`finer_when` holds for some cell.
        finer_when: A condition with ``{c}`` that some cell needs the finer reading.
        ambiguous: What to tell the reader where another reading fits every cell as well.
        swapped: An expression like :attr:`sql` that takes days for months and months for days.
        cell: What is read of a cell, with ``{c}`` for the column: it may wear signs that say nothing.
        doubt: What cells that fit may mean as well, to be told with every figure of the column.
    """

    kind: ConversionKind
    type: str
    sql: str
    detail: str
    unit: str | None = None
    plain: bool = False
    finer: Reading | None = None
    finer_when: str | None = None
    ambiguous: str | None = None
    swapped: str | None = None
    doubt: str | None = None
    cell: str = "{c}"

    def expression(self, column: str) -> str:
        """The SQL for the quoted ``column``."""
        return self.over(self.sql, column)

    def over(self, sql: str, column: str) -> str:
        """An expression of this reading, with what is read of the quoted ``column`` in the place of ``{c}``."""
        return sql.replace("{c}", self.cell.replace("{c}", column))

    def dressed(self, cell: str) -> Reading:
        """The same reading of cells that wear something."""
        finer = self.finer.dressed(cell) if self.finer else None
        return replace(self, cell=cell, finer=finer)


def share(matching: int, total: int) -> float:
    """``matching`` of ``total``, or nothing of nothing."""
    return matching / total if total else 0.0
