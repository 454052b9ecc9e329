"""What an analysis leaves behind: every cell and its outcome, the findings as facts, and the words around them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from gnomon.core.answer import Answer, AnswerStatus, Fact, ResultTable
from gnomon.core.errors import InvalidInput
from gnomon.data.profile_model import plain

if TYPE_CHECKING:
    from gnomon.core.settings import Settings
    from gnomon.sandbox import CellError, Figure


@dataclass(frozen=True)
class Progress:
    """How far an analysis is."""

    current_round: int
    max_rounds: int
    progress_percentage: float
    status_message: str


OnProgress = Callable[[Progress], None]


class RecordStatus(StrEnum):
    """How an analysis ended."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True)
class Cell:
    """One step of an analysis as a notebook shows it.

    Args:
        number: From 1, in the order in which they ran.
        round: The round it belongs to; recoveries of one round share it.
        action: ``generate_code`` for a model's code, ``template`` for a step of a template's own plan.
        description: What it does, in one line.
        code: What ran, with the real names.
        language: ``python`` or ``sql``.
        ok: Whether it ended well.
        error: Why not, for eyes on this machine only.
        recovered: Whether the model was given a hint and could try again within the round.
        stdout: What it printed, for eyes on this machine only.
        figures: Pictures and charts that it made.
        findings: The names of the findings it reported.
        seconds: How long it took.
    """

    number: int
    round: int
    action: str
    description: str
    code: str
    language: str = "python"
    ok: bool = True
    error: CellError | None = None
    recovered: bool = False
    stdout: str = ""
    figures: tuple[Figure, ...] = ()
    findings: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Section:
    """A part of what was found: a heading, sentences whose figures are facts, tables and charts.

    Args:
        title: The heading.
        prose: Sentences; every figure in them is one of ``facts``.
        facts: What was computed for it.
        tables: Rows that belong to it.
        charts: Vega-Lite specifications.
        refused: Whether the data cannot bear this part; the prose says why.
    """

    title: str
    prose: str
    facts: tuple[Fact, ...] = ()
    tables: tuple[ResultTable, ...] = ()
    charts: tuple[dict[str, Any], ...] = ()
    refused: bool = False


@dataclass(frozen=True)
class AnalysisRecord:
    """An analysis like a notebook: re-runnable, and plain data for whoever renders it.

    Args:
        id: The run under which the store and the ledger know it.
        requirement: What was asked for.
        template: The template that was followed, if any.
        sources: The files it was done on, as they were named.
        status: How it ended.
        sections: What was found, part by part.
        cells: Every step and its outcome, in order.
        strength: The walls that generated code ran behind; None where none was generated.
        privacy: The level under which a model worked; None where none did.
        model: Its name.
        usage: The tokens it used.
        timings: Seconds by part.
        notes: What a reader should know, in sentences.
    """

    id: str
    requirement: str
    template: str | None
    sources: tuple[str, ...]
    status: RecordStatus
    sections: tuple[Section, ...] = ()
    cells: tuple[Cell, ...] = ()
    strength: str | None = None
    privacy: str | None = None
    model: str | None = None
    usage: Mapping[str, float] = field(default_factory=dict[str, float])
    timings: Mapping[str, float] = field(default_factory=dict[str, float])
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Fact, ...]:
        """Every fact, in the order of the sections."""
        return tuple(f for s in self.sections for f in s.facts)

    @property
    def tables(self) -> tuple[ResultTable, ...]:
        """Every table."""
        return tuple(t for s in self.sections for t in s.tables)

    @property
    def charts(self) -> tuple[dict[str, Any], ...]:
        """Every chart as a Vega-Lite specification; pictures are with their cells."""
        return tuple(c for s in self.sections for c in s.charts)

    @property
    def prose(self) -> str:
        """The sentences of all sections under their headings, and the notes."""
        parts = [f"{s.title}\n{s.prose}" for s in self.sections if s.prose]
        return "\n\n".join([*parts, *(["\n".join(self.notes)] if self.notes else [])])

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can carry; pictures in base64."""
        parts = {f.name: _plain(getattr(self, f.name)) for f in fields(self)}
        return parts | {"findings": _plain(self.findings), "prose": self.prose}

    def to_answer(self) -> Answer:
        """The same as an answer, for whoever renders those."""
        found = bool(self.findings or self.tables)
        if self.status is RecordStatus.COMPLETE and found:
            status = AnswerStatus.ANSWERED
        elif found:
            status = AnswerStatus.PARTIAL
        else:
            refused = any(s.refused for s in self.sections)
            status = AnswerStatus.OUT_OF_SCOPE if refused else AnswerStatus.ERROR
        return Answer(
            status=status,
            prose=self.prose,
            facts=self.findings,
            tables=self.tables,
            charts=self.charts,
            timings=dict(self.timings),
        )

    @property
    def _title(self) -> str:
        """What was asked for; the name of a template where nothing else was."""
        from gnomon.agents.coder.templates import TEMPLATE_REGISTRY

        known = TEMPLATE_REGISTRY.get(self.template or "")
        if known is not None and self.requirement in ("", known.description):
            return known.display_name
        return self.requirement or self.template or "Analysis"

    def to_report(self) -> dict[str, Any]:
        """What a report is made of: a title, sections, facts, cells and notes as plain data."""
        cells = [
            {"title": c.description, "language": c.language, "code": c.code, "output": _outcome(c)} for c in self.cells
        ]  # fmt: skip
        facts = [{**_plain(f), "computation": f.query} for f in self.findings]
        parts = [
            {k: _plain(getattr(s, k)) for k in ("title", "prose", "tables", "charts")} for s in self.sections
        ]
        return {
            "title": self._title,
            "status": self.to_answer().status.value,
            "sections": parts,
            "facts": facts,
            "cells": cells,
            "notes": list(self.notes),
            "sources": [{"name": PurePath(s).name, "location": s} for s in self.sources],
            "privacy": self.privacy,
        }

    def rerun(self, settings: Settings | None = None) -> AnalysisRecord:
        """Do it again without a model: the same code, or the same plan, on the files as they are now.

        Raises:
            InvalidInput: The record names no files, as one of frames in memory does.
            DataUnavailable: A file is gone.
        """
        from gnomon.agents.coder.agent import run_again

        if not self.sources:
            raise InvalidInput("This record does not say which files it was made from.")
        return run_again(self, settings)

    def with_notes(self, *notes: str) -> AnalysisRecord:
        """The record with more for its reader to know."""
        return replace(self, notes=(*self.notes, *notes))


def _outcome(cell: Cell) -> str:
    if cell.error is not None:
        return f"{cell.error.kind}: {cell.error.message}"
    return cell.stdout


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return plain(value)
