"""The part of OpenAI's Chat Completions wire this server speaks: requests checked, replies built.

Requests are judged as strictly as the service judges them, so that a broken pairing of calls and results shows
itself at once. Facts: the OpenAI API reference and its published OpenAPI description.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

Json = dict[str, JsonValue]

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
KNOWN_PARAMETERS = frozenset(
    "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages"
    " metadata modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key"
    " prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream"
    " stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options".split()
)


class RequestRefused(Exception):
    """The client sent something the service answers with an error object. The caller of the API must react."""

    def __init__(self, message: str, *, param: str | None = None, code: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code
        self.status = status

    def body(self) -> Json:
        """The error object as the service writes it."""
        return error_body(self.message, param=self.param, code=self.code)


def error_body(
    message: str, *, param: str | None = None, code: str | None = None, kind: str = "invalid_request_error"
) -> Json:
    """An error object of the wire."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


class Function(BaseModel):
    """The function part of a call in the history."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    arguments: str


class CallMessage(BaseModel):
    """A call the assistant made earlier."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    type: Literal["function"]
    function: Function


class ImageUrl(BaseModel):
    """Where an image is; a data URL or an address."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    detail: str = "auto"


class Part(BaseModel):
    """One part of a message's content."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Literal["text", "image_url", "refusal"]
    text: str = ""
    refusal: str = ""
    image_url: ImageUrl | None = None


class Message(BaseModel):
    """One message of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | tuple[Part, ...] | None = None
    name: str | None = None
    tool_calls: tuple[CallMessage, ...] | None = None
    tool_call_id: str | None = None
    refusal: str | None = None
    audio: JsonValue = None
    function_call: JsonValue = None
    annotations: JsonValue = None

    @property
    def text(self) -> str:
        """The words of the message, images left out."""
        if isinstance(self.content, tuple):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class FunctionSpec(BaseModel):
    """A function offered to the model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str = ""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    strict: bool | None = None


class ToolSpec(BaseModel):
    """A tool offered to the model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Literal["function"]
    function: FunctionSpec


class StreamOptions(BaseModel):
    """What a streamed answer should carry besides text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    include_usage: bool = False
    include_obfuscation: bool = False


class ChatRequest(BaseModel):
    """A request for a completion, as far as this server reads it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    model: str = Field(min_length=1)
    messages: tuple[Message, ...] = Field(min_length=1)
    tools: tuple[ToolSpec, ...] | None = None
    tool_choice: JsonValue = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call the model makes now. `arguments` is JSON text: a test may break it on purpose."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model answers: words, calls, or both."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish_reason: str = ""
    """Empty means `tool_calls` with calls and `stop` without."""

    @property
    def ends_with(self) -> str:
        """The finish reason on the wire."""
        return self.finish_reason or ("tool_calls" if self.calls else "stop")


def parse_request(body: JsonValue) -> ChatRequest:
    """Check a request as the service would.

    Raises:
        RequestRefused: with the service's own words where they are known.
    """
    if not isinstance(body, dict):
        raise RequestRefused("We could not parse the JSON body of your request.")
    unknown = sorted(set(body) - KNOWN_PARAMETERS)
    if unknown:
        raise RequestRefused(f"Unrecognized request argument supplied: {unknown[0]}", code="unknown_parameter")
    try:
        request = ChatRequest.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        raise RequestRefused(first["msg"], param=".".join(str(item) for item in first["loc"])) from None
    check_tools(request)
    for index, message in enumerate(request.messages):
        check_content(index, message)
    check_pairing(request.messages)
    return request


def check_tools(request: ChatRequest) -> None:
    """Names must be valid and unique, the list not empty, and options of tools need tools.

    Raises:
        RequestRefused: one of these is not so.
    """
    if request.stream_options is not None and not request.stream:
        raise RequestRefused(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.", param="stream_options"
        )
    if request.tools is None:
        if request.tool_choice not in {None, "none"}:
            raise RequestRefused("'tool_choice' is only allowed when 'tools' are specified.", param="tool_choice")
        return
    if not request.tools:
        raise RequestRefused("Invalid 'tools': empty array. Expected an array with minimum length 1.", param="tools")
    names = [tool.function.name for tool in request.tools]
    for index, name in enumerate(names):
        if TOOL_NAME.fullmatch(name) is None:
            raise RequestRefused(
                f"Invalid 'tools[{index}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.",
                param=f"tools[{index}].function.name",
            )
        if name in names[:index]:
            raise RequestRefused(f"Duplicate function name: {name}", param="tools")


def check_content(index: int, message: Message) -> None:
    """Content may be absent only beside calls; images belong to the user.

    Raises:
        RequestRefused: it is not so.
    """
    where = f"messages.[{index}].content"
    speaks_by_call = message.role == "assistant" and (message.tool_calls or message.refusal)
    if message.content is None and not speaks_by_call:
        raise RequestRefused("Invalid value for 'content': expected a string, got null.", param=where)
    if message.tool_calls is not None and (message.role != "assistant" or not message.tool_calls):
        raise RequestRefused(f"Invalid 'messages[{index}].tool_calls'.", param=f"messages.[{index}].tool_calls")
    parts = message.content if isinstance(message.content, tuple) else ()
    if message.role != "user" and any(part.type == "image_url" for part in parts):
        raise RequestRefused("Image URLs are only allowed for messages with role 'user'.", param=where)


def check_pairing(messages: Sequence[Message]) -> None:
    """Every call is answered once, directly after the message that made it, and nothing else is.

    Raises:
        RequestRefused: in the words of the service.
    """
    open_ids: list[str] = []
    seen: set[str] = set()
    for index, message in enumerate(messages):
        if message.role == "tool":
            if message.tool_call_id not in open_ids:
                raise RequestRefused(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message"
                    " with 'tool_calls'.",
                    param=f"messages.[{index}].role",
                )
            open_ids.remove(message.tool_call_id)
            continue
        refuse_open(open_ids, index)
        open_ids = [call.id for call in message.tool_calls or ()]
        repeated = sorted({call_id for call_id in open_ids if call_id in seen or open_ids.count(call_id) > 1})
        if repeated:
            raise RequestRefused(f"Duplicate tool call id: {repeated[0]}", param=f"messages.[{index}].tool_calls")
        seen.update(open_ids)
    refuse_open(open_ids, len(messages))


def refuse_open(open_ids: Sequence[str], index: int) -> None:
    """Refuse a history in which calls stay unanswered."""
    if open_ids:
        raise RequestRefused(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each"
            f" 'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(open_ids)}",
            param=f"messages.[{index}].role",
        )
