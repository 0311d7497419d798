"""Foreign text made harmless for Slack: it can ping nobody, hide nothing, disguise no link."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.render.fences import Fence, closes, opened
from tools.text import visible

BROKEN = "\u200b"
"""A zero-width space put inside what Slack would act on; it then shows as it is written."""

PING = re.compile(r"<(?=!(?:channel|here|everyone|subteam|date|group)|[@#])", re.IGNORECASE)
WIDE_PING = re.compile(r"@(?=channel|here|everyone|group)", re.IGNORECASE)
LABELLED = re.compile(r"<(?=[a-z][a-z0-9+.-]*:[^>]*\||a\s)", re.IGNORECASE)
"""Slack's own links with a label, and HTML's."""
JOINT = re.compile(r"\](?=\()")
"""Where a label meets its target."""
DEFINITION = re.compile(r"^((?:[ \t>*+-]|\d+[.)])*\[(?:[^\[\]\\]|\\.)*\])(?=:)", re.MULTILINE | re.DOTALL)
"""The target of labels elsewhere in the text."""

IMAGE = re.compile(r"!\[([^\[\]\n]*)\]\(\s*<?([^()\s<>]+)>?\)")
LINK = re.compile(r"\[([^\[\]\n]*)\]\(\s*<?([^()\s<>]+)>?\)")
SLACK_LINK = re.compile(r"<((?:https?|mailto|tel):[^|>\n]+)\|([^>\n]*)>", re.IGNORECASE)
INLINE_CODE = re.compile(r"(`[^`\n]+`)")
FENCE = re.compile(r"```|~~~")
HTML_BLOCK = re.compile(r"^[ >]*<[A-Za-z/!?]")
TRIPLE = re.compile(r"``(?=`)")
CUT_ENTITY = re.compile(r"&[a-z]{0,3}\Z")


def host_of(url: str) -> str:
    """The host a link leads to; the whole URL where there is none."""
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return url


def shown_link(label: str, url: str) -> str:
    """A link whose target a reader sees."""
    label = label.strip()
    is_named_so = label in {url, host_of(url)} and url.lower().startswith(("http://", "https://"))
    return url if is_named_so or not label else f"{label} ({url})"


def markdown(text: str) -> str:
    """Model text for a `markdown` block: no ping, no link with another name than its target, nothing invisible.

    A code block keeps its characters except what Slack acts on even there.
    """
    text = visible(text)
    if not has_plain_code(text):
        return unpinged(prose(text))
    return "".join(unpinged(piece if is_code else prose(piece)) for piece, is_code in blocks_of(text))


def has_plain_code(text: str) -> bool:
    """Whether every reader of Markdown agrees on where code begins and ends: fences at the left margin only.

    Inside of lists, quotes and HTML they do not, and what one takes for code is a live link to another.
    """
    for piece, is_code in blocks_of(text):
        if not is_code and any(FENCE.search(line) or HTML_BLOCK.match(line) for line in piece.split("\n")):
            return False
    return True


def blocks_of(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is a fenced block of code."""
    held: list[str] = []
    fence: Fence | None = None
    for line in text.splitlines(keepends=True):
        if fence is None and (fence := opened(line)) is not None:
            yield "".join(held), False
            held = []
        elif fence is not None and closes(line, fence):
            yield "".join((*held, line)), True
            held, fence = [], None
            continue
        held.append(line)
    yield "".join(held), fence is not None


def prose(text: str) -> str:
    """Text outside of code: links with their target in sight, and whatever is left of a link taken apart."""
    pieces = (piece if piece.startswith("`") else plain_links(piece) for piece in INLINE_CODE.split(text))
    return DEFINITION.sub(lambda m: m[1] + BROKEN, JOINT.sub("]" + BROKEN, "".join(pieces)))


def plain_links(text: str) -> str:
    """The usual spellings of a link as words and address."""
    text = IMAGE.sub(lambda m: shown_link(m[1] or "image", m[2]), text)
    text = LINK.sub(lambda m: shown_link(m[1], m[2]), text)
    return SLACK_LINK.sub(lambda m: shown_link(m[2], m[1]), text)


def unpinged(text: str) -> str:
    """Breaks what Slack acts on wherever it stands."""
    text = LABELLED.sub("<" + BROKEN, PING.sub("<" + BROKEN, text))
    return WIDE_PING.sub("@" + BROKEN, text)


def mrkdwn(text: str) -> str:
    """Foreign text inside a mrkdwn field: the three control characters escaped, nothing invisible left."""
    escaped = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return WIDE_PING.sub("@" + BROKEN, escaped)


def within(text: str, limit: int) -> str:
    """Foreign text for a mrkdwn field, an ellipsis where it is cut.

    As escaped it has at most `limit` characters, and twice as many bytes, since a message's JSON is bounded in bytes.
    """
    escaped = mrkdwn(text[: limit + 1])
    kept = escaped[: limit - 1] if len(escaped) > limit else escaped
    kept = kept.encode()[: 2 * limit - 3].decode(errors="ignore") if len(kept.encode()) > 2 * limit else kept
    return kept if kept == escaped else CUT_ENTITY.sub("", kept).rstrip() + "…"


def plain(text: str) -> str:
    """Foreign text inside a plain_text field, on one line."""
    return " ".join(unpinged(visible(text)).split())


def beside(text: str, limit: int = 3_500) -> str:
    """Foreign text as the `text` beside blocks, which notifications show and Slack reads as mrkdwn."""
    return within(" ".join(text.split()), limit) or "…"


def code(text: str) -> str:
    """Foreign text inside a code block of a mrkdwn field; a fence inside it cannot end the block."""
    return "```\n" + TRIPLE.sub("``" + BROKEN, mrkdwn(text)) + "\n```"
