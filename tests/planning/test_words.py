"""Words of questions: what is remembered of them never changes what they are."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.words import Beginnings, fold, name_words, root, split_words, stem

LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9)
ENDINGS = st.sampled_from(["", "s", "es", "ies", "ied", "ed", "ly", "er", "ation", "ness", "ing", "ings"])


def is_found(word: str) -> bool:
    """Whether a word is among those that may have its own stem."""
    return Beginnings([stem(word)]).of(word) and Beginnings([word]).of(word)


@given(LETTERS, LETTERS, ENDINGS)
def test_words_glued_together_are_never_passed_over(one: str, other: str, ending: str) -> None:
    assert is_found(one + other + ending)


def test_the_words_of_the_lexicon_begin_like_their_stems() -> None:
    words = [w for w in get_lexicon().starting("re") if w.isalpha()]
    assert len(words) > 500
    assert [w for w in words if not is_found(w)] == []


def test_words_that_begin_otherwise_need_no_stem() -> None:
    known = Beginnings(["revenue", "order", "id"])
    assert [known.of(w) for w in ("howmany", "ordersin", "revenues", "idnumber")] == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("text", "plain"), [("Ünïted’S", "united's"), ("STRASSE", "strasse"), ("Straße", "strasse"), ("ORDER_id", "order_id")]
)  # fmt: skip
def test_folding_leaves_case_and_accents_off(text: str, plain: str) -> None:
    assert fold(text) == plain


def test_what_a_caller_does_to_the_words_of_a_question_is_not_remembered() -> None:
    first = split_words("orders by month")
    first.clear()
    assert [w.lower for w in split_words("orders by month")] == ["orders", "by", "month"]
    assert name_words("avgOrder_value") == ("avg", "order", "value")


def test_many_threads_stem_words_as_one_does() -> None:
    """Gate, reader and worker stem words at the same time; the stemmer itself is not made for that."""
    endings = ("ation", "edly", "ively", "ness", "ments", "ings", "ied", "fulness", "ational", "izer")
    said = [
        f"{a}{b}{e}"
        for a in ("con", "trans", "over", "dis")
        for b in ("form", "ver", "plac", "tribut")
        for e in endings
    ]
    root.cache_clear()
    alone = [root(w) for w in said]
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(5):
                root.cache_clear()
                assert list(pool.map(root, said * 4)) == alone * 4
    finally:
        sys.setswitchinterval(switch)
