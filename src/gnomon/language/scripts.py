"""Scripts of the world's languages by their letters, and the language that a script most likely stands for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """A language: its ISO 639-1 code and its English name."""

    code: str
    name: str


_RANGES: tuple[tuple[int, int, str], ...] = (
    (0x0041, 0x024F, "Latin"), (0x0370, 0x03FF, "Greek"), (0x0400, 0x052F, "Cyrillic"), (0x0530, 0x058F, "Armenian"),
    (0x0590, 0x05FF, "Hebrew"), (0x0600, 0x077F, "Arabic"), (0x08A0, 0x08FF, "Arabic"), (0x0900, 0x097F, "Devanagari"),
    (0x0980, 0x09FF, "Bengali"), (0x0A00, 0x0A7F, "Gurmukhi"), (0x0A80, 0x0AFF, "Gujarati"), (0x0B00, 0x0B7F, "Odia"),
    (0x0B80, 0x0BFF, "Tamil"), (0x0C00, 0x0C7F, "Telugu"), (0x0C80, 0x0CFF, "Kannada"), (0x0D00, 0x0D7F, "Malayalam"),
    (0x0D80, 0x0DFF, "Sinhala"), (0x0E00, 0x0E7F, "Thai"), (0x0E80, 0x0EFF, "Lao"), (0x1000, 0x109F, "Burmese"),
    (0x10A0, 0x10FF, "Georgian"), (0x1100, 0x11FF, "Hangul"), (0x1200, 0x139F, "Ethiopic"), (0x1780, 0x17FF, "Khmer"),
    (0x1E00, 0x1EFF, "Latin"), (0x1F00, 0x1FFF, "Greek"), (0x3040, 0x309F, "Hiragana"), (0x30A0, 0x30FF, "Katakana"),
    (0x3400, 0x4DBF, "Han"), (0x4E00, 0x9FFF, "Han"), (0xAC00, 0xD7AF, "Hangul"), (0xF900, 0xFAFF, "Han"),
    (0xFB50, 0xFDFF, "Arabic"), (0xFE70, 0xFEFF, "Arabic"), (0xFF66, 0xFF9F, "Katakana"),
)  # fmt: skip
_STARTS = [start for start, _, _ in _RANGES]

_ONE_LANGUAGE = {
    "Greek": Language("el", "Greek"), "Armenian": Language("hy", "Armenian"), "Bengali": Language("bn", "Bengali"),
    "Gurmukhi": Language("pa", "Punjabi"), "Gujarati": Language("gu", "Gujarati"), "Odia": Language("or", "Odia"),
    "Tamil": Language("ta", "Tamil"), "Telugu": Language("te", "Telugu"), "Kannada": Language("kn", "Kannada"),
    "Malayalam": Language("ml", "Malayalam"), "Sinhala": Language("si", "Sinhala"), "Thai": Language("th", "Thai"),
    "Lao": Language("lo", "Lao"), "Burmese": Language("my", "Burmese"), "Georgian": Language("ka", "Georgian"),
    "Ethiopic": Language("am", "Amharic"), "Khmer": Language("km", "Khmer"), "Hangul": Language("ko", "Korean"),
}  # fmt: skip

# Where several languages share a script: signs of each, tried in order, and the language that is left.
_SHARED: dict[str, tuple[tuple[tuple[str, Language], ...], Language]] = {
    "Cyrillic": (
        (
            ("[ўЎ]", Language("be", "Belarusian")),
            ("[їєґіЇЄҐІ]|\\b(?:який|яка|яке|цього|цей|чому|що|від)\\b", Language("uk", "Ukrainian")),
            ("[јљњћђџЈЉЊЋЂЏ]", Language("sr", "Serbian")),
            ("\\b(?:колко|какви|какъв|какво|каква|кои|коя|кой|са|през|защо|къде|най|която|който|които|беше|ни|е)\\b(?!.*[ыэёЫЭЁ])", Language("bg", "Bulgarian")),
        ),
        Language("ru", "Russian"),
    ),
    "Arabic": (
        (
            ("[ٹڈڑںےہھ]", Language("ur", "Urdu")),
            ("[پچژگکی]|\\b(?:است|در|را|این|با|برای|های|می|چند|چه|کدام)\\b", Language("fa", "Persian")),
        ),
        Language("ar", "Arabic"),
    ),
    "Hebrew": ((), Language("he", "Hebrew")),
    "Devanagari": ((("ळ|आहे|आहेत|काय|किती|झाली|मध्ये", Language("mr", "Marathi")),), Language("hi", "Hindi")),
    "Han": ((("[売円県価単対応発実図総戦変営歳増広様]", Language("ja", "Japanese")),), Language("zh", "Chinese")),
}  # fmt: skip


def script_of(letter: str) -> str:
    """The script of a letter, or nothing for one of a script that is not known here."""
    code = ord(letter)
    at = bisect_right(_STARTS, code) - 1
    return _RANGES[at][2] if at >= 0 and code <= _RANGES[at][1] else ""


def language_of_script(letters: Mapping[str, int], text: str) -> Language | None:
    """The language of a text from how many letters of each script (other than Latin) it has."""
    if letters.get("Hiragana", 0) + letters.get("Katakana", 0) and not letters.get("Hangul", 0):
        return Language("ja", "Japanese")
    script = max(sorted(letters), key=lambda name: letters[name], default="")
    if script in _ONE_LANGUAGE:
        return _ONE_LANGUAGE[script]
    if script not in _SHARED:
        return None
    signs, otherwise = _SHARED[script]
    return next((language for pattern, language in signs if re.search(pattern, text)), otherwise)
