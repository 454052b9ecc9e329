"""Currencies that are said where the data tells them apart: those rows are meant, or the currency is not there."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator
from gnomon.data.currencies import CODES, SYMBOLS
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Dimension, DimensionType
from gnomon.semantic.values import ValueIndex

CURRENCIES = {
    "dollar": "USD", "dollars": "USD", "bucks": "USD", "euro": "EUR", "euros": "EUR", "yen": "JPY", "rupees": "INR",
    "francs": "CHF", **{code.lower(): code for code in CODES}, **SYMBOLS,
}  # fmt: skip


def keep_currencies(draft: Draft, sentence: Sentence, names: Names, index: ValueIndex) -> None:
    """“3,000 euros”, “paid in GBP”: where a column says which currency, only rows of that one are meant."""
    first = min((x.start for x in sentence.items), default=0)
    spoken = [w for w in sentence.words[first:] if w.lower in CURRENCIES or w.text in CURRENCIES]
    columns = [d for d in names.model.dimensions if spoken and _tells_currency(d, index)]
    columns = [
        d for d in columns if all(names.model.reaches(names.model.metric(m), d) for m in draft.metrics)
    ]
    if not columns:
        return
    column = columns[0]
    held = {str(v).upper(): v for v in index.values(column.name)}
    bound = {
        *draft.dimensions,
        *(f.field for f in (*draft.filters, *draft.part)),
    }
    for word in spoken:
        code = CURRENCIES.get(word.lower) or CURRENCIES[word.text]
        if code not in held:
            draft.unexplained.append(word.text)
        elif column.name not in bound:
            wanted = Filter(field=column.name, operator=FilterOperator.EQUALS, values=(held[code],))
            draft.filters.append(wanted)
            bound.add(column.name)


def _tells_currency(dimension: Dimension, index: ValueIndex) -> bool:
    """Whether the values of a column are codes of currencies."""
    values = index.values(dimension.name) if dimension.type is DimensionType.CATEGORY else ()
    return len(values) > 1 and all(str(v).upper() in CODES for v in values)
