"""What is sent over the wire to a model: the ledger holds every byte of it, and no value of a cell is in it."""

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from endpoint import Endpoint, endpoint
from pydantic import BaseModel
from pydantic_ai.models import override_allow_model_requests

import gnomon
from gnomon.core.answer import AnswerStatus
from gnomon.core.errors import ApiFailure, AuthenticationFailed, ConfigurationError
from gnomon.core.settings import Settings
from gnomon.llm import EgressLedger, ModelClient

TODAY = date(2025, 1, 6)
CANARIES = ("Zanzibel", "Kreuzotter", "Ilvy Marnholt", "ilvy.marnholt@example.org", "77310945")


class Sum(BaseModel):
    total: int


@pytest.fixture(autouse=True)
def _allowed(_no_live_model: None) -> Iterator[None]:
    with override_allow_model_requests(True):
        yield


def settings_for(server: Endpoint, **more: Any) -> Settings:
    return Settings.load(model="small", model_url=server.url, model_key="k-4711-secret", **more)


def asked(client: ModelClient | None, words: str) -> Sum:
    assert client is not None
    try:
        return client.ask("add", words, Sum)
    finally:
        client.close()


def test_the_ledger_holds_byte_for_byte_what_arrived() -> None:
    with endpoint('{"total": 3.5}', '{"total": 4}') as server:
        settings = settings_for(server)
        assert asked(ModelClient.of(settings), "two and “zwei” ✓") == Sum(total=4)
    ledger = EgressLedger.of(settings)
    assert len(server.bodies) == 2
    assert ledger.bodies() == server.bodies
    for entry, headers in zip(ledger.entries(), server.headers, strict=True):
        assert entry["level"] == "schema"
        assert entry["bytes"] == len(entry["text"].encode())
        assert entry["channel"] == f"POST {server.url}/chat/completions"
        assert headers.pop("authorization") == "Bearer k-4711-secret"
        headers.pop("connection", None)
        assert entry["headers"] == headers


def test_the_key_is_sent_and_not_written_down() -> None:
    with endpoint('{"total": 4}') as server:
        settings = settings_for(server)
        asked(ModelClient.of(settings), "2 and 2")
    (file,) = EgressLedger.of(settings).files
    assert "4711" not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_nothing_about_this_machine_is_sent() -> None:
    with endpoint('{"total": 4}') as server:
        asked(ModelClient.of(settings_for(server)), "2 and 2")
    (headers,) = server.headers
    assert set(headers) <= {"host", "content-type", "content-length", "accept", "user-agent", "authorization", "connection"}  # fmt: skip
    assert headers["user-agent"] == "gnomon"


def test_what_cannot_be_written_down_is_not_sent(tmp_path: Path) -> None:
    (tmp_path / "egress").write_text("a file where the folder should be")
    with endpoint('{"total": 4}') as server:
        with pytest.raises(ConfigurationError, match="Nothing was sent"):
            asked(ModelClient.of(settings_for(server, home=tmp_path)), "2 and 2")
        assert server.bodies == []


def test_a_refused_key_is_told_apart_from_a_failure() -> None:
    with endpoint(401) as server, pytest.raises(AuthenticationFailed, match="key"):
        asked(ModelClient.of(settings_for(server)), "2 and 2")
    with endpoint(500) as server, pytest.raises(ApiFailure):
        asked(ModelClient.of(settings_for(server)), "2 and 2")


def test_old_files_of_the_ledger_are_removed(tmp_path: Path) -> None:
    ledger = EgressLedger(tmp_path, "schema", file_bytes=300, keep_files=3)
    for n in range(12):
        ledger.record("somewhere", f"message {n:03d} ".encode() * 10)
    assert 1 <= len(ledger.files) <= 3
    assert ledger.bodies()[-1].startswith(b"message 011")
    ledger.record("somewhere", b"\xff\x00")
    assert ledger.bodies()[-1] == b"\xff\x00"


def shipments() -> pd.DataFrame:
    """Rows that hold the canaries in every kind of column."""
    days = pd.date_range("2023-01-01", "2024-12-31", freq="D")
    n = len(days)
    return pd.DataFrame(
        {
            "shipped_on": days,
            "town": ["Zanzibel", "Oststadt", "Kreuzotter", "Marvik"] * (n // 4) + ["Marvik"] * (n % 4),
            "clerk": ["Ilvy Marnholt", "Bo Tarn"] * (n // 2) + ["Bo Tarn"] * (n % 2),
            "email": ["ilvy.marnholt@example.org", "bo@example.org"] * (n // 2) + ["x@example.org"] * (n % 2),
            "docket": [77310945 + i for i in range(n)],
            "haulage_cost": [round(10 + (i * 37 % 101) / 7, 2) for i in range(n)],
        }
    )


def said(query: str, restated: str = "") -> str:
    return json.dumps({"restated": restated, "query": query, "ignored": [], "missing": []})


@pytest.mark.parametrize("privacy", ["strict", "schema"])
def test_no_planted_value_is_sent_whatever_is_asked(privacy: str, tmp_path: Path) -> None:
    file = tmp_path / "shipments.parquet"
    shipments().to_parquet(file)
    questions = [
        "outlay for zanzibel",
        "how did Kreuzotter fare moneywise",
        "was Ilvy Marnholt splashing out",
        "splurging of ilvy.marnholt@example.org",
        "what about docket 77310945 moneywise",
        "outlay per hamlet",
    ]
    with endpoint(said("")) as server:
        settings = settings_for(server, privacy=privacy)
        with gnomon.open(file, settings=settings) as analyst:
            reader = analyst.manager._reader
            for question in questions:
                reader.read(question, today=TODAY)
    assert len(server.bodies) == len(questions)
    assert EgressLedger.of(settings).bodies() == server.bodies
    text = b"\n".join(server.bodies).decode().lower()
    found = [c for c in CANARIES for part in c.lower().split() if part in text]
    assert found == []
    if privacy == "strict":
        assert [c for c in shipments().columns if re.search(rf"\b{c}\b", text)] == []


def test_a_question_beyond_the_grammar_is_answered_with_a_computed_number(tmp_path: Path) -> None:
    frame = shipments()
    file = tmp_path / "shipments.parquet"
    frame.to_parquet(file)
    answer = said(
        "SELECT SUM(haulage_cost) FROM shipments WHERE town = :VALUE1 AND shipped_on BETWEEN :TIME2_START AND :TIME2_END",
        "total haulage cost for VALUE1 in TIME2",
    )
    with (
        endpoint(answer) as server,
        gnomon.open(file, settings=settings_for(server)) as analyst,
    ):
        told = analyst.ask("What was the outlay for Zanzibel in 2024?", today=TODAY)
    rows = frame[(frame.town == "Zanzibel") & (frame.shipped_on.dt.year == 2024)]
    assert told.status is AnswerStatus.ANSWERED, told.prose
    assert [f.value for f in told.facts if f.name == "haulage_cost"] == [
        pytest.approx(rows.haulage_cost.sum())
    ]
    assert len(server.bodies) == 1


def test_the_model_writes_the_sentence_where_it_is_asked_to_and_sees_no_value(tmp_path: Path) -> None:
    frame = shipments()
    file = tmp_path / "shipments.parquet"
    frame.to_parquet(file)
    text = json.dumps({"text": "Moving things through {{condition1}} came to {{figure1}} altogether."})
    with endpoint(text) as server:
        settings = settings_for(server, model_prose=True)
        with gnomon.open(file, settings=settings) as analyst:
            told = analyst.ask("total haulage cost for Zanzibel", today=TODAY)
    (body,) = server.bodies
    assert EgressLedger.of(settings).bodies() == [body]
    assert b"zanzibel" not in body.lower()
    total = frame.loc[frame.town == "Zanzibel", "haulage_cost"].sum()
    assert told.prose.startswith(f"Moving things through Zanzibel came to {total:,.2f} altogether.")


@pytest.mark.long
def test_a_model_that_is_gone_changes_no_answer(tmp_path: Path) -> None:
    file = tmp_path / "shipments.parquet"
    shipments().to_parquet(file)
    with (
        endpoint(503) as server,
        gnomon.open(file, settings=settings_for(server, model_prose=True)) as analyst,
    ):
        told = analyst.ask("total haulage cost for Zanzibel", today=TODAY)
        refused = analyst.ask("outlay for Zanzibel", today=TODAY)
    assert server.bodies
    asked = "\n\nPrivacy: a language model was asked, at level “schema”."  # it was, though it gave nothing
    with gnomon.open(file) as plain:
        assert told.prose == plain.ask("total haulage cost for Zanzibel", today=TODAY).prose + asked
        assert refused.prose.replace(asked, "") == plain.ask("outlay for Zanzibel", today=TODAY).prose
