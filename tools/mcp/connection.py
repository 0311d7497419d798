"""One live connection to one server, owned by one task from its first byte to its last.

The SDK's scopes must be entered and left by the same task; so that task waits here while calls come from any other.
Its end, for whatever reason, ends the calls under way: none of them waits for an answer that cannot come.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar, cast

import httpx
from mcp import types
from mcp.client.auth.exceptions import OAuthFlowError
from mcp.shared.exceptions import McpError
from pydantic import ValidationError

from tools.mcp.config import Server
from tools.mcp.definition import Definition
from tools.mcp.errors import CallInterrupted, ServerUnavailable
from tools.mcp.session import Session
from tools.mcp.transport import LastWords, streams_to
from tools.patience import Patience
from tools.text import visible

CONNECT = timedelta(seconds=30)
"""From starting a program to its list of tools; a program may have to be fetched first."""
LISTING = timedelta(seconds=15)
BEAT = timedelta(seconds=5)
CLOSE = timedelta(seconds=8)
UNAUTHORISED = 401
NOT_THIS_WAY = frozenset({400, 404, 405, 406, 415})
"""How a server that only speaks the older HTTP transport answers the newer one."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a server says of itself at one moment."""

    definitions: tuple[Definition, ...]
    instructions: str = ""


class Connection:
    """Use it by `opened`; close it once."""

    def __init__(self, server: Server, *, may_elicit: bool, on_listing: Callable[[Listing], None]) -> None:
        """Prepare to connect.

        Args:
            server: to whom.
            may_elicit: whether the server may ask people.
            on_listing: told what the server lists, at first and after each change.
        """
        self.server = server
        self.may_elicit = may_elicit
        self.on_listing = on_listing
        self.session: Session | None = None
        self.instructions = ""
        self.words = LastWords()
        self.ready = asyncio.Event()
        self.closing = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    @property
    def is_alive(self) -> bool:
        """Whether calls can be made."""
        return self.session is not None and not self.session.ended.is_set()

    async def open(self) -> None:
        """Connect and list the tools.

        Raises:
            ServerUnavailable: it did not work in time; the text says why.
        """
        problem = await self.attempt(sse=self.server.transport == "sse")
        if problem is not None and self.server.transport == "auto" and speaks_older(problem):
            problem = await self.attempt(sse=True)
        if problem is not None:
            raise ServerUnavailable(f"The MCP server {self.server.name} is not available: {self.told(problem)}")

    async def attempt(self, *, sse: bool) -> BaseException | None:
        """Try one transport; the reason where it failed."""
        self.task = asyncio.create_task(self.hold(sse=sse), name=f"MCP server {self.server.name}")
        self.task.add_done_callback(failure_of)  # Also of a connection that ends between two calls, unheard.
        ready = asyncio.create_task(self.ready.wait())
        try:
            await asyncio.wait({self.task, ready}, timeout=CONNECT.total_seconds(), return_when=asyncio.FIRST_COMPLETED)
            if self.is_alive:
                return None
            was_slow = not self.task.done()
            await self.close()
            return TimeoutError() if was_slow else failure_of(self.task)
        except BaseException:
            await self.close()
            raise
        finally:
            ready.cancel()

    async def hold(self, *, sse: bool) -> None:
        """Own the connection until it ends or is closed."""
        async with (
            streams_to(self.server, self.words, sse=sse) as streams,
            Session(streams.reading, streams.writing, may_elicit=self.may_elicit) as session,
        ):
            hello = await session.initialize()
            self.instructions = hello.instructions or ""
            await self.list_tools(session, has_tools=hello.capabilities.tools is not None)
            self.session = session
            self.ready.set()
            await self.watch(session)

    async def watch(self, session: Session) -> None:
        """List again at each change, until the end."""
        while not session.ended.is_set() and not self.closing.is_set():
            await first_of(session.ended, session.news, self.closing)
            if session.news.is_set() and not session.ended.is_set():
                session.news.clear()
                await self.list_tools(session, has_tools=True)
                if not session.news.is_set():
                    session.known.set()

    async def up_to_date(self) -> None:
        """Return once every change of its tools that the server has told of was listed, or the connection ended."""
        if self.session is not None and not self.session.known.is_set():
            await first_of(self.session.known, self.session.ended)

    async def list_tools(self, session: Session, *, has_tools: bool) -> None:
        """Ask for all definitions and pass them on."""
        async with asyncio.timeout(LISTING.total_seconds()):
            raw = await session.listed() if has_tools else []
        definitions = tuple(Definition(server=self.server.name, raw=one) for one in raw)
        self.on_listing(Listing(definitions=definitions, instructions=self.instructions))

    async def during(self, work: Coroutine[Any, Any, T], *, limit: timedelta, patience: Patience) -> T:
        """The result of a request, unless the connection ends or the time is over first.

        Args:
            work: the request.
            limit: how long it may take.
            patience: by whose clock, which stands still while a person is asked.

        Raises:
            CallInterrupted: it did; the server was told to give up where it still could be.
            ToolRefused: the server refused the request.
        """
        session = self.session
        assert session is not None
        doing = asyncio.create_task(work, name=f"call to MCP server {self.server.name}")
        ended = asyncio.create_task(session.ended.wait())
        beating = asyncio.create_task(self.beat(session))
        try:
            with contextlib.suppress(TimeoutError):
                async with patience.bound(limit):
                    await asyncio.wait({doing, ended}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
            beating.cancel()
            is_done = doing.done()
            if not is_done:
                doing.cancel()
                await asyncio.wait({doing})
        if not is_done and not session.ended.is_set():
            raise CallInterrupted(
                f"The MCP server {self.server.name} did not answer within {limit.total_seconds():g} s"
            )
        if not is_done or is_loss(doing):
            raise CallInterrupted(f"The MCP server {self.server.name} went away during the call")
        return doing.result()

    async def beat(self, session: Session) -> None:
        """Speak to an HTTP server now and then: where it is gone, only that shows it, and ends the session.

        That it does not answer means nothing: it may be busy with the call.
        """
        while self.server.transport != "stdio":
            await asyncio.sleep(BEAT.total_seconds())
            with contextlib.suppress(McpError):
                await session.send_request(
                    types.ClientRequest(types.PingRequest()), types.EmptyResult, request_read_timeout_seconds=LISTING
                )

    async def close(self) -> None:
        """End the connection and what belongs to it; bounded, and safe to repeat."""
        self.closing.set()
        if self.task is None or self.task.done():
            return
        if not self.ready.is_set():
            self.task.cancel()
        await asyncio.wait({self.task}, timeout=CLOSE.total_seconds())
        if not self.task.done():
            self.task.cancel()
            await asyncio.wait({self.task}, timeout=CLOSE.total_seconds())
        if self.task.done():
            failure_of(self.task)

    def told(self, problem: BaseException) -> str:
        """Why a connection failed, in words."""
        said = f" Its last words: {self.words.text}" if self.words.text else ""
        return f"{reason(problem)}.{said}{self.fix(problem)}"

    def fix(self, problem: BaseException) -> str:
        """What the operator can do about a server that lets nobody in."""
        refused = isinstance(problem, httpx.HTTPStatusError) and problem.response.status_code == UNAUTHORISED
        if not refused and not isinstance(problem, OAuthFlowError):
            return ""
        return f" If people log in there: `python -m bot mcp login {self.server.name}`."


async def first_of(*events: asyncio.Event) -> None:
    """Wait until one of them is set."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


def is_loss(done: asyncio.Task[Any]) -> bool:
    """Whether a request failed because the connection did."""
    error = failure_of(done)
    if isinstance(error, McpError):
        return error.error.code in {types.CONNECTION_CLOSED, 32600}
    return error is not None and not isinstance(error, ValidationError)


def failure_of(task: asyncio.Task[Any]) -> BaseException | None:
    """Why a task failed, the innermost reason where the SDK wrapped it; None where it did not or was cancelled."""
    if not task.done() or task.cancelled():
        return None
    return innermost(task.exception())


def innermost(error: BaseException | None) -> BaseException | None:
    """The first error inside groups of errors."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return innermost(group.exceptions[0])
    return error


def speaks_older(problem: BaseException) -> bool:
    """Whether a failure looks like a server that knows only HTTP with server-sent events."""
    return isinstance(problem, httpx.HTTPStatusError) and problem.response.status_code in NOT_THIS_WAY


def reason(problem: BaseException) -> str:
    """A failure in words, without anything that could be a secret of the entry."""
    if isinstance(problem, TimeoutError):
        return f"no answer within {CONNECT.total_seconds():g} s"
    if isinstance(problem, httpx.HTTPStatusError):
        return f"it answers {problem.response.status_code}"
    if isinstance(problem, OAuthFlowError):
        return "its login is no longer valid"
    if isinstance(problem, httpx.HTTPError):
        return f"it cannot be reached ({type(problem).__name__})"
    if isinstance(problem, McpError):
        return f"it says: {visible(problem.error.message)[:300]}"
    if isinstance(problem, ServerUnavailable):
        return visible(str(problem))[:300].rstrip(".")
    return f"the connection ended ({type(problem).__name__})"
