"""The parts of a question that ask on their own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from gnomon.core.parts import QuestionKind
from gnomon.core.patterns import regex
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.same_part import (
    is_of_the_one,
    is_of_them,
    says_again,
    says_something,
)
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word

_OPENING = frozenset(
    {"what", "which", "how", "who", "when", "show", "list", "give", "tell", "where", "what's"}
)
_VERBS = frozenset(
    {"is", "are", "was", "were", "be", "been", "do", "does", "did", "has", "have", "had", "make", "made", "makes",
     "sell", "sold", "sells", "get", "got", "gets", "come", "came", "comes", "happened", "bring", "brought"}
)  # fmt: skip
_GROUPING = (Op.BY, Op.EACH, Op.PER)
_OUTRIGHT = (QuestionKind.CORRELATION, QuestionKind.FORECAST, QuestionKind.ANOMALY)
_STOP = regex(
    r"[?;](?=\s|$)|(?<!\b[A-Za-z])(?<!\b[A-Za-z]{2})(?<!\bavg)[.!](?=\s+(?:[A-Z0-9“\"'(]|[a-h][.)]\s))"
)


@dataclass
class Part:
    """Some of the items of a question, and the words among them that nothing explains.

    ``coordinated`` says that it hangs on the part before by “and”, so that what ends it may hold for both.
    """

    items: list[Item]
    left: list[Word]
    coordinated: bool = False


def parts_of(question: str, cover: Sequence[Item], left: Sequence[Word], words: Sequence[Word]) -> list[Part]:
    """The question cut where it asks anew: after a stop, at numbers that enumerate, and at “and” between
    clauses that each have a question word, or that are built alike."""
    marks = enumerated(words)
    cover = [item for item in cover if not any(item.start >= a and item.end <= b for a, b in marks)]
    left = [w for w in left if not any(w in words[a:b] for a, b in marks)]
    if not cover:
        return [Part([], list(left))]
    stops = _at_stops(question, cover, words)
    cuts = {0: False, **_at_joints(cover, words, stops), **stops}
    for _, behind in marks:
        following = next((n for n, item in enumerate(cover) if item.start >= behind), None)
        if following:
            cuts[following] = False
    places = sorted(cuts)
    parts: list[Part] = []
    for begin, end in zip(places, [*places[1:], len(cover)], strict=True):
        low = words[cover[begin].start].start if begin else 0
        high = words[cover[end].start].start if end < len(cover) else 10**9
        inside = [w for w in left if low <= w.start < high]
        asked = cover[begin:end]
        again = bool(parts) and (says_again(parts[-1].items, asked) or is_of_the_one(asked, parts[-1].items))
        if parts and (is_of_them(asked) or again):
            parts[-1].items.extend(cover[begin:end])
            parts[-1].left.extend(inside)
            continue
        parts.append(Part(list(cover[begin:end]), inside, cuts[begin]))
    asking = [p for p in parts if any(says_something(i) for i in p.items) or _counts_rows(p.items)]
    for earlier, later in pairwise(asking):
        _ask_again(earlier, later)
    lost = [w for p in parts if p not in asking for w in p.left]
    if asking:
        asking[0].left = [*lost, *asking[0].left]
        # "…? correlation": what kind of answer it is to be is said of what was asked before
        asking[-1].items += [x for p in parts if p not in asking for x in p.items if _asks_outright(x)]
    return asking or parts[:1]


def _asks_outright(item: Item) -> bool:
    return item.op(Op.KIND) and item.operator is not None and item.operator.payload in _OUTRIGHT


def _ask_again(earlier: Part, later: Part) -> None:
    """“which category sold most, and which …”: the second “which” is one of what the first one asked for."""
    at = next((n for n, x in enumerate(later.items) if not x.op(Op.AND)), None)
    if at is not None and _is_bare_rank(later.items[at:]):
        leading = (Op.WHICH,) if any(x.op(Op.WHICH) for x in earlier.items) else (Op.RANK,)
        place = next((n for n, x in enumerate(earlier.items) if x.op(*leading)), len(earlier.items))
        noun = next((x for x in earlier.items[place + 1 : place + 3] if x.links or x.op(Op.UNIT)), None)
        if noun is not None:
            end = later.items[at].end
            one = later.items[at].text.lower() in {"one", "ones"}
            later.items[at + (not one) : at + 1] = [replace(noun, start=end, end=end, used=False)]
        return
    if at is None or later.items[at].text.lower().split()[:1] != ["which"]:
        return
    which, behind = later.items[at], later.items[at + 1 : at + 2]
    if behind and behind[0].start - which.end <= 1 and (behind[0].links or behind[0].op(Op.UNIT)):
        return
    asked = next((n for n, x in enumerate(earlier.items) if x.op(Op.WHICH)), None)
    noun = earlier.items[asked + 1] if asked is not None and asked + 1 < len(earlier.items) else None
    if noun is not None and (noun.links or noun.op(Op.UNIT)):
        later.items[at] = replace(which, operator=Operator(Op.WHICH))
        links = () if noun.op(Op.UNIT) else noun.links
        later.items.insert(at + 1, replace(noun, start=which.end, end=which.end, links=links, used=False))


def _is_bare_rank(items: Sequence[Item]) -> bool:
    """“the 3 with the most …”, “the one with the lowest …”: a ranking of what was ranked before."""
    first = items[0]
    counted = (first.number is not None and not first.time) or first.text.lower() in {"one", "ones"}
    return counted and len(items) > 2 and items[1].op(Op.WITH) and items[2].op(Op.RANK)


def _counts_rows(items: Sequence[Item]) -> bool:
    """“How many rows are there?”, which names nothing and asks all the same."""
    return any(x.op(Op.COUNT) for x in items) and any(x.op(Op.ROWS) for x in items)


_GENERIC = frozenset({"things", "figures", "numbers", "questions", "points", "facts", "answers"})


def without_idle_numbers(cover: Sequence[Item], words: Sequence[Word], names: Names) -> list[Item]:
    """Numbers that only count what is named anyway: “all three”, “two things: …”, “the three channels”."""
    kept: list[Item] = []
    for n, item in enumerate(cover):
        if item.number is None or item.time or item.number.percent or item.values:
            kept.append(item)
            continue
        before = words[item.start - 1].lower if item.start else ""
        behind = words[item.end].lower if item.end < len(words) else ""
        if item.op(Op.THOSE) and before == "the" and behind in {"in", "of", "for", "from", "at", "on"}:
            kept.append(replace(item, number=None))  # "above the one in the north"
            continue
        noun = cover[n + 1] if n + 1 < len(cover) and cover[n + 1].start == item.end else None
        dimension = names.dimension(noun) if noun is not None and noun.links else None
        whole = dimension is not None and dimension.distinct == item.number.value
        pointed = before in {"all", "the", "these", "those", "our"}
        ended = not behind or behind in {"?", ",", ";", ":", ")", "of", "please", "too"}
        idle = (
            (behind in _GENERIC and item.number.value < 5)
            or (pointed and whole)
            or (before in {"all", "these", "those"} and ended)
        )
        if not idle:
            kept.append(item)
    return kept


def enumerated(words: Sequence[Word]) -> list[tuple[int, int]]:
    """“1) … 2) …”, “a. … b. …”: where the marks of a list stand that counts up from its first."""
    found: list[tuple[int, int]] = []
    for kind in ("1", "a"):
        wanted = kind
        for i, word in enumerate(words[:-1]):
            opened = i > 0 and words[i - 1].lower == "("
            fresh = i == 0 or opened or words[i - 1].kind == "symbol" or bool(found)
            if word.lower == wanted and words[i + 1].lower in {")", "."} and fresh:
                found.append((i - 1 if opened else i, i + 2))
                wanted = str(int(wanted) + 1) if kind == "1" else chr(ord(wanted) + 1)
        if len(found) > 1:
            return found
        found = []
    return found


def _at_joints(cover: Sequence[Item], words: Sequence[Word], stops: Collection[int]) -> dict[int, bool]:
    """Cuts at “and”, between clauses of one sentence."""
    cuts: dict[int, bool] = {}
    begin = 0
    if cover[0].op(Op.OF, Op.IN, Op.EACH) or words[cover[0].start].lower in {"among", "within"}:
        return cuts
    for n, item in enumerate(cover):
        begin = n if n in stops else begin
        if n == begin or not item.op(Op.AND) or cover[n - 1].op(Op.AND):
            continue
        following = next((x for x in cover[n + 1 :] if not x.op(Op.AND)), None)
        if following is None:
            continue
        if _leads(cover[:n], item):
            break
        bare = _bare(cover[begin:n], words[cover[begin].start if begin else 0 : item.start])
        asks = _asks(following, item.end, words) and (not bare or _ranks_groups(cover[n + 1 :]))
        if asks or _ranks_anew(following, cover[:n], cover[n:]) or _alike(cover[begin:n], cover[n:]):
            cuts[n] = True
            begin = n
    return cuts


def _leads(items: Sequence[Item], joint: Item) -> bool:
    """“By town, what percentage …”: a group that is named first belongs to the question behind the comma."""
    measured = any(x.links and all(k.kind is LinkKind.METRIC for k in x.links) for x in items)
    return joint.text == "," and items[0].op(Op.BY, Op.PER) and not items[0].links and not measured


def _at_stops(question: str, cover: Sequence[Item], words: Sequence[Word]) -> dict[int, bool]:
    """Cuts behind question marks, full stops and semicolons, where what follows asks by itself."""
    cuts: dict[int, bool] = {}
    stops = [m.end() for m in _STOP.finditer(question)]
    for n, stop in enumerate(stops):
        following = next((k for k, item in enumerate(cover) if words[item.start].start >= stop), None)
        if not following:
            continue
        until = stops[n + 1] if n + 1 < len(stops) else len(question)
        clause = [item for item in cover[following:] if words[item.start].start < until]
        since = next(w for w, word in enumerate(words) if word.start >= stop)
        first = next((item for item in clause if not item.op(Op.AND)), cover[following])
        if _begins(first, since, words) or (_measures(clause) and _measures(cover[:following])):
            cuts[following] = False
    return cuts


def _slots(items: Sequence[Item]) -> dict[str, set[str]]:
    """What a clause has of each sort: measures, groups, periods, values by the dimension that holds them."""
    slots: dict[str, set[str]] = {}
    for n, item in enumerate(items):
        before = next((x for x in reversed(items[:n]) if not x.op(Op.FILLER)), None)
        if item.time is not None:
            if item.time.kind in {"period", "open"}:
                slots.setdefault("period", set()).add(item.text.lower())
        elif item.values and not (item.links and item.links[0].quality >= item.values[0].score - 0.03):
            for value in item.values:
                slots.setdefault(f"value {value.dimension}", set()).add(str(value.value))
        elif before is not None and before.op(*_GROUPING) and (item.links or item.op(Op.UNIT)):
            slots.setdefault("group", set()).add(item.text.lower())
        elif item.named(LinkKind.METRIC) or item.named(LinkKind.TABLE):
            slots.setdefault("measure", set()).add(item.text.lower())
    return slots


def _alike(left: Sequence[Item], right: Sequence[Item]) -> bool:
    """“orders in the north in 2025 and in the south in 2024”: two clauses that each fill the same two places.

    One place filled twice is a list (“north and south”); two of them are two questions.
    """
    first = next((n for n, item in enumerate(right) if not item.op(Op.AND)), len(right))
    joint = next((n for n in range(first, len(right)) if right[n].op(Op.AND)), len(right))
    mine, theirs = _slots(left), _slots(right[first:joint])
    if _goes_on(left, right[first:joint]):
        theirs.pop("measure", None)  # "of the first and the second sort of orders": one list, one noun
    if theirs.get("measure", set()) < mine.get("measure", set()):
        theirs.pop("measure", None)  # "the gross of films from A and films from B": one measure
    shared = [k for k in mine if k in theirs and mine[k] != theirs[k]]
    places = {"value" if k.startswith("value ") else k for k in shared}
    same = {"measure"} if "measure" in mine and "measure" in theirs else set[str]()
    return len(places | same) > 1 and bool(places - {"measure"})


def _goes_on(left: Sequence[Item], right: Sequence[Item]) -> bool:
    """Whether a clause begins with a value, right behind one of the same dimension."""
    last = left[-1] if left else None
    begins = next((x for x in right if not x.op(Op.IN, Op.OF, Op.FILLER)), None)
    if last is None or begins is None or not last.values or not begins.values:
        return False
    return bool({v.dimension for v in last.values} & {v.dimension for v in begins.values})


def _measures(items: Sequence[Item]) -> bool:
    return "measure" in _slots(items)


def _bare(items: Sequence[Item], words: Sequence[Word]) -> bool:
    """“how many orders and how much revenue did …”: the first clause has no verb, so it shares the second's."""
    return set(_slots(items)) <= {"measure"} and not any(w.lower in _VERBS for w in words)


def _ranks_groups(items: Sequence[Item]) -> bool:
    """“which region led”: groups in an order, which a figure before it is not told of."""
    clause = list(takewhile(lambda x: not x.op(Op.AND), items))
    which = bool(clause) and clause[0].op(Op.WHICH) and len(clause) > 1
    return which and bool(clause[1].links) and any(x.op(Op.RANK) for x in clause[2:4])


def _ranks_anew(following: Item, left: Sequence[Item], right: Sequence[Item]) -> bool:
    """“revenue by region and the top 3 brands by units”: a ranking with a measure of its own."""
    grouped = any(x.op(Op.BY, Op.EACH) for x in left) and any(x.op(Op.BY) for x in right)
    again = _is_bare_rank([x for x in right if not x.op(Op.AND)] or list(right))
    return (following.op(Op.RANK) and grouped) or (again and any(x.op(Op.RANK) for x in left))


def _begins(item: Item, since: int, words: Sequence[Word]) -> bool:
    """Whether a part after a stop asks on its own; otherwise it goes on with the one before."""
    asking = item.op(Op.WHICH, Op.COUNT, Op.AGGREGATE, Op.RANK, Op.KIND, Op.SHARE)
    return asking or _asks(item, since, words)


def _asks(item: Item, since: int, words: Sequence[Word]) -> bool:
    """Whether a question of its own begins at an item, or at the words that lead up to it."""
    before = words[item.start - 1].lower if item.start else ""
    leading = {w.lower for w in words[since : item.start if item.links else item.start + 1]}  # "list price"
    return bool(leading & _OPENING) or before in {"show", "give", "tell", "what's"}
