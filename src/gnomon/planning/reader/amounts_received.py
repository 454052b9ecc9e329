"""Bounds that only a verb tells the column of: “senators who received less than 20,000”, “donors who gave over 500”."""

from __future__ import annotations

import re

from gnomon.core.patterns import late_pattern
from gnomon.planning.reader.payments import is_paid
from gnomon.semantic import Dimension, DimensionType, SemanticModel

_BOUND = late_pattern(
    r"\b(?P<verb>received|receive|got|get|gave|give|given|earned|earn|earns|spent|spend|spends|paid|pay|pays|raised|raise|donated|donate|collected|collect|won|made)\s+"
    r"(?P<bound>(?:less\s+than|fewer\s+than|more\s+than|over|under|above|below|at\s+least|at\s+most|up\s+to|exactly|no\s+more\s+than)\s+[$€£]?\d[\d,.]*\d?(?:\s?(?:k|m|bn|thousand|million|billion)\b)?(?:\s+(?:dollars|euros|pounds|usd|eur|gbp))?)"
    r"(?=\s*(?:[?.!,]|$)|\s+(?:in|by|from|for|during|per|and|each|on)\b)",
    re.IGNORECASE,
)


def with_amount(question: str, model: SemanticModel) -> tuple[str, dict[str, str]]:
    """The question with such a bound put on the one amount of its rows, and what was put so."""
    found = _BOUND.search(question)
    amount = _amount(model) if found is not None else None
    if found is None or amount is None:
        return question, {}
    plain = f"with {amount.label} {found['bound']}"
    before = re.sub(r"\b(?:who|that|which|have|has)\s+$", "", question[: found.start()], flags=re.IGNORECASE)
    return f"{before}{plain}{question[found.end() :]}", {found[0]: plain}


def _amount(model: SemanticModel) -> Dimension | None:
    """The one column of numbers there is, or the one that is paid."""
    numbers = [d for d in model.dimensions if d.type is DimensionType.NUMBER]
    paid = [d for d in numbers if is_paid(d)]
    if len(paid) == 1:
        return paid[0]
    return numbers[0] if len(numbers) == 1 and numbers[0].unit in (None, "money") else None
