"""The grammar reader: a question in words becomes a typed request, or the reason why it does not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache, partial

from gnomon.core.parts import Parts
from gnomon.core.request import Request
from gnomon.planning.reader.about_data import DataQuestions
from gnomon.planning.reader.against_rest import against_rest
from gnomon.planning.reader.ages import read_ages
from gnomon.planning.reader.any_of_them import without_any_thing
from gnomon.planning.reader.asked_periods import without_any_of
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.audit import audit
from gnomon.planning.reader.background import is_preamble, told_sentences
from gnomon.planning.reader.borne import keep_states
from gnomon.planning.reader.calendar_columns import CalendarColumns
from gnomon.planning.reader.cohorts import Cohorts
from gnomon.planning.reader.compose import Composer
from gnomon.planning.reader.compounds import as_amounts, as_deeds, says_no_more, specify, without_owners
from gnomon.planning.reader.counted_below import says_what_counts
from gnomon.planning.reader.doers import taken_by
from gnomon.planning.reader.done_states import as_states, states_of, told_by_states
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.dressing import Dressing
from gnomon.planning.reader.dropped_words import DroppedWords
from gnomon.planning.reader.flag_clauses import FlagClauses
from gnomon.planning.reader.followup import continued, is_fragment
from gnomon.planning.reader.glosses import is_explained_behind, is_initial
from gnomon.planning.reader.group_questions import read_groups
from gnomon.planning.reader.headings import Headings, code_notes
from gnomon.planning.reader.instructions import counted_in
from gnomon.planning.reader.items import candidate_items
from gnomon.planning.reader.kinds_of_things import as_kinds
from gnomon.planning.reader.known_values import rows_that_are_values, without_known
from gnomon.planning.reader.later_parts import inherit, lend_back
from gnomon.planning.reader.lattice import Item, best_cover
from gnomon.planning.reader.lead_times import LeadTimes
from gnomon.planning.reader.left_out_rows import then_without_outliers
from gnomon.planning.reader.likelihoods import is_graded
from gnomon.planning.reader.meanings import Meanings, told_as
from gnomon.planning.reader.measured_units import trust_units, without_units_of
from gnomon.planning.reader.measured_values import measure_compared
from gnomon.planning.reader.moves import moved
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.never_done import NeverDone
from gnomon.planning.reader.new_columns import NewColumns
from gnomon.planning.reader.open_rows import OpenRows
from gnomon.planning.reader.outcomes import (
    as_outcomes,
    is_share,
    shares_asked,
    told_apart,
    without_rates_told_of,
)
from gnomon.planning.reader.owners import without_parts_of_values
from gnomon.planning.reader.parts import parts_of, without_idle_numbers
from gnomon.planning.reader.payments import Payments
from gnomon.planning.reader.people import asked_outright, tells_persons
from gnomon.planning.reader.per_head import as_population
from gnomon.planning.reader.percent_changes import told_by
from gnomon.planning.reader.phrasal import SAID_IN_ONE, as_rates, joined
from gnomon.planning.reader.place_codes import PlaceCodes
from gnomon.planning.reader.plain_names import without_lookalikes
from gnomon.planning.reader.rated_states import RatedStates
from gnomon.planning.reader.ratios import with_divisions
from gnomon.planning.reader.related import RelatedColumns
from gnomon.planning.reader.related_speech import as_relation, relates
from gnomon.planning.reader.restated import Restated
from gnomon.planning.reader.row_people import acts, as_rows
from gnomon.planning.reader.said_conditions import SaidConditions
from gnomon.planning.reader.said_currencies import keep_currencies
from gnomon.planning.reader.same_part import tells_of_winner
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.shape_questions import ShapeQuestions
from gnomon.planning.reader.siblings import siblings
from gnomon.planning.reader.speech import as_verbs, asides, beside, repaired, respelt, scenes, without
from gnomon.planning.reader.spelling import closest
from gnomon.planning.reader.split_names import brought_together, respelt_beside
from gnomon.planning.reader.spoken_values import SpokenValues
from gnomon.planning.reader.stated_columns import name_rates
from gnomon.planning.reader.states import denied_first
from gnomon.planning.reader.taken_together import without_all_of
from gnomon.planning.reader.timed_rows import TimedRows
from gnomon.planning.reader.times_met import TimesMet
from gnomon.planning.reader.told_to_compute import told_to_compute
from gnomon.planning.reader.turned_phrases import by_itself, turned
from gnomon.planning.reader.unknown_clauses import named_clause
from gnomon.planning.reader.validate import Judge
from gnomon.planning.reader.value_initials import ValueInitials
from gnomon.planning.reader.vocabulary import Link, LinkKind, Vocabulary
from gnomon.planning.reader.words import ALIASES, Word, split_words, stem
from gnomon.planning.reading import Drafted, Reading, ReadingStatus
from gnomon.semantic import SemanticModel
from gnomon.semantic.values import ValueIndex
from gnomon.tools.contract import CancelToken

MAX_WORDS = 120
REMEMBERED = 256
_UNREAD = (ReadingStatus.PARTIAL, ReadingStatus.NOT_ABOUT_DATA)


class GrammarReader:
    """Reads questions about one set of tables, without a language model.

    Words are linked to names, values, times, numbers and the closed vocabulary of questions; the cover of
    the question that explains most is composed into requests under the types of what was linked. What stays
    unexplained makes the reading partial; words that fit two things alike make it ambiguous.

    Args:
        model: What the tables mean.
        index: The values that they hold.
    """

    def __init__(self, model: SemanticModel, index: ValueIndex) -> None:
        self.model = model
        self.index = index
        self.vocabulary = Vocabulary(model)
        self._calendar = self.vocabulary.calendar = CalendarColumns(model, index)
        self.vocabulary.spoken = SpokenValues(model, index, self.vocabulary)
        self._places = PlaceCodes(model, index)
        self.names = Names(model, self.vocabulary)
        self._headings = Headings(self.names, index)
        self._dressing = Dressing(model, self.vocabulary, index)
        self._judge = Judge(self.names, index)
        self._payments = Payments(self.names)
        self._initials = ValueInitials(model, index)
        self._flags = FlagClauses(model)
        self._said = SaidConditions(model, index)
        self._done = states_of(model, index)
        self._states = frozenset(w for w in SAID_IN_ONE if index.find([w]))
        self._meanings = Meanings(model, self.vocabulary, index, self._payments)
        self._related = RelatedColumns(self.names, index, self._headings, self._plainly)
        self._open = OpenRows(model, index, self.vocabulary, type(self))
        self._rated = RatedStates(model, index, self.vocabulary, type(self))
        self._timed = TimedRows(model, index, type(self))
        self._cohorts = Cohorts(model, self._plainly)
        self._lead = LeadTimes(model, index, lambda text, day: self.drafted(text, today=day))
        self._met = TimesMet(model, self._plainly)
        self._never = NeverDone(model, self._plainly)
        self._restated = Restated(self.vocabulary, index)
        self._data = DataQuestions(model, self.vocabulary, index)
        self._shapes = ShapeQuestions(model, lambda question, today: self.drafted(question, today=today))
        self._new = NewColumns(model, index, self.vocabulary, type(self))
        self._dropped = DroppedWords(model, self.vocabulary, index, self._plainly)
        self._alone = lru_cache(maxsize=REMEMBERED)(self._whole)
        self._told = lru_cache(maxsize=REMEMBERED)(lambda q, day: self._alone(q, day).reading(model))

    def read(
        self,
        question: str,
        *,
        today: date,
        previous: Request | None = None,
        cancel: CancelToken | None = None,
    ) -> Reading:
        """The reading of ``question``.

        Args:
            question: In English.
            today: What relative times refer to.
            previous: The request that came before in the conversation, which a fragment continues.
            cancel: Nothing is read for somebody who no longer waits.

        Raises:
            Cancelled: Somebody asked to stop before it began.
        """
        if cancel is not None:
            cancel.check()
        if previous is None:
            return self._told(question, today)
        return self._whole(question, today, previous.parts).reading(self.model)

    def drafted(self, question: str, *, today: date, previous: Parts | None = None) -> Drafted:
        """The reading before it is made into trees; ``previous`` are the parts of what came before."""
        # What continues a conversation is read by what came before it, all else by its words and the day alone.
        return self._alone(question, today) if previous is None else self._whole(question, today, previous)

    def _whole(self, question: str, today: date, previous: Parts | None = None) -> Drafted:
        reading = self._in_some_way(question, today, previous)
        words = split_words(question)
        return _noted(reading, rows_that_are_values(words, reading, self.model, self.index))

    def _in_some_way(self, question: str, today: date, previous: Parts | None) -> Drafted:
        if previous is not None and (on := moved(question, previous, self.model)) is not None:
            return Drafted(status=ReadingStatus.CLEAR, requests=(on,), continues=True)
        if (plain := self._restated.literal(question)) != question:
            return _asked(self.drafted(plain, today=today, previous=previous), question)
        plain, told = counted_in(question) or self._calendar.put(question, today)
        if not told:
            plain, told = self._places.put(question)
        if told:
            reading = _asked(self.drafted(plain, today=today, previous=previous), question)
            return _noted(reading, [f"“{said}” was read as “{plain}”" for said, plain in told.items()])
        if (plain := told_to_compute(question, self.model)) is not None:
            computed = self.drafted(plain, today=today, previous=previous)
            if computed.status is ReadingStatus.CLEAR:
                return _asked(computed, question)
        if (apart := self._lead.read(question, today)) is not None:
            return apart
        if (met := self._met.read(question, today)) is not None:
            return met
        if then_without_outliers(question) and (shaped := self._shapes.read(question, today)) is not None:
            return shaped
        if (derived := self._new.read(question, today=today, previous=previous)) is not None:
            return derived
        if (shaped := self._shapes.read(question, today)) is not None:
            return shaped
        if (about := self._data.read(question)) is not None:
            return Drafted(status=ReadingStatus.CLEAR, requests=(about,))
        if (cohort := self._cohorts.read(question, today)) is not None:
            return cohort
        if (rated := self._rated.read(question, today=today, previous=previous)) is not None:
            return rated
        again = partial(self.drafted, today=today, previous=previous)
        if (aged := read_ages(question, self.model, self.vocabulary, self.index, again)) is not None:
            return aged
        for relation in as_relation(question, self.names, self.index):
            related = self._plainly(relation, today, previous)
            if related.status is ReadingStatus.CLEAR and relates(related):
                return _asked(related, question)
        if (plain := against_rest(question, self.names)) is not None:
            compared = self._plainly(plain, today, previous)
            if compared.status is ReadingStatus.CLEAR:
                return _asked(compared, question)
        for share in shares_asked(question, self.model):
            often = self._plainly(share, today, previous)
            if is_share(often, question, self.model):
                return _asked(often, question)
        reading = self._who(question, self._plainly(question, today, previous), today, previous)
        if reading.status in _UNREAD and (never := self._never.read(question, today)) is not None:
            return never
        if reading.status is not ReadingStatus.CLEAR:
            anew = partial(self._anew, today=today, previous=previous)
            if (restated := self._restated.read(question, reading, anew)) is not None:
                return restated
        if reading.status in _UNREAD:
            named = self._open.read(question, reading, today=today, previous=previous)
            if named is not None:
                return named
        if reading.status in _UNREAD or self._timed.is_needed(reading):
            timed = self._timed.read(question, today=today, previous=previous)
            return timed or self._dropped.read(question, reading, today, previous) or reading
        return reading

    def _anew(self, question: str, today: date, previous: Parts | None) -> Drafted:
        return self._new.read(question, today=today) or self._plainly(question, today, previous)

    def _who(self, question: str, reading: Drafted, today: date, previous: Parts | None) -> Drafted:
        """The reading with “who” put as the persons of the data, where it was read as none of them."""
        told = all(tells_persons(r.dimensions, self.model) for r in reading.requests)
        if not question.lower().startswith("who ") or (reading.status is ReadingStatus.CLEAR and told):
            return reading
        plain = asked_outright(question, self.model)
        other = self._plainly(plain, today, previous) if plain is not None else None
        if plain is not None and other is not None and other.status is ReadingStatus.PARTIAL:
            other = self._dropped.read(plain, other, today, previous)
        if other is not None and other.status is ReadingStatus.CLEAR:
            return _asked(other, question)
        if told:
            return reading
        message = "I cannot tell who is meant: no column of this data names the persons who did it."
        return reading.model_copy(
            update={"status": ReadingStatus.PARTIAL, "missing": ("Who",), "message": message}
        )

    def _plainly(self, question: str, today: date, previous: Parts | None = None) -> Drafted:
        """The reading of a question about figures, with the rows called what the data calls them."""
        if previous is not None and (again := self._related.follow(question, previous, today)) is not None:
            return again
        spoken, slip = repaired(question, split_words(question)[:MAX_WORDS])
        spoken = self._headings.said(question, without_known(question, spoken))
        plain, aside = self._dressing.off(question, spoken)
        said = self._flags.turned(named_clause(turned(self._said.put(plain)), self.model))
        said, short = self._initials.shortened(said)
        words, corrections = self._spelt(self._meanings.stated(said))
        known = self.vocabulary.words | associations().keys() | self._states
        words = without_units_of(words, self.model, self.vocabulary)
        words = as_rows(words, self.model, self.vocabulary, self.index)
        words = as_kinds(as_population(words, self.vocabulary), self.model, self.vocabulary, self.index)
        words = as_states(as_outcomes(told_apart(words), self.model, self.vocabulary, self.index), self._done)
        words, paid = self._payments.hinted(words)
        words, plainly = joined(as_rates(as_verbs(denied_first(words, self.vocabulary))), known, surely=True)
        reading = self._translated(question, words, corrections, today, previous)
        if reading.status in _UNREAD:
            bolder, more = joined(words, known, surely=False)
            other = self._translated(question, bolder, corrections, today, previous) if more else reading
            if other.status is ReadingStatus.CLEAR:
                reading, plainly = other, plainly | more
        if reading.status is ReadingStatus.PARTIAL:
            whole = by_itself(words) or brought_together(words, reading.missing, self.vocabulary)
            other = self._translated(question, whole, corrections, today, previous) if whole else reading
            reading = other if other.status is ReadingStatus.CLEAR else reading
        if reading.status in _UNREAD:
            reading = self._shapes.refused(question, today, reading)
        notes = [f"“{said}” was read as “{plain}”" for said, plain in (plainly | paid | short).items()]
        notes += [f"“{text}” was left aside" for text in aside]
        return _noted(reading, [*notes, *([f"“{slip}” was taken back"] if slip else [])])

    def _translated(
        self,
        question: str,
        words: list[Word],
        corrections: dict[str, str],
        today: date,
        previous: Parts | None,
    ) -> Drafted:
        """The reading of the words, those that the data calls otherwise translated."""
        reading = self._read(question, words, corrections, today, previous)
        meant, told = self._meanings.translated(words, reading.missing)
        if not told:
            return reading
        corrections |= {said: names[0] for said, names in told.items()}
        other = self._read(question, meant, corrections, today, previous)
        if other.missing and not {*other.missing} & {*reading.missing}:  # what the first one hid
            again, more = self._meanings.translated(meant, other.missing)
            told |= more
            other = self._read(question, again, corrections, today, previous) if more else other
        return told_as(reading, other, question, told)

    def _read(
        self,
        question: str,
        words: list[Word],
        corrections: dict[str, str],
        today: date,
        previous: Parts | None,
    ) -> Drafted:
        """The reading of a question whose words are taken as they are in ``words``."""
        related = self._related.read(question, words, today)
        if related is not None and self._related.is_final(related):
            return related
        reading = self._composed(question, words, corrections, today, previous)
        return reading if related is None or reading.status is ReadingStatus.CLEAR else related

    def _composed(
        self,
        question: str,
        words: list[Word],
        corrections: dict[str, str],
        today: date,
        previous: Parts | None,
    ) -> Drafted:
        """The same of a question that asks for figures."""
        drafts, leans = list[Draft](), False
        items = candidate_items(question, words, self.vocabulary, self.index, today)
        items = without_lookalikes(question, items, words, self.vocabulary)
        items = without_parts_of_values(self._headings.over(items, words), words, self._open.may_be_rows)
        items = told_by_states(without_rates_told_of(items, words), words, self.model)
        self._ask_who(words, items)
        cover, left = best_cover(words, items)
        spoken = [*asides(question, words, cover), *told_sentences(question, words, cover)]
        cover = beside(cover, spoken)
        left, idle = without(left, words, [*spoken, *scenes(words, cover)])
        left = [w for w in left if not is_explained_behind(w, words, cover)]
        left = [w for w in left if not says_no_more(w, words, cover, self.names)]
        left = [w for w in left if not _is_how_often(w, words) and not is_initial(w, words)]
        cover = specify(without_owners(cover, words, self.names), self.names)
        cover = without_all_of(without_any_of(cover), words, self.names)
        cover = without_any_thing(cover, words, self.names)
        as_amounts(cover, self.names)
        as_deeds(cover, words, self.names)
        cover = [item for item in cover if not (item.time and is_preamble(words[item.start], words, cover))]
        cover = without_idle_numbers(cover, words, self.names)
        cover = with_divisions(cover, words, self.names)
        name_rates(cover, self.names)
        for part in parts_of(question, cover, left, words):
            sentence = Sentence(words, part.items)
            rest = [w for w in part.left if not acts(w, words) and not is_preamble(w, words, cover)]
            rest = [w for w in rest if not self.vocabulary.acts(w.lower)]
            rest = [w for w in rest if not taken_by(w, words, part.items, self.names)]
            draft = Composer(self.names, self.index, today).compose(
                question, sentence, [w.text for w in rest]
            )
            draft.notes += code_notes(draft.metrics, self.names)
            trust_units(draft, sentence, self.names)
            keep_currencies(draft, sentence, self.names, self.index)
            measure_compared(draft, sentence, self.names)
            keep_states(draft, sentence, self.names)
            if previous is not None and not drafts and is_fragment(draft, previous, sentence, self.names):
                draft, leans = continued(draft, previous, sentence, self.names, self.index), True
            elif drafts and part.coordinated and tells_of_winner(draft, drafts[-1], sentence, self.names):
                continue
            elif drafts:
                earlier = drafts[-1]
                drafts += lend_back(part, draft, drafts, self.names)
                inherit(draft, earlier, sentence, self.names, self.index)
                read_groups(draft, sentence, self.names)
            twin = told_by(draft, drafts, sentence)
            if says_what_counts(draft, drafts, sentence, self.names):
                continue
            if twin is None:
                drafts.append(draft)
                drafts += siblings(draft, self.names)
            else:
                twin.unexplained += audit(draft, sentence, self.names)  # said twice, or said and lost
        reading = self._judge.reading(question, drafts, words, corrections)
        reading = reading.model_copy(update={"continues": leans})
        told = [_in_words(note) for draft in drafts for note in draft.notes if note not in _INTERNAL]
        told += self.vocabulary.cut_short(x.text for x in cover if x.links and not x.outright)
        return _noted(reading, [*told, *(f"“{text}” was taken as an aside" for text in idle)])

    def _ask_who(self, words: list[Word], items: list[Item]) -> None:
        """In “who closed …” the verb means the column “closed by”, not a status that reads alike."""
        if not words or words[0].lower != "who":
            return
        for item in items:
            spoken = words[item.start]
            doers = [
                Link(LinkKind.DIMENSION, d.name, 0.95) for d in self.model.dimensions
                if len(parts := d.label.split()) == 2 and parts[1] in {"by", "to"} and stem(parts[0]) == spoken.stem
            ]  # fmt: skip
            if doers and item.end == item.start + 1:
                item.values, item.links, item.operator = (), tuple(doers), None

    def _spelt(self, words: list[Word]) -> tuple[list[Word], dict[str, str]]:
        spoken = [w.lower for w in words]
        found = [(m.kind, w) for m in self.index.find(spoken) for w in spoken[m.start : m.end]]
        # A word that only resembles a value, and more so a name, is that name misspelt.
        values = {w for kind, w in found if kind != "fuzzy" or closest(w, self.vocabulary.words) is None}
        values |= {other for w in spoken if (other := ALIASES.get(w)) and self.index.find([other])}
        near, corrections = respelt(words, self.vocabulary.words | values)
        better, more = self.vocabulary.corrected(near, values)
        beside, told = respelt_beside(better, self.vocabulary, self.index)
        return beside, corrections | more | told


# What composition remembers for itself; an asker learns nothing from it.
_INTERNAL = frozenset({"to date", "change against the period before"})


def _asked(reading: Drafted, question: str) -> Drafted:
    """The reading with its requests under the words in which the question was put."""
    requests = tuple(r.model_copy(update={"question": question}) for r in reading.requests)
    return reading.model_copy(update={"requests": requests})


def _in_words(note: str) -> str:
    """A note as a sentence; those on times say which time was taken."""
    return f"the time was taken as {note}" if note.startswith(("the most recent", "the current")) else note


def _noted(reading: Drafted, notes: Sequence[str]) -> Drafted:
    """The reading with further notes."""
    told = tuple(dict.fromkeys([*reading.notes, *notes]))
    return reading.model_copy(update={"notes": told}) if told != reading.notes else reading


def _is_how_often(word: Word, words: Sequence[Word]) -> bool:
    """“do they visit more often than …”: behind “more” it only says that the verb is counted."""
    at = next(i for i, w in enumerate(words) if w is word)
    return is_graded([w.lower for w in words], at)
