"""Everyday verbs and adjectives that stand for a measure: who spends has an amount, what is heavy has a weight.

Each word points to the nouns that such a measure usually carries, the likeliest first; which of them the
data has decides. General English only.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.operators import Op, Operator


@dataclass(frozen=True)
class Association:
    """Nouns that a word stands for.

    Args:
        nouns: What such a measure is usually called, the likeliest first.
        descending: For adjectives, whether they point to the large end.
        superlative: Whether the word ranks ("cheapest").
        comparative: Whether the word compares ("older").
        noun: Whether the word is a noun itself, and so names the measure outright.
        state: Whether the word says that there is some of it ("discounted").
        derived: Whether the nouns are those that an adjective derives from, and so may be any part of a name.
        rows: Whether the number of what happened is meant where no measure is so called ("busiest").
    """

    nouns: tuple[str, ...]
    descending: bool | None = None
    superlative: bool = False
    comparative: bool = False
    noun: bool = False
    state: bool = False
    derived: bool = False
    rows: bool = False


_VERBS = {
    "sold sell sells selling": "units sold, quantity sold, copies sold, units, quantity, copies, items sold, sales, revenue, orders",
    "spent spend spends spending": "spend, spending, amount spent, total spent, amount, revenue, sales, expenditure, cost, price, fee, charge, bill",
    "earned earn earns earning": "revenue, sales, income, earnings, salary, profit, pay, wage, wages",
    "make made makes making bring brought brings bringing generate generated generates": "revenue, sales, income, earnings, profit, gross",
    "bought buy buys purchased purchase purchases": "quantity, units, purchases, orders, amount",
    "paid pay pays": "amount paid, payment, amount, salary, price, fare, fee, charge, bill, revenue",
    "visited": "visits, sessions, visitors, traffic",
    "viewed": "views, page views, impressions",
    "clicked": "clicks",
    "weigh weighed weighs weighing": "weight, mass",
    "cost costs costing": "cost, price, fare, fee, charge, unit price, list price, expense, budget",
    "fetch fetches fetched": "sale price, selling price, sold price, price, cost, fare, fee, unit price, list price",
    "charge charged charges charging": "charge, amount charged, fee, price, fare, amount",
    "lasted lasts lasting": "duration, length, time, runtime",
    "scored scores scoring": "score, points, goals, marks",
    "rated": "rating, score, stars",
    "shipped": "quantity shipped, shipments, units",
    "produced produce produces producing yielded yields extracted": "production, output, yield, tonnage, harvest, crop, quantity, volume",
    "lost": "loss, losses",
    "raised raise raises raising": "amount raised, amount, donations, funds, revenue",
    "donate donates donated contribute contributes contributed": "donation, donations, amount donated, gift amount, donation amount, contribution, contributions, gift, amount given, amount, pledge",
    "borrowed borrow": "loans, checkouts",
    "hired": "hires, new hires",
    "ordered": "orders, quantity, units",
    "money moolah cash": "revenue, sales, amount, income, profit, earnings",
    "bestselling bestseller bestsellers": "units sold, units, quantity, sales, revenue",
    "refunded": "refunds, refund amount, returns",
    "discounted": "discount",
    "stocked": "stock, on hand, inventory",
    "ads advertisement advertisements": "ad spend, advertising spend, marketing spend, advertising cost",
    "visits visit": "visits, sessions, visitors",
    "worth valued totaling totalling amounting": "revenue, amount, value, price, cost, total",
    "traffic": "sessions, visits, page views, visitors",
    "advertising advertised": "ad spend, advertising spend, marketing spend",
}
_OUTRIGHT = frozenset({"money", "traffic", "advertising", "ads", "advertisement", "advertisements", "visits"})
_STATES = frozenset({"discounted", "refunded"})
_FREQUENT = frozenset({"busy", "quiet", "popular"})
_BUSY = (
    "orders, sessions, visits, visitors, passengers, flights, trips, rides, riders, guests, customers, patients,"
    " admissions, arrivals, calls, attendance, footfall, transactions, traffic"
)
_HIGHS = "maximum temperature, max temperature, max temp, temp max, temperature max, tmax, temperature, temp, average temperature"
_LOWS = "minimum temperature, min temperature, min temp, temp min, temperature min, tmin, temperature, temp, average temperature"
_PRICES = "price, cost, fare, unit price, list price, fee, charge, rent, bill, msrp"
_HEIGHTS = "height, elevation, altitude, stature"
_DEATHS = "deaths, fatalities, death toll, killed, dead, casualties, victims"
_ADJECTIVES = {
    # positive, comparative, superlative: (nouns, largest first)
    "expensive|pricier|priciest": (_PRICES, True),
    "dear|dearer|dearest": (_PRICES, True),
    "costly|costlier|costliest": (_PRICES, True),
    "cheap|cheaper|cheapest": (_PRICES, False),
    "popular||": ("popularity, units sold, units, quantity, orders, sales, votes, views", True),
    "profitable||": ("profit, margin, net income", True),
    "old|older|oldest": ("age", True),
    "young|younger|youngest": ("age", False),
    "tall|taller|tallest": (_HEIGHTS, True),
    "heavy|heavier|heaviest": ("weight, mass", True),
    "light|lighter|lightest": ("weight, mass", False),
    "long|longer|longest": ("duration, length, runtime, time, distance", True),
    "short|shorter|shortest": ("duration, length, runtime, height, distance", False),
    "hot|hotter|hottest": (_HIGHS, True),
    "warm|warmer|warmest": (_HIGHS, True),
    "cold|colder|coldest": (_LOWS, False),
    "cool|cooler|coolest": (_LOWS, False),
    "wet|wetter|wettest": ("precipitation, rainfall, rain", True),
    "dry|drier|driest": ("precipitation, rainfall, rain", False),
    "quick|quicker|quickest": ("speed, velocity, time, duration", True),
    "fast|faster|fastest": ("speed, velocity, time, duration", True),
    "slow|slower|slowest": ("speed, velocity, duration, time", False),
    "rich|richer|richest": ("income, wealth, net worth, gdp per capita, gdp", True),
    "poor|poorer|poorest": ("income, wealth, gdp per capita, gdp", False),
    "deadly|deadlier|deadliest": (_DEATHS, True),
    "lethal||": (_DEATHS, True),
    "hard|harder|hardest": ("difficulty, hardness", True),
    "easy|easier|easiest": ("difficulty", False),
    "populous||": ("population", True),
    "busy|busier|busiest": (_BUSY, True),
    "quiet|quieter|quietest": (_BUSY, False),
    "far|farther|farthest": ("distance, length", True),
    "deep|deeper|deepest": ("depth", True),
    "wide|wider|widest": ("width", True),
    "strong||": ("strength, magnitude, power", True),
    "powerful||": ("power, horsepower, strength", True),
    "big|bigger|": ("size, area, population", True),
    "large|larger|": ("size, area, population", True),
    "small|smaller|": ("size, area, population", False),
}  # fmt: skip


def _nouns(text: str) -> tuple[str, ...]:
    return tuple(n.strip() for n in text.split(","))


@cache
def associations() -> dict[str, Association]:
    """The measure that each word stands for."""
    found: dict[str, Association] = {}
    for verbs, nouns in _VERBS.items():
        for verb in verbs.split():
            found[verb] = Association(_nouns(nouns), noun=verb in _OUTRIGHT, state=verb in _STATES)
    for forms, (nouns, descending) in _ADJECTIVES.items():
        positive, comparative, superlative = (*forms.split("|"), "", "")[:3]
        rows = positive in _FREQUENT
        found[positive] = Association(_nouns(nouns), descending, rows=rows)
        if comparative:
            found[comparative] = Association(_nouns(nouns), descending, comparative=True, rows=rows)
        if superlative:
            found[superlative] = Association(_nouns(nouns), descending, superlative=True, rows=rows)
    return found


def hints(word: str, part: str) -> bool:
    """Whether a word of a question leads to a part of a name: what was sold has a sale price, what is listed a list price."""
    told = associations().get(word)
    nouns = {w.removesuffix("s") for n in told.nouns for w in n.split()} if told is not None else set[str]()
    verb = told is not None and told.descending is None and part.removesuffix("s") in nouns
    return verb or (len(word) > 3 and word != part and kindred(word, part))


# What a word that ranks grades where it stands before a thing alone: the highest mountain, the best film.
_GRADES = {
    "highest lowest": _HEIGHTS,
    "largest biggest smallest greatest": "size, area, population, capacity, enrollment",
    "best worst": "rating, score, grade, points",
    "strongest weakest": "strength, magnitude, power",
}


@cache
def graded_alone() -> dict[str, Association]:
    """What each ranking word grades where no measure is named."""
    found = {w: Association(_nouns(nouns)) for words, nouns in _GRADES.items() for w in words.split()}
    low = {"lowest", "smallest", "worst", "weakest"}
    return {w: replace(a, descending=w not in low, superlative=True) for w, a in found.items()}


@lru_cache(maxsize=2048)
def adjective(word: str) -> Association | None:
    """What an adjective that is not listed ranks by: the noun it derives from, or at its other end its opposite's."""
    lexicon = get_lexicon()
    for base, part in lexicon.bases(word):
        if part != "a":
            continue
        forms = {
            "superlative": word != base and word.endswith("est"),
            "comparative": word != base and word.endswith("er"),
        }
        if nouns := _derived_nouns(base):
            return Association(nouns, True, derived=True, **forms)
        others = [tie.word for tie in lexicon.entry(base).opposites]
        if nouns := tuple(dict.fromkeys(n for other in others for n in _derived_nouns(other))):
            return Association(nouns, False, derived=True, **forms)
    return None


def _derived_nouns(base: str) -> tuple[str, ...]:
    """The nouns that an adjective derives from in its usual meanings, or grades, the most common first."""
    lexicon = get_lexicon()
    usual = {s.synset for s in lexicon.entry(base).senses if s.part == "a" and s.share >= 0.15}
    ties = {t.word for t in lexicon.entry(base).derived if t.source in usual and t.word != base}
    ties |= {w for s in usual for a in lexicon.synset(s).attributes for w in lexicon.synset(a).words}
    nouns = [w for w in ties if any(s.part == "n" for s in lexicon.entry(w).senses)]
    return tuple(sorted(nouns, key=lambda w: (-lexicon.met(w, "n"), w)))


_BEHIND_NOUNS = frozenset({"are", "is", "were", "was", "have", "had", "with", "without", "of", "in", "by", "than", "and", "or", "vs",
                           "versus", "per", "for", "from", "that", "which", "do", "?", ".", ","})  # fmt: skip
_DRIVEN = frozenset({"drove", "drives", "driving", "driver", "drivers"})


def is_meant_otherwise(operator: Operator, said: tuple[str, ...], start: int, names: Collection[str]) -> bool:
    """Whether a word for causes means people or what drivers do, or one for changes what is grown on fields."""
    if operator.op is Op.CHANGE:
        return said[start] == "grown" and said[:start][-1:] in (("were",), ("was",), ("are",), ("is",))
    if operator.op is not Op.KIND:
        return False
    if said[:start][-2:] == ("how", "many"):
        return True
    if said[start] == "drives" and (said[start + 1 :] == () or said[start + 1] in _BEHIND_NOUNS):
        return True  # "speed of Samsung drives": what drives something has it behind
    people = "driver" in names or "drivers" in names
    return people and said[start] in _DRIVEN and not {"what", "why"} & {*said[:start]}
