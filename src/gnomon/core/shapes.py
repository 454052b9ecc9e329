"""What the answer to a tree of the algebra looks like."""

from __future__ import annotations

from enum import StrEnum

from gnomon.core.algebra import Against, Along, Query, Study


def is_single(query: Query) -> bool:
    """Whether a result has one row, whatever the data holds."""
    if query.limit == 1:
        return not query.per
    inner = query.rows.query
    return not query.keys and (bool(query.measures) or (inner is not None and is_single(inner)))


class Shape(StrEnum):
    """What an answer looks like."""

    SCALAR = "scalar"
    RECORD = "record"
    TABLE = "table"
    SERIES = "series"
    PAIR = "pair"
    STUDY = "study"


def shape(ask: Query | Along | Against | Study) -> Shape:
    """What the answer to ``ask`` looks like, decided here and nowhere else."""
    if isinstance(ask, Study):
        return Shape.STUDY
    if isinstance(ask, Against):
        return Shape.PAIR
    query = ask.query if isinstance(ask, Along) else ask
    if any(k.grain for k in query.keys) and query.limit is None:
        return Shape.SERIES
    if query.keys or query.distinct:
        return Shape.TABLE if query.limit != 1 else Shape.RECORD
    if query.measures or (
        query.rows.query is not None and not query.rows.also and is_single(query.rows.query)
    ):
        return Shape.SCALAR
    return Shape.RECORD if query.limit == 1 else Shape.TABLE
