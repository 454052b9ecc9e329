"""A document as a JSON bundle, and back: everything that is needed to compute it again and to compare."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from gnomon.core.errors import InvalidInput
from gnomon.reporting.document import Document

FORMAT: Final = "gnomon.report/1"
MAX_BYTES = 256 << 20


def bundle_of(document: Document) -> str:
    """The document as JSON; the same document gives the same text."""
    held = {"format": FORMAT, "document": _plain(document.model_dump())}
    return json.dumps(held, indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Values that JSON has no word for, told apart from text."""
    if isinstance(value, datetime):
        return {"$moment": value.isoformat()}
    if isinstance(value, date):
        return {"$day": value.isoformat()}
    if isinstance(value, Decimal):
        return _plain(float(value))
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value if not isinstance(value, str) else value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(v) for v in value]
    return str(value)


def _typed(value: dict[str, Any]) -> Any:
    if len(value) == 1:
        if isinstance(day := value.get("$day"), str):
            return date.fromisoformat(day)
        if isinstance(at := value.get("$moment"), str):
            return datetime.fromisoformat(at)
    return value


def load_bundle(path: Path) -> Document:
    """The document of a bundle.

    Raises:
        InvalidInput: The file is not there, too large, or no bundle.
    """
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}.", suggestions=["Check the path and its spelling."])
    if path.stat().st_size > MAX_BYTES:
        raise InvalidInput(f"{path} is larger than any bundle ({MAX_BYTES >> 20} MB).")
    try:
        return _document(path.read_text(encoding="utf-8"))
    except (ValidationError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as e:
        reason = (
            f"{e.error_count()} fields do not fit" if isinstance(e, ValidationError)
            else "it is no text" if isinstance(e, UnicodeDecodeError)
            else "it is no JSON" if isinstance(e, json.JSONDecodeError)
            else str(e)[:200]
        )  # fmt: skip
        raise InvalidInput(
            f"{path} is not a report bundle: {reason}.", suggestions=["Write one with --report out.json."]
        ) from None


def as_written(document: Document) -> Document:
    """The document as a bundle would give it back, so that two can be compared value by value."""
    return _document(bundle_of(document))


def _document(text: str) -> Document:
    held = json.loads(text, object_hook=_typed)
    if not isinstance(held, dict):
        raise ValueError("it holds no object")
    if held.get("format") != FORMAT:
        raise ValueError(f"its format is {held.get('format')!r}")
    return Document.model_validate(held["document"])
