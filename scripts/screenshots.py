"""Makes the pictures of the page in docs/images from a service on the demo store: python scripts/screenshots.py."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator

    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parents[1] / "docs" / "images"
PORT = 8798
ADDRESS = f"http://127.0.0.1:{PORT}"
ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking"]
WIDE = {"width": 1200, "height": 760}
PHONE = {"width": 390, "height": 780}
MILLISECONDS = 300_000
COLOURS = 128


@contextmanager
def served() -> Generator[None]:
    """A service on the demo store, until the block ends."""
    command = [str(Path(sys.executable).parent / "gnomon"), "serve", "--port", str(PORT), "--no-browser"]
    with subprocess.Popen(command) as process:
        try:
            _wait()
            yield
        finally:
            process.terminate()


def _wait(seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"{ADDRESS}/api/datasets/demo/profile", timeout=seconds):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


@contextmanager
def opened(browser: Browser, view: str = "ask", **how: Any) -> Generator[Page]:
    """A page of its own on one of the views."""
    context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **how})
    page = context.new_page()
    page.set_default_timeout(MILLISECONDS)
    page.goto(f"{ADDRESS}/?data=demo#{view}")
    page.locator("#profile table, #profile summary").first.wait_for(state="attached")
    yield page
    context.close()


def ask(page: Page, question: str) -> None:
    """Ask, and wait for the answer and its charts."""
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.locator("article.turn").wait_for()
    for figure in page.locator("article.turn figure").all():
        figure.locator("svg").first.wait_for()
    page.evaluate("() => window.scrollTo(0, 0)")


def keep(page: Page, name: str) -> None:
    """One picture, with few colours so that it stays small."""
    from PIL import Image

    file = FOLDER / f"{name}.png"
    page.screenshot(path=file)
    with Image.open(file) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(file, optimize=True)
    sys.stdout.write(f"{file.name}: {file.stat().st_size / 1024:.0f} KB\n")


def main() -> None:
    """Make all the pictures, or those that are named."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *PICTURES], help="Which ones; all by default.")
    parser.add_argument("--chromium", default="/usr/bin/chromium", help="The browser.")
    given = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with served(), sync_playwright() as p:
        browser = p.chromium.launch(executable_path=given.chromium, args=ARGS)
        for name in given.names or PICTURES:
            PICTURES[name](browser)
        browser.close()


def _ask(browser: Browser) -> None:
    with opened(browser) as page:
        ask(page, "Revenue by region last quarter")
        keep(page, "ask")


def _why(browser: Browser) -> None:
    with opened(browser) as page:
        ask(page, "Why did revenue drop in August 2025?")
        keep(page, "why")


def _analyse(browser: Browser) -> None:
    with opened(browser, "analyse") as page:
        page.locator("[data-template=period_comparison]").click()
        page.get_by_role("button", name="Start Analysis").click()
        page.locator("article.turn figure svg").first.wait_for()
        page.evaluate("() => document.querySelector('.working').scrollIntoView({ block: 'start' })")
        keep(page, "analyse")


def _investigate(browser: Browser) -> None:
    with opened(browser, "investigate") as page:
        page.locator("#table").select_option("account")
        for name in ("defect_rate", "policy_warnings", "seller_rating"):
            page.locator(f".ticks input[value={name}]").uncheck()
        page.get_by_role("button", name="Investigate").click()
        page.locator("svg.plot").wait_for()
        page.evaluate("() => window.scrollTo(0, 0)")
        keep(page, "investigate")


def _dark(browser: Browser) -> None:
    with opened(browser, color_scheme="dark") as page:
        ask(page, "How did revenue develop by month?")
        keep(page, "dark")


def _phone(browser: Browser) -> None:
    with opened(browser, viewport=PHONE) as page:
        ask(page, "Revenue by channel last quarter")
        keep(page, "phone")


PICTURES = {
    "ask": _ask, "why": _why, "analyse": _analyse, "investigate": _investigate, "dark": _dark, "phone": _phone,
}  # fmt: skip

if __name__ == "__main__":
    main()
