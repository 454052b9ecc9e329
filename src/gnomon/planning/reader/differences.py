"""Significance: whether groups differ by more than chance, by a test that was named or one chosen from the data.

Composition finds the measure and the groups as for any comparison; here they become a test between the rows.
"""

from __future__ import annotations

from gnomon.core.parts import Comparison, Filter, FilterOperator, QuestionKind, overlaid
from gnomon.core.studies import GroupTest
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.group_shares import tell_rate
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric

_K = QuestionKind
_OF_ROWS = (_K.CORRELATION, _K.DISTRIBUTION, _K.ANOMALY, _K.FORECAST, _K.CAUSE, _K.PROFILE, _K.REGRESSION)
_ASKING = frozenset({"is", "are", "was", "were", "do", "does", "did", "has", "have", "whether", "if"})
_LEVELS = frozenset({"level", "alpha", "significance", "p", "value", "threshold", "="})
_CATEGORIES = (DimensionType.CATEGORY, DimensionType.BOOLEAN)


def take_level(sentence: Sentence) -> None:
    """“at the 0.01 level”, “p < 0.05”, “95 % confidence”: the number belongs to the test and bounds no rows."""
    if not sentence.has(Op.SIGNIFICANT, Op.TEST):
        return
    for i, item in sentence:
        if item.number is None or item.links or item.values:
            continue
        near = {w.lower for w in sentence.words[max(0, item.start - 5) : item.end + 4]}
        value = item.number.value / 100 if item.number.percent or item.number.value > 1 else item.number.value
        value = 1 - value if "confidence" in near and value > 0.5 else value
        if 0 < value <= 0.2 and near & (_LEVELS | {"confidence"}):
            item.number, item.operator, item.time = None, Operator(Op.SIGNIFICANT, round(value, 10)), None
            before = sentence[i - 1] if i else None
            if before is not None and before.op(Op.COMPARE_NUMBER, Op.EQUALS) and before.end == item.start:
                before.operator = Operator(Op.FILLER)


def read_difference(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Make a test of a comparison that asks for one."""
    tests = [item.operator.payload for _, item in sentence if _bare(item, Op.TEST) and item.operator]
    asked = bool(tests) or any(_bare(item, Op.SIGNIFICANT) for _, item in sentence)
    evenly = [x.operator.payload for _, x in sentence if _bare(x, Op.EVEN) and x.operator is not None]
    if (
        not (asked or evenly)
        or draft.course.judged
        or draft.kind in _OF_ROWS
        or (evenly and draft.kind is _K.TREND)
    ):
        return
    categories = _two_categories(draft, sentence, names, tests)
    if categories:
        draft.metrics, draft.dimensions = [], [d.name for d in categories]
        draft.filters = [f for f in draft.filters if f.field not in draft.dimensions]
        draft.comparison = None
        _test(draft, sentence, tests, evenly)
        return
    if not evenly and not sentence.has(Op.COUNT):
        _rated(draft, names)
    if not _measured(draft, names) or not _grouped(draft, sentence, names):
        return
    _test(draft, sentence, tests, evenly)


def _rated(draft: Draft, names: Names) -> None:
    """“a difference in survival between men and women”: of rows that a flag marks, how often it does is compared."""
    flags = [
        f
        for f in draft.filters
        if not f.having and names.model.dimension(f.field).type is DimensionType.BOOLEAN
        if f.field not in draft.dimensions
    ]
    if all(is_count(names.model.metric(m)) for m in draft.metrics[:2]) and len(flags) == 1:
        tell_rate(draft, flags[0], names)


def _test(draft: Draft, sentence: Sentence, tests: list[str], evenly: list[bool]) -> None:
    ranked = draft.kind is _K.RANKING
    draft.kind = _K.DIFFERENCE
    draft.grain = draft.grain if not draft.dimensions else None
    draft.limit, draft.listed, draft.both_ends = None, None, False
    said = [x.operator.payload for _, x in sentence if _bare(x, Op.AGGREGATE) and x.operator is not None]
    means = Aggregation.MEAN in said and bool(draft.metrics)  # whoever asks for averages gets them compared
    test = tests[0] if tests else "welch_t" if means else "auto"
    independent = test == "independence"
    levels = [x.operator.payload for _, x in sentence if _bare(x, Op.SIGNIFICANT) and x.operator is not None]
    asked = GroupTest(
        test="auto" if independent else test,
        alpha=next((x for x in levels if x), None),
        even=evenly[0] if evenly else None,
        independent=independent,
        ranked=ranked,
    )
    draft.study = overlaid(draft.study, asked) if isinstance(draft.study, GroupTest) else asked
    if sentence.words[0].lower in _ASKING or any(w.lower in {"whether", "if"} for w in sentence.words):
        draft.claim = draft.claim.model_copy(update={"whether": True})


def _bare(item: Item, op: Op) -> bool:
    return item.op(op) and not item.links and not item.values


def _two_categories(
    draft: Draft, sentence: Sentence, names: Names, tests: list[str]
) -> list[Dimension] | None:
    """The two categories of a test of independence, where it was named."""
    if not {"chi2", "fisher", "independence"} & set(tests):
        return None
    found: list[Dimension] = []
    for _, item in sentence:
        dimension = names.dimension(item) if item.links else None
        if dimension is not None and dimension.type in _CATEGORIES and dimension not in found:
            found.append(dimension)
            item.used = True
    return found if len(found) == 2 else None


def _measured(draft: Draft, names: Names) -> bool:
    """Whether one measure is compared that every row has a value of, or rows are counted; totals compare by row."""
    if len(draft.metrics) != 1:
        return False
    metric = names.model.metric(draft.metrics[0])
    if is_count(metric):
        return metric.aggregation is Aggregation.COUNT and not metric.where and metric.inner is None
    if metric.table is None or metric.formula is not None or metric.inner is not None or metric.where:
        return False
    if metric.aggregation is Aggregation.SUM:
        averaged = _averaged(metric, names)
        if averaged is None:
            return False
        draft.metrics = [averaged]
    draft.beside = None
    return True


def _averaged(metric: Metric, names: Names) -> str | None:
    column = (metric.expression or "").strip("`")
    held = any(d.at(metric.table or "") == column for d in names.model.dimensions)
    return f"{Aggregation.MEAN}({metric.table}.{column})" if held else None


def _grouped(draft: Draft, sentence: Sentence, names: Names) -> bool:
    """Whether the groups are known: named values, all values of a category, or parts of time."""
    _opposed(draft, sentence, names)
    _between_two(draft, names)
    if draft.comparison is not None and draft.comparison.kind == "group":
        return True
    if (
        draft.other_recurring
        and draft.recurring is not None
        and draft.recurring[0] == draft.other_recurring[0][0]
    ):
        draft.study = GroupTest(parts=(draft.recurring[1], draft.other_recurring[0][1]))
        draft.dimensions = [f"@{draft.recurring[0]}"]
        draft.recurring, draft.other_recurring = None, []
        return True
    if draft.other_periods and draft.time_range is not None and draft.comparison is None:
        draft.comparison = Comparison(kind="period", period=draft.other_periods[0])
    draft.other_periods = []
    if draft.comparison is not None and draft.comparison.kind == "period":
        return draft.comparison.period is not None and draft.time_range is not None
    listed = draft.listed[0] if draft.listed is not None else None
    if listed is not None and not draft.dimensions:
        draft.add_dimension(listed)
    return len(draft.dimensions) == 1 or (not draft.dimensions and draft.grain is not None)


def _between_two(draft: Draft, names: Names) -> None:
    """“between the 1st class and the 3rd class”: two groups, not all from the one to the other."""
    for f in draft.filters:
        known = not f.having and not f.field.startswith("@") and len(f.values) == 2
        if f.operator is not FilterOperator.BETWEEN or not known or draft.dimensions or draft.comparison:
            continue
        if names.model.dimension(f.field).type is DimensionType.CATEGORY:
            both = f.model_copy(update={"operator": FilterOperator.IN})
            draft.filters = [both if g is f else g for g in draft.filters]
            draft.dimensions = [f.field]
            draft.comparison = Comparison(kind="group", groups=tuple(map(str, f.values)))
            return


def _opposed(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“between smokers and non-smokers”: both values of one column are its groups, and no condition."""
    equal = [f for f in draft.filters if f.operator is FilterOperator.EQUALS and not f.having]
    for f in equal:
        twins = [g for g in equal if g.field == f.field and g.values != f.values]
        if twins:
            both: tuple[Filter, ...] = (f, *twins)
            draft.filters = [g for g in draft.filters if g not in both]
            draft.dimensions = [f.field]
            return
    for f in equal:
        flag = not f.field.startswith("@") and names.model.dimension(f.field).type is DimensionType.BOOLEAN
        said = [x for _, x in sentence if _speaks_of(x, f.field, names)]
        if flag and len(said) > 1 and sentence.has(Op.AND, Op.VERSUS, Op.OR):
            draft.filters = [g for g in draft.filters if g is not f]
            draft.dimensions = [f.field]
            return


def _speaks_of(item: Item, field: str, names: Names) -> bool:
    """Whether words name a flag, or count what has it."""
    named = any(link.kind is LinkKind.DIMENSION and link.name == field for link in item.links)
    column = names.model.dimension(field).home.column
    metrics = [m for m in names.metrics(item) if m.where or (m.expression or "").strip("`") == column]
    return named or any(
        (m.expression or "").strip("`") == column or any(w.field == field for w in m.where) for m in metrics
    )
