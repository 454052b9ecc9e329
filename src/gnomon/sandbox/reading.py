"""Reading what a worker sent: code nobody reviewed may have written any of it, so every part is checked and bounded."""

from __future__ import annotations

from typing import Any, cast

from gnomon.sandbox.charts import fetches, is_drawable, is_still, outgrows
from gnomon.sandbox.inside.frames import BrokenFrame, strict_json
from gnomon.sandbox.limits import Limits
from gnomon.sandbox.results import Artefact, Cell, CellError, Figure, FigureKind, Table, Text


def read_error(said: object) -> CellError | None:
    """The error as the worker told it.

    Raises:
        BrokenFrame: It is not of the form of an error.
    """
    if said is None:
        return None
    if not isinstance(said, dict):
        raise BrokenFrame("an error that is no object")
    said = cast("dict[str, Any]", said)
    line = said.get("line")
    source = said.get("source_line")
    return CellError(
        kind=_text(said.get("kind"), 200),
        message=_text(said.get("message"), 4000),
        line=line if type(line) is int and 0 < line < 10**7 else None,
        source_line=None if source is None else _text(source, 1000),
        traceback=_text(said.get("traceback", ""), 8000),
        interrupted=said.get("kind") == "KeyboardInterrupt",
    )


def read_variables(said: object, limits: Limits) -> dict[str, str]:
    """Names and types.

    Raises:
        BrokenFrame: It is not an object of texts.
    """
    if not isinstance(said, dict):
        raise BrokenFrame("variables that are no object")
    pairs = list(cast("dict[str, Any]", said).items())[: limits.variables]
    return {_text(name, 200): _text(kind, 200) for name, kind in pairs}


def read_notes(said: object) -> list[str]:
    """Short texts.

    Raises:
        BrokenFrame: It is not a list of texts.
    """
    if not isinstance(said, list):
        raise BrokenFrame("notes that are no list")
    return [_text(note, 500) for note in cast("list[Any]", said)[:50]]


def read_artefacts(said: object, blobs: list[bytes], limits: Limits) -> tuple[list[Artefact], list[str]]:
    """The artefacts, and what was left out.

    Raises:
        BrokenFrame: They are not of the form of artefacts.
    """
    if not isinstance(said, list) or len(cast("list[Any]", said)) != len(blobs):
        raise BrokenFrame("artefacts that do not match their content")
    artefacts: list[Artefact] = []
    notes: list[str] = []
    if len(blobs) > limits.artefacts:
        notes.append(f"artefacts: only the first {limits.artefacts} are kept")
    for item, blob in list(zip(cast("list[Any]", said), blobs, strict=True))[: limits.artefacts]:
        if not isinstance(item, dict):
            raise BrokenFrame("an artefact that is no object")
        try:
            artefacts.append(_artefact(cast("dict[str, Any]", item), blob, limits))
        except _LeftOut as e:
            notes.append(str(e))
    return artefacts, notes


class _LeftOut(Exception):
    """An artefact that is of the right form but is not taken over."""


def _artefact(item: dict[str, Any], blob: bytes, limits: Limits) -> Artefact:
    kind = item.get("type")
    if kind == "text":
        return Text(blob.decode("utf-8", "replace")[: limits.text_chars])
    if kind == "table":
        return _table(item, blob, limits)
    if kind == "figure":
        return _figure(item, blob)
    raise BrokenFrame("an artefact of an unknown type")


def _figure(item: dict[str, Any], blob: bytes) -> Figure:
    kind, title = item.get("kind"), _text(item.get("title", ""), 300)
    if kind == "png":
        if not is_drawable(blob):
            raise _LeftOut("figure: a picture that is no PNG, or too large to be shown, was left out")
        return Figure("png", title, data=blob)
    if kind == "svg":
        if not is_still(blob):
            raise _LeftOut("figure: an SVG that could run code or fetch something was left out")
        return Figure("svg", title, data=blob)
    if kind in {"vega-lite", "plotly"}:
        spec = strict_json(blob)
        if not isinstance(spec, dict):
            raise BrokenFrame("a chart that is no object")
        spec = cast("dict[str, Any]", spec)
        if fetches(spec):
            raise _LeftOut("figure: a chart that would fetch something was left out")
        if kind == "vega-lite" and outgrows(spec):
            raise _LeftOut("figure: a chart that could take too much time or memory to draw was left out")
        return Figure(cast("FigureKind", kind), title, spec=spec)
    raise BrokenFrame("a figure of an unknown kind")


def _table(item: dict[str, Any], blob: bytes, limits: Limits) -> Table:
    columns, dtypes = (_texts(item.get(part), limits.table_columns) for part in ("columns", "dtypes"))
    rows, total = strict_json(blob), item.get("total")
    if len(columns) != len(dtypes) or not isinstance(rows, list) or type(total) is not int:
        raise BrokenFrame("a table without columns, types and rows")
    body = cast("list[Any]", rows)[: limits.table_rows]
    if not all(isinstance(row, list) and len(cast("list[Any]", row)) == len(columns) for row in body):
        raise BrokenFrame("a table whose rows have other columns")
    cells = tuple(tuple(_cell(v, d, limits) for v, d in zip(row, dtypes, strict=True)) for row in body)
    return Table(_text(item.get("name"), 200), columns, dtypes, cells, max(total, len(cells)))


def _cell(value: object, dtype: str, limits: Limits) -> Cell:
    if isinstance(value, str):
        if value in {"inf", "-inf"} and dtype.lower().startswith(("float", "double")):
            return float(value)
        return value[: limits.text_chars // 10]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    raise BrokenFrame("a cell that is neither text nor number")


def _texts(said: object, limit: int) -> tuple[str, ...]:
    if not isinstance(said, list) or len(cast("list[Any]", said)) > limit:
        raise BrokenFrame("headings that are no list, or too many")
    return tuple(_text(t, 1000) for t in cast("list[Any]", said))


def _text(said: object, limit: int) -> str:
    if not isinstance(said, str):
        raise BrokenFrame("something else where a text belongs")
    return said[:limit].encode("utf-8", "replace").decode()  # no halves of characters
