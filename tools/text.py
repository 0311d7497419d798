"""Makes text from outside fit to be read: nothing hidden in it, and no more of it than asked for."""

import re
import unicodedata

ANSI_STYLE = re.compile(r"\x1b\[[0-9;:]*m")
LONE_RETURN = re.compile(r"\r+(?!\n)")
SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
"""Controls, formats, surrogates, private characters and separators, and letters or marks that are drawn as nothing."""
JOINER = "\u200d"
EMOJI_STYLE = "\ufe0f"


def visible(text: str) -> str:
    """The text with every character that cannot be seen written as its code: `⟨U+202E⟩`.

    Covers control characters with the escape of ANSI sequences, zero-width, bidirectional and tag characters, private
    ones, and fillers. Line feeds, tabs, the line end of Windows, and what joins emoji stay. Applying it twice changes
    nothing more.
    """

    def shown(found: re.Match[str]) -> str:
        character = found[0]
        if character == "\r" and text[found.end() : found.end() + 1] == "\n":
            return character
        if character in {JOINER, EMOJI_STYLE} and joins_emoji(text, found.start()):
            return character
        return f"⟨U+{ord(character):04X}⟩"

    return SUSPECT.sub(shown, text)


def joins_emoji(text: str, place: int) -> bool:
    """True where a joiner or style selector stands directly after a symbol, as emoji need it."""
    before = text[place - 1] if place else ""
    if text[place] == EMOJI_STYLE:
        return before != "" and (unicodedata.category(before) == "So" or before in "#*0123456789")
    after = text[place + 1] if place + 1 < len(text) else ""
    symbol_before = before == EMOJI_STYLE or (before != "" and unicodedata.category(before) in {"So", "Sk"})
    return symbol_before and after != "" and unicodedata.category(after) == "So"


def from_terminal(raw: bytes) -> str:
    """What a program wrote, as text: bytes that are no UTF-8 written out, colours dropped, progress lines as lines."""
    text = ANSI_STYLE.sub("", raw.decode("utf-8", errors="backslashreplace"))
    return visible(LONE_RETURN.sub("\n", text).replace("\r\n", "\n"))


def cap(text: str, limit: int, *, hint: str = "") -> str:
    """At most `limit` characters: head and tail, with a marker between that says how many were left out.

    Args:
        text: the whole text.
        limit: characters, marker included.
        hint: added to the marker, to say where the rest is.
    """
    if len(text) <= limit:
        return text
    marker_room = 60 + len(hint)
    room = max(0, limit - marker_room)
    head, tail = text[: room - room // 2], text[len(text) - room // 2 :]
    marker = f"\n[... {len(text) - len(head) - len(tail):,} characters left out{hint} ...]\n"
    return (head + marker + tail)[: max(limit, 0)] if room else text[: max(limit, 0)]


def storable(text: str) -> str:
    """The text with half characters replaced, since JSON in UTF-8 cannot carry them."""
    return text.encode(errors="replace").decode()
