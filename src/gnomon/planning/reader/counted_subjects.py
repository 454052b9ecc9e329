"""Things and periods that meet a condition: which are listed, and which are counted."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Dimension, SemanticModel
from gnomon.semantic.references import relative_bound

_K = QuestionKind
_SURE = 0.9


def _list_rows(draft: Draft, conditions: Conditions, names: Names) -> bool:
    """The same where each row is such a period: its bounds are those of rows."""
    bounded = [
        n for n in conditions.numbers if isinstance(n.subject, TimeGranularity) and n.dimension is not None
    ]
    if not bounded or (draft.grain is None and draft.metrics):
        return False
    draft.grain = bounded[0].subject if isinstance(bounded[0].subject, TimeGranularity) else None
    for n in bounded:
        draft.add_metric(names.metric_of(n.dimension).name if n.dimension is not None else "")
    draft.kind = _K.LIST
    return True


def list_periods(draft: Draft, conditions: Conditions, names: Names) -> bool:
    """“which days had more than …”: the periods that meet a condition are listed."""
    columns = {n.subject.name for n in conditions.numbers if isinstance(n.subject, Dimension)}  # called day
    bounds = [f for f in draft.filters if f.having and f.by in {*TimeGranularity} - columns]
    if not bounds:
        return _list_rows(draft, conditions, names)
    draft.grain = TimeGranularity(str(bounds[0].by))
    draft.filters = [f.model_copy(update={"by": None}) if f in bounds else f for f in draft.filters]
    draft.metrics = list(dict.fromkeys([*draft.metrics, *(f.field for f in bounds)]))
    draft.kind = _K.LIST
    return True


def subjects_counted(sentence: Sentence, conditions: Conditions, names: Names) -> bool:
    """Whether the nouns that conditions are about are what is counted: not the members of “how many loans by members over 60”."""
    places = [n.subject_at for n in conditions.numbers if n.subject_at is not None]
    if whose(sentence, conditions, names):
        return False
    if not places:
        return False
    for at in places:
        if _said_as_count(sentence[at]):
            return True
    return any(any(i < at for at in places) or i == len(sentence) - 1 for i in sentence.find(Op.COUNT))


def whose(sentence: Sentence, conditions: Conditions, names: Names) -> list[str]:
    """The things whose conditions say which rows are counted: the members of “how many loans by members over 60”."""
    bound = [n.subject for n in conditions.numbers if n.dimension is not None]
    return [s.name for s in bound if isinstance(s, Dimension) and _is_told_of(sentence, s, names)]


def _is_told_of(sentence: Sentence, thing: Dimension, names: Names) -> bool:
    """Whether the rows that are counted each belong to one of the things."""
    nouns = [sentence[j] for i in sentence.find(Op.COUNT) if (j := sentence.after(i)) is not None]
    rows = [
        link.name for x in nouns if (link := x.named(LinkKind.TABLE)) is not None and link.quality >= _SURE
    ]
    own = {ref.table for ref in thing.locations if names.model.table(ref.table).key == (ref.column,)}
    return bool(own) and any(t not in own and names.model.path(t, thing) is not None for t in rows)


def _said_as_count(item: Item) -> bool:
    return item.end - item.start > 1 and item.text.lower().startswith(
        ("number", "count", "how many", "total number")
    )


def count_subjects(draft: Draft, names: Names, conditions: Conditions) -> None:
    """“how many products sold more than …”: what meets the condition is counted, not listed.

    A second condition on the same things stays one on which of them are looked at.
    """
    counted: set[str] = set()
    for n in conditions.numbers:
        name = n.subject.name if isinstance(n.subject, Dimension) else n.subject.value if n.subject else None
        if name is None:
            continue
        bound = next((f for f in draft.filters if f.having and f.by == name), None)
        if bound is not None and name in counted:
            continue
        if bound is not None:
            counted.add(name)
            said = " and ".join(map(str, bound.values))
            if bound.relative is not None:
                said = relative_bound(bound.relative.how, float(str(bound.values[0])) if bound.values else 1)
            draft.metrics = [f"{Aggregation.COUNT}({bound.field} per {name} {bound.operator} {said})"]
            draft.filters.remove(bound)
        elif isinstance(n.subject, Dimension):
            draft.metrics = [names.count_of_dimension(n.subject).name]
        elif n.dimension is not None:
            draft.metrics = [_periods(n.dimension, names)]
        if name in draft.dimensions:
            draft.dimensions.remove(name)
        draft.grain = None


def _periods(column: Dimension, names: Names) -> str:
    """How many days have a row that meets a condition: rows, where each row is a day."""
    table = names.model.table(column.home.table)
    time = names.model.dimension(table.time_dimension) if table.time_dimension else None
    if time is None or table.key == (time.at(table.name),):
        return names.count_of_table(table.name).name
    return f"{Aggregation.COUNT_DISTINCT}({table.name}.{time.at(table.name)})"


def told_in(table: str, model: SemanticModel) -> str:
    """Where things of a list are used: a code of a small table is counted in the large one that refers to it."""
    if model.table(table).time_dimension is not None:
        return table
    rows = model.table(table).rows or 0
    users = [j.table for j in model.joins if j.to_table == table and (model.table(j.table).rows or 0) > rows]
    return users[0] if len(set(users)) == 1 else table


def by_group(draft: Draft, sentence: Sentence, said: list[QuestionKind], names: Names) -> bool:
    """“hires by source”, of a stage that is called hired: the rows of such a value are counted for each group."""
    asked = sentence.has(Op.WHICH) or QuestionKind.LIST in said or not sentence.has(Op.BY)
    told = [x for _, x in sentence if x.values and x.start == 0 and not x.links]
    homes = {names.model.dimension(d).home.table for d in draft.dimensions if not d.startswith("@")}
    if asked or not told or not draft.filters or len(homes) != 1:
        return False
    draft.add_metric(names.count_of_table(homes.pop()).name)
    return True
