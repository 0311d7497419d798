"""A question to a person, as a tool puts it: choices, a form, or a file, and what counts when nobody answers."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class FormField(BaseModel):
    """One field of a form that a person fills in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    label: Annotated[str, Field(min_length=1, max_length=150)]
    kind: Literal["text", "long_text", "number", "date", "email", "choice"] = "text"
    choices: tuple[Annotated[str, Field(min_length=1, max_length=150)], ...] = Field(default=(), max_length=100)
    optional: bool = False

    @model_validator(mode="after")
    def choices_belong_to_a_choice(self) -> Self:
        """A menu without choices, or choices nobody sees, are mistakes."""
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError("choices are for kind choice, which needs at least one")
        return self


class PersonAsked(BaseModel):
    """The call needs an answer of a person; the run waits as a state until it comes."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["ask"] = "ask"
    question: str
    choices: tuple[str, ...] = ()
    fields: tuple[FormField, ...] = ()
    wants_file: bool = False
    if_unanswered: Literal["go_on", "hold", "default", "hand_back"] = "go_on"
    default: str = ""
