"""What tables mean: metrics, dimensions, joins, and the names under which people ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from functools import cached_property
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.errors import NotFound
from gnomon.core.parts import Filter
from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity
from gnomon.semantic.derived import Derived, derived, derived_at, outside
from gnomon.semantic.kinds import SAID, UNITLESS
from gnomon.semantic.kinds import Additivity as Additivity
from gnomon.semantic.kinds import Aggregation as Aggregation
from gnomon.semantic.kinds import BusinessDimension as BusinessDimension
from gnomon.semantic.kinds import DimensionType as DimensionType
from gnomon.semantic.kinds import Direction as Direction
from gnomon.semantic.paths import Ways
from gnomon.semantic.references import AS_SHARE, IN_UNIT, as_formula, bounded
from gnomon.semantic.time_columns import Written
from gnomon.semantic.wording import bound_in_words as bound_in_words
from gnomon.semantic.wording import number_in_words, one_of
from gnomon.semantic.wording import ordinal as ordinal
from gnomon.semantic.wording import plural as plural
from gnomon.semantic.wording import quoted as quoted
from gnomon.semantic.wording import singular as singular


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid", ignored_types=(cached_property,))


class ColumnRef(_Frozen):
    """One column of one table."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


class Metric(_Frozen):
    """Something that can be computed over any set of rows.

    Exactly one of three forms: an ``aggregation`` of a row ``expression`` of ``table``; a ``formula`` over
    other metrics (such as ``revenue / orders``); or an ``aggregation`` of another metric (``inner``) over
    the groups of ``per`` (a dimension or a grain of time), such as the mean of revenue per day.

    Args:
        name: Unique among metrics.
        label: How people call it, lower case unless it is a proper name.
        table: The table whose rows it is computed from (None for formulas and nested metrics).
        aggregation: How rows, or groups, become one value.
        expression: Arithmetic over the columns of ``table``; None counts rows.
        formula: Arithmetic over names of other metrics.
        inner: The metric that is aggregated once more.
        per: The dimension, or grain of time, whose groups ``inner`` is computed for.
        quantile: For that aggregation, the share of values that lie below.
        where: Conditions on rows that belong to the metric itself; on the groups, for a metric of a metric.
        unit: Such as ``USD``, ``%`` (0–100), ``fraction`` (0–1), ``days``; None for plain counts.
        additivity: Along what it may be summed.
        direction: Which way is good.
        synonyms: Other names, in lower case.
        business_dimension: The side of the business it belongs to.
        time_dimension: The time dimension that periods refer to unless the question names another.
        description: One sentence.
    """

    name: str
    label: str
    table: str | None = None
    aggregation: Aggregation | None = None
    expression: str | None = None
    formula: str | None = None
    inner: str | None = None
    per: str | None = None
    quantile: float | None = Field(default=None, gt=0, lt=1)
    where: tuple[Filter, ...] = ()
    unit: str | None = None
    additivity: Additivity = Additivity.ADDITIVE
    direction: Direction = Direction.NEUTRAL
    synonyms: tuple[str, ...] = ()
    business_dimension: str | None = None
    time_dimension: str | None = None
    description: str = ""


class Dimension(_Frozen):
    """Something that rows can be grouped or filtered by; every column of every table is one.

    Args:
        name: Unique among dimensions: the column's name, or ``table.column`` where that is taken.
        label: How people call one of its values, singular, lower case.
        type: What its values are.
        locations: The columns that hold it, its home first; several tables may carry the same dimension.
        label_at: For an id, the column that names what it identifies (``products.name`` for ``product_id``).
        via: The column whose join leads to it, where several of that table lead to the same one.
        parent: The next coarser dimension of its hierarchy (city → state).
        within: All coarser dimensions that its values determine, that one first (a hive's breed, its apiary).
        property_of: For numbers, the dimensions whose values have one each: a field's area, said again for each harvest.
        grain: For time, how it ticks.
        written: For time held as numbers or text, how they write it down (2024, 20240131, 2024Q1).
        beside: For years, the columns of the same table that tell the month and perhaps the day; for days, the one
            that tells the time of day.
        synonyms: Other names, in lower case.
        personal: Whether it holds personal data.
        unit: Unit of its numbers.
        coverage: For time, the first and the last day in the data.
        open_days: For moments, the first and the last day where the rows begin or end in the middle of them.
        open_hours: The same of hours, by their beginnings.
        years: For years with others missing between them, those that the data has.
        distinct: How many different values there are, as far as it is known.
        nullable: Whether some rows have no value.
        zeros: For amounts, whether some rows have none of it, or less.
        numeric: Whether its values are written in numbers, though they are no amounts: codes, grades, flags.
    """

    name: str
    label: str
    type: DimensionType
    locations: tuple[ColumnRef, ...] = Field(min_length=1)
    label_at: ColumnRef | None = None
    via: ColumnRef | None = None
    parent: str | None = None
    within: tuple[str, ...] = ()
    property_of: tuple[str, ...] = ()
    grain: TimeGranularity | None = None
    written: Written | None = None
    beside: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    personal: bool = False
    unit: str | None = None
    coverage: tuple[date, date] | None = None
    open_days: tuple[date, ...] = ()
    open_hours: tuple[datetime, ...] = ()
    years: tuple[int, ...] = ()
    distinct: int | None = None
    nullable: bool = False
    zeros: bool = False
    numeric: bool = False

    @property
    def home(self) -> ColumnRef:
        """The column that it is first of all."""
        return self.locations[0]

    def at(self, table: str) -> str | None:
        """The column that holds it in ``table``, if any does."""
        return next((ref.column for ref in self.locations if ref.table == table), None)


class Join(_Frozen):
    """Rows of ``table`` belong to at most one row of ``to_table``: following it never multiplies rows."""

    table: str
    column: str
    to_table: str
    to_column: str


class TableMeaning(_Frozen):
    """What one table is about.

    Args:
        name: Name of the table.
        label: What one row is, singular, lower case ("order", "employee", "match").
        synonyms: Other names for its rows.
        rows: How many there are.
        key: The columns that name one row, where there are any.
        time_dimension: The time dimension that periods refer to by default.
        business_dimension: The side of the business it belongs to.
    """

    name: str
    label: str
    synonyms: tuple[str, ...] = ()
    rows: int | None = None
    key: tuple[str, ...] = ()
    time_dimension: str | None = None
    business_dimension: str | None = None


PARTS_OF_TIME = {
    "weekday": "day of the week",
    "month": "month of the year",
    "quarter": "quarter of the year",
    "hour": "hour of the day",
}

AD_HOC = regex(r"^(\w+)\((.+)\)$")


class SemanticModel(_Frozen):
    """All that is known about the meaning of a set of tables.

    Metrics are referred to by name or, ad hoc, as ``median(orders.unit_price)`` (an aggregation of a column),
    ``count(orders)`` (rows of a table), ``mean(revenue per day)`` (an aggregation of a metric over groups),
    ``count(revenue per customer > 100)`` (… over those groups that meet a condition), ``revenue / sessions``,
    ``paid - claimed`` or ``duration in hours``, over columns or what :mod:`~gnomon.semantic.derived` spells out;
    :meth:`metric` understands all of them.

    ``preferred`` are the user's own words: each names one metric or dimension, whatever else it might mean.
    """

    tables: tuple[TableMeaning, ...] = ()
    metrics: tuple[Metric, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    joins: tuple[Join, ...] = ()
    preferred: dict[str, str] = Field(default_factory=dict)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy that looks names up among its own parts."""
        copied = super().model_copy(update=update, deep=deep)
        for name, kept in vars(SemanticModel).items():
            if isinstance(kept, cached_property):
                vars(copied).pop(name, None)
        return copied

    @cached_property
    def _metrics(self) -> dict[str, Metric]:
        return {m.name: m for m in self.metrics}

    @cached_property
    def _dimensions(self) -> dict[str, Dimension]:
        return {d.name: d for d in self.dimensions}

    @cached_property
    def _held(self) -> dict[str, Dimension]:
        return {str(ref): d for d in self.dimensions if d.via is None for ref in d.locations}

    @cached_property
    def _ways(self) -> Ways:
        return Ways(self.joins)

    def table(self, name: str) -> TableMeaning:
        """The table of that name.

        Raises:
            NotFound: The model has no such table.
        """
        for t in self.tables:
            if t.name == name:
                return t
        raise NotFound.among("table", name, [t.name for t in self.tables])

    def dimension(self, name: str) -> Dimension:
        """The dimension of that name, or the one that the column ``table.column`` holds.

        Raises:
            NotFound: The model has no such dimension.
        """
        if found := self._dimensions.get(name) or self._held.get(name):
            return found
        if name.startswith("@") and (part := self._part_of_time(name)) is not None:
            return part
        if (made := derived_at(name, self.tables)) is not None:
            return self._derived(*made)
        raise NotFound.among("dimension", name, self._dimensions)

    def _part_of_time(self, name: str) -> Dimension | None:
        """``@weekday``, ``@month``, ``@quarter`` or ``@hour``: what repeats in the main time columns of the tables."""
        if name[1:] not in PARTS_OF_TIME:
            return None
        times = [(t.name, self.dimension(t.time_dimension)) for t in self.tables if t.time_dimension]
        held = [ColumnRef(table=t, column=column) for t, d in times if (column := d.at(t)) is not None]
        if not held:
            return None
        label = PARTS_OF_TIME[name[1:]]
        return Dimension(
            name=name,
            label=label,
            type=DimensionType.CATEGORY,
            locations=tuple(held),
            written=times[0][1].written,
        )

    def _derived(self, table: str, made: Derived) -> Dimension:
        own = {c: d for d in self.dimensions if (c := d.at(table)) is not None}
        filled = own.get(made.columns[0]) if made.is_filled else None
        return Dimension(
            name=f"{table}.{made.spelling}",
            label=made.name,
            type=filled.type if filled is not None else made.type,
            numeric=made.is_part,
            locations=(ColumnRef(table=table, column=made.spelling),),
            unit=made.unit({c: d.unit for c, d in own.items()}.get),
            nullable=True,
        )

    def has_column(self, text: str) -> bool:
        """Whether a name is that of a dimension, or of a column."""
        return text in self._dimensions or text in self._held or derived_at(text, self.tables) is not None

    def metric(self, reference: str) -> Metric:
        """The metric that ``reference`` names or spells out.

        Raises:
            NotFound: The model has no such metric, column or table.
        """
        reference = reference[1:-1] if reference.startswith("(") else reference
        if found := self._metrics.get(reference):
            return found
        match = AD_HOC.match(reference)
        how = Aggregation(match[1]) if match and match[1] in set(Aggregation) else None
        column = match is not None and self.has_column(match[2])
        if told := IN_UNIT.match(reference):
            return self.metric(told[1]).model_copy(update=as_formula(reference, told[2]))
        for sign in (AS_SHARE, " / "):
            if not (how and column) and (sides := outside(reference, sign)):
                return self._ratio(reference, *(side.strip() for side in sides))
        if not (how and column) and (sides := outside(reference, " - ")):
            return self._difference(reference, *sides)
        if match and how:
            return self._ad_hoc(reference, how, match[2])
        if match and (share := QUANTILE.fullmatch(match[1])):
            return self._quantile(reference, float(share[1]), match[2])
        raise NotFound.among("metric", reference, self._metrics)

    def _quantile(self, reference: str, percent: float, what: str) -> Metric:
        column = self._ad_hoc(reference, Aggregation.MEDIAN, what)
        label = f"{ordinal(percent)} percentile of {self.dimension(what).label}"
        changed = {"aggregation": Aggregation.QUANTILE, "quantile": percent / 100, "label": label}
        return column.model_copy(update=changed)

    def _ratio(self, reference: str, over: str, under: str) -> Metric:
        left, right, shared = self.metric(over), self.metric(under), AS_SHARE in reference
        below = one_of(right.label, right.unit if under.startswith("(") else None)
        return Metric(
            name=reference,
            label=f"{left.label} as a share of {right.label}" if shared else f"{left.label} per {below}",
            formula=f"{over} / {under}",
            unit="fraction" if shared or (left.unit == right.unit and left.unit) else left.unit,
            additivity=Additivity.NON_ADDITIVE,
            direction=left.direction,
            business_dimension=left.business_dimension,
            time_dimension=left.time_dimension,
        )

    def _difference(self, reference: str, of: str, less: str) -> Metric:
        left, right = self.metric(of.strip()), self.metric(less.strip())
        added = left.additivity is right.additivity is Additivity.ADDITIVE
        return Metric(
            name=reference,
            label=f"{left.label} minus {right.label}",
            formula=reference,
            unit=left.unit if left.unit == right.unit else None,
            additivity=Additivity.ADDITIVE if added else Additivity.NON_ADDITIVE,
            direction=left.direction,
            business_dimension=left.business_dimension,
            time_dimension=left.time_dimension,
        )

    def _ad_hoc(self, reference: str, how: Aggregation, what: str) -> Metric:
        grouped = outside(what, " per ", last=True)
        if grouped is not None and not self.has_column(what):
            return self._nested(reference, how, *grouped)
        if how is Aggregation.COUNT and any(t.name == what for t in self.tables):
            table = self.table(what)
            unnamed = table.label == table.name
            return Metric(
                name=reference,
                label=f"{table.label} rows" if unnamed else f"number of {plural(table.label)}",
                table=what,
                aggregation=how,
                time_dimension=table.time_dimension,
                business_dimension=table.business_dimension,
            )
        dimension = self.dimension(what)
        home = next((ref for ref in dimension.locations if str(ref) == what), dimension.home)
        table = self.table(home.table)
        counts = how in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
        same_unit = how not in UNITLESS
        own = (m for m in self.metrics if m.table == home.table and m.expression == quoted(home.column))
        good = next((m.direction for m in own), Direction.NEUTRAL) if same_unit else Direction.NEUTRAL
        told = plural(dimension.label) if counts else dimension.label
        shared = how is Aggregation.MEAN and (made := derived(home.column)) is not None and made.tells_value
        rate = how is Aggregation.MEAN and dimension.unit == "fraction" and dimension.label.endswith(" rate")
        return Metric(
            name=reference,
            label=told if rate or shared else f"{SAID[how]} {told}",
            table=home.table,
            aggregation=how,
            expression=quoted(home.column),
            unit="fraction" if shared else dimension.unit if same_unit else None,
            additivity=Additivity.ADDITIVE
            if how in (Aggregation.SUM, Aggregation.COUNT)
            else Additivity.NON_ADDITIVE,
            direction=good,
            time_dimension=table.time_dimension,
            business_dimension=table.business_dimension,
        )

    def _nested(self, reference: str, how: Aggregation, inner: str, given: str) -> Metric:
        base = self.metric(inner)
        per, where = bounded(given, inner)
        label = per if per in set(TimeGranularity) else self._thing(self.dimension(per))
        counts = how is Aggregation.COUNT
        said = f"number of {plural(label)}" if counts else f"{SAID[how]} {base.label} per {label}"
        if where is not None:
            things = base.label.removeprefix("number of ")
            number = number_in_words(where, things) if things != base.label else None
            said = f"{said} with {number or f'{base.label} {bound_in_words(where, base.unit)}'}"
        return Metric(
            name=reference,
            label=said.replace("average average", "average"),
            aggregation=how,
            inner=inner,
            per=per,
            where=(where,) if where is not None else (),
            unit=None if how in UNITLESS else base.unit,
            additivity=Additivity.NON_ADDITIVE,
            direction=base.direction,
            business_dimension=base.business_dimension,
            time_dimension=base.time_dimension,
        )

    def _thing(self, dimension: Dimension) -> str:
        """What a key stands for in words: a card number is a member where that is what the members' table is keyed by."""
        for ref in dimension.locations:
            table = self.table(ref.table)
            named = {f"{table.label} name", f"{table.label} title"}
            if table.key == (ref.column,) and any(
                d.home.table == table.name and d.label in named for d in self.dimensions
            ):
                return table.label
        return dimension.label

    def base_metrics(self, metric: Metric) -> Iterator[Metric]:
        """The metrics over rows that ``metric`` is made of, itself included if it is one."""
        if metric.formula is not None:
            for name in formula_names(metric.formula, self):
                yield from self.base_metrics(self.metric(name))
        elif metric.inner is not None:
            yield from self.base_metrics(self.metric(metric.inner))
        else:
            yield metric

    def base_tables(self, metric: Metric) -> tuple[str, ...]:
        """The tables whose rows ``metric`` is computed from, in order, each once."""
        return tuple(dict.fromkeys(m.table for m in self.base_metrics(metric) if m.table))

    def path(self, table: str, dimension: Dimension) -> tuple[Join, ...] | None:
        """The joins that lead from ``table`` to a column that holds ``dimension``; None where nothing does.

        Only many-to-one joins are followed, the shortest way first, so that no row is counted twice.
        """
        return self._ways.to(dimension, table)

    def reaches(self, metric: Metric, dimension: Dimension) -> bool:
        """Whether ``metric`` can be broken down by ``dimension``."""
        return all(self.path(t, dimension) is not None for t in self.base_tables(metric))

    def time_dimension(self, metric: Metric) -> Dimension | None:
        """The time dimension that a period refers to when ``metric`` is asked for."""
        known = (m.time_dimension for m in (metric, *self.base_metrics(metric)) if m.time_dimension)
        return self.dimension(name) if (name := next(known, None)) else None


QUANTILE = regex(r"p(\d{1,2}(?:\.\d+)?)")


_NAME = regex(r"`([^`]+)`|([A-Za-z_]\w*)")


def formula_names(formula: str, model: SemanticModel) -> list[str]:
    """The names of metrics in a formula, each once, in order."""
    if told := IN_UNIT.match(formula):
        return [told[1]]
    for sign in (" / ", " - ") if not any(m.formula == formula for m in model.metrics) else ():
        if sides := outside(formula, sign):
            return [part.strip() for part in sides]
    return list(dict.fromkeys(a or b for a, b in _NAME.findall(formula)))
