"""What a language model is told that the data has: tables, columns, keys and metrics, by name and type alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from gnomon.llm import Privacy
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.values import ValueIndex

MOST_COLUMNS = 150
MOST_METRICS = 40
MOST_VALUES = 12
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_NAME_LIKE = re.compile(r"[^\W_][\w .\-/%()&+#$€£'²³°:]{0,60}|[._]\w{1,40}")


def name_like(text: str) -> bool:
    """Whether a text can stand in a prompt as a name: one short line of a few words."""
    return _NAME_LIKE.fullmatch(text) is not None and len(text.split()) <= 8


class Card:
    """The tables as a language model sees them, and the way back from what it writes.

    Args:
        model: What the tables mean.
        columns: The columns of each table with their types.
        privacy: How much may be seen.
        index: The values, for the level that shows some.
        trusted: Whether a name may stand in a prompt; one that may not is shown under another.
    """

    def __init__(
        self,
        model: SemanticModel,
        columns: Mapping[str, Mapping[str, str]],
        privacy: Privacy,
        index: ValueIndex,
        trusted: Callable[[str], bool] = name_like,
    ) -> None:
        self._model = model
        self.privacy = privacy
        self._index = index
        self._trusted = trusted
        self.columns = {t: dict(held) for t, held in columns.items()}
        self.meant: dict[str, str] = {}
        self._shown: dict[str, str] = {}
        for number, table in enumerate(columns, 1):
            self._name(table, f"table{number}")
        for number, column in enumerate(dict.fromkeys(c for held in columns.values() for c in held), 1):
            self._name(column, f"column{number}")

    def _name(self, name: str, instead: str) -> None:
        openly = self.privacy.names and self._trusted(name) and name_like(name)
        shown = name if openly else instead
        self._shown[name] = shown
        if shown != name:
            self.meant[shown] = name

    def shown(self, name: str) -> str:
        """A table or column as SQL writes it."""
        said = self._shown.get(name, name)
        return said if _PLAIN.fullmatch(said) else '"' + said.replace('"', '""') + '"'

    def holds(self, word: str) -> bool:
        """Whether a folded word occurs in some value of the data."""
        return word in self._value_words

    @cached_property
    def _value_words(self) -> frozenset[str]:
        held = (v for d in self._model.dimensions for v in self._index.values(d.name) if isinstance(v, str))
        return frozenset(w for v in held for w in name_words(v))

    def text(self, question: str) -> str:
        """The tables in words; of very many columns those that share a word with the question come first."""
        said = {stem(w) for w in name_words(question)}
        kept = self._kept(said)
        blocks = [self._table(t, [c for c in held if (t, c) in kept]) for t, held in self.columns.items()]
        metrics = [line for m in self._model.metrics[:MOST_METRICS] if (line := self._metric(m))]
        if metrics:
            blocks.append("Metrics that people here speak of\n" + "\n".join(metrics))
        return "\n\n".join(blocks)

    def _kept(self, said: set[str]) -> set[tuple[str, str]]:
        every = [(t, c) for t, held in self.columns.items() for c in held]
        if len(every) <= MOST_COLUMNS:
            return set(every)
        keys = {(j.table, j.column) for j in self._model.joins} | {
            (j.to_table, j.to_column) for j in self._model.joins
        }
        ranked = sorted(
            every, key=lambda at: (at not in keys, -len(said & {stem(w) for w in name_words(at[1])}))
        )
        return set(ranked[:MOST_COLUMNS])

    def _table(self, table: str, columns: Iterable[str]) -> str:
        meaning = self._model.table(table)
        rows = f"{meaning.rows:,} rows" if meaning.rows is not None else "rows"
        each = f", each is one {meaning.label}" if self.privacy.names and name_like(meaning.label) else ""
        lines = [f"  {self.shown(c)}  {self._column(table, c)}" for c in columns]
        return f"TABLE {self.shown(table)} ({rows}{each})\n" + "\n".join(lines)

    def _column(self, table: str, column: str) -> str:
        kind = _kind(self.columns[table][column])
        facts = [kind]
        join = next((j for j in self._model.joins if (j.table, j.column) == (table, column)), None)
        if join is not None:
            facts.append(f"→ {self.shown(join.to_table)}.{self.shown(join.to_column)}")
        known = self._known(table, column)
        if known is not None:
            facts += self._facts(known, kind)
        return ", ".join(facts)

    def _facts(self, known: Dimension, kind: str) -> list[str]:
        facts: list[str] = []
        if (
            self.privacy.names
            and known.label != known.home.column.replace("_", " ").lower()
            and name_like(known.label)
        ):
            facts.append(f"“{known.label}”")
        if known.type is DimensionType.ID:
            facts.append("identifier")
        if known.unit and name_like(known.unit):
            facts.append(known.unit)
        if known.distinct and kind != "boolean":
            facts.append(f"{known.distinct:,} different")
        if known.nullable:
            facts.append("some missing")
        if self.privacy.wording and known.coverage:
            facts.append(f"{known.coverage[0]} to {known.coverage[1]}")
        if self.privacy.values and not known.personal and known.type is DimensionType.CATEGORY:
            held = [str(v) for v in self._index.values(known.name)[:MOST_VALUES] if name_like(str(v))]
            facts += [f"such as {', '.join(held)}"] if held else []
        return facts

    def _known(self, table: str, column: str) -> Dimension | None:
        return next((d for d in self._model.dimensions if d.via is None and d.at(table) == column), None)

    def _metric(self, metric: Metric) -> str | None:
        if not self.privacy.names or not name_like(metric.label):
            return None
        if metric.formula is not None:
            return f"  {metric.label} = {metric.formula}"
        if metric.expression is None or metric.aggregation is None or metric.where:
            return None
        how = {"mean": "AVG", "count_distinct": "COUNT DISTINCT"}.get(
            metric.aggregation.value, metric.aggregation.value.upper()
        )
        return f"  {metric.label} = {how}({self.shown(metric.table or '')}.{metric.expression.strip('`')})"


def _kind(kind: str) -> str:
    low = kind.lower().lstrip("!")
    if "bool" in low:
        return "boolean"
    if "timestamp" in low:
        return "timestamp"
    if low.startswith("date"):
        return "date"
    if low.startswith("time"):
        return "time"
    if "int" in low:
        return "integer"
    return "number" if any(k in low for k in ("float", "double", "decimal")) else "text"
