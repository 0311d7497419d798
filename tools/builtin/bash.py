"""Runs shell commands in the sandbox, keeping what a person expects to stay between two of them."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolInputError, ToolResult
from tools.context import ToolContext
from tools.mounts import Mount
from tools.named import bound, check_unchanged, named_files
from tools.named import notes as notes_of
from tools.running import TimedParams, elsewhere, left, output_name, result_of, run_inside, source_beside
from tools.text import visible

CALLS = ".handrail/calls"
STATE = ".handrail/shell"


class BashParams(TimedParams):
    """The command, and how long it may take."""

    command: str = Field(min_length=1, max_length=200_000)


class Bash(BaseTool[BashParams]):
    """Each call is a new shell that begins where the one before ended: directory, variables and functions.

    The state lies in the workspace, where only code in the same sandbox can change it.
    """

    name: ClassVar[str] = "bash"
    description: ClassVar[str] = (
        "Run bash in the sandbox, without input. Directory and variables stay, background jobs do not."
    )
    risk: ClassVar[Risk] = Risk.WORKSPACE
    effect: ClassVar[Effect] = Effect.AT_MOST_ONCE
    params: ClassVar[type[Params]] = BashParams

    def __init__(self, mounts: Sequence[Mount] = ()) -> None:
        """Show these directories of the host inside, read-only."""
        self.mounts = tuple(mounts)
        self.starter = source_beside(__file__, "inside_bash.sh")

    async def prepare(self, params: BashParams, context: ToolContext) -> PreparedCall:
        """Show the command."""
        directory = left(context, f"{STATE}/directory")
        files = await asyncio.to_thread(named_files, params.command, context, directory)
        inside = context.sandbox.inside(context.workspace)
        where, level = directory or inside, context.sandbox.level.value
        notes = (f"sandbox: {level}", *elsewhere(where, inside), *notes_of(files))
        preview = CallPreview(title="Run a command", body=visible(params.command), language="bash", notes=notes)
        return PreparedCall(preview=preview, binding={"level": level, "directory": where, **bound(files)})

    async def run(self, params: BashParams, context: ToolContext) -> ToolResult:
        """Run the command."""
        if "\0" in params.command:
            raise ToolInputError("The command holds a NUL character, which bash cannot read.")
        await asyncio.to_thread(check_unchanged, context)
        workspace, inside = context.workspace, context.sandbox.inside(context.workspace)
        file = f"{CALLS}/{output_name(context.call_id)}.sh"
        workspace.write_bytes(file, params.command.encode() + b"\n")
        workspace.write_bytes(f"{STATE}/jobs", b"")
        argv = ("/bin/bash", "--noprofile", "--norc", "-c", self.starter, "bash")
        ran = await run_inside((*argv, f"{inside}/{file}", f"{inside}/{STATE}", inside), params, context, self.mounts)
        return result_of(ran, context, notes_on(context, inside))


def notes_on(context: ToolContext, inside: str) -> list[str]:
    """What a person at a prompt would notice: another directory, jobs that ended, state that was lost."""
    jobs = left(context, f"{STATE}/jobs")
    if not jobs:
        return ["[the shell was ended, so its directory and variables are as before this call]"]
    notes: list[str] = []
    if jobs.isdecimal() and jobs != "0":
        notes.append(f"[background jobs ended with this call: {jobs}]")
    directory = left(context, f"{STATE}/directory")
    if directory and directory != inside:
        notes.append(f"[working directory now: {directory}]")
    return notes
