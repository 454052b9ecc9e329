"""Charts say what they show: the finding, axes in words with units, what is not over, what was left out."""

import math
import os
import subprocess
import sys
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

import altair
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.reporting import render_svg
from gnomon.reporting.insight_charts import compared_periods_chart
from gnomon.tools.chart_frame import Axis, headline, labels, words
from gnomon.tools.chart_groups import (
    MAX_BARS,
    bar_chart,
    heat_chart,
    histogram_chart,
    scatter_chart,
    score_chart,
    waterfall_chart,
)
from gnomon.tools.chart_series import MAX_LINES, MAX_PANELS, annotated_series_chart, band_chart, line_chart

MONTHS = [date(2024, m, 1) for m in range(1, 13)]
SERIES = [(m, 100.0 + i) for i, m in enumerate(MONTHS)]
GROUPED = [(m, g, 100.0 * k + i) for i, m in enumerate(MONTHS) for k, g in enumerate("abc", 1)]
MANY = [(m, f"group {k}", 100.0 * k + i) for i, m in enumerate(MONTHS) for k in range(1, 16)]
BAND = [(*r, None, None, "observed") for r in SERIES[:9]] + [
    (m, v, v - 9, v + 9, "forecast") for m, v in SERIES[9:]
]

EVERY = {
    "line": line_chart("Up", SERIES, "month", Axis("revenue", "USD"), grain="month", open_periods={MONTHS[-1]}),
    "lines": line_chart("Up", GROUPED, "month", "units", group="regions", grain="month"),
    "panels": line_chart("Up", MANY, "month", "units", group="brands", grain="month"),
    "numbers": line_chart("Up", [(i, i * 2.0) for i in range(5)], "step", "units"),
    "marked": annotated_series_chart("Odd", SERIES, [(MONTHS[3], "a stock-out")], "month", "units", grain="month"),
    "band": band_chart("On", BAND, "month", "units", grain="month"),
    "bar": bar_chart("High", [("a", 3), ("b", -1.5)], "region", "units"),
    "waterfall": waterfall_chart("Down", [("price", -30.0), ("volume", 10.0)], Axis("revenue", "EUR"), start=("May", 100.0), end=("June", 70.0)),
    "histogram": histogram_chart("Low", [(0, 1, 5), (1, 2, 3)], "age"),
    "scatter": scatter_chart("Both", [(1, 2, "x"), (2, 3, "y")], "age", "fare"),
    "scores": score_chart("Two", [0.1, 0.2, 3.0], [False, False, True], 1.0),
    "heat": heat_chart("Grid", [(a, b, i) for i, (a, b) in enumerate([("x", "p"), ("x", "q"), ("y", "p")])], "one", "two", "units"),
}  # fmt: skip


@pytest.mark.parametrize("kind", EVERY)
def test_every_chart_is_valid_has_alternative_text_and_becomes_a_picture(kind: str) -> None:
    spec = EVERY[kind]
    kinds = {"layer": altair.LayerChart, "facet": altair.FacetChart}
    next((c for k, c in kinds.items() if k in spec), altair.Chart).from_dict(spec)
    assert spec["description"].startswith(f"{spec['title']['text'][0]}. ")
    assert len(spec["description"]) > len(spec["title"]["text"][0]) + 20
    assert "<svg" in render_svg(spec)


@pytest.mark.parametrize("kind", EVERY)
def test_no_chart_shows_a_name_of_ours_or_an_underscore(kind: str) -> None:
    def titles(part: Any) -> list[str]:
        if isinstance(part, dict):
            own = [part["title"]] if isinstance(part.get("title"), str) else []
            return own + [t for k, v in part.items() if k != "data" for t in titles(v)]
        return [t for p in part for t in titles(p)] if isinstance(part, list) else []

    assert all("_" not in t and t[0].isupper() for t in titles(EVERY[kind]) if t)


def test_a_period_that_is_not_over_is_hollow_and_joined_by_a_dashed_line() -> None:
    spec = EVERY["line"]
    values = spec["data"]["values"]
    assert [r["when"] for r in values if r.get("whole") is False] == ["December 2024"]
    assert [r["x"] for r in values if "join" in r] == ["2024-11-01", "2024-12-01"]
    solid, *_, dashed, hollow = spec["layer"]
    assert solid["transform"] == [{"filter": "datum.whole === true"}]
    assert dashed["mark"]["strokeDash"] and hollow["mark"]["filled"] is False
    drawn = render_svg(spec)
    assert "stroke-dasharray" in drawn
    assert "stroke-dasharray" not in render_svg(line_chart("Up", SERIES, "month", "x", grain="month"))


def test_the_first_and_the_last_period_can_both_be_cut() -> None:
    spec = line_chart("Up", SERIES[:3], "month", "x", grain="month", open_periods={MONTHS[0], MONTHS[2]})
    joins = [(r["x"], r["join"]) for r in spec["data"]["values"] if "join" in r]
    assert joins == [("2024-01-01", 0), ("2024-02-01", 0), ("2024-02-01", 1), ("2024-03-01", 1)]


def test_axes_carry_units() -> None:
    drawn = render_svg(EVERY["line"])
    assert ">Revenue<" in drawn and "$100" in drawn and ">Month<" in drawn and "Jan 2024" in drawn
    assert ">Weight (kg)<" in render_svg(bar_chart("t", [("a", 2)], "item", Axis("weight", "kg")))
    millions = render_svg(bar_chart("t", [("a", 2_500_000.0)], "item", Axis("sales", "EUR")))
    assert "€2 M" in millions and "€2.5 M" in millions
    shares = render_svg(bar_chart("t", [("a", 0.25)], "item", Axis("rate", "fraction")))
    assert ">25 %<" in shares and ">20 %<" in shares


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_bars_begin_at_zero_and_hold_the_exact_values(values: list[float]) -> None:
    spec = bar_chart("t", [(f"g{i}", v) for i, v in enumerate(values)], "group", "value")
    assert spec["encoding"]["x"]["scale"]["zero"] is True
    assert [r["value"] for r in spec["data"]["values"]] == values[:MAX_BARS]
    left = len(values) - MAX_BARS
    assert any(f"{left} others are not" in n for n in spec["title"].get("subtitle", [])) is (left > 0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=120), min_size=1, max_size=12))
def test_no_two_groups_share_a_label(names: list[str]) -> None:
    made = labels(names)
    assert len(set(made)) == len(made)
    assert all(len(label) <= 50 for label in made)


def test_few_groups_are_lines_and_more_are_small_charts_with_the_rest_told() -> None:
    assert len(EVERY["lines"]["layer"][0]["encoding"]["color"]["scale"]["domain"]) == 3 <= MAX_LINES
    panels = EVERY["panels"]
    shown = {r["group"] for r in panels["data"]["values"]}
    assert len(shown) == MAX_PANELS and "group 15" in shown and "group 1" not in shown
    assert panels["title"]["subtitle"][0] == "The 12 largest of 15 brands are drawn."


@pytest.mark.parametrize("label", ["units", "gross domestic product at current prices, seasonally adjusted"])
def test_small_charts_say_what_they_measure_once_and_where_their_axis_begins_and_ends(label: str) -> None:
    spec = line_chart("Up", MANY, "month", Axis(label, "USD"), group="brands", grain="month")
    channels = spec["spec"]["layer"][0]["encoding"]
    assert channels["y"]["title"] is None  # beside each of them it would run into the next
    assert spec["facet"]["title"] == Axis(label, "USD").title
    assert channels["x"]["axis"]["values"] == [MONTHS[0].isoformat(), MONTHS[-1].isoformat()]


def test_whoever_leads_at_the_end_is_drawn() -> None:
    late = [*MANY, (MONTHS[-1], "newcomer", 1e6)]
    spec = line_chart("t", late, "month", "units", group="brands", grain="month")
    assert "newcomer" in {r["group"] for r in spec["data"]["values"]}


def test_many_points_of_several_groups_are_thinned_group_by_group() -> None:
    start = datetime(2024, 1, 1)
    rows = [(start + timedelta(hours=i), g, float(i)) for i in range(4000) for g in "abcd"]
    spec = line_chart("t", rows, "hour", "value", group="sensors", grain="hour")
    counts = {g: sum(r["group"] == g for r in spec["data"]["values"]) for g in "abcd"}
    assert set(counts.values()) == {667}
    assert "Every 6th of 4,000 points is drawn." in spec["title"]["subtitle"]


@settings(max_examples=40, deadline=None)
@given(
    st.floats(1, 1e6),
    st.lists(st.tuples(st.text(min_size=1, max_size=8), st.floats(-1e5, 1e5)), max_size=25),
    st.floats(-1e5, 1e5),
)
def test_the_steps_of_a_waterfall_lead_from_one_figure_to_the_other(
    start: float, steps: list[tuple[str, float]], rest: float
) -> None:
    end = start + sum(v for _, v in steps) + rest
    spec = waterfall_chart("t", steps, "value", start=("before", start), end=("after", end))
    moves = [r for r in spec["data"]["values"] if r["kind"] != "total"]
    scale = max(abs(start), abs(end), *(abs(v) for _, v in steps), 1.0)
    for a, b in pairwise(moves):
        assert math.isclose(a["to"], b["from"], abs_tol=1e-9 * scale)
    total = sum(r["to"] - r["from"] for r in moves)
    assert math.isclose(total, end - start, abs_tol=1e-6 * scale)


def test_changes_too_small_beside_their_totals_are_drawn_alone() -> None:
    spec = waterfall_chart("t", [("a", -2.0)], "value", start=("May", 1000.0), end=("June", 998.0))
    assert {r["kind"] for r in spec["data"]["values"]} == {"down"}
    assert spec["title"]["subtitle"] == ["May: 1,000; June: 998."]


def test_a_scatter_of_many_groups_names_the_rest_others() -> None:
    rows = [(float(i), float(i), f"g{i % 10}") for i in range(100)]
    spec = scatter_chart("t", rows, "age", "fare")
    domain = spec["encoding"]["color"]["scale"]["domain"]
    assert len(domain) == 6 and domain[-1] == "others"
    assert {r["group"] for r in spec["data"]["values"]} == set(domain)
    assert (spec["encoding"]["x"]["title"], spec["encoding"]["y"]["title"]) == ("Age", "Fare")


def test_marks_are_numbered_and_told() -> None:
    spec = EVERY["marked"]
    assert spec["title"]["subtitle"] == ["1: April 2024, a stock-out."]
    (mark,) = [r for r in spec["data"]["values"] if "mark" in r]
    assert (mark["x"], mark["mark"]) == ("2024-04-01", "1")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("sum_revenue", "total revenue"), ("mean_unit_price", "average unit price"), ("unitPrice", "unit price"), ("CO2", "CO2"),
        ("order date", "order date"), ("count", "count"), ("GDP_growth", "GDP growth"), ("max_speed", "max speed"), ("_", "_"),
    ],
)  # fmt: skip
def test_names_of_columns_become_words(given: str, said: str) -> None:
    assert words(given) == said


@given(st.floats(0.001, 1e12) | st.floats(-1e12, -0.001), st.integers(1, 30))
def test_values_that_are_all_the_same_are_drawn_above_zero(value: float, count: int) -> None:
    spec = line_chart("Flat", [(MONTHS[i % 12], value) for i in range(count)], "month", "units")
    assert spec["layer"][0]["encoding"]["y"]["scale"]["zero"] is True


def test_where_nothing_is_marked_there_is_no_layer_for_marks() -> None:
    spec = annotated_series_chart("Calm", SERIES, [], "month", "units", grain="month")
    assert spec["layer"] == line_chart("Calm", SERIES, "month", "units", grain="month")["layer"]
    assert spec["description"].endswith("None marked.")


@pytest.mark.parametrize("label", ["hour of the day", "zone"])
def test_a_bar_is_not_called_what_its_axis_is_called(label: str) -> None:
    spec = bar_chart("High", [(f"{label} 4", 3), (f"{label} 11", 2), ("(no value)", 1)], label, "units")
    assert [r["group"] for r in spec["data"]["values"]] == ["4", "11", "(no value)"]
    assert spec["data"]["values"][0]["name"] == f"{label} 4"
    assert (
        bar_chart("High", [("zone north", 3)], "zone", "units")["data"]["values"][0]["group"] == "zone north"
    )


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=24), min_size=2, max_size=12, unique=True))
def test_headings_of_a_grid_stand_upright_only_where_they_fit(names: list[str]) -> None:
    spec = heat_chart("Grid", [(n, d, 1.0) for n in names for d in "xy"], "one", "two", "units")
    upright = spec["encoding"]["x"]["axis"]["labelAngle"] == 0
    assert upright == (max(map(len, names)) * 6.5 <= spec["width"]["step"])


@given(
    st.lists(
        st.text("ABCdefgh ", min_size=3, max_size=30).map(str.strip).filter(len), min_size=8, max_size=40
    )
)
def test_a_long_title_is_cut_between_its_parts(names: list[str]) -> None:
    parts = [f"{n} ({i}.5, {i} % of 9)" for i, n in enumerate(names)]
    whole = f"{names[0]} had the highest revenue: 25.8 T, followed by {', '.join(parts)}"
    title = headline(f"{whole}.")
    assert title == whole or (title.endswith(" …") and title.count("(") == title.count(")"))
    assert whole.startswith(title.removesuffix(" …"))


DAYS = [date(2026, 7, 1) + timedelta(days=i) for i in range(92)]


def test_compared_periods_have_axes_like_other_charts_and_a_legend_of_their_names() -> None:
    points = [
        (d, 100.0 + i, 90.0, "previous" if d.month == 8 else "current" if d.month == 9 else None)
        for i, d in enumerate(DAYS)
    ]
    marks = [(DAYS[3], "price moved"), (DAYS[-3], "volume moved")]
    names = ("August 2026", "September 2026")
    spec = compared_periods_chart("Fee fell", points, marks, Axis("fee", "EUR"), names)
    altair.LayerChart.from_dict(spec)
    line = next(x for x in spec["layer"] if x["mark"]["type"] == "point")["encoding"]
    ordinary = line_chart("Fee fell", [(d, v) for d, v, *_ in points], "day", Axis("fee", "EUR"), grain="day")
    assert line["y"] == {**ordinary["layer"][0]["encoding"]["y"], "field": "value"}
    assert line["x"]["axis"]["labelExpr"] == ordinary["layer"][0]["encoding"]["x"]["axis"]["labelExpr"]
    assert line["color"]["scale"]["domain"] == ["other days", *names]
    assert "€191" in render_svg(spec) or "€200" in render_svg(spec)
    assert "€100 to €191" in spec["description"]
    assert spec["description"].count("Fee fell") == 1
    sides = [x["mark"]["align"] for x in spec["layer"] if x["mark"]["type"] == "text"]
    assert sides == ["left", "right"]  # what is written stays within the picture


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Revenue was 5.2 M in May. It fell.", "Revenue was 5.2 M in May"),
        ("Sales vs. plan: 5 % below.", "Sales vs. plan: 5 % below"),
        ("The r is 0.5. More", "The r is 0.5"),
        ("One line\nand another", "One line"),
        ("Done", "Done"),
    ],
)
def test_a_title_is_the_first_sentence(text: str, title: str) -> None:
    assert headline(text) == title


@pytest.mark.long
def test_a_chart_is_the_same_in_every_time_zone() -> None:
    code = (
        "from datetime import datetime; from gnomon.tools.chart_series import line_chart; from gnomon.reporting import render_svg;"
        "rows = [(datetime(2024, 3, 31, h), float(h)) for h in range(24)];"
        "import sys; sys.stdout.write(render_svg(line_chart('t', rows, 'hour', 'x', grain='hour')))"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=True
        ).stdout
        for zone in ("UTC", "America/Los_Angeles", "Asia/Kolkata")
    }  # fmt: skip
    assert len(made) == 1 and "31 Mar 03:00" in made.pop()


def test_what_rounding_leaves_is_no_step_of_a_waterfall() -> None:
    steps = [("number of orders", -8331.0), ("average order value", -2301.0)]
    spec = waterfall_chart("t", steps, "amount", start=("July", 111452.03), end=("August", 100819.72))
    assert [r["step"] for r in spec["data"]["values"]] == ["July", *(n for n, _ in steps), "August"]


def test_between_one_and_two_things_there_is_no_tick() -> None:
    spec = scatter_chart("t", [(1, 40.5), (2, 80.25), (3, 119.75)], "quantity", "amount")
    assert (
        spec["encoding"]["x"]["axis"]["tickMinStep"] == 1
        and "tickMinStep" not in spec["encoding"]["y"]["axis"]
    )
