"""The audit of what a question says about groups: each claim and each test needs its part in the request."""

from __future__ import annotations

from gnomon.core.request import FilterOperator, QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op

_K = QuestionKind
# Kinds whose answers tell how sure they are.
_JUDGED = (_K.DIFFERENCE, _K.CORRELATION, _K.DISTRIBUTION, _K.ANOMALY)


def bears_groups(item: Item, draft: Draft) -> bool:
    """Whether the draft does what a word about groups asks for; other words are judged elsewhere."""
    if item.links or item.values or item.operator is None:
        return True
    if item.op(Op.SIGNIFICANT):
        return draft.kind in _JUDGED or bool({"asks", "judged"} & draft.parameters.keys())
    if item.op(Op.TEST):
        return draft.kind in _JUDGED and "test" in draft.parameters
    if item.op(Op.EVEN):
        return "even" in draft.parameters
    if item.op(Op.REST):
        left = any(f.operator in (FilterOperator.NOT_EQUALS, FilterOperator.NOT_IN) for f in draft.filters)
        return left or "rest" in draft.parameters or draft.kind in (_K.RANKING, _K.DIFFERENCE)
    split = (
        "brackets" in draft.parameters
        or draft.dimensions
        or draft.grain is not None
        or draft.comparison is not None
    )
    return not item.op(Op.VARY) or bool(split) or draft.kind in (*_JUDGED, _K.TREND)
