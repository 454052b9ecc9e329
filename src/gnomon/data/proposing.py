"""The ways in which texts of a column may be something else, proposed from rows spread over the table."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.core.patterns import regex
from gnomon.data import null_tokens
from gnomon.data.cell_dress import Dress, day_dress, dress_of
from gnomon.data.date_reading import read_date
from gnomon.data.number_reading import are_lengths, are_measured, read_number
from gnomon.data.period_reading import read_period
from gnomon.data.raw import RawTable, Workspace
from gnomon.data.reading import Reading
from gnomon.data.table import ConversionKind, quote
from gnomon.data.tally import Proposal, count

_SAMPLE_CELLS = 400_000
_SAMPLE_ROWS = 6_000
_DISTINCT = 1_500
_LOOKED_AT = 400  # no date or number is longer
_FEW_WORDS = 3
_MANY_NUMBERS = 20
_ZERO_DAY = regex(r"(?:0000([-/.])00\1?00|00([-/.])00\2?0000)(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?")
_NUMBER = regex(r"^\d\s*[._):-]\s*")
DATED = frozenset({ConversionKind.DATE, ConversionKind.TIMESTAMP})
_PAIRS = (("true", "false"), ("yes", "no"), ("y", "n"), ("t", "f"))


def proposals_of(
    workspace: Workspace, raw: RawTable, relation: str, text: Sequence[str]
) -> dict[str, Proposal]:
    if not text:
        return {}
    if raw.probe:
        samples = {c: [v for r in raw.probe if (v := r[i])] for i, c in enumerate(raw.columns) if c in text}
    else:
        samples = _samples(workspace, relation, text)
    return {c: _proposed(c, values, raw) for c, values in samples.items()}


def _proposed(column: str, values: Sequence[str], raw: RawTable) -> Proposal:
    """The ways in which one column may be read: its cells as they are, without what they wear, without the words among them."""
    coded, named = null_tokens.is_coded(values), null_tokens.is_of_names(values)
    plain = propose(column, values, decimal_comma=raw.decimal_comma)
    distinct = [
        v for v in dict.fromkeys(values) if (low := v.strip().lower()) and low not in null_tokens.TOKENS
    ]
    dress = dress_of(distinct[:_DISTINCT]) if raw.loose else None
    found = plain
    if dress is not None:
        found = _undressed(column, distinct, dress, raw) or plain
    if not found and any(any(ch.isdigit() for ch in v) for v in distinct[:50]):
        found = _undressed(column, distinct, day_dress(dress), raw, days=True)
    words = words_among(distinct) if raw.loose else tuple(filter(is_zero_day, distinct))
    if words and (not found or any(map(is_zero_day, words))):
        rest = [v for v in distinct if v.strip().lower() not in words]
        found = propose(column, rest, decimal_comma=raw.decimal_comma)
    return Proposal(
        found,
        coded,
        named,
        (),
        words if found else (),
        dress if dress and dress.around else None,
        not found
        and bool(distinct)
        and (are_measured(cells := distinct[:_DISTINCT]) or are_lengths(column, cells)),
    )


def _undressed(
    column: str, distinct: Sequence[str], dress: Dress, raw: RawTable, *, days: bool = False
) -> list[Reading]:
    """The ways in which cells may be read by what they say; ``days`` alone where they are told in other words."""
    said = [dress.off(v) for v in distinct[:_DISTINCT]]
    found = propose(column, said, decimal_comma=raw.decimal_comma)
    return [r.dressed(dress.sql) for r in found if not days or r.kind in DATED]


def words_among(distinct: Sequence[str]) -> tuple[str, ...]:
    """The one to three words that stand among many numbers or days, in lower case; none where they may be values of a list."""
    told = [v for v in distinct if not (v[:1].isdigit() or any(ch.isdigit() for ch in v))]
    zeros = [v for v in distinct if is_zero_day(v)]
    words = dict.fromkeys(v.strip().lower() for v in (*told, *zeros))
    many = len(distinct) - len(told) - len(zeros) >= _MANY_NUMBERS or not told
    return tuple(words) if 0 < len(words) <= _FEW_WORDS and many else ()


def is_zero_day(text: str) -> bool:
    """Whether a text is the day of zeros that MySQL writes where there is none, with a time or without."""
    return text.lstrip()[:2] == "00" and _ZERO_DAY.fullmatch(text.strip()) is not None


def propose(name: str, values: Sequence[str], *, decimal_comma: bool = False) -> list[Reading]:
    """The ways in which the texts of a column may be something else, best first; none where it is text.

    Args:
        name: Name of the column.
        values: Texts of the column.
        decimal_comma: Whether the comma is the likelier decimal mark where both readings fit.
    """
    folded = {v: v.strip().lower() for v in dict.fromkeys(values)}
    distinct = [v for v, low in folded.items() if low and low not in null_tokens.TOKENS][:_DISTINCT]
    if not distinct:
        return []
    lowered = {folded[v] for v in distinct}
    answers = all(v.endswith(("yes", "no")) for v in lowered)
    numbered = {_NUMBER.sub("", v): v for v in lowered} if answers else {}
    if {*numbered} == {"yes", "no"} and lowered != {"yes", "no"}:  # 1. Yes, 2. No
        sql = f"CASE lower(trim({{c}})) WHEN '{numbered['yes']}' THEN true WHEN '{numbered['no']}' THEN false END"
        return [Reading(ConversionKind.BOOLEAN, "BOOLEAN", sql, f"{numbered['yes']}/{numbered['no']}")]
    for yes, no in _PAIRS:
        if lowered <= {yes, no} and (len(yes) > 1 or len(lowered) == 2):
            sql = f"CASE lower(trim({{c}})) WHEN '{yes}' THEN true WHEN '{no}' THEN false END"
            both = Reading(ConversionKind.BOOLEAN, "BOOLEAN", sql, f"{yes}/{no}")
            mark = f"CASE lower(trim({{c}})) WHEN '{yes}' THEN true END"
            alone = Reading(ConversionKind.BOOLEAN, "BOOLEAN", mark, f"{yes}/")
            return [alone, both] if lowered == {yes} else [both]
    if not any(any(ch.isdigit() for ch in v) for v in distinct[:50]):
        return []
    found = read_date(name, distinct) or read_period(name, distinct)
    return found or read_number(name, distinct, decimal_comma=decimal_comma)


def _samples(workspace: Workspace, relation: str, text: Sequence[str]) -> dict[str, list[str]]:
    """Texts of each column from the start of the relation and from places spread over it."""
    con = workspace.connection
    limit = max(200, min(_SAMPLE_ROWS, _SAMPLE_CELLS // len(text)))
    # Cutting texts takes as long as all else, and few are that long.
    listed = ", ".join(
        f"CASE WHEN strlen({c}) > {_LOOKED_AT} THEN left({c}, {_LOOKED_AT}) ELSE {c} END"
        for c in map(quote, text)
    )
    rows = con.execute(f"SELECT {listed} FROM {relation} LIMIT {limit}").fetchall()
    if len(rows) == limit:
        total = count(workspace, relation)
        for part in range(1, 5) if total > limit else ():
            start = max(limit, (total - limit) * part // 4)
            rows += con.execute(
                f"SELECT {listed} FROM {relation} LIMIT {limit // 4} OFFSET {start}"
            ).fetchall()
    return {c: [r[i] for r in rows if r[i] is not None] for i, c in enumerate(text)}
