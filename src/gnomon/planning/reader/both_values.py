"""Groups that have each of several values: the clubs with both men and women."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator, QuestionKind
from gnomon.core.patterns import regex
from gnomon.planning.reader.condition_finder import ValueCondition
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType
from gnomon.semantic.derived import Derived, column_in, text_in

_MORE = regex(r"\b(more|fewer|less)\b.*\bthan\b")
_COUNTED = regex(r"count_distinct\(([^{}()]+)\)")
_THINGS = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.TEXT)


def keep_both(draft: Draft, sentence: Sentence, conditions: Conditions, names: Names) -> None:
    """“which clubs have both men and women”: those where every one of the values occurs, not any of them."""
    _set_beside(draft, sentence, names)
    for said in conditions.values:
        if said.negated or not _are_both(said, sentence):
            continue
        held = next((f for f in draft.filters if f.operator is FilterOperator.IN and len(f.values) > 1), None)
        group = _group(draft, names)
        if held is None or group is None or group.name == held.field:
            draft.unexplained += ["both"] if _have_both(said, sentence) else []
            continue
        if not _have_both(said, sentence) and not _is_done_apart(group, held, names):
            continue  # "rooms in both wings": each lies in one of them
        draft.listed = None  # of each of them nothing is asked
        kinds = f"{Aggregation.COUNT_DISTINCT}({names.model.dimension(held.field).home})"
        if draft.dimensions:
            bound = Filter(
                field=kinds,
                operator=FilterOperator.AT_LEAST,
                values=(len(held.values),),
                having=True,
                by=group.name,
            )
            draft.filters = [*draft.filters, bound]
        else:
            draft.metrics = [f"{Aggregation.COUNT}({kinds} per {group.name} >= {len(held.values)})"]


def keep_where_more(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“in which districts are there more cats than dogs”: the groups where that holds, not how many there are of each."""
    compared = draft.comparison
    more = _MORE.search(" ".join(w.lower for w in sentence.words))
    if compared is None or len(compared.groups) != 2 or more is None or len(draft.metrics) > 1:
        return
    held = [f for f in draft.filters if f.operator is FilterOperator.IN and {*f.values} == {*compared.groups}]
    counted = _COUNTED.fullmatch(draft.metrics[0]) if draft.metrics else None
    asked = [d for d in draft.dimensions if not held or d != held[0].field]
    asked = [names.model.dimension(counted[1]).name] if counted and not asked else asked
    if not held or len(asked) != 1 or not (counted or sentence.has(Op.WHICH)):
        return
    column = names.model.dimension(held[0].field)
    if not counted and draft.metrics not in ([], [names.count_of_table(column.home.table).name]):
        draft.unexplained.append(f"{more[1]} … than")
        return
    one, other = compared.groups
    name = column_in(column.home.column)
    less = Derived(f"{one} less {other}", f"({name} == {text_in(one)}) - ({name} == {text_in(other)})")
    field = f"{Aggregation.SUM}({column.home.table}.{less.spelling})"
    holds = FilterOperator.GREATER if more[1] == "more" else FilterOperator.LESS
    draft.filters, draft.comparison = [f for f in draft.filters if f != held[0]], None
    draft.metrics, draft.dimensions, draft.kind = [field], asked, QuestionKind.LIST
    draft.filters.append(Filter(field=field, operator=holds, values=(0,), having=True, by=asked[0]))


def _set_beside(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“of insured and uninsured patients”: what no row can be at once are two groups."""
    flags = [
        f for f in draft.filters
        if f.operator is FilterOperator.EQUALS and not f.having and not f.field.startswith("@")
        and names.model.dimension(f.field).type is DimensionType.BOOLEAN
    ]  # fmt: skip
    twice = [f.field for f in flags if len({str(g.values) for g in flags if g.field == f.field}) == 2]
    if not twice or not draft.metrics or not sentence.has(Op.AND) or sentence.has(Op.SHARE):
        return
    draft.filters = [f for f in draft.filters if f not in flags or f.field != twice[0]]
    draft.add_dimension(twice[0])


def _are_both(said: ValueCondition, sentence: Sentence) -> bool:
    """Whether “both” stands before a list of values."""
    start = sentence[said.at].start
    both = start > 0 and sentence.words[start - 1].lower == "both"
    return both and said.joined == "and"


def _have_both(said: ValueCondition, sentence: Sentence) -> bool:
    """Whether somebody or something has them: “with both men and women”."""
    return said.at > 0 and sentence[said.at - 1].op(Op.WITH)


def _is_done_apart(group: Dimension, held: Filter, names: Names) -> bool:
    """“students who took both maths and physics”: of things with several rows, those that have a row of each."""
    column = names.model.dimension(held.field)
    table = column.home.table
    own = group.at(table)
    return own is not None and names.model.table(table).key != (own,) and group.parent != column.name


def _group(draft: Draft, names: Names) -> Dimension | None:
    """What the values are looked for in: the one group, or the things that are counted."""
    if draft.dimensions:
        one = len(draft.dimensions) == 1 and not draft.dimensions[0].startswith("@")
        return names.model.dimension(draft.dimensions[0]) if one else None
    things = [names.identifier(Link(LinkKind.METRIC, m, 1.0)) for m in draft.metrics if m in _known(names)]
    things += [
        names.model.dimension(m[m.index("(") + 1 : -1])
        for m in draft.metrics
        if m.startswith("count_distinct(")
    ]
    found = [d for d in things if d is not None and d.type in _THINGS]
    return found[0] if len(found) == len(draft.metrics) == 1 else None


def _known(names: Names) -> set[str]:
    return {m.name for m in names.model.metrics}
