"""Made-up data sets about trade, transport and machines, each in the naming habits and with the dirt of its domain."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ask_worlds_people import Frames, World, days, holes, pick


def flights(rng: np.random.Generator) -> Frames:
    """Flights in capital abbreviations, with carriers and airports behind codes."""
    carriers = pd.DataFrame(
        {
            "CARRIER": ["BA", "LH", "AF", "KL", "IB"],
            "CARRIER_NAME": ["British Airways", "Lufthansa", "Air France", "KLM", "Iberia"],
        }
    )
    airports = pd.DataFrame(
        {
            "IATA": ["LHR", "FRA", "CDG", "AMS", "MAD", "FCO", "VIE", "OSL"],
            "CITY": ["London", "Frankfurt", "Paris", "Amsterdam", "Madrid", "Rome", "Vienna", "Oslo"],
            "COUNTRY": ["UK", "Germany", "France", "Netherlands", "Spain", "Italy", "Austria", "Norway"],
        }
    )
    n = 4000
    codes = airports["IATA"].tolist()
    start = rng.integers(0, 8, n)
    end = (start + rng.integers(1, 8, n)) % 8
    cancelled = rng.random(n) < 0.025
    late = np.round(rng.exponential(18, n) - 8).astype(int)
    frame = pd.DataFrame(
        {
            "FL_DATE": days(rng, "2024-01-01", "2024-12-31", n).strftime("%Y-%m-%d"),
            "CARRIER": pick(rng, carriers["CARRIER"].tolist(), n, [5, 6, 4, 3, 2]),
            "FL_NUM": rng.integers(100, 2000, n),
            "ORIGIN": [codes[i] for i in start],
            "DEST": [codes[i] for i in end],
            "DEP_DELAY_MIN": pd.Series(late).mask(pd.Series(cancelled)).astype("Int64"),
            "ARR_DELAY_MIN": pd.Series(late + rng.integers(-12, 13, n))
            .mask(pd.Series(cancelled))
            .astype("Int64"),
            "CANCELLED": cancelled.astype(int),
            "DISTANCE_KM": 300 + 170 * np.abs(end - start) + rng.integers(0, 9, n),
            "PAX": np.where(cancelled, 0, rng.integers(60, 220, n)),
        }
    )
    return {"flights.csv": frame, "carriers.csv": carriers, "airports.csv": airports}


def listings(rng: np.random.Generator) -> Frames:
    """Homes for sale, one file with titles and spaces, prices with dollar signs, and American dates."""
    n = 1300
    area = pick(rng, ["Old Town", "Riverside", "Hillcrest", "Lakeview", "Downtown", "Westgate"], n)
    worth = pd.Series(area).map(
        {
            "Old Town": 310,
            "Riverside": 280,
            "Hillcrest": 340,
            "Lakeview": 390,
            "Downtown": 420,
            "Westgate": 230,
        }
    )
    size = rng.integers(450, 3800, n)
    price = (size * worth * rng.normal(1, 0.12, n) / 500).round() * 500
    frame = pd.DataFrame(
        {
            "Listing ID": [f"L{i:05d}" for i in range(1, n + 1)],
            "Neighborhood": area,
            "Property Type": pick(rng, ["House", "Condo", "Townhouse", "Apartment"], n, [4, 3, 2, 3]),
            "List Price": [f"${int(v):,}" for v in price],
            "Bedrooms": np.clip(size // 650 + rng.integers(0, 2, n), 1, 6),
            "Bathrooms": rng.choice([1.0, 1.5, 2.0, 2.5, 3.0], n),
            "Living Area (sq ft)": size,
            "Year Built": holes(rng, rng.integers(1920, 2024, n), 0.05).astype("Int64"),
            "Monthly HOA Fee": holes(rng, rng.integers(80, 600, n), 0.4).astype("Int64"),
            "Garage": pick(rng, ["Y", "N"], n, [6, 4]),
            "Listed On": days(rng, "2024-01-02", "2024-10-31", n).strftime("%b %d, %Y"),
            "Days on Market": rng.geometric(0.03, n),
            "Status": pick(rng, ["Active", "Sold", "Pending", "Withdrawn"], n, [3, 5, 1, 1]),
        }
    )
    return {"listings.csv": frame}


def subscriptions(rng: np.random.Generator) -> Frames:
    """Customers of a subscription, some of whom left, and what they paid."""
    n = 900
    plan = pick(rng, ["Free", "Starter", "Pro", "Enterprise"], n, [3, 5, 4, 1])
    fee = pd.Series(plan).map({"Free": 0.0, "Starter": 19.0, "Pro": 59.0, "Enterprise": 399.0})
    signed = pd.Series(days(rng, "2022-01-01", "2024-12-31", n))
    gone = signed + pd.to_timedelta(rng.integers(20, 700, n), unit="D")
    gone = gone.where((gone <= "2025-01-31") & (rng.random(n) < 0.5))
    customers = pd.DataFrame(
        {
            "cust_id": [f"C-{i:04d}" for i in range(1, n + 1)],
            "plan_name": plan,
            "country": pick(rng, ["US", "DE", "GB", "FR", "IN"], n, [6, 3, 3, 2, 2]),
            "acq_channel": pick(rng, ["organic", "paid_search", "referral", "partner"], n, [5, 4, 2, 1]),
            "signup_dt": signed.dt.strftime("%Y-%m-%d"),
            "cancelled_dt": gone.dt.strftime("%Y-%m-%d"),
            "is_churned": np.where(gone.notna(), "true", "false"),
            "mrr_usd": fee,
            "seats": np.where(plan == "Enterprise", rng.integers(20, 300, n), rng.integers(1, 12, n)),
            "nps": holes(rng, rng.integers(0, 11, n), 0.3).astype("Int64"),
        }
    )
    paying = customers[customers["mrr_usd"] > 0].reset_index(drop=True)
    m = 4200
    who = rng.integers(0, len(paying), m)
    payments = pd.DataFrame(
        {
            "payment_id": range(1, m + 1),
            "cust_id": paying["cust_id"].to_numpy()[who],
            "paid_on": days(rng, "2023-01-01", "2025-01-31", m).strftime("%Y-%m-%d"),
            "amount_usd": paying["mrr_usd"].to_numpy()[who],
            "method": pick(rng, ["card", "paypal", "bank_transfer"], m, [7, 2, 1]),
            "status": pick(rng, ["succeeded", "failed", "refunded"], m, [93, 5, 2]),
        }
    )
    return {"customers.csv": customers, "payments.csv": payments}


def tickets(rng: np.random.Generator) -> Frames:
    """Support tickets with times to the second and true truth values."""
    n = 3000
    created = pd.Series(days(rng, "2024-01-01", "2025-02-28", n)) + pd.to_timedelta(
        rng.integers(0, 86400, n), unit="s"
    )
    rank = pick(rng, ["low", "medium", "high", "urgent"], n, [3, 4, 2, 1])
    hours = rng.gamma(1.5, 12, n) * pd.Series(rank).map(
        {"low": 2.0, "medium": 1.2, "high": 0.8, "urgent": 0.4}
    )
    solved = (created + pd.to_timedelta((hours * 3600).round().astype(int), unit="s")).mask(
        pd.Series(rng.random(n) < 0.06)
    )
    frame = pd.DataFrame(
        {
            "ticketId": range(300_001, 300_001 + n),
            "createdAt": created,
            "resolvedAt": solved,
            "priority": rank,
            "issueCategory": pick(
                rng, ["Billing", "Login", "Bug report", "How-to", "Shipping"], n, [3, 4, 3, 4, 2]
            ),
            "contactChannel": pick(rng, ["email", "chat", "phone"], n, [5, 4, 2]),
            "assignedAgent": pick(rng, ["Priya", "Tomasz", "Lena", "Marcus", "Yuki", "Dana"], n),
            "customerTier": pick(rng, ["Basic", "Plus", "Premium"], n, [5, 3, 1]),
            "firstResponseMinutes": rng.gamma(2, 25, n).round().astype(int),
            "csatScore": holes(rng, pick(rng, [1, 2, 3, 4, 5], n, [1, 1, 2, 5, 6]).astype(int), 0.45).astype(
                "Int64"
            ),
            "reopened": rng.random(n) < 0.08,
            "slaBreached": rng.random(n) < 0.15,
        }
    )
    return {"tickets.parquet": frame}


def restaurant(rng: np.random.Generator) -> Frames:
    """Orders of a restaurant, their lines and the menu."""
    menu = pd.DataFrame(
        {
            "dish_id": range(1, 13),
            "dish": [
                "Tomato Soup", "Caesar Salad", "Bruschetta", "Margherita Pizza", "Mushroom Risotto", "Grilled Salmon",
                "Beef Burger", "Lamb Curry", "Tiramisu", "Cheesecake", "Lemonade", "House Wine",
            ],
            "course": ["Starter"] * 3 + ["Main"] * 5 + ["Dessert"] * 2 + ["Drink"] * 2,
            "price": [6.5, 8.0, 7.0, 12.5, 14.0, 19.5, 15.0, 16.5, 7.5, 7.0, 4.0, 6.0],
            "is_vegetarian": ["yes", "no", "yes", "yes", "yes", "no", "no", "no", "yes", "yes", "yes", "yes"],
        }
    )  # fmt: skip
    n = 1400
    when = pd.Series(days(rng, "2024-03-01", "2024-08-31", n)) + pd.to_timedelta(
        rng.integers(660, 1380, n), unit="min"
    )
    orders = pd.DataFrame(
        {
            "order_no": range(1, n + 1),
            "placed_at": when.dt.strftime("%Y-%m-%d %H:%M"),
            "order_type": pick(rng, ["dine-in", "takeaway", "delivery"], n, [6, 2, 2]),
            "waiter": holes(rng, pick(rng, ["Rosa", "Felix", "Amir", "June"], n), 0.2),
            "guests": rng.integers(1, 7, n),
            "tip": holes(rng, rng.gamma(2, 2, n).round(2), 0.25),
        }
    )
    m = 4600
    dish = rng.integers(0, 12, m)
    count = rng.integers(1, 4, m)
    lines = pd.DataFrame(
        {
            "order_no": np.concatenate([np.arange(1, n + 1), rng.integers(1, n + 1, m - n)]),
            "dish_id": dish + 1,
            "qty": count,
            "line_total": (menu["price"].to_numpy()[dish] * count).round(2),
        }
    )
    return {"orders.csv": orders, "order_items.csv": lines, "menu.csv": menu}


def energy(rng: np.random.Generator) -> Frames:
    """Hourly readings of three meters, with units in the column names."""
    meters = pd.DataFrame(
        {
            "meter_id": ["MTR-A", "MTR-B", "MTR-C"],
            "building": ["Town Hall", "Swimming Pool", "Primary School"],
            "floor_area_m2": [5200, 3100, 4400],
        }
    )
    hours = pd.date_range("2024-01-01", "2024-02-25 23:00", freq="h")
    grid = pd.MultiIndex.from_product([hours, meters["meter_id"]]).to_frame(
        index=False, name=["ts", "meter_id"]
    )
    hour = grid["ts"].dt.hour
    base = grid["meter_id"].map({"MTR-A": 40.0, "MTR-B": 75.0, "MTR-C": 28.0})
    used = base * (0.5 + 0.7 * hour.between(7, 19)) * rng.normal(1, 0.1, len(grid))
    readings = pd.DataFrame(
        {
            "ts": grid["ts"],
            "meter_id": grid["meter_id"],
            "consumption_kwh": holes(rng, used.round(3), 0.01),
            "peak_kw": (used * rng.uniform(1.05, 1.5, len(grid))).round(2),
            "outdoor_temp_c": (
                4 + 5 * np.sin((hour - 9) / 24 * 2 * np.pi) + rng.normal(0, 2, len(grid))
            ).round(1),
            "tariff": np.where(hour.between(7, 20), "day", "night"),
        }
    )
    return {"readings.parquet": readings, "meters.csv": meters}


def insurance(rng: np.random.Generator) -> Frames:
    """Policies and the claims on them, with European money text and days first."""
    p = 800
    line = pick(rng, ["Motor", "Home", "Travel", "Pet"], p, [5, 4, 2, 1])
    policies = pd.DataFrame(
        {
            "policy_no": [f"PL{20_000 + i}" for i in range(p)],
            "line_of_business": line,
            "annual_premium_eur": (
                pd.Series(line).map({"Motor": 620, "Home": 340, "Travel": 90, "Pet": 210})
                * rng.normal(1, 0.15, p)
            ).round(2),
            "holder_age": rng.integers(18, 90, p),
            "region": pick(rng, ["Bavaria", "Hesse", "Saxony", "Berlin"], p),
            "smoker": pick(rng, ["yes", "no"], p, [2, 8]),
        }
    )
    n = 1500
    asked = rng.gamma(1.5, 1400, n).round(2) + 50
    state = pick(rng, ["paid", "rejected", "open"], n, [7, 2, 1])
    claims = pd.DataFrame(
        {
            "claim_no": range(1, n + 1),
            "policy_no": pick(rng, policies["policy_no"].tolist(), n),
            "loss_date": days(rng, "2022-01-01", "2024-12-31", n).strftime("%d/%m/%Y"),
            "claim_cause": pick(
                rng, ["Collision", "Theft", "Water damage", "Fire", "Storm"], n, [5, 3, 3, 1, 2]
            ),
            "claimed_amount": [f"€ {v:,.2f}" for v in asked],
            "paid_amount_eur": np.where(state == "paid", (asked * rng.uniform(0.6, 1, n)).round(2), 0.0),
            "claim_status": state,
            "fraud_suspected": pick(rng, ["Y", "N"], n, [1, 15]),
        }
    )
    return {"policies.csv": policies, "claims.csv": claims}


def bikes(rng: np.random.Generator) -> Frames:
    """Bike rides, stations and the weather of each day."""
    stations = pd.DataFrame(
        {
            "station_id": range(101, 109),
            "station_name": [
                "Harbor",
                "Market Sq",
                "University",
                "Central Stn",
                "Zoo",
                "Stadium",
                "Old Mill",
                "Airport",
            ],
            "docks": [20, 32, 40, 48, 16, 24, 12, 18],
        }
    )
    dates = pd.date_range("2024-05-01", "2024-09-30", freq="D")
    wet = rng.random(len(dates)) < 0.3
    weather = pd.DataFrame(
        {
            "date": dates.strftime("%Y-%m-%d"),
            "avg_temp_c": rng.normal(20, 5, len(dates)).round(1),
            "precip_mm": np.where(wet, rng.gamma(1.5, 4, len(dates)), 0).round(1),
            "conditions": np.where(wet, "Rain", pick(rng, ["Clear", "Cloudy"], len(dates))),
        }
    )
    n = 4500
    start = pd.Series(days(rng, "2024-05-01", "2024-09-30", n))
    trips = pd.DataFrame(
        {
            "trip_id": range(1, n + 1),
            "date": start.dt.strftime("%Y-%m-%d"),
            "start_hour": rng.integers(5, 24, n),
            "start_station_id": pick(
                rng, stations["station_id"].tolist(), n, [3, 5, 6, 8, 2, 2, 1, 1]
            ).astype(int),
            "rider_type": pick(rng, ["member", "casual"], n, [7, 3]),
            "bike_type": pick(rng, ["classic", "electric"], n),
            "duration_min": rng.gamma(2.5, 7, n).round(1),
            "distance_km": rng.gamma(2.2, 1.3, n).round(2),
        }
    )
    return {"trips.csv": trips, "stations.csv": stations, "weather.csv": weather}


def web(rng: np.random.Generator) -> Frames:
    """An export of web analytics by day, source and device, with rates as percent text."""
    dates = pd.date_range("2024-07-01", "2024-12-31", freq="D")
    sources = {"google / organic": 320, "google / cpc": 180, "(direct)": 150, "newsletter": 60}
    kinds = {"mobile": 1.2, "desktop": 0.8, "tablet": 0.1}
    grid = pd.MultiIndex.from_product([dates, sources, kinds]).to_frame(index=False, name=["d", "s", "k"])
    sessions = rng.poisson(grid["s"].map(sources) * grid["k"].map(kinds))
    frame = pd.DataFrame(
        {
            "Date": grid["d"].dt.strftime("%Y%m%d"),
            "Source / Medium": grid["s"],
            "Device Category": grid["k"],
            "Sessions": sessions,
            "New Users": rng.binomial(sessions, 0.55),
            "Pageviews": sessions * 3 + rng.poisson(5, len(grid)),
            "Bounce Rate": [f"{v:.2f}%" for v in rng.normal(46, 6, len(grid))],
            "Goal Completions": rng.binomial(sessions, 0.03),
            "Revenue": (rng.binomial(sessions, 0.02) * rng.gamma(6, 9, len(grid))).round(2),
        }
    )
    return {"web_traffic.csv": frame}


def factory(rng: np.random.Generator) -> Frames:
    """Production of machines by day and shift, and defects by code."""
    machines = pd.DataFrame(
        {
            "MachineID": [f"M{i:02d}" for i in range(1, 9)],
            "ProductionLine": [
                "Assembly",
                "Assembly",
                "Assembly",
                "Painting",
                "Painting",
                "Welding",
                "Welding",
                "Packing",
            ],
            "Manufacturer": ["Kuron", "Kuron", "Vexa", "Vexa", "Vexa", "Tolbo", "Kuron", "Tolbo"],
            "InstallYear": [2012, 2015, 2018, 2014, 2020, 2011, 2019, 2021],
        }
    )
    dates = pd.date_range("2024-04-01", "2024-09-30", freq="D")
    grid = pd.MultiIndex.from_product([dates, ["Early", "Late", "Night"], machines["MachineID"]])
    runs = grid.to_frame(index=False, name=["ProdDate", "Shift", "MachineID"])
    runs["UnitsMade"] = rng.poisson(240, len(runs))
    runs["ScrapUnits"] = rng.binomial(runs["UnitsMade"], 0.02)
    runs["DowntimeMin"] = np.where(rng.random(len(runs)) < 0.2, rng.integers(5, 180, len(runs)), 0)
    runs["EnergyKWh"] = (runs["UnitsMade"] * rng.normal(0.8, 0.05, len(runs))).round(1)
    codes = pd.DataFrame(
        {
            "DefectCode": ["D1", "D2", "D3", "D4"],
            "DefectName": ["Scratch", "Misalignment", "Crack", "Wrong colour"],
        }
    )
    n = 1100
    defects = pd.DataFrame(
        {
            "DefectNo": range(1, n + 1),
            "FoundOn": days(rng, "2024-04-01", "2024-09-30", n),
            "MachineID": pick(rng, machines["MachineID"].tolist(), n, [2, 3, 1, 4, 2, 3, 2, 1]),
            "DefectCode": pick(rng, codes["DefectCode"].tolist(), n, [5, 3, 1, 2]),
            "Severity": pick(rng, ["Minor", "Major", "Critical"], n, [6, 3, 1]),
            "RepairCostUSD": holes(rng, rng.gamma(2, 60, n).round(2), 0.07),
        }
    )
    return {
        "production.parquet": runs,
        "machines.csv": machines,
        "defects.parquet": defects,
        "defect_codes.csv": codes,
    }


THINGS: dict[str, World] = {
    f.__name__: f
    for f in (flights, listings, subscriptions, tickets, restaurant, energy, insurance, bikes, web, factory)
}
