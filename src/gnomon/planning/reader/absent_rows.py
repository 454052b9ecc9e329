"""Things of which another table has no rows: “members with no visits”, “products that were never ordered”."""

from __future__ import annotations

from gnomon.core.parts import FilterOperator
from gnomon.embedding.lexicon import get_lexicon
from gnomon.planning.reader.condition_finder import SURE, ConditionFinder, NumberCondition
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op, Operator
from gnomon.planning.reader.vocabulary import Link, LinkKind
from gnomon.semantic import Aggregation, Dimension, DimensionType, Metric

_HELPING = frozenset({"did", "do", "does", "have", "has", "had", "was", "were", "is", "are"})
_AUXILIARIES = frozenset({"been", "be", "had", "have", "made", "a", "an", "any", "single"})


class AbsenceFinder(ConditionFinder):
    """Finds what is asked to have no rows in another table."""

    def _find_absent(self) -> None:
        for i, item in self.sentence:
            never = item.op(Op.NOT) and (item.text.lower() == "never" or self._lacks(i) or self._undone(i))
            if item.used or not (item.op(Op.WITHOUT) or never):
                continue
            j = next(
                (k for k in range(i + 1, len(self.sentence)) if not self._passed(self.sentence[k])), None
            )
            used = self._rows_named(self.sentence[j]) if j is not None else self._rows_used(i)
            if used is None:
                continue
            at, thing, used = self._owned_rows(i, used)
            if thing is not None:
                j, zero = i if j is None else j, (0.0,)
                self.numbers.append(
                    NumberCondition(i, FilterOperator.EQUALS, zero, False, used, None, thing, at, j)
                )
                self._use(*range(i, j + 1))
                self._doubt_place(j, used, thing)
                if used.table is not None:
                    self.sentence[j].links = (Link(LinkKind.TABLE, used.table, 1.0),)
                for k in self._objects(j, used):
                    self.sentence[k].links, self.sentence[k].operator = (), Operator(Op.FILLER)
                    self._use(k)

    def _doubt_place(self, j: int, rows: Metric, thing: Dimension) -> None:
        """“never visited Riverside”: where members have a club as well, it is the visits that are denied, not their club."""
        k = self.sentence.after(j, (Op.IN, Op.OF, Op.FILLER, Op.EACH, Op.WITH))
        item = self.sentence[k] if k is not None else None
        if item is None or not item.values or item.links:
            return
        model = self.names.model
        homes = [model.dimension(v.dimension) for v in item.values]
        own = [
            d for d in homes if d.at(rows.table or "") is None and model.path(thing.home.table, d) is not None
        ]
        if own and len(own) == len(homes):
            self.unsaid.append(item.text)

    def _rows_used(self, i: int) -> Metric | None:
        """“which vehicle was never used”: the rows of the one table that points to them are its uses."""
        words = [w.lower for w in self.sentence.words[self.sentence[i].end :]]
        link = self.sentence[i - 1].named(LinkKind.TABLE) if i else None
        if [w for w in words if w.isalpha() and w not in _AUXILIARIES] != ["used"] or link is None:
            return None
        users = {j.table for j in self.names.model.joins if j.to_table == link.name} - {link.name}
        return self.names.count_of_table(users.pop()) if len(users) == 1 else None

    def _objects(self, j: int, rows: Metric) -> list[int]:
        """“not enrolled in any course”: any of what the rows lead to says no more than that there are rows."""
        found: list[int] = []
        for k in range(j + 1, len(self.sentence)):
            item = self.sentence[k]
            link = item.named(LinkKind.TABLE)
            before = self.sentence.words[item.start - 1].lower
            if link is None and item.op(Op.IN, Op.OF, Op.FILLER, Op.EACH, Op.WITH) and not item.links:
                continue
            if link is None or before not in {"any", "a", "an", "single"}:
                break
            key = self.names.model.table(link.name).key
            thing = self.names.at(link.name, key[0]) if len(key) == 1 else None
            if thing is None or not self.names.model.reaches(rows, thing):
                break
            found += range(j + 1, k + 1)
        return found

    def _owned_rows(self, before: int, rows: Metric) -> tuple[int | None, Dimension | None, Metric]:
        """The things before, and the rows that tell of them: order lines, where products were never ordered."""
        at, thing = self._owner(before, rows)
        model = self.names.model
        link = self.sentence[before - 1].named(LinkKind.TABLE) if before else None
        if thing is not None or link is None or link.quality < SURE or link.name == rows.table:
            return at, thing, rows
        keys = [model.table(t).key for t in (link.name, rows.table or "")]
        if any(len(key) != 1 for key in keys):
            return None, None, rows
        own, whole = (
            self.names.at(t, k[0]) for t, k in zip((link.name, rows.table or ""), keys, strict=True)
        )
        parts = [
            t.name for t in model.tables
            if own is not None and whole is not None and t.key not in keys
            and own.at(t.name) is not None and whole.at(t.name) is not None
        ]  # fmt: skip
        if len(parts) != 1:
            return None, None, rows
        return before - 1, own, self.names.count_of_table(parts[0])

    def _find_taken(self) -> None:
        """“how many customers bought a desk”: those of whom there are such rows, where other rows lie between."""
        for i in self.sentence.find(Op.COUNT):
            verb = self.sentence[i + 2] if i + 2 < len(self.sentence) else None
            table = self._done_in(verb) if verb is not None and not verb.links else None
            if (
                verb is None
                or table is None
                or verb.start != self.sentence[i + 1].end
                or self._is_bound(i + 3)
            ):
                continue
            rows = self.names.count_of_table(table)
            at, thing = self._owner(i + 2, rows)
            if thing is None or thing.at(table) is not None or at != i + 1 or not self.values:
                continue
            bound = NumberCondition(
                i + 2, FilterOperator.GREATER, (0.0,), False, rows, None, thing, at, i + 2
            )
            self.numbers.append(bound)
            self._use(i + 2)

    def _is_bound(self, j: int) -> bool:
        following = self.sentence[j] if j < len(self.sentence) else None
        return following is not None and (following.number is not None or following.op(Op.COMPARE_NUMBER))

    def _take_any(self) -> None:
        """“at least one pike”, before a value: any of them will do."""
        for i in self.sentence.find(Op.COMPARE_NUMBER):
            one, thing = (self.sentence.items[i + 1 : i + 3] + [None, None])[:2]
            if one is None or thing is None or one.number is None or one.number.value != 1 or one.time:
                continue
            least = self.sentence[i].operator
            if (
                least is None
                or least.payload is not FilterOperator.AT_LEAST
                or not thing.values
                or thing.links
            ):
                continue
            if thing.start == one.end and not self._is_rows_noun(i + 3):
                self.sentence[i].operator = one.operator = Operator(Op.FILLER)
                one.number = None

    def _is_rows_noun(self, j: int) -> bool:
        """Whether rows are named right behind, whose number the bound is about: at least one emergency admission."""
        following = self.sentence[j] if j < len(self.sentence) else None
        beside = following is not None and following.start == self.sentence[j - 1].end
        return beside and following is not None and following.named(LinkKind.TABLE) is not None

    def _lacks(self, i: int) -> bool:
        """“did not have an exhibition”: not having any is being without."""
        words = self.sentence.words
        end = self.sentence[i].end
        return end < len(words) and words[end].lower in {"have", "had", "get", "got"}

    def _undone(self, i: int) -> bool:
        """“did not order”, “were not admitted”, “have not written a review”: it is denied that it was done."""
        said = self.sentence[i].text.lower()
        words = [w.lower for w in self.sentence.words[self.sentence[i].end :]]
        behind = next((w for w in words if w not in {"be", "been", "yet", "ever"}), "")
        start = self.sentence[i].start
        helped = said.split()[0] in _HELPING or said.endswith(("n't", "n’t"))
        helped = helped or (start > 0 and self.sentence.words[start - 1].lower in _HELPING)
        verb = any(part == "v" for _, part in get_lexicon().bases(behind))
        return helped and verb

    def _negated(self, i: int) -> bool:
        """“have not placed a phone order”: the rows are denied, not the value that says which."""
        return not self._says_which_rows(i) and super()._negated(i)

    def _says_which_rows(self, i: int) -> bool:
        """Whether a value stands before rows that are denied to somebody."""
        passed = (Op.OF, Op.FILLER, Op.EACH, Op.WITH)
        before = self.sentence.before(i, passed)
        verb = self._rows_done(before) if before is not None else None
        rows = verb or (self._rows_named(self.sentence[i + 1]) if self._is_rows_noun(i + 1) else None)
        if verb is not None and before is not None:
            before = self.sentence.before(before, passed)  # "never bought a desk"
        if rows is None or before is None or not self.sentence[before].op(Op.NOT, Op.WITHOUT):
            return False
        return self._owner(before, rows)[1] is not None

    def _rows_done(self, at: int) -> Metric | None:
        """The count of the rows that a verb makes."""
        table = self._done_in(self.sentence[at])
        return self.names.count_of_table(table) if table is not None else None

    def _passed(self, item: Item) -> bool:
        if item.values and not item.links:
            return any(v.at <= self.sentence.items.index(item) for v in self.values)
        filler = item.op(Op.FILLER, Op.OF, Op.EACH, Op.WITH) and not item.links
        return filler or item.text.lower() in _AUXILIARIES | {"yet", "ever"}

    def _rows_named(self, item: Item) -> Metric | None:
        """The count of the rows that a noun or its verb names."""
        link = item.named(LinkKind.TABLE)
        table = link.name if link is not None and link.quality >= SURE else self._done_in(item)
        if table is None or item.used:
            return None
        counts = (m for m in self.names.model.metrics if m.table == table and m.expression is None)
        return next((m for m in counts if m.aggregation is Aggregation.COUNT), None)

    def _done_in(self, item: Item) -> str | None:
        """The table that keeps what a verb does: who never bought anything has no sales, who was never admitted no admissions."""
        date = self.names.dimension(item, DimensionType.TIME) if item.links else None
        if date is not None and not date.nullable and get_lexicon().is_participle(item.text.lower()):
            table = date.home.table
            return table if self.names.model.table(table).time_dimension == date.name else None
        verb = item.association is not None and item.association.descending is None and not item.links
        return next((m.table for m in self.names.metrics(item)), None) if verb else None

    def _owner(self, before: int, rows: Metric) -> tuple[int | None, Dimension | None]:
        """The nearest things before that the rows point to, by the column that names them."""
        model = self.names.model
        for at in range(before - 1, -1, -1):
            name = self._things_named(at)
            if name is None:
                continue
            if name == rows.table:
                return None, None  # "loans that were not returned" lack a date, and are no owners of loans
            key = model.table(name).key
            thing = model.dimension(f"{name}.{key[0]}") if len(key) == 1 else None
            if thing is not None and thing.home.table == name and model.reaches(rows, thing):
                return at, thing
        return self._kind_of_thing(before, rows)

    def _kind_of_thing(self, before: int, rows: Metric) -> tuple[int | None, Dimension | None]:
        """“how many women have no visits”: a noun that is a value stands for the things that have it."""
        model = self.names.model
        for at in range(before - 1, 0, -1):
            homes = {model.dimension(v.dimension).home.table for v in self.sentence[at].values}
            home = homes.pop() if len(homes) == 1 and self.sentence[at - 1].op(Op.COUNT) else None
            key = model.table(home).key if home is not None and home != rows.table else ()
            thing = model.dimension(f"{home}.{key[0]}") if len(key) == 1 else None
            if thing is not None and thing.home.table == home and model.reaches(rows, thing):
                return at, thing
        return None, None

    def _things_named(self, at: int) -> str | None:
        """The table whose rows a noun names, or “number of members” counts."""
        item = self.sentence[at]
        link = item.named(LinkKind.TABLE)
        if link is not None:
            return link.name if link.quality >= SURE else None
        metric = item.named(LinkKind.METRIC)
        count = (
            self.names.model.metric(metric.name) if metric is not None and metric.quality >= SURE else None
        )
        plain = count is not None and count.aggregation is Aggregation.COUNT and count.expression is None
        return count.table if plain and count is not None and not count.where else None
