"""Languages are told by name, and English never is, whatever names and slips it carries."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.language.foreign import Language, recognise

HERE = Path(__file__).parent


def questions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    code = ""
    for line in (HERE / "foreign_questions.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            code = line.strip("[]")
        elif line and not line.startswith("#"):
            found[code].append(line)
    return found


FOREIGN = questions()
ENGLISH = [
    line
    for line in (HERE / "english_questions.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
NAMES = {
    "es": "Spanish", "fr": "French", "de": "German", "it": "Italian", "pt": "Portuguese", "nl": "Dutch",
    "pl": "Polish", "sv": "Swedish", "tr": "Turkish", "vi": "Vietnamese", "id": "Indonesian", "ru": "Russian",
    "uk": "Ukrainian", "el": "Greek", "ar": "Arabic", "he": "Hebrew", "fa": "Persian", "hi": "Hindi",
    "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "th": "Thai",
}  # fmt: skip


@pytest.mark.parametrize("code", sorted(NAMES))
def test_a_language_is_told_by_name(code: str) -> None:
    asked = FOREIGN[code]
    assert len(asked) >= 20
    missed = [q for q in asked if recognise(q) != Language(code, NAMES[code])]
    assert len(missed) <= 1, missed


def test_nearly_every_foreign_question_is_told() -> None:
    asked = [(code, q) for code, some in FOREIGN.items() for q in some]
    right = sum(
        found is not None and found.code == code for code, q in asked if (found := recognise(q)) or True
    )
    assert right / len(asked) > 0.97


def test_english_is_never_called_foreign() -> None:
    assert len(ENGLISH) >= 300
    assert {q: recognise(q) for q in ENGLISH if recognise(q)} == {}


@pytest.mark.parametrize("code", ["es", "fr", "pt", "de", "sv", "tr"])
def test_marks_may_be_missing(code: str) -> None:
    plain = str.maketrans("áéíóúñãõçâêôàèìòùäöüåşğıİ", "aeiounaocaeoaeiouaouasgiI")
    told = sum(recognise(q.translate(plain)) is not None for q in FOREIGN[code])
    assert told >= 0.8 * len(FOREIGN[code])


def test_capital_letters_do_not_hide_a_language() -> None:
    found = recognise("¿CUÁNTAS VENTAS TUVIMOS EL MES PASADO?")
    assert found == Language("es", "Spanish")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("колко продажби имаше през март", "Bulgarian"),
        ("колика је била продаја у марту", "Serbian"),
        ("गेल्या महिन्यात किती विक्री झाली आहे", "Marathi"),
        ("পণ্যের বিক্রয় কত", "Bengali"),
        ("پچھلے مہینے کتنی فروخت ہوئی ہے", "Urdu"),
        ("hvor mange kunder havde vi sidste måned", "Danish"),
        ("kuinka monta asiakasta meillä oli viime kuussa", "Finnish"),
        ("kolik zákazníků jsme měli minulý měsíc", "Czech"),
        ("hány ügyfelünk volt a múlt hónapban", "Hungarian"),
        ("câți clienți am avut luna trecută", "Romanian"),
    ],
)
def test_other_languages_are_told_too(question: str, name: str) -> None:
    found = recognise(question)
    assert found is not None
    assert found.name == name


@given(st.text(max_size=120))
@settings(max_examples=300, deadline=None)
def test_any_text_is_judged_without_error(text: str) -> None:
    found = recognise(text)
    assert found is None or (found.code and found.name)


@given(st.text(alphabet="0123456789 .,;:-+*/=<>()[]{}%$#@!?_", max_size=60))
def test_numbers_and_signs_have_no_language(text: str) -> None:
    assert recognise(text) is None


@given(
    st.sampled_from([q for q in ENGLISH if len(q.split()) >= 4]),
    st.sampled_from(["please", "by region", "in 2024"]),
)
@settings(max_examples=100)
def test_more_english_stays_english(question: str, more: str) -> None:
    assert recognise(f"{question} {more}") is None
