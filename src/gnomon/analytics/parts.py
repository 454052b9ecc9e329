"""What happened to a metric, part by part: where, how much, and what would have come without it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gnomon.analytics.drivers import Segment
from gnomon.analytics.inputs import Bools, Floats
from gnomon.analytics.segment_field import Field, Found
from gnomon.core.parts import Filter


@dataclass(frozen=True, slots=True)
class Part:
    """Something that happened to the metric: where, how much, and what each leaf would have come to without it."""

    segment: Segment
    leaves: Bools
    expected: Floats
    size: float
    everything: bool


def parts_of(
    field: Field,
    focus: Bools,
    inner: Field,
    level: float,
    found: Sequence[Found],
    *,
    whole: bool,
    expected: float | None,
) -> list[Part]:
    """What happened, part by part, each with what would have come without it.

    Args:
        field: All leaves.
        focus: The leaves that the question is about.
        inner: The field of those leaves alone.
        level: How everything else in focus moved against the earlier period.
        found: The segments that moved apart.
        whole: Whether everything in focus moved beyond its ordinary course.
        expected: What the whole was expected to be.
    """
    base = field.base.copy()
    told, inner_told = math.fsum(base[focus]), math.fsum(inner.base)
    previous = math.fsum(inner.values[1]) if inner.weights is None else inner_told
    ordinary = base.copy()
    outside = ~focus
    if outside.any() and math.fsum(base[outside]) > 0:
        ordinary[outside] *= math.fsum(field.values[0][outside]) / math.fsum(base[outside])
    rest = level * previous / told if told else 1.0
    ordinary[focus] *= rest
    leaves_of = [_leaves(field, f.segment) & focus for f in found]
    multipliers = [f.actual / f.expected if f.expected > 0 else 1.0 for f in found]
    per = 1.0 if field.weights is None else float(field.weights[0][focus].sum()) or 1.0
    parts: list[Part] = []
    for i, f in enumerate(found):
        e = ordinary.copy()
        for j, leaves in enumerate(leaves_of):
            if j != i:
                e[leaves] *= multipliers[j]
        parts.append(Part(f.segment, leaves_of[i], e, (f.actual - f.expected) / per, False))
    if whole:
        e = base.copy()
        if outside.any():
            e *= (
                math.fsum(field.values[0][outside]) / math.fsum(base[outside])
                if math.fsum(base[outside]) > 0
                else 1.0
            )
        elif field.weights is None and expected is not None and told > 0:
            e *= expected / told
        for j, leaves in enumerate(leaves_of):
            e[leaves] *= multipliers[j]
        size = (math.fsum(field.values[0][focus]) - math.fsum(e[focus])) / per
        parts.append(Part((), focus, e, size, not outside.any()))
    return sorted(parts, key=lambda p: -abs(p.size))


def _leaves(field: Field, segment: Segment) -> Bools:
    chosen = np.ones(field.values.shape[1], dtype=np.bool_)
    for d, v in segment:
        hit = np.array([x == v for x in field.labels[d]], dtype=np.bool_)
        chosen &= hit[field.codes[d]]
    return chosen


def focused(parts: Sequence[Part], focus: Sequence[Filter]) -> list[Part]:
    """The parts with the conditions of the question added to their segments, where those name one value each."""
    single: Segment = tuple((f.field, f.values[0]) for f in focus if len(f.values) == 1)
    return [
        replace(p, segment=(*single, *(s for s in p.segment if s[0] not in {d for d, _ in single})))
        for p in parts
    ]
