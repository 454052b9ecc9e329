"""A task as the steps that it names one after another: sentences, and what “and”, “then”, “after” join inside of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gnomon.core.patterns import late_pattern, regex

_SENTENCES = regex(r"(?<=[.;!?])\s+(?=[A-Z\"“'‘0-9])|\s*[,;.]?\s+(?:and\s+)?[Tt]hen,?\s+")
_STEP = (
    r"(?:(?:identify|detect|find)(?:ing)?\s+and\s+)?(?:remov|drop|exclud|eliminat|filter|discard|delet|fill|imput|replac|handl|deal|substitut|normali[sz]|"
    r"scal|rescal|standardi[sz]|encod|convert|extract|transform|creat|apply|treat|clean|log)(?:e|ing|ping|ting|es|s)?"
)
_ASK = (
    r"(?:calculat|comput|find|determin|report|giv|show|tell|provid|return|get|list|check|test|perform|conduct|train|fit|build|develop|"
    r"predict|identify|investigat|explor|analy[sz]|examin|assess|compar|count|evaluat|stat)(?:e|ing|es|s|y)?"
)
_JOINED = regex(
    rf"\s*,?\s+and\s+(?:also\s+|finally\s+|then\s+)*(?=(?:{_STEP}|{_ASK}|what|how|which)\b)|\s*,\s+(?:also\s+|finally\s+|then\s+)*(?=(?:{_STEP}|{_ASK})\b)",
    re.IGNORECASE,
)
_AFTER = regex(
    rf"^(?:after|once|upon|following|having|by|when)\s+(?:you\s+|we\s+|first\s+)*(?P<step>{_STEP}\b.*?),\s+(?:then\s+)?(?P<asked>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_AFTERWARDS = regex(
    rf"^(?P<asked>.*?)\s*,?\s+(?:after|once|upon|following|when)\s+(?:first\s+)?(?P<step>{_STEP}\b.*?)(?P<end>[?.!]*)$",
    re.IGNORECASE | re.DOTALL,
)
_POINTING = late_pattern(
    rf"{_STEP}\s+(?:them|it|these|those|this|that|(?:the|these|those|such)\s+(?:outliers?|values|rows|steps))",
    re.IGNORECASE,
)
LEAD = regex(
    r"^\s*(?:\d+[.)]\s+)?(?:(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|also|now|finally|additionally|afterwards?|after that|lastly|please)\b,?\s*)+|^\s*(?:question\s+)?\d+[.:)]\s+",
    re.IGNORECASE,
)
_PREPARING = r"(?:feature engineering|(?:data\s+)?(?:pre-?processing|cleaning|preparation|wrangling)|data\s+transformation)"
_PREAMBLE = regex(
    rf"^\s*(?:(?:perform|apply|do|conduct|use|carry out|start with|begin with|implement)\s+(?:some\s+|basic\s+|comprehensive\s+|the\s+|necessary\s+)*{_PREPARING}|(?:pre-?process|clean|prepare)(?=\s))"
    r"(?:\s+(?:techniques?|steps?|tasks?|methods?))?"
    r"(?:\s+(?:on|to|of|for)?\s*(?:the|this|our|given|that|a|\s)*(?P<of>(?:(?!\b(?:by|to|which|that|including|using|and)\b)[\w\"'“”‘’.()-]+\s*){1,6}?))?"
    r"(?:\s*[:.]\s*|\s*,?\s+(?:which|that)\s+(?:includes?|involves?)\s+|\s*,?\s+(?:including|such as|by|to|using)\s+|\s*$)",
    re.IGNORECASE,
)
_WHOLE = late_pattern(r"\b(?:data\s*-?\s*sets?|data\s*frame|data|table|rows)\b", re.IGNORECASE)
_DONE = regex(
    r",?\s*\b(?:after|following|once|post)\s+(?:(?:the|this|these|that|all|such|each|data|any|those|above)\s+)*"
    r"(?:(?:pre-?processing|processing|cleaning|scaling|re-?scaling|normali[sz](?:ation|ing)|standardi[sz](?:ation|ing)|(?:log\s+)?transform(?:ation|ing)s?|imputation|imputing|"
    r"encoding|removal|steps?|filling|replacement|handling|changes?|operations?)(?:\s+(?:steps?|of|the|missing|null|values?|is|are|was|were|done|applied|performed|it|them|column|data|and|in))*)(?=\s*(?:[.,?!;]|$))",
    re.IGNORECASE,
)
_FRESH = late_pattern(
    r"\b(?:new|updated|resulting|cleaned|revised|adjusted|final)\s+(?=(?:average|mean|median|standard|std|variance|minimum|maximum|min|max|count|number|total|sum)\b)",
    re.IGNORECASE,
)
_LEFT = late_pattern(
    r"\b((?:how\s+many|number\s+of)\s+(?:of\s+the\s+)?(?:rows?|records?|entries|observations|\w+s))\s+(?:(?:are|were|is|will\s+be)\s+)?(?:left|remain(?:s|ing|ed)?|kept)(?:\s+in\s+the\s+(?:data\s*(?:set|frame)?|table))?(?=\s*(?:[.,?!;]|$|\band\b))",
    re.IGNORECASE,
)
_FIGURE = r"(?:average|mean|median|mode|standard\s+deviations?|std|variance|minimum|maximum|min|max|skewness|kurtosis|sum|total|range)(?:\s+values?)?"
_BARE = late_pattern(
    rf"^\s*(?:(?:{_ASK}|what|is|are|the|me|its|their|and|also)\s+)*(?:{_FIGURE})(?:(?:\s*,\s*|\s*,?\s+and\s+)(?:the\s+)?{_FIGURE})*(?P<end>(?:\s+(?:per|by|for\s+each|of\s+each|in\s+each|for\s+every)\s+[^.?!,]+)?\s*[.?!]*)$",
    re.IGNORECASE,
)


def sentences_of(question: str) -> list[str]:
    """The sentences of a task, those that “then” joins taken apart."""
    return [s for s in _SENTENCES.split(question) if s.strip()]


def steps_of(sentence: str) -> list[str]:
    """The steps of a sentence in the order in which they are to be done."""
    text = LEAD.sub("", sentence)
    if (match := _AFTER.match(text)) is not None:
        if _POINTING.fullmatch(match["step"]):
            return _apart(match["asked"])
        return [*_apart(match["step"]), *_apart(match["asked"])]
    match = _AFTERWARDS.match(text) if not _DONE.search(text) else None
    if match is not None and len(match["asked"].split()) > 2:
        return [*_apart(match["step"]), match["asked"] + match["end"]]
    return _apart(text)


def without_announcement(text: str) -> tuple[str, str]:
    """A sentence without “perform data preprocessing on the X column by …”, and the X that it names."""
    match = _PREAMBLE.match(text)
    if match is None:
        return text, ""
    of = (match["of"] or "").strip(" .,:")
    rest = text[match.end() :]
    return rest, "" if _WHOLE.search(of) and "column" not in of.lower() else of


def without_done(question: str, about: Sequence[str]) -> str:
    """What is asked behind the steps, without the words that only say that they were done.

    Args:
        question: A sentence or a part of one.
        about: The columns of the last step, which a figure without a column is of.
    """
    text = _LEFT.sub(r"\1", _FRESH.sub("", _DONE.sub("", question)))
    if about and (bare := _BARE.match(text)) is not None:
        plain = re.sub(r"\b(?:its|their)\b", "the", text[: bare.start("end")], flags=re.IGNORECASE)
        text = f"{plain.rstrip(' .?!')} of {' and '.join(about)}{bare['end']}"
    return re.sub(r"\s+([?.,;])", r"\1", text).strip()


def _apart(text: str) -> list[str]:
    parts: list[str] = []
    for part in _JOINED.split(text):
        if parts and len(parts[-1].split()) < 3:
            parts[-1] = f"{parts[-1]} and {part}"  # "identify and remove"
        elif part.strip():
            parts.append(part)
    return parts
