"""Data classes whose methods are made when they are first used.

The standard decorator compiles six functions for each class, nearly a millisecond. Two hundred classes are loaded for
one question, which makes few of them. What is made here behaves the same: fields, ``replace``, ``asdict``, patterns.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False):
        """What ``dataclasses.dataclass`` does; of its options, those that are named here."""

        def wrap(given):
            return _dataclass(given, frozen=frozen, eq=eq, slots=slots)

        return wrap if cls is None else wrap(cls)


__all__ = ["dataclass"]

_Methods = dict[str, Any]


class _Factory:
    def __repr__(self) -> str:
        return "<factory>"


def _dataclass(given: type, *, frozen: bool, eq: bool, slots: bool) -> type:
    own = set(vars(given))
    if not given.__doc__:  # the standard decorator would work out a signature to write there
        given.__doc__ = given.__name__
    cls: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(given)
    fields: Sequence[dataclasses.Field[Any]] = dataclasses.fields(cls)  # type: ignore[arg-type]
    made: _Methods = {"__init__": _LateInit(cls, fields, frozen), "__repr__": _repr_of(fields)}
    if eq:
        made["__eq__"] = _eq_of(_values_of([f.name for f in fields if f.compare]))
        hashed = _values_of([f.name for f in fields if (f.compare if f.hash is None else f.hash)])
        made["__hash__"] = (lambda self: hash(hashed(self))) if frozen else None
        if "__eq__" in own and vars(given).get("__hash__") is None:
            own.discard("__hash__")  # Python itself sets it so beside what says what is equal
    if frozen:
        made |= _frozen(cls, frozenset(f.name for f in fields))
    if frozen and slots:
        made |= _state([f.name for f in fields])
    for name in made.keys() - own:
        setattr(cls, name, made[name])
    return cls


class _LateInit:
    """Stands for ``__init__`` until somebody calls it or asks for its signature."""

    def __init__(self, cls: type, fields: Sequence[dataclasses.Field[Any]], frozen: bool) -> None:
        self._cls, self._fields, self._frozen = cls, fields, frozen

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        made = _init_of(self._cls, self._fields, self._frozen)
        self._cls.__init__ = made  # type: ignore[misc]
        return made.__get__(instance, owner)


def _init_of(cls: type, fields: Sequence[dataclasses.Field[Any]], frozen: bool) -> Any:
    """The function that takes the fields in order and sets them."""
    absent = dataclasses.MISSING
    known: dict[str, Any] = {"_set": object.__setattr__, "_absent": _Factory()}
    takes, does = ["self"], list[str]()
    for i, f in enumerate(fields):
        given, default = f.name, f"_default_{i}"
        if f.default_factory is not absent:
            known[default] = f.default_factory
            given = f"{default}() if {f.name} is _absent else {f.name}" if f.init else f"{default}()"
            takes += [f"{f.name}=_absent"] if f.init else []
        elif f.default is not absent:
            known[default] = f.default
            given = f.name if f.init else default
            takes += [f"{f.name}={default}"] if f.init else []
        elif f.init:
            takes.append(f.name)
        else:
            continue  # set by the class itself
        does.append(f"_set(self, {f.name!r}, {given})" if frozen else f"self.{f.name} = {given}")
    if hasattr(cls, "__post_init__"):
        does.append("self.__post_init__()")
    exec(f"def __init__({', '.join(takes)}):\n " + "\n ".join(does or ["pass"]), known)  # noqa: S102 - names of fields
    made = known["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    made.__annotations__ = {**{f.name: f.type for f in fields if f.init}, "return": None}
    return made


def _values_of(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    if not names:
        return lambda _: ()
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda self: (get(self),)


def _repr_of(fields: Sequence[dataclasses.Field[Any]]) -> Callable[[Any], str]:
    names = [f.name for f in fields if f.repr]

    @recursive_repr()
    def __repr__(self: Any) -> str:
        held = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({held})"

    return __repr__


def _eq_of(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, object], Any]:
    def __eq__(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _frozen(cls: type, names: frozenset[str]) -> _Methods:
    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}


def _state(names: Sequence[str]) -> _Methods:
    """How what has slots and may not be set is copied and sent to other processes."""

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: Sequence[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return {"__getstate__": __getstate__, "__setstate__": __setstate__}
