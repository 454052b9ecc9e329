"""What a cell shows: frames become tables, charts become pictures or specifications, the rest becomes text."""

from __future__ import annotations

import io
import json
import math
import os
import stat
import sys
from collections.abc import Iterable
from typing import Any

PICTURES = {".png": "png", ".svg": "svg"}


class Shown:
    """What one cell showed, in order, within the limits.

    Args:
        limits: ``artefacts``, ``artefacts_mb``, ``table_rows``, ``table_columns`` and ``text_chars``.
    """

    def __init__(self, limits: dict[str, Any]) -> None:
        self.limits = limits
        self.artefacts: list[dict[str, Any]] = []
        self.blobs: list[bytes] = []
        self.truncated: list[str] = []

    def show(self, value: Any, name: str = "table") -> None:
        """Add ``value`` as what it is best looked at as."""
        if value is None or _is_drawing(value):
            return  # what is drawn with pyplot is collected at the end of the cell
        kind = type(value)
        module, label = kind.__module__.partition(".")[0], kind.__name__
        if module == "altair" and hasattr(value, "to_dict"):
            self._altair(value)
        elif module == "plotly" and hasattr(value, "to_json"):
            self._add(
                {"type": "figure", "kind": "plotly", "title": _plotly_title(value)}, value.to_json().encode()
            )
        elif module == "matplotlib" and label == "Figure":
            self.picture(value)
        elif (frame := _frame(value, self.limits)) is not None:
            self._table(*frame, name=name)
        else:
            self._text(value)

    def picture(self, figure: Any) -> None:
        """Add a matplotlib figure."""
        target = io.BytesIO()
        figure.savefig(target, format="png", bbox_inches="tight")
        self._add({"type": "figure", "kind": "png", "title": _drawn_title(figure)}, target.getvalue())

    def saved(self, paths: Iterable[str]) -> None:
        """Add pictures that the cell wrote into its folder."""
        for path in paths:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(fd, "rb") as f:  # noqa: PTH123
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    continue
                data = f.read(self._room() + 1)
            stem, ending = os.path.splitext(os.path.basename(path))  # noqa: PTH119, PTH122
            self._add({"type": "figure", "kind": PICTURES[ending.lower()], "title": stem}, data)

    def _altair(self, chart: Any) -> None:
        import altair

        altair.data_transformers.disable_max_rows()  # the size of the specification is limited instead
        spec = chart.to_dict()
        title = spec.get("title", "")
        title = title.get("text", "") if isinstance(title, dict) else title
        title = " ".join(title) if isinstance(title, list) else title
        data = json.dumps(spec, allow_nan=False, default=str).encode()
        self._add({"type": "figure", "kind": "vega-lite", "title": str(title)}, data)

    def _table(
        self, columns: list[str], dtypes: list[str], rows: list[list[Any]], total: int, *, name: str
    ) -> None:
        width = self.limits["table_columns"]
        if total > len(rows):
            self.truncated.append(f"{name}: {len(rows):,} of {total:,} rows")
        if len(columns) > width:
            self.truncated.append(f"{name}: {width:,} of {len(columns):,} columns")
        data = json.dumps(
            [[_cell(v, self.limits) for v in row[:width]] for row in rows], allow_nan=False
        ).encode()
        head = {
            "type": "table",
            "name": name,
            "columns": columns[:width],
            "dtypes": dtypes[:width],
            "total": total,
        }
        self._add(head, data)

    def _text(self, value: Any) -> None:
        limit = self.limits["text_chars"]
        text = repr(value)
        if len(text) > limit:
            self.truncated.append(f"text: {limit:,} of {len(text):,} characters")
        self._add({"type": "text"}, text[:limit].encode("utf-8", "replace"))

    def _add(self, artefact: dict[str, Any], data: bytes) -> None:
        if len(self.artefacts) >= self.limits["artefacts"]:
            self.truncated.append(f"artefacts: only the first {self.limits['artefacts']} are kept")
        elif len(data) > self._room():
            self.truncated.append(
                f"{artefact['type']}: {len(data):,} bytes are more than the limit of a cell"
            )
        else:
            artefact["title"] = str(artefact.get("title", ""))[:300]
            self.artefacts.append(artefact)
            self.blobs.append(data)

    def _room(self) -> int:
        return self.limits["artefacts_mb"] * 1024 * 1024 - sum(map(len, self.blobs))


def _is_drawing(value: Any) -> bool:
    """Whether it is a part of a matplotlib figure, or a collection of such parts."""
    if type(value).__name__ == "ndarray":
        value = value.flat[:1].tolist() if value.dtype == object else []
    if isinstance(value, (list, tuple)):
        return bool(value) and len(value) < 10_000 and all(map(_is_drawing, value[:3]))
    return type(value).__module__.startswith("matplotlib.") and type(value).__name__ != "Figure"


def _frame(value: Any, limits: dict[str, Any]) -> tuple[list[str], list[str], list[list[Any]], int] | None:
    """Columns, types, first rows and number of rows, where the value is a table of any library."""
    kind = type(value)
    name = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    rows = limits["table_rows"]
    if name == "pandas.Styler":
        return _frame(value.data, limits)
    if name == "pandas.Series":
        return _frame(value.to_frame("value" if value.name is None else value.name), limits)
    if name == "pandas.DataFrame":
        first = value.head(rows)
        keys = [] if type(value.index).__name__ == "RangeIndex" else list(range(value.index.nlevels))
        columns = [str(value.index.names[k] or "index") for k in keys] + [_heading(c) for c in value.columns]
        dtypes = [str(value.index.get_level_values(k).dtype) for k in keys] + [str(t) for t in value.dtypes]
        series = [first.index.get_level_values(k) for k in keys] + [
            first.iloc[:, i] for i in range(value.shape[1])
        ]
        series = series[: limits["table_columns"]]
        return columns, dtypes, [list(row) for row in zip(*series, strict=True)], len(value)
    if name in {"duckdb.DuckDBPyRelation", "_duckdb.DuckDBPyRelation"}:
        total = value.aggregate("count(*)").fetchone()[0]
        return (
            list(value.columns),
            [str(t) for t in value.dtypes],
            [list(r) for r in value.limit(rows).fetchall()],
            total,
        )
    if name == "pyarrow.Table":
        first = value.slice(0, rows).to_pydict()
        body = [list(row) for row in zip(*first.values(), strict=True)]
        return value.column_names, [str(f.type) for f in value.schema], body, value.num_rows
    if name == "polars.DataFrame":
        return (
            value.columns,
            [str(t) for t in value.dtypes],
            [list(r) for r in value.head(rows).rows()],
            value.height,
        )
    return None


def _heading(label: Any) -> str:
    return " ".join(str(part) for part in label if str(part)) if isinstance(label, tuple) else str(label)


def _cell(value: Any, limits: dict[str, Any]) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value[: limits["text_chars"] // 10] if isinstance(value, str) else value
    if hasattr(value, "item") and type(value).__module__ == "numpy":
        value = value.item()
    if isinstance(value, float):
        return None if math.isnan(value) else value if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    if type(value).__name__ in {"NaTType", "NAType"}:
        return None
    return (value.isoformat() if hasattr(value, "isoformat") else str(value))[: limits["text_chars"] // 10]


def _drawn_title(figure: Any) -> str:
    above = figure.get_suptitle() if hasattr(figure, "get_suptitle") else ""
    return above or next((t for axes in figure.axes if (t := axes.get_title())), "")


def _plotly_title(figure: Any) -> str:
    return str(getattr(getattr(figure.layout, "title", None), "text", None) or "")


def open_figures() -> list[Any]:
    """The pyplot figures that stand open; they are closed."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return []
    figures = [pyplot.figure(n) for n in pyplot.get_fignums()]
    pyplot.close("all")
    return figures
