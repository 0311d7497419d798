"""What a server takes is found out by asking: Azure's addresses, reasoning models, images and schemas over the wire."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import httpx2
import pytest
from aiohttp import web
from openai import BadRequestError
from pydantic import JsonValue

from bot.rehearsal import replies
from bot.rehearsal.wire import Reply, parse_request
from runtime.llm.careful import CarefulModel
from runtime.llm.client import ModelOptions
from runtime.llm.errors import ImagesRefused, ModelRejected
from runtime.llm.images import image_of, image_tokens
from runtime.llm.openai_model import OpenAIModel
from runtime.llm.port import ModelReply, ModelRequest
from runtime.llm.shape import Shape, lessened
from runtime.llm.structured import Answer, AnswerUnreadable, read_answer, schema_for
from tests.support.model import Asked, Turn, fail, say, scripted_model
from tests.support.pixels import png
from tools.pictures import Picture

HELLO = ModelRequest(system="S.", messages=('{"role":"user","content":"hi"}',), step_id="r1.1")
PIXEL = png(3, 2)


class Verdict(Answer):
    """An answer in a fixed form."""

    met: bool
    why: str = ""


SEEING = replace(HELLO, images=(image_of("a.png", PIXEL, Picture(media_type="image/png", width=3, height=2)),))
HELD = replace(HELLO, schema=schema_for(Verdict))


@asynccontextmanager
async def opened(options: ModelOptions, key: str = "k") -> AsyncGenerator[CarefulModel]:
    """A model as the runtime uses it."""
    model = CarefulModel(OpenAIModel(options, api_key=key))
    try:
        yield model
    finally:
        await model.aclose()


async def asked(options: ModelOptions, *turns: Turn, requests: tuple[ModelRequest, ...]) -> list[dict[str, JsonValue]]:
    """The bodies that the requests lead to, with the script's answers."""
    async with scripted_model(turns) as server, opened(replace(options, base_url=server.base_url)) as model:
        for request in requests:
            await model.reply(request)
    return server.bodies


OPTIONS = ModelOptions(model="m", base_url="")


@dataclass(slots=True)
class Azure:
    """A resource of Azure OpenAI: paths with a deployment, a dated API, and a header for the key."""

    address: str = ""
    paths: list[str] = field(default_factory=list[str])
    keys: list[str] = field(default_factory=list[str])

    async def complete(self, request: web.Request) -> web.Response:
        """Answer as Azure does."""
        self.paths.append(request.path_qs)
        self.keys.append(request.headers.get("api-key", ""))
        if request.match_info["deployment"] != "small":
            error = {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}
            return web.json_response({"error": error}, status=404)
        chat = parse_request(json.loads(await request.text()))
        envelope = replies.Envelope(id="c", created=1, model=chat.model)
        return web.json_response(replies.completion(envelope, chat, Reply(text="Hello from Azure.")))


@asynccontextmanager
async def azure() -> AsyncGenerator[Azure]:
    """The resource on a free port."""
    resource = Azure()
    app = web.Application()
    app.router.add_post("/openai/deployments/{deployment}/chat/completions", resource.complete)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        resource.address = f"http://{host}:{port}"
        yield resource
    finally:
        await runner.cleanup()


def at(resource: Azure, *, deployment: str = "") -> ModelOptions:
    """How the resource is asked."""
    options = replace(OPTIONS, base_url=resource.address, azure_api_version="2024-10-21")
    return replace(options, azure_deployment=deployment)


async def test_azure_is_asked_under_its_own_address_with_its_own_key_header() -> None:
    """Deployment and date of the API stand in the address; the body is the same as anywhere."""
    async with azure() as resource, opened(at(resource, deployment="small"), key="azure-key") as model:
        reply = await model.reply(HELLO)
    assert reply.text == "Hello from Azure."
    assert resource.paths == ["/openai/deployments/small/chat/completions?api-version=2024-10-21"]
    assert resource.keys == ["azure-key"]


async def test_a_deployment_that_azure_does_not_know_is_named() -> None:
    """It is called as the model is where the settings do not say otherwise, and asked for once."""
    async with azure() as resource, opened(at(resource)) as model:
        with pytest.raises(ModelRejected) as caught:
            await model.reply(HELLO)
    assert caught.value.code == "model_unknown"
    assert len(resource.paths) == 1


async def test_a_reasoning_model_is_asked_without_temperature_and_with_its_own_limit() -> None:
    """What the settings say of it decides, whatever it is called."""
    options = replace(OPTIONS, temperature=0.2, max_output_tokens=99, reasoning=True, reasoning_effort="low")
    (body,) = await asked(options, say("Hm."), requests=(HELLO,))
    assert "temperature" not in body
    assert (body["max_completion_tokens"], body["reasoning_effort"]) == (99, "low")


UNSUPPORTED = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "Unsupported value: 'temperature' does not support 0.2 with this model.",
)


async def test_what_a_model_does_not_take_is_found_out_once() -> None:
    """Two refusals lead to the form it takes, and the next request has it from the start."""
    options = replace(OPTIONS, temperature=0.2, max_output_tokens=99)
    script = [fail(400, UNSUPPORTED[0]), fail(400, UNSUPPORTED[1]), say("One."), say("Two.")]
    bodies = await asked(options, *script, requests=(HELLO, HELLO))
    assert [body.get("max_tokens") for body in bodies] == [99, None, None, None]
    assert [body.get("max_completion_tokens") for body in bodies] == [None, 99, 99, 99]
    assert ["temperature" in body for body in bodies] == [True, True, False, False]


def refused_together(message: str) -> Turn:
    """Refuse once both requests have come, so that neither was sent with what the other has learned."""
    refusal = fail(400, message)

    async def play(asked: Asked) -> web.StreamResponse:
        await asked.model.wait_for_requests(2)
        return await refusal.play(asked)

    return Turn(name="refused together", play=play)


async def test_two_requests_refused_at_once_are_both_asked_again() -> None:
    """What the second refusal says was learned from the first one already; that is no reason to fail."""
    options = replace(OPTIONS, max_output_tokens=99)
    script = [refused_together(UNSUPPORTED[0]), refused_together(UNSUPPORTED[0]), say("One."), say("Two.")]
    async with scripted_model(script) as server, opened(replace(options, base_url=server.base_url)) as model:
        replies = await asyncio.gather(model.reply(HELLO), model.reply(HELLO))
    assert sorted(reply.text for reply in replies) == ["One.", "Two."]
    assert ["max_tokens" in body for body in server.bodies] == [True, True, False, False]


@pytest.mark.parametrize(
    ("message", "streams"),
    [("The upstream refused it.", True), ("stream_options: no.", True), ("Streaming is not supported.", False)],
)
def test_only_a_whole_word_names_what_is_refused(message: str, streams: bool) -> None:
    """A server behind another, or a refusal of something that was not sent, does not switch streaming off."""
    response = httpx2.Response(400, request=httpx2.Request("POST", "http://m"))
    less = lessened(Shape(), BadRequestError(message, response=response, body=None), '"stream":true')
    assert (less is None) is streams


async def test_the_limits_name_does_not_go_to_and_fro() -> None:
    """A server that refuses both names is not asked for ever."""
    refusals = [fail(400, "max_completion_tokens: no."), fail(400, "max_completion_tokens: no.")]
    with pytest.raises(ModelRejected):
        await asked(replace(OPTIONS, max_output_tokens=9), *refusals, requests=(HELLO,))


async def test_an_answer_is_held_to_its_schema_where_the_server_does_that() -> None:
    """Every property is required and no other allowed, as the services demand."""
    (body,) = await asked(OPTIONS, say('{"met": true, "why": "x"}'), requests=(HELD,))
    schema = {
        "type": "object",
        "properties": {"met": {"type": "boolean"}, "why": {"type": "string"}},
        "required": ["met", "why"],
        "additionalProperties": False,
    }
    wanted = {"name": "answer", "strict": True, "schema": schema}
    assert body["response_format"] == {"type": "json_schema", "json_schema": wanted}


async def test_a_server_without_schemas_is_asked_by_the_prompt_alone() -> None:
    """One refusal, and no request of this process asks for it again; nor where the settings say so."""
    script = [fail(400, "response_format.type must be text"), say("{}"), say("{}")]
    bodies = await asked(OPTIONS, *script, requests=(HELD, HELD))
    assert ["response_format" in body for body in bodies] == [True, False, False]
    (body,) = await asked(replace(OPTIONS, takes_schemas=False), say("{}"), requests=(HELD,))
    assert "response_format" not in body


def test_an_object_is_read_from_a_fence_and_refused_with_the_reason() -> None:
    """What is checked after it came is the same with every server."""
    assert read_answer('Sure:\n```json\n{"met": true, "more": 1}\n```', Verdict) == Verdict(met=True)
    with pytest.raises(AnswerUnreadable, match="met: "):
        read_answer('{"met": "perhaps"}', Verdict)
    with pytest.raises(AnswerUnreadable, match="not the JSON object"):
        read_answer("Yes.", Verdict)


async def test_an_image_stands_behind_the_history_and_costs_by_its_pixels() -> None:
    """The history's bytes stay what they were; the count has nothing to do with the length of the data."""
    (body,) = await asked(OPTIONS, say("A pixel."), requests=(SEEING,))
    messages = body["messages"]
    assert isinstance(messages, list)
    assert messages[:2] == [{"role": "system", "content": "S."}, {"role": "user", "content": "hi"}]
    url = f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"
    assert {"type": "image_url", "image_url": {"url": url}} in messages[2]["content"]  # type: ignore[index,operator,call-overload] # JSON
    assert SEEING.tokens == HELLO.tokens + 255


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [(512, 512, 256), (1024, 1024, 1024), (2048, 4096, 1536), (100, 8000, 1000), (1, 1, 255)],
)
def test_an_image_costs_the_greater_of_the_two_ways_it_is_counted(width: int, height: int, tokens: int) -> None:
    """Tiles of 512 pixels, or patches of 32 up to a bound."""
    assert image_tokens(width, height) == tokens


async def test_a_model_that_refuses_an_image_is_not_shown_another() -> None:
    """The first image is the probe; afterwards its name and that it cannot be seen stand in its place."""
    script = [fail(400, "This model does not support image input."), say("I cannot see it.")]
    async with scripted_model(script) as server, opened(replace(OPTIONS, base_url=server.base_url)) as model:
        with pytest.raises(ImagesRefused):
            await model.reply(SEEING)
        assert model.traits.takes_images is False
        reply: ModelReply = await model.reply(SEEING)
    assert reply.text == "I cannot see it."
    assert "a.png cannot be shown to you" in json.dumps(server.bodies[1])


async def test_a_bad_image_does_not_make_a_model_blind() -> None:
    """One that took an image before, or is said to, refuses this one only."""
    script = [fail(400, "Invalid image."), say("Seen.")]
    options = replace(OPTIONS, takes_images=True)
    async with scripted_model(script) as server, opened(replace(options, base_url=server.base_url)) as model:
        with pytest.raises(ImagesRefused):
            await model.reply(SEEING)
        assert (await model.reply(SEEING)).text == "Seen."
