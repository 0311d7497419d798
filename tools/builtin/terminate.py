"""Proposes to end the run with its answer."""

from typing import ClassVar, Literal

from pydantic import Field

from tools.base import BaseTool, CallPreview, Effect, FinishProposed, Params, PreparedCall, Risk
from tools.context import ToolContext


class TerminateParams(Params):
    """How it went, and what the person is told."""

    status: Literal["success", "failure"] = Field(description="failure when the task could not be done.")
    answer: str = Field(
        min_length=1,
        max_length=100_000,
        description="The final answer for the person, complete in itself: results first, in Markdown.",
    )


class Terminate(BaseTool[TerminateParams]):
    """The runtime decides whether the run really ends: open plan steps and waiting messages count too."""

    name: ClassVar[str] = "terminate"
    description: ClassVar[str] = (
        "End the task with your final answer, when everything asked for is done or when it cannot be done. "
        "Answering with plain text and no tool call ends the task as well."
    )
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = TerminateParams

    async def prepare(self, params: TerminateParams, context: ToolContext) -> PreparedCall:
        """Show the answer."""
        return PreparedCall(preview=CallPreview(title=f"Finish ({params.status})", body=params.answer, language="text"))

    async def run(self, params: TerminateParams, context: ToolContext) -> FinishProposed:
        """Hand the answer to the runtime."""
        return FinishProposed(status=params.status, answer=params.answer)
