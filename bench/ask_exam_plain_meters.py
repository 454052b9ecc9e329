"""Tables of measurements and games: energy and football."""

import numpy as np
import pandas as pd

from ask_exam_plain_people import FIRST

SITES = [
    ("S01", "Mill Lane Office", "Office", 4200, "North", 1994, "yes"),
    ("S02", "Riverside Plant", "Factory", 15800, "North", 1978, "no"),
    ("S03", "Oak Street School", "School", 6100, "South", 1986, "yes"),
    ("S04", "Depot 4", "Warehouse", 11200, "South", 2009, "yes"),
    ("S05", "Harbour Office", "Office", 5300, "East", 2016, "yes"),
    ("S06", "Summit Clinic", "Hospital", 9000, "East", 2001, "no"),
    ("S07", "Parkside School", "School", 4700, "North", 2012, "no"),
]
LOAD = {"Office": 900, "Factory": 5200, "School": 780, "Warehouse": 1350, "Hospital": 3900}


def site_days(rng, site, days, temp):
    """Daily use of one site: weekends, heating and noise."""
    kind = site[2]
    base = LOAD[kind] * (site[3] / 7000) ** 0.3
    weekend = days.dayofweek >= 5
    low = {"Office": 0.4, "School": 0.3, "Factory": 0.7, "Warehouse": 0.75, "Hospital": 1}
    use = base * np.where(weekend, low[kind], 1) + base * 0.018 * np.maximum(16 - temp, 0)
    use = use * rng.normal(1, 0.05, len(days))
    solar = np.maximum(
        0, site[3] / 40 * (1 + np.sin((days.dayofyear - 80) / 58.1)) * rng.normal(0.5, 0.15, len(days))
    )
    gas = np.maximum(0, base * 0.05 * np.maximum(15 - temp, 0) * rng.normal(1, 0.1, len(days)))
    return pd.DataFrame(
        {
            "site_id": site[0],
            "reading_date": days.date,
            "kwh": use.round(1),
            "peak_kw": (use / 24 * rng.normal(2.1, 0.15, len(days))).round(1),
            "solar_kwh": solar.round(1) if site[6] == "yes" else 0.0,
            "gas_m3": gas.round(1),
            "outdoor_temp_c": temp.round(1),
        }
    )


def make_energy():
    rng = np.random.default_rng(1407)
    days = pd.date_range("2023-07-01", "2024-12-31")
    swing = 10.5 - 9.5 * np.cos((days.dayofyear.values - 20) / 365 * 2 * np.pi)
    town = swing + rng.normal(0, 2.6, len(days))
    frames = [site_days(rng, s, days, town + rng.normal(0, 0.5, len(days))) for s in SITES]
    data = pd.concat(frames, ignore_index=True)
    draw = rng.random(len(data))
    data["quality"] = np.where(draw < 0.02, "E", np.where(draw < 0.012 + 0.045, "S", "A"))
    missing = rng.random(len(data)) < 0.012
    data.loc[missing, ["kwh", "peak_kw"]] = np.nan
    data = data[rng.random(len(data)) > 0.004].sort_values(["reading_date", "site_id"])
    sites = pd.DataFrame(
        SITES,
        columns=[
            "site_id",
            "site_name",
            "building_type",
            "floor_area_m2",
            "region",
            "built_year",
            "has_solar",
        ],
    )
    data.insert(0, "reading_id", np.arange(1, len(data) + 1))
    return {"readings": data, "sites": sites}


TEAMS = [
    "Amberton Rovers",
    "Brackwell Town",
    "Corvale City",
    "Dunmere United",
    "Eastholt FC",
    "Fernbridge Athletic",
    "Grayport Wanderers",
    "Hexley Albion",
    "Inverlow FC",
    "Jarrowmoor Town",
    "Kingsmere City",
    "Lorton Rangers",
]
POWER = [0.35, -0.1, 0.5, 0.05, -0.3, 0.15, -0.05, 0.25, -0.4, -0.15, 0.4, -0.2]


def season_pairs(rng):
    """Everybody plays everybody at home and away."""
    pairs = [(a, b) for a in range(12) for b in range(12) if a != b]
    return [pairs[i] for i in rng.permutation(len(pairs))]


def season_matches(rng, label, start):
    rows = []
    for i, (home, away) in enumerate(season_pairs(rng)):
        day = start + pd.Timedelta(days=7 * (i // 4) + int(rng.choice([0, 0, 0, 1, 1, -1, 3])))
        gh = rng.poisson(np.exp(0.32 + POWER[home] - 0.6 * POWER[away]))
        ga = rng.poisson(np.exp(0.05 + POWER[away] - 0.6 * POWER[home]))
        crowd = int(rng.normal(14000 + 11000 * (POWER[home] + 0.5), 2200))
        rows.append(
            (
                label,
                day.date(),
                TEAMS[home],
                TEAMS[away],
                gh,
                ga,
                int(rng.binomial(gh, 0.45)),
                int(rng.binomial(ga, 0.45)),
                None if rng.random() < 0.025 else max(crowd, 2500),
                f"Ref {rng.choice(list('ABCDEFGHIJ'))}",
                rng.poisson(3.4),
                rng.binomial(3, 0.06),
            )
        )
    return rows


def make_matches(rng):
    rows = []
    for year in range(2020, 2025):
        rows += season_matches(rng, f"{year}/{(year + 1) % 100:02d}", pd.Timestamp(year, 8, 8))
    frame = pd.DataFrame(
        rows,
        columns=[
            "Season",
            "Date",
            "HomeTeam",
            "AwayTeam",
            "FTHG",
            "FTAG",
            "HTHG",
            "HTAG",
            "Attendance",
            "Referee",
            "YellowCards",
            "RedCards",
        ],
    )
    frame["FTR"] = np.select([frame.FTHG > frame.FTAG, frame.FTHG < frame.FTAG], ["H", "A"], "D")
    frame = frame.sort_values("Date").reset_index(drop=True)
    frame.insert(0, "MatchID", np.arange(1, len(frame) + 1))
    return frame


def make_players(rng):
    rows = []
    plan = ["Goalkeeper"] * 3 + ["Defender"] * 8 + ["Midfielder"] * 8 + ["Forward"] * 5
    rate = {"Goalkeeper": 0, "Defender": 0.05, "Midfielder": 0.13, "Forward": 0.36}
    for team in TEAMS:
        for shirt, place in enumerate(plan, 1):
            games = int(rng.integers(2, 23))
            worth = rng.lognormal(0.3, 0.7) * {"Goalkeeper": 0.7, "Forward": 1.6}.get(place, 1)
            rows.append(
                (
                    f"{rng.choice(FIRST)} {team[0]}{shirt:02d}",
                    team,
                    place,
                    int(np.clip(rng.normal(26, 4.3), 17, 39)),
                    games,
                    int(rng.poisson(rate[place] * games)),
                    int(rng.poisson(0.11 * games)) if place != "Goalkeeper" else 0,
                    None if rng.random() < 0.05 else round(worth, 2),
                    rng.choice(["left", "right", "both"], p=[0.24, 0.7, 0.06]),
                )
            )
    return pd.DataFrame(
        rows,
        columns=[
            "player_name",
            "team",
            "position",
            "age",
            "appearances",
            "goals",
            "assists",
            "market_value_m",
            "foot",
        ],
    )


def make_football():
    rng = np.random.default_rng(1408)
    return {"matches": make_matches(rng), "players": make_players(rng)}
