"""Whether words that a language model proposes are a name, and nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from gnomon.core.patterns import regex
from gnomon.guardrails.injection import neutral_name
from gnomon.language.time_grammar import find_times
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.words import is_known_word, name_words, stem
from gnomon.semantic import Aggregation, Metric, SemanticModel
from gnomon.semantic.arithmetic import names_in
from gnomon.semantic.values import ValueIndex

MOST_LETTERS = 40
_WORDS = regex(r"[^\W\d_]+(?:[ '’-][^\W\d_]+){0,4}")
_JOINTS = frozenset({"a", "an", "the", "of", "on", "in", "at", "to", "by", "for", "from", "with", "per"})
_SOME_DAY = date(2024, 5, 15)


class TurnedDown(Exception):
    """What speaks against a proposal."""


def free_name(
    said: str, own: set[str], model: SemanticModel, index: ValueIndex, *, is_row: bool = False
) -> str:
    """What was said as a name, in lower case.

    Args:
        said: By a language model.
        own: The table, or the columns (``table.column``), that it is to be the name of.
        model: Whose other names it must not be.
        index: The values, none of which it must be.
        is_row: Whether it is the noun for rows, which may be a value too ("municipality", beside towns and villages) and
            a word that questions are built of ("run"); whether it is read as the rows is seen by reading it.

    Raises:
        TurnedDown: It is no name, or means something else already.
    """
    text = said.strip(" ").lower()
    if not _WORDS.fullmatch(text) or len(text) > MOST_LETTERS:
        raise TurnedDown(f"a name is one to five words of letters, {MOST_LETTERS} letters at most")
    if neutral_name(text) != text:
        raise TurnedDown("it reads like an instruction")
    words = name_words(text)
    stems = _stems(text)
    built = all(w in FILLERS or (w,) in operators() for w in words) or words in operators()
    noun = is_row and len(words) == 1 and (words not in operators() or words[0] in FILLERS)
    headings = [_stems(ref.column) for d in model.dimensions for ref in d.locations if str(ref) in own]
    if (built and not noun and not any({*stems} <= {*h} for h in headings)) or find_times(text, _SOME_DAY):
        raise TurnedDown("it is among the words that questions are built of")
    for owners, shown, names in _named(model):
        if not owners & own and any(_content(name) == _content(text) for name in names):
            raise TurnedDown(f"{shown} is called so")
    for match in index.find([] if is_row and is_known_word(text) else list(words)):
        if match.score == 1 and (match.start, match.end) == (0, len(words)):
            raise TurnedDown(f"it is a value of {match.dimension}")
    return text


def own_name(text: str, table: str, own: set[str], model: SemanticModel) -> None:
    """Whether a name of a column can be nobody else's where it is said in part or with another word behind it.

    Raises:
        TurnedDown: It is a noun for rows with a word before it, or what several headings have in common.
    """
    rows = model.table(table)
    if len(name_words(text)) > 1 and _head(text) in {
        _head(n) for n in (rows.name, rows.label, *rows.synonyms)
    }:
        raise TurnedDown(f"it ends in the word for a row of {table}")
    for d in model.dimensions:
        others = [ref for ref in d.locations if ref.table == table and str(ref) not in own]
        if others and {*_stems(text)} < {*_stems(others[0].column)}:
            raise TurnedDown(f"it fits the column {others[0]} as well")


def _head(name: str) -> str:
    """The noun that a name is about: the last word, or the one before “of” and the like."""
    words = name_words(name)
    cut = next((i for i, w in enumerate(words) if i and w in _JOINTS), len(words))
    return stem(words[cut - 1]) if words else ""


def _content(name: str) -> frozenset[str]:
    """The words that a name is made of, whatever their order: the use of force, and the force that is used."""
    words = name_words(name)
    return frozenset(stem(w) for w in words if w not in _JOINTS) or frozenset(stem(w) for w in words)


def counts_rows(metric: Metric) -> bool:
    """Whether a metric is the number of all rows of a table."""
    return metric.aggregation is Aggregation.COUNT and metric.expression is None and not metric.where


def _stems(name: str) -> tuple[str, ...]:
    return tuple(stem(w) for w in name_words(name))


def _named(model: SemanticModel) -> Iterator[tuple[set[str], str, tuple[str, ...]]]:
    """Everything that has names: the table or columns that it is of, how it is told, and the names."""
    for t in model.tables:
        yield {t.name}, f"a row of {t.name}", (t.name, t.label, *t.synonyms)
    for d in model.dimensions:
        own = {str(ref) for ref in d.locations}
        yield own, f"the column {d.home}", (d.home.column, d.label, *d.synonyms)
    for m in model.metrics:
        yield {_owner(m)}, f"the metric {m.name}", (m.name, m.label, *m.synonyms)


def _owner(metric: Metric) -> str:
    """The table whose rows a metric counts, or the one column that it is of; else itself."""
    if metric.table is not None and counts_rows(metric):
        return metric.table
    names = list(names_in(metric.expression)) if metric.expression and not metric.where else []
    return f"{metric.table}.{names[0]}" if len(names) == 1 else f"metric {metric.name}"
