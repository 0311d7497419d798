"""Long Markdown in several messages: nothing lost, each part within its size and with its fences closed."""

from hypothesis import given
from hypothesis import strategies as st

from bot.render import fences, markdown
from tests.bot import hostile

CODE = "Before.\n```py\n" + "x = 1\n" * 300 + "```\nAfter.\n"


@given(hostile.texts, st.integers(600, 2000))
def test_splitting_loses_nothing(text: str, limit: int) -> None:
    """Joined without the fences added at the seams, the parts are the text."""
    assert "".join(part.body for part in markdown.seams(text, limit)) == text


@given(hostile.texts, st.integers(600, 2000))
def test_every_part_fits_and_is_closed(text: str, limit: int) -> None:
    """No part is heavier than asked for, and none leaves a block of code open."""
    for part in markdown.split(text, limit):
        assert markdown.weight(part) <= limit
        assert fences.after(part, None) is None


def test_code_goes_on_as_code_in_the_next_message() -> None:
    """A block that is cut is closed with its own fence and opened again with its language."""
    parts = markdown.split(CODE, 1000)
    assert len(parts) > 2
    assert all(part.startswith("```py\n") for part in parts[1:])
    assert all(part.endswith("\n```") for part in parts[:-1])
    assert parts[-1].endswith("After.\n")


def test_a_longer_fence_is_closed_by_its_own_length() -> None:
    """Three marks inside of four are text."""
    text = "````md\n```\n" + "line\n" * 300 + "```\n````\nAfter.\n"
    parts = markdown.split(text, 1000)
    assert all(part.startswith("````md\n") and part.endswith("\n````") for part in parts[1:-1])


def test_parts_end_between_paragraphs() -> None:
    """Outside of code a part ends after a blank line."""
    parts = markdown.split("\n\n".join(["A sentence of some length."] * 200), 1000)
    assert all(part.endswith("\n\n") for part in parts[:-1])


def test_a_text_without_spaces_is_cut_where_it_must_be() -> None:
    """Ten thousand characters on one line, and four bytes each."""
    parts = markdown.split("𝔘" * 10_000)
    assert "".join(parts) == "𝔘" * 10_000
    assert all(markdown.weight(part) <= markdown.MARKDOWN_PART for part in parts)


def test_an_empty_text_is_one_empty_part() -> None:
    """So that a message is sent at all."""
    assert markdown.split("") == [""]
