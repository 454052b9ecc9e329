"""Abuse in text: insults, threats and hatred aimed at persons or groups.

A small logistic model over words, pairs of words, letter groups and signs of who is meant, trained by ``scripts/train_toxicity.py`` on
sentences kept in the repository. It knows wordings like those it was shown; it is no judge of irony, of coded language
or of languages other than English. Profanity without a target ("what the hell happened to sales") is not abuse here.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from zipfile import ZipFile

from gnomon.core.patterns import regex
from gnomon.data.column_names import vocabulary
from gnomon.guardrails.disguise import undisguise, without_idioms, without_mentions
from gnomon.guardrails.toxicity_signs import only_names, signs, speaks_of_data

MODEL = Path(__file__).parent / "data" / "toxicity.npz"
BUCKETS = 1 << 15
THRESHOLD = 0.6
MAX_CHARACTERS = 4000
_WORD = regex(r"[^\W\d_]+(?:'[^\W\d_]+)?|[.!?;,\n]")
_SENTENCE = regex(r"(?<=[.!?\n])\s+|\n+|;\s")
_NEGATORS = vocabulary(
    "not never no nobody none neither nor without hardly isn't aren't wasn't weren't don't doesn't "
    "didn't won't wouldn't can't cannot couldn't shouldn't ain't isnt arent dont doesnt didnt wont cant"
)
_REACH = 5
_ROWS = "rows"
_SHORT = {"u": "you", "ur": "your", "r": "are", "ya": "you", "luv": "love"}


class ToxicityDetector:
    """Scores how abusive a text is.

    Args:
        threshold: Scores from here on count as toxic.
        model: A model file written by the training script.
    """

    def __init__(self, threshold: float = THRESHOLD, model: Path = MODEL) -> None:
        self._threshold = threshold
        self._path = model

    def score(self, text: str) -> float:
        """The probability, by the model, that the most abusive sentence of the text is abuse."""
        sentences = [s for s in _SENTENCE.split(text[:MAX_CHARACTERS]) if s.strip()]
        return max((self._sentence(s) for s in sentences), default=0.0)

    def is_toxic(self, text: str, names: Collection[str] = ()) -> bool:
        """Whether the text is abuse; ``names`` are words by which the data calls its rows and columns."""
        return self.score(as_data(text, names)) >= self._threshold

    def _sentence(self, sentence: str) -> float:
        weights, weighed, intercept = _load(self._path)
        buckets, found = features(sentence)
        if not buckets or only_names(_WORD.findall(sentence.lower())):
            return 0.0
        words = math.fsum(weights[b] for b in buckets) / math.sqrt(len(buckets))
        raw = intercept + words + math.fsum(w * f for w, f in zip(weighed, found, strict=True))
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, raw))))


def as_data(text: str, names: Collection[str]) -> str:
    """The text with a neutral noun for the names of the data: “show all pigs”, of a table of pigs, insults nobody.

    A sentence that speaks to somebody, or says more of the kind, is left as it is.
    """
    if not names:
        return text
    parts = _SENTENCE.split(text[:MAX_CHARACTERS])
    told = [p for p in parts if p and speaks_of_data(_WORD.findall(p.lower()), names)]
    for part in told:
        plain = _WORD.sub(lambda m: _ROWS if m[0].lower() in names else m[0], part)
        text = text.replace(part, plain)
    return text


@cache
def _load(path: Path) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """The weights of words and of signs, and the intercept. Numpy wrote them; loading it takes longer than all of this."""
    with ZipFile(path) as stored:
        weights, weighed, (intercept,) = (
            _numbers(stored.read(f"{name}.npy")) for name in ("weights", "signs", "intercept")
        )
        return weights, weighed, intercept


_WIDTHS = {b"<f2": (2, "e"), b"<f4": (4, "f"), b"<f8": (8, "d")}


def _numbers(stored: bytes) -> tuple[float, ...]:
    """The numbers of an array as numpy writes it (format 1.0: ten bytes, of which two say how long the heading is)."""
    begin = 10 + int.from_bytes(stored[8:10], "little")
    width, letter = next(v for k, v in _WIDTHS.items() if k in stored[10:begin])
    return struct.unpack(f"<{(len(stored) - begin) // width}{letter}", stored[begin:])


def features(sentence: str) -> tuple[frozenset[int], list[float]]:
    """The hashed words and letter groups of one sentence, and its signs; the training script uses the same."""
    plain = undisguise(without_idioms(without_mentions(sentence)))
    words = _marked(_WORD.findall(plain))
    return frozenset(zlib.crc32(f.encode()) % BUCKETS for f in _grams(words)), signs(words, plain)


def _grams(words: list[str]) -> Iterator[str]:
    for i, word in enumerate(words):
        yield f"w:{word}"
        if i + 1 < len(words):
            yield f"b:{word} {words[i + 1]}"
        if i + 2 < len(words):
            yield f"s:{word} {words[i + 2]}"
        if word.startswith("not_") or len(word) < 4:
            continue
        padded = f"<{word}>"
        for n in (4, 5):
            for j in range(len(padded) - n + 1):
                yield f"c:{padded[j : j + n]}"


def _marked(words: list[str]) -> list[str]:
    """The words, those behind a negation marked as such; marks end at punctuation."""
    marked: list[str] = []
    reach = 0
    for word in words:
        if word in ".!?;,\n":
            reach = 0
            continue
        word = _SHORT.get(word, word)
        marked.append(f"not_{word}" if reach else word)
        reach = _REACH if word in _NEGATORS else max(0, reach - 1)
    return marked
