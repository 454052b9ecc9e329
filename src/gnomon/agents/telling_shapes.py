"""Templates for the shape of a column: outliers by a rule, normality by a test, skew; the verdict first."""

from __future__ import annotations

from typing import Any

from gnomon.agents.figures import PERCENT, counted, labelled, listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_words import is_plural
from gnomon.agents.workflow_post import frame_rows
from gnomon.agents.workflow_shapes import OUTLIERS, SHAPE
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.studies import Finding, Outliers, Shape
from gnomon.semantic.model import Aggregation
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import histogram_chart

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
_SAID = {
    "mean": "mean", "median": "median", "stddev": "standard deviation", "minimum": "minimum", "maximum": "maximum",
    "total": "total", "skewness": "skewness", "kurtosis": "kurtosis",
}  # fmt: skip
_RULES = {True: "z-score rule", False: "quartile rule"}
_STEPS = {True: "standard deviations", False: "interquartile ranges"}
_CENTRES = {True: "mean", False: "quartiles"}
Row = dict[str, Any]


class _Column:
    """The column that is told of: its label, its unit, its facts."""

    def __init__(self, t: Telling, role: str) -> None:
        self.t, self.role = t, role
        metric = t.metric()
        column = (metric.expression or "").strip("`")
        held = next((d for d in t.model.dimensions if metric.table and d.at(metric.table) == column), None)
        self.label = held.label if held is not None else metric.label
        self.unit = metric.unit if metric.unit is not None or held is None else held.unit
        self.personal = held is not None and held.personal
        # Facts are about the values of the column, not about their average.
        self.at = f"{metric.table}.{column}" if held is not None else None
        self.where = f"{t.where()}{t.when()}"

    def fact(
        self,
        name: str,
        value: Any,
        unit: str | None = None,
        group: Row | None = None,
        of: Aggregation = Aggregation.COUNT,
    ) -> Fact:
        """A fact about the column, or about one group of its values."""
        named = f"{slug(self.label)}.{name}"
        about = f"{of}({self.at})" if self.at is not None else self.t.request.metrics[0]
        return self.t.fact(named, value, unit, role=self.role, metric=about, group=group)

    def group(self, row: Row) -> Row:
        """The group that a row of the result is about."""
        return {d: self._name(d, row[d]) for d in self.t.request.dimensions}

    def _name(self, dimension: str, value: Any) -> str:
        return labelled(value, self.t.model.dimension(dimension).label)

    def named(self, row: Row) -> str:
        """The group in words."""
        return " · ".join(self.group(row).values())


def _results(t: Telling, role: str, what: str) -> tuple[dict[str, Any], list[Row]] | None:
    output = t.result.calculated.get(role)
    if output is None:
        t.fail(f"{what} could not be computed")
        return None
    names, rows = frame_rows(output["rows"])
    return output, [dict(zip(names, row, strict=True)) for row in rows]


def tell_outliers(t: Telling) -> None:
    """How many values lie far from the rest, by which rule, between which bounds; or what is left without them."""
    found = _results(t, OUTLIERS, "the outliers")
    if found is None:
        return
    output, rows = found
    column = _Column(t, OUTLIERS)
    told = t.request.options(Outliers).told
    if told in ("without", "left"):
        _tell_kept(t, column, rows)
    elif told is not None:
        _tell_counted(t, column, rows, told)
    elif t.request.dimensions:
        _tell_outliers_by_group(t, column, rows)
    else:
        _tell_outliers(t, column, rows[0], output)
    _tell_missing(t, column, output["missing"])


def _is_zscore(t: Telling) -> bool:
    return t.request.options(Outliers).rule == "zscore"


def _rule(t: Telling, column: _Column, row: Row) -> str:
    """The rule in words, with its factor."""
    zscore = _is_zscore(t)
    factor = t.say(column.fact("threshold", row["threshold"], _STEPS[zscore]))
    return f"by the {_RULES[zscore]} (beyond {factor} from the {_CENTRES[zscore]})"


def _tell_outliers(t: Telling, column: _Column, row: Row, output: dict[str, Any]) -> None:
    count = column.fact("outliers", row["outliers"])
    checked = column.fact("values", row["count"])
    low, high = (column.fact(end, row[end], column.unit) for end in ("low", "high"))
    rule = _rule(t, column, row)
    bounds = sentence(f"the lower bound is {t.say(low)} and the upper bound {t.say(high)}")
    if row["outliers"] == 0:
        t.told.lead = sentence(
            f"no: there are no outliers in {column.label}{column.where} {rule} among {t.say(checked)} values"
        )
        t.told.more.append(bounds)
    else:
        share = column.fact("outlier_share", 100 * row["outliers"] / row["count"], PERCENT)
        verb, noun = ("is", "outlier") if row["outliers"] == 1 else ("are", "outliers")
        t.told.lead = sentence(
            f"there {verb} {t.say(count)} {noun} in {column.label}{column.where} {rule}, {t.say(share)} of {t.say(checked)} values"
        )
        t.told.more.append(bounds)
        for side in ("below", "above"):
            column.fact(f"outliers_{side}", row[side])
        _extremes(t, column, output)
    _, bins = frame_rows(output["bins"])
    axis = Axis(column.label, column.unit)
    t.told.charts.append(histogram_chart(t.told.lead, bins, axis, bounds=[row["low"], row["high"]]))
    left = column.fact("values_left", row["kept_count"])
    if t.request.options(Outliers).removed:
        t.told.more.append(sentence(f"without them {t.say(left)} values are left"))
    if row["lower_quartile"] == row["upper_quartile"] and not _is_zscore(t):
        t.told.caveats.append(
            "At least half of the values are the same, so every other value lies outside the bounds"
        )
    _spread_facts(t, column, row)
    _other_rule(t, column, row)


def _spread_facts(t: Telling, column: _Column, row: Row, group: Row | None = None) -> None:
    """What the bounds were made from."""
    zscore = _is_zscore(t)
    names = ("mean", "deviation") if zscore else ("lower_quartile", "upper_quartile")
    of = {"mean": Aggregation.MEAN, "deviation": Aggregation.STDDEV}
    for name in names:
        column.fact(name, row[name], column.unit, group, of=of.get(name, Aggregation.COUNT))


def _other_rule(t: Telling, column: _Column, row: Row) -> None:
    """How many the other rule would find, and how many with the standard deviation of a sample."""
    zscore = _is_zscore(t)
    other = column.fact(f"outliers_by_{'quartiles' if zscore else 'z_score'}", row["other_outliers"])
    factor = column.fact("other_threshold", row["other_threshold"], _STEPS[not zscore])
    if not t.request.options(Outliers).named:
        rule, far = _RULES[not zscore], f"from the {_CENTRES[not zscore]}"
        verb = "is" if row["other_outliers"] == 1 else "are"
        t.told.more.append(
            sentence(f"by the {rule} (beyond {t.say(factor)} {far}) there {verb} {t.say(other)}")
        )
    if zscore and row["by_sample"] != row["outliers"]:
        sample = column.fact("outliers_by_sample_deviation", row["by_sample"])
        t.told.caveats.append(
            f"The standard deviation is that of all values; with that of a sample there would be {t.say(sample)}"
        )


def _extremes(t: Telling, column: _Column, output: dict[str, Any]) -> None:
    """The values that lie farthest out, with the rows that hold them."""
    names, rows = frame_rows(output["extremes"])
    if column.personal or not rows:
        return
    metric = t.metric()
    here = all(t.model.dimension(d).at(metric.table or "") is not None for d in t.request.dimensions)
    placed = here and not (t.request.filters or t.request.time_range or t.request.recurring)
    kept = [i for i, n in enumerate(names) if n != "row" or placed]
    heads = {"value": column.label, "score": "standard deviations from the mean"}
    labels = {d.name: d.label for d in t.model.dimensions}
    columns = tuple(heads.get(names[i]) or labels.get(names[i], names[i]) for i in kept)
    t.told.tables.append(
        ResultTable(name="outliers", columns=columns, rows=tuple(tuple(r[i] for i in kept) for r in rows))
    )


def _tell_outliers_by_group(t: Telling, column: _Column, rows: list[Row]) -> None:
    """The number of outliers of each group, within its own values."""
    by = listed([t.model.dimension(d).label for d in t.request.dimensions])
    said: list[str] = []
    total = column.fact("outliers", sum(r["outliers"] for r in rows))
    rule = _rule(t, column, rows[0])
    for row in rows:
        group = column.group(row)
        fact = column.fact("outliers", row["outliers"], None, group)
        column.fact("values", row["count"], None, group)
        _spread_facts(t, column, row, group)
        said.append(f"{t.say(fact)} for {column.named(row)}")
    t.told.lead = sentence(f"outliers in {column.label}{column.where}: {listed(said[:GROUPS_TOLD])}")
    t.told.more.append(sentence(f"in total there are {t.say(total)}, {rule}"))
    t.told.caveats.append(f"Each {by} is judged by its own values")
    heads = ("count", "outliers", "low", "high", "mean", "deviation")
    _table(t, "outliers", rows, heads)


def _tell_counted(t: Telling, column: _Column, rows: list[Row], told: Finding) -> None:
    """How many values lie within so many standard deviations of the mean, or on a side of it."""
    factor = t.say(column.fact("threshold", rows[0]["threshold"], _STEPS[True]))
    where = {
        "within": f"lie within {factor} of the mean",
        "beyond": f"lie beyond {factor} from the mean",
        "above": f"lie past the mean plus {factor}",
        "below": f"lie short of the mean minus {factor}",
    }[told]
    said: list[str] = []
    for row in rows:
        within = row["count"] - row["outliers"]
        many = (row | {"within": within, "beyond": row["outliers"]})[told]
        group = column.group(row) or None
        number = column.fact(f"values_{told}", many, None, group)
        checked = column.fact("values", row["count"], None, group)
        share = column.fact("share", 100 * many / row["count"], PERCENT, group)
        _spread_facts(t, column, row, group)
        whose = f" for {column.named(row)}" if group else ""
        of = f" of {t.say(checked)} values of {column.label}" if not group else ""
        said.append(f"{t.say(number)}{of}{whose} ({t.say(share)})")
    if not t.request.dimensions:
        t.told.lead = sentence(f"{said[0]}{column.where} {where}")
        return
    t.told.lead = sentence(
        f"values of {column.label}{column.where} that {where}: {listed(said[:GROUPS_TOLD])}"
    )


def _table(t: Telling, name: str, rows: list[Row], heads: tuple[str, ...]) -> None:
    labels = [t.model.dimension(d).label for d in t.request.dimensions]
    shown = tuple(tuple(r[h] for h in (*t.request.dimensions, *heads)) for r in rows)
    columns = (*labels, *(h.replace("_", " ") for h in heads))
    t.told.tables.append(ResultTable(name=name, columns=columns, rows=shown))


def _tell_kept(t: Telling, column: _Column, rows: list[Row]) -> None:
    """What is left without the outliers: how many values, and the figures that were asked for."""
    number = column.fact("outliers", sum(r["outliers"] for r in rows))
    left = column.fact("values_left", sum(r["kept_count"] or 0 for r in rows))
    rule = _rule(t, column, rows[0])
    for end in ("low", "high"):
        column.fact(end, rows[0][end], column.unit)
    noun = "outlier" if number.value == 1 else "outliers"
    many = t.say(number) if number.value else "no"
    if t.request.options(Outliers).told == "left":
        t.told.lead = sentence(
            f"{t.say(left)} values of {column.label}{column.where} are left without {t.say(number)} {noun} {rule}"
        )
        return
    said: list[str] = []
    for row in rows:
        parts = [_kept(t, column, row, m) for m in t.request.metrics]
        said.append(f"{column.named(row)}: {', '.join(parts)}" if t.request.dimensions else listed(parts))
    begins = f"without {many} {noun}" if number.value else "there are no outliers"
    t.told.lead = sentence(
        f"{begins} in {column.label}{column.where}{',' if number.value else ':'} {'; '.join(said[:GROUPS_TOLD])}"
    )
    t.told.more.append(sentence(f"outliers are told {rule}; {t.say(left)} values are left"))
    if t.request.dimensions:
        names = [_KEPT[t.model.metric(m).aggregation or Aggregation.MEAN] for m in t.request.metrics]
        _table(t, slug(column.label), rows, ("count", "outliers", *(f"kept_{n}" for n in names)))


def _kept(t: Telling, column: _Column, row: Row, reference: str) -> str:
    """One figure without the outliers; of all rows together, the mean with them beside it."""
    how = t.model.metric(reference).aggregation or Aggregation.MEAN
    name = _KEPT[how]
    unit = column.unit if name not in ("skewness", "kurtosis") else None
    group = column.group(row)
    after = column.fact(f"{name}_without_outliers", row[f"kept_{name}"], unit, group or None, of=how)
    if group:
        return (
            f"{_SAID[name]} {column.label} {t.say(after)}"
            if name == "mean"
            else f"{_SAID[name]} {t.say(after)}"
        )
    if name != "mean":
        return f"the {_SAID[name]} is {t.say(after)}"
    if not row["outliers"]:
        return f"the mean {column.label} is {t.say(after)}"
    before = column.fact("mean_with_outliers", row["mean"], unit, of=how)
    return f"the mean {column.label} is {t.say(after)} ({t.say(before)} with them)"


def _is_of_normality(t: Telling) -> bool:
    return isinstance(t.request.study, Shape) and t.request.study.of == "normality"


def tell_shape(t: Telling) -> None:
    """Whether a column is normal, or how it is skewed: the verdict, the test and the coefficients."""
    found = _results(t, SHAPE, "the shape of the distribution")
    if found is None:
        return
    output, rows = found
    column = _Column(t, SHAPE)
    tell = _tell_normality if _is_of_normality(t) else _tell_skew
    if t.request.dimensions:
        _tell_shapes(t, column, rows)
    else:
        tell(t, column, rows[0])
    if any(r["count"] > MANY and r["normal"] is False for r in rows) and tell is _tell_normality:
        t.told.caveats.append("With so many values, deviations too small to matter are significant")
    _tell_missing(t, column, output["missing"])


def _tested(t: Telling, column: _Column, row: Row, group: Row | None = None) -> str:
    """The test with its statistic and p-value."""
    name, symbol = _TESTS[row["test"]]
    statistic = column.fact("test_statistic", row["statistic"], None, group)
    p = column.fact("p_value", row["p_value"], None, group)
    return f"{name} {symbol} = {t.say(statistic)}, {t.chance(p)}"


def _moments(t: Telling, column: _Column, row: Row, group: Row | None = None) -> dict[str, Fact]:
    units = {"mean": column.unit, "median": column.unit, "stddev": column.unit}
    names = ("skewness", "kurtosis", "mean", "median", "stddev")
    return {n: column.fact(n, row[n], units.get(n), group) for n in names}


def _tell_normality(t: Telling, column: _Column, row: Row) -> None:
    tested = _tested(t, column, row)
    facts = _moments(t, column, row)
    skew = f"; skewness {t.say(facts['skewness'])}" if row["skewness"] is not None else ""
    checked = column.fact("values", row["count"])
    if row["normal"]:
        t.told.lead = sentence(
            f"yes: {column.label}{column.where} may well be normally distributed, nothing speaks against it ({tested}{skew}; {t.say(checked)} values)"
        )
    else:
        t.told.lead = sentence(
            f"no: {column.label}{column.where} {'are' if is_plural(column.label) else 'is'} not normally distributed ({tested}{skew}; {t.say(checked)} values)"
        )
    if row["skewness"] is not None and not row["normal"]:
        t.told.more.append(sentence(f"it is {_skewed(row['skewness'])}"))


def _skewed(skew: float) -> str:
    """A coefficient in words."""
    if abs(skew) < FAIRLY:
        return "fairly symmetric"
    strength = "strongly" if abs(skew) >= STRONGLY else "moderately"
    return (
        f"{strength} skewed to the right (positively)"
        if skew > 0
        else f"{strength} skewed to the left (negatively)"
    )


def _tell_skew(t: Telling, column: _Column, row: Row) -> None:
    facts = _moments(t, column, row)
    skew = row["skewness"]
    if skew is None:
        t.told.lead = sentence(
            f"the values of {column.label}{column.where} do not vary, so they have no skew"
        )
        return
    slight = "slightly positive" if skew > 0 else "slightly negative"
    verdict = _skewed(skew) if abs(skew) >= FAIRLY else f"fairly symmetric, its skew {slight}"
    t.told.lead = sentence(
        f"the distribution of {column.label}{column.where} is {verdict}: skewness {t.say(facts['skewness'])}"
    )
    t.told.more.append(
        sentence(f"the mean {column.label} is {t.say(facts['mean'])}, the median {t.say(facts['median'])}; the excess kurtosis is {t.say(facts['kurtosis'])}")
        if row["kurtosis"] is not None
        else sentence(f"the mean {column.label} is {t.say(facts['mean'])}, the median {t.say(facts['median'])}")
    )  # fmt: skip


def _tell_shapes(t: Telling, column: _Column, rows: list[Row]) -> None:
    """One verdict for each group."""
    normality = _is_of_normality(t)
    said: list[str] = []
    for row in rows:
        group = column.group(row)
        facts = _moments(t, column, row, group)
        if not normality:
            skew = row["skewness"]
            words = f"{_skewed(skew)}, {t.say(facts['skewness'])}" if skew is not None else "too few values"
        elif row["p_value"] is None:
            words = "too few values"
        else:
            verdict = "nothing speaks against it" if row["normal"] else "not normal"
            words = f"{verdict}, {_tested(t, column, row, group)}"
        said.append(f"{column.named(row)}: {words}")
    what = "normality" if normality else "skewness"
    t.told.lead = sentence(f"{what} of {column.label}{column.where}: {'; '.join(said[:GROUPS_TOLD])}")
    heads = ("count", "mean", "median", "stddev", "skewness", "kurtosis")
    _table(t, slug(column.label), rows, (*heads, "test", "statistic", "p_value") if normality else heads)


def _tell_missing(t: Telling, column: _Column, missing: int) -> None:
    if missing:
        column.fact("rows_without_value", missing)
        verb, left = ("has", "is") if missing == 1 else ("have", "are")
        t.told.caveats.append(
            f"{counted(missing, 'row')} {verb} no value for {column.label} and {left} left out"
        )
