"""What advertising is judged by, where a table tells how often it was seen, clicked, what it cost and what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.semantic.labels import full_words, slug
from gnomon.semantic.model import Additivity, Aggregation, Direction, Metric, quoted
from gnomon.semantic.units import measured

_SHOWN = frozenset({"impressions", "impression"})
_CLICKED = frozenset({"clicks", "click"})
_WON = frozenset({"conversions", "conversion"})
_SPENT = frozenset({"spend", "spent", "cost", "costs", "spending"})
_EARNED = frozenset({"revenue", "revenues"})


def funnel_metrics(metrics: Sequence[Metric]) -> list[Metric]:
    """Ratios of what ads were shown, clicked and led to, and of what they cost and brought in.

    Args:
        metrics: The metrics of the columns of all tables.
    """
    found: list[Metric] = []
    for table in dict.fromkeys(m.table for m in metrics if m.table is not None):
        sums = [m for m in metrics if m.table == table and m.aggregation is Aggregation.SUM]
        shown, clicked, won, spent, earned = (
            _told(sums, words) for words in (_SHOWN, _CLICKED, _WON, _SPENT, _EARNED)
        )
        if clicked is None:
            continue
        if shown is not None:
            found.append(
                _ratio("click-through rate", clicked, shown, ("ctr", "click rate", "click through rate"))
            )
            if spent is not None:
                found.append(
                    _times(
                        "cost per thousand impressions",
                        f"1000 * {_ref(spent)} / {_ref(shown)}",
                        spent,
                        ("cpm",),
                    )
                )
        if won is not None:
            found.append(_ratio("conversion rate", won, clicked, ("cvr", "click to conversion rate")))
        if spent is not None:
            found += _costs(spent, clicked, won)
        if spent is not None and earned is not None:
            found += _returns(spent, earned)
    taken = {m.name for m in metrics}
    made = {m.name: m for m in reversed(found)}
    return [m for name, m in reversed(made.items()) if name not in taken]


def _costs(spent: Metric, clicked: Metric, won: Metric | None) -> list[Metric]:
    each = _times("cost per click", f"{_ref(spent)} / {_ref(clicked)}", spent, ("cpc",))
    if won is None:
        return [each]
    names = ("cpa", "cost per acquisition", "cost per conv", "acquisition cost")
    return [each, _times("cost per conversion", f"{_ref(spent)} / {_ref(won)}", spent, names)]


def _returns(spent: Metric, earned: Metric) -> list[Metric]:
    gain = f"{_ref(earned)} - {_ref(spent)}"
    profit = Metric(
        name="profit",
        label="profit",
        formula=gain,
        unit=earned.unit,
        additivity=Additivity.ADDITIVE,
        direction=Direction.HIGHER_IS_BETTER,
        synonyms=("net profit", "gain"),
        business_dimension=earned.business_dimension,
        time_dimension=earned.time_dimension,
        description=f"{earned.label} less {spent.label}.",
    )
    roi = _ratio("return on investment", profit, spent, ("roi", f"return on {spent.label} in percent"))
    roas = _times(
        "return on ad spend", f"{_ref(earned)} / {_ref(spent)}", earned, ("roas", f"return on {spent.label}")
    )
    return [profit, roi, roas.model_copy(update={"unit": None, "direction": Direction.HIGHER_IS_BETTER})]


def _told(sums: Sequence[Metric], words: frozenset[str]) -> Metric | None:
    """The one sum whose column is called so, whatever stands before it: spend, ad spend, total cost."""
    held = [m for m in sums if m.expression and m.formula is None]
    called = [(m, full_words(measured((m.expression or "").strip("`")).label)) for m in held]
    found = [m for m, said in called if said and said[-1] in words and "per" not in said]
    return found[0] if len(found) == 1 else None


def _ratio(label: str, above: Metric, below: Metric, synonyms: tuple[str, ...]) -> Metric:
    return Metric(
        name=slug(label),
        label=label,
        formula=f"{_ref(above)} / {_ref(below)}",
        unit="fraction",
        additivity=Additivity.NON_ADDITIVE,
        direction=Direction.HIGHER_IS_BETTER,
        synonyms=synonyms,
        business_dimension=below.business_dimension,
        time_dimension=below.time_dimension,
        description=f"{above.label} over {below.label}.",
    )


def _times(label: str, formula: str, base: Metric, synonyms: tuple[str, ...]) -> Metric:
    return Metric(
        name=slug(label),
        label=label,
        formula=formula,
        unit=base.unit,
        additivity=Additivity.NON_ADDITIVE,
        direction=Direction.LOWER_IS_BETTER,
        synonyms=synonyms,
        business_dimension=base.business_dimension,
        time_dimension=base.time_dimension,
        description=f"{formula}.".replace("`", "").replace("_", " "),
    )


def _ref(metric: Metric) -> str:
    return quoted(metric.name)
