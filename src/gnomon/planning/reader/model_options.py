"""What a question says about a model beside its columns: kind, rows set apart, score, how categories are coded."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gnomon.core.patterns import late_pattern
from gnomon.core.request import Scalar

_TESTING = r"(?:for\s+)?(?:test(?:ing)?|validation|hold-?out)"
_TRAINING = r"(?:for\s+)?train(?:ing)?"
_SPLITS = (
    late_pattern(r"\b(?P<train>\d\d)\s*%?\s*[-/:–]\s*(?P<test>\d\d)\s*%?(?=\D|$)"),
    late_pattern(rf"\b(?P<train>\d\d)\s*%\s*(?:of\s+(?:the\s+)?(?:data|rows|dataset)\s*)?{_TRAINING}\b.{{0,40}}?(?P<test>\d\d)\s*%", re.I),
    late_pattern(rf"{_TESTING}[ _-]?(?:set\s+)?(?:size|share|ratio|fraction)\s*(?:of|=|:|is)?\s*(?P<share>0?\.\d+)", re.I),
    late_pattern(rf"{_TESTING}[ _-]?(?:set\s+)?(?:size|share|ratio)\s*(?:of|=|:|is)?\s*(?P<test>\d\d)\s*%", re.I),
    late_pattern(rf"\b(?P<test>\d\d)\s*%\s*(?:of\s+(?:the\s+)?(?:data|rows|dataset)\s*)?(?:as\s+(?:the\s+|a\s+)?)?{_TESTING}", re.I),
    late_pattern(rf"\b(?P<train>\d\d)\s*%\s*(?:of\s+(?:the\s+)?(?:data|rows|dataset)\s*)?(?:as\s+(?:the\s+|a\s+)?)?{_TRAINING}", re.I),
    late_pattern(r"train(?:ing)?(?:\s+(?:set|data|part))?\s*[(:,]?\s*(?:of\s+)?(?P<train>\d\d)\s*%.{0,30}?test(?:ing)?(?:\s+(?:set|data|part))?\s*[(:,]?\s*(?:of\s+)?(?P<test>\d\d)\s*%", re.I),
    re.compile(r"\bratio\s+of\s+(?P<train>\d+)\s*:\s*(?P<test>\d+)", re.I),
)  # fmt: skip
_UNSAID = late_pattern(r"\bsplit\b[^.?]*\b(?:train|test)|\btrain[-/ ]test split\b|\bhold-?out\b", re.I)
_SEED = late_pattern(
    r"\b(?:with\s+)?(?:a\s+)?(?:random[ _-]?)?(?:state|seed)\s*(?:value\s*|parameter\s*)?(?:is\s+|was\s+)?(?:set\s+)?"
    r"(?:of|=|:|is|to|as)?\s*(\d+)\b",
    re.I,
)
_SCORES = {
    "rmse": r"rmse|root[- ]mean[- ]squared?[- ]error",
    "mse": r"mse|mean[- ]squared?[- ]error",
    "mae": r"mae|mean[- ]absolute[- ]error",
    "r2": r"r²|r\^2|r2|r[- ]squared|coefficient of determination|variance explained|explained variance",
    "accuracy": r"accuracy",
    "precision": r"precision",
    "recall": r"recall|sensitivity",
    "f1": r"f1(?:[- ]score)?|f-score",
    "auc": r"auc|area under the (?:roc )?curve",
}
_CODED = late_pattern(
    r"(?:^|[.;,]\s*|\s+and\s+|\bby\s+)(?:please\s+)?(?:label[- ]?|one[- ]hot[- ]?)?encod\w+\b[^.;?]*", re.I
)
_AS_NUMBERS = re.compile(r"label|ordinal|numer|integer", re.I)
CODES = late_pattern(
    r"\(\s*\d\s*(?:=|:|for|is)\s*\w+\s*[,;/]?\s*(?:and\s+)?\d\s*(?:=|:|for|is)\s*\w+\s*\)", re.I
)
_FUNCTION = late_pattern(r"\btrain_test_split(?:\(\))?(?:\s+(?:function|method)(?:['’]s)?)?", re.I)
_SPLITTING = re.compile(r"\bsplit\b[^.?;]*", re.I)


@dataclass
class ModelOptions:
    """What was said, as parameters of a request, and where it was said."""

    parameters: dict[str, Scalar] = field(default_factory=dict[str, Scalar])
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def covers(self, start: int, end: int) -> bool:
        """Whether words belong to what was said about the model."""
        return any(a <= start and end <= b for a, b in self.spans)


def model_options(question: str) -> ModelOptions:
    """The options that a question names."""
    made = ModelOptions()
    for pattern in _SPLITS:
        if found := pattern.search(question):
            share = _share(found.groupdict())
            if share is not None:
                made.parameters["test_share"] = share
                made.spans.append(found.span())
                break
    if found := _SEED.search(question):
        made.parameters["seed"] = int(found[1])
        made.spans.append(found.span())
    made.spans += [found.span() for found in _FUNCTION.finditer(question)]
    made.spans += [found.span() for found in CODES.finditer(question)]
    told = "test_share" in made.parameters
    made.spans += [m.span() for m in _SPLITTING.finditer(question) if told or not re.search(r"\d", m[0])]
    if not told and _UNSAID.search(question):
        made.parameters["test_share"] = 0.25  # scikit-learn's own default
    for name, pattern in _SCORES.items():
        found = re.search(rf"(?<!\w)(?:{pattern})(?!\w)", question, re.I)
        if found:
            made.parameters.setdefault("score", name)
            made.spans.append(found.span())
    if re.search(r"\bvaria(?:nce|tion) (?:in|of) .{1,60}? explained\b", question, re.I):
        made.parameters.setdefault("score", "r2")
    if found := _CODED.search(question):
        made.spans.append(found.span())
        if _AS_NUMBERS.search(found[0]):
            made.parameters["codes"] = True
    said = question.lower()
    logistic = re.search(r"logistic|logit\b", said) is not None
    if logistic or re.search(r"linear regression|linear model|least squares|\bols\b", said):
        made.parameters["model"] = "logistic" if logistic else "linear"
    return made


def _share(said: dict[str, str | None]) -> float | None:
    """The share of rows for the test, from what was written."""
    if said.get("share") is not None:
        share = float(str(said["share"]))
        return share if 0 < share < 1 else None
    train = float(said["train"]) if said.get("train") is not None else None  # type: ignore[arg-type]
    test = float(said["test"]) if said.get("test") is not None else None  # type: ignore[arg-type]
    if train is not None and test is not None:
        whole = train + test
        return round(test / whole, 4) if whole in (10.0, 100.0) and test > 0 else None
    share = test / 100 if test is not None else 1 - (train or 0) / 100
    return round(share, 4) if 0 < share < 1 else None
