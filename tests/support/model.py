"""A model that plays a script over OpenAI's wire: an HTTP server, strict about what it is asked.

`scripted_model` plays a list of turns in order. A request nobody scripted and a turn nobody requested are errors
when the block ends; so is a request the service itself would refuse, unless the script expects the refusal.

    async with scripted_model([calls(call("bash", command="ls")), say("Two files.")]) as model:
        client = AsyncOpenAI(base_url=model.base_url, api_key="test")
"""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from pydantic import JsonValue

from bot.rehearsal import replies
from bot.rehearsal.wire import Call, ChatRequest, Json, Reply, RequestRefused, error_body, parse_request
from tests.waiting import BOUND


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One scripted answer."""

    name: str
    play: Callable[["Asked"], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that waits for its turn."""

    model: "ModelDouble"
    http: web.Request
    chat: ChatRequest


class ModelDouble:
    """The server's side of a test: where it listens, what it was asked, what is left of the script."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.base_url = ""
        """The address for `OPENAI_BASE_URL`, ending in `/v1`."""
        self.bodies: list[Json] = []
        """Every request body, refused ones included, in order of arrival."""
        self.headers: list[dict[str, str]] = []
        """The headers of every request, names in lower case."""
        self.unexpected: list[Json] = []
        self.refused: list[str] = []
        self.closing = asyncio.Event()
        self.call_numbers = itertools.count(1)
        self.arrived = asyncio.Condition()
        self.turns = list(turns)
        self.given_up = 0
        """Requests that hung until the client closed its connection."""

    @property
    def requests(self) -> list[ChatRequest]:
        """Every request in parsed form."""
        return [parse_request(body) for body in self.bodies]

    def add(self, *turns: Turn) -> None:
        """Lengthen the script while it runs."""
        self.turns.extend(turns)

    async def wait_for_requests(self, count: int) -> None:
        """Return once that many requests have arrived in all.

        Raises:
            TimeoutError: they did not come.
        """
        async with asyncio.timeout(BOUND), self.arrived:
            await self.arrived.wait_for(lambda: len(self.bodies) >= count)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Record the request, check it, and play the next turn."""
        body: JsonValue = json.loads(await request.text())
        assert isinstance(body, dict)
        async with self.arrived:
            self.bodies.append(body)
            self.headers.append({name.lower(): value for name, value in request.headers.items()})
            self.arrived.notify_all()
        try:
            parsed = parse_request(body)
        except RequestRefused as refused:
            self.refused.append(refused.message)
            return web.json_response(refused.body(), status=refused.status)
        if not self.turns:
            self.unexpected.append(body)
            return web.json_response(error_body("The script has no turn left for this request."), status=400)
        return await self.turns.pop(0).play(Asked(model=self, http=request, chat=parsed))

    def problems(self) -> list[str]:
        """What did not go by the script."""
        last = [str(body["messages"])[-300:] for body in self.unexpected]
        return [
            *(f"unexpected request, its messages end with {text}" for text in last),
            *(f"the service would refuse this request: {text}" for text in self.refused),
            *(f"turn never requested: {turn.name}" for turn in self.turns),
        ]


@asynccontextmanager
async def scripted_model(turns: Sequence[Turn] = ()) -> AsyncGenerator[ModelDouble, None]:
    """Serve the script on a free port of the loopback interface.

    Raises:
        AssertionError: at the end, when not everything went by the script.
    """
    model = ModelDouble(turns)
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_post("/v1/chat/completions", model.answer)
    app.router.add_get("/v1/models", list_models)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1, handler_cancellation=True)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        model.base_url = f"http://{host}:{port}/v1"
        yield model
    finally:
        model.closing.set()
        await runner.cleanup()
    problems = model.problems()
    assert not problems, "; ".join(problems)


async def list_models(_: web.Request) -> web.Response:
    """The one model there is."""
    return web.json_response({"object": "list", "data": [{"id": "scripted", "object": "model", "created": 0}]})


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call in a script: a tool's name and arguments, an object or raw text that may be broken on purpose."""

    tool: str
    arguments: Json | str = field(default_factory=dict[str, JsonValue])
    id: str = ""
    """Empty means a fresh one."""


def call(tool: str, /, **arguments: JsonValue) -> Invocation:
    """A call with arguments by name: `call("bash", command="ls")`."""
    return Invocation(tool, arguments)


def say(text: str, *, finish_reason: str = "") -> Turn:
    """Answer with words only."""
    return reply(lambda _: Reply(text=text, finish_reason=finish_reason), name=f"say {text[:40]!r}")


def calls(*invocations: Invocation, text: str = "") -> Turn:
    """Answer with calls, and words beside them."""
    name = "calls " + ", ".join(invocation.tool for invocation in invocations)
    return reply(lambda asked: Reply(text=text, calls=numbered(asked.model, invocations)), name=name)


def numbered(model: ModelDouble, invocations: Sequence[Invocation]) -> tuple[Call, ...]:
    """The calls as the wire carries them, each with an id of its own."""
    return tuple(
        Call(
            id=item.id or f"call_{next(model.call_numbers):04d}",
            name=item.tool,
            arguments=item.arguments if isinstance(item.arguments, str) else json.dumps(item.arguments),
        )
        for item in invocations
    )


def reply(make: Callable[[Asked], Reply], *, name: str = "reply", usage: bool = True) -> Turn:
    """Answer with what `make` returns, streamed when the request asks for it. `usage=False` leaves the numbers out."""

    async def play(asked: Asked) -> web.StreamResponse:
        return await send(asked, make(asked), usage=usage)

    return Turn(name=name, play=play)


async def send(asked: Asked, answer: Reply, *, usage: bool = True, stop_after: int | None = None) -> web.StreamResponse:
    """Write the reply as an object or as a stream. `stop_after` leaves a stream open after that many chunks."""
    envelope = replies.Envelope(id="chatcmpl-scripted", created=1_700_000_000, model=asked.chat.model)
    if not asked.chat.stream:
        body = replies.completion(envelope, asked.chat, answer)
        return web.json_response(body if usage else {key: body[key] for key in body if key != "usage"})
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await response.prepare(asked.http)
    for piece in itertools.islice(replies.chunks(envelope, asked.chat, answer), stop_after):
        if usage or piece["choices"]:
            await response.write(replies.sse(piece))
    if stop_after is None:
        await response.write(replies.SSE_END)
        await response.write_eof()
    return response


def fail(status: int, message: str = "Scripted failure.", *, code: str | None = None, **headers: str) -> Turn:
    """Answer with an error object: `fail(429, Retry_After="1")`. Underscores in header names become dashes."""

    async def play(_: Asked) -> web.StreamResponse:
        kind = "server_error" if status >= 500 else "invalid_request_error"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response(error_body(message, code=code, kind=kind), status=status, headers=named)

    return Turn(name=f"fail {status}", play=play)


def raw(body: str, *, status: int = 200, content_type: str = "text/html") -> Turn:
    """Answer with any bytes: a sign-in page, half a JSON object."""

    async def play(_: Asked) -> web.StreamResponse:
        return web.Response(text=body, status=status, content_type=content_type)

    return Turn(name=f"raw {status} {content_type}", play=play)


def hang() -> Turn:
    """Take the request and send nothing, until the client goes away or the block ends."""

    async def play(asked: Asked) -> web.StreamResponse:
        try:
            await asked.model.closing.wait()
        except asyncio.CancelledError:
            asked.model.given_up += 1
            raise
        return web.Response(status=503)

    return Turn(name="hang", play=play)


def held(gate: asyncio.Event, turn: Turn) -> Turn:
    """Play the turn once the test opens the gate: slowness without a clock."""

    async def play(asked: Asked) -> web.StreamResponse:
        await gate.wait()
        return await turn.play(asked)

    return Turn(name=f"held {turn.name}", play=play)


def breaks_off(text: str, *, after_chunks: int = 3, silent: bool = False) -> Turn:
    """Stream a few chunks of the text, then cut the connection, or keep it open in silence."""

    async def play(asked: Asked) -> web.StreamResponse:
        assert asked.chat.stream, "only a stream can break off"
        response = await send(asked, Reply(text=text), stop_after=after_chunks)
        if silent:
            await asked.model.closing.wait()
        elif asked.http.transport is not None:
            asked.http.transport.abort()
        return response

    return Turn(name="breaks off", play=play)
