"""What happens more often, or is likelier, to some than to others: a share of each, never how many there were."""

from __future__ import annotations

from gnomon.core.parts import Filter, QuestionKind
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.group_shares import tell_rate
from gnomon.planning.reader.naming import Names, is_count
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.verdicts import compared_field
from gnomon.semantic import Aggregation, Metric

_GRADES = frozenset({"more", "less", "most", "least", "how", "as"})
_LIKELY = frozenset({"likely", "prone", "apt", "liable"})
_OFTEN = frozenset({"often", "frequently", "commonly", "regularly"})
_LIKELIER = frozenset({"likelier", "likeliest"})


def tell_likelihood(draft: Draft, sentence: Sentence, names: Names) -> None:
    """“are A returned more often than B”, “who is most likely to cancel”: the share of each group's own rows."""
    said = _said(draft, sentence)
    if said is None or len(draft.metrics) > 1:
        return
    whom, parts = compared_field(draft), _parts(draft)
    counted = all(is_count(names.model.metric(m)) for m in draft.metrics)
    if _rate_beside(draft, names) or (len(parts) == 1 and counted and tell_rate(draft, parts[0], names)):
        for _, item in sentence:
            item.used = item.used or (item.op(Op.COUNT, Op.SHARE) and said in item.text)
        if whom is not None:
            draft.dimensions, draft.kind = [whom], QuestionKind.COMPARISON
        return
    if said in _LIKELY | _LIKELIER or (said not in {"more", "less"} and parts and counted and draft.metrics):
        draft.unexplained.append(said)


def is_graded(words: list[str], at: int) -> bool:
    """Whether the word at a place only says how often or how surely something happens, against something else."""
    graded = at > 0 and words[at - 1] in _GRADES
    against = bool({"than", "or", "versus", "vs", "compared"} & {*words})
    if words[at] in _LIKELIER:
        return True
    if words[at] in _LIKELY:
        return graded
    return words[at] in _OFTEN and graded and words[at - 1] in {"more", "less"} and against


def _said(draft: Draft, sentence: Sentence) -> str | None:
    """The word that asks for how often, or for a share; of a ranking only what asks for a likelihood does."""
    words = [w.lower for w in sentence.words]
    compared = draft.comparison is not None and draft.comparison.kind == "group"
    shares = [x.text for _, x in sentence if x.op(Op.SHARE) and not x.used and not x.links]
    if compared and shares:
        return shares[0]  # "compare the share of late deliveries between A and B"
    for i, word in enumerate(words):
        graded = i > 0 and words[i - 1] in _GRADES
        if word in _LIKELIER or (word in _LIKELY and graded):
            return sentence.words[i].text if compared or draft.dimensions else None
        if word in _OFTEN and graded and words[i - 1] != "most" and compared:
            return sentence.words[i].text
        done = word in {"more", "less"} and words[i + 1 : i + 2] == ["than"] and compared
        if done and any(x.end == i and x.used and x.links and not x.values for x in sentence.items):
            return sentence.words[i].text  # "do they lapse more than those of brokers"
    return None


def _parts(draft: Draft) -> list[Filter]:
    """The conditions that say what happens, as opposed to whom it happens to."""
    whom = {compared_field(draft), *draft.dimensions}
    return [f for f in draft.filters if f.field not in whom and not f.having]


def _rate_beside(draft: Draft, names: Names) -> bool:
    """A count of flagged rows becomes the share of them, where the data has that rate."""
    if len(draft.metrics) != 1:
        return False
    counted = names.model.metric(draft.metrics[0])
    if counted.aggregation is not Aggregation.SUM or counted.expression is None:
        return False

    def is_rate(m: Metric) -> bool:
        same = m.table == counted.table and m.expression == counted.expression
        return same and m.aggregation is Aggregation.MEAN and m.unit == "fraction"

    rate = next((m for m in names.model.metrics if is_rate(m)), None)
    if rate is None:
        return False
    draft.metrics = [rate.name]
    return True
