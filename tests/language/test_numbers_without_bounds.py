"""Numbers that no column can hold: what is beyond any number is none, what is beyond 64 bits is compared as it is."""

from pathlib import Path

import pytest

import gnomon
from gnomon.core import algebra as al
from gnomon.core.answer import AnswerStatus
from gnomon.language import find_quantities

HUGE = (
    "1e9",
    "99999999999999999999999",
    "9223372036854775808",
    "1e400",
    "-99999999999999999999",
    "1e300 billion",
)


@pytest.mark.parametrize("text", ["1e400", "-1e999", "1e308 billion"])
def test_what_is_beyond_any_number_is_none(text: str) -> None:
    assert find_quantities(f"above {text}") == []


@pytest.mark.parametrize("value", [2**63, -(2**64), 10**30])
def test_whole_numbers_beyond_64_bits_are_kept_as_what_they_come_to(value: int) -> None:
    assert al.Literally(value=value).value == float(value)
    assert al.Literally(value=2**63 - 1).value == 2**63 - 1


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize(
    "wording",
    [
        "list towns with rain above {n}",
        "how many towns have rain below {n}",
        "rain between 3 and {n} by town",
        "how many towns have more than {n} readings",
    ],
)
def test_no_number_in_a_question_stops_the_answer(number: str, wording: str, tmp_path: Path) -> None:
    file = tmp_path / "readings.csv"
    file.write_text("town,rain\n" + "\n".join(f"T{i % 7},{i}" for i in range(70)))
    with gnomon.open(file) as analyst:
        answer = analyst.ask(wording.format(n=number))
    assert answer.status is not AnswerStatus.ERROR, answer.prose
