"""Questions about the shape of a column: outliers among its values, whether it is normal, how it is skewed.

The words of statistics are taken out, with the rule, the test and the level that they name; what is left is read as a
question about the average of the column, so that names, groups, conditions and times are read as anywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from gnomon.core.parts import Parts, QuestionKind
from gnomon.core.patterns import late_pattern, regex
from gnomon.core.studies import Finding, Outliers, Shape
from gnomon.data.column_names import vocabulary
from gnomon.planning.reader import shape_words as said
from gnomon.planning.reader.deviation_counts import counted_by_deviations, deviations_said
from gnomon.planning.reader.left_out_rows import then_without_outliers
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Additivity, Aggregation, Metric, SemanticModel

_K = QuestionKind
_TRIGGER = regex(
    rf"{said.OUTLIER}|\bnormal(?:ly|ity)?\b|\bgaussian\b|\bbell[\s-]|\bskewed\b|\bsymmetric|\basymmetric|\blopsided|shapiro|agostino|jarque|anderson\s*[-–]?\s*darling|smirnov|lilliefors",
    re.IGNORECASE,
)
_STOP = regex(r"(?<=[?!;])\s+|(?<!\b[A-Za-z])(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<=\.)\s+(?=[A-Z0-9“\"'(])|\n+")
_WORD = regex(r"[^\W_]+")
_SURELY = regex(r"distribut|gaussian|normality|bell|skew|symmetr", re.IGNORECASE)
_AVERAGE = "what is the average of "
_OVER_TIME = late_pattern(
    r"\b(?:daily|weekly|monthly|quarterly|yearly|annual|hourly|over\s+time|days?|weeks?|months?|quarters?|years?|time\s+series|trend)\b", re.IGNORECASE
)  # fmt: skip
_LEADING = late_pattern(rf"(?:\b(?:{said.LIGHT}|test|assess|verify)\b[\s,]*)+$", re.IGNORECASE)
_REMOVES = late_pattern(r"\b(?:remov|drop|exclud|eliminat|filter|discard|delet|take\s+out)", re.IGNORECASE)
_SUMMARY = ("mean", "stddev", "min", "p25", "median", "p75", "max", "skewness")
_ANNOUNCED = regex(
    r"^\s*(?:please\s+)?(?:perform|conduct|carry\s+out|do|run|make)\s+(?:an?\s+|the\s+)?(?:statistical\s+)?distribution(?:al)?\s+analysis\b", re.IGNORECASE
)  # fmt: skip
_ANOMALY = regex(r"anomal", re.IGNORECASE)
KEPT = (Aggregation.MEAN, Aggregation.MEDIAN, Aggregation.STDDEV, Aggregation.MIN, Aggregation.MAX, Aggregation.SUM,
        Aggregation.SKEWNESS, Aggregation.KURTOSIS)  # fmt: skip


_Asks = Literal["outliers", "normality", "skewness"]


@dataclass
class _Frame:
    """What the words of statistics ask, and the plain question that is left of each sentence."""

    asks: _Asks | None = None
    left: list[str] = field(default_factory=list[str])
    without: str | None = None
    remain: bool = False
    of: str | None = None


class ShapeQuestions:
    """Reads questions about the shape of columns.

    Args:
        model: What the tables mean.
        read: Reads a plain question.
    """

    def __init__(self, model: SemanticModel, read: Callable[[str, date], Drafted]) -> None:
        self._model = model
        self._read = read

    def read(self, question: str, today: date) -> Drafted | None:
        """The reading of a question about a shape; None where it is none, or is not understood as one."""
        if (after := then_without_outliers(question)) is None:
            return self._directly(question, today)
        for form in (after, question):
            found = self._directly(form, today)
            told = [r.model_copy(update={"question": question}) for r in found.requests] if found else []
            if found and told and all(r.options(Outliers).told == "without" for r in told):
                return found.model_copy(update={"requests": tuple(told)})
        return None

    def _directly(self, question: str, today: date) -> Drafted | None:
        if said.SUMMARY.search(question) is not None:
            return self._summary(question, today)
        if (rest := _announced(question)) is not None:
            reading = self._plain(rest, today)
            told = [r.model_copy(update={"question": question}) for r in reading.requests]
            return (
                reading.model_copy(update={"requests": tuple(told)})
                if reading.status is ReadingStatus.CLEAR
                else None
            )
        if deviations_said(question) and not re.search(said.OUTLIER, question, re.IGNORECASE):
            return self._deviating(question, today)
        frame, plain = _framed(question)
        if frame is None:
            return None
        reading = self._plain(plain, today)
        requests = self._shaped(question, frame, reading) if reading.status is ReadingStatus.CLEAR else None
        if requests is None:
            return None
        if frame.of is not None and not self._is_of(frame.of, requests[0], today):
            return None
        if frame.without is not None and (requests := self._without(frame, requests, plain, today)) is None:
            return None
        return reading.model_copy(update={"requests": tuple(requests), "notes": ()})

    def _summary(self, question: str, today: date) -> Drafted | None:
        """The figures that describe a column: middle, spread and ends, for each group that is named."""
        reading = self._plain(said.SUMMARY.sub(_AVERAGE, question, count=1), today)
        if reading.status is not ReadingStatus.CLEAR:
            return None
        requests = self._shaped(question, _Frame(), reading)
        plainly = re.search(r"statistic|summary|stats", question, re.IGNORECASE) is not None
        if requests is None or not (
            plainly or self._is_over_rows(question, self._model.metric(requests[0].metrics[0]))
        ):
            return None
        made: list[Parts] = []
        for request in requests:
            metric = self._model.metric(request.metrics[0])
            column = f"{metric.table}.{(metric.expression or '').strip('`')}"
            kind = _K.BREAKDOWN if request.dimensions else _K.VALUE
            told = {"kind": kind, "metrics": tuple(f"{how}({column})" for how in _SUMMARY), "each": False}
            made.append(request.model_copy(update=told))
        return reading.model_copy(update={"requests": tuple(made), "notes": ()})

    def _deviating(self, question: str, today: date) -> Drafted:
        """Values so many standard deviations from the mean; what is not understood of it is never left out."""
        counted = counted_by_deviations(question)
        reading = self._plain(counted[0], today) if counted is not None else None
        if counted is not None and reading is not None and reading.status is ReadingStatus.CLEAR:
            requests = self._shaped(question, _Frame(asks="outliers"), reading, surely=True)
            study = Outliers(rule="zscore", threshold=counted[2], told=counted[1])
            if requests is not None:
                made = [r.model_copy(update={"study": study}) for r in requests]
                return reading.model_copy(update={"requests": tuple(made), "notes": ()})
        span = deviations_said(question)
        text = span[0].strip() if span is not None else question
        return Drafted(
            status=ReadingStatus.PARTIAL,
            missing=(text,),
            message=f"I found no place for “{text}” in an answer, and would not leave it out.",
            options=("How many values of a column are within 1 standard deviation of the mean?",),
        )

    def refused(self, question: str, today: date, reading: Drafted) -> Drafted:
        """Why a question about a shape is not answered: by what the data lacks, not by the words of statistics."""
        frame, plain = _framed(question)
        if frame is None:
            return reading
        other = self._plain(plain, today)
        if other.status is ReadingStatus.CLEAR or not set(other.missing) < set(reading.missing):
            return reading
        requests = self._shaped(question, frame, other)
        return other.model_copy(update={"requests": tuple(requests or ())})

    def _plain(self, text: str, today: date) -> Drafted:
        return self._read(re.sub(r"\s+([?.!,;])", r"\1", re.sub(r"\s{2,}", " ", text)).strip(" ,;"), today)

    def _shaped(
        self, question: str, frame: _Frame, reading: Drafted, *, surely: bool = False
    ) -> list[Parts] | None:
        """The requests that the plain reading and the words of statistics make together."""
        if len(reading.requests) != 1:
            return None
        plain = reading.requests[0]
        metrics = [self._model.metric(m) for m in plain.metrics]
        known = plain.kind in (_K.VALUE, _K.BREAKDOWN, _K.DISTRIBUTION) and plain.comparison is None
        if not known or not metrics or not all(map(_is_of_rows, metrics)) or plain.grain is not None:
            return None
        if frame.asks == "outliers" and not surely and not self._is_over_rows(question, metrics[0]):
            return None
        kind = _K.ANOMALY if frame.asks == "outliers" else _K.DISTRIBUTION
        columns: dict[tuple[str | None, str | None], list[str]] = {}
        for reference, metric in zip(plain.metrics, metrics, strict=True):
            columns.setdefault((metric.table, metric.expression), []).append(reference)
        told = {"question": question, "kind": kind, "study": _study(question, frame)}
        return [plain.model_copy(update={**told, "metrics": tuple(of_one)}) for of_one in columns.values()]

    def _is_over_rows(self, question: str, metric: Metric) -> bool:
        """Whether values of rows are meant: what adds up over dates is watched along time unless a rule or rows are named."""
        if _OVER_TIME.search(question):
            return False
        if said.rule_said(question)[0] is not None or said.COLUMNS.search(question):
            return True
        time = self._model.time_dimension(metric)
        if time is None:
            return True
        if _ANOMALY.search(question):
            return False
        table = self._model.table(metric.table or "")
        keyed = table.key == (time.at(table.name),)
        own = next(
            (m for m in self._model.metrics if m.table == metric.table and m.expression == metric.expression),
            metric,
        )
        return keyed or own.additivity is Additivity.NON_ADDITIVE

    def _without(self, frame: _Frame, requests: list[Parts], plain: str, today: date) -> list[Parts] | None:
        """Figures of the values that are left: those that a later sentence asks for, of the same column."""
        first = requests[0]
        asked = [m for r in requests for m in r.metrics]
        if not all(self._model.metric(m).aggregation in KEPT for m in asked):
            return None
        if frame.remain or frame.without == "":
            return [_asking(r, "left" if frame.remain else "without", r.metrics) for r in requests]
        reading = self._plain(str(frame.without), today)
        if not self._is_about(reading, first):
            column = self._model.metric(first.metrics[0])
            name = next(
                (
                    d.label
                    for d in self._model.dimensions
                    if d.at(column.table or "") == (column.expression or "").strip("`")
                ),
                column.label,
            )
            reading = self._plain(f"{str(frame.without).rstrip(' .?!')} of {name}", today)
        if not self._is_about(reading, first):
            return None
        return [_asking(first, "without", reading.requests[0].metrics)]

    def _is_of(self, named: str, request: Parts, today: date) -> bool:
        """Whether the column whose outliers are left out is the one that figures are asked of."""
        reading = self._plain(f"{_AVERAGE}{named}", today)
        return self._is_about(reading, request)

    def _is_about(self, reading: Drafted, request: Parts) -> bool:
        """Whether figures of the very column of a request are asked for, and nothing else."""
        if reading.status is not ReadingStatus.CLEAR or len(reading.requests) != 1:
            return False
        column = self._model.metric(request.metrics[0])
        asked = [self._model.metric(m) for m in reading.requests[0].metrics]
        plain = reading.requests[0].kind in (_K.VALUE, _K.BREAKDOWN)
        same = all((m.table, m.expression) == (column.table, column.expression) for m in asked)
        plain = plain and set(reading.requests[0].dimensions) <= set(request.dimensions)
        plain = plain and set(reading.requests[0].filters) <= set(request.filters)
        return plain and bool(asked) and same and all(m.aggregation in KEPT for m in asked)


def _asking(request: Parts, told: Finding, metrics: Sequence[str]) -> Parts:
    study = request.options(Outliers).model_copy(update={"told": told})
    return request.model_copy(update={"study": study, "metrics": tuple(metrics)})


def _is_of_rows(metric: Metric) -> bool:
    """Whether a metric is computed from a value of each row."""
    counts = metric.aggregation in (Aggregation.COUNT, Aggregation.COUNT_DISTINCT, None)
    return not counts and metric.inner is None and metric.formula is None and metric.expression is not None


def _study(question: str, frame: _Frame) -> Outliers | Shape | None:
    if frame.asks is None:
        return None
    if frame.asks == "outliers":
        rule, factor = said.rule_said(question)
        removed = _REMOVES.search(question) is not None
        return Outliers(rule=rule or "iqr", threshold=factor, removed=removed, named=rule is not None)
    return Shape(of=frame.asks, test=said.test_said(question), alpha=said.alpha_said(question))


def _announced(question: str) -> str | None:
    """What “perform a distribution analysis on … . Calculate the mean of …” asks for: the figures that are named."""
    first, *others = [s for s in _STOP.split(question) if s.strip()] or [""]
    only = _ANNOUNCED.match(first) is not None and _TRIGGER.search(question) is None
    return " ".join(others) if only and others else None


def _framed(question: str) -> tuple[_Frame | None, str]:
    """What the words of statistics ask, and the plain question that is left; nothing where there are none of them."""
    if _TRIGGER.search(question) is None:
        return None, ""
    sentences = [s for s in _STOP.split(question) if s.strip()]
    frame = _outliers(sentences) or _shape(sentences)
    plain = " ".join(s for s in frame.left if _WORD.search(s)) if frame is not None else ""
    if frame is None or frame.asks is None or not plain or _TRIGGER.search(plain):
        return None, ""
    return frame, plain


def _outliers(sentences: Sequence[str]) -> _Frame | None:
    """The question behind words about outliers; None where there are none of them."""
    if not any(re.search(said.OUTLIER, s, re.IGNORECASE) for s in sentences):
        return None
    frame = _Frame()
    for sentence in sentences:
        text, removed = _without_words(sentence)
        if removed is not None and removed["of"] and not said.ANYTHING.match(removed["of"]):
            frame.of = removed["of"]
        head = _headed(text) if removed is None else None
        if frame.asks is None and head is not None:
            frame.asks, text = "outliers", head
        elif frame.asks is not None and removed is None:
            text = _repeated(said.LATER_HEAD.sub(" ", text), frame.left)
        if (left := said.LEFT.search(text)) is not None:
            frame.without, frame.remain = "", True
            text = _remaining(frame, text, left)
        elif removed is not None:
            own = said.FRESH.sub("", text)
            if frame.asks is None:  # "mean and deviation of the catch without outliers"
                frame.asks, frame.without, text = "outliers", "", own
            else:
                frame.without, text = own, ""
        frame.left.append(text)
    return frame


def _remaining(frame: _Frame, text: str, left: re.Match[str]) -> str:
    """What is left of a question of how many remain: nothing, or the column that only it names."""
    named = said.ROWS.sub("", left["x"])
    rest = f"{text[: left.start()]} {text[left.end() :]}"
    if frame.asks is not None:
        return _repeated(rest, frame.left)
    frame.asks = "outliers"
    column, frame.of = frame.of or named, None
    return f"{_AVERAGE}{column} {rest}"


def _without_words(sentence: str) -> tuple[str, re.Match[str] | None]:
    """A sentence without the description of the rule, and whether it speaks of values without outliers."""
    removed = said.REMOVED.search(sentence)
    text = said.REMOVED.sub(" ", sentence)
    if (
        said.DEFINED.search(text)
        and said.ABOUT_RULE.search(text)
        and not said.HEAD.search(text)
        and _HEADLESS.search(text) is None
    ):
        return "", removed
    for rule in said.RULES:
        text = rule.sub(" ", text)
    return said.FURTHER.sub(" ", text), removed


_HEADLESS = late_pattern(r"\b(?:how\s+many|number\s+of|determine|report|count)\b", re.IGNORECASE)


def _headed(text: str) -> str | None:
    """The sentence with the words about outliers turned into a question about the column."""
    for pattern in (said.BEING, said.HEAD, said.HAVING, said.BEFORE):
        match = pattern.search(text)
        if match is None:
            continue
        named = match.groupdict().get("x") or ""
        return f"{text[: match.start()]}{_AVERAGE}{named}{text[match.end() :]}"
    return None


def _repeated(text: str, earlier: Sequence[str]) -> str:
    """A later sentence without what was said before: groups that it adds are kept."""
    known = {w.lower() for s in earlier for w in _WORD.findall(s)}
    idle = vocabulary("in the for of and each every to from a is are there this that column class")
    new = [w for w in _WORD.findall(text) if w.lower() not in known | idle]
    return text if new else ""


def _shape(sentences: Sequence[str]) -> _Frame | None:
    """The question behind words about normality or skew; None where there are none of them."""
    whole = " ".join(sentences)
    frame = _Frame()
    for sentence in sentences:
        if frame.asks is not None and (said.HYPOTHESIS.search(sentence) or said.SIDES.match(sentence)):
            continue
        asks, text = _asked_shape(sentence, surely=_SURELY.search(whole) is not None)
        if asks is not None and text == "":  # of what the sentence before speaks of
            if frame.left:
                frame.left[-1] = said.DISTRIBUTION_OF.sub(_AVERAGE, frame.left[-1], count=1)
        elif asks is not None and frame.asks is not None:
            frame.left.append(_repeated(text.replace(_AVERAGE, ""), frame.left))
        else:
            frame.left.append(text)
        frame.asks = _stronger(frame.asks, asks)
    return frame


def _is_only_test(sentence: str) -> bool:
    """“Use the Shapiro–Wilk test for normality.”: a sentence that says how, and nothing else."""
    rest = said.ALPHA.sub(" ", said.TESTED.sub(" ", sentence))
    return rest != sentence and not any(len(w) > 3 for w in _WORD.findall(rest))


def _stronger(one: _Asks | None, other: _Asks | None) -> _Asks | None:
    order = (None, "skewness", "normality")
    return max((one, other), key=order.index)


def _asked_shape(sentence: str, *, surely: bool) -> tuple[_Asks | None, str]:
    """What a sentence asks of a distribution, and the question about its column; nothing is left of one about “it”."""
    if _is_only_test(sentence):
        return "normality", ""
    bare = said.FURTHER.sub(" ", said.TESTED.sub(" ", said.ALPHA.sub(" ", sentence)))
    patterns: list[tuple[_Asks, re.Pattern[str]]] = [
        ("skewness", said.IS_SKEWED),
        ("normality", said.IS_NORMAL),
    ]
    for asks, pattern in patterns:
        match = pattern.search(bare)
        if match is None or not surely:
            continue
        names = match.groupdict()
        named = names.get("x") or names.get("y") or ""
        if re.search(r"\bnormal", match[0], re.IGNORECASE):
            asks = "normality"
        if said.PRONOUN.match(named):
            before = _LEADING.sub("", bare[: match.start()])
            said_here = said.DISTRIBUTION_OF.search(before) is not None
            return asks, said.DISTRIBUTION_OF.sub(_AVERAGE, before, count=1) if said_here else ""
        named = said.DISTRIBUTION_OF.sub("", named, count=1)
        return asks, f"{bare[: match.start()]}{_AVERAGE}{named}{bare[match.end() :]}"
    if (match := said.NORMALITY_OF.search(sentence)) is not None:
        rest = f"{sentence[: match.start()]}{_AVERAGE}{sentence[match.end() :]}"
        return "normality", said.TESTED.sub(" ", said.ALPHA.sub(" ", rest))
    return None, bare
