"""What the rest of a sentence says about rows, read as how many of them there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.related_hearing import Heard, Segment
from gnomon.planning.reader.related_words import GROUPING, SCOPES
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.model import plural
from gnomon.semantic.values import ValueIndex

_K = QuestionKind
_KEPT = 64
_FEW = 8
_OPENING = late_pattern(
    r"^(?:(?:and|now|but|so|ok|okay|then|what about|how about|same|the same|do the same|again)\b[\s,]*)+",
    re.IGNORECASE,
)
_BY = late_pattern(r"(?:by|per|for each|for every|each|in each|within each)\b", re.IGNORECASE)
_SCOPED = regex(r"(?:for|in|among|amongst|of|within|on|at)\s+", re.IGNORECASE)


class RowsMeant:
    """Reads which rows are meant.

    Args:
        names: The names of the model.
        index: The values of the data.
        read: Reads a plain question about the same data.
    """

    def __init__(self, names: Names, index: ValueIndex, read: Callable[[str, date], Drafted]) -> None:
        self._names = names
        self._index = index
        self._read = read
        self._known: dict[tuple[str, date], Drafted] = {}

    def narrowed(self, heard: Heard, rest: Sequence[Segment], table: str, today: date) -> Drafted | None:
        """The reading of how many rows the rest of the sentence speaks of; None where it asks for more than that."""
        things = plural(self._names.model.table(table).label)
        things = "rows" if len(self._names.model.tables) == 1 else things
        said = " ".join(heard.text(s.start, s.end) for s in rest)
        lead = rest[0].lead or ""
        bare = said.removeprefix(lead).strip().removeprefix("the ").removeprefix("all ")
        tries = [
            f"how many {things} {_asserted(said)}",
            f"how many {things} {said}",
            f"how many {things} with {bare}",
        ]
        if lead in SCOPES:
            tries = [f"how many {_asserted(bare)}", f"how many {bare}", *tries]
        tries = list(dict.fromkeys(tries))
        grouped = any(s.lead in GROUPING for s in rest)
        unclear: list[Drafted] = []
        for words in tries:
            reading = self._counted(f"{words}?", today)
            if reading.status is not ReadingStatus.CLEAR:
                unclear.append(reading)
            elif self._only_rows(reading, table, grouped):
                return reading
        return min(unclear, key=lambda r: len(r.missing)) if unclear else None

    def again(self, question: str, previous: Parts, table: str, today: date) -> Parts | None:
        """The request before over other rows, where a question only says which: “and for women?”, “by region?”."""
        said = _OPENING.sub("", question.strip().rstrip("?.! "))
        if not said or said == question.strip().rstrip("?.! ") or len(said.split()) > _FEW:
            return None
        grouped = bool(_BY.match(said))
        bare = said.removesuffix(" only").removeprefix("only ")
        tries = [f"how many rows {bare}", f"how many {bare}", f"how many rows for {bare}"]
        for words in tries if not _SCOPED.match(bare) else [tries[0], f"how many {_SCOPED.sub('', bare)}"]:
            reading = self._counted(f"{words}?", today)
            if reading.status is ReadingStatus.CLEAR and self._only_rows(reading, table, grouped):
                rows = {k: v for k, v in self.rows_of(reading.requests[0]).items() if v}
                if not rows:
                    continue  # a column alone says nothing about rows
                fields = {f.field for f in rows.get("filters", ())}
                kept = tuple(f for f in previous.filters if f.field not in fields)
                rows["filters"] = (*kept, *rows.get("filters", ()))
                return previous.model_copy(update={"question": question, **rows})
        return None

    def _counted(self, question: str, today: date) -> Drafted:
        """The reading of a question; the same rest is asked about each time that a question is read anew."""
        if (question, today) not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[question, today] = self._read(question, today)
        return self._known[question, today]

    def _flag(self, metric: Metric) -> Dimension | None:
        """The column of yes and no that a metric counts the rows of."""
        column = self._names.column_of(metric)
        flag = column is not None and column.type is DimensionType.BOOLEAN
        return column if flag and metric.aggregation is Aggregation.SUM and not metric.where else None

    def rows_of(self, request: Parts) -> dict[str, Any]:
        """What a request says about rows; a number of rows that a flag marks is those rows."""
        kept = ("filters", "time_range", "time_dimension", "recurring", "dimensions")
        made: dict[str, Any] = {name: getattr(request, name) for name in kept}
        if (flag := self._flag(self._names.model.metric(request.metrics[0]))) is not None:
            values = self._index.values(flag.name)
            yes = next((v for v in values if v is True or v == 1), True)
            made["filters"] = (
                Filter(field=flag.name, operator=FilterOperator.EQUALS, values=(yes,)), *made["filters"]
            )  # fmt: skip
        return made

    def _only_rows(self, reading: Drafted, table: str, grouped: bool) -> bool:
        """Whether a reading counts rows of the table, under conditions or by one group, and nothing else."""
        request, *others = reading.requests
        if any((r.metrics, r.filters) != (request.metrics, request.filters) for r in others):
            return False  # values that are listed are set against each other too
        model = self._names.model
        metric = model.metric(request.metrics[0]) if len(request.metrics) == 1 else None
        counts = (
            metric is not None
            and metric.table == table
            and (is_count(metric) or self._flag(metric) is not None)
        )
        plain = (
            request.kind in (_K.VALUE, _K.BREAKDOWN) and request.grain is None and request.comparison is None
        )
        return (
            counts
            and plain
            and not request.part
            and request.limit is None
            and len(request.dimensions) == int(grouped)
        )


def _asserted(said: str) -> str:
    """“passengers who survived” as what is said of them: passengers survived."""
    words = said.split()
    at = next((i for i, w in enumerate(words) if w.lower() in {"who", "that", "which"}), None)
    return " ".join(words[:at] + words[at + 1 :]) if at is not None else said
