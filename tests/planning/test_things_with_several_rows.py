"""Things that have several rows, or share a name, are counted and told each by itself."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

PATIENTS = pd.DataFrame(
    {"patient_id": range(1, 26), "insurer": ["Alpha", "Beta", "Alpha", "Gamma", "Beta"] * 5}
)
DOCTORS = pd.DataFrame({"doctor_id": range(1, 7), "name": ["Aziz", "Blum", "Chen", "Diaz", "Frey", "Blum"]})
_DAYS = pd.date_range("2024-01-01", periods=80, freq="3D")
ADMISSIONS = pd.DataFrame(
    {
        "admission_id": range(1, 81),
        "patient_id": [1 + i * 7 % 23 for i in range(80)],
        "doctor_id": [1 + i * 5 % 6 for i in range(80)],
        "admitted_on": _DAYS,
        "discharged_on": [d + pd.Timedelta(days=i * 11 % 19) for i, d in enumerate(_DAYS)],
        "admission_type": ["planned", "emergency", "referral", "planned"] * 20,
    }
)
LONG = ADMISSIONS[(ADMISSIONS.discharged_on - ADMISSIONS.admitted_on).dt.days > 14]


@pytest.fixture(scope="module")
def clinic() -> Analyst:
    return gnomon.open({"patients": PATIENTS, "doctors": DOCTORS, "admissions": ADMISSIONS})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


def test_things_per_thing_are_those_that_rows_connect(clinic: Analyst) -> None:
    each = ADMISSIONS.groupby("doctor_id").patient_id.nunique()
    answer = _answered(clinic, "Average number of patients per doctor")
    assert answer.facts[0].value == pytest.approx(each.mean())
    more = (ADMISSIONS.groupby("patient_id").doctor_id.nunique() > 2).sum()
    assert _answered(clinic, "How many patients saw more than 2 doctors?").facts[0].value == more


def test_one_long_row_is_enough(clinic: Analyst) -> None:
    answer = _answered(clinic, "How many patients stayed longer than 14 days?")
    assert answer.facts[0].value == LONG.patient_id.nunique()


def test_both_are_asked_for(clinic: Analyst) -> None:
    two = ADMISSIONS[ADMISSIONS.admission_type.isin(["planned", "emergency"])]
    both = (two.groupby("patient_id").admission_type.nunique() == 2).sum()
    answer = _answered(clinic, "How many patients had both planned and emergency admissions?")
    assert answer.facts[0].value == both


def test_two_of_one_name_are_not_added_up(clinic: Analyst) -> None:
    counts = ADMISSIONS.merge(DOCTORS, on="doctor_id").query("name == 'Blum'").groupby("doctor_id").size()
    answer = _answered(clinic, "How many admissions did Blum have?")
    assert {r[-1] for r in answer.tables[0].rows} == set(counts) and len(answer.tables[0].rows) == len(counts)
    one = _answered(clinic, "How many admissions did Chen have?")
    assert one.facts[0].value == (ADMISSIONS.doctor_id == 3).sum()


def test_a_numbered_thing_is_ranked_by_what_it_has() -> None:
    records = pd.DataFrame(
        {
            "record_id": range(60),
            "plot": [1 + i * i % 7 for i in range(60)],
            "species": ["DM", "PP", "OT", "NL"] * 15,
            "weight": [10 + i * 13 % 90 for i in range(60)],
        }
    )
    analyst = gnomon.open({"records": records})
    kinds = records.groupby("plot").species.nunique()
    assert _answered(analyst, "Which plot has the most distinct species?").facts[0].value == kinds.max()
    rows = records.groupby("plot").size()
    answer = _answered(analyst, "Which plot has the most records?")
    assert answer.facts[0].value == rows.max() and f"lot {rows.idxmax()}" in answer.prose
