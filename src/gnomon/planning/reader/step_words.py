"""What the steps of a task share: what a step changes, the columns it names, and the words of it that say nothing more."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gnomon.core.parts import Filter
from gnomon.core.patterns import late_pattern
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.clauses import is_opening
from gnomon.planning.reader.row_arithmetic import RowArithmetic
from gnomon.planning.reader.said_columns import Said, SaidColumns
from gnomon.planning.reader.wider_model import Made
from gnomon.semantic import SemanticModel
from gnomon.semantic.derived import Derived

_DONE = late_pattern(
    r"(?:fill|imput|replac|handl|substitut|drop|remov|exclud|discard|delet|eliminat|ignor|omit|filter|normali[sz]|scal|rescal|"
    r"standardi[sz]|log|transform|appl|perform|us|tak|deal|treat|clean|convert|chang|cast|pars|encod|map|label|cod)\w*$|\d"
)
_IDLE = vocabulary(
    """a all an and any arithmetic as average be been by column columns common comprehensive contain contains data dataset
    due empty entries entry feature features field fields first for format frequent from further has have having high if in is it its
    lack lacking lines logarithm logarithmic max maximum mean median method min min-max minimum minmax missing mode most na
    nan natural necessary no null nulls numeric numerical observations of on one or out please preprocessing range record records
    respective respectively root row rows scaler scaling score scores set square standard strategy suitable table technique
    techniques that the their them then there these this those to transformation unknown using value values variable
    variables was were where which whose with z z-score zero zeros between imputation deletion deviation deviations unit variance
    analysis categorical number numbers integer integers float datetime date type string text into"""
)


@dataclass(frozen=True)
class Change:
    """What a clause changes.

    Args:
        made: Columns in place of others.
        filters: Conditions that rows have to meet from then on.
        told: What to tell the asker, a sentence each, without its point.
        refused: What it asks for that cannot be done, in words; everything else is empty then.
        about: The columns that it speaks of, by their labels.
        surely: Whether every word of the clause was taken into account.
    """

    made: tuple[Made, ...] = ()
    filters: tuple[Filter, ...] = ()
    told: tuple[str, ...] = ()
    refused: str = ""
    about: tuple[str, ...] = ()
    surely: bool = False


class StepClauses:
    """Reads clauses of one kind of step.

    Args:
        model: What the tables mean.
        columns: The columns that they may speak of.
        out: Why rows were left out by earlier steps, as expressions; figures of a whole column are taken over the rest.
    """

    def __init__(self, model: SemanticModel, columns: SaidColumns, out: list[str]) -> None:
        self._model = model
        self._columns = columns
        self._out = out

    def named(self, text: str) -> list[Said]:
        """The columns that a piece of a clause names, in order."""
        reads = RowArithmetic(text, self._columns, self._model)
        found: dict[str, Said] = {}
        at = 0
        while at < len(reads.tokens):
            operand = reads.read(at, 9)
            if operand is None or len(operand.columns) != 1 or operand.is_made:
                at += 1
                continue
            found[operand.columns[0].column] = operand.columns[0]
            at = operand.end
        return list(found.values())

    def left(self, clause: str) -> list[str]:
        """The words of a clause that name no column and say nothing that is done."""
        reads = RowArithmetic(clause, self._columns, self._model)
        called = {w for t in self._model.tables for w in re.findall(r"\w+", f"{t.name} {t.label}".lower())}
        left: list[str] = []
        at = 0
        while at < len(reads.tokens):
            operand = reads.read(at, 9)
            if operand is not None and operand.columns and not operand.is_made:
                at = operand.end
                continue
            token = reads.tokens[at]
            idle = token.plain in _IDLE or token.plain in called or _DONE.match(token.plain) is not None
            if token.kind != "sign" and not idle:
                left.append(token.text)
            at += 1
        return left

    def over(self, expression: str) -> str:
        """A column as figures of the whole of it see it: without the rows that earlier steps left out."""
        return f"unless({expression}, {', '.join(self._out)})" if self._out else expression

    def changed(
        self, columns: Sequence[Said], way: Callable[[str], str], name: str, told: str
    ) -> Change | None:
        """Every column changed in one way; nothing where there is none."""
        made = [self._one(c, way(c.expression), name, told) for c in columns]
        names = tuple(m.derived.name for m in made)
        return Change(tuple(made), told=tuple(m.told for m in made), about=names) if made else None

    def _one(self, column: Said, text: str, name: str, told: str) -> Made:
        label = column.dimension.label
        derived = Derived(name.format(label), text)
        self._columns.define(derived, column.table, label, column.column)
        return Made(
            column.table, derived, told.format(label), instead=column.column, names=(label, column.column)
        )


def opens(pattern: re.Pattern[str], clause: str) -> re.Match[str] | None:
    """The match of a pattern that a clause begins with, but for words that only lead up to it."""
    match = pattern.search(clause)
    return match if match is not None and is_opening(clause[: match.start()]) else None


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names one after another, as people say them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
