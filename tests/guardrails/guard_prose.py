"""Correct prose over random facts, in many wordings, and ways to make it wrong."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta

from gnomon.core import About, Fact, Filter, FilterOperator, TimeRange

ANTONYMS = {
    "up": "down", "rose": "fell", "increased": "decreased", "grew": "shrank", "climbed": "dropped", "higher": "lower",
    "more": "fewer", "above": "below", "increase": "decrease", "rise": "drop", "growth": "decline", "highest": "lowest",
    "largest": "smallest", "most": "least", "top": "bottom", "best": "worst", "Top": "Bottom", "gained": "declined",
    "more than": "less than", "at least": "at most", "over": "under", "rising": "falling", "upward": "downward",
    "ahead of": "behind", "peaked": "bottomed", "positive": "negative", "doubled": "halved",
}  # fmt: skip
ANTONYMS |= {v: k for k, v in ANTONYMS.items() if v not in {"bottomed"}}
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]  # fmt: skip
PLACES = ["first", "second", "third", "fourth", "fifth", "sixth"]
METRICS = ("revenue", "profit", "cost", "ad_spend", "net sales", "refund amount")
COUNTS = ("orders", "customers", "sessions", "returns", "units", "tickets")
LABELS = {
    "region": ("West", "East", "North", "South", "Central"),
    "category": ("Research and Development", "Furniture", "Office Supplies", "Model 300", "Toys"),
    "channel": ("web", "store", "partner", "phone"),
}
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


@dataclass(frozen=True)
class Piece:
    """A stretch of prose: what kind of claim it is, and which fact it tells."""

    text: str
    kind: str = "plain"
    fact: str = ""


@dataclass
class Sample:
    """Prose in pieces with the facts it was written from."""

    pieces: list[Piece] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def prose(self) -> str:
        return "".join(p.text for p in self.pieces)


class Maker:
    """Writes samples from one source of chance."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.sample = Sample()

    def fact(self, name: str, value: object, unit: str | None = None, **about: object) -> Fact:
        made = Fact(name=name, value=value, unit=unit, about=About(**about), step="s1")  # type: ignore[arg-type]
        self.sample.facts.append(made)
        return made

    def say(self, *parts: str | Piece) -> None:
        self.sample.pieces.extend(p if isinstance(p, Piece) else Piece(p) for p in parts)

    def number(self, fact: Fact, *, size: bool = False, plus: bool = False) -> Piece:
        """A fact's value as people write it; ``size`` leaves the sign to a word beside it."""
        assert isinstance(fact.value, (int, float))
        value = abs(fact.value) if size else fact.value
        sign = "-" if value < 0 else "+" if plus else ""
        value = abs(value)
        if fact.unit in {"USD", "EUR", "GBP"}:
            return Piece(self._money(value, sign, fact.unit), "num", fact.name)
        if fact.unit == "%":
            text = self.rng.choice((f"{value:.1f} %", f"{value:.1f}%", f"{value:.2f} percent"))
            return Piece(sign + text, "num", fact.name)
        if fact.unit == "fraction":
            return Piece(sign + f"{value * 100:.1f} %", "num", fact.name)
        tail = f" {fact.unit}" if fact.unit else ""
        if isinstance(fact.value, int):
            if not tail and 0 < value <= 20 and self.rng.random() < 0.5:
                return Piece(sign + WORDS[value], "word", fact.name)
            forms = [f"{value:,}"] + (
                [f"{value / 1000:.2f} thousand", f"{value / 1000:.1f}k"] if value > 3000 else []
            )
            return Piece(sign + self.rng.choice(forms) + tail, "num", fact.name)
        return Piece(sign + f"{value:,.2f}" + tail, "num", fact.name)

    def _money(self, value: float, sign: str, unit: str) -> str:
        symbol = {"USD": "$", "EUR": "€", "GBP": "£"}[unit]
        forms = [f"{sign}{symbol}{value:,.2f}", f"{sign}{symbol}{value:,.0f}", f"{sign}{value:,.2f} {unit}"]
        if value > 2e6:
            forms += [f"{sign}{symbol}{value / 1e6:.2f} M", f"{sign}{symbol}{value / 1e6:.2f} million"]
        if value > 20_000:
            forms.append(f"{sign}{symbol}{value / 1e3:.1f}K")
        return self.rng.choice(forms)

    def amount(self) -> float:
        return round(self.rng.uniform(1, 9) * 10 ** self.rng.randint(2, 7) + self.rng.random(), 2)

    def count(self) -> int:
        return int(self.rng.uniform(1.1, 9.9) * 10 ** self.rng.randint(1, 5))

    def money(self) -> str:
        return self.rng.choice(("USD", "EUR", "GBP"))

    def month(self) -> tuple[TimeRange, TimeRange, str, str]:
        """Two months, the later one first, and how they are called."""
        year, month = self.rng.randint(2015, 2025), self.rng.randint(2, 12)
        first, before = date(year, month, 1), date(year, month - 1, 1)
        last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        style = self.rng.choice(("{} {}", "{} {}", "{}"))
        names = [style.format(MONTHS[m - 1], year) for m in (month, month - 1)]
        end = first - timedelta(days=1)
        return TimeRange(start=first, end=last), TimeRange(start=before, end=end), names[0], names[1]

    def way(self, value: float, rising: str) -> Piece:
        """A word for the sign of a change."""
        return Piece(rising if value > 0 else ANTONYMS[rising], "dir")

    def changed(self, name: str, metric: str, unit: str, **about: object) -> tuple[Fact, Fact, Fact, Fact]:
        """A value, the one before it, and the change between them, exact and in percent."""
        now, before = self.amount(), self.amount()
        while abs(now / before - 1) < 0.02 or abs(now / before - 1) > 30:
            before = round(now * self.rng.uniform(0.4, 2.2), 2)
        this, that = about.pop("this", None), about.pop("that", None)
        return (
            self.fact(f"{name}.current", now, unit, metric=metric, period=this, **about),
            self.fact(f"{name}.previous", before, unit, metric=metric, period=that, **about),
            self.fact(f"{name}.change", round(now - before, 2), unit, metric=metric, period=this, **about),
            self.fact(
                f"{name}.change_pct", (now / before - 1) * 100, "%", metric=metric, period=this, **about
            ),
        )

    def grouped(
        self, metric: str, unit: str | None, n: int, *, whole: bool = False
    ) -> tuple[str, list[Fact]]:
        """Values of one metric for several labels, largest first."""
        key = self.rng.choice(list(LABELS))
        labels = self.rng.sample(LABELS[key], min(n, len(LABELS[key])))
        made = {self.count() if whole else self.amount() for _ in range(9)}
        values = sorted(self.rng.sample(sorted(made), len(labels)), reverse=True)
        facts = [
            self.fact(metric.replace(" ", "_"), v, unit, metric=metric, group={key: label})
            for v, label in zip(values, labels, strict=True)
        ]
        return key, facts


def _spoken(metric: str) -> str:
    return metric.replace("_", " ")


def _label(fact: Fact) -> str:
    return next(iter(fact.about.group.values()))


def value(m: Maker) -> None:
    metric, unit = m.rng.choice(METRICS), m.money()
    this, _, name, _ = m.month()
    f = m.fact(f"{metric}.total", m.amount() * m.rng.choice((1, 1, -1)), unit, metric=metric, period=this)
    m.say(f"{_spoken(metric).capitalize()} was ", m.number(f), f" in {name}.")


def counted(m: Maker) -> None:
    metric = m.rng.choice(COUNTS)
    f = m.fact(metric, m.rng.choice((m.count(), m.rng.randint(2, 20))), None, metric=metric)
    m.say("There were ", m.number(f), f" {metric}.")


def several(m: Maker) -> None:
    a, b = m.rng.sample(COUNTS, 2)
    fa, fb = m.fact(a, m.count(), None, metric=a), m.fact(b, m.count(), None, metric=b)
    fc = m.fact("revenue", m.amount(), "USD", metric="revenue")
    shape = m.rng.randint(0, 2)
    if shape == 0:
        m.say(
            "There were ",
            m.number(fa),
            f" {a} from ",
            m.number(fb),
            f" {b}, worth ",
            m.number(fc),
            " in revenue.",
        )
    elif shape == 1:
        m.say(f"{a.capitalize()}: ", m.number(fa), f"; {b}: ", m.number(fb), "; revenue: ", m.number(fc), ".")
    else:
        m.say(
            "Revenue was ", m.number(fc), ". There were ", m.number(fa), f" {a} and ", m.number(fb), f" {b}."
        )


def periods(m: Maker) -> None:
    metric, unit = m.rng.choice(METRICS), m.money()
    this, that, name, before = m.month()
    now, old, change, pct = m.changed(metric, metric, unit, this=this, that=that)
    word = _spoken(metric)
    shape = m.rng.randint(0, 7)
    if shape == 0:
        m.say(f"{word.capitalize()} was ", m.number(now), f" in {name}, ", m.way(pct.value, "up"), " ",
              m.number(pct, size=True), " from ", m.number(old), f" in {before}.")  # fmt: skip
    elif shape == 1:
        rising = m.rng.choice(("rose", "increased", "climbed"))
        m.say(f"{word.capitalize()} ", m.way(pct.value, rising), " by ", m.number(pct, size=True), " to ",
              m.number(now), f" in {name}.")  # fmt: skip
    elif shape == 2:
        m.say(f"In {name}, {word} was ", m.number(now), " compared with ", m.number(old), " the month before (",
              m.way(pct.value, "up"), " ", m.number(pct, size=True), ").")  # fmt: skip
    elif shape == 3:
        m.say(f"{word.capitalize()} ", m.way(pct.value, "rose"), " from ", m.number(old), f" in {before} to ", m.number(now),
              f" in {name}, ", m.way(pct.value, "up"), " ", m.number(pct, size=True), ".")  # fmt: skip
    elif shape == 4:
        m.say(f"{word.capitalize()} was ", m.number(pct, size=True), " ", m.way(pct.value, "higher"),
              f" in {name} than in {before}.")  # fmt: skip
    elif shape == 5:
        m.say(f"The change in {word} from {before} to {name} was ", m.number(change), " (",
              m.number(pct, plus=pct.value > 0), ").")  # fmt: skip
    elif shape == 6:
        m.say(f"{word.capitalize()} saw ", "an " if pct.value > 0 else "a ", m.way(pct.value, "increase"), " of ",
              m.number(pct, size=True), f" in {name}. It was ", m.number(now), ".")  # fmt: skip
    else:
        m.say(f"{word.capitalize()} ", m.way(pct.value, "grew"), f" in {name}.")


def two_changes(m: Maker) -> None:
    a, b = m.rng.sample(METRICS, 2)
    fa = m.fact(f"{a}.change_pct", m.rng.uniform(1, 80) * m.rng.choice((1, -1)), "%", metric=a)
    fb = m.fact(f"{b}.change_pct", m.rng.uniform(1, 80) * m.rng.choice((1, -1)), "%", metric=b)
    m.say(f"{_spoken(a).capitalize()} ", m.way(fa.value, "rose"), " ", m.number(fa, size=True),
          m.rng.choice((" while ", ", and ", " but ")), f"{_spoken(b)} ", m.way(fb.value, "rose"), " ",
          m.number(fb, size=True), ".")  # fmt: skip


def breakdown(m: Maker) -> None:
    metric, unit = m.rng.choice(METRICS), m.money()
    _, facts = m.grouped(metric, unit, 3)
    top, bottom, word = facts[0], facts[-1], _spoken(metric)
    shape = m.rng.randint(0, 6)
    if shape == 0:
        m.say(f"{word.capitalize()} was ", Piece("highest", "dir"), f" for {_label(top)} (", m.number(top), ") and ",
              Piece("lowest", "dir"), f" for {_label(bottom)} (", m.number(bottom), ").")  # fmt: skip
    elif shape == 1:
        m.say(f"{_label(top)} had the ", Piece("highest", "dir"), f" {word}: ", m.number(top), ".")
    elif shape == 2:
        parts: list[str | Piece] = [f"{word.capitalize()} was "]
        for i, f in enumerate(facts):
            parts += [", " if 0 < i < 2 else " and " if i else "", m.number(f), f" in {_label(f)}"]
        m.say(*parts, ".")
    elif shape == 3:
        parts = ["The ", Piece("top", "dir"), f" three by {word} are "]
        for i, f in enumerate(facts):
            parts += [", " if 0 < i < 2 else " and " if i else "", f"{_label(f)} (", m.number(f), ")"]
        m.say(*parts, ".")
    elif shape == 4:
        for i, f in enumerate(facts, 1):
            m.say(f"{i}. {_label(f)}: ", m.number(f), "\n")
    elif shape == 5:
        m.say(f"{_label(top)}, {_label(facts[1])} and {_label(bottom)} had {word} of ", m.number(top), ", ",
              m.number(facts[1]), " and ", m.number(bottom), " respectively.")  # fmt: skip
    else:
        m.say(
            f"{_label(facts[1])} ranks ",
            Piece("second", "word"),
            f" by {word} with ",
            m.number(facts[1]),
            ".",
        )


def totals(m: Maker) -> None:
    metric, unit = m.rng.choice(METRICS), m.money()
    _, facts = m.grouped(metric, unit, 3)
    total = m.fact(f"{metric}.total", round(sum(f.value for f in facts), 2), unit, metric=metric)
    top, word = facts[0], _spoken(metric)
    share = m.fact(
        f"{metric}.top_share", 100 * top.value / total.value, "%", metric=metric, group=top.about.group
    )
    shape = m.rng.randint(0, 3)
    if shape == 0:
        m.say(f"{word.capitalize()} was ", Piece("highest", "dir"), f" for {_label(top)} (", m.number(top), ", ",
              m.number(share), " of ", m.number(total), ").")  # fmt: skip
    elif shape == 1:
        m.say(
            f"Total {word} was ", m.number(total), ", of which ", m.number(top), f" came from {_label(top)}."
        )
    elif shape == 2:
        m.say(f"{_label(top)} made ", m.number(top), f" of {word}, out of a total of ", m.number(total), ".")
    else:
        m.say(f"{_label(top)} accounts for ", m.number(share), f" of {word}.")


def compared(m: Maker) -> None:
    metric, unit = m.rng.choice(METRICS), m.money()
    _, (a, b) = m.grouped(metric, unit, 2)
    if m.rng.random() < 0.5:
        a, b = b, a
    gap = m.fact(f"{metric}.difference", round(a.value - b.value, 2), unit, metric=metric)
    word = _spoken(metric)
    shape = m.rng.randint(0, 3)
    if shape == 0:
        m.say(f"{word.capitalize()} was ", m.number(a), f" for {_label(a)} and ", m.number(b), f" for {_label(b)}: ",
              m.number(gap, size=True), " ", Piece("more" if gap.value > 0 else "less", "dir"),
              f" for {_label(a)} than for {_label(b)}.")  # fmt: skip
    elif shape == 1:
        m.say(f"{word.capitalize()} is ", m.way(gap.value, "higher"), f" in {_label(a)} than in {_label(b)}.")
    elif shape == 2:
        m.say(
            f"{_label(a)} is ",
            m.way(gap.value, "ahead of"),
            f" {_label(b)} in {word} by ",
            m.number(gap, size=True),
            ".",
        )
    else:
        m.say(f"{word.capitalize()} in {_label(a)} (", m.number(a), ") is ", m.way(gap.value, "above"),
              f" that in {_label(b)} (", m.number(b), ").")  # fmt: skip


def filtered(m: Maker) -> None:
    bound = m.rng.choice((10_000, 500, 2_500, 120))
    more = m.rng.random() < 0.5
    operator = FilterOperator.GREATER if more else FilterOperator.LESS
    f = m.fact("customers", m.count(), None, metric="customers", filters=(Filter(field="revenue", operator=operator, values=(bound,)),))  # fmt: skip
    m.say("There were ", m.number(f), " customers with revenue of ", Piece("more than" if more else "less than", "dir"),
          " ", Piece(f"{bound:,}", "num", "filter"), ".")  # fmt: skip


def aspects(m: Maker) -> None:
    metric, unit = m.rng.choice(METRICS), m.money()
    mean, median = m.fact(f"{metric}.mean", m.amount(), unit, metric=metric), m.fact(f"{metric}.median", m.amount(), unit, metric=metric)  # fmt: skip
    m.say(f"The average {_spoken(metric)} is ", m.number(mean), " and the median is ", m.number(median), ".")


def trend(m: Maker) -> None:
    metric, unit = m.rng.choice(METRICS), m.money()
    year, start = m.rng.randint(2015, 2025), m.rng.randint(1, 8)
    months = [TimeRange(start=date(year, k, 1), end=date(year, k, 28)) for k in range(start, start + 4)]
    values = [m.amount() for _ in months]
    facts = [m.fact(f"{metric}.m{i}", v, unit, metric=metric, period=p) for i, (v, p) in enumerate(zip(values, months, strict=True))]  # fmt: skip
    high, low = max(facts, key=lambda f: f.value), min(facts, key=lambda f: f.value)
    named = {f.name: f"{MONTHS[f.about.period.start.month - 1]} {year}" for f in facts}
    m.say(f"{_spoken(metric).capitalize()} was ", Piece("highest", "dir"), f" in {named[high.name]} (", m.number(high), ") and ",
          Piece("lowest", "dir"), f" in {named[low.name]} (", m.number(low), ").")  # fmt: skip


def slopes(m: Maker) -> None:
    metric = m.rng.choice(METRICS)
    f = m.fact(f"{metric}.slope", m.rng.uniform(5, 500) * m.rng.choice((1, -1)), "USD", metric=metric)
    m.say(f"The trend of {_spoken(metric)} is ", m.way(f.value, "rising"), ".")


def words(m: Maker) -> None:
    metric = m.rng.choice(METRICS)
    if m.rng.random() < 0.5:
        f = m.fact(f"{metric}.ratio", m.rng.choice((2.0, 0.5)), "x", metric=metric)
        m.say(f"{_spoken(metric).capitalize()} ", Piece("doubled" if f.value == 2 else "halved", "dir"), ".")
        return
    text, share = m.rng.choice(
        (("half", 0.5), ("two thirds", 2 / 3), ("a quarter", 0.25), ("three quarters", 0.75))
    )
    m.fact(f"{metric}.share", share, "fraction", metric=metric, group={"region": "West"})
    m.say("West made up ", Piece(text, "fraction"), f" of {_spoken(metric)}.")


def durations(m: Maker) -> None:
    days = m.rng.randint(3, 400)
    f = m.fact("delivery_time.mean", days, "days", metric="delivery time")
    m.say("The average delivery time was ", Piece(f"{days} days", "num", f.name), ".")


TEMPLATES: tuple[Callable[[Maker], None], ...] = (
    value, counted, several, periods, periods, periods, two_changes, breakdown, breakdown, totals, totals, compared, compared,
    filtered, aspects, trend, slopes, words, durations,
)  # fmt: skip


def write(seed: int) -> Sample:
    """Correct prose."""
    m = Maker(seed)
    m.rng.choice(TEMPLATES)(m)
    return m.sample
