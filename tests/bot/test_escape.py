"""Foreign text in Slack: it pings nobody, hides nothing, disguises no link, and otherwise stays as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render import escape
from tests.bot import hostile
from tests.bot.judge import check_links, check_text

NOBODY: frozenset[str] = frozenset()


@given(hostile.texts)
def test_no_markdown_pings_hides_or_disguises(text: str) -> None:
    """Whatever the model writes, a CommonMark parser finds only links that show their target."""
    made = escape.markdown(text)
    check_text(made, NOBODY)
    check_links(made)


@given(hostile.arrangements)
def test_no_arrangement_of_fences_brings_a_link_back_to_life(text: str) -> None:
    """What one parser takes for code and another for prose is treated as prose."""
    check_links(escape.markdown(text))


@given(hostile.texts)
def test_no_mrkdwn_pings_or_hides(text: str) -> None:
    """In a mrkdwn field, as plain text, as code and beside blocks alike."""
    for made in (escape.mrkdwn(text), escape.plain(text), escape.code(text), escape.beside(text)):
        check_text(made, NOBODY)


@given(hostile.texts)
def test_code_stays_one_block(text: str) -> None:
    """A fence inside of code does not end the block."""
    assert escape.code(text)[4:-4].count("```") == 0


@given(hostile.texts, st.integers(20, 3000))
def test_a_cut_text_fits_and_cuts_no_entity(text: str, limit: int) -> None:
    """Escaped text is never longer than its field, and never ends in half an entity."""
    made = escape.within(text, limit)
    assert len(made) <= limit
    assert len(made.encode()) <= 2 * limit
    assert not made.removesuffix("…").endswith(("&", "&a", "&am", "&amp", "&l", "&lt", "&g", "&gt"))


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain words, 1 < 2 & 3", "plain words, 1 < 2 & 3"),
        ("see [the docs](https://docs.example/a)", "see the docs (https://docs.example/a)"),
        ("see [docs.example](https://docs.example/a)", "see https://docs.example/a"),
        ("![chart](https://docs.example/c.png)", "chart (https://docs.example/c.png)"),
        ("<https://docs.example|the docs>", "the docs (https://docs.example)"),
        ("**bold** and `code[0](x)`", "**bold** and `code[0]\u200b(x)`"),
        ("```html\n<!-- a --><!DOCTYPE html>\n```\n", "```html\n<!-- a --><!DOCTYPE html>\n```\n"),
        ("```py\nx = d[0](1)\nif a[0]:\n    pass\n```\n", "```py\nx = d[0](1)\nif a[0]:\n    pass\n```\n"),
        ("- so:\n  ```\n  if a[0]:\n  ```\n", "- so:\n  ```\n  if a[0]:\n  ```\n"),
        ("a\u202eb", "a⟨U+202E⟩b"),
    ],
)
def test_what_is_shown_of_markdown(written: str, shown: str) -> None:
    """Links name their target; ordinary text and code stay as they are."""
    assert escape.markdown(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [("a < b & c > d", "a &lt; b &amp; c &gt; d"), ("hi @here", "hi @\u200bhere"), ("<@U0EVE>", "&lt;@U0EVE&gt;")],
)
def test_what_is_shown_of_mrkdwn(written: str, shown: str) -> None:
    """Slack's three control characters are escaped."""
    assert escape.mrkdwn(written) == shown
