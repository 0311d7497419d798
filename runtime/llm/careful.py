"""A `ChatModel` around another one: gets a usable reply out of servers and models that are not quite right.

Handled here, each within a bounded number of further requests whose cost is added: a server without tool support,
calls printed as text, an answer or a call cut off by the output limit, calls where none were wanted, and words where
a call was required. What still is not right afterwards is handed on as it is; the loop tells the model.
"""

import json
import logging
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from pydantic import JsonValue

from runtime.llm.errors import ModelError, ModelRejected, ModelUnusable
from runtime.llm.images import left_out
from runtime.llm.openai_model import summed, with_cost
from runtime.llm.port import ChatModel, ModelReply, ModelRequest, Traits
from runtime.llm.printed import printed_calls
from runtime.llm.prompted import without_tools
from runtime.llm.reading import WireCall, WireFunction, compact, resendable, with_ids
from runtime.session.usage import Usage
from tools.arguments import read_arguments
from tools.errors import ToolInputError

logger = logging.getLogger(__name__)

NOTHING = Usage()
CONTINUATIONS = 3
REPEATS = 2
NO_TOOLS = re.compile(
    r"(tools?|function)s?[ _-]?(use|calling|calls|choice)?\W+(is|are)? ?(not|un)[ -]?"
    r"(supported|enabled|available|recognized)"
    r"|not support (the )?[`'\"]?(tools?|functions?)\b|support tool use|unrecognized[^.]*\btools?\b"
    r"|enable-auto-tool-choice",
    re.IGNORECASE,
)
CONTINUE = (
    "[Note of the system, not of a person: your message was cut off by the output limit. Continue exactly where it "
    "stopped, without repeating or introducing anything.]"
)
SMALLER = (
    "[Note of the system, not of a person: the output limit cut your last message off in the middle of a tool call, "
    "so nothing was run. Make the call again with less text, or do it in several smaller calls.]"
)
MUST_CALL = "[Note of the system, not of a person: answer with a call of one of the tools, not with text.]"
ONLY_WORDS = "[Note of the system, not of a person: answer with text, not with a call of a tool.]"


class CarefulModel:
    """Implements `ChatModel`."""

    def __init__(self, inner: ChatModel, *, speaks_tools: bool = True) -> None:
        """Wrap a model.

        Args:
            inner: what really asks.
            speaks_tools: False where it is known that the server takes no tools.
        """
        self.inner = inner
        self.speaks_tools = speaks_tools

    @property
    def name(self) -> str:
        """The model's name as configured."""
        return self.inner.name

    @property
    def traits(self) -> Traits:
        """What is known of it by now."""
        return self.inner.traits

    async def aclose(self) -> None:
        """Close the connections."""
        await self.inner.aclose()

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Ask, and once or a few times more where the reply can be made whole.

        Raises:
            ModelError: one of its subclasses.
        """
        reply = await self.understood(request)
        if request.tool_choice == "required" and request.tools and not reply.calls:
            reply = await self.understood(with_note(request, reply.text, MUST_CALL, "m"), reply.usage)
        if reply.is_cut_off and not reply.calls:
            reply = await self.whole(request, reply)
        return await self.smaller(request, reply) if reply.calls else reply

    async def understood(self, request: ModelRequest, spent: Usage = NOTHING) -> ModelReply:
        """One reply, with the calls that it makes in whatever form, or the words alone where none were wanted.

        Args:
            request: what is asked.
            spent: the cost of the replies before it, which is added also where this one fails.
        """
        try:
            reply = with_cost(await self.asked(request), spent)
        except ModelError as error:
            error.usage = summed(spent, error.usage)
            raise
        if request.tool_choice != "none":
            made = with_printed(request, reply)
            # A printed call that was cut off is text that can go on.
            is_half = reply.is_cut_off and not all(is_readable(call.arguments) for call in made.calls)
            return reply if is_half else made
        if reply.calls and not reply.text and not spent.total:
            return await self.understood(with_note(request, "", ONLY_WORDS, "w"), reply.usage)
        if reply.calls and not reply.text and request.tools:
            raise ModelUnusable(f"The model {self.name} called a tool where it was asked for words.", usage=reply.usage)
        return replace(reply, calls=(), message=resendable(reply.text, ())) if reply.calls else reply

    async def asked(self, request: ModelRequest) -> ModelReply:
        """One reply of the server, in words where it takes no tools or no images."""
        if request.images and self.traits.takes_images is False:
            request = replace(request, messages=(*request.messages, left_out(request.images)), images=())
        if self.speaks_tools:
            try:
                return await self.inner.reply(request)
            except ModelRejected as error:
                if not request.tools or not NO_TOOLS.search(str(error)):
                    raise
                logger.warning("the model takes no tools, so they are told in words from now on: %s", error)
                reply = await self.inner.reply(without_tools(request))
                self.speaks_tools = False
                return reply
        return await self.inner.reply(without_tools(request))

    async def whole(self, request: ModelRequest, reply: ModelReply) -> ModelReply:
        """A text that was cut off, continued: with the calls that end it, and as far as it came where that fails."""
        for number in range(CONTINUATIONS):
            if not reply.is_cut_off or not reply.text or reply.calls:
                break
            said = reply.said or reply.text
            try:
                more = await self.asked(with_note(request, said, CONTINUE, f"c{number}"))
            except ModelError as error:
                logger.warning("a reply that was cut off is not continued: %s", error)
                reply = with_cost(reply, error.usage)
                break
            said += more.said or more.text
            calls = () if request.tool_choice == "none" else more.calls
            text = said.strip()
            joined = replace(more, said=said, text=text, calls=calls, message=resendable(text, calls))
            reply = with_cost(joined, reply.usage)
        return with_printed(request, reply)

    async def smaller(self, request: ModelRequest, reply: ModelReply) -> ModelReply:
        """Calls that were cut off, asked for again."""
        for number in range(REPEATS):
            if not reply.is_cut_off or all(is_readable(call.arguments) for call in reply.calls):
                break
            more = await self.understood(with_note(request, reply.text, SMALLER, f"s{number}"), reply.usage)
            reply = with_printed(request, more)
        return reply


def with_printed(request: ModelRequest, reply: ModelReply) -> ModelReply:
    """The reply with the calls that its text holds, where it makes none and may make some."""
    found = printed_calls(reply.text, tool_names(request.tools)) if request.tool_choice != "none" else None
    if reply.calls or found is None:
        return reply
    wire = [WireCall(function=WireFunction(name=name, arguments=arguments)) for name, arguments in found.calls]
    calls = with_ids(wire, request)
    return replace(reply, text=found.text, calls=calls, message=resendable(found.text, calls))


def with_note(request: ModelRequest, said: str, note: str, suffix: str) -> ModelRequest:
    """The request with what the model said and a note after it; neither becomes part of the history."""
    messages: list[str] = []
    if said:
        messages.append(message("assistant", said))
    messages.append(message("user", note))
    return replace(request, messages=(*request.messages, *messages), step_id=f"{request.step_id}.{suffix}")


def message(role: str, content: str) -> str:
    """A message as it is sent."""
    fields: dict[str, JsonValue] = {"role": role, "content": content}
    return compact(fields)


def is_readable(arguments: str) -> bool:
    """Whether arguments are a whole JSON object."""
    try:
        read_arguments(arguments)
    except ToolInputError:
        return False
    return True


@lru_cache(maxsize=64)
def tool_names(tools: str) -> frozenset[str]:
    """The names in a serialised list of tools."""
    if not tools:
        return frozenset()
    return frozenset(str(spec["function"]["name"]) for spec in cast("list[dict[str, Any]]", json.loads(tools)))
