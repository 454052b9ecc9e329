"""Numbers that people and places have: players under 21, the third floor, year groups 7 to 9."""

from __future__ import annotations

from gnomon.core.parts import Filter, FilterOperator
from gnomon.planning.reader.condition_finder import NumberCondition
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.naming import head_of
from gnomon.planning.reader.occurrences import Occurrences
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.people import is_person_noun
from gnomon.planning.reader.words import name_words
from gnomon.semantic import Dimension, DimensionType
from gnomon.semantic.model import singular

_F = FilterOperator
_TENS = {
    name: 10 * n
    for n, word in enumerate(
        ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties"), 2
    )
    for name in (word, f"{10 * n}s")
}


_DEEDS = frozenset(
    verb
    for forms in ("take takes took taken", "come comes came", "go goes went gone", "get gets got", "give gives gave given",
                  "make makes made", "do does did done", "use uses used", "need needs needed", "see saw seen", "wait waited")
    for verb in forms.split()
)  # fmt: skip


class NumberedThings(Occurrences):
    """Finds the ages of people and the numbers of places and groups."""

    def _find_decades(self) -> None:
        """“people in their thirties”: ten years of age."""
        words = [w.lower for w in self.sentence.words]
        for k in range(2, len(words)):
            tens = _TENS.get(words[k])
            if tens is None or words[k - 2 : k] not in (["in", "their"], ["in", "her"], ["in", "his"]):
                continue
            nouns = [j for j, x in self.sentence if x.end <= k - 2 and (x.links or x.values)]
            age = next((d for j in reversed(nouns) if (d := self._age_of(j)) is not None), None)
            if age is not None:
                self.filters.append(
                    (nouns[-1], Filter(field=age.name, operator=_F.BETWEEN, values=(tens, tens + 9)))
                )
                self._hear([k])
                self._use(*(j for j, x in self.sentence if x.start == k))

    def _age_of(self, at: int) -> Dimension | None:
        """The age column of the table whose rows, or whose persons, a noun names."""
        item = self.sentence[at]
        table = self._table_of(item)
        person = self.names.dimension(item, DimensionType.ID) if is_person_noun(item.text) else None
        coded = [v.dimension for v in item.values if v.dimension in self.names.vocabulary.sexes]
        person = self.names.model.dimension(coded[0]) if coded else person  # "women over 60"
        table = person.home.table if person is not None else table
        ages = [
            d
            for d in self.names.model.dimensions
            if d.type is DimensionType.NUMBER and head_of(d.label) == "age"
        ]
        owned = next((d for d in ages if _is_owned(d, item)), None)
        return next((d for d in ages if table is not None and d.at(table)), owned)

    def _is_person_nearer(self, field_at: int, start: int) -> bool:
        """“the fare of riders under 30”: whether those whose age is known stand between a bound and a measure."""
        near = self.sentence.before(start, (Op.FILLER,))
        if near is None or near <= field_at:
            return False
        item, age = self.sentence[near], self._age_of(near) if self.sentence[near].links else None
        return age is not None and (is_person_noun(item.text) or _is_owned(age, item))

    def _is_of_others(self, end: int) -> bool:
        """“policies with more than 2 claims”: a plural right behind the number is what it counts, known or not."""
        at = self.sentence[end].end
        word = self.sentence.words[at] if at < len(self.sentence.words) else None
        said = word.lower if word is not None and word.kind == "word" else ""
        return said.endswith("s") and said not in {"years", "yrs", "is", "was", "has", "s", "as", "versus"}

    def _aged(
        self, i: int, start: int, end: int, operator: FilterOperator, values: tuple[float, ...]
    ) -> NumberCondition | None:
        """“players under 21”: a bare bound on people is one on their age; a verb between says what else it bounds."""
        following = self.sentence[end + 1] if end + 1 < len(self.sentence) else None
        if following is not None and following.op(Op.UNIT) and not following.text.lower().startswith("year"):
            return None
        if self._is_of_others(end):
            return None
        first, adjective = self.sentence[start].start, self.sentence[start].association
        lasting = bool(first) and self.sentence.words[first - 1].lower == "for"
        other = adjective is not None and "age" not in adjective.nouns
        if self.unit_said(start, end) not in (None, "year") or lasting or other:
            return None  # "for more than 10 years" is how long, not how old
        near = [j for j in range(start - 1, -1, -1) if not self.sentence[j].op(Op.AND, Op.OR, Op.IN, Op.THAT)]
        near = [j for j in near if not (self.sentence[j].used and self.sentence[j].values)] + near
        for j in near[:3]:
            if self.sentence[j].association is not None and not self.sentence[j].links:
                return None
            age = self._age_of(j) if self.sentence[j].links or self.sentence[j].values else None
            if age is not None and all(0 < v < 130 for v in values) and not self._does(j, start):
                self._use(*range(start, end + 1))
                return NumberCondition(i, operator, values, False, None, age, None, None, None)
        return None

    def _does(self, noun: int, bound: int) -> bool:
        """“employees who took more than 20”: between people and a number a verb speaks of something else than their age."""
        words = self.sentence.words[self.sentence[noun].end : self.sentence[bound].start]
        return any(w.lower in _DEEDS for w in words)

    def _numbered(self, item: Item) -> Dimension | None:
        """A column of groups that are numbers: “year groups 7 to 9”."""
        dimension = self.names.dimension(item, DimensionType.CATEGORY)
        if dimension is None or item.links[0].name != dimension.name:
            return None
        held = self.index.values(dimension.name)
        return dimension if held and all(isinstance(v, int | float) for v in held) else None

    def _is_coded(self, i: int) -> bool:
        """“4 cylinders”, of 3, 4, 6 and rotary: whether a number before a column of texts is one of them; filters by it."""
        item, j = self.sentence[i], i + 1
        if j >= len(self.sentence) or item.number is None or item.number.percent or not self._beside(i, j):
            return False
        bounding = (Op.COMPARE_NUMBER, Op.OR_MORE, Op.BETWEEN, Op.OUTSIDE, Op.RANK, Op.VERSUS, Op.AND, Op.OR)
        beside = [self.sentence[k] for k in (i - 1, j + 1) if 0 <= k < len(self.sentence)]
        noun = self.sentence[j]
        if (
            not noun.links
            or any(b.op(*bounding) for b in beside[:1])
            or any(b.op(Op.OR_MORE) for b in beside[-1:])
        ):
            return False
        column = self.names.dimension(noun, DimensionType.CATEGORY)
        code = f"{item.number.value:g}"
        if column is None or noun.links[0].name != column.name or code not in self.index.values(column.name):
            return False
        condition = Filter(field=column.name, operator=_F.EQUALS, values=(code,))
        self.filters.append((i, condition))
        self._use(i, j)
        return True

    def _find_ordinals(self) -> None:
        """“third class”: an ordinal right before a column of numbers is one of them."""
        for i in self.sentence.find(Op.ORDINAL):
            item = self.sentence[i]
            j = i + 1
            if item.used or item.operator is None or j >= len(self.sentence) or not self.sentence[j].links:
                continue
            dimension = self.names.dimension(self.sentence[j], DimensionType.NUMBER, DimensionType.CATEGORY)
            held = (
                {str(v) for v in self.index.values(dimension.name)} if dimension is not None else set[str]()
            )
            if dimension is None or (held and str(item.operator.payload) not in held):
                continue
            after = self.sentence[j + 1] if j + 1 < len(self.sentence) else None
            more = after.operator if after is not None and after.op(Op.OR_MORE) else None
            operator = more.payload if more is not None else _F.EQUALS
            condition = Filter(field=dimension.name, operator=operator, values=(int(item.operator.payload),))
            self.filters.append((i, condition))
            self._use(i, j, *((j + 1,) if more is not None else ()))


def _is_owned(age: Dimension, item: Item) -> bool:
    """“riders”, of a rider age."""
    return list(name_words(age.label)[:-1]) == [singular(item.text.lower())]
