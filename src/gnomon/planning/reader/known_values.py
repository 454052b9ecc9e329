"""Asides that only say what holds anyway: an average leaves out missing values, whether or not it is told to."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.data_words import CELLS, COLUMNS, MISSING
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import SemanticModel
from gnomon.semantic.values import ValueIndex

_LEAVING_OUT = vocabulary("excluding ignoring disregarding omitting skipping")
_ALSO = vocabulary("any all the or and both")
_JOINTS = vocabulary(", and but while by")
_ARE = vocabulary("are is were was be being")
_ONLY = vocabulary("only just solely")
_VERBS = vocabulary(
    "calculate compute consider considering use using include including take taking calulate for the"
)
_LEFT_OUT = vocabulary(
    "not taken take into account considered consider counted included include ignored ignore excluded exclude used "
    "are is be should must do the in of for any all please values value entries column"
)
_STOP = regex(r"[.;?!](?:\s|$)")


def rows_that_are_values(
    words: Sequence[Word], reading: Drafted, model: SemanticModel, index: ValueIndex
) -> list[str]:
    """Notes that a word was read as the rows of a table, which were called so, and not as the value that it is too."""
    if reading.status is not ReadingStatus.CLEAR:
        return []
    rows = {stem(t.label) for t in model.tables if stem(t.label) not in map(stem, name_words(t.name))}
    bound = {f.field for r in reading.requests for f in r.filters}
    return [
        f"“{words[m.start].text}” was read as all the rows, not as those of that {model.dimension(m.dimension).label}"
        for m in index.find([w.lower for w in words] if rows else [])
        if m.dimension not in bound and stem(str(m.value).lower()) == stem(words[m.start].lower) in rows
    ]


def without_known(question: str, words: Sequence[Word]) -> list[Word]:
    """The words without asides that say that missing values of what is measured are left out.

    Where they speak of another column they are a condition, and where rows are counted they matter; both stay.
    """
    spoken = [w.lower for w in words]
    if not any(w in MISSING for w in spoken) or not _measures(spoken):
        return list(words)
    kept = list(words)
    for span in (_left_out_sentence, _leaving_out, _that_are_not):
        found = span(question, kept)
        if found is not None:
            start, end = found
            rest = [*kept[:start], *kept[end:]]
            if _measures([w.lower for w in rest]) and _is_named_elsewhere(kept[start:end], rest):
                kept = rest
    return kept


def _measures(spoken: list[str]) -> bool:
    """Whether something is averaged or added up, and nothing counted."""
    counted = any(spoken[i : i + 2] in (["how", "many"], ["number", "of"]) for i in range(len(spoken)))
    found = operators()
    aggregates = [
        i for i in range(len(spoken)) for n in (1, 2)
        if (op := found.get(tuple(spoken[i : i + n]))) is not None and op.op is Op.AGGREGATE
    ]  # fmt: skip
    return bool(aggregates) and not counted and "percentage" not in spoken


def _is_named_elsewhere(span: Sequence[Word], rest: Sequence[Word]) -> bool:
    """Whether the column that an aside speaks of is the one that is measured: it is named beside it too."""
    closed = MISSING | CELLS | COLUMNS | _LEAVING_OUT | _ALSO | _ARE | _ONLY | _VERBS | _LEFT_OUT | _JOINTS
    spoken = {w.stem for w in span if w.lower not in closed and w.lower not in {"that", "which", "with"}}
    return spoken <= {w.stem for w in rest}


def _leaving_out(question: str, words: Sequence[Word]) -> tuple[int, int] | None:
    """“…, excluding missing values”, “ignoring nulls”."""
    spoken = [w.lower for w in words]
    for start, word in enumerate(spoken):
        if word not in _LEAVING_OUT:
            continue
        end = start + 1
        while end < len(spoken) and (spoken[end] in MISSING or spoken[end] in _ALSO):
            end += 1
        if not any(w in MISSING for w in spoken[start:end]):
            continue
        while end < len(spoken) and spoken[end] in CELLS | {"data", "ones"}:
            end += 1
        if end < len(spoken) and spoken[end] not in {",", "?", "and", "by", "for", "per"}:
            continue
        while start and spoken[start - 1] in _JOINTS:
            start -= 1
        return start, end
    return None


def _that_are_not(question: str, words: Sequence[Word]) -> tuple[int, int] | None:
    """“only the ages that are not null”."""
    spoken = [w.lower for w in words]
    for at, word in enumerate(spoken):
        if word not in MISSING or at < 4 or spoken[at - 1] != "not" or spoken[at - 2] not in _ARE:
            continue
        start = at - 2
        start -= spoken[start - 1] in {"that", "which"}
        for _ in range(4):  # the column, and "values"
            if start and spoken[start - 1] not in _ONLY | {"the"}:
                start -= 1
        if not start or spoken[start - 1] not in _ONLY | {"the"}:
            continue
        while start and spoken[start - 1] in _ONLY | _VERBS | _JOINTS:
            start -= 1
        return start, at + 1
    return None


def _left_out_sentence(question: str, words: Sequence[Word]) -> tuple[int, int] | None:
    """“Null ages are not taken into account.”: a sentence that says no more than that."""
    ends = [
        i + 1
        for i in range(len(words))
        if i + 1 == len(words)
        or words[i].text == "?"
        or _STOP.match(question[words[i].end : words[i + 1].start])
    ]
    start = 0
    for end in ends:
        spoken = [w.lower for w in words[start:end]]
        missing = any(w in MISSING for w in spoken)
        left_out = {"not", "ignored", "ignore", "excluded", "exclude"} & {*spoken}
        others = [w for w in spoken if w not in MISSING | _LEFT_OUT and w != "?"]
        if (
            missing
            and left_out
            and {*spoken} & (_LEFT_OUT - {"the", "values", "not"})
            and len(others) <= 2
            and start
        ):
            return start, end
        start = end
    return None
