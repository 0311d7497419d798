"""Reads on in what was said and done before: outputs too long to be shown, and what memory holds as a summary only."""

from typing import ClassVar

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolInputError, ToolResult
from tools.context import Records, ToolContext
from tools.schema import Schema, schema_of

PAGE = 4_000
MAX_PAGE = 8_000
MAX_FOUND = 10


class RecallParams(Params):
    """A call's output from a place on, or words to look for."""

    call: str = Field(default="", max_length=100)
    offset: int = Field(default=0, ge=0)
    length: int = Field(default=PAGE, ge=1, le=MAX_PAGE)
    find: str = Field(default="", max_length=200)


class Recall(BaseTool[RecallParams]):
    """The journal keeps every word; this pages through it."""

    name: ClassVar[str] = "recall"
    description: ClassVar[str] = "Read on in a call's output, or find words in all that was said and done."
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = RecallParams
    shown_chars: ClassVar[int] = MAX_PAGE + 500

    def schema(self) -> Schema:
        """Without the length of a page, which hardly any call needs and every request would pay for."""
        schema = schema_of(self.params)
        fields = schema["properties"]
        shown = (
            {name: field for name, field in fields.items() if name != "length"} if isinstance(fields, dict) else fields
        )
        return {**schema, "properties": shown}

    async def prepare(self, params: RecallParams, context: ToolContext) -> PreparedCall:
        """Show what is looked up."""
        what = f"find {params.find!r}" if params.find else f"read {params.call} from {params.offset}"
        return PreparedCall(preview=CallPreview(title="Look back", body=what, language="text"))

    async def run(self, params: RecallParams, context: ToolContext) -> ToolResult:
        """Look it up."""
        records = context.records
        if records is None:
            raise ToolInputError("There is nothing to look back on here.")
        if params.call:
            return await from_call(records, params)
        if not params.find.strip():
            raise ToolInputError("Name a call to read from, or words to find.")
        found = await records.search(params.find, MAX_FOUND)
        text = "\n".join(f"- {place.source}: {place.text}" for place in found)
        return ToolResult(output=text or "Nothing holds these words.", brief=f"{len(found)} places")


async def from_call(records: Records, params: RecallParams) -> ToolResult:
    """A page of an output, or the places in it that hold the words."""
    output = await records.output(params.call)
    if output is None:
        raise ToolInputError(f"There is no call {params.call!r} with an output.")
    if params.find:
        return matching(output, params.find)
    page = output[params.offset : params.offset + params.length]
    end = params.offset + len(page)
    if not page:
        raise ToolInputError(f"The output has {len(output)} characters; offset {params.offset} is behind its end.")
    rest = f"\n[{len(output) - end:,} more characters, from offset {end}]" if end < len(output) else "\n[end]"
    return ToolResult(output=page + rest, brief=f"{params.offset} to {end} of {len(output)}")


def matching(output: str, words: str) -> ToolResult:
    """The lines that hold the words, each with its offset."""
    lines: list[str] = []
    offset = 0
    for line in output.splitlines(keepends=True):
        if words.casefold() in line.casefold():
            lines.append(f"[offset {offset}] {line.rstrip()[:300]}")
        offset += len(line)
    shown = lines[:40]
    more = f"\n[{len(lines) - len(shown)} more lines]" if len(lines) > len(shown) else ""
    return ToolResult(output=("\n".join(shown) or "No line holds these words.") + more, brief=f"{len(lines)} lines")
