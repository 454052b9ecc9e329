"""Shares within groups and periods: the share of cancelled rides by city is that of the rides of each city."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator, QuestionKind
from gnomon.planning.reader.conditions import Conditions
from gnomon.planning.reader.default_measures import UNNAMED
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, DimensionType
from gnomon.semantic.derived import Derived, column_in, text_in

_F = FilterOperator
_BOUNDS = frozenset({_F.GREATER, _F.LESS, _F.AT_LEAST, _F.AT_MOST})


def share_within(draft: Draft, sentence: Sentence, conditions: Conditions, names: Names) -> bool:
    """“the share of cancelled rides by city”, “the share of women in each department”: a rate of each group."""
    share = sentence.find(Op.SHARE)[0]
    at = shared(sentence, share)
    at = at if at is not None else _valued_behind(sentence, share)
    grouped = draft.dimensions or draft.grain or sentence.brackets
    if at is None or not grouped or not _counts_rows(draft, names):
        return False
    _count_named(draft, sentence, at, names)
    if (told := _told_of_rows(draft, sentence, conditions, at, names)) is not None and tell_rate(
        draft, told, names
    ):
        return True
    part = _told_before(draft, sentence, conditions, at, names)
    return part is not None and tell_rate(draft, part, names)


def _valued_behind(sentence: Sentence, share: int) -> int | None:
    """“percentage refused by ward”: the value right behind the word, which nothing else is said to be counted beside."""
    at = share + 1
    adjacent = at < len(sentence) and sentence[at].start == sentence[share].end
    return at if adjacent and sentence[at].values and not sentence[at].links else None


def _count_named(draft: Draft, sentence: Sentence, at: int, names: Names) -> None:
    """“which city has the highest share of cancelled orders”: of orders, whatever was taken for want of a measure."""
    guessed = [n for n in draft.notes if UNNAMED in n]
    rows = [x.named(LinkKind.TABLE) for x in sentence.items[at : at + 2]]
    link = next((x for x in rows if x is not None), None)
    if guessed and link is not None:
        draft.metrics = [names.count_of_table(link.name).name]
        draft.notes = [n for n in draft.notes if n not in guessed]


def _told_before(
    draft: Draft, sentence: Sentence, conditions: Conditions, at: int, names: Names
) -> Filter | None:
    """“the share of late deliveries by supplier”: the one thing that is said of the rows before their name."""
    said = [v for v in conditions.values if v.at == at and not v.versus]
    flags = [f for i, f in conditions.filters if i == at and f in draft.filters]  # "the share of paid fines"
    if len(said) + len(flags) != 1 or any(f.having for f in draft.filters):
        return None
    dimensions = {m.dimension for v in said for choice in v.choices for m in choice}
    meant = flags or [f for f in draft.filters if f.field in dimensions]
    if len(meant) != 1 or meant[0].field in draft.dimensions:
        return None
    if any(x > at for x in _others(sentence, conditions, at)):
        return None  # "what percentage of women work overtime in each department": the women are the whole
    behind = sentence[at + 1] if at + 1 < len(sentence) else None
    if behind is not None and behind.start == sentence[at].end and behind.links:
        if names.measure(behind) is not None and behind.named(LinkKind.TABLE) is None:
            return None  # "the share of electric revenue by city"
        behind.used = True
    return meant[0]


def part_within(draft: Draft, sentence: Sentence, conditions: Conditions, names: Names) -> bool:
    """The same where no rate of single rows tells it: “the share of employees who left, by department”."""
    at = shared(sentence, sentence.find(Op.SHARE)[0])
    if at is None or not draft.dimensions or draft.grain or not _counts_rows(draft, names):
        return False
    ranked = sentence.has(Op.RANK)
    part = None if ranked else _told_of_rows(draft, sentence, conditions, at, names)
    part = part or _told_before(draft, sentence, conditions, at, names)
    if part is None or not draft.metrics:
        return False
    draft.filters, draft.part = [f for f in draft.filters if f != part], [part]
    draft.kind = QuestionKind.SHARE
    return True


def _told_of_rows(
    draft: Draft, sentence: Sentence, conditions: Conditions, at: int, names: Names
) -> Filter | None:
    """“the share of shipments late by carrier”: the one thing that is said of the rows behind their name."""
    link = sentence[at].named(LinkKind.TABLE)
    tables = {m.table for m in map(names.model.metric, draft.metrics)} or {
        link.name if link is not None else None
    }
    if link is None or tables != {link.name} or any(f.having for f in draft.filters):
        return None
    fields = {names.model.dimension(f.field).name for i, f in conditions.filters if i > at}
    fields |= {n.dimension.name for n in conditions.numbers if n.at > at and n.dimension is not None}
    for i in _others(sentence, conditions, at):
        said = [v for v in conditions.values if v.at == i > at and not v.versus]
        fields |= {m.dimension for v in said for choice in v.choices for m in choice}
    meant = [f for f in draft.filters if f.field in fields and f.field not in draft.dimensions]
    return meant[0] if len(meant) == 1 else None


def shared(sentence: Sentence, at: int) -> int | None:
    """Where stands what a share is of; in “our market share in Audio” nothing does."""
    item, words = sentence[at], sentence.words
    of = item.text.lower().endswith(" of") or (item.end < len(words) and words[item.end].lower == "of")
    return sentence.after(at) if of else None


def rows_shared(sentence: Sentence, names: Names) -> str | None:
    """“the share of rows with …”: what counts them, where they are only called rows or records."""
    at = shared(sentence, sentence.find(Op.SHARE)[0])
    rows = at is not None and sentence[at].op(Op.ROWS) and not sentence[at].links
    table = names.default_table(()) if rows else None
    return names.count_of_table(table).name if table is not None else None


def _others(sentence: Sentence, conditions: Conditions, at: int) -> list[int]:
    """Where conditions stand that may be what the share is about; “in Porto” only says where."""
    found = [n.at for n in conditions.numbers] + [i for i, _ in conditions.filters]
    for v in conditions.values:
        before = sentence.before(v.at, (Op.FILLER,))
        placed = before is not None and sentence[before].op(Op.IN)
        found += [] if v.at == at or placed else [v.at]
    return found


def tell_rate(draft: Draft, part: Filter, names: Names) -> bool:
    """Make the share of the rows that meet ``part`` what is measured; False where it cannot be told of each row."""
    column = names.model.dimension(part.field)
    table = column.home.table
    if any(m.table != table for m in map(names.model.metric, draft.metrics)):
        return False
    flag = _flag(part, names)
    rate = f"{Aggregation.MEAN}({table}.{flag.spelling})" if flag is not None else _rate(part, names)
    if rate is None:
        return False
    draft.metrics = [rate]
    draft.filters = [f for f in draft.filters if f != part]
    draft.part = []
    draft.notes = [n for n in draft.notes if UNNAMED not in n]
    return True


def _rate(part: Filter, names: Names) -> str | None:
    """The rate of a flag that is said to hold."""
    column = names.model.dimension(part.field)
    holds = part.operator is _F.EQUALS and str(part.values[0]).strip().lower() in {
        "true",
        "yes",
        "y",
        "t",
        "1",
        "1.0",
    }
    rates = (m for m in names.model.metrics if m.aggregation is Aggregation.MEAN and m.unit == "fraction")
    told = (
        m.name for m in rates if column.home.column in (m.expression or "") and m.table == column.home.table
    )
    return next(told, None) if holds and column.type is DimensionType.BOOLEAN else None


def _flag(part: Filter, names: Names) -> Derived | None:
    column = names.model.dimension(part.field)
    held = column_in(column.home.column)
    if part.relative is not None or part.having:
        return None
    if part.operator in (_F.EQUALS, _F.IN) and column.type is DimensionType.CATEGORY:
        texts = [text_in(str(v)) for v in part.values]
        if any(t != f"'{v}'" for t, v in zip(texts, part.values, strict=True)):
            return None
        values = " or ".join(str(v) for v in part.values)
        return Derived(f"share with {column.label} {values}", f"equals({held}, {', '.join(texts)})")
    if part.operator in _BOUNDS and column.type is DimensionType.NUMBER and len(part.values) == 1:
        bound = f"{part.operator} {part.values[0]}"
        return Derived(f"share with {column.label} {bound}", f"holds({held} {bound})")
    return None


def _counts_rows(draft: Draft, names: Names) -> bool:
    """Whether nothing but rows or things is measured, or only what was taken for want of a measure."""
    guessed = any(UNNAMED in n for n in draft.notes)
    return guessed or all(is_count(names.model.metric(m)) for m in draft.metrics)
