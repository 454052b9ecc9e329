"""The private Postgres server that other tests rely on really answers."""

import pytest


@pytest.mark.needs("postgres")
def test_the_private_server_answers(postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        row = connection.execute("SELECT current_setting('server_encoding'), 6 * 7").fetchone()
    assert row == ("UTF8", 42)
