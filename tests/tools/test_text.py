"""Nothing can hide in text that people or models read, and a cut is always marked."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.text import cap, from_terminal, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rm \u202etxt.exe", "rm ⟨U+202E⟩txt.exe"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("hi\U000e0041\U000e007f", "hi⟨U+E0041⟩⟨U+E007F⟩"),
        ("\x1b[8mhidden\x1b[0m", "⟨U+001B⟩[8mhidden⟨U+001B⟩[0m"),
        ("safe\rrm -rf .", "safe⟨U+000D⟩rm -rf ."),
        ("a\u3164b\u2066c", "a⟨U+3164⟩b⟨U+2066⟩c"),
        ("x\ufe01y\U000e0100", "x⟨U+FE01⟩y⟨U+E0100⟩"),
        ("\ud800", "⟨U+D800⟩"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    """Bidirectional, zero-width, tag, control and filler characters are shown by their code."""
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["tab\tline\r\nnext\n", "naïve 日本語 ø", "👩‍💻 ❤️ 1️⃣ 👍🏽", "עברית العربية", "a�b"])
def test_ordinary_text_stays(text: str) -> None:
    """Accents, other scripts, emoji and line ends are not touched."""
    assert visible(text) == text


@given(st.text())
def test_making_visible_leaves_nothing_hidden_and_is_done_once(text: str) -> None:
    """No control or format character is left but line ends, tabs and what joins emoji."""
    shown = visible(text)
    assert visible(shown) == shown
    left = {character for character in shown if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co"}}
    assert left <= set("\n\t\r\u200d")


def test_a_terminals_bytes_become_readable_text() -> None:
    """Colours go, progress lines become lines, and bytes that are no text are written out."""
    raw = b"\x1b[31mred\x1b[0m\r\n10%\r20%\rdone\n\xff\x00"
    assert from_terminal(raw) == "red\n10%\n20%\ndone\n\\xff⟨U+0000⟩"


def test_a_cut_keeps_both_ends_and_counts_what_is_gone() -> None:
    """The reader knows how much is missing and where the rest is."""
    text = "a" * 5000 + "b" * 5000
    short = cap(text, 1000, hint="; whole in out.txt")
    assert len(short) <= 1000
    assert short.startswith("aaa")
    assert short.endswith("bbb")
    kept = short.count("a") + short.count("b")
    assert (
        f"[... {10_000 - len(short.split(chr(10))[0]) - len(short.split(chr(10))[-1]):,} characters left out" in short
    )
    assert kept > 900


@given(st.text(max_size=300), st.integers(-200, 200))
def test_a_cap_is_never_exceeded(text: str, limit: int) -> None:
    """Short text stays as it is, longer text fits."""
    short = cap(text, limit)
    assert len(short) <= max(limit, 0) or short == text
    assert short == text or len(text) > limit
