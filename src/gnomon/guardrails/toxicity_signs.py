"""Signs of abuse in a sentence: who is spoken of, what is said of them, and whether it is denied.

Each sign is a small number; the model weighs them beside the words themselves.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

from gnomon.core.safe_yaml import shipped_yaml
from gnomon.data.column_names import vocabulary

WORDS = Path(__file__).parent / "data" / "toxicity_words.yaml"
SIGNS = (
    "you_insult", "called", "vocative", "insults", "denied", "you_harm", "i_harm", "passive_harm", "death_wish", "hatred",
    "curse_at", "curses", "group_insult", "person_insult", "thing_insult", "self_insult", "asks_data", "bare_insult", "group",
    "you", "without_you",
)  # fmt: skip
_YOU = vocabulary("you your you're youre yourself u ur ya y'all yours")
_SELF = vocabulary("i i'm im me my myself am")
_THEY = vocabulary("he she they them him her he's she's they're those these it's that's")
_BE = vocabulary("is are was were be being been am seem seems sound sounds look looks")
_WILL = vocabulary(
    "will gonna going want wants should ought let's lets must shall would i'll i'd we'll could need"
)
_THINGS = vocabulary(
    "product app dashboard packaging delivery website printer chair blender phone chart report update "
    "shirt battery table query idea question mistake number design layout service quality weather "
    "process job campaign feature model column data price deal tool software file system server"
)  # fmt: skip
_ASKS = vocabulary(
    "how many much show which what count list compare average number share rate by per total top trend "
    "plot chart filter where"
)


@cache
def lexicon() -> dict[str, frozenset[str]]:
    """The classes of words, by name."""
    read: dict[str, str] = shipped_yaml(WORDS)
    return {name: frozenset(words.split()) for name, words in read.items()}


def known(word: str) -> bool:
    """Whether a word, once its disguise is off, is one that the model looks at as an insult."""
    words = lexicon()
    return (
        word in words["insult"]
        or word in words["adjective"]
        or word in words["curse"]
        or word in words["harm"]
    )


_NARROWING = vocabulary(
    "only just and or for what about how the all also of in with among by per each people persons ones instead"
)


def only_names(words: list[str]) -> bool:
    """“only women”, “and men?”: somebody is named, as a condition on data is, and nothing is said of them."""
    spoken = [w for w in words if w.isalpha()]
    groups = lexicon()["group"]
    return bool(spoken) and all(w in groups or w in _NARROWING or w in _ASKS for w in spoken)


_SIGNS = ("insult", "adjective", "harm", "harmed", "death", "hate", "curse", "group", "person")
_SOMEBODY = (_YOU | _THEY | _SELF) - {"them", "these", "it's", "that's"}  # "40 pigs, among them …"


def speaks_of_data(words: Collection[str], names: Collection[str]) -> bool:
    """Whether words speak to nobody and of nobody, and none but the names of the data is one that abuse uses."""
    known = lexicon()
    others = [w for w in words if w not in names]
    return not any(
        w in _SOMEBODY or any(_singular(w) in known[s] or w in known[s] for s in _SIGNS) for w in others
    )


def signs(marked: list[str], plain: str) -> list[float]:
    """The signs of one sentence, in the order of :data:`SIGNS`.

    Args:
        marked: Its words, those behind a negation prefixed with ``not_``.
        plain: The sentence with disguises undone, punctuation included.
    """
    words = lexicon()
    bare = [w.removeprefix("not_") for w in marked]
    is_insult = [_singular(w) in words["insult"] or w in words["adjective"] for w in marked]
    denied = [
        w.startswith("not_") and (_singular(b) in words["insult"] or b in words["adjective"])
        for w, b in zip(marked, bare, strict=True)
    ]
    at = [i for i, hit in enumerate(is_insult) if hit]
    you = [i for i, w in enumerate(bare) if w in _YOU]
    aimed = any(_near(i, you, 5, 3) for i in at)
    values = {
        "you_insult": aimed,
        "called": any(_called(bare, i, words) for i in at),
        "vocative": _vocative(plain, words),
        "insults": min(3, len(at)) / 2,
        "denied": any(denied),
        "hatred": any(w in words["hate"] and _object(bare, i, words, 3) for i, w in enumerate(marked)),
        "curse_at": _curse_at(bare, words),
        "curses": min(2, sum(b in words["curse"] for b in bare)) / 2,
        "thing_insult": any(any(b in _THINGS for b in bare[max(0, i - 4) : i + 3]) for i in at) and not aimed,
        "self_insult": any(any(b in _SELF for b in bare[max(0, i - 4) : i]) for i in at) and not you,
        "asks_data": min(3, sum(b in _ASKS for b in bare)) / 3,
        "bare_insult": bool(at) and len(bare) <= 3,
        "group": any(b in words["group"] for b in bare),
        "you": bool(you),
        "without_you": bool(re.search(r"\b(?:without|if)\s(?:you|u|them)\b|better\s(?:off|place)", plain)) and bool(you),
    }  # fmt: skip
    values |= _subjects(bare, at, words) | _harms(marked, bare, words)
    return [float(values[name]) for name in SIGNS]


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _near(i: int, places: list[int], before: int, after: int) -> bool:
    return any(-after <= i - p <= before and p != i for p in places)


def _object(bare: list[str], i: int, words: dict[str, frozenset[str]], reach: int) -> bool:
    """Whether somebody stands shortly behind a verb."""
    following = bare[i + 1 : i + 1 + reach]
    return any(
        w in _YOU or w in words["group"] or w in words["person"] or w in {"him", "her", "them"}
        for w in following
    )


def _called(bare: list[str], i: int, words: dict[str, frozenset[str]]) -> bool:
    """ "You are a …", "such a …", "what a …": somebody is called something."""
    before = bare[max(0, i - 4) : i]
    subject = any(w in _YOU or w in _THEY or w in words["person"] for w in before)
    return (
        subject and any(w in _BE or w in {"you're", "he's", "she's", "they're"} for w in before)
    ) or before[-2:] in (["such", "a"], ["what", "a"], ["what", "an"])


def _vocative(plain: str, words: dict[str, frozenset[str]]) -> bool:
    for m in re.finditer(r"(?:^|,\s?)(?:you\s)?((?:[a-z']+\s){0,2}[a-z']+)\s?(?=[,.!?]|$)", plain):
        tail = m[1].split()
        spared = tail[0] in _SELF or set(tail) & {"no", "not", "isn't", "never"}
        if len(tail) <= 3 and not spared and _singular(tail[-1]) in words["insult"]:
            return True
    return False


def _curse_at(bare: list[str], words: dict[str, frozenset[str]]) -> bool:
    verbs = {"fuck", "screw", "damn", "sod", "bugger", "suck", "eat", "kiss", "shove", "stick", "shut"}
    targets = _YOU | {"off", "them", "him", "her", "shit", "dirt", "ass", "dick", "mouth", "face", "up"}
    return any(
        w in verbs and any(b in targets or b in words["group"] or b in words["person"] for b in bare[i + 1 : i + 4])
        and (w in {"fuck", "screw", "sod", "bugger"} or any(b in _YOU or b in {"ass", "dick", "shit", "up", "dirt"} for b in bare[i + 1 : i + 5]))
        for i, w in enumerate(bare)
    )  # fmt: skip


def _subjects(bare: list[str], at: list[int], words: dict[str, frozenset[str]]) -> dict[str, bool]:
    def about(classes: frozenset[str]) -> bool:
        return any(
            any(b in classes for b in bare[max(0, i - 6) : i])
            and any(b in _BE for b in bare[max(0, i - 4) : i])
            for i in at
        )

    return {"group_insult": about(words["group"]), "person_insult": about(words["person"] | _THEY)}


def _harms(marked: list[str], bare: list[str], words: dict[str, frozenset[str]]) -> dict[str, bool]:
    harms = [i for i, w in enumerate(marked) if w in words["harm"] and _object(bare, i, words, 4)]
    willing = [i for i in harms if any(w in _WILL for w in bare[max(0, i - 4) : i])]
    somebody = _YOU | words["group"] | words["person"] | _THEY | {"all"}
    passive = any(
        w in words["harmed"] and any(b in {"be", "get"} for b in bare[max(0, i - 3) : i])
        and any(b in {"should", "deserve", "deserves", "must", "ought"} for b in bare[max(0, i - 5) : i])
        and any(b in somebody for b in bare[:i])
        for i, w in enumerate(bare)
    )  # fmt: skip
    wishes = {
        "hope",
        "wish",
        "deserve",
        "deserves",
        "should",
        "go",
        "just",
        "please",
        "may",
        "why",
        "if",
        "were",
        "prepare",
        "until",
        "be",
    }
    death = any(
        w in words["death"] and any(b in wishes for b in bare[max(0, i - 6) : i])
        and (any(b in somebody for b in bare) or len(bare) <= 4)
        for i, w in enumerate(marked)
    )  # fmt: skip
    drop = (
        "drop dead" in " ".join(bare)
        or "kill yourself" in " ".join(bare)
        or "hang yourself" in " ".join(bare)
    )
    return {
        "you_harm": any(b in _YOU for i in harms for b in bare[i + 1 : i + 5]),
        "i_harm": bool(willing),
        "passive_harm": passive,
        "death_wish": death or drop,
    }
