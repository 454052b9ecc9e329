"""The data sets of the next part of the exam: five of one table, three of several."""

from __future__ import annotations

from pathlib import Path

from ask_exam_next_auctions import make_auctions
from ask_exam_next_linked import make_moulding, make_vets
from ask_exam_next_people import make_physio, make_trailrun
from ask_exam_next_single import make_hives, make_planning, make_river

WORLDS = {
    "hives": make_hives,
    "planning": make_planning,
    "vets": make_vets,
    "river": make_river,
    "trailrun": make_trailrun,
    "moulding": make_moulding,
    "physio": make_physio,
    "auctions": make_auctions,
}


def make_worlds(folder: Path) -> None:
    """Write each world to ``folder/<world>/<table>.csv``."""
    for world, make in WORLDS.items():
        target = folder / world
        target.mkdir(parents=True, exist_ok=True)
        for name, frame in make().items():
            for column in frame.columns:
                values = frame[column]
                # Whole numbers with gaps stay whole.
                if values.dtype == float and values.isna().any() and (values.dropna() % 1 == 0).all():
                    frame[column] = values.astype("Int64")
            frame.to_csv(target / f"{name}.csv", index=False)
