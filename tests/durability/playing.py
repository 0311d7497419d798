"""A model that needs no memory: what it answers follows from how often it has answered in this conversation."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from aiohttp import web

from bot.rehearsal.wire import Call, Reply, parse_request
from tests.support.model import Asked, Invocation, ModelDouble, send


class SteadyModel(ModelDouble):
    """Plays the same turns for every conversation, again after a crash and in any order of requests."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        super().__init__(())
        self.replies = replies

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """The turn that follows the conversation's last one."""
        chat = parse_request(json.loads(await request.text()))
        turn = sum(message.role == "assistant" for message in chat.messages)
        reply = self.replies[min(turn, len(self.replies) - 1)]
        try:
            return await send(Asked(model=self, http=request, chat=chat), reply)
        except ConnectionResetError:
            return web.Response(status=499)  # Who asked has died meanwhile.


def turns(*lines: Invocation | str) -> tuple[Reply, ...]:
    """A reply per line: a call, or words."""
    return tuple(
        Reply(text=line)
        if isinstance(line, str)
        else Reply(calls=(Call(id=f"call_{number}", name=line.tool, arguments=json.dumps(line.arguments)),))
        for number, line in enumerate(lines)
    )


@asynccontextmanager
async def steady_model(replies: Sequence[Reply]) -> AsyncGenerator[str]:
    """Serve it; its base URL."""
    model = SteadyModel(replies)
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_post("/v1/chat/completions", model.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}/v1"
    finally:
        await runner.cleanup()
