"""Values that are typed whole, in part, misspelt, in brackets or as the first word, and said back: none is sent."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from endpoint import endpoint
from pydantic_ai.models import override_allow_model_requests

import gnomon
from gnomon.core.settings import Settings
from gnomon.llm import EgressLedger

TODAY = date(2024, 3, 1)
ROWS = 400
FORMS = [
    "outlay for {}", "how did {} fare moneywise", "was ({}) splashing out", "splurging of {} versus {}",
    "which {} splurged the most", "why did outlay in ({}) fall", "why did haulage cost in {} fall", "{}: outlay?",
    "hi {}, outlay?", "compare the outlay of {} with {}'s", "list splurges like {}*", "total haulage cost for {}",
    "top town by haulage cost", "and the lowest?", "what about {}?", "why is that one so high",
]  # fmt: skip
QUERIES = [
    "", "SELECT nope FROM shipments", "SELECT SUM(haulage_cost) FROM shipments WHERE town = :VALUE1",
    "SELECT CAST(town AS INT) FROM shipments", "SELECT MAX(remark) FROM shipments",
    "SELECT town, SUM(haulage_cost) FROM shipments GROUP BY town ORDER BY 2 DESC LIMIT 1",
]  # fmt: skip
MARKED = re.compile(r"qz[a-z]{2,}|qz-?\d{3,}|7731\d+|77,31\d+|[3-9]\d,?\d{3}\.\d+|harvest moon")


@pytest.fixture(autouse=True)
def _allowed(_no_live_model: None) -> Iterator[None]:
    with override_allow_model_requests(True):
        yield


def shipments(draw: random.Random) -> pd.DataFrame:
    def word() -> str:
        return "Qz" + "".join(draw.choices("bcdfghjklmnpqrstvwxz", k=7))

    towns = [word(), word(), f"{word()} {word()}", f"{word()}-{word()}", f"St. {word()}", "Harvest Moon"]
    return pd.DataFrame(
        {
            "shipped_on": pd.date_range("2023-01-01", periods=ROWS),
            "town": [draw.choice(towns) for _ in range(ROWS)],
            "clerk": [f"{word()} {word()}" for _ in range(ROWS // 8)] * 8,
            "product_code": [f"QZ-{draw.randrange(10_000, 99_999)}" for _ in range(ROWS)],
            "docket": [77_310_945 + i for i in range(ROWS)],
            "remark": [f"please {word()} the {word()} at once" for _ in range(ROWS)],
            "haulage_cost": [round(draw.uniform(31_000, 99_000), 3) for _ in range(ROWS)],
        }
    )


def typed(frame: pd.DataFrame, draw: random.Random) -> str:
    """A cell as somebody types it."""
    column = draw.choice(["town", "town", "clerk", "product_code", "docket", "haulage_cost", "remark"])
    text = str(draw.choice(list(frame[column])))
    if column == "remark":
        return " ".join(text.split()[1:3])
    if column in ("docket", "haulage_cost"):
        return draw.choice([text, f"{float(text):,.3f}" if "." in text else f"{int(text):,}", f"no. {text}"])
    at = draw.randrange(3, len(text) - 1)
    misspelt = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return draw.choice([text, text.lower(), text.upper(), f"{text}s", f'"{text}"', misspelt, text[:6]])


@pytest.mark.parametrize(
    ("privacy", "asked"), [("schema", 32), pytest.param("strict", 12, marks=pytest.mark.long)]
)
def test_no_cell_is_sent_however_it_is_typed_and_whatever_the_model_says(
    privacy: str, asked: int, tmp_path: Path
) -> None:
    draw = random.Random(f"typed {privacy}")
    frame = shipments(draw)
    frame.to_parquet(tmp_path / "shipments.parquet")

    def reply() -> str:
        if draw.random() < 0.3:
            return json.dumps({"text": "It came to {{figure1}} for {{condition1}}."})
        said = draw.choice(["total haulage cost for VALUE1", "", "cost by town"])
        return json.dumps({"restated": said, "query": draw.choice(QUERIES), "ignored": [], "missing": []})

    with endpoint(reply) as server:
        settings = Settings.load(model="small", model_url=server.url, privacy=privacy, model_prose=True)
        with gnomon.open(tmp_path / "shipments.parquet", settings=settings) as analyst:
            conversation = analyst.conversation()
            for n in range(asked):
                form = FORMS[n % len(FORMS)]
                question = form.format(*(typed(frame, draw) for _ in range(form.count("{}"))))
                before = len(server.bodies)
                (conversation if n % 2 else analyst).ask(question, today=TODAY)
                sent = b"\n".join(server.bodies[before:]).decode().lower()
                assert not MARKED.findall(sent), question
    assert len(server.bodies) > asked
    # Both workers put an answer into words at the same time: what is written down first may arrive second, and what
    # nobody waits for any longer may not arrive, or not begin to.
    assert not Counter(filter(None, server.bodies)) - Counter(EgressLedger.of(settings).bodies())
