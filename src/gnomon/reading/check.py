"""What a question plainly asks for, held against a reading of it: rows that were asked for and counted, orders and ways left out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gnomon.core.parts import FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.check import left_out
from gnomon.planning.reader.dropped_words import SAYS_NO_MORE
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.words import Word
from gnomon.planning.reading import Reading, in_a_row
from gnomon.reading.phrases import Phrases
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.derived import derived, outside
from gnomon.semantic.kinds import Aggregation, DimensionType
from gnomon.semantic.model import Dimension, SemanticModel

EXACT = 0.03
_CLOSED = (Op.WITHOUT, Op.NOT, Op.COUNT, Op.AGGREGATE, Op.RANK, Op.EDGE)
_COUNTS = (Aggregation.COUNT, Aggregation.COUNT_DISTINCT)
_LISTING = frozenset(
    [
        "list",
        "show",
        "give",
        "return",
        "display",
        "name",
        "what",
        "which",
        "who",
        "find",
        "retrieve",
        "print",
        "tell",
    ]
)
_NUMBERS = frozenset(
    [
        "many",
        "much",
        "count",
        "number",
        "often",
        "total",
        "any",
        "share",
        "percentage",
        "percent",
        "rate",
        "ratio",
        "proportion",
        "fraction",
        "most",
        "least",
        "fewest",
        "common",
        "popular",
        "frequent",
        "frequently",
        "top",
        "per",
        "each",
        "every",
        "by",
        "distribution",
        "breakdown",
        "counts",
        "numbers",
        "mix",
        "split",
    ]
)
_OTHERS = frozenset({"other", "others"})
_TOGETHER = frozenset({"together", "combined", "overall", "whatever", "regardless", "calendar"})
_PASSED_OVER = regex(rf"“(\w+)” {SAYS_NO_MORE}")
_OF_A_YEAR = (TimeGranularity.MONTH, TimeGranularity.QUARTER, TimeGranularity.WEEK)
_ALL = frozenset({"any", "all", "every", "each", "these", "those", "across"})
_OF_ONE = frozenset({"with", "that", "who", "whose", "which", "having", "from", "in", "of"})
_DONE = frozenset({"did", "do", "does", "was", "were", "is", "are", "has", "have", "had", "will"})
_PARTS_OF_TIME = frozenset(str(g) for g in TimeGranularity)
_PLAIN = {QuestionKind.VALUE, QuestionKind.LIST, QuestionKind.RANKING, QuestionKind.BREAKDOWN}
_WAYS = (Aggregation.MEAN, Aggregation.SUM, Aggregation.MEDIAN, Aggregation.MIN, Aggregation.MAX)


@dataclass(frozen=True)
class Objection:
    """Why a reading does not answer its question: in a sentence, and by the words that it leaves out."""

    message: str
    words: tuple[str, ...] = ()


def objection(phrases: Phrases, reading: Reading, model: SemanticModel) -> Objection | None:
    """What a reading leaves out of a question that it accounts for word by word; None where nothing is known to be."""
    words, items, requests = phrases.words, phrases.items, reading.parts
    # Values, numbers, days and negations are held against the words by the grammar itself, which knows what it set aside.
    beside = [x for x in items if x.time is not None and x.time.kind == "comparison" and ends(x, phrases)]
    if requests and (lost := left_out(beside, [r.ask for r in reading.requests])):
        texts = tuple(dict.fromkeys(x.text for x in lost))
        return Objection(f"The answer would leave out {in_a_row([f'“{t}”' for t in texts])}.", texts)
    others = [w.text for w in words if w.lower in _OTHERS]
    if others and any(r.comparison is not None and r.comparison.kind == "period" for r in requests):
        return Objection(f"The answer would leave out “{others[0]}”.", (others[0],))
    if _asks_when(words) and requests and not any(tells_time(r, model) for r in requests):
        return Objection("The question asks when, and the answer would not say.")
    if _asks_who(words) and requests and not any(_tells_things(r, model) for r in requests):
        return Objection("The question asks who, and the answer would not say.")
    if not all(is_plain(r) for r in requests):
        return None
    together = bool(_TOGETHER & {w.lower for w in words}) and any(r.grain in _OF_A_YEAR for r in requests)
    if _takes_one_year(words, reading.notes, together=together):
        return Objection("The question speaks of all years, and the answer would be about one of them.")
    if (odd := _says_nothing(requests, model)) is not None:
        return Objection(odd)
    listed = bool(requests) and all(r.kind is QuestionKind.LIST and not r.metrics for r in requests)
    if words and words[0].lower == "how" and listed:
        return Objection("The question asks how they are, and the answer would only list them.")
    if words and words[0].lower == "list" and any(_averages(r, phrases, model) for r in requests):
        return Objection("The question asks for rows, and the answer would average what they have.")
    if (kinds := _different(phrases, requests, model)) is not None:
        return Objection(f"The answer would count rows, and not the different {kinds}.")
    if (dropped := _undated(requests, reading.notes, model)) is not None:
        return Objection(
            f"The answer would be dated by another day than the one that “{dropped}” speaks of.", (dropped,)
        )
    if _so_on(words) and any(f.operator is FilterOperator.IN for r in requests for f in r.filters):
        return Objection(
            "There are more than those that are named, and the answer would be about them alone."
        )
    if _lists(words) and requests and all(_only_counts(r, words[0].lower, model) for r in requests):
        return Objection("The question asks which they are, and the answer would only say how many.")
    alone = all(
        (r.kind is QuestionKind.VALUE and not r.dimensions and r.grain is None)
        or (r.kind is QuestionKind.LIST and not r.metrics and r.listing is None)
        for r in requests
    )
    ordered = [x for x in items if x.op(Op.ORDER)]
    if ordered and alone:
        return Objection(
            f"The answer would have no order, and “{ordered[0].text}” asks for one.", (ordered[0].text,)
        )
    if _ways(phrases) > len({m for r in requests for m in r.metrics}) and not any(
        x.op(Op.VERSUS) for x in items
    ):
        return Objection("The question asks for several figures, and the answer would leave one out.")
    if (both := _both_ends(phrases)) and len(requests) == 1 and len(set(_figures(requests[0], model))) < 2:
        return Objection(f"The question asks for two ends, and the answer would tell one: {in_a_row(both)}.")
    if _takes_one_for_a_number(words, requests):
        return Objection(
            "“the one” stands for a row here, and the answer would take it for the number 1.", ("one",)
        )
    if _wants_both(words, requests):
        return Objection(
            "The question asks for what has both, and the answer would tell what has either.", ("both",)
        )
    if left := _columns_left_out(phrases, requests, model):
        return Objection(f"The answer would leave out {in_a_row([f'“{c}”' for c in left])}.", tuple(left))
    return None


def is_plain(request: Parts) -> bool:
    """Whether a request is one for figures, groups or rows, and none that compares, follows or studies them."""
    return request.kind in _PLAIN and request.study is None


def ends(item: Item, phrases: Phrases) -> bool:
    """Whether nothing is said of it any more: “the month before it”, and not “how many days before the loan”."""
    at = next((end for end, _ in phrases.operator(item.end, Op.THOSE)), item.end)
    return at >= len(phrases.words) or phrases.words[at].kind != "word"


def _columns_left_out(phrases: Phrases, requests: Sequence[Parts], model: SemanticModel) -> list[str]:
    """Columns that a question names by their whole name and no request is about, in the words of the question."""
    borne = {c for r in requests for c in _borne(r, model)}
    dated = any(r.time_range or r.grain or r.recurring or r.comparison for r in requests)
    times = {c for r in requests for c in _dated_by(r, model)}
    at, left = 0, list[str]()
    while at < len(phrases):
        shared = phrases.sharing(at)
        if shared and not any(str(d.home) in borne for d in shared):
            left.append(phrases.words[at].text)
        closed = next(
            phrases.operator(at, *_CLOSED), None
        )  # “no claims” may be a column, and says more often that there are none
        named = [n for n in phrases.columns(at) if n.cost <= EXACT and closed is None]
        end = max((n.end for n in named), default=at + 1)
        longest = [n for n in named if n.end == end]
        held = any(e > end for e, _ in phrases.values(at)) or any(e == end for e, _, _ in phrases.rows(at))
        timed = dated and any(str(n.column.home) in times for n in longest)
        explained = phrases.low(end) == "("  # “load rate (repairs divided by hires)” says itself what it is
        if (
            end > at + 1
            and longest
            and not held
            and not timed
            and not explained
            and not any(str(n.column.home) in borne for n in longest)
        ):
            left.append(" ".join(w.text for w in phrases.words[at:end]).replace(" - ", "-"))
        at = end
    return left


def _dated_by(request: Parts, model: SemanticModel) -> Iterator[str]:
    """The columns whose days a request is about."""
    if request.time_dimension:
        yield from _sources(model.dimension(request.time_dimension))
        return
    for reference in request.metrics:
        if (usual := model.time_dimension(model.metric(reference))) is not None:
            yield from _sources(usual)


def _borne(request: Parts, model: SemanticModel) -> Iterator[str]:
    """The columns that a request is about."""
    conditions = [c for f in (*request.filters, *request.part) for c in (f, *f.among)]
    names = [*request.dimensions, *request.columns, *(f.field for f in conditions if not f.having)]
    names += [n for f in conditions for n in (f.by, f.relative.per if f.relative else None) if n]
    names += [n for n in (request.time_dimension, request.limit_per, request.share.within) if n]
    names += [request.listing.order] if request.listing is not None else []
    for name in names:
        if not name.startswith("@"):
            yield from _sources(model.dimension(name))
    measured = [*request.metrics, *(f.field for f in conditions if f.having)]
    measured += [m for m in (request.beside, request.share.whole) if m]
    for reference in measured:
        for metric in model.base_metrics(model.metric(reference)):
            for column in names_in(metric.expression) if metric.expression else ():
                yield from (f"{metric.table}.{c}" for c in made_of(column))
            for given in metric.where:
                yield from _sources(model.dimension(given.field)) if not given.having else ()
        metric = model.metric(reference)
        if metric.per is not None and metric.per not in set(TimeGranularity):
            yield from _sources(model.dimension(metric.per))


def _sources(column: Dimension) -> Iterator[str]:
    """The columns that hold a dimension, or that it is computed from."""
    yield from (f"{ref.table}.{c}" for ref in column.locations for c in made_of(ref.column))


def made_of(column: str) -> list[str]:
    """The columns of a table that one, which may be derived, is made of."""
    made = derived(column)
    return [column] if made is None else [s for c in made.columns for s in made_of(c)]


def _wants_both(words: Sequence[Word], requests: Sequence[Parts]) -> bool:
    """“which films won both A and B” is not answered by those that won either."""
    conditions = [f for r in requests for f in r.filters]
    either = any(f.operator is FilterOperator.IN for f in conditions) and not any(
        f.having for f in conditions
    )
    lists = all(r.kind is QuestionKind.LIST for r in requests)
    return either and lists and any(w.lower == "both" for w in words)


def _takes_one_year(words: Sequence[Word], notes: Sequence[str], *, together: bool) -> bool:
    """“on Christmas Day in any of these years” is not about the last one, “in all years together” about no month of one."""
    said = [w.lower for w in words]
    ends = [
        i for i, w in enumerate(said) if w in ("year", "years") and _ALL.intersection(said[max(0, i - 3) : i])
    ]
    return bool(ends) and (together or any("the most recent" in n for n in notes))


def _takes_one_for_a_number(words: Sequence[Word], requests: Sequence[Parts]) -> bool:
    """“the one with the highest price” is no price of 1."""
    said = [w.lower for w in words]
    meant = any(w == "one" and behind in _OF_ONE for w, behind in itertools.pairwise(said))
    return meant and "1" not in said and any(f.values == (1,) for r in requests for f in r.filters)


def _ways(phrases: Phrases) -> int:
    """How many figures are asked for side by side: “the average and total amount”."""
    most = 0
    for at in range(len(phrases)):
        ways, here = set[Aggregation](), at
        while (found := next(phrases.operator(here, Op.AGGREGATE), None)) is not None and found[1] in _WAYS:
            ways.add(found[1])
            here = phrases.past(found[0], {",", "and", "&", "the"})
            if here == found[0]:
                break
        most = max(most, len(ways) if len(ways) > 1 else 0)
    return most


def _so_on(words: Sequence[Word]) -> bool:
    """“city, town and so on”: those that are named are some of many."""
    said = f" {' '.join(w.lower for w in words)} "
    return any(f" {more} " in said for more in ("and so on", "and so forth", "etc", "etcetera"))


def _undated(requests: Sequence[Parts], notes: Sequence[str], model: SemanticModel) -> str | None:
    """A verb that was passed over beside days, where rows have several: “polls that finished in October”."""
    dropped = [w for n in notes for w in _PASSED_OVER.findall(n) if get_lexicon().is_participle(w.lower())]
    for r in (r for r in requests if r.time_range is not None and not r.time_dimension):
        tables = {t for m in r.metrics for t in model.base_tables(model.metric(m))}
        days = [d for d in model.dimensions if d.type is DimensionType.TIME and d.home.table in tables]
        if dropped and len(days) > 1:
            return dropped[0]
    return None


def _says_nothing(requests: Sequence[Parts], model: SemanticModel) -> str | None:
    """Why a figure would tell nothing: the number of things for each of the same things, percentages added up."""
    for reference in (m for r in requests for m in r.metrics):
        over, under = outside(reference, " / ") or ("", None)
        if over == under:
            return f"The question would come to {model.metric(over).label} for each of the same, which is always 1."
        metric = model.metric(reference)
        column = metric.expression is not None and len(set(names_in(metric.expression))) == 1
        if column and metric.aggregation is Aggregation.SUM and metric.unit == "%":
            return f"Percentages are not added up: ask for the average of {_plain(metric.label)}."
    return None


def _plain(label: str) -> str:
    return label.removeprefix("total ").removeprefix("sum of ")


def _asks_when(words: Sequence[Word]) -> bool:
    """“when was the largest payment”, and not “when it rains, how many …”."""
    said = [w.lower for w in words]
    return said[:1] == ["when"] and said[1:2] != [] and said[1] in _DONE


def tells_time(request: Parts, model: SemanticModel) -> bool:
    """Whether a day, a month or a part of one is in what is told."""
    told = [*request.dimensions, *request.columns]
    timed = any(n.startswith("@") or model.dimension(n).type is DimensionType.TIME for n in told)
    dated = [d for d in model.dimensions if d.type is DimensionType.TIME or d.label in _PARTS_OF_TIME]
    named = {str(ref) for d in dated for ref in d.locations} & {*_borne(request, model)}
    return request.grain is not None or request.study is not None or timed or bool(named)


def _asks_who(words: Sequence[Word]) -> bool:
    """“who booked it”, “…, and who booked it”, and not “members who booked it”."""
    said = [w.lower for w in words]
    return any(w == "who" and (not i or said[i - 1] in {"and", ","}) for i, w in enumerate(said))


def _tells_things(request: Parts, model: SemanticModel) -> bool:
    """Whether somebody, or something by its name, is in what is told."""
    told = [n for n in (*request.dimensions, *request.columns) if not n.startswith("@")]
    naming = (DimensionType.CATEGORY, DimensionType.TEXT, DimensionType.ID)
    return (
        any(model.dimension(n).type in naming for n in told)
        or request.listing is not None
        or (request.comparison is not None and bool(request.comparison.groups))
    )


def _averages(request: Parts, phrases: Phrases, model: SemanticModel) -> bool:
    """Whether a figure of a list is an average that nobody asked for; what ranks the rows is asked for."""
    said = any(x.op(Op.AGGREGATE, Op.EACH, Op.PER, Op.RANK) for x in phrases.items)
    return not said and any(model.metric(m).aggregation is Aggregation.MEAN for m in request.metrics)


def _different(phrases: Phrases, requests: Sequence[Parts], model: SemanticModel) -> str | None:
    """“how many different cats”, of a table of visits: cats are counted, where pets have a species, and not their visits."""
    for at in range(len(phrases) - 1):
        apart = next((end for end, _ in phrases.operator(at, Op.DISTINCT)), None)
        things = [x for x in phrases.items if x.start == apart and x.values] if apart is not None else []
        homes = {model.dimension(v.dimension).home.table for x in things for v in x.values}
        counted = [model.metric(m) for r in requests for m in r.metrics]
        if (
            things
            and counted
            and all(m.aggregation is Aggregation.COUNT and m.table not in homes for m in counted)
        ):
            return things[0].text
    return None


def _both_ends(phrases: Phrases) -> list[str]:
    """“the highest and the lowest rate”: two words for ends with nothing but “and” between them."""
    for at in range(1, len(phrases) - 1):
        if phrases.low(at) != "and":
            continue
        behind = phrases.past(at + 1, {"the"})
        ends = [next(phrases.operator(i, Op.RANK, Op.EDGE, Op.ORDINAL), None) for i in (at - 1, behind)]
        if all(e is not None for e in ends) and phrases.low(at - 1) != phrases.low(behind):
            return [f"“{phrases.words[at - 1].text}”", f"“{phrases.words[behind].text}”"]
    return []


def _figures(request: Parts, model: SemanticModel) -> Iterator[str]:
    """The figures that a request tells or computes with: the two of “the gap between the highest and the lowest”."""
    for reference in request.metrics:
        yield from (m.name for m in model.base_metrics(model.metric(reference)))


def _lists(words: Sequence[Word]) -> bool:
    """Whether a question asks for things and no number of them."""
    said = [w.lower for w in words]
    return bool(said) and said[0] in _LISTING and not _NUMBERS.intersection(said)


def _only_counts(request: Parts, first: str, model: SemanticModel) -> bool:
    """Whether only numbers are told: of all, or where a list is asked for, for each of the values that choose them."""
    chosen = first == "list" and set(request.dimensions) <= {f.field for f in request.filters}
    plain = request.kind is QuestionKind.VALUE and not request.dimensions
    return (
        bool(request.metrics)
        and (plain or chosen)
        and all(model.metric(m).aggregation in _COUNTS for m in request.metrics)
    )
