"""Text as it is meant: disguised letters undone, words that are only quoted taken out, idioms made plain."""

from __future__ import annotations

import re
import unicodedata

_LOOKALIKES = str.maketrans(
    "аеорсухіѕјԁһԛԝкмнтвгпѵɡαεοριυνκτωßøłđæ", "aeopcyxisjdhqwkmhtbrnvgaeopiuvktwbolda"
)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]"
)
_LEET = str.maketrans({"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g", "@": "a",
                       "$": "s", "!": "i", "|": "i", "€": "e", "£": "l", "+": "t"})  # fmt: skip
_SPACED = re.compile(
    r"(?<![^\W_])[^\W\d_](?:[ .\-_*/|,~]{1,2}[^\W\d_])(?:[ .\-_*/|,~]{1,2}[^\W\d_])+(?![^\W_])"
)
_LEET_TOKEN = re.compile(r"(?<!\S)[\"'(“]?(?=\S*[^\W\d_])(?=\S*[0134578@$!|+€£9])[^\s]{3,24}(?!\S)")
_STARRED = re.compile(r"[^\W\d_]+[*#%&@^]+[^\W\d_]*")
_ADDRESS = re.compile(r"\S+@\S+\.\w+|https?://\S+|www\.\S+")
_REPEAT = re.compile(r"([^\W\d_])\1{2,}")
_MENTION = re.compile(
    r"""\b(?:words?|phrases?|terms?|keywords?|strings?|text|contain\w*|mention\w*|includ\w*|say|says|saying|said|reads?|tag\w*|labell?ed|named|called|titled|column|values?|categor\w+|match\w*|reviews?|comments?|tickets?|messages?|subject|product|query|search\w*|flag\w*|where|equals?|like|with|about|filter\w*|quote\w*|wrote|writes)\b[^"“«'‘.!?]{0,30}$""",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|«([^»\n]{1,80})»|(?<!\w)['‘]([^'’\n]{1,60})['’](?!\w)"
)

# What stars most often hide, so that "f*ck" is read as the word that its readers read.
STARRED_WORDS = (
    "fuck", "fucking", "fucker", "shit", "bullshit", "bitch", "asshole", "cunt", "bastard", "dick", "crap", "damn", "idiot",
    "stupid", "moron", "whore", "slut", "retard", "pussy", "scum", "loser", "dumbass", "kill", "die",
)  # fmt: skip
_IDIOMS = re.compile(
    r"""\b(?:kill[ -]?switch(?:es)?|kill\s(?:rate|ratio|chain|fee|list\b)|killer\s(?:features?|apps?|whales?|deals?|products?|margins?|month|quarter|week|campaign)|(?:killed|killing)\sit|to\skill\s(?:time|for)|make\sa\skilling|overkill|painkillers?|weed\s?killers?|kills?\s(?:the\s)?(?:process|job|query|task|session|our\s(?:margins?|conversion)|conversion|margins?)|killed\s(?:the\s)?(?:process|job|query|task|deal|project)
    |dead(?:lines?|\s?stock|\sletter|\son\sarrival|\s?weight|\sinventory|\slinks?|\spixels?|\send)|drop[ -]?dead\sdate|(?:heart|panic|cyber|ddos|phishing|brute[ -]force)\s?attacks?|attack(?:s|ed)?\s(?:rate|surface|vector|the\s(?:problem|market|backlog))|shoot(?:ing)?\s(?:up|for|me\san?|the\sproducts?|day|location)|photo\s?shoots?|trouble\s?shoot\w*|shot\sup|bath\sbombs?|bombs?\scyclone|photobomb|cost\sbomb|bomb(?:ed)?\sat\sthe\sbox\soffice|flash\ssale
    |master[ /-]slave|slave\s(?:node|disk|replica)s?|dummy\s(?:variables?|columns?|data|rows?|coding|values?|tables?)|idiot[ -]?proof|crash\s(?:rate|report|course)s?|blood\s(?:pressure|orange|sugar|type)\w*|sex\s(?:column|ratio|distribution)|by\ssex\b|(?:suicide|murder|homicide|crime|rape|death|mortality|abuse|fatality)\s(?:rates?|cases?|numbers?|statistics|counts?|data)|(?:number|count|share|rate|trend)\sof\s(?:\w+\s)?(?:murders?|suicides?|deaths?|homicides?|rapes?|shootings?|killings?|attacks?|hate\scrimes?|insults?|slurs?|victims?)
    |stupid(?:ly)?\s(?:simple|easy|good|cheap|fast|money)|(?:crazy|insane|insanely|ridiculously|sick|wicked|damn|bloody|dead)\s(?:good|fast|cheap|growth|low|high|easy|deals?|well|busy|useful)|dumb\s(?:question|bells?|waiter|terminal|pipe|phones?)|(?:stupid|silly)\s(?:question|of\sme|mistake)|(?:my|our)\s(?:stupid|dumb)\s(?:mistake|typo|error)|junk\s(?:mail|food|bonds?|folder|data|rows?|removal)|garbage\s(?:collect\w*|data|in|bags?|bins?|disposal|truck\w*)|trash\s(?:cans?|bags?|bins?|folder|removal)|hell\s?o\b|as\shell\b|what\sthe\shell\b|die[ -]?cut\w*|die\scast\w*|dies?\sdown|dice|diet\w*|to\sdie\sfor|never\ssay\sdie|beats?\s(?:the\s)?(?:forecast|budget|plan|expectations?|benchmark|market|target)|beat\s(?:last|our|the)\b|punch(?:es)?\s(?:cards?|list|line|through)|hit\s(?:rate|list|the\starget|our\starget)|hits?\sthe\smarket|cut\sthroat|slaughter(?:house|ed\spigs)?|execut(?:e|ed|es|ion|ions|ive|ives|ing)|terminat(?:e|ed|es|ion|ions|ing)|abort(?:ed|s|ing)?|burn\s(?:rate|down|out)|hang(?:s|ing)?\s(?:up|time)|choke\spoints?|toxic\s(?:assets?|waste|chemicals?|comments?|reviews?|materials?)|hate(?:d|s)?\s(?:the\s(?:product|colou?r|smell|taste|packaging|new)|it\swhen|to\s(?:say|ask|bother)|waiting|mondays?|speech)|poison(?:s|ed|ing|ous)?\s(?:control|ivy|cases?|calls?|plants?|the\sdata)|rats?\s(?:race|traps?|poison)|pigs?\s(?:iron|farm\w*|feed|skin)|cows?|monkey\s(?:wrench|bars?|patch\w*|bread)|snakes?|dog\s(?:food|beds?|toys?|treats?|collars?|leash\w*)|bitch\s(?:category)|cock(?:tails?|pit|er|roach\w*)|ass(?:ess\w*|ets?|ign\w*|ist\w*|ume\w*|ort\w*|embl\w*|ociat\w*)|scunthorpe|nuts\b|nuts\sand\sbolts|screw(?:s|driver\w*)?\s(?:sets?|size|sales|head|up\s?rate)?|strip\s(?:the|out|off|lights?|steak|mall)|sucks?\s(?:up|in|out)|suction|vacuum\w*)""",
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
    letters = sum(c.isalpha() for c in core)
    signs = sum(not c.isalpha() for c in core)
    # Codes and amounts (sku-10234, q4, 15kg) are mostly digits or end in them; words in disguise are mostly letters.
    if letters < 2 or signs > letters or re.search(r"\d{3,}|^\W?\d+[a-z]{1,3}$|^[a-z]+-?\d+$|@\w+\.\w", core):
        return token
    return core.translate(_LEET) + token[len(core) :]


def _unstar(m: re.Match[str]) -> str:
    pattern = re.compile("".join("[a-z]" if c in "*#%&@^" else re.escape(c) for c in m.group()))
    loose = re.compile(re.sub(r"[*#%&@^]+", "[a-z]+", m.group()))
    for word in STARRED_WORDS:
        if pattern.fullmatch(word):
            return word
    return next((w for w in STARRED_WORDS if loose.fullmatch(w)), m.group())
