"""What a language model is told that the data has: tables, columns, keys and metrics, by name and type alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from gnomon.core.patterns import regex
from gnomon.llm import Privacy
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric, SemanticModel
from gnomon.semantic.arithmetic import Binary, Call, Name, Negative, Node, Number, parse
from gnomon.semantic.model import quoted
from gnomon.semantic.values import ValueIndex

MOST_COLUMNS = 150
MOST_METRICS = 40
MOST_WORDS = 40
MOST_VALUES = 12
_SQL = {
    Aggregation.SUM: "SUM({})", Aggregation.MEAN: "AVG({})", Aggregation.MEDIAN: "MEDIAN({})", Aggregation.MIN: "MIN({})",
    Aggregation.MAX: "MAX({})", Aggregation.COUNT: "COUNT({})", Aggregation.COUNT_DISTINCT: "COUNT(DISTINCT {})",
    Aggregation.STDDEV: "STDDEV({})",
}  # fmt: skip
_BETWEEN = {"days": "day", "hours": "hour", "minutes": "minute"}
_ADDED = {Aggregation.SUM: "added", Aggregation.MEAN: "averaged"}
_DIGITS = regex(r"(?<!\d)\d{1,9}(?!\d)")
_PLAIN = regex(r"[a-z_][a-z0-9_]*")
_NAME_LIKE = regex(r"[^\W_][\w .\-/%()&+#$€£'²³°:]{0,60}|[._]\w{1,40}")


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
        untold: Whether cells under a header tell of persons, whatever their column was taken for.
    """

    def __init__(
        self,
        model: SemanticModel,
        columns: Mapping[str, Mapping[str, str]],
        privacy: Privacy,
        index: ValueIndex,
        trusted: Callable[[str], bool] = name_like,
        untold: Callable[[str, Sequence[str]], bool] = lambda header, cells: False,
    ) -> None:
        self._model = model
        self._untold = untold
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

    def of(self, model: SemanticModel) -> Card:
        """The same tables where they mean something else."""
        return Card(model, self.columns, self.privacy, self._index, self._trusted, self._untold)

    def _name(self, name: str, instead: str) -> None:
        openly = self.privacy.names and self._trusted(name) and name_like(name)
        shown = name if openly else instead
        self._shown[name] = shown
        if shown != name:
            self.meant[shown] = name

    def shown(self, name: str) -> str:
        """A table or column as SQL writes it."""
        said = self._shown.get(name, name)
        return said if _needs_no_quotes(said) else '"' + said.replace('"', '""') + '"'

    @cached_property
    def numbers(self) -> frozenset[int]:
        """Numbers that stand in names as they are shown: 2021, of population_2021."""
        return frozenset(int(n) for shown in self._shown.values() for n in _DIGITS.findall(shown))

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
        metrics = [line for m in self._model.metrics if (line := self._metric(m))][:MOST_METRICS]
        if metrics:
            blocks.append("Metrics that people here speak of\n" + "\n".join(metrics))
        words = [line for w, name in self._model.preferred.items() if (line := self._word(w, name))]
        if words:
            blocks.append("What words mean here\n" + "\n".join(words[:MOST_WORDS]))
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
        each = f", each is one {meaning.label}" if self._may_stand(meaning.label) else ""
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
        if name_words(known.label) != name_words(known.home.column) and self._may_stand(known.label):
            facts.append(f"“{known.label}”")
        if known.type is DimensionType.ID:
            facts.append("identifier")
        if known.unit and name_like(known.unit):
            facts.append(known.unit)
        if known.type is DimensionType.NUMBER and (added := self._added(known)):
            facts.append(added)
        if known.distinct and kind != "boolean":
            facts.append(f"{known.distinct:,} different")
        if known.nullable:
            facts.append("some missing")
        header = known.home.column
        if (
            self.privacy.wording
            and known.coverage
            and not self._untold(header, [str(d) for d in known.coverage])
        ):
            facts.append(f"{known.coverage[0]} to {known.coverage[1]}")
        if self.privacy.values and not known.personal and known.type is DimensionType.CATEGORY:
            held = [str(v) for v in self._index.values(known.name)[:MOST_VALUES] if name_like(str(v))]
            facts += [f"such as {', '.join(held)}"] if held and not self._untold(header, held) else []
        return facts

    def _added(self, known: Dimension) -> str | None:
        """Whether the numbers of a column are added or averaged where nothing else is said."""
        told = None
        for m in self._model.metrics:  # what was told last has the plain words
            own = m.table == known.home.table and m.expression == quoted(known.home.column) and not m.where
            if own and m.aggregation is not None and m.aggregation in _ADDED:
                told = "a level" if m.additivity is Additivity.SEMI_ADDITIVE else _ADDED[m.aggregation]
        return told

    def _known(self, table: str, column: str) -> Dimension | None:
        return next((d for d in self._model.dimensions if d.via is None and d.at(table) == column), None)

    def _metric(self, metric: Metric) -> str | None:
        """A metric with its definition, unless its column tells all of it."""
        if not self._may_stand(metric.label) or self._is_plain(metric):
            return None
        made = self._defined(metric)
        return f"  {metric.label} = {made}" if made is not None else None

    def _is_plain(self, metric: Metric) -> bool:
        """Whether a metric does no more than take the values of one column, or the rows of a table, together."""
        columns = self.columns.get(metric.table or "", {})
        return metric.formula is None and metric.expression in (None, *map(quoted, columns))

    def _defined(self, metric: Metric) -> str | None:
        """A metric in SQL, down to its columns; None where it has conditions, whose values nobody may see."""
        if metric.formula is not None:
            return self._written(parse(metric.formula), self._within)
        table, how = metric.table or "", metric.aggregation
        if metric.where or how is None or how not in _SQL or table not in self.columns:
            return None
        if metric.expression is None:
            return f"COUNT({self.shown(table)}.*)"
        held = self.columns[table]
        said = self._written(
            parse(metric.expression), lambda c: f"{self.shown(table)}.{self.shown(c)}" if c in held else None
        )
        return _SQL[how].format(said) if said is not None else None

    def _within(self, name: str) -> str | None:
        """The definition of a metric that stands in another's formula."""
        metric = self._model.metric(name)
        made = self._defined(metric)
        return f"({made})" if made is not None and metric.formula is not None else made

    def _written(self, node: Node, said: Callable[[str], str | None]) -> str | None:
        """Arithmetic with its names as SQL says them; None where one of them, or a function, has no such words."""
        parts: list[str | None]
        if isinstance(node, Number):
            return f"{node.value:g}"
        if isinstance(node, Name):
            return said(node.name)
        if isinstance(node, Negative):
            inner = self._written(node.operand, said)
            return f"-{inner}" if inner is not None else None
        if isinstance(node, Binary):
            parts = [
                f"({side})" if isinstance(below, Binary) and side is not None else side
                for below in (node.left, node.right)
                for side in [self._written(below, said)]
            ]
            return f" {node.operator} ".join(p for p in parts if p) if all(parts) else None
        if isinstance(node, Call) and node.function in _BETWEEN and len(node.arguments) == 2:
            end, start = (self._written(a, said) for a in node.arguments)
            unit = _BETWEEN[node.function]
            return f"DATE_DIFF('{unit}', {start}, {end})" if start and end else None
        return None

    def _word(self, word: str, name: str) -> str | None:
        """What a word of the user's own means, by a column or a definition."""
        if not self._may_stand(word):
            return None
        metric = next((m for m in self._model.metrics if m.name == name), None)
        if metric is not None:
            meant = self._defined(metric)
        else:
            held = next((d.home for d in self._model.dimensions if d.name == name), None)
            meant = f"{self.shown(held.table)}.{self.shown(held.column)}" if held is not None else None
        return f"  {word} = {meant}" if meant is not None else None

    def _may_stand(self, words: str) -> bool:
        """Whether words that people or a heading made may stand in a prompt."""
        return self.privacy.names and self._trusted(words) and name_like(words)


@lru_cache(maxsize=10_000)
def _needs_no_quotes(name: str) -> bool:
    """Whether SQL takes a name as it is; “group” and “select” mean something else there."""
    if _PLAIN.fullmatch(name) is None:
        return False
    from sqlglot import ParseError, exp, parse_one

    try:
        query = parse_one(f"SELECT t.x FROM t WHERE {name} = 1 GROUP BY {name}", read="duckdb")
    except ParseError:
        return False
    return sum(c.name == name for c in query.find_all(exp.Column)) == 2


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
