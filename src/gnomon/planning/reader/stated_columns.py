"""Conditions as tables are written: a column and what it is equal to, “Smoker = 1”, “where 'Grade' is 3”."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.patterns import regex
from gnomon.language.quantities import plain_signs
from gnomon.planning.reader.condition_finder import ConditionFinder
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType, SemanticModel
from gnomon.semantic.values import ValueIndex

_COPULAS = frozenset({"is", "are", "was", "were", "be", "of", "=", "equals", "equal", "to", "being"})
_DENIED = frozenset({"not", "!=", "<>", "isn't", "aren't", "wasn't", "unequal"})
_ANSWERS = {"true": True, "yes": True, "false": False, "no": False}
_CODED = (DimensionType.BOOLEAN, DimensionType.CATEGORY, DimensionType.ID)


class StatedColumns(ConditionFinder):
    """Finds what columns of flags and codes, named outright, are said to be equal to."""

    def _find_stated(self) -> None:
        for i, item in self.sentence:
            column = self.names.dimension(item) if item.links and not item.used else None
            if column is None or column.type not in _CODED or item.links[0].name != column.name:
                continue
            j = next((k for k in range(i + 1, len(self.sentence)) if not self._is_linking(k)), None)
            if j is None or j - i > 3:
                continue
            between = [w.lower for w in self.sentence.words[item.end : self.sentence[j].start]]
            between = [w for w in between if w not in {"a", "the", "exactly", "value"}]
            if not all(w in _COPULAS | _DENIED for w in between):
                continue
            coded = self.names.coded(item) is not None
            quoted = self.sentence[j].literal is not None
            if not (item.outright or quoted) and not {*between} - ({"of"} if not coded else set()):
                continue  # "returned 1": only of what is plainly a column
            value = self._equal_to(self.sentence[j], column, numbered=coded)
            if value is None or (self.sentence[j].values and not self._signed(i, j)):
                continue  # what is joined by words is read with all other values
            denied = bool(_DENIED & {*between})
            operator = FilterOperator.NOT_EQUALS if denied else FilterOperator.EQUALS
            self.filters.append((i, Filter(field=column.name, operator=operator, values=(value,))))
            self._use(*range(i, j + 1))
            item.links = self.sentence[j].values = ()  # neither is anything else beside
            for k, other in self.sentence:  # "women (sex = female)" says it twice
                if any((v.dimension, v.value) == (column.name, value) for v in other.values):
                    other.values = ()
                    self._use(k)

    def _signed(self, i: int, j: int) -> bool:
        """“sex = female”: whether a sign stands between, and no list goes on behind."""
        between = {w.lower for w in self.sentence.words[self.sentence[i].end : self.sentence[j].start]}
        following = self.sentence[j + 1] if j + 1 < len(self.sentence) else None
        return bool(between & {"=", "!=", "<>"}) and not (following is not None and following.op(Op.OR))

    def _is_linking(self, k: int) -> bool:
        item = self.sentence[k]
        return item.op(Op.EQUALS, Op.OF, Op.NOT, Op.FILLER) and not item.links and item.number is None

    def _equal_to(self, item: Item, column: Dimension, *, numbered: bool) -> Any:
        """The value of the column that an item says; None where it says none."""
        held = [v.value for v in item.values if v.dimension == column.name and v.kind == "exact"]
        if held and column.type is not DimensionType.BOOLEAN:
            return held[0]
        said = item.text.strip("\"'“”‘’`").lower()
        number = item.number.value if item.number is not None and not item.number.percent else None
        if column.type is DimensionType.BOOLEAN:
            wanted = _ANSWERS.get(said, bool(number) if number in (0, 1) else None)
            return None if wanted is None else self._flag_value(column, wanted)
        if number is None or not numbered or not column.numeric or item.values:
            return None
        return int(number) if float(number).is_integer() else number

    def _flag_value(self, dimension: Dimension, wanted: bool) -> Any:
        """The stored value that means yes, or no."""
        return flag_value(self.index, dimension, wanted)


def flag_value(index: ValueIndex, dimension: Dimension, wanted: bool) -> Any:
    """The stored value of a yes-or-no column that means yes, or no."""
    return next((value for value in index.values(dimension.name) if is_yes(value) is wanted), wanted)


def is_yes(value: Any) -> bool:
    """Whether a stored value of a yes-or-no column means yes."""
    return str(value).strip().lower().removesuffix(".0") in {"true", "yes", "y", "t", "1", "on"}


def name_rates(items: Sequence[Item], names: Names) -> None:
    """“the share of 'Smoker' by site”: the share of a column of yes and no is how many of its rows say yes."""
    for n, item in enumerate(items):
        sides = [{v.dimension for v in x.values} for x in items[n + 1 :] if x.values]
        apart = len(sides) > 1 and bool(sides[0] & sides[1]) and not items[n + 1].values
        if item.op(Op.SHARE) and item.text.lower() == "ratio of" and apart:
            item.operator, item.literal = None, item.text  # "of grade A to grade B" is no share of both
        following = next((x for x in items[n + 1 :] if not x.op(Op.OF, Op.FILLER)), None)
        if not item.op(Op.SHARE) or item.links or following is None or not following.outright:
            continue
        column = names.dimension(following, DimensionType.BOOLEAN)
        rates = [
            m
            for m in names.model.metrics
            if m.aggregation is Aggregation.MEAN and names.column_of(m) == column
        ]
        if column is not None and rates:
            following.links = (Link(LinkKind.METRIC, rates[0].name, 1.0),)
            item.operator = Operator(Op.FILLER)


_QUOTED = regex(r'("[^"]*"|“[^”]*”|\'[^\']*\'|`[^`]*`)')
_NUMBER = r"[-+]?[$€£]?\d"
_DENIED_NUMBER = regex(rf"\s*!=\s*(?={_NUMBER})")
_DENIED_WORD = regex(r"(?<![\w!])!\s?(?=[^\W\d_])")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = rf"\d{{4}}-\d{{1,2}}(?:-\d{{1,2}})?|\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}|\d{{1,2}}\s+{_MONTH}(?:\s+\d{{4}})?|{_MONTH}\s+(?:\d{{1,2}},?\s+)?\d{{4}}"
_SINCE = {
    ">=": "since", ">": "after", "<=": "until", "<": "before", "=": "on", "!=": "not on", "after": "after", "later than": "after",
    "since": "since", "on or after": "since", "from": "since", "before": "before", "earlier than": "before", "until": "until",
    "up to": "until", "on or before": "until",
}  # fmt: skip
_SAID = "|".join(w for w in sorted(_SINCE, key=len, reverse=True) if w.isascii() and w[0].isalpha())
_DATED = regex(
    rf"(?:(?P<sign>>=|<=|!=|=|<|>)|(?<=\s)(?:(?:is|are|was|were)\s+)?(?P<word>{_SAID})\s)\s*[\"“'‘]?(?P<day>{_DATE})(?:[\"”'’]|(?![\w/-]))",
    re.IGNORECASE,
)
_TO = regex(r"\s*(?:to|until|till|through|and|[-–])\s*\d", re.IGNORECASE)
_STEPS = frozenset({"day", "week", "month", "quarter", "year", "hour"})
_LEAD = regex(r"(?:(?:,|\b(?P<lead>where|with|when|if|for|and))\s+)?(?:the\s+)?$", re.IGNORECASE)


def signs_in_words(question: str, model: SemanticModel) -> str:
    """The question with signs as they are written everywhere, and days behind a sign as they are spoken of.

    “price ≥ 10” is “price >= 10”, “price <> 10” and “region ≠ North” say what is left out, “day > 2024-01-20” is
    “after 2024-01-20”. What stands in quotes is left as it is.
    """
    parts = _QUOTED.split(question)
    for at in range(0, len(parts), 2):
        plain = plain_signs(parts[at])
        parts[at] = _DENIED_WORD.sub("not ", _DENIED_NUMBER.sub(" not equal to ", plain))
    return _days_in_words("".join(parts), model)


def _days_in_words(question: str, model: SemanticModel) -> str:
    times = {
        n.lower(): d
        for d in model.dimensions
        if d.type is DimensionType.TIME
        for n in (d.label, d.home.column)
    }
    at = 0
    while (found := _DATED.search(question, at)) is not None:
        before, behind = question[: found.start()].rstrip(), question[found.end() :]
        ends = (n for n in times if re.search(rf"(?<!\w){re.escape(n)}$", before.lower()))
        name = max(ends, key=len, default="")
        held = before[: len(before) - len(name)]
        lead = _LEAD.search(held)
        led = ((lead["lead"] or "") if lead else "").lower()
        if not found["sign"] and (not name or (name in _STEPS and led != "where") or _TO.match(behind)):
            at = found.end()  # "the day after 1 May", "hire date from 1 May to 3 May"
            continue
        held = held[: lead.start()].rstrip() if lead else held.rstrip()
        day = f"{_SINCE[(found['sign'] or found['word']).lower()]} {found['day']}"
        of = f" with {times[name].label}" if name and not _is_main(times[name], model) else ""
        if led not in {"", "and"} and (more := re.match(r"\s+and\b", behind, re.IGNORECASE)):
            behind = f" {led}{behind[more.end() :]}"
        question = f"{held}{of} {day}"
        at, question = len(question), question + behind
    return question


def _is_main(time: Dimension, model: SemanticModel) -> bool:
    return any(t.time_dimension == time.name for t in model.tables)
