"""Verbs of two words, said in one: what is sent back is returned, what we take in we earn, who signs up has a signup."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gnomon.data.column_names import vocabulary
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.words import Word, stem

# Forms of the verb | what follows it: the plain words for both, the likeliest first.
_PLAIN = {
    "send sends sent sending|back": "returned",
    "give gives gave given|back": "returned",
    "bring brings brought|back": "returned",
    "come comes came|back": "returned",
    "take takes took taken taking|in": "earned",
    "bring brings brought bringing|in": "earned",
    "rake rakes raked|in": "earned",
    "pull pulls pulled|in": "earned",
    "bring brings brought|out": "launched released",
    "bring brings brought|to market": "launched released",
    "put puts|on the market": "launched released",
    "come comes came|out": "launched released",
    "call calls called|off": "cancelled canceled",
    "pay pays paid|back": "refunded repaid",
    "turn turns turned|down": "rejected declined",
    "put puts|off": "postponed",
    "hand hands handed|in": "submitted",
    "shut shuts|down": "closed",
    "sign signs signed|up": "registered enrolled enroled joined",
}
SAID_IN_ONE = frozenset(w for meant in _PLAIN.values() for w in meant.split())
_BY_VERB: dict[str, list[tuple[list[str], list[str]]]] = {}
for _said, _meant in _PLAIN.items():
    for _verb in _said.partition("|")[0].split():
        _BY_VERB.setdefault(_verb, []).append((_said.partition("|")[2].split(), _meant.split()))
_PARTICLES = frozenset({"back", "out", "off", "up", "down", "on", "over", "in"})
# Of people "come back" means something else.
_PEOPLE = vocabulary(
    "customers people clients users visitors shoppers guests members buyers patients students donors"
)


def joined(
    words: Sequence[Word], known: Collection[str], *, surely: bool
) -> tuple[list[Word], dict[str, str]]:
    """The words with verbs of two words said in one that ``known`` has, and what was said so.

    Args:
        words: The question.
        known: The words of the data, and those that point to a measure of it.
        surely: Leave out what may be a verb before a place or a time: “take in 2024”.
    """
    changed: dict[str, str] = {}
    result: list[Word] = []
    i = 0
    while i < len(words):
        found = _at(words, i, known, surely)
        if found is None:
            result.append(words[i])
            i += 1
            continue
        length, plain = found
        first, last = words[i], words[i + length - 1]
        changed[" ".join(w.text for w in words[i : i + length])] = plain
        result.append(Word(plain, plain, stem(plain), first.start, last.end, "word"))
        i += length
    return result, changed


def as_rates(words: Sequence[Word]) -> list[Word]:
    """“how much does it take to win one order”, “… cost to treat a patient”: so much for each of them."""
    said = [w.lower for w in words]
    for i in range(1, len(words) - 5):
        effort = said[i : i + 2] in (["does", "it"], ["did", "it"]) and said[i + 2] in {"take", "cost"}
        one = said[i + 5] in {"one", "a", "an", "each", "every"} and i + 6 < len(words)
        verb = said[i + 3] == "to" and any(p == "v" for _, p in get_lexicon().bases(said[i + 4]))
        if not (effort and one and verb) or said[0] not in {"how", "what"}:
            continue
        first = i + 2 if said[i + 2] == "take" else i + 3
        per = Word("per", "per", "per", words[first].start, words[first].end, "word")
        return [*words[:first], per, *words[i + 6 :]]
    return list(words)


def _at(words: Sequence[Word], i: int, known: Collection[str], surely: bool) -> tuple[int, str] | None:
    for parts, plain in _BY_VERB.get(words[i].lower, ()):
        if [w.lower for w in words[i + 1 : i + 1 + len(parts)]] != parts:
            continue
        if parts == ["in"] and surely:
            continue
        if parts == ["back"] and words[i].lower.startswith("c") and _PEOPLE & {w.lower for w in words}:
            continue
        stems = {stem(k) for k in known}
        for word in plain:
            if word in known or stem(word) in stems:
                return 1 + len(parts), word
    earned = _earned(words, i) if not surely and "earned" in known else None
    return earned or _glued(words, i, known)


def _earned(words: Sequence[Word], i: int) -> tuple[int, str] | None:
    """“How much did we take on Monday?”"""
    said = [w.lower for w in words]
    asked = "much" in said[:i] and bool({"we", "they", "it"} & set(said[:i]))
    return (1, "earned") if asked and said[i] in {"take", "took", "taken"} else None


def _glued(words: Sequence[Word], i: int, known: Collection[str]) -> tuple[int, str] | None:
    """“signed up”, “check-ins”: the noun of the same two words, where the data has it."""
    if i + 1 >= len(words) or words[i].kind != "word":
        return None
    hyphen = words[i + 1].lower == "-" and i + 2 < len(words)
    last = words[i + 2] if hyphen else words[i + 1]
    particle = last.lower.removesuffix("s") if hyphen else last.lower
    base = words[i].lower
    if [w.lower for w in words[i + 1 : i + 4]] == ["out", "to", "be"]:
        return None  # what turned out to be so is no turnout
    for form in (base, base.removesuffix("ed"), base.removesuffix("s"), base.removesuffix("ing")):
        if particle in _PARTICLES and len(form) > 2 and f"{form}{particle}" in known:
            many = "s" if hyphen and last.lower.endswith("s") and f"{form}{particle}s" not in known else ""
            return (3 if hyphen else 2), f"{form}{particle}{many}"
    return None
