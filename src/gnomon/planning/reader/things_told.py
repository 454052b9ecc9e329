"""What a reading says of things that have several rows, or share a name, once it is composed."""

from __future__ import annotations

from gnomon.planning.reader.both_periods import take_both_periods
from gnomon.planning.reader.both_values import keep_where_more
from gnomon.planning.reader.counts_per_thing import count_per_thing
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lasting_rows import bound_rows
from gnomon.planning.reader.named_rows import name_row
from gnomon.planning.reader.namesakes import tell_namesakes
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.owned_numbers import tell_owned
from gnomon.planning.reader.persons_compared import compare_on_average
from gnomon.planning.reader.places_of_one_name import tell_places
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.things_as_rows import take_as_rows
from gnomon.semantic.values import ValueIndex


def tell_things(draft: Draft, sentence: Sentence, names: Names, index: ValueIndex) -> None:
    """Set right what is asked of things: each by itself, by its own rows, and by all that was named."""
    count_per_thing(draft, names)
    keep_where_more(draft, sentence, names)
    bound_rows(draft, sentence, names)
    tell_owned(draft, sentence, names)
    take_both_periods(draft, sentence, names)
    name_row(draft, sentence, names)
    tell_namesakes(draft, names, index)
    tell_places(draft, names, index)
    compare_on_average(draft, sentence, names)
    take_as_rows(draft, sentence, names)
