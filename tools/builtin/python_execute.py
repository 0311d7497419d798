"""Runs Python in the sandbox."""

import asyncio
import re
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolResult
from tools.context import ToolContext
from tools.mounts import Mount
from tools.named import bound, check_unchanged, named_files
from tools.named import notes as notes_of
from tools.running import TimedParams, elsewhere, left, result_of, run_inside, source_beside
from tools.text import visible

STATE = ".handrail/python"
DIRECTORY = re.compile(r'\{"directory": "([^"\\]*)"')


class PythonExecuteParams(TimedParams):
    """The code, and how long it may take."""

    code: str = Field(min_length=1, max_length=500_000)


class PythonExecute(BaseTool[PythonExecuteParams]):
    """Each call is a new interpreter; files, the directory and changed environment variables are what stays."""

    name: ClassVar[str] = "python_execute"
    description: ClassVar[str] = (
        "Run Python (pandas, matplotlib) in a mostly offline sandbox. Files and directory stay, variables do not. "
        "Print what you want to see; saved charts are shown."
    )
    risk: ClassVar[Risk] = Risk.WORKSPACE
    effect: ClassVar[Effect] = Effect.AT_MOST_ONCE
    params: ClassVar[type[Params]] = PythonExecuteParams

    def __init__(self, mounts: Sequence[Mount] = ()) -> None:
        """Show these directories of the host inside, read-only."""
        self.mounts = tuple(mounts)
        self.starter = source_beside(__file__, "inside_python.py")
        self.charts = tuple(source_beside(__file__, f"inside_charts.{kind}") for kind in ("py", "html"))

    async def prepare(self, params: PythonExecuteParams, context: ToolContext) -> PreparedCall:
        """Show the code."""
        found = DIRECTORY.match(left(context, f"{STATE}/state.json"))
        files = await asyncio.to_thread(named_files, params.code, context, found[1] if found else "")
        inside, level = context.sandbox.inside(context.workspace), context.sandbox.level.value
        where = found[1] if found else inside
        notes = (f"sandbox: {level}", *elsewhere(where, inside), *notes_of(files))
        preview = CallPreview(title="Run Python", body=visible(params.code), language="python", notes=notes)
        return PreparedCall(preview=preview, binding={"level": level, "directory": where, **bound(files)})

    async def run(self, params: PythonExecuteParams, context: ToolContext) -> ToolResult:
        """Run the code."""
        await asyncio.to_thread(check_unchanged, context)
        inside = context.sandbox.inside(context.workspace)
        context.workspace.write_bytes(f"{STATE}/running", b"")
        argv = (*context.sandbox.python, "-c", self.starter, f"{inside}/{STATE}", inside, *self.charts)
        ran = await run_inside(argv, params, context, self.mounts, stdin=params.code.encode())
        return result_of(ran, context, notes_on(context, inside))


def notes_on(context: ToolContext, inside: str) -> list[str]:
    """Another directory, and processes that were left behind."""
    running, state = left(context, f"{STATE}/running"), left(context, f"{STATE}/state.json")
    notes = [f"[background processes ended with this call: {running}]"] if running not in {"", "0"} else []
    found = DIRECTORY.match(state)
    if found and found[1] != inside:
        notes.append(f"[working directory now: {found[1]}]")
    return notes
