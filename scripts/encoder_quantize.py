"""Int8 form of the encoder graph, in which a sentence's vector does not depend on its batch.

Stock dynamic quantisation takes one activation scale per tensor, so that a neighbour in the batch changes
a sentence's vector (measured: cosine down to 0.987). Here every token has a scale of its own; the few
channels in which this model is loud are calmed by moving their range into the weights, and the output of
GELU, which is never below -0.17, uses the whole unsigned range.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from encoder_graph import GraphWriter

WEIGHT_MAX = 127
# Two roundings add at most one level, and 255 * 128 still fits in 16 bits.
PAIR_MAX = 127.4
# How much of a loud channel's range moves into the weights; 0.65 agreed best with fp32 among 0.25 … 0.8.
CALM_SHARE = 0.65
GELU_FLOOR = 0.17
WORDS = "words"


def activations_of(model: onnx.ModelProto) -> dict[str, str]:
    """The input of every linear layer, by the name of its weight."""
    names = {i.name for i in model.graph.initializer}
    return {n.input[1]: n.input[0] for n in model.graph.node if n.op_type == "MatMul" and n.input[1] in names}


def quantize(model: onnx.ModelProto, loudness: Mapping[str, np.ndarray]) -> onnx.ModelProto:
    """The same graph with int8 matrices.

    Args:
        model: The fp32 graph.
        loudness: For each linear layer's weight, the largest magnitude seen in each input channel.
    """
    arrays = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    gelus = {n.output[0] for n in model.graph.node if n.op_type == "Gelu"}
    g = GraphWriter()
    _shared_constants(g)
    replaced: set[str] = set()
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in loudness:
            weight = arrays[node.input[1]]
            replaced.add(node.input[1])
            if node.input[0] in gelus:
                _unsigned_linear(g, node, weight)
            else:
                _signed_linear(g, node, weight, loudness[node.input[1]])
        elif node.op_type == "Gather" and node.input[0] == WORDS:
            _table_lookup(g, node, arrays[WORDS])
            replaced.add(WORDS)
        else:
            g.nodes.append(node)
    kept = [i for i in model.graph.initializer if i.name not in replaced]
    graph = helper.make_graph(
        g.nodes, model.graph.name, model.graph.input, model.graph.output, [*kept, *g.initializers]
    )
    result = helper.make_model(graph, opset_imports=model.opset_import, producer_name=model.producer_name)
    result.ir_version = model.ir_version
    onnx.checker.check_model(result)
    return result


def _shared_constants(g: GraphWriter) -> None:
    g.constant("q.axis", np.array([-1], dtype=np.int64))
    g.constant("q.tiny", np.array(1e-9, dtype=np.float32))
    g.constant("q.signed_top", np.array(127, dtype=np.float32))
    g.constant("q.unsigned_top", np.array(255, dtype=np.float32))
    g.constant("q.middle", np.array(128, dtype=np.float32))
    g.constant("q.zero_point", np.array(128, dtype=np.uint8))
    g.constant("q.floor", np.array(GELU_FLOOR, dtype=np.float32))


def _int8_columns(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Levels and the scale of each column.

    Processors without VNNI add neighbouring products in 16 bits and saturate. The scale is therefore large
    enough that 255 times the weights of one sign in a pair of rows always fits.
    """
    largest = np.abs(weight).max(axis=0) / WEIGHT_MAX
    for signed in (np.maximum(weight, 0), np.maximum(-weight, 0)):
        pairs = signed[0::2] + signed[1::2]
        largest = np.maximum(largest, pairs.max(axis=0) / PAIR_MAX)
    scale = np.maximum(largest, 1e-12)
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


def _calming(weight: np.ndarray, loud: np.ndarray) -> np.ndarray:
    """Per-channel divisors that share the range of a channel between activation and weight."""
    quiet = np.maximum(np.abs(weight).max(axis=1), 1e-6)
    divisor = np.maximum(loud, 1e-6) ** CALM_SHARE / quiet ** (1 - CALM_SHARE)
    return (divisor / np.exp(np.log(divisor).mean())).astype(np.float32)


def _signed_linear(g: GraphWriter, node: onnx.NodeProto, weight: np.ndarray, loud: np.ndarray) -> None:
    out, name = node.output[0], node.input[1]
    divisor = _calming(weight, loud)
    calm = g.node("Mul", [node.input[0], g.constant(f"{name}.calm", 1.0 / divisor)], f"{out}.calm")
    size = g.node("Abs", [calm], f"{out}.abs")
    rounded = _rows_to_range(g, calm, size, "q.signed_top", out)
    shifted = g.node("Add", [rounded, "q.middle"], f"{out}.shifted")
    levels = g.node("Cast", [shifted], f"{out}.levels", to=TensorProto.UINT8)
    _integer_product(g, [levels, "q.zero_point"], name, out, weight * divisor[:, None], out)


def _unsigned_linear(g: GraphWriter, node: onnx.NodeProto, weight: np.ndarray) -> None:
    out, name = node.output[0], node.input[1]
    lifted = g.node("Add", [node.input[0], "q.floor"], f"{out}.lifted")
    rounded = _rows_to_range(g, lifted, lifted, "q.unsigned_top", out)
    levels = g.node("Cast", [rounded], f"{out}.levels", to=TensorProto.UINT8)
    product = _integer_product(g, [levels], name, out, weight, f"{out}.with_lift")
    lift = g.constant(f"{name}.lift", (GELU_FLOOR * weight.sum(axis=0)).astype(np.float32))
    g.node("Sub", [product, lift], out)


def _rows_to_range(g: GraphWriter, x: str, size: str, top: str, out: str) -> str:
    largest = g.node("ReduceMax", [size, "q.axis"], f"{out}.largest", keepdims=1)
    safe = g.node("Max", [largest, "q.tiny"], f"{out}.safe")
    factor = g.node("Div", [top, safe], f"{out}.factor")
    scaled = g.node("Mul", [x, factor], f"{out}.scaled")
    return g.node("Round", [scaled], f"{out}.rounded")


def _integer_product(
    g: GraphWriter, levels: list[str], name: str, out: str, weight: np.ndarray, result: str
) -> str:
    table, scale = _int8_columns(weight)
    matrix = g.constant(f"{name}.int8", table)
    inputs = [levels[0], matrix, *levels[1:]]
    counts = g.node("MatMulInteger", inputs, f"{out}.counts")
    real = g.node("Cast", [counts], f"{out}.real", to=TensorProto.FLOAT)
    columns = g.node("Mul", [real, g.constant(f"{name}.columns", scale)], f"{out}.columns")
    return g.node("Div", [columns, f"{out}.factor"], result)


def _table_lookup(g: GraphWriter, node: onnx.NodeProto, table: np.ndarray) -> None:
    scale = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127, 1e-12).astype(np.float32)
    out = node.output[0]
    rows = g.constant(f"{node.input[0]}.int8", np.rint(table / scale).astype(np.int8))
    scales = g.constant(f"{node.input[0]}.scale", scale)
    levels = g.node("Gather", [rows, node.input[1]], f"{out}.levels")
    real = g.node("Cast", [levels], f"{out}.real", to=TensorProto.FLOAT)
    factor = g.node("Gather", [scales, node.input[1]], f"{out}.factor")
    g.node("Mul", [real, factor], out)
