"""Policies: rules in a YAML file that a user can edit, read strictly and applied to questions and answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from gnomon.core.answer import Fact
from gnomon.core.errors import ConfigurationError, did_you_mean
from gnomon.core.patterns import regex
from gnomon.core.safe_yaml import compose_yaml, load_yaml, shipped_yaml
from gnomon.core.settings import Settings
from gnomon.guardrails.policy_checks import (
    CHECKS,
    FACT_CHECKS,
    PERSON_CHECKS,
    TEXT_CHECKS,
    PersonsBehind,
    small_groups,
    topic_of,
)
from gnomon.guardrails.results import Action, Violation

SHIPPED = Path(__file__).parent / "data" / "policies.yaml"
FILE_NAME = "policies.yaml"


class PolicyRule(BaseModel):
    """One rule of the policy file.

    Args:
        id: Its name, unique in the file.
        description: What it is for.
        applies_to: ``question`` or ``response``.
        patterns: Regular expressions, case ignored, any of which breaks the rule.
        checks: Named checks, any of which breaks the rule.
        action: ``modify`` puts the replacement in place of what was found; ``reject`` holds the text back.
        replacement: What ``modify`` writes.
        message: What the reader is told.
        minimum: For ``small_group`` and ``few_persons``: the fewest persons that may be spoken of.
        sensitive: For ``few_persons`` and ``one_person``: what is protected, as topics with their words.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    description: str = Field(min_length=1)
    applies_to: Literal["question", "response"]
    patterns: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    action: Literal["modify", "reject"]
    replacement: str = "[removed]"
    message: str = Field(min_length=1)
    minimum: int = Field(default=5, ge=2)
    sensitive: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @field_validator("patterns")
    @classmethod
    def _compiles(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for p in patterns:
            try:
                compiled = _compiled(p)
            except re.error as e:
                raise ValueError(f"the pattern {p!r} is not a regular expression: {e}") from None
            if compiled.search(""):
                raise ValueError(f"the pattern {p!r} matches empty text, and so everything")
        return patterns

    @field_validator("checks")
    @classmethod
    def _known(cls, checks: tuple[str, ...]) -> tuple[str, ...]:
        for name in checks:
            if name not in CHECKS:
                close = did_you_mean(name, CHECKS)
                hint = f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(sorted(CHECKS))}"
                raise ValueError(f"there is no check named {name!r}{hint}")
        return checks

    @model_validator(mode="after")
    def _does_something(self) -> PolicyRule:
        if not self.patterns and not self.checks:
            raise ValueError("a rule needs patterns or checks")
        facts = sorted(FACT_CHECKS & set(self.checks))
        if self.action == "modify" and facts:
            raise ValueError(f"{facts[0]} can only reject")
        if set(self.checks) & set(PERSON_CHECKS) and not self.sensitive:
            raise ValueError("a rule about persons says under 'sensitive' what it protects")
        return self

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the text breaks the rule."""
        found = [m.span() for p in self.patterns for m in _compiled(p).finditer(text)]
        found.extend(s for name in self.checks if name in TEXT_CHECKS for s in TEXT_CHECKS[name](text))
        return _merged(found)


@dataclass(frozen=True)
class Policies:
    """The rules in force."""

    rules: tuple[PolicyRule, ...]

    @classmethod
    def load(cls, path: Path | None = None) -> Policies:
        """Read a policy file; without one, the user's own in the home folder, else the shipped one.

        Raises:
            ConfigurationError: The file cannot be read or a rule is wrong; the message names line and rule.
        """
        if path is None:
            own = Settings.load().home.expanduser() / FILE_NAME
            path = own if own.is_file() else SHIPPED
        return cls(_read(path))

    def apply(
        self, text: str, where: Literal["question", "response"], facts: Sequence[Fact] = ()
    ) -> tuple[str, list[Violation]]:
        """The text with what ``modify`` rules take out, and every rule that was broken."""
        broken: list[Violation] = []
        for rule in self.rules:
            if rule.applies_to != where:
                continue
            spans = rule.spans(text)
            too_small = "small_group" in rule.checks and small_groups(facts, rule.minimum)
            if spans or too_small:
                broken.append(Violation("policy", rule.id, rule.message, Action(rule.action)))
            if rule.action == "modify":
                for start, end in reversed(spans):
                    text = text[:start] + rule.replacement + text[end:]
        return text, broken

    def about_persons(self, behind: PersonsBehind) -> Violation | None:
        """The rule that an answer about persons breaks, by who and how many stand behind it."""
        for rule in self.rules:
            found = topic_of(behind.about, rule.sensitive)
            checks = [PERSON_CHECKS[c] for c in rule.checks if c in PERSON_CHECKS]
            if found is not None and any(check(behind, rule.minimum) for check in checks):
                message = rule.message.format(topic=found[0], about=found[1], minimum=rule.minimum)
                return Violation("policy", rule.id, message, Action.REJECT)
        return None

    def minimum_group(self) -> int:
        """The fewest persons that a sensitive figure may be about; 0 where no rule says so."""
        return max((r.minimum for r in self.rules if "small_group" in r.checks), default=0)


def _read(path: Path) -> tuple[PolicyRule, ...]:
    data = shipped_yaml(path) if path == SHIPPED else _said(path)
    if not isinstance(data, dict) or not isinstance(data.get("rules"), list):
        raise _wrong(path, "line 1: must have a list named 'rules'")
    if unknown := set(data) - {"version", "rules"}:
        raise _wrong(path, f"line 1: has a field {sorted(map(str, unknown))[0]!r} that means nothing")
    if data.get("version", 1) != 1:
        raise _wrong(path, f"line 1: has version {data['version']!r}; this Gnomon reads version 1")
    rules: list[PolicyRule] = []
    for number, item in enumerate(data["rules"]):
        name = item.get("id", "without an id") if isinstance(item, dict) else "without an id"
        try:
            rule = PolicyRule.model_validate(item)
        except ValidationError as e:
            first = e.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or "rule"
            reason = first["msg"].removeprefix("Value error, ")
            raise _wrong(path, f"line {_line(path, number)}: rule {name!r}, {field}: {reason}") from None
        if any(r.id == rule.id for r in rules):
            raise _wrong(path, f"line {_line(path, number)}: rule {name!r}, id: another rule has this id")
        rules.append(rule)
    return tuple(rules)


def _said(path: Path) -> Any:
    """What a user's own file says."""
    import yaml

    try:
        return load_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as e:
        raise _wrong(path, f"cannot be read ({type(e).__name__})") from None
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        at = f"line {mark.line + 1}: " if mark else ""
        raise _wrong(path, f"{at}is not valid YAML ({getattr(e, 'problem', None) or 'unreadable'})") from None


def _line(path: Path, number: int) -> int:
    """Where a rule begins."""
    tree = compose_yaml(path.read_text(encoding="utf-8"))
    rules = next(value for key, value in tree.value if key.value == "rules")
    return int(rules.value[number].start_mark.line) + 1


def _wrong(path: Path, what: str) -> ConfigurationError:
    return ConfigurationError(
        f"The policy file {path.name}, {what}.",
        suggestions=[
            "docs/guardrails.md describes the fields of a rule; remove the file to use the shipped rules."
        ],
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return regex(pattern, re.IGNORECASE)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(s for s in spans if s[1] > s[0]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
