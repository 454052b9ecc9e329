"""No value of a cell reaches the safe profile or the sanitised feedback."""

from __future__ import annotations

import datetime as dt
import json
import re
import traceback
from functools import cache

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gnomon.data import (
    DatasetProfile,
    SourceFailure,
    build_local_profile,
    build_safe_profile,
    open_sources,
    profile_dataset,
    sanitize_execution_feedback,
)
from gnomon.data.feedback import MARKER, passes_by_name

NAMES = ["customer", "amount", "when", "note text"]


def _orders() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "customer": ["Zyxwell", "Quorbin", "Zyxwell", "Plimsoth"] * 5,
            "amount": [918273.5, 20.25, 30.125, 645.75] * 5,
            "when": pd.date_range("2031-07-19", periods=20),
            "flag": [True, False] * 10,
        }
    )


def test_the_safe_profile_says_what_is_promised_and_no_more() -> None:
    safe = build_safe_profile(open_sources({"orders": _orders()}))
    data = safe.to_dict()
    assert set(data) == {"tables", "failures"}
    assert set(data["tables"][0]) == {"name", "rows", "columns"}
    assert {frozenset(c) for c in data["tables"][0]["columns"]} == {
        frozenset({"name", "type", "null_rate", "unique", "descriptor"})
    }
    customer = data["tables"][0]["columns"][0]
    assert customer["unique"] == 3 and customer["null_rate"] == 0.0
    assert customer["descriptor"] == "low-cardinality category with 3 classes"
    assert "customer | VARCHAR | nulls 0.0% | unique 3" in str(safe)
    found = safe.find_column("amount")
    assert found is not None and found[1].descriptor == "money amount"


def test_the_local_profile_has_everything() -> None:
    local = build_local_profile(open_sources({"orders": _orders()}))
    table = local.to_dict()["tables"][0]
    assert table["sample_rows"][0]["customer"] == "Zyxwell"
    assert table["columns"][1]["maximum"] == 918273.5
    assert "Plimsoth" in str(local)


def test_a_failure_in_the_safe_profile_does_not_quote_its_reason() -> None:
    failure = SourceFailure("folder/orders.csv", "unreadable_source", "Could not convert 'Zyxwell' to INT64")
    safe = build_safe_profile(DatasetProfile((), (), (failure,)))
    assert str(safe) == "Not available: orders.csv (unreadable source)"


def test_an_enum_type_does_not_list_its_values() -> None:
    frame = _orders().assign(customer=lambda d: d["customer"].astype("category"))
    text = str(build_safe_profile(open_sources({"orders": frame})))
    assert "Zyxwell" not in text and "customer" in text


def test_feedback_keeps_what_helps() -> None:
    text = "\n".join(
        [
            "Traceback (most recent call last):",
            '  File "<cell>", line 3, in <module>',
            "ValueError: could not convert string to float: 'Zyxwell'",
            "KeyError: \"['custmer'] not in index\"",
            "KeyError: 'note text'",
            "[20 rows x 4 columns]",
            "ValueError: operands could not be broadcast together with shapes (20,) (4,)",
        ]
    )
    clean = sanitize_execution_feedback(text, NAMES)
    assert "ValueError: could not convert string to float: '‹value›'" in clean
    assert "line 3" in clean and "most recent call last" in clean
    assert "KeyError: ['‹value›'] not in index" in clean
    assert "KeyError: 'note text'" in clean
    assert "[20 rows x 4 columns]" in clean
    assert "shapes (20,) (4,)" in clean
    assert "Zyxwell" not in clean and "custmer" not in clean


def test_a_printed_table_keeps_its_header_only() -> None:
    clean = sanitize_execution_feedback(_orders().to_string(), open_sources({"orders": _orders()}))
    assert clean.split() == ["customer", "amount", "when", "flag", MARKER, "(20", "lines)"]


def test_long_feedback_is_cut() -> None:
    clean = sanitize_execution_feedback("KeyError: 'amount'\n" * 5_000, NAMES, max_chars=1_000)
    assert len(clean) < 1_100 and "‹cut›" in clean


_words = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs")), min_size=5, max_size=24
).filter(lambda s: re.search(r"\w{5}", s) is not None)
# Names of types and exceptions are allowed by design: a cell that spells one tells nothing.
_canary_text = st.lists(_words.filter(lambda w: not passes_by_name(w)), min_size=1, max_size=3).map(" ".join)
_canary_number = st.integers(10**6, 10**12).map(lambda n: n * 7 + 1) | st.floats(
    1_000.125, 1e9, allow_nan=False
).map(lambda f: round(f, 3))
_canary_date = st.dates(dt.date(1903, 2, 3), dt.date(2190, 12, 30))


def _leaks(canary: object, text: str) -> list[str]:
    """The canary, or any telling part of it, that the text still holds."""
    shown = {str(canary), repr(canary)}
    if isinstance(canary, str):
        shown |= set(re.findall(r"\w{5,}", canary))
    if isinstance(canary, dt.date):
        shown |= {canary.strftime("%d/%m/%Y"), canary.strftime("%Y%m%d")}
    return [s for s in shown if s in text]


def _safe_text(word: str, number: float, day: dt.date) -> str:
    """Everything that the safe profile says of a table with these values in it."""
    frame = pd.DataFrame(
        {
            "customer": [word, "b", word, None, "d", "e"],
            "amount": [1.5, float(number), 2.5, 3.5, float(number), 0.5],
            "when": pd.to_datetime([day] * 5 + [dt.date(2020, 1, 1)]),
            "note text": [f"{word} {number}", word, str(day), "x", "y", "z"],
        }
    )
    safe = build_safe_profile(profile_dataset(open_sources({"orders": frame})))
    return str(safe) + json.dumps(safe.to_dict(), ensure_ascii=False)


@cache
def _own_words() -> str:
    """What the safe profile says of any such table: a canary that is part of "cardinality" tells nothing."""
    return _safe_text("Qqqqq", 8_888_889, dt.date(1999, 9, 9))


@pytest.mark.long
@given(word=_canary_text, number=_canary_number, day=_canary_date)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(word="cardi", number=7_000_001, day=dt.date(2000, 1, 1))
def test_no_canary_reaches_the_safe_profile(word: str, number: float, day: dt.date) -> None:
    text = _safe_text(word, number, day)
    for canary in (word, number, day):
        assert set(_leaks(canary, text)) <= set(_leaks(canary, _own_words()))


def _outputs(word: str, number: float, day: dt.date) -> list[str]:
    """What executed code prints and raises, by really raising and printing it."""
    frame = pd.DataFrame(
        {"customer": [word, "b"], "amount": [number, 2], "when": [day, day], "note text": [word, word]}
    )
    printed = [
        frame.to_string(),
        repr(frame.to_dict()),
        frame.to_csv(index=False),
        f"{word}: {number} on {day}",
        f"Total for {word} is {number}",
        f"shape ({number}, {number})",
        f"ValueError: {word}",
        f"line {number} {word}",
        str(frame["amount"].describe()),
    ]
    for fail in (
        lambda: frame[word],
        lambda: float(word + "!"),
        lambda: frame.set_index("customer").loc[word + "?"],
        lambda: pd.to_datetime(word + "~", format="%Y"),
        lambda: {}[number],
        lambda: int(str(day)),
        lambda: frame[["amount", word]],
        lambda: (_ for _ in ()).throw(RuntimeError(f"unexpected value {word} = {number} at {day}")),
    ):
        try:
            fail()
            if not isinstance(fail, type):
                next(fail())  # type: ignore[call-overload]
        except Exception:
            printed.append(traceback.format_exc())
    return printed


@cache
def _own_feedback() -> str:
    """What is told of any such failure: a canary that is part of "format" tells nothing."""
    outputs = _outputs("Qqqqq", 8_888_889, dt.date(1999, 9, 9))
    return "\n".join(sanitize_execution_feedback(text, NAMES) for text in outputs)


@given(word=_canary_text, number=_canary_number, day=_canary_date)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(word="forma", number=7_000_001, day=dt.date(2000, 1, 1))
def test_no_canary_survives_in_feedback(word: str, number: float, day: dt.date) -> None:
    for text in _outputs(word, number, day):
        clean = sanitize_execution_feedback(text, NAMES)
        for canary in (word, number, day):
            assert not [s for s in _leaks(canary, clean) if s not in _own_feedback()], (text, clean)


@given(st.text(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_sanitised_and_twice_is_once(text: str) -> None:
    clean = sanitize_execution_feedback(text)
    assert not re.search(r"\d{6,}", clean)
    assert sanitize_execution_feedback(clean).count("Error") <= clean.count("Error")


@pytest.mark.parametrize("known", [None, [], ["2024"]])
def test_numbers_pass_under_no_name(known: list[str] | None) -> None:
    assert "2024" not in sanitize_execution_feedback("KeyError: 2024\n2024 2024", known)
