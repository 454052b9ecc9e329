"""What an answer has to say of its tables: rows and cells that no figure uses, tables without rows or left out."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from gnomon.core.answer import Answer, AnswerStatus
from gnomon.data import Dataset
from gnomon.data.column_names import words
from gnomon.data.table import SetAside, Table, quote

if TYPE_CHECKING:
    import duckdb

_REFUSED = frozenset(
    {AnswerStatus.OUT_OF_SCOPE, AnswerStatus.CLARIFY}
)  # what was left out may hold what is missing


def with_notes(answer: Answer, dataset: Dataset, question: str = "") -> Answer:
    """``answer`` with a note on everything that was left out of the figures it tells, or that ``question`` needs."""
    written = _written(answer)
    told = [
        f"Note: {_placed(left, table, dataset)}"
        for table in _used(answer, dataset, written)
        for left in table.set_aside
        if left.column is None or left.column in written
    ]
    asked = _stems(question)
    told += [
        f"Note: {said}"
        for name, said in dataset.left_out.items()
        if answer.status in _REFUSED or _stems(name) <= asked
    ]
    prose = "\n\n".join([answer.prose, *(t for t in dict.fromkeys(told) if t not in answer.prose)])
    return answer if prose == answer.prose else answer.model_copy(update={"prose": prose})


def _stems(text: str) -> frozenset[str]:
    """The words of a name or a question, one thing or many alike."""
    return frozenset(w.removesuffix("s") for w in words(text))


def notes_on(dataset: Dataset) -> list[str]:
    """Everything that was left out of the tables, in sentences."""
    return [_placed(left, table, dataset) for table in dataset for left in table.set_aside]


def empty_tables(dataset: Dataset) -> frozenset[str]:
    """The tables that have columns and no rows."""
    cursor = dataset.cursor()
    try:
        return frozenset(
            t.name for t in dataset if t.rows == 0 or (t.rows is None and _holds_nothing(cursor, t))
        )
    finally:
        cursor.close()


def _holds_nothing(cursor: duckdb.DuckDBPyConnection, table: Table) -> bool:
    import duckdb

    try:
        return not cursor.execute(f"SELECT 1 FROM {table.relation} LIMIT 1").fetchall()
    except duckdb.Error:  # its file is gone or changed, which is told by the query that needs its rows
        return False


def without_rows(answer: Answer, dataset: Dataset, empty: Collection[str]) -> Answer:
    """``answer``, or that there are no rows where its figures come from tables that have none."""
    if not empty or not (answer.facts or answer.tables):
        return answer
    used = _used(answer, dataset, _written(answer))
    return no_rows([t.name for t in used]) if used and all(t.name in empty for t in used) else answer


def no_rows(tables: Collection[str]) -> Answer:
    """That there is nothing to count: the tables have columns and no rows."""
    one = next(iter(tables)) if len(tables) == 1 else None
    said = f"{one} has column names and no rows" if one else "The tables have column names and no rows"
    return Answer(
        status=AnswerStatus.OUT_OF_SCOPE,
        prose=f"There are no rows: {said}, so there is nothing to answer from.",
        suggestions=("Check that the export finished, and open the file that holds the rows.",),
    )


def _written(answer: Answer) -> str:
    """The queries and the names that an answer was made from."""
    plan = answer.plan.model_dump_json() if answer.plan else ""
    request = answer.request.model_dump_json() if answer.request else ""
    return "\n".join([*dict.fromkeys(f.query for f in answer.facts), plan, request])


def _used(answer: Answer, dataset: Dataset, written: str) -> list[Table]:
    """The tables that an answer's figures come from; all of them where nothing tells."""
    if not (answer.facts or answer.tables):
        return []
    named = [t for t in dataset if quote(t.name) in written]
    return named or list(dataset)


def _placed(left: SetAside, table: Table, dataset: Dataset) -> str:
    return left.said if len(dataset) == 1 else f"In {table.name}, {left.said[0].lower()}{left.said[1:]}"
