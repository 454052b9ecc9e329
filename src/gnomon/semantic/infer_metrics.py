"""Metrics of single columns and of rows: sums of what adds up, means of rates, counts of things, shares of flags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from gnomon.data import ColumnProfile, DatasetProfile, Role, TableProfile
from gnomon.data.column_names import MONEY, MONEY_MAYBE, ends_like_category
from gnomon.embedding.lexicon import get_lexicon
from gnomon.semantic.infer_tables import is_countable
from gnomon.semantic.labels import (
    as_written,
    entity_of,
    full_entity,
    full_words,
    is_beginning,
    label_of,
    lower_words,
    others,
    slug,
    spelt_out,
    table_entity,
)
from gnomon.semantic.measures import (
    Measure,
    counted_as,
    flow_told,
    is_measure,
    is_numeric,
    is_snapshot,
    is_whole,
    lies_there,
    measure_of,
    names_stock,
)
from gnomon.semantic.model import (
    Additivity,
    Aggregation,
    Direction,
    Metric,
    TableMeaning,
    plural,
    quoted,
    singular,
)
from gnomon.semantic.per_table import once_per_table
from gnomon.semantic.sold_things import sold_thing
from gnomon.semantic.units import Measured, measured_names, quantities_of, unit_of
from gnomon.semantic.vocabulary import vocabulary

_OPERATIONS = frozenset({"total", "sum", "count", "average", "mean", "median", "number", "min", "max"})
_TWINS = {"annual": "yearly", "yearly": "annual"}
_SUMMARY = frozenset(["avg", "average", "mean", "median"])
_STORED = ("stock", "inventory", "stock on hand", "stock level", "quantity in stock", "units in stock")
# What statistics tell per so many inhabitants or per hundred, whatever the heading says.
_TOLD_AS_RATES = frozenset(
    {"murder", "homicide", "rape", "assault", "robbery", "burglary", "theft", "larceny", "crime", "arrest", "suicide",
     "birth", "death", "mortality", "fertility", "natality", "divorce", "marriage", "infection", "vaccination",
     "unemployment", "employment", "literacy", "illiteracy", "poverty", "inflation", "interest", "participation",
     "graduation", "pulse", "heart"}
)  # fmt: skip


_PRICES = frozenset({"price", "cost", "value", "fee", "fare", "rent"})
_MONEY_EACH = 20
_INCOME = frozenset({"revenue", "turnover", "income from sales", "takings"})


def table_metrics(
    table: TableProfile, meaning: TableMeaning, profile: DatasetProfile, entities: frozenset[str]
) -> list[Metric]:
    """The metrics of one table, most important first.

    Args:
        table: Its profile.
        meaning: What it is about.
        profile: All tables.
        entities: What the rows of the tables are, each counted by its own table.
    """
    found, named = [_rows(table, meaning)], measured_names(table)
    for column in table.columns:
        if is_measure(column) and column.distinct > 0:
            found.append(_measured(column, table, meaning, named[column.name]))
        elif column.role is Role.ID:
            found += _things(column, table, meaning, entities)
        elif column.role is Role.BOOLEAN and column.distinct > 0 and not ends_like_category(column.name):
            found += _flagged(column, meaning)
    return found


def direction_of(words: list[str]) -> Direction:
    """Which way is good, by general words; the last telling word decides.

    What is done with good things (units *scrapped*, orders *held*) decides first: where nothing is known of it, nothing
    is known of them.
    """
    known = vocabulary()
    if "price" in words or "prices" in words:
        return Direction.NEUTRAL  # good for one side, bad for the other
    if words[:1] in (["no"], ["not"]):
        return Direction.LOWER_IS_BETTER  # no shows, not delivered: what should have been was not
    for word in reversed(words):
        if word in known.lower_is_better:
            return Direction.LOWER_IS_BETTER
        if word in known.higher_is_better:
            return Direction.HIGHER_IS_BETTER
        if word.endswith("ed"):
            break
    return Direction.NEUTRAL


def _rows(table: TableProfile, meaning: TableMeaning) -> Metric:
    countable = is_countable(table, meaning.label)
    own = [c for c in table.columns if entity_of(c.name) == meaning.label and c.role is Role.ID]
    lines = bool(own) and all(_repeats(c, table) for c in own)
    many = plural(meaning.label) if countable else f"{meaning.label} rows"
    if lines:  # several rows for one such thing, which is counted by its identifier
        many, countable = f"{meaning.label} lines", False
    more = [many, f"count of {many}", f"{singular(many)} count", f"{meaning.label} records"]
    more += [plural(s) for s in meaning.synonyms] if countable else []
    return Metric(
        name=slug(many),
        label=f"number of {many}",
        table=table.name,
        aggregation=Aggregation.COUNT,
        synonyms=tuple(dict.fromkeys(more)),
        direction=direction_of(lower_words(many)),
        description=f"How many {many} there are.",
    )


def _repeats(column: ColumnProfile, table: TableProfile) -> bool:
    """Whether an identifier names several rows."""
    held = table.rows - column.nulls
    return column.role is Role.ID and column.distinct < (held if column.distinct_exact else 0.9 * held)


def _measured(column: ColumnProfile, table: TableProfile, meaning: TableMeaning, name: Measured) -> Metric:
    label, kind = spelt_out(name.label, meaning.label), measure_of(column, table)
    plain = _qualified(label, meaning)
    words, unit = lower_words(column.name), unit_of(column, name)
    if kind is Measure.RATE:
        summary = words[0] in _SUMMARY
        said = plain if summary else f"average {plain}"
        more = [label, plain, f"mean {plain}"] if not summary else [label]
        more += [*others(label), *([f"{label} rate"] if label.split()[-1] in _TOLD_AS_RATES else [])]
        how, additivity = Aggregation.MEAN, Additivity.NON_ADDITIVE
    else:
        thing = sold_thing(table)
        bare = thing is not None and thing.quantity is column and label == "sold"
        said = f"{plural(thing.name)} sold" if thing is not None and bare else plain
        total = () if "total" in words else (f"total {plain}",)
        more = [label, *total, *others(label), *_as_revenue(column, table, meaning)]
        more += _STORED if names_stock(column.name) and lies_there(column, table) else ()
        more += _done_to(label, column, table)
        if (counted := _thing_of_table(column, table)) is not None:
            more = [m for m in more if m not in _INCOME]
            more += [" ".join(lower_words(table.name)), f"{counted} {label}", plural(counted)]
            unit = plural(counted)
        how = Aggregation.SUM
        additivity = Additivity.SEMI_ADDITIVE if kind is Measure.LEVEL else Additivity.ADDITIVE
    whole = " ".join(full_words(label))
    more += [whole, *others(whole)] if whole != label.lower() else []
    more += (
        counted_as(column)
        + _plainer(label, column, table, name)
        + _of_things(column, table)
        + _by_unit(column, table)
    )
    if kind is Measure.RATE:
        more.append(f"average {label_of(column.name)}")
    if (told := flow_told(table)) is not None and told[0] is column:
        whole = plural(table_entity(table.name) or told[1])
        more += [
            told[1],
            whole,
            singular(told[1]),
            f"{singular(told[1])} {label}",
            f"{singular(whole)} {label}",
        ]
    more += [
        f"{_TWINS[first]} {rest}" for m in more for first, _, rest in [m.partition(" ")] if first in _TWINS
    ]
    return Metric(
        name=slug(said) if kind is Measure.RATE else slug(column.name),
        label=said,
        table=table.name,
        aggregation=how,
        expression=quoted(column.name),
        unit=unit,
        additivity=additivity,
        direction=direction_of(words),
        synonyms=tuple(dict.fromkeys(m for m in more if m != said and m not in _OPERATIONS)),
        description=_described(kind, plain),
    )


def _of_things(column: ColumnProfile, table: TableProfile) -> list[str]:
    """What is sold gives its name to how many were, and to what one costs."""
    thing = sold_thing(table)
    if thing is None:
        return []
    many = plural(thing.name)
    if column is thing.quantity:
        return [many, f"{many} sold", f"sold {many}", f"number of {many}", f"{thing.name} sales"]
    return [f"{thing.name} price", "price", f"average {thing.name} price"] if column is thing.price else []


def _thing_of_table(column: ColumnProfile, table: TableProfile) -> str | None:
    """What a column counts that is called as the second word of its table: homes, of ``sales`` in home_sales.

    Whole numbers that may be money count things only where far larger numbers stand beside them: the money itself.
    """
    own, called = lower_words(column.name), lower_words(table.name)
    if len(own) != 1 or len(called) != 2 or singular(called[1]) != singular(own[0]) or not is_whole(column):
        return None
    thing = singular(called[0])
    if not get_lexicon().knows(thing) or any(
        thing in map(singular, lower_words(c.name)) for c in table.columns
    ):
        return None
    if column.role is Role.MONEY or {*own} & (MONEY | MONEY_MAYBE):
        beside = [_middle(c) for c in table.columns if c is not column and is_measure(c)]
        if not any(m > _MONEY_EACH * max(1.0, _middle(column)) for m in beside):
            return None
    return thing


def _middle(column: ColumnProfile) -> float:
    return float((column.quantiles or {}).get("p50") or 0.0)


def _by_unit(column: ColumnProfile, table: TableProfile) -> list[str]:
    """What a column measures that is called by its unit alone, unless another column is called so."""
    used, own = _words_used(table), {*lower_words(column.name)}
    return [q for q in quantities_of(column.name) if used[last := q.split()[-1]] == (last in own)]


@once_per_table
def _words_used(table: TableProfile) -> Counter[str]:
    """How many columns of a table have a word in their names."""
    return Counter(w for c in table.columns for w in {*lower_words(c.name)})


@once_per_table
def _labels_used(table: TableProfile) -> Counter[str]:
    """How many columns of a table are called so."""
    return Counter(n.label.lower() for n in measured_names(table).values())


def _plainer(label: str, column: ColumnProfile, table: TableProfile, name: Measured) -> list[str]:
    """A column's name as written, and without the word for how it was summed up, where no other is called so."""
    first, _, rest = label.partition(" ")
    used, own = _labels_used(table), name.label.lower()

    def is_taken(called: str) -> bool:
        return used[called] > (called == own)

    bare = [rest] if first.lower() in {"total", *_SUMMARY} and rest and not is_taken(rest.lower()) else []
    bare += _without_amount(label, column, table, is_taken)
    each = label.lower().partition(" per ")[0]
    priced = each in _PRICES and any(_PRICES & {*lower_words(c)} for c in used if is_taken(c))
    bare += [each] if each != label.lower() and not is_taken(each) and not priced else []
    rest = label.removesuffix(" percentage")
    share = [f"percentage {rest}", f"{rest} percent", f"percent {rest}"] if rest != label else []
    share += [rest] if share and not is_taken(rest.lower()) else []
    return [
        name.label,
        label_of(column.name),
        as_written(column.name),
        *bare,
        *share,
        *(o for b in bare for o in others(b)),
    ]


def _without_amount(
    label: str, column: ColumnProfile, table: TableProfile, is_taken: Callable[[str], bool]
) -> list[str]:
    """A freight amount is the freight, and what it cost, unless something else is called freight."""
    rest, _, last = label.lower().rpartition(" ")
    if last not in {"amt", "amount"} or not rest or rest in _OPERATIONS or is_taken(rest):
        return []
    things = {entity_of(c.name) for c in table.columns if c.role is Role.ID} | {table_entity(table.name)}
    if singular(rest) in things:
        return []
    return [rest, f"{rest} cost", f"{rest} costs"] if column.role is Role.MONEY else [rest]


def _as_revenue(column: ColumnProfile, table: TableProfile, meaning: TableMeaning) -> tuple[str, ...]:
    """What was paid for sales is revenue where nothing else is called so."""
    phrases = vocabulary().phrases
    fits = column.role is Role.MONEY and set(full_words(column.name)) <= set(phrases["sale_amount"])
    if not fits:
        return ()
    rest = [c for c in table.columns if c is not column and is_measure(c)]
    called = any(set(full_words(c.name)) & set(phrases["revenue"]) for c in rest)
    gains = column.minimum is not None and float(column.minimum) >= 0
    if meaning.business_dimension == "sales" and gains and not called:
        return ("revenue", "sales", "turnover")
    if set(meaning.label.split()) & (MONEY | MONEY_MAYBE):
        # expenses are money before they are rows, and so are costs and spending; claims of expenses are rows
        spent = _spent(meaning.label)
        return (plural(spent), spent, *others(spent))
    return ()


def _spent(label: str) -> str:
    """What rows are in money: expenses, of expense claims."""
    *before, last = label.split()
    return before[-1] if before and last not in MONEY | MONEY_MAYBE and before[-1] in MONEY else label


def _done_to(label: str, column: ColumnProfile, table: TableProfile) -> list[str]:
    """“fines”, of a fine paid: what was done to it need not be said where no other column tells of it."""
    *noun, deed = label.split() or [""]
    others = {w for c in table.columns if c is not column for w in lower_words(c.name)}
    if not noun or others & {*noun} or not get_lexicon().is_participle(deed):
        return []
    return [" ".join(noun), plural(" ".join(noun))]


def _described(kind: Measure, label: str) -> str:
    if kind is Measure.FLOW:
        return f"The sum of {label}."
    if kind is Measure.LEVEL:
        return f"The {label} at a moment; over several days, the mean of the days' totals."
    return f"The mean of {label}; never summed."


def _qualified(label: str, meaning: TableMeaning) -> str:
    if label in vocabulary().generic_columns and meaning.label != "row":
        return f"{meaning.label} {label}"
    return label


def _things(
    column: ColumnProfile, table: TableProfile, meaning: TableMeaning, entities: frozenset[str]
) -> list[Metric]:
    """The number of different things that an identifier names, unless the rows themselves are those things."""
    entity = full_entity(entity_of(column.name), entities)
    key = not _repeats(column, table)
    twins = [c for c in table.columns if c is not column and c.role is Role.ID]
    if entity == meaning.label and any(entity_of(c.name) == entity and not _repeats(c, table) for c in twins):
        return []  # a lot's number within its auction, beside the one that tells all lots apart
    if entity and len(entity) < 3 and is_beginning(entity, meaning.label):
        return []  # a number of such things that recurs, such as that of a flight
    if entity is None or (key and (entity == meaning.label or meaning.label not in entities)):
        return []
    if key and column.nulls == 0:
        return []  # as many as rows, which have their own metric
    many = plural(entity)
    elsewhere = entity in entities and entity != meaning.label
    if elsewhere and (is_snapshot(table) or not is_countable(table, meaning.label)):
        return []
    label = f"number of {many} with {plural(meaning.label)}" if elsewhere else f"number of {many}"
    more = [f"different {many} with {plural(meaning.label)}"]
    if not elsewhere:
        more = [f"different {many}", f"distinct {many}", f"unique {many}"]
        more = [many, f"{entity} count", *(plural(o) for o in others(entity)), *more]
    return [
        Metric(
            name=slug(f"{many} with {plural(meaning.label)}" if elsewhere else many),
            label=label,
            table=table.name,
            aggregation=Aggregation.COUNT_DISTINCT,
            expression=quoted(column.name),
            additivity=Additivity.NON_ADDITIVE,
            direction=direction_of([many]),
            synonyms=tuple(dict.fromkeys(more)),
            description=f"How many different {many} occur.",
        )
    ]


def _many_of(said: str) -> tuple[str, ...]:
    """Those that a flag marks, where it is called by a noun: no shows, world premieres, smokers."""
    described = said.endswith(("ed", "en", "ive", "able", "ible", "al", "ous", "ful", "less", "ing", "s"))
    return () if described else (plural(said),)


def _flagged(column: ColumnProfile, meaning: TableMeaning) -> list[Metric]:
    """The share and the number of rows for which a flag is set."""
    said = re.sub(r"^(is|has|was) | (flag|indicator)$", "", label_of(column.name).lower())
    noun = vocabulary().nouns.get(said)
    rate = f"{noun or said} rate"
    many = plural(meaning.label)
    truth = (
        quoted(column.name)
        if column.type.upper() == "BOOLEAN" or is_numeric(column)
        else f"truth({quoted(column.name)})"
    )
    direction = direction_of(said.split())
    share = Metric(
        name=slug(rate),
        label=rate,
        table=meaning.name,
        aggregation=Aggregation.MEAN,
        expression=truth,
        unit="fraction",
        additivity=Additivity.NON_ADDITIVE,
        direction=direction,
        synonyms=tuple(
            s
            for s in dict.fromkeys(
                (f"{said} rate", f"share {said}", f"{said} share", f"share of {said} {many}", f"percent {said}",
                 f"percentage {said}", f"proportion {said}", *((f"{singular(noun)} share",) if noun else ()))
            )
            if s != rate
        ),
        description=f"The share of {many} that are {said}.",
    )  # fmt: skip
    count = Metric(
        name=slug(f"{said} {many}"),
        label=f"number of {said} {many}" if " " not in said else f"number of {many} with {said}",
        table=meaning.name,
        aggregation=Aggregation.SUM,
        expression=truth,
        direction=direction,
        synonyms=tuple(
            dict.fromkeys(
                (f"{said} {many}", f"{many} {said}", *_many_of(said), *((plural(noun),) if noun else ()))
            )
        ),
        description=f"How many {many} are {said}.",
    )
    return [share, count]
