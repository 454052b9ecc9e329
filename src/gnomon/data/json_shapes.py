"""Ways to write tables in JSON without records: rows or columns as arrays, lists of records under keys, records by key."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from gnomon.core.patterns import regex
from gnomon.data import naming
from gnomon.data.csv_header import Header, judge

_WHOLE = regex(r"-?\d+")
_ALIKE = 0.6
_FEWEST = 3
_DEEPEST = 3
_LOOK = 200
_HEADS = frozenset({"columns", "fields", "header", "headers", "head", "cols", "names"})
_NAMES = ("name", "label", "field", "id", "key", "title")

Record = dict[str, Any]


@dataclass(frozen=True)
class Shape:
    """What one object holds.

    Args:
        tables: The records by the name that they have in the object; None for the object as a whole.
        said: What to tell of how it was read.
        nested: Whether it is one row that holds several things in its cells.
    """

    tables: Mapping[str | None, list[Record]]
    said: tuple[str, ...] = ()
    nested: bool = False


def shape_of(text: str) -> Shape | None:
    """The tables in ``text``; none where it is records, or has no table in it but itself."""
    whole = _parsed(text)
    if isinstance(whole, list):
        return _rows(cast("list[Any]", whole), None)
    if not isinstance(whole, dict) or not whole:
        return None
    return (
        _headed(whole)
        or _lists(whole)
        or _arrays(whole)
        or _columns(whole)
        or _by_key(whole)
        or _inside(whole)
        or _nested(whole)
    )


def _parsed(text: str) -> Any:
    """What ``text`` says, arrays on lines of their own as one list; None for lines of objects and what is damaged."""
    try:
        return json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()] if text[:1] == "[" else None
    except (ValueError, RecursionError):
        return None  # whoever reads it tells


def _rows(rows: list[Any], head: list[str] | None, index: list[Any] | None = None) -> Shape | None:
    """Rows as arrays; where nobody names their columns, the first row does so if it reads like names."""
    if not rows or not all(isinstance(r, list) for r in rows):
        return None
    named = "named by a list beside them"
    if head is None:
        if not all(map(_plain, rows)):
            return None
        texts = [["" if c is None else str(c) for c in r] for r in rows[: _LOOK + 1]]
        typed = all(isinstance(c, str) and c.strip() for c in rows[0]) and any(
            not isinstance(c, (str, type(None))) for r in rows[1:] for c in r
        )
        if rows[0] and len(rows) > 1 and (typed or judge(texts[0], texts[1:]) is Header.NAMES):
            head, rows, named = texts[0], rows[1:], "named by the first of them"
        else:
            head, named = [], "which nothing names"
    width = max([len(head), *map(len, rows)])
    names, _ = naming.column_names([*head, *(f"column_{i + 1}" for i in range(len(head), width))])
    records = [dict(zip(names, [*r, *[None] * (width - len(r))], strict=True)) for r in rows]
    if index is not None and index != [*range(len(rows))]:
        records = [
            {"index" if "index" not in names else "row_index": i, **r}
            for i, r in zip(index, records, strict=True)
        ]
    said = [
        f"Rows are written as arrays, their columns {named}."
        if head
        else f"Rows are written as arrays of columns {named}."
    ]
    if ragged := sum(1 for r in rows if len(r) != (len(head) or width)):
        said.append(f"{ragged:,} of {len(rows):,} rows have another number of cells than the others.")
    return Shape({None: records}, tuple(said))


def _headed(whole: Record) -> Shape | None:
    """Rows as arrays under a key, with the names of their columns beside them or as the first of them."""
    places = [o for o in _objects(whole, _DEEPEST) if any(_are_rows(v) for v in o.values())]
    if len(places) != 1 or len(keys := [k for k, v in places[0].items() if _are_rows(v)]) != 1:
        return None
    rows = cast("list[list[Any]]", places[0][keys[0]])
    width = max(map(len, rows))
    heads = {
        k: names
        for k, v in places[0].items()
        if k != keys[0] and (names := _names_in(v)) and len(names) >= width
    }
    known = next((h for k, h in heads.items() if k.casefold() in _HEADS), next(iter(heads.values()), None))
    index = places[0].get("index")
    index = (
        cast("list[Any]", index)
        if isinstance(index, list) and len(cast("list[Any]", index)) == len(rows)
        else None
    )
    if known is not None:
        return _rows(rows, known, index)
    found = _rows(rows, None)
    return found if found and "first of them" in found.said[0] else None


def _are_rows(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(cast("list[Any]", value)) > 0
        and all(isinstance(r, list) for r in cast("list[Any]", value))
    )


def _objects(whole: Record, deep: int) -> Iterator[Record]:
    yield whole
    for value in whole.values():
        if isinstance(value, dict) and deep:
            yield from _objects(cast("Record", value), deep - 1)


def _names_in(value: Any) -> list[str] | None:
    """The names that a list holds, as texts or as objects that say what a column is called."""
    if not isinstance(value, list) or not value:
        return None
    listed = cast("list[Any]", value)
    if all(isinstance(n, dict) for n in listed):
        key = next((k for k in _NAMES if all(isinstance(n.get(k), str) for n in listed)), None)
        listed = [n[key] for n in listed] if key else []
    return [*listed] if listed and all(isinstance(n, str) for n in listed) else None


def _once(pairs: list[tuple[str, Any]]) -> Record:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("A key stands twice in an object.")
    return found


def _lists(whole: Record) -> Shape | None:
    """Several lists of records under keys; one alone is found by the reader itself."""
    lists = {
        k: v for k, v in whole.items() if isinstance(v, list) and v and all(isinstance(r, dict) for r in v)
    }
    if len(lists) < 2:
        return None
    beside = len(whole) - len(lists)
    said = f"{beside} field(s) beside the lists of records were left out." if beside else ""
    return Shape({**lists}, (said,) if said else ())


def _arrays(whole: Record) -> Shape | None:
    """Columns as arrays of one length."""
    columns = list(whole.values())
    if not all(isinstance(c, list) and _plain(c) for c in columns) or len({len(c) for c in columns}) != 1:
        return None
    if len(columns[0]) < 2:
        return None
    rows = zip(*columns, strict=True)
    return Shape(
        {None: [dict(zip(whole, r, strict=True)) for r in rows]}, ("Columns are written as arrays.",)
    )


def _columns(whole: Record) -> Shape | None:
    """Columns as objects of one value for each number of a row."""
    columns = list(whole.values())
    if not all(isinstance(c, dict) and len(c) > 1 and _plain(c.values()) for c in columns):
        return None
    index = list(columns[0])
    if not all(_WHOLE.fullmatch(k) for k in index) or any([*c] != index for c in columns[1:]):
        return None
    if all(_WHOLE.fullmatch(k) for k in whole) and len(whole) > 1:
        return None  # numbers both ways: which are the rows is not plain
    numbered = index == [str(i) for i in range(len(index))]
    name = "index" if "index" not in whole else "row_index"
    rows = [{**({} if numbered else {name: int(i)}), **{n: c[i] for n, c in whole.items()}} for i in index]
    return Shape({None: rows}, ("Columns are written as objects of one value for each row.",))


def _by_key(whole: Record) -> Shape | None:
    """Records by key, with mostly the same fields."""
    if len(whole) < _FEWEST or not all(isinstance(r, dict) and r for r in whole.values()):
        return None
    fields = Counter(f for r in whole.values() for f in r)
    if sum(fields.values()) < _ALIKE * len(fields) * len(whole):
        return None
    if all(_is_table(r) for r in whole.values()):
        return None  # objects of objects: what is a record is not plain
    name = next(n for n in ("key", "record_key", "key_of_record") if n not in fields)
    rows = [{name: key, **r} for key, r in whole.items()]
    return Shape({None: rows}, (f"Records are written by key, which is the column {name!r}.",))


def _inside(whole: Record) -> Shape | None:
    """The only list of records, where objects lie around it."""
    found = list(_lists_in(whole, (), _DEEPEST))
    if len(found) != 1:
        return None
    (path, records) = found[0]
    if len(path) < 2:
        return None  # one alone under a key of the object is found by the reader itself
    said = f"The records are those under {'.'.join(path)!r}; what stands beside them is left out."
    return Shape({path[-1]: records}, (said,))


def _lists_in(
    whole: Record, path: tuple[str, ...], deep: int
) -> Iterator[tuple[tuple[str, ...], list[Record]]]:
    for key, value in whole.items():
        if isinstance(value, dict) and deep:
            yield from _lists_in(value, (*path, key), deep - 1)
        elif isinstance(value, list) and len(value) > 1 and all(isinstance(r, dict) for r in value):
            yield (*path, key), value


def _nested(whole: Record) -> Shape | None:
    """One row, with several things in a cell."""
    inner = [v for v in whole.values() if _holds_several(v)]
    inner += [w for v in whole.values() if isinstance(v, dict) for w in v.values() if _holds_several(w)]
    lists = [v for v in whole.values() if isinstance(v, list) and v and all(isinstance(r, dict) for r in v)]
    return Shape({}, nested=True) if inner and len(lists) != 1 else None


def _holds_several(value: Any) -> bool:
    return (isinstance(value, list) and len(value) > 1) or (
        isinstance(value, dict) and len(value) >= _FEWEST and all(isinstance(v, dict) for v in value.values())
    )


def _is_table(record: Record) -> bool:
    return all(isinstance(v, dict) for v in record.values())


def _plain(values: Iterable[Any]) -> bool:
    return not any(isinstance(v, (dict, list)) for v in values)
