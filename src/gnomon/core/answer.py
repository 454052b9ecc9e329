"""What Gnomon says: facts that a tool computed, and the answer made of them."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from hashlib import sha256
from html import escape as html_escape
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.algebra import Ask
from gnomon.core.figures import FRACTION, figure
from gnomon.core.parts import Filter
from gnomon.core.plan import Plan
from gnomon.core.query import Recurring, TimeRange
from gnomon.core.request import Checked, Request
from gnomon.core.visible import visible

FactValue = int | float | str | bool | date | datetime | None
_PERIODS = {"year": "%Y", "month": "%Y-%m"}
SHOWN_ROWS = 50


def escape(text: str) -> str:
    """``text`` as a page shows it."""
    return html_escape(visible(text))


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class About(_Frozen):
    """What a fact is about."""

    metric: str | None = None
    filters: tuple[Filter, ...] = ()
    period: TimeRange | None = None
    recurring: Recurring | None = None
    group: dict[str, str] = Field(default_factory=dict)


TREE_STEP = "ask"
"""The step of figures that a tree of columns came to."""
READ_AS = "Read as: "


class Fact(_Frozen):
    """One computed value and where it came from.

    Args:
        name: How prose refers to it, such as ``sales.total``.
        value: The exact value, a plain Python one.
        unit: Its unit, such as ``USD`` or ``%``.
        about: The metric, filters and period it speaks of.
        step: The step of the plan that made it.
        query: The query or computation that made it, as text.
        rows: How many source rows stand behind it, where that is known.
    """

    name: str
    value: FactValue
    unit: str | None = None
    about: About = About()
    step: str
    query: str = ""
    rows: int | None = None


class ResultTable(_Frozen):
    """Rows that belong to an answer.

    Args:
        name: What the table is called.
        columns: The headings.
        rows: The values, exact.
        rates: The headings of columns that hold parts of one, which people read as percent.
        units: The unit of the numbers of each row, where the rows are different figures.
        behind: How many source rows stand behind each row, where that is known.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    rates: tuple[str, ...] = ()
    units: tuple[str | None, ...] = ()
    behind: tuple[int, ...] = ()


class AnswerStatus(StrEnum):
    """How a question ended."""

    ANSWERED = "answered"
    PARTIAL = "partial"
    CLARIFY = "clarify"
    OUT_OF_DOMAIN = "out_of_domain"
    OUT_OF_SCOPE = "out_of_scope"
    ERROR = "error"


class Option(_Frozen):
    """One way in which a question may be meant, already computed.

    Args:
        said: What it takes the open words for, or leaves out, in words.
        question: The question in words that are clear; asking it gives this answer.
        leaves: Words of the question that it leaves out.
        prose: The answer.
        facts: Its figures.
        word: The word that has a meaning in it, where picking it teaches one.
        name: The metric, dimension or table that the word then means.
        chance: How likely it is meant so, from 0 to 1; 0 where that was not judged.
        requests: What is asked for in it, where its words alone might be asked back about again.
        notes: What the asker should know about how those were taken.
        ask: The tree that is asked for in it, where it was read as one.
        privacy: The level at which a language model was asked for it; None where none was.
    """

    said: str
    question: str
    leaves: tuple[str, ...] = ()
    prose: str
    facts: tuple[Fact, ...] = ()
    word: str = ""
    name: str = ""
    chance: float = 0.0
    requests: tuple[Request, ...] = ()
    notes: tuple[str, ...] = ()
    ask: Annotated[Ask | None, Checked] = None
    privacy: str | None = None

    @property
    def id(self) -> str:
        """What names it among others: the same for the same words taken for the same things."""
        return sha256(f"{self.said}\n{self.question}".encode()).hexdigest()[:12]


class Answer(_Frozen):
    """The whole answer to one question; few facts, each asked for."""

    status: AnswerStatus
    prose: str
    facts: tuple[Fact, ...] = ()
    tables: tuple[ResultTable, ...] = ()
    charts: tuple[dict[str, Any], ...] = ()
    request: Request | None = None
    plan: Plan | None = None
    suggestions: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    timings: dict[str, float] = Field(default_factory=dict)

    @property
    def read_as(self) -> str:
        """How the question was read, as the prose tells it; nothing where it does not."""
        told = (p for p in self.prose.split("\n\n") if p.startswith(READ_AS))
        return next(told, "").removeprefix(READ_AS).rstrip(".")

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON-ready data."""
        return self.model_dump(mode="json")

    def _repr_html_(self) -> str:
        """The answer for a notebook: prose, tables and suggestions, with nothing fetched from elsewhere."""
        body = [f"<p>{escape(p)}</p>" for p in self.prose.split("\n\n") if p]
        body += [_table_html(table) for table in self.tables]
        if self.suggestions:
            asked = "".join(f"<li>{escape(s)}</li>" for s in self.suggestions)
            body.append(f"<p>You could also ask:</p><ul>{asked}</ul>")
        return f'<div class="gnomon-answer" data-status="{escape(self.status)}">{"".join(body)}</div>'


def _table_html(table: ResultTable) -> str:
    """At most so many rows as a page can show; what is left out is told."""
    told = told_columns(table)
    head = "".join(f"<th>{escape(str(table.columns[k]))}</th>" for k in told)
    rows = [
        "".join(_cell_html(row[k], with_unit(table, i, k) or cell_text(table, k, row[k])) for k in told)
        for i, row in enumerate(table.rows[:SHOWN_ROWS])
    ]
    left = len(table.rows) - len(rows)
    note = f"<p>{left:,} more rows are not shown.</p>" if left > 0 else ""
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def told_columns(table: ResultTable) -> list[int]:
    """The columns that people read: where rows are different figures, "change in" is the unit of the "change" before it."""
    heads = table.columns
    return [i for i, c in enumerate(heads) if not table.units or i == 0 or c != f"{heads[i - 1]} in"]


def with_unit(table: ResultTable, row: int, column: int) -> str | None:
    """A number of a table whose rows are different figures, in its own unit; None where all of a column have one."""
    name, value = table.columns[column], table.rows[row][column]
    if not table.units or not column or name in table.rates:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    own = column + 1 < len(table.columns) and table.columns[column + 1] == f"{name} in"
    return figure(value, table.rows[row][column + 1] if own else table.units[row])


def cell_text(table: ResultTable, column: int, value: Any) -> str | None:
    """What names a row, as people write it: 2023 for a year or a number that identifies, 2023-04 for a month; a rate in percent.

    None for what else is measured, and for anything that is written as it is.
    """
    if isinstance(value, date):
        written = _PERIODS.get(table.columns[column])
        quarter = f"{value.year} Q{(value.month + 2) // 3}"
        return quarter if table.columns[column] == "quarter" else value.strftime(written) if written else None
    if table.columns[column] in table.rates and isinstance(value, (int, float)):
        return figure(value, FRACTION)
    names = column == 0 and len(table.columns) > 1
    return str(value) if names and isinstance(value, int) and not isinstance(value, bool) else None


def _cell_html(value: Any, key: str | None) -> str:
    if key is not None:
        number = isinstance(value, (int, float)) and key != str(value)
        aligned = ' style="text-align:right"' if number else ""
        return f"<td{aligned}>{escape(key)}</td>"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        text = f"{value:,.6g}" if isinstance(value, float) and abs(value) < 1e6 else f"{value:,.0f}"
        return f'<td style="text-align:right">{escape(text)}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"
