"""Parts that are no conditions on rows: a time (“came in December”), or things and days that meet a bound."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind, Share
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Aggregation, DimensionType

_THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
_HAPPENING = frozenset(
    {"is", "are", "was", "were", "came", "come", "comes", "fell", "fall", "falls", "happened", "happens", "occurred"}
)  # fmt: skip


def share_along(draft: Draft, sentence: Sentence) -> None:
    """“the share of the north by year”, “is the share going up”: a share in every period, or what is not told so."""
    if draft.kind is not QuestionKind.SHARE:
        return
    if (
        draft.share != Share()
        or (draft.part and draft.dimensions)
        or any(f.having for f in (*draft.filters, *draft.part))
    ):
        steps = [x for _, x in sentence if x.time is not None and x.time.kind == "grain"]
        said = steps or [x for _, x in sentence if x.op(Op.UNIT, Op.CHANGE, Op.KIND) and not x.links]
        draft.unexplained += [x.text for x in said]
        return
    draft.share = Share(along=True)


def timed_part(draft: Draft, sentence: Sentence, names: Names) -> bool:
    """“what share of 2024 revenue came in December”: the time behind the verb makes the part, nothing else does."""
    at = sentence.find(Op.SHARE)[0]
    timed = [i for i, x in sentence if x.time is not None and x.time.kind in ("period", "recurring")]
    if not timed or timed[-1] < at or not draft.metrics or draft.comparison is not None:
        return False
    part, words = sentence[timed[-1]], sentence.words
    named = {
        p for x in sentence.items if x.links for p in range(x.start, x.end)
    }  # "orders were returned" is a name
    verbs = [
        p for p in range(sentence[at].end, part.start) if words[p].lower in _HAPPENING and p not in named
    ]
    if not verbs or not _only_leads(draft, sentence, verbs[-1], part.start, names):
        return False
    mention, earlier = part.time, [sentence[i].time for i in timed[:-1]]
    whole = next((t.period for t in earlier if t is not None and t.period is not None), None)
    assert mention is not None
    if mention.recurring is not None and (mention.period is None or whole is None):
        said = (str(mention.recurring.unit), mention.recurring.values)
        draft.share = Share(recurring=draft.recurring or said)
    elif mention.period is not None:
        draft.share = Share(days=mention.period)
    if mention.period is not None and whole is not None and not _is_within(mention.period, whole):
        draft.unexplained.append(
            part.text
        )  # who came in one year and in another too are no part of the first
    draft.time_range, draft.recurring = whole, None
    draft.other_periods, draft.kind = [], QuestionKind.SHARE
    draft.notes = [n for n in draft.notes if not n.startswith("the most recent")]
    return True


def _is_within(part: TimeRange, whole: TimeRange) -> bool:
    return whole.start <= part.start and part.end <= whole.end


def _only_leads(draft: Draft, sentence: Sentence, verb: int, until: int, names: Names) -> bool:
    """Whether nothing between a verb and a time says more than that it happened then."""
    for _, item in sentence:
        if not verb < item.start < until:
            continue
        measured = item.association is not None and not item.links
        tables = {names.model.metric(m).table for m in draft.metrics}
        measured = measured and any(m.table in tables for m in names.metrics(item))
        said = item.links or item.values or item.number or item.association or item.op(Op.NOT, Op.EXCLUDE)
        if said and not measured:
            return False
    return True


def bounded_things(draft: Draft, sentence: Sentence, conditions: Conditions, names: Names) -> None:
    """“what share of products sold more than 500”: what the share is of is counted, not what is bounded."""
    at = sentence.after(sentence.find(Op.SHARE)[0])
    thing = names.dimension(sentence[at], *_THINGS) if at is not None and sentence[at].links else None
    bound = any(n.subject == thing and n.metric is not None for n in conditions.numbers)
    if thing is not None and bound and any(f.having and f.by == thing.name for f in draft.filters):
        draft.metrics = [names.count_of_dimension(thing).name]
        draft.dimensions = [d for d in draft.dimensions if d != thing.name]


def bounded_periods(draft: Draft, sentence: Sentence, names: Names) -> bool:
    """“what fraction of days had more than 300 orders”: of all such periods, those that meet the bound."""
    at = sentence.after(sentence.find(Op.SHARE)[0])
    step = sentence[at].operator if at is not None and sentence[at].op(Op.UNIT) else None
    bounds = [f for f in draft.filters if f.having and f.by in set(TimeGranularity)]
    if step is None or len(bounds) != 1 or bounds[0].by != step.payload or len(bounds[0].values) != 1:
        return False
    bound, model = bounds[0], names.model
    table = next(iter(model.base_tables(model.metric(bound.field))), None)
    if table is None:
        return False
    rows = names.count_of_table(table).name
    part = f"{Aggregation.COUNT}({bound.field} per {bound.by} {bound.operator} {bound.values[0]})"
    draft.metrics = [part]
    draft.share = Share(whole=f"{Aggregation.COUNT}({rows} per {bound.by} >= 0)")
    draft.filters = [f for f in draft.filters if f is not bound]
    draft.grain, draft.kind, draft.time_dimension = None, QuestionKind.SHARE, None
    draft.notes = [n for n in draft.notes if "were counted by" not in n]
    for i in (at, *sentence.find(Op.SHARE)):
        if i is not None:
            sentence[i].used = True
    return True


def shared_rows(sentence: Sentence, names: Names) -> int | None:
    """“what percentage of orders”: where rows are shared out, which are counted, whatever happens to them."""
    behind = [sentence.after(i) for i in sentence.find(Op.SHARE)]
    return next(
        (j for j in behind if j is not None and sentence[j].links and names.countable(sentence[j])), None
    )
