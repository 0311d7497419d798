"""The SDK's session with what it lacks: cancellation told to the server, raw listings, an end that can be awaited.

Above: `tools.mcp.connection`. Below: the official SDK. Sampling and roots are never offered.
"""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.client.session import ClientSession
from mcp.shared.context import RequestContext
from mcp.shared.exceptions import McpError
from mcp.shared.message import MessageMetadata, SessionMessage
from mcp.shared.session import ProgressFnT, RequestResponder
from pydantic import BaseModel, ConfigDict, JsonValue

from tools.mcp.errors import ServerUnavailable

MAX_PAGES = 50
MAX_TOOLS = 500
TELL_SECONDS = 1.0
CLIENT = types.Implementation(name="handrail", version="0.1.0")

R = TypeVar("R", bound=BaseModel)
Elicit = Callable[[types.ElicitRequestParams], Coroutine[Any, Any, types.ElicitResult]]
Responder = RequestResponder[types.ServerRequest, types.ClientResult]


class RawPage(BaseModel):
    """One page of `tools/list` with each tool as the server wrote it, unknown keys included."""

    model_config = ConfigDict(extra="ignore")

    tools: list[dict[str, JsonValue]]
    nextCursor: str | None = None  # noqa: N815 - the protocol's name


class Session(ClientSession):
    """One conversation with one server."""

    def __init__(
        self,
        reading: MemoryObjectReceiveStream[SessionMessage | Exception],
        writing: MemoryObjectSendStream[SessionMessage],
        *,
        may_elicit: bool,
    ) -> None:
        """Speak over these streams; a server is told that it may elicit only where that is allowed."""
        super().__init__(
            reading,
            writing,
            elicitation_callback=self.on_elicitation if may_elicit else None,
            message_handler=self.on_message,
            client_info=CLIENT,
        )
        self.ended = asyncio.Event()
        """Set when nothing more will come from the server."""
        self.news = asyncio.Event()
        """Set when the server says that its tools are others now."""
        self.known = asyncio.Event()
        """Set while every change that the server has told of was listed."""
        self.known.set()
        self.elicit: Elicit | None = None
        """Who answers the server's questions: the one call that is under way."""

    async def on_message(self, message: Responder | types.ServerNotification | Exception) -> None:
        """Note that the list of tools changed; everything else is no business of ours."""
        if isinstance(message, types.ServerNotification) and isinstance(
            message.root, types.ToolListChangedNotification
        ):
            self.known.clear()
            self.news.set()

    async def on_elicitation(
        self, context: RequestContext[ClientSession, Any], params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        """Hand the question to the call under way; without one it is declined."""
        return await self.elicit(params) if self.elicit is not None else types.ElicitResult(action="decline")

    async def _receive_loop(self) -> None:
        try:
            await super()._receive_loop()
        finally:
            self.ended.set()

    async def _received_request(self, responder: Responder) -> None:
        # A person may take minutes; progress and results of the same session must come through meanwhile.
        if isinstance(responder.request.root, types.ElicitRequest):
            self._task_group.start_soon(super()._received_request, responder)
        else:
            await super()._received_request(responder)

    async def send_request(
        self,
        request: types.ClientRequest,
        result_type: type[R],
        request_read_timeout_seconds: timedelta | None = None,
        metadata: MessageMetadata = None,
        progress_callback: ProgressFnT | None = None,
    ) -> R:
        """As the SDK's, but a request that is given up is cancelled at the server too."""
        request_id = self._request_id
        try:
            return await super().send_request(
                request, result_type, request_read_timeout_seconds, metadata, progress_callback
            )
        except asyncio.CancelledError:
            if not isinstance(request.root, types.InitializeRequest):
                await self.tell_cancelled(request_id)
            raise

    async def tell_cancelled(self, request_id: int) -> None:
        """Say that nobody waits for a request any more, as far as that can still be said."""
        gone = types.CancelledNotification(
            params=types.CancelledNotificationParams(requestId=request_id, reason="the call was given up")
        )
        with anyio.move_on_after(TELL_SECONDS, shield=True):
            try:
                await self.send_notification(types.ClientNotification(gone))
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                return

    async def listed(self) -> list[dict[str, JsonValue]]:
        """Every tool, raw.

        Raises:
            ServerUnavailable: there is no end to them.
        """
        found: list[dict[str, JsonValue]] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
            page = await self.send_request(types.ClientRequest(types.ListToolsRequest(params=params)), RawPage)
            found += page.tools
            cursor = page.nextCursor
            if not cursor:
                return found
            if len(found) > MAX_TOOLS:
                break
        raise ServerUnavailable(f"The server lists more than {MAX_TOOLS} tools.")

    async def called(self, name: str, arguments: dict[str, JsonValue], progress: ProgressFnT) -> types.CallToolResult:
        """Call a tool. Unlike the SDK's own method it asks for no listing of its own.

        Raises:
            McpError: the server refused the request, or went away.
        """
        params = types.CallToolRequestParams(name=name, arguments=arguments)
        request = types.ClientRequest(types.CallToolRequest(params=params))
        return await self.send_request(request, types.CallToolResult, progress_callback=progress)


__all__ = ["Elicit", "McpError", "Session"]
