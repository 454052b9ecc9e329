"""Clauses that change a column before anything is computed: filled, scaled, its logarithm taken; rows left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gnomon.core.request import Filter, FilterOperator
from gnomon.planning.reader.clauses import is_opening
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
    r"\b(?:drop|remov|exclud|discard|delet|ignor|omit|filter)(?:e|ing|ping|ting|ed|es|s)?\b(?P<what>[^,;]*?\b(?:missing|null|nan|empty|unknown)\b.*)$",
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
_DONE = re.compile(
    r"(?:fill|imput|replac|handl|substitut|drop|remov|exclud|discard|delet|ignor|omit|filter|normali[sz]|scal|rescal|standardi[sz]|log|transform|appl|perform|us|tak)\w*$|\d"
)
_IDLE = frozenset(
    [
        "a",
        "all",
        "an",
        "and",
        "any",
        "arithmetic",
        "as",
        "average",
        "be",
        "been",
        "by",
        "column",
        "columns",
        "common",
        "contain",
        "contains",
        "data",
        "dataset",
        "empty",
        "entries",
        "feature",
        "features",
        "field",
        "fields",
        "first",
        "for",
        "frequent",
        "from",
        "has",
        "have",
        "having",
        "in",
        "is",
        "it",
        "its",
        "lines",
        "lack",
        "lacking",
        "logarithm",
        "logarithmic",
        "max",
        "maximum",
        "mean",
        "median",
        "method",
        "min",
        "minimum",
        "missing",
        "mode",
        "most",
        "na",
        "nan",
        "natural",
        "no",
        "null",
        "nulls",
        "observations",
        "of",
        "on",
        "or",
        "preprocessing",
        "range",
        "record",
        "records",
        "respective",
        "row",
        "rows",
        "score",
        "scores",
        "set",
        "that",
        "the",
        "their",
        "them",
        "then",
        "these",
        "this",
        "those",
        "to",
        "transformation",
        "using",
        "value",
        "values",
        "variable",
        "variables",
        "was",
        "were",
        "where",
        "which",
        "whose",
        "with",
        "z",
        "zero",
        "zeros",
        "minmax",
        "scaling",
        "standard",
        "table",
        "between",
        "one",
        "entry",
        "unknown",
        "please",
        "min-max",
        "z-score",
    ]
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
        found: Change | None = None
        if (match := _opens(_FILL, clause)) is not None:
            found = self._filled(match["what"], match["how"] or "")
        elif (match := _opens(_DROP, clause)) is not None:
            found = self._dropped(match["what"])
        elif (match := _opens(_LOG, clause)) is not None:
            found = self._logged(clause[match.end() :], match["base"] or match["other"] or "")
        elif (match := _opens(_SCALE, clause)) is not None:
            found = self._scaled(clause, match)
        if found is None or found.refused:
            return found
        left = self._left(clause)
        return found if not left else Change(refused=f"“{' '.join(left)}” was not understood there")

    def _left(self, clause: str) -> list[str]:
        """The words of a clause that name no column and say nothing that is done."""
        reads = RowArithmetic(clause, self._columns, self._model)
        left: list[str] = []
        at = 0
        while at < len(reads.tokens):
            operand = reads.read(at, 9)
            if operand is not None and operand.columns and not operand.is_made:
                at = operand.end
                continue
            token = reads.tokens[at]
            if token.kind != "sign" and token.plain not in _IDLE and not _DONE.match(token.plain):
                left.append(token.text)
            at += 1
        return left

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
        if grouped := re.search(r"\b(?:each|every|per|by|within)\s+\w+", how, re.IGNORECASE):
            return Change(
                refused=f"missing values cannot be filled in “{grouped.group()}” here, only over all rows"
            )
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
        words = [c for c in columns if not c.is_number]
        if words and chosen != "mode":
            label = words[0].dimension.label
            return Change(
                refused=f"missing values of {label} are no numbers, so {said} cannot stand for them"
            )
        over, figure = "" if value else " over all rows", _FILLERS[chosen or "mode"]
        return self._all(
            columns,
            lambda x: f"fill({x}, {value or f'{figure}({x})'})",
            "{0}",
            f"missing values of {{0}} were filled in with {said}{over}",
        )

    def _dropped(self, what: str) -> Change | None:
        if re.search(r"(?<!\w)\d", what):
            return Change(
                refused="rows can only be left out by what they lack, not by further numbers, in one go"
            )
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
        ways: dict[str, tuple[Callable[[str], str], str]] = {
            "10": (lambda x: f"log10({x})", "its logarithm to base 10"),
            "1p": (lambda x: f"log({x} + 1)", "the natural logarithm of one more than it"),
            "": (lambda x: f"log({x})", "its natural logarithm"),
        }
        way, told = ways[base.lower()]
        columns = [c for c in self._named(behind) if c.is_number]
        return self._all(
            columns,
            way,
            "log of {0}",
            f"instead of {{0}}, {told} was taken, which only values above zero have",
        )

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
        if standard:
            told = "z-scores (less the mean, over the sample standard deviation)"
            way: Callable[[str], str] = lambda x: f"({x} - mean_of({x})) / std_of({x})"  # noqa: E731
        else:
            told = "min-max scaling to the range from zero to one"
            way = lambda x: f"({x} - min_of({x})) / (max_of({x}) - min_of({x}))"  # noqa: E731
        return self._all(columns, way, "scaled {0}", f"{{0}} was scaled by {told}, over all rows")

    def _all(self, columns: Sequence[Said], way: Callable[[str], str], name: str, told: str) -> Change | None:
        """Every column changed in one way; nothing where there is none."""
        made = [self._changed(c, way(c.expression), name, told) for c in columns]
        return Change(tuple(made), told=tuple(m.told for m in made)) if made else None

    def _changed(self, column: Said, text: str, name: str, told: str) -> Made:
        label = column.dimension.label
        derived = Derived(name.format(label), text)
        self._columns.define(derived, column.table, label, column.column)
        return Made(
            column.table, derived, told.format(label), instead=column.column, names=(label, column.column)
        )


def _opens(pattern: re.Pattern[str], clause: str) -> re.Match[str] | None:
    """The match of a pattern that a clause begins with, but for words that only lead up to it."""
    match = pattern.search(clause)
    return match if match is not None and is_opening(clause[: match.start()]) else None
