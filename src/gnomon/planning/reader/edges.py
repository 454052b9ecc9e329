"""Ends of time columns: the latest review, the first order date, and when something was."""

from __future__ import annotations

from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.draft import Draft
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.sentence import Sentence
from gnomon.planning.reader.vocabulary import LinkKind
from gnomon.semantic import Aggregation, DimensionType


class Edges:
    """Finds what asks for an end of a time column, or for a day.

    Args:
        names: The names of the model.
    """

    def __init__(self, names: Names) -> None:
        self.names = names

    def find(self, draft: Draft, sentence: Sentence) -> None:
        """“the latest review”, “first order date”, “when was the last order”: an end of a time column."""
        if draft.metrics:
            return
        for i, item in sentence:
            how = self._edge_of(item) or self._oldest(sentence, i)
            j = sentence.after(i, ()) if how is not None and not item.used and not item.links else None
            j = self._happened(sentence, i) if j is not None and item.text.lower().endswith("time") else j
            if j is None or how is None or not sentence[j].links:
                continue
            noun = sentence[j]
            column = self.names.dimension(noun, DimensionType.TIME)
            if column is None or noun.links[0].name != column.name:
                table = noun.named(LinkKind.TABLE)
                time = self.names.model.table(table.name).time_dimension if table is not None else None
                column = self.names.model.dimension(time) if time else None
            if column is not None:
                named = noun.named(LinkKind.TABLE)
                table_name = named.name if named is not None else column.home.table
                held = column.at(table_name) or column.home.column
                home = table_name if column.at(table_name) else column.home.table
                draft.add_metric(f"{how}({home}.{held})")
                for k in (i, j, *sentence.find(Op.WHEN)):
                    sentence[k].used = True

    @staticmethod
    def _happened(sentence: Sentence, i: int) -> int | None:
        """“the last time the north had a cancelled order”: the rows that say what happened then."""
        rows = [j for j, x in sentence if j > i and x.named(LinkKind.TABLE) is not None and not x.used]
        return rows[0] if len(rows) == 1 else None

    def _oldest(self, sentence: Sentence, i: int) -> Aggregation | None:
        """“the oldest publication year”: of dates, age has an end too."""
        age = sentence[i].association
        if age is None or not age.superlative or age.nouns[0] != "age":
            return None
        following = sentence.after(i, ())
        timed = (
            following is not None
            and self.names.dimension(sentence[following], DimensionType.TIME) is not None
        )
        return (Aggregation.MIN if age.descending else Aggregation.MAX) if timed else None

    @staticmethod
    def _edge_of(item: Item) -> Aggregation | None:
        if item.op(Op.EDGE) and item.operator is not None:
            return item.operator.payload
        first = item.op(Op.ORDINAL) and item.operator is not None and item.operator.payload == 1
        return Aggregation.MIN if first else None

    def _moment(self, draft: Draft) -> None:
        """The day of a best value; the moment itself where rows are moments within a day."""
        model = self.names.model
        metric = model.metric(draft.metrics[0])
        time = model.time_dimension(metric)
        ticking = time is not None and time.grain is TimeGranularity.HOUR and metric.table is not None
        if ticking and time and metric.table and model.table(metric.table).key == (time.at(metric.table),):
            draft.add_dimension(time.name)
        else:
            ticks = time.grain if time is not None and time.grain is not TimeGranularity.HOUR else None
            draft.grain = ticks or TimeGranularity.DAY  # of years or months, one of those

    def when(self, draft: Draft, sentence: Sentence, ranked: bool) -> None:
        """“when was it launched” asks for a day of a time column; “when was it highest” for the best period."""
        for i in sentence.find(Op.WHEN):
            if sentence[i].used:
                continue  # "when was the last order": an end was found already
            if ranked and draft.metrics:
                self._moment(draft)
                sentence[i].used = True
                continue
            for _, item in sentence:
                column = None if item.used else self.names.dimension(item, DimensionType.TIME)
                if column is not None and item.links and item.links[0].name == column.name:
                    draft.add_metric(f"{Aggregation.MIN}({column.home})")
                    item.used = sentence[i].used = True
