"""Turns that only rearrange the answer before: “sort ascending”, “just the first two”, “who is second?”, “all of them”,
“remove that filter”, “for all regions”, “and overall?”.

A turn is one of them only as a whole; whatever else is said in it is read as a question.
"""

from __future__ import annotations

from typing import Any

from gnomon.core.parts import Parts, QuestionKind
from gnomon.core.patterns import late_pattern
from gnomon.planning.reader.operators import Op, operators
from gnomon.planning.reader.words import name_words, root, split_words
from gnomon.semantic import SemanticModel

_K = QuestionKind
_LEADING = late_pattern(
    r"^(?:(?:and|then|now|ok|okay|so|well|please|but|great|thanks|can you|could you|would you|i want to see|let's see|"
    r"show me|show|give me|list|display|tell me|what about|how about|make it)\b[\s,]*)+"
)
_TRAILING = late_pattern(r"(?:[\s,]+(?:please|now|then|thanks|instead|again|though))+$")
_THEM = r"(?:it|them|that|this|these|those|the (?:list|table|results?|rows?|answer|groups?))"
_ORDER = late_pattern(
    rf"(?:(?:re)?(?:sort|order|rank|arrange)(?:ed)? )?(?:{_THEM} )?(?:by (?:value|size) )?(.+)"
)
_FIRST = late_pattern(
    r"(?:the )?(highest|largest|biggest|most|best|top|lowest|smallest|fewest|least|worst|bottom) (?:ones? )?first"
)
_REVERSE = late_pattern(
    rf"(?:in )?reversed?(?: {_THEM})?(?: the)?(?: order)?|(?:the )?other way (?:a)?round|reverse the order|turn {_THEM} (?:a)?round"
)
_NUMBERS = {
    w: n
    for n, w in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1)
}
_ORDINALS = {
    w: n
    for n, w in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 1
    )
} | {"1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5, "runner up": 2, "runner-up": 2}
_SOME = rf"(\d+|{'|'.join(_NUMBERS)})"
_FEW = late_pattern(
    rf"(?:just |only )?(?:the )?(first|last)(?: {_SOME})?(?: ones?)?(?: of (?:them|those|these))?(?: only)?"
)
_PLACE = late_pattern(
    rf"(?:(?:who|which|what)(?: one)?(?: \w+)? )?(?:(?:is|was|are|were|comes?|came|takes?|took)(?: in)? )?(?:on |at |in )?(?:the |number )?"
    rf"({'|'.join(_ORDINALS)}|next)(?: (?:best|most|highest|largest|place|position|rank|one))*"
)
_HIGHER = "higher larger bigger greater more better stronger highest largest biggest greatest best most ahead"
_LOWER = "lower smaller less fewer worse weaker lowest smallest worst least fewest behind"
_WHICH = late_pattern(
    rf"(?:which|who|what)(?: one)?(?: of (?:them|these|those|the two))? (?:is|was|are|were|has|had) (?:the )?"
    rf"({'|'.join(f'{_HIGHER} {_LOWER}'.split())})(?: one)?"
)
_ALL = late_pattern(
    rf"(?:{_THEM} )?all(?: of (?:them|those|these|it))?|everyone|everything|every one(?: of them)?|the (?:whole|full|complete|entire) "
    rf"(?:list|table|ranking|thing)|all (?:the )?(?:groups|rows|places|ranks)"
)
_FILTER = r"(?:filters?|conditions?|restrictions?|constraints?)"
_TAKE_BACK = (
    r"(?:remove|drop|clear|undo|delete|lift|cancel|forget(?: about)?|ignore|without|take (?:off|away|out|back)|"
    r"get rid of|never ?mind|no|reset|leave out|discard|lose|skip)"
)
_UNFILTER = late_pattern(
    rf"{_TAKE_BACK} (?P<which>(?:(?:that|the|this|all|these|those|any|my|our|last|every|of|on|by) )*)(?P<name>[\w ]+? )?{_FILTER}"
    rf"(?P<on> (?:on|by|for) (?:the )?(?P<field>[\w ]+))?"
)
_EVERY = late_pattern(
    r"(?:(?:for|in|at|from|across|over|with|of) )?(?:all|any)(?: of)?(?: the)?(?: \d+)? (?P<name>[\w ]+)|"
    r"(?:remove|drop|forget(?: about)?|ignore|never ?mind|regardless of|irrespective of|no matter(?: which)?|independent of) "
    r"(?:the )?(?P<dropped>[\w ]+)"
)
_OVERALL = late_pattern(
    r"(?:what is it |how much is it |how many is that |how many |how much )?(?:overall|in total|in all|altogether|all in all|"
    r"the total|the overall|for everything|for everyone|for everybody|everywhere|(?P<these>combined|(?:all |taken )?together|both))"
)
_TIMES = frozenset({"year", "month", "quarter", "week", "day", "date", "period", "time", "timeframe"})
_ALL_TIMES = frozenset({"years", "time", "dates"})
_GROUPED = (_K.BREAKDOWN, _K.RANKING, _K.LIST, _K.TREND, _K.VALUE)
_ROWS = (_K.BREAKDOWN, _K.RANKING, _K.LIST)


def moved(question: str, previous: Parts, model: SemanticModel) -> Parts | None:
    """The request before as a turn rearranges it; None where the turn says anything else."""
    said = " ".join(w.lower for w in split_words(question) if w.kind != "symbol")
    plain = _TRAILING.sub("", _LEADING.sub("", said)).strip()
    if not plain or not previous.metrics:
        return None
    groups = len(previous.dimensions) + (previous.grain is not None)
    changes: dict[str, Any] | None = None
    if groups:
        changes = _ordered(plain, previous) or _cut(plain, previous)
        changes = changes or (_placed(plain, previous) or _compared(plain, previous) if groups == 1 else None)
    changes = changes or _whole(plain, previous) or _unfiltered(plain, previous, model)
    changes = changes or _widened(plain, said, previous, model) or _overall(plain, previous)
    return previous.model_copy(update={"question": question, **changes}) if changes else None


def _ordered(plain: str, previous: Parts) -> dict[str, Any] | None:
    """“sort ascending”, “lowest first”, “the other way round”: all groups in that order."""
    if previous.limit is not None or previous.kind not in _GROUPED:
        return None
    first, match = _FIRST.fullmatch(plain), _ORDER.fullmatch(plain)
    named = operators().get(tuple(match[1].split())) if match else None
    if _REVERSE.fullmatch(plain):
        descending = not previous.descending
    elif first:
        descending = first[1] in {"highest", "largest", "biggest", "most", "best", "top"}
    elif named is not None and named.op is Op.ORDER:
        descending = bool(named.payload)
    else:
        return None
    return {"kind": _K.RANKING, "descending": descending, "comparison": None}


def _cut(plain: str, previous: Parts) -> dict[str, Any] | None:
    """“just the first two”, “the last three”: so many of the groups, in the order in which they were shown."""
    match = _FEW.fullmatch(plain)
    alone = match is not None and match[2] is None
    if match is None or previous.kind not in _ROWS or (previous.limit == 1 and alone):
        return None
    if alone and not plain.startswith(("just", "only")) and not plain.endswith("only"):
        return None  # "the first": a place
    number = 1 if alone else _NUMBERS.get(match[2]) or int(match[2])
    descending = previous.descending if match[1] == "first" else not previous.descending
    if number < 1 or (match[1] == "last" and previous.limit is not None):
        return None
    return {"kind": _K.RANKING, "limit": number, "descending": descending, "place": None}


def _placed(plain: str, previous: Parts) -> dict[str, Any] | None:
    """“who is second?”, “and the next one?”: another place of the order before."""
    match = _PLACE.fullmatch(plain)
    if match is None or previous.kind not in _ROWS:
        return None
    last = previous.limit if previous.kind is _K.RANKING else None
    place = _ORDINALS.get(match[1]) or ((last or 0) + 1 if match[1] == "next" and last else None)
    if place is None:
        return None
    alone = place if place > 1 else None
    return {"kind": _K.RANKING, "limit": place, "limit_per": None, "place": alone}


def _compared(plain: str, previous: Parts) -> dict[str, Any] | None:
    """“North and South”, then “which is higher?”: the first of them."""
    match = _WHICH.fullmatch(plain)
    if match is None or previous.comparison is None or previous.comparison.kind != "group":
        return None
    return {"kind": _K.RANKING, "limit": 1, "descending": match[1] in _HIGHER.split(), "comparison": None}


def _whole(plain: str, previous: Parts) -> dict[str, Any] | None:
    """“all of them”: no longer only some places of an order, nor only some of the groups."""
    if not _ALL.fullmatch(plain):
        return None
    if previous.limit is not None:
        return {"limit": None, "limit_per": None, "place": None}
    held = [f for f in previous.filters if f.field in previous.dimensions]
    dropped = held or (list(previous.filters[-1:]) if not previous.dimensions and not previous.grain else [])
    return _without(previous, [f.field for f in dropped]) if dropped else None


def _unfiltered(plain: str, previous: Parts, model: SemanticModel) -> dict[str, Any] | None:
    """“remove that filter”, “drop the region filter”, “clear all filters”."""
    match = _UNFILTER.fullmatch(plain)
    if match is None:
        return None
    name = (match["field"] or match["name"] or "").strip()
    if name:
        return _taken_back(name, previous, model)
    several = "all" in match["which"].split() or plain.endswith("s")
    if several:
        timeless = {"time_range": None, "recurring": None}
        return _without(previous, [f.field for f in previous.filters]) | timeless
    if previous.filters:
        return _without(previous, [previous.filters[-1].field])
    return _timeless(previous)


def _widened(plain: str, said: str, previous: Parts, model: SemanticModel) -> dict[str, Any] | None:
    """“for all regions”, “never mind the office”, “all years”: the condition on it no longer holds."""
    match = _EVERY.fullmatch(plain) or _EVERY.fullmatch(said)
    if match is None or (match["name"] in _TIMES | {f"{t}s" for t in _TIMES} - _ALL_TIMES):
        return None  # "all months" are told one by one
    return _taken_back((match["name"] or match["dropped"]).strip(), previous, model, columns=True)


def _taken_back(
    name: str, previous: Parts, model: SemanticModel, *, columns: bool = False
) -> dict[str, Any] | None:
    """The request without its condition on what is named: a column, the time, or unless ``columns`` a value."""
    wanted = {root(w) for w in name_words(name)}
    for condition in previous.filters:
        if condition.having:
            continue
        label = {root(w) for w in name_words(model.dimension(condition.field).label)}
        held = {root(w) for v in condition.values for w in name_words(str(v))}
        value = not columns and wanted <= held and len(condition.values) == 1
        if wanted <= label or label < wanted or value:
            return _without(previous, [condition.field])
    return _timeless(previous) if wanted and wanted <= {root(w) for w in _TIMES} else None


def _timeless(previous: Parts) -> dict[str, Any] | None:
    if previous.time_range is None and previous.recurring is None:
        return None
    return {"time_range": None, "recurring": None, "comparison": None}


def _without(previous: Parts, fields: list[str]) -> dict[str, Any]:
    changes: dict[str, Any] = {"filters": tuple(f for f in previous.filters if f.field not in fields)}
    if previous.comparison is not None and set(fields) & set(previous.dimensions):
        changes |= {"comparison": None, "kind": _K.BREAKDOWN}
    return changes


def _overall(plain: str, previous: Parts) -> dict[str, Any] | None:
    """“and overall?”: over all groups; where there are none, without the conditions; else over all days."""
    match = _OVERALL.fullmatch(plain)
    if match is None or previous.kind in (_K.SHARE, _K.CORRELATION, _K.REGRESSION):
        return None
    single: dict[str, Any] = {"kind": _K.VALUE, "limit": None, "limit_per": None, "comparison": None,
                              "place": None}  # fmt: skip
    if previous.dimensions or previous.grain is not None:
        return {**single, "dimensions": (), "grain": None,
                "filters": tuple(f for f in previous.filters if not f.having)}  # fmt: skip
    if match["these"]:
        return None  # of which ones was not said
    if previous.filters:
        return {**single, "filters": ()}
    return {**single, "time_range": None, "recurring": None} if previous.time_range else None
