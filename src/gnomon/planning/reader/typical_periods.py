"""What happens on an average Saturday, in a typical month: the mean of totals over such periods."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.ratios import adds_up
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation

_MIDDLES = (Aggregation.MEAN, Aggregation.MEDIAN)
_GRAINS = {"weekday": TimeGranularity.DAY, "month": TimeGranularity.MONTH, "quarter": TimeGranularity.QUARTER}


@dataclass(frozen=True)
class Typical:
    """How totals of periods are brought to one figure, and how long the periods are."""

    how: Aggregation
    grain: TimeGranularity

    def of(self, reference: str, names: Names) -> str:
        """The metric over the totals of periods; what does not add up stays as it is."""
        metric = names.model.metric(reference)
        return (
            names.per(metric, self.how, self.grain) if adds_up(metric) and metric.inner is None else reference
        )


def find_typical(sentence: Sentence) -> Typical | None:
    """“on an average Saturday”, “in a typical month”, “which weekday … on average”; its words are marked used."""
    for i in sentence.find(Op.AGGREGATE):
        item = sentence[i]
        how = item.operator.payload if item.operator is not None else None
        if item.links or how is None or how not in _MIDDLES:
            continue
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        beside = following is not None and following.start == item.end
        grain = _grain(following) if beside and following is not None else None
        if grain is None and item.text.lower() in {"on average", "typically"} and not beside:
            grain = TimeGranularity.DAY if sentence.has(Op.RANK) and _weekdays(sentence) else None
        if grain is not None:
            item.used = True
            if beside and following is not None and following.time is None:
                following.used, following.links, following.operator = True, (), None
            return Typical(how, grain)
    return None


def _grain(item: Item) -> TimeGranularity | None:
    """The length of the period that a noun behind “average” names."""
    mention = item.time
    if mention is not None and mention.kind == "recurring" and mention.recurring is not None:
        alone = not item.text.lower().startswith("weekend")  # two days of one week are no day
        return _GRAINS.get(mention.recurring.unit) if alone else None
    unit = str(item.operator.payload) if item.op(Op.UNIT) and item.operator is not None else ""
    plain = unit in set(TimeGranularity) and item.text.lower() == unit and mention is None
    return TimeGranularity(unit) if plain else None


def _weekdays(sentence: Sentence) -> bool:
    """Whether days of the week are what is asked for."""
    units = (x.operator.payload for _, x in sentence if x.op(Op.UNIT) and x.operator is not None)
    parts = (x.time.recurring for _, x in sentence if x.time is not None and x.time.kind == "grain")
    return "@weekday" in units or any(p is not None and p.unit == "weekday" for p in parts)
