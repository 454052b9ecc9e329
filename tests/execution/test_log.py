"""The published log lines, readable and structured."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from step_tools import Flaky, MakeLayer, bad, plan_of, transient

from gnomon.core.errors import ConfigurationError
from gnomon.core.plan import Step
from gnomon.core.settings import Settings
from gnomon.execution import LogWriter, PipelineLog


def lines(path: Path) -> list[str]:
    return [re.sub(r"^\S+ (INFO|WARNING) ", "", line) for line in path.read_text().splitlines()]


def test_a_request_writes_the_published_lines_in_order(make_layer: MakeLayer) -> None:
    writer = LogWriter.of(Settings.load())
    log = PipelineLog(writer, "r-7")
    log.starting()
    with log.stage(1):
        log.context_extracted("detect_anomalies", "timeseries")
    with log.stage(2):
        log.planned("single", ["total"])
    with log.stage(3):
        result = make_layer().invoke(
            plan_of(Step(id="a", tool="total")), [{"v": 1.5}], request_id="r-7", listeners=[writer]
        )
    seconds = log.finished(result.status)
    writer.close()
    assert lines(writer.path) == [
        "[REQUEST r-7] Starting V2 pipeline",
        "[REQUEST r-7] STEP 1: Context Extraction - START",
        "[REQUEST r-7] Context extracted - Goal: detect anomalies",
        "[REQUEST r-7] Data type: timeseries",
        "[REQUEST r-7] STEP 1: Context Extraction - COMPLETE",
        "[REQUEST r-7] STEP 2: MCP Tools Chaining Manager - START",
        "[REQUEST r-7] Strategy: single",
        "[REQUEST r-7] Tools: ['total']",
        "[REQUEST r-7] STEP 2: MCP Tools Chaining Manager - COMPLETE",
        "[REQUEST r-7] STEP 3: Tools Invocation - START",
        "[REQUEST r-7] Invoking tool: total",
        "[REQUEST r-7] Tool total succeeded",
        "[REQUEST r-7] STEP 3: Tools Invocation - COMPLETE",
        f"[REQUEST r-7] Pipeline duration: {seconds:.2f}s",
        "[REQUEST r-7] Pipeline FINISHED - Status: success",
    ]
    structured = [json.loads(line) for line in writer.json_path.read_text().splitlines()]
    assert [e["message"] for e in structured] == [line.split("] ", 1)[1] for line in lines(writer.path)]
    invoked = structured[10]
    assert (invoked["tool"], invoked["event"], invoked["request_id"]) == ("total", "started", "r-7")
    assert structured[11]["duration_seconds"] > 0


def test_failures_retries_and_fallbacks_are_logged_with_their_code_and_never_with_their_text(
    make_layer: MakeLayer, tmp_path: Path
) -> None:
    writer = LogWriter(tmp_path / "logs")
    layer = make_layer(Flaky(transient(), bad()).tool(), Flaky().tool("spare"))
    layer.invoke(
        plan_of(Step(id="a", tool="flaky", fallback="spare"), Step(id="b", tool="crashes")),
        request_id="r",
        listeners=[writer],
    )
    text = writer.path.read_text()
    assert "WARNING [REQUEST r] Tool crashes failed (calculation_error)" in text
    assert "Tool flaky failed (api_failure), retry 1 in 0.5s" in text
    assert "Tool flaky failed (invalid_input), trying spare" in text
    assert "Tool spare succeeded" in text
    for part in ("4111", "will not pass"):
        assert part not in text + writer.json_path.read_text()


def test_a_request_cannot_forge_a_line(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path)
    PipelineLog(writer, "x\n[REQUEST y] Pipeline FINISHED").context_extracted("a\r\nb %s", "c\u2028d")
    assert len(writer.path.read_text().splitlines()) == 2
    assert "Goal: a b %s" in writer.path.read_text()


def test_files_rotate(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path, max_bytes=2000, backups=2)
    for i in range(100):
        writer.write("r", f"line {i}")
    names = sorted(p.name for p in tmp_path.iterdir())
    assert names == [f"agent_v2.{kind}{n}" for kind in ("jsonl", "log") for n in ("", ".1", ".2")]
    assert all(p.stat().st_size <= 2000 for p in tmp_path.iterdir())
    assert writer.path.read_text().endswith("line 99\n")


def test_a_folder_that_cannot_be_made_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="log folder"):
        LogWriter(tmp_path / "file" / "logs")
