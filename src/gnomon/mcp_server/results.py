"""Results on their way to an agent: bounded previews, and a handle under which the rest can be read."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from gnomon.core.errors import InvalidInput, NotFound, PolicyViolation
from gnomon.execution.plain import plain
from gnomon.guardrails.release.cells import MIN_ROWS, CellGuard
from gnomon.guardrails.release.origin import OWN, UNKNOWN, Origin
from gnomon.tools import Frame

MAX_RESULTS = 64
LIST_ITEMS = (50, 20, 5, 1)
TEXT_LENGTH = 4000
MESSAGE_LENGTH = 32_000
PAGE_ITEMS = 50
MAX_PAGE = 500


@dataclass(frozen=True)
class KeptResult:
    """The whole output of a call.

    Args:
        output: Field by field, with what may not leave taken out already, rows aside.
        guard: Keeps cells out of what is read from it.
        own_rows: Whether all of it may be read by the one who called.
        open_rows: The fields whose rows may be read by anybody.
        known: Texts that may pass the guard.
    """

    output: Mapping[str, Any]
    guard: CellGuard
    own_rows: bool
    open_rows: frozenset[str] = frozenset()
    known: frozenset[str] = field(default=frozenset())
    origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin])

    def rows(self, name: str) -> tuple[Frame, Origin]:
        """The rows of a field, for another call, and where they come from.

        Raises:
            NotFound: The result has no such rows.
        """
        frames = {k: v for k, v in self.output.items() if isinstance(v, Frame)}
        if not name and len(frames) == 1:
            name = next(iter(frames))
        if name not in frames:
            raise NotFound.among("field with rows", name, frames)
        return frames[name], OWN if self.own_rows else self.origins.get(name, UNKNOWN)


@dataclass(frozen=True)
class Shown:
    """A preview: JSON data that is small enough to send, and what was cut."""

    value: dict[str, Any]
    truncated: list[dict[str, Any]]


def described(rows: Frame, origin: Origin = OWN, *, counted: bool = True) -> dict[str, Any]:
    """Rows as they may always be told of: which columns, and how many where that tells of no single row."""
    columns = [{"name": f.name, "type": str(f.type)} for f in rows.arrow.schema]
    told = counted and (origin.own or origin.least(len(rows)) >= MIN_ROWS)
    return {"row_count": len(rows) if told else None, "columns": columns}


def preview(
    output: Mapping[str, Any],
    handle: str,
    open_rows: Container[str],
    origins: Mapping[str, Origin] | None = None,
    uncounted: Container[str] = (),
) -> Shown:
    """``output`` as JSON data within bounds; long lists are cut until it fits.

    Args:
        output: Field by field.
        handle: Under which the whole is kept.
        open_rows: The fields whose rows are shown; others are only described.
        origins: Where the rows of the fields come from.
        uncounted: The fields whose number of rows is not told.
    """
    shown = Shown({}, [])
    for limit in LIST_ITEMS:
        truncated: list[dict[str, Any]] = []
        value = {
            name: _rows_preview(
                name,
                item,
                handle,
                name in open_rows,
                limit,
                truncated,
                described(
                    item,
                    OWN if name in open_rows else (origins or {}).get(name, OWN),
                    counted=name not in uncounted,
                ),
            )
            if isinstance(item, Frame)
            else _cut(plain(item), name, limit, truncated)
            for name, item in output.items()
        }
        shown = Shown(value, truncated)
        if len(json.dumps(value, ensure_ascii=False, default=str)) <= MESSAGE_LENGTH:
            return shown
    return shown


def _rows_preview(
    name: str,
    rows: Frame,
    handle: str,
    share: bool,
    limit: int,
    truncated: list[dict[str, Any]],
    told: dict[str, Any],
) -> dict[str, Any]:
    shown = {**told, "handle": f"{handle}.{name}"}
    if share:
        shown["rows"] = [plain(r) for r in rows.to_rows(limit)]
        if len(rows) > limit:
            truncated.append({"field": name, "shown": limit, "total": len(rows)})
    return shown


def _cut(value: Any, path: str, limit: int, truncated: list[dict[str, Any]]) -> Any:
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if len(items) > limit:
            truncated.append({"field": path, "shown": limit, "total": len(items)})
        return [_cut(v, f"{path}[{i}]", limit, truncated) for i, v in enumerate(items[:limit])]
    if isinstance(value, dict):
        pairs = list(cast("dict[str, Any]", value).items())
        if len(pairs) > 4 * limit:
            truncated.append({"field": path, "shown": 4 * limit, "total": len(pairs)})
        return {k: _cut(v, f"{path}.{k}", limit, truncated) for k, v in pairs[: 4 * limit]}
    if isinstance(value, str) and len(value) > TEXT_LENGTH:
        truncated.append({"field": path, "shown": TEXT_LENGTH, "total": len(value)})
        return value[:TEXT_LENGTH]
    return value


def page(kept: KeptResult, path: str, offset: int, limit: int, *, share_rows: bool) -> dict[str, Any]:
    """Some items of a field of a kept result.

    Args:
        kept: The result.
        path: The field, such as ``rows`` or ``segments[0].columns``.
        offset: The first item.
        limit: How many items.
        share_rows: Whether rows may be read.

    Raises:
        NotFound: It has no such field.
        PolicyViolation: The field holds rows, and those stay here.
        InvalidInput: The field is no list.
    """
    value = _at(kept.output, path)
    free = share_rows or kept.own_rows
    if isinstance(value, Frame):
        if not (free or path in kept.open_rows):
            raise PolicyViolation(
                "Rows stay on this machine.",
                suggestions=[
                    'Pass {"table": "…"} with the handle of the rows as data of another tool, such as aggregate.',
                    "The user can start the server with --share-rows.",
                ],
            )
        items, total = [plain(r) for r in value.arrow.slice(offset, limit).to_pylist()], len(value)
    elif isinstance(value, str):
        whole = value if free else kept.guard.masked(value, kept.known)
        return _page(path, offset, [whole[offset : offset + TEXT_LENGTH]], TEXT_LENGTH, len(whole))
    else:
        listed = _listed(plain(value), path)
        items, total = listed[offset : offset + limit], len(listed)
    items = items if free else kept.guard.masked(items, kept.known)
    while len(items) > 1 and len(json.dumps(items, ensure_ascii=False)) > MESSAGE_LENGTH:
        items = items[: len(items) // 2]
    return _page(path, offset, items, len(items), total)


def _page(path: str, offset: int, items: list[Any], taken: int, total: int) -> dict[str, Any]:
    following = offset + taken
    return {
        "field": path,
        "offset": offset,
        "total": total,
        "items": items,
        "next_offset": following if taken and following < total else None,
    }


def _listed(whole: Any, path: str) -> list[Any]:
    if isinstance(whole, dict):
        return [{"key": k, "value": v} for k, v in cast("dict[str, Any]", whole).items()]
    if not isinstance(whole, list):
        raise InvalidInput(f"{path!r} holds a single value, which the result itself shows.")
    return cast("list[Any]", whole)


def _at(output: Mapping[str, Any], path: str) -> Any:
    value: Any = output
    for part in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(value, Mapping):
            known = cast("Mapping[str, Any]", value)
            if part not in known:
                raise NotFound.among("field", path, known)
            value = known[part]
        elif isinstance(value, (list, tuple)) and part.isdigit():
            items = cast("Sequence[Any]", value)
            if int(part) >= len(items):
                raise NotFound(f"{path!r} is beyond the {len(items)} items there are.")
            value = items[int(part)]
        else:
            raise NotFound(f"The result has no field {path!r}.")
        value = value if isinstance(value, Frame) else _members(value)
    return value


def _members(value: Any) -> Any:
    """A model as a mapping, so that its fields can be followed."""
    fields = getattr(type(value), "model_fields", None)
    return {name: getattr(value, name) for name in fields} if fields else value
