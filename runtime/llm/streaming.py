"""Puts a streamed answer together into the body that the same answer would have had in one piece."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import cast

import anyio
import httpx2
from openai import APIConnectionError, APIError, APITimeoutError
from pydantic import JsonValue, ValidationError

from runtime.llm.errors import ModelUnusable
from runtime.llm.reading import OBJECT, as_function, as_list, as_message, as_objects, as_text, compact
from runtime.llm.sse import event_data

EVENTS = "text/event-stream"
END = "[DONE]"
CLOSING_SECONDS = 0.1
"""How long the end of the body is waited for after the last event, so that the connection can be used again."""
BROKEN = (httpx2.RequestError, ssl.SSLError, anyio.EndOfStream)


@dataclass(slots=True)
class StreamedCall:
    """A call as far as it has come."""

    index: int = 0
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])

    @property
    def is_whole(self) -> bool:
        """Whether its arguments are complete, so that no others can belong to it."""
        if not self.arguments or not self.arguments[-1].rstrip().endswith("}"):
            return False
        try:
            json.loads("".join(self.arguments), strict=False)
        except ValueError:
            return False
        return True


@dataclass(slots=True)
class Streamed:
    """An answer as far as it has come."""

    text: list[str] = field(default_factory=list[str])
    refusal: list[str] = field(default_factory=list[str])
    calls: list[StreamedCall] = field(default_factory=list[StreamedCall])
    finish_reason: str = ""
    usage: JsonValue = None
    has_choice: bool = False

    def add(self, chunk: Mapping[str, JsonValue]) -> None:
        """Take in one object of the stream."""
        if chunk.get("usage"):
            self.usage = chunk["usage"]
        choices = as_list(chunk.get("choices"))
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return
        choice = choices[0]
        self.has_choice = True
        if choice.get("finish_reason"):
            self.finish_reason = str(choice["finish_reason"])
        # Some servers send the last chunk as a whole message.
        delta = as_message(choice.get("delta") or choice.get("message"))
        if isinstance(delta, dict):
            self.add_delta(delta)

    def add_delta(self, delta: Mapping[str, JsonValue]) -> None:
        """Take in what one chunk adds."""
        self.text.append(words(delta.get("content")))
        self.refusal.append(words(delta.get("refusal")))
        calls = as_objects(delta.get("tool_calls"))
        for part in calls if isinstance(calls, list) else ():
            if isinstance(part, dict):
                self.add_call(part)
        old_form = delta.get("function_call")
        if isinstance(old_form, dict):
            self.add_call({"index": 0, "function": old_form})

    def add_call(self, part: Mapping[str, JsonValue]) -> None:
        """Take in part of a call."""
        function = as_function(part.get("function"))
        given = cast("dict[str, JsonValue]", function) if isinstance(function, dict) else {}
        call_id, name, arguments = str(part.get("id") or ""), str(given.get("name") or ""), given.get("arguments")
        added = arguments if isinstance(arguments, str) else compact(arguments) if arguments else ""
        index = part.get("index")
        call = self.call_of(index if isinstance(index, int) else None, call_id, name, added)
        call.id = call.id or call_id
        # Some servers repeat the whole name with each part.
        call.name += "" if name == call.name else name
        if added:
            call.arguments.append(added)

    def call_of(self, index: int | None, call_id: str, name: str, added: str) -> StreamedCall:
        """The call that a part belongs to. Not every server numbers its calls apart, or numbers them at all.

        A part with a name begins another call where its id is another one, or where the arguments so far are complete
        and it has more of them. One without a name goes on with a call: some servers make up an id for each part.
        """
        same = [call for call in self.calls if index is None or call.index == index]
        known = next((call for call in reversed(same) if call_id and call.id == call_id), same[-1] if same else None)
        if known is not None:
            is_other = bool(call_id and known.id) and call_id != known.id
            if not name or not (is_other or (added.strip() and known.is_whole)):
                return known
        call = StreamedCall(index=index or 0)
        self.calls.append(call)
        return call

    def body(self) -> dict[str, JsonValue]:
        """The answer in one piece, as a server gives it that does not stream."""
        message: dict[str, JsonValue] = {"role": "assistant", "content": "".join(self.text) or None}
        if any(self.refusal):
            message["refusal"] = "".join(self.refusal)
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": call.id or None,
                    "type": "function",
                    "function": {"name": call.name, "arguments": "".join(call.arguments)},
                }
                for call in sorted(self.calls, key=attrgetter("index"))
            ]
        choice: JsonValue = {"index": 0, "message": message, "finish_reason": self.finish_reason or None}
        choices: list[JsonValue] = [choice] if self.has_choice else []
        return {"choices": choices, "usage": self.usage}


def words(content: JsonValue) -> str:
    """Text of a delta: a string, or parts; anything else in its JSON spelling."""
    if isinstance(content, list):
        return "".join(words(part.get("text") if isinstance(part, dict) else part) for part in content)
    return str(as_text(content)) if content is not None else ""


async def whole_body(response: httpx2.Response, streamed: Streamed, where: str) -> str | dict[str, JsonValue]:
    """The body of an answer that was asked for as a stream; also of a server that does not stream all the same.

    Args:
        response: just begun; it is closed at the end.
        streamed: filled while the answer comes, so that a break is seen with what came before it.
        where: the address, for the sentence.

    Raises:
        APIError: the connection broke, was silent, or carried an error.
        ModelUnusable: what came is no answer.
    """
    async with aclosing(response):
        try:
            if EVENTS not in response.headers.get("content-type", ""):
                streamed.has_choice = True  # What breaks off is billed.
                await response.aread()
                return response.text
            async with aclosing(event_data(response.aiter_bytes())) as events:
                await taken_in(events, streamed, response.request)
        except httpx2.TimeoutException as error:
            raise APITimeoutError(request=response.request) from error
        except BROKEN as error:
            raise APIConnectionError(request=response.request) from error
        except (ValueError, RecursionError) as error:
            raise ModelUnusable(f"What {where} streamed is not a chat completion.") from error
    return streamed.body()


async def taken_in(events: AsyncGenerator[str], streamed: Streamed, request: httpx2.Request) -> None:
    """Take in every event up to the last.

    Raises:
        APIError: one of them is an error.
        ValueError: one of them is no JSON object.
    """
    async for data in events:
        if data.startswith(END):
            with suppress(TimeoutError, *BROKEN):
                async with asyncio.timeout(CLOSING_SECONDS):
                    async for _ in events:
                        pass
            return
        chunk = read_chunk(data)
        if error := chunk.get("error"):
            message = error.get("message") if isinstance(error, dict) else None
            raise APIError(message=str(message or "an error in the stream"), request=request, body=error)
        streamed.add(chunk)


def read_chunk(data: str) -> dict[str, JsonValue]:
    """One object of a stream, also with raw line breaks or half characters in its texts.

    Raises:
        ValueError: it is none.
    """
    try:
        return OBJECT.validate_json(data)
    except ValidationError:
        return OBJECT.validate_json(compact(OBJECT.validate_python(json.loads(data, strict=False))))


def came(streamed: Streamed) -> str:
    """Everything that came so far, for counting what it cost."""
    return "".join((*streamed.text, *(part for call in streamed.calls for part in call.arguments)))
