"""Running totals and moving averages, as questions say them."""

from __future__ import annotations

from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence


def read_running(draft: Draft, sentence: Sentence) -> None:
    """Running totals, and averages over a window that moves along."""
    if sentence.has(Op.CUMULATIVE):
        draft.parameters["cumulative"] = True
        draft.grain = draft.grain or TimeGranularity.DAY
    for i in sentence.find(Op.MOVING):
        near = [j for j in range(max(0, i - 3), i) if sentence[j].number is not None]
        units = [j for j in range(max(0, i - 3), i) if sentence[j].op(Op.UNIT)]
        if not near or not draft.metrics:
            continue
        number = sentence[near[-1]].number
        assert number is not None
        draft.parameters["moving_average"] = int(number.value)
        unit = sentence[units[-1]].operator if units else None
        draft.grain = draft.grain or TimeGranularity(unit.payload if unit is not None else "day")
        for j in (i, near[-1], *units[-1:]):
            sentence[j].used = True
