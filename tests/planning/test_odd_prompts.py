"""Prompts and column names that generated requests have tripped over."""

from gnomon.planning import ContextExtractor


def test_columns_named_by_signs_alone_do_not_grow_the_text() -> None:
    rows = [
        dict.fromkeys(
            ("", "-", "--", "…", "!!", "??", "**", "::", ";;", "//", "##", "&&", "$$", "..", "~~"), 1.0
        )
    ]
    rows[0]["weekly total"] = 2.0
    context = ContextExtractor().extract("total by week " * 40, rows)
    assert context.parameters.get("grain") == "week"
