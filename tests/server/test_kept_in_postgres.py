"""A whole service whose store is a real Postgres server: what was done is there after a restart, and gone on request."""

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from tests.homes import warmed
from tests.server.shop import ended, uploaded

from gnomon.core import Settings
from gnomon.server import create_app
from gnomon.store.schema import metadata

pytestmark = pytest.mark.needs("postgres")


def a_service(home: Path, **given: Any) -> TestClient:
    settings = Settings.load(home=warmed(home), log_dir=home / "logs", **given)
    return TestClient(create_app(settings), base_url="http://127.0.0.1")


@pytest.mark.long
def test_it_survives_a_restart_and_a_data_set_is_forgotten_in_every_table(
    tmp_path: Path, postgres_url: str
) -> None:
    with a_service(tmp_path, store_url=postgres_url) as before:
        shop = uploaded(before)
        asked = {"question": "total sales by region", "dataset_id": shop, "session_id": "okapi"}
        said = before.post("/api/ask", json=asked).json()
        assert said["status"] == "answered", said
        begun = before.post("/api/investigations", json={"dataset_id": shop, "session_id": "okapi"}).json()
    with a_service(tmp_path, store_url=postgres_url) as after:
        more = after.post("/api/ask", json={"question": "and for south only?", "session_id": "okapi"}).json()
        assert more["status"] == "answered", more
        turns = after.get("/api/conversations/okapi").json()["turns"]
        assert [t["question"] for t in turns] == ["total sales by region", "and for south only?"]
        assert after.get(f"/api/investigations/{begun['investigation_id']}").json()["phase"] == "profiled"
        assert after.get("/api/evaluation").json()["running"]["answered"] == 2
        again = after.post(f"/api/runs/{said['run_id']}/replay").json()
        assert again["same"], again["differences"]
        assert ended(after, said["run_id"])["status"] == "success"
        assert after.delete(f"/api/datasets/{shop}").status_code == 200
        assert after.get("/api/conversations/okapi").status_code == 404
    engine = sa.create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        kept = {t.name: str(connection.execute(sa.select(t)).all()) for t in metadata.tables.values()}
    engine.dispose()
    assert "runs" in kept
    for name, text in kept.items():
        assert not any(word in text for word in ("okapi", "south", "shop.csv")), name
