"""Which words speak of which goal.

Each entry is a sequence of word beginnings: ``anomal`` meets "anomaly", "anomalies" and "anomalous";
``=map`` meets exactly "map"; ``mov* together`` meets the two words side by side, ``…`` lets up to three
words stand between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from gnomon.core.patterns import regex
from gnomon.embedding.lexicon import get_lexicon
from gnomon.tools import Goal

# Longer sequences win over shorter ones that they contain, so "predict churn from" is not a forecast.
_SPEECH: dict[Goal, str] = {
    Goal.DETECT_ANOMALIES: "anomal|outlier|outlying|unusual|abnormal|strange|=odd|oddit|weird|suspicious|irregularit|=spike|=spikes|"
    "spiking|fraud|deviat|aberr|unexpected|surpris|glitch|out of the ordinary|do not fit|does not belong|stand out|"
    "stands out|z score|zscore|extrem|=off|fishy|erroneous|wrong values|implausib",
    Goal.INVESTIGATE_ANOMALIES: "investigat … anomal|investigat … outlier|investigat … unusual|investigat … suspicious|"
    "anomal investigat|multivariate anomal|multivariate outlier|isolation forest|explain … anomal|explain … outlier|"
    "dig … into … anomal|dig … into … outlier|several detectors|ensemble of detectors|why … anomal|why … suspicious",
    Goal.FORECAST: "forecast|predict|=project|projecting|projection|=future|extrapolat|what will|will … =be|expected … next|"
    "next … =day|next … days|next … weeks|next … =week|next … months|next … =month|next … quarters|next … =quarter|"
    "next … years|next … =year|next … hours|ahead|outlook|upcoming|coming … weeks|coming … months|coming … days|coming … year|coming … =quarter|coming … =week|coming … =month|will … develop|will … grow|"
    "will … evolv|will … need|will … look|estimat … next|estimat … coming|by the end of",
    Goal.TREND: "trend|=growing|=growth|declin|=rising|=falling|increasing|decreasing|going up|going down|over time|"
    "direction … =of|getting better|getting worse|upward|downward|evolv|evolution|long term movement|"
    "=grew|=grown|=risen|=fallen|improving|worsening|=improved|worsened|year over year|month over month|has … changed|have … changed",
    Goal.SEASONALITY: "season|cyclic|=cycle|=cycles|periodic|weekly pattern|monthly pattern|daily pattern|yearly pattern|"
    "hourly pattern|annual pattern|recurring|repeating pattern|repeat … every|day of week|day of the week|time of day|"
    "time of year|hour of day|weekly rhythm|daily rhythm|weekly cycle",
    Goal.CHANGE_POINTS: "change point|changepoint|structural break|structural change|=breakpoint|breakpoints|level shift|"
    "step change|regime|when did … change|when did … shift|when did … jump|when did … drop|abrupt|sudden change|"
    "sudden shift|sudden … =shift|suddenly|=shift in|=shifts in|turning point|=break in|=breaks in|when … start … =to",
    Goal.CORRELATION: "correlat|relationship between|relationships between|relation between|=related|relate to|"
    "association between|associated with|move together|moves together|linked to|link between|depend on|depends on|"
    "connection between|goes with|go together|go hand in hand|covar|tied to|goes hand in hand",
    Goal.SEGMENTS: "segment|cluster|persona|similar customers|similar groups|natural groups|group … similar|archetype|"
    "partition … into|k means|kmeans|types of customers|kinds of customers|customer types|customer groups|alike|"
    "behave similarly",
    Goal.DISTRIBUTION: "distribut|histogram|spread of|skew|kurtosis|percentile|quantile|quartile|how … spread|shape of|"
    "variability|how … vary|range of values|how … varies",
    Goal.GEO: "hotspot|hot spot|geograph|geospatial|spatial|=location|locations|latitude|longitude|coordinate|distance|"
    "=map|nearby|=where … concentrat|heat map|bounding box|on the map|on a map|=nearest|=closest|=farthest",
    Goal.TEST: "significan|hypothes|t test|ttest|anova|chi square|chi squared|chi2|mann whitney|wilcoxon|kruskal|"
    "kolmogorov|=ks test|shapiro|normality|normally distributed|p value|statistically|differ between|difference between|"
    "differences between|differ … between|a b test|ab test|is there a difference|really different|really differ|"
    "test whether … depend|test whether … differ|test if … differ|test if … depend|test whether|test if|test that|"
    "differ from each other|equal across|same average|same mean|=differently|equally",
    Goal.REGRESSION: "regress|coefficient|effect of|effects of|influence of|impact of … on|explained by|drivers of|what drives|"
    "logistic|linear model|predict … from|predict … using|predict … based on|determin … factors|factors … affect|"
    "how much does … affect|feature importance|marginal effect|=model … =from|=model … using|=model … =by|"
    "as a function of|explain … =with|explain … =by|explain … =from|what explains|what influences|what determines|which factors|what factors|factors … determin|influence … =on|impact … =on",
    Goal.AGGREGATE: "=total|totals|=sum|summed|sums|=average|averages|=mean|=median|=count|counts|how many|how much|=per|"
    "group by|grouped by|=top|=bottom|highest|lowest|=largest|=smallest|best selling|breakdown|break down|rank|"
    "=maximum|=minimum|=max|=min|aggregat|number of|tally|subtotal|roll up|by each|for each|add up|adds up|"
    "=most|=least|worst|=best",
    Goal.PROFILE: "=profile|profiling|describe|summary|summari|overview|data quality|missing values|=nulls|null values|"
    "explore|what is in|what's in|what does … contain|columns … have|get to know|inspect|health check|completeness|duplicates",
    Goal.DERIVE: "new column|add … column|create … column|calculated column|computed column|deriv|add … field|new field|"
    "new variable|create … field|as a ratio|ratio of … =to|calculate … as|compute … as|define … as|moving average|"
    "rolling average|rolling mean|rolling sum|moving mean",
    Goal.BIN: "=bin|binned|binning|bucket|discreti|into … bins|into … bands|into … brackets|into … ranges|age groups|"
    "into … intervals|into quartiles|into deciles|into quintiles|into … buckets",
    Goal.CLEAN: "=clean|cleaning|cleaned|cleanse|winsor|de spike|despike|without outlier|without … outlier|leaving out … outlier|"
    "outlier … remov|outlier … drop|outlier … exclud|anomal … remov|outlier … gone|get rid of … outlier|get rid of … anomal",
    Goal.FILTER: "=filter|filtering|filtered|keep only|keep … rows|rows where|=restrict|=subset|narrow … down",
    Goal.JOIN: "=join|joining|joined|=merge|merging|merged|combine … tables|combine … files|combine … with|combine … =and … =by|combine … =and … =on|enrich|"
    "look up … in|lookup|match … with|link … table|attach … to",
    Goal.COMPARE: "compare … tables|compare … files|compare … versions|compare … versus … version|difference between the two|"
    "differences between … files|differences between … tables|differences between … versions|=diff|what changed between|"
    "changed between … versions|changed between … files|old and new|rows … added|rows … removed|compare … snapshots|"
    "changed since … version|compare … export|compare … extract|different between … export|different between … file|"
    "different between … version|different between … table",
    Goal.CHART: "=chart|charts|charting|charted|=plot|plots|plotting|plotted|=graph|graphs|graphing|visuali|draw|drawing|diagram|"
    "bar chart|line chart|scatter|pie chart|heatmap|dashboard|picture|histogram|=map|on a map|on the map|boxplot|box plot|as bars|as a line|as lines",
}  # fmt: skip

# Taking something out or pulling it in, and what can be meant by it: every pair is a wish to clean.
_REMOVE = ("remov", "drop", "exclud", "filter", "strip", "discard", "eliminat", "trim", "prun", "cap", "clip", "clean",
           "take out", "taking out", "throw out", "throw away", "cut", "ignor", "leav … out", "kick out", "weed out")  # fmt: skip
_REMOVED = (
    "outlier",
    "anomal",
    "extrem",
    "=spike",
    "=spikes",
    "=odd",
    "crazy",
    "weird",
    "unusual",
    "abnormal",
    "strange",
    "glitch",
)
_SPEECH[Goal.CLEAN] += "|" + "|".join(f"{verb} … {noun}" for verb in _REMOVE for noun in _REMOVED)

TOKEN = regex(r"[a-z0-9]+(?:'[a-z]+)?|[^\sa-z0-9]", re.IGNORECASE)
_GAP = 3


@dataclass(frozen=True)
class Mention:
    """A place where a text speaks of a goal: tokens ``start`` to ``end`` (exclusive), by the words ``at``."""

    goal: Goal
    start: int
    end: int
    weight: int
    at: tuple[int, ...] = ()


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
    return [t.lower() for t in TOKEN.findall(_plain(text))]


def _plain(text: str) -> str:
    return text.replace("’", "'").replace("-", " ")


def goal_spans(text: str) -> list[tuple[int, int]]:
    """The letters [start, end) of the words that speak of a goal; those in between are not of them."""
    spans = [(t.start(), t.end()) for t in TOKEN.finditer(_plain(text))]
    return [spans[i] for m in mentions(mended(tokens_of(text))) for i in m.at]


@cache
def _stems() -> list[str]:
    """The long word beginnings of the lexicon, against which misspelt words are compared."""
    parts = {part.lstrip("=") for _, phrase in _phrases() for part in phrase if part != "…"}
    return sorted(p for p in parts if len(p) >= 6)


def mended(words: list[str]) -> list[str]:
    """The words with slips of one letter put right where that makes a word of the lexicon."""
    return [_mended(w) for w in words]


@lru_cache(maxsize=4096)
def _mended(word: str) -> str:
    if len(word) < 6 or not word.isalpha() or any(word.startswith(s) for s in _stems()):
        return word
    if get_lexicon().knows(word):  # "country" is no slip of "counts"
        return word
    for stem in _stems():
        if stem[0] == word[0] and any(_one_slip(word[: len(stem) + d], stem) for d in (-1, 0, 1)):
            return stem
    return word


def _one_slip(a: str, b: str) -> bool:
    """Whether one letter was changed, left out, added, or swapped with its neighbour."""
    if a == b:
        return True
    if abs(len(a) - len(b)) > 1:
        return False
    i = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if len(a) == len(b):
        return a[i + 1 :] == b[i + 1 :] or (a[i : i + 2] == b[i : i + 2][::-1] and a[i + 2 :] == b[i + 2 :])
    short, long = sorted((a, b), key=len)
    return short[i:] == long[i + 1 :]


def mentions(words: list[str]) -> list[Mention]:
    """Where the words speak of a goal; a longer mention hides the shorter ones inside it."""
    found: list[Mention] = []
    for at in range(len(words)):
        for goal, phrase in _by_first_letter().get(words[at][0], ()):
            if spoken := _match(words, at, phrase):
                found.append(Mention(goal, at, spoken[-1] + 1, len(spoken), spoken))
    found.sort(key=lambda m: (-m.weight, -(m.end - m.start), m.start))
    kept: list[Mention] = []
    for m in found:
        if not any(_hides(k, m) for k in kept):
            kept.append(m)
    return sorted(kept, key=lambda m: (m.start, m.end))


def _hides(stronger: Mention, weaker: Mention) -> bool:
    if Goal.CHART in {stronger.goal, weaker.goal} and stronger.goal != weaker.goal:
        return False  # "histogram" asks for a distribution and for a picture of it
    overlap = weaker.start < stronger.end and stronger.start < weaker.end
    return overlap and (stronger.weight > weaker.weight or stronger.goal == weaker.goal)


def _match(words: list[str], at: int, phrase: tuple[str, ...]) -> tuple[int, ...]:
    """Where the words of ``phrase`` stand from ``at`` on; nothing where they do not."""
    gap = 0
    found: list[int] = []
    for part in phrase:
        if part == "…":
            gap = _GAP
            continue
        for position in _candidates(words, at, gap):
            if _meets(words[position], part):
                at, gap = position + 1, 0
                found.append(position)
                break
        else:
            return ()
    return tuple(found)


def _candidates(words: list[str], at: int, gap: int) -> Iterator[int]:
    for position in range(at, min(at + gap + 1, len(words))):
        yield position
        if words[position] in {",", ";", ".", "then"}:
            return


def _meets(word: str, part: str) -> bool:
    if part.startswith("="):
        return word == part[1:]
    return word == part or (len(part) > 3 and word.startswith(part))
