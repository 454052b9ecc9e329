"""Reads feedback given in words: number, unit, intent and polarity, never whole sentences.

``read`` turns a sentence into a structured change with a confidence. What is certain is carried out;
anything below 0.8 is for the caller to confirm.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from gnomon.anomaly.feedback_amounts import find_amounts, find_seconds
from gnomon.anomaly.feedback_entities import (
    Amount,
    Mention,
    Rows,
    find_detectors,
    find_rows,
    marks,
    normalise,
)
from gnomon.anomaly.feedback_lexicon import Mark
from gnomon.anomaly.feedback_names import read_detectors

CONFIDENT: Final = 0.8
EXAMPLES: Final = '"flag 1 %", "row 7 is normal", "try without KNN", "too many false positives", "why row 12"'

Change = dict[str, Any]


@dataclass(frozen=True)
class Context:
    """What a sentence may refer to.

    Attributes:
        detectors: Every detector that can be planned.
        planned: The detectors of the current plan.
        n_rows: How many rows there are.
        flagged: How many rows are flagged now.
        ranking: Rows, most anomalous first.
        failed: Detectors that failed in the last run.
    """

    detectors: Sequence[str]
    planned: Sequence[str]
    n_rows: int
    flagged: int
    ranking: Sequence[int]
    failed: Sequence[str] = ()


@dataclass(frozen=True)
class Reading:
    """What a sentence was taken to mean: ``change`` is None where nothing can be proposed."""

    change: Change | None
    confidence: float
    reason: str


def read(sentence: str, context: Context) -> Reading:
    """The change that ``sentence`` asks for.

    Args:
        sentence: Feedback in words.
        context: What it may refer to.
    """
    text = normalise(sentence)
    mentions = find_detectors(text, sentence, context.detectors)
    masked = _mask(text, mentions)
    rows = find_rows(masked, context.ranking)
    found = marks(_mask(masked, rows))
    unknown = [r for part in rows for r in part.rows if not 0 <= r < context.n_rows]
    if unknown:
        return Reading(None, 0.3, f"There is no row {unknown[0]}: rows go from 0 to {context.n_rows - 1}.")
    if rows and (_asks_why(found, rows) or re.match(r"\W*(?:is|was|are|were|should) ·", _mask(masked, rows))):
        return Reading(
            {"action": "explain", "rows": sorted({r for p in rows for r in p.rows})},
            0.95,
            "Asked for the reason.",
        )
    parts = [
        part
        for part in (
            _read_rows(masked, found, rows, context),
            read_detectors(text, mentions, found, list(context.planned)),
        )
        if part is not None
    ]
    parts = [Reading(*p) for p in parts]
    amount = _read_amount(_mask(masked, rows), found, context, alone=not parts)
    if amount:
        parts.append(amount)
    if parts and not amount:
        aside = _aside(text, found, [*rows, *mentions], context)
        parts += [aside] if aside else []
    if not parts:
        parts = [r for r in (_read_direction(text, found, context), _read_run(text, found, context)) if r][:1]
    if not parts:
        parts = [_read_closing(text, found, context)]
    return _together(parts)


def _aside(text: str, found: list[Mark], spans: Sequence[Rows | Mention], context: Context) -> Reading | None:
    """A wish for fewer or more in a clause of its own ("fewer alerts, but keep IForest")."""
    start = 0
    for end in [*(m.start() for m in re.finditer(r"[,;.!?]|\bbut\b", text)), len(text)]:
        own = [m for m in found if start <= m.start < end and m.text.strip() in ("fewer", "less", "more")]
        if own and not any(start <= s.start < end for s in spans):
            return _read_direction(text[start:end], own, context)
        start = end
    return None


def _mask(text: str, spans: Sequence[Rows | Mention]) -> str:
    for span in spans:
        text = text[: span.start] + "·" * (span.end - span.start) + text[span.end :]
    return text


def _together(parts: list[Reading]) -> Reading:
    if len(parts) == 1:
        return parts[0]
    changes = [p.change for p in parts if p.change is not None]
    if len(changes) < len(parts):
        return next(p for p in parts if p.change is None)
    reason = " ".join(p.reason for p in parts)
    return Reading({"action": "batch", "changes": changes}, min(p.confidence for p in parts), reason)


def _asks_why(found: list[Mark], rows: list[Rows]) -> bool:
    asks = [m for m in found if m.intent == "explain"]
    return any(m.start < rows[-1].end and not m.negated for m in asks) or any(
        m.text in ("why", "how come") for m in asks
    )


def _read_rows(
    text: str, found: list[Mark], rows: list[Rows], context: Context
) -> tuple[Change, float, str] | None:
    """Rows called normal or anomalous: each group takes the verdict after it, else the one before."""
    if not rows:
        return None
    normal: set[int] = set()
    anomalous: set[int] = set()
    confidence = 0.9
    verdicts = [v for v in (_verdict(m) for m in found) if v is not None]
    for i, group in enumerate(rows):
        upto = rows[i + 1].start if i + 1 < len(rows) else len("·") * 10**6
        after = [v for v in verdicts if group.end <= v[0] < upto]
        before = [v for v in verdicts if v[0] < group.start]
        recent = [v for v in before if v[0] >= (rows[i - 1].end if i else 0)]
        chosen = _strongest(after) or _strongest(recent) or (before[-1] if before else None)
        if (
            not after
            and chosen
            and re.match(r"\s*(?:is|are|was|were|does|do)(?:n't| not)\b", text[group.end : upto])
        ):
            chosen = chosen[0], not chosen[1], chosen[2]
        elif (
            not after
            and chosen
            and i
            and re.fullmatch(r"\s*(?:is|are|was|were|does|do)\W*", text[group.end : upto])
        ):
            denied = re.search(r"\bnot\b|n't", text[rows[i - 1].end : group.start])
            chosen = chosen[0], chosen[1] != bool(denied), chosen[2]
        if chosen is None:
            later = [v for v in verdicts if v[0] >= group.end]
            chosen = later[0] if later else None
        if chosen is None and re.search(r"disagree|object|not (?:agree|convinced|sure)", text):
            chosen = group.start, group.rows[0] not in list(context.ranking[: context.flagged]), 0.7
        if chosen is None:
            return None
        confidence = min(confidence, chosen[2])
        (anomalous if chosen[1] else normal).update(group.rows)
    if not normal and not anomalous:
        return None
    clash = normal & anomalous
    if clash:
        return (
            {"action": "label", "normal": sorted(normal - clash), "anomalous": sorted(anomalous)},
            0.5,
            "Two verdicts on one row.",
        )
    said = [
        f"{_list(sorted(part))} {word}"
        for part, word in ((normal, "normal"), (anomalous, "anomalous"))
        if part
    ]
    return (
        {"action": "label", "normal": sorted(normal), "anomalous": sorted(anomalous)},
        confidence,
        f"Marked {'; '.join(said)}.",
    )


def _strongest(verdicts: list[tuple[int, bool, float]]) -> tuple[int, bool, float] | None:
    return max(verdicts, key=lambda v: (v[2], -v[0])) if verdicts else None


def _verdict(m: Mark) -> tuple[int, bool, float] | None:
    """Where a mark stands, whether it calls a row anomalous, and how sure that is."""
    if m.intent == "normal":
        return m.start, m.negated, 0.92 if m.text.startswith("false") else 0.9
    if m.intent == "anomalous":
        return m.start, not m.negated, 0.9
    if m.intent == "flag" and re.match(r"flag|mark|label|report|highlight", m.text):
        return m.start, not m.negated, 0.85
    if m.intent == "exclude" and re.match(
        r"exclud|drop|remov|ignor|skip|omit|discard|leav|forget|tak|get", m.text
    ):
        return m.start, m.negated, 0.84
    if m.intent == "more" and re.match(r"miss|overlook|slipped|escaped", m.text):
        return m.start, not m.negated, 0.86
    return (
        (m.start, not m.negated, 0.82)
        if m.intent == "include" and m.text.startswith(("add", "includ"))
        else None
    )


def _list(rows: Sequence[int]) -> str:
    shown = ", ".join(str(r) for r in rows[:8]) + (", …" if len(rows) > 8 else "")
    return ("row " if len(rows) == 1 else "rows ") + shown


def _read_amount(text: str, found: list[Mark], context: Context, *, alone: bool) -> Reading | None:
    amounts = find_amounts(text)
    if not amounts or context.n_rows == 0:
        return None
    if not alone and not any(m.intent == "flag" and m.text != "report" for m in found):
        return None
    amount = (
        amounts[-1]
        if len(amounts) > 1 and re.search(r"\bfrom\b.*\bto\b|\bnot\b.*\bbut\b", text)
        else amounts[0]
    )
    complaint = re.match(
        r"\W*(?:of \w+ )?(?:\w+ ){0,2}(?:is|are|seems?|looks?|feels?|was) (?:\w+ )?(?:far |way |much )?(too (?:many|much|high|few|little|low))",
        text[amount.end :],
    )
    if complaint:
        return _step(
            context, 0.5 if complaint[1].endswith(("many", "much", "high")) else 1.5, "amount called wrong"
        )
    value = _value(amount, context)
    value = None if value is None else round(value, 9)
    if value is None or not 0 < value <= 0.5:
        limit = "between one row and half of the rows"
        return Reading(
            None,
            0.3,
            f"That would flag {0 if value is None else value:.3g} of the rows; the share must lie {limit}.",
        )
    aims = any(m.intent in ("flag", "only", "fewer", "more", "anomalous") for m in found)
    confidence = 0.9 if aims or amount.kind != "share" else 0.7
    if amount.kind == "count" and not aims:
        confidence = 0.75
    flagged = max(1, round(value * context.n_rows))
    return Reading(
        {"action": "adjust_contamination", "value": value},
        confidence,
        f"Flag {100 * value:.3g} % of the rows ({flagged:,} of {context.n_rows:,}).",
    )


def _value(amount: Amount, context: Context) -> float | None:
    n, current = context.n_rows, max(context.flagged, 1)
    rows = {
        "share": amount.value * n,
        "count": amount.value,
        "factor": current * amount.value,
        "fewer_rows": context.flagged - amount.value,
        "more_rows": context.flagged + amount.value,
    }[amount.kind]
    if amount.kind == "share":
        return amount.value
    return rows / n if rows >= 0.5 else None


def _read_direction(text: str, found: list[Mark], context: Context) -> Reading | None:
    """Fewer or more, without a number: the step is proposed, not taken."""
    rivals = [m for m in found if m.intent in ("fewer", "more", "rerun", "replan", "accuracy", "speed")]
    wanted = [m for m in rivals if m.intent in ("fewer", "more") and not any(_covers(o, m) for o in rivals)]
    if not wanted:
        return None
    if any(m.intent in ("speed", "accuracy") and m.end - m.start >= 4 for m in found) and not any(
        _named(m) for m in wanted
    ):
        return None
    if any(m.intent == "replan" for m in found) and not any(_named(m) for m in wanted):
        return None
    strong = [m for m in wanted if _named(m)]
    mark = (strong or wanted)[0]
    fewer = mark.intent == "fewer"
    if mark.negated and _named(mark):
        if re.search(
            r"please|want|make sure|must|afford|should|allow|do not miss|never miss|can not|need", text
        ):
            pass
        else:
            return Reading({"action": "accept"}, 0.7, "Nothing to correct was reported.")
    elif mark.negated and re.match(r"fewer|less|strict|conservative|tight", mark.text):
        fewer = False
    elif mark.negated and re.match(r"more|raise|increase|sensitive|wid|loos|relax", mark.text):
        fewer = True
    strength = 0.0
    for m in found:
        strength = (
            {"slightly": 1.0, "strongly": 2.0}.get(m.intent, strength)
            if m.start < mark.end + 12 and m.text != "many"
            else strength
        )
    factor = {0.0: 0.5, 1.0: 0.8, 2.0: 0.25}[strength] if fewer else {0.0: 1.5, 1.0: 1.2, 2.0: 3.0}[strength]
    return _step(context, factor, mark.text)


def _covers(longer: Mark, m: Mark) -> bool:
    return longer.start <= m.start and m.end <= longer.end and longer.end - longer.start > m.end - m.start


def _named(m: Mark) -> bool:
    """Whether the mark names the mistake itself, not only a direction."""
    return bool(
        re.match(
            r"false|miss|slip|overlook|undetect|escap|over-?|under-?|nois|too noisy|cry|swamp|flood|overwhelm|not (?:catch|find|see|spot|flag)|fail|did",
            m.text,
        )
    )


def _step(context: Context, factor: float, why: str) -> Reading:
    n = max(context.n_rows, 1)
    if context.flagged == 0 and factor < 1:
        return Reading(None, 0.5, "Nothing is flagged, so nothing fewer can be.")
    start = context.flagged if context.flagged else max(1.0, 0.01 * n)
    rows = round(start * factor) if context.flagged else round(start)
    rows = max(1, min(rows, context.flagged - 1 if factor < 1 else n // 2))
    rows = max(rows, context.flagged + 1) if factor > 1 else max(rows, 1)
    value = min(rows / n, 0.5)
    direction = "fewer" if factor < 1 else "more"
    return Reading(
        {"action": "adjust_contamination", "value": value},
        0.65,
        f'Read "{why.strip()}" as {direction} flags: from {context.flagged:,} to {rows:,} of {context.n_rows:,} rows ({100 * value:.3g} %).',
    )


def _read_run(text: str, found: list[Mark], context: Context) -> Reading | None:
    """How to run, not what to flag: recover, faster, more accurate, something else, again."""
    intents = {m.intent for m in found if not m.negated}
    seconds = find_seconds(text)
    if "recover" in intents and context.failed:
        return Reading({"action": "recover"}, 0.9, f"Replace {', '.join(context.failed)}.")
    if "undo" in intents:
        return Reading({"action": "undo"}, 0.9, "Return to the plan before the last change.")
    if "auto" in intents and "replan" not in intents:
        return Reading(
            {"action": "adjust_contamination", "value": "auto"}, 0.85, "Estimate the share from the scores."
        )
    if seconds is not None and (
        "speed" in intents
        or re.search(r"within|under|less than|at most|budget|limit|in\b|max|no more|have|got|give", text)
    ):
        change: Change = {"action": "replan", "priority": "speed", "constraints": {"max_seconds": seconds}}
        return Reading(change, 0.85, f"Stay within {seconds:g} seconds.")
    slow = any(m.intent == "speed" and not m.negated for m in found)
    if slow:
        return Reading({"action": "replan", "priority": "speed"}, 0.85, "Choose faster detectors.")
    if "accuracy" in intents:
        return Reading(
            {"action": "replan", "priority": "accuracy"}, 0.82, "Choose the most accurate detectors."
        )
    if "replan" in intents:
        return Reading({"action": "replan"}, 0.85, "Try detectors that have not been tried.")
    if "rerun" in intents:
        return Reading({"action": "rerun"}, 0.9, "Fit the same plan with a new seed.")
    return None


def _read_closing(text: str, found: list[Mark], context: Context) -> Reading:
    kinds = {m.intent for m in found}
    if any(m.intent in ("accept", "normal") and m.negated for m in found) or re.search(
        r"\bnot (?:like|happy|trust|believe|convinced|work|help|useful|agree|buy|sure)|\b(?:wrong|bad|terrible|useless|garbage|rubbish|nonsense|awful)\b",
        text,
    ):
        return Reading({"action": "replan"}, 0.6, "The result was rejected; other detectors can be tried.")
    if "report" in kinds and not any(m.intent == "report" and m.negated for m in found):
        return Reading({"action": "report"}, 0.9, "Asked for the report.")
    if "explain" in kinds and re.search(r"\bwhy\b|explain|reason", text):
        return Reading(
            {
                "action": "explain",
                "rows": [int(r) for r in context.ranking[: max(1, min(context.flagged or 3, 5))]],
            },
            0.8,
            "Asked for the reasons.",
        )
    all_fine = re.search(r"\b(?:these|those|they|them|all|everything)\b", text) and "normal" in kinds
    if all_fine and not re.search(r"everything (?:looks|is|seems)", text) and context.flagged:
        flagged = [int(r) for r in context.ranking[: context.flagged]]
        return Reading(
            {"action": "label", "normal": flagged, "anomalous": []},
            0.6,
            f"All {len(flagged):,} flagged rows are normal?",
        )
    if (
        "accept" in kinds
        or "normal" in kinds
        or re.fullmatch(
            r"\W*(?:yes|ok|okay|good|fine|sure|right|correct|yep|cool)[\W]*(?:please|thanks|good)?\W*", text
        )
    ):
        return Reading({"action": "accept"}, 0.9, "The result was accepted.")
    numbers = re.findall(r"(?<![\w.])\d+(?![\w.])", text)
    if len(numbers) == 1 and 0 < int(numbers[0]) <= context.n_rows / 2:
        share = int(numbers[0]) / context.n_rows
        return Reading({"action": "adjust_contamination", "value": share}, 0.5, f"Flag the top {numbers[0]}?")
    return Reading(None, 0.0, f"That was not understood. Say for example {EXAMPLES}.")
