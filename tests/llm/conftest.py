"""No test of this room reaches a language model by accident."""

from collections.abc import Iterator

import pytest
from pydantic_ai.models import override_allow_model_requests


@pytest.fixture(autouse=True)
def _no_live_model() -> Iterator[None]:
    with override_allow_model_requests(False):
        yield
