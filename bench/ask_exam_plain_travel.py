"""Tables about travel: hotel and flights."""

import numpy as np
import pandas as pd

from ask_exam_plain_people import blank

ROOMS = {"Single": 74, "Double": 98, "Twin": 94, "Family": 139, "Suite": 215}


def arrival_days(rng, count):
    """Arrivals from 2023 to 2024, more of them in summer."""
    days = pd.date_range("2023-01-01", "2024-12-31")
    weight = 1 + 0.6 * np.sin((days.dayofyear.values - 100) / 365 * 2 * np.pi)
    weight = weight * np.where(days.dayofweek.isin([4, 5]), 1.35, 1)
    return pd.DatetimeIndex(rng.choice(days, count, p=weight / weight.sum()))


def make_hotel():
    rng = np.random.default_rng(1402)
    count = 3200
    arrive = arrival_days(rng, count)
    room = rng.choice(list(ROOMS), count, p=[0.18, 0.42, 0.16, 0.16, 0.08])
    channel = rng.choice(
        ["Online agency", "Website", "Phone", "Corporate", "Walk-in"], count, p=[0.43, 0.27, 0.11, 0.14, 0.05]
    )
    lead = np.where(channel == "Walk-in", 0, rng.gamma(1.3, 35, count).astype(int))
    season = 1 + 0.2 * np.isin(arrive.month, [6, 7, 8])
    rate = np.array([ROOMS[r] for r in room]) * season * rng.normal(1, 0.1, count)
    odds = 0.08 + 0.0025 * np.minimum(lead, 120) + 0.07 * (channel == "Online agency")
    gone = rng.random(count) < np.where(channel == "Walk-in", 0, odds)
    kids = np.where(room == "Family", rng.integers(1, 4, count), (rng.random(count) < 0.06).astype(int))
    nights = 1 + rng.poisson(1.9, count)
    score = blank(rng, np.clip(rng.normal(7.9, 1.3, count), 1, 10).round(1), 0.45)
    score[gone] = None
    return {
        "bookings": pd.DataFrame(
            {
                "Booking ID": [f"BK-{i}" for i in range(20001, 20001 + count)],
                "Booked On": (arrive - pd.to_timedelta(lead, unit="D")).date,
                "Arrival Date": arrive.date,
                "Nights": nights,
                "Adults": np.where(room == "Single", 1, rng.choice([1, 2, 3], count, p=[0.2, 0.7, 0.1])),
                "Children": kids,
                "Room Type": room,
                "Channel": channel,
                "Nightly Rate": rate.round(2),
                "Meal Plan": blank(
                    rng,
                    rng.choice(["Breakfast", "Half board", "Room only"], count, p=[0.62, 0.2, 0.18]),
                    0.03,
                ),
                "Country": blank(
                    rng,
                    rng.choice(
                        [
                            "Germany",
                            "France",
                            "Spain",
                            "Italy",
                            "United Kingdom",
                            "Netherlands",
                            "Poland",
                            "USA",
                        ],
                        count,
                        p=[0.26, 0.16, 0.12, 0.11, 0.15, 0.08, 0.07, 0.05],
                    ),
                    0.02,
                ),
                "Cancelled": np.where(gone, "Yes", "No"),
                "Repeat Guest": rng.choice([0, 1], count, p=[0.83, 0.17]),
                "Special Requests": rng.poisson(0.6, count),
                "Review Score": score,
            }
        )
    }


AIRLINES = [
    ("KS", "Kestrel Air", "Northland", 1998, "full service"),
    ("BO", "Bluebox Airways", "Westmark", 2006, "low cost"),
    ("TA", "Tamarind Air", "Southria", 1985, "full service"),
    ("ZP", "Zip Wings", "Westmark", 2013, "low cost"),
    ("MN", "Monsoon Lines", "Southria", 1979, "full service"),
    ("PF", "Puffin Regional", "Northland", 2009, "regional"),
]
AIRPORTS = [
    ("ALB", "Albury Bay", "Westmark", 0, 0),
    ("CRN", "Cornhill", "Westmark", 310, 120),
    ("DRV", "Dravik", "Northland", 200, 1250),
    ("ELS", "Elsmoor", "Northland", -420, 1010),
    ("FNT", "Fontara", "Southria", 650, -900),
    ("GRM", "Grimsand", "Southria", 1300, -1500),
    ("HLW", "Hollowport", "Westmark", -380, 260),
    ("ISK", "Iskara", "Northland", 900, 1650),
]
DELAY = {"KS": 7, "BO": 15, "TA": 9, "ZP": 19, "MN": 11, "PF": 6}


def flight_distance(origin, dest):
    place = {a[0]: (a[3], a[4]) for a in AIRPORTS}
    (x1, y1), (x2, y2) = place[origin], place[dest]
    return round(np.hypot(x2 - x1, y2 - y1))


def flight_routes(rng, count):
    codes = [a[0] for a in AIRPORTS]
    share = np.array([0.27, 0.1, 0.16, 0.07, 0.15, 0.08, 0.1, 0.07])
    origin = rng.choice(codes, count, p=share)
    dest = rng.choice(codes, count, p=share)
    clash = origin == dest
    dest[clash] = [codes[(codes.index(o) + 3) % 8] for o in origin[clash]]
    return origin, dest


def make_flights():
    rng = np.random.default_rng(1403)
    count = 4200
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 366, count)), unit="D")
    hour = rng.integers(5, 23, count)
    minute = rng.choice(range(0, 60, 5), count)
    origin, dest = flight_routes(rng, count)
    line = rng.choice(list(DELAY), count, p=[0.24, 0.21, 0.17, 0.2, 0.1, 0.08])
    miles = np.array([flight_distance(o, d) for o, d in zip(origin, dest, strict=True)])
    winter = np.isin(day.month, [12, 1, 2])
    dep = rng.normal(np.array([DELAY[c] for c in line]) + 6 * winter + 0.5 * (hour - 12), 17).round()
    dep = np.maximum(dep, -12) + (rng.random(count) < 0.03) * rng.integers(60, 240, count)
    arr = (dep + rng.normal(-2, 8, count)).round()
    off = rng.random(count) < (0.013 + 0.025 * winter)
    why = np.where(off, rng.choice(["Weather", "Technical", "Crew"], count, p=[0.5, 0.35, 0.15]), None)
    flights = pd.DataFrame(
        {
            "flight_id": np.arange(1, count + 1),
            "flight_date": day.date,
            "airline_code": line,
            "flight_no": [f"{c}{n}" for c, n in zip(line, rng.integers(100, 999, count), strict=True)],
            "origin": origin,
            "destination": dest,
            "sched_dep": [f"{h:02d}:{m:02d}" for h, m in zip(hour, minute, strict=True)],
            "dep_delay_min": np.where(off, None, dep.astype(int)),
            "arr_delay_min": np.where(off, None, arr.astype(int)),
            "distance_km": miles,
            "air_time_min": np.where(off, None, (miles / 12.5 + rng.normal(25, 4, count)).astype(int)),
            "passengers": np.where(off, None, np.clip(rng.normal(128, 30, count), 12, 189).astype(int)),
            "cancelled": off.astype(int),
            "cancel_reason": why,
        }
    )
    airlines = pd.DataFrame(
        AIRLINES, columns=["airline_code", "airline_name", "home_country", "founded", "business_model"]
    )
    airports = pd.DataFrame([a[:3] for a in AIRPORTS], columns=["airport_code", "city", "country"])
    airports["runways"] = [3, 1, 2, 1, 2, 2, 1, 1]
    return {"flights": flights, "airlines": airlines, "airports": airports}
