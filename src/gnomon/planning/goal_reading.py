"""From a prompt to the goals it names, in the order in which they must be done."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.planning.lexicon import Mention, mended, mentions, tokens_of
from gnomon.tools import Goal

PREPARING = (Goal.JOIN, Goal.FILTER, Goal.CLEAN, Goal.DERIVE, Goal.BIN)
"""Goals that change the rows for the ones that follow, in the order they are done when nobody says otherwise."""

_LATER = {"then", "afterwards", "afterward", "finally", "next", "lastly", "subsequently"}
_NEGATION = {"no", "not", "without", "don't", "dont", "never", "skip", "instead"}
_YIELDS: dict[Goal, frozenset[Goal]] = {
    Goal.AGGREGATE: frozenset(Goal) - {Goal.AGGREGATE, Goal.CHART, *PREPARING},
    Goal.TREND: frozenset(
        {Goal.FORECAST, Goal.DETECT_ANOMALIES, Goal.CLEAN, Goal.CHANGE_POINTS, Goal.SEASONALITY}
    ),
    Goal.SEASONALITY: frozenset({Goal.FORECAST}),
    Goal.DISTRIBUTION: frozenset({Goal.TEST, Goal.DETECT_ANOMALIES, Goal.GEO, Goal.CLEAN}),
    Goal.GEO: frozenset({Goal.FORECAST, Goal.AGGREGATE, Goal.CORRELATION}),
    Goal.SEGMENTS: frozenset({Goal.GEO}),
    Goal.CORRELATION: frozenset({Goal.TEST}),
    Goal.DETECT_ANOMALIES: frozenset({Goal.CLEAN}),
    Goal.CHANGE_POINTS: frozenset({Goal.DETECT_ANOMALIES}),
}
"""Words that only qualify ("forecast total sales", "per region", "a seasonal period of 12") when they share a clause
with a goal that says more."""


@dataclass(frozen=True)
class GoalReading:
    """The goals of a prompt.

    Args:
        goals: In the order in which they are to be done.
        before: Pairs (earlier, later) that the words ask for.
        main: The one that the prompt is about.
        ambiguous: Other goals that the same words could mean as well.
    """

    goals: tuple[Goal, ...]
    before: tuple[tuple[Goal, Goal], ...]
    main: Goal | None
    ambiguous: tuple[Goal, ...] = ()

    @property
    def label(self) -> str:
        """The goals as one word, such as ``forecast_with_cleaning``."""
        return goal_label(self)


def read_goals(prompt: str) -> GoalReading:
    """The goals that the words of ``prompt`` name."""
    words = mended(tokens_of(prompt))
    found = [m for m in mentions(words) if not _negated(words, m) and not _only_counts(words, m)]
    found = _drop_qualifiers(found, _clauses(words, found), words)
    chosen: dict[Goal, Mention] = {}
    ambiguous: list[Goal] = []
    kept: list[Mention] = []
    for m in found:
        rival = next((o for o in kept if (o.start, o.end) == (m.start, m.end)), None)
        if rival and Goal.CHART not in {rival.goal, m.goal}:
            ambiguous.append(m.goal)
            continue
        kept.append(m)
        chosen.setdefault(m.goal, m)
    order = _order(kept, words)
    goals = _sorted(list(chosen), order)
    mains = [g for g in goals if g not in PREPARING and g is not Goal.CHART] or goals
    main = _main(mains, order)
    return GoalReading(tuple(goals), tuple(order), main, tuple(ambiguous))


def _negated(words: list[str], m: Mention) -> bool:
    if m.goal is Goal.CLEAN:
        return False  # "without outliers" is a wish to clean, not to leave the cleaning out
    before = words[max(0, m.start - 4) : m.start]
    cut = max((i for i, w in enumerate(before) if w in {",", ";", ".", "but", "just", "only"}), default=-1)
    return any(w in _NEGATION for w in before[cut + 1 :])


def _only_counts(words: list[str], m: Mention) -> bool:
    """ "10 bins" and "at least 3" say how many, "per segment" says by what; neither says what to do."""
    if m.start == 0 or m.end - m.start != 1:
        return False
    previous = words[m.start - 1]
    if m.goal is Goal.SEGMENTS:
        return previous in {"per", "by", "each", "every"}
    return (m.goal is Goal.BIN and previous.isdigit()) or (m.goal is Goal.AGGREGATE and previous == "at")


def _clauses(words: list[str], found: list[Mention]) -> list[int]:
    """The number of the clause that each word belongs to; "and" opens one where a goal follows at once."""
    starts = {m.start for m in found}
    numbers: list[int] = []
    clause = 0
    for i, word in enumerate(words):
        opens = word in {",", ";", ".", "then", "after", "before", "once"}
        if opens or (word == "and" and starts & set(range(i + 1, i + 4))):
            clause += 1
        numbers.append(clause)
    return numbers


def _drop_qualifiers(found: list[Mention], clauses: list[int], words: list[str]) -> list[Mention]:
    """The mentions without those that only qualify another one."""
    kept: list[Mention] = []
    everything = {m.goal for m in found}
    for m in found:
        beside = {o.goal for o in found if o is not m and clauses[o.start] == clauses[m.start]}
        if beside & _YIELDS.get(m.goal, frozenset()):
            continue
        if m.goal is Goal.DETECT_ANOMALIES and Goal.INVESTIGATE_ANOMALIES in everything:
            continue
        if m.goal is Goal.TREND and words[m.start : m.end] == ["over", "time"] and Goal.CHART in beside:
            continue
        if m.goal is Goal.PROFILE and _only_tells(words, m) and everything - {Goal.PROFILE, Goal.CHART}:
            continue
        if (
            m.goal is Goal.AGGREGATE
            and words[m.start] == "per"
            and everything - {Goal.AGGREGATE, Goal.CHART, *PREPARING}
        ):
            continue
        kept.append(m)
    return kept


def _only_tells(words: list[str], m: Mention) -> bool:
    """ "Summarise each group" asks for a telling of what was found, not for a profile."""
    return words[m.start].startswith(("summar", "describe", "explore", "inspect"))


def _order(found: list[Mention], words: list[str]) -> list[tuple[Goal, Goal]]:
    """Who must come before whom, as the connecting words say."""
    pairs: list[tuple[Goal, Goal]] = []
    for i, word in enumerate(words):
        left, right = [m for m in found if m.start < i], [m for m in found if m.start > i]
        if word in {"after", "once", "following", "before"}:
            inside, outside = _subordinate(i, words, left, right)
            turned = (word == "before") != (words[i + 1 : i + 2] in (["that"], ["this"], ["which"]))
            pairs += [(b, a) if turned else (a, b) for a in inside for b in outside]
        elif word in _LATER and left and right and words[max(0, i - 1)] != "the" and _joins(words, i):
            pairs.append((_nearest(left, i), _nearest(right, i)))
    return [(a, b) for n, (a, b) in enumerate(pairs) if a != b and (a, b) not in pairs[:n]]


def _joins(words: list[str], i: int) -> bool:
    """ "next" joins clauses at their start; in "next 14 days" it does not."""
    return words[i] != "next" or (i > 0 and words[i - 1] in {",", ";", "."} and words[i + 1 : i + 2] == [","])


def _subordinate(
    i: int, words: list[str], left: list[Mention], right: list[Mention]
) -> tuple[list[Goal], list[Goal]]:
    """The goals inside the clause that word ``i`` opens, and those outside of it."""
    end = next((j for j in range(i + 1, len(words)) if words[j] in {",", ";", ".", "then"}), len(words))
    inside = [m for m in right if m.start < end]
    if not left:  # "After cleaning, forecast …": without a comma only the first goal is inside
        inside = inside if end < len(words) else inside[:1]
        return [m.goal for m in inside], [m.goal for m in right if m not in inside]
    if "and" in words[i:end]:  # "… after cleaning and chart it": what follows "and" is another clause
        stop = words.index("and", i)
        inside = [m for m in inside if m.start < stop] or inside
    return [m.goal for m in inside], [_nearest(left, i)] if inside else []


def _nearest(among: list[Mention], i: int) -> Goal:
    return min(among, key=lambda m: abs(m.start - i)).goal


def _sorted(goals: list[Goal], order: list[tuple[Goal, Goal]]) -> list[Goal]:
    """Goals so that what prepares comes first, charts last, and the stated order holds where it can."""
    rank = {
        g: (PREPARING.index(g) - 10 if g in PREPARING else 50 if g is Goal.CHART else i)
        for i, g in enumerate(goals)
    }
    waiting, done = sorted(goals, key=lambda g: rank[g]), list[Goal]()
    while waiting:
        free = [g for g in waiting if not any(b == g and a in waiting for a, b in order)]
        nxt = (free or waiting)[0]
        waiting.remove(nxt)
        done.append(nxt)
    return done


def _main(goals: list[Goal], order: list[tuple[Goal, Goal]]) -> Goal | None:
    """The goal that others prepare: the last of a stated order, else the first that was named."""
    followers = [b for _, b in order if b in goals]
    return followers[-1] if followers else (goals[0] if goals else None)


_AS_PREPARATION = {
    Goal.DETECT_ANOMALIES: "cleaning",
    Goal.CLEAN: "outlier_removal",
    Goal.DERIVE: "derived_column",
    Goal.BIN: "binning",
    Goal.JOIN: "join",
    Goal.FILTER: "filter",
}
_FROM_PREPARATION = {name: goal for goal, name in _AS_PREPARATION.items()}


def goal_label(reading: GoalReading) -> str:
    """One word for the goals: the main one, ``_and_`` its equals, ``_with_`` what prepares, ``_then_`` what follows."""
    if reading.main is None:
        return "unknown"
    at = reading.goals.index(reading.main)
    before = [_AS_PREPARATION.get(g, g.value) for g in reading.goals[:at] if _prepares(reading, g)]
    after = [g.value for g in reading.goals[at + 1 :] if _follows(reading, g)]
    beside = [g.value for g in reading.goals if not _prepares(reading, g) and not _follows(reading, g)]
    label = "_and_".join([reading.main.value, *(b for b in beside if b != reading.main.value)])
    label += f"_with_{'_and_'.join(before)}" if before else ""
    return label + (f"_then_{'_and_'.join(after)}" if after else "")


def _prepares(reading: GoalReading, goal: Goal) -> bool:
    return goal != reading.main and (goal in PREPARING or (goal, reading.main) in reading.before)


def _follows(reading: GoalReading, goal: Goal) -> bool:
    after_main = (reading.main, goal) in reading.before or goal is Goal.CHART
    return goal != reading.main and not _prepares(reading, goal) and after_main


def parse_label(label: str) -> GoalReading | None:
    """The reading behind a label made by :func:`goal_label`, or None for a word that is not one."""
    head, _, after = label.partition("_then_")
    main, _, before = head.partition("_with_")
    try:
        follows = [Goal(part) for part in after.split("_and_") if part]
        prepares = [_FROM_PREPARATION.get(part) or Goal(part) for part in before.split("_and_") if part]
        goal, *beside = [Goal(part) for part in main.split("_and_")]
    except ValueError:
        return None
    pairs = tuple((p, goal) for p in prepares) + tuple((goal, f) for f in follows)
    return GoalReading((*prepares, goal, *beside, *follows), pairs, goal)
