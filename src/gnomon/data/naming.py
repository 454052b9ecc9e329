"""Names for tables and columns: readable, unique, and never empty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from gnomon.core.patterns import regex

LONGEST_NAME = 200
"""Signs of a name that are kept; nobody says more of them, and every rule that reads names takes time for each."""
_WORD = regex(r"[^\W_]|[%$€£]")
_DATA_SUFFIXES = regex(
    r"\.(csv|tsv|tab|txt|psv|dat|json|jsonl|ndjson|geojson|parquet|pq|xlsx|xlsm|xlsb|xls|ods|duckdb|ddb|db|sqlite|sqlite3"
    r"|gz|zst|feather|arrow|ipc)$",
    re.IGNORECASE,
)


def stem(path: Path) -> str:
    """The file name without the endings that only tell its format (``sales.csv.gz`` → ``sales``)."""
    name = path.name
    while (shorter := _DATA_SUFFIXES.sub("", name)) not in ("", name):
        name = shorter
    return name


def readable(text: str) -> str:
    """``text`` as a lower-case name of letters, digits and underscores, in any script: ``LateTrains`` late_trains."""
    apart = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ][^\WA-ZÀ-Þ])|(?<=[a-z]{3})(?=[A-Z]{2,4}(?![A-Za-z]))", "_", text)
    words = re.sub(r"[^\w]+", "_", apart, flags=re.UNICODE).strip("_").lower()
    return re.sub(r"__+", "_", words)[:60].strip("_") or "table"


def unique(name: str, taken: Iterable[str]) -> str:
    """``name``, or ``name_2``, ``name_3``… when it is taken; case does not distinguish names."""
    used = {t.casefold() for t in taken}
    candidate, n = name, 1
    while candidate.casefold() in used:
        n += 1
        candidate = f"{name}_{n}"
    return candidate


def says_nothing(name: str) -> bool:
    """Whether a name is empty or of signs alone (``#``, ``?``), so that nobody can ask by it."""
    return _WORD.search(name[:LONGEST_NAME]) is None


def table_name(name: str) -> str:
    """A table's name as long as names may be; one of signs alone (``🙂``) says nothing to ask by."""
    kept = re.sub(r"[\x00-\x1f\x7f]+", " ", name[:LONGEST_NAME])
    return "table" if says_nothing(kept) else kept


def column_names(originals: Sequence[str]) -> tuple[list[str], list[str]]:
    """Usable column names for ``originals``, in order, and what was changed, in sentences.

    Spaces and ``@`` (which marks parts of time) around a name go, line breaks inside one become spaces, an empty
    name and one of signs alone (``#``) become ``column_<position>``, a long one is cut, and a name seen before
    (ignoring case) gets a number.
    """
    names: list[str] = []
    used: set[str] = set()
    cleaned = [_clean(o) for o in originals]
    reserved = {c.casefold() for c in cleaned}
    empty = signs = duplicates = 0
    for position, base in enumerate(cleaned, start=1):
        if says_nothing(base):
            empty, signs = empty + (not base), signs + bool(base)
            base = f"column_{position}"
        name, n = base, 1
        while name.casefold() in used or (n > 1 and name.casefold() in reserved):
            n += 1
            name = f"{base}_{n}"
        duplicates += n > 1
        used.add(name.casefold())
        names.append(name)
    warnings: list[str] = []
    if empty:
        warnings.append(
            f"{_count(empty, 'column has', 'columns have')} no name and got one from the position."
        )
    if signs:
        warnings.append(
            f"{_count(signs, 'column is', 'columns are')} called by a sign alone and got a name from the position."
        )
    if long := sum(len(o) > 2 * LONGEST_NAME or len(o.strip()) > LONGEST_NAME for o in originals):
        warnings.append(
            f"{_count(long, 'column name is', 'column names are')} longer than {LONGEST_NAME} signs; the rest was cut off."
        )
    if duplicates:
        warnings.append(
            f"{_count(duplicates, 'column name is', 'column names are')} used more than once; later ones got a number."
        )
    return names, warnings


def namesakes(originals: Sequence[str], columns: Sequence[str]) -> dict[str, list[str]]:
    """The columns whose names were seen before, by the first one of that name."""
    first: dict[str, str] = {}
    found: dict[str, list[str]] = {}
    for original, column in zip(originals, columns, strict=True):
        name = _clean(original).casefold()
        if not says_nothing(name) and first.setdefault(name, column) != column:
            found.setdefault(first[name], []).append(column)
    return found


_UNSEEN = dict.fromkeys((*range(0x200B, 0x2010), 0x2060, 0xFEFF))


def _clean(name: str) -> str:
    near = (
        name[: 2 * LONGEST_NAME].translate(_UNSEEN).replace("`", "'")
    )  # which would end the name in a formula
    return re.sub(r"[\s\x00-\x1f]+", " ", near).strip(" @")[:LONGEST_NAME].rstrip()


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
