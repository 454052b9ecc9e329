"""A language model as the writer of insights: it sees sentences with slots in place of figures, names and days."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from gnomon.agents.insight.findings import KNOWN, Statement, size, spoken_periods
from gnomon.agents.insight.paths import DomainPath
from gnomon.answering.words import fact_figure
from gnomon.core.errors import GnomonError
from gnomon.core.figures import group_name
from gnomon.core.patterns import regex
from gnomon.guardrails.directions import find_directions
from gnomon.guardrails.numerals import find_numerals
from gnomon.llm import ModelClient, Rejected, load_prompt
from gnomon.planning.reader.operators import FILLERS
from gnomon.planning.reader.words import is_known_word

logger = logging.getLogger("gnomon.insight")

MOST_LINES = 24
MOST_CHARACTERS = 600
_SLOT = regex(r"\{\{\s*(\w+)\s*\}\}")
_WORD = regex(r"[^\W\d_]{3,}")
_MARKUP = regex(r"[<>\[\]#*_`|{}]|https?:|\n")


class Lines(BaseModel):
    """The lines of an insight, rewritten."""

    model_config = ConfigDict(extra="forbid")

    lines: list[str] = Field(
        description="As many lines as were given, in the same order, with the same slots."
    )


class InsightWriter:
    """Puts the sentences of an insight into better words; whatever it does, slots and so the facts stay the same.

    Args:
        client: The language model.
    """

    def __init__(self, client: ModelClient) -> None:
        self._client = client

    def rewrite(self, statements: Sequence[Statement], path: DomainPath) -> list[Statement]:
        """The statements in the model's words; each one that it did not keep to stays as it was."""
        told = [s for s in statements if s.section != KNOWN][:MOST_LINES]
        values = _values(told)
        slotted = [_slotted(s, values) for s in told]
        prompt = load_prompt(
            "insight",
            task=path.prompt_template.strip(),
            knowledge="\n".join(f"- {line}" for line in path.knowledge) or "nothing in particular",
            examples="\n\n".join(e.strip() for e in path.few_shot_examples) or "none",
            lines="\n".join(f"{i}. {text}" for i, (text, _) in enumerate(slotted, start=1)),
        )
        try:
            written = self._client.ask(
                load_prompt("write_insight"), prompt, Lines, lambda w: _check_count(w, len(slotted))
            )
        except GnomonError as e:
            logger.warning("the templates stand, without the language model: %s", e.message)
            return list(statements)
        better = dict[int, Statement]()
        for statement, (text, filled), line in zip(told, slotted, written.lines, strict=True):
            if _keeps(text, line):
                better[id(statement)] = replace(
                    statement, text=_SLOT.sub(lambda m, f=filled: f[m[1]], line.strip())
                )
        return [better.get(id(s), s) for s in statements]


def _values(statements: Sequence[Statement]) -> set[str]:
    """What the lines say of the data by name, whichever of them knows it: groups, conditions, things."""
    facts = [f for s in statements for f in s.facts]
    conditions = [v for f in facts for c in f.about.filters for v in c.values]
    said = [*(n for s in statements for n in s.names), *(v for f in facts for v in f.about.group.values())]
    return {*said, *map(str, conditions), *map(group_name, conditions)}


def _slotted(statement: Statement, values: set[str]) -> tuple[str, dict[str, str]]:
    """The sentence with a slot for each figure, name, period and unknown word in it, and what fills them.

    A word that is none of English may be a cell that no fact names, be it a part of one.
    """
    figures = [said for f in statement.facts for said in (fact_figure(f), size(f))]
    unknown = {w for w in _WORD.findall(statement.text) if not (is_known_word(w) or w.lower() in FILLERS)}
    words = [*values, *spoken_periods(statement.facts), *figures, *unknown]
    text, filled = statement.text, dict[str, str]()
    for said in sorted({w for w in words if w.strip()}, key=len, reverse=True):
        slot = f"slot{len(filled) + 1}"
        # A character that no sentence has keeps slots apart from the words still to be replaced.
        found = re.compile(rf"(?<![^\W_]){re.escape(said)}(?![^\W_])")
        if said != statement.text and (replaced := found.sub(f"\x00{slot}\x01", text)) != text:
            text, filled[slot] = replaced, said
    return text.replace("\x00", "{{").replace("\x01", "}}"), filled


def _keeps(given: str, line: str) -> bool:
    """Whether a line says no more in slots, numbers and directions than the one it was made from."""
    if sorted(_SLOT.findall(given)) != sorted(_SLOT.findall(line)) or len(line) > MOST_CHARACTERS:
        return False
    words = _SLOT.sub(" it ", line)
    ways = {d.way for d in find_directions(_SLOT.sub(" it ", given))}
    return (
        bool(line.strip())
        and not _MARKUP.search(words)
        and not find_numerals(words)
        and {d.way for d in find_directions(words)} <= ways
    )


def _check_count(written: Lines, count: int) -> None:
    if len(written.lines) != count:
        raise Rejected(f"{count} lines were asked for, not {len(written.lines)}.")
