"""What a pass over the cells of text columns counted: how many each way of reading them fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.data import null_tokens
from gnomon.data.cell_dress import Dress
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.reading import Reading
from gnomon.data.table import literal, quote

_COLUMNS_PER_PASS = 40
_CELLS_AT_ONCE = 20_000_000
_FEW_ALIKE, _FEW_CELLS = 3, 500_000


@dataclass(frozen=True)
class Tally:
    """What a pass over one column counted."""

    filled: int
    tokens: int
    leading_zeros: int
    read: tuple[int, ...]
    finer: tuple[int, ...]
    wide: int
    too_wide: int

    @classmethod
    def of(cls, counts: Sequence[int]) -> Tally:
        """From the numbers that :func:`tallied` asks for, in their order."""
        filled, tokens, zeros, wide, too_wide, *rest = counts
        half = len(rest) // 2
        return cls(filled, tokens, zeros, tuple(rest[:half]), tuple(rest[half:]), wide, too_wide)


@dataclass(frozen=True)
class Proposal:
    """The ways in which a column may be read.

    Args:
        readings: Those, best first.
        coded: Whether ``NA`` is a value in it.
        named: Whether ``Null`` is a name.
        words: Words among its numbers or days that are taken for no value where it is read as those.
        among: The few words that may be taken so.
        dress: What its cells wear, where they are read as text.
        measured: Whether its cells are numbers with their units, which stay text.
    """

    readings: list[Reading]
    coded: bool = False
    named: bool = False
    words: tuple[str, ...] = ()
    among: tuple[str, ...] = ()
    dress: Dress | None = None
    measured: bool = False

    def token(self, column: str) -> str:
        """SQL that tells whether a cell of the quoted ``column`` stands for no value."""
        signs = null_tokens.condition(column, coded=self.coded, named=self.named)
        if not self.words:
            return signs
        listed = ", ".join(literal(w) for w in self.words)
        return f"CASE WHEN {signs} THEN true ELSE coalesce(lower(trim({column})) IN ({listed}), false) END"


def tallied(
    workspace: Workspace,
    raw: RawTable,
    relation: str,
    columns: Sequence[str],
    proposals: dict[str, Proposal],
) -> tuple[int | None, dict[str, Tally]]:
    """Try every proposed reading on every cell; the number of rows, and what each column gave."""
    tallies: dict[str, Tally] = {}
    rows: int | None = None
    alike: dict[tuple[object, ...], list[str]] = {}
    for column in columns:
        proposal = proposals[column]
        alike.setdefault(
            (tuple(proposal.readings), proposal.coded, proposal.named, proposal.words), []
        ).append(column)
    many = [same for same in alike.values() if len(same) > _FEW_ALIKE]
    if many:
        rows = count(workspace, relation)
        for same in many:
            # Few columns are planned fast, so that only few cells are cheaper together.
            if rows * len(same) <= (_CELLS_AT_ONCE if len(same) > _COLUMNS_PER_PASS else _FEW_CELLS):
                tallies |= _tally_alike(workspace, relation, same, proposals[same[0]])
    left = [c for c in columns if c not in tallies]
    for start in range(0, len(left), _COLUMNS_PER_PASS):
        group = left[start : start + _COLUMNS_PER_PASS]
        parts = ["count(*)"]
        for column in group:
            parts.extend(_aggregates(quote(column), proposals[column]))
        answer = workspace.connection.execute(f"SELECT {', '.join(parts)} FROM {relation}").fetchone()
        counts = [int(n or 0) for n in answer or ()]
        rows, at = counts[0], 1
        for column in group:
            end = at + 5 + 2 * len(proposals[column].readings)
            tallies[column] = Tally.of(counts[at:end])
            at = end
    return (None if raw.sample is not None else rows), tallies


def count(workspace: Workspace, relation: str) -> int:
    counted = workspace.connection.execute(f"SELECT count(*) FROM {relation}").fetchone()
    return int(counted[0]) if counted else 0


def _tally_alike(
    workspace: Workspace, relation: str, columns: Sequence[str], proposal: Proposal
) -> dict[str, Tally]:
    """What columns that may be read in the same ways gave, as one column of all their cells.

    The readings are planned once; planning them for each of thousands of columns takes longer than all the rest.
    """
    listed = ", ".join(f"{quote(c)} AS {quote(str(i))}" for i, c in enumerate(columns))
    parts = ", ".join(_aggregates("cell", proposal))
    answer = workspace.connection.execute(
        f"SELECT place, {parts} FROM (UNPIVOT (SELECT {listed} FROM {relation}) ON COLUMNS(*) "
        "INTO NAME place VALUE cell) GROUP BY place"
    ).fetchall()
    counts = {columns[int(place)]: [int(n or 0) for n in numbers] for place, *numbers in answer}
    nothing = [0] * (5 + 2 * len(proposal.readings))
    return {c: Tally.of(counts.get(c, nothing)) for c in columns}


def _aggregates(c: str, proposal: Proposal) -> list[str]:
    readings, token = proposal.readings, proposal.token(c)
    numeric = any(r.type == "BIGINT" for r in readings)
    zeros = (
        f"count_if(CASE WHEN starts_with(ltrim({c}), '0') THEN regexp_matches({c}, '^\\s*0[0-9]+\\s*$') END)"
        if numeric
        else "0"
    )
    # CASE instead of AND: the planner takes time beyond measure over many conjunctions.
    unfit = "count(CASE WHEN length({c}) > 18 THEN CASE WHEN TRY_CAST({c} AS {t}) IS NULL THEN TRY_CAST({c} AS DOUBLE) END END)"
    wide = [unfit.format(c=c, t=t) if numeric else "0" for t in ("BIGINT", "HUGEINT")]
    parts = [f"count(NULLIF({c}, ''))", f"count_if({token})", zeros, *wide]
    parts += [f"count({_best(r, c)})" for r in readings]
    return [*parts, *[_finer_needed(r, c) for r in readings]]


def _finer_needed(reading: Reading, c: str) -> str:
    if not reading.finer_when:
        return "0"
    return f"count(CASE WHEN {reading.over(reading.finer_when, c)} THEN {_best(reading, c)} END)"


def _best(reading: Reading, c: str) -> str:
    return (reading.finer or reading).expression(c)
