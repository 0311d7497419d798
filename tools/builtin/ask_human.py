"""Asks a person and waits as long as it takes; the run holds nothing meanwhile."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, JsonValue, WithJsonSchema, field_validator, model_validator

from tools.base import BaseTool, CallPreview, Effect, FormField, Params, PersonAsked, PreparedCall, Risk
from tools.context import ToolContext

MAX_CHOICES = 100
MAX_FIELDS = 10
FORM: dict[str, JsonValue] = {
    "type": "array",
    "items": {"type": "object"},
    "description": "name, label, kind, choices, optional",
}
"""How a model is told of `fields`, at a third of the tokens of its whole schema; what does not fit is explained."""


class AskHumanParams(Params):
    """A question, with answers to click where there are a few."""

    question: str = Field(min_length=1, max_length=3000)
    choices: tuple[Annotated[str, Field(min_length=1, max_length=150)], ...] = Field(
        default=(),
        max_length=MAX_CHOICES,
    )
    fields: Annotated[tuple[FormField, ...], WithJsonSchema(FORM)] = Field(default=(), max_length=MAX_FIELDS)
    wants_file: bool = Field(default=False)
    if_unanswered: Literal["go_on", "hold", "default", "hand_back"] = Field(
        default="go_on",
    )
    default: str = Field(default="", max_length=150)

    @field_validator("choices")
    @classmethod
    def must_differ(cls, choices: tuple[str, ...]) -> tuple[str, ...]:
        """Two equal buttons could not be told apart."""
        if len(set(choices)) != len(choices):
            raise ValueError("each choice may be named once")
        return choices

    @model_validator(mode="after")
    def must_be_one_question(self) -> Self:
        """Choices, a form and a file exclude each other; a default is one of the choices and nothing else."""
        if sum((bool(self.choices), bool(self.fields), self.wants_file)) > 1:
            raise ValueError("use choices, fields or wants_file, not several of them")
        names = [field.name for field in self.fields]
        if len(set(names)) != len(names):
            raise ValueError("each field needs a name of its own")
        if (self.if_unanswered == "default") != bool(self.default) or (
            self.default and self.default not in self.choices
        ):
            raise ValueError("if_unanswered=default needs a default that is one of the choices, and only it has one")
        return self


class AskHuman(BaseTool[AskHumanParams]):
    """The question becomes a state of the run; the answer arrives as its result."""

    name: ClassVar[str] = "ask_human"
    description: ClassVar[str] = (
        "Ask the person what only they know or may decide: with choices, a form or wants_file if it helps."
    )
    risk: ClassVar[Risk] = Risk.READ
    effect: ClassVar[Effect] = Effect.PURE
    params: ClassVar[type[Params]] = AskHumanParams

    async def prepare(self, params: AskHumanParams, context: ToolContext) -> PreparedCall:
        """Show the question as it will be asked."""
        lines = [*params.choices, *(field.label for field in params.fields)]
        body = "\n".join([params.question, *(f"- {line}" for line in lines)])
        return PreparedCall(preview=CallPreview(title="Ask a question", body=body, language="text"))

    async def run(self, params: AskHumanParams, context: ToolContext) -> PersonAsked:
        """Hand the question to the runtime."""
        return PersonAsked(
            question=params.question,
            choices=params.choices,
            fields=params.fields,
            wants_file=params.wants_file,
            if_unanswered=params.if_unanswered,
            default=params.default,
        )
