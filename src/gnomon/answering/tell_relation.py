"""Columns that were related row by row: correlations, and one column predicted from others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from gnomon.answering.plan import PERIOD
from gnomon.answering.plan_studies import REGRESSION, RELATIONS
from gnomon.answering.tell_series import is_partial
from gnomon.answering.telling import Row, Telling
from gnomon.answering.words import are, column_of, counted, labelled, slug
from gnomon.core.answer import Fact
from gnomon.core.figures import group_name, listed, number, sentence
from gnomon.core.studies import Regression, Relation
from gnomon.semantic.model import plural
from gnomon.tools.chart_frame import Axis
from gnomon.tools.chart_groups import bar_chart, heat_chart, scatter_chart

CHANCE = 0.05
_STRENGTHS = ((0.7, "strong"), (0.4, "moderate"), (0.1, "weak"))
_METHODS = {
    "pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall's tau", "cramers_v": "Cramér's V",
    "correlation_ratio": "correlation ratio",
}  # fmt: skip
_SIGNED = ("pearson", "spearman", "kendall")
_SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
_CLEARLY = 0.1
_MOST_TOLD = 5
_NO_CAUSE = "A correlation says what moves together, not what causes what"
_SCORES = {
    "rmse": "root mean squared error", "mse": "mean squared error", "mae": "mean absolute error", "r2": "R²",
    "accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "F1 score", "auc": "area under the ROC curve",
}  # fmt: skip
_USUAL = {"linear": ("r2", "rmse"), "logistic": ("accuracy",)}

Pair = dict[str, Any]


def _coefficient(value: float) -> str:
    return number(round(value, 3))


def _strength(value: float) -> str:
    return next((word for least, word in _STRENGTHS if abs(value) >= least), "practically no")


def _described(value: float, noun: str = "correlation", *, signed: bool = True) -> str:
    """A strength and a direction with the noun: a strong positive correlation."""
    strength = _strength(value)
    if strength.startswith("practically"):
        return f"{strength} {noun}"
    sign = (" positive" if value > 0 else " negative") if signed else ""
    return f"a {strength}{sign} {noun}"


def _sample(shown: int, used: int) -> list[str]:
    """That not all points are drawn."""
    return [f"A sample of {shown:,} of {used:,} rows is drawn, the same each time"] if shown < used else []


def axis_of(t: Telling, column: str) -> Axis:
    """A column as an axis."""
    return Axis(t.label(column), t.model.dimension(column).unit)


# Correlations of columns ----------------------------------------------------------------------------------------------


def tell_relations(t: Telling) -> None:
    """How columns hang together, over the rows where both of a pair are known."""
    output = t.result.calculated.get(RELATIONS)
    if output is None:
        t.fail(f"the correlation of {_columns(t, 4)} could not be computed")
        return
    pairs = t.records(RELATIONS)
    if t.request.dimensions:
        tell = _tell_ranked if t.request.options(Relation).ranked else _tell_groups
        tell(t, pairs)
        if len(t.request.columns) == 2 and len(pairs) > 1:
            by = t.request.dimensions[0]
            bars = [(p[by], round(p["coefficient"], 3)) for p in pairs]
            title = f"Correlation of {_columns(t)} by {t.label(by)}"
            t.draw(bar_chart(title, bars, axis_of(t, by), Axis("coefficient")))
    elif len(t.request.columns) == 2:
        _tell_pair(t, pairs[0], output)
    else:
        _tell_pairs(t, pairs)
        _draw_pairs(t, pairs)
    ordered, known = pairs[0]["method"] in _SIGNED, {d.name for d in t.model.dimensions}
    for column, (zero, one) in output["levels"].items() if ordered else ():
        t.note(f"The coefficient is for “{one}” against “{zero}” of {t.label(column)}")
    for what, why in list(output["left_out"].items())[:3]:
        said = listed([t.label(p) if p in known else p for p in what.split(" and ")])
        t.note(f"Left out: {said} ({why[0].lower()}{why[1:].rstrip('.')})")
    t.note(_NO_CAUSE)


def _columns(t: Telling, most: int | None = None) -> str:
    return listed([t.label(c) for c in t.request.columns[:most]])


def _facts(t: Telling, pair: Pair, name: str = "", group: dict[str, Any] | None = None) -> dict[str, Fact]:
    """What is known of a pair; ``name`` tells it from others."""
    main = "correlation" if pair["method"] in _SIGNED else "association"
    kept = {main: pair["coefficient"], "p_value": pair["p_value"]}
    if pair["rank"] is not None and pair["method"] != "spearman" and (not name or group):
        kept["rank_correlation"] = pair["rank"]
    own: dict[str, Any] = {"role": RELATIONS, "metric": "", "group": group}
    under = f"{main}.{name}" if group else name
    names = {k: (f"{main}.{name}" if k == main else f"{under}.{k}") if name else k for k in kept}
    made = {k: t.fact(names[k], v, None, **own) for k, v in kept.items()}
    made["n"] = t.fact(f"{under}.pairs" if name else "pairs.count", pair["n"], "rows", **own)
    return made


def _evidence(t: Telling, pair: Pair, facts: dict[str, Fact]) -> str:
    """r = 0.81 (Pearson) across 120 rows, p = 0.003."""
    symbol = _SYMBOLS.get(pair["method"])
    value = f"{symbol} = " if symbol else "the coefficient is "
    value += f"{_coefficient(pair['coefficient'])} ({_METHODS[pair['method']]})"
    return f"{value} across {t.say(facts['n'])}, {t.chance(facts['p_value'])}"


def _tell_pair(t: Telling, pair: Pair, output: dict[str, Any]) -> None:
    """How two columns hang together."""
    facts, study = _facts(t, pair), t.request.options(Relation)
    r, signed, sure = pair["coefficient"], pair["method"] in _SIGNED, pair["p_value"] < CHANCE
    none = _strength(r).startswith("practically")
    linear = "linear " if none and signed and pair["type"] == "nonlinear" else ""
    what = _described(r, f"{linear}{'correlation' if signed else 'association'}", signed=signed)
    there = "there is" if sure or none else "in these rows there is"
    between = f"between {t.label(pair['first'])} and {t.label(pair['second'])}"
    found = f"{there} {what} {between}{t.where()}{t.when()}"
    said = f"{found}: {_evidence(t, pair, facts)}"
    if t.request.claim.whether:
        related = sure and not none and (study.sign is None or (r > 0) == (study.sign == "positive"))
        said = f"{'yes' if related else 'no'}: {said}"
    if study.shaped:
        said = f"{pair['type'] if pair['type'] != 'none' else 'neither'}: {said}"
    t.lead(said)
    t.more(_significance(pair))
    t.more(_line(pair) if "rank_correlation" in facts else "")
    t.plain("relationship_type", pair["type"], role=RELATIONS)
    for end, name in (("low", "interval.from"), ("high", "interval.to")):
        if pair[end] is not None:
            t.plain(name, pair[end], role=RELATIONS)
    _draw_pair(t, sentence(found), output, pair)


def _significance(pair: Pair) -> str:
    if pair["p_value"] >= CHANCE:
        return "it is not statistically significant: a coefficient of this size can come about by chance"
    weak = ", but far too weak to matter" if _strength(pair["coefficient"]).startswith("practically") else ""
    return f"it is statistically significant{weak}"


def _line(pair: Pair) -> str:
    """Whether it is a line: the rank correlation beside, and what it tells where it is clearly stronger."""
    beside = f"by ranks (Spearman) the coefficient is {_coefficient(pair['rank'])}"
    if pair["type"] == "linear":
        return f"{beside}; the relationship is linear as far as it goes"
    if pair["type"] == "none":
        return f"{beside}, so there is no sign of a relationship of another shape either"
    if abs(pair["rank"]) - abs(pair["coefficient"]) >= _CLEARLY:
        return f"{beside}, clearly stronger: the relationship is monotonic but not linear"
    return f"{beside}; the relationship is nonlinear: the averages follow a curve rather than a line"


def _tell_pairs(t: Telling, pairs: list[Pair]) -> None:
    """The strongest pair, those that follow, and all of them in a table."""
    study = t.request.options(Relation)
    sign, weakest, target = study.sign, study.weakest, study.target
    order = sorted(pairs, key=lambda p: abs(p["coefficient"]) if weakest else -_rank(p, sign))
    if not weakest and _rank(order[0], sign) <= 0:
        t.lead(f"no two of the columns have a {sign} correlation")
        _table(t, order)
        return
    best, end = order[0], "weakest" if weakest else "strongest"
    facts = _facts(t, best, "weakest" if weakest else "largest")
    one, other = t.label(best["first"]), t.label(best["second"])
    t.plain("pair", f"{one} and {other}", role=RELATIONS)
    signed = f" {sign}" if sign is not None else ""
    of, pair = (f" of {one}", f"with {other}") if target is not None else ("", f"of {one} and {other}")
    that = f"{t.where()}{t.when()} is that {pair}: {_evidence(t, best, facts)}"
    t.lead(f"the {end}{signed} correlation{of}{that}")
    rest = [p for p in order[1:] if p["p_value"] < CHANCE and (weakest or _rank(p, sign) > 0)]
    both = [(t.label(p["first"]), t.label(p["second"]), p) for p in rest[: _MOST_TOLD - 1]]
    named = [(f"{a}_{b}", f"{a} and {b}", p) if target is None else (b, b, p) for a, b, p in both]
    t.more(_following(t, named) or "no other pair is significant")
    _table(t, order)
    t.note("The p-values are those of each pair alone, not corrected for the number of pairs")


def _rank(pair: Pair, sign: str | None) -> float:
    r = pair["coefficient"]
    return r if sign == "positive" else -r if sign == "negative" else abs(r)


def _following(t: Telling, pairs: list[tuple[str, str, Pair]]) -> str:
    """Those that come next: each by the name of its fact and in words."""
    for name, _, pair in pairs:
        t.plain(f"{slug(name)}.{pair['method']}", pair["coefficient"], role=RELATIONS)
    told = [f"{called} ({_coefficient(p['coefficient'])})" for _, called, p in pairs]
    return f"then come {listed(told)}" if told else ""


def _table(t: Telling, pairs: list[Pair]) -> None:
    by = t.request.dimensions
    heads = ("first", "second", "coefficient", "method", "p-value", "rank correlation", "rows")
    rows = [
        (
            *(p[d] for d in by), t.label(p["first"]), t.label(p["second"]), p["coefficient"],
            _METHODS[p["method"]], p["p_value"], p["rank"], p["n"],
        )
        for p in pairs
    ]  # fmt: skip
    t.plain_table("correlations", (*(t.label(d) for d in by), *heads), rows)


def _tell_ranked(t: Telling, pairs: list[Pair]) -> None:
    """The group in which two columns hang together most closely, and those that follow."""
    by, sign = t.request.dimensions[0], t.request.options(Relation).sign
    label = t.label(by)
    best, *others = sorted(pairs, key=lambda p: -_rank(p, sign))
    facts = _facts(t, best, "largest")
    t.plain(slug(label), group_name(best[by]), role=RELATIONS)
    found = f"{labelled(best[by], label)}: {_evidence(t, best, facts)}"
    t.lead(f"the strongest correlation of {_columns(t)}{t.where()}{t.when()} is that for {found}")
    if best["p_value"] >= CHANCE:
        t.more(_significance(best))
    next_ones = others[: _MOST_TOLD - 1]
    named = [(f"{label}_{group_name(p[by])}", labelled(p[by], label), p) for p in next_ones]
    if told := _following(t, named):
        t.more(told)
    _table(t, [best, *others])


def _tell_groups(t: Telling, pairs: list[Pair]) -> None:
    """One coefficient for each group, in the order of the groups."""
    by, several = t.request.dimensions[0], len(t.request.columns) > 2
    label = t.label(by)
    told: list[str] = []
    for pair in pairs:
        name = slug(f"{pair[by]}_{pair['first']}_{pair['second']}" if several else str(pair[by]))
        made = _facts(t, pair, name, {by: pair[by]})
        chance = "" if pair["p_value"] < CHANCE else ", not significant"
        what = f" ({t.label(pair['first'])} and {t.label(pair['second'])})" if several else ""
        sure = f"({t.say(made['n'])}, {t.chance(made['p_value'])}{chance})"
        told.append(f"{_coefficient(pair['coefficient'])} for {labelled(pair[by], label)}{what} {sure}")
    of = f"({_METHODS[pairs[0]['method']]}) of {_columns(t)}{t.where()}{t.when()}"
    t.lead(f"the correlation {of} is {listed(told[:10])}")
    if len(told) > 10:
        t.more("the table has the others")
    _table(t, pairs)


def _draw_pair(t: Telling, title: str, output: dict[str, Any], pair: Pair) -> None:
    """The two columns against each other, as their values allow."""
    names, rows = t.rows(RELATIONS, "shown")
    if not rows:
        return
    axes = [axis_of(t, n) for n in names[:2]]
    if output["picture"] == "points":
        if any(isinstance(r[1], date) for r in rows):  # time runs from left to right
            rows, axes = tuple((b, a) for a, b in rows), axes[::-1]
        notes = _sample(len(rows), pair["n"])
        t.draw(scatter_chart(title, rows, *axes, line=output["line"], notes=notes))
    elif output["picture"] == "averages":
        measured = Axis(f"average {axes[1].label}", axes[1].unit)
        t.draw(bar_chart(title, rows, axes[0], measured))
    else:
        t.draw(heat_chart(title, rows, axes[0], axes[1], Axis("number of rows")))


def _draw_pairs(t: Telling, pairs: Sequence[Pair]) -> None:
    """Every pair as a cell of a grid; those with one column as bars."""
    signed = [p for p in pairs if p["method"] in _SIGNED] or list(pairs)
    notes = ["Only pairs of columns that have an order are drawn"] if len(signed) < len(pairs) else []
    measured, title = Axis("coefficient"), t.told.lead.partition(": ")[0]
    if t.request.options(Relation).target is not None:
        bars = [(t.label(p["second"]), round(p["coefficient"], 3)) for p in signed]
        t.draw(bar_chart(title, bars, "column", measured, notes=notes))
        return
    columns = [c for c in t.request.columns if any(c in (p["first"], p["second"]) for p in signed)]
    held = {frozenset((p["first"], p["second"])): round(p["coefficient"], 3) for p in signed}
    cells = [(t.label(a), t.label(b), held.get(frozenset((a, b)))) for b in columns for a in columns]
    span = (-1.0, 1.0) if signed[0]["method"] in _SIGNED else (0.0, 1.0)
    t.draw(heat_chart(title, cells, "", "", measured, span=span, notes=notes))


# Correlations of measures ---------------------------------------------------------------------------------------------


def tell_correlation(t: Telling) -> None:
    """How strongly two measures go together, with how many pairs and how sure."""
    output, over_rows = t.result.calculated.get("correlation"), "main" not in t.result.retrieved
    metrics = [t.model.metric(m) for m in t.request.metrics]
    dimensions = [t.model.dimension(d) for d in t.request.dimensions]
    columns = [column_of(m, t.model) if over_rows else None for m in metrics]
    labels = [m.label if c is None else c.label for m, c in zip(metrics, columns, strict=True)]
    labels += [d.label for d in dimensions]
    names = (labels[0], labels[1] if len(labels) > 1 else "itself")
    if output is None:
        t.fail(f"the correlation of {listed(names)} could not be computed")
        return
    over = "rows" if over_rows else plural(str(t.plan.grain or listed([d.label for d in dimensions])))
    t.plain("correlation", output["r"], role="correlation")
    n = t.plain("pairs.count", output["n"], over, "correlation")
    between = f"between {names[0]} and {names[1]}{t.where()}{t.when()}"
    t.lead(f"there is {_described(output['r'])} {between}: r = {_coefficient(output['r'])} across {t.say(n)}")
    if output["p_value"] > CHANCE:
        t.note("A coefficient of this size can come about by chance")
    t.note(_NO_CAUSE)
    units = [*(m.unit for m in metrics), *(d.unit for d in dimensions)]
    axes = [Axis(name, unit) for name, unit in zip(names, units, strict=False)]
    if not over_rows:
        if t.main.rows:
            t.draw(scatter_chart(t.told.lead, _points(t), *axes))
        return
    _, pairs = t.rows("correlation", "shown")
    if pairs and len(axes) > 1:
        notes = _sample(len(pairs), output["n"])
        t.draw(scatter_chart(t.told.lead, pairs, *axes[:2], line=output["line"], notes=notes))


def _points(t: Telling) -> list[Row]:
    """The two measures of each group, periods that are not whole told apart."""
    main, grain = t.main, t.plan.grain
    x, y = (main.columns.index(m) for m in t.request.metrics[:2])
    known = [r for r in main.rows if r[x] is not None and r[y] is not None]
    if grain is not None and PERIOD in main.columns:
        at = main.columns.index(PERIOD)
        cut = [r[at] is not None and is_partial(t, r[at], grain) for r in known]
        if any(cut):
            kinds = (f"whole {grain}", f"{grain} that is not whole")
            return [(r[x], r[y], kinds[c]) for r, c in zip(known, cut, strict=True)]
    return [(r[x], r[y]) for r in known]


# A column predicted from others ---------------------------------------------------------------------------------------


def tell_regression(t: Telling) -> None:
    """The model in one sentence, how well it predicts, and what each column does in it."""
    output = t.result.calculated.get(REGRESSION)
    target, *features = (t.label(c) for c in t.request.columns)
    if output is None:
        t.fail(f"{target} could not be predicted")
        return
    terms = t.records(REGRESSION)
    asked = t.request.options(Regression).score or ""
    scores = _scores(t, output, asked)
    shown = [s for s in dict.fromkeys((asked, *_USUAL[output["kind"]])) if s in scores]
    rows_used = t.plain("rows.used", output["trained"], "rows", role=REGRESSION)
    quality = listed([f"{_SCORES[s]} = {t.say(scores[s])}" for s in shown])
    of = f"a {output['kind']} regression of {target} on {listed(features)}{t.where()}{t.when()}"
    judged = "on the rows it was fitted to"
    if output["tested"] is not None:
        tested, seed = (
            t.plain("rows.tested", output["tested"], "rows", role=REGRESSION),
            t.plain("seed", output["seed"], role=REGRESSION),
        )
        t.more(f"it was judged by {t.say(tested)} that were set apart at random (seed {seed.value})")
        judged = "on rows that it was not fitted to"
    t.lead(f"{of}, fitted to {t.say(rows_used)}, has {quality} {judged}")
    _tell_terms(t, output, terms)
    _tell_limits(t, output)
    names, points = t.rows(REGRESSION, "shown")
    if points and len(terms) == 1:
        notes = _sample(len(points), output["trained"] + (output["tested"] or 0))
        line, title = (terms[0]["coefficient"], output["intercept"]), t.told.lead.partition(", fitted")[0]
        t.draw(scatter_chart(title, points, *(axis_of(t, n) for n in names), line=line, notes=notes))


def _scores(t: Telling, output: dict[str, Any], asked: str) -> dict[str, Fact]:
    """The scores as facts, the one that was asked for first."""
    held = dict(output["scores"])
    order = sorted(held, key=lambda s: (s != asked, list(_SCORES).index(s)))
    made = {s: t.plain(s, held[s], role=REGRESSION) for s in order}
    if output["kind"] == "linear":
        if output["tested"] is not None:
            t.plain("fit.r2", output["r2"], role=REGRESSION)
        t.plain("adjusted_r2", output["adjusted_r2"], role=REGRESSION)
    else:
        t.plain("pseudo_r2", output["r2"], role=REGRESSION)
    return made


def _tell_terms(t: Telling, output: dict[str, Any], terms: list[dict[str, Any]]) -> None:
    """Each term with its coefficient and p-value, in the order in which their columns were named."""
    places = {c: i for i, c in enumerate(t.request.columns)}
    columns = [str(x["term"]).partition(" = ")[0].removesuffix(" (days)") for x in terms]
    order = sorted(range(len(terms)), key=lambda i: places.get(columns[i], len(places)))
    terms = [terms[i] for i in order]
    told: list[str] = []
    for term in terms:
        called = _called(t, str(term["term"]))
        made = t.plain(f"{slug(called)}.coefficient", term["coefficient"], role=REGRESSION)
        text = f"{called} {t.say(made)}"
        if term["p_value"] is not None:
            p = t.plain(f"{slug(called)}.coefficient.p_value", term["p_value"], role=REGRESSION)
            text += f" ({t.chance(p)}{'' if term['p_value'] < CHANCE else ', not significant'})"
        told.append(text)
    start, logistic = t.plain("intercept", output["intercept"], role=REGRESSION), output["kind"] == "logistic"
    effect = "on the log odds" if logistic else "for each unit"
    t.more(f"coefficients {effect}: {listed(told[:8])}; the intercept is {t.say(start)}")
    if len(told) > 8:
        t.more("the table has the others")
    heads = ["term", "coefficient", "lower end (95 %)", "upper end (95 %)", "p-value"]
    keys = ["coefficient", "low", "high", "p_value"]
    if logistic:
        heads, keys = [*heads, "odds ratio"], [*keys, "odds_ratio"]
    rows = [(_called(t, str(x["term"])), *(x[k] for k in keys)) for x in terms]
    t.plain_table(
        "coefficients", heads, [*rows, ("intercept", output["intercept"], *(None for _ in keys[1:]))]
    )


def _called(t: Telling, term: str) -> str:
    """A term by the label of its column, with the value that it stands for."""
    column, _, value = term.partition(" = ")
    label = t.label(column) if any(d.name == column for d in t.model.dimensions) else column
    return f"{label} {value}" if value else label


def _tell_limits(t: Telling, output: dict[str, Any]) -> None:
    """What has to be said besides: what 0 and 1 are, rows and columns left out, and that it is no cause."""
    for column, (zero, one) in output["levels"].items():
        target = column == t.request.columns[0]
        what = "What is predicted is" if target else f"The coefficient of {_called(t, column)} is that of"
        t.note(f"{what} “{one}” against “{zero}”")
    for column, value in output["baselines"].items():
        t.note(f"The values of {_called(t, column)} are compared with “{value}”")
    if count := output["left_out_rows"]:
        t.plain("rows.left_out", count, "rows", role=REGRESSION)
        t.note(f"{counted(count, 'row')} where something is unknown {are(count)} left out")
    for column, why in list(output["left_out"].items())[:3]:
        t.note(f"Left out: {_called(t, column)} ({why})")
    if output["tested"] is None:
        t.note("The model was judged by the rows that it was fitted to, which flatters it")
    t.note("A regression says what goes together, not what causes what")
