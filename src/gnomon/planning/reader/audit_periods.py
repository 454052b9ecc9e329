"""The audit of periods: each of them is told where each is asked for, and they are counted where their number is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.core.parts import QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation, DimensionType, Metric

if TYPE_CHECKING:
    from gnomon.planning.reader.borne import Borne

_K = QuestionKind
_A = Aggregation


def each_told(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“each line”: one figure for all of them does not answer it."""
    if (
        not item.op(Op.EACH)
        or item.links
        or item.text.lower() not in {"each", "every", "for each", "in each", "for every"}
    ):
        return True
    draft = borne.draft
    if sum(x.time is not None and x.time.kind == "period" for x in sentence.items) > 1:
        return True  # "in January and in February, each": told one by one
    split = (
        draft.dimensions or draft.grain or draft.limit_per or any(f.by for f in (*draft.filters, *draft.part))
    )
    return bool(split) or any(m.per or m.formula for m in borne.metrics)


def periods_counted(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“on how many days …” counts days, not what happened on them."""
    before = sentence.before(i, (Op.DISTINCT, Op.OF, Op.FILLER))
    if not item.op(Op.UNIT) or before is None or not sentence[before].op(Op.COUNT):
        return True
    if any(borne.link(link) for link in item.links):
        return True
    if any(m.per is not None and m.per not in {*TimeGranularity} for m in borne.metrics):
        return False  # "in how many weeks did each turbine …" counted turbines
    rows = bool(borne.metrics) and all(_counts_others(m, borne) for m in borne.metrics)
    told = borne.draft.grain is not None and borne.draft.kind is not _K.TREND
    return not rows or told or bool(borne.draft.dimensions) or _are_periods(borne)


def grain_told(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“trips per vessel per month”: one figure of all the months does not answer it."""
    grain = item.time.grain if item.time is not None and item.time.kind == "grain" else None
    draft = borne.draft
    if item.text.lower().split()[0] not in {"per", "by", "each", "every", "a"} or item.op(Op.UNIT):
        return True
    if grain is None or draft.grain is not None or draft.kind not in (_K.VALUE, _K.BREAKDOWN, _K.RANKING):
        return True
    parts = {
        *draft.dimensions,
        draft.beside or "",
        draft.brackets.column if draft.brackets is not None else "",
        *(m.per or "" for m in borne.bases + borne.metrics),
    }
    return any(grain.value in part.lower() for part in parts) or grain.value in borne.text.lower()


def extreme_placed(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“the longest stay, and in which ward was it”: where one value was is not what its group comes to."""
    if not item.op(Op.THOSE) or item.text.lower() not in {"it", "that", "this"} or item.links:
        return True
    which = [j for j in sentence.find(Op.WHICH) if j < i]
    joint = [j for j in sentence.find(Op.AND) if which and j < which[-1]]
    ranked = [
        x for x in sentence.items[: joint[-1] if joint else 0]
        if x.op(Op.RANK) or (x.association is not None and x.association.superlative)
    ]  # fmt: skip
    one = borne.draft.metrics[:1] and borne.draft.metrics[0].startswith(
        ("max(", "min(")
    )  # the row itself is told
    model = borne.names.model
    keys = [borne.names.at(t, model.table(t).key[0]) for t in borne.tables if len(model.table(t).key) == 1]
    row = any(d is not None and d.name in borne.draft.dimensions for d in keys)
    return not ranked or bool(one) or row or borne.draft.kind is not _K.RANKING


def steps_of_something(sentence: Sentence, dated: str | None) -> list[str]:
    """“cost per day of stay”: days of something are no days of the calendar, unless what they are of is known."""
    words, lost = sentence.words, list[str]()
    if dated is not None:
        return []  # "by weekday of report": the days of another date
    taken = {k for x in sentence.items for k in range(x.start, x.end)}
    for item in sentence.items:
        if item.time is None or item.time.kind != "grain" or item.end + 1 >= len(words):
            continue
        noun = words[item.end + 1]
        if words[item.end].lower == "of" and noun.kind == "word" and item.end + 1 not in taken:
            lost += [noun.text] if noun.lower not in {"the", "each", "every", "a", "this", "our"} else []
    return lost


def _counts_others(metric: Metric, borne: Borne) -> bool:
    """Whether a metric counts rows or different things, which are no periods."""
    column = borne.names.column_of(metric) if metric.aggregation is _A.COUNT_DISTINCT else None
    different = column is not None and column.type is not DimensionType.TIME
    return metric.per is None and (metric.aggregation is _A.COUNT or different)


def _are_periods(borne: Borne) -> bool:
    """Whether each row that is counted is a period itself."""
    tables = [borne.names.model.table(m.table) for m in borne.metrics if m.table is not None]
    times = [borne.names.model.dimension(t.time_dimension) if t.time_dimension else None for t in tables]
    return all(d is not None and t.key == (d.at(t.name),) for t, d in zip(tables, times, strict=True))
