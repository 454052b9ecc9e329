"""Steps that write a column another way: values as numbers, texts as dates, a column that is not needed any more."""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.said_columns import Said, SaidColumns
from gnomon.planning.reader.step_words import Change, StepClauses, listed, opens
from gnomon.planning.reader.words import fold
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.derived import text_in
from gnomon.semantic.values import ValueIndex

_ENCODE = regex(
    r"\b(?:(?:label|ordinal|one[- ]hot)[- ]?)?(?:encod|recod|map|cod)(?:e|ing|ed|es|s|ping|ped)?\b(?P<what>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ONE_HOT = regex(r"one[- ]hot|dumm(?:y|ies)", re.IGNORECASE)
_CODE = late_pattern(
    r"[\"“'‘]?(?P<value>[\w-]+)[\"”'’]?\s*(?:(?:is|are|was)\s+)?(?:(?:coded|encoded|mapped|labell?ed|represented)\s+)?(?:as|to|=|:|with|by|->|→)\s*(?P<code>\d+)\b",
    re.IGNORECASE,
)
_CODE_FOR = late_pattern(
    r"\b(?P<code>\d+)\s*(?:for|=|:|is|if)\s*[\"“'‘]?(?P<value>[\w-]+)[\"”'’]?", re.IGNORECASE
)
_CONVERT = regex(
    r"\b(?:convert|transform|chang|cast|pars)(?:e|ing|ed|es|s)?\b(?P<what>.*?)\s+(?:to|into|as)\s+(?:a\s+|an\s+)?"
    r"(?:(?:proper|suitable|correct|appropriate|valid|standard|python|pandas)\s+)*(?P<kind>date\s*-?\s*times?|dates?|timestamps?|numeric|numbers?|numerical|floats?|integers?|int|format)(?:\s+(?:format|type|values?|objects?|column|data\s+type|for\s+further\s+analysis))*\s*$",
    re.IGNORECASE | re.DOTALL,
)
_UNUSED = regex(
    r"\b(?:drop|remov|delet|discard)(?:e|ing|ping|ed|es|s)?\s+(?:the\s+)?(?P<what>[^.;]*?)\s+(?:columns?|features?|variables?|fields?)\b(?P<why>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_MOST_CODES = 30


class RecodedColumns(StepClauses):
    """Reads clauses that write columns another way.

    Args:
        model: What the tables mean.
        columns: The columns that they may speak of.
        out: Why rows were left out by earlier steps.
        index: The values of the columns.
    """

    def __init__(self, model: SemanticModel, columns: SaidColumns, out: list[str], index: ValueIndex) -> None:
        super().__init__(model, columns, out)
        self._index = index

    def read(self, clause: str) -> Change | None:
        """What a clause changes; None where it changes nothing that is understood."""
        text = clause.strip(" .;")
        if (match := opens(_CONVERT, text)) is not None:
            return self._converted(match["what"], fold(match["kind"]))
        if (match := opens(_ENCODE, text)) is not None:
            return self._encoded(text, match["what"])
        if (match := opens(_UNUSED, text)) is not None:
            return self._unused(match["what"])
        return None

    def _converted(self, what: str, kind: str) -> Change | None:
        """A conversion that the table has been read with already changes nothing; any other is not done."""
        columns = self.named(what)
        if self.left(what):
            return None
        wanted = {DimensionType.TIME} if kind.startswith(("date", "time")) else {DimensionType.NUMBER}
        if kind == "format":
            return Change(told=("values were taken as they were read from the table",))
        for column in columns:
            if column.dimension.type not in wanted and not (
                DimensionType.NUMBER in wanted and column.is_number
            ):
                return Change(refused=f"{column.dimension.label} cannot be taken as {kind}")
        names = [c.dimension.label for c in columns]
        return Change(told=(f"{listed(names)} was taken as {kind}",)) if names else None

    def _encoded(self, clause: str, what: str) -> Change | None:
        way = _CODE_FOR if _CODE_FOR.search(what) else _CODE
        codes = {fold(m["value"]): int(m["code"]) for m in way.finditer(what)}
        columns = self.named(way.sub(" ", what))
        texts = [c for c in columns if c.dimension.type in (DimensionType.CATEGORY, DimensionType.BOOLEAN)]
        if _ONE_HOT.search(clause) or not texts or (codes and len(texts) != 1):
            return None
        changes = [self._coded(c, codes) for c in texts]
        if any(c is None for c in changes):
            return None
        found = [c for c in changes if c is not None]
        refused = next((c.refused for c in found if c.refused), "")
        made, told = (m for c in found for m in c.made), (t for c in found for t in c.told)
        return Change(refused=refused) if refused else Change(tuple(made), told=tuple(told))

    def _coded(self, column: Said, codes: dict[str, int]) -> Change | None:
        values = sorted({str(v) for v in self._index.values(column.dimension.name)})
        if column.dimension.type is DimensionType.BOOLEAN or not values or len(values) > _MOST_CODES:
            return None
        if codes and set(codes) != {fold(v) for v in values}:
            other = listed([v for v in values if fold(v) not in codes] or sorted(codes))
            return Change(
                refused=f"no code was given for {other}, or {column.dimension.label} has no such value"
            )
        coded = {v: codes[fold(v)] if codes else i for i, v in enumerate(values)}
        written = ", ".join(f"{text_in(v)}, {n}" for v, n in coded.items())
        if any(text_in(v) != f"'{v}'" for v in values):
            return None
        told = f"values of {{0}} were written as numbers: {', '.join(f'{v} {n}' for v, n in coded.items())}"
        return self.changed([column], lambda x: f"coded({x}, {written})", "{0} code", told)

    def _unused(self, what: str) -> Change | None:
        columns = self.named(what)
        if not columns or self.left(what):
            return None
        return Change(told=(f"{listed([c.dimension.label for c in columns])} was not looked at",))
