"""Vega-Lite specifications as pictures, without a browser and without the network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

from gnomon.core.errors import InvalidInput, MissingExtra
from gnomon.core.patterns import regex
from gnomon.reporting.text import visible

PNG_SCALE = 2.0
MAX_SPEC_BYTES = 20 << 20
PICTURES = ("json", "svg", "png")
_SVG = "http://www.w3.org/2000/svg"
_ELEMENTS = frozenset(
    {
        "svg",
        "g",
        "path",
        "rect",
        "line",
        "circle",
        "text",
        "tspan",
        "defs",
        "clipPath",
        "linearGradient",
        "stop",
    }
)
_ATTRIBUTES = frozenset(
    {
        "class", "width", "height", "viewBox", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray",
        "stroke-opacity", "stroke-miterlimit", "stroke-linecap", "stroke-linejoin", "stroke-dashoffset", "opacity",
        "transform", "d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "text-anchor",
        "font-family", "font-size", "font-weight", "font-style", "display", "id", "clip-path", "clip-rule", "offset",
        "stop-color", "stop-opacity", "version",
    }
)  # fmt: skip
# What the widest usual font (DejaVu Sans, Verdana) takes against the one that is measured with.
_WIDER = 1.2
_FONT_SIZE = regex(r'font-size="([\d.]+)px"')
_LOCAL = regex(r"url\(#([\w-]+)\)")


def render_svg(spec: Mapping[str, Any]) -> str:
    """A chart as SVG text.

    Raises:
        InvalidInput: The specification is too large, or cannot be drawn.
        MissingExtra: The extra ``charts`` is not installed.
    """
    drawn = _rendered(_widened(dict(spec)), "svg").decode()
    return _FONT_SIZE.sub(lambda m: f'font-size="{float(m[1]) / _WIDER:.1f}px"', drawn)


def _widened(part: Any) -> Any:
    """The specification with larger texts: room for whatever font the reader's machine has, which may be a wide one."""
    if isinstance(part, Mapping):
        given = cast("Mapping[str, Any]", part)
        return {
            k: v * _WIDER
            if k.lower().endswith("fontsize") and isinstance(v, (int, float))
            else v
            if k == "data"
            else _widened(v)
            for k, v in given.items()
        }
    return [_widened(p) for p in cast("list[Any]", part)] if isinstance(part, list) else part


def inline_svg(spec: Mapping[str, Any], prefix: str) -> str:
    """A chart as SVG to stand inside a page, without its title: only shapes and texts, nothing that acts or fetches.

    Args:
        spec: The specification.
        prefix: Put before each id, so that several charts fit into one page.
    """
    bare = {k: v for k, v in spec.items() if k not in ("title", "background")}
    drawn = render_svg({**bare, "background": "transparent"})
    root = ElementTree.fromstring(drawn)  # noqa: S314  made by the renderer above, never read from outside
    ElementTree.register_namespace("", _SVG)
    _restrict(root, prefix)
    return ElementTree.tostring(root, encoding="unicode")


def _restrict(node: ElementTree.Element, prefix: str) -> None:
    for name in list(node.attrib):
        if name not in _ATTRIBUTES:
            del node.attrib[name]
            continue
        value = node.attrib[name]
        if name == "id":
            node.attrib[name] = f"{prefix}-{value}"
        elif "url(" in value:
            local = _LOCAL.fullmatch(value)
            node.attrib[name] = f"url(#{prefix}-{local[1]})" if local else "none"
    if node.text:
        node.text = visible(node.text)
    for child in list(node):
        if str(child.tag).removeprefix(f"{{{_SVG}}}") not in _ELEMENTS:
            node.remove(child)
        else:
            _restrict(child, prefix)


def check_kind(kind: str) -> None:
    """Refuse what a chart cannot be written as.

    Raises:
        InvalidInput: It is neither ``json``, ``svg`` nor ``png``.
    """
    if kind not in PICTURES:
        raise InvalidInput(
            f"A chart cannot be written as {kind or 'a file without ending'!r}.",
            suggestions=["Use .json, .svg or .png."],
        )


def picture(spec: Mapping[str, Any], kind: str) -> bytes:
    """A chart as ``json``, ``svg`` or ``png``.

    Raises:
        InvalidInput: It is another kind, or the chart cannot be drawn.
        MissingExtra: The extra ``charts`` is needed for a picture and is not installed.
    """
    check_kind(kind)
    if kind == "json":
        return json.dumps(dict(spec), ensure_ascii=False, indent=2).encode()
    return render_svg(spec).encode() if kind == "svg" else _rendered(spec, kind)


def write_chart(spec: Mapping[str, Any], path: Path) -> None:
    """Write a chart as ``.json``, ``.svg`` or ``.png``, by the ending of ``path``; errors as for :func:`picture`."""
    path.write_bytes(picture(spec, kind_of(path)))


def kind_of(path: Path) -> str:
    """What a chart is written as, by the ending of ``path``."""
    return path.suffix.lower().lstrip(".")


def _rendered(spec: Mapping[str, Any], kind: str) -> bytes:
    # The renderer aborts the whole process on some signs that no chart can show.
    text = json.dumps(_shown(dict(spec)))
    if len(text) > MAX_SPEC_BYTES:
        raise InvalidInput("The chart holds too much data to be drawn.", suggestions=["Draw fewer points."])
    converter = _converter()
    try:
        if kind == "png":
            return converter.vegalite_to_png(text, scale=PNG_SCALE, allowed_base_urls=[])
        return converter.vegalite_to_svg(text, allowed_base_urls=[]).encode()
    except ValueError as e:
        reason = str(e).strip().splitlines()[0][:200]
        raise InvalidInput(f"The chart could not be drawn: {reason}") from e


def _shown(value: Any) -> Any:
    """The specification with every text as it can be shown."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {str(k): _shown(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_shown(v) for v in cast("list[Any]", value)]
    return value if value is None or isinstance(value, (bool, int, float)) else visible(str(value))


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra.named("charts", "Drawing a chart as a picture") from None
    return vl_convert
