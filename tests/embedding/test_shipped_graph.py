"""The shipped graph: its size, its form, and arithmetic that no processor can overflow."""

from __future__ import annotations

import onnx
import pytest
from onnx import numpy_helper

from gnomon.embedding.model_folder import SHIPPED


@pytest.fixture(scope="module")
def model() -> onnx.ModelProto:
    return onnx.load(str(SHIPPED / "model.onnx"))


def test_the_graph_goes_from_tokens_to_a_sentence_vector(model: onnx.ModelProto) -> None:
    onnx.checker.check_model(model, full_check=True)
    assert [i.name for i in model.graph.input] == ["input_ids", "attention_mask"]
    (output,) = model.graph.output
    assert output.name == "sentence_embedding"
    assert output.type.tensor_type.shape.dim[1].dim_value == 384


def test_the_package_stays_small_and_says_whose_work_it_carries() -> None:
    assert (SHIPPED / "model.onnx").stat().st_size < 25_000_000
    notice = (SHIPPED / "NOTICE").read_text()
    assert "all-MiniLM-L6-v2" in notice
    assert "Apache License, Version 2.0" in notice


def test_pairs_of_products_fit_in_sixteen_bits(model: onnx.ModelProto) -> None:
    """Processors without VNNI add two neighbouring products of a column in 16 bits and saturate."""
    arrays = {i.name: i for i in model.graph.initializer}
    matrices = [n.input[1] for n in model.graph.node if n.op_type == "MatMulInteger"]
    assert len(matrices) == 24
    for name in matrices:
        weight = numpy_helper.to_array(arrays[name]).astype(int)
        for signed in (weight.clip(min=0), (-weight).clip(min=0)):
            assert (signed[0::2] + signed[1::2]).max() * 255 <= 32_767, name


def test_every_token_has_a_scale_of_its_own(model: onnx.ModelProto) -> None:
    """A scale per tensor would let one sentence of a batch change the vector of another."""
    assert not [n.name for n in model.graph.node if n.op_type == "DynamicQuantizeLinear"]
    scales = [n for n in model.graph.node if n.op_type == "ReduceMax"]
    assert len(scales) == 24
    (axis,) = {n.input[1] for n in scales}
    values = {i.name: numpy_helper.to_array(i).tolist() for i in model.graph.initializer if i.name == axis}
    assert values == {axis: [-1]}
