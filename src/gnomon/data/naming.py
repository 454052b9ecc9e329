"""Names for tables and columns: readable, unique, and never empty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from gnomon.core.patterns import regex

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


def column_names(originals: Sequence[str]) -> tuple[list[str], list[str]]:
    """Usable column names for ``originals``, in order, and what was changed, in sentences.

    Spaces around a name go, line breaks inside one become spaces, an empty name becomes
    ``column_<position>``, and a name seen before (ignoring case) gets a number.
    """
    names: list[str] = []
    used: set[str] = set()
    reserved = {_clean(o).casefold() for o in originals}
    empty = duplicates = 0
    for position, original in enumerate(originals, start=1):
        base = _clean(original)
        if not base:
            empty += 1
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
    if duplicates:
        warnings.append(
            f"{_count(duplicates, 'column name is', 'column names are')} used more than once; later ones got a number."
        )
    return names, warnings


def _clean(name: str) -> str:
    return re.sub(r"[\s\x00-\x1f]+", " ", name.replace("\ufeff", "")).strip()


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
