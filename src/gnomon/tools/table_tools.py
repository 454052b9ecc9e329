"""Tools that take rows and give rows: derive, bin, filter, clean, join, and the comparison of two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.analytics.binning import BinnedColumn, bin_column
from gnomon.analytics.comparison import TableComparison, compare_tables
from gnomon.analytics.expression import DerivedColumn, Parting, derive, is_plain, looks_across, parse
from gnomon.analytics.joins import JoinedFrames, join_frames
from gnomon.analytics.outliers import CleanedOutliers, clean_outliers
from gnomon.analytics.timegrid import parsed_stamps
from gnomon.core.errors import InvalidInput
from gnomon.tools.columns import ahead, free_name, known, numeric_columns, time_column, value_column
from gnomon.tools.contract import FunctionTool, Requirement, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.goals import Goal
from gnomon.tools.lineage import Lineage
from gnomon.tools.outputs import Output, filled, output_model
from gnomon.tools.resolve import read_frame
from gnomon.tools.wording import counted, moment, percent

if TYPE_CHECKING:
    import pandas as pd


class _Input(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame


class DeriveInput(_Input):
    """A formula for a new column."""

    expression: str = Field(
        min_length=1, max_length=2000, description="A formula over columns, such as revenue - cost."
    )
    new_column: str = Field(min_length=1, max_length=200, description="Name of the new column.")


class FilterInput(_Input):
    """What rows have to meet: a condition, a reach back from the latest row, or both."""

    condition: str | None = Field(
        default=None,
        min_length=1,
        max_length=2000,
        description="A condition over columns, such as units > 3.",
    )
    latest: int | None = Field(
        default=None, ge=1, description="Only so many units of time, back from the latest row."
    )
    latest_unit: Literal["hour", "day", "week", "month", "quarter", "year"] = Field(
        default="day", description="Unit of 'latest'."
    )
    time: str | None = Field(
        default=None, description="Column of time stamps for 'latest'; the first by default."
    )


class BinInput(_Input):
    """How to put the values of a column into bins."""

    column: str | None = Field(default=None, description="Column to bin; the only numeric one by default.")
    method: Literal["width", "quantile", "edges", "date"] = Field(
        default="width", description="How bins are cut."
    )
    bins: int = Field(default=10, ge=2, le=1000, description="Number of bins.")
    edges: list[float] | None = Field(default=None, description="Borders of the bins, for the method edges.")
    grain: Literal["hour", "day", "week", "month", "quarter", "year"] | None = Field(
        default=None, description="Length of a bin, for the method date."
    )
    labels: list[str] | None = Field(default=None, description="A name for each bin.")
    new_column: str | None = Field(default=None, description="Name of the new column; COLUMN_bin by default.")


class CleanInput(_Input):
    """What counts as an outlier, and what happens to it."""

    columns: list[str] | None = Field(default=None, description="Columns to check; every measure by default.")
    value: str | None = Field(default=None, description="The one column to check.")
    method: Literal["iqr", "zscore", "mad"] = Field(default="iqr", description="Rule that finds outliers.")
    threshold: float | None = Field(
        default=None, gt=0, description="How far is too far; 1.5 IQR, 3 deviations, 3.5 MAD."
    )
    action: Literal["remove", "cap"] = Field(
        default="remove", description="Drop the row, or pull the value in."
    )


class JoinInput(_Input):
    """Two tables and the columns that match them."""

    other: Frame = Field(description="Rows of the second table.")
    on: list[str] | None = Field(default=None, description="Columns that both share; found by default.")
    left_on: list[str] | None = Field(default=None, description="Columns of the first table.")
    right_on: list[str] | None = Field(default=None, description="Columns of the second table.")
    how: Literal["inner", "left", "right", "outer"] = Field(
        default="left", description="Which rows are kept."
    )


class CompareInput(_Input):
    """Two versions of a table."""

    other: Frame = Field(description="Rows of the newer version.")
    key: list[str] | None = Field(default=None, description="Columns that identify a row; found by default.")
    examples: int = Field(default=5, ge=0, le=100, description="Examples of each kind of change.")


_ROWS = {"rows": "The resulting rows."}
DeriveOutput = output_model("DeriveOutput", DerivedColumn, **_ROWS)
BinOutput = output_model("BinOutput", BinnedColumn, **_ROWS)
CleanOutput = output_model("CleanOutput", CleanedOutliers, **_ROWS)
JoinOutput = output_model("JoinOutput", JoinedFrames, without=("rows",), joined="The joined rows.")
CompareOutput = output_model("CompareOutput", TableComparison)


class FilterOutput(Output):
    """The rows that met a condition."""

    kept: int = Field(description="Rows that meet the condition.")
    removed: int = Field(description="Rows that do not, or whose condition is unknown.")
    rows: Frame = Field(description="The resulting rows.")


def run_derive(given: DeriveInput, context: ToolContext) -> Output:
    """Add a column computed from the others."""
    frame = read_frame(given.data, context)
    _check_new(given.new_column, frame)
    found = derive(frame, given.expression)
    rows = frame.assign(**{given.new_column: found.data})
    used = {c.casefold() for c in found.columns}
    made = [str(c) for c in frame.columns if str(c).casefold() in used]
    formula = parse(given.expression)
    lineage = Lineage.of(
        rows,
        made={given.new_column: made},
        across=[given.new_column] if looks_across(formula) else [],
        formed={given.new_column: is_plain(formula)},
        parted=found.parted,
    )
    return filled(
        DeriveOutput,
        found,
        f"{given.new_column} = {given.expression}, for {counted(len(rows), 'row')}.",
        rows=Frame.made(rows, lineage),
    )


def _check_new(name: str, frame: pd.DataFrame) -> None:
    if name.casefold() in {str(c).casefold() for c in frame.columns}:
        raise InvalidInput(
            f"The data already has a column {name!r}.", suggestions=["Choose another name for the new one."]
        )


def run_filter(given: FilterInput, context: ToolContext) -> Output:
    """Keep the rows that meet a condition."""
    if given.condition is None and given.latest is None:
        raise InvalidInput("There is nothing to filter by.", suggestions=["Give a 'condition', or 'latest'."])
    frame = read_frame(given.data, context)
    kept, said, parted = frame, list[str](), tuple[Parting, ...]()
    if given.condition is not None:
        found = derive(frame, given.condition)
        if found.kind != "boolean":
            raise InvalidInput(
                f"{given.condition!r} is not a condition: it gives a {found.kind}, not true or false.",
                suggestions=["Write a comparison, such as units > 3 or region = 'West'."],
            )
        parted = found.parted
        kept = kept[found.data.fillna(False).astype(bool)]
        said.append(given.condition)
    if given.latest is not None:
        time = time_column(frame, given.time)
        if time is None:
            raise InvalidInput(
                "There is no column of time stamps to count back from.", suggestions=["Name one as 'time'."]
            )
        stamps = parsed_stamps(frame[time])
        try:
            cut = stamps.max() - ahead(given.latest_unit, given.latest)
        except (OverflowError, ValueError):
            raise InvalidInput(
                f"{given.latest:,} {given.latest_unit}s reach back before any calendar.",
                suggestions=["Give a smaller 'latest'."],
            ) from None
        kept = kept[stamps[kept.index] > cut]
        said.append(f"{time} after {moment(cut.to_pydatetime())}")
    summary = f"{counted(len(kept), 'row')} of {len(frame):,} meet {' and '.join(said)}."
    return FilterOutput(
        summary=summary[0].upper() + summary[1:],
        kept=len(kept),
        removed=len(frame) - len(kept),
        rows=Frame.made(kept.reset_index(drop=True), Lineage.of(kept, kept.index, parted=parted)),
    )


def run_bin(given: BinInput, context: ToolContext) -> Output:
    """Put the values of a column into bins."""
    frame = read_frame(given.data, context)
    column = known(frame, given.column) if given.column else value_column(frame, None)
    method = "edges" if given.edges else "date" if given.grain else given.method
    found = bin_column(
        frame[column],
        method=method,
        bins=given.bins,
        edges=given.edges,
        grain=given.grain,
        labels=given.labels,
    )
    if given.new_column is not None:
        _check_new(given.new_column, frame)
    name = given.new_column or free_name(f"{column}_bin", frame.columns)
    largest = max(found.bins, key=lambda b: b.count) if found.bins else None
    tail = f"; the fullest is {largest.label} with {counted(largest.count, 'row')}" if largest else ""
    binned = frame.assign(**{name: found.labels.to_numpy()})
    told = () if method in {"edges", "date"} else (name,)
    rows = Frame.made(binned, Lineage.of(binned, made={name: [column]}, edges=told))
    return filled(
        BinOutput, found, f"{column} falls into {counted(len(found.bins), 'bin')}{tail}.", rows=rows
    )


def run_clean(given: CleanInput, context: ToolContext) -> Output:
    """Remove or cap outliers, and tell which."""
    frame = read_frame(given.data, context)
    columns = given.columns or ([given.value] if given.value else numeric_columns(frame))
    found = clean_outliers(
        frame, columns=columns, method=given.method, threshold=given.threshold, action=given.action
    )
    gone = found.rows_before - found.rows_after
    verb = "removed" if given.action == "remove" else "pulled in"
    count = gone if given.action == "remove" else len(found.removed)
    summary = f"{counted(count, 'row' if given.action == 'remove' else 'value')} of {found.rows_before:,} {verb} as outliers in {', '.join(columns[:4])}."
    capped = [b.column for b in found.bounds] if given.action == "cap" else []
    lineage = Lineage.of(found.frame, found.frame.index, levelled=capped)
    rows = Frame.made(found.frame.reset_index(drop=True), lineage)
    return filled(CleanOutput, found, summary[0].upper() + summary[1:], rows=rows)


def run_join(given: JoinInput, context: ToolContext) -> Output:
    """Join two tables and report what matched."""
    left, right = read_frame(given.data, context), read_frame(given.other, context)
    found = join_frames(
        left, right, on=given.on, left_on=given.left_on, right_on=given.right_on, how=given.how
    )
    keys = ", ".join(a if a == b else f"{a} = {b}" for a, b in found.keys)
    summary = f"Joined on {keys}: {percent(found.left_match_rate)} of the rows found a partner ({found.cardinality}), {counted(found.rows, 'row')} in all."
    return filled(JoinOutput, found, summary, joined=Frame.made(found.frame, _joined(found, left, right)))


def _joined(found: JoinedFrames, left: pd.DataFrame, right: pd.DataFrame) -> Lineage:
    """Columns of the first table, of the second under the names they were given, and keys of either."""
    columns = {str(c): {("data", str(c))} for c in left.columns}
    shared = {a for a, b in found.keys if a == b}
    for column in map(str, right.columns):
        columns.setdefault(found.renamed.get(column, column), set()).add(("other", column))
    # A key of both stands for a row of either; where every row has a left one, the left one is told.
    for key in shared if found.how in {"left", "inner"} else ():
        columns[key].discard(("other", key))
    rows = {"data": found.left_positions, "other": found.right_positions}
    return Lineage(rows, {c: frozenset(made) for c, made in columns.items()})


def run_compare(given: CompareInput, context: ToolContext) -> Output:
    """Say what changed between two versions of a table."""
    before, after = read_frame(given.data, context), read_frame(given.other, context)
    found = compare_tables(before, after, key=given.key, examples=given.examples)
    if found.identical:
        summary = f"The two versions are identical ({counted(found.rows_before, 'row')})."
    else:
        summary = f"{counted(found.added, 'row')} added, {found.removed:,} removed, {found.changed:,} changed, {found.unchanged:,} unchanged.".capitalize()
    return filled(CompareOutput, found, summary)


def table_tools() -> list[FunctionTool]:
    """The tools of this file."""
    return [
        FunctionTool(
            "derive_column", run_derive, DeriveInput, DeriveOutput,
            description="Adds a column computed from others by a formula such as revenue - cost.",
            goals=(Goal.DERIVE,), produces_rows="rows",
        ),
        FunctionTool(
            "filter_rows", run_filter, FilterInput, FilterOutput,
            description="Keeps the rows that meet a condition such as region = 'West' and units > 3.",
            goals=(Goal.FILTER,), produces_rows="rows",
        ),
        FunctionTool(
            "bin_column", run_bin, BinInput, BinOutput,
            description="Puts the values of a column into bins: equal widths, quantiles, given borders, or calendar periods.",
            goals=(Goal.BIN,), requires=(Requirement(kind="any", param="column"),), produces_rows="rows",
        ),
        FunctionTool(
            "clean_outliers", run_clean, CleanInput, CleanOutput,
            description="Removes or caps outliers by IQR, z-score or MAD, and lists what was removed and why.",
            goals=(Goal.CLEAN,), requires=(Requirement(kind="numeric"),), produces_rows="rows",
        ),
        FunctionTool(
            "join_tables", run_join, JoinInput, JoinOutput,
            description="Joins two tables and reports match rates and rows that multiplied.",
            goals=(Goal.JOIN,), produces_rows="joined",
        ),
        FunctionTool(
            "compare_tables", run_compare, CompareInput, CompareOutput,
            description="Compares two versions of a table: columns, and rows added, removed and changed by key.",
            goals=(Goal.COMPARE,),
        ),
    ]  # fmt: skip
