"""The one row at an end by its name: “which car has the most horsepower”, where two cars may be called alike."""

from __future__ import annotations

import re

from gnomon.core.request import QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Dimension

_END = re.compile(r"(max|min)\((\w+)\.([^{}()]+)\)")


def name_row(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Tell what the row at an end is called, where the question asks for one of the things that rows are."""
    end = _END.fullmatch(draft.metrics[0]) if len(draft.metrics) == 1 else None
    plain = draft.kind in (None, QuestionKind.VALUE) and not draft.dimensions and draft.grain is None
    if end is None or not plain or draft.comparison is not None:
        return
    called = _naming(end[2], names)
    rows = [
        x for x in sentence.items if (t := x.named(LinkKind.TABLE)) and t.quality >= 1 and t.name == end[2]
    ]
    asked = sentence.has(Op.RANK) or any(x.association and x.association.superlative for x in sentence.items)
    if called is None or not rows or not asked or sentence.has(Op.AGGREGATE):
        return
    draft.kind, draft.descending, draft.limit = QuestionKind.RANKING, end[1] == "max", draft.limit or 1
    draft.add_dimension(called.name)


def _naming(table: str, names: Names) -> Dimension | None:
    """The column of names in a table whose rows nothing tells apart."""
    meaning = names.model.table(table)
    told = {"name", "title", f"{meaning.label} name"}
    held = [d for d in names.model.dimensions if d.home.table == table and d.label.lower() in told]
    return held[0] if len(held) == 1 and not meaning.key and not held[0].personal else None
