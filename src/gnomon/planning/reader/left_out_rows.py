"""Steps that leave rows out: those that lack a value, that say the same as another one, or that lie far from the rest."""

from __future__ import annotations

import re

from gnomon.core.parts import Filter, FilterOperator
from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader import shape_words as said
from gnomon.planning.reader.said_columns import Said
from gnomon.planning.reader.step_words import Change, StepClauses, listed, opens
from gnomon.planning.reader.task_steps import sentences_of, steps_of
from gnomon.semantic.derived import Derived, column_in

_LEAVE = r"\b(?:drop|remov|exclud|discard|delet|eliminat|ignor|omit|filter)(?:e|ing|ping|ting|ed|es|s)?\b(?:\s+out)?"
_DROP = regex(
    rf"{_LEAVE}(?P<what>[^,;]*?\b(?:missing|null|nan|empty|unknown)\b.*)$", re.IGNORECASE | re.DOTALL
)
_TWICE = regex(
    rf"{_LEAVE}\s+(?:(?:any|all|the|exact)\s+)*(?:duplicates?|duplicated|repeated)(?:\s+(?:rows?|records?|entries|observations|lines|data))?"
    r"(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_FAR = regex(
    rf"(?:\b(?:identify|detect|find|locate|check\s+for)(?:ing)?\s*(?:and|,|then|&)?\s*(?:then\s+)?)?{_LEAVE}\s+(?:(?:any|all|the|potential|extreme|statistical|possible|those)\s+)*"
    rf"(?:{said.OUTLIER})(?:\s+values?)?\s+(?:(?:that\s+are\s+)?(?:present\s+)?(?:in|from|of|for|on|based\s+on))\s+(?P<of>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ROWS = late_pattern(r"\b(?:rows?|records?|entries|observations|values|lines|data)\b", re.IGNORECASE)
_MODIFIED = late_pattern(
    r"\b(?:modified\s+z|isolation\s+forest|local\s+outlier|lof|dbscan|mahalanobis|percentiles?|winsori[sz]\w*)\b",
    re.IGNORECASE,
)
_ABOUT_THEM = late_pattern(
    rf"{said.OUTLIER}|\b(?:removed|dropped|excluded|left|remain\w*|them|they)\b", re.IGNORECASE
)


def then_without_outliers(question: str) -> str | None:
    """“Remove outliers in X. What is its mean?” as a question about values without outliers; None for any other."""
    steps = [step for sentence in sentences_of(question) for step in steps_of(sentence)]
    far = [i for i, step in enumerate(steps) if opens(_FAR, step) is not None]
    asked = " ".join(steps[far[0] + 1 :]) if far == [0] else ""
    if not asked.strip(" .?!") or _ABOUT_THEM.search(asked):
        return None
    return f"{steps[0].rstrip(' .;')}. After removing the outliers, {asked[0].lower()}{asked[1:]}"


def only_finds_outliers(question: str) -> bool:
    """Whether a task removes outliers and asks about them, or about nothing else."""
    steps = [step for sentence in sentences_of(question) for step in steps_of(sentence)]
    others = [
        s
        for s in steps
        if opens(_FAR, s) is None and not (said.DEFINED.search(s) and said.ABOUT_RULE.search(s))
    ]
    return len(others) < len(steps) and all(_ABOUT_THEM.search(s) for s in others)


class LeftOutRows(StepClauses):
    """Reads clauses that leave rows out."""

    def read(self, clause: str) -> Change | None:
        """What a clause leaves out; None where it leaves nothing out, or something that is not understood."""
        if (match := opens(_TWICE, clause)) is not None:
            return self._once(match["rest"])
        if (match := opens(_FAR, clause)) is not None:
            return self._near(clause, match["of"])
        if (match := opens(_DROP, clause)) is not None:
            return self._known(match["what"])
        return None

    def _known(self, what: str) -> Change | None:
        if re.search(r"(?<!\w)\d", what):
            return Change(
                refused="rows can only be left out by what they lack, not by further numbers, in one go"
            )
        columns = self.named(what)
        if not columns and not _ROWS.search(what):
            return None
        if not columns:
            if self._out and re.search(r"\b(?:the|these|those|such)\b", what, re.IGNORECASE):
                return Change()  # what an earlier step left out
            if len(self._model.tables) != 1:
                return None
            held = [d for d in self._model.dimensions if d.nullable]
            if not held:
                return Change(told=("no value is missing, so no row was left out for it",))
            self._out.extend([f"missing({column_in(d.home.column)})" for d in held])
            filters = tuple(Filter(field=d.name, operator=FilterOperator.NOT_NULL) for d in held)
            return Change(filters=filters, told=("rows that lack any value were left out",))
        whole = [c for c in columns if not c.dimension.nullable]
        told = [f"no value of {c.dimension.label} is missing, so no row was left out for it" for c in whole]
        columns = [c for c in columns if c.dimension.nullable]
        self._out.extend([f"missing({c.expression})" for c in columns])
        filters = tuple(Filter(field=c.dimension.name, operator=FilterOperator.NOT_NULL) for c in columns)
        if columns:
            told.append(f"rows without {listed([c.dimension.label for c in columns], 'or')} were left out")
        return Change(filters=filters, told=tuple(told), about=tuple(c.dimension.label for c in columns))

    def _once(self, rest: str) -> Change | None:
        if len(self._model.tables) != 1 or self.left(rest):
            return None
        table = self._model.tables[0]
        if self.named(rest):
            return Change(refused="repeated rows can only be told by all of their columns here")
        if table.key:
            told = "no row says the same as another one, so none was left out for that"
            return Change(told=(told,), surely=True)
        columns = [d.at(table.name) for d in self._model.dimensions if d.via is None]
        written = f"repeated({', '.join(dict.fromkeys(column_in(c) for c in columns if c is not None))})"
        if len(written) > 1_500:
            return Change(refused="rows with so many columns cannot be compared with each other here")
        told = "rows that say the same as another one were counted once"
        self._out.append(written)
        filters = (_none(table.name, "earlier row like it", written.replace("repeated(", "again(", 1)),)
        return Change(filters=filters, told=(told,), surely=True)

    def _near(self, clause: str, of: str) -> Change | None:
        if other := _MODIFIED.search(clause):
            return Change(refused=f"outliers cannot be told by “{other.group()}” here")
        for rule in said.RULES:
            of = rule.sub(" ", of)
        columns = [c for c in self.named(of) if c.is_number]
        if not columns or self.left(of):
            return None
        rule, factor = said.rule_said(clause)
        filters = tuple(self._bounded(c, rule or "iqr", factor) for c in columns)
        names = [c.dimension.label for c in columns]
        told = f"rows that are outliers in {listed(names, 'or')} {_told(rule, factor)} were left out"
        return Change(filters=filters, told=(told,), about=tuple(names), surely=True)

    def _bounded(self, column: Said, rule: str, factor: float | None) -> Filter:
        own, seen = column.expression, self.over(column.expression)
        if rule == "zscore":
            middle, step = f"mean_of({seen})", f"{factor or 3.0!r} * spread_of({seen})"
            bounds = f"{middle} - {step}, {middle} + {step}"
        else:
            low, high = f"quantile_of({seen}, 0.25)", f"quantile_of({seen}, 0.75)"
            step = f"{factor or 1.5!r} * ({high} - {low})"
            bounds = f"{low} - {step}, {high} + {step}"
        self._out.append(f"outlying({own}, {bounds})")
        return _none(column.table, f"outlier in {column.dimension.label}", f"beyond({own}, {bounds})")


def _none(table: str, name: str, written: str) -> Filter:
    """The condition that rows do not have what an expression tells."""
    return Filter(field=f"{table}.{Derived(name, written).spelling}", operator=FilterOperator.IS_NULL)


def _told(rule: str | None, factor: float | None) -> str:
    if rule == "zscore":
        return f"by the z-score rule (beyond {factor or 3:g} standard deviations from the mean)"
    return f"by the quartile rule (beyond {factor or 1.5:g} interquartile ranges from the quartiles)"
