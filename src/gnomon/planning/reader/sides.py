"""States and their opposites in everyday words: late and on time, leaving and staying, a failure where something passed.

The lexicon knows what is derived from what and which words are opposites; what it does not know is told here in pairs of
sides, each word of one side denying each of the other.
"""

from __future__ import annotations

from functools import lru_cache

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, family, kindred, relate
from gnomon.planning.reader.people import is_person_noun
from gnomon.planning.reader.words import name_words

_SIDES = (
    (("late", "lateness", "delay", "delays", "delayed", "overdue", "tardy", "unpunctual"),
     ("on time", "ontime", "punctual", "punctuality", "in time", "timely")),
    (("left", "leave", "leaving", "quit", "departed", "departure", "churn", "churned", "attrition", "exited", "dropped out", "drop out",
      "dropout", "dropouts"),
     ("stayed", "stay", "remained", "loyal", "retained", "retention")),
    (("attended", "attend", "attendance", "attending", "turned up", "turn up", "turnout", "showed up", "show up", "shown up", "show", "came", "come",
      "took part", "take part"),
     ("no show", "no shows", "noshow", "missed", "miss", "absent", "absence", "absences", "stayed away", "stay away")),
    (("approved", "approve", "approval", "accepted", "granted"),
     ("rejected", "reject", "rejection", "rejections", "declined", "denied", "refused", "turned down")),
    (("survived", "survive", "survival", "alive"),
     ("died", "die", "dead", "death", "deaths", "deceased", "mortality", "fatality")),
    (("joined", "join", "joining", "joiners", "signed up", "sign up", "sign ups", "signing up", "signup", "signups", "registered", "register",
      "registration", "registrations", "enrolled", "enroll", "enrolment", "enrollment", "subscribed", "subscribe"), ()),
    (("logged in", "log in", "logging in", "signed in", "sign in", "login", "logins", "last login"), ()),
)  # fmt: skip
_SIDE_OF = {phrase: side for pair in reversed(_SIDES) for side in reversed(pair) for phrase in side}
LONGEST = 2
# What is not won may be a draw; what one side buys the other sells.
_NO_DENIALS = frozenset(
    {"win", "lose", "buy", "sell", "lend", "borrow", "give", "take", "come", "go", "arrive", "depart"}
)
_LEAVING = ("cancel", "terminate", "exit", "leave", "unsubscribe", "resign", "quit")
_HELD = tuple((w,) for w in ("subscription", "membership", "contract", "account", "policy", "plan"))
_NOT = (("no",), ("not",), ("non",))
PREFIXES = ("un", "non", "in", "dis")
_ALIKE = 0.3


def side_words(phrase: str) -> tuple[str, ...] | None:
    """The words on the side of ``phrase``; None where it is on none."""
    return _SIDE_OF.get(phrase)


def on_one_side(phrase: str, name: str) -> bool:
    """Whether a phrase and a name are on the same side of the pairs: signed up, of a day of joining."""
    side = side_words(phrase)
    return side is not None and _told_by(name) is side


def says(phrase: str, name: str) -> bool:
    """Whether a phrase says the state that a name tells: attrition, of who left; completion, of what is finished."""
    if on_one_side(phrase, name):
        return True
    words, named = phrase.split(), name_words(name)
    if len(words) != len(named):
        return False
    return all(_is_form(a, b) for a, b in zip(words, named, strict=True))


def denies(phrase: str, name: str) -> bool:
    """Whether a phrase says that the state of a name does not hold: a failure, where some passed."""
    side, told = side_words(phrase), _told_by(name)
    if side is not None and told is not None:
        return any(side is not told and side in pair and told in pair for pair in _SIDES)
    named = name_words(name)
    return len(named) == 1 and phrase.isalpha() and _are_opposites(phrase, named[0])


def leaves(event: str, rows: str) -> bool:
    """Whether an event is how a person, or what a person holds, leaves: a member or a subscription that is cancelled."""
    if not (is_person_noun(rows) or name_words(rows)[-1:] in _HELD):
        return False
    return any(kindred(w, end) for w in name_words(event) for end in _LEAVING)


def _told_by(name: str) -> tuple[str, ...] | None:
    """The side that a name tells: at its end (arrived on time), or as a verb with what it was done to (left company)."""
    words = name_words(name)
    for size in range(min(LONGEST, len(words)), 0, -1):
        if (side := side_words(" ".join(words[-size:]))) is not None:
            return side if words[-size - 1 : -size] not in _NOT else None
        if (side := side_words(" ".join(words[:size]))) is not None and get_lexicon().is_participle(words[0]):
            return side
    return None


def _is_form(one: str, other: str) -> bool:
    if one == other or kindred(one, other):
        return True
    return any(
        r.relation is Relation.SAME and r.strength >= _ALIKE
        for a in family(one)
        for b in family(other)
        for r in relate(a, b)
    )


@lru_cache(maxsize=2048)
def _are_opposites(one: str, other: str) -> bool:
    """Whether words of both families are opposites, or one is the other with a prefix that denies it."""
    mine, theirs = family(one), family(other)
    if (mine | theirs) & _NO_DENIALS or mine & theirs:
        return False
    rests = [one.removeprefix(p) for p in PREFIXES if one.startswith(p) and len(one) > len(p) + 3]
    if any(kindred(rest, other) for rest in rests if get_lexicon().bases(rest)):
        return True
    return any(r.relation is Relation.OPPOSITE for a in mine for b in theirs for r in relate(a, b))
