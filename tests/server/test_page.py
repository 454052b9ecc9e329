"""The page from a person's side, in a real Chromium, on small data of its own."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

import httpx2 as httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from tests.server.running import running_service
from tests.server.shop import ended

pytestmark = pytest.mark.needs("chromium")

ARGS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
]
REGIONS = ("north", "south", "east")
LONG = 60_000
expect.set_options(timeout=LONG)


def shop() -> str:
    """Two years of orders; the last order of the file is far off."""
    lines = ["day,region,channel,sales,cost"]
    for i in range(360):
        day = f"{2023 + i // 180}-{1 + (i % 180) // 15:02d}-{1 + (i % 15) * 1:02d}"
        channel = ("web", "store")[i // 3 % 2]
        lines.append(f"{day},{REGIONS[i % 3]},{channel},{100 + (7 * i) % 50},{40 + (5 * i) % 30}")
    lines.append("2024-12-28,north,web,4000,70")
    return "\n".join(lines)


def total(region: str, year: str) -> int:
    """The sales of a region in a year, counted here and not by Gnomon."""
    rows = [line.split(",") for line in shop().splitlines()[1:]]
    return sum(int(r[3]) for r in rows if r[1] == region and r[0].startswith(year))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_service(tmp_path_factory.mktemp("page")) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as p:
        chromium = p.chromium.launch(executable_path="/usr/bin/chromium", args=ARGS)
        yield chromium
        chromium.close()


@contextmanager
def watched(browser: Browser, address: str) -> Generator[tuple[Page, list[str]]]:
    """A page, and what went wrong in it or left the machine; at the end that must be nothing."""
    context = browser.new_context(
        base_url=address, reduced_motion="reduce", viewport={"width": 1200, "height": 800}
    )
    page = context.new_page()
    page.set_default_timeout(LONG)
    wrong: list[str] = []
    page.on(
        "console", lambda m: wrong.append(f"{m.type}: {m.text}") if m.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda e: wrong.append(f"raised: {e}"))
    page.on(
        "request",
        lambda r: (
            None
            if r.url.startswith((address, "data:", "blob:"))
            else wrong.append(f"off the machine: {r.url}")
        ),
    )
    yield page, wrong
    context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def window(browser: Browser, address: str) -> Iterator[tuple[Page, list[str]]]:
    """One for all tests: each new one would start a process and compile every script again."""
    with watched(browser, address) as found:
        yield found


@pytest.fixture
def tab(window: tuple[Page, list[str]]) -> Iterator[Page]:
    """The window, remembering nothing; in no test may anything have gone wrong in it or left the machine."""
    page, wrong = window
    page.set_viewport_size({"width": 1200, "height": 800})
    page.emulate_media(color_scheme="light")
    yield page
    found = wrong[:]
    page.goto("/static/mark.svg")  # the scripts of the page end before what they remember is cleared
    page.evaluate("() => { sessionStorage.clear(); localStorage.clear(); }")
    wrong.clear()
    assert found == []


@pytest.fixture(scope="module")
def dataset(address: str) -> str:
    """The shop as a data set; what the page opens on, since the demo store would take longer."""
    with httpx.Client(base_url=address, timeout=60) as client:
        made = client.post(
            "/api/datasets", files={"files": ("shop.csv", shop().encode())}, data={"name": "shop.csv"}
        )
        assert ended(client, made.json()["run_id"])["status"] == "success"
        # a word that nobody knows loads the encoder, which a busy machine may not do within a question's time
        client.post("/api/ask", json={"question": "net promoter score", "dataset_id": made.json()["id"]})
    return "shop.csv"


@pytest.fixture
def page(tab: Page, dataset: str) -> Page:
    return chosen(tab, dataset)


def chosen(page: Page, dataset: str) -> Page:
    """The page over the data set, ready for questions."""
    page.goto("/")
    page.get_by_role("button", name=dataset, exact=True).click()
    page.wait_for_selector(".start .chips button")
    return page


def ask(page: Page, question: str) -> Locator:
    """Ask, and give the answer."""
    before = page.locator("article.turn").count()
    page.fill("#question", question)
    page.press("#question", "Enter")
    answer = page.locator("article.turn").nth(before)
    answer.wait_for()
    return answer


def test_a_dropped_file_is_profiled_before_the_eyes_and_suggests_questions_that_fit(page: Page) -> None:
    text = "visited,ward,weight_kg\n" + "\n".join(
        f"2024-{1 + i % 9:02d}-03,{'ABC'[i % 3]},{50 + i % 40}" for i in range(90)
    )
    given = page.evaluate_handle(
        """(text) => { const moved = new DataTransfer(); moved.items.add(new File([text], "wards.csv")); return moved; }""",
        text,
    )
    page.dispatch_event(".drop", "drop", {"dataTransfer": given})
    expect(page.locator(".set[aria-current=true]")).to_contain_text("wards.csv")
    expect(page.locator("#profile th")).to_have_text(["visited", "ward", "weight_kg"])
    expect(page.locator("#profile")).to_contain_text("90 rows")
    expect(page.locator(".set[aria-current=true]")).to_have_text("wards.csv✕")
    questions = page.locator(".start .chips button")
    questions.first.wait_for()
    assert any("weight" in q or "ward" in q for q in questions.all_inner_texts())
    questions.first.click()
    expect(page.locator("article.turn")).to_have_attribute("data-status", "answered")


@pytest.mark.long
def test_an_answer_has_prose_table_and_chart_and_its_numbers_lead_to_query_and_rows(page: Page) -> None:
    answer = ask(page, "total sales by region in 2024")
    highest = max(REGIONS, key=lambda r: total(r, "2024"))
    expect(answer.locator(".answer")).to_contain_text(f"{total(highest, '2024'):,}")
    expect(answer.locator("table.data tbody tr")).to_have_count(3)
    for region in REGIONS:
        row = answer.locator("table.data tbody tr", has_text=region)
        expect(row).to_contain_text(f"{total(region, '2024'):,}")
    expect(answer.locator("figure svg")).to_be_visible()
    bars = answer.locator("figure svg [aria-roledescription=bar]")
    expect(bars).to_have_count(3)
    answer.locator(".number", has_text=f"{total(highest, '2024'):,}").first.click()
    origin = page.get_by_role("dialog")
    expect(origin).to_contain_text("SUM")
    expect(origin.locator("tr.meant")).to_contain_text(highest)
    behind = origin.locator(".rows-behind")
    meant = [x for x in shop().splitlines() if f",{highest}," in x and x.startswith("2024")]
    expect(behind).to_contain_text(f"{len(meant)} rows of shop")
    expect(behind.locator("tbody tr")).to_have_count(min(50, len(meant)))
    origin.get_by_role("button", name="Close").click()
    expect(origin).to_have_count(0)


@pytest.mark.long
def test_the_reading_is_corrected_by_clicking_its_parts(page: Page) -> None:
    first = ask(page, "total sales by region in 2024")
    first.get_by_role("button", name="Another group: region").click()
    first.locator(".reading select").select_option("channel")
    second = page.locator("article.turn").nth(1)
    expect(second.locator("table.data tbody tr")).to_have_count(2)
    expect(second.locator("table.data")).to_contain_text("store")
    second.get_by_role("button", name=re.compile("^Another figure")).click()
    second.locator(".reading select").select_option(label="cost")
    third = page.locator("article.turn").nth(2)
    expect(third.locator("th.n")).to_have_text("cost")
    third.get_by_role("button", name=re.compile("^Another period")).click()
    third.get_by_label("From", exact=True).fill("2023-01-01")
    third.get_by_label("To", exact=True).fill("2023-06-30")
    third.get_by_role("button", name="Apply").click()
    fourth = page.locator("article.turn").nth(3)
    expect(fourth.locator(".reading")).to_contain_text("1 Jan to 30 Jun 2023")
    rows = [x.split(",") for x in shop().splitlines()[1:]]
    cost = sum(int(r[4]) for r in rows if r[2] == "web" and "2023-01-01" <= r[0] <= "2023-06-30")
    expect(fourth.locator("table.data tbody tr", has_text="web")).to_contain_text(f"{cost:,}")


@pytest.mark.long
def test_a_condition_is_changed_and_taken_away(page: Page) -> None:
    first = ask(page, "total sales in north in 2024")
    expect(first.locator(".answer")).to_contain_text(f"{total('north', '2024'):,}")
    first.get_by_role("button", name=re.compile("^Another condition: region: north")).click()
    first.locator(".reading select").select_option("south")
    second = page.locator("article.turn").nth(1)
    expect(second.locator(".answer")).to_contain_text(f"{total('south', '2024'):,}")
    second.get_by_role("button", name=re.compile("^Another condition")).click()
    second.locator(".reading select").select_option(label="without this condition")
    expect(page.locator("article.turn").nth(2).locator(".answer")).to_contain_text(
        f"{sum(total(r, '2024') for r in REGIONS):,}"
    )


def test_follow_ups_lean_on_the_question_before_and_survive_a_reload(page: Page) -> None:
    first = ask(page, "total sales by region in 2024")
    chip = first.get_by_role("group", name="Further questions").get_by_role("button").first
    chip.click()
    expect(page.locator("article.turn").nth(1)).to_have_attribute("data-status", "answered")
    asked = page.locator("article.turn h2").all_inner_texts()
    page.reload()
    page.get_by_role("button", name="shop.csv", exact=True).click()
    expect(page.locator("article.turn h2")).to_have_text(asked)


def test_what_is_not_in_the_data_is_refused_with_something_to_ask_instead(page: Page) -> None:
    answer = ask(page, "What is our net promoter score?")
    assert answer.get_attribute("data-status") == "out_of_scope", answer.inner_text()
    expect(answer.locator(".foot .reports")).to_have_count(0)
    answer.get_by_role("group", name="Further questions").get_by_role("button").first.click()
    expect(page.locator("article.turn").nth(1)).to_have_attribute("data-status", "answered")


def test_two_readings_are_offered_as_choices(page: Page) -> None:
    # a city that parcels come from and go to
    cities = ("Paris", "Oslo", "Rome", "Bern")
    lines = [
        f"2024-{1 + i % 9:02d}-05,{cities[i % 4]},{cities[i // 4 % 3]},{10 + i % 37}" for i in range(160)
    ]
    text = "\n".join(["shipped_on,origin,destination,weight", *lines])
    given = {"name": "shipments.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.set_input_files("#files", given)
    expect(page.locator(".set[aria-current=true]")).to_contain_text("shipments")
    page.wait_for_selector(".start .chips button")
    answer = ask(page, "How many shipments for Paris?")
    options = answer.get_by_role("group", name="What it could mean").get_by_role("button")
    expect(options.first).to_be_visible()
    assert options.count() >= 2
    options.first.click()
    expect(page.locator("article.turn").nth(1)).to_have_attribute("data-status", "answered")


def test_templates_are_cards_and_an_analysis_shows_its_progress_to_the_end(page: Page) -> None:
    page.get_by_role("link", name="Analyse").click()
    free = page.get_by_role("radio", name="No Template (Free Analysis)")
    expect(free).to_have_attribute("aria-checked", "true")
    page.locator(".choice").nth(3).wait_for()
    page.get_by_role("radio", name=re.compile("^Data quality")).click()
    expect(free).to_have_attribute("aria-checked", "false")
    with page.expect_request("**/api/start") as sent:
        page.get_by_role("button", name="Start Analysis").click()
    assert json.loads(sent.value.post_data or "")["template"] == "data_quality"
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_attribute("aria-valuenow", "100")
    expect(page.locator(".working")).to_contain_text("Complete.")
    expect(page.locator("article.turn section h3").first).to_be_visible()


@pytest.mark.long
def test_what_stands_out_is_told_with_its_chance_and_a_free_analysis_does_so_without_a_model(
    page: Page,
) -> None:
    page.get_by_role("button", name="What stands out").click()
    found = page.locator("article.turn")
    expect(found.locator("section h3").first).to_be_visible()
    expect(found.locator("section").first).to_contain_text("Chance alone")
    page.get_by_role("link", name="Analyse").click()
    page.get_by_role("button", name="Start Analysis").click()
    expect(page.get_by_text("Say what to analyse, or choose a template.")).to_be_visible()
    page.fill("#requirement", "what sells best?")
    page.get_by_role("button", name="Start Analysis").click()
    expect(page.locator(".ended.good")).to_contain_text("Complete.")
    expect(page.locator("article.turn")).to_contain_text("No language model is configured")


@pytest.mark.long
def test_an_analysis_that_fails_says_so_and_not_that_it_is_complete(browser: Browser, tmp_path: Path) -> None:
    nowhere = {"model": "absent", "model_url": "http://127.0.0.1:9/v1"}
    with running_service(tmp_path, **nowhere) as address, watched(browser, address) as (page, _):
        with httpx.Client(base_url=address, timeout=60) as client:
            made = client.post("/api/datasets", files={"files": ("shop.csv", shop().encode())})
            assert ended(client, made.json()["run_id"])["status"] == "success"
        page.goto("/#analyse")
        page.fill("#requirement", "what sells best?")
        expect(page.locator("#profile th")).to_have_count(5)
        page.get_by_role("button", name="Start Analysis").click()
        expect(page.locator(".working .ended.bad")).to_contain_text("It failed.")
        expect(page.locator(".working")).not_to_contain_text("Complete")


def test_an_analysis_that_is_cancelled_says_so(page: Page) -> None:
    page.get_by_role("link", name="Analyse").click()
    page.get_by_role("radio", name=re.compile("^Segmentation")).click()
    page.get_by_role("button", name="Start Analysis").click()
    page.get_by_role("button", name="Cancel").click()
    ended = page.locator(".working .ended").first
    expect(ended).to_be_visible(timeout=LONG)
    assert ended.inner_text() in ("Cancelled.", "Complete.")  # it may have been quicker than the click
    status = page.evaluate(
        "() => fetch('/api/runs?kind=analysis&limit=1').then((r) => r.json()).then((r) => r.runs[0].status)"
    )
    assert {"cancelled": "Cancelled.", "success": "Complete."}[status] == ended.inner_text()


@pytest.mark.long
def test_an_investigation_finds_the_odd_row_and_takes_feedback(page: Page) -> None:
    page.get_by_role("link", name="Investigate").click()
    page.locator(".ticks input").first.wait_for()
    for name in ("day", "region", "channel"):
        page.locator(f".ticks input[value={name}]").uncheck()
    page.get_by_role("button", name="Investigate").click()
    plot = page.locator("svg.plot")
    plot.wait_for()
    expect(page.locator(".verdict")).to_contain_text("Verdict")
    first = page.locator("table.data tbody tr").first
    expect(first).to_contain_text("360")
    expect(first).to_contain_text("sales")
    slider = page.get_by_role("slider", name="Threshold")
    before = float(slider.get_attribute("aria-valuenow") or "0")
    line, area = slider.bounding_box(), plot.bounding_box()
    assert line is not None
    assert area is not None
    x, y = line["x"] + 200, line["y"] + line["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    while int(re.search(r"(\d+) above", plot.locator(".at").text_content() or "")[1]) < 5:  # type: ignore[index]
        y += 4
        assert y < area["y"] + area["height"]
        page.mouse.move(x, y)
    page.mouse.up()
    summary = page.locator("summary", has_text="History")
    expect(summary).to_contain_text(re.compile(r"([6-9]|\d\d) steps"))
    assert float(slider.get_attribute("aria-valuenow") or "0") < before
    page.locator("table.data tbody tr", has_text="360").get_by_role("checkbox").check()
    page.get_by_role("button", name="These are normal").click()
    expect(summary).to_contain_text(re.compile(r"(9|\d\d) steps"))
    page.get_by_label("Feedback in words").fill("flag 2 %")
    page.get_by_role("button", name="Tell").click()
    expect(summary).to_contain_text(re.compile(r"1\d steps"))
    summary.click()
    expect(page.locator("details[open] .steps").last).to_contain_text("360")


@pytest.mark.long
def test_times_that_follow_each_other_are_one_stretch_whose_rows_can_be_ticked(page: Page) -> None:
    noise = random.Random(4)
    level = [20 + noise.gauss(0, 1) + (14 if 80 <= i < 88 else 0) for i in range(300)]
    days = [f"{date(2025, 1, 1) + timedelta(days=i)},{v}" for i, v in enumerate(level)]
    file = {"name": "tide.csv", "mimeType": "text/csv", "buffer": "\n".join(["day,level", *days]).encode()}
    page.set_input_files("input[type=file]", file)  # type: ignore[arg-type]
    expect(page.locator(".set[aria-current=true]")).to_have_text("tide.csv✕")
    page.get_by_role("link", name="Investigate").click()
    page.locator(".ticks input[value=level]").wait_for()
    page.get_by_role("button", name="Investigate").click()
    stretch = page.locator("ul.when li").first
    expect(stretch).to_contain_text("22 – 29 March 2025: level up to")
    stretch.get_by_role("button").click()
    expect(page.locator(".row [role=status]").last).to_contain_text("8 rows")


def test_runs_are_listed_repeated_compared_and_say_what_was_sent(page: Page) -> None:
    ask(page, "total sales in 2024")
    ask(page, "total sales in 2023")
    page.get_by_role("link", name="Runs").click()
    rows = page.locator("table.runs tbody tr")
    rows.filter(has_text="total sales in 2024").first.get_by_role("checkbox").check()
    rows.filter(has_text="total sales in 2023").first.get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare two").click()
    expect(page.locator("tr.meant")).to_contain_text([f"{sum(total(r, '2024') for r in REGIONS):,}"])
    page.get_by_role("link", name="← All runs").click()
    page.get_by_role("link", name="total sales in 2024").first.click()
    page.get_by_role("button", name="Replay").click()
    expect(page.locator(".ended.good")).to_contain_text("the same facts")
    page.get_by_role("button", name="What was sent to a model").click()
    expect(page.get_by_text("Nothing was sent to a language model.")).to_be_visible()


@pytest.mark.long
def test_a_plan_that_a_program_ran_is_told_and_can_be_taken_away(page: Page, address: str) -> None:
    rows = [{"town": "north" if i % 3 else "south", "sales": 100 + i} for i in range(30)]
    body = {"data_pointer": {"rows": rows}, "context": {"task": "average sales by town as a bar chart"}}
    run = httpx.post(f"{address}/v2/analyze", json=body, timeout=60).json()["request_id"]
    page.goto(f"{address}/#runs/{run}")
    expect(page.get_by_role("heading", name=body["context"]["task"])).to_be_visible()
    expect(page.get_by_text("Average sales is highest for north").first).to_be_visible()
    with page.expect_download() as taken:
        page.locator(".reports a").filter(has_text="HTML").click()
    assert "Average sales is highest for north" in Path(taken.value.path()).read_text()


def test_reports_can_be_taken_away_in_every_format(page: Page, tmp_path: Path) -> None:
    begins = {
        "HTML": b"<!",
        "PDF": b"%PDF",
        "Markdown": b"PK",
        "Notebook": b"{",
        "Excel": b"PK",
        "Bundle": b"{",
    }
    answer = ask(page, "total sales by region in 2024")
    links = answer.locator(".reports a")
    assert links.all_inner_texts() == list(begins)
    for name, start in begins.items():
        with page.expect_download() as taken:
            links.filter(has_text=name).click()
        taken.value.save_as(tmp_path / name)
        text = (tmp_path / name).read_bytes()
        assert text.lstrip().startswith(start), (name, text[:40])
    assert f"{total('north', '2024'):,}" in (tmp_path / "HTML").read_text()


def test_a_table_and_a_chart_are_taken_away_from_where_they_stand_with_the_keyboard(
    page: Page, tmp_path: Path
) -> None:
    answer = ask(page, "total sales by region in 2024")
    begins = {
        "table as CSV": b"region",
        "table as Excel": b"PK",
        "chart as PNG": b"\x89PNG",
        "chart as SVG": b"<svg",
    }
    for name, start in begins.items():
        link = answer.get_by_role("link", name=f"Download this {name}")
        link.focus()
        with page.expect_download() as taken:
            page.keyboard.press("Enter")
        taken.value.save_as(tmp_path / "file")
        assert (tmp_path / "file").read_bytes().startswith(start), name


def test_everything_in_asking_can_be_done_with_the_keyboard_alone(page: Page) -> None:
    page.get_by_role("link", name="Ask").focus()
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type("total sales by region in 2024")
    page.keyboard.press("Enter")
    number = page.locator(".number").first
    number.wait_for()
    for _ in range(60):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("() => document.activeElement.className") == "number":
            break
    assert page.evaluate("() => document.activeElement.className") == "number"
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.evaluate("() => document.activeElement.className") == "number"
    page.keyboard.press("/")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#question")).to_have_value("total sales by region in 2024")


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way_of_people_with_disabilities(
    tab: Page, dataset: str, scheme: Literal["light", "dark"]
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    tab.emulate_media(color_scheme=scheme)
    page = chosen(tab, dataset)
    ask(page, "total sales by region in 2024")
    page.locator("figure svg").wait_for()
    page.locator(".number").first.click()
    page.locator(".rows-behind table").wait_for()
    for view in ("dialog", "ask", "analyse", "investigate", "runs"):
        if view != "dialog":
            page.keyboard.press("Escape")
            page.goto(f"/#{view}")
            page.locator(
                {
                    "ask": "article.turn",
                    "analyse": ".choice >> nth=3",
                    "investigate": ".ticks input >> nth=1",
                    "runs": "table.runs",
                }[view]
            ).wait_for()
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [
            (view, v["id"], v["nodes"][0]["html"][:120])
            for v in found
            if v["impact"] in ("serious", "critical")
        ] == []


def test_a_phone_needs_no_sideways_scrolling(tab: Page, dataset: str) -> None:
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.goto("/")
    tab.locator("#fold-name").click()
    tab.get_by_role("button", name=dataset, exact=True).click()
    tab.locator("#fold-name").click()
    tab.wait_for_selector(".start .chips button")
    ask(tab, "total sales by region and channel in 2024")
    for view in ("ask", "analyse", "investigate", "runs"):
        tab.goto(f"/#{view}")
        tab.wait_for_load_state("networkidle")
        wide = tab.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= 390, (view, wide)


def test_dark_is_kept_when_the_page_is_opened_again(page: Page) -> None:
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"
    page.reload()
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"


def test_a_data_set_is_forgotten_on_request(page: Page) -> None:
    page.set_input_files("#files", {"name": "gone.csv", "mimeType": "text/csv", "buffer": shop().encode()})
    expect(page.locator(".set[aria-current=true]")).to_contain_text("gone.csv")
    page.wait_for_selector(".start .chips button")
    page.once("dialog", lambda d: d.accept())
    page.get_by_role("button", name="Forget gone.csv").click()
    expect(page.locator(".set", has_text="gone.csv")).to_have_count(0)


def test_a_file_that_cannot_be_read_says_what_to_do(browser: Browser, address: str) -> None:
    context = browser.new_context(base_url=address)
    page = context.new_page()
    page.goto("/")
    page.set_input_files(
        "#files", {"name": "picture.exe", "mimeType": "application/octet-stream", "buffer": b"MZ\x00\x01"}
    )
    expect(page.locator("#upload-status.error")).to_contain_text(re.compile("csv", re.IGNORECASE))
    context.close()
