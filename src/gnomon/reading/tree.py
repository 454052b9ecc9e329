"""From what was understood to a tree of the algebra, where its parts fit together over the tables."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.core import algebra as al
from gnomon.core.operations import Comparison
from gnomon.core.request import Filter
from gnomon.reading.orders import naming_of
from gnomon.reading.sketch import Figure, Ordering, Sketch
from gnomon.semantic.meanings import Meanings
from gnomon.semantic.model import Dimension, SemanticModel
from gnomon.semantic.nodes import either, every, literal
from gnomon.semantic.predicates import SIGNS, condition, within

MOST_SHOWN = 40


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
