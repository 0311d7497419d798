"""`ChatModel` over the `openai` client: any server that speaks Chat Completions.

The body is joined from messages that were serialised once and posted through the client's own `post`. The client's
typed method walks and rebuilds the whole history at each request, which costs over 100 ms a step in long sessions.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from urllib.parse import urlsplit

from openai import APIError, APIStatusError, AsyncOpenAI, AsyncStream, DefaultAsyncHttpx2Client, Timeout
from pydantic import JsonValue

from runtime.llm.errors import ModelError, ModelUnavailable, ModelUnusable
from runtime.llm.port import ModelReply, ModelRequest
from runtime.llm.reading import compact, read_reply
from runtime.llm.retry import RetryPolicy, as_model_error, asked_pause, may_have_cost, may_pass
from runtime.llm.streaming import Streamed, came, whole_body
from runtime.llm.tokens import estimated
from runtime.session.events import Usage

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 10.0
KEY_FOR_NONE = "none"
"""Local servers want no key, yet the client insists on one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """How requests to one model are made."""

    model: str
    base_url: str
    temperature: float | None = None
    max_output_tokens: int | None = None
    silence: timedelta = timedelta(seconds=120)
    """No byte for so long ends the request."""
    whole: timedelta = timedelta(seconds=600)
    """All tries together."""
    retries: RetryPolicy = field(default_factory=RetryPolicy)

    @property
    def where(self) -> str:
        """The address as people may see it: without credentials or query."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"

    @property
    def is_local(self) -> bool:
        """True when the model runs on this machine."""
        return urlsplit(self.base_url).hostname in {"127.0.0.1", "::1", "localhost"}

    @property
    def is_openai(self) -> bool:
        """True for OpenAI's own service, which names the output limit differently."""
        return urlsplit(self.base_url).hostname == "api.openai.com"


class OpenAIModel:
    """A model behind an OpenAI-compatible address."""

    def __init__(self, options: ModelOptions, *, api_key: str = "", redact: Callable[[str], str] = str) -> None:
        """Prepare a client; nothing is sent yet."""
        self.options = options
        self.redact = redact
        self.extras = ('"stream":true', '"stream_options":{"include_usage":true}')
        """What asks for a stream; shortened once when the server takes less."""
        self.client = AsyncOpenAI(
            api_key=api_key or KEY_FOR_NONE,
            base_url=options.base_url,
            max_retries=0,
            timeout=Timeout(options.silence.total_seconds(), connect=CONNECT_SECONDS),
            # A proxy of the environment is for the outside; a model on this machine is not behind it.
            http_client=DefaultAsyncHttpx2Client(trust_env=False) if options.is_local else None,
        )

    @property
    def name(self) -> str:
        """The model's name as configured."""
        return self.options.model

    async def aclose(self) -> None:
        """Close the connections."""
        await self.client.close()

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Ask; repeat what may pass; an answer with nothing in it is asked for once more and its cost added."""
        try:
            async with asyncio.timeout(self.options.whole.total_seconds()):
                try:
                    return await self.ask(request)
                except ModelUnusable as first:
                    if not first.usage.total:
                        raise
                    logger.warning("unusable answer, asking once more: %s", first)
                    reply = await self.ask(request)
                    return with_cost(reply, first.usage)
        except TimeoutError as error:
            seconds = self.options.whole.total_seconds()
            sentence = f"The model at {self.options.where} did not answer within {seconds:g} s (timeouts.model)."
            late = ModelUnavailable("model_slow", sentence)
            late.usage = asked_tokens(request)
            raise late from error

    async def ask(self, request: ModelRequest) -> ModelReply:
        """One answer, with the tries that the policy allows; what broke off after it had begun is counted as well.

        Raises:
            ModelError: one of its subclasses.
        """
        attempt, lost = 1, Usage()
        while True:
            streamed = Streamed()
            try:
                reply = read_reply(await self.posted(request, streamed), request, self.options.where)
            except APIError as error:
                if self.asks_for_less(error):
                    continue
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

    async def posted(self, request: ModelRequest, streamed: Streamed) -> str:
        """The body of one answer. As a stream, so that silence means no byte rather than a long answer."""
        content = self.body(request)
        if not self.extras:
            return await self.client.post("/chat/completions", cast_to=str, content=content)
        kind = AsyncStream[object]
        stream = await self.client.post(
            "/chat/completions", cast_to=object, content=content, stream=True, stream_cls=kind
        )
        return await whole_body(stream, streamed, self.options.where)

    def asks_for_less(self, error: APIError) -> bool:
        """Whether the server refused the stream, or its options, and should be asked without; noted for good."""
        if not self.extras or not isinstance(error, APIStatusError) or error.status_code not in {400, 404, 422, 501}:
            return False
        words = error.message.lower()
        if len(self.extras) > 1 and "stream_options" in words:
            self.extras = self.extras[:1]
        elif "stream" in words:
            self.extras = ()
        else:
            return False
        logger.info("the model at %s takes no %s", self.options.where, "streams" if not self.extras else "options")
        return True

    def known(self, error: APIError, lost: Usage) -> ModelError:
        """The failure by who must react, with what it cost."""
        options = self.options
        failure = as_model_error(error, where=options.where, model=options.model, redact=self.redact)
        failure.usage = lost
        return failure

    def body(self, request: ModelRequest) -> bytes:
        """The request as the bytes that are sent; the long parts come first and unchanged, so that caches hold."""
        options = self.options
        head = [f'"model":{compact(options.model)}']
        if request.tools:
            head += [f'"tools":{request.tools}', f'"tool_choice":"{request.tool_choice}"']
        if options.temperature is not None:
            head.append(f'"temperature":{options.temperature}')
        if options.max_output_tokens is not None:
            limit = "max_completion_tokens" if options.is_openai else "max_tokens"
            head.append(f'"{limit}":{options.max_output_tokens}')
        head += self.extras
        system: dict[str, JsonValue] = {"role": "system", "content": request.system}
        messages = ",".join((compact(system), *request.messages))
        return f'{{{",".join(head)},"messages":[{messages}]}}'.encode()


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
