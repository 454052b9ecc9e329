"""Feedback in words: what each sentence asks for, and whether it is certain enough to be carried out."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.anomaly.feedback_grammar import CONFIDENT, Context, read

KNOWN = [
    "IForest",
    "ECOD",
    "KNN",
    "LOF",
    "HBOS",
    "COPOD",
    "PCA",
    "OCSVM",
    "MCD",
    "LODA",
    "INNE",
    "MAD",
    "ROD",
]
CONTEXT = Context(
    detectors=KNOWN,
    planned=["IForest", "ECOD", "KNN"],
    n_rows=1000,
    flagged=40,
    ranking=list(range(100, 200)),
    failed=[],
)


def flag(value: float) -> dict[str, Any]:
    return {"action": "adjust_contamination", "value": pytest.approx(value)}


def out(*names: str) -> dict[str, Any]:
    return {"action": "exclude", "detectors": list(names)}


def use(*names: str) -> dict[str, Any]:
    return {"action": "include", "detectors": list(names)}


def both(*changes: dict[str, Any]) -> dict[str, Any]:
    return {"action": "batch", "changes": list(changes)}


def mark(normal: list[int] = [], anomalous: list[int] = []) -> dict[str, Any]:  # noqa: B006
    return {"action": "label", "normal": normal, "anomalous": anomalous}


def why(*rows: int) -> dict[str, Any]:
    return {"action": "explain", "rows": list(rows)}


FASTER = {"action": "replan", "priority": "speed"}
OTHER = {"action": "replan"}
AGAIN = {"action": "rerun"}
DONE = {"action": "accept"}

CERTAIN: list[tuple[str, dict[str, Any]]] = [
    # shares
    ("flag 1 %", flag(0.01)),
    ("Flag only 0.5 percent", flag(0.005)),
    ("flag half a percent", flag(0.005)),
    ("please flag two percent", flag(0.02)),
    ("set contamination to 3%", flag(0.03)),
    ("contamination = 0.05", flag(0.05)),
    ("limit it to 0.1%", flag(0.001)),
    ("no more than 2 %", flag(0.02)),
    ("take it down to one percent", flag(0.01)),
    ("flag one in a thousand", flag(0.001)),
    ("I expect 1 in 50 to be flagged", flag(0.02)),
    ("set the threshold at the 99.5th percentile", flag(0.005)),
    # counts
    ("top 20", flag(0.02)),
    ("only the top 20 please", flag(0.02)),
    ("just show me the 10 most extreme ones", flag(0.01)),
    ("keep the 15 worst", flag(0.015)),
    ("I expect about 30 anomalies", flag(0.03)),
    ("there should be around 12 outliers", flag(0.012)),
    ("we know there are exactly 7 frauds", flag(0.007)),
    ("flag about a dozen", flag(0.012)),
    ("flag twenty-five", flag(0.025)),
    ("no more than 5 alerts", flag(0.005)),
    ("cut it down to 15", flag(0.015)),
    ("only 12 are real", flag(0.012)),
    # relative to the 40 flagged now
    ("half as many", flag(0.02)),
    ("twice as many", flag(0.08)),
    ("three times as many", flag(0.12)),
    ("reduce by 20%", flag(0.032)),
    ("increase it by 50%", flag(0.06)),
    ("10 fewer", flag(0.03)),
    ("5 more", flag(0.045)),
    ("25% fewer flags", flag(0.03)),
    # detectors
    ("try without IForest", out("IForest")),
    ("drop the isolation forest", out("IForest")),
    ("exclude KNN and LOF", out("KNN", "LOF")),
    ("please don't include LOF", out("LOF")),
    ("no IForest", out("IForest")),
    ("anything but IForest", out("IForest")),
    ("keep everything except KNN", out("KNN")),
    ("leave KNN out", out("KNN")),
    ("stop using KNN", out("KNN")),
    ("get rid of ecod", out("ECOD")),
    ("IForest should be dropped", out("IForest")),
    ("don't drop IForest", use("IForest")),
    ("don’t drop IForest", use("IForest")),
    ("do not remove IForest or KNN", use("IForest", "KNN")),
    ("never drop ECOD", use("ECOD")),
    ("no need to remove ECOD", use("ECOD")),
    ("IForest should not be dropped", use("IForest")),
    ("keep IForest", use("IForest")),
    ("what about LOF?", use("LOF")),
    ("add the local outlier factor", use("LOF")),
    ("bring HBOS back", use("HBOS")),
    ("use LOF instead of KNN", both(out("KNN"), use("LOF"))),
    ("replace KNN with LOF", both(out("KNN"), use("LOF"))),
    ("swap KNN for HBOS", both(out("KNN"), use("HBOS"))),
    ("drop KNN but keep ECOD", both(out("KNN"), use("ECOD"))),
    ("use only IForest", both(out("ECOD", "KNN"), use("IForest"))),
    ("drop everything except IForest", both(out("ECOD", "KNN"), use("IForest"))),
    # rows
    ("row 7 is normal", mark([7])),
    ("row 7 is not normal", mark([], [7])),
    ("row 12 isn't an anomaly", mark([12])),
    ("record 15 is legit", mark([15])),
    ("#4 is fine", mark([4])),
    ("12 is fine", mark([12])),
    ("rows 3, 5 and 9 are anomalies", mark([], [3, 5, 9])),
    ("rows 3, 5 and 9 are anomalies but 12 is fine", mark([12], [3, 5, 9])),
    ("row 3 is suspicious but row 4 is not", mark([4], [3])),
    ("row 8 isn't an outlier, row 9 is", mark([8], [9])),
    ("neither row 5 nor row 6 is anomalous", mark([5, 6])),
    ("mark rows 10-12 as anomalous", mark([], [10, 11, 12])),
    ("rows 10 to 14 look fine", mark([10, 11, 12, 13, 14])),
    ("transactions 4 and 8 are fraudulent", mark([], [4, 8])),
    ("row 7 is a false positive", mark([7])),
    ("row 9 was missed", mark([], [9])),
    ("don't flag row 8", mark([8])),
    ("unflag row 3", mark([3])),
    ("flag row 8", mark([], [8])),
    ("row 3 shouldn't have been flagged", mark([3])),
    ("the top anomaly is normal", mark([100])),
    ("the first 3 are fine", mark([100, 101, 102])),
    ("row 7 is normal and flag 2%", both(mark([7]), flag(0.02))),
    # questions and running
    ("why row 12", why(12)),
    ("why did you flag 12?", why(12)),
    ("what's wrong with row 3?", why(3)),
    ("explain rows 3 and 4", why(3, 4)),
    ("can you explain the top anomaly", why(100)),
    ("is row 7 an anomaly?", why(7)),
    ("faster", FASTER),
    ("this takes too long", FASTER),
    ("this is too slow, use something quicker", FASTER),
    ("finish in 10 seconds", {**FASTER, "constraints": {"max_seconds": 10.0}}),
    ("I have two minutes at most", {**FASTER, "constraints": {"max_seconds": 120.0}}),
    ("be more accurate", {"action": "replan", "priority": "accuracy"}),
    ("try something else", OTHER),
    ("use a different algorithm", OTHER),
    ("run it again with another seed", AGAIN),
    ("once more", AGAIN),
    ("let the data decide", {"action": "adjust_contamination", "value": "auto"}),
    ("undo that", {"action": "undo"}),
    ("looks good", DONE),
    ("perfect, thanks", DONE),
    ("give me the report", {"action": "report"}),
]


@pytest.mark.parametrize(("sentence", "change"), CERTAIN, ids=[s for s, _ in CERTAIN])
def test_a_clear_sentence_is_read_and_certain(sentence: str, change: dict[str, Any]) -> None:
    reading = read(sentence, CONTEXT)
    assert reading.change == change
    assert reading.confidence >= CONFIDENT


FEWER = [
    "too many false positives",
    "way too many false alarms",
    "a bit fewer please",
    "stricter",
    "it's too noisy",
    "too sensitive",
    "raise the threshold",
    "lower the contamination",
    "do not flag so many",
    "10% is too many",
    "could you be less aggressive",
    "most of these are fine",
    "reduce the false positives",
]
MORE = [
    "you missed some",
    "you missed a lot of fraud",
    "too few",
    "not enough anomalies",
    "less strict",
    "not sensitive enough",
    "more sensitive",
    "lower the threshold",
    "several real ones slipped through",
    "too many false negatives",
    "make sure nothing is missed",
]


@pytest.mark.parametrize("sentence", FEWER)
def test_a_wish_for_fewer_is_proposed_with_a_lower_share(sentence: str) -> None:
    reading = read(sentence, CONTEXT)
    assert reading.change is not None and reading.change["action"] == "adjust_contamination"
    assert 0 < reading.change["value"] < 0.04
    assert reading.confidence < CONFIDENT


@pytest.mark.parametrize("sentence", MORE)
def test_a_wish_for_more_is_proposed_with_a_higher_share(sentence: str) -> None:
    reading = read(sentence, CONTEXT)
    assert reading.change is not None and reading.change["action"] == "adjust_contamination"
    assert 0.04 < reading.change["value"] <= 0.5
    assert reading.confidence < CONFIDENT


def test_the_strength_of_the_words_sets_the_size_of_the_step() -> None:
    values = [read(s, CONTEXT).change["value"] for s in ("slightly fewer", "fewer", "way fewer")]  # type: ignore[index]
    assert values == [0.032, 0.02, 0.01]


@pytest.mark.parametrize(
    ("sentence", "name"), [("drop IForst", "IForest"), ("remove iforrest", "IForest"), ("try EKOD", "ECOD")]
)
def test_a_name_with_a_typo_is_proposed_not_carried_out(sentence: str, name: str) -> None:
    reading = read(sentence, CONTEXT)
    assert reading.change is not None and reading.change["detectors"] == [name]
    assert reading.confidence < CONFIDENT
    assert f"Did you mean {name!r}" in reading.reason


def test_a_name_that_resembles_nothing_proposes_nothing() -> None:
    reading = read("drop XYZZY", CONTEXT)
    assert reading.change is None and "XYZZY" in reading.reason


def test_a_row_that_does_not_exist_is_said_to_be_out_of_range() -> None:
    reading = read("row 5000 is normal", CONTEXT)
    assert reading.change is None and "0 to 999" in reading.reason


def test_a_share_above_half_is_refused() -> None:
    reading = read("flag 80 %", CONTEXT)
    assert reading.change is None and reading.confidence < CONFIDENT


@pytest.mark.parametrize(
    "sentence", ["", "asdf qwerty", "what is the capital of France", "the weather is lovely in spring"]
)
def test_what_is_not_feedback_changes_nothing(sentence: str) -> None:
    reading = read(sentence, CONTEXT)
    assert reading.change is None and reading.confidence == 0.0
    assert "flag 1 %" in reading.reason


def test_nothing_missed_is_no_wish_for_more() -> None:
    reading = read("you didn't miss anything", CONTEXT)
    assert reading.change == DONE


def test_words_that_are_also_detector_names_are_not_taken_for_them() -> None:
    assert read("I am mad about the false alarms", CONTEXT).change["action"] == "adjust_contamination"  # type: ignore[index]
    assert read("drop MAD", CONTEXT).change == out("MAD")


def test_a_detector_called_bad_is_proposed_for_exclusion() -> None:
    reading = read("IForest is useless", CONTEXT)
    assert reading.change == out("IForest") and reading.confidence < CONFIDENT


def test_failed_detectors_can_be_recovered_in_words() -> None:
    context = Context(detectors=KNOWN, planned=["KNN"], n_rows=10, flagged=1, ranking=[0], failed=["KNN"])
    assert read("please recover the failed detectors", context).change == {"action": "recover"}
