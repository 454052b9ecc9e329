"""How long the shipped encoder takes for one query, and for many texts at once.

python bench/embedding.py [--queries 500]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from gnomon.embedding import SentenceEncoder, get_encoder

SUBJECTS = ("sales", "returns", "sessions", "ad spend", "late shipments", "the average price", "stock")
SHAPES = (
    "why did {} drop last week",
    "{} by region",
    "show the trend of {} for the last six months",
    "which products drove the change in {} between March and April, and is it more than noise?",
    "{}",
)


def queries(n: int) -> list[str]:
    """``n`` different questions of the lengths that people type."""
    rng = np.random.default_rng(7)
    return [
        f"{SHAPES[rng.integers(len(SHAPES))].format(SUBJECTS[rng.integers(len(SUBJECTS))])} {i}"
        for i in range(n)
    ]


def measure(call: Callable[[str], object], texts: list[str]) -> np.ndarray:
    """Milliseconds of each call."""
    times: list[float] = []
    for text in texts:
        start = time.perf_counter()
        call(text)
        times.append((time.perf_counter() - start) * 1000)
    return np.array(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=500)
    texts = queries(parser.parse_args().queries)
    start = time.perf_counter()
    encoder: SentenceEncoder = get_encoder()
    encoder.encode_one("warm up")
    print(f"load and first query   {time.perf_counter() - start:6.2f} s")
    fresh = measure(encoder.encode_one, texts)
    print(f"one query              p50 {np.median(fresh):5.2f} ms   p99 {np.quantile(fresh, 0.99):5.2f} ms")
    known = measure(encoder.encode_one, texts)
    print(f"the same query again   p50 {np.median(known):5.3f} ms   p99 {np.quantile(known, 0.99):5.3f} ms")
    start = time.perf_counter()
    encoder.encode(texts)
    print(f"many texts at once     {len(texts) / (time.perf_counter() - start):5.0f} texts/s")


if __name__ == "__main__":
    main()
