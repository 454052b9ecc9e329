"""Sentences to unit vectors, the same vector for the same text whatever batch it comes in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from gnomon.core.errors import InvalidInput
from gnomon.embedding.model_folder import SHIPPED, ModelFolder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding.graph import EncoderGraph

CACHED_QUERIES = 4096
# Far more than the token limit lets through, so that a huge text costs no more than a long one.
MAX_CHARACTERS = 20_000
# Of a longer question the beginning and the end tell what it is about, and encoding takes as long as it has tokens.
QUESTION_HEAD, QUESTION_TAIL = 10, 10

_encoders: dict[Path, SentenceEncoder] = {}
_encoders_lock = Lock()


def get_encoder(path: Path | None = None) -> SentenceEncoder:
    """The encoder of the folder ``path``, or the shipped one; one instance per folder and process.

    Args:
        path: A folder with ``model.onnx`` and ``tokenizer.json``. The graph may end in a sentence vector
            or in token vectors, which are then pooled (``1_Pooling/config.json`` says how; by mean where
            there is none).

    Raises:
        InvalidInput: The folder is missing or incomplete.
    """
    folder = Path(path).expanduser().resolve() if path is not None else _shipped()
    with _encoders_lock:
        if folder not in _encoders:
            _encoders[folder] = SentenceEncoder(folder)
        return _encoders[folder]


@cache
def _shipped() -> Path:
    return SHIPPED.expanduser().resolve()


class SentenceEncoder:
    """Turns texts into unit vectors whose dot product is their similarity. Safe to share between threads.

    The graph is loaded on first use. A text is cut at 256 tokens, or earlier where the model asks for it.

    Args:
        folder: Where ``model.onnx`` and ``tokenizer.json`` are.

    Raises:
        InvalidInput: The folder is missing or incomplete.
    """

    def __init__(self, folder: Path) -> None:
        self._files = ModelFolder.at(folder)
        self._graph: EncoderGraph | None = None
        self._lock = Lock()
        self._cache: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._begun: dict[str, Future[NDArray[np.float32]]] = {}

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""
        return self._loaded().dim

    def load(self) -> None:
        """Read the graph now, where the first text should not wait for it.

        Raises:
            UnreadableSource: The model's files cannot be used.
        """
        self._loaded()

    def encode(self, texts: Sequence[str], batch_size: int = 32) -> NDArray[np.float32]:
        """One row per text, in the order given.

        Raises:
            InvalidInput: ``texts`` is a single string or holds something that is not text.
            UnreadableSource: The model's files cannot be used.
        """
        if isinstance(texts, str):
            raise InvalidInput("encode expects several texts.", suggestions=["Use encode_one for one text."])
        if batch_size < 1:
            raise InvalidInput(f"batch_size must be at least 1, not {batch_size}.")
        graph = self._loaded()
        tokens = [graph.tokenize(_clean(t)) for t in texts]
        vectors = np.empty((len(tokens), graph.dim), dtype=np.float32)
        # Neighbours of like length need little padding.
        order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            vectors[rows] = graph.run([tokens[i] for i in rows])
        return vectors

    def encode_question(self, text: str) -> NDArray[np.float32]:
        """The vector of a question as gate and router see it: what a long one says in its middle is left out."""
        return self.encode_one(self._loaded().ends_of(_clean(text), QUESTION_HEAD, QUESTION_TAIL))

    def encode_one(self, text: str) -> NDArray[np.float32]:
        """The vector of one text, read-only; recent ones are remembered, and no text is encoded twice at once."""
        key = _clean(text)
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
            is_first = key not in self._begun
            begun = self._begun.setdefault(key, Future())
        return self._encoded(key, begun) if is_first else begun.result()

    def _encoded(self, key: str, begun: Future[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Encode a text for whoever waits for it as well."""
        try:
            vector = self.encode([key])[0]
        except BaseException as e:
            with self._lock:
                del self._begun[key]
            begun.set_exception(e)
            raise
        vector.setflags(write=False)
        with self._lock:
            self._cache[key] = vector
            while len(self._cache) > CACHED_QUERIES:
                self._cache.popitem(last=False)
            del self._begun[key]
        begun.set_result(vector)
        return vector

    def _loaded(self) -> EncoderGraph:
        if self._graph is None:
            from gnomon.embedding.graph import EncoderGraph

            with self._lock:
                if self._graph is None:
                    self._graph = EncoderGraph(self._files)
        return self._graph


def _clean(text: object) -> str:
    if not isinstance(text, str):
        raise InvalidInput(f"Only text can be encoded, not {type(text).__name__}.")
    # A lone surrogate is not valid text for the tokenizer; it becomes a replacement character.
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
