"""One finding as people read it: a title, one sentence around its figures, and a chart that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from gnomon.agents.figures import figure, number
from gnomon.analytics.insight import Finding, Grain, Grid, Kind, Number, Space, View
from gnomon.reporting.answer_charts import (
    bar_chart,
    highlighted,
    line_chart,
    marked_chart,
    paired_chart,
    scatter_chart,
)
from gnomon.semantic.model import plural, singular

_LISTED = 5
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_LOOSE = frozenset({"to", "by", "at", "on", "of", "for", "from", "with"})


class Telling:
    """Tells the findings of one table.

    Args:
        finding: What was found.
        space: The table that it is about.
        labels: What axes and measures are called.
    """

    def __init__(self, finding: Finding, space: Space, labels: Mapping[str, str]) -> None:
        self._f = finding
        self._space = space
        self._labels = labels

    def title(self) -> str:
        """The finding in a few words."""
        return _capital(self._words()[0])

    def sentence(self) -> str:
        """The finding in one sentence, with its figures."""
        return _capital(self._words()[1])

    def chart(self) -> dict[str, Any]:
        """The finding as a picture, titled with it, axes in words with their units."""
        grid, title = self._f.grid, self.title()
        figure_name = self._axis_title()
        rows = [tuple(_percent(v, u) for v, u in zip(r, _units(grid), strict=True)) for r in grid.rows]
        if grid.shape == "line":
            return line_chart(title, rows, _capital(grid.columns[0]), figure_name)
        if grid.shape == "marked":
            return marked_chart(title, rows, _capital(grid.columns[0]), figure_name)
        if grid.shape == "lines":
            long = [(r[0], grid.columns[k], r[k]) for r in rows for k in (1, 2)]
            return line_chart(
                title, long, _capital(grid.columns[0]), figure_name, self._label(self._f.axes[-1])
            )
        if grid.shape == "points":
            units = [_drawn(c, u) for c, u in zip(grid.columns, grid.units, strict=True)]
            return scatter_chart(title, rows, _capital(units[0]), _capital(units[1]))
        if grid.shape == "two":
            names = [_drawn(c, u) for c, u in zip(grid.columns[1:], grid.units[1:], strict=True)]
            return paired_chart(
                title, rows, _capital(grid.columns[0]), (_capital(names[0]), _capital(names[1]))
            )
        drawn = [(str(r[0]), r[1]) for r in rows]
        drawn_chart = bar_chart(title, drawn, _capital(grid.columns[0]), figure_name)
        return highlighted(drawn_chart, [s for s in self._f.subjects if self._f.kind is not Kind.NOTHING])

    def table(self) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...], tuple[str, ...]]:
        """The figures behind it: headings, rows, and the headings of shares."""
        grid = self._f.grid
        columns = [self._things if c == "rows" else c for c in grid.columns]
        if self._f.measure is None and len(columns) > 1 and columns[1] == "value":
            columns[1] = self._things
        heads = [
            _in_unit(c, u) if u != "fraction" else c
            for c, u in zip(columns, grid.units or (None,) * len(columns), strict=True)
        ]
        if len(heads) > 1 and heads[1].startswith("value"):
            heads[1] = self._figure()
        unique = [f"{h} ({i})" if h in heads[:i] else h for i, h in enumerate(heads)]
        rates = tuple(h for h, u in zip(unique, grid.units, strict=False) if u == "fraction")
        shown = tuple(tuple(r) for r in grid.rows)
        return tuple(unique), shown, rates

    # -- words ---------------------------------------------------------------------------------------------------

    @property
    def _things(self) -> str:
        return self._space.things

    def _label(self, name: str) -> str:
        return self._labels.get(name, name.replace("_", " "))

    def _n(self, name: str) -> Number:
        return self._f.numbers[name]

    def _fig(self, name: str) -> str:
        return _figure_of(self._n(name))

    def _figure(self) -> str:
        """What is measured: the number of incidents, the average resolution time."""
        f = self._f
        if f.measure is None:
            return f"number of {self._things}"
        if f.measure.rate:
            return f.measure.label
        return f"{'total' if f.view is View.SUM else 'average'} {f.measure.label}"

    def _axis_title(self) -> str:
        f = self._f
        if f.kind is Kind.ASSOCIATION:
            return _capital(f"share {self._holding(f.axes[1], f.subjects[1])} (%)")
        if f.kind is Kind.CONCENTRATION:
            return _capital(f"{self._things} per {self._label(f.axes[1])}")
        if f.kind is Kind.SEGMENTS:
            return _capital(f"number of {self._things}")
        if f.measure is not None and f.measure.rate:
            return _capital(f"{f.measure.label} (%)")
        return _capital(_in_unit(self._figure(), f.measure.unit if f.measure else None))

    def _where(self) -> str:
        """The rows that it holds in, to go before a sentence."""
        if not self._f.subset:
            return ""
        axis, value = self._f.subset[0]
        return f"among {self._things} {self._having(axis, value)}, "

    def _of(self) -> str:
        """The rows that it holds in, to go after a figure."""
        return f" {self._having(*self._f.subset[0])}" if self._f.subset else ""

    def _having(self, axis: str, value: str) -> str:
        label = self._label(axis)
        if " mentions " in axis:
            word = axis.rpartition(" ")[2]
            return f"whose {label.partition(' that ')[0]} mentions “{word}”"
        if label.startswith("range of "):
            return f"whose {label.removeprefix('range of ')} is {value}"
        if label.rpartition(" ")[2] in _LOOSE:
            return f"{label} {value}"
        return f"with {label} {value}"

    def _holding(self, axis: str, value: str) -> str:
        if " mentions " in axis:
            return f"mentioning “{axis.rpartition(' ')[2]}”"
        return self._having(axis, value)

    def _words(self) -> tuple[str, str]:
        told = {
            Kind.LEADER: self._leader,
            Kind.EVEN: self._even,
            Kind.DIFFERENCE: self._difference,
            Kind.TREND: self._trend,
            Kind.SEGMENT_TREND: self._segment_trend,
            Kind.CHANGE: self._change,
            Kind.OUTLIER: self._outlier,
            Kind.SEASON: self._season,
            Kind.CORRELATION: self._correlation,
            Kind.LAG: self._lag,
            Kind.ASSOCIATION: self._association,
            Kind.CONCENTRATION: self._concentration,
            Kind.SEGMENTS: self._segments,
            Kind.NOTHING: self._nothing,
        }
        return told[self._f.kind]()

    def _groups(self, but: tuple[str, ...] = ()) -> str:
        """The other groups with their figures, a few of them."""
        axis = self._f.axes[0]
        shown = [
            (n.group[axis], _figure_of(n)) for k, n in self._f.numbers.items() if k.startswith("group") and axis in n.group
        ]  # fmt: skip
        others = [f"{v} {text}" for v, text in shown if v not in but]
        if (
            not others
            or " mentions " in axis
            or (but and len(shown) == 2 and self._f.kind is Kind.DIFFERENCE)
        ):
            return ""
        more = ", …" if len(others) > _LISTED else ""
        return f"; {'then' if but else ''} {', '.join(others[:_LISTED])}{more}".replace("  ", " ")

    def _leader(self) -> tuple[str, str]:
        f = self._f
        label, who = self._label(f.axes[0]), _listed(f.subjects)
        held = " and ".join(_figure_of(self._n(f"group{i + 1}")) for i in range(len(f.subjects)))
        verb = "has" if len(f.subjects) == 1 else "have"
        what = self._things if f.measure is None else f.measure.label
        most = (
            "most of the"
            if f.detail["majority"]
            else "the most"
            if f.measure is None
            else "the largest total"
        )
        amount = f"{self._fig('share')} of {self._fig('total')}"
        times = (
            f", {self._fig('times')} times the average of the {_count(f.detail['others'])} others"
            if "times" in f.numbers
            and f.numbers["times"].unit is None
            and f.numbers["times"].name.startswith("times")
            and int(f.detail["others"]) > 1
            else ""
        )
        title = f"{who} {verb} {most} {what} by {label}"
        return (
            title,
            f"by {label}, {who} {verb} {most} {what}: {held} ({amount}){times}{self._groups(f.subjects)}.",
        )

    def _even(self) -> tuple[str, str]:
        f = self._f
        label = self._label(f.axes[0])
        title = f"the {self._things} are spread evenly over {_values(label)}"
        each = self._groups().removeprefix(";")
        said = (
            f"the {self._things} are spread evenly over the {_count(f.detail['groups'])} {_values(label)}: "
            f"between {self._fig('least')} and {self._fig('most')} each:{each}."
        )
        return title, said

    def _difference(self) -> tuple[str, str]:
        f = self._f
        axis, who, what = f.axes[0], f.subjects[0], self._figure()
        place = f.detail["place"]
        verb = f"is {place}" if place else "stands out"
        here = self._at(axis, who)
        title = f"{self._where()}the {what} {verb} {here}"
        along = f.detail["along"]
        if along:
            title = (
                f"{self._where()}the {what} {along} with the {self._label(axis).removeprefix('range of ')}"
            )
        others = "for the others"
        if " mentions " not in axis and len(f.grid.rows) == 2:
            others = f"for {next(str(r[0]) for r in f.grid.rows if r[0] != who)}"
        said = (
            f"{self._where()}the {what} {verb} {here}: {self._fig('subject')}, against {self._fig('rest')} "
            f"{others}{self._groups((who,))}."
        )
        return title, said

    def _at(self, axis: str, value: str) -> str:
        if " mentions " in axis:
            verb = "mentions" if value == "yes" else "does not mention"
            return f"where the {self._label(axis).partition(' that ')[0]} {verb} “{axis.rpartition(' ')[2]}”"
        label = self._label(axis)
        if label.startswith("range of "):
            return f"where the {label.removeprefix('range of ')} is {value}"
        return f"for {value} ({label})"

    def _trend(self) -> tuple[str, str]:
        f = self._f
        grain = f.detail["grain"]
        way = "rises" if self._n("slope").value > 0 else "falls"
        title = f"the {self._figure()}{self._of()} {way} over time"
        size = _steps(self._n("slope"), absolute=True)
        low, high = sorted((abs(self._n("low").value), abs(self._n("high").value)))
        change = f", {_signed(self._n('change'))}" if "change" in f.numbers else ""
        per = f" per {grain}" if f.view is not View.MEAN else ""
        said = (
            f"the {self._figure()}{self._of()}{per} {way} by {size} a {grain} (95 % sure: between {_plain(low, self._n('low'))} and "
            f"{_plain(high, self._n('high'))}), from about {self._fig('start')} in {self._when('from')} to "
            f"{self._fig('end')} in {self._when('to')}{change}."
        )
        return title, said

    def _segment_trend(self) -> tuple[str, str]:
        f = self._f
        grain, who = f.detail["grain"], self._having(f.axes[-1], f.subjects[0])
        way = "rises" if self._n("slope").value > 0 else "falls"
        rest = self._n("rest").value
        others = "stay flat" if f.detail["flat"] else "rise" if rest > 0 else "fall"
        what = f"{self._figure()}{f' per {grain}' if f.view is not View.MEAN else ''}"
        title = f"the {self._figure()} {who} {way} while the others {others}"
        change = f" ({_signed(self._n('change'))})" if "change" in f.numbers else ""
        said = (
            f"the {what} {who} {way} from about {self._fig('start')} in {self._when('from')} to {self._fig('end')} in "
            f"{self._when('to')}{change}, while the others {others} "
            f"(from about {self._fig('rest_start')} to {self._fig('rest_end')})."
        )
        return title, said

    def _change(self) -> tuple[str, str]:
        when = self._when("when")
        way = "rose" if self._n("change").value > 0 else "fell"
        relative = f" ({_signed(self._n('relative'))})" if "relative" in self._f.numbers else ""
        grain = f" a {self._f.detail['grain']}" if self._f.view is not View.MEAN else ""
        title = f"the {self._figure()}{self._of()} {way} lastingly in {when}"
        said = (
            f"from {when} on, the {self._figure()}{self._of()} is {self._fig('after')}{grain} on average, "
            f"{self._fig('before')} before{relative}."
        )
        return title, said

    def _outlier(self) -> tuple[str, str]:
        f = self._f
        first, last = self._when("first"), self._when("last")
        span = f"in {first}" if first == last else f"between {first} and {last}"
        way = "unusually high" if self._n("value").value > self._n("usual").value else "unusually low"
        what = f"{self._figure()}{self._of()}"
        title = f"the {what} was {way} {span}"
        times = f", {self._fig('times')} times the usual" if "times" in f.numbers else ""
        peak = self._fig("value")
        if first == last:
            said = f"{span}, the {what} was {peak}{times}: other {f.detail['grain']}s have {self._fig('usual')} on average."
        else:
            said = (
                f"{span}, the {what} was {self._fig('window')} a {f.detail['grain']} on average{times} of "
                f"{self._fig('usual')}, with {peak} in {self._when('when')}."
            )
        return title, said

    def _season(self) -> tuple[str, str]:
        high, low = self._f.subjects
        a_day = "" if self._f.view is View.MEAN else " a day"
        title = f"the {self._figure()} follows the days of the week"
        said = (
            f"the {self._figure()} is highest on {high}s ({self._fig('peak')}{a_day} on average) and lowest on {low}s "
            f"({self._fig('trough')}); the day of the week explains {self._fig('strength')} of the daily variation."
        )
        return title, said

    def _correlation(self) -> tuple[str, str]:
        a, b = self._f.subjects
        r = self._n("correlation").value
        word = "higher" if r > 0 else "lower"
        sampled = " in an even sample of the rows" if self._f.detail["sampled"] else ""
        title = f"the higher the {a}, the {word} the {b}"
        said = (
            f"the higher the {a}, the {word} the {b}: their rank correlation is {r:.2f} (95 % sure: between "
            f"{self._n('low').value:.2f} and {self._n('high').value:.2f}){sampled}. This shows that they go together, "
            f"not that one causes the other."
        )
        return title, said

    def _lag(self) -> tuple[str, str]:
        a, b = self._f.subjects
        r, lag, grain = self._n("correlation").value, self._n("lag").value, self._f.detail["grain"]
        way = "with" if r > 0 else "against"
        if lag == 0:
            title = f"the {a} and the {b} move {'together' if r > 0 else 'in opposite directions'} from {grain} to {grain}"
            later = ""
        else:
            later = f" {lag} {grain}{'s' if lag > 1 else ''} later"
            title = f"the {b} moves {way} the {a}{later}"
        said = (
            f"{title}: the correlation is {r:.2f} once trends{' and the weekly pattern' if grain == 'day' else ''} are "
            f"taken out. They go together; that alone does not make one the cause."
        )
        return title, said

    def _association(self) -> tuple[str, str]:
        f = self._f
        (group, outcome), (place, value) = f.axes, f.subjects
        rows = f"{self._things} {self._having(group, place)}"
        if " mentions " in outcome:
            word, text = outcome.rpartition(" ")[2], self._label(outcome).partition(" that ")[0]
            title = f"{self._things} {self._having(group, place)} often mention “{word}”"
            verb = f"mention “{word}” in the {text}"
        elif self._label(outcome).rpartition(" ")[2] in _LOOSE:
            title = f"{rows} are {self._label(outcome)} {value} more often than others"
            verb = f"are {self._label(outcome)} {value}"
        else:
            title = f"{value} ({self._label(outcome)}) is more frequent among {rows}"
            verb = f"have {self._label(outcome)} {value}"
        said = (
            f"{self._fig('share')} of the {rows} {verb} ({self._fig('count')} of {self._fig('rows')}), against "
            f"{self._fig('rest')} of the others."
        )
        return title, said

    def _concentration(self) -> tuple[str, str]:
        f = self._f
        label, many = self._label(f.axes[0]), self._label(f.axes[1])
        who = f.subjects[0]
        more = "more" if self._n("each").value > self._n("usual").value else "fewer"
        title = f"{who} ({label}) has {more} {self._things} for each {singular(many)}"
        each = [
            (n.group[f.axes[0]], _figure_of(n))
            for k, n in f.numbers.items()
            if k.startswith("each") and k != "each"
        ]
        others = ", ".join(f"{v} {x}" for v, x in each if v != who) if len(each) <= _LISTED + 1 else ""
        said = (
            f"{who} ({label}) has {self._fig('each')} {self._things} for each {singular(many)}, against "
            f"{self._fig('usual')} elsewhere{f' ({others})' if others else ''}: it has {self._fig('distinct')} different {_values(many)}."
        )
        return title, said

    def _segments(self) -> tuple[str, str]:
        f = self._f
        kinds = self._n("kinds").value
        parts = [f"{_figure_of(self._n(f'share{i + 1}'))} with {d}" for i, d in enumerate(f.subjects)]
        title = f"the {self._things} fall into {_count(str(kinds))} kinds"
        return (
            title,
            f"{title}: {', '.join(parts)} (silhouette {self._n('silhouette').value:.2f}, where rows without kinds reach {self._n('reference').value:.2f}).",
        )

    def _nothing(self) -> tuple[str, str]:
        f = self._f
        of = f.detail["of"]
        what = self._figure()
        if of == "trend":
            grain = f.detail["grain"]
            title = f"no clear trend in the {what}"
            said = (
                f"there is no clear trend in the {what} from {self._when('from')} to {self._when('to')}: it changes by "
                f"{_steps(self._n('low'))} to {_steps(self._n('high'))} a {grain} (95 % sure), which includes no change."
            )
            return title, said
        if of == "correlation":
            a, b = f.subjects
            title = f"no clear relation between {a} and {b}"
            return (
                title,
                f"there is no evidence that {a} and {b} go together: their rank correlation is {self._n('correlation').value:.2f}.",
            )
        label = self._label(f.axes[0])
        if of == "leader":
            title = f"no {label} stands out in the {what}"
            said = (
                f"{f.subjects[0]} has the {'largest' if f.measure else 'highest'} {what} by {label} "
                f"({_figure_of(self._n('group1'))}), but not clearly more than an even share{self._groups((f.subjects[0],))}."
            )
            return title, said
        title = f"no clear difference in the {what} by {label}"
        return (
            title,
            f"there is no evidence that the {what} differs by {label}: {self._groups().removeprefix(';').strip()}.",
        )

    def _when(self, key: str) -> str:
        return period(self._f.detail[key], Grain(self._f.detail["grain"]))


def period(iso: str, grain: Grain) -> str:
    """A period by its first day, as people call it."""
    at = datetime.fromisoformat(iso)
    if grain is Grain.HOUR:
        return f"{at.day} {_MONTHS[at.month - 1]} {at.year} {at.hour:02d}:00"
    if grain is Grain.YEAR:
        return str(at.year)
    if grain is Grain.QUARTER:
        return f"Q{(at.month + 2) // 3} {at.year}"
    if grain is Grain.MONTH:
        return f"{_MONTHS[at.month - 1]} {at.year}"
    day = f"{at.day} {_MONTHS[at.month - 1]} {at.year}"
    return f"the week of {day}" if grain is Grain.WEEK else day


def _figure_of(n: Number) -> str:
    value = n.value
    if isinstance(value, (date, datetime)) or value is None:
        return figure(value)
    if n.unit == "fraction" or not isinstance(value, float):
        return figure(value, n.unit)
    return figure(_short(value), n.unit)


def _short(value: float) -> float:
    """Three digits, or all before the point: as many as an average deserves."""
    if value == 0 or abs(value) >= 100:
        return float(round(value))
    return float(f"{value:.3g}")


def _plain(value: float, like: Number) -> str:
    return number(100 * value) + " points" if like.unit == "fraction" else number(_short(value))


def _steps(n: Number, *, absolute: bool = False) -> str:
    value = abs(n.value) if absolute else n.value
    if n.unit == "fraction":
        return f"{number(_short(100 * value))} points"
    return figure(_short(value), n.unit)


def _signed(n: Number) -> str:
    text = figure(n.value, n.unit)
    return text if text.startswith("-") else f"+{text}"


def _in_unit(label: str, unit: str | None) -> str:
    if unit is None or unit == "fraction":
        return label
    return label if unit in label.split() else f"{label} ({unit})"


def _units(grid: Grid) -> tuple[str | None, ...]:
    return grid.units or (None,) * len(grid.columns)


def _percent(value: Any, unit: str | None) -> Any:
    return 100 * value if unit == "fraction" and isinstance(value, (int, float)) else value


def _drawn(label: str, unit: str | None) -> str:
    return f"{label} (%)" if unit == "fraction" else _in_unit(label, unit)


def _values(label: str) -> str:
    return f"values of {label}" if label.rpartition(" ")[2] in _LOOSE else plural(label)


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _count(text: str) -> str:
    n = int(text)
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
