"""The data sets of the late part of the exam: four of one table, three of several."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from ask_exam_late_many import make_festival, make_insurance
from ask_exam_late_one import make_blood, make_inspections, make_museum, make_wind
from ask_exam_late_trial import make_trial

Tables = dict[str, pd.DataFrame]


def build_all() -> dict[str, Tables]:
    """Build every world in memory, keyed by world name and table name."""
    return {
        "museum": make_museum(),
        "wind": make_wind(),
        "inspections": make_inspections(),
        "blood": make_blood(),
        "festival": make_festival(),
        "insurance": make_insurance(),
        "trial": make_trial(),
    }


def make_worlds(folder: Path) -> None:
    """Write each world to ``folder/<world>/<table>.csv``."""
    for world, tables in build_all().items():
        target = folder / world
        target.mkdir(parents=True, exist_ok=True)
        for name, frame in tables.items():
            frame.to_csv(target / f"{name}.csv", index=False)


if __name__ == "__main__":
    make_worlds(Path(sys.argv[1] if len(sys.argv) > 1 else "worlds"))
