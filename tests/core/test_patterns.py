"""Expressions that are kept compiled, or compiled late, find what those of ``re.compile`` find."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.core import patterns
from gnomon.core.beside import Kept
from gnomon.core.patterns import late_pattern, regex


@pytest.fixture(autouse=True, scope="module")
def _kept_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is tried here is not kept beside the code."""
    kept = Kept(tmp_path_factory.mktemp("kept") / "tried.regex", ["tried"])
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(patterns, "_kept", lambda: kept)
        yield


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


def in_the_code() -> list[str]:
    """Every text that the code hands to ``regex`` or ``late_pattern`` as one literal."""
    found = []
    for file in Path(patterns.__file__).parents[1].rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("regex", "late_pattern"):
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    found.append(first.value)
    return found


@pytest.mark.long
def test_all_of_the_code_are_what_re_makes_of_them() -> None:
    texts = in_the_code()
    assert len(texts) > 300
    for text in texts:
        for flags in (0, re.IGNORECASE):
            assert regex(text, flags) == re.compile(text, flags)  # compares text, flags and program
            assert regex(text, flags).groupindex == re.compile(text, flags).groupindex


@given(
    st.text(alphabet="ab(|)[]*+?\\\\dw^$.{}1<>P=:!", max_size=12),
    st.sampled_from([0, re.I, re.M, re.S, re.X]),
)
def test_what_re_refuses_is_refused(text: str, flags: int) -> None:
    try:
        made = re.compile(text, flags)
    except re.error:
        with pytest.raises(re.error):
            regex(text, flags)
    except (OverflowError, RecursionError):
        return
    else:
        assert regex(text, flags) == made


def test_what_is_kept_finds_what_was_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def added() -> int:
        kept = Kept(tmp_path / "kept.regex", ["this engine"])
        monkeypatch.setattr(patterns, "_kept", lambda: kept)
        made = regex(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})", re.IGNORECASE)
        assert made == re.compile(made.pattern, re.IGNORECASE)
        found = made.fullmatch("2024-05")
        assert found is not None and found.groupdict() == {"year": "2024", "month": "05"}
        kept.write()
        return kept.added

    assert (added(), added()) == (1, 0)


@pytest.mark.parametrize(
    "program", [None, 7, [], [0, b"", 1, {}], [0, b"abc", 0, {}], ["x", b"", 0, {"a": 9}]]
)
def test_what_is_kept_and_no_program_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: object
) -> None:
    kept = Kept(tmp_path / "kept.regex", ["this engine"])
    kept.add("0 a+(b)", program)
    monkeypatch.setattr(patterns, "_kept", lambda: kept)
    assert regex("a+(b)") == re.compile("a+(b)")
