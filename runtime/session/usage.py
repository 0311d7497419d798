"""What model requests use, as the journal keeps it."""

from pydantic import BaseModel, ConfigDict


class Usage(BaseModel):
    """Tokens of one model request. `estimated` when the server did not say."""

    model_config = ConfigDict(frozen=True)

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        """Input and output; cached and reasoning tokens are parts of these."""
        return self.input + self.output


def added(left: Usage, right: Usage) -> Usage:
    """The sum of two usages; estimated if either is."""
    return Usage(
        input=left.input + right.input,
        cached=left.cached + right.cached,
        output=left.output + right.output,
        reasoning=left.reasoning + right.reasoning,
        estimated=left.estimated or right.estimated,
    )
