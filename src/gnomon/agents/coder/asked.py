"""The request as a model sees it: values of the data, codes and personal data in it are marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gnomon.agents.coder.names import Names, Value
from gnomon.agents.coder.workspace import Workspace
from gnomon.core.patterns import regex
from gnomon.data.table import quote
from gnomon.guardrails.pii import PiiDetector
from gnomon.planning.reader.operators import FILLERS, operators

MOST_WORDS = 4
MOST_FOUND = 200
_WORD = regex(r"[^\W_][\w'’&.-]*[^\W_]|[^\W_]")
_QUOTED = regex(r"(?<!\w)'([^'\n]{1,80})'(?!\w)|\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|‘([^’\n]{1,80})’")
_CODE = regex(r"(?<![\w.])(?:\d{4,}(?:\.\d+)?|\d+\.\d{3,})(?![\w.]*\w)")
_YEARS = range(1800, 2200)


@dataclass(frozen=True)
class _Hidden:
    start: int
    end: int
    value: Value
    legend: str


def show_request(text: str, workspace: Workspace, names: Names) -> tuple[str, list[str]]:
    """What is sent of a request, and what its marks stand for; the marks are kept in ``names``.

    Args:
        text: As it was typed.
        workspace: The tables, whose values are looked for in it.
        names: What names are called, and where marks are put down.
    """
    if workspace.privacy.wording:
        return text, []
    hidden: list[_Hidden] = []
    for found in [*_quoted(text, workspace), *_held(text, workspace, names), *_personal(text), *_codes(text)]:
        if all(found.end <= h.start or h.end <= found.start for h in hidden):
            hidden.append(found)
    marks: dict[Value, str] = {}
    legends: dict[str, list[str]] = {}
    shown, at = "", 0
    for part in sorted(hidden, key=lambda h: h.start):
        if part.value not in marks:
            marks[part.value] = mark = f"VALUE{len(marks) + 1}"
            names.marks[mark] = part.value
            legends.setdefault(part.legend, []).append(mark)
        shown, at = shown + text[at : part.start] + marks[part.value], part.end
    legend = [
        f"{', '.join(m)}: {what}; write it so in your code, without quotes." for what, m in legends.items()
    ]
    return _hide_names(shown + text[at:], names), legend


def _known(workspace: Workspace) -> set[str]:
    return {n.casefold() for t in workspace.safe for n in (t.name, *(c.name for c in t.columns))}


def _quoted(text: str, workspace: Workspace) -> Iterator[_Hidden]:
    """Quotations that some text of the data holds, be it within a longer one."""
    known = _known(workspace)
    found = {m: next(g for g in m.groups() if g is not None) for m in _QUOTED.finditer(text)}
    asked = {t for t in found.values() if t.strip().casefold() not in known and not _plain(t, known)}
    held = _within(workspace, sorted(asked)) if asked else set()
    for match, inside in found.items():
        if inside in held:
            yield _Hidden(match.start(), match.end(), inside, "a text")


def _within(workspace: Workspace, phrases: list[str]) -> set[str]:
    """Those phrases that occur somewhere in a text column."""
    held: set[str] = set()
    with workspace.dataset.cursor() as cursor:
        for table, name in _texts(workspace):
            looked = [p for p in phrases if p not in held]
            sums = ", ".join(f"bool_or(contains(lower({name}), lower(?)))" for _ in looked)
            if looked:
                row = cursor.execute(f"SELECT {sums} FROM {table}", looked).fetchone()
                held |= {p for p, there in zip(looked, row or (), strict=False) if there}
    return held


def _texts(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Tables and their text columns, as queries name them."""
    for table in workspace.dataset:
        for column in table.columns:
            if column.type.upper().startswith(("VARCHAR", "ENUM")):
                yield table.relation, f"CAST({quote(column.name)} AS VARCHAR)"


def _plain(phrase: str, known: set[str]) -> bool:
    """Whether a phrase is made of names of the data and words of English that say how, so that it is no value."""
    spoken = {w.casefold() for n in known for w in re.split(r"[\W_]+", n)}
    words = [w.casefold() for w in re.findall(r"[^\W_]+", phrase)]
    return all(w in spoken or w in FILLERS or (w,) in operators() for w in words)


def _held(text: str, workspace: Workspace, names: Names) -> list[_Hidden]:
    """Runs of words that are the value of some text column, the longest first, in the spelling of the data."""
    words = [(m.start(), m.end()) for m in _WORD.finditer(text)]
    known = _known(workspace)
    runs: dict[str, list[tuple[int, int]]] = {}
    for size in range(MOST_WORDS, 0, -1):
        for i in range(len(words) - size + 1):
            start, end = words[i][0], words[i + size - 1][1]
            phrase = text[start:end]
            if phrase.casefold() not in known and not _plain(phrase, known):
                runs.setdefault(phrase.casefold(), []).append((start, end))
    found: list[_Hidden] = []
    for value, column in _values(workspace, list(runs)):
        legend = f"a value of the column {names.columns.show(column)}"
        found += [_Hidden(s, e, value, legend) for s, e in runs.get(value.casefold(), [])]
    return sorted(found, key=lambda h: (h.start - h.end, h.start))


def _values(workspace: Workspace, phrases: list[str]) -> Iterator[tuple[str, str]]:
    if not phrases:
        return
    with workspace.dataset.cursor() as cursor:
        for table in workspace.dataset:
            for column in table.columns:
                if not column.type.upper().startswith(("VARCHAR", "ENUM")):
                    continue
                name = quote(column.name)
                rows = cursor.execute(
                    f"SELECT DISTINCT CAST({name} AS VARCHAR) FROM {table.relation} "
                    f"WHERE lower(CAST({name} AS VARCHAR)) IN (SELECT unnest(?)) LIMIT {MOST_FOUND}",
                    [phrases],
                ).fetchall()
                yield from ((row[0], column.name) for row in rows)


def _personal(text: str) -> Iterator[_Hidden]:
    for span in PiiDetector().find(text):
        yield _Hidden(span.start, span.end, text[span.start : span.end], "a text")


def _codes(text: str) -> Iterator[_Hidden]:
    """Long figures, which identify; years do not."""
    for match in _CODE.finditer(text):
        whole = match[0].isdigit()
        if not (whole and int(match[0]) in _YEARS):
            yield _Hidden(match.start(), match.end(), int(match[0]) if whole else float(match[0]), "a number")


def _hide_names(text: str, names: Names) -> str:
    """Names that may not be seen, as they stand or with spaces for underscores, in any case."""
    hidden = {real: shown for shown, real in names.hidden.items()}
    for real in sorted(hidden, key=len, reverse=True):
        spelled = re.escape(real).replace("_", r"[_\s]").replace(r"\ ", r"[_\s]")
        text = re.sub(rf"(?<!\w){spelled}(?!\w)", hidden[real], text, flags=re.IGNORECASE)
    return text
