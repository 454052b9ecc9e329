"""Questions that relate columns row by row: correlations of two or more of them, and what predicts one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from gnomon.core.parts import Claim, FilterOperator, Parts, QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.core.studies import Regression, Relation
from gnomon.planning.reader.draft import said_so
from gnomon.planning.reader.headings import Headings
from gnomon.planning.reader.model_options import model_options
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.related_hearing import Heard, Hearing, Mention, Segment, segments
from gnomon.planning.reader.related_model import model_columns
from gnomon.planning.reader.related_rows import RowsMeant
from gnomon.planning.reader.related_words import (
    COMPARED,
    EVERYTHING,
    GROUPING,
    LEAST,
    MODEL_TALK,
    MOST,
    RELATIVE,
    SCOPES,
    TALK,
    WITHOUT,
    asked_for,
    asks_model,
    asks_relation,
    is_level,
    method,
    other_method,
    varies,
)
from gnomon.planning.reader.words import Word
from gnomon.planning.reading import Asked, Drafted, ReadingStatus, asked_back
from gnomon.semantic import Dimension, DimensionType
from gnomon.semantic.row_values import table_of_rows
from gnomon.semantic.values import ValueIndex

_K = QuestionKind
_ASKED = frozenset({"which", "what", "whether"})
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
        self, names: Names, index: ValueIndex, headings: Headings, read: Callable[[str, date], Drafted]
    ) -> None:
        self._names = names
        self._index = index
        self._hearing = Hearing(names, index, headings)
        self._rows = RowsMeant(names, index, read)

    @staticmethod
    def is_final(reading: Drafted) -> bool:
        """Whether a reading stands whatever else the words may mean: it is clear, or says what is not offered."""
        return reading.status is ReadingStatus.CLEAR or (bool(reading.missing) and not reading.requests)

    def read(self, question: str, words: Sequence[Word], today: date) -> Drafted | None:
        """The reading of a question that relates columns; None where it asks for something else."""
        said = [w.lower for w in words]
        if asks_model(said) and (found := self._model(question, words, today)) is not None:
            return found
        return self._relation(question, words, today) if asks_relation(said) else None

    def follow(self, question: str, previous: Parts, today: date) -> Drafted | None:
        """The reading of a question that asks again what was asked before, over other rows; None for any other."""
        table = table_of_rows(self._names.model, previous.columns) if previous.columns else None
        again = self._rows.again(question, previous, table, today) if table is not None else None
        return Drafted(status=ReadingStatus.CLEAR, requests=(again,)) if again is not None else None

    def _relation(self, question: str, words: Sequence[Word], today: date) -> Drafted | None:
        said = [w.lower for w in words]
        heard = self._hearing.hear(question, words, today, TALK, is_level(question))
        if heard.counted:
            return None
        parts = _parts(heard, enough=2, narrowing=RELATIVE | SCOPES | WITHOUT)
        columns = _chosen(parts.related)
        if columns is None:
            return _unsure(question, parts.related)
        named = {i for m in heard.mentions for i in range(m.start, m.end)}
        if not asks_relation(said, named):
            return None
        how = method([w for i, w in enumerate(said) if i not in named])
        by = _asked_group(words, parts.related)
        if by is not None:
            columns = [d for d in columns if d.name != by.name]
        wanted, target = self._wanted(columns, said, plain=not (heard.rows or parts.strange))
        if wanted is None or (varies(said) and any(d.type is DimensionType.CATEGORY for d in wanted)):
            return None  # "how does the cost vary with urgency" asks for each of them
        if target is None and len(wanted) > 2:
            target = _set_against(words, parts.related)
        study = Relation(method=how, target=target.name if target else None, ranked=by is not None)
        study, claim = asked_for(said, len(wanted), study)
        return self._request(_K.CORRELATION, question, heard, parts, wanted, study, today, by, claim)

    def _wanted(
        self, columns: list[Dimension], said: Sequence[str], *, plain: bool
    ) -> tuple[list[Dimension] | None, Dimension | None]:
        """The columns to relate: those that are named, or all that hold numbers where all are asked for with one of them."""
        target: Dimension | None = None
        everything = bool(EVERYTHING & set(said))
        open_ = everything or (said[:1] == ["what"] and plain)
        if len(columns) == 1 and open_ and (set(said) & (MOST | LEAST) or _ASKED & set(said)):
            if columns[0].name not in {d.name for d in self.numbers(columns[0].home.table)}:
                return None, None
            target = columns[0]
            columns = [target, *(d for d in self.numbers(target.home.table) if d.name != target.name)]
        elif not columns and everything and len(self._names.model.tables) == 1:
            columns = self.numbers(self._names.model.tables[0].name)
        if len(columns) < 2 or len({d.home.table for d in columns}) > 1:
            return None, None
        return columns[:_MANY], target

    def numbers(self, table: str) -> list[Dimension]:
        """The columns of a table that hold numbers, without those that only tell rows apart."""
        found: list[Dimension] = []
        for d in self._names.model.dimensions:
            year = d.type is DimensionType.TIME and d.written is not None and d.grain is TimeGranularity.YEAR
            if d.home.table != table or d.via is not None or d.type is DimensionType.ID:
                continue
            if d.type is DimensionType.TIME and not year:
                continue
            if d.type is DimensionType.TIME:
                found.append(d)
                continue
            values = self._index.values(d.name)[:50] if d.type is DimensionType.CATEGORY else []
            coded = bool(values) and all(isinstance(v, int | float) for v in values)
            if d.type in (DimensionType.NUMBER, DimensionType.BOOLEAN) or coded:
                found.append(d)
        return found

    def _model(self, question: str, words: Sequence[Word], today: date) -> Drafted | None:
        if (method := other_method(question)) is not None and not self._names.vocabulary.named(method):
            return _not_offered(method)
        options = model_options(question)
        level = is_level(question)
        heard = self._hearing.hear(
            question, words, today, TALK | MODEL_TALK, lambda a, b: options.covers(a, b) or level(a, b)
        )
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
        if wanted is None and len(columns) == 2 and any(w.lower.startswith("regress") for w in words):
            return _which_way(columns)
        if wanted is None or len({d.home.table for d in wanted}) > 1:
            return None
        if self._has_many(wanted[0]):
            return _not_told(wanted[0])
        return self._request(
            _K.REGRESSION, question, heard, parts, wanted, _fitting(options.study, wanted[0]), today
        )

    def _has_many(self, column: Dimension) -> bool:
        """Whether a column holds more than two texts, which no number tells."""
        values = self._index.values(column.name)
        texts = any(isinstance(v, str) for v in values[:50])
        grouping = column.type in (DimensionType.CATEGORY, DimensionType.TEXT)
        return grouping and texts and (column.distinct or 3) > 2

    def _request(
        self,
        kind: QuestionKind,
        question: str,
        heard: Heard,
        parts: _Parts,
        columns: list[Dimension],
        study: Relation | Regression,
        today: date,
        by: Dimension | None = None,
        claim: Claim | None = None,
    ) -> Drafted | None:
        """The reading, with the rows that the rest of the sentence speaks of."""
        table = table_of_rows(self._names.model, [d.name for d in columns])
        if table is None:
            return None
        rows: dict[str, Any] = {}
        missing = list(dict.fromkeys(parts.strange))
        notes: tuple[str, ...] = ()
        if parts.rest and not missing:
            narrowed = self._rows.narrowed(heard, parts.rest, table, today)
            if narrowed is None:
                return None
            if narrowed.status is ReadingStatus.CLEAR:
                rows, notes = self._rows.rows_of(narrowed.requests[0]), narrowed.notes
                apart = [f for f in rows["filters"] if f.operator is FilterOperator.IN and len(f.values) > 1]
                if len(apart) == 1 and not rows["dimensions"] and COMPARED & {w.lower for w in heard.words}:
                    rows["dimensions"] = (apart[0].field,)  # "stronger for men or women"
                    if isinstance(study, Relation):
                        study = study.model_copy(update={"ranked": True})
            else:
                missing += [m for m in narrowed.missing if m not in missing]
                if not narrowed.missing:
                    return None
        if by is not None:
            rows["dimensions"] = (*rows.get("dimensions", ()), by.name)
            if len(rows["dimensions"]) > 1:
                return None
        request = Parts(
            question=question,
            kind=kind,
            columns=tuple(d.name for d in columns),
            study=study,
            claim=claim or Claim(),
            **rows,
        )
        if missing:
            said = " or ".join(f"“{m}”" for m in missing[:4])
            message = f"I cannot find {said} in this data."
            return Drafted(
                status=ReadingStatus.PARTIAL,
                requests=(request,),
                missing=tuple(missing),
                message=message,
                explained=0.5,
            )
        return Drafted(status=ReadingStatus.CLEAR, requests=(request,), notes=notes)


def _parts(heard: Heard, enough: int, narrowing: frozenset[str] = RELATIVE) -> _Parts:
    """The segments sorted into what is related, what narrows the rows, and what is strange."""
    made = _Parts()
    waiting: Segment | None = None
    for segment in segments(heard, enough):
        named = heard.within(segment.start, segment.end)
        strange = [i for i in range(segment.start, segment.end) if i in heard.strange]
        rows = any(i in heard.rows for i in range(segment.start, segment.end))
        grouped = segment.lead in GROUPING and bool(named) and (segment.lead != "by" or len(made.related) > 1)
        opening = segment.head and segment.lead in SCOPES and bool(named)
        condition = segment.lead in narrowing and bool(named)
        condition = opening or (condition and (waiting is not None or len(made.related) > 1))
        if named and made.rest and _points_back(heard, segment, made.rest):
            continue
        if segment.lead is not None and (grouped or condition or (strange and not _is_owner(heard, segment))):
            made.rest += [waiting, segment] if waiting is not None else [segment]
            waiting = None
            continue
        if made.rest and segment.lead is None and made.rest[-1].end == segment.start and (strange or named):
            made.rest.append(segment)  # "… and were in first class"
            continue
        waiting = segment if rows and segment.lead is not None and not named else None
        made.related += named
        if strange and set(strange) <= heard.told and len(made.related) > 1 and segment.lead is None:
            made.rest.append(Segment(strange[0], segment.end))  # "… last year"
            continue
        made.strange += [heard.words[i].text for i in strange]
    return made


def _points_back(heard: Heard, segment: Segment, rest: Sequence[Segment]) -> bool:
    """“for this specific direction”: what was said of that column before still holds."""
    named = {d.name for m in heard.within(segment.start, segment.end) for d in m.columns}
    before = {d.name for s in rest for m in heard.within(s.start, s.end) for d in m.columns}
    said = {w.lower for w in heard.words[segment.start : segment.end]}
    strange = any(i in heard.strange for i in range(segment.start, segment.end))
    return named <= before and bool(said & {"this", "that", "these", "those", "same"}) and not strange


def _is_owner(heard: Heard, segment: Segment) -> bool:
    """“of the offender”, “by a storm”: one of what rows are, said as whose column it is."""
    words = [w.lower for w in heard.words[segment.start : segment.end]]
    plain = (
        len(words) == 3
        and words[0] in {"of", "by", "for", "in", "from"}
        and words[1] in {"the", "a", "an", "each"}
    )
    return plain and not words[2].endswith("s") and segment.start + 2 in heard.strange - heard.told


def _asked_group(words: Sequence[Word], mentions: Sequence[Mention]) -> Dimension | None:
    """“in which region is the correlation of A and B strongest”: what is asked for is the group."""
    for mention in mentions:
        before = words[mention.start - 1].lower if mention.start else ""
        grouping = all(d.type in (DimensionType.CATEGORY, DimensionType.BOOLEAN) for d in mention.columns)
        if before in _ASKED and grouping and len(mentions) > 2:
            return mention.columns[0]
    return None


def _set_against(words: Sequence[Word], mentions: Sequence[Mention]) -> Dimension | None:
    """“A and B with C”, “C related to A and B”: the one column that stands alone on its side."""
    for i, word in enumerate(words):
        if word.lower not in {"with", "to", "on"}:
            continue
        before = [m for m in mentions if m.end <= i]
        behind = [m for m in mentions if m.start > i]
        if len(before) == 1 and len(behind) > 1:
            return before[0].columns[0]
        if len(before) > 1 and len(behind) == 1:
            return behind[0].columns[0]
    return None


def _chosen(mentions: Sequence[Mention]) -> list[Dimension] | None:
    """The columns of the mentions, each once; None where one fits several."""
    if any(len(m.columns) > 1 for m in mentions):
        return None
    return list({m.columns[0].name: m.columns[0] for m in mentions}.values())


def _unsure(question: str, mentions: Sequence[Mention]) -> Drafted:
    doubt = next(m for m in mentions if len(m.columns) > 1)
    names = tuple(d.label for d in doubt.columns[:4])
    options = tuple(said_so(question, doubt.text, n) for n in names)
    asked = Asked(text=doubt.text, names=names, options=options, picks=(None,) * len(options))
    return asked_back((asked,), (), 0.9)


def _which_way(columns: Sequence[Dimension]) -> Drafted:
    one, other = (d.label for d in columns)
    return Drafted(
        status=ReadingStatus.AMBIGUOUS,
        message=f"Which one is to be predicted: “{one}” from “{other}”, or “{other}” from “{one}”?",
        options=(f"Predict {one} from {other}", f"Predict {other} from {one}"),
        explained=0.9,
    )


def _not_told(column: Dimension) -> Drafted:
    return Drafted(
        status=ReadingStatus.PARTIAL,
        missing=("multinomial regression",),
        message=f"“{column.label}” has several values without an order; a linear or logistic regression predicts a "
        "number, or one value out of two.",
        explained=0.5,
    )


def _not_offered(method: str) -> Drafted:
    return Drafted(
        status=ReadingStatus.PARTIAL,
        missing=(method,),
        message=f"A model by {method.lower()} is not offered here; linear and logistic regression are.",
        explained=0.5,
    )


def _fitting(study: Regression, target: Dimension) -> Regression:
    """The options; a number of many values is not predicted as one of two, whatever the score is called."""
    many = target.type is DimensionType.NUMBER and (target.distinct or 3) > 2
    return study.model_copy(update={"model": "linear"}) if many and study.model is None else study
