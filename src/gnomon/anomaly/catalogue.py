"""The catalogue of detectors: what each is, what it was measured to do, and where the figures come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from gnomon.anomaly.detector_notes import NOTES
from gnomon.core.errors import DataUnavailable, NotFound

if TYPE_CHECKING:
    from gnomon.anomaly.registry import Entry

STATUSES: Final = ("shipped", "unavailable", "all")
_EVERY: Final = ("tabular", "time_series", "text", "image", "graph")


def suits(entry: Entry) -> tuple[str, ...]:
    """The kinds of data that a detector is planned for.

    Ours read the ways of being unusual that every kind of data is turned into; PyOD's are made for the values
    of tables. A detector that a user registered may be anything.
    """
    return _EVERY if entry.native or entry.factory is not None else ("tabular",)


class Catalogue:
    """What is known about detectors.

    Args:
        knowledge_dir: A folder with measured results; None for the shipped ones.
    """

    def __init__(self, knowledge_dir: str | None = None) -> None:
        self._directory = knowledge_dir
        self._knowledge: Any = None

    @property
    def knowledge(self) -> Any:
        """The measured results, read when first needed."""
        if self._knowledge is None:
            from gnomon.anomaly.knowledge import load_knowledge

            try:
                self._knowledge = load_knowledge(self._directory)
            except DataUnavailable:
                if self._directory is not None:
                    raise
                # Without measurements the built-in order of detectors stands.
                self._knowledge = {"made": {}, "benchmarks": {}, "detectors": {}, "costs": {}}
        return self._knowledge

    def plannable(self, data_type: str | None = None) -> list[str]:
        """Names of the detectors that can run here."""
        from gnomon.anomaly.registry import names

        return names()

    def listing(self, data_type: str | None, status: str) -> list[dict[str, Any]]:
        """Entries of one status (or all) that suit a kind of data (or any); none where nothing is for that kind."""
        if status not in STATUSES:
            raise NotFound.among("status", status, STATUSES)
        from gnomon.anomaly.registry import names

        entries = [self.entry(n) for n in names(available=False)]
        return [
            e
            for e in entries
            if status in ("all", e["status"]) and (data_type is None or data_type in e["data_types"])
        ]

    def ranked(self, data_type: str | None = None) -> list[dict[str, Any]]:
        """The detectors that can run here, best measured first, those without a measurement last."""
        entries = self.listing(data_type, "shipped")

        def rank(entry: dict[str, Any]) -> float:
            return min(entry["benchmark_rank"].values(), default=float("inf"))

        return sorted(entries, key=rank)  # stable: where nothing was measured, ours come first

    def comparison(
        self, names: Sequence[str] | None, data_type: str | None, top_k: int
    ) -> list[dict[str, Any]]:
        """The detectors named, in that order, or the best measured ones."""
        if names:
            return [self.entry(n) for n in names]
        return self.ranked(data_type)[: max(0, top_k)]

    def benchmarks(self, benchmark: str) -> dict[str, Any]:
        """Measured results by benchmark, each with where it comes from.

        Raises:
            NotFound: There is no such benchmark.
        """
        known: Mapping[str, Any] = self.knowledge.get("benchmarks", {})
        if benchmark == "all":
            return dict(known)
        if benchmark not in known:
            raise NotFound.among("benchmark", benchmark, known)
        return {benchmark: known[benchmark]}

    def entry(self, name: str) -> dict[str, Any]:
        """Everything about one detector.

        Raises:
            NotFound: No detector has this name.
        """
        from gnomon.anomaly.registry import defaults, lookup

        known = lookup(name)
        note = NOTES.get(known.name)
        measured = self.knowledge["detectors"].get(known.name, {}).get("measured")
        benchmark = next(iter(self.knowledge["benchmarks"]), "measured")
        return {
            "name": known.name,
            "class_path": (known.path or "").replace(":", "."),
            "full_name": note.full_name if note else known.name,
            "status": "shipped" if known.available else "unavailable",
            "data_types": list(suits(known)),
            "category": note.category if note else "registered",
            "complexity": {"time": note.time if note else None, "space": None},
            "strengths": [note.strength] if note else [],
            "weaknesses": [note.weakness] if note else [],
            "best_for": note.best_for if note else None,
            "avoid_when": note.avoid_when if note else None,
            "benchmark_refs": [benchmark] if measured else [],
            "benchmark_rank": {f"{benchmark}_overall": measured["rank"]} if measured else {},
            "measured": measured,
            "default_params": defaults(known.name) if known.available else {},
            "requires": [known.needs] if known.needs else [],
            "origin": "gnomon" if known.native else "pyod" if known.path else "registered",
        }
