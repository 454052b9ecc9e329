"""What a goal in words asks for: how near each column, group and kind of finding is to it.

Nearness comes from the names and synonyms of the model and from the meaning of the words; it orders what was
found and never adds to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gnomon.analytics.insight.finding import Finding, Kind
from gnomon.analytics.insight.space import Measure
from gnomon.core.errors import InvalidInput
from gnomon.core.patterns import regex
from gnomon.semantic.model import SemanticModel, singular

MAX_GOAL = 2_000
_FAR, _NEAR = 0.22, 0.55
_FIGURE = 0.35
_WORD = regex(r"[A-Za-z][A-Za-z']*|\d+")
_LIGHT = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "and",
        "or",
        "with",
        "from",
        "as",
        "is",
        "are",
        "be",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "which",
        "who",
        "whom",
        "how",
        "what",
        "when",
        "where",
        "why",
        "any",
        "some",
        "all",
        "most",
        "more",
        "less",
        "than",
        "into",
        "over",
        "per",
        "across",
        "during",
        "within",
        "between",
        "about",
        "such",
        "their",
        "there",
        "our",
        "your",
        "my",
        "we",
        "i",
        "you",
        "they",
        "could",
        "would",
        "should",
        "may",
        "might",
        "can",
        "will",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "not",
        "no",
        "own",
        "aim",
        "order",
        "identify",
        "analyze",
        "analyse",
        "analyzing",
        "understand",
        "understanding",
        "find",
        "examine",
        "assess",
        "determine",
        "investigate",
        "explore",
        "evaluate",
        "highlight",
        "improve",
        "improving",
        "enhance",
        "ensure",
        "propose",
        "data",
        "dataset",
        "table",
        "insight",
        "insights",
        "actionable",
        "potential",
        "specific",
        "certain",
        "overall",
        "different",
        "various",
        "perhaps",
        "help",
        "helps",
        "using",
        "use",
        "utilize",
        "based",
        "value",
        "values",
        "number",
        "sys",
        "id",
        "name",
        "names",
        "at",
        "on",
    ]
)
_KINDS = {
    Kind.LEADER: "imbalance in the distribution, uneven concentration, which one has the most, overload of one",
    Kind.EVEN: "even distribution, discrepancy and imbalance across groups",
    Kind.DIFFERENCE: "differences between groups, discrepancy, disparity, which group takes longer or costs more",
    Kind.TREND: "trend over time, increase or decrease over the months",
    Kind.SEGMENT_TREND: "increasing trend of one group over time while others stay the same",
    Kind.CHANGE: "sudden change of the level at a point in time",
    Kind.OUTLIER: "anomaly in a time window, spike in a certain period",
    Kind.SEASON: "seasonal pattern, day of the week",
    Kind.CORRELATION: "correlation, relationship between two figures, how one influences the other",
    Kind.LAG: "one figure follows another later, leading indicator",
    Kind.ASSOCIATION: "which groups go together, concentration of one kind in one place, rates of success or rejection",
    Kind.CONCENTRATION: "how many come on each, load per person, number of reports per manager",
    Kind.SEGMENTS: "segments and kinds of customers, clusters",
    Kind.NOTHING: "",
}


@dataclass(frozen=True)
class Goal:
    """A goal, and how near everything is to it (0 to 1)."""

    text: str
    words: frozenset[str]
    columns: dict[str, float] = field(default_factory=dict[str, float])
    kinds: dict[Kind, float] = field(default_factory=dict[Kind, float])
    named: frozenset[str] = frozenset()

    @classmethod
    def of(cls, text: str | None, model: SemanticModel) -> Goal | None:
        """What the goal says about the columns of a model; None where there is none.

        Raises:
            InvalidInput: It is far too long.
        """
        if text is None or not text.strip():
            return None
        if len(text) > MAX_GOAL:
            raise InvalidInput(f"The goal has {len(text):,} characters; {MAX_GOAL:,} are the most.")
        said = text.strip()
        words = frozenset(_stems(said))
        nouns = {s for t in model.tables for s in _stems(t.label)}
        names = {d.name: (d.label, *d.synonyms) for d in model.dimensions}
        names |= {m.name: (m.label, *m.synonyms) for m in model.metrics}
        similar = _similar(said, [_without(labels[0], nouns) for labels in names.values()])
        columns: dict[str, float] = {}
        named: set[str] = set()
        for (name, labels), near in zip(names.items(), similar, strict=True):
            spoken = max(_spoken(label, words, nouns) for label in (name.replace("_", " "), *labels))
            if spoken >= 1.0:
                named.add(name)
            columns[name] = max(0.95 * spoken, near)
        shapes = _similar(said, [_KINDS[k] for k in Kind if _KINDS[k]])
        top = max(shapes, default=0.0) or 1.0
        kinds = {k: s / top for k, s in zip((k for k in Kind if _KINDS[k]), shapes, strict=True)}
        return cls(said, words, columns, kinds, frozenset(named))

    def seeing(self, groups: Mapping[str, Iterable[str]]) -> Goal:
        """The goal when the groups of columns are known: a column whose group it names is one it asks for."""
        told = {c for c, values in groups.items() if any(self.says(v) for v in values)}
        return replace(self, columns={**self.columns, **{c: max(self.near(c), 0.85) for c in told}})

    def near(self, name: str) -> float:
        """How near a column or metric is."""
        return self.columns.get(name, 0.0)

    def says(self, value: str) -> bool:
        """Whether the goal names a group."""
        stems = _stems(value)
        if not stems:
            return False
        exact = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.text)
        return exact is not None or (
            len(value) > 3 and all(s in self.words for s in stems) and not value.isdigit()
        )

    def relevance(self, finding: Finding, columns: Mapping[str, str], counted: str = "") -> float:
        """How near a finding is: its figure, its axes, its groups and its kind together.

        Args:
            finding: What was found.
            columns: The column behind each axis.
            counted: The metric that counts rows.
        """
        axes = [self.near(columns.get(a, a)) for a in finding.axes if a != "time"]
        axes += [self.near(columns.get(a, a)) for a, _ in finding.subset]
        # A figure is what people look at a table for, whatever words the goal has for it.
        figure = (
            [max(_FIGURE, *map(self.near, _names(finding.measure)))]
            if finding.measure
            else [0.6 * self.near(counted)]
        )
        what = [*axes, *figure]
        about = float(np.mean(what))
        groups = [*finding.subjects, *(v for _, v in finding.subset)]
        groups += [v for n in list(finding.numbers.values())[:1] for v in n.group.values()]
        said = 1.0 if any(self.says(g) for g in groups) else 0.0
        kind = self.kinds.get(_shape(finding), 0.5)
        best = max(what)
        return 0.45 * about + 0.25 * best + 0.15 * kind + 0.25 * said


def _shape(finding: Finding) -> Kind:
    """The kind of question that a finding, or the lack of one, answers."""
    if finding.kind is not Kind.NOTHING:
        return finding.kind
    return {"trend": Kind.TREND, "correlation": Kind.CORRELATION}.get(
        finding.detail.get("of", ""), Kind.DIFFERENCE
    )


def _names(measure: Measure | None) -> Iterable[str]:
    if measure is None:
        return ()
    return measure.reaches or (measure.name,)


def _stems(text: str) -> list[str]:
    found = [singular(w.lower()) for w in _WORD.findall(text)]
    return [_root(w) for w in found if w not in _LIGHT and len(w) > 1]


def _root(word: str) -> str:
    """Words of one family in one form: assigned, assignment, assigns."""
    for ending in ("ments", "ment", "ation", "ing", "ed", "ions", "ion", "ies", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: len(word) - len(ending)]
    return word


def _spoken(label: str, words: frozenset[str], nouns: set[str]) -> float:
    """How much of a name the goal says; what rows are called says nothing of a column."""
    stems = _stems(label)
    telling = [s for s in stems if s not in nouns] or stems
    return sum(_is_said(s, words) for s in telling) / len(telling) if telling else 0.0


def _is_said(stem: str, words: frozenset[str]) -> bool:
    if stem in words:
        return True
    return len(stem) >= 5 and any(len(w) >= 5 and (w.startswith(stem) or stem.startswith(w)) for w in words)


def _without(label: str, nouns: set[str]) -> str:
    kept = [w for w in label.split() if not set(_stems(w)) & nouns]
    return " ".join(kept) or label


def _similar(text: str, labels: list[str]) -> list[float]:
    """How near in meaning each label is to the goal, or to the nearest of its clauses."""
    from gnomon.embedding import get_encoder

    if not labels:
        return []
    clauses = [c.strip() for c in re.split(r"[.;,:]| and | to | with ", text) if len(c.strip()) > 3]
    encoder = get_encoder()
    vectors = encoder.encode([text, *clauses[:12]])
    found = encoder.encode(labels) @ np.asarray(vectors).T
    best = 0.5 * found[:, 0] + 0.5 * found.max(axis=1)
    return [float(v) for v in np.clip((best - _FAR) / (_NEAR - _FAR), 0, 1)]
