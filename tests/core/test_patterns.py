"""Expressions that are kept compiled, or compiled late, find what those of ``re.compile`` find."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.core import patterns
from gnomon.core.patterns import late_pattern, regex


@pytest.fixture(autouse=True, scope="module")
def _kept_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is tried here is not kept beside the code."""
    kept = patterns._Kept(tmp_path_factory.mktemp("kept") / "tried.regex")
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


@pytest.mark.parametrize("damage", ["none", "cut", "changed", "foreign", "folder", "other engine"])
def test_a_file_that_is_damaged_is_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    file = tmp_path / "kept.regex"

    def added() -> int:
        kept = patterns._Kept(file)
        monkeypatch.setattr(patterns, "_kept", lambda: kept)
        made = regex(r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})", re.IGNORECASE)
        assert made == re.compile(made.pattern, re.IGNORECASE)
        found = made.fullmatch("2024-05")
        assert found is not None and found.groupdict() == {"year": "2024", "month": "05"}
        kept.write()
        return kept.added

    assert (added(), added()) == (1, 0)
    whole = file.read_bytes()
    if damage == "cut":
        file.write_bytes(whole[: len(whole) // 2])
    elif damage == "changed":
        file.write_bytes(whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:])
    elif damage == "foreign":
        file.write_bytes(b"not what was kept")
    elif damage == "folder":
        file.unlink()
        file.mkdir()
    elif damage == "other engine":
        body = whole[4:].replace(b"[[", b"[[1", 1)
        file.write_bytes(patterns.crc32(body).to_bytes(4) + body)
    assert added() == (0 if damage == "none" else 1)
