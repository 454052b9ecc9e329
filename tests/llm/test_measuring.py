"""How far a model is believed is measured by itself, beside the first question, and what fails leaves it unknown."""

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pydantic_ai.models import override_allow_model_requests
from tests.llm.endpoint import Endpoint, endpoint

import gnomon
from gnomon.core import clock
from gnomon.core.answer import AnswerStatus
from gnomon.core.errors import ConfigurationError, GnomonError
from gnomon.core.settings import Settings
from gnomon.data.demo_store import write_demo_store
from gnomon.llm import EgressLedger, ModelClient
from gnomon.llm import trust as trust_file
from gnomon.llm.measuring_process import begin_measuring, environment
from gnomon.llm.trust import Measured, Trust
from gnomon.measuring import as_measured, measure_model

NAMES = {"Corvane", "Haldrin", "Marlune", "Istra", "Norvik"}  # brands of the demo store


def said(query: str) -> str:
    return json.dumps({"restated": "", "query": query, "ignored": [], "missing": []})


# What a capable model says to the first questions.
RIGHT = [
    said("SELECT SUM(revenue) FROM orders WHERE order_date BETWEEN :TIME1_START AND :TIME1_END"),
    said("SELECT AVG(rating) FROM reviews WHERE date BETWEEN :TIME1_START AND :TIME1_END"),
    said("SELECT SUM(revenue) / COUNT(*) FROM orders WHERE order_date BETWEEN :TIME1_START AND :TIME1_END"),
]
# What leaves nothing out and is wrong all the same.
WRONG = [
    said("SELECT COUNT(*) FROM orders WHERE order_date BETWEEN :TIME1_START AND :TIME1_END"),
    said("SELECT COUNT(*) FROM reviews WHERE rating > :NUMBER1"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_demo_store(folder, scale=0.01)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home for the tests of this file, so that the store is understood once."""
    return tmp_path_factory.mktemp("measured")


@pytest.fixture(autouse=True)
def _asking_is_allowed(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("GNOMON_HOME", str(home))
    with override_allow_model_requests(True):
        yield


def configured(server: Endpoint, **more: Any) -> Settings:
    return Settings.load(model="small", model_url=server.url, **more)


def known(server: Endpoint) -> tuple[Trust, str]:
    return Trust.of(Settings.load()), f"small at {server.url}"


@pytest.mark.long
def test_right_and_wrong_queries_are_counted_and_kept(store: Path) -> None:
    with endpoint(*RIGHT, *WRONG) as server:
        found = measure_model(configured(server, privacy="full"), store=store, most=5)
        trust, model = known(server)
    assert (found.asked, found.right, found.wrong) == (5, 3, 2)
    assert trust.measured(model) == found and trust.progress(model) is None
    assert "right in 3 and wrong in 2 of 5" in trust.standing(model)
    sent = b"".join(server.bodies).decode()
    assert not {n for n in NAMES if n in sent}, "names and types only, whatever the level is"
    whys = [e["why"] for e in EgressLedger.of(Settings.load()).entries() if "why" in e]
    assert whys == ["measuring how far the model is believed"] * 5


@pytest.mark.long
def test_a_capable_model_earns_belief_with_queries_over_names_and_types(store: Path) -> None:
    lines = (Path(__file__).parent / "demo_store_queries.jsonl").read_text().splitlines()
    replies = {row["question"]: row["query"] for row in map(json.loads, lines)}
    with endpoint("") as server:

        def reply() -> str:
            asked = json.loads(server.bodies[-1])["messages"][1]["content"]
            return said(replies[asked.partition("The question: ")[2].partition("\n")[0]])

        server.answers = [reply]
        found = measure_model(configured(server), store=store)
    assert (found.asked, found.right, found.wrong) == (30, 30, 0) and found.has_earned
    assert len(server.bodies) == 30, "none of them is objected to"


@pytest.mark.long
@pytest.mark.parametrize(
    ("answers", "more", "why"),
    [
        ([*RIGHT[:2], 500], {}, "no usable output"),
        ([RIGHT[0], 401], {}, "refused the key"),
        ([RIGHT[0]], {"model_tokens_per_run": 1_000}, "1,000 that it may use"),
    ],
    ids=["the endpoint breaks", "the key is refused", "the budget is used up"],
)
def test_a_failure_on_the_way_leaves_it_unknown_and_says_so(
    answers: list[str | int], more: dict[str, Any], why: str, store: Path
) -> None:
    with endpoint(*answers) as server:
        with pytest.raises(GnomonError):
            measure_model(configured(server, **more), store=store, most=5)
        trust, model = known(server)
    assert trust.measured(model) is None and not trust.has_earned(model)
    assert "could not be measured" in trust.standing(model) and why in trust.standing(model)
    assert trust.progress(model) is None
    assert not trust.is_open(model), "not again by itself on the same day"
    with clock.frozen(clock.now() + timedelta(days=1)):
        assert trust.is_open(model)


@pytest.mark.long
def test_an_address_that_is_away_leaves_it_unknown(store: Path) -> None:
    with endpoint(WRONG[0]) as server:
        pass
    with pytest.raises(GnomonError, match="does not answer"):
        measure_model(configured(server), store=store, most=5)
    trust, model = known(server)
    assert trust.measured(model) is None and "does not answer" in trust.standing(model)


@pytest.mark.long
def test_one_that_is_always_late_is_not_asked_thirty_times(store: Path) -> None:
    gone = threading.Event()

    def late() -> str:
        gone.wait(20)
        return WRONG[0]

    with endpoint(late) as server:
        with pytest.raises(GnomonError, match="longer than"):
            measure_model(configured(server, local_model_timeout_seconds=0.3), store=store, most=5)
        gone.set()
        trust, model = known(server)
        assert len(server.bodies) <= 3
    assert trust.measured(model) is None


@pytest.mark.long
def test_a_failure_does_not_undo_what_was_measured_before(store: Path) -> None:
    with endpoint(500) as server:
        trust, model = known(server)
        trust.keep(model, Measured(30, 30, 0, "2026-11-16"))
        with pytest.raises(GnomonError):
            measure_model(configured(server), store=store, most=5)
    assert trust.has_earned(model)


@pytest.mark.long
def test_kept_replies_and_no_model_are_never_measured(tmp_path: Path) -> None:
    replies = Settings.load(model=f"replay:{tmp_path}", model_measure=True)
    client = ModelClient.of(replies)
    assert client is not None and not client.measurable
    assert not begin_measuring(replies, client, Trust.of(replies))
    for settings in (replies, Settings.load()):
        with pytest.raises(ConfigurationError):
            measure_model(settings)


@pytest.mark.long
def test_models_are_told_apart_by_name_and_place(tmp_path: Path, small_file: Path) -> None:
    def identity(**given: Any) -> str:
        client = ModelClient.of(Settings.load(**given))
        assert client is not None
        client.close()
        return client.identity

    one = identity(model="small", model_url="https://somebody:secret@models.example/v1/?key=4711")
    assert one == "small at https://models.example/v1"
    others = [
        identity(model="large", model_url="https://models.example/v1"),
        identity(model="small", model_url="https://models.example:8443/v1"),
        identity(model="small", model_url="https://models.example/v1", privacy="strict"),
        identity(model=str(small_file)),
    ]
    assert len({one, *others}) == 5
    assert others[-1] == f"{small_file.name} ({small_file.stat().st_size:,} bytes)"
    assert identity(model="small", model_url="https://models.example/v1", privacy="full") == one


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    pytest.importorskip("xllamacpp")
    file = tmp_path / "some.gguf"
    file.write_bytes(b"GGUF" + bytes(60))
    return file


@pytest.mark.long
def test_only_one_measures_at_a_time_and_one_that_fell_silent_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trust = Trust.of(Settings.load())
    assert trust.claim("m", 30) and not trust.claim("m", 30)
    assert trust.claim("another", 30)
    trust.tell("m", 7, 30)
    assert trust.progress("m") == (7, 30) and "7 of 30" in trust.standing("m")
    assert not trust.is_open("m")
    monkeypatch.setattr(trust_file, "SILENT_SECONDS", -1.0)
    assert trust.progress("m") is None and trust.claim("m", 30)


@pytest.mark.long
def test_another_process_has_the_same_settings_and_no_secret_that_it_does_not_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GNOMON_API_TOKEN", "t-4711")
    monkeypatch.setenv("GNOMON_STORE_URL", "postgresql://secret@host/db")
    given = Settings.load(
        model="small", model_url="http://127.0.0.1:9/v1", model_key="k-4711", privacy="full",
        data_privacy={"a.csv": "strict"}, disabled_tools=frozenset({"chart"}), model_price_in=2.5, model_output="tool",
    )  # fmt: skip
    told = environment(given)
    for name in list(os.environ):
        if name.startswith(("GNOMON_", "APP_")):
            monkeypatch.delenv(name)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    left_out = {"api_token", "tenant_tokens", "store_url"}
    same = Settings.load()
    for field in set(Settings.model_fields) - left_out:
        assert getattr(same, field) == getattr(given, field), field
    assert not {n for n in told if n in ("GNOMON_API_TOKEN", "GNOMON_STORE_URL")}


@pytest.mark.long
def test_the_level_is_names_and_types_unless_it_is_less() -> None:
    levels = [
        as_measured(Settings.load(privacy=p)).privacy for p in ("strict", "schema", "aggregates", "full")
    ]
    assert levels == ["strict", "schema", "schema", "schema"]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_the_first_question_that_a_model_is_asked_begins_it_and_does_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parcels = pd.DataFrame(
        {"order_id": range(40), "postage": [1.5, 2.5] * 20, "town": ["Marvik", "Ost"] * 20}
    )
    parcels.to_csv(tmp_path / "orders.csv", index=False)
    begun: list[subprocess.Popen[Any]] = []
    real = subprocess.Popen

    def starting(command: list[str], **more: Any) -> Any:
        process = real(command, **more)
        if "gnomon.measuring" in command:
            begun.append(process)
        return process

    monkeypatch.setattr(subprocess, "Popen", starting)
    with endpoint(said("SELECT COUNT(*) FROM orders")) as server:
        trust, model = known(server)
        settings = configured(server, model_measure=True)
        with gnomon.open(tmp_path / "orders.csv", settings=settings) as analyst:
            clear = analyst.ask("What is the total postage?")
            assert clear.status is AnswerStatus.ANSWERED and not begun, (
                "a model that is not asked is not measured"
            )
            answer = analyst.ask("What was the outlay for consignments?")
            again = analyst.ask("What was the outlay for consignments?")
        assert answer.status is AnswerStatus.CLARIFY, "not believed by itself until it is measured"
        assert re.search(r"is being measured \(\d+ of 30", answer.prose)
        assert again.status is AnswerStatus.CLARIFY
        (process,) = begun
        assert process.wait(250) == 0
    found = trust.measured(model)
    assert found is not None and found.asked == 30 and not found.has_earned
    assert found.on == date.today().isoformat() and found.wrong > 0
    assert trust.progress(model) is None
    sent = b"".join(server.bodies).decode()
    assert not {n for n in NAMES if n in sent}
    assert EgressLedger.of(Settings.load()).bodies()[-len(server.bodies) :] == server.bodies


@pytest.mark.long
def test_a_query_alone_is_stated_for_a_model_that_earned_it_and_offered_with_its_standing_otherwise(
    tmp_path: Path,
) -> None:
    pd.DataFrame({"order_id": range(40), "postage": [1.5, 2.5] * 20}).to_csv(
        tmp_path / "orders.csv", index=False
    )
    with endpoint(said("SELECT SUM(postage) FROM orders")) as server:
        trust, model = known(server)
        # as on the server, where every data set has a home of its own
        settings = configured(server, home=tmp_path / "own")
        with gnomon.open(tmp_path / "orders.csv", settings=settings, trust=trust) as analyst:
            for found, status in (
                (None, AnswerStatus.CLARIFY),
                (Measured(30, 11, 12), AnswerStatus.CLARIFY),
                (Measured(30, 30, 0), AnswerStatus.ANSWERED),
            ):
                if found is not None:
                    trust.keep(model, found)
                answer = analyst.ask("What was the outlay for consignments?")
                assert answer.status is status, answer.prose
                assert (trust.standing(model) in answer.prose) is (status is AnswerStatus.CLARIFY)
                assert answer.facts[0].value == 80
