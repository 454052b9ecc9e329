"""Parameters, constraints and preferences that a prompt states: numbers with their roles and units, names after cues."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gnomon.core.patterns import regex
from gnomon.language import Quantity, Unit, find_quantities
from gnomon.planning.lexicon import mended, tokens_of

_CLOCK = {Unit.MILLISECOND, Unit.SECOND, Unit.MINUTE}
_CALENDAR = {Unit.HOUR, Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.QUARTER, Unit.YEAR}

# What the words before (within a few words) or after a number make of it; the first that fits wins.
_BEFORE = r"(?:\W+(?:of|to|is|at|by|for|a|the|set|value|the next|=|:))*\W*$"


@dataclass(frozen=True)
class _Role:
    name: str
    before: str | None = None
    after: str | None = None
    whole: bool = False
    units: frozenset[Unit] | None = None


_ROLES = (
    _Role("confidence", before=r"(?:confidence|certainty|interval|ci|level)", units=frozenset({Unit.PERCENT, Unit.NONE})),
    _Role("confidence", after=r"\s*(?:-\s*)?(?:%\s*)?(?:confiden|certain|prediction interval|interval|ci\b|sure\b)", units=frozenset({Unit.PERCENT, Unit.NONE})),
    _Role("significance", before=r"(?:alpha|significance(?: level)?|p\s*<|p-value(?: below| under)?)", units=frozenset({Unit.NONE, Unit.PERCENT})),
    _Role("significance", after=r"\s*(?:significance|level)\b", units=frozenset({Unit.PERCENT, Unit.NONE})),
    _Role("contamination", after=r"\s*(?:of\s+\w+\s+|of\s+the\s+\w+\s+)?(?:are|is|to be|as)\s+(?:\w+\s+){0,2}(?:fraud|anomal|outlier|suspicious|bad|wrong|faulty)", units=frozenset({Unit.PERCENT})),
    _Role("contamination", before=r"(?:contamination|flag(?: only| about| the top)?|mark)", units=frozenset({Unit.PERCENT})),
    _Role("threshold", before=r"(?:threshold|cut-?\s?off|sensitivity|z-?\s?score(?: above| over| greater than)?|sigma|limit)"),
    _Role("threshold", units=frozenset({Unit.SIGMA})),
    _Role("window", before=r"(?:window|rolling|moving average|smoothing)", whole=True),
    _Role("window", after=r"[\s-]*(?:rolling|moving|window)", whole=True),
    _Role("horizon", before=r"(?:next|coming|following|upcoming|ahead|horizon|forecast|predict|project|future|over the|for the next)", whole=True, units=frozenset(_CALENDAR)),
    _Role("horizon", after=r"[\s-]*(?:ahead|into the future|out\b|forecast|horizon|from now|in advance|outlook)", whole=True),
    _Role("horizon", before=r"(?:horizon|next|ahead)", whole=True),
    _Role("horizon", after=r"\s*(?:periods?|steps?|points?)\b", whole=True),
    _Role("clusters", before=r"(?:clusters|segments|k|groups)", whole=True),
    _Role("clusters", after=r"[\s-]*(?:customer |user |distinct |different |natural )?(?:clusters?|segments?|personas?|archetypes?)\b", whole=True),
    _Role("bins", before=r"(?:bins|buckets)", whole=True),
    _Role("bins", after=r"[\s-]*(?:(?!and\b|or\b|then\b)[a-z]+[- ]){0,3}?(?:bins?|buckets?|bands?|brackets?|intervals?|ranges?|groups?|quantiles?)\b", whole=True),
    _Role("season", before=r"(?:season(?:al(?:ity)?)?(?: period| length)?|period|cycle)", whole=True),
    _Role("season", after=r"[\s-]*(?:day|week|month|hour|step|period)?[\s-]*(?:season|cycle|period(?:icity)?\b)", whole=True),
    _Role("test_size", after=r"\s*(?:hold-?\s?out|test set|test data|for testing|as test)", units=frozenset({Unit.PERCENT})),
    _Role("top", before=r"(?<!at )(?:top|first|best|largest|biggest|highest|most)", whole=True),
    _Role("bottom", before=r"(?<!at )(?:bottom|worst|smallest|lowest|fewest|least)", whole=True),
    _Role("top", after=r"\s*(?:largest|biggest|highest|best|most|top)\b", whole=True),
    _Role("bottom", after=r"\s*(?:smallest|lowest|worst|least|fewest)\b", whole=True),
    _Role("radius_km", after=r"\s*(?:km|kilomet(?:er|re)s?)\b"),
)  # fmt: skip

_DRAWN = r"\s?(?:chart|graph|plot|diagram)s?\b"
_CHARTS = {
    "histogram": r"histograms?\b", "scatter": r"scatter", "pie": r"(?:pie|donut)\b", "heatmap": r"heat\s?map",
    "box": r"box\s?plots?\b|box-and-whisker", "bar": rf"bars?{_DRAWN}|column chart|as bars\b",
    "line": rf"lines?{_DRAWN}|as a line\b", "area": rf"area{_DRAWN}",
}  # fmt: skip
_METHODS = {
    "pearson": r"pearson", "spearman": r"spearman|rank correlation", "kendall": r"kendall", "robust": r"robust(?:ly)?",
    "classic": r"classic(?:al)?|standard z[- ]?score", "iqr": r"iqr|interquartile", "zscore": r"z[- ]?scores?",
    "mad": r"mad|median absolute deviation", "paired_t": r"paired t[- ]?tests?", "welch_t": r"welch|t[- ]?tests?",
    "mann_whitney": r"mann[- ]?whitney|u[- ]test", "wilcoxon": r"wilcoxon|signed[- ]rank", "anova": r"anova|analysis of variance",
    "kruskal": r"kruskal", "chi2": r"chi[- ]?squared?|chi2|χ²", "fisher": r"fisher", "ks": r"kolmogorov|ks[- ]test",
    "normality": r"normality|normally distributed|shapiro", "levene": r"levene|equal variances?",
    "proportions": r"proportions? test|test of proportions", "quantile": r"quantiles?|quartiles?|deciles?|quintiles?|percentiles?",
}  # fmt: skip
_AGGREGATES = {
    "nunique": r"distinct|unique", "sum": r"total|totals|sum|summed|how much", "mean": r"average|averages|mean|avg", "median": r"median",
    "count": r"count|counts|how many|number of", "min": r"minimum|lowest|smallest|min", "max": r"maximum|highest|largest|max",
}  # fmt: skip
FORMS = {
    "csv": r"csv", "json": r"json", "markdown": r"markdown|md", "html": r"html", "pdf": r"pdf", "excel": r"excel|xlsx|spreadsheet",
    "table": r"table", "text": r"plain text|text", "notebook": r"notebook", "report": r"report",
    "chart": r"chart|graph|plot|figure|visuali[sz]ation|diagram|picture",
}  # fmt: skip
_FORECAST_FOR = regex(r"\b(?:forecast|predict|project)\w*\b[^.;]*\bfor\s+$", re.I)
_BARE_HORIZON = regex(r"\b(?:next|coming|upcoming|following)\s+(hour|day|week|month|quarter|year)\b", re.I)


_NEAR = 200


def numeric_parameters(prompt: str) -> dict[str, Any]:
    """The numbers of a prompt under the names of what they set."""
    found: dict[str, Any] = {}
    for q in find_quantities(prompt):
        role = _role_of(prompt, q)
        if role is None:
            continue
        if role == "bottom":
            found.setdefault("top", int(q.value))
            found.setdefault("ascending", True)
        elif role in {"confidence", "significance", "contamination", "test_size"}:
            found.setdefault(role, _fraction(q))
        elif role in {"horizon", "clusters", "bins", "top", "window", "season"}:
            found.setdefault(role, int(q.value))
            if role == "horizon" and q.unit in _CALENDAR:
                found.setdefault("horizon_unit", q.unit.value)
        else:
            found.setdefault(role, q.value)
    if "horizon" not in found and (ahead := _ahead(prompt)) is not None:
        found["horizon"], found["horizon_unit"] = int(ahead.value), ahead.unit.value
    if "horizon" not in found and (bare := _BARE_HORIZON.search(prompt)):
        found["horizon"], found["horizon_unit"] = 1, bare.group(1).lower()
    if limit := time_limit(prompt):
        found["max_seconds"] = limit
    return found


def _role_of(prompt: str, q: Quantity) -> str | None:
    # What a number sets is said near it; looking further would cost the square of the text.
    before, after = prompt[max(0, q.start - _NEAR) : q.start].lower(), prompt[q.end : q.end + _NEAR].lower()
    if q.unit in _CLOCK:
        return None
    if _A_LIMIT.search(before) and not _THRESHOLDS.search(before):
        return None
    if (
        (ranked := _RANKED.search(before))
        and q.is_whole
        and q.unit is Unit.NONE
        and _SUPERLATIVE.search(after)
    ):
        return "bottom" if ranked and _SUPERLATIVE.search(after).group(1) in _LOW else "top"  # pyright: ignore[reportOptionalMemberAccess]
    for role in _ROLES:
        if role.whole and (not q.is_whole or q.value < 1):
            continue
        if role.units is not None and q.unit not in role.units:
            continue
        if role.units is None and q.unit in {Unit.PERCENT} and role.name not in {"threshold"}:
            continue
        if role.before and not re.search(rf"\b{role.before}{_BEFORE}", before):
            continue
        if role.after and not re.match(role.after, after):
            continue
        return role.name
    return None


_A_LIMIT = regex(
    r"\b(?:at least|at most|no more than|no fewer than|no less than|more than|less than|fewer than|up to|not more than)\s*$"
)
_THRESHOLDS = regex(r"\b(?:threshold|sigma|z-?\s?score|deviations?)\b")
_RANKED = regex(r"\b(?:which|what|name|list|find|show|give me|the)(?:\s+(?:are|the|me))*\s*$")
_LOW = ("lowest", "smallest", "worst", "fewest", "least", "cheapest", "slowest", "bottom")
_SUPERLATIVE = regex(
    rf"^\s+\w+(?:\s+\w+)?\s+(?:have|has|had|with|show|get|got)\s+the\s+({'|'.join(_LOW)}|highest|largest|most|best|biggest|greatest)\b"
)


def _fraction(q: Quantity) -> float:
    return round(q.value / 100, 10) if q.unit is Unit.PERCENT or q.value > 1 else q.value


_SIGNS = {"minus": "-", "plus": "+", "times": "*", "multiplied by": "*", "divided by": "/", "over": "/"}
_SPOKEN = regex(
    rf"\b([a-z_]\w*)\s+(?:as|equal to|=)\s+([a-z_]\w*)\s+({'|'.join(_SIGNS)})\s+([a-z_]\w*)", re.IGNORECASE
)
_FORMULA = regex(r"\b([a-z_]\w*)\s*(?:=|:=)\s*(.+?)(?=[,;]|\.\s|\.?$|\s+(?:and|then|before|after)\s)", re.I)


def named_parameters(prompt: str) -> dict[str, Any]:
    """Methods, aggregates, chart types and formulas that a prompt names."""
    text = prompt.lower()
    found: dict[str, Any] = {}
    for method, pattern in _METHODS.items():
        if re.search(rf"\b(?:{pattern})\b", text):
            found.setdefault("method", method)
    for name, pattern in _AGGREGATES.items():
        if re.search(rf"\b(?:{pattern})\b", " ".join(mended(tokens_of(text)))):
            found.setdefault("aggregate", name)
    for name, pattern in _CHARTS.items():
        if re.search(rf"\b(?:{pattern})", text):
            found.setdefault("chart", name)
    if spoken := _SPOKEN.search(prompt):
        name, left, operator, right = spoken.groups()
        found["new_column"], found["expression"] = name, f"{left} {_SIGNS[operator.lower()]} {right}"
    if formula := _FORMULA.search(prompt):
        found["new_column"], found["expression"] = formula.group(1), formula.group(2).strip()
    return found


def output_format(prompt: str) -> str:
    """The form in which the user wants the result; JSON unless the prompt says otherwise."""
    text = prompt.lower()
    verbs = r"as|in|into|to|export|give me|write me|return|output|save|format|show|just|want|need"
    for name, pattern in FORMS.items():
        if re.search(
            rf"\b(?:{verbs})\b(?:\s+\S+){{0,3}}?\s+(?:{pattern})\b(?!\s+(?:data|file|column))", text
        ):
            return name
    return (
        "chart"
        if re.search(r"\b(?:bar|line|area|pie|scatter|box)\s?(?:chart|plot|graph)\b", text)
        else "json"
    )


_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*"
_DAY = rf"(?:\d{{4}}(?:-\d{{1,2}}(?:-\d{{1,2}})?)?|(?:q[1-4]|{_MONTH})(?:\s+\d{{4}})?|\d{{1,2}}\s+{_MONTH}(?:\s+\d{{4}})?)"
_PERIOD = r"(?:hours?|days?|weeks?|months?|quarters?|years?)"
_COUNT = r"(?:[$€£]\s?)?(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|half|a|an)"
_END = r"(?!and\b|then\b|with\b|in\b|for\b|by\b|per\b|of\b|to\b)"
SIGNS = {">=": ">=", "<=": "<=", "!=": "!=", "is": "=", "are": "=", "=": "=", "equals": "=", "is not": "!=", "are not": "!=", ">": ">", "<": "<",
         "above": ">", "over": ">", "below": "<", "under": "<", "is above": ">", "is over": ">", "is below": "<", "is under": "<",
         "are above": ">", "are over": ">", "are below": "<", "are under": "<"}  # fmt: skip
"""How a condition compares, by how it is said."""
SIGN = r"(?<![a-z])(?:" + "|".join(sorted(SIGNS, key=lambda k: -len(k))).replace(" ", r"\s+") + r")(?![a-z])"
_VALUE = r"(?:'[^']+'|\"[^\"]+\"|\S+?(?=[,;.!?]*(?:\s|$)))"
_TEST = rf"[a-z_ ]+?\s*{SIGN}\s+{_VALUE}"
_LIMITS = tuple(
    regex(pattern, re.IGNORECASE)
    for pattern in (
        # bounds on a number
        r"\b(?:under|within|in less than|in under|less than|at most|no more than|up to|not more than|(?:no |not )?longer than|"
        r"max(?:imum)?(?: of)?|at least|no fewer than|no less than|more than|over|above|below|min(?:imum)?(?: of)?|fewer than|"
        rf"older than|younger than|larger than|smaller than|bigger than|cheaper than)\s+{_COUNT}(?:\s*%|\s+percent|\s?[km]\b)?"
        rf"(?:\s+{_END}[a-z]+)?",
        rf"\bbetween\s+{_COUNT}\s+and\s+{_COUNT}(?:\s+{_END}[a-z]+)?",
        r"\b(?:finish|run|done|complete|answer)\w*\s+in\s+[\d.]+\s*(?:s|sec\w*|seconds?|min\w*|minutes?)\b",
        # dates
        rf"\b(?:since|until|till|from|after|before|up to|during|between|through|in)\s+{_DAY}(?:\s+(?:and|to|until|till|through)\s+{_DAY})?\b",
        rf"\b(?:(?:in|over|during|for|within)\s+)?(?:the\s+)?(?:last|past|previous)\s+(?:{_COUNT}\s+)?{_PERIOD}\b",
        # what to keep and what to leave out
        r"\b(?:only|just)\s+(?:the\s+|those\s+|for\s+|on\s+|in\s+|use\s+)?(?!rows\b|records\b)(?:[a-z_]+)"
        rf"(?:\s+{_END}(?!since\b|until\b|from\b|after\b|before\b|between\b|at\b|up\b|is\b)[a-z0-9_]+){{0,2}}",
        r"\b(?:exclud\w+|except(?: for)?|ignor\w+|without|leav\w+ out|omit\w*|not including)\s+(?:the\s+)?(?:[a-z_]+)"
        rf"(?:\s+{_END}(?!since\b|until\b|from\b|after\b|before\b|between\b|at\b)[a-z0-9_]+){{0,2}}",
        r"\b(?:(?:for|on|in)\s+(?:the\s+)?(?:[a-z0-9_]+\s+){0,2})?[a-z0-9_]+\s+only\b(?=\s*(?:[,.;!?)]|$|and\b|then\b))",
        rf"\b(?:only\s+)?(?:(?:the\s+)?(?:rows|records|entries|those|ones)\s+)?(?:where|whose)\s+{_TEST}(?:\s+(?:and|or)\s+{_TEST}|\s+or\s+{_VALUE})*",
        r"\b(?:as fast as possible|quickly|no external (?:tools|services)|offline)\b",
    )
)
_NOT_A_LIMIT = regex(
    r"^(?:just|only)\s+(?:show|give|tell|want|need|like|luck|a\b|an\b|know|forecast|plot|do\b|run|detect|trend|see)"
    r"|^over\s+(?:the|time)|^(?:without|exclud\w+|ignor\w+|omit\w*|leav\w+ out)\s+(?:the\s+)?(?:outl|anomal|extrem|spike|chart|plot|graph)"
    r"|^in\s+(?:may|march)\b(?!\s+\d)|^(?:over|in|under|within|above|below)\s+an?\b",
    re.IGNORECASE,
)


def constraints(prompt: str) -> list[str]:
    """The limits that a prompt states, in its own words, in order; a limit inside another one is not told twice."""
    return list(dict.fromkeys(text for _, _, text in limits_in(prompt)))


def limits_in(prompt: str) -> list[tuple[int, int, str]]:
    """The same, each with the letters [start, end) where it stands."""
    found: list[tuple[int, int, str]] = []
    for pattern in _LIMITS:
        for match in pattern.finditer(prompt):
            text = re.sub(r"\s+", " ", match.group(0).strip().lower())
            if not _NOT_A_LIMIT.match(text):
                found.append((match.start(), match.end(), text))
    found.sort(key=lambda f: (-(f[1] - f[0]), f[0]))
    kept: list[tuple[int, int, str]] = []
    for start, end, text in found:
        if not any(s < end and start < e for s, e, _ in kept):
            kept.append((start, end, text))
    return sorted(kept)


def _ahead(prompt: str) -> Quantity | None:
    """ "Forecast sales for 7 days": how far, whatever stands between."""
    said = (q for q in find_quantities(prompt) if q.unit in _CALENDAR and q.value >= 1)
    return next((q for q in said if _FORECAST_FOR.search(prompt[: q.start])), None)


def _word_end(text: str, at: int) -> int:
    return at + len(re.match(r"\w*", text[at:]).group())  # pyright: ignore[reportOptionalMemberAccess]


def parameter_spans(prompt: str) -> list[tuple[int, int]]:
    """The letters [start, end) that state numbers with their roles, methods, formats, formulas and limits."""
    spans = [(start, end) for start, end, _ in limits_in(prompt)]
    for q in find_quantities(prompt):
        spans.append((q.start, q.end))
        for role in _ROLES if _role_of(prompt, q) is not None else ():
            before = role.before and re.search(rf"\b{role.before}{_BEFORE}", prompt[: q.start].lower())
            after = role.after and re.match(role.after, prompt[q.end :].lower())
            spans += [(before.start(), q.start)] if before else []
            spans += [(q.end, _word_end(prompt, q.end + after.end()))] if after else []
    named = (*_METHODS.values(), *_AGGREGATES.values(), *_CHARTS.values(), *FORMS.values())
    spans += [
        m.span() for pattern in named for m in re.finditer(rf"\b(?:{pattern})(?:\s+format)?\b", prompt, re.I)
    ]
    return spans + [m.span() for pattern in (_SPOKEN, _FORMULA) for m in pattern.finditer(prompt)]


def time_limit(prompt: str) -> float | None:
    """The seconds that the user is ready to wait, where the prompt says so."""
    for q in find_quantities(prompt):
        before = prompt[: q.start].lower()
        if q.unit.seconds and re.search(
            r"\b(?:under|within|in|less than|at most|no more than|up to|max(?:imum)?(?: of)?|below|take)\s*(?:a\s+)?$",
            before,
        ):
            return q.value * q.unit.seconds
    return None
