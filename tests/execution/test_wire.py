"""What crosses to another process comes back as it was: rows, models, errors; never a connection."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import pyarrow as pa
import pytest
from pydantic import BaseModel
from step_tools import DOUBLE, TOTAL

from gnomon.core import errors
from gnomon.core.errors import GnomonError, InvalidInput, NotFound, RateLimited
from gnomon.execution.wire import CannotLeave, pack_call, pack_reply, unpack_call, unpack_reply
from gnomon.tools import Frame, ToolContext

TABLE = pa.table(
    {"n": [1, None, 3], "when": pa.array([0, 1, 2], pa.timestamp("us", "UTC")), "t": ["a", "ü", None]}
)


class Pair(BaseModel):
    left: int
    right: str


def test_parameters_and_rows_come_out_as_they_went_in() -> None:
    params: dict[str, Any] = {
        "data": Frame(TABLE),
        "others": [Frame(TABLE.slice(1, 1)), 3],
        "nested": {"deep": (Frame(TABLE), None)},
        "address": Frame.of({"source": "sales.csv"}),
    }
    tool, out, _, roots = unpack_call(pack_call(TOTAL, params, ToolContext(roots=())))
    assert tool.spec == TOTAL.spec
    assert out == params
    assert isinstance(out["nested"]["deep"], tuple)
    assert roots == ()


def test_a_slice_sends_its_own_rows_only() -> None:
    big = pa.table({"v": range(200_000)})
    content = pack_call(TOTAL, {"data": Frame(big.slice(10, 5))}, ToolContext())
    assert len(content) < 20_000


def test_rows_cross_as_arrow_data() -> None:
    content = pack_call(TOTAL, {"data": Frame(TABLE)}, ToolContext())
    sent = pickle.loads(content).params["data"].content
    assert pa.ipc.open_stream(sent).read_all().equals(TABLE)


def test_outputs_keep_their_types() -> None:
    output = {"rows": Frame(TABLE), "pair": Pair(left=1, right="x"), "n": [1.5, None]}
    assert unpack_reply(pack_reply(output)) == output


@pytest.mark.parametrize(
    "name",
    [
        n
        for n, c in vars(errors).items()
        if isinstance(c, type) and issubclass(c, GnomonError) and c is not RateLimited
    ],
)
def test_every_error_comes_back_as_itself(name: str) -> None:
    kind: type[GnomonError] = getattr(errors, name)
    with pytest.raises(kind, match="what was wrong") as caught:
        unpack_reply(pack_reply(None, kind("what was wrong", suggestions=["do this"])))
    assert type(caught.value) is kind
    assert caught.value.suggestions == ("do this",)


def test_an_error_of_a_tools_own_comes_back_as_its_nearest_kin() -> None:
    class Peculiar(NotFound):
        pass

    with pytest.raises(NotFound, match="odd") as caught:
        unpack_reply(pack_reply(None, Peculiar("odd")))
    assert type(caught.value) is NotFound


def test_what_cannot_be_sent_is_a_typed_error_on_either_way() -> None:
    with pytest.raises(CannotLeave, match="double"):
        pack_call(DOUBLE, {"x": threading.Lock()}, ToolContext())
    with pytest.raises(InvalidInput, match="the output"):
        unpack_reply(pack_reply({"lock": threading.Lock()}))


def test_a_table_that_is_not_open_is_not_found_before_anything_is_sent() -> None:
    import duckdb

    from gnomon.data import Dataset

    with Dataset(duckdb.connect(":memory:")) as dataset, pytest.raises(NotFound, match="sales"):
        pack_call(TOTAL, {"data": Frame.of({"table": "sales"})}, ToolContext(dataset=dataset))
