"""Houses that people come to: a chain of gyms and a bistro."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ask_exam_work_parts import Rng, Tables, after, choose, days, people, until

CLUBS = {
    "club_id": [f"C0{i}" for i in range(1, 8)],
    "club_name": ["Riverside", "Central Station", "Northgate", "Harbour", "Old Mill", "Stadium", "Parkview"],
    "city": ["Ghent", "Antwerp", "Antwerp", "Ostend", "Ghent", "Bruges", "Leuven"],
    "opened_on": [
        "2014-03-01",
        "2016-09-15",
        "2018-01-08",
        "2019-05-20",
        "2020-02-03",
        "2021-09-01",
        "2022-11-14",
    ],
    "size_sqm": [1450, 2100, 980, 1220, 760, 1875, 1340],
    "has_pool": ["Yes", "Yes", "No", "Yes", "No", "No", "Yes"],
}
CLUB_WEIGHTS = [0.2, 0.24, 0.1, 0.13, 0.07, 0.16, 0.1]
PLANS = {"Basic": 0.42, "Plus": 0.27, "Premium": 0.13, "Student": 0.18}
FEES = {"Basic": 24.9, "Plus": 34.9, "Premium": 54.9, "Student": 19.9}
PLAN_DAYS = {"Basic": 500, "Plus": 800, "Premium": 1400, "Student": 420}
CLASSES = {"Spinning": 8, "Yoga": 9, "Pilates": 5, "Bodypump": 7, "Zumba": 4, None: 60}
GYM_HOURS = dict(zip(range(6, 22), [3, 5, 6, 5, 4, 3, 4, 4, 3, 3, 5, 9, 12, 11, 7, 3], strict=True))
GYM_WEEK = [1.3, 1.2, 1.15, 1.05, 0.8, 0.7, 0.55]


def make_gym_chain(rng: Rng) -> Tables:
    """Clubs, their members and the visits of these."""
    members = make_members(rng, 780)
    return {"clubs": pd.DataFrame(CLUBS), "members": members, "visits": make_visits(rng, members)}


def make_members(rng: Rng, count: int) -> pd.DataFrame:
    """Members join most in January and September; some have left again."""
    gender, first, last = people(rng, count, 0.54)
    plan = choose(rng, PLANS, count)
    joined = days(rng, "2022-01-01", "2024-09-30", count, lambda d: 2.2 if d.month in (1, 9) else 1)
    club = choose(rng, dict(zip(CLUBS["club_id"], CLUB_WEIGHTS, strict=True)), count)
    stays = [pd.Timedelta(days=int(30 + rng.exponential(PLAN_DAYS[p]))) for p in plan]
    young = rng.integers(1998, 2007, count)
    grown = np.clip(rng.normal(1984, 11, count).astype(int), 1948, 2005)
    members = pd.DataFrame(
        {
            "member_id": np.arange(10001, 10001 + count),
            "first_name": first,
            "last_name": last,
            "gender": gender,
            "birth_year": pd.array(np.where(plan == "Student", young, grown), dtype="Int64"),
            "plan": plan,
            "monthly_fee_eur": [FEES[p] for p in plan],
            "join_date": joined.date,
            "cancelled_on": [until(j + s, "2024-12-31") for j, s in zip(joined, stays, strict=True)],
            "home_club_id": club,
            "referred": (rng.random(count) < 0.23).astype(int),
        }
    )
    members.loc[rng.random(count) < 0.03, "birth_year"] = pd.NA
    return members


def gym_day(day: pd.Timestamp) -> float:
    """How full a day is: Mondays and January most."""
    season = 1.35 if day.month == 1 else 0.8 if day.month in (7, 8) else 1
    return GYM_WEEK[day.weekday()] * season


def make_visits(rng: Rng, members: pd.DataFrame) -> pd.DataFrame:
    """Visits of those who were members on the day."""
    keen = rng.gamma(0.7, 1, len(members))
    who = rng.choice(len(members), 5200, p=keen / keen.sum())
    visits = pd.DataFrame(
        {
            "member_id": members.member_id.values[who],
            "joined": pd.to_datetime(members.join_date).values[who],
            "left": pd.to_datetime(members.cancelled_on).values[who],
            "home": members.home_club_id.values[who],
            "checkin_date": days(rng, "2022-01-03", "2024-12-31", 5200, gym_day),
        }
    )
    stayed = visits.left.isna() | (visits.checkin_date <= visits.left)
    visits = visits[(visits.checkin_date >= visits.joined) & stayed].sort_values("checkin_date").head(3000)
    count = len(visits)
    at_home = rng.random(count) < 0.86
    visits["club_id"] = np.where(at_home, visits.home, choose(rng, CLUBS["club_id"], count))
    visits["checkin_hour"] = choose(rng, GYM_HOURS, count)
    taken = choose(rng, CLASSES, count)
    minutes = np.where(pd.notna(taken), rng.normal(72, 12, count), rng.normal(61, 20, count))
    visits["duration_min"] = np.clip(minutes, 12, 170).astype(int)
    visits["class_name"] = taken
    visits["checkin_date"] = visits.checkin_date.dt.date
    visits.insert(0, "visit_id", np.arange(1, count + 1))
    columns = [
        "visit_id",
        "member_id",
        "club_id",
        "checkin_date",
        "checkin_hour",
        "duration_min",
        "class_name",
    ]
    return visits[columns]


LUNCH = {"12:00": 6, "12:30": 9, "13:00": 8}
TIMES = LUNCH | {"18:00": 8, "18:30": 11, "19:00": 17, "19:30": 15, "20:00": 13, "20:30": 8, "21:00": 4}
PARTIES = {1: 3, 2: 44, 3: 11, 4: 21, 5: 6, 6: 8, 7: 2, 8: 3, 10: 1, 12: 0.6}
CHANNELS = {"Website": 36, "Phone": 20, "OpenTable": 24, "Walk-in": 14, "Instagram": 6}
SERVERS = {"Elif": 22, "Jacques": 19, "Tamsin": 18, "Bruno": 16, "Noemi": 14, "Kasper": 11}
AREAS = {"Main room": 55, "Terrace": 22, "Bar": 16, "Private room": 7}
OCCASIONS = {None: 74, "Birthday": 12, "Anniversary": 7, "Business": 7}
BISTRO_WEEK = [0, 0.7, 0.8, 1, 1.9, 2.2, 1.2]


def booking_status(rng: Rng, channel: np.ndarray, deposit: np.ndarray) -> np.ndarray:
    """Who came: a deposit keeps guests, and who walks in is seated."""
    walked = channel == "Walk-in"
    absent = np.where(deposit, 0.02, np.where(channel == "OpenTable", 0.13, 0.07))
    absent = np.where(walked, 0, absent)
    cancelled = np.where(walked, 0, 0.1)
    chance = rng.random(len(channel))
    return np.where(chance < absent, "No-show", np.where(chance < absent + cancelled, "Cancelled", "Seated"))


def make_bistro(rng: Rng) -> Tables:
    """Reservations; only seated ones have a bill, a tip and a stay."""
    count = 2300
    day = days(
        rng,
        "2023-03-01",
        "2024-08-31",
        count,
        lambda d: BISTRO_WEEK[d.weekday()] * (1.3 if d.month == 12 else 1),
    )
    time = choose(rng, TIMES, count)
    party = choose(rng, PARTIES, count).astype(int)
    channel = choose(rng, CHANNELS, count)
    deposit = rng.random(count) < np.where(party >= 6, 0.75, 0.06)
    lead = np.where(channel == "Walk-in", 0, rng.geometric(0.11, count) - 1)
    status = booking_status(rng, channel, deposit)
    seated = status == "Seated"
    lunch = np.isin(time, list(LUNCH))
    bill = np.round(party * rng.normal(np.where(lunch, 27, 46), 8, count).clip(12), 2)
    stay = rng.normal(70 + party * 6 + np.where(lunch, -15, 5), 16, count)
    server = choose(rng, SERVERS, count)
    tip_share = np.clip(rng.normal(0.11, 0.04, count) + np.where(server == "Tamsin", 0.02, 0), 0, None)
    frame = pd.DataFrame(
        {
            "booking_ref": "",
            "booked_on": after(day, -lead).date,
            "res_date": day.date,
            "res_time": time,
            "party_size": party,
            "channel": channel,
            "area": choose(rng, AREAS, count),
            "guest_type": choose(rng, {"New": 0.58, "Returning": 0.42}, count),
            "occasion": choose(rng, OCCASIONS, count),
            "deposit_paid": np.where(deposit, "Yes", "No"),
            "status": status,
            "server": np.where(seated, server, None),
            "stay_mins": pd.array(np.clip(stay, 30, 220).astype(int), dtype="Int64"),
            "bill_total": np.where(seated, bill, np.nan),
            "tip": np.where(seated, np.round(bill * tip_share, 2), np.nan),
            "guest_rating": pd.array(
                np.clip(np.round(rng.normal(4.1, 0.8, count)), 1, 5).astype(int), dtype="Int64"
            ),
        }
    )
    frame.loc[~seated, "stay_mins"] = pd.NA
    frame.loc[~seated | (rng.random(count) < 0.6), "guest_rating"] = pd.NA
    frame = frame.sort_values(["res_date", "res_time"])
    frame["booking_ref"] = [f"R{7000 + i}" for i in range(count)]
    return {"reservations": frame}
