"""Charts are valid Vega-Lite, show what they should, and become pictures without the network."""

import altair
import pytest
from tests.tools.rows import daily_sales

from gnomon.core.errors import InvalidInput
from gnomon.reporting import render_svg, write_chart
from gnomon.tools import ToolContext
from gnomon.tools.builtin import builtin_registry

ROWS = daily_sales(days=40)
DRAW = builtin_registry().get("render_chart")


def draw(rows: object = ROWS, **params: object) -> dict[str, object]:
    return DRAW({"data": rows, **params}, ToolContext())


@pytest.mark.parametrize("kind", ["bar", "line", "scatter", "area", "pie", "heatmap", "box", "histogram"])
def test_every_kind_is_valid_and_becomes_a_picture(kind: str) -> None:
    made = draw(chart=kind, x="date" if kind in {"line", "area"} else "region", y="sales")
    spec = made["spec"]
    altair.Chart.from_dict(spec) if "layer" not in spec else altair.LayerChart.from_dict(spec)
    assert "<svg" in render_svg(spec)


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([{"day": f"2024-01-{d:02d}", "x": d} for d in range(1, 20)], "line"),
        ([{"city": c, "x": i} for i, c in enumerate("abc")], "bar"),
        ([{"height": 1.0 * i, "weight": i + 0.5} for i in range(20)], "scatter"),
        ([{"x": 1.0 * i} for i in range(20)], "histogram"),
    ],
    ids=lambda v: v if isinstance(v, str) else "rows",
)
def test_the_kind_follows_from_the_columns(rows: list[dict[str, object]], kind: str) -> None:
    assert draw(rows)["chart"] == kind


def test_an_interval_is_a_band_and_anomalies_are_points() -> None:
    rows = [
        {"day": f"2024-01-{d:02d}", "x": d, "lower": d - 1.0, "upper": d + 1.0, "is_anomaly": d == 9}
        for d in range(1, 20)
    ]
    marks = [layer["mark"]["type"] for layer in draw(rows)["spec"]["layer"]]
    assert marks == ["area", "line", "point"]


def test_the_title_is_the_finding() -> None:
    assert draw(title="Sales doubled in March")["spec"]["title"]["text"] == ["Sales doubled in March"]


def test_a_column_name_cannot_reach_into_the_specification() -> None:
    made = draw([{"a.b[0]": "left", "n": 1}, {"a.b[0]": "right", "n": 2}])
    assert {c["field"] for c in made["spec"]["encoding"].values()} == {"group", "value"}
    assert ">left<" in render_svg(made["spec"])


def test_many_rows_are_thinned_and_it_is_said() -> None:
    made = draw([{"i": i, "v": i % 7} for i in range(12_000)], x="i", y="v")
    assert made["points"] <= 5000
    assert "12,000" in made["notes"][0]


@pytest.mark.parametrize("rows", [[], {"x": []}], ids=str)
def test_nothing_to_draw_is_refused(rows: object) -> None:
    with pytest.raises(InvalidInput, match=r"no rows|no columns"):
        draw(rows)


def test_pictures_are_written_by_their_ending(tmp_path) -> None:
    spec = draw()["spec"]
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<svg"), (".json", b"{")):
        write_chart(spec, tmp_path / f"c{ending}")
        assert (tmp_path / f"c{ending}").read_bytes().startswith(start)
    with pytest.raises(InvalidInput, match="bmp"):
        write_chart(spec, tmp_path / "c.bmp")


def test_a_chart_never_fetches(tmp_path) -> None:
    spec = {**draw()["spec"], "data": {"url": "http://127.0.0.1:9/none.csv"}}
    with pytest.raises(ValueError, match=r"(?i)url|denied|allowed|fail"):
        render_svg(spec)
