"""Arithmetic over the columns of a row, in words or as a formula: “the difference between A and B”, “(A - B) / C”."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gnomon.core.query import TimeGranularity
from gnomon.planning.reader.row_tokens import Token, number_of, tokens_of
from gnomon.planning.reader.row_words import (
    ARTICLES,
    ENDING,
    FUNCTIONS,
    HEADS,
    INFIX_BY_FIRST,
    INSIDE,
    LEADING,
    LISTS,
    LONGEST_NAME,
    SPOKEN,
    STEP,
    STEPS,
    WHOLE,
    Expression,
    is_apart,
    is_date,
    is_number,
)
from gnomon.planning.reader.said_columns import Said, SaidColumns
from gnomon.semantic import DimensionType, SemanticModel
from gnomon.semantic.derived import column_in

DEEPEST = 20  # sums of sums: nobody says more of them within each other


class RowArithmetic:
    """Reads arithmetic over columns out of one question.

    Args:
        question: The words.
        columns: The columns that it may speak of.
        model: What the tables mean.
    """

    def __init__(self, question: str, columns: SaidColumns, model: SemanticModel) -> None:
        self.question = question
        self.tokens: Sequence[Token] = tokens_of(question)
        self._columns = columns
        self._model = model
        self._last: Said | None = None
        self._operands: dict[int, Expression | None] = {}
        self._depth = 0

    def said(self, at: int) -> str:
        """The token there, folded; nothing behind the end."""
        return self.tokens[at].plain if 0 <= at < len(self.tokens) else ""

    def follows(self, at: int, words: Sequence[str]) -> bool:
        """Whether the words stand there."""
        return all(self.said(at + i) == w for i, w in enumerate(words))

    def read(self, at: int, least: int = 0) -> Expression | None:
        """The longest expression that begins at a token; None where none does."""
        left = self._operand(at)
        while left is not None:
            found = next(
                (
                    (w, *sign)
                    for w, sign in INFIX_BY_FIRST.get(self.said(left.end), ())
                    if self.follows(left.end, w) and sign[1] > least
                ),
                None,
            )
            if found is None:
                break
            words, sign, power = found
            right = self.read(left.end + len(words), power)
            joined = self.joined(sign, left, right) if right is not None else None
            if joined is None:
                break
            left = joined
        return left

    def joined(self, sign: str, left: Expression, right: Expression) -> Expression | None:
        """Two expressions with a sign between them; days between dates, where both are dates."""
        if {*(c.table for c in left.columns), *(c.table for c in right.columns)} - {
            left.table or right.table
        }:
            return None
        dated = [is_date(e) for e in (left, right)]
        columns = (*left.columns, *right.columns)
        label = f"{left.label} {SPOKEN[sign]} {right.label}"
        if sign == "-" and all(dated):
            return Expression(f"days({left.text}, {right.text})", label, columns, right.end)
        if any(dated) or not all(is_number(e) for e in (left, right)):
            return None
        power = 1 if sign in "+-" else 2
        a = left.text if left.power >= power else f"({left.text})"
        b = right.text if right.power > power else f"({right.text})"
        return Expression(f"{a} {sign} {b}", label, columns, right.end, power)

    def listed(self, at: int, between: frozenset[str]) -> list[Expression]:
        """Operands with commas and words such as “and” between them; the first may leave out a shared last noun."""
        found: list[Expression] = []
        while True:
            operand = self._operand(at) or (self._cut_short(at, between) if not found else None)
            if operand is None:
                return found
            found.append(operand)
            at = operand.end
            if self.said(at) not in between | {","}:
                return found
            while self.said(at) in between | {","}:
                at += 1

    def _cut_short(self, at: int, between: frozenset[str]) -> Expression | None:
        """“the high and the low price”: the noun that the second has holds for the first."""
        start = self._past(at, ARTICLES)
        for k in range(start + 1, min(start + 4, len(self.tokens))):
            if self.said(k) not in between | {","}:
                continue
            other = self._operand(self._past(k, between | {","} | ARTICLES))
            if other is None or len(other.columns) != 1:
                return None
            tail = self.tokens[other.end - 1].text
            said = self._columns.find(f"{self._text(start, k)} {tail}", [other.columns[0].table])
            return self._of(said, k) if said is not None else None
        return None

    def _operand(self, at: int) -> Expression | None:
        at = self._past(at, ARTICLES)
        if at in self._operands:
            return self._operands[at]
        if self._depth >= DEEPEST:
            return None
        self._depth += 1
        found = self._read_operand(at)
        self._depth -= 1
        if self.said(at) not in (
            "each",
            "every",
            "individual",
        ):  # what that is depends on what was said before
            self._operands[at] = found
        return found

    def _read_operand(self, at: int) -> Expression | None:
        if at >= len(self.tokens):
            return None
        token = self.tokens[at]
        if token.kind == "number":
            return Expression(repr(number_of(token)), token.text, (), at + 1)
        if token.plain == "(":
            inner = self.read(at + 1)
            closed = inner is not None and self.said(inner.end) == ")"
            if inner is not None and closed:
                label = f"({inner.label})" if inner.power < 9 else inner.label
                return replace(inner, text=f"({inner.text})", label=label, end=inner.end + 1, power=9)
            return None
        column = self._column(at)
        for phrase in (
            self._function,
            self._change,
            self._of_all,
            self._word_for_column,
            self._time_between,
            self._in_words,
        ):
            if phrase == self._in_words and column is not None and column.end > at + 1:
                break  # "total bill and tip": the word for arithmetic is part of a column's name
            found = phrase(at)
            if found is not None and (column is None or found.end > column.end):
                return found
        return column

    def _in_words(self, at: int) -> Expression | None:
        """“the difference between A and B”, “the sum of A, B and C”, “multiplying A by B”, “the ratio of A to B”."""
        absolute = self.said(at) == "absolute"
        begin = at + absolute
        head, rest = self.said(begin), self._past(begin + 1, LEADING)
        if head in ("difference", "differences", "gap", "spread") and self.said(begin + 1) in (
            "between",
            "of",
            "in",
        ):
            pair = self._pair(self.listed(begin + 2, frozenset({"and"})))
            made = self.joined("-", pair[0], pair[1]) if len(pair) == 2 else None
            if made is None:
                return None
            text = f"absolute({made.text})" if absolute else made.text
            label = f"{'absolute ' if absolute else ''}difference between {pair[0].label} and {pair[1].label}"
            return replace(made, text=text, label=label, power=9 if absolute else made.power)
        for heads, sign, between in LISTS:
            if head in heads:
                return self._folded(sign, self.listed(rest, between))
        if head in ("subtracting", "subtraction", "subtract", "deducting"):
            return self._from(rest)
        if head in ("average", "mean") and len(pair := self.listed(rest, frozenset({"and"}))) > 1:
            text = f"mean_across({', '.join(e.text for e in pair)})"
            label = f"average of {' and '.join(e.label for e in pair)}"
            return replace(
                pair[-1], text=text, label=label, columns=tuple(c for e in pair for c in e.columns), power=9
            )
        return None

    def _pair(self, operands: list[Expression]) -> list[Expression]:
        """The first two of what “and” joins: in “the difference of A and B and C”, C is something else."""
        listed = len(operands) > 1 and self.said(operands[0].end) == ","
        return operands if listed else operands[:2]

    def _folded(self, sign: str, operands: list[Expression]) -> Expression | None:
        if len(operands) < 2 or (sign in "/-" and len(operands) != 2):
            return None
        made: Expression | None = operands[0]
        for operand in operands[1:]:
            made = self.joined(sign, made, operand) if made is not None else None
        return made

    def _from(self, at: int) -> Expression | None:
        """“subtracting A from B” is B minus A."""
        less = self._operand(at)
        if less is None or self.said(less.end) != "from":
            return None
        self._last = less.columns[0] if less.columns else None
        of = self._operand(less.end + 1)
        made = self.joined("-", of, less) if of is not None else None
        return replace(made, end=of.end) if made is not None and of is not None else None

    def _function(self, at: int) -> Expression | None:
        """“the logarithm of A”, “the hour of A”, “length(A)”."""
        for table, needs_date in FUNCTIONS:
            for words, function in table.get(self.said(at), ()):
                if not self.follows(at, words):
                    continue
                inner = self._inside(at + len(words)) or (
                    self._moment(at + len(words)) if needs_date else None
                )
                if inner is None or len(inner.columns) != 1 or needs_date != is_date(inner):
                    continue
                text = f"{function}({inner.text})"
                return replace(inner, text=text, label=f"{' '.join(words)} of {inner.label}", power=9)
        return None

    def _moment(self, at: int) -> Expression | None:
        """“the hour of the day when each event occurred”: of the one moment that rows have."""
        if self.said(at) == "(":
            at = next((i + 1 for i in range(at, len(self.tokens)) if self.said(i) == ")"), at)
        when = self.said(at) == "when" or (
            self.said(at) in ("at", "in", "on") and self.said(at + 1) == "which"
        )
        table = self._model.tables[0] if len(self._model.tables) == 1 else None
        if not when or table is None or table.time_dimension is None:
            return None
        end = next((i for i in range(at, len(self.tokens)) if self.said(i) in ENDING), len(self.tokens))
        time = self._model.dimension(table.time_dimension)
        said = Said(table.name, time.home.column, time)
        return self._of(said, end) if time.home.table == table.name and not time.beside else None

    def _inside(self, at: int) -> Expression | None:
        if self.said(at) in ("of", "from", "in", "for"):
            return self._operand(at + 1)
        return self._operand(at) if self.said(at) == "(" else None

    def _of_all(self, at: int) -> Expression | None:
        """“the mean of A”, as part of arithmetic: one figure of the whole column."""
        deviation = self.follows(at, ("standard", "deviation"))
        how = "std_of" if deviation else WHOLE.get(self.said(at))
        at += 2 if deviation else 1
        at += self.said(at) in ("value", "values")
        if how is None or self.said(at) not in ("of", "in", "("):
            return None
        inner = self._operand(at + (self.said(at) != "("))
        if inner is None or len(inner.columns) != 1 or inner.is_made or not is_number(inner):
            return None
        if len(self.listed(at + 1, frozenset({"and"}))) > 1:
            return None
        return replace(inner, text=f"{how}({inner.text})", label=f"the {how[:-3]} of {inner.label}", power=9)

    def _word_for_column(self, at: int) -> Expression | None:
        """“each value in that column”: the column that was named before."""
        if self.said(at) not in ("each", "every", "individual") or self.said(at + 1) not in (
            "value",
            "entry",
        ):
            return None
        end = at + 2
        if self.said(end) in ("in", "of") and self.said(end + 1) in ("that", "this", "the"):
            end += 2
            end += self.said(end) in HEADS
        elif self.said(end) in ("in", "of"):
            named = self._operand(end + 1)
            return named if named is not None and not named.is_made else None
        return self._of(self._last, end) if self._last is not None else None

    def _change(self, at: int) -> Expression | None:
        """“the percentage change in A from the previous day”, “the change of A since the day before”."""
        step, at = self._step(at)
        relative = self.said(at) in ("percentage", "percent", "relative", "%", "pct")
        begin = at + relative
        falls = self.said(begin) in ("decrease", "drop", "fall", "decline")
        if (
            self.said(begin)
            not in ("change", "changes", "difference", "growth", "return", "increase", "rise", "gain")
            and not falls
        ):
            return None
        if self.said(begin + 1) not in ("in", "of"):
            return None
        of = self._operand(begin + 2)
        end = self._before(of.end) if of is not None else None
        if of is None or len(of.columns) != 1 or of.is_made or not is_number(of):
            return None
        if end is None and (step is None or step is not self._ticks(of.columns[0].table)):
            return None
        order = self._ordered(of.columns[0].table)
        if order is None:
            return None
        previous = f"previous({of.text}, {order})"
        text = f"percent({of.text} / {previous} - 1)" if relative else f"{of.text} - {previous}"
        text = f"-({text})" if falls else text
        what = "decrease" if falls else "change"
        label = f"{STEP}{'relative ' if relative else ''}{what} in {of.label}"
        return replace(
            of, text=text, label=label, end=end or of.end, power=9 if relative and not falls else 1
        )

    def _step(self, at: int) -> tuple[TimeGranularity | None, int]:
        """“daily”, “one-day”, “day-over-day” before a change, and where it begins then."""
        if (found := STEPS.get(self.said(at))) is not None:
            return found, at + 1
        for words in (("one", "-"), ("single", "-"), ("one",), ("single",)):
            if self.follows(at, words) and self.said(at + len(words)) in set(TimeGranularity):
                return TimeGranularity(self.said(at + len(words))), at + len(words) + 1
        over = self.said(at) in set(TimeGranularity) and self.said(at + 2) in ("over", "to", "on")
        if over and self.said(at + 4) == self.said(at):
            return TimeGranularity(self.said(at)), at + 5
        return None, at

    def _ticks(self, table: str) -> TimeGranularity | None:
        """How often the rows of a table come."""
        name = self._model.table(table).time_dimension
        return self._model.dimension(name).grain if name is not None else None

    def _before(self, at: int) -> int | None:
        """Where “from the previous day”, “compared to the row before”, “day over day” ends; None where it is not said."""
        if self.said(at) in ("price", "value"):
            at += 1
        begin = at
        while self.said(at) in (
            "from",
            "since",
            "compared",
            "relative",
            "to",
            "with",
            "over",
            "versus",
            "the",
            "its",
            "on",
        ):
            at += 1
        if self.said(at) in ("previous", "prior", "preceding"):
            return at + 1 + (self.said(at + 1) not in ("", ".", ",", "?"))
        if self.said(at + 1) == "before" and at > begin:
            return at + 2
        return (
            at + 3
            if self.said(at + 1) in ("over", "to", "by") and self.said(at) == self.said(at + 2)
            else None
        )

    def _ordered(self, table: str) -> str | None:
        """By what the rows of a table come one after another, and within what; None where nothing says so."""
        meaning = self._model.table(table)
        time = self._model.dimension(meaning.time_dimension) if meaning.time_dimension else None
        column = time.at(table) if time is not None else None
        if time is None or column is None or time.beside:
            return None
        if meaning.key == (column,) or (time.distinct or 0) == meaning.rows:
            return column_in(column)
        others = [c for c in meaning.key if c != column]
        return ", ".join(map(column_in, (column, *others))) if column in meaning.key and others else None

    def _time_between(self, at: int) -> Expression | None:
        """“the number of days between A and B”, “hours from A to B”."""
        begin = at + 2 if self.follows(at, ("number", "of")) else at
        unit = {"day": "days", "hour": "hours", "minute": "minutes", "time": "days", "duration": "days"}.get(
            self.said(begin).removesuffix("s")
        )
        joins = {"between": frozenset({"and"}), "from": frozenset({"to", "until"})}.get(self.said(begin + 1))
        if unit is None or joins is None:
            return None
        pair = self.listed(begin + 2, joins)
        if len(pair) != 2 or not all(map(is_date, pair)) or pair[0].table != pair[1].table:
            return None
        text = f"{unit}({pair[1].text}, {pair[0].text})"
        label = f"{unit} from {pair[0].label} to {pair[1].label}"
        return Expression(text, label, (*pair[0].columns, *pair[1].columns), pair[1].end)

    def _column(self, at: int) -> Expression | None:
        """The column that the most tokens from there name."""
        for end in range(min(len(self.tokens), at + LONGEST_NAME), at, -1):
            span = self.tokens[at:end]
            quoted = span[0].kind == "quoted" and all(t.plain in HEADS for t in span[1:])
            if any(t.plain in ENDING or (t.kind == "quoted" and not quoted) for t in span):
                continue
            text = self._text(at, end)
            loose = any(t.plain in INSIDE or (t.kind == "sign" and is_apart(t, self.question)) for t in span)
            if (loose or span[-1].plain in ARTICLES - HEADS) and not self._is_heading(text):
                continue
            said = self._columns.find(text)
            if said is not None:
                return self._of(said, end)
        return None

    def _is_heading(self, text: str) -> bool:
        found = self._columns.find(text)
        return found is not None and found.column.casefold() == text.casefold()

    def _of(self, said: Said, end: int) -> Expression:
        while self.said(end) in HEADS:
            end += 1
        self._last = said
        written = said.dimension.written
        text = said.expression
        if said.dimension.type is DimensionType.TIME and written is not None:
            text = f"moment({text}, '{written.value}')"
        return Expression(text, said.dimension.label, (said,), end)

    def _past(self, at: int, words: frozenset[str]) -> int:
        while self.said(at) in words and self.tokens[at].kind != "quoted":
            at += 1
        return at

    def _text(self, start: int, end: int) -> str:
        return self.question[self.tokens[start].start : self.tokens[end - 1].end]
