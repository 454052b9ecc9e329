"""A model whose rows get the name that a question gives them, where the data itself has none for them."""

from __future__ import annotations

from gnomon.semantic.labels import both_numbers, entity_of, lower_words, others
from gnomon.semantic.model import (
    Additivity,
    Aggregation,
    Dimension,
    DimensionType,
    Metric,
    SemanticModel,
    TableMeaning,
    plural,
    singular,
)
from gnomon.semantic.vocabulary import vocabulary


def called(model: SemanticModel, table: str, noun: str) -> SemanticModel:
    """``model`` with each row of ``table`` called ``noun``; names of metrics and dimensions stay as they are.

    A noun for what is paid, given or owed stands for the one amount of the rows too: expenses are money before
    they are rows.

    Args:
        model: The model as it was inferred.
        table: The table whose rows get the name.
        noun: In the singular.
    """
    amount = amount_of(model, table, noun) if singular(noun) in vocabulary().dealings else None
    return SemanticModel(
        tables=tuple(_table(t, noun) if t.name == table else t for t in model.tables),
        metrics=tuple(_metric(m, noun, amount) if m.table == table else m for m in model.metrics),
        dimensions=tuple(_key(d, model.table(table), noun) for d in model.dimensions),
        joins=model.joins,
    )


def amount_of(model: SemanticModel, table: str, noun: str = "") -> Metric | None:
    """The one amount that says what a row comes to, by a name that tells no more than that: amount, total.

    One that is called after the rows themselves comes first: the loan amount, beside what was paid in total.
    """
    plain = {*vocabulary().phrases["sale_amount"], "cost", "amt"}
    sums = [
        m
        for m in model.metrics
        if m.table == table and m.aggregation is Aggregation.SUM and m.additivity is Additivity.ADDITIVE
    ]
    words = [(m, set(lower_words((m.expression or "").strip("`")))) for m in sums]
    own = [m for m, said in words if noun in said and said - {noun} <= plain]
    found = own if len(own) == 1 else [m for m, said in words if said <= plain]
    return found[0] if len(found) == 1 else None


def _table(meaning: TableMeaning, noun: str) -> TableMeaning:
    more = (*meaning.synonyms, meaning.label, *both_numbers(noun))
    return meaning.model_copy(update={"label": noun, "synonyms": tuple(dict.fromkeys(more))})


def _metric(metric: Metric, noun: str, amount: Metric | None) -> Metric:
    many = plural(noun)
    if metric.aggregation is Aggregation.COUNT and metric.expression is None:
        said = [f"count of {many}", f"{noun} count", f"{noun} records", *([many] if amount is None else [])]
        update = {"label": f"number of {many}", "synonyms": _joined(metric.synonyms, said)}
        return metric.model_copy(update=update)
    own = [metric.label, *metric.synonyms]
    said = [f"{noun} {n}" for n in own if n in vocabulary().generic_columns]
    if amount is not None and metric.name == amount.name:
        said += [many, noun, *others(noun)]
    return metric.model_copy(update={"synonyms": _joined(metric.synonyms, said)}) if said else metric


def _key(dimension: Dimension, table: TableMeaning, noun: str) -> Dimension:
    """The column that tells rows apart and names no thing itself is told by their name."""
    column = dimension.at(table.name)
    if dimension.type is not DimensionType.ID or table.key != (column,) or entity_of(column or ""):
        return dimension
    said = (dimension.label, f"{noun} id", f"{noun} number", *both_numbers(noun))
    return dimension.model_copy(update={"label": noun, "synonyms": _joined(dimension.synonyms, said)})


def _joined(synonyms: tuple[str, ...], more: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*synonyms, *more)))
