"""The conversation window: what is kept, what is summed up, and what a summary never says."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.core.errors import InvalidInput
from gnomon.llm.window import SUMMARY_HEAD, ConversationWindow, Message, Round

ACTIONS = st.sampled_from(["generate_code", "collect_figures"])
WORDS = st.text(st.sampled_from("abcdefgh XYZ"), min_size=1, max_size=30).filter(str.strip)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Message, Message]:
    done = Round(draw(ACTIONS), draw(WORDS), draw(st.booleans()))
    code = f"df['{draw(st.integers(10_000, 99_999))}'].sum()"
    return Message("assistant", code, done), Message("user", f"output {draw(st.integers(10_000, 99_999))}")


HISTORIES = st.lists(pairs(), max_size=40)
SIZES = st.integers(1, 12)


def run(size: int, history: list[tuple[Message, Message]], *, one_by_one: bool = False) -> ConversationWindow:
    window = ConversationWindow("the requirement and the profile", size)
    for pair in history:
        if one_by_one:
            for message in pair:
                window.add(message)
        else:
            window.add(*pair)
    return window


@given(SIZES, HISTORIES, st.booleans())
def test_the_first_message_one_summary_and_the_latest_pairs_are_kept(
    size: int, history: list[tuple[Message, Message]], one_by_one: bool
) -> None:
    messages = run(size, history, one_by_one=one_by_one).messages
    flat = [m for pair in history for m in pair]
    assert messages[0] == Message("user", "the requirement and the profile")
    if len(flat) <= 2 * size:
        assert list(messages[1:]) == flat
        return
    assert messages[1].role == "user" and messages[1].content.startswith(SUMMARY_HEAD)
    assert list(messages[2:]) == flat[-2 * size :]
    assert sum(m.content.startswith(SUMMARY_HEAD) for m in messages) == 1


@given(SIZES, HISTORIES)
def test_the_summary_has_one_line_for_each_round_left_out_in_order(
    size: int, history: list[tuple[Message, Message]]
) -> None:
    window = run(size, history)
    gone = history[: max(0, len(history) - size)]
    if not gone:
        assert window.summary is None
        return
    assert window.summary is not None
    head, *lines = window.summary.content.splitlines()
    assert head == SUMMARY_HEAD
    assert lines == [str(reply.round) for reply, _ in gone]
    for line, (reply, _) in zip(lines, gone, strict=True):
        assert reply.round is not None
        assert line.startswith(f"- {reply.round.action}: ")
        assert line.endswith("(succeeded)" if reply.round.succeeded else "(failed)")


@given(SIZES, HISTORIES)
def test_a_summary_holds_no_code_and_no_output(size: int, history: list[tuple[Message, Message]]) -> None:
    summary = run(size, history).summary
    if summary is not None:
        assert re.search(r"\d|df\[|output", summary.content) is None


@pytest.mark.long
@given(st.text(max_size=400), st.booleans())
def test_a_line_of_a_summary_is_one_plain_line_whatever_the_model_wrote(written: str, worked: bool) -> None:
    line = str(Round("generate_code", written, worked))
    assert len(line.splitlines()) == 1
    assert not set("`=(){}[];<>") & set(line.removesuffix("(succeeded)").removesuffix("(failed)"))


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("mean of `df.sales` is 12.5", "mean of is …"),
        ("```python\nprint(1)\n``` groups by region", "groups by region"),
        ("column col_1 by month", "column col_1 by month"),
        ("", "no description"),
    ],
)
def test_code_and_figures_in_a_description_are_left_out(written: str, kept: str) -> None:
    assert str(Round("generate_code", written, True)) == f"- generate_code: {kept} (succeeded)"


def test_a_window_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one pair"):
        ConversationWindow("x", 0)
