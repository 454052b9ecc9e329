"""What went wrong with a language model, told from what may pass and from what has to be changed."""

from __future__ import annotations

from gnomon.core.errors import (
    ApiFailure,
    AuthenticationFailed,
    ConfigurationError,
    GnomonError,
    InvalidInput,
    RateLimited,
)

WAIT_SECONDS = 30.0


class UnusableOutput(ApiFailure):
    """A language model answered, and not in a form that can be used."""


def translated(error: Exception, model: str) -> GnomonError:
    """An error of the library as one of ours; those that may pass are retryable, the others say what to change.

    Args:
        error: What pydantic-ai raised.
        model: The name of the model that was asked.
    """
    from pydantic_ai import exceptions as e

    if isinstance(error, e.UserError):
        return ConfigurationError(
            f"The language model cannot be asked this way: {error}",
            suggestions=["Set GNOMON_MODEL_OUTPUT to tool or prompted."],
        )
    if isinstance(error, e.ModelAuthenticationError):
        return AuthenticationFailed(
            "The language model's address refused the key.", suggestions=["Check GNOMON_MODEL_KEY."]
        )
    if isinstance(error, e.ModelNotFoundError):
        return ConfigurationError(
            f"The address has no language model named {model!r}, or the path of GNOMON_MODEL_URL is wrong.",
            suggestions=["Check GNOMON_MODEL.", "An OpenAI-compatible address usually ends in /v1."],
        )
    if isinstance(error, e.ModelContextWindowExceededError):
        return InvalidInput(
            "The language model cannot read so much at once.",
            suggestions=["Name fewer tables.", "Lower APP_CONVERSATION_WINDOW_SIZE."],
        )
    if isinstance(error, e.ModelQuotaExceededError):
        return AuthenticationFailed(
            "The account of the language model is used up.", suggestions=["Check the account's limits."]
        )
    if isinstance(error, e.ModelRateLimitError):
        return RateLimited(
            "The language model's address asks to be left alone for a while.",
            retry_after_seconds=_wait(error),
            suggestions=["Try again later."],
        )
    if isinstance(error, e.ModelConnectionError):
        return ApiFailure(
            "The language model's address does not answer.",
            suggestions=["Check GNOMON_MODEL_URL, and that the server runs.", "gnomon doctor"],
        )
    if isinstance(error, e.ModelRequestRejectedError):
        return ConfigurationError(
            "The language model's address does not accept the request.",
            suggestions=["Set GNOMON_MODEL_OUTPUT to tool or prompted.", "Check GNOMON_MODEL."],
        )
    kind = UnusableOutput if isinstance(error, e.UnexpectedModelBehavior) else ApiFailure
    return kind(f"The language model gave no usable output ({type(error).__name__}).")


def _wait(error: Exception) -> float:
    headers: dict[str, str] = getattr(error, "headers", None) or {}
    try:
        return float(headers.get("retry-after", WAIT_SECONDS))
    except ValueError:
        return WAIT_SECONDS
