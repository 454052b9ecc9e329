"""Files that runs leave behind: where they lie, and which there are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.server.service import Service
    from gnomon.store import Run

MAX_LISTED = 200


def artefact_folder(service: Service, run: Run) -> Path:
    """Where the files of a run lie: beside the data set it is about, so that they go with it."""
    return service.datasets.folder(run.tenant, run.dataset_id or "none") / "artefacts" / run.id


def artefacts_of(service: Service, run: Run) -> list[Path]:
    """The files that a run left behind, links left out."""
    folder = artefact_folder(service, run)
    if not folder.is_dir():
        return []
    found = sorted(p for p in folder.iterdir() if p.is_file() and not p.is_symlink())
    return found[:MAX_LISTED]
