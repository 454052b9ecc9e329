"""A sentence encoder's ONNX graph with its tokenizer: token ids in, unit vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

from gnomon.core.errors import UnreadableSource
from gnomon.core.lazy import leave_unrun
from gnomon.embedding.model_folder import ModelFolder

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

KNOWN_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
INTEGER_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}

_reading = Lock()


class EncoderGraph:
    """The loaded model of a folder.

    Raises:
        UnreadableSource: A file is damaged, or the graph is not a sentence encoder.
    """

    def __init__(self, files: ModelFolder) -> None:
        self._files = files
        self._tokenizer, self._pad_id = _load_tokenizer(files)
        self._session = _load_session(files)
        self._inputs = {i.name: INTEGER_TYPES.get(i.type, np.int64) for i in self._session.get_inputs()}
        unknown = sorted(set(self._inputs) - KNOWN_INPUTS)
        if "input_ids" not in self._inputs or unknown:
            raise UnreadableSource(
                f"{files.model} is not a sentence encoder: its inputs are {', '.join(self._inputs)}.",
                suggestions=["Expected input_ids, and optionally attention_mask and token_type_ids."],
            )
        self._output = self._choose_output()
        width = self._session.get_outputs()[0].shape[-1] if files.fused else None
        self.dim = width if isinstance(width, int) else int(self.run([self.tokenize("")]).shape[1])

    def tokenize(self, text: str) -> list[int]:
        """Token ids, cut at the folder's limit."""
        return self._tokenizer.encode(text).ids

    def ends_of(self, text: str, head: int, tail: int) -> str:
        """The text without what lies between its first and last tokens; the marks around it count as tokens."""
        found = self._tokenizer.encode(text)
        if len(found.ids) <= head + tail:
            return text
        # The last token is the closing mark, which has no place in the text.
        places = found.offsets
        return f"{text[: places[head - 1][1]]} {text[places[-tail][0] : places[-2][1]]}"

    def run(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """One unit vector per row of token ids."""
        longest = max(1, *(len(t) for t in tokens))
        ids = np.full((len(tokens), longest), self._pad_id, dtype=np.int64)
        mask = np.zeros((len(tokens), longest), dtype=np.int64)
        for i, row in enumerate(tokens):
            ids[i, : len(row)] = row
            mask[i, : len(row)] = 1
        whole = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        feed = {name: whole[name].astype(kind, copy=False) for name, kind in self._inputs.items()}
        output: NDArray[np.float32] = np.asarray(self._session.run([self._output], feed)[0], dtype=np.float32)
        return _unit(self._pool(output, mask) if output.ndim == 3 else output)

    def _pool(self, hidden: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        if self._files.pooling == "cls":
            return hidden[:, 0]
        weights = mask[:, :, None].astype(np.float32)
        return (hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)

    def _choose_output(self) -> str:
        outputs = {o.name: len(o.shape) for o in self._session.get_outputs()}
        if "sentence_embedding" in outputs:
            return "sentence_embedding"
        # A pooler's output beside token vectors is trained for another task than similarity.
        for rank in (3, 2):
            for name, dimensions in outputs.items():
                if dimensions == rank:
                    return name
        raise UnreadableSource(
            f"{self._files.model} is not a sentence encoder: it gives {', '.join(outputs)}.",
            suggestions=["Expected sentence vectors (2 dimensions) or token vectors (3 dimensions)."],
        )


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.maximum(length, 1e-12)).astype(np.float32)


def _load_tokenizer(files: ModelFolder) -> tuple[Tokenizer, int]:
    """The tokenizer, cut at the folder's limit, and the number of its padding."""
    try:
        return _tokenizer(files.tokenizer.read_text(encoding="utf-8"), files.max_tokens)
    except Exception as e:  # noqa: BLE001 - the library raises bare Exception for every damaged file
        raise UnreadableSource(
            f"{files.tokenizer} cannot be read as a tokenizer: {e}",
            suggestions=["Take the tokenizer.json that was published with the model."],
        ) from None


def _tokenizer(written: str, max_tokens: int) -> tuple[Tokenizer, int]:
    with _reading:  # both encoders are loaded at once, and the second one finds what the first one read
        return _read_tokenizer(written, max_tokens)


# The two encoders that ship have one tokenizer.
@lru_cache(maxsize=1)
def _read_tokenizer(written: str, max_tokens: int) -> tuple[Tokenizer, int]:
    leave_unrun("tokenizers")  # which imports tokenizers of six kinds, written in Python
    from tokenizers.tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(written)
    pad_id = _pad_id(tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer, pad_id


def _load_session(files: ModelFolder) -> Any:
    options = onnxruntime.SessionOptions()
    # One thread per query: more of them lengthen the tail when several queries run at once.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Planning which buffers share memory takes the square of the nodes: most of what loading took, and it saves
    # nothing, as each buffer is given back after its last use anyway.
    options.enable_mem_reuse = False
    options.log_severity_level = 3
    if files.fused:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return onnxruntime.InferenceSession(str(files.model), options, providers=["CPUExecutionProvider"])
    except Exception as e:  # noqa: BLE001 - every failure of the native loader means the same to the caller
        raise UnreadableSource(
            f"{files.model} cannot be loaded as an ONNX graph: {e}",
            suggestions=["Export the model again, or download it anew."],
        ) from None


def _pad_id(tokenizer: Tokenizer) -> int:
    padding = tokenizer.padding
    if padding and "pad_id" in padding:
        return int(padding["pad_id"])
    for token in ("[PAD]", "<pad>"):
        found = tokenizer.token_to_id(token)
        if found is not None:
            return int(found)
    return 0
