"""Customers who call and customers who subscribe: a call centre and the billing of a software house."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ask_exam_work_parts import Rng, Tables, choose, days, normed, until

# Team, how many calls they take and how often they resolve one.
AGENTS = {
    "Dana Whitlock": ("Blue", 12, 0.84),
    "Marco Tedesco": ("Blue", 9, 0.7),
    "Aisha Rahman": ("Blue", 11, 0.79),
    "Colin Farrow": ("Blue", 7, 0.62),
    "Petra Lindholm": ("Green", 10, 0.75),
    "Joel Akande": ("Green", 8, 0.68),
    "Suki Tan": ("Green", 9, 0.81),
    "Renee Dubois": ("Orange", 6, 0.58),
    "Gavin Holt": ("Orange", 10, 0.72),
    "Mila Horvat": ("Orange", 8, 0.77),
    "Theo Castellan": ("Orange", 5, 0.65),
}
QUEUES = {"Billing": 30, "Technical Support": 33, "Sales": 12, "Cancellations": 10, "General": 15}
TOPICS = {
    "Billing": ["Wrong charge", "Payment failed", "Invoice copy"],
    "Technical Support": ["No internet", "Slow speed", "Router setup", "TV box"],
    "Sales": ["Upgrade", "New contract"],
    "Cancellations": ["Moving house", "Too expensive"],
    "General": ["Address change", "Opening hours"],
}
CALL_HOURS = dict(zip(range(8, 19), [6, 11, 13, 12, 9, 7, 8, 9, 10, 9, 5], strict=True))
CALL_WEEK = [1.5, 1.2, 1.1, 1, 0.95, 0.35, 0]


def call_day(day: pd.Timestamp) -> float:
    """How many call on a day: Mondays and the turn of the year most, never on Sundays."""
    season = 1.3 if day.month in (1, 12) else 1
    return CALL_WEEK[day.weekday()] * season * (1.15 if day.year == 2024 else 1)


def make_call_centre(rng: Rng) -> Tables:
    """Calls; those that waited too long were not answered and have no agent."""
    count = 2500
    agent = choose(rng, {name: weight for name, (_, weight, _) in AGENTS.items()}, count)
    day = days(rng, "2023-01-02", "2024-06-28", count, call_day)
    hour = choose(rng, CALL_HOURS, count)
    queue = choose(rng, QUEUES, count)
    slow = np.select([queue == "Technical Support", queue == "Sales"], [1.5, 0.6], 1)
    wait = rng.gamma(1.6, 55, count) * slow * np.where(np.isin(hour, [9, 10, 11]), 1.3, 1)
    wait = np.clip(wait, 2, 900).astype(int)
    answered = rng.random(count) < np.clip(0.98 - wait / 900, 0.3, 1)
    long = np.select([queue == "Technical Support", queue == "General"], [1.6, 0.6], 1)
    talk = np.clip(rng.gamma(3, 110, count) * long, 25, 3200).astype(int)
    skill = np.array([AGENTS[a][2] for a in agent]) - np.where(queue == "Cancellations", 0.15, 0)
    resolved = np.where(rng.random(count) < skill, "Yes", "No")
    liked = rng.normal(3.9, 1, count) - wait / 320 - np.where(resolved == "No", 1.1, 0)
    minute = rng.integers(0, 60, count)
    calls = pd.DataFrame(
        {
            "Call ID": "",
            "Call Date": [
                d + pd.Timedelta(hours=int(h), minutes=int(m))
                for d, h, m in zip(day, hour, minute, strict=True)
            ],
            "Agent": np.where(answered, agent, None),
            "Team": np.where(answered, [AGENTS[a][0] for a in agent], None),
            "Queue": queue,
            "Topic": [rng.choice(TOPICS[q]) for q in queue],
            "Wait Time (sec)": wait,
            "Talk Time (sec)": pd.array(talk, dtype="Int64"),
            "Answered": np.where(answered, "Yes", "No"),
            "Resolved": np.where(answered, resolved, None),
            "Satisfaction": pd.array(np.clip(np.round(liked), 1, 5).astype(int), dtype="Int64"),
            "Callback Requested": np.where(rng.random(count) < np.where(answered, 0.08, 0.35), "Yes", "No"),
        }
    )
    calls.loc[~answered, "Talk Time (sec)"] = pd.NA
    calls.loc[~answered | (rng.random(count) < 0.55), "Satisfaction"] = pd.NA
    calls = calls.sort_values("Call Date").reset_index(drop=True)
    calls["Call ID"] = [f"CL-{100200 + i * 3}" for i in range(count)]
    calls["Call Date"] = calls["Call Date"].dt.strftime("%Y-%m-%d %H:%M")
    return {"calls": calls}


FRONT = "Blue North Bright Iron Clear Summit Nova Cedar Swift Urban Prime Alto Echo Terra Lumen"
TRADE = "Labs Logistics Foods Media Health Partners Robotics Retail Energy Design Capital Travel Works Studio"
BACK = "line field point wave gate stone ridge way peak port mark lane dale view"
INDUSTRIES = {
    "Retail": 22,
    "Healthcare": 16,
    "Finance": 18,
    "Manufacturing": 17,
    "Education": 12,
    "Media": 15,
}
COUNTRIES = {"USA": 38, "UK": 18, "Germany": 15, "France": 10, "Canada": 11, "Australia": 8}
ACQUIRED = {"Organic": 32, "Paid ads": 25, "Partner": 14, "Referral": 17, "Outbound": 12}
MANAGERS = {"Hanna": 25, "Deepak": 23, "Luis": 20, "Wendy": 18, None: 14}
# Price a seat, how likely, how many seats and how many days it lasts.
OFFERS = {
    "Starter": (19, 0.4, 4, 420),
    "Team": (39, 0.32, 9, 650),
    "Business": (69, 0.2, 16, 950),
    "Enterprise": (99, 0.08, 45, 2000),
}
CHURN = ["Too expensive", "Missing features", "Switched to competitor", "Out of business"]
END = "2024-12-31"
FIRST_ACCOUNT = 901


def make_saas_billing(rng: Rng) -> Tables:
    """Accounts, what they subscribed to, what they were billed and what they asked."""
    accounts, signed = make_accounts(rng, 420)
    subscriptions, billed = make_subscriptions(rng, signed)
    return {
        "accounts": accounts,
        "subscriptions": subscriptions,
        "invoices": make_invoices(rng, billed),
        "tickets": make_tickets(rng, signed, 1400),
    }


def make_accounts(rng: Rng, count: int) -> tuple[pd.DataFrame, pd.DatetimeIndex]:
    """Accounts in the order in which they signed up, and these days."""
    names = [f"{a} {b}" for a in FRONT.split() for b in TRADE.split()]
    names += [f"{a}{b} Group" for a in FRONT.split() for b in BACK.split()]
    company = rng.permutation(np.array(names, dtype=object))[:count]
    signed = days(rng, "2022-01-03", "2024-08-31", count)
    accounts = pd.DataFrame(
        {
            "account_id": 0,
            "company": company,
            "industry": choose(rng, INDUSTRIES, count),
            "country": choose(rng, COUNTRIES, count),
            "employees": np.round(rng.lognormal(4.3, 1.1, count)).astype(int) + 3,
            "signup_date": signed.date,
            "acq_channel": choose(rng, ACQUIRED, count),
            "csm": choose(rng, MANAGERS, count),
        }
    )
    order = np.argsort(signed)
    accounts = accounts.iloc[order].reset_index(drop=True)
    accounts["account_id"] = np.arange(count) + FIRST_ACCOUNT
    return accounts, signed[order]


def make_subscriptions(rng: Rng, signed: pd.DatetimeIndex) -> tuple[pd.DataFrame, list[Any]]:
    """Subscriptions, a second one for some who left, and the invoices of all of them."""
    rows: list[Any] = []
    billed: list[Any] = []
    for account, day in enumerate(signed, FIRST_ACCOUNT):
        if rng.random() < 0.07:
            continue
        start = day + pd.Timedelta(days=int(rng.integers(0, 30)))
        for again in (False, True):
            row, end = subscription(rng, f"S{len(rows) + 1:04d}", account, start)
            rows.append(row)
            billed += bills(rng, row, start, end)
            alive = end > pd.Timestamp(END)
            if alive or again or rng.random() > 0.22:
                break
            start = end + pd.Timedelta(days=int(rng.integers(1, 90)))
            if start > pd.Timestamp(END):
                break
    return pd.DataFrame(rows), billed


def subscription(
    rng: Rng, name: str, account: int, start: pd.Timestamp
) -> tuple[dict[str, Any], pd.Timestamp]:
    """One subscription and the day on which it ends, be it in the future."""
    plan = rng.choice(list(OFFERS), p=[likely for _, likely, _, _ in OFFERS.values()])
    price, _, size, lasts = OFFERS[plan]
    seats = int(np.clip(rng.gamma(1.4, size), 1, 300))
    billing = rng.choice(["Monthly", "Annual"], p=[0.68, 0.32])
    end = start + pd.Timedelta(days=int(60 + rng.exponential(lasts)))
    left = until(end, END)
    reason = rng.choice(CHURN) if left is not None and rng.random() < 0.85 else None
    row = {
        "subscription_id": name,
        "account_id": account,
        "plan": plan,
        "seats": seats,
        "mrr_usd": seats * price,
        "billing": billing,
        "start_date": start.date(),
        "end_date": left,
        "churn_reason": reason,
        "trial_first": bool(rng.random() < 0.36),
    }
    return row, end


def bills(rng: Rng, row: dict[str, Any], start: pd.Timestamp, end: pd.Timestamp) -> list[Any]:
    """Day, subscription and amount of invoices: each year's, and some of the monthly ones."""
    yearly = row["billing"] == "Annual"
    step = pd.DateOffset(years=1) if yearly else pd.DateOffset(months=1)
    found = []
    day = start
    while day <= min(end, pd.Timestamp(END)):
        if yearly or rng.random() < 0.42:
            found.append((day.date(), row["subscription_id"], row["mrr_usd"] * (10 if yearly else 1)))
        day += step
    return found


def make_invoices(rng: Rng, billed: list[Any]) -> pd.DataFrame:
    """Invoices by day; those overdue have no day of payment."""
    invoices = pd.DataFrame(
        sorted(billed, key=lambda b: b[:2]), columns=["issued", "subscription_id", "amount_usd"]
    )
    count = len(invoices)
    invoices.insert(0, "invoice_no", [f"INV-{i + 1:05d}" for i in range(count)])
    invoices["status"] = choose(rng, {"Paid": 92, "Overdue": 5.5, "Refunded": 2.5}, count)
    invoices["paid_on"] = [
        None
        if status == "Overdue"
        else (pd.Timestamp(day) + pd.Timedelta(days=int(rng.geometric(0.1)))).date()
        for day, status in zip(invoices.issued, invoices.status, strict=True)
    ]
    invoices["method"] = choose(rng, {"Card": 62, "Bank transfer": 27, "PayPal": 11}, count)
    return invoices


def make_tickets(rng: Rng, signed: pd.DatetimeIndex, count: int) -> pd.DataFrame:
    """Tickets after the sign-up; urgent ones are answered sooner."""
    who = rng.choice(len(signed), count, p=normed(rng.gamma(0.9, 1, len(signed))))
    end = pd.Timestamp(END)
    opened = [signed[i] + pd.Timedelta(days=int(rng.integers(0, (end - signed[i]).days))) for i in who]
    priority = choose(rng, {"Low": 25, "Normal": 48, "High": 20, "Urgent": 7}, count)
    kinds = {"Bug": 30, "How-to": 27, "Billing": 15, "Integration": 16, "Feature request": 12}
    haste = np.select([priority == "Urgent", priority == "High"], [0.25, 0.55], 1.2)
    tickets = pd.DataFrame(
        {
            "ticket_id": 0,
            "account_id": FIRST_ACCOUNT + who,
            "opened_on": opened,
            "category": choose(rng, kinds, count),
            "priority": priority,
            "first_reply_hrs": np.round(rng.gamma(1.5, 4, count) * haste, 1),
            "csat": pd.array(
                rng.choice([1, 2, 3, 4, 5], count, p=[0.05, 0.08, 0.17, 0.36, 0.34]), dtype="Int64"
            ),
            "reopened": (rng.random(count) < 0.11).astype(int),
        }
    ).sort_values("opened_on")
    tickets["ticket_id"] = np.arange(1, count + 1)
    tickets["opened_on"] = tickets.opened_on.dt.date
    tickets.loc[rng.random(count) < 0.45, "csat"] = pd.NA
    return tickets
