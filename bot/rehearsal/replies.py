"""Replies in the shape of the wire: one completion object, or the chunks of a stream. Pure functions."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from bot.rehearsal.wire import ChatRequest, Json, Reply

CHARS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4
TEXT_PIECE = 24
"""Characters of one streamed piece of text or of arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What every object of one answer repeats."""

    id: str
    created: int
    """Seconds since 1970."""
    model: str


def usage(request: ChatRequest, reply: Reply) -> Json:
    """Token numbers computed from sizes: about four characters a token, and a few tokens for each message."""
    prompt = sum(
        TOKENS_PER_MESSAGE
        + tokens(message.text)
        + sum(tokens(call.function.name + call.function.arguments) for call in message.tool_calls or ())
        for message in request.messages
    )
    prompt += sum(tokens(tool.model_dump_json()) for tool in request.tools or ())
    completion = tokens(reply.text) + sum(tokens(call.name + call.arguments) for call in reply.calls)
    completion = max(1, completion)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def tokens(text: str) -> int:
    """An estimate that is never zero for a text that is not empty."""
    return -(-len(text) // CHARS_PER_TOKEN)


def completion(envelope: Envelope, request: ChatRequest, reply: Reply) -> Json:
    """The answer to a request that does not stream."""
    message: Json = {"role": "assistant", "content": reply.text or None, "refusal": None, "annotations": []}
    if reply.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in reply.calls
        ]
    choice: Json = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.ends_with}
    return {
        "id": envelope.id,
        "object": "chat.completion",
        "created": envelope.created,
        "model": envelope.model,
        "choices": [choice],
        "usage": usage(request, reply),
        "system_fingerprint": None,
    }


def chunks(envelope: Envelope, request: ChatRequest, reply: Reply) -> Iterator[Json]:
    """The answer to a request that streams, one object for each event."""
    with_usage = request.stream_options is not None and request.stream_options.include_usage
    for delta in deltas(reply):
        yield chunk(envelope, [choice_of(delta)], with_usage=with_usage)
    yield chunk(envelope, [choice_of({}, reply.ends_with)], with_usage=with_usage)
    if with_usage:
        last = chunk(envelope, [], with_usage=True)
        last["usage"] = usage(request, reply)
        yield last


def deltas(reply: Reply) -> Iterator[Json]:
    """What each chunk adds: first the role, then words, then for each call its name and the pieces of its arguments."""
    yield {"role": "assistant", "content": "" if reply.text or not reply.calls else None, "refusal": None}
    for piece in pieces(reply.text):
        yield {"content": piece}
    for index, call in enumerate(reply.calls):
        head: Json = {
            "index": index,
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": ""},
        }
        yield {"tool_calls": [head]}
        for piece in pieces(call.arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def pieces(text: str) -> Iterator[str]:
    """The text cut into short pieces."""
    for start in range(0, len(text), TEXT_PIECE):
        yield text[start : start + TEXT_PIECE]


def choice_of(delta: Json, finish_reason: str | None = None) -> Json:
    """One choice of a chunk."""
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def chunk(envelope: Envelope, choices: list[JsonValue], *, with_usage: bool) -> Json:
    """One object of a stream."""
    body: Json = {
        "id": envelope.id,
        "object": "chat.completion.chunk",
        "created": envelope.created,
        "model": envelope.model,
        "system_fingerprint": None,
        "choices": choices,
    }
    if with_usage:
        body["usage"] = None
    return body


def sse(body: Json) -> bytes:
    """One event of a stream, ready to send."""
    # In ASCII, since a test may send half a character.
    return b"data: " + json.dumps(body).encode() + b"\n\n"


SSE_END = b"data: [DONE]\n\n"
