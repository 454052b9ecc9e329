"""Rankings: the words that rank, how many places they ask for, and what is ranked by what."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.core.parts import FilterOperator, QuestionKind
from gnomon.planning.reader.aged_things import aged
from gnomon.planning.reader.asked_periods import busy_in
from gnomon.planning.reader.associations import Association, graded_alone
from gnomon.planning.reader.default_measures import MONEY, OFTEN, DefaultMeasure
from gnomon.planning.reader.draft import Doubt, Draft
from gnomon.planning.reader.ends_of_columns import take_ends
from gnomon.planning.reader.graded_nouns import first_home
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names, is_count, is_intensive, upward
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.places import (
    dated,
    done_most_often,
    extreme_of_each,
    graded_rows,
    lead_with_named,
    leads_the_order,
    ordering,
    place_of,
    places_asked,
    read_topped,
    sorted_by,
    tell_distances,
)
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.times import Times
from gnomon.planning.reader.verdicts import FALLING
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Aggregation, Dimension, DimensionType, Direction, Metric
from gnomon.semantic.units import is_amount, unit_called

_GROUPABLE = (DimensionType.ID, DimensionType.CATEGORY, DimensionType.BOOLEAN, DimensionType.TEXT)
_SURE = 0.9


@dataclass
class Rank:
    """A ranking word: which end, how many, which place, and the measure it carries itself ("cheapest")."""

    at: int
    descending: bool
    limit: int | None = None
    place: int | None = None
    measure: Metric | None = None
    all: bool = False
    both: bool = False


class Ranking:
    """Finds the ranking words of a sentence and puts them to use.

    Args:
        names: The names of the model.
    """

    def __init__(self, names: Names) -> None:
        self.names = names

    def find(self, sentence: Sentence) -> list[Rank]:
        """The ranking words, the first one first; nouns and numbers that belong to one are marked used."""
        found: list[Rank] = []
        tell_distances(sentence)
        take_ends(sentence, self.names)
        ordered = ordering(sentence, self.names)
        read_topped(sentence, self.names)
        for i, item in sentence:
            if item.op(Op.RANK) and not item.links and item.operator is not None:
                rank = Rank(i, bool(item.operator.payload))
                self._most_of(sentence, i, rank)
                self._most_done(sentence, i, rank)
                rank.measure = rank.measure or done_most_often(sentence, i, self.names)
                rank.measure = rank.measure or graded_rows(sentence, i, self.names)
                if (fastest := first_home(sentence, i, self.names)) is not None:
                    rank.measure, rank.descending, rank.limit = fastest, False, 1
                self._peaked(sentence, i, rank)
                rank.all = leads_the_order(sentence, i)
            elif (place := place_of(sentence, i, self.names)) is not None:
                rank = Rank(
                    i, place > 0, limit=1 if abs(place) == 1 else None, place=place if place > 1 else None
                )
                self._peaked(sentence, i, rank)
            elif (end := aged(sentence, i, self.names) or dated(sentence, i, self.names)) is not None:
                rank = Rank(i, end.aggregation is Aggregation.MAX, measure=end)
            elif i and sentence[i - 1].op(Op.CHANGE) and item.text.lower() in {"fastest", "slowest"}:
                rank = Rank(i, item.text.lower() == "fastest")  # "which grew fastest" grew most
                item.association = None
            elif (adjective := item.association) is not None and adjective.superlative and not item.links:
                graded = self._graded(sentence, i)
                rank = Rank(i, bool(adjective.descending))
                rank.measure = busy_in(sentence, i, self.names)
                rank.measure = rank.measure or (self._measure_of(sentence, i) if graded is None else None)
                meant = graded or rank.measure
                rank.descending = upward(adjective, meant) if meant else rank.descending
                item.used = meant is not None
            else:
                continue
            limit, place = places_asked(sentence, i)
            rank.limit, rank.place = limit or rank.limit, place or rank.place
            found.append(rank)
        if not found and ordered is not None:
            found.append(Rank(ordered, True, measure=sorted_by(sentence, ordered, self.names), all=True))
        if found and all(r.measure is None for r in found):
            self._ranked_by(sentence, found[0])
        if found and not any(r.limit for r in found):
            self._asked_number(sentence, found[0])
        if len(found) > 1 and {r.descending for r in found} == {True, False}:
            between = [x.text.lower() for x in sentence.items[found[0].at + 1 : found[1].at]]
            # "from best to worst" orders, it does not cut off; "the best and the worst" asks for both ends
            found[0].all = "to" in between
            found[0].both = not found[0].all
            for rank in found:
                sentence[rank.at].used = True
        return found

    def _ranked_by(self, sentence: Sentence, rank: Rank) -> None:
        """“the top regions by orders”, “who leads in visits”: rows that things are ranked by are counted."""
        leading = [rank.at] if sentence[rank.at].text.lower().endswith((" by", " in", " on")) else []
        for i in (*sentence.find(Op.BY), *leading):
            at = sentence.after(i)
            noun = sentence[at] if at is not None else None
            table = noun.named(LinkKind.TABLE) if noun is not None and not noun.used else None
            others = [x for x in sentence.items[:i] if x.links and self.names.dimension(x, *_GROUPABLE)]
            if (
                noun is None
                or table is None
                or table.quality < 0.85
                or not others
                or self.names.measure(noun) is not None
            ):
                continue
            if noun.text.lower().endswith("s"):
                rank.measure = self.names.count_of_table(table.name)
                noun.used = sentence[i].used = True
                return

    def _peaked(self, sentence: Sentence, i: int, rank: Rank) -> None:
        """“when did orders peak”: of things, their number peaks."""
        before = sentence.before(i) if sentence[i].text.lower().startswith("peak") else None
        if before is None or sentence[before].used or self.names.measure(sentence[before]) is not None:
            return
        rank.measure = self.names.countable(sentence[before])
        sentence[before].used = rank.measure is not None

    def _most_done(self, sentence: Sentence, i: int, rank: Rank) -> None:
        """“the most expensive”, “the most borrowed”: the adjective or the verb behind says by what."""
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        said = following.association if following is not None else None
        if following is None or said is None or following.links:
            return
        how = sentence[i].text.lower().removeprefix("the ")
        if said.descending is None and (how not in {"most", "least", "best", "worst"} or said.noun):
            return
        graded = self._graded(sentence, i + 1) if said.descending is not None else None
        rank.measure = self._measure_of(sentence, i + 1) if graded is None else None
        meant = graded or rank.measure
        if said.descending is not None:
            rank.descending = rank.descending == (
                upward(said, meant) if meant is not None else said.descending
            )
        following.used = meant is not None

    def _graded(self, sentence: Sentence, i: int) -> Metric | None:
        """“the longest delay”, “the cheapest list price”: the measure right behind is what the adjective grades."""
        following = sentence[i + 1] if i + 1 < len(sentence) else None
        if following is None or following.start != sentence[i].end or not following.links:
            return None
        thing = following.named(LinkKind.TABLE) is not None or self.names.dimension(following, *_GROUPABLE)
        return None if thing else self.names.measure(following)

    def _measure_of(self, sentence: Sentence, i: int) -> Metric | None:
        """What an adjective or verb measures: a column of the very thing that it stands before, else what it means here."""
        said = sentence[i].association
        behind = next((j for j in range(i + 1, len(sentence)) if sentence[j].number is None), None)
        asked = [j for w in sentence.find(Op.WHICH) if (j := sentence.after(w)) is not None]
        nouns = [sentence[j] for j in (behind, *asked) if j is not None]
        rows = next((x for x in nouns if x.named(LinkKind.TABLE) is not None), None)
        table = rows.named(LinkKind.TABLE) if rows is not None else None
        many = rows is not None and rows.text.lower().endswith("s")
        things = [d for x in nouns if x.links and (d := self.names.dimension(x, *_GROUPABLE))]
        if said is not None and said.rows and (liked := self._liked(things)) is not None:
            return liked
        grouped = [d.home.table for d in things]
        for home in [table.name] if table is not None else grouped[:1]:
            words = [w.lower for w in sentence.words]
            graded = said is not None and said.descending is not None
            column = self.names.own(said, home, words) if said is not None and graded else None
            bound = column is not None and {*name_words(column.label)} & {"min", "max", "minimum", "maximum"}
            if column is not None and not (bound and table is None):  # the age from which a book may be read
                return self._typical(self.names.metric_of(column), said, None if many else table)
        metrics = self.names.metrics(sentence[i])
        return self._typical(metrics[0], said, None if many else table) if metrics else None

    def _liked(self, things: list[Dimension]) -> Metric | None:
        """“the most popular film”, where each row is one: by what they are rated, as each is met once."""
        once = [
            d for d in things if (self.names.model.table(d.home.table).rows or 0) < 1.5 * (d.distinct or 0)
        ]
        column = self.names.own(graded_alone()["best"], once[0].home.table) if once else None
        return self.names.metric_of(column) if column is not None else None

    def _typical(self, metric: Metric, said: Association | None, table: Link | None) -> Metric:
        """“the cheapest ward”, “the dearest visits”: of many, what one costs, not what all of them add up to."""
        column = self.names.column_of(metric)
        priced = said is not None and bool({"price", "cost"} & {*said.nouns})
        alone = table is not None and metric.table == table.name
        if not priced or alone or column is None or metric.aggregation is not Aggregation.SUM:
            return metric
        return self.names.model.metric(self.names.aggregated(metric, Aggregation.MEAN))

    def _asked_number(self, sentence: Sentence, rank: Rank) -> None:
        """“which two products had the most …”: the number before the noun says how many places."""
        for j, item in sentence:
            number = item.number
            if (
                number is None
                or item.time
                or item.used
                or number.percent
                or not float(number.value).is_integer()
            ):
                continue
            following = sentence.after(j, ())
            before = sentence.before(j, ())
            compared = before is not None and sentence[before].op(
                Op.COMPARE_NUMBER, Op.BETWEEN, Op.OUTSIDE, Op.EQUALS
            )
            noun = sentence[following] if following is not None else None
            if noun is None or compared or not (noun.op(Op.UNIT) or self.names.dimension(noun, *_GROUPABLE)):
                continue
            if 1 <= number.value <= 1000 and noun.text.lower().endswith("s"):
                rank.limit = int(number.value)
                item.used = True
                return

    def _most_of(self, sentence: Sentence, i: int, rank: Rank) -> None:
        """“the most orders” ranks by their number; “the most negative” turns the order around."""
        if i + 1 >= len(sentence) or sentence[i].text.lower() not in {
            "most",
            "the most",
            "least",
            "fewest",
            "fewer",
        }:
            return
        following = sentence[i + 1]
        made = i > 0 and sentence[i - 1].is_verb_only  # "made the most hinges": not in how many rows
        if not made and (rows := self._rows_told(following)) is not None:
            rank.measure = rows
            following.used = following.used or not following.values
            return
        if following.values and (behind := sentence.behind_values(i + 1)) is not None:
            following = sentence[behind]  # "the most Enterprise customers"
        if following.op(Op.DISTINCT) and not following.links and i + 2 < len(sentence):
            following.used, following = True, sentence[i + 2]  # "the most different species"
        if following.op(Op.SIGN) and following.operator is not None:
            rank.descending = rank.descending == (following.operator.payload is FilterOperator.GREATER)
            following.used = True
        elif (rows := self._rows_named(following)) is not None:
            rank.measure, following.used = rows, True
        elif (
            following.links
            and self.names.measure(following) is None
            and (not following.association or _are_things(following))
        ):
            rank.measure = self.names.countable(following)
            following.used = rank.measure is not None
        elif following.links and (following.text.lower().endswith("s") or self._is_stuff(following)):
            rank.measure = self._added_up(following)
            following.used = rank.measure is not None

    def _rows_told(self, item: Item) -> Metric | None:
        """“the most entries”, “the most no-shows”: rows are counted, all of them or those that a value tells."""
        loose = not item.links or item.links[0].quality < _SURE
        if item.op(Op.ROWS) and loose and not item.values:
            table = self.names.default_table([])
            return self.names.count_of_table(table) if table is not None else None
        exact = [v for v in item.values if v.kind in ("exact", "stem")]
        homes = {self.names.model.dimension(v.dimension).home.table for v in exact}
        told = not item.links and item.text.lower().endswith("s") and len(homes) == 1
        return self.names.count_of_table(homes.pop()) if told else None

    def _rows_named(self, item: Item) -> Metric | None:
        """“the fewest payments” are rows, where the word names them better than what they come to; “the most sales” is money."""
        table, measure = item.named(LinkKind.TABLE), item.named(LinkKind.METRIC)
        if table is None or measure is None or not _are_things(item) or item.text.lower() in MONEY:
            return None
        if is_count(self.names.model.metric(measure.name)) or measure.quality >= table.quality:
            return None
        return self.names.count_of_table(table.name)

    def _is_stuff(self, item: Item) -> bool:
        measure = self.names.measure(item)
        return measure is not None and is_amount(measure.unit)

    def _added_up(self, item: Item) -> Metric | None:
        """“the most school groups”: things that are counted in a column are added up, not averaged."""
        metric = self.names.measure(item)
        column = self.names.column_of(metric) if metric is not None else None
        if metric is None or column is None or metric.aggregation is not Aggregation.MEAN:
            return None
        if (whole := self.names.in_all(metric)) is not metric:
            return whole  # "the most weight"
        if metric.unit is not None and unit_called(item.text) == metric.unit:
            return self.names.model.metric(f"{Aggregation.SUM}({column.home})")  # "the most kilometers"
        if column.type is not DimensionType.NUMBER or is_intensive(column) or metric.unit is not None:
            return None
        return self.names.model.metric(f"{Aggregation.SUM}({column.home})")

    def apply(self, draft: Draft, sentence: Sentence, ranks: list[Rank], times: Times) -> None:
        """Order and cut what is grouped; with nothing to rank, take the extreme of the column."""
        if not ranks:
            return
        rank = ranks[0]
        if (rank.measure is not None and not draft.metrics) or (
            rank.measure is not None and rank.measure.name not in draft.metrics and not draft.dimensions
        ):
            draft.add_metric(rank.measure.name)
        item = sentence[rank.at]
        item.used = True
        lead_with_named(draft, sentence, rank.at, self.names)
        if item.text.lower() in {"best", "worst"} and draft.metrics:
            metric = self.names.model.metric(draft.metrics[0])
            if metric.direction is Direction.LOWER_IS_BETTER:
                rank.descending = not rank.descending
            elif metric.direction is Direction.NEUTRAL and metric.unit in ("fraction", "%"):
                ends = (f"highest {metric.label}", f"lowest {metric.label}")
                draft.doubts.append(Doubt(f"{item.text} {metric.label}", ends))  # nothing tells which is good
        if rank.measure is None and not draft.metrics and item.association is not None and not item.operator:
            draft.unexplained.append(item.text)  # nothing here says what is cheap
        if (extreme := extreme_of_each(draft, sentence, rank.at, self.names)) is not None and not rank.limit:
            if item.association is not None and not item.operator:
                rank.descending = upward(item.association, self.names.model.metric(draft.metrics[0]))
            draft.metrics[0] = f"{Aggregation.MAX if rank.descending else Aggregation.MIN}({extreme.home})"
            draft.descending, draft.kind = rank.descending, QuestionKind.BREAKDOWN
            return
        if draft.dimensions or draft.grain is not None:
            draft.descending = rank.descending
            apart = draft.comparison is not None or (draft.time_range is not None and draft.grain is None)
            if apart and any(w.lower in FALLING for w in sentence.words):
                draft.descending = not rank.descending
            draft.limit = (
                rank.limit or rank.place or (None if rank.all else self._implied_limit(sentence, rank))
            )
            if rank.place:
                draft.place = rank.place
            draft.both_ends = rank.both
            if not draft.metrics:
                DefaultMeasure(self.names).choose(draft, sentence, rank.at)
            elif any(w in item.text.lower() for w in OFTEN):
                self._often(draft, sentence, rank)
            return
        if not draft.metrics:
            # a fragment: "just the top 3", "and which the least"
            draft.limit, draft.descending = rank.limit or (None if rank.all else 1), rank.descending
            draft.kind = QuestionKind.RANKING if rank.all else draft.kind
            return
        if any(w in item.text.lower() for w in OFTEN) and self._commonest(draft, rank):
            return
        # nothing to rank: the highest price is the maximum of the column
        how = Aggregation.MAX if rank.descending else Aggregation.MIN
        if rank.both and draft.metrics:
            column = self.names.column_of(self.names.model.metric(draft.metrics[0]))
            if column is not None:
                draft.metrics = [f"{Aggregation.MAX}({column.home})", f"{Aggregation.MIN}({column.home})"]
                return
        if draft.metrics and draft.metrics[0].startswith(("min(", "max(")):
            return
        if draft.metrics:
            metric = self.names.model.metric(draft.metrics[0])
            column = self.names.column_of(metric)
            if column is not None and column.type is DimensionType.BOOLEAN:
                draft.unexplained.append(sentence[rank.at].text)  # a rate has no highest value without groups
            elif times.grain is None and column is not None:
                draft.metrics[0] = f"{how}({metric.table}.{column.at(metric.table or '')})"
            elif metric.formula and (reference := self.names.aggregated(metric, how)) != metric.name:
                draft.metrics[0] = reference  # "the highest order value"
            elif is_count(metric) or metric.formula:
                draft.unexplained.append(sentence[rank.at].text)

    def _often(self, draft: Draft, sentence: Sentence, rank: Rank) -> None:
        """“the most common reason for downtime”: how often there is one, not how much of it."""
        thing = sentence[rank.at + 1] if rank.at + 1 < len(sentence) else None
        behind = sentence[rank.at + 2] if rank.at + 2 < len(sentence) else None
        metric = self.names.model.metric(draft.metrics[0])
        column = self.names.dimension(thing, *_GROUPABLE) if thing is not None else None
        if column is None or column.name not in draft.dimensions or behind is None or metric.table is None:
            return
        if behind.text.lower() in {"for", "of", "behind"} and metric.aggregation is Aggregation.SUM:
            draft.metrics[0] = self.names.count_of_table(metric.table).name
            draft.notes.append(f"counted the rows of {metric.label}")

    def _commonest(self, draft: Draft, rank: Rank) -> bool:
        """“the most common party size”: its values are ranked by how many rows have them, not by how large they are."""
        column = self.names.column_of(self.names.model.metric(draft.metrics[0]))
        if column is None or column.type is not DimensionType.NUMBER:
            return False
        draft.metrics = [self.names.count_of_table(column.home.table).name]
        draft.add_dimension(column.name)
        draft.descending, draft.limit = rank.descending, rank.limit or 1
        return True

    def _implied_limit(self, sentence: Sentence, rank: Rank) -> int | None:
        """“which region had the highest …” asks for one; “rank the regions by …” for all."""
        listed = any(
            item.op(Op.KIND) and item.operator and item.operator.payload is QuestionKind.LIST
            for _, item in sentence
        )
        said = sentence[rank.at].text.lower()
        following = sentence[rank.at + 1] if rank.at + 1 < len(sentence) else None
        thing = following is not None and self.names.dimension(following, *_GROUPABLE) is not None
        if listed and not (thing and not _plural_target(sentence, rank.at)):
            return None  # "name the cheapest item" still asks for one
        measured = following is not None and not thing and self.names.measure(following) is not None
        if said in {"best", "worst"} and measured:
            return 1  # "who gets the best tips"
        if said in {"top", "bottom", "leading", "best", "worst"} and _plural_target(sentence, rank.at):
            return 10 if said in {"top", "bottom"} else 5
        return 1


def _are_things(item: Item) -> bool:
    """Whether words name rows or things, many of them: “visits” are no “visited”."""
    return item.text.lower().endswith("s") and bool(item.links) and item.links[0].quality >= _SURE


def _plural_target(sentence: Sentence, at: int) -> bool:
    return (j := sentence.after(at)) is not None and sentence[j].text.lower().endswith("s")
