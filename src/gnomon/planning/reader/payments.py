"""What people pay, where several columns are money: the one that the question hints at, else all that may be meant."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.data.column_names import MONEY, vocabulary
from gnomon.embedding.relations import Relation, kindred, relate
from gnomon.planning.reader.associations import associations
from gnomon.planning.reader.money_coming_in import is_bill, is_whole
from gnomon.planning.reader.naming import Names, head_of, is_intensive
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.planning.reader.words import Word, name_words, stem
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric
from gnomon.semantic.model import singular
from gnomon.semantic.money_units import is_money

PAYING = frozenset(
    {"pay", "pays", "paid", "paying", "spend", "spends", "spent", "charge", "charges", "charged"}
)
# What is done with money and goods in all, not to one of them at a time: nobody averages what was brought in.
_TAKING = vocabulary(
    "bring brings brought bringing earn earns earned earning generate generates generated collect collects collected "
    "raise raises raised receive receives received"
)
DEALING = _TAKING | vocabulary(
    "sell sells sold contribute contributes contributed donate donates donated gave produce produces produced win wins won "
    "lose loses lost bill bills billed log logs logged consume consumes consumed burn burns burned deliver delivers "
    "delivered pay pays paid spend spends spent invest invests invested claim claims claimed"
)
# What is received or taken off: nobody spends it.
_RECEIVED = frozenset(
    {"salary", "wage", "income", "revenue", "bonus", "refund", "discount", "deduction", "profit", "earnings",
     "balance", "budget", "worth", "grant", "prize"}
)  # fmt: skip
_OUTLAYS = ("payment", "charge", "cost", "fee")
_BY_US = PAYING - {"charge", "charges", "charged"}
_PIECES = frozenset({"qty", "quantity", "units", "pieces", "copies", "number"})
_WHICH = (["for"], ["in"], ["on"])
_LEADING = frozenset({"to", "for", "in", "on", "per", "a", "an", "each", "every", "the", "as"})


class Payments:
    """Finds the columns that a verb of paying may speak of.

    Args:
        names: The names of the model.
    """

    def __init__(self, names: Names) -> None:
        self._names = names

    def fitting(self) -> list[str]:
        """The columns of what is paid, by name: the one that holds all of it (a total bill), before its parts (a tip)."""
        columns = self._columns()
        whole = [d for d in columns if is_whole(d.label)]
        return [d.label for d in (whole if len(whole) == 1 else columns)]

    def hinted(self, words: Sequence[Word]) -> tuple[list[Word], dict[str, str]]:
        """The words with “pay to join” put as the joining fee, where the verb alone leads to no measure."""
        at = [i for i, w in enumerate(words) if w.lower in PAYING]
        columns = self._columns() if len(at) == 1 else []
        if columns and self._is_known(words[at[0]].lower):  # but "charge for shipping" says which
            columns = columns if [w.lower for w in words[at[0] + 1 : at[0] + 2]] in _WHICH else []
        told = [
            (i, d) for i in range(len(words)) for d in columns if i not in at and _hints(words[i], d, columns)
        ]
        if len({d.name for _, d in told}) != 1 or len(columns) < 2:
            return list(words), {}
        column, verb = told[0][1], words[at[0]]
        if {stem(p) for p in name_words(column.label)} <= {w.stem for w in words if w is not verb}:
            having = Word(verb.text, "have", "have", verb.start, verb.end, "word")
            return [having if w is verb else w for w in words], {}  # "pay more than 600 monthly rent"
        heard = {i for i, _ in told}
        for i in sorted(heard):
            while i - 1 > at[0] and words[i - 1].lower in _LEADING:
                i -= 1
                heard.add(i)
        said = " ".join(w.text for k, w in enumerate(words) if k in heard or k == at[0])
        usually = {"do", "does"} & {w.lower for w in words} and not (verb.lower in _BY_US and _by_us(words))
        asked = [w.lower for w in words[:2]] == ["how", "much"] and any(w.lower == "did" for w in words)
        label = f"average {column.label}" if usually else f"total {column.label}" if asked else column.label
        named = [Word(verb.text, p, stem(p), verb.start, verb.end, "word") for p in name_words(label)]
        result = [x for k, w in enumerate(words) if k not in heard for x in (named if k == at[0] else [w])]
        return result, {said: label}

    def _is_known(self, verb: str) -> bool:
        said = associations().get(verb)
        known = self._names.associated(said, verb) if said is not None else []
        return bool(known) or bool(self._names.vocabulary.named(verb))

    def _columns(self) -> list[Dimension]:
        numbers = [d for d in self._names.model.dimensions if d.type is DimensionType.NUMBER]
        return [d for d in numbers if is_paid(d)]


def all_paid(metric: Metric, sentence: Sentence, names: Names) -> Metric:
    """“how much did Ann spend”, “how much do we pay in bonuses”: all of the money, where the metric is the mean of it.

    A price is what each row came to, where somebody known paid it, the rows are dated and nothing tells how many were bought.
    """
    words = sentence.words
    said = [w.lower for w in words]
    column = names.column_of(metric)
    done = "did" in said or (_by_us(words) and bool({"do", "have"} & set(said)))
    if said[:2] != ["how", "much"] or not done or not (PAYING | DEALING) & set(said) or column is None:
        return metric
    table = names.model.table(column.home.table)
    counted = any(
        set(name_words(d.label)) & _PIECES for d in names.model.dimensions if d.home.table == table.name
    )
    payer = any(x.values or x.named(LinkKind.DIMENSION) for _, x in sentence)
    money = is_paid(column) or singular(head_of(column.label)) in _RECEIVED
    if metric.aggregation is not Aggregation.MEAN or not money or metric.inner is not None:
        return metric
    if is_intensive(column) and (counted or not payer or table.time_dimension is None):
        return metric
    return names.model.metric(f"{Aggregation.SUM}({column.home})")


def is_dealt_in(verb: str, metrics: Sequence[Metric], names: Names) -> bool:
    """“charge for shipping”, “spend on salaries”: the verb says no more than that what is measured is money."""
    columns = [names.column_of(m) for m in metrics]
    money = [c for c in columns if c is not None and (is_paid(c) or singular(head_of(c.label)) in _RECEIVED)]
    return verb in PAYING | _TAKING and bool(metrics) and len(money) == len(metrics)


def _by_us(words: Sequence[Word]) -> bool:
    return any(w.lower in {"we", "i"} for w in words)


def is_paid(column: Dimension) -> bool:
    """Whether a column is money that somebody pays: a fee, a fine, a price; not what is received."""
    head = singular(head_of(column.label))
    if head in _RECEIVED or column.unit in ("%", "fraction"):
        return False
    if is_money(column.unit) or head in MONEY or head.endswith("pay") or is_bill(column.label):
        return True
    return any(r.relation is Relation.KIND_OF for wider in _OUTLAYS for r in relate(head, wider))


def _hints(word: Word, column: Dimension, columns: Sequence[Dimension]) -> bool:
    """Whether a word is a form of what sets one column's name apart from those of the others."""
    if word.kind != "word" or len(word.lower) < 4:
        return False
    own = [w for w in name_words(column.label)[:-1] if len(w) > 3]
    others = {w for d in columns if d != column for w in name_words(d.label)}
    return any(w not in others and (stem(w) == word.stem or kindred(w, word.lower)) for w in own)
