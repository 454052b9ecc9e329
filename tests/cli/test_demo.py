"""The demo commands: what they write, what they print, and that a second run is quick."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app
from gnomon.cli.demo_summary import FILE, Summary
from gnomon.data.demo_store import TABLES, DemoStore
from gnomon.data.sources import open_sources

run = CliRunner()


@pytest.mark.long
def test_demo_data_writes_a_folder_that_opens_as_eight_tables(tmp_path: Path) -> None:
    result = run.invoke(app, ["demo-data", str(tmp_path / "store"), "--scale", "0.2", "--seed", "11"])
    assert result.exit_code == 0, result.output
    store = DemoStore.find(tmp_path / "store")
    assert store is not None
    assert (store.seed, store.scale) == (11, 0.2)
    assert f"{sum(store.rows.values()):,} rows in 8 tables" in result.output
    with open_sources(tmp_path / "store") as dataset:
        assert sorted(dataset.tables) == sorted(TABLES)


def test_demo_data_explains_a_scale_that_cannot_be(tmp_path: Path) -> None:
    result = run.invoke(app, ["demo-data", str(tmp_path), "--scale", "0"])
    assert result.exit_code == 1
    assert "scale must be above 0" in result.output


@pytest.mark.long
def test_demo_profiles_once_and_remembers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_HOME", str(tmp_path))
    first = run.invoke(app, ["demo"])
    assert first.exit_code == 0, first.output
    store = DemoStore.find(tmp_path / "demo")
    assert store is not None
    assert f"{store.rows['orders']:,} rows · one row per order_id · 2023-11-06 … 2025-11-02" in first.output
    assert "orders.product_id → products.product_id" in first.output
    assert "What to try next" in first.output
    second = run.invoke(app, ["demo"])
    assert second.exit_code == 0, second.output
    assert "Profiling" in first.output
    assert "Writing" in first.output
    assert "Profiling" not in second.output
    assert "Writing" not in second.output
    assert second.output in first.output


def test_demo_ends_with_the_page_where_it_is_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real commands, up to the moment at which the server would wait for requests."""
    import uvicorn

    from gnomon.cli.demo import _serve

    served: list[str] = []

    def run_once(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        served.append(f"{server.config.app.title} {sockets[0].getsockname()[1]}")

    monkeypatch.setenv("GNOMON_HOME", str(tmp_path))
    monkeypatch.setattr(uvicorn.Server, "run", run_once)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        _serve(port, browser=False)
    (told,) = served
    assert told.startswith("Gnomon ")
    assert not told.endswith(f" {port}")


def test_a_changed_table_is_profiled_again(tmp_path: Path) -> None:
    run.invoke(app, ["demo-data", str(tmp_path), "--scale", "0.2"])
    store = DemoStore.find(tmp_path)
    assert store is not None
    assert Summary.recall(store) is None
    Summary((), ("a.b → c.d",)).remember(store)
    assert Summary.recall(store) == Summary((), ("a.b → c.d",))
    store.tables["account"].write_bytes(store.tables["account"].read_bytes() + b"\0")
    assert Summary.recall(store) is None
    kept = json.loads((tmp_path / FILE).read_text())
    assert kept["joins"] == ["a.b → c.d"]
