"""“which month saw the biggest jump in orders”: periods ranked by how far they moved from the one before.

The ranking word grades the change and not the level, so it is taken out of the ranking of values; what remains is a
trend, of which the answer tells the steps that were asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gnomon.core.operations import Walk, Way
from gnomon.core.parts import QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.data.column_names import vocabulary
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator, operators
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.times import Times
from gnomon.planning.reader.verdicts import FALLING, RISING, graded_words
from gnomon.planning.reader.words import Word
from gnomon.semantic import Aggregation, DimensionType

_BEING = frozenset({"is", "are", "was", "were"})
_AGAINST = vocabulary(
    "on from in since this last against compared versus vs over for during year month week quarter today"
)
_NOUNS = RISING | FALLING | {"change", "changes", "shift", "shifts", "swing", "swings", "difference"}
_SMALL = vocabulary("slowest slightest smallest gentlest lowest weakest mildest least minimal fewest")
_BETWEEN = vocabulary(
    "monthly yearly annual weekly daily quarterly single relative percentage percent % the most"
)
_MORE = vocabulary(
    "most furthest farthest fastest sharply steeply strongly rapidly quickly dramatically heavily"
)


@dataclass(frozen=True)
class PeriodChange:
    """Which steps of a series are asked for: those up, down, or of the largest size either way."""

    way: Way
    limit: int
    said: str
    understood: bool


def graded_changes(words: Sequence[Word]) -> list[Item]:
    """“the steepest drop”, “the biggest spikes”: a superlative before a change says that it is the largest."""
    known, found = operators(), list[Item]()
    for i, word in enumerate(words[:-1]):
        following = words[i + 1].lower
        if following in _BETWEEN and i + 2 < len(words):
            following = words[i + 2].lower
        ranked = (found_op := known.get((word.lower,))) is not None and found_op.op is Op.RANK
        graded = word.lower.endswith("est") and any(p == "a" for _, p in get_lexicon().bases(word.lower))
        if following not in _NOUNS or not (ranked or graded):
            continue
        if not ranked:
            found.append(Item(i, i + 1, operator=Operator(Op.RANK, word.lower not in _SMALL)))
        at = i + 1 if words[i + 1].lower == following else i + 2
        found.append(Item(at, at + 1, operator=Operator(Op.CHANGE, "")))
    return [*found, *_moved_or_not(words)]


def _moved_or_not(words: Sequence[Word]) -> Iterator[Item]:
    """“is revenue up”, “are units down on last month”: said of what is measured, it is a change."""
    if len(words) < 3 or words[0].lower not in _BEING:
        return
    for i, word in enumerate(words[2:], 2):
        behind = words[i + 1].lower if i + 1 < len(words) and words[i + 1].kind == "word" else ""
        if word.lower in ("up", "down") and (not behind or behind in _AGAINST):
            yield Item(i, i + 1, operator=Operator(Op.CHANGE, ""))


def find_period_change(sentence: Sentence, names: Names, times: Times) -> PeriodChange | None:
    """The steps of a series that a sentence ranks; what ranks and names them is marked used."""
    ranked = _ranked_change(sentence)
    if ranked is None or times.comparison is not None:
        return None
    rank, change = ranked
    asked = _asked_period(sentence, names)
    if asked is None and times.grain is None and not sentence.has(Op.WHEN):
        return None
    limit = _limit(sentence, rank, asked)
    if asked is not None:
        times.grain = TimeGranularity(str(asked.operator.payload)) if asked.operator else times.grain
        asked.links, asked.used = (), True
    for i in sentence.find(Op.WHEN):
        sentence[i].used = True
    said, word = sentence[rank], sentence[change].text.lower().split()[-1]
    small = said.text.lower().split()[-1] in _SMALL
    said.operator, said.links, said.association, said.used = Operator(Op.FILLER), (), None, True
    sentence[change].operator = Operator(Op.CHANGE, _payload(sentence[change]))
    way = _way(word) or Way.EITHER
    return PeriodChange(way, limit, said.text, understood=not small)


def tell_period_change(draft: Draft, found: PeriodChange | None) -> None:
    """Tell the steps of the trend that were asked for, the largest first."""
    if found is None:
        return
    if not found.understood or draft.kind is not QuestionKind.TREND or draft.dimensions:
        draft.unexplained.append(found.said)
        return
    draft.course = draft.course.walking(Walk.GROWTH).model_copy(update={"steps": found.way})
    draft.limit, draft.descending = found.limit, found.way is not Way.DOWN


def note_moved(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“which regions fell from 2023 to 2024”, “… had lower sales than last year”: only the groups that moved that way."""
    period = draft.comparison is not None and draft.comparison.kind == "period"
    if not period or draft.limit is not None:
        return
    which = [
        i for i in sentence.find(Op.WHICH) if sentence[i].text.lower().startswith(("which", "what", "who"))
    ]
    moved = [x.text.lower() for i, x in sentence if _is_change(x) and (not which or i > which[0])]
    way = _way(moved[0]) if len(moved) == 1 else None if moved else _compared_way(draft, sentence)
    if which and way is not None and len(draft.dimensions) == 1:
        asked = sentence.after(which[0])
        if asked is not None and sentence[asked].links and sentence[asked].used:
            draft.claim = draft.claim.model_copy(update={"moved": way})
    elif way is not None and not which and not draft.dimensions:
        _count_moved(draft, way, names)


def _way(word: str) -> Way | None:
    return Way.DOWN if word in FALLING else Way.UP if word in RISING else None


def _compared_way(draft: Draft, sentence: Sentence) -> Way | None:
    """“lower … in 2024 than in 2023”: the way from the earlier to the later period, whichever is named first."""
    words = [w.lower for w in sentence.words]
    if "than" not in words or sentence.has(Op.NOT, Op.OR):
        return None
    grade = graded_words(sentence)
    if grade is None:
        return None
    named = [x.time.period for _, x in sentence if x.time is not None and x.time.kind == "period"]
    swapped = len(named) == 2 and named[0] != draft.time_range
    return Way.UP if (grade == ">") != swapped else Way.DOWN


def _count_moved(draft: Draft, way: Way, names: Names) -> None:
    """“how many brands sold fewer units in May than in April”: each brand is set against itself, then counted."""
    if len(draft.metrics) != 2:
        return
    counted, measured = (names.model.metric(m) for m in draft.metrics)
    thing = names.column_of(counted) if counted.aggregation is Aggregation.COUNT_DISTINCT else None
    if thing is None or not names.model.reaches(measured, thing):
        return
    draft.metrics, draft.dimensions = draft.metrics[1:], [thing.name]
    draft.claim = draft.claim.model_copy(update={"moved": way})


def _payload(item: Item) -> str:
    known = item.operator.payload if item.op(Op.CHANGE) and item.operator is not None else ""
    return str(known or "")


def _is_change(item: Item) -> bool:
    spiking = item.text.lower() in {"spike", "spikes"} and item.op(Op.KIND)
    return (item.op(Op.CHANGE) or spiking) and not item.links and not item.values


def _ranked_change(sentence: Sentence) -> tuple[int, int] | None:
    """Where a ranking word and the change that it grades stand."""
    for i, item in sentence:
        if not _is_change(item):
            continue
        for j in (i - 1, i - 2):
            between = [x for x in sentence.items[j + 1 : i] if j >= 0]
            said = {w.lower for w in sentence.words[sentence[j].end : item.start]} if j >= 0 else {""}
            if j >= 0 and sentence[j].op(Op.RANK) and said <= _BETWEEN and len(between) <= 1:
                return j, i
        behind = [
            j for j in range(i + 1, len(sentence))
            if sentence[j].op(Op.RANK) and sentence[j].text.lower().split()[-1] in _MORE
            and _ends_clause(sentence, j)
        ]  # fmt: skip
        if behind:
            return behind[0], i
    return None


def _ends_clause(sentence: Sentence, j: int) -> bool:
    """“did orders grow the most”: nothing that could be counted follows the word."""
    following = sentence[j + 1] if j + 1 < len(sentence) else None
    return following is None or following.time is not None or not (following.links or following.values)


def _asked_period(sentence: Sentence, names: Names) -> Item | None:
    """“which month”, “the year with”: the noun for a period that is asked for, unless a column of names holds it."""
    for i, item in sentence:
        if not item.op(Op.UNIT) or item.operator is None or str(item.operator.payload).startswith("@"):
            continue
        dimension = names.dimension(item) if item.links else None
        if dimension is not None and dimension.type is not DimensionType.TIME:
            continue
        before = sentence.before(i, (Op.OF, Op.FILLER, Op.RANK, Op.ORDINAL))
        numbered = before is not None and sentence[before].number is not None
        before = sentence.before(before, (Op.OF, Op.FILLER, Op.RANK)) if numbered and before else before
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        asked = before is not None and sentence[before].op(Op.WHICH, Op.WHEN)
        if asked or numbered or (following is not None and following.op(Op.WITH, Op.THAT, Op.WHICH)):
            return item
    return None


def _limit(sentence: Sentence, rank: int, asked: Item | None) -> int:
    """“the three months with the biggest drops”: how many are asked for, one where nothing is said."""
    for i, item in sentence:
        near = abs(i - rank) == 1 or (i + 1 < len(sentence) and sentence[i + 1] is asked)
        if item.number is not None and not item.time and not item.number.percent and near:
            item.used = True
            return max(1, int(item.number.value))
    return 1
