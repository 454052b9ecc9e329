"""Tables with one row for each time, or for each time and entity, are read as series whatever else they hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from planted_dated import Dated, dated, noise, panel, plant

from gnomon.anomaly import ADEngine
from gnomon.anomaly.modalities import detect_type, prepare
from gnomon.anomaly.modalities.layout import layout_of
from gnomon.anomaly.prepared import Prepared

# Every step, form, noise and plant; what is not planted in comes with and without columns of words.
SOME = (0, 5, 6, 16, 19, 22, 25, 35, 47, 53)
PANELS = (0, 1, 2, 4)


def told(made: Dated) -> list[dict[str, object]]:
    found = ADEngine(random_state=0).investigate(made.frame).analysis
    assert found is not None
    return found["consensus_analysis"].get("episodes", [])


def right(made: Dated) -> bool:
    """Every planted stretch is told once, with its dates, and nothing else is."""
    episodes = [np.array(e["rows"]) for e in told(made)]
    spans = sorted((made.times[rows].min(), made.times[rows].max()) for rows in episodes)
    step = pd.Series(sorted(set(made.times))).diff().median()
    return len(spans) == len(made.spans) and all(
        abs(found - true) <= 3 * step
        for ends, planted in zip(spans, sorted(made.spans), strict=True)
        for found, true in zip(ends, planted, strict=True)
    )


@pytest.mark.long
@pytest.mark.parametrize("seed", SOME)
def test_what_is_planted_in_a_dated_table_is_told_with_its_dates_and_nothing_else(seed: int) -> None:
    made = dated(seed)
    assert detect_type(made.frame) == "time_series", made.name
    assert right(made), made.name


@pytest.mark.long
@pytest.mark.parametrize("seed", PANELS)
def test_what_happens_to_one_entity_of_many_is_told_of_it(seed: int) -> None:
    made = panel(seed)
    assert detect_type(made.frame) == "time_series", made.name
    assert right(made), made.name
    entities = {str(made.frame["site"].iloc[int(np.argmax(made.planted))])} if made.planted.any() else set()
    assert {str(e["entity"]).removeprefix("site ") for e in told(made)} == entities


def ferries(n: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    delay, planted = plant(noise("normal", n, rng), "shift", rng)
    route = rng.choice(["Aran", "Mull", "Skye"], n)
    return pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=n),
            "route": route,
            "crew": rng.choice(["red", "blue"], n),
            "delay": delay + pd.Series(route).map({"Aran": 0.0, "Mull": 40.0, "Skye": 90.0}).to_numpy(),
            "planted": planted,
        }
    )


def test_what_a_column_of_words_explains_is_taken_out_and_noise_is_left_aside() -> None:
    frame = ferries()
    prepared = prepare(frame.drop(columns="planted"))
    assert {t.step: t.columns for t in prepared.log if t.step in ("adjust", "drop")} == {
        "adjust": ("route",),
        "drop": ("crew",),
    }
    assert prepared.outage is not None
    assert np.mean(prepared.outage == (frame["planted"] == 1).to_numpy()) > 0.99
    usual = pd.Series(np.asarray((prepared.usual or {})["delay"])).groupby(frame["route"]).median()
    true = frame[frame["planted"] == 0].groupby("route")["delay"].median()
    assert float((usual - true).abs().max()) < 2.5


def test_a_state_that_only_held_for_a_while_explains_nothing_away() -> None:
    frame = ferries().drop(columns="route")
    frame["state"] = np.where(frame["planted"] == 1, "failed", "fine")
    frame["delay"] = noise("normal", len(frame), np.random.default_rng(4)) + 30 * frame["planted"]
    prepared = prepare(frame.drop(columns="planted"))
    assert prepared.outage is not None and bool(prepared.outage[frame["planted"] == 1].all())


def test_later_readings_are_judged_by_their_words_too() -> None:
    frame = ferries().drop(columns="planted")
    prepared = prepare(frame)
    later = pd.DataFrame(
        {"day": ["2024-10-27"] * 2, "route": ["Skye", "Aran"], "crew": "red", "delay": 140.0}
    )
    usual, odd = (float(prepared.transform(later.iloc[[i]])[0, 0]) for i in (0, 1))
    assert usual < 4 < odd


@pytest.mark.parametrize(
    ("frame", "entity"),
    [
        (panel(0).frame, ("site",)),
        (panel(2).frame, ("site",)),
        (
            panel(0).frame.merge(pd.DataFrame({"product": ["tea", "salt"]}), how="cross"),
            ("site", "product"),
        ),
    ],
    ids=["words", "numbers", "two columns"],
)
def test_what_tells_the_rows_of_one_time_apart_is_found(frame: pd.DataFrame, entity: tuple[str, ...]) -> None:
    layout = layout_of(frame)
    assert layout is not None and layout.time == "when" and layout.entity == entity


def test_transactions_are_no_panel() -> None:
    rng = np.random.default_rng(5)
    days = pd.date_range("2024-01-01", periods=60)
    frame = pd.DataFrame(
        {
            "day": rng.choice(days, 1500),
            "customer": rng.choice([f"c{i}" for i in range(40)], 1500),
            "kind": rng.choice(["card", "cash"], 1500),
            "amount": rng.lognormal(3, 1, 1500),
        }
    )
    assert layout_of(frame) is None


def test_each_entity_of_a_panel_is_compared_with_itself_and_new_ones_are_refused() -> None:
    made = panel(0)
    prepared: Prepared = prepare(made.frame)
    assert [p.name for p in prepared.parts] == sorted(made.frame["site"].unique())
    again = prepared.transform(made.frame)
    assert np.abs(again - prepared.matrix)[made.planted == 0].mean() < 0.1
    with pytest.raises(ValueError, match="Nothing was learned about S99"):
        prepared.transform(made.frame.assign(site="S99"))
