"""What a language model is told that the data has: names, types and units, or what stands for the names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gnomon.llm import Privacy, Pseudonyms
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Dimension, DimensionType, Metric, SemanticModel, TableMeaning
from gnomon.semantic.values import ValueIndex

MOST_NAMES = 150
MOST_VALUES = 12
MOST_SYNONYMS = 5
_NAME_LIKE = re.compile(r"[^\W_][\w .\-/%()&+#$€£']{0,48}")
METRIC, COLUMN, ROWS = "metric", "column", "rows"


def name_like(text: str) -> bool:
    """Whether a text can stand in a prompt as a name: one short line of a few words."""
    return _NAME_LIKE.fullmatch(text) is not None and len(text.split()) <= 6


@dataclass(frozen=True)
class Line:
    """One thing that the data has, as the model is told it."""

    shown: str
    text: str


class Catalogue:
    """The names of a model as a language model sees them, and the way back.

    Args:
        model: Whose names.
        privacy: How much of them may be seen.
        index: The values, for the level that shows some.
        trusted: Whether a name may stand in a prompt; one that may not is shown under another.
    """

    def __init__(
        self,
        model: SemanticModel,
        privacy: Privacy,
        index: ValueIndex,
        trusted: Callable[[str], bool] = name_like,
    ) -> None:
        self._model = model
        self._privacy = privacy
        self._index = index
        self._trusted = trusted
        self._names = {k: Pseudonyms(k[0]) for k in (METRIC, COLUMN, ROWS)}
        self.metrics = [self._metric(m) for m in model.metrics]
        self.columns = [self._column(d) for d in model.dimensions]
        self.rows = [self._table(t) for t in model.tables]

    def shown(self, kind: str, name: str) -> str:
        """How a metric, a column or the rows of a table are called."""
        openly = self._privacy.names and self._trusted(name) and name_like(name)
        return f"{kind}:{self._names[kind].show(name, openly=openly)}"

    def meant(self, shown: str) -> tuple[str, str]:
        """The kind and the name that were shown so.

        Raises:
            NotFound: Nothing was.
        """
        kind, _, name = shown.partition(":")
        return kind, self._names[kind].meant(name)

    def holds(self, word: str) -> bool:
        """Whether a folded word occurs in some value of the data."""
        return word in self._value_words

    @cached_property
    def _value_words(self) -> frozenset[str]:
        held = (v for d in self._model.dimensions for v in self._index.values(d.name) if isinstance(v, str))
        return frozenset(w for v in held for w in name_words(v))

    def relevant(self, question: str) -> tuple[list[Line], list[Line], list[Line]]:
        """Metrics, columns and tables; of very many those that share a word with the question come first."""
        said = {stem(w) for w in name_words(question)}
        return _first(self.metrics, said), _first(self.columns, said), _first(self.rows, said)

    def _metric(self, m: Metric) -> Line:
        how = "ratio" if m.formula else str(m.aggregation or "").replace("_", " ")
        return self._line(METRIC, m.name, (m.label, *m.synonyms), [how, m.unit or ""])

    def _column(self, d: Dimension) -> Line:
        facts = [d.type.value, d.unit or "", f"{d.distinct} different" if d.distinct else ""]
        if self._privacy.wording and d.coverage:
            facts.append(f"from {d.coverage[0]} to {d.coverage[1]}")
        if self._privacy.values and not d.personal and d.type is DimensionType.CATEGORY:
            held = [str(v) for v in self._index.values(d.name)[:MOST_VALUES] if name_like(str(v))]
            facts.append(f"such as {', '.join(held)}" if held else "")
        return self._line(COLUMN, d.name, (d.label, *d.synonyms), facts)

    def _table(self, t: TableMeaning) -> Line:
        facts = [f"{t.rows} rows" if t.rows is not None else ""]
        return self._line(ROWS, t.name, (t.label, *t.synonyms), facts)

    def _line(self, kind: str, name: str, said: Iterable[str], facts: Sequence[str]) -> Line:
        shown = self.shown(kind, name)
        known = [s for s in dict.fromkeys(said) if s != name and self._trusted(s) and name_like(s)]
        names = (
            [", ".join(known[:MOST_SYNONYMS])]
            if known and self._privacy.names and shown == f"{kind}:{name}"
            else []
        )
        return Line(shown, f"- {shown} ({'; '.join([*names, *filter(None, facts)])})")


def _first(lines: Sequence[Line], said: set[str]) -> list[Line]:
    if len(lines) <= MOST_NAMES:
        return list(lines)
    ranked = sorted(lines, key=lambda x: -len(said & {stem(w) for w in name_words(x.text)}))
    return ranked[:MOST_NAMES]
