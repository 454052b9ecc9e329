"""What a question claims or wants to know about two figures: which is more, how many times as much, yes or no."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable

from gnomon.core.operations import Side, Tell, Way
from gnomon.core.parts import Comparison, FilterOperator
from gnomon.core.patterns import late_pattern
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.default_measures import UNNAMED
from gnomon.planning.reader.draft import Doubt, Draft, PickSort, picks
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, head_of, is_count, upward
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Additivity, DimensionType, Metric
from gnomon.semantic.money_units import is_money

_LAST_YEAR = late_pattern(r"\b(last year|previous year|prior year|year before|year ago)\b", re.IGNORECASE)
ASKING = frozenset(
    {"is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "will", "can", "could"}
)
_DID = (["do"], ["does"], ["did"], ["have"], ["has"])
_MORE = frozenset(
    {"more", "higher", "greater", "larger", "bigger", "above", "over", "exceed", "exceeds", "exceeded", "better", "beat", "beats"}
)  # fmt: skip
_LESS = frozenset({"less", "lower", "fewer", "smaller", "below", "under", "worse"})
GRADED = _MORE | _LESS

FALLING = vocabulary(
    "fell fall fallen falls drop drops dropped decline declines declined decrease decreases decreased lost shrank"
    " shrunk shrinks worsened dip dips dipped slump slumps slumped plunge plunges plunged plummeted falling declining"
    " decreasing shrinking downturn"
)
RISING = vocabulary(
    "grow grew grown growing growth rise rises rose risen rising increase increases increased increasing jump jumps"
    " jumped gain gains gained surge surges surged soared spike spikes spiked improve improved upswing upturn"
)
_UPWARD = vocabulary("up upward upwards climb climbs climbed climbing positive")
_DOWNWARD = vocabulary("down downward downwards negative dropping")


def way_said(said: Iterable[str]) -> Way | None:
    """The way that words say something goes; None where they say neither, or both."""
    words = {*said}
    up, down = bool(words & (RISING | _UPWARD)), bool(words & (FALLING | _DOWNWARD))
    return None if up == down else Way.UP if up else Way.DOWN


def read_value_ratio(sentence: Sentence) -> None:
    """“the ratio of male to female artists”: two values are set against each other, and are no share of the whole."""
    for i in sentence.find(Op.SHARE):
        if not sentence[i].text.lower().startswith("ratio") or i + 3 >= len(sentence):
            continue
        first, joint, second = (sentence[i + n] for n in (1, 2, 3))
        if first.values and second.values and joint.text.lower() in {"to", "and", "over", ":"}:
            sentence[i].operator, joint.operator = None, Operator(Op.VERSUS)


def note_claims(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Write down what the question asks about the two figures that it sets against each other."""
    _measure_values(draft, sentence, names)
    _set_sides(draft, sentence, names)
    if _times_as_many(sentence) or (draft.comparison is not None and _is_ratio(sentence)):
        draft.tell(Tell.RATIO)
        _apart(draft)
    if draft.comparison is None and not draft.dimensions and draft.grain is None and len(draft.metrics) == 2:
        _two_measures(draft, sentence, names)
    compared = draft.comparison is not None and draft.comparison.kind in ("group", "period")
    if not (compared or draft.claim.measures):
        return
    _same_part_of_year(draft)
    if draft.comparison is not None and asks_gap(sentence):
        draft.tell(Tell.DIFFERENCE)
    flags = _as_said(draft, sentence)
    if draft.comparison is not None and draft.comparison.kind == "period":
        if (moved := _moved(sentence)) is not None:
            draft.claims(moved)
            return
        if not _first_first(draft, sentence):
            return
    metric = names.model.metric(draft.metrics[0]) if draft.metrics else None
    draft.claims(claimed(sentence, metric, denied=flags))


def note_moved_on(draft: Draft, sentence: Sentence) -> None:
    """“did orders increase in 2024”, “is revenue up on last month”: whether they did, against the period before."""
    against = draft.comparison is not None and draft.comparison.kind == "period"
    if against and draft.claim.side is None and (moved := _moved(sentence)) is not None:
        draft.claims(moved)


def _set_sides(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“the gap between pupils with and without free meals”: the two sides of a flag are set against each other."""
    said = [x.text.lower() for x in sentence.items if x.op(Op.BY)]
    sides = any(text.startswith("with ") and "without" in text for text in said)
    either = any(text.startswith("with or ") for text in said)
    graded = bool(GRADED & {w.lower for w in sentence.words}) and not either
    graded = graded or sentence.has(Op.VERSUS)
    if not (sides and graded) or draft.comparison is not None or len(draft.dimensions) != 1:
        return
    if draft.grain is None and names.model.dimension(draft.dimensions[0]).type is DimensionType.BOOLEAN:
        draft.comparison = Comparison(kind="group", groups=("True", "False"))


def _same_part_of_year(draft: Draft) -> None:
    """“in October: this year against last year”: a month is set against that month of the other year, not all of it."""
    against, now = draft.comparison, draft.time_range
    if against is None or against.period is None or now is None or not _LAST_YEAR.search(draft.question):
        return
    whole = against.period.granularity is TimeGranularity.YEAR and now.granularity is not TimeGranularity.YEAR
    year = against.period.start.year
    if not whole or now.start.year != now.end.year or year == now.start.year:
        return
    start = now.start.replace(year=year)
    days = monthrange(year, now.end.month)[1]
    last = monthrange(now.end.year, now.end.month)[1] == now.end.day
    end = now.end.replace(year=year, day=days if last else min(now.end.day, days))
    period = TimeRange(start=start, end=end, granularity=now.granularity)
    draft.comparison = against.model_copy(update={"period": period, "label": ""})


def asks_gap(sentence: Sentence) -> bool:
    """“how many more”, “how much heavier”, “by how much”: what lies between two figures is asked for."""
    words = [w.lower for w in sentence.words]
    known = associations()
    for i in range(len(words) - 1):
        if words[i] == "how" and words[i + 1] in {"much", "many"}:
            said = words[i + 2 : i + 5]
            graded = any(w in GRADED or (w in known and known[w].comparative) for w in said)
            if (graded and {"than", "compared", "versus", "vs"} & {*words[i + 3 :]}) or (
                i and words[i - 1] == "by"
            ):
                return True
    return False


def _as_said(draft: Draft, sentence: Sentence) -> bool:
    """Whether the two sides of a flag are compared, the one that was named first then first: members, non-members."""
    against = draft.comparison
    if against is None or {*against.groups} != {"True", "False"}:
        return False
    apart = sentence.find(Op.VERSUS)[:1]
    denied = {apart[0] > i for i in sentence.find(Op.NOT)} if apart else set[bool]()
    if len(denied) != 1:
        return False
    groups = ("False", "True") if denied == {True} else ("True", "False")
    draft.comparison = against.model_copy(update={"groups": groups})
    return True


def _measure_values(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“what did we take in rent compared with water”: what is done with values that are compared is told in money."""
    words = [w.lower for w in sentence.words]
    done = any(w in {"what", "much"} and words[i + 1 : i + 2] in _DID for i, w in enumerate(words))
    if draft.metrics or not done or (field := compared_field(draft)) is None:
        return
    dimension = names.model.dimension(field)
    found = [
        m for m in names.model.metrics
        if m.table == dimension.home.table and m.additivity is Additivity.ADDITIVE and _is_money(m)
    ]  # fmt: skip
    if len(found) == 1:
        draft.add_metric(found[0].name)
        draft.notes.append(f"compared by {found[0].label}, {UNNAMED}")


def _is_money(metric: Metric) -> bool:
    return is_money(metric.unit) or (metric.unit is None and head_of(metric.label) == "amount")


def compared_field(draft: Draft) -> str | None:
    """The dimension of which two values are set against each other."""
    groups = draft.comparison.groups if draft.comparison is not None else ()
    held = [f.field for f in draft.filters if not f.having and {*groups} & {str(v) for v in f.values}]
    return held[0] if held else None


def doubt_measure(draft: Draft, names: Names) -> Doubt | None:
    """Values that are compared by nothing: what of them is asked for; they themselves are no answer."""
    field = compared_field(draft) if not draft.metrics else None
    if field is None or draft.comparison is None:
        return None
    model, dimension = names.model, names.model.dimension(field)
    first = str(draft.comparison.groups[0])
    said = re.search(rf"(?<!\w){re.escape(first)}(?!\w)", draft.question, re.IGNORECASE)
    first = said[0] if said else first
    totals = [m for m in model.metrics if m.additivity is Additivity.ADDITIVE and not is_count(m)]
    reached = [m for m in totals if model.reaches(m, dimension)]
    home = dimension.home.table
    tables = dict.fromkeys(
        (*(j.table for j in model.joins if j.to_table == home), home)
    )  # what they do, and they
    counted = [m for t in tables if model.reaches(m := names.count_of_table(t), dimension)]
    found = {m.label: m.name for m in (*reached[:2], *counted)}
    return Doubt(
        first,
        tuple(f"{label} for {first}" for label in found),
        picks=picks(PickSort.METRIC, "", found.values()),
    )


def _times_as_many(sentence: Sentence) -> bool:
    """“how many times as many”, “how many times the revenue”."""
    words = [w.lower for w in sentence.words]
    return any(words[i : i + 3] == ["how", "many", "times"] for i in range(len(words))) and (
        "as" in words or "the" in words or "than" in words
    )


def _is_ratio(sentence: Sentence) -> bool:
    """“the ratio of A to B”, read as a comparison."""
    return any(x.operator is None and x.text.lower().startswith("ratio") for x in sentence.items)


def _apart(draft: Draft) -> None:
    """Two values that were only listed are set against each other."""
    field = draft.listed[0] if draft.listed is not None and draft.comparison is None else None
    held = next((f for f in draft.filters if f.field == field and f.operator is FilterOperator.IN), None)
    if held is not None and len(held.values) == 2 and not draft.dimensions:
        draft.add_dimension(held.field)
        draft.comparison = Comparison(kind="group", groups=tuple(map(str, held.values)))


def _two_measures(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“is the price below or above the competitor's price”: two measures set against each other."""
    loose = [
        x for i, x in sentence
        if not x.used and not x.links and x.op(Op.COMPARE_NUMBER, Op.OR_MORE, Op.VERSUS) and _between(sentence, i, names)
    ]  # fmt: skip
    units = {names.model.metric(m).unit for m in draft.metrics}
    if loose and len(units) == 1:
        draft.claim = draft.claim.model_copy(update={"measures": True})
        for item in loose:
            item.used = True


def _between(sentence: Sentence, i: int, names: Names) -> bool:
    """Whether a word stands between two measures, with no number that it would bound."""

    def measured(items: list[Item]) -> bool:
        return any(x.links and names.measure(x) is not None for x in items)

    numbered = any(x.number is not None and x.time is None for x in sentence.items[i:])
    return measured(sentence.items[:i]) and measured(sentence.items[i:]) and not numbered


def _first_first(draft: Draft, sentence: Sentence) -> bool:
    """Whether the period that is asked about was named before the one it is set against."""
    periods = [x.time.period for _, x in sentence if x.time is not None and x.time.period is not None]
    return len(periods) == 2 and periods[0] == draft.time_range


def _moved(sentence: Sentence) -> Side | None:
    """“did it go up from A to B”: that the later of two periods has more, or less; None where nothing is claimed."""
    words = [w.lower for w in sentence.words]
    if (words and words[0] not in ASKING) or sentence.has(Op.NOT, Op.OR, Op.OR_MORE):
        return None
    said = {w for _, x in sentence if x.op(Op.CHANGE) and not x.links for w in x.text.lower().split()}
    way = way_said(said)
    return None if way is None else ">" if way is Way.UP else "<"


def claimed(sentence: Sentence, metric: Metric | None, *, denied: bool = False) -> Side | None:
    """“do A have more than B”: that the first is more, or less; None where nothing is claimed.

    Who is faster takes less time. With ``denied`` a “not” only names one of the two: members and non-members.
    """
    words = [w.lower for w in sentence.words]
    unsure = (Op.OR, Op.OR_MORE) if denied else (Op.NOT, Op.OR, Op.OR_MORE)
    if (words and words[0] not in ASKING) or sentence.has(*unsure):
        return None
    return graded_words(sentence, metric)


def graded_words(sentence: Sentence, metric: Metric | None = None) -> Side | None:
    """“more”, “lower”, “cheaper”: which side of the other a figure is said to be on; None where both or none is said."""
    words = {w.lower for w in sentence.words}
    graded = [x.association for _, x in sentence if x.association is not None and x.association.comparative]
    ways = [
        upward(a, metric, words) if metric is not None else a.descending
        for a in graded
        if a.descending is not None
    ]
    more = bool(_MORE & words) or any(ways)
    less = bool(_LESS & words) or not all(ways)
    return None if more == less else ">" if more else "<"
