"""What the folder of a sentence encoder must hold, and what it says about its use."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from gnomon.core.errors import InvalidInput, UnreadableSource

MAX_TOKENS = 256
PACKAGE = Path(__file__).resolve().parents[1]
SHIPPED = Path(__file__).parent / "model"


@dataclass(frozen=True)
class ModelFolder:
    """The files of a sentence encoder and what its graph does not tell.

    ``fused`` graphs were written with joined operators: there is nothing left in them to be made faster.
    """

    model: Path
    tokenizer: Path
    pooling: Literal["mean", "cls"]
    max_tokens: int
    fused: bool = False

    @classmethod
    def at(cls, folder: Path) -> ModelFolder:
        """Read the folder.

        Raises:
            InvalidInput: It is missing, or lacks a file, or pools in a way that is not supported.
            UnreadableSource: One of its configuration files is not JSON.
        """
        if not folder.is_dir():
            raise InvalidInput(
                f"There is no encoder folder at {folder}.",
                suggestions=["Name a folder that holds model.onnx and tokenizer.json."],
            )
        files = {name: folder / name for name in ("model.onnx", "tokenizer.json")}
        # The layout in which most published encoders come.
        if not files["model.onnx"].is_file() and (folder / "onnx" / "model.onnx").is_file():
            files["model.onnx"] = folder / "onnx" / "model.onnx"
        missing = [name for name, path in files.items() if not path.is_file()]
        if missing:
            raise InvalidInput(
                f"The encoder folder {folder} lacks {' and '.join(missing)}.",
                suggestions=["An encoder is a folder with model.onnx and tokenizer.json."],
            )
        fused = PACKAGE in folder.resolve().parents  # what ships was written by scripts/build_encoder.py
        limit = _token_limit_of(folder)
        return cls(files["model.onnx"], files["tokenizer.json"], _pooling_of(folder), limit, fused)


def _pooling_of(folder: Path) -> Literal["mean", "cls"]:
    config = _read_json(folder / "1_Pooling" / "config.json")
    asked = [
        k.removeprefix("pooling_mode_") for k, v in config.items() if k.startswith("pooling_mode_") and v
    ]
    if asked == ["cls_token"]:
        return "cls"
    if asked in ([], ["mean_tokens"]):
        return "mean"
    raise InvalidInput(
        f"The encoder in {folder} pools by {' and '.join(asked)}.",
        suggestions=["Encoders that pool by mean_tokens or by cls_token can be used."],
    )


def _token_limit_of(folder: Path) -> int:
    limit = _read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    return min(MAX_TOKENS, limit) if isinstance(limit, int) and limit > 2 else MAX_TOKENS


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as e:
        raise UnreadableSource(f"{path} is not valid JSON: {e}") from None
    return cast("dict[str, Any]", content) if isinstance(content, dict) else {}
