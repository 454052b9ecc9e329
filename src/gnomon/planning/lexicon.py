"""Which words speak of which goal.

Each entry is a sequence of word beginnings: ``anomal`` meets "anomaly", "anomalies" and "anomalous";
``=map`` meets exactly "map"; ``mov* together`` meets the two words side by side, ``…`` lets up to three
words stand between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from gnomon.tools import Goal

# Longer sequences win over shorter ones that they contain, so "predict churn from" is not a forecast.
_SPEECH: dict[Goal, str] = {
    Goal.DETECT_ANOMALIES: "anomal|outl|unusual|abnormal|strange|=odd|oddit|weird|suspicious|irregularit|=spike|=spikes|spiking|"
    "fraud|deviat|aberr|unexpected|surpris|glitch|out of the ordinary|do not fit|does not belong|stand out|z score|zscore",
    Goal.INVESTIGATE_ANOMALIES: "investigat … anomal|investigat … outl|investigat … unusual|anomal investigat|"
    "multivariate anomal|multivariate outl|isolation forest|explain … anomal|explain … outl",
    Goal.FORECAST: "forecast|predict|=project|projecting|projection|=future|extrapolat|what will|will … =be|expected … next|"
    "next … =day|next … days|next … weeks|next … =week|next … months|next … =month|next … quarters|next … =quarter|"
    "next … years|next … =year|next … hours|ahead|outlook|upcoming|coming … weeks|coming … months|coming … days",
    Goal.TREND: "trend|=growing|=growth|declin|=rising|=falling|increasing|decreasing|going up|going down|over time|"
    "direction … =of|getting better|getting worse|upward|downward|evolv|evolution|long term movement",
    Goal.SEASONALITY: "season|cyclic|=cycle|=cycles|periodic|weekly pattern|monthly pattern|daily pattern|yearly pattern|"
    "recurring|repeating pattern|day of week|day of the week|time of day|time of year|hour of day|weekly rhythm",
    Goal.CHANGE_POINTS: "change point|changepoint|structural break|structural change|=breakpoint|breakpoints|level shift|"
    "step change|regime|when did … change|when did … shift|when did … jump|when did … drop|abrupt|sudden change|"
    "sudden shift|sudden … =shift|=shift in|=shifts in|turning point",
    Goal.CORRELATION: "correlat|relationship between|relationships between|relation between|related to|association between|"
    "associated with|move together|moves together|linked to|link between|depend on|depends on|connection between|"
    "=related|relate to|goes with|go together|go hand in hand|covar",
    Goal.SEGMENTS: "segment|cluster|persona|similar customers|similar groups|natural groups|group … similar|archetype|"
    "partition … into|k means|kmeans|types of customers|kinds of customers|customer types|customer groups",
    Goal.DISTRIBUTION: "distribut|histogram|spread of|skew|kurtosis|percentile|quantile|quartile|how … spread|shape of|"
    "variability|how … vary|range of values",
    Goal.GEO: "hotspot|hot spot|geograph|geospatial|spatial|=location|locations|latitude|longitude|coordinate|distance|"
    "=map|nearby|=where … concentrat|heat map|bounding box|on the map",
    Goal.TEST: "significan|hypothes|t test|ttest|anova|chi square|chi squared|chi2|mann whitney|wilcoxon|kruskal|"
    "kolmogorov|=ks test|shapiro|normality|normally distributed|p value|statistically|differ between|difference between|"
    "differences between|differ … between|a b test|ab test|is there a difference|really different|really differ",
    Goal.REGRESSION: "regress|coefficient|effect of|effects of|influence of|impact of … on|explained by|drivers of|what drives|"
    "logistic|linear model|predict … from|predict … using|predict … based on|determin … factors|factors … affect|"
    "how much does … affect|feature importance|marginal effect",
    Goal.AGGREGATE: "=total|totals|=sum|summed|sums|=average|averages|=mean|=median|=count|counts|how many|how much|=per|"
    "group by|grouped by|=top|=bottom|highest|lowest|=largest|=smallest|best selling|breakdown|break down|rank|"
    "=maximum|=minimum|=max|=min|aggregat|number of|tally|subtotal|roll up|by each|for each",
    Goal.PROFILE: "=profile|profiling|describe|summary|summari|overview|data quality|missing values|=nulls|null values|"
    "explore|what is in|what does … contain|columns … have|get to know|inspect|health check|completeness|duplicates",
    Goal.DERIVE: "new column|add … column|create … column|calculated column|computed column|deriv|add … field|"
    "create … field|as a ratio|ratio of … =to|calculate … as|compute … as|define … as",
    Goal.BIN: "=bin|=bins|binned|binning|bucket|discreti|into bands|into brackets|into ranges|age groups|into intervals|"
    "into quartiles|into deciles|into quintiles",
    Goal.CLEAN: "=clean|cleaning|cleaned|cleanse|remov … outl|drop … outl|exclud … outl|filter … outl|without outl|"
    "strip … outl|discard … outl|eliminat … outl|winsor|get rid of … outl|trim … outl|remov … anomal|drop … anomal|"
    "exclud … anomal|without … outl|remov … extreme|drop … extreme|ignor … outl|leaving out … outl|leav … out … outl|"
    "outl … remov|outl … drop|outl … exclud|anomal … remov|throw … out … outl|throw … away … outl|remov … spike|cut … outl|prun … outl",
    Goal.JOIN: "=join|joining|joined|=merge|merging|merged|combine … tables|combine … files|combine … with|enrich|"
    "look up … in|lookup|match … with|link … table|attach … to",
    Goal.COMPARE: "compare … tables|compare … files|compare … versions|compare … versus … version|difference between the two|"
    "differences between … files|differences between … tables|differences between … versions|=diff|what changed between|"
    "changed between … versions|changed between … files|old and new|rows … added|rows … removed|compare … snapshots",
    Goal.CHART: "=chart|charts|charting|charted|=plot|plots|plotting|plotted|=graph|graphs|graphing|visuali|draw|drawing|diagram|"
    "bar chart|line chart|scatter|pie chart|heatmap|dashboard|picture",
}  # fmt: skip

TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[^\sa-z0-9]", re.IGNORECASE)
_GAP = 3


@dataclass(frozen=True)
class Mention:
    """A place where a text speaks of a goal: tokens ``start`` to ``end`` (exclusive)."""

    goal: Goal
    start: int
    end: int
    weight: int


@cache
def _phrases() -> list[tuple[Goal, tuple[str, ...]]]:
    return [(goal, tuple(phrase.split())) for goal, speech in _SPEECH.items() for phrase in speech.split("|")]


@cache
def _by_first_letter() -> dict[str, list[tuple[Goal, tuple[str, ...]]]]:
    index: dict[str, list[tuple[Goal, tuple[str, ...]]]] = {}
    for goal, words in _phrases():
        index.setdefault(words[0].lstrip("=")[0], []).append((goal, words))
    return index


def tokens_of(text: str) -> list[str]:
    """The words and signs of ``text``, in lower case."""
    return [t.lower() for t in TOKEN.findall(text.replace("’", "'").replace("-", " "))]


def mentions(words: list[str]) -> list[Mention]:
    """Where the words speak of a goal; a longer mention hides the shorter ones inside it."""
    found: list[Mention] = []
    for at in range(len(words)):
        for goal, phrase in _by_first_letter().get(words[at][0], ()):
            if (end := _match(words, at, phrase)) is not None:
                found.append(Mention(goal, at, end, sum(w != "…" for w in phrase)))
    found.sort(key=lambda m: (-m.weight, -(m.end - m.start), m.start))
    kept: list[Mention] = []
    for m in found:
        if not any(_hides(k, m) for k in kept):
            kept.append(m)
    return sorted(kept, key=lambda m: (m.start, m.end))


def _hides(stronger: Mention, weaker: Mention) -> bool:
    overlap = weaker.start < stronger.end and stronger.start < weaker.end
    return overlap and (stronger.weight > weaker.weight or stronger.goal == weaker.goal)


def _match(words: list[str], at: int, phrase: tuple[str, ...]) -> int | None:
    gap = 0
    for part in phrase:
        if part == "…":
            gap = _GAP
            continue
        for position in _candidates(words, at, gap):
            if _meets(words[position], part):
                at, gap = position + 1, 0
                break
        else:
            return None
    return at


def _candidates(words: list[str], at: int, gap: int) -> Iterator[int]:
    for position in range(at, min(at + gap + 1, len(words))):
        yield position
        if words[position] in {",", ";", ".", "then"}:
            return


def _meets(word: str, part: str) -> bool:
    if part.startswith("="):
        return word == part[1:]
    return word == part or (len(part) > 3 and word.startswith(part))
