"""The demo store that the shipped questions are about."""

from __future__ import annotations

from pathlib import Path

SEED = 7


def demo_folder() -> Path:
    """The folder of the demo store at its usual size, which is written where it is missing."""
    from gnomon.core.private import private_folder
    from gnomon.core.settings import Settings
    from gnomon.data.demo_store import DemoStore, write_demo_store

    folder = private_folder(Settings.load().home.expanduser() / "demo")
    known = DemoStore.find(folder)
    if known is None or (known.seed, known.scale) != (SEED, 1.0):
        write_demo_store(folder, SEED)
    return folder
