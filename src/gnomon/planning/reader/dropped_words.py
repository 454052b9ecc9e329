"""Words that name nothing and ask for nothing more: “shares traded” in a table of days with a volume, “how many are covered”.

The reading without them must be the same as with them, and a judge that learned from many tables must be sure that nothing
is lost. What was left aside is told. A figure that is asked for, a name, a number or a denial is never left aside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from gnomon.core.parts import Parts
from gnomon.core.patterns import late_pattern
from gnomon.data.column_names import vocabulary
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.language.quantities import find_quantities
from gnomon.language.time_grammar import find_times
from gnomon.language.word_places import acts
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.operators import FILLERS, Op, operators
from gnomon.planning.reader.payments import PAYING, is_paid
from gnomon.planning.reader.relatedness import tells_yield, topic_of
from gnomon.planning.reader.vocabulary import Vocabulary
from gnomon.planning.reader.words import Word, name_words, split_words, stem
from gnomon.planning.reading import Drafted, ReadingStatus
from gnomon.semantic import Aggregation, DimensionType, SemanticModel
from gnomon.semantic.money_units import is_money
from gnomon.semantic.values import ValueIndex

if TYPE_CHECKING:
    from gnomon.language.idle_words import IdleWords

MOST_WORDS = 3
SAYS_NO_MORE = "was taken to say no more than the rest of the question"
# Up to this chance of losing something a word is left aside; verbs seldom name what the data lacks, but a particle makes
# another verb of them. What happened most often is what rows tell of.
CAUTION = {"v": 0.25, "other": 0.09, "phrasal": 0.06, "often": 0.45}
_UNDOING = frozenset({"away", "back", "off", "down"})
_SETTING_ASIDE = vocabulary("aside apart out off again except besides minus excluded omitted kind sort type")
_COUNTING = frozenset({"many", "much", "number", "count", "average", "mean", "median", "total", "sum", "share", "percentage",
                       "proportion", "fraction", "rate", "highest", "lowest", "most", "fewest", "least", "by", "per"})  # fmt: skip
_WHO = frozenset({"who", "that", "which", "whose"})
_BEING = frozenset({"is", "are", "was", "were", "been", "being"})
_SHARES = frozenset({"share", "percentage", "percent", "proportion", "fraction"})
_AUXILIARY = frozenset({"have", "has", "had", "is", "are", "was", "were", "been", "being", "do", "does", "did", "ever", "also", "not", "we",
                        "they", "i", "you"})  # fmt: skip
_ASKED_FOR = frozenset({"name", "names", "address", "addresses", "title", "titles"})  # never said for nothing
_FEW_STATES = 12
_PHRASE = 3
_ASKS_AGAIN = late_pattern(r"[.?!]\s+[A-Z]|\band (?:how|what|which|who|whose|when|where)\b")
_PARTICLES = frozenset({"up", "out", "off", "down", "over", "away", "in", "back", "on"})
_PLACING = frozenset({"in", "at", "from", "on", "to", "by", "for"})
_OWN = frozenset({"the", "our", "all", "my", "their", "its", "these", "those"})
_DENIALS = frozenset({"nobody", "nothing", "none", "nowhere", "neither", "without", "except", "excluding"})
_SUMS = frozenset({"amount", "amounts", "sum", "sums"})
_AMOUNTS = vocabulary("several both half double single twice few couple pair inclusive exclusive")


_DEALING = frozenset({"sell", "buy", "purchase", "order"})
_PRICES = frozenset({"price", "cost", "fare"})
_STATES = frozenset({"status", "state", "stock", "available", "availability", "listed"})
_WAYS = frozenset(
    {"mile", "miles", "mi", "km", "kilometer", "kilometre", "kilometers", "kilometres", "distance", "mileage"}
)
_GOING = frozenset(
    {"cover", "travel", "walk", "run", "drive", "ride", "fly", "cycle", "hike", "swim", "row", "sail", "go"}
)
_CONTEST = 33  # verbs of games, fights and races
_POSSESSION = 21  # nouns for money and what is owned


class DroppedWords:
    """Reads questions again without words that say nothing more.

    Args:
        model: What the tables mean.
        vocabulary: How the things of the model are said.
        index: The values of the data.
        read: Reads a question as it stands.
    """

    def __init__(
        self,
        model: SemanticModel,
        vocabulary: Vocabulary,
        index: ValueIndex,
        read: Callable[[str, date, Parts | None], Drafted],
    ) -> None:
        self._model = model
        self._vocabulary = vocabulary
        self._index = index
        self._read = read

    def read(self, question: str, plain: Drafted, today: date, previous: Parts | None) -> Drafted | None:
        """The reading without what says nothing more; None where something would be lost."""
        words = split_words(question)
        dropped = self._candidates(words, plain)
        if not dropped or any(_has_its_time(w, words, question, today) for w in dropped):
            return None
        if any(self._counts_listed(r) for r in plain.requests):
            return None
        dealt = [w for w in dropped if self._is_dealt(w, plain.requests)]
        gone = [w for w in dropped if self._is_gone(w, plain.requests)]
        sure = [w for w in dropped if w in dealt + gone or self._is_yield(w, words, plain.requests)]
        doubtful = [w for w in dropped if w not in sure]
        grouped = any(r.dimensions for r in plain.requests)
        if any(
            _is_narrower(w, words) or _is_main_verb(w, words) or (grouped and _is_done_by(w, words))
            for w in doubtful
        ):
            return None
        limits = [self._caution(w, words, question) for w in doubtful]
        if not all(limits):
            return None
        judge = self._judge(plain.requests)
        if any(judge.adds(question, w.lower) > limit for w, limit in zip(doubtful, limits, strict=True)):
            return None
        verbs = [w for w in dropped if w.lower in associations() and w not in dealt + gone]
        if not all(self._is_measured_by(w, plain.requests) for w in verbs):
            return None
        joints = [_of_behind(w, words) for w in dropped if w not in doubtful]
        cut = _cut(question, [*dropped, *(w for w in joints if w)], _parting(dropped, words))
        reading = self._read(cut, today, previous)
        if reading.status is not ReadingStatus.CLEAR or _asked(reading) != _asked(plain):
            return None
        said = " and ".join(f"“{w.text}”" for w in dropped)
        note = f"{said} {SAYS_NO_MORE}"
        requests = tuple(r.model_copy(update={"question": question}) for r in reading.requests)
        return reading.model_copy(update={"requests": requests, "notes": (*reading.notes, note)})

    def _counts_listed(self, request: Parts) -> bool:
        """Whether things are counted that other tables tell more of: how often, which then is what the word may say."""
        told_of = {j.to_table for j in self._model.joins}
        counts = [self._model.metric(m) for m in request.metrics]
        return any(m.aggregation is Aggregation.COUNT and m.table in told_of for m in counts)

    def _candidates(self, words: Sequence[Word], reading: Drafted) -> list[Word]:
        """The unknown words, where all of them are ordinary English ones; nothing where one may not be lost."""
        missing = list(dict.fromkeys(reading.missing))
        if reading.status is not ReadingStatus.PARTIAL or not all(r.metrics for r in reading.requests):
            return []
        if not reading.requests or len(missing) > MOST_WORDS:
            return []
        glued = {w for a, w, b in zip(words, words[1:], words[2:], strict=False) if "-" in (a.text, b.text)}
        plain = [w for w in words if w not in glued and self._is_ordinary(w)]
        found = [[w for w in plain if w.text == text] for text in missing]
        dropped = [places[0] for places in found] if all(len(places) == 1 for places in found) else []
        return [] if self._are_one_name(dropped) else dropped

    def _are_one_name(self, words: Sequence[Word]) -> bool:
        """“connect to a tramway”, of a column connect_tramway: two words of one name are never both idle."""
        said = {w.stem for w in words}
        return any(len(said & {stem(n) for n in name_words(d.label)}) > 1 for d in self._model.dimensions)

    def _is_ordinary(self, word: Word) -> bool:
        if word.kind != "word" or not word.text.isalpha() or len(word.text) < 3:
            return False
        if not word.start or not word.text.islower():
            return False
        if (word.lower,) in operators() or word.lower in FILLERS or not _tells_things(word.lower):
            return False
        if word.lower in _ASKED_FOR:
            return False
        if self._tells_state(word.lower) or self._is_told(word.lower) or _tells_winner(word.lower):
            return False
        return not self._vocabulary.named(word.lower) and not self._index.find([word.lower])

    def _tells_state(self, word: str) -> bool:
        """“withdrew”, where some rows have a day on which they were withdrawn: what only some did is never idle."""
        states = [
            d for d in self._model.dimensions
            if d.type is DimensionType.BOOLEAN or (d.type is DimensionType.TIME and d.nullable)
        ]  # fmt: skip
        named = {w for d in states for w in name_words(d.label) if len(w) > 3}
        return any(w[:3] == word[:3] and kindred(word, w) for w in named)

    def _is_told(self, word: str) -> bool:
        """“how many did we win”, where deals are won or lost: another form of a state in the data says which rows."""
        verbs = _verbs(word)
        few = (d for d in self._model.dimensions if 0 < (d.distinct or 0) <= _FEW_STATES)
        states = (str(v).lower() for d in few for v in self._index.values(d.name))
        return any(
            base in verbs and part == "v"
            for s in states
            if s.isalpha()
            for base, part in get_lexicon().bases(s)
        )

    def _caution(self, word: Word, words: Sequence[Word], question: str) -> float:
        """How sure the judge must be; what is counted or measured itself is never idle."""
        at = next(i for i, w in enumerate(words) if w is word)
        before = words[at - 1].lower if at else ""
        # "the catch", "returned orders": a thing, or which ones.
        named = not before or before in _OWN | _COUNTING | _PLACING | {"of", "a", "an", "any", "with"}
        verb = not named and acts(before, word.lower, [w.lower for w in words[at + 1 : at + 3]])
        if not verb and not self._leads(at, words) and _is_measured(at, words):
            return 0.0
        if not verb and _ASKS_AGAIN.search(question):
            return 0.0  # of two questions, a noun may be what ties them together
        behind = words[at + 1].lower if at + 1 < len(words) else ""
        if behind in _UNDOING:
            return 0.0  # "gives away", "sends back", "writes off"
        if verb and behind.endswith("ing"):
            return 0.0  # "start smoking", "stop paying": another doing than the one that is named
        if before in _SUMS:
            return 0.0  # "the amount billed": what was done with it says which amount
        if (graded := associations().get(before)) is not None and graded.superlative:
            return 0.0  # "the longest serving": what the longest is measured by
        if verb and [w.lower for w in words[at + 1 : at + 3]] == ["most", "often"]:
            return CAUTION["often"]
        return CAUTION[("phrasal" if behind in {"up", "out"} else "v") if verb else "other"]

    def _is_measured_by(self, word: Word, requests: Sequence[Parts]) -> bool:
        """Whether all that is measured is what a verb speaks of: “paid … in fines” is money, “weigh” is no number of people."""
        model, nouns = self._model, {*associations()[word.lower].nouns}
        metrics = [model.metric(m) for r in requests for m in r.metrics]
        if word.lower in PAYING:
            columns = [d for m in metrics for d in model.dimensions if m.expression == d.home.column]
            return len(columns) >= len(metrics) and all(is_paid(d) for d in columns)
        return all(nouns & {m.label, *m.synonyms} for m in metrics)

    def _is_yield(self, word: Word, words: Sequence[Word], requests: Sequence[Parts]) -> bool:
        """“honey was harvested”, “the honey crop”, “a haul of honey”: an amount that adds up is got or brought in anyway."""
        metrics = [self._model.metric(m) for r in requests for m in r.metrics]
        flows = all(
            m.aggregation is Aggregation.SUM and m.expression and not is_money(m.unit) for m in metrics
        )
        if not metrics or not flows or not tells_yield(word.lower) or topic_of(word.lower) == _POSSESSION:
            return False  # "ticket income" is no number of tickets
        if any(get_lexicon().is_participle(n) for m in metrics for n in name_words(m.label)):
            return False  # sugar that was fed was not harvested
        at = next(i for i, w in enumerate(words) if w is word)
        before = next((w for w in reversed(words[:at]) if w.lower not in _AUXILIARY), word)
        behind = [w for w in words[at + 1 : at + 4] if w.lower not in _OWN]
        of = behind[1:2] if behind and behind[0].lower == "of" else []
        named = {stem(n) for m in metrics for n in name_words(m.label)}
        return any(w.stem in named for w in (before, *behind[:1], *of))

    def _is_dealt(self, word: Word, requests: Sequence[Parts]) -> bool:
        """“pizzas sold”, of rows that each have a day and a price and no state: each row is such a deal."""
        model = self._model
        metrics = [model.metric(m) for r in requests for m in r.metrics]
        rows = all(m.aggregation is Aggregation.COUNT and m.expression is None and m.table for m in metrics)
        if not metrics or not rows or not _verbs(word.lower) & _DEALING:
            return False
        held = [d for d in model.dimensions if d.home.table in {m.table for m in metrics}]
        dated = any(d.type is DimensionType.TIME and not d.nullable for d in held)
        stated = any(d.type is DimensionType.BOOLEAN or _STATES & {*name_words(d.label)} for d in held)
        return dated and not stated and any(_PRICES & {*name_words(d.label)} for d in held)

    def _is_gone(self, word: Word, requests: Sequence[Parts]) -> bool:
        """“miles covered”, “kilometres driven”: a way that adds up is gone anyway."""
        metrics = [self._model.metric(m) for r in requests for m in r.metrics]
        ways = all(
            m.aggregation is Aggregation.SUM and m.expression and _WAYS & {*name_words(m.label), m.unit or ""}
            for m in metrics
        )
        return bool(metrics) and ways and bool(_verbs(word.lower) & _GOING)

    def _leads(self, at: int, words: Sequence[Word]) -> bool:
        """Whether what stands behind is named in the data: “total trading volume”."""
        behind = words[at + 1].lower if at + 1 < len(words) else ""
        return bool(self._vocabulary.named(behind)) and not get_lexicon().is_participle(behind)

    def _judge(self, requests: Sequence[Parts]) -> IdleWords:
        """The judge for the tables that the requests are about."""
        from gnomon.language.idle_words import IdleWords

        model = self._model
        tables = {t for r in requests for m in r.metrics for t in model.base_tables(model.metric(m))}
        tables |= {model.dimension(d).home.table for r in requests for d in r.dimensions}
        named = [t for t in model.tables if t.name in tables]
        columns = [ref.column for d in model.dimensions for ref in d.locations if ref.table in tables]
        return IdleWords([t.name for t in named], list(dict.fromkeys(columns)))


def _is_measured(at: int, words: Sequence[Word]) -> bool:
    """“how many visits”, “by total annual payroll”, “a share of our stock”, “one sibling”: what is counted or ranked by."""
    before = [w.lower for w in words[:at]]
    if before and (before[-1].isdigit() or find_quantities(before[-1])):
        return True
    while before and before[-1] in _OWN:
        before.pop()
    if before[-1:] == ["of"] and before[-2:-1] and before[-2] in _COUNTING:
        return True
    for word in reversed(words[max(0, at - _PHRASE) : at]):
        if word.lower in _COUNTING:
            return True
        known = operators().get((word.lower,))
        if word.kind != "word" or (
            known is not None and known.op not in (Op.ALL_TIME, Op.AGGREGATE, Op.DISTINCT)
        ):
            return False
    return False


def _is_narrower(word: Word, words: Sequence[Word]) -> bool:
    """“who have gone”, “in the dairy”, “handed in in May”, “at paying”: some of them, one place, half of a verb, a doing."""
    at = next(i for i, w in enumerate(words) if w is word)
    before, behind = (
        [w.lower for w in part] for part in (words[max(0, at - 2) : at], words[at + 1 : at + 3])
    )
    clause = next((w.lower for w in reversed(words[:at]) if w.lower not in _AUXILIARY), "")
    alone = not behind or not behind[0].isalpha() or behind[0] in _PLACING | _AUXILIARY
    if clause in _WHO and alone:
        return True  # "those who have gone" are some of them; "which shop sold it" says what it sold
    if behind[:1] in (["number"], ["numbers"]) or word.lower in _SETTING_ASIDE:
        return True  # "the phone numbers" are asked for; "sushi bars aside" are left out
    if _is_parted(at, words):
        return True
    placed = len(before) > 1 and before[0] in _PLACING and before[1] == "the"
    phrasal = behind[:1] and behind[0] in _PARTICLES and (not behind[1:] or behind[1] in _PLACING)
    doing = word.lower.endswith("ing") and bool(before) and before[-1] in _PLACING
    return placed or bool(phrasal) or doing


def _is_parted(at: int, words: Sequence[Word]) -> bool:
    """“how many of the homes were newly built”, “what share of … is organic”: what is said of the part is all that is asked."""
    said = [w.lower for w in words]
    parts = said[:3] == ["how", "many", "of"] or bool(_SHARES & {*said[:4]})
    lead = next((w for w in reversed(said[:at]) if not w.endswith("ly")), "")
    ends = not any(w.isalnum() for w in said[at + 1 :])  # "built on a 14 nm process" is told by the process
    return parts and ends and lead in _BEING


def _has_its_time(word: Word, words: Sequence[Word], question: str, today: date) -> bool:
    """“ordered in 2023 but delivered in 2024”: of two times each belongs to its own verb."""
    times = [m for m in find_times(question, today) if m.kind == "period"]
    at = next(i for i, w in enumerate(words) if w is word)
    behind = words[at + 2].start if at + 2 < len(words) and words[at + 1].lower in _PLACING else -1
    return len(times) > 1 and any(m.start <= behind < m.end for m in times)


def _is_main_verb(word: Word, words: Sequence[Word]) -> bool:
    """“what percentage of matches did the home team win”: what a named subject did, at the end, is what is asked."""
    at = next(i for i, w in enumerate(words) if w is word)
    behind = next((w for w in words[at + 1 :] if w.kind == "word"), None)
    asked = next(
        (k for k in range(at - 1, max(-1, at - 6), -1) if words[k].lower in {"did", "do", "does"}), None
    )
    if asked is None or behind is not None:
        return False
    subject = [w.lower for w in words[asked + 1 : at]]
    spoken = len(subject) == 1 and subject[0] in {"we", "they", "you", "i", "it", "people"}
    share = any((w.lower,) in operators() and operators()[(w.lower,)].op is Op.SHARE for w in words[:asked])
    return bool(subject) and not spoken and share


def _is_done_by(word: Word, words: Sequence[Word]) -> bool:
    """“eaten up by costs”: what follows does it, and is not what the answer is broken down by."""
    at = next(i for i, w in enumerate(words) if w is word)
    behind = [w.lower for w in words[at + 1 : at + 3]]
    return behind[:1] == ["by"] or (behind[1:] == ["by"] and behind[0] in _PARTICLES)


def _verbs(word: str) -> set[str]:
    """The verbs that a word may be a form of."""
    return {base for base, part in get_lexicon().bases(word) if part == "v"}


def _tells_winner(word: str) -> bool:
    """“matches the home team won”: a verb of contests says how they ended, which not all of them did."""
    lexicon = get_lexicon()
    bases = _verbs(word)
    senses = [s for base in bases for s in lexicon.entry(base).senses if s.part == "v"]
    return any(s.share >= 0.3 and lexicon.synset(s.synset).topic == _CONTEST for s in senses)


def _tells_things(word: str) -> bool:
    """Whether a word is a noun, a verb or a plain adjective: small words, numbers and comparisons always ask for something."""
    lexicon = get_lexicon()
    bases = lexicon.bases(word)
    if word in _DENIALS or 2 * lexicon.met(word, "r") > max(1, lexicon.met(word)):
        return False
    if word in _AMOUNTS or find_quantities(word) or any(part == "a" and base != word for base, part in bases):
        return False
    return any(part in "nva" for _, part in bases)


def _of_behind(word: Word, words: Sequence[Word]) -> Word | None:
    """The “of” of “a haul of honey”."""
    at = next(i for i, w in enumerate(words) if w is word)
    return words[at + 1] if at + 1 < len(words) and words[at + 1].lower == "of" else None


def _parting(dropped: Sequence[Word], words: Sequence[Word]) -> Word | None:
    """“what share of treated patients showed marked improvement”: the verb that parts what a share is of from the part."""
    spoken = [operators().get((w.lower,)) for w in words]
    share = next((i for i, o in enumerate(spoken) if o is not None and o.op is Op.SHARE), None)
    for at, word in enumerate(words):
        behind = [w.lower for w in words[at + 1 : at + 3]]
        if share is None or at < share + 3 or word not in dropped or not behind:
            continue
        clause = {w.lower for w in words[share:at]} & _WHO
        if not clause and acts(words[at - 1].lower, word.lower, behind):
            return word
    return None


def _cut(question: str, words: Sequence[Word], parting: Word | None) -> str:
    for word in sorted(words, key=lambda w: -w.start):
        left = " had " if word is parting else " "
        question = question[: word.start].rstrip() + left + question[word.end :].lstrip()
    return question.strip()


def _asked(reading: Drafted) -> list[Parts]:
    """What is asked for, however sure and in whatever words; which conditions make the part of a share is told by the verb."""
    plain = {"question": "", "unexplained": (), "confidence": 1.0, "part": ()}
    told = [sorted((*r.filters, *r.part), key=str) for r in reading.requests]
    return [
        r.model_copy(update={**plain, "filters": tuple(f)})
        for r, f in zip(reading.requests, told, strict=True)
    ]
