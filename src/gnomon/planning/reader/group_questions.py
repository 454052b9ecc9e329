"""What analysts ask about groups and along time, once the measures and groups of a draft are known."""

from __future__ import annotations

from gnomon.core.parts import QuestionKind
from gnomon.planning.reader.brackets import read_brackets
from gnomon.planning.reader.differences import read_difference
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.groupings import MAJORITY, add_averages, tell_each
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.rests import read_rest
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.trending import judge_trend


def read_groups(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Averages beside totals that vary, trends that are judged, a group against the rest, tests of significance."""
    add_averages(draft, sentence, names)
    judge_trend(draft, sentence)
    _judge_majority(draft, sentence)
    read_rest(draft, sentence, names)
    read_difference(draft, sentence, names)
    read_brackets(draft, sentence, names)
    tell_each(draft, sentence)


def _judge_majority(draft: Draft, sentence: Sentence) -> None:
    """“are most of the orders late”: a share, and whether it is more than half."""
    said = [
        x for _, x in sentence if x.op(Op.SHARE) and x.operator is not None and x.operator.payload == MAJORITY
    ]
    if said and draft.kind is QuestionKind.SHARE and draft.part and not draft.dimensions:
        draft.share = draft.share.model_copy(update={"majority": True})
    elif said and said[0].text not in draft.unexplained:
        draft.unexplained.append(said[0].text)
