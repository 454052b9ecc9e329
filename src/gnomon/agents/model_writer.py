"""A language model as writer: it sees what facts are called and their units, never a value, and writes around slots."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from gnomon.agents.presenter_writer import Slot
from gnomon.answering.words import slug
from gnomon.core.errors import GnomonError
from gnomon.core.figures import group_name
from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import regex
from gnomon.guardrails.directions import find_directions
from gnomon.guardrails.injection import neutral_name
from gnomon.guardrails.numerals import find_numerals
from gnomon.llm import ModelClient, Rejected, load_prompt
from gnomon.semantic import SemanticModel

logger = logging.getLogger("gnomon.model")

MOST_SLOTS = 12
MOST_CHARACTERS = 500
_K, _O = QuestionKind, FilterOperator
# Answers about groups name the groups, and those names are values: they stay with the template.
_KINDS = (_K.VALUE, _K.COMPARISON, _K.SHARE, _K.CORRELATION, _K.DISTRIBUTION, _K.FORECAST)
_SLOT = regex(r"\{\{\s*(\w+)\s*\}\}")
_MARKUP = regex(r"[<>\[\]#*_`|{}]|https?:|\n\s*\n")
# The ends of fact names that say what a figure is; anything else in a name may come from a cell.
_ROLES = frozenset(
    [
        "anomalies",
        "benchmark",
        "bottom",
        "change",
        "change_pct",
        "checked",
        "correlation",
        "count",
        "current",
        "difference",
        "end",
        "forecast",
        "forecast_high",
        "forecast_low",
        "highest",
        "lowest",
        "max",
        "mean",
        "median",
        "min",
        "mode_count",
        "mode_share",
        "pairs",
        "part",
        "previous",
        "q1",
        "q3",
        "ratio",
        "rows",
        "rows_without_value",
        "share",
        "start",
        "stddev",
        "sum",
        "top",
        "top_share",
        "total",
        "whole",
    ]
)


class Prose(BaseModel):
    """An answer in words."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="One or two sentences with slots in double braces.")


class ModelWriter:
    """Writes sentences around slots, checked; where it cannot, the template stays.

    Args:
        client: The language model.
        model: What the tables mean, for the names of what was asked.
    """

    def __init__(self, client: ModelClient, model: SemanticModel) -> None:
        self._client = client
        self._model = model

    @property
    def privacy(self) -> str:
        """What the model may see."""
        return self._client.privacy.value

    def write(self, request: Parts, slots: Sequence[Slot]) -> str | None:
        """Sentences in which each number is a slot, or None where the template is to be used."""
        conditions = (*request.filters, *request.part)
        if (
            not slots
            or request.kind not in _KINDS
            or request.dimensions
            or not all(_simple(c) for c in conditions)
        ):
            return None
        figures = {f"figure{n}": slot for n, slot in enumerate(slots[:MOST_SLOTS], 1)}
        values = {f"condition{n}": c for n, c in enumerate(conditions, 1)}
        prompt = load_prompt(
            "answer",
            asked=self._asked(request),
            conditions="\n".join(f"- {{{{{k}}}}}: {self._condition(c)}" for k, c in values.items()) or "none",
            figures="\n".join(f"- {{{{{k}}}}}: {self._figure(s, request)}" for k, s in figures.items()),
        )
        try:
            prose = self._client.ask(
                load_prompt("write_answer"), prompt, Prose, lambda p: _check(p.text, list(figures), list(values))
            )  # fmt: skip
        except GnomonError as e:
            logger.warning("the template stands, without the language model: %s", e.message)
            return None
        return _SLOT.sub(lambda m: _filled(m[1], figures, values), prose.text.strip())

    def _asked(self, request: Parts) -> str:
        names = " and ".join(self._measure(i, m) for i, m in enumerate(request.metrics)) or "the data"
        period = ", in a period that the program names" if request.time_range else ""
        against = ", set against another period" if request.comparison else ""
        return f"{request.kind} of {names}{period}{against}"

    def _measure(self, place: int, reference: str) -> str:
        if not self._client.privacy.names:
            return f"measure {'ABCDEFGH'[place % 8]}"
        return neutral_name(self._model.metric(reference).label)

    def _condition(self, condition: Filter) -> str:
        how = "is" if condition.operator is _O.EQUALS else "is not"
        if not self._client.privacy.names:
            return f"what one of the columns {how}"
        return f"what the {neutral_name(self._model.dimension(condition.field).label)} {how}"

    def _figure(self, slot: Slot, request: Parts) -> str:
        """What a figure is, told in roles and names of measures alone."""
        names = {slug(m): self._measure(i, m) for i, m in enumerate(request.metrics)}
        said: list[str] = []
        rest = slot.name
        for known, label in names.items():
            if rest == known or rest.startswith(f"{known}."):
                said, rest = [label], rest[len(known) :].lstrip(".")
                break
        said += [p.replace("_", " ") for p in rest.split(".") if p in _ROLES]
        unit = f" in {neutral_name(slot.unit)}" if slot.unit else ""
        return f"{', '.join(said) or 'a further figure'}{unit}"


def _simple(condition: Filter) -> bool:
    """Whether a condition can be told by one word in a slot."""
    plain = condition.operator in (_O.EQUALS, _O.NOT_EQUALS) and len(condition.values) == 1
    return plain and not condition.having and isinstance(condition.values[0], str | bool)


def _check(text: str, figures: Sequence[str], values: Sequence[str]) -> None:
    """Whether a text is nothing but words around known slots.

    Raises:
        Rejected: It is not; the message tells the model why.
    """
    used = _SLOT.findall(text)
    known = {*figures, *values}
    if unknown := [s for s in used if s not in known]:
        raise Rejected(f"There is no slot {unknown[0]}; the slots are {', '.join(sorted(known))}.")
    if absent := [s for s in (figures[0], *values) if s not in used]:
        raise Rejected(f"The slot {absent[0]} has to be used.")
    words = _SLOT.sub(" it ", text)
    if _MARKUP.search(words) or len(text) > MOST_CHARACTERS:
        raise Rejected("Write two plain sentences at most, without markup.")
    if re.search(r"\d", words) or find_numerals(words):
        raise Rejected("Write no numbers of your own, neither digits nor words; use the slots.")
    if claims := find_directions(words):
        raise Rejected(f"“{words[claims[0].start : claims[0].end]}” claims what you cannot know.")


def _filled(slot: str, figures: dict[str, Slot], values: dict[str, Filter]) -> str:
    """A figure's slot under its own name, a condition's slot by its value."""
    if slot in figures:
        return f"{{{{fact.{figures[slot].name}}}}}"
    return group_name(values[slot].values[0])
