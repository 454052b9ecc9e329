"""The highest and the lowest as figures: “the lowest age by type”, “the highest pulse and the lowest age”.

Where no group and no row is asked for, a superlative before a column computes its end, as “minimum” and “maximum” do.
"""

from __future__ import annotations

from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.words import stem
from gnomon.semantic import Aggregation, DimensionType, Metric

_ENDS = {
    **dict.fromkeys(("highest", "largest", "biggest", "greatest"), Aggregation.MAX),
    **dict.fromkeys(("lowest", "smallest"), Aggregation.MIN),
}
# Behind these somebody or something has the end, and is ranked by it.
_HAVING = vocabulary("with has have had having by whose got gets that which who at in for from on of")
_ASKING = frozenset({"which", "who", "whose", "whom", "top", "bottom", "rank"})
_EACH = frozenset({"each", "every", "per", "by"})
_GRADED = vocabulary("higher lower larger greater smaller bigger more less")
_GROUPING = (Op.BY, Op.EACH, Op.PER)


def take_ends(sentence: Sentence, names: Names) -> None:
    """Make computations of such superlatives."""
    words = [w.lower for w in sentence.words]
    for i, item in sentence:
        graded = i > 0 and sentence[i - 1].op(Op.RANK) and sentence[i - 1].end == item.start
        if (
            graded and _measured(sentence, i, item, names) is not None
        ):  # "the month with the lowest largest gust"
            item.operator = Operator(Op.AGGREGATE, _ENDS[item.text.lower()])
    if {*words} & _ASKING or words[:1] == ["where"] or _asks_what(sentence, names):
        return
    found = [(i, m) for i, x in sentence if (m := _measured(sentence, i, x, names)) is not None]
    for i, metric in found:
        if len(found) > 1 or _is_joined(sentence, i + 1, names) or _is_of_each(sentence, i, metric):
            sentence[i].operator = Operator(Op.AGGREGATE, _ENDS[sentence[i].text.lower()])


def _measured(sentence: Sentence, i: int, item: Item, names: Names) -> Metric | None:
    """What a superlative stands right before: one value of a column of numbers."""
    noun = sentence[i + 1] if i + 1 < len(sentence) else None
    if item.text.lower() not in _ENDS or not item.op(Op.RANK) or item.links or noun is None:
        return None
    before = item.start - 1 - (item.start > 1 and sentence.words[item.start - 1].lower in {"the", "a"})
    if (before >= 0 and sentence.words[before].lower in _HAVING) or (
        i and sentence[i - 1].number is not None
    ):
        return None
    metric = names.measure(noun) if noun.start == item.end and noun.links else None
    column = names.column_of(metric) if metric is not None else None
    if (
        metric is None
        or column is None
        or column.type is not DimensionType.NUMBER
        or sentence.says_how(i + 1)
    ):
        return None
    plural = noun.text.lower().endswith("s") and not column.label.lower().endswith("s")
    whole = metric.aggregation in (Aggregation.MEAN, Aggregation.SUM)
    return metric if whole and not plural and not metric.where else None


def _asks_what(sentence: Sentence, names: Names) -> bool:
    """“what region has the highest price”: a thing is asked for."""
    for i in sentence.find(Op.WHICH):
        noun = sentence[i + 1] if i + 1 < len(sentence) else None
        asks = sentence[i].text.lower() != "where"  # which leads a condition inside of a question
        near = asks and noun is not None and noun.start == sentence[i].end
        if near and noun is not None and (noun.op(Op.UNIT) or names.dimension(noun) is not None):
            return True
    return False


def _is_joined(sentence: Sentence, noun: int, names: Names) -> bool:
    """“the highest pulse and the average age”: another figure beside it."""
    for i in sentence.find(Op.AND):
        following = sentence.after(i, (Op.OF, Op.FILLER, Op.AGGREGATE, Op.RANK))
        before = sentence[i - 1] if i else None
        if following is None or before is None:
            continue
        apart = names.measure(sentence[following]) if sentence[following].links else None
        if noun in (i - 1, following) and apart is not None and before.links and names.measure(before):
            return stem(sentence[following].text.lower()) != stem(before.text.lower())
    return False


def _is_of_each(sentence: Sentence, i: int, metric: Metric) -> bool:
    """“for each region”, “by type”: of every group its own; what adds up is ranked by, unless each is spoken of."""
    marks = [sentence[j] for j in sentence.find(*_GROUPING) if not sentence[j].links]
    behind = sentence.words[sentence[i + 1].end : sentence[i + 1].end + 1]
    if behind and behind[0].lower in _GRADED:
        return True  # "is the lowest price higher for A or B"
    if metric.aggregation is Aggregation.MEAN and metric.formula is None:
        return bool(marks) or sentence.has(Op.VARY) or bool(_EACH & {w.lower for w in sentence.words})
    return bool({"each", "every"} & {w.lower for w in sentence.words})
