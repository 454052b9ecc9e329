"""Questions that relate columns row by row: correlations of two or more of them, and what predicts one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gnomon.core.request import Filter, FilterOperator, QuestionKind, Request, Scalar
from gnomon.planning.reader.headings import Headings
from gnomon.planning.reader.model_options import ModelOptions, model_options
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.related_hearing import Heard, Hearing, Mention, Segment, segments
from gnomon.planning.reader.related_model import model_columns
from gnomon.planning.reader.related_words import (
    GROUPING,
    METHODS,
    MODEL_TALK,
    RELATIVE,
    TALK,
    asks_model,
    asks_relation,
    other_method,
)
from gnomon.planning.reader.words import Word
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.model import plural
from gnomon.semantic.row_values import table_of_rows
from gnomon.semantic.values import ValueIndex

_K = QuestionKind
_MOST = frozenset(
    {"most", "strongest", "highest", "largest", "greatest", "best", "strongly", "closely", "top"}
)
_LEAST = frozenset({"least", "weakest", "lowest", "smallest"})
_ASKED = frozenset({"which", "what", "whether"})
_WHETHER = frozenset({"is", "are", "does", "do", "did", "was", "were", "can", "could", "has", "have"})
_SCOPES = frozenset({"for", "among", "amongst", "in", "within", "of", "at"})
_MANY = 40


@dataclass
class _Parts:
    """What a question relates, what narrows the rows, and what stays strange."""

    related: list[Mention] = field(default_factory=list[Mention])
    rest: list[Segment] = field(default_factory=list[Segment])
    strange: list[str] = field(default_factory=list[str])


class RelatedColumns:
    """Reads questions that relate columns of one table.

    Args:
        names: The names of the model.
        index: The values of the data.
        headings: The columns by what stands above them.
        read: Reads a plain question about the same data, which tells what the rest of a sentence means.
    """

    def __init__(
        self, names: Names, index: ValueIndex, headings: Headings, read: Callable[[str, date], Reading]
    ) -> None:
        self._names = names
        self._index = index
        self._hearing = Hearing(names, index, headings)
        self._read = read

    def read(self, question: str, words: Sequence[Word], today: date) -> Reading | None:
        """The reading of a question that relates columns; None where it asks for something else."""
        said = [w.lower for w in words]
        if asks_model(said) and (found := self._model(question, words, today)) is not None:
            return found
        return self._relation(question, words, today) if asks_relation(said) else None

    def _relation(self, question: str, words: Sequence[Word], today: date) -> Reading | None:
        said = [w.lower for w in words]
        heard = self._hearing.hear(question, words, today, TALK, _is_level(question))
        if heard.counted:
            return None
        parts = _parts(heard, enough=2, narrowing=RELATIVE | _SCOPES)
        columns = _chosen(parts.related)
        if columns is None:
            return _unsure(question, parts.related)
        parameters: dict[str, Scalar] = {
            "method": next((METHODS[w] for w in said if w in METHODS), "pearson")
        }
        wanted = self._wanted(columns, said, parameters)
        if wanted is None:
            return None
        if len(wanted) == 2 and (set(said[:1]) & _WHETHER or {"whether", "there"} & set(said)):
            parameters["whether"] = True
        return self._request(_K.CORRELATION, question, heard, parts, wanted, parameters, today)

    def _wanted(
        self, columns: list[Dimension], said: Sequence[str], parameters: dict[str, Scalar]
    ) -> list[Dimension] | None:
        """The columns to relate: those that are named, or all that hold numbers where all are asked for."""
        everything = bool(
            {"matrix", "all", "pairs", "numeric", "numerical", "variables", "columns", "features"} & set(said)
        )
        ranked = set(said) & (_MOST | _LEAST)
        if len(columns) == 1 and (ranked or (everything and _ASKED & set(said))):
            parameters["target"] = columns[0].name
            table = columns[0].home.table
            columns = [columns[0], *(d for d in self.numbers(table) if d.name != columns[0].name)]
        elif not columns and everything and len(self._names.model.tables) == 1:
            columns = self.numbers(self._names.model.tables[0].name)
        if len(columns) < 2 or len({d.home.table for d in columns}) > 1:
            return None
        if len(columns) > 2 and ranked:
            parameters |= next(({"sign": w} for w in ("positive", "negative") if w in said), {})
            parameters |= {"weakest": True} if _LEAST & set(said) and not _MOST & set(said) else {}
        return columns[:_MANY]

    def numbers(self, table: str) -> list[Dimension]:
        """The columns of a table that hold numbers, without those that only tell rows apart."""
        found: list[Dimension] = []
        for d in self._names.model.dimensions:
            if d.home.table != table or d.type in (DimensionType.ID, DimensionType.TIME) or d.via is not None:
                continue
            values = self._index.values(d.name)[:50] if d.type is DimensionType.CATEGORY else []
            coded = bool(values) and all(isinstance(v, int | float) for v in values)
            if d.type in (DimensionType.NUMBER, DimensionType.BOOLEAN) or coded:
                found.append(d)
        return found

    def _model(self, question: str, words: Sequence[Word], today: date) -> Reading | None:
        if (method := other_method(question)) is not None and not self._names.vocabulary.named(method):
            return _not_offered(method)
        options = model_options(question)
        heard = self._hearing.hear(question, words, today, TALK | MODEL_TALK, options.covers)
        if heard.counted:
            return None
        heard.mentions = [
            m for m in heard.mentions if not options.covers(words[m.start].start, words[m.end - 1].end)
        ]
        parts = _parts(heard, enough=2)
        columns = _chosen(parts.related)
        if columns is None:
            return _unsure(question, parts.related)
        wanted = model_columns(heard, parts.related, columns, self.numbers)
        if wanted is None or len({d.home.table for d in wanted}) > 1:
            return None
        return self._request(
            _K.REGRESSION, question, heard, parts, wanted, _fitting(options, wanted[0]), today
        )

    def _request(
        self,
        kind: QuestionKind,
        question: str,
        heard: Heard,
        parts: _Parts,
        columns: list[Dimension],
        parameters: dict[str, Scalar],
        today: date,
    ) -> Reading | None:
        """The reading, with the rows that the rest of the sentence speaks of."""
        table = table_of_rows(self._names.model, [d.name for d in columns])
        if table is None:
            return None
        rows: dict[str, Any] = {}
        missing = list(dict.fromkeys(parts.strange))
        notes: tuple[str, ...] = ()
        if parts.rest:
            narrowed = self._narrowed(heard, parts.rest, table, today)
            if narrowed is None:
                return None
            if narrowed.status is ReadingStatus.CLEAR:
                rows, notes = self._rows_of(narrowed.requests[0]), narrowed.notes
            else:
                missing += [m for m in narrowed.missing if m not in missing]
                if not narrowed.missing:
                    return narrowed
        request = Request(
            question=question,
            kind=kind,
            columns=tuple(d.name for d in columns),
            parameters=parameters,
            **rows,
        )
        if missing:
            said = " or ".join(f"“{m}”" for m in missing[:4])
            message = f"There is no {said} in this data, as far as I can tell."
            return Reading(
                status=ReadingStatus.PARTIAL,
                requests=(request,),
                missing=tuple(missing),
                message=message,
                explained=0.5,
            )
        return Reading(status=ReadingStatus.CLEAR, requests=(request,), notes=notes)

    def _narrowed(self, heard: Heard, rest: Sequence[Segment], table: str, today: date) -> Reading | None:
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
        if lead in _SCOPES:
            tries = [f"how many {_asserted(bare)}", f"how many {bare}", *tries]
        tries = list(dict.fromkeys(tries))
        grouped = any(s.lead in GROUPING for s in rest)
        unclear: list[Reading] = []
        for words in tries:
            reading = self._read(f"{words}?", today)
            if reading.status is not ReadingStatus.CLEAR:
                unclear.append(reading)
            elif self._only_rows(reading, table, grouped):
                return reading
        return min(unclear, key=lambda r: len(r.missing)) if unclear else None

    def _flag(self, metric: Metric) -> Dimension | None:
        """The column of yes and no that a metric counts the rows of."""
        column = self._names.column_of(metric)
        flag = column is not None and column.type is DimensionType.BOOLEAN
        return column if flag and metric.aggregation is Aggregation.SUM and not metric.where else None

    def _rows_of(self, request: Request) -> dict[str, Any]:
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

    def _only_rows(self, reading: Reading, table: str, grouped: bool) -> bool:
        """Whether a reading counts rows of the table, under conditions or by one group, and nothing else."""
        if len(reading.requests) != 1:
            return False
        request = reading.requests[0]
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


def _parts(heard: Heard, enough: int, narrowing: frozenset[str] = RELATIVE) -> _Parts:
    """The segments sorted into what is related, what narrows the rows, and what is strange."""
    made = _Parts()
    waiting: Segment | None = None
    for segment in segments(heard, enough):
        named = heard.within(segment.start, segment.end)
        strange = [i for i in range(segment.start, segment.end) if i in heard.strange]
        rows = any(i in heard.rows for i in range(segment.start, segment.end))
        grouped = segment.lead in GROUPING and bool(named) and (segment.lead != "by" or len(made.related) > 1)
        condition = (
            segment.lead in narrowing and bool(named) and (waiting is not None or len(made.related) > 1)
        )
        if segment.lead is not None and (grouped or condition or (strange and not _is_owner(heard, segment))):
            made.rest += [waiting, segment] if waiting is not None else [segment]
            waiting = None
            continue
        if made.rest and segment.lead is None and made.rest[-1].end == segment.start and (strange or named):
            made.rest.append(segment)  # "… and were in first class"
            continue
        waiting = segment if rows and segment.lead is not None and not named else None
        made.related += named
        made.strange += [heard.words[i].text for i in strange]
    return made


def _is_owner(heard: Heard, segment: Segment) -> bool:
    """“of the offender”, “by a storm”: one of what rows are, said as whose column it is."""
    words = [w.lower for w in heard.words[segment.start : segment.end]]
    plain = (
        len(words) == 3
        and words[0] in {"of", "by", "for", "in", "from"}
        and words[1] in {"the", "a", "an", "each"}
    )
    return plain and not words[2].endswith("s") and segment.start + 2 in heard.strange - heard.told


def _asserted(said: str) -> str:
    """“passengers who survived” as what is said of them: passengers survived."""
    words = said.split()
    at = next((i for i, w in enumerate(words) if w.lower() in {"who", "that", "which"}), None)
    return " ".join(words[:at] + words[at + 1 :]) if at is not None else said


def _chosen(mentions: Sequence[Mention]) -> list[Dimension] | None:
    """The columns of the mentions, each once; None where one fits several."""
    if any(len(m.columns) > 1 for m in mentions):
        return None
    return list({m.columns[0].name: m.columns[0] for m in mentions}.values())


def _unsure(question: str, mentions: Sequence[Mention]) -> Reading:
    doubt = next(m for m in mentions if len(m.columns) > 1)
    options = [d.label for d in doubt.columns[:4]]
    listed = " or ".join(f"“{o}”" for o in options)
    return Reading(
        status=ReadingStatus.AMBIGUOUS,
        message=f"“{doubt.text}” could mean {listed}. Which one do you mean?",
        options=tuple(question.replace(doubt.text, o, 1) for o in options),
        explained=0.9,
    )


def _not_offered(method: str) -> Reading:
    return Reading(
        status=ReadingStatus.PARTIAL,
        missing=(method,),
        message=f"A model by {method.lower()} is not offered here; linear and logistic regression are.",
        explained=0.5,
    )


def _fitting(options: ModelOptions, target: Dimension) -> dict[str, Scalar]:
    """The options; a number of many values is not predicted as one of two, whatever the score is called."""
    parameters = dict(options.parameters)
    if target.type is DimensionType.NUMBER and (target.distinct or 3) > 2:
        parameters.setdefault("model", "linear")
    return parameters


def _is_level(question: str) -> Callable[[int, int], bool]:
    """Whether characters tell the level of significance, or the number of the question."""
    import re

    pattern = re.compile(
        r"(?:alpha|significance(?:\s+level)?|level(?:\s+of\s+significance)?|p|α)\s*(?:=|<|of|at|:)?\s*0?\.\d+"
        r"|(?:at\s+)?(?:a\s+|the\s+)?(?:0?\.\d+|\d{1,2}\s*%)\s*(?:significance|confidence)?\s*level"
        r"|\d{1,2}\s*%\s*confidence|^\s*(?:question\s*)?\d{1,2}\s*[.:)]",
        re.IGNORECASE,
    )
    spans = [m.span() for m in pattern.finditer(question)]
    return lambda start, end: any(a <= start and end <= b for a, b in spans)
