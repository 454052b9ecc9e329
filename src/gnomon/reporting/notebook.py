"""A document as a Jupyter notebook that computes its numbers again and compares them with those it was written with."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from typing import Any

from gnomon.core.errors import InvalidInput
from gnomon.reporting.document import Document, Recipe
from gnomon.reporting.html import KINDS
from gnomon.reporting.markdown import escaped, table_of

CALLS = ("plan", "run", "analyze", "iterate")
_LEANING = {"before", "corrected", "reading"}
_IMPORTS = "import datetime\n\nfrom gnomon.reporting.compare import same_value"
_ALONE = "The rows behind these figures are not kept, so that this notebook shows them and does not compute them again."
_CHECK = """computed = {fact.name: fact.value for fact in facts}
different = {
    name: (then, computed.get(name)) for name, then in expected.items() if not same_value(then, computed.get(name))
}
assert not different, f"These figures are not what they were: {different}"
print(f"All {len(expected)} figures are the same.")"""


def notebook_of(document: Document) -> str:
    """The document as notebook JSON; the same document gives the same text."""
    lead = [f"# {escaped(document.title)}", f"*{escaped(KINDS[document.kind])}*"]
    if document.reading:
        lead.append(f"Read as: {escaped(document.reading)}")
    lead += [escaped(p) for s in document.sections[:1] for p in s.paragraphs]
    told = document.sections[1:] if document.kind == "answer" else ()
    lead += [
        p for s in told if s.paragraphs for p in (f"## {escaped(s.heading)}", *map(escaped, s.paragraphs))
    ]
    cells = [_text("\n\n".join(lead))]
    if document.recipe is not None:
        cells.append(_text("## Computed again"))
        cells += [_code(c) for c in _again(document.recipe)]
    elif not any(s.cells for s in document.sections):
        cells.append(_text(_ALONE))
        held = [f"**{escaped(t.name)}**\n\n{table_of(t)}" for s in document.sections for t in s.tables]
        cells += [_text(t) for t in held]
    for section in document.sections:
        for cell in section.cells:
            if cell.title:
                cells.append(_text(f"### {escaped(cell.title)}"))
            runs = cell.language == "python" and document.recipe is None
            cells.append(_code(cell.code) if runs else _text(_quoted(cell.code)))
    if document.recipe is not None and document.facts:
        cells.append(_text("## Compared with the report"))
        expected = {f.name: f.value for f in document.facts}
        cells.append(_code(f"{_IMPORTS}\n\nexpected = {_literal(expected)}"))
        cells.append(_code(_CHECK))
    if document.recipe is not None and _is_asked(document.recipe):
        for step in document.steps:
            if step.query:
                cells.append(_text(f"### The query of the step {escaped(step.id)}"))
                cells.append(_code(f"analyst.dataset.connection.sql({_literal(step.query)}).df()"))
    if document.notes:
        cells.append(_text("## What to know\n\n" + "\n".join(f"- {escaped(n)}" for n in document.notes)))
    whole = {
        "cells": [{**cell, "id": f"cell-{i}"} for i, cell in enumerate(cells, 1)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _again(recipe: Recipe) -> list[str]:
    """The calls that compute a document of this kind."""
    made = {"investigation": _investigation, "analysis": _analysis}.get(recipe.kind, _recomputed)
    return (_answer if _is_asked(recipe) else made)(recipe)


def _is_asked(recipe: Recipe) -> bool:
    """Whether it is one question, taken by its words."""
    return recipe.kind in ("answer", "why") and not _LEANING & recipe.arguments.keys()


def _answer(recipe: Recipe) -> list[str]:
    given = recipe.arguments
    model = f", model={_literal(given['model'])}" if given.get("model") else ""
    today = f", today=datetime.date.fromisoformat({_literal(given['today'])})" if given.get("today") else ""
    call = "why" if recipe.kind == "why" else "ask"
    return [
        f"import datetime\n\nimport gnomon\n\nanalyst = gnomon.open(*{_literal(list(recipe.sources))}{model})",
        f"answer = analyst.{call}({_literal(given['question'])}{today})\nfacts = answer.facts\nanswer",
    ]


def _recomputed(recipe: Recipe) -> list[str]:
    """The recipe as data, for what takes more than a call or two."""
    return [
        "from gnomon.replaying import recompute\nfrom gnomon.reporting import Recipe\n\n"
        f"recipe = Recipe(\n    kind={_literal(recipe.kind)},\n    sources={_literal(list(recipe.sources))},\n"
        f"    arguments={_literal(recipe.arguments)},\n)",
        "document = recompute(recipe)\nfacts = document.facts\n{fact.label: fact.shown for fact in facts}",
    ]


def _investigation(recipe: Recipe) -> list[str]:
    given, file = recipe.arguments, recipe.sources[0]
    first, *rest = given["steps"]
    lines = [
        "import gnomon",
        "from gnomon.reporting import document_of_investigation",
        "",
        f"data = {_literal(file)}",
    ]
    if given.get("table"):
        lines[1:] = [
            "from gnomon.data import open_sources",
            "from gnomon.replaying import rows_of",
            "from gnomon.reporting import document_of_investigation",
            "",
            f"with open_sources(*{_literal(list(recipe.sources))}) as dataset:",
            f"    data = rows_of(dataset, {_literal(given['table'])}, {_literal(list(given.get('columns') or ()))})",
        ]
    elif given.get("columns"):
        lines += [
            "from gnomon.tools import Frame, ToolContext",
            "from gnomon.tools.resolve import read_frame",
            "",
            f"data = read_frame(Frame.of({{'source': data}}), ToolContext(), {_literal(list(given['columns']))})",
        ]
    calls = [f"engine = gnomon.ADEngine(random_state={_literal(first.get('seed'))})"]
    calls.append(f"state = engine.start(data, {_literal(first.get('data_type'))})")
    for step in rest:
        if step.get("call") not in CALLS:
            raise InvalidInput(f"An investigation has no step {step.get('call')!r}.")
        arguments = "".join(
            f", {k}={_literal(v)}" for k, v in step.items() if k != "call" and k.isidentifier()
        )
        calls.append(f"state = engine.{step['call']}(state{arguments})")
    calls += [f"facts = document_of_investigation(state, {_literal(given['name'])}).facts", "print(engine.report(state))"]  # fmt: skip
    return ["\n".join(lines), "\n".join(calls)]


def _analysis(recipe: Recipe) -> list[str]:
    given = recipe.arguments
    return [
        "from gnomon.data import open_sources\nfrom gnomon.reporting import document_of_analysis\n"
        "from gnomon.tools import Frame\nfrom gnomon.workbench import Workbench\n\n"
        f"workbench, dataset = Workbench(), open_sources(*{_literal(list(recipe.sources))})",
        f"task = {_literal(given['task'])}\n"
        f"analysis = workbench.analyze(task, Frame.of({{'table': {_literal(given['table'])}}}), dataset=dataset)\n"
        "facts = document_of_analysis(workbench.published(analysis), task).facts\n"
        "[step.output.get('summary') for step in analysis.result.steps]",
    ]


def _literal(value: Any) -> str:
    """A value as Python writes it, in plain signs only, so that code reads as it runs."""
    if isinstance(value, datetime):
        return f"datetime.datetime.fromisoformat({value.isoformat()!r})"
    if isinstance(value, date):
        return f"datetime.date.fromisoformat({value.isoformat()!r})"
    if isinstance(value, dict):
        inside = "".join(f"    {_literal(str(k))}: {_literal(v)},\n" for k, v in value.items())
        return f"{{\n{inside}}}" if inside else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_literal(v) for v in value)}]"
    if isinstance(value, float) and not math.isfinite(value):
        return "None"
    if value is None or isinstance(value, (bool, int, float, str)):
        return ascii(value)
    return ascii(str(value))


def _quoted(code: str) -> str:
    from gnomon.reporting.markdown import fenced

    return fenced(code)


def _text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
