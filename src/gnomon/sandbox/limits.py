"""How much a worker may use, and how much of what it says is taken."""

from __future__ import annotations

from dataclasses import dataclass, fields

from gnomon.core.errors import InvalidInput
from gnomon.core.settings import Settings


@dataclass(frozen=True)
class Limits:
    """Bounds of one worker; whatever goes beyond is refused, cut or ended.

    Args:
        seconds: Time of one cell.
        grace_seconds: Time that a cell has to end after it was interrupted, before the worker is killed.
        start_seconds: Time that the worker has to start.
        memory_mb: Memory of each process, and of all together.
        cpu_seconds: Processor time of each process over its whole life.
        processes: Processes and threads at the same time.
        open_files: Files that one process holds open.
        files_mb: Size of the private folder.
        files: Entries in the private folder.
        code_chars: Length of a cell.
        output_chars: Length of standard output, and of standard error, that is kept.
        artefacts: Figures, tables and texts of one cell.
        artefacts_mb: Their size together.
        table_rows: Rows of a table that are kept.
        table_columns: Columns of a table that are kept.
        text_chars: Length of one text, and of one cell of a table times 10.
        variables: Names that are told after each cell.
    """

    seconds: float = 60.0
    grace_seconds: float = 2.0
    start_seconds: float = 20.0
    memory_mb: int = 2048
    cpu_seconds: int = 1800
    processes: int = 128
    open_files: int = 256
    files_mb: int = 256
    files: int = 20_000
    code_chars: int = 200_000
    output_chars: int = 100_000
    artefacts: int = 20
    artefacts_mb: int = 32
    table_rows: int = 200
    table_columns: int = 100
    text_chars: int = 10_000
    variables: int = 200

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) <= 0:
                raise InvalidInput(f"The limit {field.name} must be more than 0.")
        if self.memory_mb < 64:
            raise InvalidInput("A Python worker needs at least memory_mb=64.")

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """The limits that the settings name."""
        return cls(seconds=settings.cell_timeout_seconds, memory_mb=settings.sandbox_memory_mb)
