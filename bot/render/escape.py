"""Foreign text made harmless for Slack: it can ping nobody, hide nothing, disguise no link."""

import re
from urllib.parse import urlsplit

from tools.text import visible

BROKEN = "\u200b"
"""A zero-width space put inside what Slack would act on; it then shows as it is written."""

ACTIVE = re.compile(r"<(?=[!@#])")
IMAGE = re.compile(r"!\[([^\]\n]*)\]\(\s*<?([^)\s>]+)>?[^)\n]*\)")
LINK = re.compile(r"\[([^\]\n]*)\]\(\s*<?([^)\s>]+)>?[^)\n]*\)")
REFERENCE = re.compile(r"\[([^\]\n]+)\]\[[^\]\n]*\]")
SLACK_LINK = re.compile(r"<((?:https?|mailto|tel):[^|>\n]+)\|([^>\n]*)>", re.IGNORECASE)
FENCE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
WIDE_PINGS = re.compile(r"@(?=(channel|here|everyone)\b)", re.IGNORECASE)


def host_of(url: str) -> str:
    """The host a link leads to; the whole URL where there is none."""
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return url


def shown_link(label: str, url: str) -> str:
    """A link whose target a reader sees."""
    label = label.strip()
    if not url.lower().startswith(("http://", "https://")):
        return f"{label} ({url})" if label else url
    if label in {url, host_of(url)} or not label:
        return url
    return f"{label} ({url})"


def markdown(text: str) -> str:
    """Model text for a `markdown` block. Code keeps its characters except those that Slack would act on."""
    pieces = FENCE.split(visible(text))
    return "".join(piece if piece.startswith("`") else prose(piece) for piece in map(inert, pieces))


def inert(text: str) -> str:
    """Breaks what pings."""
    text = ACTIVE.sub("<" + BROKEN, text)
    return WIDE_PINGS.sub("@" + BROKEN, text)


def prose(text: str) -> str:
    """Links outside of code, each with its target in sight."""
    text = IMAGE.sub(lambda m: shown_link(m[1] or "image", m[2]), text)
    text = LINK.sub(lambda m: shown_link(m[1], m[2]), text)
    text = SLACK_LINK.sub(lambda m: shown_link(m[2], m[1]), text)
    return REFERENCE.sub(lambda m: m[1], text)


def mrkdwn(text: str) -> str:
    """Foreign text inside a mrkdwn field: the three control characters escaped, nothing invisible left."""
    escaped = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return WIDE_PINGS.sub("@" + BROKEN, escaped)


def plain(text: str) -> str:
    """Foreign text inside a plain_text field, on one line."""
    return " ".join(inert(visible(text)).split())


def code(text: str) -> str:
    """Foreign text inside a code block of a mrkdwn field; a fence inside it cannot end the block."""
    return "```\n" + mrkdwn(text).replace("```", "`" + BROKEN + "``") + "\n```"
