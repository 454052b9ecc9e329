"""The lexicon: inflections, meanings, kinds, and that it opens fast and stays small."""

import subprocess
import sys

import pytest

from gnomon.embedding.lexicon import SHIPPED, get_lexicon


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("ridden", ("ride", "v")), ("children", ("child", "n")), ("hottest", ("hot", "a")),
        ("buses", ("bus", "n")), ("readmitted", ("readmit", "v")), ("heavier", ("heavy", "a")),
        ("stopped", ("stop", "v")), ("companies", ("company", "n")),
    ],
)  # fmt: skip
def test_inflected_forms_lead_to_their_bases(form: str, base: tuple[str, str]) -> None:
    assert base in get_lexicon().bases(form)


def test_what_is_no_english_word_is_not_known() -> None:
    lexicon = get_lexicon()
    assert lexicon.knows("metre") and lexicon.knows("games")
    assert not lexicon.knows("regoin") and not lexicon.knows("") and not lexicon.knows("größe")


def test_first_and_last_words_of_the_lexicon_are_found() -> None:
    lexicon = get_lexicon()
    text = lexicon._text[: lexicon._words[1]].decode().splitlines()
    for line in (text[0], text[1], text[-1], *text[::997]):
        word = line.split("\t")[0]
        assert lexicon._line(word) == line


def test_shares_of_the_meanings_of_a_word_add_up_and_the_usual_one_leads() -> None:
    senses = get_lexicon().entry("pupil").senses
    assert sum(s.share for s in senses) == pytest.approx(1)
    lead = max(senses, key=lambda s: s.share)
    assert "student" in get_lexicon().synset(lead.synset).words


def test_kinds_of_kinds_are_followed() -> None:
    lexicon = get_lexicon()
    trip = lexicon.entry("trip").senses[0].synset
    above = {w for a in lexicon.ancestors(trip) for w in lexicon.synset(a).words}
    assert {"journey", "travel"} <= above
    near = {w for a in lexicon.ancestors(trip, 1) for w in lexicon.synset(a).words}
    assert "journey" in near and "travel" not in near


def test_the_file_is_small_and_nothing_is_loaded_before_the_first_word() -> None:
    assert SHIPPED.stat().st_size < 3_000_000
    code = "import gnomon.embedding.lexicon as l; print(l.get_lexicon.cache_info().currsize)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
