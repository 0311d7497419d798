"""Fetches one page of the public web as text."""

import asyncio
from typing import ClassVar

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolResult
from tools.context import ToolContext
from tools.running import OUTPUTS, output_name
from tools.text import cap, visible
from tools.web.addresses import Guard, parsed
from tools.web.download import MAX_BYTES, Page, download
from tools.web.reading import text_of

MAX_OUTPUT_CHARS = 30_000
FOLDER = "downloads"


class WebFetchParams(Params):
    """The address."""

    url: str = Field(min_length=8, max_length=4_096)


class WebFetch(BaseTool[WebFetchParams]):
    """A person is asked once per host and thread: what is asked of a host can carry data out."""

    name: ClassVar[str] = "web_fetch"
    description: ClassVar[str] = (
        "Fetch a page of the public web as text; anything else becomes a file in the workspace."
    )
    risk: ClassVar[Risk] = Risk.NETWORK
    effect: ClassVar[Effect] = Effect.IDEMPOTENT
    params: ClassVar[type[Params]] = WebFetchParams

    def __init__(self, guard: Guard) -> None:
        """Connect only where the guard allows it."""
        self.guard = guard

    def asks_once_for(self, params: WebFetchParams) -> str:
        """The host, with its scheme and port."""
        target = parsed(params.url)
        return f"{target.scheme}://{target.host}:{target.port}"

    async def prepare(self, params: WebFetchParams, context: ToolContext) -> PreparedCall:
        """Show the whole address, and refuse one that may not be fetched before anybody is asked."""
        target = parsed(params.url)
        await self.guard.addresses(target)
        preview = CallPreview(title=f"Fetch a page of {target.host}", body=target.url, language="text")
        return PreparedCall(preview=preview)

    async def run(self, params: WebFetchParams, context: ToolContext) -> ToolResult:
        """Fetch it."""
        page = await download(params.url, self.guard, limit=context.timeout)
        text = await asyncio.to_thread(text_of, page)
        head = f"{page.target.url} ({page.status}, {page.kind or 'no type'})"
        more = f" [cut after {MAX_BYTES // 1024 // 1024} MB]" if page.is_cut else ""
        brief = f"{page.status} {page.target.host}"
        if text is None:
            return saved(page, context, head + more, brief)
        if len(text) > MAX_OUTPUT_CHARS:
            path = f"{OUTPUTS}/{output_name(context.call_id)}.md"
            context.workspace.write_bytes(path, text.encode(errors="replace"))
            text = cap(text, MAX_OUTPUT_CHARS, hint=f"; the whole text is in {path}")
        output = f"{head}{more}\n<page>\n{text.replace('</page>', '<∕page>')}\n</page>"
        return ToolResult(output=output, brief=brief, is_error=page.status >= 400)


def saved(page: Page, context: ToolContext, head: str, brief: str) -> ToolResult:
    """A file of the workspace for what is no text. Its name is ours, its ending only a plain one."""
    last = page.target.path.partition("?")[0].rpartition("/")[2]
    ending = last.rpartition(".")[2].lower() if "." in last else ""
    ending = f".{ending}" if ending.isascii() and ending.isalnum() and len(ending) <= 8 else ".bin"
    path = f"{FOLDER}/{output_name(context.call_id)}{ending}"
    context.workspace.write_bytes(path, page.body)
    text = f"{head}\nThis is no text. It is in the workspace: {visible(path)} ({len(page.body):,} bytes)."
    return ToolResult(output=text, brief=brief, is_error=page.status >= 400)
