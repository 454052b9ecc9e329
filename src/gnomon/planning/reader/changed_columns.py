"""Clauses that change a column before anything is computed: missing values filled in, numbers scaled, logarithms taken."""

from __future__ import annotations

import re
from collections.abc import Callable

from gnomon.core.patterns import late_pattern, regex
from gnomon.planning.reader.left_out_rows import LeftOutRows
from gnomon.planning.reader.recoded_columns import RecodedColumns
from gnomon.planning.reader.said_columns import Said, SaidColumns
from gnomon.planning.reader.step_words import Change, StepClauses, listed, opens
from gnomon.semantic import SemanticModel
from gnomon.semantic.values import ValueIndex

_FILL = regex(
    r"\b(?:fill|imput|replac|handl|substitut|deal(?:ing)?\s+with|treat|clean)(?:e|ing|ed|es|s)?\b(?P<what>.*?\b(?:missing|null|nan|empty)\b.*?)"
    r"(?:\b(?:with|by|using|to|through)\b(?P<how>.*))?$",
    re.IGNORECASE | re.DOTALL,
)
_SCALE = regex(
    r"\b(?P<verb>normali[sz]|scal|standardi[sz]|rescal)(?:e|ing|ed|es|s)?\b|\b(?P<noun>min[- ]?max|z[- ]?score|standard)\s+(?:normali[sz]ation|scaling|standardi[sz]ation|transformation|scaler)\b",
    re.IGNORECASE,
)
_LOG = regex(
    r"\b(?:apply|take|perform|use|comput|calculat|do)\w*\s+(?:a|an|the)?\s*(?:(?P<root>square[- ]root|sqrt)|(?:natural\s+)?log(?:arithm(?:ic)?)?(?P<base>10|1p)?)[- ]?(?:transform(?:ation)?)?\s+(?:to|of|on|for)\b|\b(?:log(?P<other>10|1p)?|(?P<square>square[- ]root))[- ]transform(?:ing|ed)?\b",
    re.IGNORECASE,
)
_FILLERS = {
    "mean": "mean_of",
    "average": "mean_of",
    "median": "median_of",
    "mode": "mode_of",
    "minimum": "min_of",
    "maximum": "max_of",
}
_UNKNOWN = late_pattern(
    r"k[- ]?nn|k[- ]?nearest(?: neighbou?rs?)?|nearest[- ]neighbou?rs?|regression|interpolation|interpolat\w*|forward[- ]?fill\w*|back(?:ward)?[- ]?fill\w*|iterative\w*|random\w*|mice|machine learning|predict\w*",
    re.IGNORECASE,
)
_DROPPED = regex(r"\b(?:drop|remov|delet|exclud|discard|deletion)", re.IGNORECASE)
_OTHERWISE = regex(
    r"\b(?:box[- ]?cox|yeo[- ]?johnson|reciprocal|cube[- ]root|fourier|power)[- ]transform\w*", re.IGNORECASE
)


class ColumnChanges(StepClauses):
    """Reads the clauses of one question that change columns, or which rows count.

    Args:
        model: What the tables mean.
        columns: The columns that they may speak of.
        index: The values of the data.
    """

    def __init__(self, model: SemanticModel, columns: SaidColumns, index: ValueIndex) -> None:
        super().__init__(model, columns, [])
        self._rows = LeftOutRows(model, columns, self._out)
        self._codes = RecodedColumns(model, columns, self._out, index)
        self._handled = False

    def read(self, clause: str, about: str = "") -> Change | None:
        """What a clause changes; None where it changes nothing.

        Args:
            clause: The words of the step.
            about: Where it names no column itself: what is said around it, which may name one.
        """
        if re.search(r"\?|^\s*(?:what|which|how|who|when|is|are|do|does|if)\b", clause, re.IGNORECASE):
            return None
        if other := opens(_OTHERWISE, clause):
            return Change(refused=f"a {other.group().lower()} cannot be done here")
        found: Change | None = None
        if (match := opens(_FILL, clause)) is not None:
            found = self._filled(match["what"], match["how"] or "", about)
        elif (rows := self._rows.read(clause)) is not None:
            return rows if rows.refused or rows.surely else self._surely(rows, clause)
        elif (match := opens(_LOG, clause)) is not None:
            root = "root" if match["root"] or match["square"] else ""
            found = self._logged(clause[match.end() :], root or match["base"] or match["other"] or "")
        elif (recoded := self._codes.read(clause)) is not None:
            return recoded
        elif (match := opens(_SCALE, clause)) is not None:
            found = self._scaled(clause, match)
        return found if found is None or found.refused else self._surely(found, clause)

    def _surely(self, found: Change, clause: str) -> Change:
        """The change, where nothing of the clause was passed over."""
        left = self.left(clause)
        return found if not left else Change(refused=f"“{' '.join(left)}” was not understood there")

    def _filled(self, what: str, how: str, about: str) -> Change | None:
        if unknown := _UNKNOWN.search(how) or _UNKNOWN.search(what):
            return Change(refused=f"missing values cannot be filled in by {unknown.group().lower()} here")
        if _DROPPED.search(how):
            inside = what if self.named(what) else f"{what} in {how}"
            return self._rows.read(f"drop rows with missing values {inside}")
        columns = self.named(what) or self.named(how) or self.named(about)
        words = re.findall(r"[a-z]+", how.lower())
        if not how.strip(" .;"):
            return Change() if self._handled else self._as_they_are(columns)
        self._handled = True
        chosen = next((w for w in words if w in _FILLERS), None)
        chosen = "mode" if "frequent" in words or "common" in words else chosen
        number = re.search(r"-?\d+(?:\.\d+)?", how)
        if "zero" in words or "zeros" in words:
            value, said = "0", "zero"
        elif chosen is not None:
            value, said = "", f"the {chosen}"
        elif number is not None:
            value, said = number.group(), number.group()
        else:
            return None
        if not columns:
            return None
        if grouped := re.search(
            r"\b(?:each|every|per|within|by|same|respective)\s+(?P<g>\w.*)", how, re.IGNORECASE
        ):
            group = [c for c in self.named(grouped["g"]) if c.column not in {d.column for d in columns}]
            if group or grouped.group().split()[0].lower() not in ("respective", "by"):
                return self._filled_in_groups(columns, group, chosen)
        texts = [c for c in columns if not c.is_number]
        if texts and chosen != "mode":
            label = texts[0].dimension.label
            return Change(
                refused=f"missing values of {label} are no numbers, so {said} cannot stand for them"
            )
        return self._with(columns, value, said, _FILLERS[chosen or "mode"])

    def _with(self, columns: list[Said], value: str, said: str, figure: str) -> Change:
        over = "" if value else " over all rows"
        over = " over the rows that were kept" if over and self._out else over
        whole = [c for c in columns if not c.dimension.nullable]
        told = tuple(f"no value of {c.dimension.label} is missing, so none was filled in" for c in whole)
        made = (
            self.changed(
                [c for c in columns if c.dimension.nullable],
                lambda x: f"fill({x}, {value or f'{figure}({self.over(x)})'})",
                "{0}",
                f"missing values of {{0}} were filled in with {said}{over}",
            )
            or Change()
        )
        return Change(made.made, told=(*made.told, *told), about=tuple(c.dimension.label for c in columns))

    def _filled_in_groups(self, columns: list[Said], group: list[Said], chosen: str | None) -> Change | None:
        if len(group) != 1 or chosen not in ("mean", "average", "median") or self._out:
            return Change(
                refused="missing values can only be filled in with the mean or median of groups that one column makes"
            )
        if not all(c.is_number for c in columns):
            return None
        how = "median" if chosen == "median" else "mean"
        return self.changed(
            columns,
            lambda x: f"fill({x}, {how}_in({x}, {group[0].expression}))",
            "{0}",
            f"missing values of {{0}} were filled in with the {how} of the rows of the same {group[0].dimension.label}",
        )

    def _as_they_are(self, columns: list[Said]) -> Change:
        """Missing values are to be handled, and nothing says how: figures are then of the values that there are."""
        held = [c.dimension for c in columns] or [d for d in self._model.dimensions if d.via is None]
        lacking = [d.label for d in held if d.nullable]
        if not lacking:
            of = f" of {listed([c.dimension.label for c in columns])}" if columns else ""
            return Change(told=(f"no value{of} is missing, so nothing was done about it",))
        told = f"how to handle missing values was not said: each figure is of the rows that have a value, and {listed(lacking[:4])} lack some"
        return Change(told=(told,))

    def _logged(self, behind: str, base: str) -> Change | None:
        ways: dict[str, tuple[Callable[[str], str], str, str]] = {
            "10": (
                lambda x: f"log10({x})",
                "log",
                "its logarithm to base 10 was taken, which only values above zero have",
            ),
            "1p": (lambda x: f"log({x} + 1)", "log", "the natural logarithm of one more than it was taken"),
            "": (
                lambda x: f"log({x})",
                "log",
                "its natural logarithm was taken, which only values above zero have",
            ),
            "root": (
                lambda x: f"root({x})",
                "square root",
                "its square root was taken, which only values from zero have",
            ),
        }
        way, name, told = ways[base.lower()]
        columns = [c for c in self.named(behind) if c.is_number]
        return self.changed(columns, way, f"{name} of {{0}}", f"instead of {{0}}, {told}")

    def _scaled(self, clause: str, match: re.Match[str]) -> Change | None:
        method = (match["verb"] or match["noun"]).lower()
        standard = method.startswith(("standard", "z")) or bool(
            re.search(r"z[- ]?score|standard(?:i[sz]|\s)", clause, re.IGNORECASE)
        )
        if re.search(r"min[- ]?max", clause, re.IGNORECASE):
            standard = False
        elif re.search(r"robust|decimal|unit vector|l2|quantile", clause, re.IGNORECASE):
            return Change(refused="only min-max scaling and z-scores are known for scaling")
        columns = [c for c in self.named(clause[: match.start()] + clause[match.end() :]) if c.is_number]
        kept = "over the rows that were kept" if self._out else "over all rows"
        if standard:
            told = "z-scores (less the mean, over the sample standard deviation)"
            way: Callable[[str], str] = lambda x: f"({x} - mean_of({self.over(x)})) / std_of({self.over(x)})"  # noqa: E731
        else:
            told = "min-max scaling to the range from zero to one"
            way = lambda x: (  # noqa: E731
                f"({x} - min_of({self.over(x)})) / (max_of({self.over(x)}) - min_of({self.over(x)}))"
            )
        return self.changed(columns, way, "scaled {0}", f"{{0}} was scaled by {told}, {kept}")
