"""Which columns a prompt speaks of: the measure it is about, what to group by, and what explains what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from gnomon.core.patterns import regex
from gnomon.planning.characteristics import ColumnKinds
from gnomon.planning.lexicon import goal_spans, mended, mentions, tokens_of
from gnomon.planning.nouns import Noun, conditions_of
from gnomon.planning.parameters import parameter_spans
from gnomon.tools import Goal

_STOP_WORDS = """
a an the of in on for to and or with by per each over from using based as at my our your their this
that these those it its is are was were be been do does did me i we you all any some data dataset
table file rows row column columns values value please show find detect analyze analyse give tell get
run make compute calculate check look into between across within after before then next last past
previous weekly daily monthly yearly hourly quarterly week day month year hour quarter weeks days
months years hours quarters results result using use set time will what how has have had been going look like heading want know find out something need please could would can just only about there which who when where why really any anything everything good our us them they he she any much many more most less least up down since estimate analyse behaviour
"""
_STOP = frozenset(_STOP_WORDS.split())
_GROUP = regex(
    r"\b(?:by|per|for each|for every|in each|grouped by|group by|split by|broken down by|across)\s+(?:each\s+|every\s+|the\s+)?([\w ]{2,40})",
    re.I,
)
_PAIRED = {Goal.CORRELATION, Goal.CHART, Goal.DERIVE}
_NO_METRIC = {Goal.INVESTIGATE_ANOMALIES, Goal.SEGMENTS, Goal.PROFILE, Goal.JOIN, Goal.COMPARE, Goal.GEO}
_OF_ROWS = {Goal.INVESTIGATE_ANOMALIES, Goal.SEGMENTS}
_GRAIN = {"hour", "day", "week", "month", "quarter", "year", "date", "time"}


def words_of(name: str) -> list[str]:
    """A column name as words: ``unitPrice_usd`` is unit, price, usd."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [w for w in re.split(r"[^a-z0-9]+", spaced.lower()) if w]


def singular(word: str) -> str:
    """A word without its plural ending, good enough to compare two words."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")) and len(word) > 4:
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


_SUFFIXES = {"id", "name", "code", "hours", "hour", "seconds", "second", "minutes", "days", "usd", "eur", "gbp", "kg", "km",
             "pct", "percent", "amount", "value", "no", "number"}  # fmt: skip


def find_columns(prompt: str, columns: Iterable[str]) -> list[str]:
    """The columns that a prompt names, in the order in which it names them.

    A column is named by all its words, by its words without a unit or "id" at the end, or by a word that
    differs from it in a letter or an ending.
    """
    words = [singular(w) for w in tokens_of(prompt.replace("_", " ")) if w.isalnum()]
    placed: list[tuple[int, int, str]] = []
    for name in columns:
        parts = [singular(w) for w in words_of(name)]
        if not parts:  # a name of signs alone is not said in words
            continue
        core = parts[:-1] if len(parts) > 1 and parts[-1] in {singular(x) for x in _SUFFIXES} else parts
        for wanted in (parts, core):
            if (at := _find(words, wanted)) is not None:
                placed.append((at, -len(wanted), name))
                break
        else:
            if len(core) == 1 and (at := _near(words, core[0])) is not None:
                placed.append((at, -1, name))
    kept: list[str] = []
    covered: set[int] = set()
    for at, length, name in sorted(placed, key=lambda p: (p[1], p[0])):
        span = set(range(at, at - length))
        if not span & covered:
            covered |= span
            kept.append(name)
    return sorted(kept, key=lambda name: next(a for a, _, n in placed if n == name))


def _near(words: list[str], part: str) -> int | None:
    """Where a word stands that is ``part`` but for a slip or an ending ("churn" for churned)."""
    for i, word in enumerate(words):
        if len(word) >= 5 and len(part) >= 5 and (_alike(word, part) or part.removesuffix("ed") == word):
            return i
    return None


def _find(words: list[str], parts: list[str]) -> int | None:
    for at in range(len(words) - len(parts) + 1):
        if words[at : at + len(parts)] == parts:
            return at
    return None


def _alike(a: str, b: str) -> bool:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, a, b).ratio() >= 0.85


_BETWEEN = regex(r"\bbetween\s+(?:the\s+)?([\w -]{2,40})", re.I)
_RANKED = regex(
    r"\b(?:top|bottom|best|worst|first|which|what|largest|smallest|highest|lowest)\s+(?:\d+|\w+)\s+([a-z_]+)",
    re.I,
)
_LISTED = regex(r"\s*(?:,|and|&)\s*")


def group_words(prompt: str) -> list[str]:
    """The words after "by", "per" and their like, each member of a list on its own."""
    return [prompt[start:end].lower() for start, end in _group_spans(prompt)]


def _group_spans(prompt: str) -> list[tuple[int, int]]:
    """Where those words stand, in letters."""
    found: list[tuple[int, int]] = []
    for match in _GROUP.finditer(prompt):
        at = match.start(1)
        for member in _LISTED.split(match.group(1)):
            at = prompt.index(member, at)
            words = list(re.finditer(r"\S+", member))
            cut = next(
                (
                    i
                    for i, w in enumerate(words)
                    if w.group().lower() in _STOP and w.group().lower() not in _GRAIN
                ),
                len(words),
            )
            if not cut:
                break
            found.append((at + words[0].start(), at + words[cut - 1].end()))
            at += len(member)
    return found


def _grouping_spans(prompt: str, goals: Sequence[Goal]) -> list[tuple[int, int]]:
    """Where the words stand whose values make the groups."""
    spans = _group_spans(prompt)
    if Goal.AGGREGATE in goals:
        spans += [m.span(1) for m in _RANKED.finditer(prompt)]
    if {Goal.TEST, Goal.AGGREGATE} & {*goals}:
        spans += [m.span(1) for m in _BETWEEN.finditer(prompt)]
    return spans


def explained_spans(prompt: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The letters of the words that name a goal, and of those that state a parameter or a limit, or nothing."""
    idle = [m.span() for m in re.finditer(r"[A-Za-z']+", prompt) if m.group().lower() in _STOP]
    return goal_spans(prompt), [*parameter_spans(prompt), *idle]


def column_parameters(
    prompt: str, kinds: ColumnKinds, goals: Sequence[Goal] = (), nouns: Sequence[Noun] = ()
) -> dict[str, Any]:
    """``metric``, ``group_by``, ``target``, ``features`` and ``columns`` as far as the words name them.

    ``conditions`` are the values that the words name, as the filter tool takes them; ``read_as`` what the data calls
    otherwise; ``unmatched`` the nouns that name nothing here, with what they would have been.
    """
    if not kinds.columns:
        return _without_data(prompt, goals)
    spoken = [n for n in nouns if n.column in kinds.columns and n.value is None]
    named = list(dict.fromkeys(n.column for n in spoken if n.column is not None))
    named += [c for c in find_columns(prompt, kinds.columns) if c not in named]
    spans = _grouping_spans(prompt, goals)
    found: dict[str, Any] = {}
    grouped = _groups(prompt, kinds, goals, spoken, spans)
    values = [n for n in nouns if n.value is not None and n.column in kinds.columns]
    grain = _grain(prompt, [c for c in named if c.lower() not in _GRAIN])
    periods = _periods(grain, kinds) if grain else {}
    grouped += [c for c in (*_compared(values), *periods.pop("group_by", ())) if c not in grouped]
    if grouped:
        found["group_by"] = grouped
    measures = [c for c in named if c in kinds.numeric and c not in grouped and c not in kinds.ids]
    counted = [c for c in named if c not in {*grouped, *kinds.time, *kinds.numeric, *kinds.ids}]
    if measures and not (len(measures) > 1 and set(goals) <= _PAIRED):
        found["metric"] = measures[0]
    elif counted and (Goal.REGRESSION in goals or re.search(r"\b(?:distinct|unique)\b", prompt, re.I)):
        found["metric"] = counted[0]
    others = [c for c in named if c not in kinds.time and c not in grouped]
    if len(others) > 1:
        found["columns"] = others
        target, features = _target(prompt, others)
        found |= {"target": target, "features": features}
    found |= periods
    told = _told(
        prompt,
        nouns,
        values,
        spans,
        goals,
        kinds,
        asked_for=("group_by", *(["columns"] if len(others) < 2 else [])),
    )
    if len(others) == 1 and any(e["role"] == "columns" for e in told.get("unmatched", ())):
        found["columns"] = others  # the other one is asked for
    if len(others) == 1 and {*goals} & _OF_ROWS:
        # What the rows are looked at by; when a row was read tells what it is compared with.
        found["columns"] = [*(kinds.time[:1] if Goal.INVESTIGATE_ANOMALIES in goals else ()), *others]
    return found | told


def _groups(
    prompt: str,
    kinds: ColumnKinds,
    goals: Sequence[Goal],
    spoken: Sequence[Noun],
    spans: list[tuple[int, int]],
) -> list[str]:
    """The columns whose values make the groups."""
    labels = [*kinds.categorical, *kinds.ids, *kinds.text]
    inside = [n for n in spoken if any(s <= n.start < e for s, e in spans)]
    found = [n.column for n in inside if n.column in labels]
    # Among all columns: what names a date is no half of the name of an identifier ("order_date", "order_id").
    found += [c for s, e in spans for c in find_columns(prompt[s:e], kinds.columns) if c in labels]
    beside = [n for n in spoken if n not in inside and n.column in kinds.measures]
    if Goal.AGGREGATE in goals and not _RANKED.search(prompt):
        # "average pay by age": ages make groups where something else is measured
        numbers = [n.column for n in inside if n.column in kinds.numeric]
        found += numbers if beside or re.search(r"\b(?:count|how many|number of)\b", prompt, re.I) else []
        found += [n.column for n in inside if n.column in kinds.time and n.text.lower() not in _GRAIN]
    return list(dict.fromkeys(found))


def _compared(values: Sequence[Noun]) -> list[str]:
    """The columns of which several values are named: each is to be seen by itself."""
    columns = [n.column for n in values if not n.without and n.column]
    return [c for c in dict.fromkeys(columns) if columns.count(c) > 1]


def _periods(grain: str, kinds: ColumnKinds) -> dict[str, Any]:
    """Periods of that length, from the column called so where there is one."""
    own = find_columns(grain, kinds.columns)
    if not own:
        return {"grain": grain}
    return {"grain": grain, "time": own[0]} if own[0] in kinds.time else {"group_by": [own[0]]}


def _told(
    prompt: str,
    nouns: Sequence[Noun],
    values: Sequence[Noun],
    spans: list[tuple[int, int]],
    goals: Sequence[Goal],
    kinds: ColumnKinds,
    *,
    asked_for: Sequence[str],
) -> dict[str, Any]:
    """What is said about nouns beyond the columns that they name.

    What rows are called is only told where it stands for something that is ``asked_for``.
    """
    found: dict[str, Any] = {}
    if conditions := conditions_of(values):
        found["conditions"] = conditions
    if meant := {n.text: n.meant for n in nouns if n.meant is not None and n.column in kinds.columns}:
        found["read_as"] = meant
    unmatched: list[dict[str, Any]] = []
    measured = any(n.column in kinds.measures and n.value is None for n in nouns)
    for n in nouns:
        role = _role(n, prompt, spans, goals, measured=measured)
        if n.column not in kinds.columns and not (n.is_row and role not in asked_for):
            unmatched.append({"noun": n.text, "role": role} | ({"among": list(n.among)} if n.among else {}))
    return found | ({"unmatched": unmatched} if unmatched else {})


_AS = regex(r"\bas\s+(?:an?\s+)?$", re.I)
_COUNTED = regex(r"\b(?:how many|number of|count(?: of| the| all| all the)?)\s+(?:the\s+)?$", re.I)


_RANKED_BY = regex(rf"{_RANKED.pattern}\b.*\bby\s+(?:the\s+)?$", re.I)


def _role(
    noun: Noun, prompt: str, spans: list[tuple[int, int]], goals: Sequence[Goal], *, measured: bool = False
) -> str:
    """What a noun that names nothing would have been: groups, what is measured, a form of the result, or about the rows.

    ``measured`` says whether something that can be measured is named.
    """
    if _AS.search(prompt[: noun.start]) or noun.text.lower().endswith(" format"):
        return "form"
    if noun.among:
        return "value"
    if inside := [s for s, e in spans if s <= noun.start < e]:
        # "top 5 stores by profit": what things are ranked by is measured, unless something else is
        ranked = not measured and any(_RANKED_BY.search(prompt[:start]) for start in inside)
        return "metric" if ranked else "group_by"
    if noun.of_rows or not set(goals) - _NO_METRIC or _COUNTED.search(prompt[: noun.start]):
        return "rows"
    return "columns" if set(goals) <= {*_PAIRED, Goal.REGRESSION} else "metric"


def _without_data(prompt: str, goals: Sequence[Goal]) -> dict[str, Any]:
    """What the nouns of a prompt say where there are no columns to compare them with."""
    found: dict[str, Any] = {}
    groups = [g for g in group_words(prompt) if g not in _GRAIN and not g.split()[-1].isdigit()]
    if groups and Goal.CHART not in goals[:1]:
        found["group_by"] = groups
    if (noun := _metric_noun(prompt, goals)) and noun not in groups:
        found["metric"] = noun
    if grain := _grain(prompt, []):
        found["grain"] = grain
    return found


def _target(prompt: str, columns: list[str]) -> tuple[str, list[str]]:
    """What is explained, and by what: "effect of X on Y", "what drives Y", "predict Y from X"."""
    on = re.search(r"\b(?:effects?|influence|impact)\s+of\b.+?\bon\s+(.+)", prompt, re.I)
    if on and (after := find_columns(on.group(1), columns)):
        return after[0], [c for c in columns if c != after[0]]
    affect = re.search(
        r"\b(?:affects?|influences?|explains?|drives?|predicts?|determines?)\s+(.+)", prompt, re.I
    )
    if affect and (after := find_columns(affect.group(1), columns)):
        return after[0], [c for c in columns if c != after[0]]
    return columns[0], columns[1:]


def _grain(prompt: str, named: Sequence[str]) -> str | None:
    text = prompt.lower()
    for name in named:  # "annual" in "annual spend" belongs to the column
        if spoken := " ".join(words_of(name)):  # a name of signs alone has no words to take out
            text = text.replace(spoken, " ")
    adverbs = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annual": "year"}  # fmt: skip
    for word, grain in adverbs.items():
        if re.search(rf"\b{word}\b(?!\s+(?:pattern|rhythm|cycle|season|periodic))", text):
            return grain
    match = re.search(r"\b(?:by|per|each|every)\s+(hour|day|week|month|quarter|year)\b", text)
    return match.group(1) if match else None


def _metric_noun(prompt: str, goals: Sequence[Goal]) -> str | None:
    """The noun that the first goal is about: after its word ("anomalies in sales data"), else before it."""
    words = tokens_of(prompt)
    found = [m for m in mentions(mended(words)) if m.goal in goals]
    if not found or set(goals) & _NO_METRIC or set(goals) <= _PAIRED:
        return None
    taken = {i for m in mentions(mended(words)) for i in range(m.start, m.end)}
    content = [_is_noun(words, i) and i not in taken for i in range(len(words))]
    main = next((m for m in found if m.goal not in {Goal.CLEAN, Goal.CHART}), found[0])
    after = _phrase(words, content, range(main.end, min(main.end + 5, len(words))))
    if after and not any(words[i] in {",", ";", ".", "?"} for i in range(main.end, after[0])):
        return " ".join(words[i] for i in after)
    before = _phrase(words, content, range(main.start - 1, max(-1, main.start - 6), -1))
    chosen = before or after
    return " ".join(words[i] for i in sorted(chosen)) if chosen else None


def _phrase(words: list[str], content: list[bool], positions: range) -> list[int]:
    """The first run of up to three content words among ``positions``."""
    run: list[int] = []
    for i in positions:
        if content[i]:
            run.append(i)
            if len(run) == 3:
                break
        elif run or words[i] in {";", ".", "?"}:
            break
    return run


def _is_noun(words: list[str], i: int) -> bool:
    word = words[i]
    return (
        word.isalpha()
        and len(word) > 2
        and word not in _STOP
        and word not in _NUMBERS
        and not word.endswith(("ing", "ly"))
    )


_NUMBERS = frozenset("one two three four five six seven eight nine ten twelve dozen hundred".split())  # noqa: SIM905
