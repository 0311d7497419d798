"""Looks through the files of the workspace: for lines that match, or for files by name."""

import json
from typing import ClassVar

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolInputError, ToolResult
from tools.context import ToolContext
from tools.running import ALONE, TimedParams, run_inside, source_beside
from tools.text import cap, visible

MAX_FOUND = 200
MAX_OUTPUT_CHARS = 16_000
UNREADABLE = 3


class SearchFilesParams(Params):
    """What to look for, and where."""

    pattern: str = Field(
        default="", max_length=1_000, description="Regular expression, (?i) as usual; empty lists files."
    )
    path: str = Field(default=".", min_length=1, max_length=4_096, description="Directory or file.")
    glob: str = Field(default="", max_length=200, description="Only such files: *.py")


class SearchFiles(BaseTool[SearchFilesParams]):
    """The search itself runs in the sandbox, so that no name, link, size or pattern can hurt the bot."""

    name: ClassVar[str] = "search_files"
    description: ClassVar[str] = "Search file contents of the workspace, or list files by name."
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = SearchFilesParams
    shown_chars: ClassVar[int] = 8_000

    def __init__(self, *, ripgrep: bool = True) -> None:
        """Use ripgrep where it is present, unless told not to."""
        self.ripgrep = ripgrep
        self.program = ALONE + source_beside(__file__, "inside_search.py")

    async def prepare(self, params: SearchFilesParams, context: ToolContext) -> PreparedCall:
        """Show what is looked for."""
        what = visible(params.pattern or params.glob or "all files")
        body = f"{what}\nbelow {visible(params.path)}"
        return PreparedCall(preview=CallPreview(title="Search the workspace", body=body, language="text"))

    async def run(self, params: SearchFilesParams, context: ToolContext) -> ToolResult:
        """Search."""
        workspace = context.workspace
        place = workspace.resolve(params.path, must_exist=True).relative_to(workspace.root)
        if "\0" in params.pattern + params.glob:
            raise ToolInputError("The pattern holds a NUL character, which no text file does.")
        asked = {
            "pattern": params.pattern,
            "glob": params.glob,
            "path": f"./{place}" if str(place) != "." else ".",
            "most": str(MAX_FOUND),
            "ripgrep": "yes" if self.ripgrep else "no",
        }
        argv = (*context.sandbox.python, "-c", self.program)
        ran = await run_inside(argv, TimedParams(), context, (), stdin=json.dumps(asked).encode())
        if ran.completed.exit_code == UNREADABLE:
            raise ToolInputError(ran.stderr.strip()[-400:])
        if ran.completed.exit_code != 0:
            raise ToolInputError(
                f"The search was ended: {ran.completed.killed or ran.stderr[-200:]}. Search less at once."
            )
        count = len(ran.stdout.splitlines())
        return ToolResult(output=cap(ran.stdout, MAX_OUTPUT_CHARS) or "Nothing found.", brief=f"{count} found")
