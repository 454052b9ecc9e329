"""What an answer says about itself: how the question was taken, whether a model saw it, how accurate answers are."""

import asyncio
import threading
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import override_allow_model_requests
from pydantic_ai.models.function import AgentInfo, FunctionModel
from rich.console import Console
from tests.agents.managed import PATIENCE, TODAY, Choosing, Worker, orders_frame, store
from typer.testing import CliRunner

import gnomon
from gnomon.agents.evaluation.tracking import AccuracyTracker
from gnomon.agents.outcome import respond, with_privacy
from gnomon.agents.rendering import render
from gnomon.cli.app import app
from gnomon.core.answer import Answer, AnswerStatus
from gnomon.core.errors import ErrorCode
from gnomon.core.query import AgentType
from gnomon.core.settings import Settings
from gnomon.llm import ModelClient, Privacy
from gnomon.planning.model_reader import ModelReader
from gnomon.semantic.model import SemanticModel

ASIDE = "I am preparing a talk and need the total revenue in October 2024"
RANKED = "which region is best?"


def test_notes_of_the_reader_reach_explanations_too() -> None:
    answer = (
        store()
        .analyst()
        .ask("I am preparing a talk and need to know why revenue changed in October 2024", today=TODAY)
    )
    assert "Why:" in answer.prose
    assert "Note: “I am preparing a talk” was taken as an aside." in answer.prose


def test_notes_of_the_reader_reach_the_answer_and_whatever_shows_it() -> None:
    answer = store().analyst().ask(ASIDE, today=TODAY)
    note = "“I am preparing a talk” was taken as an aside."
    assert f"Note: {note}" in answer.prose
    assert note in answer._repr_html_()  # pyright: ignore[reportPrivateUsage]
    console = Console(width=200)
    with console.capture() as shown:
        console.print(render(answer))
    assert note in shown.get() and note in answer.to_dict()["prose"]


def test_a_measure_that_was_chosen_for_the_asker_is_told() -> None:
    answer = store().analyst().ask(RANKED, today=TODAY)
    assert answer.status is AnswerStatus.ANSWERED
    assert "Ranked by revenue, as no measure was named." in answer.prose


def test_every_response_is_measured_and_counted() -> None:
    tracker = AccuracyTracker()
    manager = store().manager(tracker=tracker)
    for question in ("total revenue in October 2024", "what is the meaning of life?", "orders by region"):
        response = respond(manager.process(question, today=TODAY))
        assert response.metadata is not None and response.metadata.accuracy_metrics is not None
    assert manager.accuracy == tracker.so_far
    assert (manager.accuracy.questions, manager.accuracy.answered) == (3, 2)
    assert manager.accuracy.accuracy == 1.0


def test_a_response_after_an_error_is_measured_too() -> None:
    def fails(reading: Any, **_: Any) -> Answer:
        raise RuntimeError("broken")

    manager = store().manager(presenter=Worker(fails), router=Choosing(AgentType.DATA_PRESENTER))
    outcome = manager.process("total revenue", today=TODAY)
    assert outcome.error is ErrorCode.INTERNAL and outcome.accuracy is not None
    assert (manager.accuracy.questions, manager.accuracy.answered) == (1, 0)


class Stuck:
    """A model that never answers, and knows when it was stopped."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.set()
        raise AssertionError("never let go")


def columns_of(model: SemanticModel) -> dict[str, dict[str, str]]:
    """The columns of each table, as a data base would name their types."""
    found: dict[str, dict[str, str]] = {t.name: {} for t in model.tables}
    for dimension in model.dimensions:
        for ref in dimension.locations:
            found[ref.table][ref.column] = "string"
    return found


@pytest.fixture
def _models_allowed() -> Any:
    with override_allow_model_requests(True):
        yield


@pytest.mark.usefixtures("_models_allowed")
def test_a_model_that_reads_too_long_is_interrupted_by_the_manager() -> None:
    s, stuck = store(), Stuck()
    client = ModelClient(FunctionModel(stuck), timeout=PATIENCE * 10)
    reader = ModelReader(client, s.model, s.index, s.reader, columns_of(s.model))
    outcome = s.manager(reader=reader, read_seconds=0.5).process("wurble by region", today=TODAY)
    assert outcome.error is ErrorCode.TIMEOUT
    assert stuck.stopped.wait(PATIENCE), "the call of the model goes on"


@pytest.mark.usefixtures("_models_allowed")
def test_an_answer_tells_at_which_level_a_model_was_asked() -> None:
    s, stuck = store(), Stuck()
    client = ModelClient(FunctionModel(stuck), timeout=0.2, privacy=Privacy.STRICT)
    manager = s.manager(
        reader=ModelReader(client, s.model, s.index, s.reader, columns_of(s.model)), read_seconds=PATIENCE
    )
    outcome = manager.process("wurble by region", today=TODAY)
    assert outcome.privacy == "strict"
    assert outcome.answer.prose.endswith("Privacy: a language model was asked, at level “strict”.")
    plain = manager.process("revenue by region", today=TODAY)
    assert plain.privacy is None and "Privacy:" not in plain.answer.prose


def test_without_a_model_an_answer_is_left_as_it_is() -> None:
    answer = Answer(status=AnswerStatus.ANSWERED, prose="Revenue was 7.")
    assert with_privacy(answer, None) is answer


def test_the_command_line_says_that_nothing_left_the_machine(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    orders_frame().to_csv(path, index=False)
    told = CliRunner().invoke(app, ["ask", str(path), ASIDE, "--today", "2024-11-30"])
    assert told.exit_code == 0, told.output
    assert "was taken as an aside" in " ".join(told.output.split())
    assert "No language model was used; nothing left this machine." in told.output


@pytest.mark.parametrize("allowed", [False, True])
def test_personal_columns_are_shown_where_the_setting_allows_them(tmp_path: Path, allowed: bool) -> None:
    names = frozenset({"contact_email"}) if allowed else frozenset[str]()
    settings = Settings.load(home=tmp_path / "home", allow_personal=names)
    with gnomon.open({"orders": orders_frame()}, settings=settings) as analyst:
        answer = analyst.ask("top 3 contact emails by revenue", today=date(2024, 11, 30))
    shown = [str(v) for table in answer.tables for row in table.rows for v in row]
    assert any(v.endswith("@example.com") for v in shown) == allowed
    assert ("@example.com" in answer.prose) == allowed


def test_the_setting_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_ALLOW_PERSONAL", '["contact_email", "phone"]')
    assert Settings.load().allow_personal == {"contact_email", "phone"}


def test_what_ends_before_it_begins_is_said(tmp_path: Path) -> None:
    rows = [
        f"{i},{'Roof' if i % 2 else 'Wall'},2024-03-{10 + i % 9},2024-03-{11 if i % 2 else 28}"
        for i in range(40)
    ]
    (tmp_path / "repairs.csv").write_text("\n".join(["repair_id,part,opened_on,closed_on", *rows]))
    analyst = gnomon.open(tmp_path / "repairs.csv")
    assert (
        "Note: In some rows closed on lies before opened on"
        in analyst.ask("average resolution time by part").prose
    )
    assert "lies before" not in analyst.ask("average resolution time for Wall").prose
