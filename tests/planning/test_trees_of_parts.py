"""What is asked, part by part, is the same when it was a tree of the algebra; what metrics spell out are nodes of it."""

import itertools
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.core import algebra as al
from gnomon.core.operations import Tell, Walk, Way
from gnomon.core.parts import (
    Brackets,
    Claim,
    Comparison,
    Course,
    Filter,
    FilterOperator,
    Listing,
    Parts,
    QuestionKind,
    Relative,
    Share,
)
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.request import Request
from gnomon.core.shapes import Shape, shape
from gnomon.core.spelled import reference
from gnomon.core.studies import GroupTest, Inspection, Outliers, Outlook, Regression, Relation
from gnomon.core.studies import Shape as ShapeOf
from gnomon.planning.trees import Trees, request_of
from gnomon.semantic.kinds import Aggregation
from gnomon.semantic.model import (
    ColumnRef,
    Dimension,
    DimensionType,
    Metric,
    SemanticModel,
    TableMeaning,
)

K, Op = QuestionKind, FilterOperator
COLUMNS = {"region": "region", "price": "price", "Source / Medium": "Source / Medium", "day": "day"}
MODEL = SemanticModel(
    tables=(TableMeaning(name="orders", label="orders", key=("id",)),),
    metrics=tuple(
        Metric(name=n, label=n, table="orders", aggregation=Aggregation.SUM, expression=n)
        for n in ("revenue", "units", "rate per hour")
    ),
    dimensions=tuple(
        Dimension(
            name=f"orders.{n}",
            label=n,
            type=DimensionType.CATEGORY,
            locations=(ColumnRef(table="orders", column=c),),
        )
        for n, c in COLUMNS.items()
    ),
)
HOWS = [h for h in Aggregation if h is not Aggregation.QUANTILE]
NAMED = ["revenue", "units", "rate per hour"]
PRICES = [f"{how}(orders.price)" for how in HOWS[:4]]
OF_COLUMNS = [
    *(f"{how}(orders.{c})" for how, c in itertools.product(HOWS, ["price", "Source / Medium"])),
    "count(orders)",
    "p90(orders.price)",
    "mean(orders.{gap: [price] - [day]})",
    "sum(orders.{a / b: [price] / [day]})",
]
BOUNDS = [
    "",
    " > 100",
    " >= 2.5",
    " = 0",
    " between 3 and 4.5",
    " outside 1 and 2",
    " < 2 times the mean",
    " > the max",
]
SPELLED = [
    *OF_COLUMNS,
    *(f"{a} / {b}" for a, b in itertools.product([*NAMED[:2], *PRICES], repeat=2)),
    *(f"{a} - {b}" for a, b in itertools.product(NAMED[:2], PRICES)),
    *(f"{a} as share of {b}" for a, b in itertools.product(NAMED[:2], PRICES)),
    *(f"{a} in {u}" for a, u in itertools.product([*NAMED[:1], *PRICES], ["hours", "hours in days"])),
    *(f"{h}({m} per {g}{b})" for h, m, g, b in itertools.product(
        ["mean", "count"], ["revenue", "sum(orders.price)"], ["day", "orders.region"], BOUNDS)),
    "revenue / (units in hours)",
]  # fmt: skip


@pytest.mark.parametrize("text", [*NAMED, *SPELLED])
def test_what_a_metric_spells_out_is_nodes_and_is_spelled_the_same(text: str) -> None:
    made = Trees(MODEL).measure(text)
    assert reference(made) == text
    leaves = [n.name for n in made.walk() if isinstance(n, al.Metric)]
    assert {*leaves} <= {*NAMED}, "nothing that is spelled out is left as a name"
    assert text in NAMED or not isinstance(made, al.Metric)


def test_what_is_spelled_in_no_known_way_stays_a_name() -> None:
    for text in ("nonsense(", "revenue / units / units", "median(revenue / units)", ""):
        assert reference(Trees(MODEL).measure(text)) == text


# Parts --------------------------------------------------------------------------------------------------------------

days = st.dates(date(2000, 1, 1), date(2040, 1, 1))
ranges = st.tuples(days, days, st.sampled_from(TimeGranularity)).map(
    lambda t: TimeRange(start=min(t[:2]), end=max(t[:2]), granularity=t[2])
)
references = st.sampled_from([*NAMED, *SPELLED])
names = st.sampled_from(["orders.region", "orders.price", "@weekday", "orders.{year: year([day])}"])
plain = st.one_of(
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.booleans(),
    days,
    st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1)),
    st.none(),
)
recurring = st.sampled_from([("month", (12,)), ("weekday", (5, 6)), ("hour", (0,))])
ONE = [Op.EQUALS, Op.NOT_EQUALS, Op.LESS, Op.AT_MOST, Op.GREATER, Op.AT_LEAST, Op.CONTAINS, Op.LISTS]
SIGNS = ONE[:6]


@st.composite
def conditions(draw: st.DrawFn, having: bool | None = None) -> Filter:
    """A condition as readers make them: of rows, of groups that are told, of groups whose rows are."""
    having = draw(st.booleans()) if having is None else having
    operator = draw(st.sampled_from(Op))
    several = (Op.IN, Op.NOT_IN, Op.CONTAINS, Op.LISTS)
    sizes = {Op.IS_NULL: (0, 0), Op.NOT_NULL: (0, 0), Op.BETWEEN: (2, 2), Op.OUTSIDE: (2, 2)}
    low, high = sizes.get(operator, (1, 3) if operator in several else (1, 1))
    fields: dict[str, Any] = {"values": tuple(draw(st.lists(plain, min_size=low, max_size=high)))}
    if draw(st.booleans()):
        operator = draw(st.sampled_from(SIGNS))
        how, per = draw(st.sampled_from(["mean", "median", "min", "max"])), draw(st.none() | names)
        fields = {"relative": Relative(how=how, per=per), "values": draw(st.sampled_from([(), (2,), (1.5,)]))}
    return Filter(field=draw(references if having else names), operator=operator, having=having, **fields)


@st.composite
def of_rows(draw: st.DrawFn) -> Filter:
    """A condition of rows: of their own, or of the group that they belong to, looked at here or elsewhere."""
    given = draw(conditions(having=draw(st.booleans())))
    if not given.having:
        return given
    among = tuple(draw(st.lists(conditions(having=False), max_size=2)))
    return given.model_copy(update={"by": draw(names), "among": among, "within": draw(st.none() | ranges)})


some = st.lists(of_rows(), max_size=3).map(tuple)
few = st.lists(names, max_size=2, unique=True).map(tuple)
measures = st.lists(references, max_size=2).map(tuple)
STUDIES: dict[QuestionKind, list[Any]] = {
    K.CORRELATION: [Relation(method="kendall", target="orders.price"), None],
    K.REGRESSION: [Regression(model="logistic", test_share=0.2), None],
    K.DIFFERENCE: [GroupTest(test="anova", alpha=0.01, parts=((0, 1), (5, 6)))],
    K.DISTRIBUTION: [ShapeOf(of="skewness"), None],
    K.ANOMALY: [Outliers(rule="zscore", told="without"), None],
    K.FORECAST: [Outlook(horizon=6, unit=TimeGranularity.MONTH), None],
    K.CAUSE: [None],
    K.PROFILE: [Inspection(about="missing", columns=("price",)), None],
}


@st.composite
def asked(draw: st.DrawFn) -> Parts:
    """Parts of every kind, with what that kind may have."""
    kind = draw(st.sampled_from(K))
    groups = tuple(draw(st.lists(conditions(having=True), max_size=2)))
    grain = draw(st.none() | st.sampled_from(TimeGranularity))
    fields: dict[str, Any] = {
        "metrics": draw(measures), "dimensions": draw(few), "filters": (*draw(some), *groups),
        "time_range": draw(st.none() | ranges), "time_dimension": draw(st.none() | names),
        "recurring": draw(st.none() | recurring), "limit_per": draw(st.none() | names),
        "beside": draw(st.none() | references), "each": draw(st.booleans()),
        "tells": tuple(draw(st.lists(st.sampled_from(Tell), unique=True, max_size=2))),
        "claim": draw(st.builds(Claim, side=st.sampled_from([None, "<", ">"]), whether=st.booleans(),
                                measures=st.booleans(), moved=st.none() | st.sampled_from(Way))),
        "brackets": draw(st.none() | st.builds(Brackets, column=names, width=st.none() | st.floats(1, 9),
                                               bins=st.none() | st.integers(1, 9))),
        "unexplained": draw(st.sampled_from([(), ("blue",)])), "confidence": draw(st.floats(0, 1)),
    }  # fmt: skip
    if kind is K.BREAKDOWN:
        fields["dimensions"] = (draw(names),)
    if kind is K.VALUE:
        fields |= {"dimensions": (), "brackets": None}
    if kind is K.RANKING:
        fields |= {"dimensions": (draw(names),), "grain": grain, "descending": draw(st.booleans())}
        limit = draw(st.none() | st.integers(1, 9))
        fields |= {
            "limit": limit,
            "place": draw(st.none() | st.integers(2, limit)) if limit and limit > 1 else None,
        }
    if kind is K.LIST:
        fields |= {"dimensions": (draw(names),), "grain": grain, "limit": draw(st.none() | st.integers(1, 9))}
        fields["listing"] = draw(st.none() | st.builds(Listing, table=st.just("orders"), order=names))
        fields["descending"] = draw(st.booleans())
    if kind is K.TREND:
        walks = tuple(
            draw(st.lists(st.sampled_from([Walk.GROWTH, Walk.RUNNING, Walk.MOVING]), max_size=2, unique=True))
        )
        window = draw(st.none() | st.integers(2, 9)) if walks else None
        points = tuple(draw(st.lists(days, max_size=2))) if walks else ()
        way = draw(st.none() | st.sampled_from(Way))
        course = Course(walks=walks, window=window, points=points, steps=way, judged=draw(st.booleans()))
        fields |= {"grain": grain, "course": course}
    if kind is K.SHARE:
        share = draw(st.builds(Share, days=st.none() | ranges, recurring=st.none() | recurring,
                               whole=st.none() | references, within=st.none() | names, majority=st.booleans()))  # fmt: skip
        along = draw(st.booleans())
        fields |= {"share": share.model_copy(update={"along": along}), "grain": grain if along else None}
        fields |= {
            "part": draw(some),
            "limit": draw(st.none() | st.integers(1, 9)),
            "descending": draw(st.booleans()),
        }
    if kind in STUDIES:
        fields |= {"study": draw(st.sampled_from(STUDIES[kind])), "grain": grain, "columns": draw(few)}
    against = st.one_of(
        st.builds(Comparison, kind=st.just("period"), period=st.none() | ranges, label=st.sampled_from(["", "then"])),
        st.builds(Comparison, kind=st.just("group"), groups=st.lists(st.text(max_size=3), max_size=3).map(tuple),
                  rest=st.booleans()),
        st.builds(Comparison, kind=st.just("benchmark"), yardstick=st.none() | references | st.floats(-9, 9)),
    )  # fmt: skip
    if kind is K.COMPARISON:
        fields |= {"comparison": draw(against), "limit": draw(st.none() | st.integers(1, 9))}
        fields["descending"] = draw(st.booleans())
        fields["grain"] = grain if fields["comparison"].kind == "period" else None
    elif kind in (K.SHARE, K.TREND, K.DIFFERENCE, K.LIST):
        fields["comparison"] = draw(st.none() | against)
    return Parts(question="q", kind=kind, **fields)


@pytest.mark.long
@settings(max_examples=400, deadline=None)
@given(asked())
def test_parts_are_the_same_when_they_were_a_tree(parts: Parts) -> None:
    request = request_of(parts, MODEL)
    assert request.parts == parts
    again = Request.model_validate_json(request.model_dump_json())
    assert again == request and again.parts == parts


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(asked(), st.sampled_from(K), st.none() | st.sampled_from(TimeGranularity), st.booleans())
def test_parts_of_another_kind_settle_as_a_tree(
    parts: Parts, kind: QuestionKind, grain: TimeGranularity | None, descending: bool
) -> None:
    """Whatever a part says of no other kind is dropped once, and nothing else after that."""
    changed = parts.model_copy(update={"kind": kind, "grain": grain, "descending": descending})
    once = request_of(changed, MODEL)
    assert request_of(once.parts, MODEL).ask == once.ask


def test_each_kind_has_a_shape_of_its_own() -> None:
    by, month = ("orders.region",), TimeGranularity.MONTH
    march = TimeRange(start=date(2024, 3, 1), end=date(2024, 3, 31))
    shapes = [
        (Parts(question="", kind=K.VALUE, metrics=("revenue",)), Shape.SCALAR),
        (Parts(question="", kind=K.BREAKDOWN, metrics=("revenue",), dimensions=by), Shape.TABLE),
        (Parts(question="", kind=K.RANKING, metrics=("revenue",), dimensions=by, limit=1), Shape.RECORD),
        (Parts(question="", kind=K.RANKING, metrics=("revenue",), dimensions=by, limit=3), Shape.TABLE),
        (Parts(question="", kind=K.TREND, metrics=("revenue",), grain=month), Shape.SERIES),
        (Parts(question="", kind=K.LIST, dimensions=by), Shape.TABLE),
        (Parts(question="", kind=K.CAUSE, metrics=("revenue",)), Shape.STUDY),
        (Parts(question="", kind=K.COMPARISON, metrics=("revenue",), time_range=march,
               comparison=Comparison(kind="period", period=march)), Shape.PAIR),
    ]  # fmt: skip
    assert [shape(request_of(p, MODEL).ask) for p, _ in shapes] == [s for _, s in shapes]
