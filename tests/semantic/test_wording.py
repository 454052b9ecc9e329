"""Nouns in sentences."""

from __future__ import annotations

import pytest

from gnomon.semantic.wording import an

NOUNS = [
    ("animal name", "an"),
    ("hour", "an"),
    ("user", "a"),
    ("unit price", "a"),
    ("umbrella", "an"),
    ("hotel", "a"),
    ("order", "an"),
]


@pytest.mark.parametrize(("noun", "said"), NOUNS)
def test_a_noun_has_its_article(noun: str, said: str) -> None:
    assert an(noun) == f"{said} {noun}"
