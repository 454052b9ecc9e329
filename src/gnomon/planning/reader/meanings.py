"""Everyday words for what the data names otherwise: pupils for students, donations for gifts, people for patients.

Asked only about words that name nothing. The lexicon says how a word is related to a name; the sentence
encoder must agree. What is merely alike never counts: opposites, kinds of the thing, sisters without a
further sign in the same table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import Relation, kindred, relate
from gnomon.language.demonyms import places_of
from gnomon.planning.reader.abbreviations import shortens
from gnomon.planning.reader.draft import said_so
from gnomon.planning.reader.framing import Frame
from gnomon.planning.reader.near_names import NearNames
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.payments import PAYING, Payments
from gnomon.planning.reader.people import PEOPLE, is_person_noun, person_names
from gnomon.planning.reader.relatedness import broader, compares, derived, likeness, plainer, same, topic_of
from gnomon.planning.reader.row_nouns import RowNouns
from gnomon.planning.reader.sides import LONGEST as SIDE_WORDS
from gnomon.planning.reader.sides import denies, says, side_words
from gnomon.planning.reader.usual_words import UsualWords
from gnomon.planning.reader.vocabulary import LinkKind, Vocabulary
from gnomon.planning.reader.words import ABBREVIATIONS, Word, name_words, stem
from gnomon.planning.reading import Asked, Drafted, ReadingStatus, asked_back
from gnomon.semantic import Aggregation, DimensionType, SemanticModel
from gnomon.semantic.money_units import is_money
from gnomon.semantic.values import ValueIndex

MANY_VALUES = 60
CLEARLY_BETTER = 0.05
_EVENTS = frozenset({4, 11, 38})
_POSSESSION = 21
_FEW_STATES = 12
_COUNTING = frozenset({"many", "number", "count", "often", "different", "distinct", "unique"})
_REMAINING = frozenset(
    {"without", "with", "over", "out", "to", "blank", "empty", "behind", "unpaid", "from", "of"}
)
_THINGS = (DimensionType.ID, DimensionType.CATEGORY)
# Words of names that say nothing about what is meant.
_IDLE = """id ids key code number no name type kind date day time year month week hour count total sum average avg mean
min max row rows record records entry entries value values rate share percent percentage different distinct unique
with per new old first last"""


@dataclass(frozen=True)
class Meaning:
    """A word or phrase of the data that a word of the question may stand for."""

    meant: str
    quality: float
    targets: frozenset[tuple[str, str]]


class Meanings:
    """Finds what the unknown words of a question stand for in one model.

    Args:
        model: What the tables mean.
        vocabulary: How the things of the model are said.
        index: The values of the data.
        payments: The columns that verbs of paying speak of.
    """

    def __init__(
        self, model: SemanticModel, vocabulary: Vocabulary, index: ValueIndex, payments: Payments
    ) -> None:
        self._model = model
        self._payments = payments
        self._vocabulary = vocabulary
        self._index = index
        idle = FILLERS | set(_IDLE.split()) | {phrase[0] for phrase in operators() if len(phrase) == 1}
        labels = [x.label for part in (model.tables, model.dimensions, model.metrics) for x in part]
        words = {w for label in labels for w in name_words(label)}
        words |= {ABBREVIATIONS[w] for w in words if w in ABBREVIATIONS}
        self._names = sorted(w for w in words if w.isalpha() and len(w) > 2 and w not in idle)
        self._people: tuple[str, ...] | None = None
        self._acronyms: dict[str, str] | None = None
        self._rows = RowNouns(model, index)
        self._near = NearNames(model)
        self._frame = Frame(model, vocabulary)
        self._usual = UsualWords(model)

    def translated(
        self, words: Sequence[Word], missing: Iterable[str]
    ) -> tuple[list[Word], dict[str, tuple[str, ...]]]:
        """The words with those of ``missing`` replaced by what they stand for, and by what each was replaced.

        A word that fits two things alike is replaced by the first, and both are told.
        """
        asked = {w.lower() for text in missing for w in text.split()}
        counted = any(w.lower in _COUNTING for w in words)
        found: dict[str, tuple[str, ...]] = {}
        result: list[Word] = []
        for i, word in enumerate(words):
            unknown = word.kind == "word" and word.lower in asked
            by_how_many = [w.lower for w in words[max(0, i - 3) : i]] == ["by", "how", "many"]
            # who left is told by the day of it, whatever else is called a leave
            stated = unknown and side_words(word.lower) is not None and self._denied(word.lower, words)
            meant = self.of(word.lower) if unknown and not by_how_many and not stated else []
            if unknown and not meant and not stated and word.lower not in PEOPLE:
                meant = [self._meaning(name, 0.8) for name in self._near.at(i, words)]
            if word.lower in PEOPLE:
                meant = [m for m in meant if not _did_it(m.meant, words)]
            if not meant:
                said = self._said_plainly(i, words) if unknown else None
                parts = (word.lower,) if said is None else tuple(said.split())
                result += [Word(word.text, p, stem(p), word.start, word.end, word.kind) for p in parts]
                if said is not None:
                    found[word.text] = (said,)
                continue
            names = tuple(m.meant if counted else self._money(word.lower, m) for m in meant)
            found[word.text] = names
            parts = name_words(names[0])
            result += [Word(word.text, p, stem(p), word.start, word.end, word.kind) for p in parts]
        return result, found

    def stated(self, words: Sequence[Word]) -> list[Word]:
        """The words with what tells a flag's state here put as that flag: stayed, of who may churn; on time, of late."""
        result: list[Word] = []
        i = 0
        while i < len(words):
            size, told = self._state_at(words, i)
            first, last = words[i], words[i + size - 1]
            said = " ".join(w.text for w in words[i : i + size])
            parts = told.split() if told is not None else []
            if (
                parts[:1] == ["not"]
                and result
                and (result[-1].lower == "not" or result[-1].lower.endswith("n't"))
            ):
                parts = parts[1:]  # who did not stay away came
                result.pop()
            result += [Word(said, p, stem(p), first.start, last.end, "word") for p in parts] or [first]
            i += size
        return result

    def _state_at(self, words: Sequence[Word], i: int) -> tuple[int, str | None]:
        """How many words tell a state here, and how the data says it: two of them, or an idle verb."""
        for size in (3, 2, 1):
            here = words[i : i + size]
            said = " ".join(w.lower for w in here if w.text != "-")
            if len(here) < size or here[0].text == "-" or here[-1].text == "-" or side_words(said) is None:
                continue
            behind = words[i + size].lower if i + size < len(words) else ""
            idle = said in FILLERS and get_lexicon().is_participle(said)
            if said in {"came", "come"}:
                idle = behind in {"", "?", "to", "along"}  # what comes from somewhere attends nothing
            spaced = len(said.split()) == SIDE_WORDS and behind not in {"rate", "rates"}
            if (idle or spaced) and not self._vocabulary.named(said) and not self._index.find(said.split()):
                told = self._usual.state(said) if not _is_left_over(words, i) else None
                if told is not None and said in told.split():
                    return 1, None  # the flag is called so
                asks = here[0].lower in FILLERS or (here[0].lower,) in operators()
                if told is None and tuple(said.split()) in operators() and not self._is_on_a_side(said):
                    return 1, None  # "how many schools took part": all that are told of did
                if told is None and spaced and asks and here[0].lower not in {"on", "in", "no", "show"}:
                    return size, said.replace(" ", "")  # who dropped out is no drop, and may not be lost
                return (size, told) if told is not None else (1, None)
        return 1, None

    def _is_on_a_side(self, said: str) -> bool:
        """Whether a column or a value of few tells the state of a phrase, or that it does not hold."""
        few = (d for d in self._model.dimensions if 0 < (d.distinct or 0) <= _FEW_STATES)
        names = [d.label for d in self._model.dimensions]
        names += [str(v).lower() for d in few for v in self._index.values(d.name)]
        return any(says(said, n) or denies(said, n) for n in names if n)

    def of(self, word: str) -> list[Meaning]:
        """What ``word`` may stand for: one thing, or several that fit alike; nothing where none fits."""
        if len(word) < 3 or not word.isalpha() or word in FILLERS or compares(word):
            return []
        if word in PEOPLE:
            if self._people is None:
                self._people = person_names(self._model)
            people = [self._meaning(p, 0.85) for p in self._people]
            return people or [self._meaning(r, 0.8) for r in self._rows.of(word)]
        if (placed := self._places(word)) is not None:
            return [placed]
        if word in PAYING and (paid := self._payments.fitting()):
            return [self._meaning(label, 0.85) for label in paid]
        if (known := self._usual.meant(word)) is not None:
            return [self._meaning(known, 0.9)]
        if spelt_out := self._initials().get(word):
            return [self._meaning(spelt_out, 0.9)]
        found = [self._meaning(n, q) for n in self._names if (q := self._fit(word, n)) > 0]
        rows = [self._meaning(r, 0.8) for r in self._rows.of(word)]
        if rows and not any(kind == LinkKind.TABLE for m in found for kind, _ in m.targets):
            return _best(
                rows
            )  # things are told by their rows, and by a column of their kinds only in the second place
        found = found or [
            Meaning(v, q, frozenset({("value", f"{d}={v}")}))
            for d, v in self._values()
            if (q := same(word, v) or derived(word, v)) > 0 and likeness(word, v) >= 0.7
        ]
        return _best(found)

    def _places(self, word: str) -> Meaning | None:
        """The place that the data calls by its name or code, of a word for what comes from there: French."""
        for name in places_of(word):
            matches = [
                m for m in self._index.find(name.split()) if m.kind == "exact" and m.end == len(name.split())
            ]
            held = [m for m in matches if m.start == 0 and (len(name) > 3 or str(m.value).isupper())]
            if held:
                return Meaning(name, 0.95, frozenset({("value", f"{held[0].dimension}={held[0].value}")}))
        return None

    def _initials(self) -> dict[str, str]:
        """Names of several words by their first letters, where these are no word: ttr, time to resolution."""
        if self._acronyms is None:
            met, found = get_lexicon().met, dict[str, set[str]]()
            for named in (*self._model.metrics, *self._model.dimensions):
                for phrase in (named.label, named.label.removeprefix("average "), *named.synonyms):
                    letters = "".join(w[0] for w in name_words(phrase) if w[:1].isalpha())
                    if len(letters) > 2 and not met(letters):
                        found.setdefault(letters, set()).add(phrase)
            targets = {k: {self._meaning(p, 0.9).targets for p in v} for k, v in found.items()}
            self._acronyms = {k: min(v, key=len) for k, v in found.items() if len(targets[k]) == 1}
        return self._acronyms

    def _said_plainly(self, i: int, words: Sequence[Word]) -> str | None:
        """A word that names nothing itself in plainer words: unresolved, handled tickets, ticket volume, new tickets."""
        word = words[i].lower
        return self._denied(word, words) or self._frame.plain(i, words)

    def _denied(self, word: str, words: Sequence[Word]) -> str | None:
        """The word of the data that ``word`` says no to: unresolved, where something is resolved.

        Not where both are spoken of, which are set side by side.
        """
        for prefix in ("un", "non"):
            rest = word.removeprefix(prefix)
            if rest == word or len(rest) < 4 or any(w.stem == stem(rest) for w in words):
                continue
            if rest in self._vocabulary.words or self._vocabulary.part(rest):
                return f"not {rest}"
        if any(w.lower == word and _is_left_over(words, k) for k, w in enumerate(words)):
            return None
        return self._usual.state(word)

    def _money(self, said: str, meaning: Meaning) -> str:
        """What was given or paid is asked for in money, where the rows have an amount: donations, of gifts."""
        tables = {name for kind, name in meaning.targets if kind == LinkKind.TABLE}
        amounts = [
            m.label
            for m in self._model.metrics
            if m.table in tables and m.aggregation is Aggregation.SUM and is_money(m.unit)
        ]
        return amounts[0] if len(amounts) == 1 and topic_of(said) == _POSSESSION else meaning.meant

    def _meaning(self, name: str, quality: float) -> Meaning:
        links = self._vocabulary.named(name) or self._vocabulary.part(name)
        return Meaning(name, quality, frozenset((link.kind.value, link.name) for link in links))

    def _values(self) -> Iterable[tuple[str, str]]:
        for d in self._model.dimensions:
            few = (d.distinct or MANY_VALUES + 1) <= MANY_VALUES
            if d.type is DimensionType.CATEGORY and not d.personal and few:
                for value in self._index.values(d.name)[:MANY_VALUES]:
                    text = str(value).lower()
                    if text.isalpha() and len(text) > 2:
                        yield d.name, text

    def _is_of_flags(self, name: str) -> bool:
        """Whether a word names yes-or-no columns alone: tech, of tech visit, is no technician who could be told."""
        links = self._vocabulary.named(name) or self._vocabulary.part(name)
        columns = [self._model.dimension(x.name) for x in links if x.kind is LinkKind.DIMENSION]
        return bool(columns) and all(d.type is DimensionType.BOOLEAN for d in columns)

    def _fit(self, said: str, name: str) -> float:
        if shortens(name, said):
            part = (
                0.0 if self._vocabulary.named(name) else CLEARLY_BETTER
            )  # of a name, or of what rows are called
            return 0.0 if is_person_noun(said) and self._is_of_flags(name) else 0.9 - part
        if any(r.relation is Relation.OPPOSITE for r in relate(said, name)):
            return 0.0
        whole = self._vocabulary.named(name)
        thing = any(
            link.kind is LinkKind.TABLE
            or (link.kind is LinkKind.DIMENSION and self._model.dimension(link.name).type in _THINGS)
            for link in whole
        )
        fit = max(
            same(said, name), derived(said, name), *(f(said, name) for f in (broader, plainer) if thing)
        )
        if fit and not whole and likeness(said, name) < 0.7:
            return 0.0  # a part of a name says less than a whole one
        return max(fit, self._hinted(said, name))

    def _hinted(self, said: str, name: str) -> float:
        """A kind or a sister of what rows are, where the same table speaks of who does it: rides, of riders."""
        tables = [link.name for link in self._vocabulary.named(name) if link.kind is LinkKind.TABLE]
        if not tables:
            return 0.0
        lexicon = get_lexicon()
        forms = {
            said,
            *(
                t.word
                for base, part in lexicon.bases(said)
                if part == "v"
                for t in lexicon.entry(base).derived
            ),
        }
        near = [
            r
            for form in forms
            for r in relate(form, name)
            if (r.relation is Relation.SISTER and r.topic in _EVENTS)
            or (r.relation is Relation.KIND_OF and r.steps == 1)
        ]
        if not any(r.meant >= 0.3 and r.said >= 0.02 for r in near):
            return 0.0
        beside = {
            w
            for d in self._model.dimensions
            if any(ref.table in tables for ref in d.locations)
            for w in name_words(d.label)
        }
        hinted = any(kindred(said, w) for w in beside if w != name)
        return 0.78 if hinted and likeness(said, name) >= 0.45 else 0.0


_LASTING = frozenset(
    ["longer", "shorter", "over", "under", "more", "less", "at", "for", "between", "up", "within"]
)


def _is_left_over(words: Sequence[Word], i: int) -> bool:
    """“were left without a rating”, “left over”: nobody leaves; who “stayed longer than an hour” left after all."""
    before, behind = (words[k].lower if 0 <= k < len(words) else "" for k in (i - 1, i + 1))
    remains = before in {"is", "are", "was", "were", "been", "be", "being"} or behind in _REMAINING
    if words[i].lower in {"stay", "stays", "stayed", "remain", "remained"}:
        return behind in _LASTING or behind[:1].isdigit()
    return words[i].lower in {"left", "leave", "leaving"} and remains


def _did_it(people: str, words: Sequence[Word]) -> bool:
    """“how many people were inspected” does not ask for inspectors."""
    passive = [
        w.lower for b, w in pairwise(words) if b.lower in {"was", "were", "is", "are", "been", "being"}
    ]
    doers = [n for n in name_words(people)[-1:] if n.endswith(("or", "er"))]
    return any(get_lexicon().is_participle(w) and kindred(w, n) for w in passive for n in doers)


def told_as(
    plain: Drafted, translated: Drafted, question: str, told: Mapping[str, tuple[str, ...]]
) -> Drafted:
    """The reading with words translated where that explains everything; asked back where one fits two things."""
    if translated.status is ReadingStatus.NOT_ABOUT_DATA:
        return plain
    if translated.missing:
        fewer = {*translated.missing} < {*plain.missing} and plain.status is ReadingStatus.PARTIAL
        certain = all(len(names) == 1 for names in told.values())
        return translated if fewer and certain and translated.requests else plain
    for said, names in told.items():
        if len(names) > 1 and translated.status is ReadingStatus.CLEAR:
            options = tuple(said_so(question, said, n) for n in names[:4])
            asked = Asked(text=said, names=names[:4], options=options, picks=(None,) * len(options))
            return asked_back((asked,), translated.requests, translated.explained)
    notes = tuple(f"“{said}” was read as {names[0]}" for said, names in told.items())
    return translated.model_copy(update={"notes": tuple(dict.fromkeys((*translated.notes, *notes)))})


def _best(found: list[Meaning]) -> list[Meaning]:
    """The best, and those that fit alike and are something else."""
    ranked = sorted(found, key=lambda m: (-m.quality, m.meant))
    kept: list[Meaning] = []
    for meaning in ranked:
        alike = not kept or meaning.quality > kept[0].quality - CLEARLY_BETTER
        if alike and not any(meaning.targets & k.targets for k in kept):
            kept.append(meaning)
    return kept
