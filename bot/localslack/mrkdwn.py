"""Slack's own text: escaping what a client sends, and the rich text Slack derives from it."""

import re
from collections.abc import Iterator

from bot.localslack.values import JsonObject, new_word

TOKEN = re.compile(
    r"<(?:@[UW][A-Z0-9]+(?:\|[^<>]*)?|#C[A-Z0-9]+(?:\|[^<>]*)?|!(?:here|channel|everyone)(?:\|[^<>]*)?"
    r"|!(?:subteam|date)\^[^<>]*|(?:https?|mailto|tel):[^<>\s][^<>]*)>"
)
ENTITY = re.compile(r"&(?!amp;|lt;|gt;)")
BARE_LINK = re.compile(r"https?://[^\s<>|`*]+[^\s<>|`*.,;:!?)\]}'\"]")
CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
INLINE = re.compile(
    r"(?P<token><[^<>]+>)|(?P<code>`[^`\n]+`)|(?P<bold>(?<![\w*])\*(?=\S)[^*\n]*\S\*(?![\w*])|(?<![\w*])\*\S\*(?![\w*]))"
    r"|(?P<italic>(?<![\w_])_(?=\S)[^_\n]*\S_(?![\w_]))|(?P<strike>(?<![\w~])~(?=\S)[^~\n]*\S~(?![\w~]))"
    r"|(?P<emoji>:[a-z0-9_+'-]+:)"
)
FENCE = re.compile(r"```\n?(.*?)\n?```", re.DOTALL)
STYLES = {"bold": "bold", "italic": "italic", "strike": "strike"}


def escape_plain(text: str) -> str:
    """`&`, `<` and `>` as entities, without escaping an entity twice."""
    return ENTITY.sub("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """The characters behind Slack's three entities."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def normalise(text: str, *, link_names: bool = True) -> str:
    """Text as Slack stores it: mention and link tokens stay, everything else is escaped, bare links become tokens."""
    parts: list[str] = []
    end = 0
    for match in TOKEN.finditer(text):
        parts.extend((_plain(text[end : match.start()], link=link_names), match.group()))
        end = match.end()
    parts.append(_plain(text[end:], link=link_names))
    return "".join(parts)


def _plain(text: str, *, link: bool) -> str:
    escaped = escape_plain(text)
    if not link:
        return escaped
    pieces = CODE.split(escaped)
    return "".join(
        piece if index % 2 else BARE_LINK.sub(lambda found: f"<{found.group()}>", piece)
        for index, piece in enumerate(pieces)
    )


def mentioned_users(text: str) -> list[str]:
    """The user ids mentioned in stored text, outside code, in their order."""
    outside = "".join(CODE.split(text)[::2])
    return re.findall(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>", outside)


def rich_text(text: str) -> list[JsonObject]:
    """The `rich_text` block Slack derives from stored text; no block for empty text."""
    if not text:
        return []
    return [{"type": "rich_text", "block_id": new_word(), "elements": list(_sections(text))}]


def _sections(text: str) -> Iterator[JsonObject]:
    end = 0
    for fence in FENCE.finditer(text):
        yield from _paragraphs(text[end : fence.start()])
        body = [{"type": "text", "text": unescape(fence.group(1))}]
        yield {"type": "rich_text_preformatted", "elements": body, "border": 0}
        end = fence.end()
    yield from _paragraphs(text[end:])


def _paragraphs(text: str) -> Iterator[JsonObject]:
    held: list[str] = []
    quoted = False
    for line in text.strip("\n").split("\n"):
        is_quote = line.startswith(("&gt; ", "&gt;"))
        if held and is_quote != quoted:
            yield from _paragraph("\n".join(held), quoted=quoted)
            held = []
        quoted = is_quote
        held.append(re.sub(r"^&gt; ?", "", line))
    yield from _paragraph("\n".join(held), quoted=quoted)


def _paragraph(text: str, *, quoted: bool) -> Iterator[JsonObject]:
    if text:
        kind = "rich_text_quote" if quoted else "rich_text_section"
        yield {"type": kind, "elements": list(_inline(text, {}))}


def _inline(text: str, style: dict[str, bool]) -> Iterator[JsonObject]:
    end = 0
    for match in INLINE.finditer(text):
        yield from _text(text[end : match.start()], style)
        kind = str(match.lastgroup)
        yield from _marked(kind, match.group(), style)
        end = match.end()
    yield from _text(text[end:], style)


def _marked(kind: str, found: str, style: dict[str, bool]) -> Iterator[JsonObject]:
    if kind == "token":
        yield _token(found[1:-1], style)
    elif kind == "code":
        yield from _text(found[1:-1], {**style, "code": True})
    elif kind == "emoji":
        yield {"type": "emoji", "name": found[1:-1]}
    else:
        yield from _inline(found[1:-1], {**style, STYLES[kind]: True})


def _text(text: str, style: dict[str, bool]) -> Iterator[JsonObject]:
    if text:
        yield _styled({"type": "text", "text": unescape(text)}, style)


def _token(body: str, style: dict[str, bool]) -> JsonObject:
    target, _, label = body.partition("|")
    if target.startswith("@"):
        return _styled({"type": "user", "user_id": target[1:]}, style)
    if target.startswith("#"):
        return _styled({"type": "channel", "channel_id": target[1:]}, style)
    if target.startswith("!subteam^"):
        return {"type": "usergroup", "usergroup_id": target.removeprefix("!subteam^")}
    if target.startswith("!"):
        return {"type": "broadcast", "range": target[1:]}
    link: JsonObject = {"type": "link", "url": unescape(target)}
    return _styled({**link, "text": unescape(label)} if label else link, style)


def _styled(element: JsonObject, style: dict[str, bool]) -> JsonObject:
    return {**element, "style": dict(style)} if style else element
