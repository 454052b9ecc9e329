"""The template for a column that was predicted from others: the model, how good it is, and each of its terms."""

from __future__ import annotations

from typing import Any

from gnomon.agents.drawing_relations import axis_of
from gnomon.agents.figures import counted, listed, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.workflow_post import frame_rows
from gnomon.agents.workflow_relations import REGRESSION
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.studies import Regression
from gnomon.tools.chart_groups import scatter_chart

CHANCE = 0.05
_SCORES = {
    "rmse": "root mean squared error", "mse": "mean squared error", "mae": "mean absolute error", "r2": "R²",
    "accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "F1 score", "auc": "area under the ROC curve",
}  # fmt: skip
_USUAL = {"linear": ("r2", "rmse"), "logistic": ("accuracy",)}


def tell_regression(t: Telling) -> None:
    """The model in one sentence, how well it predicts, and what each column does in it."""
    output = t.result.calculated.get(REGRESSION)
    target, *features = (t.model.dimension(c).label for c in t.request.columns)
    if output is None:
        t.fail(f"{target} could not be predicted")
        return
    names, rows = frame_rows(output["rows"])
    terms = [dict(zip(names, row, strict=True)) for row in rows]
    asked = t.request.options(Regression).score or ""
    scores = _scores(t, output, asked)
    shown = [s for s in dict.fromkeys((asked, *_USUAL[output["kind"]])) if s in scores]
    rows_used = t.fact("rows.used", output["trained"], "rows", role=REGRESSION, metric="")
    quality = listed([f"{_SCORES[s]} = {t.say(scores[s])}" for s in shown])
    t.told.lead = sentence(
        f"a {output['kind']} regression of {target} on {listed(features)}{t.where()}{t.when()}, fitted to "
        f"{t.say(rows_used)}, has {quality} {_judged(t, output)}"
    )
    _tell_terms(t, output, terms)
    _tell_table(t, output, terms)
    _tell_limits(t, output)
    _draw(t, output, terms)


def _draw(t: Telling, output: dict[str, Any], terms: list[dict[str, Any]]) -> None:
    """The points and the line through them, where one column of numbers predicts another."""
    names, points = frame_rows(output["shown"])
    if not points or len(terms) != 1:
        return
    slope, used = terms[0]["coefficient"], output["trained"] + (output["tested"] or 0)
    title = t.told.lead.partition(", fitted")[0]
    notes = [f"A sample of {len(points):,} of {used:,} rows is drawn, the same each time"] if len(points) < used else []  # fmt: skip
    x, y = (axis_of(t, n) for n in names)
    t.told.charts.append(scatter_chart(title, points, x, y, line=(slope, output["intercept"]), notes=notes))


def _scores(t: Telling, output: dict[str, Any], asked: str) -> dict[str, Fact]:
    """The scores as facts, the one that was asked for first."""
    held = dict(output["scores"])
    order = sorted(held, key=lambda s: (s != asked, list(_SCORES).index(s)))
    made = {s: t.fact(s, held[s], None, role=REGRESSION, metric="") for s in order}
    if output["kind"] == "linear":
        fit = "fit.r2" if output["tested"] is not None else "r2"
        if fit != "r2":
            t.fact(fit, output["r2"], None, role=REGRESSION, metric="")
        t.fact("adjusted_r2", output["adjusted_r2"], None, role=REGRESSION, metric="")
    else:
        t.fact("pseudo_r2", output["r2"], None, role=REGRESSION, metric="")
    return made


def _judged(t: Telling, output: dict[str, Any]) -> str:
    if output["tested"] is None:
        return "on the rows it was fitted to"
    tested = t.fact("rows.tested", output["tested"], "rows", role=REGRESSION, metric="")
    seed = t.fact("seed", output["seed"], None, role=REGRESSION, metric="")
    t.told.more.append(
        sentence(f"it was judged by {t.say(tested)} that were set apart at random (seed {seed.value})")
    )
    return "on rows that it was not fitted to"


def _tell_terms(t: Telling, output: dict[str, Any], terms: list[dict[str, Any]]) -> None:
    """Each term with its coefficient and p-value; of a model with many terms those that count most."""
    told: list[str] = []
    for term in _in_order(t, terms):
        called = _called(t, term["term"])
        name = slug(called)
        made = t.fact(f"{name}.coefficient", term["coefficient"], None, role=REGRESSION, metric="")
        text = f"{called} {t.say(made)}"
        if term["p_value"] is not None:
            p = t.fact(f"{name}.coefficient.p_value", term["p_value"], None, role=REGRESSION, metric="")
            sure = "" if term["p_value"] < CHANCE else ", not significant"
            text += f" ({t.chance(p)}{sure})"
        told.append(text)
    start = t.fact("intercept", output["intercept"], None, role=REGRESSION, metric="")
    effect = "on the log odds" if output["kind"] == "logistic" else "for each unit"
    t.told.more.append(
        sentence(f"coefficients {effect}: {listed(told[:8])}; the intercept is {t.say(start)}")
    )
    if len(told) > 8:
        t.told.more.append("The table has the others.")


def _in_order(t: Telling, terms: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The terms in the order in which their columns were named."""
    places = {c: i for i, c in enumerate(t.request.columns)}
    return sorted(terms, key=lambda x: places.get(_column(str(x["term"])), len(places)))


def _column(term: str) -> str:
    return term.partition(" = ")[0].removesuffix(" (days)")


def _called(t: Telling, term: str) -> str:
    """A term by the label of its column, with the value that it stands for."""
    column, _, value = term.partition(" = ")
    known = any(d.name == column for d in t.model.dimensions)
    label = t.model.dimension(column).label if known else column
    return f"{label} {value}" if value else label


def _tell_table(t: Telling, output: dict[str, Any], terms: list[dict[str, Any]]) -> None:
    heads = ["term", "coefficient", "lower end (95 %)", "upper end (95 %)", "p-value"]
    keys = ["coefficient", "low", "high", "p_value"]
    if output["kind"] == "logistic":
        heads, keys = [*heads, "odds ratio"], [*keys, "odds_ratio"]
    rows = [(_called(t, str(x["term"])), *(x[k] for k in keys)) for x in _in_order(t, terms)]
    rows.append(("intercept", output["intercept"], *(None for _ in keys[1:])))
    t.told.tables.append(ResultTable(name="coefficients", columns=tuple(heads), rows=tuple(rows)))


def _tell_limits(t: Telling, output: dict[str, Any]) -> None:
    """What has to be said besides: what 0 and 1 are, rows and columns left out, and that it is no cause."""
    told = t.told.caveats
    for column, (zero, one) in output["levels"].items():
        if column != t.request.columns[0]:
            told.append(f"The coefficient of {_called(t, column)} is that of “{one}” against “{zero}”")
        else:
            told.append(f"What is predicted is “{one}” against “{zero}”")
    for column, value in output["baselines"].items():
        told.append(f"The values of {_called(t, column)} are compared with “{value}”")
    if count := output["left_out_rows"]:
        t.fact("rows.left_out", count, "rows", role=REGRESSION, metric="")
        verb = "is" if count == 1 else "are"
        told.append(f"{counted(count, 'row')} where something is unknown {verb} left out")
    for column, why in list(output["left_out"].items())[:3]:
        told.append(f"Left out: {_called(t, column)} ({why})")
    if output["tested"] is None:
        told.append("The model was judged by the rows that it was fitted to, which flatters it")
    told.append("A regression says what goes together, not what causes what")
