"""One configured server: connected when first needed, again after a loss, left alone while it fails."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from mcp import types
from mcp.shared.exceptions import McpError
from pydantic import JsonValue, ValidationError

from tools.mcp.breaker import Breaker
from tools.mcp.config import Server
from tools.mcp.connection import Connection, Listing
from tools.mcp.definition import Definition
from tools.mcp.errors import CallInterrupted, ServerUnavailable
from tools.mcp.oauth import tokens_of
from tools.mcp.session import Elicit, Session
from tools.patience import Patience
from tools.text import visible

logger = logging.getLogger(__name__)

TURN = timedelta(seconds=2)
"""How long a call stands behind another one whose question waits for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a server is, for `doctor`, `mcp list` and the health page."""

    server: str
    connected: bool
    tools: int | None
    """How many it lists; None while it was never reached."""
    failures: int
    retry_in: timedelta
    problem: str

    @property
    def in_words(self) -> str:
        """For a page that anybody may read: how it is, never what it said."""
        if self.connected:
            return "connected"
        if self.retry_in:
            return f"unavailable; tried again in {max(1, round(self.retry_in.total_seconds()))} s at the earliest"
        return "unavailable; tried again when needed" if self.failures else "not needed yet"


class MCPClient:
    """Calls the tools of one server. All of its methods may be used from any task."""

    def __init__(
        self,
        server: Server,
        *,
        may_elicit: bool,
        on_listing: Callable[[str, Listing], None],
        learn: Callable[[Iterable[str]], None],
        clock: Callable[[], float],
    ) -> None:
        """Start nothing yet.

        Args:
            server: whom to call.
            may_elicit: whether it may ask people.
            on_listing: told what the server lists, at each connection and change.
            learn: told the secrets of the server's login, which are renewed while it is used.
            clock: seconds that never go back.
        """
        self.learn = learn
        self.server = server
        self.may_elicit = may_elicit
        self.on_listing = on_listing
        self.breaker = Breaker(clock)
        self.connection: Connection | None = None
        self.connecting = asyncio.Lock()
        self.asking = asyncio.Lock()
        self.questions: set[asyncio.Task[types.ElicitResult]] = set()
        """Of the call under way."""
        self.listing: Listing | None = None
        self.problem = ""
        self.is_closed = False

    @property
    def health(self) -> Health:
        """How it is now."""
        return Health(
            server=self.server.name,
            connected=self.connection is not None and self.connection.is_alive,
            tools=len(self.listing.definitions) if self.listing else None,
            failures=self.breaker.failures,
            retry_in=self.breaker.wait,
            problem=self.problem,
        )

    async def connected(self) -> Connection:
        """The live connection, made anew where there is none.

        Raises:
            ServerUnavailable: it cannot be reached, or failed so often that it is left alone for now.
        """
        async with self.connecting:
            if self.connection is not None and self.connection.is_alive:
                return self.connection
            self.refuse_while_failing()
            await self.drop()
            connection = Connection(self.server, may_elicit=self.may_elicit, on_listing=self.listed)
            try:
                await connection.open()
            except ServerUnavailable as error:
                self.failed(str(error))
                raise
            finally:
                self.learn(tokens_of(self.server))
            self.connection = connection
            self.problem = ""
            return connection

    def refuse_while_failing(self) -> None:
        """Raise `ServerUnavailable` at once while the breaker is open or everything is closed."""
        if self.is_closed:
            raise ServerUnavailable(f"The MCP server {self.server.name} is closed.")
        if self.breaker.is_open:
            seconds = max(1, round(self.breaker.wait.total_seconds()))
            raise ServerUnavailable(
                f"The MCP server {self.server.name} failed {self.breaker.failures} times and is left alone for another "
                f"{seconds} s. Go on without it, or say that it is not available."
            )

    def listed(self, listing: Listing) -> None:
        """Take note of what the server lists now."""
        self.listing = listing
        self.on_listing(self.server.name, listing)

    def failed(self, problem: str) -> None:
        """Count a failure."""
        self.breaker.failed()
        self.problem = problem
        logger.warning("%s", problem)

    def defined(self, tool: str) -> tuple[Definition, ...]:
        """How the server defines a tool now: once as a rule, more often where it lists a name twice."""
        listing = self.listing
        return tuple(one for one in listing.definitions if one.tool == tool) if listing else ()

    async def call(
        self,
        definition: Definition,
        arguments: Mapping[str, JsonValue],
        *,
        limit: timedelta,
        patience: Patience,
        elicit: Elicit | None,
        on_progress: Callable[[float, float | None, str | None], None],
    ) -> types.CallToolResult:
        """Call a tool exactly as it was accepted.

        Args:
            definition: as it was accepted; a server that now says otherwise gets no call.
            arguments: as they were judged.
            limit: how long the server may take, connecting not included.
            patience: by whose clock; it stands still while a person answers the server.
            elicit: who answers its questions; None declines them.
            on_progress: told of the server's notes on how far it is.

        Raises:
            ServerUnavailable: nothing was called.
            CallInterrupted: the outcome is not known.
        """
        connection = await self.connected()
        session = connection.session
        assert session is not None

        async def note(progress: float, total: float | None, message: str | None) -> None:
            on_progress(progress, total, message)

        async with self.alone(), contextlib.AsyncExitStack() as stack:
            # Not before its turn: the call before may have changed the tools.
            await connection.up_to_date()
            self.must_be_as_accepted(definition)
            if self.may_elicit:
                await stack.enter_async_context(answering(session, elicit, self.questions))
            work = session.called(definition.tool, dict(arguments), note)
            try:
                result = await connection.during(work, limit=limit, patience=patience)
            except CallInterrupted as error:
                self.failed(str(error))
                raise
            except McpError as error:
                self.breaker.succeeded()
                return refusal(f"The server refused the call: {error.error.message}")
            except ValidationError:
                self.breaker.succeeded()
                return refusal("The server's answer is no result that the protocol knows.")
            finally:
                self.learn(tokens_of(self.server))
        self.breaker.succeeded()
        return result

    def must_be_as_accepted(self, definition: Definition) -> None:
        """Raise `ServerUnavailable` where the server defines the tool otherwise than accepted, twice or not at all."""
        now = self.defined(definition.tool)
        if len(now) == 1 and now[0].digest == definition.digest:
            return
        what = "no longer lists" if not now else "lists twice" if len(now) > 1 else "has changed the definition of"
        raise ServerUnavailable(
            f"The MCP server {self.server.name} {what} {visible(definition.tool)}. It was not called; the operator has "
            "to look at it first."
        )

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """One call at a time where the server may ask people, so that its question belongs to that call's thread.

        Raises:
            ServerUnavailable: another call waits for a person, which may take minutes.
        """
        if not self.may_elicit:
            yield
            return
        await self.turn()
        try:
            yield
        finally:
            self.asking.release()

    async def turn(self) -> None:
        """Wait for the calls before, but not for people."""
        while True:
            try:
                async with asyncio.timeout(TURN.total_seconds()):
                    await self.asking.acquire()
                    return
            except TimeoutError:
                if any(not task.done() for task in self.questions):
                    raise ServerUnavailable(
                        f"Another call to the MCP server {self.server.name} waits for a person's answer; nothing was "
                        "called. Try again later."
                    ) from None

    async def drop(self) -> None:
        """Close what is left of the last connection."""
        if self.connection is not None:
            connection, self.connection = self.connection, None
            await connection.close()

    async def aclose(self) -> None:
        """End the connection for good."""
        self.is_closed = True
        async with self.connecting:
            await self.drop()


@contextlib.asynccontextmanager
async def answering(
    session: Session, elicit: Elicit | None, asking: set[asyncio.Task[types.ElicitResult]]
) -> AsyncGenerator[None]:
    """Let the call under way answer the server's questions; none of them outlives the call."""

    async def answered(params: types.ElicitRequestParams) -> types.ElicitResult:
        if elicit is None:
            return types.ElicitResult(action="decline")
        task = asyncio.create_task(elicit(params), name="a server's question")
        asking.add(task)
        await asyncio.wait({task})
        return types.ElicitResult(action="cancel") if task.cancelled() else task.result()

    session.elicit = answered
    try:
        yield
    finally:
        session.elicit = None
        for task in asking:
            task.cancel()
        if asking:
            await asyncio.wait(asking)
        asking.clear()


def refusal(words: str) -> types.CallToolResult:
    """An error as a server would have told it."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)], isError=True)
