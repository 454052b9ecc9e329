"""The closed vocabulary of a distribution's shape: outliers and the rules for them, normality and its tests, skew.

Nothing here belongs to one data set: these are the words around a column, never the column.
"""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern
from gnomon.core.studies import Rule

_NUMBERS = {"one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "half": 0.5}
NUMBER = r"(?:[-−+±]|\+/-)?\s*(?:\d+(?:\.\d+)?|\.\d+|one|two|three|four|five)"
ZSCORE = r"(?:modified\s+)?\b(?:z\s*-?\s*scores?|z\s*-?\s*values?|standard\s+scores?)\b"
DEVIATIONS = r"(?:standard\s+deviations?|std\.?(?:\s+devs?)?|sds?|sigmas?|σ)"
QUARTILES = (
    r"(?:\binter\s*-?\s*quartile\s+range(?:\s*\(iqr\))?|\biqr\b|\btukey(?:['’]s)?(?:\s+fences?)?\b"
    r"|\bbox\s*-?\s*(?:and\s*-?\s*whiskers?\s*)?plots?\b|\bwhiskers?\b|\bquartiles?\b)"
)
_RULE = rf"(?:{ZSCORE}|{QUARTILES}|\b(?:{NUMBER}|three|3)\s*-?\s*sigma\b|{DEVIATIONS})"
_METHOD = r"(?:\s*-?\s*(?:based\s+)?(?:methods?|rules?|approach|criteri(?:on|a)|techniques?|tests?|fences?|statistics?|analysis|detection))"
_MEANS = r"(?:by|using|with|via|through|based\s+on|according\s+to|per|applying|employing|utili[sz]ing|following|under|use|apply|on\s+the\s+basis\s+of|by\s+means\s+of|in\s+terms\s+of)"
_AN = r"(?:(?:the|a|an|its|their|this|that)\s+)?"

OUTLIER = r"(?:outliers?|outlying\s+(?:values?|points?|observations?|rows?)|extreme\s+values|anomalous\s+values?|anomal(?:y|ies))"
_POINT = r"(?:data\s+points?|values?|points?|observations?|records?|rows?|entries|measurements?|ones?)"
LIGHT = (
    r"(?:please|can|could|would|you|we|i|identify|find|detect|locate|determine|check|see|list|show|count|perform|conduct|carry|out|do|run|"
    r"remove|drop|exclude|filter|eliminate|clean|handle|report|give|provide|tell|me|us|calculate|compute|get|return|investigate|analy[sz]e|"
    r"examine|explore|look|and|then|any|all|the|some|for|if|whether|there|are|is|were|was|exist|exists|potential|possible|statistical|"
    r"significant|extreme|clear|total|number|count|of|how|many|what|which|a|an|also|to|percentage|share|proportion|fraction|percent|first|"
    r"next|treat|flag|spot|highlight|discover|have|do|does|much|most|top|largest|biggest|\d+)"
)
_TIES = r"(?:in|on|of|for|from|within|among|with\s+respect\s+to|in\s+terms\s+of|by|across|to|regarding|present\s+in|found\s+in)"
HEAD = late_pattern(
    rf"\b(?:{LIGHT}[\s,]+)*{OUTLIER}\b(?:\s+(?:detection|analysis|identification|tests?|testing|removal|{_POINT}))?"
    rf"(?:\s+(?:are|were|is|do|there|present|found|exist|can|be|seen|we|have))*\s+{_TIES}\s+(?:the\s+distributions?\s+of\s+)?",
    re.IGNORECASE,
)
HAVING = late_pattern(
    rf"\b(?:does|do|did|if|whether)\s+(?P<x>[^.?!;]+?)\s+(?:have|has|contain|contains|include|includes|show|shows|exhibit|exhibits)\s+"
    rf"(?:any\s+|some\s+|significant\s+|potential\s+)*{OUTLIER}\b",
    re.IGNORECASE,
)
BEFORE = late_pattern(
    rf"\b(?:{LIGHT}\s+)+(?P<x>(?!{LIGHT}\b)[\w\"'“”.-]+(?:\s+[\w\"'“”.-]+){{0,4}}?)\s+{OUTLIER}\b"
    rf"(?:\s+(?:are|were|is|there|present|found|exist))*",
    re.IGNORECASE,
)
BEING = late_pattern(
    rf"\b(?:{LIGHT}\s+)*{_POINT}\s+(?:of|in|for)\s+(?P<x>[^.?!;]+?)\s+(?:are|is|were|was|count\s+as|would\s+be)\s+(?:considered\s+)?(?:an?\s+)?{OUTLIER}\b",
    re.IGNORECASE,
)
LATER_HEAD = late_pattern(
    rf"\b(?:{LIGHT}[\s,]+)*(?:removed\s+|detected\s+|identified\s+|found\s+|such\s+)?{OUTLIER}\b"
    r"(?:\s+(?:detection|removed|found|detected|identified|there|are|were|exist|is|present))*",
    re.IGNORECASE,
)

# What describes the rule: it is heard once, and is then no part of what is asked about.
DEFINED = late_pattern(
    rf"^\s*(?:(?:please|and|then|also|here|note\s+that|for\s+this)[\s,]+)*(?:assum\w*|consider\w*|treat\w*|defin\w*|classify|let|"
    rf"an?\s+{OUTLIER}|{OUTLIER}|any\s+{_POINT}|an?\s+{_POINT}|{_POINT}|if|where|(?:calculate|compute)\s+{_AN}{ZSCORE}|{_MEANS}\s+{_AN}{_RULE}{_METHOD}?)\b",
    re.IGNORECASE,
)
_ABOUT_RULE = rf"(?:{ZSCORE}|{OUTLIER}|{QUARTILES}|\bthresholds?\b|{DEVIATIONS})"
ABOUT_RULE = late_pattern(_ABOUT_RULE, re.IGNORECASE)
RULES = [
    late_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"\([^()]*{_ABOUT_RULE}[^()]*\)",
        rf",?\s*\b(?:where|such\s+that|meaning|assuming|considering|defined\s+as|if\s+(?:its|their|the|it|a|an))\b[^.?!;]*{_ABOUT_RULE}[^.?!;]*?(?=[.?!;]|$|,\s+(?:and|then)\b)",
        rf",?\s*(?:\b(?:and|with|using|at|use|set|setting|for|where)\s+)*{_AN}(?:{ZSCORE}\s+)?\b(?:thresholds?|cut\s*-?\s*offs?|multipliers?|limits?|factor)\b(?:\s+value)?"
        rf"(?:\s*(?:of|=|is|at|:|set\s+to|as|to|being))?\s*{NUMBER}(?:\s*(?:{DEVIATIONS}|\*?\s*{QUARTILES}))?(?:\s+(?:for|in)\s+(?:the\s+)?{OUTLIER}\s+detection)?",
        rf",?\s*(?:(?:that|which)\s+)?(?:(?:are|is|lie|lies|lying|fall|falls|have|with|an?\s+absolute|absolute|whose|being)\s+)*(?:{ZSCORE}\s+(?:is\s+|are\s+)?)?"
        rf"(?:more\s+than|greater\s+than|beyond|over|above|at\s+least|outside|exceeding|exceeds?|>)\s*{NUMBER}\s*(?:(?:{DEVIATIONS})\s*(?:away\s+)?(?:(?:from|of|above|below)\s+)?(?:(?:or\s+below|either\s+side\s+of)\s+)?"
        rf"(?:(?:the|its|their)\s+)?(?:mean|average)?)?(?:\s*or\s+(?:less|lower|smaller|lesser|below)\s*(?:than)?\s*{NUMBER})?(?=\s|[.?!,;)]|$)",
        rf",?\s*(?:\b(?:and|then)\s+)?\b{_MEANS}\s+{_AN}(?:(?:standard|usual|simple|common|classic|classical|popular|so-called)\s+)?(?:{NUMBER}\s*(?:\*|x|×|times)?\s*(?:the\s+)?)?{_RULE}{_METHOD}?",
        rf",?\s*\b{_AN}{_RULE}{_METHOD}(?!\w)",
        rf"\bfor\s+(?:the\s+)?{OUTLIER}\s+detection\b",
    )
]
FURTHER = late_pattern(
    r",?\s*(?:\band\s+)?\bif\s+(?:so|yes|any|there\s+are(?:\s+any)?|they\s+exist|present)\b,?|"
    r",?\s*(?:\band\s+)?\b(?:how\s+many(?:\s+(?:are|were)\s+(?:there|they|removed|found))?(?=\s*(?:[?.!,]|$|\band\b))|"
    r"how\s+can\s+they\s+be\s+\w+|(?:please\s+)?(?:list|show|name)\s+them|"
    r"what\s+are\s+(?:they|these|those|their\s+[^.?!]*)|what\s+(?:is|are)\s+(?:the|their)\s+(?:values?|locations?|row\s+numbers?|indices|positions?)[^.?!]*)",
    re.IGNORECASE,
)
REMOVED = late_pattern(
    rf"(?:\b(?:after|once|when|upon|following|by|with)\s+(?:the\s+)?(?:removing|removal\s+of|excluding|exclusion\s+of|dropping|eliminating|filtering\s+out|cleaning|deleting|taking\s+out|discarding|ignoring)"
    rf"\s+(?:(?:any|all|the|these|those|of|such|every)\s+)*(?:{OUTLIER}|them\b)|\b(?:without|excluding|ignoring|disregarding|not\s+counting|leaving\s+out)\s+(?:(?:any|all|the|these|of)\s+)*{OUTLIER}"
    rf"|\b(?:with|once|after|when)\s+(?:the\s+)?{OUTLIER}\s+(?:(?:are|were|is|have|has|been|being)\s+)*(?:removed|excluded|dropped|eliminated|filtered\s+out|taken\s+out|removal)"
    rf"|\b(?:after|following)\s+(?:the\s+)?{OUTLIER}\s+removal|\bafter\s+(?:the\s+)?(?:outlier\s+)?(?:removal|cleaning))(?:\s+(?:from|in|of)\s+(?P<of>[^,.?!;]{{1,60}}?)(?=\s*(?:[,.?!;]|$|\b(?:using|by|with|based|according|for|per|and|left|remain\w*|are|is)\b)))?",
    re.IGNORECASE,
)
ANYTHING = late_pattern(
    r"^\s*(?:the\s+|this\s+|that\s+|these\s+|our\s+)?(?:columns?|data(?:\s*set|\s*frame)?|it|them|table|values|rows)\s*$",
    re.IGNORECASE,
)
LEFT = late_pattern(
    r"\b(?:how\s+many|(?:(?:calculate|determine|report|give|provide)\s+)?(?:the\s+)?number\s+of|count(?:\s+of)?(?:\s+the)?)\s+(?P<x>[^.?!;,]*?)\s*(?:\b(?:are|is|were|was|do|will|be|would)\s+)*\b(?:left|remain(?:s|ing|ed)?|kept)\b(?:\s+in\s+the\s+(?:data(?:set|frame)?|table))?",
    re.IGNORECASE,
)
ROWS = late_pattern(
    r"^(?:\s*\b(?:rows?|values?|records?|entries|data\s+points?|observations?|items|samples|of|in|for|from|the|our|remaining)\b)*\s*",
    re.IGNORECASE,
)
FRESH = late_pattern(r"\b(?:new|updated|resulting|cleaned|revised|remaining|adjusted)\s+", re.IGNORECASE)

_NORMAL = r"(?:(?:approximately|roughly|nearly|truly|significantly|close\s+to|not|indeed|even)\s+)*(?:normally[\s-]+distributed|distributed\s+normally|gaussian(?!\s+distribution)|bell[\s-]+shaped|normal(?=\s*(?:[?.!,;]|$|\bor\b|\busing\b|\bat\b|\bfor\b|\bin\b|\bby\b|\bwith\b)))(?:\s+in\s+distribution)?"
_NORMALITY = r"(?:(?:an?|the)\s+)?(?:(?:approximately|roughly)\s+)?(?:(?:normal|gaussian)\s+distributions?|bell\s+curve|normality|gaussian\s+curve)"
_ADHERES = r"(?:follows?|following|adheres?\s+to|conforms?\s+to|fits?|obeys?|has|have|resembles?|comes?\s+from|came\s+from|deviates?\s+from|departs?\s+from|(?:is|are)\s+consistent\s+with|matches|match|differs?\s+from)"
_SKEWED = r"(?:(?:positively|negatively|right|left|highly|heavily|significantly|strongly|symmetric(?:al)?|normally\s+distributed|normal|or|and|more|to\s+the|is|it|not)[\s,-]+)*(?:skewed|asymmetric(?:al)?|symmetric(?:al)?|lopsided)(?:\s+to\s+the\s+(?:left|right)|\s+(?:left|right)(?:wards?)?|\s+(?:positively|negatively))?(?:\s*,?\s*(?:and|or)\s+(?:is\s+it\s+)?(?:\w+\s+){0,2}?(?:skewed|symmetric(?:al)?|normally\s+distributed|normal|gaussian|positively|negatively|right|left))*"
_OF_ITS = r"(?:(?:the\s+)?(?:shape\s+of\s+)?(?:the\s+)?(?:distributions?|values|data)\s+(?:of|in|for)\s+)?"
_ASKS = r"(?:\b(?:is|are|was|were|does|do|did|if|whether|that)\b)"

TESTS = {
    "shapiro": r"shapiro(?:\s*[-–]?\s*wilk?(?:e?s|['’]s)?)?",
    "dagostino": r"d['’]?\s*agostino(?:['’]s)?(?:\s*(?:[-–]|and)?\s*pearson(?:['’]s)?)?(?:\s+k\s*(?:\^?2|²|-squared))?",
    "jarque_bera": r"jarque\s*[-–]?\s*bera",
    "anderson": r"anderson\s*[-–]?\s*darling",
    "ks": r"(?:kolmogorov\s*[-–]?\s*smirnov|k\s*-?\s*s(?=\s+(?:normality\s+)?test)|lilliefors(?:['’]s)?)",
}
_ANY_TEST = rf"(?:{'|'.join(TESTS.values())})"
TESTED = late_pattern(
    rf",?\s*(?:\b(?:and|then)\s+)?(?:\b(?:by|using|with|via|through|based\s+on|according\s+to|use|apply|applying|perform|performing|conducting|conduct|running|run|doing|means\s+of|employing)\s+)*{_AN}\b{_ANY_TEST}"
    rf"(?:\s+(?:normality|goodness[\s-]of[\s-]fit))?(?:\s+tests?)?(?:\s+(?:of|for)\s+normality)?",
    re.IGNORECASE,
)
SUMMARY = late_pattern(
    r"(?:\b(?:please|can|could|you|give|show|tell|calculate|compute|provide|get|report|what|are|is|me|us|the|a|all|generate|produce)\s+)*"
    r"(?:\b(?:(?:summary|descriptive|basic)\s+(?:statistics|stats)|(?:five|5)[\s-]+number\s+summary|statistical\s+summary)\s+(?:of|for|on|about)\s+"
    r"|^\s*(?:please\s+)?(?:describe|summari[sz]e)\s+)(?:the\s+)?(?:values\s+of\s+|distributions?\s+of\s+)?",
    re.IGNORECASE,
)
NORMALITY_OF = late_pattern(
    rf"(?:\b(?:{LIGHT}|assess|evaluate|test|verify|using|apply|use|with|by|a|an)\s+)*(?:(?:{_ANY_TEST})\s+)?\b(?:normality(?:\s+(?:tests?|checks?))?|tests?\s+(?:of|for)\s+normality|{_ANY_TEST}(?:\s+tests?)?(?:\s+(?:of|for)\s+normality)?)\s+(?:of|on|for|in|to)\s+{_OF_ITS}",
    re.IGNORECASE,
)
IS_NORMAL = late_pattern(
    rf"(?:\b(?:{LIGHT}|assess|evaluate|test|verify)\s+)*?{_ASKS}\s+{_OF_ITS}(?P<x>[^.?!;]+?)\s+"
    rf"(?:(?:is|are|was|were)\s+)?(?:{_ADHERES}\s+{_NORMALITY}|{_NORMAL})",
    re.IGNORECASE,
)
IS_SKEWED = late_pattern(
    rf"(?:(?:\b(?:{LIGHT}|assess|evaluate|test|verify)\s+)*?{_ASKS}\s+{_OF_ITS}(?P<x>[^.?!;]+?)\s+(?:(?:is|are|was|were)\s+)?(?:{_SKEWED}|{_NORMAL}\s+or\s+(?:is\s+it\s+)?{_SKEWED}))"
    rf"|(?:\bhow\s+(?:skewed|symmetric(?:al)?|asymmetric(?:al)?)\s+(?:is|are|was|were)\s+{_OF_ITS}(?P<y>[^.?!;]+))",
    re.IGNORECASE,
)
DISTRIBUTION_OF = late_pattern(
    rf"(?:\b(?:{LIGHT}|describe|assess)\s+)*(?:\b(?:what|is|the|a|shape\s+of)\s+)*\bdistributions?\s+(?:analysis\s+)?(?:of|on|for|in)\s+",
    re.IGNORECASE,
)
ALPHA = late_pattern(
    rf",?\s*(?:\b(?:at|using|with|and|use|for|assuming|under|given|take|by)\s+)*{_AN}(?:"
    r"(?P<a>0?\.\d+|\d+(?:\.\d+)?\s*%)\s*(?:as\s+)?(?:the\s+)?(?:alpha|significance|confidence|level)(?:\s*\(?\s*(?:level|value|threshold|alpha|significance)\s*\)?)*"
    r"|\b(?:alpha|α|significance|confidence|p-?\s?value)(?:\s*\(?\s*(?:level|value|threshold|cut-?off|alpha|α|significance)\s*\)?)*\s*(?:of|=|:|is|as|at|below|<|less\s+than)?\s*(?P<b>0?\.\d+|\d+(?:\.\d+)?\s*%))",
    re.IGNORECASE,
)
HYPOTHESIS = late_pattern(
    r"\b(?:null\s+hypothesis|p\s*-?\s*values?|H0|test\s+statistics?|reject)\b", re.IGNORECASE
)
SIDES = late_pattern(
    r"^(?:[\s,]*\b(?:if|so|yes|and|or|is|it|to|the|in|which|what|direction|way|left|right|positively|negatively|skewed)\b)+[\s?.!]*$",
    re.IGNORECASE,
)
PRONOUN = late_pattern(
    r"^\s*(?:it|they|this|that|these|those|the\s+(?:data|distribution|column|values)|this\s+(?:column|distribution|data|variable)|its\s+distribution)\s*$",
    re.IGNORECASE,
)
COLUMNS = late_pattern(
    r"\b(?:columns?|variables?|fields?|features?|attributes?|values|rows|data\s+points?|dataset)\b",
    re.IGNORECASE,
)


def number(text: str) -> float | None:
    """A number that is written in figures or as a word; its sign says on which side, not how far."""
    said = text.strip().lower().lstrip("+-−±/").strip()
    if said in _NUMBERS:
        return _NUMBERS[said]
    try:
        return abs(float(said))
    except ValueError:
        return None


_THRESHOLDS = [
    late_pattern(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:thresholds?|cut\s*-?\s*offs?|multipliers?|limit|factor)\b(?:\s+value)?(?:\s*(?:of|=|is|at|:|set\s+to|as|to|being))?\s*(?P<n>{NUMBER})",
        rf"(?P<n>{NUMBER})\s*(?:\*|x|×|times)?\s*(?:the\s+)?(?:inter\s*-?\s*quartile\s+range|iqr)\b",
        rf"(?P<n>{NUMBER})\s*-?\s*{DEVIATIONS}",
        rf"{ZSCORE}[^.?!;]*?(?:than|above|over|beyond|exceed\w*|>|outside|of)\s*(?P<n>{NUMBER})",
    )
]


def rule_said(text: str) -> tuple[Rule | None, float | None]:
    """The rule for outliers that a text names first, and its factor."""
    places: dict[Rule, re.Match[str] | None] = {
        "zscore": re.search(rf"{ZSCORE}|{NUMBER}\s*-?\s*{DEVIATIONS}|\bsigma\b|{DEVIATIONS}\s+(?:method|rule|approach)", text, re.IGNORECASE),
        "iqr": re.search(QUARTILES, text, re.IGNORECASE),
    }  # fmt: skip
    found: list[tuple[int, Rule]] = sorted((m.start(), rule) for rule, m in places.items() if m is not None)
    for pattern in _THRESHOLDS:
        if (match := pattern.search(text)) is not None and (said := number(match["n"])):
            return (found[0][1] if found else None), said
    return (found[0][1] if found else None), None


def test_said(text: str) -> str | None:
    """The test of normality that a text names."""
    return next((name for name, said in TESTS.items() if re.search(rf"\b{said}", text, re.IGNORECASE)), None)


def alpha_said(text: str) -> float | None:
    """The level of significance that a text names; a level of confidence is what is left of one."""
    match = ALPHA.search(text)
    if match is None:
        return None
    said = match["a"] or match["b"]
    level = float(said.rstrip("% ")) / (100 if said.endswith("%") else 1)
    level = 1 - level if level > 0.5 else level
    return round(level, 6) if 0 < level < 1 else None
