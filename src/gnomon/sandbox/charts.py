"""Charts that code nobody reviewed made: those that could run code or fetch something are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

_ACTIVE = re.compile(
    rb"<\s*(?:script|foreignobject|iframe|object|embed|animate\w*|set|handler)\b|<!entity|<\?xml-stylesheet"
    rb"|[\s/\"']on\w+\s*=|@import|url\s*\(\s*['\"]?\s*(?!#)",
    re.IGNORECASE,
)
_LINK = re.compile(rb"href\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))", re.IGNORECASE)
_INSIDE = "data:image/png;base64,"
_ADDRESS = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:|//|\\\\)", re.IGNORECASE)
_ADDRESS_KEYS = frozenset({"src", "source", "style", "topojsonurl", "plotlyserverurl"})
_MOST, _FINEST = 4_000, 1e-3
_MOST_PIXELS = 50_000_000
# Settings that speak of values of the data, which may be large; all others are pixels, counts or shares.
_OF_DATA = frozenset(
    [
        "domain",
        "domainmin",
        "domainmax",
        "domainmid",
        "value",
        "values",
        "datum",
        "equal",
        "lt",
        "lte",
        "gt",
        "gte",
        "range",
        "oneof",
        "extent",
        "constant",
    ]
)
_EXPRESSIONS = frozenset(["expr", "calculate", "filter", "test", "signal", "update", "init", "labelexpr"])
_COSTLY = re.compile(r"\b(?:sequence|repeat|pad|regexp|test|replace)\s*\(|/[^/]*[*+{][^/]*/")
_WITH_TILES = re.compile(r"geo|choropleth|mapbox|^(?:scatter|density|line)map")


def is_still(svg: bytes) -> bool:
    """Whether a picture is an SVG without scripts, and without links to anything outside itself."""
    if b"\x00" in svg or b"<svg" not in svg[:4096].lower() or _ACTIVE.search(svg):
        return False  # another encoding would hide what is looked for
    return all(b"".join(found).startswith((b"#", _INSIDE.encode())) for found in _LINK.findall(svg))


def is_drawable(png: bytes) -> bool:
    """Whether a picture is a PNG of a size that can be shown: a few bytes can unpack to billions of pixels."""
    width, height = int.from_bytes(png[16:20]), int.from_bytes(png[20:24])
    return png.startswith(b"\x89PNG\r\n\x1a\n") and 0 < width * height <= _MOST_PIXELS


def fetches(spec: Mapping[str, Any]) -> bool:
    """Whether showing a Vega-Lite or plotly specification could fetch something, or link to it."""
    traces = spec.get("data")
    if isinstance(traces, list):
        kinds = [t.get("type") for t in cast("list[Any]", traces) if isinstance(t, dict)]
        if any(isinstance(kind, str) and _WITH_TILES.search(kind) for kind in kinds):
            return True  # these load tiles or shapes from a server
    return any(_leads_out(key, value) for key, value in _settings_of(spec))


def outgrows(spec: Mapping[str, Any]) -> bool:
    """Whether drawing a Vega-Lite specification could take time or memory beyond measure, whatever its data is."""
    found = list(_settings_of(spec))
    placed = [v.get("value") for k, v in found if k in _PLACES and isinstance(v, dict)]
    placed += [v.get("range") for k, v in found if k == "scale" and isinstance(v, dict)]
    return any(_grows(k, v) for k, v in found) or any(_grows("size", v) for v in placed)


_PLACES = frozenset(
    ["x", "y", "x2", "y2", "size", "xOffset", "yOffset", "strokeWidth", "angle", "radius", "theta"]
)


def _grows(key: str, value: Any) -> bool:
    low = key.lower()
    if low in {"sequence", "graticule"}:
        return True  # rows that nobody counted
    if isinstance(value, str):
        return len(value) > _MOST or (low in _EXPRESSIONS and _COSTLY.search(value) is not None)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        several = cast("list[Any]", value) if isinstance(value, list) and low not in _OF_DATA else []
        return any(_grows(key, v) for v in several if isinstance(v, (int, float)))
    if low == "stop":
        return True
    return (low not in _OF_DATA and abs(value) > _MOST) or (low == "step" and abs(value) < _FINEST)


def _settings_of(spec: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every key and value but the rows of the data, which are only ever shown."""
    pending: list[tuple[str, Any]] = [("", spec)]
    while pending:
        parent, node = pending.pop()
        if isinstance(node, dict):
            for key, value in cast("dict[str, Any]", node).items():
                yield key, value
                if key != "datasets" and not (parent == "data" and key == "values"):
                    pending.append((key, value))
        elif isinstance(node, list):
            pending += [(parent, value) for value in cast("list[Any]", node)]


def _leads_out(key: str, value: Any) -> bool:
    if key in {"url", "href"}:
        return True  # a file, a picture for every row, or a link for every row
    if key == "mark":
        kind = cast("dict[str, Any]", value).get("type") if isinstance(value, dict) else value
        return kind == "image"
    if key.lower() in _ADDRESS_KEYS and isinstance(value, str):
        return bool(_ADDRESS.match(value)) and not value.startswith(_INSIDE)
    return isinstance(value, str) and "<a" in value.lower() and "href" in value.lower()
