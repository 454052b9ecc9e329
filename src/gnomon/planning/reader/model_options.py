"""What a question says about a model beside its columns: kind, rows set apart, score, how categories are coded."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gnomon.core.patterns import late_pattern, regex
from gnomon.core.studies import Regression

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
    regex(r"\bratio\s+of\s+(?P<train>\d+)\s*:\s*(?P<test>\d+)", re.I),
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
_AS_NUMBERS = regex(r"label|ordinal|numer|integer", re.I)
CODES = late_pattern(
    r"\(\s*\d\s*(?:=|:|for|is)\s*\w+\s*[,;/]?\s*(?:and\s+)?\d\s*(?:=|:|for|is)\s*\w+\s*\)", re.I
)
_FUNCTION = late_pattern(r"\btrain_test_split(?:\(\))?(?:\s+(?:function|method)(?:['’]s)?)?", re.I)
_SPLITTING = regex(r"\bsplit\b[^.?;]*", re.I)


@dataclass(frozen=True)
class ModelOptions:
    """What was said, and where it was said."""

    study: Regression
    spans: tuple[tuple[int, int], ...]

    def covers(self, start: int, end: int) -> bool:
        """Whether words belong to what was said about the model."""
        return any(a <= start and end <= b for a, b in self.spans)


def model_options(question: str) -> ModelOptions:
    """The options that a question names."""
    spans: list[tuple[int, int]] = []
    test_share: float | None = None
    for pattern in _SPLITS:
        found = pattern.search(question)
        if found and (test_share := _share(found.groupdict())) is not None:
            spans.append(found.span())
            break
    told = test_share is not None
    if not told and _UNSAID.search(question):
        test_share = 0.25  # scikit-learn's own default
    seed = _SEED.search(question)
    spans += [m.span() for m in (seed, *_FUNCTION.finditer(question), *CODES.finditer(question)) if m]
    spans += [m.span() for m in _SPLITTING.finditer(question) if told or not re.search(r"\d", m[0])]
    scores = {n: re.search(rf"(?<!\w)(?:{pattern})(?!\w)", question, re.I) for n, pattern in _SCORES.items()}
    spans += [m.span() for m in scores.values() if m]
    explained = re.search(r"\bvaria(?:nce|tion) (?:in|of) .{1,60}? explained\b", question, re.I)
    coded = _CODED.search(question)
    spans += [coded.span()] if coded else []
    said = question.lower()
    logistic = re.search(r"logistic|logit\b", said)
    linear = re.search(r"linear regression|linear model|least squares|\bols\b", said)
    study = Regression(
        model="logistic" if logistic else "linear" if linear else None,
        test_share=test_share,
        seed=int(seed[1]) if seed else None,
        codes=coded is not None and _AS_NUMBERS.search(coded[0]) is not None,
        score=next((n for n, m in scores.items() if m), "r2" if explained else None),
    )
    return ModelOptions(study, tuple(spans))


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
