"""Reads what a server answered: strict where a guess would be wrong, lenient where the meaning is plain."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from runtime.llm.errors import ModelUnusable
from runtime.llm.port import ModelReply, ModelRequest, RawCall
from runtime.llm.tokens import estimated
from runtime.session.events import Usage
from tools.arguments import read_arguments
from tools.errors import ToolInputError

NAME_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]")
THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
UNREADABLE_KEPT = 2_000
COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
OBJECT: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])
Body = str | Mapping[str, JsonValue]
"""An answer as it came in one piece, or as it was put together from a stream."""


class Lenient(BaseModel):
    """Base of what servers send: what is not known is passed over, null counts as absent."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def as_text(value: JsonValue) -> JsonValue:
    """A text where one is meant: other values in their JSON spelling."""
    return value if value is None or isinstance(value, str) else compact(value)


def as_parts(value: JsonValue) -> JsonValue:
    """Content: a text, or parts; texts among the parts are parts, anything else in its JSON spelling."""
    if isinstance(value, list):
        return [part if isinstance(part, dict) else {"type": "text", "text": as_text(part)} for part in value if part]
    return as_text(value)


def as_objects(value: JsonValue) -> JsonValue:
    """A list of objects: one alone stands for itself, and what is no object is passed over."""
    if isinstance(value, dict):
        return [value]
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else None


def as_function(value: object) -> object:
    """A function, or nothing; a text in its place is its name."""
    if isinstance(value, str):
        return {"name": value}
    return cast("object", value) if isinstance(value, dict | WireFunction) else None


def as_list(value: JsonValue) -> JsonValue:
    """A list; an object alone stands for itself."""
    return [value] if isinstance(value, dict) else value


def as_message(value: JsonValue) -> JsonValue:
    """A message; a text in its place is what it says."""
    return {"content": value} if isinstance(value, str) else value if isinstance(value, dict) else None


Text = Annotated[str | None, BeforeValidator(as_text)]


class WireFunction(Lenient):
    """The function of a call; some servers send arguments as an object."""

    name: Text = None
    arguments: JsonValue = None


class WireCall(Lenient):
    """A call."""

    id: Text = None
    function: Annotated[WireFunction | None, BeforeValidator(as_function)] = None


class WireMessage(Lenient):
    """The assistant's message."""

    content: Annotated[str | list[dict[str, JsonValue]] | None, BeforeValidator(as_parts)] = None
    refusal: Text = None
    tool_calls: Annotated[list[WireCall] | None, BeforeValidator(as_objects)] = None
    function_call: Annotated[WireFunction | None, BeforeValidator(as_function)] = None


class WireChoice(Lenient):
    """One of the answers; only the first is used."""

    message: Annotated[WireMessage | None, BeforeValidator(as_message)] = None
    finish_reason: Text = None


class WireDetails(Lenient):
    """Parts of a token count."""

    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class WireUsage(Lenient):
    """Token counts."""

    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    prompt_tokens_details: WireDetails | None = None
    completion_tokens_details: WireDetails | None = None


class WireCompletion(Lenient):
    """The whole answer."""

    choices: Annotated[list[WireChoice] | None, BeforeValidator(as_list)] = None
    usage: JsonValue = None
    error: JsonValue = None


def read_reply(body: Body, request: ModelRequest, where: str, *, profile: str = "") -> ModelReply:
    """A server's answer as a reply that can be journalled and sent again.

    Args:
        body: what came with status 200, as text or put together from a stream.
        request: what was asked.
        where: the address, for the sentence.
        profile: who answered.

    Raises:
        ModelUnusable: it holds no answer; the sentence says what came instead.
    """
    completion = read_completion(body, where)
    message = next((choice.message for choice in completion.choices or () if choice.message), None)
    usage = read_usage(completion.usage, request, body)
    if message is None:
        raise ModelUnusable(f"The model at {where} answered without any choice.", usage=usage)
    calls = with_ids(message_calls(message), request)
    said = text_of(message)
    text = said.strip()
    if not calls and not text:
        raise ModelUnusable(f"The model at {where} answered with nothing.", usage=usage)
    reason = (completion.choices or [WireChoice()])[0].finish_reason or ""
    return ModelReply(
        text=text,
        message=resendable(text, calls),
        calls=calls,
        usage=usage,
        finish_reason=reason or "stop",
        profile=profile,
        said=said,
    )


def read_completion(body: Body, where: str) -> WireCompletion:
    """The answer as a completion object, or a sentence about what it is instead."""
    if isinstance(body, str) and body.lstrip()[:1] == "<":
        raise ModelUnusable(
            f"A web page came back from {where} instead of a model's answer; OPENAI_BASE_URL should be the address "
            "of an OpenAI-compatible API, usually ending in /v1."
        )
    try:
        completion = lenient(body)
    except ValueError as error:
        raise ModelUnusable(
            f"What {where} answered is not a chat completion; OPENAI_BASE_URL should be the address of an "
            "OpenAI-compatible API, usually ending in /v1."
        ) from error
    if completion.choices is None and completion.error is not None:
        raise ModelUnusable(f"The model at {where} answered with an error in place of a completion.")
    return completion


def lenient(body: Body) -> WireCompletion:
    """The completion, also of a server that writes raw line breaks or half characters into its texts.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(body, str):
        return WireCompletion.model_validate(body)
    try:
        return WireCompletion.model_validate_json(body)
    except ValidationError:
        return WireCompletion.model_validate_json(compact(OBJECT.validate_python(json.loads(body, strict=False))))


def text_of(message: WireMessage) -> str:
    """The words of a message as they came: parts joined, thoughts left out, a refusal where there is nothing else."""
    content = message.content
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content)
    return THOUGHTS.sub("", content or "") or message.refusal or ""


def message_calls(message: WireMessage) -> list[WireCall]:
    """The calls, also one in the old single form; what has no function is no call."""
    calls = [call for call in message.tool_calls or () if call.function is not None]
    if not calls and message.function_call is not None:
        return [WireCall(function=message.function_call)]
    return calls


def with_ids(calls: Sequence[WireCall], request: ModelRequest) -> tuple[RawCall, ...]:
    """Calls with an id each: the model's own where it is there and not used yet."""
    named: list[RawCall] = []
    given: set[str] = set()
    for index, call in enumerate(calls):
        own = str(call.id or "").strip()
        is_free = own and own not in given and own not in request.used_ids
        call_id = own if is_free else made_id(request.step_id, index)
        given.add(call_id)
        function = call.function or WireFunction()
        arguments = function.arguments
        named.append(
            RawCall(
                id=call_id,
                name=(function.name or "").strip(),
                arguments=arguments if isinstance(arguments, str) else compact(arguments or {}),
            )
        )
    return tuple(named)


def made_id(step_id: str, index: int) -> str:
    """An id that is the same each time: nine letters and digits, which the pickiest server accepts."""
    return hashlib.sha256(f"{step_id}.{index}".encode()).hexdigest()[:9]


def resendable(text: str, calls: Sequence[RawCall]) -> str:
    """The assistant message in a form every server takes back."""
    message: dict[str, JsonValue] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": sendable_name(call.name), "arguments": sendable_arguments(call.arguments)},
            }
            for call in calls
        ]
    return compact(message)


def sendable_name(name: str) -> str:
    """A function name within the allowed characters and length."""
    return NAME_CHARACTERS.sub("_", name)[:64] or "unnamed"


def sendable_arguments(arguments: str) -> str:
    """Arguments as a JSON object in text form.

    Some servers parse the history's arguments and refuse a request in which they are not JSON, so what the model
    garbled goes back to it as text inside an object.
    """
    try:
        return compact(read_arguments(arguments))
    except ToolInputError:
        return compact({"unreadable": arguments[:UNREADABLE_KEPT]})


def compact(value: JsonValue | Mapping[str, JsonValue]) -> str:
    """JSON without spaces, with the characters kept; half characters are replaced, since no server takes them."""
    text = COMPACT.encode(value)
    return text.encode(errors="replace").decode()


def read_usage(raw: JsonValue, request: ModelRequest, body: Body) -> Usage:
    """Token counts as reported, or estimated where the server does not say or cannot mean it."""
    try:
        wire = WireUsage.model_validate(raw or {})
    except ValidationError:
        wire = WireUsage()
    if not wire.prompt_tokens or wire.completion_tokens is None:
        return Usage(
            input=request.tokens, output=estimated(body if isinstance(body, str) else compact(body)), estimated=True
        )
    details = wire.prompt_tokens_details or WireDetails()
    made = wire.completion_tokens_details or WireDetails()
    cached = max(details.cached_tokens or 0, 0)
    return Usage(
        # Some gateways do not count as read what they had cached.
        input=wire.prompt_tokens + (cached if cached > wire.prompt_tokens else 0),
        cached=cached,
        output=wire.completion_tokens,
        reasoning=max(made.reasoning_tokens or 0, 0),
    )
