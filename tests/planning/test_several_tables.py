"""Everyday questions over several tables: things are told by their names, counted once, and found where they are missing."""

import pandas as pd
import pytest

import gnomon
from gnomon.agents.analyst import Analyst
from gnomon.core.answer import Answer, AnswerStatus

CUSTOMERS = pd.DataFrame(
    {
        "customer_id": range(1, 31),
        "name": [f"{a} {b}" for a in ("Ada", "Ben", "Cleo", "Dan", "Eva") for b in ("Ash", "Birch", "Cole", "Dean", "Elm", "Fox")],
        "city": ["Leeds", "York", "Bath"] * 10,
        "signup_date": pd.date_range("2022-01-10", periods=30, freq="33D"),
    }
)  # fmt: skip
PRODUCTS = pd.DataFrame(
    {
        "code": ["P10", "P11", "P12", "P13", "P14"],
        "product_name": ["Desk", "Stool", "Floor Lamp", "Shelf", "Umbrella Stand"],
        "category": ["Tables", "Chairs", "Lamps", "Storage", "Storage"],
    }
)
_DAYS = pd.date_range("2023-01-05", periods=120, freq="6D")
ORDERS = pd.DataFrame(
    {
        "id": range(1000, 1120),
        "customer": [1 + i * 7 % 26 for i in range(120)],
        "order_date": _DAYS,
        "due_date": _DAYS + pd.Timedelta(days=6),
        "delivered_on": [d + pd.Timedelta(days=3 + i * 5 % 8) for i, d in enumerate(_DAYS)],
        "status": ["delivered", "delivered", "cancelled", "delivered", "returned"] * 24,
    }
)
ITEMS = pd.DataFrame(
    {
        "order_id": [1000 + i % 120 for i in range(240)],
        "product_code": [f"P1{(i * i + i // 120) % 4}" for i in range(240)],
        "quantity": [1 + i % 5 for i in range(240)],
        "unit_price": [10.0 + i % 7 for i in range(240)],
    }
)
LINES = (
    ITEMS.merge(ORDERS, left_on="order_id", right_on="id")
    .merge(PRODUCTS, left_on="product_code", right_on="code")
    .merge(CUSTOMERS, left_on="customer", right_on="customer_id")
)
TEAMS = pd.DataFrame({"team_id": [1, 2, 3, 4], "team_name": ["Rovers", "United", "Albion", "City"]})
PLAYERS = pd.DataFrame(
    {
        "player_id": range(1, 41),
        "team": [1 + i % 4 for i in range(40)],
        "goals": [i * 3 % 11 for i in range(40)],
    }
)
MATCHES = pd.DataFrame(
    {
        "match_id": range(1, 25),
        "match_date": pd.date_range("2024-01-06", periods=24, freq="7D"),
        "home_team": [1 + i % 4 for i in range(24)],
        "away_team": [1 + (i + 1 + i // 4 % 3) % 4 for i in range(24)],
        "attendance": [1500 + 37 * i * i % 4000 for i in range(24)],
    }
)


@pytest.fixture(scope="module")
def shop() -> Analyst:
    return gnomon.open({"customers": CUSTOMERS, "products": PRODUCTS, "orders": ORDERS, "order_items": ITEMS})


@pytest.fixture(scope="module")
def league() -> Analyst:
    return gnomon.open({"teams": TEAMS, "players": PLAYERS, "matches": MATCHES})


def _answered(analyst: Analyst, question: str) -> Answer:
    answer = analyst.ask(question)
    assert answer.status is AnswerStatus.ANSWERED, answer.prose
    return answer


def _by_name(answer: Answer, name: str) -> dict[str, float]:
    table = answer.tables[0]
    at = list(table.columns).index(name)
    return {str(row[at]): float(row[-1]) for row in table.rows}


def test_things_of_another_table_are_told_by_name(shop: Analyst, league: Analyst) -> None:
    units = LINES.groupby("product_name").quantity.sum()
    assert _by_name(_answered(shop, "total quantity by product"), "product name") == units.to_dict()
    goals = PLAYERS.merge(TEAMS, left_on="team", right_on="team_id").groupby("team_name").goals.sum()
    assert _by_name(_answered(league, "goals by team"), "team name") == goals.to_dict()
    home = (
        MATCHES.merge(TEAMS, left_on="home_team", right_on="team_id").groupby("team_name").attendance.mean()
    )
    told = _by_name(_answered(league, "average attendance by home team"), "home team")
    assert told == pytest.approx(home.to_dict())


def test_few_things_are_told_one_by_one_and_averaged_where_that_is_asked(league: Analyst) -> None:
    each = PLAYERS.groupby("team").size()
    told = _by_name(_answered(league, "How many players per team?"), "team name")
    assert sorted(told.values()) == sorted(each)
    assert _answered(league, "Average number of players per team").facts[0].value == pytest.approx(
        each.mean()
    )


def test_things_are_counted_where_rows_lead_to_both(shop: Analyst) -> None:
    lamps = LINES[LINES.category == "Lamps"]
    answer = _answered(shop, "How many customers ordered lamps?")
    assert answer.facts[0].value == lamps.customer.nunique()
    leeds = LINES[LINES.city == "Leeds"].product_code.nunique()
    assert _answered(shop, "How many products were ordered by customers from Leeds?").facts[0].value == leeds


def test_what_was_never_done_is_found_over_the_rows_between(shop: Analyst) -> None:
    for question in ("Which product was never ordered?", "Which products were not ordered?"):
        assert "Umbrella Stand" in _answered(shop, question).prose
    never = CUSTOMERS[~CUSTOMERS.customer_id.isin(ORDERS.customer)]
    told = _answered(shop, "Which customers did not place an order?").tables[0].rows
    assert {row[0] for row in told} == set(never.customer_id)


def test_placing_an_order_is_having_one(shop: Analyst) -> None:
    in_2024 = ORDERS[ORDERS.order_date.dt.year == 2024].merge(
        CUSTOMERS, left_on="customer", right_on="customer_id"
    )
    answer = _answered(shop, "How many customers from York placed an order in 2024?")
    assert answer.facts[0].value == in_2024[in_2024.city == "York"].customer.nunique()


def test_each_clause_keeps_its_own_dates(shop: Analyst) -> None:
    joined = CUSTOMERS[CUSTOMERS.signup_date.dt.year == 2023].customer_id
    any_time = joined.isin(ORDERS.customer).sum()
    later = joined.isin(ORDERS[ORDERS.order_date.dt.year == 2024].customer).sum()
    fronted = "Of the customers who signed up in 2023, "
    assert _answered(shop, f"{fronted}how many placed an order?").facts[0].value == any_time
    assert _answered(shop, f"{fronted}how many ordered in 2024?").facts[0].value == later
    asked = "How many customers who signed up in 2023 placed an order in 2024?"
    assert _answered(shop, asked).facts[0].value == later
    share = _answered(shop, f"{fronted}what percentage ordered in 2024?")
    assert 100 * later / len(joined) in [pytest.approx(f.value) for f in share.facts]
    assert shop.ask(f"{fronted}how many complained?").status is not AnswerStatus.ANSWERED


def test_the_share_of_late_rows_is_that_of_each_group(shop: Analyst) -> None:
    late = ORDERS.assign(late=ORDERS.delivered_on > ORDERS.due_date)
    city = late.merge(CUSTOMERS, left_on="customer", right_on="customer_id").groupby("city").late.mean()
    told = _by_name(_answered(shop, "share of late orders by city"), "customer city")
    assert told == pytest.approx((100 * city).to_dict())
    assert str(city.idxmax()) in _answered(shop, "Which city has the highest share of late orders?").prose
    gone = ORDERS.merge(CUSTOMERS, left_on="customer", right_on="customer_id")
    rate = (gone.status == "cancelled").groupby(gone.city).mean()
    answer = _answered(shop, "Which city has the highest share of cancelled orders?")
    assert rate.max() in [pytest.approx(f.value) for f in answer.facts]


def test_figures_of_tables_that_have_nothing_in_common_are_not_divided(league: Analyst) -> None:
    assert league.ask("Average goals per match").status is not AnswerStatus.ANSWERED


def test_drivers_drive_and_make_trips() -> None:
    drivers = pd.DataFrame({"id": [1, 2, 3], "driver_name": ["Ann Lee", "Bob Ray", "Cy Orr"]})
    vehicles = pd.DataFrame(
        {"plate": ["KX1A", "KX2B", "KX3C", "KX4D"], "make": ["Volvo", "Ford", "Volvo", "Ford"], "year_built": [2011, 2018, 2013, 2020]}
    )  # fmt: skip
    trips = pd.DataFrame(
        {
            "trip_id": range(1, 61),
            "driver_id": [1 + i * i % 3 for i in range(60)],
            "vehicle": [f"KX{1 + i % 3}{'ABC'[i % 3]}" for i in range(60)],
            "departed_at": pd.date_range("2024-01-01 08:00", periods=60, freq="31h"),
            "distance_km": [20 + i * 17 % 90 for i in range(60)],
            "destination": ["Dover", "Calais", "Ghent"] * 20,
        }
    )
    fleet = gnomon.open({"drivers": drivers, "vehicles": vehicles, "trips": trips})
    each = trips.groupby("driver_id").size()
    told = _by_name(_answered(fleet, "How many trips did each driver make?"), "driver name")
    assert sorted(told.values()) == sorted(each)
    calais = trips[trips.destination == "Calais"].driver_id.nunique()
    assert _answered(fleet, "How many drivers drove to Calais?").facts[0].value == calais
    km = trips.groupby("driver_id").distance_km.sum()
    most = drivers.set_index("id").driver_name[km.idxmax()]
    assert most in _answered(fleet, "Who drove the most kilometres?").prose
    assert "KX4D" in _answered(fleet, "Which vehicle was never used?").prose
    old = vehicles[vehicles.year_built < 2015].plate
    answer = _answered(fleet, "How many trips with vehicles built before 2015?")
    assert answer.facts[0].value == trips.vehicle.isin(old).sum()


def test_more_than_there_are_different_ones_of_is_meant_of_rows() -> None:
    members = pd.DataFrame(
        {"member_no": [f"M{i:02}" for i in range(20)], "name": [f"Kim {chr(65 + i)}o" for i in range(20)]}
    )
    classes = pd.DataFrame({"class_id": [1, 2, 3], "class_name": ["Yoga", "Boxing", "Zumba"]})
    bookings = pd.DataFrame(
        {
            "booking_id": range(1, 121),
            "member": [f"M{i * i % 17:02}" for i in range(120)],
            "class": [1 + i % 3 for i in range(120)],
            "booked_on": pd.date_range("2024-01-01", periods=120),
        }
    )
    gym = gnomon.open({"members": members, "classes": classes, "bookings": bookings})
    often = bookings.groupby("member").size()
    rows = _answered(gym, "Which members booked more than 10 classes?").tables[0].rows
    assert {row[0] for row in rows} == set(often[often > 10].index)
    never = members[~members.member_no.isin(bookings.member)]
    rows = _answered(gym, "Which members never booked a class?").tables[0].rows
    assert {row[0] for row in rows} == set(never.member_no)


def test_few_rows_are_pointed_to_by_number_and_balances_of_accounts_add_up() -> None:
    branches = pd.DataFrame(
        {"branch_no": [1, 2, 3, 4], "branch_name": ["Old Market", "Mill Lane", "Station Road", "Quay"]}
    )
    accounts = pd.DataFrame(
        {
            "account_no": [f"AC{i:03}" for i in range(60)],
            "home_branch": [1 + i * i % 3 for i in range(60)],
            "opened_on": pd.date_range("2020-01-01", periods=60, freq="20D"),
            "balance": [round(-200 + 37.5 * (i * 11 % 53), 2) for i in range(60)],
        }
    )  # fmt: skip
    moves = pd.DataFrame(
        {
            "tx_id": range(1, 201),
            "account": [f"AC{i * 7 % 55:03}" for i in range(200)],
            "tx_date": pd.date_range("2023-01-01", periods=200, freq="3D"),
            "amount": [10.0 + i % 40 for i in range(200)],
        }
    )
    bank = gnomon.open({"branches": branches, "accounts": accounts, "transactions": moves})
    named = accounts.merge(branches, left_on="home_branch", right_on="branch_no")
    told = _by_name(_answered(bank, "total balance by branch"), "branch name")
    assert told == pytest.approx(named.groupby("branch_name").balance.sum().to_dict())
    assert "Quay" in _answered(bank, "Which branch has no accounts?").prose


def test_a_column_called_as_one_row_of_another_table_points_to_it() -> None:
    campaigns = pd.DataFrame(
        {"campaign_id": [1, 2, 3], "campaign_name": ["Spring Sale", "Summer Sun", "New Year"]}
    )
    clicks = pd.DataFrame(
        {"click_id": range(1, 401), "campaign": [1 + i * i % 3 for i in range(400)], "device": ["mobile", "desktop"] * 200}
    )  # fmt: skip
    signups = pd.DataFrame(
        {
            "signup_id": range(1, 51),
            "click": [1 + i * 7 for i in range(50)],
            "signup_date": pd.date_range("2024-01-01", periods=50, freq="7D"),
        }
    )
    shop = gnomon.open({"campaigns": campaigns, "clicks": clicks, "signups": signups})
    held = signups.merge(clicks, left_on="click", right_on="click_id").merge(
        campaigns, left_on="campaign", right_on="campaign_id"
    )
    told = _by_name(_answered(shop, "signups by campaign"), "campaign name")
    assert told == held.groupby("campaign_name").size().to_dict()
    mobile = (held.device == "mobile").sum()
    assert _answered(shop, "How many signups came from mobile?").facts[0].value == mobile
