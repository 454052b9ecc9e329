"""Templates for columns that were related row by row: one pair, all pairs, all with one of them, each group."""

from __future__ import annotations

from typing import Any

from gnomon.agents.drawing_relations import draw_groups, draw_pair, draw_pairs
from gnomon.agents.figures import group_name, labelled, listed, number, sentence
from gnomon.agents.telling import Telling, slug
from gnomon.agents.workflow_post import frame_rows
from gnomon.agents.workflow_relations import RELATIONS
from gnomon.core.answer import Fact, ResultTable
from gnomon.core.studies import Relation

CHANCE = 0.05
_STRENGTHS = ((0.7, "strong"), (0.4, "moderate"), (0.1, "weak"))
_METHODS = {
    "pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall's tau", "cramers_v": "Cramér's V",
    "correlation_ratio": "correlation ratio",
}  # fmt: skip
_SIGNED = ("pearson", "spearman", "kendall")
_CLEARLY = 0.1
_MOST_TOLD = 5

Pair = dict[str, Any]


def tell_relations(t: Telling) -> None:
    """How columns hang together, over the rows where both of a pair are known."""
    output = t.result.calculated.get(RELATIONS)
    labels = [t.model.dimension(c).label for c in t.request.columns]
    if output is None:
        t.fail(f"the correlation of {listed(labels[:4])} could not be computed")
        return
    names, rows = frame_rows(output["rows"])
    pairs = [dict(zip(names, row, strict=True)) for row in rows]
    if t.request.dimensions and t.request.options(Relation).ranked:
        _tell_ranked(t, pairs)
        draw_groups(t, pairs)
    elif t.request.dimensions:
        _tell_groups(t, pairs)
        draw_groups(t, pairs)
    elif len(t.request.columns) == 2:
        title = _tell_pair(t, pairs[0])
        draw_pair(t, title, output, pairs[0])
    else:
        _tell_pairs(t, pairs)
        draw_pairs(t, pairs)
    ordered = pairs[0]["method"] in _SIGNED
    for column, (zero, one) in output["levels"].items() if ordered else ():
        t.told.caveats.append(f"The coefficient is for “{one}” against “{zero}” of {_label(t, column)}")
    for what, why in list(output["left_out"].items())[:3]:
        t.told.caveats.append(f"Left out: {_said(t, what)} ({why[0].lower()}{why[1:].rstrip('.')})")
    t.told.caveats.append("A correlation says what moves together, not what causes what")


def _label(t: Telling, column: str) -> str:
    return t.model.dimension(column).label


def _said(t: Telling, what: str) -> str:
    """A pair or a group that was left out, in words."""
    parts = what.split(" and ")
    known = {d.name for d in t.model.dimensions}
    return listed([_label(t, p) if p in known else p for p in parts])


def _strength(pair: Pair) -> str:
    return next((word for least, word in _STRENGTHS if abs(pair["coefficient"]) >= least), "practically no")


def _described(pair: Pair) -> str:
    """A strength and a direction with the noun: a strong positive correlation."""
    strength = _strength(pair)
    if strength.startswith("practically") and pair["type"] == "nonlinear" and pair["method"] in _SIGNED:
        return "practically no linear correlation"
    signed = pair["method"] in _SIGNED and not strength.startswith("practically")
    sign = (" positive" if pair["coefficient"] > 0 else " negative") if signed else ""
    noun = "correlation" if pair["method"] in _SIGNED else "association"
    article = "" if strength.startswith("practically") else "a "
    return f"{article}{strength}{sign} {noun}"


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
    symbol = "r" if pair["method"] == "pearson" else "ρ" if pair["method"] == "spearman" else "τ"
    symbol = symbol if pair["method"] in _SIGNED else "the coefficient"
    is_ = " = " if pair["method"] in _SIGNED else " is "
    how = _METHODS[pair["method"]]
    value = number(round(pair["coefficient"], 3))
    return f"{symbol}{is_}{value} ({how}) across {t.say(facts['n'])}, {t.chance(facts['p_value'])}"


def _tell_pair(t: Telling, pair: Pair) -> str:
    """Say how two columns hang together; returns it without the figures."""
    facts = _facts(t, pair)
    x, y = (_label(t, pair[k]) for k in ("first", "second"))
    sure = pair["p_value"] < CHANCE
    where = f"between {x} and {y}{t.where()}{t.when()}"
    there = "there is" if sure or _strength(pair).startswith("practically") else "in these rows there is"
    found = f"{there} {_described(pair)} {where}"
    said = f"{found}: {_evidence(t, pair, facts)}"
    if t.request.claim.whether:
        related = sure and not _strength(pair).startswith("practically")
        sign = t.request.options(Relation).sign
        related = related and (sign is None or (pair["coefficient"] > 0) == (sign == "positive"))
        said = f"{'yes' if related else 'no'}: {said}"
    if t.request.options(Relation).shaped:
        said = f"{pair['type'] if pair['type'] != 'none' else 'neither'}: {said}"
    t.told.lead = sentence(said)
    t.told.more.append(sentence(_significance(pair)))
    t.told.more.append(sentence(_shape(t, pair, facts)))
    t.fact("relationship_type", pair["type"], None, role=RELATIONS, metric="")
    for end in ("low", "high"):
        if pair[end] is not None:
            name = "interval.from" if end == "low" else "interval.to"
            t.fact(name, pair[end], None, role=RELATIONS, metric="")
    return sentence(found)


def _significance(pair: Pair) -> str:
    if pair["p_value"] >= CHANCE:
        return "it is not statistically significant: a coefficient of this size can come about by chance"
    if _strength(pair).startswith("practically"):
        return "it is statistically significant, but far too weak to matter"
    return "it is statistically significant"


def _shape(t: Telling, pair: Pair, facts: dict[str, Fact]) -> str:
    """Whether it is a line: the rank correlation beside, and what it tells where it is clearly stronger."""
    rank = facts.get("rank_correlation")
    if rank is None:
        return ""
    r = pair["coefficient"]
    beside = f"by ranks (Spearman) the coefficient is {number(round(pair['rank'], 3))}"
    if pair["type"] == "linear":
        return f"{beside}; the relationship is linear as far as it goes"
    if pair["type"] == "none":
        return f"{beside}, so there is no sign of a relationship of another shape either"
    if abs(pair["rank"]) - abs(r) >= _CLEARLY:
        return f"{beside}, clearly stronger: the relationship is monotonic but not linear"
    return f"{beside}; the relationship is nonlinear: the averages follow a curve rather than a line"


def _tell_pairs(t: Telling, pairs: list[Pair]) -> None:
    """The strongest pair, those that follow, and all of them in a table."""
    study = t.request.options(Relation)
    sign, weakest, target = study.sign, study.weakest, study.target
    order = sorted(pairs, key=lambda p: abs(p["coefficient"]) if weakest else -_rank(p, sign))
    if not weakest and _rank(order[0], sign) <= 0:
        t.told.lead = sentence(f"no two of the columns have a {sign} correlation")
        _table(t, order)
        return
    best, end = order[0], "weakest" if weakest else "strongest"
    facts = _facts(t, best, "weakest" if weakest else "largest")
    one, other = _label(t, best["first"]), _label(t, best["second"])
    t.fact("pair", f"{one} and {other}", None, role=RELATIONS, metric="")
    signed = f" {sign}" if sign is not None else ""
    of, pair = (f" of {one}", f"with {other}") if target is not None else ("", f"of {one} and {other}")
    where = f"{t.where()}{t.when()}"
    said = f"the {end}{signed} correlation{of}{where} is that {pair}: {_evidence(t, best, facts)}"
    t.told.lead = sentence(said)
    rest = [p for p in order[1:] if p["p_value"] < CHANCE and (weakest or _rank(p, sign) > 0)]
    t.told.more.append(sentence(_following(t, rest[: _MOST_TOLD - 1], target)))
    _table(t, order)
    t.told.caveats.append("The p-values are those of each pair alone, not corrected for the number of pairs")


def _rank(pair: Pair, sign: str | None) -> float:
    r = pair["coefficient"]
    return r if sign == "positive" else -r if sign == "negative" else abs(r)


def _following(t: Telling, pairs: list[Pair], target: str | None) -> str:
    told: list[str] = []
    for pair in pairs:
        one, other = _label(t, pair["first"]), _label(t, pair["second"])
        name = slug(other if target is not None else f"{one}_{other}")
        t.fact(f"{name}.{pair['method']}", pair["coefficient"], None, role=RELATIONS, metric="")
        called = other if target is not None else f"{one} and {other}"
        told.append(f"{called} ({number(round(pair['coefficient'], 3))})")
    return f"then come {listed(told)}" if told else "no other pair is significant"


def _table(t: Telling, pairs: list[Pair]) -> None:
    by = t.request.dimensions
    heads = (
        *(_label(t, d) for d in by),
        "first",
        "second",
        "coefficient",
        "method",
        "p-value",
        "rank correlation",
        "rows",
    )
    rows = tuple(
        (
            *(p[d] for d in by), _label(t, p["first"]), _label(t, p["second"]), p["coefficient"],
            _METHODS[p["method"]], p["p_value"], p["rank"], p["n"],
        )
        for p in pairs
    )  # fmt: skip
    t.told.tables.append(ResultTable(name="correlations", columns=heads, rows=rows))


def _tell_ranked(t: Telling, pairs: list[Pair]) -> None:
    """The group in which two columns hang together most closely, and those that follow."""
    by, sign = t.request.dimensions[0], t.request.options(Relation).sign
    label = _label(t, by)
    order = sorted(pairs, key=lambda p: -_rank(p, sign))
    best = order[0]
    facts = _facts(t, best, "largest")
    names = listed([_label(t, c) for c in t.request.columns])
    t.fact(slug(label), group_name(best[by]), None, role=RELATIONS, metric="")
    found = f"{labelled(best[by], label)}: {_evidence(t, best, facts)}"
    t.told.lead = sentence(f"the strongest correlation of {names}{t.where()}{t.when()} is that for {found}")
    if best["p_value"] >= CHANCE:
        t.told.more.append(sentence(_significance(best)))
    told: list[str] = []
    for pair in order[1:_MOST_TOLD]:
        name = slug(f"{label}_{group_name(pair[by])}")
        t.fact(f"{name}.{pair['method']}", pair["coefficient"], None, role=RELATIONS, metric="")
        told.append(f"{labelled(pair[by], label)} ({number(round(pair['coefficient'], 3))})")
    if told:
        t.told.more.append(sentence(f"then come {listed(told)}"))
    _table(t, order)


def _tell_groups(t: Telling, pairs: list[Pair]) -> None:
    """One coefficient for each group, in the order of the groups."""
    by = t.request.dimensions[0]
    label = _label(t, by)
    several = len(t.request.columns) > 2
    told: list[str] = []
    for pair in pairs:
        name = slug(f"{pair[by]}_{pair['first']}_{pair['second']}" if several else str(pair[by]))
        made = _facts(t, pair, name, {by: pair[by]})
        chance = "" if pair["p_value"] < CHANCE else ", not significant"
        what = f" ({_label(t, pair['first'])} and {_label(t, pair['second'])})" if several else ""
        told.append(
            f"{number(round(pair['coefficient'], 3))} for {labelled(pair[by], label)}{what} "
            f"({t.say(made['n'])}, {t.chance(made['p_value'])}{chance})"
        )
    names = listed([_label(t, c) for c in t.request.columns])
    how = _METHODS[pairs[0]["method"]]
    shown = told[:10]
    t.told.lead = sentence(f"the correlation ({how}) of {names}{t.where()}{t.when()} is {listed(shown)}")
    if len(told) > len(shown):
        t.told.more.append("The table has the others.")
    _table(t, pairs)
