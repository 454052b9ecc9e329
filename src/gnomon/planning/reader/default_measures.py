"""What a ranking ranks by where it names no measure: rows that are counted, or the one total that everybody means."""

from __future__ import annotations

from itertools import pairwise

from gnomon.data.column_names import vocabulary
from gnomon.embedding.lexicon import get_lexicon
from gnomon.embedding.relations import kindred
from gnomon.planning.reader.associations import graded_alone
from gnomon.planning.reader.draft import Doubt, Draft, PickSort, picks
from gnomon.planning.reader.missing_values import missing_rows
from gnomon.planning.reader.naming import Names, head_of, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.semantic import Additivity, Aggregation, Dimension, DimensionType, Direction, Metric
from gnomon.semantic.money_units import is_money

UNNAMED = "as no measure was named"
_OF_SIZE = frozenset(
    {"largest", "biggest", "smallest", "greatest", "strongest", "weakest", "best", "worst", "leading"}
)
_DOERS = frozenset({"we", "they", "you", "i", "it", "people", "everybody", "everyone"})
OFTEN = ("common", "often", "frequent", "rare", "prevalent", "dominan", "dominate")
_USING = frozenset(
    {"use", "uses", "used", "using", "chose", "choose", "chosen", "pick", "picked", "prefer", "preferred"}
)
# Verbs that only say that something is met in rows.
_MET = vocabulary(
    "appear appears appeared occur occurs occurred happen happens happened show shows showed shown come comes came up "
    "worn wear wears wore seen found featured listed named mentioned"
)
MONEY = frozenset({"revenue", "sales", "turnover", "income", "amount", "total"})
_PASSIVE = frozenset({"is", "are", "was", "were", "been", "be", "gets", "get", "got"})


class DefaultMeasure:
    """Finds a measure for a ranking that names none, or asks for it.

    Args:
        names: The names of the model.
    """

    def __init__(self, names: Names) -> None:
        self.names = names

    def _grown(self, sentence: Sentence) -> str | None:
        """“the biggest increase in orders” is one of their number."""
        for i in sentence.find(Op.CHANGE):
            noun = next((x for j, x in sentence if j > i and not x.op(Op.IN, Op.OF)), None)
            count = self.names.count(noun) if noun is not None and noun.links and not noun.used else None
            if noun is not None and count is not None:
                noun.used = True
                return count.name
        return None

    def _happened(self, name: str) -> Metric | None:
        """How often something is met: in the rows that it groups; each is once in the list of such things."""
        dimension = self.names.model.dimension(name)
        if self.names.model.table(dimension.home.table).key != (dimension.home.column,):
            return self.names.count_of_table(dimension.home.table)
        happened = [m for m in self.names.happened() if self.names.model.reaches(m, dimension)]
        return happened[0] if happened else None

    def choose(self, draft: Draft, sentence: Sentence, at: int) -> None:
        """A ranking with nothing to rank by counts ("most often", "most returned"), or takes the main total."""
        if (grown := self._grown(sentence)) is not None:
            draft.add_metric(grown)
            return
        if (missing := missing_rows(sentence, self.names)) is not None:
            draft.add_metric(missing.name)
            return
        often = any(w in sentence[at].text.lower() for w in OFTEN) or _is_used(sentence, at)
        often = often or self._is_popular(sentence, at) or self._is_done_most(sentence)
        flagged = any(
            item.used and (d := self.names.dimension(item)) and d.type is DimensionType.BOOLEAN
            for _, item in sentence
        )
        if (often or flagged) and draft.dimensions:
            tables = [
                d.home.table
                for _, item in sentence
                if item.used and (d := self.names.dimension(item)) and d.type is DimensionType.BOOLEAN
            ]
            counted = (
                self._happened(draft.dimensions[0]) if not tables else self.names.count_of_table(tables[0])
            )
            if counted is None:
                draft.unexplained.append(sentence[at].text)  # what would happen often is not said
            else:
                draft.add_metric(counted.name)
                draft.unexplained = [w for w in draft.unexplained if w.lower() not in _MET]
            return
        if (done := self._done(draft, sentence)) is not None:
            draft.add_metric(done.name)
            return
        if (graded := self._graded(draft, sentence, at)) is not None:
            draft.add_metric(graded.name)
            return
        model = self.names.model
        dimensions = [model.dimension(d) for d in draft.dimensions]
        totals = [
            m for m in model.metrics
            if m.additivity is Additivity.ADDITIVE and not is_count(m) and m.inner is None and not self._marks(m)
            and all(model.reaches(m, d) for d in dimensions)
        ]  # fmt: skip
        main = sorted(totals, key=lambda m: (m.direction != Direction.HIGHER_IS_BETTER, not _is_money(m)))
        graded = sentence[at].text.lower().removeprefix("the ") in {"best", "worst"}
        clear = any(_is_sought(m) and not (graded and m.direction is Direction.NEUTRAL) for m in main[:1])
        clear = clear and not any(x.association and not x.used and not x.links for _, x in sentence)
        grouped = bool(draft.dimensions) or draft.grain is not None
        if grouped and main and not clear and sentence[at].text.lower() in _OF_SIZE:
            draft.unexplained.append(sentence[at].text)  # nothing here is what everybody ranks by
        elif main:
            if grouped and not clear:
                options = dict[str, str]()
                for m in (*main[:3], *self._figures(dimensions)):
                    options.setdefault(m.label, m.name)
                meant = picks(PickSort.METRIC, main[0].name, options.values())
                draft.doubts.append(Doubt(sentence[at].text, tuple(options)[:5], picks=meant[:5]))
            draft.add_metric(main[0].name)
            draft.confidence = min(draft.confidence, 0.8)
            draft.notes.append(f"ranked by {main[0].label}, {UNNAMED}")

    def _is_popular(self, sentence: Sentence, at: int) -> bool:
        """“the most popular payment method”: the one that most rows have, where nothing else tells what is liked."""
        following = sentence[at + 1] if at + 1 < len(sentence) else None
        said = following.association if following is not None and not following.links else None
        if following is None or said is None or not said.rows or self.names.metrics(following):
            return False
        following.used = True
        return True

    def _is_done_most(self, sentence: Sentence) -> bool:
        """“the most borrowed books”, “which genre is borrowed the most”: what was done to them most often."""
        words = sentence.words
        ranks = [x for _, x in sentence if x.op(Op.RANK) and {"most", "least"} & {*x.text.lower().split()}]
        for place in (k for x in ranks for k in (x.end, x.start - 1) if 0 <= k < len(words)):
            done = next((x for x in sentence.items if x.start <= place < x.end), None)
            figures = [m for m in self.names.metrics(done) if not is_count(m)] if done is not None else []
            told = done is not None and (done.links or done.values or figures)
            passive = place in {x.end for x in ranks} or (place > 0 and words[place - 1].lower in _PASSIVE)
            if passive and not told and get_lexicon().is_participle(words[place].lower):
                if done is not None:
                    done.used = True
                return True
        return False

    def _graded(self, draft: Draft, sentence: Sentence, at: int) -> Metric | None:
        """“the highest mountain”, “the best film”: by the column that such a word grades, in the table of those things."""
        said = graded_alone().get(sentence[at].text.lower().removeprefix("the "))
        things = [self.names.model.dimension(d) for d in draft.dimensions if not d.startswith("@")]
        if said is None or len(things) != 1:
            return None
        column = self.names.own(said, things[0].home.table)
        return self.names.metric_of(column) if column is not None else None

    def _marks(self, metric: Metric) -> bool:
        """Whether it only counts the rows that a flag marks, which is no size of theirs."""
        column = self.names.column_of(metric)
        return column is not None and column.type is DimensionType.BOOLEAN

    def _done(self, draft: Draft, sentence: Sentence) -> Metric | None:
        """“which weekday do they inspect the most on”, “was loaned the most”: the verb of what rows are counts them."""
        lexicon, model = get_lexicon(), self.names.model
        words = [w.lower for w in sentence.words]
        done_by = [b for a, b in pairwise(words) if a in _DOERS]
        ends = [
            x.start for _, x in sentence if x.op(Op.RANK) and {"most", "least"} & {*x.text.lower().split()}
        ]
        ends = [k - (k > 0 and words[k - 1] == "the") for k in ends]
        done_by += [words[k - 1] for k in ends if k > 1 and words[k - 2] in _PASSIVE]
        verbs = [w for w in done_by if any(part == "v" for _, part in lexicon.bases(w))]
        done = [t for t in model.tables if any(len(v) > 3 and kindred(v, head_of(t.label)) for v in verbs)]
        counts = [self.names.count_of_table(t.name) for t in done]
        groups = [model.dimension(d) for d in draft.dimensions if not d.startswith("@")]
        reached = [m for m in counts if all(model.reaches(m, d) for d in groups)]
        return reached[0] if len(reached) == 1 else None

    def _figures(self, dimensions: list[Dimension]) -> list[Metric]:
        """What things of such groups could be ranked by beside totals: averages of their columns, and their rows."""
        model = self.names.model
        means = [m for m in model.metrics if m.aggregation is Aggregation.MEAN and m.unit != "fraction"]
        reached = [m for m in means if all(model.reaches(m, d) for d in dimensions)]
        rows = [self.names.count_of_table(d.home.table) for d in dimensions[:1]]
        return [*(self.names.in_all(m) for m in reached[:3]), *rows]


def _is_used(sentence: Sentence, at: int) -> bool:
    """“the carrier we use most”: in the most rows."""
    item = sentence[at]
    return any(w.lower in _USING for w in sentence.words[max(0, item.start - 2) : item.end + 2])


def _is_sought(metric: Metric) -> bool:
    """Whether everybody means this total by “the most”: what is good to have; never fines or costs."""
    good = metric.direction is Direction.HIGHER_IS_BETTER
    return good or (_is_money(metric) and metric.direction is not Direction.LOWER_IS_BETTER)


def _is_money(metric: Metric) -> bool:
    return is_money(metric.unit) or bool(MONEY & {metric.label, *metric.synonyms})
