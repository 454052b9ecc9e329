import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from gnomon.core.plan import (
    Conflict,
    ConflictType,
    OutputRef,
    Plan,
    Resolution,
    Severity,
    Step,
    Strategy,
    find_cycle,
)


def test_inputs_count_as_dependencies() -> None:
    step = Step(
        id="b", tool="forecast", inputs={"data": OutputRef(step="a", field="rows")}, depends_on=("c",)
    )
    assert step.needs == {"a", "c"}


def test_a_plan_refuses_a_step_that_waits_for_nobody_known() -> None:
    with pytest.raises(ValidationError, match="'b' depends on 'x', which is not in the plan"):
        Plan(strategy=Strategy.SINGLE, steps=(Step(id="b", tool="t", depends_on=("x",)),))


def test_a_plan_refuses_two_steps_of_one_name() -> None:
    with pytest.raises(ValidationError, match="same id"):
        Plan(strategy=Strategy.PARALLEL, steps=(Step(id="a", tool="t"), Step(id="a", tool="u")))


def test_a_circle_is_named_along_its_path() -> None:
    steps = (
        Step(id="a", tool="t", depends_on=("c",)),
        Step(id="b", tool="t", depends_on=("a",)),
        Step(id="c", tool="t", depends_on=("b",)),
        Step(id="d", tool="t", depends_on=("a",)),
    )
    cycle = find_cycle(steps)
    assert cycle[0] == cycle[-1]
    assert set(cycle) == {"a", "b", "c"}


@given(st.lists(st.sets(st.integers(0, 11), max_size=4), min_size=1, max_size=12))
def test_steps_that_only_look_back_never_form_a_circle(earlier: list[set[int]]) -> None:
    steps = tuple(
        Step(id=str(i), tool="t", depends_on=tuple(str(j) for j in sorted(deps) if j < i))
        for i, deps in enumerate(earlier)
    )
    assert find_cycle(steps) == []


@given(st.integers(2, 8))
def test_a_ring_is_always_found(n: int) -> None:
    ring = tuple(Step(id=str(i), tool="t", depends_on=(str((i + 1) % n),)) for i in range(n))
    assert set(find_cycle(ring)) == {str(i) for i in range(n)}


@pytest.mark.parametrize(
    ("severity", "resolution", "asks"),
    [
        (Severity.HIGH, Resolution.USER_FEEDBACK, True),
        (Severity.HIGH, Resolution.CREATE_NEW, True),
        (Severity.HIGH, Resolution.AUTO_SELECT, False),
        (Severity.LOW, Resolution.USER_FEEDBACK, False),
    ],
)
def test_only_a_conflict_that_stops_the_plan_asks_the_user(
    severity: Severity, resolution: Resolution, asks: bool
) -> None:
    conflict = Conflict(
        type=ConflictType.TOOL_UNAVAILABLE, severity=severity, description="x", resolution=resolution
    )
    assert Plan(strategy=Strategy.SINGLE, conflicts=(conflict,)).requires_user_feedback is asks
