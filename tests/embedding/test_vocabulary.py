"""Common words are known, misspelt ones are not."""

import json

from gnomon.embedding import known_words
from gnomon.embedding.model_folder import SHIPPED
from gnomon.embedding.vocabulary import WORDS


def test_common_words_are_known_and_misspelt_ones_are_not() -> None:
    assert {"revenue", "region", "employee", "average"} <= known_words()
    assert not {"revnue", "regoin", "avrage", "##ing"} & known_words()


def test_the_list_of_words_is_the_vocabulary_of_the_encoder() -> None:
    vocabulary = json.loads((SHIPPED / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    words = {n: w for w, n in vocabulary.items() if w.isalpha() and len(w) > 2}
    lines = [words.get(n, "") for n in range(len(vocabulary))]
    assert WORDS.read_text(encoding="utf-8").split("\n") == [*lines, ""]
