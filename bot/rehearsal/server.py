"""The HTTP side: `POST /v1/chat/completions` and `GET /v1/models`."""

import asyncio
import json
import secrets
from datetime import UTC, datetime, timedelta

from aiohttp import web
from pydantic import JsonValue

from bot.rehearsal import replies
from bot.rehearsal.performer import reply_to
from bot.rehearsal.wire import RequestRefused, error_body, parse_request

MODEL = "rehearsal"
MAX_BODY_BYTES = 64 * 2**20


class RehearsalServer:
    """Answers requests; keeps nothing."""

    def __init__(self, *, pause: timedelta = timedelta()) -> None:
        """`pause` comes before each reply, so that people can follow."""
        self.pause = pause

    def application(self) -> web.Application:
        """The routes."""
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_get("/v1/models", self.models)
        app.router.add_get("/v1/models/{name}", self.models)
        return app

    async def models(self, request: web.Request) -> web.Response:
        """The one model there is."""
        model: dict[str, JsonValue] = {"id": MODEL, "object": "model", "created": 0, "owned_by": "handrail"}
        name = request.match_info.get("name")
        if name is None:
            return web.json_response({"object": "list", "data": [model]})
        if name != MODEL:
            return web.json_response(not_found(name), status=404)
        return web.json_response(model)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """One reply, as an object or as a stream."""
        try:
            parsed = parse_request(read_json(await request.text()))
        except RequestRefused as refused:
            return web.json_response(refused.body(), status=refused.status)
        if parsed.model != MODEL:
            return web.json_response(not_found(parsed.model), status=404)
        await asyncio.sleep(self.pause.total_seconds())
        envelope = replies.Envelope(
            id=f"chatcmpl-{secrets.token_hex(12)}", created=int(datetime.now(UTC).timestamp()), model=MODEL
        )
        reply = reply_to(parsed)
        if not parsed.stream:
            return web.json_response(replies.completion(envelope, parsed, reply))
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        await response.prepare(request)
        for chunk in replies.chunks(envelope, parsed, reply):
            await response.write(replies.sse(chunk))
        await response.write(replies.SSE_END)
        return response


def not_found(name: str) -> dict[str, JsonValue]:
    """The error of a model that is not here."""
    return error_body(f"The model `{name}` does not exist; this server has only `{MODEL}`.", code="model_not_found")


def read_json(text: str) -> JsonValue:
    """The body as JSON.

    Raises:
        RequestRefused: it is none.
    """
    try:
        body: JsonValue = json.loads(text)
    except json.JSONDecodeError:
        raise RequestRefused("We could not parse the JSON body of your request.") from None
    return body
