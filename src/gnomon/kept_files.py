"""Where what was found out about tables is kept for the next process: their model, their queries, what was taught."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.core.file_state import code_state, file_state

if TYPE_CHECKING:
    from gnomon.core.settings import Settings
    from gnomon.data import Dataset
    from gnomon.semantic import SemanticModel


def model_file(dataset: Dataset, settings: Settings) -> Path | None:
    """Where the model of these tables is kept; nowhere for tables that are not files."""
    marks = [code_state("core", "data", "semantic")]
    states: dict[Path, str] = {}
    for table in dataset:
        path = Path(table.source.partition("#")[0])
        if not path.is_file():
            return None
        try:
            states[path] = states.get(path) or file_state(path)
        except OSError:  # removed meanwhile
            return None
        columns = ",".join(f"{c.name}:{c.type}" for c in table.columns)
        marks.append(f"{table.name}|{path.resolve()}|{states[path]}|{columns}")
    digest = hashlib.sha256("\n".join(marks).encode()).hexdigest()[:32]
    return settings.home.expanduser() / "models" / f"{digest}.json"


def queries_file(kept: Path, model: SemanticModel) -> Path:
    """Where the queries over the tables of a kept model are, as ``model`` names things, which may have been corrected."""
    mark = hashlib.sha256(f"{kept.stem}\n{model.model_dump_json()}".encode()).hexdigest()[:32]
    return kept.parent.parent / "queries" / f"{mark}.json"


def taught_file(dataset: Dataset, settings: Settings) -> Path:
    """Where what was picked for tables of these names and columns is remembered, for people to edit."""
    marks = [f"{t.name}|{','.join(sorted(c.name for c in t.columns))}" for t in dataset]
    digest = hashlib.sha256("\n".join(sorted(marks)).encode()).hexdigest()[:16]
    return settings.home.expanduser() / "meanings" / f"{digest}.yaml"
