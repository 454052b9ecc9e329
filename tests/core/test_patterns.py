"""An expression that is compiled late finds what one that was compiled at once finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.core.patterns import late_pattern

TEXT = r"(?P<a>[a-c]+)\s*(\d*)"


@given(st.text(alphabet="abcABC 12", max_size=30))
def test_it_finds_the_same(text: str) -> None:
    late, now = late_pattern(TEXT, re.IGNORECASE), re.compile(TEXT, re.IGNORECASE)
    assert [m.groups() for m in late.finditer(text)] == [m.groups() for m in now.finditer(text)]
    assert late.sub("-", text) == now.sub("-", text)
    assert late.pattern == now.pattern


def test_nothing_is_compiled_before_it_is_used() -> None:
    late = late_pattern("(")
    with pytest.raises(re.error):
        late.search("x")
