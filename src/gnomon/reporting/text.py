"""Text from data before it is shown: what cannot be seen, or would make text read otherwise than it is, is made visible."""

from __future__ import annotations

from gnomon.core.patterns import regex

# Controls, ways to turn the direction of writing, invisible marks, and halves of pairs that stand alone.
_HIDDEN = regex(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text with each hidden sign written out, such as ``⟨U+202E⟩``."""
    return _HIDDEN.sub(lambda m: f"⟨U+{ord(m[0]):04X}⟩", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """The text on one line, hidden signs written out."""
    return " ".join(visible(text).split())
