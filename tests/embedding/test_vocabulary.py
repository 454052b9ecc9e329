"""Common words are known, misspelt ones are not."""

from gnomon.embedding import known_words


def test_common_words_are_known_and_misspelt_ones_are_not() -> None:
    assert {"revenue", "region", "employee", "average"} <= known_words()
    assert not {"revnue", "regoin", "avrage", "##ing"} & known_words()
