"""The HTML report in a real browser: nothing fetched, nothing refused, readable in light, dark and on a phone."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.reporting.hostile import document_with

from gnomon.reporting import document_of_record, write_report
from gnomon.tools.chart_groups import bar_chart, heat_chart
from gnomon.tools.chart_series import line_chart

pytestmark = pytest.mark.needs("chromium")
ROWS = [(date(2024, m, 1), 100.0 * m) for m in range(1, 13)]
RECORD = {
    "question": "how did sales go?",
    "prose": "Sales rose all year.",
    "facts": [{"name": "sales.end", "value": 1200.0, "unit": "USD", "step": "s1"}],
    "tables": [{"name": "sales", "columns": ["month", "sales"], "rows": ROWS}],
    "charts": [
        line_chart("Sales rose", ROWS, "month", "sales", grain="month", open_periods={ROWS[-1][0]}),
        bar_chart("December is highest", [("December", 1200.0), ("January", 100.0)], "month", "sales"),
        heat_chart("Grid", [(a, b, i) for i, a in enumerate("xyz") for b in "pq"], "one", "two", "units"),
    ],
    "notes": ["December is not over."],
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    import shutil

    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_is_accessible_and_silent(browser: Any, scheme: str, tmp_path: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe

    (path,) = write_report(document_of_record(RECORD), tmp_path / "r.html")
    context = browser.new_context(
        color_scheme=scheme, viewport={"width": 390, "height": 800}, bypass_csp=True
    )
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.on("console", lambda m: said.append(m.text))
    page.goto(path.as_uri())
    assert page.locator("figure svg").count() == 3
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(v["id"], [n["html"][:120] for n in v["nodes"]][:3]) for v in found] == []
    assert asked == [path.as_uri()]
    assert said == []
    context.close()


@pytest.mark.parametrize(
    "text", ["<img src=http://127.0.0.1:9/x onerror=alert(1)>", "</title><script>alert(1)</script>"]
)
def test_hostile_text_does_nothing_in_a_browser(browser: Any, text: str, tmp_path: Path) -> None:
    (path,) = write_report(document_with(text, chart=True), tmp_path / "r.html")
    page = browser.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda r: asked.append(r.url))
    page.on("dialog", lambda d: said.append(d.message) or d.dismiss())
    page.on("console", lambda m: said.append(m.text))
    page.goto(path.as_uri())
    assert page.locator("h1").inner_text() == text
    assert page.evaluate("document.scripts.length + document.images.length") == 0
    assert (asked, said) == ([path.as_uri()], [])
    page.close()


def test_on_a_phone_no_word_of_a_table_is_broken_and_charts_keep_their_size(
    browser: Any, tmp_path: Path
) -> None:
    columns = ["candidate", "where", "verdict", "effect on revenue", "share of the change (%)"]
    rows = [["merchandise", "department", "contributing", -9406.27, 52.5]]
    chart = bar_chart("High", [("north", 3.0), ("south", 2.0)], "region", "sales")
    record = {
        "title": "Why",
        "tables": [{"name": "causes", "columns": columns, "rows": rows}],
        "charts": [chart],
    }
    (path,) = write_report(document_of_record(record), tmp_path / "r.html")
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(path.as_uri())
    heights = page.locator("tbody th, tbody td").evaluate_all("cells => cells.map(c => c.clientHeight)")
    assert max(heights) < 40  # one line each
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    drawn = page.locator(".chart svg").first
    assert drawn.bounding_box()["width"] == pytest.approx(float(drawn.get_attribute("width")), abs=1)
    page.close()
