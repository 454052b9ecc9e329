"""An output that is being judged, and the few judgements that the rules of all tools share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from gnomon.core.errors import PolicyViolation
from gnomon.guardrails.release.cells import MIN_ROWS, rounded
from gnomon.guardrails.release.origin import Origin
from gnomon.guardrails.release.traced import TracedRows

_NUMBERS = ("tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint",
            "uhugeint", "int", "uint", "float", "double", "decimal", "halffloat")  # fmt: skip


@dataclass
class View:
    """An output that is being judged.

    Args:
        tool: The tool that gave it.
        output: Field by field; a rule changes it in place.
        arguments: What the tool was called with.
        inputs: The rows that it was given, by parameter.
        made: The origins of the rows that it made, by field.
        notes: What was withheld.
        uncounted: The fields whose number of rows is withheld: with that of the rows before, it would tell of a few.
    """

    tool: str
    output: dict[str, Any]
    arguments: Mapping[str, Any]
    inputs: Mapping[str, TracedRows]
    made: dict[str, Origin]
    notes: list[str] = field(default_factory=list[str])
    uncounted: set[str] = field(default_factory=set[str])

    @property
    def data(self) -> TracedRows:
        """The first rows."""
        return self.inputs["data"]

    def note(self, text: str) -> None:
        """Say what was withheld."""
        self.notes.append(text)

    @property
    def whole(self) -> bool:
        """Whether a whole table of this machine was looked at: what is missing in it is told of it anyhow."""
        return self.data.frame.is_reference and not self.arguments.get("where")

    def counts(self, *names: str) -> None:
        """Withhold counts of fewer rows than may be spoken of; none at all is one of them."""
        for name in names:
            self.output[name] = self.count(self.output.get(name))

    def sizes(self, *names: str) -> None:
        """The same for counts that, of a whole table, are no secret."""
        if not self.whole:
            self.counts(*names)

    def of_a_whole(self, *names: str) -> None:
        """Withhold how many different values there are in some rows: a condition that is moved would tell single ones."""
        for name in names if not self.whole else ():
            self.output[name] = self.count(0)

    def size(self, value: Any) -> Any:
        """The same for one of them."""
        return value if self.whole else self.count(value)

    def count(self, value: Any) -> Any:
        """``value``, where it counts enough rows."""
        if isinstance(value, int) and not isinstance(value, bool) and value < MIN_ROWS:
            self.note(f"Counts below {MIN_ROWS} are withheld.")
            return None
        return value

    def drop(self, *names: str, why: str) -> None:
        """Withhold fields."""
        for name in names:
            value = self.output.get(name)
            if value is None or value == [] or value == {}:
                continue
            self.note(f"{name}: {why}")
            self.output[name] = [] if isinstance(value, list) else {} if isinstance(value, Mapping) else None

    def require(self, columns: Sequence[str], what: str) -> None:
        """Refuse a figure over too few source rows.

        Raises:
            PolicyViolation: Fewer stand behind the columns than may be spoken of.
        """
        if self.data.behind(columns).get((), 0) < MIN_ROWS:
            raise too_few(what)

    def along_time(self) -> None:
        """Refuse what was cut or put in order by a closed column.

        Raises:
            PolicyViolation: The column of time stamps is one.
        """
        time = self.time_column()
        if time is not None and self.data.origin.closed(time):
            raise refusal([time], "What is told along it would tell of it")

    def value_columns(self) -> list[str]:
        """The column of numbers that a series tool worked on."""
        given = self.arguments.get("value")
        return [str(given)] if given else []

    def time_column(self) -> str | None:
        """The column of time stamps that a series tool worked on: the one named, else the first there is."""
        if given := self.arguments.get("time"):
            return str(given)
        return next(iter(times_of(self.data)), None)


def too_few(what: str) -> PolicyViolation:
    """The refusal of a figure over too few rows."""
    return PolicyViolation(
        f"{what} rests on fewer than {MIN_ROWS} rows, so it is not told.",
        suggestions=["Ask about more rows at once.", "The user can allow it with GNOMON_PRIVACY=full."],
    )


def refusal(
    closed: Iterable[str], why: str = "Nothing is told of it but how many values it has"
) -> PolicyViolation:
    """The refusal of what would tell something of closed columns."""
    named = ", ".join(repr(c) for c in dict.fromkeys(closed))
    return PolicyViolation(
        f"{named} holds personal data, identifiers or free text, or was made of them or of other rows. {why}.",
        suggestions=["Use other columns, or count it.", "The user can allow it with GNOMON_PRIVACY=full."],
    )


def withheld(value: Any) -> Any:
    """``value`` with nothing left of it but its shape."""
    if isinstance(value, Mapping):
        return {k: withheld(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    return [] if isinstance(value, (list, tuple)) else None


def numbers_of(rows: TracedRows) -> list[str]:
    """The columns of numbers among rows."""
    return [name for name, kind in _types(rows) if kind.startswith(_NUMBERS)]


def times_of(rows: TracedRows) -> list[str]:
    """The columns of dates and times among rows."""
    return [name for name, kind in _types(rows) if kind.startswith(("timestamp", "date"))]


def _types(rows: TracedRows) -> list[tuple[str, str]]:
    if rows.frame.is_reference:
        assert rows.dataset is not None
        return [(c.name, c.type.lower()) for c in rows.dataset.table(str(rows.frame.content)).columns]
    return [(f.name, str(f.type)) for f in rows.frame.arrow.schema]


def without_numbers(text: str) -> str:
    """A sentence about single rows, without the figures in it."""
    return re.sub(r"[-−]?\d[\d,.]*", "…", text)


def to_few_digits(value: Any) -> Any:
    return rounded(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def number_of(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def members(items: Any) -> list[dict[str, Any]]:
    """Members of a list as dictionaries that may be changed."""
    return [dict(i) if isinstance(i, Mapping) else dict(i.model_dump()) for i in items]  # pyright: ignore[reportUnknownArgumentType]


def quantiles_told(given: Any, present: int) -> dict[str, Any] | None:
    """Quantiles with enough rows beyond them, as round numbers; of dates, none: each is somebody's day."""
    if not isinstance(given, Mapping):
        return None
    found: dict[str, Any] = {}
    for name, value in cast("Mapping[str, Any]", given).items():
        share = float(name.lstrip("p")) / 100
        beyond = min(share, 1 - share) * present
        told = isinstance(value, (int, float)) and beyond >= MIN_ROWS
        found[name] = rounded(value) if told else None
    return found


def text_of(value: Any) -> str | None:
    if value is None:
        return None
    return (
        str(float(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
    )
