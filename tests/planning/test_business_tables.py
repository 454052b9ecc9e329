"""Single tables of a business: bills, deals, stock, advertising, claims, shifts; asked about as people type."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

RANDOM = np.random.default_rng(5)


def _days(count: int, start: str = "2025-01-06", over: int = 150) -> pd.Series:
    return pd.Series(
        pd.Timestamp(start) + pd.to_timedelta(np.sort(RANDOM.integers(0, over, count)), unit="D")
    )


def _bills() -> pd.DataFrame:
    issued = _days(60)
    paid = issued + pd.to_timedelta(RANDOM.integers(4, 60, 60), unit="D")
    paid[RANDOM.random(60) < 0.3] = pd.NaT
    return pd.DataFrame(
        {
            "Bill No": [f"B-{100 + k}" for k in range(60)],
            "Client": RANDOM.choice(["Orka", "Pemba", "Quill"], 60),
            "Issue Date": issued,
            "Due Date": issued + pd.Timedelta(days=30),
            "Paid Date": paid,
            "Amount (EUR)": RANDOM.integers(50, 4000, 60) + 0.5,
            "Status": np.where(paid.notna(), "Paid", "Open"),
        }
    )


def _leads() -> pd.DataFrame:
    stages = RANDOM.choice(["Talking", "Offer", "Closed Won", "Closed Lost"], 50)
    made = _days(50)
    shut = made + pd.to_timedelta(RANDOM.integers(5, 80, 50), unit="D")
    return pd.DataFrame(
        {
            "Deal Name": [f"{n} {k}" for k, n in enumerate(RANDOM.choice(["Roof", "Attic"], 50))],
            "Owner": RANDOM.choice(["Ilse", "Jens"], 50),
            "Stage": stages,
            "Amount": RANDOM.integers(3, 90, 50) * 100,
            "Created Date": made,
            "Close Date": shut.where(pd.Series(stages).str.startswith("Closed")),
        }
    )


def _goods() -> pd.DataFrame:
    metals = RANDOM.choice(["Oak", "Pine", "Birch"], 60)
    return pd.DataFrame(
        {
            "SKU": [f"W{k:04d}" for k in range(60)],
            "Item Name": [f"{m} {t} {k}" for k, (m, t) in enumerate(zip(metals, RANDOM.choice(["Board", "Beam"], 60), strict=True))],
            "Depot": RANDOM.choice(["Ost", "West"], 60),
            "Qty On Hand": RANDOM.integers(0, 200, 60) * (RANDOM.random(60) > 0.1),
            "Reorder Level": RANDOM.integers(20, 90, 60),
            "Unit Cost ($)": RANDOM.integers(100, 4000, 60) / 100,
            "Last Counted": _days(60, over=40),
        }
    )  # fmt: skip


def _ads() -> pd.DataFrame:
    impressions = RANDOM.integers(2000, 90000, 40)
    clicks = (impressions * 0.03).astype(int) + RANDOM.integers(0, 50, 40)
    return pd.DataFrame(
        {
            "campaign": [f"Wave {k}" for k in range(40)],
            "channel": RANDOM.choice(["Radio", "Search", "Print"], 40),
            "start_dt": _days(40),
            "impr": impressions,
            "clicks": clicks,
            "conv": clicks // 9,
            "spend_usd": RANDOM.integers(100, 900, 40) + 0.25,
            "rev_usd": RANDOM.integers(200, 3000, 40) + 0.75,
        }
    )


def _claims() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "claim_id": range(1, 81),
            "emp": RANDOM.choice(["A. Lund", "B. Moe", "C. Ness"], 80),
            "category": RANDOM.choice(["Rail", "Meals", "Lodging"], 80),
            "claim_date": _days(80),
            "amt": RANDOM.integers(10, 700, 80) + 0.1,
            "approved": RANDOM.choice(["Y", "N"], 80, p=[0.8, 0.2]),
        }
    )


def _hours() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Date": _days(90),
            "Employee": RANDOM.choice(["Vera", "Wim", "Yara"], 90),
            "Client": RANDOM.choice(["Dorn", "Elbe"], 90),
            "Job Title": RANDOM.choice(["Junior Mason", "Senior Mason", "Lead Painter", "Painter Aid"], 90),
            "Age Band": RANDOM.choice(["18-24", "25-34", "35+"], 90),
            "Hours": RANDOM.integers(1, 18, 90) / 2,
        }
    )


FRAMES = {
    "bills": _bills(),
    "leads": _leads(),
    "stock_list": _goods(),
    "campaigns": _ads(),
    "expense_claims": _claims(),
    "timesheets": _hours(),
}


@pytest.fixture(scope="module")
def analysts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Analyst]:
    """Each table opened as a file of its own."""
    folder: Path = tmp_path_factory.mktemp("business")
    opened: dict[str, Analyst] = {}
    for name, frame in FRAMES.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        opened[name] = gnomon.open(folder / f"{name}.csv")
    return opened


def _number(answer: Answer) -> float:
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    values = [f.value for f in answer.facts if isinstance(f.value, int | float)]
    return float(values[0])


BILLS, LEADS, GOODS, ADS, CLAIMS, HOURS = FRAMES.values()
STOCK = GOODS["Qty On Hand"]


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    [
        ("bills", "how many bills are paid", (BILLS["Status"] == "Paid").sum()),
        ("bills", "what share of bills are paid", 100 * (BILLS["Status"] == "Paid").mean()),
        ("bills", "total outstanding amount", BILLS.loc[BILLS["Paid Date"].isna(), "Amount (EUR)"].sum()),
        ("bills", "average days to pay", (BILLS["Paid Date"] - BILLS["Issue Date"]).dt.days.mean()),
        ("bills", "median bill", BILLS["Amount (EUR)"].median()),
        ("bills", "how many bills over 2000", (BILLS["Amount (EUR)"] > 2000).sum()),
        ("leads", "how many deals did we win", (LEADS["Stage"] == "Closed Won").sum()),
        ("leads", "total won amount", LEADS.loc[LEADS["Stage"] == "Closed Won", "Amount"].sum()),
        ("leads", "how many open leads", LEADS["Close Date"].isna().sum()),
        ("leads", "average lead size", LEADS["Amount"].mean()),
        ("leads", "how long does it take to close a lead on average",
         (LEADS["Close Date"] - LEADS["Created Date"]).dt.days.mean()),
        ("stock_list", "total stock value", (STOCK * GOODS["Unit Cost ($)"]).sum()),
        ("stock_list", "total quantity on hand", STOCK.sum()),
        ("stock_list", "how many SKUs out of stock", (STOCK == 0).sum()),
        ("stock_list", "items below reorder level", (GOODS["Reorder Level"] > STOCK).sum()),
        ("stock_list", "how many oak items", GOODS["Item Name"].str.startswith("Oak").sum()),
        ("campaigns", "cost per click", ADS["spend_usd"].sum() / ADS["clicks"].sum()),
        ("campaigns", "click through rate for Radio",
         ADS.loc[ADS["channel"] == "Radio", "clicks"].sum() / ADS.loc[ADS["channel"] == "Radio", "impr"].sum()),
        ("campaigns", "total conversions", ADS["conv"].sum()),
        ("campaigns", "total profit", (ADS["rev_usd"] - ADS["spend_usd"]).sum()),
        ("campaigns", "return on ad spend", ADS["rev_usd"].sum() / ADS["spend_usd"].sum()),
        ("expense_claims", "total expenses", CLAIMS["amt"].sum()),
        ("expense_claims", "how many expense claims", len(CLAIMS)),
        ("expense_claims", "total amount rejected", CLAIMS.loc[CLAIMS["approved"] == "N", "amt"].sum()),
        ("expense_claims", "average meals claim", CLAIMS.loc[CLAIMS["category"] == "Meals", "amt"].mean()),
        ("timesheets", "hours of painters", HOURS.loc[HOURS["Job Title"].str.contains("Painter"), "Hours"].sum()),
        ("timesheets", "average hours for 18-24", HOURS.loc[HOURS["Age Band"] == "18-24", "Hours"].mean()),
    ],
)  # fmt: skip
def test_a_figure_of_a_business_table(
    analysts: dict[str, Analyst], table: str, question: str, expected: float
) -> None:
    assert _number(analysts[table].ask(question)) == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    [
        ("bills", "which client owes the most",
         BILLS[BILLS["Paid Date"].isna()].groupby("Client")["Amount (EUR)"].sum().idxmax()),
        ("expense_claims", "who claimed the most", CLAIMS.groupby("emp")["amt"].sum().idxmax()),
        ("expense_claims", "largest expense claim", f"Claim {CLAIMS.loc[CLAIMS['amt'].idxmax(), 'claim_id']} "),
        ("timesheets", "who logged the most hours", HOURS.groupby("Employee")["Hours"].sum().idxmax()),
        ("timesheets", "which client has the most hours", HOURS.groupby("Client")["Hours"].sum().idxmax()),
    ],
)  # fmt: skip
def test_what_stands_first_in_a_business_table(
    analysts: dict[str, Analyst], table: str, question: str, expected: str
) -> None:
    answer = analysts[table].ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    assert answer.prose.startswith(expected)


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("bills", "how many bills were disputed"),
        ("leads", "how many abandoned leads"),
        ("stock_list", "how many plastic items"),
        ("campaigns", "bounce rate by channel"),
        ("expense_claims", "total mileage"),
        ("expense_claims", "claims with more than 2 receipts"),
        ("timesheets", "overtime by employee"),
    ],
)
def test_what_a_business_table_does_not_tell_is_refused(
    analysts: dict[str, Analyst], table: str, question: str
) -> None:
    assert analysts[table].ask(question).status is not AnswerStatus.ANSWERED
