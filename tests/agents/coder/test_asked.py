"""The request as a model sees it: values of the data are marks, and come back in the code."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from gnomon.agents.coder.asked import show_request
from gnomon.agents.coder.names import Names
from gnomon.agents.coder.workspace import Workspace, open_workspace
from gnomon.core.settings import Settings
from gnomon.llm import Privacy

FRAME = pd.DataFrame(
    {
        "town": ["Zanzibel", "Bad Kreuzotter", "Marvik"] * 4,
        "remark": ["paid by Oswin Tarr", "nothing to say", "late"] * 4,
        "unit_price": [1.5, 2.5, 3.5] * 4,
        "order_no": range(8_123_400, 8_123_412),
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("asked") / "orders.csv"
    FRAME.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module", params=[Privacy.SCHEMA])
def workspace(folder: Path, request: pytest.FixtureRequest) -> Iterator[Workspace]:
    with open_workspace([folder], Settings.load(), privacy=request.param, for_code=False) as opened:
        yield opened


@pytest.mark.parametrize(
    ("typed", "sent", "values"),
    [
        ("total in zanzibel", "total in VALUE1", ["Zanzibel"]),
        ("Bad Kreuzotter against marvik", "VALUE1 against VALUE2", ["Bad Kreuzotter", "Marvik"]),
        ("marvik, and Marvik again", "VALUE1, and VALUE1 again", ["Marvik"]),
        ("rows with 'Oswin'", "rows with VALUE1", ["Oswin"]),
        ("call it 'r_value' or \"linear\"", "call it 'r_value' or \"linear\"", []),
        ("order 8123404 at 12.5 %", "order VALUE1 at 12.5 %", [8123404]),
        ("the top 10 since 2024", "the top 10 since 2024", []),
        ("mean 'unit_price' by town", "mean 'unit_price' by town", []),
        ("write to ada@example.org", "write to VALUE1", ["ada@example.org"]),
    ],
)
def test_values_of_the_data_are_marks(
    workspace: Workspace, typed: str, sent: str, values: list[object]
) -> None:
    names = Names.of(workspace.safe, workspace.privacy)
    shown, legend = show_request(typed, workspace, names)
    assert shown == sent
    assert list(names.marks.values()) == values
    assert bool(legend) == bool(values)


@pytest.mark.parametrize("workspace", [Privacy.STRICT], indirect=True)
def test_under_strict_names_in_the_request_are_hidden_too(workspace: Workspace) -> None:
    names = Names.of(workspace.safe, workspace.privacy)
    shown, _ = show_request("mean Unit Price of orders by town in Marvik", workspace, names)
    assert shown == "mean col_3 of table_1 by col_1 in VALUE1"


@pytest.mark.parametrize("workspace", [Privacy.AGGREGATES, Privacy.FULL], indirect=True)
def test_from_aggregates_on_the_request_goes_as_it_was_typed(workspace: Workspace) -> None:
    names = Names.of(workspace.safe, workspace.privacy)
    assert show_request("total in zanzibel", workspace, names) == ("total in zanzibel", [])
