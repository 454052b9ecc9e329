"""Encoders by path: other graphs, other pooling, and folders that cannot be used."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from gnomon.core.errors import InvalidInput, UnreadableSource
from gnomon.embedding import get_encoder
from gnomon.embedding.model_folder import SHIPPED

VOCABULARY = 30_522


def _table() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(VOCABULARY, 4)).astype(np.float32)


def _write_encoder(folder: Path, *, types: bool, inputs: str = "input_ids", rank: int = 3) -> Path:
    """A graph that looks tokens up in a table and adds one per token type, as token vectors."""
    nodes = [
        helper.make_node("Gather", ["table", inputs], ["words"]),
        helper.make_node("Cast", ["token_type_ids" if types else inputs], ["kinds"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["kinds", "nothing" if not types else "one"], ["shift"]),
        helper.make_node("Unsqueeze", ["shift", "last"], ["wide"]),
        helper.make_node("Add", ["words", "wide"], ["last_hidden_state"]),
        helper.make_node("ReduceMax", ["last_hidden_state", "axis"], ["pooler_output"], keepdims=0),
    ]
    names = [inputs, "attention_mask"] + (["token_type_ids"] if types else [])
    outputs = [helper.make_tensor_value_info("pooler_output", TensorProto.FLOAT, ["b", 4])]
    if rank == 3:
        outputs.append(helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "t", 4]))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["b", "t"]) for n in names],
        outputs,
        [
            numpy_helper.from_array(_table(), "table"),
            numpy_helper.from_array(np.array(0, dtype=np.float32), "nothing"),
            numpy_helper.from_array(np.array(1, dtype=np.float32), "one"),
            numpy_helper.from_array(np.array([2]), "last"),
            numpy_helper.from_array(np.array([1]), "axis"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 9
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(folder / "model.onnx"))
    shutil.copy(SHIPPED / "tokenizer.json", folder / "tokenizer.json")
    return folder


def _ids(text: str) -> list[int]:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(SHIPPED / "tokenizer.json")).encode(text).ids


def _unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def test_token_vectors_are_averaged_over_real_tokens_only(tmp_path: Path) -> None:
    encoder = get_encoder(_write_encoder(tmp_path / "mean", types=True))
    texts = ["short", "a much longer text that makes the short one be padded"]
    found = encoder.encode(texts)
    assert encoder.dim == 4
    for text, vector in zip(texts, found, strict=True):
        assert np.allclose(vector, _unit(_table()[_ids(text)].mean(axis=0)), atol=1e-5)


def test_the_first_token_stands_for_the_text_where_the_folder_says_so(tmp_path: Path) -> None:
    folder = _write_encoder(tmp_path / "cls", types=False)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    )
    found = get_encoder(folder).encode(["anything", "else at all"])
    assert np.allclose(found, _unit(_table()[101]), atol=1e-5)


def test_the_model_may_ask_for_fewer_tokens(tmp_path: Path) -> None:
    folder = _write_encoder(tmp_path / "limited", types=True)
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 5}))
    first, longer, other = get_encoder(folder).encode(["one two three", "one two three four five", "one two"])
    assert np.allclose(first, longer, atol=1e-6)
    assert not np.allclose(first, other, atol=1e-3)


def test_the_graph_may_lie_in_an_onnx_folder(tmp_path: Path) -> None:
    folder = _write_encoder(tmp_path / "nested", types=True)
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model.onnx")
    assert get_encoder(folder).encode_one("text").shape == (4,)


def test_a_graph_with_only_sentence_vectors_is_used_as_it_is(tmp_path: Path) -> None:
    found = get_encoder(_write_encoder(tmp_path / "pooled", types=True, rank=2)).encode_one("some words")
    assert np.allclose(found, _unit(_table()[_ids("some words")].max(axis=0)), atol=1e-5)


def test_a_missing_folder_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no encoder folder") as caught:
        get_encoder(tmp_path / "nowhere")
    assert "model.onnx and tokenizer.json" in caught.value.suggestions[0]


@pytest.mark.parametrize(
    ("present", "missing"), [([], "model.onnx and tokenizer.json"), (["model.onnx"], "tokenizer.json")]
)
def test_an_incomplete_folder_names_what_it_lacks(tmp_path: Path, present: list[str], missing: str) -> None:
    for name in present:
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(InvalidInput, match=f"lacks {missing}"):
        get_encoder(tmp_path)


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_named(tmp_path: Path, damaged: str) -> None:
    folder = _write_encoder(tmp_path / "damaged", types=True)
    (folder / damaged).write_bytes(b"\x00 not what it should be")
    with pytest.raises(UnreadableSource, match=damaged):
        get_encoder(folder).encode_one("text")


def test_a_graph_that_is_no_encoder_is_refused(tmp_path: Path) -> None:
    folder = _write_encoder(tmp_path / "image", types=False, inputs="pixels")
    with pytest.raises(UnreadableSource, match="inputs are pixels"):
        get_encoder(folder).encode_one("text")


def test_an_unsupported_pooling_is_refused(tmp_path: Path) -> None:
    folder = _write_encoder(tmp_path / "max", types=False)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_max_tokens": True}))
    with pytest.raises(InvalidInput, match="pools by max_tokens"):
        get_encoder(folder)


def test_a_configuration_that_is_not_json_is_named(tmp_path: Path) -> None:
    folder = _write_encoder(tmp_path / "broken", types=False)
    (folder / "sentence_bert_config.json").write_text("{")
    with pytest.raises(UnreadableSource, match=r"sentence_bert_config\.json is not valid JSON"):
        get_encoder(folder)
