"""Settings of the main model and of further ones beside it. What a model can do is said here or found out by asking;
there is no list of names.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from runtime.settings_base import Count, Section, Usd

Window = Annotated[int, Field(ge=4_000)]
Temperature = Annotated[float, Field(ge=0, le=2)]


class ModelTraits(Section):
    """What is said of any model."""

    max_output_tokens: Count | None = None
    temperature: Temperature | None = None
    reasoning: bool = False
    """It takes no temperature, and its output limit is `max_completion_tokens`."""
    reasoning_effort: Literal["", "minimal", "low", "medium", "high"] = ""
    takes_tools: bool = True
    """False: its tools are told in words, and its written calls are made."""
    takes_images: bool | None = None
    """None: the first request with an image tells."""
    takes_schemas: bool = True
    """False: an answer is never held to a JSON schema by the server, only checked after it came."""
    azure_api_version: str = ""
    """Azure OpenAI's dated API; the address is then the resource's."""
    azure_deployment: str = ""
    """Empty: it is called as the model is."""
    fallbacks: tuple[str, ...] = ()
    """Profiles that are asked in this order when it fails."""
    usd_per_million_input: Usd | None = None
    """Overrides the price known for the model; so do the next two."""
    usd_per_million_cached: Usd | None = None
    usd_per_million_output: Usd | None = None

    @model_validator(mode="after")
    def prices_come_together(self) -> Self:
        """Half a price would hide the other half."""
        if (self.usd_per_million_input is None) != (self.usd_per_million_output is None):
            raise ValueError("needs usd_per_million_input and usd_per_million_output together")
        return self


class ModelSettings(ModelTraits):
    """What the runtime has to know of the main model; its name and address are in the environment."""

    context_window: Window = 128_000
    """Tokens the model can read at once."""
    tries: Annotated[int, Field(ge=1, le=10)] = 4
    """Requests in all where a failure is of the passing kind; also of the other profiles."""


class ModelProfile(ModelTraits):
    """A model under a name: `planner`, `verifier`, `summariser`, `vision`, or one that others fall back to."""

    name: str
    model: str
    base_url: str = ""
    """Empty: the main model's address and kind of API."""
    api_key_env: Annotated[str, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")] = ""
    """The environment variable that holds its key; empty: the main model's key."""
    context_window: Window | None = None
    """None: as the main model's."""
