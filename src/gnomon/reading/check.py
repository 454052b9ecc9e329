"""What a question plainly asks for, held against a reading of it: rows that were asked for and counted, orders and ways left out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gnomon.core.query import TimeGranularity
from gnomon.core.request import FilterOperator, QuestionKind, Request
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.words import Word
from gnomon.planning.reading import Reading, in_a_row
from gnomon.reading.phrases import Phrases
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.derived import derived
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
_ALL = frozenset({"any", "all", "every", "each", "these", "those", "across"})
_OF_ONE = frozenset({"with", "that", "who", "whose", "which", "having", "from", "in", "of"})
_WAYS = (Aggregation.MEAN, Aggregation.SUM, Aggregation.MEDIAN, Aggregation.MIN, Aggregation.MAX)


@dataclass(frozen=True)
class Objection:
    """Why a reading does not answer its question: in a sentence, and by the words that it leaves out."""

    message: str
    words: tuple[str, ...] = ()


def objection(phrases: Phrases, reading: Reading, model: SemanticModel) -> Objection | None:
    """What a reading leaves out of a question that it accounts for word by word; None where nothing is known to be."""
    words, items, requests = phrases.words, phrases.items, reading.requests
    if _takes_one_year(words, reading.notes):
        return Objection("The question speaks of all years, and the answer would be about one of them.")
    if _lists(words) and requests and all(_only_counts(r, model) for r in requests):
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


def _columns_left_out(phrases: Phrases, requests: Sequence[Request], model: SemanticModel) -> list[str]:
    """Columns that a question names by their whole name and no request is about, in the words of the question."""
    borne = {c for r in requests for c in _borne(r, model)}
    dated = any(r.time_range or r.grain or r.recurring or r.comparison for r in requests)
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
        timed = dated and all(n.column.type is DimensionType.TIME for n in longest)
        explained = phrases.low(end) == "("  # “load rate (repairs divided by hires)” says itself what it is
        if (
            end > at + 1
            and longest
            and not held
            and not timed
            and not explained
            and not any(str(n.column.home) in borne for n in longest)
        ):
            left.append(" ".join(w.text for w in phrases.words[at:end]))
        at = end
    return left


def _borne(request: Request, model: SemanticModel) -> Iterator[str]:
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


def _wants_both(words: Sequence[Word], requests: Sequence[Request]) -> bool:
    """“which films won both A and B” is not answered by those that won either."""
    conditions = [f for r in requests for f in r.filters]
    either = any(f.operator is FilterOperator.IN for f in conditions) and not any(
        f.having for f in conditions
    )
    lists = all(r.kind is QuestionKind.LIST for r in requests)
    return either and lists and any(w.lower == "both" for w in words)


def _takes_one_year(words: Sequence[Word], notes: Sequence[str]) -> bool:
    """“on Christmas Day in any of these years” is not about the last one."""
    said = [w.lower for w in words]
    ends = [
        i for i, w in enumerate(said) if w in ("year", "years") and _ALL.intersection(said[max(0, i - 3) : i])
    ]
    return bool(ends) and any("the most recent" in n for n in notes)


def _takes_one_for_a_number(words: Sequence[Word], requests: Sequence[Request]) -> bool:
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


def _lists(words: Sequence[Word]) -> bool:
    """Whether a question asks for things and no number of them."""
    said = [w.lower for w in words]
    return bool(said) and said[0] in _LISTING and not _NUMBERS.intersection(said)


def _only_counts(request: Request, model: SemanticModel) -> bool:
    if request.kind is not QuestionKind.VALUE or request.dimensions or not request.metrics:
        return False
    return all(model.metric(m).aggregation in _COUNTS for m in request.metrics)
