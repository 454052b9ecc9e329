"""The closed vocabulary of questions that relate columns: what asks for it, and how analysts talk about it.

Nothing here belongs to one data set. A word that names something in the data is read as that name first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from gnomon.core.parts import Claim
from gnomon.core.patterns import late_pattern, regex
from gnomon.core.studies import Coefficient, Relation
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader.model_options import CODES

# Stems that ask for a correlation by themselves.
_RELATES = regex(
    r"correlat\w*|cross-correlat\w*|pearson|pearson's|spearman|spearman's|kendall|kendall's|relationships?|relation|relations"
    r"|associat\w+|related|relates?|links?|linked|connections?|connected|corr|depends?|linearly"
)
_STRONG = regex(r"correlat\w*|pearson|pearson's|spearman|spearman's|kendall|kendall's|corr")
_LEADING = vocabulary(
    "to with by on the a an its their any of between among how whether higher lower more less"
)
_ENDING = vocabulary("? . , ; and in for or at if when exist exists linear linearly positive negative")
_GO = frozenset({"go", "goes", "rise", "rises", "grow", "grows", "increase", "increases", "decrease", "decreases", "fall",
                 "falls", "drop", "drops", "decline", "declines", "move", "moves", "vary", "varies"})  # fmt: skip
_BEHIND_GO = frozenset({"with", "together", "alongside", "as"})
_PREDICTS = regex(r"predict\w*|classif(?:y|ier|ication)")
_MODELS = frozenset({"estimate", "estimating", "explain", "explains", "model", "modelling", "modeling"})
_FROM = frozenset({"from", "based", "using", "features", "predictors", "function"})
_REGRESSES = regex(r"regress\w*|logit|ols")
_HELD = regex(r"controll?ing|adjusting|adjusted|accounting|holding|constant")
_TESTED = regex(r"chi2?|chi-squared?|anova|t-tests?|kruskal\w*|mann-whitney|fisher\w*")

_METHODS: dict[str, Coefficient] = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall": "kendall",
    "tau": "kendall",
    "rho": "spearman",
}

TALK = vocabulary(
    """indicator indicators metric metrics stronger weaker differ differs different compare compared analysis analyses analyze analyse analyzing analysing analyzed perform performing conduct conducting carry run running
    apply applying applied compute computing calculate calculating calculated determine determining identify identifying
    explore exploring investigate investigating examine examining assess assessing evaluate evaluating check checking test
    tests testing study studying measure quantify describe discuss interpret interpreting interpretation explanation brief
    briefly conclusion findings finding insight insights understand strength direction magnitude degree extent nature type
    kind form significant significantly significance statistically statistical linear linearly nonlinear non-linear
    nonlinearly monotonic monotone positive negative positively negatively inverse inversely strong weak moderate strongly
    weakly closely tightly strongest weakest highest lowest largest greatest coefficient coefficients pearson spearman kendall
    tau rho r rank pairwise pair pairs matrix heatmap numeric numerical continuous quantitative variable variables column
    columns feature features attribute attributes field fields factor factors method methods default defaults parameters
    parameter library libraries python pandas scipy sklearn scikit-learn scikit learn statsmodels numpy function corr yes no
    null hypothesis value values p-value p-values pvalue p dataset data table exist exists following provided question level
    alpha confidence interval product moment other another corr correlation correlations correlate correlates correlated correlating
    relationship relationships relation relations relate relates related association associations associated link linked links
    connection connected depend depends dependent dependence affect affects influence influences impact
    impacts between together alongside up down go goes rise rises grow grows increase increases decrease decreases fall falls
    drop drops decline declines move moves higher lower more less tend tends most least best respectively change changes vary
    varies case cases these those them they it its this both list listed so then two bigger
    larger greater smaller fewer better worse longer shorter ensure consistency reproducibility consistent purpose sure"""
)
MODEL_TALK = vocabulary(
    """variance variation percentage percent share proportion fraction regression regressions regress regressing predict predicts predicting predicted prediction predictions predictor
    predictors predictive model models modeling modelling modeled build building train training trained fit fits fitting
    fitted machine learning algorithm algorithms classifier classification classify supervised simple multiple multivariate
    multivariable ordinary least squares ols logistic logit binary performance accuracy precision recall score scores error
    errors evaluation metric metrics r2 rsquared r-squared squared root mean absolute target independent response outcome
    explanatory explain explains explained input inputs output based using use used controlling control adjusting adjust
    accounting account holding constant effect effects estimate estimates estimating intercept slope slopes equation split
    well good goodness set sets train-test auc roc f1 rmse mse mae given include including included contribute contributes
    then finally whether linear-regression categorical encode encoded encoding one-hot dummy dummies"""
)

# Words at which a part of the sentence begins that may say which rows are meant.
BOUNDS = vocabulary(
    """for in among amongst where when who whose that which during since before after within across by per each every at from
    if excluding except without only with having of on considering using based given while to"""
)
RELATIVE = frozenset({"who", "whose", "that", "where", "which", "having"})
GROUPING = frozenset({"each", "every", "per", "by"})
SCOPES = frozenset({"for", "among", "amongst", "in", "within", "of", "at", "on", "from", "during", "since"})
WITHOUT = frozenset({"without", "excluding", "except", "only", "before", "after"})
MOST = frozenset(
    {"most", "strongest", "highest", "largest", "greatest", "best", "strongly", "closely", "top"}
)
COMPARED = frozenset({"stronger", "weaker", "differ", "differs", "different", "compare", "compared"})
LEAST = frozenset({"least", "weakest", "lowest", "smallest"})
EVERYTHING = vocabulary(
    """matrix all pairs numeric numerical variables columns features factors variable column feature factor indicator
    indicators metric metrics attribute attributes field fields"""
)
_WHETHER = frozenset({"is", "are", "does", "do", "did", "was", "were", "can", "could", "has", "have", "as"})
_MORE = vocabulary(
    "more less higher lower bigger larger greater smaller fewer better worse longer shorter increase increases decrease decreases rise rises fall falls grow grows"
)
JOINTS = frozenset({"and", ",", "&", "with", "to", "vs", "versus", "or", "on", "against"})


def asks_relation(words: Sequence[str], named: Collection[int] | None = None) -> bool:
    """Whether words ask how columns hang together.

    Args:
        words: The words of a question.
        named: Which of them name columns; where it is known, “associated with each product” is told from “associated
            with price”.
    """
    if any(_TESTED.fullmatch(w) for w in words):
        return False
    if any(_is_relation(words, i, named) for i in range(len(words)) if i not in (named or ())):
        return True
    moves = any(w in _GO and i and set(words[i + 1 : i + 4]) & _BEHIND_GO for i, w in enumerate(words))
    asked = words[:1] and words[0] in {"does", "do", "is", "are", "how", "did", "as", "when", "if"}
    causes = {"affect", "affects", "influence", "influences", "impact", "impacts"} & set(words)
    both = sum(w in _MORE for w in words) > 1 and "than" not in words
    factors = words[:1] and words[0] in {"which", "what"} and EVERYTHING & set(words[:3]) and causes
    return bool(factors) or (bool(asked) and (moves or bool(causes) or both))


def _is_relation(words: Sequence[str], i: int, named: Collection[int] | None) -> bool:
    """Whether a word asks for a relation where it stands."""
    if _STRONG.fullmatch(words[i]):
        return True
    if not _RELATES.fullmatch(words[i]):
        return False
    behind = next((j for j in range(i + 1, len(words)) if words[j] not in _LEADING), len(words))
    joined = behind > i + 1 and words[i + 1] in {"between", "among", "of"}
    ended = behind == len(words) or words[behind] in _ENDING
    return named is None or joined or ended or behind in named


def varies(words: Sequence[str]) -> bool:
    """Whether words only ask how something varies, and not how it hangs together with something."""
    return bool({"vary", "varies", "varied"} & set(words)) and not any(_RELATES.fullmatch(w) for w in words)


def method(words: Sequence[str]) -> Coefficient:
    """The way to correlate that is named; Pearson's where none is."""
    for i, word in enumerate(words):
        if word in _METHODS:
            return _METHODS[word]
        if word == "rank" and any(w.startswith("correlat") or w == "order" for w in words[i + 1 : i + 3]):
            return "spearman"
    return "pearson"


def asked_for(words: Sequence[str], columns: int, study: Relation) -> tuple[Relation, Claim]:
    """What is asked of a relation: whether there is one, of which sign, the strongest or the weakest."""
    said = set(words)
    signs = [w for w in ("positive", "negative") if {w, f"{w}ly"} & said]
    if "inversely" in said or "inverse" in said:
        signs.append("negative")
    shaped = columns == 2 and "linear" in said and {"nonlinear", "non-linear", "curved", "curvilinear"} & said
    asked = {
        "sign": signs[0] if len(signs) == 1 and (columns == 2 or said & (MOST | LEAST)) else None,
        "shaped": bool(shaped),
        "weakest": bool(columns > 2 and LEAST & said and not MOST & said),
    }
    whether = columns == 2 and not shaped and (words[0] in _WHETHER or bool({"whether", "there"} & said))
    return study.model_copy(update=asked), Claim(whether=whether)


_LEVEL = late_pattern(
    r"(?:alpha|significance(?:\s+level)?|level(?:\s+of\s+significance)?|\bp|α)\s*(?:=|<|of|at|:)?\s*0?\.\d+"
    r"|(?:at\s+)?(?:a\s+|the\s+)?(?:0?\.\d+|\d{1,2}\s*%)\s*(?:significance|confidence)?\s*level"
    r"|\d{1,2}\s*%\s*confidence|^\s*(?:question\s*)?\d{1,2}\s*[.:)]",
    re.IGNORECASE,
)


def is_level(question: str) -> Callable[[int, int], bool]:
    """Whether characters tell the level of significance, or the number of the question."""
    spans = [m.span() for m in (*_LEVEL.finditer(question), *CODES.finditer(question))]
    return lambda start, end: any(a <= start and end <= b for a, b in spans)


def asks_model(words: Sequence[str]) -> bool:
    """Whether words ask for a model that predicts a column from others."""
    if any(_REGRESSES.fullmatch(w) for w in words):
        return True
    effects = {"effect", "effects", "impact", "influence"} & set(words) and {"of", "on"} <= set(words)
    explains = words[:1] == ["how"] and {"explain", "explains"} & set(words) and {"well", "much"} & set(words)
    held = any(_HELD.fullmatch(w) for w in words) and {
        "effect",
        "impact",
        "influence",
        "affect",
        "relationship",
    } & set(words)
    models = bool(_MODELS & set(words)) and bool(_FROM & set(words))
    models = models or (
        {"variance", "variation"} & set(words) and {"explained", "explain", "explains"} & set(words)
    )
    return bool(held or models or effects or explains) or any(_PREDICTS.fullmatch(w) for w in words)


# Methods that are not offered here, as people name them.
_OTHER_METHODS = late_pattern(
    r"\b(random forests?|decision trees?|regression trees?|(?:gradient )?boost(?:ed|ing)(?: trees?)?|xgboost|lightgbm|catboost"
    r"|adaboost|support vector (?:machines?|classifiers?|regressions?)|svms?|svc|svr|k[- ]?nearest[- ]neighbou?rs?|k-?nn|knn"
    r"|neural networks?|deep learning|perceptrons?|mlp|lstm|naive bayes|ridge(?: regression)?|lasso(?: regression)?"
    r"|elastic[- ]?net|polynomial regression|poisson regression|quantile regression|discriminant analysis|gaussian process(?:es)?"
    r"|k-?means|principal components?(?: analysis)?|pca)\b",
    re.IGNORECASE,
)


def other_method(question: str) -> str | None:
    """The method that is named and not offered here."""
    found = _OTHER_METHODS.search(question)
    return found[0] if found else None
