"""A series tool that answers for all rows and for each group of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from gnomon.core.errors import CalculationError
from gnomon.tools.columns import known
from gnomon.tools.contract import ToolContext
from gnomon.tools.frames import Frame
from gnomon.tools.outputs import GroupedOutput, GroupFinding, Output
from gnomon.tools.resolve import read_frame

MAX_GROUPS = 20

Run = Callable[[Any, ToolContext], Output]


def for_each_group(run: Run) -> Run:
    """``run`` for all rows and, where ``group_by`` names columns, once more for each of the largest groups."""

    @wraps(run)
    def both(given: Any, context: ToolContext) -> Output:
        whole = run(given, context)
        if not given.group_by:
            return whole
        frame = read_frame(given.data, context)
        columns = [known(frame, c) for c in given.group_by]
        parts = sorted(frame.groupby(columns, dropna=False, sort=False), key=lambda part: -len(part[1]))
        findings: list[GroupFinding] = []
        for number, (key, rows) in enumerate(parts[:MAX_GROUPS]):
            context.cancel.check()
            context.progress(number / min(len(parts), MAX_GROUPS), "groups")
            alone = given.model_copy(update={"data": Frame.of(rows.drop(columns=columns)), "group_by": []})
            findings.append(_finding(run, alone, context, dict(zip(columns, map(_label, key), strict=True))))
        left_out = max(0, len(parts) - MAX_GROUPS)
        assert isinstance(whole, GroupedOutput)
        return whole.model_copy(update={"groups": findings, "groups_left_out": left_out})

    return both


def _finding(run: Run, given: Any, context: ToolContext, group: dict[str, str | None]) -> GroupFinding:
    try:
        found = run(given, context)
    except CalculationError as e:  # too few rows in one group says nothing about the others
        return GroupFinding(group=group, summary=e.message, result={})
    result = {k: v for k, v in found.model_dump().items() if not isinstance(v, Frame)}
    for name in ("summary", "groups", "groups_left_out"):
        result.pop(name, None)
    return GroupFinding(group=group, summary=found.summary, result=result)


def _label(value: Any) -> str | None:
    import pandas as pd

    return None if pd.isna(value) else str(value)
