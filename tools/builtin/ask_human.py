"""Asks a person and waits as long as it takes; the run holds nothing meanwhile."""

from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from tools.base import BaseTool, CallPreview, Effect, Params, PersonAsked, PreparedCall, Risk
from tools.context import ToolContext

MAX_CHOICES = 10


class AskHumanParams(Params):
    """A question, with answers to click where there are a few."""

    question: str = Field(
        min_length=1, max_length=3000, description="One question, with what the person needs to know to answer it."
    )
    choices: tuple[Annotated[str, Field(min_length=1, max_length=150)], ...] = Field(
        default=(),
        max_length=MAX_CHOICES,
        description="Up to 10 short answers offered as buttons. The person may always answer in their own words.",
    )

    @field_validator("choices")
    @classmethod
    def must_differ(cls, choices: tuple[str, ...]) -> tuple[str, ...]:
        """Two equal buttons could not be told apart."""
        if len(set(choices)) != len(choices):
            raise ValueError("each choice may be named once")
        return choices


class AskHuman(BaseTool[AskHumanParams]):
    """The question becomes a state of the run; the answer arrives as its result."""

    name: ClassVar[str] = "ask_human"
    description: ClassVar[str] = (
        "Ask the person who gave you the task, and wait for the answer. Use it when you need a decision or a fact that "
        "only a person has. Do not ask for permission for a tool call: that is arranged for you."
    )
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = AskHumanParams

    async def prepare(self, params: AskHumanParams, context: ToolContext) -> PreparedCall:
        """Show the question as it will be asked."""
        body = "\n".join([params.question, *(f"- {choice}" for choice in params.choices)])
        return PreparedCall(preview=CallPreview(title="Ask a question", body=body, language="text"))

    async def run(self, params: AskHumanParams, context: ToolContext) -> PersonAsked:
        """Hand the question to the runtime."""
        return PersonAsked(question=params.question, choices=params.choices)
