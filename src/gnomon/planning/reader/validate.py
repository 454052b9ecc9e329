"""The last look at a reading: is every word accounted for, does the data reach it, and what to say if not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gnomon.core.errors import did_you_mean
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.audit import audit
from gnomon.planning.reader.draft import Draft, said_so
from gnomon.planning.reader.kinds_of_measures import says_kind
from gnomon.planning.reader.lattice import is_filler
from gnomon.planning.reader.naming import Names
from gnomon.planning.reader.operators import FILLERS, operators
from gnomon.planning.reader.relatedness import deed_of, enacts, repeats
from gnomon.planning.reader.unheard import (
    is_asked,
    lost_conditions,
    unheard_denials,
    unheard_values,
    unmet_together,
)
from gnomon.planning.reader.verdicts import doubt_measure
from gnomon.planning.reader.words import Word, name_words, root, stem
from gnomon.planning.reading import Asked, Drafted, ReadingStatus, asked_back, in_a_row, quoted
from gnomon.semantic import DimensionType
from gnomon.semantic.units import unit_called
from gnomon.semantic.values import ValueIndex
from gnomon.semantic.wording import plural

_UNIT_NAMES: dict[str, set[str]] = {
    "minutes": {"min", "mins", "minute", "minutes"}, "hours": {"hr", "hrs", "hour", "hours", "h"}, "days": {"day", "days", "d"},
    "seconds": {"sec", "secs", "second", "seconds", "s"}, "kilometers": {"km"}, "kilometres": {"km"}, "km": {"km"}, "kg": {"kg"},
    "kilograms": {"kg"}, "kwh": {"kwh"}, "degrees": {"c", "f", "temp"}, "meters": {"m"}, "metres": {"m"}, "miles": {"mi", "miles"},
    "cm": {"cm"}, "percent": {"pct", "percent", "fraction", "%"}, "pounds": {"gbp", "GBP", "lb", "lbs"},
}  # fmt: skip


MOST_TABLES_TOLD = 3
_UNTOLD = (DimensionType.ID, DimensionType.BOOLEAN)


class Judge:
    """Turns drafts into a reading.

    Args:
        names: The names of the model.
        index: The values of the data, for "did you mean".
    """

    def __init__(self, names: Names, index: ValueIndex) -> None:
        self.names = names
        self.index = index

    def reading(
        self, question: str, drafts: Sequence[Draft], words: Sequence[Word], corrections: Mapping[str, str]
    ) -> Drafted:
        """The reading that the drafts make, with the reason where it is not clear."""
        content = [w for w in words if not is_filler(w)]
        for draft in drafts:
            told = bool(draft.unexplained and draft.metrics)
            spoken_for = self._spoken_for(draft) if told else frozenset[str]()
            roots = frozenset(root(w) for w in spoken_for)
            draft.unexplained = [
                u
                for u in draft.unexplained
                if not self._is_unit(u, draft)
                and not {root(w) for w in name_words(u)} <= roots
                and not repeats(u, spoken_for)
                and not (told and self._is_deed(u, draft))
            ]
            if draft.heard is not None:
                draft.unexplained += audit(draft, draft.heard, self.names) + unheard_denials(draft.heard)
                draft.unexplained = [u for u in draft.unexplained if not says_kind(u, draft, self.names)]
        missing = [text for d in drafts for text in d.unexplained]
        missing += unheard_values(drafts, words, self.index, self.names.vocabulary)
        missing += unmet_together(drafts, words, self.names.model) + lost_conditions(drafts)
        missing = list(dict.fromkeys(missing))
        unexplained = sum(len(text.split()) for text in missing)
        explained = max(0.0, 1 - unexplained / len(content)) if content else 0.0
        usable = [d for d in drafts if is_asked(d)]
        for draft in usable:
            if corrections:
                draft.confidence = min(draft.confidence, 0.9)
            draft.confidence = round(draft.confidence * (0.5 + 0.5 * explained), 4)
        requests = tuple(d.request() for d in usable)
        if not usable:
            return self._nothing(missing, explained)
        if missing:
            return Drafted(
                status=ReadingStatus.PARTIAL,
                requests=requests,
                missing=tuple(missing),
                message=self._missing_message(missing),
                options=self._suggestions(missing),
                explained=explained,
            )
        found = [doubt for d in usable for doubt in (*d.doubts, doubt_measure(d, self.names)) if doubt]
        doubts = list(dict.fromkeys(found))
        if doubts:
            asked = tuple(
                Asked(
                    text=d.text,
                    names=d.options,
                    options=() if d.together else tuple(said_so(question, d.text, o) for o in d.options),
                    picks=d.picks or (None,) * len(d.options),
                )
                for d in doubts
            )
            return asked_back(asked, requests, explained)
        return Drafted(status=ReadingStatus.CLEAR, requests=requests, explained=explained)

    def _is_deed(self, said: str, draft: Draft) -> bool:
        """“total distance flown”, of flights: the verb says no more than what the rows are."""
        model = self.names.model
        tables = {t for m in draft.metrics for t in model.base_tables(model.metric(m))}
        return any(enacts(said.lower(), deed_of(model.table(t).label)) for t in tables)

    def _spoken_for(self, draft: Draft) -> frozenset[str]:
        """The words in the names of what the draft uses: “sold” says nothing more than “tickets sold”."""
        model = self.names.model
        fields = {*draft.dimensions, *(f.field for f in (*draft.filters, *draft.part) if not f.having)}
        timed = draft.time_range is not None or draft.grain is not None or draft.recurring is not None
        usual = [model.time_dimension(model.metric(m)) for m in draft.metrics] if timed else []
        fields |= {draft.time_dimension} if draft.time_dimension else {d.name for d in usual if d is not None}
        labels = [model.metric(m).label for m in draft.metrics] + [model.dimension(d).label for d in fields]
        return frozenset(w for label in labels for w in name_words(label) if w.isalpha())

    def _is_unit(self, text: str, draft: Draft) -> bool:
        """“in minutes”, where the measure itself is in minutes."""
        metrics = [self.names.model.metric(m) for m in draft.metrics]
        held = {m.unit for m in metrics}
        held |= {self.names.model.dimension(f.field).unit for f in draft.filters if f.values and not f.having}
        if (unit := unit_called(text)) is not None and unit in held:
            return True
        units = _UNIT_NAMES.get(text.lower())
        if units is None:
            return False
        return any(
            units & ({*m.label.lower().split(), *str(m.expression).lower().split("_")} | {str(m.unit)})
            for m in metrics
        )

    def _nothing(self, missing: Sequence[str], explained: float) -> Drafted:
        has = self._inventory()
        unknown = [m for m in missing if not self._is_understood(m)]
        if unknown and self.index.partial:
            message = f"{_untold(quoted(unknown[:4], 'or'))} {has}"
        elif unknown:
            message = f"I cannot find {quoted(unknown[:4], 'or')} in this data. {has}"
        elif missing:
            message = self._missing_message(missing)
        else:
            message = f"The question names nothing that is in this data. {has}"
        return Drafted(
            status=ReadingStatus.NOT_ABOUT_DATA,
            missing=tuple(missing),
            held=tuple(m for m in missing if m not in unknown) if unknown else (),
            message=message,
            explained=explained,
        )

    def _missing_message(self, missing: Sequence[str]) -> str:
        known = [m for m in missing if self._is_understood(m)]
        if len(known) == len(missing):
            said = quoted(known[:4], "and")
            they = "it" if len(known) == 1 else "they"
            return f"I know {said}, but not what {they} would change in the answer. {self._inventory()}"
        missing = [m for m in missing if m not in known]
        parts = quoted(missing[:4], "or")
        close = [c for m in missing for c in self._close(m)]
        hint = f" Did you mean {quoted(close[:3], 'or')}?" if close else ""
        if self.index.partial:
            return f"{_untold(parts)}{hint} {self._inventory()}"
        return f"I cannot find {parts} in this data.{hint} {self._inventory()}"

    def _is_understood(self, text: str) -> bool:
        """Whether words are known here, and only found no part to play."""
        spoken = tuple(text.lower().split())
        idle = len(spoken) == 1 and spoken[0] in FILLERS
        held = any((v.start, v.end) == (0, len(spoken)) for v in self.index.find(spoken))
        if idle or held or spoken in operators() or self.names.vocabulary.named(text):
            return True
        model = self.names.model
        named = {stem(w) for x in (*model.metrics, *model.dimensions) for w in name_words(x.label)}
        return len(spoken) == 1 and stem(spoken[0]) in named

    def _close(self, text: str) -> list[str]:
        labels = {m.label for m in self.names.model.metrics} | {d.label for d in self.names.model.dimensions}
        values = [str(v.value) for v in self.index.close(text)[:2]]
        return list(dict.fromkeys([*did_you_mean(text, labels, 2), *values]))

    def _suggestions(self, missing: Sequence[str]) -> tuple[str, ...]:
        close = [c for m in missing for c in self._close(m)]
        return tuple(close[:3])

    def _inventory(self) -> str:
        """What there is: the rows of each table, and a few of its columns by names that people use."""
        model = self.names.model
        several = len(model.tables) > 1
        found: list[str] = []
        for table in model.tables[:MOST_TABLES_TOLD]:
            held = [d for d in model.dimensions if d.home.table == table.name and d.type not in _UNTOLD]
            plain = [d.label for d in held if _is_plain(d.label)] or [d.label for d in held]
            told = [c for c in dict.fromkeys(plain) if c != table.label][: 3 if several else 6]
            if table.label == "row":
                found.append(f"the columns {in_a_row(told)}" if told else "rows")
            else:
                found.append(
                    f"{plural(table.label)} with their {in_a_row(told)}" if told else plural(table.label)
                )
        more = len(model.tables) - MOST_TABLES_TOLD
        found += [f"{more} more table{'s' if more > 1 else ''}"] if more > 0 else []
        return f"It has {'; '.join(found)}." if found else "It has no columns that can be asked about."


def _is_plain(label: str) -> bool:
    """Whether a name is made of whole words: “birth place”, not “birth pl”."""
    return all(len(w) > 2 and get_lexicon().bases(w) for w in label.lower().split())


def _untold(said: str) -> str:
    """What is said of words that may be a value which this reader is not to know, in the same words where they are none."""
    return f"{said} names no column and no group here; whether it is a value of a column that stays here is not told."
