"""Where a word stands in a question over tables, and how its meanings are related to the words of the headings.

Told in numbers, without a parser: what part of speech it mostly is, what stands beside it, whether that is named in the
headings, and whether the word is another name, a kind or a wider name of something there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from gnomon.core.patterns import regex
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, kindred, relate

_TOKEN = regex(r"[a-z0-9']+")
_HUMP = regex(r"(?<=[a-z])(?=[A-Z])")
_LETTERS = regex(r"[a-z]{2,}")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_BE = _listed("is are was were be been being get gets got")
_DO = _listed("do does did have has had can could would will")
_OWN = _listed("the a an our their its his her my all any each every this that these those")
_TIES = _listed("in on at by for from of to with per across among between over during within into about through than as via under since")  # fmt: skip
_COUNTED = _listed("many much number count average mean median total sum share percentage proportion fraction rate highest lowest most "
                   "fewest least by per biggest largest smallest top")  # fmt: skip
_PARTICLES = _listed("up out off down over away in back on")
_BOUND = _listed("up out off down away back")
_ASKING = _listed(
    "what which who how when where why show give me list i we you they it us and or not no there please whose if then so"
)
_SMALL = _BE | _DO | _OWN | _TIES | _COUNTED | _ASKING
_RELATIONS = tuple(Relation)
_CHANGED = ("un", "re", "in", "im", "dis", "mis", "non", "pre", "out", "over")
_REACH = 3


def place(question: str, word: str, headings: Sequence[str]) -> list[float]:
    """What part of speech a word mostly is, what it does in its sentence, and whether its neighbours are in the headings."""
    tokens = _TOKEN.findall(question.lower())
    at = tokens.index(word) if word in tokens else 0
    named = {base for heading in headings for part in words_of(heading) for base in bases(part)}
    linked = [i != at and t not in _SMALL and not named.isdisjoint(bases(t)) for i, t in enumerate(tokens)]
    said = [i for i, t in enumerate(tokens) if t not in _SMALL and i != at]
    return [*_kind(word), *_role(tokens, at, linked), sum(linked) / 5, sum(linked) / max(1, len(said)),
            float(sum(linked) == len(said)), float("," in question or ". " in question)]  # fmt: skip


def relations(question: str, word: str, headings: Sequence[str], tables: Sequence[str]) -> list[float]:
    """How strongly the word is related to any word of the headings, to those the question names, and to the tables."""
    said = said_of(question, word)
    every = {part for name in (*headings, *tables) for part in words_of(name)}
    asked = {part for part in every if not said.isdisjoint(bases(part))}
    groups = (every, asked, {part for name in tables for part in words_of(name)})
    return [strength for group in groups for strength in _related(word, group)]


def said_of(question: str, word: str) -> frozenset[str]:
    """The bases of all that a question says but ``word`` and what holds sentences together."""
    tokens = _TOKEN.findall(question.lower())
    return frozenset(b for t in tokens if t != word and t not in _SMALL for b in bases(t))


def mentioned(question: str, word: str, headings: Sequence[str]) -> list[str]:
    """The headings of which the question says a word, other than the word itself."""
    said = said_of(question, word)
    return [h for h in headings if any(not said.isdisjoint(bases(part)) for part in words_of(h))]


def with_particle(question: str, word: str) -> str:
    """A verb with the particle that makes it another one: “throws out” is not “throws”."""
    tokens = _TOKEN.findall(question.lower())
    behind = tokens[tokens.index(word) + 1 :] if word in tokens else []
    bound = behind[:1] and (behind[0] in _BOUND or (behind[0] == "in" and behind[1:3] == ["the", "most"]))
    return f"{word} {behind[0]}" if bound else word


@lru_cache(maxsize=4096)
def words_of(heading: str) -> tuple[str, ...]:
    """The words of a heading, in small letters: “ShipCity”, “ship_city”."""
    return tuple(_LETTERS.findall(_HUMP.sub(" ", heading).lower()))


def _related(word: str, others: set[str]) -> list[float]:
    found = dict.fromkeys(_RELATIONS, 0.0)
    for related in (r for other in others for r in relate(word, other)):
        found[related.relation] = max(found[related.relation], related.strength / (1 + related.steps))
    return [*found.values(), float(any(kindred(word, other) for other in others))]


@lru_cache(maxsize=8192)
def bases(word: str) -> frozenset[str]:
    """A word and what it is a form of."""
    return frozenset({word, *(base for base, _ in get_lexicon().bases(word))})


@lru_cache(maxsize=8192)
def _parts(word: str) -> tuple[float, ...]:
    """How much of the use of a word is as a noun, a verb, an adjective and an adverb."""
    lexicon = get_lexicon()
    met = dict.fromkeys("nvar", 0.0)
    for base, part in lexicon.bases(word):
        met[part] = met.get(part, 0.0) + 0.1 + lexicon.met(base, part)
    return tuple(met[part] / max(0.1, sum(met.values())) for part in "nvar")


def is_verb(word: str) -> bool:
    """Whether a word is mostly used as a verb, or says what was done."""
    return _parts(word)[1] > 1 / 2 or get_lexicon().is_participle(word)


def acts(before: str, word: str, behind: Sequence[str]) -> bool:
    """Whether a word is a verb where it stands: “which shop racks up the most”, though racks are mostly things."""
    return is_verb(word) or (_is_noun(before) and _has_object(behind) and _parts(word)[1] > 0)


def _has_object(behind: Sequence[str]) -> bool:
    return [*behind[:1]] in (["the"], ["a"]) or ([*behind[1:2]] == ["the"] and behind[0] in _PARTICLES)


def _kind(word: str) -> list[float]:
    lexicon = get_lexicon()
    bases = lexicon.bases(word)
    return [*_parts(word), float(lexicon.is_participle(word)), float(word.endswith("ing")), float(not bases),
            float(any(lexicon.entry(base).opposites for base, _ in bases)), float(word.startswith(_CHANGED)),
            min(1.0, lexicon.met(word) / 200)]  # fmt: skip


def _role(tokens: Sequence[str], at: int, linked: Sequence[bool]) -> list[float]:
    """What the word does beside its neighbours, as flags."""
    before, behind = tokens[at - 1] if at else "", tokens[at + 1] if at + 1 < len(tokens) else ""
    after_noun, before_noun = _is_noun(before), _is_noun(behind)
    object_, verb = _has_object(tokens[at + 1 : at + 3]), acts(before, tokens[at], tokens[at + 1 : at + 3])
    noun, adjective = (_parts(tokens[at])[i] > 1 / 2 and not verb for i in (0, 2))
    linked_before, linked_behind = at > 0 and linked[at - 1], at + 1 < len(tokens) and linked[at + 1]
    asked = any(t in _DO for t in tokens[:at])
    passive = before in _BE or (at > 1 and tokens[at - 2] in _BE and before not in _SMALL)
    ends = not behind or behind in _TIES
    placed = before in _TIES or (at > 1 and before in _OWN and tokens[at - 2] in _TIES)
    leads = before_noun and (not before or before in _OWN | _TIES | _COUNTED)
    counted = _is_counted(tokens, at, linked)
    subject = tokens[0] in {"which", "what", "who", "how"} and after_noun and not asked and not passive
    flags = (
        passive, passive and verb, asked, asked and verb and not passive, subject and verb, after_noun and verb and ends,
        leads, leads and adjective, leads and noun, leads and verb, leads and linked_behind, ends and not verb and linked_before,
        placed, placed and not linked_behind, counted, counted and not linked_behind, counted and linked_behind,
        at / max(1, len(tokens)), len(tokens) / 20, before in _OWN, before in _COUNTED, before in _TIES, behind in _TIES,
        behind in _PARTICLES, object_ and verb, linked_before, linked_behind, after_noun, before_noun, not behind, verb, noun, adjective,
    )  # fmt: skip
    return [float(flag) for flag in flags]


def _is_noun(word: str) -> bool:
    return bool(word) and word not in _SMALL and _parts(word)[0] > 0


def _is_counted(tokens: Sequence[str], at: int, linked: Sequence[bool]) -> bool:
    """“how many visits”, “total annual payroll”: what is counted, added up or ranked by."""
    for i in range(at - 1, max(-1, at - 1 - _REACH), -1):
        if tokens[i] in _COUNTED:
            return True
        if linked[i] or tokens[i] in _BE | _DO or (tokens[i] in _TIES and tokens[i] != "of"):
            return False
    return False
