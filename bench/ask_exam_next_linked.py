"""Two data sets of several tables: a veterinary surgery and an injection moulding plant."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd

from ask_exam_next_parts import day, gap, names, pick

# --------------------------------------------------------------------------- vets

SPECIES = {"Dog": 46, "Cat": 36, "Rabbit": 9, "Guinea pig": 5, "Parrot": 3, "Tortoise": 1}
KINDS = {
    "Dog": ["Labrador", "Collie", "Beagle", "Poodle", "Terrier", "Mixed"],
    "Cat": ["Shorthair", "Siamese", "Maine Coon", "Mixed"],
    "Rabbit": ["Lop", "Dutch"],
    "Guinea pig": ["Abyssinian", "American"],
    "Parrot": ["Grey", "Amazon"],
    "Tortoise": ["Hermann"],
}
PETS = [
    "Biscuit",
    "Luna",
    "Milo",
    "Nala",
    "Otis",
    "Pepper",
    "Rex",
    "Smokey",
    "Toffee",
    "Waffle",
    "Ziggy",
    "Hazel",
    "Bramble",
    "Coco",
    "Domino",
]
MEDS = {
    "Amoxiclav": 9.4,
    "Meloxicam": 14.2,
    "Fipronil": 7.8,
    "Prednisolone": 5.6,
    "Furosemide": 6.9,
    "Insulin": 38.5,
    "Chloramphenicol": 11.0,
}


def make_vets() -> dict[str, pd.DataFrame]:
    """A veterinary surgery: owners, animals, visits and prescriptions."""
    rng = np.random.default_rng(1306)
    owners = [
        (
            f"OW{i:04d}",
            n,
            pick(rng, {"Ashby": 34, "Melton": 26, "Oakham": 20, "Syston": 13, "Wigston": 7}),
            day(rng, date(2016, 2, 1), date(2024, 9, 30)),
            pick(rng, {"Y": 57, "N": 43}),
        )
        for i, n in enumerate(names(rng, 380), 1)
    ]
    animals, visits, scripts = [], [], []
    for oid, _, _, joined, _ in owners:
        for _ in range(int(rng.choice([0, 1, 2, 3, 4], p=[0.06, 0.56, 0.25, 0.1, 0.03]))):
            sp = pick(rng, SPECIES)
            weight = {
                "Dog": 21,
                "Cat": 4.4,
                "Rabbit": 2.3,
                "Guinea pig": 0.9,
                "Parrot": 0.45,
                "Tortoise": 2.8,
            }[sp] * rng.lognormal(0, 0.3)
            animals.append(
                (
                    f"AN{len(animals) + 1:04d}",
                    oid,
                    str(rng.choice(PETS)),
                    sp,
                    str(rng.choice(KINDS[sp])),
                    pick(rng, {"F": 1, "M": 1}),
                    gap(rng, 0.06, day(rng, date(2010, 1, 1), date(2023, 6, 30))),
                    pick(rng, {"yes": 66, "no": 34}),
                    gap(rng, 0.08, round(float(weight), 2)),
                    joined,
                )
            )
    for aid, _, _, _, _, _, born, _, _, joined in animals:
        for _ in range(int(rng.poisson(3.6))):
            when = day(rng, max(date(2022, 1, 3), joined, born or joined), date(2024, 12, 30))
            reason = pick(
                rng,
                {
                    "Vaccination": 27,
                    "Check-up": 24,
                    "Skin": 12,
                    "Injury": 12,
                    "Dental": 9,
                    "Digestive": 11,
                    "Surgery": 5,
                    "Euthanasia": 0.7,
                },
            )
            urgent = (
                "yes"
                if rng.random() < {"Injury": 0.45, "Digestive": 0.2, "Surgery": 0.2}.get(reason, 0.02)
                else "no"
            )
            fee = {
                "Vaccination": 52,
                "Check-up": 44,
                "Skin": 61,
                "Injury": 98,
                "Dental": 185,
                "Digestive": 77,
                "Surgery": 520,
                "Euthanasia": 140,
            }[reason]
            fee = round(
                fee
                * rng.lognormal(0, 0.22)
                * (1.6 if urgent == "yes" else 1)
                * (1 + 0.06 * (when.year - 2022)),
                2,
            )
            visits.append(
                [
                    None,
                    aid,
                    when,
                    pick(
                        rng,
                        {"Dr Halloran": 31, "Dr Nakamura": 27, "Dr Pereira": 24, "Dr Sandhu": 14, "Locum": 4},
                    ),
                    reason,
                    urgent,
                    gap(rng, 0.07, int(rng.gamma(6, 3.2) + (25 if reason == "Surgery" else 4))),
                    fee,
                    None if rng.random() < 0.62 else float(rng.choice([50, 70, 80, 90])),
                    pick(rng, {"paid": 84, "part-paid": 7, "unpaid": 8, "written off": 1}),
                ]
            )
    visits.sort(key=lambda v: (v[2], v[1]))
    for i, v in enumerate(visits, 1):
        v[0] = 70000 + i
        need = {"Vaccination": 0.05, "Check-up": 0.3, "Skin": 0.9}.get(v[4], 0.65)
        used = set()
        for _ in range(int(rng.random() < need) + int(rng.random() < need * 0.3)):
            med = pick(
                rng,
                {
                    "Amoxiclav": 26,
                    "Meloxicam": 30,
                    "Fipronil": 22,
                    "Prednisolone": 12,
                    "Furosemide": 5,
                    "Insulin": 3,
                    "Chloramphenicol": 1,
                },
            )
            if med not in used:
                used.add(med)
                scripts.append(
                    (
                        f"RX{len(scripts) + 1:05d}",
                        v[0],
                        med,
                        int(rng.integers(1, 7)),
                        round(MEDS[med] * (1 + 0.05 * (v[2].year - 2022)), 2),
                    )
                )
    return {
        "owners": pd.DataFrame(owners, columns=["ownerId", "ownerName", "town", "registeredOn", "reminders"]),
        "animals": pd.DataFrame(
            [a[:-1] for a in animals],
            columns=[
                "animalId",
                "ownerId",
                "petName",
                "species",
                "breed",
                "sex",
                "bornOn",
                "neutered",
                "weightKg",
            ],
        ),
        "visits": pd.DataFrame(
            visits,
            columns=[
                "visitId",
                "animalId",
                "visitDate",
                "vet",
                "reason",
                "emergency",
                "durationMin",
                "feeGbp",
                "insurerPaysPct",
                "paymentStatus",
            ],
        ),
        "prescriptions": pd.DataFrame(
            scripts, columns=["rxId", "visitId", "medicine", "packs", "unitPriceGbp"]
        ),
    }


# --------------------------------------------------------------------------- moulding

PRODUCTS = {
    "Cap 28mm": ("PP", 30, 6.2, 32),
    "Crate lid": ("HDPE", 12, 24, 4),
    "Gear wheel": ("POM", 13, 18, 8),
    "Housing A": ("ABS", 17, 31, 2),
    "Housing B": ("ABS", 12, 33, 2),
    "Syringe hub": ("PP", 14, 9.5, 16),
    "Lens frame": ("PC", 4, 27, 4),
    "Prototype X": ("PEEK", 0.6, 44, 1),
}


def make_moulding() -> dict[str, pd.DataFrame]:
    """Injection moulding: machines, production runs and stoppages."""
    rng = np.random.default_rng(1307)
    makers = {"Arburg": 5, "Engel": 4, "Haitian": 3}
    machines = [
        (
            f"IM{k:02d}",
            pick(rng, {"Hall 1": 5, "Hall 2": 5, "Hall 3": 3}),
            int(rng.choice([80, 120, 160, 250, 400])),
            pick(rng, makers),
            int(rng.integers(2006, 2023)),
            gap(rng, 0.15, int(rng.integers(60, 420)) * 1000),
        )
        for k in range(1, 15)
    ]
    machines[13] = ("IM14", "Hall 3", 650, "Negri Bossi", 2024, 385000)
    machines[8] = machines[8][:5] + (None,)
    use = {m[0]: float(rng.gamma(4, 1)) for m in machines[:13]}
    runs, stops = [], []
    for _ in range(1650):
        mid = pick(rng, use)
        old = 2024 - next(m[4] for m in machines if m[0] == mid)
        prod = pick(rng, {p: v[1] for p, v in PRODUCTS.items()})
        mat, _, cyc, cav = PRODUCTS[prod]
        when = day(rng, date(2023, 1, 2), date(2024, 12, 22))
        cycle = cyc * rng.normal(1, 0.07)
        hours = float(rng.uniform(2.5, 7.8))
        made = int(hours * 3600 / cycle * cav)
        shift = pick(rng, {"Early": 40, "Late": 37, "Night": 23})
        rate = (
            float(rng.gamma(2.2, 0.008))
            * (1 + old * 0.04)
            * (1.35 if shift == "Night" else 1)
            * (0.8 if when.year == 2024 else 1)
        )
        runs.append(
            [
                None,
                mid,
                when,
                shift,
                prod,
                mat,
                pick(rng, {"Op 11": 20, "Op 12": 18, "Op 17": 16, "Op 21": 15, "Op 24": 9, "Op 30": 3}),
                round(hours, 2),
                round(cycle, 1),
                made,
                int(made * min(rate, 0.4)),
                gap(rng, 0.05, round(float(rng.beta(2, 9)) * 100, 1)),
                gap(rng, 0.06, round(hours * rng.normal(34, 6), 1)),
                round(made * cyc * 0.0008 * rng.normal(1, 0.1) + 20, 2),
                pick(rng, {"Released": 88, "Blocked": 8, "Rework": 4 + (3 if shift == "Night" else 0)}),
                pick(rng, {"N": 82, "Y": 18}),
            ]
        )
    runs.sort(key=lambda r: (r[2], r[1]))
    for i, r in enumerate(runs, 1):
        r[0] = f"R{i:05d}"
        for _ in range(int(rng.poisson(0.62))):
            why = pick(
                rng,
                {
                    "Tool change": 30,
                    "Material jam": 22,
                    "Robot fault": 16,
                    "No operator": 13,
                    "Quality hold": 12,
                    "Power": 1.5,
                    "Maintenance": 9,
                },
            )
            stops.append(
                (
                    f"ST{len(stops) + 1:04d}",
                    r[0],
                    why,
                    "Y" if why in ("Tool change", "Maintenance") else "N",
                    gap(rng, 0.04, int(rng.gamma(2, 15 if why != "Tool change" else 22) + 2)),
                )
            )
    return {
        "machines": pd.DataFrame(
            machines,
            columns=[
                "Machine ID",
                "Hall",
                "Clamping Force (t)",
                "Maker",
                "Year Installed",
                "Purchase Price (EUR)",
            ],
        ),
        "runs": pd.DataFrame(
            runs,
            columns=[
                "Run No",
                "Machine ID",
                "Run Date",
                "Shift",
                "Product",
                "Material",
                "Operator",
                "Run Hours",
                "Cycle Time (s)",
                "Parts Made",
                "Scrap Parts",
                "Regrind (%)",
                "Energy (kWh)",
                "Material Cost (EUR)",
                "Release Status",
                "Night Setter",
            ],
        )
        .drop(columns="Night Setter")
        .assign(**{"New Tool": [r[15] for r in runs]}),
        "stoppages": pd.DataFrame(stops, columns=["Stop ID", "Run No", "Reason", "Planned", "Minutes"]),
    }


# --------------------------------------------------------------------------- auctions
