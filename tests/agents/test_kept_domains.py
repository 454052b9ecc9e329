"""What the router of insights learned is found again, and says the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.agents.insight import DomainAwareRouter, DomainPathRegistry
from gnomon.agents.insight.routing import VECTORS, shipped_asks
from gnomon.embedding import get_encoder
from gnomon.language.ood import read_arrays

HELD = Path(__file__).with_name("insight_routing.tsv")
QUESTIONS = [
    x.split("\t")[1] for x in HELD.read_text(encoding="utf-8").splitlines() if x[:1] not in ("", "#")
]


def said(router: DomainAwareRouter) -> list[object]:
    return [router.choose(q) for q in QUESTIONS]


def test_shipped_vectors_are_those_of_the_questions_that_ship() -> None:
    stored = read_arrays(VECTORS)
    assert stored["texts"].tolist() == shipped_asks()
    # Bytes are multiplied with another rounding on another processor than the vectors were made on.
    assert (stored["vectors"] * get_encoder().encode(shipped_asks())).sum(axis=1).min() > 0.998


def test_a_second_run_finds_what_the_first_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = DomainPathRegistry.load_from_config()
    unkept = said(DomainAwareRouter(registry))
    assert said(DomainAwareRouter(registry, cache=tmp_path)) == unkept
    monkeypatch.setattr(DomainAwareRouter, "_learned", lambda _: pytest.fail("learned again"))
    assert said(DomainAwareRouter(registry, cache=tmp_path)) == unkept


def test_other_questions_are_learned_from_anew(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    said(DomainAwareRouter(DomainPathRegistry.load_from_config(), cache=kept))
    asks = [
        "Who should work on Saturday?",
        "Is the night shift short of staff?",
        "How many nurses do we need?",
    ]
    (tmp_path / "staffing.yaml").write_text(
        json.dumps({"domain": "staffing", "methods": ["time_series"], "asks": asks})
    )
    added = DomainPathRegistry.load_from_config(tmp_path)
    with_cache, without = DomainAwareRouter(added, cache=kept), DomainAwareRouter(added)
    assert said(with_cache) == said(without)
    assert with_cache.choose("Is the night shift short of staff?").domains[0] == "staffing"


def test_a_damaged_file_is_learned_again(tmp_path: Path) -> None:
    registry = DomainPathRegistry.load_from_config()
    wanted = said(DomainAwareRouter(registry, cache=tmp_path))
    (file,) = tmp_path.glob("*.npz")
    file.write_bytes(file.read_bytes()[:1000])
    assert said(DomainAwareRouter(registry, cache=tmp_path)) == wanted
