"""Rows that repeat the header: exports put one behind the other, and pages that begin with the names of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.data.raw import RawTable, Workspace
from gnomon.data.table import SetAside, literal, quote

_FORMATS = frozenset({"csv", "excel"})
_MARK = "\ufeff"


def without_heads(workspace: Workspace, raw: RawTable) -> tuple[RawTable, SetAside | None]:
    """``raw`` without such rows, and what to say of them.

    Of a file that is too large to be read twice, the rows spread over it tell whether there are any.
    """
    named = [(c, o.strip(f" {_MARK}")) for c, o in zip(raw.columns, raw.originals, strict=True) if o.strip()]
    if raw.format not in _FORMATS or len(named) < 2 or len(named) < len(raw.columns) - 1:
        return raw, None
    texts = {c for c, kind in workspace.describe(raw.relation) if kind == "VARCHAR"}
    if not all(c in texts for c, _ in named):
        return raw, None  # a name never stands in a column of numbers
    repeats = " AND ".join(
        f"lower(trim({quote(c)}, {literal(f' {_MARK}')})) = lower({literal(o)})" for c, o in named
    )
    kept = f"({repeats}) IS NOT TRUE"
    if raw.sample is not None:
        found = any(_is_head(row, [o for _, o in named]) for row in raw.sample)
        said = "Rows that repeat the names of the columns are left out of every figure."
    else:
        (count,) = workspace.connection.execute(
            f"SELECT count(*) FROM {raw.relation} WHERE {repeats}"
        ).fetchone() or (0,)
        found = count > 0
        said = f"{count:,} {'row repeats' if count == 1 else 'rows repeat'} the names of the columns, and {'is' if count == 1 else 'are'} left out of every figure."  # fmt: skip
    return (replace(raw, kept=kept), SetAside(said)) if found else (raw, None)


def _is_head(row: Sequence[str | None], names: Sequence[str]) -> bool:
    return [(c or "").strip(f" {_MARK}").lower() for c in row[: len(names)]] == [n.lower() for n in names]
