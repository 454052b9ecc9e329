"""The catalogue: measured results with their origin, detectors side by side."""

from __future__ import annotations

from gnomon.anomaly import ADEngine


def test_benchmarks_say_where_they_come_from() -> None:
    known = ADEngine().get_benchmarks()
    assert known
    name = next(iter(known))
    assert ADEngine().get_benchmarks(name) == {name: known[name]}
    assert all("source" in b for b in known.values())


def test_detectors_are_compared_by_name_or_by_measurement() -> None:
    engine = ADEngine()
    assert [d["name"] for d in engine.compare_detectors(["LOF", "KNN"])] == ["LOF", "KNN"]
    best = engine.compare_detectors(data_type="tabular", top_k=4)
    assert len(best) == 4 and all(d["benchmark_rank"] for d in best)
