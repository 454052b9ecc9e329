"""Places in an order: “rank the regions by margin”, “who is last”, “the newest product”, “when did it peak”."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from gnomon.core.parts import FilterOperator
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.kinds_as_nouns import name_kinds
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.lengths import unit_of_time
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric

_THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)
_GROUPABLE = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TEXT)
SORTING = frozenset({"rank", "sort", "order", "arrange"})
_SHOWING = frozenset({"list", "show", "give", "display", "return"})
_LEADING = frozenset({"you", "we", "i", "to", "please", "me", "and", "then", ",", "one"})
_STANDING = frozenset(
    {"is", "are", "was", "were", "comes", "come", "came", "ranks", "ranked", "stands", "dead"}
)
_ARTICLES = frozenset({"the", "our", "all", "my", "these"})


def ordering(sentence: Sentence, names: Names) -> int | None:
    """“rank the products by units”, “when you order regions by margin”: where it says what they are ordered by.

    The verb is taken out of the sentence, so that what else it may name is not read into it.
    """
    words = sentence.words
    sorting = SORTING | (_SHOWING if sentence.has(Op.ORDER) else frozenset())
    for k, word in enumerate(words[:-1]):
        if word.lower not in sorting or not (k == 0 or words[k - 1].lower in _LEADING):
            continue
        first = k + 2 if words[k + 1].lower in _ARTICLES else k + 1
        noun = next((j for j, x in sentence if x.start == first and names.dimension(x, *_GROUPABLE)), None)
        by = next((j for j in sentence.find(Op.BY) if noun is not None and j > noun), None)
        if by is None:
            continue
        for item in sentence.items:
            verb = (item.start, item.end) == (k, k + 1)
            if verb or (item.op(Op.WHEN) and item.end in (k - 1, k)):
                item.links, item.operator = (), Operator(Op.FILLER)
        return by
    return None


def sorted_by(sentence: Sentence, by: int, names: Names) -> Metric | None:
    """“rank the galleries by capacity”: the column of numbers that they are sorted by is no group of its own."""
    noun = sentence.after(by)
    item = sentence[noun] if noun is not None else None
    column = names.dimension(item, DimensionType.NUMBER) if item is not None and item.links else None
    measure = names.measure(item) if item is not None and column is not None else None
    if item is None or measure is None:
        return None
    item.used = True
    return measure


def extreme_of_each(draft: Draft, sentence: Sentence, at: int, names: Names) -> Dimension | None:
    """“the highest salary in each department”: the column whose extreme each group has, which ranks no groups."""
    each = [sentence.after(i) for i in sentence.find(Op.EACH, Op.PER)]
    grouped = [d for j in each if j is not None and (d := names.dimension(sentence[j])) is not None]
    if len(draft.metrics) != 1 or [d.name for d in grouped] != draft.dimensions or not draft.dimensions:
        return None
    noun = at + 1 if at + 1 < len(sentence) and sentence[at + 1].start == sentence[at].end else None
    metric = names.model.metric(draft.metrics[0])
    measured = noun is not None and sentence[noun].links and names.measure(sentence[noun]) == metric
    behind = sentence.words[sentence[at].end].lower if sentence[at].end < len(sentence.words) else ""
    measured = measured or (behind in {"time", "times"} and unit_of_time(metric.unit) is not None)
    said = sentence.has(Op.AGGREGATE) or (noun is not None and sentence.says_how(noun))
    averaged = metric.aggregation is Aggregation.MEAN and not said
    adjective = sentence[at].association
    extreme = sentence[at].op(Op.RANK) or (adjective is not None and adjective.superlative)
    return names.column_of(metric) if measured and averaged and extreme else None


def graded_rows(sentence: Sentence, at: int, names: Names) -> Metric | None:
    """“the best reviews”, “the worst exams”: rows are good by the one rating or score that each of them has."""
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    table = following.named(LinkKind.TABLE) if following is not None and not following.used else None
    if table is None or table.quality < 0.95 or sentence[at].text.lower() not in {"best", "worst"}:
        return None
    rated = [
        m for m in names.model.metrics
        if m.table == table.name and m.aggregation is Aggregation.MEAN and m.formula is None
        and _RATED & set(m.label.lower().split()[-1:])
    ]  # fmt: skip
    if len(rated) != 1 or following is None:
        return None
    following.used = True
    return rated[0]


_RATED = frozenset(
    {"rating", "ratings", "score", "scores", "stars", "grade", "grades", "marks", "satisfaction"}
)


def lead_with_named(draft: Draft, sentence: Sentence, at: int, names: Names) -> None:
    """“attendance at the show with the lowest price” ranks by price, whatever else is asked for."""
    behind = sentence[at + 1] if at + 1 < len(sentence) else None
    named = names.measure(behind) if behind is not None and behind.links else None
    beside = behind is not None and behind.start == sentence[at].end
    if named is not None and beside and named.name in draft.metrics:
        draft.metrics.remove(named.name)
        draft.metrics.insert(0, named.name)


def read_order(draft: Draft, sentence: Sentence) -> None:
    """“in ascending order”: from which end a table is to be read."""
    for i in sentence.find(Op.ORDER):
        said = sentence[i].operator
        draft.descending = bool(said.payload) if said is not None else draft.descending
        sentence[i].used = True


def read_topped(sentence: Sentence, names: Names) -> None:
    """“did revenue top 20,000”: behind a measure and before a number, the verb bounds and does not rank."""
    for i, item in sentence:
        behind = sentence[i + 1] if i + 1 < len(sentence) else None
        before = sentence[i - 1] if i else None
        if not item.op(Op.RANK) or item.text.lower() != "top" or before is None or behind is None:
            continue
        asked = any(w.lower in {"did", "does", "do"} for w in sentence.words[: item.start])
        measured = before.end == item.start and names.measure(before) is not None
        if asked and measured and behind.number is not None and behind.time is None:
            item.operator = Operator(Op.COMPARE_NUMBER, FilterOperator.GREATER)


def leads_the_order(sentence: Sentence, i: int) -> bool:
    """“lowest first”: the whole order is asked for, from that end."""
    following = sentence[i + 1] if i + 1 < len(sentence) else None
    if following is None or following.start != sentence[i].end or following.operator is None:
        return False
    first = following.op(Op.ORDINAL) and following.operator.payload == 1
    following.used = following.used or first
    return first


def place_of(sentence: Sentence, i: int, names: Names) -> int | None:
    """The place from the top that a word says something has: 1, 2 …; -1 for the last one.

    “who is last by revenue”, “comes second”, “in third place”, “when did it peak”.
    """
    item, words = sentence[i], sentence.words
    if item.used or item.operator is None or not item.start:
        return None
    noun = any(x.start == item.end and (x.links or x.time or x.op(Op.UNIT)) for x in sentence.items)
    if noun or not any(x.links and (names.measure(x) or names.count(x)) for x in sentence.items):
        return None
    before, behind = words[item.start - 1].lower, words[item.end].lower if item.end < len(words) else ""
    if item.op(Op.AGGREGATE) and item.text.lower() == "peak":
        asked = any(w.lower in {"did", "does", "do"} for w in words[: item.start])
        item.operator = Operator(Op.RANK, True) if asked else item.operator
        return 1 if asked else None
    last = item.op(Op.EDGE) and item.text.lower() == "last"
    stands = before in _STANDING or (before == "in" and behind in {"place", "position"})
    if not stands or not (last or item.op(Op.ORDINAL)):
        return None
    item.used = True
    return -1 if last else int(item.operator.payload)


def name_grades(sentence: Sentence, names: Names) -> None:
    """“record visitors”, “the slowest in revenue”: words that rank by the measure named right behind them."""
    name_kinds(sentence, names)
    for i, item in sentence:
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        if following is None or item.links or item.values:
            continue
        if item.op(Op.ROWS) and item.text.lower() == "record" and following.start == item.end:
            if names.measure(following) is not None:
                item.operator = Operator(Op.RANK, True)
        elif item.association is not None and item.association.superlative and following.op(Op.IN):
            at = sentence[i + 2] if i + 2 < len(sentence) and sentence[i + 2].links else None
            measured = names.measure(at) if at is not None else None
            if measured is not None and not names.metrics(item) and item.association.descending is not None:
                item.operator, item.association = Operator(Op.RANK, item.association.descending), None
                sentence.items.remove(following)
                return


def tell_distances(sentence: Sentence) -> None:
    """“how far is the longest trip”: what is asked for in distance is long or short in distance."""
    words = [w.lower for w in sentence.words]
    if ("how", "far") not in pairwise(words):
        return
    for item in sentence.items:
        said = item.association
        if said is not None and said.superlative and "distance" in said.nouns:
            item.association = replace(said, nouns=("distance", "dist", *said.nouns))


def dated(sentence: Sentence, i: int, names: Names) -> Metric | None:
    """“the newest product”, “which film was released last”: by which end of a date the things are ranked.

    Only things that have names; of others, the date itself is what “the latest” asks for.
    """
    item = sentence[i]
    first = item.op(Op.ORDINAL) and item.operator is not None and item.operator.payload == 1
    if (
        item.used
        or item.links
        or item.operator is None
        or not (item.op(Op.EDGE) or first)
        or sentence.has(Op.WHEN)
    ):
        return None
    how = Aggregation.MIN if first else Aggregation(item.operator.payload)
    told = next(
        (x for j in (i - 1, i + 1) if 0 <= j < len(sentence) and _done_on(x := sentence[j], names)), None
    )
    asked = sentence.has(Op.WHICH)
    noun = next((x for x in sentence.items if x is not told and x.links and _is_thing(x, names, asked)), None)
    behind = sentence[i + 1] if i + 1 < len(sentence) else None
    ending = behind is None or behind.op(Op.IN, Op.OF, Op.AND)
    table = rows_named(noun, names) if noun is not None else None
    if noun is None or table is None or not (told or (behind is noun and not first) or (asked and ending)):
        return None
    own = names.model.table(table).time_dimension
    column = _done_on(told, names) if told is not None else names.model.dimension(own) if own else None
    held = column.at(table) if column is not None else None
    if held is None:
        return None
    item.used = True
    if told is not None:
        told.used = True
    return names.model.metric(f"{how}({table}.{held})")


def rows_named(item: Item, names: Names) -> str | None:
    """The table whose rows a noun names, by its own name or by that of its key."""
    table = item.named(LinkKind.TABLE)
    if table is not None:
        return table.name if table.quality >= 0.85 else None
    key = names.dimension(item, DimensionType.ID)
    home = key.home if key is not None and item.links[0].quality >= 0.95 else None
    return home.table if home is not None and names.model.table(home.table).key == (home.column,) else None


def _done_on(item: Item, names: Names) -> Dimension | None:
    """The date of what a verb says: launched, where there is a launch date."""
    column = names.dimension(item, DimensionType.TIME) if item.links else None
    spoken = item.text.lower().endswith(("ed", "en", "t")) and item.named(LinkKind.TABLE) is None
    return column if spoken else None


def _is_thing(item: Item, names: Names, asked: bool) -> bool:
    """Whether a noun names the rows of a table that have a name beside their key, or that are asked for outright."""
    table = rows_named(item, names)
    if table is None or len(names.model.table(table).key) != 1:
        return False
    if asked:
        return True
    kinds = (DimensionType.TEXT, DimensionType.CATEGORY, DimensionType.ID)
    key = names.model.table(table).key[0]
    return names.model.dimension(f"{table}.{key}").type in kinds[:2] or any(
        d.type in kinds and d.home.table == table and d.home.column != key
        and d.label.split()[-1] in {"name", "title"}
        for d in names.model.dimensions
    )  # fmt: skip


def done_most_often(sentence: Sentence, i: int, names: Names) -> Metric | None:
    """“reviewed the most times”: what was done is counted, where its rows are told apart."""
    if not sentence[i].text.lower().endswith(("times", "often", "frequently")):
        return None
    asked = [j for w in sentence.find(Op.WHICH) if (j := sentence.after(w)) is not None]
    for j in (*range(i - 1, -1, -1), *range(i + 1, len(sentence))):
        item = sentence[j]
        if item.association is not None and not item.links and item.association.descending is None and j < i:
            done = next(iter(names.metrics(item)), None)
            counted = done if done is not None and is_count(done) else None
            item.used = counted is not None
            return counted  # "borrowed the most times": its loans; "sold most often" is told by how much was sold
        measure = names.measure(item) if item.links and not item.used else None
        if measure is not None and measure.table and item.links[0].quality < 0.85:
            amount = names.column_of(measure)
            if amount is None or amount.zeros or amount.nullable:
                return None  # "late most often", of minutes late that may be 0
            item.links = ()  # "absent most often", of days absent
            return names.count_of_table(measure.table)
        table = item.named(LinkKind.TABLE)
        others = any(k != j and x.links and names.dimension(x, *_THINGS) for k, x in sentence)
        if table is not None and table.quality >= 0.85 and j not in asked and not item.used and others:
            item.used = True
            return names.count_of_table(table.name)
    return None


def places_asked(sentence: Sentence, i: int) -> tuple[int | None, int | None]:
    """How many places the number beside a ranking word asks for, or which one: “top 3”, “second highest”."""
    for j in (i + 1, i - 1):
        if not 0 <= j < len(sentence):
            continue
        near = sentence[j]
        number = near.number if not near.time else None
        if (
            number is not None
            and not number.percent
            and number.value >= 1
            and float(number.value).is_integer()
        ):
            near.used = True
            return int(number.value), None
        if near.op(Op.ORDINAL) and j == i - 1 and near.operator is not None and near.operator.payload > 1:
            near.used = True
            return None, int(near.operator.payload)
    return None, None
