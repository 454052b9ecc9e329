"""Years that are columns: “total for wheat in 2021” is the column of 2021, “from 2019 to 2023” are two of them."""

from __future__ import annotations

import re

from gnomon.core.patterns import regex
from gnomon.core.query import TimeGranularity
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words
from gnomon.semantic import DimensionType, Metric, SemanticModel
from gnomon.semantic.model import singular

_FEWEST = 3
_LABEL = regex(r".+ in (\d{4})")
_MEASURED = 0.96
_ASKING = (Op.AGGREGATE, Op.RANK)
_IS_YEAR = regex(r"(?:19|20)\d\d")
_FIGURES = frozenset({"average", "total", "mean"})


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
        place_year_of_name(sentence, names)
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


def place_year_of_name(sentence: Sentence, names: Names) -> None:
    """“sick days per employee in 2023”, of a column Sick Days 2023: the year is that of the column, and no days are asked for."""
    for i, item in sentence:
        year = _year(item)
        if year is None or _is_of_a_deed(sentence, i, names):
            continue
        of_years = [x for x in sentence.items if x is not item and _is_of_years(x, names)]
        if not of_years or any(_is_plain_measure(x, names) for x in sentence.items if x not in of_years):
            continue
        own = [[k for k in x.links if str(year) in name_words(_label(k, names))] for x in of_years]
        for named, links in zip(of_years, own, strict=True):
            named.links = tuple(links) or named.links
        if all(own):
            item.time, item.number, item.links, item.values = None, None, (), ()
            item.operator, item.used = Operator(Op.FILLER), True


def miss_year(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“sick days in 2022”, where only those of 2023 are told: they are no sick days of that year."""
    labels = [names.model.metric(m).label for m in draft.metrics]
    held = [set(_IS_YEAR.findall(label)) for label in labels]
    for i, item in sentence:
        year = _year(item)
        if year is not None and all(held) and held and not _is_of_a_deed(sentence, i, names):
            draft.unexplained += [item.text] if any(str(year) not in years for years in held) else []


def _is_of_a_deed(sentence: Sentence, i: int, names: Names) -> bool:
    """“hired in 2022”, “hire date in 2022”: the days of something that was done."""
    item, before = sentence[i], sentence.before(i, (Op.IN, Op.FILLER))
    done = [w.lower for w in sentence.words[max(0, item.start - 2) : item.start]]
    dated = before is not None and names.dimension(sentence[before], DimensionType.TIME) is not None
    return dated or any(get_lexicon().is_participle(w) for w in done)


def _year(item: Item) -> int | None:
    """The one whole year that an item names."""
    period = item.time.period if item.time is not None and item.time.kind == "period" else None
    if period is None or period.start.year != period.end.year or period.days < 365:
        return None
    return period.start.year


def _label(link: Link, names: Names) -> str:
    model = names.model
    return model.metric(link.name).label if link.kind is LinkKind.METRIC else model.dimension(link.name).label


def _is_of_years(item: Item, names: Names) -> bool:
    """Whether an item names columns but for the year that stands in their names."""
    labels = [_label(k, names) for k in item.links if k.kind is not LinkKind.TABLE]
    said = {singular(w) for w in name_words(item.text.lower())} - _FIGURES
    rests = [[w for w in name_words(label) if not _IS_YEAR.fullmatch(w)] for label in labels]
    told = [len(rest) < len(name_words(label)) for label, rest in zip(labels, rests, strict=True)]
    return (
        bool(labels) and all(told) and all({singular(w) for w in rest} - _FIGURES <= said for rest in rests)
    )


def _is_plain_measure(item: Item, names: Names) -> bool:
    """Whether something beside is measured that has no year in its name, which the days would be of."""
    measure = names.measure(item) if item.links and item.time is None else None
    return measure is not None and not re.search(r"\b(?:19|20)\d\d\b", measure.label)


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
