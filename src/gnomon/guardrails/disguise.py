"""Text as it is meant: disguised letters undone, words that are only quoted taken out, idioms made plain."""

from __future__ import annotations

import re
import unicodedata

from gnomon.core.patterns import late_pattern, regex
from gnomon.guardrails.toxicity_signs import known

_LOOKALIKES = str.maketrans(
    "аеорсухіѕјԁһԛԝкмнтвгпѵɡαεοριυνκτωßøłđæ", "aeopcyxisjdhqwkmhtbrnvgaeopiuvktwbolda"
)
_INVISIBLE = regex("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_LEET = str.maketrans({"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g", "@": "a",
                       "$": "s", "!": "i", "|": "i", "€": "e", "£": "l", "+": "t"})  # fmt: skip
_SPACED = regex(r"(?<![^\W_])[^\W\d_]([ .\-_*/|~])[^\W\d_](?:\1[^\W\d_])+(?![^\W_])")
_LEET_TOKEN = regex(r"(?<!\S)[\"'(“]?(?=\S*[^\W\d_])(?=\S*[0134578@$!|+€£9])[^\s]{3,24}(?!\S)")
_STARRED = regex(r"[^\W\d_]+[*#%&@^]+[^\W\d_]*")
_ADDRESS = regex(r"\S+@\S+\.\w+|https?://\S+|www\.\S+")
_REPEAT = regex(r"([^\W\d_])\1{2,}")
_MENTION = late_pattern(
    r"""\b(?:words?|phrases?|terms?|keywords?|strings?|text|contain\w*|mention\w*|includ\w*|say|says|saying|said|reads?|tag\w*|labell?ed|named|called|titled|column|values?|categor\w+|match\w*|reviews?|comments?|tickets?|messages?|subject|product|query|search\w*|flag\w*|where|equals?|like|with|about|filter\w*|quote\w*|wrote|writes)\b[^"“«'‘.!?]{0,30}$""",
    re.IGNORECASE,
)
_QUOTED = regex(r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|«([^»\n]{1,80})»|(?<!\w)['‘]([^'’\n]{1,60})['’](?!\w)")

# What stars most often hide, so that "f*ck" is read as the word that its readers read.
STARRED_WORDS = (
    "fuck", "fucking", "fucker", "shit", "bullshit", "bitch", "asshole", "cunt", "bastard", "dick", "crap", "damn", "idiot",
    "stupid", "moron", "whore", "slut", "retard", "pussy", "scum", "loser", "dumbass", "kill", "die",
)  # fmt: skip
# Harmless uses of words that abuse uses too: the words for them are many, so the model learns most from examples.
_IDIOMS = regex(
    r"""\b(?:kill[ -]?switch(?:es)?|kill\s(?:rate|ratio|chain|fee)|killer\s(?:features?|apps?|whales?|deals?|products?)|(?:killed|killing)\sit
    |to\skill\sfor|kill\sfor\s(?:a|an|the|some)|(?:pain|weed)[ -]?killers?|kill(?:s|ed|ing)?\s(?:the\s|this\s|our\s)?(?:process|job|query|task|session|margins?|conversion|deal|project|campaign|messenger|time)
    |dead(?:lines?|\s?stock|\sletter|\son\sarrival|\s?weight|\sinventory|\slinks?|\sin\sthe\swater)|(?:heart|panic|cyber|ddos|phishing)\s?attacks?|shoot(?:ing)?\s(?:up|for|over|me\s(?:an?|the))
    |bath\sbombs?|master[ /-](?:and[ -])?slave|dummy\s(?:variables?|columns?|data|rows?|coding|values?|tables?)|idiot[ -]?proof|(?:will|would|gonna|is\sgoing\sto)\skill\sme
    |(?:number|count|share|rate|trend)\sof\s(?:\w+\s)?(?:murders?|suicides?|deaths?|homicides?|shootings?|killings?|attacks?|insults?)|(?:suicide|murder|homicide|death|mortality)\s(?:rates?|cases?|numbers?|counts?)
    |stupid(?:ly)?\s(?:simple|easy|good|cheap|fast)|(?:dumb|stupid|silly)\s(?:question|mistake|of\sme|phones?)|like\s(?:i'm|i\sam|im)\s(?:stupid|an\sidiot|dumb|five)|junk\s(?:mail|food|bonds?|data)|garbage\s(?:collect\w*|data|bags?|bins?)|trash\s(?:cans?|bags?|bins?)
    |as\shell\b|hell\s(?:of|yeah|yes)\b|what\sthe\shell\b|beats?\s(?:the|last|our)\s(?:forecast|budget|plan|benchmark|market|target|year\w*|month|week)|burn\s(?:rate|down)|break\sa\sleg|rats?\s(?:traps?|poison)|pigs?\s(?:iron|farm\w*|feed))\b""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip


def undisguise(text: str) -> str:
    """Lower case, with look-alike, spaced, starred, doubled and numbered letters read as the letters they stand for."""
    plain = unicodedata.normalize("NFKD", _ADDRESS.sub(" ", _INVISIBLE.sub("", text))).lower()
    plain = "".join(c for c in plain if not unicodedata.combining(c)).translate(_LOOKALIKES)
    plain = plain.replace("’", "'").replace("‘", "'")
    plain = _SPACED.sub(_joined, plain)
    plain = _LEET_TOKEN.sub(_unleet, plain)
    plain = _STARRED.sub(_unstar, plain)
    return _REPEAT.sub(r"\1", plain)


def without_mentions(text: str) -> str:
    """The text with words that are only spoken of, not used, taken out: reviews containing "…"."""

    def replaced(m: re.Match[str]) -> str:
        return " quotedtext " if _MENTION.search(text[: m.start()]) else m.group()

    return _QUOTED.sub(replaced, text)


def without_idioms(text: str) -> str:
    """The text with harmless idioms made plain: kill switch, dead stock, dummy variable."""
    return _IDIOMS.sub(" plainidiom ", text)


def _joined(m: re.Match[str]) -> str:
    letters = re.findall(r"[^\W\d_]", m.group())
    return "".join(letters) if len(letters) >= 3 else m.group()


def _unleet(m: re.Match[str]) -> str:
    token = m.group()
    core = token.rstrip(".,;:?!\"')”")
    if known(core.translate(_LEET)):
        return core.translate(_LEET) + token[len(core) :]
    letters = sum(c.isalpha() for c in core)
    signs = sum(not c.isalpha() for c in core)
    # Codes and amounts (sku-10234, q4, 15kg) are mostly digits or end in them; words in disguise are mostly letters.
    if letters < 2 or signs > letters or re.search(r"\d{3,}|^\W?\d+[a-z]{1,3}$|^[a-z]+-?\d+$|@\w+\.\w", core):
        return token
    return core.translate(_LEET) + token[len(core) :]


def _unstar(m: re.Match[str]) -> str:
    if len(m.group()) < 4 and sum(c.isalpha() for c in m.group()) < 2:
        return m.group()  # a language C#, a grade A*
    pattern = re.compile("".join("[a-z]" if c in "*#%&@^" else re.escape(c) for c in m.group()))
    loose = re.compile(re.sub(r"[*#%&@^]+", "[a-z]+", m.group()))
    for word in STARRED_WORDS:
        if pattern.fullmatch(word):
            return word
    return next((w for w in STARRED_WORDS if loose.fullmatch(w)), m.group())
