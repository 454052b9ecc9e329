"""Everyday ways to put what the data says otherwise: open deals, out of stock, due to a jam, deal size, won, payroll.

Each way needs the columns or values that it is put in; what is put otherwise is told in the notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from gnomon.core.parts import Filter, FilterOperator, Parts, QuestionKind
from gnomon.core.patterns import late_pattern, regex
from gnomon.data.column_names import vocabulary as words_of
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, kindred, relate
from gnomon.language.quantities import find_quantities
from gnomon.planning.reader.counted_heads import with_heads
from gnomon.planning.reader.date_names import named_steps, with_most
from gnomon.planning.reader.further_ways import further_ways
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.payments import is_paid
from gnomon.planning.reader.people import PEOPLE, may_be_person
from gnomon.planning.reader.said_absences import with_absences
from gnomon.planning.reader.stated_columns import signs_in_words
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import name_words, stem
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.called import amount_of
from gnomon.semantic.durations import ends_of, happening
from gnomon.semantic.model import plural, singular
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.vocabulary import vocabulary

Way = tuple[str, dict[str, str]]

_FEW = 15
_OPEN = frozenset({"open", "active", "outstanding", "ongoing", "unsettled", "live"})
_ENDS = frozenset(
    map(
        stem,
        ("close", "resolve", "complete", "finish", "end", "stop", "settle", "terminate", "termination", "return",
         "cancel", "discharge", "exit", "fix", "expire", "pay", "paid", "churn", "leave", "left", "deactivate"),
    )
)  # fmt: skip
_CAUSES = late_pattern(
    r"\b(?:because of|because (?:it|they|he|she) (?:was|were|is|are)|because|due to|owing to|caused by|as a result of)\b",
    re.IGNORECASE,
)
_SPENT = late_pattern(
    r"\b(?P<what>hours?|minutes|days|time|money|amount|much)\s+(?P<did>(?:was |were |is |are |did we |do we |we )?"
    r"(?:spent|spend|logged|worked|booked|put in))\s+(?:on|for|in)\b",
    re.IGNORECASE,
)
_LASTED = late_pattern(
    r"\b(?:sales cycle(?: length)?|turnaround(?: time)?|(?:days|time) on (?:the )?market|cycle time|lead time|"
    r"time to (?:close|sell|resolve|complete|pay))\b",
    re.IGNORECASE,
)
_PAYROLL = late_pattern(
    r"\b(?:payroll|wage bill|salary bill|salary costs?|personnel costs?)\b", re.IGNORECASE
)
_OWES = late_pattern(r"\bow(?:es?|ed|ing)\b(?: us| to us)?(?P<most> the most| most)?", re.IGNORECASE)
_LEVEL = late_pattern(
    r"\b(?P<how>below|under|above|over)\s+(?:the |their |its )?(?P<what>[a-z]+ [a-z]+)\b", re.IGNORECASE
)
_WORDS = regex(r"[^\W_]+")
_DONE = late_pattern(r"\b(?:did|do|have|has|had)\s+(?:we|they|you|i)\s+", re.IGNORECASE)


_PRICED = late_pattern(
    r"\b(?:under|below|over|above|less than|more than|up to|at most|at least)\s+(?P<number>\d[\d,]{3,})\b(?!\s*[a-z]*(?:km|miles|kg|sq))",
    re.IGNORECASE,
)
_GIVEN = words_of("donation payment refund fine gift contribution pledge expense deposit withdrawal")
_STARTING = regex(r"\b(?:starting|beginning) in ((?:19|20)\d\d)\b", re.IGNORECASE)
_TELLING = 3
_MENTIONS = late_pattern(
    r"(?:that |which |who )?(?:mentioning|mentions?|mentioned|containing|contains?|saying|talking about|about)\s+[\"']?(?P<word>[a-z]+)[\"']?",
    re.IGNORECASE,
)
_TAKEN = regex(
    r"^\s*how (?:long|many days|much time) (?:does it (?:usually |normally |typically )?take (?:us |them )?to (?P<deed>\w+) (?:an? |the |our )?(?P<what>\w+)"
    r"|do(?:es)? (?:an? |the |our )?(?P<thing>\w+) (?:usually |normally |typically )?take to (?:be |get )?(?P<done>\w+))(?P<rest>.*)$",
    re.IGNORECASE,
)


class Restated:
    """Puts questions that could not be read in the words of the data.

    Args:
        words: How the things of the model are said.
        index: The values of the data.
    """

    def __init__(self, words: Vocabulary, index: ValueIndex) -> None:
        self._words = words
        self._model = words.model
        self._index = index

    def literal(self, question: str) -> str:
        """The question with what would else be taken for something else put as the data has it."""
        plain = with_heads(with_absences(with_most(question, self._model), self._model), self._model)
        plain = signs_in_words(self._in_quotes(plain), self._model)
        return self._in_money(self._begun(self._as_span(plain)))

    def _in_quotes(self, question: str) -> str:
        """“for 18-24”, of an age group: a value of digits and signs is no sum and no bound."""
        if not re.search(r"\d\s?[-–+<>]|[<>]\s?\d|\d to \d", question):
            return question
        for value in sorted(self._ranges, key=len, reverse=True):
            said = re.escape(value).replace(r"\-", r"\s?(?:-|–|to)\s?")
            behind = r"(?:[\s-]years?[\s-]olds?)?(?![\w\"'%-]|\.\d)"
            question = re.sub(rf"(?<![\w\"'.,-]){said}{behind}", f'"{value}"', question)
        return question

    @cached_property
    def _ranges(self) -> list[str]:
        held = [str(v) for d in self._kinds() for v in self._index.values(d.name)]
        return [v for v in held if re.fullmatch(r"\d[\d,.]*\s?(?:-|–)\s?\d[\d,.]*|\d+\+|[<>]=?\s?\d+", v)]

    def _begun(self, question: str) -> str:
        """“projects starting in 2024”: in that year, by the day on which they start, and not since."""
        starts = [
            d
            for d in self._model.dimensions
            if d.type is DimensionType.TIME and "start" in name_words(d.label)
        ]
        return _STARTING.sub(r"that started in \1", question) if len(starts) == 1 else question

    def _in_money(self, question: str) -> str:
        """“total donations”, “donations total”: what they come to, where each has one amount."""
        amount = self._amount()
        thing = self._model.table(amount.table).label if amount is not None and amount.table else ""
        if amount is None or name_words(thing)[-1:] != (thing,) or thing not in _GIVEN:
            return question
        many = plural(thing)
        question = re.sub(rf"^\s*total\s+{many}\b", f"total {amount.label}", question, flags=re.I)
        return re.sub(rf"\b{many}\s+total\b", f"total {amount.label}", question, flags=re.I)

    def _as_span(self, question: str) -> str:
        """“how long does it take to close a deal”: the time that ends when it is closed."""
        found = _TAKEN.match(question)
        if found is None:
            return question
        verb, thing = found["deed"] or found["done"], found["what"] or found["thing"]
        spans = [
            m
            for m in self._model.metrics
            if (ends := ends_of(m)) is not None and _tells(verb, happening(ends[1]))
        ]
        rows = {w for t in self._model.tables for s in (t.label, *t.synonyms) for w in name_words(s)}
        if len(spans) > 1:
            spans = [
                m
                for m in spans
                if (ends := ends_of(m)) is not None and not {"due", "planned"} & {*name_words(ends[2])}
            ]
        if len(spans) != 1 or singular(thing.lower()) not in rows:
            return question
        rest = re.sub(r"\s*\bon average\b", "", found["rest"])
        return f"{spans[0].label}{rest}"

    def read(self, question: str, reading: Drafted, plainly: Callable[[str], Drafted]) -> Drafted | None:
        """The reading of the question in other words; None where none of them is understood whole."""
        for plain, told in self.ways(question, reading.missing):
            other = plainly(plain)
            if other.status is ReadingStatus.CLEAR:
                notes = [f"“{said}” was read as “{put}”" for said, put in told.items()]
                return _told(other, question, other.requests, notes)
        spoken = self.spoken_of(question, reading.missing)
        rows = plainly(spoken[0]) if spoken is not None else None
        if spoken is None or rows is None or rows.status is not ReadingStatus.CLEAR:
            return None
        requests = _narrowed(rows.requests, spoken[2])
        looked = f"“{spoken[1]}” was looked for in {self._model.dimension(spoken[2].field).label}"
        return _told(rows, question, requests, [looked]) if requests else None

    def ways(self, question: str, missing: Sequence[str]) -> Iterator[Way]:
        """The question in plainer words, step by step, each with what was put how."""
        told: dict[str, str] = {}
        plain = question
        asked = frozenset(w for text in missing for w in text.lower().split())
        for step in (
            self._steps,
            self._stored,
            self._levels,
            self._ended,
            self._states,
            self._causes,
            self._lasted,
            self._amounts,
            self._further,
        ):
            said, more = step(plain, asked)
            if more:
                plain, told = said, told | more
                yield plain, dict(told)
        if (counted := self._counted(plain)) is not None:
            yield counted, told

    def _steps(self, question: str, _: frozenset[str]) -> Way:
        return named_steps(question, self._words)

    def _further(self, question: str, asked: frozenset[str]) -> Way:
        return further_ways(question, asked, self._model)

    def _counted(self, question: str) -> str | None:
        """“jams on Press 1”: values alone, of rows that are counted."""
        spoken = name_words(question)
        if not spoken or any((w,) in operators() for w in spoken[:1]) or len(self._model.tables) != 1:
            return None
        found = [m for m in self._index.find(spoken) if m.start == 0 and m.kind in ("exact", "stem")]
        many = [m for m in found if spoken[m.end - 1].endswith("s") and m.end < len(spoken)]
        return f"how many {question}" if many else None

    def _stored(self, question: str, _: frozenset[str]) -> Way:
        """“out of stock”: there is none of it."""
        stock = self._stock()
        if stock is None or self._words.named("in stock"):
            return question, {}
        said = re.sub(
            r"\b(?:are |is )?(?:currently )?out of stock\b", f"with zero {stock.label}", question, flags=re.I
        )
        if said != question:
            return said, {"out of stock": f"with zero {stock.label}"}
        said = re.sub(
            r"\b(?:are |is |still )*in stock\b", f"with {stock.label} above 0", question, flags=re.I
        )
        return said, {"in stock": f"with {stock.label} above 0"} if said != question else {}

    def _levels(self, question: str, _: frozenset[str]) -> Way:
        """“below the reorder level”: the stock is."""
        stock, found = self._stock(), _LEVEL.search(question)
        if stock is None or found is None or stock.label in question.lower():
            return question, {}
        named = {x.name for x in self._words.named(found["what"].lower())}
        if not any(d.name in named and d.type is DimensionType.NUMBER for d in self._model.dimensions):
            return question, {}
        said = f"with {stock.label} {found['how']} {found['what']}"
        plain = re.sub(
            r"\b(?:are|is|that are|which are)\s+(?=with )",
            "",
            f"{question[: found.start()]}{said}{question[found.end() :]}",
        )
        return plain, {found[0]: said}

    def _ended(self, question: str, asked: frozenset[str]) -> Way:
        """“open deals”, “the amount outstanding”: without the date on which it would have ended."""
        ends = [
            d for d in self._model.dimensions if d.type is DimensionType.TIME and d.nullable and _is_end(d)
        ]
        if len(ends) != 1:
            return question, {}
        none = f"with no {ends[0].label}"
        if (owed := _OWES.search(question)) is not None and (amount := self._amount()) is not None:
            had = f"has the highest {amount.label}" if owed["most"] else f"has {amount.label}"
            return f"{question[: owed.start()]}{had} {none}{question[owed.end() :]}", {
                owed[0]: f"{amount.label} {none}"
            }
        word = next((w for w in name_words(question) if w in _OPEN & asked), None)
        if word is None:
            return question, {}
        rest = re.sub(
            rf"\b(?:that |which |who )?(?:are |is |still |currently )*{word}\b\s*", "", question, flags=re.I
        )
        return f"{rest.rstrip(' ?.!')} {none}", {word: none}

    def _states(self, question: str, asked: frozenset[str]) -> Way:
        """“won deals”, of a stage Closed Won: the one value that ends in what was done."""
        for word in name_words(question):
            if word not in asked or not _is_done(word):
                continue
            held = {v for d in self._kinds() for v in self._index.values(d.name) if _ends_in(str(v), word)}
            if len(held) != 1:
                continue
            value = str(held.pop())
            plain = _DONE.sub("are ", question) if _DONE.search(question) else question
            return re.sub(rf"\b{word}\b", f'"{value}"', plain, flags=re.I), {word: value}
        return question, {}

    def _causes(self, question: str, _: frozenset[str]) -> Way:
        """“due to a power failure”, “time spent on travel”: of that kind, where the data has it."""
        found = _CAUSES.search(question)
        held = (
            self._index.find(_WORDS.findall(question[found.end() :].lower())[:5]) if found is not None else []
        )
        if found is not None and any(v.start <= 1 for v in held):
            return re.sub(r"\bwith (?:an?|the) ", "with ", _CAUSES.sub("with", question)), {found[0]: "with"}
        spent = _SPENT.search(question)
        if spent is None:
            return question, {}
        return f"{question[: spent.end('what')]} for{question[spent.end() :]}", {
            spent[0]: f"{spent['what']} for"
        }

    def _lasted(self, question: str, _: frozenset[str]) -> Way:
        """“days on market”, “the sales cycle”: the only time between two dates that there is."""
        spans = [m for m in self._model.metrics if ends_of(m) is not None]
        found = _LASTED.search(question)
        if found is None or len(spans) != 1 or found[0].lower() in spans[0].label:
            return question, {}
        label = spans[0].label.removeprefix("average ")
        rest = re.sub(r"^\s+in days\b", "", question[found.end() :])
        return f"{question[: found.start()]}{label}{rest}", {found[0]: label}

    def _amounts(self, question: str, asked: frozenset[str]) -> Way:
        """“payroll”, “deal size”, “the median invoice”, “claims over 500”: what rows come to."""
        pay = next((m for m in self._model.metrics if "salary" in {m.label, *m.synonyms}), None)
        if pay is not None and (paid := _PAYROLL.search(question)) is not None:
            bare = re.sub(r"\btotal\s+(?=total )", "", _PAYROLL.sub("total salary", question), flags=re.I)
            return bare, {paid[0]: "total salary"}
        amount = self._amount()
        if amount is None or amount.table is None:
            return self._priced(question, asked)
        thing = name_words(self._model.table(amount.table).label)[-1]
        many = rf"\b(?:{thing}|{plural(thing)})\b"
        sized = re.search(rf"{many}\s+(?:sizes?|values?|worth)\b", question, re.I)
        if sized is not None:
            return f"{question[: sized.start()]}{amount.label}{question[sized.end() :]}", {
                sized[0]: amount.label
            }
        if singular(thing) not in vocabulary().dealings:
            return question, {}
        over = re.search(
            rf"{many}(?=\s+(?:over|above|under|below|exceeding|of more than|of less than|larger than|bigger than)\s+\W?\d)",
            question,
            re.I,
        )
        if over is not None:
            return f"{question[: over.end()]} with {amount.label}{question[over.end() :]}", {
                over[0]: f"{over[0]} with {amount.label}"
            }
        noun = re.search(rf"\b{thing}\b(?!\s+{re.escape(amount.label.split()[-1])})", question, re.I)
        if noun is None or not asked & _figures():
            return question, {}
        rest = f"{question[: noun.start()]}{amount.label}{question[noun.end() :]}"
        return rest, {noun[0]: amount.label}

    def spoken_of(self, question: str, missing: Sequence[str]) -> tuple[str, str, Filter] | None:
        """“steel items”, of names that begin so; “managers”, of job titles: the rows whose text has the word in it.

        Returns:
            The question of all rows, the word, and the condition on them; None where no text speaks of it.
        """
        asked = frozenset(w for text in missing for w in text.lower().split())
        said = _MENTIONS.search(question)
        words = [
            w for w in name_words(question)
            if w in asked and len(w) >= _TELLING and (w,) not in operators() and w not in FILLERS and not find_quantities(w)
        ]  # fmt: skip
        if len(words) != 1 or len(self._model.tables) != 1 or words[0] in PEOPLE:
            return None
        word, rows = words[0], plural(self._model.tables[0].label)
        named = said is not None and said["word"].lower() == word
        held = [d for d in self._texts() if _met(self._index.values(d.name), singular(word)) > (not named)]
        if len(held) != 1 or singular(word) in name_words(held[0].label) or self._is_broader(singular(word)):
            return None
        behind = next((w for v, w in pairwise(name_words(question)) if v == word), "")
        if named and said is not None:
            noun = rf"(?:{plural(held[0].label)}|{held[0].label})\s+(?:that\s+)?"
            plain = re.sub(rf"(?:{noun})?{re.escape(said[0])}", rows, question, count=1, flags=re.I)
        else:
            told = "" if behind.endswith("s") and self._words.named(behind) else rows
            plain = re.sub(rf"\b{word}\b\s*", f"{told} ", question, count=1, flags=re.I)
        operator = FilterOperator.CONTAINS
        return plain, word, Filter(field=held[0].name, operator=operator, values=(singular(word),))

    def _is_broader(self, word: str) -> bool:
        """“vehicles”, where a column tells cars from trucks: what all rows are, and no text of some of them."""
        heads = {w for d in self._model.dimensions for w in name_words(d.label) if len(w) > 2}
        return any(r.relation is Relation.BROADER for w in heads for r in relate(word, w))

    def _texts(self) -> list[Dimension]:
        """The columns of texts; what is said of all is looked for in nobody's name."""
        kinds = (DimensionType.CATEGORY, DimensionType.TEXT)
        held = [d for d in self._model.dimensions if d.type in kinds and (d.distinct or 0) > 2]
        return [d for d in held if not d.personal and not may_be_person(d.label)]

    def _priced(self, question: str, asked: frozenset[str]) -> Way:
        """“houses under 400000”: a large number with nothing that it counts is the one price that things have."""
        found = _PRICED.search(question)
        prices = [d for d in self._model.dimensions if d.type is DimensionType.NUMBER and is_paid(d)]
        if (
            found is None
            or len(prices) != 1
            or not {found["number"], found["number"].replace(",", "")} & asked
        ):
            return question, {}
        said = f"with {prices[0].label} {found[0]}"
        return f"{question[: found.start()]}{said}{question[found.end() :]}", {found[0]: said}

    def _kinds(self) -> list[Dimension]:
        kinds = [d for d in self._model.dimensions if d.type is DimensionType.CATEGORY and not d.personal]
        return [d for d in kinds if (d.distinct or _FEW + 1) <= _FEW]

    def _stock(self) -> Dimension | None:
        """The one column that says how much of each thing there is, and adds up."""
        from gnomon.semantic.measures import names_stock

        sums = {
            m.expression.strip("`")
            for m in self._model.metrics
            if m.expression and m.aggregation is Aggregation.SUM
        }
        numbers = [d for d in self._model.dimensions if d.type is DimensionType.NUMBER]
        found = [d for d in numbers if d.home.column in sums and names_stock(d.home.column)]
        return found[0] if len(found) == 1 else None

    def _amount(self) -> Metric | None:
        found = [amount_of(self._model, t.name) for t in self._model.tables]
        held = [m for m in found if m is not None]
        return held[0] if len(held) == 1 else None


def _tells(verb: str, event: str) -> bool:
    return any(stem(w) == stem(verb.lower()) or kindred(w, verb.lower()) for w in name_words(event))


def _told(reading: Drafted, question: str, requests: Sequence[Parts], notes: Sequence[str]) -> Drafted:
    """The reading under the words in which the question was put, with what was put otherwise."""
    asked = tuple(r.model_copy(update={"question": question}) for r in requests)
    return reading.model_copy(
        update={"requests": asked, "notes": tuple(dict.fromkeys((*reading.notes, *notes)))}
    )


def _narrowed(requests: Sequence[Parts], given: Filter) -> tuple[Parts, ...]:
    """The requests with a condition more; none where it could be either the part or the whole."""
    if any(r.kind is QuestionKind.SHARE or r.part or any(f.having for f in r.filters) for r in requests):
        return ()
    return tuple(r.model_copy(update={"filters": (*r.filters, given)}) for r in requests)


def _figures() -> frozenset[str]:
    return frozenset(
        {"median", "average", "mean", "largest", "biggest", "smallest", "highest", "lowest", "typical"}
    )


def _met(values: Sequence[object], word: str) -> int:
    """How many longer texts have a word in them."""
    texts = (name_words(str(v)) for v in values)
    return sum(len(t) > 1 and any(singular(w) == word for w in t) for t in texts)


def _is_end(column: Dimension) -> bool:
    return any(stem(w) in _ENDS for w in name_words(column.label))


def _is_done(word: str) -> bool:
    """Whether a word tells what was done: won, lost, or the verb itself."""
    return get_lexicon().is_participle(word) or (word, "v") in get_lexicon().bases(word)


def _ends_in(value: str, word: str) -> bool:
    """Whether a value of two or three words ends in what was done: Closed Won, no Trading companies."""
    words = name_words(value)
    return 1 < len(words) <= 3 and get_lexicon().is_participle(words[-1]) and kindred(words[-1], word)
