"""What a run may use of a language model, and what it has used."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from gnomon.core.errors import ConfigurationError, PolicyViolation
from gnomon.core.settings import Settings

BYTES_PER_TOKEN = 4


@dataclass(frozen=True)
class Usage:
    """Tokens of one or more requests; ``cached_tokens`` are those of ``input_tokens`` that were not read anew."""

    requests: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
        )

    def to_dict(self) -> dict[str, int]:
        """Plain data."""
        return dict(vars(self))


class Budget:
    """Counts what a run uses, and refuses a request that would go beyond. Safe to share between threads.

    Args:
        tokens: Tokens, read and written, that the run may use; None for any number.
        cost: What it may cost; None for anything.
        price_in: Price of a million tokens read.
        price_out: Price of a million tokens written.

    Raises:
        ConfigurationError: There is a limit of cost, and no price to reckon it with.
    """

    def __init__(
        self,
        tokens: int | None = None,
        cost: float | None = None,
        *,
        price_in: float = 0.0,
        price_out: float = 0.0,
    ) -> None:
        if cost is not None and not (price_in or price_out):
            raise ConfigurationError(
                "GNOMON_MODEL_COST_PER_RUN limits what a run may cost, and no price of the model is known.",
                suggestions=[
                    "Set GNOMON_MODEL_PRICE_IN and GNOMON_MODEL_PRICE_OUT, per million tokens.",
                    "Or limit tokens instead, with GNOMON_MODEL_TOKENS_PER_RUN.",
                ],
            )
        self._tokens = tokens
        self._cost = cost
        self._prices = (price_in / 1e6, price_out / 1e6)
        self._lock = threading.Lock()
        self._used = Usage()

    @classmethod
    def of(cls, settings: Settings) -> Budget:
        """The budget of one run under these settings."""
        return cls(
            settings.model_tokens_per_run,
            settings.model_cost_per_run,
            price_in=settings.model_price_in,
            price_out=settings.model_price_out,
        )

    @property
    def used(self) -> Usage:
        """What was used so far."""
        return self._used

    @property
    def cost(self) -> float:
        """What that costs."""
        return self._priced(self._used.input_tokens, self._used.output_tokens)

    def check(self, text_bytes: int = 0) -> None:
        """Whether a request of that many bytes still fits.

        Raises:
            PolicyViolation: It does not; nothing was sent.
        """
        coming = text_bytes // BYTES_PER_TOKEN
        if self._tokens is not None and self._used.tokens + coming > self._tokens:
            raise PolicyViolation(
                f"The language model has used {self._used.tokens:,} tokens in this run, and the next request would go "
                f"beyond the {self._tokens:,} that it may use.",
                suggestions=["Raise GNOMON_MODEL_TOKENS_PER_RUN, or ask for less."],
            )
        if self._cost is not None and self.cost + self._priced(coming, 0) > self._cost:
            raise PolicyViolation(
                f"The language model has cost {self.cost:.4g} in this run, and the next request would go beyond "
                f"{self._cost:.4g}.",
                suggestions=["Raise GNOMON_MODEL_COST_PER_RUN, or ask for less."],
            )

    def add(self, usage: Usage) -> None:
        """Count what was used."""
        with self._lock:
            self._used += usage

    def _priced(self, read: int, written: int) -> float:
        return read * self._prices[0] + written * self._prices[1]
