"""What a text means among the values of one column: written otherwise it is found, anything else is none of them."""

import pytest

from gnomon.planning.model_reader.meant_values import meant_value


@pytest.mark.parametrize(
    ("text", "held", "meant"),
    [
        ("waiting on parts", ["Done", "In Progress", "Awaiting Parts", "Collected"], "Awaiting Parts"),
        ("punctures", ["Puncture Repair", "Full Service", "Brake Adjust"], "Puncture Repair"),
        ("pianists", ["Piano", "Violin", "Cello"], "Piano"),
        ("wallets or purses", ["Purse/Wallet", "Umbrella", "Phone"], "Purse/Wallet"),
        ("failed", ["pass", "fail", "retest"], "fail"),
        ("called off by the student", ["Completed", "Cancelled by student", "Cancelled by teacher"], "Cancelled by student"),
        ("Minnesota", ["WI", "MN", "IL"], "MN"),
        ("German", ["Germany", "France"], "Germany"),
        ("called off", ["Completed", "Cancelled by student", "Cancelled by teacher"], None),
        ("unpaid", ["Paid", "Outstanding"], None),
        ("not paid", ["Paid", "Refunded"], None),
        ("won", ["lost", "drawn"], None),
        ("puppies", ["Dog", "Cat"], None),
        ("Siamese", ["Persian", "Bengal"], None),
        ("fever", ["Headache", "Nausea"], None),
        ("left-handed", ["Right", "Both"], None),
        ("Korean", ["Japanese", "German"], None),
        ("", ["a", "b"], None),
        ("anything", [], None),
        ("anything", [f"thing {i}" for i in range(1000)], None),
    ],
)  # fmt: skip
def test_a_text_means_the_one_value_that_is_like_it(text: str, held: list[str], meant: str | None) -> None:
    assert meant_value(text, held) == meant
