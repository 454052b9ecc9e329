"""The shape of a column: where its values lie, outliers by a rule, normality by a test, skew."""

from __future__ import annotations

from typing import Any

from gnomon.answering.plan_studies import OUTLIERS, SHAPE, measured_column
from gnomon.answering.tell_table import tell_breakdown
from gnomon.answering.telling import Telling
from gnomon.answering.words import are, column_of, counted, is_plural, labelled, slug, without_value
from gnomon.core.answer import Fact
from gnomon.core.figures import PERCENT, group_name, listed
from gnomon.core.studies import Finding, Outliers, Shape
from gnomon.semantic.model import Aggregation
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart, histogram_chart

FEW_VALUES = 30
MANY = 1000
FAIRLY = 0.5
STRONGLY = 1.0
GROUPS_TOLD = 12
_TESTS = {
    "shapiro": ("Shapiro–Wilk", "W"),
    "dagostino": ("D'Agostino's test", "K²"),
    "jarque_bera": ("Jarque–Bera", "JB"),
    "ks": ("Kolmogorov–Smirnov with Lilliefors's correction", "D"),
    "anderson": ("Anderson–Darling", "A²"),
}
_KEPT = {
    Aggregation.MEAN: "mean", Aggregation.MEDIAN: "median", Aggregation.STDDEV: "stddev", Aggregation.MIN: "minimum",
    Aggregation.MAX: "maximum", Aggregation.SUM: "total", Aggregation.SKEWNESS: "skewness", Aggregation.KURTOSIS: "kurtosis",
}  # fmt: skip
_RULES = {True: "z-score rule", False: "quartile rule"}
_STEPS = {True: "standard deviations", False: "interquartile ranges"}
_CENTRES = {True: "mean", False: "quartiles"}
_QUANTILES = {
    "median": "median", "lower_quartile": "p25", "upper_quartile": "p75", "minimum": "minimum", "maximum": "maximum",
}  # fmt: skip
Row = dict[str, Any]


class _Column:
    """The column that is told of: its label, its unit, its facts."""

    def __init__(self, t: Telling, role: str) -> None:
        self.t, self.role = t, role
        metric = t.metric()
        held = column_of(metric, t.model)
        self.label = held.label if held is not None else metric.label
        self.unit = metric.unit if metric.unit is not None or held is None else held.unit
        self.personal = held is not None and held.personal
        # Facts are about the values of the column, not about their average.
        self.at = f"{metric.table}.{(metric.expression or '').strip('`')}" if held is not None else None
        self.said = f"{self.label}{t.where()}{t.when()}"

    def fact(
        self,
        name: str,
        value: Any,
        unit: str | None = None,
        group: Row | None = None,
        of: Aggregation = Aggregation.COUNT,
    ) -> Fact:
        """A fact about the column, or about one group of its values."""
        about = f"{of}({self.at})" if self.at is not None else self.t.request.metrics[0]
        return self.t.fact(
            f"{slug(self.label)}.{name}", value, unit, role=self.role, metric=about, group=group
        )

    def say(self, name: str, value: Any, unit: str | None = None, group: Row | None = None) -> str:
        """A fact in words."""
        return self.t.say(self.fact(name, value, unit, group))

    def group(self, row: Row) -> Row:
        """The group that a row of the result is about."""
        return {d: labelled(row[d], self.t.label(d)) for d in self.t.request.dimensions}

    def named(self, row: Row) -> str:
        """The group in words."""
        return " · ".join(self.group(row).values())

    def table(self, name: str, rows: list[Row], heads: tuple[str, ...]) -> None:
        """A row for each group."""
        by = self.t.request.dimensions
        columns = (*(self.t.label(d) for d in by), *(h.replace("_", " ") for h in heads))
        self.t.plain_table(name, columns, [[r[h] for h in (*by, *heads)] for r in rows])

    def tell_missing(self, missing: int) -> None:
        """How many rows have no value."""
        if missing:
            self.fact("rows_without_value", missing)
            self.t.note(without_value(missing, self.label))


# Outliers -------------------------------------------------------------------------------------------------------------


def tell_outliers(t: Telling) -> None:
    """How many values lie far from the rest, by which rule, between which bounds; or what is left without them."""
    output = t.result.calculated.get(OUTLIERS)
    if output is None:
        t.fail("the outliers could not be computed")
        return
    rows, column, told = t.records(OUTLIERS), _Column(t, OUTLIERS), t.request.options(Outliers).told
    if told in ("without", "left"):
        _tell_kept(t, column, rows)
    elif told is not None:
        _tell_counted(t, column, rows, told)
    elif t.request.dimensions:
        _tell_outliers_by_group(t, column, rows)
    else:
        _tell_outliers(t, column, rows[0])
    column.tell_missing(output["missing"])


def _is_zscore(t: Telling) -> bool:
    return t.request.options(Outliers).rule == "zscore"


def _rule(t: Telling, column: _Column, row: Row) -> str:
    """The rule in words, with its factor."""
    zscore = _is_zscore(t)
    factor = column.say("threshold", row["threshold"], _STEPS[zscore])
    return f"by the {_RULES[zscore]} (beyond {factor} from the {_CENTRES[zscore]})"


def _tell_outliers(t: Telling, column: _Column, row: Row) -> None:
    many, study = row["outliers"], t.request.options(Outliers)
    count, checked = column.say("outliers", many), column.say("values", row["count"])
    low, high = (column.say(end, row[end], column.unit) for end in ("low", "high"))
    rule = _rule(t, column, row)
    bounds = f"the lower bound is {low} and the upper bound {high}"
    if many == 0:
        t.lead(f"no: there are no outliers in {column.said} {rule} among {checked} values")
        t.more(bounds)
    else:
        share = column.say("outlier_share", 100 * many / row["count"], PERCENT)
        noun = "outlier" if many == 1 else "outliers"
        t.lead(f"there {are(many)} {count} {noun} in {column.said} {rule}, {share} of {checked} values")
        t.more(bounds)
        for side in ("below", "above"):
            column.fact(f"outliers_{side}", row[side])
        _tell_extremes(t, column)
    bins, axis = t.rows(OUTLIERS, "bins")[1], Axis(column.label, column.unit)
    t.draw(histogram_chart(t.told.lead, bins, axis, bounds=[row["low"], row["high"]]))
    left = column.say("values_left", row["kept_count"])
    if study.removed:
        t.more(f"without them {left} values are left")
    if row["lower_quartile"] == row["upper_quartile"] and not _is_zscore(t):
        t.note("At least half of the values are the same, so every other value lies outside the bounds")
    _spread_facts(t, column, row)
    _tell_other_rule(t, column, row, study.named)


def _spread_facts(t: Telling, column: _Column, row: Row, group: Row | None = None) -> None:
    """What the bounds were made from."""
    of = {"mean": Aggregation.MEAN, "deviation": Aggregation.STDDEV}
    for name in tuple(of) if _is_zscore(t) else ("lower_quartile", "upper_quartile"):
        column.fact(name, row[name], column.unit, group, of=of.get(name, Aggregation.COUNT))


def _tell_other_rule(t: Telling, column: _Column, row: Row, named: bool) -> None:
    """How many the other rule would find, and how many with the standard deviation of a sample."""
    zscore, many = _is_zscore(t), row["other_outliers"]
    other = column.say(f"outliers_by_{'quartiles' if zscore else 'z_score'}", many)
    factor = column.say("other_threshold", row["other_threshold"], _STEPS[not zscore])
    if not named:
        beyond = f"(beyond {factor} from the {_CENTRES[not zscore]})"
        t.more(f"by the {_RULES[not zscore]} {beyond} there {are(many)} {other}")
    if zscore and row["by_sample"] != row["outliers"]:
        sample = column.say("outliers_by_sample_deviation", row["by_sample"])
        that = f"with that of a sample there would be {sample}"
        t.note(f"The standard deviation is that of all values; {that}")


def _tell_extremes(t: Telling, column: _Column) -> None:
    """The values that lie farthest out, with the rows that hold them."""
    names, rows = t.rows(OUTLIERS, "extremes")
    if column.personal or not rows:
        return
    table = t.metric().table or ""
    here = all(t.model.dimension(d).at(table) is not None for d in t.request.dimensions)
    placed = here and not (t.request.filters or t.request.time_range or t.request.recurring)
    kept = [i for i, n in enumerate(names) if n != "row" or placed]
    heads = {d.name: d.label for d in t.model.dimensions}
    heads |= {"value": column.label, "score": "standard deviations from the mean"}
    columns = [heads.get(names[i], names[i]) for i in kept]
    t.plain_table("outliers", columns, [[r[i] for i in kept] for r in rows])


def _tell_outliers_by_group(t: Telling, column: _Column, rows: list[Row]) -> None:
    """The number of outliers of each group, within its own values."""
    said: list[str] = []
    total = column.say("outliers", sum(r["outliers"] for r in rows))
    rule = _rule(t, column, rows[0])
    for row in rows:
        group = column.group(row)
        many = column.say("outliers", row["outliers"], None, group)
        column.fact("values", row["count"], None, group)
        _spread_facts(t, column, row, group)
        said.append(f"{many} for {column.named(row)}")
    t.lead(f"outliers in {column.said}: {listed(said[:GROUPS_TOLD])}")
    t.more(f"in total there are {total}, {rule}")
    t.note(f"Each {listed([t.label(d) for d in t.request.dimensions])} is judged by its own values")
    column.table("outliers", rows, ("count", "outliers", "low", "high", "mean", "deviation"))


def _tell_counted(t: Telling, column: _Column, rows: list[Row], told: Finding) -> None:
    """How many values lie within so many standard deviations of the mean, or on a side of it."""
    factor = column.say("threshold", rows[0]["threshold"], _STEPS[True])
    where = {
        "within": f"lie within {factor} of the mean",
        "beyond": f"lie beyond {factor} from the mean",
        "above": f"lie past the mean plus {factor}",
        "below": f"lie short of the mean minus {factor}",
    }[told]
    said: list[str] = []
    for row in rows:
        many = (row | {"within": row["count"] - row["outliers"], "beyond": row["outliers"]})[told]
        group = column.group(row) or None
        number = column.say(f"values_{told}", many, None, group)
        checked = column.say("values", row["count"], None, group)
        share = column.say("share", 100 * many / row["count"], PERCENT, group)
        _spread_facts(t, column, row, group)
        of = f" for {column.named(row)}" if group else f" of {checked} values of {column.label}"
        said.append(f"{number}{of} ({share})")
    about = f"{t.where()}{t.when()}"
    if t.request.dimensions:
        t.lead(f"values of {column.said} that {where}: {listed(said[:GROUPS_TOLD])}")
    else:
        t.lead(f"{said[0]}{about} {where}")


def _tell_kept(t: Telling, column: _Column, rows: list[Row]) -> None:
    """What is left without the outliers: how many values, and the figures that were asked for."""
    many = sum(r["outliers"] for r in rows)
    number = column.say("outliers", many)
    left = column.say("values_left", sum(r["kept_count"] or 0 for r in rows))
    rule = _rule(t, column, rows[0])
    for end in ("low", "high"):
        column.fact(end, rows[0][end], column.unit)
    noun = "outlier" if many == 1 else "outliers"
    if t.request.options(Outliers).told == "left":
        t.lead(f"{left} values of {column.said} are left without {number} {noun} {rule}")
        return
    said: list[str] = []
    for row in rows:
        parts = [_kept(t, column, row, m) for m in t.request.metrics]
        said.append(f"{column.named(row)}: {', '.join(parts)}" if t.request.dimensions else listed(parts))
    figures = "; ".join(said[:GROUPS_TOLD])
    if many:
        t.lead(f"without {number} {noun} in {column.said}, {figures}")
    else:
        t.lead(f"there are no outliers in {column.said}: {figures}")
    t.more(f"outliers are told {rule}; {left} values are left")
    if t.request.dimensions:
        names = [_KEPT[t.model.metric(m).aggregation or Aggregation.MEAN] for m in t.request.metrics]
        column.table(slug(column.label), rows, ("count", "outliers", *(f"kept_{n}" for n in names)))


def _kept(t: Telling, column: _Column, row: Row, reference: str) -> str:
    """One figure without the outliers; of all rows together, the mean with them beside it."""
    how = t.model.metric(reference).aggregation or Aggregation.MEAN
    name = _KEPT[how]
    called = "standard deviation" if name == "stddev" else name
    called = f"{called} {column.label}" if name == "mean" else called
    unit = column.unit if name not in ("skewness", "kurtosis") else None
    group = column.group(row)
    after = t.say(column.fact(f"{name}_without_outliers", row[f"kept_{name}"], unit, group or None, of=how))
    if group:
        return f"{called} {after}"
    if name != "mean" or not row["outliers"]:
        return f"the {called} is {after}"
    before = column.fact("mean_with_outliers", row["mean"], unit, of=how)
    return f"the {called} is {after} ({t.say(before)} with them)"


# Normality and skew ---------------------------------------------------------------------------------------------------


def tell_shape(t: Telling) -> None:
    """Whether a column is normal, or how it is skewed: the verdict, the test and the coefficients."""
    output = t.result.calculated.get(SHAPE)
    if output is None:
        t.fail("the shape of the distribution could not be computed")
        return
    rows, column = t.records(SHAPE), _Column(t, SHAPE)
    normality = isinstance(t.request.study, Shape) and t.request.study.of == "normality"
    if t.request.dimensions:
        _tell_shapes(t, column, rows, normality)
    elif normality:
        _tell_normality(t, column, rows[0])
    else:
        _tell_skew(t, column, rows[0])
    if normality and any(r["count"] > MANY and r["normal"] is False for r in rows):
        t.note("With so many values, deviations too small to matter are significant")
    column.tell_missing(output["missing"])


def _tested(t: Telling, column: _Column, row: Row, group: Row | None = None) -> str:
    """The test with its statistic and p-value."""
    name, symbol = _TESTS[row["test"]]
    statistic = column.say("test_statistic", row["statistic"], None, group)
    return f"{name} {symbol} = {statistic}, {t.chance(column.fact('p_value', row['p_value'], None, group))}"


def _moments(column: _Column, row: Row, group: Row | None = None) -> dict[str, str]:
    units = {"mean": column.unit, "median": column.unit, "stddev": column.unit}
    names = ("skewness", "kurtosis", "mean", "median", "stddev")
    return {n: column.say(n, row[n], units.get(n), group) for n in names}


def _tell_normality(t: Telling, column: _Column, row: Row) -> None:
    tested = _tested(t, column, row)
    said, skew = _moments(column, row), row["skewness"]
    tested += f"; skewness {said['skewness']}" if skew is not None else ""
    tested = f"({tested}; {column.say('values', row['count'])} values)"
    if row["normal"]:
        well = "may well be normally distributed, nothing speaks against it"
        t.lead(f"yes: {column.said} {well} {tested}")
        return
    t.lead(
        f"no: {column.said} {'are' if is_plural(column.label) else 'is'} not normally distributed {tested}"
    )
    if skew is not None:
        t.more(f"it is {_skewed(skew)}")


def _skewed(skew: float) -> str:
    """A coefficient in words."""
    if abs(skew) < FAIRLY:
        return "fairly symmetric"
    strength = "strongly" if abs(skew) >= STRONGLY else "moderately"
    return f"{strength} skewed to the {'right (positively)' if skew > 0 else 'left (negatively)'}"


def _tell_skew(t: Telling, column: _Column, row: Row) -> None:
    said, skew = _moments(column, row), row["skewness"]
    if skew is None:
        t.lead(f"the values of {column.said} do not vary, so they have no skew")
        return
    verdict = _skewed(skew)
    if abs(skew) < FAIRLY:
        verdict += f", its skew slightly {'positive' if skew > 0 else 'negative'}"
    t.lead(f"the distribution of {column.said} is {verdict}: skewness {said['skewness']}")
    excess = f"; the excess kurtosis is {said['kurtosis']}" if row["kurtosis"] is not None else ""
    t.more(f"the mean {column.label} is {said['mean']}, the median {said['median']}{excess}")


def _tell_shapes(t: Telling, column: _Column, rows: list[Row], normality: bool) -> None:
    """One verdict for each group."""
    told: list[str] = []
    for row in rows:
        group = column.group(row)
        said, words = _moments(column, row, group), "too few values"
        if normality and row["p_value"] is not None:
            verdict = "nothing speaks against it" if row["normal"] else "not normal"
            words = f"{verdict}, {_tested(t, column, row, group)}"
        elif not normality and row["skewness"] is not None:
            words = f"{_skewed(row['skewness'])}, {said['skewness']}"
        told.append(f"{column.named(row)}: {words}")
    what = "normality" if normality else "skewness"
    t.lead(f"{what} of {column.said}: {'; '.join(told[:GROUPS_TOLD])}")
    heads = ("count", "mean", "median", "stddev", "skewness", "kurtosis")
    tests = ("test", "statistic", "p_value") if normality else ()
    column.table(slug(column.label), rows, (*heads, *tests))


# Where values lie -----------------------------------------------------------------------------------------------------


def tell_distribution(t: Telling) -> None:
    """Where the values lie; each value with its count where there are few."""
    output = t.result.calculated.get("spread")
    if output is None:
        if "main" in t.result.retrieved:
            tell_breakdown(t)
        else:
            t.fail("the distribution could not be computed")
        return
    label, unit = _described(t)
    name = slug(label)
    own: dict[str, Any] = {"role": "spread", "metric": ""}
    said = {
        which: t.say(t.fact(f"{name}.{which}", output[k], unit, **own)) for which, k in _QUANTILES.items()
    }
    t.fact(f"{name}.mean", output["mean"], unit, role="spread")
    t.fact(f"{name}.count", output["count"], None, role="spread")
    quartiles = f"the lower quartile {said['lower_quartile']} and the upper quartile {said['upper_quartile']}"
    median = f"the median {label}{t.where()}{t.when()} is {said['median']}"
    t.lead(f"{median}, {quartiles}{_ends(output, said)}")
    few, bins = t.rows("spread", "values")[1], t.rows("spread")[1]
    if few and len(few) <= FEW_VALUES and (2 * len(few) <= output["count"] or not bins):
        value, times = max(few, key=lambda r: r[1])
        common = t.say(t.fact(f"{name}.mode", value, unit, **own))
        often = t.say(t.fact(f"{name}.mode_count", times, "rows", **own))
        share = t.say(t.fact(f"{name}.mode_share", 100 * times / output["count"], PERCENT, **own))
        t.more(f"{common} is the value of {often}, a share of {share}")
        t.plain_table(name, (label, "rows"), few)
        bars = [(group_name(v), n) for v, n in few]
        t.draw(bar_chart(t.told.lead, bars, label, Axis("number of rows")))
    else:
        t.plain_table(name, (f"{label} from", "to", "rows"), bins)
        t.draw(histogram_chart(t.told.lead, bins, Axis(label, unit)))
    if output.get("missing"):
        t.fact(f"{name}.rows_without_value", output["missing"], None, role="spread")
        t.note(f"{counted(output['missing'], 'row')} without a value of {label} are left out")


def _ends(output: dict[str, Any], said: dict[str, str]) -> str:
    """The minimum and the maximum, as far as they are not the quartiles that are told already."""
    parts = [f"the minimum is {said['minimum']}"] if output["minimum"] != output["p25"] else []
    if output["maximum"] != output["p75"]:
        parts.append(f"the maximum {'' if parts else 'is '}{said['maximum']}")
    return f"; {listed(parts)}" if parts else ""


def _described(t: Telling) -> tuple[str, str | None]:
    """What the distribution is of, and its unit."""
    metrics = [t.model.metric(m) for m in t.request.metrics]
    if "main" in t.plan.retrievals and metrics:
        inner = t.model.metric(metrics[0].inner) if metrics[0].inner else metrics[0]
        by = listed([t.label(d) for d in t.request.dimensions])
        per = metrics[0].per or (str(t.plan.grain) if t.plan.grain else by)
        known = any(d.name == per for d in t.model.dimensions)
        return f"{inner.label} per {t.label(per) if known else per}", inner.unit
    column = measured_column(t.model, t.request)
    if column is None:
        return metrics[0].label, metrics[0].unit
    dimension = t.model.dimension(".".join(column))
    return dimension.label, dimension.unit or next((m.unit for m in metrics if m.unit), None)
