"""The words of feedback: which mean more, fewer, drop, keep, normal, faster, and what negates them."""

from __future__ import annotations

import re
from dataclasses import dataclass


def words(text: str) -> frozenset[str]:
    """The words of ``text`` as a set."""
    return frozenset(text.split())


NUMBER_WORDS: dict[str, float] = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "dozen": 12,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
    "thousand": 1000,
}
ORDINALS: dict[str, int] = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
ROW_NOUNS = words(
    "row rows record records sample samples index indices observation observations line lines point points "
    "item items entry entries case cases id ids number numbers no # document documents node nodes "
    "transaction transactions event events"
)
FLAG_NOUNS = words(
    "anomaly anomalies outlier outliers alert alerts flag flags hit hits finding findings fraud frauds "
    "rows records samples points items entries cases observations transactions documents nodes results ones "
    "suspects incidents errors"
)
NEGATORS = words(
    "not no never neither nor without stop avoid cannot hardly isn't aren't needn't nothing none"
)
BREAKS = frozenset({",", ";", ".", "!", "?", "but", "however", "though", "although", "yet", ":"})

# Phrases are matched on normalised text, longest first; each is (intent, strength).
_PHRASES: dict[str, str] = {
    # direction: fewer
    "fewer": r"too many|too much|so many|that many|fewer|less|false (?:positives?|alarms?|alerts?|hits?)|false flags?"
    r"|too noisy|noisy|too sensitive|oversensitive|over-?flag\w*|over-?detect\w*|strict(?:er)?|tighten\w*|tighter"
    r"|(?:more )?conservative|less sensitive|(?:raise|raising|increase|higher|up) (?:the )?(?:threshold|bar|cut-?off)"
    r"|(?:threshold|bar|cut-?off) (?:is |should be |must be )?(?:too low|higher|up)"
    r"|(?:contamination|share|rate) (?:is |should be |must be )?(?:too high|lower|down)"
    r"|(?:reduce|lower|decrease|cut|shrink)|(?:smaller) (?:contamination|share|rate)|cry(?:ing)? wolf|only the worst|most of (?:these|them|those) are"
    r"|swamped|drown\w*|not strict enough|overwhelm\w*|flooded|too trigger-?happy|narrow(?:er)? (?:it )?(?:down)?|too aggressive|less aggressive",
    # direction: more
    "more": r"miss(?:ed|es|ing)?|false negatives?|not sensitive enough|too few|too little|not enough|more|slipped (?:through|past|by)|overlook\w*"
    r"|undetected|too strict|too conservative|less strict|less conservative|loosen\w*|looser|relax\w*"
    r"|(?:more )?sensitive|wider|widen|(?:lower|reduce|decrease|drop) (?:the )?(?:threshold|bar|cut-?off)"
    r"|(?:threshold|bar|cut-?off) (?:is |should be |must be )?(?:too high|lower|down)|raise|increase|catch more"
    r"|(?:higher|larger|bigger) (?:contamination|share|rate)|(?:contamination|share|rate) (?:is |should be |must be )?(?:too low|higher|up)"
    r"|escaped|under-?(?:detect|flag)\w*|didn?'?t (?:catch|find|see)|not (?:catch|find|see|spot|flag) (?:all|every\w*|some)"
    r"|(?:fail\w*) to (?:catch|find|flag|spot|see)|more aggressive|several others|there are others|many others",
    # detectors
    "exclude": r"without|exclud\w*|drop\w*|remov\w*|skip\w*|leav\w* (?:[\w·]+ )?out|get\w* rid of|get\w* [\w·]+ out|kick\w* (?:[\w·]+ )?out"
    r"|throw\w* (?:[\w·]+ )?(?:out|away)|ditch\w*|omit\w*|ignor\w*|disabl\w*|tak\w* (?:[\w·]+ )?out|turn\w* off|discard\w*"
    r"|eliminat\w*|everything but|anything but|instead of|rather than|stop using|not using|unselect|deselect|scrap|lose"
    r"|replac\w*|swap\w* (?:out )?|abandon|forget(?: about)?|avoid",
    "include": r"includ\w*|add\w*|us(?:e|ing)|keep\w*|try(?:ing)?|run|bring\w* (?:[\w·]+ )?back|put\w* (?:[\w·]+ )?back|enabl\w*|turn\w* on"
    r"|retain\w*|with|also|restor\w*|go(?:ing)? with|prefer|switch(?:ing)? to|stay\w* with|stick\w* (?:with|to)|leave (?:[\w·]+ )?in|for|by"
    r"|what about|how about|plus|consider|trust",
    # rows
    "normal": r"normal|by mistake|wrongly|mistakenly|incorrectly|in error|erroneously|falsely|should not be (?:there|here|(?:on|in) (?:the|that|this) list)|un-?(?:flag|mark)\w*|fine|ok|okay|expected|legit\w*|genuine|valid|good|harmless|benign|correct|innocent|usual|all ?right"
    r"|false (?:positives?|alarms?|alerts?|flags?)|typical|healthy|acceptable|unremarkable|known|intended|safe",
    "anomalous": r"anomal(?:y|ies|ous)|outliers?|fraud(?:s|ulent)?|suspicious|wrong|bad|weird|odd|strange|abnormal"
    r"|broken|errors?|erroneous|false negatives?|real|bogus|corrupt\w*|fake|incorrect|should(?: have)?(?: been)? be(?:en)? flagged"
    r"|should(?: have)? (?:be|been) (?:flagged|caught|reported)|defect\w*|problem\w*|unusual|rogue|attack|intrusion",
    # running
    "rerun": r"re-?run\w*|again|once more|one more time|repeat\w*|re-?try|re-?seed\w*|(?:different|new|other|another|fresh) seed",
    "replan": r"second opinion|(?:some|any)thing (?:else|different|new)|(?:different|other|another|alternative|new) "
    r"(?:method|approach|algorithm|detector|technique|model|way|family|set|combination|one|idea|strategy)\w*"
    r"|alternativ\w*|switch(?: it)? up|change (?:the )?(?:method|approach|algorithm|detector|technique|model)\w*|start over|else",
    "speed": r"fast(?:er)?|quick(?:er|ly)?|speed(?: it)?(?: up)?|less time|too slow(?:ly)?|slow(?:ly)?|too long|so long|hurry|forever|in a rush|cheaper|lighter",
    "accuracy": r"(?:more |most )?accura\w*|(?:more )?thorough\w*|take your time|(?:more )?precis\w*|better (?:result|quality|detect)\w*"
    r"|(?:best|highest) (?:quality|accuracy)|no rush|in depth|careful\w*|deeper",
    "explain": r"why|explain\w*|reasons?|how come|what(?:'s| is| was| makes?| made)?|tell me about|justif\w*|cause\w*|show me|details?|look at",
    "accept": r"looks? (?:good|right|fine|great|ok|okay|correct|reasonable|about right)|perfect|great|thanks?|thank you|done|finish\w*"
    r"|that'?s (?:all|it|fine|good|great|right|correct|enough)|ship it|accept\w*|approv\w*|agree\w*|confirm\w*|makes sense|i'?m happy|satisfied"
    r"|excellent|well done|nice|all good|no (?:further )?(?:changes?|complaints?|issues?)|spot on|lgtm|good (?:job|work)|nailed it",
    "report": r"report|write[- ]?up|summar\w*",
    "recover": r"recover\w*|fix (?:the )?(?:failed|failing|broken|crashed)|(?:failed|failing|crashed|broken) (?:detector|one|method|model)s?|substitut\w*",
    "undo": r"undo|revert\w*|go back|roll(?:ed)? back|previous (?:result|version|state)|as (?:it was )?before",
    "auto": r"(?:estimate|choose|decide|pick|guess|determine) (?:the )?(?:contamination|threshold|rate|share|number)?(?: for)? ?(?:it )?(?:yourself|automatically|for me)?"
    r"|automatic\w*|default|let (?:the )?data decide|your own (?:threshold|estimate)|(?:to|on|be|as) auto|auto",
    "only": r"only|just|solely|exclusively|nothing but|everything (?:but|except)|all but|all except",
    "flag": r"flag\w*|mark\w*|report|return|show|give me|list|detect|find|label\w*|treat|count|consider|highlight|pick|limit|cap|restrict|keep|want|expect\w*"
    r"|contamination|threshold|anomaly rate|should be|must be|there (?:are|were|is)|down to|set|rate|at most|no more than|up to|top|worst|most",
    "slightly": r"slight(?:ly)?|a (?:little|bit|touch|tad)(?: bit)?|somewhat|marginally|one or two|a couple|barely",
    "strongly": r"way|much|far|a lot|lots|massively|drastically|many|tons|hugely|dramatically|significantly",
}
LEXICON: dict[str, re.Pattern[str]] = {
    intent: re.compile(rf"(?<![\w-])(?:{body})(?![\w-])") for intent, body in _PHRASES.items()
}

DETECTOR_WORDS: dict[str, str] = {
    "isolation forest": "IForest",
    "isolation forests": "IForest",
    "iforest": "IForest",
    "i-forest": "IForest",
    "forest": "IForest",
    "nearest neighbours": "KNN",
    "nearest neighbors": "KNN",
    "nearest neighbour": "KNN",
    "nearest neighbor": "KNN",
    "k-nn": "KNN",
    "local outlier factor": "LOF",
    "one-class svm": "OCSVM",
    "one class svm": "OCSVM",
    "svm": "OCSVM",
    "histogram": "HBOS",
    "histograms": "HBOS",
    "principal components": "PCA",
    "minimum covariance determinant": "MCD",
    "mahalanobis": "MCD",
    "autoencoder": "AutoEncoder",
    "gaussian mixture": "GMM",
}


@dataclass(frozen=True)
class Mark:
    """One word or phrase with a meaning, and where it stands."""

    intent: str
    start: int
    end: int
    negated: bool
    text: str
