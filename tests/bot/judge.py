"""Who judges what is rendered: the local Slack's own validation, and a CommonMark parser that is not ours."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.localslack.mrkdwn import TOKEN
from bot.localslack.validation import checked_blocks, checked_view
from bot.render.content import Content
from bot.render.limits import MESSAGE_JSON, TEXT_FALLBACK
from bot.render.markdown import weight

PARSER = MarkdownIt("commonmark")
SEEN_BY_SLACK = re.compile(r"@(?:here|channel|everyone)\b", re.IGNORECASE)
OUR_BREAK = re.compile(r"(?<=[<@`\]])\u200b")
HIDDEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
JOINS_EMOJI = "\u200d"


def strings(value: object) -> Iterator[str]:
    """Every text in blocks that a person may read."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            if key not in {"type", "value", "action_id", "block_id", "style", "status", "task_id"}:
                yield from strings(item)
    elif isinstance(value, Sequence):
        for item in cast("Sequence[object]", value):
            yield from strings(item)


def check_content(content: Content, people: frozenset[str]) -> None:
    """A message is one that Slack takes and that harms nobody."""
    checked_blocks([dict(block) for block in content.blocks])
    assert weight(list(content.blocks)) <= MESSAGE_JSON
    assert content.text
    assert len(content.text) <= TEXT_FALLBACK
    for text in (content.text, *strings(list(content.blocks))):
        check_text(text, people)
    for block in content.blocks:
        if block["type"] == "markdown":
            check_links(str(block["text"]))


def check_view(view: Mapping[str, Any]) -> None:
    """A modal is one that Slack takes and that hides nothing."""
    checked_view(dict(view))
    for text in strings(view["blocks"]):
        check_text(text, frozenset())


def check_text(text: str, people: frozenset[str]) -> None:
    """It mentions only people who are meant, pings no group, hides no character and names no link falsely."""
    for token in TOKEN.findall(text):
        is_meant = token.startswith("<!date^") or (token.startswith("<@") and token[2:-1] in people)
        assert is_meant or (re.match(r"<https?:", token) and "|" not in token), f"{token!r} acts in {text!r}"
    assert not SEEN_BY_SLACK.search(text), text
    left = HIDDEN.search(OUR_BREAK.sub("", text).replace(JOINS_EMOJI, ""))
    assert left is None, f"{left and left[0]!r} is hidden in {text!r}"


def flat(tokens: Sequence[Token]) -> Iterator[Token]:
    """Tokens at any depth."""
    for token in tokens:
        yield token
        yield from flat(token.children or ())


def check_links(text: str) -> None:
    """A CommonMark parser finds no link that shows another name than its target."""
    links: list[str] = []
    for token in flat(PARSER.parse(text)):
        if token.type == "link_open":
            links.append(str(token.attrs["href"]))
            assert token.info == "auto", f"a link with a label of its own to {links[-1]!r} in {text!r}"
        assert token.type != "image", f"an image in {text!r}"
