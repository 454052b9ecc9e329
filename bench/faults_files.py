"""Files that are bombs, lose rows or mean something else than they seem; each in a process with bounded memory."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import psutil

import faults_variants
import serve
from faults_world import COMMAND, Fault, World

BOMBS = "Falls over: files"
LOST = "Wrong or lost: files"
SECONDS = 180.0  # what opening one table may take, and some more
MOST_BYTES = 1_500_000_000
ADDRESS_SPACE = 8_000_000_000
_CELL = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


def sheet(rows: str) -> bytes:
    """A workbook whose only sheet holds ``rows``, written by hand."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as book:
        for name, text in _PARTS.items():
            book.writestr(name, text)
        with book.open("xl/worksheets/sheet1.xml", "w") as part:
            part.write(
                b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
            )
            part.write(rows.encode())
            part.write(b"</sheetData></worksheet>")
    return packed.getvalue()


def far_cell(folder: Path) -> Path:
    """One number in the last cell that a sheet can have."""
    (file := folder / "far.xlsx").write_bytes(sheet(_CELL))
    return file


def packed_sheet(folder: Path) -> Path:
    """A small file that unpacks to 600 MB."""
    row = '<row><c t="inlineStr"><is><t>' + "a" * 60_000 + "</t></is></c></row>"
    (file := folder / "packed.xlsx").write_bytes(sheet(row * 10_000))
    return file


def long_texts(folder: Path) -> Path:
    """A Parquet file of few bytes that holds texts of a megabyte."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "text": pa.DictionaryArray.from_arrays(pa.array([0] * 4000, pa.int32()), ["x" * 1_000_000]),
            "n": range(4000),
        }
    )
    pq.write_table(table, file := folder / "long.parquet", compression="zstd")
    return file  # fmt: skip


_ENDLESS = (
    "CREATE VIEW endless AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r"
)


def endless_view(folder: Path) -> Path:
    """A database whose only view never ends."""
    import duckdb

    with duckdb.connect(str(file := folder / "endless.duckdb")) as made:
        made.execute(_ENDLESS)
    return file


def bad_views(world: World) -> list[str]:
    """Ten tables beside views that never end, fail or hold too much: the tables answer, the views are told of."""
    import duckdb

    bad = {
        "endless": _ENDLESS,
        "crossed": "CREATE VIEW crossed AS SELECT sum(a.n * h.n) AS s FROM "
        + ", ".join(f"t0 {c}" for c in "abcdefgh"),
        "billion": "CREATE VIEW billion AS SELECT range AS n, hash(range) AS h FROM range(1000000000)",
        "failing": "CREATE VIEW failing AS SELECT CAST('x' || n AS INTEGER) AS y FROM t0",
        "fat": "CREATE VIEW fat AS SELECT n, repeat('x', 400000000) AS z FROM t0",
    }
    found: list[str] = []
    for kind, names in {"one": ["endless"], "all": list(bad)}.items():
        file = world.folder / f"views_{kind}.duckdb"
        with duckdb.connect(str(file)) as made:
            for i in range(10):
                made.execute(
                    f"CREATE TABLE t{i} AS SELECT range AS n, range * {i + 1} AS amount_{i} FROM range(100)"
                )
            for name in names:
                made.execute(bad[name])
        started = time.monotonic()
        done = world.command(
            "ask", str(file), "total amount 3", environment={"GNOMON_VIEW_TIMEOUT_SECONDS": "10"}
        )
        took = time.monotonic() - started
        found += [f"{kind}: {done.stdout[:100]}{done.stderr[:100]}"] if "19,800" not in done.stdout else []
        found += [f"{kind}: {took:.0f} s"] if took > 20 + 15 * len(names) else []
        told = world.command(
            "profile", str(file), "--json", environment={"GNOMON_VIEW_TIMEOUT_SECONDS": "10"}
        )
        found += [
            f"{kind}: nothing is said of {name}" for name in names if f"Left out: {name}" not in told.stdout
        ]
    return found  # fmt: skip


def wide(folder: Path) -> Path:
    """3,001 columns of 200 rows."""
    (file := folder / "wide.csv").write_text(
        ",".join(f"c{i}" for i in range(3001)) + "\n" + "\n".join(",".join(str((i * j) % 97) for j in range(3001)) for i in range(200))
    )  # fmt: skip
    return file


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def watched(world: World, *arguments: str, seconds: float = SECONDS, may_fail: bool = True) -> list[str]:
    """A command that has to end in time, in bounded memory, with an answer or a sentence."""
    own = os.environ | {"GNOMON_HOME": str(world.folder / "cli"), "GNOMON_LOG_DIR": str(world.folder / "cli")}
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(
            [*COMMAND, *arguments], env=own, stdout=said, stderr=said, text=True, preexec_fn=_limited
        )
        started, most = time.monotonic(), 0
        while process.poll() is None and time.monotonic() - started < seconds:
            try:
                family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
                most = max(most, sum(p.memory_info().rss for p in family))
            except psutil.Error:
                pass
            time.sleep(0.1)
        if process.poll() is None:
            process.kill()
            process.wait()
            return [f"not done after {seconds:.0f} s ({most / 1e6:.0f} MB)"]
        said.seek(0)
        text = said.read()
    found = [f"{most / 1e6:.0f} MB"] if most > MOST_BYTES else []
    found += [f"ended with {process.returncode}"] if process.returncode not in (0, 1, 2) else []
    found += ["a traceback"] if "Traceback" in text else []
    found += [f"failed: {text[-150:]}"] if process.returncode and not may_fail else []
    return found  # fmt: skip


def bomb(make: Callable[[Path], Path]) -> Fault:
    """An entry: the file on the command line, and through ``data_pointer`` of a service of its own."""

    def run(world: World) -> list[str]:
        file = make(world.data)
        found = watched(world, "profile", str(file))
        home = world.folder / f"bomb-{file.stem}"
        home.mkdir()
        process, address = serve.served(home, GNOMON_DATA_ROOTS=f'["{world.data}"]')
        own = World(world.folder, home, address, process, world.seed, 0)
        try:
            try:
                said = own.analysed("average n", source=str(file))
                found += [f"/v2/analyze: {said.status_code}"] if said.status_code >= 500 else []
            except Exception as e:  # the service that died is what is looked for
                found.append(f"/v2/analyze: {type(e).__name__}")
            return [*found, *own.lives()]
        finally:
            process.kill()
            process.wait()
            file.unlink()

    return Fault(BOMBS, str(make.__doc__).rstrip("."), run)


def formulas(world: World) -> list[str]:
    """Formulas that grow a text a hundredfold, several times over."""
    found: list[str] = []
    for depth in (3, 6, 9):
        formula = "'aaaaaaaaaa'"
        for _ in range(depth):
            formula = f"replace({formula}, 'a', 'aaaaaaaaaa')"
        rows = [{"x": i} for i in range(10)]
        process = psutil.Process(world.process.pid)
        before = process.memory_info().rss
        said = world.analysed("derive a column", rows=rows, params={"expression": formula, "new_column": "y"})
        grown = process.memory_info().rss - before
        found += [f"{depth} levels: status {said.status_code}"] if said.status_code >= 500 else []
        found += [f"{depth} levels: {grown / 1e6:.0f} MB"] if grown > 1e9 else []
    return found + world.lives()


def lost_rows(world: World) -> list[str]:
    """CSV files with quotes that do not balance: all rows, or a word about it."""
    import gnomon

    found: list[str] = []
    for name, at, cell in (
        ("middle", 500, 'say "hi'),
        ("first", 0, '"unclosed'),
        ("last", 999, 'x"'),
        ("two", 300, '5" pipe'),
    ):
        lines = [
            f"{i},{cell if i == at or (name == 'two' and i == 700) else 'plain'},{i % 7}" for i in range(1000)
        ]
        (file := world.folder / f"quote_{name}.csv").write_text("id,text,amount\n" + "\n".join(lines) + "\n")
        with gnomon.open(file) as analyst:
            answer = analyst.ask("how many rows are there?")
            if 1000 not in {f.value for f in answer.facts}:
                found.append(f"{name}: {answer.prose[:100]}")
    return found  # fmt: skip


def total_row(world: World) -> list[str]:
    """A Total row, sentinels, and a header without rows."""
    import gnomon

    (file := world.folder / "total.csv").write_text("region,sales\nnorth,10\nsouth,20\neast,30\nTotal,60\n")
    found: list[str] = []
    with gnomon.open(file) as analyst:
        answer = analyst.ask("total sales")
        found += [f"Total row: {answer.prose[:80]}"] if 120 in {f.value for f in answer.facts} else []
    rows = "\n".join(f"s{i % 5},{-999 if i % 20 == 0 else 20 + i % 7}" for i in range(200))
    (file := world.folder / "sentinel.csv").write_text(f"site,temperature\n{rows}\n")
    with gnomon.open(file) as analyst:
        answer = analyst.ask("average temperature")
        found += (
            [f"sentinel: {answer.prose[:80]}"]
            if any(isinstance(f.value, float) and f.value < 15 for f in answer.facts)
            else []
        )
    (file := world.folder / "empty.csv").write_text("region,sales\n")
    done = world.command("ask", str(file), "total sales")
    found += (
        ["a header without rows is answered"]
        if done.returncode == 0 and "total sales" in done.stdout.lower() and " 0" in done.stdout
        else []
    )
    return found  # fmt: skip


def odd_cells(world: World) -> list[str]:
    """Cells that are no number, pages that begin with the header, a line that names the separator, records in cells."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import gnomon

    rows = [f"{'ab'[i % 2]},{i}.5" for i in range(200)]
    whole, folder = sum(i + 0.5 for i in range(200)), world.folder
    texts = {
        "infinite": "kind,amount\n" + "\n".join([*rows, "a,inf", "b,1e400"]),
        "pages": "kind,amount\n" + "\n".join([*rows[:100], "kind,amount", *rows[100:]]),
        "told": "sep=;\nkind;amount\n" + "\n".join(rows).replace(",", ";"),
    }
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text + "\n")
    nested = {"amount": [i + 0.5 for i in range(200)], "tags": [[{"k": i}] for i in range(200)]}
    pq.write_table(pa.table(nested), folder / "nested.parquet")
    found: list[str] = []
    for file in (*(folder / f"{n}.csv" for n in texts), folder / "nested.parquet"):
        with gnomon.open(file) as analyst:
            answer = analyst.ask("total amount")
            found += [] if whole in {f.value for f in answer.facts} else [f"{file.name}: {answer.prose[:80]}"]
    return found


def mixed_writing(world: World) -> list[str]:
    """Dates in two orders, years of two digits, thousands that look like decimals: the right figure, or a word about it."""
    import datetime as dt

    import gnomon

    days = [dt.date(2023, 1, 1) + dt.timedelta(days=2 * i) for i in range(300)]
    forms = {
        "orders": ("%m/%d/%Y", "%d/%m/%Y"),
        "short years": ("%d/%m/%Y", "%d/%m/%y"),
        "year first": ("%y-%m-%d", "%y-%m-%d"),
        "iso": ("%Y-%m-%d", "%d/%m/%y"),
    }
    found: list[str] = []
    for name, (usual, other) in forms.items():
        rows = [f"{d.strftime(other if i % 29 == 7 else usual)},1" for i, d in enumerate(days)]
        (file := world.folder / f"{name}.csv").write_text("day,amount\n" + "\n".join(rows) + "\n")
        right = sum(d.year == 2024 for d in days)
        with gnomon.open(file) as analyst:
            answer = analyst.ask("total amount in 2024")
            told = right in {f.value for f in answer.facts} or "Note: day:" in answer.prose
            found += [] if told else [f"{name}: {answer.prose[:100]}"]
    cells = {"german": "{0:,}", "mixed": "{0:,}"}
    for name, form in cells.items():
        texts = [form.format(1_007 * (i + 1)).replace(",", ".") for i in range(90)]
        texts += [f"{i}.50" for i in range(5)] if name == "mixed" else []
        (file := world.folder / f"{name}.csv").write_text("amount\n" + "\n".join(texts) + "\n")
        with gnomon.open(file) as analyst:
            answer = analyst.ask("total amount")
            right = sum(1_007 * (i + 1) for i in range(90)) + (12.5 if name == "mixed" else 0)
            told = right in {f.value for f in answer.facts} or "thousands" in answer.prose
            found += [] if told else [f"{name}: {answer.prose[:100]}"]
    return found


def other_lines(world: World) -> list[str]:
    """Names below groups and pairs, lines of types, words between rows, rows of figures at an end, other ends of lines."""
    import gnomon

    days = [f"2024-0{1 + i // 28}-{1 + i % 28:02d}" for i in range(140)]
    rows, names = [f"{d},{'ab'[i % 2]},{i}.5,{i % 7}" for i, d in enumerate(days)], "day,kind,amount,units"
    tried = {
        "groups": "\n".join(["Key,,Figures,", names, *rows]),
        "pairs": "\n".join(["Report,Sales,,", "From,2024-01-01,,", ",,,", names, *rows]),
        "types": "\n".join([names, "date,varchar,double,int", *rows]),
        "words": "\n".join([names, *rows[:70], "# half of it", "Page 1 of 2,,,", *rows[70:]]),
        "figures": "\n".join([names, "Opening balance,,500,0", *rows, "Variance,,1633.3,4.1", "25%,,34.9,1"]),
        "separators": "\n".join([names + ",", *rows]),
        "U+0085": "\x85".join([names, *rows]),
        "U+2028": "\u2028".join([names, *rows]),
    }
    tried |= {"EBCDIC": "\n".join([names, *rows])}
    found: list[str] = []
    for name, text in tried.items():
        file = world.folder / f"lines_{name}.csv"
        file.write_bytes(text.encode("cp037" if name == "EBCDIC" else "utf-8"))
        with gnomon.open(file) as analyst:
            for question, right in (
                ("how many rows", 140),
                ("total amount", sum(i + 0.5 for i in range(140))),
            ):
                answer = analyst.ask(question)
                found += [] if right in {f.value for f in answer.facts} else [f"{name}: {answer.prose[:80]}"]
    return found


def worn_cells(world: World) -> list[str]:
    """Marks and unseen signs around cells, digits of other scripts, days in other words, words among numbers, first days."""
    import datetime as dt

    import gnomon

    days = [dt.date(2023, 1, 1) + dt.timedelta(days=4 * i) for i in range(150)]
    arabic = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
    tried = {
        "curly": [f"“{d}”,“{i}”" for i, d in enumerate(days)],
        "formula": [f'="{d}",="{i}"' for i, d in enumerate(days)],
        "blanks": [f"{d}\u00a0,{i}\u200b " for i, d in enumerate(days)],
        "digits": [f"{d},{i}".translate(arabic) for i, d in enumerate(days)],
        "mail": [f'"{d:%a, %d %b %Y} 10:00:00 GMT",{i}' for i, d in enumerate(days)],
        "words": [f'"{d.day}. {["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"][d.month - 1]} {d.year}",{i}' for i, d in enumerate(days)],
        "unknown": [f"{d},{i}" for i, d in enumerate(days)] + ["2022-05-01,unknown"] * 40,
        "first": [f"{d},{i}" for i, d in enumerate(days)] + ["1900-01-01,0"] * 5,
    }  # fmt: skip
    right = sum(i for i, d in enumerate(days) if d.year == 2024)
    found: list[str] = []
    for name, lines in tried.items():
        (file := world.folder / f"worn_{name}.csv").write_text(
            "\n".join(["day,amount", *lines]) + "\n", encoding="utf-8"
        )
        with gnomon.open(file) as analyst:
            answer = analyst.ask("total amount in 2024")
            found += [] if right in {f.value for f in answer.facts} else [f"{name}: {answer.prose[:80]}"]
            told = analyst.ask("earliest day").prose
            found += [f"{name}: {told[:80]}"] if "1900" in told.splitlines()[0] else []
    return found


def many_files(world: World) -> list[str]:
    """The whole disk as a folder: refused in seconds, with what to name instead."""
    started = time.monotonic()
    done = world.command("ask", "/", "how many rows")
    took = time.monotonic() - started
    said = done.returncode != 0 and "Name the files" in done.stderr
    return [] if said and took < 30 else [f"{took:.0f} s: {done.stderr[-150:]}"]


FAULTS = [
    *faults_variants.FAULTS,
    Fault(LOST, "names below other lines, lines that are no rows, other ends of lines", other_lines),
    Fault(LOST, "what cells wear, days in other words, words among numbers, first days", worn_cells),
    Fault(BOMBS, "the whole disk as a folder", many_files),
    Fault(LOST, "dates and numbers written in several ways", mixed_writing),
    Fault(LOST, "quotes that do not balance", lost_rows),
    Fault(LOST, "infinite cells, headers that come again, sep=, records in cells", odd_cells),
    Fault(LOST, "a Total row, sentinels, no rows", total_row),
    *[bomb(make) for make in (far_cell, packed_sheet, long_texts, endless_view)],
    Fault(BOMBS, "tables beside views that cannot be read", bad_views),
    Fault(BOMBS, "formulas that grow", formulas),
    Fault(BOMBS, "3,001 columns", lambda world: watched(world, "profile", str(wide(world.folder)), seconds=120, may_fail=False)),
]  # fmt: skip
