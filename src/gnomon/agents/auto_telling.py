"""One finding as people read it: a title, one sentence around its figures, and a chart that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.agents.auto_drawing import drawn
from gnomon.agents.auto_wording import (
    LOOSE,
    capital,
    figure_of,
    in_unit,
    listed,
    period,
    plain_size,
    signed,
    size_of,
    spelt,
    values_of,
)
from gnomon.analytics.insight import Finding, Grain, Kind, Number, Space, View
from gnomon.answering.words import is_plural
from gnomon.core.figures import figure
from gnomon.semantic.model import singular
from gnomon.semantic.wording import an

_LISTED = 5


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
        return capital(self._words()[0])

    def sentence(self) -> str:
        """The finding in one sentence, with its figures."""
        return capital(self._words()[1])

    def chart(self) -> dict[str, Any]:
        """The finding as a picture, titled with it, axes in words with their units."""
        return drawn(self._f, self.title(), self._axis_title(), self._label(self._f.axes[-1]))

    def table(self) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...], tuple[str, ...]]:
        """The figures behind it: headings, rows, and the headings of shares."""
        grid = self._f.grid
        columns = [self._things if c == "rows" else c for c in grid.columns]
        if self._f.measure is None and len(columns) > 1 and columns[1] == "value":
            columns[1] = self._things
        heads = [
            in_unit(c, u) if u != "fraction" else c
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
        return figure_of(self._n(name))

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
            return capital(f"share {self._holding(f.axes[1], f.subjects[1])} (%)")
        if f.kind is Kind.CONCENTRATION:
            return capital(f"{self._things} per {self._label(f.axes[1])}")
        if f.kind is Kind.SEGMENTS:
            return capital(f"number of {self._things}")
        if f.measure is not None and f.measure.rate:
            return capital(f"{f.measure.label} (%)")
        return capital(in_unit(self._figure(), f.measure.unit if f.measure else None))

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
            label = label.removeprefix("range of ")
            return f"whose {label} {'are' if is_plural(label) else 'is'} {value}"
        if label.rpartition(" ")[2] in LOOSE:
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
            (n.group[axis], figure_of(n)) for k, n in self._f.numbers.items() if k.startswith("group") and axis in n.group
        ]  # fmt: skip
        others = [f"{v} ({text})" for v, text in shown if v not in but]
        if (
            not others
            or " mentions " in axis
            or (but and len(shown) == 2 and self._f.kind is Kind.DIFFERENCE)
        ):
            return ""
        more = " and others" if len(others) > _LISTED else ""
        return f"; {'then' if but else ''} {', '.join(others[:_LISTED])}{more}".replace("  ", " ")

    def _leader(self) -> tuple[str, str]:
        f = self._f
        label, who = self._label(f.axes[0]), listed(f.subjects)
        held = listed(tuple(figure_of(self._n(f"group{i + 1}")) for i in range(len(f.subjects))))
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
            f", {self._fig('times')} times the average of the {spelt(f.detail['others'])} others"
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
        title = f"the {self._things} are spread evenly over {values_of(label)}"
        each = self._groups().removeprefix(";")
        said = (
            f"the {self._things} are spread evenly over the {spelt(f.detail['groups'])} {values_of(label)}: "
            f"between {self._fig('least')} and {self._fig('most')} each:{each}."
        )
        return title, said

    def _difference(self) -> tuple[str, str]:
        f = self._f
        axis, who, what = f.axes[0], f.subjects[0], self._figure()
        place = f.detail["place"]
        verb = f"{self._is()} {place}" if place else self._verb("stands out", "stand out")
        here = self._at(axis, who)
        title = f"{self._where()}the {what} {verb} {here}"
        along = f.detail["along"]
        if along:
            along = self._verb(along, along.removesuffix("s"))
            title = (
                f"{self._where()}the {what} {along} with the {self._label(axis).removeprefix('range of ')}"
            )
        others = "for the others"
        if " mentions " not in axis and len(f.grid.rows) == 2:
            others = f"for {next(str(r[0]) for r in f.grid.rows if r[0] != who)}"
        said = (
            f"{self._where()}the {what} {verb} {here}: {self._fig('subject')}, against {self._fig('rest')} "
            f"{others}{self._groups((who,))}.{self._at_equal_mix()}"
        )
        return title, said

    def _at_equal_mix(self) -> str:
        """What is left of a difference where the groups are made up alike."""
        other = self._f.detail.get("mixed")
        if not other:
            return ""
        left = "it is the other way round" if self._f.detail["turned"] else "hardly any of it is left"
        figures = f"{self._fig('equal_subject')} against {self._fig('equal_rest')}"
        return f" But at an equal mix of {values_of(self._label(other))} {left}: {figures}."

    def _at(self, axis: str, value: str) -> str:
        if " mentions " in axis:
            verb = "mentions" if value == "yes" else "does not mention"
            return f"where the {self._label(axis).partition(' that ')[0]} {verb} “{axis.rpartition(' ')[2]}”"
        label = self._label(axis)
        if label.startswith("range of "):
            label = label.removeprefix("range of ")
            return f"where the {label} {'are' if is_plural(label) else 'is'} {value}"
        return f"for {value} ({label})"

    def _trend(self) -> tuple[str, str]:
        f = self._f
        grain = f.detail["grain"]
        way = self._verb("rises", "rise") if self._n("slope").value > 0 else self._verb("falls", "fall")
        title = f"the {self._figure()}{self._of()} {way} over time"
        size = size_of(self._n("slope"), absolute=True)
        low, high = sorted((abs(self._n("low").value), abs(self._n("high").value)))
        change = f", {signed(self._n('change'))}" if "change" in f.numbers else ""
        per = f" per {grain}" if f.view is not View.MEAN else ""
        said = (
            f"the {self._figure()}{self._of()}{per} {way} by {size} {an(grain)} (95 % sure: between {plain_size(low, self._n('low'))} and "
            f"{plain_size(high, self._n('high'))}), from about {self._fig('start')} in {self._when('from')} to "
            f"{self._fig('end')} in {self._when('to')}{change}."
        )
        return title, said

    def _segment_trend(self) -> tuple[str, str]:
        f = self._f
        grain, who = f.detail["grain"], self._having(f.axes[-1], f.subjects[0])
        way = self._verb("rises", "rise") if self._n("slope").value > 0 else self._verb("falls", "fall")
        rest = self._n("rest").value
        others = "stay flat" if f.detail["flat"] else "rise" if rest > 0 else "fall"
        what = f"{self._figure()}{f' per {grain}' if f.view is not View.MEAN else ''}"
        title = f"the {self._figure()} {who} {way} while the others {others}"
        change = f" ({signed(self._n('change'))})" if "change" in f.numbers else ""
        said = (
            f"the {what} {who} {way} from about {self._fig('start')} in {self._when('from')} to {self._fig('end')} in "
            f"{self._when('to')}{change}, while the others {others} "
            f"(from about {self._fig('rest_start')} to {self._fig('rest_end')})."
        )
        return title, said

    def _change(self) -> tuple[str, str]:
        when = self._when("when")
        way = "rose" if self._n("change").value > 0 else "fell"
        relative = f" ({signed(self._n('relative'))})" if "relative" in self._f.numbers else ""
        grain = f" {an(str(self._f.detail['grain']))} on average" if self._f.view is not View.MEAN else ""
        title = f"the {self._figure()}{self._of()} {way} lastingly in {when}"
        said = (
            f"from {when} on, the {self._figure()}{self._of()} {self._is()} {self._fig('after')}{grain}, "
            f"{self._fig('before')} before{relative}."
        )
        return title, said

    def _outlier(self) -> tuple[str, str]:
        f = self._f
        first, last = self._when("first"), self._when("last")
        span = self._in("first") if first == last else f"between {first} and {last}"
        way = "unusually high" if self._n("value").value > self._n("usual").value else "unusually low"
        what = f"{self._figure()}{self._of()}"
        was = self._verb("was", "were")
        title = f"the {what} {was} {way} {span}"
        times = f", {self._against()}" if "times" in f.numbers else ""
        if f.detail.get("empty"):
            said = f"{span}, there are no {self._things} at all: the days around have {self._fig('usual')} on average."
            return f"there are no {self._things} {span}", said
        if f.detail.get("quiet"):
            return self._quiet(span)
        peak = self._fig("value")
        each = "" if f.view is View.MEAN else f" {an(str(f.detail['grain']))} on average"
        if first == last:
            said = f"{span}, the {what} {was} {peak}{times}: {self._expected()}."
        else:
            said = (
                f"{span}, the {what} {was} {self._fig('window')}{each}{times}: {self._expected()}; the "
                f"{'highest' if way.endswith('high') else 'lowest'} was {peak} {self._in('when')}."
            )
        return title, said

    def _expected(self) -> str:
        """What an odd period is held against: the other periods, or what was to be expected of it and from what."""
        grain, usual = self._f.detail["grain"], self._fig("usual")
        told_by = {
            "course": "from its course",
            "rest": f"from the other {self._things}",
            "around": "from the same day of the weeks around it",
        }
        told = told_by.get(self._f.detail["by"])
        were = "were" if self._f.measure is None and usual != "1" else "was"
        return f"{usual} {were} to be expected {told}" if told else f"other {grain}s have {usual} on average"

    def _quiet(self, span: str) -> tuple[str, str]:
        """A group that went silent for some days while the others went on."""
        seen = self._n("value").value
        title = f"{'hardly any' if seen else 'no'} {self._things}{self._of()} {span}"
        held = self._fig("value") if seen else "none"
        said = (
            f"{span}, there {'was' if seen == 1 else 'were'} {held} of the {self._things}{self._of()}, where "
            f"{self._expected()}."
        )
        return title, said

    def _season(self) -> tuple[str, str]:
        high, low = self._f.subjects
        step, over = self._f.detail["step"], self._f.detail["over"]
        each = "" if self._f.view is View.MEAN else f" {an(step)}"
        title = f"the {self._figure()} {self._verb('follows', 'follow')} the {step}s of the {over.rpartition(' ')[2]}"
        at = [f"on {name}s" if step == "day" else f"in {name}" for name in (high, low)]
        said = (
            f"the {self._figure()} {self._is()} highest {at[0]} ({self._fig('peak')}{each} on average) and lowest {at[1]} "
            f"({self._fig('trough')}); the {over} explains {self._fig('strength')} of the variation by {step}."
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
        if lag == 0:
            title = f"the {a} and the {b} move {'together' if r > 0 else 'in opposite directions'} from {grain} to {grain}"
        else:
            follow = "follow" if is_plural(b) else "follows"
            way = "" if r > 0 else " the other way round"
            title = f"the {b} {follow} the {a}{way}, {lag} {grain}{'s' if lag > 1 else ''} later"
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
        elif self._label(outcome).rpartition(" ")[2] in LOOSE:
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
            (n.group[f.axes[0]], figure_of(n))
            for k, n in f.numbers.items()
            if k.startswith("each") and k != "each"
        ]
        others = ", ".join(f"{v} {x}" for v, x in each if v != who) if len(each) <= _LISTED + 1 else ""
        said = (
            f"{who} ({label}) has {self._fig('each')} {self._things} for each {singular(many)}, against "
            f"{self._fig('usual')} elsewhere{f' ({others})' if others else ''}: it has {self._fig('distinct')} different {values_of(many)}."
        )
        return title, said

    def _segments(self) -> tuple[str, str]:
        f = self._f
        kinds = self._n("kinds").value
        parts = [f"{figure_of(self._n(f'share{i + 1}'))} with {d}" for i, d in enumerate(f.subjects)]
        title = f"the {self._things} fall into {spelt(str(kinds))} kinds"
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
                f"{size_of(self._n('low'))} to {size_of(self._n('high'))} {an(grain)} (95 % sure), which includes no change."
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
                f"({figure_of(self._n('group1'))}), but not clearly more than an even share{self._groups((f.subjects[0],))}."
            )
            return title, said
        title = f"no clear difference in the {what} by {label}"
        return (
            title,
            f"there is no evidence that the {what} differs by {label}: {self._groups().removeprefix(';').strip()}.",
        )

    def _is(self) -> str:
        return self._verb("is", "are")

    def _verb(self, one: str, many: str) -> str:
        """The verb that goes with what is measured: the number rises, average expenses rise."""
        measure = self._f.measure
        return many if measure is not None and is_plural(measure.label) else one

    def _against(self) -> str:
        """How far a period lies from the usual: in percent, or as a multiple where it is one."""
        times = self._n("times").value
        if times >= 2:
            return f"{self._fig('times')} times the usual"
        off = figure(abs(self._n("relative").value), "fraction")
        return f"{off} {'above' if times > 1 else 'below'} the usual"

    def _in(self, key: str) -> str:
        """A period with the word that goes before it."""
        return f"{'on' if self._f.detail['grain'] == 'day' else 'in'} {self._when(key)}"

    def _when(self, key: str) -> str:
        return period(self._f.detail[key], Grain(self._f.detail["grain"]))
