"""Men and women by one flag: where a question names what a flag denies, the flag's own name is a value beside it."""

from __future__ import annotations

from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.stated_columns import flag_value
from gnomon.semantic import DimensionType
from gnomon.semantic.values import ValueIndex, ValueMatch


def oppose_flags(sentence: Sentence, names: Names, index: ValueIndex) -> None:
    """“the wage of men and of women”, of a column called female: 0 and 1, both as values of that column."""
    for i, item in sentence:
        flag = names.dimension(item, DimensionType.BOOLEAN) if item.links and not item.values else None
        if flag is None or item.links[0].name != flag.name:
            continue
        yes = flag_value(index, flag, True)
        others = [v for j, x in sentence if j != i and not x.links for v in x.values[:1]]
        if any(v.dimension == flag.name and v.value != yes and v.kind == "exact" for v in others):
            item.values = (ValueMatch(item.start, item.end, flag.name, yes, 1.0, "exact"),)
            item.links = ()
