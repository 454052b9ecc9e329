"""Vega-Lite specifications as pictures, without a browser and without the network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gnomon.core.errors import InvalidInput, MissingExtra
from gnomon.core.visible import visible_json, visible_values

PNG_SCALE = 2.0
_WRITERS = ("json", "svg", "png")


def render_svg(spec: dict[str, Any]) -> str:
    """A chart as SVG text.

    Raises:
        MissingExtra: The extra ``charts`` is not installed.
    """
    return _converter().vegalite_to_svg(visible_values(spec), allowed_base_urls=[])


def write_chart(spec: dict[str, Any], path: Path) -> None:
    """Write a chart as ``.json``, ``.svg`` or ``.png``, by the ending of ``path``.

    Raises:
        InvalidInput: The ending is another one.
        MissingExtra: The extra ``charts`` is needed for a picture and is not installed.
    """
    kind = path.suffix.lower().lstrip(".")
    if kind not in _WRITERS:
        raise InvalidInput(
            f"A chart cannot be written as {path.suffix or 'a file without ending'!r}.",
            suggestions=["Use .json, .svg or .png."],
        )
    if kind == "json":
        path.write_text(visible_json(spec, indent=2), encoding="utf-8")
    elif kind == "svg":
        path.write_text(render_svg(spec), encoding="utf-8")
    else:
        path.write_bytes(
            _converter().vegalite_to_png(visible_values(spec), scale=PNG_SCALE, allowed_base_urls=[])
        )


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra.named("charts", "Drawing a chart as a picture") from None
    return vl_convert
