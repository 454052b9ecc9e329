"""Tables about services: helpdesk and bank."""

import numpy as np
import pandas as pd

from ask_exam_plain_people import blank, people_names


def make_agents(rng):
    count = 18
    return pd.DataFrame(
        {
            "agent_id": [f"A{i:02d}" for i in range(1, count + 1)],
            "agent_name": people_names(rng, count),
            "team": rng.permutation(["Network"] * 5 + ["Hardware"] * 4 + ["Accounts"] * 5 + ["Software"] * 4),
            "level": rng.choice(["Junior", "Senior", "Lead"], count, p=[0.45, 0.4, 0.15]),
            "site": rng.choice(["Leeds", "Porto", "Gdansk"], count),
            "start_date": [
                (pd.Timestamp("2019-02-01") + pd.Timedelta(days=int(d))).date()
                for d in rng.integers(0, 1700, count)
            ],
        }
    )


def open_times(rng, count):
    """Openings through 2024, mostly on weekdays in office hours."""
    days = pd.date_range("2024-01-01", "2024-12-31")
    weight = np.where(days.dayofweek < 5, 1.0, 0.22)
    day = pd.DatetimeIndex(rng.choice(days, count, p=weight / weight.sum()))
    minutes = np.clip(rng.normal(13 * 60, 190, count), 0, 1439).astype(int)
    return (day + pd.to_timedelta(minutes, unit="m")).sort_values()


def make_helpdesk():
    rng = np.random.default_rng(1404)
    count = 3600
    agents = make_agents(rng)
    opened = open_times(rng, count)
    rank = rng.choice([1, 2, 3, 4], count, p=[0.06, 0.2, 0.46, 0.28])
    hours = rng.gamma(1.1, np.array([0, 5, 14, 30, 46])[rank])
    closed = opened + pd.to_timedelta((hours * 60).astype(int) + 4, unit="m")
    still = (rng.random(count) < 0.012) | (closed > pd.Timestamp("2025-01-03"))
    still |= (opened > pd.Timestamp("2024-12-10")) & (rng.random(count) < 0.25)
    score = np.clip(np.round(4.5 - hours / 60 + rng.normal(0, 0.9, count)), 1, 5)
    score = blank(rng, score.astype(int), 0.41)
    score[still] = None
    first = np.minimum(rng.gamma(1.5, 6 + 9 * rank), hours * 60 + 4).astype(int)
    tickets = pd.DataFrame(
        {
            "ticket_id": np.arange(70001, 70001 + count),
            "opened_at": opened.strftime("%Y-%m-%d %H:%M:%S"),
            "closed_at": np.where(still, None, closed.strftime("%Y-%m-%d %H:%M:%S")),
            "priority": [f"P{r}" for r in rank],
            "category": rng.choice(
                ["Password reset", "VPN", "Printer", "Laptop", "Email", "Access rights"],
                count,
                p=[0.27, 0.15, 0.1, 0.17, 0.19, 0.12],
            ),
            "channel": rng.choice(["email", "phone", "chat", "portal"], count, p=[0.34, 0.22, 0.18, 0.26]),
            "agent_id": blank(rng, rng.choice(agents.agent_id, count), 0.015),
            "requester_dept": rng.choice(
                ["Finance", "Sales", "HR", "Production", "Legal"], count, p=[0.2, 0.29, 0.1, 0.34, 0.07]
            ),
            "first_response_min": first,
            "reopened": rng.choice(["Y", "N"], count, p=[0.07, 0.93]),
            "satisfaction": score,
            "replies": 1 + rng.poisson(2.2, count),
        }
    )
    return {"tickets": tickets, "agents": agents}


def make_customers(rng, count):
    age = np.clip(rng.normal(46, 15, count), 18, 90).astype(int)
    income = rng.lognormal(10.55, 0.42, count).round(-2).astype(int)
    return pd.DataFrame(
        {
            "CustomerId": [f"C{i:04d}" for i in range(1, count + 1)],
            "CustomerName": people_names(rng, count),
            "Age": age,
            "Sex": rng.choice(["Female", "Male"], count),
            "Region": rng.choice(["North", "South", "East", "West"], count, p=[0.3, 0.2, 0.22, 0.28]),
            "AnnualIncome": blank(rng, income, 0.04),
            "CreditScore": np.clip(rng.normal(655, 75, count), 350, 850).astype(int),
            "Employment": rng.choice(
                ["employed", "self-employed", "retired", "student", "unemployed"],
                count,
                p=[0.6, 0.14, 0.15, 0.06, 0.05],
            ),
            "CustomerSince": [
                (pd.Timestamp("2010-01-01") + pd.Timedelta(days=int(d))).date()
                for d in rng.integers(0, 5100, count)
            ],
            "OnlineBanking": rng.choice(["Y", "N"], count, p=[0.71, 0.29]),
        }
    )


def make_loans(rng, customers):
    count = 1500
    pick = rng.integers(0, int(len(customers) * 0.8), count)
    who = customers.iloc[rng.permutation(len(customers))[pick]].reset_index(drop=True)
    kind = rng.choice(
        ["Mortgage", "Car", "Personal", "Student", "Business"], count, p=[0.22, 0.25, 0.32, 0.09, 0.12]
    )
    size = {"Mortgage": 182000, "Car": 19500, "Personal": 8200, "Student": 14500, "Business": 61000}
    rate = {"Mortgage": 3.4, "Car": 5.6, "Personal": 8.7, "Student": 4.2, "Business": 6.4}
    amount = np.array([size[k] for k in kind]) * rng.lognormal(0, 0.32, count)
    score = who.CreditScore.to_numpy()
    odds = 1 / (1 + np.exp((score - 470) / 65))
    state = np.where(
        rng.random(count) < odds, "defaulted", rng.choice(["active", "paid off"], count, p=[0.63, 0.37])
    )
    return pd.DataFrame(
        {
            "LoanId": np.arange(900001, 900001 + count),
            "CustomerId": who.CustomerId,
            "LoanType": kind,
            "Amount": amount.round(-2).astype(int),
            "InterestRate": (
                np.array([rate[k] for k in kind]) + (655 - score) / 110 + rng.normal(0, 0.5, count)
            )
            .clip(1)
            .round(2),
            "TermMonths": [
                int(rng.choice([180, 240, 300, 360] if k == "Mortgage" else [12, 24, 36, 48, 60]))
                for k in kind
            ],
            "StartDate": [
                (pd.Timestamp("2019-01-01") + pd.Timedelta(days=int(d))).date()
                for d in rng.integers(0, 2190, count)
            ],
            "Status": state,
            "LatePayments": rng.poisson(np.where(state == "defaulted", 3.4, 0.5)),
        }
    )


def make_accounts(rng, customers):
    count = 1900
    kind = rng.choice(["Checking", "Savings", "Money Market"], count, p=[0.56, 0.35, 0.09])
    mid = np.select([kind == "Checking", kind == "Savings"], [1900, 7200], 24000)
    held = mid * rng.lognormal(0, 0.9, count)
    held = np.where((kind == "Checking") & (rng.random(count) < 0.06), -held / 5, held)
    return pd.DataFrame(
        {
            "AccountNo": [f"AC{i:06d}" for i in range(1, count + 1)],
            "CustomerId": rng.choice(customers.CustomerId, count),
            "AccountType": kind,
            "Balance": held.round(2),
            "OpenedOn": [
                (pd.Timestamp("2012-01-01") + pd.Timedelta(days=int(d))).date()
                for d in rng.integers(0, 4748, count)
            ],
            "Branch": rng.choice(
                ["Harbour", "Market Square", "Station", "Hillside"], count, p=[0.31, 0.29, 0.24, 0.16]
            ),
        }
    )


def make_bank():
    rng = np.random.default_rng(1405)
    customers = make_customers(rng, 1100)
    return {
        "customers": customers,
        "loans": make_loans(rng, customers),
        "accounts": make_accounts(rng, customers),
    }
