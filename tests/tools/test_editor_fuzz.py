"""Whatever a file holds and however it is written, an edit and its undo lose nothing."""

import codecs

from hypothesis import assume, given
from hypothesis import strategies as st

from tools.edits import inserted, replaced
from tools.errors import ToolInputError
from tools.textfile import TextFile, decode, encode

CHARACTERS = st.sampled_from(
    ["a", "b", "\t", " ", "\n", "\r\n", "\r", "é", "€", "漢", "\x0b", "\x0c", "\x85", "\u2028"]
)
texts = st.lists(CHARACTERS, max_size=40).map("".join)
MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


@given(st.binary(max_size=200) | texts.map(str.encode) | texts.map(lambda text: text.encode("utf-16")))
def test_reading_and_writing_back_gives_the_same_bytes(data: bytes) -> None:
    """Either a file is refused as binary or its bytes survive."""
    try:
        file = decode(data, "a")
    except ToolInputError:
        return
    assert encode(file, "a") == data


@given(texts, st.sampled_from(sorted(MARKS)))
def test_a_byte_order_mark_is_kept_and_not_shown(text: str, encoding: str) -> None:
    """The mark belongs to the file, not to its text."""
    data = MARKS[encoding] + text.encode(encoding)
    file = decode(data, "a")
    assert file.text == text
    assert encode(file, "a") == data


@given(texts, texts, texts, st.text(st.sampled_from("XYZ\n"), max_size=8))
def test_only_the_passage_changes(before: str, after: str, new: str, inner: str) -> None:
    """What stands before and after the only match is the same bytes as before."""
    old = f"<{inner}>"
    file = TextFile(text=f"{before}{old}{after}")
    assume(new != old)
    result, line = replaced(file, "a", old, new)
    assert result.text.startswith(before)
    assert result.text.endswith(after)
    assert result.text == before + file.adapted(new) + after
    assert line == before.count("\n")


@given(st.lists(st.sampled_from(["", "a", "\tb", "c d"]), min_size=1, max_size=8), st.integers(0, 7))
def test_a_passage_in_plain_line_feeds_fits_a_file_of_windows(lines: list[str], at: int) -> None:
    """The same edit on the file with the other line ends gives the same lines."""
    assume(at < len(lines))
    lines[at] = "needle"
    old = "\n".join(lines[max(0, at - 1) : at + 2])
    results = [
        replaced(TextFile(text=end.join(lines)), "a", old, "x\ny")[0].text.replace("\r\n", "\n")
        for end in ("\n", "\r\n")
    ]
    assert results[0] == results[1]


@given(
    st.lists(st.sampled_from(["a", "\t", "é", "\n", "\r\n"]), max_size=20).map("".join),
    st.lists(st.sampled_from(["x", "", "\ty"]), max_size=3).map(lambda lines: "\n".join([*lines, "z"])),
    st.booleans(),
    st.integers(0, 10),
)
def test_inserting_adds_these_lines_there_and_keeps_the_end_as_it_was(
    text: str, new: str, closed: bool, after: int
) -> None:
    """The lines afterwards are the old ones with the new ones between, and the last line ends as before."""
    file = TextFile(text=text)
    old = file.lines
    assume(after <= len(old))
    result = inserted(file, "a", after, new + "\n" * closed)
    assert result.lines == [*old[:after], *new.split("\n"), *old[after:]]
    assert result.text.endswith("\n") == (text.endswith("\n") or not text)
