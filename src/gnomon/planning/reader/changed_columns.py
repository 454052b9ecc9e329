"""Clauses that change a column before anything is computed: filled, scaled, its logarithm taken; rows left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon.core.request import Filter, FilterOperator
from gnomon.planning.reader.row_arithmetic import RowArithmetic
from gnomon.planning.reader.said_columns import Said, SaidColumns
from gnomon.planning.reader.wider_model import Made
from gnomon.semantic import SemanticModel
from gnomon.semantic.derived import Derived

_FILL = re.compile(
    r"\b(?:fill|imput|replac|handl|substitut)(?:e|ing|ed|es|s)?\b(?P<what>.*?\b(?:missing|null|nan|empty)\b.*?)"
    r"(?:\b(?:with|by|using|to)\b(?P<how>.*))?$",
    re.IGNORECASE | re.DOTALL,
)
_DROP = re.compile(
    r"\b(?:drop|remov|exclud|discard|delet|ignor|omit|filter)(?:e|ing|ping|ting|ed|es|s)?\b(?P<what>.*?\b(?:missing|null|nan|empty|unknown)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SCALE = re.compile(
    r"\b(?P<verb>normali[sz]|scal|standardi[sz]|rescal)(?:e|ing|ed|es|s)?\b|\b(?P<noun>min[- ]?max|z[- ]?score|standard)\s+(?:normali[sz]ation|scaling|standardi[sz]ation|transformation|scaler)\b",
    re.IGNORECASE,
)
_LOG = re.compile(
    r"\b(?:apply|take|perform|use|comput|calculat|do)\w*\s+(?:a|an|the)?\s*(?:natural\s+)?log(?:arithm(?:ic)?)?(?P<base>10|1p)?[- ]?(?:transform(?:ation)?)?\s+(?:to|of|on|for)\b|\blog(?P<other>10|1p)?[- ]transform(?:ing|ed)?\b",
    re.IGNORECASE,
)
_FILLERS = {
    "mean": "mean_of",
    "average": "mean_of",
    "median": "median_of",
    "mode": "mode_of",
    "minimum": "min_of",
    "maximum": "max_of",
}
_UNKNOWN = re.compile(
    r"k[- ]?nn|k[- ]?nearest(?: neighbou?rs?)?|nearest[- ]neighbou?rs?|regression|interpolation|interpolat\w*|forward[- ]?fill\w*|back(?:ward)?[- ]?fill\w*|iterative\w*|random\w*|mice|machine learning|predict\w*",
    re.IGNORECASE,
)
_ROWS = re.compile(r"\b(?:rows?|records?|entries|observations|values|lines|data)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Change:
    """What a clause changes.

    Args:
        made: Columns in place of others.
        filters: Conditions that rows have to meet from then on.
        told: What to tell the asker, a sentence each, without its point.
        refused: What it asks for that cannot be done, in words; everything else is empty then.
    """

    made: tuple[Made, ...] = ()
    filters: tuple[Filter, ...] = ()
    told: tuple[str, ...] = ()
    refused: str = ""


class ColumnChanges:
    """Reads the clauses of one question that change columns.

    Args:
        model: What the tables mean.
        columns: The columns that they may speak of.
    """

    def __init__(self, model: SemanticModel, columns: SaidColumns) -> None:
        self._model = model
        self._columns = columns

    def read(self, clause: str) -> Change | None:
        """What a clause changes; None where it changes nothing."""
        if re.search(r"\?|^\s*(?:what|which|how|who|when|is|are|do|does|if)\b", clause, re.IGNORECASE):
            return None
        if (match := _FILL.search(clause)) is not None:
            return self._filled(match["what"], match["how"] or "")
        if (match := _DROP.search(clause)) is not None:
            return self._dropped(match["what"])
        if (match := _LOG.search(clause)) is not None:
            return self._logged(clause[match.end() :], match["base"] or match["other"] or "")
        if (match := _SCALE.search(clause)) is not None:
            return self._scaled(clause, match)
        return None

    def _named(self, text: str) -> list[Said]:
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

    def _filled(self, what: str, how: str) -> Change | None:
        if unknown := _UNKNOWN.search(how) or _UNKNOWN.search(what):
            return Change(refused=f"missing values cannot be filled in by {unknown.group().lower()} here")
        columns = self._named(what) or self._named(how)
        words = re.findall(r"[a-z]+", how.lower())
        chosen = next((w for w in words if w in _FILLERS), None)
        chosen = "mode" if "frequent" in words or "common" in words else chosen
        number = re.search(r"-?\d+(?:\.\d+)?", how)
        if "zero" in words or "zeros" in words:
            value, said = "0", "zero"
        elif chosen is not None:
            value, said = "", f"the {chosen}"
        elif number is not None:
            value, said = number.group(), number.group()
        else:
            return None
        if not columns:
            return None
        made: list[Made] = []
        for c in columns:
            if not c.is_number and chosen != "mode":
                return Change(
                    refused=f"missing values of {c.dimension.label} are no numbers, so {said} cannot stand for them"
                )
            other = value or f"{_FILLERS[chosen or 'mode']}({c.expression})"
            made.append(
                self._changed(
                    c,
                    f"fill({c.expression}, {other})",
                    f"missing values of {c.dimension.label} were filled in with {said} over all rows"
                    if not value
                    else f"missing values of {c.dimension.label} were filled in with {said}",
                )
            )
        return Change(tuple(made), told=tuple(m.told for m in made))

    def _dropped(self, what: str) -> Change | None:
        columns = self._named(what)
        if not columns and not _ROWS.search(what):
            return None
        if not columns:
            if len(self._model.tables) != 1:
                return None
            held = [d for d in self._model.dimensions if d.nullable]
            filters = tuple(Filter(field=d.name, operator=FilterOperator.NOT_NULL) for d in held)
            return Change(filters=filters, told=("rows that lack any value were left out",))
        filters = tuple(Filter(field=c.dimension.name, operator=FilterOperator.NOT_NULL) for c in columns)
        named = " or ".join(c.dimension.label for c in columns)
        return Change(filters=filters, told=(f"rows without {named} were left out",))

    def _logged(self, behind: str, base: str) -> Change | None:
        columns = [c for c in self._named(behind) if c.is_number]
        made: list[Made] = []
        for c in columns:
            text = {"10": f"log10({c.expression})", "1p": f"log({c.expression} + 1)"}.get(
                base, f"log({c.expression})"
            )
            told = {"10": "its logarithm to base 10", "1p": "the natural logarithm of 1 + it"}.get(
                base, "its natural logarithm"
            )
            made.append(
                self._changed(
                    c, text, f"{c.dimension.label} was replaced by {told}, which only values above zero have"
                )
            )
        return Change(tuple(made), told=tuple(m.told for m in made)) if made else None

    def _scaled(self, clause: str, match: re.Match[str]) -> Change | None:
        method = (match["verb"] or match["noun"]).lower()
        standard = method.startswith(("standard", "z")) or bool(
            re.search(r"z[- ]?score|standard(?:i[sz]|\s)", clause, re.IGNORECASE)
        )
        if re.search(r"min[- ]?max", clause, re.IGNORECASE):
            standard = False
        elif re.search(r"robust|decimal|unit vector|l2|quantile", clause, re.IGNORECASE):
            return Change(refused="only min-max scaling and z-scores are known for scaling")
        columns = [c for c in self._named(clause[: match.start()] + clause[match.end() :]) if c.is_number]
        made: list[Made] = []
        for c in columns:
            x = c.expression
            if standard:
                text, told = (
                    f"({x} - mean_of({x})) / std_of({x})",
                    "z-scores (less the mean, over the sample standard deviation)",
                )
            else:
                text, told = (
                    f"({x} - min_of({x})) / (max_of({x}) - min_of({x}))",
                    "min-max scaling to the range from zero to one",
                )
            made.append(self._changed(c, text, f"{c.dimension.label} was scaled by {told}, over all rows"))
        return Change(tuple(made), told=tuple(m.told for m in made)) if made else None

    def _changed(self, column: Said, text: str, told: str) -> Made:
        derived = Derived(column.dimension.label, text)
        self._columns.define(derived, column.table, column.column)
        return Made(column.table, derived, told, instead=column.column)
