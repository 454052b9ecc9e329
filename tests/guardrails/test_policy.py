"""Policies: the shipped rules, a user's own, and files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.core.errors import ConfigurationError
from gnomon.guardrails import Action, Guardrails, Policies
from gnomon.guardrails.policy import SHIPPED

RULES = Policies.load(SHIPPED)


def broken(text: str, where: str = "response") -> list[str]:
    return [v.rule for v in RULES.apply(text, where)[1]]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("You should buy more shares of this company.", "no_advice"),
        ("We recommend selling now.", "no_advice"),
        ("You must sue the supplier.", "no_advice"),
        ("Patients should stop taking the medication.", "no_advice"),
        ("The file is /home/ann/data/orders.csv", "no_internals"),
        (r"The file is C:\Users\ann\orders.csv", "no_internals"),
        ("I ran SELECT name FROM customers WHERE id = 1", "no_internals"),
        ('Traceback (most recent call last):\n  File "a.py", line 3\nValueError: bad', "no_internals"),
        ("The key is sk-live-abcdefghijklmnop1234", "no_secrets"),
        ("password: hunter2!x", "no_secrets"),
        ("postgresql://ann:secret@db.example.com/shop", "no_secrets"),
        ("token AKIAIOSFODNN7EXAMPLE", "no_secrets"),
        ("Anna Schmidt is Muslim.", "protected_attributes"),
        ("Mr. Jones was diagnosed with cancer.", "protected_attributes"),
    ],
)
def test_shipped_rules_find_what_they_are_for(text: str, rule: str) -> None:
    assert rule in broken(text)


@pytest.mark.parametrize(
    "text",
    [
        "You should buy more stock of the top seller before December.",
        "Customers should receive the update in March.",
        "The selection from West had the highest revenue.",
        "Revenue and/or profit by region; see docs for details.",
        "Password resets doubled in May.",
        "The share of Muslim customers is not in the data.",
        "Select the region from the list.",
        "New York is colder than San Diego.",
        "The secret of growth is retention.",
        "Update the stock set in the west.",
    ],
)
def test_ordinary_answers_break_no_rule(text: str) -> None:
    assert broken(text) == []


def test_modify_takes_out_only_what_was_found() -> None:
    text, _ = RULES.apply("Stored in /home/ann/x.csv today.", "response")
    assert text == "Stored in [internal detail] today."


def test_at_least_three_rules_beyond_personal_data_are_shipped() -> None:
    assert len({r.id for r in RULES.rules}) >= 3
    assert {"question", "response"} == {r.applies_to for r in RULES.rules}
    assert all(r.description and r.message for r in RULES.rules)


def write(folder: Path, text: str) -> Path:
    path = folder / "policies.yaml"
    path.write_text(text, encoding="utf-8")
    return path


OWN = """
version: 1
rules:
  - id: no_project_names
    description: Code names stay inside.
    applies_to: response
    patterns: ['\\bproject\\s+falcon\\b']
    action: modify
    replacement: the project
    message: A code name was taken out.
"""


def test_a_users_own_file_is_used(tmp_path: Path) -> None:
    guard = Guardrails(policies=write(tmp_path, OWN))
    result = guard.check("The budget of Project Falcon is unknown.", [])
    assert (result.action, result.text) == (Action.MODIFY, "The budget of the project is unknown.")


def test_the_file_in_the_home_folder_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, OWN)
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path))
    assert [r.id for r in Policies.load().rules] == ["no_project_names"]
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path / "elsewhere"))
    assert Policies.load() == RULES


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (OWN.replace("action: modify", "action: shout"), "line 4: rule 'no_project_names', action"),
        (OWN.replace("\\bproject", "("), "line 4: rule 'no_project_names', patterns: the pattern"),
        (OWN.replace("patterns: ['\\bproject\\s+falcon\\b']", "checks: [secrt]"), "did you mean 'secret'"),
        (OWN.replace("    patterns: ['\\bproject\\s+falcon\\b']\n", ""), "needs patterns or checks"),
        (OWN.replace("    message: A code name was taken out.\n", ""), "message: Field required"),
        (OWN + "    colour: red\n", "colour"),
        (OWN + OWN.split("rules:\n")[1], "another rule has this id"),
        (OWN.replace("'\\bproject\\s+falcon\\b'", "'x*'"), "matches empty text"),
        ("rules: [", "not valid YAML"),
        ("version: 1\n", "a list named 'rules'"),
        ("version: 2\nrules: []\n", "version 2"),
        ("version: 1\nrules: []\nextra: 1\n", "'extra'"),
        ("version: 1\nrules:\n  - 5\n", "line 3: rule 'without an id'"),
    ],
)
def test_a_wrong_file_is_named_with_line_and_rule(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Policies.load(write(tmp_path, text))
    assert told in caught.value.message
    assert "policies.yaml" in caught.value.message


def test_a_missing_file_is_a_configuration_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        Policies.load(tmp_path / "none.yaml")
