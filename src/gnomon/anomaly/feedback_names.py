"""Which detectors a sentence wants in or out."""

from __future__ import annotations

import re
from typing import Any

from gnomon.anomaly.feedback_entities import Mention
from gnomon.anomaly.feedback_lexicon import Mark
from gnomon.core.patterns import regex

_WEAK = {"with", "for", "by", "also", "plus"}
_BAD = regex(
    r"\b(?:bad|useless|wrong|poor|noisy|slow|garbage|rubbish|unreliable|terrible|worse|worst|broken|wrong|misleading|false|nois\w*|off|overflag\w*|too)\b"
)
_GOOD = regex(
    r"\b(?:good|great|best|reliable|right|works?|useful|excellent|trustworthy|fine|better|helpful)\b"
)
_NOT = regex(r"\b(?:not|no|never|n't|minus)\s+(?:the\s+)?$")
_ALL_BUT = regex(
    r"(?:everything|all|anything|every \w+|all \w+)(?: \w+)? (?:but|except|apart from|other than|besides)(?: for)?(?: the)?\s*$"
)


def read_detectors(
    text: str, mentions: list[Mention], found: list[Mark], planned: list[str]
) -> tuple[dict[str, Any] | None, float, str] | None:
    """The change that a sentence asks for in the set of detectors, or None if it names none."""
    if not mentions:
        return None
    unknown = next((m for m in mentions if m.name is None), None)
    if unknown:
        return None, 0.3, f"There is no detector named {unknown.written!r}."
    verbs = [m for m in found if m.intent in ("exclude", "include")]
    leave: list[str] = []
    take: list[str] = []
    confidence = 0.92
    for mention in mentions:
        out, sure = _wants_out(text, mention, verbs, found)
        (leave if out else take).append(str(mention.name))
        confidence = min(confidence, sure if mention.exact else 0.6)
    only = _only(text, mentions[0])
    if only and take and not leave:
        leave = [p for p in planned if p not in take]
    return _change(leave, take, confidence, mentions, planned)


def _wants_out(text: str, mention: Mention, verbs: list[Mark], found: list[Mark]) -> tuple[bool, float]:
    before = text[: mention.start]
    around = next((v for v in verbs if v.start < mention.start and v.end > mention.end), None)
    if around is not None:
        return (around.intent == "exclude") != around.negated, 0.92
    strong = [v for v in verbs if v.end <= mention.start and v.text.strip() not in _WEAK]
    last = strong[-1] if strong else None
    weak = [v for v in verbs if v.end <= mention.start and v.text.strip() in _WEAK]
    if (
        last is not None
        and weak
        and weak[-1].start > last.start
        and re.match(r"replac|swap|switch", last.text)
    ):
        return False, 0.92
    if re.search(r"\bfrom\s+(?:the\s+)?$", before):
        return True, 0.9
    if re.search(
        r"\bfrom\b.*\bto\s+(?:the\s+)?$|(?:\band|\bbut|,)\s+(?:also\s+)?with\s+(?:the\s+)?$", before
    ):
        return False, 0.9
    if _ALL_BUT.search(before):
        dropping = (
            last is not None and (last.intent == "exclude") != last.negated and not _ALL_BUT.search(last.text)
        )
        return not (dropping and last is not None and not re.search(r"\bbut\b", last.text)), 0.9
    if last is not None:
        out = (last.intent == "exclude") != last.negated
        if _NOT.search(before) and not last.negated and last.end < mention.start - 5:
            out = not out
        return out, 0.92
    if _NOT.search(before):
        return True, 0.88
    return _by_predicate(text, mention, verbs, found)


def _by_predicate(text: str, mention: Mention, verbs: list[Mark], found: list[Mark]) -> tuple[bool, float]:
    """A name with no verb before it: look at what is said about it."""
    after = re.split(r"[.;!?]|\bbut\b", text[mention.end :])[0]
    later = [
        v for v in verbs if mention.end <= v.start < mention.end + len(after) and v.text.strip() not in _WEAK
    ]
    if later:
        return (later[0].intent == "exclude") != later[0].negated, 0.85
    denied = bool(re.search(r"\bnot\b", after))
    if re.search(r"\b(?:go|out|away)\b", after) and re.search(r"should|must|has to|needs? to|can", after):
        return not denied, 0.85
    if _BAD.search(after) or any(m.intent == "fewer" for m in found):
        return not denied, 0.65
    if _GOOD.search(after):
        return denied, 0.65
    return False, 0.7 if any(m.intent in ("rerun", "replan") for m in found) else 0.5


def _only(text: str, first: Mention) -> bool:
    if re.search(r"\b(?:only|just|solely|exclusively|nothing but)\b[^.;]*$", text[: first.start]):
        return True
    if re.search(r"^\W*(?:\w+ )?(?:only|alone|exclusively)\b|and nothing else", text[first.end :]):
        return True
    return bool(_ALL_BUT.search(text[: first.start]))


def _change(
    leave: list[str], take: list[str], confidence: float, mentions: list[Mention], planned: list[str]
) -> tuple[dict[str, Any], float, str]:
    changes: list[dict[str, Any]] = []
    if leave:
        changes.append({"action": "exclude", "detectors": leave})
    if take:
        changes.append({"action": "include", "detectors": take})
    said = " and ".join(
        f"{verb} {', '.join(names)}" for verb, names in (("leave out", leave), ("use", take)) if names
    )
    fuzzy = [m for m in mentions if not m.exact]
    if fuzzy:
        return (
            _pack(changes),
            confidence,
            f"There is no detector named {fuzzy[0].written!r}. Did you mean {fuzzy[0].name!r}? Then: {said}.",
        )
    if take and not leave and all(t in planned for t in take):
        said = f"keep {', '.join(take)}"
    return _pack(changes), confidence, said[0].upper() + said[1:] + "."


def _pack(changes: list[dict[str, Any]]) -> dict[str, Any]:
    return changes[0] if len(changes) == 1 else {"action": "batch", "changes": changes}
