"""Things that never did something, told by their rows: the patients who never cancelled and never failed to show up."""

from __future__ import annotations

import re
from datetime import date

from gnomon.core.parts import Filter, FilterOperator, Parts
from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.clause_reader import ClauseReader
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric

_ASKED = late_pattern(
    r"^(?:(?P<ask>how\s+many|which|list|name)\s+)?(?:of\s+)?(?:the\s+|our\s+)?(?:different\s+)?(?P<things>(?:\w+\s+){1,3}?)"
    r"(?:(?:who|that)\s+)?(?:(?:(?:have|has|had|did|were|was)\s+)?never\s+(?:ever\s+)?|(?P<none>(?:have|has|had|with)\s+no\s+))(?P<rest>.+)$",
    re.IGNORECASE,
)
_MEANING = late_pattern(
    r"\s+(?:have|has|had|are|were|with)\s+[\w\s-]{1,30}?,\s*(?:meaning|that\s+is|i\.e\.|in\s+other\s+words)\s*,?\s*(?:that\s+)?they\b",
    re.IGNORECASE,
)
_AND_NEVER = late_pattern(
    r"\s*,?\s*(?:and|or|nor)\s+(?:(?:have|has|had|were|was)\s+)?never\s+(?:ever\s+)?", re.IGNORECASE
)
ANY_ROWS = regex(r"count\((\w+) per (\w+) (?:> 0|>= 1)(?:\.0)?\)")
_OTHER = late_pattern(r"\b(?:how\s+many|what|which|but|more|most|less|than)\b", re.IGNORECASE)


class NeverDone(ClauseReader):
    """Reads what things never did, each clause as a question of its own."""

    def read(self, question: str, today: date) -> Drafted | None:
        """The reading; None where no such things are spoken of, or a clause is not understood."""
        asked = _ASKED.match(_MEANING.sub("", question.strip().rstrip("?.! ")))
        if asked is None or _OTHER.search(asked["rest"]):
            return None
        ask = asked["ask"] or "which"
        head = ask if ask.lower() != "how many" else "How many different"
        whole = self._one(f"{head} {asked['things'].strip()}", today)
        every = whole is not None and not whole.filters and whole.time_range is None
        thing = self._thing(whole) if whole is not None and every else None
        if whole is None or thing is None:
            return None
        having = "have " if asked["none"] else ""
        bounds = [self._bound(f"How many different {asked['things'].strip()} {having}{clause}", thing, today)
                  for clause in _AND_NEVER.split(asked["rest"])]  # fmt: skip
        found = tuple(b for b in bounds if b is not None)
        if len(found) < len(bounds):
            return None
        request = whole.model_copy(update={"question": question, "filters": (*whole.filters, *found)})
        return Drafted(status=ReadingStatus.CLEAR, requests=(request,))

    def _bound(self, question: str, thing: Dimension, today: date) -> Filter | None:
        """That there is no row of which a clause is true; it must say more than that there are rows."""
        request = self._one(question, today)
        if (
            request is None
            or request.dimensions
            or request.comparison is not None
            or request.grain is not None
        ):
            return None
        if (rows := self._rows_of(request, thing)) is not None and not any(f.having for f in request.filters):
            return self._none(rows, thing, request) if request.filters else None
        metrics = [self._model.metric(m) for m in request.metrics]
        among = (*request.filters, *(f for m in metrics[1:] if (f := self._flag(m)) is not None))
        flagged = len(among) - len(request.filters)
        if (
            flagged != len(metrics) - 1
            or not among
            or any(f.having for f in among)
            or not self._counts(metrics[0])
        ):
            return None
        tables = {self._model.dimension(f.field).home.table for f in among}
        told = [t for t in tables if thing.at(t) is not None or self._model.path(t, thing) is not None]
        if len(tables) != 1 or len(told) != 1 or self._model.table(told[0]).key == (thing.at(told[0]),):
            return None
        return self._none(told[0], thing, request.model_copy(update={"filters": among}))

    def _rows_of(self, request: Parts, thing: Dimension) -> str | None:
        """The other table whose rows say that things did it: who visited a club, told by the visits."""
        if len(request.metrics) != 1:
            return None
        if (counted := ANY_ROWS.fullmatch(request.metrics[0])) is not None:
            own = self._model.dimension(counted[2]).name == thing.name
            return self._model.metric(counted[1]).table if own else None
        metric = self._model.metric(request.metrics[0])
        seen = metric.aggregation is Aggregation.COUNT_DISTINCT and metric.table not in (
            None,
            thing.home.table,
        )
        column = (metric.expression or "").strip("`")
        return metric.table if seen and thing.at(metric.table or "") == column else None

    def _none(self, rows: str, thing: Dimension, request: Parts) -> Filter:
        return Filter(
            field=self._things.rows(rows).name,
            operator=FilterOperator.EQUALS,
            values=(0,),
            having=True,
            by=thing.name,
            among=request.filters,
            within=request.time_range,
        )

    def _counts(self, metric: Metric) -> bool:
        return metric.aggregation in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT) and metric.inner is None

    def _flag(self, metric: Metric) -> Filter | None:
        """The rows that a number of flagged rows counts."""
        column = (metric.expression or "").strip("`")
        flags = [
            d
            for d in self._model.dimensions
            if d.type is DimensionType.BOOLEAN and d.at(metric.table or "") == column
        ]
        if metric.aggregation is not Aggregation.SUM or len(flags) != 1:
            return None
        return Filter(field=flags[0].name, operator=FilterOperator.EQUALS, values=(True,))
