"""Instructions hidden where data is expected: in cells, in names, or behind a question."""

from __future__ import annotations

import hashlib
import html
import re
import unicodedata

from gnomon.core.patterns import regex

THRESHOLD = 0.5
MAX_NAME = 60
_INVISIBLE = regex("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]")  # fmt: skip
_OBJECT = r"(?:\w+\s+){0,3}?(?:instructions?|prompts?|rules|guidelines|directions|commands|context|messages?|polic(?:y|ies)|guardrails?|restrictions?|safety|constraints)"  # fmt: skip
_SIGNS: tuple[tuple[float, re.Pattern[str]], ...] = tuple(
    (weight, regex(pattern, re.IGNORECASE))
    for weight, pattern in (
        (1.0, rf"\b(?:ignore|disregard|forget|override|bypass|overlook|skip)\s+(?:all\s+|any\s+|everything\s+)?(?:of\s+)?(?:the\s+|your\s+|my\s+|these\s+|those\s+)?(?:previous|prior|above|earlier|preceding|former|system|initial|original|existing|safety|said)\s+{_OBJECT}"),
        (1.0, rf"\b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+)?(?:your|these|those|the)\s+{_OBJECT}\b"),
        (0.7, r"\b(?:ignore|disregard|forget)\s+(?:everything|all|anything|what)\s+(?:\w+\s+){0,3}(?:above|before|previously|earlier|told|said)\b"),
        (0.7, r"(?:^|[.!?\n:,]\s*|\band\s+)you\s+are\s+now\s+(?:a|an|the|in|my|free|no\s+longer|dan|called|acting)\b"),
        (0.7, r"\b(?:act|behave|respond|pretend|roleplay)\s+(?:as\s+(?:if\s+you\s+(?:are|were)|though)|like\s+(?:a|an)\s+(?:ai|assistant|system))|\bpretend\s+(?:to\s+be|you\s+are)\b"),
        (0.6, r"(?:^|[\n>\]\"'|])\s*(?:system|assistant|developer)\s*(?:prompt|message)?\s*:\s*\S"),
        (0.9, r"<\|?/?\s*(?:im_start|im_end|system|assistant|endoftext|instructions?)\b[^>]{0,40}\|?>|\[/?INST\]|<<\s*/?SYS\s*>>|#{2,}\s*(?:system|instruction|new\s+task)"),
        (0.8, r"\b(?:reveal|print|show|repeat|output|leak|disclose|tell\s+me|give\s+me|what\s+(?:is|are))\s+(?:me\s+)?(?:your|the)\s+(?:\w+\s+)?(?:system\s+prompt|hidden\s+prompt|initial\s+prompt|(?:secret|system|hidden)\s+instructions?)"),
        (0.6, r"\b(?:new|updated|real|actual|following)\s+(?:system\s+)?instructions?\s*(?::|are\b|follow)"),
        (0.6, r"\b(?:do\s+not|don't|never)\s+(?:tell|inform|mention\s+(?:this|it)\s+to|reveal\s+(?:this|it)\s+to|warn)\s+(?:the\s+)?user"),
        (0.6, r"\b(?:send|post|upload|exfiltrate|forward|e-?mail)\s+(?:\w+\s+){0,6}?(?:to\s+)?(?:https?://|\S+@\S+\.\w)"),
        (0.6, r"\b(?:assistant|llm|chatbot|language\s+model)\b[,:]?\s+(?:you\s+)?(?:must|shall|has\s+to|needs\s+to)\b"),
        (0.6, r"\b(?:jailbreak|developer\s+mode|dan\s+mode|prompt\s+injection|sudo\s+mode)\b"),
        (0.5, r"<(?:script|iframe|img|svg|object|embed|link|meta)\b|\bjavascript:|\bon(?:error|load)\s*="),
        (0.5, r"!\[[^\]]*\]\(\s*https?://"),
        (0.5, r"\b(?:answer|reply|respond|say)\s+(?:only\s+)?(?:with|that)\s+[\"'“].{1,60}[\"'”]\s+(?:to|for|whatever|regardless|no\s+matter)"),
        (0.5, r"\binstead\s+of\s+(?:answering|the\s+(?:answer|question|data|result))\b"),
    )
)  # fmt: skip


def instruction_score(text: str) -> float:
    """How much a text reads as an instruction to a machine, from 0 (data or a question) to 1.

    Invisible characters, markup entities and look-alike letters are read as what they show or hide.
    """
    plain = _plain(text)
    score = sum(weight for weight, sign in _SIGNS if sign.search(plain))
    hidden = len(_INVISIBLE.findall(text))
    tagged = sum(1 for c in text if 0xE0000 <= ord(c) <= 0xE007F)
    if tagged >= 3 or hidden >= 8 or re.search("[\u202d\u202e\u2066-\u2068]", text):
        score += 0.5
    return min(1.0, score)


def find_instructions(text: str, threshold: float = THRESHOLD) -> bool:
    """Whether a cell, a name or a question tries to instruct the machine."""
    return instruction_score(text) >= threshold


def neutral_name(name: str) -> str:
    """A name that can stand in a prompt: one short line of letters, digits and a few marks.

    A name that tries to instruct becomes ``field_`` and a few digits of its hash, always the same ones.
    """
    plain = re.sub(r"\s+", " ", _plain(name))
    kept = re.sub(r"[^\w \-./%()&+#$€£]", " ", plain, flags=re.UNICODE)
    kept = re.sub(r"\s+", " ", kept).strip()
    if not kept or find_instructions(name) or len(kept) > MAX_NAME or kept.count(" ") > 9:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        return f"field_{digest[:8]}"
    return kept


def _plain(text: str) -> str:
    tags = "".join(chr(ord(c) - 0xE0000) if 0xE0020 <= ord(c) <= 0xE007E else c for c in text)
    visible = _INVISIBLE.sub("", html.unescape(tags))
    folded = unicodedata.normalize("NFKC", visible)
    return folded.translate(_LOOKALIKES)


_LOOKALIKES = str.maketrans("аеорсухіѕјԁһԛԝАВЕКМНОРСТХІЅЈ", "aeopcyxisjdhqwABEKMHOPCTXISJ")
