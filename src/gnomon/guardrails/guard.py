"""The guardrails in one place: what a question may ask, what an answer may say, what a table may show."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from gnomon.core.answer import Fact, ResultTable
from gnomon.data.column_kinds import PersonalKind
from gnomon.data.column_names import words
from gnomon.guardrails.injection import find_instructions
from gnomon.guardrails.numbers import NumberBinding
from gnomon.guardrails.pii import PiiDetector
from gnomon.guardrails.policy import Policies
from gnomon.guardrails.policy_checks import PersonsBehind, counts_persons, is_sensitive
from gnomon.guardrails.results import Action, GuardResult, Violation, broken_rules
from gnomon.guardrails.toxicity import ToxicityDetector

MASK = "•••"
_log = logging.getLogger("gnomon.guardrails")
_KIND_WORDS: dict[PersonalKind, frozenset[str]] = {
    PersonalKind.EMAIL: frozenset({"email", "mail", "e-mail"}),
    PersonalKind.PHONE: frozenset({"phone", "telephone", "tel", "mobile", "cell", "fax", "whatsapp"}),
    PersonalKind.CARD: frozenset({"card", "cc", "pan"}),
    PersonalKind.IBAN: frozenset({"iban", "account"}),
    PersonalKind.NATIONAL_ID: frozenset({"ssn", "passport", "nin", "nino", "national", "tax", "dni", "bsn", "aadhaar"}),
    PersonalKind.IP_ADDRESS: frozenset({"ip"}),
    PersonalKind.ADDRESS: frozenset({"address", "street"}),
}  # fmt: skip


class Guardrails:
    """Checks questions on their way in and answers on their way out. Safe to share between threads.

    Args:
        policies: A policy file; None takes the user's own in the home folder, else the shipped one.
        allow_personal: Columns, or kinds of personal data, that a question may ask for and see unmasked.
        called: Words by which the data calls its rows and columns: where they are spoken of, they are no insults.

    Raises:
        ConfigurationError: The policy file is wrong.
    """

    def __init__(
        self,
        *,
        policies: Path | None = None,
        allow_personal: frozenset[str] = frozenset(),
        called: frozenset[str] = frozenset(),
    ) -> None:
        self._called = called
        self._policies = Policies.load(policies)
        self._allowed = frozenset(a.casefold() for a in allow_personal)
        self._pii = PiiDetector()
        self._toxicity = ToxicityDetector()
        self._binding = NumberBinding()

    def check_question(self, text: str) -> GuardResult:
        """Whether a question may be worked on: no abuse, no forbidden request, no instruction to the machine."""
        found: list[Violation] = []
        if find_instructions(text):
            message = "The question tries to change how Gnomon works; ask about the data instead."
            found.append(Violation("injection", "instructions", message, Action.REJECT))
        if self._toxicity.is_toxic(text, self._called):
            message = "The question reads as abusive; ask about the data instead."
            found.append(Violation("toxicity", "abuse", message, Action.REJECT))
        changed, broken = self._policies.apply(text, "question")
        return self._done(GuardResult.of(changed, [*found, *broken]))

    def check(
        self,
        prose: str,
        facts: Sequence[Fact],
        *,
        asked: Collection[str] = (),
        names: Collection[str] = (),
        parts: Sequence[tuple[str, Sequence[Fact]]] = (),
    ) -> GuardResult:
        """Whether an answer may be shown, and its safe text.

        Args:
            prose: The answer as written.
            facts: What it was written from; every number and direction in it must be one of them.
            asked: Columns that the question asked for by name.
            names: Labels and words of the question that the prose repeats; their digits are no claims.
            parts: The prose in parts, each with the only facts that it may speak of; the whole by default.
        """
        found: list[Violation] = []
        told = parts or [(prose, facts)]
        claims = [c for text, own in told for c in self._binding.bind(text, own, names)]
        for rule in dict.fromkeys(c.kind for c in claims if not c.ok):
            message = "The answer stated something that no computed fact supports, so it is held back."
            found.append(Violation("numbers", rule, message, Action.REJECT))
        if self._toxicity.is_toxic(prose, self._called):
            message = "The answer reads as abusive, so it is held back."
            found.append(Violation("toxicity", "abuse", message, Action.REJECT))
        text, broken = self._policies.apply(prose, "response", facts)
        kinds = self._shown_kinds(asked)
        hidden = list(dict.fromkeys(s.kind for s in self._pii.find(text) if s.kind not in kinds))
        for kind in hidden:
            message = f"Personal data ({kind.replace('_', ' ')}) was masked."
            found.append(Violation("pii", kind, message, Action.MODIFY))
        safe = self._pii.mask(text, kinds) if hidden else text
        return self._done(GuardResult.of(safe, [*found, *broken], claims))

    def check_persons(self, behind: PersonsBehind) -> GuardResult:
        """Whether an answer about persons may be shown, by who and how many stand behind it."""
        broken = self._policies.about_persons(behind)
        return self._done(GuardResult.of("", [broken] if broken else []))

    def minds_one_person(self, behind: PersonsBehind) -> bool:
        """Whether an answer could not be shown if a single person stood behind it."""
        return self._policies.about_persons(replace(behind, least=1)) is not None

    def mask_table(
        self, table: ResultTable, personal_columns: Collection[str], allowed: Collection[str]
    ) -> ResultTable:
        """The table with personal columns masked, personal data in other text masked, and small groups hidden.

        Args:
            table: Rows as computed.
            personal_columns: Columns that hold personal data.
            allowed: Those of them that were asked for and may be shown.
        """
        hidden = {c.casefold() for c in personal_columns} - {c.casefold() for c in allowed}
        shown = {c.casefold() for c in allowed}
        small = self._small_groups(table)
        masked = lru_cache(maxsize=1024)(self._pii.mask)  # names come again and again in a table
        rows = tuple(
            tuple(
                _cell(value, column, hidden, shown, masked) if (i, j) not in small else MASK
                for j, (column, value) in enumerate(zip(table.columns, row, strict=True))
            )
            for i, row in enumerate(table.rows)
        )
        if rows != table.rows:
            message = "Personal data in a table was masked."
            self._done(GuardResult.of("", [Violation("pii", "table", message, Action.MODIFY)]))
        return table.model_copy(update={"rows": rows})

    def _small_groups(self, table: ResultTable) -> set[tuple[int, int]]:
        minimum = self._policies.minimum_group()
        sizes = [j for j, c in enumerate(table.columns) if counts_persons(c)]
        private = [j for j, c in enumerate(table.columns) if is_sensitive(c) and j not in sizes]
        return {
            (i, j)
            for i, row in enumerate(table.rows)
            for j in private
            if any(isinstance(row[k], (int, float)) and 0 < row[k] < minimum for k in sizes)
        }

    def _shown_kinds(self, asked: Collection[str]) -> frozenset[str]:
        """The kinds of personal data that were asked for by their column and that policy allows."""
        kinds: set[str] = set()
        for column in asked:
            parts = set(words(column))
            for kind, known in _KIND_WORDS.items():
                if parts & known and {column.casefold(), kind.value} & self._allowed:
                    kinds.add(kind.value)
        return frozenset(kinds)

    def _done(self, result: GuardResult) -> GuardResult:
        for v in result.violations:
            _log.warning("guardrail %s/%s: %s", v.guard, v.rule, v.action)
        if (watched := broken_rules.get()) is not None:
            watched.extend(result.violations)
        return result


def _cell(value: Any, column: str, hidden: set[str], shown: set[str], masked: Callable[[str], str]) -> Any:
    """A value as it may be shown under the name of its column."""
    name = column.casefold()
    if value is None or name in shown:
        return value
    if name in hidden:
        return MASK
    return masked(value) if isinstance(value, str) else value
