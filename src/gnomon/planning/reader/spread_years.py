"""Years that are columns: “total for wheat in 2021” is the column of 2021, “from 2019 to 2023” are two of them."""

from __future__ import annotations

import re

from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Metric, SemanticModel

_FEWEST = 3
_LABEL = re.compile(r".+ in (\d{4})")
_MEASURED = 0.96
_ASKING = (Op.AGGREGATE, Op.RANK)


def years_held(model: SemanticModel) -> dict[int, Metric]:
    """The metrics that are each of one year, by the year; none where years are no columns."""
    told = [
        (int(found[1]), m) for m in model.metrics if (found := _LABEL.fullmatch(m.label)) and m.expression
    ]
    return dict(told) if len(told) >= _FEWEST and len(dict(told)) == len(told) else {}


def place_years(sentence: Sentence, names: Names) -> None:
    """A year names its column, whatever else it may mean; each year, or a change between two, names several."""
    held = years_held(names.model)
    if not held:
        return
    named = [(x, years) for x in sentence.items if (years := _years(x, held))]
    if not named:
        named = [(x, sorted(held)) for x in sentence.items if _is_each(x)]
        for i in (
            sentence.find(Op.RANK) if named else ()
        ):  # "which year was highest" is seen where all are told
            sentence[i].operator, sentence[i].used = Operator(Op.FILLER), True
    nouns = [x for x in sentence.items if x.links and _is_noun(x, held)]
    years = list(dict.fromkeys(y for _, told in named for y in told))
    if not years:
        return
    for item, _ in named:
        item.time, item.number, item.links, item.values, item.operator = (
            None,
            None,
            (),
            (),
            Operator(Op.FILLER),
        )
        item.used = True
    changes = sentence.find(Op.CHANGE) if len(years) > 1 else []
    years = [min(years), max(years)] if changes else years
    links = [Link(LinkKind.METRIC, held[y].name, _MEASURED) for y in years]
    for i in changes:
        links.append(Link(LinkKind.METRIC, f"{held[max(years)].name} - {held[min(years)].name}", _MEASURED))
        sentence[i].operator, sentence[i].used = Operator(Op.FILLER), True
    for noun in nouns:
        noun.links, noun.used = (), True
    _insert(sentence, links)


def _insert(sentence: Sentence, links: list[Link]) -> None:
    """Puts the columns right behind what asks for a figure of them, else at the end."""
    at = next((i + 1 for i in sentence.find(*_ASKING) if not sentence[i].links), len(sentence))
    start = sentence[at].start if at < len(sentence) else len(sentence.words)
    for n, link in enumerate(links):
        joint = [Item(start, start, operator=Operator(Op.AND), text="and")] if n else []
        sentence.items[at:at] = [*joint, Item(start, start, links=(link,), text="")]
        at += 1 + len(joint)


def _years(item: Item, held: dict[int, Metric]) -> list[int]:
    """The years that an item names: one, or those of a span of whole years."""
    period = item.time.period if item.time is not None and item.time.kind == "period" else None
    if period is None:
        named = [y for y, m in held.items() if any(x.name in (m.name, str(y)) for x in item.links)]
        return named if len(named) == 1 else []
    whole = (period.start.month, period.start.day, period.end.month, period.end.day) == (1, 1, 12, 31)
    told = [y for y in held if period.start.year <= y <= period.end.year]
    return told if whole and {period.start.year, period.end.year} <= {*told} else []


def _is_each(item: Item) -> bool:
    """Whether each year is asked for: by year, per year, yearly."""
    return item.time is not None and item.time.kind == "grain" and item.time.grain is TimeGranularity.YEAR


def _is_noun(item: Item, held: dict[int, Metric]) -> bool:
    """Whether an item names what the columns hold, whatever the year."""
    linked = {x.name for x in item.links if x.kind is LinkKind.METRIC}
    return len(linked & {m.name for m in held.values()}) > 1
