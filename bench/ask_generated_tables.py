"""What a CSV holds, as somebody sees who looks at it with pandas: names, numbers, categories, flags and dates.

Nothing here knows of Gnomon's own view of a table; the truths of the generated questions are queries over this frame.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from gnomon.embedding.lexicon import get_lexicon

_MOST_VALUES = 25
_LEAST_NUMBERS = 8
_MOST_COLUMNS = 40
_PLAIN_VALUE = re.compile(r"[A-Za-z][A-Za-z'&]*(?:[ -][A-Za-z'&]+){0,3}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_YES = ({"yes", "no"}, {"true", "false"}, {"y", "n"})
# A column of such a name cannot be spoken of without its word being taken for the computation.
_COMPUTED = frozenset(
    [
        "average",
        "avg",
        "count",
        "counts",
        "difference",
        "max",
        "maximum",
        "mean",
        "median",
        "min",
        "minimum",
        "number",
        "percent",
        "share",
        "sum",
        "top",
        "total",
        "n",
        "id",
        "index",
        "unit",
        "freq",
        "frequency",
        "rank",
        "order",
        "rows",
        "records",
        "row",
        "record",
        "entries",
    ]
)
# Values that say nothing when they stand alone.
_EMPTY = frozenset(
    [
        "all",
        "any",
        "average",
        "day",
        "each",
        "few",
        "good",
        "high",
        "in",
        "it",
        "low",
        "many",
        "mean",
        "month",
        "more",
        "most",
        "na",
        "no",
        "none",
        "not",
        "of",
        "on",
        "other",
        "others",
        "per",
        "some",
        "the",
        "to",
        "total",
        "unknown",
        "week",
        "with",
        "year",
        "yes",
    ]
)


@dataclass(frozen=True)
class Column:
    """A column and how it is spoken of."""

    name: str
    said: str

    @property
    def sql(self) -> str:
        """Its name in a query."""
        return '"' + self.name.replace('"', '""') + '"'

    @property
    def plural(self) -> str:
        """Several of its values."""
        return plural(self.said)


@dataclass(frozen=True)
class Category(Column):
    """A text column with few values.

    Args:
        values: Those that can be spoken.
        clear: Those that no other column has and no name holds, so that they can be said without the column.
    """

    values: tuple[str, ...] = ()
    clear: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Measure(Column):
    """A column of many numbers; its sorted values are known, so that bounds can be chosen among them."""

    known: tuple[float, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Table:
    """A table as it is seen."""

    path: Path
    frame: pd.DataFrame = field(repr=False)
    rows: tuple[str, ...]
    categories: tuple[Category, ...]
    measures: tuple[Measure, ...]
    dates: tuple[Column, ...]
    names: tuple[Column, ...]
    sparse: tuple[Column, ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of a column's name and every word of a short text in the table, in lower case."""
        heard = {self.path.stem.lower()} | {w for c in self.frame.columns for w in spoken(str(c)).split()}
        for name in self.frame.columns:
            if not pd.api.types.is_numeric_dtype(self.frame[name]):
                for value in self.frame[name].dropna().astype(str).unique()[:5000]:
                    heard.update(re.findall(r"[a-z]+", value.lower()))
        return frozenset(heard)


def spoken(name: str) -> str:
    """A heading as words."""
    return " ".join(re.findall(r"[A-Za-z0-9]+", _CAMEL.sub(" ", name))).lower()


def plural(word: str) -> str:
    """Several of a thing."""
    if word.endswith(("s", "x", "ch", "sh")):
        return word if word.endswith("s") and not word.endswith("ss") else word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def look_at(path: Path) -> Table:
    """Look at a CSV with pandas alone."""
    frame = pd.read_csv(path, low_memory=False)
    unnamed = [c for c in frame.columns if str(c).startswith("Unnamed")]
    frame = frame.drop(columns=unnamed).iloc[:, :_MOST_COLUMNS]
    for name in frame.columns:
        if (days := _as_days(frame[name])) is not None:
            frame[name] = days
    said = {c: spoken(str(c)) for c in frame.columns}
    speakable = [c for c in frame.columns if _can_be_said(said[c], list(said.values()))]
    categories = [c for c in speakable if _is_category(frame[c])]
    clear = _clear_values(frame, categories, list(said.values()))
    return Table(
        path,
        frame,
        _rows_called(path, list(said.values())),
        tuple(
            Category(str(c), said[c], _values(frame[c]), clear[c])
            for c in categories
            if len(_values(frame[c])) > 1
        ),
        tuple(Measure(str(c), said[c], _numbers(frame[c])) for c in speakable if _is_measure(frame[c])),
        tuple(Column(str(c), said[c]) for c in speakable if pd.api.types.is_datetime64_any_dtype(frame[c])),
        tuple(Column(str(c), said[c]) for c in speakable if _is_name(frame[c])),
        tuple(Column(str(c), said[c]) for c in speakable if 0 < frame[c].isna().sum() < len(frame)),
    )


def _as_days(values: pd.Series) -> pd.Series | None:
    """A text column as dates, where nearly all of it can only be dates."""
    if pd.api.types.is_numeric_dtype(values) or values.dropna().empty:
        return None
    texts = values.dropna().astype(str)
    if (
        not texts.head(200).str.contains(r"\d{4}").all()
        or not texts.head(200).str.match(r"^[\w/ :.,T+-]{8,30}$").all()
    ):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for day_first in (False, True):
            days = pd.to_datetime(values, errors="coerce", dayfirst=day_first)
            if days.notna().sum() == len(texts):
                return days
    return None


def _can_be_said(name: str, others: list[str]) -> bool:
    words = name.split()
    return (
        bool(words)
        and len(words) <= 4
        and all(len(w) > 1 and w.isalpha() for w in words)
        and not _COMPUTED.intersection(words)
        and others.count(name) == 1
        and any(len(w) > 2 and set(w) & set("aeiouy") for w in words)
    )


def _is_category(values: pd.Series) -> bool:
    if pd.api.types.is_datetime64_any_dtype(values) or pd.api.types.is_float_dtype(values):
        return False
    if pd.api.types.is_integer_dtype(values):
        return False
    known = values.dropna()
    return 2 <= known.nunique() <= min(_MOST_VALUES, max(2, len(known) // 3))


def _values(values: pd.Series) -> tuple[str, ...]:
    """The values that can be spoken, the frequent ones first; those that differ by their case alone are left out."""
    counted = values.dropna().astype(str).value_counts()
    folded = [v.strip().lower() for v in counted.index]
    return tuple(
        v
        for v in counted.index
        if _PLAIN_VALUE.fullmatch(v) and folded.count(v.lower()) == 1 and v.lower() != "na"
    )


def _clear_values(frame: pd.DataFrame, categories: list[str], said: list[str]) -> dict[str, frozenset[str]]:
    """By column, the values that can only be meant as values of it."""
    owners: dict[str, int] = {}
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            for word in {
                w for v in frame[name].dropna().astype(str).unique()[:5000] for w in v.lower().split()
            }:
                owners[word] = owners.get(word, 0) + 1
    headings = {w for name in said for w in (*name.split(), plural(name))}
    clear: dict[str, frozenset[str]] = {}
    for name in categories:
        values = _values(frame[name])
        words = [w for v in frame[name].dropna().astype(str).unique() for w in v.lower().split()]
        clear[name] = frozenset(
            v
            for v in values
            if len(v) > 2
            and not headings & {*v.lower().split(), plural(v.lower())}
            and not _EMPTY.intersection(v.lower().split())
            and all(owners.get(w, 0) == 1 and words.count(w) == 1 for w in v.lower().split())
        )
        if {v.lower() for v in values} in _YES:
            clear[name] = frozenset()
    return clear


def _is_measure(values: pd.Series) -> bool:
    if not pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return False
    known = values.dropna()
    name = spoken(str(values.name))
    if known.nunique() < _LEAST_NUMBERS or re.search(
        r"\b(id|code|num|no|year|lat|lon|long|latitude|longitude|zip)\b", name
    ):
        return False
    whole = bool((known % 1 == 0).all())
    return not (whole and known.is_unique and known.max() - known.min() < 1.5 * len(known))


def _numbers(values: pd.Series) -> tuple[float, ...]:
    return tuple(sorted(float(v) for v in values.dropna().unique()))


def _is_name(values: pd.Series) -> bool:
    """A text that tells every row from the others."""
    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_any_dtype(values):
        return False
    return len(values) > _LEAST_NUMBERS and bool(values.notna().all()) and values.is_unique


def _rows_called(path: Path, said: list[str]) -> tuple[str, ...]:
    """What the rows are called: rows or records, and the name of the file where that is a thing in the plural."""
    stem = path.stem.lower()
    one = stem[:-3] + "y" if stem.endswith("ies") else stem[:-1]
    known = len(stem) > 4 and stem.isalpha() and stem.endswith("s") and get_lexicon().knows(one)
    taken = any(name in (one, stem) for name in said)
    return ("rows", "records", *([stem] * 2 if known and not taken else []))
