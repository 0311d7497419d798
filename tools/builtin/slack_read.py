"""Reads what was said in another thread or channel, as far as the person who asked may see it."""

import re
from typing import ClassVar

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolInputError, ToolResult
from tools.context import Said, ToolContext
from tools.text import cap, visible

MAX_MESSAGES = 100
MAX_OUTPUT_CHARS = 20_000
CHANNEL = re.compile(r"[CGD][A-Z0-9]{2,20}")
LINK = re.compile(
    r"https://[^/\s]+/archives/(?P<channel>[CGD][A-Z0-9]+)(?:/p(?P<ts>\d{10}\d{6}))?(?:\?(?P<query>\S*))?"
)
THREAD = re.compile(r"thread_ts=(\d{10}\.\d{6})")
TS = re.compile(r"\d{10}\.\d{6}")


class SlackReadParams(Params):
    """Which conversation."""

    where: str = Field(default="", max_length=500, description="A link or a channel's id; empty: this channel.")
    thread: str = Field(default="", max_length=20)
    limit: int = Field(default=30, ge=1, le=MAX_MESSAGES)
    find: str = Field(default="", max_length=200, description="Words.")


class SlackRead(BaseTool[SlackReadParams]):
    """What may be read is decided at each call by who asked, and where the answer would be seen."""

    name: ClassVar[str] = "slack_read"
    description: ClassVar[str] = "Read messages of a Slack channel or thread that the person may see."
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = SlackReadParams

    async def prepare(self, params: SlackReadParams, context: ToolContext) -> PreparedCall:
        """Show what is read."""
        channel, thread = place(params)
        body = f"{channel or 'this channel'}{f', thread {thread}' if thread else ''}"
        return PreparedCall(preview=CallPreview(title="Read Slack", body=visible(body), language="text"))

    async def run(self, params: SlackReadParams, context: ToolContext) -> ToolResult:
        """Read it."""
        channel, thread = place(params)
        if context.conversations is None:
            raise ToolInputError("There is no Slack here to read.")
        said = await context.conversations.read(channel, thread, params.limit)
        words = params.find.casefold().split()
        kept = [one for one in said if all(word in one.text.casefold() for word in words)]
        text = "\n".join(line(one) for one in kept).replace("</messages>", "<∕messages>")
        output = f"<messages>\n{cap(text, MAX_OUTPUT_CHARS)}\n</messages>" if kept else "No such message."
        return ToolResult(output=output, brief=f"{len(kept)} messages")


def place(params: SlackReadParams) -> tuple[str, str]:
    """Channel and thread; empty where the call names none.

    Raises:
        ToolInputError: they are no such thing.
    """
    where, thread = params.where.strip().strip("<>").partition("|")[0], params.thread.strip()
    found = LINK.fullmatch(where)
    if found:
        asked = THREAD.search(found["query"] or "")
        ts = found["ts"]
        return found["channel"], thread or (asked[1] if asked else f"{ts[:10]}.{ts[10:]}" if ts else "")
    if where and not CHANNEL.fullmatch(where.removeprefix("#")):
        raise ToolInputError("`where` is neither a link to a message nor the id of a channel, such as C0123ABCD.")
    if thread and not TS.fullmatch(thread):
        raise ToolInputError("`thread` is no timestamp of a message, such as 1700000000.123456.")
    return where.removeprefix("#"), thread


def line(one: Said) -> str:
    """A message with who said it and when."""
    return f"[{one.ts}] {visible(one.speaker)}: {visible(one.text)}"
