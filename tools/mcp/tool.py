"""A tool of an MCP server, under the same contract as every other tool: judged, bounded, recorded."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from pydantic import JsonValue, model_serializer, model_validator

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolInputError, ToolResult
from tools.context import ToolContext
from tools.mcp.client import MCPClient
from tools.mcp.content import result_of
from tools.mcp.definition import Definition, announced_description, announced_schema
from tools.mcp.elicitation import elicitor
from tools.mcp.errors import CallInterrupted
from tools.mcp.judging import misfit
from tools.running import output_name
from tools.schema import Schema, canonical
from tools.text import visible

MAX_ARGUMENT_BYTES = 1_000_000
Redact = Callable[[str], str]


class McpParams(Params):
    """Any object; the server's own schema says what fits."""

    arguments: dict[str, JsonValue]

    @model_validator(mode="before")
    @classmethod
    def whole_object(cls, given: object) -> object:
        """The object itself is what the tool takes, whatever its keys are called."""
        return {"arguments": given}

    @model_serializer
    def as_given(self) -> dict[str, JsonValue]:
        """The object again: its one spelling is what is hashed, shown and sent."""
        return self.arguments


class McpTool(BaseTool[McpParams]):
    """Its kind is made by `mcp_tool`. A foreign tool is never believed to be harmless: only an operator can say so."""

    params: ClassVar[type[Params]] = McpParams

    def __init__(self, definition: Definition, client: MCPClient, *, redact: Redact) -> None:
        """Offer a tool exactly as it was accepted."""
        self.accepted = definition
        self.client = client
        self.redact = redact
        self.origin = definition.server
        self.fingerprint = definition.digest
        self.announced = announced_schema(definition)

    def schema(self) -> Schema:
        """What the model is told of the arguments."""
        return self.announced

    def fit(self, params: McpParams) -> None:
        """Hold the arguments against the server's schema, before anybody is asked about them.

        Raises:
            ToolInputError: they do not fit; the text says where.
        """
        if len(canonical(params.arguments)) > MAX_ARGUMENT_BYTES:
            raise ToolInputError(f"The arguments are larger than {MAX_ARGUMENT_BYTES:,} bytes.")
        problem = misfit(self.accepted.schema, params.arguments)
        if problem:
            raise ToolInputError(f"The arguments do not fit {self.name}; nothing was run.\n- {problem}")

    async def prepare(self, params: McpParams, context: ToolContext) -> PreparedCall:
        """Show the whole arguments, and whose tool it is."""
        await asyncio.to_thread(self.fit, params)
        notes = [f"MCP server: {visible(self.origin)}"]
        if self.accepted.hints:
            notes.append(f"the server itself says: {', '.join(visible(hint) for hint in self.accepted.hints)}")
        title = f"{visible(self.accepted.tool)} on {visible(self.origin)}"
        body = visible(params.model_dump_json(indent=2))
        return PreparedCall(preview=CallPreview(title=title, body=body, language="json", notes=tuple(notes)))

    async def run(self, params: McpParams, context: ToolContext) -> ToolResult:
        """Call it."""
        await asyncio.to_thread(self.fit, params)
        limit = min(self.client.server.timeout or context.timeout, context.timeout)
        notes: list[str] = []

        def progress(done: float, total: float | None, message: str | None) -> None:
            notes[:] = [told(done, total, message)]
            context.progress(notes[0])

        elicit = elicitor(self.origin, context) if self.client.may_elicit else None
        try:
            returned = await self.client.call(
                self.accepted,
                params.arguments,
                limit=limit,
                patience=context.patience,
                elicit=elicit,
                on_progress=progress,
            )
        except CallInterrupted as error:
            far = f" The last it said of its progress: {notes[0]}." if notes else ""
            again = (
                "It only reads, so it can be tried again."
                if self.effect is Effect.PURE
                else "It may or may not have had its effect: find out before you try again."
            )
            raise CallInterrupted(f"{error}.{far} {again}") from error
        name = output_name(context.call_id)
        return await asyncio.to_thread(result_of, returned, context, name=name, redact=self.redact)


def told(done: float, total: float | None, message: str | None) -> str:
    """How far a server says it is."""
    share = f"{done:g} of {total:g}" if total else f"{done:g}"
    return f"{share} {visible(message)[:200]}".strip() if message else share


def mcp_tool(name: str, definition: Definition, client: MCPClient, *, reads: bool, redact: Redact) -> McpTool:
    """The tool under its name for the model.

    Args:
        name: see `tools.mcp.names`.
        definition: as accepted.
        client: reaches its server.
        reads: the operator said that it only reads and needs no asking.
        redact: takes secrets out of what is written to files.
    """
    description = announced_description(definition)

    class Offered(McpTool):
        pass

    Offered.name = name
    Offered.description = description
    Offered.risk = Risk.READ if reads else Risk.OUTSIDE
    Offered.effect = Effect.PURE if reads else Effect.AT_MOST_ONCE
    Offered.is_accepted_read = reads
    return Offered(definition, client, redact=redact)
