"""The page on data with long names and hours: charts that fit their place, and nothing lost or left over on the way between places."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright
from tests.server.running import running_service
from tests.server.shop import ended, shop_csv
from tests.server.test_page import ARGS, ask, watched

pytestmark = pytest.mark.needs("chromium")

WARDS = (
    "Cardiothoracic and Vascular Surgery Outpatient Unit",
    "Ophthalmology, Optometry and Low Vision Services",
    "Paediatric Emergency and Short-Stay Observation",
    "Radiology and Nuclear Medicine Imaging Centre",
    "Physiotherapy and Rehabilitation of the Spine",
    "General Practice",
)
OUTCOMES = ("discharged", "referred", "admitted", "left without being seen")
START = datetime(2025, 1, 1)


def visits() -> str:
    draw = random.Random(3)
    lines = ["arrived_at,ward,outcome,fee_eur,waiting_minutes,urgent"]
    for i in range(1600):
        at = START + timedelta(hours=6 * i)
        fee, wait = round(draw.uniform(20, 400), 2), draw.randint(1, 90)
        lines.append(
            f"{at.isoformat(' ')},{draw.choice(WARDS).replace(',', ' /')},{draw.choice(OUTCOMES)},{fee},{wait},{i % 5 == 0}"
        )
    return "\n".join(lines)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_service(tmp_path_factory.mktemp("places")) as found:
        with httpx.Client(base_url=found, timeout=60) as client:
            for name, text in (("shop.csv", shop_csv()), ("visits.csv", visits().encode())):
                made = client.post("/api/datasets", files={"files": (name, text)}, data={"name": name})
                assert ended(client, made.json()["run_id"])["status"] == "success"
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as p:
        chromium = p.chromium.launch(executable_path="/usr/bin/chromium", args=ARGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with watched(browser, address) as (tab, _):
        tab.goto("/")
        choose(tab, "visits.csv")
        yield tab


def choose(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator("#fold-name")).to_have_text(f"Data: {name}")
    expect(page.locator("#profile h2")).to_be_visible()


def test_an_answer_that_comes_while_one_looks_elsewhere_is_there_on_return(page: Page) -> None:
    held: list[Route] = []
    page.route("**/api/status?*", lambda route: held.append(route))
    page.fill("#question", "number of visits by outcome")
    page.press("#question", "Enter")
    expect(page.locator("article.working")).to_be_visible()
    page.get_by_role("link", name="Runs").click()
    expect(page.locator("table.runs")).to_be_visible()
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.locator("article.working")).to_be_visible()
    for route in held:
        route.continue_()
    page.unroute("**/api/status?*")
    answer = page.locator("article.turn")
    expect(answer).to_have_attribute("data-status", "answered")
    answer.locator(".chips button").first.click()  # of a view that was left and shown again
    expect(page.locator("article.turn")).to_have_count(2)


@pytest.mark.long
def test_what_was_found_in_one_data_set_is_not_shown_beside_another(page: Page) -> None:
    page.get_by_role("link", name="Analyse").click()
    page.locator("[data-template=data_quality]").click()
    page.get_by_role("button", name="Start Analysis").click()
    page.locator("article.turn").wait_for()
    choose(page, "shop.csv")
    expect(page.locator("article")).to_have_count(0)
    page.get_by_role("link", name="Investigate").click()
    page.locator(".ticks input[value=sales]").wait_for()
    page.get_by_role("button", name="Investigate").click()
    expect(page.locator("article.card h2")).to_contain_text("in shop stand")
    choose(page, "visits.csv")
    expect(page.locator("article.card h2")).to_have_count(0)
    page.get_by_role("link", name="Analyse").click()
    expect(page.locator("article.turn h2")).to_have_text("Data quality")


def test_figures_of_several_kinds_stand_in_their_own_units_and_sentences_are_no_headings(page: Page) -> None:
    page.get_by_role("link", name="Analyse").click()
    page.locator("[data-template=health_check]").click()
    page.get_by_role("button", name="Start Analysis").click()
    section = page.locator("article.turn section", has_text="Key figures")
    expect(section.locator("tr", has_text="urgent rate").first).to_contain_text("20 %")
    expect(section.locator("tr", has_text="average waiting").first).to_contain_text("minutes")
    expect(section.locator("tr", has_text="fee").first).to_contain_text("€")
    expect(section.locator(".answer strong")).to_have_count(0)


@pytest.mark.long
def test_a_chart_stands_beside_the_table_that_it_draws(page: Page) -> None:
    page.get_by_role("link", name="Analyse").click()
    page.locator("[data-template=health_check]").click()
    page.get_by_role("button", name="Start Analysis").click()
    section = page.locator("article.turn section", has_text="Key figures")
    pair = section.locator(".pair", has=page.locator("svg"))
    expect(pair.locator("thead")).to_contain_text("outcome")
    expect(section.locator(".pair").first.locator("thead")).to_contain_text("measure")


def test_midnight_is_an_hour_and_a_figure_of_ones_own_has_a_name(page: Page) -> None:
    answer = ask(page, "highest fee by hour of the day")
    parts = answer.locator(".reading .part").all_inner_texts()
    assert not [p for p in parts if "(" in p], parts
    answer = ask(page, "number of visits by hour in January 2025")
    first = answer.locator("table.data tbody tr").first
    expect(first).to_contain_text("1 Jan 2025, 00:00")


@pytest.mark.long
@pytest.mark.parametrize("width", [390, 1200])
def test_charts_fit_their_place_whatever_their_labels(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for question in ("number of visits by ward", "total fee by month", "total fee by ward and month"):
        figure = ask(page, question).locator("figure")
        figure.locator("svg").wait_for()
        box = figure.locator(".plot-area").bounding_box()
        assert box is not None
        texts = figure.locator("svg text").evaluate_all(
            "all => all.filter(t => t.textContent).map(t => { const b = t.getBoundingClientRect(); return [b.left, b.right, t.textContent]; })"
        )
        outside = [t for t in texts if t[0] < box["x"] - 2 or t[1] > box["x"] + box["width"] + 2]
        assert outside == [], question
        if question.endswith("by ward"):
            bars = figure.locator("svg .mark-rect path").evaluate_all(
                "all => all.map(b => b.getBoundingClientRect().width)"
            )
            assert max(bars) > 0.25 * box["width"]
