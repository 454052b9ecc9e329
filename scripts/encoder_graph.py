"""The BERT sentence encoder as an ONNX graph, written from raw weights.

One graph goes from token ids to a unit vector: embeddings, transformer layers, masked mean pooling and
L2 normalisation.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
IR_VERSION = 9
MASKED = -1e9

Weights = Mapping[str, np.ndarray]


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a safetensors file: a JSON header, then raw little-endian buffers."""
    raw = path.read_bytes()
    (length,) = struct.unpack_from("<Q", raw)
    header: dict[str, Any] = json.loads(raw[8 : 8 + length])
    kinds = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I64": np.dtype("<i8")}
    arrays: dict[str, np.ndarray] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        buffer = raw[8 + length + start : 8 + length + end]
        arrays[name] = np.frombuffer(buffer, dtype=kinds[entry["dtype"]]).reshape(entry["shape"])
    return arrays


@dataclass
class GraphWriter:
    """Collects nodes and initialisers; every method returns the name of what it made."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    initializers: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, name: str, value: np.ndarray) -> str:
        self.initializers.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def node(self, op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], name=f"{output}/{op}", **attributes))
        return output

    def linear(self, x: str, name: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """``x @ weight.T + bias``, with the weight stored the way MatMul reads it."""
        w = self.constant(f"{name}.weight", weight.T.astype(np.float32))
        b = self.constant(f"{name}.bias", bias.astype(np.float32))
        product = self.node("MatMul", [x, w], f"{name}.product")
        return self.node("Add", [product, b], f"{name}.out")

    def layer_norm(self, x: str, name: str, weights: Weights, eps: float) -> str:
        scale = self.constant(f"{name}.scale", weights[f"{name}.weight"])
        bias = self.constant(f"{name}.shift", weights[f"{name}.bias"])
        return self.node("LayerNormalization", [x, scale, bias], f"{name}.out", axis=-1, epsilon=eps)


def build_fp32(weights: Weights, config: Mapping[str, Any]) -> onnx.ModelProto:
    """The full-precision graph of a BERT sentence encoder with mean pooling."""
    g = GraphWriter()
    eps = float(config["layer_norm_eps"])
    hidden = _embeddings(g, weights, eps)
    mask = g.node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    bias = _attention_bias(g, mask)
    heads = int(config["num_attention_heads"])
    for i in range(int(config["num_hidden_layers"])):
        prefix = f"encoder.layer.{i}"
        hidden = _attention(g, hidden, bias, weights, prefix, heads, eps)
        hidden = _feed_forward(g, hidden, weights, prefix, eps)
    _pool(g, hidden, mask)
    dim = int(config["hidden_size"])
    graph = helper.make_graph(
        g.nodes,
        "sentence_encoder",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", dim])],
        g.initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="gnomon")
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model)
    return model


def _embeddings(g: GraphWriter, weights: Weights, eps: float) -> str:
    words = g.constant("words", weights["embeddings.word_embeddings.weight"])
    # One segment only, so its vector can be added to every position beforehand.
    places = weights["embeddings.position_embeddings.weight"]
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    positions = g.constant("positions", places + segment)
    word = g.node("Gather", [words, "input_ids"], "word_vectors")
    shape = g.node("Shape", ["input_ids"], "length", start=1, end=2)
    zero = g.constant("zero", np.array([0], dtype=np.int64))
    place = g.node("Slice", [positions, zero, shape], "place_vectors")
    total = g.node("Add", [word, place], "embedded")
    return g.layer_norm(total, "embeddings.LayerNorm", weights, eps)


def _attention_bias(g: GraphWriter, mask: str) -> str:
    axes = g.constant("mask_axes", np.array([1, 2], dtype=np.int64))
    one = g.constant("one", np.array(1.0, dtype=np.float32))
    masked = g.constant("masked", np.array(MASKED, dtype=np.float32))
    wide = g.node("Unsqueeze", [mask, axes], "mask_wide")
    absent = g.node("Sub", [one, wide], "mask_absent")
    return g.node("Mul", [absent, masked], "attention_bias")


def _attention(
    g: GraphWriter, x: str, bias: str, weights: Weights, prefix: str, heads: int, eps: float
) -> str:
    names = [f"{prefix}.attention.self.{part}" for part in ("query", "key", "value")]
    size = weights[f"{names[0]}.weight"].shape[0]
    # The division of the scores by sqrt(head size) is folded into the query weights.
    scale = 1.0 / np.sqrt(size / heads)
    factors = (scale, 1.0, 1.0)
    weight = np.concatenate([weights[f"{n}.weight"] * f for n, f in zip(names, factors, strict=True)])
    offset = np.concatenate([weights[f"{n}.bias"] * f for n, f in zip(names, factors, strict=True)])
    joint = g.linear(x, f"{prefix}.qkv", weight, offset)
    split = g.constant(f"{prefix}.heads", np.array([0, 0, 3, heads, size // heads], dtype=np.int64))
    grid = g.node("Reshape", [joint, split], f"{prefix}.grid")
    turned = g.node("Transpose", [grid], f"{prefix}.turned", perm=[2, 0, 3, 1, 4])
    parts = []
    for i, part in enumerate(("q", "k", "v")):
        index = g.constant(f"{prefix}.{part}_index", np.array(i, dtype=np.int64))
        parts.append(g.node("Gather", [turned, index], f"{prefix}.{part}", axis=0))
    q, k, v = parts
    keys = g.node("Transpose", [k], f"{prefix}.keys", perm=[0, 1, 3, 2])
    scores = g.node("MatMul", [q, keys], f"{prefix}.scores")
    biased = g.node("Add", [scores, bias], f"{prefix}.biased")
    shares = g.node("Softmax", [biased], f"{prefix}.shares", axis=-1)
    mixed = g.node("MatMul", [shares, v], f"{prefix}.mixed")
    back = g.node("Transpose", [mixed], f"{prefix}.back", perm=[0, 2, 1, 3])
    flat = g.constant(f"{prefix}.flat", np.array([0, 0, size], dtype=np.int64))
    context = g.node("Reshape", [back, flat], f"{prefix}.context")
    name = f"{prefix}.attention.output"
    dense = g.linear(context, f"{name}.dense", weights[f"{name}.dense.weight"], weights[f"{name}.dense.bias"])
    total = g.node("Add", [dense, x], f"{name}.residual")
    return g.layer_norm(total, f"{name}.LayerNorm", weights, eps)


def _feed_forward(g: GraphWriter, x: str, weights: Weights, prefix: str, eps: float) -> str:
    wide, narrow = f"{prefix}.intermediate.dense", f"{prefix}.output.dense"
    up = g.linear(x, wide, weights[f"{wide}.weight"], weights[f"{wide}.bias"])
    active = g.node("Gelu", [up], f"{prefix}.gelu", approximate="none")
    down = g.linear(active, narrow, weights[f"{narrow}.weight"], weights[f"{narrow}.bias"])
    total = g.node("Add", [down, x], f"{prefix}.output.residual")
    return g.layer_norm(total, f"{prefix}.output.LayerNorm", weights, eps)


def _pool(g: GraphWriter, hidden: str, mask: str) -> str:
    last = g.constant("last_axis", np.array([2], dtype=np.int64))
    tokens = g.constant("token_axis", np.array([1], dtype=np.int64))
    column = g.node("Unsqueeze", [mask, last], "mask_column")
    kept = g.node("Mul", [hidden, column], "kept")
    total = g.node("ReduceSum", [kept, tokens], "summed", keepdims=0)
    # The mean differs from the sum by a factor that normalisation removes.
    return g.node("LpNormalization", [total], "sentence_embedding", axis=1, p=2)
