"""Groups compared by a significance test, with the figures of each group and the p-values of sister tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gnomon.analytics.evidence import Sample, TestOutcome, concluded, size_word
from gnomon.analytics.hypotheses import hypothesis_test
from gnomon.analytics.inputs import Floats
from gnomon.core.errors import CalculationError

MOST_GROUPS = 50
_ALONE = 2


@dataclass(frozen=True)
class GroupComparison:
    """What a test between groups found.

    Attributes:
        outcome: The test.
        further: P-values of closely related tests, by name.
        shares: For categories, the part of each group that the first outcome makes up, in percent.
        single: Groups of one row, which are left out.
    """

    outcome: TestOutcome
    further: dict[str, float] = field(default_factory=dict[str, float])
    shares: dict[str, float] = field(default_factory=dict[str, float])
    single: int = 0


def compare_samples(
    rows: Sequence[tuple[str, float]], test: str | None, alpha: float = 0.05, *, ordered: bool = True
) -> GroupComparison:
    """Whether a number differs between groups.

    Groups of a single row cannot be judged by an average and are left out, and said.

    Args:
        rows: The group and the number of each row.
        test: One of the tests for samples; chosen by the data when None.
        alpha: Significance level.
        ordered: Whether groups stay in the order in which they come; else the largest average comes first.

    Raises:
        CalculationError: There are fewer than two groups, or far too many.
    """
    split: dict[str, list[float]] = {}
    for group, value in rows:
        split.setdefault(group, []).append(value)
    single = [g for g, v in split.items() if len(v) < _ALONE]
    samples = {g: np.asarray(v, dtype=float) for g, v in split.items() if g not in single}
    if not _ALONE <= len(samples) <= MOST_GROUPS:
        raise CalculationError(
            f"A test needs from 2 to {MOST_GROUPS} groups of at least two rows; here {len(samples)} qualify.",
            suggestions=["Compare other groups."],
        )
    names = list(samples) if ordered else sorted(samples, key=lambda g: -float(samples[g].mean()))
    values = np.concatenate([samples[g] for g in names])
    labels = np.repeat(np.arange(len(names)), [len(samples[g]) for g in names])
    # Groups are passed by number, so that the order in which they were named is kept.
    keys = [f"{i:04d}" for i in range(len(names))]
    outcome = hypothesis_test(
        values, groups=[keys[i] for i in labels], test=_method(test, len(names)), alpha=alpha
    )
    told = tuple(replace(s, name=names[keys.index(s.name)]) for s in outcome.samples)
    sisters = _sisters(list(samples.values()), outcome.test)
    return GroupComparison(replace(outcome, samples=told), sisters, single=len(single))


def _method(test: str | None, groups: int) -> str:
    """A test for two samples that was named for more of them, and the other way round, is their sister."""
    if test is None:
        return "auto"
    more = {"student_t": "anova", "welch_t": "anova", "mann_whitney": "kruskal"}
    return more.get(test, test) if groups > _ALONE else test


def _sisters(samples: list[Floats], made: str) -> dict[str, float]:
    """P-values of the tests that an analyst might have expected instead."""
    from scipy import stats

    found: dict[str, Any] = {}
    if any(len(s) < _ALONE for s in samples) or np.ptp(np.concatenate(samples)) == 0:
        return {}
    if len(samples) == _ALONE:
        found["student_t"] = stats.ttest_ind(*samples).pvalue
        found["welch_t"] = stats.ttest_ind(*samples, equal_var=False).pvalue
        found["mann_whitney"] = stats.mannwhitneyu(samples[0], samples[1], alternative="two-sided").pvalue
    else:
        found["anova"] = stats.f_oneway(*samples).pvalue
        found["kruskal"] = stats.kruskal(*samples).pvalue
    return {k: float(p) for k, p in found.items() if k != made and np.isfinite(p)}


def cross_table(pairs: Sequence[tuple[str, str]], test: str | None, alpha: float = 0.05) -> GroupComparison:
    """Whether two categories have to do with each other, by Pearson's χ² or Fisher's exact test.

    A table of two by two gets Yates's correction, as statistics packages do by default; the p-value without it is
    among the further ones.

    Args:
        pairs: The two values of each row.
        test: ``chi2`` or ``fisher``; chosen by the counts when None.
        alpha: Significance level.
    """
    from scipy import stats

    rows, columns = (list(dict.fromkeys(p[i] for p in pairs)) for i in (0, 1))
    columns.sort(key=lambda c: (c != "yes", c))
    table = np.zeros((len(rows), len(columns)))
    for a, b in pairs:
        table[rows.index(a), columns.index(b)] += 1
    method = test if test in ("chi2", "fisher") else "auto"
    first, second = [p[0] for p in pairs], [p[1] for p in pairs]
    outcome = hypothesis_test(first, second, test=method, alpha=alpha, names=("first", "second"))
    further: dict[str, float] = {}
    if outcome.test == "chi2" and table.shape == (2, 2):
        further["chi2_uncorrected"] = float(stats.chi2_contingency(table, correction=False).pvalue)
        corrected: Any = stats.chi2_contingency(table)
        outcome = replace(outcome, statistic=float(corrected.statistic), p_value=float(corrected.pvalue))
        outcome = replace(outcome, significant=bool(outcome.p_value < alpha))
    shares = {r: 100 * table[i, 0] / table[i].sum() for i, r in enumerate(rows)}
    samples = tuple(Sample(r, int(table[i].sum())) for i, r in enumerate(rows))
    return GroupComparison(
        replace(outcome, samples=samples), further, {k: float(v) for k, v in shares.items()}
    )


def compare_counts(counts: Mapping[str, int], alpha: float = 0.05) -> GroupComparison:
    """Whether rows are spread evenly over groups, by Pearson's χ² against equal counts."""
    from scipy import stats

    if len(counts) < _ALONE:
        raise CalculationError("All rows belong to one group.", suggestions=["Compare other groups."])
    ordered = dict(sorted(counts.items(), key=lambda c: -c[1]))
    observed = np.asarray(list(ordered.values()), dtype=float)
    found: Any = stats.chisquare(observed)
    n, k = float(observed.sum()), len(observed)
    effect = float(np.sqrt(found.statistic / (n * (k - 1))))
    outcome = TestOutcome(
        "chi2_even", float(found.statistic), float(found.pvalue),
        tuple(Sample(g, int(c)) for g, c in ordered.items()), freedom=float(k - 1),
        effect_name="Cramér's V", effect=effect, effect_size=size_word(effect, 0.1, 0.3, 0.5),
        claim=f"the {k} groups differ in their number of rows",
    )  # fmt: skip
    shares = {g: 100 * c / n for g, c in ordered.items()}
    return GroupComparison(concluded(outcome, alpha, "counts of groups"), {}, shares)
