"""Measures a model in a process of its own, so that nobody who asks a question waits for it.

The process is ``python -m gnomon.measuring``: it goes on when the command that began it has ended, and ends by itself.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

from gnomon.core.errors import GnomonError
from gnomon.core.settings import Settings

if TYPE_CHECKING:
    from gnomon.llm.client import ModelClient
    from gnomon.llm.trust import Trust

logger = logging.getLogger("gnomon.model")

QUESTIONS = 30
_SECRET = {"api_token", "tenant_tokens", "store_url", "model_key"}


def begin_measuring(settings: Settings, client: ModelClient, trust: Trust) -> bool:
    """Begin to measure the configured model where that was never done; whether it was begun.

    Args:
        settings: Which model, and whether it is measured by itself at all.
        client: The model as it is used.
        trust: Where it is written down how far a model is believed.
    """
    if not settings.model_measure or not client.measurable or not trust.is_open(client.identity):
        return False
    try:
        if not trust.claim(client.identity, QUESTIONS):
            return False
        process = _started(
            environment(settings.model_copy(update={"home": trust.home, "privacy": client.privacy.value}))
        )
    except (OSError, GnomonError) as e:  # the question goes on without it
        logger.warning("%s cannot be measured: %s", client.identity, e)
        trust.release(client.identity)
        return False
    threading.Thread(target=process.wait, name="gnomon-measuring", daemon=True).start()
    logger.info("%s is measured with %d questions about the demo store", client.identity, QUESTIONS)
    return True


def _started(told: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "gnomon.measuring"],
        env=told,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # an interrupt at the terminal is not meant for it
    )


def environment(settings: Settings) -> dict[str, str]:
    """The environment in which another process has the same settings; secrets that it does not need are left out."""
    told = dict(os.environ)
    for secret in _SECRET:
        told.pop(Settings.variable(secret), None)
    fields = set(Settings.model_fields) - _SECRET
    plain = Settings.model_construct().model_dump(mode="json", include=fields)
    for name, value in settings.model_dump(mode="json", include=fields).items():
        told.pop(Settings.variable(name), None)
        if value != plain.get(name) and value is not None:
            told[Settings.variable(name)] = value if isinstance(value, str) else json.dumps(value)
    if settings.model_key is not None:
        told[Settings.variable("model_key")] = settings.model_key.get_secret_value()
    told["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    return told
