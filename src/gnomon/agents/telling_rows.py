"""Templates for questions about rows: distributions, correlations, what the data holds."""

from __future__ import annotations

from typing import Any

from gnomon.agents.figures import PERCENT, counted, group_name, listed, moment, number, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.telling_tables import tell_breakdown, tell_nothing
from gnomon.agents.telling_trend import is_partial
from gnomon.agents.telling_words import cased
from gnomon.agents.workflow_kinds import PERIOD
from gnomon.agents.workflow_post import frame_rows, table_of
from gnomon.agents.workflow_rows import measured_column
from gnomon.core.answer import ResultTable
from gnomon.core.studies import Aspect, Inspection
from gnomon.semantic.model import DimensionType, SemanticModel, plural
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart, histogram_chart, scatter_chart

FEW_VALUES = 30
_STRENGTHS = ((0.7, "strong"), (0.4, "moderate"), (0.1, "weak"))
_CHANCE = 0.05
_QUANTILES = {
    "median": "median",
    "lower_quartile": "p25",
    "upper_quartile": "p75",
    "minimum": "minimum",
    "maximum": "maximum",
}


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
    names, few = frame_rows(output.get("values"))
    where = f"{t.where()}{t.when()}"
    facts = {
        name: t.fact(f"{slug(label)}.{name}", output[k], unit, role="spread", metric="")
        for name, k in _QUANTILES.items()
    }
    t.fact(f"{slug(label)}.mean", output["mean"], unit, role="spread")
    t.fact(f"{slug(label)}.count", output["count"], None, role="spread")
    said = {k: t.say(f) for k, f in facts.items()}
    ends = _ends(output, said)
    t.told.lead = sentence(
        f"the median {label}{where} is {said['median']}, the lower quartile {said['lower_quartile']} and the upper "
        f"quartile {said['upper_quartile']}{ends}"
    )
    bins_names, bins = frame_rows(output.get("rows"))
    if few and len(few) <= FEW_VALUES and (2 * len(few) <= output["count"] or not bins):
        _tell_common(t, label, unit, few, output["count"])
        t.told.tables.append(ResultTable(name=slug(label), columns=(label, "rows"), rows=few))
        t.told.charts.append(
            bar_chart(t.told.lead, [(group_name(v), n) for v, n in few], label, Axis("number of rows"))
        )
    else:
        heads = (f"{label} from", "to", "rows")
        t.told.tables.append(ResultTable(name=slug(label), columns=heads, rows=bins))
        t.told.charts.append(histogram_chart(t.told.lead, bins, Axis(label, unit)))
    if output.get("missing"):
        t.fact(f"{slug(label)}.rows_without_value", output["missing"], None, role="spread")
        t.told.caveats.append(f"{counted(output['missing'], 'row')} without a value of {label} are left out")
    assert names or not few
    assert bins_names or not bins


def _ends(output: dict[str, Any], said: dict[str, str]) -> str:
    """The minimum and the maximum, as far as they are not the quartiles that are told already."""
    parts: list[str] = []
    if output["minimum"] != output["p25"]:
        parts.append(f"the minimum is {said['minimum']}")
    if output["maximum"] != output["p75"]:
        parts.append(f"the maximum {'is ' if not parts else ''}{said['maximum']}")
    return f"; {listed(parts)}" if parts else ""


def _tell_common(t: Telling, label: str, unit: str | None, few: tuple[Any, ...], count: int) -> None:
    """The value that occurs most, in a sentence of its own."""
    value, times = max(few, key=lambda r: r[1])
    own: dict[str, Any] = {"role": "spread", "metric": ""}
    common = t.fact(f"{slug(label)}.mode", value, unit, **own)
    often = t.fact(f"{slug(label)}.mode_count", times, "rows", **own)
    share = t.fact(f"{slug(label)}.mode_share", 100 * times / count, PERCENT, **own)
    t.told.more.append(sentence(f"{t.say(common)} is the value of {t.say(often)}, a share of {t.say(share)}"))


def _described(t: Telling) -> tuple[str, str | None]:
    """What the distribution is of, and its unit."""
    step = t.plan.retrievals.get("main")
    if step is not None and t.request.metrics:
        metric = t.metric()
        inner = t.model.metric(metric.inner) if metric.inner else metric
        by = [t.model.dimension(d).label for d in t.request.dimensions]
        per = metric.per or (str(t.plan.grain) if t.plan.grain else listed(by))
        return (
            f"{inner.label} per {t.model.dimension(per).label if _is_dimension(t, per) else per}",
            inner.unit,
        )
    column = measured_column(t.model, t.request)
    if column is not None:
        dimension = t.model.dimension(".".join(column))
        unit = dimension.unit
        named = [t.model.metric(m) for m in t.request.metrics]
        unit = unit or next((m.unit for m in named if m.unit), None)
        return dimension.label, unit
    return t.metric().label, t.metric().unit


def _is_dimension(t: Telling, name: str) -> bool:
    return any(d.name == name for d in t.model.dimensions)


def tell_correlation(t: Telling) -> None:
    """How strongly two measures go together, with how many pairs and how sure."""
    output = t.result.calculated.get("correlation")
    names = _pair(t)
    if output is None:
        t.fail(f"the correlation of {listed(names)} could not be computed")
        return
    value = output["r"]
    over = _units(t)
    r = t.fact("correlation", value, None, role="correlation", metric="")
    n = t.fact("pairs.count", output["n"], over, role="correlation", metric="")
    strength = next((word for least, word in _STRENGTHS if abs(value) >= least), "practically no")
    sign = "" if strength.startswith("practically") else " positive" if value > 0 else " negative"
    article = "is" if strength.startswith("practically") else "is a"
    t.told.lead = sentence(
        f"there {article} {strength}{sign} correlation between {names[0]} and {names[1]}{t.where()}{t.when()}: "
        f"r = {number(round(value, 3))} across {t.say(n)}"
    )
    if output["p_value"] > _CHANCE:
        t.told.caveats.append("A coefficient of this size can come about by chance")
    t.told.caveats.append("A correlation says what moves together, not what causes what")
    assert r.value == value
    _scatter(t, names, output)


def _pair(t: Telling) -> tuple[str, str]:
    over_rows = "main" not in t.result.retrieved
    labels = [column_label(t.model, m) if over_rows else t.model.metric(m).label for m in t.request.metrics]
    labels += [t.model.dimension(d).label for d in t.request.dimensions]
    return (labels[0], labels[1]) if len(labels) > 1 else (labels[0], "itself")


def column_label(model: SemanticModel, reference: str) -> str:
    """What a metric is computed from, where that is a column; its own label otherwise."""
    metric = model.metric(reference)
    column = (metric.expression or "").strip("`")
    for d in model.dimensions:
        if metric.table is not None and d.at(metric.table) == column:
            return d.label
    return metric.label


def _units(t: Telling) -> str:
    if "main" not in t.result.retrieved:
        return "rows"
    if t.plan.grain is not None:
        return plural(str(t.plan.grain))
    return plural(listed([t.model.dimension(d).label for d in t.request.dimensions]))


def _scatter(t: Telling, names: tuple[str, str], output: dict[str, Any]) -> None:
    main = t.result.retrieved.get("main")
    units = [t.model.metric(m).unit for m in t.request.metrics]
    units += [t.model.dimension(d).unit for d in t.request.dimensions]
    axes = [Axis(name, unit) for name, unit in zip(names, units, strict=False)]
    if main is None and len(axes) > 1:
        _, pairs = frame_rows(output.get("shown"))
        notes = [f"A sample of {len(pairs):,} of {output['n']:,} rows is drawn, the same each time"] if len(pairs) < output["n"] else []  # fmt: skip
        if pairs:
            t.told.charts.append(scatter_chart(t.told.lead, pairs, axes[0], axes[1], line=output["line"], notes=notes))  # fmt: skip
    if main is None or not main.rows:
        return
    x, y = (main.columns.index(m) for m in t.request.metrics[:2])
    known = [r for r in main.rows if r[x] is not None and r[y] is not None]
    points: list[tuple[Any, ...]] = [(r[x], r[y]) for r in known]
    grain = t.plan.grain
    if grain is not None and PERIOD in main.columns:
        at = main.columns.index(PERIOD)
        cut = [r[at] is not None and is_partial(t, r[at], grain) for r in known]
        if any(cut):
            kinds = (f"whole {grain}", f"{grain} that is not whole")
            points = [(*p, kinds[c]) for p, c in zip(points, cut, strict=True)]
    t.told.charts.append(scatter_chart(t.told.lead, points, *axes))


def tell_listed_rows(t: Telling) -> None:
    """Rows as they are, with how many there are in all and in which order they come."""
    main, whole, listing = t.main, t.result.retrieved.get("whole"), t.request.listing
    if not main.rows or listing is None:
        tell_nothing(t)
        return
    noun = t.model.table(listing.table).label
    total = whole.rows[0][0] if whole is not None and whole.rows else len(main.rows)
    t.told.tables.append(table_of(t.result, slug(plural(noun)), main.columns, main.rows))
    count = t.fact(f"{slug(plural(noun))}.count", total, None, role="whole", metric="")
    order = t.model.dimension(listing.order)
    about = f"{t.where()}{t.when()}"
    things = plural(noun) if total != 1 else noun
    if len(main.rows) >= total:
        t.told.lead = sentence(f"here {'are' if total != 1 else 'is'} {t.say(count)} {things}{about}")
        return
    shown = t.fact(f"{slug(plural(noun))}.shown", len(main.rows), None, metric="")
    end = "latest" if t.request.descending else "earliest"
    by = "in the order of" if order.type is not DimensionType.TIME else f"the {end} by"
    some = f"{t.say(shown)} of them {'is' if len(main.rows) == 1 else 'are'} shown"
    t.told.lead = sentence(f"there are {t.say(count)} {things}{about}; {some}, {by} {order.label}")
    if len(main.rows) < (t.request.limit or total):
        t.told.caveats.append("Rows that are alike in all of these columns are shown once")


def tell_profile(t: Telling) -> None:
    """What the data holds: tables, rows, columns, days."""
    rows: list[tuple[Any, ...]] = []
    asked, about = t.request.options(Inspection).table, t.request.options(Inspection).about
    for table in t.model.tables:
        if asked not in (None, table.name):
            continue
        own = [d for d in t.model.dimensions if d.at(table.name) is not None]
        time = t.model.dimension(table.time_dimension) if table.time_dimension else None
        days = time.coverage if time is not None and time.coverage is not None else (None, None)
        rows.append((table.name, _row_count(t, table.name), len(own), *days))
    columns = ("table", "rows", "columns", "from", "to")
    t.told.lead = sentence(_profile_lead(t, rows, about))
    if asked is not None and len(rows) == 1:
        own = [d for d in t.model.dimensions if d.at(asked) is not None]
        listing = tuple((d.at(asked), str(d.type), d.label) for d in own)
        t.told.tables.append(ResultTable(name="columns", columns=("column", "type", "meaning"), rows=listing))
    t.told.tables.append(ResultTable(name="tables", columns=columns, rows=tuple(rows)))


def _row_count(t: Telling, table: str) -> int | None:
    reference = f"count({table})"
    for given in t.result.retrieved.values():
        if given.columns == (reference,) and given.rows:
            return given.rows[0][0]
    return t.model.table(table).rows


def _profile_lead(t: Telling, rows: list[tuple[Any, ...]], about: Aspect | None) -> str:
    total = sum(r[1] or 0 for r in rows)
    width = sum(r[2] for r in rows)
    order = 0 if about == "rows" else 2
    made = [("rows", total), ("columns", width), ("tables", len(rows))]
    facts = {
        name: t.fact(name, value) for name, value in [made[order], *(m for m in made if m is not made[order])]
    }
    days = [d for r in rows for d in r[3:] if d is not None]
    span = ""
    if days:
        first, last = t.fact("first_day", min(days)), t.fact("last_day", max(days))
        span = f", from {moment(min(days))} to {moment(max(days))}"
        assert first.value is not None and last.value is not None
        if about == "period":
            t.told.facts[:] = [first, last, *(f for f in t.told.facts if f not in (first, last))]
            return f"the data covers {moment(min(days))} to {moment(max(days))}"
    if about == "period":
        return "this data has no dates, so it covers no period"
    what = f"{t.say(facts['rows'])} rows and {t.say(facts['columns'])} columns"
    if len(rows) == 1:
        return f"{cased(rows[0][0])} has {what}{span}"
    names = [r[0] for r in rows]
    more = f"{listed(names[:8])}{' and others' if len(names) > 8 else ''}"
    return f"the data has {t.say(facts['tables'])} tables ({more}) with {what} in all{span}"
