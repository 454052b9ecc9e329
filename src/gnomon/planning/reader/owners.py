"""Whose column is meant where several tables have one of that name: “the names and cities of galleries”."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind, NamedSpan, Vocabulary
from gnomon.planning.reader.words import Word, name_words
from gnomon.semantic import DimensionType
from gnomon.semantic.model import singular

_ALIKE = 0.03
_DETERMINERS = frozenset(
    {"the", "a", "an", "their", "our", "its", "most", "more", "fewest", "fewer", "least", "less", "no"}
)


def name_owners(sentence: Sentence, names: Names) -> None:
    """Say whose each column is, and what is no column or group beside it."""
    _choose_columns(sentence, names)
    _read_doers(sentence)
    _read_deeds(sentence)
    _read_compounds(sentence, names)
    _count_bearers(sentence, names)


def _choose_columns(sentence: Sentence, names: Names) -> None:
    """Keep, of columns that are called alike, those of the rows that the question speaks of."""
    for i, item in sentence:
        columns = [k for k in item.links if k.kind is LinkKind.DIMENSION]
        best = max((k.quality for k in columns), default=0.0)
        alike = [k for k in columns if k.quality > best - _ALIKE]
        homes = {names.model.dimension(k.name).home.table for k in alike}
        if len(homes) < 2 or len(alike) != len(item.links):
            continue
        spoken = {t for j, other in sentence if j != i for t in _tables(other, names)} & homes
        if len(spoken) == 1:
            item.links = tuple(k for k in alike if names.model.dimension(k.name).home.table in spoken)


_COUNTING = (
    ("how", "many"),
    ("number", "of"),
    ("percentage", "of"),
    ("share", "of"),
    ("proportion", "of"),
    ("percent", "of"),
)


def without_parts_of_values(
    items: list[Item], words: Sequence[Word], may_be_rows: Callable[[str], bool]
) -> list[Item]:
    """“how many runners”, where a club is called Redhill Runners: what is counted is no part of a name.

    Nor are “companies” the Trading companies alone, where the rows have no name and may be companies.
    """
    spoken = [w.lower for w in words]
    kept: list[Item] = []
    for item in items:
        counted = tuple(spoken[max(0, item.start - 2) : item.start]) in _COUNTING
        only = item.values and not item.links and all(v.kind == "partial" for v in item.values)
        if only and item.end == item.start + 1 and spoken[item.start].endswith("s"):
            ends = all(name_words(str(v.value))[-1:] == (spoken[item.start],) for v in item.values)
            plain = ends and words[item.start].text.islower()
            if counted or (plain and (may_be_rows(spoken[item.start]) or _is_told_apart(item, items))):
                continue
        kept.append(item)
    return kept


def _is_told_apart(item: Item, items: Sequence[Item]) -> bool:
    """“banking companies”, of categories Banking and Trading companies: the value right before says which are meant."""
    held = {v.dimension for v in item.values}
    before = [v for x in items if x.end == item.start for v in x.values if v.kind in ("exact", "stem")]
    return any(v.dimension in held for v in before)


def _read_doers(sentence: Sentence) -> None:
    """“movies by A. Novak”: by and a value says whose they are, and groups nothing.

    In “resolved by patch”, of a resolution method, the verb is that column, not a state that is called so.
    """
    for i in sentence.find(Op.BY):
        behind = sentence[i + 1] if i + 1 < len(sentence) else None
        if sentence[i].text.lower() != "by" or behind is None or not behind.values or behind.links:
            continue
        sentence[i].operator = Operator(Op.IN)
        verb = sentence[i - 1] if i else None
        held = {v.dimension for v in behind.values if v.kind == "exact"}
        kin = [
            d for d in held for w in name_words(d)
            if verb is not None and kindred(verb.text.lower(), w) and all(v.dimension != d for v in verb.values)
        ]  # fmt: skip
        if verb is not None and verb.values and not verb.links and verb.end == sentence[i].start and kin:
            verb.values, verb.operator = (), Operator(Op.FILLER)


def _read_deeds(sentence: Sentence) -> None:
    """“which companies open the most tickets”, of a status Open: between who does it and what it is done to, a verb."""
    for i, item in sentence:
        before = sentence[i - 1] if i else None
        if not item.values or item.links or item.end != item.start + 1 or before is None:
            continue
        doers = (
            before.links
            and not before.values
            and before.end == item.start
            and before.text.lower().endswith("s")
        )
        behind = sentence.words[item.end].lower if item.end < len(sentence.words) else ""
        word = item.text.lower()
        if doers and behind in _DETERMINERS and (word, "v") in get_lexicon().bases(word):
            item.values, item.operator = (), Operator(Op.FILLER)


def _read_compounds(sentence: Sentence, names: Names) -> None:
    """“which expense category”: what the rows are called, right before a column of theirs, is no group of its own."""
    for i in range(len(sentence) - 1):
        owner, column = sentence[i], sentence[i + 1]
        held = names.dimension(column, DimensionType.CATEGORY) if column.links and not column.values else None
        rows = owner.named(LinkKind.TABLE)
        if held is None or rows is None or rows.quality < 0.95 or owner.end != column.start or owner.values:
            continue
        if rows.name == held.home.table and not owner.text.lower().endswith(("s", "ed", "ing")):
            owner.links, owner.operator = (), Operator(Op.FILLER)


def _count_bearers(sentence: Sentence, names: Names) -> None:
    """“how many guests”, of rows with a guest age and a guest income: whose columns those are is what rows are."""
    for i, item in sentence:
        counted = i > 0 and sentence[i - 1].op(Op.COUNT) and item.text.lower().endswith("s")
        if not counted or not item.links or item.links[0].quality >= 0.7 or item.values:
            continue
        noun = singular(item.text.lower())
        owned = [d for d in names.model.dimensions if name_words(d.label)[0] == noun != d.label]
        tables = {d.home.table for d in owned}
        if len(owned) > 1 and len(tables) == 1 and all(d.type is not DimensionType.ID for d in owned):
            item.links = (Link(LinkKind.TABLE, tables.pop(), 0.9),)


def _tables(item: Item, names: Names) -> set[str]:
    """The table whose rows an item names, or of which it names the only column."""
    named = [k for k in item.links if k.kind is LinkKind.TABLE]
    if named:
        return {named[0].name}
    homes = {names.model.dimension(k.name).home.table for k in item.links if k.kind is LinkKind.DIMENSION} | {
        names.model.dimension(v.dimension).home.table for v in item.values
    }
    return homes if len(homes) == 1 else set()


_CLOSE = 0.85  # names cut short are less sure than those said outright


def is_possessive(question: str, words: Sequence[Word], span: NamedSpan, vocabulary: Vocabulary) -> bool:
    """“museum's visitors” are the visitors of a museum, also where a table is called museum visitors.

    A column is still itself where nothing else is called after its owner: the competitor's price, the husband's height.
    """
    inner = zip(words[span.start : span.end - 1], words[span.start + 1 : span.end], strict=True)
    owners = [a.lower for a, b in inner if question[a.end : b.start].startswith(("'", "’"))]
    column = span.links[0].kind is not LinkKind.TABLE and span.links[0].quality > _CLOSE
    return bool(owners) and not (column and not any(vocabulary.named(w) for w in owners))
