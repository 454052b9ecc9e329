"""What a request asks beside figures, groups and rows: every part goes to JSON and back, and parts are put on each other."""

from datetime import date

import pytest
from pydantic import ValidationError

from gnomon.core.operations import Tell, Walk, Way
from gnomon.core.parts import (
    Brackets,
    Claim,
    Comparison,
    Course,
    Listing,
    Parts,
    QuestionKind,
    Share,
    overlaid,
)
from gnomon.core.query import TimeGranularity, TimeRange
from gnomon.core.studies import (
    GroupTest,
    Inspection,
    Outliers,
    Outlook,
    Regression,
    Relation,
    Shape,
    Study,
)

STUDIES: tuple[Study, ...] = (
    Relation(method="kendall", target="price", sign="negative"),
    Regression(model="logistic", test_share=0.2, seed=7, codes=True, score="auc"),
    GroupTest(test="anova", alpha=0.01, even=False, parts=((0, 1, 2, 3, 4), (5, 6))),
    Shape(of="skewness"),
    Outliers(rule="zscore", threshold=2.5, told="without"),
    Outlook(horizon=6, unit=TimeGranularity.MONTH),
    Inspection(about="missing", gaps="most", columns=("height", "soil"), share=True),
)


@pytest.mark.parametrize("study", STUDIES, ids=lambda s: s.verb)
def test_every_part_goes_to_json_and_back(study: Study) -> None:
    march = TimeRange(start=date(2024, 3, 1), end=date(2024, 3, 31), granularity=TimeGranularity.MONTH)
    request = Parts(
        question="q",
        kind=QuestionKind.VALUE,
        comparison=Comparison(kind="benchmark", yardstick=0.4),
        place=2,
        beside="mean(orders.price)",
        tells=(Tell.RATIO,),
        claim=Claim(side="<", whether=True, moved=Way.DOWN),
        course=Course(walks=(Walk.GROWTH, Walk.MOVING), window=3, points=(march.end,), steps=Way.EITHER),
        share=Share(days=march, recurring=("weekday", (5, 6)), within="region"),
        brackets=Brackets(column="price", width=50),
        listing=Listing(table="orders", order="order_date"),
        study=study,
    )
    again = Parts.model_validate_json(request.model_dump_json())
    assert again == request and type(again.study) is type(study)


def test_options_are_those_of_the_study_or_the_usual_ones() -> None:
    request = Parts(question="q", kind=QuestionKind.CORRELATION, study=Relation(method="spearman"))
    assert request.options(Relation).method == "spearman"
    assert request.options(GroupTest) == GroupTest()


@pytest.mark.parametrize(
    "part",
    [
        {"study": {"verb": "relate", "horizon": 3}},
        {"study": {"verb": "guess"}},
        {"course": {"walks": ["stroll"]}},
        {"claim": {"side": ">="}},
        {"parameters": {}},
    ],
)
def test_what_no_part_knows_is_refused(part: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Parts.model_validate({"question": "q", "kind": "value", **part})


def test_what_is_said_later_holds_and_what_is_not_said_stays() -> None:
    before, now = GroupTest(test="anova", alpha=0.01, ranked=True), GroupTest(test="auto", even=True)
    assert overlaid(before, now) == GroupTest(test="auto", alpha=0.01, ranked=True, even=True)
    assert overlaid(Claim(side=">"), Claim()) == Claim(side=">")


def test_a_course_has_each_walk_once() -> None:
    course = Course().walking(Walk.GROWTH).walking(Walk.RUNNING).walking(Walk.GROWTH)
    assert course.walks == (Walk.GROWTH, Walk.RUNNING)
    assert course.without(Walk.GROWTH).walks == (Walk.RUNNING,)
