"""What analysts ask about groups and along time, once the measures and groups of a draft are known."""

from __future__ import annotations

from gnomon.planning.reader.brackets import read_brackets
from gnomon.planning.reader.differences import read_difference
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.groupings import add_averages
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.rests import read_rest
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.trending import judge_trend


def read_groups(draft: Draft, sentence: Sentence, names: Names) -> None:
    """Averages beside totals that vary, trends that are judged, a group against the rest, tests of significance."""
    add_averages(draft, sentence, names)
    judge_trend(draft, sentence)
    read_rest(draft, sentence, names)
    read_difference(draft, sentence, names)
    read_brackets(draft, sentence, names)
