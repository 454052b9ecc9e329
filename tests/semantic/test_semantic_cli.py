"""``gnomon semantic`` writes a model that can be edited and read back."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from gnomon.cli.semantic import semantic
from gnomon.core.errors import DataUnavailable, InvalidInput, NotFound
from gnomon.data import load_and_profile_data
from gnomon.semantic import Additivity, load_model

app = typer.Typer()
app.command()(semantic)
RUN = CliRunner()


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    lines = ["order_id,day,region,revenue,net_revenue"]
    lines += [
        f"{i},2024-01-{1 + i % 28:02},{'north' if i % 2 else 'south'},{i * 1.25},{i}" for i in range(60)
    ]
    path = tmp_path / "orders.csv"
    path.write_text("\n".join(lines))
    return path


def test_the_printed_model_can_be_read_back(sales: Path) -> None:
    printed = RUN.invoke(app, [str(sales)])
    assert printed.exit_code == 0
    loaded = load_and_profile_data([str(sales)])
    model = load_model(printed.stdout, loaded.profile)
    assert model.metric("revenue").additivity is Additivity.ADDITIVE
    assert model.metric("orders").label == "number of orders"
    loaded.dataset.close()


def test_corrections_are_kept_in_the_file(sales: Path, tmp_path: Path) -> None:
    written = tmp_path / "model.yaml"
    done = RUN.invoke(app, [str(sales), "--means", "sales=net_revenue", "-o", str(written)])
    assert done.exit_code == 0
    again = RUN.invoke(app, [str(sales), "--model", str(written)])
    assert "synonyms:\n  sales: net_revenue" in again.stdout
    assert again.stdout == written.read_text()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--means", "sales"], InvalidInput),
        (["--means", "sales=net_revenu"], NotFound),
        (["--model", "nowhere.yaml"], DataUnavailable),
    ],
)
def test_mistakes_are_typed(sales: Path, arguments: list[str], error: type[Exception]) -> None:
    failed = RUN.invoke(app, [str(sales), *arguments])
    assert isinstance(failed.exception, error)
