"""Documents whose every text comes from outside, and texts that try to become something else than text."""

from __future__ import annotations

from datetime import date

from hypothesis import strategies as st

from gnomon.reporting.document import (
    CodeCell,
    Document,
    Recipe,
    ReportChart,
    ReportFact,
    ReportTable,
    Section,
    Source,
    Step,
)
from gnomon.tools.chart_groups import bar_chart

PAYLOADS = [
    "<script>alert(1)</script>", "</style><img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "' onclick='x", "<!--",
    "]]>", "&lt;b&gt;", "javascript:alert(1)", "[x](javascript:alert(1))", "![x](http://127.0.0.1/x.png)", "<http://127.0.0.1>",
    "http://127.0.0.1/x", "www.example.invalid", "*bold* _it_ ~~no~~ `code` **x**", "# title", "- item", "1. item", "> quote", "| a | b |",
    "```\nfence", "$x^2$ $$y$$", "\\(x\\)", "#eval(\"1\")", "#read(\"/etc/passwd\")", "#import \"x.typ\"", "*#set page(width: 1pt)*", "@ref <label>",
    "=1+1", "+1", "-1", "@SUM(A1)", "=HYPERLINK(\"http://127.0.0.1\")", "\t=1", "\u202egnp.exe", "\x1b[31mred\x1b[0m", "\x00\x07",
    "''' + str(1) + '''", '""" + x + """', "\\", "\\n", "{{x}}", "${x}", "%s", "a\nb", "a\r\nb", "\u2028", "{\"$day\": \"2024-01-01\"}",
    "漢字 العربية 🙂", "x" * 300, "", " ", "---", "===", "+++", ":::", "~~~",
]  # fmt: skip

texts = st.one_of(
    st.sampled_from(PAYLOADS),
    st.lists(st.sampled_from(PAYLOADS), min_size=2, max_size=3).map(" ".join),
    st.text(st.characters(codec="utf-8"), max_size=30),
)


def document_with(text: str, *, chart: bool = False) -> Document:
    """A document in which every text that can come from data, names or questions is ``text``."""
    spec = bar_chart(text, [(text, 3.0), (f"{text} b", 1.0)], text, text) if chart else None
    return Document(
        kind="answer",
        title=text or "t",
        reading=text or "r",
        sections=(
            Section(
                heading=text,
                paragraphs=(text,),
                tables=(ReportTable.of(text, (text, "n"), [(text, 1.5), (None, 2)]),),
                charts=(ReportChart.of(spec),) if spec else (),
                cells=(CodeCell(title=text or "t", language="sql", code=text, output=text or "o"),),
                notes=(text,),
            ),
        ),
        facts=(ReportFact(name=text, label=text, value=text, shown=text, step="s1", computation=text),),
        steps=(Step(id="s1", tool=text, parameters={text: text}, inputs=(text,), query=text or "q"),),
        notes=(text,),
        sources=(Source(name=text, location=text, tables=(text,), size=1, modified="m", sha256="a"),),
        privacy=text or "p",
        versions={"gnomon": "1"},
        recipe=Recipe(
            kind="answer",
            sources=(text,),
            arguments={"question": text, "today": date(2024, 1, 1).isoformat()},
        ),
    )
