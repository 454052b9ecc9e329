"""Ways to write tables as one JSON object: lists of records under keys, columns as arrays, records by key."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.core.patterns import regex

_WHOLE = regex(r"-?\d+")
_ALIKE = 0.6
_FEWEST = 3
_DEEPEST = 3

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
    """The tables in ``text``; none where it is no single object, or has no table in it but itself."""
    try:
        whole = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None  # lines of objects, or damaged: whoever reads it tells
    if not isinstance(whole, dict) or not whole:
        return None
    return (
        _lists(whole)
        or _arrays(whole)
        or _columns(whole)
        or _by_key(whole)
        or _inside(whole)
        or _nested(whole)
    )


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
