"""Data classes made late behave as those of the standard library: every case is tried with both decorators."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from gnomon.core import records

OPTIONS = [
    {"frozen": frozen, "eq": eq, "slots": slots}
    for frozen in (False, True)
    for eq in (False, True)
    for slots in (False, True)
]
_defaults: dict[str, Callable[[], Any]] = {
    "plain": lambda: dataclasses.MISSING,
    "default": lambda: 7,
    "factory": lambda: field(default_factory=list),
    "not compared": lambda: field(default=3, compare=False),
    "not shown": lambda: field(default=3, repr=False),
    "not hashed": lambda: field(default=3, hash=False),
    "not taken": lambda: field(default=5, init=False),
    "made, not taken": lambda: field(default_factory=dict, init=False),
}
shapes = st.lists(st.sampled_from([k for k in _defaults if k != "plain"]), max_size=4)
values = st.one_of(st.integers(0, 2), st.just(float("nan")), st.text("ab", max_size=1))


def made(decorator: Any, options: dict[str, bool], plain: int, rest: list[str]) -> type:
    names = [f"f{i}" for i in range(plain + len(rest))]
    body: dict[str, Any] = {
        "__annotations__": dict.fromkeys(names, "object"),
        "__doc__": "x",
        "__module__": __name__,
    }
    body |= {n: _defaults[k]() for n, k in zip(names[plain:], rest, strict=True)}
    return decorator(**options)(type("Made", (), body))


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except (
        AttributeError,
        TypeError,
        ValueError,
    ):  # the standard one mistakes itself for its base where it has slots
        return "refused"


def told(cls: Any, given_values: list[Any], other: Any) -> list[Any]:
    """Everything that can be seen of a class and of what it makes."""
    first, second = (outcome(lambda: cls(*given_values)) for _ in range(2))
    third = outcome(lambda: cls(*given_values[:-1], other))
    if first == "refused":
        return [first]
    names = [f.name for f in dataclasses.fields(cls)]
    return [
        repr(first), first == second, first == third, first == object(), cls.__match_args__,
        [str(p) for p in inspect.signature(cls).parameters.values()], hasattr(first, "__dict__"),
        outcome(lambda: hash(first) == hash(second)), dataclasses.asdict(first),
        outcome(lambda: setattr(first, "f0", 1)), outcome(lambda: setattr(first, "g", 1)),
        outcome(lambda: delattr(first, "f0")), [getattr(copy.copy(second), n) for n in names],
        outcome(lambda: repr(dataclasses.replace(second, **dict.fromkeys(names[:1], other)))),
    ]  # fmt: skip


@given(st.sampled_from(OPTIONS), st.integers(0, 3), shapes, st.lists(values, max_size=7), values)
def test_both_decorators_make_the_same(
    options: dict[str, bool], plain: int, rest: list[str], given_values: list[Any], other: Any
) -> None:
    standard, late = (
        told(made(decorator, options, plain, rest), given_values, other)
        for decorator in (dataclasses.dataclass, records.dataclass)
    )
    assert repr(late) == repr(standard)


@records.dataclass(frozen=True)
class Base:
    """With a default that a subclass follows, and something that is no field."""

    kind: ClassVar[str] = "base"
    name: str
    parts: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name.strip())


@records.dataclass(frozen=True, slots=True)
class Sent:
    """What goes to another process."""

    x: int
    y: Any = None


@records.dataclass(frozen=True)
class Further(Base):
    """A field more."""

    deep: Base | None = None


class Holding(BaseModel):
    """A model with a data class in it."""

    held: Base


def test_inheritance_patterns_and_models_see_a_data_class() -> None:
    found = Further(" a ", (1,), Base("b"))
    assert (found.name, Further("a") == Further("a "), Base("a") == Further("a")) == ("a", True, False)
    match found:
        case Further(name, parts, Base(inner)):
            assert (name, parts, inner) == ("a", (1,), "b")
        case _:
            pytest.fail("no match")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.deep = None  # type: ignore[misc]
    assert Holding.model_validate({"held": {"name": "n", "parts": [2]}}).held == Base("n", (2,))
    assert "parts" in Holding.model_json_schema()["$defs"]["Base"]["properties"]


def test_what_was_sent_is_whole_before_anything_was_made_there() -> None:
    told = Sent(1, {"a": [2]})
    assert pickle.loads(pickle.dumps(told)) == told == copy.deepcopy(told)
    with pytest.raises(dataclasses.FrozenInstanceError):
        pickle.loads(pickle.dumps(told)).x = 2


def test_threads_that_make_the_first_of_a_class_at_once_all_get_one() -> None:
    for _ in range(50):
        cls: Any = made(records.dataclass, {"frozen": True}, 2, ["default", "factory"])
        gate, got = threading.Barrier(4), list[Any]()

        def work(cls: Any = cls, gate: threading.Barrier = gate, got: list[Any] = got) -> None:
            gate.wait()
            got.append(cls(1, 2))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len(got) == 4
        assert len(set(map(repr, got))) == 1
