"""What row arithmetic is said with: signs in words, functions, lists; and the expressions that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from gnomon.core.query import TimeGranularity
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.row_tokens import Token
from gnomon.planning.reader.said_columns import Said
from gnomon.semantic import DimensionType

_T = TypeVar("_T")


def by_first(phrases: Mapping[tuple[str, ...], _T]) -> dict[str, list[tuple[tuple[str, ...], _T]]]:
    """Phrases with what they stand for, under their first words, in the order given."""
    found: dict[str, list[tuple[tuple[str, ...], _T]]] = {}
    for words, meant in phrases.items():
        found.setdefault(words[0], []).append((words, meant))
    return found


STEP = "row-to-row "
STEPS = {
    "hourly": TimeGranularity.HOUR, "daily": TimeGranularity.DAY, "weekly": TimeGranularity.WEEK,
    "monthly": TimeGranularity.MONTH, "quarterly": TimeGranularity.QUARTER, "yearly": TimeGranularity.YEAR,
    "annual": TimeGranularity.YEAR,
}  # fmt: skip
LONGEST_NAME = 7
ARTICLES = vocabulary("the a an their its these both columns column of values row rows wise")
INSIDE = vocabulary("and or by from to with for then than minus plus times between is")
HEADS = vocabulary("column columns feature features variable variables field fields values value")
INFIX: dict[tuple[str, ...], tuple[str, int]] = {
    ("+",): ("+", 1), ("plus",): ("+", 1), ("added", "to"): ("+", 1),
    ("-",): ("-", 1), ("minus",): ("-", 1), ("less",): ("-", 1),
    ("*",): ("*", 2), ("times",): ("*", 2), ("multiplied", "by"): ("*", 2), ("multiplied", "with"): ("*", 2),
    ("/",): ("/", 2), ("divided", "by"): ("/", 2), ("over",): ("/", 2),
}  # fmt: skip
INFIX_BY_FIRST = by_first(INFIX)
ENDING = frozenset(",.?!:;()")
SPOKEN = {"+": "plus", "-": "minus", "*": "×", "/": "divided by"}
WHOLE = {
    "mean": "mean_of", "average": "mean_of", "median": "median_of", "minimum": "min_of", "min": "min_of", "maximum": "max_of",
    "max": "max_of", "std": "std_of", "mode": "mode_of",
}  # fmt: skip
OF_ONE: dict[tuple[str, ...], str] = {
    ("natural", "logarithm"): "log", ("natural", "log"): "log", ("log", "transformation"): "log", ("logarithm",): "log",
    ("log",): "log", ("ln",): "log", ("log10",): "log10", ("square", "root"): "root", ("sqrt",): "root",
    ("absolute", "value"): "absolute", ("abs",): "absolute", ("length",): "length", ("number", "of", "characters"): "length",
    ("character", "count"): "length", ("text", "length"): "length",
}  # fmt: skip
PARTS: dict[tuple[str, ...], str] = {
    ("hour", "of", "the", "day"): "hour", ("hour",): "hour", ("day", "of", "the", "week"): "weekday", ("weekday",): "weekday",
    ("day", "of", "the", "month"): "day", ("month",): "month", ("year",): "year", ("quarter",): "quarter",
}  # fmt: skip
FUNCTIONS = ((by_first(OF_ONE), False), (by_first(PARTS), True))


@dataclass(frozen=True)
class Expression:
    """Arithmetic over the columns of one table, and where in the question it ends.

    Args:
        text: As derived columns are written.
        label: In words.
        columns: What it is computed from.
        end: The position behind its last token.
        power: How tightly its outermost sign binds; 9 for what needs no brackets.
    """

    text: str
    label: str
    columns: tuple[Said, ...]
    end: int
    power: int = 9

    @property
    def table(self) -> str | None:
        """The table whose rows it is computed for."""
        return self.columns[0].table if self.columns else None

    @property
    def is_step(self) -> bool:
        """Whether it is how much a column changes from row to row."""
        return self.label.startswith(STEP)

    @property
    def is_made(self) -> bool:
        """Whether it is more than a column as it stands."""
        return len(self.columns) != 1 or self.text != self.columns[0].expression


LEADING = frozenset({"of", "up", "together", "the", "between", "values", "columns", "all"})
_AND = frozenset({"and", "with", "to", "+", "plus"})
LISTS: tuple[tuple[frozenset[str], str, frozenset[str]], ...] = (
    (frozenset({"sum", "total", "summing", "adding", "combining", "addition", "summation", "add", "combined"}), "+", _AND),
    (frozenset({"product", "multiplying", "multiplication", "multiply"}), "*", frozenset({"and", "with", "by", "*", "times"})),
    (frozenset({"ratio", "quotient", "dividing", "division", "divide"}), "/", frozenset({"to", "and", "by", "over"})),
)  # fmt: skip


def is_apart(token: Token, question: str) -> bool:
    """Whether a sign stands by itself, as between two names, and not inside of one."""
    around = question[max(0, token.start - 1) : token.start] + question[token.end : token.end + 1]
    return " " in around


def is_date(expression: Expression) -> bool:
    """Whether it is a column of moments as it stands."""
    dated = [c.dimension.type is DimensionType.TIME for c in expression.columns]
    return dated == [True] and expression.text.startswith(("[", "moment("))


def is_number(expression: Expression) -> bool:
    plain = not expression.is_made
    return not plain or not expression.columns or expression.columns[0].is_number
