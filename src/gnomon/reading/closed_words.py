"""Closed classes of English that questions over rows are held together by."""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


IDLE = _listed(
    "that which who whose whom where with have has had having is are was were be been being do does did "
    "the a an of for in on at to from by and , . ? ; : ( ) their its his her our my there them it they "
    "these those this please also me us i we you as well any all named called if then so 's and/or "
    "available listed recorded existing located found"
)  # fmt: skip
"""Words that only hold a sentence together."""
BEFORE = _listed(". ? ; , please and then you to")
"""What stands before words that ask, where they are not the first."""
OPENED = _listed("me us please out all of the a an list listing each")
"""What may stand between words that ask and what they ask for."""
BEHIND_VERBS = _listed("by in at from on to with")
"""What ties a verb to who or where."""
SORTING = _listed("ordered sorted ranked arranged order sort arrange rank sorting ordering listed")
"""Words that ask for an order."""
RISING = _listed(
    "ascending increasing alphabetical alphabetically alphabetic lexicographic lexicographically "
    "lexicographical chronological chronologically asc"
)  # fmt: skip
"""… upwards."""
FALLING = _listed("descending decreasing reverse reversed desc")
"""… downwards."""
GLUE = _listed(
    "by in of on the order according to from based a an their its with it them results result list"
)
"""What may stand between the words that ask for an order."""
WHOLE = _listed("information details info everything")
"""Words for all columns of a row."""
TEXTS = _listed("the word string substring phrase letters letter a in its name")
"""What may stand between “containing” and the text."""
OPENERS = (
    "what is", "what are", "what was", "what were", "which is", "which are", "what 's", "what", "which", "who is",
    "who are", "show", "list", "give", "find", "return", "display", "tell", "get", "retrieve", "select", "report",
    "name", "provide", "print", "find out", "list out", "look up", "let me know", "tell me", "i want",
    "can you show", "count", "sort", "arrange", "identify", "please show", "please list", "please give",
)  # fmt: skip
"""Words that ask."""
