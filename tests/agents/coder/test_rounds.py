"""The whole loop with a scripted model and a real worker: mistakes, recovery, findings, prose, and what is sent."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.agents.coder.scripted import Move, Script, code, done

from gnomon.agents.coder import AnalysisRecord, DataAnalysisAgent, Progress, RecordStatus
from gnomon.agents.coder.recovery import RETRY_PREFIX
from gnomon.core.errors import ConfigurationError, DataUnavailable, InvalidInput, NotFound
from gnomon.core.settings import Settings
from gnomon.llm.window import SUMMARY_HEAD
from gnomon.sandbox import CodeExecutor
from gnomon.store import Store
from gnomon.tools import CancelToken

pytestmark = pytest.mark.needs("bwrap")


def hauls() -> pd.DataFrame:
    days = pd.date_range("2024-01-01", periods=120, freq="D")
    towns = ["Zanzibel", "Kreuzotter", "Marvik"]
    return pd.DataFrame(
        {
            "Shipped On": days,
            "town": [towns[i % 3] for i in range(120)],
            "cost": [10.5 + i * 37 % 101 for i in range(120)],
            "grade": [f"{i % 4}" if i % 9 else "n/a?" for i in range(120)],
        }
    )


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "hauls.parquet"
    hauls().to_parquet(path)
    return path


@pytest.fixture(scope="module")
def worker(shipped: Path) -> Iterator[Any]:
    """One worker for all tests of this file: starting one costs more than everything that they run in it."""
    with CodeExecutor(files={"hauls": shipped}) as executor:

        class Shared:
            strength = executor.strength
            data_variables = executor.data_variables
            run = staticmethod(executor.run)

            def __init__(self, **_: Any) -> None:
                pass

            def __enter__(self) -> "Shared":
                return self

            def __exit__(self, *_: object) -> None:
                pass

        yield Shared


def analyze(
    worker: Any, path: Path, script: Script, requirement: str = "what do hauls cost?", **given: Any
) -> AnalysisRecord:
    settings = Settings.load(**given.pop("settings", {}))
    agent = DataAnalysisAgent(
        script.client(), settings=settings, executor=worker, store=given.pop("store", None)
    )
    return agent.analyze(requirement, [path], **given)


@pytest.mark.long
def test_findings_are_computed_told_around_slots_and_can_be_run_again(shipped: Path) -> None:
    script = Script(
        code(
            "finding('total', hauls['cost'].sum(), 'EUR')\nfinding('by_town', hauls.groupby('town').cost.mean())"
        ),
        done("All hauls cost {{total}}; see {{by_town}}."),
    )
    record = DataAnalysisAgent(script.client()).analyze("what do hauls cost?", [shipped])
    frame = hauls()
    assert record.status is RecordStatus.COMPLETE
    assert [(f.name, f.value, f.unit) for f in record.findings] == [("total", frame.cost.sum(), "EUR")]
    assert record.tables[0].columns == ("town", "cost")
    assert dict(record.tables[0].rows) == pytest.approx(frame.groupby("town").cost.mean().to_dict())
    assert f"{frame.cost.sum():,.2f}"[:5] in record.prose
    assert (
        record.strength == "bubblewrap+seccomp" and record.privacy == "schema" and record.model == "scripted"
    )
    assert [c.ok for c in record.cells] == [True]
    again = record.rerun()
    assert again.findings == record.findings and again.tables == record.tables and again.prose == record.prose
    assert record.to_answer().facts == record.findings
    assert record.to_dict()["cells"][0]["findings"] == ["total", "by_town"]


MISTAKES: list[tuple[str, str, str]] = [
    ("finding('x', hauls['Cost'].sum())", "Did you mean 'cost'?", "a column that is not there"),
    ("finding('x', hauls.costs.sum())", "Did you mean 'cost'?", "a column that is not there"),
    ("finding('x', haul['cost'].sum())", "Did you mean 'hauls'?", "a variable that is not there"),
    ("finding('x', hauls[hauls.town == 'Nowhere'].cost.iloc[0])", "Column town of hauls", "no rows left"),
    ("finding('x', hauls.grade.astype(int).sum())", "Column grade of hauls: str", "values that are not of the kind"),
    ("finding('x', hauls['town'].dt.year.max())", "Column town of hauls: str", "another type"),
    ("finding('x', hauls['cost'] > hauls['town'])", "Column cost of hauls: float64", "another type"),
    ("finding('x', hauls.merge(hauls[['cost']], left_on='town', right_on='cost'))", "Column town of hauls", "a join on columns"),
    ("finding('x', pd.to_datetime(hauls['town'], format='%Y'))", "Column town of hauls", "values that are not of the kind"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "help_", "fault"), MISTAKES)
def test_a_mistake_about_the_data_gets_a_hint_and_another_try_in_the_same_round(
    worker: Any, shipped: Path, wrong: str, help_: str, fault: str
) -> None:
    script = Script(
        code(f"import pandas as pd\n{wrong}"),
        code("finding('total', hauls.cost.sum())"),
        done("It is {{total}}."),
    )
    record = analyze(worker, shipped, script)
    assert [(c.round, c.ok, c.recovered) for c in record.cells] == [(1, False, True), (1, True, False)]
    hint = script.feedback[1]
    assert hint.startswith(RETRY_PREFIX)
    assert help_ in hint and fault in hint
    assert not [v for v in ("Zanzibel", "n/a?", "Kreuzotter", "Marvik", "10.5") if v in hint]
    assert record.findings[0].value == hauls().cost.sum()


def test_recovery_ends_at_its_limit_and_the_sanitised_error_goes_to_the_next_round(
    worker: Any, shipped: Path
) -> None:
    def wrong(n: int) -> Move:
        return code(f"finding('x{n}', hauls['nothing{n}'].sum())")

    script = Script(
        wrong(1), wrong(2), wrong(3), code("finding('total', hauls.cost.sum())"), done("It is {{total}}.")
    )
    record = analyze(worker, shipped, script, settings={"max_data_context_retries": 2})
    assert [(c.round, c.recovered) for c in record.cells] == [(1, True), (1, True), (1, False), (2, False)]
    assert [f.startswith(RETRY_PREFIX) for f in script.feedback[1:4]] == [True, True, False]
    assert "The code failed." in script.feedback[3] and "KeyError" in script.feedback[3]


def test_without_retries_every_error_is_a_normal_failure(worker: Any, shipped: Path) -> None:
    script = Script(code("hauls['nope']"), code("finding('n', len(hauls))"), done("There are {{n}} hauls."))
    record = analyze(worker, shipped, script, settings={"max_data_context_retries": 0})
    assert [c.recovered for c in record.cells] == [False, False]
    assert RETRY_PREFIX not in script.everything


@pytest.mark.parametrize("wrong", ["def f(:", "import nothing_of_the_kind", "1/0", "[].nope"])
def test_a_mistake_in_the_code_itself_is_told_without_a_hint(worker: Any, shipped: Path, wrong: str) -> None:
    script = Script(code(wrong), code("finding('n', len(hauls))"), done("There are {{n}} hauls."))
    record = analyze(worker, shipped, script)
    assert [(c.round, c.recovered) for c in record.cells] == [(1, False), (2, False)]
    assert script.feedback[1].startswith("The code failed.")


def test_the_first_message_has_the_profile_the_request_and_no_value_of_it(worker: Any, shipped: Path) -> None:
    script = Script(code("finding('v', hauls[hauls.town == VALUE1].cost.sum())"), done("It is {{v}}."))
    record = analyze(worker, shipped, script, "How much do hauls to zanzibel cost?")
    assert "Table hauls: 120 rows, 4 columns" in script.first
    assert "How much do hauls to VALUE1 cost?" in script.first
    assert "zanzibel" not in script.everything.lower()
    frame = hauls()
    assert record.findings[0].value == frame[frame.town == "Zanzibel"].cost.sum()


def test_under_strict_names_mean_nothing_and_code_is_mapped_back(worker: Any, shipped: Path) -> None:
    script = Script(
        code("finding('m', table_1.groupby('col_2')['col_3'].mean())"),
        code("finding('c', table_1.col_9.sum())"),
        code("finding('q', table_1.query('col_3 > 50 and col_1 > \"2024-02-01\"').col_3.sum())"),
        done("It is {{q}}."),
    )
    record = analyze(worker, shipped, script, "mean cost by town and Shipped On", privacy="strict")
    frame = hauls()
    assert record.privacy == "strict"
    assert not [n for n in ("Shipped On", "town", "cost", "hauls", "grade") if n in script.everything]
    assert "mean col_3 by col_2 and col_1" in script.first
    assert dict(record.tables[0].rows) == pytest.approx(frame.groupby("town").cost.mean().to_dict())
    wanted = frame[(frame.cost > 50) & (frame["Shipped On"] > "2024-02-01")].cost.sum()
    assert record.findings[0].value == pytest.approx(wanted)
    assert "hauls" in record.cells[0].code and "'town'" in record.cells[0].code


def test_a_level_named_for_a_file_holds_even_where_another_is_asked_for(worker: Any, shipped: Path) -> None:
    script = Script(code("finding('n', len(table_1))"), done("There are {{n}}."))
    record = analyze(
        worker, shipped, script, privacy="full", settings={"data_privacy": {"hauls.parquet": "strict"}}
    )
    assert record.privacy == "strict" and "town" not in script.first


def test_numbers_that_bind_to_no_finding_never_reach_the_reader(worker: Any, shipped: Path) -> None:
    script = Script(
        code("finding('total', hauls.cost.sum())"),
        done("The total is {{total}}, which is 17 % more than usual."),
        done("The total is {{totals}}."),
    )
    record = analyze(worker, shipped, script)
    assert "17" not in record.prose
    assert "no numbers of your own" in script.feedback[2]
    assert record.prose.startswith("Findings\nTotal: ")
    assert any("did not hold" in n for n in record.notes)


def test_what_a_model_cannot_know_is_not_claimed(worker: Any, shipped: Path) -> None:
    script = Script(
        code("finding('total', hauls.cost.sum())"),
        done("Costs rose to {{total}}."),
        done("Costs add up to {{total}}."),
    )
    record = analyze(worker, shipped, script)
    assert "cannot know" in script.feedback[2]
    assert "Costs add up to" in record.prose and "rose" not in record.prose


def test_the_conversation_is_trimmed_and_summed_up(worker: Any, shipped: Path) -> None:
    moves = [
        code(f"finding('n{i}', {i} + len(hauls))", f"step {'abcdefgh'[i]} with `df.x`") for i in range(8)
    ]
    script = Script(*moves, done("It is {{n7}}."))
    analyze(worker, shipped, script, settings={"conversation_window_size": 2})
    last = script.sent[-1]
    texts = [str(p.content) for m in last for p in m.parts]
    assert texts[0] == script.first
    summary = next(t for t in texts if t.startswith(SUMMARY_HEAD))
    assert texts.index(summary) == 1
    assert summary.splitlines()[1] == "- generate_code: step a with (succeeded)"
    assert len(summary.splitlines()) == 7 and "finding(" not in summary
    assert len(texts) == 2 + 4


def test_rounds_end_at_their_limit_with_what_was_found(worker: Any, shipped: Path) -> None:
    script = Script(*(code(f"finding('n{i}', {i} + len(hauls))") for i in range(9)))
    told: list[Progress] = []
    record = analyze(worker, shipped, script, settings={"max_rounds": 3}, on_progress=told.append)
    assert record.status is RecordStatus.INCOMPLETE and len(record.cells) == 3
    assert [f.name for f in record.findings] == ["n0", "n1", "n2"]
    assert "did not finish within 3 rounds" in record.prose
    assert told[-1].progress_percentage == 100.0 and {p.max_rounds for p in told} == {3}
    shares = [p.progress_percentage for p in told]
    assert shares == sorted(shares)


def test_a_model_that_repeats_itself_is_stopped(worker: Any, shipped: Path) -> None:
    record = analyze(worker, shipped, Script(code("finding('n', len(hauls))")))
    assert len(record.cells) == 3 and record.findings[0].value == 120
    assert any("repeated itself" in n for n in record.notes)


def test_a_stopped_analysis_keeps_what_it_has(worker: Any, shipped: Path) -> None:
    token = CancelToken()

    def stop(_: str) -> Move:
        token.cancel()
        return code("finding('late', 1)")

    script = Script(code("finding('n', len(hauls))"), stop)
    record = analyze(worker, shipped, script, cancel=token)
    assert record.status is RecordStatus.CANCELLED
    assert [f.name for f in record.findings] == ["n"]


def test_values_left_in_variables_are_findings_where_none_is_reported(worker: Any, shipped: Path) -> None:
    script = Script(code("mean_cost = hauls['cost'].mean()\nprint(mean_cost)"), done("It is {{mean_cost}}."))
    record = analyze(worker, shipped, script)
    assert record.findings[0].value == pytest.approx(hauls().cost.mean())
    assert "{{mean_cost}}: a number" in script.feedback[1]


def test_a_template_is_put_before_the_request_and_its_plan_stands_in_for_a_model_that_fails(
    worker: Any, shipped: Path
) -> None:
    script = Script(code("finding('n', len(hauls))"), done("There are {{n}}."))
    record = analyze(worker, shipped, script, "look at it", template="data_quality")
    at = script.first.index("Follow this plan: Data quality.")
    assert at < script.first.index("The request: look at it")
    assert record.template == "data_quality" and record.findings[0].name == "n"
    nothing = Script(code("x = None"), done("Nothing."))
    fallen = analyze(
        worker, shipped, nothing, "look at it", template="data_quality", settings={"max_rounds": 2}
    )
    assert any("own plan was followed" in n for n in fallen.notes)
    assert any(f.value == 120 for f in fallen.findings)


def test_a_run_is_kept_in_the_store(worker: Any, shipped: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "runs.db") as store:
        script = Script(code("hauls['nope']"), code("finding('n', len(hauls))"), done("There are {{n}}."))
        record = analyze(worker, shipped, script, store=store)
        kept = store.run(record.id)
    assert kept.status == "success" and [r["status"] for r in kept.results] == ["failed", "success"]
    assert "nope" not in str(kept)


def test_what_cannot_be_done_is_said_before_anything_is_sent(shipped: Path, tmp_path: Path) -> None:
    script = Script(code("1"))
    agent = DataAnalysisAgent(script.client())
    with pytest.raises(NotFound, match=r"health_check.*trend_and_seasonality"):
        agent.analyze("x", [shipped], "helth_check")
    with pytest.raises(InvalidInput, match="what to analyse"):
        agent.analyze("  ", [shipped])
    with pytest.raises(DataUnavailable):
        agent.analyze("x", [tmp_path / "gone.csv"])
    with pytest.raises(ConfigurationError, match="needs a language model"):
        DataAnalysisAgent(settings=Settings.load()).analyze("x", [shipped])
    assert script.sent == []


def test_a_file_that_cannot_be_opened_is_told_and_the_others_go_on(
    worker: Any, shipped: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and nothing else")
    script = Script(code("finding('n', len(hauls))"), done("There are {{n}}."))
    agent = DataAnalysisAgent(script.client(), executor=worker)
    record = agent.analyze("count them", [shipped, broken])
    assert record.findings[0].value == 120
    assert "Not available: broken.parquet" in script.first
    assert any("broken.parquet" in n for n in record.notes)


@pytest.mark.long
def test_a_large_file_is_streamed_in_chunks_and_queried_but_never_offered_whole(tmp_path: Path) -> None:
    path = tmp_path / "meters.csv"
    frame = pd.DataFrame(
        {"meter": [f"m{i % 7}" for i in range(150_000)], "kwh": [i % 97 / 8 for i in range(150_000)]}
    )
    frame.to_csv(path, index=False)
    assert path.stat().st_size > 1024 * 1024
    script = Script(
        code("finding('total', sum(float(c['kwh'].sum()) for c in meters_chunks))"),
        code("finding('most', meters_relation.aggregate('max(kwh) AS m').df()['m'].iloc[0])"),
        done("All of it: {{total}}, at most {{most}}."),
    )
    settings = Settings.load(max_file_size_mb=1, chunk_size=50_000)
    record = DataAnalysisAgent(script.client(), settings=settings).analyze("how much?", [path])
    assert [c.ok for c in record.cells] == [True, True], [c.error for c in record.cells]
    assert {f.name: f.value for f in record.findings} == {
        "total": pytest.approx(frame.kwh.sum()), "most": frame.kwh.max(),
    }  # fmt: skip
    assert "too large to load whole" in script.first and "meters: a pandas DataFrame" not in script.first
