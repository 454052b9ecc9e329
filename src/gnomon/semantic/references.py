"""Parts of the references that spell a metric out: a bound on its groups, the unit that it is told in, a share of another."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator, Relative
from gnomon.core.patterns import late_pattern, regex

IN_UNIT = regex(r"^(.+) in ([a-zA-Z][a-zA-Z ]*)$")

# Between two metrics: the one over the other, told in percent.
AS_SHARE = " as share of "


def as_formula(reference: str, unit: str) -> dict[str, object]:
    """What changes where a metric is told in another unit."""
    plain = dict.fromkeys(("table", "aggregation", "expression", "quantile", "inner", "per"))
    return {**plain, "name": reference, "formula": reference, "unit": unit, "where": ()}


_BOUND = late_pattern(
    r"^(.+?) (>=|<=|!=|>|<|=|between|outside) (-?[\d.]+(?:e[+-]?\d+)?)(?: and (-?[\d.]+(?:e[+-]?\d+)?))?$"
)


_RELATIVE = late_pattern(r"^(.+?) (>=|<=|>|<|=) (?:([\d.]+) times )?the (mean|median|min|max)$")


def relative_bound(how: str, times: float = 1) -> str:
    """A bound that the groups give themselves, as references spell it out."""
    return f"the {how}" if times == 1 else f"{times:g} times the {how}"


def bounded(given: str, inner: str) -> tuple[str, Filter | None]:
    """``day > 450`` as the groups, and the condition that their value has to meet; ``day > the mean`` likewise."""
    if (match := _RELATIVE.match(given)) is not None:
        factor = (float(match[3]),) if match[3] else ()
        how = FilterOperator(match[2])
        return match[1], Filter(
            field=inner, operator=how, values=factor, having=True, relative=Relative(how=match[4])
        )
    match = _BOUND.match(given)
    if match is None:
        return given, None
    values = tuple(float(v) for v in match.groups()[2:] if v is not None)
    return match[1], Filter(field=inner, operator=FilterOperator(match[2]), values=values, having=True)
