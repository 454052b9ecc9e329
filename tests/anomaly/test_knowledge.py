"""The shipped measurements, and folders of one's own."""

import json
from pathlib import Path

import pytest

from gnomon.anomaly.cost import estimate_seconds
from gnomon.anomaly.knowledge import load_knowledge
from gnomon.anomaly.pipeline import choose
from gnomon.anomaly.registry import names
from gnomon.anomaly.tables import prepare_table
from gnomon.core.errors import DataUnavailable, UnreadableSource


def test_every_figure_tells_where_it_comes_from():
    known = load_knowledge()
    assert {"date", "by", "seed", "versions"} <= set(known["made"])
    bench = known["benchmarks"]["ADBench"]
    assert bench["source"]
    assert bench["protocol"]
    for row in bench["datasets"].values():
        assert {"rows", "columns", "skew", "correlation", "discreteness"} <= set(row["shape"])


def test_means_follow_from_the_single_results():
    known = load_knowledge()
    sets = known["benchmarks"]["ADBench"]["datasets"].values()
    for name, entry in known["detectors"].items():
        measured = entry.get("measured")
        assert measured is not None
        found = [r["results"][name]["auc"] for r in sets if "auc" in r["results"].get(name, {})]
        assert measured["datasets"] == len(found)
        assert measured["auc"] == pytest.approx(sum(found) / len(found), abs=1e-3)
        assert name in names(available=False)
    ranks = [e["measured"]["rank"] for e in known["detectors"].values() if "measured" in e]
    assert sorted(ranks) == list(range(1, len(ranks) + 1))


def test_plans_quote_the_measurements():
    known = load_knowledge()
    plan = choose(prepare_table([[float(i), float(i * i % 17)] for i in range(100)]), knowledge=dict(known))[
        0
    ]
    measured = known["detectors"][plan["detector_name"]].get("measured")
    assert measured is not None
    assert f"{measured['auc']:.3f}" in plan["evidence"][0]


def test_measured_costs_tell_quick_from_slow():
    known = dict(load_knowledge())
    assert estimate_seconds("TailMix", 4000, 10, known) < 1.0
    assert estimate_seconds("TailMix", 1000, 10, known) < estimate_seconds("OCSVM", 9000, 40, known)


def test_a_folder_of_ones_own(tmp_path: Path):
    with pytest.raises(DataUnavailable, match=r"There is no knowledge\.json"):
        load_knowledge(tmp_path)
    (tmp_path / "knowledge.json").write_text("{}")
    with pytest.raises(UnreadableSource, match="lacks benchmarks"):
        load_knowledge(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "knowledge.json").write_text(
        json.dumps({"made": {}, "benchmarks": {}, "detectors": {}, "costs": {"KNN": [1]}})
    )
    assert load_knowledge(other)["costs"] == {"KNN": [1]}
