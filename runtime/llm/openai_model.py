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

from openai import APIError, AsyncOpenAI, DefaultAsyncHttpx2Client, Timeout
from pydantic import JsonValue

from runtime.llm.errors import ModelUnavailable, ModelUnusable
from runtime.llm.port import ModelReply, ModelRequest
from runtime.llm.reading import compact, read_reply
from runtime.llm.retry import RetryPolicy, as_model_error, asked_pause, may_pass
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
        body = self.body(request)
        try:
            async with asyncio.timeout(self.options.whole.total_seconds()):
                try:
                    return await self.ask(request, body)
                except ModelUnusable as first:
                    if not first.usage.total:
                        raise
                    logger.warning("unusable answer, asking once more: %s", first)
                    reply = await self.ask(request, body)
                    return with_cost(reply, first.usage)
        except TimeoutError as error:
            seconds = self.options.whole.total_seconds()
            sentence = f"The model at {self.options.where} did not answer within {seconds:g} s."
            raise ModelUnavailable("model_silent", sentence) from error

    async def ask(self, request: ModelRequest, body: bytes) -> ModelReply:
        """One answer, with the tries that the policy allows.

        Raises:
            ModelError: one of its subclasses.
        """
        attempt = 1
        while True:
            try:
                text = await self.client.post("/chat/completions", cast_to=str, content=body)
                return read_reply(text, request, self.options.where)
            except APIError as error:
                options = self.options
                pause = options.retries.pause(attempt, asked_pause(error)) if may_pass(error) else None
                if pause is None:
                    known = as_model_error(error, where=options.where, model=options.model, redact=self.redact)
                    raise known from error
                logger.info("model request failed (%s), again in %.1f s", type(error).__name__, pause.total_seconds())
            await asyncio.sleep(pause.total_seconds())
            attempt += 1

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
        system: dict[str, JsonValue] = {"role": "system", "content": request.system}
        messages = ",".join((compact(system), *request.messages))
        return f'{{{",".join(head)},"messages":[{messages}]}}'.encode()


def with_cost(reply: ModelReply, extra: Usage) -> ModelReply:
    """The reply with the tokens of an earlier, unusable answer added."""
    usage = reply.usage.model_copy(
        update={
            "input": reply.usage.input + extra.input,
            "cached": reply.usage.cached + extra.cached,
            "output": reply.usage.output + extra.output,
            "reasoning": reply.usage.reasoning + extra.reasoning,
            "estimated": reply.usage.estimated or extra.estimated,
        }
    )
    return replace(reply, usage=usage)
