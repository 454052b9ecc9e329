"""Whatever is asked of whatever table: an answer of our own is never held back, and its sentences never change."""

from collections.abc import Callable
from datetime import date

import pandas as pd
import pytest
from tests.agents.odd_tables import Drawn, clinic, ledger, rides
from tests.homes import warmed

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import AnswerStatus
from gnomon.core.parts import Parts, QuestionKind
from gnomon.core.query import TimeGranularity
from gnomon.core.settings import Settings
from gnomon.planning.reading import Reading, ReadingStatus
from gnomon.planning.trees import requests_of
from gnomon.semantic.questions import generate_questions

TODAY = date(2024, 11, 30)
DRAWN = 60


@pytest.fixture(scope="module", params=[rides, clinic, ledger], ids=lambda made: made.__name__)
def analyst(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    """An analyst over one of the odd tables, as anybody would open it."""
    made: Callable[[], dict[str, pd.DataFrame]] = request.param
    tmp_path = tmp_path_factory.mktemp("odd")
    folder = tmp_path / "tables"
    folder.mkdir()
    for name, frame in made().items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return gnomon.open(folder, settings=Settings(home=warmed(tmp_path / "home")))


@pytest.mark.long
def test_no_answer_to_a_request_is_held_back(analyst: Analyst) -> None:
    manager = analyst.manager
    drawn = Drawn(analyst.model, analyst.index, seed=11)
    told, plainly = 0, list[str]()
    for _ in range(DRAWN):
        reading = Reading(status=ReadingStatus.CLEAR, requests=requests_of(drawn.requests(), drawn.model))
        answer = manager._presenter.present(reading, today=TODAY)  # pyright: ignore[reportPrivateUsage]
        if answer.status is AnswerStatus.ERROR or not answer.facts:
            continue
        shown = manager._guard.answer(answer, reading).answer  # pyright: ignore[reportPrivateUsage]
        assert shown.status is answer.status, answer.prose
        assert shown.facts and len(shown.facts) == len(answer.facts)
        told += 1
        plainly += [answer.prose] if shown.prose != answer.prose else []
    assert told > DRAWN / 2
    assert not plainly, "\n---\n".join(plainly)


@pytest.mark.long
def test_no_answer_to_a_question_is_held_back(analyst: Analyst) -> None:
    questions = generate_questions(analyst.model, analyst.index)[::7][:15]
    answers = [analyst.ask(q, today=TODAY) for q in questions]
    assert all(not a.prose.startswith("The answer was computed but held back") for a in answers)
    assert sum(a.status is AnswerStatus.ANSWERED for a in answers) > len(answers) / 2


@pytest.mark.long
def test_what_stands_out_in_any_measure_is_told_in_sentences(analyst: Analyst) -> None:
    manager = analyst.manager
    told = 0
    for metric in analyst.model.metrics:
        for grain in (None, TimeGranularity.WEEK, TimeGranularity.MONTH):
            asked = Parts(
                question="anomalies", kind=QuestionKind.ANOMALY, metrics=(metric.name,), grain=grain
            )
            reading = Reading(status=ReadingStatus.CLEAR, requests=requests_of([asked], analyst.model))
            answer = manager._presenter.present(reading, today=TODAY)  # pyright: ignore[reportPrivateUsage]
            shown = manager._guard.answer(answer, reading).answer  # pyright: ignore[reportPrivateUsage]
            assert shown.prose == answer.prose
            told += bool(answer.facts)
    assert told
