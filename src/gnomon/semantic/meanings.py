"""What the names of a model mean for the rows of a table: columns, moments, values of a row, formulas over figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gnomon.core import algebra as al
from gnomon.core.errors import InvalidInput, NotFound
from gnomon.semantic.arithmetic import Binary, Name, Negative, Node, Number, parse
from gnomon.semantic.derived import derived
from gnomon.semantic.kinds import DimensionType
from gnomon.semantic.model import Dimension, Metric, SemanticModel, formula_names
from gnomon.semantic.nodes import call, literal
from gnomon.semantic.relations import Tables, unreachable
from gnomon.semantic.row_terms import SUMS, RowTerms
from gnomon.semantic.units import told_in, unit_called

_F = al.Function


class Meanings:
    """Says what the names of a model mean for the rows of a table, in nodes of the algebra.

    Args:
        model: The names.
        tables: The tables, for the types of their columns.
    """

    def __init__(self, model: SemanticModel, tables: Tables) -> None:
        self.model = model
        self._tables = tables

    def column(self, table: str, dimension: Dimension) -> al.Expression:
        """What holds a dimension for the rows of ``table``.

        Raises:
            OutOfScope: Nothing leads there.
        """
        return self.at(*self._place(table, dimension))

    def kind(self, table: str, dimension: Dimension) -> Any:
        """The type of what holds a dimension for the rows of ``table``."""
        import ibis

        end, column, _ = self._place(table, dimension)
        made = derived(column)
        if made is None:
            return self.held(end, column)
        if made.is_filled:
            return self.held(end, made.columns[0])
        kinds = {DimensionType.BOOLEAN: "boolean", DimensionType.NUMBER: "float64"}
        return ibis.dtype(kinds.get(made.type, "int64" if made.is_part else "string"))

    def held(self, table: str, column: str) -> Any:
        """The type of a column.

        Raises:
            NotFound: The table has no such column.
        """
        schema = self._tables.table(table).schema()
        if column not in schema:
            raise NotFound.among(f"column in {table}", column, list(schema))
        return schema[column]

    def _place(self, table: str, dimension: Dimension) -> tuple[str, str, str | None]:
        way = self.model.path(table, dimension)
        if way is None:
            raise unreachable(self.model, table, dimension)
        end = way[-1].to_table if way else table
        column = dimension.at(end)
        assert column is not None, "a path ends where the dimension is"
        return end, column, dimension.via.column if dimension.via is not None and way else None

    def at(self, table: str, column: str, via: str | None = None) -> al.Expression:
        """A column of a table, or what is computed where one is spelled out."""
        made = derived(column)
        if made is not None:
            return RowTerms(self, table, via).value(parse(made.arithmetic))
        self.held(table, column)
        return al.Column(table=table, column=column, via=via)

    # Time -----------------------------------------------------------------------------------------------------------

    def moment(self, table: str, time: Dimension) -> tuple[al.Expression, bool]:
        """A time dimension as dates or time stamps, and whether it tells the time of day."""
        end, column, via = self._place(table, time)
        kind = self.held(end, column) if derived(column) is None else self.kind(table, time)
        beside = [al.Column(table=end, column=c, via=via) for c in time.beside]
        plain = kind.is_date() or (kind.is_timestamp() and not kind.timezone)
        exact = (time.written is not None and time.written.tells_time) or (
            time.written is None and (bool(beside) or kind.is_timestamp() or kind.is_string())
        )
        held = self.at(end, column, via)
        if plain and not beside and time.written is None:
            return held, exact
        return call(_F.MOMENT, held, literal(time.written.value if time.written else ""), *beside), exact

    # Figures --------------------------------------------------------------------------------------------------------

    def value(self, metric: Metric) -> al.Expression | None:
        """What a metric over rows aggregates of each; None where it counts them."""
        if metric.expression is None:
            return None
        assert metric.table is not None, "a metric over a column has a table"
        return RowTerms(self, metric.table, None).value(parse(metric.expression))

    def formula(self, formula: str, value_of: Callable[[str], al.Measure]) -> al.Measure:
        """Metrics combined to one.

        Raises:
            InvalidInput: It is not arithmetic over metrics.
        """
        names = formula_names(formula, self.model)
        if len(names) == 1 and formula.startswith(f"{names[0]} in "):
            many = self._in_unit(names[0], formula.removeprefix(f"{names[0]} in "))
            return al.Arithmetic(function=_F.MULTIPLY, of=(value_of(names[0]), literal(many)))
        for sign in (" / ", " - "):
            if len(names) == 2 and sign.join(names) == formula:
                return al.Arithmetic(function=SUMS[sign.strip()], of=(value_of(names[0]), value_of(names[1])))
        return self._combined(parse(formula), value_of)

    def _in_unit(self, name: str, said: str) -> float:
        metric = self.model.metric(name)
        held = metric.unit or unit_called(
            metric.label.split()[-1]
        )  # a column may be called by its unit alone
        if (many := told_in(held, said)) is None:
            raise InvalidInput(
                f"{name} is in {held or 'no unit that is known'}, which cannot be told in {said}."
            )
        return many

    def _combined(self, node: Node, value_of: Callable[[str], al.Measure]) -> al.Measure:
        if isinstance(node, Number):
            return literal(node.value)
        if isinstance(node, Name):
            return value_of(node.name)
        if isinstance(node, Negative):
            return al.Arithmetic(function=_F.NEGATE, of=(self._combined(node.operand, value_of),))
        if isinstance(node, Binary) and node.operator in SUMS:
            sides = self._combined(node.left, value_of), self._combined(node.right, value_of)
            return al.Arithmetic(function=SUMS[node.operator], of=sides)
        raise InvalidInput("Metrics are combined by + - * / only.")
