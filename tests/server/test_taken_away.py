"""Whatever is shown can be taken away in every format, and a bundle computes again wherever its data is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.reporting.opened import ENDINGS, check, is_failure, parts_of
from tests.server.shop import ended, investigated, readings_csv, shop_csv, uploaded

from gnomon.core.errors import DataUnavailable
from gnomon.replaying import replay
from gnomon.reporting import load_bundle

KINDS = ("answer", "why", "insights", "template", "investigation")
LIKE_THESE = ("follow-up", "corrected", "free analysis")
ALL = [*KINDS, "plan", *(pytest.param(kind, marks=pytest.mark.long) for kind in LIKE_THESE)]


class Taken:
    """Results of every kind over uploads, each computed once, by where its reports are."""

    def __init__(self, service: TestClient) -> None:
        self.service = service
        self.shop = uploaded(service)
        made = service.post("/api/datasets", files={"files": ("readings.csv", readings_csv())}).json()
        assert ended(service, made["run_id"])["status"] == "success"
        self.readings = made["id"]
        self._places: dict[str, str] = {}

    def place(self, kind: str) -> str:
        """Where the reports of a result are, but for the ending."""
        if kind not in self._places:
            self._places[kind] = self._made(kind)
        return self._places[kind]

    def _made(self, kind: str) -> str:
        if kind == "investigation":
            return f"/api/investigations/{investigated(self.service, self.readings, 'heat', 'flow')}/report"
        if kind in ("template", "free analysis"):
            body = {"template": "health_check"} if kind == "template" else {"requirement": "what moves sales"}
            run = self.service.post("/api/start", json={"files": [self.shop], **body}).json()["run_id"]
            assert ended(self.service, run)["status"] == "success"
            return f"/api/runs/{run}/report"
        if kind == "insights":
            told = self.service.post("/api/insights", json={"dataset_id": self.shop}).json()
            return f"/api/runs/{told['run_id']}/report"
        if kind == "plan":
            rows = [{"town": "north" if i % 3 else "south", "sales": 100 + i} for i in range(60)]
            body = {
                "data_pointer": {"rows": rows},
                "context": {"task": "average sales by town as a bar chart"},
            }
            return f"/api/runs/{self.service.post('/v2/analyze', json=body).json()['request_id']}/report"
        return f"/api/runs/{self._asked(kind)['run_id']}/report"

    def _asked(self, kind: str) -> dict[str, Any]:
        body: dict[str, Any] = {"question": "sales by region", "dataset_id": self.shop}
        if kind == "why":
            body["question"] = "why did sales rise in April 2024?"
        if kind in ("follow-up", "corrected"):
            first = self._asked("answer")
            body |= {"question": "and only north?", "session_id": first["session_id"]}
            if kind == "corrected":
                reading = first["reading"]["parts"][0] | {"kind": "value", "dimensions": []}
                body |= {"question": "sales by region", "corrected": reading}
        told = self.service.post("/api/ask", json=body).json()
        assert told["status"] == "answered", told
        return told

    def bundle(self, kind: str, folder: Path) -> Path:
        """The bundle of a result, as somebody keeps it."""
        got = self.service.get(f"{self.place(kind)}.json")
        assert got.status_code == 200, got.text
        kept = folder / "report.json"
        kept.write_bytes(got.content)
        return kept


@pytest.fixture(scope="module")
def taken(service: TestClient) -> Taken:
    return Taken(service)


@pytest.mark.parametrize("kind", ALL)
def test_every_format_opens_and_tells_what_the_bundle_tells(taken: Taken, kind: str, tmp_path: Path) -> None:
    document = load_bundle(taken.bundle(kind, tmp_path))
    assert document.facts
    for ending in ENDINGS:
        got = taken.service.get(f"{taken.place(kind)}.{ending}")
        if got.status_code == 200:
            check(ending, parts_of(got.content, ending), document)
        else:
            assert is_failure(got, document, ending), (kind, ending)


@pytest.mark.parametrize("kind", [*KINDS, *LIKE_THESE])
def test_a_bundle_computes_again_to_the_same(taken: Taken, kind: str, tmp_path: Path) -> None:
    found = replay(taken.bundle(kind, tmp_path))
    assert found.facts
    assert found.is_same, [d for d in (*found.facts, *found.tables) if d.outcome != "same"]


@pytest.mark.parametrize("kind", KINDS)
def test_data_that_changed_is_named_with_the_figures_that_differ(
    taken: Taken, kind: str, tmp_path: Path
) -> None:
    bundle = taken.bundle(kind, tmp_path)
    name = "readings.csv" if kind == "investigation" else "shop.csv"
    content = (readings_csv() if kind == "investigation" else shop_csv()).decode().splitlines()
    lines = [content[0], *content[20:]] if kind == "investigation" else [*content[:-9]]
    (tmp_path / "now").mkdir()
    (tmp_path / "now" / name).write_text("\n".join(lines))
    found = replay(bundle, [str(tmp_path / "now")])
    assert not found.is_same
    assert len(found.changed) == 1 and f"{name} has changed" in found.changed[0]
    assert any(d.outcome != "same" for d in found.facts)


@pytest.mark.long
def test_an_upload_is_found_beside_its_bundle_under_its_name_and_by_its_content(
    service: TestClient, taken: Taken, tmp_path: Path
) -> None:
    own = uploaded(service)
    told = service.post("/api/ask", json={"question": "sales by region", "dataset_id": own}).json()
    started = service.post("/api/start", json={"files": [own], "template": "health_check"}).json()
    assert ended(service, started["run_id"])["status"] == "success"
    looked = investigated(service, own, "sales")
    places = [f"runs/{told['run_id']}", f"runs/{started['run_id']}", f"investigations/{looked}"]
    bundles = [tmp_path / f"{i}.json" for i in range(len(places))]
    for bundle, place in zip(bundles, places, strict=True):
        bundle.write_bytes(service.get(f"/api/{place}/report.json").content)
    assert service.delete(f"/api/datasets/{own}").status_code == 200
    (tmp_path / "elsewhere").mkdir()
    renamed = tmp_path / "elsewhere" / "my shop (copy).csv"
    renamed.write_bytes(shop_csv())
    (tmp_path / "elsewhere" / "notes.csv").write_text("a,b\n1,2\n")
    for bundle in bundles:
        with pytest.raises(DataUnavailable, match=r"is not here: shop\.csv \(\d[\d,]+ bytes\)") as gone:
            replay(bundle)
        assert "--data" in gone.value.suggestions[0]
        assert replay(bundle, [str(renamed)]).is_same
        assert replay(bundle, [str(tmp_path / "elsewhere")]).is_same
        with pytest.raises(DataUnavailable, match="no file"):
            replay(bundle, [str(tmp_path / "nowhere.csv")])
    (tmp_path / "shop.csv").write_bytes(shop_csv())
    assert all(replay(bundle).is_same for bundle in bundles)


@pytest.mark.long
def test_data_that_cannot_be_computed_from_any_more_is_told_as_changed(taken: Taken, tmp_path: Path) -> None:
    bundle = taken.bundle("investigation", tmp_path)
    (tmp_path / "readings.csv").write_text("something\nelse\n")
    with pytest.raises(DataUnavailable, match=r"readings\.csv has changed.* cannot be computed again"):
        replay(bundle, [str(tmp_path / "readings.csv")])


def test_whoever_comes_with_a_token_takes_names_along_and_no_paths(
    service: TestClient, taken: Taken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gnomon.server import report_routes

    home = str(service.home)  # type: ignore[attr-defined]
    bound = report_routes._Data.of  # pyright: ignore[reportPrivateUsage]

    def as_bound(service: Any, tenant: str, ids: Any, who: Any) -> Any:
        return bound(service, tenant, ids, report_routes.Caller(who.tenant, True, who.request_id))

    monkeypatch.setattr(report_routes._Data, "of", as_bound)  # pyright: ignore[reportPrivateUsage]
    for kind in ("answer", "template", "investigation"):
        bundle = taken.bundle(kind, tmp_path)
        assert home not in bundle.read_text()
        name = "readings.csv" if kind == "investigation" else "shop.csv"
        (tmp_path / name).write_bytes(readings_csv() if kind == "investigation" else shop_csv())
        assert replay(bundle).is_same


@pytest.mark.long
def test_steps_of_an_investigation_are_compared_and_left_as_they_are(taken: Taken) -> None:
    service, place = taken.service, taken.place("investigation").removesuffix("/report")
    before = service.get(place).json()
    listed = service.get("/api/runs", params={"kind": "investigation", "limit": 500}).json()["runs"]
    mine = [r for r in listed if r["session_id"] == before["session_id"]]
    assert len(mine) == 7
    for run in mine:
        told = service.post(f"/api/runs/{run['id']}/replay").json()
        assert told["same"], told["differences"]
    assert service.get(place).json() == before


def test_analyses_and_insights_done_again_are_compared_figure_by_figure(taken: Taken) -> None:
    service = taken.service
    for kind in ("template", "insights", "free analysis", "follow-up"):
        run = taken.place(kind).split("/")[3]
        told = service.post(f"/api/runs/{run}/replay").json()
        assert told["same"], (kind, told["differences"])
        session = service.get(f"/api/runs/{run}").json()["session_id"]
        turns = service.get(f"/api/conversations/{session}")
        if turns.status_code == 200:  # a replay is no question of the conversation
            assert told["run_id"] not in json.dumps(turns.json())
