"""The detectors that can be planned, by name: PyOD's under PyOD's names, and ours beside them.

PyOD's detectors are built through PyOD's classes and wrapped so that each sees data on a scale that suits
it and none fits on more rows than its cost allows.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

from gnomon.core.errors import InvalidInput, MissingExtra, NotFound

ScaleName = Literal["none", "robust"]


@dataclass(frozen=True)
class Entry:
    """One detector that can be planned.

    Attributes:
        name: How plans call it.
        path: ``module:Class``, or None where ``factory`` builds it.
        native: Whether it is one of ours.
        scale: The scaling in front of it.
        fit_rows: The most rows it is fitted on; further rows are only scored.
        score_rows: The most rows it scores at all: above, it is not planned by default.
        needs: A package that has to be importable.
        factory: Builds a detector from parameters, for detectors registered by a user.
    """

    name: str
    path: str | None = None
    native: bool = False
    scale: ScaleName = "none"
    fit_rows: int | None = None
    score_rows: int | None = None
    needs: str | None = None
    factory: Callable[..., Any] | None = None

    @property
    def available(self) -> bool:
        """Whether its packages are installed."""
        return self.needs is None or find_spec(self.needs) is not None


_NATIVE: Final = {
    "NeighbourMix": "gnomon.anomaly.neighbours:NeighbourMix",
    "LocalNeighbours": "gnomon.anomaly.neighbours:LocalNeighbours",
    "LocalDensity": "gnomon.anomaly.neighbours:LocalDensity",
    "TailMix": "gnomon.anomaly.tails:TailMix",
    "ProjectionMix": "gnomon.anomaly.projections:ProjectionMix",
    "RobustCovariance": "gnomon.anomaly.projections:RobustCovariance",
}
_SCALED: Final = ("KNN", "LOF", "COF", "KDE", "OCSVM", "ABOD", "INNE", "PCA", "MCD", "GMM", "CBLOF", "KPCA",
                  "SOD", "SOS", "LOCI", "RGraph", "FeatureBagging", "LMDD", "QMCD", "CD", "Sampling", "HDBSCAN", "DIF")  # fmt: skip
_FIT_ROWS: Final = {"KNN": 20_000, "LOF": 20_000, "ABOD": 10_000, "OCSVM": 10_000, "KDE": 10_000, "KPCA": 2_000,
                    "FeatureBagging": 10_000, "GMM": 100_000, "MCD": 50_000, "LMDD": 2_000, "QMCD": 2_000,
                    "CD": 20_000, "DIF": 50_000, "LUNAR": 20_000}  # fmt: skip
# These score only the rows they were fitted on, at a quadratic or cubic price.
_SCORE_ROWS: Final = {"COF": 4_000, "SOD": 3_000, "SOS": 3_000, "LOCI": 500, "RGraph": 3_000, "ROD": 3_000,
                      "HDBSCAN": 20_000, "LMDD": 2_000, "QMCD": 3_000}  # fmt: skip
_MODULES: Final = {
    "FeatureBagging": "feature_bagging", "AutoEncoder": "auto_encoder", "DeepSVDD": "deep_svdd",
}  # fmt: skip
_TORCH: Final = ("DIF", "LUNAR", "AutoEncoder", "VAE", "DeepSVDD", "ALAD", "AE1SVM")
_PYOD: Final = ("ABOD", "CBLOF", "CD", "COF", "COPOD", "ECOD", "FeatureBagging", "GMM", "HBOS", "HDBSCAN", "IForest",
                "INNE", "KDE", "KNN", "KPCA", "LMDD", "LOCI", "LODA", "LOF", "MAD", "MCD", "OCSVM", "PCA", "QMCD",
                "RGraph", "ROD", "SOD", "SOS", "Sampling", *_TORCH)  # fmt: skip


def _shipped() -> dict[str, Entry]:
    entries = {n: Entry(n, path, native=True) for n, path in _NATIVE.items()}
    for name in _PYOD:
        entries[name] = Entry(
            name,
            f"pyod.models.{_MODULES.get(name, name.lower())}:{name}",
            scale="robust" if name in _SCALED else "none",
            fit_rows=_FIT_ROWS.get(name),
            score_rows=_SCORE_ROWS.get(name),
            needs="torch" if name in _TORCH else "combo" if name == "FeatureBagging" else None,
        )
    return entries


_REGISTRY: Final[dict[str, Entry]] = _shipped()


def names(*, available: bool = True) -> list[str]:
    """Every registered name, ours first; only what is installed unless told otherwise."""
    return [n for n, e in _REGISTRY.items() if e.available or not available]


def lookup(name: str) -> Entry:
    """The entry of a detector, whatever the case of its name.

    Raises:
        NotFound: No detector has this name.
    """
    if name in _REGISTRY:
        return _REGISTRY[name]
    for known, entry in _REGISTRY.items():
        if known.casefold() == name.casefold():
            return entry
    raise NotFound.among("detector", name, _REGISTRY)


def register(name: str, factory: Callable[..., Any], *, scale: ScaleName = "none") -> None:
    """Add a detector of your own: ``factory(**params)`` gives an object with PyOD's ``fit`` and scores.

    Raises:
        InvalidInput: The name is taken.
    """
    if any(known.casefold() == name.casefold() for known in _REGISTRY):
        raise InvalidInput(f"A detector named {name!r} is registered already.")
    _REGISTRY[name] = Entry(name, scale=scale, factory=factory)


def unregister(name: str) -> None:
    """Remove a detector that was added with ``register``."""
    if lookup(name).factory is None:
        raise InvalidInput(f"{name!r} is shipped and cannot be removed.")
    del _REGISTRY[name]


def build(name: str, params: Mapping[str, Any] | None = None, seed: int | None = 0) -> Any:
    """An unfitted detector.

    Args:
        name: A registered name.
        params: Parameters of its constructor; ``contamination`` among them where given. For ours also ``rounds``:
            how many draws to average.
        seed: Used where the detector is random and ``params`` sets no ``random_state``.

    Raises:
        NotFound: No detector has this name.
        InvalidInput: A parameter does not exist or was refused.
        MissingExtra: A package is not installed.
    """
    entry = lookup(name)
    if not entry.available:
        raise MissingExtra.named(str(entry.needs), f"The detector {entry.name}")
    made = entry.factory or _class(entry)
    given = dict(params or {})
    rounds = int(given.pop("rounds", 1)) if entry.native else 1
    accepted = inspect.signature(made).parameters
    open_ended = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in accepted.values())
    if "random_state" in accepted and "random_state" not in given:
        given["random_state"] = seed
    if "verbose" in accepted and "verbose" not in given:
        given["verbose"] = 0
    if given.get("contamination") is None or ("contamination" not in accepted and not open_ended):
        given.pop("contamination", None)
    unknown = sorted(set(given) - set(accepted)) if not open_ended else []
    if unknown:
        raise NotFound.among(f"parameter of {entry.name}", unknown[0], accepted)
    try:
        detector = made(**given)
    except (TypeError, ValueError) as refused:
        raise InvalidInput(f"{entry.name} refused its parameters: {refused}") from refused
    if entry.native:
        return detector if rounds <= 1 else _repeated(made, given, detector, rounds)
    from gnomon.anomaly.adapted import Adapted

    if entry.path is not None:
        from pyod.models.base import BaseDetector

        BaseDetector.register(Adapted)  # whoever asks PyOD's way is told the truth about what it does
    return Adapted(detector, scale=entry.scale, fit_rows=entry.fit_rows, seed=seed)


def _repeated(made: Callable[..., Any], given: Mapping[str, Any], first: Any, rounds: int) -> Any:
    """The same detector with seeds that follow each other."""
    from gnomon.anomaly.detector import Rounds

    seed = int(given.get("random_state") or 0)
    others = [made(**{**given, "random_state": seed + i}) for i in range(1, rounds)]
    return Rounds([first, *others])


def defaults(name: str) -> dict[str, Any]:
    """The parameters of a detector's constructor that have a plain default, with it.

    Read from the source of the class, which imports nothing; a registered factory is asked itself.
    """
    entry = lookup(name)
    if entry.factory is not None:
        parameters = inspect.signature(entry.factory).parameters.values()
        known = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
        return {n: v for n, v in known.items() if v is None or isinstance(v, bool | int | float | str)}
    module, _, cls = str(entry.path).partition(":")
    return _written_defaults(
        "gnomon.anomaly.detector" if entry.native else module, "Detector" if entry.native else cls
    )


@cache
def _written_defaults(module: str, cls: str) -> dict[str, Any]:
    parent = find_spec(module.partition(".")[0])
    if parent is None or not parent.submodule_search_locations:
        return {}
    path = Path(parent.submodule_search_locations[0]).joinpath(*module.split(".")[1:]).with_suffix(".py")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name == cls:
            made = next(
                (f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None
            )
            return {} if made is None else _literals(made.args)
    return {}


def _literals(args: ast.arguments) -> dict[str, Any]:
    plain = args.posonlyargs + args.args
    pairs = [*zip(plain[len(plain) - len(args.defaults) :], args.defaults, strict=True)]
    pairs += [(a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None]
    found: dict[str, Any] = {}
    for name, default in pairs:
        with suppress(ValueError):
            found[name.arg] = ast.literal_eval(default)
    return found


def _class(entry: Entry) -> Callable[..., Any]:
    module, _, cls = str(entry.path).partition(":")
    return getattr(import_module(module), cls)
