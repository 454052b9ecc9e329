"""The tools that look at a whole table where it lies: aggregate and profile."""

from __future__ import annotations

from datetime import date, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.errors import InvalidInput
from gnomon.core.figures import capital, group_name, listed
from gnomon.core.figures import moment as in_words
from gnomon.core.parts import Scalar
from gnomon.core.query import TimeGranularity
from gnomon.tools.chart_frame import period_label
from gnomon.tools.chart_frame import words as in_plain_words
from gnomon.tools.columns import free_name
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.goals import Goal
from gnomon.tools.outputs import Output
from gnomon.tools.resolve import opened, plain_numbers, querying
from gnomon.tools.wording import counted, figure, moment

if TYPE_CHECKING:
    from gnomon.data import Table


class Aggregate(StrEnum):
    """How many values become one."""

    SUM = "sum"
    MEAN = "mean"
    MEDIAN = "median"
    COUNT = "count"
    MIN = "min"
    MAX = "max"
    NUNIQUE = "nunique"
    STDDEV = "stddev"


_SQL = {
    Aggregate.SUM: "sum({})",
    Aggregate.MEAN: "avg({})",
    Aggregate.MEDIAN: "median({})",
    Aggregate.COUNT: "count({})",
    Aggregate.MIN: "min({})",
    Aggregate.MAX: "max({})",
    Aggregate.NUNIQUE: "count(DISTINCT {})",
    Aggregate.STDDEV: "stddev_samp({})",
}
_NUMERIC_ONLY = {Aggregate.SUM, Aggregate.MEAN, Aggregate.MEDIAN, Aggregate.STDDEV}
_NUMERIC_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
                  "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL")  # fmt: skip


class Where(BaseModel):
    """A condition on one column."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    column: str
    operator: Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in", "is null", "is not null"] = "="
    value: Scalar | list[Scalar] = None


class AggregateInput(BaseModel):
    """What to compute, of what, for each what."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame
    value: str | None = Field(default=None, description="Column to aggregate; without one, rows are counted.")
    aggregate: Aggregate | None = Field(
        default=None, description="How; sum for a column of numbers, otherwise count."
    )
    group_by: list[str] = Field(
        default_factory=list, description="One result row for each combination of these."
    )
    time: str | None = Field(
        default=None, description="Column of time stamps that 'grain' cuts into periods."
    )
    grain: Literal["hour", "day", "week", "month", "quarter", "year"] | None = Field(
        default=None, description="One result row for each such period."
    )
    where: list[Where] = Field(default_factory=list[Where], description="Conditions that rows have to meet.")
    top: int | None = Field(
        default=None, ge=1, le=100_000, description="Only so many groups, the largest first."
    )
    ascending: bool = Field(default=False, description="The smallest first.")


class AggregateOutput(Output):
    """Aggregated rows."""

    aggregate: Aggregate
    value: str | None
    rows: Frame = Field(description="One row for each group, with the result in the last column.")
    group_count: int
    row_count: int = Field(description="Rows that went in.")
    null_count: int = Field(description="Rows whose value was missing and was left out.")
    query: str = Field(description="The query that computed it.")
    open_periods: list[date] = Field(
        default_factory=list[date], description="Beginnings of periods that the rows cut short."
    )
    notes: list[str] = Field(default_factory=list[str])


class ProfileInput(BaseModel):
    """The table to describe."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame


class ProfileOutput(Output):
    """A table described column by column."""

    profile: dict[str, Any]


def run_aggregate(given: AggregateInput, context: ToolContext) -> Output:
    """Aggregate a column over groups and periods, in the database."""
    import duckdb

    with opened(given.data, context) as (dataset, table), querying(dataset, context) as cursor:
        how = given.aggregate or (
            Aggregate.SUM if given.value and _is_numeric(table, given.value) else Aggregate.COUNT
        )
        query, values, label = _query(given, how, table)
        try:
            rows = plain_numbers(cursor.execute(query, values).to_arrow_table())
        except (duckdb.BinderException, duckdb.ConversionException):
            kinds = ", ".join(f"{w.column} holds {table.column(w.column).type}" for w in given.where)
            raise InvalidInput(
                f"A condition does not fit its column ({kinds})."
                if kinds
                else f"{how} cannot be computed of that column.",
                suggestions=["Compare numbers with numbers, and dates with dates such as 2024-01-31."],
            ) from None
        condition, bound = _condition(given.where, table)
        nulls = f"count(*) - count({_quoted(table, given.value)})" if given.value else "0"
        total, missing = cursor.execute(
            f"SELECT count(*), {nulls} FROM {table.relation}{condition}", bound
        ).fetchone() or (0, 0)
        opened_periods, notes = _cut_short(given, table, cursor) if given.grain else ([], [])
    frame = Frame.of(rows)
    return AggregateOutput(
        summary=_summary(given, how, frame, label),
        aggregate=how,
        value=given.value,
        rows=frame,
        group_count=len(frame),
        row_count=total,
        null_count=missing,
        query=query,
        open_periods=opened_periods,
        notes=notes,
    )


# A year whose first row is of the 3rd of January is whole: some days have no rows.
_SLACK = {"year": 7, "quarter": 2}


def _cut_short(given: AggregateInput, table: Table, cursor: Any) -> tuple[list[date], list[str]]:
    """The first and the last period where the rows begin or end inside them, and the words for it."""
    from gnomon.language.calendar import OF_GRAIN
    from gnomon.semantic.open_ends import open_ends

    if given.grain is None or given.grain == "hour":
        return [], []
    time = _quoted(table, _time(given, table))
    condition, bound = _condition(given.where, table)
    if given.grain == "day":
        rows = f"(SELECT * FROM {table.relation}{condition})"
        days = [at.date() for at in open_ends(cursor, rows, time, "day", bound=bound)]
        return days, [f"The rows begin or end within {in_words(day)}, so that day is not whole." for day in days]  # fmt: skip
    ends = cursor.execute(
        f"SELECT min({time})::DATE, max({time})::DATE, bool_and({time} = date_trunc('{given.grain}', {time})) "
        f"FROM {table.relation}{condition}",
        bound,
    ).fetchone()
    if (
        ends is None or ends[0] is None or ends[2]
    ):  # where every row stands at the beginning, it stands for the whole
        return [], []
    unit, slack = OF_GRAIN[TimeGranularity(given.grain)], timedelta(days=_SLACK.get(given.grain, 0))
    first, last = unit.floor(ends[0]), unit.floor(ends[1])
    found: list[date] = []
    notes: list[str] = []
    if first + slack < ends[0]:
        found.append(first)
        notes.append(f"The rows begin on {in_words(ends[0])}, so the {given.grain} of that day is not whole.")
    if unit.last_day(last) - slack > ends[1]:
        found.append(last)
        notes.append(f"The rows end on {in_words(ends[1])}, so the {given.grain} of that day is not whole.")
    return found, notes


def _quoted(table: Table, column: str | None) -> str:
    from gnomon.data.table import quote

    return "*" if column is None else quote(table.column(column).name)


def _is_numeric(table: Table, column: str) -> bool:
    return table.column(column).type.upper().startswith(_NUMERIC_TYPES)


def _query(given: AggregateInput, how: Aggregate, table: Table) -> tuple[str, list[Any], str]:
    """The query with its bound values, and the name of its result column."""
    if given.value and how in _NUMERIC_ONLY and not _is_numeric(table, given.value):
        kind = table.column(given.value).type
        raise InvalidInput(
            f"{how} works on numbers, and {given.value} holds {kind}.",
            suggestions=["Count it, or choose a column of numbers."],
        )
    if given.value is None and how is not Aggregate.COUNT:
        numbers = [c.name for c in table.columns if _is_numeric(table, c.name)]
        raise InvalidInput(
            f"{how} needs a column.", suggestions=[f"Name one as 'value': {', '.join(numbers[:8])}."]
        )
    from gnomon.data.table import quote

    period = _period(given)
    label = free_name(f"{how.value}_{given.value}" if given.value else "count", [period, *given.group_by])
    keys = [(_quoted(table, g), quote(g)) for g in given.group_by]
    if given.grain:
        time = _time(given, table)
        keys.insert(0, (f"date_trunc('{given.grain}', {_quoted(table, time)})", quote(period)))
    condition, values = _condition(given.where, table)
    measure = _SQL[how].format(_quoted(table, given.value))
    selected = ", ".join(
        [*(f"{expression} AS {name}" for expression, name in keys), f"{measure} AS {quote(label)}"]
    )
    query = f"SELECT {selected} FROM {table.relation}{condition}"
    if keys:
        query += f" GROUP BY {', '.join(str(i + 1) for i in range(len(keys)))}"
        query += f" ORDER BY {_ordering(given, len(keys), quote(label))}"
    if given.top:
        query += f" LIMIT {given.top}"
    return query, values, label


def _period(given: AggregateInput) -> str:
    """What the column of periods is called: by its length, unless a group is."""
    return free_name(given.grain, given.group_by) if given.grain else ""


def _ordering(given: AggregateInput, keys: int, label: str) -> str:
    ties = ", ".join(str(i + 1) for i in range(keys))
    if given.grain and not given.top:
        return ties
    return f"{label} {'ASC' if given.ascending else 'DESC'} NULLS LAST, {ties}"


def _time(given: AggregateInput, table: Table) -> str:
    if given.time:
        return table.column(given.time).name
    for column in table.columns:
        if column.type.upper().startswith(("DATE", "TIMESTAMP")):
            return column.name
    raise InvalidInput(
        f"There is no column of time stamps to cut into {given.grain}s.", suggestions=["Name one as 'time'."]
    )


def _condition(where: list[Where], table: Table) -> tuple[str, list[Any]]:
    parts: list[str] = []
    values: list[Any] = []
    for w in where:
        column = _quoted(table, w.column)
        if w.operator in {"is null", "is not null"}:
            parts.append(f"{column} {w.operator.upper()}")
        elif w.operator in {"in", "not in"}:
            listed = w.value if isinstance(w.value, list) else [w.value]
            if not listed:
                raise InvalidInput(f"'{w.column} {w.operator}' needs at least one value.")
            parts.append(f"{column} {w.operator.upper()} ({', '.join('?' for _ in listed)})")
            values += listed
        else:
            if isinstance(w.value, list) or w.value is None:
                raise InvalidInput(
                    f"'{w.column} {w.operator}' needs one value.", suggestions=["Use 'in' for several."]
                )
            parts.append(f"{column} {w.operator} ?")
            values.append(w.value)
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values


def _summary(given: AggregateInput, how: Aggregate, rows: Frame, label: str) -> str:
    words = {
        "nunique": "number of distinct",
        "mean": "average",
        "sum": "total",
        "stddev": "standard deviation of",
    }
    said = {**words, "min": "lowest", "max": "highest", "count": "number of rows with"}
    what = (
        f"{said.get(how.value, how.value)} {in_plain_words(given.value)}" if given.value else "number of rows"
    )
    if not given.group_by and not given.grain:
        value = rows.to_rows(1)[0][label]
        return f"The {what} is {_shown(value)}."
    period = _period(given)
    keys = [*([period] if given.grain else []), *given.group_by]
    if len(rows) == 0:
        return f"No rows to compute the {what} by {listed([in_plain_words(k) for k in keys])}."
    ordered = sorted(
        (r for r in rows.to_rows() if r[label] is not None),
        key=lambda r: r[label],
        reverse=not given.ascending,
    )
    if not ordered:
        return f"The {what} is unknown in every group."
    first = ordered[0]
    when = period_label(first[period], given.grain) if given.grain else ""
    names = " · ".join(group_name(first[k]) for k in given.group_by)
    place = " ".join(filter(None, (f"for {names}" if names else "", _at(given.grain, when))))
    of = (
        counted(len(rows), given.grain) if given.grain and not given.group_by else counted(len(rows), "group")
    )
    end = "lowest" if given.ascending else "highest"
    return f"{capital(what)} is {end} {place} ({_shown(first[label])}), of {of}."


def _at(grain: str | None, when: str) -> str:
    return f"{'on' if grain == 'day' else 'at' if grain == 'hour' else 'in'} {when}" if grain else ""


def _shown(value: Any) -> str:
    from decimal import Decimal

    return (
        figure(float(value))
        if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
        else moment(value)
    )


def run_profile(given: ProfileInput, context: ToolContext) -> Output:
    """Describe a table column by column."""
    from gnomon.data import profile_table

    with opened(given.data, context) as (dataset, table):
        found = profile_table(dataset, table.name)
    described = found.to_dict()
    described.pop("sample_rows", None)
    problems = len(found.warnings) + sum(len(c.warnings) for c in found.columns)
    summary = f"{found.rows:,} rows × {len(found.columns)} columns, {counted(found.duplicate_rows, 'duplicate row')}, {counted(problems, 'warning')}."
    return ProfileOutput(summary=summary, profile=described)


def aggregate_tools() -> list[FunctionTool]:
    """The tools of this file."""
    return [
        FunctionTool(
            "profile_table", run_profile, ProfileInput, ProfileOutput,
            description="Describes a table: rows, duplicates, keys, and for each column its role, range, nulls and warnings.",
            goals=(Goal.PROFILE,),
        ),
        FunctionTool(
            "aggregate", run_aggregate, AggregateInput, AggregateOutput,
            description="Totals, averages, counts and the like, by groups and calendar periods, with conditions and a top N.",
            goals=(Goal.AGGREGATE,), produces_rows="rows",
        ),
    ]  # fmt: skip
