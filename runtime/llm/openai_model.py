"""`ChatModel` over the `openai` client: any server that speaks Chat Completions.

The body is joined from messages that were serialised once and posted through the client's own `post`. The client's
typed method walks and rebuilds the whole history at each request, which costs over 100 ms a step in long sessions.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import cast

import httpx2
from openai import APIError, APIStatusError, AsyncOpenAI, AsyncStream
from pydantic import JsonValue

from runtime.llm.client import ModelOptions, client_of
from runtime.llm.errors import ImagesRefused, ModelError, ModelUnavailable, ModelUnusable
from runtime.llm.images import image_message
from runtime.llm.port import ModelReply, ModelRequest, Traits
from runtime.llm.reading import Body, compact, read_reply
from runtime.llm.retry import TOO_MANY_BYTES, Asked, as_model_error, asked_pause, may_have_cost, may_pass
from runtime.llm.shape import Shape, lessened, refuses_images
from runtime.llm.streaming import Streamed, came, whole_body
from runtime.llm.tokens import estimated
from runtime.session.events import Usage

__all__ = ["ModelOptions", "OpenAIModel", "with_cost"]

logger = logging.getLogger(__name__)


class OpenAIModel:
    """A model behind an OpenAI-compatible address."""

    def __init__(self, options: ModelOptions, *, api_key: str = "", redact: Callable[[str], str] = str) -> None:
        """Prepare a client; nothing is sent yet."""
        self.options = options
        self.where = options.where
        self.redact = redact
        self.shape = Shape(
            temperature=not options.reasoning,
            schemas=options.takes_schemas,
            limit="max_completion_tokens" if options.is_openai or options.reasoning else "max_tokens",
        )
        """What a request may hold; shortened once when the server takes less."""
        self.takes_images = options.takes_images
        self.client: AsyncOpenAI = client_of(options, api_key)

    @property
    def traits(self) -> Traits:
        """What is known of it by now."""
        options = self.options
        return Traits(profile=options.profile, context_window=options.context_window, takes_images=self.takes_images)

    @property
    def name(self) -> str:
        """The model's name as configured."""
        return self.options.model

    async def aclose(self) -> None:
        """Close the connections."""
        await self.client.close()

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Ask; repeat what may pass; an answer with nothing in it is asked for once more and its cost added."""
        spent = Usage()
        try:
            async with asyncio.timeout(self.options.whole.total_seconds()):
                try:
                    return await self.ask(request)
                except ModelUnusable as first:
                    if not first.usage.total:
                        raise
                    logger.warning("unusable answer, asking once more: %s", first)
                    spent = first.usage
                return with_cost(await self.ask(request), spent)
        except ModelError as error:
            error.usage = summed(spent, error.usage)
            raise
        except TimeoutError as error:
            seconds = self.options.whole.total_seconds()
            sentence = f"The model at {self.where} did not answer within {seconds:g} s (timeouts.model)."
            late = ModelUnavailable("model_slow", sentence)
            late.usage = summed(spent, asked_tokens(request))
            raise late from error

    async def ask(self, request: ModelRequest) -> ModelReply:
        """One answer, with the tries that the policy allows; what broke off after it had begun is counted as well.

        Raises:
            ModelError: one of its subclasses.
        """
        attempt, lost = 1, Usage()
        while True:
            streamed, shape = Streamed(), self.shape
            try:
                body = await self.posted(request, shape, streamed)
                reply = read_reply(body, request, self.where, profile=self.options.profile)
                self.takes_images = True if request.images else self.takes_images
            except APIError as error:
                if self.asks_for_less(request, shape, error):
                    continue
                self.look_for_images(request, error)
                if streamed.has_choice or may_have_cost(error):
                    lost = summed(lost, asked_tokens(request), Usage(output=estimated(came(streamed)), estimated=True))
                pause = self.options.retries.pause(attempt, asked_pause(error)) if may_pass(error) else None
                if pause is None:
                    raise self.known(error, lost) from error
                logger.info("model request failed (%s), again in %.1f s", type(error).__name__, pause.total_seconds())
            else:
                return with_cost(reply, lost) if lost.total else reply
            await asyncio.sleep(pause.total_seconds())
            attempt += 1

    async def posted(self, request: ModelRequest, shape: Shape, streamed: Streamed) -> Body:
        """The body of one answer. As a stream, so that silence means no byte rather than a long answer."""
        content = self.body(request, shape)
        if not shape.stream:
            return await self.client.post("/chat/completions", cast_to=str, content=content)
        # Asked for as it is, so that the client does not prepare to read events that are read here.
        response = await self.client.post(
            "/chat/completions", cast_to=httpx2.Response, content=content, stream=True, stream_cls=AsyncStream[object]
        )
        return await whole_body(cast("httpx2.Response", response), streamed, self.where)

    def asks_for_less(self, request: ModelRequest, sent: Shape, error: APIError) -> bool:
        """Whether the server refused a part of the request that it can be asked without; noted for good."""
        less = lessened(sent, error, ",".join(self.extras(request, sent)))
        if less is None:
            return False
        # Another request may have learned it while this one was under way: then what is known now is tried.
        if self.shape == sent:
            logger.info("the model at %s takes less: %s", self.where, less)
            self.shape = less
        return True

    def look_for_images(self, request: ModelRequest, error: APIError) -> None:
        """Note that the model takes no images, where that is what the refusal says.

        Raises:
            ImagesRefused: it is, or the request has too many bytes, which are the images': fewer words change nothing.
        """
        if request.images and isinstance(error, APIStatusError) and error.status_code == TOO_MANY_BYTES:
            raise ImagesRefused("model_images", f"The model at {self.where} finds these images too large.") from error
        if request.images and refuses_images(error):
            # Where it took one before, something is wrong with these.
            self.takes_images = self.takes_images or False
            raise ImagesRefused("model_images", f"The model at {self.where} takes no images.") from error

    def known(self, error: APIError, lost: Usage) -> ModelError:
        """The failure by who must react, with what it cost."""
        options = self.options
        asked = Asked(where=self.where, model=options.model, key=options.key_name)
        failure = as_model_error(error, asked, redact=self.redact)
        failure.usage = lost
        return failure

    def body(self, request: ModelRequest, shape: Shape) -> bytes:
        """The request as the bytes that are sent; the long parts come first and unchanged, so that caches hold."""
        head = [f'"model":{compact(self.options.model)}']
        if request.tools:
            head += [f'"tools":{request.tools}', f'"tool_choice":"{request.tool_choice}"']
        head += self.extras(request, shape)
        shown = (image_message(request.images),) if request.images else ()
        messages = ",".join((system_message(request.system), *request.messages, *shown))
        return f'{{{",".join(head)},"messages":[{messages}]}}'.encode()

    def extras(self, request: ModelRequest, shape: Shape) -> Iterator[str]:
        """What stands beside model, tools and messages, as far as the server takes it."""
        options = self.options
        if options.temperature is not None and shape.temperature:
            yield f'"temperature":{options.temperature}'
        if options.reasoning_effort and shape.effort:
            yield f'"reasoning_effort":"{options.reasoning_effort}"'
        if options.max_output_tokens is not None:
            yield f'"{shape.limit}":{options.max_output_tokens}'
        if request.schema and shape.schemas:
            held = f'"name":"answer","strict":true,"schema":{request.schema}'
            yield f'"response_format":{{"type":"json_schema","json_schema":{{{held}}}}}'
        if shape.stream:
            yield '"stream":true'
        if shape.stream_options:
            yield '"stream_options":{"include_usage":true}'


@lru_cache(maxsize=32)
def system_message(text: str) -> str:
    """The first message of a request; the same for a whole run."""
    message: dict[str, JsonValue] = {"role": "system", "content": text}
    return compact(message)


def asked_tokens(request: ModelRequest) -> Usage:
    """What a request costs that was read and not answered, by its size."""
    return Usage(input=request.tokens, estimated=True)


def summed(*usages: Usage) -> Usage:
    """All of them together."""
    return Usage(
        input=sum(usage.input for usage in usages),
        cached=sum(usage.cached for usage in usages),
        output=sum(usage.output for usage in usages),
        reasoning=sum(usage.reasoning for usage in usages),
        estimated=any(usage.estimated for usage in usages),
    )


def with_cost(reply: ModelReply, extra: Usage) -> ModelReply:
    """The reply with the tokens of an earlier, unusable answer added."""
    return replace(reply, usage=summed(reply.usage, extra))
