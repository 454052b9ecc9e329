"""The data sets that an agent has opened, and how the tables in a call's arguments are found."""

from __future__ import annotations

import glob
import json
import threading
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gnomon.core.errors import (
    DataUnavailable,
    InvalidInput,
    NotFound,
    PolicyViolation,
    UnreadableSource,
)
from gnomon.core.settings import Settings
from gnomon.guardrails.release.cells import MIN_ROWS, CellGuard, TableCells
from gnomon.guardrails.release.origin import OWN, UNKNOWN, Origin
from gnomon.guardrails.release.traced import TracedRows, persons_in
from gnomon.mcp_server.handles import Handles
from gnomon.tools import Frame

if TYPE_CHECKING:
    from gnomon.agents.analyst import Analyst
    from gnomon.data import Dataset, DatasetProfile, SafeProfile
    from gnomon.mcp_server.results import KeptResult
    from gnomon.semantic.model import SemanticModel

MAX_DATASETS = 16
MAX_PATHS = 100


@dataclass
class OpenDataset:
    """A data set with its profile, and what may be told of it."""

    dataset: Dataset
    paths: tuple[str, ...]
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _profiled: DatasetProfile | None = field(default=None, repr=False)
    _understood: SemanticModel | None = field(default=None, repr=False)
    _analyst: Analyst | None = field(default=None, repr=False)
    _origins: dict[str, Origin] = field(default_factory=dict[str, "Origin"], repr=False)

    def analyst(self, settings: Settings, *, share_rows: bool = False) -> Analyst:
        """Who answers questions about it, without knowing the values of closed columns, and rare ones; made when first asked for."""
        from gnomon.opening import analyst_over

        untold = None if share_rows else self._closed_dimensions
        _ = self.profiled
        with self._lock:
            if self._analyst is None:
                self._analyst = analyst_over(self.dataset, settings, untold=untold, fewest_rows=MIN_ROWS)
            return self._analyst

    def _closed_dimensions(self, model: SemanticModel) -> frozenset[str]:
        origins = {
            t.name: Origin.of_table(t.name, t) for t in (self._profiled.tables if self._profiled else ())
        }
        return frozenset(
            d.name
            for d in model.dimensions
            if (o := origins.get(d.home.table)) is None or o.closed(d.home.column)
        )

    def close(self) -> None:
        """Close the tables, and end what runs on them."""
        if self._analyst is not None:
            self._analyst.close()
        self.dataset.close()

    @property
    def profiled(self) -> DatasetProfile:
        """Everything about its columns; made when first asked for, for this machine only."""
        from gnomon.data import profile_dataset

        with self._lock:
            if self._profiled is None:
                self._profiled = profile_dataset(self.dataset)
            return self._profiled

    @property
    def understood(self) -> SemanticModel:
        """What its tables mean, found within the time that opening may take; made when first asked for."""
        from gnomon.data.opening_limit import Deadline, in_time
        from gnomon.semantic.infer import infer_model

        profiled, settings = self.profiled, self.dataset.settings or Settings.load()
        with self._lock:
            if self._understood is None:
                with in_time("What the tables mean", self.dataset.interrupt, deadline=Deadline(settings)):
                    self._understood = infer_model(profiled, self.dataset)
            return self._understood

    @property
    def profile(self) -> SafeProfile:
        """Names, types, counts and null rates."""
        from gnomon.data import build_safe_profile

        return build_safe_profile(self.profiled)

    def origin(self, table: str) -> Origin:
        """Where the rows of a table come from, and which of its columns are closed."""
        if table not in self._origins:
            found = next((t for t in self.profiled.tables if t.name == table), None)
            persons = partial(persons_in, self.dataset, self.dataset.settings or Settings.load())
            self._origins[table] = Origin.of_table(table, found, persons) if found is not None else UNKNOWN
        return self._origins[table]


@dataclass(frozen=True)
class Resolved:
    """The arguments of a call with their tables found.

    Args:
        arguments: The arguments; rows of other data sets than ``dataset`` are read into them.
        dataset: The data set that table names in the arguments belong to.
        inputs: The rows in them, with where they come from.
        guard: Keeps the cells of those tables, and of what they were made of, from leaving.
    """

    arguments: dict[str, Any]
    dataset: Dataset | None
    inputs: Mapping[str, TracedRows]
    guard: CellGuard

    @property
    def own_rows(self) -> bool:
        """Whether every row came from the caller, who may see them again."""
        return all(t.origin.own for t in self.inputs.values())


class OpenDatasets:
    """Opens data sets within the folders that are allowed, and finds their tables by name.

    Args:
        settings: Which folders clients may read.
        files: Files, folders and database URLs that were named when the server started; they are opened.
        share_rows: Whether the reasons of failures, which may quote cells, are told.
    """

    def __init__(self, settings: Settings, files: Sequence[str] = (), *, share_rows: bool = False) -> None:
        self._settings = settings
        self._share_rows = share_rows
        named = [str(Path(f).expanduser()) for f in files if "://" not in f]
        matched = [m for f in named for m in (glob.glob(f, recursive=True) if glob.has_magic(f) else [f])]  # noqa: PTH207
        self._files = tuple(Path(f).resolve() for f in matched)
        self._roots = (*(r.expanduser().resolve() for r in settings.data_roots), *self._files)
        self._handles: Handles[OpenDataset] = Handles(
            "ds", "data set", MAX_DATASETS, dropped=OpenDataset.close
        )
        if files:
            self._open(tuple(f if "://" in f else str(Path(f).expanduser().resolve()) for f in files))

    def open(self, paths: Sequence[str]) -> tuple[str, OpenDataset]:
        """Open files as one data set; the same files give the same handle while it is open.

        Raises:
            PolicyViolation: A path lies outside the allowed folders.
            DataUnavailable: A file is not there or cannot be read.
        """
        if not paths or len(paths) > MAX_PATHS:
            raise InvalidInput(f"Name 1 to {MAX_PATHS} files or folders.")
        allowed = tuple(self._allowed(p) for p in paths)
        for handle, opened in self._handles.items():
            if opened.paths == allowed:
                return handle, self._handles.get(handle)
        try:
            return self._open(allowed)
        except UnreadableSource as e:
            if self._share_rows:
                raise
            names = ", ".join(Path(p).name for p in paths)
            raise UnreadableSource(
                f"{names} cannot be read as a table ({type(e).__name__}).",
                suggestions=["The reason may quote cells: run 'gnomon profile' on this machine to see it."],
            ) from None

    def _open(self, paths: tuple[str, ...]) -> tuple[str, OpenDataset]:
        from gnomon.data import open_sources

        # What the user named on the command line may be an address; what an agent names may not.
        roots = None if any("://" in p for p in paths) else self._roots
        dataset = open_sources(*paths, settings=self._settings, roots=roots)
        opened = OpenDataset(dataset if self._share_rows else _without_reasons(dataset), paths)
        return self._handles.add(opened), opened

    def get(self, handle: str) -> OpenDataset:
        """The data set behind a handle."""
        return self._handles.get(handle)

    def chosen(self, name: str | None) -> OpenDataset:
        """The data set that a question is about: by its handle, by the name of a table, or the only one.

        Raises:
            NotFound: There is no such data set, or several and none was named.
        """
        opened = self._handles.items()
        if name and any(name == handle for handle, _ in opened):
            return self._handles.get(name)
        if name:
            return self.table(name)[1]
        if len(opened) == 1:
            return self._handles.get(opened[0][0])
        raise NotFound(
            f"{len(opened)} data sets are open; name the one that is meant."
            if opened
            else "No data set is open.",
            suggestions=["Pass its handle as 'dataset'." if opened else "Call open_dataset first."],
        )

    def items(self) -> list[tuple[str, OpenDataset]]:
        """Every open data set with its handle."""
        return self._handles.items()

    def close(self) -> None:
        """Close them all."""
        self._handles.close()

    def table(self, name: str) -> tuple[str, OpenDataset, str]:
        """The data set that holds a table, by ``table`` or ``handle.table``; the latest used wins.

        Raises:
            NotFound: No open data set has such a table.
        """
        handle, _, rest = name.partition(".")
        opened = self._handles.items()
        for known, candidate in opened:
            if known == handle and rest in candidate.dataset.tables:
                return known, self._handles.get(known), rest
        for known, candidate in reversed(opened):
            if name in candidate.dataset.tables:
                return known, self._handles.get(known), name
        if not opened:
            raise NotFound(
                "No data set is open.", suggestions=["Call open_dataset with the path of a file first."]
            )
        raise NotFound.among("open table", name, {t for _, o in opened for t in o.dataset.tables})

    def resolve(
        self,
        arguments: Mapping[str, Any],
        results: Handles[KeptResult],
        rows: Container[str] = ("data", "other"),
    ) -> Resolved:
        """Find the tables that arguments name: of open data sets, of files, and of earlier results.

        Args:
            arguments: What a tool is called with.
            results: Earlier results.
            rows: The arguments that hold rows.
        """
        ready: dict[str, Any] = {}
        inputs: dict[str, TracedRows] = {}
        chosen: OpenDataset | None = None
        guards: list[CellGuard] = []
        for name, value in arguments.items():
            reference = _reference(value)
            if reference is None:
                ready[name] = value
                if name in rows and value is not None:
                    inputs[name] = TracedRows(Frame.of(value), OWN, self._settings)
                continue
            kind, text = reference
            if kind == "table" and text.startswith("r_"):
                kept, field_name = results.get(text.partition(".")[0]), text.partition(".")[2]
                frame, origin = kept.rows(field_name)
                ready[name] = frame
                inputs[name] = TracedRows(frame, origin, self._settings, sources_of=tables_of(kept.guard))
                guards += [kept.guard] if not origin.own else []
                continue
            opened, table = self._opened(kind, text)
            origin = opened.origin(table)
            guards.append(CellGuard([TableCells(opened.dataset, opened.dataset.table(table), origin)]))
            if chosen is None or chosen is opened:
                chosen = opened
                ready[name] = {"table": table}
                inputs[name] = TracedRows(Frame.of({"table": table}), origin, self._settings, opened.dataset)
            else:
                ready[name] = _read(opened.dataset, table)
                inputs[name] = TracedRows(ready[name], origin, self._settings)
        dataset = chosen.dataset if chosen else None
        return Resolved(ready, dataset, inputs, CellGuard().joined(guards))

    def _opened(self, kind: str, text: str) -> tuple[OpenDataset, str]:
        if kind == "table":
            _, opened, table = self.table(text)
            return opened, table
        _, opened = self.open([text])
        tables = list(opened.dataset.tables)
        if len(tables) != 1:
            raise InvalidInput(
                f"{Path(text).name} holds {len(tables)} tables; one was expected.",
                suggestions=['Call open_dataset, then name one as {"table": "…"}.'],
            )
        return opened, tables[0]

    def _allowed(self, path: str) -> str:
        if "://" in path or "\0" in path:
            raise PolicyViolation("Only files can be opened from here, not addresses.")
        resolved = Path(path).expanduser().resolve()
        if not any(resolved.is_relative_to(root) for root in self._roots):
            named = ", ".join(f.name for f in self._files) or "none"
            raise PolicyViolation(
                f"{Path(path).name!r} lies outside the folders that this server may read.",
                suggestions=[
                    f"Files named at the start: {named}.",
                    "Start the server with the file or its folder: gnomon mcp FILE…, or set GNOMON_DATA_ROOTS.",
                ],
            )
        if not resolved.exists():
            raise DataUnavailable(f"There is no file {Path(path).name!r} there.")
        return str(resolved)


def tables_of(guard: CellGuard) -> tuple[TableCells, ...]:
    """The open tables that a guard watches."""
    return tuple(s for s in guard.sources if isinstance(s, TableCells))


def rows_argument(value: Any) -> Any:
    """Rows as clients write them: a bare text is the name of a table, or JSON that was quoted once too often."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith(("{", "[")):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise InvalidInput(
                "The rows are neither an object nor the name of a table.", suggestions=['{"table": "name"}']
            ) from None
    return {"table": value}


def _reference(value: Any) -> tuple[str, str] | None:
    """The table or source that an argument names, if it does."""
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        for kind in ("table", "source"):
            if set(given) == {kind} and isinstance(given[kind], str):
                return kind, given[kind]
    return None


def _read(dataset: Dataset, table: str) -> Frame:
    with dataset.cursor() as cursor:
        return Frame(cursor.sql(f"SELECT * FROM {dataset.table(table).relation}").to_arrow_table())


def _without_reasons(dataset: Dataset) -> Dataset:
    """The data set that says which tables are left out, and not why: the reason may quote cells, and names paths."""
    told = {name: f"{name} cannot be read and is left out." for name in dataset.left_out}
    reasons = [*dataset.left_out.values()]
    kept = [w for w in dataset.warnings if not any(reason in w for reason in reasons)]
    return replace(dataset, left_out=told, warnings=(*kept, *told.values()))
