"""Hypothesis tests: the right one for the data (or the one named), with effect size and a plain conclusion."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.analytics.association import contingency
from gnomon.analytics.evidence import TestOutcome, concluded, described
from gnomon.analytics.inputs import Floats, column, numbers, present, require_between, require_choice
from gnomon.analytics.location_tests import (
    Alternative,
    anova,
    kruskal,
    levene,
    looks_normal,
    mann_whitney,
    one_sample_t,
    student_t,
    welch_t,
    wilcoxon,
)
from gnomon.analytics.shape_tests import (
    contingency_test,
    correlation_test,
    ks_one,
    ks_two,
    normality_test,
    proportions,
)
from gnomon.core.errors import CalculationError, InvalidInput

if TYPE_CHECKING:
    import pandas as pd

TESTS = (
    "auto", "student_t", "welch_t", "paired_t", "one_sample_t", "mann_whitney", "wilcoxon", "chi2", "fisher", "ks",
    "normality", "anova", "kruskal", "levene", "proportions", "pearson", "spearman",
)  # fmt: skip
_PAIRED = {"paired_t", "wilcoxon", "pearson", "spearman"}
_MOST_GROUPS = 50


def hypothesis_test(
    first: Any,
    second: Any = None,
    *,
    groups: Any = None,
    test: str = "auto",
    paired: bool = False,
    mu: float | None = None,
    alternative: Alternative = "two-sided",
    distribution: str = "norm",
    alpha: float = 0.05,
    names: tuple[str, str] = ("the first sample", "the second sample"),
) -> TestOutcome:
    """Test a hypothesis about one column, two columns, or a column split by groups.

    ``auto`` reads the data: categories against categories → χ² (Fisher when small); booleans → proportions;
    two samples → Welch's t where means can be trusted, else Mann–Whitney; paired → paired t or Wilcoxon; more
    groups → ANOVA or Kruskal–Wallis; one sample → one-sample t or Wilcoxon against ``mu``, or normality.

    Args:
        first: The first column.
        second: The second column, if any.
        groups: Labels that split ``first`` instead of a second column.
        test: One of ``TESTS``.
        paired: Whether the two columns are measured on the same rows.
        mu: The value that a single sample is tested against.
        alternative: Which side counts, for tests of two samples or of one against ``mu``.
        distribution: Family for a one-sample ``ks``.
        alpha: Significance level; intervals have confidence ``1 − alpha``.
        names: What to call the samples.
    """
    require_choice(test, TESTS, "test")
    require_choice(alternative, ("two-sided", "less", "greater"), "alternative")
    require_between(alpha, 0, 1, "alpha")
    if groups is not None and second is not None:
        raise InvalidInput("Give a second column or groups, not both.", suggestions=["Leave one out."])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # what scipy warns about is in the checks of the outcome
        if groups is not None:
            outcome, why = _grouped(first, groups, test, alternative, alpha, names)
        elif second is not None:
            outcome, why = _two(first, second, test, paired, alternative, alpha, names)
        else:
            outcome, why = _one(first, test, mu, alternative, distribution, alpha, names[0])
    return concluded(outcome, alpha, "named" if test != "auto" else why)


def _one(
    first: Any, test: str, mu: float | None, side: Alternative, family: str, alpha: float, name: str
) -> tuple[TestOutcome, str]:
    a = present(numbers(first, name))
    if test == "ks":
        return ks_one(a, name, family), ""
    if test == "normality" or (test == "auto" and mu is None):
        return normality_test(a, name), "one sample and nothing to compare it with"
    if test not in {"auto", "one_sample_t", "wilcoxon"}:
        raise _unsuited(test, "one column", ("one_sample_t", "wilcoxon", "normality", "ks"))
    if mu is None:
        raise InvalidInput(
            f"{test} needs the value to test against.", suggestions=["Pass mu=, such as mu=0."]
        )
    word = {"two-sided": "differs from", "less": "is lower than", "greater": "is higher than"}[side]
    fine = looks_normal(a)
    if test == "one_sample_t" or (test == "auto" and fine.holds):
        claim = f"the mean of {name} {word} {mu:g}"
        why = f"one sample whose mean can be trusted ({fine.detail})"
        return one_sample_t(a, mu, claim, described(name, a), side, 1 - alpha, "one_sample_t"), why
    claim = f"{name} {word} {mu:g}"
    return wilcoxon(a - mu, claim, described(name, a), side), f"one sample far from normal ({fine.detail})"


def _two(
    first: Any,
    second: Any,
    test: str,
    paired: bool,
    side: Alternative,
    alpha: float,
    names: tuple[str, str],
) -> tuple[TestOutcome, str]:
    x, y = column(first, names[0]), column(second, names[1])
    if test in {"chi2", "fisher"} or (test == "auto" and not (_is_numeric(x) and _is_numeric(y))):
        if test == "auto" and _is_numeric(x) != _is_numeric(y):
            values, labels = (first, second) if _is_numeric(x) else (second, first)
            return _grouped(values, labels, test, side, alpha, names)
        both = _together(x, y)
        table = contingency(x[both].astype("string"), y[both].astype("string"))
        exact = {"chi2": False, "fisher": True}.get(test)
        return contingency_test(table, exact, names), "two columns of categories"
    a, b = numbers(x, names[0]), numbers(y, names[1])
    if paired or test in _PAIRED:
        return _pairs(a, b, test, side, alpha, names)
    a, b = present(a), present(b)
    if test == "auto" and _is_flag(x) and _is_flag(y):
        return proportions(a, b, names, side, 1 - alpha), "two columns of true and false"
    return _independent(a, b, test, side, alpha, names)


def _pairs(
    a: Floats, b: Floats, test: str, side: Alternative, alpha: float, names: tuple[str, str]
) -> tuple[TestOutcome, str]:
    if len(a) != len(b):
        raise InvalidInput(
            f"Paired columns must have the same length, but these have {len(a)} and {len(b)} rows.",
            suggestions=["Leave paired out for independent samples."],
        )
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = a[both], b[both]
    if test in {"pearson", "spearman"}:
        return correlation_test(a, b, test, names, 1 - alpha), ""
    if test not in {"auto", "paired_t", "wilcoxon"}:
        raise _unsuited(test, "paired columns", ("paired_t", "wilcoxon", "pearson", "spearman"))
    d = a - b
    word = {"two-sided": "differs from", "less": "is lower than", "greater": "is higher than"}[side]
    sample, claim = described("differences", d) if len(d) else None, f"{names[0]} {word} {names[1]}"
    if sample is None:
        raise CalculationError("No row has both values.", suggestions=["Check both columns."])
    fine = looks_normal(d)
    if test == "paired_t" or (test == "auto" and fine.holds):
        why = f"paired samples whose mean difference can be trusted ({fine.detail})"
        return one_sample_t(d, 0.0, claim, sample, side, 1 - alpha, "paired_t"), why
    return wilcoxon(
        d, claim, sample, side
    ), f"paired samples with differences far from normal ({fine.detail})"


def _independent(
    a: Floats, b: Floats, test: str, side: Alternative, alpha: float, names: tuple[str, str]
) -> tuple[TestOutcome, str]:
    if min(len(a), len(b)) == 0:
        raise CalculationError("One sample has no values.", suggestions=["Check the columns."])
    if test == "ks":
        return ks_two(a, b, names), ""
    if test == "proportions":
        for sample, name in ((a, names[0]), (b, names[1])):
            if not np.isin(sample, (0, 1)).all():
                raise InvalidInput(
                    f"{name} must hold only 0 and 1.", suggestions=["Use a column of true and false."]
                )
        return proportions(a, b, names, side, 1 - alpha), ""
    if test in {"anova", "kruskal", "levene"}:
        return _many({names[0]: a, names[1]: b}, test)
    if test == "student_t":
        return student_t(a, b, names, side, 1 - alpha), ""
    if test not in {"auto", "welch_t", "mann_whitney"}:
        raise _unsuited(
            test, "two columns", ("welch_t", "student_t", "mann_whitney", "ks", "levene", "proportions")
        )
    fine = [looks_normal(a), looks_normal(b)]
    if test == "welch_t" or (test == "auto" and all(c.holds for c in fine)):
        return welch_t(a, b, names, side, 1 - alpha), "two independent samples whose means can be trusted"
    odd = next((c.detail for c in fine if not c.holds), "")
    return mann_whitney(a, b, names, side, 1 - alpha), f"two independent samples, one far from normal ({odd})"


def _grouped(
    first: Any, groups: Any, test: str, side: Alternative, alpha: float, names: tuple[str, str]
) -> tuple[TestOutcome, str]:
    x, labels = column(first, names[0]), column(groups, "groups")
    both = _together(x, labels)
    x, labels = x[both], labels[both].astype("string")
    if test in {"chi2", "fisher"} or (test == "auto" and not _is_numeric(x)):
        return contingency_test(
            contingency(x.astype("string"), labels), {"chi2": False, "fisher": True}.get(test), names
        ), "a column of categories split by groups"
    values = numbers(x, names[0])
    split = {str(g): present(values[np.asarray(labels == g)]) for g in sorted(labels.unique())}
    split = {g: v for g, v in split.items() if len(v)}
    if not 2 <= len(split) <= _MOST_GROUPS:
        raise CalculationError(
            f"There are {len(split)} groups with values; between 2 and {_MOST_GROUPS} are needed.",
            suggestions=["Choose another grouping column, or merge rare groups."],
        )
    if len(split) == 2 and test not in {"anova", "kruskal", "levene"}:
        (n1, a), (n2, b) = split.items()
        if test == "auto" and _is_flag(x):
            return proportions(a, b, (n1, n2), side, 1 - alpha), "true and false in two groups"
        return _independent(a, b, test, side, alpha, (n1, n2))
    if test == "auto" and _is_flag(x):
        return contingency_test(
            contingency(x.astype("string"), labels), None, names
        ), "true and false in groups"
    return _many(split, test)


def _many(split: dict[str, Floats], test: str) -> tuple[TestOutcome, str]:
    if test == "levene":
        return levene(split), ""
    if test == "kruskal":
        return kruskal(split), ""
    if test not in {"auto", "anova"}:
        raise _unsuited(test, f"{len(split)} groups", ("anova", "kruskal", "levene"))
    fine = all(looks_normal(v).holds and len(v) >= 2 for v in split.values())
    if test == "auto" and not fine:
        return kruskal(split), "several groups, at least one far from normal"
    testable = all(len(v) >= 2 for v in split.values()) and any(np.ptp(v) > 0 for v in split.values())
    equal = test == "anova" or not testable or levene(split).p_value >= 0.05
    spread = "equal" if equal else "unequal"
    return anova(split, equal), f"several groups whose means can be trusted, {spread} spreads"


def _together(x: pd.Series[Any], y: pd.Series[Any]) -> pd.Series[Any]:
    if len(x) != len(y):
        raise InvalidInput(
            f"The columns must have the same length, but these have {len(x)} and {len(y)} rows.",
            suggestions=["Pass columns of one table."],
        )
    return x.notna() & y.notna()


def _is_numeric(x: pd.Series[Any]) -> bool:
    import pandas as pd

    return bool(pd.api.types.is_numeric_dtype(x.dtype))


def _is_flag(x: pd.Series[Any]) -> bool:
    import pandas as pd

    return bool(pd.api.types.is_bool_dtype(x.dtype))


def _unsuited(test: str, data: str, suited: tuple[str, ...]) -> InvalidInput:
    return InvalidInput(f"The test {test!r} does not fit {data}.", suggestions=[f"Use {', '.join(suited)}."])
