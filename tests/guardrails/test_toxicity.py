"""The toxicity model on labelled sentences that it was not trained on."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.guardrails import ToxicityDetector
from gnomon.guardrails.disguise import undisguise, without_mentions

HERE = Path(__file__).parent
Labelled = list[tuple[bool, str, str]]


def labelled(name: str) -> Labelled:
    rows = (line.split("\t") for line in (HERE / name).read_text(encoding="utf-8").splitlines())
    return [(label == "1", kind, text) for label, kind, text in rows]


def rates(rows: Labelled) -> tuple[float, float]:
    """Precision and recall."""
    judge = ToxicityDetector()
    found = [(label, judge.is_toxic(text)) for label, _, text in rows]
    right = sum(label and toxic for label, toxic in found)
    return right / sum(toxic for _, toxic in found), right / sum(label for label, _ in found)


@pytest.fixture(scope="module")
def judge() -> ToxicityDetector:
    return ToxicityDetector()


def test_precision_and_recall_on_five_hundred_sentences() -> None:
    rows = labelled("toxicity_sentences.tsv")
    assert len(rows) >= 500
    assert {"obfuscated", "negated", "quoted", "idiom"} <= {kind for _, kind, _ in rows}
    precision, recall = rates(rows)
    assert precision >= 0.97
    assert recall >= 0.88


def test_precision_and_recall_on_sentences_written_after_training() -> None:
    precision, recall = rates(labelled("toxicity_fresh.tsv"))
    assert precision >= 0.95
    assert recall >= 0.85


def test_no_training_sentence_is_a_test_sentence() -> None:
    training = (HERE.parents[1] / "scripts" / "toxicity_training.yaml").read_text(encoding="utf-8").lower()
    tested = [t for name in ("toxicity_sentences.tsv", "toxicity_fresh.tsv") for _, _, t in labelled(name)]
    lines = {line.strip(' -"').rstrip('.!?"') for line in training.splitlines()}
    repeated = [t for t in tested if t.lower().rstrip(".!?") in lines and len(t.split()) > 3]
    assert len(repeated) <= 5, repeated


def test_no_business_question_is_blocked(judge: ToxicityDetector) -> None:
    rows = [*labelled("toxicity_sentences.tsv"), *labelled("toxicity_fresh.tsv")]
    blocked = [
        text for label, kind, text in rows if kind == "business" and not label and judge.is_toxic(text)
    ]
    assert blocked == []


@pytest.mark.parametrize(
    ("mild", "harsh"),
    [
        ("This is not stupid.", "You are stupid."),
        ('Reviews containing the word "idiot"', "You idiot, show the reviews"),
        ("Where is the kill switch?", "I will kill you."),
        ("Average salary of women by department", "Women are stupid."),
        ("The printer is garbage.", "You are garbage."),
    ],
)
def test_context_decides(judge: ToxicityDetector, mild: str, harsh: str) -> None:
    assert not judge.is_toxic(mild)
    assert judge.is_toxic(harsh)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1d10t", "idiot"),
        ("s t u p i d", "stupid"),
        ("l-o-s-e-r", "loser"),
        ("f*ck", "fuck"),
        ("idiоt", "idiot"),  # a Cyrillic o
        ("id\u200biot", "idiot"),
        ("stuuuupid", "stupid"),
        ("ｉｄｉｏｔ", "idiot"),
    ],
)
def test_disguises_come_off(written: str, read: str) -> None:
    assert undisguise(written) == read


@pytest.mark.parametrize("code", ["sku-10234", "15kg", "q4", "4,111,111", "2024-03-01", "covid19", "3.5%"])
def test_codes_and_amounts_are_no_disguise(code: str) -> None:
    assert undisguise(code) == code


def test_a_quoted_word_that_is_spoken_of_is_taken_out() -> None:
    assert "crap" not in without_mentions('reviews containing the word "crap"')
    assert "fool" in without_mentions('So "fool" it is, then')


def test_scores_are_probabilities_and_empty_text_is_harmless(judge: ToxicityDetector) -> None:
    assert judge.score("") == 0.0
    assert 0.0 <= judge.score("what was revenue in 2023?") < 0.1
    assert 0.9 < judge.score("you are a worthless idiot") <= 1.0


def test_abuse_in_one_of_many_sentences_is_found(judge: ToxicityDetector) -> None:
    harmless = "Revenue rose in March. " * 30
    assert not judge.is_toxic(harmless)
    assert judge.is_toxic(harmless + "You are a worthless idiot. " + harmless)


NOUNS = {
    "animal": "animals", "pig": "pigs", "rat": "rats", "parasite": "parasites", "clown": "clowns", "loser": "losers",
    "criminal": "criminals", "liar": "liars", "fool": "fools", "monkey": "monkeys", "snake": "snakes", "victim": "victims",
    "murder": "murders", "weapon": "weapons", "slave": "slaves", "insect": "insects", "worm": "worms", "leech": "leeches",
    "maggot": "maggots", "jackal": "jackals", "weasel": "weasels", "freak": "freaks", "coward": "cowards", "tramp": "tramps",
    "patient": "patients", "owner": "owners", "order": "orders", "death": "deaths", "attack": "attacks", "bastard": "bastards",
}  # fmt: skip
ASKED = [
    "show all {many}", "list the {many}", "which {many} are there?", "show {many}", "all {many}", "the {many}", "list all {many} please",
    "how many {many} do we have", "show all {many} in Cotley", "which {one} is the most common?", "there are 30 {many}, among them Rex.",
]  # fmt: skip


@pytest.mark.parametrize("asked", ASKED)
def test_what_the_data_calls_its_rows_is_no_insult(judge: ToxicityDetector, asked: str) -> None:
    blocked = [
        text
        for one, many in NOUNS.items()
        if judge.is_toxic(text := asked.format(one=one, many=many), {one, many})
    ]
    assert not blocked


@pytest.mark.parametrize(
    "said", ["you are all {many}", "you {one}!", "kill all {many}", "shut up, you stupid {one}"]
)
@pytest.mark.parametrize("one", ["pig", "rat", "loser", "clown", "parasite"])
def test_said_to_somebody_it_stays_one(judge: ToxicityDetector, said: str, one: str) -> None:
    text = said.format(one=one, many=NOUNS[one])
    assert judge.is_toxic(text, {one, NOUNS[one]}) is judge.is_toxic(text)


def test_no_abuse_passes_for_names_of_data_that_it_does_not_use() -> None:
    judge, names = ToxicityDetector(), frozenset({*NOUNS, *NOUNS.values()})
    rows = [*labelled("toxicity_sentences.tsv"), *labelled("toxicity_fresh.tsv")]
    lost = [
        text for label, _, text in rows if label and judge.is_toxic(text) and not judge.is_toxic(text, names)
    ]
    assert len(lost) <= 0.01 * sum(label for label, _, _ in rows), lost
