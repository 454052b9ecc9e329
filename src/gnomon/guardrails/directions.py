"""Words that say which way: up and down, more and fewer, highest and lowest; and the idioms that do not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary


class Way(StrEnum):
    """What a word claims."""

    UP = "up"
    DOWN = "down"
    FLAT = "flat"
    MOST = "most"
    LEAST = "least"

    @property
    def sign(self) -> int:
        """1 for more, -1 for less, 0 for the same."""
        return {"up": 1, "most": 1, "down": -1, "least": -1}.get(self.value, 0)


@dataclass(frozen=True)
class Direction:
    """One such word in a text.

    Args:
        way: What it claims.
        start: Where it begins.
        end: Where it ends.
        judges: Whether it is a judgement (better, worst), which depends on which way is good.
        signs: Whether it tells the sign of a relation (positive, negative).
    """

    way: Way
    start: int
    end: int
    judges: bool = False
    signs: bool = False

    @property
    def superlative(self) -> bool:
        """Whether it names an extreme."""
        return self.way in (Way.MOST, Way.LEAST)


_WORDS: dict[Way, str] = {
    Way.UP: (
        "up upward upwards uptick upturn rise rises rose risen rising increase increases increased increasing grow grows grew grown "
        "growing growth gain gains gained gaining climb climbs climbed climbing jump jumps jumped jumping surge surges surged surging "
        "soar soars soared soaring spike spiked higher more greater larger bigger above exceed exceeds exceeded exceeding ahead "
        "outperform outperforms outperformed accelerate accelerated expand expanded outsold outpaced upswing rebounded rallied "
        "longer faster heavier older"
    ),
    Way.DOWN: (
        "down downward downwards downturn fall falls fell fallen falling decrease decreases decreased decreasing decline declines "
        "declined declining drop drops dropped dropping dip dips dipped dipping shrink shrinks shrank shrunk shrinking slide slid "
        "slump slumped slumping plunge plunged plunging plummet plummeted lower less fewer smaller below behind trail trails trailed "
        "reduced reduction reductions contract contracted decelerate decelerated underperform underperformed tumbled sank "
        "shorter slower lighter younger trailing"
    ),
    Way.FLAT: "unchanged flat",
    Way.MOST: (
        "highest largest biggest greatest most maximum max peak peaked top leading leads lead led strongest longest dominates tops topped oldest fastest"
    ),
    Way.LEAST: "lowest smallest fewest least minimum min bottom weakest shortest trough youngest slowest",
}  # fmt: skip
_JUDGING = {"better": Way.UP, "improved": Way.UP, "improves": Way.UP, "improvement": Way.UP, "improving": Way.UP,
            "worse": Way.DOWN, "worsened": Way.DOWN, "worsening": Way.DOWN, "deteriorated": Way.DOWN,
            "best": Way.MOST, "worst": Way.LEAST}  # fmt: skip
_OF = {w: way for way, words in _WORDS.items() for w in words.split()} | _JUDGING
_FIND = regex(rf"\b(?:{'|'.join(sorted(_OF, key=len, reverse=True))})\b", re.IGNORECASE)
_RELATION = regex(
    r"\b(?P<word>positive|negative|positively|negatively|inverse|inversely)\b(?=\s(?:\w+\s){0,2}?(?:correlat|relat|associat|slope|trend|effect|link|coefficient|connect))",
    re.IGNORECASE,
)
# Idioms in which these words claim nothing about a value.
_IDIOM = regex(
    r"""\b(?:up\sto(?=\s(?!\W?\d))|made\sup|makes?\sup|set\sup|sums?\sup|add(?:s|ed)?\sup|follow(?:ed|s)?[ -]up|look(?:ed)?\sup|up[ -]to[ -]date
    |br(?:eak|oken|eaks)[ -]down|breakdown|drill(?:ed)?[ -]down|narrow(?:ed|s)?\sdown|written\sdown
    |more\s(?:or\sless|details?|information|precisely|generally|detail|about|on\sthis|specific\w*|exact\w*|than\sone\s(?:way|reading|column|table|meaning))|(?:and|or|another)\s(?:\d[\d,]*|\w+)\smore\b(?!\s(?:than|for|in|of))|once\smore|any\smore|what\sis\smore|no\smore|one\smore
    |more\s(?:data|rows|history|days|weeks|months|years|periods|observations|values|points)\s(?:is|are|would|to|needed|may)\b
    |at\s(?:most|least)(?=\s[a-z])|most\s(?:likely|recent(?:ly)?|of\sthe\stime|commonly|probably|notably|importantly)|mostly|least\ssquares|the\smost\srecent
    |(?:lower|upper)\s(?:bound|quartile|limit|end|half|case)|min[ -]max|top[ -](?:level|right|left)|bottom[ -](?:line|right|left|up)|on\stop\sof|leads?\sto|led\sto|led\sby|leading\s(?:to|zero\w*|up)|lead\stime\w*|max(?:imum)?\sof\s\d+\srows
    |below(?=[.:]|\s(?:shows?|lists?|table|is|are)\b)|(?:table|chart|list|see|shown|listed|figure|rows|values|detail\w*|as|the)\s(?:above|below)|above\sall|no\slonger|longer\s(?:than|period\w*|history)(?=\s(?:the\sdata|this))|less\slikely|more\slikely|drop[ -]?(?:down|off|ped\sout)|dropped\s(?:rows?|columns?)|falls?\s(?:within|into|under|in\sthe|on)|fell\s(?:within|into|on)|behind\s(?:the|this|it|that)\s(?:change|figure|number|rise|drop|increase|decrease|fall)|contract\s(?:type|id|value)|flat\s(?:rate|fee)|min\b(?=\.?\s?\d)|the\smost\sof|more\sinfo)""",
    re.VERBOSE | re.IGNORECASE,
)
_MINUTES = regex(r"\d\s?$")
_LOWER_IS_BETTER = vocabulary(
    "cost costs expense expenses return returns returned refund refunds defect defects late delay "
    "delays stockout stockouts complaint complaints churn error errors loss losses debt cancellation "
    "cancellations bounce downtime latency wait incident incidents failure failures warning warnings "
    "shortage overdue backlog"
)  # fmt: skip


def find_directions(text: str) -> list[Direction]:
    """Every word of the text that claims a direction or an extreme, in order."""
    idle = [m.span() for m in _IDIOM.finditer(text)]
    found: list[Direction] = []
    for m in _FIND.finditer(text):
        if any(a <= m.start() < b for a, b in idle):
            continue
        word = m.group().lower()
        if word == "min" and _MINUTES.search(text[: m.start()]):
            continue
        found.append(Direction(_OF[word], m.start(), m.end(), judges=word in _JUDGING))
    for m in _RELATION.finditer(text):
        way = Way.UP if m["word"].lower().startswith("pos") else Way.DOWN
        found.append(Direction(way, m.start(), m.end(), signs=True))
    return sorted(found, key=lambda d: d.start)


def lower_is_better(words: frozenset[str]) -> bool:
    """Whether the words of a metric say that less of it is better."""
    return bool(words & _LOWER_IS_BETTER)
