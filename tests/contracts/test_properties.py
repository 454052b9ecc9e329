"""Which of the 44 correctness properties have a test, and why the others have none yet."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
TAG = re.compile(r"^# Feature: insight-agents-system, Property (\d+): (\S.*)$", re.MULTILINE)
ALL = frozenset(range(1, 45))

NOT_YET: dict[int, str] = {}


def tagged() -> dict[int, list[tuple[str, str]]]:
    """For each number the titles it is tagged with and the test that follows the tag."""
    found: dict[int, list[tuple[str, str]]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        for tag in TAG.finditer(text):
            test = re.search(r"^(?:async )?def (\w+)", text[tag.end() :], re.MULTILINE)
            found.setdefault(int(tag[1]), []).append((tag[2], test[1] if test else ""))
    return found


def test_every_property_is_tested_or_listed_as_not_yet() -> None:
    covered = set(tagged())
    assert covered <= ALL
    assert ALL - covered == set(NOT_YET)


def test_a_property_has_one_title_and_each_tag_stands_on_a_test() -> None:
    for number, tags in tagged().items():
        assert len({title for title, _ in tags}) == 1, f"property {number} has several titles"
        assert all(name.startswith("test_") for _, name in tags), f"a tag of property {number} marks no test"


def test_each_covered_property_has_a_way_to_be_broken() -> None:
    script = (TESTS.parent / "scripts" / "break_properties.py").read_text(encoding="utf-8")
    broken = {int(n) for n in re.findall(r"^    Break\(\s*(\d+),", script, re.MULTILINE)}
    assert broken == set(tagged())
