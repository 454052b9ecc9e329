"""The audit of words that pass for something else: a count told in money, a group that a verb hides, worth told as a number."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from gnomon.core.parts import QuestionKind
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.borne import Borne, states_lost
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.naming import is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.present_rows import leaving_dates
from gnomon.planning.reader.relatedness import is_verb
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import name_words, split_words
from gnomon.semantic import Aggregation, DimensionType, Metric
from gnomon.semantic.money_units import is_money

_K = QuestionKind
_WORTH = frozenset({"value", "amount", "worth", "money"})
_GROUPING = (Op.BY, Op.EACH, Op.PER)
_THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
_COMPARED = (_K.LIST, _K.VALUE)


def passed_over(sentence: Sentence, borne: Borne) -> list[str]:
    """What was said and is told as something else."""
    draft, metrics = borne.draft, borne.metrics
    counted = bool(metrics) and all(is_count(m) for m in metrics)
    money = bool(metrics) and all(is_money(m.unit) for m in metrics)
    lost = [x.text for i, x in sentence if _is_hidden_group(i, x, sentence, draft)]
    lost += [x.text for _, x in sentence if _is_person_not_cause(x, draft)]
    lost += _counted_in_money(sentence) if money else []
    lost += _time_spent(draft.question, metrics) + _time_between(sentence, metrics)
    things = bool(metrics) and all(m.unit and not is_money(m.unit) for m in metrics)
    lost += _worth_counted(draft.question) if counted or things else []
    lost += [x.text for i, x in sentence if _is_all_they_do(i, x, sentence, draft, metrics)]
    lost += [x.text for i, x in sentence if _is_ranked_thing_lost(i, x, sentence, borne)]
    lost += _counted_by_itself(sentence, borne) + _longest_of_the_ended(sentence, borne)
    lost += _rows_for_what_they_hold(sentence, borne) + _days_for_things(sentence, borne)
    lost += states_lost(sentence, borne) + _amounts_for_occasions(sentence, borne)
    lost += _periods_uncounted(sentence, draft) + _nothing_compared(sentence, draft)
    lost += [] if any(map(is_count, metrics)) or not metrics else _how_often(draft.question)
    lost += _amounts_for_people(sentence, borne) + _over_some_rows(sentence, borne)
    rows = counted and all(m.aggregation is Aggregation.COUNT and m.label.endswith(" rows") for m in metrics)
    lost += [x.text for _, x in sentence if rows and x.op(Op.DISTINCT)]  # rows are no different people
    period = draft.comparison is not None and draft.comparison.kind == "period"
    if period and not metrics and draft.kind in _COMPARED:
        lost += [x.text for _, x in sentence if x.time is not None][:1]  # "which brands fell": by what?
    return lost


def _over_some_rows(sentence: Sentence, borne: Borne) -> list[str]:
    """“rent per paid invoice”: the condition is on what is divided by alone, and would be told of the rent as well."""
    lost: list[str] = []
    for i in sentence.find(Op.PER):
        behind = [j for j in range(i + 1, min(i + 4, len(sentence))) if sentence[j].named(LinkKind.TABLE)]
        between = sentence.items[i + 1 : behind[0]] if behind else ()
        told = borne.names.dimension(sentence[behind[0]]) if behind else None
        each = (
            told is not None and told.name in borne.draft.dimensions
        )  # "sales per northern shop" tells each of them
        if any(x.values for x in between) and not each:
            lost.append(sentence[i].text)
    return lost


def _is_hidden_group(i: int, item: Item, sentence: Sentence, draft: Draft) -> bool:
    """“by make”, where nothing was found that is called so: what follows is asked for, whatever verb it looks like."""
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    if not item.op(*_GROUPING) or item.used or item.links or following is None:
        return False
    verb = following.is_verb_only and following.start == item.end
    return verb and not draft.dimensions and draft.grain is None


def _is_person_not_cause(item: Item, draft: Draft) -> bool:
    """“drivers under 25”: people, where nothing asks what drove something."""
    return (
        item.op(Op.KIND)
        and not item.links
        and item.text.lower().startswith("driver")
        and draft.kind is not _K.CAUSE
    )


_ASKERS = frozenset(
    {"show", "list", "include", "including", "consider", "considering", "count", "counting", "use", "using", "take", "keep",
     "give", "look", "looking", "need", "want", "is", "are", "was", "were"}
)  # fmt: skip


def _is_all_they_do(i: int, item: Item, sentence: Sentence, draft: Draft, metrics: Sequence[Metric]) -> bool:
    """“who bought only books”: those who bought books may have bought more."""
    before = sentence.words[item.start - 1].lower if item.start else ""
    if not item.op(Op.ONLY) or before in _ASKERS or not (is_verb(before) or before in associations()):
        return False
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    things = any(m.aggregation is Aggregation.COUNT_DISTINCT for m in metrics)
    whole = draft.kind is _K.LIST or things
    return whole and following is not None and bool(following.values)


def _is_ranked_thing_lost(i: int, item: Item, sentence: Sentence, borne: Borne) -> bool:
    """“the member with the most visits per club”: members are ranked, and clubs alone do not tell one."""
    dimension = borne.names.dimension(item) if item.links else None
    behind = sentence.items[i + 1 : i + 3]
    having = (
        len(behind) > 1 and behind[0].op(Op.WITH) and behind[1].op(Op.RANK) and behind[0].start == item.end
    )
    if item.start and sentence.words[item.start - 1].lower == "whose":
        return False  # whose trips they are is told
    if dimension is None or not having or borne.draft.kind is not _K.RANKING or dimension.type not in _THINGS:
        return False
    held = {str(ref) for d in borne.columns for ref in borne.names.model.dimension(d).locations}
    return bool(borne.draft.dimensions) and not held & {str(ref) for ref in dimension.locations}


def _counted_by_itself(sentence: Sentence, borne: Borne) -> list[str]:
    """“by visits”: each visit is one visit, so that they are no groups to count visits in."""
    model = borne.names.model
    rows = [
        m
        for m in borne.metrics[:1]
        if m.aggregation is Aggregation.COUNT and m.expression is None and m.table
    ]
    keys = [borne.names.at(m.table or "", k) for m in rows for k in model.table(m.table or "").key[:1]]
    own = [d for d in keys if d is not None and d.name in borne.draft.dimensions]
    if not own or borne.draft.kind is not _K.RANKING:
        return []
    return [x.text for x in sentence.items if x.op(Op.RANK)][:1]


_ROWS = frozenset({"row", "rows", "record", "records", "entry", "entries", "line", "lines"})


def _rows_for_what_they_hold(sentence: Sentence, borne: Borne) -> list[str]:
    """“our total stock”, of a table of stock each day: its rows are no stock, and nor is what another table holds."""
    lost: list[str] = []
    measured = {t for m in borne.metrics for t in borne.names.model.base_tables(m)}
    for i, item in sentence:
        link = item.named(LinkKind.TABLE)
        if link is None or not borne.metrics:
            continue
        rows = borne.names.count_of_table(link.name)
        if not rows.label.endswith(" rows"):
            continue
        panel = borne.names.is_panel(borne.names.model.table(link.name)) and not _ROWS & {
            *name_words(item.text)
        }
        if panel and all(m.name == rows.name for m in borne.metrics):
            lost.append(item.text)  # "how many visits", of a row for each branch and day
        if item.text.lower().endswith("s") or _is_counted(i, sentence) or item.links[0] != link:
            continue
        ranked = i > 0 and sentence[i - 1].op(Op.RANK) and sentence[i - 1].end == item.start
        if all(m.name == rows.name for m in borne.metrics) or (ranked and link.name not in measured):
            lost.append(item.text)
    return lost


def _is_counted(i: int, sentence: Sentence) -> bool:
    return sentence.has(Op.COUNT, Op.ROWS)


_OCCASIONS = frozenset({"times", "occasions", "often", "frequently"})


def _amounts_for_occasions(sentence: Sentence, borne: Borne) -> list[str]:
    """“late most often”, of minutes late that may be 0: neither the rows nor the minutes tell how often that was."""
    if not _OCCASIONS & {w.lower for w in sentence.words}:
        return []
    names, filters = borne.names, [*borne.draft.filters, *(w for m in borne.metrics for w in m.where)]
    met = {f.field for f in filters if not f.having}
    lost: list[str] = []
    for _, item in sentence:
        links = item.links or names.vocabulary.named(item.text.lower())
        amounts = [d for x in links if x.kind is LinkKind.DIMENSION and (d := names.model.dimension(x.name))]
        amounts = [d for d in amounts if d.type is DimensionType.NUMBER]
        measured = all((x.kind is LinkKind.METRIC and not is_count(names.model.metric(x.name)))
                       or x.name in {d.name for d in amounts} for x in links)  # fmt: skip
        some = any(d.zeros or d.nullable for d in amounts) and not met & {d.name for d in amounts}
        if item.operator is None and amounts and measured and some:
            lost.append(item.text)
    return lost


def _amounts_for_people(sentence: Sentence, borne: Borne) -> list[str]:
    """“how many people trust the leadership”, of marks from 1 to 5: how many have a mark is not what it asks."""
    columns = [
        borne.names.column_of(m)
        for m in map(borne.names.model.metric, borne.draft.metrics)
        if m.expression and is_count(m)
    ]
    amounts = {d.name for d in columns if d is not None and d.type is DimensionType.NUMBER}
    ends = [sentence[i].end for i in sentence.find(Op.COUNT)]
    if not amounts or not ends:
        return []
    said = [x for x in sentence.items if any(k.name in amounts for k in x.links)]
    between = [{w.lower for w in sentence.words[ends[0] : x.start]} for x in said if x.start >= ends[0]]
    return (
        [said[0].text] if between and all(b - {"different", "distinct", "of", "the"} for b in between) else []
    )


_WHEN = frozenset({"when", "date", "dates", "day", "days", "time", "times", "month", "months", "year", "years", "week", "weeks"})  # fmt: skip


def _days_for_things(sentence: Sentence, borne: Borne) -> list[str]:
    """“what is our stock of bolts”, told as days: nothing asks when."""
    draft, model = borne.draft, borne.names.model
    named = [model.dimension(d) for d in draft.dimensions if not d.startswith("@")]
    days = bool(named) and all(d.type is DimensionType.TIME for d in named)
    if draft.kind is not _K.LIST or draft.metrics or not days or _WHEN & {w.lower for w in sentence.words}:
        return []
    return [
        x.text
        for _, x in sentence
        if any(link.name == named[0].name and link.quality < 0.7 for link in x.links)
    ][:1]


def _periods_uncounted(sentence: Sentence, draft: Draft) -> list[str]:
    """“in how many months did …”, told as a course by months: nobody asked for their figures."""
    if draft.grain is None or any(m.startswith("count(") for m in draft.metrics):
        return []
    for i in sentence.find(Op.COUNT):
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        if following is not None and following.op(Op.UNIT) and following.start == sentence[i].end:
            return [sentence[i].text]
    return []


def _how_often(question: str) -> list[str]:
    """“rated the most often”, told by the marks: how often is a number of times."""
    words = [w.lower for w in split_words(question)]
    return [
        f"{a} {b}" for a, b in pairwise(words) if a in {"most", "least"} and b in {"often", "frequently"}
    ][:1]


def _nothing_compared(sentence: Sentence, draft: Draft) -> list[str]:
    """“what share of them got better”: where nothing is held against anything, the word says what became of them."""
    if draft.comparison or draft.listed or draft.kind not in (_K.SHARE, _K.VALUE):
        return []
    return [w.text for w in sentence.words if w.lower in {"better", "worse"}][:1]


def _time_spent(question: str, metrics: Sequence[Metric]) -> list[str]:
    """“total time spent” is no money."""
    pairs = pairwise(w.lower for w in split_words(question))
    said = [f"{a} {b}" for a, b in pairs if b in {"spent", "spend"} and (a == "time" or unit_of_time(a))]
    timed = any(unit_of_time(m.unit) for m in metrics)
    return [] if timed else said[:1]


def _time_between(sentence: Sentence, metrics: Sequence[Metric]) -> list[str]:
    """“days between order and payment” are no money and no rows; between two days or numbers they only say when."""
    if any(unit_of_time(m.unit) for m in metrics):
        return []
    for i in sentence.find(Op.BETWEEN):
        item, following = sentence[i], sentence[i + 1] if i + 1 < len(sentence) else None
        before = sentence.words[item.start - 1] if item.start else None
        timed = before is not None and (before.lower == "time" or unit_of_time(before.lower) is not None)
        things = following is not None and following.time is None and following.number is None
        if any(x.links and x.end == item.start for _, x in sentence):
            continue  # "minutes between Amber and Birch": a column of two groups
        if before is not None and timed and things:
            return [f"{before.text} {item.text}"]
    return []


def _longest_of_the_ended(sentence: Sentence, borne: Borne) -> list[str]:
    """“the longest serving employee”, by spans that only those have who left: who is still there has served longer."""
    draft = borne.draft
    if draft.kind is not _K.RANKING or not draft.descending:
        return []
    spans = [m for m in borne.bases if unit_of_time(m.unit) and m.table is not None]
    ends = [
        d.name
        for m in spans
        for d in leaving_dates(m.table or "", borne.names)
        if d.home.column in (m.expression or "")
    ]
    if not ends or any(f.field in ends for f in draft.filters):
        return []
    return [
        x.text
        for _, x in sentence
        if x.op(Op.RANK) or (x.association is not None and x.association.superlative)
    ][:1]


def _counted_in_money(sentence: Sentence) -> list[str]:
    """“how many makes have …”: a sum of money is no number of them."""
    for i in sentence.find(Op.COUNT):
        item = sentence[i]
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        verb = following is not None and following.is_verb_only and following.start == item.end
        if item.text.lower() == "how many" and not item.links and verb:
            return [item.text]
    return []


def _worth_counted(question: str) -> list[str]:
    """“the most expenses by value”: a number of rows is not what they are worth."""
    words = [w.lower for w in split_words(question)]
    pairs = zip(words, words[1:], words[2:] + [""], strict=False)
    said = [f"{a} {b}" for a, b, c in pairs if a == "by" and b in _WORTH and c != "of"]
    dealt = [
        f"{a} {b}"
        for a, b in pairwise(words)
        if a == "total" and b.endswith("ed") and get_lexicon().is_participle(b)
    ]
    worth = [
        a for a, b in pairwise(words) if a in {"value", "worth"} and b == "of"
    ]  # "the value of the catch"
    return [*said, *dealt, *worth][:1]
