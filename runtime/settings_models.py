"""Settings of further models beside the main one."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from runtime.settings_base import Section, Usd


class ModelProfile(Section):
    """A model under a name: `planner`, `verifier`, `summariser`, `vision`, or one that others fall back to."""

    name: str
    model: str
    base_url: str = ""
    """Empty: the main model's address. The key is the main model's."""
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    takes_tools: bool = True
    """False: its tools are told in words, and its written calls are made."""
    usd_per_million_input: Usd | None = None
    """Overrides the price known for the model; so do the next two."""
    usd_per_million_cached: Usd | None = None
    usd_per_million_output: Usd | None = None
    fallbacks: tuple[str, ...] = ()
    """Profiles that are asked in this order when it fails; `main` is one of them."""

    @model_validator(mode="after")
    def prices_come_together(self) -> Self:
        """Half a price would hide the other half."""
        if (self.usd_per_million_input is None) != (self.usd_per_million_output is None):
            raise ValueError("needs usd_per_million_input and usd_per_million_output together")
        return self
