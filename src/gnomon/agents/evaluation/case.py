"""One question of a benchmark: its words, what must come of it, and the query that says what is true."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gnomon.core.answer import AnswerStatus
from gnomon.core.errors import InvalidInput

Compare = Literal["scalar", "row", "table", "ordered", "set"]
Split = Literal["dev", "held"]
TOLERANCE = 1e-6
_SHIPPED = (
    "questions.jsonl",
    "variants.jsonl",
    "refusals.jsonl",
    "spoken.jsonl",
    "fresh.jsonl",
    "heard.jsonl",
    "later.jsonl",
)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Part(_Frozen):
    """One thing that a question asks for.

    Args:
        sql: Queries that each give a true answer; more than one where a careful analyst may read it in two ways.
        compare: ``scalar`` one value, ``row`` several values of one record, ``table`` rows in any order,
            ``ordered`` rows in this order, ``set`` the distinct values of a column.
    """

    sql: tuple[str, ...] = Field(min_length=1)
    compare: Compare


class Case(_Frozen):
    """A question and what must come of it.

    Args:
        id: Unique in its file.
        question: The words.
        kind: What sort of question it is; results are told by kind.
        split: ``dev`` cases may be looked at, ``held`` ones are only counted.
        table: The table it is asked of, where the benchmark has many data sets.
        history: Questions asked before it in the same conversation.
        today: The day on which it is asked.
        accepted: The statuses that are right.
        parts: What is true; nothing where the question must be refused.
        tolerance: Relative difference up to which two numbers are the same.
        tags: Traits, such as ``percent`` where a rate may be told as a fraction or in percent.
    """

    id: str
    question: str
    kind: str
    split: Split = "dev"
    table: str | None = None
    history: tuple[str, ...] = ()
    today: date | None = None
    accepted: tuple[AnswerStatus, ...]
    parts: tuple[Part, ...] = ()
    tolerance: float = TOLERANCE
    tags: tuple[str, ...] = ()

    @property
    def answerable(self) -> bool:
        """Whether the data holds the answer."""
        return AnswerStatus.ANSWERED in self.accepted

    @model_validator(mode="after")
    def _has_truth(self) -> Case:
        if self.answerable != bool(self.parts):
            raise ValueError(
                f"case {self.id}: a question has a query for its truth if and only if it has an answer"
            )
        return self


def load_cases(path: Path | str | None = None, split: Split | None = None) -> list[Case]:
    """Read cases from a file of JSON lines, or those that are shipped for the demo store.

    Args:
        path: One case a line; None for the shipped ones.
        split: Keep only these.

    Raises:
        InvalidInput: A line is no case, or two cases share an id.
    """
    cases = [c for name, text in _texts(path) for c in _cases(name, text)]
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise InvalidInput(f"two cases have the id {case.id!r}; each needs one of its own")
        seen.add(case.id)
    return [c for c in cases if split is None or c.split == split]


def _texts(path: Path | str | None) -> Iterator[tuple[str, str]]:
    if path is not None:
        file = Path(path)
        if not file.is_file():
            raise InvalidInput(
                f"there is no file of cases at {file}; give one with a case in JSON on each line"
            )
        yield file.name, file.read_text(encoding="utf-8")
        return
    folder = resources.files("gnomon.agents.evaluation") / "data"
    for name in _SHIPPED:
        yield name, (folder / name).read_text(encoding="utf-8")


def _cases(name: str, text: str) -> Iterator[Case]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _case(json.loads(line))
        except (ValidationError, ValueError, KeyError, TypeError) as e:
            raise InvalidInput(f"line {number} of {name} is no case: {e}") from e


def _case(raw: dict[str, Any]) -> Case:
    """A case from its line, in which one part is written flat and statuses may be one word."""
    expect = raw.pop("expect")
    accepted = [expect] if isinstance(expect, str) else expect
    if AnswerStatus.ANSWERED in accepted and AnswerStatus.PARTIAL not in accepted:
        # An answer that is right and says that the data covers only part of the period is right.
        accepted = [*accepted, AnswerStatus.PARTIAL]
    parts: Sequence[dict[str, Any]] = raw.pop("parts", None) or []
    sql = raw.pop("sql", None)
    compare = raw.pop("compare", None)
    if sql is not None:
        parts = [{"sql": sql, "compare": compare}]
    written = [{**p, "sql": [p["sql"]] if isinstance(p["sql"], str) else p["sql"]} for p in parts]
    return Case.model_validate({**raw, "accepted": accepted, "parts": written})
