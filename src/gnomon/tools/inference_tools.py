"""Tools that draw conclusions from samples: hypothesis tests and regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.analytics.evidence import TestOutcome
from gnomon.analytics.hypotheses import TESTS, hypothesis_test
from gnomon.analytics.regressions import Regression, regression
from gnomon.core.errors import InvalidInput
from gnomon.tools.columns import known, numeric_columns
from gnomon.tools.contract import Cost, FunctionTool, Requirement, ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.goals import Goal
from gnomon.tools.outputs import Output, filled, output_model
from gnomon.tools.resolve import read_frame
from gnomon.tools.wording import figure, percent

if TYPE_CHECKING:
    import pandas as pd


class TestInput(BaseModel):
    """What to test."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame
    value: str | None = Field(default=None, description="Column to compare.")
    group_by: list[str] = Field(default_factory=list, description="Column whose groups are compared.")
    columns: list[str] | None = Field(
        default=None, description="Two columns to compare or relate to each other."
    )
    method: str = Field(
        default="auto",
        description="Chosen by the data unless named.",
        json_schema_extra={"enum": list(TESTS)},
    )
    paired: bool = Field(default=False, description="Whether the two columns measure the same things twice.")
    significance: float = Field(
        default=0.05, gt=0, lt=1, description="Chance of a false alarm that is accepted."
    )


class RegressionInput(BaseModel):
    """What to explain, and by what."""

    model_config = ConfigDict(defer_build=True, extra="forbid")

    data: Frame
    target: str = Field(description="Column to explain.")
    features: list[str] | None = Field(
        default=None, description="Columns that explain it; all others by default."
    )
    kind: Literal["auto", "linear", "logistic"] = Field(default="auto", description="Chosen by the target.")
    confidence: float = Field(default=0.95, gt=0, lt=1, description="Coverage of the intervals.")


TestOutput = output_model("TestOutput", TestOutcome)
RegressionOutput = output_model(
    "RegressionOutput", Regression, without=("rows",), used="Rows of coefficients, largest effect first."
)


def run_test(given: TestInput, context: ToolContext) -> Output:
    """Test whether groups or columns differ, or go together, beyond chance."""
    frame = read_frame(given.data, context)
    arguments: dict[str, Any] = {"test": given.method, "alpha": given.significance}
    first, second = _samples(frame, given)
    if given.group_by and len(given.group_by) == 1:
        group = known(frame, given.group_by[0])
        found = hypothesis_test(frame[first], groups=frame[group], names=(first, group), **arguments)
    elif second:
        found = hypothesis_test(
            frame[first], frame[second], paired=given.paired, names=(first, second), **arguments
        )
    else:
        found = hypothesis_test(frame[first], names=(first, "the rest"), **arguments)
    return filled(TestOutput, found, found.conclusion)


def _samples(frame: pd.DataFrame, given: TestInput) -> tuple[str, str | None]:
    """The column to test, and the second one where two are compared."""
    named = [known(frame, c) for c in given.columns or []]
    if given.value:
        rest = [c for c in named if c != given.value and c not in given.group_by]
        return known(frame, given.value), rest[0] if rest and not given.group_by else None
    if named:
        return named[0], named[1] if len(named) > 1 else None
    numbers = [c for c in numeric_columns(frame) if c not in given.group_by]
    if len(numbers) == 1:
        return numbers[0], None
    raise InvalidInput(
        f"What should be tested? The data has {', '.join(map(str, frame.columns[:8]))}.",
        suggestions=["Name a column as 'value' and one as 'group_by', or two as 'columns'."],
    )


def run_regression(given: RegressionInput, context: ToolContext) -> Output:
    """Explain a column by others, with an honest error on rows the model has not seen."""
    import pandas as pd

    frame = read_frame(given.data, context)
    found = regression(
        frame, given.target, features=given.features, kind=given.kind, confidence=given.confidence
    )
    ranked = sorted(found.coefficients, key=lambda c: -abs(c.standardised))
    sure = [c for c in ranked if c.p_value is not None and c.p_value < 1 - given.confidence]
    lead = (
        f"{sure[0].term} matters most for {given.target} ({figure(sure[0].coefficient)} for each unit"
        f", {percent(given.confidence)} interval {figure(sure[0].low)} to {figure(sure[0].high)})"
        if sure
        else f"No column explains {given.target} beyond chance"
    )
    rows = pd.DataFrame([c.to_dict() for c in ranked])
    return filled(RegressionOutput, found, f"{lead}.", used=rows)


def inference_tools() -> list[FunctionTool]:
    """The tools of this file."""
    return [
        FunctionTool(
            "hypothesis_test", run_test, TestInput, TestOutput,
            description="Tests differences and relations (t, Mann–Whitney, χ², KS, ANOVA, normality …), chosen by the data unless named.",
            goals=(Goal.TEST,), cost=Cost.HEAVY,
        ),
        FunctionTool(
            "regression", run_regression, RegressionInput, RegressionOutput,
            description="Explains a column by others (linear or logistic), with intervals and an honest error on unseen rows.",
            goals=(Goal.REGRESSION,), requires=(Requirement(kind="any", count=2),), cost=Cost.HEAVY, produces_rows="used",
        ),
    ]  # fmt: skip
