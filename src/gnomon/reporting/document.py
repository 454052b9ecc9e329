"""One typed document for every report, whoever made it; all formats are written from it alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gnomon.core.answer import ResultTable, cell_text, told_columns, with_unit
from gnomon.core.errors import GnomonError
from gnomon.core.figures import capital, figure, group_name, moment
from gnomon.core.patterns import regex
from gnomon.tools.chart_frame import period_label

if TYPE_CHECKING:
    from gnomon.data import Dataset

MAX_TABLE_ROWS = 10_000
MAX_FACTS = 500
MAX_CELL = 500
MAX_HASHED_BYTES = 4 << 30
MAX_DECIMALS = 6
MAX_PARTS = 1000
_NUMBER = regex(r"-?[\d,]+(?:\.(\d+))?(?: %)?")
Kind = Literal["answer", "investigation", "analysis", "record"]
Way = Literal["answer", "why", "insights", "investigation", "analysis", "template", "code"]


class _Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class ReportFact(_Frozen):
    """One computed value with where it came from.

    Args:
        name: The exact name, the same each time.
        label: What it is, in words.
        value: The exact value.
        unit: Its unit.
        shown: The value as people read it.
        step: The step that made it.
        computation: The query or computation that made it, as text.
    """

    name: str
    label: str
    value: Any
    unit: str | None = None
    shown: str
    step: str = ""
    computation: str = ""


class ReportTable(_Frozen):
    """Rows of a report; ``total`` counts also those that were left out."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    rates: tuple[str, ...] = ()
    units: tuple[str | None, ...] = ()
    total: int

    @classmethod
    def of(
        cls,
        name: str,
        columns: Sequence[str],
        rows: Sequence[Sequence[Any]],
        rates: Sequence[str] = (),
        units: Sequence[str | None] = (),
    ) -> ReportTable:
        """A table with as many rows as a report can hold."""
        kept = tuple(tuple(r) for r in rows[:MAX_TABLE_ROWS])
        heads = tuple(str(c) for c in columns)
        return cls(
            name=name, columns=heads, rows=kept, rates=tuple(rates), units=tuple(units), total=len(rows)
        )

    @property
    def heads(self) -> tuple[str, ...]:
        """The headings as people read them, with units beside their numbers."""
        return tuple(self.columns[i] for i in told_columns(self._plain))

    @property
    def _plain(self) -> ResultTable:
        return ResultTable(name="", columns=self.columns, rows=self.rows, rates=self.rates, units=self.units)

    def text(self, column: int, value: Any) -> str:
        """A cell as people read it."""
        if isinstance(value, date):
            return period_label(value, self.columns[column])
        plain = ResultTable(name="", columns=self.columns, rows=(), rates=self.rates)
        if (keyed := cell_text(plain, column, value)) is not None:
            return keyed
        if value is None:
            return "–"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return figure(value)
        text = group_name(value)
        return text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]} …"

    def lines(self, rows: int, columns: int) -> list[list[str]]:
        """The first cells as people read them; the numbers of a column have the same number of decimals."""
        kept = self.rows[:rows]
        plain = self._plain
        written: list[list[str]] = []
        for i in told_columns(plain)[:columns]:
            units = [with_unit(plain, k, i) for k in range(len(kept))]
            texts = _alike([r[i] for r in kept], [self.text(i, r[i]) for r in kept])
            written.append([u or t for u, t in zip(units, texts, strict=True)])
        return [[column[k] for column in written] for k in range(len(kept))]

    def right(self) -> list[bool]:
        """Which of the headings stand above numbers, which stand to the right."""
        return [self._is_numeric(i) for i in told_columns(self._plain)]

    def _is_numeric(self, column: int) -> bool:
        values = [r[column] for r in self.rows if r[column] is not None]
        return bool(values) and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def _alike(values: Sequence[Any], texts: list[str]) -> list[str]:
    """The texts of a column with the decimals of the longest; as they are where one of them is no plain number."""
    known = [(v, _NUMBER.fullmatch(t)) for v, t in zip(values, texts, strict=True) if _is_number(v)]
    decimals = max((len(m[1] or "") for _, m in known if m), default=0)
    if decimals == 0 or decimals > MAX_DECIMALS or not all(m for _, m in known):
        return texts
    return [
        (f"{100 * v:,.{decimals}f} %" if t.endswith("%") else f"{v:,.{decimals}f}") if _is_number(v) else t
        for v, t in zip(values, texts, strict=True)
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class ReportChart(_Frozen):
    """A chart with what it shows, in words."""

    title: str
    alt: str
    spec: dict[str, Any]

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> ReportChart:
        """A chart from its Vega-Lite specification."""
        title = spec.get("title", "")
        text: Any = title.get("text", "") if isinstance(title, Mapping) else title
        head = " ".join(str(line) for line in text) if isinstance(text, list) else str(text)
        return cls(title=head, alt=str(spec.get("description") or head), spec=dict(spec))


class CodeCell(_Frozen):
    """A piece of code that ran, and what it printed."""

    title: str = ""
    language: str = "python"
    code: str
    output: str = ""


class Section(_Frozen):
    """A part of the report under its own heading."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    charts: tuple[ReportChart, ...] = ()
    cells: tuple[CodeCell, ...] = ()
    notes: tuple[str, ...] = ()


class Step(_Frozen):
    """One step of the plan: which tool was called, with what, on what, and the query that ran."""

    id: str
    tool: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    query: str = ""

    @property
    def name(self) -> str:
        """What it did, in words."""
        return capital(self.tool.replace("_", " ").strip() or self.id)


class Source(_Frozen):
    """Where rows came from, precise enough to see later that they changed."""

    name: str
    location: str
    tables: tuple[str, ...] = ()
    size: int | None = None
    modified: str | None = None
    sha256: str | None = None

    @property
    def changed(self) -> str:
        """When it was written last, in words."""
        try:
            return f"{moment(datetime.fromisoformat(self.modified or ''))} UTC"
        except ValueError:
            return self.modified or ""


class Recipe(_Frozen):
    """What it takes to compute the document again: which way, on what, and with what.

    Args:
        kind: ``answer``, ``why``, ``insights``, ``investigation``, ``analysis`` of planned tools, ``template`` for a
            template's own plan, ``code`` for cells that a language model wrote.
        sources: What to open; names alone where whoever took the report may not know where files lie.
        arguments: The rest, by kind.
    """

    kind: Way
    sources: tuple[str, ...] = ()
    arguments: dict[str, Any] = Field(default_factory=dict)


class Document(_Frozen):
    """A report before it has a format.

    Args:
        kind: What it was made from.
        title: What it is about: the question, the task, the data.
        status: How it ended.
        reading: How the question was understood.
        sections: The parts, in order.
        facts: Every value that was computed for it.
        steps: How the values were computed.
        notes: What limits it.
        sources: The data it was made from.
        privacy: What a language model was shown; None means that none was used.
        versions: Of Gnomon, and of what it computed with.
        recipe: How to compute it again, where that is possible.
    """

    kind: Kind
    title: str
    status: str = "answered"
    reading: str = ""
    sections: tuple[Section, ...] = ()
    facts: tuple[ReportFact, ...] = ()
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    privacy: str | None = None
    versions: dict[str, str] = Field(default_factory=dict)
    recipe: Recipe | None = None

    @property
    def tables(self) -> list[ReportTable]:
        """The tables of all sections."""
        return [t for s in self.sections for t in s.tables]

    @property
    def charts(self) -> list[ReportChart]:
        """The charts of all sections."""
        return [c for s in self.sections for c in s.charts]

    def step_name(self, step: str) -> str:
        """What the step of this id did, in words; the id where there is no such step."""
        return next((s.name for s in self.steps if s.id == step), step)

    @property
    def privacy_in_words(self) -> str:
        """What left this machine."""
        if self.privacy is None:
            return "No language model was used; nothing left this machine."
        return f"A language model was used at the privacy level “{self.privacy}”."


def versions() -> dict[str, str]:
    """What computes: Gnomon and the libraries whose change could change a number."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, str] = {}
    for name in ("gnomon", "duckdb", "numpy", "pandas", "scikit-learn", "pyod"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**found, "python": platform.python_version()}


def source_file(path: Path, tables: Iterable[str] = (), location: str | None = None) -> Source:
    """A file with its size, time and digest; very large ones are told apart by size and time alone."""
    stat = path.stat()
    changed = datetime.fromtimestamp(stat.st_mtime, UTC).isoformat(timespec="seconds")
    digest = None
    if stat.st_size <= MAX_HASHED_BYTES:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Source(
        name=path.name,
        location=location or str(path),
        tables=tuple(tables),
        size=stat.st_size,
        modified=changed,
        sha256=digest,
    )


def sources_of(dataset: Dataset) -> tuple[Source, ...]:
    """Where the tables of a data set come from, each file once."""
    held: dict[str, list[str]] = {}
    for table in dataset:
        whole = table.source
        location = whole if Path(whole).is_file() else whole.partition("#")[0]
        for path in _files_behind(location) or [location]:
            held.setdefault(str(path), []).append(table.name)
    return tuple(
        source_file(Path(location), tables)
        if Path(location).is_file()
        else Source(name=location.rsplit("/", 1)[-1] or location, location=location, tables=tuple(tables))
        for location, tables in held.items()
    )


def _files_behind(location: str) -> list[Path]:
    """The files that a table was read from: one, or the parts that a folder or a pattern stands for."""
    from gnomon.data.locate import locate

    if Path(location).is_file() or "://" in location:
        return []
    try:
        found = [path for part in locate(location) for path in part.paths]
    except GnomonError:
        return []
    return found if len(found) <= MAX_PARTS else []
