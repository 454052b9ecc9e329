"""The waist: what can be asked of tables, as immutable trees whose nodes keep the words they were read from.

Whoever reads a question gives these trees; one lowering computes them and one telling says them. Nodes are plain
data: they go to JSON and back, and two trees are the same question where they differ in nothing but words.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gnomon.core.operations import Comparison, Function, Glance, How, Side, Tell, Verb, Walk, Way
from gnomon.core.query import Recurring, TimeGranularity, TimeRange
from gnomon.core.studies import Study as Options

Value = bool | int | float | str | date | datetime | time | None
MAX_DEPTH = 40
MAX_NODES = 400
MOST = 2**63 - 1


class Span(BaseModel):
    """Some words of the question, by the positions of their characters."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Node(BaseModel):
    """A part of a question. ``said`` holds the words it was read from, where that is known."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    said: tuple[Span, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and same(self, other)

    def __hash__(self) -> int:
        return hash((type(self), *(v for n, v in self.__dict__.items() if n != "said")))

    def parts(self) -> Iterator[Node]:
        """The nodes right below, in the order in which they are written."""
        for held in self.__dict__.values():
            if isinstance(held, Node):
                yield held
            elif isinstance(held, tuple):
                yield from (h for h in held if isinstance(h, Node))  # pyright: ignore[reportUnknownVariableType]

    def walk(self) -> Iterator[Node]:
        """This node and everything below it, from the top."""
        waiting: list[Node] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(list(node.parts())))


Made = TypeVar("Made", bound=Node)


def made(kind: type[Made], **parts: Any) -> Made:
    """A node of parts that are known to fit: what else it might hold is not worked out for that."""
    return kind.model_construct(**parts)


def same(one: Node, other: Node) -> bool:
    """Whether two trees ask the same, whatever words they were read from."""
    return one is other or (type(one) is type(other) and all(
        _alike(getattr(one, name), getattr(other, name)) for name in type(one).model_fields if name != "said"
    ))  # fmt: skip


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, Node) and isinstance(other, Node):
        return same(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        pairs = zip(one, other, strict=False)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
        return len(one) == len(other) and all(_alike(a, b) for a, b in pairs)  # pyright: ignore[reportUnknownArgumentType]
    return bool(one == other)


# A value of one row ---------------------------------------------------------------------------------------------


class Column(Node):
    """A column, reached from the rows that are asked about along the joins of the model.

    Args:
        table: The table that has it; nothing for a column of a query whose result is asked about.
        column: Its name.
        via: The column whose join leads there, where several lead to the same table.
    """

    node: Literal["column"] = "column"
    table: str
    column: str
    via: str | None = None


class Dimension(Node):
    """A value of one row by the name that the semantic model has for it."""

    node: Literal["dimension"] = "dimension"
    name: str


class When(Node):
    """The time by which the rows are dated."""

    node: Literal["when"] = "when"


class Literally(Node):
    """A value that the question or the data gives; ``kind`` keeps days and times apart from texts in JSON."""

    node: Literal["literal"] = "literal"
    kind: Literal["plain", "date", "datetime", "time"] = "plain"
    value: Value

    @model_validator(mode="before")
    @classmethod
    def _kept(cls, held: Any) -> Any:
        if not isinstance(held, dict):
            return held
        given: dict[str, Any] = dict(held)  # pyright: ignore[reportUnknownArgumentType]
        value, kind = given.get("value"), given.get("kind", "plain")
        if isinstance(value, str) and kind in _MOMENTS:
            given["value"] = _MOMENTS[kind].fromisoformat(value)
        elif isinstance(value, datetime):
            given["kind"] = "datetime"
        elif isinstance(value, (date, time)):
            given["kind"] = type(value).__name__
        elif isinstance(value, int) and not -MOST <= value <= MOST:
            given["value"] = float(value)  # no column holds whole numbers of this size
        return given


_MOMENTS: dict[str, type[date] | type[time]] = {"date": date, "datetime": datetime, "time": time}


class Call(Node):
    """A function of values of one row."""

    node: Literal["call"] = "call"
    function: Function
    arguments: tuple[Expression, ...]


class Case(Node):
    """The value of the first test that holds, or else another."""

    node: Literal["case"] = "case"
    tests: tuple[Predicate, ...]
    values: tuple[Expression, ...]
    otherwise: Expression | None = None


class Windowed(Node):
    """A value of one row that the rows around it give: its rank, the value before it, the total up to it.

    Args:
        glance: What is looked for.
        of: The value that is looked at; ranks and places have none.
        within: Only rows that have these values in common are looked at.
        order: In which order they stand.
        span: How many rows away, or how many portions.
        back: How many rows before this one belong to it, where not all up to it do.
    """

    node: Literal["windowed"] = "windowed"
    glance: Glance
    of: Expression | None = None
    within: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    span: int = Field(default=1, ge=1)
    back: int | None = Field(default=None, ge=0)


# A truth of one row -----------------------------------------------------------------------------------------------


class Test(Node):
    """One value against another: of the same row, said, or a measure of many rows."""

    __test__ = False  # pytest looks for classes of this name

    node: Literal["test"] = "test"
    left: Operand
    operator: Comparison
    right: Operand


class Among(Node):
    """A value that is one of several, of those that another query shows, or (with ``hold`` false) none of them.

    A query that names no rows of its own is about the rows that are asked about.
    """

    node: Literal["among"] = "among"
    left: Expression
    values: tuple[Literally, ...] = ()
    query: Query | None = None
    hold: bool = True


class Missing(Node):
    """A value that is not there, or (with ``hold`` false) is."""

    node: Literal["missing"] = "missing"
    of: Operand
    hold: bool = True


class Every(Node):
    """All of several conditions."""

    node: Literal["and"] = "and"
    of: tuple[Predicate, ...]


class Either(Node):
    """At least one of several conditions."""

    node: Literal["or"] = "or"
    of: tuple[Predicate, ...]


class Not(Node):
    """The opposite of a condition."""

    node: Literal["not"] = "not"
    of: Predicate


class Has(Node):
    """Things that have rows elsewhere: a visit in 2024; with ``hold`` false, that have none.

    Args:
        rows: The rows elsewhere.
        key: The column of those rows that names the thing.
        of: The column of the rows that are asked about that names the same thing.
        at_least: How many there have to be.
        hold: False for the opposite.
    """

    node: Literal["has"] = "has"
    rows: Rows
    key: Column
    of: Column
    at_least: int = Field(default=1, ge=1)
    hold: bool = True


# Which rows, and one number of many of them -------------------------------------------------------------------------


class Match(Node):
    """A value of the rows that are asked about that has to equal a column of a result beside them."""

    node: Literal["match"] = "match"
    mine: Expression
    theirs: str


class Beside(Node):
    """The one row of another result that belongs to each row; its columns have no table, and ``name`` as their ``via``.

    Args:
        query: The result; what it is matched on tells its rows apart, so that no row comes twice.
        name: What it is called.
        on: What has to be equal; nothing for a result of one row.
        outer: Whether rows that find none are kept.
    """

    node: Literal["beside"] = "beside"
    query: Query
    name: str
    on: tuple[Match, ...] = ()
    outer: bool = False


class Period(Node):
    """When: days, a part of time that repeats, and the dimension that dates the rows where it is not the usual one."""

    node: Literal["period"] = "period"
    days: TimeRange | None = None
    every: Recurring | None = None
    of: str | None = None


class Rows(Node):
    """The rows of a table, or of the result of a query, that meet a condition.

    Args:
        table: The table; nothing where the rows are those of a query, or those that what is asked leads to.
        query: The query whose result they are; its columns have no table.
        also: Queries whose rows come after those of ``query``, column by column.
        beside: Results that stand beside the rows.
        where: Which of them.
        during: Of which time.
    """

    node: Literal["rows"] = "rows"
    table: str = ""
    query: Query | None = None
    also: tuple[Query, ...] = ()
    beside: tuple[Beside, ...] = ()
    where: Predicate | None = None
    during: Period | None = None


class Metric(Node):
    """One number of many rows by the name that the semantic model has for it."""

    node: Literal["metric"] = "metric"
    name: str


class InUnit(Node):
    """A number told in another unit: seconds in hours, a ratio as a share."""

    node: Literal["in_unit"] = "in_unit"
    measure: Measure
    unit: str


class Aggregate(Node):
    """One number of the rows that are asked about, or of those of them that meet a condition of its own.

    Args:
        how: In which way.
        of: What is aggregated; rows are counted where it is left out.
        beside: The second value: of a correlation, or the one that is largest or smallest where ``of`` is taken.
        where: Which of the rows.
        quantile: Which quantile.
    """

    node: Literal["aggregate"] = "aggregate"
    how: How
    of: Expression | None = None
    beside: Expression | None = None
    where: Predicate | None = None
    quantile: float | None = Field(default=None, ge=0, le=1)


class Arithmetic(Node):
    """A number made of others."""

    node: Literal["arithmetic"] = "arithmetic"
    function: Function
    of: tuple[Measure, ...]


class Over(Node):
    """The numbers of groups, aggregated once more: the mean of revenue per day.

    Without ``per`` they are those of the groups that are asked about.
    """

    node: Literal["over"] = "over"
    how: How
    measure: Measure
    per: tuple[Key, ...]
    having: Predicate | None = None
    quantile: float | None = Field(default=None, ge=0, le=1)


class Whole(Node):
    """A number of other rows than those it stands beside: of all rows, or of rows of its own.

    Args:
        query: The rows and the one number of them.
        within: The values of both that have to be the same: the average of their own department.
    """

    node: Literal["whole"] = "whole"
    query: Query
    within: tuple[Expression, ...] = ()


# A table of numbers -------------------------------------------------------------------------------------------------


class Key(Node):
    """What rows are grouped by: a value of each, or the period of a time."""

    node: Literal["key"] = "key"
    of: Expression
    grain: TimeGranularity | None = None
    name: str | None = None


class Order(Node):
    """What comes first: by a measure, a key or a value of each row."""

    node: Literal["order"] = "order"
    by: Operand
    descending: bool = False


class Shown(Node):
    """A measure with the name under which it is shown, or that is told ``beside`` the first."""

    node: Literal["shown"] = "shown"
    measure: Measure
    name: str | None = None
    beside: bool = False


class Query(Node):
    """Measures of rows for each group, in an order, or the rows themselves.

    Args:
        rows: Which rows.
        keys: What they are grouped by; none gives one row.
        measures: What is computed for each group.
        show: Values of the rows themselves, where nothing is computed.
        distinct: Whether equal rows are shown once.
        having: Which groups, by their measures.
        order: What comes first.
        limit: How many groups or rows.
        offset: How many are left out before them.
        per: The keys within each of whose groups ``limit`` counts.
    """

    node: Literal["query"] = "query"
    rows: Rows
    keys: tuple[Key, ...] = ()
    measures: tuple[Shown, ...] = ()
    show: tuple[Key, ...] = ()
    distinct: bool = False
    having: Predicate | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    offset: int = Field(default=0, ge=0)
    per: tuple[Key, ...] = ()


class Along(Node):
    """A query with one of its measures taken along its periods, or as a share within groups.

    Args:
        query: The groups in their order.
        step: What is computed.
        further: What else is.
        measure: Which measure, by its place.
        span: How many rows back, or how many are averaged.
        within: The keys that start anew.
        part: The rows that are the part of a share, of those of the query; what each group is, where there are none.
        whole: The measure that a share is of, where it is another one.
        at: The days at which alone it is told.
        way: Of changes, only the largest of this way are told.
        descending: Whether the result is ordered by what was computed, and which end comes first.
        limit: How many of these.
    """

    node: Literal["along"] = "along"
    query: Query
    step: Walk
    further: tuple[Walk, ...] = ()
    measure: int = Field(default=0, ge=0)
    span: int = Field(default=1, ge=1)
    within: tuple[Key, ...] = ()
    part: Rows | None = None
    whole: Measure | None = None
    at: tuple[date, ...] = ()
    way: Way | None = None
    descending: bool | None = None
    limit: int | None = Field(default=None, ge=1)


class Groups(Node):
    """Groups of a query that are its sides: those that are named, against each other or against the ``rest``."""

    node: Literal["groups"] = "groups"
    names: tuple[str, ...]
    rest: bool = False


class Everything(Node):
    """The same over all rows, those included that the conditions leave out."""

    node: Literal["everything"] = "everything"


class Against(Node):
    """One result against another: two periods, two groups, a part and the rest.

    Args:
        left: What is compared.
        right: What it is compared with: a result with the same keys, the same in another period, groups of it, the rest
            or everything, a measure or a number.
        left_name: What the one is called.
        right_name: What the other is called.
        descending: Whether groups are ordered by how far the sides are apart, and which end comes first.
        limit: How many of these.
    """

    node: Literal["against"] = "against"
    left: Annotated[Query | Along | Study, Field(discriminator="node")]
    right: Annotated[
        Query | Period | Groups | Everything | Metric | InUnit | Aggregate | Arithmetic | Over | Literally,
        Field(discriminator="node"),
    ]
    left_name: str = ""
    right_name: str = ""
    descending: bool | None = None
    limit: int | None = Field(default=None, ge=1)


class Study(Node):
    """A query whose rows a tool looks at, with the options that were named."""

    node: Literal["study"] = "study"
    verb: Verb
    query: Query
    options: Options | None = None


class Told(Node):
    """What is asked of a result beside its figures.

    Args:
        of: The result.
        tells: What of two figures is asked for.
        side: For a yes or a no, on which side of the other a figure is claimed to be.
        whether: That a yes or a no is asked for.
        measures: That its measures are set against each other.
        moved: Which way groups, or what goes along time, are claimed to have moved.
        judged: That a test is to say whether there is a trend.
        majority: That a share is claimed to be most of the whole.
        each: That the figure of every group is asked for.
    """

    node: Literal["told"] = "told"
    of: Annotated[Query | Along | Against | Study, Field(discriminator="node")]
    tells: tuple[Tell, ...] = ()
    side: Side | None = None
    whether: bool = False
    measures: bool = False
    moved: Way | None = None
    judged: bool = False
    majority: bool = False
    each: bool = False


Expression = Annotated[
    Column | Dimension | When | Literally | Call | Case | Windowed | Whole, Field(discriminator="node")
]
Measure = Annotated[
    Metric | InUnit | Aggregate | Arithmetic | Over | Whole | Literally, Field(discriminator="node")
]
Operand = Annotated[
    Column
    | Dimension
    | When
    | Literally
    | Call
    | Case
    | Windowed
    | Metric
    | InUnit
    | Aggregate
    | Arithmetic
    | Over
    | Whole,
    Field(discriminator="node"),
]
Predicate = Annotated[Test | Among | Missing | Every | Either | Not | Has, Field(discriminator="node")]
Ask = Annotated[Query | Along | Against | Study | Told, Field(discriminator="node")]
