"""Of things of one list, those that another table tells more of: of the customers who signed up in 2023, who ordered.

Each clause keeps its own dates: the first one those of the list, the second one those of the other table.
"""

from __future__ import annotations

import re
from datetime import date

from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern, regex
from gnomon.language.time_grammar import find_times
from gnomon.planning.reader.clause_reader import ClauseReader
from gnomon.planning.reader.relatedness import is_verb
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, Dimension

_SHARE = r"(?:what|which)\s+(?:share|percent(?:age)?|proportion|fraction)"
_FRONTED = regex(
    rf"^(?:out\s+)?(?:of|among)\s+(?:all\s+)?(?:the\s+|our\s+|those\s+)?(?P<things>\w+)\s+(?P<first>[^,]+),\s*(?P<ask>how\s+many|{_SHARE})"
    r"(?:\s+of\s+them)?\s+(?:have\s+|has\s+)?(?P<second>.+)$",
    re.IGNORECASE,
)
_RELATIVE = regex(
    rf"^(?P<ask>how\s+many|{_SHARE}\s+of)\s+(?:of\s+)?(?:all\s+)?(?:the\s+|our\s+)?(?P<things>\w+)\s+(?P<rest>(?:who|that)\s+.+)$",
    re.IGNORECASE,
)
_WHO = late_pattern(r"^(?:who|that|which)\s+(?:have\s+|had\s+)?", re.IGNORECASE)
_BOUNDED = late_pattern(r"count\((\w+) per (\w+) (>=|<=|>|<|=) ([\d.]+)\)")


class DoneElsewhere(ClauseReader):
    """Reads what became of things of a list, told by the rows of another table."""

    def read(self, question: str, today: date) -> Drafted | None:
        """The reading; None where no such things are spoken of. It is refused where what they did is not understood."""
        said = _clauses(question, today)
        if said is None or len(self._model.tables) < 2:
            return None
        ask, things, first, second = said
        base = self._one(f"How many {things} {_WHO.sub('', first)}", today)
        thing = self._listed(base) if base is not None else None
        if base is None or thing is None or not (base.time_range or base.filters):
            return None
        other = self._one(f"How many different {things} {second}", today)
        bounds = self._bounds(other, thing) if other is not None else None
        if bounds is None:
            own = base.time_range is None or not self._acts(thing) or self._is_of(other, thing)
            return None if own else _refused(things, second)
        told = {"question": question, "filters": (*base.filters, *bounds)}
        if "how" not in ask.lower():
            told = {"question": question, "kind": QuestionKind.SHARE, "part": bounds}
        return Drafted(status=ReadingStatus.CLEAR, requests=(base.model_copy(update=told),))

    def _acts(self, thing: Dimension) -> bool:
        """Whether another table with dates of its own tells of the things."""
        users = {j.table for j in self._model.joins if j.to_table == thing.home.table}
        return any(self._model.table(t).time_dimension is not None for t in users - {thing.home.table})

    def _is_of(self, request: Parts | None, thing: Dimension) -> bool:
        """Whether a clause is told by the list of the things itself: orders that were returned."""
        told = [self._model.base_tables(self._model.metric(m)) for m in request.metrics] if request else []
        return bool(told) and all(tables == (thing.home.table,) for tables in told)

    def _one(self, question: str, today: date) -> Parts | None:
        request = super()._one(question, today)
        plain = request is not None and not request.dimensions and request.comparison is None
        return request if plain and request is not None and request.grain is None else None

    def _listed(self, request: Parts) -> Dimension | None:
        """The things whose own list is counted, by dates of that list."""
        metric = self._model.metric(request.metrics[0]) if len(request.metrics) == 1 else None
        thing = self._things.listed(metric) if metric is not None else None
        if thing is None or metric is None or any(f.having for f in request.filters):
            return None
        time = request.time_dimension or self._model.table(metric.table or "").time_dimension
        own = request.time_range is None or (
            time is not None and self._model.dimension(time).at(metric.table or "") is not None
        )
        return thing if own else None

    def _bounds(self, request: Parts, thing: Dimension) -> tuple[Filter, ...] | None:
        """What the second clause asks of each thing, as conditions on other rows or on its own columns."""
        if len(request.metrics) != 1:
            return None
        if (counted := _BOUNDED.fullmatch(request.metrics[0])) is not None:
            if self._model.dimension(counted[2]).name != thing.name:
                return None
            how = FilterOperator(counted[3])
            return (self._bound(request, thing, counted[1], how, float(counted[4])),)
        metric = self._model.metric(request.metrics[0])
        if self._things.listed(metric) == thing and request.time_range is None:
            return request.filters or None
        column = (metric.expression or "").strip("`")
        seen = metric.aggregation is Aggregation.COUNT_DISTINCT and metric.table is not None
        if not seen or thing.at(metric.table or "") != column or metric.table == thing.home.table:
            return None
        rows = self._things.rows(metric.table or "").name
        return (self._bound(request, thing, rows, FilterOperator.GREATER, 0.0),)

    def _bound(
        self, request: Parts, thing: Dimension, rows: str, how: FilterOperator, number: float
    ) -> Filter:
        return Filter(
            field=rows,
            operator=how,
            values=(number,),
            having=True,
            by=thing.name,
            among=request.filters,
            within=request.time_range,
        )


def _clauses(question: str, today: date) -> tuple[str, str, str, str] | None:
    """What is asked, the things, and the two clauses about them; None where the question has no such parts."""
    text = question.strip().rstrip("?.! ")
    if (fronted := _FRONTED.match(text)) is not None:
        return fronted["ask"], fronted["things"], fronted["first"], fronted["second"]
    relative = _RELATIVE.match(text)
    times = [m for m in find_times(text, today) if m.kind == "period" and m.period is not None]
    if relative is None or not times or times[0].start < relative.start("rest"):
        return None
    first, second = text[relative.start("rest") : times[0].end], text[times[0].end :].strip(" ,")
    verb = next(iter(second.split()), "").lower()
    did = is_verb(verb) or verb in {"have", "has", "also", "never", "did", "made", "placed", "paid"}
    return (relative["ask"], relative["things"], first, second) if did else None


def _refused(things: str, second: str) -> Drafted:
    message = f"I could not tell which {things} are meant by “{second}”."
    return Drafted(status=ReadingStatus.PARTIAL, missing=(second,), message=message)
