"""From what was understood to a tree of the algebra, where its parts fit together over the tables."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.core import algebra as al
from gnomon.core.operations import Comparison, Function, Glance
from gnomon.core.parts import Filter, Parts
from gnomon.core.query import TimeGranularity
from gnomon.reading.orders import naming_of
from gnomon.reading.sketch import Figure, Ordering, Sketch
from gnomon.semantic.kinds import Aggregation
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.model import Dimension, SemanticModel
from gnomon.semantic.nodes import either, every, how_of, literal
from gnomon.semantic.predicates import SIGNS, condition, within

MOST_SHOWN = 40
_G, _F = TimeGranularity, Function
_A_STEP = {_G.DAY: (_F.ADD_DAYS, 1), _G.WEEK: (_F.ADD_DAYS, 7), _G.MONTH: (_F.ADD_MONTHS, 1),
           _G.QUARTER: (_F.ADD_MONTHS, 3), _G.YEAR: (_F.ADD_MONTHS, 12)}  # fmt: skip


class Trees:
    """Makes trees of sketches.

    Args:
        meanings: What names mean for the rows of a table.
    """

    def __init__(self, meanings: Meanings) -> None:
        self._meanings = meanings

    @property
    def _model(self) -> SemanticModel:
        return self._meanings.model

    def tree(self, s: Sketch) -> al.Query | None:
        """The query that a sketch amounts to; None where it is not one.

        Raises:
            OutOfScope: Nothing leads from the rows to a column.
            InvalidInput: A value does not fit its column.
        """
        table = self._base(s)
        if table is None:
            return None
        rows = al.Rows(table=table, where=self._where(s, table))
        ordered = [o for o in s.orderings if o.by is not None or s.shown]
        counted = s.bounds or s.figures or any(isinstance(o.by, Figure) for o in ordered)
        if counted or s.keys:
            return self._grouped(s, rows, table, ordered)
        return self._listed(s, rows, table, ordered)

    def with_the_one_before(self, part: Parts) -> al.Query | None:
        """The period that comes first among all of them, with the figure of the one before it; None for other questions."""
        metric = self._model.metric(part.metrics[0]) if len(part.metrics) == 1 else None
        if metric is None or metric.table is None or metric.aggregation is None or part.grain is None:
            return None
        time = part.time_dimension or getattr(self._model.time_dimension(metric), "name", None)
        apart = any(f.having or f.by or f.relative for f in part.filters) or metric.inner or metric.where
        among = part.dimensions or part.time_range or part.recurring or part.place
        if apart or among or part.limit != 1 or time is None or part.grain not in _A_STEP:
            return None
        table, step = metric.table, str(part.grain)
        said = metric.label.removeprefix("number of ").replace(" ", "_")
        moment, _ = self._meanings.moment(table, self._model.dimension(time))
        figure = al.Aggregate(how=how_of(metric.aggregation), of=self._meanings.value(metric))
        tests = [condition(self._meanings, table, f) for f in part.filters]
        groups = al.Query(
            rows=al.Rows(table=table, where=every(tests)),
            keys=(al.Key(of=moment, grain=part.grain, name=step),),
            measures=(al.Shown(measure=figure, name=said),),
        )
        held, of = al.Column(table="", column=step), al.Column(table="", column=said)
        last, then = (al.Windowed(glance=Glance.BEFORE, of=c, order=(al.Order(by=held),)) for c in (held, of))
        move, many = _A_STEP[part.grain]
        follows = al.Test(
            left=al.Call(function=move, arguments=(last, literal(many))),
            operator=Comparison.EQUAL,
            right=held,
        )
        # A period between without a row is none of its rows; before the first of all nothing is known.
        values = (literal(None), then)
        none = literal(0) if metric.aggregation in (Aggregation.COUNT, Aggregation.SUM) else literal(None)
        fitting = al.Case(tests=(al.Missing(of=last), follows), values=values, otherwise=none)
        before = al.Key(of=fitting, name=f"{said}_in_the_{step}_before")
        return al.Query(
            rows=al.Rows(query=groups),
            show=(al.Key(of=held, name=step), al.Key(of=of, name=said), before),
            order=(al.Order(by=of, descending=part.descending),),
            limit=1,
        )

    def _base(self, s: Sketch) -> str | None:
        """The table whose rows the question is about: one that was spoken of and leads to all that is named."""
        wanted = [*s.shown, *s.keys, *(self._model.dimension(f.field) for tests in s.tests for f in tests)]
        wanted += [f.of for f in s.figures if f.of is not None]
        wanted += [o.by for o in s.orderings if isinstance(o.by, Dimension)]
        wanted += [o.by.of for o in s.orderings if isinstance(o.by, Figure) and o.by.of is not None]
        homes = [*s.tables, *(ref.table for d in wanted for ref in d.locations)]
        reached = [t for t in dict.fromkeys(homes) if all(self._model.path(t, d) is not None for d in wanted)]
        spoken = [t for t in reached if t in s.tables]
        return next(iter(spoken or reached), None)

    def _where(self, s: Sketch, table: str) -> al.Predicate | None:
        tests = [either([condition(self._meanings, table, f) for f in one]) for one in s.tests]
        if s.days is not None:
            time = self._model.table(table).time_dimension
            if time is None:
                raise self._untimed(table)
            moment, exact = self._meanings.moment(table, self._model.dimension(time))
            tests.append(within(moment, exact, s.days))
        return every(tests)

    def _untimed(self, table: str) -> Exception:
        from gnomon.semantic.scope import need_time

        return need_time(None, table, self._model)

    def _value(self, table: str, column: Dimension) -> al.Expression:
        return self._meanings.column(table, column)

    def _key(self, table: str, column: Dimension) -> al.Key:
        return al.Key(of=self._value(table, column), name=column.label)

    def _measure(self, table: str, figure: Figure) -> al.Aggregate:
        return al.Aggregate(
            how=figure.how, of=self._value(table, figure.of) if figure.of is not None else None
        )

    def _grouped(self, s: Sketch, rows: al.Rows, table: str, ordered: list[Ordering]) -> al.Query | None:
        keys = list(dict.fromkeys((*s.keys, *s.shown)))
        figures = list(s.figures)
        figures += [o.by for o in ordered if isinstance(o.by, Figure) and o.by not in figures]
        figures += [f for f, _ in s.bounds if f not in figures]
        if s.whole or not figures or (s.limit is not None and not keys):
            return None
        if any(isinstance(o.by, Dimension) and o.by not in keys for o in ordered):
            return None
        measures = {f: self._measure(table, f) for f in figures}
        order = tuple(al.Order(by=measures[o.by] if isinstance(o.by, Figure) else self._value(table, o.by or keys[0]), descending=o.descending)
                      for o in ordered)  # fmt: skip
        bounds = [_bound(measures[f], given) for f, given in s.bounds]
        return al.Query(
            rows=rows,
            keys=tuple(self._key(table, k) for k in keys),
            measures=tuple(al.Shown(measure=m) for m in measures.values()),
            having=every(bounds),
            order=order if keys else (),
            limit=s.limit,
        )

    def _listed(self, s: Sketch, rows: al.Rows, table: str, ordered: list[Ordering]) -> al.Query | None:
        shown: Iterable[Dimension] = s.shown
        if s.whole:
            shown = [d for d in self._model.dimensions if d.at(table) is not None and d.via is None][
                :MOST_SHOWN
            ]
        elif not s.shown:
            called = naming_of(self._model, table)
            shown = [called] if called is not None else []
        shown = list(shown)
        if s.limit is not None and not s.whole:  # by what it was chosen is told with it
            shown += [o.by for o in ordered if isinstance(o.by, Dimension) and o.by not in shown]
        chosen_by = [o.by for o in ordered]
        only_that = bool(s.shown) and all(d in chosen_by for d in s.shown)
        if not shown or (s.limit is not None and (not ordered or only_that)):
            return None
        order = tuple(
            al.Order(
                by=self._value(table, o.by if isinstance(o.by, Dimension) else shown[0]),
                descending=o.descending,
            )
            for o in ordered
        )
        plain = (
            len(shown) == 1
            and all(o.by == shown[0] for o in ordered)
            and shown[0].home.column not in self._model.table(table).key
        )
        where = [rows.where] if rows.where is not None else []
        where += [al.Missing(of=o.by, hold=False) for o in order if s.limit is not None]
        return al.Query(
            rows=rows.model_copy(update={"where": every(where)}),
            show=tuple(self._key(table, d) for d in shown),
            distinct=s.distinct or plain,
            order=order,
            limit=s.limit,
        )


def _bound(measure: al.Aggregate, given: Filter) -> al.Predicate:
    return al.Test(
        left=measure, operator=SIGNS.get(given.operator, Comparison.EQUAL), right=literal(given.values[0])
    )
