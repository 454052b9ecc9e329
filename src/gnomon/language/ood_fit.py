"""Fitting a gate to a data set, from questions made of the data's own names, and keeping it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.core.errors import InvalidInput, UnreadableSource
from gnomon.core.private import private_folder
from gnomon.language.exposure import Exposure, load_exposure, texts_digest
from gnomon.language.logistic import LogisticHead
from gnomon.language.ood import PASSING, OODDetector, fingerprint_of
from gnomon.language.ood_gate import Evidence, Gate, nearness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.embedding import SentenceEncoder

    Array = NDArray[np.float64]

VERSION = "3"
MAX_QUESTIONS = 120
PENALTY = 0.01
# Beside the classifier the autoencoder has the last word only on what it has never seen the like of.
DETECTOR_PASSING = 0.999
# With two thousand questions half of them teach as much as four fifths, in a third of the time.
DETECTOR_FOLDS = 2


def fit_gate(
    in_domain: Sequence[str], cache_dir: Path | None = None, encoder: SentenceEncoder | None = None
) -> Gate:
    """A gate for one data set, fitted in about a second, or read from the cache where it was fitted before.

    Args:
        in_domain: Questions about the data, made from its own names; of more than 120 an even choice is used.
        cache_dir: Folder for fitted gates; nothing is kept without it.
        encoder: Turns texts into vectors; the shipped one by default.

    Raises:
        InvalidInput: ``in_domain`` is a single text.
    """
    if isinstance(in_domain, str):
        raise InvalidInput("fit_gate expects several questions, not one text.")
    if encoder is None:
        from gnomon.embedding import get_encoder

        encoder = get_encoder()
    chosen = evenly(in_domain, MAX_QUESTIONS)
    kept = _cache_file(chosen, cache_dir, encoder)
    if kept is not None and kept.is_file():
        with contextlib.suppress(UnreadableSource):
            return Gate.load(kept, encoder)
    gate = _fitted(chosen, encoder)
    if kept is not None:
        private_folder(kept.parent)
        gate.save(kept)
    return gate


def _fitted(questions: Sequence[str], encoder: SentenceEncoder) -> Gate:
    from threadpoolctl import threadpool_limits

    exposure = load_exposure(encoder)
    own = encoder.encode(questions).astype(np.float64) if questions else exposure.in_domain[:0]
    in_domain = np.vstack([exposure.in_domain, own])
    detector = OODDetector(encoder=encoder).train_vectors(
        in_domain, passing=DETECTOR_PASSING, folds=DETECTOR_FOLDS
    )
    detector.fingerprint = fingerprint_of(questions)
    own_scores = [exposure.head.score(q, v) for q, v in zip(questions, own, strict=True)]
    with threadpool_limits(1):
        judge, limit = _weighed(in_domain, np.array(own_scores), exposure, detector)
    return Gate(detector, exposure.head, in_domain, exposure.negatives, judge, limit)


def _weighed(
    in_domain: Array, own_scores: Array, exposure: Exposure, detector: OODDetector
) -> tuple[LogisticHead, float]:
    """How to weigh the evidence, and the log-odds above which too few data questions lie to matter.

    Every text is judged as a new one would be: by a classifier and an autoencoder that did not see it, and
    without itself among its neighbours.
    """
    negatives = exposure.negatives
    general = len(exposure.in_domain)
    inside = Evidence(
        np.concatenate([exposure.scores[:general], own_scores]),
        nearness(in_domain, in_domain, own=True),
        nearness(in_domain, negatives),
        detector.errors_id,
    )
    outside = Evidence(
        exposure.scores[general:],
        nearness(negatives, in_domain),
        nearness(negatives, negatives, own=True),
        detector.reconstruction_errors(negatives),
    )
    rows = np.vstack([inside.rows(), outside.rows()])
    judge = LogisticHead.fit(rows, np.arange(len(rows)) >= len(in_domain), PENALTY)
    limit = float(np.quantile(judge.scores(inside.rows()), PASSING, method="higher"))
    return judge, max(0.0, limit)


def evenly(texts: Sequence[str], most: int) -> Sequence[str]:
    """At most ``most`` of the texts, spread over all of them."""
    if len(texts) <= most:
        return tuple(texts)
    return tuple(texts[int(i)] for i in np.linspace(0, len(texts) - 1, most).round())


def _cache_file(questions: Sequence[str], folder: Path | None, encoder: SentenceEncoder) -> Path | None:
    if folder is None:
        return None
    probe = np.round(encoder.encode_one("how many are there"), 3).tobytes().hex()
    return folder / f"gate-{fingerprint_of([VERSION, texts_digest(), probe, *questions])[:24]}.npz"
