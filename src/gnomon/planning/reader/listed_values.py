"""Values in a question: lists of them, what they are excluded from or set against, and the noun that says what they are."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.planning.reader.condition_finder import ConditionFinder, ValueCondition
from gnomon.planning.reader.lattice import Item
from gnomon.planning.reader.operators import Op
from gnomon.planning.reader.words import name_words

COMPARATIVES = frozenset(
    {"more", "better", "higher", "bigger", "larger", "less", "fewer", "lower", "worse", "smaller"}
)


_STARTS = frozenset({"origin", "orig", "from", "start", "source", "departure", "dep", "pickup", "sender"})
_ENDS = frozenset({"destination", "dest", "to", "end", "target", "arrival", "arr", "dropoff", "receiver"})


def directed(preposition: str, labels: Sequence[str]) -> int | None:
    """Which of several columns of places a preposition leads to: where things start, or where they end."""
    named = {"from": _STARTS, "to": _ENDS, "into": _ENDS, "towards": _ENDS}.get(preposition)
    if named is None:
        return None
    words = [set(name_words(label)) for label in labels]
    fitting = [i for i, w in enumerate(words) if w & named]
    other = _ENDS if named is _STARTS else _STARTS
    opposed = any(w & other for i, w in enumerate(words) if i not in fitting)
    return fitting[0] if len(fitting) == 1 and opposed else None


class ValueFinder(ConditionFinder):
    """Finds values that rows must, or must not, have."""

    def _find_values(self) -> None:
        run: ValueCondition | None = None
        for i, item in self.sentence:
            if not self._is_value(i, item):
                continue
            continued = run if run and self._continues(run, i) else None
            if continued is not None:
                continued.choices.append(item.values)
                continued.texts.append(item.text)
                run = continued
            else:
                run = ValueCondition(i, [item.values], self._negated(i), texts=[item.text])
                self.values.append(run)
            item.used = True
            item.operator = None
            self._absorb_noun(run, i)
            run.hint = run.hint or self._directed(i, item)
            run.negated = run.negated or self._negated(i)
            run.absent = run.negated and self._is_absent(i)
        for run in self.values:
            run.hint = run.hint or self._stated(run)
        self._link_versus()

    def _is_absent(self, i: int) -> bool:
        """“machines that had no critical defects”: rows of another table that are not there, not other rows."""
        before = self.sentence.before(i, (Op.FILLER,))
        following = self.sentence[i + 1] if i + 1 < len(self.sentence) else None
        rows = (
            self._table_of(following)
            if following is not None and following.start == self.sentence[i].end
            else None
        )
        owners = {t for x in self.sentence.items[:i] if (t := self._table_of(x)) is not None}
        return (
            before is not None
            and self.sentence[before].op(Op.WITHOUT)
            and rows is not None
            and bool(owners - {rows})
        )

    def _is_value(self, i: int, item: Item) -> bool:
        if not item.values or item.used or item.time:
            return False
        spread = (
            0.08 if self.names.measure(item) is not None else 0.03
        )  # a measure is hardly meant as a word in a cell
        if item.links and item.links[0].quality >= item.values[0].score - spread:
            # "metric conversion", "status returned": the noun beside it says that the value is meant
            own = {v.dimension for v in item.values}
            return any(self._names_any(j, own) for j in (i - 1, i + 1)) or self._is_listed(i, own)
        return not (item.operator and item.values[0].score < 0.97)

    def _is_listed(self, i: int, own: set[str]) -> bool:
        """“paid or cancelled”: beside another state it is one too, whatever date it has."""
        for joint, other in ((i - 1, i - 2), (i + 1, i + 2)):
            if min(joint, other) >= 0 and max(joint, other) < len(self.sentence):
                joined = self.sentence[joint].op(Op.AND, Op.OR) and self.sentence[joint].text != ","
                if joined and own & {v.dimension for v in self.sentence[other].values if v.kind == "exact"}:
                    return True
        return False

    def _stated(self, run: ValueCondition) -> str | None:
        """“strongly agree that the service is reliable”: of columns with the same answers, the one that is spoken of."""
        shared = set.intersection(*({v.dimension for v in choice} for choice in run.choices))
        if len(shared) < 2:
            return None
        behind = range(self._last(run) + 1, len(self.sentence))
        named = [
            (j, d.name) for j in behind for d in self.names.dimensions(self.sentence[j]) if d.name in shared
        ]
        if len({d for _, d in named}) != 1:
            return None
        said = self.sentence[named[0][0]]
        if said.links[0].quality < (0.85 if said.end - said.start < 2 else 0.65):
            return None
        grouped = self.sentence.before(named[0][0], ())
        if grouped is not None and self.sentence[grouped].op(Op.BY, Op.EACH, Op.PER):
            return None
        self._use(named[0][0])
        return named[0][1]

    def _directed(self, i: int, item: Item) -> str | None:
        """“from A to B”: of two columns that hold a place, the one that says where things start, or where they end."""
        possible = list(
            dict.fromkeys(v.dimension for v in item.values if v.score >= item.values[0].score - 0.03)
        )
        before = self.sentence.words[item.start - 1].lower if item.start else ""
        if len(possible) < 2:
            return None
        place = directed(before, [self.names.model.dimension(d).label for d in possible])
        return possible[place] if place is not None else None

    def _names_any(self, i: int, dimensions: set[str]) -> bool:
        if not 0 <= i < len(self.sentence):
            return False
        return any(d.name in dimensions for d in self.names.dimensions(self.sentence[i]))

    def _continues(self, run: ValueCondition, i: int) -> bool:
        """Whether the value at ``i`` goes on with the list before it: A, B and C."""
        between = [
            j for j in range(self._last(run) + 1, i)
            if not self.sentence[j].op(Op.IN, Op.OF) and not self.sentence[j].used
        ]  # fmt: skip
        joints = [self.sentence[j] for j in between]
        if len(joints) > 2 or not all(j.op(Op.AND, Op.OR, Op.VERSUS) for j in joints):
            return False
        shared = {v.dimension for v in run.choices[-1]} & {v.dimension for v in self.sentence[i].values}
        if not shared:
            return False
        if any(j.op(Op.VERSUS) for j in joints):
            run.versus = True
        if any(j.op(Op.OR) for j in joints):
            run.joined = "or"
        elif joints and not run.joined:
            run.joined = "and"
        return bool(joints) or self.sentence[i].start - self.sentence[self._last(run)].end == 0

    def _last(self, run: ValueCondition) -> int:
        at = [j for j, item in self.sentence if any(item.values is c for c in run.choices)]
        return at[-1]

    def _absorb_noun(self, run: ValueCondition, i: int) -> None:
        """“the West region”, “region West”: the noun only says what the value is."""
        possible = {v.dimension for choice in run.choices for v in choice}
        denied = (Op.NOT, Op.EXCLUDE) if i and self.sentence[i - 1].op(Op.NOT, Op.EXCLUDE) else ()
        left = self.sentence.before(i, (Op.OF, Op.EQUALS, Op.IN, *denied))  # "a grade other than S"
        for j in (self.sentence.after(i, ()), left):
            if j is None or self.sentence[j].used or not self.sentence[j].links:
                continue
            noun = self.sentence[j]
            named = [d for d in self.names.dimensions(noun) if d.name in possible]
            before = self.sentence.before(j, ())
            grouped = before is not None and self.sentence[before].op(
                Op.BY, Op.EACH, Op.PER, Op.WHICH, Op.COUNT, Op.DISTINCT
            )
            if named and not grouped and self._beside(i, j):
                run.hint = named[0].name
                noun.used = True
                return
            table = self._table_of(noun)
            if table and not grouped and run.hint is None:
                at_home = [d for d in possible if self.names.model.dimension(d).home.table == table]
                run.hint = at_home[0] if len(at_home) == 1 else None

    def _compares(self) -> bool:
        """“do members or casual riders ride longer”: a comparative that no number follows."""
        bounds = [x for _, x in self.sentence if x.op(Op.COMPARE_NUMBER, Op.OR_MORE)]  # "4 or higher"
        bound = {k for x in bounds for k in range(x.start, x.end)}
        if any(w.lower in COMPARATIVES and k not in bound for k, w in enumerate(self.sentence.words)):
            return True
        return any(
            item.association is not None and item.association.comparative
            and not (i + 1 < len(self.sentence) and self.sentence[i + 1].op(Op.VERSUS))
            for i, item in self.sentence
        )  # fmt: skip

    def _compare_values(self, left: ValueCondition, right: ValueCondition, between: range) -> None:
        """“is it higher in A than in B”, “are A worth more than B”: a comparing word, and a value behind it."""
        shared = {v.dimension for c in left.choices for v in c} & {
            v.dimension for c in right.choices for v in c
        }
        for j in between:
            item = self.sentence[j]
            following = self.sentence.after(j, (Op.OF, Op.IN, Op.FILLER, Op.THAT, Op.THOSE))
            if following is not None and self._is_repeated(following, j):
                following = self.sentence.after(following, (Op.OF, Op.IN, Op.FILLER, Op.THAT, Op.THOSE))
            if shared and item.op(Op.COMPARE_NUMBER) and following == right.at:
                item.used = left.versus = right.versus = True

    def _is_repeated(self, at: int, before: int) -> bool:
        """“did revenue in A exceed revenue in B”: the same name, said again."""
        named = {(x.kind, x.name) for x in self.sentence[at].links[:1]}
        return any(
            named and named == {(x.kind, x.name) for x in self.sentence[j].links[:1]} for j in range(before)
        )

    def _sets_against(self) -> bool:
        """Whether things are set against each other; “heavier than 20” only bounds."""
        return any(
            j + 1 >= len(self.sentence) or self.sentence[j + 1].number is None
            for j in self.sentence.find(Op.VERSUS)
        )

    def _link_versus(self) -> None:
        """Values that the question sets against each other, in one list or in two."""
        for run in self.values:
            comparing = run.joined == "or" and self._compares()
            if run.joined and (comparing or self._sets_against()) and not run.negated:
                run.versus = True
        for left, right in zip(self.values, self.values[1:], strict=False):
            between = range(self._last(left) + 1, right.at)
            self._compare_values(left, right, between)
            if any(self.sentence[j].op(Op.VERSUS) for j in between) or (
                self._sets_against()
                and all(
                    self.sentence[j].op(Op.AND, Op.VERSUS, Op.IN, Op.OF) or self.sentence[j].links
                    for j in between
                )
                and any(self.sentence[j].op(Op.AND, Op.VERSUS) for j in between)
            ):
                left.versus = right.versus = True
