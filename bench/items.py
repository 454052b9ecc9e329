"""One odd item among texts, images or nodes of a graph, and clean sets: how often it is first, flagged, and silence kept.

``python bench/items.py [--seeds 4]`` investigates what ``tests/anomaly/modalities/planted_*.py`` make.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "anomaly" / "modalities"))

import planted_graphs  # pyright: ignore[reportMissingImports]
import planted_images  # pyright: ignore[reportMissingImports]
import planted_pictures  # pyright: ignore[reportMissingImports]
import planted_texts  # pyright: ignore[reportMissingImports]

from gnomon.anomaly import ADEngine

Made = tuple[Any, int | None, str]
"""The items, which of them is odd, and what kind of data they are."""


def text(kind: str, seed: int) -> Made:
    """Reviews, one of them of another kind."""
    made, planted = planted_texts.plant(kind, seed, 200, int(kind != "none"))
    return made, int(np.argmax(planted)) if planted.any() else None, "text"


def image(kind: str, seed: int) -> Made:
    """Discs on a ground, one of them odd."""
    made, planted = planted_images.plant(kind, seed, 150, int(kind != "none"))
    return made, int(np.argmax(planted)) if planted.any() else None, "image"


def picture(kind: str, n: int, seed: int) -> Made:
    """Coloured shapes, one of another shape or colour."""
    made, at = planted_pictures.pictures(None if kind == "none" else kind, n, seed)
    return made, None if kind == "none" else at, "image"


def node(kind: str, seed: int) -> Made:
    """Groups of nodes, one node of its own kind."""
    made, at = planted_graphs.plant_one(kind, seed)
    return made, at, "graph"


def main() -> None:
    """Print one line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    given = parser.parse_args()
    makers: dict[str, Callable[[int], Made]] = {
        **{
            f"text, {k}": partial(text, k)
            for k in ("off topic", "foreign", "gibberish", "damaged", "spam", "none")
        },
        **{f"image, {k}": partial(image, k) for k in ("noise", "blur", "shape", "colour", "none")},
        **{
            f"picture of {n}, {k}": partial(picture, k, n)
            for n in (40, 100)
            for k in ("shape", "colour", "none")
        },
        **{
            f"node, {k}": partial(node, k)
            for k in ("star", "bridge", "clique", "attribute", "features", "none")
        },
    }
    for name, make in makers.items():
        first = alone = flagged = silent = 0
        for seed in range(100, 100 + given.seeds):
            made, at, kind = make(seed)
            found = ADEngine(random_state=0).investigate(made, data_type=kind).consensus
            assert found is not None
            silent += not found["labels"].any()
            if at is not None:
                first += int(np.argmax(found["scores"])) == at
                flagged += int(found["labels"][at])
                alone += int(found["labels"][at] and found["labels"].sum() <= 2)
        told = (
            f"silent {silent}"
            if name.endswith("none")
            else f"first {first}, flagged {flagged}, with at most one other {alone}"
        )
        print(f"{name}: {told} of {given.seeds}", flush=True)


if __name__ == "__main__":
    main()
