"""The conditions of a sentence as filters, each value in the dimension that holds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gnomon.core.parts import Comparison, Filter, FilterOperator
from gnomon.planning.reader.bound_filters import as_filter
from gnomon.planning.reader.condition_finder import NumberCondition, ValueCondition
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.draft import Doubt, Draft, Pick, PickSort
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.shared_words import hold_whole, is_name, shared_by
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.value_lists import as_written
from gnomon.semantic.values import ValueIndex, ValueMatch

_TEXTS = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.ID)
_EQUALITIES = (FilterOperator.EQUALS, FilterOperator.NOT_EQUALS, FilterOperator.IN, FilterOperator.NOT_IN)


class ValueFilters:
    """Turns conditions into filters of a draft.

    Args:
        names: The names of the model.
        index: The values of the data.
    """

    def __init__(self, names: Names, index: ValueIndex) -> None:
        self.names = names
        self.index = index

    def apply(self, draft: Draft, conditions: Conditions) -> None:
        """Add every condition to the draft."""
        rates = {
            m.expression
            for m in (self.names.model.metric(r) for r in draft.metrics)
            if m.aggregation is Aggregation.MEAN
        }
        # a rate of a yes-or-no column is not taken over its yes rows only
        draft.filters += [self._in_lists(f) for _, f in conditions.filters if f.field not in rates]
        bounds = [
            self._as_written(as_filter(n, self.names), n, conditions.sentence) for n in conditions.numbers
        ]
        measured = [self._in_lists(self._as_measured(b, draft, conditions.sentence)) for b in bounds]
        draft.filters += [bound for bound in measured if bound not in draft.filters]
        draft.unexplained += [
            conditions.sentence[n.at].text
            for n, bound in zip(conditions.numbers, bounds, strict=True)
            if self._is_lost(bound, draft)
        ]
        for n in conditions.numbers:
            if n.operator is FilterOperator.IN and n.dimension is not None:
                draft.listed = (n.dimension.name, n.joined)
        self._count_rows(draft)
        draft.unexplained += conditions.unsaid
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        for condition in conditions.values:
            self._value_filter(draft, condition, metrics)
        if draft.comparison is not None and not draft.metrics and conditions.filters:
            # "did A or B have more returns": the rows that a flag marks are counted
            home = self.names.model.dimension(conditions.filters[0][1].field).home.table
            draft.add_metric(self.names.count_of_table(home).name)

    def _as_written(self, bound: Filter, said: NumberCondition, sentence: Sentence) -> Filter:
        """Codes that look like numbers are texts: “store 007” is no store 7, and “version 1.10” no version 1.1."""
        column = said.dimension
        if column is None or column.type not in _TEXTS or column.numeric or bound.field != column.name:
            return bound
        if bound.operator not in _EQUALITIES or said.percent:
            return bound
        run = [x for x in sentence.items[said.at :] if x.number is not None and not x.time]
        texts = list(dict.fromkeys(x.text for x in run))[: len(bound.values)]
        held = [str(v) for v in self.index.values(column.name)]
        values = tuple(_text_of(text, held) for text in texts)
        return bound.model_copy(update={"values": values}) if len(values) == len(bound.values) else bound

    def _as_measured(self, bound: Filter, draft: Draft, sentence: Sentence) -> Filter:
        """“which groups have an average cost above 5”: the average is what is bounded."""
        column = self._column(bound.field) if bound.having else None
        said = [m for m in draft.metrics if column is not None and self._column(m) == column]
        for i in sentence.find(Op.AGGREGATE):
            noun = sentence.after(i)
            behind = sentence.after(noun) if noun is not None else None
            if not said or noun is None or behind is None or not sentence[behind].op(Op.COMPARE_NUMBER):
                continue
            measure = self.names.measure(sentence[noun])
            if measure is not None and self.names.column_of(measure) == column:
                return bound.model_copy(update={"field": said[0]})
        return bound

    def _count_rows(self, draft: Draft) -> None:
        """“how many have no cause”: of rows without one, the rows are counted and not the causes."""
        missing = [f.field for f in draft.filters if f.operator is FilterOperator.IS_NULL]
        for n, reference in enumerate(draft.metrics):
            metric = self.names.model.metric(reference)
            column = (
                self.names.column_of(metric) if metric.aggregation is Aggregation.COUNT_DISTINCT else None
            )
            if column is not None and column.name in missing and metric.table is not None:
                draft.metrics[n] = self.names.count_of_table(metric.table).name

    def _is_lost(self, bound: Filter, draft: Draft) -> bool:
        """A bound on what groups come to, where there are no groups: it would bound the whole, which nobody asks."""
        grouped = bound.by is not None or bool(draft.dimensions) or draft.grain is not None
        counted = bound.having and is_count(self.names.model.metric(bound.field))
        return bound.having and not grouped and (counted or bound.field not in draft.metrics)

    def _column(self, metric: str) -> Dimension | None:
        return self.names.column_of(self.names.model.metric(metric))

    def rank_listed(self, draft: Draft, conditions: Conditions) -> None:
        """“does A or B have the highest …”: values that are listed are what is ranked."""
        asked = conditions.sentence.has(Op.WHICH)
        lists = [
            v for v in conditions.values
            if (v.joined == "or" or (v.joined and asked)) and not v.negated and len(v.choices) > 1
        ]  # fmt: skip
        if draft.dimensions or draft.grain is not None or len(lists) != 1 or not draft.metrics:
            return
        dimension, doubt = self._dimension_of(lists[0], [self.names.model.metric(m) for m in draft.metrics])
        if dimension is not None and doubt is None:
            draft.add_dimension(dimension)

    def _value_filter(self, draft: Draft, condition: ValueCondition, metrics: list[Metric]) -> None:
        dimension, doubt = self._dimension_of(condition, metrics)
        if dimension is None or condition.absent:
            draft.unexplained += condition.texts
            return
        if doubt:
            draft.doubts.append(doubt)
        values = [best for choice in condition.choices if (best := _best(choice, dimension))]
        kept = _held(condition, dimension)
        spelt = len({_plain(v) for v in kept})
        if spelt == 1 and len(alike := shared_by(condition.choices[0], dimension)) > 1:
            told = " or ".join(map(str, alike))
            if is_name(condition.texts[0]):
                draft.doubts.append(_doubt_value(condition.texts[0], dimension, kept[0], alike))
            else:
                draft.notes.append(f"“{condition.texts[0]}” was taken as {told}")
                kept = alike
        elif spelt > 1:
            for text, choice in zip(condition.texts, condition.choices, strict=False):
                if len(alike := shared_by(choice, dimension)) > 1:
                    taken = _best(choice, dimension)
                    draft.doubts.append(_doubt_value(text, dimension, taken and taken.value, alike))
        weakest = min((v.score for v in values), default=1.0)
        if weakest < 0.75:
            draft.confidence = min(draft.confidence, 0.7)
        earlier = next(
            (n for n, f in enumerate(draft.filters) if f.field == dimension and not f.having
             and f.operator in (FilterOperator.EQUALS, FilterOperator.IN)), None,
        )  # fmt: skip
        if not condition.negated and earlier is not None:
            kept = tuple(dict.fromkeys((*draft.filters[earlier].values, *kept)))
            draft.filters[earlier] = Filter(field=dimension, operator=FilterOperator.IN, values=kept)
            draft.listed = (dimension, condition.joined or "and")
            if condition.versus or condition.joined:
                self._compare_groups(draft, dimension, kept)
            return
        listed = self._given(condition, dimension, kept)
        if condition.versus and (listed.operator is FilterOperator.LISTS or listed.values != kept):
            draft.unexplained += condition.texts  # a row that lists both belongs to neither side alone
        draft.filters.append(listed)
        if len(kept) > 1 and condition.joined and not condition.negated:
            draft.listed = (dimension, condition.joined)
        if len(kept) > 1 and condition.versus and not condition.negated:
            self._compare_groups(draft, dimension, kept)

    def _given(self, condition: ValueCondition, dimension: str, kept: tuple[Any, ...]) -> Filter:
        """The condition on a column, of which those values are meant."""
        alone = len(kept) == 1
        if condition.negated:
            operator = FilterOperator.NOT_EQUALS if alone else FilterOperator.NOT_IN
        else:
            operator = FilterOperator.EQUALS if alone else FilterOperator.IN
        return self._in_lists(Filter(field=dimension, operator=operator, values=kept))

    def _in_lists(self, given: Filter) -> Filter:
        """The filter over cells that list several values: those that have one of them among others."""
        cells = self.index.lists.get(given.field, {})
        parts = [f"{v:g}" if isinstance(v, float) else str(v).lower() for v in given.values]
        if given.having or not cells or not parts or not all(p in cells for p in parts):
            return given
        denied = given.operator in (FilterOperator.NOT_EQUALS, FilterOperator.NOT_IN)
        if not denied:
            written = tuple(as_written(p, cells) for p in parts)
            return given.model_copy(update={"operator": FilterOperator.LISTS, "values": written})
        found = tuple(dict.fromkeys(text for p in parts for text in cells[p]))
        return given.model_copy(update={"operator": FilterOperator.NOT_IN, "values": found})

    def note_lists(self, draft: Draft) -> None:
        """Say of groups by a column whose cells list several values that a list is a group of its own."""
        listed = [d for d in draft.dimensions if d in self.index.lists]
        if listed:
            label = self.names.model.dimension(listed[0]).label
            draft.notes.append(
                f"cells of {label} list several values; each list counts as a group of its own"
            )

    @staticmethod
    def _compare_groups(draft: Draft, dimension: str, values: tuple[object, ...]) -> None:
        draft.add_dimension(dimension)
        draft.comparison = draft.comparison or Comparison(kind="group", groups=tuple(str(v) for v in values))

    def _dimension_of(
        self, condition: ValueCondition, metrics: list[Metric]
    ) -> tuple[str | None, Doubt | None]:
        """The dimension that holds the values: the one named beside them, else one that the metrics reach."""
        shared = set.intersection(*({v.dimension for v in choice} for choice in condition.choices))
        if not shared:
            return None, None
        if condition.hint in shared:
            return condition.hint, None
        best = {name: min(_score(choice, name) for choice in condition.choices) for name in shared}
        top = max(best.values())
        near = 0.08 if any(hold_whole(choice) for choice in condition.choices) else 0.35
        fitting = sorted(n for n, score in best.items() if score >= top - near)
        model = self.names.model
        reached = [n for n in fitting if all(model.reaches(m, model.dimension(n)) for m in metrics)]
        choices = reached or fitting
        # Two columns that say the same in every row give the same number.
        choices = [n for n in choices if self.index.twins.get(n) not in choices]
        doubt = None
        if len(choices) > 1:
            held = [self._given(condition, n, _held(condition, n)) for n in choices[:4]]
            doubt = Doubt(
                " and ".join(condition.texts),
                tuple(f"{model.dimension(n).label} {condition.texts[0]}" for n in choices[:4]),
                tuple(choices),
                tuple(
                    Pick.model_validate(
                        {"sort": PickSort.FIELD, "taken": choices[0], "said": held[0].values, "name": f.field}
                        | {"values": f.values, "operator": f.operator}
                    )
                    for f in held
                ),
            )
        return choices[0], doubt


def _doubt_value(text: str, dimension: str, taken: Any, alike: Sequence[Any]) -> Doubt:
    """Of several values that have a word among others one was taken; which one is meant is asked back."""
    field = {"sort": PickSort.FIELD, "taken": dimension, "name": dimension, "said": (taken,)}
    meant = tuple(Pick.model_validate({**field, "values": (value,)}) for value in alike)
    return Doubt(text, tuple(map(str, alike)), picks=meant)


def _held(condition: ValueCondition, dimension: str) -> tuple[Any, ...]:
    """The values of a column that a condition is about."""
    return tuple(dict.fromkeys(v for choice in condition.choices for v in _spellings(choice, dimension)))


def _spellings(choice: tuple[ValueMatch, ...], dimension: str) -> list[Any]:
    """The value that fits best, in every way in which the column writes it: Luna, LUNA."""
    best = _best(choice, dimension)
    if best is None:
        return []
    same = [v.value for v in choice if v.dimension == dimension and _plain(v.value) == _plain(best.value)]
    return [best.value, *(v for v in same if v != best.value)]


def _plain(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


def _best(choice: tuple[ValueMatch, ...], dimension: str) -> ValueMatch | None:
    return max((v for v in choice if v.dimension == dimension), key=lambda v: v.score, default=None)


def _score(choice: tuple[ValueMatch, ...], dimension: str) -> float:
    found = _best(choice, dimension)
    return found.score if found else 0.0


def _text_of(said: str, held: Sequence[str]) -> str:
    """The text of a column that a number names: as it was written, else the only one that is this number."""
    alike = [text for text in held if _same_number(text, said)]
    return alike[0] if said not in held and len(alike) == 1 else said


def _same_number(one: str, other: str) -> bool:
    try:
        return float(one) == float(other.replace(",", ""))
    except ValueError:
        return False
