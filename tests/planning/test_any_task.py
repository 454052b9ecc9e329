"""Whatever words a task is made of, it is read and planned, or refused with a reason; never a fault."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.core.errors import GnomonError
from gnomon.core.settings import Settings
from gnomon.planning import ContextExtractor, MCPToolsChainingManager
from gnomon.tools.builtin import builtin_registry

ROWS = [
    {"day": f"2024-01-{1 + i % 28:02d}", "sales": i, "region": "ab"[i % 2], "lat": 1.0 * i} for i in range(40)
]
NUMBERS = st.one_of(
    st.integers(-(10**30), 10**30).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "1e400", "-0", "٣", "½", "1,2,3", "0x10", "1_000", "99999999999999999999%", "∞"]),
)
DAYS = st.builds(
    "{:04d}-{:02d}-{:02d}".format, st.integers(0, 9999), st.integers(0, 99), st.integers(0, 99)
) | st.builds("{:04d}-{:02d}".format, st.integers(0, 9999), st.integers(0, 99))
WORDS = st.sampled_from(
    [
        "total",
        "sales",
        "by",
        "region",
        "average",
        "forecast",
        "next",
        "weeks",
        "since",
        "before",
        "after",
        "until",
        "between",
        "and",
        "from",
        "last",
        "days",
        "top",
        "bottom",
        "anomalies",
        "threshold",
        "where",
        "is",
        ">",
        "<",
        "=",
        "not",
        "clusters",
        "into",
        "groups",
        "bins",
        "correlation",
        "trend",
        "per",
        "month",
        "as",
        "a",
        "chart",
        "join",
        "on",
        "z-score",
        "sigma",
        "%",
        "confidence",
        "level",
        "excluding",
        "only",
        "weekdays",
        "rename",
        "column",
        "to",
        "profit",
        "=",
        "sales",
        "-",
        "cost",
        "horizon",
    ]
)
TASKS = st.lists(st.one_of(WORDS, WORDS, NUMBERS, DAYS, st.text(max_size=6)), min_size=1, max_size=14).map(
    " ".join
)

EXTRACTOR = ContextExtractor()
PLANNER = MCPToolsChainingManager(builtin_registry(Settings.load()))


@pytest.mark.long
@settings(max_examples=250)
@given(TASKS)
def test_any_task_is_planned_or_refused(task: str) -> None:
    try:
        PLANNER.plan(EXTRACTOR.extract(task, ROWS))
    except GnomonError as refused:
        assert refused.message
