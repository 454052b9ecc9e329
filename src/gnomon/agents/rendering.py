"""An answer on a terminal: prose, tables with people's numbers, a sketch of the chart, what to ask next."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from gnomon.core.answer import Answer, AnswerStatus, ResultTable, cell_text, told_columns, with_unit
from gnomon.core.figures import group_name, number
from gnomon.core.patterns import regex
from gnomon.core.visible import visible

if TYPE_CHECKING:
    from rich.console import RenderableType

SHOWN_ROWS = 20
_BAR = 24
_STYLES = {
    AnswerStatus.ANSWERED: "bold",
    AnswerStatus.PARTIAL: "bold yellow",
    AnswerStatus.CLARIFY: "bold cyan",
    AnswerStatus.ERROR: "bold red",
}
_PERCENT = regex(r"\(%\)$")


def render(answer: Answer, *, rows: int = SHOWN_ROWS) -> RenderableType:
    """What a terminal shows of an answer.

    Args:
        answer: The answer.
        rows: How many rows of a table to show; how many are left out is told.
    """
    from rich.console import Group
    from rich.text import Text

    paragraphs = answer.prose.split("\n\n")
    shown: list[Any] = [Text(visible(paragraphs[0]), style=_STYLES.get(answer.status, "bold magenta"))]
    for table in answer.tables:
        shown += [Text(), _table(table, rows)]
    shown += [Text(visible(p), style="dim") for p in paragraphs[1:]]
    if answer.suggestions:
        lead = "Did you mean:" if answer.status is AnswerStatus.CLARIFY else "You could also ask:"
        shown += [Text(), Text(lead, style="dim")]
        shown += [Text(visible(f"  • {s}")) for s in answer.suggestions]
    return Group(*shown)


def _table(table: ResultTable, rows: int) -> Any:
    """Rows with a bar beside them where one number tells the story."""
    from rich.table import Table
    from rich.text import Text

    left = len(table.rows) - rows
    more = f"{left:,} more rows" if left > 0 else None
    drawn = Table(caption=more, caption_justify="left", header_style="bold", pad_edge=False)
    numeric = [_is_numeric(table, i) for i in range(len(table.columns))]
    told = told_columns(table)
    for i in told:
        drawn.add_column(Text(visible(str(table.columns[i]))), justify="right" if numeric[i] else "left")
    bars = _bars(table, numeric, rows)
    if bars:
        drawn.add_column(Text(""), no_wrap=True)
    for i, row in enumerate(table.rows[:rows]):
        cells = [
            Text(
                visible(
                    with_unit(table, i, k) or cell_text(table, k, row[k]) or _cell(row[k], table.columns[k])
                )
            )
            for k in told
        ]
        drawn.add_row(*cells, *([Text(bars[i], style="cyan")] if bars else []))
    return drawn


def _is_numeric(table: ResultTable, column: int) -> bool:
    values = [row[column] for row in table.rows if row[column] is not None]
    return bool(values) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def _cell(value: Any, column: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,.1f}" if _PERCENT.search(column) else number(value)
    return value.isoformat() if isinstance(value, date) else group_name(value)


def _bars(table: ResultTable, numeric: list[bool], rows: int) -> list[str]:
    """A bar for each row of a table with exactly one column of numbers that are not negative."""
    if numeric.count(True) != 1 or len(table.rows) < 2 or table.units:
        return []
    at = numeric.index(True)
    values = [row[at] or 0 for row in table.rows[:rows]]
    largest = max(values, default=0)
    if largest <= 0 or min(values) < 0:
        return []
    return ["█" * max(1 if v > 0 else 0, round(_BAR * v / largest)) for v in values]
