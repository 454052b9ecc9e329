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


def measure(call: Callable[[str], object], texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Milliseconds of each call by the clock, and of processor time, which busy neighbours do not stretch."""
    clock: list[float] = []
    processor: list[float] = []
    for text in texts:
        start, worked = time.perf_counter(), time.thread_time()
        call(text)
        clock.append((time.perf_counter() - start) * 1000)
        processor.append((time.thread_time() - worked) * 1000)
    return np.array(clock), np.array(processor)


def line(label: str, times: np.ndarray) -> str:
    return f"{label:<22} p50 {np.median(times):6.3f} ms   p99 {np.quantile(times, 0.99):6.3f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=500)
    texts = queries(parser.parse_args().queries)
    start = time.perf_counter()
    encoder: SentenceEncoder = get_encoder()
    encoder.encode_one("warm up")
    print(f"load and first query   {time.perf_counter() - start:6.2f} s")
    clock, processor = measure(encoder.encode_one, texts)
    print(line("one query", clock))
    print(line("  processor time", processor))
    print(line("the same query again", measure(encoder.encode_one, texts)[0]))
    start = time.perf_counter()
    encoder.encode(texts)
    print(f"many texts at once     {len(texts) / (time.perf_counter() - start):5.0f} texts/s")


if __name__ == "__main__":
    main()
