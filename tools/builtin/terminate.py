"""Proposes to end the run with its answer."""

from typing import ClassVar, Literal

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, FinishProposed, Params, PreparedCall, Risk
from tools.context import ToolContext


class TerminateParams(Params):
    """How it went, and what the person is told."""

    status: Literal["success", "failure"]
    answer: str = Field(min_length=1, max_length=100_000)


class Terminate(BaseTool[TerminateParams]):
    """The runtime decides whether the run really ends: open plan steps and waiting messages count too."""

    name: ClassVar[str] = "terminate"
    description: ClassVar[str] = "End the task with your answer."
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = TerminateParams

    async def prepare(self, params: TerminateParams, context: ToolContext) -> PreparedCall:
        """Show the answer."""
        return PreparedCall(preview=CallPreview(title=f"Finish ({params.status})", body=params.answer, language="text"))

    async def run(self, params: TerminateParams, context: ToolContext) -> FinishProposed:
        """Hand the answer to the runtime."""
        return FinishProposed(status=params.status, answer=params.answer)
