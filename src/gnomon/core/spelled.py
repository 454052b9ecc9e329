"""Measures of trees as references spell them out, such as ``mean(revenue per day)``: how metrics are asked for by name."""

from __future__ import annotations

from gnomon.core import algebra as al

SHARE_OF = " as share of "
_HOWS = {al.How.DISTINCT: "count_distinct", al.How.DEVIATION: "stddev", al.How.VARIANCE: "variance"}
_SIGNS = {al.Function.DIVIDE: " / ", al.Function.SUBTRACT: " - "}


def reference(measure: al.Node) -> str:
    """How a measure is referred to.

    Raises:
        TypeError: It is none that references spell out.
    """
    match measure:
        case al.Metric():
            return measure.name
        case al.InUnit(measure=al.Arithmetic(of=(over, under)), unit="fraction"):
            return f"{_operand(over)}{SHARE_OF}{_operand(under)}"
        case al.InUnit():
            return f"{reference(measure.measure)} in {measure.unit}"
        case al.Arithmetic(of=(left, right)) if measure.function in _SIGNS:
            return f"{_operand(left)}{_SIGNS[measure.function]}{_operand(right)}"
        case al.Aggregate(of=al.Dimension(name=name), quantile=None):
            return f"{_how(measure.how)}({name})"
        case al.Aggregate(of=al.Dimension(name=name), quantile=float(share)):
            return f"p{round(share * 100, 6):g}({name})"
        case al.Over(per=(key,)):
            return (
                f"{_how(measure.how)}({reference(measure.measure)} per {group(key)}{_bound(measure.having)})"
            )
        case _:
            raise TypeError(f"no reference spells out {measure!r}")


def group(key: al.Key) -> str:
    """How a group is referred to: a dimension, or a grain of time."""
    return str(key.grain) if isinstance(key.of, al.When) else dimension(key.of)


def dimension(value: al.Node | None) -> str:
    """How a value of one row is referred to."""
    if not isinstance(value, al.Dimension):
        raise TypeError(f"no reference spells out {value!r}")
    return value.name


def _how(how: al.How) -> str:
    return _HOWS.get(how, how.value)


def _operand(measure: al.Node) -> str:
    """A measure within another; brackets keep together what is told in a unit or made of two."""
    said = reference(measure)
    return f"({said})" if isinstance(measure, (al.Arithmetic, al.InUnit)) else said


def _bound(having: al.Predicate | None) -> str:
    match having:
        case None:
            return ""
        case al.Every(of=(al.Test(right=al.Literally() as low), al.Test(right=al.Literally() as high))):
            return f" between {low.value} and {high.value}"
        case al.Either(of=(al.Test(right=al.Literally() as low), al.Test(right=al.Literally() as high))):
            return f" outside {low.value} and {high.value}"
        case al.Test(right=al.Literally(value=value)):
            return f" {having.operator} {value}"
        case al.Test(right=al.Over(how=how)):
            return f" {having.operator} the {how}"
        case al.Test(right=al.Arithmetic(of=(al.Over(how=how), al.Literally(value=times)))):
            return f" {having.operator} {times} times the {how}"
        case _:
            raise TypeError(f"no reference spells out {having!r}")
