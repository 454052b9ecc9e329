"""A document from a planned analysis or from a record of code that ran: plain structures in, no types of other rooms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, cast

from gnomon.core.errors import InvalidInput
from gnomon.core.figures import capital, figure
from gnomon.core.patterns import regex
from gnomon.reporting.document import (
    MAX_FACTS,
    CodeCell,
    Document,
    Kind,
    Recipe,
    ReportChart,
    ReportFact,
    ReportTable,
    Section,
    Source,
    Step,
    versions,
)
from gnomon.tools.chart_frame import words

_MIDNIGHT = regex(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2\d|3[01])(T00:00:00)?")
_MORE = regex(r"… (\d+) more")
_NOT_DRAWN = "The rows of this chart are not told, so it is not drawn."
_NO_FACTS = frozenset({"summary", "query", "notes", "spec", "points", "open_periods", "chart"})


def document_of_analysis(
    published: Mapping[str, Any],
    task: str,
    *,
    sources: Sequence[Source] = (),
    privacy: str | None = None,
    recipe: Recipe | None = None,
) -> Document:
    """A planned analysis as a report.

    Args:
        published: What :meth:`~gnomon.workbench.Workbench.published` returns.
        task: The task, in words.
        sources: The data it was computed from.
        privacy: The level at which a language model was used; None where none was.
        recipe: How to compute it again.
    """
    result, meta = _mapping(published, "result"), _mapping(published, "tool_meta")
    steps = list[Any](_mapping(_mapping(meta, "execution_plan"), "execution_plan").get("tools") or ())
    made = [dict(r) for r in result.get("results", [])]
    sections: list[Section] = []
    facts: list[ReportFact] = []
    notes: list[str] = []
    told: list[Step] = []
    for number, step in enumerate(made, 1):
        output = dict(step.get("output") or {})
        planned: Mapping[str, Any] = steps[number - 1] if number <= len(steps) else {}
        name = f"s{number}"
        made_section = _section(step, output)
        if made_section.charts and sections:  # a chart belongs to what it draws
            drawn = (*sections[-1].charts, *made_section.charts)
            sections[-1] = sections[-1].model_copy(update={"charts": drawn})
        else:
            sections.append(made_section)
        facts += _facts(name, output)
        notes += [str(n) for n in output.get("notes") or []]
        told.append(
            Step(
                id=name,
                tool=str(step.get("tool_id", "")),
                parameters={str(k): v for k, v in dict(planned.get("params") or {}).items()},
                inputs=tuple(str(d) for d in planned.get("dependencies") or ()),
                query=str(output.get("query") or ""),
            )
        )
    return Document(
        kind="analysis",
        title=capital(task.strip()),
        status=str(result.get("status", "")),
        sections=tuple(s for s in sections if s.paragraphs or s.tables or s.charts),
        facts=tuple(facts[:MAX_FACTS]),
        steps=tuple(told),
        notes=tuple(dict.fromkeys(notes)),
        sources=tuple(sources),
        privacy=privacy,
        versions=versions(),
        recipe=recipe,
    )


def _mapping(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = given.get(key)
    return cast("Mapping[str, Any]", found) if isinstance(found, Mapping) else {}


def _section(step: Mapping[str, Any], output: Mapping[str, Any]) -> Section:
    said = str(output.get("summary") or step.get("error") or "")
    spec = output.get("spec")
    if isinstance(spec, Mapping):
        if _mapping(cast("Mapping[str, Any]", spec), "data").get("values") == []:
            # Of rows that stay where they are, marks and axes are told: a picture of nothing says that there is nothing.
            return Section(heading="Chart", paragraphs=(said, _NOT_DRAWN) if said else (_NOT_DRAWN,))
        return Section(heading="Chart", charts=(ReportChart.of(cast("Mapping[str, Any]", spec)),))
    held = {name: rows for name, value in output.items() if (rows := _rows(value))}
    tables = tuple(
        _table(name, rows, _left_out(output[name]))
        for name, rows in held.items()
        if not _is_told(rows, name, held)
    )
    return Section(
        heading=capital(words(str(step.get("tool_id", "step")))),
        paragraphs=(said,) if said else (),
        tables=tables,
    )


def _is_told(rows: list[dict[str, Any]], name: str, held: Mapping[str, list[dict[str, Any]]]) -> bool:
    """Whether another table has all that this one has: the pairs of a correlation are also its rows."""
    return any(
        other != name and len(beside) == len(rows) and len(beside[0]) > len(rows[0])
        and all(k in full and full[k] == v for row, full in zip(rows, beside, strict=True) for k, v in row.items())
        for other, beside in held.items()
    )  # fmt: skip


def _rows(value: Any) -> list[dict[str, Any]] | None:
    """Rows of a table, as tools publish them: a list of objects, or an object that holds one."""
    listed: list[Any] = [r for r in _listed(value) if not (isinstance(r, str) and _MORE.fullmatch(r))]
    return [dict(r) for r in listed] if listed and all(isinstance(r, Mapping) for r in listed) else None


def _listed(value: Any) -> list[Any]:
    held = cast("Mapping[str, Any]", value).get("rows") if isinstance(value, Mapping) else value
    return cast("list[Any]", held) if isinstance(held, list) else []


def _left_out(value: Any) -> int:
    """How many rows a list that was cut leaves out, as it says beside it or in its last item."""
    listed = _listed(value)
    if isinstance(value, Mapping) and isinstance(
        total := cast("Mapping[str, Any]", value).get("row_count"), int
    ):
        return max(0, total - len(_rows(value) or ()))
    last = listed[-1] if listed else None
    found = _MORE.fullmatch(last) if isinstance(last, str) else None
    return int(found[1]) if found else 0


def _table(name: str, rows: list[dict[str, Any]], left_out: int) -> ReportTable:
    columns = list(dict.fromkeys(k for r in rows for k in r))
    plain = [tuple(_plain(r.get(c)) for c in columns) for r in rows]
    made = ReportTable.of(capital(words(name)), [words(c) for c in columns], plain)
    return made.model_copy(update={"total": made.total + left_out}) if left_out else made


def _plain(value: Any) -> Any:
    """A cell: midnight is a day, and what is nested is told as text."""
    if isinstance(value, str):
        return _day(value) if _MIDNIGHT.fullmatch(value) else value
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return ", ".join(f"{k}: {v}" for k, v in value.items()) if isinstance(value, Mapping) else str(value)


def _day(text: str) -> date | str:
    try:
        return date.fromisoformat(text.removesuffix("T00:00:00"))
    except ValueError:  # the 31st of February
        return text


def _facts(step: str, output: Mapping[str, Any]) -> list[ReportFact]:
    """The single numbers of an output; rows are in its tables."""
    return [
        ReportFact(
            name=f"{step}.{name}", label=capital(words(str(name))), value=value, shown=figure(value), step=step,
            computation=str(output.get("query") or ""),
        )
        for name, value in output.items()
        if name not in _NO_FACTS and isinstance(value, (bool, int, float))
    ]  # fmt: skip


def document_of_record(record: Mapping[str, Any]) -> Document:
    """A record of work that was done step by step, such as a code analyst's, as a report.

    Args:
        record: ``question`` or ``title``, ``status``, and lists of ``sections`` (``title``, ``prose``, ``tables``,
            ``charts``), ``facts`` (``name``, ``value``, ``unit``, ``step``, ``computation``), ``cells`` (``title``,
            ``language``, ``code``, ``output``), ``notes``, ``sources``; ``privacy`` and ``recipe`` as in
            :class:`~gnomon.reporting.document.Document`. Tables have ``name``, ``columns``, ``rows``, ``rates`` and
            ``units`` as in :class:`~gnomon.core.answer.ResultTable`, charts are Vega-Lite. Without sections, the record's
            own ``prose`` (text or a list of paragraphs), ``tables`` and ``charts`` are one. All but the title may be
            left out.

    Raises:
        InvalidInput: A part is not what it should be.
    """
    title = capital(str(record.get("title") or record.get("question") or "").strip())
    if not title:
        raise InvalidInput("The record has neither a title nor a question.")
    kind: Kind = "record"
    try:
        facts = [
            ReportFact(
                name=str(f["name"]), label=str(f.get("label") or capital(words(str(f["name"])))), value=f["value"],
                unit=f.get("unit"), shown=figure(f["value"], f.get("unit")), step=str(f.get("step", "")),
                computation=str(f.get("computation") or f.get("query") or ""),
            )
            for f in record.get("facts", ())
        ]  # fmt: skip
        cells = [CodeCell.model_validate(c) for c in record.get("cells", ())]
        sections = [_told(s) for s in record.get("sections") or [{**record, "title": "Findings"}]]
        if cells:
            sections.append(Section(heading="How it was computed", cells=tuple(cells)))
        return Document(
            kind=kind,
            title=title,
            status=str(record.get("status", "answered")),
            sections=tuple(sections),
            facts=tuple(facts[:MAX_FACTS]),
            notes=tuple(str(n) for n in record.get("notes", ())),
            sources=tuple(Source.model_validate(s) for s in record.get("sources", ())),
            privacy=record.get("privacy"),
            versions=versions(),
            recipe=record.get("recipe"),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as e:
        raise InvalidInput(f"The record cannot become a report: {e}") from e


def _told(part: Mapping[str, Any]) -> Section:
    """A part of a record: what it says, shows and lists."""
    prose: Any = part.get("prose") or ()
    paragraphs = [p for p in prose.split("\n\n") if p] if isinstance(prose, str) else [str(p) for p in prose]
    tables = [
        ReportTable.of(
            capital(t["name"]), t["columns"], t["rows"], t.get("rates") or (), t.get("units") or ()
        )
        for t in part.get("tables", ())
    ]
    return Section(
        heading=capital(str(part["title"])),
        paragraphs=tuple(paragraphs),
        tables=tuple(tables),
        charts=tuple(ReportChart.of(c) for c in part.get("charts", ())),
    )
