"""Files written and damaged in ways that a seed picks: each answer has the right figure, or a word about it, or there is none."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from faults_world import Fault, World

LOST = "Wrong or lost: generated files"
_ROWS = (24, 60)
_TRIES = 3  # of each class


@dataclass(frozen=True)
class Sheet:
    """A small table of which everything is known.

    Args:
        days: One for each row.
        regions: Names that come again.
        amounts: Numbers with two decimals.
        units: Whole numbers.
    """

    days: tuple[dt.date, ...]
    regions: tuple[str, ...]
    amounts: tuple[float, ...]
    units: tuple[int, ...]

    @classmethod
    def drawn(cls, rng: random.Random) -> Sheet:
        """A table by chance."""
        n, step, first = rng.randint(*_ROWS), rng.randint(3, 11), dt.date(2023, 1, rng.randint(1, 28))
        names = rng.sample(["north", "south", "east", "west", "centre", "coast"], rng.randint(3, 5))
        return cls(
            tuple(first + dt.timedelta(days=step * i) for i in range(n)),
            tuple(names[i % len(names)] for i in range(n)),
            tuple(rng.randint(1_000, 999_999) / 100 for _ in range(n)),
            tuple(rng.randint(1, 90) for _ in range(n)),
        )

    @property
    def names(self) -> list[str]:
        return ["day", "region", "amount", "units"]

    @property
    def rows(self) -> list[list[str]]:
        """The cells as they are written plainly."""
        held = zip(self.days, self.regions, self.amounts, self.units, strict=True)
        return [[str(d), r, f"{a:.2f}", str(u)] for d, r, a, u in held]

    @property
    def truth(self) -> dict[str, float]:
        """Questions and the figures that answer them."""
        return {"how many rows": len(self.days), "total amount": sum(self.amounts), "total units": sum(self.units)}  # fmt: skip


Made = tuple[str, bytes, Mapping[str, float]]
"""The ending of a file, what is in it, and the questions about it with their figures."""


def _text(names: list[str], rows: list[list[str]], mark: str = ",", end: str = "\n") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=mark, lineterminator=end).writerows([names, *rows])
    return out.getvalue()


def _with(rows: list[list[str]], at: int, cells: list[str]) -> list[list[str]]:
    return [[*row[:at], cell, *row[at + 1 :]] for row, cell in zip(rows, cells, strict=True)]


def long_numbers(s: Sheet, rng: random.Random) -> Made:
    """Numbers of 15 to 22 digits that name things: none is changed or added up."""
    digits = rng.choice([15, 16, 17, 18, 19, 22])
    first = 10**digits - 2 * len(s.days)
    rows = [[str(first + i), *row] for i, row in enumerate(s.rows)]
    return "csv", _text(["order_id", *s.names], rows).encode(), {**s.truth, "how many different order ids": len(rows)}  # fmt: skip


def arrays(s: Sheet, rng: random.Random) -> Made:
    """JSON whose rows are arrays, columns, records under keys or lines."""
    records = [dict(zip(s.names, row, strict=True)) for row in s.rows]
    records = [{**r, "amount": float(r["amount"]), "units": int(r["units"])} for r in records]
    listed = [[*r.values()] for r in records]
    shape = rng.choice(["names", "split", "columns", "keys", "nested", "lines"])
    made: object = {
        "names": [s.names, *listed],
        "split": {"columns": s.names, "data": listed},
        "columns": {n: [r[n] for r in records] for n in s.names},
        "keys": {f"k{i}": r for i, r in enumerate(records)},
        "nested": {"response": {"items": records}, "took": 3},
        "lines": None,
    }[shape]
    text = json.dumps(made) if made else "\n".join(map(json.dumps, records))
    return "json", text.encode(), s.truth


def encodings(s: Sheet, rng: random.Random) -> Made:
    """Text in other encodings, with other ends of lines."""
    code = rng.choice(["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1", "mac_roman", "cp037"])  # fmt: skip
    rows = _with(s.rows, 1, [f"{r[:-1]}ü" if code != "cp037" else r for r in s.regions])
    return "csv", _text(s.names, rows, rng.choice(",;\t|"), rng.choice(["\n", "\r\n", "\r"])).encode(code), s.truth  # fmt: skip


def coins(s: Sheet, rng: random.Random) -> Made:
    """Signs of money, marks of thousands and ways to write what is below nought."""
    form = rng.choice(["${:,.2f}", "{:,.2f} €", "USD {:,.2f}", "{:,.2f} kr", "R$ {:,.2f}", "£{:,.2f}", "{:,.2f}"])  # fmt: skip
    marks = rng.choice([",.", ".,", " ,", "'.", "\u202f,"])
    below = rng.choice(["({})", "-{}", "{}-", "\u2212{}"])
    amounts = [-a if i % 3 == 1 else a for i, a in enumerate(s.amounts)]
    written = [form.format(abs(a)).translate(str.maketrans(",.", marks)) for a in amounts]
    cells = [below.format(w) if a < 0 else w for w, a in zip(written, amounts, strict=True)]
    return "csv", _text(s.names, _with(s.rows, 2, cells), ";").encode(), {**s.truth, "total amount": sum(amounts)}  # fmt: skip


def units_in_cells(s: Sheet, rng: random.Random) -> Made:
    """Numbers with their units: read, or told to be text."""
    unit = rng.choice(["kg", "km", "%", "h", "MB", "°C", "pcs"])
    rows = _with(s.rows, 2, [f"{a} {unit}" for a in s.amounts])
    return "csv", _text(s.names, rows).encode(), {k: v for k, v in s.truth.items() if k != "total amount"}


def sentinels(s: Sheet, rng: random.Random) -> Made:
    """Numbers and words that stand for no value."""
    sign = rng.choice(["-999", "-9999", "999999999", "1e30", "n/a", "-2147483648", "unknown", "#N/A"])
    at = {i for i in range(len(s.days)) if i % 9 == 4}
    cells = [sign if i in at else f"{a:.2f}" for i, a in enumerate(s.amounts)]
    kept = sum(a for i, a in enumerate(s.amounts) if i not in at)
    return "csv", _text(s.names, _with(s.rows, 2, cells)).encode(), {**s.truth, "total amount": kept}


def first_days(s: Sheet, rng: random.Random) -> Made:
    """Days that stand for no value, where a calendar begins."""
    day = rng.choice(["1900-01-01", "1970-01-01", "1753-01-01", "1899-12-30", "1601-01-01"])
    cells = [day if i % 8 == 5 else str(d) for i, d in enumerate(s.days)]
    here = sum(a for i, (a, d) in enumerate(zip(s.amounts, s.days, strict=True)) if d.year == 2023 and i % 8 != 5)  # fmt: skip
    return "csv", _text(s.names, _with(s.rows, 0, cells)).encode(), {"total amount in 2023": here}


def other_days(s: Sheet, rng: random.Random) -> Made:
    """Days as numbers, in words, as weeks and days of a year."""
    forms: dict[str, Callable[[dt.date], str]] = {
        "serial": lambda d: str((d - dt.date(1899, 12, 30)).days),
        "of a year": lambda d: f"{d.year}{d.timetuple().tm_yday:03d}",
        "of a week": lambda d: "{}-W{:02d}-{}".format(*d.isocalendar()),
        "together": lambda d: f"{d:%d%m%Y}",
        "short": lambda d: f"{d:%y%m%d}",
        "in words": lambda d: f"{d:%A, %d. %B %Y}",
        "of a log": lambda d: f"{d:%d/%b/%Y}:10:00:00 +0000",
        "browser": lambda d: f"{d:%a %b %d %Y} 00:00:00 GMT+0000 (Coordinated Universal Time)",
    }
    written = forms[rng.choice(list(forms))]
    here = sum(a for a, d in zip(s.amounts, s.days, strict=True) if d.year == 2023)
    rows = _with(s.rows, 0, [written(d) for d in s.days])
    return "csv", _text(["date", *s.names[1:]], rows).encode(), {**s.truth, "total amount in 2023": here}


def heads(s: Sheet, rng: random.Random) -> Made:
    """Names below titles, groups and remarks, or with columns before and behind."""
    text = _text(s.names, s.rows)
    shape = rng.choice(["title", "groups", "remarks", "units", "before", "behind", "again"])
    made = {
        "title": "Report,,,\n,,,\n" + text,
        "groups": "Key,,Figures,\n" + text,
        "remarks": "# made by hand\n# twice\n" + text,
        "units": text.replace("\n", "\n-,-,EUR,pcs\n", 1),
        "before": _text(["", "", *s.names], [["", "", *row] for row in s.rows]),
        "behind": _text([*s.names, "", ""], [[*row, "", ""] for row in s.rows]),
        "again": _text(s.names, [x for i, row in enumerate(s.rows) for x in ([s.names, row] if i in (9, 18) else [row])]),
    }[shape]  # fmt: skip
    return "csv", made.encode(), s.truth


def feet(s: Sheet, rng: random.Random) -> Made:
    """Totals, figures and remarks at an end or in between, in several languages."""
    word = rng.choice(["Total", "Grand Total", "Summe", "Total général", "Suma", "Итого", "合計", "Toplam", "Totaal"])  # fmt: skip
    total = ["", word, f"{sum(s.amounts):.2f}", str(sum(s.units))]
    mean = ["", "Average", f"{sum(s.amounts) / len(s.days):.2f}", f"{sum(s.units) / len(s.days):.2f}"]
    place = rng.choice(["end", "top", "both", "remark"])
    rows = {"end": [*s.rows, total], "top": [total, *s.rows], "both": [*s.rows, total, mean], "remark": [*s.rows, total]}[place]  # fmt: skip
    text = _text(s.names, rows) + ("\nSource: ERP export\n" if place == "remark" else "")
    return "csv", text.encode(), s.truth


def quotes(s: Sheet, rng: random.Random) -> Made:
    """Quotes without a pair, escaped ones, and lines within them."""
    cell = rng.choice(['say "hi', '"unclosed', 'x"', '5" pipe', '"a\\"b"', '"a ""b"" c"', '"two\nlines"', '"a, b"', "'it"])  # fmt: skip
    at = rng.randrange(len(s.days))
    lines = [",".join([r[0], cell if i == at else r[1], *r[2:]]) for i, r in enumerate(s.rows)]
    return "csv", "\n".join([",".join(s.names), *lines, ""]).encode(), s.truth


def displaced(s: Sheet, rng: random.Random) -> Made:
    """A separator within a cell that nothing encloses; columns of a page; lines that are quoted as a whole."""
    shape = rng.choice(["comma", "thousands", "page", "lines"])
    at = rng.randrange(len(s.days))
    if shape == "comma":
        lines = [",".join([r[0], "here, there" if i == at else r[1], *r[2:]]) for i, r in enumerate(s.rows)]
    elif shape == "thousands":
        lines = [",".join([r[0], r[1], f"{1000 + a:,.2f}", r[3]]) for r, a in zip(s.rows, s.amounts, strict=True)]  # fmt: skip
    elif shape == "page":
        lines = [f"{a:<14}{b:<12}{c:>14}{d:>8}" for a, b, c, d in s.rows]
    else:
        lines = [f'"{",".join(r)}"' for r in s.rows]
    head = {"page": f"{'day':<14}{'region':<12}{'amount':>14}{'units':>8}", "lines": f'"{",".join(s.names)}"'}
    truth = s.truth | ({"total amount": sum(s.amounts) + 1000 * len(s.days)} if shape == "thousands" else {})
    return "csv", "\n".join([head.get(shape, ",".join(s.names)), *lines, ""]).encode(), truth


def named_after(s: Sheet, rng: random.Random) -> Made:
    """A column of whole numbers that comes to what it says, also where they follow each other."""
    name = rng.choice(["sales", "rainfall", "score", "donation", "stock", "visits"])
    numbers = rng.choice([range(len(s.days)), range(1, len(s.days) + 1), s.units])
    rows = [[d, r, str(n)] for (d, r, *_), n in zip(s.rows, numbers, strict=True)]
    return "csv", _text(["day", "region", name], rows).encode(), {f"average {name}": sum(numbers) / len(rows)}


_CLASSES = (
    long_numbers, arrays, encodings, coins, units_in_cells, sentinels, first_days, other_days, heads, feet, quotes, displaced,
    named_after,
)  # fmt: skip


def _wrong(file: Path, truth: Mapping[str, float]) -> list[str]:
    """The questions that are answered with another figure and without a word about it."""
    import gnomon
    from gnomon.core.errors import GnomonError

    found: list[str] = []
    try:
        with gnomon.open(file) as analyst:
            for question, right in truth.items():
                answer = analyst.ask(question)
                told = [f.value for f in answer.facts if isinstance(f.value, int | float)]
                held = any(math.isclose(float(v), right, rel_tol=1e-6, abs_tol=1e-6) for v in told)
                if not (held or "Note:" in answer.prose or answer.status != "answered"):
                    found.append(f"{file.name}, {question}: {answer.prose[:80]} instead of {right:,.2f}")
    except GnomonError:
        pass  # a file that is refused is told of
    return found


def variants(make: Callable[[Sheet, random.Random], Made]) -> Fault:
    """An entry: some files of one class, as the seed of the run has them."""

    def run(world: World) -> list[str]:
        found: list[str] = []
        for k in range(_TRIES):
            rng = random.Random(f"{world.seed} {make.__name__} {k}")
            ending, content, truth = make(Sheet.drawn(rng), rng)
            (file := world.folder / f"{make.__name__}_{k}.{ending}").write_bytes(content)
            found += _wrong(file, truth)
        return found

    return Fault(LOST, str(make.__doc__).rstrip("."), run)


FAULTS = [variants(make) for make in _CLASSES]
