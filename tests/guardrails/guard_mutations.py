"""Prose with one thing wrong: a digit, a sign, a unit, a direction."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from decimal import Decimal

from guard_prose import ANTONYMS, PLACES, WORDS, Piece, Sample


def mutate(sample: Sample, rng: random.Random) -> tuple[str, str] | None:
    """The prose with one thing made wrong, and what; None where this sample has nothing of that kind."""
    how, change = rng.choice(list(_MUTATIONS.items()))
    pieces = change(list(sample.pieces), rng)
    if pieces is None or _is_other_rounding(sample, pieces):
        return None
    prose = "".join(p.text for p in pieces)
    return (how, prose) if prose != sample.prose else None


def _is_other_rounding(sample: Sample, pieces: list[Piece]) -> bool:
    """Whether only an exact half was rounded the other way, which is no mistake: 741.915 as 741.91 or 741.92."""
    values = {f.name: f.value for f in sample.facts}
    changed = [
        (a, b) for a, b in zip(sample.pieces, pieces, strict=False) if a != b and a.kind == b.kind == "num"
    ]
    if len(changed) != 1 or not isinstance(values.get(changed[0][0].fact), int | float):
        return False
    shown = sorted(int(re.sub(r"\D", "", p.text)) for p in changed[0])
    exact = f"{Decimal(repr(abs(values[changed[0][0].fact]))):f}".replace(".", "").strip("0")
    return shown[1] - shown[0] == 1 and exact == f"{shown[0]}5"


def _one(
    pieces: list[Piece], rng: random.Random, kind: str, edit: Callable[[str], str | None]
) -> list[Piece] | None:
    places = [i for i, p in enumerate(pieces) if p.kind == kind]
    rng.shuffle(places)
    for i in places:
        text = edit(pieces[i].text)
        if text is not None and text != pieces[i].text:
            pieces[i] = Piece(text, kind, pieces[i].fact)
            return pieces
    return None


def _digit(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    def edit(text: str) -> str:
        at = rng.choice([m.start() for m in re.finditer(r"\d", text)])
        return text[:at] + rng.choice([d for d in "0123456789" if d != text[at]]) + text[at + 1 :]

    return _one(pieces, rng, "num", edit)


def _sign(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    def edit(text: str) -> str:
        return text[1:] if text[0] == "-" else "-" + text.lstrip("+")

    return _one(pieces, rng, "num", edit)


def _unit(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    swaps = [("$", "€"), ("€", "£"), ("£", "$"), ("USD", "EUR"), ("EUR", "GBP"), ("GBP", "USD"), (" percent", " pp"),
             (" %", " percentage points"), ("%", " pp"), ("days", "hours")]  # fmt: skip

    def edit(text: str) -> str | None:
        return next((text.replace(a, b) for a, b in swaps if a in text), None)

    return _one(pieces, rng, "num", edit)


def _percent(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    def edit(text: str) -> str | None:
        if text.endswith(("%", "percent")):
            return re.sub(r"\s?(%|percent)$", "", text)
        return text + " %" if re.search(r"\d$", text) else None

    return _one(pieces, rng, "num", edit)


def _word(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    def edit(text: str) -> str:
        pool = PLACES if text in PLACES else WORDS
        return rng.choice([w for w in pool if w != text])

    return _one(pieces, rng, "word", edit)


def _fraction(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    return _one(pieces, rng, "fraction", lambda text: rng.choice([t for t in ("half", "a third", "two thirds", "a quarter", "three quarters") if t != text]))  # fmt: skip


def _scale(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    swaps = [(" million", " thousand"), (" million", " billion"), (" M", " K"), ("K", "M"), (" thousand", " million"),
             ("k", "m"), (" M", ""), (" million", "")]  # fmt: skip
    rng.shuffle(swaps)

    def edit(text: str) -> str | None:
        return next((text.replace(a, b) for a, b in swaps if text.endswith(a)), None)

    return _one(pieces, rng, "num", edit)


def _direction(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    return _one(pieces, rng, "dir", lambda text: ANTONYMS.get(text) or {"less": "more"}.get(text))


def _percentage(piece: Piece) -> bool:
    return piece.text.endswith(("%", "percent"))


def _written(piece: Piece) -> str:
    """The number without its currency and with one way to write millions."""
    return re.sub(r"[$€£ ]|USD|EUR|GBP", "", piece.text).replace("million", "M")


def _swap(pieces: list[Piece], rng: random.Random) -> list[Piece] | None:
    places = [i for i, p in enumerate(pieces) if p.kind == "num"]
    pairs = [
        (i, j) for i in places for j in places if i < j and _percentage(pieces[i]) == _percentage(pieces[j])
        and _written(pieces[i]) != _written(pieces[j])
    ]  # fmt: skip
    if not pairs:
        return None
    i, j = rng.choice(pairs)
    pieces[i], pieces[j] = pieces[j], pieces[i]
    return pieces


_MUTATIONS: dict[str, Callable[[list[Piece], random.Random], list[Piece] | None]] = {
    "digit": _digit, "sign": _sign, "unit": _unit, "percent": _percent, "number word": _word, "fraction": _fraction,
    "scale": _scale, "direction": _direction, "swap": _swap,
}  # fmt: skip
