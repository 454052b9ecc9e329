"""The closed vocabulary of questions: words that relate names to each other, whatever the data is about.

Each entry is a phrase and what it does. Nothing here belongs to one data set, and no entry is a question.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from gnomon.core.parts import FilterOperator, QuestionKind
from gnomon.semantic import Aggregation


class Op(StrEnum):
    """What a phrase does to the names around it."""

    AGGREGATE = "aggregate"  # payload: Aggregation
    COUNT = "count"
    DISTINCT = "distinct"
    COMPARE_NUMBER = "compare"  # payload: FilterOperator
    OR_MORE = "or_more"  # payload: FilterOperator, after its number
    BETWEEN = "between"
    OUTSIDE = "outside"
    RANK = "rank"  # payload: descending
    ORDINAL = "ordinal"  # payload: int
    BY = "by"
    EACH = "each"
    PER = "per"
    INTO = "into"  # of one total, how much became another
    SHARE = "share"
    EXCLUDE = "exclude"
    NOT = "not"
    AND = "and"
    OR = "or"
    VERSUS = "versus"
    CHANGE = "change"  # payload: "", "pct"
    KIND = "kind"  # payload: QuestionKind
    WHICH = "which"
    THAT = "that"
    WITH = "with"
    WITHOUT = "without"
    MISSING = "missing"
    SIGN = "sign"  # payload: FilterOperator against zero
    CONTAINS = "contains"
    EQUALS = "equals"
    IN = "in"
    OF = "of"
    COMES_FROM = "comes_from"
    BENCHMARK = "benchmark"
    UNIT = "unit"  # payload: a grain of time, as a noun
    ROWS = "rows"
    COLUMNS = "columns"
    TABLES = "tables"
    ONLY = "only"
    THOSE = "those"
    ABOUT = "about"
    WHEN = "when"
    EDGE = "edge"  # payload: Aggregation of a time column
    MOVING = "moving"
    ALL_TIME = "all_time"
    CUMULATIVE = "cumulative"
    VARY = "vary"  # how something lies over groups
    ORDER = "order"  # payload: whether a table starts with the largest
    EVEN = "even"  # payload: whether it is claimed to lie evenly
    REST = "rest"  # all other groups than the one named
    SIGNIFICANT = "significant"
    TEST = "test"  # payload: a test of gnomon.analytics.hypotheses
    FILLER = "filler"


@dataclass(frozen=True)
class Operator:
    """One phrase of the closed vocabulary."""

    op: Op
    payload: Any = None


_A, _F, _K = Aggregation, FilterOperator, QuestionKind

_PHRASES: dict[Op, dict[Any, str]] = {
    Op.AGGREGATE: {
        _A.SUM: "add up to|adds up to|added up to|add up|adds up|sum up to|sums up to|amount to|amounts to|amounted to|total|sum|sum of|overall|combined|altogether|in total|grand total|total of|totals|summed",
        _A.MEAN: "averages|averages of|the averages of|average|avg|mean|on average|average of|the mean of|typical|typically|expected value",
        _A.MEDIAN: "median|median of|middle value of",
        _A.MIN: "minimum|min|minimum of|smallest value of",
        _A.MAX: "maximum|max|maximum of|peak|largest value of",
        _A.STDDEV: "standard deviation|std|stdev|std dev|standard deviation of|variability|volatility",
        _A.VARIANCE: "variance|variance of|sample variance|sample variance of",
        _A.SKEWNESS: "skewness|skewness of|skew|skew of|skewness coefficient|skewness coefficient of|coefficient of skewness|coefficient of skewness of",
        _A.KURTOSIS: "kurtosis|kurtosis of|excess kurtosis|excess kurtosis of",
        _A.IQR: "interquartile range|interquartile range of|inter-quartile range|inter-quartile range of|iqr|iqr of",
        _A.VARIATION: "coefficient of variation|coefficient of variation of|relative standard deviation|relative standard deviation of",
        _A.STANDARD_ERROR: "standard error|standard error of|standard error of the mean|standard error of the mean of",
        _A.GEOMETRIC_MEAN: "geometric mean|geometric mean of|geometric average|geometric average of",
        _A.MODE: "mode|mode of|modal value|modal value of|most frequent value of|most common value of|most frequently occurring value of",
    },
    Op.COUNT: {None: "how many|number of|count|count of|counts of|the count|total number of|tally|tally of|no of|amount of times|how often|frequency of|how frequently|total count of|volume of|number"},
    Op.DISTINCT: {None: "distinct values of|different values of|unique values of|distinct values|different values|unique values|distinct|unique|different|separate|individual"},
    Op.COMPARE_NUMBER: {
        _F.GREATER: "more than|greater than|higher than|over|above|exceeding|exceeds|exceed|exceeded|larger than|bigger than|>|beyond|in excess of|upwards of|greater|topping|surpassing|surpassed|better than|past",
        _F.LESS: "up to but not including|up to , but not including|up to but excluding|up to but not reaching|less than|fewer than|lower than|under|below|smaller than|<|beneath|worse than|short of",
        _F.AT_LEAST: "no lower than|not under|no smaller than|greater than or equal to|more than or equal to|higher than or equal to|larger than or equal to|at least|no less than|not less than|no fewer than|minimum of|>=|not below|starting at",
        _F.AT_MOST: "less than or equal to|lower than or equal to|smaller than or equal to|fewer than or equal to|at most|no more than|not more than|up to|up to and including|through to|no greater than|not over|no larger than|maximum of|<=|not exceeding|not above|no higher than",
    },
    Op.OR_MORE: {
        _F.AT_LEAST: "or more|or higher|or above|or greater|or over|or better|or up|and above|and up|and over|or older|or longer|+",
        _F.AT_MOST: "or less|or fewer|or lower|or below|or under|or younger|or shorter|and below|and under",
    },
    Op.BETWEEN: {None: "between|somewhere between|anywhere between|ranging from|in the range|in the range of|range from|anywhere from"},
    Op.OUTSIDE: {None: "outside|outside of|not between|outside the range|outside the range of"},
    Op.RANK: {
        True: "top|highest|best|most|largest|biggest|greatest|leading|strongest|maximal|number one|most common|most frequent|most prevalent|most dominant|predominant|dominant|dominates|dominate|most often|the most|leads in|leads by|lead in|led in|leads on|comes first|come first|came first|comes out on top|came out on top|tops the list|the most times|most times|most frequently|peaked|peaks|record high|record high of|record number of|the record number of|all time high|all time high of|all-time high|all-time high of|all time record|record for",
        False: "bottom|lowest|worst|least|fewest|smallest|weakest|minimal|poorest|least common|least frequent|least prevalent|rarest|least often|least frequently|the fewest times|fewest times|bottomed out|record low|record low of|all time low|all time low of|all-time low|all-time low of",
    },
    Op.ORDER: {
        True: "in descending order|in decreasing order|descending order|decreasing order|descending|sorted descending|from highest to lowest|from most to least|from largest to smallest|from high to low|from biggest to smallest|highest to lowest|largest to smallest|most to least|starting with the highest|starting with the largest|starting with the most|starting from the highest|starting from the largest",
        False: "in ascending order|in increasing order|ascending order|increasing order|ascending|sorted ascending|from lowest to highest|from least to most|from smallest to largest|from low to high|from smallest to biggest|lowest to highest|smallest to largest|least to most|starting with the lowest|starting with the smallest|starting with the fewest|starting from the lowest|starting from the smallest",
    },
    Op.ORDINAL: {i + 1: w for i, w in enumerate(("first|1st", "second|2nd|runner up", "third|3rd", "fourth|4th", "fifth|5th"))},
    Op.BY: {None: "divided between|divided among|divide between|divide among|divide up between|divided up between|divides between|divide up among|split between|split among|spread across|distributed across|distributed among|distributed over|by|broken down by|break down by|breakdown by|split by|grouped by|group by|sliced by|segmented by|separated by|divided by|sorted by|ordered by|ranked by|rank by|in terms of|when it comes to|with regard to|with respect to|according to|breakdown|as a function of|depending on|based on|splitted by|split across|broken out by|divide up between|divides up between|divide between|divides between|divided between|divide up by|split up by|split between|splits between|split up between|distributed by|categorized by|aggregated by"},
    Op.EACH: {None: "every combination of|each combination of|all combinations of|combinations of|each|every|for each|for every|in each|in every|across|of each|within each|all the different|from each|at each|to each|on each"},
    Op.PER: {None: "per|a piece|apiece"},
    Op.INTO: {None: "turn into|turns into|turned into|turning into|convert into|converts into|converted into|convert to|converts to|converted to|translate into|translates into|translated into"},
    Op.SHARE: {"majority": "majority of|the majority of|a majority of|more than half of|over half of", None: "percentages|percentages of|as percentages|shares|shares of|what slice of|slice of|which part of|which part|what part|out of every hundred|out of every 100|out of 100|of every hundred|of every 100|in every hundred|how many percent|what percent|how much percent|what percentage|mix|composition|share|slice of|what slice of|share of|percentage|percentage of|percent|percent of|% of|%|proportion|proportion of|fraction of|what part of|portion of|what fraction of|pct of|pct|ratio of|contribution of|contribution|contribute|contributes|contributed|how much of|make up|makes up|account for|accounts for|accounted for|accounting for"},
    Op.EXCLUDE: {None: "everywhere but in|everywhere but|everyone but|anyone but|anything but|neither|excluding|except|except for|exclude|excludes|other than|apart from|but not|leaving out|leave out|leaving aside|forget|take out|remove|without counting|ignoring|not counting|not including|aside from|omitting|minus|besides|all but|everything but|disregarding|rather than|instead of"},
    Op.NOT: {None: "not|non|isn't|wasn't|weren't|aren't|never|did not|didn't|don't|doesn't|do not|does not|haven't|hasn't|hadn't|have not|has not|had not|is not|was not|were not|not in|not from|no longer|not yet|have yet to|has yet to|had yet to|are yet to|is yet to"},
    Op.AND: {None: "and|,|plus|&|as well as|along with|together with|also"},
    Op.OR: {None: "or|either|nor"},
    Op.VERSUS: {None: "beat|beats|beaten|outperform|outperforms|outperformed|outdo|beside|next to|gap in|gap|vs|versus|compared to|compared with|against|compare|comparing|relative to|in comparison to|in comparison with|than|as opposed to|comparison between|comparison of|difference between|differences between|differences in|difference among|differences among|differences|differ between|differ from|differs from|difference in|compares|compares to|stack up against|gap between"},
    Op.CHANGE: {
        "": "go up|goes up|went up|gone up|going up|go down|goes down|went down|gone down|going down|come down|came down|climb|climbed|fallen|dropping|shrink|change|changed|grow|grew|growing|rising|falling|shrinking|declining|increasing|decreasing|growth|increase|increased|decrease|decreased|decline|declined|rise|rose|risen|drop|dropped|fall|fell|difference|gain|gained|improve|improved|grown|evolve up|shift|jump|jumped|up or down|delta|net change|worsen|worsened|move|moved|surge|surged|plunge|plunged|slump|slumped|dip|dipped|plummeted|soared|shrank|shrunk|upswing|upturn|downturn",
        "pct": "growth rate|percentage change|percent change|% change|rate of change|relative change|percent growth|percentage growth|% growth|percentage increase|percent increase|% increase|percentage decrease|rate of growth|percentage points|how many percentage points|points",
    },
    Op.KIND: {
        _K.TREND: "trend|trends|trending|upward trend|downward trend|increasing trend|decreasing trend|rising trend|falling trend|declining trend|growing trend|positive trend|negative trend|upward trends|downward trends|over time|timeline|time series|evolution|evolve|evolved|evolving|develop|developed|development|progress|progressed|progression|history|historical|movement|through time|over the course of|trajectory|pattern over time|month by month|day by day|week by week|year by year",
        _K.DISTRIBUTION: "distribution|distribution of|distributed|histogram|spread|spread of|quartiles|percentiles|box plot|boxplot|range of|range|dispersion|how spread out",
        _K.CORRELATION: "correlation|correlation coefficient|correlation coefficient of|correlation coefficient between|coefficient of correlation|correlate|correlated|correlates|relationship|relationship between|relation between|related|related to|association between|associated with|associated|correlation between|correlation of|linked to|link between|connection between|relate|relates|covary|go together|goes with|move together|moves with|move with|moves along with|go hand in hand|go up with|goes up with|go down with|goes down with|rise with|rises with|fall with|falls with|grow with|grows with|increase with|increases with|decrease with|decreases with|decline with|declines with|drop with|drops with",
        _K.ANOMALY: "anomaly|anomalies|anomalous|unusual|outlier|outliers|abnormal|spike|spikes|strange|odd|weird|suspicious|irregular|out of the ordinary|unexpected",
        _K.FORECAST: "forecast|forecasted|predict|prediction|projection|projected|expect to|will be|going to be|predicted|outlook|extrapolate",
        _K.CAUSE: "why|reason|reasons|cause|caused|causes|driver|drivers|driving|drives|drove|explain|explains|root cause|because of what|how come|what led to|led to|what is behind|what's behind|whats behind|what was behind|is behind|are behind|was behind|lies behind|lay behind|reason behind|reasons behind|responsible for|due to what|attributable",
        _K.LIST: "name the|show me all|show all the|show me the list of|list|list of|list all|enumerate|name all|names of|show all|give me all|what are the different|which are the",
        _K.PROFILE: "describe the data|what data|data set about|dataset about|what is in|what's in|summarize|summarise|summary|summary of|overview|overview of|profile|describe|what tables|which tables|schema|structure|what columns|which columns|what fields|what information",
    },
    Op.WHICH: {None: "which|what|who|whose|whom|where|what kind of|what type of|which of the|which kind of|which type of"},
    Op.THAT: {None: "that|who|whose|which have|which had|where the|that have|that had|who have|who had|which were|that were|that are|who are|who were|whose"},
    Op.WITH: {None: "picked up|pick up|picks up|garnered|garner|garners|racked up|attracted|got|get|gets|received|receive|with|having|had|has|have|containing any|that got|including|featuring|carrying"},
    Op.WITHOUT: {None: "without|lacking|lack|lacks|lacked|with no|having no|had no|has no|have no|free of|no"},
    Op.MISSING: {None: "not filled in|never filled in|never recorded|not noted|never noted|not stated|not specified|missing|unknown|blank|empty|null|nulls|not recorded|unspecified|not available|undefined|not known|unrecorded|no value for|nan"},
    Op.SIGN: {_F.LESS: "negative|loss making|lossmaking|unprofitable", _F.GREATER: "positive|nonzero|non zero"},
    Op.CONTAINS: {None: "containing|contain|contains|mentioning|mention|mentions|that mention|that say|include the word|includes the word|with the word|the word|starting with"},
    Op.EQUALS: {None: "equal to|equals|equal|=|exactly|of exactly|is exactly|precisely|was equal to|set to"},
    Op.COMES_FROM: {None: "come from|comes from|came from|coming from|is from|are from|were from|was from|generated by|belongs to|belong to|made by|goes to|go to|went to|attributable to|contributed by|derived from|originates from|stems from"},
    Op.BENCHMARK: {None: "benchmark|benchmarks|industry average|industry|peers|peer group|market average|industry benchmark|competitors benchmark|category benchmark|industry median|the benchmark"},
    Op.UNIT: {
        "@weekday": "weekday|weekdays|day of the week|days of the week|day of week",
        "@hour": "hour of the day|hour of day|time of day", "@month": "month of the year|calendar month",
        "hour": "hour|hours", "day": "day|days|date|dates", "week": "week|weeks", "month": "month|months",
        "quarter": "quarter|quarters", "year": "year|years", "decade": "decade|decades",
    },
    Op.ROWS: {None: "rows|row|records|record|entries|entry|observations|observation|data points|instances|samples|cases|lines|items in the data|examples|readings|reading|measurements|measurement"},
    Op.COLUMNS: {None: "columns|column|fields|field|variables|variable|attributes|attribute|features"},
    Op.TABLES: {None: "tables|table|datasets|dataset|data set|files|file"},
    Op.ONLY: {None: "only|just|solely|exclusively|limited to|restricted to|restrict to|filter to|filtered to|narrow to|limit to"},
    Op.THOSE: {None: "those|these|them|it|they|same|the same|same thing|the same thing|that one|this one|ones|one|" + "|".join(f"{a}same {u}" for a in ("the ", "") for u in ("day", "week", "month", "quarter", "year", "period", "time", "days", "months", "years"))},
    Op.ABOUT: {None: "what about|how about|and for|and what about|and how about|same for|now for|do the same for|repeat for|same thing for|now show|now"},
    Op.WHEN: {None: "when|at what time|at which time|what time|on what date|on which date|what date|which date|what day was|since when"},
    Op.EDGE: {_A.MAX: "last time|the last time|latest time|most recent time|last|latest|most recent|most recently|newest", _A.MIN: "first time|the first time|earliest time|earliest"},
    Op.MOVING: {None: "moving average|rolling average|moving average of|rolling average of|rolling mean|moving mean"},
    Op.ALL_TIME: {None: "since the records begin|since records begin|since records began|since the records began|since the data begins|over the whole record|the whole record|over the entire record|on record|all time|the whole time|whole time|of all time|all dates|the entire period|entire period|whole period|since the beginning|over the whole history|over the entire history|over our whole history|over our entire history|the whole history|whole history|the entire history|entire history|over the whole period|over the entire period|overall time|all the time|altogether over time"},
    Op.CUMULATIVE: {None: "cumulative|running total|running total of|cumulated|accumulated|running sum"},
    Op.VARY: {None: "vary|varies|varied|varying|differ|differs|differed|variation|variation in|variation of|variations in|pattern|patterns|pattern of|patterns of|patterns in|pattern in|fluctuate|fluctuates"},
    Op.EVEN: {
        True: "evenly|uniformly|equally|evenly distributed|uniformly distributed|equally distributed|evenly spread|balanced|uniform|homogeneous",
        False: "concentrated|concentrate|clustered|unevenly|unevenly distributed|dominated by|skewed towards|skewed toward|unbalanced|imbalanced",
    },
    Op.REST: {None: "others|the others|the rest|all others|all the others|any other|everyone else|everybody else|anyone else|the remaining|the remaining ones|the other ones|other ones|elsewhere"},
    Op.SIGNIFICANT: {None: "significant|significantly|statistically significant|statistically significantly|statistically|statistical|significance|statistical significance|significance level|level of significance|p-value|p-values|alpha|alpha level|confidence level"},
    Op.TEST: {
        "student_t": "t-test|t-tests|student t-test|students t-test|two-sample t-test|independent t-test|independent samples t-test|independent-samples t-test|independent two-sample t-test|unpaired t-test",
        "welch_t": "welch t-test|welch test|welch",
        "mann_whitney": "mann-whitney|mann-whitney u|mann-whitney test|mann-whitney u test|rank-sum test|wilcoxon rank-sum test",
        "anova": "anova|one-way anova|anova test|one-way anova test|analysis of variance|f-test",
        "kruskal": "kruskal-wallis|kruskal-wallis test|kruskal-wallis h test|kruskal test",
        "chi2": "chi-square|chi-squared|chi-square test|chi-squared test|chi2|chi2 test|chi-square test of independence|chi-squared test of independence|chi-square test for independence|test of independence",
        "fisher": "fisher exact test|fishers exact test|fisher test",
        "levene": "levene|levene test",
        "independence": "independent of|independent from|statistically independent of|statistically independent",
        "auto": "hypothesis test|significance test|statistical test|test of significance",
    },
    Op.FILLER: {None: "thanks in advance|thank you in advance|many thanks in advance|looking after|look after|looks after|taking care of|take care of|going by|judging by|judging from|even though|have no clue|has no clue|no clue|have no idea|no idea|out the door|out of the door|measured as|expressed as|out of curiosity|just out of curiosity|turned out to be|turn out to be|turns out to be|turned out|took part in|take part in|takes part in|taken part in|took part|take part|takes part|taken part|participated in|participate in|participated|participate|side by side|at least once|leave us|leaves us|left us|nothing else|nothing more|that is all|all in all|so kind as to|be so kind|so kind|kind enough to|kind enough|if you do not mind|if you don't mind|ties included|including ties|with ties|ties and all|thrown together|taken together|lumped together|put together|would it be possible|is it possible|if possible|regardless of|irrespective of|no matter which|no matter the|all three|all four|all five|the two|the three|no wait|i meant|i mean|scratch that|in absolute terms|the thing|one line|how high|how low|how big|how large|how good|how bad|how strong|at the moment|right now|talk about|so far|to know|to date|name me"},
    Op.IN: {None: "among|amongst|across all|across the|in|for|from|at|within|on|of type|inside|during|to|via|through|into|among all|behind"},
    Op.OF: {None: "of"},
}  # fmt: skip

# Words that only hold a sentence together; they never count as content.
_FILLERS = """a an the this my our your their his her its we i you us me he she they there here is are was were be been
being am do does did done doing can could would should will shall may might must please kindly show give tell display
present find get fetch pull retrieve see view look want need know like wondering wonder let lets let's help calculate
compute work determine figure out provide return me back up what's how much so far ever still yet then ok okay hey hi
hello thanks thank you too very really actually exactly currently current right now about approximately roughly around
value values level levels amount amounts figure figures data result results information info quick quickly question cheers regards thx
report answer many some any all both whole entire full such as if when while whether i'd i'm we've i've im id
interested curious happen happened happens make made making come comes came go goes going went take took taken keep kept run
ran use used using terms way respect regard regarding concerning respectively have had has having got gotten occur
occurred plot chart graph draw visualize visualise tabulate rank ranks ranking ranked sorted sort breakdown also again
compared comparison against one ones other than from by with for in of on at to into per or and not no but nor it's
that's there's business company overall general across store shop perform performing performance performed play plays played exist
exists existing available seen observe observes observed notice noticed noticeable noticeably detect detected identify spot visible recorded placed received logged noted listed counted entered captured
tracked held written charged posted submitted published issued place places placing wants wanted anywhere anything
everything somewhere status site website needed needs filed serve served carried took teh hmm wait oh ah well clue thing things everybody everyone collected whats pls plz meaning moment gave given give receive receives received higher lower greater larger bigger smaller better worse break strongly closely cast carry carries together instead reports per simply although though
please belonging located based found dollars dollar euros euro bucks usd eur gbp achieve achieved reach reached
generate generated generating bring brought brings produce produced yield yielded register registered reported stand
stands stood sit sits sat lie lies lay equal equals add adds added include included including involve say said tells mean means meant looks
looked seem seems set similar just only even either each every specific particular given certain individual single
sees saw seeing gives give gave uses takes stays stay stayed remain remains remained arise arises arose arisen occurs occurring took taking
incur incurred incurs owned owns possess possesses obtain obtained obtains collect collects gather gathered offer
offers offered state states stated mention mentions mentioned indicate indicates display displays displayed
something someone somebody anyone anybody stuff arrive arrived arrives own content put possible grateful sorry they'll they're they'd they've we'll we'd we're i'll you're it'll throughout
newly separately individually which who whom whose where what why theirs ours mine yours hers between among period time times range span
date dated ended ending started starting until till since ago last past previous next coming upcoming prior
latest most more less least fewer highest lowest wise basis split broken down group grouped grouping bucket
simply basically essentially literally honestly frankly apparently evidently obviously although though
don't doesn't didn't isn't aren't wasn't weren't haven't hasn't won't cannot can't d ll re ve m t"""

FILLERS = frozenset(_FILLERS.split())


@cache
def operators() -> dict[tuple[str, ...], Operator]:
    """The phrases, as tuples of folded words, and what they do."""
    found: dict[tuple[str, ...], Operator] = {}
    for op, entries in _PHRASES.items():
        for payload, phrases in entries.items():
            for phrase in phrases.split("|"):
                for spelt in (phrase, phrase.replace("-", " - "), phrase.replace("-", " ")):
                    found.setdefault(tuple(spelt.split()), Operator(op, payload))
    return found


@cache
def operator_words() -> frozenset[str]:
    """The words that the phrases are made of."""
    return frozenset(word for phrase in operators() for word in phrase)


LONGEST = 7
