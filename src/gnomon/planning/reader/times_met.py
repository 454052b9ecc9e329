"""Things of which so many rows meet a bound: “candidates who scored 90 or more at least three times”, “pupils with a mark above 90”.

The bound is on each row, and the rows that meet it are counted for each thing; neither is taken over their average.
"""

from __future__ import annotations

import re
from datetime import date

from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.clause_reader import ClauseReader
from gnomon.planning.reader.words import name_words
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, Dimension, DimensionType
from gnomon.semantic.model import plural, singular
from gnomon.semantic.money_units import is_money

_ASK = r"^\s*(?P<ask>how\s+many|(?:(?:what|which)\s+)?(?:share|percentage|percent|proportion)\s+of|which|list)\s+(?:different\s+|of\s+the\s+|the\s+)?"
_N = r"\d+|two|three|four|five|six|seven|eight|nine|ten"
_OFTEN = (
    rf"(?P<how>at\s+least|more\s+than|exactly|fewer\s+than|less\s+than|at\s+most|only)?\s*"
    rf"(?P<n>once|twice|(?:{_N})(?:\s+or\s+(?P<or>more|fewer))?\s+(?:different\s+)?(?:times|occasions))(?:\s+or\s+(?P<behind>more|fewer))?"
)
_TIMES = [
    regex(
        rf"{_ASK}(?P<things>{things})\s+(?:who\s+|that\s+)?(?P<clause>(?:\w+\s+)+?\D*?\d[\d.,]*.*?)\s+(?:on\s+)?{_OFTEN}(?P<rest>(?:\s+(?:in|during|by)\s+.+)?)$",
        re.IGNORECASE,
    )
    for things in (r"\w+", r"\w+\s+\w+")
]
_ANY = regex(
    rf"{_ASK}(?P<things>\w+)\s+(?:(?:who|that)\s+)?(?:have|has|had|got|with)\s+(?:ever\s+)?(?:had\s+|got\s+)?(?:an?|any|at\s+least\s+one|a\s+single)\s+"
    r"(?P<clause>\w+(?:\s+\w+){0,2}?\s+(?:of\s+)?(?:above|over|below|under|more\s+than|less\s+than|greater\s+than|higher\s+than|lower\s+than|at\s+least|at\s+most)\s+[\d.,]+.*)$",
    re.IGNORECASE,
)
_SOME = regex(
    rf"{_ASK}(?P<things>\w+)\s+(?:(?:who|that)\s+)?(?:have|has|had|got|with|paid|received)\s+(?:ever\s+)?(?:had\s+|got\s+|paid\s+)?"
    rf"(?P<how>an?|any|at\s+least|more\s+than|exactly)\s+(?P<n>one|{_N})?\s*(?P<clause>[a-z]+(?:\s+[a-z]+)?)$",
    re.IGNORECASE,
)
_FIGURES = frozenset({"average", "avg", "mean", "median", "total", "overall", "combined", "sum", "typical"})
_BOUNDED = late_pattern(
    r"\b(?:above|over|below|under|(?:more|less|fewer|greater|higher|lower|longer)\s+than|at\s+(?:least|most))\s+[$€£]?\d|\d\s+or\s+(?:more|less)",
    re.IGNORECASE,
)
_ORDERS = {
    "at least": FilterOperator.AT_LEAST, "more": FilterOperator.AT_LEAST, "more than": FilterOperator.GREATER,
    "fewer than": FilterOperator.LESS, "less than": FilterOperator.LESS, "at most": FilterOperator.AT_MOST,
    "fewer": FilterOperator.AT_MOST, "exactly": FilterOperator.EQUALS, "only": FilterOperator.EQUALS,
}  # fmt: skip
_NUMBERS = {w: n for n, w in enumerate(["once", "twice"], 1)} | {
    w: n for n, w in enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2)
}


class TimesMet(ClauseReader):
    """Reads how often rows of a thing meet a bound, the bound as a question of its own."""

    def read(self, question: str, today: date) -> Drafted | None:
        """The reading; None where nothing of the sort is asked, or a part of it is not understood."""
        text = question.strip().rstrip("?.! ")
        for often in filter(None, (p.match(text) for p in _TIMES)):
            either = often["or"] or often["behind"]
            how = _ORDERS.get(either.lower() if either else " ".join((often["how"] or "").lower().split()))
            word = often["n"].split()[0].lower()
            number = _NUMBERS.get(word) or int(word)
            clause = f"{often['clause']}{often['rest']}"
            met = self._met(question, often, clause, how or FilterOperator.AT_LEAST, number, today)
            if met is not None:
                return met
        often = _TIMES[0].match(text)
        if often is not None and self._is_mixed(question, today):
            message = "I could not tell of which rows it is counted how often that holds."
            return Drafted(status=ReadingStatus.PARTIAL, missing=("times",), message=message)
        if (some := _ANY.match(text)) is not None and not self._are_rows(some["clause"]):
            clause = f"with {some['clause']}"
            return self._met(question, some, clause, FilterOperator.AT_LEAST, 1, today)
        if (held := _SOME.match(text)) is not None and self._is_held(held["clause"]):
            how = _ORDERS.get(" ".join(held["how"].lower().split()), FilterOperator.AT_LEAST)
            word = (held["n"] or "one").lower()
            number = _NUMBERS.get(word) or (int(word) if word.isdigit() else 1)
            return self._met(question, held, f"with a {singular(held['clause'])}", how, number, today)
        return None

    def _is_held(self, noun: str) -> bool:
        """Whether a noun is an amount that only some rows have: a fine."""
        columns = [d for d in self._model.dimensions if d.type is DimensionType.NUMBER and d.nullable]
        rows = {t.label for t in self._model.tables}
        return singular(noun.lower()) in {d.label for d in columns if is_money(d.unit)} - rows

    def _met(
        self, question: str, said: re.Match[str], clause: str, how: FilterOperator, number: int, today: date
    ) -> Drafted | None:
        share = said["ask"].lower().split()[-1] == "of"
        counted = share or said["ask"].lower().startswith("how")
        whole = self._one(f"{'How many different' if counted else said['ask']} {said['things']}", today)
        dated = whole is not None and whole.time_range is not None
        bounded = whole is not None and any(f.having for f in whole.filters)
        thing = self._thing(whole) if whole is not None and not dated and not bounded else None
        if whole is None or thing is None:
            return None
        bound = self._bound(clause, thing, how, float(number), today)
        if bound is None:
            return None
        told = {"question": question, "filters": (*whole.filters, bound)}
        if share:
            told = {"question": question, "kind": QuestionKind.SHARE, "part": (bound,)}
        return Drafted(status=ReadingStatus.CLEAR, requests=(whole.model_copy(update=told),))

    def _is_mixed(self, question: str, today: date) -> bool:
        """Whether a bound on an average would stand beside a number of rows that has nothing to do with it."""
        request = self._one(question, today)
        if request is None:
            return _BOUNDED.search(question) is not None
        inner = sum(self._model.metric(m).inner is not None for m in request.metrics)
        bounds = [
            f
            for f in request.filters
            if f.operator in _ORDERS.values() and f.values and not isinstance(f.values[0], str)
        ]
        return len(bounds) > 1 or bool(inner and bounds)

    def _are_rows(self, clause: str) -> bool:
        """“a policy above 900” does not say which of its figures, and an average is one of all rows together."""
        first = singular(clause.split()[0].lower())
        return first in _FIGURES or first in {t.label for t in self._model.tables}

    def _bound(
        self, clause: str, thing: Dimension, how: FilterOperator, number: float, today: date
    ) -> Filter | None:
        """So many rows of a table that tells of the things meet the clause."""
        for table in self._model.tables:
            if thing.at(table.name) is None or table.key == (thing.at(table.name),):
                continue
            if thing.home.table == table.name and {*name_words(thing.label)} <= {
                "name",
                *name_words(table.label),
            }:
                continue  # boats of one name are boats each
            called = plural(table.label) if table.label else "rows"
            request = self._one(f"How many {called} {clause}", today)
            if request is not None and self._is_of_rows(request, table.name):
                return Filter(
                    field=self._things.rows(table.name).name,
                    operator=how,
                    values=(number,),
                    having=True,
                    by=thing.name,
                    among=request.filters,
                    within=request.time_range,
                )
        return None

    def _is_of_rows(self, request: Parts, table: str) -> bool:
        """Whether plain rows of a table are counted, under conditions of each row."""
        metrics = [self._model.metric(m) for m in request.metrics]
        if len(metrics) != 1 or request.dimensions or request.grain or request.comparison or request.part:
            return False
        count = metrics[0].aggregation is Aggregation.COUNT and metrics[0].expression is None
        plain = metrics[0].inner is None and not metrics[0].where
        bounded = bool(request.filters) and not any(f.having for f in request.filters)
        return count and plain and metrics[0].table == table and bounded
