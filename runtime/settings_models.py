"""Settings of further models beside the main one."""

from typing import Annotated

from pydantic import Field

from runtime.settings_base import Section


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
    fallbacks: tuple[str, ...] = ()
    """Profiles that are asked in this order when it fails; `main` is one of them."""
