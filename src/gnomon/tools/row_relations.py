"""Tools that relate columns of a table row by row: every pair that is asked for, for each group that is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

from pydantic import Field

from gnomon.analytics.coding import Coded, coded
from gnomon.analytics.relations import CHANCE, Relation, relation
from gnomon.core.errors import CalculationError
from gnomon.semantic.model import DimensionType, SemanticModel, quoted
from gnomon.semantic.retrieve import Retriever
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.outputs import Output
from gnomon.tools.pair_picture import line_of, picture_of
from gnomon.tools.row_calculations import OverRows, RowCalculator, RowPairInput, RowsInput
from gnomon.tools.wording import counted

MOST_CELLS = 6_000_000
MOST_FETCHED = 250_000  # rows of a pair that is looked at row by row; of more, sums are taken where they lie
MOST_COLUMNS = 40
MOST_GROUPS = 50
_HEADS = (
    "first", "second", "method", "coefficient", "p_value", "low", "high", "rank", "rank_p", "n", "type",
)  # fmt: skip


class RowRelationsInput(RowsInput):
    """Which columns to relate."""

    columns: list[str] = Field(
        description="Columns of the table, or of tables that it refers to.", min_length=2
    )
    target: str | None = Field(default=None, description="Relate the others to this one only.")
    by: str | None = Field(default=None, description="Relate them anew for each value of this column.")
    method: Literal["pearson", "spearman", "kendall"] = Field(
        default="pearson", description="How numbers are related."
    )


class RowRelationsOutput(Output):
    """Every pair with how it hangs together."""

    rows: Frame = Field(
        description="One row for each pair, the strongest first; with groups, for each of them."
    )
    levels: dict[str, list[str]] = Field(
        description="Of columns with two values, which one counts as 0 and which as 1."
    )
    left_out: dict[str, str] = Field(description="Columns and groups that took no part, and why.")
    query: str = Field(description="The query, for people to read.")
    picture: Literal["points", "averages", "counts"] | None = Field(
        default=None, description="What ``shown`` holds of the only pair, to be drawn."
    )
    shown: Frame | None = Field(default=None, description="Rows of the only pair, or what was made of them.")
    line: tuple[float, float] | None = Field(
        default=None, description="Slope and intercept, where the only pair is related along a line."
    )


class RowRelations(OverRows):
    """Relates columns through a retriever."""

    def relate(self, given: RowRelationsInput, context: ToolContext) -> RowRelationsOutput:
        """Every pair of the columns, over the rows where both are known."""
        columns = list(dict.fromkeys(given.columns))
        taken = [*columns, *([given.by] if given.by is not None else [])]
        most = MOST_CELLS // len(taken)
        if (self._model.table(given.table).rows or 0) > min(most, MOST_FETCHED) and (
            added := self._added_up(given, context)
        ):
            return added
        parts, query = self._retriever.value_columns(
            given.table, taken, given.query(), most=most + 1, cancel=context.cancel
        )
        if len(parts[0]) > most:
            raise CalculationError(
                f"There are more than {most:,} rows to relate.",
                suggestions=["Name a period or a group to make them fewer."],
            )
        made = {name: coded(values) for name, values in zip(columns, parts, strict=False)}
        wanted = [
            (given.target, c) if given.target is not None else None for c in columns if c != given.target
        ]
        pairs = [p for p in wanted if p is not None] or list(combinations(columns, 2))
        left_out: dict[str, str] = {}
        found: list[tuple[Any, str, str, Relation]] = []
        for group, inside in _groups(parts[-1] if given.by is not None else None):
            found += _related(made, pairs, group, inside, given.method, left_out)
        if not found:
            raise CalculationError(
                next(iter(left_out.values()), "No two columns can be related."),
                suggestions=["Choose columns with several different values."],
            )
        levels = {
            c: list(v.levels) for c, v in made.items() if v.kind == "flag" and v.levels != ("false", "true")
        }
        best = found[0]
        summary = f"{best[1]} and {best[2]}: {best[3].method} {best[3].coefficient:+.2f} over {counted(best[3].n, 'row')}."
        made_of = RowRelationsOutput(
            summary=summary, rows=_frame(found, given.by), levels=levels, left_out=left_out, query=query
        )
        return _pictured(made_of, made, parts, best) if len(found) == 1 and given.by is None else made_of

    def _added_up(self, given: RowRelationsInput, context: ToolContext) -> RowRelationsOutput | None:
        """Two columns of numbers of very many rows, related where they lie; None where that is not possible."""
        held = [self._model.dimension(c) for c in given.columns]
        own = [d.at(given.table) for d in held]
        numbers = all(d.type is DimensionType.NUMBER for d in held)
        if len(own) != 2 or None in own or not numbers or given.by is not None or given.method != "pearson":
            return None
        x, y = (quoted(str(c)) for c in own)
        rows = given.model_dump(include=set(RowsInput.model_fields))
        found = RowCalculator(self._model, self._retriever).correlate(RowPairInput(x=x, y=y, **rows), context)
        kind: Literal["linear", "none"] = "linear" if found.p_value < CHANCE else "none"
        made = Relation(
            "pearson", found.r, found.p_value, found.low, found.high, None, None, None, found.n, kind
        )
        frame = _frame([(None, given.columns[0], given.columns[1], made)], None)
        shown = found.shown
        if shown is not None:
            shown = Frame.of(dict(zip(given.columns, map(shown.values, shown.columns), strict=True)))
        return RowRelationsOutput(
            summary=found.summary, rows=frame, levels={}, left_out={}, query=found.query,
            picture="points" if shown is not None else None, shown=shown, line=found.line,
        )  # fmt: skip


def _pictured(
    output: RowRelationsOutput,
    made: dict[str, Coded],
    parts: Sequence[Sequence[Any]],
    found: tuple[Any, str, str, Relation],
) -> RowRelationsOutput:
    """The output with what a picture of its only pair shows."""
    _, first, second, relation_ = found
    places = [list(made).index(n) for n in (first, second)]
    columns = made[first], made[second]
    picture = picture_of((first, second), columns, (parts[places[0]], parts[places[1]]))
    if picture is None:
        return output
    kind, shown = picture
    line = line_of(columns, relation_) if kind == "points" else None
    return output.model_copy(update={"picture": kind, "shown": shown, "line": line})


def _groups(values: Sequence[Any] | None) -> list[tuple[Any, Any]]:
    """The values to tell apart, in order, each with the places of its rows; one for all where there are none."""
    import numpy as np

    if values is None:
        return [(None, slice(None))]
    places: dict[Any, list[int]] = {}
    for i, value in enumerate(values):
        if value is not None:
            places.setdefault(value, []).append(i)
    if len(places) > MOST_GROUPS:
        raise CalculationError(
            f"{len(places)} groups are too many to relate one by one.",
            suggestions=[f"Group by a column with at most {MOST_GROUPS} values."],
        )
    return [(v, np.array(places[v])) for v in sorted(places, key=lambda v: (str(type(v)), v))]


def _related(
    made: dict[str, Coded],
    pairs: Sequence[tuple[str, str]],
    group: Any,
    inside: Any,
    method: Literal["pearson", "spearman", "kendall"],
    left_out: dict[str, str],
) -> list[tuple[Any, str, str, Relation]]:
    """The pairs within one group, the strongest first."""
    found: list[tuple[Any, str, str, Relation]] = []
    for a, b in pairs:
        try:
            found.append((group, a, b, relation(made[a].taken(inside), made[b].taken(inside), method)))
        except CalculationError as e:
            left_out[str(group) if group is not None else f"{a} and {b}"] = e.message
    return sorted(found, key=lambda f: (-abs(f[3].coefficient), f[3].p_value))


def _frame(found: Sequence[tuple[Any, str, str, Relation]], by: str | None) -> Frame:
    made: dict[str, list[Any]] = {by: [g for g, *_ in found]} if by is not None else {}
    made |= {"first": [a for _, a, _, _ in found], "second": [b for _, _, b, _ in found]}
    for name in _HEADS[2:]:
        made[name] = [getattr(r, name) for *_, r in found]
    return Frame.of(made)


def relation_row_tools(model: SemanticModel, retriever: Retriever) -> list[FunctionTool]:
    """The tools of this file."""
    relations = RowRelations(model, retriever)
    return [
        FunctionTool(
            "relate_columns",
            relations.relate,
            RowRelationsInput,
            RowRelationsOutput,
            description="Correlation of columns over the rows of a table: a pair, all pairs, or all with one of them.",
            produces_rows="rows",
        )
    ]
