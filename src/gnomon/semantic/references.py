"""Parts of the references that spell a metric out: a bound on its groups, the unit that it is told in."""

from __future__ import annotations

import re

from gnomon.core.request import Filter, FilterOperator

IN_UNIT = re.compile(r"^(.+) in ([a-zA-Z][a-zA-Z ]*)$")


def as_formula(reference: str, unit: str) -> dict[str, object]:
    """What changes where a metric is told in another unit."""
    plain = dict.fromkeys(("table", "aggregation", "expression", "quantile", "inner", "per"))
    return {**plain, "name": reference, "formula": reference, "unit": unit, "where": ()}


_BOUND = re.compile(
    r"^(.+?) (>=|<=|!=|>|<|=|between|outside) (-?[\d.]+(?:e[+-]?\d+)?)(?: and (-?[\d.]+(?:e[+-]?\d+)?))?$"
)


def bounded(given: str, inner: str) -> tuple[str, Filter | None]:
    """``day > 450`` as the groups, and the condition that their value has to meet."""
    match = _BOUND.match(given)
    if match is None:
        return given, None
    values = tuple(float(v) for v in match.groups()[2:] if v is not None)
    return match[1], Filter(field=inner, operator=FilterOperator(match[2]), values=values, having=True)
