@pytest.mark.parametrize(
    ("noun", "said"),
    [
        ("animal name", "an"),
        ("hour", "an"),
        ("user", "a"),
        ("unit price", "a"),
        ("umbrella", "an"),
        ("hotel", "a"),
        ("order", "an"),
    ],
)
def test_a_noun_has_its_article(noun: str, said: str) -> None:
    assert an(noun) == f"{said} {noun}"
