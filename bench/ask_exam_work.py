"""The data sets of the work part of the exam: ten of businesses and offices, from a gym chain to school exams."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ask_exam_work_care import make_car_insurance, make_hospital
from ask_exam_work_guests import make_bistro, make_gym_chain
from ask_exam_work_people import make_hr_staff, make_school_exams
from ask_exam_work_sites import make_film_studio, make_wind_farm
from ask_exam_work_support import make_call_centre, make_saas_billing

# All are drawn from one generator: another order makes other data.
WORLDS = {
    "gym_chain": make_gym_chain,
    "call_centre": make_call_centre,
    "hospital": make_hospital,
    "wind_farm": make_wind_farm,
    "film_studio": make_film_studio,
    "hr_staff": make_hr_staff,
    "bistro": make_bistro,
    "car_insurance": make_car_insurance,
    "saas_billing": make_saas_billing,
    "school_exams": make_school_exams,
}


def make_worlds(folder: Path) -> None:
    """Write each world to ``folder/<world>/<table>.csv``."""
    rng = np.random.default_rng(1717)
    for world, make in WORLDS.items():
        target = folder / world
        target.mkdir(parents=True, exist_ok=True)
        for name, frame in make(rng).items():
            frame.to_csv(target / f"{name}.csv", index=False)
