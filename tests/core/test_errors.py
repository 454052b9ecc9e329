import pytest

from gnomon.core import errors
from gnomon.core.errors import (
    ErrorCode,
    GnomonError,
    InvalidInput,
    MissingExtra,
    NotFound,
    RateLimited,
    did_you_mean,
)


def tree(root: type[GnomonError]) -> list[type[GnomonError]]:
    """The errors of the core; a room may refine one of them and keeps its code."""
    own = [c for c in root.__subclasses__() if c.__module__ == errors.__name__]
    return [root, *(c for child in own for c in tree(child))]


def test_every_error_has_a_code_of_its_own() -> None:
    # Rows that cannot be computed with are told apart from other input only by who may see rows.
    codes = [cls.code for cls in tree(GnomonError) if cls is not errors.UnfitRows]
    assert errors.UnfitRows.code is InvalidInput.code
    assert len(set(codes)) == len(codes)
    assert set(codes) == set(ErrorCode)


def test_the_docstring_names_every_error() -> None:
    assert errors.__doc__ is not None
    missing = [cls.__name__ for cls in tree(GnomonError) if cls.__name__ not in errors.__doc__]
    assert missing == []


def test_an_error_becomes_a_response_with_what_to_do() -> None:
    response = InvalidInput("k is 0; it has to be at least 1.", suggestions=["Pass k=1."]).to_response()
    assert response.model_dump() == {
        "success": False,
        "error_code": "invalid_input",
        "message": "k is 0; it has to be at least 1.",
        "suggestions": ["Pass k=1."],
        "retryable": False,
    }


def test_bad_input_is_also_a_value_error() -> None:
    with pytest.raises(ValueError, match="no column"):
        raise NotFound.among("column", "amout", ["amount", "date"])


def test_an_unknown_name_proposes_the_closest() -> None:
    error = NotFound.among("column", "Amout", ["amount", "date"])
    assert "Did you mean 'amount'?" in error.message
    assert error.suggestions == ("Known: amount, date",)


def test_a_name_like_nothing_proposes_nothing() -> None:
    assert did_you_mean("zzz", ["amount", "date"]) == []
    assert "Did you mean" not in NotFound.among("table", "zzz", ["orders"]).message


def test_a_missing_extra_tells_how_to_install_it() -> None:
    assert MissingExtra.named("postgres", "Reading from Postgres").suggestions == (
        "pip install 'gnomon[postgres]'",
    )


def test_only_what_may_pass_is_retryable() -> None:
    retryable = {cls.__name__ for cls in tree(GnomonError) if cls.retryable}
    assert retryable == {"SourceUnreachable", "ApiFailure", "RateLimited", "TimedOut"}
    assert RateLimited("slow down", retry_after_seconds=2.5).retry_after_seconds == 2.5
