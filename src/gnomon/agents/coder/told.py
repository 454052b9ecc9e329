"""What a model is told: of the data before it begins, and of its code after it ran. Never a cell."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gnomon.agents.coder.cells import Finding
from gnomon.agents.coder.names import Names
from gnomon.agents.coder.workspace import Workspace
from gnomon.core.answer import FactValue
from gnomon.core.figures import figure
from gnomon.core.patterns import regex
from gnomon.data import Role, sanitize_execution_feedback
from gnomon.data.feedback import MARKER, passes_by_name
from gnomon.data.profile_model import ColumnProfile
from gnomon.llm import Privacy
from gnomon.sandbox import CellError, CellResult

MOST_VARIABLES = 20
MOST_VALUES = 8
_LONG_NUMBER = regex(r"(?<![\w‹])\d{3,}(?![\w›])")
_FRAME = regex(r"^(\w+)\W+(\d+)\W+(\d+)")


@dataclass(frozen=True)
class Teller:
    """Says what may be said, under one level and one set of names.

    Args:
        workspace: The tables.
        names: What they are called to the model.
    """

    workspace: Workspace
    names: Names

    @property
    def privacy(self) -> Privacy:
        """The level."""
        return self.workspace.privacy

    def data(self) -> str:
        """The tables: names, types, counts and null rates; days and values only where the level allows them."""
        safe = self.names.shown(self.workspace.safe)
        lines = [str(safe)]
        if self.privacy.wording:
            lines += self._more()
        return "\n".join(lines)

    def _more(self) -> list[str]:
        lines: list[str] = []
        for table in self.workspace.profile:
            for column in table.columns:
                shown = self.names.columns.show(column.name)
                if column.role is Role.TIME and column.minimum is not None:
                    lines.append(f"{shown} goes from {column.minimum} to {column.maximum}")
                if self.privacy.values and (values := _commonest(column)):
                    lines.append(f"{shown} holds values such as {', '.join(values)}")
        return lines

    def worked(self, code: str, result: CellResult, found: Sequence[Finding], figures: Sequence[int]) -> str:
        """What came of code that ran.

        Args:
            code: All code of the model so far, as it wrote it.
            result: What running it gave.
            found: Its findings.
            figures: The numbers of the figures that it made.
        """
        written = words_of(code)
        lines = ["The code ran."]
        lines += [f"Finding {self._finding(f, written)}" for f in found]
        if not found:
            lines.append('It reported no finding: call finding("name", value) for each result.')
        if figures:
            lines.append(f"Figures: {', '.join(map(str, figures))}.")
        if result.stdout.strip():
            lines.append(
                f"It printed {rough(len(result.stdout.splitlines()), 'line')}, which you do not see."
            )
        lines += self._variables(result, written)
        return "\n".join(lines)

    def failed(self, code: str, error: CellError, *, lines_match: bool = True) -> str:
        """What went wrong, without what an error quotes from the data.

        Args:
            code: The code as the model wrote it.
            error: Why it failed.
            lines_match: Whether the lines of what ran are those of the code.
        """
        kind = error.kind if passes_by_name(error.kind) else "Error"
        known = [n for t in self.workspace.safe for n in (t.name, *(c.name for c in t.columns))]
        message = sanitize_execution_feedback(f"{kind}: {error.message}", known, max_chars=600)
        lines = ["The code failed.", self.names.hide(_without_numbers(message, known))]
        if lines_match and error.line is not None and 1 <= error.line <= len(code.splitlines()):
            lines.append(f"Line {error.line}: {code.splitlines()[error.line - 1].strip()[:160]}")
        if error.timed_out:
            lines.append("It took too long: compute less, or on fewer rows.")
        if error.killed:
            lines.append("The worker ended: variables of earlier code are gone, the tables are there.")
        return "\n".join(lines)

    def finding(self, finding: Finding, code: str) -> str:
        """One finding as a line: what it is, never what it says unless the level allows that."""
        return self._finding(finding, words_of(code))

    def _finding(self, finding: Finding, written: frozenset[str]) -> str:
        named = "" if finding.name in written or finding.slot in written else " (named by your code)"
        unit = f" in {finding.unit}" if finding.unit and finding.unit in written else ""
        if finding.table is not None:
            known = {c for t in self.workspace.safe for c in (x.name for x in t.columns)}
            heads = [self.names.hide(c) for c in finding.table.columns if c in known or c in written]
            columns = f", columns {', '.join(heads)}" if heads else ""
            what = f"a table of {rough(finding.total_rows, 'row')}{columns}"
        else:
            what = "nothing: there was no value" if finding.kind == "nothing" else f"a {finding.kind}"
            if self._may_see(finding.value):
                what += f", {figure(finding.value, finding.unit)}"
        return f"{{{{{self.slot(finding, written)}}}}}{named}: {what}{unit}"

    def slot(self, finding: Finding, written: frozenset[str]) -> str:
        """The slot of a finding; a name that the code did not write may hold a cell, and is not repeated."""
        safe = finding.name in written or finding.slot in written
        return finding.slot if safe else self.names.slots.show(finding.slot)

    def _may_see(self, value: FactValue) -> bool:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return (number and self.privacy.wording) or (self.privacy.values and value is not None)

    def _variables(self, result: CellResult, written: frozenset[str]) -> list[str]:
        """Frames that stand in variables which the code names, with their size in steps."""
        frames: list[str] = []
        tables = {t.name for t in self.workspace.safe}
        for name, said in result.variables.items():
            size = _FRAME.match(said)
            if name in written and name not in tables and size and size[1] in {"DataFrame", "Series"}:
                frames.append(f"{name} ({rough(int(size[2]), 'row')})")
        return [f"Frames: {', '.join(frames[:MOST_VARIABLES])}."] if frames else []


def rough(count: int, noun: str) -> str:
    """A count in steps: an exact one could be made to tell a cell."""
    if count < 2:
        return f"no {noun}s" if count <= 0 else f"one {noun}"
    top = 10
    while count > top:
        top *= 10
    return f"{2 if top == 10 else top // 10 + 1:,} to {top:,} {noun}s"


def words_of(code: str) -> frozenset[str]:
    """The names and strings that code wrote itself, so that repeating them tells nothing new."""
    words: set[str] = set()
    for part in code.split("\f"):
        try:
            tree = ast.parse(part)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.add(node.value)
            elif isinstance(node, ast.Name):
                words.add(node.id)
            elif isinstance(node, ast.keyword) and node.arg:
                words.add(node.arg)
    return frozenset(words)


def _without_numbers(text: str, known: Iterable[str]) -> str:
    """Numbers of three digits and more are never let through, unless they are the name of a column."""
    names = set(known)
    return _LONG_NUMBER.sub(lambda m: m[0] if m[0] in names else MARKER, text)


def _commonest(column: ColumnProfile) -> list[str]:
    if column.personal is not None or column.role not in (Role.CATEGORY, Role.GEOGRAPHIC, Role.BOOLEAN):
        return []
    return [str(v.value)[:40] for v in column.top_values[:MOST_VALUES]]
