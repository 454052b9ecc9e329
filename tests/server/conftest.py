"""A real service over real tools, once for the tests of this folder."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from tests.homes import warmed

from gnomon.core import Settings
from gnomon.server import create_app


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    home = warmed(tmp_path_factory.mktemp("service"))
    settings = Settings.load(
        home=home, log_dir=home / "logs", max_upload_mb=2, max_json_mb=2, data_roots=(home / "data",)
    )
    (home / "data").mkdir()
    with TestClient(
        create_app(settings), base_url="http://127.0.0.1", raise_server_exceptions=False
    ) as client:
        client.home = home  # type: ignore[attr-defined]
        yield client
