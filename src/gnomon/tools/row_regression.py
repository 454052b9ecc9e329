"""A tool that predicts a column of a table from others, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from gnomon.analytics.coding import Coded, coded
from gnomon.analytics.prediction import DEFAULT_SEED, Prediction, prediction
from gnomon.core.errors import CalculationError, InvalidInput
from gnomon.semantic.retrieve import Retriever
from gnomon.tools.contract import FunctionTool, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.outputs import Output
from gnomon.tools.pair_picture import picture_of
from gnomon.tools.row_calculations import RowsInput
from gnomon.tools.row_relations import MOST_CELLS
from gnomon.tools.wording import counted, figure

if TYPE_CHECKING:
    import pandas as pd


class RowRegressionInput(RowsInput):
    """What to predict, and from what."""

    target: str = Field(description="Column to predict.")
    features: list[str] = Field(description="Columns that it is predicted from.", min_length=1)
    model: Literal["auto", "linear", "logistic"] = Field(default="auto", description="Chosen by the target.")
    test_share: float | None = Field(
        default=None, gt=0, lt=1, description="Share of the rows that is set apart to judge the model by."
    )
    seed: int = Field(default=DEFAULT_SEED, ge=0, description="Of the shuffling before rows are set apart.")
    codes: bool = Field(
        default=False, description="Whether categories count as numbers in the order of the alphabet."
    )


class RowRegressionOutput(Output):
    """The model and how well it predicts."""

    kind: str = Field(description="linear or logistic.")
    positive: str | None = Field(description="For two values, the one whose chance is modelled.")
    intercept: float = Field(
        description="The prediction where everything is 0; of a logistic model, its log odds."
    )
    rows: Frame = Field(description="One row for each term of the model.")
    r2: float | None = Field(
        description="Share of the spread that the fit explains (McFadden's of a logistic one)."
    )
    adjusted_r2: float | None = Field(description="The same, corrected for the number of terms.")
    scores: dict[str, float] = Field(description="How good the predictions are.")
    trained: int = Field(description="Rows of the fit.")
    tested: int | None = Field(
        description="Rows that were set apart; none where it is judged by those of the fit."
    )
    seed: int | None = Field(description="Of the shuffling.")
    left_out_rows: int = Field(description="Rows where something is unknown.")
    baselines: dict[str, str] = Field(
        description="Of categories, the value that the others are compared with."
    )
    levels: dict[str, list[str]] = Field(description="Of two values, which one counts as 0 and which as 1.")
    left_out: dict[str, str] = Field(description="Columns that took no part, and why.")
    query: str = Field(description="The query, for people to read.")
    shown: Frame | None = Field(
        default=None, description="Of a line through one column of numbers, some of the points, to be drawn."
    )


class RowRegression:
    """Fits models to rows that a retriever gives.

    Args:
        retriever: Where the rows are.
    """

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever

    def fit(self, given: RowRegressionInput, context: ToolContext) -> RowRegressionOutput:
        """Fit the model, and judge it by the rows that were set apart or by its own."""
        features = [f for f in dict.fromkeys(given.features) if f != given.target]
        if not features:
            raise InvalidInput("A column is not predicted from itself.", suggestions=["Name other columns."])
        taken = [given.target, *features]
        most = MOST_CELLS // len(taken)
        parts, query = self._retriever.value_columns(
            given.table, taken, given.query(), most=most + 1, cancel=context.cancel
        )
        if len(parts[0]) > most:
            raise CalculationError(
                f"There are more than {most:,} rows to fit a model to.",
                suggestions=["Name a period or a group to make them fewer."],
            )
        made = {name: coded(values) for name, values in zip(taken, parts, strict=True)}
        frame = _frame(made, given)
        found = prediction(
            frame, given.target, features, kind=given.model, test_share=given.test_share, seed=given.seed
        )
        output = _output(found, made, len(frame), query)
        plain = len(features) == 1 and all(c.kind == "number" for c in made.values())
        if found.kind != "linear" or not plain:
            return output
        names = features[0], given.target
        picture = picture_of(names, (made[names[0]], made[names[1]]), (parts[1], parts[0]))
        return output.model_copy(update={"shown": picture[1] if picture is not None else None})


def _frame(made: dict[str, Coded], given: RowRegressionInput) -> pd.DataFrame:
    """The columns as a model takes them; a target of several values in no order cannot be predicted here."""
    import numpy as np
    import pandas as pd

    target = made[given.target]
    if target.kind == "category":
        raise InvalidInput(
            f"It has {len(target.levels)} different values without an order; a linear or logistic regression "
            "predicts a number or one of two values.",
        )
    if given.model == "logistic" and len(np.unique(target.values[~np.isnan(target.values)])) != 2:
        raise InvalidInput("A logistic regression predicts one of two values, and the column has others.")
    return pd.DataFrame(
        {
            name: column.values if column.ordered or given.codes else _texts(column)
            for name, column in made.items()
        }
    )


def _texts(column: Coded) -> list[str | None]:
    return [None if v != v else column.levels[int(v)] for v in column.values.tolist()]


def _output(found: Prediction, made: dict[str, Coded], total: int, query: str) -> RowRegressionOutput:
    used = found.trained + (found.tested or 0)
    scores = {k: float(v) for k, v in found.scores.to_dict().items() if v is not None}
    kept = scores.get("r2", scores.get("accuracy", 0.0))
    heads = ("term", "coefficient", "low", "high", "p_value", "odds_ratio", "standardised")
    terms: dict[str, list[Any]] = {h: [getattr(c, h) for c in found.coefficients] for h in heads}
    return RowRegressionOutput(
        summary=f"A {found.kind} regression over {counted(found.trained, 'row')} with a score of {figure(kept)}.",
        kind=found.kind,
        positive=found.positive,
        intercept=found.intercept,
        rows=Frame.of(terms),
        r2=found.r2,
        adjusted_r2=found.adjusted_r2,
        scores=scores,
        trained=found.trained,
        tested=found.tested,
        seed=found.seed,
        left_out_rows=total - used,
        baselines=found.baselines,
        levels={
            c: list(v.levels) for c, v in made.items() if v.kind == "flag" and v.levels != ("false", "true")
        },
        left_out=found.left_out,
        query=query,
    )


def regression_row_tools(retriever: Retriever) -> list[FunctionTool]:
    """The tools of this file."""
    return [
        FunctionTool(
            "regress_column",
            RowRegression(retriever).fit,
            RowRegressionInput,
            RowRegressionOutput,
            description="Predicts a column from others over the rows of a table, by a linear or logistic regression.",
            produces_rows="rows",
        )
    ]
