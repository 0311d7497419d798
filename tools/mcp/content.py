"""What an MCP server returned, as a result of ours: text bounded and visible, pictures and sounds as files."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mcp import types

from tools.base import ProducedFile, ToolResult
from tools.context import ToolContext
from tools.text import cap, visible

MAX_OUTPUT_CHARS = 30_000
MAX_FILE_BYTES = 20 * 1024 * 1024
MAX_FILES = 10
FOLDER = "mcp"
OUTPUTS = ".handrail/outputs"
SHOWN_TYPES = {
    "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "audio/mpeg": ".mp3",
    "audio/wav": ".wav", "audio/x-wav": ".wav", "audio/ogg": ".ogg", "application/pdf": ".pdf", "text/csv": ".csv",
    "text/plain": ".txt", "application/json": ".json",
}  # fmt: skip
"""Kinds that may be offered to people as files; whatever else arrives gets the ending `.bin`."""


@dataclass(slots=True, kw_only=True)
class Reading:
    """One result on its way into a text and files."""

    context: ToolContext
    name: str
    lines: list[str] = field(default_factory=list[str])
    files: list[ProducedFile] = field(default_factory=list[ProducedFile])

    def text(self, text: str) -> None:
        """Take up text."""
        self.lines.append(visible(text))

    def encoded(self, data: str, mime: str, what: str) -> None:
        """Save Base64 data as a file of the workspace and say where it is."""
        if len(self.files) >= MAX_FILES:
            self.lines.append(f"[{what} left out: more than {MAX_FILES} files in one result]")
            return
        if len(data) * 3 // 4 > MAX_FILE_BYTES:
            self.lines.append(f"[{what} left out: larger than {MAX_FILE_BYTES // 1024 // 1024} MB]")
            return
        try:
            content = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            self.lines.append(f"[{what} left out: it is not readable Base64]")
            return
        ending = SHOWN_TYPES.get(mime, ".bin")
        path = f"{FOLDER}/{self.name}-{len(self.files) + 1}{ending}"
        self.context.workspace.write_bytes(path, content)
        self.files.append(ProducedFile(path=path, title=path.rpartition("/")[2], size=len(content)))
        self.lines.append(f"[{what}: {path} ({len(content):,} bytes)]")


def read_block(block: types.ContentBlock, reading: Reading) -> None:
    """Take up one block of content."""
    match block:
        case types.TextContent(text=text):
            reading.text(text)
        case types.ImageContent(data=data, mimeType=mime):
            reading.encoded(data, mime, "image")
        case types.AudioContent(data=data, mimeType=mime):
            reading.encoded(data, mime, "audio")
        case types.ResourceLink(uri=uri, name=name):
            reading.text(f"[resource {name}: {uri}]")
        case types.EmbeddedResource(resource=resource):
            read_resource(resource, reading)


def read_resource(resource: types.TextResourceContents | types.BlobResourceContents, reading: Reading) -> None:
    """Take up a resource that came whole."""
    if isinstance(resource, types.TextResourceContents):
        reading.text(f"[resource {resource.uri}]\n{resource.text}")
    else:
        reading.encoded(resource.blob, resource.mimeType or "", f"resource {visible(str(resource.uri))[:200]}")


def result_of(
    returned: types.CallToolResult, context: ToolContext, *, name: str, redact: Callable[[str], str]
) -> ToolResult:
    """The observation: everything the server returned, its errors as errors, bounded, with the whole kept in a file.

    Args:
        returned: the server's result.
        context: of the call; its workspace takes the files.
        name: what files of this call are called.
        redact: takes secrets out of what is written to a file.
    """
    reading = Reading(context=context, name=name)
    for block in returned.content:
        read_block(block, reading)
    if returned.structuredContent is not None and not is_said(returned.structuredContent, returned.content):
        reading.text(as_json(returned.structuredContent))
    whole = "\n".join(reading.lines).strip() or "(the server returned nothing)"
    shown = whole
    if len(whole) > MAX_OUTPUT_CHARS:
        path = f"{OUTPUTS}/{name}.txt"
        context.workspace.write_bytes(path, redact(whole).encode(errors="replace"))
        shown = cap(whole, MAX_OUTPUT_CHARS, hint=f"; the whole output is in {path}")
    is_error = bool(returned.isError)
    brief = next((line for line in shown.splitlines() if line.strip()), "")[:160]
    return ToolResult(output=shown, brief=brief, is_error=is_error, files=tuple(reading.files))


def as_json(structured: object) -> str:
    """Structured content as text, or why it is none."""
    try:
        return json.dumps(structured, ensure_ascii=False, indent=1)
    except (RecursionError, ValueError):
        return "[structured content left out: it is nested too deeply]"


def is_said(structured: object, content: Sequence[types.ContentBlock]) -> bool:
    """Whether the text says the same as the structured content, as the protocol advises servers to do."""
    for block in content:
        if isinstance(block, types.TextContent):
            if structured == {"result": block.text}:
                return True
            try:
                if json.loads(block.text) in (structured, {"result": structured}):
                    return True
            except (ValueError, RecursionError):
                continue
    return False
