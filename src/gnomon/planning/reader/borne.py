"""What a draft computes with, asked by the audit for each thing that the question said."""

from __future__ import annotations

import re

from gnomon.core.operations import Walk
from gnomon.core.parts import Brackets, QuestionKind
from gnomon.core.patterns import regex
from gnomon.core.studies import GroupTest
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Metric

_K = QuestionKind
_A = Aggregation
_WORD = regex(r"[^\W]+")
_MADE_OF = regex(r"\[([^\[\]]+)\]")
_HELD = regex(r"'([^']+)'")
WHOLE = (_K.CORRELATION, _K.DISTRIBUTION, _K.PROFILE, _K.ANOMALY)


_BY_CHANCE = 12
"""Columns of so many values have as many as another one, and nothing else in common."""


class Borne:
    """Everything that a draft computes with: metrics, columns, tables and numbers.

    Args:
        draft: The reading.
        names: The names of the model.
    """

    def __init__(self, draft: Draft, names: Names) -> None:
        self.draft = draft
        self.names = names
        model = names.model
        filters = [*draft.filters, *draft.part]
        references = [*draft.metrics, *(f.field for f in filters if f.having)]
        self._yardstick = draft.comparison.yardstick if draft.comparison is not None else None
        references += [self._yardstick] if isinstance(self._yardstick, str) else []
        self.metrics = [model.metric(r) for r in dict.fromkeys(references)]
        self.bases = [b for m in self.metrics for b in model.base_metrics(m)]
        self.text = " ".join(references)
        self.called = {m.name for m in (*self.metrics, *self.bases)}
        self.called |= {n for m in self.metrics if m.formula for n in _WORD.findall(m.formula)}
        fields = [
            *draft.dimensions,
            *(f.field for f in filters if not f.having),
            *(f.by or "" for f in filters),
        ]
        fields += [draft.time_dimension or "", draft.limit_per or "", *(m.per or "" for m in self.metrics)]
        self.columns = {d.name for f in fields if (d := self._dimension(f)) is not None}
        self.columns |= {d.name for b in self.bases for d in self._computed_from(b)}
        ids = [model.dimension(c) for c in self.columns]  # told by its key, a thing is told by its name too
        self.columns |= {model.dimension(str(d.label_at)).name for d in ids if d.label_at is not None}
        self.tables = {t for m in self.metrics for t in model.base_tables(m)}
        self.tables |= {ref.table for c in self.columns for ref in model.dimension(c).locations}
        self.numbers = {
            float(v)
            for f in filters
            for v in f.values
            if (isinstance(v, int | float) and not isinstance(v, bool))
            or (isinstance(v, str) and v.isdecimal())
        }
        cut = draft.brackets or Brackets(column="")
        alpha = draft.study.alpha if isinstance(draft.study, GroupTest) else None
        named = (draft.place, draft.course.window, cut.width, cut.bins, alpha)
        self.options = {float(n) for n in named if n is not None}
        self.values = {str(v) for f in filters for v in f.values} | {*_HELD.findall(self.text)}
        self.values |= set(draft.comparison.groups) if draft.comparison is not None else set()

    def _dimension(self, field: str) -> Dimension | None:
        return self.names.model.dimension(field) if field in self.names.fields else None

    def _computed_from(self, metric: Metric) -> list[Dimension]:
        said = set(re.findall(r"`([^`]+)`|(\w+)", metric.expression or ""))
        spoken = {a or b for a, b in said} | {*_MADE_OF.findall(metric.expression or "")}
        return [d for d in self.names.model.dimensions if d.at(metric.table or "") in spoken]

    def link(self, link: Link) -> bool:
        """Whether what a link points to takes part in the request."""
        model = self.names.model
        if link.kind is LinkKind.TABLE:
            return link.name in self.tables
        if link.kind is LinkKind.DIMENSION:
            dimension = model.dimension(link.name)
            here = dimension.home.table in self.tables
            identifies = dimension.type is DimensionType.ID and here
            dated = dimension.type is DimensionType.TIME and here and not dimension.nullable
            return dimension.name in self.columns or identifies or dated or self._renamed(dimension)
        metric = model.metric(link.name)
        if metric.name in self.called or f"{metric.name} " in f"{self.text} ":
            return True
        if metric.where and metric.inner is None:  # rows in some state are not all rows
            return all(f in [*self.draft.filters, *self.draft.part] for f in metric.where)
        if is_count(metric):
            identifier = self.names.identifier(link)
            held = identifier is not None and identifier.name in self.columns
            return held or metric.table in self.tables
        columns = {d.name for b in model.base_metrics(metric) for d in self._computed_from(b)}
        return bool(columns & self.columns)

    def _renamed(self, dimension: Dimension) -> bool:
        """Whether another column that tells as many things apart takes its place: a species by its scientific name."""
        others = [self.names.model.dimension(d) for d in self.draft.dimensions if not d.startswith("@")]
        return any(
            o.home.table == dimension.home.table
            and (o.distinct or 0) == (dimension.distinct or 0) > _BY_CHANCE
            for o in others
        )

    def metric(self, metric: Metric, *, exactly: bool) -> bool:
        """Whether a metric takes part, itself or another aggregation of its column; loosely, whether its rows do."""
        if self.link(Link(LinkKind.METRIC, metric.name, 1.0)) if metric.name in self._known() else False:
            return True
        columns = {d.name for b in self.names.model.base_metrics(metric) for d in self._computed_from(b)}
        if columns & self.columns or metric.name in self.called:
            return True
        return not exactly and bool(set(self.names.model.base_tables(metric)) & self.tables)

    def _known(self) -> set[str]:
        return {m.name for m in self.names.model.metrics}

    def aggregation(self, how: Aggregation | str) -> bool:
        """Whether the request aggregates in the way that was said."""
        if self.draft.kind in WHOLE or self._yardstick is not None:
            return True
        hows = {m.aggregation for m in (*self.metrics, *self.bases)}
        made = any(m.formula for m in self.metrics)
        if how == _A.SUM:
            return (
                made
                or bool(hows - {_A.MEAN})
                or any(m.additivity is not Additivity.NON_ADDITIVE for m in self.metrics)
            )
        if how == _A.MEAN:
            levels = [m for m in self.metrics if m.additivity is Additivity.SEMI_ADDITIVE]
            averaged = bool(levels) and self.draft.grain is not None  # a level is the mean of a period's days
            return made or averaged or _A.MEAN in hows or Walk.MOVING in self.draft.course.walks
        if how in (_A.MIN, _A.MAX):
            return how in hows or self.draft.kind is _K.RANKING
        return how in hows or f"{how}(" in self.text


def keep_states(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Add the condition of the rows that are spoken of and not counted; of several, and of shares, the audit decides."""
    borne = Borne(draft, names)
    lost = {metric.name: metric for metric in _lost(sentence, borne).values()}
    counted = any(m.where for m in borne.metrics)  # "completed and won trips": both, or each?
    if len(lost) != 1 or counted or sentence.has(Op.SHARE):
        return
    (metric,) = lost.values()
    if metric.table in borne.tables:
        draft.filters += metric.where


def states_lost(sentence: Sentence, borne: Borne) -> list[str]:
    """The words for rows in a state whose condition a draft does not have."""
    return list(_lost(sentence, borne))


def _lost(sentence: Sentence, borne: Borne) -> dict[str, Metric]:
    named = {x.text: x.links[0] for _, x in sentence if x.links and x.links[0].kind is LinkKind.METRIC}
    metrics = {
        text: borne.names.model.metric(link.name) for text, link in named.items() if not borne.link(link)
    }
    return {
        t: m for t, m in metrics.items() if m.where and m.aggregation is Aggregation.COUNT and m.inner is None
    }
