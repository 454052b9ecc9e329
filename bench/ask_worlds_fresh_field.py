"""More made-up data sets, of what is grown, played, eaten, measured and asked: each one's files in its own habits."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ask_worlds_people import Frames, World, days, holes, pick

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def harvest(rng: np.random.Generator) -> Frames:
    """The harvest log of a farm in abbreviations, with crops behind codes and moisture as percent text."""
    crops = pd.DataFrame(
        {
            "crop_cd": ["TOM", "POT", "CAR", "ONI", "PUM", "LET"],
            "crop": ["Tomatoes", "Potatoes", "Carrots", "Onions", "Pumpkins", "Lettuce"],
            "eur_per_kg": [1.9, 0.45, 0.7, 0.55, 0.8, 2.4],
        }
    )
    fields = pd.DataFrame(
        {
            "fld_no": [1, 2, 3, 4, 5, 6, 7],
            "fld_name": [
                "Long Acre",
                "Creek Side",
                "Hilltop",
                "Barn Plot",
                "South Meadow",
                "Orchard End",
                "Stony Bit",
            ],
            "area_ha": [4.2, 3.1, 2.6, 1.4, 5.8, 2.2, 0.9],
            "soil": ["loam", "clay", "sand", "loam", "clay", "loam", "sand"],
            "irrigated": ["Y", "Y", "N", "Y", "N", "N", "N"],
        }
    )
    n = 2400
    date = days(rng, "2022-06-01", "2022-10-31", n) + pd.to_timedelta(365 * rng.integers(0, 3, n), unit="D")
    code = pick(rng, crops["crop_cd"].tolist(), n, [5, 6, 4, 3, 2, 3])
    crew = rng.integers(2, 9, n)
    hours = np.round(rng.uniform(1.5, 8.5, n) * 4) / 4
    pace = pd.Series(code).map({"TOM": 38, "POT": 92, "CAR": 64, "ONI": 70, "PUM": 110, "LET": 21}).to_numpy()
    log = pd.DataFrame(
        {
            "dt": pd.Series(date).sort_values().dt.strftime("%d/%m/%Y").to_numpy(),
            "fld_no": pick(rng, fields["fld_no"].tolist(), n, [5, 4, 3, 2, 6, 2, 1]),
            "crop_cd": code,
            "qty_kg": np.round(pace * hours * crew * rng.uniform(0.3, 0.6, n)).astype(int),
            "crew_sz": crew,
            "hrs": hours,
            "moist": holes(rng, [f"{x:.1f}%" for x in rng.normal(14, 2.5, n).clip(6)], 0.06),
            "grade": pick(rng, ["A", "B", "C"], n, [6, 3, 1]),
        }
    )
    return {"harvest_log.csv": log, "crops.csv": crops, "fields.csv": fields}


def chess(rng: np.random.Generator) -> Frames:
    """The games of a chess club, one file in camel case with days as words and two players in each row."""
    n = 3000
    players = [
        "QuietRook",
        "PawnStorm",
        "KnightOwl",
        "ZugZwang",
        "BishopTakes",
        "EndgameEd",
        "Castler",
        "Gambiteer",
    ]
    players += ["Patzer99", "TempoTess", "ForkMaster", "LongDiagonal"]
    skill = np.array([2080, 1990, 1900, 1850, 1760, 1700, 1620, 1580, 1490, 1430, 1350, 1280])
    keen = rng.uniform(0.5, 2, 12)
    one = rng.choice(12, n, p=keen / keen.sum())
    two = (one + rng.integers(1, 12, n)) % 12
    edge = 1 / (1 + 10 ** ((skill[two] - skill[one] - 30) / 400))
    draw = rng.random(n) < 0.16
    winner = np.where(draw, "Draw", np.where(rng.random(n) < edge, "White", "Black"))
    decided = pick(rng, ["Checkmate", "Resignation", "Time Forfeit"], n, [4, 6, 2])
    drawn = pick(rng, ["Agreement", "Stalemate", "Repetition"], n, [5, 1, 3])
    openings = [
        "Sicilian Defense",
        "Ruy Lopez",
        "Queen's Gambit",
        "French Defense",
        "Italian Game",
        "English Opening",
    ]
    frame = pd.DataFrame(
        {
            "GameNo": np.arange(1, n + 1),
            "PlayedOn": days(rng, "2022-01-03", "2024-11-30", n).sort_values().strftime("%d %b %Y"),
            "WhitePlayer": np.array(players)[one],
            "BlackPlayer": np.array(players)[two],
            "WhiteElo": skill[one] + rng.integers(-60, 61, n),
            "BlackElo": skill[two] + rng.integers(-60, 61, n),
            "TimeControl": pick(rng, ["Blitz", "Rapid", "Classical"], n, [5, 3, 2]),
            "Opening": pick(rng, openings, n, [7, 4, 5, 3, 4, 2]),
            "Winner": winner,
            "EndedBy": np.where(draw, drawn, decided),
            "NumMoves": rng.normal(38, 13, n).clip(8).round().astype(int),
            "Rated": rng.random(n) < 0.7,
        }
    )
    return {"games.csv": frame}


_FOODS = {
    "Vegetables": (
        "Broccoli Carrot Spinach Pepper Courgette Leek Cabbage Aubergine Pea",
        (35, 2.0, 0.4, 6.5, 2.6),
    ),
    "Fruit": ("Apple Banana Cherry Mango Peach Plum Pear Pineapple", (58, 0.8, 0.3, 14.0, 2.2)),
    "Meat": ("Beef Pork Lamb Chicken Turkey Duck", (215, 24.0, 13.0, 0.4, 0.0)),
    "Fish": ("Salmon Cod Tuna Trout Mackerel", (160, 21.0, 8.0, 0.3, 0.0)),
    "Dairy": ("Cheddar Yogurt Milk Feta", (140, 8.0, 9.0, 6.0, 0.0)),
    "Grains": ("Oats Barley Rice Rye Wheat Spelt Millet", (340, 10.5, 3.0, 68.0, 8.0)),
    "Legumes": ("Lentil Chickpea Soybean", (125, 8.4, 1.2, 21.0, 7.1)),
    "Sweets": (
        "Fudge Nougat Toffee Brownie Marzipan Waffle Doughnut Muffin Cheesecake Tart",
        (430, 4.8, 19.0, 61.0, 1.4),
    ),
    "Nuts": ("Almond Walnut", (590, 19.0, 52.0, 18.0, 8.5)),
}
_STYLES = ["raw", "boiled", "dried", "canned", "frozen", "grilled", "baked", "fried"]


def nutrition(rng: np.random.Generator) -> Frames:
    """A table of foods with units in brackets in its column names; it has no date at all."""
    kinds = [(g, f, s) for g, (foods, _) in _FOODS.items() for f in foods.split() for s in _STYLES]
    kinds = [kinds[i] for i in rng.permutation(len(kinds))[:400]]
    n = len(kinds)
    group = np.array([g for g, _, _ in kinds])
    typical = np.array([_FOODS[g][1] for g in group]) * rng.uniform(0.6, 1.45, (n, 5))
    plants = np.isin(group, ["Vegetables", "Fruit", "Legumes", "Nuts"])
    frame = pd.DataFrame(
        {
            "Food": [f"{food}, {style}" for _, food, style in kinds],
            "Food Group": group,
            "Preparation": [style for _, _, style in kinds],
            "Serving (g)": pick(rng, [30, 50, 80, 100, 125, 150, 200], n).astype(int),
            "Energy (kcal)": np.round(typical[:, 0]).astype(int),
            "Protein (g)": np.round(typical[:, 1], 1),
            "Fat (g)": np.round(typical[:, 2], 1),
            "Carbs (g)": np.round(typical[:, 3], 1),
            "Fibre (g)": np.round(typical[:, 4], 1),
            "Sodium (mg)": holes(rng, pd.Series(rng.gamma(1.2, 140, n)).round().astype("Int64"), 0.07),
            "Vegan": np.where(plants | ((group == "Grains") & (rng.random(n) < 0.8)), "yes", "no"),
            "Gluten Free": np.where((group == "Grains") | (rng.random(n) < 0.15), "no", "yes"),
        }
    )
    return {"foods.csv": frame}


def rainfall(rng: np.random.Generator) -> Frames:
    """Rain by station and year, a wide table with a column a month and gaps in it."""
    regions = {
        "Highlands": (["Glenmore", "Benrath", "Corrie", "Strath"], 520, 165),
        "Coast": (["Seahaven", "Whitby Sands", "Portlow", "Kelso Bay", "Dunmouth"], 14, 98),
        "Lowlands": (["Fenwick", "Marshgate", "Oakley"], 60, 62),
        "Islands": (["Skerra", "Holm", "Tornay"], 35, 130),
    }
    rows: list[dict[str, object]] = []
    wet = np.array([1.3, 1.1, 1.0, 0.8, 0.75, 0.8, 0.85, 0.95, 1.05, 1.3, 1.35, 1.4])
    for region, (stations, height, usual) in regions.items():
        for station in stations:
            above = int(height * rng.uniform(0.6, 1.4))
            for year in range(1985, 2025):
                trend = 1 + 0.003 * (year - 1985) * (region == "Coast")
                rain = usual * trend * rng.uniform(0.85, 1.15) * wet * rng.gamma(9, 1 / 9, 12)
                months = dict(zip(_MONTHS, np.round(rain, 1), strict=True))
                rows.append({"Station": station, "Region": region, "Elev_m": above, "Year": year, **months})
    frame = pd.DataFrame(rows)
    for month in _MONTHS:
        frame[month] = holes(rng, frame[month], 0.015)
    return {"rain_mm.csv": frame}


def commuters(rng: np.random.Generator) -> Frames:
    """Answers to a survey of passengers: statements as column names, opinions as values, no number and no date."""
    n = 1800
    scale = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
    content = ["Very dissatisfied", "Dissatisfied", "Neither", "Satisfied", "Very satisfied"]
    mode = pick(rng, ["Bus", "Tram", "Train", "Ferry"], n, [8, 5, 4, 1])
    mood = rng.normal(0, 1, n) + pd.Series(mode).map({"Bus": -0.4, "Tram": 0.3, "Train": 0.1, "Ferry": 0.9})

    def opinion(words: list[str], lean: float) -> pd.Series:
        place = np.digitize(mood + lean + rng.normal(0, 0.9, n), [-1.5, -0.5, 0.4, 1.5])
        return pd.Series([words[i] for i in place])

    frame = pd.DataFrame(
        {
            "Respondent": [f"R-{i:05d}" for i in range(1, n + 1)],
            "Age Group": pick(rng, ["16-24", "25-34", "35-49", "50-64", "65+"], n, [4, 5, 6, 4, 2]),
            "Home Area": pick(
                rng, ["City Centre", "Northern Suburbs", "Southern Suburbs", "Rural"], n, [4, 3, 3, 1]
            ),
            "Main Mode": mode,
            "How Often": pick(rng, ["Daily", "Weekly", "Monthly", "Rarely"], n, [6, 4, 2, 1]),
            "Service is reliable": holes(rng, opinion(scale, -0.2), 0.03),
            "Fares are good value": holes(rng, opinion(scale, -0.7), 0.03),
            "I feel safe at night": holes(rng, opinion(scale, 0.3), 0.08),
            "Overall Satisfaction": opinion(content, 0.1),
            "Would Recommend": pick(rng, ["Yes", "No", "Not sure"], n, [5, 3, 2]),
            "Has Season Pass": pick(rng, ["Y", "N"], n, [4, 6]),
        }
    )
    return {"passenger_survey.csv": frame}


FIELD: dict[str, World] = {
    "harvest": harvest,
    "chess": chess,
    "nutrition": nutrition,
    "rainfall": rainfall,
    "commuters": commuters,
}
