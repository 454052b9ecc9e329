"""Questions that others asked of public tables: Spider with synonyms, KaggleDBQA, nvBench and WikiSQL, over rows made here.

    python bench/ask_flat.py FOLDER [--split test|train] [--most N] [--failures] [--write FILE]

FOLDER holds ``examples.jsonl.gz`` and ``tables.json.gz``: questions as flat queries over the headings of public tables. Their
rows are not in it, so each table gets 60 rows of its own, drawn with a fixed seed, that hold what its questions name. Truths
are the flat queries, run by DuckDB over the same rows; an answer is right where it tells every figure or name of the truth, and
no list that is longer. Questions whose truth is empty, or is all rows, prove nothing and are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import re
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb

import gnomon
from gnomon.core.answer import Answer, AnswerStatus

SPLITS = {"test": ("stest", "ktest", "nvtest"), "train": ("train",)}
ROWS = 60
AGGREGATES = ("", "min", "max", "count", "sum", "avg", "distinct")
OPERATORS = ("=", "!=", "<", ">", "<=", ">=", "between", "like", "in")
_WORDS = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gum", "Hazel", "Ironwood", "Juniper", "Kauri", "Larch", "Maple", "Nutmeg", "Oak", "Pine", "Quince", "Rowan", "Spruce", "Teak", "Upas", "Viburnum", "Willow", "Yew", "Zelkova"]  # fmt: skip
_REFUSALS = (AnswerStatus.OUT_OF_DOMAIN, AnswerStatus.OUT_OF_SCOPE, AnswerStatus.CLARIFY)


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def made(table: dict[str, Any], cases: Sequence[dict[str, Any]], draw: random.Random) -> list[list[Any]]:
    """Rows of a table: values that its questions name among them."""
    named: defaultdict[int, list[str]] = defaultdict(list)
    for case in cases:
        for column, _, values, *_ in case["lab"]["where"]:
            named[column] += [str(v) for v in values]
    columns = [_column(i, c, named[i], draw) for i, c in enumerate(table["cols"])]
    return [list(row) for row in zip(*columns, strict=True)]


def _column(place: int, column: dict[str, Any], named: list[str], draw: random.Random) -> list[Any]:
    heading = column["n"].lower()
    held = [v.strip("%") for v in dict.fromkeys([*named, *map(str, column["v"])]) if v.strip("%")]
    numbers = [float(v) for v in held if re.fullmatch(r"-?\d+(\.\d+)?", v)]
    is_id = bool(re.search(r"(^|[ _])id$", heading)) or (place == 0 and heading in ("id", "code", "number"))
    if column["t"] == "number" or (numbers and len(numbers) == len(held)):
        if is_id and not named:
            return list(range(1, ROWS + 1)) if place == 0 else [draw.randint(1, 20) for _ in range(ROWS)]
        if "year" in heading or (numbers and all(1800 < n < 2100 and n == int(n) for n in numbers)):
            pool = [int(n) for n in numbers] or list(range(1990, 2020))
            return [draw.choice([*pool, *range(min(pool) - 4, max(pool) + 5)]) for _ in range(ROWS)]
        low, high = min(numbers, default=1), max(numbers, default=1000)
        spread = max(high - low, abs(high), 10)
        drawn = [draw.uniform(max(0, low - spread / 2), high + spread) for _ in range(ROWS)]
        whole = all(n == int(n) for n in numbers) and high >= 5
        values = [round(v) if whole else round(v, 2) for v in drawn]
        for i, n in enumerate(numbers[:20]):
            values[(i * 7) % ROWS] = int(n) if n == int(n) else n
        return values
    if column["t"] == "time" and not any(re.search(r"[a-z]", v.lower()) for v in held):
        days = [date(2015, 1, 1) + timedelta(days=draw.randint(0, 1500)) for _ in range(ROWS)]
        dated: list[Any] = [str(d) for d in days]
        for i, v in enumerate(v for v in held if re.fullmatch(r"\d{4}-\d{2}-\d{2}", v)):
            dated[(i * 5) % ROWS] = v
        return dated
    if ("name" in heading and not heading.endswith("type name") and len(held) < 12) or "title" in heading:
        pool = [f"{draw.choice(_WORDS)} {draw.choice(_WORDS)} {i}" for i in range(ROWS)]
        for i, v in enumerate(held[: ROWS // 2]):
            pool[(i * 3) % ROWS] = v
        return pool
    pool = held[:24] or []
    while len(pool) < 5:
        pool.append(f"{draw.choice(_WORDS)}{'' if len(heading) % 2 else ' ' + draw.choice(_WORDS)}")
    return [draw.choice(pool) for _ in range(ROWS)]


def sql_of(lab: dict[str, Any], headings: Sequence[str]) -> str:
    """The flat query of a question as SQL."""

    def shown(column: int, how: int) -> str:
        name = quoted(headings[column]) if column >= 0 else "*"
        if how == 6:
            return f"count(distinct {name})"
        return f"{AGGREGATES[how]}({name})" if how else name

    wanted = [shown(c, a) for c, a in lab["sel"]]
    if lab["cnt"]:
        wanted.append("count(*)")
    if lab["star"]:
        wanted.append("*")
    tests = [_test(headings[c], op, values) for c, op, values, *_ in lab["where"]]
    grouped = [quoted(headings[g[0]]) for g in lab["group"]]
    sql = f"SELECT {'DISTINCT ' if lab['distinct'] else ''}{', '.join(wanted)} FROM t"
    if tests:
        sql += f" WHERE {(' OR ' if lab['conj'] else ' AND ').join(tests)}"
    if grouped:
        sql += f" GROUP BY {', '.join(grouped)}"
    if lab["having"]:
        column, how, op, value, *_ = lab["having"]
        sql += f" HAVING {shown(column, how)} {OPERATORS[op]} {float(value)}"
    if lab["order"]:
        way = " DESC" if lab["dir"] else ""
        sql += " ORDER BY " + ", ".join(f"{shown(c, a)}{way}" for c, a in lab["order"])
    if lab["limit"]:
        sql += f" LIMIT {int(lab['limit'][0])}"
    return sql


def _test(heading: str, op: int, values: list[str]) -> str:
    name = quoted(heading)
    text = [str(v).strip("%") for v in values]

    def literal(value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def equal(value: str) -> str:
        return f"lower(cast({name} AS VARCHAR)) = lower({literal(value)})"

    if op in (0, 1):
        return equal(text[0]) if op == 0 else f"NOT {equal(text[0])}"
    if op == 7:
        return f"lower(cast({name} AS VARCHAR)) LIKE lower({literal('%' + text[0] + '%')})"
    if op == 8:
        return "(" + " OR ".join(map(equal, text)) + ")"
    if op == 6:
        return f"{name} BETWEEN {literal(text[0])} AND {literal(text[1])}"
    return f"{name} {OPERATORS[op]} {literal(text[0])}"


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)) or hasattr(value, "__float__"):
        return float(value)
    return None


def is_right(truth: list[tuple[Any, ...]], answer: Answer, *, single: bool) -> bool:
    """Whether an answer tells the truth and nothing longer."""
    numbers = [v for f in answer.facts if (v := _number(f.value)) is not None]
    cells = [c for t in answer.tables for r in t.rows for c in r]
    numbers += [v for c in cells if (v := _number(c)) is not None]
    words = " ".join([answer.prose, *(str(c) for c in cells), *(str(f.value) for f in answer.facts)]).lower()
    for row in truth:
        for value in row:
            if value is None:
                continue
            number = _number(value)
            if number is not None:
                near = any(
                    math.isclose(number, n * f, rel_tol=1e-4, abs_tol=1e-9)
                    for n in numbers
                    for f in (1, 100, 0.01)
                )
                if not near and f"{number:g}" not in words:
                    return False
            elif str(value).lower() not in words and not _moment(value, words):
                return False
    if single:
        leading = numbers[:4]
        wanted = [n for v in truth[0] if (n := _number(v)) is not None]
        return all(
            any(math.isclose(w, n * f, rel_tol=1e-4, abs_tol=1e-9) for n in leading for f in (1, 100, 0.01))
            for w in wanted
        )
    longest = max((len(t.rows) for t in answer.tables), default=0)
    return longest <= 2 * len(set(truth)) + 2


def _moment(value: Any, words: str) -> bool:
    return isinstance(value, date) and (
        f"{value.day} {value:%B %Y}".lower() in words or f"{value.day} {value:%b %Y}".lower() in words
    )


def main() -> int:
    """Ask, grade, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=[*SPLITS], default="test")
    parser.add_argument("--source", default="sk", help="which sources: s, k, n, w")
    parser.add_argument("--most", type=int, default=10**6, help="ask so many questions, drawn by table")
    parser.add_argument("--failures", action="store_true", help="show what went wrong")
    parser.add_argument("--write", type=Path, help="write how each question ended")
    given = parser.parse_args()
    with gzip.open(given.folder / "tables.json.gz", "rt") as file:
        tables = json.load(file)
    by_table: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    with gzip.open(given.folder / "examples.jsonl.gz", "rt") as lines:
        for line in lines:
            case = json.loads(line)
            if (
                case["split"] in SPLITS[given.split]
                and case["src"] in given.source
                and "+" not in case["tid"]
            ):
                by_table[case["tid"]].append(case)
    names = sorted(by_table)
    random.Random(7).shuffle(names)
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    written: list[dict[str, Any]] = []
    asked = 0
    for name in names:
        if asked >= given.most:
            break
        asked += _ask(tables[name], by_table[name], counts, written, given.failures)
    for source, found in counts.items():
        total = sum(found.values())
        print(f"{source}: " + ", ".join(f"{n} {k} ({n / total:.1%})" for k, n in sorted(found.items())))
    if given.write:
        given.write.write_text("".join(json.dumps(w) + "\n" for w in written))
    return 0


def _ask(
    table: dict[str, Any],
    cases: list[dict[str, Any]],
    counts: defaultdict[str, Counter[str]],
    written: list[dict[str, Any]],
    failures: bool,
) -> int:
    draw = random.Random(zlib.crc32(table["name"].encode()))
    headings = [c["n"] for c in table["cols"]]
    if len({h.lower() for h in headings}) < len(headings):
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (re.sub(r"\W+", "_", table["name"]).strip("_").lower()[:40] + ".csv")
        connection = duckdb.connect()
        rows = made(table, cases, draw)
        connection.execute("CREATE TABLE w (" + ", ".join(f"{quoted(h)} VARCHAR" for h in headings) + ")")
        connection.executemany(
            f"INSERT INTO w VALUES ({', '.join('?' * len(headings))})", [[str(v) for v in r] for r in rows]
        )
        connection.execute(f"COPY w TO '{path}' (HEADER)")
        connection.execute(f"CREATE VIEW t AS FROM read_csv_auto('{path}')")
        analyst = gnomon.open(path)
        asked = 0
        for case in cases:
            sql = sql_of(case["lab"], headings)
            try:
                truth = connection.execute(sql).fetchall()
            except duckdb.Error:
                continue
            if (
                not truth
                or all(v is None for r in truth for v in r)
                or (len(truth) == ROWS and not case["lab"]["order"])
            ):
                continue
            lab = case["lab"]
            if lab["limit"] and _tied(connection, sql, truth):
                continue
            asked += 1
            answer = analyst.ask(case["q"])
            single = len(truth) == 1 and not lab["group"] and (lab["cnt"] or any(a for _, a in lab["sel"]))
            refused = answer.status in _REFUSALS
            ended = (
                "refused"
                if refused
                else "failed"
                if answer.status is AnswerStatus.ERROR
                else ("right" if is_right(truth, answer, single=bool(single)) else "wrong")
            )
            counts[case["src"]][ended] += 1
            written.append({"q": case["q"], "tid": case["tid"], "ended": ended, "var": case.get("var")})
            if failures and ended == "wrong":
                said = " ".join(answer.prose.split())
                print(
                    f"[{case['tid']}] {case['q']}\n  {sql}\n  true: {str(truth)[:160]}\n  ours: {said[:300]}\n"
                )
        return asked


def _tied(connection: duckdb.DuckDBPyConnection, sql: str, truth: list[tuple[Any, ...]]) -> bool:
    """Whether another row would do as well as the first ones."""
    sql, _, limit = sql.rpartition(" LIMIT ")
    body, _, order = sql.rpartition(" ORDER BY ")
    key = order.removesuffix(" DESC").split(", ")[0]
    _, _, back = body.partition(" FROM ")
    try:
        keys = [r[0] for r in connection.execute(f"SELECT {key} FROM {back} ORDER BY {order}").fetchall()]
    except duckdb.Error:
        return True
    n = int(limit)
    return (len(keys) > n and keys[n - 1] == keys[n]) or len(truth) < n


if __name__ == "__main__":
    raise SystemExit(main())
