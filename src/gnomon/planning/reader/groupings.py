"""How something lies over groups: “distribution of … across …”, “… vary between …”, “breakdown of …”.

Words such as “across all” or “between” mean a condition or a pair elsewhere; where a question asks how something
lies over groups, what follows them groups.
"""

from __future__ import annotations

from dataclasses import replace

from gnomon.core.parts import QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.brackets import find_brackets
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType

_GROUPABLE = (DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.ID, DimensionType.TEXT)
_TOGETHER = frozenset({"together", "combined", "overall", "altogether", "pooled", "whole"})
MAJORITY = "majority"
_GROUPING = (Op.BY, Op.EACH, Op.PER)
_SKIPPED = (Op.OF, Op.FILLER, Op.DISTINCT)
_DETERMINERS = frozenset({"all", "different", "various", "each", "every", "both", "distinct", "several"})


def name_groups(sentence: Sentence, names: Names) -> None:
    """“by cause”, where there is a claim cause: behind a grouping word stands a name, not a kind of question."""
    for i in reversed(sentence.find(*_GROUPING)):
        end = sentence[i].end
        following = next((x for x in sentence.items if x.start <= end < x.end), None)
        spoken = sentence.words[end].text if end < len(sentence.words) else ""
        said = following is None or (not following.links and following.op(Op.KIND, Op.CHANGE, Op.ROWS))
        said = said or (following is not None and following.is_verb_only and following.start == end)
        if sentence[i].links or not said:
            continue
        parts = [x for x in names.vocabulary.part(spoken) if x.kind is LinkKind.DIMENSION]
        groups = [x for x in parts if names.model.dimension(x.name).type in _GROUPABLE]
        if len(groups) != 1:
            continue
        meant = (replace(groups[0], quality=0.9),)
        if following is None:  # "each line", of production lines: a word that else says nothing
            sentence.items.insert(i + 1, Item(end, end + 1, links=meant, text=spoken))
        else:
            following.links, following.operator, following.association = meant, None, None


def says_apart(sentence: Sentence) -> bool:
    """Whether a sentence asks how something lies over groups."""
    spread = any(_is_kind(item, QuestionKind.DISTRIBUTION) for _, item in sentence)
    claims = sentence.has(Op.VARY, Op.EVEN)
    tested = sentence.has(Op.SIGNIFICANT, Op.TEST) and sentence.has(Op.VERSUS, Op.CHANGE, Op.TEST)
    return spread or claims or tested


def lay_over(sentence: Sentence, names: Names) -> None:
    """Make grouping words of those behind which the groups stand over which something lies."""
    find_brackets(sentence, names)
    _most_of(sentence)
    _break_down(sentence, names)
    _pool(sentence, names)
    for i, item in sentence:
        if _is_change(i, item, sentence, names):
            item.operator = Operator(Op.VARY)
        elif _is_raised(i, item, sentence):
            item.operator = Operator(Op.FILLER)
    if not says_apart(sentence):
        _over_rows(sentence, names)
        return
    _set_against(sentence)
    for i, item in sentence:
        if item.links or item.values or not _may_lead(item) or _pools(i, sentence):
            continue
        j = sentence.after(i, _SKIPPED)
        answered = item.text.lower() == "to" and i > 0 and bool(sentence[i - 1].links)  # "answers to …"
        if j is not None and is_group(j, sentence, names, near=answered or _follows_verb(i, sentence)):
            item.operator = Operator(Op.BY)
            for between in sentence.items[i + 1 : j]:
                between.operator = Operator(Op.FILLER)  # "across different offices"


def _pool(sentence: Sentence, names: Names) -> None:
    """“which year had the highest sales across all cities”: what is ranked is the year, over all of them."""
    asked = [
        i
        for i in sentence.find(Op.WHICH)
        if i + 1 < len(sentence)
        and (sentence[i + 1].op(Op.UNIT) or (sentence[i + 1].links and names.dimension(sentence[i + 1])))
    ]
    for i, item in sentence if asked and not says_apart(sentence) else ():
        if not item.links or i - 1 in asked or not is_pooled(sentence, i):
            continue
        dimension = names.dimension(item)
        if dimension is not None and dimension.type in _GROUPABLE:
            item.links, item.operator = (), Operator(Op.FILLER)
            for between in sentence.items[max(0, i - 2) : i]:
                if between.text.lower().split()[0] in {"across", "over", "all"} and not between.links:
                    between.operator = Operator(Op.FILLER)


def count_days_once(draft: Draft, names: Names) -> None:
    """“which city has the most days with …”: what is counted in each group is no further group."""
    different = [
        m for m in map(names.model.metric, draft.metrics) if m.aggregation is Aggregation.COUNT_DISTINCT
    ]
    columns = [names.column_of(m) for m in different]
    counted = any(c is not None and c.type is DimensionType.TIME for c in columns)
    if counted and draft.dimensions and draft.grain is TimeGranularity.DAY:
        draft.grain = None


def _over_rows(sentence: Sentence, names: Names) -> None:
    """“average discount across orders”: of all of them, where the discount is one of an order."""
    measured = {m.table for x in sentence.items if x.links and (m := names.measure(x)) is not None}
    for i in sentence.find(Op.EACH):
        rows = sentence[i + 1].named(LinkKind.TABLE) if i + 1 < len(sentence) else None
        if sentence[i].text.lower() == "across" and rows is not None and {rows.name} == measured:
            sentence[i].operator = Operator(Op.OF)


def _is_raised(i: int, item: Item, sentence: Sentence) -> bool:
    """“which farms grow oats”: what is grown stands right behind, and nothing became more."""
    behind = sentence[i + 1] if i + 1 < len(sentence) else None
    grown = item.op(Op.CHANGE) and item.text.lower() in {"grow", "grows", "grew", "raise", "raises", "raised"}
    return (
        grown and behind is not None and behind.start == item.end and bool(behind.values) and not behind.links
    )


def _set_against(sentence: Sentence) -> None:
    """“significantly different from …” sets two against each other and tells no things apart."""
    tested = sentence.has(Op.SIGNIFICANT, Op.TEST)
    for i in sentence.find(Op.DISTINCT) if tested else ():
        following = sentence.words[sentence[i].end].lower if sentence[i].end < len(sentence.words) else ""
        if sentence[i].text.lower() == "different" and following in {"from", "than", "to", "between"}:
            sentence[i].operator = Operator(Op.VERSUS)


def is_group(j: int, sentence: Sentence, names: Names, *, near: bool) -> bool:
    """Whether a noun names groups, all of them: a plural, or one behind “different” and the like."""
    item = sentence[j]
    if item.op(Op.UNIT) and not item.links:
        opposed = any(w.lower in {"weekend", "weekends"} for w in sentence.words)
        return (item.text.lower().endswith("s") or near) and not opposed
    dimension = names.dimension(item) if item.links else None
    if dimension is None or dimension.type not in _GROUPABLE:
        return False
    if item.links[0].quality < 0.62 or (item.values and item.values[0].kind == "exact"):
        return False
    before = {w.lower for w in sentence.words[max(0, item.start - 2) : item.start]}
    return near or bool(before & _DETERMINERS) or name_words(item.text)[-1].endswith("s")


def _is_kind(item: Item, kind: QuestionKind) -> bool:
    return item.op(Op.KIND) and item.operator is not None and item.operator.payload is kind and not item.links


def _may_lead(item: Item) -> bool:
    """Words that stand before groups, whatever they do elsewhere."""
    over = item.op(Op.COMPARE_NUMBER) and item.text.lower() == "over"
    over = over or (item.op(Op.VERSUS) and item.text.lower().endswith((" between", " among", " across")))
    return over or item.op(Op.IN, Op.BETWEEN, Op.WITH, Op.EACH)


def is_pooled(sentence: Sentence, i: int) -> bool:
    """“all channels taken together”, “across all regions”, “regardless of brand”: one figure for all of them."""
    words = [w.lower for w in sentence.words]
    start, end = sentence[i].start, sentence[i].end
    before = [w for w in words[max(0, start - 4) : start] if w not in {"the", "our", "of", "any"}]
    if before[-1:] in (["regardless"], ["irrespective"]) or before[-2:] in (
        ["no", "matter"],
        ["matter", "which"],
    ):
        return True
    if "all" not in before[-1:] and "combined" not in before[-1:]:
        return False
    apart = sentence.has(Op.VERSUS, Op.CHANGE) or {"vary", "varies", "differ"} & set(words)
    spread = before[-2:-1] in (["across"], ["over"]) and not apart
    return spread or bool(_TOGETHER & {*words[end : end + 4], *before[-1:]})


def _pools(i: int, sentence: Sentence) -> bool:
    """“by category across all departments”: behind other groups, all of them together."""
    return sentence[i].text.lower().endswith(" all") and any(
        x.op(*_GROUPING) and not x.links for x in sentence.items[:i]
    )


def _follows_verb(i: int, sentence: Sentence) -> bool:
    """“vary with priority”: right behind the verb even one noun groups."""
    before = sentence[i - 1] if i else None
    return before is not None and before.op(Op.VARY, Op.EVEN) and before.end == sentence[i].start


def _is_change(i: int, item: Item, sentence: Sentence, names: Names) -> bool:
    """“does the cost change across categories”: right before groups it means to differ, not to grow."""
    if not item.op(Op.CHANGE) or item.links or item.text.lower() not in {"change", "changes"}:
        return False
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    if following is None or following.start != item.end or not (_may_lead(following) or following.op(Op.BY)):
        return False
    timed = any(x.time is not None or x.op(Op.UNIT) for _, x in sentence)
    j = sentence.after(i + 1, _SKIPPED)
    return not timed and j is not None and is_group(j, sentence, names, near=following.op(Op.BY))


_ASKING = frozenset({"is", "are", "was", "were", "do", "does", "did", "have", "has"})


def _most_of(sentence: Sentence) -> None:
    """“are most of the orders late”, “do the majority of …”: whether a part is more than half."""
    words = [w.lower for w in sentence.words]
    for i, item in sentence:
        most = item.op(Op.RANK) and item.text.lower() in {"most", "the most"}
        if not most or words[item.end : item.end + 1] != ["of"] or item.links:
            continue
        if words[0] in _ASKING:
            item.operator = Operator(Op.SHARE, MAJORITY)
        elif i + 1 < len(sentence) and sentence[i + 1].op(Op.OF):
            del sentence.items[i + 1]  # "who took most of the orders" took the most orders
        return


def _break_down(sentence: Sentence, names: Names) -> None:
    """“breakdown of tickets by site”: what is broken down stands behind “of”, the groups behind the next word."""
    for i, item in sentence:
        if not item.op(Op.BY) or item.links or item.text.lower() not in {"breakdown", "split"}:
            continue
        following = sentence.words[item.end].lower if item.end < len(sentence.words) else ""
        more = any(x.op(*_GROUPING, Op.IN) and not x.links for x in sentence.items[i + 1 :])
        j = sentence.after(i, _SKIPPED)
        counted = j is not None and _category(sentence[j], names) is not None
        if following == "of" and (more or counted):
            item.operator = Operator(Op.KIND, QuestionKind.DISTRIBUTION)


def _category(item: Item, names: Names) -> Dimension | None:
    """The category that a noun names, where it names no measure as well."""
    dimension = names.dimension(item) if item.links and not item.used else None
    named = dimension is not None and item.links[0].name == dimension.name
    kinds = (DimensionType.CATEGORY, DimensionType.BOOLEAN)
    return dimension if named and dimension is not None and dimension.type in kinds else None


def count_categories(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“distribution of priorities”: how many rows each of them has; “… across sites” splits that again."""
    if draft.metrics or draft.grain is not None:
        return
    for i, item in sentence:
        if not _is_kind(item, QuestionKind.DISTRIBUTION):
            continue
        beside = [i - 1] if i and sentence[i - 1].end == item.start else []  # "the gender distribution"
        for j in [*beside, *range(i + 1, len(sentence))]:
            between = sentence[j]
            if between.op(*_GROUPING, Op.IN, Op.WITH, Op.THAT) and not between.links:
                break
            dimension = _category(between, names)
            if dimension is None:
                continue
            if dimension.name not in draft.dimensions:
                draft.dimensions.insert(0, dimension.name)
            between.used = item.used = True
        if item.used and draft.dimensions:
            draft.add_metric(names.count_of_table(_told_in(draft, names)).name)
            return


def _told_in(draft: Draft, names: Names) -> str:
    """The table whose rows are counted: the one that the conditions and groups lie in, or that refers to theirs."""
    model = names.model
    fields = [*draft.dimensions, *(f.field for f in draft.filters if not f.having)]
    found = [model.dimension(f) for f in fields if not f.startswith("@")]
    for d in found:
        count = names.count_of_table(d.home.table)
        if all(model.reaches(count, other) for other in found) and model.table(d.home.table).time_dimension:
            return d.home.table
    home = found[0].home.table
    rows = model.table(home).rows or 0
    users = {j.table for j in model.joins if j.to_table == home and (model.table(j.table).rows or 0) > rows}
    return users.pop() if len(users) == 1 else home


def add_averages(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“how do amounts vary across departments”: totals tell how much there is, averages how the rows differ."""
    if not sentence.has(Op.VARY) or not draft.dimensions or draft.grain is not None:
        return
    model = names.model
    averaged = {
        _column_of(m, names) for m in draft.metrics if model.metric(m).aggregation is Aggregation.MEAN
    }
    draft.metrics = [
        m
        for m in draft.metrics
        if model.metric(m).aggregation is not Aggregation.SUM or _column_of(m, names) not in averaged
    ]  # "cost patterns in terms of average cost" speaks of one measure
    said = sentence.has(Op.AGGREGATE, Op.COUNT) or "total" in {w.lower for w in sentence.words}
    if said or len(draft.metrics) != 1:
        return
    metric = model.metric(draft.metrics[0])
    column = _column_of(draft.metrics[0], names)
    totals = metric.aggregation is Aggregation.SUM and metric.additivity is Additivity.ADDITIVE
    if totals and column is not None and not metric.where:
        draft.beside = f"{Aggregation.MEAN}({column})"


def tell_each(draft: Draft, sentence: Sentence) -> None:
    """A distribution over groups is told by each of them, as long as they are few."""
    spread = any(_is_kind(item, QuestionKind.DISTRIBUTION) for _, item in sentence)
    plain = draft.kind is QuestionKind.BREAKDOWN and len(draft.dimensions) == 1 and draft.grain is None
    if plain and (spread or sentence.has(Op.VARY)):
        draft.each = True


def _column_of(reference: str, names: Names) -> str | None:
    """The column that a metric adds up or averages, where it is one."""
    metric = names.model.metric(reference)
    column = (metric.expression or "").strip("`")
    if metric.table is None or metric.formula is not None or metric.inner is not None:
        return None
    held = any(d.at(metric.table) == column for d in names.model.dimensions)
    return f"{metric.table}.{column}" if held else None
