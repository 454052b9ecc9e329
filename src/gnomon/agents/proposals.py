"""What a language model proposes about tables, each thing held against their profile before it is believed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import cached_property

from gnomon.agents.describing import Proposal, SaidColumn, SaidMeaning, SaidState, SaidTable
from gnomon.core.errors import GnomonError, NotFound
from gnomon.core.request import Filter, FilterOperator
from gnomon.core.visible import visible
from gnomon.data import ColumnProfile, LoadedData, Role
from gnomon.guardrails.injection import neutral_name
from gnomon.language.time_grammar import find_times
from gnomon.planning.model_reader.card import Card
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.words import name_words, stem
from gnomon.semantic import (
    Additivity,
    Aggregation,
    Dimension,
    DimensionType,
    Metric,
    RetrievalQuery,
    Retriever,
    SemanticModel,
    TableMeaning,
)
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.labels import full_words, slug
from gnomon.semantic.model import plural, quoted, singular
from gnomon.semantic.money_units import is_money
from gnomon.semantic.units import unit_called
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.vocabulary import vocabulary

MOST_SYNONYMS = 4
MOST_LETTERS = 40
SMALL = 20
_WORDS = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+){0,4}")
_SHARES = ("%", "fraction")
_SUMS = (Aggregation.SUM, Aggregation.MEAN)
_NAMED_BY_HOW = ("average ", "mean ", "total ")


class _TurnedDown(Exception):
    """What speaks against a proposal."""


class Judge:
    """Hears proposals one after the other; each sees what was accepted before it.

    Args:
        loaded: The tables and their profile.
        model: What they mean so far; what holds is added to it.
        card: How the tables were shown.
    """

    def __init__(self, loaded: LoadedData, model: SemanticModel, card: Card) -> None:
        self._loaded = loaded
        self._card = card
        self.model = model
        self.proposals: list[Proposal] = []

    def hear(self, said: SaidMeaning) -> None:
        """Judge everything that was said."""
        for table in said.tables:
            self._table(table)
        for column in said.columns:
            self._column(column)
        for state in said.states:
            what = f"rows of {_shown(state.table)} are “{_shown(state.called)}” where {_shown(state.column)} {_told(state)}"
            self._judge(what, lambda state=state: self._state(state))

    def _judge(self, what: str, kept: Callable[[], str]) -> None:
        try:
            self.proposals.append(Proposal(what, True, kept()))
        except _TurnedDown as e:
            self.proposals.append(Proposal(what, False, str(e)))

    def _table(self, said: SaidTable) -> None:
        called = _shown(said.table)
        if said.row:
            self._judge(f"a row of {called} is “{_shown(said.row)}”", lambda: self._row(said))
        for number, word in enumerate(said.synonyms):
            what = f"“{_shown(word)}” is another word for a row of {called}"
            self._judge(what, lambda word=word, number=number: self._row_synonym(said.table, word, number))

    def _column(self, said: SaidColumn) -> None:
        called = f"{_shown(said.table)}.{_shown(said.column)}"
        if said.label:
            self._judge(
                f"{called} is called “{_shown(said.label)}”", lambda: self._named(said, said.label, 0)
            )
        for number, word in enumerate(said.synonyms):
            what = f"“{_shown(word)}” is another word for {called}"
            self._judge(what, lambda word=word, number=number: self._named(said, word, number, more=True))
        if said.unit:
            self._judge(f"{called} is in “{_shown(said.unit)}”", lambda: self._unit(said))
        if said.adds:
            self._judge(f"{called} is {said.adds}", lambda: self._adds(said))

    # Rows

    def _row(self, said: SaidTable) -> str:
        table = self._open(said.table)
        word = singular(self._word(said.row, self._own(table)))
        meaning = self.model.table(table)
        if word == meaning.label:
            return "it is called so already"
        before = (meaning.label,) if meaning.label != "row" else ()
        self._replace(meaning, label=word, synonyms=_joined(before, meaning.synonyms, without=word))
        self._counted(table, word, first=True)
        return f"nothing else in the tables is called so ({meaning.rows or 0:,} rows)"

    def _row_synonym(self, table: str, said: str, number: int) -> str:
        name = self._open(table)
        word = singular(self._few(said, number, self._own(name)))
        meaning = self.model.table(name)
        self._replace(meaning, synonyms=_joined(meaning.synonyms, (word,), without=meaning.label))
        self._counted(name, word)
        return "nothing else in the tables is called so"

    def _counted(self, table: str, word: str, *, first: bool = False) -> None:
        """Let the number of rows be asked for by their new name too."""
        rows = [m for m in self.model.metrics if m.table == table and _counts_rows(m)]
        many = plural(word)
        more = (many, f"count of {many}", f"{word} count")
        for metric in rows[:1]:
            label = f"number of {many}" if first else metric.label
            self._replace(
                metric, label=label, synonyms=_joined(more, metric.synonyms, (metric.label,), without=label)
            )

    # Columns

    def _named(self, said: SaidColumn, given: str, number: int, *, more: bool = False) -> str:
        held = self._held(said.table, said.column)
        owner = str(held.home)
        word = self._few(given, number, {owner}) if more else self._word(given, {owner})
        label = held.label if more else word
        self._replace(
            held, label=label, synonyms=_joined((word,), held.synonyms, (held.label,), without=label)
        )
        for metric in self._measures(held)[:1]:
            said_so = word if metric.aggregation is Aggregation.SUM else f"average {word}"
            label = metric.label if more else said_so
            names = _joined((word, said_so), metric.synonyms, (metric.label,), without=label)
            self._replace(metric, label=label, synonyms=names)
        return "no other column, metric or value is called so"

    def _unit(self, said: SaidColumn) -> str:
        held = self._held(said.table, said.column)
        profile = self._profile(held)
        given = " ".join(said.unit.split())
        unit = given if given in _SHARES or is_money(given) else unit_called(given)
        if unit is None:
            raise _TurnedDown("no such unit is known")
        if held.type is not DimensionType.NUMBER:
            raise _TurnedDown(f"the column holds no amounts ({held.type})")
        if held.unit is not None and held.unit != unit:
            raise _TurnedDown(f"the data says {held.unit}")
        if unit in _SHARES or profile.role is Role.PERCENT:
            self._share(held, profile, unit)
        self._replace(held, unit=unit)
        for metric in self._measures(held):
            self._replace(metric, unit=unit)
        return "the column holds numbers that can be in it, and nothing says otherwise"

    def _share(self, held: Dimension, profile: ColumnProfile, unit: str) -> None:
        """Whether numbers can be percents, or parts of one."""
        if unit not in _SHARES:
            raise _TurnedDown("the column holds percentages")
        if any(m.aggregation is Aggregation.SUM for m in self._measures(held)):
            raise _TurnedDown("its numbers are added, and shares never are")
        low, high = float(profile.minimum or 0), float(profile.maximum or 0)
        fits = low >= 0 and high <= 1
        if (unit == "fraction") != fits or max(abs(low), abs(high)) > 1_000:
            raise _TurnedDown(f"its numbers {'lie' if fits else 'do not lie'} between 0 and 1")

    def _adds(self, said: SaidColumn) -> str:
        table, column = self._place(said.table, said.column)
        held = self.model.dimension(f"{table}.{column}")
        measures = self._measures(held)
        if not measures:
            raise _TurnedDown(f"the column is no measure ({held.type})")
        how = Aggregation.SUM if said.adds == "added" else Aggregation.MEAN
        metric, words = measures[0], set(full_words(column))
        if metric.aggregation is how:
            return "the profile says the same"
        if metric.additivity is Additivity.SEMI_ADDITIVE:
            raise _TurnedDown("it is a level, which is added over things and averaged over time")
        if how is Aggregation.SUM and (metric.unit in _SHARES or self._profile(held).role is Role.PERCENT):
            raise _TurnedDown("percentages and shares are never added")
        if how is Aggregation.SUM and ({*words} & vocabulary().intensive or "per" in words or "/" in (metric.unit or "")):  # fmt: skip
            raise _TurnedDown("its name or its unit is that of a rate, and rates are never added")
        if how is Aggregation.MEAN and words & vocabulary().flows:
            raise _TurnedDown("its name says that it adds up")
        self._turn(metric, how)
        return (
            f"it holds numbers ({self._profile(held).role}), and neither name, unit nor values say otherwise"
        )

    def _turn(self, metric: Metric, how: Aggregation) -> None:
        """The plain words mean the new way of taking the numbers together; the way before keeps a name that says it."""
        bare = metric.label
        for start in _NAMED_BY_HOW:
            bare = bare.removeprefix(start)
        names = (metric.label, *metric.synonyms)
        plain = tuple(n for n in names if not n.startswith(_NAMED_BY_HOW))
        was, now = ("average", "total") if how is Aggregation.SUM else ("total", "average")
        label = bare if how is Aggregation.SUM else f"average {bare}"
        taken = {m.name for m in self.model.metrics}
        name = next(n for i in range(1, 99) if (n := slug(f"{now} {bare}") + (f"_{i}" if i > 1 else "")) not in taken)  # fmt: skip
        self._replace(
            metric,
            label=f"{was} {bare}",
            synonyms=_joined((f"{was} of {bare}",), (n for n in names if n.startswith(was))),
        )
        made = metric.model_copy(
            update={
                "name": name,
                "label": label,
                "aggregation": how,
                "synonyms": _joined(plain, (f"{now} {bare}",), without=label),
                "additivity": Additivity.ADDITIVE if how is Aggregation.SUM else Additivity.NON_ADDITIVE,
                "description": f"The {'sum' if how is Aggregation.SUM else 'mean'} of {bare}.",
            }
        )
        self.model = _with(self.model, metrics=(*self.model.metrics, made))

    # States

    def _state(self, said: SaidState) -> str:
        held = self._held(said.table, said.column)
        table = self._open(said.table)
        word = self._word(said.called, set())
        many = plural(self.model.table(table).label)
        name = slug(f"{word} {many}")
        if any(m.name == name for m in self.model.metrics):
            raise _TurnedDown(f"there is a metric {name} already")
        made = Metric(
            name=name,
            label=f"number of {word} {many}",
            table=table,
            aggregation=Aggregation.COUNT,
            where=(_condition(said, held),),
            synonyms=(f"{word} {many}", f"{many} {word}"),
            time_dimension=self.model.table(table).time_dimension,
            description=f"How many {many} there are whose {held.label} {_told(said)}.",
        )
        model = _with(self.model, metrics=(*self.model.metrics, made))
        try:
            found = Retriever.over(self._loaded.dataset, model).run(RetrievalQuery(metrics=(name,)))
        except GnomonError as e:
            raise _TurnedDown(f"it cannot be computed: {e.message}") from None
        count = int(found.rows[0][0]) if found.rows else 0
        rows = self.model.table(table).rows or 0
        if not 0 < count < rows:
            raise _TurnedDown(f"that holds for {'no row' if not count else 'every row'}")
        self.model = model
        return f"that holds for {count:,} of {rows:,} rows"

    # What the tables have

    def _open(self, said: str) -> str:
        """The table that was meant, where its name was seen."""
        table = self._meant(said, "table", [t.name for t in self.model.tables])
        if table in self._card.meant.values():
            raise _TurnedDown("the model was not shown the name")
        return table

    def _held(self, table: str, column: str) -> Dimension:
        place = self._place(table, column)
        if place[1] in self._card.meant.values():
            raise _TurnedDown("the model was not shown the name")
        return self.model.dimension(".".join(place))

    def _place(self, table: str, column: str) -> tuple[str, str]:
        found = self._meant(table, "table", list(self._card.columns))
        return found, self._meant(column, f"column in {found}", list(self._card.columns[found]))

    def _meant(self, said: str, what: str, known: Sequence[str]) -> str:
        plain = said.strip().removeprefix('"').removesuffix('"').replace('""', '"')
        name = self._card.meant.get(plain, plain)
        if name not in known:
            raise _TurnedDown(NotFound.among(what, _shown(plain), known).message.rstrip("."))
        return name

    def _profile(self, held: Dimension) -> ColumnProfile:
        columns = {(t.name, c.name): c for t in self._loaded.profile.tables for c in t.columns}
        return columns[held.home.table, held.home.column]

    def _measures(self, held: Dimension) -> list[Metric]:
        """The metrics that take the numbers of a column together, the latest, which has the plain words, first."""
        whole = quoted(held.home.column)
        return [
            m for m in reversed(self.model.metrics)
            if held.type is DimensionType.NUMBER and m.table == held.home.table and m.expression == whole
            and m.aggregation in _SUMS and not m.where
        ]  # fmt: skip

    # Names

    def _few(self, said: str, number: int, own: set[str]) -> str:
        if number >= MOST_SYNONYMS:
            raise _TurnedDown(f"{MOST_SYNONYMS} other words are the most")
        return self._word(said, own)

    def _word(self, said: str, own: set[str]) -> str:
        """What was said as a name, where it is one and nobody else's."""
        text = " ".join(said.split(" ")).strip().lower()
        if not _WORDS.fullmatch(text) or len(text) > MOST_LETTERS:
            raise _TurnedDown(f"a name is one to five words of letters, {MOST_LETTERS} letters at most")
        if neutral_name(text) != text:
            raise _TurnedDown("it reads like an instruction")
        words = name_words(text)
        if all(w in FILLERS or (w,) in operators() for w in words) or words in operators() or find_times(text, date(2024, 5, 15)):  # fmt: skip
            raise _TurnedDown("it is among the words that questions are built of")
        for owners, shown in self._taken()[tuple(stem(w) for w in words)]:
            if not owners & own:
                raise _TurnedDown(f"{shown} is called so")
        for match in self._index.find(list(words)):
            if match.score == 1 and (match.start, match.end) == (0, len(words)):
                raise _TurnedDown(f"it is a value of {match.dimension}")
        return text

    @cached_property
    def _index(self) -> ValueIndex:
        return ValueIndex.build(self._loaded.dataset, self.model)

    def _taken(self) -> dict[tuple[str, ...], list[tuple[set[str], str]]]:
        """Every name that something has, with the columns or tables that it belongs to."""
        found: dict[tuple[str, ...], list[tuple[set[str], str]]] = defaultdict(list)

        def add(owners: set[str], shown: str, names: Iterable[str]) -> None:
            for name in names:
                found[tuple(stem(w) for w in name_words(name))].append((owners, shown))

        for t in self.model.tables:
            add({t.name}, f"a row of {t.name}", (t.name, t.label, *t.synonyms))
        for d in self.model.dimensions:
            add({str(r) for r in d.locations}, f"the column {d.home}", (d.home.column, d.label, *d.synonyms))
        for m in self.model.metrics:
            add({_owner(m)}, f"the metric {m.name}", (m.name, m.label, *m.synonyms))
        return found

    def _own(self, table: str) -> set[str]:
        """A table's rows, and the one column that names each of them."""
        key = self.model.table(table).key
        return {table, f"{table}.{key[0]}"} if len(key) == 1 else {table}

    def _replace(self, entry: TableMeaning | Metric | Dimension, **told: object) -> None:
        """Tell an entry of the model otherwise."""
        section = {TableMeaning: "tables", Metric: "metrics", Dimension: "dimensions"}[type(entry)]
        held: tuple[TableMeaning | Metric | Dimension, ...] = getattr(self.model, section)
        changed = tuple(e.model_copy(update=told) if e.name == entry.name else e for e in held)
        self.model = _with(self.model, **{section: changed})


def _with(model: SemanticModel, **changed: object) -> SemanticModel:
    """The model with other entries; made anew, since a copy would remember the ones before."""
    return SemanticModel.model_validate(
        {**{f: getattr(model, f) for f in SemanticModel.model_fields}, **changed}
    )


def _counts_rows(metric: Metric) -> bool:
    return metric.aggregation is Aggregation.COUNT and metric.expression is None and not metric.where


def _owner(metric: Metric) -> str:
    """The table whose rows a metric counts, or the one column that it is of; else itself."""
    if metric.table is not None and _counts_rows(metric):
        return metric.table
    names = list(names_in(metric.expression)) if metric.expression and not metric.where else []
    return f"{metric.table}.{names[0]}" if len(names) == 1 else f"metric {metric.name}"


def _condition(said: SaidState, held: Dimension) -> Filter:
    """The condition on rows, where the column can have such a state."""
    field, condition = held.name, said.condition
    if condition in ("present", "missing"):
        if not held.nullable:
            raise _TurnedDown("the column is never missing")
        missing = condition == "missing"
        return Filter(field=field, operator=FilterOperator.IS_NULL if missing else FilterOperator.NOT_NULL)
    if condition in ("true", "false"):
        if held.type is not DimensionType.BOOLEAN:
            raise _TurnedDown(f"the column is no yes or no ({held.type})")
        return Filter(field=field, operator=FilterOperator.EQUALS, values=(condition == "true",))
    if said.value is None or not 0 <= said.value <= SMALL:
        raise _TurnedDown(f"a number from 0 to {SMALL} is wanted")
    if held.type is not DimensionType.NUMBER and not held.numeric:
        raise _TurnedDown(f"the column holds no numbers ({held.type})")
    return Filter(field=field, operator=FilterOperator.EQUALS, values=(said.value,))


def _told(said: SaidState) -> str:
    how = {"equals": f"equals {said.value}"}
    return how.get(said.condition, f"is {said.condition}")


def _joined(*parts: Iterable[str], without: str = "") -> tuple[str, ...]:
    return tuple(dict.fromkeys(p for part in parts for p in part if p != without))


def _shown(text: str) -> str:
    """What a model wrote, as a terminal can show it."""
    flat = visible(" ".join(text.split()))
    return flat if len(flat) <= MOST_LETTERS else f"{flat[:MOST_LETTERS]}…"
