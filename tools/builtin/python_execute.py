"""Runs Python in the sandbox."""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, Params, PreparedCall, Risk, ToolResult
from tools.context import ToolContext
from tools.mounts import Mount
from tools.running import TimedParams, result_of, run_inside, source_beside
from tools.text import visible


class PythonExecuteParams(TimedParams):
    """The code, and how long it may take."""

    code: str = Field(min_length=1, max_length=500_000, description="Python source.")


class PythonExecute(BaseTool[PythonExecuteParams]):
    """Each call is a new interpreter; files are what stays."""

    name: ClassVar[str] = "python_execute"
    description: ClassVar[str] = (
        "Run Python in a sandbox without network. numpy, pandas and matplotlib are there. Each call starts a fresh "
        "interpreter in the workspace: variables do not stay, files do. Print what you want to see; the value "
        "of a last expression is shown. Save charts as image files; they are shown to the person."
    )
    risk: ClassVar[Risk] = Risk.WORKSPACE
    effect: ClassVar[Effect] = Effect.AT_MOST_ONCE
    params: ClassVar[type[Params]] = PythonExecuteParams

    def __init__(self, mounts: Sequence[Mount] = ()) -> None:
        """Show these directories of the host inside, read-only."""
        self.mounts = tuple(mounts)
        self.starter = source_beside(__file__, "inside_python.py")

    async def prepare(self, params: PythonExecuteParams, context: ToolContext) -> PreparedCall:
        """Show the code."""
        notes = (f"sandbox: {context.sandbox.level.value}",)
        preview = CallPreview(title="Run Python", body=visible(params.code), language="python", notes=notes)
        return PreparedCall(preview=preview, binding={"level": context.sandbox.level.value})

    async def run(self, params: PythonExecuteParams, context: ToolContext) -> ToolResult:
        """Run the code."""
        argv = (*context.sandbox.python, "-c", self.starter)
        ran = await run_inside(argv, params, context, self.mounts, stdin=params.code.encode())
        return result_of(ran, context)
