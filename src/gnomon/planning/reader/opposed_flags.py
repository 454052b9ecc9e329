"""Men and women by one flag: where a question names what a flag denies, the flag's own name is a value beside it."""

from __future__ import annotations

from dataclasses import replace

from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.stated_columns import flag_value
from gnomon.semantic import DimensionType
from gnomon.semantic.values import ValueIndex, ValueMatch


def oppose_flags(sentence: Sentence, names: Names, index: ValueIndex) -> None:
    """“the wage of men and of women”, of a column called female: 0 and 1, both as values of that column."""
    for i, item in sentence:
        flag = names.dimension(item, DimensionType.BOOLEAN) if item.links else None
        if flag is None or item.links[0].name != flag.name:
            continue
        if (beside := _value_beside(sentence, i, index)) is not None:
            item.values, item.links = (replace(beside, start=item.start, end=item.end),), ()
            for other in (
                x for x in sentence.items if any(v.dimension == beside.dimension for v in x.values)
            ):
                other.links = ()
            continue
        if item.values:
            continue
        yes = flag_value(index, flag, True)
        others = [v for j, x in sentence if j != i and not x.links for v in x.values[:1]]
        if any(v.dimension == flag.name and v.value != yes and v.kind == "exact" for v in others):
            item.values = (ValueMatch(item.start, item.end, flag.name, yes, 1.0, "exact"),)
            item.links = ()


def _value_beside(sentence: Sentence, i: int, index: ValueIndex) -> ValueMatch | None:
    """“a Porsche vs a Jaguar”, where a flag is called Porsche too: both are values of the column that holds the other."""
    said = [w.lower for w in sentence.words[sentence[i].start : sentence[i].end]]
    near = [x for j, x in sentence if abs(j - i) == 2 and x.values]
    set_apart = [x for x in near if not x.links or x.links[0].quality < 0.7]
    between = [sentence[(i + j) // 2] for j, x in sentence if x in set_apart]
    held = {v.dimension for x in set_apart for v in x.values if v.kind in ("exact", "stem")}
    own = [m for m in index.find(said) if m.dimension in held and m.kind in ("exact", "stem")]
    joined = all(
        x.op(Op.VERSUS, Op.AND, Op.COMPARE_NUMBER) or x.text.lower() in {"vs", "versus", "or", "than"}
        for x in between
    )
    return own[0] if len(own) == 1 and between and joined else None
